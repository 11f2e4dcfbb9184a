"""Uses out of scope, which xDSL's verifier lets pass."""

from collections.abc import Callable

import pytest
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, ModuleOp, StringAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from ein_mlir.analysis.dominance import check_dominance

PROGRAM = """
func.func @f(%n: i64, %x: f64) -> f64 {
  %a = phi.array (%i < %n) -> !phi.vec<f64> {
    %y = arith.addf %x, %x : f64
    phi.yield %y : f64
  }
  %z = arith.mulf %x, %x : f64
  func.return %z : f64
}
func.func @g(%w: f64) -> f64 {
  %v = arith.mulf %w, %w : f64
  func.return %v : f64
}
"""


@pytest.fixture
def module(program: Callable[[str], ModuleOp]) -> ModuleOp:
    return program(PROGRAM)


@pytest.fixture
def find(module: ModuleOp, value: Callable[[ModuleOp, str], SSAValue]) -> Callable[[str], SSAValue]:
    return lambda name: value(module, name)


def owner(value: SSAValue) -> Operation:
    assert isinstance(value.owner, Operation)
    return value.owner


def test_well_scoped(module: ModuleOp):
    check_dominance(module)


def test_values_around_a_region_are_visible_in_it(find: Callable[[str], SSAValue]):
    owner(find("y")).operands[0] = find("x")
    check_dominance(owner(find("a")).parent_op() or pytest.fail("no parent"))


def test_use_before_definition(module: ModuleOp, find: Callable[[str], SSAValue]):
    owner(find("y")).operands[1] = find("z")
    module.verify()
    with pytest.raises(VerifyException, match=r"operand 1, %z, a result of arith.mulf, is used"):
        check_dominance(module)


def test_use_of_itself(module: ModuleOp, find: Callable[[str], SSAValue]):
    owner(find("z")).operands[0] = find("z")
    with pytest.raises(VerifyException, match=r"operand 0, %z"):
        check_dominance(module)


def test_value_of_an_inner_region(module: ModuleOp, find: Callable[[str], SSAValue]):
    owner(find("z")).operands[0] = find("y")
    with pytest.raises(VerifyException, match=r"operand 0, %y, a result of arith.addf"):
        check_dominance(module)


def test_argument_of_an_inner_region(module: ModuleOp, find: Callable[[str], SSAValue]):
    owner(find("a")).operands[0] = find("i")
    with pytest.raises(VerifyException, match=r"phi.array: operand 0, %i, an argument of phi.arr"):
        check_dominance(module)


def test_value_of_another_function(module: ModuleOp, find: Callable[[str], SSAValue]):
    owner(find("v")).operands[0] = find("x")
    with pytest.raises(VerifyException, match=r"operand 0, %x, an argument of func.func"):
        check_dominance(module)


def test_says_where(module: ModuleOp, find: Callable[[str], SSAValue]):
    op = owner(find("v"))
    op.operands[0] = find("x")
    op.location = FileLineColLoc(StringAttr("p.py"), IntAttr(7), IntAttr(1))
    with pytest.raises(VerifyException, match=r"\(at p.py:7\)"):
        check_dominance(module)


def test_blocks_see_what_dominates_them(module: ModuleOp):
    """A block reached from the entry sees its values; the entry does not see the block's."""
    function = next(op for op in module.ops if isinstance(op, func.FuncOp))
    entry = function.body.block
    last = entry.last_op
    assert last is not None
    target = Block()
    function.body.add_block(target)
    last.detach()
    from xdsl.dialects import cf

    entry.add_op(cf.BranchOp(target))
    first = entry.first_op
    assert first is not None
    total = arith.AddfOp(last.operands[0], last.operands[0])
    target.add_ops([total, last])
    check_dominance(module)
    product = next(op for op in entry.ops if isinstance(op, arith.MulfOp))
    product.operands[0] = total.result
    with pytest.raises(VerifyException, match=r"operand 0"):
        check_dominance(module)
