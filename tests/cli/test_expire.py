"""`holdfast expire`."""

from __future__ import annotations

from collections.abc import Callable

import holdfast
from holdfast.testing.maintenance.expired_threads import HOUR, aged
from tests.cli.conftest import Shown


def fill(store: holdfast.Store) -> None:
    for name in ("a", "b", "c"):
        store.thread(name, ttl=HOUR).save({"n": 1})
    store.thread("plain").save({})
    for name in ("a", "c"):
        aged(store, name, 2 * HOUR)


def stored(store: holdfast.Store) -> int:
    return store.verify().threads


def test_it_shows_a_preview_and_needs_a_yes(store: holdfast.Store, holdfast_command: Callable[..., Shown]) -> None:
    fill(store)
    shown = holdfast_command("expire")
    assert shown == (0, "nothing was removed; --yes removes them\n", "2 threads would be removed:\n  a\n  c\n")
    assert stored(store) == 4


def test_yes_removes_them(store: holdfast.Store, holdfast_command: Callable[..., Shown]) -> None:
    fill(store)
    assert holdfast_command("expire", "--limit", "1", "--yes").out.startswith("removed 1 thread;")
    shown = holdfast_command("expire", "--yes")
    assert (shown.code, shown.out.split(";")[0], stored(store)) == (0, "removed 1 thread", 2)
    assert holdfast_command("expire").out == "nothing has expired\n"


def test_it_writes_json(store: holdfast.Store, holdfast_command: Callable[..., Shown]) -> None:
    fill(store)
    (dry,) = holdfast_command("expire", "--json").json
    assert (dry["expired"], dry["thread_ids"], dry["dry_run"], stored(store)) == (2, ["a", "c"], True, 4)
    shown = holdfast_command("expire", "--json", "--yes")
    assert (shown.json[0]["expired"], shown.json[0]["dry_run"], shown.err, stored(store)) == (2, False, "", 2)


def test_threads_that_are_held_are_named(store: holdfast.Store, holdfast_command: Callable[..., Shown]) -> None:
    thread = store.thread("t", ttl=HOUR)
    with thread.run(input={"n": 1}, ttl=9 * HOUR):
        aged(store, "t", 2 * HOUR)
        assert "1 thread kept because a worker holds the lease" in holdfast_command("expire").out
