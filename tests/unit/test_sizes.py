"""What things cost, in bytes, queries and steps of SQLite's machine: never in seconds."""

from __future__ import annotations

import json
import random
import re
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import holdfast
from holdfast import Store
from holdfast.backends.base import Batch
from holdfast.backends.rows import CheckpointRow, LineRow, Row, TagRow, ThreadRow, with_checksum
from holdfast.backends.sqlite import database
from holdfast.backends.sqlite.sql import statements
from holdfast.engine.checkpoints import hydrate
from holdfast.engine.values import log_reader
from tests.unit.prose import prose

MB = 1_000_000


def raw(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode())


def size_after_close(store: Store, path: Path) -> int:
    store.close()
    assert sorted(path.parent.glob(path.name + "*")) == [path], "closing leaves one file"
    return path.stat().st_size


def messages(count: int, seed: int = 1) -> list[dict[str, str]]:
    rng = random.Random(seed)
    return [{"role": "user", "content": prose(rng, 1000)} for _ in range(count)]


# ------------------------------------------------------------------------------------------------ bytes


def chat(path: Path, steps: int) -> tuple[int, int]:
    """What a growing list of messages takes on disk, and as JSON."""
    known = messages(steps)
    store = holdfast.open(path)
    thread = store.thread("chat")
    for step in range(1, steps + 1):
        thread.save({"messages": known[:step]}, node="model")
    return size_after_close(store, path), raw(known)


def test_a_chat_of_a_thousand_messages_takes_less_than_its_messages(tmp_path: Path) -> None:
    stored, content = chat(tmp_path / "chat.db", 1000)
    assert stored <= 0.7 * content, f"{stored} bytes for {content}: {stored / content:.3f}"


def test_a_chat_grows_linearly(tmp_path: Path) -> None:
    one, _ = chat(tmp_path / "one.db", 500)
    two, _ = chat(tmp_path / "two.db", 1000)
    assert two <= 2.1 * one, f"{two} is {two / one:.3f} times {one}"


def test_a_chat_of_two_thousand_messages_is_linear_when_extended(tmp_path: Path) -> None:
    def extended(path: Path, steps: int) -> int:
        store = holdfast.open(path)
        thread = store.thread("chat")
        for message in messages(steps):
            thread.update({"messages": [message]}, reduce={"messages": holdfast.extend})
        return size_after_close(store, path)

    one, two = extended(tmp_path / "one.db", 1000), extended(tmp_path / "two.db", 2000)
    assert two <= 2.1 * one, f"{two} is {two / one:.3f} times {one}"
    assert two <= 0.7 * raw(messages(2000))


def test_what_does_not_change_is_stored_once(tmp_path: Path) -> None:
    path = tmp_path / "still.db"
    store = holdfast.open(path)
    thread = store.thread("t")
    document = random.Random(5).randbytes(MB)
    for step in range(1000):
        thread.save({"document": document, "counter": step})
    stored = size_after_close(store, path)
    assert stored <= 1.4 * MB, f"{stored} bytes"


def test_growth_inside_nested_values_costs_what_is_new(tmp_path: Path) -> None:
    path = tmp_path / "nested.db"
    store = holdfast.open(path)
    thread = store.thread("t")
    rng = random.Random(2)
    agents: dict[str, Any] = {f"agent{n}": {"log": [], "notes": {"open": []}} for n in range(10)}
    for step in range(1000):
        agents[f"agent{step % 10}"]["log"].append({"step": step, "text": prose(rng, 300)})
        agents[f"agent{(step * 7 + 3) % 10}"]["notes"]["open"].append(prose(rng, 200))
        thread.save({"agents": agents})
    stored = size_after_close(store, path)
    assert stored <= 1.5 * raw(agents), f"{stored / raw(agents):.3f} of the raw bytes"


def test_scattered_edits_of_many_files_cost_what_is_edited(tmp_path: Path) -> None:
    path = tmp_path / "files.db"
    store = holdfast.open(path)
    thread = store.thread("t")
    rng = random.Random(3)
    texts = {f"src/file{n}.py": prose(rng, 10_000) for n in range(100)}
    unique = raw(texts)
    for _ in range(200):
        for name in rng.sample(sorted(texts), 3):
            place, piece = rng.randrange(9_000), prose(rng, 120)
            texts[name] = texts[name][:place] + piece + texts[name][place + 120 :]
            unique += len(piece)
        thread.save({"files": texts})
    stored = size_after_close(store, path)
    assert stored <= 2 * unique, f"{stored / unique:.3f} of the unique bytes"


