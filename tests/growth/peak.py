"""Prints, as JSON, how far the memory of a new process rises while large values are saved, changed and read.

``MALLOC_MMAP_THRESHOLD_=1000000 python tests/growth/peak.py URL MEGABYTES``: with that setting the allocator returns
large blocks to the system as soon as they are free. Each number is the peak of the resident memory above what it was
before the call, as a multiple of the value's size. The caller's own value is not in it.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import holdfast

MEGABYTE = 1_000_000
_STATUS = Path("/proc/self/status")
_RESET = Path("/proc/self/clear_refs")


def is_measurable() -> bool:
    """Whether this system has a peak that can be reset."""
    return os.access(_RESET, os.W_OK)


def _resident(name: str) -> int:
    (line,) = (line for line in _STATUS.read_text().splitlines() if line.startswith(name))
    return int(line.split()[1]) * 1024


def rise(call: Callable[[], object]) -> int:
    gc.collect()
    before = _resident("VmRSS")
    _RESET.write_text("5")  # the peak starts again from here
    call()
    return _resident("VmHWM") - before


def value(kind: str, size: int) -> Any:
    """Random, so that it is stored without getting much smaller."""
    if kind == "bytes":
        return os.urandom(size)
    if kind == "text":
        return os.urandom(size // 2).hex()
    return [os.urandom(512).hex() for _ in range(size // 1024)]


def changed(before: Any) -> Any:
    if isinstance(before, list):
        return [*before, "one more"]
    middle = len(before) // 2
    return before[:middle] + before[:3] + before[middle:]


def measured(url: str, kind: str, size: int) -> dict[str, float]:
    with holdfast.open(url, cache=0) as store:  # as for a value that is too large for the cache
        store.thread("small").save({"value": "x" * 2000})
        store.thread("small").latest()
        thread = store.thread(kind)
        first = value(kind, size)
        # The lower of two: a commit that the server refused at first, and that was sent again, takes more.
        saves = [store.thread("other"), thread]
        risen = {"save": min(rise(partial(one.save, {"value": first})) for one in saves)}
        second = changed(first)
        del first
        risen["change"] = rise(lambda: thread.save({"value": second}))
        risen["read"] = rise(thread.latest)
        read = thread.latest()
        assert read is not None
        assert read.state == {"value": second}
        del read
    with holdfast.open(url) as store:
        risen["cold read"] = rise(store.thread(kind).latest)
    return {name: round(most / size, 2) for name, most in risen.items()}


def main(url: str, megabytes: str) -> None:
    size = int(megabytes) * MEGABYTE
    print(json.dumps({kind: measured(url, kind, size) for kind in ("bytes", "text", "list")}))


if __name__ == "__main__":
    main(*sys.argv[1:])
