"""`verify` reports records that no program can load, wherever they are in a store, and runs nothing to find them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

import holdfast
from holdfast import Corrupt
from holdfast.codec import Handler, codec, register
from holdfast.codec.inspection import problem_in
from holdfast.codec.packer import pack
from holdfast.codec.wire import Marker, pack_raw

ARRAY: list[Any] = [Marker(24), "|O", [1], "C", b"\x41" * 8]
HOSTILE: dict[str, Any] = {
    "objects": ARRAY,
    "objects in a class": [Marker(4), "dataclass", "app.Plan", "goal", ARRAY],
    "objects in a message": [Marker(26), "langchain_core.messages.human.HumanMessage", {"content": ARRAY}, []],
    "objects in a tuple in a list": [1, [Marker(1), ARRAY]],
    "names that are none": [Marker(4), "pydantic", "app.Model", "+set", {"a": 1}],
    "bytes of a number": [Marker(6), 1 << 40],
    "a marker alone": [1, Marker(1)],
}
LONG = [*range(100, 200)]


class Evil:
    """Its encoding is what no program would write."""

    def __init__(self, raw: Any) -> None:
        self.raw = raw


@pytest.fixture(autouse=True)
def evil_is_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codec, "pack", lambda value: pack_raw(value.raw) if type(value) is Evil else pack(value))


def save(thread: Any, value: Any) -> object:
    return thread.save({"a": value})


def save_metadata(thread: Any, value: Any) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(codec, "pack", lambda part: pack_raw({"k": value.raw}) if "k" in part else pack(part))
        with suppress(Corrupt):  # what was saved is returned
            thread.save({"a": 1}, metadata={"k": 1})


PLACES: dict[str, Callable[[Any, Any], Any]] = {
    "a small value": save,
    "a large value": lambda thread, value: save(thread, Evil([value.raw, LONG])),
    "a longer value": lambda thread, value: [save(thread, one) for one in ([LONG], Evil([LONG, value.raw]))],
    "metadata": save_metadata,
    "the journal": lambda thread, value: thread.journal.append("event", value),
    "a write": lambda thread, value: thread.put_writes(thread.latest().id, [("a", value)], task_id="t"),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("raw", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_record_is_a_fault(raw: Any, place: str, tmp_path: Path) -> None:
    with holdfast.open(tmp_path / "hostile.db") as store:
        thread = store.thread("t")
        thread.save({"a": 1})
        store.thread("sound").save({"a": LONG})
        PLACES[place](thread, Evil(raw))
        faults = store.verify().faults
        assert [fault.thread_id for fault in faults] == ["t"]
        assert "can't be" in faults[0].message


def test_a_fault_says_what_is_wrong(tmp_path: Path) -> None:
    with holdfast.open(tmp_path / "hostile.db") as store:
        store.thread("t").save({"a": Evil([ARRAY, LONG])})
        assert "holds Python objects" in store.verify().faults[0].message


def test_a_hostile_value_can_be_set_aside(tmp_path: Path) -> None:
    with holdfast.open(tmp_path / "hostile.db") as store:
        thread = store.thread("t")
        thread.save({"a": "sound"})
        thread.save({"a": Evil([ARRAY, LONG])})
        with pytest.raises(Corrupt):
            thread.latest()
        store.repair(store.verify())
        assert store.verify().ok
        assert thread.latest().state == {"a": "sound"}  # type: ignore[union-attr]


RAN: list[str] = []


@dataclasses.dataclass
class Loud:
    text: Any = dataclasses.field(default_factory=lambda: RAN.append("factory"))

    def __hash__(self) -> int:
        RAN.append("hash")
        return 1


class Own: ...


def _build(parts: list[Any]) -> Any:
    RAN.append("handler")
    raise ValueError


def test_verify_runs_nothing_and_builds_no_class(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    register(Handler(tag=99, types=(Own,), pack=lambda own: [1], build=_build))
    url = tmp_path / "own.db"
    with holdfast.open(url, types=[Loud]) as store:
        thread = store.thread("t")
        thread.save({"own": [Own(), LONG], "loud": {Loud(1): Loud(2)}, "set": {Loud(3)}, "m": [HumanMessage("x")]})
        thread.save({"own": Own(), "bare": Evil([Marker(4), "dataclass", f"{__name__}.Loud"])})
        RAN.clear()
        caplog.clear()
        assert store.verify().ok
        assert RAN == []
        assert caplog.records == []


@pytest.mark.parametrize(
    "value",
    [1, "x", None, {"a": [1, 2]}, (1, {2}), {(1, 2): 3}, HumanMessage("x"), [HumanMessage("x", note=(1,))], Own],
    ids=repr,
)
def test_what_can_be_loaded_has_no_problem(value: Any) -> None:
    data = codec.Codec().encode(value) if value is not Own else pack_raw([Marker(98), {"a": [Marker(97), 1]}])
    assert problem_in(data) == ""


def test_a_value_nested_too_deeply_for_the_stack_is_left_to_its_digest() -> None:
    assert problem_in(b"\x91" * 1000 + b"\xc0") == ""
