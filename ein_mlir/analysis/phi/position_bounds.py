"""Proofs that positions are in bounds, at the operations that use them.

A position that is a linear form in indices and counters is bounded by their ranges: each index is
at least 0 and less than the size of its comprehension. Other Ints have no known range. Choices may
share parts, so each walk looks at a value once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain

from xdsl.dialects import arith, func
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.demand import counts_of
from ein_mlir.analysis.phi.free_indices import free_indices
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.selections import Test
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence
from ein_mlir.analysis.predicates import relation_of
from ein_mlir.analysis.scopes import ancestors, around, operations_in
from ein_mlir.dialects import phi, sigma


class PositionBounds:
    """Facts about positions; each holds whenever the loops around the position have a step."""

    def __init__(self, forms: IndexForms, known: Sequence[LinearForm] = ()):
        """``known`` are forms that are non-negative as integers, each also a bound of others."""
        self.forms = forms
        self._known = known

    def add(self, *ops: Operation) -> None:
        """Analyse operations that were added to the program, including their bodies."""
        self.forms.add(*ops)

    def where(self, tests: Iterable[Test], counts: Iterable[SSAValue]) -> PositionBounds:
        """The same facts where some tests hold, and some sizes and counts are positive."""
        known = [self.forms.extent(count) - 1 for count in counts]
        known.extend(form for test in tests for form in self.bounds_by(test))
        return self.knowing(known)

    def knowing(self, known: Iterable[LinearForm]) -> PositionBounds:
        """The same facts where some forms are non-negative as integers."""
        return PositionBounds(self.forms, [*self._known, *known])

    def bounds_by(self, test: Test) -> Sequence[LinearForm]:
        """The forms that are non-negative if a test holds."""
        found = relation_of(test.condition, expected=test.expected)
        if found is None:
            return ()
        lhs, rhs = self.forms.integer(found.lhs), self.forms.integer(found.rhs)
        if (below := found.nonpositive(lhs, rhs)) is not None:
            return (-below,)
        sides = rhs - lhs, lhs - rhs
        if found.predicate == "ne":
            return [side - 1 for side in sides if self.is_nonnegative(side)]
        return sides if found.predicate == "eq" else ()

    def is_nonnegative(self, form: LinearForm) -> bool:
        """Whether a form, as an integer, is provably non-negative."""
        return any(
            self.forms.is_nonnegative(form - least) for least in (LinearForm(), *self._known)
        )

    def sides(
        self, position: SSAValue, array: SSAValue, axis: int, at: Operation
    ) -> tuple[bool, bool]:
        """Whether a position may be below, or beyond, the bounds when an operation runs."""
        is_below = self.is_below(position, array, axis)
        if is_below and is_remainder(position):
            is_below = self.is_nonempty(array, axis, at)
        return not self.is_above(position), not is_below

    def in_step(self, at: Operation) -> PositionBounds:
        """The same facts when an operation runs: the loops around it have a step."""
        return self.where((), _counts_around(at))

    def in_steps(self, at: Operation) -> PositionBounds:
        """The same where operations on whole arrays may run for no element of a comprehension."""
        loops = ancestors(at, phi.CountedOp)
        return self.where((), [loop.operands[0] for loop in loops])

    def is_above(self, position: SSAValue) -> bool:
        """Whether a position is provably non-negative."""
        return self._holds(position, None)

    def is_below(
        self, position: SSAValue, array: SSAValue, axis: int, at: Operation | None = None
    ) -> bool:
        """Whether a position is provably less than the size of an axis that is not empty.

        At an operation also by the assertions of the loops around it.
        """
        return any(self._holds(position, size) for size in self._sizes(array, axis, at))

    def without_clips(
        self, position: SSAValue, array: SSAValue, axis: int, at: Operation
    ) -> SSAValue:
        """A position of an element without ``max`` and ``min`` at or beyond the bounds."""
        for size in self._sizes(array, axis, at):
            position = self.forms.unclipped(position, size)
        return position

    def _sizes(self, array: SSAValue, axis: int, at: Operation | None) -> Sequence[LinearForm]:
        if at is not None:
            return self.forms.sizes_at(array, axis, at)
        size = self.forms.size(array, axis)
        return [] if size is None else [size]

    def is_less(self, position: SSAValue, size: SSAValue) -> bool:
        """Whether a position is provably less than an Int that is a size."""
        return self._holds(position, self.forms.extent(size))

    def _holds(self, position: SSAValue, size: LinearForm | None) -> bool:
        """Whether a position is provably less than a size, or not negative if none is given."""
        forms, is_lower = self.forms, size is None

        @cache
        def holds(value: SSAValue) -> bool:
            match value.owner:
                case arith.MaxSIOp() | arith.MinSIOp() as op:
                    is_either = isinstance(op, arith.MaxSIOp) == is_lower
                    return (any if is_either else all)(map(holds, op.operands))
                case arith.SelectOp() as op:
                    return holds(op.lhs) and holds(op.rhs)
                case arith.FloorDivSIOp() as op if forms.range(op.rhs).low >= int(not is_lower):
                    return (is_lower or self.is_above(op.lhs)) and holds(op.lhs)
                case sigma.FloorModOp() as op if forms.range(op.rhs).low >= 0:
                    return size is None or forms.is_at_most(forms.integer(op.rhs), size)
                case _:
                    form = forms.integer(value)
                    return self.is_nonnegative(form if size is None else size - 1 - form)

        return holds(position)

    def is_nonempty(self, array: SSAValue, axis: int, at: Operation) -> bool:
        """Whether an axis is provably not empty whenever an operation runs."""
        extents = list(map(self.forms.extent, _counts_around(at)))
        return any(
            self.forms.is_at_most(least, size)
            for size in self._sizes(array, axis, at)
            for least in (LinearForm.number(1), *extents)
        )


def _counts_around(at: Operation) -> Iterator[SSAValue]:
    """The sizes and counts of the loops around an operation, which are positive when it runs."""
    return chain.from_iterable(map(counts_of, around(at.parent_op())))


def is_remainder(position: SSAValue) -> bool:
    """Whether a position, or one that it is chosen from, is a remainder: 0 by a divisor of 0."""

    @cache
    def holds(value: SSAValue) -> bool:
        match value.owner:
            case arith.MaxSIOp() | arith.MinSIOp() as op:
                return any(map(holds, op.operands))
            case arith.SelectOp() as op:
                return holds(op.lhs) or holds(op.rhs)
            case arith.FloorDivSIOp() as op:
                return holds(op.lhs)
            case owner:
                return isinstance(owner, sigma.FloorModOp)

    return holds(position)


def entry_assertions(function: func.FuncOp) -> list[phi.AssertEqOp]:
    """The assertions about the arguments of a function, which can be made before all else."""
    block = function.body.block
    known = set[SSAValue](block.args)
    found = list[phi.AssertEqOp]()
    for op in block.ops:
        is_cheap = isinstance(op, phi.ProjOp) or (
            not op.regions
            and not isinstance(op, phi.ExternOp | func.ReturnOp)
            and all(map(phi.is_scalar_type, op.result_types))
        )
        if is_cheap and known.issuperset(op.operands):
            known.update(op.results)
            if isinstance(op, phi.AssertEqOp):
                found.append(op)
    return found


def leading_assertions(loop: phi.LoopOp) -> Iterator[phi.AssertEqOp]:
    """The assertions that each step of a loop makes before all else but the sizes they compare."""
    for op in loop.regions[0].block.ops:
        if isinstance(op, phi.AssertEqOp):
            yield op
        elif not isinstance(op, phi.SizeOp | phi.ProjOp) and (
            op.regions or op.dialect_name() != arith.Arith.name
        ):
            return


def entry_sizes(function: func.FuncOp, analyses: AnalysisManager) -> SizeEquivalence:
    """An analysis: the sizes that are equal once the assertions about the arguments hold.

    In a loop they are equal, too, if its steps begin with an assertion.
    """
    early = set(entry_assertions(function))
    for op in operations_in(function):
        if isinstance(op, phi.LoopOp):
            early.update(leading_assertions(op))
    return SizeEquivalence(function, assertions=early)


def position_bounds(function: func.FuncOp, analyses: AnalysisManager) -> PositionBounds:
    """An analysis: the positions of a function that are in bounds.

    It holds from the assertions about the arguments on, and in a loop from those that its steps
    begin with; other assertions may be made later than a position is used.
    """
    sizes, free = analyses.get(entry_sizes, function), analyses.get(free_indices, function)
    return PositionBounds(IndexForms(function, sizes, free))
