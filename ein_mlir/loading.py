"""Emitted source as a function: it runs with no other builtins than emitted programs use.

Every name in emitted source is from a closed vocabulary already, ``dialects/emitpy/names.py``. This
is a second barrier: no source finds ``open`` or ``eval``, or imports another module than those of
its library.
"""

from __future__ import annotations

import ast
import builtins
import linecache
import weakref
from collections.abc import Callable, Iterator, Mapping
from inspect import unwrap
from itertools import count
from types import CodeType
from typing import Any

from ein_mlir.dialects.emitpy.names import BUILTINS, EXCEPTIONS, LIBRARIES
from ein_mlir.long_loops import REPORT, compare_steps, reporter

OF_PRELUDES = frozenset(
    (
        *("abs", "all", "any", "bool", "dict", "enumerate", "float", "getattr", "int"),
        *("isinstance", "len", "list", "map", "max", "min", "range", "reversed", "set"),
        *("slice", "sorted", "sum", "tuple", "zip", "ImportError", "OverflowError"),
        *("RuntimeError", "TypeError"),
    )
)
"""The builtins that helpers and loops use, in addition to those of emitpy."""

MODULES = frozenset(
    (
        *(library.module for library in LIBRARIES.values()),
        *("functools", "itertools", "jax", "jax.core", "math", "operator", "scipy.special"),
    )
)
"""The modules that emitted source imports."""

_serial = count()


def load_source(
    source: str,
    name: str,
    externs: Mapping[str, Callable[..., Any]],
    describe: Callable[[int, int], str] | None = None,
) -> Callable[..., Any]:
    """The function ``name`` of emitted source, which is executed once.

    If ``describe`` is given, the function warns about a long loop, with the text that it makes; the
    calls after the one that warns count no steps.
    Tracebacks and debuggers find its lines in ``linecache``, as long as the function exists.
    """
    filename = f"<ein_mlir:{name}:{next(_serial)}>"
    tree = ast.parse(source, filename)
    _check_imports(tree, source)
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    namespace: dict[str, Any] = {**externs, "__builtins__": available_builtins()}
    if describe is not None and compare_steps(tree, name):

        def stop_counting() -> None:
            unwrap(namespace[name]).__code__ = _code(source, filename, name)

        namespace[REPORT] = reporter(describe, stop_counting)
    exec(compile(tree, filename, "exec"), namespace)
    function = namespace[name]
    weakref.finalize(function, linecache.cache.pop, filename, None)
    return function


def _code(source: str, filename: str, name: str) -> CodeType:
    """The code of a function of a source."""
    constants = compile(source, filename, "exec").co_consts
    return next(x for x in constants if isinstance(x, CodeType) and x.co_name == name)


def available_builtins() -> dict[str, Any]:
    """The builtins of emitted source, by name.

    Libraries written in C import their own modules by the ``__import__`` of their caller.
    """
    names = ("__import__", *BUILTINS, *EXCEPTIONS, *OF_PRELUDES)
    return {name: getattr(builtins, name) for name in names}


def _check_imports(tree: ast.Module, source: str) -> None:
    """Raise ImportError for a module that emitted programs do not import.

    Expressions import by a function only, whose name is in the source: Python normalises names that
    are not ASCII.
    """
    has_statements_only = source.isascii() and "__import__" not in source
    for node in _statements(tree) if has_statements_only else ast.walk(tree):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules = [node.module or ""]
        else:
            modules = ["__import__"] if getattr(node, "id", "") == "__import__" else []
        for module in modules:
            if module not in MODULES:
                raise ImportError(f"emitted programs import no module '{module}'")


def _statements(tree: ast.Module) -> Iterator[ast.AST]:
    """All statements, with the handlers and cases that they are in."""
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        yield node
        for name in _BODIES:
            pending.extend(getattr(node, name, ()))


_BODIES = ("body", "orelse", "finalbody", "handlers", "cases")
"""The fields of a statement with others."""
