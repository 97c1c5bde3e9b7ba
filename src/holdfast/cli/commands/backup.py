"""`holdfast backup`: the whole store to a new file or folder, beside whoever writes."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from holdfast.cli.output import cell, console, write_json
from holdfast.cli.progress import bar
from holdfast.cli.quantities import size
from holdfast.cli.stores import JsonOption, StoreArgument, opened


def command(
    store: StoreArgument,
    path: Annotated[str, typer.Argument(metavar="PATH", help="The new file; of a store of plain files, the folder.")],
    as_json: JsonOption = False,
) -> None:
    """Write the whole store as it is now to a new file, which is a store itself. Others may go on writing."""
    with opened(store) as there, bar("backing up", quiet=as_json) as progress:
        report = there.backup(path, progress)
    if as_json:
        write_json(asdict(report))
    else:
        console().print(cell(f"wrote {size(report.bytes)} to {path}; open it as {report.url}"))