def test_a_fork_takes_less_than_a_kilobyte_however_large_the_state(tmp_path: Path) -> None:
    path = tmp_path / "forks.db"
    store = holdfast.open(path)
    thread = store.thread("t")
    thread.save({"document": random.Random(6).randbytes(MB)})
    before = size_after_close(store, path)
    with holdfast.open(path) as store:
        thread = store.thread("t")
        for number in range(1000):
            thread.fork(to=f"fork-{number:04d}")
    each = (path.stat().st_size - before) / 1000
    assert each <= 1024, f"{each} bytes a fork"


def test_an_edit_in_a_fork_costs_the_edit(tmp_path: Path) -> None:
    path = tmp_path / "edits.db"
    store = holdfast.open(path)
    thread = store.thread("t")
    notes = [prose(random.Random(n), 1000) for n in range(1000)]
    thread.save({"notes": notes})
    before = size_after_close(store, path)
    with holdfast.open(path) as store:
        thread = store.thread("t")
        for number in range(100):
            thread.fork(to=f"fork-{number}", edits={"notes": [*notes, f"note {number}"]})
    each = (path.stat().st_size - before) / 100
    assert each <= 2048, f"{each} bytes a fork with an edit"


def test_writes_on_a_value_that_swings_between_two_states_stay_bounded(tmp_path: Path) -> None:
    """Changes outweigh the value again and again: every key is paid for by the changes before it."""
    path = tmp_path / "swing.db"
    store = holdfast.open(path)
    thread = store.thread("t")
    one, other = prose(random.Random(8), 20_000), prose(random.Random(9), 20_000)
    for step in range(200):
        thread.save({"v": one if step % 2 else other})
    stored = size_after_close(store, path)
    assert stored <= 200 * 20_000 * 0.7, f"{stored} bytes"


# ------------------------------------------------------------------------------------------------ queries


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every statement that SQLite runs for connections opened from here on, settings left out."""
    seen: list[str] = []
    connect = database.connect

    def traced(*args: Any, **kwargs: Any) -> sqlite3.Connection:
        connection = connect(*args, **kwargs)
        connection.set_trace_callback(lambda sql: None if sql.startswith(("PRAGMA", "--")) else seen.append(sql))
        return connection

    monkeypatch.setattr(database, "connect", traced)
    return seen


def reads(backend: Any, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the backend's verbs other than `commit`, as they are called."""
    seen: list[str] = []
    for name in (
        "find", "ancestry", "lines", "namespaces", "namespace", "tree_threads", "thread_of", "checkpoints", "by_id",
        "overlays", "chunks", "pending", "threads", "run_lines",
    ):  # fmt: skip
        verb = getattr(backend, name, None)
        if verb is not None:
            monkeypatch.setattr(backend, name, _counted(seen, name, verb))
    return seen


def _counted(seen: list[str], name: str, verb: Callable[..., Any]) -> Callable[..., Any]:
    def counted(*args: Any, **kwargs: Any) -> Any:
        seen.append(name)
        return verb(*args, **kwargs)

    return counted


def big_state(n: int = 200) -> dict[str, Any]:
    return {"messages": messages(n), "plan": {"steps": [prose(random.Random(1), 400)] * 3}, "n": 0}


def test_history_reads_no_values_and_decodes_no_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with holdfast.open(tmp_path / "h.db") as store:
        thread = store.thread("t")
        for step in range(30):
            thread.save({**big_state(20), "n": step}, metadata={"step": step})
        store._calls.engine.cache.clear()
        called = reads(store._calls.engine.backend, monkeypatch)
        read: list[Any] = []
        monkeypatch.setattr(log_reader, "read", lambda *args: read.append(args))
        monkeypatch.setattr(hydrate, "channels", lambda *args: read.append(args))
        assert len(thread.history(20)) == 20
        assert read == []
        assert set(called).isdisjoint({"chunks", "pending"})


@pytest.mark.parametrize("marked", [False, True], ids=["plain", "with labels"])
def test_a_page_of_history_takes_the_same_few_queries_however_many_rows_it_has(
    tmp_path: Path, asked: list[str], marked: bool
) -> None:
    with holdfast.open(tmp_path / "h.db") as store:
        thread = store.thread("t")
        saved = [thread.save({"n": step}) for step in range(120)]
        if marked:
            thread.label(saved[3].id, "kept")
            thread.delete_checkpoints([saved[50].id])
        asked.clear()
        thread.history(5)
        few = len(asked)
        asked.clear()
        assert len(thread.history(100)) == 100
        assert len(asked) <= few + 5, f"{few} queries for 5 rows, {len(asked)} for 100"


@pytest.mark.parametrize("namespace", ["", "inner"])
def test_a_save_whose_base_is_cached_reads_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, namespace: str
) -> None:
    """Over two hundred saves, three of which replace their tail by a frame."""
    with holdfast.open(tmp_path / "s.db") as store:
        store.thread("t").save({"n": 0})
        thread = store.thread("t", namespace)
        known = messages(210)
        thread.save({"messages": known[:1], "n": 0})
        called = reads(store._calls.engine.backend, monkeypatch)
        for step in range(2, 205):
            thread.save({"messages": known[:step], "n": step})
        assert called == []


