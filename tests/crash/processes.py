"""When to kill."""

from __future__ import annotations

import random
import time

from tests.crash.nursery import Child


def kill_at_random(child: Child, rng: random.Random, lines: int = 24) -> None:
    """Before, in the middle of, or after any write."""
    wait_some(child, rng, lines)
    child.kill()


def wait_some(child: Child, rng: random.Random, lines: int) -> None:
    """For a random number of lines, and a random pause."""
    for _ in range(rng.randrange(lines)):
        if child.line() is None:
            break
    time.sleep(rng.random() ** 2 * 0.008)


def length(child: Child) -> float:
    """How long the operation takes if it is let alone."""
    child.until("opened")
    start = time.monotonic()
    child.until("done")
    seconds = time.monotonic() - start
    child.ended_well()
    return seconds
