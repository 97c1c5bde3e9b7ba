"""LangGraph threads as Holdfast shows them: what ran, what is next, who waits; forks and diffs.

LangGraph's savers have nothing like it; the expectations are `get_state`'s `next` and `interrupts` of the same graph.
"""

from __future__ import annotations

import asyncio
import random
from operator import add
from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.messages import HumanMessage
from langgraph.func import entrypoint, task
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, Send, interrupt

import holdfast
from holdfast.adapters.langgraph import HoldfastSaver
from tests.adapters.langgraph.driver import Side, chain, config, put


class Log(TypedDict, total=False):
    lines: Annotated[list[str], add]


def a(state: Log) -> Any:
    return {"lines": ["a"]}


def b(state: Log) -> Any:
    return {"lines": ["b"]}


def ask(state: Log) -> Any:
    return {"lines": [interrupt("?")]}


def ask_twice(state: Log) -> Any:
    return {"lines": [interrupt("one?"), interrupt("two?")]}


def fails(state: Log) -> Any:
    raise RuntimeError("meant to")


def latest(saver: HoldfastSaver, thread_id: str = "t") -> holdfast.Checkpoint[Any]:
    found = saver.store.thread(thread_id).latest()
    assert found is not None
    return found


def waiting(saver: HoldfastSaver) -> list[str]:
    return [info.id for info in saver.store.threads(where={"status": "interrupted"})]


def agrees(saver: HoldfastSaver, graph: Any, thread_id: str = "t") -> bool:
    """What is next natively is what LangGraph says is next, at every checkpoint of the root."""
    shown = {one.config["configurable"]["checkpoint_id"]: one for one in graph.get_state_history(config(thread_id))}
    native = saver.store.thread(thread_id).history(limit=None)
    assert {info.id for info in native} == set(shown)
    for info in native:
        assert set(info.next) - {START} == set(shown[info.id].next) - {START}, info
    return True


@pytest.mark.parametrize("mode", ["sync", "async", "exit"])
def test_a_graph_that_is_done(saver: HoldfastSaver, side: Side, mode: str) -> None:
    graph = side.graph(chain(Log, a, b))
    graph.invoke({"lines": ["given"]}, config(), durability=mode)
    found = latest(saver)
    assert (found.status, found.next, found.is_terminal) == ("completed", (), True)
    assert (waiting(saver), [info.status for info in saver.store.threads()]) == ([], ["completed"])
    assert agrees(saver, graph)


def test_what_ran_and_what_is_next(saver: HoldfastSaver, side: Side) -> None:
    graph = side.graph(chain(Log, a, b))
    graph.invoke({"lines": ["given"]}, config())
    history = saver.store.thread("t").history()
    assert [info.next for info in history][:3] == [(), ("b",), ("a",)]
    assert [info.node for info in history][:2] == ["b", "a"]
    assert [info.step for info in history] == [2, 1, 0, -1]
    assert [info.source for info in history] == ["loop", "loop", "loop", "input"]
    assert all(not info.is_terminal for info in history[1:])


def test_ids_steps_and_states_are_those_of_langgraph(saver: HoldfastSaver, side: Side) -> None:
    graph = side.graph(chain(Log, a, b))
    graph.invoke({"lines": ["given"]}, config())
    shown = graph.get_state_history(config())
    thread = saver.store.thread("t")
    assert [info.id for info in thread.history()] == [one.config["configurable"]["checkpoint_id"] for one in shown]
    for one in shown[:-1]:
        found = thread.load(one.config["configurable"]["checkpoint_id"])
        assert found is not None
        assert found.state["lines"] == one.values["lines"]
        assert found.parent_id == one.parent_config["configurable"]["checkpoint_id"]


def test_branches_are_next_together(saver: HoldfastSaver, side: Side) -> None:
    builder = chain(Log, a)
    builder.add_node("left", b)
    builder.add_node("right", b)
    builder.add_edge("a", "left")
    builder.add_edge("a", "right")
    graph = side.graph(builder, interrupt_after=["a"])
    graph.invoke({}, config())
    assert set(latest(saver).next) == {"left", "right"}
    graph.invoke(None, config())
    assert (latest(saver).next, latest(saver).status) == ((), "completed")
    assert agrees(saver, graph)


def test_sends_are_next(saver: HoldfastSaver, side: Side) -> None:
    builder = chain(Log, a)
    builder.add_node("work", lambda state: {"lines": [f"work {state['lines']}"]})
    builder.add_conditional_edges("a", lambda state: [Send("work", {"lines": [str(n)]}) for n in range(3)], ["work"])
    graph = side.graph(builder, interrupt_before=["work"])
    graph.invoke({}, config())
    assert set(latest(saver).next) == {"work"}
    assert latest(saver).status != "completed"
    graph.invoke(None, config())
    assert (latest(saver).next, latest(saver).status) == ((), "completed")
    assert agrees(saver, graph)


