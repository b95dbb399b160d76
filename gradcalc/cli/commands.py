"""The commands, as click sees them. All share the same inputs, formats and exit codes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..errors import GradcalcError, Source
from .inputs import ExpressionCommand, assigned_texts, expressions_from, with_command_line
from .status import Status

if TYPE_CHECKING:
    from ..language.syntax import Program
    from ..results import Answer

Function = TypeVar("Function", bound=Callable[..., Any])


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(None, "--version", package_name="gradcalc", message="gradcalc %(version)s")
def gradcalc() -> None:
    """Gradients, Jacobians and Hessians of NumPy-like expressions, checked against SymPy.

    \b
        gradcalc grad "sum(x**2 + 2*x + 1)" --x "[[1,2],[3,4]]"

    Every name in an expression is an option. VALUE is a literal, a file (.npy, .npz:key, .csv, .json), `-` for
    standard input, or a constant expression such as "linspace(0, 1, 5)". `gradcalc COMMAND --help` tells more.
    """


def _shared(function: Function) -> Function:
    """The options that every command with an expression has."""
    for decorate in reversed(
        [
            click.argument("expressions", metavar="EXPR", nargs=-1),
            click.option(
                "-f",
                "--file",
                metavar="FILE[:FUNCTION]",
                help="Read a program, or one function of it, from a file; - is standard input.",
            ),
            click.option(
                "--dialect",
                type=click.Choice(["numpy", "torch", "jax"]),
                help="Whose names they are, where the text does not say.",
            ),
            click.option(
                "--set", "pairs", metavar="NAME=VALUE", multiple=True, help="Give an input whose name is an option."
            ),
            click.option(
                "--rng",
                metavar="N",
                type=click.IntRange(min=0),
                default=0,
                show_default=True,
                help="Seed of randn and the like in inputs.",
            ),
            click.option(
                "--format",
                "form",
                type=click.Choice(["text", "json", "plain", "csv", "python", "latex"]),
                default="text",
                show_default=True,
                help="How the answer is printed.",
            ),
            click.option(
                "-o", "--output", metavar="FILE", help="Also write the result: .npy .npz .json .csv .tex by extension."
            ),
            click.option(
                "--precision", metavar="N", type=click.IntRange(1, 17), help="Significant digits.  [default: 6 in text]"
            ),
        ]
    ):
        function = decorate(function)
    return function


def _number(ctx: click.Context, option: click.Parameter, value: float) -> float:
    if value != value:
        raise click.BadParameter("nan is not a number of seconds", ctx, option)
    return value


def _checked(function: Function) -> Function:
    """The options of commands that SymPy checks."""
    for decorate in reversed(
        [
            click.option(
                "--wrt",
                metavar="NAMES",
                multiple=True,
                help='What to differentiate by: x,w or "x[0]".  [default: every input]',
            ),
            click.option(
                "--symbolic-budget",
                "budget",
                metavar="SECONDS",
                type=click.FloatRange(0, 86_400),
                callback=_number,
                default=5.0,
                show_default=True,
                help="Time that SymPy may take.",
            ),
            click.option("--no-symbolic", is_flag=True, help="Do not check with SymPy."),
            click.option("--require-check", is_flag=True, help="Exit with 1 if the check could not run."),
        ]
    ):
        function = decorate(function)
    return function


_seeds = click.option(
    "--seed",
    "seeds",
    metavar="VALUE",
    multiple=True,
    help="Weights of a non-scalar output; `ones`; once for each expression.",
)
_shape_options = (
    click.option("--tensor", is_flag=True, help="Show the array of shape out + in instead of a table."),
    click.option(
        "--layout",
        type=click.Choice(["numerator", "denominator"]),
        default="numerator",
        show_default=True,
        help="Rows of the table are outputs, or inputs.",
    ),
)


def _tables(function: Function) -> Function:
    for decorate in reversed(_shape_options):
        function = decorate(function)
    return function


@gradcalc.command("grad", cls=ExpressionCommand, short_help="Value and gradient; several expressions accumulate.")
@_shared
@_checked
@_seeds
@click.pass_context
def grad(ctx: click.Context, /, **options: Any) -> int:
    """Value and gradient. Several expressions accumulate.

    \b
        gradcalc grad "sum(x**2)" --x "[1,2,3]"
        gradcalc grad "x**2" --x "[1,2,3]" --seed "[1,0,0]"
        gradcalc grad "x**2" "sum(x)" --x "[1,2]" --seed ones
    """
    return _answered(ctx, options)


@gradcalc.command("vjp", cls=ExpressionCommand, short_help="Seed times Jacobian.")
@_shared
@_checked
@_seeds
@click.pass_context
def vjp(ctx: click.Context, /, **options: Any) -> int:
    """Seed times Jacobian: the gradient of an output weighed by --seed.

    \b
        gradcalc vjp "A @ x" --A "[[1,2],[3,4]]" --x "[5,6]" --seed "[1,0]" --wrt x
    """
    return _answered(ctx, options)


@gradcalc.command("jacobian", cls=ExpressionCommand, short_help="Every partial derivative.")
@_shared
@_checked
@_tables
@click.pass_context
def jacobian(ctx: click.Context, /, **options: Any) -> int:
    """Every partial derivative, rows by outputs and columns by inputs.

    \b
        gradcalc jacobian "[x[0]*x[1], x[0]**2]" --x "[2,3]"
    """
    return _answered(ctx, options)


@gradcalc.command("hessian", cls=ExpressionCommand, short_help="Every second derivative of a scalar.")
@_shared
@_checked
@_seeds
@_tables
@click.pass_context
def hessian(ctx: click.Context, /, **options: Any) -> int:
    """Every second derivative of a scalar (or of a seeded output).

    \b
        gradcalc hessian "x @ A @ x" --x "[1,2]" --A "[[1,2],[3,4]]" --wrt x
    """
    return _answered(ctx, options)


@gradcalc.command("jvp", cls=ExpressionCommand, short_help="Jacobian times tangent.")
@_shared
@_checked
@click.option(
    "--tangent",
    "directions",
    metavar="VALUE",
    multiple=True,
    required=True,
    help="The direction: VALUE, or NAME=VALUE for each input.",
)
@click.pass_context
def jvp(ctx: click.Context, /, **options: Any) -> int:
    """Jacobian times tangent: the derivative along a direction.

    \b
        gradcalc jvp "x**2" --x "[1,2,3]" --tangent "[1,0,0]"
    """
    return _answered(ctx, options)


@gradcalc.command("hvp", cls=ExpressionCommand, short_help="Hessian times vector.")
@_shared
@_checked
@_seeds
@click.option(
    "--vector",
    "directions",
    metavar="VALUE",
    multiple=True,
    required=True,
    help="The vector: VALUE, or NAME=VALUE for each input.",
)
@click.pass_context
def hvp(ctx: click.Context, /, **options: Any) -> int:
    """Hessian times vector, without the Hessian.

    \b
        gradcalc hvp "sum(x**3)" --x "[1,2,3]" --vector "[1,0,0]"
    """
    return _answered(ctx, options)


@gradcalc.command("eval", cls=ExpressionCommand, short_help="The value alone.")
@_shared
@click.pass_context
def evaluate(ctx: click.Context, /, **options: Any) -> int:
    """The value alone.

    \b
        gradcalc eval "sum(x)/3" --x "[1,2,3]"
    """
    return _answered(ctx, options)


@gradcalc.command("ops", short_help="The functions, their rules and kinks.")
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "markdown"]),
    default="text",
    show_default=True,
    help="How the catalogue is printed.",
)
def ops(names: Sequence[str], form: str) -> int:
    """The functions that expressions may use, with their rules and kinks.

    \b
        gradcalc ops
        gradcalc ops tanh
        gradcalc ops std torch.max --format markdown
    """
    from ..render import catalogue

    write = {"text": catalogue.as_text, "json": catalogue.as_json, "markdown": catalogue.as_markdown}[form]
    click.echo(write(names))
    return Status.OK


def _answered(ctx: click.Context, options: dict[str, Any]) -> int:
    """Read the expressions and inputs, compute, show, and say how it went."""
    from ..problem import generator, read_programs, read_text
    from .show import show, writer_for

    writer = writer_for(options["output"])
    texts = assigned_texts(ctx, options["pairs"])
    sources = expressions_from(options["expressions"], options["file"], options["dialect"])
    try:
        others = [Source("", text) for option in ("seeds", "directions") for text in options.get(option, ())]
        programs = read_programs(sources, texts, others)
        random = generator(options["rng"])
        arrays = {name: read_text(source, {}, random) for name, source in texts.items()}
        made = _computed(ctx, programs, arrays, options)
    except GradcalcError as error:
        raise with_command_line(error, ctx) from None
    return show(made, options, writer)


def _computed(ctx: click.Context, programs: list[Program], arrays: dict[str, Any], options: dict[str, Any]) -> Answer:
    command = ctx.command.name or ""
    if command == "eval":  # needs neither derivatives nor SymPy, so it does not load them
        from ..results import evaluated

        return evaluated(programs, arrays)
    from ..answers import answer

    return answer(
        command,
        programs,
        arrays,
        wrt=", ".join(options["wrt"]) or None,
        seeds=[Source("--seed", text) for text in options.get("seeds", ())],
        direction=_direction(command, options.get("directions", ())),
        solver=None if options["no_symbolic"] else ctx.obj,
        budget=options["budget"],
    )


def _direction(command: str, given: Sequence[str]) -> Any:
    """A tangent or vector: one text, or texts by name."""
    option = "--tangent" if command == "jvp" else "--vector"
    pairs = [text.partition("=") for text in given]
    if all(equals and value[:1] != "=" and name.strip().isidentifier() for name, equals, value in pairs):
        names = [name.strip() for name, _, _ in pairs]
        if len(set(names)) < len(names):
            raise GradcalcError("usage", f"`{option}` names an input twice")
        sources = [Source(f"{option} {name}", value) for name, (_, _, value) in zip(names, pairs, strict=True)]
        return dict(zip(names, sources, strict=True))
    if len(given) > 1:
        raise GradcalcError(
            "usage",
            f"`{option}` is given {len(given)} times, so each must be named",
            helps=[f'name them: `{option} "x=[1,0]"`'],
        )
    return Source(option, given[0])
