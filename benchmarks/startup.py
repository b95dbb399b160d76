"""How long a whole command takes, against importing what it needs: `python benchmarks/startup.py`.

Runs the commands of the installed gradcalc and plain imports by turns, in fresh processes, and prints the
medians and their ratios. Machines are noisy: only ratios of one run mean something. Install gradcalc with
`pip install .` first: an editable install runs uncompiled or without its own byte code.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import sysconfig
import time

ROUNDS = 21
SCRIPT = shutil.which("gradcalc", path=sysconfig.get_path("scripts")) or "gradcalc"
POLYNOMIAL = ["grad", "sum(x**2+2*x+1)", "--x", "[[1,2],[3,4]]"]
COMMANDS = {
    "import numpy, click": [sys.executable, "-c", "import numpy, click"],
    "gradcalc eval 1+1": [SCRIPT, "eval", "1+1"],
    "gradcalc grad --no-symbolic": [SCRIPT, *POLYNOMIAL, "--no-symbolic"],
    "import numpy, sympy, click, rich.console": [sys.executable, "-c", "import numpy, sympy, click, rich.console"],
    "gradcalc grad": [SCRIPT, *POLYNOMIAL],
}
RATIOS = [
    ("gradcalc eval 1+1", "import numpy, click", 1.3),
    ("gradcalc grad", "import numpy, sympy, click, rich.console", 1.3),
]


def seconds(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def main() -> None:
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(ROUNDS):
        for name, command in COMMANDS.items():
            times[name].append(seconds(command))
    medians = {name: statistics.median(found[1:]) for name, found in times.items()}  # the first round warms the disk
    for name, median in medians.items():
        print(f"{name:42}  {1000 * median:5.0f} ms")
    for name, reference, most in RATIOS:
        print(f"{name} / {reference}: {medians[name] / medians[reference]:.2f} (at most {most})")


if __name__ == "__main__":
    main()
