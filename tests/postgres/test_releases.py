"""Several releases of Holdfast on one schema: functions by version, migrations in place."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import psycopg
import pytest

import holdfast
from holdfast import AccessDenied, NewerFormat, NotAStore, Store
from holdfast.backends.common.sql_scripts import Migration
from holdfast.backends.postgres import PostgresBackend
from holdfast.backends.postgres.connection.address import parse
from holdfast.backends.postgres.sql import VERSION, Release, this_release
from holdfast.backends.registry import OPENERS, init_store
from holdfast.testing.driver import head
from tests.postgres.catalog import catalog, functions
from tests.support.postgres import changed, run, server, with_option

ROLE = f"agents_plain_{os.getpid()}"
Asked = Callable[[str], Any]

WRITTEN_BY = """
    SELECT array_agg(xmin::text ORDER BY proname) FROM pg_proc WHERE pronamespace = current_schema()::regnamespace
"""
NOTES = """
    CREATE TABLE note (id bigint NOT NULL PRIMARY KEY);
    ALTER TABLE line ADD COLUMN note bigint NOT NULL DEFAULT 7;
    ALTER TABLE checkpoint ADD COLUMN note text;
    UPDATE format SET number = 2, needed = {needed};
"""


def later(version: int = VERSION + 1, needed: int | None = None) -> Release:
    """A made-up release: its functions leave a trace of who called them, and `needed` adds a format 2."""
    this = this_release()
    traced = this.functions.replace(
        "    FOR batch IN 0 .. cardinality(starts) / 4 - 2 LOOP\n",
        "    INSERT INTO caller DEFAULT VALUES;\n    FOR batch IN 0 .. cardinality(starts) / 4 - 2 LOOP\n",
    )
    assert traced != this.functions
    functions = "CREATE TABLE IF NOT EXISTS caller (id bigserial);\n" + traced
    added = () if needed is None else (Migration(2, "notes", NOTES.format(needed=needed)),)
    return replace(this, version=version, functions=functions, migrations=this.migrations + added)


@contextmanager
def opened(url: str, release: Release) -> Iterator[Store]:
    """A store as a program with this release of the library opens it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(OPENERS, "postgresql", lambda rest: PostgresBackend(parse(f"postgresql:{rest}"), release))
        store = holdfast.open(url)
    with store:
        yield store


@pytest.fixture
def name() -> Iterator[str]:
    found = f"releases_{os.getpid()}"
    run(server(), f"DROP SCHEMA IF EXISTS {found} CASCADE")
    yield found
    run(server(), f"DROP SCHEMA IF EXISTS {found} CASCADE")


@pytest.fixture
def new(name: str) -> str:
    """The URL of a schema that does not exist yet."""
    return with_option(server(), f"schema={name}")


@pytest.fixture
def asked(name: str) -> Iterator[Asked]:
    """The only value that a query on the schema returns."""
    with psycopg.connect(server(), autocommit=True) as connection:

        def ask(query: str) -> Any:
            connection.execute("SELECT set_config('search_path', %s, false)", (name,))
            ((value,),) = connection.execute(query.encode()).fetchall()
            return value

        yield ask


# ------------------------------------------------------------------------------------------------ functions


def test_every_function_has_the_version_in_its_name(new, name):
    holdfast.open(new).close()
    found = functions(name)
    assert found
    assert all(function.endswith(f"_{VERSION}") for function in found)
    assert {"apply_1", "find_1", "chunks_1", "pending_1"} <= set(found)


def test_functions_are_installed_once(new, asked):
    holdfast.open(new).close()
    before = asked(WRITTEN_BY)
    assert asked("SELECT functions ->> '1' FROM format") == this_release().digest
    holdfast.open(new).close()
    init_store(new, None)
    assert asked(WRITTEN_BY) == before


def test_functions_are_installed_again_when_their_digest_differs(new, name, asked):
    holdfast.open(new).close()
    before = functions(name)
    changed_here = later(version=VERSION)
    with opened(new, changed_here) as store:
        store.thread("t").save({"n": 1})
    assert asked("SELECT functions ->> '1' FROM format") == changed_here.digest
    assert functions(name)["apply_1"] != before["apply_1"]
    assert asked("SELECT count(*) FROM caller") == 1
    holdfast.open(new).close()
    assert asked("SELECT functions ->> '1' FROM format") == this_release().digest
    assert functions(name) == before


def test_functions_that_are_gone_from_the_record_are_installed_again(new, name, asked):
    holdfast.open(new).close()
    run(server(), f"UPDATE {name}.format SET functions = '{{}}'", f"DROP FUNCTION {name}.find_1")  # noqa: S608
    with holdfast.open(new) as store:
        store.thread("t").save({"n": 1})
        assert head(store.thread("t")).state == {"n": 1}


def test_an_older_client_continues_beside_a_newer_one(new, name, asked):
    """Each calls its own functions: the newer ones leave a trace."""
    with opened(new, this_release()) as older:
        older.thread("shared").save({"n": 0})
        with opened(new, later()) as newer:
            assert {"apply_1", "apply_2"} <= set(functions(name))
            newer.thread("new").save({"n": 1})
            assert asked("SELECT count(*) FROM caller") == 1
            older.thread("old").save({"n": 2})
            assert asked("SELECT count(*) FROM caller") == 1
            assert head(older.thread("new")).state == {"n": 1}
            assert head(newer.thread("old")).state == {"n": 2}
        with opened(new, this_release()) as again:
            again.thread("old").save({"n": 3})
        assert asked("SELECT count(*) FROM caller") == 1
        assert sorted(asked("SELECT array_agg(version) FROM format, jsonb_object_keys(functions) AS version")) == [
            "1", "2",
        ]  # fmt: skip


