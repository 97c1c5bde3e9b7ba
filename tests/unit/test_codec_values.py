"""Single behaviours of loading and saving values."""

from __future__ import annotations

import dataclasses
import decimal
import functools
import ipaddress
import re
import subprocess
import sys
import threading
from decimal import Decimal
from typing import Any

import msgspec
import pydantic
import pytest

from holdfast.codec import Codec, Handler, Opaque, register
from holdfast.codec.wire import Marker, pack_raw, unpack
from holdfast.errors import Corrupt, InvalidArgument
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


@pytest.mark.parametrize(
    "text", ["1.2.3.4", "::1", "fe80::1%eth0", "1.2.3.0/24", "fe80::%eth0/64", "1.2.3.4/24", "fe80::1%eth0/64"]
)
@pytest.mark.parametrize("make", [ipaddress.ip_address, ipaddress.ip_network, ipaddress.ip_interface])
def test_addresses_keep_their_class_prefix_and_scope(make: Any, text: str) -> None:
    try:
        value = make(text)
    except ValueError:
        return
    found = again([value])[0]
    assert (type(found), str(found), found) == (type(value), str(value), value)
    assert getattr(found, "network", 0) == getattr(value, "network", 0)


def test_a_pattern_loses_debug_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    value = re.compile("a|b", re.DEBUG | re.MULTILINE)
    assert capsys.readouterr().out
    assert again(value) == re.compile("a|b", re.MULTILINE)
    assert not capsys.readouterr().out


def test_a_pattern_of_a_texts_subclass_is_of_plain_text() -> None:
    class Text(str):
        pass

    class Data(bytes):
        pass

    assert same(again(re.compile(Text("a"))).pattern, "a")
    assert same(again(re.compile(Data(b"a"))).pattern, b"a")


@pytest.mark.parametrize(
    "pattern", ["(", "a{99999999999}", "(" * 9000 + ")" * 9000, "(?P<x", b"(", "*"], ids=lambda p: p[:9]
)
def test_a_pattern_that_does_not_compile_here_is_opaque(pattern: Any) -> None:
    data = pack_raw([1, [Marker(28), pattern, 0]])
    found = CODEC.decode(data)
    assert (type(found[1]), found[1].name) == (Opaque, "tag 28")
    assert CODEC.encode(found) == data


@pytest.mark.parametrize("flags", [1 << 40, int(re.LOCALE), int(re.ASCII | re.UNICODE)])
def test_flags_that_do_not_fit_make_a_pattern_opaque(flags: int) -> None:
    assert type(CODEC.decode(pack_raw([Marker(28), "x", flags]))) is Opaque


@pytest.mark.parametrize(
    "record",
    [
        [Marker(27)],
        [Marker(27), "IPv4Address"],
        [Marker(27), "IPv5Address", b"1234"],
        [Marker(27), "IPv4Address", b"123"],
        [Marker(27), "IPv4Address", b"1234", 5],
        [Marker(27), "IPv4Network", b"1234"],
        [Marker(27), "IPv4Network", b"1234", 24],
        [Marker(27), "IPv4Network", b"1200", 99],
        [Marker(27), "IPv4Network", b"1200", [1]],
        [Marker(27), "IPv6Address", b"1234"],
        [Marker(27), "IPv6Address", b"1" * 16, "a/b"],
        [Marker(27), "IPv4Address", "1.2.3.4.5"],
        [Marker(27), [], b"1234"],
        [Marker(28)],
        [Marker(28), "x"],
        [Marker(28), "x", 0, 0],
        [Marker(28), "x", "i"],
        [Marker(28), "x", None],
        [Marker(28), "x", int(re.DEBUG)],
        [Marker(28), 5, 0],
        [Marker(28), [], 0],
        [Marker(28), [Marker(6)], 0],
        [Marker(28), [Marker(1), "x"], 0],
    ],
    ids=repr,
)
def test_malformed_addresses_and_patterns_are_corrupt(record: list[Any]) -> None:
    for value in (record, {"k": [record]}):
        with pytest.raises(Corrupt):
            CODEC.decode(pack_raw(value))


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
    with pytest.raises(InvalidArgument, match="already used"):
        register(Handler(101, (), list, list))


def test_raw_structures_pack_to_the_same_bytes() -> None:
    data = CODEC.encode({(1, (2,)): {Place("x", frozenset({1})): Plan("y")}})
    assert pack_raw(unpack(data)[0]) == data


@pytest.mark.parametrize("before", [b"", b"\xc7", b"\xc7" * 99, b"\xc7" * 100, b"\xc7" * 101, b"\xc7\x01" * 300])
def test_a_marker_is_found_however_many_bytes_look_like_one(before: bytes) -> None:
    for value in ([before, (1,)], [before, "x"], before, [before, b"\xc7"]):
        assert same(again(value), value)


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
