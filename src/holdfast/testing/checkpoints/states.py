"""States as instances of classes: the fields are the channels, and a thread returns instances."""

from __future__ import annotations

from dataclasses import dataclass, field, make_dataclass
from typing import Any, Final, TypedDict

import msgspec
import pytest

from holdfast import Store, Thread, extend
from holdfast.testing.driver import StoreTests, head, loaded


def _dataclass() -> Any:
    return make_dataclass("Work", [("goal", str), ("steps", list[str], field(default_factory=list)), ("n", int, 0)])


def _msgspec() -> Any:
    fields: list[Any] = [("goal", str), ("steps", list[str], msgspec.field(default_factory=list)), ("n", int, 0)]
    return msgspec.defstruct("Work", fields)


def _pydantic() -> Any:
    pydantic = pytest.importorskip("pydantic")
    return pydantic.create_model("Work", goal=(str, ...), steps=(list[str], pydantic.Field(default=[])), n=(int, 0))


def _attrs() -> Any:
    attrs = pytest.importorskip("attrs")
    return attrs.make_class(
        "Work", {"goal": attrs.field(), "steps": attrs.field(factory=list), "n": attrs.field(default=0)}
    )


FAMILIES: Final = {"dataclass": _dataclass, "msgspec": _msgspec, "pydantic": _pydantic, "attrs": _attrs}


@dataclass
class Inner:
    values: list[int]


@dataclass
class Outer:
    inner: Inner
    more: dict[str, Inner]


class Typed(TypedDict, total=False):
    n: int


class TypedStates(StoreTests):
    @pytest.fixture(params=list(FAMILIES))
    def work(self, request: pytest.FixtureRequest) -> Any:
        """The same class, made in each of the ways."""
        return FAMILIES[request.param]()

    def test_a_thread_gives_the_class_back(self, store: Store, work: Any) -> None:
        thread: Thread[Any] = store.thread("t", state=work)
        state = work(goal="g", steps=["a" * 50], n=2)
        saved = thread.save(state)
        for found in (head(thread), loaded(thread, saved), thread.at(step=0)):
            assert found is not None
            assert type(found.state) is work
            assert found.state == state

    def test_fields_are_channels(self, store: Store, work: Any) -> None:
        store.thread("t", state=work).save(work(goal="g", steps=["a"]))
        assert head(store.thread("t")).state == {"goal": "g", "steps": ["a"], "n": 0}

    def test_a_partial_state_is_a_dict(self, store: Store, work: Any) -> None:
        thread: Thread[Any] = store.thread("t", state=work)
        thread.save(work(goal="g"))
        found = thread.latest(channels=["goal"])
        assert found is not None
        assert found.state == {"goal": "g"}

    def test_a_mapping_may_be_saved_too(self, store: Store, work: Any) -> None:
        thread: Thread[Any] = store.thread("t", state=work)
        thread.save({"goal": "g"})
        assert head(thread).state == work(goal="g")

    def test_updates_and_forks_keep_the_class(self, store: Store, work: Any) -> None:
        thread: Thread[Any] = store.thread("t", state=work)
        thread.save(work(goal="g", steps=["a"]))
        thread.update({"steps": ["b"]}, reduce={"steps": extend})
        assert head(thread).state == work(goal="g", steps=["a", "b"])
        assert head(thread.fork()).state == work(goal="g", steps=["a", "b"])
        assert head(thread.fork(edits={"n": 5})).state == work(goal="g", steps=["a", "b"], n=5)

    def test_a_record_from_before_a_field_existed_takes_its_default(self, store: Store, work: Any) -> None:
        store.thread("t").save({"goal": "g"})
        assert head(store.thread("t", state=work)).state == work(goal="g", steps=[], n=0)

    def test_a_class_inside_a_channel_is_loaded_as_itself(self, store: Store, work: Any) -> None:
        thread: Thread[Any] = store.thread("t", state=work)
        value = work(goal="inner")
        thread.save({"goal": "g", "steps": [value]})
        assert head(thread).state.steps == [value]


class NestedStates(StoreTests):
    def test_classes_that_a_state_mentions_are_loaded_as_themselves(self, store: Store) -> None:
        state = Outer(Inner([1]), {"k": Inner([2, 3])})
        thread = store.thread("t", state=Outer)
        thread.save(state)
        assert head(thread).state == state

    def test_a_typed_dict_is_loaded_as_a_dict(self, store: Store) -> None:
        thread = store.thread("t", state=Typed)
        thread.save({"n": 1})
        assert head(thread).state == {"n": 1}
