"""The tests of the LangGraph packages that are installed: from their source archives, which hold them.

Archives come through pip, with the configuration that pip has on this machine, and stay in the environment's folder.
Only the tests are unpacked: what they test is what is installed.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
from importlib.metadata import version
from pathlib import Path
from typing import Final

FOLDER: Final = Path(sys.prefix) / "langgraph-suite"


def tests_of(package: str) -> Path:
    """The folder with the tests of the installed version of a package."""
    folder = FOLDER / f"{package}-{version(package)}"
    if not folder.exists():
        _unpack(_fetched(package, version(package)), folder)
    return folder


def _fetched(package: str, number: str) -> Path:
    """The source archive. Pip asks it for its metadata with the build tools that are installed."""
    archives = FOLDER / "archives"
    name = f"{package.replace('-', '_')}-{number}.tar.gz"
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--no-binary", ":all:", "--no-build-isolation", "--dest", str(archives), f"{package}=={number}"]
    subprocess.run(command, check=True)
    return archives / name


def _unpack(archive: Path, folder: Path) -> None:
    """The tests and the settings of pytest, complete or not at all."""
    unfinished = folder.with_name(f"{folder.name}.unfinished")
    with tarfile.open(archive) as opened:
        for member in opened.getmembers():
            path = Path(*Path(member.name).parts[1:])
            if member.isfile() and (path.parts[:1] == ("tests",) or path.name == "pyproject.toml"):
                opened.extract(member.replace(name=str(path)), unfinished, filter="data")
    unfinished.rename(folder)
