"""The catalogue's index: a name is found in its module without loading the others. `--update` writes it anew."""

from __future__ import annotations

import subprocess
import sys

from gradcalc.graph import HOMES, SPELLINGS
from gradcalc.ops import INDEX


def written() -> str:
    """The index as it should be."""
    SPELLINGS.load(None)
    modules: dict[str, list[str]] = {}
    for name, entry in SPELLINGS.items():
        package, _, module = HOMES[entry].rpartition(".")
        if package == "gradcalc.ops":
            modules.setdefault(module, []).append(name)
    return "".join(f"{module}: {' '.join(names)}\n" for module, names in sorted(modules.items()))


def test_it_is_up_to_date() -> None:
    assert INDEX.read_text(encoding="utf-8") == written(), "run `python tests/test_index.py --update`"


def test_little_is_loaded_for_little() -> None:
    code = "import sys, gradcalc; gradcalc.grad('sum(x**2)', {'x': [1, 2]}); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "gradcalc.ops.reduce" in loaded
    assert "gradcalc.ops.attention" not in loaded


if __name__ == "__main__" and sys.argv[1:] == ["--update"]:
    INDEX.write_text(written(), encoding="utf-8")
