"""The records that carry a thread to a bundle or to another store.

A thread comes in two parts. The outline comes first: the number and digest of every checkpoint and journal entry, so
that a target knows what it lacks before it writes anything. The content follows, in an order in which a target can
store it. Values are changes to those of an earlier checkpoint, as in a store (see docs/reference/format.md). Records
name no logs, lines or trees, because their numbers are valid in one store only. docs/reference/bundle.md describes each
field.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from holdfast.backends.rows import Number, Signed, Time

Value = None | bytes | tuple[bytes]
"""None: that of the base. Bytes: the encoded value. A tuple of one: a change to that of the base."""

Position = Annotated[list[Number], Meta(max_length=2)]
Write = tuple[str, str, Signed, str, bytes | Position]
"""Task, path, index, channel, and the value: encoded, or its position in that channel of the settling checkpoint."""


class BundleStart(Struct, array_like=True, tag="bundle", frozen=True):
    """The first record of a bundle."""

    format: int
    threads: int


class Line(Struct, array_like=True, frozen=True):
    """One namespace of a thread."""

    namespace: str
    seq: Number
    """The last number that was assigned."""
    head: Number
    """The number of the latest checkpoint; 0 if there is none."""
    updated_at: Time
    base: Number
    """Checkpoints up to this number are those of the thread that it shares with."""
    is_copy: bool
    """Whether it is a copy, which shares branches too."""
    annotated: bool
    """Whether the content has all annotations of shared checkpoints; if not, they are those of the other thread."""
    hidden: list[Number] = []
    """Removed checkpoints that are in the outline because open channels of others depend on them."""


class Thread(Struct, array_like=True, tag="thread", frozen=True):
    """A thread begins."""

    id: str
    metadata: bytes
    created_at: Time
    from_thread: str | None
    from_checkpoint: str | None
    shares: str | None
    """An earlier thread that has the checkpoints up to the `base` of each line."""
    journal: Number
    """The last number of the journal."""
    base_journal: Number
    """The journal up to this number is that of the thread that it shares with."""
    lines: list[Line]
    """Inner namespaces first, the root last."""


class Outline(Struct, array_like=True, tag="outline", frozen=True):
    """Checkpoints of one namespace, oldest first: number, digest, and hash of the annotations."""

    namespace: str
    rows: list[tuple[Number, bytes, bytes]]


class JournalOutline(Struct, array_like=True, tag="entries", frozen=True):
    """Journal entries, oldest first: number and hash."""

    rows: list[tuple[Number, bytes]]


class OutlineEnd(Struct, array_like=True, tag="content", frozen=True):
    """The outline ends, and the content begins."""


class JournalEntry(Struct, array_like=True, tag="journal", frozen=True):
    """One entry of the journal."""

    seq: Number
    kind: str
    key: str | None
    created_at: Time
    body: bytes


class Checkpoint(Struct, array_like=True, tag="checkpoint", frozen=True):
    """One checkpoint, with the label and status that it was saved with."""

    namespace: str
    seq: Number
    id: str
    parent_id: str | None
    parent_seq: Number
    """The nearest ancestor that is not removed; 0 if there is none."""
    parent_thread: str | None
    parent_digest: bytes | None
    """The digest of the parent that `digest` was computed with; empty if it is no longer known."""
    verifiable: bool
    """False if that digest is no longer known, so that `digest` can't be checked."""
    step: Signed
    source: str
    node: str
    next: bytes
    run_id: str | None
    status: str
    label: str
    metadata: bytes
    created_at: Time
    journal_seq: Number
    size: Number
    origin: str | None
    digest: bytes
    base: Number
    """The checkpoint of the same namespace that values are relative to; 0 for none."""
    channels: list[tuple[str, Value]]
    extra: bool | Value
    """False if there is none."""
    open: list[str] = []
    """Channels without a value here: theirs follows from what was written since the last ancestor that has one."""


class Overlay(Struct, array_like=True, tag="overlay", frozen=True):
    """The current label and status of a checkpoint that was saved with others."""

    namespace: str
    seq: Number
    label: str
    status: str


class Writes(Struct, array_like=True, tag="writes", frozen=True):
    """Pending writes of one checkpoint."""

    namespace: str
    seq: Number
    settled_by: Number
    """The checkpoint that settled them, which comes before this record; 0 if they are not settled."""
    writes: list[Write]


class ThreadEnd(Struct, array_like=True, tag="done", frozen=True):
    """The thread ends."""


class BundleEnd(Struct, array_like=True, tag="end", frozen=True):
    """The last record of a bundle."""

    threads: int
    checkpoints: int


OutlineRecord = Outline | JournalOutline
ContentRecord = JournalEntry | Checkpoint | Overlay | Writes
Record = BundleStart | Thread | OutlineRecord | OutlineEnd | ContentRecord | ThreadEnd | BundleEnd

FORMAT: Final = 1
encode = msgspec.msgpack.Encoder().encode
decode = msgspec.msgpack.Decoder(Record).decode


@dataclass(slots=True)
class ContentRequest:
    """The content that a target asks of a source. It is not part of a bundle, which has everything."""

    after: dict[str, int]
    """By namespace: checkpoints past this number."""
    annotations: dict[str, set[int]]
    """By namespace: earlier checkpoints whose annotations differ."""
    journal: Number
    """Journal entries past this number."""
    self_contained: bool = False
    """Whether values must not be changes to those of checkpoints that were not asked for."""
