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

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from xdsl.builder import Builder
from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IndexType, TupleType, i64
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import ConstantLike
from xdsl.utils.exceptions import PassFailedException

from ein_mlir.analysis.arithmetic import Integers, LinearForm
from ein_mlir.analysis.phi.free_indices import leaf_paths, leaf_types
from ein_mlir.analysis.phi.inverse_positions import Inverse, beyond_ends, inverses
from ein_mlir.analysis.phi.selections import Test, conjuncts
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence
from ein_mlir.analysis.scopes import block_of, dependents, is_within, operands_within
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi import Term
from ein_mlir.dialects.phi.integers import PhiLevel
from ein_mlir.dialects.phi.verification import is_regular
from ein_mlir.rewriting.phi.builders import (
    ElementBuilder,
    Emitter,
    Inserter,
    accumulation,
    comprehension,
    integer,
    leaves_of,
    linear_value,
    packed,
    unpacked,
)
from ein_mlir.rewriting.phi.derivatives.linearization import (
    Leaf,
    NoDerivativeError,
    at_end,
    filled,
    history,
    packed_argument,
    zeros,
)
from ein_mlir.rewriting.phi.derivatives.residuals import is_costly
from ein_mlir.rewriting.phi.derivatives.scalars import constant, width


@dataclass(frozen=True)
class Loop:
    """A linear loop around a contribution: its variable, and the number of its steps."""

    variable: BlockArgument
    size: SSAValue


@dataclass(frozen=True)
class Contribution:
    """``leaf[positions] += value``, in a body."""

    block: Block
    positions: tuple[SSAValue, ...]
    value: SSAValue


@dataclass(frozen=True)
class Window:
    """Loops, with the steps that reach an element as functions of its position."""

    loops: Sequence[Loop]
    inverses: Sequence[Inverse]
    """By axes."""
    in_order: Sequence[Inverse]
    """In the order of their solution."""
    ends: Sequence[tuple[int, int]]
    """The numbers of positions below 0 and from the size on, for each axis."""
    whole: Set[int]
    """The axes whose positions are the variables themselves: all steps reach an element."""


@dataclass(frozen=True)
class Solver:
    """Sets variables of loops from other ones, in the innermost body."""

    guarded: Set[SSAValue]
    """Variables that may have no such step."""
    solve: Callable[[Inserter, dict[SSAValue, SSAValue]], list[SSAValue]]
    """Adds the variables to known values; the tests that the loops have these steps."""


class _Forms(Integers):
    """Linear forms with one atom for equal sizes."""

    def __init__(self, sizes: SizeEquivalence):
        super().__init__(PhiLevel())
        self._sizes = sizes
        self._atoms: dict[Term | int, LinearForm] = {}

    def form_of(self, value: SSAValue) -> LinearForm:
        """The form of an Int, without sizes that are computed from others."""
        result = LinearForm.number(0)
        form = self.form(value)
        for atom, coefficient in form.coefficients.items():
            result += self._atom(atom) * coefficient
        return result + form.constant

    def _atom(self, atom: SSAValue) -> LinearForm:
        if isinstance(atom.owner, Block):
            return LinearForm.of(atom)
        source = _source(atom)
        known = self._sizes.representative(source)
        if isinstance(known, int):
            return LinearForm.number(known)
        if known not in self._atoms:
            self._atoms[known] = LinearForm.of(atom)
            if source.axis is None and source.value is not atom:
                self._atoms[known] = self.form_of(source.value)
        return self._atoms[known]


def _source(size: SSAValue) -> Term:
    """The size or Int that an Int is, by the operations that make arrays."""
    op = size.owner
    if isinstance(op, phi.AssertEqOp):
        return _source(op.lhs)
    if not isinstance(op, phi.SizeOp):
        return Term(size)
    term = Term(op.array, (), op.axis.value.data)
    while term.axis is not None and isinstance(owner := term.value.owner, phi.PhiOp):
        found = owner.size_of_result(term.path, term.axis)
        if found is None:
            break
        term = found
    return _source(term.value) if term.axis is None else term


