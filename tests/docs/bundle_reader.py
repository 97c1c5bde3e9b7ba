"""A reader of bundles that shares no code with Holdfast: written from docs/reference/bundle.md and format.md alone."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from copy import deepcopy
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgpack

from tests.docs.format_reader import changed, digest, packed, unpacked, value_digest

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

FIRST = b"holdfast bundle 1\n"
CHECKPOINT = (
    "namespace", "seq", "id", "parent_id", "parent_seq", "parent_thread", "parent_digest", "verifiable", "step",
    "source", "node", "next", "run_id", "status", "label", "metadata", "created_at", "journal_seq", "size", "origin",
    "digest", "base", "channels", "extra", "open",
)  # fmt: skip


def records(path: Path) -> Iterator[list[Any]]:
    data = path.read_bytes()
    assert data.startswith(FIRST)
    at, before = len(FIRST), b""
    while at < len(data):
        size = int.from_bytes(data[at : at + 4], "little")
        body = data[at + 20 : at + 20 + size]
        assert data[at + 4 : at + 20] == blake2b(before + body, digest_size=16, person=b"bundle").digest()
        before = data[at + 4 : at + 20]
        yield from msgpack.unpackb(zstd.decompress(body), strict_map_key=False)
        at += 20 + size


class Bundle:
    """Every thread of a bundle, put together and checked: by id, then namespace, then number."""

    def __init__(self, path: Path) -> None:
        self.checkpoints: dict[str, dict[str, dict[int, dict[str, Any]]]] = {}
        self.journals: dict[str, dict[int, list[Any]]] = {}
        self.ended = False
        for kind, *fields in records(path):
            getattr(self, f"_{kind}")(*fields)

    def _bundle(self, number: int, threads: int) -> None:
        assert number == 1

    def _thread(self, id: str, *fields: Any) -> None:
        shares, _, base_journal, lines = fields[4:]
        self._now = self.checkpoints[id] = {}
        self._journal_now = self.journals[id] = {}
        self._removed = {line[0]: set(line[7]) for line in lines}
        for namespace, _, _, _, base, _, annotated, _ in lines:
            theirs = self.checkpoints[shares].get(namespace, {}) if shares is not None else {}
            shared = {seq: dict(one) for seq, one in theirs.items() if seq <= base}
            if annotated:
                for one in shared.values():
                    one |= {**one["saved"], "writes": {}}
            self._now[namespace] = shared
        if shares is not None:
            self._journal_now.update({seq: one for seq, one in self.journals[shares].items() if seq <= base_journal})
        self._outlined: dict[str, dict[int, bytes]] = {namespace: {} for namespace in self._now}

    def _outline(self, namespace: str, rows: list[list[Any]]) -> None:
        self._outlined[namespace].update({seq: found for seq, found, _ in rows})

    def _entries(self, rows: list[list[Any]]) -> None: ...

    def _content(self) -> None: ...

    def _journal(self, seq: int, *fields: Any) -> None:
        self._journal_now[seq] = [*fields[:3], unpacked(fields[3])]

    def _checkpoint(self, *fields: Any) -> None:
        one = dict(zip(CHECKPOINT, fields, strict=True))
        base = self._now[one["namespace"]].get(one["base"], {"state": {}, "extra": None})
        one["state"] = {name: self._value(value, base["state"].get(name)) for name, value in one["channels"]}
        one["extra"] = None if one["extra"] is False else self._value(one["extra"], base["extra"])
        one["writes"] = {}
        one["saved"] = {"label": one["label"], "status": one["status"]}
        if one["verifiable"]:
            assert one["digest"] == _checkpoint_digest(one)
        self._now[one["namespace"]][one["seq"]] = one

    def _value(self, value: Any, base: Any) -> Any:
        if value is None:
            return base
        return unpacked(value) if isinstance(value, bytes) else changed(deepcopy(base), unpacked(value[0]))

    def _overlay(self, namespace: str, seq: int, label: str, status: str) -> None:
        self._now[namespace][seq] |= {"label": label, "status": status}

    def _writes(self, namespace: str, seq: int, settled_by: int, writes: list[list[Any]]) -> None:
        for task, _, index, channel, value in writes:
            if isinstance(value, bytes):
                found = unpacked(value)
            else:
                found = self._now[namespace][settled_by]["state"][channel]
                found = found[value[0] : value[1]] if len(value) == 2 else found[value[0]] if value else found
            known = self._now[namespace][seq]
            known["writes"] = {**known["writes"], (task, index): (channel, found)}

    def _done(self) -> None:
        for namespace, wanted in self._outlined.items():
            shown = self._now[namespace]
            assert set(shown) >= set(wanted)
            unseen = (set(shown) - set(wanted)) | self._removed[namespace]  # another thread's, or removed
            hidden = {seq: shown.pop(seq) for seq in unseen}
            for one in shown.values():
                while one["parent_seq"] in hidden:
                    one["parent_seq"] = hidden[one["parent_seq"]]["parent_seq"]
                    one["parent_id"] = shown.get(one["parent_seq"], {}).get("id")
            listed = {seq: digest for seq, digest in wanted.items() if seq not in self._removed[namespace]}
            assert {seq: one["digest"] for seq, one in shown.items()} == listed

    def _end(self, threads: int, checkpoints: int) -> None:
        assert threads == len(self.checkpoints)
        self.ended = True


def _checkpoint_digest(one: dict[str, Any]) -> bytes:
    fields = [
        one["id"], one["namespace"], one["parent_digest"], one["step"], one["source"], one["node"], one["next"],
        one["run_id"], one["status"], one["metadata"], one["journal_seq"],
    ]  # fmt: skip
    channels = [[name, value_digest(value)] for name, value in sorted(one["state"].items())]
    extra = None if one["extra"] is None else value_digest(one["extra"])
    return digest(b"checkpoint", packed([fields, channels, extra]))
