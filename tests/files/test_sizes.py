"""What threads cost in a folder of files, in bytes: while the store is open, and after it was closed."""

from __future__ import annotations

from pathlib import Path

from holdfast.adapters.langgraph import HoldfastSaver
from tests.adapters.langgraph.test_sizes import loop
from tests.files.stores import open_files


def size(root: Path) -> int:
    return sum(path.stat().st_size for path in root.rglob("*") if path.is_file())


def test_a_thousand_steps_take_little_more_than_their_messages(tmp_path: Path) -> None:
    """With every checkpoint and every pending write; less than the messages once the store was closed."""
    root = tmp_path / "agents"
    saver = HoldfastSaver.from_url(f"file:{root}")
    content = loop(saver, 1000)
    stored = size(root)
    assert stored <= 1.2 * content, f"{stored} bytes for {content}: {stored / content:.3f}"
    saver.close()
    assert size(root) <= 0.9 * content, f"{size(root) / content:.3f}"


def test_a_store_says_what_its_files_take_up(tmp_path: Path) -> None:
    root = tmp_path / "agents"
    with open_files(root) as store:
        store.thread("t").save({"text": "x"})
        assert store.bytes_stored() == size(root)


def test_a_large_first_state_is_stored_once_when_the_store_was_closed(tmp_path: Path) -> None:
    """The record that makes a thread stands in the directory first."""
    root = tmp_path / "agents"
    with open_files(root) as store:
        store.thread("t").save({"text": "".join(chr(33 + n * n % 90) for n in range(300_000))})
        once = store.bytes_stored()
    assert size(root) <= once + 1000


def test_a_fork_takes_less_than_a_kilobyte(tmp_path: Path) -> None:
    root = tmp_path / "agents"
    with open_files(root) as store:
        for n in range(50):
            store.thread("t").save({"log": [f"entry {i}" for i in range(n)]})
        before = store.bytes_stored()
        store.thread("t").fork(to="fork")
        assert store.bytes_stored() - before < 1000
