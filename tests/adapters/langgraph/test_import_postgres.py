"""Moving in from databases of PostgresSaver, on a real server."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import ormsgpack
import psycopg
import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.types import Command, Send
from psycopg import sql

from holdfast.adapters.langgraph.importer import ImportReport, import_threads, open_source
from holdfast.adapters.langgraph.importer.sources.postgres_source import PostgresSource
from holdfast.adapters.langgraph.importer.sources.source import Key
from holdfast.errors import InvalidArgument, NotAStore, NotFound, StorageFailed
from tests.adapters.langgraph.test_import_samples import (
    TARGETS,
    Saver,
    assert_same,
    at,
    chat,
    everything,
    fill,
    nested,
    place,
)
from tests.support.postgres import database, run, with_option

SERIALIZER = JsonPlusSerializer()
TABLES = ("checkpoints", "checkpoint_blobs", "checkpoint_writes", "checkpoint_migrations")
READER = f"reader_{os.getpid()}"


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """A database of its own; a test that can't have one fails."""
    with database(f"moving_{os.getpid()}") as url:
        run(url, f"CREATE ROLE {READER} LOGIN")
        yield url
        run(url, f"DROP OWNED BY {READER}", f"DROP ROLE {READER}")


@contextmanager
def official(url: str) -> Iterator[PostgresSaver]:
    with PostgresSaver.from_conn_string(url) as saver:
        saver.setup()
        yield saver


@pytest.fixture(scope="module")
def made(server: str) -> str:
    """The URL of a schema that PostgresSaver filled. Only to be read."""
    run(server, "CREATE SCHEMA made", f"GRANT USAGE ON SCHEMA made TO {READER}")
    url = with_option(server, "options=-csearch_path%3Dmade")
    with official(url) as saver:
        fill(saver)
    run(url, f"GRANT SELECT ON ALL TABLES IN SCHEMA made TO {READER}")
    return url