class Transposition:
    """Transposes one ``phi.transpose``."""

    def __init__(self, op: phi.TransposeOp, sizes: SizeEquivalence):
        self._op = op
        self._sizes = sizes
        self._linear: set[SSAValue] = set(op.body.block.args)
        self._like: dict[SSAValue, SSAValue] = {}
        self._like.update(zip(op.body.block.args, op.like, strict=True))
        self._contributions: dict[Leaf, list[Contribution]] = {}
        self._replaced: dict[SSAValue, SSAValue] = {}
        self._forms = _Forms(sizes)
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
                    _rule(op)(self, op, totals)

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
        return self._total(leaf, self._contributions.pop(leaf, ()), _block_of(leaf[0]))

    def _total(
        self, leaf: Leaf, contributions: Iterable[Contribution], home: Block
    ) -> SSAValue | None:
        total: SSAValue | None = None
        for contribution in contributions:
            value = self._collected(leaf, contribution, home)
            total = value if total is None else self.sum(leaf, total, value, home)
        return total

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
        home = _place(op)[0]

        def step(inner: Inserter, indices: Sequence[SSAValue]) -> SSAValue:
            values: dict[SSAValue, SSAValue] = {op.counter: _as_int(inner, indices[0])}
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
        self, leaf: Leaf, lhs: SSAValue, rhs: SSAValue, home: Block, build: Inserter | None = None
    ) -> SSAValue:
        """The sum of two cotangents of a value."""
        build = at_end(home) if build is None else build
        if not isinstance(lhs.type, phi.VecType):
            return build.insert(arith.AddfOp(lhs, rhs)).result

        def element(inner: Inserter, indices: Sequence[SSAValue]) -> SSAValue:
            terms = [inner.insert(phi.GetOp(each, indices)).result for each in (lhs, rhs)]
            return inner.insert(arith.AddfOp(terms[0], terms[1])).result

        return self._comprehension(build, self.sizes_of(build, leaf, home), element)

    def _comprehension(
        self, build: Inserter, sizes: Sequence[SSAValue], element: ElementBuilder
    ) -> SSAValue:
        result = comprehension(build, sizes, element)
        assert isinstance(result.owner, Operation)
        self._sizes.add(result.owner)
        return result

    def _collected(self, leaf: Leaf, contribution: Contribution, home: Block) -> SSAValue:
        """A contribution in another block: over all loops between."""
        build, loops = at_end(home), list(_loops(contribution.block, home))
        value = self._replaced.get(contribution.value, contribution.value)
        if not loops and not contribution.positions:
            return value
        axes = range(phi.rank_of(_leaf_type(leaf)))
        terms = [self._term(leaf, axis) for axis in axes]
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
    ) -> SSAValue:
        """An array of sizes ``terms``, with the values of all steps added at their positions."""
        fixed = [axis for axis, position in enumerate(positions) if _is_fixed(position, home)]
        if fixed:
            left = [axis for axis in range(len(positions)) if axis not in fixed]
            rest = [*(terms[axis] for axis in left), *terms[len(positions) :]]
            moving = [positions[axis] for axis in left]
            if loops or moving:
                value = self._over_loops(build, rest, loops, moving, value, home, at)
            return self._placed(build, terms, {k: positions[k] for k in fixed}, value, home)
        axes = self._index_axes(terms, positions, loops, at)
        if None not in axes:
            indices = [loop for loop in axes if loop is not None]
            rest = [loop for loop in loops if loop not in indices]
            same = None if rest else self._whole(terms, indices, value, home)
            return same or self._gathered(build, terms, indices, rest, value, home)
        window = self._window(build, terms, positions, loops, axes, home)
        if window is not None:
            return self._windowed(build, terms, window, value, home)
        return self._accumulated(build, terms, loops, positions, axes, value, home)

    def _placed(
        self,
        build: Inserter,
        terms: Sequence[Term],
        fixed: Mapping[int, SSAValue],
        value: SSAValue,
        home: Block,
    ) -> SSAValue:
        """``a[p] += x``, once  -->  ``update 0[p], x``, or a selection where axes come before"""
        sizes = [self._size(build, term, home) for term in terms]
        places = {
            axis: _clipped(build, self._copied(build, position, {}, home), sizes[axis])
            for axis, position in fixed.items()
        }
        if list(places) == list(range(len(places))):
            empty = filled(build, sizes, phi.scalar_of(value.type))
            assert isinstance(empty.owner, Operation)
            self._sizes.add(empty.owner)
            return self.sized(build, phi.UpdateOp(empty, list(places.values()), value))

        def element(inner: Inserter, indices: Sequence[SSAValue]) -> SSAValue:
            others = [index for axis, index in enumerate(indices) if axis not in places]
            found = inner.insert(phi.GetOp(value, others)).result if others else value
            tests = [
                inner.insert(arith.CmpiOp(_as_int(inner, indices[axis]), place, "eq")).result
                for axis, place in places.items()
            ]
            return inner.insert(
                arith.SelectOp(_all(inner, tests), found, zeros(inner, found))
            ).result

        return self._comprehension(build, sizes, element)

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
            and _is_visible(op.array, home)
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
            values = _bound(inner, variables, found)
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
        if home is block or _is_visible(value, home) or isinstance(value.owner, phi.GetOp):
            return value
        loops = list(_loops(block, home))
        axes = range(phi.rank_of(_leaf_type(leaf)))
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
        home: Block,
    ) -> Window | None:
        """The steps that reach an element, if positions are sums of variables of loops."""
        sizes: dict[SSAValue, LinearForm] = {
            loop.variable: self._forms.form_of(loop.size) for loop in loops
        }
        forms = [self._forms.form_of(position) for position in positions]
        found = inverses(forms, sizes)
        if found is None or not all(
            atom in sizes or _is_visible(atom, home)
            for each in found
            for atom in each.rest.coefficients
        ):
            return None
        ends = list[tuple[int, int]]()
        for axis, form in enumerate(forms):
            extent = self._forms.form_of(self._size(build, terms[axis], home))
            beyond = beyond_ends(form, extent, sizes)
            if axes[axis] is not None:
                beyond = (0, 0)
            if beyond is None:
                return None
            ends.append(beyond)
        whole = {axis for axis, loop in enumerate(axes) if loop is not None}
        by_axis = sorted(found, key=lambda each: each.axis)
        whole = {axis for axis in whole if not by_axis[axis].rest.coefficients}
        return Window(loops, by_axis, found, ends, whole)

    def _windowed(
        self, build: Inserter, terms: Sequence[Term], window: Window, value: SSAValue, home: Block
    ) -> SSAValue:
        """``a[i + k - 1] += x`` in loops  -->  ``array (q) { sum of x[q + 1 - k] over k }``

        where reads beyond the ends of ``x`` are zero. Contributions to positions beyond the ends of
        ``a`` are those to the elements at the ends, as ``phi.get`` clips.
        """
        sizes = [self._size(build, term, home) for term in terms]
        own = window.inverses
        loops: dict[SSAValue, Loop] = {loop.variable: loop for loop in window.loops}
        counts = {variable: self._count(build, loop, home) for variable, loop in loops.items()}
        solved = {each.variable for each in own}
        guarded = {each.variable for each in own if each.axis not in window.whole}
        others = [loop for loop in window.loops if loop.variable not in solved]
        solver, others = self._selected(build, others, value, home)
        rest = [(loop, counts[loop.variable]) for loop in others]
        extents = [
            _plus(build, size, sum(beyond))
            for size, beyond in zip(sizes, window.ends, strict=False)
        ]

        def element(inner: Inserter, found: Sequence[SSAValue]) -> SSAValue:
            def at(build: Inserter, values: dict[SSAValue, SSAValue]) -> list[SSAValue]:
                tests = list[SSAValue]()
                for each in window.in_order:
                    if each.axis in window.whole:
                        values.update(_bound(build, [each.variable], [found[each.axis]]))
                        continue
                    place = LinearForm.of(found[each.axis]) - window.ends[each.axis][0]
                    step = linear_value(build, each.solution(place), lambda x: values.get(x, x))
                    values[each.variable] = step
                    tests += _within(build, step, counts[each.variable])
                return tests

            solvers = [Solver(guarded, at), *solver]
            return self._summed(inner, rest, {}, value, found[len(own) :], home, solvers)

        result = self._comprehension(build, [*extents, *sizes[len(own) :]], element)
        for axis, (below, beyond) in enumerate(window.ends):
            if below or beyond:
                sizes_now = [*sizes[: axis + 1], *extents[axis + 1 :], *sizes[len(own) :]]
                result = self._clip(build, result, axis, sizes_now, below, beyond)
        return result

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
                    _depends(each, variable) for each in (*rest.coefficients, *earlier)
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
                tests += _within(inner, step, counts[variable])
            return tests

        rest = [loop for loop in loops if loop.variable not in found]
        return ([Solver(set(found), solve)] if found else []), rest

    def _equations(self, value: SSAValue, home: Block) -> Iterator[LinearForm]:
        """Forms that are 0 where a multiple of a cotangent is not, by the selections in it."""
        tests, value = list[Test](), self._replaced.get(value, value)
        while not _is_visible(value, home):
            op = value.owner
            if isinstance(op, arith.SelectOp) and (_is_zero(op.lhs) or _is_zero(op.rhs)):
                tests += conjuncts(Test(op.cond, _is_zero(op.rhs)))
                value = op.lhs if _is_zero(op.rhs) else op.rhs
            elif isinstance(op, arith.MulfOp | arith.DivfOp | arith.NegfOp):
                value = op.operands[0]
            else:
                break
            value = self._replaced.get(value, value)
        for test in tests:
            op, equal = test.condition.owner, 0 if test.expected else 1
            if not isinstance(op, arith.CmpiOp) or op.predicate.value.data != equal:
                continue
            if op.lhs.type in (i64, IndexType()):
                yield self._forms.form(op.lhs) - self._forms.form(op.rhs)

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
        while not _is_visible(cut, home) and isinstance(
            op := cut.owner, arith.MulfOp | arith.DivfOp | arith.NegfOp
        ):
            if any(_depends(factor, each) for factor in op.operands[1:] for each in guarded):
                break
            cut = self._replaced.get(op.operands[0], op.operands[0])
        element = self._copied(build, cut, values, home)
        zero = zeros(build, element)
        values[cut] = build.insert(arith.SelectOp(_all(build, tests), element, zero)).result

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
            last = _plus(inner, sizes[axis], -1)

            def at(build: Inserter, position: SSAValue) -> SSAValue:
                return build.insert(phi.GetOp(array, [*before, position, *behind])).result

            index = _as_int(inner, indices[axis])
            total = at(inner, _plus(inner, index, below))
            end = _plus(inner, sizes[axis], below)
            for count, start, place in ((below, None, integer(inner, 0)), (beyond, end, last)):
                if count:
                    more = _sum_from(inner, start, count, total.type, at)
                    is_there = inner.insert(arith.CmpiOp(index, place, "eq")).result
                    zero = inner.insert(constant(0.0, total.type)).result
                    more = inner.insert(arith.SelectOp(is_there, more, zero)).result
                    total = inner.insert(arith.AddfOp(total, more)).result
            return total

        return self._comprehension(build, sizes, element)

    def _count(self, build: Inserter, loop: Loop, home: Block) -> SSAValue:
        """The number of steps of a loop, as the size of an array if there is one."""
        count = self.counts.get(loop.variable, loop.size)
        return self._int(build, count if _is_visible(count, home) else loop.size, home)

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
    ) -> SSAValue:
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
            values = _bound(inner, [loop.variable for loop in indices], found)
            self._mask(inner, value, values, solvers, home)
            at = [self._copied(inner, positions[axis], values, home) for axis in scattered]
            clipped = [
                _as_int(inner, position) if axes[axis] else _clipped(inner, position, extent)
                for axis, (position, extent) in enumerate(zip(at, extents, strict=True))
            ]
            return [(clipped, self._row(inner, rows, row_sizes, values, value, home))]

        if not indices:
            ((at, row),) = contributions(build, ())
            return self._placed(build, terms, dict(enumerate(at)), row, home)
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
            inside = {**values, **_bound(inner, [row.variable for row in rows], found)}
            return self._summed(inner, (), inside, value, found[len(rows) :], home)

        return comprehension(build, sizes, element, [row.variable for row in rows])

    def _row_loops(self, positions: Sequence[SSAValue], axes: Sequence[Loop | None]) -> list[Loop]:
        """The loops over the last axes, of which no other position depends."""
        rows: list[Loop] = []
        for axis in reversed(range(len(axes))):
            loop = axes[axis]
            if loop is None or any(
                _depends(position, loop.variable) for position in positions[:axis]
            ):
                break
            rows.insert(0, loop)
        return rows

    # Copies and sizes

    def copy(
        self, build: Inserter, value: SSAValue, values: dict[SSAValue, SSAValue], op: Operation
    ) -> SSAValue:
        """A copy of a value of the body of an operation, outside of the operation."""
        return self._copied(build, value, values, _place(op)[0])

    def _copied(
        self, build: Inserter, value: SSAValue, values: dict[SSAValue, SSAValue], home: Block
    ) -> SSAValue:
        """A copy of a value of a body for other indices, given in ``values``, outside of it."""
        value = self._replaced.get(value, value)
        pending = [value]
        while pending:
            last = pending[-1]
            op = last.owner
            if last in values or _is_visible(last, home) or isinstance(op, Block):
                pending.pop()
                continue
            operands = [each for each in operands_within(op) if not is_within(each, op)]
            missing = [
                each
                for each in operands
                if each not in values
                and not _is_visible(each, home)
                and not isinstance(each.owner, Block)
            ]
            if missing:
                pending.extend(missing)
                continue
            pending.pop()
            _clone(build, op, values)
        return values.get(value, value)

    def _term(self, leaf: Leaf, axis: int) -> Term:
        value, number = leaf
        return Term(value, leaf_paths(value.type)[number], axis)

    def sizes_of(self, build: Inserter, leaf: Leaf, home: Block | None = None) -> list[SSAValue]:
        """The sizes of a linear value, in its block or another one."""
        home = _block_of(leaf[0]) if home is None else home
        rank = phi.rank_of(_leaf_type(leaf))
        return [self._size(build, self._term(leaf, axis), home) for axis in range(rank)]

    def _size(self, build: Inserter, term: Term, home: Block) -> SSAValue:
        """The size of a value, from values that are visible in a block and not linear."""
        while True:
            value, path, axis = term.value, term.path, term.axis
            if axis is None:
                return self._int(build, value, home)
            like = self._like.get(value, value)
            if like not in self._linear and _is_visible(like, home):
                for field in path:
                    like = build.insert(phi.ProjOp(like, field)).result
                return build.insert(phi.SizeOp(like, axis)).result
            if isinstance(op := value.owner, phi.ConcatOp) and axis == 0 and op.size is None:
                parts = [self._size(build, Term(part, path, 0), home) for part in (op.lhs, op.rhs)]
                return build.insert(arith.AddiOp(parts[0], parts[1])).result
            term = _same_size(term)

    def _int(self, build: Inserter, value: SSAValue, home: Block) -> SSAValue:
        """An Int that is visible in a block: the value, or a copy that reads no index."""
        if _is_visible(value, home):
            return value
        op = value.owner
        if isinstance(op, phi.SizeOp):
            return self._size(build, Term(op.array, (), op.axis.value.data), home)
        if isinstance(op, phi.AssertEqOp):
            return self._int(build, op.lhs, home)
        if isinstance(op, Block) or not op.name.startswith("arith."):
            raise _no_size(value)
        values = {each: self._int(build, each, home) for each in op.operands}
        return build.insert(op.clone(values)).results[0]


