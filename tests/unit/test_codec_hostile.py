"""Records that Holdfast never writes, with correct checksums: nothing of C is given a length, a type or an address
of theirs that was not checked, and no record takes far more time or memory than its bytes."""

from __future__ import annotations

import enum
import re
import uuid
from collections import OrderedDict
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy
import pytest

from holdfast.codec import Codec, Opaque
from holdfast.codec.handlers import times
from holdfast.codec.hash_collisions import check_hashes
from holdfast.codec.wire import Marker, pack_raw
from holdfast.errors import Corrupt, EncodeError

CODEC = Codec()


def load(*parts: Any) -> Any:
    return CODEC.decode(pack_raw([*parts]))


def refuses(*parts: Any) -> None:
    with pytest.raises(Corrupt):
        load(*parts)


# ------------------------------------------------------------------------------------------------ numpy

FIELD = [Marker(1), "n", "<i4"]
UNKNOWN_DTYPES: dict[str, Any] = {
    "an alias": "float64",
    "a letter": "d",
    "no order of bytes": "i8",
    "native order": "=i8",
    "several of one": "3i8",
    "a list of letters": "i4,i4",
    "a record by text": "(2,)i4",
    "a name of a class": "numpy.float64",
    "an odd size": "<i3",
    "an odd time": "<M8[D/3]",
    "a time of nothing": "<M8[0s]",
    "a size below zero": "|V-8",
    "a size without end": "|V99999999999",
    "a size that overflows": "|V4294967304",
    "texts that overflow": "<U1073741826",
    "nothing": None,
    "a number": 8,
    "a tuple": [Marker(1), "<i8", [Marker(1), 1]],
    "a field that is a list": [["n", "<i8"]],
    "a field without a type": [[Marker(1), "n"]],
    "a field of too many parts": [[Marker(1), "n", "<i8", [Marker(1)], 0]],
    "a field with a number as name": [[Marker(1), 1, "<i8"]],
    "a field of a negative size": [[Marker(1), "n", "<i8", [Marker(1), -1]]],
    "a field whose size is not a tuple": [[Marker(1), "n", "<i8", 1]],
    "a field of a size that overflows": [[Marker(1), "n", "<i8", [Marker(1), 1 << 62, 4]]],
    "fields within fields": [[Marker(1), "a", [[Marker(1), "b", "|O"]]]],
    "fields that overflow together": [[Marker(1), name, "|V2000000000"] for name in "abc"],
}


