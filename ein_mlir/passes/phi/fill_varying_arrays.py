"""``fill-varying-arrays``: scans, accumulations, sorts, .. take arrays of a fixed size."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from xdsl.dialects import func
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.neutral_elements import unfound
from ein_mlir.analysis.phi.varying_sizes import VaryingSizes, varying_sizes
from ein_mlir.analysis.scopes import operations_in
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.types import rank_of, scalar_of
from ein_mlir.dialects.reductions import identity_of
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.bounds import bound_value, place_of, promise_sizes, resized
from ein_mlir.rewriting.phi.insertion import Builder


class _Filler:
    """Replaces an operation on arrays of varying sizes, before the place of the operation."""

    def __init__(self, op: Operation, varying: VaryingSizes):
        self._op, self._varying = op, varying
        self._build = Builder.before(op)

    def scan(self, op: phi.ScanOp) -> SSAValue | None:
        """``scan v  -->  array (j < n + 1) { (scan (v, then identities))[j] }``"""
        found = self._varying.bounded_axis(op.vec)
        neutral = identity_of(op.kind.data, scalar_of(op.vec.type))
        if found is None or neutral is None:
            return None
        filled = self._filled(op.vec, *found, neutral)
        scanned = self._build.insert(
            phi.ScanOp(op.kind.data, filled, suffixes=op.suffixes is not None)
        )
        more = self._build.add(found[0], 1)
        return self._beginning(scanned.result, [more])

    def top_k(self, op: phi.TopKOp) -> SSAValue | None:
        """``top_k v, n  -->  array (j < n) { (top_k (v, then the least elements), N)[j] }``"""
        vec, count = self._varying.bounded_axis(op.vec), self._varying.known_bound(op.count)
        if vec is None and count is None:
            return None
        filled = op.vec if vec is None else self._filled(op.vec, *vec, unfound(op))
        most = op.count if count is None else self._bound(op.count, count)
        found = self._build.emit(phi.TopKOp(filled, most, op.predicate.data))
        return self._beginning(found, [op.count])

    def order(self, op: phi.SortOp | phi.ArgsortOp) -> SSAValue | None:
        """``sort v  -->  array (j < n) { (sort (v, then the greatest elements))[j] }``"""
        found = self._varying.bounded_axis(op.vec)
        if found is None:
            return None
        filled = self._filled(op.vec, *found, unfound(op))
        return self._beginning(self._build.emit(type(op)(filled)), [found[0]])

    def accumulation(self, op: phi.AccumulateOp) -> SSAValue | None:
        """``accumulate (i < n) into (m) { p, e }  -->  array (c < m) { s[c] }``

        for ``s = accumulate (i < N) into (M) { select (i < n), p, -1, e }``. Elements from ``m`` on
        are not read.
        """
        counts = [self._varying.known_bound(size) for size in op.sizes]
        bounds = [self._varying.known_bound(extent) for extent in op.extents]
        accumulators = op.accumulators
        if any(counts) and not all(each.extents for each in accumulators):
            return None
        if not any(counts) and not any(bounds):
            return None
        sizes = [self._bounded(size, bound) for size, bound in zip(op.sizes, counts, strict=True)]
        known = dict(zip(op.extents, bounds, strict=True))
        into = [
            (each.kind, [self._bounded(extent, known[extent]) for extent in each.extents])
            for each in accumulators
        ]
        body = op.body.clone()
        pairs = zip(body.block.args, op.sizes, counts, strict=True)
        limits = [(index, size) for index, size, bound in pairs if bound is not None]
        new = self._build.insert(phi.AccumulateOp(sizes, into, body))
        _drop_beyond(new, limits)
        if not any(bounds):
            return new.result
        return self._beginnings(new.result, accumulators)

    def _beginnings(self, result: SSAValue, accumulators: Sequence[phi.Accumulator]) -> SSAValue:
        """The elements of each accumulator within its sizes."""
        parts = zip(self._build.unpacked(result, len(accumulators)), accumulators, strict=True)
        return self._build.packed(
            [self._beginning(part, to.extents) if to.extents else part for part, to in parts],
        )

    def _bounded(self, size: SSAValue, bound: LinearForm | None) -> SSAValue:
        return size if bound is None else self._bound(size, bound)

    def concat(self, op: phi.ConcatOp) -> SSAValue | None:
        """``concat a, b  -->  array (i < n + m) { select (i < n), a[i], b[i - n] }``"""
        found = self._varying.bounded_axis(op.lhs)
        if found is None or op.size is None:
            return None
        lhs, rhs, first = op.lhs, op.rhs, found[0]

        def element(inner: Builder, indices: Sequence[SSAValue]) -> SSAValue:
            position = inner.as_int(indices[0])
            inside = inner.compare(position, "slt", first)
            left = inner.get(lhs, indices)
            behind = inner.sub(position, first)
            return inner.select(inside, left, inner.get(rhs, (behind, *indices[1:])))

        sizes = [self._build.size(lhs, axis) for axis in range(1, rank_of(lhs.type))]
        return self._build.comprehension([op.size, *sizes], element)

    # Arrays

    def _bound(self, size: SSAValue, bound: LinearForm) -> SSAValue:
        return bound_value(Builder.before(place_of(size)), bound)

    def _filled(
        self, array: SSAValue, size: SSAValue, bound: LinearForm, filling: FloatAttr | IntegerAttr
    ) -> SSAValue:
        """``array (i < N) { select (i < n), v[i], filling }``"""
        sizes = {0: self._bound(size, bound)}
        return resized(self._build, array, sizes, {0: size}, self._build.constant(filling))

    def _beginning(self, array: SSAValue, sizes: Sequence[SSAValue]) -> SSAValue:
        """``array (i < n) { v[i] }``"""
        return resized(self._build, array, dict(enumerate(sizes)), {})


def _drop_beyond(op: phi.AccumulateOp, limits: Sequence[tuple[SSAValue, SSAValue]]) -> None:
    """Accumulate the values of a body at no position where an index is beyond a size."""
    build = Builder.before_end(op.body.block)
    tests = [build.compare(build.as_int(index), "slt", size) for index, size in limits]
    dropped = list[SSAValue]()
    for record in build.unpacked(op.yielded(), len(op.accumulators)):
        first, *others = build.fields(record)
        for test in tests:
            first = build.select(test, first, -1)
        dropped.append(build.tuple([first, *others]))
    op.yield_instead(build.packed(dropped))


def fill(function: func.FuncOp, varying: VaryingSizes) -> bool:
    """Fill the operands of the operations that are known to vary; whether there are any."""
    ops = [op for op in operations_in(function) if type(op) in _FORMS]
    filled = False
    for op in ops:
        new = _FORMS[type(op)](_Filler(op, varying), op)
        if new is not None:
            Rewriter.replace_op(op, (), (new,))
            filled = True
    return filled


_FORMS: Mapping[type[Operation], Callable[[_Filler, Any], SSAValue | None]] = {
    phi.ScanOp: _Filler.scan,
    phi.TopKOp: _Filler.top_k,
    phi.SortOp: _Filler.order,
    phi.ArgsortOp: _Filler.order,
    phi.AccumulateOp: _Filler.accumulation,
    phi.ConcatOp: _Filler.concat,
}
"""The methods that replace operations, by the classes of these."""


class FillVaryingArraysPass(FunctionPass):
    """Fills up arrays whose sizes vary, for operations on whole arrays.

    Before (``%k`` is less than ``%n``)::

        %r = phi.fold (%k < %n, %acc = %zero) -> f64 {
          %v = phi.array (%i < %k) -> !phi.vec<f64> { .. }
          %s = phi.scan "add" %v : !phi.vec<f64>
          ..
        }

    After::

        %r = phi.fold (%k < %n, %acc = %zero) -> f64 {
          %v = phi.array (%i < %k) -> !phi.vec<f64> { .. }
          %w = phi.array (%i < %n) -> !phi.vec<f64> { select (%i < %k), %v[%i], 0 }
          %t = phi.scan "add" %w : !phi.vec<f64>
          %s = phi.array (%i < %k + 1) -> !phi.vec<f64> { %t[%i] }
          ..
        }

    Scans get identities; searches and sorts get elements that none of them finds; values beyond the
    elements are accumulated at no position. Sizes without a bound stay.
    """

    name = "fill-varying-arrays"
    looks_for = tuple(_FORMS)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        promised = promise_sizes(function)
        if promised:
            analyses.invalidate(function)
        while fill(function, analyses.get(varying_sizes, function)):
            analyses.invalidate(function)
        for op in promised:
            if op.parent is not None:
                op.operands = op.operands[:2]
        if promised:
            analyses.invalidate(function)
        erase_unused(function.body.block)
