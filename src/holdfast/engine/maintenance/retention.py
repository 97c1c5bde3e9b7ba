"""Pruning: the rules of a retention are applied to each checkpoint, and those that no rule keeps are removed.

Each namespace is pruned by itself, the root first. A namespace that belongs to a single call, because all its
checkpoints were saved under one checkpoint of the enclosing namespace, is removed with that one. Removed checkpoints
are hidden from the thread's view, so that forks keep what they see; survivors are re-parented to their nearest
surviving ancestor. The journal is trimmed up to the first entry that a survivor resumes from. `collect` then frees what
no thread sees.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from holdfast.backends.base import Progress
from holdfast.backends.rows import NO_LIMIT, CheckpointRow
from holdfast.engine.checkpoints import deletion
from holdfast.engine.context import Engine, Handle
from holdfast.engine.maintenance import journal_trim, reachability, retention_rules
from holdfast.engine.maintenance.journal_trim import Journal
from holdfast.engine.maintenance.retention_rules import Evidence, Rule
from holdfast.engine.threads import location, namespaces, views
from holdfast.engine.threads.location import Located, enclosing
from holdfast.engine.threads.views import View
from holdfast.errors import Contended, Corrupt, Deleted
from holdfast.model import PruneReport, Retention, is_boundary

_PAGE: Final = 200


async def prune(engine: Engine, handle: Handle, retention: Retention, dry_run: bool) -> PruneReport:
    """Remove what no rule keeps, in every namespace of the thread."""
    here = await location.read(engine, handle.inner(""))
    if here is None:
        return PruneReport(removed=(), kept=0, kept_by={}, dry_run=dry_run)
    journal = await journal_trim.read(engine, handle, here.root)
    plans: dict[str, Plan] = {}
    for namespace in await namespaces.names_of(engine, here.root):
        # Enclosing namespaces come first: a call goes with the checkpoint that made it.
        outer = plans.get(enclosing(namespace)) if namespace else None
        plan = Plan(engine, retention, await engine.backend.now(), namespace, journal)
        plan.removed_outside = outer.removed_ids if outer is not None else set()
        # Every namespace is planned before one is changed, so that the report of a dry run is the same.
        await deletion.hide(engine, handle.inner(namespace), plan.choose, dry_run=True)
        plans[namespace] = plan
    to_free = await _bytes_to_free(engine, here, plans)
    if not dry_run:
        for namespace, plan in plans.items():
            await deletion.hide(engine, handle.inner(namespace), plan.choose)
    survivors = {namespace: plan.survivors for namespace, plan in plans.items()}
    trimmed = await journal_trim.trim(engine, journal, survivors, dry_run)
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


async def _bytes_to_free(engine: Engine, here: Located, plans: dict[str, Plan]) -> int:
    hidden = {namespace: {row.seq for row in plan.removed} for namespace, plan in plans.items()}
    if not any(hidden.values()):
        return 0
    tree = await reachability.read_tree(engine, here.root.tree, hidden={here.thread.id: hidden})
    return reachability.bytes_of_garbage(tree)


async def prune_all(engine: Engine, retention: Retention, dry_run: bool, progress: Progress | None) -> PruneReport:
    """Every thread of the store, one after the other. A thread that can't be pruned does not stop the others."""
    engine.check_open()
    reports: list[PruneReport] = []
    skipped: list[str] = []
    last, done = "", 0
    while rows := await engine.backend.threads("", [], last, _PAGE):
        for number, row in enumerate(rows):
            handle = Handle(row.thread.id, "", engine.codec)
            try:
                reports.append(await prune(engine, handle, retention, dry_run))
            except (Contended, Corrupt, Deleted) as error:
                skipped.append(f"thread {row.thread.id!r}: {error}")
            if progress is not None:
                progress(done + number + 1, done + len(rows))
        last, done = rows[-1].thread.id, done + len(rows)
    return PruneReport.together(reports, skipped, dry_run=dry_run)


