"""Uses out of scope, which xDSL's verifier lets pass."""

from collections.abc import Callable

import pytest
from xdsl.context import Context
from xdsl.dialects import arith, cf, func
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, ModuleOp, StringAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from ein_mlir.analysis.dominance import check_dominance
from ein_mlir.pipelines import register
from ein_mlir.reading import Reader

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
    with pytest.raises(VerifyException, match=r"\(at p.py:7:1\)"):
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


def chain(length: int) -> str:
    """A function whose blocks branch to a join each, which uses a value of the block before."""
    segments = "<{operandSegmentSizes = array<i32: 1, 0, 0>}>"
    blocks = [
        f"""
        %x{k} = arith.addf %x{k - 1}, %x{k - 1} : f64
        "cf.cond_br"(%c) [^then{k}, ^join{k}] {segments} : (i1) -> ()
        ^then{k}:
        "cf.br"() [^join{k}] : () -> ()
        ^join{k}:"""
        for k in range(1, length + 1)
    ]
    return f"""func.func @f(%c: i1, %x0: f64) -> f64 {{{"".join(blocks)}
        func.return %x{length} : f64
    }}"""


def test_is_linear(calls: Callable[[Callable[[], None]], int]):
    """Four times as many blocks are checked with four times as many calls."""
    small, large = (module_with_blocks(chain(length)) for length in (50, 200))
    assert calls(lambda: check_dominance(large)) < 5 * calls(lambda: check_dominance(small))


def test_a_branch_does_not_dominate_a_join():
    text = chain(3).replace("^then2:", "^then2: %y = arith.addf %x1, %x1 : f64")
    check_dominance(module_with_blocks(text))
    with pytest.raises(VerifyException, match=r"operand 0, %y, .*\(at f.mlir:\d+:\d+\); its"):
        check_dominance(module_with_blocks(text.replace("return %x3", "return %y")))


def test_a_loop_of_blocks():
    """The head of a loop dominates its body, the body does not dominate the head."""
    check_dominance(module_with_blocks(LOOP))
    with pytest.raises(VerifyException, match="operand 0, %y"):
        check_dominance(module_with_blocks(LOOP.replace("arith.negf %x", "arith.negf %y")))


LOOP = """
func.func @f(%c: i1, %x: f64) -> f64 {
  "cf.br"() [^head] : () -> ()
^head:
  %h = arith.negf %x : f64
  "cf.cond_br"(%c) [^body, ^end] <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1) -> ()
^body:
  %y = arith.addf %h, %h : f64
  "cf.br"() [^head] : () -> ()
^end:
  func.return %h : f64
}
"""


def module_with_blocks(text: str) -> ModuleOp:
    ctx = Context()
    ctx.load_dialect(cf.Cf)
    register(ctx)
    return Reader(ctx, text, "f.mlir").parse_module()
