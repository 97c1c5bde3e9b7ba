"""The written format is enough to read a file: a reader made from it agrees with Holdfast about every value."""

from __future__ import annotations

import contextlib
import random
import re
import shutil
import sqlite3
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgpack
import pytest

import holdfast
from holdfast import Store
from tests.docs.format_reader import FRAME, KEY, OP, Reader, packed, unpacked

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "format.md"
GOLDEN = Path(__file__).parents[1] / "data" / "sqlite-1.db"


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


def test_a_large_value_that_does_not_get_smaller_is_stored_as_it_is(store: Store, reader: Reader) -> None:
    large = random.Random(1).randbytes(1_500_000)
    store.thread("t").save({"file": large})
    store.thread("t").save({"file": large[:700_000] + b"changed" + large[700_000:]})
    (key,) = reader.rows("SELECT body FROM chunk WHERE kind = ?", KEY)
    assert key["body"][:1] == b"\xc6"
    assert shown(reader, "t") == {"file": large[:700_000] + b"changed" + large[700_000:]}
    assert reader.bad_rows() == []


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


def test_wide_states_are_read(store: Store, reader: Reader) -> None:
    """In a thread and in a fork, with values of all sizes, channels that come and go, and an extra."""
    thread = store.thread("t")
    for n in range(40):
        state = {f"channel {i}": i if i % 3 else text(i) for i in range(100) if i != n}
        thread.save(state | {f"channel {n % 7}": text(n)}, extra={"n": [n] * 30})
    fork = thread.fork(to="fork")
    fork.update({"channel 50": text(99)})
    for name in ("t", "fork"):
        line = reader.line(name)
        rows = list(reader.lineage(line, line["head_seq"]))
        for row, parent in zip(rows, [*rows[1:], None], strict=True):
            found = store.thread(name).load(row["id"])
            assert found is not None
            assert list(reader.state(row).items()) == list(found.state.items())
            assert reader.value(row["tree"], reader.manifest(row)[1]) == found.extra
            assert len(row["manifest"]) < 100
            assert reader.open_channels(row) == []
            assert reader.checkpoint_digest("", row, parent) == row["digest"]


def test_a_tuple_is_an_array_that_starts_with_a_marker(store: Store, reader: Reader) -> None:
    store.thread("t").save({"pair": (1, 2)})
    assert shown(reader, "t") == {"pair": [msgpack.ExtType(1, b""), 1, 2]}


def test_changes_inside_tuples_and_objects_are_read(store: Store, reader: Reader) -> None:
    for n in range(5):
        store.thread("t").save({"pair": (text(1), [text(i) for i in range(n)])})
    marker = msgpack.ExtType(1, b"")
    assert shown(reader, "t") == {"pair": [marker, text(1), [text(i) for i in range(4)]]}


# ------------------------------------------------------------------------------------------------ overlays and writes


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
        assert reader.overlays(line)[3].label == found.label


def test_pending_writes_are_read_from_each_view(store: Store, reader: Reader) -> None:
    (info,) = chatter(store, "t", 1)
    thread = store.thread("t")
    thread.put_writes(info.id, [("a", 1), ("b", [2, 3]), ("large", "a line of text; " * 500)], task_id="one")
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


def test_settled_writes_are_read_from_the_logs_that_have_them(store: Store, reader: Reader) -> None:
    """As part of a list, as an item of one, as a whole value, and as themselves; under a UUID and another id."""
    thread = store.thread("t")
    message = {"role": "user", "content": text(7)}
    other = {"role": "user", "content": text(8)}
    info = thread.save({"messages": [message], "note": "short"})
    written = [("messages", [other, message]), ("last", message), ("note", text(9)), ("small", 1)]
    thread.put_writes(info.id, written, task_id="16fd2706-8baf-433b-82eb-8c7fada847da", task_path="p")
    thread.put_writes(info.id, [("messages", message)], task_id="plain")
    thread.save({"messages": [message, other, message], "note": text(9), "last": message})
    (settled,) = reader.rows("SELECT * FROM settled")
    assert len(settled["body"]) < 200
    assert reader.rows("SELECT * FROM pending") == []
    line, found = reader.line("t"), thread.load(info.id)
    (row,) = reader.rows("SELECT * FROM checkpoint WHERE id = ?", info.id)
    assert found is not None
    assert reader.pending(line, row) == {(w.task_id, w.index): (w.channel, w.value) for w in found.pending_writes}
    assert [(w.channel, w.value) for w in found.pending_writes] == [("messages", message), *written]


