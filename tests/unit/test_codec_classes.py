"""Which classes a codec knows, and how records outlive changes to them."""

from __future__ import annotations

import dataclasses
import enum
from typing import Annotated, Any, Generic, NewType, Optional, TypedDict, TypeVar

import attrs
import msgspec
import pydantic
import pytest

from holdfast.codec import Codec, Opaque
from tests.unit.codec_values import Colour, Plan, Point

T = TypeVar("T")


class Kind(enum.Enum):
    A = 1


@dataclasses.dataclass
class Leaf:
    kind: Kind


class Branch(pydantic.BaseModel):
    leaves: dict[str, list[Leaf]]
    parent: Optional[Branch] = None  # noqa: UP045  (the old spelling has to work too)


class Graph(TypedDict):
    root: Branch


Named = NewType("Named", Leaf)


@dataclasses.dataclass
class Holder(Generic[T]):
    what: Annotated[Named | None, "note"]
    missing: "NotDefinedAnywhere | None" = None  # type: ignore[name-defined]  # noqa: F821, UP037


@pytest.mark.parametrize("root", [Branch, Graph, list[Branch], Branch | None])
def test_classes_mentioned_by_annotations_are_known(root: Any) -> None:
    value = Branch(leaves={"x": [Leaf(Kind.A)]})
    assert Codec([root]).decode(Codec().encode(value)) == value


def test_a_name_that_does_not_resolve_hides_no_other() -> None:
    value: Holder[int] = Holder(Named(Leaf(Kind.A)))
    assert Codec([Holder]).decode(Codec().encode(value)) == value


def test_with_types_adds_to_what_is_known() -> None:
    codec = Codec([Point]).with_types([Plan])
    assert codec.decode(codec.encode([Plan("x"), Point(1)])) == [Plan("x"), Point(1)]


def test_with_types_gives_the_same_codec_if_nothing_is_new() -> None:
    codec = Codec([Plan, Colour])
    assert codec.with_types([Plan]) is codec
    assert codec.with_types([]) is codec
    assert codec.with_types([Point]) is not codec


def make_dataclass(**fields: Any) -> Any:
    return new_dataclass([(name, Any, default) for name, default in fields.items()])


def new_dataclass(fields: Any) -> Any:
    cls = dataclasses.make_dataclass("Note", fields)
    cls.__module__ = "app"
    return cls


def make_struct(**fields: Any) -> Any:
    return msgspec.defstruct("Note", [(name, Any, default) for name, default in fields.items()], module="app")


def make_model(**fields: Any) -> Any:
    definitions: Any = {name: (Any, default) for name, default in fields.items()}
    return pydantic.create_model("Note", __module__="app", **definitions)


def make_attrs(**fields: Any) -> Any:
    cls = attrs.make_class("Note", {name: attrs.field(default=default) for name, default in fields.items()})
    cls.__module__ = "app"
    return cls


MAKERS = [make_dataclass, make_struct, make_model, make_attrs]


@pytest.mark.parametrize("make", MAKERS)
def test_a_field_added_since_takes_its_default(make: Any) -> None:
    old, new = make(a=1), make(a=1, b=2)
    assert Codec([new]).decode(Codec().encode(old(a=5))) == new(a=5, b=2)


@pytest.mark.parametrize("make", MAKERS)
def test_a_field_removed_since_is_left_out(make: Any) -> None:
    old, new = make(a=1, b=2), make(a=1)
    assert Codec([new]).decode(Codec().encode(old(a=5))) == new(a=5)


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("other", MAKERS)
def test_a_class_may_move_to_another_family(make: Any, other: Any) -> None:
    old, new = make(a=1), other(a=1)
    assert Codec([new]).decode(Codec().encode(old(a=5))).a == 5


def test_a_default_factory_runs_for_every_instance() -> None:
    old = make_dataclass(a=1)
    new = new_dataclass([("a", int, 1), ("b", list, dataclasses.field(default_factory=list))])
    first, second = Codec([new]).decode(Codec().encode([old(), old()]))
    assert first.b == [] and first.b is not second.b  # noqa: PT018


def test_a_record_without_a_field_that_has_no_default_is_opaque() -> None:
    new = new_dataclass([("a", int), ("b", int)])
    data = Codec().encode(make_dataclass(a=1)())
    found = Codec([new]).decode(data)
    assert type(found) is Opaque
    assert Codec().encode(found) == data


def test_a_class_that_moved_is_found_under_its_old_name() -> None:
    data = Codec().encode(make_dataclass(goal="x")())
    assert Codec({"app.Note": Plan}).decode(data) == Plan("x")


def test_a_mapping_of_types_knows_the_new_name_too() -> None:
    codec = Codec({"app.Note": Plan})
    assert codec.decode(codec.encode(Plan("x"))) == Plan("x")


def test_an_enum_member_renamed_since_is_found_by_value() -> None:
    make: Any = enum.Enum
    old, new = make("Level", {"LOW": 1}, module="app"), make("Level", {"SMALL": 1}, module="app")
    assert Codec([new]).decode(Codec().encode(old.LOW)) is new.SMALL
