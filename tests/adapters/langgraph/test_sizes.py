"""What threads of graphs cost on disk, in bytes: never in seconds.

Plain add_messages, nothing opted into. SqliteSaver stores the whole list at every step, which is quadratic.
"""

from __future__ import annotations

import json
import random
from operator import add
from pathlib import Path
from typing import Annotated, Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langgraph.graph import END, START, MessagesState, StateGraph

from holdfast.adapters.langgraph import HoldfastSaver
from tests.adapters.langgraph.driver import Side, Stored, config, put
from tests.unit.prose import prose

KB = 1_000
MB = 1_000_000


def messages(count: int) -> list[BaseMessage]:
    rng = random.Random(1)
    return [AIMessage(prose(rng, KB), id=f"message {n}") for n in range(count)]


def raw(found: list[BaseMessage]) -> int:
    """The least that has to be kept of them, as JSON."""
    return sum(len(json.dumps({"role": one.type, "id": one.id, "content": one.content})) for one in found)


def size_after_close(saver: HoldfastSaver, path: Path) -> int:
    saver.close()
    assert sorted(path.parent.glob(path.name + "*")) == [path], "closing leaves one file"
    return path.stat().st_size


def loop(saver: HoldfastSaver, steps: int) -> int:
    """One run of so many steps, each of which says one message: the bytes of the messages."""
    said = messages(steps)

    def say(state: MessagesState) -> Any:
        return {"messages": [said[len(state["messages"])]]}

    builder = StateGraph(MessagesState)
    builder.add_node("say", say)
    builder.add_edge(START, "say")
    builder.add_conditional_edges("say", lambda state: END if len(state["messages"]) == steps else "say", ["say", END])
    graph: Any = builder.compile(checkpointer=saver)
    result = graph.invoke({"messages": []}, {**config(), "recursion_limit": steps + 10})
    assert result["messages"] == said
    assert len(list(saver.list(config(), filter={"source": "loop"}, limit=5))) == 5
    return raw(said)


def looping(path: Path, steps: int) -> tuple[int, int]:
    """The same on a file: its bytes on disk, and those of the messages."""
    saver = HoldfastSaver.from_url(str(path))
    content = loop(saver, steps)
    return size_after_close(saver, path), content


def test_a_thousand_steps_take_no_more_than_their_messages_and_half_as_many_half_of_it(tmp_path: Path) -> None:
    """With every checkpoint, and every pending write: linear, and no second copy of anything."""
    half, _ = looping(tmp_path / "half.db", 500)
    whole, content = looping(tmp_path / "whole.db", 1000)
    assert whole <= 1.0 * content, f"{whole} bytes for {content}: {whole / content:.3f}"
    assert whole <= 2.1 * half, f"{whole} is {whole / half:.3f} times {half}"


def turns(path: Path, count: int) -> int:
    """So many turns of a chat, each a run of its own with a question of 1 KB and an answer of 1 KB."""
    said = messages(2 * count)
    builder = StateGraph(MessagesState)
    builder.add_node("answer", lambda state: {"messages": [said[len(state["messages"])]]})
    builder.add_edge(START, "answer")
    saver = HoldfastSaver.from_url(str(path))
    graph: Any = builder.compile(checkpointer=saver)
    for n in range(count):
        given = HumanMessage(said[2 * n].content, id=said[2 * n].id)
        graph.invoke({"messages": [given]}, config())
    assert len(graph.get_state(config()).values["messages"]) == 2 * count
    return size_after_close(saver, path)


def test_twice_the_turns_take_twice_the_bytes(tmp_path: Path) -> None:
    one, two = turns(tmp_path / "one.db", 75), turns(tmp_path / "two.db", 150)
    assert two <= 2.1 * one, f"{two} is {two / one:.3f} times {one}"


class Report(MessagesState, total=False):
    text: str
    parts: Annotated[list[str], add]
    count: int


def noise(size: int, seed: int = 3) -> str:
    """Text that does not compress below half of its length."""
    return random.Random(seed).randbytes(size // 2).hex()


@pytest.mark.parametrize("channel", ["text", "parts", "messages"])
def test_what_a_node_gives_is_stored_once(tmp_path: Path, channel: str) -> None:
    """Its pending write and the channel's value hold the same: a megabyte takes one, not two."""
    content = noise(MB)
    values: dict[str, Any] = {"text": content, "parts": [content], "messages": [AIMessage(content, id="big")]}

    path = tmp_path / "report.db"
    saver = HoldfastSaver.from_url(str(path))
    stored = Stored(saver)

    def after(state: Report) -> Any:
        stored.wait(values[channel])  # LangGraph does not wait for writes; the save that follows finds them all
        return {"count": 1}

    builder = StateGraph(Report)
    builder.add_node("give", lambda state: {channel: values[channel]})
    builder.add_node("after", after)
    builder.add_edge(START, "give")
    builder.add_edge("give", "after")
    graph: Any = builder.compile(checkpointer=saver)
    graph.invoke({"count": 0}, config())
    (write,) = [
        one for found in saver.list(config()) for one in found.pending_writes or () if one[1] == channel and one[2]
    ]
    assert write[2] == values[channel]
    size = size_after_close(saver, path)
    assert size <= 0.75 * MB, f"{size} bytes for what takes {MB // 2} once"


def test_what_does_not_change_is_stored_once(tmp_path: Path) -> None:
    """A document in the state of sixty steps; once more in the input that it came with."""
    document = noise(MB)

    def count(state: Report) -> Any:
        return {"count": state.get("count", 0) + 1}

    builder = StateGraph(Report)
    builder.add_node("count", count)
    builder.add_edge(START, "count")
    builder.add_conditional_edges("count", lambda state: END if state["count"] % 20 == 0 else "count", ["count", END])
    path = tmp_path / "still.db"
    saver = HoldfastSaver.from_url(str(path))
    graph: Any = builder.compile(checkpointer=saver)
    turns: list[Any] = [{"text": document}, {"parts": []}, {"parts": []}]
    for given in turns:
        graph.invoke(given, {**config(), "recursion_limit": 50})
    found = graph.get_state(config()).values
    assert (found["text"], found["count"]) == (document, 60)
    stored = size_after_close(saver, path)
    assert stored <= 1.25 * MB, f"{stored} bytes for a document that takes {MB // 2} once"


def test_branches_share_what_they_have_in_common(tmp_path: Path) -> None:
    """Ten edits of one old checkpoint of a megabyte."""
    path = tmp_path / "branches.db"
    document = noise(MB)
    saver = HoldfastSaver.from_url(str(path))
    with Side(saver, "sync") as side:
        root = put(side.calls, {"text": document, "n": 0}, versions={"text": 1, "n": 0})
        for n in range(1, 11):
            put(side.calls, {"text": document, "n": n}, parent=root, versions={"text": 1, "n": n}, new={"n": n})
    stored = size_after_close(saver, path)
    assert stored <= 0.75 * MB, f"{stored} bytes"
