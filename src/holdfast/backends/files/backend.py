"""The contract on a folder of plain files.

**Crash.** A commit is one record, covered by one checksum, in one file that is synced before the commit returns.
Earlier records are already on disk, so a crash at any byte leaves the record complete, or a torn end that readers
ignore and the next writer cuts off. A failed write or fsync is cut off at once; while that fails too, this store keeps
the lock and writes nothing else.

**Processes.** Any number may read and write. Writers take turns by a lock that is held for one commit. Readers take no
lock; before each answer they check whether the files have changed.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import ClassVar, TypeVar

from holdfast._system import process_fork
from holdfast._system.atomic_files import publish_new, translated
from holdfast._system.interrupts import is_interrupt
from holdfast._system.uninterrupted import uninterrupted
from holdfast.backends.base import ANY, BACKUPS, Batch, Capabilities, Filter, Found, Piece, Progress, Want
from holdfast.backends.common import commit_queue, network_fs
from holdfast.backends.common.commit_queue import Ticket
from holdfast.backends.files import folder_access, folder_backup, store_folder
from holdfast.backends.files.committer import Committer
from holdfast.backends.files.lock import ProcessLock, check_system
from holdfast.backends.files.log_cache import LogCache, ReadView
from holdfast.backends.files.logs import directory_log
from holdfast.backends.files.logs.log_file import TornWrite
from holdfast.backends.files.salvage import Salvage, unlisted_faults
from holdfast.backends.memory.queries import Scope, TableBackend, checkpoints, find, journal, pieces
from holdfast.backends.rows import CheckpointRow, JournalRow
from holdfast.errors import HoldfastError, InvalidArgument, LookAtTheStorage

R = TypeVar("R")


class FilesBackend(TableBackend):
    capabilities: ClassVar = Capabilities(name="files", blocking=True, durable=True, shared=True)

    def __init__(self, root: Path) -> None:
        check_system()
        # The process may change its working folder. If the user named a link, it is followed now, and no link is later.
        self.root = Path(os.path.realpath(root))
        self._start()
        network_fs.warn(self.root, self.root.parent)
        store_folder.prepare(self.root, self._lock)
        with translated(self.root):
            self._cache.view()
            if (self.root / folder_backup.MARKER).exists():
                with self._exclusive():
                    folder_backup.raise_epochs(self.root, self._cache, self._committer)
        process_fork.register(
            before=self.before_fork, after_in_parent=self.after_in_parent, after_in_child=self.after_in_child
        )

    def _start(self) -> None:
        self._writing = threading.Lock()
        self._queue: deque[Ticket] = deque()
        self._tables_lock = threading.RLock()
        self._is_reading = False
        self._lock = ProcessLock(self.root / store_folder.LOCK)
        self._cache = LogCache(self.root)
        self._committer = Committer(self._cache)

    # ---------------------------------------------------------------- writing

    async def commit(self, batch: Batch) -> bool:
        return uninterrupted(commit_queue.commit_each, [batch], self._queue, self._writing, self._commit_all)[0]

    async def commit_each(self, batches: Sequence[Batch]) -> list[bool]:
        return uninterrupted(commit_queue.commit_each, batches, self._queue, self._writing, self._commit_all)

    def _commit_all(self, tickets: list[Ticket]) -> None:
        try:
            with self._locked():
                self._committer.commit(tickets)
        except HoldfastError as error:
            for ticket in tickets:
                if not ticket.is_done:
                    ticket.fail(error)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """No other process writes. The caller holds `_writing`, which does the same for the threads of this process."""
        with translated(self.root):
            self._lock.acquire()
        with self._tables_lock:
            self._forget_partial_read()
            try:
                yield
            finally:
                if self._committer.is_clean:
                    self._lock.release()

    @contextmanager
    def _exclusive(self) -> Iterator[None]:
        with self._writing, self._locked():
            yield

    # ---------------------------------------------------------------- reading

    def ask(self, question: Callable[[Scope], R]) -> R:
        return self._ask(question)

    def _ask(self, question: Callable[[ReadView], R]) -> R:
        """Ask again if the directory changed during the answer: a batch in two files is seen in both or in none."""
        with self._tables_lock, translated(self.root):
            self._forget_partial_read()
            self._is_reading = True
            try:
                answer = self._answer(question)
            except Exception as error:
                self._is_reading = is_interrupt(error)
                raise
            self._is_reading = False
            return answer

    def _answer(self, question: Callable[[ReadView], R]) -> R:
        while True:
            view = self._cache.view()
            try:
                answer = question(view)
            except LookAtTheStorage:
                if self._cache.is_outdated():
                    continue
                raise
            if not self._cache.is_outdated():
                break
        self._cache.trim()
        return answer

    def _forget_partial_read(self) -> None:
        """If a signal handler has interrupted a read, what is in memory may be half of a record: read it again."""
        if self._is_reading:
            self._cache.reset()
            self._is_reading = False

    async def find(self, thread_id: str, namespace: str, tombstone: bytes) -> Found:
        def question(view: ReadView) -> Found:
            found = find(view, thread_id, namespace, tombstone)
            view.check_found(found)
            return found

        return self._ask(question)

    async def checkpoints(
        self, tree: int, line: int, lo: int, hi: int, limit: int, where: Filter = ANY, *, oldest: bool = False
    ) -> list[CheckpointRow]:
        def question(view: ReadView) -> list[CheckpointRow]:
            rows = checkpoints(view, tree, line, lo, hi, limit, where, oldest=oldest)
            first, last = lo, hi
            # A full page vouches only for the range up to its last row.
            if 0 < limit == len(rows):
                first, last = (lo, rows[-1].seq) if oldest else (rows[-1].seq, hi)
            view.check_checkpoints(tree, line, first, last)
            return rows

        return self._ask(question)

    async def chunks(self, tree: int, wants: Sequence[Want]) -> list[list[Piece]]:
        def question(view: ReadView) -> list[list[Piece]]:
            found = [pieces(view.tree(tree), tree, want.log, want.pos) for want in wants]
            view.check_chunks(tree, wants, found)
            return found

        return self._ask(question)

    async def journal(self, tree: int, line: int, lo: int, hi: int, limit: int) -> list[JournalRow]:
        def question(view: ReadView) -> list[JournalRow]:
            rows = journal(view, tree, line, lo, hi, limit)
            view.check_journal(tree, line, lo, rows[-1].seq if len(rows) == limit else hi)
            return rows

        return self._ask(question)

    # ---------------------------------------------------------------- maintenance

    async def bytes_stored(self) -> int:
        with translated(self.root):
            return store_folder.size(self.root)

    async def give_back(self) -> None:
        uninterrupted(self._changed, lambda: self._committer.compact_all(thoroughly=True))

    def _changed(self, change: Callable[[], R]) -> R:
        with self._exclusive(), translated(self.root):
            return change()

    def rights(self) -> int:
        with translated(self.root):
            return folder_access.rights_of(self.root / directory_log.FILE)

    async def backup(self, path: Path, progress: Progress | None) -> str:
        target = Path(os.path.abspath(path))
        if Path(os.path.realpath(target.parent)).is_relative_to(self.root):
            raise InvalidArgument(f"{path}: this is inside the store's own folder; name a path outside of it")
        # A store that is gone is reported as such, and not as a fault of the target.
        with translated(self.root):
            rights = folder_access.folder_rights(self.root)
        with publish_new(target, rights=rights, is_folder=True) as part:
            folder_backup.copy(self.root, part, self._exclusive, progress)
        return f"file:{path}"

    async def scrub(self) -> list[str]:
        return [BACKUPS, *uninterrupted(self._changed, lambda: self._committer.scrub())]

    async def check(self) -> list[str]:
        """Damaged bytes, files that can't be read or have lost their end, and unlisted folders."""
        faults = self._ask(lambda view: view.faults(None))
        try:
            faults += self._ask(lambda _: unlisted_faults(self._cache))
        except LookAtTheStorage as error:
            faults.append(str(error))
        for number in self._ask(lambda view: list(view.all_trees())):
            try:
                faults += self._ask(lambda view, number=number: view.faults(number))  # type: ignore[misc]
            except LookAtTheStorage as error:
                faults.append(str(error))
        return faults

    async def unlisted(self) -> list[str]:
        return self._ask(lambda view: [*view.lost_records(), *unlisted_faults(self._cache)])

    async def mend(self) -> list[str]:
        return uninterrupted(self._changed, lambda: Salvage(self._cache).repair())

    @property
    def torn_writes(self) -> list[TornWrite]:
        """What this store cut off the ends of files: unacknowledged writes of processes that died."""
        with self._tables_lock:
            return self._cache.torn_writes()

    # ---------------------------------------------------------------- the end, and forks

    async def close(self) -> None:
        uninterrupted(self._close)

    def _close(self) -> None:
        with self._writing, self._tables_lock:
            if self._committer.has_written:
                with suppress(HoldfastError, OSError):  # everything is on disk; this only saves space
                    self._lock.acquire(0.0)
                    self._committer.compact_all()
            self._cache = LogCache(self.root)  # frees the memory
            self._committer = Committer(self._cache)
            self._lock.close()

    def before_fork(self) -> None:
        self._writing.acquire()
        self._tables_lock.acquire()

    def after_in_parent(self) -> None:
        self._tables_lock.release()
        self._writing.release()

    def after_in_child(self) -> None:
        """The child starts with nothing. Closing the inherited lock does not release the parent's."""
        self._lock.close()
        self._start()
