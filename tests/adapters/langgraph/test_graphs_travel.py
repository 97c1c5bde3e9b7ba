"""Time travel: from an older checkpoint, with and without edits; copies of checkpoints; many updates. As in memory."""

from __future__ import annotations

from collections import Counter
from operator import add
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.errors import EmptyInputError, InvalidUpdateError
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, StateUpdate, interrupt

from tests.adapters.langgraph.driver import Side, config, new_id


class Log(TypedDict, total=False):
    lines: Annotated[list[str], add]
    last: str
    document: str


def chain(called: Counter[str] | None = None) -> Any:
    builder = StateGraph(Log)
    names = ("a", "b", "c")
    for name in names:

        def node(state: Log, name: str = name) -> Any:
            if called is not None:
                called[name] += 1
            return {"lines": [f"{name} after {state.get('last')}"], "last": name}

        builder.add_node(name, node)
    for one, other in zip([START, *names], names, strict=False):
        builder.add_edge(one, other)
    return builder


def found_before(graph: Any, node: str) -> Any:
    """The newest checkpoint at which this node comes next."""
    return next(one for one in graph.get_state_history(config()) if one.next == (node,))


def replayed(side: Side) -> Any:
    called: Counter[str] = Counter()
    graph = side.graph(chain(called))
    graph.invoke({"lines": ["given"], "document": "d"}, config())
    result = graph.invoke(None, found_before(graph, "b").config)
    assert called == {"a": 1, "b": 2, "c": 2}
    assert result["lines"] == ["given", "a after None", "b after a", "c after b"]
    return result, side.seen(graph)


def replayed_from_every_checkpoint(side: Side) -> Any:
    """Also from the very first, from the last one, which has nothing to do, and from what a replay left."""
    graph = side.graph(chain())
    graph.invoke({"lines": ["given"]}, config())
    result = [graph.invoke(None, one.config) for one in graph.get_state_history(config())]
    assert len({tuple(one["lines"]) for one in result}) == 1
    again = graph.invoke(None, graph.get_state_history(config())[2].config)
    return result, again, side.seen(graph)


def edited_in_the_past(side: Side) -> Any:
    """A branch from an older checkpoint; the old line of checkpoints stays as it was."""
    graph = side.graph(chain())
    graph.invoke({"lines": ["given"], "document": "d"}, config())
    old = graph.get_state_history(config())
    branch = graph.update_state(found_before(graph, "b").config, {"last": "nobody", "lines": ["by hand"]})
    assert graph.get_state(config()).config["configurable"]["checkpoint_id"] == branch["configurable"]["checkpoint_id"]
    result = graph.invoke(None, branch)
    assert result["lines"] == ["given", "a after None", "by hand", "b after nobody", "c after b"]
    assert result["document"] == "d"
    assert [graph.get_state(one.config).values for one in old] == [one.values for one in old]
    return result, side.seen(graph)


def branches_of_branches(side: Side) -> Any:
    """Each continues from its own values, though all are in one namespace."""
    graph = side.graph(chain())
    graph.invoke({"lines": ["given"]}, config())
    root = found_before(graph, "b").config
    found = []
    for n in range(3):
        made = graph.update_state(root, {"lines": [f"branch {n}"]})
        found.append(graph.invoke(None, made)["lines"])
        root = next(one for one in graph.get_state_history(made) if one.next == ("b",)).config
    assert [sum("branch" in line for line in lines) for lines in found] == [1, 2, 3]
    return found, side.seen(graph)


def copied(side: Side) -> Any:
    """as_node="__copy__" puts no new versions, under the grandparent: values are not to be looked for in the parent."""
    graph = side.graph(chain())
    graph.invoke({"lines": ["given"], "document": "d"}, config())
    middle = found_before(graph, "c")
    copy = graph.update_state(middle.config, None, as_node="__copy__")
    made = graph.get_state(copy)
    assert (made.values, made.next) == (middle.values, ("c",))
    assert made.parent_config == middle.parent_config
    assert made.metadata["source"] == "fork"
    result = graph.invoke(None, copy)
    assert result["lines"] == ["given", "a after None", "b after a", "c after b"]
    return result, side.seen(graph)


def copied_at_the_root_and_at_the_head(side: Side) -> Any:
    """The first checkpoint has no parent to put the copy under; the last one has nothing next."""
    graph = side.graph(chain())
    graph.invoke({"lines": ["given"]}, config())
    history = graph.get_state_history(config())
    copies = [graph.update_state(one.config, None, as_node="__copy__") for one in (history[-1], history[0])]
    made = [graph.get_state(one) for one in copies]
    assert [one.values for one in made] == [history[-1].values, history[0].values]
    return made, graph.invoke(None, copies[0]), side.seen(graph)


