"""A part of the contract where the manifest of nearly every state is in a log, and states often cross the limit."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.engine.values import manifest
from holdfast.testing.checkpoints.conditional_saves import RepeatedIds
from holdfast.testing.checkpoints.state_diffs import StateDiffs
from holdfast.testing.checkpoints.task_writes import PendingWrites
from holdfast.testing.checkpoints.updates import Updates
from holdfast.testing.maintenance.collected_rows import CollectedRows
from holdfast.testing.maintenance.verified_stores import VerifiedStores
from holdfast.testing.threads.frozen_forks import ForksOfForks
from holdfast.testing.threads.thread_forks import ForksWithEdits
from holdfast.testing.threads.thread_moves import ThreadMoves


class TestLoggedManifests(
    RepeatedIds, Updates, ForksWithEdits, ForksOfForks, CollectedRows, PendingWrites, StateDiffs, ThreadMoves,
    VerifiedStores,
):  # fmt: skip
    modes = ("sync",)

    def url(self, folder: Path) -> str:
        return "memory:"

    @pytest.fixture(autouse=True)
    def logged(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """States with one channel whose value is small are so short that the row has room for them."""
        monkeypatch.setattr(manifest, "NARROW_UP_TO", 0)
