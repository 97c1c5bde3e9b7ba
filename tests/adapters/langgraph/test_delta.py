"""Channels that store only what was added: rebuilt from the writes of their ancestors, which nothing may cut off.

`get_delta_channel_history` is held to the contract in its docstring; where LangGraph's savers differ, it is said.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from operator import add
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.channels.delta import DeltaChannel
from langgraph.checkpoint.serde.types import _DeltaSnapshot
from langgraph.graph import START, StateGraph
from langgraph.types import Command, Overwrite, Send, interrupt

from holdfast.adapters.langgraph import HoldfastSaver
from tests.adapters.langgraph.driver import Side, Twin, chain, checkpoint, config, ids, put

# ------------------------------------------------------------------------------------------------ graphs


def extend(state: list[str], writes: Any) -> list[str]:
    return [*state, *(line for write in writes for line in write)]


def merge(state: dict[str, int], writes: Any) -> dict[str, int]:
    found = dict(state)
    for write in writes:
        found.update(write)
    return found


class Log(TypedDict, total=False):
    lines: Annotated[list[str], DeltaChannel(extend, snapshot_frequency=3)]
    counts: Annotated[dict[str, int], DeltaChannel(merge, snapshot_frequency=100)]
    plain: Annotated[list[str], add]


def a(state: Log) -> Any:
    return {"lines": [f"a after {len(state['lines'])}"], "counts": {"a": len(state["lines"])}, "plain": ["a"]}


def b(state: Log) -> Any:
    return {"lines": [f"b after {len(state['lines'])}"], "counts": {"b": len(state["lines"])}, "plain": ["b"]}


def ask(state: Log) -> Any:
    return {"lines": [f"said {interrupt('?')}"]}


def grows(side: Side, mode: str) -> Any:
    """Past several snapshots, and at every checkpoint in between."""
    graph = side.graph(chain(Log, a, b))
    result = [graph.invoke({"lines": [f"turn {n}"]}, config(), durability=mode) for n in range(5)]
    assert len(result[-1]["lines"]) == 15
    assert graph.get_state(config()).values == result[-1]
    return result, side.seen(graph)


def travels(side: Side, mode: str) -> Any:
    """Branches see the writes on their own path, and no others."""
    graph = side.graph(chain(Log, a, b))
    for n in range(2):
        graph.invoke({"lines": [f"turn {n}"]}, config(), durability=mode)
    old = graph.get_state_history(config())
    start = old[1].config
    branch = graph.update_state(start, {"lines": ["by hand"]})
    result = [graph.invoke(None, branch, durability=mode), graph.invoke(None, start, durability=mode)]
    assert [graph.get_state(one.config).values for one in old] == [one.values for one in old]
    assert "by hand" in result[0]["lines"]
    assert "by hand" not in result[1]["lines"]
    return result, side.seen(graph)


def copies(side: Side, mode: str) -> Any:
    """as_node="__copy__" of a checkpoint between two snapshots."""
    graph = side.graph(chain(Log, a, b))
    graph.invoke({"lines": ["turn 0"]}, config(), durability="sync")
    graph.invoke({"lines": ["turn 1"]}, config(), durability=mode)
    middle = graph.get_state_history(config())[0]
    made = graph.get_state(graph.update_state(middle.config, None, as_node="__copy__"))
    assert made.values == middle.values
    return graph.invoke({"lines": ["turn 2"]}, config(), durability=mode), side.seen(graph)


def waits(side: Side, mode: str) -> Any:
    graph = side.graph(chain(Log, a, ask, b))
    given: list[Any] = [{"lines": ["given"]}, Command(resume="yes"), {"lines": ["more"]}, Command(resume="no")]
    steps = side.each(graph, *given, durability=mode)
    assert [line.split()[0] for line in steps[-1][0]["lines"]] == ["given", "a", "said", "b", "more", "a", "said", "b"]
    return steps


def overwrites(side: Side, mode: str) -> Any:
    def reset(state: Log) -> Any:
        return {"lines": Overwrite(["anew"])}

    graph = side.graph(chain(Log, a, reset, b))
    result = [graph.invoke({"lines": [f"turn {n}"]}, config(), durability=mode) for n in range(2)]
    assert result[-1]["lines"] == ["anew", "b after 1"]
    return result, side.seen(graph)


def shares_out(side: Side, mode: str) -> Any:
    """The order of parallel tasks is that of their paths; task ids would shuffle them."""
    builder = chain(Log, a)
    builder.add_node("work", lambda state: {"lines": state["plain"]})
    builder.add_conditional_edges("a", lambda state: [Send("work", {"plain": [f"w{n}"]}) for n in range(12)], ["work"])
    graph = side.graph(builder)
    result = graph.invoke({"lines": ["given"]}, config(), durability=mode)
    assert result["lines"][2:] == [f"w{n}" for n in range(12)]
    assert graph.get_state(config()).values["lines"] == result["lines"]
    return result, side.seen(graph)


def changes_its_kind(side: Side, mode: str) -> Any:
    """A thread that began with a plain channel continues with a delta channel, and back."""

    class Before(TypedDict, total=False):
        lines: Annotated[list[str], add]

    then = StateGraph(Before)
    then.add_node("old", lambda state: {"lines": ["old"]})
    then.add_edge(START, "old")
    turns = [side.graph(then), side.graph(chain(Log, a, b)), side.graph(chain(Log, b)), side.graph(then)]
    result = [graph.invoke({"lines": [f"turn {n}"]}, config(), durability=mode) for n, graph in enumerate(turns)]
    assert [line.split()[0] for line in result[-1]["lines"]] == [
        "turn",
        "old",
        "turn",
        "a",
        "b",
        "turn",
        "b",
        "turn",
        "old",
    ]
    return result, side.seen(turns[0])


@pytest.mark.parametrize("mode", ["sync", "async", "exit"])
@pytest.mark.parametrize(
    "scenario",
    [grows, travels, copies, waits, overwrites, shares_out, changes_its_kind],
    ids=lambda one: one.__name__,
)
def test_as_in_memory(same, scenario, mode: str) -> None:
    same(scenario, mode)


# ------------------------------------------------------------------------------------------------ history of a channel


def line(calls: Twin, count: int, seeds: dict[int, Any] | None = None, **place: Any) -> list[str]:
    """Checkpoints under each other, each with one write to `log`; those in `seeds` store a value of it."""
    made: list[str] = []
    for n in range(count):
        values = {"log": seeds[n]} if seeds and n in seeds else {}
        parent = made[-1] if made else None
        made.append(put(calls, values, parent=parent, versions={"log": n + 1}, new={"log": n + 1}, **place))
        where = config(place.get("thread_id", "t"), made[-1], place.get("ns", ""))
        calls.put_writes(where, [("log", [n]), ("other", -n)], f"task {n}", f"path {n}")
    return made


def history(calls: Twin, channels: list[str], id: str | None = None, ns: str = "", thread_id: str = "t") -> Any:
    return calls.get_delta_channel_history(config=config(thread_id, id, ns), channels=channels)


def test_writes_of_all_ancestors_oldest_first(calls: Twin) -> None:
    made = line(calls, 4)
    found = history(calls, ["log"], made[3])
    assert found == {"log": {"writes": [(f"task {n}", "log", [n]) for n in range(3)]}}


def test_the_checkpoints_own_writes_are_not_among_them(calls: Twin) -> None:
    made = line(calls, 1)
    assert history(calls, ["log"], made[0]) == {"log": {"writes": []}}


def test_it_stops_at_the_nearest_stored_value(calls: Twin) -> None:
    """The writes stored at that ancestor itself came after its value."""
    made = line(calls, 6, {1: _DeltaSnapshot(["one"]), 3: _DeltaSnapshot(["three"])})
    found = history(calls, ["log"], made[5])["log"]
    assert found["seed"] == _DeltaSnapshot(["three"])
    assert type(found["seed"]) is _DeltaSnapshot
    assert [value for _, _, value in found["writes"]] == [[3], [4]]


@pytest.mark.parametrize("seed", [[], 0, "", None, False, {}, ["plain"]], ids=repr)
def test_a_plain_value_is_a_seed_even_if_it_is_falsy(calls: Twin, seed: Any) -> None:
    made = line(calls, 3, {0: seed})
    found = history(calls, ["log"], made[2])["log"]
    assert found["seed"] == seed
    assert type(found["seed"]) is type(seed)
    assert [value for _, _, value in found["writes"]] == [[0], [1]]


def test_a_value_at_the_target_is_not_a_seed(calls: Twin) -> None:
    made = line(calls, 3, {2: ["here"]})
    assert "seed" not in history(calls, ["log"], made[2])["log"]


def test_each_channel_has_its_own_end(calls: Twin) -> None:
    made = line(calls, 5, {2: ["two"]})
    found = history(calls, ["log", "other", "nobody"], made[4])
    assert [value for _, _, value in found["log"]["writes"]] == [[2], [3]]
    assert found["other"] == {"writes": [(f"task {n}", "other", -n) for n in range(4)]}
    assert found["nobody"] == {"writes": []}
    assert list(found) == ["log", "other", "nobody"]


def test_an_unchanged_value_is_found_at_the_checkpoint_that_still_has_it(calls: Twin) -> None:
    """The version stands for the value: the nearest ancestor that has it ends the walk, though it did not store it."""
    first = put(calls, {"log": ["value"]}, versions={"log": 1})
    calls.put_writes(config("t", first, ""), [("log", ["too early"])], "task")
    second = put(calls, {"log": ["value"]}, parent=first, versions={"log": 1, "n": 1}, new={"n": 1})
    third = put(calls, {}, parent=second, versions={"log": 2, "n": 1}, new={"log": 2})
    assert history(calls, ["log"], third) == {"log": {"seed": ["value"], "writes": []}}


def test_only_the_path_to_the_root_counts(calls: Twin) -> None:
    made = line(calls, 2)
    calls.put_writes(config("t", made[1], ""), [("log", ["both"])], "task x", "path x")
    left = put(calls, {}, parent=made[1], versions={"log": 10})
    right = put(calls, {}, parent=made[1], versions={"log": 11})
    for branch, name in ((left, "left"), (right, "right")):
        calls.put_writes(config("t", branch, ""), [("log", [name])], "task")
    below = put(calls, {}, parent=left, versions={"log": 12})
    assert [value for _, _, value in history(calls, ["log"], below)["log"]["writes"]] == [[0], [1], ["both"], ["left"]]
    assert [value for _, _, value in history(calls, ["log"], right)["log"]["writes"]] == [[0], [1], ["both"]]


def test_within_a_checkpoint_the_task_path_decides(calls: Twin) -> None:
    """(task_path, task_id, index): of tasks without a path, which come first, the id decides."""
    first = put(calls, {}, versions={"log": 1})
    where = config("t", first, "")
    calls.put_writes(where, [("log", ["d"]), ("log", ["e"])], "task 1", "~2")
    calls.put_writes(where, [("log", ["c"])], "task 9", "~1")
    calls.put_writes(where, [("log", ["b"])], "task 5")
    calls.put_writes(where, [("log", ["a"])], "task 3")
    below = put(calls, {}, parent=first, versions={"log": 2})
    assert [value for _, _, value in history(calls, ["log"], below)["log"]["writes"]] == [
        ["a"],
        ["b"],
        ["c"],
        ["d"],
        ["e"],
    ]


def test_without_an_id_it_is_that_of_the_latest(calls: Twin) -> None:
    made = line(calls, 3)
    assert history(calls, ["log"]) == history(calls, ["log"], made[2])
    assert len(history(calls, ["log"])["log"]["writes"]) == 2


def test_namespaces_and_threads_are_apart(calls: Twin) -> None:
    line(calls, 2)
    line(calls, 3, ns="child:1")
    line(calls, 4, thread_id="other")
    found = [history(calls, ["log"]), history(calls, ["log"], ns="child:1"), history(calls, ["log"], thread_id="other")]
    assert [len(one["log"]["writes"]) for one in found] == [1, 2, 3]


def test_no_channels_and_no_thread(calls: Twin) -> None:
    assert history(calls, []) == {}
    assert history(calls, ["log"], thread_id="nobody") == {"log": {"writes": []}}
    line(calls, 2)
    assert history(calls, ["log"], "no such id") == {"log": {"writes": []}}


def test_it_stops_where_a_parent_is_not_known(calls: Twin) -> None:
    first = put(calls, {}, parent="long gone", versions={"log": 1})
    calls.put_writes(config("t", first, ""), [("log", [1])], "task")
    second = put(calls, {}, parent=first, versions={"log": 2})
    assert history(calls, ["log"], second) == {"log": {"writes": [("task", "log", [1])]}}


@pytest.fixture
def alarm() -> Iterator[None]:
    """Ends a loop that would not end, and would fill the memory."""

    def stop(*_: Any) -> None:
        pytest.fail("it goes round and round")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(5)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="needs SIGALRM")
def test_a_loop_of_parents_comes_to_an_end(saver: HoldfastSaver, alarm: None) -> None:
    """A checkpoint that is put again under its own descendant. SqliteSaver stops there; InMemorySaver would not."""
    with Side(saver, "sync") as side:
        made = line(side.calls, 3)
        put(side.calls, {}, id=made[0], parent=made[2], versions={"log": 1})
        found = history(side.calls, ["log"], made[2])
    assert [value for _, _, value in found["log"]["writes"]][-2:] == [[0], [1]]


def test_fifty_ancestors_are_read_in_one_pass(saver: HoldfastSaver, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not by a get for each, which the base class would do."""
    with Side(saver, "sync") as side:
        line(side.calls, 50)
        gets: list[Any] = []
        get_tuple = HoldfastSaver.get_tuple

        def counted(self: HoldfastSaver, asked: Any) -> Any:
            gets.append(asked)
            return get_tuple(self, asked)

        monkeypatch.setattr(HoldfastSaver, "get_tuple", counted)
        assert len(history(side.calls, ["log"])["log"]["writes"]) == 49
    assert len(gets) <= 1


