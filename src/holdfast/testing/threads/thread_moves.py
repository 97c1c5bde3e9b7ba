"""Transfer: threads from one store to another, through a file or directly."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

import holdfast
from holdfast import Conflict, Corrupt, Deleted, InvalidArgument, NotAStore, NotFound, Store, TransferReport
from holdfast.testing.driver import Blocking, Opener, StoreTests, everything, grown, head, ids, save_chain


def copied(source: Store, target: Store, *args: Any, **kwargs: Any) -> TransferReport:
    """`holdfast.copy`, or its async twin for stores of that façade."""
    one, other = cast(Any, source), cast(Any, target)
    if isinstance(one, Blocking):
        report: TransferReport = one._loop.wait(holdfast.acopy(one._target, other._target, *args, **kwargs))
        return report
    return holdfast.copy(source, target, *args, **kwargs)


def seen(store: Store, thread_id: str, *namespaces: str) -> Any:
    """Everything a store shows of a thread, except its size in bytes."""
    info = store.thread(thread_id).info()
    lines = [everything(store.thread(thread_id, name)) for name in ("", *namespaces)]
    journal = store.thread(thread_id).journal.read(limit=None)
    return None if info is None else replace(info, size=0), lines, journal


def rich(store: Store) -> None:
    """Threads with everything a thread can have: `t` with two namespaces, `f` and `g` forked from it, `c` a copy."""
    thread = store.thread("t", metadata={"user": "ada", "n": 1})
    saved = save_chain(thread, 20, node="plan", next=("act",), metadata={"k": [1]}, run_id="r1", extra={"v": [2] * 50})
    save_chain(store.thread("t", "in"), 3)
    thread.journal.append("asked", {"q": 1}, key="k1")
    thread.journal.append("answered", ("a", 2))
    branch = thread.save(grown(3), parent=saved[2].id, status="interrupted")
    thread.put_writes(saved[4].id, [("w", "x" * 100), ("c", {"a": 1}, -1)], task_id="task", task_path="p")
    thread.label(saved[5].id, "good")
    fork = thread.fork(saved[7].id, to="f")
    save_chain(fork, 2, status="completed")
    thread.label(saved[6].id, "later")
    thread.put_writes(saved[6].id, [("w", 1)], task_id="late")
    fork.fork(saved[3].id, to="g").save({"n": 0})
    thread.fork(saved[9].id, edits={"n": -1}, to="h", history=False)
    thread.delete_checkpoints([saved[12].id, branch.id])
    store.copy_thread("t", "c")


RICH = ("t", "f", "g", "h", "c")


class ThreadMoves(StoreTests):
    @pytest.fixture
    def far(self, opened: Opener) -> Store:
        return opened("b")

    def test_a_copy_in_another_store_shows_the_same(self, store: Store, far: Store) -> None:
        rich(store)
        report = copied(store, far)
        assert report.threads == 5
        for name in RICH:
            assert seen(far, name, "in") == seen(store, name, "in")
        assert [info.id for info in far.threads(where={"user": "ada"})] == sorted(RICH)
        assert ids(far.thread("f").history(where={"run_id": "r1"})) == ids(
            store.thread("f").history(where={"run_id": "r1"})
        )

    def test_copying_again_moves_nothing(self, store: Store, far: Store) -> None:
        rich(store)
        copied(store, far)
        report = copied(store, far)
        assert (report.threads, report.unchanged) == (5, 5)
        assert (report.checkpoints, report.writes, report.entries, report.size) == (0, 0, 0, 0)

    def test_a_thread_that_went_on_brings_only_what_is_new(self, store: Store, far: Store) -> None:
        rich(store)
        copied(store, far)
        thread = store.thread("t")
        save_chain(thread, 2)
        thread.put_writes(head(thread).id, [("w", 5)], task_id="new")
        thread.label(thread.history()[3].id, "renamed")
        thread.journal.append("more", 1)
        report = copied(store, far)
        assert (report.checkpoints, report.writes, report.entries, report.unchanged) == (2, 1, 1, 4)
        assert seen(far, "t", "in") == seen(store, "t", "in")

    def test_a_copied_thread_can_be_continued(self, store: Store, far: Store) -> None:
        rich(store)
        copied(store, far)
        for name in RICH:
            before = ids(far.thread(name).history(None))
            after = far.thread(name).save(grown(30))
            assert ids(far.thread(name).history(None)) == [after.id, *before]
            assert after.seq == store.thread(name).save(grown(30)).seq
            assert head(far.thread(name)).state == grown(30)

    def test_what_was_continued_there_can_be_copied_back(self, store: Store, far: Store) -> None:
        save_chain(store.thread("t"), 3)
        copied(store, far)
        far.thread("t").save(grown(3))
        far.thread("t").fork(to="f").save(grown(4))
        assert copied(store, far).unchanged == 1
        assert copied(far, store).checkpoints == 2
        for name in ("t", "f"):
            assert seen(store, name) == seen(far, name)

    def test_a_thread_that_went_on_in_both_is_a_conflict(self, store: Store, far: Store) -> None:
        saved = save_chain(store.thread("t"), 3)
        store.thread("u").save({})
        copied(store, far, ["t"])
        store.thread("t").save({"here": 1})
        far.thread("t").save({"there": 1})
        before = seen(far, "t")
        with pytest.raises(Conflict, match=f"'t'.*{saved[2].id}"):
            copied(store, far)
        assert seen(far, "t") == before
        assert far.thread("u").latest() is not None  # the others are moved all the same

    def test_another_thread_of_the_same_id_is_a_conflict(self, store: Store, far: Store) -> None:
        store.thread("t").save({"n": 1})
        far.thread("t").save({"n": 2})
        before = seen(far, "t")
        with pytest.raises(Conflict, match="no checkpoint in common"):
            copied(store, far)
        assert seen(far, "t") == before

    def test_journals_that_part_are_a_conflict(self, store: Store, far: Store) -> None:
        store.thread("t").journal.append("a", 1)
        copied(store, far)
        store.thread("t").journal.append("b", 1)
        far.thread("t").journal.append("c", 1)
        with pytest.raises(Conflict, match="entry 1"):
            copied(store, far)

    def test_a_thread_may_have_another_id_there(self, store: Store, far: Store) -> None:
        save_chain(store.thread("t"), 3)
        far.thread("t").save({})
        copied(store, far, ["t"], as_={"t": "pulled"})
        found = [
            replace(one, thread_id="t", parent_thread_id=one.parent_id and "t")
            for one in everything(far.thread("pulled"))
        ]
        assert found == everything(store.thread("t"))

    def test_a_fork_is_copied_with_everything_it_sees(self, store: Store, far: Store) -> None:
        rich(store)
        for name in ("g", "f", "h", "c"):
            copied(store, far, [name])
            assert seen(far, name, "in") == seen(store, name, "in")
        assert far.thread("t").info() is None

    def test_a_fork_that_is_copied_later_joins_its_origin(self, store: Store, far: Store) -> None:
        save_chain(store.thread("t"), 20)
        copied(store, far)
        store.thread("t").fork(store.thread("t").history()[5].id, to="f").save({"n": 1})
        assert copied(store, far, ["f"]).checkpoints == 15 + 1
        assert copied(store, far).unchanged == 2
        with_origin = store.thread("t").fork(to="g")
        with_origin.save({"n": 2})
        assert copied(store, far, ["t", "g"]).checkpoints == 1
        for name in ("f", "g"):
            assert seen(far, name) == seen(store, name)

    def test_what_was_removed_is_not_moved_and_digests_stay(self, store: Store, far: Store) -> None:
        thread = store.thread("t")
        saved = save_chain(thread, 5)
        thread.delete_checkpoints([saved[0].id, saved[2].id])
        assert copied(store, far).checkpoints == 3
        assert seen(far, "t") == seen(store, "t")
        assert far.thread("t").load(saved[2].id) is None
        assert [one.digest for one in far.thread("t").history()] == [saved[n].digest for n in (4, 3, 1)]

    def test_a_deleted_thread_does_not_come_back(self, store: Store, far: Store) -> None:
        store.thread("t").save({})
        copied(store, far)
        far.thread("t").delete()
        with pytest.raises(Deleted, match="'t'"):
            copied(store, far)
        assert far.threads() == []

    def test_a_copied_thread_has_no_lease(self, store: Store, far: Store) -> None:
        thread = store.thread("t")
        with thread.run(input={"n": 1}) as run:
            run.step("paid", lambda: 7)
            copied(store, far)
            run.finish({"n": 2})
        info = far.thread("t").info()
        assert info is not None
        assert info.lease is None
        assert [one.result for one in far.thread("t").recover().finished] == [7]
        far.thread("t").save({"mine": 1})

    def test_copying_a_missing_thread_is_not_found(self, store: Store, far: Store) -> None:
        with pytest.raises(NotFound, match="'missing'"):
            copied(store, far, ["missing"])
        with pytest.raises(InvalidArgument):
            copied(store, far, "missing")

    # ---------------------------------------------------------------- bundles

    def test_a_bundle_brings_everything(self, store: Store, far: Store, tmp_path: Path) -> None:
        rich(store)
        exported = store.export(None, tmp_path / "x.bundle")
        report = far.import_(tmp_path / "x.bundle")
        assert report == exported
        for name in RICH:
            assert seen(far, name, "in") == seen(store, name, "in")
        assert far.import_(tmp_path / "x.bundle").unchanged == 5

    def test_a_later_bundle_continues_a_thread(self, store: Store, far: Store, tmp_path: Path) -> None:
        save_chain(store.thread("t"), 3)
        store.export(["t"], tmp_path / "x.bundle")
        far.import_(tmp_path / "x.bundle")
        save_chain(store.thread("t"), 2)
        store.export(["t"], tmp_path / "x.bundle")
        assert far.import_(tmp_path / "x.bundle").checkpoints == 2
        assert seen(far, "t") == seen(store, "t")

    def test_a_bundle_against_a_thread_that_went_on(self, store: Store, far: Store, tmp_path: Path) -> None:
        save_chain(store.thread("t"), 3)
        store.export(["t"], tmp_path / "x.bundle")
        far.import_(tmp_path / "x.bundle")
        far.thread("t").save({"there": 1})
        before = seen(far, "t")
        assert far.import_(tmp_path / "x.bundle").unchanged == 1
        store.thread("t").save({"here": 1})
        store.export(["t"], tmp_path / "x.bundle")
        with pytest.raises(Conflict, match="'t'"):
            far.import_(tmp_path / "x.bundle")
        assert seen(far, "t") == before
        far.import_(tmp_path / "x.bundle", as_={"t": "t2"})
        assert len(far.thread("t2").history()) == 4

    def test_a_damaged_bundle_says_where(self, store: Store, far: Store, tmp_path: Path) -> None:
        save_chain(store.thread("t"), 3)
        path = tmp_path / "x.bundle"
        store.export(["t"], path)
        whole = path.read_bytes()
        path.write_bytes(whole[:40] + bytes([whole[40] ^ 1]) + whole[41:])
        with pytest.raises(Corrupt, match="byte 18"):
            far.import_(path)
        path.write_bytes(whole[:-5])
        with pytest.raises(Corrupt, match="byte 18"):
            far.import_(path)
        path.write_bytes(b"something else")
        with pytest.raises(NotAStore, match="not a Holdfast bundle"):
            far.import_(path)
        assert far.threads() == []
        path.write_bytes(whole)
        assert far.import_(path).checkpoints == 3

    def test_lines_of_json_are_for_reading(self, store: Store, tmp_path: Path) -> None:
        thread = store.thread("t", metadata={"user": "ada"})
        thread.save({"a": [1], "b": {"t": (1, 2)}, "c": b"x"})
        thread.save({"a": [1], "b": {"t": (1, 2)}, "c": float("nan")})
        thread.put_writes(head(thread).id, [("w", {3: 4})], task_id="x")
        thread.journal.append("asked", None)
        store.export(["t"], tmp_path / "x.jsonl", json=True)
        found = [json.loads(line) for line in (tmp_path / "x.jsonl").read_text("utf-8").splitlines()]
        assert [one["kind"] for one in found] == ["thread", "journal", "checkpoint", "checkpoint", "write"]
        assert found[2]["state"] == {"a": [1], "b": {"t": {"$tuple": [1, 2]}}, "c": {"$bytes": "eA=="}}
        assert (found[3]["state"], found[3]["same"]) == ({"c": {"$float": "nan"}}, ["a", "b"])
        assert found[4]["value"] == {"$map": [[3, 4]]}
