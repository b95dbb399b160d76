"""Functions that are refused on purpose say why, and what works instead."""

from __future__ import annotations

import pytest

import gradcalc
from gradcalc.errors import GradcalcError
from gradcalc.graph import SPELLINGS
from gradcalc.language.refusals import LEAVE_OUT, REFUSED, ROOMS, refusal_of

MODULES = {"numpy": "np", "torch": "torch", "jax": "jax"}


def refused(text: str) -> GradcalcError:
    with pytest.raises(GradcalcError) as caught:
        gradcalc.evaluate(text, {"x": [1, 2]})
    assert caught.value.kind == "unknown-function"
    return caught.value


@pytest.mark.parametrize("name", REFUSED)
def test_a_refused_function_says_why(name: str) -> None:
    library, dot, rest = name.partition(".")
    if rest.startswith(("ndarray.", "Tensor.")):
        method, start = rest.partition(".")[2], "from torch import Tensor\n" if library == "torch" else ""
        assert refused(f"{start}x.{method}()").message == f"`{method}` {REFUSED[name].reason}"
        return
    texts = [f"{MODULES[library]}.{rest}(x)"] if dot else [f"{one}.{name}(x)" for one in MODULES.values()]
    for text in texts:
        error = refused(text)
        called = text.removesuffix("(x)")
        assert error.message == f"`{called}` {REFUSED[name].reason}"
        assert bool(error.helps) == bool(REFUSED[name].help)
    if not dot:
        assert refused(f"x.{name}()").message == f"`{name}` {REFUSED[name].reason}"


@pytest.mark.parametrize("name", LEAVE_OUT)
def test_a_method_without_meaning_says_that_it_may_go(name: str) -> None:
    assert LEAVE_OUT[name] in refused(f"x.{name}()").helps


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_is_refused_as_a_whole(room: str) -> None:
    assert refused(f"np.{room}.anything(x)").message == f"`np.{room}.anything` {ROOMS[room].reason}"


def test_what_is_refused_is_not_in_the_catalogue() -> None:
    known = {name.rpartition(".")[2] for name, entry in SPELLINGS.items() if entry.shown}
    assert sorted(known & REFUSED.keys()) == []
    assert sorted(name for name in REFUSED if "." in name and SPELLINGS.get(name)) == []
    assert sorted(known & LEAVE_OUT.keys()) == []


@pytest.mark.parametrize(
    ("text", "message", "helps"),
    [
        ("np.fft.fft(x)", "`np.fft.fft` gives complex numbers, which are not read here", []),
        (
            "sum(x + torch.randn(2, 3))",
            "`torch.randn` draws random numbers",
            ['random numbers come from an input: `--x "randn(2, 3)"`'],
        ),
        (
            "torch.bernoulli(x)",
            "`torch.bernoulli` draws random numbers",
            ['random numbers come from an input: `--x "randn(3)"`'],
        ),
        (
            "np.unique(x)",
            "`np.unique` has a shape that depends on the values",
            ["boolean indexing works: `x[mask]`"],
        ),
        ("x.add_(1)", "`add_` changes its argument in place", ["write `x = x + 1`"]),
        ("x.clamp_(0, 1)", "`clamp_` changes its argument in place", ["write `x = x.clamp(0, 1)`"]),
        ("(x + 1).clamp_(0)", "`clamp_` changes its argument in place", ["write `(x + 1).clamp(0)`"]),
        ("F.relu_(x)", "`F.relu_` changes its argument in place", ["write `x = F.relu(x)`"]),
        (
            "np.save('x.npy', x)",
            "`np.save` reads or writes files",
            ["files are read as inputs: `--x x.npy`; `-o FILE` writes a result"],
        ),
    ],
)
def test_what_a_refusal_looks_like(text: str, message: str, helps: list[str]) -> None:
    error = refused(text)
    assert (error.message, error.helps) == (message, helps)


def test_a_name_is_refused_only_in_the_library_that_means_it() -> None:
    assert refusal_of(["torch", "cond"]) is not None
    assert refusal_of(["np", "linalg", "cond"]) is None
    assert refusal_of(["np", "put"]) is not None
    assert refusal_of(["torch", "put"]) is None
    assert refusal_of(["sort"], "numpy") is not None
    assert refusal_of(["sort"], "torch") is None


def test_an_unknown_name_is_not_refused() -> None:
    assert refused("np.sun(x)").message == "unknown function `np.sun`"
    assert refused("x.summ()").helps == ["did you mean `sum`?", "`gradcalc ops` lists every function"]
