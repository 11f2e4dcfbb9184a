"""The catalogue of mistakes: what users write, and the exact message that they get.

A file of ``tests/messages/`` has entries: a title after ``===``, the mistake, ``---`` and the
message. ``ein.txt`` has programs in Python, ``tools.txt`` command lines, and ``text.txt`` IR for
``ein-opt``. After a change of messages::

    python -m tests.unit.test_message_catalogue

writes the messages anew. Read the difference before you keep it: a message names the given form,
its place, the expected form and the remedy.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import io
import linecache
import math
import os
import shlex
import tempfile
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ein_mlir
from ein_mlir.frontend.values import Value
from ein_mlir.tools import ein_opt, ein_run

FOLDER = Path(__file__).parents[1] / "messages"
FILE = "mistake.py"
"""The name of a program in messages."""


@dataclass(frozen=True)
class Entry:
    """A mistake and its message."""

    title: str
    mistake: str
    message: str

    def __str__(self) -> str:
        return f"=== {self.title}\n{self.mistake}---\n{self.message}\n"


def entries_of(text: str) -> Iterator[Entry]:
    """The entries of a file; the message of a new one may be missing."""
    for part in text.split("=== ")[1:]:
        title, _, rest = part.partition("\n")
        mistake, _, message = rest.partition("---\n")
        yield Entry(title, mistake, message.rstrip("\n"))


# Running a mistake --------------------------------------------------------------------------------


def run_python(mistake: str) -> tuple[str, BaseException | None]:
    """The message for a program; its last expression is evaluated."""
    linecache.cache[FILE] = (len(mistake), None, mistake.splitlines(keepends=True), FILE)
    names: dict[str, Any] = {name: getattr(ein_mlir, name) for name in ein_mlir.__all__}
    names.update(np=np, math=math, builtins=builtins, random=ein_mlir.random)
    tree = ast.parse(mistake, FILE)
    last = tree.body[-1]
    try:
        if not isinstance(last, ast.Expr):
            exec(compile(tree, FILE, "exec"), names)
            return "no error", None
        tree.body.pop()
        exec(compile(tree, FILE, "exec"), names)
        value = eval(compile(ast.Expression(last.value), FILE, "eval"), names)
        if isinstance(value, Value):
            ein_mlir.evaluate(value)
    except Exception as error:
        return f"{type(error).__name__}: {error}", error
    return "no error", None


TWICE = """func.func @twice(%a: !phi.vec<f64>) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %b = phi.array (%i < %n) -> !phi.vec<f64> {
    %x = phi.get %a[%i] : !phi.vec<f64>[index]
    %y = arith.addf %x, %x : f64
    phi.yield %y : f64
  }
  func.return %b : !phi.vec<f64>
}
"""

FILES = {
    "twice.mlir": TWICE,
    "two.mlir": TWICE + TWICE.replace("twice", "again"),
    "empty.mlir": "",
    "private.mlir": TWICE.replace("func.func", "func.func private"),
    "notes.txt": TWICE,
    "a.csv": "1,2\n",
    "broken.npy": "1,2\n",
    "broken.npz": "1,2\n",
    "empty.npy": "",
    "call.mlir": TWICE
    + """func.func @main(%a: !phi.vec<f64>) -> !phi.vec<f64> {
  %b = func.call @twice(%a) : (!phi.vec<f64>) -> !phi.vec<f64>
  func.return %b : !phi.vec<f64>
}
""",
    "laws.mlir": """func.func @f(%a: f64) -> f64 attributes {ein.fastmath = "nsz"} {
  func.return %a : f64
}
""",
    "recursive.mlir": """func.func @f(%a: f64) -> f64 {
  %b = func.call @f(%a) : (f64) -> f64
  func.return %b : f64
}
""",
    "foreign.mlir": """func.func @f(%a: i64, %m: memref<2xi64>, %c: i1) -> i64 {
  scf.if %c {
    %i = arith.constant 0 : index
    memref.store %a, %m[%i] : memref<2xi64>
  }
  func.return %a : i64
}
""",
    "choice.mlir": """func.func @f(%x: f64) -> f64 {
  %c = arith.constant true
  %r = scf.if %c -> (f64) {
    scf.yield %x : f64
  } else {
    scf.yield %x : f64
  }
  func.return %r : f64
}
""",
    "both.mlir": """func.func @both(%a: !phi.vec<f64>) -> (!phi.vec<f64>, !phi.vec<f64>) {
  func.return %a, %a : !phi.vec<f64>, !phi.vec<f64>
}
""",
    "add.mlir": """func.func @add(%a: !phi.vec<f64>, %b: !phi.vec<f64>) -> i64 {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %m = phi.size %b, 0 : !phi.vec<f64>
  %k = phi.assert_eq %n, %m, "index i: size of a, size of b"
  func.return %k : i64
}
""",
    "emitpy.mlir": """func.func @f(%a: i64) -> i64 {
  %b = emitpy.literal 0 : i64
  func.return %a : i64
}
""",
}

ARRAYS = {
    "a": np.arange(3.0),
    "four": np.arange(4.0),
    "m": np.eye(2),
    "ints": np.arange(3),
    "objects": np.array([1, "x"], dtype=object),
}


def run_tool(mistake: str) -> tuple[str, None]:
    """The message of a tool, in a folder with `FILES` and `ARRAYS`."""
    tool, *arguments = shlex.split(mistake.removeprefix("$ "))
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for name, text in FILES.items():
            Path(name).write_text(text)
        for name, values in ARRAYS.items():
            np.save(name, values)
        return _said(ein_opt.main if tool == "ein-opt" else ein_run.main, arguments), None


def run_text(mistake: str) -> tuple[str, None]:
    """The message of ``ein-opt`` for a text."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("text.mlir").write_text(mistake)
        return _said(ein_opt.main, ["text.mlir"]), None


