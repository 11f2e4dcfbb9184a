"""Windows: contributions at positions that are sums of the variables of loops."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from xdsl.ir import Block, SSAValue

from ein_mlir.analysis.arithmetic import SUMS_OF_SIZES, LinearForm
from ein_mlir.analysis.arithmetic.inverses import (
    MOST_SPREAD,
    End,
    Inverse,
    beyond_ends,
    inverses,
    is_implied,
)
from ein_mlir.analysis.phi.selections import Test
from ein_mlir.dialects import phi, sigma
from ein_mlir.dialects.phi import Term
from ein_mlir.rewriting.phi.derivatives.contributions import (
    Loop,
    Site,
    Solver,
    Window,
    added,
    bound_variable,
    depends_on,
    is_step,
    plus,
    sum_from,
)
from ein_mlir.rewriting.phi.derivatives.sizes import is_visible
from ein_mlir.rewriting.phi.derivatives.sums import Sums
from ein_mlir.rewriting.phi.derivatives.tangents import at_end
from ein_mlir.rewriting.phi.insertion import Inserter

Element: TypeAlias = Callable[[Inserter, Sequence[SSAValue]], SSAValue]
"""Builds an element of an array at some indices."""

Count: TypeAlias = int | SSAValue
"""A number of elements beyond an end."""


def _with_end(
    build: Inserter,
    total: SSAValue,
    axis: int,
    size: SSAValue | None,
    indices: Sequence[SSAValue],
    beyond: Iterable[tuple[Element, Count]],
) -> SSAValue:
    """``select q == p, t + x, t`` for the sum x of some elements beyond the end p of an axis.

    They are before the first one, or from the size on.
    """
    values, place = [total], build.integer(0) if size is None else plus(build, size, -1)
    for element, count in beyond:

        def at(inner: Inserter, position: SSAValue, element: Element = element) -> SSAValue:
            return element(inner, [*indices[:axis], position, *indices[axis + 1 :]])

        start = _moved(build, build.integer(0), count, -1) if size is None else size
        is_one = count == 1
        values.append(at(build, start) if is_one else sum_from(build, start, count, total.type, at))
    index = build.as_int(indices[axis])
    is_there = build.compare(index, "eq", place)
    return build.select(is_there, added(build, values), total)


def _moved(build: Inserter, value: SSAValue, count: Count, sign: int = 1) -> SSAValue:
    """``x + n`` or ``x - n``"""
    if isinstance(count, int):
        return plus(build, value, sign * count)
    return build.add(value, count) if sign > 0 else build.sub(value, count)


def _form(count: Count) -> LinearForm:
    return LinearForm.number(count) if isinstance(count, int) else LinearForm.of(count)


class Windows:
    """Finds windows, and makes arrays of them."""

    def __init__(self, sums: Sums):
        self._sums, self._copies, self._forms = sums, sums.copies, sums.forms

    def found(self, site: Site) -> Window | None:
        """The steps that reach an element, if positions are sums of variables of loops."""
        build = at_end(site.home)
        sizes: dict[SSAValue, LinearForm] = {
            loop.variable: self._forms.steps_of(loop.size) for loop in site.loops
        }
        divided = [self._dividend(position) for position in site.positions]
        forms = [
            self._forms.form_of(position if each is None else each)
            for position, each in zip(site.positions, divided, strict=True)
        ]
        found = inverses(forms, sizes)
        if found is None:
            return None
        found = [
            each if divided[each.axis] is None else replace(each, is_turned=True) for each in found
        ]
        if not all(self._is_solved(each, site, sizes) for each in found):
            return None
        steps = self._sums.steps(site.value, sizes, site.home)
        limits = list(self._sums.limits(site.value, site.home))
        ends, implied = list[tuple[End, End]](), list[Sequence[Test]]()
        for axis, form in enumerate(forms):
            extent = self._forms.size_of(self._copies.size(build, site.terms[axis], site.home))
            is_window = sum(atom in sizes for atom in form.coefficients) == 2
            is_size = partial(self._is_size, home=site.home, is_window=is_window)
            beyond = beyond_ends(form, extent, steps, [limit for limit, _ in limits], is_size)
            implied.append([test for limit, test in limits if is_implied(limit, form, extent)])
            if site.axes[axis] is not None or divided[axis] is not None:
                beyond = (0, 0)
            if beyond is None:
                return None
            ends.append(beyond)
        whole = {axis for axis, loop in enumerate(site.axes) if loop is not None}
        by_axis = sorted(found, key=lambda each: each.axis)
        whole = {axis for axis in whole if not by_axis[axis].rest.coefficients}
        zero_beyond = self._sums.steps(site.value, sizes, site.home, alone=True)
        window = Window(site.loops, by_axis, found, ends, implied, whole, zero_beyond, site.value)
        is_known = all(isinstance(end, int) for each in ends for end in each)
        return window if is_known or not window.is_shift else None

    def _is_size(self, form: LinearForm, home: Block, *, is_window: bool) -> bool:
        """Whether a form is a sum of sizes, and of parts of them, that are known in a block.

        Of positions that one variable moves, parts of the cotangent of all steps are taken. Those
        that three move are few for all the steps of two of them.
        """
        return is_window and all(
            abs(factor) <= MOST_SPREAD
            and self._forms.range(atom) in SUMS_OF_SIZES
            and is_visible(atom, home)
            for atom, factor in form.coefficients.items()
        )

    def _dividend(self, position: SSAValue) -> SSAValue | None:
        """``i + c`` of a position ``(i + c) % n``"""
        op = phi.uncast(position).owner
        return op.lhs if isinstance(op, sigma.FloorModOp) else None

    def _is_solved(self, found: Inverse, site: Site, sizes: Mapping[SSAValue, LinearForm]) -> bool:
        """Whether an inverse is known where all other variables are.

        A position ``(i + c) % n`` must take all values once, for an ``i`` below ``n``.
        """
        rest = found.rest
        if not found.is_turned:
            return all(atom in sizes or is_visible(atom, site.home) for atom in rest.coefficients)
        op = phi.uncast(site.positions[found.axis]).owner
        assert isinstance(op, sigma.FloorModOp)
        forms, same = self._sums.forms, partial(self._copies.sizes.same, at=site.at)
        count = next(loop.size for loop in site.loops if loop.variable is found.variable)
        own = LinearForm.of(found.variable)
        return (
            all(map(forms.is_exact, (own * found.sign + rest, own - rest)))
            and not any(depends_on(atom, found.variable) for atom in rest.coefficients)
            and same(Term(op.rhs), Term(count))
            and same(site.terms[found.axis], Term(count))
        )

    def arrays(
        self, terms: Sequence[Term], windows: Iterable[Window], home: Block
    ) -> list[SSAValue]:
        """The sums of windows: those of the same axes have one array."""
        groups = defaultdict[tuple[bool, int], list[Window]](list)
        for window in windows:
            groups[window.is_shift, len(window.inverses)].append(window)
        return [
            (self._shifted if is_shift else self._windowed)(terms, group, home)
            for (is_shift, _), group in groups.items()
        ]

    def _shifted(self, terms: Sequence[Term], windows: Sequence[Window], home: Block) -> SSAValue:
        """``a[i + 1] += x`` in a loop  -->  ``array (q) { x[q - 1], + x[n - 1] if q is last }``

        where reads beyond the ends of ``x`` are zero. No element but one at an end has more than
        one contribution of a window.
        """
        build = at_end(home)
        sizes = [self._copies.size(build, term, home) for term in terms]
        inside: list[tuple[Count, Count]] = [(0, 0)] * len(windows[0].inverses)
        pairs = [(each, self._of_window(each, inside, home)) for each in windows]

        def element(inner: Inserter, found: Sequence[SSAValue]) -> SSAValue:
            total = added(inner, [each(inner, found) for _, each in pairs])
            for axis in range(len(inside)):
                for size, side in ((None, 0), (sizes[axis], 1)):
                    ends = [(each, w.ends[axis][side]) for w, each in pairs]
                    beyond = [(each, n) for each, n in ends if isinstance(n, int) and n > 0]
                    if beyond:
                        total = _with_end(inner, total, axis, size, found, beyond)
            return total

        return self._copies.comprehension(build, sizes, element)

    def _windowed(self, terms: Sequence[Term], windows: Sequence[Window], home: Block) -> SSAValue:
        """``a[i + k - 1] += x`` in loops  -->  ``array (q) { sum of x[q + 1 - k] over k }``

        where reads beyond the ends of ``x`` are zero. Contributions to positions beyond the ends of
        ``a`` are those to the elements at the ends, as ``phi.get`` clips.
        """
        build = at_end(home)
        sizes = [self._copies.size(build, term, home) for term in terms]
        all_ends = zip(*(window.ends for window in windows), strict=True)
        sides = (tuple(zip(*each, strict=True)) for each in all_ends)
        ends = [(self._most(build, below), self._most(build, beyond)) for below, beyond in sides]
        extents = [
            _moved(build, size, self._sum(build, *beyond))
            for size, beyond in zip(sizes, ends, strict=False)
        ]
        elements = [self._of_window(window, ends, home) for window in windows]

        def element(inner: Inserter, found: Sequence[SSAValue]) -> SSAValue:
            return added(inner, [each(inner, found) for each in elements])

        rows = sizes[len(ends) :]
        result = self._copies.comprehension(build, [*extents, *rows], element)
        for axis, (below, beyond) in enumerate(ends):
            if below or beyond:
                sizes_now = [*sizes[: axis + 1], *extents[axis + 1 :], *rows]
                result = self._clip(build, result, axis, sizes_now, below, beyond)
        return result

    def _most(self, build: Inserter, ends: Sequence[End]) -> Count:
        """The largest number of positions beyond an end of several windows."""
        known = max((end for end in ends if isinstance(end, int)), default=0)
        forms = dict.fromkeys(end for end in ends if not isinstance(end, int))
        if not forms:
            return known
        most = build.integer(known)
        for form in forms:
            most = build.max(build.linear_value(form), most)
        return most

    def _sum(self, build: Inserter, below: Count, beyond: Count) -> Count:
        if isinstance(below, int):
            return below + beyond if isinstance(beyond, int) else plus(build, beyond, below)
        return _moved(build, below, beyond)

    def _of_window(
        self, window: Window, ends: Sequence[tuple[Count, Count]], home: Block
    ) -> Element:
        """An element of an array that continues beyond its ends: the sum over the window."""
        own, value = window.inverses, window.value
        loops: dict[SSAValue, Loop] = {loop.variable: loop for loop in window.loops}
        counts = {variable: self._sums.count(loop, home) for variable, loop in loops.items()}
        written = {
            variable: loop.size if is_visible(loop.size, home) else counts[variable]
            for variable, loop in loops.items()
        }
        whole = {axis for axis in window.whole if ends[axis] == (0, 0)}
        guarded = {each.variable for each in own if each.axis not in whole}
        inside = (
            implied for implied, each in zip(window.implied, ends, strict=True) if each == (0, 0)
        )
        known = [test for implied in inside for test in implied]
        solved = {each.variable for each in own}
        given = {each for inverse in own for each in inverse.rest.coefficients}
        others = [loop for loop in window.loops if loop.variable not in solved]
        bound = [loop for loop in others if any(depends_on(x, loop.variable) for x in given)]
        solver, free = self._sums.solved(
            [loop for loop in others if loop not in bound], value, home
        )
        rest = [(loop, counts[loop.variable]) for loop in (*bound, *free)]

        def element(inner: Inserter, found: Sequence[SSAValue]) -> SSAValue:
            def at(build: Inserter, values: dict[SSAValue, SSAValue]) -> list[SSAValue]:
                tests = list[SSAValue]()
                for test in known:
                    values[test.condition] = build.truth(test.expected)
                for each in window.in_order:
                    if each.axis in whole:
                        continue
                    place = LinearForm.of(found[each.axis]) - _form(ends[each.axis][0])
                    step = build.linear_value(
                        each.solution(place),
                        lambda x: self._copies.copied(build, x, values, home),
                    )
                    steps, size = window.steps[each.variable], counts[each.variable]
                    if each.is_turned:
                        values[each.variable] = build.floormod(step, written[each.variable])
                        if ends[each.axis] != (0, 0):
                            tests += is_step(build, build.linear_value(place), size)
                        continue
                    values[each.variable] = step
                    last = self._forms.steps_of(loops[each.variable].size) - 1
                    tests += is_step(
                        build, step, size, first=steps.is_after(0), last=steps.is_before(last)
                    )
                return tests

            solvers = [Solver(guarded, at, {loop.variable for loop in bound}), *solver]
            along = [each for each in own if each.axis in whole]
            indices = [found[each.axis] for each in along]
            values = bound_variable(inner, [each.variable for each in along], indices)
            return self._sums.over(inner, rest, values, value, found[len(own) :], home, solvers)

        return element

    def _clip(
        self,
        build: Inserter,
        array: SSAValue,
        axis: int,
        sizes: Sequence[SSAValue],
        below: Count,
        beyond: Count,
    ) -> SSAValue:
        """``a[q + below]``, and the elements beyond the ends of the axis added to those there."""

        def at(inner: Inserter, indices: Sequence[SSAValue]) -> SSAValue:
            position = _moved(inner, inner.as_int(indices[axis]), below)
            places = [*indices[:axis], position, *indices[axis + 1 :]]
            return inner.get(array, places)

        def element(inner: Inserter, indices: Sequence[SSAValue]) -> SSAValue:
            total = at(inner, indices)
            for size, count in ((None, below), (sizes[axis], beyond)):
                if count:
                    total = _with_end(inner, total, axis, size, indices, [(at, count)])
            return total

        return self._copies.comprehension(build, sizes, element)
