"""The catalogue's rooms; importing this package fills `graph.CATALOGUE`."""

from . import arithmetic as arithmetic
from . import attention as attention
from . import distances as distances
from . import elementwise as elementwise
from . import indexing as indexing
from . import joining as joining
from . import layers as layers
from . import linalg as linalg
from . import making as making
from . import normalisation as normalisation
from . import products as products
from . import recurrent as recurrent
from . import reduce as reduce
from . import rooms as rooms
from . import shape as shape
from . import special as special
from . import torch as torch
