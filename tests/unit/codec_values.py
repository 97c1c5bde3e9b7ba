"""Values of every kind the codec keeps, and a comparison that sees types, NaNs, signs of zero and order."""

from __future__ import annotations

import collections
import dataclasses
import enum
import ipaddress
import math
import pathlib
import re
import zoneinfo
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple
from uuid import UUID

import attrs
import msgspec
import numpy
import pydantic
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage


class Colour(enum.Enum):
    RED = 1
    BLUE = "blue"
    ODD = (1, object())


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Mood(enum.StrEnum):
    GOOD = "good"


class Access(enum.Flag):
    READ = 1
    WRITE = 2
    RUN = 4


class Point(NamedTuple):
    x: Any
    y: Any = 0


@dataclasses.dataclass
class Plan:
    goal: Any
    steps: Any = dataclasses.field(default_factory=list)
    done: Any = dataclasses.field(default=False, init=False)


@dataclasses.dataclass(frozen=True, slots=True)
class Place:
    name: Any
    at: Any = None


@dataclasses.dataclass(eq=False)
class Thing:
    name: Any


class Task(msgspec.Struct, frozen=True):
    name: Any
    tags: Any = ()

    def __post_init__(self) -> None:
        if isinstance(self.name, str) and self.name == "forbidden":
            raise ValueError(self.name)


class Model(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="allow")
    a: Any
    b: Any = None
    _secret: Any = pydantic.PrivateAttr(default=None)


@attrs.define
class Shape:
    sides: Any
    name: Any = "shape"


@attrs.frozen(cache_hash=True)
class Fixed:
    value: Any


class Text(str):
    pass


class Number(int):
    pass


class Ratio(float):
    pass


class Data(bytes):
    __slots__ = ()


class Items(list[Any]):
    pass


class Table(dict[Any, Any]):
    pass


class Row(tuple[Any, ...]):
    __slots__ = ()


class Bag(set[Any]):
    pass


class Ordered(collections.OrderedDict[Any, Any]):
    pass


CLASSES: list[Any] = [Colour, Level, Mood, Access, Point, Plan, Place, Thing, Task, Model, Shape, Fixed]
CLASSES += [Text, Number, Ratio, Data, Items, Table, Row, Bag, Ordered]


def _set_attribute(instance: Any, value: Any) -> Any:
    instance.note = value
    return instance


def _model(a: Any, extra: Any, secret: Any) -> Model:
    model = Model.model_validate({"a": a, "extra": extra})
    model._secret = secret
    return model


_zones = st.sampled_from(
    [
        None,
        UTC,
        timezone(timedelta(hours=-5, seconds=7)),
        timezone(timedelta(hours=1), "CET"),
        timezone(timedelta(0), "Z"),
        zoneinfo.ZoneInfo("Europe/Paris"),
        zoneinfo.ZoneInfo("UTC"),
    ]
)
_text = st.text(st.characters(exclude_categories=()), max_size=8)

_hashable_leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(min_value=-(1 << 80), max_value=1 << 80),
    st.floats(),
    _text,
    st.binary(max_size=8),
    st.decimals(allow_nan=False),
    st.sampled_from([Decimal("NaN"), Decimal("-NaN12"), Decimal("-0E-9"), Decimal("1E+999999")]),
    st.uuids(),
    st.fractions(),
    st.complex_numbers(),
    st.datetimes(timezones=_zones),
    st.builds(lambda moment, fold: moment.replace(fold=fold), st.datetimes(timezones=_zones), st.integers(0, 1)),
    st.dates(),
    st.times(timezones=_zones),
    st.timedeltas(),
    st.builds(range, st.integers(-9, 9), st.integers(-9, 9), st.sampled_from([1, -2, 3])),
    st.sampled_from(list(Colour) + list(Level) + list(Mood)),
    st.sampled_from([Access.READ, Access.READ | Access.RUN, Access(0), Access(7)]),
    st.sampled_from(
        [pathlib.PurePosixPath("/a/b"), pathlib.PureWindowsPath("c:/x"), pathlib.Path("q"), pathlib.Path()]
    ),
    st.ip_addresses(),
    st.sampled_from(
        [
            ipaddress.IPv6Address("fe80::1%eth0"),
            ipaddress.IPv6Address("::ffff:1.2.3.4"),
            ipaddress.IPv4Network("10.0.0.0/8"),
            ipaddress.IPv6Network("fe80::%eth0/64"),
            ipaddress.IPv4Interface("10.1.2.3/8"),
            ipaddress.IPv6Interface("fe80::1%\ud800/64"),
        ]
    ),
    st.sampled_from(
        [
            re.compile("a+", re.IGNORECASE | re.VERBOSE),
            re.compile("(?a)\\w(?i:x)"),
            re.compile(b"\xff(?i:x)", re.DOTALL),
            re.compile(b"x", re.LOCALE),
            re.compile("\ud800"),
        ]
    ),
    st.builds(Text, _text),
    st.builds(Number, st.integers()),
    st.builds(Ratio, st.floats(allow_nan=False)),
    st.builds(Data, st.binary(max_size=4)),
)


