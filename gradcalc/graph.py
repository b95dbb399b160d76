"""The one data structure: interned nodes, the operations they apply, and the catalogue of both.

Text becomes a graph, and so does its gradient. Everything else (printing, simplifying, planning,
running, translating to SymPy) is a function of a graph. No walk here or elsewhere recurses, so a
chain of a million nodes is no different from a short one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Generic, ParamSpec, TypeAlias, TypeVar
from weakref import WeakValueDictionary

import numpy as np

from .errors import GradcalcError

Shape: TypeAlias = tuple[int, ...]
Attrs: TypeAlias = Mapping[str, Any]
Cotangents: TypeAlias = tuple["Node | None", ...]
Operand: TypeAlias = "Node | float"
P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, kw_only=True, eq=False)
class Kink:
    """Where an operation is not differentiable, and which of the valid values is used there."""

    at: str
    takes: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Op:
    """All there is to know about one primitive operation; calling it builds a node.

    Attributes:
        name: what the language calls it.
        doc: one line for people.
        call: from a caller's arguments to `(inputs, attrs)`, or to a node of other operations where
            these arguments ask for them. Its signature is the function's; attrs are named in it.
        shape: output shape from the inputs (as nodes) and attrs; raises GradcalcError(kind="shape").
        kernel: the value, from NumPy arrays and attrs.
        vjp: (cotangent, output, *inputs, **attrs) -> one cotangent an input (None: flat). The walk
            sums out broadcasting, so a rule is calculus only.
        jvp: (tangents, output, *inputs, **attrs) -> the output's tangent; without it, the
            transposed vjp serves.
        batch: (old node, new inputs, which of them have the new axis) -> the node with one more
            leading axis.
        exact: the same function over a namespace `m` of exact mathematics (SymPy, mpmath): of the
            elements where `elementwise`, else of object arrays; without it the kernel serves both.
        elementwise: whether the output's element depends on the inputs' elements at that place only.
        boolean: whether the value is true or false, or how to tell from the inputs and attrs.
        conditions: the positions of inputs that are read as true or false.
        flat: the positions of inputs that are never differentiated (conditions, indices).
        infix, binds: the operator, if it has one, and how tightly it binds.
        kink: where it is not differentiable.
        domain: an interval (low, high) for each input where it is smooth; for tests and documents.
        examples: expressions with shapes, as `sum(x, axis=0) | x=2,3`.
        spellings: other names, bare for every library or qualified (`torch.asin`).
        source: the identity or paper that the rule comes from, where it is not plain calculus.
    """

    name: str
    doc: str
    call: Callable[..., tuple[Sequence[Any], dict[str, Any]] | Node]
    shape: Callable[..., Shape]
    kernel: Callable[..., Any]
    vjp: Callable[..., Cotangents]
    batch: Callable[..., Node]
    jvp: Callable[..., Node | None] | None = None
    exact: Callable[..., Any] | None = None
    elementwise: bool = False
    boolean: bool | Callable[..., bool] = False
    conditions: tuple[int, ...] = ()
    flat: tuple[int, ...] = ()
    infix: str | None = None
    binds: int = 0
    kink: Kink | None = None
    domain: tuple[tuple[float, float], ...] = ()
    examples: tuple[str, ...] = ()
    spellings: tuple[str, ...] = ()
    source: str = ""
    shown: bool = True

    def __post_init__(self) -> None:
        register(self)

    def __call__(self, *args: Any, **kwargs: Any) -> Node:
        """The node that applies the operation to a caller's arguments."""
        made = self.call(*args, **kwargs)
        return made if isinstance(made, Node) else node(self, *made)

    def __repr__(self) -> str:
        return f"Op({self.name})"


@dataclass(frozen=True, kw_only=True, eq=False)
class Derived(Generic[P, R]):
    """A function of nodes that other operations express: it needs no rule of its own.

    Its value may be a node, or a tuple of them where the function has several results.
    """

    name: str
    doc: str
    call: Callable[P, R]
    examples: tuple[str, ...] = ()
    spellings: tuple[str, ...] = ()
    kink: Kink | None = None
    domain: tuple[tuple[float, float], ...] = ()
    shown: bool = True

    def __post_init__(self) -> None:
        register(self)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """The node, or nodes, that the function makes of its arguments."""
        return self.call(*args, **kwargs)


Entry: TypeAlias = "Op | Derived[..., Any]"


