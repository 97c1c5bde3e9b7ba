"""The arguments that name a store and its threads. The store must exist: a typo does not create one."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Final

import typer

import holdfast
from holdfast.backends import server_spelling
from holdfast.backends.registry import shown, split_scheme
from holdfast.cli.ui.output import refuse
from holdfast.cli.ui.terminal_text import one_line, unescaped

StoreArgument = Annotated[str, typer.Argument(metavar="STORE", help="The store: a path or a URL.")]
ThreadArgument = Annotated[str, typer.Argument(metavar="THREAD", help="The thread's id.")]
NamespaceOption = Annotated[str, typer.Option("--namespace", metavar="NS", help="Use this namespace of the thread.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
JsonReportOption = Annotated[bool, typer.Option("--json", help="Print the report as JSON.")]

_ON_DISK: Final = {"sqlite", "file"}
_SUGGESTED: Final = 5
_SECRET_PARAMETER: Final = re.compile(
    r"(?is)(password\s*=).*"
)  # up to the end of the text: where a password ends is unknown


@contextmanager
def open_existing(url: str) -> Iterator[holdfast.Store]:
    """Open the store of this URL; refuse one that does not exist instead of creating it."""
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
    """Without its warnings: commands never have the classes of the application."""
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(level)


def _path(url: str) -> Path | None:
    """The path that the URL names on this machine; None if it is not a path."""
    url = server_spelling.normalized(url)
    scheme, rest = split_scheme(url)
    if not url or "\0" in url:
        return None
    if scheme is not None:
        return Path(rest.removeprefix("//")) if rest and scheme in _ON_DISK else None
    server_spelling.check(url)
    return None if "://" in url else Path(url)


def _is_empty(path: Path) -> bool:
    return not any(path.iterdir()) if path.is_dir() else path.stat().st_size == 0


def without_secrets(url: str) -> str:
    """The URL as it may be shown: without a password, even if it is malformed."""
    if "://" in url:
        return shown(url)
    before, at, host = url.rpartition("@")
    scheme, colon, _ = before.partition(":")
    text = f"{scheme}:…@{host}" if at and colon else url
    return _SECRET_PARAMETER.sub(r"\1…", text)


def find_thread(store: holdfast.Store, thread_id: str, namespace: str = "") -> holdfast.Thread[dict[str, Any]]:
    """The thread, which must exist; its id may be given as commands print it, with escapes."""
    for candidate in dict.fromkeys((thread_id, unescaped(thread_id))):
        if store.thread(candidate).info() is not None:
            return store.thread(candidate, namespace)
    refuse(f"there is no thread {thread_id!r}{_suggestion(store, thread_id)}")


def _suggestion(store: holdfast.Store, thread_id: str) -> str:
    similar = [one_line(info.id) for info in store.threads(thread_id, limit=_SUGGESTED)]
    return f"; did you mean: {', '.join(similar)}" if similar else "; holdfast threads lists all threads"


def chosen_threads(threads: list[str] | None, every: bool) -> list[str] | None:
    """The named threads; None for all of them, which needs --all."""
    if bool(threads) == every:
        raise typer.BadParameter("name threads, or give --all", param_hint="THREAD")
    return None if every else threads
