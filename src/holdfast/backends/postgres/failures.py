"""From what PostgreSQL and libpq report to errors that say what to do."""

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
    "3D000": (NotAStore, "there is no such database on the server; create it first"),
    "42501": (AccessDenied, "the user lacks rights; docs/how-to/postgres.md has the grants of a reader and a writer"),
    "25006": (ReadOnly, "the server takes no writes: it is a standby, or the user may only read"),
    "53100": (StorageFull, "no space is left on the server; nothing was written, free some and try again"),
    "53300": (Busy, "the server has no connection left; try again, or use a smaller pool="),
    "53": (StorageFailed, "the server ran out of a resource; nothing was written"),
    "55P03": (Busy, "another transaction kept a row locked; try again"),
    "57014": (Busy, "the statement took longer than timeout= allows and was cancelled; nothing was written"),
    "40001": (Busy, "other transactions were in the way; roll back and try again"),
    "40P01": (Busy, "other transactions were in the way; roll back and try again"),
    "25P02": (StorageFailed, "the transaction has failed before; roll it back"),
    "XX001": (Corrupt, "the server found damaged data; restore it from a backup"),
    "XX002": (Corrupt, "the server found a damaged index; rebuild it with REINDEX"),
    "3F000": (NotAStore, "the schema is not there; was it dropped?"),
    "42P01": (NotAStore, "a table is not there: the schema was dropped, or belongs to something else"),
    "42883": (NotAStore, "a function is not there: the schema was dropped, or belongs to something else"),
    "42703": (NotAStore, "a column is not there: the schema belongs to something else"),
    "22021": (StorageFailed, "the database can't keep this text; it has to be made with the encoding UTF8"),
    CHUNK_TAKEN: (StorageFailed, "a value log was written to from two sides"),
}
_LOST: Final = {"57P01", "57P02", "57P03", "57P05", "53300", "25P03"}
_NOT_CONNECTED: Final = {"53300", "57P03"}  # the server has no place left, or starts: nothing was sent
_REFUSED: Final = {  # libpq tells why it got no connection only in words
    "28": re.compile(r"authentication failed|no pg_hba\.conf entry|role \".*\" does not exist|no password supplied"),
    "3D000": re.compile(r"database \".*\" does not exist"),
    "42501": re.compile(r"permission denied for database|not permitted to log in"),
    "53300": re.compile(r"too many (clients|connections)|remaining connection slots"),
    "57P03": re.compile(r"the database system is"),
}
AMBIGUOUS_HOST: Final = re.compile(r"translate host name|resolve host|Name or service not known|nodename nor servname")


class Silent(psycopg.OperationalError):
    """The server has taken the statement and does not answer."""


def code_of(error: psycopg.Error) -> str:
    """The error's SQLSTATE, as far as it can be known; empty where a connection was refused or lost."""
    if error.sqlstate is not None:
        return error.sqlstate
    text = str(error)
    return next((code for code, words in _REFUSED.items() if words.search(text)), "")


def is_lost(error: psycopg.Error) -> bool:
    """Whether the connection is gone, or could not be had: what was sent may have been done or not."""
    code = code_of(error)
    if code:
        return code in _LOST or code.startswith("08")
    return isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)


def may_be_done(error: psycopg.Error) -> bool:
    """Whether what was sent over a lost connection may have been done: not where there was none to send it over."""
    return is_lost(error) and code_of(error) not in _NOT_CONNECTED


def is_crossed(error: psycopg.Error) -> bool:
    """Whether another transaction was in the way, and the same may pass when it is tried alone."""
    return error.sqlstate in ("40001", "40P01", "23505", "23P01", "53200")


def translate(error: psycopg.Error, shown: str) -> HoldfastError:
    code = code_of(error)
    kind, meaning = _MEANINGS.get(code) or _MEANINGS.get(code[:2]) or (StorageFailed, "the server refused")
    if is_lost(error) and code != "53300":
        kind, meaning = Unreachable, "the server can't be reached, or closed the connection"
        if AMBIGUOUS_HOST.search(str(error)):
            meaning = "the host is not known; check its name"
        if isinstance(error, Silent):
            meaning = "the server does not answer"
    detail = " ".join(str(error).split())
    return kind(f"{shown}: {meaning} ({detail})")


def unsure(reason: psycopg.Error | str, shown: str) -> HoldfastError:
    """For a write whose connection was lost, where nobody can tell whether it was done."""
    detail = " ".join(str(reason).split())
    return Unreachable(
        f"{shown}: the connection was lost in the middle of a write, which may have been done; "
        f"make the same call with the same id again, or load the thread and see ({detail})"
    )


@contextmanager
def doubtful(unknown: bool, shown: str) -> Iterator[None]:
    """After a try that may have been done, no error may say that nothing was, and that the call can be made again."""
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
            raise StorageFailed(
                f"{shown}: half of a surrogate pair is not text that can be stored ({error})"
            ) from error
        raise Unreachable(f"{shown}: the host's name is not one that a host can have ({error})") from error
