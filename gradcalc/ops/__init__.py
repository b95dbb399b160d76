"""The catalogue's rooms; importing this package fills `graph.CATALOGUE`."""

from . import adaptive as adaptive
from . import arithmetic as arithmetic
from . import convolution as convolution
from . import elementwise as elementwise
from . import images as images
from . import indexing as indexing
from . import interpolation as interpolation
from . import joining as joining
from . import linalg as linalg
from . import making as making
from . import ordering as ordering
from . import padding as padding
from . import pooling as pooling
from . import reduce as reduce
from . import rooms as rooms
from . import shape as shape
from . import special as special
from . import torch as torch
from . import windows as windows
