"""Which part of NumPy stands for which operation: tables, for ``convert-yarr-to-numpy``."""

from __future__ import annotations

from ein_mlir.backends import numpy_api
from ein_mlir.backends.forms import Call, ScalarTables

TABLES = ScalarTables(
    prefix="np",
    dtypes=numpy_api.dtypes("np"),
    unsigned_dtypes=numpy_api.unsigned_dtypes("np"),
    scalars=numpy_api.scalars("np"),
    comparisons=numpy_api.COMPARISONS,
)
"""What stands for scalars and scalar operations."""

DTYPES = TABLES.dtypes
"""The dtype of each scalar type."""

SCALAR_EXTREMES: dict[str, str] = {"np.minimum": "min", "np.maximum": "max"}
"""The builtin function that does on two ints what a function does on arrays."""

OPERATOR_UFUNCS: dict[str, str] = {
    symbol: f"np.{function}" for symbol, function in numpy_api.OPERATOR_FUNCTIONS.items()
}
"""The function that each elementwise operator calls on arrays."""

UNARY_UFUNCS: dict[str, str] = {"-": "np.negative", "~": "np.invert"}
"""The function that each operator in front of an array calls."""

UFUNCS: frozenset[str] = frozenset(
    ("np.clip", *(form.function for form in TABLES.scalars.values() if isinstance(form, Call)))
)
"""The functions that work element by element and take ``out=``."""
