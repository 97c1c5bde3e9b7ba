"""A pytest plugin that runs LangGraph's own tests on `HoldfastSaver`.

Most of LangGraph's tests get their checkpointer from two fixtures. For one parameter of these, "memory", the plugin
puts a `HoldfastSaver` in place of `InMemorySaver`; tests with another parameter, and tests without a checkpointer, are
left out. With ``--holdfast-own-savers`` it runs the tests that make their savers themselves instead: the classes that
they import are replaced before they do so.

The plugin is loaded by name: its folder is on the path, and `tests` is LangGraph's package here, not ours.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from holdfast.adapters.langgraph import HoldfastSaver

FIXTURES: Final = ("sync_checkpointer", "async_checkpointer")
REPLACED: Final = "_checkpointer_memory"
OPENERS: Final = "tests.conftest_checkpointer"
SAVERS: Final = {
    "langgraph.checkpoint.memory": ("InMemorySaver", "MemorySaver"),
    "langgraph.checkpoint.sqlite": ("SqliteSaver",),
    "langgraph.checkpoint.sqlite.aio": ("AsyncSqliteSaver",),
}
WHOLE_FILES: Final = ("test_delta_channel_", "test_memory.py", "test_prune_postgres")
"""Files whose tests make savers through helpers of theirs."""
SUPPORT: Final = Path(__file__).parents[1] / "support" / "postgres.py"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("holdfast")
    group.addoption("--holdfast-backend", choices=list(URLS), default="memory", help="where the savers store")
    group.addoption("--holdfast-single-writer", action="store_true", help="open the savers with single_writer=True")
    group.addoption("--holdfast-own-savers", action="store_true", help="run the tests that make their own savers")


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None, None, None]:
    if not early_config.known_args_namespace.holdfast_own_savers:
        yield
        return
    for module, names in SAVERS.items():
        for name in names:
            setattr(importlib.import_module(module), name, _stand_in(early_config, name))
    yield
    openers: Any = sys.modules.get(OPENERS)
    for name in [name for name in dir(openers) if name.startswith("_checkpointer_postgres")]:
        setattr(openers, name, _named(_async_opener if "aio" in name else _opener, name, early_config))


def pytest_sessionfinish() -> None:
    """Remove the folders of savers that their tests did not close."""
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    is_chosen = _makes_a_saver if config.getoption("holdfast_own_savers") else _is_given_a_saver
    left_out = [item for item in items if not is_chosen(item)]
    items[:] = [item for item in items if is_chosen(item)]
    config.hook.pytest_deselected(items=left_out)
    for plugin in config.pluginmanager.get_plugins():
        if hasattr(plugin, REPLACED):
            setattr(plugin, REPLACED, _opener(config))


def _parameters(item: pytest.Item) -> dict[str, Any]:
    return item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}


def _is_given_a_saver(item: pytest.Item) -> bool:
    given = _parameters(item)
    return "memory" in [given.get(name) for name in FIXTURES]


def _makes_a_saver(item: pytest.Item) -> bool:
    given = _parameters(item)
    if not isinstance(item, pytest.Function) or any(name in given for name in FIXTURES) or "redis" in given.values():
        return False
    names = [name for names in SAVERS.values() for name in names]
    return item.path.name.startswith(WHOLE_FILES) or any(name in inspect.getsource(item.function) for name in names)


# ------------------------------------------------------------------------------------------------ savers


def _opener(config: pytest.Config) -> Callable[[], Any]:
    given = config.known_args_namespace
    backend, single_writer = given.holdfast_backend, given.holdfast_single_writer

    @contextmanager
    def opened() -> Iterator[HoldfastSaver]:
        folder = Path(tempfile.mkdtemp(prefix="holdfast-suite-"))
        folders.append(folder)
        try:
            with HoldfastSaver.from_url(URLS[backend](folder), single_writer=single_writer) as saver:
                yield saver
        finally:
            if backend == "postgresql":
                _postgres().schemas.release(folder)
            shutil.rmtree(folder, ignore_errors=True)

    return opened


def _async_opener(config: pytest.Config) -> Callable[[], Any]:
    opened = _opener(config)

    @asynccontextmanager
    async def opened_async() -> AsyncIterator[HoldfastSaver]:
        with opened() as saver:
            yield saver

    return opened_async


def _named(make: Callable[[pytest.Config], Any], name: str, config: pytest.Config) -> Any:
    """An opener under the name of the one that it replaces: tests are named after it."""
    made = make(config)
    made.__name__ = name
    return made


def _stand_in(config: pytest.Config, name: str) -> type:
    """A class that is called as a saver of LangGraph's is, and makes a saver on a store of its own."""
    opened = _opener(config)

    class StandIn(HoldfastSaver):
        def __init__(self) -> None:
            self._opened = opened()
            super().__init__(
                self._opened.__enter__().store, single_writer=config.known_args_namespace.holdfast_single_writer
            )

        def __del__(self) -> None:
            self._opened.__exit__(None, None, None)

    StandIn.from_conn_string = staticmethod(  # type: ignore[assignment]
        (lambda _: _async_opener(config)()) if name.startswith("Async") else (lambda _: opened())
    )
    StandIn.__name__ = StandIn.__qualname__ = name
    return StandIn


_loaded: list[Any] = []
folders: list[Path] = []


def _postgres() -> Any:
    """Holdfast's own `tests/support/postgres.py`, loaded by its path."""
    if not _loaded:
        spec = importlib.util.spec_from_file_location("holdfast_support_postgres", SUPPORT)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        _loaded.append(module)
    return _loaded[0]


URLS: Final[dict[str, Callable[[Path], str]]] = {
    "memory": lambda folder: "memory:",
    "sqlite": lambda folder: f"sqlite:{folder / 'agents.db'}",
    "files": lambda folder: f"file:{folder / 'agents'}",
    "postgresql": lambda folder: str(_postgres().schemas.url(folder)),
}
