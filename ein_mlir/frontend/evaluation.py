"""Evaluation: compiling and running the program of an expression on the arrays that it reads."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cache
from typing import Any

from ein_mlir.errors import EinTypeError, EinValueError
from ein_mlir.frontend.expr import Expr
from ein_mlir.frontend.records import parts_of
from ein_mlir.frontend.structure import restore
from ein_mlir.host.arrays import constant_in_traces, library_of
from ein_mlir.host.late_xdsl import load_xdsl
from ein_mlir.host.locations import at


def run(expr: Expr, backend: str | None = None) -> Any:
    """The value of an expression; ``backend`` is by default that of the wrapped arrays in it."""
    load_xdsl()
    from ein_mlir.bounds import with_place
    from ein_mlir.compiler import compile_traced
    from ein_mlir.frontend.lowering import lower

    lowered = lower(expr)
    arrays = [node.array for node in lowered.inputs]
    chosen = backend or backend_of(arrays)
    compiled = compile_traced(lowered.module, "main", chosen, lowered.externs)
    try:
        return restore(expr.type, compiled(*arrays))
    except Exception as error:
        raise with_place(error, lowered.module)  # noqa: B904


def backend_of(values: Iterable[Any], for_numpy: str | None = None) -> str:
    """The backend of the arrays among some values and in the fields of records.

    That of NumPy arrays is by default `numpy_backend`.
    """
    library = _library_of_all(values)
    return (for_numpy or numpy_backend()) if library == "numpy" else library


def _library_of_all(values: Iterable[Any]) -> str:
    """The library of the arrays among some values; by default NumPy."""
    chosen = "numpy"
    for value in values:
        library = library_of(value)
        if library is None and not is_empty(value) and (parts := parts_of(value)):
            library = _library_of_all(parts.values)
        if library not in (None, "numpy", chosen):
            if chosen != "numpy":
                raise EinTypeError(f"arrays of {chosen} and of {library} do not mix{at()}")
            chosen = library
    return chosen


# The backend of NumPy arrays --------------------------------------------------------------------

BACKEND_VARIABLE = "EIN_BACKEND"
"""The environment variable with the backend of NumPy arrays at the start."""
_NUMPY_BACKENDS = ("numpy", "native")


class _Default:
    """The backend of NumPy arrays, where a program names none."""

    def __init__(self) -> None:
        self.backend = _checked_backend(os.environ.get(BACKEND_VARIABLE) or "numpy")


def _checked_backend(backend: str) -> str:
    if backend not in _NUMPY_BACKENDS:
        names = " or ".join(_NUMPY_BACKENDS)
        raise EinValueError(f"the backend of NumPy arrays: expected {names}, got {backend!r}")
    return backend


@cache
def _default() -> _Default:
    return _Default()


@constant_in_traces
def numpy_backend() -> str:
    """The backend that NumPy arrays run on, where a program names none."""
    return _default().backend


def set_numpy_backend(backend: str) -> None:
    """Set the backend that NumPy arrays run on: ``numpy``, or ``native`` for machine code.

    It is for the process, and does not apply to functions that name their backend. The
    environment variable ``EIN_BACKEND`` sets it at the start.
    """
    _default().backend = _checked_backend(backend)


def is_empty(value: Any) -> bool:
    """Whether a value is that of ``*args`` without arguments."""
    return value.__class__ is tuple and not value
