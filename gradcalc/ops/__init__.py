"""The catalogue's rooms; importing this package fills `graph.CATALOGUE`."""

from . import arithmetic as arithmetic
from . import diagonals as diagonals
from . import elementwise as elementwise
from . import grids as grids
from . import indexing as indexing
from . import joining as joining
from . import linalg as linalg
from . import making as making
from . import reduce as reduce
from . import rooms as rooms
from . import scattering as scattering
from . import selecting as selecting
from . import shape as shape
from . import special as special
from . import splitting as splitting
from . import torch as torch
from . import views as views
from . import windows as windows
