"""What can't be stored is refused with its path; no depth, cycle or byte ends in anything but an error of Holdfast."""

from __future__ import annotations

import asyncio
import collections
import sys
import threading
from typing import Any

import msgpack
import numpy
import pytest

from holdfast.codec import Codec
from holdfast.codec.handlers import numpy_arrays
from holdfast.codec.wire import MAX_DEPTH
from holdfast.errors import Corrupt, EncodeError
from tests.unit.codec_values import CLASSES, Items, Model, Place, Plan, Point, Shape, Task

CODEC = Codec(CLASSES)


def refused(value: Any) -> EncodeError:
    with pytest.raises(EncodeError) as caught:
        CODEC.encode(value, "state")
    return caught.value


def nested(depth: int, wrap: Any = lambda inner: [inner]) -> Any:
    value: Any = 0
    for _ in range(depth):
        value = wrap(value)
    return value


@pytest.mark.parametrize(
    ("value", "path"),
    [
        (print, "state"),
        ({"plan": Plan("x", [1, 2, 3, print])}, "state['plan'].steps[3]"),
        ({"m": {(1, 2): print}}, "state['m'][(1, 2)]"),
        ({"m": (1, (print,))}, "state['m'][1][0]"),
        ({"m": {print: 1}}, f"state['m'][{print!r}]"),
        ({"m": {1, (print,)}}, "state['m']{...}[0]"),
        ([Point(1, print)], "state[0].y"),
        ([Task(name=[print])], "state[0].name[0]"),
        ([Shape(print)], "state[0].sides"),
        ([Model(a={"k": print})], "state[0].a['k']"),
        ([Items([1, print])], "state[0][1]"),
        (collections.deque([1, print], 3), "state[1]"),
        (collections.OrderedDict(a=1, b=print), "state['b']"),
        (collections.defaultdict(list, b=[print]), "state['b'][0]"),
    ],
)
def test_an_error_names_the_path(value: Any, path: str) -> None:
    assert refused(value).path == path


OBJECTS: dict[str, Any] = {
    "objects": "|O",
    "a field": [("n", "<i4"), ("o", "|O")],
    "a field of a field": [("n", [("o", "|O")])],
    "a field of several": [("o", "|O", (2,))],
    "a field of none": [("o", "|O", (0,))],
    "several": ("|O", (2,)),
    "texts of any length": "|T",
}


