"""Every operation has a derivative, or a reason why it has none."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from xdsl.dialects import arith, math
from xdsl.ir import Operation

from ein_mlir.dialects import phi, sigma
from ein_mlir.interpreters.scalars import ScalarFunctions
from ein_mlir.rewriting.phi.derivatives import linearization, transposes
from ein_mlir.rewriting.phi.derivatives.scalars import DERIVATIVES

NOTHING = {
    phi.ArgreduceOp: "positions are Ints",
    phi.ArgsortOp: "positions are Ints",
    phi.SearchsortedOp: "positions are Ints",
    phi.TopKOp: "positions are Ints",
    phi.AssertEqOp: "sizes are Ints",
    phi.SizeOp: "sizes are Ints",
    arith.CmpfOp: "the result is a Bool",
    arith.FPToSIOp: "the result is an Int",
    arith.FPToUIOp: "the result is an Int",
    arith.SIToFPOp: "the operand is an Int",
    arith.UIToFPOp: "the operand is an Int",
    arith.ConstantOp: "it has no operands",
}
EXPANDED = {
    phi.ReduceOp: "it is a fold before",
    phi.JvpOp: "inner derivatives are expanded before",
    phi.VjpOp: "inner derivatives are expanded before",
    phi.TransposeOp: "inner derivatives are expanded before",
}
LATER = {
    phi.PropagateNanOp: "split-sums makes it, after derivatives",
    phi.UpdateSliceOp: "raise-updates makes it, after derivatives",
    phi.WeightedScanOp: "raise-running-values and raise-writes make it, after derivatives",
}
WITHOUT = {
    arith.BitcastOp: "bits have no derivative",
}
LINEAR = {
    "arith.addf", "arith.subf", "arith.negf", "arith.mulf", "arith.divf", "arith.extf",
    "arith.truncf", "arith.select",
}  # fmt: skip
"""The scalar operations of linear programs."""


def scalar_operations() -> Iterator[type[Operation]]:
    """The scalar operations of the calculus: those that the interpreter runs."""
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.interpreter import Interpreter

    interpreter = Interpreter(ModuleOp([]))
    interpreter.register_implementations(ScalarFunctions())
    for op in interpreter._impls._impl_dict:
        if op.name.startswith(("arith.", "math.", "sigma.")):
            yield op


INTEGERS = {
    "addui_extended", "mului_extended", "mulsi_extended", "floordivsi", "ceildivsi", "ceildivui",
    "divsi", "divui", "remsi", "remui", "minsi", "maxsi", "minui", "maxui", "shli", "shrui",
    "shrsi",
    "ctlz", "cttz", "ctpop", "absi", "ipowi", "index_cast", "index_castui", "extsi", "extui",
    "trunci", "andi", "ori", "xori", "cmpi", "addi", "subi", "muli",
}  # fmt: skip


OPERATIONS = sorted(set(scalar_operations()), key=lambda op: op.name)


@pytest.mark.parametrize("op", OPERATIONS)
def test_every_scalar_operation_has_a_derivative_or_a_reason(op: type[Operation]) -> None:
    stated = [
        op.name in DERIVATIVES,
        op in linearization.RULES,
        op in NOTHING,
        op in WITHOUT,
        op.name.partition(".")[2] in INTEGERS,
    ]
    assert sum(stated) == 1, op.name


@pytest.mark.parametrize("op", [each for each in phi.Phi.operations if each is not phi.YieldOp])
def test_every_operation_of_phi_has_a_derivative_or_a_reason(op: type[Operation]) -> None:
    stated = [op in each for each in (linearization.RULES, NOTHING, EXPANDED, LATER, WITHOUT)]
    assert sum(stated) == 1, op.name


def test_every_linear_operation_has_a_transpose() -> None:
    """Those that rules build: of phi the operations with rules, except searches and conditions.

    The rule of an extrinsic builds a transpose.
    """
    names = {op.name for op in transposes.RULES}
    assert names >= LINEAR
    others = (phi.WhileOp, phi.ExternOp)
    structural = {op.name for op in (*linearization.RULES, phi.TransposeOp) if op not in others}
    assert structural - {"phi.tuple", "phi.proj", "phi.sort"} <= names


def test_the_table_is_of_operations() -> None:
    known = {
        op.name for dialect in (arith.Arith, math.Math, sigma.Sigma) for op in dialect.operations
    }
    assert set(DERIVATIVES) <= known
