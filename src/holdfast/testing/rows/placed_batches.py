"""A backend that refuses every batch which does not lie in one tree.

A store may spread its trees over several places: servers, or prefixes of an object store. That works only if no batch
spans two trees, and if a batch that makes or removes the directory entry of a thread, in a tree that was not made for
its id, says so with a `Claim`. `audited` checks each batch that reaches a backend.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from holdfast.backends.base import Backend, Batch, DropEarlyWrites, DropRow, EarlyWritesAt, ThreadAbsent, ThreadAt
from holdfast.backends.registry import OPENERS, open_backend
from holdfast.backends.rows import OF_TREES, EarlyWriteRow, RunRow, TagRow, ThreadRow

_SCHEME = "placed"


def placed(url: str) -> str:
    """The URL of the same store, with every batch audited."""
    OPENERS.setdefault(_SCHEME, lambda rest: audited(open_backend(rest)))
    return f"{_SCHEME}:{url}"


def audited(backend: Backend) -> Backend:
    """The backend itself, whose `commit` and `commit_each` now fail on a batch that does not lie in one tree."""
    own: set[tuple[str, int]] = set()  # ids, and the trees that were made for them
    new_tree, commit, commit_each = backend.new_tree, backend.commit, backend.commit_each

    def recorded(thread_id: str) -> int:
        tree = new_tree(thread_id)
        own.add((thread_id, tree))
        return tree

    async def checked(batch: Batch) -> bool:
        await check_placed(backend, batch, own)
        return await commit(batch)

    async def checked_each(batches: Any) -> list[bool]:
        for batch in batches:
            await check_placed(backend, batch, own)
        return await commit_each(batches)

    changed: Any = backend
    changed.new_tree, changed.commit, changed.commit_each = recorded, checked, checked_each
    return backend


async def check_placed(backend: Backend, batch: Batch, own: set[tuple[str, int]]) -> None:
    """Fail if the batch spans trees, or makes or removes a directory entry in a tree of another id without a claim."""
    if batch.is_repair:
        return
    made = {row.id: row.tree for row in batch.puts if isinstance(row, ThreadRow)}
    await _check_one_tree(backend, batch, made)
    _check_claims(batch, made, own)


async def _check_one_tree(backend: Backend, batch: Batch, made: dict[str, int]) -> None:
    ids = set(_ids(batch)) | made.keys()
    trees = set(_trees(batch))
    # A batch that names a thread is about its tree too, even if no row of that tree is in it.
    for thread_id in ids - {""}:
        tree = made.get(thread_id) or await _tree_of(backend, thread_id)
        if tree is not None:
            trees.add(tree)
    assert len(trees) <= 1, f"a batch in {len(trees)} trees: {batch}"
    assert trees or len(ids) <= 1, f"a batch about {len(ids)} threads, and no tree: {batch}"
    assert "" not in ids or ids == {""}, f"a batch that is about all threads, among others: {batch}"


def _check_claims(batch: Batch, made: dict[str, int], own: set[tuple[str, int]]) -> None:
    claims = {claim.id for claim in batch.claims}
    absent = {expect.id for expect in batch.expects if isinstance(expect, ThreadAbsent)}
    dropped = {drop.key[0] for drop in batch.drops if isinstance(drop, DropRow) and drop.table is ThreadRow}
    # A thread that starts in the tree that was made for its id is in the place of its id already.
    started = {thread_id for thread_id in absent & made.keys() if (thread_id, made[thread_id]) not in own}
    assert started <= claims, f"a thread in the tree of another, without a claim: {batch}"
    assert dropped <= claims, f"a thread is removed without a claim: {batch}"


async def _tree_of(backend: Backend, thread_id: str) -> int | None:
    found = await backend.find(thread_id, "", b"")
    return None if found.thread is None else found.thread.tree


def _trees(batch: Batch) -> Iterator[int]:
    """The trees that a batch names."""
    named: list[Any] = [*batch.puts, *batch.puts_if_free, *batch.expects]
    yield from (one.tree for one in named if hasattr(one, "tree"))
    for drop in batch.drops:
        if isinstance(drop, DropRow):
            place = 0 if drop.table in OF_TREES else 1 if drop.table is RunRow else None
            if place is not None:
                yield drop.key[place]  # type: ignore[misc]
        elif not isinstance(drop, DropEarlyWrites):
            yield drop.tree


def _ids(batch: Batch) -> Iterator[str]:
    """The ids of the threads that a batch names. A tombstone has only a hash: its thread is named beside it."""
    for row in (*batch.puts, *batch.puts_if_free):
        if isinstance(row, TagRow | EarlyWriteRow):
            yield row.thread
    for expect in batch.expects:
        if isinstance(expect, ThreadAbsent | ThreadAt):
            yield expect.id
        elif isinstance(expect, EarlyWritesAt):
            yield expect.thread
    for drop in batch.drops:
        if isinstance(drop, DropEarlyWrites):
            yield drop.thread
        elif isinstance(drop, DropRow) and drop.table in (ThreadRow, TagRow, EarlyWriteRow):
            yield str(drop.key[2 if drop.table is TagRow else 0])
