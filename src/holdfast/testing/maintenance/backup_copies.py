"""Backups: a copy has everything the store had at one moment, is a store itself, and carries no leases."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

import holdfast
from holdfast import Conflict, InvalidArgument, ReadOnly, Store
from holdfast.testing.driver import StoreTests, grown, head, save_chain
from holdfast.testing.maintenance.collected_rows import shown


class Backups(StoreTests):
    def test_a_copy_shows_everything_the_store_shows(self, store: Store, tmp_path: Path) -> None:
        thread = store.thread("main", metadata={"user": "ada"})
        saved = save_chain(thread, 12)
        thread.put_writes(saved[-1].id, [("log", "x")], task_id="task")
        thread.label(saved[3].id, "here")
        thread.journal.append("note", {"text": "hello"})
        thread.fork(saved[5].id, to="fork").save({"n": "other"})
        store.thread("main", "inner").save({"n": "inside"})
        store.copy_thread("main", "copied")
        store.thread("gone").save({"n": 1})
        store.thread("gone").delete()
        report = store.backup(tmp_path / "copy")
        with holdfast.open(report.url) as copy:
            assert shown(copy) == shown(store)
            assert [one.id for one in copy.threads(where={"user": "ada"})] == ["copied", "fork", "main"]
            assert copy.verify().faults == ()
            with pytest.raises(holdfast.Deleted):
                copy.thread("gone").save({"n": 2})
            assert copy.thread("main").save(grown(12)).parent_id == saved[-1].id
        assert report.bytes > 0
        assert head(store.thread("main")).id == saved[-1].id

    def test_of_an_empty_store(self, store: Store, tmp_path: Path) -> None:
        with holdfast.open(store.backup(tmp_path / "copy").url) as copy:
            assert copy.threads() == []
            copy.thread("t").save({"n": 1})

    def test_nothing_is_written_over(self, store: Store, tmp_path: Path) -> None:
        store.thread("t").save({"n": 1})
        (tmp_path / "file").write_text("mine")
        (tmp_path / "folder").mkdir()
        (tmp_path / "link").symlink_to(tmp_path / "nowhere")
        for name in ("file", "folder", "link"):
            with pytest.raises(Conflict, match="already exists"):
                store.backup(tmp_path / name)
        assert (tmp_path / "file").read_text() == "mine"
        assert list((tmp_path / "folder").iterdir()) == []
        assert sorted(one.name for one in tmp_path.glob("*.part*")) == []

    def test_where_it_can_not_be_written(self, store: Store, tmp_path: Path) -> None:
        with pytest.raises(ReadOnly, match="does not exist; create it first"):
            store.backup(tmp_path / "none" / "copy")
        for url in ("sqlite:copy.db", "file:copy", "postgresql://host/db", "other://copy"):
            with pytest.raises(InvalidArgument, match="not a URL"):
                store.backup(url)
        with pytest.raises(InvalidArgument):
            store.backup("")

    def test_progress_ends_with_all(self, store: Store, tmp_path: Path) -> None:
        save_chain(store.thread("t"), 5)
        reports: list[tuple[int, int]] = []
        store.backup(str(tmp_path / "copy"), lambda done, total: reports.append((done, total)))
        assert reports[-1][0] == reports[-1][1] > 0
        assert [done for done, _ in reports] == sorted(done for done, _ in reports)

    def test_an_error_of_the_listener_leaves_nothing(self, store: Store, tmp_path: Path) -> None:
        def listener(done: int, total: int) -> None:
            raise TypeError("no more of this")

        store.thread("t").save({"n": 1})
        before = set(tmp_path.iterdir())
        with pytest.raises(TypeError, match="no more of this"):
            store.backup(tmp_path / "copy", listener)
        assert set(tmp_path.iterdir()) == before
        store.thread("t").save({"n": 2})

    def test_what_is_on_its_way_is_in_it(self, store: Store, tmp_path: Path) -> None:
        with store.thread("t").run(input={"n": 0}, durability="async") as run:
            for n in range(20):
                run.save({"n": n})
            report = store.backup(tmp_path / "copy")
        with holdfast.open(report.url) as copy:
            assert head(copy.thread("t")).state == {"n": 19}

    def test_a_copy_belongs_to_no_worker(self, store: Store, tmp_path: Path) -> None:
        with store.thread("held").run(input={"n": 0}, ttl=3600) as run:
            report = store.backup(tmp_path / "copy")
            run.save({"n": 1})  # the store itself is still the worker's
            taken = store.threads()[0].lease
        with holdfast.open(report.url) as copy:
            assert [one.id for one in copy.resumable()] == ["held"]
            with copy.thread("held").run(worker="second") as again:
                again.save({"n": 2})
                lease = copy.threads()[0].lease
        assert taken is not None
        assert lease is not None
        assert lease.epoch > taken.epoch + 1_000_000  # no worker of the original store can have it
        with holdfast.open(report.url) as copy:
            assert copy.verify().faults == ()

    def test_a_copy_of_a_copy(self, store: Store, tmp_path: Path) -> None:
        save_chain(store.thread("t"), 3)
        first = store.backup(tmp_path / "first")
        with holdfast.open(first.url) as copy:
            second = copy.backup(tmp_path / "second")
            with holdfast.open(second.url) as again:
                assert shown(again) == shown(copy) == shown(store)

    def test_it_is_one_moment(self, store: Store, tmp_path: Path) -> None:
        """A writer counts up in one thread, then in the other: a copy never has the second without the first."""
        first, second = store.thread("first"), store.thread("second")
        first.save({"n": 0})
        second.save({"n": 0})
        ended = threading.Event()
        # The writes beside each copy are limited: a writer that is faster than the copy would make every copy larger
        # than the one before, without end.
        permits = threading.Semaphore(0)

        def write() -> None:
            n = 0
            while permits.acquire() and not ended.is_set():
                n += 1
                first.save({"n": n, "text": "x" * 500})
                second.save({"n": n, "text": "y" * 500})

        def backup(number: int) -> holdfast.BackupReport:
            permits.release(100)
            return store.backup(tmp_path / f"copy-{number}")

        writer = threading.Thread(target=write)
        writer.start()
        try:
            reports = [backup(number) for number in range(5)]
        finally:
            ended.set()
            permits.release()
            writer.join()
        for report in reports:
            with holdfast.open(report.url) as copy:
                n = [head(copy.thread(name)).state["n"] for name in ("first", "second")]
                assert n[0] - n[1] in (0, 1)
                assert copy.verify().faults == ()