def _said(main: Callable[[list[str]], int | None], arguments: list[str]) -> str:
    """The last words of a tool on its standard error, without the usage line of argparse."""
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
        try:
            status = main(arguments)
        except SystemExit as error:
            status = error.code
    lines = [line.rstrip() for line in said.getvalue().splitlines()]
    if lines and lines[0].startswith("usage:"):
        lines = lines[-1:]
    return "\n".join(lines) if status else "no error"


RUNS: dict[str, Callable[[str], tuple[str, BaseException | None]]] = {
    "ein": run_python,
    "tools": run_tool,
    "text": run_text,
}

CATALOGUE = {
    (kind, entry.title): entry
    for kind in RUNS
    for entry in entries_of((FOLDER / f"{kind}.txt").read_text())
}


@pytest.mark.parametrize(("kind", "title"), CATALOGUE)
@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")  # xDSL leaves inputs open
def test_message(kind: str, title: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLUMNS", "200")
    entry = CATALOGUE[kind, title]
    for library in ("torch", "jax"):
        if f"import {library}" in entry.mistake:
            pytest.importorskip(library)
    found, error = RUNS[kind](entry.mistake)
    assert found == entry.message
    assert found != "no error"
    if isinstance(error, ein_mlir.EinError) and entry.mistake.splitlines()[-1].startswith("f("):
        _, *frames = [frame.filename == FILE for frame in traceback.extract_tb(error.__traceback__)]
        assert frames.count(False) <= 1, "the traceback has frames of this package"
        assert error.__context__ is None or error.__suppress_context__


def test_titles_are_distinct():
    texts = [(FOLDER / f"{kind}.txt").read_text() for kind in RUNS]
    assert len(CATALOGUE) == sum(text.count("=== ") for text in texts)


def regenerate() -> None:
    """Write all messages anew."""
    os.environ["COLUMNS"] = "200"
    for kind, run in RUNS.items():
        path = FOLDER / f"{kind}.txt"
        entries = list(entries_of(path.read_text()))
        renewed = [Entry(e.title, e.mistake, run(e.mistake)[0]) for e in entries]
        path.write_text("".join(map(str, renewed)))


if __name__ == "__main__":
    regenerate()
