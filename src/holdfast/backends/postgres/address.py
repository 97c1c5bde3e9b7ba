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

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict

from holdfast.backends import urls
from holdfast.errors import InvalidArgument

_NUMBERS: Final = {"pool": 8.0, "timeout": 30.0, "lock_timeout": 10.0, "retry": 30.0}
_OURS: Final = {"schema", "prepare", *_NUMBERS}
_UNKNOWN_OPTION: Final = re.compile(r'^invalid URI query parameter: "([a-z_]+)"$', re.MULTILINE)
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
    parts = urls.split(url)
    _check_parts(parts, url)
    ours = {name: value for name, value in map(urls.named, parts.options) if name in _OURS}
    rest = [one for one in parts.options if urls.named(one)[0] not in _OURS]
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


def _check_parts(parts: urls.ServerUrl, url: str) -> None:
    """Nothing of the URL is shown: any of it may be a part of a password."""
    if "://" not in url:
        raise InvalidArgument("a URL of PostgreSQL has two slashes after the colon: postgresql://user@host/database")
    if urls.has_strays(parts):
        raise InvalidArgument(
            "this URL has an @ after the one that ends user and password, or a port that is no number; "
            + urls.ENCODING_HINT
        )


def _understood(conninfo: str, parts: urls.ServerUrl) -> Mapping[str, object]:
    try:
        return conninfo_to_dict(conninfo)
    except (ProgrammingError, UnicodeError) as error:
        reason = _reason(error, parts)
    # Raised out here, so that what libpq said is not part of the error in any way.
    raise InvalidArgument(f"this is not a URL that PostgreSQL understands: {reason}")


def _reason(error: Exception, parts: urls.ServerUrl) -> str:
    """libpq's own words quote what it did not understand, which may be a part of a password. The name of an option that
    it does not know is none, unless a password stands among the options."""
    unknown = _UNKNOWN_OPTION.search(str(error))
    if unknown is not None and not urls.has_secrets(parts):
        return f"it has no option {unknown[1]!r}"
    return urls.ENCODING_HINT


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
        raise InvalidArgument(f"{name}= in the store's URL takes a number that is not negative")
    return number
