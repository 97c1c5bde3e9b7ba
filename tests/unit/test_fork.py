"""The registry of what is called around a fork."""

from __future__ import annotations

import gc
import os
import re
from pathlib import Path

import pytest

import holdfast
from holdfast._system import process_fork
from holdfast._system.process_fork import Registry


class Lock:
    def __init__(self, name: str, called: list[str], registry: Registry) -> None:
        self.name, self.called = name, called
        registry.register(before=self.before, after_in_parent=self.parent, after_in_child=self.child)

    def before(self) -> None:
        self.called.append(f"before {self.name}")

    def parent(self) -> None:
        self.called.append(f"parent {self.name}")

    def child(self) -> None:
        self.called.append(f"child {self.name}")


def test_what_is_taken_first_is_released_last() -> None:
    called: list[str] = []
    registry = Registry()
    locks = [Lock(name, called, registry) for name in "ab"]
    registry.before()
    registry.after_in_parent()
    assert called == ["before b", "before a", "parent a", "parent b"]
    registry.before()
    registry.after_in_child()
    assert called[4:] == ["before b", "before a", "child a", "child b"]
    assert len(locks) == 2


def test_a_method_is_forgotten_with_its_object_and_a_function_is_kept() -> None:
    called: list[str] = []
    registry = Registry()
    registry.register(after_in_child=lambda: called.append("function"))
    lock = Lock("a", called, registry)
    del lock
    gc.collect()
    assert len(registry._registered) == 1
    registry.before()
    registry.after_in_child()
    assert called == ["function"]


def test_an_object_that_goes_between_is_called_after_the_fork_as_well() -> None:
    called: list[str] = []
    registry = Registry()
    lock = Lock("a", called, registry)
    registry.before()
    del lock
    registry.after_in_parent()
    assert called == ["before a", "parent a"]


def test_one_that_came_between_is_not_released_without_having_been_taken() -> None:
    called: list[str] = []
    registry = Registry()
    registry.before()
    lock = Lock("a", called, registry)
    registry.register(after_in_child=lambda: called.append("function"))
    registry.after_in_child()
    assert (called, lock.name) == (["function"], "a")


def test_an_error_does_not_keep_the_others_from_being_called() -> None:
    called: list[str] = []
    registry = Registry()

    def fail() -> None:
        raise ZeroDivisionError

    registry.register(after_in_child=fail)
    lock = Lock("a", called, registry)
    registry.before()
    with pytest.raises(ZeroDivisionError):
        registry.after_in_child()
    assert (called, lock.name) == (["before a", "child a"], "a")


def test_there_is_one_registry() -> None:
    sources = Path(holdfast.__file__).parent
    using = [
        path.relative_to(sources).as_posix()
        for path in sources.rglob("*.py")
        if re.search(r"os\.register_at_fork\(", path.read_text("utf-8"))
    ]
    assert using == ["_system/process_fork.py"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_it_is_called_by_a_fork() -> None:
    called: list[str] = []
    lock = Lock("a", called, process_fork._registry)
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.write(write, " ".join(called).encode())
        os._exit(0)
    os.waitpid(pid, 0)
    assert os.read(read, 100) == b"before a child a"
    assert (called, lock.name) == (["before a", "parent a"], "a")
    os.close(read)
    os.close(write)
