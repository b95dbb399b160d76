"""Logistic regression: the mean negative log-likelihood of labels 0 and 1, with a ridge penalty."""

import numpy as np


def predict(w, b, X):
    """The log-odds of label 1 for each row of X."""
    return X @ w + b


def loss(w, b, X, y, penalty=0.1):
    """log(1 + exp(z)) - y*z, averaged over the rows; `logaddexp` does not overflow where `exp` would."""
    z = predict(w, b, X)
    nll = np.mean(np.logaddexp(0, z) - y * z)
    return nll + 0.5 * penalty * np.sum(w**2)
