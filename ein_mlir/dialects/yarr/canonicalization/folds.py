"""Laws of loops: unused accumulators and loop-invariant ones."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from ein_mlir.analysis.effects import is_kept, is_pure
from ein_mlir.analysis.scopes import operands_within
from ein_mlir.dialects.yarr import operations as yarr
from ein_mlir.dialects.yarr.constants import constant_value
from ein_mlir.dialects.yarr.integers import is_size


class FoldZeroTimes(RewritePattern):
    """``fold (k < 0, a = x) { ... } --> x``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.FoldOp, rewriter: PatternRewriter) -> None:
        if constant_value(op.count) == 0:
            rewriter.replace(op, (), op.inits)


class InvariantAccumulator(RewritePattern):
    """``fold (k < n, a = x) { yield a } --> x`` if ``n`` is provably non-negative

    Inside the body the accumulator is the initial value for every number of steps.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.FoldOp, rewriter: PatternRewriter) -> None:
        carried = zip(op.accumulators, op.inits, yielded(op), op.res, strict=True)
        invariant = [each for each in carried if each[2] in each[:2]]
        counted = bool(invariant) and is_size(op.count)
        for accumulator, init, _, result in invariant:
            rewriter.replace_all_uses_with(accumulator, init)
            if counted:
                rewriter.replace_all_uses_with(result, init)


class UnusedAccumulator(RewritePattern):
    """``fold (k < n, a = x, b = y) --> fold (k < n, a = x)`` if only ``b`` itself needs ``b``

    The operands of an assertion in the body are needed, and so is the condition of a while loop.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.FoldOp | yarr.WhileOp, rewriter: PatternRewriter) -> None:
        if all(result.first_use is not None for result in op.res):
            return
        needed = needed_accumulators(op)
        if len(needed) == len(op.res):
            return
        terminator = op.body.block.last_op
        assert isinstance(terminator, yarr.YieldOp)
        rewriter.replace(terminator, yarr.YieldOp(*(terminator.values[d] for d in needed)))
        # Only dead code, which is removed, still uses the other accumulators.
        for d in reversed(range(len(op.res))):
            if d not in needed:
                rewriter.replace_all_uses_with(op.accumulators[d], op.inits[d])
                rewriter.erase_block_argument(op.accumulators[d])
        loop = type(op)(
            op.count,
            [op.inits[d] for d in needed],
            rewriter.move_region_contents_to_new_regions(op.body),
        )
        results = dict(zip(needed, loop.res, strict=True))
        rewriter.replace(op, loop, [results.get(d) for d in range(len(op.res))])


def yielded(op: yarr.FoldOp | yarr.WhileOp) -> Sequence[SSAValue]:
    """The next values of the accumulators."""
    terminator = op.body.block.last_op
    assert isinstance(terminator, yarr.YieldOp)
    return terminator.values


def needed_accumulators(op: yarr.FoldOp | yarr.WhileOp) -> list[int]:
    """The accumulators whose result is used, or that a needed value in the body depends on.

    The first one of a while loop is its condition.
    """
    number: dict[SSAValue, int] = {value: d for d, value in enumerate(op.accumulators)}
    next_ = yielded(op)
    needed = {d for d, result in enumerate(op.res) if result.first_use is not None}
    if isinstance(op, yarr.WhileOp):
        needed.add(0)
    pending = [next_[d] for d in needed]
    for inner in op.body.block.ops:
        if not isinstance(inner, yarr.YieldOp) and (is_kept(type(inner)) or not is_pure(inner)):
            pending.extend(operands_within(inner))
    seen = set[Operation]()
    while pending:
        value = pending.pop()
        if (d := number.get(value)) is not None and d not in needed:
            needed.add(d)
            pending.append(next_[d])
        inner = value.owner
        if isinstance(inner, Operation) and inner not in seen and op.is_ancestor(inner):
            seen.add(inner)
            pending.extend(operands_within(inner))
    return sorted(needed)
