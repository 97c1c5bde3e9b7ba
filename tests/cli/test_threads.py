"""`holdfast threads`."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime, timedelta

import pytest

import holdfast
from holdfast.cli.ui.humanize import ago, size
from tests.cli.conftest import invoke


def table(shown):
    """The rows as cells; what stands in a cell has no two spaces in a row."""
    return [[cell.strip() for cell in line.split("  ") if cell.strip()] for line in shown.lines]


def test_an_empty_store_lists_nothing(store, holdfast_command):
    assert holdfast_command("threads") == (0, "", "no threads\n")
    assert holdfast_command("threads", "--json") == (0, "", "")


def test_a_thread_is_a_row(store, holdfast_command):
    store.thread("b").save({"text": "x" * 2000}, status="completed")
    store.thread("b").save({"text": "x" * 2000}, status="failed")
    store.thread("a").save({})
    heading, first, second = table(holdfast_command("threads"))
    assert heading == [
        "ID", "STATUS", "STEP", "CHECKPOINTS", "SIZE", "UPDATED", "FORKED FROM", "LEASE",
    ]  # fmt: skip
    assert first[:4] == ["a", "running", "0", "1"]
    info = store.thread("b").info()
    assert info is not None
    assert second == ["b", "failed", "1", "2", size(info.size), "0 s ago", "-", "-"]


def test_it_shows_the_origin_of_a_fork_and_the_holder_of_a_lease(store, holdfast_command):
    point = store.thread("a").save({})
    store.thread("a").fork(to="b")
    with store.thread("a").run(worker="worker-1") as run:
        a, b = holdfast_command("threads").lines[1:]
        run.finish({})
    assert a.endswith("  worker-1")
    assert f"a at {point.id[-8:]}" in b


def test_an_expired_lease_is_named_as_such(memory):
    with holdfast.open("kept:") as store, store.thread("a").run(input={}, worker="gone", ttl=30) as run:
        run.save({})
        memory.seconds_ahead = 60
        assert invoke("threads", "kept:").lines[1].endswith("  gone (expired)")
        assert len(invoke("threads", "kept:", "--where", "lease=expired").lines) == 2
        assert invoke("threads", "kept:", "--where", "lease=live").out == ""
        memory.seconds_ahead = 0
        assert invoke("threads", "kept:", "--where", "lease=expired").out == ""
        assert len(invoke("threads", "kept:", "--where", "lease=live").lines) == 2
        run.finish({})


def test_pages(store, holdfast_command):
    for n in range(5):
        store.thread(f"t{n}").save({})
    page = holdfast_command("threads", "--limit", "2")
    assert [row[0] for row in table(page)[1:]] == ["t0", "t1"]
    assert page.err == "… there are more: --after 't1', or --limit 0 for all\n"
    last = holdfast_command("threads", "--after", "t1", "--limit", "3")
    assert [row[0] for row in table(last)[1:]] == ["t2", "t3", "t4"]
    assert last.err == ""
    assert len(holdfast_command("threads", "--limit", "0").lines) == 6


def test_filters(store, holdfast_command):
    store.thread("a/1", metadata={"user": "ada", "tier": 2}).save({})
    store.thread("a/2", metadata={"user": "ada", "tier": "2"}).save({}, status="completed")
    store.thread("b/1", metadata={"user": "bob", "tier": 2}).save({})

    def found(*options):
        return [one["id"] for one in holdfast_command("threads", "--json", *options).json]

    assert found("--prefix", "a/") == ["a/1", "a/2"]
    assert found("--where", "user=ada", "--where", "tier=2") == ["a/1"]
    assert found("--where", 'tier="2"') == ["a/2"]
    assert found("--where", "status=completed") == ["a/2"]


def test_a_number_that_finds_nothing_may_have_been_a_text(store, holdfast_command):
    store.thread("a", metadata={"user": "123"}).save({})
    assert holdfast_command("threads", "--where", "user=123").err == (
        "no threads; if user is text: --where 'user=\"123\"'\n"
    )
    assert holdfast_command("threads", "--where", 'user="123"').err == ""


@pytest.mark.parametrize("condition", ["user", "=ada", ""])
def test_a_condition_without_key_or_value_is_refused(store, holdfast_command, condition):
    shown = holdfast_command("threads", "--where", condition)
    assert (shown.code, shown.out) == (2, "")
    assert "--where takes KEY=VALUE" in shown.err


def test_json_has_every_field(store, holdfast_command):
    point = store.thread("a", metadata={"user": "ada"}).save({})
    store.thread("a").fork(to="b")
    a, b = holdfast_command("threads", "--json").json
    assert list(a) == list(holdfast.ThreadInfo.__dataclass_fields__)
    assert a["metadata"] == {"user": "ada"}
    assert b["forked_from"] == {"thread_id": "a", "checkpoint_id": point.id}


def test_ids_that_drive_terminals_are_harmless(store, holdfast_command):
    store.thread("\x1b[31mred\u202e\n").save({}, status="\x1b]0;x\x07")
    shown = holdfast_command("threads")
    assert len(shown.lines) == 2
    assert shown.out.replace("\n", "").isprintable()
    assert r"\x1b[31mred\u202e\n" in shown.out
    assert holdfast_command("threads", "--json").out.isascii()
    assert holdfast_command("threads", "--json").json[0]["id"] == "\x1b[31mred\u202e\n"


def test_a_very_long_id_is_whole_and_the_other_rows_stay_narrow(store, holdfast_command):
    store.thread("x" * 1024).save({})
    store.thread("short").save({})
    _, short, long = holdfast_command("threads").lines
    assert long.startswith("x" * 1024 + "  running")
    assert len(short) < 150


def test_deleted_threads_are_not_listed(store, holdfast_command):
    store.thread("a").save({})
    store.thread("a").delete()
    assert holdfast_command("threads").out == ""


def test_a_damaged_thread_is_listed_as_damaged(tmp_path):
    path = tmp_path / "agents.db"
    with holdfast.open(path) as store:
        for name in ("a", "b", "c"):
            store.thread(name).save({})
    connection = sqlite3.connect(path)
    connection.execute("UPDATE thread SET generation = 9 WHERE id = 'b'")
    connection.commit()
    connection.close()
    shown = invoke("threads", str(path))
    assert shown.code == 0
    assert table(shown)[2][:2] == ["b", "damaged"]
    assert [row[0] for row in table(shown)[1:]] == ["a", "b", "c"]
    assert "1970" not in shown.out
    assert [one["status"] for one in invoke("threads", str(path), "--json").json] == ["running", "damaged", "running"]


# ------------------------------------------------------------------------------------------------ times and sizes


@pytest.mark.parametrize(
    ("age", "shown"),
    [
        (timedelta(0), "0 s ago"),
        (timedelta(seconds=-3), "0 s ago"),
        (timedelta(seconds=59), "59 s ago"),
        (timedelta(seconds=60), "1 min ago"),
        (timedelta(minutes=59, seconds=59), "59 min ago"),
        (timedelta(hours=1), "1 h ago"),
        (timedelta(hours=47), "1 d ago"),
        (timedelta(days=29), "29 d ago"),
        (timedelta(days=40), "2025-05-22"),
        (timedelta(minutes=-5), "2025-07-01 12:05:00 UTC"),
    ],
)
def test_times_are_written_as_people_write_them(age, shown):
    now = datetime(2025, 7, 1, 12, tzinfo=UTC)
    assert ago(now - age, now) == shown


@pytest.mark.parametrize(
    ("count", "shown"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (9_949, "9.9 kB"), (9_950, "10 kB"), (999_499, "999 kB"),
     (999_500, "1.0 MB"), (12_345_678, "12 MB"), (10**9, "1.0 GB"), (5 * 10**15, "5,000 TB")],
)  # fmt: skip
def test_sizes_are_written_as_people_write_them(count, shown):
    assert size(count) == shown
