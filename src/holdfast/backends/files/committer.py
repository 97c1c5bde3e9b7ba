"""Commits groups of batches, undoes what failed, and compacts files that are mostly garbage."""

from __future__ import annotations

import logging
from collections import deque
from typing import Final

from holdfast._system.atomic_files import sync_folder, translate, translated
from holdfast._system.interrupts import ignoring, is_interrupt
from holdfast.backends.common.commit_queue import Ticket
from holdfast.backends.files import info_json, store_folder
from holdfast.backends.files.commit_group import CommitGroup
from holdfast.backends.files.log_cache import LogCache
from holdfast.backends.files.logs.log_file import LogFile
from holdfast.backends.files.logs.tree_log import TreeLog
from holdfast.backends.files.store_folder import THREADS
from holdfast.errors import LookAtTheStorage

log: Final = logging.getLogger("holdfast")
_GARBAGE: Final = 0.3
_GARBAGE_AT_CLOSE: Final = 0.1
_LARGE: Final = 64 * 1024
_FULL_DIRECTORY: Final = 1024 * 1024
_FULL_AT_CLOSE: Final = 256 * 1024


class Committer:
    """Its caller holds both locks of the store: the one between processes, and the one of the tables."""

    def __init__(self, cache: LogCache) -> None:
        self._cache = cache
        self.has_written = False

    # ---------------------------------------------------------------- committing

    def commit(self, tickets: list[Ticket]) -> None:
        with translated(self._cache.root):
            self._undo_failed_writes()
            if not self.has_written:
                self._start_writing()
        queue = deque(tickets)
        while queue:
            self._commit_some(queue)
        self._cache.trim()

    def _start_writing(self) -> None:
        self._cache.view()
        directory = self._cache.directory
        directory.file.check_writable()
        self._remove_unused_folders()
        if directory.file.is_old and not directory.damage:
            self._rewrite_directory()
        self.has_written = True

    def _commit_some(self, queue: deque[Ticket]) -> None:
        with translated(self._cache.root):
            group = CommitGroup(self._cache)
        added: list[Ticket] = []
        try:
            self._collect(group, queue, added)
            changed = group.write()
        except Exception as error:
            self._undo(group)
            if is_interrupt(error):
                raise
            self._fail(added, error)
        except BaseException:
            self._undo(group)
            raise
        else:
            for ticket in added:
                ticket.answer(True)
            self._compact(changed)

    def _collect(self, group: CommitGroup, queue: deque[Ticket], added: list[Ticket]) -> None:
        """Add batches to a group; a batch that is refused is answered at once."""
        while queue and not group.is_complete:
            ticket = queue.popleft()
            added.append(ticket)
            try:
                if group.add(ticket.batch):
                    continue
                ticket.answer(False)
            except Exception as error:
                if group.half_applied or is_interrupt(error):
                    raise
                ticket.fail(error)
            added.pop()

    def _fail(self, added: list[Ticket], error: Exception) -> None:
        """A disk error fails all of them. Any other error is due to one of them, so each is tried alone."""
        if isinstance(error, OSError):
            error = translate(error, self._cache.root)
        elif len(added) > 1:
            for ticket in added:
                self._commit_some(deque([ticket]))
            return
        for ticket in added:
            ticket.fail(error)

    def _undo(self, group: CommitGroup) -> None:
        group.undo()
        with ignoring(OSError):  # tried again before the next commit
            self._undo_failed_writes()

    def _undo_failed_writes(self) -> None:
        """Cut failed writes off their files. Until that succeeds nothing else may be written."""
        for file in self._files_with_failed_writes():
            file.undo_failed_write()

    def _files_with_failed_writes(self) -> list[LogFile]:
        files = [self._cache.directory.file, *(tree.file for tree in self._cache.trees.values())]
        return [file for file in files if file.has_failed_write]

    @property
    def is_clean(self) -> bool:
        """Whether the files hold acknowledged writes only. If not, no other process may write."""
        return not self._files_with_failed_writes()

    # ---------------------------------------------------------------- folders

    def _remove_unused_folders(self) -> None:
        """Remove what a process left that died between a commit and the folder that it creates or removes."""
        directory = self._cache.directory
        self._remove_leftovers()
        if not directory.damage:
            store_folder.remove_unused(self._cache.root, {*directory.folders.values(), *directory.leftovers})

    def _remove_leftovers(self) -> None:
        directory = self._cache.directory
        live = set(directory.folders.values())
        threads = self._cache.root / THREADS
        directory.leftovers = {
            name for name in directory.leftovers if name not in live and not store_folder.remove_tree(threads / name)
        }

    # ---------------------------------------------------------------- compaction

    def _compact(self, changed: list[TreeLog]) -> None:
        """Rewrite files with much garbage: on average each byte is written at most a few times."""
        for tree in changed:
            self._compact_tree(tree, _GARBAGE, _LARGE)
        self._compact_directory(_FULL_DIRECTORY, 0.5)

    def _compact_tree(self, tree: TreeLog, share: float, smallest: int) -> None:
        try:
            if tree.compact(share, smallest):
                self._cache.describe(tree)
        except OSError as error:
            tree.reset()
            if is_interrupt(error):
                raise
            log.info("%s: could not be rewritten, and stays as it is (%s)", tree.file.path, error)

    def _compact_directory(self, size: int, share: float) -> None:
        """Carry over the parts that the directory holds for trees, and rewrite the directory without it."""
        directory = self._cache.directory
        if directory.file.end < size or directory.garbage() < share or directory.damage:
            return
        try:
            for number in list(directory.uncarried):
                self._carry_over(number)
                if number in self._cache.trees:
                    self._compact_tree(self._cache.trees[number], _GARBAGE, _LARGE)
            self._rewrite_directory()
        except OSError as error:
            directory.reset()
            with ignoring(OSError):
                self._undo_failed_writes()
            if is_interrupt(error):
                raise
            log.info("%s: could not be rewritten, and stays as it is (%s)", directory.file.path, error)

    def _carry_over(self, tree_number: int) -> None:
        parts = self._cache.directory.uncarried[tree_number]
        try:
            tree = self._cache.load(tree_number)
            if any(number > tree.carried for number, _ in parts):
                tree.upgrade()
                tree.append(parts, [])
        except LookAtTheStorage:  # its parts stay in the directory
            return
        except OSError:
            self._cache.trees[tree_number].reset()
            raise
        del self._cache.directory.uncarried[tree_number]

    def _rewrite_directory(self) -> None:
        """Folders of removed trees are off the disk before the directory forgets them: if they came back after a power
        cut, nothing would say what they are."""
        self._remove_leftovers()
        sync_folder(self._cache.root / THREADS)
        self._cache.directory.rewrite()

    # ---------------------------------------------------------------- maintenance

    def compact_all(self, *, thoroughly: bool = False) -> None:
        """Rewrite what this store has written, if it pays; with `thoroughly`, if there is any garbage in it."""
        self._prepare_maintenance()
        self._compact_directory(_FULL_AT_CLOSE, 0.3)
        for number in [number for number, tree in self._cache.trees.items() if tree.is_info_outdated]:
            tree = self._cache.load(number)  # other processes may have written since
            self._compact_tree(tree, *((0.0, 0) if thoroughly else (_GARBAGE_AT_CLOSE, _LARGE)))
            self._cache.describe(tree)
        info_json.write_root(self._cache.directory.file)

    def _prepare_maintenance(self) -> None:
        self._undo_failed_writes()
        self._cache.view()
        self._cache.directory.file.check_writable()

    def scrub(self) -> list[str]:
        """Rewrite every file that holds anything but its rows; says which could not be."""
        self._prepare_maintenance()
        directory = self._cache.directory
        remains: list[str] = []
        for number in list(directory.uncarried):
            self._carry_over(number)
        for number in list(directory.folders):
            try:
                self._scrub_tree(self._cache.load(number))
            except LookAtTheStorage as error:
                remains.append(str(error))
            self._cache.trim()
        return [*remains, *self._scrub_directory(), *store_folder.remove_unfinished(self._cache.root)]

    def _scrub_tree(self, tree: TreeLog) -> None:
        is_rewritten = tree.compact(0.0, 0)
        if is_rewritten or not self._cache.is_described(tree):
            self._cache.describe(tree)
        if not is_rewritten and tree.garbage() > 0:
            raise tree.damaged()

    def _scrub_directory(self) -> list[str]:
        directory = self._cache.directory
        if directory.damage:  # a rewritten directory would look intact
            return [str(directory.damaged())]
        self._rewrite_directory()
        info_json.write_root(directory.file)
        threads = self._cache.root / THREADS
        return [
            f"{threads / name}: its thread is gone, but it could not be removed" for name in sorted(directory.leftovers)
        ]
