"""The real libraries: Python evaluates a text with them, and they differentiate it."""

from __future__ import annotations

import ast
import math
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from .cases import Case

Pull = Callable[[Any], dict[str, Any]]


class Member(NamedTuple):
    """One result of a text: where it is among several, its value, and the vjp where the library has one."""

    path: str
    value: Any
    pull: Pull | None


@cache
def world() -> dict[str, Any]:
    """What Python knows when it evaluates a text: the libraries by their usual names, in double precision."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import jax
        import jax.nn
        import jax.numpy
        import jax.scipy.linalg
        import jax.scipy.special
        import scipy.linalg
        import scipy.special
        import torch
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)
    jax.config.update("jax_enable_x64", True)
    known = {"np": np, "numpy": np, "scipy": scipy, "math": math, "jax": jax, "jnp": jax.numpy}
    known |= {"torch": torch, "nn": torch.nn, "F": torch.nn.functional, "s_": np.s_}
    return known | {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan}


PREFIXES = [
    *("np", "np.linalg", "torch", "torch.linalg", "torch.special", "F", "jnp", "jnp.linalg", "jax.nn"),
    *("jax.scipy.special", "scipy.special", "scipy.linalg", "jax.scipy.linalg", "jax.lax", "math"),
]


def methods() -> dict[str, Any]:
    """The types of the libraries' arrays, whose methods are compared; JAX's has NumPy's."""
    return {"torch": world()["torch"].Tensor, "numpy": np.ndarray}


@cache
def modules() -> dict[str, Any]:
    """The libraries' modules by what is written before their functions."""
    return {prefix: eval(prefix, dict(world())) for prefix in PREFIXES}


def results(case: Case, values: Mapping[str, Any]) -> list[Member]:
    """What the case's library makes of it; raises what the library raises, and what it says is on its way out."""
    _forget_at_times()
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        if not case.is_explicit:
            warnings.simplefilter("error", DeprecationWarning)
            warnings.filterwarnings("error", ".*deprecated")
        return {"torch": _torch, "jax": _jax, "numpy": _numpy}[case.library](case, values)


_asked = count(1)


def _forget_at_times() -> None:
    """JAX keeps what it compiles for every shape, which comes to gigabytes in thousands of cases."""
    if next(_asked) % 2000 == 0:
        world()["jax"].clear_caches()


def evaluated(text: str, names: Mapping[str, Any]) -> Any:
    """The value of a text as Python has it: of several statements, the last one's."""
    *first, last = ast.parse(text).body
    assert isinstance(last, ast.Expr), text
    known = dict(names)
    exec(compile(ast.Module(first, []), "text", "exec"), known)
    return eval(compile(ast.Expression(last.value), "text", "eval"), known)


