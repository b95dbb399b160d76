"""The catalogue's rooms; importing this package fills `graph.CATALOGUE`."""

from . import arithmetic as arithmetic
from . import bessel as bessel
from . import casting as casting
from . import elementwise as elementwise
from . import exponential as exponential
from . import gammas as gammas
from . import hypergeometric as hypergeometric
from . import indexing as indexing
from . import integrals as integrals
from . import joining as joining
from . import linalg as linalg
from . import making as making
from . import numbers as numbers
from . import orthogonal as orthogonal
from . import probability as probability
from . import reduce as reduce
from . import rooms as rooms
from . import shape as shape
from . import special as special
from . import torch as torch
from . import torch_arithmetic as torch_arithmetic
