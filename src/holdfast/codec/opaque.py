"""A value whose class or library is not here: it can be looked at, compared, and saved again to the same bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast.codec.messages import as_fields
from holdfast.codec.objects import Fields, fields_in
from holdfast.codec.registry import MESSAGE, OBJECT, already_packed
from holdfast.codec.wire import pack_raw, unpack, unpack_raw
from holdfast.errors import Corrupt

if TYPE_CHECKING:
    from holdfast.codec.classes import Classes


class Opaque:
    """A stored value this program can't build.

    Give its class to ``types`` (or ``{"old.module.Name": Class}`` if it moved) and it loads as itself.
    """

    __slots__ = ("_classes", "_is_unique", "_record", "kind", "name")

    _classes: Classes
    _is_unique: bool
    _record: bytes
    name: str
    """``module.QualName`` of the class, or ``tag 24`` for a value of another kind."""
    kind: str
    """How the class was made: "dataclass", "pydantic", "enum", ..."""

    def __init__(self, raw: list[Any], classes: Classes) -> None:
        kind, name = _kind_and_name(raw)
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "kind", kind)
        object.__setattr__(self, "_record", pack_raw(raw))
        object.__setattr__(self, "_classes", classes)
        # An odd part after the fields: the class compares by identity, and its records must not merge in a set.
        object.__setattr__(self, "_is_unique", raw[0].code == OBJECT and len(raw) % 2 == 0)

    @property
    def fields(self) -> dict[str, Any]:
        """The fields by name, decoded anew at each call. Values of known classes are themselves."""
        from holdfast.codec.revive import revive_items

        try:
            marker, *parts = unpack(self._record)[0]
            return _fields(marker.code, revive_items(parts, self._classes))
        except Exception as error:
            raise Corrupt(f"the fields of a stored {self.name} do not decode: {error}") from error

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__} can't be changed")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} can't be changed")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Opaque):
            return NotImplemented
        return self is other or (self._record == other._record and not self._is_unique)

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


def _kind_and_name(raw: list[Any]) -> tuple[str, str]:
    if raw[0].code == MESSAGE:
        return "message", str(raw[1])
    if raw[0].code != OBJECT:
        return "tag", f"tag {raw[0].code}"
    _, kind, name, *_ = raw
    return str(kind), str(name)


def _fields(tag: int, parts: list[Any]) -> Fields:
    if tag == MESSAGE:
        return as_fields(parts)
    return fields_in(parts, 2) if tag == OBJECT else {str(index): part for index, part in enumerate(parts)}


already_packed[Opaque] = lambda opaque: unpack_raw(opaque._record)
