"""`holdfast erase`."""

from __future__ import annotations

from collections.abc import Callable

import holdfast
from tests.cli.conftest import Shown


def fill(store: holdfast.Store) -> None:
    store.thread("ada/1", metadata={"user": "ada"}).save({"n": 1})
    store.thread("ada/2").save({"n": 1}, metadata={"user": "ada", "tier": 2})
    store.thread("bob", metadata={"user": "bob"}).save({"n": 1})


def names(store: holdfast.Store) -> list[str]:
    return [one.id for one in store.threads()]


def test_it_shows_a_preview_and_needs_a_yes(store: holdfast.Store, holdfast_command: Callable[..., Shown]) -> None:
    fill(store)
    shown = holdfast_command("erase", "--where", "user=ada")
    assert shown == (0, "nothing was erased; --yes erases them\n", "2 threads would be erased:\n  ada/1\n  ada/2\n")
    assert names(store) == ["ada/1", "ada/2", "bob"]


def test_yes_erases(store: holdfast.Store, holdfast_command: Callable[..., Shown]) -> None:
    fill(store)
    shown = holdfast_command("erase", "--where", "user=ada", "--where", "tier=2", "--yes")
    assert (shown.code, shown.lines[0]) == (
        0, "erased 1 thread, 1 checkpoint, 0 writes, 0 journal entries, 0 pieces of values"
    )  # fmt: skip
    assert shown.lines[1].startswith("certificate ")
    assert names(store) == ["ada/1", "bob"]


def test_it_writes_the_certificate_as_json(store: holdfast.Store, holdfast_command: Callable[..., Shown]) -> None:
    fill(store)
    (dry,) = holdfast_command("erase", "--where", "user=ada", "--json").json
    (certificate,) = holdfast_command("erase", "--where", "user=ada", "--json", "--yes").json
    assert (dry["threads"], dry["dry_run"]) == (certificate["threads"], True) == (2, True)
    assert (certificate["complete"], certificate["skipped"], len(certificate["digest"])) == (True, [], 64)
    assert all(word not in str(certificate) for word in ("'ada'", "=ada", "ada/"))  # digests may well have an "ada"
    assert names(store) == ["bob"]


def test_nothing_named_is_refused(store: holdfast.Store, holdfast_command: Callable[..., Shown]) -> None:
    fill(store)
    assert holdfast_command("erase", "--yes").code == 2
    assert holdfast_command("erase", "--where", "user", "--yes").code == 2
    assert len(names(store)) == 3
