"""The programs of a file: a module of IR, or the Ein functions of a Python file."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any, cast

from xdsl.dialects.builtin import ModuleOp

from ein_mlir.entry import parse
from ein_mlir.errors import EinError
from ein_mlir.frontend.function import Function
from ein_mlir.host.dataclass import dataclass


@dataclass(frozen=True)
class Program:
    """A program to explore: its module, and the Python file that it was traced from, if any."""

    name: str
    module: ModuleOp
    python: str = ""
    file: str = ""


def programs_of(path: Path) -> list[Program]:
    """The programs of a file; raises EinError if it has none.

    A Python file runs once, as ``python FILE`` would, under another name than ``__main__``. Its
    functions are traced for the types of their annotations.
    """
    if path.suffix == ".py":
        return _traced(path)
    return [Program(path.name, parse(path.read_text(encoding="utf-8"), path.name))]


def _traced(path: Path) -> list[Program]:
    source = path.read_text(encoding="utf-8")
    names = runpy.run_path(str(path), run_name="ein_explore")
    functions = {
        name: cast("Function[..., Any]", value)
        for name, value in names.items()
        if isinstance(value, Function)
    }
    if not functions:
        raise EinError(f"{path.name} defines no function under @function")
    programs, mistakes = list[Program](), list[str]()
    for name, function in functions.items():
        try:
            programs.append(Program(name, function.phi(), source, str(path)))
        except EinError as error:
            mistakes.append(f"{name}: {error}")
    if not programs:
        raise EinError("\n".join(["no function could be traced; annotate parameters:", *mistakes]))
    return programs