def test_an_update_whose_base_is_cached_reads_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with holdfast.open(tmp_path / "s.db") as store:
        thread = store.thread("t")
        thread.save({"messages": messages(1)})
        called = reads(store._calls.engine.backend, monkeypatch)
        for message in messages(200):
            thread.update({"messages": [message]}, reduce={"messages": holdfast.extend})
        assert called == []


def test_writes_on_a_cached_head_read_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with holdfast.open(tmp_path / "s.db") as store:
        thread = store.thread("t")
        head = thread.save({"messages": messages(1)})
        called = reads(store._calls.engine.backend, monkeypatch)
        for task in range(20):
            thread.put_writes(head.id, [("messages", "x")], task_id=str(task))
        assert called == []


def selects(asked: list[str]) -> list[str]:
    return [sql for sql in asked if sql.lstrip().upper().startswith(("SELECT", "WITH"))]


def cold_latest(path: Path, thread_id: str, asked: list[str], namespace: str = "") -> int:
    with holdfast.open(path) as store:
        asked.clear()
        assert store.thread(thread_id, namespace).latest() is not None
        return len(selects(asked))


def test_latest_on_a_cold_store_is_three_queries(tmp_path: Path, asked: list[str]) -> None:
    path = tmp_path / "l.db"
    with holdfast.open(path) as store:
        for step in range(3):
            head = store.thread("t").save({**big_state(), "n": step})
        store.thread("t").put_writes(head.id, [("n", 1)], task_id="a")
    assert cold_latest(path, "t", asked) <= 3


@pytest.mark.parametrize("deep", [1, 5])
@pytest.mark.parametrize("written", [False, True], ids=["untouched", "written on"])
def test_latest_on_a_cold_fork_is_three_queries(tmp_path: Path, asked: list[str], deep: int, written: bool) -> None:
    path = tmp_path / "l.db"
    with holdfast.open(path) as store:
        thread = store.thread("t0")
        for step in range(3):
            thread.save({**big_state(), "n": step})
        for level in range(deep):
            thread = thread.fork(to=f"t{level + 1}")
            if written:
                thread.save({**big_state(), "n": level + 10})
    assert cold_latest(path, f"t{deep}", asked) <= 3


def test_latest_of_an_inner_namespace_is_three_queries(tmp_path: Path, asked: list[str]) -> None:
    path = tmp_path / "l.db"
    with holdfast.open(path) as store:
        store.thread("t").save(big_state(3))
        store.thread("t", "inner").save(big_state())
    assert cold_latest(path, "t", asked, "inner") <= 3


# ------------------------------------------------------------------------------------------------ many threads


def fill(store: Store, count: int) -> None:
    """So many threads, in the shape that a save gives them, by the thousand in one commit."""
    backend = store._calls.engine.backend
    batches: list[Batch] = []
    commit = backend.commit

    def caught(batch: Batch) -> Any:
        batches.append(batch)
        return commit(batch)

    backend.commit = caught  # type: ignore[method-assign]
    store.thread("template", metadata={"team": "t", "tier": "t"}).save({"n": 1}, status="running")
    backend.commit = commit  # type: ignore[method-assign]
    pattern = list(batches[0].puts)
    for start in range(0, count, 1000):
        rows = [row for number in range(start, min(start + 1000, count)) for row in one_thread(pattern, number, count)]
        coroutine = backend.commit(Batch([], rows))
        with pytest.raises(StopIteration) as done:
            coroutine.send(None)
        assert done.value.value is True


def name_of(number: int) -> str:
    return f"group-{number // 100:05d}/{number:06d}"


def one_thread(pattern: list[Row], number: int, count: int) -> Iterator[Row]:
    tree = number + 1
    for row in pattern:
        if isinstance(row, ThreadRow):
            yield with_checksum(row._replace(id=name_of(number), tree=tree, line=tree))
        elif isinstance(row, LineRow):
            yield with_checksum(row._replace(tree=tree, line=tree, thread=tree, head_line=tree))
        elif isinstance(row, CheckpointRow):
            yield with_checksum(row._replace(tree=tree, line=tree, id=f"c{number}"))
        elif isinstance(row, TagRow):
            rare = number % (count // 10) == 5
            value = {
                "metadata.team": f"=team{number % 10}", "metadata.tier": "=gold" if rare else "=none",
                "status": "failed" if rare else "running",
            }[row.key]  # fmt: skip
            yield with_checksum(row._replace(thread=name_of(number), value=value))


@pytest.fixture(scope="module")
def listed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[int, Store]]:
    """A store with a thousand threads, and one with twenty thousand."""
    folder = tmp_path_factory.mktemp("many")
    connect = database.connect

    def noted(path: Path) -> sqlite3.Connection:
        OPENED.append(connect(path))
        return OPENED[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "connect", noted)
        found = {}
        for count in (1_000, 20_000):
            found[count] = holdfast.open(folder / f"{count}.db")
            fill(found[count], count)
        yield found
        for store in found.values():
            store.close()
    OPENED.clear()