@dataclass
class Plan:
    """What is removed from one namespace. It is made again if a writer changes the namespace in between."""

    engine: Engine
    retention: Retention
    now: int
    namespace: str
    journal: Journal
    oldest: int | None = None  # read at most this many checkpoints, the oldest ones
    removed_outside: set[str] = field(default_factory=set)  # ids, in the enclosing namespace
    after: int = 0  # read only checkpoints with higher numbers
    saw_end: bool = True
    removed: list[CheckpointRow] = field(default_factory=list)
    survivors: list[CheckpointRow] = field(default_factory=list)  # of those that were read
    kept_by: dict[str, list[str]] = field(default_factory=dict)
    removed_ids: set[str] = field(default_factory=set)

    async def choose(self, view: View) -> list[CheckpointRow]:
        """The checkpoints to remove, as `deletion.hide` wants them."""
        evidence = await self._read(view)
        rules = self._rules(evidence)
        self.removed, self.survivors, self.kept_by = [], [], {}
        for row in evidence.rows:
            reasons = self._reasons(rules, row)
            (self.survivors if reasons else self.removed).append(row)
            for name in reasons:
                self.kept_by.setdefault(name, []).append(row.id)
        self.removed_ids = {row.id for row in self.removed}
        return self.removed

    def _reasons(self, rules: list[Rule], row: CheckpointRow) -> list[str]:
        """The names of the rules that keep a checkpoint."""
        reasons = [name for name, keeps in rules if keeps(row)]
        # Past the part of the journal that was read, an effect may be unfinished.
        return reasons if row.journal_seq < self.journal.upto else [*reasons, "effect"]

    def _rules(self, evidence: Evidence) -> list[Rule]:
        rules = list(retention_rules.rules(self.retention, self.now, self.namespace, evidence))
        if not self._goes_with_its_call(evidence.rows):
            return rules
        # The call is removed: only what is always kept may keep a part of it. If it waits for an answer, it also keeps
        # the checkpoint from which a run resumes it.
        head = evidence.view.line.head_seq
        is_waiting = any(retention_rules.waits(evidence.view, row) for row in evidence.rows if row.seq == head)
        always = (*retention_rules.ALWAYS, "resumed") if is_waiting else retention_rules.ALWAYS
        return [(name, keeps) for name, keeps in rules if name in always]

    async def _read(self, view: View) -> Evidence:
        head = view.line.head_seq
        rows = await self._rows(view)
        lineage = await views.chain(self.engine, view, head)
        count = retention_rules.keep_last(self.retention, self.namespace) or 0
        last = await views.scan_segments(self.engine, view, lineage, head, count) if count else []
        # A run that resumes reads the journal from its last own step, which may be below the interrupt at the head.
        resumed = await views.scan_segments(self.engine, view, lineage, head, 1, keep=partial(_is_a_step, view))
        return Evidence(
            view,
            rows,
            last=[row.seq for row in last],
            lineage=lineage,
            parents=await self._parents(view, rows),
            unfinished=self.journal.unfinished(self.namespace),
            resumed={row.seq for row in resumed if row.seq != head},
        )

    async def _parents(self, view: View, rows: list[CheckpointRow]) -> set[int]:
        """Only for namespaces with a question: no other rule needs them, and each takes a read."""
        if not any(retention_rules.waits(view, row) for row in rows):
            return set()
        return {(await views.parent_of(self.engine, view, row))[1] for row in rows}

    async def _rows(self, view: View) -> list[CheckpointRow]:
        if self.oldest is None:
            return await views.scan(self.engine, view, view.line.seq, NO_LIMIT)
        rows = await views.scan_oldest(self.engine, view, self.oldest, self.after)
        self.saw_end = len(rows) < self.oldest
        return rows[::-1]

    @property
    def saw_all(self) -> bool:
        return self.saw_end and not self.after

    def _goes_with_its_call(self, rows: Iterable[CheckpointRow]) -> bool:
        """``tool:1`` belongs to one call; ``memory`` belongs to all calls."""
        origins = {row.origin for row in rows}
        return ":" in self.namespace and len(origins) == 1 and origins <= self.removed_outside


def _is_a_step(view: View, row: CheckpointRow) -> bool:
    return not is_boundary(row.source, view.status(row))
