"""SymPy's own derivation of the same expression.

The forward graph is evaluated on arrays of symbols and `sympy.diff` does the rest, so nothing here uses a
derivative rule of ours. It runs in a process of its own (see `solver`), which is the only place where
SymPy is imported.
"""

from __future__ import annotations

import os
import pickle
import sys

from ..errors import Source
from ..problem import pose, read_programs
from ..solver import Question, Reply, failed
from ..targets import targets
from .derivation import Derivation
from .mathematics import NoFormula, SympyMath

__all__ = ["NoFormula", "SympyMath", "serve", "solve"]

_MEMORY = 4 << 30  # bytes of address space that the child may take, where the system can limit it


def serve() -> None:
    """Answer the one question on standard input, as a pickle on standard output."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when to stop
    _limit_memory()
    import sympy  # noqa: F401  (the slow part, before the question is there)

    question = pickle.load(sys.stdin.buffer)
    try:
        reply = solve(question)
    except MemoryError:
        reply = failed("SymPy ran out of memory")
    except RecursionError:
        reply = failed("the expression is too deep for SymPy")
    except NoFormula as error:
        reply = failed(f"SymPy has no formula for {error}")
    except Exception as error:
        reply = failed(f"SymPy could not derive it ({type(error).__name__}: {str(error)[:100]})")
    sys.stdout.buffer.write(pickle.dumps(reply, protocol=pickle.HIGHEST_PROTOCOL))
    sys.stdout.buffer.flush()
    os._exit(0)  # interpreter shutdown would cost as much as a small derivation


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # not a POSIX system
        return
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


def solve(question: Question) -> Reply:
    """SymPy's derivative of the question's expressions, at all entries or at a sample of them."""
    sources = [Source(*one) for one in question.texts]
    problem = pose(read_programs(sources, question.values), question.values)
    wanted = targets(problem, question.wrt)
    return Derivation(question, problem, wanted).reply()
