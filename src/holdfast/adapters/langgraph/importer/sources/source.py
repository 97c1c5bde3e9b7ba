"""The interface of a source: rows as they are stored, not decoded.

A source never writes: neither to tables, nor beside the file, nor to the settings of a session. It is read in small
transactions, so that a long import blocks no other user of the database and needs little memory.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple


class Key(NamedTuple):
    """Identifies a checkpoint within its thread. Keys sort by id."""

    id: str
    namespace: str


class Typed(NamedTuple):
    """A serialized value, and the name of its serialization."""

    type: str | None
    data: bytes | str | None


PLAIN_JSON = "jsonb"
"""The type of a checkpoint stored as a JSON document without serialized objects."""


@dataclass(frozen=True, slots=True)
class StoredWrite:
    task_path: str
    task_id: str
    idx: int
    channel: str
    value: Typed

    @classmethod
    def of(cls, columns: Sequence[Any]) -> StoredWrite:
        path, task, idx, channel, type_, data = columns
        return cls(path, task, idx, channel, Typed(type_, data))

    @property
    def order(self) -> tuple[str, str, int]:
        return self.task_path, self.task_id, self.idx


@dataclass(frozen=True, slots=True)
class Row:
    """A checkpoint with its writes. `blobs` are the channels that are stored apart from it."""

    thread: str
    key: Key
    parent: str | None
    checkpoint: Typed
    metadata: bytes | str | None
    writes: Sequence[StoredWrite]
    blobs: dict[str, Typed] = field(default_factory=dict)


class Totals(NamedTuple):
    threads: int
    checkpoints: int


class Source(ABC):
    """A database to read from. It may be in use; rows that are added during the import may be seen or not."""

    sends_in_parent: ClassVar[bool]
    """Whether the sends of checkpoints before format 4 are stored only among the writes of their parent."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The name for messages, without a password."""

    @abstractmethod
    def totals(self, threads: Collection[str] | None = None) -> Totals:
        """The numbers of threads and checkpoints, in all or in these threads."""

    @abstractmethod
    def threads(self) -> Iterator[str]:
        """The id of every thread, once."""

    @abstractmethod
    def keys(self, thread: str, after: Key | None, limit: int) -> list[Key]:
        """The next checkpoints of a thread, in all of its namespaces, in the order of their ids."""

    @abstractmethod
    def rows(self, thread: str, keys: Sequence[Key]) -> Iterator[Row]:
        """These checkpoints in this order, without those that were removed since."""

    @abstractmethod
    def sends(self, thread: str, key: Key) -> list[StoredWrite]:
        """The writes of a checkpoint that are sends to a node, in order."""

    @abstractmethod
    def close(self) -> None: ...

    def __enter__(self) -> Source:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()
