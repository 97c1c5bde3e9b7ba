"""Stores of hostile rows: some rows of a good store replaced, repeated or removed, with right checksums and digests."""

from __future__ import annotations

from contextlib import suppress
from random import Random
from typing import Any

import msgpack
from msgspec import MsgspecError

from holdfast.backends.rows import (
    KEYS,
    CheckpointRow,
    ChunkRow,
    LineRow,
    LogRow,
    Row,
    SettledRow,
    with_checksum,
)
from holdfast.codec.wire import pack_raw
from holdfast.engine.checkpoints.row_builder import row_digest
from holdfast.engine.values import manifest, manifest_log
from holdfast.engine.values.digests import encoding_digest
from tests.hostile import hostile_values

KINDS: tuple[Any, ...] = tuple(KEYS)
REFERENCES = ("tree", "line", "thread", "head_line", "base_line", "log", "base_log")


class Case:
    """Rows to put in the place of others, and what was done to them."""

    def __init__(self, good: list[Row], random: Random, *, typed: bool) -> None:
        self.rows = list(good)
        self.changes: list[str] = []
        self.typed = typed
        self._random = random
        self._numbers = [value for row in good for value in row if isinstance(value, int)]
        for _ in range(random.choice([1, 1, 1, 2, 4])):
            how = random.choices(_HOW, _WEIGHTS)[0]
            # A change may not fit on top of an earlier one of the same row: then there is one change less.
            with suppress(TypeError, ValueError, MsgspecError):
                how(self, random)

    # ---------------------------------------------------------------- columns

    def change_column(self, random: Random) -> None:
        """One or two columns of one row get another value; sometimes of the wrong type."""
        row = self._pick(random.choice(KINDS))
        columns: list[Any] = list(row)
        for _ in range(random.choice([1, 1, 2])):
            at = random.randrange(len(columns) - 1)
            columns[at] = self._value(type(row)._fields[at], columns[at], random)
            self.changes.append(f"{type(row).__name__}.{type(row)._fields[at]} = {columns[at]!r:.60}")
        self._replace(row, type(row)._make(columns))

    def _value(self, name: str, value: Any, random: Random) -> Any:
        roll = random.random()
        if name in REFERENCES and roll < 0.6:
            return random.choice(self._numbers)
        if self.typed or roll < 0.6:
            return hostile_values.like(value, random)
        return hostile_values.column(random)

    def change_rows(self, random: Random) -> None:
        """The same column of all rows of a kind."""
        kind = random.choice([kind for kind in KINDS if len(kind._fields) - 1 > KEYS[kind]])
        at = random.randrange(KEYS[kind], len(kind._fields) - 1)
        value = self._value(kind._fields[at], self._pick(kind)[at], random)
        self.changes.append(f"{kind.__name__}.{kind._fields[at]} = {value!r:.60} in all rows")
        for row in [row for row in self.rows if type(row) is kind]:
            columns: list[Any] = list(row)
            columns[at] = value
            self._replace(row, kind._make(columns))

    # ---------------------------------------------------------------- rows

    def repeat_row(self, random: Random) -> None:
        """A row once more under another key: an overlay, tag or write for what does not exist."""
        row = self._pick(random.choice(KINDS))
        columns: list[Any] = list(row)
        at = random.randrange(KEYS[type(row)])
        columns[at] = self._value(type(row)._fields[at], columns[at], random)
        self.changes.append(f"{type(row).__name__} again with {type(row)._fields[at]} = {columns[at]!r:.60}")
        self._add(type(row)._make(columns))

    def remove_row(self, random: Random) -> None:
        row = self._pick(random.choice(KINDS))
        self.changes.append(f"no {type(row).__name__} {row[: KEYS[type(row)]]!r:.60}")
        self.rows.remove(row)

    def connect(self, random: Random) -> None:
        """Lines, logs and checkpoints that lead to each other or to themselves."""
        kind = random.choice([LineRow, LogRow, CheckpointRow])
        row, other = self._pick(kind), self._pick(kind)
        if isinstance(row, LineRow):
            new: Row = row._replace(tree=other.tree, base_line=other.line, base_seq=random.choice([0, 1, 5, 1 << 40]))
        elif isinstance(row, LogRow):
            new = row._replace(base_log=other.log, base_pos=random.choice([0, 1, row.base_pos, 1 << 40]))
        else:
            new = row._replace(parent_seq=random.choice([row.seq, row.seq + 1, other.seq]), chain_start=other.seq)
        self.changes.append(f"{kind.__name__} {row[:3]} leads to {other[:3]}")
        self._replace(row, new)

    # ---------------------------------------------------------------- values

    def change_value(self, random: Random) -> None:
        """A value of a checkpoint is a hostile encoding, with its digest."""
        row = self._pick(CheckpointRow)
        known = manifest.unpack(row.manifest)
        if isinstance(known, manifest.Header):
            return self._change_list(row, known, random)
        enc = hostile_values.encoding(random)
        entry: manifest.Entry = manifest.Inline(enc)
        keys = [one for one in self.rows if type(one) is ChunkRow and one.tree == row.tree and one.kind == 0]
        if keys and random.random() < 0.5:
            chunk = random.choice(keys)
            self._replace(chunk, chunk._replace(body=b"\x00" + enc))
            entry = manifest.Ref(chunk.log, chunk.lo, encoding_digest(enc), random.random() < 0.5)
        channels: dict[str, manifest.Entry] = {**known.channels, random.choice([*known.channels, "new"]): entry}
        extra = entry if random.random() < 0.2 else known.extra
        names = ("messages", "new") if random.random() < 0.2 else known.open
        self.changes.append(f"{row.id}: value {enc!r:.60}")
        self._replace(row, row._replace(manifest=manifest.pack(manifest.Manifest(channels, extra, names))))

    def _change_list(self, row: CheckpointRow, known: manifest.Header, random: Random) -> None:
        """The list of a wide manifest is a hostile one, or that of another log."""
        keys = [one for one in self.rows if type(one) is ChunkRow and one.tree == row.tree and one.kind == 0]
        chunk = random.choice(keys)
        ref = manifest.Ref(chunk.log, chunk.lo, chunk.body[1:21].ljust(20, b"x"))
        if random.random() < 0.7:
            enc = hostile_values.manifest_list(random, [(one.log, one.lo) for one in keys])
            self._replace(chunk, chunk._replace(body=b"\x00" + enc))
            ref = ref._replace(digest=encoding_digest(enc))
        series = random.choice([known.series, 1, 2, (1 << 63) - 1])
        self.changes.append(f"{row.id}: its channels are those in log {ref.log}")
        logged = manifest.Logged(ref, series, {}, ())
        self._replace(row, row._replace(manifest=manifest.pack(manifest.Manifest({}, known.extra, (), logged))))

    def change_chunk(self, random: Random) -> None:
        row = self._pick(ChunkRow)
        body = hostile_values.chunk_body(random)
        self.changes.append(f"chunk {row.log} {row.lo}..{row.hi} kind {row.kind}: {body!r:.60}")
        self._replace(row, row._replace(body=body, kind=random.choice([row.kind, row.kind, 0, 1, 2])))

    def change_encoded(self, random: Random) -> None:
        """The structure of a manifest, policy, metadata, journal entry or write."""
        row = self._pick(random.choice(KINDS))
        places = [at for at in range(KEYS[type(row)], len(row) - 1) if isinstance(row[at], bytes)]
        if not places:
            return self.change_value(random)
        at = random.choice(places)
        columns: list[Any] = list(row)
        columns[at] = hostile_values.restructured(row[at], random)
        self.changes.append(f"{type(row).__name__}.{type(row)._fields[at]}: {columns[at]!r:.60}")
        self._replace(row, type(row)._make(columns))
        return None

    def change_writes(self, random: Random) -> None:
        """Settled writes that refer to any log, position and item."""
        row = self._pick(SettledRow)
        number = lambda: random.choice([*self._numbers, 0, 1, -1, 1 << 62])  # noqa: E731
        values = [[number() for _ in range(random.randrange(6))] for _ in range(random.choice([1, 3, 50]))]
        writes = [[random.choice([0, 1, -1, 1 << 40]), "messages", value] for value in values]
        body = pack_raw([[random.choice(["t1", b"x" * 16, b"short", 1]), "", writes]])
        self.changes.append(f"settled {row[:4]}: {body!r:.60}")
        self._replace(row, row._replace(body=body))

    def change_journal(self, random: Random) -> None:
        """Entries of Holdfast's own kinds with data of any shape."""
        row = self._pick_named("JournalRow")
        data: Any = {name: hostile_values.plain(random) for name in _JOURNAL_FIELDS if random.random() < 0.7}
        kind = random.choice(_JOURNAL_KINDS)
        self.changes.append(f"journal {row.seq}: {kind} {data!r:.60}")
        self._replace(row, row._replace(kind=f"holdfast.{kind}", body=msgpack.packb(_packable(data))))

    # ---------------------------------------------------------------- helpers

    def _pick(self, kind: Any) -> Any:
        found = [row for row in self.rows if type(row) is kind]
        return self._random.choice(found) if found else self._pick(LineRow if kind is not LineRow else CheckpointRow)

    def _pick_named(self, name: str) -> Any:
        return self._pick(next(kind for kind in KINDS if kind.__name__ == name))

    def _replace(self, old: Row, new: Row) -> None:
        self.rows[self.rows.index(old)] = sealed(new, self.rows)

    def _add(self, row: Row) -> None:
        self.rows.append(sealed(row, self.rows))