def _same_size(term: Term) -> Term:
    """A term for the same size, of a value that the one of a term is computed from."""
    value, path, axis = term.value, term.path, term.axis
    op = value.owner
    found = op.size_of_result(path, axis) if isinstance(op, phi.PhiOp) else None
    if found is None and isinstance(op, phi.LoopOp):
        found = Term(op.start, path, axis)
    elif found is None and isinstance(op, arith.SelectOp):
        found = Term(op.lhs, path, axis)
    elif isinstance(op, Block) and isinstance(loop := op.parent_op(), phi.FoldOp):
        found = Term(loop.init, path, axis)
    if found is None:
        raise _no_size(value)
    return found


def _no_size(value: SSAValue) -> PassFailedException:
    op = value.owner
    if isinstance(op, Block):
        return PassFailedException("a size of a cotangent is computed in a body")
    return NoDerivativeError(op, "a size of a cotangent is computed in a body")


def _leaf_type(leaf: Leaf) -> Attribute:
    return leaf_types(leaf[0].type)[leaf[1]]


def _block_of(value: SSAValue) -> Block:
    block = block_of(value)
    assert block is not None
    return block


def _is_visible(value: SSAValue, home: Block) -> bool:
    """Whether a value is defined in a block or around it."""
    return _block_of(value).is_ancestor(home)


