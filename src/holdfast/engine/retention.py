"""Pruning: a retention's rules are asked about each checkpoint, and what none of them keeps is removed.

Each namespace is looked at by itself, the root first. One that belongs to a single call, since all its checkpoints were
saved under one checkpoint of the enclosing namespace, goes with that one. What is removed is hidden from the thread's
view, so that forks keep what they see; survivors hang on their nearest surviving ancestor. The journal is trimmed up to
where every survivor goes on from it. `collect` then frees what nobody sees.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from holdfast.backends.base import Progress
from holdfast.backends.rows import CheckpointRow
from holdfast.engine import places, reach, removal, rules, trimming, views
from holdfast.engine.context import Engine, Handle
from holdfast.engine.places import Here, enclosing
from holdfast.engine.rules import Looked
from holdfast.engine.trimming import Journal
from holdfast.engine.views import View
from holdfast.errors import Contended, Corrupt, Deleted
from holdfast.model import PruneReport, Retention, is_boundary

_ALL: Final = 1 << 62
_PAGE: Final = 200


async def prune(engine: Engine, handle: Handle, retention: Retention, dry_run: bool) -> PruneReport:
    """Remove what no rule keeps, in every namespace of the thread."""
    here = await places.read(engine, handle.inner(""))
    if here is None:
        return PruneReport(removed=(), kept=0, kept_by={}, dry_run=dry_run)
    journal = await trimming.read(engine, handle, here.root)
    plans: dict[str, Plan] = {}
    for namespace in await removal.namespaces(engine, here.root):
        outer = plans.get(enclosing(namespace)) if namespace else None
        plan = Plan(engine, retention, await engine.backend.now(), namespace, journal)
        plan.gone = {row.id for row in outer.removed} if outer is not None else set()
        await removal.hide(engine, handle.inner(namespace), plan.chosen, dry_run=True)
        plans[namespace] = plan
    to_free = await _to_free(engine, here, plans)
    if not dry_run:
        for namespace, plan in plans.items():
            await removal.hide(engine, handle.inner(namespace), plan.chosen)
    survivors = {namespace: plan.survivors for namespace, plan in plans.items()}
    trimmed = await trimming.trim(engine, journal, survivors, dry_run)
    return _report(handle, plans, trimmed, to_free, dry_run)


def _report(handle: Handle, plans: dict[str, Plan], trimmed: int, to_free: int, dry_run: bool) -> PruneReport:
    removed = tuple(row.id for plan in plans.values() for row in plan.removed)
    kept: dict[str, list[str]] = {}
    for plan in plans.values():
        for rule, ids in plan.kept_by.items():
            kept.setdefault(rule, []).extend(ids)
    return PruneReport(
        removed=removed,
        kept=sum(len(plan.survivors) for plan in plans.values()),
        kept_by={rule: len(ids) for rule, ids in kept.items()},
        kept_ids={rule: tuple(ids) for rule, ids in kept.items()},
        journal=trimmed,
        bytes_to_free=to_free,
        by_thread={handle.thread_id: removed} if removed else {},
        dry_run=dry_run,
    )


async def _to_free(engine: Engine, here: Here, plans: dict[str, Plan]) -> int:
    hidden = {namespace: {row.seq for row in plan.removed} for namespace, plan in plans.items()}
    if not any(hidden.values()):
        return 0
    tree = await reach.look(engine, here.root.tree, hidden={here.thread.id: hidden})
    return reach.bytes_left_over(tree)


async def prune_all(engine: Engine, retention: Retention, dry_run: bool, progress: Progress | None) -> PruneReport:
    """Every thread of the store, one after the other."""
    engine.check_open()
    reports: list[PruneReport] = []
    skipped: list[str] = []
    last, done = "", 0
    while rows := await engine.backend.threads("", [], last, _PAGE):
        for number, row in enumerate(rows):
            handle = Handle(row.thread.id, "", engine.codec)
            try:
                reports.append(await prune(engine, handle, retention, dry_run))
            except (Contended, Corrupt, Deleted) as error:  # one thread does not stop the others
                skipped.append(f"thread {row.thread.id!r}: {error}")
            if progress is not None:
                progress(done + number + 1, done + len(rows))
        last, done = rows[-1].thread.id, done + len(rows)
    return PruneReport.together(reports, skipped, dry_run=dry_run)


@dataclass
class Plan:
    """What is to go from one namespace; made anew if the namespace moves meanwhile."""

    engine: Engine
    retention: Retention
    now: int
    namespace: str
    journal: Journal
    oldest: int | None = None  # look at no more than so many, the oldest ones
    gone: set[str] = field(default_factory=set)  # from the enclosing namespace
    after: int = 0  # look at none up to this number
    saw_end: bool = True
    removed: list[CheckpointRow] = field(default_factory=list)
    survivors: list[CheckpointRow] = field(default_factory=list)  # of those that were looked at
    kept_by: dict[str, list[str]] = field(default_factory=dict)

    async def chosen(self, view: View) -> list[CheckpointRow]:
        looked = await self._look(view)
        asked = [*rules.rules(self.retention, self.now, self.namespace, looked)]
        if self._goes_with_its_call(looked.rows):
            waits = any(rules.waits(view, row) for row in looked.rows if row.seq == view.line.head_seq)
            always = (*rules.ALWAYS, "resumed") if waits else rules.ALWAYS
            asked = [(name, keeps) for name, keeps in asked if name in always]
        reasons = {row.seq: [name for name, keeps in asked if keeps(row)] for row in looked.rows}
        for row in looked.rows:
            if row.journal_seq >= self.journal.upto:  # an effect after it may be unfinished
                reasons[row.seq].append("effect")
        self.removed = [row for row in looked.rows if not reasons[row.seq]]
        self.survivors = [row for row in looked.rows if reasons[row.seq]]
        self.kept_by = {}
        for row in self.survivors:
            for name in reasons[row.seq]:
                self.kept_by.setdefault(name, []).append(row.id)
        return self.removed

    async def _look(self, view: View) -> Looked:
        head = view.line.head_seq
        rows = await self._rows(view)
        segments = await views.chain(self.engine, view, head)
        count = rules.keep_last(self.retention, self.namespace) or 0
        last = await views.scan_segments(self.engine, view, segments, head, count) if count else []
        unfinished = self.journal.unfinished(self.namespace)
        parents: set[int] = set()
        if any(rules.waits(view, row) for row in rows):  # else nobody asks, and it takes a look for each
            parents = {(await views.parent_of(self.engine, view, row))[1] for row in rows}
        resumed = await views.scan_segments(self.engine, view, segments, head, 1, keep=partial(_is_a_step, view))
        steps = {row.seq for row in resumed if row.seq != head}
        return Looked(view, rows, [row.seq for row in last], segments, parents, unfinished, steps)

    async def _rows(self, view: View) -> list[CheckpointRow]:
        if self.oldest is None:
            return await views.scan(self.engine, view, view.line.seq, _ALL)
        rows = await views.scan_oldest(self.engine, view, self.oldest, self.after)
        self.saw_end = len(rows) < self.oldest
        return rows[::-1]

    @property
    def saw_all(self) -> bool:
        return self.saw_end and not self.after

    def _goes_with_its_call(self, rows: Iterable[CheckpointRow]) -> bool:
        """``tool:1`` is of one call; ``memory`` is of all that come."""
        origins = {row.origin for row in rows}
        return ":" in self.namespace and len(origins) == 1 and origins <= self.gone


def _is_a_step(view: View, row: CheckpointRow) -> bool:
    return not is_boundary(row.source, view.status(row))
