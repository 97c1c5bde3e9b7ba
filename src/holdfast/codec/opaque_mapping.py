"""An opaque model or dataclass that is also a dict of its fields, for libraries that build classes from dicts.

LangGraph hands a graph's state to pydantic. If the class of a part was renamed, moved or local to a function, pydantic
can still build the class that the state names now: it accepts a dict, and only a real one.
"""

from __future__ import annotations

from typing import Any, Final, NoReturn

from holdfast.codec.families.pydantic_models import EXTRA, PRIVATE, SET
from holdfast.codec.handler import ClassLookup, already_packed
from holdfast.codec.opaque import Opaque, kind_and_name
from holdfast.codec.wire import unpack_raw
from holdfast.errors import Corrupt

_KINDS: Final = frozenset({"dataclass", "pydantic"})


class OpaqueMapping(Opaque, dict[str, Any]):
    """Shows the fields as items. It can't be changed, and saves again as the same bytes."""

    def __init__(self, raw: list[Any], classes: ClassLookup) -> None:
        super().__init__(raw, classes)
        fields = self.fields
        extra = fields.pop(EXTRA, None) or {}
        for name in (SET, PRIVATE):
            fields.pop(name, None)
        dict.update(self, {**fields, **extra})

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError(f"a stored {self.name} can't be changed while its class is not known; change a dict(...) of it")

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse
    __eq__ = Opaque.__eq__
    __hash__ = Opaque.__hash__  # type: ignore[assignment]

    def copy(self) -> dict[str, Any]:
        """A dict that can be changed."""
        return dict(self)


def opaque(raw: list[Any], classes: ClassLookup) -> Opaque:
    """A record that no known class takes, in the form that the codec's user wants."""
    if not classes.mappings or kind_and_name(raw)[0] not in _KINDS:
        return Opaque(raw, classes)
    try:
        return OpaqueMapping(raw, classes)
    except (Corrupt, RecursionError):  # its fields can't be shown; it can still be saved again
        return Opaque(raw, classes)


already_packed[OpaqueMapping] = lambda value: unpack_raw(value._record)
