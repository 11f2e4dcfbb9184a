"""Checkpoints: a derivative saves the first values of chunks of a loop, and runs them again."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import UnitAttr, f64, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.dialects import phi
from ein_mlir.rewriting.phi.derivatives.scalars import width
from ein_mlir.rewriting.phi.insertion import Builder, Inserter
from ein_mlir.rewriting.phi.step_blocks import blocks_of, number_of_blocks

LOOP, CHUNK = "checkpointed", "recomputed"
"""The marks of loops over chunks, and of loops that derivatives compute again."""


def recompute(op: Operation) -> None:
    """Let a derivative compute a loop again, as a chunk of one."""
    op.attributes[CHUNK] = UnitAttr()


def is_recomputed(op: Operation) -> bool:
    """Whether an operation is a loop that its derivative computes again, such as a chunk of one."""
    return CHUNK in op.attributes


def is_in_chunks(op: phi.FoldOp) -> bool:
    """Whether a loop is one over chunks, or a chunk."""
    return LOOP in op.attributes or is_recomputed(op)


def in_chunks(op: phi.FoldOp, length: SSAValue) -> phi.FoldOp:
    """``fold (k < n, x = a) { e }  -->  fold (b < ceil(n / c), x = a) { chunk b }``

    where chunk ``b`` is ``fold (k < min(c, n - b * c), x = x) { e[k := b * c + k] }``.
    """
    build = Builder.before(op)
    loop, chunk = blocks_of(op, length, number_of_blocks(build, op, length))
    recompute(chunk)
    loop.attributes[LOOP] = UnitAttr()
    loop.location = op.location
    Rewriter.replace_op(op, loop)
    return loop


def chunk_length(
    build: Inserter,
    count: SSAValue,
    saved: Sequence[tuple[Attribute, Sequence[SSAValue]]],
    bound: int,
) -> SSAValue:
    """All steps if the values that each saves take no more bytes than a bound, else sqrt(n).

    ``saved`` has the scalar types and the sizes of these values.
    """
    one = build.integer(1)
    steps = build.max(count, one)
    number = build.emit(arith.SIToFPOp(steps, f64))
    root = build.emit(math.CeilOp(build.emit(math.SqrtOp(number))))
    length = build.emit(arith.FPToSIOp(root, i64))
    room = build.number(float(bound), f64)
    total = build.number(0.0, f64)
    for scalar, sizes in saved:
        product = build.number(float(max(width(scalar), 8) // 8), f64)
        for size in (steps, *sizes):
            factor = build.emit(arith.SIToFPOp(size, f64))
            product = build.mul(product, factor)
        total = build.add(total, product)
    return build.select(build.compare(total, "ole", room), steps, length)
