"""What the commands that copy threads show: progress while they run, and a report when they are done."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

from holdfast.cli.ui.humanize import counted, plural, size
from holdfast.cli.ui.output import first_lines
from holdfast.cli.ui.progress import progress

if TYPE_CHECKING:
    from holdfast import TransferProgress, TransferReport
    from holdfast.adapters.langgraph.importer import ImportProgress, ImportReport

RESUMABLE: Final = "what was copied so far is safe, and the same command resumes from here"
LISTED = 20


# ------------------------------------------------------------------------------------------------ between stores


@contextmanager
def transfer_progress(action: str, *, quiet: bool) -> Iterator[Callable[[TransferProgress], None] | None]:
    with progress(action, quiet=quiet, lines=True) as update:
        if update is None:
            yield None
            return
        yield lambda now: update(now.threads_done, now.threads_total, _threads(now))


def _threads(now: TransferProgress) -> str:
    return f"{plural(now.threads_total, 'thread')}, {counted(now.checkpoints, 'checkpoint')}"


def report_transfer(done: TransferReport, verb: str, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(asdict(done), indent=2))
        return
    parts = ((done.checkpoints, "checkpoint"), (done.writes, "write"), (done.entries, "journal entry"))
    copied = ", ".join(counted(number, noun) for number, noun in parts)
    unchanged = f", {done.unchanged:,} of them unchanged" if done.unchanged else ""
    print(f"{verb} {copied}; {size(done.size)} of state")
    print(f"checked {counted(done.threads, 'thread')}{unchanged}")


# ------------------------------------------------------------------------------------------------ from LangGraph


@contextmanager
def import_progress(*, quiet: bool) -> Iterator[Callable[[ImportProgress], None] | None]:
    with progress("importing", quiet=quiet, lines=True) as update:
        if update is None:
            yield None
            return
        yield lambda now: update(now.done, now.total, _checkpoints(now))


def _checkpoints(now: ImportProgress) -> str:
    problems = f", {counted(now.problems, 'problem')}" if now.problems else ""
    return f"checkpoints, thread {now.threads_done + 1:,} of {now.threads_total:,}{problems}"


def report_import(report: ImportReport, *, as_json: bool) -> None:
    print(json.dumps(asdict(report), indent=2) if as_json else "\n".join(_import_summary(report)))


def _import_summary(report: ImportReport) -> Iterator[str]:
    copied = f"{counted(report.checkpoints, 'checkpoint')} and {counted(report.writes, 'write')}"
    yield f"copied   {copied}, of {counted(report.threads, 'thread')}; each was read back and is equal"
    if report.skipped:
        yield f"skipped  {counted(report.skipped, 'checkpoint')} that the target already had, all equal"
    if report.problems:
        yield f"problems {len(report.problems):,}; these checkpoints are not in the target as in the source"
        yield from first_lines(map(str, report.problems), LISTED)
