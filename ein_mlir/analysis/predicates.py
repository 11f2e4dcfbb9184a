"""Relations of Ints, and their predicates, by symbols and by the names of ``arith.cmpi``."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping

from xdsl.dialects import arith
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.constants import known_int
from ein_mlir.host.dataclass import dataclass

CHOICES = (arith.CmpfOp, arith.CmpiOp, arith.SelectOp)
"""The operations that compare numbers, and choose by conditions."""

_NEGATED = (
    *(("<", ">="), (">", "<="), ("==", "!=")),
    *(("slt", "sge"), ("sgt", "sle"), ("eq", "ne"), ("ult", "uge"), ("ugt", "ule")),
)

NEGATED: Mapping[str, str] = {
    **dict(_NEGATED),
    **{negated: predicate for predicate, negated in _NEGATED},
}
"""For each predicate the one that holds where it does not."""

_SWAPPED = (
    ("<", ">"),
    ("<=", ">="),
    ("slt", "sgt"),
    ("sle", "sge"),
    ("ult", "ugt"),
    ("ule", "uge"),
)

SWAPPED: Mapping[str, str] = {
    **dict(_SWAPPED),
    **{swapped: predicate for predicate, swapped in _SWAPPED},
    **{symmetric: symmetric for symmetric in ("==", "!=", "eq", "ne")},
}
"""For each predicate of ``a`` and ``b`` the same of ``b`` and ``a``."""

SIGNED: Mapping[str, Callable[[int, int], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "slt": operator.lt,
    "sle": operator.le,
    "sgt": operator.gt,
    "sge": operator.ge,
}
"""The predicates of ``arith.cmpi`` that compare Ints."""


INT_PREDICATES: Mapping[str, str] = {
    "<": "slt",
    "<=": "sle",
    ">": "sgt",
    ">=": "sge",
    "==": "eq",
    "!=": "ne",
}
FLOAT_PREDICATES: Mapping[str, str] = {
    "<": "olt",
    "<=": "ole",
    ">": "ogt",
    ">=": "oge",
    "==": "oeq",
    "!=": "une",
}
"""The names of the predicates with a symbol, of which only ``!=`` holds for NaN."""

SYMBOLS: Mapping[str, str] = {
    name: symbol for table in (INT_PREDICATES, FLOAT_PREDICATES) for symbol, name in table.items()
}
"""The symbols of these predicates, by their names."""

_STRICT: Mapping[str, bool] = {"slt": True, "sle": False, "sgt": True, "sge": False}
"""The inequalities of Ints, and whether they exclude equal ones."""


@dataclass(frozen=True)
class Relation:
    """``lhs < rhs``, with the name of the predicate in ``arith.cmpi``."""

    lhs: SSAValue
    predicate: str
    rhs: SSAValue

    @property
    def swapped(self) -> Relation:
        """``rhs > lhs``"""
        return Relation(self.rhs, SWAPPED[self.predicate], self.lhs)

    @property
    def readings(self) -> tuple[Relation, Relation]:
        """The relation from each side."""
        return self, self.swapped

    @property
    def after_first(self) -> bool | None:
        """Whether it holds for a counter in all steps but the first, where it has the other truth.

        None if it has neither truth so.
        """
        found = self.settled
        return found[1] if found is not None and found[0] == 1 else None

    @property
    def settled(self) -> tuple[int, bool] | None:
        """The step from which on it has one truth for a counter, and that; None if unknown.

        In the step before that it has the other one.
        """
        number = known_int(self.rhs)
        if number is None or self.is_unsigned:
            return None
        first = number + (self.predicate in ("eq", "ne", "sle", "sgt"))
        return first, self.predicate in ("ne", "sgt", "sge")

    def nonpositive(self, lhs: LinearForm, rhs: LinearForm) -> LinearForm | None:
        """The form that is at most 0 just where it holds, given both sides; None if it is none."""
        if self.predicate not in _STRICT:
            return None
        difference = lhs - rhs if self.predicate in ("slt", "sle") else rhs - lhs
        return difference + int(_STRICT[self.predicate])

    @property
    def is_unsigned(self) -> bool:
        """Whether the bits are compared as those of natural numbers."""
        return self.predicate.startswith("u")


def predicate_of(op: arith.CmpiOp | arith.CmpfOp) -> str:
    """The name of the predicate of a comparison."""
    names = (
        arith.CMPI_COMPARISON_OPERATIONS
        if isinstance(op, arith.CmpiOp)
        else arith.CMPF_COMPARISON_OPERATIONS
    )
    return names[op.predicate.value.data]


def relation_of(condition: SSAValue, *, expected: bool = True) -> Relation | None:
    """The relation of Ints that holds where a condition has a truth value, if it compares Ints."""
    op = condition.owner
    if not isinstance(op, arith.CmpiOp) or op.lhs.type != i64:
        return None
    predicate = predicate_of(op)
    return Relation(op.lhs, predicate if expected else NEGATED[predicate], op.rhs)


def implied(condition: SSAValue, by: SSAValue, *, expected: bool = True) -> bool | None:
    """The truth of a condition where another one has a truth value; None if it may have either.

    Comparisons of the same Ints decide each other: ``a == b`` is false where ``a > b`` holds.
    """
    if condition is by:
        return expected
    relation, known = relation_of(condition), relation_of(by, expected=expected)
    if relation is None or known is None or relation.is_unsigned or known.is_unsigned:
        return None
    for each in known.readings:
        if each.lhs is relation.lhs and each.rhs is relation.rhs:
            truths = {sign in _signs(relation.predicate) for sign in _signs(each.predicate)}
            return truths.pop() if len(truths) == 1 else None
    return None


def _signs(predicate: str) -> list[int]:
    """The signs of ``a - b`` for which Ints are in a relation."""
    return [sign for sign in (-1, 0, 1) if SIGNED[predicate](sign, 0)]


def conjoined(condition: SSAValue) -> list[SSAValue]:
    """The conditions that a condition is the conjunction of."""
    if isinstance(condition.owner, arith.AndIOp):
        return [part for side in condition.owner.operands for part in conjoined(side)]
    return [condition]
