"""What `holdfast verify` and `holdfast repair` print: the faults they found, and what a repair loses."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from holdfast.cli.ui.humanize import counted
from holdfast.cli.ui.output import first_lines

if TYPE_CHECKING:
    from holdfast import Lost, RepairReport, VerifyReport

LISTED = 50


def as_json(report: VerifyReport | RepairReport) -> str:
    return json.dumps(asdict(report), indent=2, default=_plain)


def _plain(value: object) -> str:
    return value.hex() if isinstance(value, bytes) else str(value)


def verified(report: VerifyReport) -> str:
    checked = (
        f"checked {counted(report.threads, 'thread')}, {counted(report.checkpoints, 'checkpoint')}, "
        f"{counted(report.values, 'value')} in {counted(report.rows, 'row')}"
    )
    if report.too_large:
        checked += f"\n{counted(report.too_large, 'value')} larger than max_value not read"
    if report.ok:
        return f"{checked}\nno faults"
    return "\n".join([checked, counted(len(report.faults), "fault"), *first_lines(map(str, report.faults), LISTED)])


def repaired(report: RepairReport) -> str:
    will = "to be set aside" if report.dry_run else "set aside"
    lines = [f"{counted(report.quarantined, 'row')} {will}", *first_lines(report.mended, LISTED)]
    if report.lost:
        lines += ["lost", *first_lines(map(_lost, report.lost), LISTED)]
    if report.unrepaired:
        lines += ["not repaired", *first_lines(map(str, report.unrepaired), LISTED)]
    return "\n".join(lines)


def _lost(lost: Lost) -> str:
    where = [f"thread {lost.thread_id!r}"] if lost.thread_id is not None else []
    where += [f"namespace {lost.namespace!r}"] if lost.namespace else []
    where += [f"checkpoint {lost.checkpoint_id!r}"] if lost.checkpoint_id is not None else []
    return ", ".join([*where, lost.what])
