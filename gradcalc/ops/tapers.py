"""Windows of signal processing: constant vectors that rise from the ends to the middle."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import GradcalcError
from ..graph import Node, constant
from .kinds import derived


def _window(make: Any, length: int, periodic: bool, *rest: Any) -> Node:
    """A window; a periodic one is the longer symmetric one without its last element."""
    if length < 0 or length > 10**8:
        raise GradcalcError("arguments", f"a window cannot have {length} elements")
    if length == 0:
        return constant(np.zeros(0))
    return constant(make(length + 1, *rest)[:-1] if periodic and length > 1 else make(length, *rest))


def _cosines(length: int, *weights: float) -> Any:
    turns = 2 * np.pi * np.arange(length) / max(length - 1, 1)
    return sum(w * np.cos(k * turns) for k, w in enumerate(weights)) if length > 1 else np.ones(length)


@derived("bartlett(5)", "bartlett(1)")
def bartlett(M: int) -> Node:
    """Triangular window that is 0 at its ends."""
    return _window(np.bartlett, M, False)


@derived("blackman(5)")
def blackman(M: int) -> Node:
    """Blackman's window of three cosines."""
    return _window(np.blackman, M, False)


@derived("hamming(5)")
def hamming(M: int) -> Node:
    """Hamming's raised cosine."""
    return _window(np.hamming, M, False)


@derived("hanning(5)")
def hanning(M: int) -> Node:
    """Hann's raised cosine, 0 at its ends."""
    return _window(np.hanning, M, False)


@derived("kaiser(5, 8.6)")
def kaiser(M: int, beta: float) -> Node:
    """Kaiser's window, of Bessel functions."""
    return _window(np.kaiser, M, False, beta)


@derived("bartlett_window(4)", "bartlett_window(5, periodic=False)")
def bartlett_window(window_length: int, periodic: bool = True) -> Node:
    """Triangular window, periodic unless told otherwise."""
    return _window(np.bartlett, window_length, periodic)


@derived("blackman_window(4)", "blackman_window(5, periodic=False)")
def blackman_window(window_length: int, periodic: bool = True) -> Node:
    """Blackman's window of three cosines, periodic unless told otherwise."""
    return _window(np.blackman, window_length, periodic)


@derived("hann_window(4)", "hann_window(5, periodic=False)", "hann_window(1)")
def hann_window(window_length: int, periodic: bool = True) -> Node:
    """Hann's raised cosine, periodic unless told otherwise."""
    return _window(np.hanning, window_length, periodic)


@derived("hamming_window(4)", "hamming_window(5, False, 0.6, 0.4)")
def hamming_window(window_length: int, periodic: bool = True, alpha: float = 0.54, beta: float = 0.46) -> Node:
    """The raised cosine alpha - beta cos, periodic unless told otherwise."""
    return _window(_cosines, window_length, periodic, alpha, -beta)


@derived("kaiser_window(4)", "kaiser_window(5, periodic=False, beta=3.5)")
def kaiser_window(window_length: int, periodic: bool = True, beta: float = 12.0) -> Node:
    """Kaiser's window, of Bessel functions, periodic unless told otherwise."""
    return _window(np.kaiser, window_length, periodic, beta)
