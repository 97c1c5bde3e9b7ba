"""Classes found by name among those that the program has imported.

The lookup imports nothing and calls nothing: it goes from an entry of ``sys.modules`` through the dicts of a module and
of classes. The result counts only if it is a class of exactly that name, and if an instance of it can be created and
dropped without running code of the class.
"""

from __future__ import annotations

import sys
from typing import Any

from holdfast.codec.families.base_family import Family, family_of
from holdfast.codec.lookup.introspection import contents, declared, declares, is_abstract, is_class, is_named, own

_LONGEST_NAME = 1000
"""No real name is longer, and a lookup takes time in proportion to the length."""


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
    """The imported module with the longest name that is a prefix of this one, and the path from there."""
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
    if declares(cls, "__del__"):  # would run when the instance is dropped, on fields that the record chose
        return None
    family = family_of(cls)
    return family if family is not None and family.is_quiet(cls) else None


def _is_read_plainly(cls: type) -> bool:
    """Whether the metaclass inherits the reading of attributes from `type`."""
    return declared(type(cls), "__getattribute__") is declared(type, "__getattribute__")
