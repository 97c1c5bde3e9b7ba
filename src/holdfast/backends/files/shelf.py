"""What this process has in memory of a store: the directory, and the trees that were asked for lately."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from holdfast.backends.files import info
from holdfast.backends.files.changes import DIRECTORY
from holdfast.backends.files.directory import Directory
from holdfast.backends.files.failures import translate
from holdfast.backends.files.folder import THREADS
from holdfast.backends.files.segment import State, Torn
from holdfast.backends.files.tree import Tree
from holdfast.backends.files.unlisted import sentence, unlisted
from holdfast.backends.rows import ThreadRow, WaitingRow
from holdfast.backends.tables import Tables
from holdfast.errors import Corrupt

MOST_BYTES: Final = 128 * 1024 * 1024  # of the files of the trees in memory, where they take two or three times that
MOST_TREES: Final = 256
_AT_ONCE: Final = 8


class Shelf:
    """Not for several threads at once."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.directory = Directory(root)
        self.trees: OrderedDict[int, Tree] = OrderedDict()
        self.torn: list[Torn] = []
        self._grown = False  # since trees were given up

    def look(self, *, keep: bool = False) -> Look:
        """A view of everything as it is now; trees are read when they are asked for, and kept for a batch."""
        gone = self.directory.catch_up()
        for number in list(self.trees) if gone is None else gone:
            self._forget(number)
        return Look(self, keep)

    def moved(self) -> bool:
        """Whether the directory has changed since the last look."""
        return self.directory.segment.state() is not State.SAME

    def load(self, number: int) -> Tree:
        """A tree that the directory names, as its file is now."""
        tree = self.trees.get(number) or Tree(number, self.root / THREADS / self.directory.folders[number])
        try:
            tree.catch_up(self.directory.waiting.get(number, []))
        except FileNotFoundError as error:
            if not self.root.is_dir():
                raise translate(error, self.root) from error
            raise Corrupt(
                f"{tree.segment.path}: the file is missing; restore the folder {tree.folder.name!r} from a backup"
            ) from error
        except OSError as error:
            raise translate(error, tree.segment.path) from error
        self._grown |= number not in self.trees
        self.trees[number] = tree
        self.trees.move_to_end(number)
        return tree

    def trim(self) -> None:
        """Give up the trees that were not asked for lately, if they are many or large."""
        while self._grown and len(self.trees) > 1 and self._is_crowded():
            number = next((number for number, tree in self.trees.items() if not tree.segment.uncut), None)
            if number is None:
                return
            self._forget(number)
        self._grown = False

    def _is_crowded(self) -> bool:
        return len(self.trees) > MOST_TREES or sum(tree.segment.end for tree in self.trees.values()) > MOST_BYTES

    def _forget(self, number: int) -> None:
        tree = self.trees.get(number)
        if tree is not None and not tree.segment.uncut:
            if tree.written and number in self.directory.folders:
                self.describe(tree)
            del self.trees[number]
            self.torn += tree.segment.torn

    def all_torn(self) -> list[Torn]:
        open_ones = [self.directory.segment, *(tree.segment for tree in self.trees.values())]
        return [*self.torn, *(torn for segment in open_ones for torn in segment.torn)]

    def add(self, tree: Tree) -> None:
        """A tree that was just born."""
        self.trees[tree.number] = tree
        self._grown = True

    def describe(self, tree: Tree) -> None:
        """Bring its `info.json` up to date."""
        threads = self._threads_of(tree)
        if self.directory.damage or self.directory.is_behind(tree):  # what it has forgotten is told here alone
            known = {row.id for row in threads}
            threads += [row for row in info.threads(tree.folder) if row.id not in known]
        info.write(tree.segment, threads, tree.tables)
        tree.written = False

    def is_described(self, tree: Tree) -> bool:
        """Whether its `info.json` tells of the threads that there are, and of none that is gone."""
        return info.is_current(tree.folder, self._threads_of(tree))

    def _threads_of(self, tree: Tree) -> list[ThreadRow]:
        threads = self.directory.tables[ThreadRow]
        return [threads.get(one) for one in self.directory.tables.threads_of(tree.number).values()]


class Look:
    """The `Scope` of one question, or of one group of batches: each tree is brought up to date once."""

    def __init__(self, shelf: Shelf, keep: bool) -> None:
        self._shelf = shelf
        self._keep = keep
        self._seen: dict[int, Tree] = {}

    @property
    def directory(self) -> Tables:
        return self._shelf.directory.tables

    def tree(self, number: int) -> Tables:
        found = self.whole(number)
        return Tables() if found is None else found.tables

    def all_trees(self) -> Iterable[int]:
        return self._shelf.directory.folders

    def waiting_tables(self, thread: str) -> Sequence[Tables]:
        """In the tree of a thread that lives; in the directory, if they came before their thread."""
        found: ThreadRow | None = self.directory[ThreadRow].get(thread)
        return (self.directory,) if found is None else (self.directory, self.tree(found.tree))

    def home_of(self, thread: str) -> int:
        """Where writes of a thread wait from now on: in its tree, or in the directory if there is none yet."""
        found: ThreadRow | None = self.directory[ThreadRow].get(thread)
        return DIRECTORY if found is None else found.tree

    def trees_with_old_writes(self, before: int) -> Iterator[int]:
        """Of those in memory: what waits elsewhere is forgotten later, once its tree is asked for."""
        for number, tree in list(self._shelf.trees.items()):
            rows = tree.tables[WaitingRow].rows
            if rows and any(row.created_at < before for row in rows.values()):
                yield number

    def whole(self, number: int) -> Tree | None:
        found = self._seen.get(number)
        if found is None and number in self._shelf.directory.folders:
            found = self._seen[number] = self._shelf.load(number)
            if not self._keep and len(self._seen) > _AT_ONCE:  # a list of threads asks for all, one after the other
                del self._seen[next(iter(self._seen))]
                self._shelf.trim()
        return found

    def check_directory(self) -> None:
        """Where the directory is damaged, nobody can say that a thread is not there."""
        if self._shelf.directory.damage:
            raise self._shelf.directory.damaged()

    def faults(self, number: int | None) -> list[str]:
        """What is wrong with the file of a tree, or of the directory."""
        directory = self._shelf.directory
        one = directory if number is None else self.whole(number)
        if one is None:
            return []
        told = [f"{one.segment.path}: bytes {start} to {end} are damaged" for start, end in one.damage]
        behind = directory.is_behind(one) if isinstance(one, Tree) else None
        return [*told, *info.check(one.segment), *([behind] if behind else [])]

    def forgetting(self) -> list[str]:
        """Whether the directory has lost records, which may have named threads."""
        directory = self._shelf.directory
        return [*([str(directory.damaged())] if directory.damage else []), *info.check(directory.segment)]

    def unlisted(self) -> list[str]:
        """Folders that hold what was saved, and that the directory does not know."""
        return [sentence(one) for one in unlisted(self._shelf.root, self._shelf.directory)]

    def add(self, tree: Tree) -> None:
        """A tree that is about to be born."""
        self._seen[tree.number] = tree
