"""The questions that the engine asks a backend, and the exact answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest

from holdfast.backends.base import Batch, DropRow, Filter, Piece, Want
from holdfast.backends.rows import (
    DAY,
    FRAME,
    KEY,
    KEYS,
    OF_DIRECTORY,
    EarlyWriteRow,
    OverlayRow,
    PendingRow,
    Row,
    key_of,
)
from holdfast.testing.rows.row_samples import (
    ALL,
    BASICS,
    TOMBSTONE,
    RowTests,
    blank,
    checkpoint_row,
    chunk_row,
    early_write_row,
    line_row,
    log_row,
    pending_row,
    put,
    run_row,
    tag_row,
    thread_row,
    tombstone_row,
)

FILTERS: Final[dict[str, tuple[Filter, list[int]]]] = {
    "any": (Filter(), [5, 4, 3, 2, 1]),
    "run": (Filter(run_id="r1"), [4, 2]),
    "status": (Filter(status="odd"), [5, 3, 1]),
    "source": (Filter(source="input"), [1]),
    "node": (Filter(node="n3"), [3]),
    "step": (Filter(max_step=20), [2, 1]),
    "time": (Filter(max_time=1003), [3, 2, 1]),
    "journal": (Filter(max_journal=4), [4, 3, 2, 1]),
    "several": (Filter(run_id="r1", max_step=30), [2]),
    "nothing": (Filter(run_id="R1"), []),
}


def numbered(backend: Any, count: int = 5) -> None:
    rows = [
        checkpoint_row(
            seq=n, id=f"c{n}", run_id="r1" if n % 2 == 0 else None, status="odd" if n % 2 else "even", node=f"n{n}",
            source="input" if n == 1 else "loop", step=n * 10, created_at=1000 + n, journal_seq=n,
        )
        for n in range(1, count + 1)
    ]  # fmt: skip
    put(backend, *rows, checkpoint_row(line=11, seq=3, id="c3"), checkpoint_row(tree=2, line=12, seq=3, id="c3"))


class RowAnswers(RowTests):
    def test_checkpoints_come_in_the_order_of_their_ids_as_text(self, backend: Any) -> None:
        ids = ["b", "B", "a", "é", "10", "9", "ab", "\U0001f600", "b"]
        put(
            backend, *(checkpoint_row(seq=n, id=name) for n, name in enumerate(ids, 1)), checkpoint_row(line=11, id="z")
        )
        found = [(row.id, row.seq) for row in backend.checkpoints_by_id(1, 10, None, 99)]
        assert found == sorted(((name, n) for n, name in enumerate(ids, 1)), reverse=True)
        assert [row.id for row in backend.checkpoints_by_id(1, 10, "b", 3)] == ["ab", "a", "B"]
        assert backend.checkpoints_by_id(1, 10, "10", 9) == backend.checkpoints_by_id(2, 10, None, 9) == []

    def test_find_has_the_last_id_of_a_deleted_thread(self, backend: Any) -> None:
        put(backend, tombstone_row(3)._replace(last="last"))
        assert backend.find("t", "", TOMBSTONE)[4:] == (3, "last")
        put(backend, *BASICS)
        assert backend.find("t", "", TOMBSTONE)[4:] == (0, "last")

    def test_pending_writes_of_several_checkpoints_are_found_together(self, backend: Any) -> None:
        rows = [pending_row(seq=seq, era=era) for seq in (1, 2, 3) for era in (0, 2)]
        put(backend, line_row(), *rows, pending_row(line=11, seq=2))
        forked = line_row(line=11, base_line=10, base_seq=2, base_era=1)
        found = backend.pending(forked, [1, 2, 3])
        assert sorted(found) == sorted([rows[0], rows[2], pending_row(line=11, seq=2)])
        assert sorted(backend.pending(line_row(), [3, 1])) == sorted([rows[0], rows[1], rows[4], rows[5]])

    def test_find_knows_the_line_of_a_namespace_and_its_head(self, backend: Any) -> None:
        inner = line_row(line=11, namespace="inner", head_line=10, head_seq=1)
        put(backend, thread_row(), line_row(head_seq=0, head_line=0), inner, checkpoint_row())
        assert backend.find("t", "inner", b"") == (
            thread_row(), line_row(head_seq=0, head_line=0), inner, checkpoint_row(), 0, "",
        )  # fmt: skip
        assert backend.find("t", "", b"")[3] is None
        assert backend.find("T", "", b"") == (None, None, None, None, 0, "")

    def test_the_ancestry_of_a_line_is_itself_and_what_it_was_forked_from(self, backend: Any) -> None:
        rows = [line_row(line=n, thread=n, base_line=n - 1 if n > 10 else None) for n in range(10, 14)]
        put(backend, *rows, line_row(tree=2, line=14, thread=14))
        assert backend.ancestry(1, 13) == rows[::-1]
        assert backend.ancestry(1, 10) == rows[:1]
        assert backend.ancestry(1, 14) == []
        assert backend.ancestry(1, 13, 2) == rows[:1:-1]
        assert backend.ancestry(1, 13, 1) == rows[-1:]

    def test_a_long_ancestry_is_found_completely(self, backend: Any) -> None:
        rows = [
            line_row(line=n, thread=n, base_line=n - 1 if n > 1 else None, base_seq=1, base_era=1)
            for n in range(1, 251)
        ]
        put(backend, *rows, pending_row(line=1))
        assert backend.ancestry(1, 250) == rows[::-1]
        assert backend.pending(rows[-1], [1]) == [pending_row(line=1)]

    def test_damaged_lines_in_a_circle_give_a_finite_answer(self, backend: Any) -> None:
        rows = [line_row(line=n, thread=n, base_line=base, base_seq=1, base_era=1) for n, base in ((10, 11), (11, 10))]
        put(backend, *rows, pending_row(line=10))
        assert backend.ancestry(1, 10)[:2] == rows
        assert backend.pending(rows[1], [1])[0] == pending_row(line=10)

    def test_namespaces_are_those_of_one_thread_root_first(self, backend: Any) -> None:
        inner = [line_row(line=n, namespace=name) for n, name in ((12, "b"), (11, "a"), (13, "\U0001f600"))]
        put(backend, *inner, line_row(), line_row(line=20, thread=20))
        found = backend.namespaces(1, 10)
        assert found[0] == line_row()
        assert sorted(found) == sorted([line_row(), *inner])
        assert backend.namespace(1, 10, "b") == inner[0]
        assert backend.namespace(1, 10, "B") is None
        assert backend.namespace(1, 20, "b") is None

    def test_threads_of_a_tree(self, backend: Any) -> None:
        rows = [thread_row(), thread_row(id="u", line=20), thread_row(id="v", tree=2, line=30)]
        put(backend, *rows)
        assert sorted(backend.tree_threads(1)) == rows[:2]
        assert [backend.thread_of(1, 20), backend.thread_of(1, 30), backend.thread_of(2, 30)] == [
            rows[1],
            None,
            rows[2],
        ]

    def test_a_thread_row_that_moved_is_found_where_it_is_now(self, backend: Any) -> None:
        put(backend, thread_row())
        put(backend, thread_row(line=20))
        assert (backend.thread_of(1, 10), backend.thread_of(1, 20)) == (None, thread_row(line=20))

    # ---------------------------------------------------------------- checkpoints

    @pytest.mark.parametrize("name", list(FILTERS))
    def test_checkpoints_by_filter(self, backend: Any, name: str) -> None:
        numbered(backend)
        where, expected = FILTERS[name]
        assert [row.seq for row in backend.checkpoints(1, 10, 0, 99, 99, where)] == expected
        oldest = backend.checkpoints(1, 10, 0, 99, 99, where, oldest=True)
        assert [row.seq for row in oldest] == expected[::-1]

    def test_checkpoints_in_a_range_and_up_to_a_limit(self, backend: Any) -> None:
        numbered(backend)
        assert [row.seq for row in backend.checkpoints(1, 10, 2, 4, 99)] == [4, 3, 2]
        assert [row.seq for row in backend.checkpoints(1, 10, 2, 4, 2)] == [4, 3]
        assert [row.seq for row in backend.checkpoints(1, 10, 2, 4, 2, oldest=True)] == [2, 3]
        assert backend.checkpoints(1, 10, 4, 2, 9) == []
        assert [row.seq for row in backend.checkpoints(1, 10, 1, 5, 1, Filter(run_id="r1"))] == [4]

    def test_the_same_line_and_number_in_another_tree_is_another_row(self, backend: Any) -> None:
        one, other = checkpoint_row(), checkpoint_row(tree=2)
        put(backend, one)
        put(backend, other)
        assert (backend.checkpoints(1, 10, 0, 9, 9), backend.checkpoints(2, 10, 0, 9, 9)) == ([one], [other])

    def test_by_id_looks_in_the_lines_named(self, backend: Any) -> None:
        numbered(backend)
        assert [(row.line, row.seq) for row in backend.by_id(1, [10], "c3")] == [(10, 3)]
        assert {row.line for row in backend.by_id(1, [10, 11, 12], "c3")} == {10, 11}
        assert backend.by_id(1, [12], "c3") == backend.by_id(1, [], "c3") == backend.by_id(1, [10], "C3") == []

    def test_overlays_of_the_lines_named(self, backend: Any) -> None:
        overlays = [
            blank(OverlayRow, tree=1, line=line, seq=n, era=era) for line in (10, 11) for n in (1, 2) for era in (0, 1)
        ]
        put(backend, *overlays)
        assert sorted(backend.overlays(1, [10])) == overlays[:4]
        assert sorted(backend.overlays(1, [11, 10])) == overlays
        assert backend.overlays(2, [10]) == backend.overlays(1, []) == []

    def test_overlays_on_a_range_of_numbers(self, backend: Any) -> None:
        overlays = [
            blank(OverlayRow, tree=1, line=line, seq=n, era=era)
            for line in (10, 11)
            for n in (1, 2, 3)
            for era in (0, 9)
        ]
        put(backend, *overlays)
        assert sorted(backend.overlays(1, [10], 2, 2)) == [row for row in overlays[:6] if row.seq == 2]
        assert sorted(backend.overlays(1, [11, 10], 2, 9)) == [row for row in overlays if row.seq >= 2]
        assert backend.overlays(1, [10], 4, 9) == []

    def test_pending_writes_are_those_of_a_line_and_number(self, backend: Any) -> None:
        writes = [pending_row(line=line, seq=seq, task_id=task) for line in (10, 11) for seq in (1, 2) for task in "ab"]
        put(backend, *writes)
        assert sorted(backend.pending(line_row(), [1])) == writes[:2]
        assert sorted(backend.pending(line_row(line=11), [2])) == writes[6:]
        assert backend.pending(line_row(tree=2), [1]) == backend.pending(line_row(), [3]) == []

    def test_each_of_many_checkpoints_has_its_own_pending_writes_only(self, backend: Any) -> None:
        """Even if a backend reuses the space of dropped ones."""
        late = pending_row(seq=3, task_id="late")
        put(backend, checkpoint_row(), late)
        for n in range(1, 140):
            writes = [pending_row(seq=n, task_id=f"{n} {task}", body=b"x" * 900) for task in range(1 + n % 3)]
            assert backend.commit(Batch([], [], [], writes))
            assert sorted(row for row in backend.pending(line_row(), [n]) if row != late) == sorted(writes)
            drops = [DropRow(PendingRow, key_of(row)) for row in writes]
            ended = "completed" if n % 50 == 0 else "running"
            assert backend.commit(Batch([], [checkpoint_row(seq=n + 1, id=f"c{n}", status=ended)], drops))
            assert [row for row in backend.pending(line_row(), [n, n + 1]) if row != late] == []
        assert backend.scan(PendingRow, 1, (), 99) == backend.pending(line_row(), list(range(200))) == [late]

    def test_each_of_many_checkpoints_has_its_own_early_writes_only(self, backend: Any) -> None:
        late = early_write_row(checkpoint="late")
        put(backend, late)
        for n in range(1, 40):
            writes = [early_write_row(checkpoint=str(n), task_id=str(task)) for task in range(1 + n % 3)]
            assert backend.commit(Batch([], [], [], writes))
            assert sorted(backend.early_writes("t", "n", str(n))) == writes
            drops = [DropRow(EarlyWriteRow, key_of(row)) for row in writes]
            assert backend.commit(Batch([], [checkpoint_row(seq=n, id=f"c{n}", status="running")], drops))
            assert backend.early_writes("t", "n", str(n)) == backend.early_writes("t", "", "") == []
        assert backend.scan(EarlyWriteRow, None, (), 99) == [late]

    def test_pending_writes_are_seen_through_forks_up_to_the_era_of_each(self, backend: Any) -> None:
        middle = line_row(line=11, thread=11, base_line=10, base_seq=5, base_era=2)
        top = line_row(line=12, thread=12, base_line=11, base_seq=5, base_era=1)
        writes = [
            pending_row(line=line, task_id=f"{line} {era}", era=era) for line in (10, 11, 12) for era in (0, 1, 2)
        ]
        put(backend, line_row(), middle, *writes)

        def tasks(line: Any) -> list[str]:
            return [row.task_id for row in backend.pending(line, [1])]

        assert sorted(tasks(line_row())) == ["10 0", "10 1", "10 2"]
        assert sorted(tasks(middle)) == ["10 0", "10 1", "11 0", "11 1", "11 2"]
        assert sorted(tasks(top)) == ["10 0", "10 1", "11 0", "12 0", "12 1", "12 2"]
        assert [task[:2] for task in tasks(top)] == ["10", "10", "11", "12", "12", "12"], "farthest line first"

    def test_text_is_kept_exactly(self, backend: Any) -> None:
        for n, text in enumerate(["é", "e\u0301", "\U0001f600", " x ", "a\nb", "'; --", "x" * 5000], 1):
            row = checkpoint_row(seq=n, id=text, node=text, run_id=text, status=text, label=text, origin=text)
            put(backend, row)
            assert backend.by_id(1, [10], text) == [row]

    def test_large_numbers_and_bodies_are_kept_exactly(self, backend: Any) -> None:
        large = 2**63 - 1
        row = checkpoint_row(tree=large, line=large, seq=2**62, manifest=bytes(range(256)) * 2000)
        chunk = chunk_row(large, 0, KEY, body=b"\x00" * 500_000, tree=large)
        put(backend, row, chunk)
        assert backend.checkpoints(large, large, 0, 2**62, 1) == [row]
        assert backend.chunks(large, [Want(large, 0)]) == [[Piece(chunk, 0)]]

    # ---------------------------------------------------------------- chunks

    def test_chunks_start_at_the_last_key(self, backend: Any) -> None:
        rows = [chunk_row(6, n, KEY if n in (0, 3) else 1) for n in range(6)]
        put(backend, *rows)
        asked = backend.chunks(1, [Want(6, 5), Want(6, 2), Want(6, 3), Want(6, 0)])
        assert asked == [
            [Piece(row, 5) for row in rows[3:]], [Piece(row, 2) for row in rows[:3]], [Piece(rows[3], 3)],
            [Piece(rows[0], 0)],
        ]  # fmt: skip

    def test_a_frame_that_reaches_past_the_position_is_part_of_the_answer(self, backend: Any) -> None:
        key, frame, after = chunk_row(6, 0, KEY), chunk_row(6, 1, FRAME, hi=64), chunk_row(6, 65)
        put(backend, key, frame, after)
        assert backend.chunks(1, [Want(6, 30), Want(6, 65)]) == [
            [Piece(key, 30), Piece(frame, 30)], [Piece(key, 65), Piece(frame, 65), Piece(after, 65)],
        ]  # fmt: skip

    def test_chunks_include_those_of_the_log_that_a_log_continues(self, backend: Any) -> None:
        old = [chunk_row(6, n, KEY if n == 0 else 1) for n in range(4)]
        middle = [chunk_row(7, n) for n in range(3)]
        new = [chunk_row(8, n) for n in range(2)]
        put(backend, *old, *middle, *new, log_row(7, 6, 2), log_row(8, 7, 1))
        (found,) = backend.chunks(1, [Want(8, 1)])
        assert found == [
            *(Piece(row, 2) for row in old[:3]),
            *(Piece(row, 1) for row in [*middle[:2], *new]),
        ]

    def test_chunks_of_a_log_with_a_key_do_not_include_its_base(self, backend: Any) -> None:
        put(backend, chunk_row(6, 0, KEY), chunk_row(7, 0), chunk_row(7, 1, KEY), chunk_row(7, 2), log_row(7, 6, 0))
        late, early = backend.chunks(1, [Want(7, 2), Want(7, 0)])
        assert [piece.chunk for piece in late] == [chunk_row(7, 1, KEY), chunk_row(7, 2)]
        assert [piece.chunk for piece in early] == [chunk_row(6, 0, KEY), chunk_row(7, 0)]

    def test_a_long_chain_of_logs_is_found_completely(self, backend: Any) -> None:
        rows = [chunk_row(log, 0, 1 if log > 1 else KEY) for log in range(1, 251)]
        put(backend, *rows, *(log_row(log, log - 1, 0) for log in range(2, 251)))
        assert backend.chunks(1, [Want(250, 0)]) == [[Piece(row, 0) for row in rows]]

    def test_damaged_logs_in_a_circle_give_a_finite_answer(self, backend: Any) -> None:
        put(backend, chunk_row(6, 0), chunk_row(7, 0), log_row(6, 7, 0), log_row(7, 6, 0))
        (found,) = backend.chunks(1, [Want(6, 0)])
        assert found[-2:] == [Piece(chunk_row(7, 0), 0), Piece(chunk_row(6, 0), 0)]

    def test_many_wants_are_answered_in_their_order(self, backend: Any) -> None:
        rows = [chunk_row(log, 0, KEY) for log in range(100, 150)]
        put(backend, *rows)
        wants = [Want(log, 0) for log in range(149, 99, -1)]
        assert [pieces[0].chunk for pieces in backend.chunks(1, wants)] == rows[::-1]
        assert backend.chunks(1, [Want(100, 0), Want(100, 0)]) == [[Piece(rows[0], 0)]] * 2
        assert backend.chunks(1, []) == []
        assert backend.chunks(1, [Want(9, 9)]) == [[]]

    # ---------------------------------------------------------------- threads

    def test_threads_without_a_checkpoint_are_not_listed(self, backend: Any) -> None:
        put(backend, thread_row(), line_row(checkpoints=0, head_line=0, head_seq=0))
        assert backend.threads("", [], "", -1) == []
        inner = line_row(line=11, namespace="inner", checkpoints=1)
        put(backend, inner)
        assert backend.threads("", [], "", -1) == [
            (thread_row(), line_row(checkpoints=0, head_line=0, head_seq=0), None)
        ]

    def test_threads_by_prefix_start_and_tags(self, backend: Any) -> None:
        names = ["a", "a%", "a_", "ab", "b", "b\U0001f600", "é"]
        for n, name in enumerate(names):
            tags = [tag_row("k", str(n % 2), name), tag_row("j", str(n % 3), name)]
            put(backend, thread_row(id=name, tree=n, line=n), line_row(tree=n, line=n, thread=n), *tags)

        def listed(prefix: str, after: str = "", limit: int = -1, *tags: tuple[str, str]) -> list[str]:
            return [row.thread.id for row in backend.threads(prefix, list(tags), after, limit)]

        assert listed("") == names
        assert listed("a") == ["a", "a%", "a_", "ab"]
        assert listed("a_") == ["a_"]
        assert listed("a", "a%") == ["a_", "ab"]
        assert listed("", "a", 2) == ["a%", "a_"]
        assert listed("", "", 0) == []
        assert listed("", "", -1, ("k", "1")) == ["a%", "ab", "b\U0001f600"]
        assert listed("", "", -1, ("k", "1"), ("j", "0")) == ["ab"]
        assert listed("a", "", 1, ("k", "1")) == ["a%"]
        assert listed("", "a%", -1, ("k", "1")) == ["ab", "b\U0001f600"]
        assert listed("", "", -1, ("k", "x")) == listed("z") == []

    def test_a_run_is_known_in_every_line_it_wrote_to(self, backend: Any) -> None:
        rows = [run_row("r", tree, line) for tree in (1, 2) for line in (10, 11)]
        put(backend, *rows, run_row("R", 1, 10), run_row("r2", 1, 10))
        assert sorted(backend.run_lines("r")) == rows

    def test_closing_a_backend_twice_is_fine(self, backend: Any) -> None:
        put(backend, thread_row())
        backend.close()
        backend.close()

    def test_more_rows_take_more_bytes(self, backend: Any) -> None:
        before = backend.bytes_stored()
        put(backend, chunk_row(6, 0, KEY, body=b"x" * 300_000))
        assert backend.bytes_stored() > before + 200_000

    def test_a_scan_finds_every_row_once_in_the_order_of_its_key(self, backend: Any) -> None:
        rows = [*ALL, *(chunk_row(log, lo) for log in (9, 8) for lo in (300, 2, 10)), thread_row(id="a", line=77)]
        put(backend, *rows, chunk_row(3, 1, tree=2), line_row(tree=2, line=12, thread=12))
        for kind in KEYS:
            tree = None if kind in OF_DIRECTORY else 1
            wanted = sorted((row for row in rows if type(row) is kind), key=key_of)
            for page in (1, 2, 100):
                assert list(scanned(backend, kind, tree, page)) == wanted, (kind, page)

    def test_a_tally_counts_visible_checkpoints_by_thread_and_day(self, backend: Any) -> None:
        body = {"metadata": b"m" * 3, "manifest": b"m" * 7}
        put(
            backend, thread_row(), line_row(overlays=1), line_row(line=11, namespace="inner"), chunk_row(6, 0, KEY),
            checkpoint_row(size=5, **body), checkpoint_row(seq=2, id="b", created_at=DAY - 1, size=6, **body),
            checkpoint_row(seq=3, id="c", created_at=2 * DAY, size=7, **body),
            checkpoint_row(line=11, id="d", created_at=2 * DAY, size=8, **body),
            checkpoint_row(seq=4, id="hidden"), blank(OverlayRow, tree=1, line=10, seq=4, hidden=1),
            line_row(line=20, thread=20), checkpoint_row(line=20, id="of a deleted thread"),
            thread_row(id="other", tree=5, line=50), line_row(tree=5, line=50, thread=50),
            checkpoint_row(tree=5, line=50, size=9, **body), pending_row(tree=5, line=50, body=b"four"),
        )  # fmt: skip
        assert tallied(backend, 1, 1) == {("t", 1, 0): (2, 11, 20), ("t", 1, 2): (2, 15, 20), ("", 1, 0): (0, 0, 3)}
        assert tallied(backend, 2, 9) == {("other", 5, 0): (1, 9, 10), ("", 5, 0): (0, 0, 4)}
        assert tallied(backend, 6, 9) == {}

    def test_trees_come_in_order(self, backend: Any) -> None:
        put(backend, *(line_row(tree=tree, line=tree, thread=tree) for tree in (5, 300, 20)), line_row(tree=5, line=6))
        assert (backend.trees(0, 10), backend.trees(5, 1), backend.trees(300, 10)) == ([5, 20, 300], [20], [])

    def test_a_tree_without_lines_is_listed_if_it_has_any_row(self, backend: Any) -> None:
        kinds: list[Any] = [row for row in ALL if type(row) not in OF_DIRECTORY]
        put(backend, *(row._replace(tree=5 + n) for n, row in enumerate(kinds)))
        wanted = list(range(5, 5 + len(kinds)))
        assert (backend.trees(0, 100), backend.trees(6, 2)) == (wanted, wanted[2:4])


def tallied(backend: Any, lo: int, hi: int) -> dict[tuple[str, int, int], tuple[int, int, int]]:
    """The tallies, added up: a backend may answer with several for the rest of a tree."""
    totals: dict[tuple[str, int, int], tuple[int, int, int]] = {}
    for thread, tree, day, checkpoints, size, stored in backend.tally(lo, hi):
        before = totals.get((thread, tree, day), (0, 0, 0))
        totals[thread, tree, day] = (before[0] + checkpoints, before[1] + size, before[2] + stored)
    return totals


def scanned(backend: Any, kind: type[Row], tree: int | None, page: int) -> Iterator[Row]:
    after: tuple[object, ...] = ()
    while rows := backend.scan(kind, tree, after, page):
        assert len(rows) <= page
        yield from rows
        after = key_of(rows[-1])
