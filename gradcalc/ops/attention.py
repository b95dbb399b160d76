"""Attention: means of values, weighted by how well their keys match a query."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..errors import GradcalcError
from ..graph import Node, constant, is_constant
from . import reduce
from .arithmetic import greater, less, logical_and, real, where
from .indexing import segment
from .joining import concatenate, repeat
from .kinds import broadcast_to, derived, reshape, with_shape, zeros
from .layers import linear_layer
from .linalg import einsum
from .reduce import logsumexp, mean, softmax
from .shape import expand_dims, squeeze, swapaxes, transpose
from .views import stop_gradient


def _refused(what: str, x: Node, why: str) -> GradcalcError:
    return GradcalcError("shape", f"`{what}` {why}, got shape {x.shape}", operands=[with_shape(x)])


def _no_dropout(what: str, p: float) -> None:
    if p != 0:
        helps = ["set it to 0", "or draw the mask yourself and multiply the weights"]
        raise GradcalcError("random", f"dropout in `{what}` draws random numbers", helps=helps)


def _earlier(times: int, keys: int) -> Node:
    """Which keys a query at each time may see: those up to its own time."""
    return constant(np.tri(times, keys, dtype=bool))


def _masked_softmax(scores: Node, mask: Node | None, *, uniform: bool = False) -> Node:
    """Weights from scores and a mask: true where a key counts, or numbers to add.

    A query that may see nothing has no weights, or the same for every key, rather than the 0/0 that softmax gives.
    """
    if mask is None:
        return softmax(scores, -1)
    seen = mask if mask.boolean else greater(mask, -np.inf)
    scores = where(mask, scores, -np.inf) if mask.boolean else scores + mask
    if _every_row_sees(mask):
        return softmax(scores, -1)
    blind = less(reduce.sum(real(seen), -1, True), 0.5)
    weights: Node = softmax(where(blind, 0.0, scores), -1)
    return weights if uniform else where(blind, 0.0, weights)


def _every_row_sees(mask: Node) -> bool:
    """Whether it is certain that every query may see a key."""
    if not is_constant(mask):
        return False
    numbers = mask.attrs["value"].data
    return bool(np.all(np.any(numbers if mask.boolean else numbers > -np.inf, -1)))


# PyTorch ------------------------------------------------------------------------------------------


@derived(
    "scaled_dot_product_attention(q, k, v) | q=2,2 k=3,2 v=3,1",
    "scaled_dot_product_attention(q, k, v, m) | q=2,1 k=2,1 v=2,1 m=2,2",
    "scaled_dot_product_attention(q, k, v, [[True, False], [False, False]]) | q=2,1 k=2,1 v=2,1",
    "scaled_dot_product_attention(q, k, v, [[0, -inf], [-inf, -inf]]) | q=2,1 k=2,1 v=2,1",
    "scaled_dot_product_attention(q, k, v, is_causal=True) | q=2,1 k=3,1 v=3,1",
    "scaled_dot_product_attention(q, k, v, scale=0.3) | q=1,1,1 k=1,2,1 v=1,2,1",
    "scaled_dot_product_attention(q, k, v, scale=s) | q=1,1 k=2,1 v=2,1 s=",
    "scaled_dot_product_attention(q, k, v, enable_gqa=True) | q=2,1,1 k=1,2,1 v=1,2,1",
)
def scaled_dot_product_attention(
    query: Node,
    key: Node,
    value: Node,
    attn_mask: Node | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: Node | None = None,
    enable_gqa: bool = False,
) -> Node:
    """softmax(query @ key.T / sqrt(length) + mask) @ value; a mask of truth values lets through where it is true."""
    what = "scaled_dot_product_attention"
    _no_dropout(what, dropout_p)
    for one in (query, key, value):
        if one.ndim < 2:
            raise _refused(what, one, "needs queries, keys and values with two axes at least")
    if is_causal and attn_mask is not None:
        raise GradcalcError("arguments", f"`{what}` takes `attn_mask` or `is_causal=True`, not both")
    if enable_gqa:
        key, value = (_for_each_head(query, one) for one in (key, value))
    if scale is None:
        scale = constant(1 / math.sqrt(query.shape[-1]))
    scores = scale * (query @ swapaxes(key, -1, -2))
    mask = _earlier(*scores.shape[-2:]) if is_causal else attn_mask
    return _masked_softmax(scores, mask) @ value


def _for_each_head(query: Node, shared: Node) -> Node:
    """Keys or values repeated so that each head of the queries, on the last axis but two, has its own."""
    heads, count = (one.shape[-3] if one.ndim > 2 else 0 for one in (query, shared))
    if not count or heads % count:
        raise _refused("enable_gqa", shared, f"needs a number of heads that divides {heads}")
    return repeat(shared, heads // count, shared.ndim - 3)


class Attended(NamedTuple):
    """What multi-head attention puts out, and the weights with which it attended."""

    output: Node
    weights: Node | None


@derived(
    "multi_head_attention_forward(q, k, v, 1, 1, W, b, None, None, False, 0.0, U, d, False)[0] "
    "| q=1,1,1 k=2,1,1 v=2,1,1 W=3,1 b=3 U=1,1 d=1",
    "multi_head_attention_forward(x, x, x, 2, 2, W, None, None, None, False, 0.0, eye(2), None)[1] | x=2,2 W=6,2",
    "multi_head_attention_forward(x, x, x, 2, 2, eye(6, 2), None, None, None, False, 0.0, eye(2), None, "
    "average_attn_weights=False)[1] | x=2,1,2",
    "multi_head_attention_forward(x, x, x, 1, 1, W, None, B, C, True, 0.0, [[1]], None, need_weights=False)[0] "
    "| x=1,1,1 W=3,1 B=1,1,1 C=1,1,1",
    "multi_head_attention_forward(x, y, z, 1, 1, None, None, None, None, False, 0.0, [[1]], None, True, None, True, "
    "None, True, P, Q, R)[0] | x=1,1,1 y=2,1,1 z=2,1,2 P=1,1 Q=1,1 R=1,2",
    "multi_head_attention_forward(x, x, x, 1, 1, ones((3, 1)), None, None, None, False, 0.0, [[1]], None, True, "
    "[[False, True]], True, m)[0] | x=2,1,1 m=2,2",
)
def multi_head_attention_forward(
    query: Node,
    key: Node,
    value: Node,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Node | None,
    in_proj_bias: Node | None,
    bias_k: Node | None,
    bias_v: Node | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Node,
    out_proj_bias: Node | None,
    training: bool = True,
    key_padding_mask: Node | None = None,
    need_weights: bool = True,
    attn_mask: Node | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Node | None = None,
    k_proj_weight: Node | None = None,
    v_proj_weight: Node | None = None,
    static_k: Node | None = None,
    static_v: Node | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> Attended:
    """Attention in several heads of weighted queries, keys and values, their axes being time, batch, feature."""
    what = "multi_head_attention_forward"
    _no_dropout(what, dropout_p if training else 0.0)
    one_sequence = query.ndim == 2
    if one_sequence:
        query, key, value = (expand_dims(x, 1) for x in (query, key, value))
        if key_padding_mask is not None:
            key_padding_mask = expand_dims(key_padding_mask, 0)
    if query.ndim != 3:
        raise _refused(what, query, "needs axes for time, batch and feature")
    times, batch, width = query.shape
    if width != embed_dim_to_check or num_heads < 1 or width % num_heads:
        raise _refused(what, query, f"needs {embed_dim_to_check} features that divide into {num_heads} heads")
    if is_causal and attn_mask is None:
        raise GradcalcError("arguments", f"`{what}` needs `attn_mask` where `is_causal` is true")
    weights = [q_proj_weight, k_proj_weight, v_proj_weight] if use_separate_proj_weight else _thirds(in_proj_weight)
    q, k, v = (
        linear_layer(x, _given(weight, what), bias)
        for x, weight, bias in zip((query, key, value), weights, _thirds(in_proj_bias), strict=True)
    )
    padding, mask = (_additive(one) for one in (key_padding_mask, attn_mask))
    if bias_k is not None and bias_v is not None:
        k, v = (concatenate([x, broadcast_to(extra, (1, batch, width))], 0) for x, extra in ((k, bias_k), (v, bias_v)))
        padding, mask = _one_more(padding), _one_more(mask)
    q, k, v = (_in_heads(x, num_heads) for x in (q, k, v))
    k, v = (k if static_k is None else _static(static_k, k), v if static_v is None else _static(static_v, v))
    if add_zero_attn:
        k, v = (concatenate([x, zeros((batch, num_heads, 1, x.shape[-1]))], -2) for x in (k, v))
        padding, mask = _one_more(padding), _one_more(mask)
    if mask is not None and mask.ndim == 3:
        mask = reshape(mask, (batch, num_heads, *mask.shape[1:]))
    if padding is not None:
        padding = expand_dims(padding, (1, 2))
        mask = padding if mask is None else mask + padding
    scores = q / math.sqrt(width // num_heads) @ swapaxes(k, -1, -2)
    # With `need_weights` PyTorch takes the plain softmax, without it the one that lets a query see nothing.
    chosen = softmax(scores if mask is None else scores + mask, -1) if need_weights else _masked_softmax(scores, mask)
    joined = reshape(transpose(chosen @ v, (2, 0, 1, 3)), (times, batch, width))
    output = linear_layer(joined, out_proj_weight, out_proj_bias)
    seen = (mean(chosen, 1) if average_attn_weights else chosen) if need_weights else None
    if one_sequence:
        output, seen = squeeze(output, 1), None if seen is None else squeeze(seen, 0)
    return Attended(output, seen)


def _given(weight: Node | None, what: str) -> Node:
    if weight is None:
        raise GradcalcError("arguments", f"`{what}` needs `in_proj_weight`, or a weight for each of q, k and v")
    return weight


def _thirds(x: Node | None) -> Sequence[Node | None]:
    """The parts for queries, keys and values of one array, along its first axis."""
    if x is None:
        return [None] * 3
    size, rest = divmod(x.shape[0] if x.ndim else 1, 3)
    if rest:
        raise _refused("multi_head_attention_forward", x, "needs weights for query, key and value in one array")
    return [segment(x, -x.ndim, i * size, (i + 1) * size) for i in range(3)]


def _additive(mask: Node | None) -> Node | None:
    """A mask as numbers to add: PyTorch's layers hide keys where it is true."""
    return where(mask, -np.inf, 0.0) if mask is not None and mask.boolean else mask