# ------------------------------------------------------------------------------------------------ journals and runs


def journal_of(reader: Reader, thread_id: str) -> list[tuple[int, str, str | None, Any]]:
    return [(row["seq"], row["kind"], row["key"], unpacked(row["body"])) for row in reader.journal(thread_id)]


def entries_of(thread: holdfast.Thread[Any]) -> list[tuple[int, str, str | None, Any]]:
    return [(entry.seq, entry.kind, entry.key, entry.data) for entry in thread.journal.read(limit=None)]


def test_a_journal_is_read(store: Store, reader: Reader) -> None:
    journal = store.thread("t").journal
    for n in range(5):
        journal.append("note", {"n": n, "text": text(n)}, key=f"k{n}" if n % 2 else None)
    assert len(journal_of(reader, "t")) == 5
    assert journal_of(reader, "t") == entries_of(store.thread("t"))


def test_a_journal_is_read_through_forks_and_copies(store: Store, reader: Reader) -> None:
    thread = store.thread("t")
    points = []
    for n in range(6):
        thread.journal.append("note", n)
        points.append(thread.save({"n": n}))
    fork = thread.fork(at=points[3].id, to="fork")
    for n in range(3):
        thread.journal.append("late", n)
        fork.journal.append("forked", n)
    fork.save({"n": "fork"})
    earlier = fork.fork(at=points[1].id, to="earlier")
    store.copy_thread("fork", "copy")
    fork.journal.append("after the copy", 0)
    store.thread("copy").journal.append("copied", 0)
    bare = thread.fork(to="bare", history=False)
    bare.journal.append("bare", 0)
    counts = {thread.id: 9, fork.id: 8, earlier.id: 2, "copy": 8, bare.id: 1}
    for name, count in counts.items():
        assert len(journal_of(reader, name)) == count
        assert journal_of(reader, name) == entries_of(store.thread(name))


def test_a_forks_journal_outlives_its_origin(store: Store, reader: Reader) -> None:
    thread = store.thread("t")
    thread.journal.append("note", 1)
    thread.save({})
    fork = thread.fork(to="fork")
    thread.delete()
    assert journal_of(reader, "fork") == entries_of(fork) == [(1, "note", None, 1)]


