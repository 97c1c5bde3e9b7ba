"""What changed between two checkpoints, as paths: readable when printed, JSON-able when stored.

::

    --- 06gy17p8yhfks0yxtxmy
    +++ 06gy17p8yjhy1any790v
    ~ plan.steps[2]: 'draft' → 'send'
    + messages[4]: {'role': 'tool', 'content': '42'}
    - notes['todo']: 'ask'
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal

from holdfast._json import to_json
from holdfast.codec import Codec, Opaque, channels_of
from holdfast.engine.checkpoints import hydrate
from holdfast.engine.checkpoints.read import pointed
from holdfast.engine.context import Engine, Handle
from holdfast.engine.values import loader
from holdfast.engine.values.sequence_diff import gaps
from holdfast.errors import InvalidArgument

Kind = Literal["added", "removed", "changed"]
_SIGNS: Final[dict[Kind, str]] = {"added": "+", "removed": "-", "changed": "~"}
_SHORT: Final = 100
_MAX_DEPTH: Final = 64


@dataclass(frozen=True, slots=True)
class Difference:
    """One place where two states differ. `old` is None where something was added, `new` where it was removed."""

    path: str
    kind: Kind
    old: Any = None
    new: Any = None

    def __str__(self) -> str:
        shown = {"added": [self.new], "removed": [self.old], "changed": [self.old, self.new]}[self.kind]
        return f"{_SIGNS[self.kind]} {self.path}: {' → '.join(map(_short, shown))}"

    def to_json(self) -> dict[str, Any]:
        found: dict[str, Any] = {"path": self.path, "kind": self.kind}
        if self.kind != "added":
            found["old"] = to_json(self.old)
        if self.kind != "removed":
            found["new"] = to_json(self.new)
        return found


@dataclass(frozen=True, slots=True)
class Diff:
    """Everything that differs between checkpoint `a` and checkpoint `b`."""

    a: str
    b: str
    changes: tuple[Difference, ...]

    def __bool__(self) -> bool:
        return bool(self.changes)

    def __len__(self) -> int:
        return len(self.changes)

    def __iter__(self) -> Iterator[Difference]:
        return iter(self.changes)

    def __str__(self) -> str:
        lines = [f"--- {self.a}", f"+++ {self.b}", *map(str, self.changes)]
        return "\n".join(lines if self.changes else [*lines, "(no difference)"])

    def to_json(self) -> dict[str, Any]:
        return {"a": self.a, "b": self.b, "changes": [change.to_json() for change in self.changes]}


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _SHORT else f"{text[:_SHORT]}… ({len(text)} characters)"


# ------------------------------------------------------------------------------------------------ comparing


async def diff(engine: Engine, a: tuple[Handle, str], b: tuple[Handle, str]) -> Diff:
    """Channels that are the same stored version are not even loaded."""
    (_, old), (_, new) = await pointed(engine, *a), await pointed(engine, *b)
    before, after = (await loader.manifest_of(engine, old)).channels, (await loader.manifest_of(engine, new)).channels
    same = {name for name in before if name in after and before[name].digest == after[name].digest}
    codec = a[0].codec
    old_state, _ = await hydrate.channels(engine, codec, old, before.keys() - same)
    new_state, _ = await hydrate.channels(engine, codec, new, after.keys() - same)
    found = _keys(codec, "", old_state, new_state, 0)
    return Diff(old.id, new.id, tuple(found))


def _compare(codec: Codec, path: str, old: Any, new: Any, depth: int) -> Iterator[Difference]:
    if type(old) is type(new) and depth < _MAX_DEPTH:
        if isinstance(old, Opaque):  # first: it may be a dict too
            yield from _attributes(codec, path, old.fields, new.fields, depth + 1)
            return
        if isinstance(old, dict):
            yield from _keys(codec, path, old, new, depth + 1)
            return
        if isinstance(old, list | tuple) and not hasattr(old, "_fields"):
            yield from _items(codec, path, old, new, depth + 1)
            return
        fields = _fields(old), _fields(new)
        if fields[0] is not None and fields[1] is not None:
            yield from _attributes(codec, path, fields[0], fields[1], depth + 1)
            return
    if codec.encode(old) != codec.encode(new):
        yield Difference(path, "changed", old, new)


def _keys(codec: Codec, path: str, old: dict[Any, Any], new: dict[Any, Any], depth: int) -> Iterator[Difference]:
    for key in old:
        if key not in new:
            yield Difference(_key_path(path, key), "removed", old=old[key])
    for key in new:
        if key not in old:
            yield Difference(_key_path(path, key), "added", new=new[key])
        else:
            yield from _compare(codec, _key_path(path, key), old[key], new[key], depth)


def _items(codec: Codec, path: str, old: Any, new: Any, depth: int) -> Iterator[Difference]:
    for a0, a1, b0, b1 in gaps([codec.encode(item) for item in old], [codec.encode(item) for item in new]):
        if a1 - a0 == b1 - b0:
            for i in range(a1 - a0):
                yield from _compare(codec, f"{path}[{b0 + i}]", old[a0 + i], new[b0 + i], depth)
            continue
        yield from (Difference(f"{path}[{i}]", "removed", old=old[i]) for i in range(a0, a1))
        yield from (Difference(f"{path}[{i}]", "added", new=new[i]) for i in range(b0, b1))


def _attributes(codec: Codec, path: str, old: dict[str, Any], new: dict[str, Any], depth: int) -> Iterator[Difference]:
    for name in {**old, **new}:
        if name in old and name in new:
            yield from _compare(codec, f"{path}.{name}", old[name], new[name], depth)
        elif name in old:
            yield Difference(f"{path}.{name}", "removed", old=old[name])
        else:
            yield Difference(f"{path}.{name}", "added", new=new[name])


def _fields(value: Any) -> dict[str, Any] | None:
    try:
        return channels_of(value)
    except InvalidArgument:
        return None


def _key_path(path: str, key: Any) -> str:
    if not path:
        return key if isinstance(key, str) and key.isidentifier() else f"[{key!r}]"
    return f"{path}[{key!r}]"
