"""Loops that may be long ask now and then whether their call is to stop.

::

    scf.for %i = %low to %high step %one { .. }

jumps back over a block that asks, once in so many steps as its loops inside allow::

    ask:
      %code = llvm.call @ein_ask(%call)        ; 0, or the code to return

A loop without loops inside is vectorised only without such a block. It has none if its steps are
those of an array; others are taken in parts of `STEPS`, between which they ask.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, llvm, memref, scf
from xdsl.dialects.builtin import IntegerType, i64
from xdsl.ir import Operation, Region, SSAValue

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.scopes import around, block_of
from ein_mlir.backends.native import abi
from ein_mlir.passes.conversions.convert_loops_to_llvm.build import (
    KEEPS_REGISTERS,
    POINTER,
    known_integer,
)
from ein_mlir.passes.conversions.convert_loops_to_llvm.conversion import Conversion

STEPS = (2**20, 2**10, 2**6)
"""The steps of a loop between two questions, by the number of loops inside each other in it."""

_LOOPS = (scf.ForOp, scf.ParallelOp, scf.WhileOp)
_OF_SIZES = (arith.AddiOp, arith.IndexCastOp, arith.MaxSIOp, arith.SubiOp)


def depth_of(body: Region) -> int:
    """How many loops with an unknown number of steps are inside each other in a body."""
    inside = (op for block in body.blocks for op in block.ops if op.regions)
    return max(map(_depth, inside), default=0)


def _depth(op: Operation) -> int:
    own = 0
    if isinstance(op, scf.ParallelOp):
        own = sum(known_int(bound) is None for bound in op.upperBound)
        own = own or int(not _has_known_steps(op))
    elif isinstance(op, _LOOPS):
        own = int(not _has_known_steps(op))
    return own + max((depth_of(region) for region in op.regions), default=0)


def _has_known_steps(op: scf.ForOp | scf.ParallelOp | scf.WhileOp) -> bool:
    if isinstance(op, scf.WhileOp):
        return False
    bounds = op.operands[: len(op.operands) - len(op.results)]
    return all(isinstance(bound.owner, arith.ConstantOp) for bound in bounds)


def ask_after(c: Conversion, position: SSAValue, step: SSAValue, depth: int) -> None:
    """Ask in the steps of a loop whose counter is about a multiple of a power of two.

    Modulo that power, a counter is below the distance of two steps once in so many steps.
    """
    if not c.may_stop:
        return
    build, type_ = c.build, position.type
    assert isa(type_, IntegerType)
    distance = known_integer(step) or 1
    apart = STEPS[min(depth, len(STEPS) - 1)] << (distance - 1).bit_length()
    mask = build.integer(min(apart, 2 ** (type_.width.data - 1)) - 1, type_)
    low = build.add(llvm.AndOp, (position, mask), type_)
    if distance == 1 and known_integer(step) is not None:
        due = build.compare("eq", low, build.integer(0, type_))
    else:
        due = build.compare("slt", low, step)
    ask_if(c, due)


def steps_between(c: Conversion, op: scf.WhileOp) -> SSAValue:
    """The number of steps between two questions."""
    return c.build.integer(STEPS[min(depth_of(op.after_region), len(STEPS) - 1)])


def count_down(c: Conversion, steps: SSAValue, op: scf.WhileOp) -> SSAValue:
    """The steps until the next question, after one more.

    A processor decrements and branches at once.
    """
    if not c.may_stop:
        return steps
    build = c.build
    left = build.difference(steps, build.integer(1))
    due = build.compare("eq", left, build.integer(0))
    (renewed,) = ask_if(c, due, (left,), (steps_between(c, op),))
    return renewed


def ask_if(
    c: Conversion,
    due: SSAValue,
    values: Sequence[SSAValue] = (),
    renewed: Sequence[SSAValue] = (),
) -> Sequence[SSAValue]:
    """Ask whether the call is to stop, if it is time to do so; return values, renewed if so."""
    build = c.build
    asking, after = build.new_block(), build.new_block([value.type for value in values])
    build.branch_if(due, asking, (), after, values)
    build.block = asking
    with build.scope():
        ask(c)
        build.branch(after, renewed)
    build.block = after
    return after.args


def ask(c: Conversion) -> None:
    """Return from the function if the call is to stop."""
    c.program.libraries.setdefault(abi.ASK, llvm.LLVMFunctionType([POINTER], i64))
    code = c.build.call(abi.ASK, (c.call,), i64, KEEPS_REGISTERS)
    assert code is not None
    c.fail_unless(c.build.compare("eq", code, c.build.integer(0)), code)


def is_unlimited(op: scf.ForOp) -> bool:
    """Whether a loop has as many steps as a number of the program says, not as an array has.

    The number of steps that varies with a loop around, such as that of a row, is that of an array.
    """
    return not _is_of_sizes(op.ub) and not _varies(op.ub)


def _is_of_sizes(value: SSAValue) -> bool:
    if any(isinstance(use.operation, memref.AllocOp) for use in value.uses):
        return True
    match value.owner:
        case arith.ConstantOp() | memref.DimOp():
            return True
        case arith.MinSIOp() as op:
            return _is_of_sizes(op.lhs) or _is_of_sizes(op.rhs)
        case Operation() as op if isinstance(op, _OF_SIZES):
            return all(map(_is_of_sizes, op.operands))
        case _:
            return False


def _varies(value: SSAValue) -> bool:
    """Whether a value is defined in a loop."""
    block = block_of(value)
    return block is not None and any(isinstance(x, _LOOPS) for x in around(block.parent_op()))
