"""What is streamed while a graph runs, and what its history shows afterwards. As with the saver in memory."""

from __future__ import annotations

import asyncio
from operator import add
from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.config import get_stream_writer
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, interrupt

from holdfast.adapters.langgraph import HoldfastSaver
from tests.adapters.langgraph.driver import Side, chain, config
from tests.adapters.langgraph.plain import differences, plain

TURNS: list[Any] = [{"lines": ["given"]}, Command(resume="yes")]


class Log(TypedDict, total=False):
    lines: Annotated[list[str], add]
    answer: str


def first(state: Log) -> Any:
    get_stream_writer()({"progress": 1})
    return {"lines": ["first"]}


def ask(state: Log) -> Any:
    return {"answer": interrupt("sure?")}


def last(state: Log) -> Any:
    return {"lines": [f"last: {state['answer']}"]}


def streamed(side: Side, mode: Any) -> Any:
    """One mode, through a question and its answer."""
    graph = side.graph(chain(Log, first, ask, last))
    chunks = [graph.stream(given, config(), stream_mode=mode) for given in TURNS]
    assert all(chunks) or mode == "custom"
    return chunks, side.seen(graph)


def streamed_with_subgraphs(side: Side) -> Any:
    outer = StateGraph(Log)
    outer.add_node("inner", chain(Log, first, ask, last).compile())
    outer.add_edge(START, "inner")
    graph = side.graph(outer)
    modes = ["updates", "values", "checkpoints", "tasks", "custom"]
    chunks = [graph.stream(given, config(), stream_mode=modes, subgraphs=True) for given in TURNS]
    assert {len(namespace) for part in chunks for namespace, _, _ in part} == {0, 1}
    return chunks, side.seen(graph)


def tokens(side: Side) -> Any:
    """A stand-in model's tokens come as they are said; what is stored is the whole message."""
    model = GenericFakeChatModel(messages=iter([AIMessage("well hello there", id="said")]))

    def say(state: MessagesState, config: RunnableConfig) -> Any:
        return {"messages": [model.invoke(state["messages"], config)]}

    async def asay(state: MessagesState, config: RunnableConfig) -> Any:
        return {"messages": [await model.ainvoke(state["messages"], config)]}

    builder = StateGraph(MessagesState)
    builder.add_node("say", asay if side.name == "async" else say)
    builder.add_edge(START, "say")
    graph = side.graph(builder)
    chunks = graph.stream({"messages": [HumanMessage("hi", id="h")]}, config(), stream_mode="messages")
    assert "".join(chunk.text for chunk, _ in chunks) == "well hello there"
    return [(chunk.text, result["langgraph_node"]) for chunk, result in chunks], side.seen(graph)


def looked_at_while_it_runs(side: Side) -> Any:
    """A node that asks for the thread's state finds the step before it, in sync durability."""
    found = []

    def look(state: Log) -> Any:
        seen = side.saver.get_tuple(config())
        assert seen is not None
        found.append(seen)
        return {"lines": ["looked"]}

    graph = side.graph(chain(Log, first, look))
    graph.invoke({"lines": ["given"]}, config(), durability="sync")
    assert found[0].checkpoint["channel_values"]["lines"] == ["given", "first"]
    return found, side.seen(graph)


def filtered_history(side: Side) -> Any:
    """By source, by step, by what the caller's config added to the metadata; before a checkpoint; a few at a time."""
    graph = side.graph(chain(Log, first))
    for user in ("ada", "bob"):
        graph.invoke({"lines": [user]}, {**config(user=user), "metadata": {"turn": user, "nested": {"not": "folded"}}})
    graph.update_state(config(), {"lines": ["by hand"]})
    whole = graph.get_state_history(config())
    kinds = [{"source": "input"}, {"source": "update"}, {"step": 1}, {"user": "ada"}, {"turn": "bob", "source": "loop"}]
    found = [
        graph.get_state_history(config(), filter=one) for one in (*kinds, {"source": "nothing"}, {"absent": 1}, {})
    ]
    assert [len(one) for one in found] == [2, 1, 1, 3, 2, 0, 0, 7]
    before = graph.get_state_history(config(), before=whole[2].config)
    assert [one.config for one in before] == [one.config for one in whole[3:]]
    some = [graph.get_state_history(config(), limit=limit) for limit in (0, 1, 3, 100)]
    assert [len(one) for one in some] == [0, 1, 3, 7]
    both = graph.get_state_history(config(), filter={"user": "ada"}, before=whole[5].config, limit=1)
    return whole, found, before, some, both


def numbered_threads(side: Side) -> Any:
    """thread_id may be a number; it is the same thread as the text of it."""
    graph = side.graph(chain(Log, first))
    graph.invoke({"lines": ["by number"]}, config(7))
    result = graph.invoke({"lines": ["by text"]}, config("7"))
    assert result["lines"] == ["by number", "first", "by text", "first"]
    return result, side.seen(graph, "7")


SCENARIOS = [streamed_with_subgraphs, tokens, looked_at_while_it_runs, filtered_history, numbered_threads]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one.__name__)
def test_as_in_memory(same, scenario) -> None:
    same(scenario)


@pytest.mark.parametrize("mode", ["values", "updates", "custom", "checkpoints", "tasks", "debug"])
def test_streamed_as_in_memory(same, mode: str) -> None:
    same(streamed, mode)


# ------------------------------------------------------------------------------------------------ twenty at once


async def twenty(saver: BaseCheckpointSaver[Any]) -> Any:
    """Twenty graphs at once in one loop, each with a thread of its own, all in step with each other."""
    together = [asyncio.Barrier(20) for _ in range(3)]

    async def step(state: Log, config: RunnableConfig) -> Any:
        place = len(state["lines"])
        await together[place - 1].wait()
        return {"lines": [f"{config['configurable']['thread_id']} at {place}"]}

    builder = StateGraph(Log)
    for one, other in zip([START, "a", "b"], ["a", "b", "c"], strict=True):
        builder.add_node(other, step)
        builder.add_edge(one, other)
    graph = builder.compile(checkpointer=saver)
    result = await asyncio.gather(*(graph.ainvoke({"lines": [f"given {n}"]}, config(f"t{n}")) for n in range(20)))
    states = await asyncio.gather(*(graph.aget_state(config(f"t{n}")) for n in range(20)))
    histories = [[one async for one in graph.aget_state_history(config(f"t{n}"))] for n in range(20)]
    return result, states, histories


def test_twenty_graphs_at_once(saver: HoldfastSaver) -> None:
    result = asyncio.run(twenty(saver))
    assert [len(history) for history in result[2]] == [5] * 20
    assert list(differences(plain(result), plain(asyncio.run(twenty(InMemorySaver()))))) == []
