"""Which checkpoints of a namespace a retention keeps, and by which of its rules.

A rule is asked about one checkpoint at a time. Where it has to know others, as for the last of an hour, it goes by
those that were looked at: with fewer of them it keeps more, never less.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from holdfast.backends.rows import CheckpointRow
from holdfast.engine.views import Segment, View
from holdfast.errors import InvalidArgument
from holdfast.model import Retention, is_terminal

Rule = tuple[str, Callable[[CheckpointRow], bool]]


@dataclass
class Looked:
    """What was looked at of one namespace."""

    view: View
    rows: list[CheckpointRow]  # newest first
    last: list[int]  # the numbers of the last ones of the head's lineage
    lineage: list[Segment]
    parents: set[int]  # the numbers of those that others go on from
    unfinished: list[int]  # the journal entries of effects that are not finished
    resumed: set[int]  # the last save of the run that the head is of: its journal is read from there


ALWAYS: Final = ("label", "interrupted", "effect")
"""What keeps a checkpoint even if the call that its namespace belongs to is gone."""


def check(retention: object) -> Retention:
    if not isinstance(retention, Retention):
        raise InvalidArgument(f"a retention is a holdfast.Retention, not {type(retention).__name__}")
    if is_empty(retention):
        raise InvalidArgument(
            "this Retention says nothing: give keep_last, keep_last_in, max_age, keep_every, keep_terminal, "
            "keep_lineage or covered_before"
        )
    _check_number("keep_last", retention.keep_last)
    _check_number("covered_before", retention.covered_before)
    _check_windows(retention.keep_last_in)
    _check_flag("keep_terminal", retention.keep_terminal)
    _check_flag("keep_lineage", retention.keep_lineage)
    oldest: object = retention.max_age
    if not (oldest is None or (isinstance(oldest, timedelta) and oldest >= timedelta(0))):
        raise InvalidArgument(f"max_age is a timedelta, as in timedelta(days=30), and not negative; {oldest!r} is none")
    pairs: object = retention.keep_every
    if not isinstance(pairs, tuple | list):
        raise InvalidArgument(f"keep_every is a list of (every, for) pairs of timedeltas; {pairs!r} is none")
    for pair in pairs:
        if not (isinstance(pair, tuple | list) and len(pair) == 2 and all(map(_is_span, pair))):
            raise InvalidArgument(
                f"keep_every is a list of (every, for) pairs of timedeltas, as in "
                f"[(timedelta(hours=1), timedelta(days=1))]; {pair!r} is none"
            )
    return retention


def is_empty(retention: Retention) -> bool:
    """Whether it says nothing: pruning by it would leave the heads alone."""
    numbers = (retention.keep_last, retention.covered_before, retention.max_age)
    return all(one is None for one in numbers) and not (
        retention.keep_last_in or retention.keep_every or retention.keep_terminal or retention.keep_lineage
    )


def _check_number(name: str, value: object) -> None:
    if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 0):
        raise InvalidArgument(f"{name} is a number that is not negative, not {value!r}")


def _check_windows(windows: object) -> None:
    if windows is None:
        return
    if not isinstance(windows, Mapping):
        raise InvalidArgument(f"keep_last_in is a dict of namespaces and numbers, not {windows!r}")
    for name, count in windows.items():
        if not isinstance(name, str):
            raise InvalidArgument(f"keep_last_in names namespaces, and {name!r} is none")
        _check_number(f"keep_last_in[{name!r}]", count)


def _check_flag(name: str, value: object) -> None:
    if not isinstance(value, bool):
        raise InvalidArgument(f"{name} is True or False, not {value!r}")


def _is_span(value: object) -> bool:
    return isinstance(value, timedelta) and value > timedelta(0)


def keep_last(retention: Retention, namespace: str) -> int | None:
    """How many of the head's lineage stay; None if that is not said."""
    windows = retention.keep_last_in or {}
    parts = namespace.split("|")
    outer = ["|".join(parts[: end + 1]) for end in reversed(range(len(parts)))]  # the innermost that is named counts
    named = [one for name in outer for one in (name, _of_any_call(name)) if one in windows]
    found = windows[named[0]] if named else retention.keep_last
    return None if found is None else max(found, 1)


def _of_any_call(namespace: str) -> str:
    """``tools`` for ``tools:1``."""
    name, colon, _ = namespace.rpartition(":")
    return name if colon else namespace


def rules(retention: Retention, now: int, namespace: str, looked: Looked) -> Iterator[Rule]:
    view, rows = looked.view, looked.rows
    yield "head", lambda row: row.seq == view.line.head_seq
    yield "label", lambda row: bool(view.label(row))
    yield "interrupted", lambda row: row.seq not in looked.parents and waits(view, row)
    resumed = _resumed(looked)
    yield "effect", lambda row: row.seq in resumed
    yield "resumed", lambda row: row.seq in looked.resumed
    if keep_last(retention, namespace) is not None:
        last = set(looked.last)
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
        yield "keep_lineage", lambda row: _is_in(looked.lineage, row)


def waits(view: View, row: CheckpointRow) -> bool:
    return view.status(row).lower() == "interrupted"


def _is_in(segments: Iterable[Segment], row: CheckpointRow) -> bool:
    return any(one.line == row.line and one.lo <= row.seq <= one.hi for one in segments)


def _resumed(looked: Looked) -> set[int]:
    """The checkpoints that the unfinished effects came after: from there they are called again."""
    lineage = [row for row in looked.rows if _is_in(looked.lineage, row)]
    found = [next((row.seq for row in lineage if row.journal_seq < seq), 0) for seq in looked.unfinished]
    return set(found)


def _thinned(rows: Iterable[CheckpointRow], now: int, every: timedelta, span: timedelta) -> Iterator[int]:
    """The last one of each stretch of time."""
    seen: set[int] = set()
    for row in (row for row in rows if row.created_at > now - _microseconds(span)):
        stretch = row.created_at // _microseconds(every)
        if stretch not in seen:
            seen.add(stretch)
            yield row.seq


def _ends(view: View, rows: Sequence[CheckpointRow], only_last: bool) -> set[int]:
    """Where runs ended; of several that cover the journal as far, the last."""
    found = [row for row in rows if is_terminal(view.status(row))]
    if only_last and found:
        found = [max(found, key=lambda row: (row.journal_seq, row.seq))]
    return {row.seq for row in found}


def _microseconds(span: timedelta) -> int:
    return span // timedelta(microseconds=1)
