"""The two façades say the same; the public names are complete; the suite hides none of its own tests."""

from __future__ import annotations

import asyncio
import inspect
import re
from pathlib import Path
from typing import Any

import pytest

import holdfast
from holdfast import AsyncJournal, AsyncRun, AsyncStore, AsyncThread, Journal, Run, Store, Thread, errors, testing
from holdfast.engine.checkpoints.save_fields import SaveFields
from holdfast.operations.arguments import OF_UPDATE, SaveArguments
from holdfast.testing import SharedRowContract, SharedStoreContract

PAIRS = [(Store, AsyncStore), (Thread, AsyncThread), (Journal, AsyncJournal), (Run, AsyncRun)]
TRANSLATED = {"aio": "sync", "__enter__": "__aenter__", "__exit__": "__aexit__"}
NEVER_AWAITED = {"within", "thread", "run", "inner"}  # no I/O
SPECIAL = {"__enter__", "__exit__", "__aenter__", "__aexit__", "__repr__", "__init__"}


def public(cls: type) -> dict[str, Any]:
    return {name: value for name, value in vars(cls).items() if not name.startswith("_") or name in SPECIAL}


def described(function: Any) -> list[tuple[str, Any, Any, str]]:
    """The whole signature, with annotations as they are written in the sync façade."""
    signature = inspect.signature(function)
    parameters = [(name, one.kind, one.default, as_sync(one.annotation)) for name, one in signature.parameters.items()]
    return [*parameters, ("return", None, None, as_sync(signature.return_annotation))]


def as_sync(annotation: Any) -> str:
    return re.sub(r"\bAsync(Store|Thread|Journal|Run)\b", r"\1", str(annotation))


def methods() -> list[Any]:
    return [
        pytest.param(one, other, name, id=f"{one.__name__}.{name}")
        for one, other in PAIRS
        for name, value in public(one).items()
        if inspect.isfunction(value)
    ]


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_both_have_the_same_names(one: type, other: type) -> None:
    assert {TRANSLATED.get(name, name) for name in public(one)} == set(public(other))


@pytest.mark.parametrize(("one", "other", "name"), methods())
def test_both_have_the_same_signature(one: type, other: type, name: str) -> None:
    sync, other_one = getattr(one, name), getattr(other, TRANSLATED.get(name, name))
    if name == "step":  # one takes functions that return a value, the other also those that are awaited for it
        assert [parameter[:3] for parameter in described(sync)] == [parameter[:3] for parameter in described(other_one)]
    else:
        assert described(sync) == described(other_one)


@pytest.mark.parametrize(("one", "other", "name"), methods())
def test_the_async_one_is_a_coroutine_and_the_sync_one_is_not(one: type, other: type, name: str) -> None:
    awaited = name not in NEVER_AWAITED | {"__init__", "__repr__"}
    assert not inspect.iscoroutinefunction(getattr(one, name))
    assert inspect.iscoroutinefunction(getattr(other, TRANSLATED.get(name, name))) is awaited


@pytest.mark.parametrize(("one", "other", "name"), methods())
def test_both_have_the_same_docstring(one: type, other: type, name: str) -> None:
    said = getattr(one, name).__doc__
    assert said == getattr(other, TRANSLATED.get(name, name)).__doc__
    assert said or name in SPECIAL


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_both_have_the_same_properties(one: type, other: type) -> None:
    def properties(cls: type) -> set[str]:
        return {TRANSLATED.get(name, name) for name, value in vars(cls).items() if isinstance(value, property)}

    assert properties(one) == properties(other)


def defaults(function: Any, *others: str) -> dict[str, Any]:
    """The defaults of the keywords that a save's record has."""
    parameters = list(inspect.signature(function).parameters.values())
    return {one.name: one.default for one in parameters[2:] if one.name not in others}


