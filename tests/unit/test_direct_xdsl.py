"""Programs of xDSL, read directly: what is read is the same."""

from __future__ import annotations

import pickle

import pytest
from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, TensorType, UnregisteredOp, f64, i64
from xdsl.ir import Block, BlockArgument, Operation, OpResult, Region, SSAValue
from xdsl.ir.core import ErasedSSAValue, SSAValues
from xdsl.traits import ConstantLike

from ein_mlir.dialects import phi
from ein_mlir.host.direct_xdsl import Nominal

_CONSTANTS = [arith.ConstantOp.from_int_and_width(k, 64) for k in range(3)]


def test_operations_of_a_block_may_be_erased_while_they_are_visited() -> None:
    ops = [arith.ConstantOp.from_int_and_width(k, 64) for k in range(4)]
    block = Block(ops)
    seen: list[Operation] = []
    for op in block.ops:
        seen.append(op)
        block.erase_op(op)
    assert seen == ops
    assert not block.ops
    assert len(block.ops) == 0
    assert block.first_op is block.last_op is None


def test_parts_are_those_of_their_fields() -> None:
    block = Block(arg_types=[i64, i64])
    left, right = block.args
    add = arith.AddiOp(left, right)
    end = func.ReturnOp(add)
    block.add_ops([add, end])
    region = Region(block)
    assert (add.lhs, add.rhs) == tuple(add.operands) == block.args
    assert add.result is add.results[0]
    assert add.result.owner is add
    assert block.args[0].owner is block
    assert add.result.type == i64
    assert (add.next_op, end.next_op, end.prev_op, add.prev_op) == (end, None, add, None)
    assert region.first_block is region.last_block is block
    assert block.next_block is None
    assert end.arguments.types == (i64,)


def test_a_slice_of_values_has_types() -> None:
    values = SSAValues(op.result for op in _CONSTANTS)
    assert values[1] is _CONSTANTS[1].result
    assert values[-1] is _CONSTANTS[2].result
    assert isinstance(values[1:], SSAValues)
    assert values[1:].types == (i64, i64)
    assert func.CallOp("f", list(values), [i64, i64]).results[:1].types == (i64,)


def test_operands_after_and_among_variadic_ones() -> None:
    lb, ub, step = (arith.ConstantOp.from_int_and_width(k, IndexType()) for k in (0, 4, 1))
    body = Block([scf.YieldOp(*_CONSTANTS[:2])], arg_types=[IndexType(), i64, i64])
    loop = scf.ForOp(lb, ub, step, _CONSTANTS[:2], body)
    assert (loop.lb, loop.ub, loop.step) == (lb.result, ub.result, step.result)
    assert list(loop.iter_args) == [op.result for op in _CONSTANTS[:2]]
    assert loop.body.block is body
    assert list(loop.res) == list(loop.results)


def test_instances_are_recognised_by_their_bases() -> None:
    add = arith.AddiOp(_CONSTANTS[0], _CONSTANTS[1])
    assert type(arith.AddiOp) is type(SSAValue) is Nominal
    assert isinstance(add, Operation)
    assert isinstance(add, arith.SignlessIntegerBinaryOperation)
    assert not isinstance(add, arith.MuliOp | phi.FoldOp | UnregisteredOp)
    assert isinstance(add.result, SSAValue)
    assert isinstance(add.result, OpResult)
    assert not isinstance(add.result, BlockArgument)


def test_views_are_those_of_their_objects() -> None:
    block = Block(arg_types=[i64, i64])
    left, right = block.args
    add = arith.AddiOp(left, right)
    block.add_ops([add, func.ReturnOp(add)])
    region = Region(block)
    outer = UnregisteredOp.with_name("outer").create(regions=[region])
    add.operands[1] = left
    assert list(add.operands) == [left, left]
    assert add.result_types == (i64,)
    assert [use.operation for use in left.uses] == [add, add]
    assert not right.uses
    assert list(region.blocks) == [block]
    assert add.parent_op() is outer
    assert outer.parent_op() is None
    add.operands = (right, left)
    assert left.uses.get_length() == 1
    assert outer.is_ancestor(add)
    assert block.is_ancestor(add)
    assert not add.is_ancestor(outer)


def test_constants() -> None:
    one = arith.ConstantOp.from_int_and_width(1, 64)
    assert ConstantLike.get_constant_value(one.result) == one.value
    block = Block(arg_types=[i64])
    assert ConstantLike.get_constant_value(block.args[0]) is None
    assert ConstantLike.get_constant_value(arith.AddiOp(one, one).result) is None


def test_replaced_values_have_their_users_in_the_order_of_xdsl() -> None:
    block = Block(arg_types=[i64, i64, i64])
    old, new, other = block.args
    old.name_hint, other.name_hint = "a_1", "b"
    square, total = arith.MuliOp(old, old), arith.AddiOp(other, old)
    block.add_ops([square, total])
    old.replace_all_uses_with(new)
    assert (square.lhs, square.rhs, total.lhs, total.rhs) == (new, new, other, new)
    assert [(use.operation, use.index) for use in new.uses] == [
        (square, 0),
        (square, 1),
        (total, 1),
    ]
    assert old.first_use is None
    assert new.name_hint == "a"
    new.replace_all_uses_with(other)
    assert other.name_hint == "b"
    assert other.uses.get_length() == 4


def test_a_replaced_operand_has_one_use_less() -> None:
    block = Block(arg_types=[i64, i64])
    old, new = block.args
    add = arith.AddiOp(old, old)
    add.operands[1] = new
    assert list(add.operands) == [old, new]
    assert isinstance(add._operands, SSAValues)
    assert [(use.operation, use.index) for use in old.uses] == [(add, 0)]
    assert [(use.operation, use.index) for use in new.uses] == [(add, 1)]


def test_an_erased_value_must_have_no_users() -> None:
    block = Block(arg_types=[i64])
    (value,) = block.args
    value.erase()
    add = arith.AddiOp(value, value)
    with pytest.raises(ValueError, match="still has uses"):
        value.erase()
    value.erase(safe_erase=False)
    assert value.first_use is None
    assert isinstance(add.lhs, ErasedSSAValue)


def test_invalid_names_are_rejected_each_time() -> None:
    (value,) = Block(arg_types=[i64]).args
    for _ in range(2):
        with pytest.raises(ValueError, match="Invalid"):
            value.name_hint = "1a"
    value.name_hint = None
    assert value.name_hint is None


def test_types_keep_their_hash_in_this_process_only() -> None:
    kept, equal = TensorType(f64, [2, -1]), TensorType(f64, [2, -1])
    assert hash(kept) == hash(equal)
    read = pickle.loads(pickle.dumps(kept))
    assert "_hash" in vars(kept)
    assert "_hash" not in vars(read)
    assert read == kept
    assert {read: 1}[equal] == 1


def test_operands_and_results_by_name() -> None:
    one = arith.ConstantOp(IntegerAttr(1, i64))
    sum_ = arith.AddiOp(one, one)
    assert sum_.lhs is sum_.rhs is one.result
    other = arith.ConstantOp(IntegerAttr(2, i64))
    sum_.operands[1] = other.result
    assert sum_.lhs is one.result
    assert sum_.rhs is other.result