def _loops(block: Block, home: Block) -> Iterator[Loop]:
    """The loops around a block within another one, outermost first."""
    if block is home:
        return
    op = block.parent_op()
    assert op is not None
    assert op.parent is not None
    yield from _loops(op.parent, home)
    if isinstance(op, phi.ComprehensionOp):
        yield from map(Loop, op.indices, op.sizes)
    else:
        assert isinstance(op, phi.FoldOp)
        yield Loop(op.counter, op.count)


def _bound(
    build: Inserter, variables: Sequence[SSAValue], indices: Sequence[SSAValue]
) -> dict[SSAValue, SSAValue]:
    """Indices for the variables of loops; a counter is an Int."""
    return {
        variable: index if isinstance(variable.type, IndexType) else _as_int(build, index)
        for variable, index in zip(variables, indices, strict=False)
    }


def _is_fixed(value: SSAValue, home: Block) -> bool:
    """Whether a value of a body depends on no variable of the loops within another block."""
    pending, known = [value], set[SSAValue]()
    while pending:
        each = pending.pop()
        if each in known or _is_visible(each, home):
            continue
        known.add(each)
        if isinstance(each.owner, Block) or each.owner.regions:
            return False
        pending.extend(each.owner.operands)
    return True


def _depends(value: SSAValue, variable: SSAValue) -> bool:
    """Whether a value of a body depends on a variable of a loop around it."""
    home = _block_of(variable)
    pending, known = [value], set[SSAValue]()
    while pending:
        each = pending.pop()
        if each is variable:
            return True
        op = each.owner
        if each not in known and isinstance(op, Operation) and is_within(each, home):
            known.add(each)
            pending.extend(operands_within(op))
    return False