OPENED: list[sqlite3.Connection] = []


def steps(store: Store, call: Callable[[Store], list[Any]]) -> tuple[int, int]:
    """How many instructions SQLite runs for a page, and how many threads are on it."""
    call(store)
    counted = [0]

    def tick() -> int:
        counted[0] += 1
        return 0

    for connection in OPENED:
        connection.set_progress_handler(tick, 1)
    found = call(store)
    for connection in OPENED:
        connection.set_progress_handler(None, 0)
    assert counted[0] > 0
    return counted[0], len(found)


PAGES: dict[str, Callable[[Store], list[Any]]] = {
    "the first page": lambda store: store.threads(limit=20),
    "after a thread": lambda store: store.threads(limit=20, after=name_of(700)),
    "a prefix": lambda store: store.threads("group-00004/", limit=20),
    "a prefix with fewer than a page": lambda store: store.threads("group-00004/00042", limit=20),
    "a prefix that nothing has": lambda store: store.threads("group-00004/x", limit=20),
    "a prefix, after a thread": lambda store: store.threads("group-", limit=20, after=name_of(900)),
    "metadata": lambda store: store.threads(where={"team": "team3"}, limit=20),
    "metadata, after a thread": lambda store: store.threads(where={"team": "team3"}, limit=20, after=name_of(703)),
    "metadata and a prefix": lambda store: store.threads("group-00004/", where={"team": "team3"}, limit=20),
    "a status": lambda store: store.threads(where={"status": "running"}, limit=20),
    "a rare status": lambda store: store.threads(where={"status": "failed"}, limit=20),
    "metadata and a status": lambda store: store.threads(where={"team": "team3", "status": "running"}, limit=20),
    "two rare facts": lambda store: store.threads(where={"tier": "gold", "status": "failed"}, limit=20),
    "a rare fact, then a common one": lambda store: store.threads(where={"tier": "gold", "team": "team5"}, limit=20),
    "a common fact, then a rare one": lambda store: store.threads(where={"team": "team5", "tier": "gold"}, limit=20),
    "metadata that nothing has": lambda store: store.threads(where={"team": "nobody"}, limit=20),
}


@pytest.mark.parametrize("page", list(PAGES))
def test_a_page_of_threads_costs_the_same_however_many_there_are(listed: dict[int, Store], page: str) -> None:
    few, on_few = steps(listed[1_000], PAGES[page])
    many, on_many = steps(listed[20_000], PAGES[page])
    assert on_few == on_many
    assert many <= 1.2 * few + 100, f"{few} steps among 1,000 threads, {many} among 20,000"


def test_a_page_at_the_very_end_costs_what_the_first_one_costs(listed: dict[int, Store]) -> None:
    first, _ = steps(listed[20_000], lambda store: store.threads(limit=20))
    last, found = steps(listed[20_000], lambda store: store.threads(limit=20, after=name_of(19_980)))
    assert found == 20  # nineteen, and the template
    assert last <= 1.2 * first + 100


def test_a_deep_page_under_a_prefix_costs_what_the_first_one_costs(listed: dict[int, Store]) -> None:
    first, _ = steps(listed[20_000], lambda store: store.threads("group-", limit=20))
    deep, found = steps(listed[20_000], lambda store: store.threads("group-", limit=20, after=name_of(19_000)))
    assert found == 20
    assert deep <= 1.2 * first + 100


TABLES = ("thread", "tag", "line", "checkpoint", "chunk", "pending", "overlay", "run", "log", "head", "root", "own")


def scans(store: Store, name: str) -> list[str]:
    """The tables that SQLite would read from end to end for this statement."""
    sql = statements()[name]
    named = {word: "[]" if f"json_each(:{word})" in sql else 1 for word in re.findall(r":(\w+)", sql)}
    given = named or [1] * sql.count("?")
    connection = sqlite3.connect(store.url)
    plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", given)]
    connection.close()
    assert plan
    return [detail for detail in plan if detail.startswith("SCAN") and detail.split()[1] in TABLES]


def test_no_statement_that_reads_scans_a_table(listed: dict[int, Store]) -> None:
    everything = "all_"  # what verify and collect go through the store with, a page at a time
    asking = [name for name, sql in statements().items() if sql.startswith(("SELECT", "WITH"))]
    reading = [name for name in asking if not name.startswith(everything)]
    assert {"find", "threads", "threads_tagged", "chunks"} <= set(reading)
    assert {name: found for name in reading if (found := scans(listed[1_000], name))} == {}
