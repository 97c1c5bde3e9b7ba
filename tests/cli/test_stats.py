"""`holdfast stats`: sums, the largest threads, and days."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date

import holdfast
from holdfast import DayStats, StoreStats
from holdfast.cli.ui import render_stats
from tests.cli.conftest import Shown


def test_what_is_shown(holdfast_command: Callable[..., Shown], store: holdfast.Store) -> None:
    for n in range(3):
        store.thread("small").save({"n": n})
        store.thread("large\n").save({"text": "x" * 1000 + str(n)})
    shown = holdfast_command("stats")
    assert (shown.code, shown.err) == (0, "")
    assert shown.lines[0] == "2 threads, 6 checkpoints"
    assert re.fullmatch(r"3\.0 kB of states in .* stored, \d+\.\d to 1", shown.lines[1])
    assert shown.lines[3].split() == ["largest", "threads", "checkpoints", "states", "stored"]
    assert re.fullmatch(r"large\\n +3  3\.0 kB +.*", shown.lines[4])
    assert shown.lines[5].split()[:4] == ["small", "3", "3", "B"]
    assert shown.lines[7].split() == ["saved", "on", "checkpoints", "states"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d +\d  .* ▇+", shown.lines[8])


def test_an_empty_store(holdfast_command: Callable[..., Shown], store: holdfast.Store) -> None:
    shown = holdfast_command("stats")
    assert shown.lines[0] == "0 threads, 0 checkpoints"
    assert len(shown.lines) == 2


def test_as_json(holdfast_command: Callable[..., Shown], store: holdfast.Store) -> None:
    store.thread("t").save({"n": 1})
    found = store.stats()
    (said,) = holdfast_command("stats", "--json").json
    assert (said["threads"], said["checkpoints"], said["logical_bytes"]) == (1, 1, found.logical_bytes)
    assert said["largest"][0]["id"] == "t"
    assert said["days"] == [{"day": found.days[0].day.isoformat(), "checkpoints": 1, "bytes": found.logical_bytes}]


def test_only_the_last_days_are_shown() -> None:
    days = tuple(DayStats(day=date(2026, 1, number), checkpoints=1, bytes=number) for number in range(1, 21))
    found = StoreStats(threads=1, checkpoints=20, logical_bytes=210, stored_bytes=100, largest=(), days=days)
    lines = [line.plain for line in render_stats.lines(found)]
    assert [line[:10] for line in lines[4:-1]] == [f"2026-01-{number:02}" for number in range(7, 21)]
    assert lines[-1] == "… and 6 earlier days; --json lists all"
    assert (lines[-2].count("▇"), lines[4].count("▇")) == (30, 10)  # for 20 bytes and for 7
