"""`holdfast init`: makes the tables of a store before it is first used."""

from __future__ import annotations

from typing import Annotated

import typer


def command(
    url: Annotated[
        str, typer.Argument(metavar="URL", help="The store: postgresql://host/database, with ?schema=name if need be.")
    ],
    partitions: Annotated[
        int | None, typer.Option(metavar="N", min=1, max=1024, help="Cut the tables into so many hash partitions.")
    ] = None,
) -> None:
    """Make the tables of a store on PostgreSQL, or bring them up to date. Any program that opens the store does the
    same; this is for a role that may, ahead of programs that may not, and for partitions."""
    from holdfast.backends.registry import init_store

    print(init_store(url, partitions))
