"""LangChain's messages: exact in both directions, one at a time and a thousand at a time, with nothing imported."""

from __future__ import annotations

import contextlib
import dataclasses
import subprocess
import sys
from collections.abc import Callable
from functools import cached_property
from typing import Any

import pydantic
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    HumanMessageChunk,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
    ToolMessageChunk,
)

from holdfast.codec import Codec, Opaque
from holdfast.codec.handlers import langchain_messages, message_lists
from holdfast.codec.packer import pack
from holdfast.codec.wire import Marker, pack_raw, unpack
from holdfast.errors import Corrupt, EncodeError
from tests.unit.codec_values import CLASSES, Place, Plan, same

CODEC = Codec(CLASSES)
HUMAN = "langchain_core.messages.human.HumanMessage"

_text = st.text(max_size=8)
_unusual = st.sampled_from(
    [
        (1, "a"),
        {2, 3},
        1 << 70,
        -(1 << 90),
        {("k", 1): [()]},
        Plan("goal", [Place("x")]),
        frozenset({(1,)}),
        "\ud800",
        HumanMessage("inner"),
    ]
)
_plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(1 << 63), (1 << 64) - 1) | st.floats(allow_nan=False) | _text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_text, inner, max_size=3),
    max_leaves=5,
)
_more = st.dictionaries(_text, _plain, max_size=3)
_content = _text | st.lists(_text | st.dictionaries(st.sampled_from(["type", "text", "data"]), _text), max_size=3)
_ids = st.none() | st.uuids().map(str)
_tool_calls = st.lists(
    st.fixed_dictionaries({"name": _text, "args": st.dictionaries(_text, _plain, max_size=2), "id": _ids}), max_size=2
)
_usage = st.none() | st.integers(0, 9).map(lambda n: {"input_tokens": n, "output_tokens": 1, "total_tokens": n + 1})


