"""Values whose class is not known: they are shown, compared and saved again, and nothing is imported for them."""

from __future__ import annotations

import dataclasses
import sys
from typing import Any

import numpy
import pytest
from langchain_core.messages import AIMessage

from holdfast.codec import Codec, Opaque
from holdfast.codec.handlers import numpy_arrays
from tests.unit.codec_values import CLASSES, Colour, Place, Plan, Point, Thing

KNOWING = Codec(CLASSES)
IGNORANT = Codec()
PLAN = f"{Plan.__module__}.Plan"


def opaque(value: Any, codec: Codec = IGNORANT) -> Opaque:
    found = codec.decode(KNOWING.encode(value))
    assert type(found) is Opaque
    return found


def test_an_opaque_shows_name_kind_and_fields() -> None:
    found = opaque(Plan("x", [1]))
    assert (found.name, found.kind) == (PLAN, "dataclass")
    assert found.fields == {"goal": "x", "steps": [1], "done": False}


def test_its_repr_reads_like_the_object() -> None:
    assert repr(opaque(Plan("x", (1,)))) == f"<opaque {PLAN}: goal='x', steps=(1,), done=False>"


def test_known_values_inside_are_themselves() -> None:
    found = opaque(Plan(Point(1, 2), {Place("p"): Colour.RED}), Codec([Point, Place, Colour]))
    assert found.fields["goal"] == Point(1, 2)
    assert found.fields["steps"] == {Place("p"): Colour.RED}


def test_opaques_are_equal_by_content() -> None:
    assert opaque(Plan("x")) == opaque(Plan("x"))
    assert opaque(Plan("x")) != opaque(Plan("y"))
    assert len({opaque(Plan("x")), opaque(Plan("x"))}) == 1


@pytest.mark.parametrize(
    "part",
    [
        lambda: Thing("x"),
        lambda: [(Thing("x"),)],
        lambda: {"k": Thing("x")},
        lambda: {Place("p"): Thing("x")},
        lambda: float("nan"),
    ],
    ids=["directly", "in a list", "in a dict", "under a rich key", "nan"],
)
def test_keys_around_a_part_that_compares_by_identity_stay_apart(part: Any) -> None:
    keys = [Around(part()), Around(part())]
    assert keys[0] != keys[1]
    data = KNOWING.encode({keys[0]: 1, keys[1]: 2, (keys[0],): 3, (keys[1],): 4})
    found = IGNORANT.decode(data)
    assert sorted(found.values()) == [1, 2, 3, 4]
    assert IGNORANT.encode(found) == data
    assert len(IGNORANT.decode(KNOWING.encode({*keys}))) == 2


@dataclasses.dataclass(frozen=True)
class Around:
    """Compares by value, and so by what is in it."""

    part: Any

    def __hash__(self) -> int:
        return 1


def test_opaques_of_a_class_that_compares_by_identity_stay_apart() -> None:
    things = {Thing("x"), Thing("x")}
    assert len(IGNORANT.decode(KNOWING.encode(things))) == 2


def test_an_opaque_can_not_be_changed() -> None:
    found = opaque(Plan("x", [1]))
    with pytest.raises(AttributeError):
        found.name = "other"
    found.fields["steps"].append(2)
    assert found == opaque(Plan("x", [1]))


def test_an_opaque_is_a_dict_key() -> None:
    value = {Place("p", (1,)): {Place("q"): 2}}
    back = IGNORANT.decode(KNOWING.encode(value))
    assert KNOWING.decode(IGNORANT.encode(back)) == value


def test_an_opaque_next_to_a_surrogate_saves_again() -> None:
    value = {"a": Plan("\ud800", {(1, 2): "x"}), "b": "\udfff"}
    assert IGNORANT.encode(IGNORANT.decode(KNOWING.encode(value))) == KNOWING.encode(value)


def test_decoding_imports_nothing() -> None:
    module = "xml.dom.expatbuilder"
    sys.modules.pop(module, None)
    cls = dataclasses.make_dataclass("Namespaces", [])
    cls.__module__ = module
    data = KNOWING.encode(cls())
    assert KNOWING.decode(data).name == f"{module}.Namespaces"
    assert module not in sys.modules


def test_an_enum_member_that_is_gone_is_opaque() -> None:
    data = KNOWING.encode(Colour.BLUE).replace(b"BLUE", b"GREY").replace(b"\xa4blue", b"\xa4grey")
    assert KNOWING.decode(data).fields == {"name": "GREY", "value": "grey"}


def test_messages_load_without_being_named() -> None:
    assert IGNORANT.decode(KNOWING.encode(AIMessage("hi"))) == AIMessage("hi")


def test_arrays_are_opaque_without_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    data = KNOWING.encode([numpy.arange(3)])
    monkeypatch.setitem(sys.modules, "numpy", None)
    found = IGNORANT.decode(data)
    assert type(found[0]) is Opaque
    assert IGNORANT.encode(found) == data
    assert numpy_arrays.__doc__


def test_a_tag_of_a_later_version_is_opaque() -> None:
    data = b"\x93\xc7\x00\x3f\x01\x93\xc7\x00\x01\x01\x02"
    found = IGNORANT.decode(data)
    assert (found.name, found.fields) == ("tag 63", {"0": 1, "1": (1, 2)})
    assert IGNORANT.encode(found) == data
