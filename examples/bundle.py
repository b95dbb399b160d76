"""Bundle adjustment: how far points in space, projected by cameras, are from where the cameras saw them.

A camera has 9 numbers: a rotation vector (3), a translation (3), a focal length and two coefficients of
radial distortion.
"""

import numpy as np


def rotate(points, rotation):
    """Turn each row of points around the vector `rotation`, by its length in radians (Rodrigues' formula)."""
    theta = np.linalg.norm(rotation)
    x, y, z = rotation / theta
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    R = np.eye(3) + np.sin(theta) * K + (1 - np.cos(theta)) * K @ K
    return points @ R.T


def project(points, camera):
    """Where the rows of points appear in the picture of a camera, shape (n, 2)."""
    rotation, translation, (focal, k1, k2) = camera[:3], camera[3:6], camera[6:]
    x = rotate(points, rotation) + translation
    p = -x[:, :2] / x[:, 2:]
    r2 = np.sum(p**2, axis=1, keepdims=True)
    return focal * (1 + k1 * r2 + k2 * r2**2) * p


def error(cameras, points, seen):
    """Half the sum of squares; each row of `seen` has a camera's number, a point's, and where the camera saw it."""
    total = 0.0
    for c, camera in enumerate(cameras):
        mine = seen[seen[:, 0] == c]
        pixels = project(points[mine[:, 1].astype(int)], camera)
        total += 0.5 * np.sum((pixels - mine[:, 2:]) ** 2)
    return total
