"""How a state changes: from the manifest a save starts from to the next one, with the rows it takes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from holdfast.backends.base import Drop
from holdfast.backends.rows import Row
from holdfast.engine import load, values
from holdfast.engine.context import Engine, Handle
from holdfast.engine.manifest import Entry, Inline, Manifest, Ref
from holdfast.engine.values import Home, Version, Written
from holdfast.errors import EncodeError

Change = Callable[[Engine, Handle, "Base"], Awaitable["Changed"]]
"""From the state a save starts from to the new one, with the rows it takes."""


class Base(NamedTuple):
    """The state that a save starts from."""

    tree: int
    manifest: Manifest
    size: int = 0


@dataclass(slots=True)
class Changed:
    """The new manifest, and what has to be written for it."""

    manifest: Manifest
    size: int = 0
    rows: list[Row] = field(default_factory=list)
    drops: list[Drop] = field(default_factory=list)
    versions: list[tuple[Ref, Version]] = field(default_factory=list)
    stored: int = 0

    def add(self, written: Written) -> Entry:
        self.rows += written.rows
        self.drops += written.drops
        self.stored += written.bytes
        if written.version is not None and isinstance(written.entry, Ref):
            self.versions.append((written.entry, written.version))
        return written.entry


def replacing(channels: Mapping[str, bytes], extra: bytes | None) -> Change:
    """The whole state becomes these encoded channels."""

    async def change(engine: Engine, handle: Handle, base: Base) -> Changed:
        known = await load.versions(engine, base.tree, _touched(base.manifest, channels, extra))
        changed = Changed(base.manifest)
        home = engine.home(base.tree)
        before = base.manifest.channels
        entries = {
            name: store_value(home, enc, before.get(name), known, changed, name) for name, enc in channels.items()
        }
        packed = None if extra is None else store_value(home, extra, base.manifest.extra, known, changed)
        changed.manifest = Manifest(entries, packed)
        changed.size = sum(map(len, channels.values())) + len(extra or b"")
        return changed

    return change


def _touched(known: Manifest, channels: Mapping[str, bytes], extra: bytes | None) -> list[Entry]:
    entries = [known.channels[name] for name in channels if name in known.channels]
    return entries + ([known.extra] if extra is not None and known.extra is not None else [])


def store_value(
    home: Home, enc: bytes, base: Entry | None, known: dict[Ref, Version], changed: Changed, name: str = ""
) -> Entry:
    """The entry for this encoding: the base itself if nothing changed."""
    try:
        return _store_value(home, enc, base, known, changed)
    except RecursionError as error:
        raise EncodeError("nests too deeply to be taken apart again", path=f"state[{name!r}]") from error


def _store_value(home: Home, enc: bytes, base: Entry | None, known: dict[Ref, Version], changed: Changed) -> Entry:
    if isinstance(base, Inline):
        return base if base.enc == enc else changed.add(values.write(home, enc, None, None))
    if base is None:
        return changed.add(values.write(home, enc, None, None))
    old = load.version_of(base, known)
    if old.parts.size == len(enc) and old.parts.enc == enc:
        return base
    return changed.add(values.write(home, enc, base, old))
