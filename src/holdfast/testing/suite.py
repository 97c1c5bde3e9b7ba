"""All subjects together: what a backend's author inherits."""

from __future__ import annotations

from holdfast.testing.asking import ExpectedHead, SameIdAgain
from holdfast.testing.backing_up import BackingUp
from holdfast.testing.closing import Closing
from holdfast.testing.collecting import Collecting
from holdfast.testing.concurrency import Concurrency
from holdfast.testing.copying import Copying
from holdfast.testing.counting import Counting
from holdfast.testing.deleting import Deleting
from holdfast.testing.diffing import Diffing
from holdfast.testing.digesting import Digests
from holdfast.testing.erasing import Erasing
from holdfast.testing.expiring import Expiring
from holdfast.testing.forking import Forking, ForkingWithEdits
from holdfast.testing.freezing import ForksOfForks, Freezing
from holdfast.testing.history import History
from holdfast.testing.journaling import Journaling
from holdfast.testing.listing import Threads
from holdfast.testing.moving import Moving
from holdfast.testing.naming import Naming
from holdfast.testing.nesting import Nesting
from holdfast.testing.pending import Labels, PendingWrites
from holdfast.testing.pruning import Pruning
from holdfast.testing.reading import Reading
from holdfast.testing.removing import Removing
from holdfast.testing.row_answers import RowAnswers
from holdfast.testing.row_seals import Seals
from holdfast.testing.rows import Commits, SharedRows
from holdfast.testing.saving import Saving
from holdfast.testing.sharing import Lasting, Sharing
from holdfast.testing.states import NestedStates, TypedStates
from holdfast.testing.tending import Tending
from holdfast.testing.updating import Updating
from holdfast.testing.values import Extra, Mutation, Values
from holdfast.testing.verifying import Verifying


class StoreContract(
    Saving, SameIdAgain, ExpectedHead, Reading, Journaling, History, Threads, Updating, Forking, ForkingWithEdits,
    Freezing, ForksOfForks, Nesting, Copying, Removing, Pruning, Tending, Collecting, Deleting, Expiring, Erasing,
    PendingWrites, Labels, Naming, Values, Mutation, Extra, TypedStates, NestedStates, Diffing, Digests, Moving,
    BackingUp, Counting, Concurrency, Verifying, Closing,
):  # fmt: skip
    """What every store does, whichever backend it is on."""


class SharedStoreContract(StoreContract, Lasting, Sharing):
    """And what a store does that several handles open, one after the other or at once."""


class RowContract(Commits, RowAnswers, Seals):
    """What the engine asks of a backend."""


class SharedRowContract(RowContract, SharedRows):
    """And what it asks of one that several handles open at once."""
