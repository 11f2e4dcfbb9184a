"""``narrow-reductions``: reductions in steps of loops are of the elements that have an effect."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.phi.free_indices import FreeIndices, free_indices
from ein_mlir.analysis.phi.index_forms import IndexForms, index_forms
from ein_mlir.analysis.phi.index_ranges import Comparison, IndexRanges, is_visible
from ein_mlir.analysis.phi.selections import Test, is_constant, selected
from ein_mlir.analysis.predicates import NEGATED
from ein_mlir.analysis.scopes import around, innermost_first, is_within
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import identity
from ein_mlir.dialects.assembly import single_operation
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.builders import comprehension, copied, linear_value
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.ranges import checked_count, length_of
from ein_mlir.rewriting.phi.replacement import replace


@dataclass(frozen=True)
class _End:
    """The elements from a position on (``suffix``), or before it, have an effect if a test holds.

    The test holds for all elements from a ``certain`` position on, or before it, if that is known.
    """

    position: LinearForm
    certain: LinearForm | None
    suffix: bool
    test: Test


class _Place:
    """The place of a reduction in a loop, and the arrays whose elements contain it."""

    def __init__(self, op: phi.ReduceOp):
        self.arrays = set[Operation]()
        self.before: Operation = op
        """Before this operation, bounds for all elements are computed."""
        for loop in around(op.parent_op()):
            if not isinstance(loop, phi.ArrayOp):
                break
            self.arrays.add(loop)
            self.before = loop
        loops = [each for each in around(op.parent_op()) if isinstance(each, phi.FoldOp)]
        self._loop = loops[-1] if loops else None

    def is_in_loop(self) -> bool:
        """Whether a loop takes several steps of it."""
        return self._loop is not None

    def varies(self, form: LinearForm) -> bool:
        """Whether a form varies with a step of a loop."""
        return any(self._loop and is_within(atom, self._loop) for atom in form.coefficients)

    def extreme(
        self, form: LinearForm, forms: IndexForms, free: FreeIndices, *, highest: bool
    ) -> LinearForm | None:
        """The lowest or highest value of a form for the indices of the arrays, if known."""
        ends: dict[SSAValue, tuple[LinearForm, LinearForm]] = {
            atom: (LinearForm(), LinearForm.of(phi.size_of_index(atom)) - 1)
            for atom in form.coefficients
            if isinstance(atom, BlockArgument) and atom.block.parent_op() in self.arrays
        }
        if any(free.of(atom) for atom in form.coefficients if atom not in ends):
            return None
        found = form.extremes(ends)[highest]
        return found if is_visible(found, self.before) and forms.is_exact(found) else None


def _elements(op: phi.ReduceOp) -> phi.ArrayOp | None:
    """The comprehension along one axis whose elements only this reduction combines."""
    array = op.vec.owner
    if not isinstance(array, phi.ArrayOp) or array.parent is not op.parent:
        return None
    return array if op.vec.has_one_use() and len(array.sizes) == 1 else None


def _tests(op: phi.ReduceOp, array: phi.ArrayOp) -> Sequence[Test]:
    """The tests without which an element is the identity."""
    combine = single_operation(op.body)
    neutral = None if combine is None else identity(combine.name, op.result.type)
    if neutral is None or not is_constant(op.identity, neutral):
        return ()
    return selected(array.yielded(), neutral)[0]


def _ends_of(comparison: Comparison, *, expected: bool) -> Iterator[tuple[LinearForm, bool]]:
    """The positions from which on, and before which, a comparison may be as expected."""
    predicate = comparison.predicate if expected else NEGATED[comparison.predicate]
    if predicate in (">=", "=="):
        yield comparison.threshold, True
    if predicate in ("<", "=="):
        yield comparison.threshold + int(predicate == "=="), False


def _ends(op: phi.ReduceOp, array: phi.ArrayOp, forms: IndexForms, free: FreeIndices) -> list[_End]:
    """At most one end from each side, which varies with a step of a loop."""
    place, found = _Place(op), dict[bool, _End]()
    if not place.is_in_loop():
        return []
    ranges = IndexRanges(array, forms, None, sums=False)
    for test in _tests(op, array):
        comparison = ranges.comparison(test.condition)
        if comparison is None:
            continue
        is_bound = comparison.predicate in ("<", ">=")
        for form, suffix in _ends_of(comparison, expected=test.expected):
            end = place.extreme(form, forms, free, highest=not suffix)
            if end is not None and place.varies(end) and suffix not in found:
                certain = place.extreme(form, forms, free, highest=suffix) if is_bound else None
                found[suffix] = _End(end, certain, suffix, test)
    return list(found.values())


def _clipped(build: Builder, position: LinearForm, size: SSAValue, forms: IndexForms) -> SSAValue:
    """``min(max(p, 0), n)``"""
    value = linear_value(build, position)
    if not forms.is_nonnegative(position):
        value = build.max(value, 0)
    return value if forms.is_at_most(position, forms.integer(size)) else build.min(value, size)


class _Narrowing:
    """The parts of the elements of a reduction, in order, that have an effect."""

    def __init__(self, op: phi.ReduceOp, array: phi.ArrayOp, forms: IndexForms):
        self._op, self._array, self._forms = op, array, forms
        self._before = Builder.before(_Place(op).before, forms.add)

    def run(self, ends: Sequence[_End]) -> None:
        """``reduce (array (j < n) { where(p <= j < q, e, 0) })  -->  reduce (array (d < m) ..)``

        with ``p' + d`` for j, where p' is p in bounds, for all arrays around, and so is m for
        ``q - p``.
        """
        start, stop, always = None, self._array.sizes[0], set[Test]()
        for end in ends:
            value = self._clipped(end.position)
            start, stop = (value, stop) if end.suffix else (start, value)
            if end.certain == end.position:
                always.add(end.test)
        array, size = self._array, stop
        if start is not None:
            size = length_of(self._before, start, stop)
        size = checked_count(self._before, array.sizes[0], size)

        def element(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
            position = own[0] if start is None else inner.add(start, inner.as_int(own[0]))
            values: dict[SSAValue, SSAValue] = {array.indices[0]: position}
            values.update((test.condition, inner.truth(test.expected)) for test in always)
            return copied(inner, array.body.block, [array.yielded()], values)[0]

        build = Builder.before(self._op, self._forms.add)
        part = comprehension(build, [size], element, array.indices)
        result = build.emit(phi.ReduceOp(part, self._op.identity, self._op.body.clone()))
        replace(self._op, result)
        Rewriter.erase_op(array)

    def _clipped(self, position: LinearForm) -> SSAValue:
        return _clipped(self._before, position, self._array.sizes[0], self._forms)


@dataclass(frozen=True)
class NarrowReductionsPass(FunctionPass):
    """Reduces, in the steps of loops, only elements that a comparison of their index may select.

    Before, where a step sums the pairs of a block of ``%i``::

        %r = phi.fold (%block < %blocks, %acc = %zero) -> f64 {
          %start = arith.muli %block, %steps : i64
          %s = phi.array (%i < %length) -> !phi.vec<f64> {
            %p = arith.addi %start, %i : i64
            %t = phi.array (%j < %n) -> !phi.vec<f64> {
              %after = arith.cmpi sgt, %j, %p : i64
              %e = func.call @pair(%p, %j) : (i64, i64) -> f64
              %x = arith.select %after, %e, %zero : f64
              phi.yield %x : f64
            }
            %u = phi.reduce %t identity %zero by { arith.addf } -> f64
            phi.yield %u : f64
          }
          ..
        }

    After, where only ``%j`` from ``%first`` on are after a position of the block::

          %s = phi.array (%i < %length) -> !phi.vec<f64> {
            %p = arith.addi %start, %i : i64
            %t = phi.array (%d < %some) -> !phi.vec<f64> {
              %j = arith.addi %first, %d : i64
              %after = arith.cmpi sgt, %j, %p : i64
              %e = func.call @pair(%p, %j) : (i64, i64) -> f64
              %x = arith.select %after, %e, %zero : f64
              phi.yield %x : f64
            }
            %u = phi.reduce %t identity %zero by { arith.addf } -> f64
            phi.yield %u : f64
          }
          ..

    A bound is that for all elements of the arrays around: the lowest or highest value of a linear
    form in their indices. It varies with a step of a loop. There may be one from each side, as for
    ``abs(i - j) <= w``. The condition remains if it varies with the indices. ``narrow-folds`` does
    the same to folds, but leaves those that may be one reduction with a fold around them.
    """

    name = "narrow-reductions"
    looks_for = (phi.FoldOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        forms, free = analyses.get(index_forms, function), analyses.get(free_indices, function)
        for op in innermost_first(function, phi.ReduceOp):
            array = _elements(op)
            ends = [] if array is None else _ends(op, array, forms, free)
            if array is not None and ends:
                index = name_of(array.indices[0])
                analyses.note(op, f"the reduction over {index} is of a range in each step")
                _Narrowing(op, array, forms).run(ends)
