"""Bundle adjustment: how far points in space, projected by cameras, are from where the cameras saw them.

A camera has 9 numbers: a rotation vector (3), a translation (3), a focal length and two coefficients of
radial distortion.
"""

import numpy as np


def rotate(points, rotation):
    """Turn each row of points around the vector `rotation`, by its length in radians (Rodrigues' formula)."""
    theta = np.linalg.norm(rotation)
    k = rotation / theta
    along = (points @ k)[:, np.newaxis] * k
    return np.cos(theta) * points + np.sin(theta) * np.cross(k, points) + (1 - np.cos(theta)) * along


def project(points, camera):
    """Where the rows of points appear in the picture of a camera, shape (n, 2)."""
    rotation, translation, (focal, k1, k2) = camera[:3], camera[3:6], camera[6:]
    x = rotate(points, rotation) + translation
    p = -x[:, :2] / x[:, 2:]
    r2 = np.sum(p**2, axis=1, keepdims=True)
    return focal * (1 + k1 * r2 + k2 * r2**2) * p


def error(cameras, points, camera_of, point_of, seen):
    """Half the sum of squares; observation i is of point `point_of[i]` by camera `camera_of[i]`, at `seen[i]`."""
    total = 0.0
    for c, p, where in zip(camera_of.astype(int), point_of.astype(int), seen):
        total += 0.5 * np.sum((project(points[p][None], cameras[c])[0] - where) ** 2)
    return total
