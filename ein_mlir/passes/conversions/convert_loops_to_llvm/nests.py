"""Loops inside each other, as blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import i64
from xdsl.ir import Block, Operation, Region, SSAValue

from ein_mlir.analysis.scopes import operations_in
from ein_mlir.passes.conversions.convert_loops_to_llvm.build import known_integer
from ein_mlir.passes.conversions.convert_loops_to_llvm.conversion import Conversion


def add_block(c: Conversion, block: Block) -> None:
    """Add a block after those of a body, and go on there."""
    region = c.build.entry.parent
    assert region is not None
    region.add_block(block)
    c.build.block = block


def loops(
    c: Conversion,
    bounds: Sequence[tuple[SSAValue, SSAValue, SSAValue]],
    body: Callable[[Sequence[SSAValue]], None],
    *,
    short_body: bool = True,
    few_steps: bool = False,
) -> None:
    """Loops inside each other, with their bounds and steps; the last one may have few of these.

    A loop is unrolled only if all loops inside of it have a known number of steps: in others, all
    time is in the loops inside, of which each copy is compiled.
    """
    if not bounds:
        body(())
        return
    (lower, upper, step), *rest = bounds
    build = c.build
    head, inside, after = build.new_block([i64]), build.new_block(), Block()
    build.branch(head, (lower,))
    build.block = head
    position = head.args[0]
    build.branch_if(build.compare("slt", position, upper), inside, (), after, ())
    build.block = inside
    known = [known_integer(bound) is not None for each in rest for bound in each]
    with build.scope():
        loops(
            c,
            rest,
            lambda indices: body((position, *indices)),
            short_body=short_body,
            few_steps=few_steps,
        )
        build.repeat(
            head,
            (build.sum(position, step),),
            unroll=short_body and all(known),
            few_steps=few_steps and not rest,
        )
    add_block(c, after)


def is_short(body: Region) -> bool:
    """Whether all loops in a body have a known number of steps."""
    return all(_has_known_steps(each) for op in body.block.ops for each in operations_in(op))


def _has_known_steps(op: Operation) -> bool:
    cls = type(op)
    if cls is scf.ForOp or cls is scf.ParallelOp:
        bounds = op.operands[: len(op.operands) - len(op.results)]
        return all(type(bound.owner) is arith.ConstantOp for bound in bounds)
    return cls is not scf.WhileOp


def nest(
    c: Conversion, sizes: Sequence[SSAValue], body: Callable[[Sequence[SSAValue]], None]
) -> None:
    """Loops over all positions of an array."""
    zero, one = c.build.integer(0), c.build.integer(1)
    loops(c, [(zero, size, one) for size in sizes], body)
