"""The log-likelihood of a mixture of Gaussians with full covariances.

The precision (inverse covariance) of each component is L @ L.T, where L is lower triangular with the
exponentials of its diagonal, so that any numbers in `L` make a valid mixture.
"""

import numpy as np
from scipy.special import logsumexp


def factor(L):
    """A lower triangular matrix with a positive diagonal, from any square matrix."""
    return np.tril(L, -1) + np.diag(np.exp(np.diag(L)))


def log_density(X, mean, L):
    """The log-density of a Gaussian at each row of X, and its log-determinant from the diagonal of L."""
    d = X.shape[1]
    z = (X - mean) @ factor(L)
    log_det = np.sum(np.diag(L))
    return log_det - 0.5 * d * np.log(2 * np.pi) - 0.5 * np.sum(z**2, axis=1)


def log_likelihood(weights, means, Ls, X):
    """weights: (k,), before softmax; means: (k, d); Ls: (k, d, d); X: (n, d)."""
    log_weights = weights - logsumexp(weights)
    parts = []
    for k in range(len(means)):
        parts.append(log_weights[k] + log_density(X, means[k], Ls[k]))
    return np.sum(logsumexp(np.stack(parts, axis=1), axis=1))
