"""How many Python functions of Holdfast a call goes through: `python -m bench.traces`.

Only functions whose source is in the package count, and every time that one is resumed; the figures are the same on
every machine. A file switch is a call of a function in another file than the call before it. `python -m bench.traces
--show` lists the calls, indented by depth.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import holdfast

_ROOT = str(Path(holdfast.__file__).parent)


class Call(NamedTuple):
    file: str
    line: int
    function: str
    depth: int


class Trace(NamedTuple):
    name: str
    calls: list[Call]

    @property
    def figures(self) -> tuple[int, int, int, int, int]:
        """Calls, distinct functions, files, file switches and the greatest depth."""
        files = [call.file for call in self.calls]
        switches = sum(a != b for a, b in pairwise(files))
        functions = {(call.file, call.line) for call in self.calls}
        return len(self.calls), len(functions), len(set(files)), switches, max(call.depth for call in self.calls)


@contextmanager
def recorded(calls: list[Call]) -> Iterator[None]:
    """Record each call of a function of the library that this thread makes."""
    depth = 0

    def profile(frame: FrameType, event: str, _: Any) -> None:
        nonlocal depth
        code = frame.f_code
        if not code.co_filename.startswith(_ROOT):
            return
        if event == "call":
            depth += 1
            calls.append(Call(code.co_filename.removeprefix(_ROOT + "/"), code.co_firstlineno, code.co_name, depth))
        elif event == "return":
            depth -= 1

    sys.setprofile(profile)
    try:
        yield
    finally:
        sys.setprofile(None)


def warm_save(folder: Path) -> list[Call]:
    """The third save of a thread on SQLite, with a warm cache."""
    calls: list[Call] = []
    with holdfast.open(folder / "save.db") as store:
        thread = store.thread("t")
        for step in range(2):
            thread.save(_state(step), node="agent")
        with recorded(calls):
            thread.save(_state(2), node="agent")
    return calls


def cold_latest(folder: Path) -> list[Call]:
    """The first read of a thread after the store was opened again."""
    calls: list[Call] = []
    with holdfast.open(folder / "latest.db") as store:
        for step in range(3):
            store.thread("t").save(_state(step), node="agent")
    with holdfast.open(folder / "latest.db") as store:
        thread = store.thread("t")
        with recorded(calls):
            assert thread.latest() is not None
    return calls


def _state(step: int) -> dict[str, Any]:
    return {
        "messages": [{"role": "user", "content": f"message {n} " + "x" * 200} for n in range(step + 1)],
        "step": step,
    }


def saver_put(folder: Path) -> list[Call]:
    """`HoldfastSaver.put` of the 21st message, with the writes of the step before to be settled."""
    from langchain_core.messages import HumanMessage
    from langgraph.checkpoint.base import empty_checkpoint

    from holdfast.adapters.langgraph import HoldfastSaver

    calls: list[Call] = []
    with HoldfastSaver.from_url(str(folder / "put.db")) as saver:
        config: Any = {"configurable": {"thread_id": "t", "checkpoint_ns": ""}}
        messages: list[Any] = []
        for step in range(21):
            message = HumanMessage(f"message {step} " + "x" * 200, id=str(step))
            if step:
                saver.put_writes(config, [("messages", [message])], task_id=f"task-{step}")
            messages = [*messages, message]
            version = f"{step + 1:032}.0"
            checkpoint: Any = {
                **empty_checkpoint(),
                "channel_values": {"messages": messages},
                "channel_versions": {"messages": version},
            }
            put = saver.put
            arguments: Any = (
                config,
                checkpoint,
                {"source": "loop", "step": step, "parents": {}},
                {"messages": version},
            )
            if step < 20:
                config = put(*arguments)
            else:
                with recorded(calls):
                    put(*arguments)
    return calls


TRACES: dict[str, Callable[[Path], list[Call]]] = {
    "warm save": warm_save,
    "cold latest": cold_latest,
    "HoldfastSaver.put": saver_put,
}


def main(arguments: list[str]) -> None:
    print(f"{'':20}{'calls':>8}{'functions':>11}{'files':>7}{'switches':>10}{'depth':>7}")
    for name, trace in TRACES.items():
        with tempfile.TemporaryDirectory() as folder:
            calls = trace(Path(folder))
        total, functions, files, switches, depth = Trace(name, calls).figures
        print(f"{name:20}{total:8}{functions:11}{files:7}{switches:10}{depth:7}")
        if "--show" in arguments:
            for call in calls:
                print("  " * call.depth + f"{call.file}:{call.line} {call.function}")


if __name__ == "__main__":
    main(sys.argv[1:])
