"""Evaluation: compiling and running the program of an expression on the arrays that it reads."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ein_mlir.errors import EinTypeError
from ein_mlir.frontend.expr import Expr
from ein_mlir.frontend.records import parts_of
from ein_mlir.frontend.structure import restore
from ein_mlir.host.arrays import library_of
from ein_mlir.host.locations import at


def run(expr: Expr, backend: str | None = None) -> Any:
    """The value of an expression; ``backend`` is by default that of the wrapped arrays in it."""
    from ein_mlir.compiler import compile_traced
    from ein_mlir.frontend.lowering import lower

    lowered = lower(expr)
    arrays = [node.array for node in lowered.inputs]
    chosen = backend or backend_of(arrays)
    compiled = compile_traced(lowered.module, "main", chosen, lowered.externs)
    return restore(expr.type, compiled(*arrays))


def backend_of(values: Iterable[Any]) -> str:
    """The backend of the arrays among some values and in the fields of records."""
    chosen = "numpy"
    for value in values:
        library = library_of(value)
        if library is None and not is_empty(value) and (parts := parts_of(value)):
            library = backend_of(parts.values)
        if library not in (None, "numpy", chosen):
            if chosen != "numpy":
                raise EinTypeError(f"arrays of {chosen} and of {library} do not mix{at()}")
            chosen = library
    return chosen


def is_empty(value: Any) -> bool:
    """Whether a value is that of ``*args`` without arguments."""
    return value.__class__ is tuple and not value
