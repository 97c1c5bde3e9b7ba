"""Hostile bundles: records of a good one changed, repeated, left out or out of order, with right digests."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path
from random import Random
from typing import Any

import msgpack

from holdfast import _zstd
from tests.docs.bundle_reader import CHECKPOINT, FIRST
from tests.hostile import hostile_values

Record = list[Any]


def changed(good: list[Record], random: Random) -> tuple[list[Record], list[str]]:
    """Other records, and what was done to them."""
    records = [[*record] for record in good]
    changes: list[str] = []
    for _ in range(random.choice([1, 1, 2, 3])):
        kind = random.choice(sorted({record[0] for record in records if record}, key=str))
        at = random.choice([n for n, record in enumerate(records) if record and record[0] == kind])
        changes.append(_change(records, at, random))
    return records, changes


def _change(records: list[Record], at: int, random: Random) -> str:
    record = records[at]
    how = random.randrange(12)
    if how == 0:
        del records[at]
        return f"no {record!r:.60}"
    if how == 1:
        records.insert(random.randrange(len(records)), record)
        return f"again {record!r:.60}"
    if how == 2:
        other = random.randrange(len(records))
        records[at], records[other] = records[other], records[at]
        return f"{record[0]} and {records[at][0]!s:.20} swapped"
    if how == 3 and record[0] == "checkpoint":
        change = msgpack.packb(_packable(hostile_values.change(random)))
        value: Any = random.choice([None, hostile_values.encoding(random), [change], [b""], []])
        name = record[1 + CHECKPOINT.index("channels")]
        record[1 + CHECKPOINT.index("channels")] = [*name, [random.choice(["count", "messages", "new"]), value]]
        _match_digests(records, record)
        return f"checkpoint {record[3]}: {value!r:.60}"
    if len(record) > 1:
        place = random.randrange(1, len(record))
        record[place] = _other(record[place], random)
        if record[0] == "checkpoint":
            _match_digests(records, record)
        return f"{record[0]}[{place}] = {record[place]!r:.60}"
    records[at] = [random.choice(["done", "end", "content", "x", 1, None]), hostile_values.plain(random)]
    return f"{records[at]!r:.60}"


def _other(value: Any, random: Random) -> Any:
    if isinstance(value, list) and random.random() < 0.8:
        return _packable(hostile_values._changed(value, random))
    if isinstance(value, bytes):
        return hostile_values.like(value, random)
    return _packable(hostile_values.like(value, random) if random.random() < 0.7 else hostile_values.plain(random))


def _packable(value: Any) -> Any:
    try:
        msgpack.packb(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return value


def _match_digests(records: list[Record], record: Record) -> None:
    """The outline names the digest that the checkpoint has, so that its content is looked at."""
    for one in records:
        if one[:1] == ["outline"] and len(one) == 3 and one[1] == record[1] and isinstance(one[2], list):
            for row in one[2]:
                if isinstance(row, list) and len(row) == 3 and row[0] == record[2]:
                    row[1] = record[1 + CHECKPOINT.index("digest")]
    # Without the digest of its parent a checkpoint can't be checked, and what it says is taken.
    record[1 + CHECKPOINT.index("verifiable")] = False


def write(path: Path, records: list[Record], random: Random) -> None:
    """Blocks of any size, rightly summed; the last may be missing."""
    data, before, at = FIRST, b"", 0
    while at < len(records):
        size = random.choice([1, 5, len(records)])
        body = _zstd.compress(msgpack.packb([_packable(record) for record in records[at : at + size]]), 1)
        before = blake2b(before + body, digest_size=16, person=b"bundle").digest()
        data += len(body).to_bytes(4, "little") + before + body
        at += size
    path.write_bytes(data[: -random.randrange(1, 40)] if random.random() < 0.05 else data)
