"""``unroll-folds``: loops of few known steps that read their counter are written out."""

from __future__ import annotations

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, Operation
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import ConstantLike

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.dialects import phi
from ein_mlir.rewriting.passes import FunctionPass

MOST_STEPS = 16
"""How many steps a loop may have to be written out."""

MOST_OPERATIONS = 1000
"""How many operations one loop may become, those of the loops in it included."""

MOST_GROWTH = 4000
"""How many operations the loops of a function may become together."""


class Unroller:
    """Writes out the loops of a function, innermost first, until it has grown enough."""

    def __init__(self) -> None:
        self._growth = MOST_GROWTH

    def block(self, block: Block) -> int | None:
        """Write out loops in a block; how many operations it has then, None if a loop is left."""
        counts = [self._operation(op) for op in list(block.ops)]
        known = [count for count in counts if count is not None]
        return sum(known) if len(known) == len(counts) else None

    def _operation(self, op: Operation) -> int | None:
        blocks = [block for region in op.regions for block in region.blocks]
        counts = [self.block(block) for block in blocks]
        known = [count for count in counts if count is not None]
        if len(known) < len(counts):
            return None
        if not isinstance(op, phi.FoldOp):
            return 1 + sum(known)
        (body,) = known
        steps = _steps(op)
        if steps is None or steps * body > min(MOST_OPERATIONS, self._growth):
            return None
        self._growth -= steps * body
        unroll(op, steps)
        return steps * body


def _steps(op: phi.FoldOp) -> int | None:
    """The number of steps of a loop, if it is known and small, and a step asks for its own."""
    count = ConstantLike.get_constant_value(op.count)
    if not isa(count, IntegerAttr) or not op.counter.uses:
        return None
    return count.value.data if 0 < count.value.data <= MOST_STEPS else None


def unroll(op: phi.FoldOp, steps: int) -> None:
    """Replace a fold by a copy of its body for each step."""
    before, value = InsertPoint.before(op), op.init
    for step in range(steps):
        body = op.body.clone().block
        yield_ = body.last_op
        assert isinstance(yield_, phi.YieldOp)
        counter = arith.ConstantOp.from_int_and_width(step, 64)
        counter.location = op.location
        Rewriter.insert_op(counter, before)
        Rewriter.inline_block(body, before, (counter.result, value))
        value = yield_.value
        Rewriter.erase_op(yield_)
    Rewriter.replace_op(op, (), (value,))


class UnrollFoldsPass(FunctionPass):
    """Writes out folds of few known steps, so that what depends on the counter is a constant.

    A position ``i + k`` is a slice then, and the shifts of a window become slices of one array.

    Before::

        %three = arith.constant 3 : i64
        %s = phi.fold (%k < %three, %acc = %x) -> f64 {
          %p = arith.addi %i, %k : i64
          %v = phi.get %a[%p] : !phi.vec<f64>[i64]
          %next = arith.maxnumf %acc, %v : f64
          phi.yield %next : f64
        }

    After::

        %0 = arith.constant 0 : i64
        %p = arith.addi %i, %0 : i64
        %v = phi.get %a[%p] : !phi.vec<f64>[i64]
        %next = arith.maxnumf %x, %v : f64
        %1 = arith.constant 1 : i64
        %p_1 = arith.addi %i, %1 : i64
        %v_1 = phi.get %a[%p_1] : !phi.vec<f64>[i64]
        %next_1 = arith.maxnumf %next, %v_1 : f64
        ...

    Inner folds go first. A fold stays where it has no known number of steps or more than
    ``MOST_STEPS``, where no step reads the counter, where a fold stays in its body, and where the
    copies would have more than ``MOST_OPERATIONS`` operations, or those of all folds together more
    than ``MOST_GROWTH``. What is a reduction or a contraction must have been raised before.
    """

    name = "unroll-folds"
    looks_for = (phi.FoldOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        Unroller().block(function.body.block)
