"""The process that derives with SymPy, seen from the one that asks it.

Its imports overlap with the numeric work, and nothing it does can hang or crash an answer: it is killed at
the end of its budget. This module imports nothing slow, so that the process can be started before all else.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
from typing import Any, NamedTuple

_START = "import gc; gc.disable(); from gradcalc.symbolic import serve; serve()"  # imports make no garbage


class Question(NamedTuple):
    """What the child is asked: the texts, the inputs' numbers, and which derivative of what by what.

    A text is the fields of its `Source`; `wrt` are labels as `targets.targets` reads them; `seeds`, `directions`
    are arrays, one for each expression or label.
    """

    command: str
    texts: list[tuple[Any, ...]]
    values: dict[str, Any]
    wrt: list[str]
    seeds: list[Any]
    directions: list[Any]


class Formula(NamedTuple):
    """SymPy's derivative in words: one formula for all entries alike, or one for each."""

    text: str
    latex: str


class Reply(NamedTuple):
    """The child's answer, by label (for a Hessian, by pairs `x, y`).

    `numbers` maps flat positions in the derivative to SymPy's values at the inputs; `special` are
    positions where its formula is not to be trusted, with the reason.
    """

    formulas: dict[str, Formula]
    numbers: dict[str, dict[int, float]]
    special: dict[str, dict[int, str]]
    failure: str | None = None


class Solver:
    """The child process, from its start to its answer or its end."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _START], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._thread: threading.Thread | None = None
        self._output: bytes | None = None
        self._expired = False
        self._budget = 0.0

    def ask(self, question: Question, budget: float) -> None:
        """Send the question; from now on the budget (seconds) runs."""
        import pickle  # not before the child has started

        self._budget = budget
        data = pickle.dumps(question, protocol=pickle.HIGHEST_PROTOCOL)
        self._thread = threading.Thread(target=self._converse, args=(data,), daemon=True)
        self._thread.start()

    def _converse(self, data: bytes) -> None:
        try:
            self._output = self._process.communicate(data, timeout=self._budget)[0]
        except subprocess.TimeoutExpired:
            self._expired = True
            self._process.kill()
            self._process.wait()
        except (OSError, ValueError):  # the child is gone, or its pipes are closed
            self._process.kill()

    def reply(self) -> Reply:
        """Wait for the answer, or for the end of the budget."""
        if self._thread is not None:
            self._thread.join()
        import pickle

        self.stop()
        if self._output:
            try:
                found: Reply = pickle.loads(self._output)
                return found
            except Exception:  # a half-written answer of a child that was ended
                pass
        if self._expired:
            return failed(f"SymPy did not finish within its budget of {self._budget:g} s")
        return failed("the SymPy process ended without an answer")

    def stop(self) -> None:
        """End the child, whatever it is doing, and close what leads to it."""
        if self._process.poll() is None:
            self._process.kill()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None and self._thread is not threading.current_thread():
                with contextlib.suppress(OSError):
                    stream.close()
        self._process.wait()


def failed(why: str) -> Reply:
    """The reply of a child that could not derive anything."""
    return Reply({}, {}, {}, why)
