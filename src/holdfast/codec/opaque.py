"""A value whose class or library is missing: it can be inspected, compared, and saved again as the same bytes."""

from __future__ import annotations

from typing import Any

from holdfast._system.interrupts import is_interrupt
from holdfast.codec.families.base_family import Fields, fields_in
from holdfast.codec.handler import MESSAGE, OBJECT, ClassLookup, already_packed
from holdfast.codec.handlers.langchain_messages import as_fields
from holdfast.codec.wire import Key, Marker, pack_raw, unpack, unpack_raw
from holdfast.errors import Corrupt


class Opaque:
    """A stored value that this program can't build.

    Name its class in ``types`` (or ``{"old.module.Name": Class}`` if it moved) and it loads as an instance of it.
    """

    # No __slots__: `opaque_mapping` has a subclass that is a dict too, and Python can't combine both layouts.

    _classes: ClassLookup
    _is_unique: bool | None  # whether it equals nothing but itself; None until it was asked for
    _record: bytes
    name: str
    """``module.QualName`` of the class, or ``tag 24`` for a value of another kind."""
    kind: str
    """How the class was made: "dataclass", "pydantic", "enum", ..."""

    def __init__(self, raw: list[Any], classes: ClassLookup) -> None:
        kind, name = kind_and_name(raw)
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "kind", kind)
        object.__setattr__(self, "_record", pack_raw(raw))
        object.__setattr__(self, "_classes", classes)
        object.__setattr__(self, "_is_unique", None)

    @property
    def fields(self) -> dict[str, Any]:
        """The fields by name, decoded at each call. Values of known classes are instances of them."""
        from holdfast.codec.decoder import revive_items

        try:
            marker, *parts = unpack(self._record)[0]
            return _fields(marker.code, revive_items(parts, self._classes))
        except Exception as error:
            if is_interrupt(error):
                raise
            raise Corrupt(f"the fields of a stored {self.name} do not decode: {error}") from error

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__} can't be changed")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} can't be changed")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Opaque):
            return NotImplemented
        return self is other or (self._record == other._record and not self._compares_by_identity())

    def _compares_by_identity(self) -> bool:
        if self._is_unique is None:
            object.__setattr__(self, "_is_unique", _has_unique_part(unpack_raw(self._record)))
        return bool(self._is_unique)

    def __hash__(self) -> int:
        return hash(self._record)

    def __repr__(self) -> str:
        try:
            fields = ", ".join(f"{name}={value!r}" for name, value in self.fields.items())
        except Corrupt:
            fields = "fields that do not decode"
        return f"<opaque {self.name}: {fields}>"

    def __copy__(self) -> Opaque:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Opaque:
        return self


def kind_and_name(raw: list[Any]) -> tuple[str, str]:
    """Of a decoded record, as `Opaque` shows them."""
    if raw[0].code == MESSAGE:
        return "message", str(raw[1])
    if raw[0].code != OBJECT:
        return "tag", f"tag {raw[0].code}"
    _, kind, name, *_ = raw
    return str(kind), str(name)


def _has_unique_part(raw: Any) -> bool:
    """Whether a part of a decoded record equals nothing but itself: an instance of a class that compares by identity,
    whose record has an extra part after the fields, or NaN. Such records must not merge in a set, or as keys."""
    parts = [raw]
    for part in parts:  # which grows
        if type(part) is dict:
            parts += (*part, *part.values())
        elif type(part) is Key:
            parts.append(part.raw)
        elif type(part) is list:
            if part and type(part[0]) is Marker and part[0].code == OBJECT and len(part) % 2 == 0:
                return True
            parts += part
        elif type(part) is float and part != part:
            return True
    return False


def _fields(tag: int, parts: list[Any]) -> Fields:
    if tag == MESSAGE:
        return as_fields(parts)
    return fields_in(parts, 2) if tag == OBJECT else {str(index): part for index, part in enumerate(parts)}


already_packed[Opaque] = lambda opaque: unpack_raw(opaque._record)
