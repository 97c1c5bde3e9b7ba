"""A class that is not known is reported: once, by name, and with what to do."""

from __future__ import annotations

import dataclasses
import logging
import threading
from typing import Any

import pytest

import holdfast
from holdfast.codec import Codec, Opaque
from holdfast.codec.lookup import unknown_log
from holdfast.codec.wire import Marker, pack_raw
from tests.unit.codec_values import Colour, Plan

PLAN = f"{Plan.__module__}.Plan"


@pytest.fixture(autouse=True)
def nothing_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unknown_log, "_reported", set())


def record(name: str, **fields: Any) -> bytes:
    return pack_raw([Marker(4), "dataclass", name, *(part for item in fields.items() for part in item)])


def test_an_unknown_class_is_reported_once(caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(3):
        Codec().decode(Codec().encode([Plan("x"), Plan("y"), Colour.RED]))
    assert [(one.name, one.levelno) for one in caplog.records] == [("holdfast.codec", logging.WARNING)] * 2
    assert PLAN in caplog.messages[0]
    assert f"{Colour.__module__}.Colour" in caplog.messages[1]


def test_the_report_says_what_to_do(caplog: pytest.LogCaptureFixture) -> None:
    Codec().decode(record("app.Plan"))
    Codec(imported=True).decode(record("app.Other"))
    first, second = caplog.messages
    assert "name it in types=" in first
    assert "types={'app.Plan': Class} if it moved" in first
    assert "import its module" not in first
    assert "import its module" in second


def test_a_message_whose_class_is_not_imported_is_reported(caplog: pytest.LogCaptureFixture) -> None:
    name = "langchain_core.messages.human.HymanMessage"
    Codec().decode(pack_raw([[Marker(26), name, {"content": "x"}, []]]))
    assert name in caplog.messages[0]


def test_a_store_reports_too(caplog: pytest.LogCaptureFixture) -> None:
    with holdfast.open("memory:") as store:
        store.thread("t").save({"plan": Plan("x")})
        found = store.thread("t").latest()
        assert found is not None
        assert type(found.state["plan"]) is Opaque
    assert len(caplog.messages) == 1


def test_what_is_known_is_not_reported(caplog: pytest.LogCaptureFixture) -> None:
    for codec in (Codec([Plan]), Codec(imported=True)):
        codec.decode(codec.encode([Plan("x"), (1,), {2}]))
    assert caplog.messages == []


def test_what_is_opaque_for_another_reason_is_not_reported(caplog: pytest.LogCaptureFixture) -> None:
    @dataclasses.dataclass
    class Note:
        text: str

    codec = Codec({"app.Note": Note, "app.Colour": Colour})
    assert type(codec.decode(record("app.Note"))) is Opaque
    assert type(codec.decode(pack_raw([Marker(4), "enum", "app.Colour", "name", "GREY", "value", 7]))) is Opaque
    assert type(codec.decode(pack_raw([Marker(63), 1]))) is Opaque
    assert caplog.messages == []


def test_a_name_can_not_forge_a_line_of_the_log(caplog: pytest.LogCaptureFixture) -> None:
    Codec().decode(record("app.Plan\nERROR root: all is lost"))
    assert "\n" not in caplog.messages[0]


def test_thousands_of_names_are_not_all_remembered(caplog: pytest.LogCaptureFixture) -> None:
    for number in range(1500):
        Codec().decode(record(f"app.Plan{number}"))
    assert len(caplog.messages) == 1000


def test_threads_report_a_name_once(caplog: pytest.LogCaptureFixture) -> None:
    data = record("app.Plan")
    threads = [threading.Thread(target=Codec().decode, args=(data,)) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(caplog.messages) == 1
