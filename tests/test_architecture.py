"""Imports go down only, and nothing slow is imported before it is needed."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import gradcalc

PACKAGE = Path(gradcalc.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))

ROOMS = [
    {"errors", "labels", "solver"},
    {"graph"},
    {"ops"},
    {"language", "autodiff", "simplifier", "exact", "sampling"},
    {"derivatives", "engine", "reader"},
    {"problem"},
    {"targets"},
    {"symbolic"},
    {"checker"},
    {"results"},
    {"cross_check"},
    {"answers"},
    {"api", "render"},
    {"cli"},
    {"__init__", "__main__"},
]
"""From the ground up: a room imports from those below it, and from itself."""

FLOOR = {room: floor for floor, rooms in enumerate(ROOMS) for room in rooms}

SLOW = {"sympy": {"symbolic"}, "mpmath": {"symbolic"}, "rich": {"render"}, "scipy": {"ops"}, "click": {"cli"}}
"""Packages that few need, and the rooms that may import them."""


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path: Path, *, top: bool = False) -> Iterator[tuple[str, int]]:
    """The modules that a file imports by their full names, and the lines; `top`: only when it is loaded itself."""
    inside = ["gradcalc", *path.relative_to(PACKAGE).with_suffix("").parts]
    for node in _statements(ast.parse(path.read_text(encoding="utf-8")), top):
        if isinstance(node, ast.Import):
            yield from ((one.name, node.lineno) for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = inside[: len(inside) - node.level] if node.level else []
            name = ".".join([*base, *([node.module] if node.module else [])])
            # `from . import a` names modules, `from .a import b` names things in one
            yield from ((f"{name}.{one.name}" if not node.module else name, node.lineno) for one in node.names)


def _statements(tree: ast.Module, top: bool) -> Iterator[ast.AST]:
    stack: list[ast.AST] = [tree]
    while stack:
        node = stack.pop()
        yield node
        for_types = isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"
        if not (top and (for_types or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda))):
            stack += ast.iter_child_nodes(node)


def rooms_imported(path: Path, *, top: bool = False) -> Iterator[tuple[str, int]]:
    for name, line in imports(path, top=top):
        package, _, rest = name.partition(".")
        if package == "gradcalc" and rest:
            yield rest.split(".")[0], line


def test_every_room_has_its_floor():
    assert {room_of(path) for path in MODULES} == set(FLOOR)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_down_only(path):
    own = room_of(path)
    for room, line in rooms_imported(path):
        if room not in FLOOR:  # a name of the package's own page, such as `from . import __version__`
            room = "__init__"
        assert room == own or FLOOR[room] < FLOOR[own], f"{path.name}:{line}: {own} imports {room}"


def module_name(path: Path) -> str:
    return ".".join(["gradcalc", *path.relative_to(PACKAGE).with_suffix("").parts]).removesuffix(".__init__")


def test_no_modules_import_each_other_in_a_circle():
    names = set(map(module_name, MODULES))
    left = {}
    for path in MODULES:
        name = module_name(path)
        # A package's page is loaded before its modules, whichever of them is asked for.
        left[name] = {one for one, _ in imports(path, top=True) if one in names and not name.startswith(one)}
    while left:
        free = {name for name, needed in left.items() if not needed & left.keys()}
        assert free, f"these import each other in a circle: {sorted(left)}"
        left = {name: needed for name, needed in left.items() if name not in free}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_slow_packages_are_imported_where_they_are_used(path):
    for name, line in imports(path):
        package = name.split(".")[0]
        if package in SLOW:
            assert room_of(path) in SLOW[package], f"{path.name}:{line} imports {package}"
    for name, line in imports(path, top=True):
        assert name.split(".")[0] not in SLOW.keys() - {"click"}, f"{path.name}:{line} imports {name} when it is loaded"


def test_the_command_line_starts_without_numpy():
    """So that SymPy's process is under way before NumPy is loaded."""
    path = PACKAGE / "cli" / "main.py"
    top = {name for name, _ in imports(path, top=True)}
    assert not {name for name in top if name.startswith("gradcalc") and name != "gradcalc.cli.status"}
    assert "numpy" not in {name.split(".")[0] for name in top}


# what is loaded ---------------------------------------------------------------------------------------


def loaded_after(code: str) -> set[str]:
    """The top-level packages in memory when a program ends."""
    script = f"{code}\nimport sys; print('\\n' + ' '.join({{name.partition('.')[0] for name in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    return set(done.stdout.splitlines()[-1].split())


RUN = "from gradcalc.cli.main import run; assert run({}) == 0"


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        ("import gradcalc; gradcalc.__version__", {"numpy", "sympy", "rich", "click", "scipy"}),
        ("import gradcalc.cli.main", {"numpy", "sympy", "rich", "click", "scipy"}),
        ("import gradcalc.solver", {"numpy", "sympy", "rich", "click", "scipy"}),
        (RUN.format(["eval", "1+1"]), {"sympy", "mpmath", "rich", "scipy"}),
        (RUN.format(["grad", "sum(x**2)", "--x", "[1,2]", "--no-symbolic"]), {"sympy", "mpmath", "rich", "scipy"}),
        (RUN.format(["--version"]), {"numpy", "sympy", "rich", "scipy"}),
        ("import gradcalc; gradcalc.grad('x**2', {'x': 3})", {"sympy", "mpmath", "rich", "click", "scipy"}),
    ],
)
def test_what_a_command_does_not_load(code, absent):
    assert not loaded_after(code) & absent


def test_the_measure_sees_what_is_loaded():
    assert "numpy" in loaded_after(RUN.format(["eval", "1+1"]))