@pytest.mark.parametrize("shape", [[1], [], [0], [2, 0]], ids=str)
@pytest.mark.parametrize("description", OBJECTS.values(), ids=OBJECTS)
def test_a_stored_array_of_objects_is_corrupt(description: Any, shape: list[int]) -> None:
    """NumPy would take its bytes for addresses, so that no array may be made of them, not even an empty one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(numpy_arrays, "_describe", lambda _: description)
        stored = [CODEC.encode({"a": numpy.zeros(shape, "<i8")}), CODEC.encode({"a": numpy.int64(0)})]
    with pytest.MonkeyPatch.context() as patch:
        for name in ("ndarray", "empty"):
            patch.setattr(numpy, name, None)  # nothing is built
        for data in stored:
            with pytest.raises(Corrupt, match="holds Python objects"):
                CODEC.decode(data)


def _generator() -> Any:
    yield 1


async def _coroutine() -> None: ...


@pytest.mark.parametrize(
    "value",
    [
        print,
        lambda: 1,
        _generator(),
        threading.Lock(),
        sys.stdout,
        sys,
        int,
        Plan,
        ValueError("x"),
        object(),
        ...,
        asyncio.Queue,
        numpy.array([object()]),
        numpy.ma.masked_array([1]),
        collections.defaultdict(lambda: 1),
        type("Custom", (), {})(),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_not_data_is_refused(value: Any) -> None:
    assert refused([value]).path == "state[0]"


def test_a_coroutine_is_refused() -> None:
    coroutine = _coroutine()
    refused(coroutine)
    coroutine.close()


def test_the_message_names_the_type() -> None:
    assert "_thread.lock can't be stored" in str(refused({"a": threading.Lock()}))


def test_a_list_in_itself_is_refused() -> None:
    value: list[Any] = [1]
    value.append({"again": value})
    assert str(refused(value)).startswith("state[1]['again']: contains itself")


def test_a_dataclass_in_itself_is_refused() -> None:
    plan = Plan("x")
    plan.steps = (1, [plan])
    assert str(refused(plan)).startswith("state.steps[1][0]: contains itself")


def test_a_set_that_leads_to_itself_is_refused() -> None:
    place = Place("x", [])
    place.at.append(frozenset({Point(1, 2)}))
    place.at.append(place)
    assert "contains itself" in str(refused({"p": place}))


def test_a_value_that_occurs_twice_is_not_a_cycle() -> None:
    shared = ["\ud800"]
    assert CODEC.decode(CODEC.encode([shared, shared])) == [shared, shared]


@pytest.mark.parametrize(
    "wrap",
    [lambda inner: [inner], lambda inner: (inner,), lambda inner: {"k": inner}, lambda inner: Plan(inner)],
    ids=["list", "tuple", "dict", "dataclass"],
)
def test_a_value_too_deep_is_refused_with_the_limit(wrap: Any) -> None:
    value = nested(100_000, wrap)
    assert f"deeper than {MAX_DEPTH} levels" in str(refused(value))
    while not isinstance(value, int):  # taking it apart level by level spares the interpreter a deep recursion
        value = value.goal if isinstance(value, Plan) else next(iter(value.values() if type(value) is dict else value))


def test_a_long_path_is_shortened() -> None:
    assert len(refused(nested(5000)).path) < 500


@pytest.mark.parametrize("innermost", [0, [], {}, (), "\ud800"], ids=repr)
@pytest.mark.parametrize("wrap", [lambda inner: [inner], lambda inner: (inner,), lambda inner: {1: inner}])
def test_whatever_depth_encodes_also_decodes(wrap: Any, innermost: Any) -> None:
    value = innermost
    for _ in range(MAX_DEPTH - 3):
        value = wrap(value)
    for _ in range(6):
        value = wrap(value)
        try:
            data = CODEC.encode(value)
        except EncodeError:
            continue
        assert CODEC.encode(CODEC.decode(data)) == data


def test_deep_values_decode_on_a_deep_stack() -> None:
    data = CODEC.encode(nested(400, lambda inner: (inner, {"k": [inner]} if inner == 0 else 1)))

    def descend(levels: int) -> Any:
        return descend(levels - 1) if levels else CODEC.decode(data)

    room = sys.getrecursionlimit() - len(_frames()) - 60
    assert CODEC.encode(descend(room)) == data


def _frames() -> list[Any]:
    frames, frame = [], sys._getframe()
    while frame is not None:
        frames.append(frame)
        frame = frame.f_back  # type: ignore[assignment]
    return frames


def test_sets_in_sets_take_no_exponential_time() -> None:
    value: Any = frozenset()
    for level in range(200):
        value = frozenset({value, level})
    assert CODEC.decode(CODEC.encode(value)) == value


def test_a_dict_that_fails_to_show_itself_does_not_hide_the_error() -> None:
    class Shy(str):
        def __repr__(self) -> str:
            raise RuntimeError

    assert refused({Shy("k"): print}).path == "state[<Shy>]"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xc1",
        b"\x01\x02",
        b"\x92\x01",
        b"\xd9\x01\xff",
        b"\xdd\xff\xff\xff\xff",
        b"\xc7\x00\x01",
        b"\x92\x01\xc7\x00\x01",
        b"\x81\xa1k\xc7\x00\x01",
        b"\x81\xc7\x00\x01\x01",
        b"\xc8\x00\x00\x01",
        b"\x91\xc8\x00\x00\x01",
        b"\x91\xc7\x00\x04",
        b"\x92\xc7\x00\x07\x01",
        b"\x81\x91\x80\x01",
        b"\x92\xc7\x00\x02\x90",
        b"\x93\xc7\x00\x0f\x01\x00",
        b"\x91" * 100_000 + b"\xc0",
    ],
    ids=lambda data: data[:8].hex() or "empty",
)
def test_malformed_bytes_are_corrupt(data: bytes) -> None:
    with pytest.raises(Corrupt):
        CODEC.decode(data)


def test_an_extension_type_of_msgpack_is_loaded_as_itself() -> None:
    value = [msgpack.ExtType(5, b"x"), (1,)]
    assert CODEC.decode(CODEC.encode(value)) == value
