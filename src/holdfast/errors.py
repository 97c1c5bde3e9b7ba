"""Every error Holdfast raises, grouped by what the caller can do next.

::

    HoldfastError
    ├── TryAgain                 nothing is wrong with the call; the same call may pass later
    │   ├── Busy                 another process holds the database
    │   ├── Contended            other writers changed this thread at every attempt
    │   └── ThreadBusy           another worker holds the thread's lease, until `until`
    ├── FixTheCall               the call as written can never pass
    │   ├── InvalidId            empty, too long, or with a NUL in it
    │   ├── InvalidArgument      an argument that makes no sense, or two that exclude each other
    │   ├── EncodeError          a value that can't be stored, and the path to it
    │   ├── TooLarge             a value with more bytes than the store was opened for
    │   ├── NotFound             a checkpoint, thread or parent that does not exist
    │   ├── NotInterrupted       a resume value for a thread that does not wait for one
    │   └── Closed               the store has been closed
    ├── Decide                   the store is fine, the call is fine, and they disagree: a person or program must choose
    │   ├── Conflict             the id, the head or the target is already something else
    │   ├── Deleted              the thread was deleted; `reuse=True` starts it again
    │   ├── Fenced               another worker took the thread over; this one must stop
    │   ├── UnsafeEffect         a step was begun and has no result, and may not be safe to repeat
    │   ├── Diverged             the code no longer calls a step that was recorded
    │   ├── StepFailed           a step that failed before is replayed
    │   ├── Interrupted          the thread waits for a resume value
    │   └── WriteLost            a background write failed; later ones were not written
    └── LookAtTheStorage         the file, disk or server needs attention
        ├── NotAStore            the file is not a Holdfast store
        ├── NewerFormat          written by a newer Holdfast
        ├── Corrupt              stored bytes do not match their checksum or digest
        ├── ReadOnly             the file, folder or server can't be written
        ├── AccessDenied         the server refused the user, or the user lacks a privilege
        ├── Unreachable          the server can't be reached, or does not answer
        ├── StorageFull          no space left
        └── StorageFailed        the disk or server reported an error

A message says what happened, where, and what to do about it. A call that raises changes nothing in the store.
"""

from __future__ import annotations

from datetime import datetime


class HoldfastError(Exception):
    """The root of every error here."""


class TryAgain(HoldfastError):
    """Nothing is wrong with the call: the same call may pass later."""


class Busy(TryAgain):
    """Another process kept the database locked for longer than the busy timeout."""


class Contended(TryAgain):
    """Other writers changed the thread during each of this call's attempts."""


class ThreadBusy(TryAgain):
    """Another worker holds the thread's lease; `until` says for how long at most."""

    def __init__(self, message: str, *, until: datetime | None = None) -> None:
        super().__init__(message)
        self.until = until


class FixTheCall(HoldfastError):
    """The call as written can never pass."""


class InvalidId(FixTheCall, ValueError):
    """An id that is empty, too long, not text, or has a NUL in it."""


class InvalidArgument(FixTheCall, ValueError):
    """An argument that makes no sense, or arguments that exclude each other."""


class EncodeError(FixTheCall, TypeError):
    """A value that can't be stored. `path` leads to it: ``state['plan'].steps[3]``."""

    def __init__(self, message: str, *, path: str = "") -> None:
        super().__init__(f"{path}: {message}" if path else message)
        self.path = path


class TooLarge(FixTheCall):
    """A value whose encoding has more bytes than ``max_value``, with which the store was opened. It is not damage."""


class NotFound(FixTheCall, LookupError):
    """A checkpoint, thread or parent that does not exist."""


class NotInterrupted(FixTheCall):
    """A resume value was passed to a thread that does not wait for one."""


class Closed(FixTheCall):
    """The store has been closed."""


class Decide(HoldfastError):
    """Store and call are both fine, and disagree: the caller must choose."""


class Conflict(Decide):
    """The id, the head or the target is already something else."""

    def __init__(self, message: str, *, expected: str | None = None, actual: str | None = None) -> None:
        super().__init__(message)
        self.expected = expected
        self.actual = actual


class Deleted(Decide):
    """The thread was deleted; ``store.thread(id, reuse=True)`` starts it again."""


class Fenced(Decide):
    """Another worker took the thread over. Nothing of this write was stored; this worker must stop."""


class UnsafeEffect(Decide):
    """A step was begun by a worker that died, and may not be safe to repeat: decide with `thread.resolve`."""

    def __init__(self, message: str, *, effect: int) -> None:
        super().__init__(message)
        self.effect = effect


class Diverged(Decide):
    """The code did not call a step that was recorded before: it has changed since, or is not deterministic."""


class StepFailed(Decide):
    """A step failed before, and the run continued after the failure; its `error_type` and `text` are replayed."""

    def __init__(self, message: str, *, error_type: str, text: str) -> None:
        super().__init__(message)
        self.error_type = error_type
        self.text = text


class Interrupted(Decide):
    """The thread waits for a value: `thread.run(resume=value)`. `payload` is what it asked."""

    def __init__(self, message: str, *, payload: object = None) -> None:
        super().__init__(message)
        self.payload = payload


class WriteLost(Decide):
    """A background write failed; `first` is the checkpoint that was lost, and nothing after it was written."""

    def __init__(self, message: str, *, first: str) -> None:
        super().__init__(message)
        self.first = first


class LookAtTheStorage(HoldfastError):
    """The file, the disk or the server needs attention."""


class NotAStore(LookAtTheStorage):
    """The file exists and is not a Holdfast store."""


class NewerFormat(LookAtTheStorage):
    """The store was written by a newer Holdfast than this one."""


class Corrupt(LookAtTheStorage):
    """Stored bytes do not match their checksum, or do not decode."""


class ReadOnly(LookAtTheStorage):
    """The file or its folder can't be written, or the server accepts no writes."""


class AccessDenied(LookAtTheStorage):
    """The server refused the user, or the user lacks a privilege."""


class Unreachable(LookAtTheStorage):
    """The server can't be reached, or does not answer. A write that was in progress may have been committed."""


class StorageFull(LookAtTheStorage):
    """No space is left where the store is."""


class StorageFailed(LookAtTheStorage):
    """The disk or the server reported an error."""
