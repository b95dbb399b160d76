"""The catalogue's rooms; importing this package fills `graph.CATALOGUE`."""

from . import arithmetic, elementwise, indexing, joining, linalg, making, reduce, shape, special

__all__ = ["arithmetic", "elementwise", "indexing", "joining", "linalg", "making", "reduce", "shape", "special"]
