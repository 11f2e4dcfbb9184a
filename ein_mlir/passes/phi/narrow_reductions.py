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
from ein_mlir.dialects.fastmath import takes_any_order
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.builders import comprehension, copied, linear_value, same_operation
from ein_mlir.rewriting.phi.insertion import Builder, Emitter
from ein_mlir.rewriting.phi.ranges import checked_count, length_of
from ein_mlir.rewriting.phi.replacement import insert_before, replace


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
        found = LinearForm.number(form.constant)
        for atom, factor in form.coefficients.items():
            if isinstance(atom, BlockArgument) and atom.block.parent_op() in self.arrays:
                last = LinearForm.of(phi.size_of_index(atom)) - 1
                found += last * factor if (factor > 0) == highest else LinearForm()
            elif free.of(atom):
                return None
            else:
                found += LinearForm.of(atom) * factor
        is_known = is_visible(found, self.before) and forms.is_exact(found)
        return found if is_known else None


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


def _clipped(build: Emitter, position: LinearForm, size: SSAValue, forms: IndexForms) -> SSAValue:
    """``min(max(p, 0), n)``"""
    value = linear_value(build, position)
    if not forms.is_nonnegative(position):
        value = build.max(value, 0)
    return value if forms.is_at_most(position, forms.integer(size)) else build.min(value, size)


class _Narrowing:
    """The parts of the elements of a reduction, in order, that have an effect."""

    def __init__(self, op: phi.ReduceOp, array: phi.ArrayOp, forms: IndexForms):
        self._op, self._array, self._forms = op, array, forms
        self._before, self._parts = Emitter(), Emitter()

    def run(self, ends: Sequence[_End]) -> None:
        """``reduce (array (j < n) { where(p <= j < q, e, 0) })  -->  reduce (array (d < m) ..)``

        with ``p' + d`` for j, where p' is p in bounds, for all arrays around, and so is m for
        ``q - p``. If only p or q is given, and varies with their indices, the elements for which
        the condition holds in all of them are a part without it.
        """
        start, stop, always = None, self._array.sizes[0], set[Test]()
        for end in ends:
            value = self._clipped(end.position)
            start, stop = (value, stop) if end.suffix else (start, value)
            if end.certain == end.position:
                always.add(end.test)
        is_cut = len(ends) == 1 and not always and self._is_flat()
        middle = self._clipped(ends[0].certain) if is_cut and ends[0].certain is not None else None
        if middle is None:
            result = self._reduced(start, stop, always)
        else:
            tests = (always, {ends[0].test}) if ends[0].suffix else ({ends[0].test}, always)
            first = self._reduced(start, middle, tests[0])
            result = self._combined(first, self._reduced(middle, stop, tests[1]))
        self._replace(result)
        if middle is not None and isinstance(result.owner, Operation):
            _distribute(result.owner, self._forms)

    def _replace(self, result: SSAValue) -> None:
        insert_before(_Place(self._op).before, self._before.ops)
        insert_before(self._op, self._parts.ops)
        self._forms.add(*self._before.ops, *self._parts.ops)
        replace(self._op, result)
        Rewriter.erase_op(self._array)

    def _is_flat(self) -> bool:
        """Whether an element is computed without arrays and loops, which are not copied."""
        return not any(op.regions for op in self._array.body.block.ops)

    def _clipped(self, position: LinearForm) -> SSAValue:
        return _clipped(self._before, position, self._array.sizes[0], self._forms)

    def _reduced(self, start: SSAValue | None, stop: SSAValue, certain: set[Test]) -> SSAValue:
        """The reduction of the elements from a start on, for which some tests are certain."""
        array, op = self._array, self._op
        size = stop if start is None else length_of(self._before, start, stop)
        size = checked_count(self._before, array.sizes[0], size)

        def element(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
            position = own[0] if start is None else inner.add(start, inner.as_int(own[0]))
            values: dict[SSAValue, SSAValue] = {array.indices[0]: position}
            values.update((test.condition, inner.truth(test.expected)) for test in certain)
            return copied(inner, array.body.block, [array.yielded()], values)[0]

        part = comprehension(self._parts, [size], element, array.indices)
        return self._parts.emit(phi.ReduceOp(part, op.identity, op.body.clone()))

    def _combined(self, first: SSAValue, second: SSAValue) -> SSAValue:
        combine = single_operation(self._op.body)
        assert combine is not None
        return self._parts.emit(same_operation(combine, first, second))


_BODIES = 4
"""The number of bodies of the arrays and reductions of two parts."""


def _user(array: phi.ArrayOp, combine: Operation) -> phi.ReduceOp | None:
    """The only user of an array of totals of two parts, if it reduces them by the same operation.

    An element has no other reductions, of which there would be two copies.
    """
    bodies = [op for op in array.body.block.ops if op.regions]
    user = array.result.get_user_of_unique_use()
    if not isinstance(user, phi.ReduceOp) or len(bodies) > _BODIES:
        return None
    outer = single_operation(user.body)
    is_same = outer is not None and outer.name == combine.name and takes_any_order(outer)
    return user if is_same else None


def _distribute(combine: Operation, forms: IndexForms) -> None:
    """``reduce (array { x + y })  -->  reduce (array { x }) + reduce (array { y })``

    Sums of all elements are one operation on each part, if they may take any order.
    """
    array = combine.parent_op()
    if not isinstance(array, phi.ArrayOp) or array.yielded().owner is not combine:
        return
    op = _user(array, combine)
    if op is None:
        return
    build = Emitter()

    def reduced(part: SSAValue) -> SSAValue:
        def element(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
            values: dict[SSAValue, SSAValue] = dict(zip(array.indices, own, strict=True))
            return copied(inner, array.body.block, [part], values)[0]

        elements = comprehension(build, array.sizes, element, array.indices)
        return build.emit(phi.ReduceOp(elements, op.identity, op.body.clone()))

    result = build.emit(same_operation(combine, *map(reduced, combine.operands)))
    insert_before(op, build.ops)
    forms.add(*build.ops)
    replace(op, result)
    Rewriter.erase_op(array)


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

    After, where only some ``%j`` from ``%start`` to ``%last`` are after a position of the block,
    and all from there on are after each::

          %last = ..                                // of the block
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
          %v = phi.array (%i < %length) -> !phi.vec<f64> {
            %p = arith.addi %start, %i : i64
            %t = phi.array (%d < %rest) -> !phi.vec<f64> {
              %j = arith.addi %last, %d : i64
              %e = func.call @pair(%p, %j) : (i64, i64) -> f64
              phi.yield %e : f64
            }
            ..

    A bound is that for all elements of the arrays around: the lowest or highest value of a linear
    form in their indices. It varies with a step of a loop. There may be one from each side, as for
    ``abs(i - j) <= w``; then, or if an element has a loop, there is one part, whose condition
    remains if it varies with the indices. ``narrow-folds`` does the same to folds, but leaves those
    that may be one reduction with a fold around them.
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
