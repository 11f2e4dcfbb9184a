"""Sums of contributions over loops, and the steps where the selections in a contribution hold."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import TypeAlias

from xdsl.dialects import arith
from xdsl.ir import Block, SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.arithmetic.inverses import Steps, restrict
from ein_mlir.analysis.phi.demand import counts_of
from ein_mlir.analysis.phi.selections import Test, conjuncts, is_zero
from ein_mlir.analysis.predicates import relation_of
from ein_mlir.analysis.scopes import home_of, is_within, values_behind
from ein_mlir.dialects import phi
from ein_mlir.rewriting.phi.derivatives.contributions import (
    Loop,
    SizeForms,
    Solver,
    depends_on,
    is_step,
)
from ein_mlir.rewriting.phi.derivatives.copies import Copies
from ein_mlir.rewriting.phi.derivatives.sizes import is_visible
from ein_mlir.rewriting.phi.derivatives.tangents import at_end, zeros
from ein_mlir.rewriting.phi.insertion import Builder, Inserter

_Places: TypeAlias = Mapping[SSAValue, SSAValue]
_Element: TypeAlias = tuple[SSAValue, _Places, Sequence[_Places]]


class Sums:
    """Sums values of bodies over loops around them."""

    def __init__(self, copies: Copies, forms: SizeForms):
        self.copies, self.forms = copies, forms
        self.counts: dict[SSAValue, SSAValue] = {}
        """The numbers of steps of some loops, by their indices, as sizes of arrays."""

    def over(
        self,
        build: Inserter,
        loops: Sequence[tuple[Loop, SSAValue]],
        values: dict[SSAValue, SSAValue],
        value: SSAValue,
        positions: Sequence[SSAValue],
        home: Block,
        solvers: Sequence[Solver] = (),
    ) -> SSAValue:
        """The sum of an element of a value over loops; solvers set other variables in a step."""
        if not loops:
            self.mask(build, value, values, solvers, home)
            copy = self.copies.copied(build, value, values, home)
            return build.get(copy, positions) if positions else copy
        (loop, count), *inner_loops = loops
        self._copy_fixed(build, value, loops, values, solvers, home)
        zero = build.number(0.0, phi.scalar_of(value.type))

        def step(inner: Builder, counter: SSAValue, total: SSAValue) -> SSAValue:
            inside = {**values, loop.variable: counter}
            term = self.over(inner, inner_loops, inside, value, positions, home, solvers)
            return inner.add(total, term)

        return build.fold_over(count, zero, step, [loop.variable])

    def _copy_fixed(
        self,
        build: Inserter,
        value: SSAValue,
        loops: Sequence[tuple[Loop, SSAValue]],
        values: dict[SSAValue, SSAValue],
        solvers: Sequence[Solver],
        home: Block,
    ) -> None:
        """Copy the arrays and results of loops that a value needs, and none of some loops changes.

        They have been computed once for all steps of these loops, too.
        """
        variables = {loop.variable for loop, _ in loops}.union(*(each.guarded for each in solvers))
        inside = [home_of(variable) for variable in variables]
        for op in self.copies.bodies_behind(value, values, home):
            if not any(body.is_ancestor(home_of(op)) for body in inside):
                self.copies.copied(build, op.results[0], values, home)

    def solved(
        self, loops: Sequence[Loop], value: SSAValue, home: Block
    ) -> tuple[list[Solver], list[Loop]]:
        """``where(p == k, e, 0)``, summed over ``k``  -->  ``e`` where ``k`` is ``p``

        The solver for such loops, and the other ones.
        """
        left: dict[SSAValue, Loop] = {loop.variable: loop for loop in loops}
        found = dict[SSAValue, LinearForm]()
        for equation in self._equations(value, home):
            earlier = [each for form in found.values() for each in form.coefficients]
            for variable, factor in equation.coefficients.items():
                rest = equation.without([variable])
                is_free = not any(
                    depends_on(each, variable) for each in (*rest.coefficients, *earlier)
                )
                if variable in left and variable not in found and abs(factor) == 1 and is_free:
                    found[variable] = rest * -factor
                    break
        counts = {each: self.count(left[each], home) for each in found}

        def solve(inner: Inserter, values: dict[SSAValue, SSAValue]) -> list[SSAValue]:
            tests = list[SSAValue]()
            for variable, form in found.items():
                step = inner.linear_value(
                    form, lambda x: self.copies.copied(inner, x, values, home)
                )
                values[variable] = step
                if not self._is_step_of(form, left[variable]):
                    tests += is_step(inner, step, counts[variable])
            return tests

        rest = [loop for loop in loops if loop.variable not in found]
        return ([Solver(set(found), solve)] if found else []), rest

    def _is_step_of(self, form: LinearForm, loop: Loop) -> bool:
        """Whether a form is the variable of another loop of as many steps."""
        variable = next(iter(form.coefficients), None)
        if variable is None or form != LinearForm.of(variable):
            return False
        return self._steps_of(variable) == self.forms.steps_of(loop.size)

    def is_selected(self, value: SSAValue, home: Block) -> bool:
        """Whether a selection such as ``p == k`` in a cotangent says where it is not zero."""
        return next(self._equations(value, home), None) is not None

    def is_read(self, value: SSAValue) -> bool:
        """Whether a cotangent is an element of an array, or its negation.

        It may be zero where comparisons of Ints say.
        """
        value = self.copies.now(value)
        match value.owner:
            case arith.NegfOp() as op:
                return self.is_read(op.operand)
            case arith.SelectOp() as op if is_zero(op.lhs) != is_zero(op.rhs):
                chosen = op.lhs if is_zero(op.rhs) else op.rhs
                return _is_by_ints(op.cond) and self.is_read(chosen)
            case owner:
                return isinstance(owner, Block | phi.GetOp)

    def steps(
        self,
        value: SSAValue,
        sizes: Mapping[SSAValue, LinearForm],
        home: Block,
        *,
        alone: bool = False,
    ) -> dict[SSAValue, Steps]:
        """The steps of each loop where a multiple of a cotangent may not be 0.

        With ``alone``, those where the value is 0 whatever factors it has, which may be infinite.
        """
        found = {variable: Steps(LinearForm(), size - 1) for variable, size in sizes.items()}
        for limit, _ in self.limits(value, home, sizes if alone else ()):
            restrict(found, limit)
        return found

    def limits(
        self, value: SSAValue, home: Block, variables: Iterable[SSAValue] = ()
    ) -> Iterator[tuple[LinearForm, Test]]:
        """Forms that are at most 0 where a multiple of a cotangent may not be 0, by its tests.

        Those of the element that it reads of an array are tests of the position, too.
        """
        for test in self._tests(value, home, variables):
            if (limit := self._limit(test)) is not None:
                yield limit, test
        *_, last = value, *self._multiples(value, home, variables)
        if (read := self._element(last)) is not None:
            element, places, written = read
            for limit, test in self.limits(element, home):
                if all(self._holds(self._at(limit, each)) for each in written):
                    yield self._at(limit, places), test

    def _at(self, limit: LinearForm, places: Mapping[SSAValue, SSAValue]) -> LinearForm:
        """A form at other places, by indices."""
        for index, place in places.items():
            limit = limit.substituted(index, self.forms.form_of(place))
        return limit

    def _holds(self, limit: LinearForm) -> bool:
        known = limit.known()
        return known is not None and known <= 0

    def _limit(self, test: Test) -> LinearForm | None:
        """A form that is at most 0 where a test of Ints holds that do not wrap around."""
        found = relation_of(test.condition, expected=test.expected)
        if found is None:
            return None
        sides = found.lhs, found.rhs
        if not all(self.forms.is_exact(self.forms.form(side)) for side in sides):
            return None
        return found.nonpositive(*map(self.forms.form_of, sides))

    def _element(self, value: SSAValue) -> _Element | None:
        """The value of a comprehension that a loop of as many steps reads: ``a[i]`` for i < n.

        With it the variables of the loop for its indices, and the places of updates of it.
        """
        op = value.owner
        if not isinstance(op, phi.GetOp):
            return None
        array, updates = self.copies.now(op.array).owner, list[phi.UpdateOp]()
        while isinstance(array, phi.UpdateOp):
            updates.append(array)
            array = self.copies.now(array.array).owner
        if not isinstance(array, phi.ArrayOp):
            return None
        places = list(map(phi.uncast, op.positions))
        sizes = [self._steps_of(place) for place in places]
        if len(places) != len(array.sizes) or sizes != list(map(self.forms.steps_of, array.sizes)):
            return None
        own = list[SSAValue](array.indices)
        written = [dict(zip(own, each.positions, strict=False)) for each in updates]
        return array.yielded(), dict(zip(own, places, strict=True)), written

    def _steps_of(self, variable: SSAValue) -> LinearForm | None:
        """The number of steps of the loop of a variable; None for other values."""
        op = variable.owner.parent_op() if isinstance(variable.owner, Block) else None
        if not isinstance(op, phi.ComprehensionOp | phi.FoldOp):
            return None
        sizes = dict[SSAValue, SSAValue](zip(op.counters(), counts_of(op), strict=True))
        return self.forms.steps_of(sizes[variable]) if variable in sizes else None

    def _equations(self, value: SSAValue, home: Block) -> Iterator[LinearForm]:
        """Forms that are 0 where a multiple of a cotangent is not, by the selections in it."""
        for test in self._tests(value, home):
            found = relation_of(test.condition, expected=test.expected)
            if found is not None and found.predicate == "eq":
                yield self.forms.form(found.lhs) - self.forms.form(found.rhs)

    def _tests(
        self, value: SSAValue, home: Block, variables: Iterable[SSAValue] = ()
    ) -> Iterator[Test]:
        """Tests that hold where a multiple of a cotangent is not 0, by the selections in it.

        Not by those within a product with a factor that depends on some variables.
        """
        for each in self._multiples(value, home, variables):
            op = each.owner
            if isinstance(op, arith.SelectOp) and (is_zero(op.lhs) or is_zero(op.rhs)):
                yield from conjuncts(Test(op.cond, is_zero(op.rhs)))

    def _multiples(
        self, value: SSAValue, home: Block, variables: Iterable[SSAValue] = ()
    ) -> Iterator[SSAValue]:
        """A value, and those in the same loops that it is a multiple of, or a choice of zero."""
        behind = self._behind_factors(value, home, tuple(variables))
        return takewhile(lambda each: not is_visible(each, home), behind)

    def _behind_factors(
        self, value: SSAValue, home: Block, variables: Collection[SSAValue]
    ) -> Iterator[SSAValue]:
        """The same, up to the first one outside of the loops, without factors by variables."""
        inner: SSAValue | None = value
        while inner is not None:
            yield (each := self.copies.now(inner))
            inner = None if is_visible(each, home) else _behind_factor(each, variables)

    def mask(
        self,
        build: Inserter,
        value: SSAValue,
        values: dict[SSAValue, SSAValue],
        solvers: Sequence[Solver],
        home: Block,
    ) -> None:
        """Solve for variables, and let a value be zero where loops have no such steps.

        There the cotangent is zero that the value is a multiple of. A factor that depends on a
        solved variable has no meaning there. A cotangent of each step is no factor of a product of
        matrices: the loop over steps that tests bound is narrowed if the whole value is zero.
        """
        tests = [test for solver in solvers for test in solver.solve(build, values)]
        if not tests:
            return
        guarded = {variable for solver in solvers for variable in solver.guarded}
        *_, cut = self._behind_factors(value, home, guarded)
        bounds = {variable for solver in solvers for variable in solver.bounds}
        if any(_is_of_step(cut, variable) for variable in bounds):
            cut = value
        element = self.copies.copied(build, cut, values, home)
        zero = zeros(build, element)
        values[cut] = build.select(build.all_of(tests), element, zero)

    def count(self, loop: Loop, home: Block) -> SSAValue:
        """The number of steps of a loop, as the size of an array if there is one."""
        count = self.counts.get(loop.variable, loop.size)
        return self.copies.int_of(
            at_end(home), count if is_visible(count, home) else loop.size, home
        )


def _is_of_step(value: SSAValue, variable: SSAValue) -> bool:
    """Whether a value is that of a step of a loop, also by what the loop carries."""
    block = home_of(variable)
    is_fold = isinstance(block.parent_op(), phi.FoldOp)
    own = set(block.args) if is_fold else {variable}
    return not own.isdisjoint(values_behind([value], lambda each: is_within(each, block)))


def _is_by_ints(condition: SSAValue) -> bool:
    """Whether a condition consists of comparisons of Ints."""
    op = condition.owner
    if isinstance(op, arith.AndIOp | arith.OrIOp | arith.XOrIOp):
        return all(map(_is_by_ints, op.operands))
    return isinstance(op, arith.CmpiOp | arith.ConstantOp)


def _behind_factor(value: SSAValue, variables: Collection[SSAValue]) -> SSAValue | None:
    """The value that another one is a multiple of, or zero, by factors without some variables."""
    op = value.owner
    if isinstance(op, arith.SelectOp) and (is_zero(op.lhs) or is_zero(op.rhs)):
        return op.lhs if is_zero(op.rhs) else op.rhs
    if not isinstance(op, arith.MulfOp | arith.DivfOp | arith.NegfOp):
        return None
    if any(depends_on(factor, each) for factor in op.operands[1:] for each in variables):
        return None
    return op.operands[0]
