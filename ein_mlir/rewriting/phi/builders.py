"""Operations, bodies and folds that are like others."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import OPERATIONS, SUM_OF, algebra_of
from ein_mlir.dialects.creation import copy_of
from ein_mlir.rewriting.phi.insertion import Builder, StepOfFold, named_body


def sum_of(op: Operation) -> type[Operation]:
    """The class of the sum that a difference belongs to; that of the operation for others."""
    return OPERATIONS[SUM_OF[op.name]] if op.name in SUM_OF else type(op)


def addition(combine: Operation, lhs: SSAValue, rhs: SSAValue) -> Operation:
    """``lhs + rhs``, the sum that a difference belongs to, or the same sum of other operands."""
    return sum_of(combine).create(
        operands=[lhs, rhs], result_types=[lhs.type], properties=dict(combine.properties)
    )


def difference(combine: Operation, lhs: SSAValue, rhs: SSAValue) -> Operation:
    """``lhs - rhs``, the difference that belongs to a sum, or is one."""
    algebra = algebra_of(SUM_OF.get(combine.name, combine.name))
    assert algebra is not None
    assert algebra.difference is not None
    return OPERATIONS[algebra.difference].create(
        operands=[lhs, rhs], result_types=[lhs.type], properties=dict(combine.properties)
    )


def fold_body(like: phi.FoldOp | phi.WhileOp, type_: Attribute) -> Block:
    """An empty body for loops of a type; its variables take their names from another loop."""
    return named_body((i64, type_), like.body.block.args)


def folded(like: phi.FoldOp, init: SSAValue | Operation, step: StepOfFold) -> phi.FoldOp:
    """``fold (k < n, acc = init) { step }``, over the steps of another fold."""
    body = fold_body(like, SSAValue.get(init).type)
    inner = Builder.at_end(body)
    inner.yield_(step(inner, *body.args))
    return like.again(init, Region(body))


def unroll(op: phi.FoldOp, steps: int) -> None:
    """Replace a fold by a copy of its body for each step."""
    before, value = InsertPoint.before(op), op.init
    *body, _ = op.body.block.ops
    for step in range(steps):
        counter = arith.ConstantOp.from_int_and_width(step, 64)
        counter.location = op.location
        values: dict[SSAValue, SSAValue] = {op.counter: counter.result, op.accumulator: value}
        for argument, known in values.items():
            known.name_hint = known.name_hint or argument.name_hint
        Rewriter.insert_op([counter, *(copy_of(inner, values) for inner in body)], before)
        value = values.get(op.yielded(), op.yielded())
    Rewriter.replace_op(op, (), (value,))


def split(op: phi.ArrayOp, count: int) -> phi.ArrayOp:
    """``array (i < n, j < m) { e }  -->  array (i < n) { array (j < m) { e } }``"""
    block = op.body.block
    outer = Block(arg_types=[IndexType()] * count)
    for new, old in zip(outer.args, list(block.args)[:count], strict=True):
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    for old in list(block.args)[:count]:
        block.erase_arg(old)
    row = phi.row_of(op.result.type, count)
    inner = phi.ArrayOp(list(op.sizes)[count:], Region(op.body.detach_block(block)), row)
    inner.location = op.location
    outer.add_ops([inner, phi.YieldOp(inner.result)])
    new_op = phi.ArrayOp(list(op.sizes)[:count], Region(outer), op.result.type)
    new_op.location = op.location
    new_op.result.name_hint = op.result.name_hint
    Rewriter.replace_op(op, new_op)
    return new_op
