"""Ids: any text, stored exactly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from holdfast import InvalidId, Store, Thread
from holdfast.testing.driver import AnyThread, StoreTests, head, loaded

ALIKE: Final = [
    "alice", "Alice", "ALICE", "a/b", "a_b", "A_B", "a-b", "a\\b", "a b", "ab", "../x", "..", ".", "./x", "x", "/x",
    "x/", " x", "x ", "x\n", "x.json", "con", "%", "_", "*", "?", "'", '"', "--", ";", "~", "$HOME", "a:b", "a|b",
    "\u00e9", "e\u0301", "ß", "ss", "ı", "i", "İ", "ﬁ", "fi", "\u200b", "\ufeff", "\u202e", "\x01", "\x7f",
    "日本", "\U0001f600", "\uffff", "\U0010ffff", "1", "01", "1.0", "null", "None",
]  # fmt: skip
LONGEST: Final = ["x" * 1024, "x" * 1023 + "y", "\U0001f600" * 1024, "é" * 1024]
WRONG: Final[dict[str, Any]] = {
    "empty": "", "too long": "x" * 1025, "with a NUL": "a\0b", "half a surrogate pair": "a\ud800", "bytes": b"a",
    "number": 1,
}  # fmt: skip
TAKES_AN_ID: Final[dict[str, Callable[[Store, Thread[Any], Any], Any]]] = {
    "thread": lambda store, thread, wrong: store.thread(wrong),
    "copy_thread from": lambda store, thread, wrong: store.copy_thread(wrong, "b"),
    "copy_thread to": lambda store, thread, wrong: store.copy_thread("main", wrong),
    "save id": lambda store, thread, wrong: thread.save({}, id=wrong),
    "save parent": lambda store, thread, wrong: thread.save({}, parent=wrong),
    "save origin": lambda store, thread, wrong: thread.save({}, origin=wrong),
    "load": lambda store, thread, wrong: thread.load(wrong),
    "lineage": lambda store, thread, wrong: thread.lineage(wrong),
    "diff": lambda store, thread, wrong: thread.diff(wrong, "a"),
    "fork at": lambda store, thread, wrong: thread.fork(wrong),
    "fork to": lambda store, thread, wrong: thread.fork(to=wrong),
    "label": lambda store, thread, wrong: thread.label(wrong, "x"),
    "put_writes": lambda store, thread, wrong: thread.put_writes(wrong, [("w", 1)], task_id="t"),
    "put_writes task": lambda store, thread, wrong: thread.put_writes("a", [("w", 1)], task_id=wrong),
    "delete_checkpoints": lambda store, thread, wrong: thread.delete_checkpoints([wrong]),
    "history before": lambda store, thread, wrong: thread.history(before=wrong),
}


class Identifiers(StoreTests):
    def test_ids_that_look_alike_are_different_threads(self, store: Store) -> None:
        for name in ALIKE:
            store.thread(name).save({"name": name})
        assert [head(store.thread(name)).state["name"] for name in ALIKE] == ALIKE
        assert [info.id for info in store.threads()] == sorted(ALIKE)

    def test_ids_that_look_alike_are_different_checkpoints(self, thread: AnyThread) -> None:
        for name in ALIKE:
            thread.save({"name": name}, id=name)
        assert [loaded(thread, name).state["name"] for name in ALIKE] == ALIKE

    def test_namespaces_that_look_alike_are_different(self, store: Store) -> None:
        for name in ALIKE:
            store.thread("t", name).save({"name": name})
        assert [head(store.thread("t", name)).state["name"] for name in ALIKE] == ALIKE

    def test_deleting_a_thread_leaves_those_that_look_alike(self, store: Store) -> None:
        for name in ALIKE:
            store.thread(name).save({})
        for name in ALIKE[::2]:
            store.thread(name).delete()
        assert [info.id for info in store.threads()] == sorted(ALIKE[1::2])

    @pytest.mark.parametrize("name", LONGEST, ids=["x", "y", "astral", "accents"])
    def test_an_id_may_have_1024_characters(self, store: Store, name: str) -> None:
        thread = store.thread(name, name)
        thread.save({"n": 1}, id=name, run_id=name)
        store.thread(name).save({"n": 2}, id=name)
        assert loaded(thread, name).thread_id == name
        assert [info.id for info in store.threads()] == [name]
        assert (thread.delete_run(name), thread.latest()) == (1, None)

    def test_long_ids_that_end_differently_are_different_threads(self, store: Store) -> None:
        for name in LONGEST:
            store.thread(name).save({"last": name[-1]})
        assert [head(store.thread(name)).state["last"] for name in LONGEST] == [name[-1] for name in LONGEST]

    @pytest.mark.parametrize("call", list(TAKES_AN_ID))
    def test_what_can_not_be_an_id_is_refused(self, store: Store, thread: AnyThread, call: str) -> None:
        thread.save({"n": 1}, id="a")
        for wrong in WRONG:
            with pytest.raises(InvalidId):
                TAKES_AN_ID[call](store, thread, WRONG[wrong])
        assert len(thread.history()) == 1

    def test_what_can_not_be_a_namespace_is_refused(self, store: Store) -> None:
        for wrong in WRONG.keys() - {"empty"}:
            with pytest.raises(InvalidId):
                store.thread("t", WRONG[wrong])

    def test_text_fields_may_be_any_text_but_nul(self, thread: AnyThread) -> None:
        for text in ALIKE:
            found = thread.save(
                {}, node=text, run_id=text, status=text, label=text, next=(text,), metadata={text: text}
            )
            assert (found.node, found.run_id, found.status, found.label, found.next) == (
                text,
                text,
                text,
                text,
                (text,),
            )
            assert loaded(thread, found).metadata == {text: text}
            assert thread.history(where={"node": text, "run_id": text, "label": text, text: text})[0].id == found.id
