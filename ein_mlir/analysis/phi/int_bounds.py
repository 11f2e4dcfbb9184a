"""Bounds of Ints that hold for every number of steps of the folds around them.

An Int, or all Ints in an array, is bounded from above, and so is its negation ::

    v <= max(b, |x| + d, |y| + e, ..)

where ``b, d, e`` are numbers and ``x, y`` are unknowns: accumulators of folds around it. After the
body of a fold, its unknown is solved for: from ``|x'| <= max(|x| + d, c)`` follows
``|x| <= max(|start|, c) + steps * max(d, 0)``. Each operation is visited once, at any depth of
folds.

An Int that may overflow has no bounds. Bounded sums are no-wrap: there are unknowns for at most
``DEEPEST`` nested folds, and no number in a bound is larger than ``LARGEST``.

Bounds may also hold under the premise that Ints from outside of all loops, and counts of steps, are
small. Each has the set of its premises, for a test at run time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IndexType, TupleType, i1, i64
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

from ein_mlir.analysis.arithmetic import INTS, MOST
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.scopes import reached
from ein_mlir.dialects import phi, sigma
from ein_mlir.host.dataclass import dataclass

DEEPEST = 8
"""The most nested folds that are solved for."""

LARGEST = INTS.high // (2 * DEEPEST)
"""The largest number in a bound: sums of one for each of the nested folds are no-wrap."""


Place: TypeAlias = tuple[SSAValue, int | None]
"""A value, or a field of one that is a record."""


@dataclass(frozen=True)
class Ordinary:
    """The premise that the Ints in a value are small: a count, a size, or Ints of an argument."""

    value: SSAValue
    largest: int
    is_count: bool
    """Whether small negative Ints are premised, too, or any negative ones."""


Bound: TypeAlias = Mapping[Place | None, int]
"""The largest of some ``|unknown| + number``, and of the number under the key None."""


@dataclass(frozen=True)
class Interval:
    """Bounds of an Int, or of all Ints in an array, and of their negation, and their premises."""

    high: Bound
    low: Bound
    accumulators: frozenset[Place] = frozenset()
    """The accumulators that must be bounded: otherwise an Int may overflow."""
    ordinary: frozenset[Ordinary] = frozenset()

    @property
    def magnitude(self) -> Bound:
        """The bound of the larger one of an Int and its negation."""
        return _largest(self.high, self.low)

    def with_sides(self, high: Bound | None, low: Bound | None, other: Interval) -> Interval | None:
        """Other bounds with the premises of two; None if there are none, or numbers too large."""
        numbers = [n for bound in (high, low) for n in (bound or {None: INTS.high}).values()]
        if high is None or low is None or max(map(abs, numbers)) > LARGEST:
            return None
        accumulators = self.accumulators | other.accumulators
        return Interval(high, low, accumulators, self.ordinary | other.ordinary)

    def negated(self) -> Interval:
        """The bounds of the negation."""
        return replace(self, high=self.low, low=self.high)

    def either(self, other: Interval) -> Interval | None:
        """The bounds of a value that is either of two."""
        high, low = _largest(self.high, other.high), _largest(self.low, other.low)
        return self.with_sides(high, low, other)

    def least(self, other: Interval) -> Interval | None:
        """The bounds of a minimum: the upper bound of either operand holds."""
        high = min(self.high, other.high, key=_difficulty)
        return self.with_sides(high, _largest(self.low, other.low), other)

    def plus(self, other: Interval) -> Interval | None:
        """The bounds of a sum, if those of one side are numbers."""
        return self.with_sides(_added(self.high, other.high), _added(self.low, other.low), other)

    def times(self, other: Interval) -> Interval | None:
        """The bounds of a product, if those of both sides are numbers."""
        x, y = self.magnitude, other.magnitude
        are_numbers = _is_number(x) and _is_number(y)
        product: Bound | None = {None: x[None] * y[None]} if are_numbers else None
        return self.with_sides(product, product, other)


def _between(least: int, largest: int, *premises: Ordinary) -> Interval:
    return Interval({None: largest}, {None: -least}, ordinary=frozenset(premises))


def _largest(*bounds: Bound) -> Bound:
    """The least bound that each of some bounds implies."""
    result = dict[Place | None, int]()
    for unknown, number in (item for bound in bounds for item in bound.items()):
        result[unknown] = max(number, result.get(unknown, number))
    return result


def _is_number(bound: Bound) -> bool:
    """Whether a bound has no unknowns."""
    return all(unknown is None for unknown in bound)


def _difficulty(bound: Bound) -> tuple[int, int]:
    """A sort key that prefers bounds with fewer unknowns, then smaller ones."""
    return sum(unknown is not None for unknown in bound), max(bound.values())


def _added(lhs: Bound, rhs: Bound) -> Bound | None:
    """The bound of a sum: ``max(|x| + d, ..) + b``."""
    if not _is_number(rhs):
        lhs, rhs = rhs, lhs
    return _raised(lhs, rhs[None]) if _is_number(rhs) else None


def _raised(bound: Bound, by: int) -> Bound:
    """A bound plus a number."""
    return {unknown: number + by for unknown, number in bound.items()}


class IntBounds:
    """Bounds of the Ints of a function or module at the time of the analysis."""

    def __init__(self, root: Operation, *, ordinary: bool = False):
        """With ``ordinary``, the bounds hold under premises about Ints from outside of loops."""
        self._intervals: dict[Place, Interval] = {}
        self._solved: dict[Place, Interval] = {}
        self._depth = 0
        self._small = _small(root) if ordinary else None
        self._visit_bodies(root)

    def magnitude(self, value: SSAValue) -> int | None:
        """The largest magnitude of an Int, or of the Ints in an array.

        None if there is no bound, or if the value is newer than the analysis.
        """
        interval = self._interval((value, None))
        if interval is None or not all(map(self._is_solved, interval.accumulators)):
            return None
        return self._number(interval.magnitude)

    def most(self, count: SSAValue) -> int:
        """The most steps of a fold with a count."""
        return self._steps(count).high[None]

    def premises(self, *values: SSAValue, counts: Sequence[SSAValue] = ()) -> frozenset[Ordinary]:
        """The premises about Ints from outside of loops under which there are bounds of values."""
        known = [self._steps(count) for count in counts]
        for value in values:
            interval = self._interval((value, None))
            assert interval is not None
            known.append(interval)
        own = (place for each in known for place in each.accumulators)
        places = reached(own, lambda place: self._solved[place].accumulators)
        known += [self._solved[place] for place in places]
        return frozenset(premise for each in known for premise in each.ordinary)

    def _is_solved(self, accumulator: Place) -> bool:
        solved = self._solved.get(accumulator)
        return solved is not None and all(map(self._is_solved, solved.accumulators))

    def _number(self, bound: Bound) -> int:
        """A bound as a number, given that its unknowns are all solved."""
        return max(
            number + (0 if unknown is None else self._number(self._solved[unknown].magnitude))
            for unknown, number in bound.items()
        )

    # Premises

    def _interval(self, place: Place) -> Interval | None:
        """The bounds of a value: an Int from outside of loops has those of its premise, if any."""
        found, (value, field) = self._intervals.get(place), place
        if found is None and field is None and self._small is not None and _is_outside(value):
            premise = Ordinary(value, self._small, is_count=False)
            found = _between(-self._small, self._small, premise)
        return found

    def _steps(self, count: SSAValue) -> Interval:
        """The number of steps, or a size."""
        number = known_int(count)
        if number is not None:
            return _between(0, max(number, 0))
        if self._small is None or not _is_outside(count):
            return _between(0, MOST)
        return _between(0, self._small, Ordinary(count, self._small, is_count=True))

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
        steps = self._intervals[op.counter, None] = self._steps(op.count)
        known = [field for place, field in _places(op.init) if self._interval((place, field))]
        for field in known if self._depth < DEEPEST else ():
            own = op.accumulator, field
            self._intervals[own] = Interval({own: 0}, {own: 0}, frozenset([own]))
        self._depth += 1
        self._visit_bodies(op)
        self._depth -= 1
        for field in known:
            self._solve(op, field, steps)

    def _solve(self, op: phi.FoldOp, field: int | None, steps: Interval) -> None:
        """Solve for the accumulator of a fold, or a field of it, with a bounded initial value."""
        init, step = self._interval((op.init, field)), self._interval((op.yielded(), field))
        own = op.accumulator, field
        if init is None or step is None or own not in self._intervals:
            return
        others = dict(step.magnitude)
        more = steps.high[None] * max(others.pop(own, 0), 0)
        bound = _raised(_largest(init.magnitude, others), more)
        solved = init.with_sides(bound, bound, step)
        solved = solved and solved.with_sides(bound, bound, steps)
        if solved is not None:
            solved = replace(solved, accumulators=solved.accumulators - {own})
            self._solved[own] = self._intervals[op.result, field] = solved

    def _field(self, op: Operation, field: int) -> Interval | None:
        """The bounds of a field of the record that an operation other than a fold computes."""
        match op:
            case phi.TupleOp():
                operand = op.fields[field]
                return None if isa(operand.type, TupleType) else self._interval((operand, None))
            case arith.SelectOp():
                return self._either([(op.lhs, field), (op.rhs, field)])
            case _:
                return None

    def _either(self, places: Sequence[Place]) -> Interval | None:
        """The bounds of a value that is any one of several."""
        found = [self._interval(place) for place in places]
        total = found[0] if found else None
        for other in found[1:]:
            total = total and other and total.either(other)
        return total

    def _evaluate(self, op: Operation) -> Interval | None:
        """The bounds of the result of an operation other than a fold, which is no record."""
        number = known_int(op.results[0])
        if number is not None:
            return _between(number, number) if abs(number) <= LARGEST else None
        match op:
            case arith.IndexCastOp() if isinstance(op.input.type, IndexType):
                return self._positions(op.input)
            case arith.ExtUIOp() if op.input.type == i1:
                return _between(0, 1)
            case sigma.FloorModOp():
                divisor = known_int(op.rhs) or 0
                return _between(0, divisor - 1) if 0 < divisor <= LARGEST else None
            case phi.SizeOp():
                steps = self._steps(op.result)
                return None if steps.high[None] == MOST else steps
            case phi.LoopOp() | phi.AccumulateOp():
                return None
            case phi.ProjOp():
                return self._interval((op.record, op.field.value.data))
            case phi.PhiOp():
                found = self._either([(value, None) for value in _kept(op)])
                return found and found.either(_between(0, 0))
            case arith.SelectOp():
                return self._either([(op.lhs, None), (op.rhs, None)])
            case _ if type(op) in _RULES:
                lhs, rhs = (self._interval((side, None)) for side in op.operands)
                return None if lhs is None or rhs is None else _RULES[type(op)](lhs, rhs)
            case _:
                return None

    def _positions(self, index: SSAValue) -> Interval:
        """The positions of an index."""
        array = index.block.parent_op() if isinstance(index, BlockArgument) else None
        if self._small is None or not isinstance(array, phi.ArrayOp):
            return _between(0, MOST)
        assert isinstance(index, BlockArgument)
        return self._steps(array.sizes[index.index])


def _greatest(lhs: Interval, rhs: Interval) -> Interval | None:
    """The bounds of a maximum: that of either operand holds for its negation."""
    least = lhs.negated().least(rhs.negated())
    return least and least.negated()


_RULES: Mapping[type[Operation], Callable[[Interval, Interval], Interval | None]] = {
    arith.AddiOp: Interval.plus,
    arith.SubiOp: lambda lhs, rhs: lhs.plus(rhs.negated()),
    arith.MuliOp: Interval.times,
    arith.MinSIOp: Interval.least,
    arith.MaxSIOp: _greatest,
}


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


def _has_ints(type_: Attribute) -> bool:
    """Whether a type is Int, or an array of Ints."""
    return not isa(type_, TupleType) and phi.scalar_of(type_) == i64


def _places(value: SSAValue) -> list[Place]:
    """The Ints, or arrays of them, that a value is, or has as fields."""
    if not isa(value.type, TupleType):
        return [(value, None)] if _has_ints(value.type) else []
    return [(value, k) for k, field in enumerate(value.type.types) if _has_ints(field)]
