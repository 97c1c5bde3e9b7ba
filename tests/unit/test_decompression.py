"""Frames that expand to more than they state, or than a reader asked for: they end in an error before they are content.

The hostile stores are made by saving through a compressor that returns such a frame, so that their checksums match.
"""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import holdfast
from holdfast import Corrupt, TooLarge, _zstd
from holdfast.engine.values.patch import replay
from holdfast.transfer import bundle_file

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MIB = 1 << 20
BOMB = 64 * MIB
VALUE = "x" * 5000


def _without_size(size: int) -> bytes:
    compressor = zstd.ZstdCompressor(1)
    return compressor.compress(bytes(size)) + compressor.flush()


def _stating(size: int, stated: int) -> bytes:
    """A frame of zeros whose header has another size: four bytes after magic, descriptor and window."""
    frame = bytearray(_zstd.compress(bytes(size), 1))
    assert frame[4] >> 6 == 2
    at = 5 if frame[4] & 0x20 else 6
    assert int.from_bytes(frame[at : at + 4], "little") == size
    frame[at : at + 4] = stated.to_bytes(4, "little")
    return bytes(frame)


HOSTILE: dict[str, bytes] = {
    "states no size": _without_size(BOMB),
    "has more than it states": _stating(BOMB, 70_000),
    "has fewer than it states": _stating(70_000, 80_000),
    "two frames": _zstd.compress(b"x" * 300, 1) + _zstd.compress(bytes(BOMB), 1),
    "cut off": _zstd.compress(bytes(300_000), 1)[:-1],
    "states an impossible size": b"\x28\xb5\x2f\xfd\xe0" + (1 << 60).to_bytes(8, "little") + b"\x01\x00\x00",
    "no frame": b"not zstd at all",
    "nothing": b"",
}


@contextmanager
def allocating_at_most(size: int) -> Iterator[None]:
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < size
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("frame", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_frame_is_an_error(frame: bytes) -> None:
    with allocating_at_most(2 * MIB), pytest.raises(_zstd.ZstdError):
        _zstd.decompress(frame, MIB)


def test_a_frame_that_states_more_than_was_asked_for_is_not_begun() -> None:
    frame = _zstd.compress(bytes(BOMB), 1)
    with allocating_at_most(MIB), pytest.raises(TooLarge, match=str(BOMB)):
        _zstd.decompress(frame, BOMB - 1)


@pytest.mark.parametrize("size", [0, 1, 255, 256, 65_791, 65_792, 200_000])
def test_a_frame_of_holdfast_is_its_content(size: int) -> None:
    assert _zstd.decompress(_zstd.compress(bytes(size), 1), size) == bytes(size)


@contextmanager
def compressing_to(frame: bytes) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_zstd, "compress_if_worth_it", lambda data, level: frame)
        patch.setattr(_zstd, "compress", lambda data, level: frame)
        yield


def hostile_store(path: Path, frame: bytes, where: str) -> str:
    url = str(path / "hostile.db")
    with holdfast.open(url) as store:
        thread = store.thread("t")
        sound = thread.save({"text": "short", "n": 1})
        store.thread("other").save({"text": VALUE})
        with compressing_to(frame):
            if where == "a value":
                thread.save({"text": VALUE, "n": 1})
            else:
                thread.put_writes(sound.id, [("text", VALUE)], task_id="task")
    return url


def copied(store: holdfast.Store, path: Path) -> object:
    with holdfast.open("memory:") as target:
        return holdfast.copy(store, target)


CALLS: dict[str, Callable[[holdfast.Store, Path], object]] = {
    "latest": lambda store, path: store.thread("t").latest(),
    "export": lambda store, path: store.export(None, path / "out.hfb"),
    "copy": copied,
}


@pytest.mark.parametrize("where", ["a value", "a write"])
@pytest.mark.parametrize("frame", HOSTILE.values(), ids=HOSTILE)
def test_every_reader_ends_in_corrupt(frame: bytes, where: str, tmp_path: Path) -> None:
    url = hostile_store(tmp_path, frame, where)
    with holdfast.open(url) as store:
        for call in CALLS.values():
            with allocating_at_most(8 * MIB), pytest.raises(Corrupt):
                call(store, tmp_path)