class Names(dict[str, "Entry"]):
    """Operations by name. Those of modules that are not loaded yet are loaded when they are asked for.

    A command uses a few of some hundreds of operations, and to load them all takes longer than to import NumPy.
    """

    def __init__(self) -> None:
        super().__init__()
        self.homes: dict[str, str] = {}
        self.load: Callable[[str | None], None] = lambda module: None

    def __missing__(self, name: str) -> Entry:
        self.load(self.homes[name])
        return super().__getitem__(name)

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or name in self.homes

    def get(self, name: str, default: Any = None) -> Any:
        """The operation of that name, if there is one."""
        try:
            return self[name]
        except KeyError:
            return default

    def here(self, name: str) -> bool:
        """Whether an operation is loaded already."""
        return super().__contains__(name)

    def loaded(self) -> list[Entry]:
        """The operations that are loaded already."""
        return list(super().values())

    def __iter__(self) -> Iterator[str]:
        self.load(None)
        return super().__iter__()

    def keys(self) -> Any:
        """All names; everything is loaded."""
        self.load(None)
        return super().keys()

    def values(self) -> Any:
        """All operations; everything is loaded."""
        self.load(None)
        return super().values()

    def items(self) -> Any:
        """All names and operations; everything is loaded."""
        self.load(None)
        return super().items()


CATALOGUE = Names()
"""Every operation under its own name."""

SPELLINGS = Names()
"""Every operation under every name it has, `torch.asin` and `asin` alike."""


HOMES: dict[Entry, str] = {}
"""The module that each operation is written in."""


def register(entry: Entry) -> None:
    """Enter an operation under all its names; a name taken twice is a mistake in the catalogue."""
    CATALOGUE[entry.name] = entry
    HOMES[entry] = _module_being_read()
    for name in (entry.name, *entry.spellings):
        if SPELLINGS.here(name):
            raise ValueError(f"two operations are called {name}")
        SPELLINGS[name] = entry


def _module_being_read() -> str:
    """The name of the module whose own lines are being run."""
    frame = sys._getframe()
    while frame.f_code.co_name != "<module>" and frame.f_back is not None:
        frame = frame.f_back
    return str(frame.f_globals["__name__"])


class Array:
    """An immutable, hashable array, so that constants can be attributes of interned nodes."""

    __slots__ = ("data", "key")

    def __init__(self, data: Any) -> None:
        data = np.array(data, dtype=bool if np.asarray(data).dtype == bool else np.float64, order="C")
        data.flags.writeable = False
        self.data = data
        self.key = (data.shape, data.dtype.char, data.tobytes())

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Array) and self.key == other.key


class Node:
    """An operation applied to inputs: immutable, interned (equal nodes are the same object).

    Shapes are known at once, so a shape error is raised where the node is built.
    """

    __slots__ = ("__weakref__", "attrs", "boolean", "inputs", "op", "shape")
    # An array on the left must not take the operator apart element by element.
    __array_ufunc__ = None

    op: Op
    inputs: tuple[Node, ...]
    attrs: Attrs
    shape: Shape
    boolean: bool

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return prod(self.shape)

    def __add__(self, other: Operand) -> Node:
        return _apply("add", self, other)

    def __radd__(self, other: Operand) -> Node:
        return _apply("add", other, self)

    def __sub__(self, other: Operand) -> Node:
        return _apply("subtract", self, other)

    def __rsub__(self, other: Operand) -> Node:
        return _apply("subtract", other, self)

    def __mul__(self, other: Operand) -> Node:
        return _apply("multiply", self, other)

    def __rmul__(self, other: Operand) -> Node:
        return _apply("multiply", other, self)

    def __truediv__(self, other: Operand) -> Node:
        return _apply("divide", self, other)

    def __rtruediv__(self, other: Operand) -> Node:
        return _apply("divide", other, self)

    def __pow__(self, other: Operand) -> Node:
        return _apply("power", self, other)

    def __rpow__(self, other: Operand) -> Node:
        return _apply("power", other, self)

    def __matmul__(self, other: Node) -> Node:
        return _apply("matmul", self, other)

    def __neg__(self) -> Node:
        return _apply("negative", self)

    def __lt__(self, other: Operand) -> Node:
        return _apply("less", self, other)

    def __le__(self, other: Operand) -> Node:
        return _apply("less_equal", self, other)

    def __gt__(self, other: Operand) -> Node:
        return _apply("greater", self, other)

    def __ge__(self, other: Operand) -> Node:
        return _apply("greater_equal", self, other)

    def __repr__(self) -> str:
        return f"<{self.op.name} {self.shape}>"


def _apply(name: str, *operands: Operand) -> Node:
    return CATALOGUE[name](*operands)


_interned: WeakValueDictionary[tuple[Any, ...], Node] = WeakValueDictionary()


