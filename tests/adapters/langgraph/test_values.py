"""Values come back as they were: equal, of the same class, as channels and as pending writes."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.messages import ToolMessage

from holdfast.adapters.langgraph import HoldfastSaver
from tests.adapters.langgraph.driver import open_saver
from tests.adapters.langgraph.state_classes import KNOWN, OWN, STANDARD, Mood, there_and_back


@pytest.mark.parametrize("value", OWN, ids=lambda value: type(value).__name__)
def test_classes_of_the_user_come_back_as_themselves(saver: HoldfastSaver, value: Any) -> None:
    """They are imported already: nothing has to be named, and nothing is to be imported."""
    for found in there_and_back(saver, value):
        assert (found, type(found)) == (value, type(value))


def test_enum_members_are_the_members(saver: HoldfastSaver) -> None:
    assert all(found is Mood.CROSS for found in there_and_back(saver, Mood.CROSS))


@pytest.mark.parametrize("value", [*KNOWN, *STANDARD], ids=lambda value: f"{type(value).__name__} {value!r:.20}")
@pytest.mark.parametrize("known", [None, []], ids=["any class", "no class"])
def test_langchains_langgraphs_and_pythons_own_types_are_known(url: str, value: Any, known: Any) -> None:
    with open_saver(url, types=known) as saver:
        for found in there_and_back(saver, value):
            assert (repr(found), type(found)) == (repr(value), type(value))


def test_a_message_keeps_a_model_in_its_artifact(saver: HoldfastSaver) -> None:
    """LangGraph's serializer makes a dict of it."""
    message = ToolMessage("t", tool_call_id="c", artifact={"document": Document("page")})
    for found in there_and_back(saver, message):
        assert found == message
        assert type(found.artifact["document"]) is Document