@st.composite
def _hashable_leaf(draw: st.DrawFn) -> Any:
    """The same under a short name: Hypothesis repeats the names of nested strategies many times over."""
    return draw(_hashable_leaves)


_hashables = st.recursive(
    _hashable_leaf(),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(tuple),
        st.frozensets(inner, max_size=3),
        st.builds(Point, inner, inner),
        st.builds(Place, inner, inner),
        st.builds(Task, inner, inner),
        st.builds(Fixed, inner),
        st.builds(Thing, inner),
        st.lists(inner, max_size=3).map(Row),
    ),
    max_leaves=5,
)


@st.composite
def hashable(draw: st.DrawFn) -> Any:
    return draw(_hashables)


_arrays = st.sampled_from(
    [
        numpy.arange(6).reshape(2, 3),
        numpy.asfortranarray(numpy.arange(6.0).reshape(2, 3)),
        numpy.array(5, dtype=">i2"),
        numpy.zeros((0, 3)),
        numpy.array(["2024-01-01", "NaT"], dtype="M8[s]"),
        numpy.array([(1, 2.5)], dtype=[("n", "<i4"), ("w", "<f8", (2,))]),
        numpy.array(["ab", ""]),
        numpy.float32(1.5),
        numpy.float64("nan"),
        numpy.bool_(True),
        numpy.datetime64("2024-01-01", "D"),
        numpy.str_("a\0"),
        numpy.bytes_(b"a\0"),
        numpy.arange(10)[::3],
    ]
)
_slices = st.builds(slice, st.integers(), st.none(), st.text(max_size=2))
_leaves = st.one_of(hashable(), _arrays, _slices, st.just(Decimal("sNaN7")))


@st.composite
def _leaf(draw: st.DrawFn) -> Any:
    return draw(_leaves)


