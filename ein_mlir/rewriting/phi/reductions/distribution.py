"""The distribution of reductions over operands that do not vary with all their indices.

A sum of terms is the sum of their sums; a term that is loop invariant is multiplied by the count.
Terms whose sums would be loops stay in one loop, and share their common values.
Minima, maxima, and logical reductions distribute over some operations if the reduction is not
empty::

    min_k max(c, x_k) = max(c, min_k x_k)        min_k min(c, x_k) = min(c, min_k x_k)
    any_k (c & x_k) = c & any_k x_k              any_k (c | x_k) = c | any_k x_k

and the same for maxima and for ``all``. These are exact: a NaN operand makes both sides NaN.
``min_k (c + x_k)`` is not ``c + min_k x_k``: for c of minus infinity and one x_k of infinity the
left side is NaN, the right side need not be; and sums of Ints overflow.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, IntegerType
from xdsl.ir import Operation, SSAValue
from xdsl.traits import ConstantLike

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.memory_cost import may_hold, may_materialise, slice_of
from ein_mlir.analysis.phi.selections import Summand, is_constant, summands
from ein_mlir.analysis.phi.speculation import may_fail
from ein_mlir.analysis.scopes import dependents
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import Hazard, hazards_of_distribution, identity, terms_of
from ein_mlir.dialects.creation import same_operation
from ein_mlir.dialects.phi.integers import is_nonnegative
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.phi.builders import difference, folded
from ein_mlir.rewriting.phi.guarded_counts import if_any_step
from ein_mlir.rewriting.phi.insertion import Builder, Emitter


@dataclass(frozen=True)
class Distribution:
    """Operations that replace a fold, the last with its value, and the folds among them."""

    ops: list[Operation]
    folds: list[phi.FoldOp]


def distribution(
    op: phi.FoldOp, combine: Operation, summand: SSAValue, free: FreeIndices
) -> Distribution | None:
    """Folds of the operands that a reduction distributes over; None if there are none.

    Terms of a sum of floats may be larger than the sum, and cancel. A sum is split only if an array
    of the terms would be larger than the arrays that are read, or if its only term is loop
    invariant and the count, which nothing checks then, is not negative.
    """
    join = summand.owner
    neutral = identity(combine.name, op.result.type)
    if neutral is None:
        return None
    varying = dependents(op.body.block, op.counter)
    if summand not in varying and terms_of(combine.name):
        if _may_fail(op, [summand]) or not is_nonnegative(op.count):
            return None
        terms = [Summand(summand, is_negative=False)]
        return _Distributor(op, combine, neutral).sum_of_sums(terms, varying, set())
    if not isinstance(join, Operation) or not summand.has_one_use():
        return None
    if join.name in terms_of(combine.name):
        terms = summands(summand, combine.name, op.body.block)
        fixed = [term.value for term in terms if term.value not in varying]
        if may_hold(op, summand, free) or _may_fail(op, fixed):
            return None
        in_loop = {
            term
            for term in terms
            if term.value in varying
            and not may_materialise(op, term.value, type(combine), free, alone=True)
        }
        if all(term in in_loop or is_constant(term.value, neutral) for term in terms):
            return None
        return _Distributor(op, combine, neutral).sum_of_sums(terms, varying, in_loop)
    if distributes(join, combine):
        fixed = [side for side in join.operands if side not in varying]
        if len(fixed) == 1 and not _may_fail(op, fixed):
            return _Distributor(op, combine, neutral).let_through(join, fixed[0])
    return None


def distributes(join: Operation, combine: Operation) -> bool:
    """Whether ``x . (y + z) = (x . y) + (x . z)`` is exact, for the reduction by ``+``."""
    hazards = hazards_of_distribution(join.name, combine.name)
    return hazards is not None and hazards in Hazard.ZERO_SIGN


class _Distributor:
    """Builds the replacement of a fold that combines summands."""

    def __init__(self, op: phi.FoldOp, combine: Operation, neutral: FloatAttr | IntegerAttr):
        self._op = op
        self._combine = combine
        self._neutral = neutral
        self._emitter = Emitter()
        self._folds = list[phi.FoldOp]()

    def sum_of_sums(
        self, terms: Sequence[Summand], varying: set[SSAValue], in_loop: set[Summand]
    ) -> Distribution:
        """``sum (x - y)  -->  sum x - sum y``, where the sum of an invariant c is n * c

        The terms ``in_loop`` are summed together.
        """
        kept, taken = list[SSAValue](), list[SSAValue]()
        for term in terms:
            if term not in in_loop:
                is_fixed = term.value not in varying
                total = self._times(term.value) if is_fixed else self._fold_of(term.value)
                (taken if term.is_negative else kept).append(total)
        if in_loop:
            kept.append(self._fold([each for each in terms if each in in_loop]))
        if not kept or not is_constant(self._op.init, self._neutral):
            kept.insert(0, self._op.init)
        result, *rest = kept
        for total in rest:
            result = self._emitter.same(self._combine, result, total)
        for total in taken:
            result = self._emitter.emit(difference(self._combine, result, total))
        return Distribution(self._emitter.ops, self._folds)

    def let_through(self, join: Operation, fixed: SSAValue) -> Distribution:
        """``min (max(c, x))  -->  max(c, min x)``, and the initial value for a fold without steps.

        ``any (c & x)`` and ``all (c | x)`` are right without steps, too.
        """
        rest = next(side for side in join.operands if side is not fixed)
        total = self._emitter.same(join, self._taken_out(fixed), self._fold_of(rest))
        if not is_constant(self._op.init, self._neutral):
            total = self._emitter.same(self._combine, self._op.init, total)
        if join.name == self._combine.name or join.name not in ("arith.andi", "arith.ori"):
            if_any_step(self._emitter, self._op, total, self._op.init)
        return Distribution(self._emitter.ops, self._folds)

    def _taken_out(self, value: SSAValue) -> SSAValue:
        """A loop-invariant value, computed before the fold."""
        (value,) = self._emitter.copied(self._op.body.block, [value], {})
        return value

    def _times(self, term: SSAValue) -> SSAValue:
        """``n * term``; 0 if n is 0, since 0 * infinity is NaN."""
        term = self._taken_out(term)
        count = self._emitter.number_as(self._op.count, term.type)
        if isa(term.type, IntegerType):
            return self._emitter.mul(count, term)
        total = self._emitter.mul(count, term)
        if _is_finite(term):
            return total
        neutral = self._emitter.constant(self._neutral)
        return if_any_step(self._emitter, self._op, total, neutral)

    def _fold_of(self, value: SSAValue) -> SSAValue:
        return self._fold([Summand(value, is_negative=False)])

    def _fold(self, terms: Sequence[Summand]) -> SSAValue:
        """The fold of some terms of the same body, from the identity."""
        op = self._op

        def step(inner: Builder, counter: SSAValue, combined: SSAValue) -> SSAValue:
            known: dict[SSAValue, SSAValue] = {op.counter: counter}
            copies = inner.copied(op.body.block, [term.value for term in terms], known)
            for copy, term in zip(copies, terms, strict=True):
                build = difference if term.is_negative else same_operation
                combined = inner.emit(build(self._combine, combined, copy))
            return combined

        self._folds.append(fold := folded(op, self._emitter.constant(self._neutral), step))
        return self._emitter.emit(fold)


def _may_fail(op: phi.FoldOp, values: Sequence[SSAValue]) -> bool:
    """Whether values of a body may raise an error, which forbids hoisting them."""
    return any(may_fail(inner) for each in slice_of(op.body.block, values) for inner in each.walk())


def _is_finite(value: SSAValue) -> bool:
    """Whether a float is provably finite."""
    constant = ConstantLike.get_constant_value(value)
    return isa(constant, FloatAttr) and math.isfinite(constant.value.data)