# ------------------------------------------------------------------------------------------------ what removal leaves


def built(side: Side, turns: int, run_ids: list[str] | None = None) -> Twin:
    graph = side.graph(chain(Log, a, b))
    for n in range(turns):
        asked = {**config(), "metadata": {"run_id": run_ids[n]}} if run_ids else config()
        graph.invoke({"lines": [f"turn {n}"]}, asked)
    return graph


@pytest.mark.parametrize("turns", [1, 2, 3, 4])
def test_pruning_keeps_the_value_of_the_latest(side: Side, turns: int) -> None:
    graph = built(side, turns)
    state = graph.get_state(config())
    side.calls.prune(["t"], strategy="keep_latest")
    kept = graph.get_state(config())
    assert (kept.values, kept.next, kept.config) == (state.values, state.next, state.config)
    result = graph.invoke({"lines": ["after"]}, config())
    assert result["lines"][: len(state.values["lines"])] == state.values["lines"]
    assert len(result["lines"]) == 3 * turns + 3


def test_pruning_twice_keeps_it_too(side: Side) -> None:
    graph = built(side, 3)
    expected = graph.get_state(config()).values
    for _ in range(2):
        side.calls.prune(["t"], strategy="keep_latest")
    assert graph.get_state(config()).values == expected


def test_pruning_keeps_the_value_of_a_branch(side: Side) -> None:
    graph = built(side, 2)
    old = graph.get_state_history(config())[3]
    graph.update_state(old.config, {"lines": ["by hand"]})
    expected = graph.get_state(config()).values
    assert expected["lines"][-1] == "by hand"
    side.calls.prune(["t"], strategy="keep_latest")
    assert graph.get_state(config()).values == expected


