"""The collection of contributions: over the loops around them, into one array of their sum.

A contribution is a value in a body, at positions. It becomes an array for the positions that are
indices of loops, a sum over windows for sums of their variables, and else an accumulation.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial

from xdsl.dialects import arith
from xdsl.ir import Block, Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import ALGEBRAS
from ein_mlir.dialects.phi import Term
from ein_mlir.rewriting.phi.derivatives.added_accumulations import accumulated_together
from ein_mlir.rewriting.phi.derivatives.common_axes import CommonAxes
from ein_mlir.rewriting.phi.derivatives.contributions import (
    Contribution,
    Loop,
    Part,
    Placed,
    Scattered,
    Selected,
    Site,
    SizeForms,
    SizeProofs,
    Solver,
    Window,
    added,
    bound_variable,
    clipped_position,
    is_fixed,
    loops_around,
    moves,
    selected,
    source_of_size,
)
from ein_mlir.rewriting.phi.derivatives.copies import Copies
from ein_mlir.rewriting.phi.derivatives.shifts import Shifts
from ein_mlir.rewriting.phi.derivatives.sizes import is_visible, size_at
from ein_mlir.rewriting.phi.derivatives.sums import Sums
from ein_mlir.rewriting.phi.derivatives.tangents import at_end
from ein_mlir.rewriting.phi.derivatives.windows import Windows
from ein_mlir.rewriting.phi.insertion import Builder, Inserter


def _check_sums_of(value: SSAValue) -> None:
    """Raise an error for cotangents that no accumulation adds: floats of 16 bits."""
    if (scalar := phi.scalar_of(value.type)) not in ALGEBRAS["arith.addf"].types:
        raise PassFailedException(
            f"differentiate: cotangents of '{scalar}' are not added at positions: convert the "
            "array to f32 first"
        )


class Collector:
    """Collects contributions to cotangents over the loops between two blocks."""

    def __init__(self, copies: Copies, forms: SizeForms, *, shifts: bool):
        self.sums = Sums(copies, forms)
        self._proofs = SizeProofs(copies.sizes)
        self._copies, self._sizes = copies, copies.sizes
        self._windows, self._shifts = Windows(self.sums), Shifts(self.sums, by_any=shifts)
        self._may_vary = shifts
        self.axes = CommonAxes(copies)

    def collected(
        self, terms: Sequence[Term], contribution: Contribution, home: Block, *, in_place: bool
    ) -> Sequence[Part]:
        """A contribution in another block: over all loops between.

        With ``in_place``, one to some elements is added to these in the array of a total.
        """
        loops = list(loops_around(contribution.block, home))
        value = self._copies.now(contribution.value)
        if not loops and not contribution.positions:
            return [value]
        positions = [
            self._unclipped(position, term, home)
            for position, term in zip(contribution.positions, terms, strict=False)
        ]
        at = contribution.block.last_op
        return self._over_loops(terms, loops, positions, value, home, at, in_place=in_place)

    def _unclipped(self, position: SSAValue, term: Term, home: Block) -> SSAValue:
        """``min(p, n - 1)``, ``max(p, 0)``  -->  ``p``, on an axis of size ``n``: reads clip."""
        form = self.sums.forms.form_of
        while isinstance(op := phi.uncast(position).owner, arith.MinSIOp | arith.MaxSIOp):
            end = LinearForm.number(0)
            if isinstance(op, arith.MinSIOp):
                end = form(self._copies.size(at_end(home), term, home)) - 1
            inside = [x for x, y in (op.operands, op.operands[::-1]) if form(y) == end]
            if not inside:
                break
            position = inside[0]
        return position

    def joined(
        self,
        terms: Sequence[Term],
        parts: Sequence[Part],
        home: Block,
        start: SSAValue | None = None,
    ) -> SSAValue:
        """The sum of the parts of an array, and of another array."""
        build = at_end(home)
        values = [part for part in parts if isinstance(part, SSAValue)]
        placed = [part for part in parts if isinstance(part, Placed)]
        windows = [part for part in parts if isinstance(part, Window)]
        values += self._windows.arrays(terms, windows, home)
        for part in parts:
            if isinstance(part, Selected):
                found = part.selection() if values else part.accumulation()
                if isinstance(found, Placed):
                    placed.append(found)
                else:
                    values.append(found)
        values = accumulated_together(
            build,
            values,
            self._sizes,
            lambda inner, rank, own: self._added_values(inner, terms[rank:], own, home),
        )
        values = values if start is None else [start, *values]
        total = self._added_values(build, terms, values, home) if values else None
        for part in parts:
            if isinstance(part, Scattered):
                assert total is not None
                total = self._scattered(terms, total, part.accumulation, home)
        return self._placed(terms, total, placed, home) if placed or not total else total

    def _added_values(
        self, build: Inserter, terms: Sequence[Term], values: Sequence[SSAValue], home: Block
    ) -> SSAValue:
        """The sum of values of sizes ``terms``."""
        if len(values) == 1 or not terms:
            return added(build, values)

        def element(inner: Inserter, indices: Sequence[SSAValue]) -> SSAValue:
            return added(inner, [inner.get(each, indices) for each in values])

        sizes = [self._copies.size(build, term, home) for term in terms]
        return self._copies.comprehension(build, sizes, element)

    def _scattered(
        self, terms: Sequence[Term], start: SSAValue, accumulation: SSAValue, home: Block
    ) -> SSAValue:
        """``a + accumulate (i < n) { p, x }  -->  fold (i < n, a) { update a[p], a[p] + x }``"""
        op = phi.AccumulateOp.of(accumulation)
        if len(op.indices) > 1:  # A pass decides: all of its steps may be one call.
            return self._added_values(at_end(home), terms, (start, accumulation), home)
        body, record, rest = op.body.block, op.yielded(), terms[len(op.extents) :]

        def over(
            build: Inserter, loops: Sequence[Loop], known: dict[SSAValue, SSAValue], total: SSAValue
        ) -> SSAValue:
            if not loops:
                build.copied(body, [record], known)
                *places, value = build.leaves(known[record])
                value = self._added_values(build, rest, (build.get(total, places), value), home)
                return build.update(total, places, value)
            loop, *inner = loops

            def step(deeper: Builder, counter: SSAValue, total: SSAValue) -> SSAValue:
                return over(deeper, inner, {**known, loop.variable: counter}, total)

            return build.fold_over(loop.size, total, step, [loop.variable])

        loops = [Loop(*each) for each in zip(op.indices, op.sizes, strict=True)]
        result = over(at_end(home), loops, {}, start)
        self._copies.inherit(result, start)
        return result

    def _over_loops(
        self,
        terms: Sequence[Term],
        loops: Sequence[Loop],
        positions: Sequence[SSAValue],
        value: SSAValue,
        home: Block,
        at: Operation | None,
        *,
        in_place: bool = False,
    ) -> Sequence[Part]:
        """Parts of an array of sizes ``terms``: the values of all steps at their positions."""
        fixed = [axis for axis, position in enumerate(positions) if is_fixed(position, home)]
        if fixed:
            left = [axis for axis in range(len(positions)) if axis not in fixed]
            rest = [*(terms[axis] for axis in left), *terms[len(positions) :]]
            moving = [positions[axis] for axis in left]
            if loops or moving:
                parts = self._over_loops(rest, loops, moving, value, home, at)
                value = self.joined(rest, parts, home)
            return [self._place(terms, {k: positions[k] for k in fixed}, value, home)]
        axes = self._index_axes(terms, positions, loops, at)
        own = [loop for loop in axes if loop is not None]
        if len(own) == len(axes):
            rest = [loop for loop in loops if loop not in own]
            if len(terms) == len(own) and (more := self.axes.found(own, rest, value, home, at)):
                inner = [loop for loop in rest if loop not in more]
                axes = [*terms, *(Term(loop.size) for loop in more)]
                array = self.gathered(axes, [*own, *more], inner, value, home)
                return [self._summed(terms, array, home)]
            same = None if rest else self._whole(terms, own, value, home)
            return [same or self.gathered(terms, own, rest, value, home)]
        site = Site(terms, loops, positions, axes, value, home, at)
        if in_place:
            found = self._accumulated(site)
            return [found if isinstance(found, Placed) else Scattered(found)]
        if (window := self._windows.found(site)) is not None:
            return [window]
        if (shift := self._shifts.found(site)) is not None:
            loop, solved = shift
            others, places = list(terms), list(positions)
            others[solved.axis], places[solved.axis] = Term(loop.size), loop.variable
            parts = self._over_loops(others, loops, places, value, home, at)
            return self._shifts.parts(*shift, site, self.joined(others, parts, home))
        if not site.is_once:
            return [self._accumulated(site)]
        return [Selected(partial(self._selection, site), partial(self._accumulated, site))]

    def _place(
        self, terms: Sequence[Term], positions: Mapping[int, SSAValue], value: SSAValue, home: Block
    ) -> Placed:
        """``a[p] += x``, once"""
        build = at_end(home)
        places = dict[int, SSAValue]()
        for axis, position in positions.items():
            size = self._copies.size(build, terms[axis], home)
            places[axis] = self._copies.copied(build, position, {}, home)
            if not self.is_inside(position, size):
                places[axis] = clipped_position(build, places[axis], size)
        return Placed(places, value)

    def is_inside(self, position: SSAValue, size: SSAValue) -> bool:
        """Whether a position is provably that of an element of an axis."""
        form, end = (self._proofs.integer(each) for each in (position, size))
        return self._proofs.is_nonnegative(form) and self._proofs.is_below(form, end)

    def _placed(
        self, terms: Sequence[Term], total: SSAValue | None, parts: Sequence[Placed], home: Block
    ) -> SSAValue:
        """``a[p] += x``, once  -->  ``update a[p], a[p] + x``, or a selection by other axes"""
        build = at_end(home)
        sizes = [self._copies.size(build, term, home) for term in terms]
        parts = self._merged(terms, parts, home)
        first = [part for part in parts if part.is_first]
        inner = [part for part in parts if not part.is_first]
        if is_empty := total is None and not inner:
            total = build.zeros(sizes, phi.scalar_of(parts[0].value.type))
            assert isinstance(total.owner, Operation)
            self._sizes.add(total.owner)

        def element(build: Inserter, indices: Sequence[SSAValue]) -> SSAValue:
            found = [] if total is None else [build.get(total, indices)]
            return added(build, found + [selected(build, part, indices) for part in inner])

        result = (
            self._copies.comprehension(build, sizes, element) if inner or total is None else total
        )
        for part in first:
            places, value = list(part.places.values()), part.value
            if not is_empty:
                before = build.get(result, places)
                value = self._added_values(build, terms[len(places) :], (before, value), home)
            result, is_empty = self._copies.sized(build, phi.UpdateOp(result, places, value)), False
        return result

    def _merged(self, terms: Sequence[Term], parts: Sequence[Placed], home: Block) -> list[Placed]:
        """``a[p] += x; a[p] += y``  -->  ``a[p] += x + y``"""
        groups = defaultdict[object, list[Placed]](list)
        for part in parts:
            groups[tuple((k, self.sums.forms.form(p)) for k, p in part.places.items())].append(part)
        build, found = at_end(home), list[Placed]()
        for first, *others in groups.values():
            rest = [term for axis, term in enumerate(terms) if axis not in first.places]
            values = [first.value, *(each.value for each in others)]
            found.append(Placed(first.places, self._added_values(build, rest, values, home)))
        return found

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
            and self._sizes.are_of(op.array, terms)
        ):
            return op.array
        return None

    def _summed(self, terms: Sequence[Term], array: SSAValue, home: Block) -> SSAValue:
        """The sum of an array over its last axes, for elements of the first ones."""
        rank = phi.rank_of(array.type)

        def element(build: Inserter, places: Sequence[SSAValue]) -> SSAValue:
            if len(places) == rank:
                return build.get(array, places)

            def step(inner: Builder, counter: SSAValue, total: SSAValue) -> SSAValue:
                return added(inner, [total, element(inner, [*places, counter])])

            zero = build.number(0.0, phi.scalar_of(array.type))
            return build.fold_over(build.size(array, len(places)), zero, step)

        build = at_end(home)
        sizes = [self._copies.size(build, term, home) for term in terms]
        return self._copies.comprehension(build, sizes, element) if sizes else element(build, ())

    def gathered(
        self,
        terms: Sequence[Term],
        indices: Sequence[Loop],
        rest: Sequence[Loop],
        value: SSAValue,
        home: Block,
    ) -> SSAValue:
        """``a[i, ..] += x`` in loops  -->  ``array (i, ..) { sum of x over other loops }``"""
        build, variables = at_end(home), [loop.variable for loop in indices]
        for axis, (loop, term) in enumerate(zip(indices, terms, strict=False)):
            if self._sizes.same(loop.size, term):
                terms = [*terms[:axis], Term(loop.size), *terms[axis + 1 :]]
        sizes = [self._copies.size(build, term, home) for term in terms]
        solvers, rest = self.sums.solved(rest, value, home)
        counts = [self.sums.count(loop, home) for loop in rest]

        def element(inner: Inserter, found: Sequence[SSAValue]) -> SSAValue:
            values = bound_variable(inner, variables, found)
            loops = list(zip(rest, counts, strict=True))
            return self.sums.over(inner, loops, values, value, found[len(indices) :], home, solvers)

        return self._copies.comprehension(build, sizes, element) if sizes else element(build, ())

    def _selection(self, site: Site) -> SSAValue:
        """``a[i, p(i)] += x`` in loops  -->  ``array (i, q) { select q == p(i) clipped, x, 0 }``"""
        build, axes, home = at_end(site.home), site.axes, site.home
        sizes = [self._copies.size(build, term, home) for term in site.terms]
        own = [loop for loop in axes if loop is not None]
        rest = [(loop, self.sums.count(loop, home)) for loop in site.loops if loop not in own]
        over = [size for size, loop in zip(sizes, axes, strict=False) if loop is not None]
        rows = sizes[len(axes) :]

        def summed(inner: Inserter, found: Sequence[SSAValue]) -> SSAValue:
            values = bound_variable(inner, [loop.variable for loop in own], found)
            return self.sums.over(inner, rest, values, site.value, found[len(own) :], home)

        total = self._copies.comprehension(build, [*over, *rows], summed)

        def element(inner: Inserter, found: Sequence[SSAValue]) -> SSAValue:
            at = [index for index, loop in zip(found, axes, strict=False) if loop is not None]
            values = bound_variable(inner, [loop.variable for loop in own], at)
            places = {
                axis: clipped_position(
                    inner, self._copies.copied(inner, position, values, home), sizes[axis]
                )
                for axis, position in enumerate(site.positions)
                if axes[axis] is None
            }
            return selected(inner, Placed(places, total), found)

        return self._copies.comprehension(build, sizes, element)

    def _accumulated(self, site: Site) -> SSAValue | Placed:
        """``a[p] += x`` in loops  -->  ``accumulate (i, ..) into (size a) { p clipped, x }``

        where ``x`` is summed over the loops that no position depends on.
        """
        build, value, home = at_end(site.home), site.value, site.home
        positions, axes = site.positions, site.axes
        rows = site.rows
        indices = [loop for loop in site.loops if loop not in rows]
        solvers = list[Solver]()
        if not rows:
            solvers, indices = self.sums.solved(indices, value, home)
        scattered = range(len(positions) - len(rows))
        summed = list[tuple[Loop, SSAValue]]()
        if not solvers:
            apart = [loop for loop in indices if not moves(positions, loop)]
            indices = [loop for loop in indices if loop not in apart]
            summed = [(loop, self.sums.count(loop, home)) for loop in apart]
        extents = [self._copies.size(build, site.terms[axis], home) for axis in scattered]
        sizes = [self._steps(loop, value, home) for loop in indices]
        row_sizes = [self._copies.size(build, term, home) for term in site.terms[len(scattered) :]]

        def contributions(
            inner: Inserter, found: Sequence[SSAValue]
        ) -> list[tuple[list[SSAValue], SSAValue]]:
            values = bound_variable(inner, [loop.variable for loop in indices], found)
            self.sums.mask(inner, value, values, solvers, home)
            at = [self._copies.copied(inner, positions[axis], values, home) for axis in scattered]
            clipped = [
                inner.as_int(position) if axes[axis] else clipped_position(inner, position, extent)
                for axis, (position, extent) in enumerate(zip(at, extents, strict=True))
            ]
            return [(clipped, self._row(inner, rows, row_sizes, values, value, home, summed))]

        if not indices:
            ((at, row),) = contributions(build, ())
            return Placed(dict(enumerate(at)), row)
        _check_sums_of(value)
        names = [loop.variable for loop in indices]
        result = build.accumulation(sizes, [("add", extents)], contributions, names)
        assert isinstance(result.owner, Operation)
        self._sizes.add(result.owner)
        return result

    def _steps(self, loop: Loop, value: SSAValue, home: Block) -> SSAValue:
        """The number of steps of a loop, without those from a bound on where a value is zero."""
        build = at_end(home)
        steps = self._copies.int_of(build, loop.size, home)
        last = self.sums.forms.steps_of(loop.size) - 1
        for limit, _ in self.sums.limits(value, home) if self._may_vary else ():
            factor, rest = limit.split(loop.variable)
            if factor == 1 and not self._proofs.is_nonnegative(-rest - last):
                atoms = [
                    (each, size_at(build, source_of_size(each), home, self._copies.sized_like))
                    for each in rest.coefficients
                ]
                known = {each: own for each, own in atoms if own is not None}
                if len(known) == len(atoms):
                    end = build.linear_value(LinearForm.number(1) - rest, known.__getitem__)
                    steps = build.max(build.min(steps, end), 0)
        return steps

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
            return self.sums.over(build, loops, values, value, (), home)

        def element(inner: Inserter, found: Sequence[SSAValue]) -> SSAValue:
            inside = {**values, **bound_variable(inner, [row.variable for row in rows], found)}
            return self.sums.over(inner, loops, inside, value, found[len(rows) :], home)

        return build.comprehension(sizes, element, [row.variable for row in rows])
