"""Folder names: a thread's id, so that people find it, and its tree's number, so that no two names are the same.

``support/42`` in tree 0x1f3a is kept in ``support%2f42~1f3a``. A name has small letters, digits and ``-_=%+~`` only:
it is the same where case does not count, and is neither hidden nor reserved (``CON``), nor does it lead out of the
folder.

======================  ========================================================================
``a`` … ``z 0`` … ``9 _ -``   themselves; a ``-`` in front is ``%2d``, so that no command takes it for an option
``A`` … ``Z``           ``=`` and the small letter
anything else           ``%`` and two digits for each byte of UTF-8
``+`` before the ``~``  the id was too long and is cut off here; ``info.json`` has the whole id
======================  ========================================================================
"""

from __future__ import annotations

import re
from typing import Final

from holdfast.errors import Corrupt

_PLAIN: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_-")
_LONGEST: Final = 120  # with the tree's number well below what any file system allows, encrypted ones included
_LAST_TREE: Final = (1 << 63) - 1
_LEGAL: Final = re.compile(r"(?P<id>(?:[a-z0-9_-]|=[a-z]|%[0-9a-f]{2})*)(?P<cut>\+?)~(?P<tree>[0-9a-f]+)")
_PIECE: Final = re.compile(r"=([a-z])|((?:%[0-9a-f]{2})+)|([a-z0-9_-])")


def folder_name(thread_id: str, tree: int) -> str:
    encoded = ""
    for character in thread_id:
        piece = _encoded(character, first=not encoded)
        if len(encoded) + len(piece) > _LONGEST:
            encoded += "+"
            break
        encoded += piece
    return f"{encoded}~{tree:x}"


def _encoded(character: str, *, first: bool) -> str:
    if character in _PLAIN and not (first and character == "-"):
        return character
    if "A" <= character <= "Z":
        return "=" + character.lower()
    return "".join(f"%{byte:02x}" for byte in character.encode("utf-8", "surrogatepass"))


def thread_id(name: str) -> str | None:
    """The id that a folder was named for; None if it was too long for a name."""
    found = _match(name)
    if found["cut"]:
        return None
    return "".join(_decoded(*piece.groups()) for piece in _PIECE.finditer(found["id"]))


def _decoded(capital: str | None, escaped: str | None, plain: str | None) -> str:
    if capital is not None:
        return capital.upper()
    if escaped is not None:
        return bytes.fromhex(escaped.replace("%", "")).decode("utf-8", "surrogatepass")
    return plain or ""


def tree_number(name: str) -> int | None:
    """The tree that a folder of this name belongs to; None if this is not the name of a tree's folder."""
    found = _LEGAL.fullmatch(name)
    number = int(found["tree"], 16) if found is not None else 0
    return number if 0 < number <= _LAST_TREE else None


def checked_name(name: object) -> str:
    """A name that was read from a file, if it leads to a folder of the store and nowhere else."""
    if not isinstance(name, str):
        raise Corrupt(f"{name!r} is not the name of a thread's folder")
    _match(name)
    return name


def _match(name: str) -> re.Match[str]:
    found = _LEGAL.fullmatch(name)
    if found is None:
        raise Corrupt(f"{name!r} is not the name of a thread's folder")
    return found
