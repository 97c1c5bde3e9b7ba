"""Logs once that a class is unknown, so that its values load as `Opaque`."""

from __future__ import annotations

import logging
import threading

_log = logging.getLogger("holdfast.codec")
_lock = threading.Lock()
_reported: set[str] = set()
_LONGEST = 1000
_MANY = 1000
"""The number of names that are logged. With more, something else is wrong, and remembering them costs memory."""


def report_unknown(name: str, *, imports_help: bool) -> None:
    """Log a warning that says what to do, once for each name and process."""
    name = name[:_LONGEST]
    with _lock:
        if name in _reported or len(_reported) >= _MANY:
            return
        _reported.add(name)
    _log.warning(
        "stored values of %r load as Opaque because the class is not known: name it in types=%s,"
        " or pass types={%r: Class} if it moved",
        name,
        ", import its module before loading" if imports_help else "",
        name,
    )
