"""Several at once on one store: writers of one thread, threads, event loops, readers within readers."""

from __future__ import annotations

import asyncio
import copy
import threading
from concurrent.futures import ThreadPoolExecutor
from operator import add
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.types import Command, interrupt

import holdfast
from holdfast.adapters.langgraph import HoldfastSaver
from tests.adapters.langgraph import test_graphs_interrupts, test_graphs_subgraphs, test_graphs_travel
from tests.adapters.langgraph.driver import PATIENCE, Side, chain, config, finishes, get, ids, open_saver, put, values
from tests.adapters.langgraph.plain import check_as_in_memory


class Log(TypedDict, total=False):
    lines: Annotated[list[str], add]


def a(state: Log) -> Any:
    return {"lines": ["a"]}


def b(state: Log) -> Any:
    return {"lines": ["b"]}


# ------------------------------------------------------------------------------------------------ two writers


def test_two_writers_of_one_thread_both_keep_what_they_wrote(opened) -> None:
    """As with every saver of LangGraph: two branches, and the latest is the one with the greater id."""
    with Side(opened(), "sync") as one, Side(opened(), "async") as other:
        root = put(one.calls, {"a": ["root"]})
        assert values(other.calls) == {"a": ["root"]}
        left = put(one.calls, {"a": ["root", "left"]}, parent=root, versions={"a": "2.left"})
        right = put(other.calls, {"a": ["root", "right"]}, parent=root, versions={"a": "2.right"})
        below = put(one.calls, {"a": ["root", "left", "l"]}, parent=left, versions={"a": "3.left"})
        for side in (one, other):
            assert ids(side.calls.list(config())) == [below, right, left, root]
            assert values(side.calls, right) == {"a": ["root", "right"]}
            assert values(side.calls, below) == {"a": ["root", "left", "l"]}
            assert get(side.calls, right).parent_config == get(side.calls, left).parent_config


def test_two_writers_with_the_same_version_of_a_channel_do_not_mix_what_they_read(opened) -> None:
    """LangGraph's versions have a random part against it; whole numbers do not. Each checkpoint has the value that one
    of them wrote, whole."""
    with Side(opened(), "sync") as one, Side(opened(), "sync") as other:
        root = put(one.calls, {"a": ["root"]})
        made = [
            put(side.calls, {"a": ["root", name]}, parent=root, versions={"a": 2})
            for side, name in ((one, "left"), (other, "right"))
        ]
        found = [values(one.calls, id)["a"] for id in made]
        assert all(one in (["root", "left"], ["root", "right"]) for one in found)


def test_two_graphs_on_one_thread_at_once(opened) -> None:
    """Each through a saver of its own: every checkpoint is whole, and continues from its parent."""
    together = threading.Barrier(2)

    def meet(state: Log) -> Any:
        together.wait(PATIENCE)
        return {"lines": [f"met after {state['lines'][-1]}"]}

    def run(name: str) -> Any:
        with Side(opened(), "async" if name == "x" else "sync") as side:
            return side.graph(chain(Log, meet, a, b)).invoke({"lines": [name]}, config(), durability="sync")

    with Side(opened(), "sync") as first:
        first.graph(chain(Log, a)).invoke({"lines": ["before"]}, config())
    with ThreadPoolExecutor(2) as pool:
        result = list(pool.map(run, ["x", "y"]))
    assert [one["lines"][-4:] for one in result] == [[name, f"met after {name}", "a", "b"] for name in ("x", "y")]
    with Side(opened(), "sync") as side:
        stored = side.calls.list(config())
        assert len(stored) == 3 + 2 * 5
        by_id = {one.checkpoint["id"]: one for one in stored}
        for one in stored:
            lines = one.checkpoint["channel_values"].get("lines", [])
            parent = one.parent_config and by_id[one.parent_config["configurable"]["checkpoint_id"]]
            before = parent.checkpoint["channel_values"].get("lines", []) if parent else []
            assert lines[: len(before)] == before