def _members(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Each array among a text's results, with the index that gives it."""
    if isinstance(value, (tuple, list)):
        for i, one in enumerate(value):
            yield from _members(one, f"{path}[{i}]")
    elif value is not None:
        yield path, value


def _numbers(value: Any) -> Any:
    """Real numbers or truth values; a complex result counts where it has no imaginary part."""
    array = np.asarray(value)
    if array.dtype.kind == "c":
        assert np.allclose(array.imag, 0, atol=1e-12), "the library's answer is complex"
        array = array.real
    return array


# PyTorch ----------------------------------------------------------------------------------------------


def _torch(case: Case, values: Mapping[str, Any]) -> list[Member]:
    torch = world()["torch"]
    moving = [name for name, value in values.items() if value.dtype.kind == "f"]

    def run(names: list[str]) -> list[Member]:
        tensors = {name: torch.tensor(value, requires_grad=name in names) for name, value in values.items()}
        # Not the leaves themselves, so that a text may write into its inputs.
        value = evaluated(case.text, world() | {name: one.clone() for name, one in tensors.items()})
        return [_torch_member(path, one, {name: tensors[name] for name in names}) for path, one in _members(value)]

    try:
        return run(moving)
    except RuntimeError as error:
        if "is not differentiable with respect to argument" not in str(error):
            raise
        return run([name for name in moving if _can_vary(run, name)])


def _can_vary(run: Callable[[list[str]], Any], name: str) -> bool:
    """Whether PyTorch differentiates by an input at all: by the weights of a loss, for one, it does not."""
    try:
        run([name])
    except RuntimeError:
        return False
    return True


def _torch_member(path: str, value: Any, leaves: Mapping[str, Any]) -> Member:
    torch = world()["torch"]
    if not isinstance(value, torch.Tensor):
        return Member(path, np.asarray(value), None)
    plain = value.detach().resolve_conj().resolve_neg()
    found = _numbers((plain.double() if plain.dtype == torch.bfloat16 else plain).numpy())

    def pull(seed: Any) -> dict[str, Any]:
        cotangent = torch.tensor(seed, dtype=value.dtype).reshape(value.shape)
        grads = torch.autograd.grad(
            value, list(leaves.values()), cotangent, retain_graph=True, allow_unused=True, materialize_grads=True
        )
        return {name: one.numpy() for name, one in zip(leaves, grads, strict=True)}

    # What it has no derivative for (Bessel functions, the ends of `linspace`) needs none, says PyTorch.
    return Member(path, found, pull if value.requires_grad else None)


# JAX ---------------------------------------------------------------------------------------------------


def _jax(case: Case, values: Mapping[str, Any], text: str | None = None) -> list[Member]:
    world()
    import jax.numpy as jnp

    arrays = {name: jnp.asarray(value) for name, value in values.items()}
    moving = {name: one for name, one in arrays.items() if one.dtype.kind == "f"}

    def outputs(changed: Mapping[str, Any]) -> list[tuple[str, Any]]:
        return list(_members(evaluated(text or case.text, {**world(), **arrays, **changed})))

    found = []
    for at, (path, value) in enumerate(outputs({})):
        pull = _jax_pull(lambda changed, at=at: outputs(changed)[at][1], moving)
        array = np.asarray(value)
        found.append(Member(path, _numbers(array), pull if array.dtype.kind in "fc" else None))
    return found


def _jax_pull(function: Callable[[Mapping[str, Any]], Any], moving: Mapping[str, Any]) -> Pull:
    import jax
    import jax.numpy as jnp

    def pull(seed: Any) -> dict[str, Any]:
        value, back = jax.vjp(lambda changed: jnp.asarray(function(changed)), dict(moving))
        (found,) = back(jnp.asarray(seed, dtype=value.dtype).reshape(value.shape))
        return {name: np.asarray(one) for name, one in found.items()}

    return pull


# NumPy, whose derivatives are JAX's where that knows the text ------------------------------------------------


def _numpy(case: Case, values: Mapping[str, Any]) -> list[Member]:
    arrays = {name: np.array(one) for name, one in values.items()}
    for array in arrays.values():
        array.flags.writeable = case.is_explicit  # `np.log(x, y)` would write into y
    value = evaluated(case.text, world() | arrays)
    found = [Member(path, _numbers(one), None) for path, one in _members(value)]
    if any(member.value.dtype.kind == "f" for member in found):
        try:
            same = _jax(case, values, _in_jax(case.text))
        except Exception:  # JAX has not all of NumPy: then there is only the value
            return found
        if len(same) == len(found) and all(_alike(a.value, b.value) for a, b in zip(found, same, strict=True)):
            return [one._replace(pull=other.pull) for one, other in zip(found, same, strict=True)]
    return found


def _alike(one: Any, other: Any) -> bool:
    return one.shape == other.shape and np.allclose(one, other, 1e-9, 1e-12, equal_nan=True)


class _InJax(ast.NodeTransformer):
    """NumPy's, SciPy's and `math`'s functions as JAX's."""

    def visit_Name(self, node: ast.Name) -> ast.AST:
        names = {"np": "jnp", "numpy": "jnp", "scipy": "jax.scipy", "math": "jnp"}
        return ast.parse(names[node.id], mode="eval").body if node.id in names else node


def _in_jax(text: str) -> str:
    return ast.unparse(_InJax().visit(ast.parse(text)))
