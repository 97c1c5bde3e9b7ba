"""What `holdfast verify` and `holdfast repair` show: a bar on standard error while they look, and what they found."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from holdfast import Lost, RepairReport, VerifyReport

LISTED = 50


@contextmanager
def progress(*, quiet: bool) -> Iterator[Callable[[int, int], None] | None]:
    """A bar on a terminal, nothing elsewhere."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("trees of threads"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def as_json(report: VerifyReport | RepairReport) -> str:
    return json.dumps(asdict(report), indent=2, default=_plain)


def _plain(value: object) -> str:
    return value.hex() if isinstance(value, bytes) else str(value)


def verified(report: VerifyReport) -> str:
    looked = (
        f"looked at {_count(report.threads, 'thread')}, {_count(report.checkpoints, 'checkpoint')}, "
        f"{_count(report.values, 'value')} in {_count(report.rows, 'row')}"
    )
    if report.ok:
        return f"{looked}\nno faults"
    return "\n".join([looked, _count(len(report.faults), "fault"), *_listed([str(one) for one in report.faults])])


def repaired(report: RepairReport) -> str:
    will = "to be set aside" if report.dry_run else "set aside"
    lines = [f"{_count(report.quarantined, 'row')} {will}", *_listed(list(report.mended))]
    if report.lost:
        lines += ["lost", *_listed([_lost(one) for one in report.lost])]
    if report.unrepaired:
        lines += ["not repaired", *_listed([str(one) for one in report.unrepaired])]
    return "\n".join(lines)


def _lost(one: Lost) -> str:

    where = [f"thread {one.thread_id!r}"] if one.thread_id is not None else []
    where += [f"namespace {one.namespace!r}"] if one.namespace else []
    where += [f"checkpoint {one.checkpoint_id!r}"] if one.checkpoint_id is not None else []
    return ", ".join([*where, one.what])


def _listed(lines: list[str]) -> list[str]:
    more = len(lines) - LISTED
    return [f"  {line}" for line in lines[:LISTED]] + ([f"  … and {more:,} more; --json lists all"] if more > 0 else [])


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
