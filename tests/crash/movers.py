"""Processes that move threads, in small commits, and report how far they are."""

from __future__ import annotations

import holdfast
from holdfast import TransferProgress
from holdfast.transfer import bundle_file, report
from holdfast.transfer.target import commit_buffer
from tests.crash.nursery import tell


def move(what: str, source: str, to: str, path: str) -> None:
    """`copy` from one store to another, `export` the first to a file, or `import` the file to the second."""
    commit_buffer._BATCH_ROWS, report._CHECKPOINTS_PER_CALL, bundle_file._BLOCK = 15, 10, 4096  # type: ignore[misc]
    with holdfast.open(source) as one, holdfast.open(to) as other:
        tell(opened=to)
        if what == "copy":
            holdfast.copy(one, other, progress=_listen)
        elif what == "export":
            one.export(None, path, progress=_listen)
        else:
            other.import_(path, progress=_listen)
        tell(done=what)


def _listen(now: TransferProgress) -> None:
    tell(thread=now.thread, checkpoints=now.checkpoints)
