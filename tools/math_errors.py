"""Measure the errors of the functions that `expand-math` replaces, in units in the last place.

    python tools/math_errors.py            # print the table of docs/backends.md
    python tools/math_errors.py --points 2000 exp tanh

The exact values are those of mpmath.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.context import Context
from xdsl.dialects import math
from xdsl.parser import Parser
from xdsl.universe import XDSL_UNIVERSE

from ein_mlir.passes.loops.expand_math import FORMULAS, PARTIAL

DTYPES = {"f64": np.dtype(np.float64), "f32": np.dtype(np.float32)}

PROGRAM = """
func.func @f(%a: memref<?xTYPE>, %operands: memref<2xi64>) -> memref<?xTYPE> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %a, %c0 : memref<?xTYPE>
  %b = memref.alloc(%n) : memref<?xTYPE>
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %x = memref.load %a[%i] : memref<?xTYPE>
    %y = FUNCTION %x : TYPE
    memref.store %y, %b[%i] : memref<?xTYPE>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return %b : memref<?xTYPE>
}
"""


@dataclass(frozen=True)
class Domain:
    """The arguments that a function is measured on: intervals, and a scale of small numbers."""

    intervals: Sequence[tuple[float, float]]
    exact: str
    """The name of the function in mpmath."""


DOMAINS = {
    "cos": Domain([(-10.0, 10.0), (-1e5, 1e5), (-1e300, 1e300)], "cos"),
    "erf": Domain([(-6.0, 6.0), (-1.0, 1.0), (0.9, 1.1)], "erf"),
    "exp": Domain([(-745.0, 709.0), (-1.0, 1.0), (-90.0, 89.0)], "exp"),
    "expm1": Domain([(-45.0, 709.0), (-1.0, 1.0), (-3.0, 3.0)], "expm1"),
    "log": Domain([(0.0, 4.0), (0.9, 1.1), (0.0, 1e300)], "log"),
    "sin": Domain([(-10.0, 10.0), (-1e5, 1e5), (-1e300, 1e300)], "sin"),
    "tanh": Domain([(-22.0, 22.0), (-1.0, 1.0), (-0.01, 0.01)], "tanh"),
}
"""Name of a function in ``math`` -> its domain."""


def name_of(function: type[Any]) -> str:
    """The name of a function: that of its operation without the dialect."""
    return function.name.removeprefix(f"{math.Math.name}.")


NAMES = sorted(name_of(function) for function in (*FORMULAS, *PARTIAL))


def compiled(function: str, type: str) -> Callable[[Any], Any]:
    """A function of arrays, by machine code."""
    from ein_mlir.backends.native.machine import host
    from ein_mlir.backends.native.program import Binary
    from ein_mlir.backends.native.runtime import NativeFunction, library_of
    from ein_mlir.native import native_program

    context = Context()
    for dialect in ("arith", "builtin", "func", "math", "memref", "scf"):
        context.register_dialect(dialect, XDSL_UNIVERSE.all_dialects[dialect])
    text = PROGRAM.replace("TYPE", type).replace("FUNCTION", f"math.{function}")
    assembled = native_program(Parser(context, text).parse_module())
    binary = Binary(assembled.program, host().compile(assembled.texts))
    return NativeFunction(binary.program, "f", library_of(binary), {})


def arguments(function: str, type: str, points: int) -> Any:
    """Numbers in the domain: evenly spread, and of all magnitudes."""
    rng, dtype = np.random.default_rng(0), DTYPES[type]
    limits = np.finfo(dtype)
    parts = list[Any]()
    for low, high in DOMAINS[function].intervals:
        low, high = (max(min(x, float(limits.max)), float(limits.min)) for x in (low, high))
        parts.append(rng.uniform(low, high, points))
        scales = np.exp2(rng.uniform(limits.minexp - limits.nmant, np.log2(high), points))
        parts.append(scales * (1.0 if low >= 0.0 else rng.choice([-1.0, 1.0], points)))
    return np.concatenate(parts).astype(dtype)


def errors(function: str, type: str, x: Any, y: Any) -> Any:
    """The distance of each result from the exact one, in units in the last place of that."""
    import mpmath

    exact = getattr(mpmath, DOMAINS[function].exact)
    limits = np.finfo(DTYPES[type])
    found = np.zeros(len(x))
    with mpmath.workprec(200):
        for k, (argument, result) in enumerate(zip(x.tolist(), y.tolist(), strict=True)):
            true = exact(mpmath.mpf(argument))
            exponent = max(mpmath.frexp(true)[1] - 1, int(limits.minexp)) if true else limits.minexp
            unit = mpmath.ldexp(1, int(exponent) - int(limits.nmant))
            if np.isinf(result):
                found[k] = 0.0 if abs(true) > float(limits.max) else np.inf
            else:
                found[k] = float(abs(mpmath.mpf(result) - true) / unit)
    return found


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("functions", nargs="*", help="by default all")
    parser.add_argument("--points", type=int, default=20_000, help="in each part of a domain")
    given = parser.parse_args(argv)
    print("| function | f64: largest | f64: mean | f32: largest | f32: mean |")
    print("|---|---|---|---|---|")
    for name in given.functions or NAMES:
        cells = list[str]()
        for type_ in DTYPES:
            x = arguments(name, type_, given.points)
            found = errors(name, type_, x, compiled(name, type_)(x))
            cells += [f"{found.max():.3f}", f"{found.mean():.3f}"]
        print(f"| `{name}` | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
