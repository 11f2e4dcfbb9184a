"""Transposition: the cotangents of the arguments of a linear program, from that of its result.

The operations of a block that depend on its linear arguments are visited in reverse. Each
contributes to the cotangents of its linear operands::

    y = x * c            x += y' * c
    y = select c, x, z   x += select c, y', 0;  z += select c, 0, y'
    y = a[p]             a[p] += y'
    y = array (i < n) { e }         e += y'[i], for each i
    y = fold (k < n, x = z) { e }   e += x', and x' becomes that of x, for each k backwards

A contribution is a value in a body. Around that body are loops: in the end it is collected over
them, into an array for the positions that are indices of loops, as sums over the other loops, and
by a ``phi.accumulate`` for all other positions. So the gradient of a contraction is a contraction,
and that of a gather is an accumulation.

The transposed operations of a body are inserted in the linear body, which holds all values that
they need. Collecting copies the operations that a contribution depends on. The linear program is
erased afterwards.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from xdsl.builder import Builder
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, TupleType, i64
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import PassFailedException

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.phi.free_indices import leaf_paths, leaf_types
from ein_mlir.analysis.phi.inverse_positions import Steps, beyond_ends, inverses, restrict
from ein_mlir.analysis.phi.selections import Test, conjuncts
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence
from ein_mlir.analysis.scopes import dependents, is_within, operands_within
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import ALGEBRAS
from ein_mlir.dialects.phi import Term
from ein_mlir.rewriting.phi.builders import (
    ElementBuilder,
    Emitter,
    Inserter,
    accumulation,
    comprehension,
    integer,
    linear_value,
    unpacked,
)
from ein_mlir.rewriting.phi.derivatives.contributions import (
    Contribution,
    Loop,
    Part,
    Placed,
    SizeForms,
    Solver,
    Window,
    added,
    all_of,
    as_int,
    bound_variable,
    clipped_position,
    depends_on,
    home_of,
    insert_copy,
    is_fixed,
    is_step,
    is_visible,
    is_zero,
    leaf_type,
    loops_around,
    no_size,
    place_of,
    plus,
    same_size,
    selected,
    sum_from,
)
from ein_mlir.rewriting.phi.derivatives.linearization import (
    Leaf,
    NoDerivativeError,
    at_end,
    filled,
    zeros,
)
from ein_mlir.rewriting.phi.derivatives.residuals import is_costly
from ein_mlir.rewriting.phi.derivatives.scalars import constant

Rule: TypeAlias = Callable[["Transposition", Operation, Sequence[SSAValue | None]], None]
"""Contributes to the linear operands of an operation, given the cotangents of its result."""


def _check_sums_of(value: SSAValue) -> None:
    """Raise an error for cotangents that no accumulation adds: floats of 16 bits."""
    if (scalar := phi.scalar_of(value.type)) not in ALGEBRAS["arith.addf"].types:
        raise PassFailedException(
            f"differentiate: cotangents of '{scalar}' are not added at positions: convert the "
            "array to f32 first"
        )


class Transposition:
    """Transposes one ``phi.transpose``."""

    def __init__(
        self, op: phi.TransposeOp, sizes: SizeEquivalence, rules: Mapping[type[Operation], Rule]
    ):
        self._rules = rules
        self._op = op
        self._sizes = sizes
        self._linear: set[SSAValue] = set(op.body.block.args)
        self._like: dict[SSAValue, SSAValue] = {}
        self._like.update(zip(op.body.block.args, op.like, strict=True))
        self._contributions: dict[Leaf, list[Contribution]] = {}
        self._replaced: dict[SSAValue, SSAValue] = {}
        self._forms = SizeForms(sizes)
        self.counts: dict[SSAValue, SSAValue] = {}
        """The numbers of steps of some loops, by their indices, as sizes of arrays."""
        for argument, like in self._like.items():
            sizes.inherit(argument, like)
        sizes.add(op)
        self._mark(op.body.block)

    def expand(self) -> None:
        """Replace the operation by the cotangents of its arguments."""
        op, block = self._op, self._op.body.block
        build = at_end(block)
        self.transpose(block, self.fields(build, op.cotangent, len(leaf_types(op.cotangent.type))))
        totals = [self.total((argument, 0)) for argument in block.args]
        results = [
            zeros(build, like) if total is None else total
            for total, like in zip(totals, op.like, strict=True)
        ]
        record = build.insert(phi.TupleOp(results))
        op.result.replace_all_uses_with(record.result)
        for each in reversed(list(block.ops)):
            if isinstance(each, phi.YieldOp) or self.is_linear(each):
                Rewriter.erase_op(each)
        Rewriter.inline_block(block, InsertPoint.before(op), op.like)
        Rewriter.erase_op(op)

    # Linear values

    def _mark(self, block: Block) -> None:
        """Collect the linear values of a block and of the bodies in it."""
        for op in block.ops:
            if any(operand in self._linear for operand in operands_within(op)):
                self._linear.update(op.results)
                if isinstance(op, phi.FoldOp):
                    self._linear.add(op.accumulator)
            for region in op.regions:
                self._mark(region.block)

    def is_linear(self, op: Operation) -> bool:
        """Whether a result of an operation depends on the arguments."""
        return any(result in self._linear for result in op.results)

    def factor(self, op: Operation, number: int) -> SSAValue | None:
        """An operand that is not linear; None if it is."""
        operand = op.operands[number]
        return None if operand in self._linear else operand

    def leaves_behind(self, op: phi.FoldOp, leaf: int) -> set[int]:
        """The leaves of the accumulator that a leaf of the next one depends on."""
        pending: list[Leaf] = [self.root(op.yielded(), leaf)]
        known, found = set[Leaf](), set[int]()
        while pending:
            value, number = each = pending.pop()
            if value is op.accumulator:
                found.add(number)
            elif each not in known and value in self._linear and is_within(value, op):
                known.add(each)
                owner = value.owner
                assert isinstance(owner, Operation)
                for operand in operands_within(owner):
                    if operand in self._linear and not is_within(operand, owner):
                        leaves = range(len(leaf_types(operand.type)))
                        pending += [self.root(operand, k) for k in leaves]
        return found

    def root(self, value: SSAValue, leaf: int = 0) -> Leaf:
        """The value and its leaf that a leaf is, through ``phi.tuple`` and ``phi.proj``."""
        while isinstance(op := value.owner, phi.ProjOp | phi.TupleOp):
            if isinstance(op, phi.ProjOp):
                paths, number = leaf_paths(op.record.type), op.field.value.data
                leaf += sum(path[0] < number for path in paths)
                value = op.record
            else:
                (number, *_) = leaf_paths(op.result.type)[leaf]
                leaf -= sum(len(leaf_types(field.type)) for field in op.fields[:number])
                value = op.fields[number]
        return value, leaf

    # Blocks

    def transpose(self, block: Block, cotangents: Sequence[SSAValue | None]) -> None:
        """Transpose a body, given the cotangents of the leaves that it yields."""
        terminator = block.last_op
        assert isinstance(terminator, phi.YieldOp)
        for leaf, cotangent in enumerate(cotangents):
            if cotangent is not None:
                self.add(block, terminator.value, cotangent, leaf=leaf)
        for op in reversed(list(block.ops)):
            if self.is_linear(op) and not isinstance(op, phi.TupleOp | phi.ProjOp):
                result = op.results[0]
                totals = [self.total((result, k)) for k in range(len(leaf_types(result.type)))]
                if any(total is not None for total in totals):
                    self._rule(op)(self, op, totals)

    def _rule(self, op: Operation) -> Rule:
        if type(op) not in self._rules:
            raise NoDerivativeError(op, "it is not linear, or has no transpose")
        return self._rules[type(op)]

    def add(
        self,
        block: Block,
        value: SSAValue,
        cotangent: SSAValue,
        positions: Sequence[SSAValue] = (),
        leaf: int = 0,
    ) -> None:
        """Contribute to the cotangent of a linear value; nothing for zero, which is not linear."""
        root = self.root(value, leaf)
        if root[0] in self._linear:
            found = self._contributions.setdefault(root, [])
            found.append(Contribution(block, tuple(positions), cotangent))

    def total(self, leaf: Leaf) -> SSAValue | None:
        """The cotangent of a linear value, at the end of its block; None if it is zero."""
        return self._total(leaf, self._contributions.pop(leaf, ()), home_of(leaf[0]))

    def _total(
        self, leaf: Leaf, contributions: Iterable[Contribution], home: Block
    ) -> SSAValue | None:
        """The sum of contributions to a value; None if there are none."""
        axes = range(phi.rank_of(leaf_type(leaf)))
        terms = [self._term(leaf, axis) for axis in axes]
        parts = [self._collected(terms, each, home) for each in contributions]
        return self._joined(at_end(home), terms, parts, home) if parts else None

    def escaped(self, op: Operation) -> list[Leaf]:
        """The values outside of an operation that its body contributes to."""
        return [
            leaf
            for leaf, found in self._contributions.items()
            if not is_within(leaf[0], op) and any(op.is_ancestor(each.block) for each in found)
        ]

    def values_of_step(self, op: phi.FoldOp) -> list[SSAValue]:
        """The values of one step that its contributions to values outside are computed from.

        They are variables, results of loops, and arrays that depend on variables; their sizes are
        known before the loop.
        """
        varying = {
            value for arg in op.body.block.args[1:] for value in dependents(op.body.block, arg)
        }
        pending, seen, found = list[SSAValue](), set[SSAValue](), list[SSAValue]()
        for leaf in self.escaped(op):
            for each in self._contributions[leaf]:
                if op.is_ancestor(each.block):
                    pending += [each.value, *each.positions]
        while pending:
            value = pending.pop()
            value = self._replaced.get(value, value)
            if value in seen or not is_within(value, op):
                continue
            seen.add(value)
            owner = value.owner
            if isinstance(owner, Block):
                found += [value] if owner is op.body.block else []
                continue
            is_array = isinstance(owner, phi.ArrayOp) and value in varying
            is_of_step = owner.parent is op.body.block and (is_array or is_costly(owner))
            if is_of_step and self._has_fixed_sizes(value, op):
                found.append(value)
            else:
                pending += operands_within(owner)
        return found

    def _has_fixed_sizes(self, value: SSAValue, op: phi.FoldOp) -> bool:
        """Whether the sizes of an array of a step can be computed before the loop."""
        assert op.parent is not None
        trial = Emitter()
        try:
            self.sizes_of_value(trial, value, op.parent)
        except PassFailedException:
            return False
        finally:
            trial.discard()
        return not isinstance(value.type, TupleType)

    def sizes_of_value(self, build: Inserter, value: SSAValue, home: Block) -> list[SSAValue]:
        """The sizes of an array, from values that are visible in a block."""
        axes = range(phi.rank_of(value.type))
        return [self._size(build, Term(value, (), axis), home) for axis in axes]

    def over_steps(self, build: Inserter, op: phi.FoldOp, value: SSAValue) -> SSAValue:
        """The array of a value of all steps, which do not depend on each other."""
        home = place_of(op)[0]

        def step(inner: Inserter, indices: Sequence[SSAValue]) -> SSAValue:
            values: dict[SSAValue, SSAValue] = {op.counter: as_int(inner, indices[0])}
            return self._copied(inner, value, values, home)

        return self._comprehension(build, [op.count], step)

    def totals_of_step(self, op: phi.FoldOp, leaves: Iterable[Leaf]) -> dict[Leaf, SSAValue]:
        """The contributions of one step to values outside, at the end of the body."""
        totals: dict[Leaf, SSAValue] = {}
        for leaf in leaves:
            inside, outside = list[Contribution](), list[Contribution]()
            for each in self._contributions.pop(leaf):
                (inside if op.is_ancestor(each.block) else outside).append(each)
            if outside:
                self._contributions[leaf] = outside
            total = self._total(leaf, inside, op.body.block)
            assert total is not None
            totals[leaf] = total
        return totals

    def substitute(self, placeholder: SSAValue, value: SSAValue) -> None:
        """Replace a value that stands for a cotangent, also in contributions."""
        placeholder.replace_all_uses_with(value)
        self._replaced[placeholder] = value

    def sized(self, build: Inserter, op: phi.PhiOp) -> SSAValue:
        """Add an operation whose sizes are of interest."""
        build.insert(op)
        self._sizes.add(op)
        return op.results[0]

    def fields(self, build: Inserter, value: SSAValue, count: int) -> list[SSAValue]:
        """The values of a record of several."""
        found = unpacked(build, value, count)
        if count > 1:
            self._sizes.add(*(each.owner for each in found if isinstance(each.owner, Operation)))
        return found

    def inherit(self, new: SSAValue, old: SSAValue) -> None:
        """Give a value the sizes of another."""
        self._sizes.inherit(new, old)

    # Collection

    def sum(
        self, leaf: Leaf, lhs: SSAValue, rhs: SSAValue, home: Block, build: Inserter
    ) -> SSAValue:
        """The sum of two cotangents of a value."""
        axes = range(phi.rank_of(leaf_type(leaf)))
        return self._added(build, [self._term(leaf, axis) for axis in axes], (lhs, rhs), home)

    def _added(
        self, build: Inserter, terms: Sequence[Term], values: Sequence[SSAValue], home: Block
    ) -> SSAValue:
        """The sum of values of sizes ``terms``."""
        if len(values) == 1 or not terms:
            return added(build, values)

        def element(inner: Inserter, indices: Sequence[SSAValue]) -> SSAValue:
            return added(inner, [inner.insert(phi.GetOp(each, indices)).result for each in values])

        sizes = [self._size(build, term, home) for term in terms]
        return self._comprehension(build, sizes, element)

    def _joined(
        self, build: Inserter, terms: Sequence[Term], parts: Sequence[Part], home: Block
    ) -> SSAValue:
        """The sum of the parts of an array: windows of the same axes have one array."""
        values = [part for part in parts if isinstance(part, SSAValue)]
        windows = defaultdict[int, list[Window]](list)
        for part in parts:
            if isinstance(part, Window):
                windows[len(part.inverses)].append(part)
        values += [self._windowed(build, terms, group, home) for group in windows.values()]
        total = self._added(build, terms, values, home) if values else None
        placed = [part for part in parts if isinstance(part, Placed)]
        return self._placed(build, terms, total, placed, home) if placed or not total else total

    def _comprehension(
        self, build: Inserter, sizes: Sequence[SSAValue], element: ElementBuilder
    ) -> SSAValue:
        result = comprehension(build, sizes, element)
        assert isinstance(result.owner, Operation)
        self._sizes.add(result.owner)
        return result

    def _collected(self, terms: Sequence[Term], contribution: Contribution, home: Block) -> Part:
        """A contribution in another block: over all loops between."""
        build, loops = at_end(home), list(loops_around(contribution.block, home))
        value = self._replaced.get(contribution.value, contribution.value)
        if not loops and not contribution.positions:
            return value
        at = contribution.block.last_op
        return self._over_loops(build, terms, loops, contribution.positions, value, home, at)

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
                value = self._joined(build, rest, [part], home)
            return self._place(build, terms, {k: positions[k] for k in fixed}, value, home)
        axes = self._index_axes(terms, positions, loops, at)
        if None not in axes:
            indices = [loop for loop in axes if loop is not None]
            rest = [loop for loop in loops if loop not in indices]
            same = None if rest else self._whole(terms, indices, value, home)
            return same or self._gathered(build, terms, indices, rest, value, home)
        window = self._window(build, terms, positions, loops, axes, value, home)
        if window is not None:
            return window
        return self._accumulated(build, terms, loops, positions, axes, value, home)

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
            axis: clipped_position(build, self._copied(build, position, {}, home), sizes[axis])
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

        result = self._comprehension(build, sizes, element) if inner or total is None else total
        for part in first:
            places, value = list(part.places.values()), part.value
            if not is_empty:
                before = build.insert(phi.GetOp(result, places)).result
                value = self._added(build, terms[len(places) :], (before, value), home)
            result, is_empty = self.sized(build, phi.UpdateOp(result, places, value)), False
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

    def _gathered(
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

        return self._comprehension(build, sizes, element) if sizes else element(build, ())

    def shared(self, leaf: Leaf, value: SSAValue, block: Block) -> SSAValue:
        """``e  -->  g[i]`` with ``g = array (i < n) { e }``, in the bodies of comprehensions.

        Many steps of a loop in the body read the value, for other indices.
        """
        home = block
        while isinstance(op := home.parent_op(), phi.ComprehensionOp):
            assert op.parent is not None
            home = op.parent
        value = self._replaced.get(value, value)
        if home is block or is_visible(value, home) or isinstance(value.owner, phi.GetOp):
            return value
        loops = list(loops_around(block, home))
        axes = range(phi.rank_of(leaf_type(leaf)))
        terms = [Term(loop.size) for loop in loops] + [self._term(leaf, axis) for axis in axes]
        array = self._gathered(at_end(home), terms, loops, (), value, home)
        variables = [loop.variable for loop in loops]
        return at_end(block).insert(phi.GetOp(array, variables)).result

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
        return Window(loops, by_axis, found, ends, whole, steps, value)

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
        result = self._comprehension(build, [*extents, *rows], element)
        for axis, (below, beyond) in enumerate(ends):
            if below or beyond:
                sizes_now = [*sizes[: axis + 1], *extents[axis + 1 :], *rows]
                result = self._clip(build, result, axis, sizes_now, below, beyond)
        return result

    def _of_window(
        self, build: Inserter, window: Window, ends: Sequence[tuple[int, int]], home: Block
    ) -> Callable[[Inserter, Sequence[SSAValue]], SSAValue]:
        """An element of an array that continues beyond its ends: the sum over the window."""
        own, value = window.inverses, window.value
        loops: dict[SSAValue, Loop] = {loop.variable: loop for loop in window.loops}
        counts = {variable: self._count(build, loop, home) for variable, loop in loops.items()}
        whole = {axis for axis in window.whole if ends[axis] == (0, 0)}
        guarded = {each.variable for each in own if each.axis not in whole}
        solved = {each.variable for each in own}
        others = [loop for loop in window.loops if loop.variable not in solved]
        solver, others = self._selected(build, others, value, home)
        rest = [(loop, counts[loop.variable]) for loop in others]

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
                step = linear_value(inner, form, lambda x: self._copied(inner, x, values, home))
                values[variable] = step
                tests += is_step(inner, step, counts[variable])
            return tests

        rest = [loop for loop in loops if loop.variable not in found]
        return ([Solver(set(found), solve)] if found else []), rest

    def _steps(
        self, value: SSAValue, sizes: Mapping[SSAValue, LinearForm], home: Block
    ) -> dict[SSAValue, Steps]:
        """The steps of each loop where a multiple of a cotangent may not be 0."""
        found = {variable: Steps(LinearForm(), size - 1) for variable, size in sizes.items()}
        for test in self._tests(value, home):
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

    def _tests(self, value: SSAValue, home: Block) -> Iterator[Test]:
        """Tests that hold where a multiple of a cotangent is not 0, by the selections in it."""
        value = self._replaced.get(value, value)
        while not is_visible(value, home):
            op = value.owner
            if isinstance(op, arith.SelectOp) and (is_zero(op.lhs) or is_zero(op.rhs)):
                yield from conjuncts(Test(op.cond, is_zero(op.rhs)))
                value = op.lhs if is_zero(op.rhs) else op.rhs
            elif isinstance(op, arith.MulfOp | arith.DivfOp | arith.NegfOp):
                value = op.operands[0]
            else:
                break
            value = self._replaced.get(value, value)

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
        cut = self._replaced.get(value, value)
        while not is_visible(cut, home) and isinstance(
            op := cut.owner, arith.MulfOp | arith.DivfOp | arith.NegfOp
        ):
            if any(depends_on(factor, each) for factor in op.operands[1:] for each in guarded):
                break
            cut = self._replaced.get(op.operands[0], op.operands[0])
        element = self._copied(build, cut, values, home)
        zero = zeros(build, element)
        values[cut] = build.insert(arith.SelectOp(all_of(build, tests), element, zero)).result

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

        return self._comprehension(build, sizes, element)

    def _count(self, build: Inserter, loop: Loop, home: Block) -> SSAValue:
        """The number of steps of a loop, as the size of an array if there is one."""
        count = self.counts.get(loop.variable, loop.size)
        return self._int(build, count if is_visible(count, home) else loop.size, home)

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
            copy = self._copied(build, value, values, home)
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

    def _accumulated(
        self,
        build: Inserter,
        terms: Sequence[Term],
        loops: Sequence[Loop],
        positions: Sequence[SSAValue],
        axes: Sequence[Loop | None],
        value: SSAValue,
        home: Block,
    ) -> Part:
        """``a[p] += x`` in loops  -->  ``accumulate (i, ..) into (size a) { p clipped, x }``"""
        rows = self._row_loops(positions, axes)
        indices = [loop for loop in loops if loop not in rows]
        solvers = list[Solver]()
        if not rows:
            solvers, indices = self._selected(build, indices, value, home)
        scattered = range(len(positions) - len(rows))
        extents = [self._size(build, terms[axis], home) for axis in scattered]
        sizes = [self._int(build, loop.size, home) for loop in indices]
        row_sizes = [self._size(build, term, home) for term in terms[len(scattered) :]]

        def contributions(
            inner: Inserter, found: Sequence[SSAValue]
        ) -> list[tuple[list[SSAValue], SSAValue]]:
            values = bound_variable(inner, [loop.variable for loop in indices], found)
            self._mask(inner, value, values, solvers, home)
            at = [self._copied(inner, positions[axis], values, home) for axis in scattered]
            clipped = [
                as_int(inner, position) if axes[axis] else clipped_position(inner, position, extent)
                for axis, (position, extent) in enumerate(zip(at, extents, strict=True))
            ]
            return [(clipped, self._row(inner, rows, row_sizes, values, value, home))]

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
    ) -> SSAValue:
        """The accumulated value: a row, if the last positions are indices of its own."""
        if not rows:
            return self._copied(build, value, values, home)

        def element(inner: Inserter, found: Sequence[SSAValue]) -> SSAValue:
            inside = {**values, **bound_variable(inner, [row.variable for row in rows], found)}
            return self._summed(inner, (), inside, value, found[len(rows) :], home)

        return comprehension(build, sizes, element, [row.variable for row in rows])

    def _row_loops(self, positions: Sequence[SSAValue], axes: Sequence[Loop | None]) -> list[Loop]:
        """The loops over the last axes, of which no other position depends."""
        rows: list[Loop] = []
        for axis in reversed(range(len(axes))):
            loop = axes[axis]
            if loop is None or any(
                depends_on(position, loop.variable) for position in positions[:axis]
            ):
                break
            rows.insert(0, loop)
        return rows

    # Copies and sizes

    def copy(
        self, build: Inserter, value: SSAValue, values: dict[SSAValue, SSAValue], op: Operation
    ) -> SSAValue:
        """A copy of a value of the body of an operation, outside of the operation."""
        return self._copied(build, value, values, place_of(op)[0])

    def _copied(
        self, build: Inserter, value: SSAValue, values: dict[SSAValue, SSAValue], home: Block
    ) -> SSAValue:
        """A copy of a value of a body for other indices, given in ``values``, outside of it."""
        value = self._replaced.get(value, value)
        pending = [value]
        while pending:
            last = pending[-1]
            op = last.owner
            if last in values or is_visible(last, home) or isinstance(op, Block):
                pending.pop()
                continue
            operands = [each for each in operands_within(op) if not is_within(each, op)]
            missing = [
                each
                for each in operands
                if each not in values
                and not is_visible(each, home)
                and not isinstance(each.owner, Block)
            ]
            if missing:
                pending.extend(missing)
                continue
            pending.pop()
            insert_copy(build, op, values)
        return values.get(value, value)

    def _term(self, leaf: Leaf, axis: int) -> Term:
        value, number = leaf
        return Term(value, leaf_paths(value.type)[number], axis)

    def sizes_of(self, build: Inserter, leaf: Leaf, home: Block | None = None) -> list[SSAValue]:
        """The sizes of a linear value, in its block or another one."""
        home = home_of(leaf[0]) if home is None else home
        rank = phi.rank_of(leaf_type(leaf))
        return [self._size(build, self._term(leaf, axis), home) for axis in range(rank)]

    def _size(self, build: Inserter, term: Term, home: Block) -> SSAValue:
        """The size of a value, from values that are visible in a block and not linear."""
        while True:
            value, path, axis = term.value, term.path, term.axis
            if axis is None:
                return self._int(build, value, home)
            like = self._like.get(value, value)
            if like not in self._linear and is_visible(like, home):
                for field in path:
                    like = build.insert(phi.ProjOp(like, field)).result
                return build.insert(phi.SizeOp(like, axis)).result
            if isinstance(op := value.owner, phi.ConcatOp) and axis == 0 and op.size is None:
                parts = [self._size(build, Term(part, path, 0), home) for part in (op.lhs, op.rhs)]
                return build.insert(arith.AddiOp(parts[0], parts[1])).result
            term = same_size(term)

    def _int(self, build: Inserter, value: SSAValue, home: Block) -> SSAValue:
        """An Int that is visible in a block: the value, or a copy that reads no index."""
        if is_visible(value, home):
            return value
        op = value.owner
        if isinstance(op, phi.SizeOp):
            return self._size(build, Term(op.array, (), op.axis.value.data), home)
        if isinstance(op, phi.AssertEqOp):
            return self._int(build, op.lhs, home)
        if isinstance(op, Block) or not op.name.startswith("arith."):
            raise no_size(value)
        values = {each: self._int(build, each, home) for each in op.operands}
        return build.insert(op.clone(values)).results[0]
