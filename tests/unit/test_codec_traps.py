"""Classes that note everything that is done to them, in every place of every record: loading does nothing to them.

What the documentation names may run: the factories of defaults, and `__hash__` and `__eq__` of dict keys and of members
of sets.
"""

from __future__ import annotations

import collections
import dataclasses
import enum
import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple

import attrs
import msgspec
import pydantic
import pytest
from langchain_core.messages import HumanMessage

from holdfast.codec import Codec, Opaque, slots_class
from holdfast.codec.wire import Marker, pack_raw, unpack
from holdfast.errors import Corrupt

RAN: list[str] = []
HERE = __name__


def _trap(name: str) -> Any:
    def run(*args: Any, **kwargs: Any) -> Any:
        RAN.append(name)
        raise AssertionError(f"{name} ran")

    return run


_METHODS = [
    *("__init__", "__post_init__", "__attrs_post_init__", "model_post_init", "__new__", "__setattr__", "__setstate__"),
    *("__getattr__", "__iter__", "__next__", "__len__", "__contains__", "__getitem__", "__setitem__", "__reversed__"),
    *("__or__", "__ror__", "__ior__", "__and__", "__add__", "__radd__", "__iadd__", "__mul__", "__rmul__", "__mod__"),
    *("__lt__", "__gt__", "__le__", "__ge__", "__bool__", "__int__", "__index__", "__float__", "__complex__"),
    *("__str__", "__bytes__", "__format__", "__fspath__", "__length_hint__", "__missing__", "__call__", "__enter__"),
    *("__array__", "__array_interface__", "__dlpack__", "__set__", "__get__", "__delete__", "__set_name__"),
    *("keys", "items", "values", "update", "append", "extend", "add", "pop", "copy", "get", "union", "utcoffset"),
    *("__copy__", "__deepcopy__", "__reduce__", "__reduce_ex__", "__getstate__", "__sizeof__"),
]
_HASHED = ["__hash__", "__eq__", "__ne__"]


def armed(cls: Any, *but: str) -> Any:
    """The class with every method replaced by one that notes that it ran."""
    for name in {*_METHODS, *_HASHED} - {*but}:
        type.__setattr__(cls, name, _trap(name))
    return cls


@dataclasses.dataclass
class Data:
    text: Any = 1


@dataclasses.dataclass(frozen=True)
class Frozen:
    text: Any = 1


@dataclasses.dataclass(slots=True)
class Slotted:
    text: Any = 1


@attrs.define
class Attrs:
    text: Any = 1


@attrs.frozen(slots=False, cache_hash=True)
class FrozenAttrs:
    text: Any = 1


class Struct(msgspec.Struct):
    text: Any = 1


class FrozenStruct(msgspec.Struct, frozen=True):
    text: Any = 1


class Model(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="allow")
    text: Any = 1
    _hidden: Any = pydantic.PrivateAttr(default=2)


class ClosedModel(pydantic.BaseModel):
    text: Any = 1


class Pair(NamedTuple):
    text: Any = 1


class Colour(enum.Enum):
    RED = "red"


class Access(enum.Flag):
    READ = 1
    WRITE = 2


assert Access.READ | Access.WRITE  # a combination that exists


class Mode(enum.Flag):
    READ = 1
    WRITE = 2


class Plain:
    __slots__ = ("text",)


slots_class(f"{HERE}.Plain", ("text",), defaults={"text": 1})


class Text(str): ...


class Number(int): ...


class Real(float): ...


class Data_(bytes): ...


class Items(list[Any]): ...


class Table(dict[Any, Any]): ...


class Ordered(collections.OrderedDict[Any, Any]): ...


class Row(tuple[Any, ...]): ...


class Members(set[Any]): ...


class Fixed(frozenset[Any]): ...


