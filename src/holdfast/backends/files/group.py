"""Batches that are committed together: checked one after the other, and written with one fsync.

If all of them change one tree only, and it is the same one, they are a record of that tree's file. Otherwise they are a
record of the directory's. Either way one checksum covers them all, so that a crash leaves all or none.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from holdfast.backends.base import Batch, DropRow, DropTree
from holdfast.backends.files import folder, routing
from holdfast.backends.files.changes import DIRECTORY, Part
from holdfast.backends.files.directory import Entry
from holdfast.backends.files.folder import THREADS
from holdfast.backends.files.names import folder_name
from holdfast.backends.files.segment import sync_folder
from holdfast.backends.files.shelf import Shelf
from holdfast.backends.files.tree import Tree
from holdfast.backends.rows import ThreadRow
from holdfast.backends.tabled import applicable
from holdfast.errors import LookAtTheStorage


class Group:
    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._look = shelf.look(keep=True)
        self._entries: list[Entry] = []
        self._born: list[Tree] = []
        self._touched: dict[int, Tree] = {}
        self._renamed: dict[int, Tree] = {}  # trees that got or lost a thread
        self._dead: dict[int, str] = {}
        self.half_applied = False

    @property
    def complete(self) -> bool:
        """A dropped tree may be made anew by the next batch: by then its folder has to be gone."""
        return bool(self._dead)

    # ---------------------------------------------------------------- collecting

    def add(self, batch: Batch) -> bool:
        """Apply a batch to the tables in memory, if all that it expects is so."""
        if not applicable(self._look, batch):
            return False
        found = routing.parts(self._look, batch)
        own = found.pop(DIRECTORY, [[], []])
        deaths = self._deaths(batch, found)
        births = self._births(batch, found)
        parts = {number: part for number, part in found.items() if number not in deaths and self._look.whole(number)}
        self.half_applied = True
        self._apply(own, parts)
        self.half_applied = False
        self._entries.append((births, list(deaths.items()), own, list(parts.items())))
        self._dead |= deaths
        self._note_threads(batch)
        return True

    def _deaths(self, batch: Batch, found: dict[int, Part]) -> dict[int, str]:
        """Trees of which nothing is left, and their folders."""
        dropped = [drop.tree for drop in batch.drops if isinstance(drop, DropTree) and not found[drop.tree][1]]
        trees = [self._look.whole(number) for number in dropped]
        return {tree.number: tree.folder.name for tree in trees if tree is not None}

    def _births(self, batch: Batch, found: dict[int, Part]) -> list[tuple[int, str]]:
        births = []
        for number, (_, puts) in found.items():
            if puts and self._look.whole(number) is None:
                names = [row.id for row in batch.puts if isinstance(row, ThreadRow) and row.tree == number]
                name = folder_name(names[0] if names else "tree", number)
                tree = Tree(number, self._shelf.root / THREADS / name)
                self._look.add(tree)
                self._born.append(tree)
                births.append((number, name))
        return births

    def _apply(self, own: Part, parts: dict[int, Part]) -> None:
        self._shelf.directory.apply(own)
        for number, part in parts.items():
            tree = self._look.whole(number)
            if tree is not None:
                tree.apply(part)
                self._touched[number] = tree

    def _note_threads(self, batch: Batch) -> None:
        if any(isinstance(drop, DropRow) and drop.table is ThreadRow for drop in batch.drops):
            self._renamed |= self._touched
        for number in {row.tree for row in batch.puts if isinstance(row, ThreadRow)}:
            with suppress(LookAtTheStorage):  # a damaged one is not described
                tree = self._look.whole(number)
                if tree is not None:
                    self._renamed[number] = tree

    # ---------------------------------------------------------------- writing

    def write(self) -> list[Tree]:
        """Make it last; says which trees were changed."""
        direct = self._one_tree_only()
        if direct is not None:
            tree, parts = direct
            tree.append(self._shelf.directory.waiting.pop(tree.number, []), parts)
        elif self._touched or any(map(_changes_directory, self._entries)):
            self._write_to_directory()
        return [tree for number, tree in self._touched.items() if number not in self._dead]

    def _one_tree_only(self) -> tuple[Tree, list[Part]] | None:
        if len(self._touched) != 1 or any(map(_changes_directory, self._entries)):
            return None
        (tree,) = self._touched.values()
        return tree, [part for _, _, _, parts in self._entries for _, part in parts]

    def _write_to_directory(self) -> None:
        for tree in self._born:
            folder.make_tree(tree.folder, tree.number)
            tree.segment.read()
        if self._born:
            sync_folder(self._shelf.root / THREADS)
        directory = self._shelf.directory
        number = self._next_number()
        entries = [(births, deaths, own, _numbered(parts, number)) for births, deaths, own, parts in self._entries]
        directory.append(number, entries)
        for tree in self._touched.values():
            tree.applied = number
            tree.written = True
        for tree in self._born:
            self._shelf.add(tree)
        for dead, name in self._dead.items():
            self._bury(dead, name)
        for number, tree in self._renamed.items():
            if number not in self._dead:
                self._shelf.describe(tree)

    def _next_number(self) -> int:
        """Greater than any that the files of these trees have carried over: of a directory that lost its end the last
        numbers would be given out again, and what has the number of something that was carried over is not read."""
        return max([self._shelf.directory.number, *(tree.applied for tree in self._touched.values())]) + 1

    def _bury(self, number: int, name: str) -> None:
        self._shelf.trees.pop(number, None)
        folder.remove_tree(self._shelf.root / THREADS / name)

    def undo(self) -> None:
        """Forget what could not be written; what is in memory is read again from the files."""
        self._shelf.directory.start_over()
        for tree in self._touched.values():
            tree.start_over()


def _changes_directory(entry: Entry) -> bool:
    births, deaths, own, _ = entry
    return bool(births or deaths or any(own))


def _numbered(parts: list[Any], number: int) -> list[Any]:
    return [(tree, number, part) for tree, part in parts]
