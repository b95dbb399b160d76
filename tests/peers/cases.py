"""The cases: lines of the files here, and texts derived from the catalogue's own examples."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
import oracle

from gradcalc.graph import CATALOGUE, SPELLINGS, Entry, Op, Shape
from gradcalc.language import dialects

FOLDER = Path(__file__).parent
USUAL = (-2.0, 2.0)
LONE: tuple[Shape, ...] = ((), (3,), (2, 3))
PAIRED: tuple[tuple[Shape, Shape], ...] = (((), ()), ((3,), ()), ((2, 1), (1, 3)))

LIBRARIES = {"np": "numpy", "torch": "torch", "jax": "jax"}
"""What may stand before a line -> the library."""

PREFIXES = {
    "np": "numpy",
    "numpy": "numpy",
    "scipy": "numpy",
    "math": "numpy",
    "torch": "torch",
    "F": "torch",
    "nn": "torch",
    "jnp": "jax",
    "jax": "jax",
}
"""First word of a dotted name -> the library whose text it is."""


class Input(NamedTuple):
    """An input of a case: numbers between two bounds, whole numbers from the first to before the second, or truths."""

    name: str
    shape: Shape
    kind: str = "float"
    low: float = USUAL[0]
    high: float = USUAL[1]


@dataclass(frozen=True)
class Case:
    """A text of a library with its inputs, and where it comes from."""

    text: str
    library: str
    inputs: tuple[Input, ...]
    origin: str

    def __str__(self) -> str:
        shapes = " ".join(f"{one.name}={','.join(map(str, one.shape))}" for one in self.inputs)
        return f"{self.library}: {self.text} | {shapes}"

    def draw(self, number: int) -> dict[str, Any]:
        """Random values of the inputs, the same for the same number each time."""
        rng = np.random.default_rng([crc32(str(self).encode()), number])
        return {one.name: _random(rng, one) for one in self.inputs}


def _random(rng: np.random.Generator, one: Input) -> Any:
    if one.kind == "bool":
        return np.asarray(rng.integers(0, 2, one.shape) == 1)
    if one.kind == "int":
        return np.asarray(rng.integers(int(one.low), int(one.high), one.shape))
    return np.asarray(rng.uniform(one.low, one.high, one.shape))


# lines of the files -------------------------------------------------------------------------------------

_KIND = r":bool|:int(?:\(-?\d+,-?\d+\))?"
_NUMBER = r"[-+.\de]+"
_LINE = re.compile(
    rf"(?:(?P<library>np|torch|jax):\s+)?(?P<text>.*?)"
    rf"(?:\s*\|(?P<shapes>(?:\s+\w+=[\d,]*(?:{_KIND})?)+))?"
    rf"(?:\s*\|(?P<ranges>(?:\s+\w+={_NUMBER}:{_NUMBER})+))?\s*"
)
_SHAPE = re.compile(rf"(\w+)=([\d,]*)({_KIND})?")


def lines() -> list[tuple[str, str]]:
    """Every line of every file that holds a case, with its place, as `losses.txt:12`."""
    return [
        (f"{path.name}:{number}", line.strip())
        for path in sorted(FOLDER.glob("*.txt"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if line.strip() and not line.lstrip().startswith("#")
    ]


def cases_in(line: str, origin: str) -> list[Case]:
    """What a line says: one case, or one for each of the usual shapes where it leaves them open."""
    found = _LINE.fullmatch(line)
    assert found is not None, f"{origin}: {line}"
    text = found["text"]
    library = LIBRARIES.get(found["library"] or "") or library_of(text)
    assert library is not None, f"{origin}: which library is it? Begin with `torch: `, `np: ` or `jax: `\n{line}"
    ranges = {}
    for word in (found["ranges"] or "").split():
        name, _, bounds = word.partition("=")
        ranges[name] = tuple(map(float, bounds.split(":")))
    names = oracle.names_in(text)
    declared = [_input(word, ranges) for word in (found["shapes"] or "").split()]
    if not declared:
        return [Case(text, library, one, origin) for one in _usual(names, [ranges.get(name, USUAL) for name in names])]
    missing = set(names) - {one.name for one in declared} - {"float", "int", "bool"}  # which may name types of number
    assert not missing, f"{origin}: no shape for {', '.join(missing)}\n{line}"
    return [Case(text, library, tuple(one for one in declared if one.name in names), origin)]


def _input(word: str, ranges: dict[str, Any]) -> Input:
    found = _SHAPE.fullmatch(word)
    assert found is not None, word
    name, lengths, kind = found.groups()
    shape = tuple(int(length) for length in lengths.split(",") if length)
    if kind is None:
        return Input(name, shape, "float", *ranges.get(name, USUAL))
    low, high = re.findall(r"-?\d+", kind) or (0, 3)
    return Input(name, shape, kind[1:].partition("(")[0], int(low), int(high))


def _usual(names: Sequence[str], bounds: Sequence[tuple[float, float]]) -> Iterator[tuple[Input, ...]]:
    shapes = [()] if not names else [(shape,) for shape in LONE] if len(names) == 1 else PAIRED
    for some in shapes:
        filled = (*some, *[()] * (len(names) - len(some)))
        yield tuple(
            Input(name, shape, "float", *bound) for name, shape, bound in zip(names, filled, bounds, strict=True)
        )


def library_of(text: str) -> str | None:
    """The library that a text names; of a text that names NumPy and another, the other."""
    words = {word for word, _, rest in (name.partition(".") for name in dotted_names(text)) if rest}
    found = {PREFIXES[word] for word in words if word in PREFIXES}
    return next((one for one in ("torch", "jax", "numpy") if one in found), None)


# the names that a text uses -------------------------------------------------------------------------------


def dotted_names(text: str) -> list[str]:
    """Every name of a text with what follows it: `np.linalg.inv`, `x.T`."""
    return [name for one in ast.walk(ast.parse(text)) if (name := dotted(one))]


def calls(text: str) -> list[str]:
    """What a text calls, outermost first: `np.linalg.inv`, `.sum` for a method of whatever it may be."""
    found = []
    for one in ast.walk(ast.parse(text)):
        if isinstance(one, ast.Call):
            name = dotted(one.func)
            if name and (name.partition(".")[0] in PREFIXES or "." not in name):
                found.append(name)
            elif isinstance(one.func, ast.Attribute):
                found.append(f".{one.func.attr}")
    return found


METHODS = {"Tensor": "torch", "ndarray": "numpy"}
"""How a library's methods are written where functions are named -> the library."""

