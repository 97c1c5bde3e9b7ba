"""What this process has in memory of a store: the directory, and the trees that were used lately.

An answer that may lack what was in damaged bytes is an error. Answers that are provably complete are given: numbers
without a gap, and lines whose row was written after the damage.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final

from holdfast._system.atomic_files import translate, translated
from holdfast._system.interrupts import is_interrupt
from holdfast.backends.base import Found, Piece, Want
from holdfast.backends.files import folder_access, info_json
from holdfast.backends.files.logs.directory_log import DirectoryLog
from holdfast.backends.files.logs.log_file import FileState, TornWrite
from holdfast.backends.files.logs.row_encoding import DIRECTORY
from holdfast.backends.files.logs.tree_log import TreeLog
from holdfast.backends.files.store_folder import THREADS
from holdfast.backends.memory.tables import Tables
from holdfast.backends.rows import CheckpointRow, EarlyWriteRow, JournalRow, LineRow, ThreadRow
from holdfast.errors import Corrupt

MOST_BYTES: Final = 128 * 1024 * 1024
"""Of the files of the trees in memory, where they take two or three times as much."""
MOST_TREES: Final = 256
_TREES_PER_ANSWER: Final = 8


class LogCache:
    """For one thread at a time."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.directory = DirectoryLog(root)
        self.trees: OrderedDict[int, TreeLog] = OrderedDict()
        self._torn_writes: list[TornWrite] = []
        self._has_grown = False  # since it was trimmed

    def view(self, *, for_writing: bool = False) -> ReadView:
        """A view of the store as it is now; trees are read when they are first needed."""
        dropped = self.directory.catch_up()
        for number in list(self.trees) if dropped is None else dropped:
            self._forget(number)
        return ReadView(self, for_writing)

    def reset(self) -> None:
        """Read everything again."""
        self.directory.reset()
        for tree in self.trees.values():
            tree.reset()

    def is_outdated(self) -> bool:
        """Whether the directory has changed since the last view."""
        return self.directory.file.state() is not FileState.UNCHANGED

    def load(self, number: int) -> TreeLog:
        """A tree that the directory names, as its file is now."""
        tree = self.trees.get(number) or TreeLog(number, self.root / THREADS / self.directory.folders[number])
        try:
            tree.catch_up(self.directory.uncarried.get(number, []))
        except FileNotFoundError as error:
            if not self.root.is_dir():
                raise translate(error, self.root) from error
            folder_access.check_no_link(tree.folder, folder_access.TREE)
            raise Corrupt(
                f"{tree.file.path}: the file is missing; restore the folder {tree.folder.name!r} from a backup"
            ) from error
        except OSError as error:
            if is_interrupt(error):
                raise
            raise translate(error, tree.file.path) from error
        self._has_grown |= number not in self.trees
        self.trees[number] = tree
        self.trees.move_to_end(number)
        return tree

    def add(self, tree: TreeLog) -> None:
        """A tree that was just created."""
        self.trees[tree.number] = tree
        self._has_grown = True

    def trim(self) -> None:
        """Drop the trees that were not used lately, if they are many or large."""
        while self._has_grown and len(self.trees) > 1 and self._exceeds_limits():
            number = next((number for number, tree in self.trees.items() if not tree.file.has_failed_write), None)
            if number is None:
                return
            self._forget(number)
        self._has_grown = False

    def _exceeds_limits(self) -> bool:
        return len(self.trees) > MOST_TREES or sum(tree.file.end for tree in self.trees.values()) > MOST_BYTES

    def _forget(self, number: int) -> None:
        tree = self.trees.get(number)
        if tree is not None and not tree.file.has_failed_write:
            if tree.is_info_outdated and number in self.directory.folders:
                self.describe(tree)
            del self.trees[number]
            self._torn_writes += tree.file.torn_writes

    def torn_writes(self) -> list[TornWrite]:
        files = [self.directory.file, *(tree.file for tree in self.trees.values())]
        return [*self._torn_writes, *(torn for file in files for torn in file.torn_writes)]

    # ---------------------------------------------------------------- info.json

    def describe(self, tree: TreeLog) -> None:
        """Bring its `info.json` up to date."""
        threads = self._threads_of(tree)
        if self.directory.damage or self.directory.lost_before(tree):
            # Threads that the directory has lost are named here only.
            listed = {row.id for row in threads}
            threads += [row for row in info_json.threads(tree.folder) if row.id not in listed]
        info_json.write(tree.file, threads, tree.tables)
        tree.is_info_outdated = False

    def is_described(self, tree: TreeLog) -> bool:
        """Whether its `info.json` names exactly the threads that exist."""
        return info_json.is_current(tree.folder, self._threads_of(tree))

    def _threads_of(self, tree: TreeLog) -> list[ThreadRow]:
        threads = self.directory.tables[ThreadRow]
        return [threads.get(thread) for thread in self.directory.tables.threads_of(tree.number).values()]