def made(cls: Any, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries(fields).map(lambda found: cls(**found))


def _messages(more: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    common: dict[str, Any] = {"content": _content, "id": _ids, "additional_kwargs": more}
    rich: dict[str, Any] = {**common, "tool_calls": _tool_calls, "usage_metadata": _usage, "response_metadata": more}
    tool: dict[str, Any] = {**common, "tool_call_id": _text}
    return st.one_of(
        made(HumanMessage, **common),
        made(HumanMessageChunk, **common),
        made(HumanMessage, content=_text),
        made(HumanMessage, content=_text, extra_field=_plain, another=_unusual),
        made(SystemMessage, **common, name=_text),
        made(AIMessage, **rich),
        made(AIMessageChunk, **rich),
        made(ToolMessage, **tool, artifact=more, status=st.sampled_from(["success", "error"])),
        made(ToolMessageChunk, **tool),
        made(FunctionMessage, **common, name=_text),
        made(ChatMessage, **common, role=_text),
        made(RemoveMessage, id=_text),
        made(BaseMessage, content=_text, type=_text),
    )


plain_messages = _messages(_more)
odd_messages = _messages(_more | st.dictionaries(_text, _plain | _unusual, max_size=3))


@st.composite
def conversation(draw: st.DrawFn) -> list[Any]:
    """Mostly messages of the usual kind, as the shortcut has it; sometimes something that it has to leave alone."""
    found: list[Any] = draw(st.lists(plain_messages, max_size=5))
    for odd in draw(st.lists(odd_messages | _unusual, max_size=1)):
        found.insert(draw(st.integers(0, len(found))), odd)
    return found


@given(conversation())
@settings(max_examples=300, deadline=None)
def test_a_conversation_is_loaded_unchanged(value: list[Any]) -> None:
    assert same(CODEC.decode(CODEC.encode(value)), value)


@given(odd_messages)
@settings(max_examples=200, deadline=None)
def test_a_message_is_loaded_unchanged_at_any_depth(message: Any) -> None:
    value = {"messages": [message], "pair": (message, {"deep": [message]}), "one": message}
    assert same(CODEC.decode(CODEC.encode(value)), value)


@given(conversation())
@settings(deadline=None)
def test_a_conversation_at_once_has_the_bytes_of_its_messages_one_by_one(value: list[Any]) -> None:
    head, *packed = [CODEC.encode([]), *map(CODEC.encode, value)]
    assert CODEC.encode(value) == bytes([head[0] + len(value)]) + b"".join(packed)


@given(conversation())
@settings(deadline=None)
def test_a_conversation_at_once_is_what_its_messages_are_one_by_one(value: list[Any]) -> None:
    assert same(CODEC.decode(CODEC.encode(value)), [CODEC.decode(CODEC.encode(one)) for one in value])


@given(conversation())
@settings(deadline=None)
def test_messages_that_were_loaded_have_the_same_bytes(value: list[Any]) -> None:
    data = CODEC.encode(value)
    assert CODEC.encode(CODEC.decode(data)) == data


@given(conversation(), st.data())
@settings(max_examples=500, deadline=None)
def test_a_damaged_conversation_is_corrupt_or_a_value(value: list[Any], data: st.DataObject) -> None:
    whole = bytearray(CODEC.encode([HumanMessage("x"), *value]))
    index = data.draw(st.integers(0, len(whole) - 1))
    whole[index] = data.draw(st.integers(0, 255))
    for damaged in (bytes(whole), bytes(whole[:index])):
        with contextlib.suppress(Corrupt, EncodeError):
            CODEC.encode(CODEC.decode(damaged))


# ------------------------------------------------------------------------------------------------ the record


def test_a_message_is_its_name_its_fields_and_which_were_set() -> None:
    marker, *parts = unpack(CODEC.encode(HumanMessage("hi", id="1")))[0]
    fields: dict[str, Any] = {
        "content": "hi",
        "additional_kwargs": {},
        "response_metadata": {},
        "type": "human",
        "name": None,
        "id": "1",
    }
    assert (marker.code, parts) == (26, [HUMAN, fields, ["content", "id"]])


def test_extra_fields_are_one_more_part() -> None:
    record = unpack(CODEC.encode(HumanMessage("hi", example=True)))[0]
    assert record[3:] == [["content", "example"], {"example": True}]


def test_an_ordinary_conversation_takes_the_shortcut() -> None:
    value = [HumanMessage("hi"), AIMessage("", tool_calls=[{"name": "look", "args": {"a": [1]}, "id": "1"}])]
    CODEC.encode(value)  # classes are known to the shortcut once one of their instances was packed
    assert all(type(record) is list for record in message_lists.with_records(value))
    assert message_lists.load(CODEC.encode(value)) == value


@pytest.mark.parametrize("odd", [(1,), "text", HumanMessage("x", more=1), HumanMessage([{"k": (1,)}])])
def test_what_the_shortcut_can_not_do_is_left_to_the_general_way(odd: Any) -> None:
    data = CODEC.encode([HumanMessage("hi"), odd])
    assert message_lists.load(data) is None
    assert CODEC.decode(data) == [HumanMessage("hi"), odd]


def test_messages_load_from_the_records_of_pydantic_models() -> None:
    message = AIMessage("hi", id="1", example=2)
    fields = [part for item in message.__dict__.items() for part in item]
    record = [Marker(4), "pydantic", "langchain_core.messages.ai.AIMessage", *fields]
    data = pack_raw([*record, "+set", sorted(message.model_fields_set), "+extra", {"example": 2}])
    assert same(CODEC.decode(data), message)


def test_a_class_that_derives_from_a_message_is_an_object() -> None:
    class Note(HumanMessage):
        stars: int = 0

    data = CODEC.encode(Note(content="hi", stars=2))
    assert unpack(data)[0][0].code == 4
    assert same(Codec([Note]).decode(data), Note(content="hi", stars=2))
    assert type(CODEC.decode(data)) is Opaque


def test_another_class_may_stand_for_a_message() -> None:
    @dataclasses.dataclass
    class Said:
        content: str
        stars: int = 3

    codec = Codec({HUMAN: Said})
    data = CODEC.encode([HumanMessage("hi"), AIMessage("ho")])
    assert codec.decode(data) == [Said("hi"), AIMessage("ho")]


def test_messages_that_a_state_mentions_are_still_messages() -> None:
    @dataclasses.dataclass
    class State:
        messages: list[HumanMessage | AIMessage]

    codec = Codec([State])
    value = [HumanMessage("hi"), AIMessage("ho")]
    assert same(codec.decode(codec.encode(value)), value)


# ------------------------------------------------------------------------------------------------ fresh objects


def test_a_message_changed_after_encoding_changes_no_bytes() -> None:
    message = AIMessage("hi", additional_kwargs={"a": [1]})
    data = CODEC.encode([message])
    message.additional_kwargs["a"].append(2)
    message.name = "other"
    assert CODEC.decode(data) == [AIMessage("hi", additional_kwargs={"a": [1]})]


@pytest.mark.parametrize("wrap", [lambda one: [one, one], lambda one: {"k": [one, one]}])
def test_each_decode_creates_new_messages(wrap: Callable[[Any], Any]) -> None:
    data = CODEC.encode(wrap(HumanMessage("hi")))
    found = CODEC.decode(data)
    first, second = found if isinstance(found, list) else found["k"]
    first.additional_kwargs["a"] = 1
    first.model_fields_set.add("name")
    first.extra = 1
    assert same(second, HumanMessage("hi"))
    assert same(CODEC.decode(data), wrap(HumanMessage("hi")))


def test_a_message_can_be_used_as_if_it_was_never_stored() -> None:
    (found,) = CODEC.decode(CODEC.encode([AIMessage("hi", id="1")]))
    assert found.model_dump() == AIMessage("hi", id="1").model_dump()
    assert found.model_copy(update={"id": "2"}) == AIMessage("hi", id="2")
    found.note = 3
    assert found.model_extra == {"note": 3}


def test_messages_are_built_without_validation() -> None:
    message = HumanMessage("hi")
    message.content = 5  # type: ignore[assignment]
    assert CODEC.decode(CODEC.encode([message, message]))[0].content == 5


def test_attributes_that_are_no_fields_are_not_stored() -> None:
    message = HumanMessage("hi")
    message.__dict__["lock"] = object()
    for value in (message, [message, HumanMessage("ho")]):
        found = CODEC.decode(CODEC.encode(value))
        assert "lock" not in (found[0] if isinstance(found, list) else found).__dict__


def test_a_field_that_was_deleted_takes_its_default() -> None:
    message = HumanMessage("hi", name="x")
    del message.__dict__["name"]
    assert CODEC.decode(CODEC.encode([message, message]))[1].name is None


def changed(message: Any, change: Callable[[dict[str, Any]], Any], wrap: Callable[[Any], Any]) -> bytes:
    record = unpack(CODEC.encode(message))[0]
    change(record[2])
    return pack_raw(wrap(record))


WRAPS: list[Callable[[Any], Any]] = [lambda record: record, lambda record: [record, record]]


def first(found: Any) -> Any:
    return found[0] if isinstance(found, list) else found


@pytest.mark.parametrize("wrap", WRAPS)
def test_a_field_that_was_added_since_takes_its_default(wrap: Callable[[Any], Any]) -> None:
    data = changed(AIMessage("hi"), lambda fields: fields.pop("tool_calls"), wrap)
    assert first(CODEC.decode(data)) == AIMessage("hi")


@pytest.mark.parametrize("wrap", WRAPS)
def test_a_field_that_was_removed_since_is_an_extra_one(wrap: Callable[[Any], Any]) -> None:
    data = changed(AIMessage("hi"), lambda fields: fields.update(example=False), wrap)
    assert first(CODEC.decode(data)).model_extra == {"example": False}


@pytest.mark.parametrize("wrap", WRAPS)
def test_a_field_that_was_renamed_since_is_both(wrap: Callable[[Any], Any]) -> None:
    data = changed(AIMessage("hi"), lambda fields: fields.update(title=fields.pop("name")), wrap)
    found = first(CODEC.decode(data))
    assert found.__dict__.keys() == AIMessage("hi").__dict__.keys()
    assert found.model_extra == {"title": None}


@pytest.mark.parametrize("wrap", WRAPS)
def test_a_message_without_a_field_that_has_no_default_is_opaque(wrap: Callable[[Any], Any]) -> None:
    data = changed(AIMessage("hi"), lambda fields: fields.pop("content"), wrap)
    assert type(first(CODEC.decode(data))) is Opaque
    assert CODEC.encode(CODEC.decode(data)) == data


# ------------------------------------------------------------------------------------------------ what is not here


def test_messages_are_opaque_until_their_module_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    value = [HumanMessage("hi", extra=(1, 2)), AIMessage("ho")]
    data = CODEC.encode(value)
    with monkeypatch.context() as patch:
        patch.delitem(sys.modules, "langchain_core.messages.human")
        assert langchain_messages.message_class(HUMAN) is None
        found, other = CODEC.decode(data)
        assert (found.kind, found.name) == ("message", HUMAN)
        assert found.fields["content"] == "hi"
        assert found.fields["+extra"] == {"extra": (1, 2)}
        assert other == AIMessage("ho")
        assert CODEC.encode([found, other]) == data
        assert found == CODEC.decode(data)[0]
    assert CODEC.decode(data) == value


def test_a_message_of_a_class_that_langchain_does_not_have_is_opaque() -> None:
    data = CODEC.encode([HumanMessage("hi"), HumanMessage("ho")]).replace(b"HumanMessage", b"HymanMessage")
    found = CODEC.decode(data)
    assert [one.name for one in found] == [HUMAN.replace("Hum", "Hym")] * 2
    assert CODEC.encode(found) == data


def test_a_module_that_holds_something_else_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    class HumanMessage(pydantic.BaseModel):
        content: str = ""

    data = CODEC.encode([langchain_messages.message_class(HUMAN)("hi")])
    impostors: list[Any] = [HumanMessage, print, None, []]
    for impostor in impostors:
        monkeypatch.setattr(sys.modules["langchain_core.messages.human"], "HumanMessage", impostor)
        assert type(CODEC.decode(data)[0]) is Opaque


def test_loading_messages_does_not_import_langchain() -> None:
    code = f"""
import sys
from holdfast.codec import Codec
data = bytes.fromhex({CODEC.encode([HumanMessage("hi")] * 2).hex()!r})
found = Codec().decode(data)
print(found[0].name, Codec().encode(found) == data, [name for name in sys.modules if name.startswith("langchain")])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"{HUMAN} True []"


# ------------------------------------------------------------------------------------------------ what is wrong


@pytest.mark.parametrize(
    "parts",
    [
        [],
        [HUMAN],
        [HUMAN, {}],
        [HUMAN, [], []],
        [HUMAN, {}, {}],
        [HUMAN, {}, 5],
        [HUMAN, {"content": "x"}, [5]],
        [HUMAN, {"content": "x"}, [[]]],
        [HUMAN, {"content": "x"}, [[Marker(1), 1]]],
        [HUMAN, {"content": "x"}, [], 5],
        [HUMAN, {"content": "x"}, [], {}, 5],
        [[], {}, []],
        [{}, {}, []],
    ],
    ids=repr,
)
def test_a_malformed_message_is_corrupt(parts: list[Any]) -> None:
    record = [Marker(26), *parts]
    usual = unpack(CODEC.encode(HumanMessage("hi")))[0]
    for value in (record, [record], [usual, record], {"k": record}):
        with pytest.raises(Corrupt):
            CODEC.decode(pack_raw(value))


@pytest.mark.parametrize("names", [5, None, "content", {}, {"content": 1}, [5], [["content"]], [None]], ids=repr)
def test_names_that_are_no_texts_are_corrupt(names: Any) -> None:
    record = unpack(CODEC.encode(HumanMessage("hi")))[0]
    record[3] = names
    for value in (record, [record], {"k": record}):
        with pytest.raises(Corrupt):
            CODEC.decode(pack_raw(value))


def test_an_error_names_the_attribute() -> None:
    for value in (
        [HumanMessage("x", additional_kwargs={"k": [print]})],
        HumanMessage("x", additional_kwargs={"k": [print]}),
    ):
        with pytest.raises(EncodeError) as caught:
            CODEC.encode(value, "state")
        assert caught.value.path.endswith(".additional_kwargs['k'][0]")
    with pytest.raises(EncodeError) as caught:
        CODEC.encode([HumanMessage("x", extra={"k": print})], "state")
    assert caught.value.path == "state[0].extra['k']"


def test_a_message_in_itself_is_refused() -> None:
    message = HumanMessage("x")
    message.additional_kwargs["me"] = message
    with pytest.raises(EncodeError, match="contains itself"):
        CODEC.encode([message])


# ------------------------------------------------------------------------------------------------ other classes


def test_a_message_class_with_private_fields_keeps_them(monkeypatch: pytest.MonkeyPatch) -> None:
    class HumanMessage(pydantic.BaseModel):
        """Stands for one of a later LangChain: no extra fields, but a private one and a cached property."""

        __module__ = "langchain_core.messages.human"
        __qualname__ = "HumanMessage"

        content: str
        _secret: Any = pydantic.PrivateAttr(default=None)

        @cached_property
        def length(self) -> int:
            return len(self.content)

    monkeypatch.setattr(sys.modules[HumanMessage.__module__], "HumanMessage", HumanMessage)
    message = HumanMessage(content="hi")
    message._secret = (1, 2)
    assert message.length == 2
    data = CODEC.encode([message])
    assert [len(part) for part in unpack(data)[0][0][2:]] == [1, 1, 0, 1]
    (found,) = CODEC.decode(data)
    assert found.__dict__ == {"content": "hi"}
    assert (found._secret, found.__pydantic_extra__) == ((1, 2), None)


def test_packing_by_hook_and_at_once_agree() -> None:
    value = [HumanMessage("hi"), AIMessage("ho"), 5]
    assert CODEC.encode(value) == pack(value)