def test_pruning_does_prune_what_no_delta_channel_needs(side: Side) -> None:
    """Of a long thread only what came since the last snapshots is left; `counts` has none, so it may not be written."""

    class Short(TypedDict, total=False):
        lines: Annotated[list[str], DeltaChannel(extend, snapshot_frequency=3)]

    builder = StateGraph(Short)
    builder.add_node("a", lambda state: {"lines": ["a"]})
    builder.add_edge(START, "a")
    graph = side.graph(builder)
    for n in range(10):
        graph.invoke({"lines": [f"turn {n}"]}, config())
    before = len(side.calls.list(config()))
    side.calls.prune(["t"], strategy="keep_latest")
    assert (before, len(side.calls.list(config())) <= 6) == (30, True)
    assert len(graph.get_state(config()).values["lines"]) == 20


def test_a_graph_without_delta_channels_is_pruned_to_one_checkpoint(side: Side) -> None:
    """Its emptied channels (branch:to:…) have versions without values too, and need no ancestors."""

    class Plain(TypedDict, total=False):
        lines: Annotated[list[str], add]

    builder = StateGraph(Plain)
    builder.add_node("a", lambda state: {"lines": ["a"]})
    builder.add_node("b", lambda state: {"lines": ["b"]})
    builder.add_edge(START, "a")
    builder.add_edge("a", "b")
    graph = side.graph(builder)
    for _ in range(3):
        graph.invoke({"lines": ["given"]}, config())
    state = graph.get_state(config())
    side.calls.prune(["t"], strategy="keep_latest")
    assert len(side.calls.list(config())) == 1
    assert graph.get_state(config()).values == state.values
    assert len(graph.invoke({"lines": ["more"]}, config())["lines"]) == 12


