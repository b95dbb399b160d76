"""The catalogue's rooms; importing this package fills `graph.CATALOGUE`."""

from . import activations as activations
from . import arithmetic as arithmetic
from . import classification as classification
from . import ctc as ctc
from . import elementwise as elementwise
from . import indexing as indexing
from . import joining as joining
from . import linalg as linalg
from . import losses as losses
from . import making as making
from . import margins as margins
from . import reduce as reduce
from . import rooms as rooms
from . import shape as shape
from . import special as special
from . import torch as torch
from . import torch_losses as torch_losses
