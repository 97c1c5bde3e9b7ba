"""The URL of a server, split as libpq splits it, and the parts of it that may be shown.

A password that was not percent-encoded ends too early, and its rest looks like a host, a port, a path or an option. Any
part that may be such a rest is not shown.
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
    """The parts of a URL, still percent-encoded."""

    scheme: str
    user: str
    password: str | None
    location: str  # hosts, ports and path
    options: Sequence[str]  # name=value

    @property
    def text(self) -> str:
        password = "" if self.password is None else f":{self.password}"
        who = f"{self.user}{password}@" if self.user or password else ""
        query = f"?{'&'.join(self.options)}" if self.options else ""
        return f"{self.scheme}://{who}{self.location}{query}"


def split(url: str) -> ServerUrl:
    """User and password end at the first @, unless a slash comes before it. The options follow the first ? after it."""
    scheme, _, rest = url.partition("://")
    end = _ENDS.search(rest)
    who = ""
    if end is not None and end[0] == "@":
        who, rest = rest[: end.start()], rest[end.end() :]
    user, colon, password = who.partition(":")
    location, _, query = rest.partition("?")
    return ServerUrl(scheme, user, password if colon else None, location, query.split("&") if query else ())


def named(option: str) -> tuple[str, str]:
    """Name and value of an option. A plus sign is not a space."""
    name, _, value = option.partition("=")
    return unquote(name), unquote(value)


def has_strays(url: ServerUrl) -> bool:
    """Whether its hosts, ports or path may contain the rest of a password."""
    before, at, _ = url.location.rpartition("@")
    if at and (url.password is not None or ":" in before):
        return True
    return _PORTS.fullmatch(url.location.partition("/")[0]) is None


def has_secrets(url: ServerUrl) -> bool:
    """Whether its options may contain a password, or the rest of one."""
    return any(_SECRET.search(named(option)[0]) or "@" in option for option in url.options)


def shown(text: str) -> str:
    """A URL that may be shown: without a password. A path is returned unchanged."""
    scheme, there, _ = text.partition("://")
    if not there or scheme.lower() in _LOCAL:
        return text
    url = split(text)
    options = _shown_options(url.options)
    if has_strays(url) or options is None:
        return f"{scheme}://…"
    return url._replace(password=None, options=options).text


def _shown_options(options: Sequence[str]) -> list[str] | None:
    """The options that may be shown; None if it is not clear where a password ends."""
    harmless = []
    after_secret = False
    for option in options:
        name, equals, _ = option.partition("=")
        is_secret = _SECRET.search(unquote(name)) is not None
        after_secret |= is_secret
        if is_secret:
            continue
        if "@" in option and name not in _USUAL:
            return None
        if name in _USUAL or (equals and not after_secret):
            harmless.append(option)
    return harmless
