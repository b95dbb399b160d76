"""README and examples are run as shown: what a reader types gives what the page says.

Blocks marked ```console hold a session: commands after `$ `, each followed by what it prints on standard
output and standard error. Blocks marked ```python hold doctests. `python tests/test_docs.py --update`
records the sessions' outputs anew (doctests are edited by hand); read the difference before you keep it.
"""

import contextlib
import difflib
import doctest
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import gradcalc
from gradcalc.cli.commands import gradcalc as group
from gradcalc.cli.main import run

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
EXAMPLES = sorted((ROOT / "examples").glob("*.md"))
DOCUMENTS = [README, *EXAMPLES]
FUNCTIONS = ROOT / "docs" / "functions.md"
CONSOLE = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.DOTALL | re.MULTILINE)
PYTHON = re.compile(r"(?<=^```python\n).*?(?=^```$)", re.DOTALL | re.MULTILINE)
SETUP = re.compile(r"(?<=^```sh\n).*?(?=^```$)", re.DOTALL | re.MULTILINE)
FOR_A_SHELL = re.compile(r"[|<>;&$`]")  # outside quotes
QUOTED = re.compile(r"""'[^']*'|"(?:[^"\\$`]|\\.)*\"""")

# sessions ----------------------------------------------------------------------------------------


def replayed(text: str) -> str:
    """A document with the outputs that its commands have now."""
    return CONSOLE.sub(lambda block: _session(block[0]), text)


def _session(block: str) -> str:
    """A session with the outputs that its commands have now."""
    shown, status = [], 0
    for command in commands(block):
        output, status = (f"{status}\n", 0) if command == "echo $?" else _outcome(command)
        shown.append(f"$ {command}\n{output}")
    return "".join(shown)


def commands(block: str) -> list[str]:
    """The command lines of a session."""
    return [line.removeprefix("$ ") for line in block.splitlines() if line.startswith("$ ")]


def _outcome(command: str) -> tuple[str, int]:
    """What a command prints, and its status; in this process unless it needs a shell."""
    if command.startswith("gradcalc ") and not FOR_A_SHELL.search(QUOTED.sub("", command)):
        return _printed(shlex.split(command)[1:])
    script = f'gradcalc() {{ {shlex.quote(sys.executable)} -m gradcalc "$@"; }}\n{command}'
    done = subprocess.run(
        ["bash", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", check=False
    )
    return done.stdout, done.returncode


def _printed(words: list[str]) -> tuple[str, int]:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        status = run(words)
    return printed.getvalue(), int(status)


@contextlib.contextmanager
def stage(document: Path):
    """A temporary copy of the examples, as the current directory of the document's reader, and a plain terminal."""
    before = dict(os.environ)
    with tempfile.TemporaryDirectory() as directory:
        shutil.copytree(ROOT / "examples", Path(directory) / "examples")
        place = Path(directory) if document == README else Path(directory) / "examples"
        paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        os.environ.update(NO_COLOR="1", COLUMNS="80", PYTHONPATH=os.pathsep.join(paths))
        try:
            with contextlib.chdir(place):
                yield
        finally:
            os.environ.clear()
            os.environ.update(before)


@pytest.mark.skipif(not shutil.which("bash"), reason="the sessions with pipes need bash")
@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_sessions(document):
    recorded = document.read_text(encoding="utf-8")
    with stage(document):
        now = replayed(recorded)
    changes = difflib.unified_diff(recorded.splitlines(), now.splitlines(), "recorded", "now", lineterm="")
    assert now == recorded, "\n".join(changes)


def test_python():
    sessions = {path: PYTHON.findall(path.read_text(encoding="utf-8")) for path in DOCUMENTS}
    assert sessions[README]
    for document, blocks in sessions.items():
        assert not _failures(document, "\n".join(blocks))


def _failures(document: Path, session: str) -> str:
    """What doctest says about the wrong answers in a session; nothing if there are none."""
    test = doctest.DocTestParser().get_doctest(session, {}, document.name, str(document), 0)
    report = io.StringIO()
    with stage(document):
        doctest.DocTestRunner(verbose=False).run(test, out=report.write)
    return report.getvalue()


def functions_page() -> str:
    """The page of all functions: an introduction, and the catalogue as it is."""
    return f"{INTRODUCTION}\n{_printed(['ops', '--format', 'markdown'])[0]}"


INTRODUCTION = """\
# Functions

What expressions may use, as `gradcalc ops --format markdown` prints it: how gradcalc calls a function, which libraries
have it and under which names, and where it is not smooth, with the derivative that is used there. Methods such as
`x.sum(axis=0)` mean what their library means. Where libraries differ under one name there is an entry for each;
`gradcalc ops std` shows them one after the other, with their rules of differentiation.
"""


def test_functions_page():
    assert FUNCTIONS.read_text(encoding="utf-8") == functions_page(), "run python tests/test_docs.py --update"


def test_package_docstring():
    found = doctest.testmod(gradcalc)
    assert found.attempted
    assert not found.failed


# what the pages must say -------------------------------------------------------------------------


def setup_commands() -> list[str]:
    return [line for block in SETUP.finditer(README.read_text(encoding="utf-8")) for line in block[0].splitlines()]


def test_set_up_is_two_commands():
    text = README.read_text(encoding="utf-8")
    answer, tests = setup_commands()
    first = commands(CONSOLE.search(text)[0])[0]
    assert answer == f"pip install . && {first}"
    assert tests == 'pip install ".[test]" && pytest'


def test_ci_runs_the_readme():
    lines = [line.strip() for line in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()]
    assert setup_commands()[1] in lines


@pytest.mark.parametrize("name", sorted(group.commands))
def test_readme_mentions(name):
    assert re.search(rf"gradcalc {name}\b", README.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", sorted(group.commands))
def test_help(name):
    with stage(README):
        page, status = _printed([name, "--help"])
        assert status == 0
        examples = [line.strip() for line in page.splitlines() if re.match(r" +gradcalc ", line)]
        assert examples
        quickly = ["--no-symbolic"] if "--no-symbolic" in page else []
        for example in examples:
            output, status = _printed([*shlex.split(example)[1:], *quickly])
            assert status == 0, f"{example}\n{output}"


def test_readme_is_short():
    assert len(README.read_text(encoding="utf-8").splitlines()) < 270


@pytest.mark.parametrize(
    "document", [*DOCUMENTS, ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md"], ids=lambda path: path.name
)
def test_links(document):
    """Links to files of the project lead somewhere."""
    for target in re.findall(r"\]\(([^)#:]+)\)", document.read_text(encoding="utf-8")):
        assert (document.parent / target).exists(), target


def update() -> None:
    """Record the outputs of all sessions anew."""
    for document in DOCUMENTS:
        text = document.read_text(encoding="utf-8")
        with stage(document):
            now = replayed(text)
        if now != text:
            document.write_text(now, encoding="utf-8")
            print(f"updated {document.relative_to(ROOT)}")
    FUNCTIONS.parent.mkdir(exist_ok=True)
    FUNCTIONS.write_text(functions_page(), encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] != ["--update"]:
        sys.exit("usage: python tests/test_docs.py --update")
    update()
