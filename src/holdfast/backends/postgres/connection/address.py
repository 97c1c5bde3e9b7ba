"""Where a store is: which options of its URL are Holdfast's; the others are passed on to libpq.

======================  ======================================================================================
``schema=agents``       the schema that holds the tables; ``holdfast`` by default
``pool=8``              at most this many connections for a process's threads, and for each event loop
``timeout=30``          seconds that a statement may take
``lock_timeout=10``     seconds to wait for a row that another transaction has locked
``retry=30``            seconds to keep trying after a connection was lost
``prepare=5``           prepare statements on the server after this many uses; off by default
======================  ======================================================================================
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict

from holdfast.backends import server_url
from holdfast.errors import InvalidArgument

_NUMBERS: Final = {"pool": 8.0, "timeout": 30.0, "lock_timeout": 10.0, "retry": 30.0}
_OURS: Final = {"schema", "prepare", *_NUMBERS}
_UNKNOWN_OPTION: Final = re.compile(r'^invalid URI query parameter: "([a-z_]+)"$', re.MULTILINE)
_LONGEST_NAME: Final = 63  # bytes of an identifier; PostgreSQL truncates longer ones


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    conninfo: str
    shown: str  # for messages: never with a password
    schema: str
    pool: int
    timeout: float
    lock_timeout: float
    retry: float
    prepare: int | None

    def __repr__(self) -> str:
        return f"Address({self.shown!r})"


def parse(url: str) -> Address:
    parts = server_url.split(url)
    _check_parts(parts, url)
    ours = {name: value for name, value in map(server_url.named, parts.options) if name in _OURS}
    rest = [option for option in parts.options if server_url.named(option)[0] not in _OURS]
    conninfo = parts._replace(options=rest).text
    known = _understood(conninfo, parts)
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


def _check_parts(parts: server_url.ServerUrl, url: str) -> None:
    """No part of the URL is shown: any of it may be part of a password."""
    if "://" not in url:
        raise InvalidArgument("a URL of PostgreSQL has two slashes after the colon: postgresql://user@host/database")
    if server_url.has_strays(parts):
        raise InvalidArgument(
            "this URL has an @ after the one that ends user and password, or a port that is not a number; "
            + server_url.ENCODING_HINT
        )


def _understood(conninfo: str, parts: server_url.ServerUrl) -> Mapping[str, object]:
    try:
        return conninfo_to_dict(conninfo)
    except (ProgrammingError, UnicodeError) as error:
        reason = _reason(error, parts)
    # Raised outside of the except block, so that libpq's own error is not attached in any way.
    raise InvalidArgument(f"this is not a URL that PostgreSQL understands: {reason}")


def _reason(error: Exception, parts: server_url.ServerUrl) -> str:
    """libpq's message quotes what it did not understand, which may be part of a password. The name of an unknown option
    is not, unless a password is among the options."""
    unknown = _UNKNOWN_OPTION.search(str(error))
    if unknown is not None and not server_url.has_secrets(parts):
        return f"it has no option {unknown[1]!r}"
    return server_url.ENCODING_HINT


def _shown(parameters: Mapping[str, object], schema: str) -> str:
    user = f"{parameters['user']}@" if parameters.get("user") else ""
    port = f":{parameters['port']}" if parameters.get("port") else ""
    return f"postgresql://{user}{parameters.get('host', '')}{port}/{parameters.get('dbname', '')}?schema={schema}"


def _schema(name: str) -> str:
    if not name or "\0" in name or len(name.encode()) > _LONGEST_NAME or name.startswith("pg_"):
        raise InvalidArgument(
            f"a schema's name has 1 to {_LONGEST_NAME} bytes and does not start with 'pg_'; {name!r} is not one"
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
        raise InvalidArgument(f"{name}= in the store's URL takes a number that is not negative")
    return number
