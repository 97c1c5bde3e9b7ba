"""The list of a store's threads: by prefix, by metadata, in pages."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

from holdfast import InvalidArgument, Store, ThreadInfo
from holdfast.testing.driver import StoreTests, grown, head, save_chain


class ThreadLists(StoreTests):
    def test_an_empty_store_lists_nothing(self, store: Store) -> None:
        assert store.threads() == []

    def test_threads_are_listed_in_the_order_of_their_ids(self, store: Store) -> None:
        for name in ("b", "a", "c", "B", "ä", "aa", "\U0001f600", "\uffee"):
            store.thread(name).save({})
        assert names(store.threads()) == ["B", "a", "aa", "b", "c", "ä", "\uffee", "\U0001f600"]

    def test_a_thread_shows_its_head(self, store: Store) -> None:
        thread = store.thread("t", metadata={"team": "red"})
        first = thread.save(grown(0))
        last = thread.save(grown(1), status="completed", step=9)
        (info,) = store.threads()
        assert info == thread.info()
        assert (info.id, info.head, info.step, info.status, info.checkpoints) == ("t", last.id, 9, "completed", 2)
        assert (dict(info.metadata), info.forked_from, info.lease) == ({"team": "red"}, None, None)
        assert info.created_at <= first.created_at
        assert info.updated_at == last.created_at
        assert info.size > 0

    def test_threads_are_listed_in_pages(self, store: Store) -> None:
        expected = [f"t{n:02}" for n in range(7)]
        for name in expected:
            store.thread(name).save({})
        found = store.threads(limit=3)
        while page := store.threads(limit=3, after=found[-1].id):
            found += page
        assert names(found) == expected

    def test_emptied_forks_do_not_make_a_page_shorter(self, store: Store) -> None:
        thread, inner = store.thread("a"), store.thread("a", "inner")
        thread.save({})
        inner.save({})
        for n in range(3):
            fork = thread.fork(to=f"a/{n}")
            for line in (fork, store.thread(fork.id, "inner")):
                line.delete_checkpoints([info.id for info in line.history()])
        store.thread("b").save({})
        assert names(store.threads(limit=2)) == ["a", "b"]
        assert names(store.threads(limit=1, after="a")) == ["b"]

    def test_a_hundred_threads_are_listed_by_default(self, store: Store) -> None:
        for n in range(103):
            store.thread(f"t{n:03}").save({})
        assert len(store.threads()) == 100
        assert len(store.threads(limit=None)) == 103
        assert store.threads(limit=0) == []

    def test_a_negative_thread_limit_is_refused(self, store: Store) -> None:
        with pytest.raises(InvalidArgument, match="limit"):
            store.threads(limit=-1)

    @pytest.mark.parametrize(
        "prefix", ["a", "a%", "a_", "%", "_", "a/", "\\", "A", "é", "\U0001f600", "\U0010ffff", "x\uffff", "*", "[a"]
    )
    def test_a_prefix_is_taken_literally(self, store: Store, prefix: str) -> None:
        others = [
            "a",
            "ab",
            "a%b",
            "a_b",
            "a/b",
            "A",
            "%",
            "_x",
            "\\x",
            "é1",
            "e",
            "\U0001f600!",
            "\U0001f601",
            "\U0010ffff1",
        ]
        others += ["x\uffff!", "x\U00010000", "*", "[a]"]
        for name in others:
            store.thread(name).save({})
        assert names(store.threads(prefix=prefix)) == sorted(name for name in others if name.startswith(prefix))

    @pytest.mark.parametrize("text", ["a\ud800", "a\0"], ids=["half a surrogate pair", "NUL"])
    def test_a_prefix_that_no_id_can_have_finds_nothing_or_is_refused(self, store: Store, text: str) -> None:
        store.thread("a").save({}, node="a")
        for search in (
            lambda: store.threads(prefix=text),
            lambda: store.threads(prefix="a", after=text, where={"status": "none"}),
            lambda: store.threads(where={"status": text}),
            lambda: store.thread("a").history(where={"node": text}),
        ):
            with suppress(InvalidArgument):
                assert search() == []

    def test_prefix_and_after_can_be_combined(self, store: Store) -> None:
        for name in ("a/1", "a/2", "a/3", "b/1"):
            store.thread(name).save({})
        assert names(store.threads(prefix="a/", after="a/1")) == ["a/2", "a/3"]
        assert names(store.threads(prefix="b/", after="a/2")) == ["b/1"]
        assert names(store.threads(prefix="a/", after="b")) == []
        assert names(store.threads(prefix="a/", after="a/1", limit=1)) == ["a/2"]

    def test_where_finds_threads_by_metadata(self, store: Store) -> None:
        for name, team in (("a", "red"), ("b", "blue"), ("c", "red")):
            store.thread(name, metadata={"team": team}).save({})
        assert names(store.threads(where={"team": "red"})) == ["a", "c"]
        assert names(store.threads(where={"team": "green"})) == []
        assert names(store.threads(where={"colour": "red"})) == []

    @pytest.mark.parametrize("value", [1, True, None, 2.5, "x" * 500, ["a", 1], {"k": [1]}, "", "a\0b", b"\x00"])
    def test_where_compares_any_value(self, store: Store, value: Any) -> None:
        store.thread("a", metadata={"key": value}).save({})
        store.thread("b", metadata={"key": "other"}).save({})
        assert names(store.threads(where={"key": value})) == ["a"]

    def test_where_distinguishes_a_number_from_its_text(self, store: Store) -> None:
        store.thread("a", metadata={"key": 1}).save({})
        store.thread("b", metadata={"key": "1"}).save({})
        assert names(store.threads(where={"key": 1})) == ["a"]
        assert names(store.threads(where={"key": "1"})) == ["b"]

    def test_where_with_several_keys_finds_threads_that_have_all(self, store: Store) -> None:
        for n in range(8):
            metadata = {"a": n & 1, "b": n & 2, "c": n & 4}
            store.thread(f"t{n}", metadata=metadata).save({}, status="paused" if n > 3 else "running")
        assert names(store.threads(where={"a": 1, "b": 2})) == ["t3", "t7"]
        assert names(store.threads(where={"a": 1, "b": 2, "status": "paused"})) == ["t7"]
        assert names(store.threads(prefix="t3", where={"a": 1, "b": 2, "c": 0, "status": "running"})) == ["t3"]

    def test_where_status_is_that_of_the_head_now(self, store: Store) -> None:
        thread = store.thread("t")
        thread.save({}, status="running")
        last = thread.save({}, status="completed")
        assert names(store.threads(where={"status": "running"})) == []
        assert names(store.threads(where={"status": "completed"})) == ["t"]
        thread.delete_checkpoints([last.id])
        assert names(store.threads(where={"status": "running"})) == ["t"]
        assert names(store.threads(where={"status": "completed"})) == []

    def test_a_status_in_the_metadata_is_not_the_threads_status(self, store: Store) -> None:
        store.thread("t", metadata={"status": "odd"}).save({}, status="running")
        assert names(store.threads(where={"status": "odd"})) == []
        assert names(store.threads(where={"status": "running"})) == ["t"]

    def test_metadata_of_a_later_handle_is_merged_at_the_next_save(self, store: Store) -> None:
        store.thread("t", metadata={"team": "red", "kept": 1}).save({})
        store.thread("t", metadata={"team": "blue", "more": 2}).save({})
        info = store.thread("t").info()
        assert info is not None
        assert dict(info.metadata) == {"team": "blue", "kept": 1, "more": 2}

    def test_where_finds_threads_by_their_metadata_now(self, store: Store) -> None:
        store.thread("t", metadata={"team": "red"}).save({})
        store.thread("t", metadata={"team": "blue"}).save({})
        assert names(store.threads(where={"team": "blue"})) == ["t"]
        assert names(store.threads(where={"team": "red"})) == []

    def test_a_handle_without_metadata_does_not_change_it(self, store: Store) -> None:
        store.thread("t", metadata={"team": "red"}).save({})
        store.thread("t").save({})
        assert names(store.threads(where={"team": "red"})) == ["t"]

    def test_a_thread_with_only_an_inner_namespace_is_listed_without_a_head(self, store: Store) -> None:
        store.thread("t", "inner").save({})
        (info,) = store.threads()
        assert (info.id, info.head, info.step) == ("t", None, None)

    def test_info_is_the_same_from_every_namespace(self, store: Store) -> None:
        store.thread("t").save({})
        store.thread("t", "inner").save({})
        assert store.thread("t", "inner").info() == store.thread("t").info()

    def test_info_of_a_fork_says_where_it_came_from(self, store: Store) -> None:
        thread = store.thread("t")
        save_chain(thread, 2)
        fork = thread.fork(to="f")
        info = fork.info()
        assert info is not None
        assert info.forked_from is not None
        assert (info.forked_from.thread_id, info.forked_from.checkpoint_id) == ("t", head(thread).id)
        assert info.checkpoints == 2


def names(found: list[ThreadInfo]) -> list[str]:
    return [one.id for one in found]
