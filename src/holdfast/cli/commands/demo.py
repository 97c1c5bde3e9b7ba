"""`holdfast demo`: a small agent thread, saved, rewound, forked and compared."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from holdfast.cli import support_agent as agent

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.tree import Tree

    import holdfast

PLAIN_WIDTH = 110


@dataclass(frozen=True, slots=True)
class Result:
    """What the demo shows, once the store is closed again."""

    original: list[holdfast.CheckpointInfo]
    retry: list[holdfast.CheckpointInfo]
    difference: str


def command(
    path: Annotated[Path | None, typer.Option(help="Keep the database here instead of in a temporary folder.")] = None,
) -> None:
    """Save a small agent thread, rewind it, fork it and compare: all on one SQLite file."""
    if path is None:
        with tempfile.TemporaryDirectory(prefix="holdfast-") as folder:
            _show(Path(folder, "agents.db"), kept=False)
    elif path.exists():
        raise typer.BadParameter(f"{path} exists already; name a file that does not", param_hint="--path")
    else:
        _show(path, kept=True)


def _show(path: Path, *, kept: bool) -> None:
    console = _console()
    result = play(path)
    console.print("[bold]A support agent worked ten steps; step 4 was then forked, edited and continued[/]\n")
    console.print(tree(result))
    console.print("\n[bold]The fork's end compared with the original at the same step[/]\n")
    console.print(result.difference, markup=False, soft_wrap=True)
    console.print("\n[bold]Bytes[/]\n")
    console.print(sizes(disk_usage(path), _empty_size()))
    console.print("\n[bold]Next[/]\n")
    for number, line in enumerate(next_steps(path if kept else None), 1):
        console.print(f"  {number}. {line}", markup=False, soft_wrap=True)


def _console() -> Console:
    from rich.console import Console

    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=PLAIN_WIDTH)


def play(path: Path) -> Result:
    """Everything the demo does with a store."""
    import holdfast

    with holdfast.open(path) as store:
        original = store.thread("support/42", metadata={"user": "ada"})
        main = _save_turns(original, agent.START, agent.ORIGINAL)

        middle = _at(original, agent.REWIND_TO)
        retry = original.fork(at=middle.id, edits=agent.EDITS, to="support/42-retry")
        _save_turns(retry, {**middle.state, **agent.EDITS}, agent.RETRY)

        known = {info.id for info in main}  # a fork also lists the past that it shares
        branch = [info for info in reversed(retry.history(limit=100)) if info.id not in known]
        difference = str(retry.diff(_at(original, branch[-1].step), _at(retry, branch[-1].step)))
    return Result(main, branch, difference)


def _save_turns(thread: Any, start: agent.State, turns: tuple[agent.Turn, ...]) -> list[holdfast.CheckpointInfo]:
    return [
        thread.save(state, node=turn.node, next=turn.next, status=turn.status)
        for turn, state in zip(turns, agent.states(start, turns), strict=True)
    ]


def _at(thread: Any, step: int) -> Any:
    found = thread.at(step=step)
    if found is None:
        raise LookupError(f"{thread.id} has no step {step}")
    return found


def tree(result: Result) -> Tree:
    """Both threads, the fork hanging from the checkpoint it came from."""
    from rich.tree import Tree

    root = Tree("[bold]support/42[/]")
    for info in result.original:
        branch = root.add(_line(info))
        if info.step == agent.REWIND_TO:
            fork = branch.add("[bold]support/42-retry[/]")
            for own in result.retry:
                fork.add(_line(own))
    return root


def _line(info: holdfast.CheckpointInfo) -> str:
    what = "fork, plan edited" if info.source == "fork" else info.node
    end = f"  [green]{info.status}[/]" if info.is_terminal else ""
    return f"step {info.step}  [cyan]…{info.id[-8:]}[/]  {what}{end}"


def sizes(on_disk: int, empty: int) -> Table:
    """What the file takes, beside what whole states would."""
    from rich.table import Table

    table = Table(box=None, show_header=False, padding=(0, 2))
    table.add_column()
    table.add_column(justify="right")
    steps = len(agent.ORIGINAL) + len(agent.RETRY)
    table.add_row(f"the whole state as JSON at each of {steps} steps", f"{json_bytes():,}")
    table.add_row("Holdfast: the file on disk, both threads", f"{on_disk:,}")
    table.add_row("  of which an empty store already takes", f"{empty:,}")
    table.add_row("  so these threads take", f"{on_disk - empty:,}")
    return table


def json_bytes() -> int:
    """What it would take to write the whole state at every step."""
    main = agent.states(agent.START, agent.ORIGINAL)
    branch = agent.states({**main[agent.REWIND_TO], **agent.EDITS}, agent.RETRY)
    return sum(len(json.dumps(state)) for state in main + branch)


def disk_usage(path: Path) -> int:
    """The bytes of the database and of the files SQLite keeps beside it."""
    return sum(file.stat().st_size for file in path.parent.glob(f"{path.name}*"))


def _empty_size() -> int:
    import holdfast

    with tempfile.TemporaryDirectory(prefix="holdfast-") as folder:
        path = Path(folder, "empty.db")
        holdfast.open(path).close()
        return disk_usage(path)


def next_steps(path: Path | None) -> list[str]:
    """Three things to try after the demo."""
    keep = f"open {path} from Python" if path else "holdfast demo --path agents.db, then open it from Python"
    return [
        f'{keep}: holdfast.open("{path or "agents.db"}").thread("support/42").history()',
        'go back yourself: thread.fork(at=thread.at(step=2).id, to="support/42-mine")',
        "read docs/tutorial/first-thread.md, and save a thread of your own",
    ]
