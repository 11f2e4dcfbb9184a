"""``bound-varying-sizes``: arrays have the same sizes in each step of a loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import TupleType
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.neutral_elements import is_identity_on_both_sides, unfound
from ein_mlir.analysis.phi.selections import is_neutral
from ein_mlir.analysis.phi.singularities import is_singular
from ein_mlir.analysis.phi.size_bounds import Axis
from ein_mlir.analysis.phi.varying_sizes import MOST_PADDING, Offset, VaryingSizes, varying_sizes
from ein_mlir.analysis.scopes import dependents_among, operations_in
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import neutral_of
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.bounds import bound_value, place_of, promise_sizes
from ein_mlir.rewriting.phi.guards import guard_operand
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.operators import literal
from ein_mlir.rewriting.phi.replacement import read_instead

Padding: TypeAlias = Mapping[Axis, SSAValue]
"""The padded axes of a value, each with its varying size."""


@dataclass(frozen=True)
class _Part:
    """The elements of an array along a padded axis: from ``start``, or 0, up to ``stop``."""

    index: SSAValue
    start: SSAValue | None
    stop: SSAValue


class _Bounder:
    """Bounds the varying sizes and counts of a function."""

    def __init__(self, function: func.FuncOp, varying: VaryingSizes):
        self._varying = varying
        self._function = function
        self._bounds: dict[tuple[Operation, object], SSAValue] = {}
        ops = [op for op in operations_in(function) if op is not function]
        self._padded = {v: self._padding_of(v) for op in ops for v in op.operands}
        self._limits = {
            (op, axis): varying.bound_of_axis(op, axis)
            for op in ops
            if isinstance(op, phi.ArrayOp)
            for axis, size in enumerate(op.sizes)
            if varying.varies(size)
        }
        self._nearby = {(op, axis): varying.nearby_axis(op, axis) for op, axis in self._limits}
        self._offsets = {op: self._offset_of(op) for op in ops if isinstance(op, phi.ArrayOp)}
        self._outside = {op: self._read_outside(op) for op in ops if isinstance(op, phi.GetOp)}
        self._ops = ops
        self._parts: dict[SSAValue, tuple[SSAValue, SSAValue]] = {}
        """The start and stop of the elements of shifted arrays; other arrays start with them."""

    def bound_all(self) -> None:
        """Rewrite the operations in order."""
        for op in self._ops:
            match op:
                case phi.ArrayOp():
                    self._array(op)
                case phi.CountedOp():
                    self._loop(op)
                case phi.ConcatOp() if op.size is not None and self._padded[op.rhs]:
                    op.operands = (op.lhs, op.rhs)
                case phi.GetOp() if self._padded[op.array]:
                    self._get(op)
                case phi.UpdateOp() if self._padded[op.array]:
                    self._update(op)
                case phi.SizeOp() if self._padded[op.array]:
                    self._size(op)
                case phi.ReduceOp() if self._padded[op.vec]:
                    self._reduce(op)
                case phi.ArgreduceOp() if self._padded[op.vec]:
                    self._argreduce(op)
                case _:
                    pass

    # Bounds

    def _padding_of(self, value: SSAValue) -> Padding:
        """The padded axes of a value, with sizes that are not read from padded arrays."""
        padded = dict(self._varying.padded(value))
        for axis, size in padded.items():
            while isinstance(op := size.owner, phi.SizeOp):
                source = self._varying.padded(op.array).get(((), op.axis.value.data))
                if source is None:
                    break
                size = source
            padded[axis] = size
        return padded

    def _shared(self, form: LinearForm, place: Operation) -> SSAValue:
        """The value of a bound, computed before an operation."""
        key = place, (tuple(sorted(form.coefficients.items(), key=hash)), form.constant)
        if key not in self._bounds:
            self._bounds[key] = bound_value(Builder.before(place), form)
        return self._bounds[key]

    # Loops

    def _array(self, op: phi.ArrayOp) -> None:
        """``array (i < n) { e }  -->  array (i < N) { e }``, with guards for ``i >= n``"""
        varying = [axis for axis, size in enumerate(op.sizes) if self._varying.varies(size)]
        if (offset := self._offsets[op]) is not None:
            self._shift(op, offset)
            return
        if not varying:
            return
        self._guard(op, [_Part(op.indices[axis], None, op.sizes[axis]) for axis in varying])
        for axis in varying:
            bound = self._shared(self._limits[op, axis], place_of(op.sizes[axis]))
            op.operands[axis] = self._up_to_nearby(bound, op, axis)

    def _up_to_nearby(self, bound: SSAValue, op: phi.ArrayOp, axis: int) -> SSAValue:
        """``select (N <= m && m <= N + 8), m, N`` for an axis of size ``m`` that is read.

        No part has to be cut out of it then.
        """
        if (source := self._nearby[op, axis]) is None:
            return bound
        build = Builder.before(place_of(op.sizes[axis]))
        size = build.emit(phi.SizeOp(*source))
        test = build.compare(build.sub(size, bound), "ult", MOST_PADDING + 1)
        return build.select(test, size, bound)

    @staticmethod
    def _guard(op: phi.ArrayOp, parts: Sequence[_Part]) -> None:
        """Give singular operations a harmless operand in the padding, as `guard-branches` does."""
        found = [inner for inner in operations_in(op) if is_singular(inner)]
        if not found:
            return
        inside = _all_inside(Builder.at_start(op.body.block), parts)
        for inner in found:
            guard_operand(inner, inside, used_if_true=True)

    def _offset_of(self, op: phi.ArrayOp) -> Offset | None:
        """The offset of an array that is only reduced; None for 0."""
        is_reduced = all(isinstance(use.operation, phi.ReduceOp) for use in op.result.uses)
        is_vector = len(op.sizes) == 1 and phi.is_scalar_type(op.yielded().type)
        if not (is_reduced and is_vector and self._varying.varies(op.sizes[0])):
            return None
        return self._varying.offset(op)

    def _shift(self, op: phi.ArrayOp, offset: Offset) -> None:
        """``array (i < n) { e(i) }  -->  array (i < N) { e(i - s) }``, of which n from s on count.

        Reads at ``i + s`` become reads at ``i``, which are no gathers.
        """
        build, size = Builder.before(op), op.sizes[0]
        start = build.linear_value(offset.start)
        stop = build.add(start, size)
        bound = self._shared(offset.stop, place_of(size))
        (index,) = op.indices
        uses, inside = list(index.uses), Builder.at_start(op.body.block)
        read_instead(uses, inside.sub(inside.as_int(index), start))
        self._guard(op, [_Part(index, start, stop)])
        op.operands[0] = bound
        self._parts[op.result] = start, stop

    def _loop(self, op: phi.CountedOp) -> None:
        """``fold (k < n) { e }  -->  fold (k < max(min(n, N), 0)) { e }``"""
        count = op.operands[0]
        if self._varying.varies(count):
            build = Builder.before(op)
            bound = self._shared(self._varying.bound(count), place_of(count))
            op.operands[0] = build.max(build.min(count, bound), 0)

    # Users of padded arrays

    def _read_outside(self, op: phi.GetOp) -> Sequence[tuple[int, SSAValue]]:
        """The positions that may be beyond the elements, each with the number of these."""
        return [
            (axis, size)
            for (_, axis), size in self._padded[op.array].items()
            if axis < len(op.positions) and not self._varying.is_read_inside(op, axis, size)
        ]

    def _get(self, op: phi.GetOp) -> None:
        """``v[p]  -->  select (n > 0), v[min(p, n - 1)], 0``"""
        build = Builder.before(op)
        for axis, size in self._outside[op]:
            one = build.integer(1)
            last = build.sub(size, one)
            position = build.as_int(op.positions[axis])
            op.operands[axis + 1] = build.min(position, last)
            if not self._varying.is_positive(size, op):
                self._or_zero(op, size)

    @staticmethod
    def _or_zero(op: phi.GetOp, size: SSAValue) -> None:
        """``v[p]  -->  select (n > 0), v[p], 0``"""
        build = Builder.after(op)
        zero = build.number(0, op.result.type)
        none = build.integer(0)
        chosen = build.select(build.compare(none, "slt", size), op.result, zero)
        op.result.replace_uses_with_if(chosen, lambda use: use.operation is not chosen.owner)

    def _update(self, op: phi.UpdateOp) -> None:
        """``v[p] := x  -->  v[select (p < n), p, -1] := x``"""
        build = Builder.before(op)
        for (_, axis), size in self._padded[op.array].items():
            if axis < len(op.positions):
                position = build.as_int(op.positions[axis])
                inside = build.compare(position, "slt", size)
                nowhere = build.integer(-1)
                kept = build.select(inside, position, nowhere)
                op.operands[axis + 1] = kept

    def _size(self, op: phi.SizeOp) -> None:
        """``size v  -->  n``"""
        size = self._padded[op.array].get(((), op.axis.value.data))
        if size is not None:
            Rewriter.replace_op(op, (), (size,))

    def _reduce(self, op: phi.ReduceOp) -> None:
        """``reduce v  -->  reduce (array (i < N) { select (i < n), v[i], identity })``

        In a sum of products all factors are 0 in the padding, so that it stays a contraction.
        """
        if not is_identity_on_both_sides(op):
            self._start_apart(op)
        if (factors := _factors(op)) is not None:
            self._clear(op.vec, factors, self._padded[op.vec][(), 0])
            return
        build = Builder.before(op)
        op.operands[0] = self._filled(build, op.vec, op.identity, self._padded[op.vec], ())

    @staticmethod
    def _start_apart(op: phi.ReduceOp) -> None:
        """``reduce v identity z by +  -->  z + reduce v identity 0``"""
        combine, start = op.scalar_operation(), op.identity
        assert combine is not None
        op.operands[1] = Builder.before(op).constant(neutral_of(combine))
        total = Builder.after(op).same(combine, start, op.result)
        op.result.replace_uses_with_if(total, lambda use: use.operation is not total.owner)

    def _clear(self, vec: SSAValue, factors: Sequence[SSAValue], size: SSAValue) -> None:
        """``a * b  -->  (select (i < n), a, 0) * (select (i < n), b, 0)``, in a comprehension"""
        array = phi.ArrayOp.of(vec)
        start, stop = self._parts.get(vec, (None, size))
        build = Builder.at_start(array.body.block)
        inside = _all_inside(build, [_Part(array.indices[0], start, stop)])
        zero = build.number(0, factors[0].type)
        for factor in factors:
            chosen = arith.SelectOp(inside, factor, zero)
            products = [use for use in factor.uses if isinstance(use.operation, arith.MulfOp)]
            assert isinstance(factor.owner, Operation)
            Rewriter.insert_op(chosen, InsertPoint.after(factor.owner))
            for use in products:
                use.operation.operands[use.index] = chosen.result

    def _filled(
        self,
        build: Builder,
        vec: SSAValue,
        filling: SSAValue,
        padding: Padding,
        path: tuple[int, ...],
    ) -> SSAValue:
        """An array with a filling in the padding of its outermost axis; a record field by field."""
        if isa(vec.type, TupleType):
            pairs = zip(build.fields(vec), build.fields(filling), strict=True)
            return build.tuple(
                [self._filled(build, *pair, padding, (*path, k)) for k, pair in enumerate(pairs)]
            )
        size = padding.get((path, 0))
        if size is None:
            return vec
        axes = range(phi.rank_of(vec.type))
        sizes = [build.size(vec, axis) for axis in axes]

        start, stop = self._parts.get(vec, (None, size))

        def element(inner: Builder, indices: Sequence[SSAValue]) -> SSAValue:
            inside = _all_inside(inner, [_Part(indices[0], start, stop)])
            value, other = inner.get(vec, indices), filling
            if len(indices) > 1:
                other = inner.get(filling, indices[1:])
            return inner.select(inside, value, other)

        return build.comprehension(sizes, element)

    def _argreduce(self, op: phi.ArgreduceOp) -> None:
        """``argreduce v  -->  min(argreduce (v, then nothing that is found), max(n - 1, 0))``

        NaN is passed over; the largest Int ties only with elements that are equal to it.
        """
        size = self._padded[op.vec].get(((), 0))
        if size is None:
            return
        build = Builder.before(op)
        worst = build.constant(unfound(op))
        op.operands[0] = self._filled(build, op.vec, worst, self._padded[op.vec], ())
        build = Builder.after(op)
        zero, one = build.integer(0), build.integer(1)
        found = build.min(op.result, build.max(build.sub(size, one), zero))
        op.result.replace_uses_with_if(found, lambda use: use.operation is not found.owner)


def _factors(op: phi.ReduceOp) -> Sequence[SSAValue] | None:
    """The factors of the terms of a sum of floats, if all are read at positions of the index."""
    array, combine = op.vec.owner, op.scalar_operation()
    is_sum = isinstance(combine, arith.AddfOp) and is_neutral(
        op.identity, literal(0, op.identity.type)
    )
    if not is_sum or not isinstance(array, phi.ArrayOp) or not op.vec.has_one_use():
        return None
    block, factors, pending = array.body.block, dict[SSAValue, None](), [array.yielded()]
    while pending:
        value = pending.pop()
        product = value.owner
        if isinstance(product, arith.MulfOp) and product.parent is block and value.has_one_use():
            pending.extend(product.operands)
        else:
            factors[value] = None
    varying = dependents_among(block.ops, array.indices[0])
    is_read_here = all(isinstance(f.owner, phi.GetOp) and f.owner.parent is block for f in factors)
    is_product = array.yielded() not in factors and len(array.indices) == 1
    return list(factors) if is_product and is_read_here and varying >= factors.keys() else None


def _all_inside(build: Builder, parts: Sequence[_Part]) -> SSAValue:
    """Whether each of some indices is in its part."""
    tests = list[SSAValue]()
    for part in parts:
        position = build.as_int(part.index)
        if part.start is not None:
            tests.append(build.compare(position, "sge", part.start))
        tests.append(build.compare(position, "slt", part.stop))
    return build.all_of(tests)


class BoundVaryingSizesPass(FunctionPass):
    """Pads arrays whose sizes vary from step to step, so that each step has the same shapes.

    Before::

        %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
          %v = phi.array (%i < %k) -> !phi.vec<f64> { %a[%i] }
          %0 = phi.reduce %v identity %zero by { arith.addf } -> f64
          phi.yield %acc * %0 : f64
        }

    After (``%k`` is less than ``%n``)::

        %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
          %v = phi.array (%i < %n) -> !phi.vec<f64> { %a[%i] }
          %1 = phi.array (%i < %n) -> !phi.vec<f64> { select (%i < %k), %v[%i], 0 }
          %0 = phi.reduce %1 identity %zero by { arith.addf } -> f64
          ...
        }

    The factors in a sum of products are 0 in the padding. Reads clip to the elements, and updates
    of the padding update nothing. Operations whose derivative may be infinite get a harmless
    operand in the padding.

    A fold whose count varies keeps the count as ``max(min(n, N), 0)``: a library may need the bound
    ``N``. Sizes without a bound in terms of other sizes stay, as do those that may be negative, and
    arrays with other users (``ein_mlir.analysis.phi.varying_sizes``).
    """

    name = "bound-varying-sizes"
    looks_for = (phi.FoldOp, phi.WhileOp)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        promised = promise_sizes(function)
        if varying := analyses.get(varying_sizes, function):
            _Bounder(function, varying).bound_all()
        for op in promised:
            op.operands = op.operands[:2]
        if promised:
            erase_unused(function.body.block)
