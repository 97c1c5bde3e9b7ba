"""Classes with plain slots, which a caller declares with `slots_class`."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import pytest

from holdfast.codec import Codec, Opaque, handler, slots_class
from holdfast.codec.families import slots_classes
from holdfast.codec.wire import Marker, pack_raw, unpack
from holdfast.errors import EncodeError

HERE = __name__
CODEC = Codec(imported=True)


class Send:
    """As LangGraph has it."""

    __slots__ = ("node", "arg", "timeout")

    def __init__(self, node: str, arg: Any, timeout: Any = None) -> None:
        self.node, self.arg, self.timeout = node, arg, timeout

    def __eq__(self, other: object) -> bool:
        return type(other) is Send and _parts(self) == _parts(other)

    def __hash__(self) -> int:
        return hash(_parts(self))


def _parts(send: Send) -> tuple[Any, ...]:
    return send.node, send.arg, send.timeout


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    before = dict(slots_classes._layouts)  # others have vouched for classes of theirs
    yield
    slots_classes._layouts.clear()
    slots_classes._layouts.update(before)
    handler.dispatch.clear()


def vouch() -> None:
    slots_class(f"{HERE}.Send", ("node", "arg", "timeout"), defaults={"timeout": None})


def record(**fields: Any) -> bytes:
    return pack_raw([Marker(4), "slots", f"{HERE}.Send", *(part for item in fields.items() for part in item)])


def test_a_class_of_slots_is_refused_until_it_is_declared() -> None:
    with pytest.raises(EncodeError, match=r"Send can't be stored"):
        CODEC.encode(Send("a", 1))
    vouch()
    assert CODEC.decode(CODEC.encode(Send("a", (1, {2})))) == Send("a", (1, {2}))


def test_its_record_is_an_object_of_kind_slots() -> None:
    vouch()
    marker, *parts = unpack(CODEC.encode(Send("a", 1)))[0]
    assert (marker.code, parts) == (4, ["slots", f"{HERE}.Send", "node", "a", "arg", 1, "timeout", None])


def test_it_loads_where_its_class_is_given_or_imported_and_is_opaque_elsewhere() -> None:
    vouch()
    data = CODEC.encode([Send("a", 1)])
    assert Codec([Send]).decode(data) == [Send("a", 1)]
    assert Codec(imported=frozenset({f"{HERE}.Send"})).decode(data) == [Send("a", 1)]
    (found,) = Codec().decode(data)
    assert (type(found), found.kind, found.fields["node"]) == (Opaque, "slots", "a")
    assert Codec().encode([found]) == data


def test_it_is_opaque_where_it_is_not_declared() -> None:
    assert type(Codec(imported=True).decode(record(node="a", arg=1))) is Opaque


def test_it_is_built_without_its_methods() -> None:
    def run(*args: Any, **kwargs: Any) -> Any:
        raise AssertionError

    methods = dict.fromkeys(("__init__", "__new__", "__setattr__", "__getattribute__", "__setstate__"), run)
    cls = type("Loud", (), {"__slots__": ("a", "b"), "__module__": "app", **methods})
    slots_class("app.Loud", ("a", "b"))
    found = Codec([cls]).decode(pack_raw([Marker(4), "slots", "app.Loud", "a", 1, "b", 2]))
    assert type(found) is cls
    assert [object.__getattribute__(found, name) for name in ("a", "b")] == [1, 2]


def test_a_slot_that_was_added_since_takes_its_default() -> None:
    vouch()
    assert CODEC.decode(record(node="a", arg=1)) == Send("a", 1, None)


def test_a_slot_that_is_gone_is_left_out() -> None:
    vouch()
    assert CODEC.decode(record(node="a", arg=1, timeout=2, colour="red")) == Send("a", 1, 2)


def test_a_record_without_a_slot_that_has_no_default_is_opaque() -> None:
    vouch()
    assert type(CODEC.decode(record(node="a"))) is Opaque


def test_a_version_that_lacks_a_slot_with_a_default_is_stored_without_it() -> None:
    slots_class(f"{HERE}.Send", ("node", "arg", "timeout", "colour"), defaults={"timeout": None, "colour": "red"})
    assert CODEC.decode(CODEC.encode(Send("a", 1))) == Send("a", 1)


def test_a_version_that_lacks_another_slot_is_refused() -> None:
    slots_class(f"{HERE}.Send", ("node", "arg", "colour"))
    with pytest.raises(EncodeError):
        CODEC.encode(Send("a", 1))


def test_a_slot_that_was_never_set_stays_so() -> None:
    vouch()
    send = Send("a", 1)
    del send.timeout
    data = CODEC.encode(send)
    assert b"timeout" not in data
    assert CODEC.decode(data) == Send("a", 1)


def test_a_class_that_derives_from_it_is_another() -> None:
    class More(Send):
        __slots__ = ()

    vouch()
    with pytest.raises(EncodeError):
        CODEC.encode(More("a", 1))


def test_a_class_that_became_a_dataclass_still_loads() -> None:
    @dataclasses.dataclass
    class Packet:
        node: str
        arg: Any

    vouch()
    assert Codec({f"{HERE}.Send": Packet}).decode(record(node="a", arg=1)) == Packet("a", 1)


def test_an_error_names_the_slot() -> None:
    vouch()
    with pytest.raises(EncodeError) as caught:
        CODEC.encode([Send("a", {"k": print})], "state")
    assert caught.value.path == "state[0].arg['k']"
