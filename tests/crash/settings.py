"""How much is tried, and from which seed: ``make test-crash ROUNDS=5000 SEED=7``."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

ROUNDS = int(os.environ.get("ROUNDS") or 30)
SEED = os.environ.get("SEED") or str(random.randrange(1 << 32))


@contextmanager
def noted(what: str) -> Iterator[None]:
    """A failure in this block says where it was."""
    try:
        yield
    except BaseException as error:
        error.add_note(what)
        raise


def told(seed: str, turn: int) -> AbstractContextManager[None]:
    """A failure in this block says how to repeat it."""
    return noted(f"seed {seed}, round {turn}: try again with SEED={seed.split('/')[0]} ROUNDS={ROUNDS}")
