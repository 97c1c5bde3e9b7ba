"""LangGraph's own conformance suite: every capability and each of its checks, the optional ones too.

The suite calls only the async methods. `SyncAsAsync` answers those with the sync ones, so both halves are held to it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from importlib import import_module
from typing import Any

import pytest
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.conformance.capabilities import Capability, DetectedCapabilities

from holdfast.adapters.langgraph import HoldfastSaver

Check = Callable[[Any], Coroutine[Any, Any, None]]


def checks(capability: Capability) -> list[Check]:
    spec = import_module(f"langgraph.checkpoint.conformance.spec.test_{capability.value}")
    found: list[Check] = getattr(spec, f"ALL_{capability.name}_TESTS")
    return found


CHECKS = [(capability, check) for capability in Capability for check in checks(capability)]


class SyncAsAsync(BaseCheckpointSaver[Any]):
    """The sync methods of a saver, under the names of the async ones."""

    def __init__(self, saver: BaseCheckpointSaver[Any]) -> None:
        super().__init__()
        self._saver = saver

    async def aget_tuple(self, config: Any) -> Any:
        return self._saver.get_tuple(config)

    async def alist(self, config: Any, **options: Any) -> AsyncIterator[Any]:
        for found in self._saver.list(config, **options):
            yield found

    async def aput(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
        return self._saver.put(config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self, config: Any, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        self._saver.put_writes(config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        self._saver.delete_thread(thread_id)

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        self._saver.delete_for_runs(run_ids)

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        self._saver.copy_thread(source_thread_id, target_thread_id)

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        self._saver.prune(thread_ids, strategy=strategy)

    async def aget_delta_channel_history(self, *, config: Any, channels: Sequence[str]) -> Mapping[str, Any]:
        return self._saver.get_delta_channel_history(config=config, channels=channels)


@pytest.fixture(params=["sync", "async"])
def half(request: pytest.FixtureRequest, saver: HoldfastSaver) -> BaseCheckpointSaver[Any]:
    return SyncAsAsync(saver) if request.param == "sync" else saver


def test_the_suite_is_whole() -> None:
    """A later version of the suite may add capabilities; each has a list of checks, and none is empty."""
    assert len(CHECKS) >= 81
    assert {capability for capability, _ in CHECKS} == set(Capability)


def test_every_capability_is_there(saver: HoldfastSaver) -> None:
    assert DetectedCapabilities.from_instance(saver).missing == frozenset()


SYNC = ["get_tuple", "list", "put", "put_writes", "delete_thread", "delete_for_runs", "copy_thread", "prune",
        "get_delta_channel_history"]  # fmt: skip


@pytest.mark.parametrize("name", [*SYNC, *("a" + name for name in SYNC), "get_next_version", "with_allowlist"])
def test_nothing_is_left_to_the_base_class(name: str) -> None:
    assert getattr(HoldfastSaver, name) is not getattr(BaseCheckpointSaver, name)


@pytest.mark.parametrize(
    "check", [check for _, check in CHECKS], ids=lambda check: check.__name__.removeprefix("test_")
)
def test_conforms(half: BaseCheckpointSaver[Any], check: Check) -> None:
    asyncio.run(check(half))