def node(op: Op, inputs: Sequence[Operand], attrs: Attrs) -> Node:
    """The one node that applies `op` to these inputs: an existing one if it is there already."""
    nodes = [value if type(value) is Node else as_node(value) for value in inputs]
    if isinstance(op.boolean, bool):
        for place, one in enumerate(nodes):
            if one.boolean:
                nodes[place] = _cast(op, place, one)
    key: tuple[Any, ...] = (op, *map(id, nodes))
    if attrs:
        key += tuple([(name, _key(value)) for name, value in attrs.items()])
    found = _interned.get(key)
    if found is None:
        found = Node()
        found.op, found.inputs, found.attrs = op, tuple(nodes), attrs
        found.shape = op.shape(*nodes, **attrs)
        if found.shape and prod(found.shape) > LARGEST:
            raise _too_large(found.shape)
        found.boolean = op.boolean if isinstance(op.boolean, bool) else op.boolean(*nodes, **attrs)
        _interned[key] = found
    return found


LARGEST = 2**33
"""Elements of the largest array (64 GiB) that an expression may stand for."""


def _too_large(shape: Shape) -> GradcalcError:
    count = prod(shape)
    shown = f"{count:,}" if count < 10**15 else f"{count:.0e}" if count < 1e300 else "too many"
    return GradcalcError("too-large", f"an array of shape {shape} would have {shown} elements", limit=True)


def _cast(op: Op, place: int, value: Node) -> Node:
    """Truth values count as 0 and 1 in arithmetic; conditions keep them."""
    if not value.boolean or place in op.conditions:
        return value
    return CATALOGUE["real"](value)


def _key(value: Any) -> Any:
    """A key under which only equal attributes meet: `True`, `1` and `1.0` differ, and so do 0.0 and -0.0."""
    if isinstance(value, float):
        return value.hex()
    if isinstance(value, bool):
        return (bool, value)
    if isinstance(value, tuple):
        return tuple(map(_key, value))
    if isinstance(value, slice):
        return (slice, value.start, value.stop, value.step)
    return value


def as_node(value: Operand) -> Node:
    """A node as it is, a number as a constant."""
    return value if isinstance(value, Node) else constant(value)


def constant(value: Any) -> Node:
    """A constant scalar or array."""
    return node(_CONSTANT, (), {"value": Array(value)})


def variable(name: str, shape: Shape, *, boolean: bool = False) -> Node:
    """An input: a named array of a known shape, whose numbers come later."""
    return node(_INPUT, (), {"name": name, "shape": tuple(shape), "boolean": boolean})


def _leaf_batch(*_: Any) -> Node:
    raise AssertionError("a leaf has no inputs that could be batched")


_CONSTANT = Op(
    name="constant",
    doc="A constant number or array.",
    call=lambda value: ((), {"value": Array(value)}),
    shape=lambda value: value.data.shape,
    kernel=lambda value: value.data,
    boolean=lambda value: value.data.dtype == bool,
    vjp=lambda g, y, value: (),
    batch=_leaf_batch,
    shown=False,
)
_INPUT = Op(
    name="input",
    doc="A named input.",
    call=lambda name, shape, boolean=False: ((), {"name": name, "shape": shape, "boolean": boolean}),
    shape=lambda name, shape, boolean: shape,
    kernel=lambda **_: None,
    boolean=lambda name, shape, boolean: boolean,
    vjp=lambda g, y, **_: (),
    batch=_leaf_batch,
    shown=False,
)


def is_constant(value: Node) -> bool:
    """Whether the node is a constant."""
    return value.op is _CONSTANT


def is_input(value: Node) -> bool:
    """Whether the node is an input."""
    return value.op is _INPUT


def scalar_value(value: Node) -> float | None:
    """The number of a constant scalar; None for anything else."""
    if value.op is _CONSTANT and value.shape == () and not value.boolean:
        return float(value.attrs["value"].data)
    return None


def toposort(outputs: Iterable[Node], through: Callable[[Node], bool] | None = None) -> list[Node]:
    """Every node the outputs need, inputs before users; `through` says which nodes to look below."""
    order: list[Node] = []
    seen: set[Node] = set()
    stack: list[tuple[Node, Iterator[Node] | None]] = [(one, None) for one in reversed(list(outputs))]
    while stack:
        current, below = stack[-1]
        if below is None:
            if current in seen:
                stack.pop()
                continue
            seen.add(current)
            below = iter(current.inputs if through is None or through(current) else ())
            stack[-1] = (current, below)
        for one in below:
            if one not in seen:
                stack.append((one, None))
                break
        else:
            order.append(current)
            stack.pop()
    return order


def inputs_of(outputs: Iterable[Node]) -> dict[str, Node]:
    """The inputs that the outputs use, by name, in the order of first use."""
    return {one.attrs["name"]: one for one in toposort(outputs) if one.op is _INPUT}
