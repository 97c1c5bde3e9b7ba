"""With ``mappings=True``, models and dataclasses that are not known are dicts of their fields, and otherwise opaque."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any, NamedTuple

import pydantic
import pytest

from holdfast.codec import Codec, Opaque
from tests.unit.codec_values import CLASSES, Colour, Plan, Point

KNOWING = Codec(CLASSES)
IGNORANT = Codec()
MAPPING = Codec(mappings=True)
PLAN = f"{Plan.__module__}.Plan"


class Pair(NamedTuple):
    a: int
    b: int


class Loose(pydantic.BaseModel, extra="allow"):
    n: int = 1
    _inner: str = "not shown"


def mapping(value: Any, codec: Codec = MAPPING) -> Any:
    found = codec.decode(KNOWING.encode(value))
    assert isinstance(found, Opaque)
    assert isinstance(found, dict)
    return found


def test_a_dataclass_is_a_dict_of_its_fields() -> None:
    found = mapping(Plan("x", [1]))
    assert dict(found) == {"goal": "x", "steps": [1], "done": False}
    assert (found.name, found.kind, found.fields) == (PLAN, "dataclass", dict(found))


def test_a_model_shows_its_fields_and_its_extra_ones() -> None:
    assert dict(mapping(Loose.model_validate({"n": 2, "more": 3}))) == {"n": 2, "more": 3}


@pytest.mark.parametrize(
    "value",
    [Plan("x", [1]), Loose.model_validate({"n": 2, "more": 3}), [Plan("\ud800", {(1, 2): Plan("y")})]],
    ids=repr,
)
def test_it_saves_again_as_the_same_bytes(value: Any) -> None:
    data = KNOWING.encode(value)
    assert MAPPING.encode(MAPPING.decode(data)) == data
    assert MAPPING.encode({"a": MAPPING.decode(data), "b": "\udfff"}) == KNOWING.encode({"a": value, "b": "\udfff"})


def test_unknown_values_inside_are_dicts_too_and_known_ones_themselves() -> None:
    found = mapping(Plan(Plan("inner"), Point(1, 2)), Codec([Point], mappings=True))
    assert found["goal"]["goal"] == "inner"
    assert found["steps"] == Point(1, 2)


def test_other_kinds_are_opaque_as_ever() -> None:
    for value in (Colour.RED, Pair(1, 2)):
        assert type(MAPPING.decode(KNOWING.encode(value))) is Opaque


def test_it_equals_what_has_the_same_content() -> None:
    assert mapping(Plan("x")) == mapping(Plan("x")) == IGNORANT.decode(KNOWING.encode(Plan("x")))
    assert mapping(Plan("x")) != mapping(Plan("y"))
    assert mapping(Plan("x")) == dict(mapping(Plan("x")))
    assert len({mapping(Plan("x")), mapping(Plan("x"))}) == 1


def test_it_can_not_be_changed_and_a_copy_can() -> None:
    found = mapping(Plan("x"))
    for change in (
        lambda: found.__setitem__("goal", "y"),
        lambda: found.__delitem__("goal"),
        lambda: found.update(goal="y"),
        lambda: found.pop("goal"),
        lambda: found.setdefault("new", 1),
        found.popitem,
        found.clear,
    ):
        with pytest.raises(TypeError, match="can't be changed"):
            change()
    with pytest.raises(TypeError, match="can't be changed"):
        found |= {"goal": "y"}
    assert found["goal"] == "x"
    assert {**found.copy(), "goal": "y"}["goal"] == "y"
    assert copy.deepcopy(found) is found


def test_pydantic_builds_the_class_that_replaces_it() -> None:
    @dataclasses.dataclass
    class Intent:
        goal: str
        steps: list[int]

    class Renamed(pydantic.BaseModel):
        goal: str
        done: bool

    class State(pydantic.BaseModel):
        plan: Intent
        model: Renamed

    state = State(plan=mapping(Plan("x", [1])), model=mapping(Plan("y")))
    assert state == State(plan=Intent("x", [1]), model=Renamed(goal="y", done=False))


def test_fields_that_nest_too_deeply_to_be_shown_still_save_again() -> None:
    value = Plan("innermost")
    for _ in range(120):
        value = Plan(value)
    data = KNOWING.encode(value)
    assert MAPPING.encode(MAPPING.decode(data)) == data