@pytest.fixture
def fresh(server: str, request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of a schema of this test's own, with LangGraph's tables in it."""
    url = with_option(server, "options=-csearch_path%3Dfresh")
    run(server, "DROP SCHEMA IF EXISTS fresh CASCADE", "CREATE SCHEMA fresh")
    with official(url):
        yield url


@pytest.fixture(params=list(TARGETS))
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Saver]:
    with TARGETS[request.param](tmp_path) as saver:
        yield saver


def content(url: str) -> list[Any]:
    """Every row with its place in the file and the transaction that wrote it."""
    with psycopg.connect(url) as connection:
        asked = sql.SQL("SELECT ctid::text, xmin::text, t::text FROM {} t ORDER BY ctid")
        return [connection.execute(asked.format(sql.Identifier(table))).fetchall() for table in TABLES]


def count(url: str) -> tuple[int, int]:
    with psycopg.connect(url) as connection:
        found = connection.execute(
            "SELECT (SELECT count(*) FROM checkpoints), (SELECT count(*) FROM checkpoint_writes)"
        ).fetchone()
    assert found is not None
    return found[0], found[1]


# ---------------------------------------------------------------- all of it arrives


def test_everything_arrives_as_the_official_saver_reads_it(made, target):
    report = import_threads(made, target)
    assert report == ImportReport(7, *count(made), 0, ())
    with official(made) as source:
        assert_same(target, source)


def test_a_graph_continues_in_the_target_where_it_stood(made, target):
    import_threads(made, target)
    assert nested(target).invoke(Command(resume="yes"), at("nested"))["items"][-3:] == ["inner", "yes", "after"]


def test_a_second_move_skips_what_is_there(made, target):
    first = import_threads(made, target)
    again = import_threads(made, target)
    assert (again.checkpoints, again.skipped, again.problems) == (0, first.checkpoints, ())


def test_batches_and_pages_join_without_a_gap(made, monkeypatch):
    monkeypatch.setattr("holdfast.adapters.langgraph.importer.checkpoint_import._PAGE", 5)
    monkeypatch.setattr("holdfast.adapters.langgraph.importer.sources.postgres_source._BATCH", 2)
    target = InMemorySaver()
    assert import_threads(made, target).problems == ()
    with official(made) as source:
        assert_same(target, source)


def test_only_the_threads_that_were_named_are_imported(made):
    target = InMemorySaver()
    assert import_threads(made, target, threads=["log", "crowd"]).threads == 2
    assert {place(one)[0] for one in everything(target)} == {"crowd", "log"}
    with pytest.raises(NotFound, match="no thread 'nobody'"):
        import_threads(made, target, threads=["nobody"])


def test_keys_are_ordered_by_their_bytes_whatever_the_collation(fresh):
    names = ["a-b", "aB", "ab", "Ab", "a b", "ä", "Z"]
    with official(fresh) as saver:
        for name in names:
            checkpoint: Any = {"v": 4, "id": name, "ts": "", "channel_values": {}, "channel_versions": {}}
            saver.put(at("t", checkpoint_ns="Ä" if name < "a" else "a"), checkpoint, {}, {})
    with open_source(fresh) as source:
        assert source.keys("t", None, 100) == sorted(Key(name, "Ä" if name < "a" else "a") for name in names)
        assert source.keys("t", Key("ab", "a"), 1) == [Key("ä", "a")]


def test_a_database_without_checkpoints_is_imported_in_no_time(fresh):
    assert import_threads(fresh, InMemorySaver()) == ImportReport(0, 0, 0, 0, ())


def test_a_database_from_before_task_paths_is_read(fresh):
    with official(fresh) as source:
        fill(source)
        run(fresh, "UPDATE checkpoint_writes SET task_path = ''")
        wanted = InMemorySaver()
        import_threads(fresh, wanted)
        assert_same(wanted, source)
    run(fresh, "ALTER TABLE checkpoint_writes DROP COLUMN task_path")
    target = InMemorySaver()
    assert import_threads(fresh, target).problems == ()
    assert_same(target, wanted)


# ---------------------------------------------------------------- the source does not notice


def test_not_a_row_of_the_source_is_touched(made):
    before = content(made)
    import_threads(made, InMemorySaver())
    assert content(made) == before


def test_a_role_that_may_only_read_is_enough(made):
    target = InMemorySaver()
    assert import_threads(made.replace("postgres:@", f"{READER}:@"), target).problems == ()
    assert len(everything(target)) == count(made)[0]


def test_every_transaction_is_read_only(made):
    with PostgresSource(made) as source:
        assert isinstance(source, PostgresSource)
        with source._transaction(), pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
            source._connection.execute("DELETE FROM checkpoints")
        assert source._connection.execute("SHOW default_transaction_read_only").fetchone() == ("off",)


def test_a_database_is_read_while_it_is_in_use_and_afterwards(fresh):
    target = InMemorySaver()
    with official(fresh) as source:
        graph = chat(source)
        for turn in range(3):
            graph.invoke({"messages": [f"question {turn}"]}, at("live"))
            assert import_threads(fresh, target, progress=lambda now: None).problems == ()

        def go_on(now: Any) -> None:
            if now.done == 3:
                graph.invoke({"messages": ["while it is moved"]}, at("live"))

        assert import_threads(fresh, target, progress=go_on).problems == ()
        assert import_threads(fresh, target).checkpoints == 0
        assert_same(target, source)


# ---------------------------------------------------------------- before format 4


def insert(url: str, id: str, parent: str | None, checkpoint: dict[str, Any]) -> None:
    whole = {
        "id": id,
        "ts": "2024-01-01",
        "versions_seen": {},
        "pending_sends": [],
        "channel_versions": {},
        **checkpoint,
    }
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "INSERT INTO checkpoints (thread_id, checkpoint_id, parent_checkpoint_id, checkpoint, metadata)"
            ' VALUES (\'old\', %s, %s, %s, \'{"step": 1, "writes": {"a": 1}}\')',
            (id, parent, json.dumps(whole)),
        )


def insert_write(url: str, id: str, task: str, idx: int, channel: str, value: Any) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "INSERT INTO checkpoint_writes (thread_id, checkpoint_id, task_id, idx, channel, type, blob)"
            " VALUES ('old', %s, %s, %s, %s, %s, %s)",
            (id, task, idx, channel, *SERIALIZER.dumps_typed(value)),
        )


@pytest.mark.parametrize("v", [1, 2, 3])
def test_sends_of_old_checkpoints_come_from_their_parent(fresh, v, target):
    insert(fresh, "1", None, {"v": v, "channel_versions": {"a": "1"}})
    insert(fresh, "2", "1", {"v": v, "channel_versions": {"a": "1", "b": "3", "c": "2"}})
    insert(fresh, "3", "2", {"v": v})
    insert_write(fresh, "1", "task 2", 0, "__pregel_tasks", Send("later", 2))
    insert_write(fresh, "1", "task 1", 1, "__pregel_tasks", Send("second", {"n": 1}))
    insert_write(fresh, "1", "task 1", 0, "__pregel_tasks", Send("first", {"n": 0}))
    insert_write(fresh, "1", "task 1", 2, "b", "something else")
    report = import_threads(fresh, target)
    assert (report.checkpoints, report.writes, report.problems) == (3, 4, ())
    with official(fresh) as source:
        assert_same(target, source)
    second = everything(target)[1].checkpoint
    assert second["v"] == v
    sends = [Send("first", {"n": 0}), Send("second", {"n": 1}), Send("later", 2)]
    assert second["channel_values"]["__pregel_tasks"] == sends
    assert second["channel_versions"]["__pregel_tasks"] == "3"


def test_sends_of_checkpoints_since_format_4_do_not(fresh):
    insert(fresh, "1", None, {"v": 4})
    insert(fresh, "2", "1", {"v": 4})
    insert_write(fresh, "1", "task", 0, "__pregel_tasks", Send("node", 1))
    target = InMemorySaver()
    assert import_threads(fresh, target).problems == ()
    assert everything(target)[1].checkpoint["channel_values"] == {}


def test_a_send_that_can_not_be_decoded_is_a_problem_of_both(fresh):
    insert(fresh, "1", None, {"v": 3})
    insert(fresh, "2", "1", {"v": 3})
    insert_write(fresh, "1", "task", 0, "__pregel_tasks", 1)
    run(fresh, "UPDATE checkpoint_writes SET blob = '\\xc1'")
    report = import_threads(fresh, InMemorySaver())
    assert [problem.checkpoint for problem in report.problems] == ["1", "2"]
    assert all("to the channel '__pregel_tasks': its msgpack is damaged" in problem.what for problem in report.problems)


# ---------------------------------------------------------------- what can't be decoded


def test_a_class_that_is_not_here_is_a_problem_of_its_channel(fresh):
    with official(fresh) as source:
        chat(source).invoke({"messages": ["hello"]}, at("t"))
    gone = ormsgpack.packb([ormsgpack.Ext(2, ormsgpack.packb(("gone.models", "Order", {})))])
    with psycopg.connect(fresh, autocommit=True) as connection:
        last = connection.execute("SELECT max(version) FROM checkpoint_blobs WHERE channel = 'messages'").fetchone()
        connection.execute("UPDATE checkpoint_blobs SET blob = %s WHERE version = %s", (gone, (last or [None])[0]))
    report = import_threads(fresh, InMemorySaver())
    assert report.checkpoints == 3
    (problem,) = report.problems
    assert "the channel 'messages', at [0]: the class gone.models.Order is not known" in problem.what


# ---------------------------------------------------------------- what is not a source


def test_a_database_without_the_tables_is_refused(server):
    with pytest.raises(NotAStore, match="no table 'checkpoints' on its search path"):
        open_source(server)


def test_tables_of_another_saver_are_no_source(fresh):
    run(fresh, "ALTER TABLE checkpoints DROP COLUMN checkpoint_id CASCADE")
    with pytest.raises(NotAStore, match="table 'checkpoints' has no column checkpoint_id"):
        open_source(fresh)


def test_an_unreachable_server_is_reported_without_the_password(tmp_path):
    with pytest.raises(StorageFailed, match="can't be reached") as caught:
        open_source(f"postgresql://ann:s3cret@/db?host={tmp_path}")
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://host/db?nonsense=1",
        "postgresql://ann:a@s3cret@localhost:1/db",
        "postgresql://ann:a/s3cret@localhost:1/db",
        "postgresql://ann:s3cret%zz@localhost:1/db",
        "postgresql://localhost:1/db?password=a&s3cret",
    ],
)
def test_a_url_that_can_not_be_understood_is_refused_without_the_password(url):
    with pytest.raises(InvalidArgument, match="can't be parsed") as caught:
        open_source(url)
    assert "s3cret" not in str(caught.value) + repr(caught.value.__cause__) + repr(caught.value.__context__)


def test_names_of_sources_have_no_password(made):
    with open_source(made.replace("postgres:@", "postgres:s3cret@")) as source:
        assert source.name.startswith("postgresql://")
        assert "s3cret" not in source.name
