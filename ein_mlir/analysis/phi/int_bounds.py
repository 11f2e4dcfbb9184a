"""Numbers that Ints provably stay between, however often the folds around them step.

Each Int, or all Ints in an array or record, is bounded from above by one form or another ::

    v <= max(b, x + d, y + e, ..)

where ``b, d, e`` are numbers and ``x, y`` are what is not known yet: the largest number that an
accumulator of a fold around it ever holds. The negation of ``v`` is bounded in the same way. Once
the body of a fold has been read, its unknown is solved for: from ``x' <= max(x + d, c)`` follows
``x <= max(start, c) + steps * max(d, 0)``. Each operation is visited once, however deep folds nest.

What can wrap around has no bounds. Sums are kept so far below the largest Int that they cannot:
unknowns stand for at most ``DEEPEST`` folds around each other, and no number in a form is larger
than ``LARGEST``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias, TypeGuard

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, TupleType, i1, i64
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.traits import ConstantLike

from ein_mlir.analysis.hints import isa
from ein_mlir.dialects import phi, sigma

MOST_STEPS = 2**44
"""More than a loop has steps, or an axis elements, in any run that ends: 16 tera."""

LARGEST = 2**58
"""Numbers in a form beyond this are given up."""

DEEPEST = 8
"""How many folds around each other are solved for; ``(DEEPEST + 1) * LARGEST`` is an Int."""


@dataclass(frozen=True)
class Unknown:
    """The largest number that an accumulator ever holds, or the largest of its negation."""

    accumulator: BlockArgument
    is_negated: bool


_ARITHMETIC = (arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.MinSIOp, arith.MaxSIOp)


Bound: TypeAlias = Mapping[Unknown | None, int]
"""The largest of some ``unknown + number``, and of the number that stands at None."""


@dataclass(frozen=True)
class Interval:
    """Bounds of an Int, or of all Ints in an array or record, and of their negation.

    None bounds nothing.
    """

    high: Bound | None
    low: Bound | None
    assumed: frozenset[BlockArgument] = frozenset()
    """The accumulators that must be bounded for this to hold: otherwise something may wrap."""

    def negated(self) -> Interval:
        """The bounds of the negation."""
        return Interval(self.low, self.high, self.assumed)


class IntBounds:
    """Bounds of the Ints of a function or module, as it is when this is made."""

    def __init__(self, root: Operation):
        self._intervals: dict[SSAValue, Interval] = {}
        self._solved: dict[BlockArgument, Interval] = {}
        self._depth = 0
        self._visit_bodies(root)

    def of(self, value: SSAValue) -> tuple[int, int] | None:
        """The least and the largest number that an Int, or an Int in an array, may be.

        None where that may be any, or where the value is new.
        """
        interval = self._intervals.get(value)
        if interval is None or not all(map(self._is_solved, interval.assumed)):
            return None
        high, low = self._number(interval.high), self._number(interval.low)
        return None if high is None or low is None else (-low, high)

    def _is_solved(self, accumulator: BlockArgument) -> bool:
        solved = self._solved.get(accumulator)
        return solved is not None and all(map(self._is_solved, solved.assumed))

    def _number(self, bound: Bound | None) -> int | None:
        """A bound as a number; its unknowns are all solved."""
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
        """Read a fold with an unknown for its accumulator, and solve for it."""
        accumulator, init = op.accumulator, self._intervals.get(op.init)
        self._intervals[op.counter] = _between(0, MOST_STEPS)
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
        """The bounds of the result of an operation that is no fold."""
        if len(op.results) != 1 or not _has_ints(op.results[0].type):
            return None
        constant = ConstantLike.get_constant_value(op.results[0])
        if isa(constant, IntegerAttr):
            return _limited(_between(constant.value.data, constant.value.data))
        match op:
            case arith.IndexCastOp() if isinstance(op.input.type, IndexType):
                return _between(0, MOST_STEPS)
            case arith.ExtUIOp() if op.input.type == i1:
                return _between(0, 1)
            case sigma.FloorModOp():
                return _remainder(op)
            case phi.SizeOp():
                return Interval(None, {None: 0})
            case phi.LoopOp():
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
    """The values whose Ints are those of the result, beside zeros."""
    if isinstance(op, phi.BodyOp):
        yield op.yielded()
        return
    for number, operand in enumerate(op.operands):
        is_kept = any(not flow.mixed for flow in op.flow(number))
        if is_kept and _has_ints(operand.type):
            yield operand


def _combined(op: Operation, operands: Sequence[Interval]) -> Interval | None:
    """The bounds of the result of an operation on Ints that have bounds."""
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
    """Whether a value is an Int, or an array or record of some."""
    if isa(type_, TupleType):
        return any(map(_has_ints, type_.types))
    return _has_ints(type_.element_type) if isinstance(type_, phi.VecType) else type_ == i64


# Intervals ------------------------------------------------------------------------------------


def _between(least: int, largest: int) -> Interval:
    return Interval({None: largest}, {None: -least})


def _limited(interval: Interval) -> Interval | None:
    """An interval of numbers, where they are not too large."""
    bounds = (interval.high, interval.low)
    numbers = [number for bound in bounds if bound for number in bound.values()]
    return interval if max(map(abs, numbers)) <= LARGEST else None


def _remainder(op: sigma.FloorModOp) -> Interval | None:
    """``0 <= x mod n < n`` for a constant ``n > 0``."""
    divisor = ConstantLike.get_constant_value(op.rhs)
    if not isa(divisor, IntegerAttr) or divisor.value.data <= 0:
        return None
    return _limited(_between(0, divisor.value.data - 1))


def _unknown(accumulator: BlockArgument) -> Interval:
    """The bounds of an accumulator that is not solved for yet."""
    return Interval(
        {Unknown(accumulator, is_negated=False): 0},
        {Unknown(accumulator, is_negated=True): 0},
        frozenset([accumulator]),
    )


def _solution(init: Interval, step: Interval, accumulator: BlockArgument) -> Interval | None:
    """The bounds of an accumulator, given those at the start and after a step."""
    high = _solve(init.high, step.high, Unknown(accumulator, is_negated=False))
    low = _solve(init.low, step.low, Unknown(accumulator, is_negated=True))
    if high is None or low is None:
        return None
    return Interval(high, low, (init.assumed | step.assumed) - {accumulator})


def _either(intervals: Sequence[Interval]) -> Interval:
    """The bounds of one of some values."""
    return Interval(
        _largest([interval.high for interval in intervals]),
        _largest([interval.low for interval in intervals]),
        frozenset[BlockArgument]().union(*(interval.assumed for interval in intervals)),
    )


def _minimum(lhs: Interval, rhs: Interval) -> Interval:
    """The bounds of the smaller value: it is below the bounds of both, so of any one."""
    bounds = [bound for bound in (lhs.high, rhs.high) if bound is not None]
    high = min(bounds, key=_difficulty, default=None)
    return Interval(high, _largest([lhs.low, rhs.low]), lhs.assumed | rhs.assumed)


def _difficulty(bound: Bound) -> tuple[int, int]:
    """Sorts the bounds first of which more is known."""
    return sum(unknown is not None for unknown in bound), max(bound.values())


def _sum(lhs: Interval, rhs: Interval) -> Interval | None:
    """The bounds of a sum; of one side at least they must be numbers."""
    high, low = _added(lhs.high, rhs.high), _added(lhs.low, rhs.low)
    if high is None or low is None:
        return None
    return Interval(high, low, lhs.assumed | rhs.assumed)


def _product(lhs: Interval, rhs: Interval) -> Interval | None:
    """The bounds of a product; those of both sides must be numbers."""
    ends = [_ends(lhs), _ends(rhs)]
    if not all(ends):
        return None
    products = [x * y for x, y in product(*ends)]
    assumed = lhs.assumed | rhs.assumed
    return _limited(Interval({None: max(products)}, {None: -min(products)}, assumed))


def _ends(interval: Interval) -> tuple[int, ...]:
    """The least and the largest number, where no unknown has a part in that."""
    if not _is_number(interval.high) or not _is_number(interval.low):
        return ()
    return -interval.low[None], interval.high[None]


# Bounds ---------------------------------------------------------------------------------------


def _largest(bounds: Sequence[Bound | None]) -> Bound | None:
    """What is above all values that some bounds are above of."""
    result = dict[Unknown | None, int]()
    for bound in bounds:
        if bound is None:
            return None
        for unknown, offset in bound.items():
            result[unknown] = max(offset, result.get(unknown, offset))
    return result


def _is_number(bound: Bound | None) -> TypeGuard[Bound]:
    """Whether no unknown has a part in a bound."""
    return bound is not None and all(unknown is None for unknown in bound)


def _added(lhs: Bound | None, rhs: Bound | None) -> Bound | None:
    """The bound of a sum: ``max(x + d, ..) + b``."""
    if lhs is None or rhs is None:
        return None
    if _is_number(lhs):
        lhs, rhs = rhs, lhs
    return _raised(lhs, rhs[None]) if _is_number(rhs) else None


def _raised(bound: Bound, by: int) -> Bound | None:
    """A bound with a number added to it."""
    raised = {unknown: offset + by for unknown, offset in bound.items()}
    return raised if max(map(abs, raised.values())) <= LARGEST else None


def _solve(init: Bound | None, step: Bound | None, own: Unknown) -> Bound | None:
    """What is above all that an accumulator holds, given what is above it after a step."""
    if step is None or Unknown(own.accumulator, not own.is_negated) in step:
        return None
    others = {unknown: offset for unknown, offset in step.items() if unknown != own}
    start = _largest([init, others])
    return None if start is None else _raised(start, MOST_STEPS * max(step.get(own, 0), 0))
