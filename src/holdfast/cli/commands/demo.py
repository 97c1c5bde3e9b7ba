"""`holdfast demo`: an agent whose worker is killed in the middle of a step, another that goes on, and a fork."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from holdfast.cli import support_agent as agent

if TYPE_CHECKING:
    from rich.console import Console

    import holdfast

PLAIN_WIDTH = 110
LONGEST = 30.0  # seconds that a worker may take before it is taken to hang


def command(
    path: Annotated[Path | None, typer.Option(help="Keep the database here instead of in a temporary folder.")] = None,
) -> None:
    """Kill an agent in the middle of a step, let another process go on, then rewind, fork and compare."""
    if path is None:
        with tempfile.TemporaryDirectory(prefix="holdfast-") as folder:
            _show(Path(folder, "agents.db"), kept=False)
        return
    for file in (path, _notes(path)):
        if file.exists():
            raise typer.BadParameter(f"{file} exists already; name a file that does not", param_hint="--path")
    _show(path, kept=True)


def _notes(path: Path) -> Path:
    """Where the desk notes what it did."""
    return path.with_name(f"{path.stem}-effects.jsonl")


def _show(path: Path, *, kept: bool) -> None:
    from holdfast.cli import support_show as show

    demo = Demo(path, _notes(path), _console())
    demo.headline("A support agent works on a thread; its process is killed in the middle of a step")
    demo.kill_the_first()
    demo.let_the_second_finish()
    demo.show_effects()
    demo.fork_and_compare()
    demo.headline("Bytes")
    demo.console.print(show.sizes(show.disk_usage(path), show.empty_size()))
    demo.headline("Next")
    for number, line in enumerate(show.next_steps(path if kept else None), 1):
        demo.console.print(f"  {number}. {line}", markup=False, soft_wrap=True)


def _console() -> Console:
    from rich.console import Console

    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=PLAIN_WIDTH)


@dataclass
class Demo:
    """The acts of the demo, and what they have shown so far."""

    path: Path
    notes: Path
    console: Console
    asked: Counter[str] = field(default_factory=Counter)
    saved: int = 0  # messages in the last checkpoint that worker 1 made

    def headline(self, text: str) -> None:
        self.console.print(f"\n[bold]{text}[/]\n")

    # ---------------------------------------------------------------- two workers

    def kill_the_first(self) -> None:
        with self._worker("worker 1", "--hangs-in", agent.DIES_IN) as process:
            for event in _events(process):
                self._heard("worker 1", event)
                self.saved = event.get("count", self.saved)
                if event["event"] == "hangs":
                    process.kill()
            process.wait()
        self.console.print(f"  [red]killed[/]    SIGKILL, process {process.pid} is gone: {self._unfinished()}")

    def _unfinished(self) -> str:
        import holdfast

        with holdfast.open(self.path) as store:
            (effect,) = store.thread(agent.THREAD).recover().unfinished
        return f"'{effect.name}' has happened, and no result of it is recorded"

    def let_the_second_finish(self) -> None:
        with self._worker("worker 2") as process:
            called = self._watch(process)
        if process.returncode:
            raise RuntimeError(f"worker 2 ended with exit code {process.returncode}")
        acts = [act for turn in agent.ORIGINAL for act in turn.acts]
        known = [act for act in acts[: acts.index(agent.DIES_IN)] if act not in called]
        self.console.print(f"  [magenta]worker 2[/]  not called again, their results were recorded: {', '.join(known)}")

    def _watch(self, process: subprocess.Popen[str]) -> set[str]:
        """The names of what was called."""
        called = set()
        for event in _events(process):
            self._heard("worker 2", event)
            if event["event"] == "acted":
                called.add(event["name"])
        process.wait()
        return called

    @contextmanager
    def _worker(self, name: str, *options: str) -> Iterator[subprocess.Popen[str]]:
        command = [sys.executable, "-m", "holdfast.cli.support_worker", str(self.path), str(self.notes), name]
        process = subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True)  # noqa: S603  # our own
        self.console.print(f"  {name}  process {process.pid}")
        watchdog = threading.Timer(LONGEST, process.kill)
        watchdog.start()
        try:
            with process:
                yield process
        finally:
            watchdog.cancel()

    def _heard(self, worker: str, event: dict[str, Any]) -> None:
        if event["event"] == "acted":
            self.asked[event["key"]] += 1
        text = _SAID[event["event"]].format(**event) if event["event"] in _SAID else ""
        if event["event"] == "acted":
            text += ": the desk knows the key, and does nothing" if event["known"] else ": happened"
        if event["event"] == "took":
            text += ", the run goes on" if event["resumed"] else ", a new run"
        if text:
            self.console.print(f"  {worker}  {text}", markup=False)

    # ---------------------------------------------------------------- what came of it

    def show_effects(self) -> None:
        from holdfast.cli import support_show as show
        from holdfast.cli.support_desk import happened

        done = Counter(happened(self.notes))
        self.headline("Every side effect happened once")
        self.console.print(show.effects(self.asked, done))
        if any(count != 1 for count in done.values()) or set(done) != set(self.asked):
            raise RuntimeError(f"a side effect did not happen exactly once: {dict(done)}")

    def fork_and_compare(self) -> None:
        import holdfast
        from holdfast.cli import support_show as show

        with holdfast.open(self.path) as store:
            original = store.thread(agent.THREAD)
            middle = _at(original, agent.REWIND_TO)
            acts = dict.fromkeys(one.name for one in original.effects_after(middle.id) if one.key)
            retry = self._continued(original.fork(at=middle.id, edits=agent.EDITS, to=f"{agent.THREAD}-retry"))
            main = list(reversed(original.history(limit=None)))
            branch = _own(retry, main)
            self.headline(f"Step {agent.REWIND_TO} was then forked, edited and continued")
            self.console.print(f"  done after that step, and not undone by a fork: {', '.join(acts)}\n")
            self.console.print(show.tree(main, branch, self.saved))
            self.headline("The fork's end compared with the original at the same step")
            end = branch[-1].step
            self.console.print(str(retry.diff(_at(original, end), _at(retry, end))), markup=False, soft_wrap=True)

    def _continued(self, fork: holdfast.Thread[agent.State]) -> holdfast.Thread[agent.State]:
        from holdfast.cli.support_desk import Desk, work

        def unheard(event: str, **what: Any) -> None: ...

        with fork.run(worker="demo") as run:
            work(run, fork.id, agent.RETRIED, Desk(self.notes, unheard), unheard)
        return fork


_SAID = {
    "took": "took the thread",
    "waits": "waits: the lease of the one before runs out in {seconds:.1f} s",
    "saved": "saved   {node}",
    "acted": "called  {name}",
    "left": "done, and gave the thread back",
}


def _events(process: subprocess.Popen[str]) -> Iterator[dict[str, Any]]:
    """What a worker says, as it says it."""
    for line in process.stdout or ():
        yield json.loads(line)


def _own(fork: Any, origin: list[holdfast.CheckpointInfo]) -> list[holdfast.CheckpointInfo]:
    """A fork also lists the past that it shares."""
    known = {info.id for info in origin}
    return [info for info in reversed(fork.history(limit=None)) if info.id not in known]


def _at(thread: Any, step: int) -> Any:
    found = thread.at(step=step)
    if found is None:
        raise LookupError(f"{thread.id} has no step {step}")
    return found
