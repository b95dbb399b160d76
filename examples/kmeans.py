"""The cost of k-means: the mean squared distance of each point to the nearest centre."""

import numpy as np


def cost(centres, X):
    """centres: (k, d); X: (n, d)."""
    differences = X[:, None, :] - centres[None, :, :]
    squares = np.sum(differences**2, axis=-1)
    return np.mean(np.min(squares, axis=1))