def test_deleting_an_earlier_run_keeps_what_later_ones_need(side: Side) -> None:
    graph = built(side, 4, ["r0", "r1", "r2", "r3"])
    expected = graph.get_state(config()).values
    side.calls.delete_for_runs(["r0", "r2"])
    assert graph.get_state(config()).values == expected
    side.calls.delete_for_runs(["r1"])
    assert graph.get_state(config()).values == expected
    assert len(graph.invoke({"lines": ["more"]}, config())["lines"]) == 15


def test_deleting_the_latest_run_goes_back_to_the_one_before(side: Side) -> None:
    graph = built(side, 1, ["r0"])
    expected = graph.get_state(config()).values
    graph.invoke({"lines": ["turn 1"]}, {**config(), "metadata": {"run_id": "r1"}})
    side.calls.delete_for_runs(["r1"])
    assert graph.get_state(config()).values == expected


def test_a_copied_thread_can_rebuild_its_channels(side: Side) -> None:
    graph = built(side, 3)
    side.calls.copy_thread("t", "copy")
    side.calls.delete_thread("t")
    found = graph.get_state_history(config("copy"))
    assert len(found) == 12
    assert len(found[0].values["lines"]) == 9
    assert len(graph.invoke({"lines": ["more"]}, config("copy"))["lines"]) == 12


