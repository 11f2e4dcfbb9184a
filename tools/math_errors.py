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
func.func @f(%a: memref<?xTYPE>, %b: memref<?xTYPE>, %operands: memref<2xi64>) -> memref<?xTYPE> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %a, %c0 : memref<?xTYPE>
  %c = memref.alloc(%n) : memref<?xTYPE>
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %x = memref.load %a[%i] : memref<?xTYPE>
    %y = memref.load %b[%i] : memref<?xTYPE>
    %z = FUNCTION : TYPE
    memref.store %z, %c[%i] : memref<?xTYPE>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return %c : memref<?xTYPE>
}
"""


@dataclass(frozen=True)
class Domain:
    """The arguments that a function is measured on: intervals, and a scale of small numbers."""

    intervals: Sequence[tuple[float, float]]
    second: Sequence[tuple[float, float]] = ()
    """The intervals of the second operand, if there is one."""


_ALL = (-1e300, 1e300)

DOMAINS = {
    "acos": Domain([(-1.0, 1.0), (0.9, 1.0), (-1.0, -0.9)]),
    "asin": Domain([(-1.0, 1.0), (0.4, 0.6), (-1.0, -0.9)]),
    "atan": Domain([(-1.0, 1.0), (-10.0, 10.0), _ALL]),
    "atan2": Domain([(-1.0, 1.0), (-3.0, 3.0), _ALL], [(-1.0, 1.0), (-1.0, 1.0), _ALL]),
    "cbrt": Domain([(-10.0, 10.0), (0.0, 1.0), _ALL]),
    "cos": Domain([(-10.0, 10.0), (-1e5, 1e5), _ALL]),
    "cosh": Domain([(-23.0, 23.0), (-1.0, 1.0), (-710.0, 710.0)]),
    "erf": Domain([(-6.0, 6.0), (-1.0, 1.0), (0.9, 1.1)]),
    "exp": Domain([(-745.0, 709.0), (-1.0, 1.0), (-90.0, 89.0)]),
    "exp2": Domain([(-1074.0, 1024.0), (-1.0, 1.0), (-10.0, 10.0)]),
    "expm1": Domain([(-45.0, 709.0), (-1.0, 1.0), (-3.0, 3.0)]),
    "log": Domain([(0.0, 4.0), (0.9, 1.1), (0.0, 1e300)]),
    "log10": Domain([(0.0, 4.0), (0.9, 1.1), (0.0, 1e300)]),
    "log1p": Domain([(-1.0, 1.0), (-0.3, 0.4), (0.0, 1e300)]),
    "log2": Domain([(0.0, 4.0), (0.9, 1.1), (0.0, 1e300)]),
    "powf": Domain(
        [(0.0, 10.0), (0.9, 1.1), (0.0, 1e300)], [(-9.0, 9.0), (-1e3, 1e3), (-1.0, 1.0)]
    ),
    "sin": Domain([(-10.0, 10.0), (-1e5, 1e5), _ALL]),
    "sinh": Domain([(-23.0, 23.0), (-1.0, 1.0), (-710.0, 710.0)]),
    "tan": Domain([(-10.0, 10.0), (-1e5, 1e5), _ALL]),
    "tanh": Domain([(-22.0, 22.0), (-1.0, 1.0), (-0.01, 0.01)]),
}
"""Name of a function in ``math`` -> its domain."""


def name_of(function: type[Any]) -> str:
    """The name of a function: that of its operation without the dialect."""
    return function.name.removeprefix(f"{math.Math.name}.")


NAMES = sorted(name_of(function) for function in (*FORMULAS, *PARTIAL))


def compiled(function: str, type: str) -> Callable[..., Any]:
    """A function of two arrays, by machine code; one of a number ignores the second one."""
    from ein_mlir.backends.native.machine import host
    from ein_mlir.backends.native.program import Binary
    from ein_mlir.backends.native.runtime import NativeFunction, library_of
    from ein_mlir.native import native_program

    context = Context()
    for dialect in ("arith", "builtin", "func", "math", "memref", "scf"):
        context.register_dialect(dialect, XDSL_UNIVERSE.all_dialects[dialect])
    operands = "%x, %y" if DOMAINS[function].second else "%x"
    text = PROGRAM.replace("FUNCTION", f"math.{function} {operands}").replace("TYPE", type)
    assembled = native_program(Parser(context, text).parse_module())
    binary = Binary(assembled.program, host().compile(assembled.texts))
    return NativeFunction(binary.program, "f", library_of(binary), {}).call


def arguments(function: str, type: str, points: int) -> list[Any]:
    """Numbers in the domain of each operand: evenly spread, and of all magnitudes."""
    rng, domain = np.random.default_rng(0), DOMAINS[function]
    return [
        _spread(intervals, type, points, rng)
        for intervals in (domain.intervals, domain.second)
        if intervals
    ]


def _spread(
    intervals: Sequence[tuple[float, float]], type: str, points: int, rng: np.random.Generator
) -> Any:
    dtype = DTYPES[type]
    limits = np.finfo(dtype)
    parts = list[Any]()
    for low, high in intervals:
        low, high = (max(min(x, float(limits.max)), float(limits.min)) for x in (low, high))
        parts.append(rng.uniform(low, high, points))
        size = max(abs(low), abs(high))
        scales = np.exp2(rng.uniform(limits.minexp - limits.nmant, np.log2(size), points))
        parts.append(scales * (1.0 if low >= 0.0 else rng.choice([-1.0, 1.0], points)))
    return np.concatenate(parts).astype(dtype)


def exact_function(function: str) -> Callable[..., Any]:
    """A function of numbers of mpmath."""
    import mpmath

    match function:
        case "cbrt":
            return lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x))
        case "exp2":
            return lambda x: mpmath.power(2, x)
        case "log2":
            return lambda x: mpmath.log(x, 2)
        case "powf":
            return mpmath.power
        case _:
            return getattr(mpmath, function)


def errors(function: str, type: str, operands: Sequence[Any], results: Any) -> Any:
    """The distance of each result from the exact one, in units in the last place of that."""
    import mpmath

    exact = exact_function(function)
    limits = np.finfo(DTYPES[type])
    found = np.zeros(len(results))
    rows = zip(*(operand.tolist() for operand in operands), strict=True)
    with mpmath.workprec(200):
        for k, (numbers, result) in enumerate(zip(rows, results.tolist(), strict=True)):
            true = exact(*map(mpmath.mpf, numbers))
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
            numbers = arguments(name, type_, given.points)
            results = compiled(name, type_)(numbers[0], numbers[-1])
            found = errors(name, type_, numbers, results)
            cells += [f"{found.max():.3f}", f"{found.mean():.3f}"]
        print(f"| `{name}` | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
