"""The folder of a store: created when it is first opened, refused if it holds something else, cleaned up by writers."""

from __future__ import annotations

import logging
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Final

from holdfast._system.atomic_files import NewFile, sync_folder, translate, translated
from holdfast._system.interrupts import is_interrupt
from holdfast.backends.files.folder_access import TREE, make_folder, opened_folder
from holdfast.backends.files.lock import ProcessLock
from holdfast.backends.files.logs import directory_log, log_file, record_format, tree_log
from holdfast.errors import NotAStore, ReadOnly

log: Final = logging.getLogger("holdfast")
LOCK: Final = "lock"
THREADS: Final = "threads"
INFO: Final = "info.json"
README: Final = "README.txt"
DAMAGED: Final = ".damaged-"
_UNFINISHED: Final = log_file.UNFINISHED
_ROOT_FILES: Final = "|".join(map(re.escape, (README, INFO, directory_log.FILE)))
_TREE_FILES: Final = "|".join(map(re.escape, (INFO, tree_log.FILE)))
_ROOT_NAMES: Final = re.compile(rf"{LOCK}|{THREADS}|({_ROOT_FILES})({_UNFINISHED})?")
"""What the store creates in its folder before the directory's file."""
_TREE_NAMES: Final = re.compile(rf"({_TREE_FILES})({_UNFINISHED}|{re.escape(DAMAGED)}\d+)?")
"""What the store creates in the folder of a tree."""
_TEXT: Final = """\
This folder is a store of Holdfast, which keeps the state of AI agents.

threads/       one folder for each thread and its forks, named after the first of them; info.json describes it
directory.hfs  which threads there are
lock           held by the process that is writing

Open it with holdfast.open("file:THIS FOLDER"). To keep a copy, copy the whole folder while no process writes:
flock lock cp -a THIS_FOLDER BACKUP. Please do not edit, rename or remove anything in it by hand.
"""


def prepare(root: Path, lock: ProcessLock) -> None:
    """Make the folder a store, unless it already is."""
    if os.path.lexists(root / directory_log.FILE):
        return
    _check_unused(root)
    with translated(root):
        root.mkdir(exist_ok=True)
        lock.acquire()
        try:
            if not os.path.lexists(root / directory_log.FILE):
                _fill(root)
        finally:
            lock.close()


def _check_unused(root: Path) -> None:
    try:
        other_names = [name for name in os.listdir(root) if not _ROOT_NAMES.fullmatch(name)]
    except FileNotFoundError:
        if not root.parent.is_dir():
            raise ReadOnly(f"{root}: the folder {str(root.parent)!r} does not exist; create it first") from None
        return
    except NotADirectoryError:
        raise NotAStore(f"{root}: this is a file, and 'file:' needs a folder; name another path") from None
    except OSError as error:
        if is_interrupt(error):
            raise
        raise translate(error, root) from error
    threads = root / THREADS
    if other_names or threads.is_symlink() or (threads.is_dir() and any(threads.iterdir())):
        raise NotAStore(
            f"{root}: the folder holds something else, or has lost its {directory_log.FILE}; it was left as it is: "
            "name an empty folder or a new one, or restore it from a backup"
        )


def _fill(root: Path) -> None:
    """The directory's file comes last: with it the folder is a store."""
    make_folder(root / THREADS, 1)
    with opened_folder(root) as folder, NewFile(root / README, log_file.NEW, rights=0o666, within=folder) as readme:
        readme.write(_TEXT.encode())
        readme.publish(durable=False)
    log_file.write_new(root / directory_log.FILE, [], directory_log.SALT)
    sync_folder(root.parent)


# ------------------------------------------------------------------------------------------------ folders of trees


def make_tree(folder: Path, number: int) -> None:
    """Create a folder with an empty file, in place of what a removed tree has left there. It is on disk once the folder
    around it is synced."""
    make_folder(folder, TREE)
    log_file.write_new(folder / tree_log.FILE, [], tree_log.salt_of(number), TREE)


def remove_tree(folder: Path) -> bool:
    """Whether it is gone. If not, it stays recorded as a leftover, and the next writer tries again.

    Links are not followed: a link in place of the folder stays. So does a file that the store did not create, and with
    it the folder.
    """
    try:
        with opened_folder(folder.parent, TREE - 1) as threads:
            with opened_folder(folder, TREE) as descriptor:
                for name in filter(_TREE_NAMES.fullmatch, os.listdir(descriptor)):
                    os.unlink(name, dir_fd=descriptor)
            os.rmdir(folder.name, dir_fd=threads)
    except FileNotFoundError:
        return True
    except OSError as error:
        if is_interrupt(error):
            raise
        return False
    return True


def remove_unused(root: Path, listed: set[str]) -> None:
    """Remove folders whose process died before the record that names them."""
    with opened_folder(root / THREADS, TREE - 1) as threads:
        folders = [root / THREADS / name for name in os.listdir(threads) if name not in listed]
    for folder in folders:
        if _is_unused(folder):
            remove_tree(folder)
        else:
            log.warning("%s: the directory does not list this folder; it is left as it is, verify() says more", folder)


def _is_unused(folder: Path) -> bool:
    if not folder.is_dir() or folder.is_symlink():
        return False
    names = set(os.listdir(folder))
    if any(DAMAGED in name or not _TREE_NAMES.fullmatch(name) for name in names):
        return False
    return tree_log.FILE not in names or (folder / tree_log.FILE).stat().st_size <= record_format.HEADER_SIZE


# ------------------------------------------------------------------------------------------------ all files


def remove_unfinished(root: Path) -> list[str]:
    """Remove files that were never completed; says which files `repair` has set aside."""
    aside: list[Path] = []
    with opened_folder(root) as folder:
        log_file.remove_unfinished(folder, _ROOT_FILES)
        aside += [root / name for name in os.listdir(folder) if DAMAGED in name]
    for path in tree_folders(root):
        with opened_folder(path, TREE) as folder:
            log_file.remove_unfinished(folder, _TREE_FILES)
            aside += [path / name for name in os.listdir(folder) if DAMAGED in name]
    return [f"{path}, which repair() has set aside" for path in sorted(aside)]


def tree_folders(root: Path) -> list[Path]:
    """All folders of threads that are not links."""
    with opened_folder(root / THREADS, TREE - 1) as threads, os.scandir(threads) as found:
        return sorted(root / THREADS / entry.name for entry in found if entry.is_dir(follow_symlinks=False))


def size(root: Path) -> int:
    """The bytes of all files in it. Raises FileNotFoundError if it is gone."""
    os.stat(root)
    total = 0
    for folder, _, names in os.walk(root):
        for name in names:
            with suppress(FileNotFoundError):  # another process removes files
                total += os.stat(os.path.join(folder, name), follow_symlinks=False).st_size
    return total