def _one_more(mask: Node | None) -> Node | None:
    """A mask for one more key, which is seen."""
    return None if mask is None else concatenate([mask, zeros((*mask.shape[:-1], 1))], -1)


def _in_heads(x: Node, heads: int) -> Node:
    """(time, batch, feature) as (batch, head, time, feature of the head)."""
    times, batch, width = x.shape
    return transpose(reshape(x, (times, batch, heads, width // heads)), (1, 2, 0, 3))


def _static(given: Node, made: Node) -> Node:
    """Keys or values given as (batch*heads, time, feature of the head), in place of those made."""
    if given.ndim != 3 or given.shape[0] != made.shape[0] * made.shape[1] or given.shape[2] != made.shape[3]:
        raise _refused("multi_head_attention_forward", given, "needs static keys and values for each batch and head")
    return reshape(given, (*made.shape[:2], *given.shape[1:]))


# JAX ----------------------------------------------------------------------------------------------


class Residual(NamedTuple):
    """What attention puts out, and the logarithm of what its softmax divides by."""

    output: Node
    residual: Node


@derived(
    "dot_product_attention(q, k, v) | q=1,2,1,2 k=1,2,1,2 v=1,2,1,2",
    "dot_product_attention(q, k, v) | q=1,2,2 k=2,2,2 v=2,2,2",
    "dot_product_attention(q, k, v, b) | q=2,1,1 k=2,1,1 v=2,1,1 b=2,2",
    "dot_product_attention(q, k, v, mask=[[True, False], [False, False]]) | q=2,1,1 k=2,1,1 v=2,1,1",
    "dot_product_attention(q, k, v, scale=s, is_causal=True) | q=2,1,1 k=2,1,1 v=2,1,1 s=",
    "dot_product_attention(q, k, v, query_seq_lengths=[1], key_value_seq_lengths=[1]) | q=1,2,1,1 k=1,2,1,1 v=1,2,1,1",
    "dot_product_attention(q, k, v, local_window_size=0) | q=2,1,1 k=2,1,1 v=2,1,1",
    "dot_product_attention(q, k, v, local_window_size=(1, 0)) | q=3,1,1 k=3,1,1 v=3,1,1",
    "dot_product_attention(q, k, v, return_residual=True)[0] | q=2,1,1 k=2,1,1 v=2,1,1",
)
def dot_product_attention(
    query: Node,
    key: Node,
    value: Node,
    bias: Node | None = None,
    mask: Node | None = None,
    scale: Node | None = None,
    is_causal: bool = False,
    query_seq_lengths: Node | None = None,
    key_value_seq_lengths: Node | None = None,
    local_window_size: int | tuple[int, ...] | None = None,
    implementation: str | None = None,
    return_residual: bool = False,
) -> Node | Residual:
    """softmax(query . key / sqrt(length) + bias) . value, with axes for batch (which may lack), time, head, feature."""
    if mask is not None and not mask.boolean:
        raise GradcalcError(
            "type", "`mask` of `dot_product_attention` needs truth values", helps=["numbers to add are a `bias`"]
        )
    given = query.shape
    q, k, v = (_four_axes(x) for x in (query, key, value))
    if k.shape != v.shape or q.shape[0] != k.shape[0] or q.shape[3] != k.shape[3] or q.shape[2] % max(k.shape[2], 1):
        message = f"queries, keys and values of shapes {given}, {key.shape} and {value.shape} do not go together"
        raise GradcalcError("shape", message, operands=[with_shape(query), with_shape(key), with_shape(value)])
    k, v = (repeat(x, q.shape[2] // k.shape[2], 2) for x in (k, v))
    if scale is None:
        scale = constant(1 / math.sqrt(q.shape[3]))
    scores = scale * einsum("btnh,bsnh->bnts", q, k)
    scores = scores if bias is None else scores + bias
    seen = _all(
        mask,
        _earlier(*scores.shape[2:]) if is_causal else None,
        _window(local_window_size, *scores.shape[2:]),
        _up_to(query_seq_lengths, scores.shape[2], (1, 3)),
        _up_to(key_value_seq_lengths, scores.shape[3], (1, 2)),
    )
    # JAX hides keys by a large finite number, so that a query that may see nothing sees everything alike.
    made = einsum("bnts,bsnh->btnh", _masked_softmax(scores, seen, uniform=True), v)
    if query_seq_lengths is not None:
        made = where(_up_to(query_seq_lengths, made.shape[1], (2, 3)), made, 0.0)
    made = reshape(made, given)
    if not return_residual:
        return made
    hidden = scores if seen is None else where(seen, scores, _HIDDEN)
    residual = stop_gradient(swapaxes(logsumexp(hidden, -1), 1, 2))  # JAX's has no gradient either
    return Residual(made, reshape(residual, given[:-1]))


_HIDDEN = -0.7 * float(np.finfo(np.float32).max)


def _four_axes(x: Node) -> Node:
    if x.ndim not in (3, 4):
        raise _refused("dot_product_attention", x, "needs axes for (batch,) time, head and feature")
    return x if x.ndim == 4 else expand_dims(x, 0)


def _all(*masks: Node | None) -> Node | None:
    """Where all of the masks that are there are true."""
    found: Node | None = None
    for one in masks:
        if one is not None:
            found = one if found is None else _both(found, one)
    return found


def _both(a: Node, b: Node) -> Node:
    """Where both are true: a constant if they are, so that it can be looked at."""
    if is_constant(a) and is_constant(b):
        return constant(a.attrs["value"].data & b.attrs["value"].data)
    return logical_and(a, b)


def _window(size: int | tuple[int, ...] | None, times: int, keys: int) -> Node | None:
    """Which keys are near a query: as many before it, and after it, as the sizes say."""
    if size is None:
        return None
    before, after = (size, size) if isinstance(size, int) else size
    ahead = np.arange(keys) - np.arange(times)[:, None]
    return constant((-before <= ahead) & (ahead <= after))


def _up_to(lengths: Node | None, count: int, axes: tuple[int, ...]) -> Node | None:
    """Which of so many places come before each batch's length, with new axes around."""
    if lengths is None:
        return None
    return expand_dims(less(constant(np.arange(count)), expand_dims(lengths, -1)), axes)
