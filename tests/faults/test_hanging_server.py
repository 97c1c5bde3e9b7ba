"""A server that stands still, or a network that swallows everything: an error in bounded time, and then all is well."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager

import pytest

import holdfast
from holdfast import Unreachable
from holdfast.backends.postgres.connection import connector
from holdfast.testing.driver import OPENERS, at_once
from tests.faults.proxy import Proxy
from tests.servers.postgres import Server

SAYS = "no answer|timeout expired|may have been applied"
IMPATIENT = "?timeout=1&retry=0&connect_timeout=2"
THREADS = [f"t{n}" for n in range(4)]
Standstill = Callable[[Server, Proxy], AbstractContextManager[None]]


@contextmanager
def of_the_server(server: Server, proxied: Proxy) -> Iterator[None]:
    server.stop()
    try:
        yield
    finally:
        server.go_on()


@contextmanager
def of_the_network(server: Server, proxied: Proxy) -> Iterator[None]:
    with proxied.holding():
        yield


@contextmanager
def of_replication(server: Server, proxied: Proxy) -> Iterator[None]:
    """The server takes everything, and acknowledges nothing before a second server, that is not there, has it."""
    _confirmed_by(server, "nobody")
    try:
        yield
    finally:
        _confirmed_by(server, "")


def _confirmed_by(server: Server, names: str) -> None:
    server.run("SET synchronous_commit = local", f"ALTER SYSTEM SET synchronous_standby_names = '{names}'")
    server.run("SELECT pg_reload_conf()")
    while server.run("SHOW synchronous_standby_names") != [(names,)]:
        pass


@pytest.fixture(autouse=True)
def _little_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time that a server has beyond its own limits, so that a test need not wait for it."""
    monkeypatch.setattr(connector, "_GRACE", 0.5)


@pytest.fixture
def proxied(doomed: Server) -> Iterator[Proxy]:
    found = Proxy(doomed.port)
    yield found
    found.close()


@pytest.mark.parametrize(
    ("standstill", "facade"), [(of_the_server, "sync"), (of_the_network, "async"), (of_replication, "sync")],
    ids=["server", "network", "replication"],
)  # fmt: skip
def test_a_standstill_is_an_error_and_afterwards_everything_is_there_once(
    doomed: Server, proxied: Proxy, standstill: Standstill, facade: str
) -> None:
    with ExitStack() as stack:
        store = OPENERS[facade](stack, doomed.url(port=proxied.port, options=IMPATIENT))
        for name in THREADS:
            store.thread(name).save({"n": 1}, id="first")

        def fail(number: int) -> None:
            with pytest.raises(Unreachable, match=SAYS):
                store.thread(THREADS[number]).save({"n": 2}, id="second")

        with standstill(doomed, proxied):
            at_once(len(THREADS), fail)
        for name in THREADS:
            store.thread(name).save({"n": 2}, id="second")
            store.thread(name).save({"n": 3}, id="third")
    with holdfast.open(doomed.url()) as store:
        for name in THREADS:
            assert [info.id for info in store.thread(name).history()] == ["third", "second", "first"]


@pytest.mark.parametrize("facade", ["sync", "async"])
def test_opening_a_store_on_a_server_that_stands_still_is_an_error(doomed: Server, proxied: Proxy, facade: str) -> None:
    with ExitStack() as stack, proxied.holding(), pytest.raises(Unreachable, match=SAYS):
        OPENERS[facade](stack, doomed.url(port=proxied.port, options=IMPATIENT))
