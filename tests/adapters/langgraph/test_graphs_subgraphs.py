"""Graphs inside graphs: their own namespaces, a memory of their own, questions from within. As in memory."""

from __future__ import annotations

from collections import Counter
from operator import add
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.graph import START, StateGraph
from langgraph.types import Command, Send, interrupt

from tests.adapters.langgraph.driver import Side, Stored, chain, config


class Log(TypedDict, total=False):
    lines: Annotated[list[str], add]
    item: str


class Inner(TypedDict, total=False):
    lines: Annotated[list[str], add]
    seen: Annotated[list[int], add]
    """Only the inner graph knows it."""


def inner(*nodes: Any, **options: Any) -> Any:
    return chain(Inner, *nodes).compile(**options)


def note(state: Inner) -> Any:
    return {"lines": ["note"], "seen": [len(state["lines"])]}


def count(state: Inner) -> Any:
    return {"lines": [f"seen {state['seen']}"], "seen": [len(state["lines"])]}


def ask(state: Inner) -> Any:
    return {"lines": [f"said {interrupt('inner?')}"]}


def around(child: Any) -> Any:
    builder = StateGraph(Log)
    builder.add_node("before", lambda state: {"lines": ["before"]})
    builder.add_node("child", child)
    builder.add_node("after", lambda state: {"lines": ["after"]})
    builder.add_edge(START, "before")
    builder.add_edge("before", "child")
    builder.add_edge("child", "after")
    return builder


def as_a_node(side: Side) -> Any:
    """Each call of it has a namespace of its own, named for the node and the task."""
    graph = side.graph(around(inner(note, count)))
    result = [graph.invoke({"lines": [f"given {n}"]}, config()) for n in range(2)]
    assert result[0]["lines"][-2:] == ["seen [2]", "after"]
    stored = side.seen(graph)
    names = {one.config["configurable"]["checkpoint_ns"].split(":")[0] for one in stored["stored"]}
    assert names == {"", "child"}
    return result, stored


def called_in_a_node(side: Side) -> Any:
    """A node that calls a graph itself, and hands over only a part."""
    child = inner(note, count)

    def call(state: Log) -> Any:
        return {"lines": [child.invoke({"lines": ["handed"]})["lines"][-1]]}

    graph = side.graph(around(call))
    result = graph.invoke({"lines": []}, config())
    assert result["lines"] == ["before", "seen [1]", "after"]
    return result, side.seen(graph)


def asks_from_within(side: Side) -> Any:
    graph = side.graph(around(inner(note, ask, count)))
    result = graph.invoke({"lines": ["given"]}, config())
    waiting = side.seen(graph)
    assert waiting["state"].next == ("child",)
    assert waiting["state"].tasks[0].state.next == ("ask",)
    assert waiting["state"].tasks[0].state.values["seen"] == [2]
    done = graph.invoke(Command(resume="yes"), config())
    assert done["lines"] == ["given", "before", "given", "before", "note", "said yes", "seen [2]", "after"]
    return result, waiting, done, side.seen(graph)


def asks_twice_from_two_levels_down(side: Side) -> Any:
    def ask_twice(state: Inner) -> Any:
        return {"lines": [f"{interrupt('one?')} {interrupt('two?')}"]}

    middle = StateGraph(Inner)
    middle.add_node("deep", inner(note, ask_twice))
    middle.add_edge(START, "deep")
    graph = side.graph(around(middle.compile()))
    steps = side.each(graph, {"lines": []}, Command(resume="a"), Command(resume="b"))
    assert "a b" in steps[-1][0]["lines"]
    depths = {one.config["configurable"]["checkpoint_ns"].count("|") for one in steps[-1][1]["stored"]}
    assert depths == {0, 1}
    return steps


def edited_within(side: Side) -> Any:
    """update_state on the inner graph's own namespace, while it waits."""
    graph = side.graph(around(inner(note, ask, count)))
    graph.invoke({"lines": []}, config())
    inside = graph.get_state(config(), subgraphs=True).tasks[0].state.config
    edited = graph.get_state(graph.update_state(inside, {"lines": ["by hand"], "seen": [99]}))
    assert edited.values["seen"] == [1, 99]
    history = graph.get_state_history(config(ns=inside["configurable"]["checkpoint_ns"]))
    assert len(history) == 4
    done = graph.invoke(Command(resume="yes"), config())
    assert "seen [1, 99]" in done["lines"]
    return edited, history, done, side.seen(graph)


def with_a_memory_of_its_own(side: Side) -> Any:
    """checkpointer=True: one history a thread, whichever task calls; the outer input is all it is given each time."""

    def call(state: Log) -> Any:
        return {"lines": [f"inner has {len(remembering.invoke({'lines': ['one']})['lines'])}"]}

    remembering = inner(note, checkpointer=True)
    graph = side.graph(around(call))
    result = [graph.invoke({"lines": []}, config()) for _ in range(3)]
    assert result[-1]["lines"][1::3] == ["inner has 2", "inner has 4", "inner has 6"]
    other = graph.invoke({"lines": []}, config("other"))
    assert other["lines"][1] == "inner has 2"
    names = {one.config["configurable"]["checkpoint_ns"] for one in side.seen(graph)["stored"]}
    assert names == {"", "child"}
    return result, side.seen(graph), side.seen(graph, "other")


