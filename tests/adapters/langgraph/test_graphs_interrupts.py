"""Graphs that wait for a person: in a node, twice in one, in several at once, before and after nodes. As in memory."""

from __future__ import annotations

from collections import Counter
from operator import add
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt

from tests.adapters.langgraph.driver import Side, config


class Talk(TypedDict, total=False):
    heard: Annotated[list[Any], add]
    name: str


def chain(**nodes: Any) -> Any:
    """The nodes one after the other."""
    builder = StateGraph(Talk)
    for name, node in nodes.items():
        builder.add_node(name, node)
    for one, other in zip([START, *nodes], nodes, strict=False):
        builder.add_edge(one, other)
    return builder


def before(state: Talk) -> Any:
    return {"heard": ["before"]}


def after(state: Talk) -> Any:
    return {"heard": ["after"]}


def ask_once(state: Talk) -> Any:
    return {"heard": [interrupt({"question": "name?", "tries": [1, 2]})]}


def ask_twice(state: Talk) -> Any:
    return {"heard": [interrupt("first?"), interrupt("second?")]}


def waits_and_goes_on(side: Side) -> Any:
    graph = side.graph(chain(before=before, ask=ask_once, after=after))
    result = graph.invoke({}, config())
    assert result["__interrupt__"][0].value == {"question": "name?", "tries": [1, 2]}
    waiting = side.seen(graph)
    assert waiting["state"].next == ("ask",)
    assert len(waiting["state"].interrupts) == 1
    done = graph.invoke(Command(resume={"name": "Ada"}), config())
    assert done["heard"] == ["before", {"name": "Ada"}, "after"]
    return result, waiting, done, side.seen(graph)


def twice_in_one_node(side: Side) -> Any:
    """The first answer is kept while the second question waits."""
    graph = side.graph(chain(before=before, ask=ask_twice, after=after))
    steps = side.each(graph, {}, Command(resume="one"), Command(resume="two"))
    assert [len(result.get("__interrupt__", ())) for result, _ in steps] == [1, 1, 0]
    assert steps[-1][0]["heard"] == ["before", "one", "two", "after"]
    return steps


def asked_again_without_an_answer(side: Side) -> Any:
    """invoke(None) while it waits asks the same question again, and changes nothing."""
    graph = side.graph(chain(ask=ask_once, after=after))
    first = graph.invoke({}, config())
    again = graph.invoke(None, config())
    assert first["__interrupt__"] == again["__interrupt__"]
    return first, again, side.seen(graph), graph.invoke(Command(resume=0), config()), side.seen(graph)


def answers_that_are_falsy(side: Side) -> Any:
    """False, an empty text, an empty list and zero are answers."""
    found = []
    answers: list[Any] = [False, "", [], 0]
    for answer in answers:
        graph = side.graph(chain(ask=ask_once, after=after))
        graph.invoke({}, config(repr(answer)))
        found.append(graph.invoke(Command(resume=answer), config(repr(answer))))
        assert found[-1]["heard"] == [answer, "after"]
        found.append(side.seen(graph, repr(answer)))
    return found


def side_by_side(left: Any, right: Any) -> Any:
    """To be run with durability "sync": a join keeps filling the set that it handed out to be saved."""
    builder = StateGraph(Talk)
    builder.add_node("left", left)
    builder.add_node("right", right)
    builder.add_node("join", after)
    builder.add_edge(START, "left")
    builder.add_edge(START, "right")
    builder.add_edge(["left", "right"], "join")
    return builder


def two_at_once(side: Side) -> Any:
    """Answered one by one, each by its id."""

    def right(state: Talk) -> Any:
        return {"heard": [f"right: {interrupt('right?')}"]}

    def left(state: Talk) -> Any:
        return {"heard": [f"left: {interrupt('left?')}"]}

    graph = side.graph(side_by_side(left, right))
    result = graph.invoke({}, config(), durability="sync")
    wanted = {one.value: one.id for one in result["__interrupt__"]}
    assert set(wanted) == {"left?", "right?"}
    first = graph.invoke(Command(resume={wanted["right?"]: "yes"}), config(), durability="sync")
    halfway = side.seen(graph)
    assert halfway["state"].next == ("left",)
    second = graph.invoke(Command(resume={wanted["left?"]: "no"}), config(), durability="sync")
    assert second["heard"] == ["left: no", "right: yes", "after"]
    return first["__interrupt__"], halfway, second, side.seen(graph)


def one_waits_while_the_other_is_done(side: Side) -> Any:
    """The other's writes are kept, and it is not called again."""
    called: Counter[str] = Counter()

    def right(state: Talk) -> Any:
        called["right"] += 1
        return {"heard": ["right"]}

    graph = side.graph(side_by_side(ask_twice, right))
    steps = side.each(graph, {}, Command(resume=1), Command(resume=2), durability="sync")
    assert called == {"right": 1}
    assert steps[-1][0]["heard"] == [1, 2, "right", "after"]
    return steps


def before_and_after_nodes(side: Side) -> Any:
    """Breakpoints: nothing asks, the graph just stops there."""
    graph = side.graph(chain(a=before, b=before, c=after), interrupt_before=["b"], interrupt_after=["b"])
    steps = side.each(graph, {}, None, None)
    assert [seen["state"].next for _, seen in steps] == [("b",), ("c",), ()]
    return steps


def answered_along_with_an_update(side: Side) -> Any:
    graph = side.graph(chain(ask=ask_once, after=after))
    graph.invoke({}, config())
    result = graph.invoke(Command(resume="Ada", update={"name": "given too"}), config())
    assert result == {"heard": ["Ada", "after"], "name": "given too"}
    return result, side.seen(graph)


def edited_instead_of_answered(side: Side) -> Any:
    """update_state as the node that waits takes its place: the question is gone."""
    graph = side.graph(chain(ask=ask_once, after=after))
    graph.invoke({}, config())
    graph.update_state(config(), {"heard": ["by hand"]}, as_node="ask")
    edited = side.seen(graph)
    assert (edited["state"].next, edited["state"].interrupts) == (("after",), ())
    result = graph.invoke(None, config())
    assert result["heard"] == ["by hand", "after"]
    return edited, result, side.seen(graph)


def new_input_while_it_waits(side: Side) -> Any:
    """Plain input starts over; the question that was open is asked again."""
    graph = side.graph(chain(before=before, ask=ask_once, after=after))
    graph.invoke({}, config())
    result = graph.invoke({"heard": ["new"]}, config())
    assert result["heard"] == ["before", "new", "before"]
    done = graph.invoke(Command(resume="ok"), config())
    return result, done, side.seen(graph)


@pytest.mark.parametrize(
    "scenario",
    [
        waits_and_goes_on,
        twice_in_one_node,
        asked_again_without_an_answer,
        answers_that_are_falsy,
        two_at_once,
        one_waits_while_the_other_is_done,
        before_and_after_nodes,
        answered_along_with_an_update,
        edited_instead_of_answered,
        new_input_while_it_waits,
    ],
    ids=lambda one: one.__name__,
)
def test_as_in_memory(same, scenario) -> None:
    same(scenario)
