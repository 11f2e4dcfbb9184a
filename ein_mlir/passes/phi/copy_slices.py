"""``copy-slices``: a comprehension that reads slices of an array that it overwrites copies them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from xdsl.dialects import arith, func
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.element_cost import is_function
from ein_mlir.analysis.phi.free_indices import leaf_types
from ein_mlir.analysis.phi.index_forms import IndexForms, index_forms
from ein_mlir.analysis.phi.index_ranges import IndexRanges, is_visible
from ein_mlir.analysis.phi.records import whole_record
from ein_mlir.analysis.phi.selections import tests_around
from ein_mlir.analysis.predicates import NEGATED, SWAPPED, predicate_of
from ein_mlir.analysis.scopes import block_of, home_of, is_within, operations_in, reached
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.insertion import Builder

_Slice: TypeAlias = tuple[SSAValue | None, ...]
"""A part of an array: the position along each axis, None along those that it has."""


def _replaced(fold: phi.FoldOp) -> Iterator[tuple[phi.ArrayOp, SSAValue]]:
    """Comprehensions of scalars in a step, or of records of scalars, with arrays to overwrite.

    These are the old values of arrays of the accumulator, or arrays of the step that a
    comprehension reads at its own indices.
    """
    loops = [op for op in fold.body.block.ops if isinstance(op, phi.ArrayOp)]
    carried = list(_arrays(fold.yielded(), fold.accumulator))
    next_values = ((x, old) for value, old in carried for x in _in_place(fold, value))
    pairs = [*next_values, *((op.result, old) for op in loops for old in _read_in_place(op))]
    for value, old in pairs:
        loop = whole_record(value).owner
        if not isinstance(loop, phi.ArrayOp) or loop.parent is not fold.body.block:
            continue
        if all(map(phi.is_scalar_type, leaf_types(loop.yielded().type))):
            yield loop, old


def _in_place(fold: phi.FoldOp, value: SSAValue) -> Iterable[SSAValue]:
    """A next value, and before it the arrays of the step that it overwrites in turn."""

    def sources(value: SSAValue) -> Iterable[SSAValue]:
        loop = whole_record(value).owner
        if isinstance(loop, phi.UpdateOp) and loop.parent is fold.body.block:
            return (loop.array,)
        if isinstance(loop, phi.ArrayOp) and loop.parent is fold.body.block:
            return _read_in_place(loop)
        return ()

    return reversed([*reached([value], sources)])


def _read_in_place(loop: phi.ArrayOp) -> Iterable[SSAValue]:
    """The results of operations before a comprehension that it reads at its own indices."""
    gets = (op for op in loop.body.block.ops if isinstance(op, phi.GetOp))
    own = (get.array for get in gets if get.is_at(loop.indices))
    return dict.fromkeys(
        array
        for array in own
        if block_of(array) is loop.parent and not isinstance(array.owner, Block | phi.ProjOp)
    )


def _arrays(value: SSAValue, old: SSAValue) -> Iterator[tuple[SSAValue, SSAValue]]:
    """The arrays of a record, with the same fields of another value or with the value that has
    them; none of a record that is also used as a whole.
    """
    if isinstance(old.type, phi.VecType):
        yield value, old
        return
    fields = value.owner.fields if isinstance(value.owner, phi.TupleOp) else None
    projections = [use.operation for use in old.uses if isinstance(use.operation, phi.ProjOp)]
    if len(projections) == len([*old.uses]):
        for each in projections:
            yield from _arrays(fields[each.field.value.data] if fields else value, each.result)


def _slices(fold: phi.FoldOp, loop: phi.ArrayOp, old: SSAValue) -> list[phi.GetOp]:
    """The accesses to slices, if a comprehension otherwise reads only the element at its indices.

    Comprehensions after it may read slices, too; all other uses of the old array are before it.
    """

    def is_known(value: SSAValue) -> bool:
        op = value.owner
        return isinstance(op, Block) or op.parent is not loop.parent or op.is_before_in_block(loop)

    slices = list[phi.GetOp]()
    for use in old.uses:
        user = use.operation
        outer = fold.body.block.find_ancestor_op_in_block(user)
        if isinstance(user, phi.SizeOp) or (
            outer is not None and outer is not loop and outer.is_before_in_block(loop)
        ):
            continue
        if not isinstance(outer, phi.ArrayOp) or not isinstance(user, phi.GetOp) or use.index != 0:
            return []
        positions = [*map(phi.uncast, user.positions)]
        if outer is loop and positions == list(loop.indices):
            continue
        fixed = [position for position in positions if not is_within(position, outer)]
        if not phi.is_scalar_type(user.result.type) or not fixed or not all(map(is_known, fixed)):
            return []
        slices.append(user)
    return slices


def _keeps(fold: phi.FoldOp, loop: phi.ArrayOp, old: SSAValue, forms: IndexForms) -> bool:
    """Whether a comprehension, the last reader of an array, now overwrites it below a limit."""
    reads_others, block = False, fold.body.block
    for use in old.uses:
        user, outer = use.operation, block.find_ancestor_op_in_block(use.operation)
        if outer is loop:
            if not isinstance(user, phi.GetOp) or not phi.is_scalar_type(user.result.type):
                return False
            reads_others |= not user.is_at(loop.indices)
        elif outer is None or not outer.is_before_in_block(loop):
            return False
    limits = _limits(loop, old, fold)
    if limits is None:
        return False
    if not reads_others:
        return limit_changes(loop, old, limits)
    if not limits.axis and _reads_ahead(loop, old, forms):
        compute_in_order(loop, old, limits)
    else:
        compute_changed(loop, old, limits)
    return True


def _copy(loop: phi.ArrayOp, get: phi.GetOp, copies: dict[_Slice, SSAValue]) -> None:
    """``array(i, j) { x[i, k] }  -->  y = array(i) { x[i, k] }; array(i, j) { y[i] }``

    A position that is no index may be any along its axis: ``x[p(i, j), k]`` is ``y[p(i, j)]``. The
    access may be in a later comprehension. ``copies`` has those of the same array.
    """
    positions, block = [*map(phi.uncast, get.positions)], home_of(loop)
    reader = phi.ArrayOp.of(block.find_ancestor_op_in_block(get))
    build, slice_ = Builder.before(loop), _slice_of(positions, reader)
    axes = [axis for axis, fixed in enumerate(slice_) if fixed is None]
    if slice_ not in copies:
        own = [positions[axis] for axis in axes]
        sizes = [_size(build, loop, get.array, axis, positions[axis]) for axis in axes]

        def element(inner: Builder, indices: Sequence[SSAValue]) -> SSAValue:
            known = dict(zip(axes, indices, strict=True))
            return inner.get(get.array, [known.get(k, p) for k, p in enumerate(positions)])

        copies[slice_] = build.comprehension(sizes, element, own) if axes else element(build, ())
    if not axes:
        Rewriter.replace_op(get, (), (copies[slice_],))
        return
    Rewriter.replace_op(get, phi.GetOp(copies[slice_], [positions[axis] for axis in axes]))


def _read_own(loop: phi.ArrayOp) -> bool:
    """``where(j == k, f(x[i, k]), ..)  -->  where(j == k, f(x[i, j]), ..)``, for an index j.

    Whether there were such reads in a comprehension.
    """
    changed = False
    for get in list(loop.body.block.ops):
        if not isinstance(get, phi.GetOp) or len(get.positions) != len(loop.indices):
            continue
        pairs = zip(loop.indices, map(phi.uncast, get.positions), strict=True)
        others = [pair for pair in pairs if pair[0] is not pair[1]]
        if others and {*map(frozenset, others)} <= {*_equated(get.result)}:
            get.operands = [get.array, *loop.indices]
            changed = True
    return changed


def _equated(value: SSAValue) -> Iterator[frozenset[SSAValue]]:
    """The pairs of values that are equal where a choice takes what is computed from a value."""
    for test in tests_around(value):
        op = test.condition.owner
        if isinstance(op, arith.CmpiOp) and predicate_of(op) == ("eq" if test.expected else "ne"):
            yield frozenset(map(phi.uncast, op.operands))


def _slice_of(positions: Sequence[SSAValue], reader: phi.ArrayOp) -> _Slice:
    return tuple(None if is_within(position, reader) else position for position in positions)


def _size(
    build: Builder, loop: phi.ArrayOp, array: SSAValue, axis: int, position: SSAValue
) -> SSAValue:
    """The size of an axis, as that of an index of a comprehension if this is the position."""
    for index, size in zip(loop.indices, loop.sizes, strict=True):
        if position is index:
            return size
    return build.size(array, axis)


def _compare_indices(loop: phi.ArrayOp, fold: phi.FoldOp, forms: IndexForms) -> bool:
    """``i - k < w  -->  i < k + w``, for an index i of a comprehension; whether there were such.

    Loops that overwrite an array take the steps alone that such comparisons select. What is known
    when a step begins is computed there, for arrays that the comprehension reads.
    """
    ranges, changed = IndexRanges(loop, forms, None), False
    for op in loop.body.block.ops:
        found = ranges.comparison(op.result) if isinstance(op, arith.CmpiOp) else None
        if found is None or found.index in map(phi.uncast, op.operands):
            continue
        if not is_visible(found.threshold, loop):
            continue
        atoms = found.threshold.coefficients
        is_late = any(is_within(a, fold) and isinstance(a.owner, Operation) for a in atoms)
        before = Builder.before(loop) if is_late else Builder.at_start(fold.body.block)
        threshold, build = before.linear_value(found.threshold), Builder.before(op)
        new = build.compare(build.as_int(found.index), found.predicate, threshold)
        Rewriter.replace_op(op, (), (new,))
        changed = True
    return changed


@dataclass(frozen=True)
class _Limits:
    """Elements change only below one of some limits of an index of a comprehension."""

    axis: int
    limits: Sequence[SSAValue]

    def count(self, loop: phi.ArrayOp) -> SSAValue:
        """The number of positions below a limit, before the comprehension."""
        build, most = Builder.before(loop), self.limits[0]
        for limit in self.limits[1:]:
            most = build.max(most, limit)
        return build.min(build.max(most, 0), loop.sizes[self.axis])


def compute_changed(loop: phi.ArrayOp, old: SSAValue, found: _Limits) -> None:
    """Compute the elements that change first, if the others stay as they are in an old array.

    ::

        array(i < n) { select(i < m, f(x, i), x[i]) }

    becomes ::

        y = array(i < min(max(m, 0), n)) { select(i < m, f(x, i), x[i]) }
        array(i < n) { select(i < size of y, y[i], x[i]) }

    which overwrites ``x``, and so leaves most of it alone. The limit varies with the steps of the
    fold, as those of levels that halve an array.
    """
    build, axis, count = Builder.before(loop), found.axis, found.count(loop)
    changed = build.copy(loop)
    changed.operands[axis] = count

    def element(inner: Builder, indices: Sequence[SSAValue]) -> SSAValue:
        is_changed = inner.compare(inner.as_int(indices[axis]), "slt", count)
        own, kept = inner.get(changed.result, indices), inner.get(old, indices)
        return inner.select(is_changed, own, kept)

    new = build.comprehension(list(loop.sizes), element, loop.indices)
    Rewriter.replace_op(loop, (), (new,))


def compute_in_order(loop: phi.ArrayOp, old: SSAValue, found: _Limits) -> None:
    """Update the elements that change one after the other, if steps read none of an earlier one.

    ::

        array(i < n) { select(i < m, f(x[i], x[i + 1]), x[i]) }

    becomes ``fold(i < min(max(m, 0), n), y = x) { update y[i], f(y[i], y[i + 1]) }``. Elements that
    take a loop or a function are better computed in parallel.
    """
    block, (index, *others) = loop.body.block, loop.indices

    def step(inner: Builder, counter: SSAValue, array: SSAValue) -> SSAValue:
        def element(row: Builder, at: Sequence[SSAValue]) -> SSAValue:
            values = {old: array, index: counter, **dict(zip(others, at, strict=True))}
            return row.copied(block, [loop.yielded()], values)[0]

        sizes = loop.sizes[1:]
        new = inner.comprehension(sizes, element, others) if others else element(inner, ())
        return inner.update(array, [counter], new)

    build = Builder.before(loop)
    new = build.fold_over(found.count(loop), old, step, [index, old])
    Rewriter.replace_op(loop, (), (new,))


def _reads_ahead(loop: phi.ArrayOp, old: SSAValue, forms: IndexForms) -> bool:
    """Whether elements of an array are read at the indices of a comprehension of equal sizes, or in
    later rows, or at a later position of a vector.
    """
    is_row = len(loop.indices) > 1
    sizes = [forms.size(old, axis) for axis in range(len(loop.indices))]
    if any(
        size is None or not forms.equal(size, forms.extent(own))
        for size, own in zip(sizes, loop.sizes, strict=True)
    ):
        return False
    if any(op.regions or is_function(op) for op in loop.body.block.ops):
        return False
    reads = [use.operation for use in old.uses if loop.is_ancestor(use.operation)]
    for get in reads:
        if not isinstance(get, phi.GetOp):
            return False
        place = forms.integer(forms.unclipped(get.positions[0], sizes[0]))
        ahead = place - forms.integer(loop.indices[0]) - int(is_row)
        if not get.is_at(loop.indices) and not forms.is_nonnegative(ahead):
            return False
    return True


def limit_changes(loop: phi.ArrayOp, old: SSAValue, found: _Limits) -> bool:
    """Tell the elements that change by one comparison, in place of those with several limits.

    ``select(i < m, y, select(i < n, z, x[i]))  -->  select(i < max(m, n), .., x[i])``
    """
    if len(found.limits) == 1:
        return False
    count, inner = found.count(loop), Builder.before_end(loop.body.block)
    is_changed = inner.compare(inner.as_int(loop.indices[found.axis]), "slt", count)
    kept = inner.get(old, loop.indices)
    loop.yield_instead(inner.select(is_changed, loop.yielded(), kept))
    return True


def _limits(loop: phi.ArrayOp, old: SSAValue, fold: phi.FoldOp) -> _Limits | None:
    """The limits of the elements that change, some of which vary with the steps of a fold."""
    value, limits = loop.yielded(), dict[SSAValue, BlockArgument]()
    while isinstance(choice := value.owner, arith.SelectOp):
        for rest, expected in ((choice.rhs, True), (choice.lhs, False)):
            limit = _limit(choice.cond, loop, expected=expected)
            if limit is not None:
                limits[limit[0]] = limit[1]
                value = rest
                break
        else:
            return None
    kept = value.owner
    if not isinstance(kept, phi.GetOp) or kept.array is not old or not kept.is_at(loop.indices):
        return None
    axes = {index.index for index in limits.values()}
    if len(axes) > 1 or not any(is_within(limit, fold) for limit in limits):
        return None
    return _Limits(axes.pop(), [*limits])


def _limit(
    condition: SSAValue, loop: phi.ArrayOp, *, expected: bool
) -> tuple[SSAValue, BlockArgument] | None:
    """The limit that an index is below just where a condition has a value, and the index."""
    test = condition.owner
    if not isinstance(test, arith.CmpiOp):
        return None
    predicate, (lhs, rhs) = predicate_of(test), test.operands
    if not expected:
        predicate = NEGATED[predicate]
    if phi.uncast(rhs) in loop.indices:
        predicate, lhs, rhs = SWAPPED[predicate], rhs, lhs
    index = phi.uncast(lhs)
    if predicate != "slt" or is_within(rhs, loop) or not isinstance(index, BlockArgument):
        return None
    return (rhs, index) if index in loop.indices else None


class CopySlicesPass(FunctionPass):
    """Copies the slices of an accumulator that the comprehension of its next value reads.

    Before::

        %r = phi.fold (%k < %n, %x = %a) -> !phi.vec<!phi.vec<f64>> {
          phi.array (%i < %n, %j < %n) { .. %x[%i, %j] .. %x[%i, %k] .. }
        }

    After::

        %r = phi.fold (%k < %n, %x = %a) -> !phi.vec<!phi.vec<f64>> {
          %column = phi.array (%i < %n) -> !phi.vec<f64> { %x[%i, %k] }
          phi.array (%i < %n, %j < %n) { .. %x[%i, %j] .. %column[%i] .. }
        }

    Otherwise the comprehension reads only the element that it computes: the loops overwrite the
    array, which takes half the memory. So elimination of rows, and shortest paths, are in place.
    An array of the step is overwritten like the accumulator. Comparisons of sums with an index of
    these comprehensions, ``i - k < w``, become ones of the index, ``i < k + w``: ``narrow-loops``
    leaves out the steps that they exclude, as in a matrix that is stored by its band. Where
    elements from a limit on stay, those before it are computed first, or one after the other: see
    ``compute_changed`` and ``compute_in_order``.
    """

    name = "copy-slices"
    looks_for = (phi.FoldOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        for fold in list(operations_in(function)):
            if isinstance(fold, phi.FoldOp):
                for loop, old in list(_replaced(fold)):
                    if _read_own(loop):
                        analyses.invalidate(function)
                    slices = _slices(fold, loop, old)
                    forms = analyses.get(index_forms, function)
                    if not slices and _keeps(fold, loop, old, forms):
                        analyses.invalidate(function)
                        continue
                    compared = _compare_indices(loop, fold, forms)
                    copies = dict[_Slice, SSAValue]()
                    for get in slices:
                        _copy(loop, get, copies)
                    if slices:
                        analyses.note(loop, "slices of the old array are copied: it is overwritten")
                    if slices or compared:
                        analyses.invalidate(function)