def _clone(build: Inserter, op: Operation, values: dict[SSAValue, SSAValue]) -> None:
    """A copy for other indices, which may be counters: those are Ints, and need no cast."""
    if isinstance(op, arith.IndexCastOp) and values.get(op.input, op.input).type == i64:
        values[op.result] = values.get(op.input, op.input)
        return
    copy = build.insert(op.clone(values))
    if copy.regions:
        for inner in list(copy.walk()):
            if isinstance(inner, arith.IndexCastOp) and inner.input.type == i64:
                Rewriter.replace_op(inner, (), (inner.input,))


def _as_int(build: Inserter, position: SSAValue) -> SSAValue:
    """A position as an Int of 64 bits."""
    if isinstance(position.type, IndexType):
        return build.insert(arith.IndexCastOp(position, i64)).result
    return position if position.type == i64 else build.insert(arith.ExtSIOp(position, i64)).result


def _is_zero(value: SSAValue) -> bool:
    """Whether a Float is a literal zero."""
    literal = ConstantLike.get_constant_value(value)
    return isinstance(literal, FloatAttr) and literal.value.data == 0.0


def _plus(build: Inserter, value: SSAValue, number: int) -> SSAValue:
    """``x + c``"""
    if not number:
        return value
    return build.insert(arith.AddiOp(value, integer(build, number))).result


def _within(build: Inserter, step: SSAValue, count: SSAValue) -> list[SSAValue]:
    """The tests that a loop has a step."""
    tests = ((step, integer(build, 0), "sge"), (step, count, "slt"))
    return [build.insert(arith.CmpiOp(*test)).result for test in tests]


def _all(build: Inserter, tests: Sequence[SSAValue]) -> SSAValue:
    """Whether all tests hold."""
    inside = tests[0]
    for test in tests[1:]:
        inside = build.insert(arith.AndIOp(inside, test)).result
    return inside


def _sum_from(
    build: Inserter,
    start: SSAValue | None,
    count: int,
    type_: Attribute,
    at: Callable[[Inserter, SSAValue], SSAValue],
) -> SSAValue:
    """The sum of some elements from a position on."""
    body = Block(arg_types=[i64, type_])
    inner = Builder(InsertPoint.at_end(body))
    counter, total = body.args
    position = counter if start is None else inner.insert(arith.AddiOp(start, counter)).result
    inner.insert(phi.YieldOp(inner.insert(arith.AddfOp(total, at(inner, position)))))
    zero = build.insert(constant(0.0, type_)).result
    return build.insert(phi.FoldOp(integer(build, count), zero, Region(body))).result


def _clipped(build: Inserter, position: SSAValue, size: SSAValue) -> SSAValue:
    """``max(0, min(p, n - 1))``, as ``phi.get`` reads; in no bounds if there is no element."""
    last = build.insert(arith.SubiOp(size, integer(build, 1))).result
    low = build.insert(arith.MinSIOp(_as_int(build, position), last)).result
    return build.insert(arith.MaxSIOp(low, integer(build, 0))).result


