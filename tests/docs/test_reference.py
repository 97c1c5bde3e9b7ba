"""The reference is complete: every public name, method, argument, default and error is on its page."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path
from typing import Any

import pytest

import holdfast
from holdfast import errors
from holdfast.adapters.langgraph import HoldfastSaver

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
API = (REFERENCE / "api.md").read_text("utf-8")
ERRORS = (REFERENCE / "errors.md").read_text("utf-8")

# A name is described where it stands before the colon of a list's item, in a heading, or in the table of errors.
PLACES = re.findall(r"^(?:- (.*?):|#+ (.*)|\| (`\w+` \| .*) \|$|(`__version__`) is)", API, re.MULTILINE)
ENTRIES = set(re.findall(r"`([\w.]+)`", " ".join(part for place in PLACES for part in place)))
SIGNATURES = re.findall(r"^(\w+)(\(.*\))(?: -> .*)?$", API, re.MULTILINE)

CLASSES = (holdfast.Store, holdfast.Thread, holdfast.Journal, holdfast.Run)
METHODS = [
    (cls, name)
    for cls in (*CLASSES, HoldfastSaver)
    for name, member in vars(cls).items()
    if not name.startswith("_") and (inspect.isfunction(member) or isinstance(member, classmethod))
    if name.removeprefix("a") not in vars(cls) or not name.startswith("a")  # its twins for asyncio go without saying
    if name != "from_conn_string"  # the name that from_url has in other savers
]
PROPERTIES = [
    f"{cls.__name__}.{name}"
    for cls in (*CLASSES, HoldfastSaver)
    for name, member in vars(cls).items()
    if isinstance(member, property)
]
FUNCTIONS = [name for name in holdfast.__all__ if inspect.isfunction(getattr(holdfast, name))]
RAISED = [name for name in holdfast.__all__ if isinstance(getattr(errors, name, None), type)]


def arguments(function: Any) -> list[tuple[str, str, str]]:
    """Name, kind and default of each argument, as the code has them."""
    parameters = [one for one in inspect.signature(function).parameters.values() if one.name != "self"]
    return [(one.name, one.kind.name, _default(one.default)) for one in parameters]


def _default(value: Any) -> str:
    if value is inspect.Parameter.empty:
        return ""
    return value.__name__ if isinstance(value, type) else repr(value).removeprefix("holdfast.")


def written(signature: str) -> list[tuple[str, str, str]]:
    """The same, as the page has them."""
    (function,) = ast.parse(f"def f{signature}: ...").body
    assert isinstance(function, ast.FunctionDef)
    given = function.args
    places = [""] * (len(given.args) - len(given.defaults)) + [ast.unparse(one) for one in given.defaults]
    named = ["" if one is None else ast.unparse(one) for one in given.kw_defaults]
    return [
        *((one.arg, "POSITIONAL_OR_KEYWORD", default) for one, default in zip(given.args, places, strict=True)),
        *((one.arg, "VAR_POSITIONAL", "") for one in [given.vararg] if one is not None),
        *((one.arg, "KEYWORD_ONLY", default) for one, default in zip(given.kwonlyargs, named, strict=True)),
    ]


@pytest.mark.parametrize("name", holdfast.__all__)
def test_every_public_name_is_in_the_reference(name: str) -> None:
    assert name in ENTRIES, f"docs/reference/api.md does not describe holdfast.{name}"


@pytest.mark.parametrize("name", [*(f"{cls.__name__}.{name}" for cls, name in METHODS), *PROPERTIES])
def test_every_method_and_property_is_in_the_reference(name: str) -> None:
    assert name in ENTRIES, f"docs/reference/api.md does not describe {name}"


@pytest.mark.parametrize(("cls", "name"), METHODS, ids=[f"{cls.__name__}.{name}" for cls, name in METHODS])
def test_every_method_has_its_signature_in_the_reference(cls: type, name: str) -> None:
    found = [written(signature) for known, signature in SIGNATURES if known == name]
    assert arguments(getattr(cls, name)) in found, f"docs/reference/api.md has another signature for {name}"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_has_its_signature_in_the_reference(name: str) -> None:
    found = [written(signature) for known, signature in SIGNATURES if known == name]
    assert arguments(getattr(holdfast, name)) in found, f"docs/reference/api.md has another signature for {name}"


@pytest.mark.parametrize("name", RAISED)
def test_every_error_is_described_and_in_the_tree(name: str) -> None:
    assert re.search(rf"^[│├└─ ]*{name}\b", ERRORS, re.MULTILINE), f"errors.md: {name} is not in the tree"
    described = rf"^(\| `{name}` \||## `{name}`)" if name != "HoldfastError" else name
    assert re.search(described, ERRORS, re.MULTILINE), f"errors.md does not describe {name}"


def test_the_tree_of_errors_is_that_of_the_code() -> None:
    groups = re.findall(r"^[├└]── (\w+)", ERRORS, re.MULTILINE)
    assert groups == [cls.__name__ for cls in holdfast.HoldfastError.__subclasses__()]
    for group in groups:
        section = re.search(rf"^[├└]── {group}\n((?:[│ ]   [├└].*\n)*)", ERRORS, re.MULTILINE)
        assert section
        shown = re.findall(r"[├└]── (\w+)", section[1])
        assert shown == [cls.__name__ for cls in getattr(holdfast, group).__subclasses__()]


def test_the_table_of_errors_has_each_in_its_group() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.*) \|$", API.partition("\n## Errors\n")[2], re.MULTILINE)
    shown = {group: re.findall(r"`(\w+)`", names) for group, names in rows}
    groups = holdfast.HoldfastError.__subclasses__()
    assert shown == {group.__name__: [cls.__name__ for cls in group.__subclasses__()] for group in groups}


@pytest.mark.parametrize(
    ("function", "heading"),
    [
        (holdfast.open, "argument"),
        (holdfast.Thread.save, "argument of `save`"),
        (holdfast.Thread.run, "argument of `run`"),
    ],
    ids=["open", "Thread.save", "Thread.run"],
)
def test_every_argument_is_explained(function: Any, heading: str) -> None:
    table = re.search(rf"^\| {heading} \| meaning \|\n((?:\|.*\n)+)", API, re.MULTILINE)
    assert table
    explained = [name for row in re.findall(r"^\| (`.*?) \|", table[1], re.MULTILINE) for name in row.split(", ")]
    assert sorted(explained) == sorted(f"`{name}`" for name, *_ in arguments(function) if name != "url")
