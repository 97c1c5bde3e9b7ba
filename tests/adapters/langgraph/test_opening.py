"""Opening and closing a saver: by URL, on a store, as either kind of context manager or none."""

from __future__ import annotations

import asyncio
from operator import add
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.graph import START, StateGraph

import holdfast
from holdfast.adapters.langgraph import HoldfastSaver
from tests.adapters.langgraph.driver import Side, checkpoint, config, get, ids, put, values


class Log(TypedDict, total=False):
    lines: Annotated[list[str], add]


def one_step() -> Any:
    builder = StateGraph(Log)
    builder.add_node("a", lambda state: {"lines": ["a"]})
    builder.add_edge(START, "a")
    return builder


@pytest.mark.parametrize("form", ["{}", "sqlite:{}"])
@pytest.mark.parametrize(
    "opening", [HoldfastSaver.from_url, HoldfastSaver.from_conn_string], ids=["url", "conn_string"]
)
def test_a_file_by_its_path_or_url(tmp_path: Path, opening: Any, form: str) -> None:
    path = tmp_path / "agents.db"
    with opening(form.format(path)) as saver, Side(saver, "sync") as side:
        put(side.calls, {"a": 1})
    assert path.exists()
    with HoldfastSaver.from_url(str(path)) as saver, Side(saver, "sync") as side:
        assert values(side.calls) == {"a": 1}


def test_memory_is_a_new_store_each_time() -> None:
    with HoldfastSaver.from_url("memory:") as one, HoldfastSaver.from_url("memory:") as other:
        with Side(one, "sync") as side:
            put(side.calls, {"a": 1})
        assert list(other.list(None)) == []


def test_it_is_a_saver_as_langgraph_knows_them(saver: HoldfastSaver) -> None:
    assert isinstance(saver, BaseCheckpointSaver)
    assert saver.config_specs == []
    assert one_step().compile(checkpointer=saver).checkpointer is saver


def test_a_serializer_that_would_be_ignored_is_refused(saver: HoldfastSaver) -> None:
    """Encryption that does nothing is worse than none: the file would be plain text."""
    before = saver.serde
    with pytest.raises(holdfast.InvalidArgument, match=r"ignore the serializer JsonPlusSerializer.*types=.*encrypt"):
        saver.serde = JsonPlusSerializer(pickle_fallback=True)
    assert saver.serde is before
    with pytest.raises(TypeError, match="serde"):
        HoldfastSaver(saver.store, serde=JsonPlusSerializer())  # type: ignore[call-arg]

    class Encrypted(HoldfastSaver):
        serde = JsonPlusSerializer(pickle_fallback=True)

    with pytest.raises(holdfast.InvalidArgument, match="ignore the serializer"):
        Encrypted(saver.store)


def test_without_a_context_manager(url: str) -> None:
    saver = HoldfastSaver.from_url(url)
    graph = one_step().compile(checkpointer=saver)
    result = graph.invoke({"lines": ["given"]}, config())
    assert graph.get_state(config()).values == result
    saver.close()


def test_as_a_sync_context_manager(url: str) -> None:
    with HoldfastSaver.from_url(url) as saver:
        result = one_step().compile(checkpointer=saver).invoke({"lines": ["given"]}, config())
    assert result["lines"] == ["given", "a"]
    with pytest.raises(holdfast.Closed):
        saver.get_tuple(config())


def test_as_an_async_context_manager(url: str) -> None:
    async def main() -> Any:
        async with HoldfastSaver.from_url(url) as saver:
            await one_step().compile(checkpointer=saver).ainvoke({"lines": ["given"]}, config())
            assert (await saver.aget(config())) is not None
        return saver

    saver = asyncio.run(main())
    with pytest.raises(holdfast.Closed):
        asyncio.run(saver.aget_tuple(config()))