def test_deleting_the_thread_deletes_the_writes(side: Side) -> None:
    graph = built(side, 2)
    side.calls.delete_thread("t")
    assert history(side.calls, ["lines", "counts"]) == {"lines": {"writes": []}, "counts": {"writes": []}}
    assert graph.invoke({"lines": ["anew"]}, config())["lines"] == ["anew", "a after 1", "b after 2"]


def test_a_snapshot_comes_back_as_one(calls: Twin) -> None:
    """Not as the tuple or list that it looks like: LangGraph recognises a snapshot by its class."""
    made = checkpoint({"log": _DeltaSnapshot([{"deep": ("tuple",)}])})
    stored = calls.put(config("t", ns=""), made, {}, {"log": 1})
    found = calls.get_tuple(stored).checkpoint["channel_values"]["log"]
    assert type(found) is _DeltaSnapshot
    assert list(found.value[0]["deep"]) == ["tuple"]
    assert ids(calls.list(config())) == [made["id"]]


def test_many_of_them(side: Side) -> None:
    """So many that the manifest is in a log: they are open there, between snapshots, and found again."""
    names = [f"lines {number}" for number in range(70)]
    kinds = {name: Annotated[list[str], DeltaChannel(extend, snapshot_frequency=3)] for name in names}
    many: Any = TypedDict("many", kinds, total=False)  # type: ignore[misc]

    def write(state: Any) -> Any:
        turn = len(state["lines 0"])
        return {"lines 0": [f"turn {turn}"], f"lines {turn % 70}": [f"also {turn}"]}

    graph = side.graph(chain(many, write))
    given: dict[str, list[str]] = {name: ["first"] for name in names}
    for turn in range(6):
        answer = graph.invoke(given if turn == 0 else {"lines 69": [f"turn {turn}"]}, config())
        assert graph.get_state(config()).values == answer
    assert (len(answer["lines 0"]), answer["lines 69"][-1], answer["lines 40"]) == (7, "turn 5", ["first"])
    side.calls.prune(["t"], strategy="keep_latest")
    assert graph.get_state(config()).values == answer
    saver: Any = side.saver
    assert saver.store.verify().faults == ()
    assert len(saver.store.collect().skipped) == 0
    assert graph.get_state(config()).values == answer
