"""The tables at the end of `pytest -m peers -s`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

STATUSES = ("agree", "disagree", "refused", "dropped")

Row = Sequence[str]
"""A case's function, library and status."""


def of_functions(rows: Sequence[Row], *, whole: bool = True) -> str:
    """Functions by library with the number of cases, and what came of them; or only the sums."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for function, library, status in rows:
        for key in ((function, library), ("all", library)):
            counts.setdefault(key, Counter())[status] += 1
    lines = [("function", "library", "cases", *STATUSES)]
    for (function, library), count in sorted(counts.items(), key=lambda one: (one[0][0] == "all", one[0])):
        compared = sum(count.values()) - count["dropped"]
        if whole or function == "all":
            lines.append((function, library, str(compared), *(str(count[one] or "") for one in STATUSES)))
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join(
        "  ".join(word.ljust(width) if i < 2 else word.rjust(width) for i, (word, width) in enumerate(pairs)).rstrip()
        for pairs in (list(zip(line, widths, strict=True)) for line in lines)
    )


def of_names(namespace: str, standings: Mapping[str, str]) -> str:
    """The functions of a namespace by what gradcalc says about them."""
    groups: dict[str, list[str]] = {}
    for name, standing in standings.items():
        groups.setdefault(standing, []).append(name)
    lines = [f"{namespace}: {len(standings)} functions"]
    for standing, names in sorted(groups.items(), key=lambda group: -len(group[1])):
        lines.append(f"  {standing} ({len(names)}): {' '.join(names)}")
    return "\n".join(lines)
