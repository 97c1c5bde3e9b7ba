"""Digests of content: equal histories in two stores have equal digests, different ones have different digests."""

from __future__ import annotations

from typing import Any, Final

import pytest

from holdfast import ROOT, Store, extend
from holdfast.testing.driver import AnyThread, Opener, StoreTests, grown, head, save_chain

FIELDS: Final[dict[str, Any]] = {
    "node": "plan", "next": ("act",), "step": 7, "source": "input", "run_id": "r1", "status": "paused",
    "metadata": {"cost": 1}, "journal_seq": 0, "parent": ROOT, "extra": {"x": 1}, "id": "other",
}  # fmt: skip


def history(thread: AnyThread) -> list[str]:
    """Make fifty saves with branches, updates and long values; return their digests."""
    for n in range(30):
        thread.save(grown(n), id=f"a{n}", node=f"node {n % 3}", metadata={"n": n}, run_id="r")
    for n in range(5):
        thread.save({**grown(n), "more": "x" * n * 40}, id=f"b{n}", parent=f"a{n * 2}")
    thread.save({"n": 0}, id="root", parent=ROOT)
    for n in range(14):
        thread.save({"n": n, "files": {f"file {i}": "text " * (i + n) for i in range(n)}}, id=f"c{n}")
    return [info.digest for info in thread.history(limit=None)]


class ContentDigests(StoreTests):
    def test_the_same_history_in_two_stores_has_the_same_digests(self, opened: Opener) -> None:
        one, other = opened("a"), opened("b")
        other.thread("before").save({})
        digests = history(one.thread("t"))
        assert digests == history(other.thread("another name"))
        assert len(set(digests)) == len(digests) == 50

    def test_however_a_value_came_about_its_digest_is_the_same(self, store: Store) -> None:
        grew, whole, shrunk = store.thread("a"), store.thread("b"), store.thread("c")
        save_chain(grew, 90)
        save_chain(shrunk, 1)
        shrunk.save(grown(120))
        ends = [thread.save(grown(89), id="end", parent=ROOT).digest for thread in (grew, whole, shrunk)]
        assert len(set(ends)) == 1

    def test_an_update_has_the_digest_of_the_save_it_amounts_to(self, store: Store) -> None:
        one, other = store.thread("a"), store.thread("b")
        for thread in (one, other):
            thread.save(grown(80), id="start")
        one.update({"messages": grown(81)["messages"][81:], "n": 81}, reduce={"messages": extend})
        other.save(grown(81))
        assert head(one).state == head(other).state
        one.save(grown(82), id="end", parent="start")
        other.save(grown(82), id="end", parent="start")
        assert head(one).digest == head(other).digest

    def test_a_digest_does_not_depend_on_label_time_or_number(self, store: Store) -> None:
        one, other = store.thread("a"), store.thread("b")
        save_chain(other, 2)
        assert one.save({"n": 1}, id="x", label="l").digest == other.save({"n": 1}, id="x", parent=ROOT, step=0).digest

    def test_a_digest_stays_as_it_was(self, thread: AnyThread) -> None:
        saved = save_chain(thread, 3)
        thread.label(saved[1].id, "x")
        thread.put_writes(saved[1].id, [("w", 1)], task_id="t")
        thread.delete_checkpoints([saved[0].id])
        assert [info.digest for info in thread.history()] == [saved[2].digest, saved[1].digest]

    def test_a_fork_and_a_copy_have_the_digests_of_the_origin(self, store: Store, thread: AnyThread) -> None:
        save_chain(thread, 3)
        digests = [info.digest for info in thread.history()]
        fork = thread.fork()
        store.copy_thread("main", "copy")
        assert [info.digest for info in fork.history()] == digests
        assert [info.digest for info in store.thread("copy").history()] == digests

    @pytest.mark.parametrize("name", list(FIELDS))
    def test_another_field_is_another_digest(self, store: Store, name: str) -> None:
        digests = []
        for thread, fields in ((store.thread("a"), {}), (store.thread("b"), {name: FIELDS[name]})):
            thread.save({"n": 0}, id="first")
            thread.journal.append("event", None)
            digests.append(thread.save({"n": 1}, **{"id": "x", **fields}).digest)
        assert digests[0] != digests[1]

    @pytest.mark.parametrize("state", [{"n": 2}, {"m": 1}, {"n": 1, "m": 1}, {}, {"n": 1.0}, {"n": True}, {"n": "1"}])
    def test_another_state_is_another_digest(self, store: Store, state: dict[str, Any]) -> None:
        one = store.thread("a").save({"n": 1}, id="x")
        assert store.thread("b").save(state, id="x").digest != one.digest

    def test_another_item_deep_in_a_long_list_is_another_digest(self, store: Store) -> None:
        state = grown(200)
        one = store.thread("a").save(state, id="x")
        state["messages"][77]["content"] += "."
        assert store.thread("b").save(state, id="x").digest != one.digest

    def test_another_ancestor_is_another_digest(self, store: Store) -> None:
        one, other = store.thread("a"), store.thread("b")
        one.save({"n": 0}, id="first")
        other.save({"n": "other"}, id="first")
        assert one.save({"n": 1}, id="x").digest != other.save({"n": 1}, id="x").digest

    def test_another_namespace_is_another_digest(self, store: Store) -> None:
        one = store.thread("a").save({"n": 1}, id="x")
        assert store.thread("b", "inner").save({"n": 1}, id="x").digest != one.digest
