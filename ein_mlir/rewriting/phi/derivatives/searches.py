"""The linearisation of loops that search an extreme: the tangent is that of the element found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import UnitAttr, i64
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.phi.deviations import stationary_deviations
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence
from ein_mlir.analysis.phi.stabilizers import stabilizers
from ein_mlir.analysis.phi.variables import is_carried
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.verification import is_regular
from ein_mlir.rewriting.phi.builders import comprehension, copied
from ein_mlir.rewriting.phi.derivatives.tangents import Linearization, zeros
from ein_mlir.rewriting.phi.insertion import Builder, Inserter
from ein_mlir.rewriting.phi.reductions.searches import search_as_fold

_SEARCHES: Mapping[type[Operation], tuple[str, str]] = {
    arith.MaximumfOp: (">", "ogt"),
    arith.MaxnumfOp: (">", "ogt"),
    arith.MinimumfOp: ("<", "olt"),
    arith.MinnumfOp: ("<", "olt"),
}

_STABILIZER = "stabilizer"
_DEVIATION = "deviation"


def extreme(lin: Linearization, op: phi.FoldOp, build: Inserter) -> bool:
    """``fold { max acc, e(k) }  -->  de(p)`` for the first ``p`` with the largest ``e(p)``.

    The initial value has the tangent if it is at least as large, or if there are no steps.
    """
    combine = op.yielded().owner
    if not isinstance(combine, Operation) or not _is_extreme(op):
        return False
    better, predicate = _SEARCHES[type(combine)]
    (operand,) = (each for each in combine.operands if each is not op.accumulator)

    def element(inner: Inserter, counter: SSAValue) -> SSAValue:
        return copied(inner, op.body.block, [operand], {op.counter: counter})[0]

    def at_index(inner: Inserter, indices: Sequence[SSAValue]) -> SSAValue:
        return element(inner, inner.as_int(indices[0]))

    values = comprehension(build, [op.count], at_index, [op.counter])
    position = build.emit(phi.ArgreduceOp(values, better))
    block = Block(arg_types=[i64])
    inner = Builder.at_end(block)
    terminator = inner.insert(phi.YieldOp(element(inner, block.args[0])))
    lin.block(block)
    (tangent,) = lin.of_yielded(block)
    Rewriter.erase_op(terminator)
    for each in list(block.ops):
        each.detach()
        build.insert(each)
    block.args[0].replace_all_uses_with(position)
    (initial,) = lin.of(op.init)
    if tangent is None and initial is None:
        return True
    is_found = build.emit(arith.CmpfOp(op.result, op.init, predicate))
    branches = [each or zeros(build, op.result) for each in (tangent, initial)]
    lin.define(op.result, (build.emit(arith.SelectOp(is_found, *branches)),))
    return True


def searches_as_folds(op: Operation) -> None:
    """Searches for positions become folds, as those of programs are.

    A search for the extremes of all segments of a key is then one pass.
    """
    for each in list(op.walk()):
        if isinstance(each, phi.ArgreduceOp):
            search_as_fold(each)


def _is_extreme(op: phi.FoldOp) -> bool:
    """``fold { max acc, e(k) }``"""
    combine = op.yielded().owner
    return (
        type(combine) in _SEARCHES
        and [use.operation for use in op.accumulator.uses] == [combine]
        and is_regular(op)
    )


def is_running(op: Operation) -> bool:
    """``max acc, e``, where a fold carries ``acc``: the value before is one operand only."""
    return type(op) in _SEARCHES and sum(map(is_carried, op.operands)) == 1


def running(lin: Linearization, op: Operation, build: Inserter) -> None:
    """``max acc, e  -->  select e > acc, de, dacc``: of equal elements the first one is found."""
    before, element = sorted(op.operands, key=is_carried, reverse=True)
    tangents = [lin.of(each)[0] or zeros(build, each) for each in (element, before)]
    is_found = build.emit(arith.CmpfOp(element, before, _SEARCHES[type(op)][1]))
    lin.define(op.results[0], (build.emit(arith.SelectOp(is_found, *tangents)),))


def mark_stabilizers(op: phi.DerivativeAtPointOp) -> None:
    """Mark the extremes whose derivative is zero, since they only keep floats in range.

    ``m = fold { max acc, x[k] }`` in ``m + log (fold { acc + exp (x[k] - m) })``
    """
    extremes = [
        each
        for each in op.walk()
        if type(each) in _SEARCHES or (isinstance(each, phi.FoldOp) and _is_extreme(each))
    ]
    for each in stabilizers(op, extremes):
        each.attributes[_STABILIZER] = UnitAttr()


def mark_deviations(op: phi.DerivativeAtPointOp, sizes: SizeEquivalence) -> None:
    """Mark the differences from means on which a variance does not depend by these means."""
    for each in stationary_deviations(op, sizes):
        each.attributes[_DEVIATION] = UnitAttr()


def is_deviation(op: Operation) -> bool:
    """Whether an operation is marked as a difference from a mean without a derivative in it."""
    return _DEVIATION in op.attributes


def deviation(lin: Linearization, op: Operation, build: Inserter) -> None:
    """``x - m  -->  dx``, in a sum that is stationary in ``m``"""
    lin.define(op.results[0], lin.of(op.operands[0]))


def is_stabilizer(op: Operation) -> bool:
    """Whether an operation is marked as one whose derivative is zero."""
    return _STABILIZER in op.attributes


def forget_stabilizers(ops: Iterable[Operation]) -> None:
    """Remove the marks of stabilizers."""
    for op in ops:
        op.attributes.pop(_STABILIZER, None)


def forget_deviations(ops: Iterable[Operation]) -> None:
    """Remove the marks of deviations: those in the derivative of a variance have other uses."""
    for op in ops:
        op.attributes.pop(_DEVIATION, None)
