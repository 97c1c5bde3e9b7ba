"""Opening what a command looks into: a store that has to be there, and a thread in it."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Final

import typer

import holdfast
from holdfast.backends.registry import OPENERS, shown
from holdfast.cli.escapes import one_line, unescaped
from holdfast.cli.output import refuse

StoreArgument = Annotated[str, typer.Argument(metavar="STORE", help="The store: a path or a URL.")]
ThreadArgument = Annotated[str, typer.Argument(metavar="THREAD", help="The thread's id.")]
NamespaceOption = Annotated[
    str, typer.Option("--namespace", metavar="NS", help="Look into this namespace of the thread.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Write JSON.")]

_ON_DISK: Final = {"sqlite", "file"}
_SUGGESTED: Final = 5
_SECRET_PARAMETER: Final = re.compile(r"(?is)(password\s*=).*")  # nobody knows where it ends


@contextmanager
def opened(url: str) -> Iterator[holdfast.Store]:
    """The store of this URL, which is not made by looking for it."""
    path = _path(url)
    try:
        if path is not None and _is_empty(path):
            refuse(f"{without_secrets(url)!r} is empty, not a store")
    except FileNotFoundError:
        refuse(f"there is no store at {without_secrets(url)!r}")
    except OSError as error:
        refuse(f"{without_secrets(url)!r} can't be opened: {error.strerror}")
    with _quiet(logging.getLogger("holdfast.codec")), holdfast.open(url) as store:
        yield store


@contextmanager
def _quiet(log: logging.Logger) -> Iterator[None]:
    """That classes are not known here goes without saying."""
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(level)


def _path(url: str) -> Path | None:
    """Where on this machine the URL points to; None if it is not a path, or nobody can say."""
    scheme, colon, rest = url.partition(":")
    if not url or "\0" in url:
        return None
    if colon and scheme in OPENERS:
        return Path(rest.removeprefix("//")) if rest and scheme in _ON_DISK else None
    return None if "://" in url else Path(url)


def _is_empty(path: Path) -> bool:
    return not any(path.iterdir()) if path.is_dir() else path.stat().st_size == 0


def without_secrets(url: str) -> str:
    """What was given for a store, as it may be shown: without a password, also if it is not quite a URL."""
    if "://" in url:
        return shown(url)
    before, at, host = url.rpartition("@")
    scheme, colon, _ = before.partition(":")
    text = f"{scheme}:…@{host}" if at and colon else url
    return _SECRET_PARAMETER.sub(r"\1…", text)


def find_thread(store: holdfast.Store, thread_id: str, namespace: str = "") -> holdfast.Thread[dict[str, Any]]:
    """The thread, which has to exist; its id may be given as commands show it."""
    for known in dict.fromkeys((thread_id, unescaped(thread_id))):
        if store.thread(known).info() is not None:
            return store.thread(known, namespace)
    refuse(f"there is no thread {thread_id!r}{_like(store, thread_id)}")


def _like(store: holdfast.Store, thread_id: str) -> str:
    similar = [one_line(info.id) for info in store.threads(thread_id, limit=_SUGGESTED)]
    return f"; there are: {', '.join(similar)}" if similar else "; holdfast threads lists them"
