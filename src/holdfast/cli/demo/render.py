"""What the demo prints: the tree of both threads, the side effects, the bytes."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.cli.demo import agent

if TYPE_CHECKING:
    from rich.table import Table
    from rich.tree import Tree

    import holdfast


def tree(original: Sequence[holdfast.CheckpointInfo], retry: Sequence[holdfast.CheckpointInfo], taken_at: int) -> Tree:
    """Both threads, with the fork below the checkpoint it started from."""
    from rich.tree import Tree

    root = Tree(f"[bold]{agent.THREAD}[/]")
    for info in original:
        worker = "  [dim]worker 1[/]" if info.step < taken_at else "  [magenta]worker 2[/]"
        branch = root.add(_line(info) + worker)
        if info.step == agent.REWIND_TO:
            fork = branch.add(f"[bold]{retry[0].thread_id}[/]")
            for own in retry:
                fork.add(_line(own))
    return root


def _line(info: holdfast.CheckpointInfo) -> str:
    what = "fork, plan edited" if info.source == "fork" else info.node or info.source.replace("loop", "end")
    end = f"  [green]{info.status}[/]" if info.is_terminal else ""
    return f"step {info.step}  [cyan]…{info.id[-8:]}[/]  {what}{end}"


def effects(calls: Counter[str], done: Counter[str]) -> Table:
    """How often each side effect was called, and how often it happened."""
    from rich.table import Table

    table = Table(box=None, padding=(0, 2))
    for title in ("key", "called", "happened"):
        table.add_column(title, justify="left" if title == "key" else "right")
    for key in calls:
        table.add_row(key, _times(calls[key]), _times(done[key]))
    return table


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def sizes(on_disk: int, empty: int) -> Table:
    """The size of the file, compared with storing the whole state at each step."""
    from rich.table import Table

    table = Table(box=None, show_header=False, padding=(0, 2))
    table.add_column()
    table.add_column(justify="right")
    steps = len(agent.ORIGINAL) + len(agent.RETRY)
    table.add_row(f"the whole state as JSON at each of {steps} steps", f"{json_bytes():,}")
    table.add_row("Holdfast: the file on disk, both threads and the journal", f"{on_disk:,}")
    table.add_row("  of which an empty store already takes", f"{empty:,}")
    table.add_row("  so these threads take", f"{on_disk - empty:,}")
    return table


def json_bytes() -> int:
    """The bytes of the whole state as JSON, summed over all steps."""
    main = agent.states(agent.START, agent.ORIGINAL)
    branch = agent.states({**main[agent.REWIND_TO], **agent.EDITS}, agent.RETRY)
    return sum(len(json.dumps(state)) for state in main + branch)


def disk_usage(path: Path) -> int:
    """The bytes of the database and of the files that SQLite keeps beside it."""
    return sum(file.stat().st_size for file in path.parent.glob(f"{path.name}*"))


def empty_size() -> int:
    import holdfast

    with tempfile.TemporaryDirectory(prefix="holdfast-") as folder:
        path = Path(folder, "empty.db")
        holdfast.open(path).close()
        return disk_usage(path)


def next_steps(path: Path | None) -> list[str]:
    """Three things to try after the demo."""
    first = "" if path else "holdfast demo --path agents.db, then "
    return [
        f"see the whole history: {first}holdfast log {path or 'agents.db'} {agent.THREAD} --all",
        f'go back to a step yourself: thread.fork(at=thread.at(step=2).id, to="{agent.THREAD}-mine")',
        "read docs/how-to/durable-runs.md and write an agent that survives a kill",
    ]
