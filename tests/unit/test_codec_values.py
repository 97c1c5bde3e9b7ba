"""Single behaviours of loading and saving values."""

from __future__ import annotations

import dataclasses
import decimal
import functools
import subprocess
import sys
import threading
from decimal import Decimal
from typing import Any

import msgspec
import pydantic
import pytest

from holdfast.codec import Codec, Handler, register
from holdfast.codec.wire import pack_raw, unpack
from holdfast.errors import InvalidArgument
from tests.unit.codec_values import CLASSES, Fixed, Model, Place, Plan, Task, Thing, same

CODEC = Codec(CLASSES)


def again(value: Any) -> Any:
    return CODEC.decode(CODEC.encode(value))


def test_plain_data_is_plain_msgpack() -> None:
    value = {"a": [1, 2.5, None, True, "x", b"y"], "b": {}}
    assert msgspec.msgpack.decode(CODEC.encode(value)) == value


def test_a_tuple_is_a_marked_array() -> None:
    assert CODEC.encode((1, 2)) == b"\x93\xc7\x00\x01\x01\x02"


def test_bytearrays_and_memoryviews_come_back_as_bytes() -> None:
    assert again([bytearray(b"a"), memoryview(b"b")]) == [b"a", b"b"]


@pytest.mark.parametrize("wrap", [bytes, bytearray, memoryview, msgspec.Raw])
def test_decode_takes_any_bytes(wrap: Any) -> None:
    assert CODEC.decode(wrap(CODEC.encode({"a": (1,)}))) == {"a": (1,)}


def test_every_decode_gives_fresh_objects() -> None:
    data = CODEC.encode({"plan": Plan("x", [1]), "d": {"k": {}}})
    first = CODEC.decode(data)
    first["plan"].steps.append(2)
    first["d"]["k"]["new"] = 1
    assert CODEC.decode(data) == {"plan": Plan("x", [1]), "d": {"k": {}}}


def test_a_lone_surrogate_survives_as_text_key_field_and_name() -> None:
    value = {"\ud800": Plan("\udfff", ["a\ud834b"]), "s": {"\ud800", "b"}, "k": {("\ud800",): 1}}
    assert same(again(value), value)


def test_a_surrogate_somewhere_changes_no_other_bytes() -> None:
    data = CODEC.encode([frozenset({1, "a", (2, b"x")}), Plan("x"), {Place("p"): 1}])
    assert CODEC.encode([frozenset({1, "a", (2, b"x")}), Plan("x"), {Place("p"): 1}, "\ud800"])[1:].startswith(data[1:])


def test_keys_that_are_equal_in_content_only_stay_apart() -> None:
    value = {Thing("x"): 1, Thing("x"): 2, Decimal("NaN"): 3, Decimal("NaN"): 4}
    assert list(again(value).values()) == [1, 2, 3, 4]


def test_objects_with_a_hash_are_keys() -> None:
    value = {Fixed((1, Place("x", frozenset({2})))): {Task("t"): 1}}
    assert again(value) == value


def test_a_key_whose_record_holds_a_map_still_loads() -> None:
    class Keyed(dict[str, int]):
        def __hash__(self) -> int:  # type: ignore[override]
            return 1

    codec = Codec([Keyed])
    value = {Keyed(a=1): "x", (1, 2): "y"}
    back = codec.decode(codec.encode(value))
    assert back == value
    assert type(next(iter(back))) is Keyed


def test_a_list_inside_a_key_stays_a_list() -> None:
    @dataclasses.dataclass(frozen=True)
    class Ref:
        name: str
        trail: Any = dataclasses.field(hash=False, default=None)

    codec = Codec([Ref])
    back = codec.decode(codec.encode({Ref("a", [1, (2, [3])]): 1}))
    assert next(iter(back)).trail == [1, (2, [3])]


def test_decimals_encode_alike_in_every_context() -> None:
    with decimal.localcontext() as context:
        context.capitals = 0
        lower = CODEC.encode(Decimal("1E+9"))
    assert lower == CODEC.encode(Decimal("1E+9"))


def test_objects_are_built_without_init_or_validators() -> None:
    forbidden = CODEC.encode(Task("allowed")).replace(b"\xa7allowed", b"\xa9forbidden")
    assert CODEC.decode(forbidden).name == "forbidden"
    model = Model.model_construct(a=1)
    assert same(again(model), model)


def test_a_cached_property_is_not_stored() -> None:
    class Cached(pydantic.BaseModel):
        a: int

        @functools.cached_property
        def lock(self) -> Any:
            return threading.Lock()

    cached = Cached(a=1)
    assert cached.lock
    assert "lock" not in Codec([Cached]).decode(CODEC.encode(cached)).__dict__


def test_a_handler_of_ones_own_packs_and_builds() -> None:
    class Money:
        def __init__(self, cents: int) -> None:
            self.cents = cents

    register(Handler(100, (Money,), lambda money: [money.cents], lambda parts: Money(*parts)))
    assert again([Money(5)])[0].cents == 5


@pytest.mark.parametrize("tag", [1, 63, 128])
def test_a_handler_may_not_take_a_tag_of_holdfasts(tag: int) -> None:
    with pytest.raises(InvalidArgument, match="64 to 127"):
        register(Handler(tag, (), list, list))


def test_a_tag_can_be_taken_once() -> None:
    register(Handler(101, (), list, list))
    with pytest.raises(InvalidArgument, match="taken"):
        register(Handler(101, (), list, list))


def test_raw_structures_pack_to_the_same_bytes() -> None:
    data = CODEC.encode({(1, (2,)): {Place("x", frozenset({1})): Plan("y")}})
    assert pack_raw(unpack(data)[0]) == data


def test_threads_share_a_codec() -> None:
    value = [{"k": (i, {i, str(i)})} for i in range(50)]
    data = CODEC.encode(value)
    wrong: list[int] = []

    def work() -> None:
        wrong.extend(1 for _ in range(50) if CODEC.encode(CODEC.decode(data)) != data)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_no_optional_library_is_imported_before_its_values_are_met() -> None:
    code = """
import sys
from holdfast.codec import Codec
codec = Codec()
codec.decode(codec.encode({"a": (1, {2}), "b": "\\ud800"}))
print([name for name in ("numpy", "pydantic", "attr", "langchain_core") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
