"""The steps that the tests of a fold select: a prefix, a suffix, a range, or all but a range."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias, TypeVar

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import BlockArgument, SSAValue
from xdsl.traits import ConstantLike

from ein_mlir.analysis.arithmetic import INTS, LinearForm
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.bounds import Bound, bound_of, exception_of
from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.selections import Step, Test, conjuncts
from ein_mlir.analysis.phi.strided_positions import is_variable, size_of_variable
from ein_mlir.analysis.phi.variables import variables_around
from ein_mlir.analysis.scopes import dependents, is_within, operations_in, outermost_without
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import is_sum
from ein_mlir.dialects.phi.integers import range_of
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.phi.insertion import Builder

MOST_PLACES = 64
"""The largest size of a window that is summed element by element."""


class Selector(Protocol):
    """Positions that select steps."""

    @property
    def parts(self) -> list[SSAValue]:
        """The values that the positions are computed from."""
        ...

    def free(self, free: FreeIndices) -> frozenset[BlockArgument]:
        """The indices that the positions vary with."""
        ...


S = TypeVar("S", bound=Selector)

Value: TypeAlias = FloatAttr | IntegerAttr | SSAValue
"""A literal, or a value of the program."""


@dataclass(frozen=True)
class Interval:
    """The steps from the largest position of some bounds to the smallest one of others."""

    bounds: Sequence[Bound]

    @property
    def parts(self) -> list[SSAValue]:
        """The values that the positions are computed from."""
        return [part for bound in self.bounds for part in bound.parts]

    def free(self, free: FreeIndices) -> frozenset[BlockArgument]:
        """The indices that the positions vary with."""
        return frozenset[BlockArgument]().union(*(bound.free(free) for bound in self.bounds))

    @property
    def has_both_ends(self) -> bool:
        """Whether there are bounds of both kinds."""
        return {bound.suffix for bound in self.bounds} == {False, True}

    def is_ordered(self, forms: IndexForms) -> bool:
        """Whether the first step is provably not after the last."""
        ends = [(bound.suffix, bound.form(forms)) for bound in self.bounds]
        firsts = [form for is_first, form in ends if is_first]
        lasts = [form for is_first, form in ends if not is_first]
        return all(
            first is not None and last is not None and forms.is_at_most(first, last)
            for first in firsts
            for last in lasts
        )

    def ends(
        self,
        build: Builder,
        count: SSAValue,
        value_of: Callable[[SSAValue], SSAValue],
        forms: IndexForms,
    ) -> tuple[SSAValue, SSAValue]:
        """The first step and the one after the last, which is not before it; they may be no steps.

        ``value_of`` has the values of the parts at a place.
        """
        found: dict[bool, SSAValue] = {}
        for bound in self.bounds:
            position = position_of(build, count, bound, value_of)
            if (other := found.get(bound.suffix)) is not None:
                extremum = arith.MaxSIOp if bound.suffix else arith.MinSIOp
                position = build.emit(extremum(position, other))
            found[bound.suffix] = position
        first, behind = found.get(True, build.integer(0)), found.get(False, count)
        if not self.is_ordered(forms):
            behind = build.max(first, behind)
        return first, behind

    def range(
        self,
        build: Builder,
        count: SSAValue,
        value_of: Callable[[SSAValue], SSAValue],
        forms: IndexForms,
    ) -> tuple[SSAValue, SSAValue]:
        """The first step and the number of steps, which are steps of the fold."""
        first, behind = self.ends(build, count, value_of, forms)
        first = build.max(first, 0)
        behind = build.min(behind, count)
        return first, build.max(build.sub(behind, first), 0)


def split(
    op: phi.FoldOp,
    tests: Sequence[Test],
    values: Sequence[SSAValue],
    free: FreeIndices,
    find: Callable[[Test], S | None],
) -> tuple[S, list[Test]] | None:
    """The bound by a variable that no value and no other test varies with, and the other tests.

    It is the same in all steps. The variable is an index, or one of a loop around the fold: a scan
    of values that do not vary with the loop is before it.
    """
    varying = _varying(op) if tests else set[SSAValue]()
    for test in tests:
        bound = find(test)
        if bound is None or not varying.isdisjoint(bound.parts):
            continue
        others = [other for other in tests if other is not test]
        if selects_often(op, bound, [*values, *(other.condition for other in others)], free):
            return bound, others
    return None


def selects_often(
    op: phi.FoldOp, selector: Selector, parts: Sequence[SSAValue], free: FreeIndices
) -> bool:
    """Whether steps are selected more than once, from the same values of some parts.

    For an index that the parts do not vary with, or in each step of a loop around the fold.
    """
    taken = {index for part in (op.count, *parts) for index in free.of(part)}
    return not selector.free(free) <= taken or _serves_a_loop(op, selector, parts)


def range_of_steps(
    op: phi.FoldOp, step: Step, forms: IndexForms
) -> tuple[Interval, list[Test]] | None:
    """The bounds in tests of a step, if they vary with an index that no value of it varies with.

    And the other tests. Equal values are a multiple of their number for one range, too.
    """
    if not step.tests:
        return None
    varying, bounds, others = _varying(op), list[Bound](), list[Test]()
    for test in varying_tests(op, step.tests):
        bound = bound_of(op, test, forms)
        if bound is None or not varying.isdisjoint(bound.parts):
            others.append(test)
        else:
            bounds.append(bound)
    interval = Interval(bounds)
    taken = {index for part in step.parts(others) for index in forms.free.of(part)}
    indices = interval.free(forms.free)
    is_number = repeated_value(op, step) is not None
    is_number_of_steps = is_number and bounds and not others and is_sum(step.combine.name)
    is_range = interval.has_both_ends or is_number_of_steps
    if not is_range or (indices and indices <= taken):
        return None
    if indices or (
        is_number and (not others or selects_often(op, interval, step.parts(others), forms.free))
    ):
        return interval, others
    return None


def repeated_value(op: phi.FoldOp, step: Step) -> Value | None:
    """The value that a step adds if it is the same in all; None for a NaN or an infinity."""
    value = step.value
    literal = ConstantLike.get_constant_value(value) if isinstance(value, SSAValue) else value
    if isa(literal, FloatAttr) and math.isfinite(literal.value.data):
        return literal
    if isa(literal, IntegerAttr):
        return literal
    is_sum = literal is None and isinstance(step.combine, arith.AddfOp | arith.AddiOp)
    is_same = isinstance(value, SSAValue) and value not in _varying(op)
    return value if is_sum and is_same else None


def gap_of(op: phi.FoldOp, test: Test, forms: IndexForms) -> Interval | None:
    """The steps that fail a test, if it holds in all but one range of them.

    ``k != p`` fails in the step p, ``(k < p) | (k >= q)`` from p to q.
    """
    position = exception_of(op, test, forms)
    if position is not None:
        return Interval(
            [Bound(test, position, False, True), Bound(test, position + 1, False, False)]
        )
    tests = list(conjuncts(Test(test.condition, not test.expected)))
    bounds = [bound_of(op, each, forms) for each in tests]
    interval = Interval([bound for bound in bounds if bound is not None])
    return interval if len(interval.bounds) == len(tests) and interval.has_both_ends else None


def varying_tests(op: phi.FoldOp, tests: Sequence[Test]) -> list[Test]:
    """The tests that vary with the steps of a fold."""
    varying = _varying(op) if tests else ()
    return [test for test in tests if test.condition in varying]


def _varying(op: phi.FoldOp) -> set[SSAValue]:
    """The values that vary with the steps of a fold."""
    block = op.body.block
    return dependents(block, op.counter, op.accumulator)


def is_stored_once(
    op: phi.FoldOp, limits: Sequence[SSAValue], parts: Sequence[SSAValue], forms: IndexForms
) -> bool:
    """Whether a scan of some parts leaves the loops whose variables select prefixes of it.

    If the parts vary with other variables of these loops, there is a scan for each of them: with
    indices, or with variables of loops inside. A step of a loop has one value of each variable. The
    scans are no larger than an array that the steps read there, or that these loops compute.
    """
    bounds = variables_around(op, limits)
    loops = [loop for v in bounds if isinstance(loop := v.block.parent_op(), phi.BodyOp)]
    steps = {v.block for v in bounds if isinstance(v.block.parent_op(), phi.LoopOp)}
    inner = {
        v
        for v in variables_around(op, parts) - bounds
        if v.block not in steps and any(loop.is_ancestor(v.block) for loop in loops)
    }
    arrays = [loop for loop in loops if isinstance(loop, phi.ArrayOp)]
    if inner <= {index for loop in arrays for index in loop.indices}:
        return True
    gets = (each for each in operations_in(op) if isinstance(each, phi.GetOp))
    return any(
        inner | {op.counter} <= {x for at in get.positions for x in forms.form(at).coefficients}
        for get in gets
    )


def _serves_a_loop(op: phi.FoldOp, selector: Selector, parts: Sequence[SSAValue]) -> bool:
    """Whether a loop around a fold, whose variables the parts do not vary with, changes a bound."""
    loops = [v.block.parent_op() for v in variables_around(op, selector.parts)]
    loops = [loop for loop in loops if isinstance(loop, phi.FoldOp | phi.WhileOp)]
    if not loops:
        return False
    place = outermost_without(op, variables_around(op, [op.count, *parts]))
    return any(map(place.is_ancestor, loops))


@dataclass(frozen=True)
class Window:
    """``first <= k < first + size``"""

    first: LinearForm
    size: int
    bounds: tuple[Bound, Bound]


def window_of(op: phi.FoldOp, step: Step, forms: IndexForms) -> Window | None:
    """The window of constant size that tests of a step restrict the counter to."""
    bounds = [bound_of(op, test, forms) for test in step.tests]
    found = [bound for bound in bounds if bound is not None]
    for first in (bound for bound in found if bound.suffix):
        for last in (bound for bound in found if not bound.suffix):
            low, high = (bound.form(forms) for bound in (first, last))
            if low is None or high is None or any(is_within(a, op) for a in low.coefficients):
                continue
            size = forms.canonical(high - low).known()
            if size is not None and 0 < size <= MOST_PLACES and low.coefficients:
                return Window(low, size, (first, last))
    return None


def reached(op: phi.FoldOp, bound: Bound, forms: IndexForms) -> list[Test] | None:
    """The test that a step is in the longest prefix of an index, or suffix; None of other bounds.

    ``k < n - 1`` for ``k < i`` and n indices, or steps of a loop around the fold. There is none if
    the prefix has all steps.
    """
    position, variables = bound.form(forms), list(variables_around(op, bound.parts))
    if position is None or len(variables) != 1 or not is_variable(variables[0]):
        return None
    factor, rest = position.coefficients.get(variables[0], 0), position.without(variables)
    if abs(factor) != 1:
        return None
    if (factor == 1) != bound.suffix:
        rest += (forms.integer(size_of_variable(variables[0])) - 1) * factor
    if forms.is_at_most(
        *((rest, LinearForm()) if bound.suffix else (forms.integer(op.count), rest))
    ):
        return []
    start, predicate = Builder.at_start(op.body.block), "sge" if bound.suffix else "slt"
    return [Test(start.compare(op.counter, predicate, start.linear_value(rest)), True)]


def position_of(
    build: Builder, count: SSAValue, bound: Bound, value_of: Callable[[SSAValue], SSAValue]
) -> SSAValue:
    """The position of a bound, from the values of its parts at a place."""
    if isinstance(bound.position, LinearForm):
        return build.linear_value(bound.position, value_of)
    position = value_of(bound.position)
    if bound.plus_one:
        if range_of(bound.position).high == INTS.high:
            position = build.min(position, count)
        position = build.add(position, 1)
    return position