def a_remembering_node_asks(side: Side) -> Any:
    graph = side.graph(around(inner(note, ask, checkpointer=True)))
    steps = []
    for turn in range(2):
        steps.append(graph.invoke({"lines": [f"turn {turn}"]}, config()))
        steps.append(side.seen(graph))
        steps.append(graph.invoke(Command(resume=f"answer {turn}"), config()))
    assert [line for line in steps[-1]["lines"] if line.startswith("said")][-1] == "said answer 1"
    return steps, side.seen(graph)


def without_any(side: Side) -> Any:
    """checkpointer=False: nothing of it is stored."""
    graph = side.graph(around(inner(note, checkpointer=False)))
    result = graph.invoke({"lines": []}, config())
    assert {one.config["configurable"]["checkpoint_ns"] for one in side.seen(graph)["stored"]} == {""}
    return result, side.seen(graph)


def one_of_several_fails_within(side: Side) -> Any:
    """Two inner graphs in one step; one fails inside, the other's result is kept."""
    stored = Stored(side.saver)
    called: Counter[str] = Counter()

    def fails(state: Inner) -> Any:
        called["fails"] += 1
        if called["fails"] == 1:
            stored.wait(["note"], ["given", "works"])  # its own first node, and the sibling as a whole
            raise RuntimeError("inside")
        return {"lines": ["at last"]}

    def works(state: Inner) -> Any:
        called["works"] += 1
        return {"lines": ["works"]}

    builder = StateGraph(Log)
    builder.add_node("one", inner(note, fails))
    builder.add_node("two", inner(works))
    builder.add_edge(START, "one")
    builder.add_edge(START, "two")
    graph = side.graph(builder)
    with pytest.raises(RuntimeError, match="inside"):
        graph.invoke({"lines": ["given"]}, config())
    result = graph.invoke(None, config())
    assert called == {"fails": 2, "works": 1}
    assert result["lines"] == ["given", "given", "note", "at last", "given", "works"]
    return result, graph.get_state(config()), graph.get_state_history(config())


def sent_to_many(side: Side) -> Any:
    """The same inner graph several times in one step: a namespace each."""
    builder = StateGraph(Log)
    builder.add_node("plan", lambda state: {"lines": ["plan"]})
    builder.add_node("child", inner(note, count))
    builder.add_edge(START, "plan")
    builder.add_conditional_edges(
        "plan", lambda state: [Send("child", {"lines": [str(n)]}) for n in range(3)], ["child"]
    )
    graph = side.graph(builder)
    result = graph.invoke({}, config())
    found = side.calls.list(config())
    names = {one.config["configurable"]["checkpoint_ns"] for one in found}
    assert len(names) == 4
    lines = sorted(
        str(side.calls.get_tuple(config(ns=name)).checkpoint["channel_values"]["lines"]) for name in names if name
    )
    return result, lines, graph.get_state(config()), graph.get_state_history(config())


def hands_over_to_its_parent(side: Side) -> Any:
    """Command(graph=PARENT) from within."""

    def leave(state: Inner) -> Any:
        return Command(graph=Command.PARENT, update={"lines": ["left early"]}, goto="after")

    builder = StateGraph(Log)
    builder.add_node("child", inner(note, leave), destinations=("after",))
    builder.add_node("after", lambda state: {"lines": ["after"]})
    builder.add_edge(START, "child")
    graph = side.graph(builder)
    result = graph.invoke({"lines": []}, config())
    assert result["lines"] == ["left early", "after"]
    return result, side.seen(graph)


def travelled_within(side: Side) -> Any:
    """Time travel of the outer graph to before the inner one ran, and to a checkpoint inside of it."""
    called: Counter[str] = Counter()

    def counted(state: Inner) -> Any:
        called["inner"] += 1
        return {"lines": [f"call {called['inner']}"]}

    graph = side.graph(around(inner(counted, ask)))
    graph.invoke({"lines": []}, config())
    inside = graph.get_state(config(), subgraphs=True).tasks[0].state
    done = graph.invoke(Command(resume="first"), config())
    outer = next(one for one in graph.get_state_history(config()) if one.next == ("child",))
    again = graph.invoke(None, outer.config)
    assert again["__interrupt__"][0].value == "inner?"
    second = graph.invoke(Command(resume="second"), config())
    deep = graph.invoke(None, inside.config)
    return done, again, second, deep, side.seen(graph)


@pytest.mark.parametrize(
    "scenario",
    [
        as_a_node,
        called_in_a_node,
        asks_from_within,
        asks_twice_from_two_levels_down,
        edited_within,
        with_a_memory_of_its_own,
        a_remembering_node_asks,
        without_any,
        one_of_several_fails_within,
        sent_to_many,
        hands_over_to_its_parent,
        travelled_within,
    ],
    ids=lambda one: one.__name__,
)
def test_as_in_memory(same, scenario) -> None:
    same(scenario)
