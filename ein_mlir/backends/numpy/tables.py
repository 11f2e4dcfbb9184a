"""The NumPy function for each operation: tables for ``convert-yarr-to-numpy``."""

from __future__ import annotations

from ein_mlir.backends import numpy_api
from ein_mlir.backends.forms import Call, Helper, ScalarTables, dtypes

TABLES = ScalarTables(
    prefix="np",
    dtypes=dtypes("np"),
    scalars=numpy_api.scalars("np"),
    comparisons=numpy_api.COMPARISONS,
    make_complex=Helper("np.make_complex"),
)
"""The forms of scalars and scalar operations."""

DTYPES = TABLES.dtypes
"""The dtype of each scalar type."""

SCALAR_EXTREMES: dict[str, str] = {"np.minimum": "min", "np.maximum": "max"}
"""The builtin function on two ints for each function on arrays."""

OPERATOR_UFUNCS: dict[str, str] = {
    "+": "np.add",
    "-": "np.subtract",
    "*": "np.multiply",
    "/": "np.divide",
    "//": "np.floor_divide",
    "%": "np.remainder",
    "**": "np.power",
    "<<": "np.left_shift",
    ">>": "np.right_shift",
    "&": "np.bitwise_and",
    "|": "np.bitwise_or",
    "^": "np.bitwise_xor",
    "==": "np.equal",
    "!=": "np.not_equal",
    "<": "np.less",
    "<=": "np.less_equal",
    ">": "np.greater",
    ">=": "np.greater_equal",
}
"""The function that each elementwise operator calls on arrays."""

UNARY_UFUNCS: dict[str, str] = {"-": "np.negative", "~": "np.invert"}
"""The function that each prefix operator calls on arrays."""

UFUNCS: frozenset[str] = frozenset(
    ("np.clip", *(form.function for form in TABLES.scalars.values() if isinstance(form, Call)))
)
"""The elementwise functions that take ``out=``."""
