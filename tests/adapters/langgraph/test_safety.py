"""Loading builds data and nothing else: no pickle, no import, no call. What is not known is kept, and said once.

LangGraph's serializer imports and calls what the stored bytes name unless it is configured not to (CVE-2026-28277); the
expectations here are Holdfast's own rules.
"""

from __future__ import annotations

import dataclasses
import importlib
import logging
import pickle
import subprocess
import sys
import types
from collections.abc import Iterator
from operator import add
from pathlib import Path
from typing import Annotated, Any, ClassVar, TypedDict

import attrs
import msgspec
import pydantic
import pytest
from langgraph._internal import _serde
from langgraph.graph import START, StateGraph

import holdfast
from holdfast.adapters.langgraph import HoldfastSaver
from holdfast.codec.lookup import unknown_log
from tests.adapters.langgraph.driver import Side, config, get, new_id, open_saver, put, values
from tests.adapters.langgraph.state_classes import (
    HERE,
    KNOWN,
    OWN,
    Form,
    Item,
    Mood,
    Place,
    Plan,
    Record,
    there_and_back,
)

# ------------------------------------------------------------------------------------------------ nothing is called


class Called:
    """What was called while a test watched."""

    names: ClassVar[list[str]] = []


def noted(name: str, value: Any = None) -> Any:
    Called.names.append(name)
    return value


@dataclasses.dataclass
class Loud:
    n: int

    def __post_init__(self) -> None:
        Called.names.append("dataclass")

    def __setstate__(self, state: Any) -> None:
        Called.names.append("setstate")


class LoudModel(pydantic.BaseModel):
    n: int

    @pydantic.field_validator("n")
    @classmethod
    def check(cls, n: int) -> int:
        Called.names.append("field validator")
        return n

    @pydantic.model_validator(mode="before")
    @classmethod
    def check_all(cls, data: Any) -> Any:
        Called.names.append("model validator")
        return data

    def model_post_init(self, context: Any) -> None:
        Called.names.append("post init")


@attrs.define
class LoudItem:
    n: int = attrs.field(validator=lambda *_: noted("validator"), converter=lambda n: noted("converter", n))

    def __attrs_post_init__(self) -> None:
        Called.names.append("attrs post init")


class LoudRecord(msgspec.Struct):
    n: int

    def __post_init__(self) -> None:
        Called.names.append("msgspec")


@pytest.mark.parametrize("cls", [Loud, LoudModel, LoudItem, LoudRecord], ids=lambda cls: cls.__name__)
def test_nothing_of_a_class_runs_when_it_is_loaded(saver: HoldfastSaver, cls: Any) -> None:
    with Side(saver, "sync") as side:
        put(side.calls, {"a": cls(n=1)})
        Called.names.clear()
        found = values(side.calls)["a"]
        assert (type(found), found.n, Called.names) == (cls, 1, [])


def test_a_record_that_its_validators_would_refuse_today_still_loads(
    saver: HoldfastSaver, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Side(saver, "sync") as side:
        put(side.calls, {"a": LoudModel.model_construct(n="not a number")})
        found = values(side.calls)["a"]
        assert (type(found), found.n) == (LoudModel, "not a number")


class Trap:
    """Runs a command when it is unpickled."""

    def __reduce__(self) -> Any:
        return (Called.names.append, ("pickled",))


def test_nothing_is_pickled(saver: HoldfastSaver, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("pickle was used")

    for name in ("dumps", "loads", "dump", "load", "Pickler", "Unpickler"):
        monkeypatch.setattr(pickle, name, refuse)
    Called.names.clear()
    with pytest.raises(holdfast.EncodeError):
        there_and_back(saver, Trap())
    assert there_and_back(saver, [*OWN[:4], KNOWN[0]])[0] == [*OWN[:4], KNOWN[0]]
    assert Called.names == []


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("os", "system"),
        ("subprocess", "Popen"),
        ("builtins", "eval"),
        ("builtins", "print"),
        ("importlib", "import_module"),
        ("pickle", "loads"),
        ("sys", "exit"),
        ("holdfast", "open"),
        ("subprocess", "os.system"),
        (__name__, "Called"),
        (__name__, "noted"),
        (__name__, "Loud.__init__"),
        (__name__, "Loud.__class__"),
        (HERE, "OWN"),
        (HERE, "there_and_back"),
    ],
)
def test_a_name_of_something_else_is_never_called(
    saver: HoldfastSaver, monkeypatch: pytest.MonkeyPatch, module: str, name: str
) -> None:
    """Stored bytes may name anything that is imported. Only a class of the kind that was stored is built."""
    forged = dataclasses.make_dataclass("Forged", [("args", Any), ("n", int, 0)])
    forged.__module__, forged.__qualname__, forged.__name__ = module, name, name.rpartition(".")[2]
    monkeypatch.setattr(subprocess.Popen, "__init__", lambda *_, **__: Called.names.append("Popen"))
    Called.names.clear()
    with Side(saver, "sync") as side:
        put(side.calls, {"a": forged(["echo", "boo"])})
        found = values(side.calls)["a"]
        assert (isinstance(found, holdfast.Opaque), found.name) == (True, f"{module}.{name}")
        assert found.fields["args"] == ["echo", "boo"]
        assert Called.names == []


