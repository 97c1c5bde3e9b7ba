"""`holdfast backup`: the whole store to a new file or folder, while others write to it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from holdfast.cli.args.store_url import JsonOption, StoreArgument, open_existing
from holdfast.cli.ui.humanize import size
from holdfast.cli.ui.output import cell, console, write_json
from holdfast.cli.ui.progress import progress


def command(
    url: StoreArgument,
    path: Annotated[str, typer.Argument(metavar="PATH", help="The new file; for a store of plain files, the folder.")],
    as_json: JsonOption = False,
) -> None:
    """Write a copy of the whole store to a new file. The copy is a store itself; other processes may keep writing."""
    with open_existing(url) as store, progress("backing up", quiet=as_json) as update:
        report = store.backup(path, update)
    if as_json:
        write_json(asdict(report))
    else:
        console().print(cell(f"wrote {size(report.bytes)} to {path}; open it as {report.url}"))