@pytest.mark.parametrize("savers", [1, 2])
def test_eight_threads_lose_nothing(opened, savers: int) -> None:
    shared = [opened() for _ in range(savers)]
    for saver in shared:
        saver.setup()

    def work(who: int) -> list[str]:
        with Side(shared[who % savers], "sync") as side:
            made: list[str] = []
            for n in range(10):
                parent = made[-1] if made else None
                made.append(put(side.calls, {"a": [who, n]}, parent=parent, versions={"a": f"{n}.{who}"}))
                side.calls.put_writes(config("t", made[-1], ""), [("a", n)], f"task {who}")
            return made

    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(work, range(8)))
    with Side(shared[0], "sync") as side:
        assert set(ids(side.calls.list(config()))) == {id for part in made for id in part}
        for who, part in enumerate(made):
            for n, id in enumerate(part):
                found = get(side.calls, id)
                assert found.checkpoint["channel_values"] == {"a": [who, n]}
                assert found.pending_writes == [(f"task {who}", "a", n)]


def test_threads_and_loops_share_a_saver(saver: HoldfastSaver) -> None:
    """Graphs in four threads, called sync, and in four event loops, called async; all through one saver."""
    together = threading.Barrier(8)

    def work(who: int) -> Any:
        with Side(saver, "async" if who % 2 else "sync") as side:
            graph = side.graph(chain(Log, a, b))
            together.wait(PATIENCE)
            result = [graph.invoke({"lines": [f"{who}.{n}"]}, config(f"t{who}")) for n in range(3)]
            return result[-1]["lines"], len(graph.get_state_history(config(f"t{who}")))

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(work, range(8)))
    for who, (lines, count) in enumerate(found):
        assert lines == [line for n in range(3) for line in (f"{who}.{n}", "a", "b")]
        assert count == 12


def test_one_loop_after_the_other(saver: HoldfastSaver) -> None:
    """asyncio.run ends its loop; the saver belongs to none."""
    graph = chain(Log, a).compile(checkpointer=saver)
    for n in range(3):
        result = asyncio.run(graph.ainvoke({"lines": [f"{n}"]}, config()))
    assert result["lines"] == ["0", "a", "1", "a", "2", "a"]
    assert graph.get_state(config()).values == result


def test_sync_calls_in_a_running_loop_do_not_hang(saver: HoldfastSaver) -> None:
    """A callback or a notebook: AsyncSqliteSaver and AsyncPostgresSaver refuse it."""

    async def main() -> Any:
        graph = chain(Log, a, b).compile(checkpointer=saver)
        await graph.ainvoke({"lines": ["async"]}, config())
        result = graph.invoke({"lines": ["sync"]}, config())
        await graph.aupdate_state(config(), {"lines": ["by hand"]})
        return result, graph.get_state(config()).values, len(list(graph.get_state_history(config())))

    result, state, count = finishes(lambda: asyncio.run(main()))
    assert result["lines"] == ["async", "a", "b", "sync", "a", "b"]
    assert (state["lines"][-1], count) == ("by hand", 9)


def test_a_run_that_is_cancelled_can_be_resumed(saver: HoldfastSaver) -> None:
    """Its node was in the middle of something; what came before it is there, and it is called again."""
    calls = []

    async def main() -> Any:
        reached, never = asyncio.Event(), asyncio.Event()

        async def slow(state: Log) -> Any:
            calls.append(state["lines"][-1])
            if len(calls) == 1:
                reached.set()
                await never.wait()
            return {"lines": ["slow"]}

        graph = chain(Log, a, slow, b).compile(checkpointer=saver)
        running = asyncio.create_task(graph.ainvoke({"lines": ["given"]}, config()))
        await reached.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        stopped = await graph.aget_state(config())
        return stopped, await graph.ainvoke(None, config())

    stopped, result = finishes(lambda: asyncio.run(main()))
    assert (stopped.values, stopped.next) == ({"lines": ["given", "a"]}, ("slow",))
    assert result["lines"] == ["given", "a", "slow", "b"]
    assert calls == ["a", "a"]


# ------------------------------------------------------------------------------------------------ nested readers


def test_a_get_inside_a_list(side: Side) -> None:
    """SqliteSaver waits for itself here, forever."""
    made = [put(side.calls, {"a": n}) for n in range(3)]

    def look() -> list[Any]:
        return [
            (found.checkpoint["id"], side.saver.get_tuple(found.config), list(side.saver.list(config(), limit=1)))
            for found in side.saver.list(config())
        ]

    async def alook() -> list[Any]:
        return [
            (
                found.checkpoint["id"],
                await side.saver.aget_tuple(found.config),
                [one async for one in side.saver.alist(config(), limit=1)],
            )
            async for found in side.saver.alist(config())
        ]

    found = finishes(look) if side.name == "sync" else finishes(lambda: asyncio.run(alook()))
    assert [id for id, _, _ in found] == made[::-1]
    assert [one.checkpoint["id"] for _, one, _ in found] == made[::-1]
    assert all(ids(inner) == [made[-1]] for _, _, inner in found)


