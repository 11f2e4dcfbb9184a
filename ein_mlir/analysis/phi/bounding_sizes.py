"""Axes of arguments that the steps of loops take to be of the same size.

A fold over ``k < n``, for the size n of ``a`` along its first axis, may read ``a[k, k]`` and
``b[k]``: the program takes one size for both axes of ``a``, and for ``b``. Nothing says that they
are equal, so the positions are clipped. If they are, all positions are in bounds. An assertion in a
loop says that sizes are equal if the loop has a step. Sums over the size of one argument, in which
others are read at the counter itself, take these sizes to be equal, too.

And axes whose sizes are equal if loops keep the sizes of their arrays: steps that compute
``array (i < n, j < n) { e }`` from ``a`` on take one size for both axes of a matrix that need not
be square. For one that is, they are in place and their positions in bounds. So they are if n is an
Int argument that is equal to both sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import permutations
from typing import TypeAlias

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import i64
from xdsl.ir import Block, Operation, SSAValue
from xdsl.utils.disjoint_set import DisjointSet

from ein_mlir.analysis.phi.free_indices import FreeIndices, leaf_types
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.position_bounds import PositionBounds
from ein_mlir.analysis.phi.selections import reduction, tests_around
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence, classes_of, terms_of
from ein_mlir.analysis.predicates import relation_of
from ein_mlir.analysis.scopes import operations_in, reached
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi import Term
from ein_mlir.dialects.phi.integers import PhiLevel


def axes_of_arguments(function: func.FuncOp) -> dict[Term, phi.Axis]:
    """The sizes of the arguments of a function that are arrays, and the Ints, as terms.

    So are those of the fields of records, but not of arrays of records.
    """
    leaves = enumerate(phi.leaves_of_arguments(function))
    numbers = {(argument, path): (number, type_) for number, (argument, path, type_) in leaves}
    found = dict[Term, phi.Axis]()
    for argument in function.body.block.args:
        if phi.struct_of_arrays(argument.type) == argument.type:
            for term in terms_of(argument):
                number, type_ = numbers[argument, term.path]
                if term.axis is not None or type_ == i64:
                    found[term] = number, term.axis
    return found


def axes_that_steps_equate(function: func.FuncOp) -> Sequence[Sequence[phi.Axis]]:
    """The groups of axes whose sizes steps of loops assert to be equal, or bound positions by.

    If they are equal, all positions that no choice guards are in bounds of the others.
    """
    axes = {term: axis for term, axis in axes_of_arguments(function).items() if axis[1] is not None}
    if len(axes) < 2:
        return ()
    steps, reads = _operations_in_steps(function), list(_reads_at_counters(function))
    if not steps and not reads:
        return ()
    sizes = SizeEquivalence(function)
    classes = {term: sizes.representative(term) for term in axes}
    merged = _Merged(sizes, classes.values())
    for op in steps:
        if isinstance(op, phi.AssertEqOp):
            merged.equate(op.lhs, op.rhs)
    if merged.has_several():
        bounding = _Bounding(function, merged)
        for op in steps:
            if isinstance(op, phi.GetOp):
                bounding.read(op)
            elif isinstance(op, arith.CmpiOp):
                bounding.test(op)
        for fold, size in reads:
            bounding.read_at_counter(fold, size)
        for pair in bounding.pairs():
            merged.equate(*pair)
    return merged.groups(axes)


def _operations_in_steps(function: func.FuncOp) -> Collection[Operation]:
    """The operations in steps of loops that are no reductions."""
    found = dict[Operation, None]()
    for loop in operations_in(function):
        is_sum = isinstance(loop, phi.FoldOp) and reduction(loop) is not None
        if isinstance(loop, phi.FoldOp | phi.WhileOp) and loop not in found and not is_sum:
            found.update(dict.fromkeys(operations_in(loop)))
    return found


def _reads_at_counters(function: func.FuncOp) -> Iterator[tuple[phi.FoldOp, Term]]:
    """The reductions that read an argument at their counters, with its size along that axis."""
    for op in operations_in(function):
        if isinstance(op, phi.FoldOp) and reduction(op) is not None:
            for use in op.counter.uses:
                read = use.operation
                if (
                    isinstance(read, phi.GetOp)
                    and use.index
                    and isinstance(read.array.owner, Block)
                ):
                    yield op, Term(read.array, (), use.index - 1)


class _Merged:
    """Classes of equal sizes of arguments, of which some are equated."""

    def __init__(self, sizes: SizeEquivalence, classes: Iterable[Term | int]):
        self.sizes = sizes
        self._known = {*classes}
        self._merged: DisjointSet[Term | int] = DisjointSet([*self._known])

    def of(self, size: Term | SSAValue) -> Term | int | None:
        """The class of a size; None if it is not that of an argument."""
        term = size if isinstance(size, Term) else Term(size)
        own = self.sizes.representative(term)
        return self._merged.find(own) if own in self._known else None

    def has_several(self) -> bool:
        """Whether some sizes are not equal."""
        return len(set(map(self._merged.find, self._known))) > 1

    def equate(self, size: Term | SSAValue, other: Term | SSAValue) -> None:
        """Equate two sizes, if both are those of arguments."""
        one, two = self.of(size), self.of(other)
        if one is not None and two is not None:
            self._merged.union(one, two)

    def groups(self, axes: Mapping[Term, phi.Axis]) -> list[list[phi.Axis]]:
        """The axes of the classes that are equated."""
        found = dict[Term | int, list[Term]]()
        for term in axes:
            found.setdefault(self._merged.find(self.sizes.representative(term)), []).append(term)
        return [
            [axes[term] for term in group]
            for group in found.values()
            if len(set(map(self.sizes.representative, group))) > 1
        ]


_Pair: TypeAlias = frozenset[Term | int]


class _Bounding:
    """The sizes of arrays, with others that bound positions below them, or are tested there."""

    def __init__(self, function: func.FuncOp, merged: _Merged):
        self._function, self._merged = function, merged
        self._wanted = dict[_Pair, tuple[Term | SSAValue, SSAValue]]()
        self._refuted = set[_Pair]()

    @cached_property
    def _bounds(self) -> PositionBounds:
        """The bounds of positions that are no indices themselves: many programs have none."""
        free = FreeIndices(self._function)
        return PositionBounds(IndexForms(self._function, self._merged.sizes, free))

    def pairs(self) -> Iterable[tuple[Term | SSAValue, SSAValue]]:
        """The sizes that some positions are for, and none are against."""
        return [found for pair, found in self._wanted.items() if pair not in self._refuted]

    def read(self, op: phi.GetOp) -> None:
        """Compare the sizes of an array with those that bound positions in it."""
        for axis, position in enumerate(op.positions):
            size = Term(op.array, (), axis)
            if self._merged.of(size) is None:
                continue
            for limit in _sizes_in(position, lambda: self._bounds.forms):
                if (pair := self._pair(size, limit)) is not None:
                    self._count(pair, (size, limit), self._is_below(op, position, limit))

    def read_at_counter(self, fold: phi.FoldOp, size: Term) -> None:
        """Compare the size of an array with the count of a reduction, which reads all of it."""
        if (pair := self._pair(size, fold.count)) is not None:
            self._count(pair, (size, fold.count), True)
            for op in operations_in(fold):
                if isinstance(op, arith.CmpiOp):
                    self.test(op)

    def test(self, op: arith.CmpiOp) -> None:
        """Compare the size of an index with that of which a test finds the last elements.

        ``i < n - 1`` is for i below n, and ``i < n`` is against it: it would always hold.
        """
        relation = relation_of(op.result)
        if relation is None:
            return
        sides = self._bounds.forms.form(relation.lhs), self._bounds.forms.form(relation.rhs)
        difference, excess = sides[0] - sides[1], relation.nonpositive(*sides)
        if sorted(difference.coefficients.values()) != [-1, 1]:
            return
        for index, size in permutations(difference.coefficients):
            limit = PhiLevel().limit(index)
            pair = None if limit is None else self._pair(limit, size)
            if limit is not None and pair is not None:
                if excess is None:
                    last = difference.constant * difference.coefficients[index]
                elif excess.coefficients[index] > 0:
                    last = excess.constant - 1
                else:
                    last = -excess.constant
                self._count(pair, (limit, size), last >= 1)

    def _pair(self, size: Term | SSAValue, other: SSAValue) -> _Pair | None:
        """The classes of two sizes, if they are those of arguments, and not equal."""
        one, two = self._merged.of(size), self._merged.of(other)
        return None if one is None or two is None or one == two else frozenset((one, two))

    def _count(self, pair: _Pair, sizes: tuple[Term | SSAValue, SSAValue], is_for: bool) -> None:
        """Take note of an operation that is for the equality of two sizes, or against it."""
        if is_for:
            self._wanted[pair] = sizes
        else:
            self._refuted.add(pair)

    def _is_below(self, op: phi.GetOp, position: SSAValue, size: SSAValue) -> bool:
        """Whether a position is in bounds of a size where an element is read and chosen."""
        known = self._bounds.in_step(op).where(tests_around(op.result), ())
        return known.is_above(position) and known.is_less(position, size)


def _sizes_in(position: SSAValue, forms: Callable[[], IndexForms]) -> Iterator[SSAValue]:
    """The Ints that a position, and the sizes of the indices in it, are computed from."""
    level = PhiLevel()

    def parts(value: SSAValue) -> Iterable[SSAValue]:
        if (limit := level.limit(value)) is not None:
            return (limit,)
        if isinstance(value.owner, arith.MinSIOp | arith.MaxSIOp):
            return value.owner.operands
        return forms().form(value).coefficients

    return reached([position], parts)


def axes_that_loops_equate(
    function: func.FuncOp,
) -> tuple[Sequence[Sequence[phi.Axis]], Mapping[phi.Axis, int]]:
    """The groups of axes whose sizes some loop may change, although assertions may forbid it.

    Ints that a loop gives arrays as sizes are in the groups, too. If it gives them a number, as in
    ``array(lambda i, c: .., size=(n, 3))`` for points, that is the size of these axes.
    """
    loops = [op for op in operations_in(function) if isinstance(op, phi.FoldOp | phi.WhileOp)]
    if not any(phi.rank_of(leaf) for op in loops for leaf in leaf_types(op.init.type)):
        return (), {}
    proven = SizeEquivalence(function, assertions=False)
    changing = [term for op in loops for term in changing_sizes(op, proven)]
    if not changing:
        return (), {}
    kept = SizeEquivalence(function)
    for op in loops:
        kept.keep(op)
    wanted = set(map(kept.representative, changing))
    axes = axes_of_arguments(function)
    groups = classes_of(kept, [term for term in axes if kept.representative(term) in wanted])
    fixed = {
        axes[term]: size
        for group in groups
        for term in group
        if isinstance(size := kept.representative(term), int) and term.axis is not None and size > 0
    }
    return [[axes[term] for term in group] for group in groups if len(group) > 1], fixed


def changing_sizes(op: phi.FoldOp | phi.WhileOp, sizes: SizeEquivalence) -> Iterator[Term]:
    """The sizes of a loop's first arrays that those after a step may not have."""
    for term in terms_of(op.init):
        after = Term(op.yielded(), term.path, term.axis)
        if term.axis is not None and not sizes.same(term, after):
            yield term