_SHORT = {"torch.nn.functional.": "F.", "nn.functional.": "F.", "jax.numpy.": "jnp.", "numpy.": "np."}


def called_in(case: Case) -> set[str]:
    """The functions that a case calls, as `NAMESPACES` writes them: `np.linalg.inv`, `Tensor.sum`."""
    found = set()
    for name in calls(case.text):
        if name.startswith("."):
            owner = {library: one for one, library in METHODS.items()}.get(case.library, "")
            found.add(f"{owner}{name}")
        else:
            start = next((one for one in _SHORT if name.startswith(one)), "")
            found.add(f"{_SHORT[start]}{name.removeprefix(start)}" if start else name)
    return found


def dotted(node: ast.AST) -> str:
    """`np.linalg.inv` for the syntax tree of just that; nothing for another."""
    words: list[str] = []
    while isinstance(node, ast.Attribute):
        words.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(words)]) if isinstance(node, ast.Name) else ""


# texts derived from the catalogue -----------------------------------------------------------------------------


def derived_from(entry: Entry, prefixes: dict[str, Any], methods: dict[str, Any]) -> list[Case]:
    """The examples of an operation as each library would write them, where it has such a name.

    `prefixes` are the libraries' modules by what is written before their functions (`np.linalg`), `methods` the
    types of their arrays by library.
    """
    found: dict[Case, None] = {}
    names = dict.fromkeys(name.rpartition(".")[2] for name in (entry.name, *entry.spellings))
    homes = [(f"{prefix}.", PREFIXES[prefix.partition(".")[0]], module) for prefix, module in prefixes.items()]
    homes += [(".", library, kind) for library, kind in methods.items()]
    for example in entry.examples:
        text, given = oracle._parted(example)
        for inputs in _inputs_of(text, given, entry):
            if not calls(text):
                libraries = dict.fromkeys(library for _, library, _ in homes)
                found.update({Case(text, library, inputs, entry.name): None for library in libraries})
            for start, library, home in homes:
                for name in names:
                    if not callable(getattr(home, name, None)):
                        continue
                    written = _Rewriter(entry, start + name, library, prefixes).text(as_call(text, entry))
                    if written is not None:
                        found[Case(written, library, inputs, entry.name)] = None
    return list(found)


