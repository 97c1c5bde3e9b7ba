"""Classes found by name among what the program has imported.

Nothing is imported for a record's sake, and nothing is called or asked on the way: a name leads from an entry of
``sys.modules`` through the dicts of a module and of classes, or nowhere. What it leads to counts only if it is a class
of exactly that name, and if an instance of it can be made and dropped without running code of its own.
"""

from __future__ import annotations

import sys
from typing import Any

from holdfast.codec.objects import Family, family_of
from holdfast.codec.statics import contents, declared, declares, is_abstract, is_class, is_named, own

_LONGEST_NAME = 1000
"""Names of this length are made by nobody; looking for them would take its time."""


def class_named(name: str) -> Any:
    """The class of this full name if it is imported, or None."""
    if len(name) > _LONGEST_NAME:
        return None
    module, path = _split(name)
    found = contents(module).get(path[0], None)
    for part in path[1:]:
        found = own(found).get(part) if is_class(found) else None
    return found if is_class(found) and is_named(found, name) else None


def _split(name: str) -> tuple[Any, list[str]]:
    """The module with the longest name that this one starts with, and the way on from there."""
    module_name, _, last = name.rpartition(".")
    path = [last]
    while module_name and module_name not in sys.modules:
        module_name, _, part = module_name.rpartition(".")
        path.insert(0, part)
    return sys.modules.get(module_name), path


def quiet_family(cls: type) -> Family | None:
    """The family of a class whose instances can be built from any record without running code of the class."""
    if is_abstract(cls) or issubclass(cls, BaseException) or not _is_read_plainly(cls):
        return None
    if declares(cls, "__del__"):  # it would run when the instance is dropped, on whatever fields the record has
        return None
    family = family_of(cls)
    return family if family is not None and family.is_quiet(cls) else None


def _is_read_plainly(cls: type) -> bool:
    """Whether the metaclass leaves it to `type` to read the attributes of the class."""
    return declared(type(cls), "__getattribute__") is declared(type, "__getattribute__")
