"""What the façades call. Most programs never move a thread, so the rest of the package is loaded by the first call."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from holdfast.engine.context import Engine
from holdfast.transfer.report import Listener, TransferReport


async def copy(
    source: Engine, target: Engine, thread_ids: Iterable[str] | None, as_: Mapping[str, str] | None,
    progress: Listener | None,
) -> TransferReport:  # fmt: skip
    """Copy threads, or all; `as_` gives some of them another id in the target."""
    from holdfast.transfer import thread_copy

    return await thread_copy.copy(source, target, thread_ids, as_, progress)


async def export(
    engine: Engine, thread_ids: Iterable[str] | None, path: str | os.PathLike[str], json: bool,
    progress: Listener | None,
) -> TransferReport:  # fmt: skip
    """Write threads, or all, to one file."""
    from holdfast.transfer import thread_export

    return await thread_export.export(engine, thread_ids, path, json, progress)


async def import_(
    engine: Engine, path: str | os.PathLike[str], as_: Mapping[str, str] | None, progress: Listener | None
) -> TransferReport:
    """Read a bundle; `as_` gives some of its threads another id."""
    from holdfast.transfer import thread_import

    return await thread_import.import_(engine, path, as_, progress)
