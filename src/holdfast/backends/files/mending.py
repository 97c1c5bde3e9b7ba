"""Mending a store's files: damaged ones are written anew with the rows that can be read, and what the directory has
forgotten is named again. Nothing is thrown away: the damaged files are kept beside the new ones."""

from __future__ import annotations

import os
from pathlib import Path

from holdfast.backends.files import folder, info
from holdfast.backends.files.folder import THREADS
from holdfast.backends.files.shelf import Shelf
from holdfast.backends.files.tree import Tree
from holdfast.backends.files.unlisted import unlisted
from holdfast.backends.rows import GraveRow, ThreadRow
from holdfast.errors import LookAtTheStorage
from holdfast.ids import grave_hash


class Mender:
    """For whoever holds the store's locks, once."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._directory = shelf.directory
        self._told: list[str] = []
        self._last = 0  # the greatest number that a tree's file has carried over
        self._forgotten: list[ThreadRow] = []  # threads that folders tell of, and that the directory does not have
        self._changed: set[int] = set()

    def mend(self) -> list[str]:
        self._shelf.look()
        try:
            self._mend_all()
        except BaseException:
            self._directory.start_over()  # it may name what its file does not
            raise
        return self._told

    def _mend_all(self) -> None:
        directory = self._directory
        has_lost = bool(directory.damage or info.check(directory.segment))
        self._take_in(even_empty=has_lost)
        taken_in = set(self._changed)
        for number in list(directory.folders):
            self._mend_tree(number)
            self._shelf.trim()
        has_lost |= self._last > directory.number
        for row in self._forgotten:
            if has_lost or row.tree in taken_in:
                self._restore(row)
        if has_lost or taken_in:
            self._rewrite_directory(has_lost)
        for number in sorted(self._changed):
            self._shelf.describe(self._shelf.load(number))
            self._shelf.trim()

    def _take_in(self, *, even_empty: bool) -> None:
        """Folders that the directory does not know. What was saved in one without records was in the directory's own
        record and is lost with that: it is taken in where it tells who has lost it."""
        for one in unlisted(self._shelf.root, self._directory, even_empty=even_empty):
            is_known = one.tree in self._directory.folders
            if is_known or (not one.has_records and not info.threads(one.folder)):
                continue
            self._directory.register(([(one.tree, one.folder.name)], [], [[], []], []))
            self._changed.add(one.tree)
            self._told.append(f"{one.folder}: the directory did not know it any more, and does again")

    def _mend_tree(self, number: int) -> None:
        tree = self._mendable(number)
        threads = self._directory.tables[ThreadRow]
        self._forgotten += [row for row in info.threads(tree.folder) if threads.get(row.id) is None]
        self._last = max(self._last, tree.applied)
        if tree.damage or info.check(tree.segment):
            self._told.append(_kept_aside(tree.segment.path))
            tree.rewrite_whole()
            self._changed.add(number)

    def _mendable(self, number: int) -> Tree:
        """A tree whose file is gone, or can't be read at all, starts over with nothing in it."""
        try:
            return self._shelf.load(number)
        except LookAtTheStorage as error:
            self._told.append(str(error))
        tree = Tree(number, self._shelf.root / THREADS / self._directory.folders[number])
        if tree.segment.path.exists():
            self._told.append(_kept_aside(tree.segment.path))
        folder.make_tree(tree.folder, number)
        self._shelf.trees.pop(number, None)
        return self._shelf.load(number)

    def _restore(self, row: ThreadRow) -> None:
        """Unless it was deleted since its folder was described, or another has its id by now."""
        tables = self._directory.tables
        grave: GraveRow | None = tables[GraveRow].get(grave_hash(row.id))
        is_dead = grave is not None and grave.generation >= row.generation
        is_taken = tables[ThreadRow].get(row.id) is not None or row.line in tables.threads_of(row.tree)
        if row.tree in self._directory.folders and not is_dead and not is_taken:
            tables.put(row)
            self._changed.add(row.tree)
            self._told.append(f"thread {row.id!r}: the directory leads to it again, by what its folder tells")

    def _rewrite_directory(self, has_lost: bool) -> None:
        directory = self._directory
        if has_lost:
            self._told.append(_kept_aside(directory.segment.path))
        directory.number = max(directory.number, self._last)
        directory.rewrite()
        directory.damage.clear()
        info.write_root(directory.segment)


def _kept_aside(path: Path) -> str:
    number = 1
    while (aside := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    os.link(path, aside)
    return f"{path}: it was written anew with the rows that could be read; the damaged one is kept as {aside}"