# Rules ----------------------------------------------------------------------------------------

Rule: TypeAlias = Callable[[Transposition, Operation, Sequence[SSAValue | None]], None]
"""Contributes to the linear operands of an operation, given the cotangents of its result."""


def _rule(op: Operation) -> Rule:
    if type(op) not in RULES:
        raise NoDerivativeError(op, "it is not linear, or has no transpose")
    return RULES[type(op)]


def _place(op: Operation) -> tuple[Block, Builder]:
    """The block of an operation, and a builder at its end."""
    assert op.parent is not None
    return op.parent, at_end(op.parent)


def _add(t: Transposition, op: Operation, totals: Sequence[SSAValue | None]) -> None:
    """``x + y``: ``x += r'; y += r'``"""
    block, _ = _place(op)
    for operand in op.operands:
        t.add(block, operand, _only(totals))


def _subtract(t: Transposition, op: Operation, totals: Sequence[SSAValue | None]) -> None:
    """``x - y``: ``x += r'; y += -r'``"""
    block, build = _place(op)
    t.add(block, op.operands[0], _only(totals))
    if t.factor(op, 1) is None:
        t.add(block, op.operands[1], build.insert(arith.NegfOp(_only(totals))).result)


def _negate(t: Transposition, op: Operation, totals: Sequence[SSAValue | None]) -> None:
    """``-x``: ``x += -r'``"""
    block, build = _place(op)
    t.add(block, op.operands[0], build.insert(arith.NegfOp(_only(totals))).result)


def _multiply(t: Transposition, op: Operation, totals: Sequence[SSAValue | None]) -> None:
    """``x * c``: ``x += r' * c``"""
    block, build = _place(op)
    for number in range(2):
        factor = t.factor(op, 1 - number)
        if t.factor(op, number) is None:
            if factor is None:
                raise NoDerivativeError(op, "both factors are linear")
            t.add(
                block, op.operands[number], build.insert(arith.MulfOp(_only(totals), factor)).result
            )


def _divide(t: Transposition, op: Operation, totals: Sequence[SSAValue | None]) -> None:
    """``x / c``: ``x += r' / c``"""
    block, build = _place(op)
    divisor = t.factor(op, 1)
    if divisor is None:
        raise NoDerivativeError(op, "its divisor is linear")
    t.add(block, op.operands[0], build.insert(arith.DivfOp(_only(totals), divisor)).result)


def _convert(t: Transposition, op: Operation, totals: Sequence[SSAValue | None]) -> None:
    """``convert x``: ``x += convert r'``"""
    block, build = _place(op)
    given: Any = op.operands[0].type
    back = arith.TruncFOp if width(given) < width(op.results[0].type) else arith.ExtFOp
    t.add(block, op.operands[0], build.insert(back(_only(totals), given)).result)


def _select(t: Transposition, op: Operation, totals: Sequence[SSAValue | None]) -> None:
    """``select c, x, y``: ``x += select c, r', 0; y += select c, 0, r'``"""
    assert isinstance(op, arith.SelectOp)
    block, build = _place(op)
    cotangent = _only(totals)

    def chosen(inner: Inserter, value: SSAValue, *, first: bool) -> SSAValue:
        zero = inner.insert(constant(0.0, value.type)).result
        branches = (value, zero) if first else (zero, value)
        return inner.insert(arith.SelectOp(op.cond, *branches)).result

    for number, first in ((1, True), (2, False)):
        if t.factor(op, number) is None:
            t.add(
                block,
                op.operands[number],
                _each(t, build, (op.result, 0), cotangent, partial(chosen, first=first)),
            )


def _each(
    t: Transposition,
    build: Inserter,
    like: Leaf,
    value: SSAValue,
    element: Callable[[Inserter, SSAValue], SSAValue],
) -> SSAValue:
    """A function of each element of a value; of a scalar itself."""
    if not isinstance(value.type, phi.VecType):
        return element(build, value)
    return comprehension(
        build,
        t.sizes_of(build, t.root(*like)),
        lambda inner, indices: element(inner, inner.insert(phi.GetOp(value, indices)).result),
    )


def _get(t: Transposition, op: Operation, totals: Sequence[SSAValue | None]) -> None:
    """``a[p]``: ``a[p] += r'``"""
    assert isinstance(op, phi.GetOp)
    block, _ = _place(op)
    t.add(block, op.array, _only(totals), op.positions)


def _array(t: Transposition, op: Operation, totals: Sequence[SSAValue | None]) -> None:
    """``array (i < n) { e }``: ``e += r'[i]``, for each i

    The size of ``r'`` is a size, which ``n`` may be an argument for.
    """
    assert isinstance(op, phi.ArrayOp)
    block = op.body.block
    build = at_end(block)
    array = next(total for total in totals if total is not None)
    for axis, index in enumerate(op.indices):
        t.counts[index] = t.sized(_place(op)[1], phi.SizeOp(array, axis))
    elements = [
        None if total is None else build.insert(phi.GetOp(total, block.args)).result
        for total in totals
    ]
    t.transpose(block, elements)


