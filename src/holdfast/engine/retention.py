"""Pruning: which checkpoints a retention keeps, and the removal of the others.

Each namespace is looked at by itself, the root first. One that belongs to a single call, since all its checkpoints were
saved under one checkpoint of the enclosing namespace, goes with that one. What is removed is hidden from the thread's
view, so that forks keep what they see; survivors hang on their nearest surviving ancestor.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Final

from holdfast.backends.rows import CheckpointRow
from holdfast.engine import places, removal, views
from holdfast.engine.context import Engine, Handle
from holdfast.engine.places import enclosing
from holdfast.engine.views import View
from holdfast.errors import InvalidArgument
from holdfast.model import PruneReport, Retention, is_terminal

_ALL: Final = 1 << 62


def check(retention: object) -> Retention:
    if not isinstance(retention, Retention):
        raise InvalidArgument(f"prune() takes a holdfast.Retention, not {type(retention).__name__}")
    if retention.keep_last is not None and retention.keep_last < 0:
        raise InvalidArgument(f"keep_last must not be negative, and is {retention.keep_last}")
    if retention == Retention():
        raise InvalidArgument("this Retention says nothing: give keep_last, max_age, keep_terminal or keep_lineage")
    return retention


async def prune(engine: Engine, handle: Handle, retention: Retention, dry_run: bool) -> PruneReport:
    """Remove what no rule keeps, in every namespace of the thread."""
    here = await places.read(engine, handle.inner(""))
    plans: dict[str, _Plan] = {}
    if here is not None:
        now = await engine.backend.now()
        for namespace in await removal.namespaces(engine, here.root):
            outer = plans.get(enclosing(namespace)) if namespace else None
            plan = plans[namespace] = _Plan(engine, retention, now, outer.removed if outer is not None else [])
            await removal.hide(engine, handle.inner(namespace), plan.chosen, dry_run=dry_run)
    kept_by = Counter(rule for plan in plans.values() for rule in plan.kept_by)
    return PruneReport(
        removed=tuple(row.id for plan in plans.values() for row in plan.removed),
        kept=sum(plan.kept for plan in plans.values()),
        kept_by=dict(kept_by),
        dry_run=dry_run,
    )


Rule = tuple[str, Callable[[CheckpointRow], bool]]


class _Plan:
    """What is to go from one namespace; made anew if the namespace moves meanwhile."""

    def __init__(self, engine: Engine, retention: Retention, now: int, gone: list[CheckpointRow]) -> None:
        self._engine = engine
        self._retention = retention
        self._now = now
        self._gone = {row.id for row in gone}  # from the enclosing namespace
        self.removed: list[CheckpointRow] = []
        self.kept = 0
        self.kept_by: list[str] = []

    async def chosen(self, view: View) -> list[CheckpointRow]:
        rows = await views.scan(self._engine, view, view.line.seq, _ALL)
        segments = await views.chain(self._engine, view, view.line.head_seq)
        lineage = await views.scan_segments(self._engine, view, segments, view.line.head_seq, _ALL)
        rules = [] if self._goes_with_its_call(rows) else [*self._rules(view, rows, [row.seq for row in lineage])]
        reasons = {row.seq: [name for name, keeps in rules if keeps(row)] for row in rows}
        self.removed = [row for row in rows if not reasons[row.seq]]
        self.kept = len(rows) - len(self.removed)
        self.kept_by = [name for found in reasons.values() for name in found]
        return self.removed

    def _goes_with_its_call(self, rows: list[CheckpointRow]) -> bool:
        origins = {row.origin for row in rows}
        return len(origins) == 1 and origins <= self._gone

    def _rules(self, view: View, rows: list[CheckpointRow], lineage: list[int]) -> Iterator[Rule]:
        retention = self._retention
        parents = {row.parent_seq for row in rows}
        yield "head", lambda row: row.seq == view.line.head_seq
        yield "label", lambda row: bool(view.label(row))
        yield "interrupted", lambda row: row.seq not in parents and view.status(row).lower() == "interrupted"
        if retention.keep_last is not None:
            last = set(lineage[: max(retention.keep_last, 1)])
            yield "keep_last", lambda row: row.seq in last
        if retention.max_age is not None:
            since = self._now - int(retention.max_age.total_seconds() * 1_000_000)
            yield "max_age", lambda row: row.created_at > since
        if retention.keep_terminal:
            yield "keep_terminal", lambda row: is_terminal(view.status(row))
        if retention.keep_lineage:
            ancestors = set(lineage)
            yield "keep_lineage", lambda row: row.seq in ancestors
