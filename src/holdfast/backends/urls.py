"""The URL of a server, taken apart where libpq does it, and what of it may be shown.

A password that was not percent-encoded ends too early, and its rest looks like a host, a port, a path or an option.
Whatever may be such a rest is not shown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple
from urllib.parse import unquote

ENCODING_HINT: Final = (
    "in a user, a password or a database's name write %40 for @, %3A for :, %2F for /, %3F for ?, %26 for & "
    "and %25 for %"
)
_ENDS: Final = re.compile(r"[@/]")
_SECRET: Final = re.compile(r"(password|secret)$", re.IGNORECASE)
_PORTS: Final = re.compile(r"(\[[^]]*\]|[^:,]*)(:[0-9]*)?(,(\[[^]]*\]|[^:,]*)(:[0-9]*)?)*")
_LOCAL: Final = {"file", "sqlite", "memory"}
_USUAL: Final = {
    "schema", "pool", "timeout", "lock_timeout", "retry", "prepare", "host", "hostaddr", "port", "user", "dbname",
    "sslmode", "sslrootcert", "service", "application_name", "connect_timeout", "target_session_attrs",
}  # fmt: skip


class ServerUrl(NamedTuple):
    """Every part as it is written."""

    scheme: str
    user: str
    password: str | None
    place: str  # hosts, ports and path
    options: Sequence[str]  # name=value

    @property
    def text(self) -> str:
        password = "" if self.password is None else f":{self.password}"
        who = f"{self.user}{password}@" if self.user or password else ""
        query = f"?{'&'.join(self.options)}" if self.options else ""
        return f"{self.scheme}://{who}{self.place}{query}"


def split(url: str) -> ServerUrl:
    """The user and password go up to the first @, if no slash comes before it; then the options follow the first ?."""
    scheme, _, rest = url.partition("://")
    end = _ENDS.search(rest)
    who = ""
    if end is not None and end[0] == "@":
        who, rest = rest[: end.start()], rest[end.end() :]
    user, colon, password = who.partition(":")
    place, _, query = rest.partition("?")
    return ServerUrl(scheme, user, password if colon else None, place, query.split("&") if query else ())


def named(option: str) -> tuple[str, str]:
    """Name and value of an option. A plus is a plus."""
    name, _, value = option.partition("=")
    return unquote(name), unquote(value)


def has_strays(url: ServerUrl) -> bool:
    """Whether its hosts, ports or path may have the rest of a password among them."""
    before, at, _ = url.place.rpartition("@")
    if at and (url.password is not None or ":" in before):
        return True
    return _PORTS.fullmatch(url.place.partition("/")[0]) is None


def has_secrets(url: ServerUrl) -> bool:
    """Whether its options may have a password, or the rest of one, among them."""
    return any(_SECRET.search(named(one)[0]) or "@" in one for one in url.options)


def shown(text: str) -> str:
    """A URL as it may be shown: without a password. A path stays as it is."""
    scheme, there, _ = text.partition("://")
    if not there or scheme in _LOCAL:
        return text
    url = split(text)
    options = _shown_options(url.options)
    if has_strays(url) or options is None:
        return f"{scheme}://…"
    return url._replace(password=None, options=options).text


def _shown_options(options: Sequence[str]) -> list[str] | None:
    """None if nobody can say where a password ends."""
    found = []
    after_secret = False
    for one in options:
        name, equals, _ = one.partition("=")
        is_secret = _SECRET.search(unquote(name)) is not None
        after_secret |= is_secret
        if "@" in one and not is_secret and name not in _USUAL:
            return None
        if not is_secret and (name in _USUAL or (equals and not after_secret)):
            found.append(one)
    return found
