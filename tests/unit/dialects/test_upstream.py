"""xDSL's operations after they were prepared: recognised and read as before."""

from __future__ import annotations

import subprocess
import sys

import pytest
from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import IndexType, f64, i64
from xdsl.ir import Block, Region
from xdsl.irdl import IRDLOperation

from ein_mlir.dialects.upstream import accelerate_loaded


@pytest.fixture(autouse=True)
def accelerated() -> None:
    """The loaded dialects are prepared; twice is as good as once."""
    accelerate_loaded()
    accelerate_loaded()


def test_operands_and_results_have_their_names() -> None:
    x, y = Block(arg_types=[f64, f64]).args
    op = arith.MulfOp(x, y)
    assert (op.lhs, op.rhs) == (x, y)
    assert op.result is op.results[0]


def test_variadic_operands_and_regions_have_their_names() -> None:
    index, body = IndexType(), Block(arg_types=[IndexType(), i64])
    low, high, step, start = Block(arg_types=[index, index, index, i64]).args
    body.add_op(scf.YieldOp(body.args[1]))
    loop = scf.ForOp(low, high, step, [start], Region(body))
    assert (loop.lb, loop.ub, loop.step) == (low, high, step)
    assert tuple(loop.iter_args) == (start,)
    assert loop.body.block is body
    assert tuple(func.ReturnOp(low, high).arguments) == (low, high)


def test_operations_are_instances_of_their_classes_alone() -> None:
    op = arith.ConstantOp.from_int_and_width(1, i64)
    assert isinstance(op, arith.ConstantOp)
    assert isinstance(op, IRDLOperation)
    assert not isinstance(op, arith.AddiOp)


def test_unused_dialects_are_not_loaded() -> None:
    program = (
        "import sys; from ein_mlir.dialects.upstream import accelerate_loaded; "
        "accelerate_loaded(); print('xdsl.dialects.llvm' in sys.modules)"
    )
    command = [sys.executable, "-c", program]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"
