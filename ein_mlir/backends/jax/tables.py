"""Which part of JAX stands for which operation: tables, for ``convert-yarr-to-jax``."""

from __future__ import annotations

from ein_mlir.backends.forms import Call, Division, Form, Helper, Operator, Unary, Unsigned
from ein_mlir.backends.numpy import tables as numpy

DTYPES: dict[str, str] = {
    "i1": "jnp.bool",
    "i8": "jnp.int8",
    "i32": "jnp.int32",
    "i64": "jnp.int64",
    "f32": "jnp.float32",
    "f64": "jnp.float64",
}
"""The dtype of each scalar type."""

UNSIGNED_DTYPES: dict[str, str] = {
    "i8": "jnp.uint8",
    "i32": "jnp.uint32",
    "i64": "jnp.uint64",
}
"""The dtype that reads the bits of an integer as an unsigned one."""


def _form(form: Form) -> Form:
    """The form of NumPy in ``jax.numpy``, which has the same names."""
    match form:
        case Call(function):
            return Call(f"j{function}")
        case Helper(function):
            return Helper(f"j{function}")
        case Unsigned(inner):
            inner = _form(inner)
            assert isinstance(inner, Operator | Call)
            return Unsigned(inner)
        case Operator() | Unary() | Division():
            return form


SCALARS: dict[str, Form] = {
    **{name: _form(form) for name, form in numpy.SCALARS.items()},
    "arith.remsi": Helper("jnp.truncated_remainder"),
    "math.erf": Call("lax.erf"),
}
"""The form of each scalar operation that is one operator or one call.

``//`` and ``%`` on ints are what they are in NumPy except for divisors of 0, where they are not
defined: ``INTEGER_DIVISION`` has what stands for them.
"""

INTEGER_DIVISION: dict[str, str] = {"//": "jnp.floor_divide", "%": "jnp.floor_remainder"}
"""The helper for a division of ints whose divisor may be 0."""

COMPARISONS = {name: _form(form) for name, form in numpy.COMPARISONS.items()}
"""The form of each predicate of ``arith.cmpi``."""

FLOAT_COMPARISONS = {name: _form(form) for name, form in numpy.FLOAT_COMPARISONS.items()}
"""The form of each predicate of ``arith.cmpf`` that is one operator."""
