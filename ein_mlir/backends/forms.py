"""The forms in which a scalar operation is written in Python: what the tables of backends hold."""

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


FLOAT_COMPARISONS: dict[str, Operator] = {
    "oeq": Operator("=="),
    "ogt": Operator(">"),
    "oge": Operator(">="),
    "olt": Operator("<"),
    "ole": Operator("<="),
    "une": Operator("!="),
}
"""The form of each predicate of ``arith.cmpf`` that is one operator, for all libraries."""
