"""`holdfast init`: creates the tables of a store before its first use."""

from __future__ import annotations

from typing import Annotated

import typer


def command(
    url: Annotated[
        str, typer.Argument(metavar="URL", help="The store: postgresql://host/database, optionally with ?schema=name.")
    ],
    partitions: Annotated[
        int | None, typer.Option(metavar="N", min=1, max=1024, help="Create the tables with N hash partitions.")
    ] = None,
) -> None:
    """Create or upgrade the tables of a PostgreSQL store. Opening a store does the same; use this command if the
    programs' role may not create tables, or to choose partitions."""
    from holdfast.backends.registry import init_store

    print(init_store(url, partitions))
