"""Pointwise loops: they work on each element of their accumulators independently.

A library that compiles programs fuses successive elementwise operations into one pass over memory.
A loop prevents this between its steps: each reads and writes all accumulators. If a step reads
accumulators only at the positions that it writes, unrolled steps become one pass over memory.
Unrolled steps of another kind, such as those of a stencil, would repeat shared computations.

Small accumulators stay in the cache. A loop over them takes as long as its unrolled steps, or less,
and a fraction of the time to compile, unless its steps have few operations. Unrolled steps with a
reduction, which has a pass over memory of its own in each of them, take longer than the loop.

Some steps of a longer loop may be fused into one: a loop takes time for each of its own. More are
profitable if accumulators are large: XLA runs a computation in several threads if it computes more
than it reads and writes, which one step does not and several fused steps do. Accumulators must not
depend on each other: there is one pass over memory for each accumulator, and these passes would
repeat each other's steps.
"""

from __future__ import annotations

from collections import defaultdict
from functools import reduce

from xdsl.dialects import arith, math
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.scopes import is_within, operands_within, operations_in
from ein_mlir.dialects import yarr

MOST_STEPS = 64
"""The most unrolled steps: each adds to the compile time."""

MOST_OPERATIONS = 1000
"""The most scalar operations of all unrolled steps, counted for each accumulator."""

FEW_OPERATIONS = 200
"""The same for small accumulators."""

STEPS_TOGETHER = 8
"""The number of steps of a longer loop that are fused into one."""

LEAST_WORK = 2**17
"""The least work of a step that makes fusion of steps profitable, in additions.

With less work, threads wait for each other as long as they work.
"""

WORK_OF_A_FUNCTION = 50
"""The work of a transcendental function of one element, in additions."""

TRANSCENDENTAL: tuple[type[Operation], ...] = (
    math.AcosOp,
    math.AcoshOp,
    math.AsinOp,
    math.AsinhOp,
    math.AtanOp,
    math.Atan2Op,
    math.AtanhOp,
    math.CbrtOp,
    math.CosOp,
    math.CoshOp,
    math.ErfOp,
    math.ExpOp,
    math.Exp2Op,
    math.ExpM1Op,
    math.LogOp,
    math.Log10Op,
    math.Log1pOp,
    math.Log2Op,
    math.PowFOp,
    math.SinOp,
    math.SinhOp,
    math.TanOp,
    math.TanhOp,
)
"""The functions that are much slower than an addition."""

VECTORISED: tuple[type[Operation], ...] = (
    math.ExpOp,
    math.Exp2Op,
    math.ExpM1Op,
    math.LogOp,
    math.Log10Op,
    math.Log1pOp,
    math.Log2Op,
    math.PowFOp,
)
"""The functions that XLA computes with vector instructions. Several in one pass over memory, each
of the result of another, take two to nine times as long as in a loop.
"""

FUSED = (
    arith.ConstantOp,
    yarr.ElementwiseOp,
    yarr.FillEmptyOp,
    yarr.RangeOp,
    yarr.RepeatOp,
    yarr.SizeOp,
    yarr.SliceOp,
    yarr.SqueezeOp,
    yarr.TakeOp,
    yarr.TransposeOp,
    yarr.UnsqueezeOp,
    yarr.YieldOp,
)
"""The operations that XLA fuses into the pass over memory, without a temporary array.

A take is one of them if its position is a number, and a slice if it does not clip, or is a window
of a vector that is the same in each step: the vector is extended before the loop.
"""


WITH_OWN_PASSES = (
    yarr.AccumulateOp,
    yarr.ArgreduceOp,
    yarr.ArgsortOp,
    yarr.CorrelateOp,
    yarr.EinsumOp,
    yarr.ExternOp,
    yarr.InOrderOp,
    yarr.ReduceOp,
    yarr.ScanOp,
    yarr.SearchsortedOp,
    yarr.SortOp,
    yarr.TopKOp,
    yarr.WeightedScanOp,
)
"""The operations that XLA does not fuse into the pass over memory."""


