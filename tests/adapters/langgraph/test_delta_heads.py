"""No delta channel is emptied by prune, a retention or collect, whatever the metadata of the head says.

The counters in a put's metadata are LangGraph's alone. A head that does not have them, of another graph, a copy or
another implementation, keeps what its channels are made of: what is stored decides.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.channels.untracked_value import UntrackedValue
from langgraph.checkpoint.serde.types import _DeltaSnapshot
from langgraph.checkpoint.sqlite import SqliteSaver

import holdfast
from holdfast import Retention, Store
from holdfast.adapters.langgraph import HoldfastSaver
from holdfast.adapters.langgraph.importer import import_threads
from tests.adapters.langgraph.driver import Side, Twin, chain, config, ids, put
from tests.adapters.langgraph.test_delta import built, history, line

COUNTED: Any = {"source": "loop", "step": 0, "parents": {}, "counters_since_delta_snapshot": {"log": (1, 1)}}


def store(side: Side) -> Store:
    assert isinstance(side.saver, HoldfastSaver)
    return side.saver.store


def _by_saver(side: Side) -> None:
    side.calls.prune(["t"], strategy="keep_latest")


def _by_thread(side: Side) -> None:
    store(side).thread("t").prune(Retention(keep_last=1))


def _by_store(side: Side) -> None:
    store(side).prune(Retention(keep_last=1))


@pytest.fixture(params=[_by_saver, _by_thread, _by_store], ids=lambda one: one.__name__[1:])
def pruned(request: pytest.FixtureRequest, side: Side) -> Callable[[], None]:
    """Prunes in each of the ways there are, frees what no thread needs, and finds nothing damaged."""

    def prune() -> None:
        request.param(side)
        store(side).collect()
        assert store(side).verify().ok

    return prune


def counted(calls: Twin, count: int) -> list[str]:
    """Checkpoints under each other, each with one write to `log`, and with the counters that say that it is open."""
    made: list[str] = []
    for n in range(count):
        parent = made[-1] if made else None
        made.append(put(calls, {}, parent=parent, versions={"log": n + 1}, metadata=COUNTED))
        calls.put_writes(config("t", made[-1], ""), [("log", [n])], f"task {n}")
    return made


@pytest.mark.parametrize("later", [1, 3])
def test_a_head_without_counters_keeps_what_its_parent_had_open(
    calls: Twin, pruned: Callable[[], None], later: int
) -> None:
    """As the turn of a graph without delta channels leaves it: the version is the same, and there is no value."""
    made = counted(calls, 4)
    for n in range(later):
        made.append(put(calls, {"n": n}, parent=made[-1], versions={"log": 4, "n": n}, new={"n": n}))
    expected = history(calls, ["log"])
    assert len(expected["log"]["writes"]) == 4
    pruned()
    assert history(calls, ["log"]) == expected


def test_a_copied_head_without_counters_keeps_what_the_original_had_open(
    calls: Twin, pruned: Callable[[], None]
) -> None:
    """As update_state(…, as_node="__copy__") of LangGraph up to 1.2.12 puts it: beside the original, nothing new. The
    parent, the first checkpoint of the thread, does not have the channel at all."""
    first = put(calls, {"n": 1})
    calls.put_writes(config("t", first, ""), [("log", ["given"])], "task")
    put(calls, {"n": 1}, parent=first, versions={"n": 1, "log": 1}, new={"log": 1}, metadata=COUNTED)
    put(calls, {"n": 1}, parent=first, versions={"n": 1, "log": 1}, new={})
    expected = history(calls, ["log"])
    assert expected["log"]["writes"] == [("task", "log", ["given"])]
    pruned()
    assert history(calls, ["log"]) == expected


def test_a_channel_is_open_after_a_snapshot_of_the_parent(calls: Twin, pruned: Callable[[], None]) -> None:
    """A new version, no value and no counters."""
    made = line(calls, 6, {2: _DeltaSnapshot(["two"])})
    expected = history(calls, ["log"], made[-1])
    assert expected["log"]["seed"] == _DeltaSnapshot(["two"])
    assert len(expected["log"]["writes"]) == 3
    pruned()
    assert history(calls, ["log"], made[-1]) == expected
    assert len(calls.list(config())) <= 4


def test_a_stored_value_closes_a_channel(calls: Twin, pruned: Callable[[], None]) -> None:
    made = counted(calls, 3)
    put(calls, {"log": ["whole"]}, parent=made[-1], versions={"log": 9})
    pruned()
    assert ids(calls.list(config())) != made
    assert len(calls.list(config())) == 1


def test_the_turn_of_a_graph_without_delta_channels_keeps_those_of_another(
    side: Side, pruned: Callable[[], None]
) -> None:
    class Notes(TypedDict, total=False):
        notes: str

    def note(state: Notes) -> Any:
        return {"notes": "noted"}

    graph, other = built(side, 2), side.graph(chain(Notes, note))
    expected = graph.get_state(config()).values
    other.invoke({"notes": ""}, config())
    pruned()
    kept = graph.get_state(config()).values
    assert (kept["lines"], kept["counts"]) == (expected["lines"], expected["counts"])


@pytest.mark.parametrize("forked", [False, True])
def test_a_native_update_keeps_the_open_channels(side: Side, pruned: Callable[[], None], forked: bool) -> None:
    graph = built(side, 2)
    expected = graph.get_state(config()).values
    thread = store(side).thread("t")
    if forked:
        thread.fork(to="fork", edits={"note": "edited"})
        thread.delete()
        store(side).thread("fork").prune(Retention(keep_last=1))
    else:
        thread.update({"note": "edited"})
    pruned()
    kept = graph.get_state(config("fork" if forked else "t")).values
    assert (kept["lines"], kept["counts"]) == (expected["lines"], expected["counts"])


# ------------------------------------------------------------------------------------------------ writes alone


@pytest.mark.parametrize("ns", ["", "child", "child:1"])
def test_channels_that_were_only_ever_written_to_keep_their_writes(
    calls: Twin, pruned: Callable[[], None], ns: str
) -> None:
    """New versions, no value anywhere, no counters."""
    put(calls, {"n": 1})
    made = line(calls, 5, ns=ns) if ns else line(calls, 5)
    expected = history(calls, ["log"], ns=ns)
    assert len(expected["log"]["writes"]) == 4
    pruned()
    assert history(calls, ["log"], ns=ns) == expected
    put(calls, {}, parent=made[-1], versions={"log": 6}, ns=ns)
    pruned()
    assert len(history(calls, ["log"], ns=ns)["log"]["writes"]) == 5


def test_a_plain_value_that_writes_follow_is_kept(calls: Twin, pruned: Callable[[], None]) -> None:
    """As the first turn after a channel became a delta channel leaves it."""
    line(calls, 5, {1: ["plain"]})
    expected = history(calls, ["log"])
    assert (expected["log"]["seed"], len(expected["log"]["writes"])) == (["plain"], 3)
    pruned()
    assert history(calls, ["log"]) == expected
    assert len(calls.list(config())) == 1


def test_a_put_that_calls_nothing_new_keeps_them_too(calls: Twin, pruned: Callable[[], None]) -> None:
    made = line(calls, 3)
    put(calls, {}, parent=made[-1], versions={"log": 99}, new={})
    expected = history(calls, ["log"])
    assert len(expected["log"]["writes"]) == 3
    pruned()
    assert history(calls, ["log"]) == expected


def test_channels_that_are_never_stored_hold_nothing_back(side: Side, pruned: Callable[[], None]) -> None:
    """An untracked channel has versions and no value, and no writes: what it was given is not to be stored."""

    class Secret(TypedDict, total=False):
        key: Annotated[str, UntrackedValue]
        said: str

    def use(state: Secret) -> Any:
        return {"said": state["key"], "key": "next"}

    graph = side.graph(chain(Secret, use))
    for n in range(3):
        graph.invoke({"key": f"key {n}"}, config())
    pruned()
    assert store(side).stats().checkpoints == 1


# ------------------------------------------------------------------------------------------------ in other places


def _forked(side: Side, folder: Path) -> HoldfastSaver:
    store(side).thread("t").fork(to="moved")
    return saver(side)


def _copied(side: Side, folder: Path) -> HoldfastSaver:
    side.calls.copy_thread("t", "moved")
    return saver(side)


def _copied_to_another_store(side: Side, folder: Path) -> HoldfastSaver:
    other = holdfast.open(folder / "other.db")
    store(side).thread("t").fork(to="moved")
    holdfast.copy(store(side), other, ["moved"])
    return HoldfastSaver(other)


def _exported(side: Side, folder: Path) -> HoldfastSaver:
    other = holdfast.open(folder / "other.db")
    side.calls.copy_thread("t", "moved")
    store(side).export(["moved"], folder / "t.bundle")
    other.import_(folder / "t.bundle")
    return HoldfastSaver(other)


def saver(side: Side) -> HoldfastSaver:
    assert isinstance(side.saver, HoldfastSaver)
    return side.saver


@pytest.mark.parametrize("seeds", [{}, {1: _DeltaSnapshot(["seed"])}], ids=["writes", "snapshot"])
@pytest.mark.parametrize(
    "moved", [_forked, _copied, _copied_to_another_store, _exported], ids=lambda one: one.__name__[1:]
)
def test_a_thread_that_was_moved_keeps_them(
    side: Side, tmp_path: Path, moved: Callable[[Side, Path], HoldfastSaver], seeds: dict[int, Any]
) -> None:
    """The original is deleted, the other pruned, and what is not needed collected."""
    line(side.calls, 5, seeds)
    expected = history(side.calls, ["log"])
    target = moved(side, tmp_path)
    side.calls.delete_thread("t")
    with Side(target, "sync") as other:
        other.calls.prune(["moved"], strategy="keep_latest")
        target.store.collect()
        assert history(other.calls, ["log"], thread_id="moved") == expected
        assert target.store.verify().ok
    if target.store is not store(side):
        target.store.close()


def test_removing_runs_keeps_what_later_ones_are_made_of(calls: Twin, side: Side) -> None:
    made: list[str] = []
    for n in range(4):
        said = {"source": "loop", "step": n, "parents": {}, "run_id": f"r{n}"}
        parent = made[-1] if made else None
        made.append(put(calls, {}, parent=parent, versions={"log": n + 1}, metadata=said))
        calls.put_writes(config("t", made[-1], ""), [("log", [n])], f"task {n}")
    expected = history(calls, ["log"])
    for runs in (["r0"], ["r1", "r2"]):
        calls.delete_for_runs(runs)
        store(side).collect()
        assert history(calls, ["log"]) == expected


@pytest.mark.parametrize("seeds", [{}, {1: _DeltaSnapshot(["seed"])}], ids=["writes", "snapshot"])
def test_what_was_imported_keeps_them(side: Side, tmp_path: Path, pruned: Callable[[], None], seeds: Any) -> None:
    path = str(tmp_path / "official.sqlite")
    with SqliteSaver.from_conn_string(path) as official, Side(official, "sync") as source:
        line(source.calls, 5, seeds)
        expected = history(source.calls, ["log"])
    assert import_threads(path, saver(side)).problems == ()
    pruned()
    assert history(side.calls, ["log"]) == expected
