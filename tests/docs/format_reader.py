"""A reader of Holdfast's files that shares no code with Holdfast: written from docs/reference/format.md alone.

Only `sqlite3`, `msgpack` and zstd are used. Anything that this file knows and the page does not say is a fault of the
page.
"""

from __future__ import annotations

import sqlite3
import sys
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID
from zlib import crc32

import msgpack

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

KEY, OP, FRAME = 0, 1, 2
LIST, MAP = 1, 2
NO_LIMIT = 1 << 62
ENDINGS = {"holdfast.result": "done", "holdfast.error": "failed", "holdfast.retry": "retry"}


class Overlay(NamedTuple):
    hidden: bool
    label: str | None


class Effect(NamedTuple):
    name: str
    key: str | None
    status: str
    result: Any


@dataclass(frozen=True)
class Ref:
    log: int
    pos: int
    digest: bytes
    frozen: bool = False


# ------------------------------------------------------------------------------------------------ msgpack


def _pairs(pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
    return {_hashable(key): value for key, value in pairs}


def _hashable(key: Any) -> Any:
    return tuple(map(_hashable, key)) if isinstance(key, list) else key


def unpacked(data: bytes) -> Any:
    """Lists, dicts and scalars; a marker is an `ExtType` without data."""
    return msgpack.unpackb(data, strict_map_key=False, object_pairs_hook=_pairs)


def packed(value: Any) -> bytes:
    result: bytes = msgpack.packb(value, use_bin_type=True)
    return result


def digest(person: bytes, data: bytes) -> bytes:
    return blake2b(data, digest_size=16, person=person).digest()


def value_digest(value: Any) -> bytes:
    enc = packed(value)
    items: list[Any] = []
    if isinstance(value, list):
        kind, items = LIST, value
    elif isinstance(value, dict):
        kind, items = MAP, [part for pair in value.items() for part in pair]
    if items and len(enc) >= 4096 and len(enc) >= 128 * len(items):
        return digest(b"items", bytes([kind]) + b"".join(digest(b"item", packed(item)) for item in items))
    return digest(b"value", enc)


# ------------------------------------------------------------------------------------------------ changes


def changed(value: Any, change: list[Any]) -> Any:
    """The value after one change; lists and dicts are changed in place."""
    code, *rest = change
    if code == 0:
        return rest[0]
    if code == 1:
        return _spliced(value, rest)
    if code == 2:
        return _keyed(value, *rest)
    assert code == 3
    return _cut(value, rest)


def _spliced(value: list[Any], edits: list[Any]) -> list[Any]:
    for n in range(len(edits) - 3, -1, -3):
        at, size, fresh = edits[n : n + 3]
        if size == -1:
            value[at] = changed(value[at], fresh)
        else:
            value[at : at + size] = fresh
    return value


def _keyed(value: dict[Any, Any], removed: list[Any], sets: list[Any], inner: list[Any]) -> dict[Any, Any]:
    for key in removed:
        del value[_hashable(key)]
    for key, change in zip(inner[::2], inner[1::2], strict=True):
        value[_hashable(key)] = changed(value[_hashable(key)], change)
    for key, fresh in zip(sets[::2], sets[1::2], strict=True):
        value[_hashable(key)] = fresh
    return value


def _cut(value: str | bytes, cuts: list[Any]) -> str | bytes:
    payload = value.encode() if isinstance(value, str) else value
    pieces, done = [], 0
    for at, size, fresh in zip(cuts[::3], cuts[1::3], cuts[2::3], strict=True):
        pieces += [payload[done:at], fresh]
        done = at + size
    result = b"".join([*pieces, payload[done:]])
    return result.decode() if isinstance(value, str) else result


# ------------------------------------------------------------------------------------------------ the file


class Reader:
    """One file, opened read-only."""

    def __init__(self, path: Path) -> None:
        self.db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        self.db.row_factory = sqlite3.Row
        assert self._pragma("application_id") == 0x484C4446
        assert self._pragma("user_version") >> 16 <= 1, "a newer format"

    def close(self) -> None:
        self.db.close()

    def _pragma(self, name: str) -> int:
        return int(self.db.execute(f"PRAGMA {name}").fetchone()[0])

    def rows(self, sql: str, *parameters: Any) -> list[sqlite3.Row]:
        return self.db.execute(sql, parameters).fetchall()

    def row(self, sql: str, *parameters: Any) -> sqlite3.Row:
        (found,) = self.rows(sql, *parameters)
        return found

    # ---------------------------------------------------------------- lines and checkpoints

    def line(self, thread_id: str, namespace: str = "") -> sqlite3.Row:
        thread = self.row("SELECT * FROM thread WHERE id = ?", thread_id)
        return self.row(
            "SELECT * FROM line WHERE tree = ? AND thread = ? AND namespace = ?",
            thread["tree"], thread["line"], namespace,
        )  # fmt: skip

    def ancestry(self, line: sqlite3.Row) -> list[sqlite3.Row]:
        found = [line]
        while found[-1]["base_line"] is not None:
            found.append(
                self.row("SELECT * FROM line WHERE tree = ? AND line = ?", line["tree"], found[-1]["base_line"])
            )
        return found

    def head(self, line: sqlite3.Row) -> sqlite3.Row | None:
        return self.checkpoint(line["head_line"], line["head_seq"]) if line["head_seq"] else None

    def checkpoint(self, line: int, seq: int) -> sqlite3.Row:
        return self.row("SELECT * FROM checkpoint WHERE line = ? AND seq = ?", line, seq)

    def overlays(self, line: sqlite3.Row) -> dict[int, Overlay]:
        """The overlays of each checkpoint: nearer lines after farther ones, each in the order of its eras."""
        ancestry = self.ancestry(line)
        found: dict[int, Overlay] = {}
        for level in range(len(ancestry) - 1, -1, -1):
            era = ancestry[level - 1]["base_era"] if level else NO_LIMIT
            last = min((above["base_seq"] for above in ancestry[:level]), default=NO_LIMIT)
            for row in self.rows("SELECT * FROM overlay WHERE line = ? ORDER BY seq, era", ancestry[level]["line"]):
                if row["era"] < era and row["seq"] <= last:
                    known = found.get(row["seq"], Overlay(False, None))
                    label = known.label if row["label"] is None else row["label"]
                    found[row["seq"]] = Overlay(known.hidden or bool(row["hidden"]), label)
        return found

    def lineage(self, line: sqlite3.Row, seq: int) -> list[sqlite3.Row]:
        """A checkpoint and its ancestors as this line sees them, newest first: one chain after the other."""
        ancestry, overlays = self.ancestry(line), self.overlays(line)
        found: list[sqlite3.Row] = []
        while seq > 0:
            number = next(one["line"] for one in ancestry if seq > one["base_seq"] or one["base_line"] is None)
            newest = self.checkpoint(number, seq)
            chain = self.rows(
                "SELECT * FROM checkpoint WHERE line = ? AND seq BETWEEN ? AND ? ORDER BY seq DESC",
                number, newest["chain_start"], seq,
            )  # fmt: skip
            found += chain
            seq = chain[-1]["parent_seq"]
        return [row for row in found if not overlays.get(row["seq"], Overlay(False, None)).hidden]

    def pending(self, line: sqlite3.Row, row: sqlite3.Row) -> dict[tuple[str, int], tuple[str, Any]]:
        """What tasks wrote on top of a checkpoint, by task and index, as (channel, value)."""
        ancestry = self.ancestry(line)
        lines = ancestry[: [one["line"] for one in ancestry].index(row["line"]) + 1]
        found: dict[tuple[str, int], tuple[str, Any]] = {}
        for level in range(len(lines) - 1, -1, -1):
            era = lines[level - 1]["base_era"] if level else NO_LIMIT
            rows = [
                *self.rows(
                    "SELECT * FROM settled WHERE line = ? AND seq = ? ORDER BY era, number",
                    lines[level]["line"],
                    row["seq"],
                ),
                *self.rows(
                    "SELECT * FROM pending WHERE line = ? AND seq = ? ORDER BY era", lines[level]["line"], row["seq"]
                ),
            ]
            rows.sort(key=lambda one: int(one["era"]))
            for task_id, idx, channel, value in (write for one in rows if one["era"] < era for write in _writes(one)):
                if (task_id, idx) not in found or idx < 0:
                    found[task_id, idx] = (channel, self._written(row["tree"], value))
        return found

    def _written(self, tree: int, value: bytes | list[int]) -> Any:
        if isinstance(value, bytes):
            return unpacked(value)
        log, pos, *place = value
        version = self._version(tree, log, pos)
        if not place:
            return version
        return version[place[0]] if len(place) == 1 else version[place[0] : place[1]]

    # ---------------------------------------------------------------- journals and leases

    def journal(self, thread_id: str) -> list[sqlite3.Row]:
        """Every entry that a thread sees, oldest first: its own, and those of the base lines up to the fork."""
        root = self.line(thread_id)
        found: list[sqlite3.Row] = []
        limit = root["journal"]
        for line in self.ancestry(root):
            found[:0] = self.rows(
                "SELECT * FROM journal WHERE tree = ? AND line = ? AND seq BETWEEN ? AND ? ORDER BY seq",
                line["tree"], line["line"], line["base_journal"] + 1, limit,
            )  # fmt: skip
            limit = min(limit, line["base_journal"])
        return found

    def effects(self, thread_id: str, after: int = 0) -> dict[int, Effect]:
        """The steps of a thread's runs, by the number of their intent."""
        found: dict[int, Effect] = {}
        for row in self.journal(thread_id):
            kind, body = row["kind"], unpacked(row["body"])
            if row["seq"] <= after:
                continue
            if kind == "holdfast.intent":
                found.pop(body["again"], None)
                found[row["seq"]] = Effect(body["name"], body["key"], "unfinished", None)
            elif kind in ENDINGS and body["of"] in found:
                found[body["of"]] = found[body["of"]]._replace(status=ENDINGS[kind], result=body.get("value"))
        return found

    def is_held(self, thread_id: str, now: int) -> bool:
        root = self.line(thread_id)
        return (
            bool(root["worker"]) and root["lease_at"] - root["lease_ttl"] <= now < root["lease_at"] + root["lease_ttl"]
        )

    # ---------------------------------------------------------------- values

    def manifest(self, row: sqlite3.Row) -> tuple[dict[str, Any], Any]:
        found = unpacked(row["manifest"])
        channels, extra, *_ = (found, None) if isinstance(found, dict) else found
        if isinstance(channels, list):
            channels = {name: _listed(rest) for name, *rest in self._list(row) if rest}
        return {name: _entry(entry) for name, entry in channels.items()}, None if extra is None else _entry(extra)

    def open_channels(self, row: sqlite3.Row) -> list[str]:
        found = unpacked(row["manifest"])
        if isinstance(found, list) and isinstance(found[0], list):
            return [item[0] for item in self._list(row) if len(item) == 1]
        return list(found[2]) if isinstance(found, list) and len(found) == 3 else []

    def _list(self, row: sqlite3.Row) -> list[Any]:
        """The channels of a wide manifest."""
        log, pos, digest, _ = unpacked(row["manifest"])[0]
        found: list[Any] = self.value(row["tree"], Ref(log, pos, digest))
        return found

    def state(self, row: sqlite3.Row) -> dict[str, Any]:
        return {name: self.value(row["tree"], entry) for name, entry in self.manifest(row)[0].items()}

    def value(self, tree: int, entry: bytes | Ref) -> Any:
        if isinstance(entry, bytes):
            return unpacked(entry)
        value = self._version(tree, entry.log, entry.pos)
        assert value_digest(value) == entry.digest
        return value

    def _version(self, tree: int, log: int, pos: int) -> Any:
        chunks = self.rows("SELECT * FROM chunk WHERE tree = ? AND log = ? AND lo <= ? ORDER BY lo", tree, log, pos)
        keys = [n for n, chunk in enumerate(chunks) if chunk["kind"] == KEY]
        if keys:
            chunks = chunks[keys[-1] :]
            value = None
        else:
            base = self.row("SELECT * FROM log WHERE tree = ? AND log = ?", tree, log)
            value = self._version(tree, base["base_log"], base["base_pos"])
        for chunk in chunks:
            content = unpacked(_plain(chunk))
            if chunk["kind"] == KEY:
                value = content
            elif chunk["kind"] == FRAME:
                for change in content[: pos - chunk["lo"] + 1]:
                    value = changed(value, change)
            else:
                value = changed(value, content)
        return value

    # ---------------------------------------------------------------- proofs

    def checkpoint_digest(self, namespace: str, row: sqlite3.Row, parent: sqlite3.Row | None) -> bytes:
        channels, extra = self.manifest(row)
        before = row["parent_digest"]
        if before is None and parent is not None:
            before = parent["digest"]
        fields = [
            row["id"], namespace, before, row["step"], row["source"], row["node"], row["next"], row["run_id"],
            row["status"], row["metadata"], row["journal_seq"],
        ]  # fmt: skip
        pairs = [[name, _entry_digest(channels[name])] for name in sorted(channels)]
        return digest(b"checkpoint", packed([fields, pairs, None if extra is None else _entry_digest(extra)]))

    def bad_rows(self) -> list[tuple[str, tuple[Any, ...]]]:
        """Rows whose checksum does not hold."""
        found = []
        for (table,) in self.rows("SELECT name FROM sqlite_schema WHERE type = 'table'"):
            for row in self.rows(f'SELECT * FROM "{table}"'):  # noqa: S608  # the name is the schema's own
                columns = [row[name] for name in row.keys() if name != "sum"]  # noqa: SIM118  # a Row is not a mapping
                if crc32(packed(columns)) != row["sum"]:
                    found.append((table, tuple(row)))
        return found


def _writes(row: sqlite3.Row) -> list[tuple[str, int, str, Any]]:
    if "task_id" in row.keys():  # noqa: SIM118  # a Row is not a mapping
        body = zstd.decompress(row["body"][1:]) if row["body"][:1] == b"\x01" else row["body"]
        return [(row["task_id"], row["idx"], *unpacked(body))]
    return [
        (str(UUID(bytes=task)) if isinstance(task, bytes) else task, idx, channel, value)
        for task, _, writes in unpacked(row["body"])
        for idx, channel, value in writes
    ]


def _entry(entry: bytes | list[Any]) -> bytes | Ref:
    return entry if isinstance(entry, bytes) else Ref(*entry)


def _listed(rest: list[Any]) -> bytes | list[Any]:
    """The entry that an item of a wide manifest stands for."""
    return rest[0] if len(rest) == 1 else rest[:3]


def _entry_digest(entry: bytes | Ref) -> bytes:
    return digest(b"value", entry) if isinstance(entry, bytes) else entry.digest


def _plain(chunk: sqlite3.Row) -> bytes:
    flag, body = chunk["body"][:1], chunk["body"][1:]
    if flag == b"\x01":
        return zstd.decompress(body)
    return bytes(body if flag == b"\x00" else chunk["body"])
