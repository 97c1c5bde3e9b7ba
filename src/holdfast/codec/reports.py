"""What is worth saying once: a class that is not known, whose values are therefore handed out as `Opaque`."""

from __future__ import annotations

import logging
import threading

_log = logging.getLogger("holdfast.codec")
_lock = threading.Lock()
_reported: set[str] = set()
_MANY = 1000
"""After so many names something else is wrong, and remembering them all would only cost memory."""


def report_unknown(name: str, *, imports_help: bool) -> None:
    """Say it once for each name and process, and what to do about it."""
    with _lock:
        if name in _reported or len(_reported) >= _MANY:
            return
        _reported.add(name)
    _log.warning(
        "stored values of %r load as Opaque, since the class is not known: name it in types=%s,"
        " or give types={%r: Class} if it moved",
        name,
        ", import its module before loading" if imports_help else "",
        name,
    )
