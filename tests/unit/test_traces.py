"""The hot paths stay short: how many functions of Holdfast a call goes through, and how often the file changes.

These are upper bounds, a little above what Python 3.11 counts. From 3.12 on comprehensions are not calls.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.traces import TRACES, Trace

BOUNDS = {
    "warm save": (96, 56),
    "cold latest": (112, 51),
    "HoldfastSaver.put": (185, 91),
}
"""Calls and file switches."""


@pytest.mark.parametrize("name", BOUNDS)
def test_a_hot_path_goes_through_few_functions_and_files(name: str, tmp_path: Path) -> None:
    calls, _, _, switches, _ = Trace(name, TRACES[name](tmp_path)).figures
    most_calls, most_switches = BOUNDS[name]
    assert calls <= most_calls
    assert switches <= most_switches
