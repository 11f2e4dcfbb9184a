"""Steps of folds in normal form: one combination of the accumulator with a summand."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.selections import step_of
from ein_mlir.analysis.scopes import dependents
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import SUM_OF, algebra_of
from ein_mlir.dialects.fastmath import takes_any_order
from ein_mlir.rewriting.phi.builders import Emitter, chosen, difference, same_operation, sum_of


def combine_always(op: phi.FoldOp) -> bool:
    """``where(t, acc + e, acc)  -->  acc + where(t, e, 0)``, and so for minima, products, ...

    Whether anything changed.
    """
    if not isinstance(op.yielded().owner, arith.SelectOp):
        return False
    step = step_of(op)
    if step is None:
        return False
    emitter = Emitter()
    neutral = emitter.emit(arith.ConstantOp(step.neutral))
    value = step.value
    if not isinstance(value, SSAValue):
        value = emitter.emit(arith.ConstantOp(value))
    value = chosen(emitter, step.tests, value, neutral)
    result = emitter.emit(same_operation(step.combine, op.accumulator, value))
    unused = op.yielded().owner
    _end_with(op, emitter, result)
    while isinstance(unused, arith.SelectOp):
        other = unused.lhs if unused.rhs is op.accumulator else unused.rhs
        unused.detach()
        unused.erase()
        unused = other.owner
    step.combine.detach()
    step.combine.erase()
    return True


def gather_summands(op: phi.FoldOp) -> bool:
    """``(acc + e) - f  -->  acc + (e - f)``, for any number of summands, or factors, ...

    Sums of floats may be rounded differently; products of floats are not regrouped. The fold is
    unchanged if another value of the step reads the accumulator or one of its partial sums. Whether
    anything changed.
    """
    chain = _chain(op)
    if not chain:
        return False
    combine = sum_of(chain[0])
    kept, taken = list[SSAValue](), list[SSAValue]()
    varying = dependents(op.body.block, op.accumulator)
    for link in reversed(chain):
        lhs, rhs = link.operands
        (taken if link.name in SUM_OF else kept).append(rhs if lhs in varying else lhs)
    if not taken and len(kept) == 1:
        return False
    emitter = Emitter()
    template = chain[0] if combine is type(chain[0]) else combine(*chain[0].operands)
    total = _total(emitter, template, kept, taken)
    result = emitter.emit(same_operation(template, op.accumulator, total))
    _end_with(op, emitter, result)
    if template is not chain[0]:
        template.erase()
    for link in chain:
        link.detach()
        link.erase()
    return True


def _end_with(op: phi.FoldOp, emitter: Emitter, result: SSAValue) -> None:
    """Append operations to a step, and yield one of their results."""
    terminator = op.body.block.last_op
    assert terminator is not None
    op.body.block.insert_ops_before(emitter.ops, terminator)
    terminator.operands[0] = result


def _chain(op: phi.FoldOp) -> list[Operation]:
    """The use-def chain from the value of a step to the accumulator, if each has no other user."""
    varying: set[SSAValue] | None = None
    chain = list[Operation]()
    value = op.yielded()
    family = set[str]()
    while value is not op.accumulator:
        link = value.owner
        if not isinstance(link, Operation) or link.parent is not op.body.block:
            return []
        name = SUM_OF.get(link.name, link.name)
        may_regroup = algebra_of(name) is not None and takes_any_order(link)
        if not may_regroup or not value.has_one_use() or not family <= {name}:
            return []
        family.add(name)
        varying = varying or dependents(op.body.block, op.accumulator)
        sides = [side for side in link.operands if side in varying]
        if len(sides) != 1 or (link.name in SUM_OF and sides[0] is not link.operands[0]):
            return []
        chain.append(link)
        (value,) = sides
    return chain if op.accumulator.has_one_use() else []


def _total(
    emitter: Emitter, combine: Operation, kept: Sequence[SSAValue], taken: Sequence[SSAValue]
) -> SSAValue:
    """The combination of the positive terms, without that of the negative ones."""
    first, *rest = kept or taken
    for summand in rest:
        first = emitter.emit(same_operation(combine, first, summand))
    if not taken:
        return first
    if kept:
        for summand in taken:
            first = emitter.emit(difference(combine, first, summand))
        return first
    if isinstance(combine, arith.AddfOp):
        return emitter.emit(arith.NegfOp(first))
    assert isa(first.type, IntegerType)
    zero = emitter.emit(arith.ConstantOp(IntegerAttr(0, first.type)))
    return emitter.emit(arith.SubiOp(zero, first))
