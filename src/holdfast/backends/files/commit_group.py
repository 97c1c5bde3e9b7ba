"""Batches that are committed together: checked one after the other, and written with one fsync.

If all of them change the same single tree, they are a record of that tree's file. Otherwise they are a record of the
directory's file. Either way one checksum covers them all, so a crash leaves all or none.

Early writes are kept with their thread's tree, so that a save that adopts them changes one file only. Those that came
before their thread are in the directory.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, cast

from holdfast._system.atomic_files import sync_folder
from holdfast.backends.base import Batch, Drop, DropChunks, DropEarlyWrites, DropRow, DropTree
from holdfast.backends.files import store_folder
from holdfast.backends.files.folder_names import folder_name
from holdfast.backends.files.log_cache import LogCache, ReadView
from holdfast.backends.files.logs.directory_log import Entry
from holdfast.backends.files.logs.row_encoding import DIRECTORY, Part, packed, packed_drop
from holdfast.backends.files.logs.tree_log import TreeLog
from holdfast.backends.files.store_folder import THREADS
from holdfast.backends.memory.queries import applicable
from holdfast.backends.memory.tables import Tables
from holdfast.backends.rows import KEYS, OF_TREES, EarlyWriteRow, Row, ThreadRow
from holdfast.errors import LookAtTheStorage

Parts = dict[int, Part]


class CommitGroup:
    def __init__(self, cache: LogCache) -> None:
        self._cache = cache
        self._view = cache.view(for_writing=True)
        self._entries: list[Entry] = []
        self._created: list[TreeLog] = []
        self._touched: dict[int, TreeLog] = {}
        self._renamed: dict[int, TreeLog] = {}  # trees that got or lost a thread
        self._removed: dict[int, str] = {}
        self.half_applied = False

    @property
    def is_complete(self) -> bool:
        """After a batch that drops a tree: the next one may create that tree again, and the folder must be gone by
        then."""
        return bool(self._removed)

    # ---------------------------------------------------------------- collecting

    def add(self, batch: Batch) -> bool:
        """Apply a batch to the tables in memory, if everything it expects holds."""
        if not applicable(self._view, batch):
            return False
        found = parts_of_batch(self._view, batch)
        own = found.pop(DIRECTORY, [[], []])
        removed = self._removed_trees(batch, found)
        created = self._created_trees(batch, found)
        parts = {
            number: part for number, part in found.items() if number not in removed and self._view.tree_log(number)
        }
        self.half_applied = True
        self._apply(own, parts)
        self.half_applied = False
        self._entries.append((created, list(removed.items()), own, list(parts.items())))
        self._removed |= removed
        self._note_threads(batch)
        return True

    def _removed_trees(self, batch: Batch, found: Parts) -> dict[int, str]:
        """Trees that are dropped and not filled again, with their folders."""
        dropped = [drop.tree for drop in batch.drops if isinstance(drop, DropTree) and not found[drop.tree][1]]
        trees = [self._view.tree_log(number) for number in dropped]
        return {tree.number: tree.folder.name for tree in trees if tree is not None}

    def _created_trees(self, batch: Batch, found: Parts) -> list[tuple[int, str]]:
        created = []
        for number, (_, puts) in found.items():
            if puts and self._view.tree_log(number) is None:
                names = [row.id for row in batch.puts if isinstance(row, ThreadRow) and row.tree == number]
                name = folder_name(names[0] if names else "tree", number)
                tree = TreeLog(number, self._cache.root / THREADS / name)
                self._view.add(tree)
                self._created.append(tree)
                created.append((number, name))
        return created

    def _apply(self, own: Part, parts: Parts) -> None:
        self._cache.directory.apply(own)
        for number, part in parts.items():
            tree = self._view.tree_log(number)
            if tree is not None:
                tree.apply(part)
                self._touched[number] = tree

    def _note_threads(self, batch: Batch) -> None:
        if any(isinstance(drop, DropRow) and drop.table is ThreadRow for drop in batch.drops):
            self._renamed |= self._touched
        for number in {row.tree for row in batch.puts if isinstance(row, ThreadRow)}:
            with suppress(LookAtTheStorage):  # a damaged tree is not described
                tree = self._view.tree_log(number)
                if tree is not None:
                    self._renamed[number] = tree

    # ---------------------------------------------------------------- writing

    def write(self) -> list[TreeLog]:
        """Commit the group; says which trees were changed."""
        direct = self._single_tree()
        if direct is not None:
            tree, parts = direct
            tree.append(self._cache.directory.uncarried.pop(tree.number, []), parts)
        elif self._touched or any(map(_changes_directory, self._entries)):
            self._write_to_directory()
        return [tree for number, tree in self._touched.items() if number not in self._removed]

    def _single_tree(self) -> tuple[TreeLog, list[Part]] | None:
        if len(self._touched) != 1 or any(map(_changes_directory, self._entries)):
            return None
        (tree,) = self._touched.values()
        return tree, [part for _, _, _, parts in self._entries for _, part in parts]

    def _write_to_directory(self) -> None:
        self._create_folders()
        number = self._next_number()
        self._cache.directory.append(number, [_with_number(entry, number) for entry in self._entries])
        for tree in self._touched.values():
            tree.applied = number
            tree.is_info_outdated = True
        for tree in self._created:
            self._cache.add(tree)
        for removed, name in self._removed.items():
            self._cache.trees.pop(removed, None)
            store_folder.remove_tree(self._cache.root / THREADS / name)
        for renamed, tree in self._renamed.items():
            if renamed not in self._removed:
                self._cache.describe(tree)

    def _create_folders(self) -> None:
        """They are on disk before the record that names them."""
        for tree in self._created:
            store_folder.make_tree(tree.folder, tree.number)
            tree.file.read()
        if self._created:
            sync_folder(self._cache.root / THREADS)

    def _next_number(self) -> int:
        """Greater than any that the files of these trees have carried over. A directory that lost its last records
        would otherwise use a number twice, and trees skip what they have carried over."""
        return max([self._cache.directory.number, *(tree.applied for tree in self._touched.values())]) + 1

    def undo(self) -> None:
        """Drop what could not be written; memory is filled from the files again."""
        self._cache.directory.reset()
        for tree in self._touched.values():
            tree.reset()


def _changes_directory(entry: Entry) -> bool:
    created, removed, own, _ = entry
    return bool(created or removed or any(own))


def _with_number(entry: Entry, number: int) -> Entry:
    created, removed, own, parts = entry
    return created, removed, own, [(tree, number, part) for tree, part in parts]


# ------------------------------------------------------------------------------------------------ which file


def parts_of_batch(view: ReadView, batch: Batch) -> Parts:
    """What a batch changes, by tree."""
    found: Parts = {}
    for drop in batch.drops:
        for tree in _trees_of_drop(view, drop):
            _part(found, tree)[0].append(packed_drop(drop))
    for row in _puts(view, batch):
        _part(found, _tree_of_row(view, row))[1].append(packed(row))
    return found


def _puts(view: ReadView, batch: Batch) -> list[Row]:
    """All puts, and those of `puts_if_free` whose key is free."""
    puts: dict[Any, Row] = {_key(row): row for row in batch.puts}
    for row in batch.puts_if_free:
        kind, key = _key(row)
        if all(tables[kind].get(*key) is None for tables in _tables_of_row(view, row)):
            puts.setdefault((kind, key), row)
    return list(puts.values())


def _part(found: Parts, tree: int) -> Part:
    return found.setdefault(tree, [[], []])


def _key(row: Row) -> tuple[type[Row], tuple[Any, ...]]:
    return type(row), row[: KEYS[type(row)]]


def _tree_of_row(view: ReadView, row: Row) -> int:
    if isinstance(row, OF_TREES):
        tree: int = row.tree
        return tree
    if isinstance(row, EarlyWriteRow) and view.directory[EarlyWriteRow].get(*_key(row)[1]) is None:
        return view.tree_of(row.thread)
    return DIRECTORY


def _tables_of(view: ReadView, tree: int) -> Tables:
    return view.directory if tree == DIRECTORY else view.tree(tree)


def _tables_of_row(view: ReadView, row: Row) -> Iterator[Tables]:
    if isinstance(row, EarlyWriteRow):
        yield from view.early_write_tables(row.thread)
    else:
        yield _tables_of(view, _tree_of_row(view, row))


def _trees_of_drop(view: ReadView, drop: Drop) -> Iterator[int]:
    if isinstance(drop, DropTree):
        yield from (DIRECTORY, drop.tree)  # the directory has its runs
    elif isinstance(drop, DropChunks):
        yield drop.tree
    elif isinstance(drop, DropEarlyWrites):
        yield from _trees_with_old_writes(view, drop)
    elif drop.table is EarlyWriteRow:
        yield from _trees_with_write(view, drop)
    else:
        yield cast(int, drop.key[0]) if drop.table in OF_TREES else DIRECTORY


def _trees_with_write(view: ReadView, drop: DropRow) -> Iterator[int]:
    thread = str(drop.key[0])
    for tree, tables in zip((DIRECTORY, view.tree_of(thread)), view.early_write_tables(thread), strict=False):
        if tables[EarlyWriteRow].get(*drop.key) is not None:
            yield tree


def _trees_with_old_writes(view: ReadView, drop: DropEarlyWrites) -> Iterator[int]:
    """Trees without such writes are left out, since every save has this drop."""
    trees = [view.tree_of(drop.thread)] if drop.thread else list(view.trees_with_old_writes(drop.before))
    for tree in {DIRECTORY, *trees}:
        table = _tables_of(view, tree)[EarlyWriteRow]
        rows = table.under(drop.thread) if drop.thread else table.rows.values()
        if any(row.created_at < drop.before for row in rows):
            yield tree