def copied_and_edited(side: Side) -> Any:
    """A copy with updates in one call, as tools that edit and run again do it."""
    graph = side.graph(chain())
    graph.invoke({"lines": ["given"]}, config())
    middle = found_before(graph, "c")
    made = graph.update_state(middle.config, [StateUpdate({"lines": ["edited"]}, "b")], as_node="__copy__")
    result = graph.invoke(None, made)
    assert result["lines"] == ["given", "a after None", "b after a", "edited", "c after b"]
    return result, side.seen(graph)


def started_by_an_update(side: Side) -> Any:
    """update_state on a thread that is not there yet, as a node and as the input."""
    graph = side.graph(chain())
    graph.update_state(config(), {"lines": ["by hand"], "last": "hand"}, as_node="a")
    result = graph.invoke(None, config())
    assert result["lines"] == ["by hand", "b after hand", "c after b"]
    graph.update_state(config("u"), {"lines": ["as input"]}, as_node="__input__")
    return result, side.seen(graph), graph.invoke(None, config("u")), side.seen(graph, "u")


def many_updates_at_once(side: Side) -> Any:
    graph = side.graph(chain())
    graph.bulk_update_state(
        config(),
        [
            [StateUpdate({"lines": ["one"]}, "a"), StateUpdate({"lines": ["two"]}, "b")],
            [StateUpdate({"lines": ["three"], "last": "x"}, "b")],
        ],
    )
    state = graph.get_state(config())
    assert (state.values["lines"], state.next) == (["one", "two", "three"], ("c",))
    return graph.invoke(None, config()), side.seen(graph)


def ended_by_hand(side: Side) -> Any:
    """update_state(None, as_node=END) drops what is next."""
    graph = side.graph(chain(), interrupt_before=["b"])
    graph.invoke({"lines": ["given"]}, config())
    graph.update_state(config(), None, as_node=END)
    ended = graph.get_state(config())
    assert ended.next == ()
    return ended, side.seen(graph)


def back_to_a_question(side: Side) -> Any:
    """Time travel to a question asks it again, and the other answer makes another branch."""

    def ask(state: Log) -> Any:
        return {"lines": [interrupt("which?")]}

    builder = StateGraph(Log)
    builder.add_node("ask", ask)
    builder.add_node("end", lambda state: {"last": state["lines"][-1]})
    builder.add_edge(START, "ask")
    builder.add_edge("ask", "end")
    graph = side.graph(builder)
    graph.invoke({}, config())
    waiting = graph.get_state(config()).config
    left = graph.invoke(Command(resume="left"), config())
    again = graph.invoke(None, waiting)
    assert again["__interrupt__"][0].value == "which?"
    right = graph.invoke(Command(resume="right"), config())
    assert (left["last"], right["last"]) == ("left", "right")
    return left, again, right, side.seen(graph)


def an_answer_for_the_past(side: Side) -> Any:
    """Command(resume=...) with the id of the checkpoint that waited, though the thread has moved on."""

    builder = StateGraph(Log)
    builder.add_node("ask", lambda state: {"lines": [interrupt("which?")]})
    builder.add_edge(START, "ask")
    graph = side.graph(builder)
    graph.invoke({}, config())
    waiting = graph.get_state(config()).config
    result = [graph.invoke(Command(resume=answer), waiting) for answer in ("one", "two")]
    return result, side.seen(graph)


def from_a_checkpoint_that_is_not_there(side: Side) -> Any:
    """Nothing is found under that id, so there is nothing to continue from."""
    graph = side.graph(chain())
    graph.invoke({"lines": ["given"]}, config())
    missing = config("t", new_id())
    assert side.calls.get_tuple(missing) is None
    state = graph.get_state(missing)
    assert (state.values, state.next, state.created_at) == ({}, (), None)
    with pytest.raises(EmptyInputError):
        graph.invoke(None, missing)
    with pytest.raises(InvalidUpdateError):
        graph.update_state(missing, None, as_node="__copy__")
    return side.seen(graph)


@pytest.mark.parametrize(
    "scenario",
    [
        replayed,
        replayed_from_every_checkpoint,
        edited_in_the_past,
        branches_of_branches,
        copied,
        copied_at_the_root_and_at_the_head,
        copied_and_edited,
        started_by_an_update,
        many_updates_at_once,
        ended_by_hand,
        back_to_a_question,
        an_answer_for_the_past,
        from_a_checkpoint_that_is_not_there,
    ],
    ids=lambda one: one.__name__,
)
def test_as_in_memory(same, scenario) -> None:
    same(scenario)