def test_writes_inside_a_list(side: Side) -> None:
    """What was there is listed once each, whatever is put in between."""
    made = [put(side.calls, {"a": n}) for n in range(5)]

    def work() -> list[str]:
        seen = []
        for found in side.saver.list(config()):
            seen.append(found.checkpoint["id"])
            side.saver.put_writes(found.config, [("a", 1)], "task")
            with Side(side.saver, "sync") as inner:
                put(inner.calls, {"a": "more"}, thread_id="other")
        return seen

    async def awork() -> list[str]:
        seen = []
        async for found in side.saver.alist(config()):
            seen.append(found.checkpoint["id"])
            await side.saver.aput_writes(found.config, [("a", 1)], "task")
        return seen

    seen = finishes(work) if side.name == "sync" else finishes(lambda: asyncio.run(awork()))
    assert seen == made[::-1]
    assert all(get(side.calls, id).pending_writes == [("task", "a", 1)] for id in made)


def test_a_list_that_is_left_half_way_holds_nothing_up(saver: HoldfastSaver) -> None:
    with Side(saver, "sync") as side:
        for n in range(3):
            put(side.calls, {"a": n})
        left = saver.list(config())
        next(left)
        other = finishes(lambda: put(side.calls, {"a": "new"}))
        finishes(lambda: saver.delete_thread("other"))
        assert get(side.calls).checkpoint["id"] == other


def test_deleting_what_is_being_listed(saver: HoldfastSaver) -> None:
    with Side(saver, "sync") as side:
        for n in range(3):
            put(side.calls, {"a": n})

        def work() -> int:
            found = 0
            for _ in saver.list(config()):
                saver.delete_thread("t")
                found += 1
            return found

        assert 1 <= finishes(work) <= 3
        assert side.calls.list(config()) == []


# ------------------------------------------------------------------------------------------------ copies of the saver


def test_a_copy_of_a_saver_is_the_same_store(saver: HoldfastSaver) -> None:
    """LangGraph copies savers to give them another serializer."""
    with Side(saver, "sync") as one, Side(copy.copy(saver), "async") as other:
        first = put(one.calls, {"a": 1})
        second = put(other.calls, {"a": 2}, parent=first, versions={"a": 2})
        assert values(one.calls, second) == {"a": 2}
        assert values(other.calls, first) == {"a": 1}
        result = other.graph(chain(Log, a)).invoke({"lines": []}, config("g"))
        assert one.graph(chain(Log, a)).get_state(config("g")).values == result


def test_a_copy_made_in_the_middle_of_a_list(saver: HoldfastSaver) -> None:
    with Side(saver, "sync") as side:
        made = [put(side.calls, {"a": n}) for n in range(3)]
        listed = saver.list(config())
        first = next(listed)
        again = copy.copy(saver)
        assert finishes(lambda: ids(list(again.list(config())))) == made[::-1]
        assert [first.checkpoint["id"], *ids(list(listed))] == made[::-1]


# ------------------------------------------------------------------------------------------------ a single writer


def test_a_put_on_a_moved_head_is_a_conflict(opened) -> None:
    with Side(opened(single_writer=True), "sync") as one, Side(opened(single_writer=True), "async") as other:
        root = put(one.calls, {"a": 1})
        assert values(other.calls) == {"a": 1}
        head = put(one.calls, {"a": 2}, parent=root, versions={"a": 2})
        with pytest.raises(holdfast.Conflict) as refused:
            put(other.calls, {"a": "late"}, parent=root, versions={"a": 2.5})
        assert all(part in str(refused.value) for part in ("'t'", head)), (
            "it says which thread, and where its head is now"
        )
        assert ids(one.calls.list(config())) == [head, root]
        put(other.calls, {"a": 3}, parent=head, versions={"a": 3})


def test_two_that_start_a_thread_at_once_are_told_apart(opened) -> None:
    with Side(opened(single_writer=True), "sync") as one, Side(opened(single_writer=True), "sync") as other:
        assert one.calls.get_tuple(config()) is None
        assert other.calls.get_tuple(config()) is None
        first = put(one.calls, {"a": "one"})
        with pytest.raises(holdfast.Conflict):
            put(other.calls, {"a": "other"})
        assert ids(one.calls.list(config())) == [first]


