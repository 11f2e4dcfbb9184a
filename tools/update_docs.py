"""Write the output of commands into README.md and docs/, or check that it is up to date.

A fenced block or a table that follows a line ``<!-- output of: COMMAND -->`` is the output of the
command. It runs in the repository root, and in this process, which loads the package once.

    python tools/update_docs.py           # rewrite the blocks
    python tools/update_docs.py --check   # fail if one is out of date
"""

from __future__ import annotations

import argparse
import difflib
import io
import re
import runpy
import shlex
import sys
from contextlib import chdir, redirect_stdout
from functools import cache
from pathlib import Path

from ein_mlir.tools import ein_opt

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(
    r"(?P<head><!-- output of: (?P<command>[^\n]+) -->\n+```\w*\n).*?(?P<tail>^```$)",
    re.DOTALL | re.MULTILINE,
)
TABLE = re.compile(
    r"(?P<head><!-- output of: (?P<command>[^\n]+) -->\n+)(?:^\|[^\n]*\n)+(?P<tail>)", re.MULTILINE
)


def documents() -> list[Path]:
    """The documents that may hold such blocks."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@cache
def output_of(command: str) -> str:
    """The output of a command, which must succeed: a program of Python, or ``ein-opt``."""
    program, *arguments = shlex.split(command)
    shown, sys.argv = io.StringIO(), arguments if program == "python" else [program, *arguments]
    with chdir(ROOT), redirect_stdout(shown):
        if program == "python":
            runpy.run_path(arguments[0], run_name="__main__")
        elif program != "ein-opt" or ein_opt.main() != 0:
            raise SystemExit(f"'{command}' failed")
    return shown.getvalue().strip("\n") + "\n"


def updated(text: str) -> str:
    """A document with each block and table replaced by the output of its command."""
    for shown in (BLOCK, TABLE):
        text = shown.sub(lambda m: m["head"] + output_of(m["command"]) + m["tail"], text)
    return text


def main() -> None:
    """Rewrite or check all documents."""
    parser = argparse.ArgumentParser(description="Keep printed output in the documents true.")
    parser.add_argument("--check", action="store_true", help="change nothing, fail if out of date")
    check = parser.parse_args().check
    stale = False
    for document in documents():
        old = document.read_text()
        new = updated(old)
        if new == old:
            continue
        stale = True
        if check:
            name = str(document.relative_to(ROOT))
            lines = difflib.unified_diff(
                old.splitlines(), new.splitlines(), name, "current output", lineterm=""
            )
            print("\n".join(lines))
        else:
            document.write_text(new)
    if check and stale:
        raise SystemExit("out of date; run: python tools/update_docs.py")


if __name__ == "__main__":
    main()
