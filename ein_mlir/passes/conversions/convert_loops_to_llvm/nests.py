"""Loops inside each other, as blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import llvm, memref, scf
from xdsl.dialects.builtin import MemRefType, i64
from xdsl.ir import Block, SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.backends.native import abi
from ein_mlir.passes.conversions.convert_loops_to_llvm.build import known_integer
from ein_mlir.passes.conversions.convert_loops_to_llvm.conversion import Conversion
from ein_mlir.passes.conversions.convert_loops_to_llvm.interrupts import ask_after

VECTORS = 32
"""The steps of some whole vectors, of any number of lanes."""
_BITS = 512
"""The bits of the widest vectors."""


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
    depth: int = 0,
    few_steps: bool = False,
    is_costly: bool = False,
    is_masked: bool = False,
) -> None:
    """Loops inside each other, with their bounds and steps; the last one may have few of these.

    If its steps are costly, those after whole vectors are a loop of their own, with a mask.

    Loops in the body are of some depth. A loop is unrolled only if all loops inside of it have a
    known number of steps: in others, all time is in the loops inside, of which each copy is
    compiled.
    """
    if not bounds:
        body(())
        return
    (lower, upper, step), *rest = bounds
    build = c.build
    if is_costly and not rest:
        middle = end_of_vectors(c, lower, upper)
        loops(c, [(lower, middle, step)], body)
        loops(c, [(middle, upper, step)], body, is_masked=True)
        return
    head, inside, after = build.new_block([i64]), build.new_block(), Block()
    build.branch(head, (lower,))
    build.block = head
    position = head.args[0]
    build.branch_if(build.compare("slt", position, upper), inside, (), after, ())
    build.block = inside
    inside_of_it = depth + sum(any(known_integer(b) is None for b in each) for each in rest)
    with build.scope():
        loops(
            c,
            rest,
            lambda indices: body((position, *indices)),
            depth=depth,
            few_steps=few_steps,
            is_costly=is_costly,
        )
        following = build.sum(position, step)
        if inside_of_it:
            ask_after(c, following, step, inside_of_it)
        build.repeat(
            head,
            (following,),
            unroll=not inside_of_it,
            few_steps=few_steps and not rest,
            is_masked=is_masked,
        )
    add_block(c, after)


def end_of_vectors(
    c: Conversion, lower: SSAValue, upper: SSAValue, vectors: int = VECTORS
) -> SSAValue:
    """The position after the last whole vectors of a loop, by steps of one."""
    build = c.build
    steps = build.nonnegative(build.difference(upper, lower))
    return build.sum(lower, build.add(llvm.AndOp, (steps, build.integer(-vectors)), i64))


def whole_vectors(loop: scf.ForOp) -> int | None:
    """The steps of whole vectors of a loop whose other steps are a vector with a mask, if any."""
    if abi.COSTLY in loop.attributes:
        return VECTORS
    if abi.RESULTS not in loop.attributes:
        return None
    accesses = (op for op in loop.body.block.ops if isinstance(op, memref.LoadOp | memref.StoreOp))
    types = [op.memref.type for op in accesses]
    widths = [
        getattr(type_.element_type, "bitwidth", 64) for type_ in types if isa(type_, MemRefType)
    ]
    return _BITS // max(8, *widths)


def nest(
    c: Conversion, sizes: Sequence[SSAValue], body: Callable[[Sequence[SSAValue]], None]
) -> None:
    """Loops over all positions of an array."""
    zero, one = c.build.integer(0), c.build.integer(1)
    loops(c, [(zero, size, one) for size in sizes], body)