def test_setup_is_called_or_awaited_or_left_out(url: str) -> None:
    """The other savers need it, and code that is moved over calls it: more than once is fine."""
    saver = HoldfastSaver.from_url(url)
    saver.setup()
    saver.setup()

    async def main() -> None:
        await saver.setup()
        await saver.aput(config(ns=""), checkpoint({"a": 1}), {}, {"a": 1})

    asyncio.run(main())
    assert saver.get(config()) is not None
    saver.close()


def test_closing_twice_is_fine(url: str) -> None:
    saver = HoldfastSaver.from_url(url)
    saver.close()
    saver.close()


@pytest.mark.parametrize("verb", ["get_tuple", "list", "delete_thread", "put", "put_writes", "prune", "copy_thread"])
def test_a_closed_saver_says_so(side: Side, verb: str) -> None:
    id = put(side.calls, {"a": 1})
    arguments: dict[str, Any] = {
        "get_tuple": (config(),),
        "list": (config(),),
        "delete_thread": ("t",),
        "put": (config(ns=""), checkpoint({"a": 2}), {}, {"a": 1}),
        "put_writes": (config("t", id, ""), [("a", 1)], "task"),
        "prune": (["t"],),
        "copy_thread": ("t", "u"),
    }
    assert isinstance(side.saver, HoldfastSaver)
    side.saver.close()
    with pytest.raises(holdfast.Closed):
        getattr(side.calls, verb)(*arguments[verb])


def test_a_saver_on_a_store_shares_it(url: str) -> None:
    with holdfast.open(url) as store:
        saver = HoldfastSaver(store)
        with Side(saver, "async") as side:
            id = put(side.calls, {"a": [1, 2]})
        found = store.thread("t").latest()
        assert found is not None
        assert (found.id, found.state["a"]) == (id, [1, 2])
        assert [info.id for info in saver.store.threads()] == ["t"]


def test_threads_that_langgraph_did_not_make_are_not_in_its_way(saver: HoldfastSaver) -> None:
    saver.store.thread("native").save({"n": 1}, id="zzz")
    with Side(saver, "sync") as side:
        id = put(side.calls, {"a": 1})
        assert id in ids(side.calls.list(None))
        assert ids(side.calls.list(config())) == [id]
        assert get(side.calls).checkpoint["id"] == id
    latest = saver.store.thread("native").latest()
    assert latest is not None
    assert latest.state == {"n": 1}


def test_the_stores_are_the_native_ones(saver: HoldfastSaver) -> None:
    assert isinstance(saver.store, holdfast.Store)
    assert isinstance(saver.astore, holdfast.AsyncStore)


def test_a_graph_continues_in_another_process(opened) -> None:
    """Closed and opened again between the turns, sync and async in turn."""
    for turn in range(4):
        saver = opened()
        with Side(saver, "async" if turn % 2 else "sync") as side:
            result = side.graph(one_step()).invoke({"lines": [f"turn {turn}"]}, config())
        saver.close()
    assert result["lines"] == [line for turn in range(4) for line in (f"turn {turn}", "a")]


def test_writes_that_wait_survive_closing(opened) -> None:
    saver = opened()
    made = checkpoint({"a": 1})
    saver.put_writes(config("t", made["id"], ""), [("a", 1)], "task")
    saver.close()
    with Side(opened(), "sync") as side:
        assert side.calls.get_tuple(config()) is None
        side.calls.put(config(ns=""), made, {}, {"a": 1})
        assert get(side.calls).pending_writes == [("task", "a", 1)]


@pytest.mark.parametrize("types", ["ab", ["ab"], {"old.Plan": "new.Plan"}, 5], ids=repr)
def test_types_that_are_no_classes_are_refused(types: Any, tmp_path: Path) -> None:
    with pytest.raises(holdfast.InvalidArgument, match="types "):
        HoldfastSaver.from_url(tmp_path / "agents.db", types=types)
    assert list(tmp_path.iterdir()) == []
    with holdfast.open("memory:") as store, pytest.raises(holdfast.InvalidArgument, match="types "):
        HoldfastSaver(store, types=types)
