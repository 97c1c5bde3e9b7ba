"""What a save says besides the state."""

from __future__ import annotations

from typing import NamedTuple

from holdfast.model import Parent


class SaveFields(NamedTuple):
    """What a save says besides the state; encoded where needed, checked by the façade."""

    node: str = ""
    next: tuple[str, ...] | None = ()  # None: as the parent
    step: int | None = None
    source: str = "loop"
    run_id: str | None = None
    status: str | None = "running"  # None: as the parent
    label: str = ""
    metadata: bytes | None = None
    origin: str | None = None
    journal_seq: int | None = None
    id: str | None = None
    parent: Parent = None
    expect_head: str | None = None
    parent_thread: str | None = None
    outer: tuple[str, ...] = ()  # the checkpoints of enclosing namespaces that it names