FAMILIES: dict[type, list[Any]] = {
    Data: ["dataclass", "text", "x"],
    Frozen: ["dataclass", "text", "x"],
    Slotted: ["dataclass", "text", "x"],
    Attrs: ["attrs", "text", "x"],
    FrozenAttrs: ["attrs", "text", "x"],
    Struct: ["msgspec", "text", "x"],
    FrozenStruct: ["msgspec", "text", "x"],
    Model: ["pydantic", "text", "x", "+set", ["text"], "+extra", {"a": 1}, "+private", {"_hidden": 1}],
    ClosedModel: ["pydantic", "text", "x", "+set", ["text"], "+extra", {"a": 1}, "+private", {"b": 1}],
    Pair: ["namedtuple", "text", "x"],
    Colour: ["enum", "name", "RED", "value", "red"],
    Access: ["enum", "name", None, "value", 3],
    Plain: ["slots", "text", "x"],
    Text: ["str", "", "x", "note", 1],
    Number: ["int", "", 1, "note", 1],
    Real: ["float", "", 1.5, "note", 1],
    Data_: ["bytes", "", b"x", "note", 1],
    Items: ["list", "", [1], "note", 1],
    Table: ["dict", "", {"a": 1}, "note", 1],
    Ordered: ["OrderedDict", "", {"a": 1}, "note", 1],
    Row: ["tuple", "", [Marker(1), 1], "note", 1],
    Members: ["set", "", [Marker(2), 1], "note", 1],
    Fixed: ["frozenset", "", [Marker(3), 1], "note", 1],
}
CLASSES = [*FAMILIES]
OBJECTS = {cls: [Marker(4), kind, f"{HERE}.{cls.__name__}", *fields] for cls, (kind, *fields) in FAMILIES.items()}
MESSAGE = unpack(Codec().encode(HumanMessage("hi")))[0]
VALUES: dict[str, list[Any]] = {
    "tuple": [Marker(1), 1, 2],
    "int": [Marker(5), b"\1" * 9],
    "surrogates": [Marker(6), b"\xed\xa0\x80"],
    "datetime": [Marker(7), "2024-01-01T00:00:00", 0, [Marker(11)]],
    "date": [Marker(8), "2024-01-01"],
    "time": [Marker(9), "10:00:00", 0, None],
    "timedelta": [Marker(10), 1, 2, 3],
    "timezone": [Marker(11), [Marker(10), 0, 60, 0], "x"],
    "ZoneInfo": [Marker(12), "UTC"],
    "Decimal": [Marker(13), "NAN", float("nan")],
    "UUID": [Marker(14), b"\1" * 16],
    "Fraction": [Marker(15), 1, 3],
    "complex": [Marker(16), 1.0, 2.0],
    "range": [Marker(17), 1, 2, 3],
    "slice": [Marker(18), 1, 2, 3],
    "deque": [Marker(19), 3, 1],
    "defaultdict": [Marker(22), "list"],
    "path": [Marker(23), "PurePosixPath", "/x"],
    "array": [Marker(24), [[Marker(1), "n", "<i8", [Marker(1), 1]]], [1], "C", b"12345678"],
    "scalar": [Marker(25), "<i8", b"12345678"],
    "text scalar": [Marker(25), "U", "x"],
    "message": MESSAGE,
    "longer message": [*MESSAGE, {"a": 1}, {"b": 2}],
    "address": [Marker(27), "IPv6Network", bytes(16), 16, "eth0"],
    "pattern": [Marker(28), "x", 0],
}
RECORDS = VALUES | {cls.__name__: record for cls, record in OBJECTS.items()}


def places(raw: Any) -> Iterator[tuple[Any, ...]]:
    """The path of every part, at any depth; markers and dict keys are no parts."""
    parts = raw.items() if type(raw) is dict else enumerate(raw) if type(raw) is list else ()
    for key, part in parts:
        if type(part) is not Marker:
            yield (key,)
            yield from ((key, *rest) for rest in places(part))


def replaced(raw: Any, place: tuple[Any, ...], part: Any) -> Any:
    if not place:
        return part
    copy = raw.copy()
    copy[place[0]] = replaced(raw[place[0]], place[1:], part)
    return copy


@pytest.fixture(scope="module")
def armed_classes() -> Iterator[list[type]]:
    """Every class of every family, armed while the tests of this module run."""
    before = {cls: dict(vars(cls)) for cls in CLASSES}
    for cls in CLASSES:
        armed(cls)
    yield CLASSES
    for cls, own in before.items():
        for name in {*_METHODS, *_HASHED}:
            if name in own:
                type.__setattr__(cls, name, own[name])
            elif name in vars(cls):
                type.__delattr__(cls, name)


