"""Holdfast keeps the state of AI agents and workflows: every step is a checkpoint that survives a crash and can be
listed, rewound, diffed and forked.

>>> import holdfast
>>> with holdfast.open("memory:") as store:
...     thread = store.thread("support/42")
...     first = thread.save({"messages": ["hello"]})
...     second = thread.update({"messages": ["hi!"]}, reduce={"messages": holdfast.extend})
...     print(thread.diff(first.id, second.id).changes[0])
+ messages[1]: 'hi!'
"""

from holdfast._version import __version__
from holdfast.aio import AsyncJournal, AsyncRun, AsyncStore, AsyncThread, aopen
from holdfast.codec import Opaque
from holdfast.engine.diff import Diff, Difference
from holdfast.engine.reduce import extend, merge, replace
from holdfast.errors import (
    AccessDenied,
    Busy,
    Closed,
    Conflict,
    Contended,
    Corrupt,
    Decide,
    Deleted,
    Diverged,
    EncodeError,
    Fenced,
    FixTheCall,
    HoldfastError,
    Interrupted,
    InvalidArgument,
    InvalidId,
    LookAtTheStorage,
    NewerFormat,
    NotAStore,
    NotFound,
    NotInterrupted,
    ReadOnly,
    StepFailed,
    StorageFailed,
    StorageFull,
    ThreadBusy,
    TryAgain,
    Unreachable,
    UnsafeEffect,
    WriteLost,
)
from holdfast.journal import Effect, JournalEntry, Recovery
from holdfast.model import (
    ROOT,
    Checkpoint,
    CheckpointInfo,
    CollectReport,
    Fault,
    ForkPoint,
    Lease,
    PendingWrite,
    PruneReport,
    Retention,
    ThreadInfo,
    VerifyReport,
    is_terminal,
)
from holdfast.runs import UNSET
from holdfast.store import Journal, Run, Store, Thread, open

__all__ = [
    "ROOT",
    "UNSET",
    "AccessDenied",
    "AsyncJournal",
    "AsyncRun",
    "AsyncStore",
    "AsyncThread",
    "Busy",
    "Checkpoint",
    "CheckpointInfo",
    "CollectReport",
    "Closed",
    "Conflict",
    "Contended",
    "Corrupt",
    "Decide",
    "Deleted",
    "Diff",
    "Difference",
    "Diverged",
    "Effect",
    "EncodeError",
    "Fault",
    "Fenced",
    "FixTheCall",
    "ForkPoint",
    "HoldfastError",
    "Interrupted",
    "InvalidArgument",
    "InvalidId",
    "Journal",
    "JournalEntry",
    "Lease",
    "LookAtTheStorage",
    "NewerFormat",
    "NotAStore",
    "NotFound",
    "NotInterrupted",
    "Opaque",
    "PendingWrite",
    "PruneReport",
    "ReadOnly",
    "Recovery",
    "Retention",
    "Run",
    "StepFailed",
    "StorageFailed",
    "StorageFull",
    "Store",
    "Thread",
    "ThreadBusy",
    "ThreadInfo",
    "TryAgain",
    "Unreachable",
    "UnsafeEffect",
    "VerifyReport",
    "WriteLost",
    "__version__",
    "aopen",
    "extend",
    "is_terminal",
    "merge",
    "open",
    "replace",
]
