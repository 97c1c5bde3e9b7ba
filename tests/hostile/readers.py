"""Every call and command that reads a store, as a list; each ends in an answer or in a `HoldfastError`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

import holdfast
from holdfast import HoldfastError, Retention, Store
from holdfast.adapters.langgraph import HoldfastSaver
from holdfast.cli.app import build
from tests.hostile.good_store import EARLY, GONE, MAX_VALUE, NAMES

Call = tuple[str, Callable[[], Any]]
MUST_ANSWER = ("verify", "verify again")
"""Calls that report damage, and never end in an error because of it."""

_app = build()


class Readers:
    """The calls for one store, in an order in which those that change it come last."""

    def __init__(self, url: str, folder: Path, *, commands: bool) -> None:
        self._url = url
        self._folder = folder
        self._commands = commands
        self.failures: list[str] = []

    def run(self) -> None:
        """Make all calls; what they did wrong is in `failures`."""
        store = self._try("open", lambda: holdfast.open(self._url, max_value=MAX_VALUE))
        if store is None:
            return
        with store:
            for name, call in chain(self._reads(store), self._writes(store), self._maintenance(store)):
                self._try(name, call)
        # The caches of the first store hold what it has read; a new one reads again what was written.
        again = self._try("open again", lambda: holdfast.open(self._url, max_value=MAX_VALUE))
        if again is not None:
            with again:
                for name, call in self._repairs(again):
                    self._try(name, call)
        if self._commands:
            for name, call in self._shown():
                self._try(name, call)

    def _try(self, name: str, call: Callable[[], Any]) -> Any:
        try:
            return call()
        except HoldfastError as error:
            if name in MUST_ANSWER:
                self.failures.append(f"{name}: {type(error).__name__}: {error!s:.200}")
        except Exception as error:
            self.failures.append(f"{name}: {error!r:.200} {_where(error)}")
        return None

    # ---------------------------------------------------------------- calls

    def _reads(self, store: Store) -> Iterator[Call]:
        yield "threads", lambda: store.threads(limit=None)
        yield "threads where", lambda: store.threads(where={"user": "ada", "status": "running"})
        yield "resumable", store.resumable
        yield "stats", store.stats
        yield "quarantined", store.quarantined
        for name in NAMES:
            for namespace in ("", "sub") if name.startswith("chat") else ("",):
                yield from self._thread_reads(store, name, namespace)
        yield from self._saver(store)
        yield "verify", store.verify
        yield "export", lambda: store.export(None, self._folder / "out.hfb")
        yield "export json", lambda: store.export(None, self._folder / "out.jsonl", json=True)
        yield "backup", lambda: store.backup(self._folder / "backup")
        yield "copy", lambda: self._copy(store)

    def _thread_reads(self, store: Store, name: str, namespace: str) -> Iterator[Call]:
        thread = store.thread(name, namespace)
        where = f"{name} {namespace}"
        infos: list[Any] = []
        yield f"{where} info", thread.info
        yield f"{where} latest", thread.latest
        yield f"{where} history", lambda: infos.extend(thread.history(limit=None))
        yield f"{where} history of a status", lambda: thread.history(where={"status": "completed"})
        for one in infos[:1] + infos[-1:]:
            yield f"{where} load", partial(thread.load, one.id)
            yield f"{where} lineage", partial(thread.lineage, one.id)
            yield f"{where} diff", partial(thread.diff, one.id, infos[0].id)
            yield f"{where} effects_after", partial(thread.effects_after, one.id)
        yield f"{where} load what is not there", lambda: thread.load("none")
        yield f"{where} at step", lambda: thread.at(step=1)
        yield f"{where} at time", lambda: thread.at(time=datetime(2100, 1, 1, tzinfo=UTC))
        yield f"{where} at journal", lambda: thread.at(journal_seq=1)
        yield f"{where} journal", lambda: thread.journal.read(limit=None)
        yield f"{where} journal.latest", thread.journal.latest
        yield f"{where} recover", thread.recover

    def _saver(self, store: Store) -> Iterator[Call]:
        saver = HoldfastSaver(store)
        config: Any = {"configurable": {"thread_id": "chat", "checkpoint_ns": ""}}
        yield "get_tuple", lambda: saver.get_tuple(config)
        yield (
            "get_tuple of an id",
            lambda: saver.get_tuple({"configurable": {**config["configurable"], "checkpoint_id": "c3"}}),
        )
        yield "list", lambda: [*saver.list(config)]
        yield "saver.put_writes", lambda: saver.put_writes(EARLY, [("lines", ["x"])], "other")

    def _copy(self, store: Store) -> None:
        with holdfast.open("memory:", max_value=MAX_VALUE) as target:
            holdfast.copy(store, target)

    def _writes(self, store: Store) -> Iterator[Call]:
        for name in NAMES:
            thread = store.thread(name)
            yield f"{name} save", partial(thread.save, {"messages": ["a"] * 9, "count": 7})
            yield (
                f"{name} update",
                partial(thread.update, {"messages": ["more"]}, reduce={"messages": holdfast.extend}),
            )
            yield f"{name} put_writes", partial(self._put_writes, thread)
            yield f"{name} append", partial(thread.journal.append, "said", 1, key="k1")
        for name in ("chat", "long"):
            yield f"{name} fork", partial(self._fork, store.thread(name))
            yield f"{name} copy_thread", partial(store.copy_thread, name, f"{name}/copied")
        yield "label", lambda: store.thread("chat").label("c1", "new")
        yield "chat sub save", lambda: store.thread("chat", "sub").save({"plan": []})
        yield "gone save", lambda: store.thread(GONE, reuse=True).save({"n": 1})
        yield "early", lambda: store.thread("chat").save({"lines": []}, id=EARLY["configurable"]["checkpoint_id"])
        yield "run", lambda: self._run(store, "waits")
        yield "run held", lambda: self._run(store, "held")
        yield "delete_checkpoints", lambda: store.thread("chat").delete_checkpoints(["c1", "c4"])
        yield "delete_run", lambda: store.delete_run("r1")

    def _fork(self, thread: Any) -> None:
        thread.fork(to=f"{thread.id}/new").latest()

    def _put_writes(self, thread: Any) -> None:
        head = thread.latest([])
        if head is not None:
            thread.put_writes(head.id, [("messages", ["m"]), ("control", 1, -1)], task_id="t9")

    def _run(self, store: Store, name: str) -> None:
        with store.thread(name).run(resume=True) if name == "waits" else store.thread(name).run() as run:
            run.step("pay", lambda: "receipt", key="payment")

    def _maintenance(self, store: Store) -> Iterator[Call]:
        kept = Retention(keep_last=2, keep_terminal=True)
        yield "prune dry", lambda: store.prune(kept, dry_run=True)
        yield "prune one", lambda: store.thread("chat").prune(kept)
        yield "prune", lambda: store.prune(kept)
        yield "collect", store.collect
        yield "expire dry", lambda: store.expire(dry_run=True)
        yield "expire", store.expire
        yield "delete", lambda: store.thread("chat/fork").delete()
        yield "erase dry", lambda: store.erase({"user": "ada"}, dry_run=True)

    def _repairs(self, store: Store) -> Iterator[Call]:
        plans: list[Any] = []
        yield "verify again", lambda: plans.append(store.verify())
        for plan in plans:
            yield "repair dry", partial(store.repair, plan, dry_run=True)
            yield "repair", partial(store.repair, plan)
        yield "verify again", store.verify
        yield "latest after", lambda: store.thread("chat").latest()
        yield "erase", lambda: store.erase({"user": "ada"})
        yield "stats after", store.stats

    # ---------------------------------------------------------------- commands

    def _shown(self) -> Iterator[Call]:
        for arguments in (
            ("threads", self._url), ("threads", self._url, "--json"), ("stats", self._url), ("verify", self._url),
            ("log", self._url, "chat"), ("log", self._url, "long", "--json"), ("show", self._url, "chat"),
            ("show", self._url, "long", "--json"), ("diff", self._url, "chat", "c0", "c5"),
        ):  # fmt: skip
            yield f"holdfast {arguments[0]}", partial(_command, arguments)


def _command(arguments: tuple[str, ...]) -> None:
    result = CliRunner().invoke(_app, arguments)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert "\x1b[31m" not in result.output, "an escape of the terminal came through"


def _where(error: BaseException) -> str:
    """The last lines of Holdfast's own code that the error came through."""
    places: list[str] = []
    trace = error.__traceback__
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if "/holdfast/" in name:
            places.append(f"{name.rpartition('/holdfast/')[2]}:{trace.tb_lineno}")
        trace = trace.tb_next
    return " < ".join(places[:-4:-1])
