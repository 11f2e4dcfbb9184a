"""The preludes: helper functions whose source is part of emitted programs.

The prelude of a library is a module of ordinary functions, ``backends/numpy/prelude.py`` for NumPy.
It is read as text, so that printing a program imports no library.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from ein_mlir.dialects.emitpy.names import LIBRARIES


@dataclass(frozen=True)
class Helper:
    """A function of a prelude."""

    source: str
    imports: tuple[str, ...]
    """The import statements that it needs."""
    helpers: tuple[str, ...]
    """The other helpers that it calls."""


@cache
def prelude(library: str) -> dict[str, Helper]:
    """The helpers of a library, given by its name in emitted code (``np``), in their order."""
    module = LIBRARIES[library].module.split(".")[0]
    path = files(f"ein_mlir.backends.{module}") / "prelude.py"
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source)
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    imports = {
        (alias.asname or alias.name): _import_line(alias)
        for node in tree.body
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    return {name: _helper(source, node, functions, imports) for name, node in functions.items()}


def _import_line(alias: ast.alias) -> str:
    return f"import {alias.name}" + (f" as {alias.asname}" if alias.asname else "")


def _helper(
    source: str,
    node: ast.FunctionDef,
    functions: dict[str, ast.FunctionDef],
    imports: dict[str, str],
) -> Helper:
    _drop_annotations(node)
    used = [inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)]
    return Helper(
        _without_annotations(source, node),
        tuple(dict.fromkeys(imports[name] for name in used if name in imports)),
        tuple(dict.fromkeys(name for name in used if name in functions and name != node.name)),
    )


def _drop_annotations(node: ast.FunctionDef) -> None:
    node.returns = None
    for argument in (*node.args.args, *node.args.kwonlyargs):
        argument.annotation = None


def _without_annotations(source: str, node: ast.FunctionDef) -> str:
    """The source of a function without annotations and comments for type checkers."""
    lines = source.splitlines()[node.body[0].lineno - 1 : node.end_lineno]
    body = (re.sub(r"  # pyright: .*", "", line) for line in lines)
    return "\n".join((f"def {node.name}({ast.unparse(node.args)}):", *body))


def needed(library: str, names: Iterable[str]) -> dict[str, Helper]:
    """Helpers with all helpers that they call, in the order of the prelude.

    Raises KeyError for a name that the prelude does not have.
    """
    helpers, found, work = prelude(library), set[str](), list(names)
    while work:
        name = work.pop()
        if name not in found:
            found.add(name)
            work.extend(helpers[name].helpers)
    return {name: helper for name, helper in helpers.items() if name in found}