@pytest.mark.parametrize("mode", ["sync", "async", "exit"])
def test_a_graph_that_waits_is_interrupted(saver: HoldfastSaver, side: Side, mode: str) -> None:
    graph = side.graph(chain(Log, a, ask, b))
    graph.invoke({}, config(), durability=mode)
    side.graph(chain(Log, a)).invoke({}, config("done"), durability=mode)
    assert (latest(saver).status, latest(saver).next) == ("interrupted", ("ask",))
    assert waiting(saver) == ["t"]
    graph.invoke(Command(resume="yes"), config(), durability=mode)
    assert (latest(saver).status, waiting(saver)) == ("completed", [])
    assert agrees(saver, graph)


def test_it_waits_until_the_last_question_is_answered(saver: HoldfastSaver, side: Side) -> None:
    """The first answer is there as a RESUME; it is not the second's."""
    graph = side.graph(chain(Log, ask_twice, b))
    turns: list[Any] = [{}, Command(resume="one")]
    for given in turns:
        graph.invoke(given, config())
        assert (waiting(saver), latest(saver).next) == (["t"], ("ask_twice",))
    graph.invoke(Command(resume="two"), config())
    assert (waiting(saver), latest(saver).status) == ([], "completed")


def test_it_waits_while_one_of_two_is_unanswered(saver: HoldfastSaver, side: Side) -> None:
    builder = StateGraph(Log)
    for name in ("left", "right"):
        builder.add_node(name, lambda state, name=name: {"lines": [interrupt(name)]})
        builder.add_edge(START, name)
    graph = side.graph(builder)
    asked = {one.value: one.id for one in graph.invoke({}, config())["__interrupt__"]}
    graph.invoke(Command(resume={asked["left"]: "yes"}), config())
    assert waiting(saver) == ["t"]
    graph.invoke(Command(resume={asked["right"]: "yes"}), config())
    assert waiting(saver) == []


def test_a_question_from_a_subgraph_makes_the_thread_wait(saver: HoldfastSaver, side: Side) -> None:
    builder = StateGraph(Log)
    builder.add_node("inner", chain(Log, a, ask).compile())
    builder.add_edge(START, "inner")
    graph = side.graph(builder)
    graph.invoke({"lines": []}, config())
    assert (waiting(saver), latest(saver).next) == (["t"], ("inner",))
    graph.invoke(Command(resume="yes"), config())
    assert (waiting(saver), latest(saver).status) == ([], "completed")


def test_a_question_that_was_edited_away_waits_no_more(saver: HoldfastSaver, side: Side) -> None:
    graph = side.graph(chain(Log, ask, b))
    graph.invoke({}, config())
    graph.update_state(config(), {"lines": ["by hand"]}, as_node="ask")
    assert (waiting(saver), latest(saver).next) == ([], ("b",))


def test_one_that_failed_is_neither_done_nor_waiting(saver: HoldfastSaver, side: Side) -> None:
    graph = side.graph(chain(Log, a, fails, b))
    with pytest.raises(RuntimeError):
        graph.invoke({}, config())
    found = latest(saver)
    assert found.next == ("fails",)
    assert found.status not in ("completed", "interrupted")
    assert waiting(saver) == []


def test_a_question_after_a_failure_is_not_hidden_by_it(saver: HoldfastSaver, side: Side) -> None:
    turns = iter([RuntimeError("first"), None])

    def shaky(state: Log) -> Any:
        if error := next(turns, None):
            raise error
        return {"lines": [interrupt("?")]}

    graph = side.graph(chain(Log, shaky))
    with pytest.raises(RuntimeError):
        graph.invoke({}, config())
    graph.invoke(None, config())
    assert waiting(saver) == ["t"]


def test_entrypoints_wait_and_end_too(saver: HoldfastSaver, side: Side) -> None:
    @task
    def work() -> Any:
        return interrupt("?")

    @entrypoint(checkpointer=saver)
    def flow(given: str) -> str:
        return f"{given} {work().result()}"

    twin = side.on(flow)
    twin.invoke("given", config())
    assert waiting(saver) == ["t"]
    assert twin.invoke(Command(resume="yes"), config()) == "given yes"
    assert (waiting(saver), latest(saver).status) == ([], "completed")


def test_a_checkpoint_put_by_hand_says_what_is_next(saver: HoldfastSaver, side: Side) -> None:
    put(side.calls, {"branch:to:one": None, "branch:to:two": None, "lines": []})
    assert (set(latest(saver).next), latest(saver).is_terminal) == ({"one", "two"}, False)