@pytest.mark.parametrize("thread", [Thread, AsyncThread])
def test_the_record_of_a_save_has_the_keywords_of_a_save(thread: type) -> None:
    assert defaults(vars(thread)["save"], "extra") == SaveArguments()._asdict()
    assert SaveFields._fields[: len(SaveArguments._fields)] == SaveArguments._fields
    updated = defaults(vars(thread)["update"], "reduce")
    assert updated == {name: value for name, value in OF_UPDATE._asdict().items() if name in updated}


def test_open_and_aopen_take_the_same() -> None:
    assert described(holdfast.open)[:-1] == described(holdfast.aopen)[:-1]


def test_copy_and_acopy_take_the_same() -> None:
    assert described(holdfast.copy) == described(holdfast.acopy)
    assert holdfast.copy.__doc__ == holdfast.acopy.__doc__


async def use_all_ways(url: str) -> list[int]:
    found = []
    opened = await holdfast.aopen(url)
    async with opened as store:
        found.append((await store.thread("t").save({})).seq)
    async with holdfast.aopen(url) as store:
        found.append((await store.thread("t").save({})).seq)
        found.append(store.sync.thread("t").save({}).seq)
        found.append((await store.sync.aio.thread("t").save({})).seq)
    return found


def test_a_store_is_awaited_or_entered_and_the_other_facade_is_the_same_store(tmp_path: Any) -> None:
    assert asyncio.run(use_all_ways(str(tmp_path / "agents.db"))) == [1, 2, 3, 4]


# ------------------------------------------------------------------------------------------------ errors and names


def all_errors() -> list[type]:
    return [value for value in vars(errors).values() if isinstance(value, type) and value.__module__ == errors.__name__]


def tree(cls: type, depth: int = 0) -> list[tuple[int, str]]:
    """The classes below, as (depth, name) in the order that they are written."""
    children = [one for one in all_errors() if cls in one.__bases__]
    return [(depth, cls.__name__), *(line for child in children for line in tree(child, depth + 1))]


@pytest.mark.parametrize("cls", all_errors(), ids=lambda cls: cls.__name__)
def test_every_error_is_exported_and_under_the_root(cls: type) -> None:
    assert getattr(holdfast, cls.__name__) is cls
    assert cls.__name__ in holdfast.__all__
    assert issubclass(cls, holdfast.HoldfastError)
    assert cls.__doc__


def test_the_docstring_shows_the_tree_of_errors() -> None:
    shown = []
    for line in (errors.__doc__ or "").splitlines():
        found = re.match(r"^    ([│├└─ ]*)([A-Z]\w+)", line)
        if found:
            shown.append((len(found[1]) // 4, found[2]))
    assert shown == tree(errors.HoldfastError)
    assert len(shown) == len(all_errors())


def test_every_public_name_is_exported() -> None:
    modules = {name for name, value in vars(holdfast).items() if inspect.ismodule(value)}
    names = {name for name in vars(holdfast) if not name.startswith("_")} - modules
    assert set(holdfast.__all__) == names | {"__version__"}


def test_public_names_are_sorted() -> None:
    constants = [name for name in holdfast.__all__ if name.isupper()]
    classes = [name for name in holdfast.__all__ if name[0].isupper() and not name.isupper()]
    others = [name for name in holdfast.__all__ if not name[0].isupper()]
    assert holdfast.__all__ == [*sorted(constants), *sorted(classes), *sorted(others)]


# ------------------------------------------------------------------------------------------------ the suite itself


@pytest.mark.parametrize("contract", [SharedStoreContract, SharedRowContract])
def test_no_test_of_the_suite_hides_another(contract: type) -> None:
    names = [name for cls in contract.__mro__ for name in vars(cls) if name.startswith("test_")]
    assert len(names) == len(set(names)) > 30


def test_pytest_explains_the_asserts_of_every_subject() -> None:
    """A package stands for all modules in it."""
    folder = Path(testing.__file__).parent
    subjects = {file.relative_to(folder).parts[0].removesuffix(".py") for file in folder.rglob("*.py")}
    assert set(testing._SUBJECTS) == subjects - {"__init__", "suite"}
