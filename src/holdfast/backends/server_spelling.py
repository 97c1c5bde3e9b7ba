"""Texts that mean a PostgreSQL server and are not written as a URL of one.

They must not be taken for the path of a file: the file's name, and every message about it, would have the password in
it. They are refused, and no part of them is shown. What remains a path although it has such characters: anything that
starts with ``./`` or ``/``, and ``user=42/agents.db`` or ``user=42.db``, which look like files. After ``sqlite:`` and
``file:`` all is a path but what has a password.
"""

from __future__ import annotations

import re
from typing import Final

from holdfast.errors import InvalidArgument

_URL: Final = re.compile(r"(postgres(?:ql)?)(://.*)", re.IGNORECASE | re.DOTALL)
# postgresql+psycopg://…, postgres:/…, pgsql:host=…, jdbc:postgresql:…, postgres//ada@…
_SCHEME: Final = re.compile(
    r"(jdbc:)?(postgres(ql)?|pgsql|psql)([+.][\w.-]+)?(:|[;.]?/+[^/]*:.*@)", re.IGNORECASE | re.DOTALL
)
# A URL inside of something else: in quotes, or after the name of a variable.
_INNER: Final = re.compile(r"[\s='\"]postgres(ql)?(\+\w+)?:/", re.IGNORECASE)
# ada:password@host, but not C:\Users\me@work
_WHO: Final = re.compile(r"(//)?([^/\\:@]{2,}:|[^/\\:@]?:(?![/\\])).*@.+", re.DOTALL)
# host:port:database:user:password, a line of libpq's file of passwords
_LINE: Final = re.compile(r"[^:/\\]+:(\d+|\*):[^:]+:[^:]+:.+", re.DOTALL)
_START: Final = r"(?:^|[\s;,&?{'\"])"
_SECRET: Final = re.compile(_START + r"\w*(password|passwd|pwd|secret)['\"]?\s*[=:](?!\.)", re.IGNORECASE)
_IN_QUERY: Final = re.compile(r"[?&]\w*(password|passwd|pwd|secret)=", re.IGNORECASE)
_PAIR: Final = re.compile(r"\s*(\w[\w ]*?)\s*=\s*('(?:[^'\\]|\\.)*'|(?:[^\s;\\]|\\.)*)\s*(?:;|(?=\s)|$)", re.DOTALL)
_KEYWORDS: Final = {
    "host", "hostaddr", "port", "dbname", "user", "passfile", "service", "servicefile", "sslmode", "sslcert", "sslkey",
    "sslrootcert", "options", "application_name", "connect_timeout", "client_encoding", "target_session_attrs",
    "gssencmode", "channel_binding", "require_auth", "keepalives",
    "server", "database", "username",  # as other drivers call them
}  # fmt: skip
_KEYWORD: Final = re.compile(rf"{_START}({'|'.join(sorted(_KEYWORDS))})['\"]?\s*[=:]", re.IGNORECASE)
_FILE: Final = re.compile(r"[^/].*/.+|.*\.(db|db3|sqlite|sqlite3|s3db|sl3)", re.IGNORECASE | re.DOTALL)


def normalized(text: str) -> str:
    """A URL of PostgreSQL without spaces around it and with a scheme in small letters; any other text unchanged."""
    found = _URL.fullmatch(text.strip())
    return f"{found[1].lower()}{found[2]}" if found is not None else text


def check(text: str) -> None:
    """Raises `InvalidArgument` if a text means a server and is not a URL of one."""
    if _URL.fullmatch(text.strip()) is None and (_names_server(text) or _has_keywords(text)):
        raise _refused()


def check_path(text: str) -> None:
    """The same for what follows ``sqlite:`` or ``file:``. Pairs without a password are a path there."""
    if _names_server(text) or _has_secret(text):
        raise _refused()


def _refused() -> InvalidArgument:
    return InvalidArgument(
        "this names a PostgreSQL server, and not as a URL; write postgresql://user:password@host:5432/database, "
        "with %40 for @ and %2F for / in the password. To name a file, write './' before its path"
    )


def _names_server(text: str) -> bool:
    plain = text.strip().lstrip("'\"")
    return any((_SCHEME.match(plain), _INNER.search(text), _WHO.fullmatch(plain), _LINE.fullmatch(plain)))


def _has_keywords(text: str) -> bool:
    """Whether it is libpq's other spelling, ``host=localhost dbname=agents``, or that of another driver."""
    if _is_path(text):
        return False
    pairs = _pairs(text)
    known = [value for name, value in pairs if name.lower() in _KEYWORDS]
    return _has_secret(text) or (bool(known) and (len(pairs) > 1 or _FILE.fullmatch(known[0]) is None))


def _has_secret(text: str) -> bool:
    """Whether it has a password beside other parts of an address, or begins with it."""
    if _is_path(text) or _SECRET.search(text) is None:
        return False
    return any((_SECRET.match(text.lstrip()), _IN_QUERY.search(text), _KEYWORD.search(text), _pairs(text)))


def _is_path(text: str) -> bool:
    return text.startswith(("./", "../", "/"))


def _pairs(text: str) -> list[tuple[str, str]]:
    """All of it as names and values; empty if it is something else."""
    pairs, at = [], 0
    while at < len(text.rstrip()):
        found = _PAIR.match(text, at)
        if found is None:
            return []
        pairs.append((found[1], found[2]))
        at = found.end()
    return pairs
