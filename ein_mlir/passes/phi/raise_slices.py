"""``raise-slices``: comprehensions that replace every p-th element become updates of a slice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IntegerAttr, i1
from xdsl.ir import BlockArgument, SSAValue

from ein_mlir.analysis.arithmetic import SUMS_OF_SIZES, LinearForm
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.phi.free_indices import FreeIndices, free_indices
from ein_mlir.analysis.phi.index_forms import IndexForms, index_forms
from ein_mlir.analysis.phi.index_ranges import ORDINARY, IndexRanges
from ein_mlir.analysis.phi.selections import Test, conjuncts
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence, Term, equal_sizes
from ein_mlir.analysis.phi.variables import is_carried
from ein_mlir.analysis.predicates import relation_of
from ein_mlir.analysis.scopes import innermost_first, is_within, slice_within
from ein_mlir.dialects import phi, sigma
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.builders import (
    chosen,
    comprehension,
    copied,
    copied_tests,
    elements_of,
    fold_over,
    hold,
    linear_value,
)
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.replacement import replace

# Recognition ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Phase:
    """``index mod step == residue - offset``: every ``step``-th index."""

    step: SSAValue
    offset: LinearForm
    residue: SSAValue


@dataclass
class _Slice:
    """The values of an index in a slice: those of a phase, between some bounds."""

    phase: _Phase
    lowers: list[LinearForm] = field(default_factory=list[LinearForm])
    uppers: list[LinearForm] = field(default_factory=list[LinearForm])


@dataclass
class _Written:
    """``where(slices & tests, value, other)``"""

    array: SSAValue | None
    """The array whose elements are the other values, if there is one."""
    other: SSAValue
    value: SSAValue | IntegerAttr
    """A value of the program, or a literal that is not in the program."""
    slices: dict[BlockArgument, _Slice]
    tests: list[Test]
    """The other conditions."""


class _Recogniser:
    """Finds writes to slices in the comprehensions of a function."""

    def __init__(self, forms: IndexForms, free: FreeIndices, sizes: SizeEquivalence):
        self.forms = forms
        self._free = free
        self._sizes = sizes

    def written(self, op: phi.ArrayOp) -> _Written | None:
        """The array and the slices that a comprehension writes to, if there are any."""
        found = [
            _Written(self._updated(op, old), old, new, *self._slices(op, test))
            for test, new, old in _choices(op.yielded())
            if not _share_a_loop(op, new, old)
        ]
        written = [each for each in found if each.slices]
        with_array = [each for each in written if each.array is not None]
        return next(iter((*with_array, *written)), None)

    def _updated(self, op: phi.ArrayOp, old: SSAValue) -> SSAValue | None:
        """The array whose element at the indices of a comprehension over it a value is."""
        get = old.owner
        if not isinstance(get, phi.GetOp) or is_within(get.array, op):
            return None
        if list(map(phi.uncast, get.positions)) != list(op.indices):
            return None
        if not self._free.of(get.array).isdisjoint(op.indices) or not all(
            self._sizes.same(size, Term(get.array, (), axis)) for axis, size in enumerate(op.sizes)
        ):
            return None
        return get.array

    def _slices(
        self, op: phi.ArrayOp, condition: Test
    ) -> tuple[dict[BlockArgument, _Slice], list[Test]]:
        """The slices that a condition restricts indices to, and the tests that remain."""
        slices, others = dict[BlockArgument, _Slice](), list[Test]()
        for test in conjuncts(condition):
            found = self._phase(op, test)
            if found is not None and found[0] not in slices:
                slices[found[0]] = _Slice(found[1])
            else:
                others.append(test)
        ranges = IndexRanges(op, self.forms, self._free)
        return slices, [test for test in others if not _bounds(test, ranges, slices)]

    def _phase(self, op: phi.ArrayOp, test: Test) -> tuple[BlockArgument, _Phase] | None:
        """``(i + c) mod p == r`` with ``p >= 1``, for an index i"""
        found = relation_of(test.condition, expected=test.expected)
        if found is None or found.predicate != "eq":
            return None
        for each in found.readings:
            modulo = each.lhs.owner
            if not isinstance(modulo, sigma.FloorModOp):
                continue
            offset = self._offset(op, modulo.lhs)
            if offset is None or any(self._varies(op, value) for value in (modulo.rhs, each.rhs)):
                continue
            phase = _Phase(modulo.rhs, offset[1], each.rhs)
            if self._is_ordinary(phase):
                return offset[0], phase
        return None

    def _is_ordinary(self, phase: _Phase) -> bool:
        """Whether ``0 <= residue < step``, and no sum of the residue and a position wraps."""
        residue, step = (self.forms.integer(value) for value in (phase.residue, phase.step))
        return (
            self.forms.is_nonnegative(residue)
            and self.forms.is_below(residue, step)
            and self.forms.range_of(residue - phase.offset).magnitude < ORDINARY.high
        )

    def _offset(self, op: phi.ArrayOp, value: SSAValue) -> tuple[BlockArgument, LinearForm] | None:
        """``c`` of ``i + c``, as an integer"""
        form = self.forms.exact_form(value)
        own = [] if form is None else [a for a in form.coefficients if self._varies(op, a)]
        if form is None or len(own) != 1 or own[0] not in op.indices:
            return None
        (index,) = own
        assert isinstance(index, BlockArgument)
        return (index, form.without(own)) if form.coefficients[index] == 1 else None

    def _varies(self, op: phi.ArrayOp, value: SSAValue) -> bool:
        """Whether a value varies with an index, or is not known before a comprehension."""
        return is_within(value, op) or bool(self._free.of(value))

    def is_fixed(self, test: Test) -> bool:
        """Whether a test varies with no index."""
        return not self._free.of(test.condition)


def _choices(value: SSAValue) -> Iterator[tuple[Test, SSAValue | IntegerAttr, SSAValue]]:
    """A test, the value if it holds, and the other value: a selection, read in all ways.

    ``x & y`` of Bools is ``where(~y, false, x)``, and ``x | y`` is ``where(y, true, x)``.
    """
    match value.owner:
        case arith.SelectOp() as op if phi.is_scalar_type(value.type):
            yield Test(op.cond, True), op.lhs, op.rhs
            yield Test(op.cond, False), op.rhs, op.lhs
        case arith.AndIOp() | arith.OrIOp() as op if value.type == i1:
            decides = isinstance(op, arith.OrIOp)
            for other, condition in (op.operands, reversed(op.operands)):
                yield Test(condition, decides), IntegerAttr.from_bool(decides), other
        case _:
            pass


def _share_a_loop(op: phi.ArrayOp, new: SSAValue | IntegerAttr, old: SSAValue) -> bool:
    """Whether both values of a choice need a loop, which would run again for a slice."""
    if not isinstance(new, SSAValue):
        return False
    needed = slice_within(op, [old])
    return any(each.regions and each in needed for each in slice_within(op, [new]))


def _bounds(test: Test, ranges: IndexRanges, slices: Mapping[BlockArgument, _Slice]) -> bool:
    """Add a test to the bounds of a slice, if it is a bound of its index; whether it is one."""
    comparison = ranges.comparison(test.condition)
    if comparison is None or comparison.index not in slices:
        return False
    predicate, own = comparison.predicate, slices[comparison.index]
    if predicate not in ("<", ">="):
        return False
    is_upper = (predicate == "<") == test.expected
    (own.uppers if is_upper else own.lowers).append(comparison.threshold)
    return True


# Construction ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Extent:
    """The start, the step and the number of positions of a slice."""

    start: SSAValue
    step: SSAValue
    count: SSAValue


class _Construction:
    """Builds the updates of the slices before their comprehension."""

    def __init__(self, op: phi.ArrayOp, written: _Written, recogniser: _Recogniser):
        self._op = op
        self._written = written
        self._forms = recogniser.forms
        self._build = Builder.before(op)
        fixed = [test for test in written.tests if recogniser.is_fixed(test)]
        self._varying = [test for test in written.tests if test not in fixed]
        self._taken = self._all_of(fixed)
        self._array = written.array or elements_of(self._build, op, written.other)
        self._extents: dict[BlockArgument, _Extent] = {}

    def _all_of(self, tests: Sequence[Test]) -> SSAValue | None:
        """Whether all tests that vary with no index hold."""
        copies = copied_tests(self._build, self._op.body.block, tests, {})
        return hold(self._build, copies) if tests else None

    # Extents

    def _extent(self, index: BlockArgument) -> _Extent:
        """The positions of a slice, which are in bounds::

            low, high = max(0, lowers), min(n, uppers)
            start = low + (residue - offset - low) mod step
            count = (max(high - start, 0) - 1) // step + 1

        With all bounds clipped to the axis, only ``start`` may wrap, for a large step: ``count`` is
        computed from the distances, and is 0 then.
        """
        found, size = self._written.slices[index], self._op.sizes[index.index]
        low = self._clipped(found.lowers, arith.MaxSIOp, self._build.integer(0), size)
        high = self._clipped(found.uppers, arith.MinSIOp, size, size)
        step = found.phase.step
        skipped = self._skipped(found.phase, low)
        start = self._build.add(low, skipped)
        left = self._build.sub(self._build.sub(high, low), skipped)
        count = self._count(left, step)
        if self._taken is not None:
            count = self._build.select(self._taken, count, 0)
        return _Extent(start, self._within(step, size), count)

    def _within(self, step: SSAValue, size: SSAValue) -> SSAValue:
        """A step from which no position of the slice wraps: at most the size of the axis."""
        if self._forms.range(step) in SUMS_OF_SIZES:
            return step
        return self._build.min(step, self._build.max(size, 1))

    def _skipped(self, phase: _Phase, low: SSAValue) -> SSAValue:
        """``(residue - offset - low) mod step``"""
        first = self._forms.integer(phase.residue) - phase.offset
        value = linear_value(self._build, first - LinearForm.of(low))
        return self._build.floormod(value, phase.step)

    def _count(self, left: SSAValue, step: SSAValue) -> SSAValue:
        """The number of positions in ``left`` ones that begin with one of a slice."""
        one, zero = self._build.integer(1), self._build.integer(0)
        last = self._build.sub(self._build.max(left, zero), one)
        return self._build.add(self._build.floordiv(last, step), one)

    def _clipped(
        self,
        bounds: Sequence[LinearForm],
        extremum: type[arith.MaxSIOp | arith.MinSIOp],
        end: SSAValue,
        size: SSAValue,
    ) -> SSAValue:
        """The tightest bound, clipped to the axis."""
        bound = end
        for each in bounds:
            value = linear_value(self._build, each)
            bound = self._build.emit(extremum(bound, value))
        if extremum is arith.MaxSIOp:
            return self._build.min(bound, size) if bounds else bound
        zero = self._build.integer(0)
        return self._build.max(bound, zero) if bounds else bound

    # Arrays

    def updated(self) -> SSAValue:
        """The array after the updates.

        ``fold (k < (t ? 1 : 0), v = a) { v[p] := x }``, where a condition t that varies with no
        index decides whether elements of an accumulator are written: other steps do nothing.
        """
        taken, array = self._taken, self._array
        if taken is None or not is_carried(array):
            return self._written_to(array)
        self._taken = None

        def step(inner: Builder, _: SSAValue, carried: SSAValue) -> SSAValue:
            self._build, carried.name_hint = inner, array.name_hint
            return self._written_to(carried)

        build = self._build
        return fold_over(build, build.select(taken, build.integer(1), 0), array, step)

    def _written_to(self, array: SSAValue) -> SSAValue:
        """An array, with the elements of the slices written to it."""
        self._array = array
        self._extents = {index: self._extent(index) for index in self._written.slices}
        return self._rows(self._build, array, [], list(self._op.indices))

    def _rows(
        self,
        build: Builder,
        array: SSAValue,
        before: Sequence[SSAValue],
        indices: Sequence[BlockArgument],
    ) -> SSAValue:
        """The part of the array at some positions, whose axes the indices run over."""
        if not any(index in self._extents for index in indices):
            return self._elements(build, before, indices)
        index, *rest = indices
        extent = self._extents.get(index)
        if extent is None:
            size = self._op.sizes[index.index]
            return comprehension(
                build,
                [size],
                lambda inner, own: self._rows(inner, inner.get(array, own), [*before, *own], rest),
                [index],
            )

        def row(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
            place = inner.add(extent.start, inner.mul(extent.step, inner.as_int(own[0])))
            place.name_hint = index.name_hint
            at = [*before, place]
            if not any(other in self._extents for other in rest):
                return self._elements(inner, at, rest)
            return self._rows(inner, inner.get(array, [place]), at, rest)

        rows = comprehension(build, [extent.count], row, [index])
        return build.emit(phi.UpdateSliceOp(array, extent.start, extent.step, rows))

    def _elements(
        self, build: Builder, before: Sequence[SSAValue], indices: Sequence[BlockArgument]
    ) -> SSAValue:
        """The new elements at some positions, whose axes the indices run over."""
        if not indices:
            return self._element(build, before)
        sizes = [self._op.sizes[index.index] for index in indices]
        return comprehension(
            build, sizes, lambda inner, own: self._element(inner, [*before, *own]), indices
        )

    def _element(self, build: Builder, at: Sequence[SSAValue]) -> SSAValue:
        """The new element, or the old one where a condition does not hold."""
        block, value = self._op.body.block, self._written.value
        values = dict[SSAValue, SSAValue](zip(self._op.indices, at, strict=True))
        if self._written.array is not None:
            values[self._written.array] = self._array
        if not isinstance(value, SSAValue):
            value = build.constant(value)
        conditions = [test.condition for test in self._varying]
        new, *taken = copied(build, block, [value, *conditions], values)
        if not taken:
            return new
        pairs = zip(taken, self._varying, strict=True)
        tests = [Test(value, test.expected) for value, test in pairs]
        old = build.get(self._array, at)
        return chosen(build, tests, new, old)


# The pass -------------------------------------------------------------------------------------


class RaiseSlicesPass(FunctionPass):
    """Turns comprehensions that replace every p-th element of an array into updates of a slice.

    Before::

        %b = phi.array (%i < %n) -> !phi.vec<f64> {
          %k = arith.index_cast %i : index to i64
          %r = sigma.floormod %k, %p : i64
          %c = arith.cmpi eq, %r, %zero : i64
          %d = arith.cmpi sge, %k, %t : i64
          %e = arith.andi %c, %d : i1
          %old = phi.get %a[%i] : !phi.vec<f64>[index]
          %x = arith.select %e, %new, %old : f64
          phi.yield %x : f64
        }

    After, where ``%start`` is the first multiple of p from t on and ``%m`` is the number of those
    below n::

        %new_1 = phi.array (%i < %m) -> !phi.vec<f64> {
          phi.yield %new : f64
        }
        %b = phi.update_slice %a[%start by %p], %new_1 : !phi.vec<f64>

    where ``%n`` is provably the size of ``%a``, and ``%p`` provably at least 1. The remainder of
    ``i + c`` may be any Int below ``%p`` that varies with no index. If the other elements are not
    those of an array, they are computed first, as if there were no condition: so the choice stays
    if both values need the same loop. Comparisons of an
    index with such a remainder bound its slice. If conditions vary with no index, the slice is
    empty where they do not hold, and an accumulator is written in a fold of one step or none; all
    others choose between the new and the old elements. ``%old & ~%e`` of Bools is the selection of
    a literal. Several indices may have slices. Elements that are not written cost nothing, in a
    loop whose array is updated in place.
    """

    name = "raise-slices"
    looks_for = (sigma.FloorModOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        free, sizes = analyses.get(free_indices, function), analyses.get(equal_sizes, function)
        recogniser = _Recogniser(analyses.get(index_forms, function), free, sizes)
        for op in innermost_first(function, phi.ArrayOp):
            written = recogniser.written(op)
            if written is None:
                continue
            names = ", ".join(name_of(index) for index in written.slices)
            analyses.note(op, f"a slice along {names} is written")
            result = _Construction(op, written, recogniser).updated()
            replace(op, result, free, sizes)
