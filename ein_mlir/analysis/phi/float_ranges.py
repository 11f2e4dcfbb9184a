"""Ranges of Floats by the operations that compute them: ``x * x + 1.0`` is at least 1.

NaN is in every range. The range of an array, or of a row, is that of its elements. A range says
nothing of sizes: a sum of squares over no elements, divided by their number, is in the range of
squares.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TypeAlias

from xdsl.dialects import arith
from xdsl.dialects import math as phi_math
from xdsl.ir import Block, Operation, SSAValue

from ein_mlir.analysis.constants import known_float, known_int
from ein_mlir.analysis.phi.searches import field_of, is_made_of_fields, leaf_values
from ein_mlir.dialects import phi

Range: TypeAlias = tuple[float, float]
"""The least and the greatest value."""

_ANY: Range = (-math.inf, math.inf)
_DEPTH = 24
"""The most operations between a value and others that it is computed from."""

FAR = 2.0**-60
"""A number whose inverse is far from overflow, in each type."""

_ROUNDING = 2.0**-7


class FloatRanges:
    """The ranges of the Floats of a program, which must not change before they are asked for."""

    def __init__(self):
        self._known: dict[SSAValue, Range] = {}

    def of(self, value: SSAValue, depth: int = _DEPTH) -> Range:
        """The range of a Float, or of the Floats of an array."""
        if (number := known_float(value)) is not None:
            return (number, number) if math.isfinite(number) else _ANY
        if value not in self._known:
            if depth == 0 or not isinstance(value.owner, Operation):
                return _ANY
            self._known[value] = self._computed(value.owner, depth - 1)
        return self._known[value]

    def is_far_from_zero(self, value: SSAValue) -> bool:
        """Whether the inverse of a value is finite."""
        low, high = self.of(value)
        return low >= FAR or high <= -FAR

    def _computed(self, op: Operation, depth: int) -> Range:
        match op:
            case phi.GetOp():
                return self.of(op.array, depth)
            case phi.ArrayOp():
                return self.of(op.yielded(), depth)
            case phi.FoldOp():
                return self._total(op, depth)
            case phi.ProjOp():
                return self._field(op, depth)
            case arith.SIToFPOp():
                return self._of_int(op.input), math.inf
            case arith.SelectOp():
                return _around([*self.of(op.lhs, depth), *self.of(op.rhs, depth)])
            case arith.SubfOp() if _is_extreme_of(op.rhs, op.lhs) or _is_extreme_of(op.lhs, op.rhs):
                return self._difference(op, depth)
            case arith.MulfOp() if op.lhs is op.rhs:
                low, high = self.of(op.lhs, depth)
                least = 0.0 if low <= 0.0 <= high else min(abs(low), abs(high))
                return least * least, math.inf
            case phi_math.PowFOp() if (exponent := known_float(op.rhs)) is not None:
                return (0.0 if exponent % 2.0 == 0.0 else -math.inf), math.inf
            case _ if type(op) in _UNARY:
                return _UNARY[type(op)](self.of(op.operands[0], depth))
            case _ if type(op) in _BINARY:
                lhs, rhs = (self.of(each, depth) for each in op.operands)
                return _BINARY[type(op)](lhs, rhs)
            case _:
                return _ANY

    def _difference(self, op: arith.SubfOp, depth: int) -> Range:
        """``x - max(x, y)`` is at most zero, without rounding."""
        lhs, rhs = (self.of(each, depth) for each in op.operands)
        low, high = _BINARY[arith.SubfOp](lhs, rhs)
        is_least = isinstance(op.lhs.owner, arith.MinimumfOp) and op.rhs in op.lhs.owner.operands
        is_below = isinstance(op.rhs.owner, arith.MaximumfOp) and op.lhs in op.rhs.owner.operands
        return (low, min(high, 0.0)) if is_least or is_below else (max(low, 0.0), high)

    def _field(self, op: phi.ProjOp, depth: int) -> Range:
        """An array to which each step of a fold writes an element, as that of saved values."""
        fold = _fold_of(op)
        if fold is None or not (is_made_of_fields(fold.yielded()) and is_made_of_fields(fold.init)):
            return _ANY
        number = field_of(op.result, fold.result) or 0
        update, first = (leaf_values(each)[number] for each in (fold.yielded(), fold.init))
        update = update.owner
        if not isinstance(update, phi.UpdateOp):
            return _ANY
        if field_of(update.array, fold.accumulator) != number:
            return _ANY
        written = self.of(update.value, depth)
        if _writes_all(fold, update, first.owner):
            return written
        return _around([*written, *self.of(first, depth)])

    def _total(self, op: phi.FoldOp, depth: int) -> Range:
        """A sum of terms that are not negative is at least the number that it starts with."""
        step = op.yielded().owner
        if not isinstance(step, arith.AddfOp) or op.accumulator not in step.operands:
            return _ANY
        term = step.rhs if step.lhs is op.accumulator else step.lhs
        is_growing = term is not op.accumulator and self.of(term, depth)[0] >= 0.0
        return (self.of(op.init, depth)[0], math.inf) if is_growing else _ANY

    def _of_int(self, value: SSAValue) -> float:
        """The least value of an Int as a Float: a size is not negative."""
        op = value.owner
        if (number := known_int(value)) is not None:
            return float(number)
        if isinstance(op, arith.MaxSIOp):
            return max(map(self._of_int, op.operands))
        return 0.0 if isinstance(op, phi.SizeOp) else -math.inf


def _is_extreme_of(value: SSAValue, other: SSAValue) -> bool:
    """Whether a value is the larger or the smaller one of another value and a third."""
    op = value.owner
    return isinstance(op, arith.MaximumfOp | arith.MinimumfOp) and other in op.operands


def _fold_of(op: phi.ProjOp) -> phi.FoldOp | None:
    """The fold of whose result an operation takes a field."""
    record = op.record.owner
    if isinstance(record, phi.ProjOp):
        return _fold_of(record)
    return record if isinstance(record, phi.FoldOp) else None


def _writes_all(fold: phi.FoldOp, update: phi.UpdateOp, first: Operation | Block) -> bool:
    """Whether step ``k`` of a fold writes element ``k`` of as many as there are steps."""
    is_next = update.positions[0] is fold.counter
    return is_next and isinstance(first, phi.ArrayOp) and first.sizes[0] is fold.count


def _around(ends: list[float]) -> Range:
    """The range from the least to the greatest of some numbers; any one, if one is undefined."""
    return _ANY if any(map(math.isnan, ends)) else (min(ends), max(ends))


def _sum(x: Range, y: Range) -> Range:
    return _around([_end(x[0], y[0], -_ROUNDING), _end(x[1], y[1], _ROUNDING)])


def _end(a: float, b: float, rounding: float) -> float:
    """A sum; one of numbers that cancel is off by their rounding, in the smallest type."""
    return a + b + rounding * max(abs(a), abs(b)) if a * b < 0.0 else a + b


def _product(a: float, b: float) -> float:
    """The product of two ends; that of zero and all Floats is zero, or NaN."""
    return 0.0 if 0.0 in (a, b) else a * b


def _quotient(x: Range, y: Range) -> Range:
    if y[0] >= FAR or y[1] <= -FAR:
        return _around([a / b for a in x for b in y])
    return (0.0, math.inf) if x[0] >= 0.0 and y[0] >= 0.0 else _ANY


def _exp(number: float) -> float:
    return math.exp(number) if number < 700.0 else math.inf


_UNARY: Mapping[type[Operation], Callable[[Range], Range]] = {
    arith.NegfOp: lambda x: (-x[1], -x[0]),
    arith.ExtFOp: lambda x: x,
    phi_math.AbsFOp: lambda x: (max(x[0], -x[1], 0.0), math.inf),
    phi_math.CosOp: lambda x: (-1.0, 1.0),
    phi_math.CoshOp: lambda x: (1.0, math.inf),
    phi_math.ErfOp: lambda x: (-1.0, 1.0),
    phi_math.ExpOp: lambda x: (_exp(x[0]), _exp(x[1])),
    phi_math.SinOp: lambda x: (-1.0, 1.0),
    phi_math.SqrtOp: lambda x: (math.sqrt(max(x[0], 0.0)), math.inf),
    phi_math.TanhOp: lambda x: (-1.0, 1.0),
}
_BINARY: Mapping[type[Operation], Callable[[Range, Range], Range]] = {
    arith.AddfOp: _sum,
    arith.SubfOp: lambda x, y: _sum(x, (-y[1], -y[0])),
    arith.MulfOp: lambda x, y: _around([_product(a, b) for a in x for b in y]),
    arith.DivfOp: _quotient,
    arith.MaximumfOp: lambda x, y: (max(x[0], y[0]), max(x[1], y[1])),
    arith.MinimumfOp: lambda x, y: (min(x[0], y[0]), min(x[1], y[1])),
}
