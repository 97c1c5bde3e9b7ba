"""All subjects together: the classes that a backend's author inherits."""

from __future__ import annotations

from pathlib import Path

from holdfast.testing.checkpoints.checkpoint_deletion import CheckpointDeletion
from holdfast.testing.checkpoints.checkpoint_reads import CheckpointReads
from holdfast.testing.checkpoints.conditional_saves import ExpectedHead, RepeatedIds
from holdfast.testing.checkpoints.content_digests import ContentDigests
from holdfast.testing.checkpoints.history import History
from holdfast.testing.checkpoints.journal_cover import JournalCover
from holdfast.testing.checkpoints.round_trips import Extra, Mutation, Values
from holdfast.testing.checkpoints.saves import Saves
from holdfast.testing.checkpoints.state_diffs import StateDiffs
from holdfast.testing.checkpoints.states import NestedStates, TypedStates
from holdfast.testing.checkpoints.task_writes import Labels, PendingWrites
from holdfast.testing.checkpoints.updates import Updates
from holdfast.testing.checkpoints.wide_states import SharedWideStates, WideStates
from holdfast.testing.closed_stores import ClosedStores
from holdfast.testing.concurrency import Concurrency
from holdfast.testing.maintenance.automatic_pruning import AutomaticPruning
from holdfast.testing.maintenance.backup_copies import Backups
from holdfast.testing.maintenance.collected_rows import CollectedRows
from holdfast.testing.maintenance.erased_persons import ErasedPersons
from holdfast.testing.maintenance.expired_threads import ExpiredThreads
from holdfast.testing.maintenance.pruned_threads import PrunedThreads
from holdfast.testing.maintenance.store_statistics import StoreStatistics
from holdfast.testing.maintenance.verified_stores import VerifiedStores
from holdfast.testing.rows.placed_batches import placed
from holdfast.testing.rows.row_answers import RowAnswers
from holdfast.testing.rows.row_contract import Commits, SharedRows
from holdfast.testing.rows.row_settlement import SettledWrites
from holdfast.testing.shared_stores import ReopenedStores, SharedStores
from holdfast.testing.threads.frozen_forks import ForksOfForks, FrozenForks
from holdfast.testing.threads.identifiers import Identifiers
from holdfast.testing.threads.nested_namespaces import NestedNamespaces
from holdfast.testing.threads.thread_copies import ThreadCopies
from holdfast.testing.threads.thread_deletion import ThreadDeletion
from holdfast.testing.threads.thread_forks import ForksWithEdits, ThreadForks
from holdfast.testing.threads.thread_lists import ThreadLists
from holdfast.testing.threads.thread_moves import ThreadMoves


class StoreContract(
    Saves, RepeatedIds, ExpectedHead, CheckpointReads, JournalCover, History, ThreadLists, Updates, ThreadForks,
    ForksWithEdits, FrozenForks, ForksOfForks, NestedNamespaces, ThreadCopies, CheckpointDeletion, PrunedThreads,
    AutomaticPruning, CollectedRows, ThreadDeletion, ExpiredThreads, ErasedPersons, PendingWrites, Labels,
    Identifiers, Values, Mutation, Extra, TypedStates, NestedStates, StateDiffs, ContentDigests, ThreadMoves,
    Backups, StoreStatistics, Concurrency, VerifiedStores, ClosedStores, WideStates,
):  # fmt: skip
    """What every store does, on any backend."""


class SharedStoreContract(StoreContract, ReopenedStores, SharedStores, SharedWideStates):
    """The same, and what a store does that several handles open, in turn or at once."""


class PlacedContract(StoreContract):
    """The store contract on a backend that fails on every batch which does not lie in one tree."""

    def inner_url(self, folder: Path) -> str:
        """The URL of the store whose batches are checked."""
        raise NotImplementedError

    def url(self, folder: Path) -> str:
        return placed(self.inner_url(folder))


class RowContract(Commits, RowAnswers, SettledWrites):
    """What the engine requires of a backend."""


class SharedRowContract(RowContract, SharedRows):
    """The same, and what it requires of a backend that several handles open at once."""
