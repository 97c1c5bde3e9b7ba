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
from holdfast.aio import AsyncStore, AsyncThread, aopen
from holdfast.codec import Opaque
from holdfast.engine.diff import Diff, Difference
from holdfast.engine.reduce import extend, merge, replace
from holdfast.errors import (
    Busy,
    Closed,
    Conflict,
    Contended,
    Corrupt,
    Decide,
    Deleted,
    EncodeError,
    FixTheCall,
    HoldfastError,
    InvalidArgument,
    InvalidId,
    LookAtTheStorage,
    NewerFormat,
    NotAStore,
    NotFound,
    ReadOnly,
    StorageFailed,
    StorageFull,
    ThreadBusy,
    TryAgain,
)
from holdfast.model import (
    ROOT,
    Checkpoint,
    CheckpointInfo,
    ForkPoint,
    PendingWrite,
    ThreadInfo,
    is_terminal,
)
from holdfast.store import Store, Thread, open

__all__ = [
    "ROOT",
    "AsyncStore",
    "AsyncThread",
    "Busy",
    "Checkpoint",
    "CheckpointInfo",
    "Closed",
    "Conflict",
    "Contended",
    "Corrupt",
    "Decide",
    "Deleted",
    "Diff",
    "Difference",
    "EncodeError",
    "FixTheCall",
    "ForkPoint",
    "HoldfastError",
    "InvalidArgument",
    "InvalidId",
    "LookAtTheStorage",
    "NewerFormat",
    "NotAStore",
    "NotFound",
    "Opaque",
    "PendingWrite",
    "ReadOnly",
    "StorageFailed",
    "StorageFull",
    "Store",
    "Thread",
    "ThreadBusy",
    "ThreadInfo",
    "TryAgain",
    "__version__",
    "aopen",
    "extend",
    "is_terminal",
    "merge",
    "open",
    "replace",
]
