"""Layers, attention, distances, recurrent cells and products, written out as sums over indices."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np


def _numbers(x: Any) -> Any:
    return np.asarray(x, float)


# products -----------------------------------------------------------------------------------------


def _mm(a: Any, b: Any) -> Any:
    return np.array([[sum(x * y for x, y in zip(row, column, strict=True)) for column in b.T] for row in a])


def _bmm(a: Any, b: Any) -> Any:
    return np.array([_mm(x, y) for x, y in zip(a, b, strict=True)])


def _mv(a: Any, x: Any) -> Any:
    return np.array([sum(p * q for p, q in zip(row, x, strict=True)) for row in a])


def _outer(x: Any, y: Any) -> Any:
    return np.array([[p * q for q in y] for p in x])


def _added(product: Any) -> Any:
    def added(c: Any, a: Any, b: Any, beta: Any = 1, alpha: Any = 1) -> Any:
        return alpha * product(a, b) + (0 if np.ndim(beta) == 0 and beta == 0 else beta * c)

    return added


def _chain(*matrices: Any) -> Any:
    made = matrices[0]
    for one in matrices[1:]:
        made = _mm(made, one)
    return made


def _cross(x: Any, y: Any, axis: int) -> Any:
    x, y = np.moveaxis(x, axis, -1), np.moveaxis(y, axis, -1)
    x, y = np.broadcast_arrays(x, y)
    out = np.empty(x.shape)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        out[..., i] = x[..., j] * y[..., k] - x[..., k] * y[..., j]
    return np.moveaxis(out, -1, axis)


def _np_cross(x: Any, y: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Any:
    if axis is not None:
        axisa = axisb = axisc = axis
    x, y = np.moveaxis(x, axisa, -1), np.moveaxis(y, axisb, -1)
    flat = x.shape[-1] == y.shape[-1] == 2
    x, y = (np.concatenate([one, np.zeros((*one.shape[:-1], 3 - one.shape[-1]))], -1) for one in (x, y))
    made = _cross(x, y, -1)
    return made[..., 2] if flat else np.moveaxis(made, -1, axisc)


def _torch_cross(x: Any, y: Any, dim: int | None = None) -> Any:
    return _cross(x, y, list(x.shape).index(3) if dim is None else dim)


def _block_diag(*blocks: Any) -> Any:
    matrices = [np.atleast_2d(one) for one in blocks]
    out = np.zeros((sum(len(one) for one in matrices), sum(one.shape[1] for one in matrices)))
    row = column = 0
    for one in matrices:
        for i, j in np.ndindex(*one.shape):
            out[row + i, column + j] = one[i, j]
        row, column = row + one.shape[0], column + one.shape[1]
    return out


# norms and distances --------------------------------------------------------------------------------


def _p_norm(x: Any, p: float, axis: Any = None, keepdims: bool = False) -> Any:
    sizes = np.abs(x)
    if p == math.inf:
        return np.max(sizes, axis=axis, keepdims=keepdims)
    if p == -math.inf:
        return np.min(sizes, axis=axis, keepdims=keepdims)
    return np.sum(sizes**p, axis=axis, keepdims=keepdims) ** (1 / p)


def _normalize(x: Any, p: float = 2, dim: int = 1, eps: float = 1e-12) -> Any:
    return x / np.maximum(_p_norm(x, p, dim, True), eps)


def _renorm(x: Any, p: float, dim: int, maxnorm: float) -> Any:
    out = np.moveaxis(np.array(x), dim, 0)
    for part in out:
        size = np.sum(np.abs(part) ** p) ** (1 / p)
        if size > maxnorm:
            part *= maxnorm / (size + 1e-7)
    return np.moveaxis(out, 0, dim)


def _norm_except_dim(x: Any, pow: float = 2, dim: int = 0) -> Any:
    others = tuple(i for i in range(x.ndim) if i != dim)
    return _p_norm(x, pow) if dim == -1 else _p_norm(x, pow, others, True)


def _pairwise_distance(x: Any, y: Any, p: float = 2, eps: float = 1e-6, keepdim: bool = False) -> Any:
    return _p_norm(x - y + eps, p, -1, keepdim)


def _cosine_similarity(x: Any, y: Any, dim: int = 1, eps: float = 1e-8) -> Any:
    x, y = np.broadcast_arrays(x, y)
    sizes = [np.maximum(np.sqrt(np.sum(one * one, axis=dim)), eps) for one in (x, y)]
    return np.sum(x * y, axis=dim) / (sizes[0] * sizes[1])


def _pdist(x: Any, p: float = 2) -> Any:
    return np.array([_p_norm(x[i] - x[j], p) for i in range(len(x)) for j in range(i + 1, len(x))])


def _cdist(x: Any, y: Any, p: float = 2, compute_mode: Any = None) -> Any:
    return _p_norm(x[..., :, None, :] - y[..., None, :, :], p, -1)


# layers -------------------------------------------------------------------------------------------


def _linear(x: Any, weight: Any, bias: Any = 0) -> Any:
    return np.inner(x, weight) + bias


def _bilinear(x: Any, y: Any, weight: Any, bias: Any = 0) -> Any:
    out: Any = 0
    for i, j in np.ndindex(*weight.shape[1:]):
        out = out + x[..., i, None] * weight[:, i, j] * y[..., j, None]
    return out + bias


def _embedding(places: Any, weight: Any, padding_idx: Any = None) -> Any:
    return weight[np.asarray(places)]


def _embedding_bag(
    places: Any,
    weight: Any,
    offsets: Any = None,
    mode: str = "mean",
    per_sample_weights: Any = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Any:
    if offsets is None:
        bags = list(places)
        factors = np.ones(np.shape(places)) if per_sample_weights is None else per_sample_weights
    else:
        ends = [*offsets, len(places)][: len(offsets) + (not include_last_offset)]
        bags = [places[a:b] for a, b in pairwise(ends)]
        factors = [np.ones(len(bag)) for bag in bags]
    out = np.zeros((len(bags), weight.shape[1]))
    for row, bag, scale in zip(out, bags, factors, strict=True):
        found = [s * weight[place] for place, s in zip(bag, scale, strict=True) if place != padding_idx]
        if found:
            row[:] = {"sum": np.sum, "mean": np.mean, "max": np.max}[mode](found, axis=0)
    return out


def _one_hot(classes: Any, num_classes: int = -1) -> Any:
    classes = np.asarray(classes)
    return np.eye(np.max(classes) + 1 if num_classes == -1 else num_classes)[classes]


def _jax_one_hot(classes: Any, num_classes: int, axis: int = -1) -> Any:
    classes = np.asarray(classes)
    return np.stack([np.where(classes == i, 1.0, 0.0) for i in range(num_classes)], axis)


def _dropout(x: Any, p: float = 0.5, training: bool = True) -> Any:
    return 0 * x if p == 1 and training else x


# normalisation ------------------------------------------------------------------------------------


def _columns(x: Any, like: Any) -> Any:
    """A number a channel against an array whose axis 1 is the channels."""
    return np.reshape(x, (-1,) + (1,) * (like.ndim - 2))


def _standard(x: Any, axes: Any, eps: Any) -> tuple[Any, Any, Any]:
    count = math.prod(x.shape[i] for i in axes)
    middle = np.sum(x, axis=axes, keepdims=True) / count
    spread = np.sum((x - middle) ** 2, axis=axes, keepdims=True) / count
    inverse = 1 / np.sqrt(spread + eps)
    return (x - middle) * inverse, middle, inverse


def _or(x: Any, default: float) -> Any:
    return default if x is None else x


def _native_layer_norm(x: Any, shape: Any, weight: Any, bias: Any, eps: Any) -> Any:
    made, middle, inverse = _standard(x, tuple(range(x.ndim - len(shape), x.ndim)), eps)
    return made * _or(weight, 1) + _or(bias, 0), middle, inverse


def _layer_norm(x: Any, shape: Any, weight: Any = None, bias: Any = None, eps: Any = 1e-5) -> Any:
    return _native_layer_norm(x, shape, weight, bias, eps)[0]


def _rms_norm(x: Any, shape: Any, weight: Any = 1, eps: Any = 2.0**-52) -> Any:
    return x / np.sqrt(np.mean(x**2, axis=tuple(range(-len(shape), 0)), keepdims=True) + eps) * weight


def _groups(x: Any, groups: int, eps: Any) -> tuple[Any, Any, Any]:
    out, middles, inverses = np.empty(x.shape), np.empty((len(x), groups)), np.empty((len(x), groups))
    each = x.shape[1] // groups
    for n in range(len(x)):
        for group in range(groups):
            part = np.s_[n, group * each : (group + 1) * each]
            made, middle, inverse = _standard(x[part], tuple(range(x.ndim - 1)), eps)
            out[part], middles[n, group], inverses[n, group] = made, middle.item(), inverse.item()
    return out, middles, inverses


def _group_norm(x: Any, groups: int, weight: Any = 1, bias: Any = 0, eps: float = 1e-5) -> Any:
    return _groups(x, groups, eps)[0] * _columns(weight, x) + _columns(bias, x)


def _native_group_norm(x: Any, weight: Any, bias: Any, n: int, c: int, hxw: int, group: int, eps: float) -> Any:
    made, middle, inverse = _groups(x, group, eps)
    return made * _columns(_or(weight, 1), x) + _columns(_or(bias, 0), x), middle, inverse


def _native_batch_norm(
    x: Any, weight: Any, bias: Any, middle: Any, spread: Any, training: bool, momentum: float, eps: float
) -> Any:
    scale, shift = _columns(_or(weight, 1), x), _columns(_or(bias, 0), x)
    if training:
        made, middle, inverse = _standard(x, tuple(i for i in range(x.ndim) if i != 1), eps)
        return made * scale + shift, middle.ravel(), inverse.ravel()
    return (x - _columns(middle, x)) / np.sqrt(_columns(spread, x) + eps) * scale + shift, np.zeros(0), np.zeros(0)


def _batch_norm(
    x: Any,
    middle: Any,
    spread: Any,
    weight: Any = None,
    bias: Any = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    return _native_batch_norm(x, weight, bias, middle, spread, training, momentum, eps)[0]


def _instance_norm(
    x: Any,
    middle: Any = None,
    spread: Any = None,
    weight: Any = None,
    bias: Any = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    if not use_input_stats:
        return _batch_norm(x, middle, spread, weight, bias, False, momentum, eps)
    return _group_norm(x, x.shape[1], _or(weight, 1), _or(bias, 0), eps)


def _local_response_norm(x: Any, size: int, alpha: Any = 1e-4, beta: float = 0.75, k: float = 1) -> Any:
    out = np.empty(x.shape)
    for c in range(x.shape[1]):
        near = [i for i in range(c - size // 2, c + (size - 1) // 2 + 1) if 0 <= i < x.shape[1]]
        out[:, c] = x[:, c] / (k + alpha * np.sum(x[:, near] ** 2, axis=1) / size) ** beta
    return out


# attention ----------------------------------------------------------------------------------------


def _weights(scores: Any) -> Any:
    """Softmax of one row; none of its weights where every score is -inf."""
    sizes = np.exp(scores)
    return sizes / np.sum(sizes) if np.any(sizes > 0) else sizes


def _attention(
    q: Any,
    k: Any,
    v: Any,
    attn_mask: Any = None,
    is_causal: bool = False,
    scale: Any = None,
    enable_gqa: bool = False,
) -> Any:
    if enable_gqa:
        k, v = (np.repeat(one, q.shape[-3] // one.shape[-3], -3) for one in (k, v))
    scores = np.einsum("...ld,...sd->...ls", q, k) * (1 / math.sqrt(q.shape[-1]) if scale is None else scale)
    if is_causal:
        attn_mask = np.arange(k.shape[-2]) <= np.arange(q.shape[-2])[:, None]
    if attn_mask is not None:
        attn_mask = np.asarray(attn_mask)
        scores = np.where(attn_mask, scores, -np.inf) if attn_mask.dtype == bool else scores + attn_mask
    rows = np.apply_along_axis(_weights, -1, scores)
    return np.einsum("...ls,...sv->...lv", rows, v)


def _multi_head(
    q: Any,
    k: Any,
    v: Any,
    width: int,
    heads: int,
    weight: Any,
    bias: Any,
    bias_k: Any,
    bias_v: Any,
    add_zero_attn: bool,
    dropout_p: float,
    out_weight: Any,
    out_bias: Any,
    training: bool = True,
    key_padding_mask: Any = None,
    need_weights: bool = True,
    attn_mask: Any = None,
    separate: bool = False,
    *weights: Any,
    average_attn_weights: bool = True,
) -> Any:
    single = q.ndim == 2
    if single:
        q, k, v = q[:, None], k[:, None], v[:, None]
    weights = weights if separate else np.split(weight, 3)
    biases = [0, 0, 0] if bias is None else np.split(bias, 3)
    q, k, v = (x @ w.T + b for x, w, b in zip((q, k, v), weights, biases, strict=True))
    batch, size = q.shape[1], width // heads
    out, seen = np.empty(q.shape), []
    for n in range(batch):
        for head in range(heads):
            part = slice(head * size, (head + 1) * size)
            keys, values = k[:, n, part], v[:, n, part]
            if bias_k is not None:
                keys, values = np.vstack([keys, bias_k[0, :, part]]), np.vstack([values, bias_v[0, :, part]])
            if add_zero_attn:
                keys, values = np.vstack([keys, np.zeros(size)]), np.vstack([values, np.zeros(size)])
            scores = q[:, n, part] @ keys.T / math.sqrt(size)
            if attn_mask is not None:
                scores = scores + attn_mask
            if key_padding_mask is not None:
                scores[:, np.asarray(key_padding_mask)[n]] = -np.inf
            chosen = np.array([_weights(row) for row in scores])
            out[:, n, part] = chosen @ values
            seen.append(chosen)
    made = out @ np.transpose(out_weight) + (0 if out_bias is None else out_bias)
    each = np.reshape(seen, (batch, heads, *seen[0].shape))
    each = each.mean(axis=1) if average_attn_weights else each
    return (made[:, 0], each[0]) if single else (made, each)


def _dot_product_attention(
    q: Any,
    k: Any,
    v: Any,
    bias: Any = None,
    mask: Any = None,
    scale: Any = None,
    is_causal: bool = False,
    query_seq_lengths: Any = None,
    key_value_seq_lengths: Any = None,
    local_window_size: Any = None,
    return_residual: bool = False,
) -> Any:
    if q.ndim == 3:
        made = _dot_product_attention(
            q[None],
            k[None],
            v[None],
            bias,
            mask,
            scale,
            is_causal,
            query_seq_lengths,
            key_value_seq_lengths,
            local_window_size,
        )[0]
        return (made, None) if return_residual else made
    out = np.zeros(q.shape)
    before, after = (
        (local_window_size,) * 2 if isinstance(local_window_size, int) else local_window_size or (math.inf,) * 2
    )
    for b, t, n in np.ndindex(*q.shape[:3]):
        if query_seq_lengths is not None and t >= query_seq_lengths[b]:
            continue
        scores = np.empty(k.shape[1])
        for s in range(k.shape[1]):
            scores[s] = np.dot(q[b, t, n], k[b, s, n]) * (1 / math.sqrt(q.shape[3]) if scale is None else scale)
            scores[s] += 0 if bias is None else bias[t, s]
            hidden = (mask is not None and not mask[t][s]) or (is_causal and s > t)
            hidden = hidden or (key_value_seq_lengths is not None and s >= key_value_seq_lengths[b])
            if hidden or not t - before <= s <= t + after:
                scores[s] = -1e38
        sizes = np.exp(scores - np.max(scores))
        out[b, t, n] = sizes / np.sum(sizes) @ v[b, :, n]
    return out


# recurrence ---------------------------------------------------------------------------------------


def _sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def _lstm_cell(x: Any, states: Any, w: Any, u: Any, b: Any = 0, d: Any = 0) -> Any:
    h, c = states
    i, f, g, o = np.split(x @ w.T + b + h @ u.T + d, 4, axis=-1)
    cell = _sigmoid(f) * c + _sigmoid(i) * np.tanh(g)
    return _sigmoid(o) * np.tanh(cell), cell


def _gru_cell(x: Any, h: Any, w: Any, u: Any, b: Any = 0, d: Any = 0) -> Any:
    (r, z, n), (hr, hz, hn) = (np.split(one, 3, axis=-1) for one in (x @ w.T + b, h @ u.T + d))
    z = _sigmoid(z + hz)
    return (1 - z) * np.tanh(n + _sigmoid(r + hr) * hn) + z * h


def _rnn_cell(activation: Any) -> Any:
    return lambda x, h, w, u, b=0, d=0: activation(x @ w.T + b + h @ u.T + d)


def _relu(x: Any) -> Any:
    return np.where(x > 0, x, 0)


def _sequence(cell: Any, has_cell: bool = False) -> Any:
    def run(
        x: Any, hx: Any, params: Any, biases: bool, layers: int, drop: float, train: bool, both: bool, first: bool
    ) -> Any:
        x = np.swapaxes(x, 0, 1) if first else x
        ways = 2 if both else 1
        each = len(params) // (layers * ways)
        ends = []
        for layer in range(layers):
            parts = []
            for way in range(ways):
                run = layer * ways + way
                mine = params[run * each : (run + 1) * each]
                state = tuple(one[run] for one in hx) if has_cell else hx[run]
                found = {}
                for t in range(len(x))[:: -1 if way else 1]:
                    state = cell(x[t], state, *mine[: 4 if biases else 2])
                    if len(mine) in (3, 5):
                        state = state[0] @ mine[-1].T, state[1]
                    found[t] = state[0] if has_cell else state
                parts.append(np.array([found[t] for t in range(len(x))]))
                ends.append(state)
            x = np.concatenate(parts, axis=-1)
        last = [np.array(one) for one in zip(*ends, strict=True)] if has_cell else [np.array(ends)]
        return (np.swapaxes(x, 0, 1) if first else x, *last)

    return run


FUNCTIONS = {
    "mm": _mm,
    "mv": _mv,
    "bmm": _bmm,
    "addmm": _added(_mm),
    "addmv": _added(_mv),
    "addbmm": _added(lambda a, b: np.sum(_bmm(a, b), axis=0)),
    "baddbmm": _added(_bmm),
    "addr": _added(_outer),
    "chain_matmul": _chain,
    "matvec": lambda a, x: np.sum(a * x[..., None, :], axis=-1),
    "vecmat": lambda x, a: np.sum(x[..., :, None] * a, axis=-2),
    "vecdot": lambda x, y, axis=-1: np.sum(np.moveaxis(x, axis, -1) * np.moveaxis(y, axis, -1), axis=-1),
    "torch.linalg.vecdot": lambda x, y, dim=-1: np.sum(x * y, axis=dim),
    "torch.dot": lambda x, y: sum(p * q for p, q in zip(x, y, strict=True)),
    "torch.outer": _outer,
    "cross": _np_cross,
    "linalg.cross": lambda x, y, axis=-1: _cross(x, y, axis),
    "torch.cross": _torch_cross,
    "torch.linalg.cross": lambda x, y, dim=-1: _cross(x, y, dim),
    "block_diag": _block_diag,
    "p_norm": _p_norm,
    "normalize": _normalize,
    "renorm": _renorm,
    "norm_except_dim": _norm_except_dim,
    "pairwise_distance": _pairwise_distance,
    "cosine_similarity": _cosine_similarity,
    "pdist": _pdist,
    "cdist": _cdist,
    "linear": _linear,
    "bilinear": _bilinear,
    "stop_gradient": lambda x: x,
    "embedding": _embedding,
    "torch.embedding": lambda weight, places, padding_idx=-1: _embedding(places, weight),
    "embedding_bag": _embedding_bag,
    "torch.embedding_bag": lambda weight, places, offsets, mode=0: (
        _embedding_bag(places, weight, offsets, ("sum", "mean", "max")[mode]),
    ),
    "one_hot": _one_hot,
    "jax.one_hot": _jax_one_hot,
    **dict.fromkeys(("dropout", "dropout1d", "dropout2d", "torch.dropout", "torch.alpha_dropout"), _dropout),
    "alpha_dropout": lambda x, p=0.5, training=False: _dropout(x, p, training),
    "torch.native_dropout": lambda x, p, train: (x, np.ones(x.shape, bool)),
    "layer_norm": _layer_norm,
    "native_layer_norm": _native_layer_norm,
    "rms_norm": _rms_norm,
    "group_norm": _group_norm,
    "native_group_norm": _native_group_norm,
    "batch_norm": _batch_norm,
    "torch.batch_norm": lambda x, weight, bias, middle, spread, training, momentum, eps, cudnn: _batch_norm(
        x, middle, spread, weight, bias, training, momentum, eps
    ),
    "native_batch_norm": _native_batch_norm,
    "instance_norm": _instance_norm,
    "torch.instance_norm": lambda x, weight, bias, middle, spread, own, momentum, eps, cudnn: _instance_norm(
        x, middle, spread, weight, bias, own, momentum, eps
    ),
    "local_response_norm": _local_response_norm,
    "scaled_dot_product_attention": _attention,
    "multi_head_attention_forward": _multi_head,
    "dot_product_attention": _dot_product_attention,
    "lstm_cell": _lstm_cell,
    "gru_cell": _gru_cell,
    "rnn_tanh_cell": _rnn_cell(np.tanh),
    "rnn_relu_cell": _rnn_cell(_relu),
    "rnn_tanh": _sequence(_rnn_cell(np.tanh)),
    "rnn_relu": _sequence(_rnn_cell(_relu)),
    "gru": _sequence(_gru_cell),
    "lstm": _sequence(_lstm_cell, has_cell=True),
}
