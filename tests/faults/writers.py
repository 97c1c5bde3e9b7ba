"""Processes that keep writing, say what was acknowledged, and repeat what failed until it passes.

Each of a process's threads writes the numbers 0, 1, 2, … in one manner to one thread of the store. After an error it
does what a careful program does: with an id it makes the same call again; without one it first checks what is stored.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from holdfast import HoldfastError, LookAtTheStorage, Store, TryAgain
from holdfast.testing.driver import OPENERS
from tests.crash import states
from tests.crash.nursery import tell
from tests.crash.operations import Chooser, perform

PATIENCE = 120.0  # seconds until a write that fails again and again has failed for good

Write = Callable[[Store, str, int], object]


def state(number: int) -> dict[str, Any]:
    return {**states.state([7, number % 50, number]), "number": number}


def _save_with_id(store: Store, name: str, number: int) -> object:
    return store.thread(name).save(state(number), id=f"id-{number}")


def _save(store: Store, name: str, number: int) -> object:
    return store.thread(name).save(state(number))


def _append(store: Store, name: str, number: int) -> object:
    return store.thread(name).journal.append("number", number)


def _update(store: Store, name: str, number: int) -> object:
    return store.thread(name).update(state(number))


MANNERS: dict[str, Write] = {"save with id": _save_with_id, "save": _save, "append": _append, "update": _update}


def stored(store: Store, name: str) -> list[int]:
    """The numbers that a thread holds, oldest first."""
    if manner(name) == "append":
        return [entry.data for entry in store.thread(name).journal.read(limit=None) if entry.kind == "number"]
    thread = store.thread(name)
    found = [thread.load(info.id, channels=["number"]) for info in reversed(thread.history(limit=None))]
    return [one.state["number"] for one in found if one is not None]


def manner(name: str) -> str:
    return name.split("/")[-1]


# ------------------------------------------------------------------------------------------------ in a process


def write(url: str, lane: str, facade: str, folder: str) -> None:
    """Every manner at once, until the test makes the file `enough`."""
    with ExitStack() as stack:
        store = OPENERS[facade](stack, url)
        tell(opened=lane)
        enough = Path(folder) / "enough"
        names = [f"{lane}/{manner}" for manner in MANNERS]
        threads = [threading.Thread(target=_write, args=[store, name, enough]) for name in names]
        for one in threads:
            one.start()
        for one in threads:
            one.join()


def _write(store: Store, name: str, enough: Path) -> None:
    number = 0
    while not enough.exists():
        if not _written(store, name, number):
            return
        number += 1


def _written(store: Store, name: str, number: int) -> bool:
    end = time.monotonic() + PATIENCE
    repeat = False
    while time.monotonic() < end:
        tell(about=name, number=number)
        try:
            if not (repeat and manner(name) != "save with id" and number in stored(store, name)):
                MANNERS[manner(name)](store, name, number)
            tell(done=name, number=number)
            return True
        except (TryAgain, LookAtTheStorage) as error:
            tell(failed=name, number=number, error=type(error).__name__, text=str(error))
            repeat = True
            time.sleep(0.05)
        except Exception as error:
            tell(broken=name, number=number, error=f"{type(error).__name__}: {error}")
            return False
    tell(broken=name, number=number, error="it failed again and again")
    return False


def operate(url: str, lane: str, seed: str, count: int) -> None:
    """Random operations of every kind, until one fails."""
    with ExitStack() as stack:
        try:
            store = OPENERS["sync"](stack, url)
            chooser = Chooser(store, lane, seed)
            for _ in range(count):
                op = chooser.next()
                tell(about=op)
                tell(done=perform(store, op))
        except HoldfastError as error:
            tell(failed=type(error).__name__, text=str(error))
