"""``interchange-loops``: reductions run for a block of neighbouring results at once.

- `rows`: the operations of a body at all positions of a block
- `tiles`: blocks of several rows, whose innermost loops take several steps at a time
- `together`: sums along rows, for several rows in one loop
- `wide_buffers`: the buffers of a body, for all results of a block
- `ordered`: the parallel loops of a body, whose steps a block takes in order
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from xdsl.builder import Builder
from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import FixedBitwidthType, IntegerAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.loops.distant_elements import admits_distance, functions_of_states
from ein_mlir.analysis.loops.idle_steps import idle_conditions
from ein_mlir.analysis.loops.neighbours import (
    Buffer,
    has_scalar_loops,
    has_uniform_loops,
    loads_in_loops,
    near_axis,
    own_buffers,
    varying,
)
from ein_mlir.analysis.loops.rare_steps import has_rare_steps
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.predicates import conjoined, predicate_of
from ein_mlir.analysis.scopes import around, is_within, operations_in, operations_of
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.loops.interchange_loops.ordered import in_order
from ein_mlir.passes.loops.interchange_loops.rows import INDEX, RowBlock
from ein_mlir.passes.loops.interchange_loops.tiles import Tile, is_one, is_zero, shifted
from ein_mlir.passes.loops.interchange_loops.together import are_summed_alike, sum_together
from ein_mlir.passes.loops.interchange_loops.wide_buffers import side_by_side
from ein_mlir.rewriting.passes import FunctionPass

BLOCK = 128
"""The results of a block: its buffers stay in the nearest cache."""

WIDER = ((8, 8), (4, 4))
"""How many wider blocks there are at least, and how many times as wide they are at most, if no row
shares what their loops read: memory is read faster in longer pieces.
"""

LANES = 16
"""The size of a wider block is a multiple of it, so that vectors are whole."""

MOST_CARRIED = 4
"""The most values that the loops of a wider block carry: their buffers stay in a near cache."""

LEAST_BYTES = 512
"""A block of shorter elements has more results: rows of a few lines of a cache are read slowly."""

WITH_BUFFERS = 32
"""The results of a block whose body has buffers of its own: these stay in a cache."""

FEWEST, FEWEST_ALONE = 4, 8
"""Rows with fewer results stay as they are: a block needs enough lanes, and one row alone more."""

FEWEST_IN_ORDER = 16
"""The same for bodies with parallel loops, which have vectors of their own."""

ROWS = 4
"""The rows of a block: they share the loads that do not vary with the row."""

MOST_OPERATIONS_OF_ROWS = 12
"""The most operations of a step that is unrolled for several rows."""


# Profitability -----------------------------------------------------------------------------------


def is_profitable(op: scf.ParallelOp, vary: set[SSAValue]) -> bool:
    """Whether all loads in the loops of a body are of neighbours, or the same, for a block, and
    stores are to neighbours, or functions take more time; and there may be enough results.
    """
    results = known_int(op.upperBound[-1])
    if results is not None and results < _fewest(op):
        return False
    return (
        has_uniform_loops(op, vary)
        and admits_distance(op, vary)
        and not any(_is_for_few(each, vary) for each in op.walk() if isinstance(each, scf.ForOp))
    )


def _fewest(op: scf.ParallelOp) -> int:
    """The fewest results of a row in a block."""
    return FEWEST if len(op.lowerBound) > 1 else FEWEST_ALONE


def _is_for_few(op: scf.ForOp, vary: set[SSAValue]) -> bool:
    """Whether a loop changes something for few results: those that are equal to a number."""

    def is_equality(condition: SSAValue) -> bool:
        test = condition.owner
        is_outer = condition in vary and not is_within(condition, op)
        return is_outer and isinstance(test, arith.CmpiOp) and predicate_of(test) == "eq"

    return any(not idle for _, idle in idle_conditions(op, is_equality))


# Rewriting --------------------------------------------------------------------------------------


@dataclass
class _Context:
    """A parallel loop that is interchanged, and constants before it."""

    op: scf.ParallelOp
    vary: set[SSAValue]
    zero: SSAValue
    one: SSAValue
    width: int
    """The most results of a block."""
    size: SSAValue
    """The same, as a value."""

    def parallel(
        self, lower: SSAValue | None, upper: SSAValue | None, step: SSAValue | None, count: int
    ) -> scf.ParallelOp:
        """The loop over blocks, with other bounds of the last but one index, for some rows."""
        op = self.op
        body = Block(arg_types=[INDEX] * len(op.body.block.args))
        build = Builder(InsertPoint.at_end(body))
        left = build.insert(arith.SubiOp(op.upperBound[-1], body.args[-1])).result
        width = build.insert(arith.MinSIOp(left, self.size)).result
        assert isinstance(width.owner, Operation)
        allocas = Builder(InsertPoint.before(width.owner))
        Tile([self._row(body, build, width, allocas, row) for row in range(count)]).body(
            op.body.block.ops, build
        )
        body.add_op(scf.ReduceOp())
        lowers, uppers = list(op.lowerBound), list(op.upperBound)
        steps = [*list(op.step)[:-1], self.size]
        if lower is not None and upper is not None and step is not None:
            lowers[-2], uppers[-2], steps[-2] = lower, upper, step
        return scf.ParallelOp(lowers, uppers, steps, Region(body))

    def _row(
        self, body: Block, build: Builder, width: SSAValue, allocas: Builder, row: int
    ) -> RowBlock:
        """The state of one row."""
        op, old = self.op, self.op.body.block.args
        written = {each.memref for each in operations_of(op, memref.StoreOp)}
        own = set[SSAValue](each.memref for each in own_buffers(op, on_stack=True))
        block = RowBlock(
            body.args[-1],
            width,
            old[-1],
            self.vary,
            self.zero,
            self.one,
            allocas,
            self.width,
            written,
            own,
        )
        block.values.update(zip(old[:-1], body.args[:-1], strict=True))
        if len(old) > 1:
            block.values[old[-2]] = shifted(build, body.args[-2], row)
        return block


def _shares_rows(op: scf.ParallelOp) -> bool:
    """Whether the innermost loops of a body are short, and load elements that rows share.

    Loops of rows with steps of their own, as in ``sum(k <= i) a[i, k] * b[k, j]``, are not one.
    """
    row = op.body.block.args[-2]
    if not has_uniform_loops(op, varying(op, -2)):
        return False
    loops = [each for each in operations_in(op)[1:] if isinstance(each, scf.ForOp)]
    inner = [each for each in loops if not any(isinstance(o, scf.ForOp) for o in each.body.ops)]
    if any(len(list(each.body.block.ops)) > MOST_OPERATIONS_OF_ROWS for each in inner):
        return False
    loads = [o for each in inner for o in each.body.ops if isinstance(o, memref.LoadOp)]
    return any(row not in load.indices for load in loads)


def _width(op: scf.ParallelOp, vary: set[SSAValue]) -> int:
    """The most results of a block, by the widest element that its loops read for each or carry."""
    loads = [each for each in loads_in_loops(op) if not vary.isdisjoint(each.indices)]
    types = [each.res.type for each in loads]
    for loop in operations_in(op)[1:]:
        if isinstance(loop, scf.ForOp):
            types += [arg.type for arg in loop.body.block.args[1:]]
    return max(BLOCK, LEAST_BYTES // max(map(_bytes, types), default=1))


def _may_be_wider(op: scf.ParallelOp, vary: set[SSAValue], results: SSAValue, width: int) -> bool:
    """Whether blocks may be wider: the loops of a nest without another index read pieces of rows,
    and carry few values.
    """
    loops = [each for each in operations_in(op) if isinstance(each, scf.ForOp)]
    if len(op.lowerBound) > 1 or sum(len(each.results) for each in loops) > MOST_CARRIED:
        return False
    known, index = known_int(results), op.body.block.args[0]
    return (known is None or known > width) and any(
        len(load.indices) > 1 and near_axis(load, index, vary) is not None
        for load in loads_in_loops(op)
    )


def _wider(before: Builder, results: SSAValue, size: SSAValue, width: int) -> SSAValue:
    """The results of a wider block, if there are so many that there is work for threads."""

    def constant(number: int) -> SSAValue:
        return before.insert(arith.ConstantOp(IntegerAttr(number, INDEX))).result

    for blocks, times in WIDER:
        vectors = blocks * LANES
        rounded = before.insert(arith.AddiOp(results, constant(vectors - 1))).result
        each = before.insert(arith.DivSIOp(rounded, constant(vectors))).result
        own = before.insert(arith.MuliOp(each, constant(LANES))).result
        most = before.insert(arith.MinSIOp(own, constant(times * width))).result
        size = before.insert(arith.MaxSIOp(size, most)).result
    return size


def _bytes(type_: Attribute) -> int:
    """The bytes of an element in memory."""
    return -(-type_.bitwidth // 8) if isinstance(type_, FixedBitwidthType) else 8


def interchange(
    op: scf.ParallelOp, body: scf.ParallelOp, vary: set[SSAValue], least: int = FEWEST
) -> None:
    """Run the loops of a body for a block of the last index at once, if there are enough.

    ``body`` is the loop itself, or the one whose buffers are side by side.
    """
    before = Builder(InsertPoint.before(op))
    lower, upper, step = op.lowerBound[-1], op.upperBound[-1], op.step[-1]
    width = _width(op, vary) if body is op else WITH_BUFFERS
    least = max(least, _fewest(op))
    constants = [
        before.insert(arith.ConstantOp(IntegerAttr(number, INDEX))).result
        for number in (0, 1, width, least)
    ]
    zero, one, size, fewest = constants
    results = upper if is_zero(lower) else before.insert(arith.SubiOp(upper, lower)).result
    most = width
    if body is op and _may_be_wider(op, vary, results, width):
        most = width * max(times for _, times in WIDER)
        size = _wider(before, results, size, width)
    is_wide = None
    if not _is_wide(op, results, least):
        is_wide = before.insert(arith.CmpiOp(results, fewest, "sge")).result
    context = _Context(body, vary, zero, one, most, size)
    wide = list[Operation]()
    if len(op.lowerBound) > 1 and body is op and _shares_rows(op):
        rows, end = op.lowerBound[-2], op.upperBound[-2]
        tile = Builder(InsertPoint.before(op))
        height = tile.insert(arith.ConstantOp(IntegerAttr(ROWS, INDEX))).result
        extent = tile.insert(arith.SubiOp(end, rows)).result
        left = tile.insert(arith.RemSIOp(extent, height)).result
        middle = tile.insert(arith.SubiOp(end, left)).result
        wide.append(context.parallel(rows, middle, height, ROWS))
        wide.append(context.parallel(middle, end, op.step[-2], 1))
    else:
        wide.append(context.parallel(None, None, None, 1))
    assert is_one(step)
    if is_wide is None:
        Rewriter.replace_op(op, wide, [])
        return
    narrow = Block()
    choice = scf.IfOp(is_wide, [], Region(Block([*wide, scf.YieldOp()])), Region(narrow))
    Rewriter.insert_op(choice, InsertPoint.before(op))
    op.detach()
    narrow.add_ops([op, scf.YieldOp()])


def _interchange_with(
    op: scf.ParallelOp, body: scf.ParallelOp, buffers: Sequence[Buffer], least: int = FEWEST
) -> None:
    """The same for a body with buffers, if their sizes are the same for all results."""
    body = side_by_side(body, buffers, WITH_BUFFERS)
    vary = varying(body)
    sizes = [size for each in own_buffers(body, on_stack=True) for size in each.operands]
    is_same = not any(size in vary for size in sizes)
    if is_same and is_profitable(body, vary):
        interchange(op, body, vary, least)
    body.erase()


def _interchange_in_order(op: scf.ParallelOp) -> None:
    """The same for a body with parallel loops and functions of a state, as in a derivative."""
    body = in_order(op)
    buffers = own_buffers(body, on_stack=True)
    if functions_of_states(body, varying(body)) and has_scalar_loops(body, buffers):
        _interchange_with(op, body, buffers, FEWEST_IN_ORDER)
    body.erase()


def _is_wide(op: Operation, results: SSAValue, fewest: int) -> bool:
    """Whether an operation only runs if there are enough results, by a test around it."""
    return any(
        _is_enough(test, results, fewest)
        for inner, outer in pairwise(around(op))
        if isinstance(outer, scf.IfOp) and inner.parent_region() is outer.true_region
        for test in conjoined(outer.cond)
    )


def _is_enough(test: SSAValue, results: SSAValue, fewest: int) -> bool:
    """Whether a test says that there are enough results for a block."""
    op = test.owner
    if not isinstance(op, arith.CmpiOp) or op.lhs is not results or predicate_of(op) != "sge":
        return False
    least = known_int(op.rhs)
    return least is not None and least >= fewest


class InterchangeLoopsPass(FunctionPass):
    """Runs reductions for a block of neighbouring results at once, so that lanes are results.

    Before::

        scf.parallel (%i, %j) = (0, 0) to (%n, %m) step (1, 1) {
          %s = scf.for %k = 0 to %l step 1 iter_args(%acc = %zero) -> (f64) {
            %x = memref.load %a[%i, %k] : memref<?x?xf64>
            %y = memref.load %b[%k, %j] : memref<?x?xf64>
            ...
            scf.yield %next : f64
          }
          memref.store %s, %c[%i, %j] : memref<?x?xf64>
        }

    After, where ``%count`` is the number of results of the block::

        scf.parallel (%i, %j) = (0, 0) to (%n, %m) step (1, 128) {
          %acc = memref.alloca() : memref<128xf64>
          scf.for %p = 0 to %count step 1 { .. store %zero in %acc[%p] .. }
          scf.for %k = 0 to %l step 1 {
            %x = memref.load %a[%i, %k] : memref<?x?xf64>
            scf.for %p = 0 to %count step 1 {
              .. %b[%k, %j + %p], and the next value of %acc[%p] ..
            }
          }
          scf.for %p = 0 to %count step 1 { .. store %acc[%p] in %c[%i, %j + %p] .. }
        }

    Several steps of an innermost loop are taken at once, with the accumulators in registers. The
    order of each sum is unchanged. Where steps change nothing by a condition that is the same for
    all results, the other steps are listed, and the loop runs over the list::

        %count = scf.for %k = %start to %end step 1 iter_args(%found = 0) -> (index) {
          memref.store %k, %listed[%found]
          .. yield %found + 1 if the condition holds for %k, or %found ..
        }
        scf.for %t = 0 to %count step 1 { %k = memref.load %listed[%t] .. }

    Sums along neighbouring rows that read the same elements are one loop: see ``sum_together``.

    Rows with few results run as before, unless a test around the loop excludes them. A loop stays
    if it reads elements that are not neighbours for neighbouring results, unless functions take
    more time (``distant_elements``), or does anything but arithmetic. Loops that take no steps
    unless a test fails stay, too: their code is not worth its compilation.
    """

    name = "interchange-loops"
    looks_for = (scf.ParallelOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        for op in operations_in(function):
            if type(op) is not scf.ParallelOp or op.parent is None:
                continue
            if has_rare_steps(op):
                continue
            if any(isinstance(each, scf.ParallelOp) for each in operations_in(op)[1:]):
                _interchange_in_order(op)
                continue
            buffers = own_buffers(op)
            if not has_scalar_loops(op, buffers):
                continue
            if buffers:
                _interchange_with(op, op, buffers)
                continue
            vary = varying(op)
            if is_profitable(op, vary):
                interchange(op, op, vary)
            elif are_summed_alike(op, vary):
                sum_together(op, vary)
