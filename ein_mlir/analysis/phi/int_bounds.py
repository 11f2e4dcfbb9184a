"""Bounds of Ints that hold for every number of steps of the folds around them.

Each Int, or all Ints in an array or record, is bounded from above by one form or another ::

    v <= max(b, x + d, y + e, ..)

where ``b, d, e`` are numbers and ``x, y`` are unknowns: the largest value of an accumulator of a
fold around it. The negation of ``v`` is bounded in the same way. After the body of a fold, its
unknown is solved for: from ``x' <= max(x + d, c)`` follows
``x <= max(start, c) + steps * max(d, 0)``. Each operation is visited once, at any depth of folds.

An Int that may overflow has no bounds. Bounded sums are no-wrap: there are unknowns for at most
``DEEPEST`` nested folds, and no number in a bound is larger than ``LARGEST``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeGuard

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, TupleType, i1, i64
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue

from ein_mlir.analysis.arithmetic import INTS, MOST, Range
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.hints import isa
from ein_mlir.dialects import phi, sigma

DEEPEST = 8
"""The most nested folds that are solved for."""

LARGEST = INTS.high // (2 * DEEPEST)
"""The largest number in a bound: sums of one for each of the nested folds are no-wrap."""


@dataclass(frozen=True)
class Unknown:
    """The largest value of an accumulator in any step, or the largest of its negation."""

    accumulator: BlockArgument
    is_negated: bool


_ARITHMETIC = (arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.MinSIOp, arith.MaxSIOp)


Bound: TypeAlias = Mapping[Unknown | None, int]
"""The largest of some ``unknown + number``, and of the number under the key None."""


@dataclass(frozen=True)
class Interval:
    """Bounds of an Int, or of all Ints in an array or record, and of their negation.

    None is no bound.
    """

    high: Bound | None
    low: Bound | None
    assumed: frozenset[BlockArgument] = frozenset()
    """The accumulators that must be bounded for this to hold: otherwise an Int may overflow."""

    def negated(self) -> Interval:
        """The bounds of the negation."""
        return Interval(self.low, self.high, self.assumed)


class IntBounds:
    """Bounds of the Ints of a function or module at the time of the analysis."""

    def __init__(self, root: Operation):
        self._intervals: dict[SSAValue, Interval] = {}
        self._solved: dict[BlockArgument, Interval] = {}
        self._depth = 0
        self._visit_bodies(root)

    def of(self, value: SSAValue) -> Range | None:
        """The range of an Int, or of the Ints in an array.

        None if there is no bound, or if the value is newer than the analysis.
        """
        interval = self._intervals.get(value)
        if interval is None or not all(map(self._is_solved, interval.assumed)):
            return None
        high, low = self._number(interval.high), self._number(interval.low)
        return None if high is None or low is None else Range(-low, high)

    def _is_solved(self, accumulator: BlockArgument) -> bool:
        solved = self._solved.get(accumulator)
        return solved is not None and all(map(self._is_solved, solved.assumed))

    def _number(self, bound: Bound | None) -> int | None:
        """A bound as a number, given that its unknowns are all solved."""
        if bound is None:
            return None
        return max(self._value(unknown) + offset for unknown, offset in bound.items())

    def _value(self, unknown: Unknown | None) -> int:
        if unknown is None:
            return 0
        solved = self._solved[unknown.accumulator]
        number = self._number(solved.low if unknown.is_negated else solved.high)
        assert number is not None
        return number

    # Visiting

    def _visit_bodies(self, op: Operation) -> None:
        for region in op.regions:
            for block in region.blocks:
                for inner in block.ops:
                    self._visit(inner)

    def _visit(self, op: Operation) -> None:
        if isinstance(op, phi.FoldOp):
            interval = self._fold(op)
        else:
            self._visit_bodies(op)
            interval = self._evaluate(op)
        if interval is not None:
            self._intervals[op.results[0]] = interval

    def _fold(self, op: phi.FoldOp) -> Interval | None:
        """The bounds of a fold: visit its body with an unknown accumulator, and solve for it."""
        accumulator, init = op.accumulator, self._intervals.get(op.init)
        self._intervals[op.counter] = _between(0, MOST)
        if init is not None and self._depth < DEEPEST:
            self._intervals[accumulator] = _unknown(accumulator)
        self._depth += 1
        self._visit_bodies(op)
        self._depth -= 1
        step = self._intervals.get(op.yielded())
        if init is None or step is None or accumulator not in self._intervals:
            return None
        solved = _solution(init, step, accumulator)
        if solved is not None:
            self._solved[accumulator] = solved
        return solved

    def _evaluate(self, op: Operation) -> Interval | None:
        """The bounds of the result of an operation other than a fold."""
        if len(op.results) != 1 or not _has_ints(op.results[0].type):
            return None
        number = known_int(op.results[0])
        if number is not None:
            return _limited(_between(number, number))
        match op:
            case arith.IndexCastOp() if isinstance(op.input.type, IndexType):
                return _between(0, MOST)
            case arith.ExtUIOp() if op.input.type == i1:
                return _between(0, 1)
            case sigma.FloorModOp():
                return _remainder(op)
            case phi.SizeOp():
                return Interval(None, {None: 0})
            case phi.LoopOp() | phi.AccumulateOp():
                return None
            case phi.PhiOp():
                operands = list(_kept(op))
            case arith.SelectOp():
                operands = [op.lhs, op.rhs]
            case _ if isinstance(op, _ARITHMETIC):
                operands = [op.lhs, op.rhs]
            case _:
                return None
        known = [self._intervals.get(operand) for operand in operands]
        intervals = [interval for interval in known if interval is not None]
        if not known or len(known) != len(intervals):
            return None
        return _combined(op, intervals)


def _kept(op: phi.PhiOp) -> Iterator[SSAValue]:
    """The values whose Ints are those of the result, except for zeros."""
    if isinstance(op, phi.BodyOp):
        yield op.yielded()
        return
    for number, operand in enumerate(op.operands):
        is_kept = any(not flow.mixed for flow in op.flow(number))
        if is_kept and _has_ints(operand.type):
            yield operand


def _combined(op: Operation, operands: Sequence[Interval]) -> Interval | None:
    """The bounds of the result of an operation on bounded Ints."""
    match op:
        case arith.AddiOp():
            return _sum(*operands)
        case arith.SubiOp():
            return _sum(operands[0], operands[1].negated())
        case arith.MuliOp():
            return _product(*operands)
        case arith.MinSIOp():
            return _minimum(*operands)
        case arith.MaxSIOp():
            lhs, rhs = operands
            return _minimum(lhs.negated(), rhs.negated()).negated()
        case phi.PhiOp() if op.MAY_HOLD_ZERO:
            return _either([*operands, _between(0, 0)])
        case _:
            return _either(operands)


def _has_ints(type_: Attribute) -> bool:
    """Whether a type is Int, or an array or record that contains Ints."""
    if isa(type_, TupleType):
        return any(map(_has_ints, type_.types))
    return _has_ints(type_.element_type) if isinstance(type_, phi.VecType) else type_ == i64


# Intervals ------------------------------------------------------------------------------------


def _between(least: int, largest: int) -> Interval:
    return Interval({None: largest}, {None: -least})


def _limited(interval: Interval) -> Interval | None:
    """An interval of numbers, unless they are too large."""
    bounds = (interval.high, interval.low)
    numbers = [number for bound in bounds if bound for number in bound.values()]
    return interval if max(map(abs, numbers)) <= LARGEST else None


def _remainder(op: sigma.FloorModOp) -> Interval | None:
    """``0 <= x mod n < n`` for a constant ``n > 0``."""
    divisor = known_int(op.rhs)
    if divisor is None or divisor <= 0:
        return None
    return _limited(_between(0, divisor - 1))


def _unknown(accumulator: BlockArgument) -> Interval:
    """The symbolic bounds of an accumulator before it is solved for."""
    return Interval(
        {Unknown(accumulator, is_negated=False): 0},
        {Unknown(accumulator, is_negated=True): 0},
        frozenset([accumulator]),
    )


def _solution(init: Interval, step: Interval, accumulator: BlockArgument) -> Interval | None:
    """The bounds of an accumulator, given those of its initial value and of a step."""
    high = _solve(init.high, step.high, Unknown(accumulator, is_negated=False))
    low = _solve(init.low, step.low, Unknown(accumulator, is_negated=True))
    if high is None or low is None:
        return None
    return Interval(high, low, (init.assumed | step.assumed) - {accumulator})


def _either(intervals: Sequence[Interval]) -> Interval:
    """The bounds of a value that is any one of several."""
    return Interval(
        _largest([interval.high for interval in intervals]),
        _largest([interval.low for interval in intervals]),
        frozenset[BlockArgument]().union(*(interval.assumed for interval in intervals)),
    )


def _minimum(lhs: Interval, rhs: Interval) -> Interval:
    """The bounds of a minimum: the upper bound of either operand holds."""
    bounds = [bound for bound in (lhs.high, rhs.high) if bound is not None]
    high = min(bounds, key=_difficulty, default=None)
    return Interval(high, _largest([lhs.low, rhs.low]), lhs.assumed | rhs.assumed)


def _difficulty(bound: Bound) -> tuple[int, int]:
    """A sort key that prefers bounds with fewer unknowns, then smaller ones."""
    return sum(unknown is not None for unknown in bound), max(bound.values())


def _sum(lhs: Interval, rhs: Interval) -> Interval | None:
    """The bounds of a sum, if those of one side are numbers."""
    high, low = _added(lhs.high, rhs.high), _added(lhs.low, rhs.low)
    if high is None or low is None:
        return None
    return Interval(high, low, lhs.assumed | rhs.assumed)


def _product(lhs: Interval, rhs: Interval) -> Interval | None:
    """The bounds of a product, if those of both sides are numbers."""
    x, y = _range(lhs), _range(rhs)
    if x is None or y is None:
        return None
    found = _between((x * y).low, (x * y).high)
    return _limited(Interval(found.high, found.low, lhs.assumed | rhs.assumed))


def _range(interval: Interval) -> Range | None:
    """The range of an Int, if its bounds have no unknowns."""
    if not _is_number(interval.high) or not _is_number(interval.low):
        return None
    return Range(-interval.low[None], interval.high[None])


# Bounds ---------------------------------------------------------------------------------------


def _largest(bounds: Sequence[Bound | None]) -> Bound | None:
    """The least bound that each of some bounds implies; None if one is missing."""
    result = dict[Unknown | None, int]()
    for bound in bounds:
        if bound is None:
            return None
        for unknown, offset in bound.items():
            result[unknown] = max(offset, result.get(unknown, offset))
    return result


def _is_number(bound: Bound | None) -> TypeGuard[Bound]:
    """Whether a bound has no unknowns."""
    return bound is not None and all(unknown is None for unknown in bound)


def _added(lhs: Bound | None, rhs: Bound | None) -> Bound | None:
    """The bound of a sum: ``max(x + d, ..) + b``."""
    if lhs is None or rhs is None:
        return None
    if _is_number(lhs):
        lhs, rhs = rhs, lhs
    return _raised(lhs, rhs[None]) if _is_number(rhs) else None


def _raised(bound: Bound, by: int) -> Bound | None:
    """A bound plus a number."""
    raised = {unknown: offset + by for unknown, offset in bound.items()}
    return raised if max(map(abs, raised.values())) <= LARGEST else None


def _solve(init: Bound | None, step: Bound | None, own: Unknown) -> Bound | None:
    """The bound of an accumulator in all steps, given those of its initial value and of a step."""
    if step is None or Unknown(own.accumulator, not own.is_negated) in step:
        return None
    others = {unknown: offset for unknown, offset in step.items() if unknown != own}
    start = _largest([init, others])
    return None if start is None else _raised(start, MOST * max(step.get(own, 0), 0))
