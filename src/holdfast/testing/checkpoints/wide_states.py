"""States with many channels, whose manifests are versions of value logs: all that holds for others holds for them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import holdfast
from holdfast import Conflict, Corrupt, Retention, Store
from holdfast.backends.rows import CheckpointRow, ChunkRow, LogRow, Row
from holdfast.engine.values import manifest
from holdfast.engine.values.manifest import Header
from holdfast.testing.driver import AnyThread, Opener, StoreTests, everything, head, ids, loaded
from holdfast.testing.maintenance.verified_stores import rows_of, swap
from holdfast.testing.threads.thread_moves import copied

MANY = 70  # channels


def wide(n: int = 0, channels: int = MANY) -> dict[str, Any]:
    """Every third value is small. One channel, another each time, has what `n` says."""
    state: dict[str, Any] = {}
    for number in range(channels):
        state[f"channel {number}"] = number if number % 3 == 0 else f"the value of {number} " * 3
    return state | {f"channel {n % channels}": f"changed by {n} " * 4}


def save_wide(thread: AnyThread, count: int, **fields: Any) -> list[str]:
    return [thread.save(wide(n), **fields).id for n in range(count)]


def header_of(row: CheckpointRow) -> Header | None:
    known = manifest.unpack(row.manifest)
    return known if isinstance(known, Header) else None


def lists_of(store: Store) -> dict[int, list[ChunkRow]]:
    """The chunks of the logs that manifests are in."""
    headers = [header for row in rows_of(store, CheckpointRow) if (header := header_of(row)) is not None]
    logs = {header.ref.log for header in headers}
    found: dict[int, list[ChunkRow]] = {}
    for row in rows_of(store, ChunkRow):
        if row.log in logs:
            found.setdefault(row.log, []).append(row)
    return found


def forget(store: Store) -> None:
    """As a process that has just opened the store."""
    getattr(store, "_target", store)._calls.engine.cache.clear()


class WideStates(StoreTests):
    def test_a_wide_state_comes_back_in_its_order(self, thread: AnyThread, store: Store) -> None:
        thread.save(wide(7), extra={"e": [1]})
        for _ in range(2):
            found = head(thread)
            assert list(found.state.items()) == list(wide(7).items())
            assert found.extra == {"e": [1]}
            forget(store)

    def test_a_row_has_no_more_than_a_reference_to_many_channels(
        self, thread: AnyThread, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(manifest, "NARROW_UP_TO", 64)
        save_wide(thread, 3)
        assert [len(row.manifest) < 100 for row in rows_of(store, CheckpointRow)] == [True] * 3
        assert [header_of(row) is not None for row in rows_of(store, CheckpointRow)] == [True] * 3
        thread.save({"n": 1})
        assert [header_of(row) is None for row in rows_of(store, CheckpointRow)] == [False] * 3 + [True]

    def test_every_version_can_be_loaded(self, thread: AnyThread, store: Store) -> None:
        saved = save_wide(thread, 40)
        forget(store)
        assert [loaded(thread, one).state for one in saved] == [wide(n) for n in range(40)]
        assert loaded(thread, saved[3]).state == wide(3)
        assert head(thread).state == wide(39)
        assert store.verify().faults == ()

    def test_an_update_changes_what_it_names(self, thread: AnyThread, store: Store) -> None:
        thread.save(wide(1))
        for number in range(3):
            thread.update({"channel 2": [number] * 30, f"new {number}": number})
            forget(store)
        added = {f"new {number}": number for number in range(3)}
        assert head(thread).state == wide(1) | {"channel 2": [2] * 30} | added

    def test_channels_come_go_and_move(self, thread: AnyThread) -> None:
        base = wide(5)
        names = list(base)
        between = {name: base[name] for name in names[:40]} | {"between": "x" * 50}
        between |= {name: base[name] for name in names[40:]}
        states = [
            base,
            between,
            {name: base[name] for name in reversed(names)},
            {name: base[name] for name in names[10:]},
            {**{names[-1]: "first"}, **base},
        ]
        saved = [thread.save(state).id for state in states]
        assert [list(loaded(thread, one).state.items()) for one in saved] == [list(one.items()) for one in states]

    def test_a_state_becomes_wide_and_narrow_again(self, thread: AnyThread, store: Store) -> None:
        limit = manifest.NARROW_UP_TO
        sizes = [3, limit, limit + 1, MANY, limit + 1, limit, 2, 0, MANY]
        saved = [thread.save(wide(1, max(size, 1)) if size else {}).id for size in sizes]
        forget(store)
        assert [len(loaded(thread, one).state) for one in saved] == sizes
        assert store.verify().faults == ()

    def test_the_digest_does_not_depend_on_how_the_manifest_is_stored(
        self, opened: Opener, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        first = opened("a").thread("t").save(wide(1), id="same")
        monkeypatch.setattr(manifest, "NARROW_UP_TO", 1000)
        assert opened("b").thread("t").save(wide(1), id="same").digest == first.digest

    def test_only_what_differs_is_in_a_diff(self, thread: AnyThread) -> None:
        first, second = save_wide(thread, 2)
        assert [change.path for change in thread.diff(first, second)] == ["['channel 0']", "['channel 1']"]

    def test_the_same_id_again_is_compared(self, thread: AnyThread) -> None:
        saved = thread.save(wide(1), id="one")
        assert thread.save(wide(1), id="one") == saved
        with pytest.raises(Conflict, match="state"):
            thread.save(wide(2), id="one")

    def test_a_fork_and_its_origin_do_not_see_each_other(self, thread: AnyThread, store: Store) -> None:
        saved = save_wide(thread, 4)
        fork = thread.fork(at=saved[1], to="fork")
        assert head(fork).state == wide(1)
        for number in (20, 21):
            fork.save(wide(number))
            thread.save(wide(number + 10))
            forget(store)
        again = fork.fork(to="again")
        again.save(wide(25))
        fork.save(wide(22))
        assert [one.state for one in everything(again)] == [wide(n) for n in (25, 21, 20, 1, 0)]
        assert [one.state for one in everything(fork)] == [wide(n) for n in (22, 21, 20, 1, 0)]
        assert [one.state for one in everything(thread)] == [wide(n) for n in (31, 30, 3, 2, 1, 0)]
        assert store.verify().faults == ()

    def test_the_first_save_of_a_fork_writes_what_it_changes(self, thread: AnyThread, store: Store) -> None:
        """Also if every channel was written by the thread that it is forked from, which was a fork itself."""
        thread.save(wide(0))
        fork = thread.fork(to="fork")
        fork.save({name: f"all of them change: {name} " * 2 for name in wide()})
        again = fork.fork(to="again")
        before = {(row.log, row.lo) for row in rows_of(store, ChunkRow)}
        again.update({"channel 7": "one of them " * 5})
        fresh = [row for row in rows_of(store, ChunkRow) if (row.log, row.lo) not in before]
        assert len(fresh) == 2
        assert sum(len(row.body) for row in fresh) < 300

    def test_forks_with_edits_and_without_history(self, thread: AnyThread, store: Store) -> None:
        save_wide(thread, 2)
        edited = thread.fork(edits={"channel 4": "edited " * 10}, to="edited")
        alone = thread.fork(history=False, to="alone")
        forget(store)
        assert head(edited).state == wide(1) | {"channel 4": "edited " * 10}
        assert head(alone).state == wide(1)
        thread.delete()
        store.collect()
        edited.save(wide(8))
        assert head(alone).state == wide(1)
        assert head(edited).state == wide(8)
        assert store.verify().faults == ()

    def test_a_branch_inside_a_thread(self, thread: AnyThread, store: Store) -> None:
        saved = save_wide(thread, 3)
        branch = thread.save(wide(9), parent=saved[0])
        thread.save(wide(10), parent=saved[2])
        thread.save(wide(11), parent=branch.id)
        forget(store)
        assert [one.state for one in everything(thread)] == [wide(n) for n in (11, 10, 9, 2, 1, 0)]
        assert store.verify().faults == ()

    # ---------------------------------------------------------------- maintenance

    def test_what_remains_after_a_prune_can_be_read(self, thread: AnyThread, store: Store) -> None:
        saved = save_wide(thread, 24)
        fork = thread.fork(at=saved[5], to="fork")
        fork.save(wide(50))
        thread.prune(Retention(keep_last=2))
        assert store.collect().skipped == ()
        forget(store)
        assert [one.state for one in everything(thread)] == [wide(23), wide(22)]
        assert [one.state for one in everything(fork)] == [wide(n) for n in (50, 5, 4, 3, 2, 1, 0)]
        fork.delete()
        assert store.collect().skipped == ()
        assert [one.state for one in everything(thread)] == [wide(23), wide(22)]
        assert len(lists_of(store)) == 1
        report = store.verify()
        assert (report.faults, report.orphans) == ((), 0)

    def test_a_collect_frees_lists_that_nothing_refers_to(
        self, thread: AnyThread, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(manifest, "NARROW_UP_TO", 64)
        save_wide(thread, 3)
        thread.fork(to="other").save({"n": 1})
        thread.delete()
        store.thread("other").prune(Retention(keep_last=1))
        store.collect()
        assert lists_of(store) == {}
        assert head(store.thread("other")).state == {"n": 1}

    def test_statistics_count_lists(self, thread: AnyThread, store: Store) -> None:
        thread.save(wide(0))
        (thread_stats,) = store.stats().largest
        stored = [len(row.body) for row in rows_of(store, ChunkRow)]
        assert thread_stats.stored_bytes >= sum(stored)
        info = thread.info()
        assert info is not None
        assert info.size >= sum(stored)

    def test_a_backup_has_them(self, thread: AnyThread, store: Store, tmp_path: Path) -> None:
        save_wide(thread, 3)
        with holdfast.open(store.backup(tmp_path / "copy").url) as copy:
            assert [one.state for one in everything(copy.thread("main"))] == [wide(n) for n in (2, 1, 0)]
            copy.thread("main").save(wide(3))
            assert copy.verify().faults == ()

    def test_an_erased_thread_leaves_nothing(self, store: Store) -> None:
        save_wide(store.thread("a", metadata={"user": "ada"}), 3)
        save_wide(store.thread("b", metadata={"user": "bob"}), 1)
        store.erase({"user": "ada"})
        assert len(lists_of(store)) == len({row.tree for row in rows_of(store, ChunkRow)}) == 1
        assert store.verify().faults == ()

    # ---------------------------------------------------------------- transfer

    def test_they_move_between_stores(self, store: Store, opened: Opener, tmp_path: Path) -> None:
        thread, far = store.thread("main"), opened("b")
        saved = save_wide(thread, 20, extra={"v": ["x" * 30]})
        thread.fork(at=saved[4], to="fork").save(wide(40))
        copied(store, far, ["main", "fork"])
        thread.save(wide(60))
        copied(store, far, ["main"])
        store.export(["main", "fork"], tmp_path / "threads.hfb")
        third = opened("c")
        third.import_(tmp_path / "threads.hfb")
        for target in (far, third):
            forget(target)
            for name in ("main", "fork"):
                assert everything(target.thread(name)) == everything(store.thread(name))
            assert target.verify().faults == ()
            target.thread("main").save(wide(61))
            assert all(header_of(row) is not None for row in rows_of(target, CheckpointRow))

    def test_an_export_as_json_has_what_changed(self, thread: AnyThread, store: Store, tmp_path: Path) -> None:
        save_wide(thread, 2)
        store.export(["main"], tmp_path / "threads.jsonl", json=True)
        lines = [json.loads(line) for line in (tmp_path / "threads.jsonl").read_text().splitlines()]
        states = [line["state"] for line in lines if line["kind"] == "checkpoint"]
        assert [len(state) for state in states] == [MANY, 2]

    # ---------------------------------------------------------------- damage

    def damaged(self, store: Store, change: Any) -> list[str]:
        """Save wide states in a thread and its fork, damage a row, and repair. The checkpoints that were lost."""
        thread = store.thread("main")
        save_wide(thread, 6, run_id="r")
        fork = thread.fork(to="fork")
        fork.save(wide(30))
        untouched = store.thread("other")
        untouched.save(wide(9))
        before = {one.id: one.state for one in [*everything(thread), *everything(fork)]}
        change(rows_of(store, ChunkRow), rows_of(store, LogRow), rows_of(store, CheckpointRow))
        forget(store)
        plan = store.verify()
        assert not plan.ok
        dry = store.repair(plan, dry_run=True)
        report = store.repair(plan)
        assert report.unrepaired == ()
        assert {one.checkpoint_id for one in dry.lost} == {one.checkpoint_id for one in report.lost}
        after = {one.id: one.state for one in [*everything(thread), *everything(fork)]}
        assert after.items() <= before.items()
        lost = sorted(before.keys() - after.keys())
        named = {one.checkpoint_id for one in report.lost}
        # A row that is gone has taken the id of its checkpoint with it.
        assert set(lost) <= named or None in named
        assert head(untouched).state == wide(9)
        thread.save(wide(70))
        store.collect()
        assert store.verify().faults == ()
        return lost

    @pytest.mark.parametrize(("position", "lost"), [(0, 7), (5, 2)])
    def test_checkpoints_whose_list_is_lost_are_named(self, store: Store, position: int, lost: int) -> None:
        """A list is needed by the one of its checkpoint and by all after it."""

        def change(chunks: list[Any], logs: list[Any], rows: list[Any]) -> None:
            first = next(row for row in rows if row.seq == 1 and row.run_id)
            header = header_of(first)
            assert header is not None
            (row,) = [row for row in chunks if (row.log, row.lo) == (header.ref.log, position)]
            swap(store, [row], [row._replace(body=row.body[:-1] + b"\x00" + row.body[-1:])])

        assert len(self.damaged(store, change)) == lost

    @pytest.mark.parametrize("table", [ChunkRow, LogRow, CheckpointRow])
    def test_any_row_may_be_lost(self, store: Store, table: type[Row]) -> None:
        def change(chunks: list[Any], logs: list[Any], rows: list[Any]) -> None:
            fork = next(header for row in rows if row.parent_thread and (header := header_of(row)))
            found: dict[type[Row], list[Any]] = {
                ChunkRow: [row for row in chunks if row.log == fork.ref.log],
                LogRow: [row for row in logs if row.log == fork.ref.log],
                CheckpointRow: [row for row in rows if row.parent_thread],
            }
            swap(store, found[table], [])

        assert len(self.damaged(store, change)) == 1

    def test_an_unreadable_list_frees_nothing(self, thread: AnyThread, store: Store) -> None:
        saved = save_wide(thread, 4)
        ((log, chunks),) = lists_of(store).items()
        swap(store, [chunks[-1]], [])
        before = sorted(rows_of(store, ChunkRow))
        thread.delete_checkpoints([saved[0]])
        assert [str(log) in why for why in store.collect().skipped] == [True]
        assert sorted(rows_of(store, ChunkRow)) == before
        with pytest.raises(Corrupt, match=str(log)):
            thread.latest()
        assert loaded(thread, saved[1]).state == wide(1)


class SharedWideStates(StoreTests):
    def test_two_handles_write_in_turn(self, opened: Opener) -> None:
        one, other = opened().thread("t"), opened().thread("t")
        for number in range(0, 40, 2):
            one.save(wide(number))
            other.update({"channel 5": f"by the other {number} " * 3})
        found = [one.state for one in everything(opened().thread("t"))]
        assert found[0] == wide(38) | {"channel 5": "by the other 38 " * 3}
        assert found[1::2] == [wide(number) for number in range(38, -2, -2)]
        assert opened().verify().faults == ()

    def test_a_new_handle_continues(self, opened: Opener) -> None:
        for number in range(5):
            opened().thread("t").save(wide(number))
        assert [one.state for one in everything(opened().thread("t"))] == [wide(n) for n in (4, 3, 2, 1, 0)]
        assert ids(opened().thread("t").history()) == ids(opened().thread("t").history(limit=None))
