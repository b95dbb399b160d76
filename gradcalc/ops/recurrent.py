"""Recurrent layers: one step of each kind of cell, and whole sequences, unrolled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..errors import GradcalcError
from ..graph import Node
from .elementwise import relu, sigmoid, tanh
from .indexing import element, segment
from .joining import concatenate, stack
from .kinds import derived, with_shape
from .shape import swapaxes

# one step -----------------------------------------------------------------------------------------


class State(NamedTuple):
    """The hidden state and the cell state of an LSTM."""

    hidden: Node
    cell: Node


def _weighted(x: Node, weight: Node, bias: Node | None) -> Node:
    made = x @ swapaxes(weight, -1, -2)
    return made if bias is None else made + bias


def _gates(made: Node, count: int) -> list[Node]:
    """The last axis in equal parts, one for each gate."""
    size = made.shape[-1] // count
    return [segment(made, -1, i * size, (i + 1) * size) for i in range(count)]


def _check_cell(what: str, gates: int, x: Node, h: Node, w_ih: Node, w_hh: Node) -> None:
    size = h.shape[-1] if h.ndim else 0
    if w_ih.shape != (gates * size, x.shape[-1] if x.ndim else 0) or w_hh.ndim != 2 or w_hh.shape[0] != gates * size:
        raise GradcalcError(
            "shape",
            f"`{what}` of input {x.shape} and state {h.shape} needs weights with {gates * size} rows, "
            f"got {w_ih.shape} and {w_hh.shape}",
            operands=[with_shape(w_ih), with_shape(w_hh)],
        )


@derived(
    "torch.lstm_cell(x, (h, c), W, U)[0] | x=1,2 h=1,2 c=1,2 W=8,2 U=8,2",
    "torch.lstm_cell(x, [h, c], W, U, b, d)[1] | x=2,1 h=2,1 c=2,1 W=4,1 U=4,1 b=4 d=4",
    name="lstm_cell",
)
def lstm_cell(
    input: Node, hx: Sequence[Node], w_ih: Node, w_hh: Node, b_ih: Node | None = None, b_hh: Node | None = None
) -> State:
    """Next hidden and cell state of an LSTM; weights have the rows of the gates input, forget, cell, output."""
    if len(hx) != 2:
        raise GradcalcError("arguments", f"`lstm_cell` needs a pair of states, `(h, c)`, got {len(hx)}")
    h, c = hx
    _check_cell("lstm_cell", 4, input, c, w_ih, w_hh)
    i, f, g, o = _gates(_weighted(input, w_ih, b_ih) + _weighted(h, w_hh, b_hh), 4)
    cell = sigmoid(f) * c + sigmoid(i) * tanh(g)
    return State(sigmoid(o) * tanh(cell), cell)


@derived(
    "torch.gru_cell(x, h, W, U) | x=1,2 h=1,2 W=6,2 U=6,2",
    "torch.gru_cell(x, h, W, U, b, d) | x=2,1 h=2,1 W=3,1 U=3,1 b=3 d=3",
    name="gru_cell",
)
def gru_cell(input: Node, hx: Node, w_ih: Node, w_hh: Node, b_ih: Node | None = None, b_hh: Node | None = None) -> Node:
    """Next state of a GRU; weights have the rows of the gates reset, update, new."""
    _check_cell("gru_cell", 3, input, hx, w_ih, w_hh)
    mine, old = _gates(_weighted(input, w_ih, b_ih), 3), _gates(_weighted(hx, w_hh, b_hh), 3)
    reset, update = sigmoid(mine[0] + old[0]), sigmoid(mine[1] + old[1])
    new = tanh(mine[2] + reset * old[2])
    return (1 - update) * new + update * hx


@derived(
    "torch.rnn_tanh_cell(x, h, W, U) | x=1,2 h=1,3 W=3,2 U=3,3",
    "torch.rnn_tanh_cell(x, h, W, U, b, d) | x=2,1 h=2,1 W=1,1 U=1,1 b=1 d=1",
    name="rnn_tanh_cell",
)
def rnn_tanh_cell(
    input: Node, hx: Node, w_ih: Node, w_hh: Node, b_ih: Node | None = None, b_hh: Node | None = None
) -> Node:
    """tanh of the weighted input plus the weighted state."""
    _check_cell("rnn_tanh_cell", 1, input, hx, w_ih, w_hh)
    return tanh(_weighted(input, w_ih, b_ih) + _weighted(hx, w_hh, b_hh))


@derived(
    "torch.rnn_relu_cell(x, h, W, U) | x=1,2 h=1,3 W=3,2 U=3,3",
    "torch.rnn_relu_cell(x, h, W, U, b, d) | x=2,1 h=2,1 W=1,1 U=1,1 b=1 d=1",
    name="rnn_relu_cell",
)
def rnn_relu_cell(
    input: Node, hx: Node, w_ih: Node, w_hh: Node, b_ih: Node | None = None, b_hh: Node | None = None
) -> Node:
    """relu of the weighted input plus the weighted state."""
    _check_cell("rnn_relu_cell", 1, input, hx, w_ih, w_hh)
    return relu(_weighted(input, w_ih, b_ih) + _weighted(hx, w_hh, b_hh))


# whole sequences ----------------------------------------------------------------------------------


class Sequences(NamedTuple):
    """The last layer's states at all times, and each layer's at the end."""

    output: Node
    hidden: Node


class CellSequences(NamedTuple):
    """The last layer's states at all times, and each layer's hidden and cell state at the end."""

    output: Node
    hidden: Node
    cell: Node


Step = Callable[[Node, list[Node], Sequence[Node]], list[Node]]
"""From an input, the old states and a layer's parameters to the new states, the hidden one first."""


