"""What a run is asked for: its options, how long it waits for a lease, and the pauses between tries of a step."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, replace
from typing import Any, Final

from holdfast.errors import InvalidArgument, ThreadBusy
from holdfast.ids import check_text, new_id
from holdfast.operations.arguments import check_durability

MAX_RESULT: Final = 64 * 1024 * 1024
_LONGEST_LEASE: Final = 366 * 24 * 3600


class Unset:
    """The type of `UNSET`."""

    def __repr__(self) -> str:
        return "holdfast.UNSET"


UNSET: Final = Unset()
"""No value given, where None is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What `thread.run` was called with."""

    input: Any = None
    resume: Any = UNSET
    worker: str | None = None
    ttl: float = 30.0
    durability: str = "sync"
    max_result: int = MAX_RESULT

    def checked(self) -> Options:
        if not 0 < self.ttl <= _LONGEST_LEASE:
            raise InvalidArgument(
                f"ttl must be a number of seconds above 0 and at most {_LONGEST_LEASE}, not {self.ttl}"
            )
        check_durability(self.durability)
        if self.max_result <= 0:
            raise InvalidArgument(f"max_result must be a number of bytes above 0, not {self.max_result}")
        return replace(self, worker=check_text(self.worker or f"{os.getpid()}-{new_id()[-8:]}", "worker"))


class LeaseWait:
    """How long to wait for another worker's lease, in short pauses."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def next(self, busy: ThreadBusy) -> float:
        """The next pause; raises `busy` when the time is up."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise busy
        return min(left, 0.1)


def backoff(retries: int) -> list[float]:
    """The pauses between the tries of a step, in seconds."""
    if retries < 0:
        raise InvalidArgument(f"retries must be 0 or more, not {retries}")
    return [min(0.1 * 2**n, 10.0) for n in range(retries)]
