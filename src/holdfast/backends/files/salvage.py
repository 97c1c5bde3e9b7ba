"""Repairs a store's files: damaged files are rewritten with the rows that can be read, and folders that the directory
has lost are listed again. Nothing is thrown away: damaged files are kept beside the new ones.

A folder is *unlisted* if it has records and the directory does not name it: the directory has lost the record that did.
A folder without records is not: its tree is being created, or its creator died. The first save of a tree is in the
directory's record, and the tree's file gets records only after that. Nor is the folder of a removed tree, which the
directory remembers until it is gone.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from holdfast._system import atomic_files
from holdfast._system.atomic_files import NewFile
from holdfast.backends.files import folder_access, info_json, store_folder
from holdfast.backends.files.folder_access import TREE
from holdfast.backends.files.folder_names import tree_number
from holdfast.backends.files.log_cache import LogCache
from holdfast.backends.files.logs import log_file, record_format, tree_log
from holdfast.backends.files.logs.directory_log import DirectoryLog
from holdfast.backends.files.logs.log_file import LogFile
from holdfast.backends.files.logs.tree_log import TreeLog
from holdfast.backends.files.store_folder import THREADS
from holdfast.backends.rows import ThreadRow, TombstoneRow
from holdfast.errors import Corrupt, LookAtTheStorage, NewerFormat
from holdfast.ids import tombstone_hash

_BYTES_AT_ONCE: Final = 1 << 20

# ------------------------------------------------------------------------------------------------ unlisted folders


class UnlistedFolder(NamedTuple):
    tree: int
    path: Path
    has_records: bool
    listed_as: str | None  # the folder that the directory has for this tree: then this one is a copy


def unlisted_folders(root: Path, directory: DirectoryLog, *, even_empty: bool = False) -> list[UnlistedFolder]:
    """As of the last read of the directory: a caller without the lock checks afterwards whether it has changed."""
    listed = {*directory.folders.values(), *directory.leftovers}
    folders = [
        UnlistedFolder(number, path, _has_records(path), directory.folders.get(number))
        for path in store_folder.tree_folders(root)
        if path.name not in listed and (number := tree_number(path.name)) is not None
    ]
    return sorted(folder for folder in folders if even_empty or folder.has_records)


def _has_records(folder: Path) -> bool:
    with suppress(FileNotFoundError):  # another process removes it
        found = os.stat(folder / tree_log.FILE, follow_symlinks=False)
        return stat.S_ISREG(found.st_mode) and found.st_size > record_format.HEADER_SIZE
    return False


def unlisted_faults(cache: LogCache) -> list[str]:
    return [_message(folder) for folder in unlisted_folders(cache.root, cache.directory)]


def _message(folder: UnlistedFolder) -> str:
    if folder.listed_as is not None:
        return (
            f"{folder.path}: the directory does not list this folder, and has {folder.listed_as!r} for the same tree "
            "of threads; it was copied or renamed by hand: move it out of the store"
        )
    return f"{folder.path}: the directory no longer lists this folder, which holds saved data; repair() lists it again"


# ------------------------------------------------------------------------------------------------ repair


class Salvage:
    """One repair. Its caller holds both locks of the store."""

    def __init__(self, cache: LogCache) -> None:
        self._cache = cache
        self._directory = cache.directory
        self._messages: list[str] = []
        self._last_number = 0  # the greatest that a tree's file has carried over
        self._unlisted_threads: list[ThreadRow] = []  # that `info.json` files name, and the directory does not
        self._changed: set[int] = set()

    def repair(self) -> list[str]:
        self._cache.view()
        self._directory.file.check_writable()
        try:
            self._repair_all()
        except BaseException:
            self._directory.reset()  # it may name what its file does not
            raise
        return self._messages

    def _repair_all(self) -> None:
        directory = self._directory
        has_lost_records = bool(directory.damage or info_json.check(directory.file))
        self._list_folders(even_empty=has_lost_records)
        listed = set(self._changed)
        for number in list(directory.folders):
            self._repair_tree(number)
            self._cache.trim()
        has_lost_records |= self._last_number > directory.number
        for row in self._unlisted_threads:
            if has_lost_records or row.tree in listed:
                self._restore_thread(row)
        if has_lost_records or listed:
            self._rewrite_directory(has_lost_records)
        for number in sorted(self._changed):
            self._cache.describe(self._cache.load(number))
            self._cache.trim()

    def _list_folders(self, *, even_empty: bool) -> None:
        """List unlisted folders again. What was saved in one without records was in the directory's record and is lost;
        it is listed if its `info.json` says which threads lost it."""
        for folder in unlisted_folders(self._cache.root, self._directory, even_empty=even_empty):
            is_listed = folder.tree in self._directory.folders
            if is_listed or not (folder.has_records or info_json.threads(folder.path)):
                continue
            self._directory.register(([(folder.tree, folder.path.name)], [], [[], []], []))
            self._changed.add(folder.tree)
            self._messages.append(f"{folder.path}: the directory had lost this folder, and lists it again")

    def _repair_tree(self, number: int) -> None:
        folder = self._cache.root / THREADS / self._directory.folders[number]
        try:
            folder_access.check_no_link(folder, TREE)
        except Corrupt:
            return  # what a link leads to is not the store's: verify() says what to do
        tree = self._loaded_or_emptied(number)
        threads = self._directory.tables[ThreadRow]
        self._unlisted_threads += [row for row in info_json.threads(tree.folder) if threads.get(row.id) is None]
        self._last_number = max(self._last_number, tree.applied)
        if tree.damage or info_json.check(tree.file):
            self._messages.append(_copied_aside(tree.file))
            tree.rewrite()
            self._changed.add(number)

    def _loaded_or_emptied(self, number: int) -> TreeLog:
        """A tree whose file is missing, or can't be read at all, gets an empty file."""
        try:
            return self._cache.load(number)
        except NewerFormat:
            raise
        except LookAtTheStorage as error:
            self._messages.append(str(error))
        tree = TreeLog(number, self._cache.root / THREADS / self._directory.folders[number])
        if os.path.lexists(tree.file.path):
            self._messages.append(_renamed_aside(tree.file))
        store_folder.make_tree(tree.folder, number)
        self._cache.trees.pop(number, None)
        return self._cache.load(number)

    def _restore_thread(self, row: ThreadRow) -> None:
        """Unless it was deleted since its folder was described, or another thread has its id by now."""
        tables = self._directory.tables
        tombstone: TombstoneRow | None = tables[TombstoneRow].get(tombstone_hash(row.id))
        is_deleted = tombstone is not None and tombstone.generation >= row.generation
        is_taken = tables[ThreadRow].get(row.id) is not None or row.line in tables.threads_of(row.tree)
        if row.tree in self._directory.folders and not is_deleted and not is_taken:
            tables.put(row)
            self._changed.add(row.tree)
            self._messages.append(f"thread {row.id!r}: the directory had lost it, and lists it again")

    def _rewrite_directory(self, has_lost_records: bool) -> None:
        directory = self._directory
        if has_lost_records:
            self._messages.append(_copied_aside(directory.file))
        directory.number = max(directory.number, self._last_number)
        directory.rewrite()
        directory.damage.clear()
        info_json.write_root(directory.file)


def _copied_aside(file: LogFile) -> str:
    """A copy, and not a second name: a file with two names is not written to."""
    aside = atomic_files.free_name_aside(file.path)
    with folder_access.opened_folder(aside.parent, file.below) as folder:
        rights = log_file.rights_in(folder, file.path.name)
        with file.opened(os.O_RDONLY) as descriptor, NewFile(aside, log_file.NEW, rights=rights, within=folder) as copy:
            while data := os.read(descriptor, _BYTES_AT_ONCE):
                copy.write(data)
            copy.publish()
    return _rewritten(file, aside)


def _renamed_aside(file: LogFile) -> str:
    """For one that can't be read; it may be a link."""
    aside = atomic_files.free_name_aside(file.path)
    with folder_access.opened_folder(aside.parent, file.below) as folder:
        os.rename(file.path.name, aside.name, src_dir_fd=folder, dst_dir_fd=folder)
    return _rewritten(file, aside)


def _rewritten(file: LogFile, aside: Path) -> str:
    return f"{file.path}: it was rewritten with the rows that could be read; the damaged file is kept as {aside}"
