"""What the process's exit code says."""

from __future__ import annotations

from enum import IntEnum


class Status(IntEnum):
    """Exit codes, the same for every command."""

    OK = 0  # answered, and not contradicted
    DISAGREES = 1  # a check disagrees (or, with --require-check, could not run)
    WRONG_REQUEST = 2  # the request is wrong
    LIMIT = 3  # a memory or time limit was hit
    INTERRUPTED = 130  # stopped with Ctrl-C
