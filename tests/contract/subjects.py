"""The subjects of the contract in which it matters how a caller waits.

Every façade method runs async on the memory backend, with the whole contract: what it calls is the same code on every
backend. What differs on a real one is the threads or connections that a call uses, and these subjects exercise them:
many writers, several handles, closing, and one subject for each kind of read and write.
"""

from __future__ import annotations

from holdfast.testing.checkpoints.checkpoint_reads import CheckpointReads
from holdfast.testing.checkpoints.conditional_saves import ExpectedHead, RepeatedIds
from holdfast.testing.checkpoints.history import History
from holdfast.testing.checkpoints.saves import Saves
from holdfast.testing.checkpoints.task_writes import PendingWrites
from holdfast.testing.checkpoints.updates import Updates
from holdfast.testing.closed_stores import ClosedStores
from holdfast.testing.concurrency import Concurrency
from holdfast.testing.maintenance.backup_copies import Backups
from holdfast.testing.maintenance.collected_rows import CollectedRows
from holdfast.testing.maintenance.erased_persons import ErasedPersons
from holdfast.testing.maintenance.store_statistics import StoreStatistics
from holdfast.testing.maintenance.verified_stores import VerifiedStores
from holdfast.testing.shared_stores import ReopenedStores, SharedStores
from holdfast.testing.threads.thread_deletion import ThreadDeletion
from holdfast.testing.threads.thread_forks import ThreadForks
from holdfast.testing.threads.thread_lists import ThreadLists


class WaitingContract(
    Saves, RepeatedIds, ExpectedHead, CheckpointReads, History, ThreadLists, Updates, ThreadForks, CollectedRows,
    ThreadDeletion, ErasedPersons, PendingWrites, Backups, StoreStatistics, Concurrency, VerifiedStores, ClosedStores,
    ReopenedStores, SharedStores,
):  # fmt: skip
    """What is tested again where only the way of waiting differs."""
