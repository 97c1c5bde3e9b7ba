"""What other processes do while a store is backed up or restored: ``python backup_jobs.py JOB URL …``."""

from __future__ import annotations

import sys
import time

import holdfast


def write(url: str, name: str) -> None:
    """Save until killed; each line reports what is acknowledged."""
    with holdfast.open(url) as store:
        thread = store.thread(name)
        for n in range(1_000_000):
            thread.save({"n": n, "messages": [f"message {i} of {name}" for i in range(n % 50)]})
            print(n, flush=True)


def back_up(url: str, path: str) -> None:
    """Slowly: there is time to be killed."""

    def listener(done: int, total: int) -> None:
        print(done, total, flush=True)
        time.sleep(0.05)

    with holdfast.open(url) as store:
        store.backup(path, listener)
    print("done", flush=True)


def take(url: str, name: str, begin: str = "") -> None:
    """Open, and take the thread, to resume or begin a run; reports the epoch that it got."""
    with holdfast.open(url) as store, store.thread(name).run(input={"n": 9} if begin else None, wait=30):
        lease = store.threads(name)[0].lease
        print(0 if lease is None else lease.epoch, flush=True)


if __name__ == "__main__":
    {"write": write, "back_up": back_up, "take": take}[sys.argv[1]](*sys.argv[2:])
