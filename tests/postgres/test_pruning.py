"""A prune that races saves: neither loses, and what is kept is what the retention keeps."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import holdfast
from holdfast import Retention
from tests.support.postgres import schemas

SAVES = 150


def test_a_prune_races_the_saves_of_its_thread(tmp_path: Path) -> None:
    url = schemas.url(tmp_path)
    done = threading.Event()

    def save(inner: str) -> list[str]:
        with holdfast.open(url) as store:
            thread = store.thread("t", inner)
            return [thread.save({"n": n, "log": list(range(n))}).id for n in range(SAVES)]

    def prune() -> set[str]:
        removed: set[str] = set()
        with holdfast.open(url) as store:
            while not done.is_set():
                report = store.thread("t").prune(Retention(keep_last=3))
                assert not removed & set(report.removed)
                removed.update(report.removed)
                store.collect()
        return removed

    with ThreadPoolExecutor() as pool:
        savers = [pool.submit(save, inner) for inner in ("", "", "inner")]
        pruners = [pool.submit(prune) for _ in range(2)]
        saved = [saver.result() for saver in savers]
        done.set()
        removed = [pruner.result() for pruner in pruners]
    with holdfast.open(url) as store:
        ids = {one for some in saved for one in some}
        left = {info.id for inner in ("", "inner") for info in store.thread("t", inner).history(limit=None)}
        assert not removed[0] & removed[1]
        assert len(left) + len(removed[0]) + len(removed[1]) == len(ids)
        assert left | removed[0] | removed[1] == ids
        head = store.thread("t").latest()
        assert head is not None
        assert head.id in (saved[0][-1], saved[1][-1])
        assert head.state == {"n": SAVES - 1, "log": list(range(SAVES - 1))}
        assert store.verify().faults == ()
