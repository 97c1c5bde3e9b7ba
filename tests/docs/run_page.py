"""Runs the examples of one page, given as JSON on standard input, in the present folder.

The examples share one namespace. What each prints must be what the page shows; ``…`` there stands for any text within a
line. The first that differs ends the run, with its page and line on standard error.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import sys
import traceback
import types
from pathlib import Path
from typing import Any


def main() -> int:
    page = json.load(sys.stdin)
    module = types.ModuleType("example")  # classes that examples define are looked up in their module
    sys.modules["example"] = module
    sys.path.append(str(Path(page["page"]).parent))  # a page's programs lie beside it
    return next((1 for example in page["examples"] if not _passes(page, example, module)), 0)


def _passes(page: dict[str, Any], example: dict[str, Any], module: types.ModuleType) -> bool:
    place = f"{page['name']}:{example['line']}"
    printed = io.StringIO()
    code = "\n" * (example["line"] - 1) + example["code"]  # so that a traceback names the lines of the page
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(code, page["page"], "exec", dont_inherit=True), vars(module))  # noqa: S102  # what it is for
    except BaseException:
        sys.stderr.write(f"{place}: the example raised\n\n{traceback.format_exc()}")
        return False
    if _matches(example["output"], printed.getvalue()):
        return True
    sys.stderr.write(f"{place}: the page shows\n\n{example['output']}\nand the example printed\n\n{printed.getvalue()}")
    return False


def _matches(shown: str, printed: str) -> bool:
    pattern = ".*?".join(re.escape(part) for part in shown.strip("\n").split("…"))
    return re.fullmatch(pattern, printed.strip("\n")) is not None


if __name__ == "__main__":
    sys.exit(main())