@pytest.fixture(params=["imported", "named"])
def codec(request: pytest.FixtureRequest, armed_classes: list[type]) -> Codec:
    RAN.clear()
    return Codec(imported=True) if request.param == "imported" else Codec(armed_classes)


def load(codec: Codec, raw: Any) -> Any:
    try:
        return codec.decode(pack_raw(raw))
    except Corrupt:
        return Corrupt


def test_armed_classes_are_built(codec: Codec) -> None:
    found = load(codec, [*OBJECTS.values()])
    assert [type(one) for one in found] == [*OBJECTS]
    assert RAN == []


def test_a_new_combination_of_flags_that_would_run_a_method_is_opaque(codec: Codec) -> None:
    globals()["Mode"] = armed(Mode)
    found = load(codec.with_types([Mode]), [Marker(4), "enum", f"{HERE}.Mode", "name", None, "value", 3])
    assert type(found) is Opaque
    assert RAN == []


def _hashes(record: list[Any], place: tuple[Any, ...]) -> bool:
    """Whether the part at this place becomes a member of a set."""
    holder: Any = record
    for key in place[:-1]:
        holder = holder[key]
    return type(holder) is list and type(holder[0]) is Marker and holder[0].code in (2, 3)


@pytest.mark.parametrize("name", RECORDS)
def test_a_trap_in_any_place_does_not_run(name: str, codec: Codec) -> None:
    record = RECORDS[name]
    for place, trap in itertools.product(places(record), OBJECTS.values()):
        if not _hashes(record, place):
            load(codec, replaced(record, place, trap))
            load(codec, replaced(record, place, [Marker(1), trap]))
            load(codec, replaced(record, place, {"a": trap}))
    assert RAN == []


@pytest.mark.parametrize("name", RECORDS)
def test_a_trap_that_is_dropped_with_a_damaged_record_does_not_run(name: str, codec: Codec) -> None:
    record = RECORDS[name]
    for trap in OBJECTS.values():
        load(codec, [trap, record[:-1], [*record, trap], [record[0]], [*record[:2], trap, *record[2:]]])
    assert RAN == []


@pytest.mark.parametrize("part", ["+set", "+extra", "+private"])
def test_the_parts_of_a_model_are_plain(part: str, codec: Codec) -> None:
    record = OBJECTS[Model]
    place = record.index(part) + 1
    for other in (None, 5, "text", [1], [["a"]], {1: 2}, [Marker(2), "a"], [Marker(20), "a", 1], [Marker(1), "a"]):
        if part == "+set" or type(other) is not dict:
            assert load(codec, replaced(record, (place,), other)) is Corrupt or (part, other) == ("+set", None)


def test_the_name_of_a_field_is_text(codec: Codec) -> None:
    for cls in (Data, Model, Text):
        for name in (1, None, b"text", ["text"], OBJECTS[Data]):
            assert load(codec, [*OBJECTS[cls][:3], "text", 1, "", "x", name, 1]) is Corrupt


@pytest.mark.parametrize("name", ["+set", "+extra", "+private"])
def test_channels_with_the_names_of_a_models_parts_run_nothing(name: str, codec: Codec) -> None:
    from holdfast.codec.state import state_from

    trap = load(codec, OBJECTS[Table])
    with pytest.raises(ValueError, match="model"):
        state_from(Model, {"text": "x", name: trap})
    assert RAN == []


def test_a_dict_of_its_own_is_not_asked_for() -> None:
    RAN.clear()
    own_dict = property(_trap("__dict__"), _trap("__dict__"))
    globals()["Curious"] = type("Curious", (str,), {"__dict__": own_dict, "__module__": HERE})
    found = Codec(imported=True).decode(pack_raw([Marker(4), "str", f"{HERE}.Curious", "", "x", "note", 1]))
    assert type(found) is Opaque
    assert RAN == []


def test_members_and_keys_are_hashed_and_nothing_else(codec: Codec) -> None:
    trap = OBJECTS[Data]
    for record in ([Marker(2), trap], [Marker(20), trap, 1], [Marker(22), "list", trap, 1]):
        assert load(codec, record) is Corrupt
    assert {*RAN} == {"__hash__"}
