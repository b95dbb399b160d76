"""Text to the terminal: colours where a person looks, none in a pipe, and rich only where it is needed."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import Any, TextIO

from ..errors import GradcalcError, draw
from .text import Line, layout

_STYLES = {"good": "green", "bad": "bold red", "dim": "dim", "plain": ""}


def write_lines(lines: Iterable[Line], width: int) -> None:
    """Print labelled lines to standard output at once, so that a reader sees them while work goes on."""
    if not wants_colour(sys.stdout):
        for line in lines:
            print("\n".join(layout([line], width)))
        sys.stdout.flush()
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=True)
    for line in lines:
        shown = Text("\n".join(layout([line], width)), style=_STYLES[line.style])
        shown.stylize("bold cyan", 0, len(line.label))
        console.print(shown)


def write_error(error: GradcalcError) -> None:
    """Draw an error on standard error."""
    text = draw(error)
    if not wants_colour(sys.stderr):
        print(text, file=sys.stderr)
        return
    from rich.console import Console
    from rich.text import Text

    shown = Text(text)
    shown.highlight_regex(r"^error\[[^\]]*\]", "bold red")
    shown.highlight_regex(r"= help:", "bold green")
    Console(stderr=True, highlight=False, soft_wrap=True).print(shown)


def wants_colour(stream: TextIO | Any) -> bool:
    """Whether a stream is a terminal that shows colours, and nobody asked for none (NO_COLOR, FORCE_COLOR)."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return bool(stream.isatty()) and os.environ.get("TERM") != "dumb"
