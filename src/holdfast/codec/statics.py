"""Looking at classes and modules without running anything of theirs: no metaclass, descriptor or ``__getattr__``.

A record may name any class that is imported, so looking at one must be as harmless as reading its name. What `type`
itself has to say about a class is asked through `type`'s own descriptors, and attributes are looked up in its dicts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MemberDescriptorType, ModuleType
from typing import Any

MISSING = object()

_HEAP_TYPE, _ABSTRACT = 1 << 9, 1 << 20
"""Flags of a class: made by a class statement, not in C; has abstract methods."""


def _getter(cls: type, name: str) -> Any:
    return cls.__dict__[name].__get__


ancestors = _getter(type, "__mro__")
"""A class, its base, that one's base, ... up to object."""

_own = _getter(type, "__dict__")
_module = _getter(type, "__module__")
_qualname = _getter(type, "__qualname__")
_flags = _getter(type, "__flags__")
_contents = _getter(ModuleType, "__dict__")


def contents(module: Any) -> Mapping[str, Any]:
    """What is in a module; nothing if it is something else that took a module's place."""
    found: Mapping[str, Any] = _contents(module) if issubclass(type(module), ModuleType) else {}
    return found


def own(cls: type) -> Mapping[str, Any]:
    """What a class itself declares."""
    found: Mapping[str, Any] = _own(cls)
    return found


def declared(cls: type, name: str) -> Any:
    """What a class or the nearest of its ancestors declares under this name, or `MISSING`."""
    return next((own(base)[name] for base in ancestors(cls) if name in own(base)), MISSING)


def declares(cls: type, *names: str) -> bool:
    return all(declared(cls, name) is not MISSING for name in names)


def slot(cls: type, name: str) -> MemberDescriptorType | None:
    """What reads and sets the slot of this name, or None if the class has no such slot."""
    found = declared(cls, name)
    return found if type(found) is MemberDescriptorType else None


def sets_plainly(cls: type, names: Iterable[str]) -> bool:
    """Whether setting these attributes of an instance calls no descriptor: each is a slot, or kept in its dict."""
    return all(slot(cls, name) or not declares(type(declared(cls, name)), "__set__") for name in names)


def is_class(value: Any) -> bool:
    return issubclass(type(value), type)


def name_of(cls: type) -> str:
    """``module.QualName``, as records have it."""
    return f"{_module(cls)}.{_qualname(cls)}"


def is_named(cls: type, name: str) -> bool:
    """The same, also for a class whose module is no text but something of its own making."""
    return type(_module(cls)) is str and name_of(cls) == name


def is_python_class(cls: type) -> bool:
    return bool(_flags(cls) & _HEAP_TYPE)


def is_abstract(cls: type) -> bool:
    return bool(_flags(cls) & _ABSTRACT)
