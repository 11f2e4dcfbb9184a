"""Loops that are compiled late: when a call first has the sizes that need them.

::

    %is_wide = arith.cmpi sge, %n, %c8 : index
    scf.if %is_wide { scf.parallel .. } else { scf.parallel .. }

are versions of which a call runs one, and most programs call for no other. The loops of each branch
are a part of their own: its functions have the attribute `abi.PART`, and are run by
`abi.PARALLEL_LATE`.

In order, or in a step of a parallel loop, a loop is a function for that if sizes are so large that
a call takes no time in comparison::

    scf.parallel (%i) .. {
      %is_large = arith.cmpi sge, %work, %c32768 : index
      scf.if %is_large { scf.parallel .. }
    }

Whoever runs the outermost loop asks for the function before: threads have no interpreter.
"""

from __future__ import annotations

from collections.abc import Generator, Hashable, Iterable, Sequence
from contextlib import contextmanager

from xdsl.dialects import arith, func, llvm, memref, scf
from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Block, Operation, SSAValue

from ein_mlir.analysis.predicates import predicate_of
from ein_mlir.analysis.scopes import operations_in, reached, slice_within, sources
from ein_mlir.backends.native import abi
from ein_mlir.passes.conversions.convert_loops_to_llvm.build import known_integer
from ein_mlir.passes.conversions.convert_loops_to_llvm.conversion import Conversion
from ein_mlir.passes.conversions.convert_loops_to_llvm.nests import add_block

LARGE_SIZE = 64
"""The least size of which many calls have none."""
LARGE_STEP = 256
"""The least size, or amount of work, beside which a call in a step of a loop takes no time."""


@contextmanager
def late_branch(c: Conversion, op: scf.IfOp, *, is_first: bool) -> Generator[None]:
    """The loops inside are compiled late, if the sizes of a call decide whether they run."""
    before = c.part, c.rare
    if c.part is None and c.program.is_late and is_decided_by_sizes(op.cond):
        least = _least_size(c, op.cond) if is_first else 0
        if c.loop is not None:
            is_late = least >= LARGE_STEP and _is_known_before(c, op.cond)
        else:
            is_late = least != 1 or not isinstance(op.cond.owner, arith.CmpiOp)
        if is_late:
            c.part, c.rare = next(c.program.parts), op if least >= LARGE_SIZE else None
    try:
        yield
    finally:
        c.part, c.rare = before


def is_decided_by_sizes(value: SSAValue) -> bool:
    """Whether a value is computed from sizes and numbers that are arguments of the program."""

    def operands(each: SSAValue) -> Sequence[SSAValue]:
        return () if isinstance(each.owner, memref.DimOp) else sources(each)

    return all(_is_known(each.owner) for each in reached([value], operands))


def _is_known(owner: Operation | Block) -> bool:
    """Whether a value is an argument of the program, a size, or arithmetic."""
    if isinstance(owner, Block):
        return isinstance(owner.parent_op(), func.FuncOp)
    return isinstance(owner, memref.DimOp) or owner.dialect_name() == arith.Arith.name


def _least_size(c: Conversion, condition: SSAValue) -> int:
    """The least size for which a condition holds; 0 if that is unknown."""
    match condition.owner:
        case arith.AndIOp() as op:
            return max(_least_size(c, each) for each in op.operands)
        case arith.CmpiOp() as op if predicate_of(op) in _LEAST and c.is_bound(op.rhs):
            number = known_integer(c.scalar(op.rhs))
            return 0 if number is None else number + _LEAST[predicate_of(op)]
        case _:
            return 0


_LEAST = {"sge": 0, "sgt": 1}
"""The predicates of a size and a number -> the distance of the least size from the number."""


def _is_known_before(c: Conversion, condition: SSAValue) -> bool:
    """Whether a condition in a step of an outermost loop can be computed before that."""
    return c.steps_of is not None and all(
        isinstance(each, memref.DimOp) or each.dialect_name() == arith.Arith.name
        for each in slice_within(c.steps_of, [condition])
    )


def call_late(c: Conversion, name: str, context: SSAValue) -> SSAValue:
    """The code of a call of a function that is compiled late.

    A step of a parallel loop leaves it to the caller of the loop to ask for the function.
    """
    if c.steps_of is not None:
        assert c.rare is not None
        assert c.loop is not None
        place = operations_in(c.steps_of).index(c.rare)
        c.program.asked.setdefault(c.loop, []).append((place, name))
    zero = c.build.integer(0)
    code = c.build.call(name, (c.call, context, zero, zero), i64)
    assert code is not None
    return code


def ask_for_functions(c: Conversion, op: scf.ParallelOp, loop: str) -> None:
    """Before a parallel loop, have the functions compiled that its steps call for large sizes."""
    build = c.build
    for place, name in c.program.asked.get(loop, ()):
        choice = operations_in(op)[place]
        assert isinstance(choice, scf.IfOp)
        for each in slice_within(op, [choice.cond]):
            if not c.is_bound(each.results[0]):
                c.rules[type(each)](c, each)
        asks, after = build.new_block(), Block()
        build.branch_if(c.scalar(choice.cond), asks, (), after, ())
        build.block = asks
        with build.scope():
            code = c.library(abi.ASK_LATE, (c.call, build.address_of(name)), i64)
            assert code is not None
            c.fail_unless(build.compare("eq", code, build.integer(0)), code)
            build.branch(after)
        add_block(c, after)


def part_of_shared(c: Conversion) -> Hashable:
    """What equal loops have in common that share a function.

    One inside another function is compiled with it. Others are compiled late for all or for none.
    """
    return (c.loop is None, c.part is None if c.loop is None else c.part)


def put_in_part(c: Conversion, functions: Iterable[llvm.FuncOp]) -> None:
    """Compile some functions late if the loops here are."""
    if c.part is not None:
        for function in functions:
            function.attributes[abi.PART] = IntegerAttr(c.part, i64)
