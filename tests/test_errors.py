"""The messages in `errors/*.md`: each command there must be answered with exactly what stands under it.

Under a heading may stand, as fenced blocks:

    sh        the command, as typed in a shell; `< FILE` at its end is standard input
    file X    a file X that the command finds
    python    what makes other files; `np` and `os` are there
    stderr    all of what is printed: nothing goes to standard output, and the exit code is 2
    stderr 3  the same with another exit code
    stdout    lines that are among the answer's: some odd requests are answered, with a note
    fixed     a command that takes the message's advice: it works, and holds what a help line has in backticks

`errors/odd.txt` holds requests that must be answered or refused, whatever is said.

`python tests/test_errors.py --update` writes what is printed now into the files, for review.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from gradcalc.cli import main

FOLDER = Path(__file__).parent / "errors"
BLOCK = re.compile(r"^```(?P<info>[^`\n]+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    kind: str
    rest: str
    text: str


class Case(NamedTuple):
    name: str
    blocks: list[Block]

    def all(self, kind: str) -> list[Block]:
        return [block for block in self.blocks if block.kind == kind]


def cases_in(path: Path) -> list[Case]:
    """A file's cases: what stands under each heading of the second level."""
    sections = re.split(r"^## ", path.read_text(), flags=re.MULTILINE)[1:]
    return [Case(f"{path.stem}: {section.partition(chr(10))[0]}", list(blocks_in(section))) for section in sections]


def blocks_in(section: str) -> Iterator[Block]:
    for match in BLOCK.finditer(section):
        kind, _, rest = match["info"].partition(" ")
        yield Block(kind, rest, match["text"])


CASES = [case for path in sorted(FOLDER.glob("*.md")) for case in cases_in(path)]


class Answer(NamedTuple):
    status: int
    stdout: str
    stderr: str


def prepare(case: Case) -> None:
    """Make the files that a case's commands find, in the current directory."""
    for block in case.blocks:
        if block.kind == "file":
            Path(block.rest).write_text(block.text)
        elif block.kind == "python":
            exec(block.text, {"np": np, "os": os})


def answer(command: str) -> Answer:
    """What a command prints, and its exit code."""
    program, *words = shlex.split(command)
    assert program == "gradcalc"
    content = ""
    if words[-2:-1] == ["<"]:
        content = Path(words[-1]).read_text()
        words = words[:-2]
    out, err = io.StringIO(), io.StringIO()
    before, sys.stdin = sys.stdin, io.StringIO(content)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = main.run(words)
    finally:
        sys.stdin = before
    return Answer(int(status), out.getvalue(), err.getvalue())


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty directory, and no process of SymPy's: what is wrong is found before it is asked."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(main, "_started", lambda arguments: None)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_message(case: Case) -> None:
    prepare(case)
    (command,) = case.all("sh")
    found = answer(command.text)
    for block in case.all("stderr"):
        assert found.stderr == block.text
        assert (found.stdout, found.status) == ("", int(block.rest or 2))
    for block in case.all("stdout"):
        assert (found.stderr, found.status) == ("", 0)
        lines = [" ".join(line.split()) for line in found.stdout.splitlines()]
        assert [line for line in block.text.splitlines() if line not in lines] == []
    for block in case.all("fixed"):
        advice = re.findall(r"(?<== help: ).*", found.stderr)
        pasted = [piece for line in advice for piece in re.findall("`([^`]+)`", line)]
        assert any(piece in block.text for piece in pasted), f"no advice of {advice} is taken"
        assert answer(block.text).status == 0
    assert case.all("stderr") or case.all("stdout")


def test_messages_follow_the_rules_of_style() -> None:
    """Lower case, no full stop, a closed pair of backticks in every line, and no line too long to read."""
    for case in CASES:
        for block in case.all("stderr"):
            for line in re.findall(r"^ *(?:error\[[^]]*\]|= note|= help): (.*)", block.text, re.MULTILINE):
                assert not line.endswith("."), f"{case.name}: {line}"
                assert line.count("`") % 2 == 0 or "`’`" in line, f"{case.name}: {line}"
                assert not re.match(r"[A-Z][a-z]+ [a-z]", line) or line.startswith("SymPy"), f"{case.name}: {line}"
                assert "illegal" not in line, f"{case.name}: {line}"


@pytest.mark.parametrize("line", (FOLDER / "odd.txt").read_text().splitlines())
def test_odd_requests_are_answered_or_refused(line: str) -> None:
    """No request makes a traceback, and a refusal says nothing on standard output."""
    found = answer(f"gradcalc {line}")
    assert found.status in (0, 2, 3)
    if found.status:
        assert found.stdout == ""
        assert re.match(r"error\[[a-z-]+\]: .", found.stderr)
    else:
        assert (found.stdout, found.stderr[:6]) != ("", "error[")


def test_kinds_of_errors_as_json() -> None:
    found = answer('gradcalc grad "x + sqtr(x)" --x 3 --format json')
    assert found.status == 2
    assert found.stdout == ""
    assert '"error": "unknown-function"' in found.stderr
    assert '"column": 5' in found.stderr


def updated(section: str) -> str:
    """A section with the output of its command as it is now."""
    case = Case("", list(blocks_in(section)))
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        prepare(case)
        found = answer(case.all("sh")[0].text)
    if not case.all("stderr"):
        return section
    info = "stderr" if found.status == 2 else f"stderr {found.status}"
    block = f"```{info}\n{found.stderr}```"
    return re.sub(r"^```stderr[^`\n]*\n.*?^```$", lambda _: block, section, flags=re.MULTILINE | re.DOTALL)


def update() -> None:
    main._started = lambda arguments: None
    for path in sorted(FOLDER.glob("*.md")):
        head, *sections = re.split(r"^(?=## )", path.read_text(), flags=re.MULTILINE)
        path.write_text(head + "".join(map(updated, sections)))


if __name__ == "__main__" and sys.argv[1:] == ["--update"]:
    update()
