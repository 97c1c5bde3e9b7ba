"""Repair where a channel's value is made of what was written along the way: no checkpoint stays with another state."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.channels.delta import DeltaChannel
from langgraph.graph import START, StateGraph

import holdfast
from holdfast import Store
from holdfast.adapters.langgraph import HoldfastSaver

CONFIG: Any = {"configurable": {"thread_id": "t"}}


def extend(state: list[str], writes: Any) -> list[str]:
    return [*state, *(line for written in writes for line in written)]


class Log(TypedDict, total=False):
    lines: Annotated[list[str], DeltaChannel(extend)]


def graph(store: Store) -> Any:
    builder = StateGraph(Log)
    builder.add_node("answer", lambda state: {"lines": [f"answer {len(state['lines'])}"]})
    builder.add_edge(START, "answer")
    return builder.compile(checkpointer=HoldfastSaver(store))


def states(store: Store) -> dict[str, Any]:
    return {one.config["configurable"]["checkpoint_id"]: one.values for one in graph(store).get_state_history(CONFIG)}


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    path = tmp_path_factory.mktemp("delta") / "agents.db"
    with holdfast.open(path) as store:
        for n in range(3):
            graph(store).invoke({"lines": [f"question {n}"]}, CONFIG)
        return path, states(store)


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE settled SET body = x'00' WHERE seq = (SELECT max(seq) FROM settled WHERE seq < 5)",
        "UPDATE checkpoint SET node = 'damaged' WHERE seq = 4",
        "DELETE FROM checkpoint WHERE seq = 4",
    ],
)
def test_what_is_made_of_what_is_lost_goes_with_it(sound: tuple[Path, Any], tmp_path: Path, damage: str) -> None:
    path, before = sound
    shutil.copy(path, tmp_path / "agents.db")
    connection = sqlite3.connect(tmp_path / "agents.db")
    assert connection.execute(damage).rowcount == 1
    connection.commit()
    connection.close()
    with holdfast.open(tmp_path / "agents.db") as store:
        plan = store.verify()
        said, report = store.repair(plan, dry_run=True), store.repair(plan)
        after = states(store)
        assert said.lost == report.lost
        assert after
        assert {name: before[name] for name in after} == after
        assert before.keys() - after.keys() <= {one.checkpoint_id for one in report.lost}
        assert report.unrepaired == store.verify().faults == ()