def as_call(text: str, entry: Entry) -> str:
    """`add(x, y)` for `x + y`, of the operation that the operator is; any other text is left as it is."""
    one = ast.parse(text).body[-1]
    if not isinstance(entry, Op) or not isinstance(one, ast.Expr):
        return text
    if not entry.infix and not isinstance(one.value, ast.UnaryOp):
        return text
    operands = _operands(one.value)
    return f"{entry.name}({', '.join(map(ast.unparse, operands))})" if operands else text


def _operands(one: ast.expr) -> list[ast.expr]:
    if isinstance(one, ast.BinOp):
        return [one.left, one.right]
    if isinstance(one, ast.Compare) and len(one.ops) == 1:
        return [one.left, *one.comparators]
    return [one.operand] if isinstance(one, ast.UnaryOp) else []


def _inputs_of(text: str, given: str, entry: Entry) -> list[tuple[Input, ...]]:
    names = oracle.names_in(text)
    bounds = [entry.domain[min(i, len(entry.domain) - 1)] if entry.domain else USUAL for i in range(len(names))]
    if not given:
        return list(_usual(names, bounds))
    declared = {one.name: one for one in (_input(word, {}) for word in given.split())}
    ranges = zip(names, bounds, strict=True)
    return [tuple(declared[name]._replace(low=low, high=high) for name, (low, high) in ranges)]


class _Rewriter(ast.NodeTransformer):
    """Writes an example of an operation as a library's user does."""

    def __init__(self, entry: Entry, name: str, library: str, prefixes: dict[str, Any]) -> None:
        self.entry, self.name = entry, name
        self.modules = {
            prefix: module for prefix, module in prefixes.items() if PREFIXES[prefix.partition(".")[0]] == library
        }
        self.fits = True
        self.used = False

    def text(self, text: str) -> str | None:
        """The text, or None where the library has not all that it needs."""
        written = ast.unparse(self.visit(ast.parse(text)))
        return written.replace("\n", "; ") if self.fits and self.used else None

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = dotted(node.func)
        if not self.used and is_call_of(self.entry, name):
            self.used = True
            if not self.name.startswith("."):
                node.func = _parsed(self.name)
            elif node.args and isinstance(node.args[0], ast.Name):
                node.func = ast.Attribute(node.args.pop(0), self.name[1:], ast.Load())
            else:
                self.fits = False
        elif name and (name.partition(".")[0] in PREFIXES or "." not in name):
            last = name.rpartition(".")[2]
            home = next((prefix for prefix, one in self.modules.items() if callable(getattr(one, last, None))), None)
            if home is None:
                self.fits = False
            else:
                node.func = _parsed(f"{home}.{last}")
        return self.generic_visit(node)


def respelled(text: str, entry: Entry, name: str) -> str | None:
    """A text that calls an operation, calling it by another of its names; None if it does not call it."""
    tree = ast.parse(text)
    calling = (one for one in ast.walk(tree) if isinstance(one, ast.Call))
    found = next((one for one in calling if is_call_of(entry, dotted(one.func))), None)
    if found is None:
        return None
    room, _, last = name.partition(".")
    if room == "method":
        found.func = ast.Attribute(found.args.pop(0), last, ast.Load())
    else:  # SciPy's rooms stand behind its name
        found.func = _parsed(name if room in dialects.PREFIXES or not last else f"scipy.{name}")
    return ast.unparse(tree)


def is_call_of(entry: Entry, name: str) -> bool:
    """Whether a dotted name is that of an operation, as `jax.scipy.special.logsumexp` is `scipy.logsumexp`."""
    place = dialects.library_of(name.split("."))
    return SPELLINGS.get(name) is entry or (place is not None and dialects.find(*place) is entry)


def _parsed(name: str) -> Any:
    return ast.parse(name, mode="eval").body


RECORDS = [name for name, entry in CATALOGUE.items() if entry.shown]
"""The operations that cases are derived from."""
