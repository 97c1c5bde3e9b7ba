"""Graphs whose threads are pruned as they are written: they continue as they would without."""

from __future__ import annotations

from operator import add
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt

import holdfast
from holdfast import Retention
from holdfast.adapters.langgraph import HoldfastSaver

LEAN = Retention(keep_last=10)
CONFIG: Any = {"configurable": {"thread_id": "t"}, "recursion_limit": 200}


class State(TypedDict, total=False):
    log: Annotated[list[str], add]
    n: int


class Mind(TypedDict, total=False):
    thoughts: Annotated[list[str], add]
    n: int


def inner() -> Any:
    built = StateGraph(Mind)
    built.add_node("think", lambda state: {"thoughts": [f"thought {state['n']}"]})
    built.add_node("speak", lambda state: {"thoughts": [f"spoke {state['n']}"]})
    built.add_edge(START, "think")
    built.add_edge("think", "speak")
    return built.compile()


def graph(saver: Any) -> Any:
    built = StateGraph(State)
    built.add_node("agent", inner())
    built.add_node("count", lambda state: {"n": state["n"] + 1, "log": [f"step {state['n']}"]})
    built.add_edge(START, "agent")
    built.add_edge("agent", "count")
    built.add_conditional_edges("count", lambda state: "agent" if state["n"] < 40 else "__end__")
    return built.compile(saver)


@pytest.fixture
def saver(url: str) -> Any:
    with holdfast.open(url, retention=LEAN) as store:
        yield HoldfastSaver(store)


def test_a_graph_with_a_subgraph_ends_as_it_would_without(saver: HoldfastSaver) -> None:
    wanted = graph(InMemorySaver()).invoke({"n": 0, "log": []}, CONFIG)
    found = graph(saver)
    assert found.invoke({"n": 0, "log": []}, CONFIG) == wanted
    assert found.get_state(CONFIG).values == wanted
    history = list(found.get_state_history(CONFIG))
    assert 10 <= len(history) <= 20
    lengths = [len(one.values["log"]) for one in history]
    assert lengths == sorted(lengths, reverse=True)
    assert found.invoke({"n": 38}, CONFIG)["n"] == 40
    assert saver.store.verify().faults == ()


def test_a_question_stays_open_however_much_comes_after_it_elsewhere(saver: HoldfastSaver) -> None:
    built = StateGraph(State)
    built.add_node("ask", lambda state: {"log": [interrupt("go on?")]})
    built.add_edge(START, "ask")
    asking = built.compile(saver)
    asking.invoke({"log": []}, CONFIG)
    for number in range(60):
        saver.store.thread("other").save({"n": number})
    assert asking.get_state(CONFIG).next == ("ask",)
    assert asking.invoke(Command(resume="yes"), CONFIG)["log"] == ["yes"]
