"""Functions that LLVM generates code for without optimising them.

Passes over code that runs once in a call take much longer than that. So do those over a loop whose
steps call the functions of other loops, such as the steps of a simulation::

    ^bb3(%step : i64, %grid : !llvm.ptr):
      ..
      %code = llvm.call @ein_parallel(%call, %loop, %context, %one, %threads)
      ..
      llvm.br ^bb3(%next, %written)
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import llvm
from xdsl.dialects.builtin import ArrayAttr, StringAttr, UnitAttr
from xdsl.ir import Block, Region

from ein_mlir.backends.native import abi
from ein_mlir.passes.conversions.convert_loops_to_llvm.conversion import LOOP_PREFIX

_LONG = (abi.PARALLEL, abi.PARALLEL_LATE, abi.MULTIPLY, abi.EXTERN)
"""What takes longer than the code around a call of it, besides the functions of loops."""


def leave_as_written(function: llvm.FuncOp) -> None:
    """Have LLVM generate code for a function without optimising it."""
    function.properties["no_inline"] = UnitAttr()
    function.properties["passthrough"] = ArrayAttr([StringAttr("optnone")])


def is_worth_passes(body: Region) -> bool:
    """Whether a function has a loop that may make a step without a call of another loop.

    Blocks are in the order of their execution. That does not hold for the block that all errors
    branch to, which only returns.
    """
    numbers = {block: number for number, block in enumerate(body.blocks)}
    long = {block for block in numbers if _calls_a_loop(block)}
    for latch, number in numbers.items():
        for header in _next(latch):
            if numbers[header] <= number and any(_next(header)):
                if _avoids(long, header, latch, numbers):
                    return True
                long.add(header)
    return False


def _avoids(long: set[Block], header: Block, latch: Block, numbers: dict[Block, int]) -> bool:
    """Whether a way from the start of a step to its end leads through none of some blocks."""
    found, last = {header} - long, numbers[latch]
    queue = list(found)
    while queue:
        block = queue.pop()
        if block is latch:
            return True
        new = {
            each
            for each in _next(block)
            if numbers[header] < numbers[each] <= last and each not in long
        } - found
        found |= new
        queue += new
    return False


def _next(block: Block) -> Iterator[Block]:
    """The blocks that a block branches to."""
    if block.last_op is not None:
        yield from block.last_op.successors


def _calls_a_loop(block: Block) -> bool:
    for op in block.ops:
        if isinstance(op, llvm.CallOp) and op.callee is not None:
            name = op.callee.root_reference.data
            if name in _LONG or name.startswith(LOOP_PREFIX):
                return True
    return False