def _simple(cell: Callable[..., Node]) -> Step:
    return lambda x, states, params: [cell(x, states[0], *params)]


def _lstm_step(x: Node, states: list[Node], params: Sequence[Node]) -> list[Node]:
    projected = len(params) in (3, 5)
    made = lstm_cell(x, states, *(params[:-1] if projected else params))
    return [_weighted(made.hidden, params[-1], None) if projected else made.hidden, made.cell]


class Layout(NamedTuple):
    """How a sequence function's layers are stacked."""

    has_biases: bool
    num_layers: int
    dropout: float
    train: bool
    bidirectional: bool
    batch_first: bool


def _unrolled(
    what: str, step: Step, input: Node, hx: Sequence[Node], params: Sequence[Node], layout: Layout
) -> tuple[Node, list[Node]]:
    """The outputs at all times, and the last of each state for every layer and direction."""
    if input.ndim != 3:
        message = f"`{what}` needs axes for times, batch and features, got shape {input.shape}"
        raise GradcalcError("shape", message, operands=[with_shape(input)])
    if layout.train and layout.dropout > 0 and layout.num_layers > 1:
        helps = ["switch it off: `train=False`, or a dropout of 0"]
        raise GradcalcError("random", f"dropout between the layers of `{what}` draws random numbers", helps=helps)
    ways = 2 if layout.bidirectional else 1
    runs = layout.num_layers * ways
    each, rest = divmod(len(params), runs) if runs > 0 else (0, 1)
    allowed = {4, 5} if layout.has_biases else {2, 3}
    if rest or each not in (allowed if what == "lstm" else {min(allowed)}):
        message = f"`{what}` of {runs} layers and directions cannot share out {len(params)} parameters"
        raise GradcalcError("arguments", message, notes=["each has w_ih, w_hh and, unless told otherwise, b_ih, b_hh"])
    if any(state.ndim != 3 or state.shape[0] != runs for state in hx):
        message = f"`{what}` needs first states for {runs} layers and directions, got shape {hx[0].shape}"
        raise GradcalcError("shape", message, operands=[with_shape(hx[0])])
    along = -2 if layout.batch_first else -3
    outputs = [element(input, along, time) for time in range(input.shape[along])]
    last: list[list[Node]] = []
    for layer in range(layout.num_layers):
        found = []
        for way in range(ways):
            run = layer * ways + way
            states = [element(state, -3, run) for state in hx]
            made = []
            for x in outputs[:: -1 if way else 1]:
                states = step(x, states, params[run * each : (run + 1) * each])
                made.append(states[0])
            found.append(made[:: -1 if way else 1])
            last.append(states)
        outputs = [concatenate(pair, -1) if ways > 1 else pair[0] for pair in zip(*found, strict=True)]
    if not outputs:
        raise GradcalcError("empty", f"`{what}` of no times has no value", operands=[with_shape(input)])
    return stack(outputs, 1 if layout.batch_first else 0), [stack(states, 0) for states in zip(*last, strict=True)]