def asked(run: holdfast.Run[Any], *, ends: bool) -> None:
    """A part of a run with every kind of entry that a step or an interrupt leaves."""
    run.step("search", lambda: [1, 2])
    with contextlib.suppress(ZeroDivisionError, holdfast.StepFailed):
        run.step("divide", lambda: 1 // 0)
    run.step("pay", sys.exit if not ends else lambda: "receipt", key="payment")
    run.interrupt({"ok": "?"})


def went_on(run: holdfast.Run[Any], last: Callable[[], object]) -> None:
    asked(run, ends=True)
    run.step("last", last)


def test_the_record_of_a_run_is_read(store: Store, reader: Reader) -> None:
    thread = store.thread("t")
    with pytest.raises(SystemExit), thread.run(input={}, durability="exit") as run:
        asked(run, ends=False)
    with thread.run(input={}, durability="exit") as run:
        asked(run, ends=True)
    with pytest.raises(ValueError, match="boom"), thread.run(resume=True, durability="exit") as run:
        went_on(run, lambda: int("boom"))
    with pytest.raises(SystemExit), thread.run() as run:
        went_on(run, sys.exit)
    (unfinished,) = thread.recover().unfinished
    thread.resolve(unfinished, retry=True)
    assert {kind for _, kind, _, _ in journal_of(reader, "t")} == {
        f"holdfast.{name}" for name in ("intent", "result", "error", "retry", "interrupt", "resume", "start", "failed")
    }
    head = thread.latest()
    assert head is not None
    known = {one.seq: (one.name, one.key, one.status, one.result) for one in thread.effects_after(head.id)}
    assert reader.effects("t", head.journal_seq) == known
    assert [one.status for one in reader.effects("t", head.journal_seq).values()] == ["done", "failed", "done", "retry"]


def test_the_page_names_every_entry_of_the_library(store: Store) -> None:
    from holdfast.engine.journal import entries

    page = PAGE.read_text("utf-8")
    kinds = {value for name, value in vars(entries).items() if name.isupper() and str(value).startswith(entries.OWN)}
    for kind in kinds - {entries.OWN}:
        assert f"| `{kind}` |" in page, f"format.md has no row for {kind}"


def test_a_lease_is_read(store: Store, reader: Reader) -> None:
    def tags() -> list[str]:
        return [row["value"] for row in reader.rows("SELECT value FROM tag WHERE key = 'run'")]

    thread = store.thread("t")
    with contextlib.suppress(SystemExit), thread.run(input={}, worker="one", ttl=60):
        info = thread.info()
        assert info is not None
        assert info.lease is not None
        line = reader.line("t")
        assert (line["worker"], line["epoch"], line["lease_ttl"]) == ("one", 1, 60_000_000)
        until = round(info.lease.until.timestamp() * 1_000_000)
        assert line["lease_at"] + line["lease_ttl"] == until
        assert [reader.is_held("t", until - off) for off in (0, 1, 120_000_000, 120_000_001)] == [
            False, True, True, False,
        ]  # fmt: skip
        assert tags() == ["held"]
        sys.exit()
    assert (reader.line("t")["worker"], reader.line("t")["epoch"], tags()) == ("", 1, ["left"])
    with thread.run():
        assert (reader.line("t")["epoch"], tags()) == (2, ["held"])
    assert tags() == []


# ------------------------------------------------------------------------------------------------ the golden store


@pytest.fixture
def golden(tmp_path: Path) -> Iterator[Reader]:
    opened = Reader(Path(shutil.copy(GOLDEN, tmp_path / "golden.db")))
    yield opened
    opened.close()


def test_the_golden_store_matches_its_checksums(golden: Reader) -> None:
    assert golden.bad_rows() == []


def test_every_checkpoint_of_the_golden_store_is_read(golden: Reader, tmp_path: Path) -> None:
    path = Path(shutil.copy(GOLDEN, tmp_path / "opened.db"))
    with holdfast.open(path) as store:
        for info in store.threads(limit=None):
            if info.id != "graph":
                line = golden.line(info.id)
                shown_ids = [row["id"] for row in golden.lineage(line, line["head_seq"])]
                assert shown_ids == [one.id for one in store.thread(info.id).lineage(info.head or "")]
                for row in golden.lineage(line, line["head_seq"]):
                    found = store.thread(info.id).load(row["id"])
                    assert found is not None
                    assert golden.state(row) == found.state
                    assert golden.pending(line, row) == {
                        (one.task_id, one.index): (one.channel, one.value) for one in found.pending_writes
                    }


def test_the_open_channels_of_the_golden_store_are_read(golden: Reader) -> None:
    """A LangGraph thread with a delta channel: it has a value where there is a snapshot, and else is open."""
    line = golden.line("graph")
    has_value = set()
    for row in golden.lineage(line, line["head_seq"]):
        is_open = golden.open_channels(row) == ["lines"]
        assert is_open or golden.open_channels(row) == []
        has_value.add((is_open, "lines" in golden.state(row)))
    assert {(True, False), (False, True)} <= has_value
    assert (True, True) not in has_value


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
    with thread.run():
        assert reader.bad_rows() == []
        fork.journal.append("note", {"n": 1}, key="k")
    assert reader.bad_rows() == []
    thread.put_writes(thread.history(limit=1)[0].id, [("b", "y")], task_id="task")
    for table in (
        "thread", "line", "checkpoint", "overlay", "chunk", "log", "pending", "settled", "journal", "run", "tag",
        "tombstone",
    ):  # fmt: skip
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


def test_checkpoint_digests_outlive_a_removed_parent(store: Store, reader: Reader) -> None:
    saved = chatter(store, "t", 6)
    store.thread("t").delete_checkpoints([saved[2].id])
    assert store.collect().checkpoints == 1
    line = reader.line("t")
    lineage = reader.lineage(line, line["head_seq"])
    assert [row["parent_seq"] for row in lineage] == [5, 4, 2, 1, 0]
    for row, parent in zip(lineage, [*lineage[1:], None], strict=True):
        assert reader.checkpoint_digest("", row, parent) == row["digest"]


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
    from holdfast.codec import handler

    page = PAGE.read_text("utf-8")
    for tag in handler._handlers:
        if tag < 64:
            assert re.search(rf"^\| {tag} \|", page, re.MULTILINE), f"format.md has no row for the codec's tag {tag}"
