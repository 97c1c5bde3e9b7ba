"""Inspects classes and modules without running their code: no metaclass, descriptor or ``__getattr__``.

A record may name any imported class, so inspecting a class must be harmless. What `type` knows about a class is read
through `type`'s own descriptors, and attributes are looked up in the dicts of the class and its ancestors.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import GetSetDescriptorType, MemberDescriptorType, ModuleType
from typing import Any

MISSING = object()

_HEAP_TYPE, _ABSTRACT = 1 << 9, 1 << 20
"""Flags of a class: created by a class statement and not in C; has abstract methods."""


def _getter(cls: type, name: str) -> Any:
    return cls.__dict__[name].__get__


ancestors = _getter(type, "__mro__")
"""A class and its ancestors in method resolution order, up to object."""

_own = _getter(type, "__dict__")
_module = _getter(type, "__module__")
_qualname = _getter(type, "__qualname__")
_flags = _getter(type, "__flags__")
_contents = _getter(ModuleType, "__dict__")


def contents(module: Any) -> Mapping[str, Any]:
    """The contents of a module; empty if another object took the module's place in ``sys.modules``."""
    found: Mapping[str, Any] = _contents(module) if issubclass(type(module), ModuleType) else {}
    return found


def own(cls: type) -> Mapping[str, Any]:
    """The attributes that the class itself declares, without its ancestors."""
    found: Mapping[str, Any] = _own(cls)
    return found


def declared(cls: type, name: str) -> Any:
    """The attribute as the class or its nearest ancestor declares it, or `MISSING`."""
    return next((own(base)[name] for base in ancestors(cls) if name in own(base)), MISSING)


def declares(cls: type, *names: str) -> bool:
    return all(declared(cls, name) is not MISSING for name in names)


def slot(cls: type, name: str) -> MemberDescriptorType | None:
    """The descriptor of the slot of this name, or None if the class has no such slot."""
    found = declared(cls, name)
    return found if type(found) is MemberDescriptorType else None


def sets_plainly(cls: type, names: Iterable[str]) -> bool:
    """Whether setting these attributes calls no descriptor of the class: each is a slot, or is kept in ``__dict__``."""
    return all(slot(cls, name) or not declares(type(declared(cls, name)), "__set__") for name in names)


def has_plain_dict(cls: type) -> bool:
    """Whether ``__dict__``, if instances have one, is Python's own."""
    found = declared(cls, "__dict__")
    return found is MISSING or type(found) is GetSetDescriptorType


def is_class(value: Any) -> bool:
    return issubclass(type(value), type)


def name_of(cls: type) -> str:
    """``module.QualName``, as stored in records."""
    return f"{_module(cls)}.{_qualname(cls)}"


def is_named(cls: type, name: str) -> bool:
    """Whether this is the class's `name_of`; False for a class whose ``__module__`` is not a plain string."""
    return type(_module(cls)) is str and name_of(cls) == name


def is_python_class(cls: type) -> bool:
    return bool(_flags(cls) & _HEAP_TYPE)


def is_abstract(cls: type) -> bool:
    return bool(_flags(cls) & _ABSTRACT)