def test_older_and_newer_clients_write_at_once(new):
    """To one thread, and each to its own: they lock the same rows and names, whatever their functions are called."""

    def work(store: Store, who: str) -> None:
        for n in range(15):
            store.thread("shared").journal.append("note", {"who": who, "n": n})
            store.thread(who).save({"messages": [f"{who} {k}" for k in range(n)]})
            info = store.thread(who).save({"messages": [], "n": n})
            store.thread(who).put_writes(info.id, [("n", n)], task_id="one")

    with opened(new, this_release()) as older, opened(new, later()) as newer:
        stores = {"older 0": older, "older 1": older, "newer 0": newer, "newer 1": newer}
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda who: work(stores[who], who), stores))
        for store in (older, newer):
            entries = store.thread("shared").journal.read(limit=None)
            assert sorted((entry.data["who"], entry.data["n"]) for entry in entries) == [
                (who, n) for who in sorted(stores) for n in range(15)
            ]
            for who in stores:
                assert len(store.thread(who).history(limit=None)) == 30
            assert store.verify().ok


def test_several_clients_install_at_once(new, name):
    holdfast.open(new).close()
    address, release = parse(new), later()
    with ThreadPoolExecutor(8) as pool:
        backends = list(pool.map(lambda _: PostgresBackend(address, release), range(8)))
    assert {"apply_1", "apply_2"} <= set(functions(name))
    assert len(backends) == 8


@pytest.fixture
def plain_role(new, name):
    """A writer that may not create functions."""
    holdfast.open(new).close()
    run(
        server(),
        f"DROP ROLE IF EXISTS {ROLE}",
        f"CREATE ROLE {ROLE} LOGIN PASSWORD 'x'",
        f"GRANT USAGE ON SCHEMA {name} TO {ROLE}",
        f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {name} TO {ROLE}",
        f"REVOKE INSERT, UPDATE, DELETE ON {name}.format FROM {ROLE}",
    )
    yield changed(new, user=ROLE, password="x")  # noqa: S106
    run(server(), f"DROP OWNED BY {ROLE}", f"DROP ROLE {ROLE}")


def test_a_role_that_may_not_create_functions_learns_what_to_run(plain_role, new):
    release = replace(this_release(), version=2)
    with pytest.raises(AccessDenied, match="run `holdfast init` with the same URL as the schema's owner"):
        PostgresBackend(parse(plain_role), release)
    with opened(new, release):
        pass
    with opened(plain_role, release) as store, opened(plain_role, this_release()) as older:
        store.thread("t").save({"messages": ["x" * 100]})
        assert head(older.thread("t")).state == {"messages": ["x" * 100]}
        assert older.stats().stored_bytes > 0


# ------------------------------------------------------------------------------------------------ formats


def filled(store: Store) -> dict[str, Any]:
    thread = store.thread("t", metadata={"a": "b"})
    for n in range(40):
        info = thread.save({"messages": [f"message {k}" for k in range(n)]})
        thread.put_writes(info.id, [("n", n)], task_id="one")
    thread.fork(to="fork").save({"n": 1})
    thread.journal.append("note", {"n": 1}, key="once")
    return contents(store)


def contents(store: Store) -> dict[str, Any]:
    return {
        info.id: [store.thread(info.id).load(one.id) for one in store.thread(info.id).history(limit=None)]
        for info in store.threads(limit=None)
    }


@pytest.mark.parametrize("needed", [1, 2])
def test_a_schema_of_format_1_is_upgraded_in_place_with_its_data(new, asked, needed):
    with opened(new, this_release()) as store:
        before = filled(store)
    with opened(new, later(needed=needed)) as upgraded:
        assert asked("SELECT number FROM format") == 2
        assert contents(upgraded) == before
        upgraded.thread("t").save({"n": 2})
        assert upgraded.verify().ok
    with opened(new, later(needed=needed)) as again:
        assert head(again.thread("t")).state == {"n": 2}


def test_a_client_of_format_1_continues_where_format_2_does_not_need_a_newer_one(new, asked):
    with opened(new, this_release()) as open_before:
        before = filled(open_before)
        with opened(new, later(needed=1)):
            assert contents(open_before) == before
            open_before.thread("t").save({"n": 2})
        with opened(new, this_release()) as older:
            older.thread("u").save({"n": 3})
            assert head(older.thread("t")).state == {"n": 2}
            assert older.verify().ok
    assert asked("SELECT number FROM format") == 2
    assert asked("SELECT min(note) FROM line") == 7


def test_a_client_of_format_1_refuses_a_schema_that_needs_format_2(new):
    with opened(new, later(needed=2)):
        pass
    with pytest.raises(NewerFormat, match="needs format 2, and this Holdfast knows up to 1; install a newer"):
        holdfast.open(new)
    with pytest.raises(NewerFormat):
        init_store(new, None)


def test_a_migration_that_fails_leaves_the_schema_as_it_was(new, name):
    with opened(new, this_release()) as store:
        before = filled(store)
    found = catalog(name)
    broken = Migration(2, "broken", "CREATE TABLE note (id bigint); SELECT 1 / 0")
    with pytest.raises(holdfast.HoldfastError, match="division by zero"):
        PostgresBackend(parse(new), replace(this_release(), migrations=(*this_release().migrations, broken)))
    assert catalog(name) == found
    with opened(new, this_release()) as store:
        assert contents(store) == before


def test_functions_that_a_newer_format_dropped_are_missed_with_a_clear_error(new, name):
    with opened(new, this_release()) as store:
        store.thread("t").save({"n": 1})
        run(server(), *(f"DROP FUNCTION {name}.{function}" for function in functions(name)))
        with pytest.raises(NotAStore, match="upgraded to a newer format"):
            store.thread("t").save({"n": 2})
