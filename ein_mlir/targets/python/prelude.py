"""The preludes: helper functions whose source is part of emitted programs.

The prelude of a library is a package of ordinary functions, ``backends/numpy/prelude/`` for NumPy,
with a file for each topic, and has the helpers in ``backends/shared_prelude.py``, which call no
library. It is read as text, so that printing a program imports no library.
"""

from __future__ import annotations

import ast
import copy
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files

from ein_mlir.dialects.emitpy.names import LIBRARIES
from ein_mlir.host import syntax
from ein_mlir.host.dataclass import dataclass


@dataclass(frozen=True)
class Helper:
    """A function of a prelude."""

    source: str
    imports: tuple[str, ...]
    """The import statements that it needs."""
    helpers: tuple[str, ...]
    """The other helpers that it calls."""


class Prelude(Mapping[str, Helper]):
    """The helpers of a library by name, in their order; each is read when it is asked for."""

    def __init__(self, source: str) -> None:
        lines = source.splitlines()
        starts = [k for k, line in enumerate(lines) if _STATEMENT.match(line)]
        statements = [lines[a:b] for a, b in itertools.pairwise([*starts, len(lines)])]
        self._functions = {
            match[1]: lines for lines in statements if (match := _FUNCTION.match(lines[0]))
        }
        self._imports = {
            (alias.asname or alias.name): _import_line(alias)
            for line, *_ in statements
            if line.startswith("import ")
            for node in syntax.parse(line).body
            if isinstance(node, ast.Import)
            for alias in node.names
        }
        self._helpers = dict[str, Helper]()

    def __getitem__(self, name: str) -> Helper:
        if name not in self._helpers:
            self._helpers[name] = self._read(self._functions[name])
        return self._helpers[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._functions)

    def __len__(self) -> int:
        return len(self._functions)

    def _read(self, lines: Sequence[str]) -> Helper:
        (node,) = syntax.parse("\n".join(lines)).body
        assert isinstance(node, ast.FunctionDef)
        source = _without_annotations(lines, node)
        names = [inner for inner in ast.walk(syntax.parse(source)) if isinstance(inner, ast.Name)]
        own = {inner.arg for inner in ast.walk(node) if isinstance(inner, ast.arg)}
        own.update(name.id for name in names if isinstance(name.ctx, ast.Store))
        used = [name.id for name in names if name.id not in own]
        called = (name for name in used if name in self._functions and name != node.name)
        needed = (self._imports[name] for name in used if name in self._imports)
        return Helper(source, tuple(dict.fromkeys(needed)), tuple(dict.fromkeys(called)))


_STATEMENT = re.compile(r"\w|@|#|\"")
"""The first line of a statement of a module: others are indented, or end a bracket."""

_FUNCTION = re.compile(r"def (\w+)\(")


@cache
def prelude(library: str) -> Prelude:
    """The helpers of a library, given by its name in emitted code (``np``).

    Their order is that in which the package imports its files, and that within a file.
    """
    module = LIBRARIES[library].module.split(".")[0]
    backends = files("ein_mlir.backends")
    init = backends / module / "prelude" / "__init__.py"
    imports = syntax.parse(init.read_text(encoding="utf-8")).body
    topics = [node.module for node in imports if isinstance(node, ast.ImportFrom) and node.module]
    places = (topic.removeprefix("ein_mlir.backends.").replace(".", "/") for topic in topics)
    texts = (backends.joinpath(f"{place}.py") for place in places)
    return Prelude("\n".join(text.read_text(encoding="utf-8") for text in texts))


def _import_line(alias: ast.alias) -> str:
    return f"import {alias.name}" + (f" as {alias.asname}" if alias.asname else "")


def _without_annotations(lines: Sequence[str], node: ast.FunctionDef) -> str:
    """A function as it is written, except annotations and comments for type checkers."""
    written = list(lines)
    for inner in ast.walk(node):
        if isinstance(inner, ast.FunctionDef):
            header, *rest = range(inner.lineno - 1, inner.body[0].lineno - 1)
            written[header] = " " * inner.col_offset + _header(inner)
            for line in rest:
                written[line] = _DROPPED
        elif isinstance(inner, ast.AnnAssign) and inner.value is not None:
            line = written[inner.lineno - 1]
            target, value = line[: inner.target.end_col_offset], line[inner.value.col_offset :]
            written[inner.lineno - 1] = f"{target} = {value}"
    body = (line for line in written[node.lineno - 1 : node.end_lineno] if line is not _DROPPED)
    return "\n".join(re.sub(r"  # pyright: .*", "", line) for line in body)


_DROPPED = "\0"
"""The place of a line of a header that is written on one line."""


def _header(node: ast.FunctionDef) -> str:
    """``def f(x, y):``, without annotations."""
    arguments = copy.deepcopy(node.args)
    for argument in (*arguments.args, arguments.vararg, *arguments.kwonlyargs):
        if argument is not None:
            argument.annotation = None
    return f"def {node.name}({ast.unparse(arguments)}):"


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
    return {name: helpers[name] for name in helpers if name in found}
