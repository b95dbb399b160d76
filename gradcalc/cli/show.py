"""An answer to standard output and files, and the status that it deserves."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import click

from ..errors import GradcalcError, nearest
from ..render import text
from ..render.terminal import write_lines
from ..results import Answer
from .status import Status


def show(made: Answer, options: Mapping[str, Any], writer: Writer | None) -> int:
    """Print the answer in the form asked for, write the file asked for, and return the exit code."""
    if options["form"] == "text":
        _show_text(made, options)
    else:
        made.settle()
        click.echo(_form(made, options["form"], options["precision"]))
    if writer is not None:
        _write(options["output"], writer, made)
    return _status(made, bool(options.get("require_check")), options["form"])


def _show_text(made: Answer, options: Mapping[str, Any]) -> None:
    how = text.Options(options["precision"] or 6, bool(options.get("tensor")), options.get("layout", "numerator"))
    width = text.label_width(made)
    write_lines(text.numbers(made, how), width)
    write_lines(text.findings(made.settle()), width)


def _status(made: Answer, required: bool, form: str) -> int:
    """The exit code; where it is not 0 and the output does not show why, standard error does."""
    check = made.settle().check
    if check is None and required:
        from ..checker import Verdict

        check = Verdict(status="not checked", reason="`--no-symbolic` was given")
    failed = check is not None and (check.status == "disagree" or (required and check.status == "not checked"))
    if check is not None and failed and (form not in ("text", "json") or made.check is None):
        line = text.verdict_line(check)
        click.echo(f"{line.label}: {line.text}", err=True)
    return Status.DISAGREES if failed else Status.OK


def _form(made: Answer, form: str, precision: int | None) -> str:
    """The answer in a form for other programs."""
    from ..render import data

    if form == "json":
        return data.as_json(made)
    if form in ("csv", "python"):
        return {"csv": data.as_csv, "python": data.as_python}[form](made, precision)
    return {"plain": data.as_plain, "latex": data.as_latex}[form](made, precision or 6)


# files --------------------------------------------------------------------------------------------

Writer: TypeAlias = Callable[[Answer, Any], None]


def writer_for(path: str | None) -> Writer | None:
    """What writes a file of that name; one that cannot be written is an error before anything is computed."""
    if path is None:
        return None
    extension = os.path.splitext(path)[1].lower()
    if extension not in _WRITERS:
        found = nearest(extension, _WRITERS)
        helps = [f"did you mean `{found}`?"] if found else []
        helps.append(f"it may be {', '.join(_WRITERS)}")
        raise GradcalcError("output", f"cannot write `{path}`: the extension says the format", helps=helps)
    folder = os.path.dirname(path)
    if folder and not os.path.isdir(folder):
        raise GradcalcError("output", f"cannot write `{path}`: there is no directory `{folder}`")
    if os.path.isdir(path):
        raise GradcalcError("output", f"cannot write `{path}`: it is a directory")
    if os.path.exists(path) and not os.access(path, os.W_OK):
        raise GradcalcError("output", f"cannot write `{path}`: it is write-protected")
    return _WRITERS[extension]


def _write(path: str, writer: Writer, made: Answer) -> None:
    """Write under a temporary name first, so that there is never half a file."""
    target = os.path.realpath(path)  # a link stays, and what it leads to is written
    temporary = f"{target}.{os.getpid()}.part"
    try:
        with open(temporary, "wb") as file:
            writer(made.settle(), file)
        if os.path.exists(target):
            os.chmod(temporary, os.stat(target).st_mode)
        os.replace(temporary, target)
    except OSError as error:
        raise GradcalcError("output", f"cannot write `{path}`: {(error.strerror or str(error)).lower()}") from None
    finally:
        if os.path.exists(temporary):
            os.remove(temporary)


def _npy(made: Answer, file: Any) -> None:
    import numpy as np

    from ..render.data import results

    found = results(made)
    if len(found) != 1:
        raise GradcalcError(
            "output",
            f"a .npy file holds one array, but there are {len(found)}",
            helps=["write them to a .npz file", "or choose one with `--wrt`"],
        )
    np.save(file, next(iter(found.values())), allow_pickle=False)


def _npz(made: Answer, file: Any) -> None:
    import numpy as np

    from ..render.data import results

    np.savez(file, allow_pickle=False, **results(made))


def _text_file(form: str) -> Writer:
    return lambda made, file: file.write((_form(made, form, None) + "\n").encode())


_WRITERS: dict[str, Writer] = {
    ".npy": _npy,
    ".npz": _npz,
    ".json": _text_file("json"),
    ".csv": _text_file("csv"),
    ".tex": _text_file("latex"),
}
