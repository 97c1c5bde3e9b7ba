"""Translates what PostgreSQL and libpq report into errors that say what to do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import psycopg

from holdfast.errors import (
    AccessDenied,
    Busy,
    Corrupt,
    HoldfastError,
    NotAStore,
    ReadOnly,
    StorageFailed,
    StorageFull,
    Unreachable,
)

CHUNK_TAKEN: Final = "HF001"

_MEANINGS: Final[dict[str, tuple[type[HoldfastError], str]]] = {
    "28": (AccessDenied, "the server refused the user; check name, password and pg_hba.conf"),
    "3D000": (NotAStore, "the server has no such database; create it first"),
    "42501": (AccessDenied, "the user lacks rights; docs/how-to/postgres.md has the grants of a reader and a writer"),
    "25006": (ReadOnly, "the server accepts no writes: it is a standby, or the user may only read"),
    "53100": (StorageFull, "no space is left on the server; nothing was written, free some and try again"),
    "53300": (Busy, "the server has no connection left; try again, or use a smaller pool="),
    "53": (StorageFailed, "the server ran out of a resource; nothing was written"),
    "55P03": (Busy, "another transaction held a lock for too long; try again"),
    "57014": (Busy, "the statement took longer than timeout= allows and was cancelled; nothing was written"),
    "40001": (Busy, "the transaction conflicted with another one; roll back and try again"),
    "40P01": (Busy, "the transaction conflicted with another one; roll back and try again"),
    "25P02": (StorageFailed, "the transaction has failed already; roll it back"),
    "XX001": (Corrupt, "the server found damaged data; restore it from a backup"),
    "XX002": (Corrupt, "the server found a damaged index; rebuild it with REINDEX"),
    "3F000": (NotAStore, "the schema does not exist; was it dropped?"),
    "42P01": (NotAStore, "a table is missing: the schema was dropped, or belongs to another program"),
    "42883": (NotAStore, "a function is missing: the schema was dropped, or upgraded to a newer format; open it again"),
    "42703": (NotAStore, "a column is missing: the schema belongs to another program"),
    "22021": (StorageFailed, "the database can't store this text; its encoding must be UTF8"),
    CHUNK_TAKEN: (StorageFailed, "two writers appended to one value log"),
}
_LOST: Final = {"57P01", "57P02", "57P03", "57P05", "53300", "25P03"}
_NOT_CONNECTED: Final = {"53300", "57P03"}  # no connection is left, or the server is starting: nothing was sent
# libpq gives the reason for a refused connection only as text.
_REFUSED: Final = {
    "28": re.compile(r"authentication failed|no pg_hba\.conf entry|role \".*\" does not exist|no password supplied"),
    "3D000": re.compile(r"database \".*\" does not exist"),
    "42501": re.compile(r"permission denied for database|not permitted to log in"),
    "53300": re.compile(r"too many (clients|connections)|remaining connection slots"),
    "57P03": re.compile(r"the database system is"),
}
AMBIGUOUS_HOST: Final = re.compile(r"translate host name|resolve host|Name or service not known|nodename nor servname")


class Silent(psycopg.OperationalError):
    """The server has received the statement and does not answer."""


def code_of(error: psycopg.Error) -> str:
    """The error's SQLSTATE, if it is known; empty if a connection was refused or lost."""
    if error.sqlstate is not None:
        return error.sqlstate
    text = str(error)
    return next((code for code, words in _REFUSED.items() if words.search(text)), "")


def is_lost(error: psycopg.Error) -> bool:
    """Whether the connection was lost or could not be opened: what was sent may have been applied or not."""
    code = code_of(error)
    if code:
        return code in _LOST or code.startswith("08")
    return isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)


def may_be_done(error: psycopg.Error) -> bool:
    """Whether what was sent over a lost connection may have been applied: not if there was no connection."""
    return is_lost(error) and code_of(error) not in _NOT_CONNECTED


def is_crossed(error: psycopg.Error) -> bool:
    """Whether the statement conflicted with another transaction, and may succeed when it is retried."""
    return error.sqlstate in ("40001", "40P01", "23505", "23P01", "53200")


def translate(error: psycopg.Error, shown: str) -> HoldfastError:
    code = code_of(error)
    kind, meaning = _MEANINGS.get(code) or _MEANINGS.get(code[:2]) or (StorageFailed, "the server refused")
    if is_lost(error) and code != "53300":
        kind, meaning = Unreachable, "the server can't be reached, or closed the connection"
        if AMBIGUOUS_HOST.search(str(error)):
            meaning = "the host is unknown; check its name"
        if isinstance(error, Silent):
            meaning = "the server does not answer"
    detail = " ".join(str(error).split())
    return kind(f"{shown}: {meaning} ({detail})")


def unsure(reason: psycopg.Error | str, shown: str) -> HoldfastError:
    """For a write whose connection was lost, if it can't be found out whether it was applied."""
    detail = " ".join(str(reason).split())
    return Unreachable(
        f"{shown}: the connection was lost during a write, which may have been applied; "
        f"make the same call with the same id again, or load the thread and check ({detail})"
    )


@contextmanager
def doubtful(unknown: bool, shown: str) -> Iterator[None]:
    """After an ambiguous attempt, never report that nothing was written and that the call is safe to repeat."""
    try:
        yield
    except HoldfastError as error:
        if unknown and not isinstance(error, Unreachable):
            raise unsure(str(error), shown) from error
        raise


@contextmanager
def translated(shown: str) -> Iterator[None]:
    try:
        yield
    except psycopg.Error as error:
        raise translate(error, shown) from error
    except UnicodeError as error:
        if isinstance(error, UnicodeEncodeError) and error.encoding != "idna":
            raise StorageFailed(f"{shown}: half of a surrogate pair can't be stored as text ({error})") from error
        raise Unreachable(f"{shown}: this is not a valid host name ({error})") from error
