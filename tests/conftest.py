"""Settings that all tests share."""

import os
from typing import Any

import pytest
from hypothesis import settings

# The same examples in every run, so that a change is judged by its own merits; set HYPOTHESIS_PROFILE=search
# to look for new ones.
settings.register_profile("same", derandomize=True)
settings.register_profile("search", derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """The tables of `pytest -m peers -s`, from what its tests report, in whatever process they ran."""
    reports = [one for found in terminalreporter.stats.values() for one in found if isinstance(one, pytest.TestReport)]
    facts: list[tuple[str, Any]] = [pair for one in reports if one.when == "call" for pair in one.user_properties]
    rows = [row for key, found in facts if key == "peers" for row in found]
    if not rows:
        return
    from peers import table

    if config.option.capture == "no":
        for key, found in facts:
            if key == "peers names":
                terminalreporter.write_line(table.of_names(*found))
    terminalreporter.write_line(table.of_functions(rows, whole=config.option.capture == "no"))
