"""Making, sharing and refusing schemas; partitions; the roles of readers and writers."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import psycopg
import pytest

import holdfast
from holdfast import AccessDenied, Conflict, HoldfastError, InvalidArgument, NewerFormat, NotAStore
from holdfast.backends.registry import init_store
from holdfast.testing.driver import head
from tests.support.postgres import changed, run, server, with_option

READER, WRITER, NOBODY = ROLES = [f"agents_{one}_{os.getpid()}" for one in ("reader", "writer", "nobody")]
TREE_TABLES = {
    "line",
    "checkpoint",
    "overlay",
    "log",
    "chunk",
    "chunk_slot",
    "pending",
    "pending_slot",
    "settled",
    "journal",
    "run",
}


@pytest.fixture
def fresh():
    """A schema's name that nothing has yet; whatever has it afterwards is dropped."""
    names = [f"fresh_schema_{os.getpid()}", f'Odd "name"; -- {os.getpid()}', f"été{os.getpid()}"]
    yield names
    run(server(), *(f'DROP SCHEMA IF EXISTS "{name.replace(chr(34), chr(34) * 2)}" CASCADE' for name in names))


def named(name: str) -> str:
    return with_option(server(), f"schema={name}")


NAMES = ["Agents", "my agents", "a.b", "100%", "a%b", "a%%b", "%s", "%(tree)s", "{schema}", "a+b&c=d#e?f", "it's"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("partitions", [None, 2])
def test_a_schema_of_any_name_is_measured_listed_and_backed_up(name, partitions, tmp_path):
    own = f"{name} {os.getpid()}"
    try:
        init_store(named(quote(own)), partitions)
        with holdfast.open(server(), schema=own) as store:
            for n in range(3):
                store.thread("t").save({"n": n})
            assert store.bytes_stored() > 100_000
            assert store.stats().stored_bytes > 100_000
            assert store.verify().ok
            run(server(), f'ANALYZE "{own}".checkpoint')
            totals = []
            backup = store.backup(tmp_path / "backup.db", progress=lambda done, total: totals.append(total))
            assert max(totals[:3]) >= 3
        with holdfast.open(backup.url) as copy:
            assert head(copy.thread("t")).state == {"n": 2}
    finally:
        run(server(), f'DROP SCHEMA IF EXISTS "{own}" CASCADE')


def test_several_processes_make_the_schema_at_once(fresh):
    code = "import sys, holdfast; s = holdfast.open(sys.argv[1]); s.thread(sys.argv[2]).save({'n': 1}); s.close()"
    url = named(fresh[0])
    workers = [subprocess.Popen([sys.executable, "-c", code, url, str(n)]) for n in range(4)]
    assert [worker.wait(60) for worker in workers] == [0] * 4
    with holdfast.open(url) as store:
        assert [one.id for one in store.threads()] == ["0", "1", "2", "3"]


def test_several_threads_make_the_schema_at_once(fresh):
    with ThreadPoolExecutor(8) as pool:
        stores = list(pool.map(lambda _: holdfast.open(named(fresh[0])), range(8)))
    for n, store in enumerate(stores):
        store.thread(str(n)).save({"n": n})
    assert [[one.id for one in store.threads()] for store in stores] == [[str(n) for n in range(8)]] * 8
    for store in stores:
        store.close()


@pytest.mark.parametrize("which", [0, 1, 2])
def test_any_name_will_do_and_schemas_are_apart(fresh, which, store):
    with holdfast.open(server(), schema=fresh[which]) as other:
        other.thread("t").save({"n": 1})
        assert store.threads() == []
        assert [one.id for one in other.threads()] == ["t"]
    with holdfast.open(server(), schema=fresh[which]) as again:
        assert head(again.thread("t")).state == {"n": 1}


def test_the_default_schema_is_called_holdfast():
    with holdfast.open(server()) as store:
        store.bytes_stored()
    with psycopg.connect(server()) as connection:
        assert connection.execute("SELECT to_regclass('holdfast.thread') IS NOT NULL").fetchone() == (True,)
    run(server(), "DROP SCHEMA holdfast CASCADE")


def test_a_schema_argument_must_agree_with_the_url_and_the_backend(tmp_path):
    with pytest.raises(InvalidArgument, match="leave one out"):
        holdfast.open(named("a"), schema="b")
    with pytest.raises(InvalidArgument, match="PostgreSQL"):
        holdfast.open(tmp_path / "agents.db", schema="b")


def test_a_newer_schema_is_refused(fresh):
    holdfast.open(named(fresh[0])).close()
    run(server(), f"UPDATE {fresh[0]}.format SET number = 99, needed = 1")  # noqa: S608  # a constant name
    holdfast.open(named(fresh[0])).close()
    run(server(), f"UPDATE {fresh[0]}.format SET needed = 99")  # noqa: S608  # a constant name
    with pytest.raises(NewerFormat, match="format 99"):
        holdfast.open(named(fresh[0]))


@pytest.mark.parametrize("number", [1, 2])
def test_a_schema_of_a_development_version_is_refused_and_left_alone(fresh, number):
    """Their table `format` had three columns."""
    with holdfast.open(named(fresh[0])) as store:
        store.thread("t").save({"n": 1})
    before = columns(fresh[0])
    run(
        server(),
        f"UPDATE {fresh[0]}.format SET number = {number}, needed = {number}",  # noqa: S608  # a constant name
        f"ALTER TABLE {fresh[0]}.format DROP COLUMN functions",
    )
    with pytest.raises(
        NotAStore,
        match=rf"made by a development version of Holdfast before 0.1.0 \(its format {number}\).*drop the schema",
    ):
        holdfast.open(named(fresh[0]))
    assert columns(fresh[0]) == before - {("format", "functions")}


def columns(schema: str) -> set[tuple[str, str]]:
    asked = "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = %s"
    with psycopg.connect(server()) as connection:
        return set(connection.execute(asked, (schema,)))


@pytest.mark.parametrize(
    "table", ["thread (id integer)", "format (a integer)", "format (application text, number int, needed int)"]
)
def test_a_schema_of_something_else_is_refused_and_left_alone(fresh, table):
    run(server(), f"CREATE SCHEMA {fresh[0]}", f"CREATE TABLE {fresh[0]}.{table}")
    with pytest.raises(NotAStore, match="another program"):
        holdfast.open(named(fresh[0]))
    with psycopg.connect(server()) as connection:
        asked = f"SELECT count(*) FROM pg_class WHERE relnamespace = '{fresh[0]}'::regnamespace".encode()  # noqa: S608
        assert connection.execute(asked).fetchone() == (1,)


def test_an_empty_schema_is_used(fresh):
    run(server(), f"CREATE SCHEMA {fresh[0]}")
    with holdfast.open(named(fresh[0])) as store:
        store.thread("t").save({"n": 1})
        assert [one.id for one in store.threads()] == ["t"]
    assert "thread" in tables(fresh[0])


# ------------------------------------------------------------------------------------------------ partitions


def tables(schema: str) -> dict[str, str]:
    asked = (
        "SELECT relname, relkind::text FROM pg_class WHERE relnamespace = to_regnamespace(%s) AND relkind IN ('r', 'p')"
    )
    with psycopg.connect(server()) as connection:
        return dict(connection.execute(asked, (schema,)))


def test_init_makes_partitions_by_tree(fresh):
    assert "in 4 partitions" in init_store(named(fresh[0]), 4)
    found = tables(fresh[0])
    assert {name for name, kind in found.items() if kind == "p"} == TREE_TABLES
    assert {name for name in found if name.endswith("_3")} == {f"{name}_3" for name in TREE_TABLES}
    with holdfast.open(named(fresh[0])) as store:
        for n in range(40):
            thread = store.thread(f"t{n}")
            info = thread.save({"messages": ["x" * 200] * 10})
            thread.put_writes(info.id, [("n", n)], task_id="one")
            thread.put_writes(info.id, [("n", n)], task_id="one")
            thread.update({"messages": ["more"]}, reduce={"messages": holdfast.extend})
            thread.journal.append("note", {"n": n}, key="once")
        assert len(store.threads()) == 40
        assert head(store.thread("t7")).state == {"messages": [*["x" * 200] * 10, "more"]}
        store.thread("t8").fork(to="fork").save({"n": 1})
        store.thread("t9").delete()
        assert len(store.threads()) == 40
        assert store.bytes_stored() > 40 * 1000
    with psycopg.connect(server()) as connection:
        asked = [f"SELECT count(*) FROM {fresh[0]}.line_{n}".encode() for n in range(4)]  # noqa: S608
        counts = [connection.execute(one).fetchone() for one in asked]
    assert all(count != (0,) for count in counts)


def test_partitions_share_the_pages_and_limits_of_the_plain_tables(fresh):
    init_store(named(fresh[0]), 2)
    with psycopg.connect(server()) as connection:
        asked = f"SELECT reloptions FROM pg_class WHERE oid = '{fresh[0]}.line_1'::regclass".encode()  # noqa: S608
        ((options,),) = connection.execute(asked).fetchall()
    assert any(one.startswith("fillfactor") for one in options)


def test_partitions_are_not_made_later(fresh):
    assert init_store(named(fresh[0]), None).endswith("format 1")
    with pytest.raises(Conflict, match="no partitions"):
        init_store(named(fresh[0]), 4)
    assert init_store(named(fresh[0]), None)


def test_the_command(fresh):
    command = [sys.executable, "-m", "holdfast", "init", named(fresh[0]), "--partitions", "2"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert "in 2 partitions" in done.stdout
    done = subprocess.run([*command[:-3], "agents.db"], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1
    assert "not on a PostgreSQL server" in done.stderr


# ------------------------------------------------------------------------------------------------ roles


@pytest.fixture
def roles(fresh):
    """The grants of docs/how-to/postgres.md."""
    schema = fresh[0]
    holdfast.open(named(schema)).close()
    run(
        server(),
        *(f"DROP ROLE IF EXISTS {one}" for one in ROLES),
        *(f"CREATE ROLE {one} LOGIN PASSWORD 'x'" for one in ROLES),
        f"GRANT USAGE ON SCHEMA {schema} TO {READER}, {WRITER}",
        f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {READER}, {WRITER}",
        f"GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {WRITER}",
        f"REVOKE INSERT, UPDATE, DELETE ON {schema}.format FROM {WRITER}",
    )  # fmt: skip
    yield lambda role: changed(named(schema), user=role, password="x")  # noqa: S106
    run(server(), f"DROP SCHEMA {schema} CASCADE", *(f"DROP ROLE {one}" for one in ROLES))


def test_a_writer_writes_and_a_reader_reads(roles):
    with holdfast.open(roles(WRITER)) as writer, holdfast.open(roles(READER)) as reader:
        thread = writer.thread("t", metadata={"a": "b"})
        for n in range(70):
            thread.save({"messages": ["x" * 100] * n})
        thread.put_writes(head(thread).id, [("n", 1)], task_id="one")
        thread.fork(to="fork").save({"n": 1})
        thread.journal.append("note", {})
        assert [one.id for one in reader.threads(where={"a": "b"})] == ["fork", "t"]
        assert head(reader.thread("t")).state == {"messages": ["x" * 100] * 69}
        assert len(reader.thread("t").history()) == 20
        assert reader.bytes_stored() > 0
        writer.thread("fork").delete()


def test_a_reader_can_not_write(roles):
    with holdfast.open(roles(READER)) as reader:
        with pytest.raises(AccessDenied, match="lacks rights"):
            reader.thread("t").save({"n": 1})
        assert reader.threads() == []


def test_a_user_without_rights_learns_so(roles):
    with pytest.raises(AccessDenied):
        holdfast.open(roles(NOBODY))
    other = roles(NOBODY).replace("fresh_schema", "not_there_at_all")
    with pytest.raises(AccessDenied):
        holdfast.open(other)


def test_errors_are_holdfasts_own(roles):
    with pytest.raises(HoldfastError):
        holdfast.open(roles(NOBODY))