_JOURNAL_KINDS = ("intent", "result", "error", "retry", "trimmed", "interrupt", "resume", "start", "failed")
_JOURNAL_FIELDS = ("namespace", "name", "nth", "at", "base", "unwritten", "key", "idempotent", "again", "of", "value",
                   "payload", "from", "type", "text")  # fmt: skip
_HOW = (
    Case.change_column, Case.change_rows, Case.repeat_row, Case.remove_row, Case.connect, Case.change_value,
    Case.change_chunk, Case.change_encoded, Case.change_writes, Case.change_journal,
)  # fmt: skip
_WEIGHTS = (10, 2, 2, 1, 2, 3, 3, 4, 1, 1)


def _packable(data: Any) -> Any:
    try:
        msgpack.packb(data)
    except (TypeError, ValueError, OverflowError):
        return {}
    return data


def sealed(row: Row, rows: list[Row]) -> Row:
    """With the digest and the checksum that the row should have, if its columns allow one."""
    if isinstance(row, CheckpointRow):
        row = _with_digest(row, rows)
    try:
        return with_checksum(row)  # type: ignore[type-var]
    except (TypeError, ValueError, OverflowError):  # text that is not UTF-8 can't be summed
        return row


def sealed_all(good: list[Row], rows: list[Row]) -> list[Row]:
    """The same for all rows that are not those of the good store."""
    known = set(map(id, good))
    return [row if id(row) in known else sealed(row, rows) for row in rows]


def _manifest(row: CheckpointRow, rows: list[Row]) -> manifest.Manifest:
    """That of the row; a wide one is read from the key of its log."""
    known = manifest.unpack(row.manifest)
    if isinstance(known, manifest.Manifest):
        return known
    chunks = [one for one in rows if isinstance(one, ChunkRow)]
    (body,) = (one.body for one in chunks if (one.log, one.lo, one.kind) == (known.ref.log, known.ref.pos, 0))
    return manifest_log.read(known, body[1:])


def _with_digest(row: CheckpointRow, rows: list[Row]) -> CheckpointRow:
    lines = [one for one in rows if isinstance(one, LineRow) and one.line == row.line]
    points = [one for one in rows if isinstance(one, CheckpointRow) and one.seq == row.parent_seq]
    parent = next((one.digest for one in points if one.line == row.line), row.parent_digest)
    try:
        digest = row_digest(lines[0].namespace if lines else "", row, _manifest(row, rows), parent)
    except Exception:  # the columns are not those of a checkpoint
        return row
    return row._replace(digest=digest)
