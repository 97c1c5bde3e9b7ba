"""What was acknowledged to the writers, and what the store must therefore hold."""

from __future__ import annotations

from collections import Counter
from typing import Any

from holdfast import Store
from tests.crash.nursery import PATIENCE, Child
from tests.faults.writers import manner, state, stored


class Record:
    def __init__(self) -> None:
        self.acknowledged: dict[str, list[int]] = {}
        self.begun: dict[str, int] = {}
        self.errors: Counter[str] = Counter()

    def hear(self, line: dict[str, Any]) -> None:
        assert "broken" not in line, f"a writer gave up: {line}"
        if "about" in line:
            self.begun[line["about"]] = line["number"]
        elif "done" in line:
            self.acknowledged.setdefault(line["done"], []).append(line["number"])
        elif "failed" in line:
            self.errors[line["error"]] += 1

    def hear_until(self, children: list[Child], more: int, seconds: float = PATIENCE) -> None:
        """Wait until each process got this many more acknowledgements, in any of its threads."""
        for child in children:
            heard = 0
            while heard < more:
                line = child.line(seconds)
                assert line is not None, f"a writer ended: {child.lines[-3:]}"
                self.hear(line)
                heard += "done" in line

    def hear_the_rest(self, children: list[Child]) -> None:
        for child in children:
            known = len(child.lines)
            for line in child.ended_well()[known:]:
                self.hear(line)

    @property
    def count(self) -> int:
        return sum(map(len, self.acknowledged.values()))

    def check(self, store: Store) -> None:
        """Everything acknowledged is there once and in its order, and what was never acknowledged at most once."""
        for name, numbers in self.acknowledged.items():
            assert numbers == list(range(len(numbers))), "the writers count"
            found = stored(store, name)
            assert found in (numbers, [*numbers, self.begun[name]]), (
                f"{name}: {len(numbers)} acknowledged; lost {sorted({*numbers} - {*found})}, "
                f"doubled {[number for number, often in Counter(found).items() if often > 1]}, last {found[-3:]}"
            )
            if manner(name) != "append":
                self._check_checkpoints(store, name)

    def _check_checkpoints(self, store: Store, name: str) -> None:
        history = store.thread(name).history(limit=None)
        assert [info.seq for info in history] == list(range(len(history), 0, -1)), "numbered one by one"
        assert [info.parent_id for info in history[:-1]] == [info.id for info in history[1:]], "one after the other"
        head = store.thread(name).latest()
        assert head is not None
        assert head.state == state(head.state["number"])
