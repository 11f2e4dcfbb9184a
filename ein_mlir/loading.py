"""Emitted source as a function: it runs with no other builtins than emitted programs use.

Every name in emitted source is from a closed vocabulary already, ``dialects/emitpy/names.py``. This
is a second barrier: no source finds ``open`` or ``eval``, or imports another module than those of
its library.
"""

from __future__ import annotations

import ast
import builtins
import linecache
import re
import weakref
from collections.abc import Callable, Iterator, Mapping
from inspect import unwrap
from itertools import count
from opcode import opmap
from types import CodeType
from typing import Any

from ein_mlir.dialects.emitpy.names import BUILTINS, EXCEPTIONS, LIBRARIES
from ein_mlir.host import syntax
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
        *(
            "bisect",
            "functools",
            "itertools",
            "jax",
            "jax.core",
            "math",
            "operator",
            "scipy.special",
        ),
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
    counts = describe is not None and _may_loop(source, name)
    parsed = syntax.parse(source, filename) if counts else source
    namespace: dict[str, Any] = {**externs, "__builtins__": available_builtins()}
    if isinstance(parsed, ast.Module) and describe and compare_steps(parsed, name):

        def stop_counting() -> None:
            unwrap(namespace[name]).__code__ = _code(source, filename, name)

        namespace[REPORT] = reporter(describe, stop_counting)
    code = syntax.compiled(parsed, filename)
    _check_imports(code)
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    exec(code, namespace)
    function = namespace[name]
    weakref.finalize(function, linecache.cache.pop, filename, None)
    return function


def _may_loop(source: str, name: str) -> bool:
    """Whether a line of a function, or of one after it, begins a loop: many programs have none."""
    _, _, body = source.partition(f"def {name}(")
    return _LOOP.search(body) is not None


_LOOP = re.compile(r"^\s+(for|while)\b", re.MULTILINE)


def _code(source: str, filename: str, name: str) -> CodeType:
    """The code of a function of a source."""
    constants = syntax.compiled(source, filename).co_consts
    return next(x for x in constants if isinstance(x, CodeType) and x.co_name == name)


def available_builtins() -> dict[str, Any]:
    """The builtins of emitted source, by name.

    Libraries written in C import their own modules by the ``__import__`` of their caller.
    """
    names = ("__import__", *BUILTINS, *EXCEPTIONS, *OF_PRELUDES)
    return {name: getattr(builtins, name) for name in names}


def _check_imports(code: CodeType) -> None:
    """Raise ImportError for a module that emitted programs do not import.

    It is in the compiled code, where names are as Python normalises them.
    """
    for module in _imported(code):
        if module not in MODULES:
            raise ImportError(f"emitted programs import no module '{module}'")
    for part in code.co_consts:
        if isinstance(part, CodeType):
            _check_imports(part)


def _imported(code: CodeType) -> Iterator[str]:
    """The modules that code imports, by statements or by a function."""
    yield from {"__import__"}.intersection((*code.co_names, *code.co_varnames))
    operations = code.co_code[::2]
    if _IMPORT not in operations:
        return
    argument = 0
    for operation, byte in zip(operations, code.co_code[1::2], strict=True):
        argument = argument << 8 | byte
        if operation == _IMPORT:
            yield code.co_names[argument]
        if operation != _EXTENDED:
            argument = 0


_IMPORT, _EXTENDED = opmap["IMPORT_NAME"], opmap["EXTENDED_ARG"]
"""Instructions of Python: two bytes each. The second extends the argument of the next one."""
