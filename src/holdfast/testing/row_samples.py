"""Rows to put into a backend, what can be seen of them there, and the backend itself with verbs that block."""

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
    OP,
    CheckpointRow,
    ChunkRow,
    GraveRow,
    LineRow,
    LogRow,
    MarkRow,
    PendingRow,
    Row,
    RunRow,
    SealedRow,
    TagRow,
    ThreadRow,
    WaitingRow,
    sealed,
)
from holdfast.testing.driver import Blocking, Loop

R = TypeVar(
    "R", ThreadRow, GraveRow, TagRow, LineRow, CheckpointRow, MarkRow, LogRow, ChunkRow, PendingRow, SealedRow,
    WaitingRow, RunRow,
)  # fmt: skip
GRAVE: Final = b"g" * 16


# ------------------------------------------------------------------------------------------------ rows to put


def blank(kind: type[R], /, **given: Any) -> R:
    """A row with these columns, and an empty value of the right type in every other one."""
    hints = get_type_hints(kind)
    values = {name: None if NoneType in get_args(hints[name]) else hints[name]() for name in kind._fields}
    return sealed(kind(**{**values, **given}))


def thread_row(**given: Any) -> ThreadRow:
    return blank(ThreadRow, **{"id": "t", "tree": 1, "line": 10, "generation": 1, "metadata": b"m", **given})


def line_row(**given: Any) -> LineRow:
    said = {
        "tree": 1,
        "line": 10,
        "thread": 10,
        "version": 1,
        "seq": 1,
        "head_line": 10,
        "head_seq": 1,
        "checkpoints": 1,
    }
    return blank(LineRow, **{**said, **given})


def checkpoint_row(**given: Any) -> CheckpointRow:
    said = {
        "tree": 1,
        "line": 10,
        "seq": 1,
        "id": "a",
        "digest": b"d" * 20,
        "manifest": b"\x00\xff",
        "status": "running",
    }
    return blank(CheckpointRow, **{**said, **given})


def pending_row(**given: Any) -> PendingRow:
    return blank(PendingRow, **{"tree": 1, "line": 10, "seq": 1, "task_id": "task", "body": b"first", **given})


def chunk_row(log: int, lo: int, kind: int = OP, hi: int | None = None, body: bytes = b"", tree: int = 1) -> ChunkRow:
    hi, body = lo if hi is None else hi, body or f"{log}.{lo}".encode()
    return blank(ChunkRow, tree=tree, log=log, lo=lo, hi=hi, kind=kind, body=body)


def log_row(log: int, base_log: int, base_pos: int) -> LogRow:
    return blank(LogRow, tree=1, log=log, base_log=base_log, base_pos=base_pos)


def run_row(run_id: str, tree: int, line: int) -> RunRow:
    return blank(RunRow, run_id=run_id, tree=tree, line=line)


def grave_row(generation: int) -> GraveRow:
    return blank(GraveRow, hash=GRAVE, generation=generation)


def tag_row(key: str, value: str, thread: str) -> TagRow:
    return blank(TagRow, key=key, value=value, thread=thread)


def waiting_row(**given: Any) -> WaitingRow:
    said = {"thread": "t", "namespace": "n", "checkpoint": "c", "task_id": "task", "created_at": 5, "body": b"first"}
    return blank(WaitingRow, **{**said, **given})


SEALED: Final = blank(SealedRow, tree=1, line=10, seq=1, number=2, body=b"sealed")
MARK: Final = blank(MarkRow, tree=1, line=10, seq=1, label="x")
TAG: Final = tag_row("status", "running", "t")
RUN: Final = run_row("r", 1, 10)
BASICS: Final[list[Row]] = [thread_row(), line_row(), checkpoint_row()]
ALL: Final[list[Row]] = [
    *BASICS, grave_row(3), TAG, MARK, log_row(7, 6, 2), chunk_row(6, 0, KEY), chunk_row(7, 0),
    pending_row(), SEALED, waiting_row(), RUN,
]  # fmt: skip


def seen(backend: Any) -> dict[str, Any]:
    """Everything that the questions below can find."""
    return {
        "found": backend.find("t", "", GRAVE), "inner": backend.find("t", "inner", GRAVE),
        "grave": backend.find("nobody", "", GRAVE), "lines": backend.ancestry(1, 10),
        "namespaces": backend.namespaces(1, 10), "threads": backend.tree_threads(1), "of": backend.thread_of(1, 10),
        "checkpoints": backend.checkpoints(1, 10, 0, 99, 99), "id": backend.by_id(1, [10], "a"),
        "marks": sorted(backend.marks(1, [10])), "chunks": backend.chunks(1, [Want(7, 9), Want(6, 9)]),
        "pending": [row for row in backend.pending(line_row(), [1]) if row != SEALED],
        "sealed": [row for row in backend.pending(line_row(), [1]) if row == SEALED],
        "listed": backend.threads("", [], "", -1),
        "waiting": backend.waiting("t", "n", "c"),
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
        """``connect()`` opens a backend on the test's store, again with each call; its verbs block."""
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
