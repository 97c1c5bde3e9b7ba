"""What is committed together: rows of one tree in a batch, and many small threads in one wait for the disk."""

from __future__ import annotations

from pathlib import Path

import pytest

import holdfast
from holdfast import Store
from holdfast.backends.base import Batch
from holdfast.backends.common.commit_queue import Ticket
from holdfast.backends.memory import MemoryBackend
from holdfast.backends.sqlite import SqliteBackend


def fill(store: Store, threads: int) -> None:
    for number in range(threads):
        thread = store.thread(f"t{number}", metadata={"user": str(number % 3)})
        for step in range(3):
            thread.save({"messages": [f"message {i}" for i in range(step + 1)]}, id=f"c{step}")
        store.thread(f"t{number}", "inner").save({"n": number})
    store.thread("t0").fork("c1", to="fork").save({"messages": ["other"]})


@pytest.fixture
def batches(monkeypatch: pytest.MonkeyPatch) -> list[Batch]:
    """Every batch that a store in memory commits."""
    found: list[Batch] = []
    commit = MemoryBackend.commit

    async def recorded(self: MemoryBackend, batch: Batch) -> bool:
        found.append(batch)
        return await commit(self, batch)

    monkeypatch.setattr(MemoryBackend, "commit", recorded)
    return found


def trees(batch: Batch) -> set[int]:
    return {tree for row in [*batch.puts, *batch.expects] if (tree := getattr(row, "tree", None)) is not None}


def test_a_batch_has_rows_of_one_tree(batches: list[Batch], tmp_path: Path) -> None:
    with holdfast.open("memory:") as source:
        fill(source, 10)
        source.export(None, tmp_path / "x.bundle")
        batches.clear()
        for step in ("copy", "import"):
            with holdfast.open("memory:") as target:
                if step == "copy":
                    report = holdfast.copy(source, target)
                else:
                    report = target.import_(tmp_path / "x.bundle")
                assert report.threads == 11
    assert len(batches) >= 22
    assert [batch for batch in batches if len(trees(batch)) != 1] == []


def test_small_threads_share_one_transaction(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    commit = SqliteBackend._commit_together

    def counted(self: SqliteBackend, waiting: list[Ticket]) -> None:
        sizes.append(len(waiting))
        commit(self, waiting)

    with holdfast.open("memory:") as source, holdfast.open(tmp_path / "x.db") as target:
        fill(source, 50)
        source.thread("fork").delete()
        monkeypatch.setattr(SqliteBackend, "_commit_together", counted)
        assert holdfast.copy(source, target).threads == 50
    assert sizes == [50]


def test_a_thread_that_another_writer_creates_first_does_not_stop_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    each = MemoryBackend.commit_each
    with holdfast.open("memory:") as source, holdfast.open("memory:") as target:
        fill(source, 5)
        source.thread("fork").delete()
        source.export(None, tmp_path / "x.bundle")

        async def overtaken(self: MemoryBackend, batches: list[Batch]) -> list[bool]:
            monkeypatch.setattr(MemoryBackend, "commit_each", each)
            target.thread("t3").save({"n": "first"})
            return await each(self, batches)

        monkeypatch.setattr(MemoryBackend, "commit_each", overtaken)
        with pytest.raises(holdfast.Contended, match="other writers created these threads during the import: 't3'"):
            target.import_(tmp_path / "x.bundle")
        assert sorted(info.id for info in target.threads()) == ["t0", "t1", "t2", "t3", "t4"]
        latest = target.thread("t3").latest()
        assert latest is not None
        assert latest.state == {"n": "first"}
