"""A process that runs a graph up to a moment, reports it, and waits there to be killed.

``python -m tests.adapters.langgraph.worker URL FOLDER MOMENT SIDE``
"""

from __future__ import annotations

import asyncio
import sys
import threading
from collections import Counter
from operator import add
from pathlib import Path
from typing import Annotated, Any, Final, NoReturn, TypedDict

from langgraph.graph import START, StateGraph

from tests.adapters.langgraph.driver import Side, Stored, config, open_saver

GIVEN: Final = {"lines": ["given"]}


class Log(TypedDict, total=False):
    lines: Annotated[list[str], add]


def builder(folder: Path) -> Any:
    """start, then left and right, then end. Each leaves a line in the folder when it is called."""
    found = StateGraph(Log)

    def node(name: str) -> Any:
        def call(state: Log) -> Any:
            with (folder / "calls").open("a") as calls:
                calls.write(f"{name}\n")
            return {"lines": [name]}

        return call

    for name in ("start", "left", "right", "end"):
        found.add_node(name, node(name))
    found.add_edge(START, "start")
    found.add_edge("start", "left")
    found.add_edge("start", "right")
    found.add_edge(["left", "right"], "end")
    return found


def called(folder: Path) -> Counter[str]:
    path = folder / "calls"
    return Counter(path.read_text().split()) if path.exists() else Counter()


class Halting:
    """Lets a saver continue until the moment has come, which is always before a certain checkpoint is put."""

    def __init__(self, saver: Any, moment: str, marker: Path) -> None:
        self._stored = Stored(saver)
        self._moment = moment
        self._marker = marker
        put, aput, put_writes = saver.put, saver.aput, saver.put_writes

        def halting_put(*args: Any) -> Any:
            self._maybe_halt(args[1])
            return put(*args)

        async def halting_aput(*args: Any) -> Any:
            await asyncio.to_thread(self._maybe_halt, args[1])
            return await aput(*args)

        def halting_put_writes(config: Any, writes: Any, task_id: str, task_path: str = "") -> None:
            if moment == "after one write" and ("lines", ["right"]) in writes:
                threading.Event().wait()
            put_writes(config, writes, task_id, task_path)

        saver.put, saver.aput, saver.put_writes = halting_put, halting_aput, halting_put_writes

    def _maybe_halt(self, checkpoint: Any) -> None:
        if self._moment == "before the first checkpoint":
            self._halt()
        if "right" in checkpoint["channel_values"].get("lines", []):
            self._stored.wait(*([["left"]] if self._moment == "after one write" else [["left"], ["right"]]))
            self._halt()

    def _halt(self) -> NoReturn:
        self._marker.touch()
        print("halted", flush=True)
        while True:
            threading.Event().wait()


def main(url: str, folder: Path, moment: str, half: str) -> None:
    saver = open_saver(url)
    Halting(saver, moment, folder / "marker")
    with Side(saver, half) as side:
        side.graph(builder(folder)).invoke(GIVEN, config(), durability="sync")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3], sys.argv[4])