# ------------------------------------------------------------------------------------------------ nothing is imported


@pytest.fixture
def agent_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A module `agent_state` with a class, which leaves a mark when it is imported."""
    folder = tmp_path / "modules"
    folder.mkdir()
    marks = folder / "imported"
    (folder / "agent_state.py").write_text(
        f"import dataclasses\nwith open({str(marks)!r}, 'a') as marks:\n    marks.write('x')\n"
        "@dataclasses.dataclass\nclass Plan:\n    goal: str\n    steps: list\n"
    )
    monkeypatch.syspath_prepend(folder)
    yield marks
    sys.modules.pop("agent_state", None)


def test_a_module_that_is_not_imported_stays_so(saver: HoldfastSaver, agent_module: Path) -> None:
    agent = importlib.import_module("agent_state")
    with Side(saver, "sync") as side:
        put(side.calls, {"plan": agent.Plan("pay", [agent.Plan("nested", [])])})
        del sys.modules["agent_state"]
        found = values(side.calls)["plan"]
        assert isinstance(found, holdfast.Opaque)
        assert (found.name, found.fields["goal"]) == ("agent_state.Plan", "pay")
        assert "agent_state" not in sys.modules
    assert agent_module.read_text() == "x"


def test_a_module_imported_later_gives_the_class_back(saver: HoldfastSaver, agent_module: Path) -> None:
    agent = importlib.import_module("agent_state")
    with Side(saver, "sync") as side:
        put(side.calls, {"plan": agent.Plan("pay", [])})
        del sys.modules["agent_state"]
        assert isinstance(values(side.calls)["plan"], holdfast.Opaque)
        again = importlib.import_module("agent_state")
        assert values(side.calls)["plan"] == again.Plan("pay", [])


def test_a_module_that_imports_when_it_is_asked_is_not_asked(
    saver: HoldfastSaver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A module's `__getattr__` may import and run anything; only what is in it already counts."""
    Called.names.clear()
    lazy = types.ModuleType("lazy_agent")
    lazy.__getattr__ = lambda name: noted(name, Plan)  # type: ignore[method-assign]
    monkeypatch.setitem(sys.modules, "lazy_agent", lazy)
    hidden = dataclasses.make_dataclass("Hidden", [("goal", str)])
    hidden.__module__ = "lazy_agent"
    with Side(saver, "sync") as side:
        put(side.calls, {"a": hidden("x")})
        assert isinstance(values(side.calls)["a"], holdfast.Opaque)
    assert [name for name in Called.names if not name.startswith("__")] == []


# ------------------------------------------------------------------------------------------------ restricted


def test_types_are_all_that_is_built(url: str) -> None:
    with open_saver(url, types=[Plan]) as saver:
        assert there_and_back(saver, Plan("pay"))[0] == Plan("pay")
        for found in there_and_back(saver, Item("i")):
            assert isinstance(found, holdfast.Opaque)
            assert (found.name, found.fields) == (f"{HERE}.Item", {"name": "i", "tags": []})
        assert type(there_and_back(saver, Mood.CALM)[0]) is holdfast.Opaque


def test_without_types_no_class_of_the_user_is_built(url: str) -> None:
    with open_saver(url, types=[]) as saver:
        for value in OWN:
            assert all(isinstance(found, holdfast.Opaque) for found in there_and_back(saver, value)), value


