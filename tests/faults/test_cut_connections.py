"""The connection is cut at every single request, before it reaches the server, within it and before its answer comes
back: the call finds out what became of it, and everything has happened exactly once."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from typing import Any, get_args

import pytest

import holdfast
from holdfast.testing.driver import OPENERS
from tests.crash import scenario, settings
from tests.crash.checker import check
from tests.crash.ledger import Ledger
from tests.crash.operations import Operation, perform
from tests.faults.conftest import new_database
from tests.faults.proxy import Proxy, When
from tests.servers.postgres import Server

OPERATIONS: list[Operation] = [
    *(op for op in scenario.OPERATIONS if op["do"] not in ("checkpoint", "collect")),
    {"do": "append", "thread": scenario.A, "kind": "note", "data": "without a key", "key": None},
    {"do": "save", "thread": scenario.A, "namespace": "sub", "recipe": [3, 2, 0], "id": "inner"},
]
TOO_MANY = 500
STRIDE = max(1, 4 * 240 // settings.ROUNDS)

each_cut = pytest.mark.parametrize("when", get_args(When))
each_facade = pytest.mark.parametrize("facade", ["sync", "async"])


def every_request(proxied: Proxy, when: When, *, stride: int = STRIDE, leave_open: bool = False) -> Iterator[int]:
    """Each time a connection is cut at that request, until there are no more requests: every one of them in a long run
    of the tests, every few in a short one."""
    for at in range(1 + random.Random(settings.SEED).randrange(stride), TOO_MANY, stride):
        proxied.cut(at, when, leave_open=leave_open)
        with settings.noted(f"request {at} was cut {when}; SEED={settings.SEED}"):
            yield at
        if not proxied.cuts:
            proxied.heal()
            return
    raise AssertionError("it never ends")


def in_lane(op: Operation, lane: str) -> Operation:
    return {key: value.replace(scenario.LANE, lane) if key in ("thread", "to") else value for key, value in op.items()}


def play(store: holdfast.Store, lane: str) -> Ledger:
    """Every operation, each of which has to pass."""
    ledger = Ledger(lane)
    for op in (in_lane(one, lane) for one in OPERATIONS):
        ledger.hear([{"about": op}, {"done": perform(store, op)}])
    return ledger


@each_cut
@each_facade
def test_every_operation_happens_once_whichever_request_is_cut(
    server: Server, database: str, proxied: Proxy, when: When, facade: str
) -> None:
    url = server.url(database, port=proxied.port, options="?timeout=3")
    with ExitStack() as stack:
        store = OPENERS[facade](stack, url)
        ledgers = [play(store, f"{at}/") for at in every_request(proxied, when)]
    assert len(ledgers) * STRIDE > len(OPERATIONS)
    check(server.url(database), *ledgers)


def opened(url: str) -> holdfast.Store:
    """A server that can't be reached at first is an error, as it may be the wrong one."""
    with suppress(holdfast.Unreachable):
        return holdfast.open(url)
    return holdfast.open(url)


@each_cut
def test_collect_takes_nothing_that_is_needed_whichever_request_is_cut(
    server: Server, proxied: Proxy, when: When
) -> None:
    """It asks a lot, of everything there is: each time there is one lane of operations to look at."""
    for at in every_request(proxied, when, stride=5 * STRIDE):
        database = new_database(server)
        with holdfast.open(server.url(database)) as store:
            ledger = play(store, f"{at}/")
        with opened(server.url(database, port=proxied.port, options="?timeout=3")) as store:
            assert store.collect().skipped == ()
        check(server.url(database), ledger)
        server.run(f"DROP DATABASE {database} WITH (FORCE)")


@each_cut
def test_a_store_is_made_whichever_request_is_cut(server: Server, proxied: Proxy, when: When) -> None:
    """The first opening makes the tables. A cut in between may be an error; the next opening completes the work."""
    for at in every_request(proxied, when):
        database = new_database(server)
        for _ in range(3):
            try:
                with holdfast.open(server.url(database, port=proxied.port)) as store:
                    store.thread("t").save({"at": at}, id="first")
                break
            except holdfast.Unreachable:
                continue
        with holdfast.open(server.url(database)) as store:
            assert [info.id for info in store.thread("t").history()] == ["first"]
        server.run(f"DROP DATABASE {database} WITH (FORCE)")


@each_cut
@each_facade
def test_a_run_does_each_step_once_whichever_request_is_cut(
    server: Server, database: str, proxied: Proxy, when: When, facade: str
) -> None:
    calls: list[str] = []

    def pay(what: str) -> str:
        calls.append(what)
        return f"paid {what}"

    def carry(store: holdfast.Store, name: str) -> None:
        with store.thread(name).run(input={"paid": []}) as run:
            paid: list[Any] = [run.step("rent", pay, f"{name} rent")]
            run.save({"paid": paid})
            paid = [*paid, run.step("tax", pay, f"{name} tax", key="tax")]
            run.finish({"paid": paid})

    with ExitStack() as stack:
        store = OPENERS[facade](stack, server.url(database, port=proxied.port))
        names = []
        for at in every_request(proxied, when):
            names.append(f"run {at}")
            carry(store, names[-1])
    with holdfast.open(server.url(database)) as store:
        for name in names:
            assert [info.status for info in store.thread(name).history()] == ["completed", "running", "running"]
            head = store.thread(name).latest()
            assert head is not None
            assert head.state == {"paid": [f"paid {name} rent", f"paid {name} tax"]}
    assert calls == [f"{name} {what}" for name in names for what in ("rent", "tax")]


def test_a_server_that_does_not_notice_the_cut_is_not_waited_for(server: Server, database: str, proxied: Proxy) -> None:
    """Its end of the connection stays open, with whatever that connection had locked."""
    with holdfast.open(server.url(database, port=proxied.port)) as store:
        ledgers = [play(store, f"{at}/") for at in every_request(proxied, "before", leave_open=True)]
    check(server.url(database), *ledgers)
