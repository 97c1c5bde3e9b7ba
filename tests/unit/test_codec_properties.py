"""What holds for every value: it comes back the same, from the same bytes, whether or not its classes are known."""

from __future__ import annotations

import contextlib
import copy
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from holdfast.codec import Codec
from holdfast.errors import Corrupt, EncodeError
from tests.unit.codec_values import CLASSES, same, values

KNOWING = Codec(CLASSES)
IGNORANT = Codec()


@given(values)
@settings(max_examples=500, deadline=None)
def test_every_value_comes_back_the_same(value: Any) -> None:
    assert same(KNOWING.decode(KNOWING.encode(value)), value)


@given(values)
@settings(deadline=None)
def test_a_value_that_was_loaded_encodes_to_the_same_bytes(value: Any) -> None:
    data = KNOWING.encode(value)
    assert KNOWING.encode(KNOWING.decode(data)) == data


@given(values)
@settings(deadline=None)
def test_unknown_classes_save_again_to_the_same_bytes(value: Any) -> None:
    data = KNOWING.encode(value)
    assert IGNORANT.encode(IGNORANT.decode(data)) == data


@given(values)
@settings(deadline=None)
def test_a_value_saved_by_a_program_without_its_classes_loads_where_they_are_known(value: Any) -> None:
    saved = IGNORANT.encode(IGNORANT.decode(KNOWING.encode(value)))
    assert same(KNOWING.decode(saved), value)


@given(st.sets(st.one_of(st.text(), st.integers(), st.tuples(st.integers(), st.text()))))
def test_equal_sets_have_equal_bytes(members: set[Any]) -> None:
    backwards = list(members)[::-1]
    assert IGNORANT.encode(members) == IGNORANT.encode(set(backwards))


@given(values)
@settings(deadline=None)
def test_encoding_leaves_the_value_as_it_was(value: Any) -> None:
    before = copy.deepcopy(value)
    assume(same(before, value))  # Python before 3.11.4 forgets the scope of an IPv6 address when it copies one
    KNOWING.encode(value)
    assert same(before, value)


@given(st.binary(max_size=60))
@settings(max_examples=1000)
def test_garbage_is_corrupt_or_a_value(data: bytes) -> None:
    _decode_or_corrupt(data)


@given(values, st.data())
@settings(max_examples=500, deadline=None)
def test_damaged_bytes_are_corrupt_or_a_value(value: Any, data: st.DataObject) -> None:
    whole = bytearray(KNOWING.encode(value))
    index = data.draw(st.integers(0, len(whole) - 1))
    whole[index] = data.draw(st.integers(0, 255))
    _decode_or_corrupt(bytes(whole))
    _decode_or_corrupt(bytes(whole[:index]))


def _decode_or_corrupt(data: bytes) -> None:
    for codec in (KNOWING, IGNORANT):
        with contextlib.suppress(Corrupt, EncodeError):
            codec.encode(codec.decode(data))
