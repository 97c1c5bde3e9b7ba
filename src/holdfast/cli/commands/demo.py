"""`holdfast demo`: a worker that is killed in the middle of a step, a second one that resumes the run, and a fork."""

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

from holdfast.cli.demo import agent

if TYPE_CHECKING:
    from rich.console import Console

    import holdfast

PLAIN_WIDTH = 110
TIMEOUT = 30.0  # seconds after which a worker is killed


def command(
    path: Annotated[Path | None, typer.Option(help="Keep the database here instead of in a temporary folder.")] = None,
) -> None:
    """Kill an agent in the middle of a step, and resume it. Then rewind the thread, fork it and compare."""
    if path is None:
        with tempfile.TemporaryDirectory(prefix="holdfast-") as folder:
            _show(Path(folder, "agents.db"), keeps_file=False)
        return
    for file in (path, _effects_file(path)):
        if file.exists():
            raise typer.BadParameter(f"{file} already exists; name a new file", param_hint="--path")
    _show(path, keeps_file=True)


def _effects_file(path: Path) -> Path:
    """The file in which the service records the side effects."""
    return path.with_name(f"{path.stem}-effects.jsonl")


def _show(path: Path, *, keeps_file: bool) -> None:
    from holdfast.cli.demo import render

    demo = Demo(path, _effects_file(path), _console())
    demo.headline("A support agent works on a thread; its process is killed in the middle of a step")
    demo.kill_the_first()
    demo.let_the_second_finish()
    demo.show_effects()
    demo.fork_and_compare()
    demo.headline("Bytes")
    demo.console.print(render.sizes(render.disk_usage(path), render.empty_size()))
    demo.headline("Next")
    for number, line in enumerate(render.next_steps(path if keeps_file else None), 1):
        demo.console.print(f"  {number}. {line}", markup=False, soft_wrap=True)


def _console() -> Console:
    from rich.console import Console

    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=PLAIN_WIDTH)


@dataclass
class Demo:
    """The scenes of the demo, and what they have shown so far."""

    path: Path
    effects: Path
    console: Console
    calls: Counter[str] = field(default_factory=Counter)
    saved: int = 0  # messages in the last checkpoint that worker 1 made

    def headline(self, text: str) -> None:
        self.console.print(f"\n[bold]{text}[/]\n")

    # ---------------------------------------------------------------- two workers

    def kill_the_first(self) -> None:
        with self._worker("worker 1", "--hangs-in", agent.DIES_IN) as process:
            for event in _events(process):
                self._report("worker 1", event)
                self.saved = event.get("count", self.saved)
                if event["event"] == "hangs":
                    process.kill()
            process.wait()
        self.console.print(f"  [red]killed[/]    SIGKILL: process {process.pid} was killed: {self._unfinished()}")

    def _unfinished(self) -> str:
        import holdfast

        with holdfast.open(self.path) as store:
            (effect,) = store.thread(agent.THREAD).recover().unfinished
        return f"'{effect.name}' has happened, but its result is not recorded"

    def let_the_second_finish(self) -> None:
        with self._worker("worker 2") as process:
            called = self._watch(process)
        if process.returncode:
            raise RuntimeError(f"worker 2 ended with exit code {process.returncode}")
        acts = [act for turn in agent.ORIGINAL for act in turn.acts]
        recorded = [act for act in acts[: acts.index(agent.DIES_IN)] if act not in called]
        names = ", ".join(recorded)
        self.console.print(f"  [magenta]worker 2[/]  not called again, because the result was recorded: {names}")

    def _watch(self, process: subprocess.Popen[str]) -> set[str]:
        """Show what the worker does; return the names of the calls it made."""
        called = set()
        for event in _events(process):
            self._report("worker 2", event)
            if event["event"] == "acted":
                called.add(event["name"])
        process.wait()
        return called

    @contextmanager
    def _worker(self, name: str, *options: str) -> Iterator[subprocess.Popen[str]]:
        command = [sys.executable, "-m", "holdfast.cli.demo.worker", str(self.path), str(self.effects), name]
        process = subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True)  # noqa: S603  # our own
        self.console.print(f"  {name}  process {process.pid}")
        watchdog = threading.Timer(TIMEOUT, process.kill)
        watchdog.start()
        try:
            with process:
                yield process
        finally:
            watchdog.cancel()

    def _report(self, worker: str, event: dict[str, Any]) -> None:
        if event["event"] == "acted":
            self.calls[event["key"]] += 1
        text = _TEXTS[event["event"]].format(**event) if event["event"] in _TEXTS else ""
        if event["event"] == "acted":
            text += ": the service knows the key and does nothing" if event["known"] else ": happened"
        if event["event"] == "took":
            text += ", resumed the run" if event["resumed"] else ", started a run"
        if text:
            self.console.print(f"  {worker}  {text}", markup=False)

    # ---------------------------------------------------------------- the result

    def show_effects(self) -> None:
        from holdfast.cli.demo import render
        from holdfast.cli.demo.world import happened

        done = Counter(happened(self.effects))
        self.headline("Every side effect happened once")
        self.console.print(render.effects(self.calls, done))
        if any(count != 1 for count in done.values()) or set(done) != set(self.calls):
            raise RuntimeError(f"a side effect did not happen exactly once: {dict(done)}")

    def fork_and_compare(self) -> None:
        import holdfast
        from holdfast.cli.demo import render

        with holdfast.open(self.path) as store:
            original = store.thread(agent.THREAD)
            middle = _at(original, agent.REWIND_TO)
            acts = dict.fromkeys(effect.name for effect in original.effects_after(middle.id) if effect.key)
            retry = self._continued(original.fork(at=middle.id, edits=agent.EDITS, to=f"{agent.THREAD}-retry"))
            main = list(reversed(original.history(limit=None)))
            branch = _own(retry, main)
            self.headline(f"Step {agent.REWIND_TO} was then forked, edited and continued")
            self.console.print(f"  done after that step, and not undone by the fork: {', '.join(acts)}\n")
            self.console.print(render.tree(main, branch, self.saved))
            self.headline("The fork's end compared with the original at the same step")
            end = branch[-1].step
            self.console.print(str(retry.diff(_at(original, end), _at(retry, end))), markup=False, soft_wrap=True)

    def _continued(self, fork: holdfast.Thread[agent.State]) -> holdfast.Thread[agent.State]:
        from holdfast.cli.demo.world import Service, work

        def ignore(event: str, **details: Any) -> None: ...

        with fork.run(worker="demo") as run:
            work(run, fork.id, agent.RETRIED, Service(self.effects, ignore), ignore)
        return fork


_TEXTS = {
    "took": "took the thread",
    "waits": "waits: the lease of the first worker runs out in {seconds:.1f} s",
    "saved": "saved   {node}",
    "acted": "called  {name}",
    "left": "done, and released the thread",
}


def _events(process: subprocess.Popen[str]) -> Iterator[dict[str, Any]]:
    """The events that a worker prints, as they arrive."""
    for line in process.stdout or ():
        yield json.loads(line)


def _own(fork: Any, origin: list[holdfast.CheckpointInfo]) -> list[holdfast.CheckpointInfo]:
    """The fork's own checkpoints, without the history that it shares."""
    shared = {info.id for info in origin}
    return [info for info in reversed(fork.history(limit=None)) if info.id not in shared]


def _at(thread: Any, step: int) -> Any:
    checkpoint = thread.at(step=step)
    if checkpoint is None:
        raise LookupError(f"{thread.id} has no step {step}")
    return checkpoint