class ReadView:
    """The `Scope` of one question, or of one group of batches: each tree is brought up to date once."""

    def __init__(self, cache: LogCache, for_writing: bool) -> None:
        self._cache = cache
        self._for_writing = for_writing
        self._loaded: dict[int, TreeLog] = {}

    # ---------------------------------------------------------------- the scope

    @property
    def directory(self) -> Tables:
        return self._cache.directory.tables

    def tree(self, number: int) -> Tables:
        log = self.tree_log(number)
        return Tables() if log is None else log.tables

    def all_trees(self) -> Iterable[int]:
        return self._cache.directory.folders

    def early_write_tables(self, thread: str) -> Sequence[Tables]:
        """Where early writes of a thread are: in its tree, or in the directory if they came before the thread."""
        row: ThreadRow | None = self.directory[ThreadRow].get(thread)
        return (self.directory,) if row is None else (self.directory, self.tree(row.tree))

    def tree_of(self, thread: str) -> int:
        """Where new early writes of a thread go: its tree, or the directory if the thread does not exist yet."""
        row: ThreadRow | None = self.directory[ThreadRow].get(thread)
        return DIRECTORY if row is None else row.tree

    def trees_with_old_writes(self, before: int) -> Iterator[int]:
        """Of the trees in memory: the others forget old writes when they are loaded."""
        for number, tree in list(self._cache.trees.items()):
            rows = tree.tables[EarlyWriteRow].rows
            if rows and any(row.created_at < before for row in rows.values()):
                yield number

    # ---------------------------------------------------------------- trees

    def tree_log(self, number: int) -> TreeLog | None:
        log = self._loaded.get(number)
        if log is None and number in self._cache.directory.folders:
            log = self._loaded[number] = self._cache.load(number)
            if self._for_writing:
                with translated(log.file.path):
                    log.upgrade()
            elif len(self._loaded) > _TREES_PER_ANSWER:  # a list of threads needs all trees, one after the other
                del self._loaded[next(iter(self._loaded))]
                self._cache.trim()
        return log

    def add(self, tree: TreeLog) -> None:
        """A tree that is about to be created."""
        self._loaded[tree.number] = tree

    # ---------------------------------------------------------------- damage

    def faults(self, number: int | None) -> list[str]:
        """What is wrong with the file of a tree, or with that of the directory (None)."""
        directory = self._cache.directory
        log = directory if number is None else self.tree_log(number)
        if log is None:
            return []
        damage = [f"{log.file.path}: bytes {start} to {end} are damaged" for start, end in log.damage]
        lost = directory.lost_before(log) if isinstance(log, TreeLog) else None
        return [*damage, *info_json.check(log.file), *([lost] if lost else [])]

    def lost_records(self) -> list[str]:
        """Whether the directory has lost records, which may have named threads."""
        directory = self._cache.directory
        return [*([str(directory.damaged())] if directory.damage else []), *info_json.check(directory.file)]

    def check_found(self, found: Found) -> None:
        """The rows found may not be the last that were saved, and a thread that is not found may have existed."""
        if found.thread is None:
            if self._cache.directory.damage:
                raise self._cache.directory.damaged()
            return
        tree = self._damaged_tree(found.thread.tree)
        if tree is not None:
            tree.check_line(found.root)
            if found.line is not None:
                tree.check_line(found.line)

    def check_checkpoints(self, number: int, line: int, lo: int, hi: int) -> None:
        row = self._line_of_damaged_tree(number, line)
        if row is not None:
            self._check_all(CheckpointRow, row, range(max(lo, row.base_seq + 1), min(hi, row.seq) + 1))

    def check_journal(self, number: int, line: int, lo: int, hi: int) -> None:
        row = self._line_of_damaged_tree(number, line)
        if row is not None:
            self._check_all(JournalRow, row, range(max(lo, row.base_journal + 1), min(hi, row.journal) + 1))

    def _line_of_damaged_tree(self, number: int, line: int) -> LineRow | None:
        tree = self._damaged_tree(number)
        return None if tree is None else tree.tables[LineRow].get(number, line)

    def _check_all(self, kind: type[CheckpointRow | JournalRow], line: LineRow, numbers: range) -> None:
        tree = self._damaged_tree(line.tree)
        if tree is not None and any(tree.tables[kind].get(line.tree, line.line, seq) is None for seq in numbers):
            raise tree.damaged()

    def check_chunks(self, number: int, wants: Sequence[Want], found: list[list[Piece]]) -> None:
        tree = self._damaged_tree(number)
        if tree is not None and not all(map(_is_complete, found, wants)):
            raise tree.damaged()

    def _damaged_tree(self, number: int) -> TreeLog | None:
        tree = self.tree_log(number)
        return tree if tree is not None and tree.damage else None


def _is_complete(found: list[Piece], want: Want) -> bool:
    """Whether the chunks lead to the wanted version without a gap."""
    chunks = [piece.chunk for piece in found]
    if not chunks or chunks[-1].log != want.log or chunks[-1].hi < want.pos:
        return False
    return all(after.log != before.log or after.lo == before.hi + 1 for before, after in pairwise(chunks))
