"""A Kalman filter: the log-likelihood of noisy positions of something that moves with a nearly constant velocity."""

import numpy as np


def log_likelihood(log_q, log_r, ys, dt=1.0):
    """log_q and log_r are the logarithms of the process's and the measurements' variances."""
    A = np.array([[1.0, dt], [0.0, 1.0]])
    C = np.array([[1.0, 0.0]])
    Q = np.exp(log_q) * np.array([[dt**3 / 3, dt**2 / 2], [dt**2 / 2, dt]])
    R = np.exp(log_r) * np.eye(1)

    m = np.zeros(2)
    P = 10.0 * np.eye(2)
    total = 0.0
    for y in ys:
        # predict
        m = A @ m
        P = A @ P @ A.T + Q
        # compare with the measurement
        v = y - C @ m
        S = C @ P @ C.T + R
        total += -0.5 * (v @ np.linalg.solve(S, v) + np.linalg.slogdet(S)[1] + np.log(2 * np.pi))
        # update
        K = P @ C.T @ np.linalg.inv(S)
        m = m + K @ v
        P = P - K @ C @ P
    return total
