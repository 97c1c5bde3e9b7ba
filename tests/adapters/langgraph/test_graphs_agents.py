"""Chats and agents: messages that grow, tools that are called, messages that are taken back. As in memory.

Every message has an id from the start: `add_messages` gives one to those that lack it while LangGraph is already saving
them in the background, and which of the two comes first is a matter of luck.
"""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, RemoveMessage, SystemMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from langgraph.prebuilt import ToolNode

from tests.adapters.langgraph.driver import Side, config


@tool
def weather(city: str) -> str:
    """The weather in a city."""
    return f"sunny in {city}"


@tool(response_format="content_and_artifact")
def look_up(name: str) -> tuple[str, dict[str, Any]]:
    """A record by its name."""
    return f"found {name}", {"name": name, "rows": [1, 2, 3]}


TOOLS = ToolNode([weather, look_up])


def tools(state: MessagesState, config: RunnableConfig) -> Any:
    result = TOOLS.invoke(state, config)
    for place, message in enumerate(result["messages"], len(state["messages"])):
        message.id = f"m{place}"
    return result


def model(state: MessagesState) -> dict[str, Any]:
    """A stand-in: calls two tools at once when asked, then one more, then answers."""
    last, id = state["messages"][-1], f"m{len(state['messages'])}"
    if isinstance(last, HumanMessage):
        wanted = [
            {"name": "weather", "args": {"city": last.text}, "id": f"w-{last.text}", "type": "tool_call"},
            {"name": "look_up", "args": {"name": last.text}, "id": f"l-{last.text}", "type": "tool_call"},
        ]
        said = AIMessage(
            "one moment",
            id=id,
            tool_calls=wanted,
            usage_metadata={"input_tokens": 7, "output_tokens": 3, "total_tokens": 10},
            response_metadata={"model_name": "stand-in", "finish_reason": "tool_calls"},
        )
    elif sum(isinstance(one, ToolMessage) for one in state["messages"]) % 3:
        said = AIMessage(
            [{"type": "text", "text": "once more"}],
            id=id,
            tool_calls=[{"name": "weather", "args": {"city": "there"}, "id": "again", "type": "tool_call"}],
        )
    else:
        said = AIMessage(f"{last.text}, then", id=id, additional_kwargs={"tone": "warm"}, name="helper")
    return {"messages": [said]}


def route(state: MessagesState) -> str:
    last = state["messages"][-1]
    return "tools" if isinstance(last, AIMessage) and last.tool_calls else END


def agent() -> Any:
    builder = StateGraph(MessagesState)
    builder.add_node("model", model)
    builder.add_node("tools", tools)
    builder.add_edge(START, "model")
    builder.add_conditional_edges("model", route, ["tools", END])
    builder.add_edge("tools", "model")
    return builder


def asked(city: str, place: int = 0) -> Any:
    return {"messages": [HumanMessage(city, id=f"m{place}")]}


def said(found: Any) -> list[str]:
    return [one.text for one in found["messages"]]


def tool_calling_loop(side: Side) -> Any:
    graph = side.graph(agent())
    result = graph.invoke(asked("Rome"), config())
    assert said(result)[-1] == "sunny in there, then"
    assert [type(one) for one in result["messages"]][1:4] == [AIMessage, ToolMessage, ToolMessage]
    return result, side.seen(graph)


def three_turns(side: Side) -> Any:
    graph = side.graph(agent())
    result = [graph.invoke(asked(city, 7 * n), config()) for n, city in enumerate(["Rome", "Bern", "Oslo"])]
    assert [len(one["messages"]) for one in result] == [7, 14, 21]
    return result, side.seen(graph)


def messages_of_every_kind(side: Side) -> Any:
    """They come back as equal objects of the same class, with all that models attach to them."""

    class Heard(MessagesState):
        chunk: AIMessageChunk
        source: Document

    source = Document("page", metadata={"n": 1}, id="d")
    chunk = AIMessageChunk(content="part", usage_metadata={"input_tokens": 1, "output_tokens": 2, "total_tokens": 3})
    kinds = [
        SystemMessage("be brief", id="s"),
        HumanMessage(
            [{"type": "text", "text": "look"}, {"type": "image", "url": "data:image/png;base64,AA=="}], id="h"
        ),
        AIMessage("", tool_calls=[{"name": "f", "args": {"deep": [{"x": None}]}, "id": "1"}], id="a"),
        ToolMessage("failed", tool_call_id="1", id="t", artifact={"rows": [1, {"n": None}]}, status="error"),
    ]
    builder = StateGraph(Heard)
    builder.add_node("say", lambda state: {"messages": kinds[2:], "chunk": chunk, "source": source})
    builder.add_edge(START, "say")
    graph = side.graph(builder)
    graph.invoke({"messages": kinds[:2]}, config())
    found = graph.get_state(config()).values
    assert found == {"messages": kinds, "chunk": chunk, "source": source}
    assert [type(one) for one in found["messages"]] == [type(one) for one in kinds]
    assert (type(found["chunk"]), type(found["source"])) == (AIMessageChunk, Document)
    return side.seen(graph)


def messages_taken_back(side: Side) -> Any:
    """Removed one by one, changed in place, and all at once: a list does not only grow."""

    def echo(state: MessagesState) -> Any:
        last = state["messages"][-1]
        return {"messages": [AIMessage("echo " + last.text, id=f"echo {last.id}")]}

    builder = StateGraph(MessagesState)
    builder.add_node("echo", echo)
    builder.add_edge(START, "echo")
    graph = side.graph(builder)
    for n in range(3):
        graph.invoke({"messages": [HumanMessage(f"{n}", id=f"m{n}")]}, config())
    graph.update_state(config(), {"messages": [RemoveMessage("m0"), RemoveMessage("m1")]})
    graph.invoke({"messages": [HumanMessage("two", id="m2")]}, config())
    shorter = graph.get_state(config())
    graph.invoke({"messages": [RemoveMessage(REMOVE_ALL_MESSAGES), HumanMessage("anew", id="m9")]}, config())
    assert said(graph.get_state(config()).values) == ["anew", "echo anew"]
    return shorter, side.seen(graph)


def edited_by_hand(side: Side) -> Any:
    """update_state in the middle of the loop, as a person correcting a tool call would."""
    graph = side.graph(agent(), interrupt_before=["tools"])
    graph.invoke(asked("Rome"), config())
    stopped = graph.get_state(config())
    assert stopped.next == ("tools",)
    calling = stopped.values["messages"][-1]
    changed = [{**one, "args": dict.fromkeys(one["args"], "Paris")} for one in calling.tool_calls]
    graph.update_state(config(), {"messages": [calling.model_copy(update={"tool_calls": changed})]})
    result = graph.invoke(None, config())
    assert "sunny in Paris" in said(result)
    return result, side.seen(graph)


@pytest.mark.parametrize(
    "scenario",
    [tool_calling_loop, three_turns, messages_of_every_kind, messages_taken_back, edited_by_hand],
    ids=lambda one: one.__name__,
)
def test_as_in_memory(same, scenario) -> None:
    same(scenario)
