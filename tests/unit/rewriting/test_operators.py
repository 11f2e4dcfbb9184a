"""Builders of operations on numbers: the type of the operands selects the operation."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import f32, i64
from xdsl.ir import Block, SSAValue

from ein_mlir.analysis.phi import selections
from ein_mlir.dialects import phi
from ein_mlir.rewriting.phi.insertion import Builder, Emitter


def _values() -> tuple[SSAValue, SSAValue, SSAValue]:
    n, x, vector = Block(arg_types=[i64, f32, phi.vec_of(f32)]).args
    return n, x, vector


def _texts(emitter: Emitter) -> list[str]:
    return [str(op).split(" = ")[1] for op in emitter.ops]


def test_numbers_take_the_type_of_the_other_operand() -> None:
    n, x, _ = _values()
    emitter = Emitter()
    emitter.add(n, 1)
    emitter.mul(2, x)
    emitter.sub(3, 1)
    assert [op.results[0].type for op in emitter.ops] == [i64, i64, f32, f32, i64, i64, i64]
    kinds = [type(op) for op in emitter.ops if not isinstance(op, arith.ConstantOp)]
    assert kinds == [arith.AddiOp, arith.MulfOp, arith.SubiOp]


def test_symbols_compare_ints_and_floats() -> None:
    n, x, _ = _values()
    emitter = Emitter()
    emitter.compare(n, "<=", 0)
    emitter.compare(x, "!=", 0.0)
    emitter.compare(x, "ugt", x)
    kinds = [type(op) for op in emitter.ops if not isinstance(op, arith.ConstantOp)]
    assert kinds == [arith.CmpiOp, arith.CmpfOp, arith.CmpfOp]
    assert "sle" in _texts(emitter)[1]
    assert "une" in _texts(emitter)[3]


def test_choices_of_no_tests_have_no_other_value() -> None:
    n, x, _ = _values()
    emitter = Emitter()
    assert emitter.chosen([], x, 0.0) is x
    assert not emitter.ops
    holds = emitter.compare(n, "<", 1)
    chosen = emitter.chosen([selections.Test(holds, False)], x, 0.0).owner
    assert isinstance(chosen, arith.SelectOp)
    assert chosen.rhs is x
    assert chosen.lhs.type == f32


def test_reductions_start_from_a_number_of_their_type() -> None:
    *_, vector = _values()
    emitter = Emitter()
    total = emitter.reduce(vector, 0.0, arith.AddfOp)
    assert isinstance(total.owner, phi.ReduceOp)
    assert total.type == f32


def test_operations_move_in_order() -> None:
    n, *_ = _values()
    first, second = Block(), Block()
    build = Builder.at_end(first)
    for _ in range(3):
        build.add(n, n)
    ops = list(first.ops)
    Builder.at_end(second).move(*ops)
    assert list(second.ops) == ops
    assert not list(first.ops)