def _containers(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    items = st.lists(inner, max_size=3)
    table = st.dictionaries(hashable(), inner, max_size=3)
    return st.one_of(
        items,
        items.map(tuple),
        table,
        st.sets(hashable(), max_size=3),
        items.map(collections.deque),
        items.map(lambda found: collections.deque(found, 5)),
        table.map(collections.OrderedDict),
        st.dictionaries(hashable(), st.integers(), max_size=3).map(collections.Counter),
        table.map(lambda found: collections.defaultdict(list, found)),
        table.map(lambda found: collections.defaultdict(None, found)),
        st.builds(Plan, inner, inner),
        st.builds(Task, inner, inner),
        st.builds(_model, inner, inner, inner),
        st.builds(Shape, inner, inner),
        st.builds(lambda found, note: _set_attribute(Items(found), note), items, inner),
        table.map(Table),
        table.map(Ordered),
        st.sets(hashable(), max_size=3).map(Bag),
        st.builds(lambda content, more: AIMessage(content, additional_kwargs=more), st.text(), st.just({"k": (1,)})),
        st.builds(HumanMessage, st.text(), id=st.uuids().map(str)),
        st.builds(lambda text, artifact: ToolMessage(text, tool_call_id="1", artifact=artifact), st.text(), inner),
    )


values = st.recursive(_leaf(), _containers, max_leaves=12)


def same(a: Any, b: Any) -> bool:
    """Whether two values are alike in every way that a program could tell, other than identity."""
    if type(a) is not type(b):
        return False
    compare = _COMPARE.get(type(a)) or _by_family(type(a))
    return compare(a, b)


def _all_same(a: Any, b: Any) -> bool:
    first, second = list(a), list(b)
    return len(first) == len(second) and all(map(same, first, second))


def _same_members(a: Any, b: Any) -> bool:
    rest = list(b)
    for member in a:
        match = next((index for index, other in enumerate(rest) if same(member, other)), None)
        if match is None:
            return False
        del rest[match]
    return not rest


def _same_items(a: Any, b: Any) -> bool:
    return _all_same(a.keys(), b.keys()) and _all_same(a.values(), b.values())


def _same_float(a: float, b: float) -> bool:
    return (math.isnan(a) and math.isnan(b)) or (a == b and math.copysign(1, a) == math.copysign(1, b))


def _same_moment(a: Any, b: Any) -> bool:
    return repr(a) == repr(b) and a.fold == b.fold and type(a.tzinfo) is type(b.tzinfo)


def _same_array(a: Any, b: Any) -> bool:
    layout = a.dtype == b.dtype and a.shape == b.shape and a.flags.fnc == b.flags.fnc
    return bool(layout and a.tobytes() == b.tobytes())


def _same_fields(names: Callable[[Any], Any]) -> Callable[[Any, Any], bool]:
    return lambda a, b: all(same(getattr(a, name), getattr(b, name)) for name in names(type(a)))


def _same_model(a: Any, b: Any) -> bool:
    names = ("__dict__", "__pydantic_fields_set__", "__pydantic_extra__", "__pydantic_private__")
    return all(same(getattr(a, name), getattr(b, name)) for name in names)


def _same_subclass(base: Any) -> Callable[[Any, Any], bool]:
    def compare(a: Any, b: Any) -> bool:
        return same(base(a), base(b)) and same(getattr(a, "__dict__", {}), getattr(b, "__dict__", {}))

    return compare


def _by_family(cls: type) -> Callable[[Any, Any], bool]:
    if issubclass(cls, enum.Enum):
        return lambda a, b: a is b
    if issubclass(cls, pydantic.BaseModel):
        return _same_model
    if issubclass(cls, msgspec.Struct):
        return _same_fields(lambda owner: owner.__struct_fields__)
    if dataclasses.is_dataclass(cls):
        return _same_fields(lambda owner: [field.name for field in dataclasses.fields(owner)])
    if attrs.has(cls):
        return _same_fields(lambda owner: [field.name for field in attrs.fields(owner)])
    if issubclass(cls, Point):
        return _all_same
    if issubclass(cls, numpy.generic):
        return lambda a, b: a.tobytes() == b.tobytes() and a.dtype == b.dtype and len(repr(a)) == len(repr(b))
    return _same_subclass(_base(cls))


def _base(cls: type) -> type:
    bases = (str, int, float, bytes, tuple, collections.OrderedDict, list, dict, set, pathlib.PurePath)
    return next(base for base in bases if issubclass(cls, base))


def _equal(a: Any, b: Any) -> bool:
    return bool(a == b)


_COMPARE: dict[type, Callable[[Any, Any], bool]] = {
    **dict.fromkeys((type(None), bool, int, str, bytes, date, timedelta, timezone, Fraction, range, UUID), _equal),
    **dict.fromkeys((pathlib.PosixPath, pathlib.PurePosixPath, pathlib.PureWindowsPath), _equal),
    **dict.fromkeys((list, tuple), _all_same),
    **dict.fromkeys((set, frozenset), _same_members),
    **dict.fromkeys((dict, collections.OrderedDict, collections.Counter), _same_items),
    **dict.fromkeys((datetime, time), _same_moment),
    **dict.fromkeys((ipaddress.IPv4Address, ipaddress.IPv4Network, ipaddress.IPv4Interface), _equal),
    **dict.fromkeys((ipaddress.IPv6Address, ipaddress.IPv6Network, ipaddress.IPv6Interface), _equal),
    re.Pattern: _equal,
    float: _same_float,
    complex: lambda a, b: _same_float(a.real, b.real) and _same_float(a.imag, b.imag),
    Decimal: lambda a, b: str(a) == str(b),
    collections.deque: lambda a, b: a.maxlen == b.maxlen and _all_same(a, b),
    collections.defaultdict: lambda a, b: a.default_factory is b.default_factory and _same_items(a, b),
    slice: lambda a, b: _all_same((a.start, a.stop, a.step), (b.start, b.stop, b.step)),
    numpy.ndarray: _same_array,
}
