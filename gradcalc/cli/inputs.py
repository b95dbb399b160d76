"""Options that are not known beforehand: every name in an expression is one."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import click

from ..errors import GradcalcError, Label, Source, Span, nearest

ASSIGNED = "gradcalc.assigned"
"""Where a context keeps the inputs given: pairs of name and text, in their order."""


TYPED = "gradcalc.typed"
"""Where a context keeps the words that were typed after the command."""


class ExpressionCommand(click.Command):
    """A command that takes `--NAME VALUE` for any name besides its own options.

    Words are sorted here, before click sees them, so that values may begin with a dash (`--x -3`) and
    so may expressions (`"-x**2"`).
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Set the inputs aside and leave the command's own options and expressions to click."""
        own = {
            name: option for option in self.get_params(ctx) if isinstance(option, click.Option) for name in option.opts
        }
        options: list[str] = []
        expressions: list[str] = []
        assigned: list[tuple[str, str]] = []
        args = list(args)
        words = iter(args)
        for word in words:
            name, equals, value = word.partition("=")
            if word == "--":
                expressions += words
            elif name in own:
                if equals and own[name].is_flag:
                    raise GradcalcError("usage", f"`{name}` takes no value", helps=[f"write `{name}` alone"])
                options.append(word)
                if not equals and not own[name].is_flag:
                    options += _value(words, name, _EXAMPLES.get(str(own[name].metavar), _first_choice(own[name])))
            elif name[:2] == "--" and name[2:].isidentifier():
                assigned.append((name[2:], value if equals else _value(words, name, "3")[0]))
            elif name[:2] == "--" and name[2:].replace("-", "_").isidentifier():
                raise click.NoSuchOption(name, possibilities=_close(name, own), ctx=ctx)
            else:
                expressions.append(word)
        ctx.meta[ASSIGNED] = assigned
        ctx.meta[TYPED] = args
        return super().parse_args(ctx, [*options, "--", *expressions])

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Show the inputs in the usage line."""
        return [*super().collect_usage_pieces(ctx), "--NAME VALUE ..."]


_EXAMPLES = {"FILE": "FILE", "NAMES": "x", "VALUE": '"[1, 2]"', "NAME=VALUE": "x=3", "SECONDS": "10", "N": "8"}


def _first_choice(option: click.Option) -> str:
    return str(option.type.choices[0]) if isinstance(option.type, click.Choice) else "3"


def _value(words: Iterator[str], name: str, example: str) -> list[str]:
    for word in words:
        return [word]
    raise GradcalcError("usage", f"`{name}` needs a value", helps=[f"write it after the name: `{name} {example}`"])


def _close(name: str, own: Any) -> list[str]:
    from difflib import get_close_matches

    return get_close_matches(name, own)


def assigned_texts(ctx: click.Context, pairs: Sequence[str]) -> dict[str, Source]:
    """The inputs by name, from `--NAME VALUE` and `--set NAME=VALUE`; each may be given once."""
    found: dict[str, Source] = {}
    given = [(name, Source(f"--{name}", text)) for name, text in ctx.meta[ASSIGNED]]
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name.strip().isidentifier():
            example = name.strip() if name.strip().isidentifier() else "seed"
            helps = [f"write it as `--set {example}=3`"]
            raise GradcalcError("usage", f"`--set {pair}` is not NAME=VALUE", helps=helps)
        given.append((name.strip(), Source(f"--set {name.strip()}", value)))
    for name, source in given:
        if name in found:
            raise GradcalcError(
                "input-twice", f"`{name}` is given twice", labels=[Label(Span(source, 0, len(source.text)))]
            )
        found[name] = source
    return found


_SYNONYMS = dict.fromkeys(("gradient", "grad_output", "grad_outputs", "cotangent", "cotangents"), "--seed") | {
    "v": "--vector",
    "tangents": "--tangent",
    "vectors": "--vector",
    "by": "--wrt",
    "vars": "--wrt",
}
"""What other libraries call the options."""


def with_command_line(error: GradcalcError, ctx: click.Context) -> GradcalcError:
    """An error with what only the command line knows: its own options, and the words that were typed."""
    own = {name for one in ctx.command.params for name in one.opts if name.startswith("--")}
    if error.kind == "missing-input" and f"--{error.origin}" in own:
        error.helps = [f"`--{error.origin}` is an option of this command; give the input with `--set {error.origin}=3`"]
    if error.kind == "unused-input":
        meant = _SYNONYMS.get(str(error.origin), "")
        close = meant if meant in own else nearest(f"--{error.origin}", own, 0.75)
        error.helps[:0] = [f"did you mean the option `{close}`?"] if close else []
    if error.kind == "needs-seed" and "jacobian" in error.helps[-1]:
        line = " ".join(["gradcalc jacobian", *map(quoted, ctx.meta[TYPED])])
        error.helps[-1] = f"ask for every derivative: `{line}`" if len(line) < 90 else error.helps[-1]
    return error


def quoted(word: str) -> str:
    """A word as it is typed in a shell; double quotes serve on Windows too."""
    if word.replace("-", "").replace("_", "").isalnum():
        return word
    import shlex

    return shlex.quote(word) if set('"$`\\!') & set(word) else f'"{word}"'


def expressions_from(texts: Sequence[str], file: str | None, dialect: str | None = None) -> list[Source]:
    """The expressions typed, and the one in a file (`-` is standard input), or a function of it."""
    names = ["expression"] if len(texts) == 1 else [f"expression {i}" for i, _ in enumerate(texts, 1)]
    sources = [Source(name, text, None, dialect) for name, text in zip(names, texts, strict=True)]
    for text in texts[1:]:
        if re.fullmatch(r"[^\W\d]\w*=[^=].*", text, re.DOTALL):
            name, _, value = text.partition("=")
            helps = [f"write it as an option: `--{name} {quoted(value)}`"]
            raise GradcalcError("usage", f"`{text}` is no expression, but an input", helps=helps)
    for text in texts:
        if re.fullmatch(r"[\w./\\-]+\.py(:\w+)?", text):
            raise GradcalcError("usage", f"`{text}` is a file, not an expression", helps=[f"read it with `-f {text}`"])
    if file is not None:
        path, entry = _path_and_function(file)
        sources.append(Source("standard input" if path == "-" else path, _contents(path), entry, dialect))
    if not sources:
        raise GradcalcError(
            "usage",
            "there is no expression",
            helps=['write one: `gradcalc grad "x**2" --x 3`', "or name a file: `-f model.py`, `-f model.py:loss`"],
        )
    return sources


def _path_and_function(file: str) -> tuple[str, str | None]:
    """`model.py:loss` taken apart."""
    found = re.fullmatch(r"(.+):([^\W\d]\w*)", file)
    return (found[1], found[2]) if found and not os.path.exists(file) else (file, None)


def _contents(file: str) -> str:
    if file == "-":
        return sys.stdin.read()
    try:
        with open(file, encoding="utf-8-sig") as opened:
            return opened.read()
    except FileNotFoundError:
        raise GradcalcError("missing-file", f"there is no file `{file}`", helps=_similar_files(file)) from None
    except UnicodeDecodeError:
        raise GradcalcError("unreadable-file", f"`{file}` is not UTF-8 text") from None
    except (OSError, ValueError) as error:  # a directory, no permission, a NUL in the name
        why = getattr(error, "strerror", None) or str(error)
        raise GradcalcError("unreadable-file", f"cannot read `{file}`: {why.lower()}") from None


def _similar_files(file: str) -> list[str]:
    folder, name = os.path.split(file)
    try:
        found = nearest(name, os.listdir(folder or "."))
    except OSError:
        return []
    return [f"did you mean `{os.path.join(folder, found)}`?"] if found else []
