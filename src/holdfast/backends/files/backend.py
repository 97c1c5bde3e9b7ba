"""The contract on a folder of plain files.

**Crash.** A commit is one record, covered by one checksum, in one file that is synced before the commit returns. What
the file held before had been synced, so that a crash at any byte leaves the record whole, or a torn end that readers
ignore and the next writer cuts off. A failed write or fsync is cut off again at once; while that fails too, this store
keeps the lock and writes nothing else.

**Processes.** Any number may read and write. Writers take turns by a lock that is held for one commit; readers take
none, and look before each answer whether the files have grown.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import ClassVar, TypeVar
from weakref import WeakSet

from holdfast.backends import fresh, networks, tickets
from holdfast.backends.base import ANY, BACKUPS, Batch, Capabilities, Filter, Found, Piece, Progress, Want
from holdfast.backends.files import copying, folder, gaps
from holdfast.backends.files.failures import translated
from holdfast.backends.files.lock import ProcessLock
from holdfast.backends.files.mending import Mender
from holdfast.backends.files.segment import Torn
from holdfast.backends.files.shelf import Look, Shelf
from holdfast.backends.files.writing import Writer
from holdfast.backends.rows import CheckpointRow, JournalRow
from holdfast.backends.tabled import Scope, TabledBackend, checkpoints, find, journal, pieces
from holdfast.backends.tickets import Ticket
from holdfast.errors import HoldfastError, InvalidArgument, LookAtTheStorage

R = TypeVar("R")


class FilesBackend(TabledBackend):
    capabilities: ClassVar = Capabilities(name="files", blocking=True, durable=True, shared=True)

    def __init__(self, root: Path) -> None:
        self.root = Path(os.path.abspath(root))  # the process may change its own folder
        self._start()
        networks.warn(self.root, self.root.parent)
        folder.prepare(self.root, self._lock)
        with translated(self.root):
            if (self.root / copying.MARK).exists():
                with self._alone():
                    copying.raise_epochs(self.root, self._shelf, self._writer)
            self._shelf.look()
        _alive.add(self)

    def _start(self) -> None:
        self._writing = threading.Lock()
        self._queue: deque[Ticket] = deque()
        self._gate = threading.RLock()
        self._lock = ProcessLock(self.root / folder.LOCK)
        self._shelf = Shelf(self.root)
        self._writer = Writer(self._shelf, self._lock)

    # ---------------------------------------------------------------- writing

    async def commit(self, batch: Batch) -> bool:
        return tickets.commit(batch, self._queue, self._writing, self._commit_all)

    def _commit_all(self, waiting: list[Ticket]) -> None:
        try:
            with self._turn():
                self._writer.commit(waiting)
        except HoldfastError as error:
            for ticket in waiting:
                if not ticket.done:
                    ticket.fail(error)

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """This process writes, and nobody else; of its threads the one that holds `_writing`."""
        with translated(self.root):
            self._lock.acquire()
        with self._gate:
            try:
                yield
            finally:
                if self._writer.clean:
                    self._lock.release()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        with self._writing, self._turn():
            yield

    # ---------------------------------------------------------------- reading

    def ask(self, question: Callable[[Scope], R]) -> R:
        return self._ask(question)

    def _ask(self, question: Callable[[Look], R]) -> R:
        """Ask again if the directory changed meanwhile: what one batch changed in two files is seen together."""
        with self._gate, translated(self.root):
            while True:
                look = self._shelf.look()
                try:
                    answer = question(look)
                except LookAtTheStorage:
                    if self._shelf.moved():
                        continue
                    raise
                if not self._shelf.moved():
                    break
            self._shelf.trim()
            return answer

    async def find(self, thread_id: str, namespace: str, grave: bytes) -> Found:
        def question(look: Look) -> Found:
            found = find(look, thread_id, namespace, grave)
            gaps.check_found(look, found)
            return found

        return self._ask(question)

    async def checkpoints(
        self, tree: int, line: int, lo: int, hi: int, limit: int, where: Filter = ANY, *, oldest: bool = False
    ) -> list[CheckpointRow]:
        def question(look: Look) -> list[CheckpointRow]:
            found = checkpoints(look, tree, line, lo, hi, limit, where, oldest=oldest)
            if 0 < limit == len(found):
                gaps.check_checkpoints(look, tree, line, *((lo, found[-1].seq) if oldest else (found[-1].seq, hi)))
            else:
                gaps.check_checkpoints(look, tree, line, lo, hi)
            return found

        return self._ask(question)

    async def chunks(self, tree: int, wants: Sequence[Want]) -> list[list[Piece]]:
        def question(look: Look) -> list[list[Piece]]:
            found = [pieces(look.tree(tree), tree, want.log, want.pos) for want in wants]
            gaps.check_chunks(look, tree, wants, found)
            return found

        return self._ask(question)

    async def journal(self, tree: int, line: int, lo: int, hi: int, limit: int) -> list[JournalRow]:
        def question(look: Look) -> list[JournalRow]:
            found = journal(look, tree, line, lo, hi, limit)
            gaps.check_journal(look, tree, line, lo, found[-1].seq if len(found) == limit else hi)
            return found

        return self._ask(question)

    async def bytes_stored(self) -> int:
        with translated(self.root):
            return folder.size(self.root)

    async def give_back(self) -> None:
        with self._alone(), translated(self.root):
            self._writer.tidy(thoroughly=True)

    async def backup(self, path: Path, progress: Progress | None) -> str:
        whole = Path(os.path.abspath(path))
        if whole.is_relative_to(self.root):
            raise InvalidArgument(f"{path}: this is inside the store's own folder; name a place outside of it")
        with translated(self.root):
            os.stat(self.root)  # one that is gone is no fault of the place that it is copied to
        with fresh.whole(whole) as part:
            copying.copy(self.root, part, self._alone, progress)
        return f"file:{path}"

    async def scrub(self) -> list[str]:
        with self._alone(), translated(self.root):
            return [BACKUPS, *self._writer.scrub()]

    async def check(self) -> list[str]:
        """Bytes of files that are no records, files that can't be read, files that are shorter than they were, and
        folders that nothing leads to."""
        found = self._ask(lambda look: [*look.faults(None), *look.unlisted()])
        for number in self._ask(lambda look: list(look.all_trees())):
            try:
                found += self._ask(lambda look, number=number: look.faults(number))  # type: ignore[misc]
            except LookAtTheStorage as error:
                found.append(str(error))
        return found

    async def unlisted(self) -> list[str]:
        return self._ask(lambda look: [*look.forgetting(), *look.unlisted()])

    async def mend(self) -> list[str]:
        with self._alone(), translated(self.root):
            return Mender(self._shelf).mend()

    @property
    def torn(self) -> list[Torn]:
        """What this store cut off the ends of files: writes of processes that died, which nobody was told about."""
        with self._gate:
            return self._shelf.all_torn()

    # ---------------------------------------------------------------- the end, and forks

    async def close(self) -> None:
        with self._writing, self._gate:
            if self._writer.has_written:
                with suppress(HoldfastError, OSError):  # everything is on disk; this only tidies
                    self._lock.acquire(0.0)
                    self._writer.tidy()
            self._shelf = Shelf(self.root)  # gives back the memory
            self._writer = Writer(self._shelf, self._lock)
            self._lock.close()

    def before_fork(self) -> None:
        self._writing.acquire()
        self._gate.acquire()

    def after_in_parent(self) -> None:
        self._gate.release()
        self._writing.release()

    def after_in_child(self) -> None:
        """The child starts with nothing. To close the parent's lock here does not release it."""
        self._lock.close()
        self._start()


_alive: WeakSet[FilesBackend] = WeakSet()
_forking: list[FilesBackend] = []


def _before_fork() -> None:
    _forking[:] = _alive
    for backend in _forking:
        backend.before_fork()


def _after_in_parent() -> None:
    for backend in _forking:
        backend.after_in_parent()
    _forking.clear()


def _after_in_child() -> None:
    for backend in _forking:
        backend.after_in_child()
    _forking.clear()


os.register_at_fork(before=_before_fork, after_in_parent=_after_in_parent, after_in_child=_after_in_child)
