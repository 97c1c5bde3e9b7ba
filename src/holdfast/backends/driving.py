"""How the caller of a verb waits: with its whole thread, or on an event loop.

A backend that does not block has two ways to wait for its server. Whoever drives a coroutine to its end without an
event loop says so here; everyone else awaits it on the loop that is running.
"""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

_NOBODY: Final = object()
_here = threading.local()


def running_loop() -> AbstractEventLoop | None:
    """The loop that runs in this thread. Whoever never loaded asyncio, which takes its time, has none."""
    events = sys.modules.get("asyncio.events")
    return None if events is None else events._get_running_loop()


def begin_inline() -> Any:
    """Until `end_inline`, whatever this thread calls has to be done when it returns. Gives what to end it with."""
    before = getattr(_here, "inline", _NOBODY)
    _here.inline = running_loop()  # a loop that is started inside, in a user's function, may be waited on again
    return before


def end_inline(before: Any) -> None:
    _here.inline = before


def waiting_loop() -> AbstractEventLoop | None:
    """The loop to wait on; None where the thread itself has to wait."""
    running = running_loop()
    return None if running is None or getattr(_here, "inline", _NOBODY) is running else running