def test_an_allowlist_adds_to_a_restricted_list(url: str) -> None:
    """Once for the clone that LangGraph asks for; the saver itself is as strict as before."""
    with open_saver(url, types=[Plan]) as saver:
        more = saver.with_allowlist({(HERE, "Item"), (HERE, "Mood"), ("agent_state", "Plan")})
        found = there_and_back(more, [Plan("p"), Item("i"), Mood.CALM, Record("r")])[0]
        assert found[:3] == [Plan("p"), Item("i"), Mood.CALM]
        assert type(found[3]) is holdfast.Opaque
        with Side(saver, "sync") as side:
            kinds = [type(one) for one in values(side.calls)["plain"]]
        assert kinds == [Plan, holdfast.Opaque, holdfast.Opaque, holdfast.Opaque]


def test_an_allowlist_takes_nothing_from_an_open_saver(saver: HoldfastSaver) -> None:
    more = saver.with_allowlist({(HERE, "Plan")})
    assert there_and_back(more, [Plan("p"), Item("i")])[0] == [Plan("p"), Item("i")]


def test_an_allowlist_imports_nothing(url: str, agent_module: Path) -> None:
    with open_saver(url, types=[]) as saver:
        saver.with_allowlist({("agent_state", "Plan"), ("no.such.module", "X")})
    assert "agent_state" not in sys.modules
    assert not agent_module.exists()


