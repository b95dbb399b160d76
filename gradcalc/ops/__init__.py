"""The catalogue's rooms; importing this package fills `graph.CATALOGUE`."""

from . import arithmetic as arithmetic
from . import determinants as determinants
from . import elementwise as elementwise
from . import factors as factors
from . import indexing as indexing
from . import joining as joining
from . import least_squares as least_squares
from . import linalg as linalg
from . import making as making
from . import matrix_functions as matrix_functions
from . import norms as norms
from . import orthogonal as orthogonal
from . import reduce as reduce
from . import rooms as rooms
from . import scipy_linalg as scipy_linalg
from . import shape as shape
from . import singular as singular
from . import solving as solving
from . import special as special
from . import special_matrices as special_matrices
from . import spectra as spectra
from . import torch as torch
