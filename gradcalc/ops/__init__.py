"""The catalogue's rooms; importing this package fills `graph.CATALOGUE`."""

from . import arithmetic as arithmetic
from . import calculus as calculus
from . import counting as counting
from . import elementwise as elementwise
from . import indexing as indexing
from . import joining as joining
from . import linalg as linalg
from . import logarithms as logarithms
from . import making as making
from . import nans as nans
from . import order as order
from . import polynomials as polynomials
from . import quantiles as quantiles
from . import reduce as reduce
from . import rooms as rooms
from . import running as running
from . import searching as searching
from . import shape as shape
from . import special as special
from . import statistics as statistics
from . import torch as torch
from . import ufuncs as ufuncs
