"""The folder of a store: made when it is opened, refused if it holds something else, and tidied by those who write."""

from __future__ import annotations

import logging
import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from holdfast.backends.files import directory, records, segment, tree
from holdfast.backends.files.failures import translate, translated
from holdfast.backends.files.lock import ProcessLock
from holdfast.errors import NotAStore, ReadOnly

log: Final = logging.getLogger("holdfast")
LOCK: Final = "lock"
THREADS: Final = "threads"
INFO: Final = "info.json"
README: Final = "README.txt"
_TEXT: Final = """\
This folder is a store of Holdfast, which keeps the state of AI agents.

threads/       one folder for each thread and its forks, named after the first of them; info.json says what is in it
directory.hfs  which threads there are
lock           says who may write just now

Open it with holdfast.open("file:THIS FOLDER"). To keep a copy, copy the whole folder while nobody writes:
flock lock cp -a THIS_FOLDER BACKUP. Please do not edit, rename or remove anything in it by hand.
"""


def prepare(root: Path, lock: ProcessLock) -> None:
    """Make the folder a store, unless it is one already."""
    if (root / directory.FILE).exists():
        return
    _check(root)
    with translated(root):
        root.mkdir(exist_ok=True)
        lock.acquire()
        try:
            if not (root / directory.FILE).exists():
                _make(root)
        finally:
            lock.close()


def _check(root: Path) -> None:
    try:
        strangers = set(os.listdir(root)) - {LOCK, THREADS, README, INFO, directory.FILE, directory.FILE + segment.NEW}
    except FileNotFoundError:
        if not root.parent.is_dir():
            raise ReadOnly(f"{root}: the folder {str(root.parent)!r} does not exist; create it first") from None
        return
    except NotADirectoryError:
        raise NotAStore(f"{root}: this is a file, and 'file:' needs a folder; name another place") from None
    except OSError as error:
        raise translate(error, root) from error
    threads = root / THREADS
    if strangers or (threads.is_dir() and any(threads.iterdir())):
        raise NotAStore(
            f"{root}: the folder holds something else, or has lost its {directory.FILE}; it was left as it is: "
            "name an empty folder or a new one, or restore it from a backup"
        )


def _make(root: Path) -> None:
    """The directory's file comes last: with it the folder is a store."""
    (root / THREADS).mkdir(exist_ok=True)
    (root / README).write_text(_TEXT)
    segment.write_new(root / directory.FILE, [], directory.SALT)
    segment.sync_folder(root)
    segment.sync_folder(root.parent)


def make_tree(folder: Path, number: int) -> None:
    """A folder with an empty file. What was left there by a tree that is gone is replaced.

    It is on disk once the folder around it was synced.
    """
    folder.mkdir(exist_ok=True)
    segment.write_new(folder / tree.FILE, [], tree.salt_of(number))
    segment.sync_folder(folder)


def remove_tree(folder: Path) -> bool:
    """Whether it is gone. If not, it stays noted as a leftover, and the next writer tries again."""
    try:
        for name in os.listdir(folder):
            os.unlink(folder / name)
        os.rmdir(folder)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def remove_unborn(root: Path, known: set[str]) -> None:
    """Remove folders whose process died before the first record that names them."""
    for folder in (root / THREADS).iterdir():
        if folder.name in known:
            continue
        if _is_unborn(folder):
            remove_tree(folder)
        else:
            log.warning("%s: the store knows no such folder, and leaves it as it is; verify() tells more", folder)


def _is_unborn(folder: Path) -> bool:
    if not folder.is_dir() or folder.is_symlink():
        return False
    files = {one.name: one for one in folder.iterdir()}
    rows = files.pop(tree.FILE, None)
    files.pop(tree.FILE + segment.NEW, None)
    files.pop(INFO, None)
    return not files and (rows is None or rows.stat().st_size <= records.HEADER_SIZE)


def left_behind(root: Path) -> list[str]:
    """Remove files that somebody had begun to write anew; says which ones `repair` has set aside."""
    for fresh in root.rglob(f"*{segment.NEW}"):
        fresh.unlink()
    return [f"{one}, which repair() has set aside" for one in sorted(root.rglob("*.damaged-*"))]


def size(root: Path) -> int:
    """The bytes of all files in it. Raises FileNotFoundError if it is gone."""
    os.stat(root)
    total = 0
    for folder, _, names in os.walk(root):
        for name in names:
            with suppress(FileNotFoundError):  # someone else tidies
                total += os.stat(os.path.join(folder, name), follow_symlinks=False).st_size
    return total
