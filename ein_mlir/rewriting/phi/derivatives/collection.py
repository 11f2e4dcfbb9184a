"""The collection of contributions: over the loops around them, into one array of their sum.

A contribution is a value in a body, at positions. It becomes an array for the positions that are
indices of loops, a sum over windows for sums of their variables, and else an accumulation.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TypeAlias

from xdsl.builder import Builder
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, i64
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import PassFailedException

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.phi.inverse_positions import Steps, beyond_ends, inverses, restrict
from ein_mlir.analysis.phi.selections import Test, conjuncts
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import ALGEBRAS
from ein_mlir.dialects.phi import Term
from ein_mlir.rewriting.phi.builders import (
    Inserter,
    accumulation,
    all_of,
    comprehension,
    integer,
    linear_value,
)
from ein_mlir.rewriting.phi.derivatives.contributions import (
    Contribution,
    Loop,
    Part,
    Placed,
    Selected,
    SizeForms,
    Solver,
    Window,
    added,
    as_int,
    bound_variable,
    clipped_position,
    depends_on,
    is_fixed,
    is_step,
    is_visible,
    is_zero,
    loops_around,
    plus,
    selected,
    sum_from,
)
from ein_mlir.rewriting.phi.derivatives.copies import Copies
from ein_mlir.rewriting.phi.derivatives.scalars import constant
from ein_mlir.rewriting.phi.derivatives.tangents import at_end, filled, zeros


def _check_sums_of(value: SSAValue) -> None:
    """Raise an error for cotangents that no accumulation adds: floats of 16 bits."""
    if (scalar := phi.scalar_of(value.type)) not in ALGEBRAS["arith.addf"].types:
        raise PassFailedException(
            f"differentiate: cotangents of '{scalar}' are not added at positions: convert the "
            "array to f32 first"
        )


def _moves(positions: Sequence[SSAValue], loop: Loop) -> bool:
    """Whether some of the positions depend on the steps of a loop."""
    return any(depends_on(position, loop.variable) for position in positions)


Element: TypeAlias = Callable[[Inserter, Sequence[SSAValue]], SSAValue]
"""Builds an element of an array at some indices."""


def _with_end(
    build: Inserter,
    total: SSAValue,
    axis: int,
    size: SSAValue | None,
    indices: Sequence[SSAValue],
    beyond: Iterable[tuple[Element, int]],
) -> SSAValue:
    """``select q == p, t + x, t`` for the sum x of some elements beyond the end p of an axis.

    They are before the first one, or from the size on.
    """
    values, place = [total], integer(build, 0) if size is None else plus(build, size, -1)
    for element, count in beyond:

        def at(inner: Inserter, position: SSAValue, element: Element = element) -> SSAValue:
            return element(inner, [*indices[:axis], position, *indices[axis + 1 :]])

        start = integer(build, -count) if size is None else size
        is_one = count == 1
        values.append(at(build, start) if is_one else sum_from(build, start, count, total.type, at))
    index = as_int(build, indices[axis])
    is_there = build.insert(arith.CmpiOp(index, place, "eq")).result
    return build.insert(arith.SelectOp(is_there, added(build, values), total)).result


class Collector:
    """Collects contributions to cotangents over the loops between two blocks."""

    def __init__(self, copies: Copies, forms: SizeForms):
        self._copies, self._forms, self._sizes = copies, forms, copies.sizes
        self._copy, self._array = copies.copied, copies.comprehension
        self._size, self._int = copies.size, copies.int_of
        self.counts: dict[SSAValue, SSAValue] = {}
        """The numbers of steps of some loops, by their indices, as sizes of arrays."""

    def collected(self, terms: Sequence[Term], contribution: Contribution, home: Block) -> Part:
        """A contribution in another block: over all loops between."""
        build, loops = at_end(home), list(loops_around(contribution.block, home))
        value = self._copies.now(contribution.value)
        if not loops and not contribution.positions:
            return value
        at = contribution.block.last_op
        return self._over_loops(build, terms, loops, contribution.positions, value, home, at)

    def joined(
        self, build: Inserter, terms: Sequence[Term], parts: Sequence[Part], home: Block
    ) -> SSAValue:
        """The sum of the parts of an array: windows of the same axes have one array."""
        values = [part for part in parts if isinstance(part, SSAValue)]
        placed = [part for part in parts if isinstance(part, Placed)]
        windows = defaultdict[tuple[bool, int], list[Window]](list)
        for part in parts:
            if isinstance(part, Window):
                windows[part.is_shift, len(part.inverses)].append(part)
        for (is_shift, _), group in windows.items():
            array = self._shifted if is_shift else self._windowed
            values.append(array(build, terms, group, home))
        for part in parts:
            if isinstance(part, Selected):
                found = part.selection() if values else part.accumulation()
                if isinstance(found, Placed):
                    placed.append(found)
                else:
                    values.append(found)
        total = self.added_values(build, terms, values, home) if values else None
        return self._placed(build, terms, total, placed, home) if placed or not total else total

    def added_values(
        self, build: Inserter, terms: Sequence[Term], values: Sequence[SSAValue], home: Block
    ) -> SSAValue:
        """The sum of values of sizes ``terms``."""
        if len(values) == 1 or not terms:
            return added(build, values)

        def element(inner: Inserter, indices: Sequence[SSAValue]) -> SSAValue:
            return added(inner, [inner.insert(phi.GetOp(each, indices)).result for each in values])

        sizes = [self._size(build, term, home) for term in terms]
        return self._array(build, sizes, element)

    def _over_loops(
        self,
        build: Inserter,
        terms: Sequence[Term],
        loops: Sequence[Loop],
        positions: Sequence[SSAValue],
        value: SSAValue,
        home: Block,
        at: Operation | None,
    ) -> Part:
        """A part of an array of sizes ``terms``: the values of all steps at their positions."""
        fixed = [axis for axis, position in enumerate(positions) if is_fixed(position, home)]
        if fixed:
            left = [axis for axis in range(len(positions)) if axis not in fixed]
            rest = [*(terms[axis] for axis in left), *terms[len(positions) :]]
            moving = [positions[axis] for axis in left]
            if loops or moving:
                part = self._over_loops(build, rest, loops, moving, value, home, at)
                value = self.joined(build, rest, [part], home)
            return self._place(build, terms, {k: positions[k] for k in fixed}, value, home)
        axes = self._index_axes(terms, positions, loops, at)
        if None not in axes:
            indices = [loop for loop in axes if loop is not None]
            rest = [loop for loop in loops if loop not in indices]
            same = None if rest else self._whole(terms, indices, value, home)
            return same or self.gathered(build, terms, indices, rest, value, home)
        window = self._window(build, terms, positions, loops, axes, value, home)
        if window is not None:
            return window
        given = build, terms, loops, positions, axes, value, home
        if not self._is_once(positions, loops, axes):
            return self._accumulated(*given)
        return Selected(partial(self._selection, *given), partial(self._accumulated, *given))

    def _place(
        self,
        build: Inserter,
        terms: Sequence[Term],
        positions: Mapping[int, SSAValue],
        value: SSAValue,
        home: Block,
    ) -> Placed:
        """``a[p] += x``, once"""
        sizes = {axis: self._size(build, terms[axis], home) for axis in positions}
        places = {
            axis: clipped_position(build, self._copy(build, position, {}, home), sizes[axis])
            for axis, position in positions.items()
        }
        return Placed(places, value)

    def _placed(
        self,
        build: Inserter,
        terms: Sequence[Term],
        total: SSAValue | None,
        parts: Sequence[Placed],
        home: Block,
    ) -> SSAValue:
        """``a[p] += x``, once  -->  ``update a[p], a[p] + x``, or a selection by other axes"""
        sizes = [self._size(build, term, home) for term in terms]
        first = [part for part in parts if part.is_first]
        inner = [part for part in parts if not part.is_first]
        if is_empty := total is None and not inner:
            total = filled(build, sizes, phi.scalar_of(parts[0].value.type))
            assert isinstance(total.owner, Operation)
            self._sizes.add(total.owner)

        def element(build: Inserter, indices: Sequence[SSAValue]) -> SSAValue:
            found = [] if total is None else [build.insert(phi.GetOp(total, indices)).result]
            return added(build, found + [selected(build, part, indices) for part in inner])

        result = self._array(build, sizes, element) if inner or total is None else total
        for part in first:
            places, value = list(part.places.values()), part.value
            if not is_empty:
                before = build.insert(phi.GetOp(result, places)).result
                value = self.added_values(build, terms[len(places) :], (before, value), home)
            result, is_empty = self._copies.sized(build, phi.UpdateOp(result, places, value)), False
        return result

    def _index_axes(
        self,
        terms: Sequence[Term],
        positions: Sequence[SSAValue],
        loops: Sequence[Loop],
        at: Operation | None,
    ) -> list[Loop | None]:
        """The loop over each axis, if the position is its index and takes all its values once.

        Assertions in the loops count: without a step there is no contribution.
        """
        left: dict[SSAValue, Loop] = {loop.variable: loop for loop in loops}
        found: list[Loop | None] = []
        for term, position in zip(terms, positions, strict=False):
            loop = left.get(phi.uncast(position))
            if loop is not None and self._sizes.same(term, loop.size, at):
                del left[loop.variable]
                found.append(loop)
            else:
                found.append(None)
        return found

    def _whole(
        self, terms: Sequence[Term], indices: Sequence[Loop], value: SSAValue, home: Block
    ) -> SSAValue | None:
        """``array (i < n) { a[i] }  -->  a``, if ``a`` has the size ``n``"""
        op = value.owner
        if (
            isinstance(op, phi.GetOp)
            and list(map(phi.uncast, op.positions)) == [loop.variable for loop in indices]
            and is_visible(op.array, home)
            and all(
                self._sizes.same(Term(op.array, (), axis), term) for axis, term in enumerate(terms)
            )
        ):
            return op.array
        return None

    def gathered(
        self,
        build: Inserter,
        terms: Sequence[Term],
        indices: Sequence[Loop],
        rest: Sequence[Loop],
        value: SSAValue,
        home: Block,
    ) -> SSAValue:
        """``a[i, ..] += x`` in loops  -->  ``array (i, ..) { sum of x over other loops }``"""
        variables = [loop.variable for loop in indices]
        for axis, (loop, term) in enumerate(zip(indices, terms, strict=False)):
            if self._sizes.same(loop.size, term):
                terms = [*terms[:axis], Term(loop.size), *terms[axis + 1 :]]
        sizes = [self._size(build, term, home) for term in terms]
        solvers, rest = self._selected(build, rest, value, home)
        counts = [self._count(build, loop, home) for loop in rest]

        def element(inner: Inserter, found: Sequence[SSAValue]) -> SSAValue:
            values = bound_variable(inner, variables, found)
            loops = list(zip(rest, counts, strict=True))
            return self._summed(inner, loops, values, value, found[len(indices) :], home, solvers)

        return self._array(build, sizes, element) if sizes else element(build, ())

    # Windows

    def _window(
        self,
        build: Inserter,
        terms: Sequence[Term],
        positions: Sequence[SSAValue],
        loops: Sequence[Loop],
        axes: Sequence[Loop | None],
        value: SSAValue,
        home: Block,
    ) -> Window | None:
        """The steps that reach an element, if positions are sums of variables of loops."""
        sizes: dict[SSAValue, LinearForm] = {
            loop.variable: self._forms.form_of(loop.size) for loop in loops
        }
        forms = [self._forms.form_of(position) for position in positions]
        found = inverses(forms, sizes)
        if found is None or not all(
            atom in sizes or is_visible(atom, home)
            for each in found
            for atom in each.rest.coefficients
        ):
            return None
        steps = self._steps(value, sizes, home)
        ends = list[tuple[int, int]]()
        for axis, form in enumerate(forms):
            extent = self._forms.form_of(self._size(build, terms[axis], home))
            beyond = beyond_ends(form, extent, steps)
            if axes[axis] is not None:
                beyond = (0, 0)
            if beyond is None:
                return None
            ends.append(beyond)
        whole = {axis for axis, loop in enumerate(axes) if loop is not None}
        by_axis = sorted(found, key=lambda each: each.axis)
        whole = {axis for axis in whole if not by_axis[axis].rest.coefficients}
        zero_beyond = self._steps(value, sizes, home, alone=True)
        return Window(loops, by_axis, found, ends, whole, zero_beyond, value)

    def _shifted(
        self, build: Inserter, terms: Sequence[Term], windows: Sequence[Window], home: Block
    ) -> SSAValue:
        """``a[i + 1] += x`` in a loop  -->  ``array (q) { x[q - 1], + x[n - 1] if q is last }``

        where reads beyond the ends of ``x`` are zero. No element but one at an end has more than
        one contribution of a window.
        """
        sizes = [self._size(build, term, home) for term in terms]
        inside = [(0, 0)] * len(windows[0].inverses)
        pairs = [(each, self._of_window(build, each, inside, home)) for each in windows]

        def element(inner: Inserter, found: Sequence[SSAValue]) -> SSAValue:
            total = added(inner, [each(inner, found) for _, each in pairs])
            for axis in range(len(inside)):
                for size, side in ((None, 0), (sizes[axis], 1)):
                    at_end = [(each, w.ends[axis][side]) for w, each in pairs if w.ends[axis][side]]
                    if at_end:
                        total = _with_end(inner, total, axis, size, found, at_end)
            return total

        return self._array(build, sizes, element)

    def _windowed(
        self, build: Inserter, terms: Sequence[Term], windows: Sequence[Window], home: Block
    ) -> SSAValue:
        """``a[i + k - 1] += x`` in loops  -->  ``array (q) { sum of x[q + 1 - k] over k }``

        where reads beyond the ends of ``x`` are zero. Contributions to positions beyond the ends of
        ``a`` are those to the elements at the ends, as ``phi.get`` clips.
        """
        sizes = [self._size(build, term, home) for term in terms]
        all_ends = zip(*(window.ends for window in windows), strict=True)
        ends = [(max(a for a, _ in each), max(b for _, b in each)) for each in map(list, all_ends)]
        extents = [
            plus(build, size, sum(beyond)) for size, beyond in zip(sizes, ends, strict=False)
        ]
        elements = [self._of_window(build, window, ends, home) for window in windows]

        def element(inner: Inserter, found: Sequence[SSAValue]) -> SSAValue:
            return added(inner, [each(inner, found) for each in elements])

        rows = sizes[len(ends) :]
        result = self._array(build, [*extents, *rows], element)
        for axis, (below, beyond) in enumerate(ends):
            if below or beyond:
                sizes_now = [*sizes[: axis + 1], *extents[axis + 1 :], *rows]
                result = self._clip(build, result, axis, sizes_now, below, beyond)
        return result

    def _of_window(
        self, build: Inserter, window: Window, ends: Sequence[tuple[int, int]], home: Block
    ) -> Element:
        """An element of an array that continues beyond its ends: the sum over the window."""
        own, value = window.inverses, window.value
        loops: dict[SSAValue, Loop] = {loop.variable: loop for loop in window.loops}
        counts = {variable: self._count(build, loop, home) for variable, loop in loops.items()}
        whole = {axis for axis in window.whole if ends[axis] == (0, 0)}
        guarded = {each.variable for each in own if each.axis not in whole}
        solved = {each.variable for each in own}
        given = {each for inverse in own for each in inverse.rest.coefficients}
        others = [loop for loop in window.loops if loop.variable not in solved]
        bound = [loop for loop in others if any(depends_on(x, loop.variable) for x in given)]
        solver, free = self._selected(
            build, [loop for loop in others if loop not in bound], value, home
        )
        rest = [(loop, counts[loop.variable]) for loop in (*bound, *free)]

        def element(inner: Inserter, found: Sequence[SSAValue]) -> SSAValue:
            def at(build: Inserter, values: dict[SSAValue, SSAValue]) -> list[SSAValue]:
                tests = list[SSAValue]()
                for each in window.in_order:
                    if each.axis in whole:
                        values.update(bound_variable(build, [each.variable], [found[each.axis]]))
                        continue
                    place = LinearForm.of(found[each.axis]) - ends[each.axis][0]
                    step = linear_value(build, each.solution(place), lambda x: values.get(x, x))
                    values[each.variable] = step
                    steps, size = window.steps[each.variable], counts[each.variable]
                    last = self._forms.form_of(size) - 1
                    tests += is_step(
                        build, step, size, first=steps.is_after(0), last=steps.is_before(last)
                    )
                return tests

            solvers = [Solver(guarded, at), *solver]
            return self._summed(inner, rest, {}, value, found[len(own) :], home, solvers)

        return element

    def _clip(
        self,
        build: Inserter,
        array: SSAValue,
        axis: int,
        sizes: Sequence[SSAValue],
        below: int,
        beyond: int,
    ) -> SSAValue:
        """``a[q + below]``, and the elements beyond the ends of the axis added to those there."""

        def element(inner: Inserter, indices: Sequence[SSAValue]) -> SSAValue:
            before, behind = indices[:axis], indices[axis + 1 :]
            last = plus(inner, sizes[axis], -1)

            def at(build: Inserter, position: SSAValue) -> SSAValue:
                return build.insert(phi.GetOp(array, [*before, position, *behind])).result

            index = as_int(inner, indices[axis])
            total = at(inner, plus(inner, index, below))
            end = plus(inner, sizes[axis], below)
            for count, start, place in ((below, None, integer(inner, 0)), (beyond, end, last)):
                if count:
                    more = sum_from(inner, start, count, total.type, at)
                    is_there = inner.insert(arith.CmpiOp(index, place, "eq")).result
                    zero = inner.insert(constant(0.0, total.type)).result
                    more = inner.insert(arith.SelectOp(is_there, more, zero)).result
                    total = inner.insert(arith.AddfOp(total, more)).result
            return total

        return self._array(build, sizes, element)

    # Sums and their masks

    def _summed(
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
            self._mask(build, value, values, solvers, home)
            copy = self._copy(build, value, values, home)
            return build.insert(phi.GetOp(copy, positions)).result if positions else copy
        (loop, count), *inner_loops = loops
        zero = build.insert(constant(0.0, phi.scalar_of(value.type))).result
        body = Block(arg_types=[i64, zero.type])
        body.args[0].name_hint = loop.variable.name_hint
        inner = Builder(InsertPoint.at_end(body))
        inside = {**values, loop.variable: body.args[0]}
        term = self._summed(inner, inner_loops, inside, value, positions, home, solvers)
        inner.insert(phi.YieldOp(inner.insert(arith.AddfOp(body.args[1], term))))
        return build.insert(phi.FoldOp(count, zero, Region(body))).result

    def _selected(
        self, build: Inserter, loops: Sequence[Loop], value: SSAValue, home: Block
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
        counts = {each: self._count(build, left[each], home) for each in found}

        def solve(inner: Inserter, values: dict[SSAValue, SSAValue]) -> list[SSAValue]:
            tests = list[SSAValue]()
            for variable, form in found.items():
                step = linear_value(inner, form, lambda x: self._copy(inner, x, values, home))
                values[variable] = step
                tests += is_step(inner, step, counts[variable])
            return tests

        rest = [loop for loop in loops if loop.variable not in found]
        return ([Solver(set(found), solve)] if found else []), rest

    def is_selected(self, value: SSAValue, home: Block) -> bool:
        """Whether the selections in a cotangent say in which steps it is zero."""
        tests = self._tests(value, home)
        return any(isinstance(test.condition.owner, arith.CmpiOp) for test in tests)

    def _steps(
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
        for test in self._tests(value, home, sizes if alone else ()):
            op = test.condition.owner
            if not isinstance(op, arith.CmpiOp) or op.lhs.type not in (i64, IndexType()):
                continue
            sides = [self._forms.form(side) for side in op.operands]
            if all(map(self._forms.is_exact, sides)):
                lhs, rhs = (self._forms.form_of(side) for side in op.operands)
                restrict(found, lhs - rhs, op.predicate.value.data, expected=test.expected)
        return found

    def _equations(self, value: SSAValue, home: Block) -> Iterator[LinearForm]:
        """Forms that are 0 where a multiple of a cotangent is not, by the selections in it."""
        for test in self._tests(value, home):
            op, equal = test.condition.owner, 0 if test.expected else 1
            if not isinstance(op, arith.CmpiOp) or op.predicate.value.data != equal:
                continue
            if op.lhs.type in (i64, IndexType()):
                yield self._forms.form(op.lhs) - self._forms.form(op.rhs)

    def _tests(
        self, value: SSAValue, home: Block, variables: Iterable[SSAValue] = ()
    ) -> Iterator[Test]:
        """Tests that hold where a multiple of a cotangent is not 0, by the selections in it.

        Not by those within a product with a factor that depends on some variables.
        """
        value = self._copies.now(value)
        while not is_visible(value, home):
            op = value.owner
            if isinstance(op, arith.SelectOp) and (is_zero(op.lhs) or is_zero(op.rhs)):
                yield from conjuncts(Test(op.cond, is_zero(op.rhs)))
                value = op.lhs if is_zero(op.rhs) else op.rhs
            elif isinstance(op, arith.MulfOp | arith.DivfOp | arith.NegfOp):
                if any(depends_on(each, x) for each in op.operands[1:] for x in variables):
                    break
                value = op.operands[0]
            else:
                break
            value = self._copies.now(value)

    def _mask(
        self,
        build: Inserter,
        value: SSAValue,
        values: dict[SSAValue, SSAValue],
        solvers: Sequence[Solver],
        home: Block,
    ) -> None:
        """Solve for variables, and let a value be zero where loops have no such steps.

        There the cotangent is zero that the value is a multiple of. A factor that depends on a
        solved variable has no meaning there.
        """
        tests = [test for solver in solvers for test in solver.solve(build, values)]
        if not tests:
            return
        guarded = {variable for solver in solvers for variable in solver.guarded}
        cut = self._copies.now(value)
        while not is_visible(cut, home) and isinstance(
            op := cut.owner, arith.MulfOp | arith.DivfOp | arith.NegfOp
        ):
            if any(depends_on(factor, each) for factor in op.operands[1:] for each in guarded):
                break
            cut = self._copies.now(op.operands[0])
        element = self._copy(build, cut, values, home)
        zero = zeros(build, element)
        values[cut] = build.insert(arith.SelectOp(all_of(build, tests), element, zero)).result

    def _count(self, build: Inserter, loop: Loop, home: Block) -> SSAValue:
        """The number of steps of a loop, as the size of an array if there is one."""
        count = self.counts.get(loop.variable, loop.size)
        return self._int(build, count if is_visible(count, home) else loop.size, home)

    # Accumulations

    def _is_once(
        self, positions: Sequence[SSAValue], loops: Sequence[Loop], axes: Sequence[Loop | None]
    ) -> bool:
        """Whether the indices of some axes determine the positions along the others."""
        moving = [loop for loop in loops if _moves(positions, loop)]
        return any(axes) and all(loop in axes for loop in moving)

    def _selection(
        self,
        build: Inserter,
        terms: Sequence[Term],
        loops: Sequence[Loop],
        positions: Sequence[SSAValue],
        axes: Sequence[Loop | None],
        value: SSAValue,
        home: Block,
    ) -> SSAValue:
        """``a[i, p(i)] += x`` in loops  -->  ``array (i, q) { select q == p(i) clipped, x, 0 }``"""
        sizes = [self._size(build, term, home) for term in terms]
        own = [loop for loop in axes if loop is not None]
        rest = [(loop, self._count(build, loop, home)) for loop in loops if loop not in own]
        over = [size for size, loop in zip(sizes, axes, strict=False) if loop is not None]
        rows = sizes[len(axes) :]

        def summed(inner: Inserter, found: Sequence[SSAValue]) -> SSAValue:
            values = bound_variable(inner, [loop.variable for loop in own], found)
            return self._summed(inner, rest, values, value, found[len(own) :], home)

        total = self._array(build, [*over, *rows], summed)

        def element(inner: Inserter, found: Sequence[SSAValue]) -> SSAValue:
            at = [index for index, loop in zip(found, axes, strict=False) if loop is not None]
            values = bound_variable(inner, [loop.variable for loop in own], at)
            places = {
                axis: clipped_position(
                    inner, self._copy(inner, position, values, home), sizes[axis]
                )
                for axis, position in enumerate(positions)
                if axes[axis] is None
            }
            return selected(inner, Placed(places, total), found)

        return self._array(build, sizes, element)

    def _accumulated(
        self,
        build: Inserter,
        terms: Sequence[Term],
        loops: Sequence[Loop],
        positions: Sequence[SSAValue],
        axes: Sequence[Loop | None],
        value: SSAValue,
        home: Block,
    ) -> SSAValue | Placed:
        """``a[p] += x`` in loops  -->  ``accumulate (i, ..) into (size a) { p clipped, x }``

        where ``x`` is summed over the loops that no position depends on.
        """
        rows = self._row_loops(positions, axes)
        indices = [loop for loop in loops if loop not in rows]
        solvers = list[Solver]()
        if not rows:
            solvers, indices = self._selected(build, indices, value, home)
        scattered = range(len(positions) - len(rows))
        summed = list[tuple[Loop, SSAValue]]()
        if not solvers:
            apart = [loop for loop in indices if not _moves(positions, loop)]
            indices = [loop for loop in indices if loop not in apart]
            summed = [(loop, self._count(build, loop, home)) for loop in apart]
        extents = [self._size(build, terms[axis], home) for axis in scattered]
        sizes = [self._int(build, loop.size, home) for loop in indices]
        row_sizes = [self._size(build, term, home) for term in terms[len(scattered) :]]

        def contributions(
            inner: Inserter, found: Sequence[SSAValue]
        ) -> list[tuple[list[SSAValue], SSAValue]]:
            values = bound_variable(inner, [loop.variable for loop in indices], found)
            self._mask(inner, value, values, solvers, home)
            at = [self._copy(inner, positions[axis], values, home) for axis in scattered]
            clipped = [
                as_int(inner, position) if axes[axis] else clipped_position(inner, position, extent)
                for axis, (position, extent) in enumerate(zip(at, extents, strict=True))
            ]
            return [(clipped, self._row(inner, rows, row_sizes, values, value, home, summed))]

        if not indices:
            ((at, row),) = contributions(build, ())
            return Placed(dict(enumerate(at)), row)
        _check_sums_of(value)
        names = [loop.variable for loop in indices]
        result = accumulation(build, sizes, [("add", extents)], contributions, names)
        assert isinstance(result.owner, Operation)
        self._sizes.add(result.owner)
        return result

    def _row(
        self,
        build: Inserter,
        rows: Sequence[Loop],
        sizes: Sequence[SSAValue],
        values: dict[SSAValue, SSAValue],
        value: SSAValue,
        home: Block,
        loops: Sequence[tuple[Loop, SSAValue]],
    ) -> SSAValue:
        """The accumulated sum over loops: a row, if the last positions are indices of its own."""
        if not rows:
            return self._summed(build, loops, values, value, (), home)

        def element(inner: Inserter, found: Sequence[SSAValue]) -> SSAValue:
            inside = {**values, **bound_variable(inner, [row.variable for row in rows], found)}
            return self._summed(inner, loops, inside, value, found[len(rows) :], home)

        return comprehension(build, sizes, element, [row.variable for row in rows])

    def _row_loops(self, positions: Sequence[SSAValue], axes: Sequence[Loop | None]) -> list[Loop]:
        """The loops over the last axes, of which no other position depends."""
        rows: list[Loop] = []
        for axis in reversed(range(len(axes))):
            loop = axes[axis]
            if loop is None or _moves(positions[:axis], loop):
                break
            rows.insert(0, loop)
        return rows
