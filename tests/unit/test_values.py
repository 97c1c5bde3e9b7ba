"""Value logs: whatever a channel's values do from one save to the next, every version reads back as it was saved."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import holdfast
from holdfast import Store
from holdfast.backends.base import DropChunks, Frames, Piece
from holdfast.backends.rows import KEY, ChunkRow, LogRow, Row
from holdfast.codec import Codec
from holdfast.engine.values import log_reader, log_writer, value_log
from holdfast.engine.values.digests import item_digests, value_digest
from holdfast.engine.values.manifest import Entry, Inline, Ref
from holdfast.engine.values.msgpack_parts import parts_of, split_items
from holdfast.engine.values.patch import append_change, change, replay
from holdfast.engine.values.sequence_diff import gaps, text_gaps
from tests.stateful.values import EDITS, item, text

CODEC = Codec()
MANY_FRAMES, ONE_FRAME = (256, 64, 16), (32,)
every_framing = st.sampled_from([MANY_FRAMES, ONE_FRAME])

edits = st.tuples(
    st.integers(0, len(EDITS) - 1), st.integers(0, 40), st.integers(0, 40), st.sampled_from([3, 60, 700, 6000])
)
scripts = st.lists(edits, min_size=1, max_size=25)
slow = settings(
    deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)

plain = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=12), st.binary(max_size=12),
        st.builds(text, st.integers(0, 9), st.sampled_from([70, 300, 5000])),
        st.builds(lambda seed, size: text(seed, size).encode(), st.integers(0, 9), st.sampled_from([70, 300, 5000])),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=6),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(st.one_of(st.text(max_size=3), st.integers(0, 9), st.floats()), inner, max_size=6),
    ),
    max_leaves=20,
)  # fmt: skip


def played(script: list[tuple[int, int, int, int]], start: Any = ()) -> list[Any]:
    """The values that a script of edits goes through."""
    found = [list(start)]
    for edit, at, seed, size in script:
        found.append(EDITS[edit](found[-1], at, seed, size))
    return found[1:]


# ------------------------------------------------------------------------------------------------ the public API


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    with holdfast.open("memory:" if request.param == "memory" else tmp_path / "values.db") as opened:
        yield opened


_fresh = iter(range(1 << 60))


def new_thread(store: Store) -> holdfast.Thread[dict[str, Any]]:
    return store.thread(f"thread-{next(_fresh)}")


def forget(store: Store) -> None:
    store._calls.engine.cache.clear()


def check(thread: holdfast.Thread[Any], saved: dict[str, Any]) -> None:
    for checkpoint_id, value in saved.items():
        found = thread.load(checkpoint_id)
        assert found is not None
        assert found.state == {"v": value}
        assert type(found.state["v"]) is type(value)


fixture_ok = settings(slow, suppress_health_check=list(HealthCheck))


@given(script=scripts)
@fixture_ok
def test_every_version_reads_back_warm_and_cold(store: Store, script: list[Any]) -> None:
    thread = new_thread(store)
    saved = {thread.save({"v": value}).id: value for value in played(script)}
    check(thread, saved)
    forget(store)
    check(thread, saved)


@given(script=scripts, every=st.integers(1, 4))
@fixture_ok
def test_every_version_reads_back_when_caches_are_lost_between_saves(
    store: Store, script: list[Any], every: int
) -> None:
    thread = new_thread(store)
    saved = {}
    for number, value in enumerate(played(script)):
        saved[thread.save({"v": value}).id] = value
        if number % every == 0:
            forget(store)
    forget(store)
    check(thread, saved)


@given(script=scripts, more=scripts, other=scripts, at=st.integers(0, 24))
@fixture_ok
def test_a_fork_in_the_middle_and_its_origin_continue_without_touching_each_other(
    store: Store, script: list[Any], more: list[Any], other: list[Any], at: int
) -> None:
    thread = new_thread(store)
    saved = {thread.save({"v": value}).id: value for value in played(script)}
    point = list(saved)[at % len(saved)]
    fork = thread.fork(point)
    inherited = dict(list(saved.items())[: at % len(saved) + 1])
    start, last = saved[point], list(saved.values())[-1]
    forked = {fork.save({"v": value}).id: value for value in _continued(start, more)}
    went_on = {thread.save({"v": value}).id: value for value in _continued(last, other)}
    for _ in range(2):
        check(fork, {**inherited, **forked})
        check(thread, {**saved, **went_on})
        forget(store)


def _continued(start: Any, script: list[Any]) -> list[Any]:
    found = [start]
    for edit, at, seed, size in script:
        found.append(EDITS[edit](found[-1], at, seed, size))
    return found[1:]


@given(script=scripts, branches=st.lists(st.tuples(st.integers(0, 40), edits), max_size=12))
@fixture_ok
def test_branches_from_any_version_read_back(store: Store, script: list[Any], branches: list[Any]) -> None:
    thread = new_thread(store)
    saved = {thread.save({"v": value}).id: value for value in played(script)}
    for which, (edit, at, seed, size) in branches:
        parent = list(saved)[which % len(saved)]
        value = EDITS[edit](saved[parent], at, seed, size)
        saved[thread.save({"v": value}, parent=parent).id] = value
    forget(store)
    check(thread, saved)


@pytest.mark.parametrize("size", [20, 900])
def test_three_hundred_versions_read_back_across_frames(store: Store, size: int) -> None:
    thread = new_thread(store)
    saved: dict[str, Any] = {}
    value: list[Any] = []
    rng = random.Random(7)
    for number in range(300):
        value = [*value, f"{number} " + text(number, size)]
        if number % 7 == 3:
            value[rng.randrange(len(value))] = f"edited {number}"
        if number % 50 == 49:
            value = value[: len(value) // 2]
        saved[thread.save({"v": value}).id] = value
        if number % 90 == 60:
            forget(store)
    check(thread, saved)
    forget(store)
    check(thread, saved)


def test_versions_of_many_channels_do_not_mix(store: Store) -> None:
    thread = new_thread(store)
    saved = {}
    for number in range(140):
        state = {f"c{i}": [text(i, 90)] * (number // (i + 1)) for i in range(6)}
        saved[thread.save(state).id] = state
    forget(store)
    for checkpoint_id, state in saved.items():
        found = thread.load(checkpoint_id)
        assert found is not None
        assert found.state == state


def test_extend_reads_back_at_every_version(store: Store) -> None:
    thread = new_thread(store)
    saved: dict[str, Any] = {}
    value: list[Any] = []
    for number in range(150):
        new = [item(number, 300), number]
        value = [*value, *new]
        saved[thread.update({"v": new}, reduce={"v": holdfast.extend}).id] = value
        if number % 40 == 20:
            forget(store)
    forget(store)
    check(thread, saved)


@dataclass(frozen=True)
class Plan:
    title: str
    steps: tuple[int, ...] = ()


@pytest.mark.parametrize(
    "old",
    [
        set(range(60)), frozenset(range(60)), tuple(range(60)), list(range(60)), Plan("p" * 60, tuple(range(30))),
        [tuple(range(20)), 1, 2], {"k": "v" * 60}, "x" * 100, b"x" * 100,
    ],
    ids=lambda old: type(old).__name__,
)  # fmt: skip
def test_extend_means_the_same_whatever_the_size_and_the_class_of_the_old_value(store: Store, old: Any) -> None:
    """The way that appends without looking must not append to what only looks like a list once it is encoded."""
    new = ["a", "b"]
    try:
        wanted = holdfast.extend(old, new)
    except TypeError as error:
        wanted = error
    thread = new_thread(store)
    first = thread.save({"v": old})
    try:
        thread.update({"v": new}, reduce={"v": holdfast.extend})
    except Exception:
        assert isinstance(wanted, TypeError)
        return
    forget(store)
    latest = thread.latest()
    assert latest is not None
    assert not isinstance(wanted, TypeError), f"extending {type(old).__name__} was accepted"
    assert latest.state["v"] == wanted
    assert type(latest.state["v"]) is type(wanted)
    assert latest.parent_id == first.id


def test_a_value_of_ten_megabytes_reads_back_after_edits(store: Store) -> None:
    big = random.Random(1).randbytes(10_000_000)
    edited = big[:5_000_000] + b"!" + big[5_000_000:]
    thread = new_thread(store)
    saved = {thread.save({"v": one}).id: one for one in (big, edited, edited[: 2 << 20])}
    forget(store)
    check(thread, saved)


def test_a_list_of_ten_megabytes_reads_back_after_edits(store: Store) -> None:
    big = [text(n % 50, 1000) + str(n) for n in range(10_000)]
    edited = [*big[:5000], "here", *big[5001:], "there"]
    thread = new_thread(store)
    saved = {thread.save({"v": one}).id: one for one in (big, edited, edited[:3])}
    forget(store)
    check(thread, saved)


@pytest.mark.parametrize("empty", [[], {}, "", b"", None, (), set(), [[]], [{}], {"": []}, 0, False])
def test_empty_values_between_full_ones_read_back(store: Store, empty: Any) -> None:
    thread = new_thread(store)
    full = [text(1, 700)] * 9
    saved = {thread.save({"v": one}).id: one for one in (empty, full, empty, full, [*full, 1], empty)}
    forget(store)
    check(thread, saved)


def test_the_order_of_keys_is_kept_through_every_change(store: Store) -> None:
    thread = new_thread(store)
    rng = random.Random(3)
    saved = {}
    keys = [f"key{n}" for n in range(12)]
    for number in range(120):
        rng.shuffle(keys)
        value = {key: text(hash(key) % 5, 200) + str(number // 9) for key in keys[: rng.randrange(1, 12)]}
        saved[thread.save({"v": value}).id] = value
    forget(store)
    for checkpoint_id, value in saved.items():
        found = thread.load(checkpoint_id)
        assert found is not None
        assert list(found.state["v"].items()) == list(value.items())


def test_a_mapping_with_two_nan_keys_survives_a_change(store: Store) -> None:
    """Two keys that are different to Python, and the same once they are encoded."""
    thread = new_thread(store)
    odd = {float("nan"): "a" * 200, float("nan"): "b" * 200, "n": 0}
    ids = [thread.save({"v": {**odd, "n": n, "t": text(n, 300)}}).id for n in range(5)]
    forget(store)
    for n, checkpoint_id in enumerate(ids):
        found = thread.load(checkpoint_id)
        assert found is not None
        assert [*found.state["v"].values()] == ["a" * 200, "b" * 200, n, text(n, 300)]


def test_what_a_caller_does_to_a_saved_or_loaded_value_changes_nothing_stored(store: Store) -> None:
    thread = new_thread(store)
    value = [{"content": text(1, 300)}]
    saved = thread.save({"v": value})
    value[0]["content"] = "changed after the save"
    loaded = thread.load(saved.id)
    assert loaded is not None
    loaded.state["v"].append("changed after the load")
    again = thread.load(saved.id)
    assert again is not None
    assert again.state["v"] == [{"content": text(1, 300)}]


# ------------------------------------------------------------------------------------------------ the logs alone


class Logs:
    """The chunks of some value logs, as a backend would keep them: a list, and no cleverness."""

    def __init__(self, frames: Frames = MANY_FRAMES) -> None:
        self.settings = value_log.LogSettings(1, frames)
        self.chunks: list[ChunkRow] = []
        self.bases: dict[int, tuple[int, int]] = {}

    def store(self, written: value_log.Written) -> None:
        for drop in written.drops:
            assert isinstance(drop, DropChunks)
            self.chunks = [
                row for row in self.chunks if not (row.log == drop.log and drop.lo <= row.lo <= drop.hi)
            ]  # fmt: skip
        for row in written.rows:
            self._put(row)

    def _put(self, row: Row) -> None:
        if isinstance(row, LogRow):
            self.bases[row.log] = (row.base_log, row.base_pos)
            return
        assert isinstance(row, ChunkRow)
        taken = [other for other in self.chunks if other.log == row.log and other.lo <= row.hi and other.hi >= row.lo]
        assert not taken, "two chunks for one position"
        self.chunks.append(row)

    def pieces(self, log: int, pos: int) -> list[Piece]:
        rows = sorted(row for row in self.chunks if row.log == log and row.lo <= pos)
        keys = [number for number, row in enumerate(rows) if row.kind == KEY]
        if keys:
            return [Piece(row, pos) for row in rows[keys[-1] :]]
        return [*self.pieces(*self.bases[log]), *(Piece(row, pos) for row in rows)]

    def read(self, ref: Ref) -> value_log.Version:
        (version,) = log_reader.read([ref], self.pieces(ref.log, ref.pos), self.settings.frames)
        assert version is not None
        return version


def written_on(
    logs: Logs, encs: list[bytes], cold: set[int], start: tuple[Entry | None, Any] = (None, None)
) -> list[Entry]:
    """Write these one after the other; where `cold` says so, from a version that was read and not remembered."""
    entry, version = start
    found: list[Entry] = []
    for number, enc in enumerate(encs):
        if isinstance(entry, Ref) and number in cold:
            version = logs.read(entry._replace(frozen=False))
        base = entry if isinstance(entry, Ref) else None
        if base is not None and version.parts.enc == enc:
            found.append(base)
            continue
        written = log_writer.write(logs.settings, enc, base, version if base is not None else None)
        logs.store(written)
        entry, version = written.entry, written.version
        found.append(entry)
    return found


def content(logs: Logs, entry: Entry) -> bytes:
    return entry.enc if isinstance(entry, Inline) else logs.read(entry._replace(frozen=False)).parts.enc


@given(script=scripts, cold=st.sets(st.integers(0, 24)))
@slow
def test_a_log_reads_every_position(script: list[Any], cold: set[int]) -> None:
    logs = Logs()
    encs = [CODEC.encode(value) for value in played(script)]
    entries = written_on(logs, encs, cold)
    assert [content(logs, entry) for entry in entries] == encs


@given(st.lists(plain, min_size=1, max_size=8), st.sets(st.integers(0, 8)))
@slow
def test_a_log_of_arbitrary_values_reads_every_position(several: list[Any], cold: set[int]) -> None:
    logs = Logs()
    encs = [CODEC.encode(value) for value in several]
    entries = written_on(logs, encs, cold)
    assert [content(logs, entry) for entry in entries] == encs


@given(scripts, scripts, st.integers(0, 24), every_framing)
@slow
def test_a_log_that_continues_another_reads_both(script: list[Any], more: list[Any], at: int, frames: Frames) -> None:
    logs = Logs(frames)
    encs = [CODEC.encode(value) for value in played(script)]
    entries = written_on(logs, encs, set())
    point = entries[at % len(entries)]
    rest = [CODEC.encode(value) for value in _continued(CODEC.decode(encs[at % len(encs)]), more)]
    start = (point._replace(frozen=True), logs.read(point)) if isinstance(point, Ref) else (None, None)
    continued = written_on(logs, rest, set(), start)
    assert [content(logs, entry) for entry in continued] == rest
    assert [content(logs, entry) for entry in entries] == encs


@pytest.mark.parametrize("frames", [MANY_FRAMES, ONE_FRAME])
@given(count=st.integers(190, 280), kind=st.integers(0, 3), cold=st.sets(st.integers(0, 280), max_size=6))
@settings(slow, max_examples=12)
def test_logs_of_several_frames_read_every_position(frames: Frames, count: int, kind: int, cold: set[int]) -> None:
    logs = Logs(frames)
    value: Any = []
    encs = []
    for number in range(count):
        value = [*value, item(number * 4 + kind, 60)]
        if number % 11 == 5:
            value = [*value[:-2], "edited", number]
        encs.append(CODEC.encode(value))
    entries = written_on(logs, encs, cold)
    assert [content(logs, entry) for entry in entries] == encs


@given(scripts, every_framing)
@slow
def test_a_version_that_was_read_continues_like_one_that_was_remembered(script: list[Any], frames: Frames) -> None:
    """The same rows come of it, so that a restart costs nothing in space."""
    warm, cold = Logs(frames), Logs(frames)
    encs = [CODEC.encode(value) for value in played(script)]
    written_on(warm, encs, set())
    written_on(cold, encs, set(range(len(encs))))
    assert sorted((row.lo, row.hi, row.kind, row.body) for row in warm.chunks) == sorted(
        (row.lo, row.hi, row.kind, row.body) for row in cold.chunks
    )


# ------------------------------------------------------------------------------------------------ changes

NAN_KEYS = {float("nan"): "a" * 99, float("nan"): "b" * 99}


@given(plain, plain)
@example(NAN_KEYS, {**NAN_KEYS, "n": 1})
@settings(deadline=None, max_examples=400)
def test_a_change_leads_from_any_value_to_any_other(a: Any, b: Any) -> None:
    old, new = CODEC.encode(a), CODEC.encode(b)
    assert replay(old, [change(old, new)]) == new


@given(plain, st.lists(edits, min_size=1, max_size=4))
@settings(deadline=None, max_examples=200, suppress_health_check=[HealthCheck.too_slow])
def test_a_change_leads_from_any_value_to_an_edited_one(a: Any, script: list[Any]) -> None:
    for b in _continued(a, script):
        old, new = CODEC.encode(a), CODEC.encode(b)
        assert replay(old, [change(old, new)]) == new


@given(st.lists(plain, min_size=2, max_size=6))
@settings(deadline=None, max_examples=150)
def test_chains_of_changes_lead_to_every_value_on_the_way(several: list[Any]) -> None:
    encs = [CODEC.encode(value) for value in several]
    steps = [change(old, new) for old, new in pairwise(encs)]
    for number in range(len(steps) + 1):
        assert replay(encs[0], steps[:number]) == encs[number]


@given(script=scripts)
@slow
def test_chains_of_edits_lead_to_every_value_on_the_way(script: list[Any]) -> None:
    encs = [CODEC.encode(value) for value in played(script)]
    steps = [change(old, new) for old, new in pairwise(encs)]
    for number in range(len(steps) + 1):
        assert replay(encs[0], steps[:number]) == encs[number]


@given(st.lists(plain, max_size=5), st.lists(plain, max_size=5))
@settings(deadline=None)
def test_an_appended_change_is_the_longer_list(old: list[Any], new: list[Any]) -> None:
    items = split_items(CODEC.encode(new))
    assert replay(CODEC.encode(old), [append_change(len(old), items)]) == CODEC.encode([*old, *new])


@given(plain, plain)
@settings(deadline=None, max_examples=200)
def test_a_change_is_never_much_larger_than_the_new_value(a: Any, b: Any) -> None:
    old, new = CODEC.encode(a), CODEC.encode(b)
    assert len(change(old, new)) <= len(new) + 2


@pytest.mark.parametrize("depth", [60, 64, 65, 66, 200, 400])
def test_a_change_deep_inside_is_replayed(depth: int) -> None:
    def nested(leaf: str) -> Any:
        value: Any = [leaf]
        for level in range(depth):
            value = [value] if level % 2 else {"k": value}
        return value

    old, new = CODEC.encode(nested(text(1, 3000))), CODEC.encode(nested(text(1, 3000) + "!"))
    assert replay(old, [change(old, new)]) == new


short = st.lists(st.sampled_from([b"a", b"b", b"c", b"d", b"ee", b""]), max_size=14)


def rebuilt(old: Any, new: Any, found: list[Any]) -> Any:
    """New, from old and what stands in the gaps."""
    pieces, done = [], 0
    for a0, a1, b0, b1 in found:
        assert done <= a0 <= a1
        pieces += [old[done:a0], new[b0:b1]]
        done = a1
    return [*pieces, old[done:]]


@given(short, short)
@settings(max_examples=600, deadline=None)
def test_gaps_rebuild_the_new_list_from_the_old_one(old: list[bytes], new: list[bytes]) -> None:
    assert [one for piece in rebuilt(old, new, gaps(old, new)) for one in piece] == new


@given(st.lists(st.binary(max_size=4), max_size=40), st.randoms())
@settings(max_examples=200, deadline=None)
def test_gaps_rebuild_lists_that_were_moved_about(old: list[bytes], rng: random.Random) -> None:
    new = [one for one in old if rng.random() < 0.8]
    for _ in range(rng.randrange(4)):
        new.insert(rng.randrange(len(new) + 1), rng.choice(old or [b"x"]))
    if rng.random() < 0.3:
        rng.shuffle(new)
    assert [one for piece in rebuilt(old, new, gaps(old, new)) for one in piece] == new


@given(short, short)
@settings(max_examples=200, deadline=None)
def test_gaps_of_equal_lists_are_none(old: list[bytes], new: list[bytes]) -> None:
    assert (not gaps(old, new)) == (old == new)


lines = st.lists(
    st.sampled_from([b"one\n", b"two\r\n", b"three\r", b"x" * 300, b"\n", b"\x00", b"y" * 40 + b"\n"]), max_size=12
)


@given(lines.map(b"".join), lines.map(b"".join))
@settings(max_examples=400, deadline=None)
def test_text_gaps_rebuild_the_new_text_from_the_old_one(old: bytes, new: bytes) -> None:
    assert b"".join(rebuilt(old, new, text_gaps(old, new))) == new


@given(st.lists(lines.map(b"".join), min_size=2, max_size=8))
@settings(max_examples=150, deadline=None)
def test_changes_of_large_texts_lead_from_one_to_the_next(texts: list[bytes]) -> None:
    versions = [CODEC.encode(text) for text in texts]
    nested = [CODEC.encode({"a": [text, 1], "b": "same"}) for text in texts]
    with pytest.MonkeyPatch.context() as patch:  # texts of a few bytes are treated as large ones
        patch.setattr("holdfast.engine.values.patch._LARGE", 4)
        patch.setattr("holdfast.engine.values.patch._MANY", 3)
        patch.setattr("holdfast.engine.values.sequence_diff._BLOCK", 5)
        patch.setattr("holdfast.engine.values.sequence_diff._LONGEST_SPLIT", 700)
        for found in (versions, nested):
            changes = [change(old, new) for old, new in pairwise(found)]
            assert replay(found[0], changes) == found[-1]


def test_a_large_value_with_nothing_in_common_becomes_a_key() -> None:
    size = value_log.LARGE
    how = value_log.LogSettings(1, MANY_FRAMES)
    first = log_writer.write(how, CODEC.encode(b"a" * size), None, None)
    assert isinstance(first.entry, Ref)
    second = log_writer.write(how, CODEC.encode(bytes(range(1, 97)) * (size // 60)), first.entry, first.version)
    assert [(row.kind, row.lo) for row in second.rows if isinstance(row, ChunkRow)] == [(KEY, 1)]


# ------------------------------------------------------------------------------------------------ digests


def digest_of(enc: bytes) -> bytes:
    parts = parts_of(enc)
    return value_digest(parts, item_digests(parts, None, b""))


@given(script=scripts, cold=st.sets(st.integers(0, 24)))
@slow
def test_the_digest_of_a_version_is_that_of_its_content(script: list[Any], cold: set[int]) -> None:
    encs = [CODEC.encode(value) for value in played(script)]
    for entry, enc in zip(written_on(Logs(), encs, set()), encs, strict=True):
        if isinstance(entry, Ref):
            assert entry.digest == digest_of(enc)


@given(first=scripts, second=scripts)
@slow
def test_two_ways_to_the_same_value_have_one_digest(first: list[Any], second: list[Any]) -> None:
    last = CODEC.encode([text(n, 300) for n in range(30)])
    ends = [
        written_on(Logs(), [*(CODEC.encode(value) for value in played(script)), last], set())[-1]
        for script in (first, second)
    ]
    assert {end.digest for end in ends} == {digest_of(last)}


def test_a_list_that_grew_by_extend_has_the_digest_of_one_saved_whole(store: Store) -> None:
    messages = [{"content": text(n, 300)} for n in range(40)]
    grown, whole = new_thread(store), new_thread(store)
    for message in messages:
        grown.update({"v": [message]}, reduce={"v": holdfast.extend})
    one = grown.save({"v": messages}, id="same", parent=holdfast.ROOT, step=1)
    other = whole.save({"v": messages}, id="same", parent=holdfast.ROOT, step=1)
    assert one.digest == other.digest


def test_different_values_have_different_digests() -> None:
    pairs = [
        ([1, 2], (1, 2)), ({"a": 1}, [("a", 1)]), ("1", 1), (1, True), (1, 1.0), (b"a", "a"),
        ([[1], 2], [[1, 2]]), ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ([text(n, 300) for n in range(40)], {n: text(n, 300) for n in range(40)}),
    ]  # fmt: skip
    for a, b in pairs:
        assert digest_of(CODEC.encode(a)) != digest_of(CODEC.encode(b))


def test_the_header_of_a_replayed_value_is_the_one_that_the_codec_writes() -> None:
    """Lists, maps, texts and bytes at each length where msgpack changes its header."""
    for size in (15, 16, 31, 32, 255, 256, 65535, 65536):
        for old, new in (
            ([1] * (size - 1), [1] * size), ([1] * size, [1] * (size - 1)),
            (dict.fromkeys(range(size - 1), 1), dict.fromkeys(range(size), 1)),
            ("x" * (size - 1), "x" * size), (b"x" * size, b"x" * (size - 1)),
        ):  # fmt: skip
            a, b = CODEC.encode(old), CODEC.encode(new)
            assert replay(a, [change(a, b)]) == b
            assert msgspec.msgpack.decode(replay(a, [change(a, b)]), strict=False) is not None
