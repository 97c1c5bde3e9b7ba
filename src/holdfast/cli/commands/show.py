"""`holdfast show`: one checkpoint, with its state."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

import holdfast
from holdfast._json import record_to_json
from holdfast.cli.args.checkpoint_ref import HEAD, resolve, thread_name
from holdfast.cli.args.store_url import (
    JsonOption,
    NamespaceOption,
    StoreArgument,
    ThreadArgument,
    find_thread,
    open_existing,
)
from holdfast.cli.ui.humanize import ago, exactly, size
from holdfast.cli.ui.output import cell, columns, console, refuse, status_cell, write_json
from holdfast.cli.ui.render_value import PLAIN_WIDTH, Values

if TYPE_CHECKING:
    from rich.text import Text

Thread = holdfast.Thread[dict[str, Any]]
Loaded = holdfast.Checkpoint[dict[str, Any]]


def command(
    url: StoreArgument,
    thread: ThreadArgument,
    checkpoint: Annotated[
        str, typer.Argument(metavar="[CHECKPOINT]", help="The start or end of an id, HEAD, HEAD~2, label:NAME.")
    ] = HEAD,
    namespace: NamespaceOption = "",
    channel: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only this channel, in full. May be repeated.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show one checkpoint: its state and pending writes. Also where execution stood."""
    with open_existing(url) as store:
        shown = find_thread(store, thread, namespace)
        loaded = _loaded(shown, resolve(shown, checkpoint).id, channel)
    if as_json:
        write_json(record_to_json(loaded))
        return
    out = console()
    values = Values(out.width if out.is_terminal else PLAIN_WIDTH, full=bool(channel))
    for line in _lines(loaded, values):
        out.print(line)


def _loaded(thread: Thread, checkpoint_id: str, channels: list[str] | None) -> Loaded:
    loaded = thread.load(checkpoint_id, channels=channels or None)
    if loaded is None:
        refuse(f"checkpoint {checkpoint_id!r} of {thread_name(thread)} was just removed")
    missing = [name for name in channels or [] if name not in loaded.state]
    if missing:
        complete = thread.load(checkpoint_id)
        names = ", ".join(complete.state) if complete else ""
        refuse(f"checkpoint {checkpoint_id!r} has no channel {missing[0]!r}; it has: {names}")
    return loaded


def _lines(loaded: Loaded, values: Values) -> Iterator[Text]:
    yield from columns(list(_fields(loaded)))
    yield from _section("metadata", loaded.metadata, values)
    yield from _section("state", loaded.state, values)
    yield from _writes(loaded.pending_writes, values)
    if values.has_cut:
        yield cell("")
        yield cell("some values are cut: --channel NAME shows one channel in full, --json everything", "dim")


def _fields(loaded: Loaded) -> Iterator[list[Text]]:
    """The fields of a checkpoint that are not empty."""
    parent = loaded.parent_id or ""
    if parent and loaded.parent_thread_id != loaded.thread_id:
        parent += f" of {loaded.parent_thread_id}"
    yield [cell("checkpoint", "dim"), cell(loaded.id, "bold yellow")]
    yield [cell("status", "dim"), status_cell(loaded.status)]
    for name, value in (
        ("label", loaded.label),
        ("thread", loaded.thread_id),
        ("namespace", loaded.namespace),
        ("step", str(loaded.step)),
        ("node", loaded.node),
        ("next", ", ".join(loaded.next)),
        ("source", loaded.source),
        ("run", loaded.run_id),
        ("parent", parent),
        ("origin", loaded.origin),
        ("saved", f"{exactly(loaded.created_at)}, {ago(loaded.created_at)}"),
        ("journal", f"up to entry {loaded.journal_seq:,}" if loaded.journal_seq else ""),
        ("size", size(loaded.size)),
    ):
        if value:
            yield [cell(name, "dim"), cell(value)]


def _section(title: str, values: Any, shown: Values) -> Iterator[Text]:
    if not values:
        return
    yield cell("")
    yield cell(title, "dim")
    for name, value in values.items():
        for line in shown.named(name, value):
            yield cell("  ") + line


def _writes(writes: tuple[holdfast.PendingWrite, ...], shown: Values) -> Iterator[Text]:
    if not writes:
        return
    yield cell("")
    yield cell("pending writes", "dim")
    for write in writes:
        task = f"{write.task_path or write.task_id} [{write.index}]"
        for line in shown.named(f"{write.channel} by {task}", write.value):
            yield cell("  ") + line
