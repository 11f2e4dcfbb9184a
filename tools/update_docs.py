"""Write the output of commands into README.md and docs/, or check that it is up to date.

A fenced block or a table that follows a line ``<!-- output of: COMMAND -->`` is the output of the
command. It runs in the repository root with the tools of this environment first on the path;
programs of Python run in this process, which loads the package once.

    python tools/update_docs.py           # rewrite the blocks
    python tools/update_docs.py --check   # fail if one is out of date
"""

from __future__ import annotations

import argparse
import difflib
import io
import os
import re
import runpy
import shlex
import subprocess
import sys
from collections.abc import Sequence
from contextlib import chdir, redirect_stdout
from functools import cache
from pathlib import Path

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
    """The output of a command, which must succeed."""
    program, *arguments = shlex.split(command)
    shown = output_of_python(arguments) if program == "python" else output_of_shell(command)
    return shown.strip("\n") + "\n"


def output_of_python(arguments: Sequence[str]) -> str:
    """The output of a program of Python, by its path and arguments."""
    shown, sys.argv = io.StringIO(), [*arguments]
    with chdir(ROOT), redirect_stdout(shown):
        runpy.run_path(arguments[0], run_name="__main__")
    return shown.getvalue()


def output_of_shell(command: str) -> str:
    """The output of a command in a process of its own."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    result = subprocess.run(
        command,
        shell=True,
        cwd=ROOT,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode:
        raise SystemExit(f"'{command}' failed:\n{result.stderr}")
    return result.stdout


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
