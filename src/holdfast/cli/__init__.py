"""The `holdfast` command. What it needs beyond the library comes with the extra `cli`."""

from __future__ import annotations

import sys

_TOOLKIT = {"typer", "rich"}


def main() -> None:
    """Run the command line with the arguments of this process."""
    try:
        from holdfast.cli.app import run
    except ModuleNotFoundError as missing:
        if missing.name not in _TOOLKIT:
            raise
        print("holdfast: the command line needs an extra: pip install 'holdfast[cli]'", file=sys.stderr)
        sys.exit(2)
    run()
