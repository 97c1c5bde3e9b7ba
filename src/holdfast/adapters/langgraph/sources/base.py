"""What a source has: rows as they are stored, with nothing decoded yet.

A source never writes: not to the tables, not beside the file, not to a session that others may share. It is read in
small pieces, each of them one moment of the database, so that nothing there waits for a long copy, and memory stays the
same however large the source is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple


class Key(NamedTuple):
    """A checkpoint within its thread. Sorted, keys are in the order of their ids."""

    id: str
    namespace: str


class Typed(NamedTuple):
    """A serialized value, and the name of its serialization."""

    type: str | None
    data: bytes | str | None


PLAIN_JSON = "jsonb"
"""The type of a checkpoint that is a JSON document, in which nothing stands for an object."""


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
    """A checkpoint with all that belongs to it. `blobs` are the channels that are stored apart from it."""

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
    """A database to read from. It may be in use; what is added meanwhile may be seen or not."""

    sends_in_parent: ClassVar[bool]
    """Whether checkpoints before format 4 have their sends among the writes of their parent, and nowhere else."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What to call it in messages. Never has a password in it."""

    @abstractmethod
    def totals(self, threads: Collection[str] | None = None) -> Totals:
        """How much there is, in all threads or in these."""

    @abstractmethod
    def threads(self) -> Iterator[str]:
        """The id of every thread, once."""

    @abstractmethod
    def keys(self, thread: str, after: Key | None, limit: int) -> list[Key]:
        """The next checkpoints of a thread, in all of its namespaces, in the order of their ids."""

    @abstractmethod
    def rows(self, thread: str, keys: Sequence[Key]) -> Iterator[Row]:
        """These checkpoints in this order, without those that are gone by now."""

    @abstractmethod
    def sends(self, thread: str, key: Key) -> list[StoredWrite]:
        """The writes to a checkpoint that send something to a node, in order."""

    @abstractmethod
    def close(self) -> None: ...

    def __enter__(self) -> Source:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()
