"""Bounds of Ints that hold for every number of steps of the folds around them.

Each Int, or all Ints in an array, is bounded from above by one form or another ::

    v <= max(b, x + d, y + e, ..)

where ``b, d, e`` are numbers and ``x, y`` are unknowns: the largest value of an accumulator of a
fold around it. The negation of ``v`` is bounded in the same way. After the body of a fold, its
unknown is solved for: from ``x' <= max(x + d, c)`` follows
``x <= max(start, c) + steps * max(d, 0)``. Each operation is visited once, at any depth of folds.

An Int that may overflow has no bounds. Bounded sums are no-wrap: there are unknowns for at most
``DEEPEST`` nested folds, and no number in a bound is larger than ``LARGEST``.

Bounds may also hold under the premise that Ints from outside of all loops, and counts of steps, are
small. Each has the set of its premises, for a test at run time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TypeAlias, TypeGuard

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IndexType, TupleType, i1, i64
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

from ein_mlir.analysis.arithmetic import INTS, MOST, Range
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.hints import isa
from ein_mlir.dialects import phi, sigma

DEEPEST = 8
"""The most nested folds that are solved for."""

LARGEST = INTS.high // (2 * DEEPEST)
"""The largest number in a bound: sums of one for each of the nested folds are no-wrap."""


Place: TypeAlias = tuple[SSAValue, int | None]
"""A value, or a field of one that is a record."""


@dataclass(frozen=True)
class Unknown:
    """The largest value of an accumulator in any step, or the largest of its negation."""

    accumulator: Place
    is_negated: bool


@dataclass(frozen=True)
class Ordinary:
    """The premise that the Ints in a value are small: a count, a size, or Ints of an argument."""

    value: SSAValue
    largest: int
    is_count: bool
    """Whether small negative Ints are premised, too, or any negative ones."""


@dataclass(frozen=True)
class Premises:
    """The premises of a bound."""

    accumulators: frozenset[Place] = frozenset()
    """The accumulators that must be bounded: otherwise an Int may overflow."""
    ordinary: frozenset[Ordinary] = frozenset()

    def __or__(self, other: Premises) -> Premises:
        return Premises(self.accumulators | other.accumulators, self.ordinary | other.ordinary)

    def without(self, accumulator: Place) -> Premises:
        """The premises without that of an accumulator that is bounded."""
        return Premises(self.accumulators - {accumulator}, self.ordinary)


_NONE = Premises()

_ARITHMETIC = (arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.MinSIOp, arith.MaxSIOp)


Bound: TypeAlias = Mapping[Unknown | None, int]
"""The largest of some ``unknown + number``, and of the number under the key None."""


@dataclass(frozen=True)
class Interval:
    """Bounds of an Int, or of all Ints in an array, and of their negation.

    None is no bound.
    """

    high: Bound | None
    low: Bound | None
    premises: Premises = _NONE

    def negated(self) -> Interval:
        """The bounds of the negation."""
        return Interval(self.low, self.high, self.premises)


class IntBounds:
    """Bounds of the Ints of a function or module at the time of the analysis."""

    def __init__(self, root: Operation, *, ordinary: bool = False):
        """With ``ordinary``, the bounds hold under premises about Ints from outside of loops."""
        self._intervals: dict[Place, Interval] = {}
        self._solved: dict[Place, Interval] = {}
        self._depth = 0
        self._small = _small(root) if ordinary else None
        self._visit_bodies(root)

    def of(self, value: SSAValue) -> Range | None:
        """The range of an Int, or of the Ints in an array.

        None if there is no bound, or if the value is newer than the analysis.
        """
        interval = self._interval((value, None))
        if interval is None or not all(map(self._is_solved, interval.premises.accumulators)):
            return None
        high, low = self._number(interval.high), self._number(interval.low)
        return None if high is None or low is None else Range(-low, high)

    def most(self, count: SSAValue) -> int:
        """The most steps of a fold with a count."""
        return self._steps(count)[0]

    def premises(self, *values: SSAValue, counts: Sequence[SSAValue] = ()) -> frozenset[Ordinary]:
        """The premises about Ints from outside of loops under which there are bounds of values."""
        pending = [_NONE, *(self._steps(count)[1] for count in counts)]
        for value in values:
            interval = self._interval((value, None))
            assert interval is not None
            pending.append(interval.premises)
        seen, found = set[Place](), set[Ordinary]()
        while pending:
            each = pending.pop()
            found |= each.ordinary
            pending += [self._solved[a].premises for a in each.accumulators - seen]
            seen |= each.accumulators
        return frozenset(found)

    def _is_solved(self, accumulator: Place) -> bool:
        solved = self._solved.get(accumulator)
        return solved is not None and all(map(self._is_solved, solved.premises.accumulators))

    # Premises

    def _interval(self, place: Place) -> Interval | None:
        """The bounds of a value: an Int from outside of loops has those of its premise, if any."""
        found, (value, field) = self._intervals.get(place), place
        if found is None and field is None and self._small is not None and _is_outside(value):
            premise = Ordinary(value, self._small, is_count=False)
            found = _between(-self._small, self._small, Premises(ordinary=frozenset([premise])))
        return found

    def _steps(self, count: SSAValue) -> tuple[int, Premises]:
        """The most steps, or the largest size, and the premises of that."""
        number = known_int(count)
        if number is not None:
            return max(number, 0), _NONE
        if self._small is None or not _is_outside(count):
            return MOST, _NONE
        premise = Ordinary(count, self._small, is_count=True)
        return self._small, Premises(ordinary=frozenset([premise]))

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
            self._fold(op)
            return
        self._visit_bodies(op)
        if len(op.results) != 1:
            return
        for place in _places(op.results[0]):
            interval = self._evaluate(op) if place[1] is None else self._field(op, place[1])
            if interval is not None:
                self._intervals[place] = interval

    def _fold(self, op: phi.FoldOp) -> None:
        """The bounds of a fold: visit its body with an unknown accumulator, and solve for it."""
        steps, premises = self._steps(op.count)
        self._intervals[op.counter, None] = _between(0, steps, premises)
        known = [place for place in _places(op.init) if self._interval(place) is not None]
        for _, field in known if self._depth < DEEPEST else ():
            accumulator = (op.accumulator, field)
            self._intervals[accumulator] = _unknown(accumulator)
        self._depth += 1
        self._visit_bodies(op)
        self._depth -= 1
        for place in known:
            self._solve(op, place)

    def _solve(self, op: phi.FoldOp, place: Place) -> None:
        """Solve for the accumulator of a fold, or a field of it, with a bounded initial value."""
        _, field = place
        init, step = self._interval(place), self._interval((op.yielded(), field))
        accumulator = (op.accumulator, field)
        if init is None or step is None or accumulator not in self._intervals:
            return
        solved = _solution(init, step, accumulator, self._steps(op.count))
        if solved is not None:
            self._solved[accumulator] = self._intervals[op.result, field] = solved

    def _field(self, op: Operation, field: int) -> Interval | None:
        """The bounds of a field of the record that an operation other than a fold computes."""
        match op:
            case phi.TupleOp():
                operand = op.fields[field]
                return None if isa(operand.type, TupleType) else self._interval((operand, None))
            case arith.SelectOp():
                branches = [self._interval((branch, field)) for branch in (op.lhs, op.rhs)]
                known = [branch for branch in branches if branch is not None]
                return _either(known) if len(known) == len(branches) else None
            case _:
                return None

    def _evaluate(self, op: Operation) -> Interval | None:
        """The bounds of the result of an operation other than a fold, which is no record."""
        number = known_int(op.results[0])
        if number is not None:
            return _limited(_between(number, number))
        match op:
            case arith.IndexCastOp() if isinstance(op.input.type, IndexType):
                return _between(0, *self._positions(op.input))
            case arith.ExtUIOp() if op.input.type == i1:
                return _between(0, 1)
            case sigma.FloorModOp():
                return _remainder(op)
            case phi.SizeOp():
                most, premises = self._steps(op.result)
                return Interval(None if most == MOST else {None: most}, {None: 0}, premises)
            case phi.LoopOp() | phi.AccumulateOp():
                return None
            case phi.ProjOp():
                return self._interval((op.record, op.field.value.data))
            case phi.PhiOp():
                operands = list(_kept(op))
            case arith.SelectOp():
                operands = [op.lhs, op.rhs]
            case _ if isinstance(op, _ARITHMETIC):
                operands = [op.lhs, op.rhs]
            case _:
                return None
        known = [self._interval((operand, None)) for operand in operands]
        intervals = [interval for interval in known if interval is not None]
        if not known or len(known) != len(intervals):
            return None
        return _combined(op, intervals)

    def _positions(self, index: SSAValue) -> tuple[int, Premises]:
        """The largest position of an index, and the premises of that."""
        array = index.block.parent_op() if isinstance(index, BlockArgument) else None
        if self._small is None or not isinstance(array, phi.ArrayOp):
            return MOST, _NONE
        assert isinstance(index, BlockArgument)
        return self._steps(array.sizes[index.index])


def _small(root: Operation) -> int:
    """The largest Int of premises: one to the power of the depth of folds, and one, has bounds."""
    return 2 ** ((LARGEST.bit_length() - 3) // (_depth_of(root) + 1))


def _depth_of(root: Operation) -> int:
    """The most nested folds."""
    inner = [op for region in root.regions for block in region.blocks for op in block.ops]
    return isinstance(root, phi.FoldOp) + max(map(_depth_of, inner), default=0)


def _is_outside(value: SSAValue) -> bool:
    """Whether a value contains Ints, in no record, and is computed outside of all loops."""
    outer = value.owner if isinstance(value.owner, Block) else value.owner.parent
    is_outside = outer is not None and isinstance(outer.parent_op(), func.FuncOp)
    return is_outside and _has_ints(value.type)


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
    """Whether a type is Int, or an array of Ints."""
    return not isa(type_, TupleType) and phi.scalar_of(type_) == i64


def _places(value: SSAValue) -> list[Place]:
    """The Ints, or arrays of them, that a value is, or has as fields."""
    if not isa(value.type, TupleType):
        return [(value, None)] if _has_ints(value.type) else []
    return [(value, k) for k, field in enumerate(value.type.types) if _has_ints(field)]


# Intervals ------------------------------------------------------------------------------------


def _between(least: int, largest: int, premises: Premises = _NONE) -> Interval:
    return Interval({None: largest}, {None: -least}, premises)


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


def _unknown(accumulator: Place) -> Interval:
    """The symbolic bounds of an accumulator before it is solved for."""
    return Interval(
        {Unknown(accumulator, is_negated=False): 0},
        {Unknown(accumulator, is_negated=True): 0},
        Premises(frozenset([accumulator])),
    )


def _solution(
    init: Interval, step: Interval, accumulator: Place, steps: tuple[int, Premises]
) -> Interval | None:
    """The bounds of an accumulator, given those of its initial value, of a step, and of steps."""
    most, premises = steps
    high = _solve(init.high, step.high, Unknown(accumulator, is_negated=False), most)
    low = _solve(init.low, step.low, Unknown(accumulator, is_negated=True), most)
    if high is None or low is None:
        return None
    return Interval(high, low, (init.premises | step.premises | premises).without(accumulator))


def _either(intervals: Sequence[Interval]) -> Interval:
    """The bounds of a value that is any one of several."""
    return Interval(
        _largest([interval.high for interval in intervals]),
        _largest([interval.low for interval in intervals]),
        reduce(Premises.__or__, (interval.premises for interval in intervals), _NONE),
    )


def _minimum(lhs: Interval, rhs: Interval) -> Interval:
    """The bounds of a minimum: the upper bound of either operand holds."""
    bounds = [bound for bound in (lhs.high, rhs.high) if bound is not None]
    high = min(bounds, key=_difficulty, default=None)
    return Interval(high, _largest([lhs.low, rhs.low]), lhs.premises | rhs.premises)


def _difficulty(bound: Bound) -> tuple[int, int]:
    """A sort key that prefers bounds with fewer unknowns, then smaller ones."""
    return sum(unknown is not None for unknown in bound), max(bound.values())


def _sum(lhs: Interval, rhs: Interval) -> Interval | None:
    """The bounds of a sum, if those of one side are numbers."""
    high, low = _added(lhs.high, rhs.high), _added(lhs.low, rhs.low)
    if high is None or low is None:
        return None
    return Interval(high, low, lhs.premises | rhs.premises)


def _product(lhs: Interval, rhs: Interval) -> Interval | None:
    """The bounds of a product, if those of both sides are numbers."""
    x, y = _range(lhs), _range(rhs)
    if x is None or y is None:
        return None
    found = _between((x * y).low, (x * y).high)
    return _limited(Interval(found.high, found.low, lhs.premises | rhs.premises))


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


def _solve(init: Bound | None, step: Bound | None, own: Unknown, steps: int) -> Bound | None:
    """The bound of an accumulator in all steps, given those of its initial value and of a step."""
    if step is None or Unknown(own.accumulator, not own.is_negated) in step:
        return None
    others = {unknown: offset for unknown, offset in step.items() if unknown != own}
    start = _largest([init, others])
    return None if start is None else _raised(start, steps * max(step.get(own, 0), 0))
