"""Folders that hold what was saved, and that the directory does not know: it has lost the record that named them.

A folder without records is none of these. Somebody is about to make it, or died on the way: what is saved first is in
the directory's record, and a tree's file gets records only after that one. Nor is one whose tree is gone, which the
directory remembers until it is removed.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from holdfast.backends.files import records, tree
from holdfast.backends.files.directory import Directory
from holdfast.backends.files.folder import THREADS
from holdfast.backends.files.names import tree_number


class Unlisted(NamedTuple):
    tree: int
    folder: Path
    has_records: bool
    beside: str | None  # the folder that the directory has for this tree: then this one is a copy


def unlisted(root: Path, directory: Directory, *, even_empty: bool = False) -> list[Unlisted]:
    """As the directory was read last: whoever does not hold the lock looks afterwards whether it has changed."""
    known = {*directory.folders.values(), *directory.leftovers}
    found = [entry for entry in os.scandir(root / THREADS) if entry.name not in known]
    folders = [
        Unlisted(number, Path(entry.path), _has_records(Path(entry.path)), directory.folders.get(number))
        for entry in found
        if (number := tree_number(entry.name)) is not None and entry.is_dir(follow_symlinks=False)
    ]
    return sorted(one for one in folders if even_empty or one.has_records)


def _has_records(folder: Path) -> bool:
    with suppress(FileNotFoundError):  # someone else tidies
        found = os.stat(folder / tree.FILE, follow_symlinks=False)
        return stat.S_ISREG(found.st_mode) and found.st_size > records.HEADER_SIZE
    return False


def sentence(one: Unlisted) -> str:
    if one.beside is not None:
        return (
            f"{one.folder}: the directory does not know this folder, and has {one.beside!r} for the same tree of "
            "threads; it was copied or renamed by hand: move it out of the store"
        )
    return (
        f"{one.folder}: the directory does not know this folder any more, which holds what was saved; repair() takes "
        "it into the store again"
    )