def test_an_older_checkpoint_served_by_its_id_may_be_branched_from(opened) -> None:
    """Time travel: a caller that asked for it by its id meant it. Asking for the latest is not asking for that one."""
    with Side(opened(single_writer=True), "sync") as one, Side(opened(single_writer=True), "sync") as other:
        root = put(one.calls, {"a": 1})
        assert get(other.calls).checkpoint["id"] == root
        head = put(one.calls, {"a": 2}, parent=root, versions={"a": 2})
        with pytest.raises(holdfast.Conflict):
            put(other.calls, {"a": "late"}, parent=root, versions={"a": "l"})
        assert get(other.calls, root).checkpoint["id"] == root
        branch = put(other.calls, {"a": "branch"}, parent=root, versions={"a": "b"})
        assert ids(one.calls.list(config())) == [branch, head, root]


def test_other_threads_and_namespaces_have_their_own_heads(opened) -> None:
    with Side(opened(single_writer=True), "sync") as one, Side(opened(single_writer=True), "sync") as other:
        root = put(one.calls, {"a": 1})
        child = put(other.calls, {"a": 1}, ns="child:1")
        put(other.calls, {"a": 1}, thread_id="u")
        put(one.calls, {"a": 2}, parent=root, versions={"a": 2})
        put(other.calls, {"a": 2}, ns="child:1", parent=child, versions={"a": 2})
        assert len(one.calls.list(None)) == 5


def test_without_it_a_moved_head_is_just_a_branch(opened) -> None:
    with Side(opened(), "sync") as one, Side(opened(), "sync") as other:
        root = put(one.calls, {"a": 1})
        put(one.calls, {"a": 2}, parent=root, versions={"a": 2})
        put(other.calls, {"a": 3}, parent=root, versions={"a": 3})
        assert len(one.calls.list(config())) == 3


@pytest.mark.parametrize("slower", ["sync", "async"])
def test_a_graph_that_was_overtaken_stops(opened, slower: str) -> None:
    """A second run of the thread starts and ends while the first is in its node."""
    with Side(opened(single_writer=True), slower) as one, Side(opened(single_writer=True), "sync") as other:
        one.graph(chain(Log, a)).invoke({"lines": ["before"]}, config())
        ran = []

        def overtaken(state: Log) -> Any:
            other.graph(chain(Log, a, b)).invoke({"lines": ["faster"]}, config(), durability="sync")
            return {"lines": ["slow"]}

        def never(state: Log) -> Any:
            ran.append("never")
            return {"lines": ["never"]}

        with pytest.raises(holdfast.Conflict):
            one.graph(chain(Log, overtaken, a, never)).invoke({"lines": ["slower"]}, config(), durability="sync")
        found = other.graph(chain(Log, a, b)).get_state(config())
        assert found.values["lines"] == ["before", "a", "slower", "faster", "a", "b"]
        assert ran == []


def asks(state: Log) -> Any:
    return {"lines": [interrupt("?")]}


def test_one_writer_alone_notices_nothing(url: str) -> None:
    with open_saver(url, single_writer=True) as saver, Side(saver, "async") as side:
        graph = side.graph(chain(Log, a, asks, b))
        for turn in range(2):
            graph.invoke({"lines": [f"turn {turn}"]}, config())
            result = graph.invoke(Command(resume="yes"), config())
        assert len(result["lines"]) == 8


ALONE = [
    test_graphs_interrupts.twice_in_one_node,
    test_graphs_interrupts.edited_instead_of_answered,
    test_graphs_travel.replayed_from_every_checkpoint,
    test_graphs_travel.edited_in_the_past,
    test_graphs_travel.branches_of_branches,
    test_graphs_travel.back_to_a_question,
    test_graphs_subgraphs.asks_twice_from_two_levels_down,
    test_graphs_subgraphs.with_a_memory_of_its_own,
    test_graphs_subgraphs.travelled_within,
]


@pytest.mark.parametrize("scenario", ALONE, ids=lambda one: one.__name__)
def test_one_writer_alone_may_travel_in_time(url: str, scenario: Any) -> None:
    """The same scenarios as for every saver, with the same results."""
    with open_saver(url, single_writer=True) as saver, Side(saver, "sync") as side:
        check_as_in_memory(side, scenario)
