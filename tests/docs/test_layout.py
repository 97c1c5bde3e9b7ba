"""The pages that describe the repository are true: folders, modules, make targets and the picture."""

from __future__ import annotations

import re
import runpy
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "holdfast"
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
TESTS = (ROOT / "tests" / "README.md").read_text("utf-8")
ARCHITECTURE = (ROOT / "docs" / "explanation" / "architecture.md").read_text("utf-8")
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
PICTURE = ROOT / "docs" / "pictures" / "architecture.py"

OWN_TARGETS = {"failover": "test-failover", "langgraph_suite": "test-langgraph-suite"}
"""Folders of tests/ that need more than the packages of the other tests, and the targets that run them."""

HELPERS = {"data", "servers", "support"}
"""Folders of tests/ that hold no tests."""

MOST_FILES = 13
"""In one package of the source: about what a reader takes in at a glance."""

ONE_EACH = {"backend", "errors", "migration", "salvage", "sql"}
"""Names of modules that each backend may have. No other name occurs twice."""


def packages() -> list[str]:
    """Every folder of the source with a module in it, as `engine/values/`. A package of one package needs no name."""
    folders = {file.parent for file in SOURCE.rglob("*.py") if file.name != "__init__.py"} - {SOURCE}
    return sorted(f"{folder.relative_to(SOURCE).as_posix()}/" for folder in folders)


def folders_of_tests() -> list[str]:
    return sorted(path.name for path in (ROOT / "tests").iterdir() if path.is_dir() and any(path.rglob("*.py")))


def named(page: str) -> Iterator[str]:
    """What a page names in the first column of its tables."""
    for row in re.findall(r"^\| (`.*?) \|", page, re.MULTILINE):
        yield from re.findall(r"`([^`]+)`", row)


@pytest.mark.parametrize("folder", packages())
def test_a_package_is_small(folder: str) -> None:
    modules = [file for file in (SOURCE / folder).glob("*.py") if file.name != "__init__.py"]
    assert len(modules) <= MOST_FILES or folder == "cli/commands/", "split it by ideas"


def test_no_module_name_occurs_twice() -> None:
    names = [file.stem for file in SOURCE.rglob("*.py") if file.stem != "__init__" and file.stem not in ONE_EACH]
    assert sorted(name for name in set(names) if names.count(name) > 1) == []


def test_adapters_may_import_nothing_of_the_engine_but_its_port() -> None:
    """The linter forbids what is listed: every module of the engine has to be."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    (adapters,) = [contract for contract in contracts if contract.get("source_modules") == ["holdfast.adapters"]]
    inside = {
        path.stem for path in (SOURCE / "engine").iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    missing = {f"holdfast.engine.{name}" for name in inside - {"__init__", "port"}} - {*adapters["forbidden_modules"]}
    assert missing == set()


@pytest.mark.parametrize("folder", packages())
def test_every_package_is_in_the_layout(folder: str) -> None:
    assert f"`{folder}`" in CONTRIBUTING, f"CONTRIBUTING.md does not name {folder}"


def test_the_layout_names_nothing_that_does_not_exist() -> None:
    layout = CONTRIBUTING.partition("## Layout")[2].partition("\n## ")[0]
    paths = [name for name in named(layout) if name.endswith(("/", ".py"))]
    assert paths
    assert [path for path in paths if not (SOURCE / path).exists()] == []


@pytest.mark.parametrize("folder", folders_of_tests())
def test_every_folder_of_tests_is_described(folder: str) -> None:
    assert f"`{folder}/" in TESTS, f"tests/README.md does not describe {folder}"


def test_the_page_of_tests_names_nothing_that_does_not_exist() -> None:
    modules = re.findall(r"`((?:\w+/)+\w+\.\w+|\w+/)`", TESTS)
    assert [path for path in modules if not (ROOT / "tests" / path).exists()] == []


@pytest.mark.parametrize("folder", [folder for folder in folders_of_tests() if folder not in HELPERS])
def test_every_folder_of_tests_has_a_target(folder: str) -> None:
    quick, slow = (re.search(rf"^{name} := (.*)$", MAKEFILE, re.MULTILINE) for name in ("QUICK", "SLOW"))
    assert quick
    assert slow
    assert folder in [*quick[1].split(), *slow[1].split()] or f"\n{OWN_TARGETS[folder]}: " in MAKEFILE


def test_make_test_leaves_out_what_the_pages_say() -> None:
    slow = re.search(r"^SLOW := (.*)$", MAKEFILE, re.MULTILINE)
    left_out = re.search(r"^norecursedirs = (\[.*\])", (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE)
    assert slow
    assert left_out
    folders = {*slow[1].split(), *OWN_TARGETS}
    assert set(re.findall(r'"(\w+)"', left_out[1])) == folders
    for page in (CONTRIBUTING, (ROOT / "README.md").read_text("utf-8")):
        assert folders <= set(re.findall(r"`tests/(\w+)`", page))


def test_ci_runs_what_make_test_leaves_out() -> None:
    ran = set(re.findall(r"test-[\w-]+", (ROOT / ".ci" / "run").read_text("utf-8")))
    assert ran >= {"test-faults", "test-lifecycle", "test-transfer", *OWN_TARGETS.values()}


def test_the_modules_of_the_architecture_page_exist() -> None:
    modules = set(re.findall(r"`([\w/]+\.py|[a-z_/]+/)`", ARCHITECTURE))
    assert len(modules) > 20
    assert [module for module in sorted(modules) if not (SOURCE / module).exists()] == []


def test_the_picture_is_what_its_source_draws() -> None:
    drawn: str = runpy.run_path(str(PICTURE))["drawn"]()
    again = "run: python docs/pictures/architecture.py"
    assert PICTURE.with_suffix(".svg").read_text("utf-8") == drawn, again