def most_steps_written_out(op: yarr.FoldOp) -> int:
    """The largest trip count for which a loop is unrolled; 0 if it is never unrolled."""
    if not is_pointwise(op) or _chains_functions(op):
        return 0
    return min(MOST_STEPS, MOST_OPERATIONS // max(1, _count(op)))


def most_small_steps_written_out(op: yarr.FoldOp, most: int) -> int:
    """The same where all accumulators are small, given that of others."""
    if not most or any(isinstance(inner, WITH_OWN_PASSES) for inner in op.body.block.ops):
        return 0
    return min(most, FEW_OPERATIONS // max(1, _count(op)))


def fewest_elements_of_steps_together(op: yarr.FoldOp, most: int) -> int | None:
    """The least size of the largest accumulator, in elements, for which steps are fused.

    None if they are never fused; ``most`` steps may be unrolled.
    """
    if most < STEPS_TOGETHER or not (_is_fused(op) and _are_apart(op)):
        return None
    if not has_arrays(op):
        return None
    return -(-LEAST_WORK // _work(op))


def _chains_functions(op: yarr.FoldOp) -> bool:
    """Whether a step computes such functions of what a step before has computed."""
    dependent = set[SSAValue](op.accumulators)
    for each in op.body.block.ops:
        if isinstance(each, yarr.ElementwiseOp):
            pairs = zip(each.body.block.args, each.arguments, strict=True)
            dependent.update(argument for argument, value in pairs if value in dependent)
            for inner in each.body.block.ops:
                if not dependent.isdisjoint(inner.operands):
                    dependent.update(inner.results)
                    if isinstance(inner, VECTORISED):
                        return True
        if not dependent.isdisjoint(each.operands):
            dependent.update(each.results)
    return False


def has_arrays(op: yarr.FoldOp) -> bool:
    """Whether an accumulator is no scalar."""
    return any(map(yarr.rank_of, op.accumulators))


def _is_fused(op: yarr.FoldOp) -> bool:
    """Whether fused steps are one pass over memory for each accumulator."""
    return all(
        isinstance(inner, FUSED)
        and not (isinstance(inner, yarr.TakeOp) and yarr.rank_of(inner.position))
        and (not isinstance(inner, yarr.SliceOp) or inner.clip is None or _is_window(inner, op))
        for inner in op.body.block.ops
    )


def _is_window(op: yarr.SliceOp, loop: yarr.FoldOp) -> bool:
    """Whether a slice is one of neighbours in a vector from outside of a loop."""
    return op.step.value.data == yarr.rank_of(op.array) == 1 and not is_within(op.array, loop)


def _are_apart(op: yarr.FoldOp) -> bool:
    """Whether the next value of each accumulator depends on no other accumulator."""
    origins: dict[SSAValue, set[SSAValue]] = {each: {each} for each in op.accumulators}
    terminator = op.body.block.last_op
    assert isinstance(terminator, yarr.YieldOp)
    for inner in op.body.block.ops:
        if not isinstance(inner, yarr.SizeOp | yarr.YieldOp):
            reached = set[SSAValue]().union(*(origins.get(v, ()) for v in inner.operands))
            origins.update((result, reached) for result in inner.results if reached)
    steps = zip(terminator.values, op.accumulators, strict=True)
    return all(origins.get(value, set()) <= {accumulator} for value, accumulator in steps)


def _work(op: yarr.FoldOp) -> int:
    """The work of one step on one element, in additions; at least 1."""
    return max(
        1,
        sum(
            WORK_OF_A_FUNCTION if isinstance(inner, TRANSCENDENTAL) else 1
            for each in op.body.block.ops
            if isinstance(each, yarr.ElementwiseOp) and yarr.DYNAMIC in yarr.shape_of(each.result)
            for inner in each.body.block.ops
            if not isinstance(inner, yarr.YieldOp | arith.ConstantOp)
        ),
    )


def is_pointwise(op: yarr.FoldOp) -> bool:
    """Whether each yielded element depends on accumulators only at its own position.

    A loop with an inner loop is not unrolled.
    """
    dependent: set[SSAValue] = set(op.accumulators)
    for inner in op.body.block.ops:
        if isinstance(inner, yarr.FoldOp | yarr.TreeReduceOp):
            return False
        if isinstance(inner, yarr.YieldOp | yarr.SizeOp) or dependent.isdisjoint(inner.operands):
            continue
        if not isinstance(inner, yarr.ElementwiseOp):
            return False
        dependent.add(inner.result)
    return True


def _count(op: yarr.FoldOp) -> int:
    """The number of operations of a body, with those of its scalar functions.

    Each accumulator has a pass over memory, which repeats the values that it shares with others.
    """
    terminator = op.body.block.last_op
    assert isinstance(terminator, yarr.YieldOp)
    users = defaultdict[SSAValue, int](int)  # the accumulators that need a value, as bits
    for number, value in enumerate(terminator.values):
        users[value] |= 1 << number
    total = 0
    for each in reversed(list(op.body.block.ops)[:-1]):
        needed = reduce(int.__or__, (users[result] for result in each.results), 0)
        if needed:
            for value in operands_within(each):
                users[value] |= needed
            total += needed.bit_count() * sum(map(_is_counted, operations_in(each)))
    return total


def _is_counted(op: Operation) -> bool:
    return not isinstance(op, yarr.YieldOp | yarr.ElementwiseOp | arith.ConstantOp)
