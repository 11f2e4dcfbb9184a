"""The JAX function for each operation: tables for ``convert-yarr-to-jax``."""

from __future__ import annotations

from ein_mlir.backends import numpy_api
from ein_mlir.backends.forms import Call, Helper, ScalarTables, dtypes

TABLES = ScalarTables(
    prefix="jnp",
    dtypes=dtypes("jnp"),
    scalars=numpy_api.scalars("jnp")
    | {
        "arith.remsi": Helper("jnp.truncated_remainder"),
        "math.ctlz": Call("lax.clz"),
        "math.erf": Call("lax.erf"),
    },
    comparisons=numpy_api.COMPARISONS,
    make_complex=Call("lax.complex"),
)
"""The forms of scalars and scalar operations.

``//`` and ``%`` on ints agree with NumPy except for divisors of 0, for which JAX does not define
them: ``INTEGER_DIVISION`` has their replacements.
"""

INTEGER_DIVISION: dict[str, str] = {"//": "jnp.floor_divide", "%": "jnp.floor_remainder"}
"""The helper for a division of ints whose divisor may be 0."""
