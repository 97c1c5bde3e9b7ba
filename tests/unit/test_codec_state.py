"""A state as channels, and channels as a state."""

from __future__ import annotations

import dataclasses
import types
from typing import Any, TypedDict

import attrs
import msgspec
import pydantic
import pytest

from holdfast.codec import channels_of, state_from
from holdfast.errors import InvalidArgument
from tests.unit.codec_values import Model, Point


@dataclasses.dataclass
class Data:
    a: Any
    b: list[int] = dataclasses.field(default_factory=list)


class Structure(msgspec.Struct):
    a: Any
    b: list[int] = []


class Validated(pydantic.BaseModel):
    a: int
    b: list[int] = []


@attrs.define
class Defined:
    a: Any
    b: list[int] = attrs.Factory(list)


class Typed(TypedDict):
    a: int


STATES = [Data, Structure, Validated, Defined]


@pytest.mark.parametrize("cls", STATES)
def test_fields_are_channels(cls: Any) -> None:
    assert channels_of(cls(a=1, b=[2])) == {"a": 1, "b": [2]}


@pytest.mark.parametrize("cls", STATES)
def test_channels_make_the_state_again(cls: Any) -> None:
    assert state_from(cls, {"a": 1, "b": [2]}) == cls(a=1, b=[2])


@pytest.mark.parametrize("cls", STATES)
def test_missing_channels_take_defaults_and_unknown_ones_are_ignored(cls: Any) -> None:
    assert state_from(cls, {"a": 1, "z": 3}) == cls(a=1)


@pytest.mark.parametrize("cls", STATES)
def test_a_channel_without_default_may_be_missing(cls: Any) -> None:
    state = state_from(cls, {"b": [1]})
    assert state.b == [1]
    assert not hasattr(state, "a")
    assert channels_of(state) == {"b": [1]}


def test_a_mapping_is_copied() -> None:
    state = {"a": 1}
    channels = channels_of(types.MappingProxyType(state))
    channels["b"] = 2
    assert state == {"a": 1}


@pytest.mark.parametrize("cls", [dict, Typed, dict[str, Any]])
def test_mappings_are_dicts(cls: Any) -> None:
    assert state_from(cls, {"a": 1}) == {"a": 1}


def test_values_are_not_converted() -> None:
    inner = Data(1)
    assert channels_of(Data(inner))["a"] is inner


def test_extra_fields_of_a_model_are_channels_too() -> None:
    model = Model.model_validate({"a": 1, "more": 2})
    assert channels_of(model) == {"a": 1, "b": None, "more": 2}
    assert state_from(Model, channels_of(model)).more == 2


@pytest.mark.parametrize("state", [1, "text", [1], None, Point(1), object()])
def test_anything_else_is_refused_as_a_state(state: Any) -> None:
    with pytest.raises(InvalidArgument, match="a state must be a mapping"):
        channels_of(state)


def test_names_of_channels_are_strings() -> None:
    with pytest.raises(InvalidArgument, match="must be strings"):
        channels_of({1: 2})


@pytest.mark.parametrize("cls", [int, Point, list])
def test_other_classes_make_no_state(cls: Any) -> None:
    with pytest.raises(InvalidArgument):
        state_from(cls, {"a": 1})
