"""Reading checkpoints: the latest, by id, by position, in lists, and along a lineage."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from holdfast import ROOT, InvalidArgument, NotFound, Store
from holdfast.testing.driver import AnyThread, StoreTests, grown, head, ids, loaded, save_chain


class CheckpointReads(StoreTests):
    def test_an_unknown_thread_has_nothing(self, thread: AnyThread) -> None:
        assert thread.latest() is None
        assert thread.load("x") is None
        assert thread.at(step=0) is None
        assert thread.history() == []
        assert thread.info() is None

    def test_reading_starts_no_thread(self, store: Store) -> None:
        store.thread("t").latest()
        store.thread("t", "inner").history()
        assert store.threads() == []

    def test_an_unknown_id_is_none(self, thread: AnyThread) -> None:
        thread.save({})
        assert thread.load("unknown") is None

    def test_every_checkpoint_loads_as_it_was_saved(self, thread: AnyThread) -> None:
        saved = save_chain(thread, 5)
        assert [loaded(thread, info).state for info in saved] == [grown(n) for n in range(5)]

    def test_two_hundred_versions_of_one_value_load_as_they_were_saved(self, thread: AnyThread) -> None:
        texts = ["".join(f"line {i} of version {max(i, n - 7)}\n" for i in range(n % 90)) for n in range(200)]
        saved = [thread.save({"text": text, "all": texts[:n]}) for n, text in enumerate(texts)]
        for n in (0, 1, 62, 63, 64, 65, 66, 127, 128, 129, 198, 199):
            assert loaded(thread, saved[n]).state == {"text": texts[n], "all": texts[:n]}

    def test_values_that_shrink_and_change_their_type_load_as_they_were_saved(self, thread: AnyThread) -> None:
        values: list[Any] = [["x" * 50] * 9, ["x" * 50] * 2, {"k": "x" * 99}, "x" * 99, None, b"x" * 99, [], "x" * 98]
        saved = [thread.save({"value": value}) for value in values]
        assert [loaded(thread, info).state["value"] for info in saved] == values

    def test_a_channel_that_went_and_came_back_is_as_it_was_saved(self, thread: AnyThread) -> None:
        saved = [thread.save(state) for state in ({"a": "x" * 90}, {}, {"a": "x" * 91})]
        assert [loaded(thread, info).state for info in saved] == [{"a": "x" * 90}, {}, {"a": "x" * 91}]

    def test_channels_keep_the_order_they_were_saved_in(self, thread: AnyThread) -> None:
        thread.save({"z": 1, "a": "x" * 80, "m": 3})
        assert list(head(thread).state) == ["z", "a", "m"]

    def test_latest_ignores_newer_checkpoints_of_other_namespaces(self, store: Store) -> None:
        first = store.thread("t").save({"n": 1})
        store.thread("t", "inner").save({"n": 2})
        assert head(store.thread("t")).id == first.id
        assert head(store.thread("t", "inner")).state == {"n": 2}

    def test_load_does_not_find_what_belongs_to_another_namespace(self, store: Store) -> None:
        saved = store.thread("t").save({})
        store.thread("t", "inner").save({})
        assert store.thread("t", "inner").load(saved.id) is None

    # ---------------------------------------------------------------- channels

    def test_channels_loads_only_those_named(self, thread: AnyThread) -> None:
        saved = thread.save({"a": 1, "b": "x" * 90, "c": 3})
        assert loaded(thread, saved).state == {"a": 1, "b": "x" * 90, "c": 3}
        for part in (thread.latest(channels=["b", "c"]), thread.load(saved.id, channels=["b", "c"])):
            assert part is not None
            assert part.state == {"b": "x" * 90, "c": 3}

    def test_missing_channels_are_left_out(self, thread: AnyThread) -> None:
        thread.save({"a": 1})
        found = thread.latest(channels={"a", "missing"})
        assert found is not None
        assert found.state == {"a": 1}

    def test_no_channels_at_all_is_an_empty_state_with_all_fields(self, thread: AnyThread) -> None:
        saved = thread.save(grown(2), node="n")
        found = thread.latest(channels=[])
        assert found is not None
        assert (found.state, found.id, found.node) == ({}, saved.id, "n")

    def test_one_text_as_channels_is_refused(self, thread: AnyThread) -> None:
        thread.save({"a": 1})
        with pytest.raises(InvalidArgument, match="channels"):
            thread.latest(channels="a")

    # ---------------------------------------------------------------- at

    def test_at_a_step_is_the_checkpoint_of_that_step(self, thread: AnyThread) -> None:
        saved = save_chain(thread, 4)
        for info in saved:
            found = thread.at(step=info.step)
            assert found is not None
            assert (found.id, found.state) == (info.id, grown(info.step))

    def test_at_a_step_between_is_the_one_before(self, thread: AnyThread) -> None:
        thread.save({"n": 0}, step=0)
        thread.save({"n": 10}, step=10)
        found = thread.at(step=9)
        assert found is not None
        assert found.state == {"n": 0}

    def test_at_a_step_past_the_end_is_the_head(self, thread: AnyThread) -> None:
        saved = save_chain(thread, 3)
        found = thread.at(step=99)
        assert found is not None
        assert found.id == saved[-1].id

    def test_at_a_step_before_the_first_is_none(self, thread: AnyThread) -> None:
        thread.save({}, step=5)
        assert thread.at(step=4) is None

    def test_at_follows_the_heads_lineage_only(self, thread: AnyThread) -> None:
        first, dead, _ = save_chain(thread, 3)
        alive = thread.save({"n": "alive"}, parent=first.id)
        found = thread.at(step=1)
        assert found is not None
        assert found.id == alive.id != dead.id

    def test_at_a_time_is_the_checkpoint_of_that_moment(self, thread: AnyThread) -> None:
        saved = save_chain(thread, 3)
        for info in saved:
            found = thread.at(time=info.created_at)
            assert found is not None
            assert found.created_at == info.created_at
        assert thread.at(time=saved[0].created_at - timedelta(seconds=1)) is None

    def test_at_a_time_in_the_future_is_the_head(self, thread: AnyThread) -> None:
        saved = save_chain(thread, 3)
        found = thread.at(time=datetime.now(UTC) + timedelta(days=1))
        assert found is not None
        assert found.id == saved[-1].id

    def test_at_takes_a_time_in_any_zone(self, thread: AnyThread) -> None:
        saved = thread.save({})
        zones = [saved.created_at.astimezone(), saved.created_at.astimezone().replace(tzinfo=None)]
        for moment in zones:
            found = thread.at(time=moment)
            assert found is not None
            assert found.id == saved.id

    @pytest.mark.parametrize("given", [{}, {"step": 1, "journal_seq": 1}, {"step": 1, "time": datetime.now(UTC)}])
    def test_at_takes_exactly_one_argument(self, thread: AnyThread, given: dict[str, Any]) -> None:
        thread.save({})
        with pytest.raises(InvalidArgument, match="exactly one"):
            thread.at(**given)

    @pytest.mark.parametrize("given", [{"step": "1"}, {"time": "2026-01-01"}, {"journal_seq": "1"}])
    def test_an_invalid_position_is_refused(self, thread: AnyThread, given: dict[str, Any]) -> None:
        thread.save({})
        with pytest.raises(InvalidArgument):
            thread.at(**given)

    # ---------------------------------------------------------------- lineage

    def test_a_lineage_leads_to_the_root_newest_first(self, thread: AnyThread) -> None:
        saved = save_chain(thread, 4)
        assert thread.lineage(saved[2].id) == saved[2::-1]

    def test_a_lineage_leaves_other_branches_out(self, thread: AnyThread) -> None:
        a, b, c = save_chain(thread, 3)
        d = thread.save({}, parent=a.id)
        e = thread.save({}, parent=c.id)
        f = thread.save({}, parent=d.id)
        assert ids(thread.lineage(f.id)) == ids([f, d, a])
        assert ids(thread.lineage(e.id)) == ids([e, c, b, a])

    def test_a_lineage_ends_at_a_root_in_the_middle(self, thread: AnyThread) -> None:
        save_chain(thread, 2)
        root = thread.save({}, parent=ROOT)
        last = thread.save({})
        assert ids(thread.lineage(last.id)) == [last.id, root.id]

    def test_the_lineage_of_an_unknown_checkpoint_is_not_found(self, thread: AnyThread) -> None:
        with pytest.raises(NotFound):
            thread.lineage("x")
        thread.save({})
        with pytest.raises(NotFound):
            thread.lineage("x")