def _accumulate(t: Transposition, op: Operation, totals: Sequence[SSAValue | None]) -> None:
    """``accumulate { p, x }``: ``x += r'[p]`` if ``p`` is in bounds, for each index"""
    assert isinstance(op, phi.AccumulateOp)
    block = op.body.block
    build = at_end(block)
    fields = leaves_of(build, op.yielded())
    cotangents: list[SSAValue | None] = []
    for each, total in zip(op.accumulators, totals, strict=True):
        positions = fields[len(cotangents) : len(cotangents) + each.rank]
        element = total
        if total is not None and positions:
            element = _read(t, build, total, positions, (op.yielded(), len(cotangents) + each.rank))
        cotangents += [*(None for _ in positions), element]
    t.transpose(block, cotangents)


def _read(
    t: Transposition, build: Inserter, array: SSAValue, positions: Sequence[SSAValue], like: Leaf
) -> SSAValue:
    """``a[p]`` if ``p`` is in bounds, else 0."""
    inside = _in_bounds(build, array, positions)

    def kept(inner: Inserter, value: SSAValue) -> SSAValue:
        zero = inner.insert(constant(0.0, value.type)).result
        return inner.insert(arith.SelectOp(inside, value, zero)).result

    element = build.insert(phi.GetOp(array, positions)).result
    return _each(t, build, like, element, kept)


def _concat(t: Transposition, op: Operation, totals: Sequence[SSAValue | None]) -> None:
    """``concat a, b``: ``a[i] += r'[i]; b[i] += r'[i + size a]``"""
    assert isinstance(op, phi.ConcatOp)
    block, build = _place(op)
    first = build.insert(phi.SizeOp(_only(totals), 0)).result
    sizes = t.sizes_of(build, t.root(op.rhs)) if t.factor(op, 1) is None else None
    offset = first if sizes is None else build.insert(arith.SubiOp(first, sizes[0])).result
    if t.factor(op, 0) is None:
        t.add(block, op.lhs, _slice(build, t.sizes_of(build, t.root(op.lhs)), _only(totals), None))
    if sizes is not None:
        t.add(block, op.rhs, _slice(build, sizes, _only(totals), offset))


def _slice(
    build: Inserter, sizes: Sequence[SSAValue], array: SSAValue, offset: SSAValue | None
) -> SSAValue:
    """``array (i < n, ..) { a[i + offset, ..] }``"""

    def element(inner: Inserter, indices: Sequence[SSAValue]) -> SSAValue:
        first, *rest = indices
        if offset is not None:
            position = inner.insert(arith.IndexCastOp(first, i64)).result
            first = inner.insert(arith.AddiOp(position, offset)).result
        return inner.insert(phi.GetOp(array, [first, *rest])).result

    return comprehension(build, sizes, element)


def _update(t: Transposition, op: Operation, totals: Sequence[SSAValue | None]) -> None:
    """``update a[p], x``: ``a += update r'[p], 0; x += r'[p]`` if ``p`` is in bounds"""
    assert isinstance(op, phi.UpdateOp)
    block, build = _place(op)
    cotangent = _only(totals)
    element = build.insert(phi.GetOp(cotangent, op.positions)).result
    if t.factor(op, 0) is None:
        rest = phi.UpdateOp(cotangent, op.positions, zeros(build, element))
        t.add(block, op.array, t.sized(build, rest))
    if t.factor(op, len(op.operands) - 1) is None:
        t.add(block, op.value, _read(t, build, cotangent, op.positions, t.root(op.value)))


def _in_bounds(build: Inserter, array: SSAValue, positions: Sequence[SSAValue]) -> SSAValue:
    """Whether all positions are those of elements."""
    tests: list[SSAValue] = []
    for axis, position in enumerate(positions):
        at = _as_int(build, position)
        size = build.insert(phi.SizeOp(array, axis)).result
        tests.append(build.insert(arith.CmpiOp(at, integer(build, 0), "sge")).result)
        tests.append(build.insert(arith.CmpiOp(at, size, "slt")).result)
    return _all(build, tests)


def _only(totals: Sequence[SSAValue | None]) -> SSAValue:
    (total,) = totals
    assert total is not None
    return total


# Folds ----------------------------------------------------------------------------------------


def _fold(t: Transposition, op: Operation, totals: Sequence[SSAValue | None]) -> None:
    """The steps backwards, with the cotangents of the accumulators.

    A step that hands on the cotangent of a leaf unchanged, as that of a sum does, needs no such
    loop: the cotangent is the same for all steps. Other cotangents are saved in arrays, so that the
    contributions of each step to values outside are those of a parallel loop.
    """
    assert isinstance(op, phi.FoldOp)
    block, build = op.body.block, _place(op)[1]
    numbers = _reached(t, op, totals)
    start = dict[int, SSAValue]()
    for k in numbers:
        value = totals[k] or _zero_leaf(t, build, (op.result, k))
        start[k] = t.shared((op.result, k), value, _place(op)[0])
    given = {k: block.insert_arg(start[k].type, len(block.args)) for k in numbers}
    for k in numbers:
        t.inherit(given[k], start[k])
    t.transpose(block, [given.get(k) for k in range(len(totals))])
    after = {k: t.total((op.accumulator, k)) for k in numbers}
    varying = [k for k in numbers if after[k] is not given[k]]
    for k in numbers:
        if k not in varying:
            t.substitute(given[k], start[k])
    is_parallel = not varying and (is_regular(op) or not t.escaped(op))
    if is_parallel:
        for value in t.values_of_step(op) if is_regular(op) else ():
            if isinstance(value.owner, Operation):
                _read_step(t, op, value, t.over_steps(build, op, value))
    final = {} if is_parallel else _backwards(t, op, start, given, after, varying)
    for k in numbers:
        t.add(_place(op)[0], op.init, final.get(k, start[k]), leaf=k)