@pytest.mark.parametrize("description", UNKNOWN_DTYPES.values(), ids=UNKNOWN_DTYPES)
def test_a_dtype_that_is_never_written_does_not_reach_numpy(description: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("dtype", "ndarray", "empty"):
        monkeypatch.setattr(numpy, name, None)
    refuses(Marker(24), description, [1], "C", b"12345678")
    refuses(Marker(24), description, [0], "C", b"")
    refuses(Marker(25), description, b"12345678")


@pytest.mark.parametrize(
    "shape",
    [
        [-1],
        [2],
        [0],
        [1, 1, 2],
        [1 << 62, 8],
        [1 << 63],
        [[Marker(5), b"\1" * 9], 0],
        [1.0],
        [True],
        "1",
        1,
        None,
        [[1]],
        [1] * 65,
    ],
    ids=str,
)
def test_a_shape_that_does_not_fit_the_bytes_does_not_reach_numpy(shape: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("dtype", "ndarray", "empty"):
        monkeypatch.setattr(numpy, name, None)
    refuses(Marker(24), "<i8", shape, "C", b"12345678")


@pytest.mark.parametrize("order", ["K", "A", "", "CF", None, 1])
def test_an_order_that_is_never_written_is_corrupt(order: Any) -> None:
    refuses(Marker(24), "<i8", [1], order, b"12345678")


@pytest.mark.parametrize("data", ["12345678", None, 8, [1] * 8, b"1234567", b""], ids=repr)
def test_bytes_of_an_array_that_are_none_are_corrupt(data: Any) -> None:
    refuses(Marker(24), "<i8", [1], "C", data)
    refuses(Marker(25), "<i8", data)


def test_text_of_an_array_without_such_characters_is_corrupt() -> None:
    assert load(Marker(24), "<U1", [1], "C", b"\xff\xff\x10\x00") == ["\U0010ffff"]
    for parts in (
        ("<U1", [1], "C", b"\x00\x00\x11\x00"),
        (">U1", [], "C", b"\x00\x11\x00\x00"),
        ([[Marker(1), "n", "<i4"], [Marker(1), "t", "<U1"]], [1], "C", bytes(4) + b"\xff" * 4),
    ):
        refuses(Marker(24), *parts)
    refuses(Marker(25), "<U1", b"\xff" * 4)


def test_items_without_content_are_few() -> None:
    refuses(Marker(24), "|V0", [1 << 40], "C", b"")
    assert load(Marker(24), "|V0", [3], "C", b"").shape == (3,)
    with pytest.raises(EncodeError, match="without content"):
        CODEC.encode(numpy.zeros(100_000, []))


@pytest.mark.parametrize(
    "dtype",
    [
        *("|b1", "|i1", "|u1", "<i2", ">u8", "<f2", "<f4", ">f8", "<c8", "<c16", "|S3", "<U3", ">U2", "|V5"),
        *("<M8[D]", ">M8[25us]", "<m8[as]", "<M8", "<m8"),
        numpy.longdouble,
        numpy.clongdouble,
        [("a", "<i4"), ("b", "<f8", (2, 3)), ("c", [("d", "<U2")])],
        [(("title", "a"), "<i4")],
        numpy.dtype("i1,f8", align=True),
        [],
    ],
    ids=str,
)
def test_every_dtype_that_is_written_is_read(dtype: Any) -> None:
    for shape in ((2, 3), (0,), ()):
        array = numpy.zeros(shape, dtype)
        found = CODEC.decode(CODEC.encode(array))
        assert (found.dtype, found.shape, found.tobytes()) == (array.dtype, array.shape, array.tobytes())


# ------------------------------------------------------------------------------------------------ other values


@pytest.mark.parametrize(
    ("tag", "parts"),
    [
        (5, [1 << 60]),
        (5, [[1, 2]]),
        (5, ["12"]),
        (6, [1 << 60]),
        (6, [[104, 105]]),
        (8, [b"2024-01-01"]),
        (10, [1.5, 0, 0]),
        (10, [1 << 62, 0, 0]),
        (11, [5]),
        (12, [b"UTC"]),
        (13, [5]),
        (13, [[0, [1], 5]]),
        (14, [[1] * 16]),
        (14, [b"12"]),
        (15, ["1/3", 1]),
        (15, [1.5, 1]),
        (15, [1, 0]),
        (16, ["1", 0.0]),
        (17, [0, 1]),
        (17, [0, 1, 0]),
        (19, ["3"]),
        (19, [-1]),
        (22, [5]),
        (22, ["eval"]),
        (23, ["PosixPath", b"/"]),
        (23, ["os", "/"]),
        (27, ["IPv4Address", 5]),
        (27, ["IPv4Network", b"1234", "255.0.0.0"]),
        (27, ["IPv6Address", b"1234567890123456", 5]),
        (28, [["a"], 0]),
        (28, ["a", "i"]),
        (28, ["a", int(re.DEBUG)]),
    ],
    ids=str,
)
def test_a_part_of_another_type_is_corrupt(tag: int, parts: list[Any]) -> None:
    refuses(Marker(tag), *parts)


@pytest.mark.parametrize(
    "key", ["../../etc/passwd", "/etc/passwd", "a.b/c", "os", "__init__", "America", "tzdata.zi", "x" * 99, "a\0", ""]
)
def test_a_time_zone_that_is_none_is_opaque(key: str) -> None:
    assert type(load(Marker(12), key)) is Opaque


@pytest.mark.parametrize("key", ["../UTC", "a.b/c", "tzdata.zi", "x" * 99, "Europe/Paris/x/y/z"])
def test_no_file_is_searched_for_what_does_not_name_a_time_zone(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(times, "ZoneInfo", None)
    assert type(load(Marker(12), key)) is Opaque


def test_a_range_of_members_of_an_enum_is_loaded_as_one_of_numbers() -> None:
    class Level(enum.IntEnum):
        LOW = 1

    assert CODEC.decode(CODEC.encode(range(Level.LOW, 5))) == range(1, 5)


BYTES = 128 * 1024


def test_an_int_has_a_largest_size() -> None:
    largest = (1 << (8 * BYTES - 1)) - 1
    for value in (largest, -largest):
        assert CODEC.decode(CODEC.encode([value])) == [value]
    with pytest.raises(EncodeError) as caught:
        CODEC.encode({"a": [largest + 1]}, "state")
    assert caught.value.path == "state['a'][0]"
    refuses(Marker(5), bytes(BYTES + 1))


@pytest.mark.parametrize("text", ["1E+2000000", "1E-2000000", "-9E+999999999999", "0E+2000000", "9" * 400_001])
def test_a_decimal_has_a_largest_size(text: str) -> None:
    with pytest.raises(EncodeError):
        CODEC.encode(Decimal(text))
    refuses(Marker(13), text)


@pytest.mark.parametrize("text", ["1E+999999", "1E-1000026", "9" * 1000, "-0", "NaN123", "-sNaN", "Infinity", "0E-9"])
def test_usual_decimals_are_kept(text: str) -> None:
    value = Decimal(text)
    assert str(CODEC.decode(CODEC.encode(value))) == str(value)


def test_a_fraction_has_a_largest_size() -> None:
    largest = (1 << (8 * 4096 - 1)) - 1
    assert CODEC.decode(CODEC.encode(Fraction(largest, 2))) == Fraction(largest, 2)
    big = [Marker(5), bytes([1]) * 4097]
    refuses(Marker(15), big, 3)
    refuses(Marker(15), 3, big)
    with pytest.raises(EncodeError):
        CODEC.encode(Fraction(3, largest * 4))


# ------------------------------------------------------------------------------------------------ regular expressions

WIDE = "[\x00-\U0010ffff]"


@pytest.mark.parametrize(
    "pattern",
    [
        "a" * 5000,
        WIDE * 4,
        WIDE.encode("utf-8") * 400,
        r"[\x00-\uffff]" * 4,
        r"[\0-\U0010ffff]" * 4,
        r"[\N{NULL}-\N{PRIVATE USE AREA-E000}]" * 4,
        "|".join(f"a{number}" for number in range(2000)),
    ],
    ids=lambda pattern: f"{len(pattern)} of {pattern[:12]!r}",
)
def test_a_pattern_that_takes_long_to_compile_is_not_compiled(pattern: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    data = pack_raw([Marker(28), pattern, int(re.IGNORECASE)])
    monkeypatch.setattr(re, "compile", None)
    found = CODEC.decode(data)
    assert type(found) is Opaque
    assert CODEC.encode(found) == data


@pytest.mark.parametrize(
    "pattern",
    [
        r"[a-z0-9._%+-]+@[a-z0-9.-]+\.[a-z]{2,}",
        "[\U0001f600-\U0001f64f\U0001f300-\U0001f5ff\U0001f680-\U0001f6ff\u2600-\u27bf]+",
        r"[\u4e00-\u9fff]",
        "-|-",
        r"\--\\",
        "x" * 3000,
    ],
)
def test_usual_patterns_are_compiled(pattern: str) -> None:
    value = re.compile(pattern, re.IGNORECASE)
    assert CODEC.decode(CODEC.encode(value)) == value


def test_only_so_many_patterns_of_a_value_are_compiled() -> None:
    data = CODEC.encode([re.compile("x" * 970 + str(number)) for number in range(100)])
    found = CODEC.decode(data)
    assert [type(one) for one in found] == [re.Pattern] * 49 + [Opaque] * 51
    assert CODEC.encode(found) == data


# ------------------------------------------------------------------------------------------------ hash collisions

MODULUS = (1 << 61) - 1
NUMBERS = [number * MODULUS for number in range(2, 2005)]
IDS = [uuid.UUID(int=number) for number in NUMBERS]
FEW = 1001


class Counted(int):
    """Counts comparisons. They are what a collision costs."""

    compared = 0

    def __eq__(self, other: object) -> bool:
        Counted.compared += 1
        return int(self) == other

    __hash__ = int.__hash__


def test_members_with_equal_hashes_are_counted_without_comparing_them() -> None:
    Counted.compared = 0
    with pytest.raises(ValueError, match="same hashes"):
        check_hashes([*map(Counted, NUMBERS)])
    assert Counted.compared == 0


@pytest.mark.parametrize("members", [NUMBERS, IDS, [(0, number) for number in NUMBERS]], ids=["int", "UUID", "tuple"])
@pytest.mark.parametrize("kind", [set, frozenset, dict.fromkeys, OrderedDict.fromkeys], ids=lambda kind: kind.__name__)
def test_many_members_with_equal_hashes_are_corrupt(kind: Any, members: list[Any]) -> None:
    assert len({*map(hash, members)}) == 1
    few = CODEC.encode(kind(members[:FEW]))
    many = CODEC.encode(kind(members))
    assert CODEC.decode(few) == kind(members[:FEW])
    with pytest.raises(Corrupt):
        CODEC.decode(many)


def test_many_members_with_other_hashes_load() -> None:
    members = {(number, "x") for number in range(5000)}
    assert CODEC.decode(CODEC.encode(members)) == members