@pytest.mark.parametrize("where", ["a value", "a write"])
@pytest.mark.parametrize("frame", HOSTILE.values(), ids=HOSTILE)
def test_verify_reports_a_hostile_frame_and_continues(frame: bytes, where: str, tmp_path: Path) -> None:
    with holdfast.open(hostile_store(tmp_path, frame, where)) as store:
        with allocating_at_most(8 * MIB):
            report = store.verify()
        assert [fault.thread_id for fault in report.faults] == ["t"]
        assert report.threads == 2
        assert report.too_large == 0


@pytest.mark.parametrize("where", ["a value", "a write"])
def test_what_states_too_much_is_too_large_and_no_fault(where: str, tmp_path: Path) -> None:
    url = hostile_store(tmp_path, _zstd.compress(bytes(BOMB), 1), where)
    with holdfast.open(url, max_value=MIB) as store:
        for call in CALLS.values():
            with allocating_at_most(8 * MIB), pytest.raises(TooLarge, match="max_value"):
                call(store, tmp_path)
        with allocating_at_most(8 * MIB):
            report = store.verify()
        assert report.ok
        assert report.too_large == (where == "a value")
        assert store.repair(report).quarantined == 0


def bundle(path: Path, body: bytes) -> Path:
    digest = bundle_file._digest(b"", body)
    path.write_bytes(bundle_file._FIRST + len(body).to_bytes(4, "little") + digest + body)
    return path


@pytest.mark.parametrize("frame", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_block_of_a_bundle_is_corrupt(frame: bytes, tmp_path: Path) -> None:
    path = bundle(tmp_path / "hostile.hfb", frame)
    with holdfast.open("memory:") as store, allocating_at_most(8 * MIB), pytest.raises(Corrupt):
        store.import_(path)


def test_a_block_larger_than_its_values_is_too_large(tmp_path: Path) -> None:
    path = bundle(tmp_path / "hostile.hfb", _zstd.compress(bytes(BOMB), 1))
    with holdfast.open("memory:", max_value=MIB) as store, allocating_at_most(8 * MIB), pytest.raises(TooLarge):
        store.import_(path)


def test_the_length_of_a_block_allocates_nothing(tmp_path: Path) -> None:
    path = tmp_path / "hostile.hfb"
    path.write_bytes(bundle_file._FIRST + b"\xff\xff\xff\xff" + bytes(16) + b"x")
    with allocating_at_most(MIB), pytest.raises(Corrupt, match="truncated"):
        [*bundle_file.read(path)]


def test_chunks_that_add_up_to_more_than_their_value_are_too_large(tmp_path: Path) -> None:
    """Each is within the bound, and together they are not."""
    url = str(tmp_path / "many.db")
    with holdfast.open(url) as store:
        thread = store.thread("t")
        items: list[Any] = []
        for number in range(12):
            items.append("x" * (MIB // 2) + str(number))
            thread.save({"items": items})
    with holdfast.open(url, max_value=MIB) as store, pytest.raises(TooLarge):
        store.thread("t").latest()
    with holdfast.open(url, max_value=7 * MIB) as store:
        found = store.thread("t").latest()
        assert found is not None
        assert found.state == {"items": items}


def test_cuts_that_repeat_a_text_are_refused() -> None:
    """Each change of this kind would double the text."""
    text, doubling = b"\xa2ab", b"\x94\x03\x02\xfe\xc4\x00"
    assert replay(text, [b"\x94\x03\x02\x00\xc4\x01c"]) == b"\xa3abc"
    for change in (doubling, b"\x94\x03\x03\x00\xc4\x00", b"\x94\x03\x00\x03\xc4\x00", b"\x94\x03\xff\x01\xc4\x00"):
        with pytest.raises(ValueError, match="cut"):
            replay(text, [change])
