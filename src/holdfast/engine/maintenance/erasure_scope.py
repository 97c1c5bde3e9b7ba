"""The scope of an erasure: which threads are removed.

A thread matches if its own metadata has everything that is asked for, or if the metadata of a checkpoint has that the
thread sees or that is stored in one of its lines. Its forks and copies are removed too, and theirs, because they were
made of it. A thread that it was forked from stays unless it matches itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import msgspec

from holdfast.backends.base import Progress
from holdfast.backends.rows import NO_LIMIT, CheckpointRow, LineRow, ThreadRow, checked
from holdfast.engine import policy, table_scan
from holdfast.engine.context import Engine, Handle
from holdfast.engine.threads import leases, location, namespaces, tags, views
from holdfast.errors import Corrupt

_UNREADABLE = (Corrupt, msgspec.MsgspecError, ValueError)


@dataclass
class Scope:
    engine: Engine
    wanted: frozenset[tuple[str, str]]  # metadata, as the index has it
    going: dict[str, ThreadRow] = field(default_factory=dict)
    trees: set[int] = field(default_factory=set)  # that lose rows
    skipped: list[str] = field(default_factory=list)

    def matches(self, metadata: bytes) -> bool:
        return bool(metadata) and self.wanted <= set(tags.of_encoded(metadata))

    def skip_tree(self, number: int, error: Exception) -> None:
        self.skipped.append(f"tree {number}: {error}")


async def find(scope: Scope, progress: Progress | None) -> None:
    """Every thread that is to be removed. What can't be read may match, and is reported as skipped."""
    scope.skipped += await scope.engine.backend.unlisted()
    await _add_by_thread_metadata(scope)
    done = 0
    async for numbers in table_scan.tree_pages(scope.engine.backend):
        for count, number in enumerate(numbers, start=1):
            try:
                await _add_by_checkpoint_metadata(scope, number)
            except _UNREADABLE as error:
                scope.skip_tree(number, error)
            if progress is not None:
                progress(done + count, done + len(numbers))
        done += len(numbers)
    await _add_forks_and_copies(scope)
    scope.trees |= {row.tree for row in scope.going.values()}


async def _add_by_thread_metadata(scope: Scope) -> None:
    async for row in table_scan.rows(scope.engine.backend, ThreadRow):
        try:
            if scope.matches(policy.metadata_of(checked(row))):
                scope.going[row.id] = row
        except _UNREADABLE as error:
            scope.skipped.append(f"thread {row.id!r}: {error}")


async def _add_by_checkpoint_metadata(scope: Scope, number: int) -> None:
    backend = scope.engine.backend
    rows = table_scan.rows(backend, CheckpointRow, number)
    matching = [row async for row in rows if scope.matches(checked(row).metadata)]
    if not matching:
        return
    scope.trees.add(number)
    lines = {line.line: line async for line in table_scan.rows(backend, LineRow, number)}
    owners = {lines[row.line].thread for row in matching if row.line in lines}
    for thread in await backend.tree_threads(number):
        if thread.line in owners or await _sees_any(scope.engine, thread, matching):
            scope.going[thread.id] = thread


async def _sees_any(engine: Engine, thread: ThreadRow, rows: list[CheckpointRow]) -> bool:
    async for _, view in namespaces.views_of(engine, thread):
        for row in rows:
            seen = await views.find(engine, view, row.id)
            if seen is not None and (seen.line, seen.seq) == (row.line, row.seq):
                return True
    return False


async def _add_forks_and_copies(scope: Scope) -> None:
    """Each round adds what was made of the threads that the round before added."""
    added = dict(scope.going)
    while added:
        everything = [row async for row in table_scan.rows(scope.engine.backend, ThreadRow)]
        comes_from = _descent(scope, added, {row.id for row in everything})
        added = {row.id: row for row in everything if row.id not in scope.going and await comes_from.has(row)}
        scope.going |= added


@dataclass
class _Descent:
    """Whether a thread was made of one of these: by its lines, or, if it shares none with them, by name. It shares none
    if it was forked without history, or copied from another store."""

    scope: Scope
    lines: set[int]
    trees: set[int]
    created: dict[str, int]  # by the thread's id
    living: set[str]  # the ids of all threads

    async def has(self, row: ThreadRow) -> bool:
        try:
            return await self._by_name(row) or await self._by_lines(row)
        except Corrupt as error:
            self.scope.skip_tree(row.tree, error)
            return False

    async def _by_lines(self, row: ThreadRow) -> bool:
        if row.tree not in self.trees:
            return False
        return any(line.line in self.lines for line in await self._ancestry(row))

    async def _by_name(self, row: ThreadRow) -> bool:
        if row.from_thread is None:
            return False
        if self._is_after(row.from_thread, row.created_at):
            return self._is_after(row.from_thread, await self._forked_at(row))
        if row.from_thread in self.living:
            return False
        # The thread that it was forked from is deleted. What it shares with that one says where that one came from.
        firsts = [await self._first(line) for line in await self._ancestry(row)]
        return any(first is not None and self._is_after(first.parent_thread, first.created_at) for first in firsts)

    def _is_after(self, thread_id: str | None, moment: int) -> bool:
        """Whether the thread of this id is one of these, and existed by then: an id may be used again."""
        return thread_id is not None and thread_id in self.created and moment >= self.created[thread_id]

    async def _forked_at(self, row: ThreadRow) -> int:
        """When the thread was forked off. A copy says when it was copied; the fork that it is a copy of was made no
        later than its line was last written."""
        fork = next((line for line in await self._ancestry(row) if not line.is_copy), None)
        if fork is None or fork.line == row.line:
            return row.created_at
        first = await self._first(fork)
        return min(row.created_at, fork.updated_at, *([first.created_at] if first is not None else []))

    async def _ancestry(self, row: ThreadRow) -> list[LineRow]:
        return await self.scope.engine.backend.ancestry(row.tree, row.line)

    async def _first(self, line: LineRow) -> CheckpointRow | None:
        rows = await self.scope.engine.backend.checkpoints(line.tree, line.line, 0, NO_LIMIT, 1, oldest=True)
        return rows[0] if rows else None


def _descent(scope: Scope, threads: dict[str, ThreadRow], living: set[str]) -> _Descent:
    rows = threads.values()
    created = {row.id: row.created_at for row in rows}
    return _Descent(scope, {row.line for row in rows}, {row.tree for row in rows}, created, living)


async def check_free(scope: Scope) -> None:
    """Before anything is removed: no worker holds one of the threads, and the rows that its removal needs can be
    read."""
    now = await scope.engine.backend.now()
    for thread_id in sorted(scope.going):
        handle = Handle(thread_id, "", scope.engine.codec)
        try:
            here = (await location.find(scope.engine, handle, even_expired=True)).here
            if here is not None:
                leases.check_free(handle, here.root, now)
        except Corrupt as error:
            scope.skipped.append(f"{handle.name}: {error}")
            del scope.going[thread_id]
