"""The written format is enough to read a file: a reader made from it agrees with Holdfast about every value."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgpack
import pytest

import holdfast
from holdfast import Store
from tests.docs.format_reader import FRAME, KEY, OP, Reader, packed

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "format.md"


def text(n: int) -> str:
    return f"message {n}: " + " ".join(f"word{(n * 7 + i) % 97}" for i in range(60))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "agents.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with holdfast.open(path) as opened:
        yield opened


@pytest.fixture
def reader(store: Store, path: Path) -> Iterator[Reader]:
    opened = Reader(path)
    yield opened
    opened.close()


def shown(reader: Reader, thread_id: str, namespace: str = "") -> Any:
    row = reader.head(reader.line(thread_id, namespace))
    return None if row is None else reader.state(row)


def chatter(store: Store, thread_id: str, count: int) -> list[holdfast.CheckpointInfo]:
    """A list that grows, a text that is edited, a map that is edited, and values that fit into the manifest."""
    thread = store.thread(thread_id, metadata={"user": "ada", "tags": ["a", "b"]})
    saved = []
    for n in range(count):
        plan = "\n".join(text(i) if i != n % 40 else f"edited {n}" for i in range(40))
        saved.append(
            thread.save(
                {
                    "messages": [{"role": "user", "content": text(i)} for i in range(n + 1)],
                    "plan": plan,
                    "notes": {f"k{i}": {"n": i, "text": text(i + (n if i == n % 7 else 0))} for i in range(7)},
                    "n": n,
                    "done": False,
                },
                node="model",
                next=("tool", "model"),
                run_id=f"r{n // 50}",
                metadata={"cost": n / 2},
            )
        )
    return saved


# ------------------------------------------------------------------------------------------------ values


@pytest.mark.parametrize("count", [1, 2, 64, 65, 66, 130, 200])
def test_the_latest_state_is_read(store: Store, reader: Reader, count: int) -> None:
    chatter(store, "t", count)
    found = store.thread("t").latest()
    assert found is not None
    assert shown(reader, "t") == found.state


def test_every_kind_of_chunk_is_met(store: Store, reader: Reader) -> None:
    chatter(store, "t", 200)
    store.thread("t").update({"messages": ["short"]}, reduce={"messages": holdfast.extend})
    assert {row["kind"] for row in reader.rows("SELECT DISTINCT kind FROM chunk")} == {KEY, OP, FRAME}
    assert {row[0] for row in reader.rows("SELECT DISTINCT substr(body, 1, 1) FROM chunk")} == {b"\x00", b"\x01"}


def test_every_older_state_is_read(store: Store, reader: Reader) -> None:
    saved = chatter(store, "t", 150)
    line = reader.line("t")
    for info in saved[::11]:
        found = store.thread("t").load(info.id)
        assert found is not None
        assert reader.state(reader.checkpoint(line["line"], info.seq)) == found.state


def test_a_fork_that_wrote_nothing_and_one_that_went_on_are_read(store: Store, reader: Reader) -> None:
    saved = chatter(store, "t", 140)
    still = store.thread("t").fork(at=saved[70].id, to="still")
    further = store.thread("t").fork(at=saved[70].id, to="further", edits={"n": -1})
    for n in range(80):
        further.update({"messages": [text(n)]}, reduce={"messages": holdfast.extend})
    again = further.fork(to="again")
    again.update({"messages": [text(1)], "plan": "short"}, reduce={"messages": holdfast.extend})
    chatter(store, "t", 5)
    for thread in (still, further, again, store.thread("t")):
        found = thread.latest()
        assert found is not None
        assert shown(reader, thread.id) == found.state
        row = reader.head(reader.line(thread.id))
        assert row is not None
        lineage = [one["id"] for one in reader.lineage(reader.line(thread.id), row["seq"])]
        assert lineage == [info.id for info in thread.lineage(found.id)]


def test_branches_and_copies_are_read(store: Store, reader: Reader) -> None:
    saved = chatter(store, "t", 20)
    thread = store.thread("t")
    thread.save({"messages": ["x" * 100], "n": 1}, parent=saved[3].id)
    thread.save({"messages": ["x" * 100, "y" * 100], "n": 2})
    store.copy_thread("t", "copy")
    for name in ("t", "copy"):
        found = store.thread(name).latest()
        assert found is not None
        line = reader.line(name)
        assert shown(reader, name) == found.state
        lineage = reader.lineage(line, line["head_seq"])
        assert [one["id"] for one in lineage] == [info.id for info in store.thread(name).lineage(found.id)]
        assert len(lineage) == 6


def test_namespaces_are_read(store: Store, reader: Reader) -> None:
    store.thread("t").save({"n": 1})
    inner = store.thread("t", "tool:1").save({"n": 2, "text": text(3)})
    assert shown(reader, "t", "tool:1") == {"n": 2, "text": text(3)}
    row = reader.head(reader.line("t", "tool:1"))
    outer = store.thread("t").latest()
    assert row is not None
    assert outer is not None
    assert row["origin"] == inner.origin == outer.id


def test_an_extra_is_read(store: Store, reader: Reader) -> None:
    for extra in ({"versions": list(range(90))}, 7):
        store.thread("t").save({"n": 1}, extra=extra)
        row = reader.head(reader.line("t"))
        assert row is not None
        channels, entry = reader.manifest(row)
        assert channels == {"n": b"\x01"}
        assert reader.value(row["tree"], entry) == extra


def test_small_values_stand_in_the_manifest_and_larger_ones_do_not(store: Store, reader: Reader) -> None:
    store.thread("t").save({"small": b"x" * 38, "large": b"x" * 39})
    row = reader.head(reader.line("t"))
    assert row is not None
    channels, _ = reader.manifest(row)
    assert channels["small"] == packed(b"x" * 38)
    assert len(channels["small"]) == 40
    assert channels["large"].pos == 0


def test_a_tuple_is_an_array_that_starts_with_a_marker(store: Store, reader: Reader) -> None:
    store.thread("t").save({"pair": (1, 2)})
    assert shown(reader, "t") == {"pair": [msgpack.ExtType(1, b""), 1, 2]}


def test_changes_inside_tuples_and_objects_are_read(store: Store, reader: Reader) -> None:
    for n in range(5):
        store.thread("t").save({"pair": (text(1), [text(i) for i in range(n)])})
    marker = msgpack.ExtType(1, b"")
    assert shown(reader, "t") == {"pair": [marker, text(1), [text(i) for i in range(4)]]}


# ------------------------------------------------------------------------------------------------ marks and writes


def test_labels_and_removals_are_read_from_each_view(store: Store, reader: Reader) -> None:
    saved = chatter(store, "t", 8)
    thread = store.thread("t")
    thread.label(saved[2].id, "early")
    fork = thread.fork(at=saved[5].id, to="fork")
    thread.label(saved[2].id, "late")
    thread.delete_checkpoints([saved[1].id, saved[4].id])
    fork.delete_checkpoints([saved[0].id])
    for one in (thread, fork):
        line = reader.line(one.id)
        lineage = reader.lineage(line, line["head_seq"])
        assert [row["id"] for row in lineage] == [info.id for info in one.history()]
        found = one.load(saved[2].id)
        assert found is not None
        assert reader.marks(line)[3].label == found.label


def test_pending_writes_are_read_from_each_view(store: Store, reader: Reader) -> None:
    (info,) = chatter(store, "t", 1)
    thread = store.thread("t")
    thread.put_writes(info.id, [("a", 1), ("b", [2, 3])], task_id="one")
    thread.put_writes(info.id, [("__error__", "first", -1)], task_id="one")
    fork = thread.fork(to="fork")
    thread.put_writes(info.id, [("late", 4)], task_id="two")
    fork.put_writes(info.id, [("__error__", "second", -1)], task_id="one")
    for one in (thread, fork):
        line, found = reader.line(one.id), one.latest()
        row = reader.head(line)
        assert row is not None
        assert found is not None
        expected = {(w.task_id, w.index): (w.channel, w.value) for w in found.pending_writes}
        assert reader.pending(line, row) == expected


# ------------------------------------------------------------------------------------------------ proofs


def test_every_row_matches_its_checksum(store: Store, reader: Reader) -> None:
    saved = chatter(store, "t", 70)
    thread = store.thread("t")
    thread.put_writes(saved[-1].id, [("a", "x")], task_id="task")
    thread.label(saved[3].id, "here")
    fork = thread.fork(at=saved[9].id)
    fork.update({"messages": [text(5)]}, reduce={"messages": holdfast.extend})
    store.thread("gone").save({})
    store.thread("gone").delete()
    assert reader.bad_rows() == []
    for table in ("thread", "line", "checkpoint", "mark", "chunk", "log", "pending", "run", "tag", "grave"):
        assert reader.rows(f"SELECT 1 FROM {table} LIMIT 1"), f"nothing was checked in {table}"  # noqa: S608


def test_a_changed_row_does_not_match_its_checksum(store: Store, reader: Reader, path: Path) -> None:
    chatter(store, "t", 2)
    with sqlite3.connect(path) as other:
        other.execute("UPDATE checkpoint SET step = 9 WHERE seq = 2")
    other.close()
    assert [table for table, _ in reader.bad_rows()] == ["checkpoint"]


def test_checkpoint_digests_follow_from_what_is_stored(store: Store, reader: Reader) -> None:
    chatter(store, "t", 30)
    fork = store.thread("t").fork(to="fork", edits={"n": "other"})
    fork.save({"n": 1}, extra={"x": [1]}, label="not part of it")
    line = reader.line("fork")
    lineage = reader.lineage(line, line["head_seq"])
    assert len(lineage) == 32
    for row, parent in zip(lineage, [*lineage[1:], None], strict=True):
        assert reader.checkpoint_digest("", row, parent) == row["digest"]
    found = fork.latest()
    assert found is not None
    assert found.digest == lineage[0]["digest"].hex()


def test_a_fork_without_history_keeps_the_parents_digest(store: Store, reader: Reader) -> None:
    point = chatter(store, "t", 3)[-1]
    store.thread("t").fork(to="fork", history=False)
    row = reader.head(reader.line("fork"))
    assert row is not None
    assert (row["parent_seq"], row["parent_id"], row["parent_digest"].hex()) == (0, point.id, point.digest)
    assert reader.checkpoint_digest("", row, None) == row["digest"]


# ------------------------------------------------------------------------------------------------ the page


def test_the_page_names_every_table_and_column(store: Store, reader: Reader) -> None:
    page = PAGE.read_text("utf-8")
    for table in reader.rows("SELECT name FROM sqlite_schema WHERE type = 'table'"):
        section = re.search(rf"^### `{table['name']}`\n(.*?)(?=^##|\Z)", page, re.MULTILINE | re.DOTALL)
        assert section, f"format.md has no section on the table {table['name']}"
        for column in reader.rows("SELECT name FROM pragma_table_info(?)", table["name"]):
            if column["name"] != "sum":  # said once, for all tables
                assert f"`{column['name']}`" in section[1], f"format.md: {table['name']}.{column['name']} is missing"


def test_the_page_names_every_tag_of_the_codec() -> None:
    from holdfast.codec import registry

    page = PAGE.read_text("utf-8")
    for tag in registry._handlers:
        if tag < 64:
            assert re.search(rf"^\| {tag} \|", page, re.MULTILINE), f"format.md has no row for the codec's tag {tag}"