# ------------------------------------------------------------------------------------------------ forks and diffs


def talk(side: Side, turns: int, size: int = 5) -> Any:
    rng = random.Random(7)

    def say(state: MessagesState) -> Any:
        place = len(state["messages"])
        return {"messages": [HumanMessage(rng.randbytes(size).hex(), id=f"m{place}")]}

    builder = StateGraph(MessagesState)
    builder.add_node("say", say)
    builder.add_edge(START, "say")
    graph = side.graph(builder)
    for n in range(turns):
        graph.invoke({"messages": [HumanMessage(f"turn {n}", id=f"given {n}")]}, config())
    return graph


def test_a_fork_is_a_thread_of_the_graph(saver: HoldfastSaver, side: Side) -> None:
    graph = talk(side, 3)
    before = graph.get_state(config())
    saver.store.thread("t").fork(to="fork")
    forked = graph.get_state(config("fork"))
    assert (forked.values, forked.next) == (before.values, before.next)
    result = graph.invoke({"messages": [HumanMessage("on the fork", id="f")]}, config("fork"))
    assert len(result["messages"]) == 8
    assert result["messages"][:6] == before.values["messages"]
    assert graph.get_state(config()).values == before.values
    graph.invoke({"messages": [HumanMessage("on the origin", id="o")]}, config())
    assert len(graph.get_state(config("fork")).values["messages"]) == 8


def test_a_fork_starts_at_an_older_checkpoint(saver: HoldfastSaver, side: Side) -> None:
    graph = side.graph(chain(Log, a, b))
    graph.invoke({"lines": ["given"]}, config())
    middle = next(one for one in graph.get_state_history(config()) if one.next == ("b",))
    saver.store.thread("t").fork(at=middle.config["configurable"]["checkpoint_id"], to="fork")
    assert [info.next for info in saver.store.thread("fork").history(limit=1)] == [("b",)]
    forked = graph.get_state(config("fork"))  # with what its tasks wrote, as a fork sees it
    assert (forked.values, forked.next) == ({"lines": ["given", "a", "b"]}, ())
    assert graph.invoke(None, config("fork")) == {"lines": ["given", "a", "b"]}


@pytest.mark.parametrize("edits", [None, {"lines": ["edited"]}])
def test_a_fork_of_a_checkpoint_that_waits_is_found_waiting(saver: HoldfastSaver, side: Side, edits: Any) -> None:
    graph = side.graph(chain(Log, ask))
    graph.invoke({"lines": ["given"]}, config())
    saver.store.thread("t").fork(at=latest(saver).id, to="fork", edits=edits)
    assert latest(saver, "fork").status == "interrupted"
    assert waiting(saver) == ["fork", "t"]
    assert saver.store.verify().ok


def test_a_forks_origin_may_be_deleted(saver: HoldfastSaver, side: Side) -> None:
    graph = talk(side, 2)
    expected = graph.get_state(config()).values
    saver.store.thread("t").fork(to="fork")
    side.calls.delete_thread("t")
    assert graph.get_state(config("fork")).values == expected


def test_a_fork_costs_the_same_however_long_the_thread(tmp_path: Any) -> None:
    """In bytes: less than one of its messages, of a thread of a hundred."""
    with HoldfastSaver.from_url(str(tmp_path / "forks.db")) as saver, Side(saver, "sync") as side:
        talk(side, 50, size=20_000)
        whole = saver.store.bytes_stored()
        for n in range(10):
            saver.store.thread("t").fork(to=f"fork {n}")
        grown = saver.store.bytes_stored() - whole
        assert grown <= 10 * 20_000, f"{grown} bytes for ten forks of {whole}"


def test_two_checkpoints_are_compared(saver: HoldfastSaver, side: Side) -> None:
    graph = talk(side, 2)
    shown = [one.config["configurable"]["checkpoint_id"] for one in graph.get_state_history(config())]
    changes = saver.store.thread("t").diff(shown[3], shown[0]).changes
    assert [(one.kind, one.path) for one in changes if one.path.startswith("messages")] == [
        ("added", "messages[2]"),
        ("added", "messages[3]"),
    ]
    assert {type(one.new) for one in changes if one.path.startswith("messages")} == {HumanMessage}


def test_the_async_store_is_the_same_data(saver: HoldfastSaver, side: Side) -> None:
    talk(side, 1)

    async def look() -> Any:
        return await saver.astore.thread("t").latest()

    found = asyncio.run(look())
    assert found.id == latest(saver).id
    assert [type(one) for one in found.state["messages"]] == [HumanMessage, HumanMessage]
