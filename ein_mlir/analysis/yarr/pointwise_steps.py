"""Which loops work on each element of their accumulators by itself, and may be unrolled.

A library that compiles programs makes one pass over memory of operations on elements that follow
each other. A loop stands between its steps: each reads and writes all accumulators. Where a step
reads elements of accumulators only where it writes them, steps that are written out become one
pass over memory. Other steps, such as those of a stencil, would compute what they share again and
again.

Of a longer loop some steps may become one. That pays where accumulators are large: XLA lets threads
share what computes more than it reads and writes, which one step does not, and several together do.
Accumulators must not depend on each other. The passes over memory are one for each accumulator, and
would repeat each other's steps.
"""

from __future__ import annotations

from xdsl.dialects import arith, math
from xdsl.ir import Operation, SSAValue

from ein_mlir.dialects import yarr

MOST_STEPS = 64
"""How many steps are written out at most: compiling takes time for each."""

MOST_OPERATIONS = 1000
"""How many scalar operations the steps may have together."""

STEPS_TOGETHER = 8
"""How many steps of a longer loop may become one."""

LEAST_WORK = 2**17
"""How much work one step is at least where several become one, as the time of so many additions.

With less, threads wait for each other as long as they work.
"""

WORK_OF_A_FUNCTION = 50
"""What a transcendental function of one element is counted as, in additions."""

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
"""The functions that take much longer than an addition."""

FUSED = (
    arith.ConstantOp,
    yarr.ElementwiseOp,
    yarr.FillEmptyOp,
    yarr.RangeOp,
    yarr.RepeatOp,
    yarr.SizeOp,
    yarr.SqueezeOp,
    yarr.TakeOp,
    yarr.TransposeOp,
    yarr.UnsqueezeOp,
    yarr.YieldOp,
)
"""What XLA makes part of the pass over memory, so that no step leaves an array of its own.

A take is where its position is a number.
"""


def most_steps_written_out(op: yarr.FoldOp) -> int:
    """Up to how many steps a loop is written out; 0 where it stays a loop, however short."""
    if not is_pointwise(op):
        return 0
    return min(MOST_STEPS, MOST_OPERATIONS // max(1, _count(op)))


def fewest_elements_of_steps_together(op: yarr.FoldOp) -> int | None:
    """How many elements the largest accumulator has at least where several steps become one.

    None where they never do.
    """
    if most_steps_written_out(op) < STEPS_TOGETHER or not (_is_fused(op) and _are_apart(op)):
        return None
    if not any(yarr.rank_of(accumulator) for accumulator in op.accumulators):
        return None
    return -(-LEAST_WORK // _work(op))


def _is_fused(op: yarr.FoldOp) -> bool:
    """Whether steps that become one are one pass over memory for each accumulator."""
    return all(
        isinstance(inner, FUSED)
        and not (isinstance(inner, yarr.TakeOp) and yarr.rank_of(inner.position))
        for inner in op.body.block.ops
    )


def _are_apart(op: yarr.FoldOp) -> bool:
    """Whether what each accumulator becomes depends on no other accumulator."""
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
    """Whether each element that a step yields depends on accumulators only where it stands itself.

    A loop in a loop is not written out.
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
    """The operations of a body that compute something, those of its scalar functions one by one."""
    return sum(
        not isinstance(inner, yarr.YieldOp | yarr.ElementwiseOp | arith.ConstantOp)
        for inner in op.body.walk()
    )
