"""New operations and copies: the same as those of xDSL."""

import gc
import weakref

import pytest
from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import IndexType, MemRefType, f64, i64
from xdsl.ir import Block, SSAValue

from ein_mlir.dialects.creation import copy_of, discard, integer_attribute, made
from ein_mlir.entry import parse

PROGRAM = """
func.func private @extern(f64) -> f64
func.func @f(%a: !phi.vec<f64>, %n: i64) -> (!phi.vec<f64>, f64) {
  %zero = arith.constant 0.0 : f64
  %b = phi.array (%i < %n) -> !phi.vec<f64> {
    %x = phi.get %a[%i] : !phi.vec<f64>[index]
    %y = arith.mulf %x, %x fastmath<nsz> : f64
    phi.yield %y : f64
  }
  func.return %b, %zero : !phi.vec<f64>, f64
}
"""


def test_an_attribute_is_made_once():
    assert integer_attribute(3, i64) is integer_attribute(3, i64)
    assert integer_attribute(3, i64) != integer_attribute(3, IndexType())


def test_properties_have_their_defaults():
    block = Block(arg_types=[i64, MemRefType(f64, [4]), IndexType()])
    x, array, place = block.args
    for op, other in (
        (made(arith.AddiOp, (x, x), (i64,)), arith.AddiOp(x, x)),
        (made(memref.LoadOp, (array, place), (f64,)), memref.LoadOp.get(array, [place])),
    ):
        assert op.is_structurally_equivalent(other)
        op.verify()


def test_a_new_operation_is_a_use_of_its_operands():
    x = Block(arg_types=[i64]).args[0]
    op = made(arith.AddiOp, (x, x), (i64,))
    assert [(use.operation, use.index) for use in x.uses] == [(op, 1), (op, 0)]
    op.erase()
    assert x.first_use is None


def test_a_copy_of_a_module_is_equal_and_shares_nothing():
    module = parse(PROGRAM)
    copy = copy_of(module)
    assert str(copy) == str(module)
    copy.verify()
    assert not {*module.walk()} & {*copy.walk()}
    for op in copy.walk():
        assert all(value.owner is not None for value in op.operands)
    module.erase()
    copy.verify()


def test_a_copy_has_other_operands_and_the_place_of_the_operation():
    module = parse(PROGRAM)
    product = next(op for op in module.walk() if isinstance(op, arith.MulfOp))
    zero = next(op for op in module.walk() if isinstance(op, arith.ConstantOp)).result
    values: dict[SSAValue, SSAValue] = {product.lhs: zero}
    copy = copy_of(product, values)
    assert [*copy.operands] == [zero, zero]
    assert copy.location == product.location
    assert copy.properties == product.properties
    assert copy.properties is not product.properties
    assert copy.result.name_hint == "y"
    assert values[product.result] is copy.result


def test_a_region_of_several_blocks_is_copied():
    first, second = Block(arg_types=[i64]), Block(arg_types=[i64])
    function = func.FuncOp("f", ((i64,), (i64,)))
    function.body.detach_block(0)
    function.body.add_block(first)
    function.body.add_block(second)
    second.add_op(func.ReturnOp(second.args[0]))
    copy = copy_of(function)
    assert copy.is_structurally_equivalent(function)


@pytest.mark.one_turn
def test_a_discarded_body_leaves_nothing_to_collect():
    module = parse(PROGRAM)
    function = next(op for op in module.ops if isinstance(op, func.FuncOp) and op.body.blocks)
    gone = [weakref.ref(op) for op in function.walk() if op is not function]
    gc.collect()
    gc.disable()
    try:
        discard(function.body, function.body.block)
        assert function.is_declaration
        assert not any(each() for each in gone)
    finally:
        gc.enable()
