"""The `holdfast` command as a whole: what every command must have, and what starting it may cost."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from holdfast._version import __version__
from holdfast.cli.app import build, command_modules, command_name

REFERENCE = Path(__file__).parents[2] / "docs" / "reference" / "cli.md"
COMMANDS = [command_name(module) for module in command_modules()]


def holdfast(*arguments: str) -> subprocess.CompletedProcess[str]:
    return python("-m", "holdfast", *arguments)


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False, timeout=60)


def test_version_is_printed():
    done = holdfast("--version")
    assert (done.returncode, done.stdout) == (0, f"holdfast {__version__}\n")


def test_help_lists_every_command():
    shown = holdfast("--help").stdout
    assert COMMANDS
    assert [name for name in COMMANDS if name not in shown] == []


def test_help_shows_a_whole_sentence_for_each_command():
    lines = holdfast("--help").stdout.partition("Commands:\n")[2].splitlines()
    assert len(lines) == len(COMMANDS)
    assert [line for line in lines if not line.endswith(".") or line.endswith("...")] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_help_text(name):
    registered = {command.name: command.callback for command in build().registered_commands}
    callback = registered[name]
    assert callback is not None
    assert (callback.__doc__ or "").strip()


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_documented(name):
    assert f"## `holdfast {name}`" in REFERENCE.read_text(encoding="utf-8")


def test_a_documented_command_exists():
    headings = [line for line in REFERENCE.read_text(encoding="utf-8").splitlines() if line.startswith("## `holdfast ")]
    assert headings == [f"## `holdfast {name}`" for name in COMMANDS]


def test_starting_imports_nothing_heavy():
    script = (
        "import sys, holdfast.cli.app as app; app.build(); "
        "others = {name for name in sys.modules if name.partition('.')[0] != 'holdfast'}; "
        "print(len(others), *{'numpy', 'pydantic', 'attr', 'langchain_core'} & others)"
    )
    count, *heavy = python("-c", script).stdout.split()
    assert heavy == []
    assert int(count) < 230  # of other packages; modules of Holdfast are small and import fast


def test_without_typer_it_says_what_to_install():
    script = "import sys; sys.modules['typer'] = None; import holdfast.cli; holdfast.cli.main()"
    done = python("-c", script)
    assert done.returncode == 2
    assert done.stderr == "holdfast: the command line needs an extra: pip install 'holdfast[cli]'\n"


def test_without_arguments_it_shows_help():
    assert "Usage" in holdfast().stdout + holdfast().stderr
