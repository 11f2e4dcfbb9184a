"""The Python forms of scalar operations: the entries of the tables of backends.

Entries that all libraries share are defined here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from ein_mlir.host.dataclass import dataclass
from ein_mlir.host.elements import HOST_DTYPES, SCALARS


@dataclass(frozen=True)
class Operator:
    """``x + y``: correct for arrays and for NumPy's scalars, which wrap and do not raise."""

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
    """A form applied to integers whose bits are read as unsigned."""

    form: Operator | Call


@dataclass(frozen=True)
class Division:
    """``x // 3``; a helper if the library's operator may fail for the divisor."""

    operator: Operator
    helper: Helper

    def by(self, divisor: int | None) -> Operator | Helper:
        """The form for a divisor; None for one that is not constant."""
        return self.helper if divisor in (None, 0, -1) else self.operator


Form: TypeAlias = Operator | Unary | Call | Helper | Unsigned | Division


@dataclass(frozen=True)
class ScalarTables:
    """The tables of a library for scalars."""

    prefix: str
    """The name of the library in emitted code."""
    dtypes: Mapping[str, str]
    scalars: Mapping[str, Form]
    comparisons: Mapping[str, Form]
    make_complex: Call | Helper
    """The function of a real and an imaginary part."""


def dtypes(library: str) -> dict[str, str]:
    """The dtype of each scalar type, and of integers whose bits are read as unsigned.

    >>> dtypes("jnp")["f64"]
    'jnp.float64'
    """
    names = {type_.storage: type_.dtype for type_ in SCALARS if type_.is_signed}
    unsigned = {f"u{name}": f"u{dtype}" for name, dtype in names.items() if dtype[:3] == "int"}
    known = {**names, **unsigned, **HOST_DTYPES}
    if library == "np":
        del known["bf16"]
    return {name: f"{library}.{dtype}" for name, dtype in known.items()}


FLOAT_COMPARISONS: dict[str, Operator] = {
    "oeq": Operator("=="),
    "ogt": Operator(">"),
    "oge": Operator(">="),
    "olt": Operator("<"),
    "ole": Operator("<="),
    "une": Operator("!="),
}
"""The form of each predicate of ``arith.cmpf`` that is one operator, for all libraries."""
