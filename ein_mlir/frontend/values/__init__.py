"""Staged values: `Int`, `Float` and `Bool` scalars, and `Vec`.

A value wraps an expression. Operators and methods build larger expressions and compute nothing;
`Value.eval` does. The classes are annotations too: ``Vec[Vec[Float]]`` is a matrix.

``encode`` makes an expression of the result of a user's function, ``decode`` a value of it.
"""

from ein_mlir.frontend.values.encoding import (
    Leaf,
    encode,
    strong,
    weak,
    weak_float,
    with_complex_literals,
)
from ein_mlir.frontend.values.scalars import Bool, Float, Int, Scalar, int_expr
from ein_mlir.frontend.values.value import Value, written
from ein_mlir.frontend.values.vectors import Vec, decode, identity_of, is_vector

__all__ = [
    "Bool",
    "Float",
    "Int",
    "Leaf",
    "Scalar",
    "Value",
    "Vec",
    "decode",
    "encode",
    "identity_of",
    "int_expr",
    "is_vector",
    "strong",
    "weak",
    "weak_float",
    "with_complex_literals",
    "written",
]
