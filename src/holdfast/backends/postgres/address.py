"""Where a store is: what of its URL is Holdfast's, and what is handed on to libpq.

======================  ======================================================================================
``schema=agents``       the schema that holds the tables; ``holdfast`` if not said
``pool=8``              connections at most, for the threads of a process and for each event loop
``timeout=30``          seconds that a statement may take
``lock_timeout=10``     seconds to wait for a row that another transaction has locked
``retry=30``            seconds to go on trying after a connection was lost
``prepare=5``           prepare statements on the server once they were used so often; off if not said
======================  ======================================================================================
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict

from holdfast.errors import InvalidArgument

_NUMBERS: Final = {"pool": 8.0, "timeout": 30.0, "lock_timeout": 10.0, "retry": 30.0}
_OURS: Final = {"schema", "prepare", *_NUMBERS}
_LONGEST_NAME: Final = 63  # bytes of an identifier; PostgreSQL would cut off the rest


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    conninfo: str
    shown: str  # for people: never with a password
    schema: str
    pool: int
    timeout: float
    lock_timeout: float
    retry: float
    prepare: int | None

    def __repr__(self) -> str:
        return f"Address({self.shown!r})"


def parse(url: str) -> Address:
    parts = urlsplit(url)
    options = parse_qsl(parts.query, keep_blank_values=True)
    ours = {name: value for name, value in options if name in _OURS}
    rest = urlencode([one for one in options if one[0] not in _OURS], quote_via=quote)
    conninfo = urlunsplit(parts._replace(query=rest, fragment=""))
    try:
        known = conninfo_to_dict(conninfo)
    except ProgrammingError as error:
        raise InvalidArgument(
            f"this is not a URL that PostgreSQL understands: {_plain(error, parts.password)}"
        ) from None
    numbers = {name: _number(name, ours.get(name), default) for name, default in _NUMBERS.items()}
    schema = _schema(ours.get("schema", "holdfast"))
    return Address(
        conninfo=conninfo,
        shown=_shown(known, schema),
        schema=schema,
        pool=max(1, int(numbers["pool"])),
        timeout=numbers["timeout"],
        lock_timeout=numbers["lock_timeout"],
        retry=numbers["retry"],
        prepare=int(_number("prepare", ours["prepare"], 0)) if "prepare" in ours else None,
    )


def _plain(error: Exception, password: str | None) -> str:
    text = str(error).strip()
    return text.replace(password, "…") if password else text


def _shown(known: Mapping[str, object], schema: str) -> str:
    user = f"{known['user']}@" if known.get("user") else ""
    port = f":{known['port']}" if known.get("port") else ""
    return f"postgresql://{user}{known.get('host', '')}{port}/{known.get('dbname', '')}?schema={schema}"


def _schema(name: str) -> str:
    if not name or "\0" in name or len(name.encode()) > _LONGEST_NAME or name.startswith("pg_"):
        raise InvalidArgument(
            f"a schema is named by up to {_LONGEST_NAME} bytes of text that do not start with 'pg_', not {name!r}"
        )
    return name


def _number(name: str, text: str | None, default: float) -> float:
    if text is None:
        return default
    try:
        number = float(text)
    except ValueError:
        number = -1
    if not 0 <= number < 1e6:
        raise InvalidArgument(f"{name}= in the store's URL takes a number that is not negative, not {text!r}")
    return number
