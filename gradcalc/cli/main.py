"""The entry point: starts SymPy's process before anything slow is imported, and turns errors into exit codes."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from .status import Status

if TYPE_CHECKING:
    import click

    from ..errors import GradcalcError
    from ..solver import Solver

CHECKED = {"grad", "vjp", "jacobian", "hessian", "jvp", "hvp"}
"""Commands whose answers are checked with SymPy."""


def main() -> None:
    """Run the command line and leave with its status.

    At once: all is written and nothing is left to clean up, and taking NumPy apart would take longer than
    many an answer.
    """
    status = run(sys.argv[1:])
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def run(arguments: Sequence[str]) -> int:
    """Run a command line; the status it ends with."""
    solver = _started(arguments)
    gc.disable()  # a command is short, and graphs have no cycles
    try:
        status = _run(list(arguments), solver)
        sys.stdout.flush()  # now, so that a failure is still ours to report
        return status
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return Status.INTERRUPTED
    except BrokenPipeError:  # whoever read our output has seen enough
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115  (the interpreter's own flush at exit must not fail)
        return Status.OK
    except OSError as error:  # a full disk behind standard output, for one
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
        print(f"error[output]: cannot write the answer: {(error.strerror or str(error)).lower()}", file=sys.stderr)
        return Status.WRONG_REQUEST
    finally:
        gc.enable()
        if solver is not None:
            solver.stop()


def _started(arguments: Sequence[str]) -> Solver | None:
    """SymPy's process, if the command will want it: its import takes longer than all the rest."""
    if not arguments or arguments[0] not in CHECKED or {"--no-symbolic", "--help", "-h"} & set(arguments):
        return None
    from ..solver import Solver

    return Solver()


def _run(arguments: list[str], solver: Solver | None) -> int:
    import click

    from ..errors import GradcalcError
    from .commands import gradcalc

    try:
        with gradcalc.make_context("gradcalc", arguments or ["--help"], obj=solver) as ctx:
            return int(gradcalc.invoke(ctx) or Status.OK)
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except click.Abort:
        raise KeyboardInterrupt from None
    except click.UsageError as wrong:
        return _fail(_usage(wrong), arguments)
    except GradcalcError as error:
        return _fail(error, arguments)
    except MemoryError:
        return _fail(GradcalcError("too-large", "there is not enough memory for this", limit=True), arguments)


def _usage(wrong: click.UsageError) -> GradcalcError:
    """click's own complaints, in the form that all errors have."""
    import click

    from ..errors import GradcalcError, nearest
    from .commands import gradcalc

    message = wrong.format_message().rstrip(".").replace("'", "`").split("\n")[0]
    message = message.replace("is not a valid integer range", "is not a whole number")
    context = wrong.ctx.command_path if wrong.ctx is not None else "gradcalc"
    helps = [f"`{context} --help` shows what it takes"]
    if isinstance(wrong, click.NoSuchOption):
        message = f"no such option `{wrong.option_name}`"
        close = nearest(wrong.option_name, wrong.possibilities or ())
        helps[:0] = [f"did you mean `{close}`?"] if close else []
    if message.startswith("No such command"):
        message = message.partition(".")[0]
        helps[:0] = _similar_commands(message.split("`")[1], list(gradcalc.commands))
    return GradcalcError("usage", message[:1].lower() + message[1:], helps=helps)


def _similar_commands(typed: str, known: list[str]) -> list[str]:
    from ..errors import nearest
    from .inputs import quoted

    if not typed.replace("-", "").isalnum():
        return [f"say what to do with it: `gradcalc grad {quoted(typed)}`"]
    close = next((one for one in known if one.startswith(typed)), None) or nearest(typed, known)
    return [f"did you mean `gradcalc {close}`?"] if close else []


def _fail(error: GradcalcError, arguments: Sequence[str]) -> int:
    """Say what is wrong on standard error, as JSON where JSON was asked for."""
    sys.stdout.flush()
    if _wants_json(arguments):
        import json

        print(json.dumps(error.as_dict(), ensure_ascii=False), file=sys.stderr)
    else:
        from ..render.terminal import write_error

        write_error(error)
    return Status.LIMIT if error.limit else Status.WRONG_REQUEST


def _wants_json(arguments: Sequence[str]) -> bool:
    return "--format=json" in arguments or ("--format", "json") in pairwise(arguments)


if __name__ == "__main__":
    main()
