"""One way to write a test for both façades: the async one is wrapped so that its calls block."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any, ClassVar, Final, TypeVar, cast

import pytest

import holdfast
from holdfast import AsyncJournal, AsyncRun, AsyncStore, AsyncThread, Checkpoint, CheckpointInfo, Store, Thread

T = TypeVar("T")
Opener = Callable[..., Store]
PATIENCE: Final = 60.0  # seconds, after which a call is taken to hang


class Loop:
    """An event loop in a thread of its own; a context manager that ends it."""

    def __enter__(self) -> Loop:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE)
        self._loop.close()

    def wait(self, coroutine: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(PATIENCE)


_WRAPPED: Final = (AsyncStore, AsyncThread, AsyncJournal, AsyncRun)


class Blocking:
    """Wraps an async object so that its calls block: an `AsyncStore` is used like a `Store`."""

    def __init__(self, target: Any, loop: Loop) -> None:
        self._target = target
        self._loop = loop

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._target, name)
        if not inspect.ismethod(found):
            return self._wrapped(found)

        def call(*args: Any, **kwargs: Any) -> Any:
            result = found(*args, **kwargs)
            return self._wrapped(self._loop.wait(result) if inspect.iscoroutine(result) else result)

        return call

    def _wrapped(self, value: Any) -> Any:
        return Blocking(value, self._loop) if isinstance(value, _WRAPPED) else value

    def __enter__(self) -> Blocking:
        self._loop.wait(self._target.__aenter__())
        return self

    def __exit__(self, *error: Any) -> bool | None:
        left: bool | None = self._loop.wait(self._target.__aexit__(*error))
        return left

    def __repr__(self) -> str:
        return f"Blocking({self._target!r})"


def open_sync(stack: ExitStack, url: str, **options: Any) -> Store:
    store = holdfast.open(url, **options)
    stack.callback(store.close)
    return store


def open_async(stack: ExitStack, url: str, **options: Any) -> Store:
    loop = stack.enter_context(Loop())

    async def opened() -> AsyncStore:
        return await holdfast.aopen(url, **options)

    store = Blocking(loop.wait(opened()), loop)
    stack.callback(lambda: store.close())
    return cast(Store, store)


def open_uncached(stack: ExitStack, url: str, **options: Any) -> Store:
    return open_sync(stack, url, cache=0, **options)


OPENERS: Final = {"sync": open_sync, "async": open_async, "uncached": open_uncached}


class StoreTests:
    """The base of all subjects: where the stores are, and the fixtures that open them."""

    modes: ClassVar[Sequence[str]] = tuple(OPENERS)
    """How the tests open their stores. A backend's author may leave out modes to save time."""

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        if "opened" in metafunc.fixturenames:
            metafunc.parametrize("opened", self.modes, indirect=True)

    def url(self, folder: Path) -> str:
        """The URL of a store in this empty folder. A backend's author writes this method."""
        raise NotImplementedError

    @pytest.fixture
    def opened(self, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opener]:
        """``opened()`` opens the test's store, again with each call; ``opened("b", types=[...])`` another store."""
        with ExitStack() as stack:

            def open_one(name: str = "a", **options: Any) -> Store:
                folder = tmp_path / name
                folder.mkdir(exist_ok=True)
                return OPENERS[request.param](stack, self.url(folder), **options)

            yield open_one

    @pytest.fixture
    def store(self, opened: Opener) -> Store:
        return opened()

    @pytest.fixture
    def thread(self, store: Store) -> Thread[dict[str, Any]]:
        return store.thread("main")


# ------------------------------------------------------------------------------------------------ words for tests

AnyThread = Thread[dict[str, Any]]


def grown(n: int) -> dict[str, Any]:
    """A state like an agent's: a counter, and a list so long that it is stored in rows of its own."""
    return {
        "n": n,
        "messages": [{"role": "user", "content": f"message {i}: " + "lorem ipsum " * 5} for i in range(n + 1)],
    }


def save_chain(thread: AnyThread, count: int, **fields: Any) -> list[CheckpointInfo]:
    """The states ``grown(0)``, ``grown(1)``, … as checkpoints, one after the other."""
    return [thread.save(grown(n), **fields) for n in range(count)]


def ids(found: list[CheckpointInfo]) -> list[str]:
    return [one.id for one in found]


def everything(thread: AnyThread) -> list[Checkpoint[dict[str, Any]]]:
    """Everything a thread shows in this namespace, with states and pending writes, newest first."""
    found = [thread.load(info.id) for info in thread.history(limit=None)]
    assert None not in found, "history() lists a checkpoint that load() does not find"
    return cast(list[Checkpoint[dict[str, Any]]], found)


def head(thread: Thread[Any]) -> Checkpoint[Any]:
    """The latest checkpoint, which must exist."""
    found = thread.latest()
    assert found is not None, f"{thread!r} has no checkpoint"
    return found


def loaded(thread: Thread[Any], checkpoint: CheckpointInfo | str) -> Checkpoint[Any]:
    """A checkpoint, which must exist."""
    wanted = checkpoint if isinstance(checkpoint, str) else checkpoint.id
    found = thread.load(wanted)
    assert found is not None, f"{thread!r} has no checkpoint {wanted!r}"
    return found


def at_once(workers: int, work: Callable[[int], T]) -> list[T]:
    """``work(0)``, ``work(1)``, … each in a thread, started at the same moment; the first error is raised."""
    start = threading.Barrier(workers)

    def one(number: int) -> T:
        start.wait(PATIENCE)
        return work(number)

    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(one, range(workers), timeout=PATIENCE))