def test_langgraphs_strict_mode_names_the_classes_of_the_graphs_state(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LANGGRAPH_STRICT_MSGPACK makes it hand over an allowlist from the state's annotations, at every call."""

    class State(TypedDict, total=False):
        plan: Plan
        other: Any
        lines: Annotated[list[str], add]

    monkeypatch.setattr(_serde, "STRICT_MSGPACK_ENABLED", True)
    builder = StateGraph(State)
    builder.add_node("make", lambda state: {"plan": Plan("made"), "other": Item("not named")})
    builder.add_edge(START, "make")
    with open_saver(url, types=[]) as saver, Side(saver, "sync") as side:
        graph = side.graph(builder)
        graph.invoke({"lines": ["x"]}, config())
        found = graph.get_state(config()).values
        assert (found["plan"], isinstance(found["other"], holdfast.Opaque)) == (Plan("made"), True)
        assert isinstance(values(side.calls)["plan"], holdfast.Opaque)


# ------------------------------------------------------------------------------------------------ what is not known


@pytest.fixture(autouse=True)
def nothing_reported_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names are reported once in the life of a process, and this one has lived for other tests."""
    monkeypatch.setattr(unknown_log, "_reported", set())


def test_it_is_reported_once_by_name(url: str, caplog: pytest.LogCaptureFixture) -> None:
    unknown = [dataclasses.make_dataclass(name, [("n", int)]) for name in ("Gone", "AlsoGone")]
    module = "agents_of_" + new_id().replace("-", "_")  # so that no other test has had it reported
    for cls in unknown:
        cls.__module__ = module
    with open_saver(url) as saver, caplog.at_level(logging.DEBUG, "holdfast"):
        for n in range(3):
            there_and_back(saver, [cls(n) for cls in unknown])
        logged = [record.getMessage() for record in caplog.records if record.name.split(".")[0] == "holdfast"]
    for cls in unknown:
        assert len([text for text in logged if f"{module}.{cls.__name__}" in text]) == 1, logged


def test_what_is_known_is_not_reported(saver: HoldfastSaver, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "holdfast"):
        there_and_back(saver, [*OWN, *KNOWN])
    assert [record.getMessage() for record in caplog.records if record.name.startswith("holdfast")] == []


def test_it_saves_again_unchanged(opened) -> None:
    value = [Plan("pay", [Item("i"), Mood.CROSS, (1,)]), Form(fullName="Ada", plan=Plan("x"), more=[1])]  # type: ignore[call-arg]
    with Side(opened(), "sync") as knowing, Side(opened(types=[]), "sync") as ignorant:
        first = put(knowing.calls, {"a": value})
        passed_on = values(ignorant.calls)["a"]
        assert [isinstance(one, holdfast.Opaque) for one in passed_on] == [True, True]
        second = put(ignorant.calls, {"a": [*passed_on, "more"]}, parent=first, versions={"a": 2})
        ignorant.calls.put_writes(config("t", second, ""), [("a", passed_on[0])], "task")
        found = get(knowing.calls, second)
        assert found.checkpoint["channel_values"] == {"a": [*value, "more"]}
        assert found.pending_writes == [("task", "a", value[0])]


def test_a_graph_whose_state_class_was_renamed_loses_nothing(
    saver: HoldfastSaver, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its old value loads as it is, goes through the graph, and is itself again under the old name."""
    module = types.ModuleType("agent_" + new_id().replace("-", "_"))  # so that no other test has had it reported
    monkeypatch.setitem(sys.modules, module.__name__, module)
    old: Any = dataclasses.make_dataclass("Intent", [("goal", str), ("steps", list[str])])
    old.__module__ = module.__name__
    module.Intent = old  # type: ignore[attr-defined]

    class State(TypedDict, total=False):
        intent: Any
        lines: Annotated[list[Any], add]

    builder = StateGraph(State)
    builder.add_node("pass_on", lambda state: {"lines": [state["intent"]]})
    builder.add_edge(START, "pass_on")
    with Side(saver, "sync") as side:
        graph = side.graph(builder)
        graph.invoke({"intent": old("pay", ["search"]), "lines": ["first"]}, config())
        del module.Intent
        module.Purpose = old  # type: ignore[attr-defined]
        with caplog.at_level(logging.WARNING, "holdfast"):
            result = graph.invoke({"lines": ["second"]}, config())
        assert isinstance(result["intent"], holdfast.Opaque)
        assert (result["intent"].name, result["intent"].fields["goal"]) == (f"{module.__name__}.Intent", "pay")
        assert any(f"{module.__name__}.Intent" in record.getMessage() for record in caplog.records)
        module.Intent = old  # type: ignore[attr-defined]
        found = graph.get_state(config()).values
        assert found["intent"] == old("pay", ["search"])
        assert found["lines"] == ["first", old("pay", ["search"]), "second", old("pay", ["search"])]


def test_a_renamed_class_is_found_by_types(opened, monkeypatch: pytest.MonkeyPatch) -> None:
    """types= takes what holdfast.open takes: the old name, and the class that stands for it now."""
    with Side(opened(), "sync") as side:
        put(side.calls, {"a": Place("here")})
    with Side(opened(types={f"{HERE}.Place": Item}), "sync") as side:
        assert values(side.calls)["a"] == Item("here")


@pytest.mark.parametrize("kind", ["model", "dataclass"])
def test_a_pydantic_state_continues_when_a_class_inside_it_is_gone(saver: HoldfastSaver, kind: str) -> None:
    """Renamed, moved, or local to a function as here: pydantic builds the class that the state names now."""

    def graph(goal_of: Any) -> Any:
        if kind == "model":
            cls: Any = pydantic.create_model("Model", goal=(str, ...), steps=(list[Any], []))
        else:
            cls = dataclasses.make_dataclass("Data", [("goal", str), ("steps", list[Any])])
        state_class: Any = pydantic.create_model("State", plan=(cls, ...), plans=(Annotated[list[cls], add], []))

        def extend(state: Any) -> Any:
            assert {type(plan) for plan in (state.plan, *state.plans)} == {cls}
            return {"plans": [cls(goal=goal_of(state), steps=[state.plan])]}

        builder = StateGraph(state_class)
        builder.add_node("extend", extend)
        builder.add_edge(START, "extend")
        return builder.compile(checkpointer=saver), cls

    first, cls = graph(lambda state: state.plan.goal)
    first.invoke({"plan": cls(goal="pay", steps=[])}, config())
    later, _ = graph(lambda state: f"after {state.plans[-1].goal}")
    result = later.invoke({"plans": []}, config())
    assert [plan["goal"] if isinstance(plan, dict) else plan.goal for plan in result["plans"]] == ["pay", "after pay"]
    before = first.get_state(config()).values["plans"][0]
    assert (before.fields["goal"], before.fields["steps"][0]["goal"]) == ("pay", "pay")


def test_a_diff_names_its_fields_as_those_of_an_object(saver: HoldfastSaver) -> None:
    gone = dataclasses.make_dataclass("Gone", [("goal", str)])
    with Side(saver, "sync") as side:
        first = put(side.calls, {"plan": gone("pay")})
        second = put(side.calls, {"plan": gone("refund")}, parent=first, versions={"plan": 2})
    thread = saver.store.thread("t")
    assert [change.path for change in thread.diff(first, second)] == ["plan.goal"]