def _reached(t: Transposition, op: phi.FoldOp, totals: Sequence[SSAValue | None]) -> list[int]:
    """The leaves of the accumulator with a cotangent in some step."""
    reached = {k for k, total in enumerate(totals) if total is not None}
    pending = list(reached)
    while pending:
        new = t.leaves_behind(op, pending.pop()) - reached
        reached |= new
        pending.extend(new)
    return sorted(reached)


def _zero_leaf(
    t: Transposition, build: Inserter, leaf: Leaf, home: Block | None = None
) -> SSAValue:
    """Zero, or an array of zeros, with the sizes of a linear value."""
    sizes = t.sizes_of(build, leaf, home)
    scalar = phi.scalar_of(_leaf_type(leaf))
    return filled(build, sizes, scalar) if sizes else build.insert(constant(0.0, scalar)).result


def _backwards(
    t: Transposition,
    op: phi.FoldOp,
    start: Mapping[int, SSAValue],
    given: Mapping[int, BlockArgument],
    after: Mapping[int, SSAValue | None],
    varying: Sequence[int],
) -> dict[int, SSAValue]:
    """The cotangents before all steps; ``given`` becomes those after a step, from arrays.

    If sizes in the body depend on the counter, steps cannot be a parallel loop: then the loop sums
    their contributions, too.
    """
    block, build = _place(op)
    escaped = t.escaped(op)
    steps = {} if is_regular(op) else t.totals_of_step(op, escaped)
    carried = [start[k] for k in varying]
    read = t.values_of_step(op) if escaped and not steps else []
    kept = [k for k in varying if given[k] in read]
    arrays = [value for value in read if isinstance(value.owner, Operation)]
    carried += [history(build, op.count, start[k]) for k in kept]
    for value in arrays:
        sizes = t.sizes_of_value(build, value, block)
        carried.append(filled(build, [op.count, *sizes], phi.scalar_of(value.type)))
    carried += [_zero_leaf(t, build, leaf, block) for leaf in steps]
    body = Block(arg_types=[i64, *(value.type for value in carried)])
    inner = Builder(InsertPoint.at_end(body))
    last = inner.insert(arith.SubiOp(op.count, integer(inner, 1))).result
    step = inner.insert(arith.SubiOp(last, body.args[0])).result
    before = body.args[1:]
    values: dict[SSAValue, SSAValue] = {op.counter: step}
    values.update({given[k]: argument for k, argument in zip(varying, before, strict=False)})
    new: list[SSAValue] = []
    for k, argument in zip(varying, before, strict=False):
        value = after[k]
        new.append(zeros(inner, argument) if value is None else t.copy(inner, value, values, op))
    saved = [*(given[k] for k in kept), *arrays]
    for array, value in zip(before[len(new) : len(new) + len(saved)], saved, strict=True):
        copy = t.copy(inner, value, values, op)
        new.append(inner.insert(phi.UpdateOp(array, [step], copy)).result)
    for argument, (leaf, value) in zip(before[len(new) :], steps.items(), strict=True):
        more = t.copy(inner, value, values, op)
        new.append(t.sum(leaf, argument, more, block, inner))
    inner.insert(phi.YieldOp(packed(inner, new)))
    packed_argument(body, before)
    for argument in reversed(before if len(before) > 1 else ()):
        body.erase_arg(argument)
    result = t.sized(build, phi.FoldOp(op.count, packed(build, carried), Region(body)))
    found = t.fields(build, result, len(carried))
    for value, array in zip(saved, found[len(varying) :], strict=False):
        _read_step(t, op, value, array)
    for (value, leaf), total in zip(steps, found[len(varying) + len(saved) :], strict=True):
        t.add(block, value, total, leaf=leaf)
    return dict(zip(varying, found, strict=False))


def _read_step(t: Transposition, op: phi.FoldOp, value: SSAValue, array: SSAValue) -> None:
    """Let a value of a step be an element of an array of all steps."""
    at_start = Builder(InsertPoint.at_start(op.body.block))
    t.substitute(value, at_start.insert(phi.GetOp(array, [op.counter])).result)


RULES: dict[type[Operation], Rule] = {
    arith.AddfOp: _add,
    arith.DivfOp: _divide,
    arith.ExtFOp: _convert,
    arith.MulfOp: _multiply,
    arith.NegfOp: _negate,
    arith.SelectOp: _select,
    arith.SubfOp: _subtract,
    arith.TruncFOp: _convert,
    phi.AccumulateOp: _accumulate,
    phi.ArrayOp: _array,
    phi.ConcatOp: _concat,
    phi.FoldOp: _fold,
    phi.GetOp: _get,
    phi.UpdateOp: _update,
}
"""The transposes of linear operations."""