@derived(
    "torch.rnn_tanh(x, h, [W, U], False, 1, 0.0, False, False, False)[0] | x=2,1,1 h=1,1,1 W=1,1 U=1,1",
    "torch.rnn_tanh(x, h, [W, U, b, b, W, U, b, b], True, 1, 0, True, True, True)[1] | x=1,2,1 h=2,1,1 W=1,1 U=1,1 b=1",
    "torch.rnn_tanh(x, h, [W, U, W, U], False, 2, 0, False, False, False)[1] | x=1,1,1 h=2,1,1 W=1,1 U=1,1",
    name="rnn_tanh",
)
def rnn_tanh(
    input: Node,
    hx: Node,
    params: Sequence[Node],
    has_biases: bool,
    num_layers: int,
    dropout: float,
    train: bool,
    bidirectional: bool,
    batch_first: bool,
) -> Sequences:
    """States of layers of tanh cells at all times, and at the end."""
    layout = Layout(has_biases, num_layers, dropout, train, bidirectional, batch_first)
    made, (hidden,) = _unrolled("rnn_tanh", _simple(rnn_tanh_cell.call), input, [hx], params, layout)
    return Sequences(made, hidden)


@derived(
    "torch.rnn_relu(x, h, [W, U], False, 1, 0.0, False, False, False)[0] | x=2,1,2 h=1,1,1 W=1,2 U=1,1",
    "torch.rnn_relu(x, h, [W, U, b, b], True, 1, 0.0, False, False, True)[1] | x=1,2,1 h=1,1,1 W=1,1 U=1,1 b=1",
    name="rnn_relu",
)
def rnn_relu(
    input: Node,
    hx: Node,
    params: Sequence[Node],
    has_biases: bool,
    num_layers: int,
    dropout: float,
    train: bool,
    bidirectional: bool,
    batch_first: bool,
) -> Sequences:
    """States of layers of relu cells at all times, and at the end."""
    layout = Layout(has_biases, num_layers, dropout, train, bidirectional, batch_first)
    made, (hidden,) = _unrolled("rnn_relu", _simple(rnn_relu_cell.call), input, [hx], params, layout)
    return Sequences(made, hidden)


@derived(
    "torch.gru(x, h, [W, U], False, 1, 0.0, False, False, False)[0] | x=1,1,1 h=1,1,1 W=3,1 U=3,1",
    "torch.gru(x, h, [ones((3, 1)), ones((3, 1))], False, 1, 0, False, False, True)[1] | x=1,2,1 h=1,1,1",
    name="gru",
)
def gru(
    input: Node,
    hx: Node,
    params: Sequence[Node],
    has_biases: bool,
    num_layers: int,
    dropout: float,
    train: bool,
    bidirectional: bool,
    batch_first: bool,
) -> Sequences:
    """States of layers of GRU cells at all times, and at the end."""
    layout = Layout(has_biases, num_layers, dropout, train, bidirectional, batch_first)
    made, (hidden,) = _unrolled("gru", _simple(gru_cell.call), input, [hx], params, layout)
    return Sequences(made, hidden)


@derived(
    "torch.lstm(x, (h, c), [W, U, b, b], True, 1, 0, False, False, False)[0] | x=1,1,1 h=1,1,1 c=1,1,1 W=4,1 U=4,1 b=4",
    "torch.lstm(x, (h, c), [ones((4, 1)), ones((4, 1))], False, 1, 0, False, False, True)[2] | x=1,2,1 h=1,1,1 c=1,1,1",
    "torch.lstm(x, (h, h), [ones((4, 1)), ones((4, 1)), V], False, 1, 0, False, False, False)[0] "
    "| x=1,1,1 h=1,1,1 V=1,1",
    name="lstm",
)
def lstm(
    input: Node,
    hx: Sequence[Node],
    params: Sequence[Node],
    has_biases: bool,
    num_layers: int,
    dropout: float,
    train: bool,
    bidirectional: bool,
    batch_first: bool,
) -> CellSequences:
    """Hidden states of layers of LSTM cells at all times, then hidden and cell states at the end."""
    if len(hx) != 2:
        raise GradcalcError("arguments", f"`lstm` needs a pair of first states, `(h, c)`, got {len(hx)}")
    layout = Layout(has_biases, num_layers, dropout, train, bidirectional, batch_first)
    made, (hidden, cell) = _unrolled("lstm", _lstm_step, input, hx, params, layout)
    return CellSequences(made, hidden, cell)
