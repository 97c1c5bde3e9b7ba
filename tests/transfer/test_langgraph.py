"""What LangGraph saved: ids of its own, checkpoints saved again, late or without their parents, writes before and after
a step was settled. Moved to another store, a saver there shows the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from langgraph.graph import START, StateGraph
from langgraph.types import Command

import holdfast
from holdfast._drive import run
from holdfast.adapters.langgraph import HoldfastSaver
from holdfast.backends.rows import SettledRow
from tests.adapters.langgraph.driver import config
from tests.adapters.langgraph.fuzz_board import THREADS
from tests.adapters.langgraph.fuzz_values import full_text
from tests.adapters.langgraph.fuzzing import Game
from tests.adapters.langgraph.test_graphs_subgraphs import Log, around, ask, inner, note

GAMES = 6


def listed(saver: HoldfastSaver, thread: str) -> list[dict[str, str]]:
    """All that a saver shows of a thread, in all namespaces, as texts."""
    return [{name: full_text(value) for name, value in one._asdict().items()} for one in saver.list(config(thread))]


@pytest.mark.parametrize("number", range(GAMES))
def test_a_saver_on_the_target_shows_what_one_on_the_source_shows(number: int, tmp_path: Path) -> None:
    with (
        Game(f"moved/{number}", tmp_path) as game,
        holdfast.open("memory:") as copied,
        holdfast.open("memory:") as other,
    ):
        game.play()
        source = game.worlds[1].saver(0)
        holdfast.copy(source.store, copied)
        source.store.export(None, tmp_path / "all.bundle")
        other.import_(tmp_path / "all.bundle")
        for target in (HoldfastSaver(copied), HoldfastSaver(other)):
            for thread in THREADS:
                assert listed(target, thread) == listed(source, thread), thread
        assert holdfast.copy(source.store, copied).checkpoints == 0


def test_an_interrupted_graph_is_pulled_and_continues(tmp_path: Path) -> None:
    """From a store in use to another one; there it is answered, and the first one still waits."""
    with holdfast.open(tmp_path / "production.db") as production, holdfast.open("memory:") as laptop:
        one = around(inner(note, ask)).compile(checkpointer=HoldfastSaver(production))
        one.invoke({"lines": ["given"]}, config("t"))
        holdfast.copy(production, laptop, ["t"])
        other = around(inner(note, ask)).compile(checkpointer=HoldfastSaver(laptop))
        assert other.get_state(config("t"), subgraphs=True) == one.get_state(config("t"), subgraphs=True)
        done = other.invoke(Command(resume="yes"), config("t"))
        assert done["lines"][-2:] == ["said yes", "after"]
        assert one.get_state(config("t")).next == ("child",)
        assert one.invoke(Command(resume="yes"), config("t")) == done


def test_settled_writes_stay_references(tmp_path: Path) -> None:
    """What a task wrote is in the checkpoint after it: the target does not store it twice either."""
    builder = StateGraph(Log)
    builder.add_node("say", lambda state: {"lines": ["x" * 20_000 + str(len(state["lines"]))]})
    builder.add_edge(START, "say")
    with holdfast.open(tmp_path / "source.db") as source, holdfast.open("memory:") as target:
        graph = builder.compile(checkpointer=HoldfastSaver(source))
        for _ in range(10):
            graph.invoke({"lines": ["given"]}, config("t"))
        holdfast.copy(source, target)
        assert listed(HoldfastSaver(target), "t") == listed(HoldfastSaver(source), "t")
        assert sealed_sizes(target) == sealed_sizes(source)


def sealed_sizes(store: holdfast.Store) -> list[int]:
    """How large the rows of settled writes are, but for the numbers of logs in them."""
    backend = store._calls.engine.backend
    (tree,) = run(backend.trees, 0, 10)
    found = [len(row.body) // 20 for row in run(backend.scan, SettledRow, tree, (), 1000)]
    assert len(found) > 9
    return sorted(found)
