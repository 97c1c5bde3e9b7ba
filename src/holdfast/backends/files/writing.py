"""Committing: the lock between processes, groups of batches, undoing what failed, and tidying up behind."""

from __future__ import annotations

import logging
from collections import deque
from contextlib import suppress
from typing import Final

from holdfast.backends.files import folder, info
from holdfast.backends.files.failures import translate, translated
from holdfast.backends.files.folder import THREADS
from holdfast.backends.files.group import Group
from holdfast.backends.files.lock import ProcessLock
from holdfast.backends.files.segment import Segment, sync_folder
from holdfast.backends.files.shelf import Shelf
from holdfast.backends.files.tree import Tree
from holdfast.backends.tickets import Ticket
from holdfast.errors import LookAtTheStorage

log: Final = logging.getLogger("holdfast")
_GARBAGE: Final = 0.3
_GARBAGE_AT_CLOSE: Final = 0.1
_LARGE: Final = 64 * 1024
_FULL_DIRECTORY: Final = 1024 * 1024
_FULL_AT_CLOSE: Final = 256 * 1024


class Writer:
    """For whoever holds the store's locks: that between processes, and that of its tables."""

    def __init__(self, shelf: Shelf, lock: ProcessLock) -> None:
        self._shelf = shelf
        self._lock = lock
        self.has_written = False

    # ---------------------------------------------------------------- committing

    def commit(self, tickets: list[Ticket]) -> None:
        with translated(self._shelf.root):
            self._cut_back()
            if not self.has_written:
                self._shelf.look()
                self._tidy_folders()
                self.has_written = True
        waiting = deque(tickets)
        while waiting:
            self._commit_some(waiting)
        self._shelf.trim()

    def _commit_some(self, waiting: deque[Ticket]) -> None:
        with translated(self._shelf.root):
            group = Group(self._shelf)
        added: list[Ticket] = []
        try:
            self._collect(group, waiting, added)
            changed = group.write()
        except Exception as error:
            self._undo(group)
            self._fail(added, error)
        except BaseException:
            self._undo(group)
            raise
        else:
            for ticket in added:
                ticket.answer(True)
            self._rewrite(changed)

    def _collect(self, group: Group, waiting: deque[Ticket], added: list[Ticket]) -> None:
        """Add batches to a group; who is refused learns it at once."""
        while waiting and not group.complete:
            ticket = waiting.popleft()
            added.append(ticket)
            try:
                if group.add(ticket.batch):
                    continue
                ticket.answer(False)
            except Exception as error:
                if group.half_applied:
                    raise
                ticket.fail(error)
            added.pop()

    def _fail(self, added: list[Ticket], error: Exception) -> None:
        """If the disk is at fault all of them failed. If not, one of them is, and the others are tried without it."""
        if len(added) == 1 or isinstance(error, OSError):
            told = translate(error, self._shelf.root) if isinstance(error, OSError) else error
            for ticket in added:
                ticket.fail(told)
        else:
            for ticket in added:
                self._commit_some(deque([ticket]))

    def _undo(self, group: Group) -> None:
        group.undo()
        with suppress(OSError):  # tried again before the next commit
            self._cut_back()

    def _cut_back(self) -> None:
        """Undo failed writes in their files. Until that is done nothing else may be written."""
        for segment in self._uncut():
            segment.cut_back()

    def _uncut(self) -> list[Segment]:
        found = [self._shelf.directory.segment, *(tree.segment for tree in self._shelf.trees.values())]
        return [segment for segment in found if segment.uncut]

    @property
    def clean(self) -> bool:
        """Whether the files hold nothing but what was acknowledged. If not, no one else may write meanwhile."""
        return not self._uncut()

    # ---------------------------------------------------------------- tidying

    def _tidy_folders(self) -> None:
        """Remove what a process left that died between a commit and the folder that it makes or removes."""
        directory = self._shelf.directory
        self._remove_leftovers()
        if not directory.damage:
            folder.remove_unborn(self._shelf.root, {*directory.folders.values(), *directory.leftovers})

    def _remove_leftovers(self) -> None:
        directory = self._shelf.directory
        live = set(directory.folders.values())
        threads = self._shelf.root / THREADS
        directory.leftovers = {
            name for name in directory.leftovers if name not in live and not folder.remove_tree(threads / name)
        }

    def _rewrite(self, changed: list[Tree]) -> None:
        """Write files anew that are garbage for a good part: each byte is written a few times at most."""
        for tree in changed:
            self._rewrite_tree(tree, _GARBAGE, _LARGE)
        self._settle(_FULL_DIRECTORY, 0.5)

    def _rewrite_tree(self, tree: Tree, share: float, smallest: int) -> None:
        try:
            if tree.rewrite(share, smallest):
                self._shelf.describe(tree)
        except OSError as error:
            log.info("%s: could not be written anew, and stays as it is (%s)", tree.segment.path, error)
            tree.start_over()

    def _settle(self, size: int, share: float) -> None:
        """Carry over what waits in the directory for trees, and write the directory anew without it."""
        directory = self._shelf.directory
        if directory.segment.end < size or directory.garbage() < share or directory.damage:
            return
        try:
            for number in list(directory.waiting):
                self._carry_over(number)
                if number in self._shelf.trees:
                    self._rewrite_tree(self._shelf.trees[number], _GARBAGE, _LARGE)
            self._rewrite_directory()
        except OSError as error:
            log.info("%s: could not be written anew, and stays as it is (%s)", directory.segment.path, error)
            directory.start_over()
            with suppress(OSError):
                self._cut_back()

    def _carry_over(self, number: int) -> None:
        waiting = self._shelf.directory.waiting[number]
        try:
            tree = self._shelf.load(number)
            if any(one > tree.carried for one, _ in waiting):
                tree.append(waiting, [])
        except LookAtTheStorage:  # its parts stay where they are
            return
        except OSError:
            self._shelf.trees[number].start_over()
            raise
        del self._shelf.directory.waiting[number]

    def tidy(self, *, thoroughly: bool = False) -> None:
        """Leave as few bytes as is worth the work, or no garbage at all, unless someone else is writing."""
        self._cut_back()
        self._shelf.look()
        self._settle(_FULL_AT_CLOSE, 0.3)
        for number in [number for number, tree in self._shelf.trees.items() if tree.written]:
            tree = self._shelf.load(number)  # as it is now: others may have written since
            self._rewrite_tree(tree, *((0.0, 0) if thoroughly else (_GARBAGE_AT_CLOSE, _LARGE)))
            self._shelf.describe(tree)
        info.write_root(self._shelf.directory.segment)

    def _rewrite_directory(self) -> None:
        """The folders of trees that are gone are off the disk before the directory forgets them: nobody would know what
        they are, if they came back."""
        self._remove_leftovers()
        sync_folder(self._shelf.root / THREADS)
        self._shelf.directory.rewrite()

    def scrub(self) -> list[str]:
        """Write every file anew that holds anything but its rows; says which ones could not be."""
        self._cut_back()
        self._shelf.look()
        directory = self._shelf.directory
        told: list[str] = []
        for number in list(directory.waiting):
            self._carry_over(number)
        for number in list(directory.folders):
            try:
                tree = self._shelf.load(number)
                is_clean = tree.rewrite(0.0, 0)
                if is_clean or not self._shelf.is_described(tree):
                    self._shelf.describe(tree)
                if not is_clean and tree.garbage() > 0:
                    raise tree.damaged()
            except LookAtTheStorage as error:
                told.append(str(error))
            self._shelf.trim()
        if directory.damage:  # written anew it would look sound
            told.append(str(directory.damaged()))
        else:
            self._rewrite_directory()
            info.write_root(directory.segment)
        return [*told, *folder.left_behind(self._shelf.root)]
