"""Sums of squared deviations from a mean, which are stationary in it.

The derivative of ``sum of (x[j] - m) * y[j]`` in ``m`` is minus the sum of ``y``: zero if these are
deviations from their mean, as they are in a variance, or in a covariance::

    m = sum of x[j] / n;    v = sum of (x[j] - m) * (x[j] - m)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.constants import known_float
from ein_mlir.analysis.phi.equality import computes_same
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence
from ein_mlir.analysis.scopes import is_within
from ein_mlir.dialects import phi


def stationary_deviations(op: Operation, sizes: SizeEquivalence) -> Iterator[arith.SubfOp]:
    """The differences ``x - m`` that are factors of deviations alone, in sums in an operation.

    No derivative of the sum depends on ``m``.
    """
    for fold in op.walk():
        product = _summand(fold) if isinstance(fold, phi.FoldOp) else None
        if product is None or not isinstance(product.owner, arith.MulfOp):
            continue
        assert isinstance(fold, phi.FoldOp)
        factors = [each.owner for each in product.owner.operands]
        for one, other in (factors, factors[::-1]):
            if _is_factor(one, fold, product.owner) and _is_deviation(other, fold, sizes):
                assert isinstance(one, arith.SubfOp)
                yield one


def _summand(fold: phi.FoldOp) -> SSAValue | None:
    """``e`` of a fold that adds it, and computes it for the sum alone."""
    step = fold.yielded().owner
    if fold.irregular is not None or not isinstance(step, arith.AddfOp):
        return None
    terms = [each for each in step.operands if each is not fold.accumulator]
    is_sum = len(terms) == 1 and fold.accumulator.has_one_use() and terms[0].has_one_use()
    return terms[0] if is_sum else None


def _is_factor(op: object, fold: phi.FoldOp, product: Operation) -> bool:
    """``x - m``, for all steps with one ``m``, of which nothing but a product depends."""
    return (
        isinstance(op, arith.SubfOp)
        and not is_within(op.rhs, fold)
        and all(use.operation is product for use in op.result.uses)
    )


def _is_deviation(op: object, fold: phi.FoldOp, sizes: SizeEquivalence) -> bool:
    """``x - m``, where ``m`` is the mean of ``x`` in all steps of a fold."""
    if not isinstance(op, arith.SubfOp) or is_within(op.rhs, fold):
        return False
    mean, renamed = _element(op.rhs)
    if not isinstance(mean, arith.DivfOp) or not isinstance(mean.rhs.owner, arith.SIToFPOp):
        return False
    total = mean.lhs.owner
    term = _summand(total) if isinstance(total, phi.FoldOp) else None
    if term is None or not isinstance(total, phi.FoldOp) or known_float(total.init) != 0.0:
        return False
    counts = total.count, mean.rhs.owner.input
    are_equal = all(sizes.same(count, fold.count, fold) for count in counts)
    return are_equal and computes_same(term, op.lhs, {**renamed, total.counter: fold.counter})


def _element(value: SSAValue) -> tuple[object, Mapping[SSAValue, SSAValue]]:
    """The operation that computes a value, also as an element of an array at some positions."""
    read = value.owner
    array = read.array.owner if isinstance(read, phi.GetOp) else None
    if not isinstance(array, phi.ArrayOp) or not isinstance(read, phi.GetOp):
        return read, {}
    if len(read.positions) != len(array.indices):
        return read, {}
    places = map(phi.uncast, read.positions)
    return array.yielded().owner, dict(zip(array.indices, places, strict=True))
