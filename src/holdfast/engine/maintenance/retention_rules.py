"""Which checkpoints of a namespace a retention keeps, and by which of its rules.

A rule decides about one checkpoint at a time. A rule that has to know others, such as the last of an hour, uses the
checkpoints that were read: if fewer were read it keeps more, never less.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from holdfast.backends.rows import CheckpointRow
from holdfast.engine.threads.segments import Segment
from holdfast.engine.threads.views import View
from holdfast.errors import InvalidArgument
from holdfast.model import Retention, is_terminal

Rule = tuple[str, Callable[[CheckpointRow], bool]]


@dataclass
class Evidence:
    """What the rules need to know about one namespace."""

    view: View
    rows: list[CheckpointRow]  # newest first
    last: list[int]  # numbers of the last checkpoints of the head's lineage
    lineage: list[Segment]  # of the head
    parents: set[int]  # numbers of checkpoints that have a child
    unfinished: list[int]  # journal entries of effects that are not finished
    resumed: set[int]  # the last save of the head's run: a worker that resumes it reads the journal from there


ALWAYS: Final = ("label", "interrupted", "effect")
"""The rules that keep a checkpoint even if the call that its namespace belongs to is removed."""


def check(retention: object) -> Retention:
    if not isinstance(retention, Retention):
        raise InvalidArgument(f"a retention must be a holdfast.Retention, not {type(retention).__name__}")
    if is_empty(retention):
        raise InvalidArgument(
            "this Retention has no rule: give keep_last, keep_last_in, max_age, keep_every, keep_terminal, "
            "keep_lineage or covered_before"
        )
    _check_number("keep_last", retention.keep_last)
    _check_number("covered_before", retention.covered_before)
    _check_windows(retention.keep_last_in)
    _check_flag("keep_terminal", retention.keep_terminal)
    _check_flag("keep_lineage", retention.keep_lineage)
    _check_age(retention.max_age)
    _check_intervals(retention.keep_every)
    return retention


def is_empty(retention: Retention) -> bool:
    """Whether it has no rule. Pruning by such a retention would keep the heads alone."""
    limits = (retention.keep_last, retention.covered_before, retention.max_age)
    return all(limit is None for limit in limits) and not (
        retention.keep_last_in or retention.keep_every or retention.keep_terminal or retention.keep_lineage
    )


def _check_number(name: str, value: object) -> None:
    if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 0):
        raise InvalidArgument(f"{name} must be a number of at least 0, not {value!r}")


def _check_windows(windows: object) -> None:
    if windows is None:
        return
    if not isinstance(windows, Mapping):
        raise InvalidArgument(f"keep_last_in must be a dict from namespaces to numbers, not {windows!r}")
    for name, count in windows.items():
        if not isinstance(name, str):
            raise InvalidArgument(f"the keys of keep_last_in must be namespaces, not {name!r}")
        _check_number(f"keep_last_in[{name!r}]", count)


def _check_flag(name: str, value: object) -> None:
    if not isinstance(value, bool):
        raise InvalidArgument(f"{name} must be True or False, not {value!r}")


def _check_age(oldest: object) -> None:
    if oldest is not None and not (isinstance(oldest, timedelta) and oldest >= timedelta(0)):
        raise InvalidArgument(
            f"max_age must be a timedelta that is not negative, as in timedelta(days=30), not {oldest!r}"
        )


def _check_intervals(pairs: object) -> None:
    if not isinstance(pairs, tuple | list):
        raise InvalidArgument(f"keep_every must be a list of (every, for) pairs of timedeltas, not {pairs!r}")
    for pair in pairs:
        if not (isinstance(pair, tuple | list) and len(pair) == 2 and all(map(_is_span, pair))):
            raise InvalidArgument(
                f"keep_every must be a list of (every, for) pairs of timedeltas, as in "
                f"[(timedelta(hours=1), timedelta(days=1))]; {pair!r} is not such a pair"
            )


def _is_span(value: object) -> bool:
    return isinstance(value, timedelta) and value > timedelta(0)


def keep_last(retention: Retention, namespace: str) -> int | None:
    """How many checkpoints of the head's lineage stay; None if the retention does not limit them."""
    windows = retention.keep_last_in or {}
    named = [name for name in _enclosing_names(namespace) if name in windows]
    count = windows[named[0]] if named else retention.keep_last
    return None if count is None else max(count, 1)


