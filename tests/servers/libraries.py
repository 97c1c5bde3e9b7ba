"""Libraries of the tests' own, compiled from C, that stand between a process and the system by LD_PRELOAD."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


def compiled(source: Path, folder: Path) -> Path:
    """The library. Where nothing can compile it, the tests that need it are skipped, but never in CI."""
    if not sys.platform.startswith("linux"):
        pytest.skip(f"{source.name} needs Linux: it replaces system calls by LD_PRELOAD")
    compiler = _compiler()
    if compiler is None:
        message = f"no C compiler: install gcc to run the tests that need {source.name}"
        assert not os.environ.get("CI"), message
        pytest.skip(message)
    library = folder / source.with_suffix(".so").name
    subprocess.run(
        [compiler, "-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o", str(library), str(source)], check=True
    )
    return library


def _compiler() -> str | None:
    found = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if found is None and shutil.which("apt-get") and os.geteuid() == 0:
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run(["apt-get", "update", "-qq"], check=False, **quiet)  # type: ignore[call-overload]
        subprocess.run(["apt-get", "install", "-y", "-qq", "gcc", "libc6-dev"], check=False, **quiet)  # type: ignore[call-overload]
        found = shutil.which("gcc")
    return found
