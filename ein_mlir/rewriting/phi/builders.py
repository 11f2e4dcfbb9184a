"""Operations, bodies and folds that are like others."""

from __future__ import annotations

from collections.abc import Sequence

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


def reorder(op: phi.ArrayOp, order: Sequence[int]) -> phi.ArrayOp:
    """``array (i < n, j < m) { e }  -->  t = array (j < m, i < n) { e }; array (i, j) { t[j, i] }``

    ``order`` are the numbers of the indices in their new order; the new comprehension is returned.
    """
    block, build = op.body.block, Builder.before(op)
    old = list(block.args)
    for index in (old[k] for k in order):
        new = block.insert_arg(index.type, len(block.args))
        new.name_hint = index.name_hint
        index.replace_all_uses_with(new)
    for index in old:
        block.erase_arg(index)
    sizes = list(op.sizes)
    own_sizes = [sizes[k] for k in order]
    moved = phi.ArrayOp(own_sizes, Region(op.body.detach_block(block)), op.result.type)
    arrays = build.leaves(build.emit(moved))

    def element(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
        elements = [inner.get(array, [own[k] for k in order]) for array in arrays]
        return inner.record(moved.yielded().type, elements)

    Rewriter.replace_op(op, (), (build.comprehension(sizes, element, old),))
    return moved