def _enclosing_names(namespace: str) -> Iterator[str]:
    """The namespace and those around it, the innermost first, each also without the number of its call."""
    parts = namespace.split("|")
    for end in reversed(range(len(parts))):
        name = "|".join(parts[: end + 1])
        yield name
        yield _of_any_call(name)


def _of_any_call(namespace: str) -> str:
    """``tools`` for ``tools:1``."""
    name, colon, _ = namespace.rpartition(":")
    return name if colon else namespace


def rules(retention: Retention, now: int, namespace: str, evidence: Evidence) -> Iterator[Rule]:
    view, rows = evidence.view, evidence.rows
    yield "head", lambda row: row.seq == view.line.head_seq
    yield "label", lambda row: bool(view.label(row))
    yield "interrupted", lambda row: row.seq not in evidence.parents and waits(view, row)
    before_effects = _before_effects(evidence)
    yield "effect", lambda row: row.seq in before_effects
    yield "resumed", lambda row: row.seq in evidence.resumed
    if keep_last(retention, namespace) is not None:
        last = set(evidence.last)
        yield "keep_last", lambda row: row.seq in last
    if retention.max_age is not None:
        since = now - _microseconds(retention.max_age)
        yield "max_age", lambda row: row.created_at > since
    if retention.keep_every:
        kept = {seq for every, span in retention.keep_every for seq in _thinned(rows, now, every, span)}
        yield "keep_every", lambda row: row.seq in kept
    if retention.covered_before is not None:
        least = retention.covered_before
        yield "covered_before", lambda row: row.journal_seq >= least
    if retention.keep_terminal:
        ends = _ends(view, rows, only_last=retention.covered_before is not None)
        yield "keep_terminal", lambda row: row.seq in ends
    if retention.keep_lineage:
        yield "keep_lineage", _membership(evidence.lineage)


def waits(view: View, row: CheckpointRow) -> bool:
    return view.status(row).lower() == "interrupted"


def _membership(segments: Sequence[Segment]) -> Callable[[CheckpointRow], bool]:
    """Whether a row is in one of the segments of a lineage, which are disjoint, newest first."""
    ends = [-segment.hi for segment in segments]

    def is_member(row: CheckpointRow) -> bool:
        index = bisect_right(ends, -row.seq) - 1
        return index >= 0 and segments[index].line == row.line and segments[index].lo <= row.seq

    return is_member


def _before_effects(evidence: Evidence) -> set[int]:
    """The checkpoints that unfinished effects came after: a worker calls the effects again from there."""
    if not evidence.unfinished:
        return set()
    lineage = list(filter(_membership(evidence.lineage), evidence.rows))
    return {next((row.seq for row in lineage if row.journal_seq < entry), 0) for entry in evidence.unfinished}


def _thinned(rows: Iterable[CheckpointRow], now: int, every: timedelta, span: timedelta) -> Iterator[int]:
    """The last checkpoint of each interval."""
    seen: set[int] = set()
    for row in (row for row in rows if row.created_at > now - _microseconds(span)):
        interval = row.created_at // _microseconds(every)
        if interval not in seen:
            seen.add(interval)
            yield row.seq


def _ends(view: View, rows: Sequence[CheckpointRow], only_last: bool) -> set[int]:
    """The checkpoints at which runs ended; with `only_last`, the one that covers most of the journal."""
    ends = [row for row in rows if is_terminal(view.status(row))]
    if only_last and ends:
        ends = [max(ends, key=lambda row: (row.journal_seq, row.seq))]
    return {row.seq for row in ends}


def _microseconds(span: timedelta) -> int:
    return span // timedelta(microseconds=1)
