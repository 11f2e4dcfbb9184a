"""Checkpoints: a derivative saves the first values of chunks of a loop, and runs them again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.builder import Builder
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import UnitAttr, f64, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.dialects import phi
from ein_mlir.rewriting.phi.builders import Inserter, integer
from ein_mlir.rewriting.phi.derivatives.scalars import constant, width

_LOOP, _CHUNK = "checkpointed", "recomputed"


def is_recomputed(op: Operation) -> bool:
    """Whether an operation is a chunk of a loop, which its derivative computes again."""
    return _CHUNK in op.attributes


def is_in_chunks(op: phi.FoldOp) -> bool:
    """Whether a loop is one over chunks, or a chunk."""
    return _LOOP in op.attributes or is_recomputed(op)


def forget_chunks(ops: Iterable[Operation]) -> None:
    """Remove the marks of chunks."""
    for op in ops:
        op.attributes.pop(_LOOP, None)
        op.attributes.pop(_CHUNK, None)


def in_chunks(op: phi.FoldOp, length: SSAValue) -> phi.FoldOp:
    """``fold (k < n, x = a) { e }  -->  fold (b < ceil(n / c), x = a) { chunk b }``

    where chunk ``b`` is ``fold (k < min(c, n - b * c), x = x) { e[k := b * c + k] }``.
    """
    build = Builder(InsertPoint.before(op))
    rest = build.insert(arith.SubiOp(length, integer(build, 1))).result
    total = build.insert(arith.AddiOp(op.count, rest)).result
    chunks = build.insert(arith.FloorDivSIOp(total, length)).result
    outer = Block(arg_types=[i64, op.init.type])
    inner = Builder(InsertPoint.at_end(outer))
    first = inner.insert(arith.MuliOp(outer.args[0], length)).result
    left = inner.insert(arith.SubiOp(op.count, first)).result
    body = op.body.clone()
    at_start = Builder(InsertPoint.at_start(body.block))
    step = arith.AddiOp(first, body.block.args[0])
    body.block.args[0].replace_all_uses_with(step.result)
    step.operands[1] = body.block.args[0]
    at_start.insert(step)
    count = inner.insert(arith.MinSIOp(left, length)).result
    chunk = inner.insert(phi.FoldOp(count, outer.args[1], body))
    chunk.attributes[_CHUNK] = UnitAttr()
    chunk.location = op.location
    inner.insert(phi.YieldOp(chunk.result))
    loop = phi.FoldOp(chunks, op.init, Region(outer))
    loop.attributes[_LOOP] = UnitAttr()
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
    one = integer(build, 1)
    steps = build.insert(arith.MaxSIOp(count, one)).result
    number = build.insert(arith.SIToFPOp(steps, f64)).result
    root = build.insert(math.CeilOp(build.insert(math.SqrtOp(number)).result)).result
    length = build.insert(arith.FPToSIOp(root, i64)).result
    room = build.insert(constant(float(bound), f64)).result
    total = build.insert(constant(0.0, f64)).result
    for scalar, sizes in saved:
        product = build.insert(constant(float(max(width(scalar), 8) // 8), f64)).result
        for size in (steps, *sizes):
            factor = build.insert(arith.SIToFPOp(size, f64)).result
            product = build.insert(arith.MulfOp(product, factor)).result
        total = build.insert(arith.AddfOp(total, product)).result
    fits = build.insert(arith.CmpfOp(total, room, "ole")).result
    return build.insert(arith.SelectOp(fits, steps, length)).result
