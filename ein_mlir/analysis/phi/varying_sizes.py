"""Sizes and counts that vary from step to step of a fold, and their upper bounds.

A library that compiles loops wants arrays of the same shape in each step. A size *varies* with a
fold if it depends on the fold's counter or accumulator. Its bound is a form in values outside of
all folds: the size of ``%v`` varies with the fold over ``%k``, and is bounded by ``n``::

    phi.fold (%k < %n, %acc = %x) {
      %m = arith.addi %k, %one : i64
      %v = phi.array (%i < %m) { .. }       // k <= n - 1, so m <= n

An array of a varying size can be *padded* to the bound if all its users can tell its elements from
the padding. The analysis follows the padded axes to these users. If a size has no bound, may be
negative, or belongs to an array that cannot be padded, the folds that it varies with are not
*uniform*: their steps are different programs. Nor are the folds whose accumulators change sizes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from xdsl.dialects import arith, func
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.arithmetic import SIZES, LinearForm
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.demand import sizes_in
from ein_mlir.analysis.phi.index_forms import IndexForms, index_forms
from ein_mlir.analysis.phi.known_sizes import varies_by_powers
from ein_mlir.analysis.phi.neutral_elements import may_be_filled
from ein_mlir.analysis.phi.settling_sizes import settles
from ein_mlir.analysis.phi.size_bounds import NO_FOLDS, Axis, Folds, SizeBounds, outside
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence, equal_sizes, terms_of
from ein_mlir.analysis.phi.strided_positions import is_variable, size_of_variable
from ein_mlir.analysis.predicates import relation_of
from ein_mlir.analysis.scopes import block_of, is_within, operations_in, reached
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi import Term
from ein_mlir.host.dataclass import dataclass

MOST_PADDING = 8
"""The most additional elements of a bound that make it the size of an axis."""


@dataclass(frozen=True)
class _Demand:
    """A varying size or count, and the folds that it and its bound depend on."""

    size: SSAValue
    folds: Folds


@dataclass(frozen=True)
class UnprovedSize:
    """A varying size or count that may be negative or has no bound."""

    op: phi.ComprehensionOp | phi.CountedOp
    size: SSAValue


@dataclass(frozen=True)
class Offset:
    """Reads at ``i + start``, for all ``i`` of an index: they are below ``stop``."""

    start: LinearForm
    stop: LinearForm
    """A bound of all steps, in values outside of all folds."""


class VaryingSizes:
    """The varying sizes of a function, their bounds, and the padded axes of arrays."""

    def __init__(self, function: func.FuncOp, analyses: AnalysisManager):
        self._function, self._analyses = function, analyses
        self._folds: dict[SSAValue, Folds] = {}
        self._axes: dict[SSAValue, Mapping[Axis, SSAValue]] = {}
        self._bounds: dict[SSAValue, LinearForm | None] = {}
        self._reach: dict[SSAValue, Folds] = {}
        self._demands = list[_Demand]()
        self._failed = set[phi.CountedOp]()
        self.unproved = list[UnprovedSize]()
        if _has_inner_sizes(function):
            for op in function.body.block.ops:
                self._visit(op)
            self._spread_failures()

    # Analyses, each made for the first size that varies

    @cached_property
    def _sizes(self) -> SizeEquivalence:
        return self._analyses.get(equal_sizes, self._function)

    @cached_property
    def _forms(self) -> IndexForms:
        forms = self._analyses.get(index_forms, self._function)
        return forms.with_sizes(map(forms.form, sizes_in(self._function.body.block.ops)))

    @cached_property
    def _size_bounds(self) -> SizeBounds:
        return SizeBounds(self._forms, self._axes, self._folds_of)

    # Results

    def __bool__(self) -> bool:
        """Whether the sizes or counts of any operation vary."""
        return bool(self._demands)

    def varies(self, size: SSAValue) -> bool:
        """Whether a size or count varies with folds, which are uniform if it is bounded."""
        folds = self._folds_of(size)
        return bool(folds) and self._failed.isdisjoint(self._reached(size))

    def bound(self, size: SSAValue) -> LinearForm:
        """The bound of a varying size, in values outside of all folds."""
        bound = self._bounds[size]
        assert bound is not None
        return bound

    def bound_of_axis(self, array: phi.ArrayOp, axis: int) -> LinearForm:
        """The bound of a size of an array, or the size of a slightly longer axis that it reads.

        Arrays that are carried or chosen between have the same bounds for the same sizes.
        """
        bound = self.bound(array.sizes[axis])
        if not all(isinstance(use.operation, _CONSUMERS) for use in array.result.uses):
            return bound
        return self._up_to_axis(bound, array, LinearForm.of(array.indices[axis]))

    def _up_to_axis(self, bound: LinearForm, array: phi.ArrayOp, whole: LinearForm) -> LinearForm:
        """A bound or a little more, if a whole axis is then read at the positions ``whole``."""
        for op in _gets(array):
            for axis, position in enumerate(op.positions):
                size = self._forms.size(op.array, axis)
                if size is not None and self._forms.form(position) == whole:
                    more = self._forms.canonical(size - bound).known()
                    if more is not None and 0 <= more <= MOST_PADDING:
                        return bound + more
        return bound

    def nearby_axis(self, array: phi.ArrayOp, axis: int) -> tuple[SSAValue, int] | None:
        """An axis of a matrix from outside of all folds, which is read along an index as a whole.

        Its size may be that of the array instead of a bound, if it is a little larger: then no part
        has to be cut out of the matrix. None if the bound is known to be the size of another axis.
        """
        bound, found = self.bound(array.sizes[axis]), None
        is_consumed = all(isinstance(use.operation, _CONSUMERS) for use in array.result.uses)
        for op in _gets(array) if is_consumed and bound.coefficients else ():
            for number, position in enumerate(op.positions):
                if phi.uncast(position) is array.indices[axis]:
                    size, source = self._forms.size(op.array, number), _source(op.array)
                    if size is not None and self._forms.canonical(size - bound).known() is not None:
                        return None
                    if source is not None and phi.rank_of(source.type) > 1:
                        found = source, number
        return found

    def padded(self, value: SSAValue) -> Mapping[Axis, SSAValue]:
        """The padded axes of an array or a record of arrays, each with its varying size."""
        axes = self._axes.get(value, {})
        return {axis: size for axis, size in axes.items() if self.varies(size)}

    def is_read_inside(self, get: phi.GetOp, number: int, size: SSAValue) -> bool:
        """Whether a position is less than a size, wherever the element read is no padding."""
        position, own = phi.uncast(get.positions[number]), Term(size)
        limit = size_of_variable(position) if is_variable(position) else None
        if limit is not None and self._sizes.same(Term(limit), own):
            return True
        form = self._forms.integer(size, SIZES)
        affine = self._forms.affine(get.positions[number], form)
        if affine is not None and self._forms.in_bounds(affine, form):
            return True
        uses = list(get.result.uses)
        return bool(uses) and all(
            isinstance(op := use.operation, arith.SelectOp)
            and use.index == 1
            and self._is_below(op.cond, position, size)
            for use in uses
        )

    def _is_below(self, test: SSAValue, position: SSAValue, size: SSAValue) -> bool:
        """Whether a test is ``position < size``: its choice discards elements beyond the size."""
        found = relation_of(test)
        return (
            found is not None
            and found.predicate == "slt"
            and self._forms.form(found.lhs) == self._forms.form(position)
            and self._sizes.same(Term(found.rhs), Term(size))
        )

    def is_positive(self, size: SSAValue, at: Operation) -> bool:
        """Whether a size is at least 1 where an operation runs."""
        return self._forms.is_positive(self._forms.integer(size, SIZES), at)

    def offset(self, array: phi.ArrayOp) -> Offset | None:
        """The varying number of elements that most reads along a varying index skip, if any.

        None if the number of elements has a constant bound: a few elements are better gathered.
        """
        if not self.bound(array.sizes[0]).coefficients:
            return None
        starts = [
            start for start in self._starts(array) if any(map(self._folds_of, start.coefficients))
        ]
        if not starts:
            return None
        start, _ = Counter(starts).most_common(1)[0]
        size = self._forms.exact_form(array.sizes[0], SIZES)
        if size is None or not (self._forms.is_exact(start) and self._forms.is_nonnegative(start)):
            return None
        stop = self._size_bounds.of_form(start + size)
        index = LinearForm.of(array.indices[0])
        return None if stop is None else Offset(start, self._up_to_axis(stop, array, start + index))

    def _starts(self, array: phi.ArrayOp) -> Iterator[LinearForm]:
        """The starts ``s`` of the positions ``i + s`` at which a body reads."""
        (index,) = array.indices
        for op in _gets(array):
            for position in op.positions:
                form = self._forms.form(position)
                start = form.without([index])
                is_outside = not any(is_within(atom, array) for atom in start.coefficients)
                if form.coefficients.get(index) == 1 and is_outside:
                    yield start

    def bounded_axis(self, array: SSAValue) -> tuple[SSAValue, LinearForm] | None:
        """The varying size of the outermost axis of an array, and its bound, if it has one."""
        size = self._axes.get(array, {}).get(((), 0))
        bound = None if size is None else self.known_bound(size)
        return None if size is None or bound is None else (size, bound)

    def known_bound(self, size: SSAValue) -> LinearForm | None:
        """The bound of a varying size; None for other sizes, and for those that are not proved."""
        bound = self._bounds.get(size)
        return bound if bound is not None and self._is_nonnegative(size) else None

    # Visiting

    def _folds_of(self, value: SSAValue) -> Folds:
        return self._folds.get(value, NO_FOLDS)

    def _visit(self, op: Operation) -> None:
        """Follow the folds that values vary with, and the padded axes, through an operation."""
        if isinstance(op, phi.CountedOp):
            own = frozenset((op,))
            self._folds[op.counter] = self._folds[op.accumulator] = own
            self._axes[op.accumulator] = self._axes.get(op.start, {})
        for region in op.regions:
            for inner in region.block.ops:
                self._visit(inner)
        self._results(op)
        self._demand(op)

    def _results(self, op: Operation) -> None:
        values = [*op.operands, *_yielded(op)]
        folds = NO_FOLDS.union(*map(self._folds_of, values))
        if isinstance(op, phi.SizeOp):
            actual = self._axes.get(op.array, {}).get(((), op.axis.value.data))
            folds = NO_FOLDS if actual is None else self._folds_of(actual)
        for result in op.results:
            self._folds[result] = folds - {op}
            self._axes[result] = dict(self._axes_of_result(op, result))

    def _axes_of_result(self, op: Operation, result: SSAValue) -> Iterator[tuple[Axis, SSAValue]]:
        """The padded axes of a result, from the sizes that the operation defines."""
        if isinstance(op, phi.LoopOp):
            yield from self._axes.get(op.start, {}).items()
        elif isinstance(op, arith.SelectOp):
            yield from self._axes.get(op.lhs, {}).items()
        elif isinstance(op, phi.PhiOp):
            for term in terms_of(result):
                if term.axis is not None:
                    source = term.source
                    if source is not None and (size := self._varying(source)) is not None:
                        yield (term.path, term.axis), size

    def _varying(self, term: Term) -> SSAValue | None:
        """The varying size that a term is equal to, if it is one."""
        if term.axis is None:
            return term.value if self._folds_of(term.value) else None
        return self._axes.get(term.value, {}).get((term.path, term.axis))

    # Demands

    def _demand(self, op: Operation) -> None:
        """Demand bounds of the sizes of an operation, and a form for padded operands."""
        if isinstance(op, phi.PhiOp):
            for operand in op.sizes_and_counts():
                if self._folds_of(operand):
                    self._require(op, operand)
                    if not isinstance(op, phi.ArrayOp | phi.CountedOp | phi.ConcatOp):
                        self._fail(self._reached(operand))
        if isinstance(op, phi.AssertEqOp):
            self._fail(self._folds_of(op.result))
        if isinstance(op, phi.FoldOp) and not (self._keeps_sizes(op) or settles(op, self._sizes)):
            self._fail((op, *self._reached(op.count)))
        if not self._takes_padding(op):
            for value in (*op.operands, *_yielded(op)):
                for size in self._axes.get(value, {}).values():
                    self._fail(self._reached(size))

    def _require(self, op: Operation, size: SSAValue) -> None:
        folds = self._reached(size)
        self._demands.append(_Demand(size, folds))
        if varies_by_powers(size):
            self._bounds[size] = None
            self._fail(folds)
            return
        if size not in self._bounds:
            self._bounds[size] = self._size_bounds.of(size)
        if self._bounds[size] is None or not self._is_nonnegative(size):
            self._fail(folds)
            if isinstance(op, phi.ComprehensionOp | phi.CountedOp):
                self.unproved.append(UnprovedSize(op, size))

    def _fail(self, folds: Iterable[phi.CountedOp]) -> None:
        self._failed.update(folds)

    def _spread_failures(self) -> None:
        """A size without a bound is known in each step if all of its folds are unrolled."""
        while any(
            not self._failed.isdisjoint(demand.folds) and not self._failed.issuperset(demand.folds)
            for demand in self._demands
        ):
            for demand in self._demands:
                if not self._failed.isdisjoint(demand.folds):
                    self._fail(demand.folds)

    def _reached(self, size: SSAValue) -> Folds:
        """The folds that a size varies with, and those that their counts vary with."""
        if size not in self._reach:
            found = reached(self._folds_of(size), lambda fold: self._folds_of(fold.operands[0]))
            self._reach[size] = frozenset(found)
        return self._reach[size]

    def _keeps_sizes(self, op: phi.CountedOp) -> bool:
        """Whether all values of an accumulator provably have the same sizes."""
        sizes = [term for term in terms_of(op.start) if term.axis is not None]
        return all(
            self._sizes.same(term, Term(value, term.path, term.axis))
            for term in sizes
            for value in (op.accumulator, op.yielded())
        )

    def _takes_padding(self, op: Operation) -> bool:
        """Whether an operation on padded arrays has a form that ignores the padding."""
        padded = [operand for operand in op.operands if self._axes.get(operand)]
        match op:
            case phi.GetOp():
                return op.array in padded and len(padded) == 1 and self._may_be_read(op)
            case phi.UpdateOp():
                return op.value not in padded
            case arith.SelectOp():
                return self._same_axes(op.lhs, op.rhs)
            case phi.CountedOp():
                return self._same_axes(op.start, op.yielded())
            case phi.ConcatOp():
                return op.size is not None and self._may_be_joined(op)
            case phi.ReduceOp():
                rows = [axis for _, axis in self._axes.get(op.vec, {}) if axis > 0]
                has_rows = rows or self._axes.get(op.identity) or self._axes.get(op.yielded())
                return not has_rows and may_be_filled(op)
            case phi.SizeOp() | phi.ArgreduceOp() | phi.TupleOp() | phi.ProjOp() | phi.YieldOp():
                return True
            case _:
                return not padded

    def _may_be_read(self, op: phi.GetOp) -> bool:
        """Whether elements are scalars, or positions are in bounds: rows have no zero to choose."""
        return phi.is_scalar_type(op.result.type) or all(
            self.is_read_inside(op, axis, size)
            for (_, axis), size in self._axes[op.array].items()
            if axis < len(op.positions)
        )

    def _may_be_joined(self, op: phi.ConcatOp) -> bool:
        """Whether padding follows all elements of vectors, and the users tell them apart."""
        axes = [*self._axes.get(op.lhs, {}), *(a for a in self._axes.get(op.rhs, {}) if a[1])]
        return not axes and all(isinstance(use.operation, _CONSUMERS) for use in op.result.uses)

    def _same_axes(self, lhs: SSAValue, rhs: SSAValue) -> bool:
        left, right = self._axes.get(lhs, {}), self._axes.get(rhs, {})
        return left.keys() == right.keys() and all(
            self._same_padding(left[axis], right[axis]) for axis in left
        )

    def _same_padding(self, lhs: SSAValue, rhs: SSAValue) -> bool:
        """Whether two sizes are equal, and so are their bounds."""
        left, right = self._bounds.get(lhs), self._bounds.get(rhs)
        if left is None or right is None or not self._sizes.same(Term(lhs), Term(rhs)):
            return False
        return self._forms.equal(left, right)

    def _is_nonnegative(self, size: SSAValue) -> bool:
        return self._forms.is_nonnegative(self._forms.integer(size))


_CONSUMERS = (phi.GetOp, phi.SizeOp, phi.ReduceOp, phi.ArgreduceOp)
"""The operations whose results do not have the padded axis of an operand."""


def _has_inner_sizes(function: func.FuncOp) -> bool:
    """Whether a size or count is computed within another operation: others do not vary."""
    block = function.body.block
    return any(
        isinstance(op, phi.PhiOp)
        and any(block_of(size) is not block for size in op.sizes_and_counts())
        for outer in block.ops
        for op in (operations_in(outer) if outer.regions else ())
    )


def _gets(array: phi.ArrayOp) -> list[phi.GetOp]:
    """The reads in a body."""
    return [op for op in array.body.walk() if isinstance(op, phi.GetOp)]


def _yielded(op: Operation) -> tuple[SSAValue, ...]:
    return (op.yielded(),) if isinstance(op, phi.BodyOp) else ()


def _source(array: SSAValue) -> SSAValue | None:
    """An array of the block of the function that has the sizes of another one, if it is known.

    An accumulator without fields has those of its initial value, as it does in uniform folds.
    """
    while outside(array) is None:
        fold = array.owner.parent_op() if not isinstance(array.owner, Operation) else None
        if not isinstance(fold, phi.CountedOp) or array is not fold.accumulator:
            return None
        array = fold.start
    return array


def varying_sizes(function: func.FuncOp, analyses: AnalysisManager) -> VaryingSizes:
    """An analysis: the sizes that vary with folds."""
    return VaryingSizes(function, analyses)
