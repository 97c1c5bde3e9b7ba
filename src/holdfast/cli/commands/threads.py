"""`holdfast threads`: the threads of a store, with their status."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from holdfast._json import record_to_json
from holdfast.cli.args.checkpoint_ref import shorten
from holdfast.cli.args.store_url import JsonOption, StoreArgument, open_existing
from holdfast.cli.args.where import as_text_instead, conditions
from holdfast.cli.ui.humanize import ago, size
from holdfast.cli.ui.output import cell, columns, console, note, status_cell, write_json
from holdfast.model import DAMAGED, ThreadInfo

if TYPE_CHECKING:
    from rich.text import Text

_TITLES: Final = ("ID", "STATUS", "STEP", "CHECKPOINTS", "SIZE", "UPDATED", "FORKED FROM", "LEASE")
_NUMBERS: Final = (2, 3, 4)
_TEXTS: Final = ("status", "lease")  # their values are text, even if they read as JSON


def command(
    url: StoreArgument,
    prefix: Annotated[str, typer.Option(metavar="P", help="Only threads whose id starts with P.")] = "",
    where: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="Only threads with this status, lease or metadata. May be repeated."),
    ] = None,
    limit: Annotated[int, typer.Option(metavar="N", min=0, help="List at most N threads; 0 for all.")] = 50,
    after: Annotated[str | None, typer.Option(metavar="ID", help="Start after this thread.")] = None,
    as_json: JsonOption = False,
) -> None:
    """List the threads of a store. Shows their status, step, size, origin, and the worker that holds the lease."""
    wanted = conditions(where, as_text=_TEXTS)
    with open_existing(url) as store:
        found = store.threads(prefix, wanted, limit + 1 if limit else None, after)
    page = found[:limit] if limit else found
    if as_json:
        for info in page:
            write_json(record_to_json(info, ThreadInfo))
        return
    _show(page, wanted)
    if len(page) < len(found):
        note(f"… there are more: --after {page[-1].id!r}, or --limit 0 for all")


def _show(threads: list[ThreadInfo], wanted: dict[str, Any]) -> None:
    if not threads:
        note("no threads" + "".join(map(as_text_instead, wanted.items())))
        return
    out = console()
    head = [cell(title, "bold") for title in _TITLES]
    for line in columns([head, *map(_row, threads)], right=_NUMBERS):
        out.print(line)


def _row(info: ThreadInfo) -> list[Text]:
    if info.status == DAMAGED and info.head is None:
        return [cell(info.id, "cyan"), status_cell(info.status), *(cell("-", "dim") for _ in _TITLES[2:])]
    return [
        cell(info.id, "cyan"),
        status_cell(info.status or "-"),
        cell("-" if info.step is None else info.step),
        cell(f"{info.checkpoints:,}"),
        cell(size(info.size)),
        cell(ago(info.updated_at), "dim"),
        cell(_origin(info)),
        cell(_lease(info)),
    ]


def _origin(info: ThreadInfo) -> str:
    if info.forked_from is None:
        return "-"
    point = info.forked_from.checkpoint_id
    return f"{info.forked_from.thread_id} at {shorten([point])[point]}"


def _lease(info: ThreadInfo) -> str:
    if info.lease is None:
        return "-"
    return f"{info.lease.worker}{' (expired)' if info.lease.expired else ''}"
