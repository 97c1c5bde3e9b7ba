"""What travels: the records that a thread is taken apart into, on its way to a bundle or to another store.

A thread comes in two parts. First its outline: the number and digest of every checkpoint and journal entry that it
has, so that a target knows what it lacks before it writes anything. Then the content, in the order in which a target
may store it. Values are changes to those of an earlier checkpoint, as in a store (see docs/reference/format.md), and
name no logs, lines or trees: those belong to one store alone. docs/reference/bundle.md describes each field.
"""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec import Struct

Value = None | bytes | tuple[bytes]
"""None: that of the base. Bytes: the encoded value. A tuple of one: a change to that of the base."""

Write = tuple[str, str, int, str, bytes | list[int]]
"""Task, path, index, channel, and the value: encoded, or where it stands in that channel of the sealing checkpoint."""


class Opening(Struct, array_like=True, tag="bundle", frozen=True):
    """The first record of a bundle."""

    format: int
    threads: int


class Line(Struct, array_like=True, frozen=True):
    """One namespace of a thread."""

    namespace: str
    seq: int  # the last number handed out
    head: int  # the number of the latest checkpoint; 0 if there is none
    updated_at: int
    base: int  # up to here its checkpoints are those of the thread that it shares with
    whole: bool  # a copy, which shares branches too
    told: bool  # whether the content has all that is said about shared checkpoints; else it is what the other says
    hidden: list[int] = []  # removed, and in the outline all the same: what others' open channels are made of


class Thread(Struct, array_like=True, tag="thread", frozen=True):
    id: str
    metadata: bytes
    created_at: int
    from_thread: str | None
    from_checkpoint: str | None
    shares: str | None  # an earlier thread that has the checkpoints up to each line's `base`
    journal: int  # the last number of the journal
    base_journal: int  # up to here it is that of the thread it shares with
    lines: list[Line]  # inner namespaces first, the root last


class Outline(Struct, array_like=True, tag="outline", frozen=True):
    """Checkpoints of one namespace, oldest first: number, digest, and a hash of what was said about each later."""

    namespace: str
    rows: list[tuple[int, bytes, bytes]]


class Entries(Struct, array_like=True, tag="entries", frozen=True):
    """Journal entries, oldest first: number and hash."""

    rows: list[tuple[int, bytes]]


class Content(Struct, array_like=True, tag="content", frozen=True):
    """The outline ends here."""


class Entry(Struct, array_like=True, tag="journal", frozen=True):
    seq: int
    kind: str
    key: str | None
    created_at: int
    body: bytes


class Point(Struct, array_like=True, tag="checkpoint", frozen=True):
    namespace: str
    seq: int
    id: str
    parent_id: str | None
    parent_seq: int  # the nearest ancestor that is there; 0 if there is none
    parent_thread: str | None
    proof: bytes | None  # the parent's digest that this one's was made with
    proven: bool  # false if that digest is no longer known, so that this one's can't be checked
    step: int
    source: str
    node: str
    next: bytes
    run_id: str | None
    status: str
    label: str
    metadata: bytes
    created_at: int
    journal_seq: int
    size: int
    origin: str | None
    digest: bytes
    base: int  # the checkpoint of the same namespace that values are relative to; 0 for none
    channels: list[tuple[str, Value]]
    extra: bool | Value  # false if there is none
    open: list[str] = []  # channels without a value here, which is made of what was written since an ancestor's


class Words(Struct, array_like=True, tag="words", frozen=True):
    """Label and status as they are now, where they are not those that the checkpoint was saved with."""

    namespace: str
    seq: int
    label: str
    status: str


class Writes(Struct, array_like=True, tag="writes", frozen=True):
    """Pending writes of one checkpoint."""

    namespace: str
    seq: int
    number: int  # the checkpoint that sealed them, which came before this record; 0 if none did
    writes: list[Write]


class Done(Struct, array_like=True, tag="done", frozen=True):
    """The thread ends here."""


class Closing(Struct, array_like=True, tag="end", frozen=True):
    """The last record of a bundle."""

    threads: int
    checkpoints: int


Record = Opening | Thread | Outline | Entries | Content | Entry | Point | Words | Writes | Done | Closing
Said = Entry | Point | Words | Writes
"""What content is made of."""

FORMAT: Final = 1
encode = msgspec.msgpack.Encoder().encode
decode = msgspec.msgpack.Decoder(Record).decode
