"""Loops of long functions that are functions of their own.

::

    %s = scf.for %i = %low to %high step %one iter_args(%x = %zero) { .. %a .. }

becomes a call of a function of all its steps, which serves equal loops too and writes its results::

    llvm.func internal @loop.f.0(%call, %high, %a, %results) -> i64 { .. }

LLVM's time grows faster than a function, and it compiles several at once. Loops for large sizes are
compiled late: see `late`.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import i64
from xdsl.ir import Operation

from ein_mlir.analysis.scopes import around, operations_in
from ein_mlir.passes.conversions.convert_loops_to_llvm.conversion import Conversion, types_of
from ein_mlir.passes.conversions.convert_loops_to_llvm.late import call_late
from ein_mlir.passes.conversions.convert_loops_to_llvm.ranges import (
    Loop,
    context_of,
    function_of,
    threaded_name,
)
from ein_mlir.passes.conversions.convert_loops_to_llvm.runs import run_of
from ein_mlir.passes.conversions.convert_loops_to_llvm.slots import Slots, read_results

LONG = 600
"""The fewest operations of a function whose sequential loops are functions of their own.

From about there on, LLVM takes more than twice the time for twice the operations.
"""
LARGE = 80
"""The fewest operations around a function of a loop, and of one that is called in a loop."""
FEWEST_LOOPS = 3
"""The fewest loops of a function that is called in a loop, its own among them."""

_LOOPS = (scf.ForOp, scf.ParallelOp, scf.WhileOp)


def is_apart(c: Conversion, op: Loop) -> bool:
    """Whether a loop is a function of its own.

    A call takes no time in comparison, and there is much to compile besides the loop: LLVM compiles
    the two functions on two threads. Short functions with sequential loops stay whole.
    """
    if c.rare is not None:
        return isinstance(op, scf.WhileOp) or run_of(op) is None
    if c.size < (LARGE if isinstance(op, scf.ParallelOp) else LONG):
        return False
    own = operations_in(op)
    return len(own) <= c.size - LARGE and _is_worth_a_call(op, own) and c.left_out.isdisjoint(own)


def _is_worth_a_call(op: Loop, own: Sequence[Operation]) -> bool:
    """Whether a loop runs once in a call of the program, or is large and has loops inside."""
    if not any(isinstance(each, _LOOPS) for each in around(op.parent_op())):
        return isinstance(op, scf.WhileOp) or run_of(op) is None
    return len(own) >= LARGE and sum(isinstance(each, _LOOPS) for each in own) >= FEWEST_LOOPS


def call_apart(c: Conversion, op: Loop) -> None:
    """Convert a loop to a function of all its steps, and call it."""
    loop = function_of(c, op, 0)
    words = sum(len(types_of(result.type)) for result in op.results)
    memory = [c.build.words(words)] if words else []
    if c.rare is not None:
        code = call_late(c, threaded_name(loop), context_of(c, loop, [], memory))
    else:
        code = c.build.call(loop.name, (c.call, *loop.parts, *memory), i64)
    assert code is not None
    c.fail_unless(c.build.compare("eq", code, c.build.integer(0)), code)
    for address in memory:
        read_results(Slots(c, address), op.results)
