"""The catalogue's rooms. Importing this package loads the operators; the rest is loaded when it is asked for.

`index.txt` says which module has which names; `python tests/test_index.py --update` writes it anew.
"""

from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from ..graph import CATALOGUE, SPELLINGS
from . import arithmetic as arithmetic
from . import elementwise as elementwise
from . import linalg as linalg

INDEX = Path(__file__).with_name("index.txt")


def load(module: str | None) -> None:
    """Load a module of the catalogue, or (None) all of them."""
    for name in [one.name for one in iter_modules(__path__)] if module is None else [module]:
        import_module(f"{__name__}.{name}")


def _homes() -> dict[str, str]:
    """The module of each name."""
    lines = [line.partition(": ") for line in INDEX.read_text(encoding="utf-8").splitlines()]
    return {name: module for module, _, names in lines for name in names.split()}


CATALOGUE.homes = SPELLINGS.homes = _homes()
CATALOGUE.load = SPELLINGS.load = load
