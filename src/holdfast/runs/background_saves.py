"""Saves that are written in the background while the run continues: in order, bounded, none after one that failed.

What the run and the worker share are a queue and locks of C code, so that a signal handler may raise at any place of a
call. A process that ends in an orderly way writes what is left.
"""

from __future__ import annotations

import _thread
import atexit
import threading
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import Final, NamedTuple
from weakref import WeakSet

from holdfast._system import process_fork
from holdfast.errors import WriteLost

LIMIT: Final = 64  # saves; a run that is faster than its disk waits here
_LONGEST_WAIT: Final = 0.1  # seconds after which a run that waits looks again


class _Save(NamedTuple):
    checkpoint_id: str
    write: Callable[[], object]


class Backlog:
    """One worker for one run."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._work: SimpleQueue[_Save | _thread.LockType] = SimpleQueue()  # a lock is released when its turn comes
        self._room = threading.Lock()  # released when a save is done
        self._lost: tuple[str, BaseException] | None = None
        self._is_closed = False
        self._worker = _thread.start_new_thread(self._run, ())
        _open.add(self)

    def put(self, checkpoint_id: str, write: Callable[[], object]) -> None:
        self.check()
        while self._work.qsize() >= LIMIT:
            self._room.acquire(timeout=_LONGEST_WAIT)
        self._work.put(_Save(checkpoint_id, write))

    def check(self) -> None:
        """Raises `WriteLost` if a save was lost: at the next call of the run, and at every later one."""
        if self._lost is not None:
            first, error = self._lost
            raise WriteLost(
                f"{self._name}: checkpoint {first!r} could not be written in the background ({error}); "
                "nothing after it was written",
                first=first,
            ) from error

    def flush(self) -> None:
        """Wait until everything is written, so that a read of the thread sees every save before it."""
        if not self._is_closed and _thread.get_ident() != self._worker:
            reached = threading.Lock()
            reached.acquire()
            self._work.put(reached)
            reached.acquire()

    def close(self) -> None:
        """Write everything and stop the worker."""
        self.flush()
        self._is_closed = True
        _open.discard(self)
        self._work.put(threading.Lock())

    def _run(self) -> None:
        while not self._is_closed:
            item = self._work.get()
            if isinstance(item, _Save):
                self._write(item)
            elif item.locked():
                item.release()

    def _write(self, save: _Save) -> None:
        try:
            if self._lost is None:
                save.write()
        except BaseException as error:
            self._lost = (save.checkpoint_id, error)
        with suppress(RuntimeError):  # the run does not wait
            self._room.release()


_open: WeakSet[Backlog] = WeakSet()


def _drain() -> None:
    """At the end of the process, while the workers still run."""
    for backlog in list(_open):
        backlog.flush()


def _after_fork() -> None:
    """The workers, and what they have to write, are the parent's."""
    global _open
    _open = WeakSet()


process_fork.register(after_in_child=_after_fork)
atexit.register(_drain)
# A process of multiprocessing ends without `atexit`. It does call what `concurrent.futures` registers here.
with suppress(RuntimeError):  # this module is first imported while the interpreter ends
    getattr(threading, "_register_atexit", atexit.register)(_drain)
