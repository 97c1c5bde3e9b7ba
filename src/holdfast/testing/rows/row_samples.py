"""Sample rows, everything that a backend answers about them, and the backend itself with blocking methods."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from types import NoneType
from typing import Any, Final, TypeVar, get_args, get_type_hints

import pytest

from holdfast.backends.base import Batch, Want
from holdfast.backends.registry import open_backend
from holdfast.backends.rows import (
    KEY,
    KEYS,
    OP,
    CheckpointRow,
    ChunkRow,
    EarlyWriteRow,
    JournalRow,
    LineRow,
    LogRow,
    OverlayRow,
    PendingRow,
    QuarantineRow,
    Row,
    RunRow,
    SettledRow,
    TagRow,
    ThreadRow,
    TombstoneRow,
    with_checksum,
)
from holdfast.testing.driver import Blocking, Loop

R = TypeVar(
    "R", ThreadRow, TombstoneRow, TagRow, LineRow, CheckpointRow, OverlayRow, LogRow, ChunkRow, PendingRow, SettledRow,
    EarlyWriteRow, JournalRow, RunRow, QuarantineRow,
)  # fmt: skip
TOMBSTONE: Final = b"g" * 16


# ------------------------------------------------------------------------------------------------ rows to put


def blank(kind: type[R], /, **given: Any) -> R:
    """A row with these columns, and an empty value of the right type in every other one."""
    return with_checksum(kind(**{**_BLANKS[kind], **given}))


_BLANKS: Final[dict[type, dict[str, Any]]] = {
    kind: {name: None if NoneType in get_args(hint) else hint() for name, hint in get_type_hints(kind).items()}
    for kind in KEYS
}


def thread_row(**given: Any) -> ThreadRow:
    return blank(ThreadRow, **{"id": "t", "tree": 1, "line": 10, "generation": 1, "metadata": b"m", **given})


def line_row(**given: Any) -> LineRow:
    usual = {
        "tree": 1, "line": 10, "thread": 10, "version": 1, "seq": 1, "head_line": 10, "head_seq": 1, "checkpoints": 1,
    }  # fmt: skip
    return blank(LineRow, **{**usual, **given})


def checkpoint_row(**given: Any) -> CheckpointRow:
    usual = {
        "tree": 1, "line": 10, "seq": 1, "id": "a", "digest": b"d" * 20, "manifest": b"\x00\xff", "status": "running",
    }  # fmt: skip
    return blank(CheckpointRow, **{**usual, **given})


def pending_row(**given: Any) -> PendingRow:
    return blank(PendingRow, **{"tree": 1, "line": 10, "seq": 1, "task_id": "task", "body": b"first", **given})


def chunk_row(log: int, lo: int, kind: int = OP, hi: int | None = None, body: bytes = b"", tree: int = 1) -> ChunkRow:
    hi, body = lo if hi is None else hi, body or f"{log}.{lo}".encode()
    return blank(ChunkRow, tree=tree, log=log, lo=lo, hi=hi, kind=kind, body=body)


def log_row(log: int, base_log: int, base_pos: int) -> LogRow:
    return blank(LogRow, tree=1, log=log, base_log=base_log, base_pos=base_pos)


def run_row(run_id: str, tree: int, line: int) -> RunRow:
    return blank(RunRow, run_id=run_id, tree=tree, line=line)


def tombstone_row(generation: int) -> TombstoneRow:
    return blank(TombstoneRow, hash=TOMBSTONE, generation=generation)


def tag_row(key: str, value: str, thread: str) -> TagRow:
    return blank(TagRow, key=key, value=value, thread=thread)


def early_write_row(**given: Any) -> EarlyWriteRow:
    usual = {"thread": "t", "namespace": "n", "checkpoint": "c", "task_id": "task", "created_at": 5, "body": b"first"}
    return blank(EarlyWriteRow, **{**usual, **given})


SETTLED: Final = blank(SettledRow, tree=1, line=10, seq=1, number=2, body=b"settled")
OVERLAY: Final = blank(OverlayRow, tree=1, line=10, seq=1, label="x")
TAG: Final = tag_row("status", "running", "t")
RUN: Final = run_row("r", 1, 10)
JOURNAL: Final = blank(JournalRow, tree=1, line=10, seq=1, kind="step", key="k", body=b"entry")
QUARANTINE: Final = blank(QuarantineRow, number=1, kind="run", body=b"damaged", reason="checksum")
BASICS: Final[list[Row]] = [thread_row(), line_row(), checkpoint_row()]
ALL: Final[list[Row]] = [
    *BASICS, tombstone_row(3), TAG, OVERLAY, log_row(7, 6, 2), chunk_row(6, 0, KEY), chunk_row(7, 0),
    pending_row(), SETTLED, early_write_row(), JOURNAL, RUN, QUARANTINE,
]  # fmt: skip


def seen(backend: Any) -> dict[str, Any]:
    """The answers to all questions about these rows."""
    return {
        "found": backend.find("t", "", TOMBSTONE), "inner": backend.find("t", "inner", TOMBSTONE),
        "tombstone": backend.find("another", "", TOMBSTONE), "lines": backend.ancestry(1, 10),
        "namespaces": backend.namespaces(1, 10), "threads": backend.tree_threads(1), "of": backend.thread_of(1, 10),
        "checkpoints": backend.checkpoints(1, 10, 0, 99, 99), "id": backend.by_id(1, [10], "a"),
        "overlays": sorted(backend.overlays(1, [10])), "chunks": backend.chunks(1, [Want(7, 9), Want(6, 9)]),
        "pending": [row for row in backend.pending(line_row(), [1]) if row != SETTLED],
        "settled": [row for row in backend.pending(line_row(), [1]) if row == SETTLED],
        "listed": backend.threads("", [], "", -1),
        "early_writes": backend.early_writes("t", "n", "c"),
        "journal": backend.journal(1, 10, 0, 99, 99), "key": backend.journal_key(1, [10], "k"),
        "quarantine": backend.scan(QuarantineRow, None, (), 99),
        "ids": backend.checkpoints_by_id(1, 10, None, 99),
        "tagged": backend.threads("", [("status", "running")], "", -1), "runs": sorted(backend.run_lines("r")),
    }  # fmt: skip


# ------------------------------------------------------------------------------------------------ the backend


class RowTests:
    def url(self, folder: Path) -> str:
        """The URL of a store in this empty folder. A backend's author writes this method."""
        raise NotImplementedError

    @pytest.fixture
    def connect(self, tmp_path: Path) -> Iterator[Callable[[], Any]]:
        """``connect()`` opens another backend on the test's store; its methods block."""
        with ExitStack() as stack:
            loop = stack.enter_context(Loop())

            def one() -> Any:
                backend: Any = Blocking(open_backend(self.url(tmp_path)), loop)
                stack.callback(lambda: backend.close())
                return backend

            yield one

    @pytest.fixture
    def backend(self, connect: Callable[[], Any]) -> Any:
        return connect()


def put(backend: Any, *rows: Row) -> None:
    assert backend.commit(Batch([], rows)) is True
