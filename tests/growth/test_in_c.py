"""What runs in C and is not counted as lines: comparisons of rows, and copies of large values."""

from __future__ import annotations

import os
import tracemalloc
from pathlib import Path
from typing import Any
from zlib import crc32

import msgspec
import pytest

import holdfast
from holdfast.backends.rows import ChunkRow, PendingRow, checked, is_sound, with_checksum
from holdfast.engine.writes import settlement

SIZE = 20 << 20


class ComparedRow(PendingRow):
    """A pending write that counts how often it is compared."""

    compared = 0

    def __eq__(self, other: object) -> bool:
        type(self).compared += 1
        return super().__eq__(other)

    __hash__ = PendingRow.__hash__


def test_settled_writes_are_forgotten_without_comparing_each_with_each() -> None:
    with holdfast.open("memory:") as store:
        engine = store._calls.engine
        rows = [ComparedRow(1, 2, 3, f"task {n}", 0, 0, "", b"") for n in range(300)]
        # As equal rows, not the same ones: those that are the same need no comparison.
        engine.unsettled[2] = {3: [ComparedRow(*row) for row in rows]}
        settlement.forget(engine, rows[:-1])
        assert engine.unsettled[2][3] == rows[-1:]
        assert ComparedRow.compared <= 3 * len(rows)


@pytest.mark.parametrize("body", [os.urandom(SIZE), b"some text " * (SIZE // 10)], ids=["random", "text"])
def test_a_large_value_is_saved_with_three_times_its_size(tmp_path: Path, body: bytes) -> None:
    with holdfast.open(tmp_path / "large.db") as store:
        thread = store.thread("t")
        thread.save({"small": 1})
        tracemalloc.start()
        try:
            thread.save({"large": body})
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert peak <= 3.1 * len(body)
        found: Any = thread.latest()
        assert found.state == {"large": body}


def test_the_checksum_of_a_large_row_is_that_of_its_encoding() -> None:
    """It is computed piece by piece, and equal to that of the columns encoded as a whole."""
    row = with_checksum(ChunkRow(1, 2, 3, 4, 5, bytes(3 << 20)))
    assert row.sum == crc32(msgspec.msgpack.encode(row[:-1]))
    assert is_sound(row)
    assert checked(row) is row
    assert not is_sound(row._replace(lo=9))
