"""The forms in which a scalar operation is written in Python: what the tables of backends hold.

And what is the same in the tables of all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Operator:
    """``x + y``: right for arrays and for NumPy's scalars, which wrap and do not raise."""

    symbol: str


@dataclass(frozen=True)
class Unary:
    """``-x``."""

    symbol: str


@dataclass(frozen=True)
class Call:
    """``np.sin(x)``."""

    function: str


@dataclass(frozen=True)
class Helper:
    """``erf(x)``, a function of the library's prelude."""

    function: str


@dataclass(frozen=True)
class Unsigned:
    """A form applied to the bits of integers, read as unsigned ones."""

    form: Operator | Call


@dataclass(frozen=True)
class Division:
    """``x // 3``; a helper where the divisor may be one for which the library's operator fails."""

    operator: Operator
    helper: Helper

    def by(self, divisor: int | None) -> Operator | Helper:
        """The form for a divisor, which may not be known."""
        return self.helper if divisor in (None, 0, -1) else self.operator


Form: TypeAlias = Operator | Unary | Call | Helper | Unsigned | Division


@dataclass(frozen=True)
class ScalarTables:
    """What a library's tables say about scalars."""

    prefix: str
    """The name that emitted code gives the library."""
    dtypes: Mapping[str, str]
    unsigned_dtypes: Mapping[str, str]
    scalars: Mapping[str, Form]
    comparisons: Mapping[str, Form]


def dtypes(library: str) -> dict[str, str]:
    """The dtype of each scalar type.

    >>> dtypes("jnp")["f64"]
    'jnp.float64'
    """
    return {type_: f"{library}.{dtype}" for type_, dtype in _DTYPES.items()}


def unsigned_dtypes(library: str) -> dict[str, str]:
    """The dtype that reads the bits of an integer as an unsigned one."""
    return {type_: f"{library}.u{_DTYPES[type_]}" for type_ in ("i8", "i32", "i64")}


_DTYPES: dict[str, str] = {
    "i1": "bool",
    "i8": "int8",
    "i32": "int32",
    "i64": "int64",
    "f32": "float32",
    "f64": "float64",
}
"""What all libraries call the dtype of each scalar type."""

FLOAT_COMPARISONS: dict[str, Operator] = {
    "oeq": Operator("=="),
    "ogt": Operator(">"),
    "oge": Operator(">="),
    "olt": Operator("<"),
    "ole": Operator("<="),
    "une": Operator("!="),
}
"""The form of each predicate of ``arith.cmpf`` that is one operator, for all libraries."""
