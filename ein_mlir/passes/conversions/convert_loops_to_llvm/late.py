"""Loops that are compiled late: when a call first has the sizes that need them.

::

    %is_wide = arith.cmpi sge, %n, %c8 : index
    scf.if %is_wide { scf.parallel .. } else { scf.parallel .. }

are versions of which a call runs one, and most programs call for no other. The loops of each branch
are a part of their own: its functions have the attribute `abi.PART`, and are run by
`abi.PARALLEL_LATE`.
"""

from __future__ import annotations

from collections.abc import Generator, Hashable, Iterable, Sequence
from contextlib import contextmanager

from xdsl.dialects import arith, func, llvm, memref, scf
from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Block, Operation, SSAValue

from ein_mlir.analysis.scopes import reached, sources
from ein_mlir.backends.native import abi
from ein_mlir.passes.conversions.convert_loops_to_llvm.conversion import Conversion


@contextmanager
def late_branch(c: Conversion, op: scf.IfOp) -> Generator[None]:
    """The loops inside are compiled late, if the sizes of a call decide whether they run."""
    before = c.part
    if before is None and c.program.is_late and c.loop is None and is_decided_by_sizes(op.cond):
        c.part = next(c.program.parts)
    try:
        yield
    finally:
        c.part = before


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
