"""Saving: what a checkpoint records, and in which order."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from holdfast import ROOT, CheckpointInfo, InvalidArgument, NotFound, Store
from holdfast.testing.driver import AnyThread, StoreTests, grown, head, ids, loaded, save_chain


class Saves(StoreTests):
    def test_a_saved_state_is_the_latest(self, thread: AnyThread) -> None:
        thread.save({"n": 1, "messages": ["hello"]})
        assert head(thread).state == {"n": 1, "messages": ["hello"]}

    def test_save_replaces_the_whole_state(self, thread: AnyThread) -> None:
        thread.save({"a": 1, "b": 2})
        thread.save({"b": 3})
        assert head(thread).state == {"b": 3}

    def test_an_empty_state_is_a_state(self, thread: AnyThread) -> None:
        thread.save({})
        assert head(thread).state == {}

    def test_save_returns_what_history_and_load_show(self, thread: AnyThread) -> None:
        saved = thread.save(grown(3), node="plan", next=("act",), run_id="r", label="x", metadata={"k": 1})
        assert thread.history() == [saved]
        found = loaded(thread, saved)
        assert all(getattr(found, name) == getattr(saved, name) for name in CheckpointInfo.__dataclass_fields__)

    def test_every_field_is_kept(self, thread: AnyThread) -> None:
        said: dict[str, Any] = {
            "node": "plan", "next": ("act", "ask"), "step": 7, "source": "input", "run_id": "r1", "status": "paused",
            "label": "here", "metadata": {"cost": 0.5, "who": ["a", "b"]}, "id": "my-id",
        }  # fmt: skip
        thread.save({"n": 1}, **said)
        found = loaded(thread, "my-id")
        assert {name: getattr(found, name) for name in said} == said
        assert (found.thread_id, found.namespace) == ("main", "")

    def test_fields_have_plain_defaults(self, thread: AnyThread) -> None:
        saved = thread.save({})
        assert (saved.node, saved.next, saved.source, saved.run_id) == ("", (), "loop", None)
        assert (saved.status, saved.label, dict(saved.metadata)) == ("running", "", {})
        assert (saved.origin, saved.journal_seq) == (None, 0)

    def test_next_is_a_tuple_whatever_sequence_was_given(self, thread: AnyThread) -> None:
        assert thread.save({}, next=["a", "b"]).next == ("a", "b")

    def test_a_text_as_next_is_refused(self, thread: AnyThread) -> None:
        with pytest.raises(InvalidArgument, match="next"):
            thread.save({}, next="abc")
        assert thread.latest() is None

    def test_an_unknown_source_is_refused(self, thread: AnyThread) -> None:
        with pytest.raises(InvalidArgument, match="source"):
            thread.save({}, source="elsewhere")

    def test_a_state_that_is_not_a_mapping_is_refused(self, thread: AnyThread) -> None:
        with pytest.raises(InvalidArgument):
            thread.save(["not", "a", "state"])  # type: ignore[arg-type]

    # ---------------------------------------------------------------- order

    def test_seq_starts_at_one_and_grows_by_one(self, thread: AnyThread) -> None:
        assert [info.seq for info in save_chain(thread, 4)] == [1, 2, 3, 4]

    def test_each_namespace_counts_by_itself(self, store: Store) -> None:
        root, inner = store.thread("t"), store.thread("t", "tool:1")
        assert [root.save({}).seq, inner.save({}).seq, root.save({}).seq, inner.save({}).seq] == [1, 1, 2, 2]

    def test_latest_is_the_last_saved_whatever_its_step(self, thread: AnyThread) -> None:
        thread.save({"n": "high"}, step=50)
        last = thread.save({"n": "low"}, step=3)
        assert head(thread).id == last.id

    def test_latest_is_the_last_saved_independent_of_the_clock(
        self, thread: AnyThread, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        thread.save({"n": 1})
        real = time.time_ns
        monkeypatch.setattr(time, "time_ns", lambda: real() - 3600 * 10**9)
        second = thread.save({"n": 2}, parent=ROOT)
        assert head(thread).id == second.id
        assert [info.seq for info in thread.history()] == [2, 1]

    def test_created_at_is_never_below_the_parents(self, thread: AnyThread, monkeypatch: pytest.MonkeyPatch) -> None:
        first = thread.save({"n": 1})
        real = time.time_ns
        monkeypatch.setattr(time, "time_ns", lambda: real() - 3600 * 10**9)
        second = thread.save({"n": 2})
        assert second.created_at >= first.created_at
        assert loaded(thread, second).created_at == second.created_at

    def test_created_at_is_now_with_a_time_zone(self, thread: AnyThread) -> None:
        saved = thread.save({})
        assert saved.created_at.tzinfo is not None
        assert abs(datetime.now(UTC) - saved.created_at) < timedelta(minutes=5)

    def test_ids_given_out_differ(self, thread: AnyThread) -> None:
        assert len({info.id for info in save_chain(thread, 50)}) == 50

    # ---------------------------------------------------------------- step and parent

    def test_step_is_zero_at_a_root_and_then_the_parents_plus_one(self, thread: AnyThread) -> None:
        assert [thread.save({}).step, thread.save({}).step, thread.save({}).step] == [0, 1, 2]

    def test_a_given_step_is_taken_and_counted_on_from(self, thread: AnyThread) -> None:
        assert [thread.save({}, step=-1).step, thread.save({}).step] == [-1, 0]
        assert [thread.save({}, step=40).step, thread.save({}).step] == [40, 41]

    def test_the_first_checkpoint_has_no_parent(self, thread: AnyThread) -> None:
        saved = thread.save({})
        assert (saved.parent_id, saved.parent_thread_id) == (None, None)

    def test_the_parent_is_the_head(self, thread: AnyThread) -> None:
        first, second, third = save_chain(thread, 3)
        assert (second.parent_id, third.parent_id) == (first.id, second.id)
        assert third.parent_thread_id == "main"

    def test_parent_root_starts_a_new_root(self, thread: AnyThread) -> None:
        save_chain(thread, 3)
        saved = thread.save(grown(0), parent=ROOT)
        assert (saved.parent_id, saved.step, saved.seq) == (None, 0, 4)
        assert ids(thread.lineage(saved.id)) == [saved.id]

    def test_an_older_parent_makes_a_branch(self, thread: AnyThread) -> None:
        first, second, third = save_chain(thread, 3)
        branch = thread.save({"n": "branch"}, parent=first.id)
        assert (branch.parent_id, branch.step, branch.seq) == (first.id, 1, 4)
        assert ids(thread.lineage(branch.id)) == [branch.id, first.id]
        assert ids(thread.lineage(third.id)) == [third.id, second.id, first.id]
        assert head(thread).id == branch.id

    def test_branches_keep_their_own_states(self, thread: AnyThread) -> None:
        chain = save_chain(thread, 4)
        other = {"n": -1, "messages": [*grown(1)["messages"], {"role": "user", "content": "other " * 20}]}
        branch = thread.save(other, parent=chain[1].id)
        back = thread.save(grown(4), parent=chain[3].id)
        assert [loaded(thread, info).state for info in chain] == [grown(n) for n in range(4)]
        assert (loaded(thread, branch).state, loaded(thread, back).state) == (other, grown(4))

    def test_a_missing_parent_is_not_found(self, thread: AnyThread) -> None:
        thread.save({})
        with pytest.raises(NotFound, match="missing"):
            thread.save({}, parent="missing")
        assert len(thread.history()) == 1

    def test_a_parent_in_an_empty_thread_is_not_found_and_starts_no_thread(self, store: Store) -> None:
        with pytest.raises(NotFound):
            store.thread("t").save({}, parent="missing")
        assert store.threads() == []
        assert store.thread("t").info() is None

    def test_a_parent_of_another_namespace_is_not_found(self, store: Store) -> None:
        outer = store.thread("t").save({})
        store.thread("t", "inner").save({})
        with pytest.raises(NotFound):
            store.thread("t", "inner").save({}, parent=outer.id)

    def test_a_parent_of_another_thread_is_not_found(self, store: Store) -> None:
        other = store.thread("other").save({})
        with pytest.raises(NotFound):
            store.thread("t").save({}, parent=other.id)
