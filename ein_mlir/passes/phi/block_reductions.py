"""``block-reductions``: sums with too many terms for one array are computed in blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import i64
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.traits import ConstantLike

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.free_indices import free_indices
from ein_mlir.analysis.phi.index_forms import index_forms
from ein_mlir.analysis.phi.index_ranges import THIN
from ein_mlir.analysis.phi.memory_cost import FREE_RANK, largest_axes
from ein_mlir.analysis.phi.window_products import is_window_product
from ein_mlir.analysis.scopes import dependents, innermost_first, is_within, nested
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import is_sum
from ein_mlir.dialects.phi.integers import is_nonnegative
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.builders import Emitter, fold_body, integer
from ein_mlir.rewriting.phi.reductions import Raiser, Reason

BLOCK_ELEMENTS = 2**14
"""The approximate number of elements of each array of a block. Calls then take less time than the
arithmetic, and several such arrays stay in the cache.
"""

FEWEST_STEPS = 8
"""The minimal number of steps of a block, for arrays of any size."""


class BlockRaiser(Raiser):
    """Splits folds into blocks if memory forbids a single reduction, and raises the blocks.

    Searches stay loops: a search of a block takes longer than a comparison with each step in turn.
    """

    def __init__(self, function: func.FuncOp, analyses: AnalysisManager, *, windows: bool):
        super().__init__(analyses.get(free_indices, function))
        self._forms = analyses.get(index_forms, function) if windows else None
        self._too_large: phi.FoldOp | None = None
        self._block: phi.FoldOp | None = None

    def _fits(self, op: phi.FoldOp, summand: SSAValue, combine: type[Operation] | None) -> bool:
        if op is self._block or super()._fits(op, summand, combine):
            return True
        if combine is not None:
            if self._is_correlation(op, summand, combine):
                return True
            self._too_large = op
        return False

    def _is_correlation(self, op: phi.FoldOp, summand: SSAValue, combine: type[Operation]) -> bool:
        """Whether the library sums products of weights and windows without an array of them."""
        return (
            self._forms is not None
            and is_sum(combine.name)
            and is_window_product(op, summand, self._forms, self._free)
        )

    def _stays(self, op: phi.FoldOp) -> Reason | None:
        why = super()._stays(op)
        lengths = self._lengths(op) if why is not None and op is self._too_large else None
        if lengths is None:
            return why
        self._block = self._cut(op, lengths)
        return super()._stays(self._block)

    def _lengths(self, op: phi.FoldOp) -> list[SSAValue] | None:
        """The sizes of the largest array of a step; None if blocks are not profitable.

        Arrays of one step with more than one axis are large enough for calls, unless the others are
        provably short.
        """
        if ConstantLike.get_constant_value(op.count) is not None:
            return None
        if not dependents(op.body.block, op.counter).isdisjoint(_sizes_in(op)):
            return None
        axes = largest_axes(op, self._free) - {op.counter}
        lengths = [phi.size_of_index(axis) for axis in sorted(axes, key=_place)]
        if sum(not _is_thin(size) for size in lengths) > FREE_RANK:
            return None
        return None if any(is_within(size, op) for size in lengths) else lengths

    def _cut(self, op: phi.FoldOp, lengths: Sequence[SSAValue]) -> phi.FoldOp:
        """``fold (k < n) { .. }  -->  fold (block) { fold (k < length) { .. start + k .. } }``

        Returns the inner fold, whose initial value is the accumulator of the outer one.
        """
        outside, inside = Emitter(), Emitter()
        steps = _block_steps(outside, op.count, lengths)
        body = Block(arg_types=(i64, op.init.type))
        number, accumulator = body.args
        number.name_hint, accumulator.name_hint = "block", op.accumulator.name_hint
        zero = integer(outside, 0)
        start = inside.emit(arith.MaxSIOp(inside.emit(arith.MuliOp(number, steps)), zero))
        rest = inside.emit(arith.SubiOp(op.count, start))
        length = inside.emit(arith.MaxSIOp(inside.emit(arith.MinSIOp(steps, rest)), zero))
        start.name_hint, length.name_hint = "start", "length"
        inner = _shifted(op, start, length, accumulator)
        body.add_ops((*inside.ops, inner, phi.YieldOp(inner.result)))
        blocks = _quotient_above(outside, op.count, steps)
        if not is_nonnegative(op.count):
            # A negative count is an error, which names the counter.
            blocks = outside.emit(arith.MinSIOp(blocks, op.count))
            number.name_hint = op.counter.name_hint
        outer = phi.FoldOp(blocks, op.init, Region(body))
        self._replace(op, [*outside.ops, outer])
        return inner


def _place(axis: SSAValue) -> tuple[int, int]:
    """The depth of the comprehension of an index, and the number of the index."""
    assert isinstance(axis, BlockArgument)
    depth, op = 0, axis.block.parent_op()
    while op is not None:
        depth, op = depth + 1, op.parent_op()
    return depth, axis.index


def _is_thin(size: SSAValue) -> bool:
    number = known_int(size)
    return number is not None and number <= THIN


def _block_steps(emitter: Emitter, count: SSAValue, lengths: Sequence[SSAValue]) -> SSAValue:
    """The number of steps of a block: at most the count, and at least 1."""
    fitting = integer(emitter, BLOCK_ELEMENTS)
    for length in lengths:
        fitting = emitter.emit(arith.FloorDivSIOp(fitting, length))
    fitting = emitter.emit(arith.MaxSIOp(fitting, integer(emitter, FEWEST_STEPS)))
    steps = emitter.emit(arith.MinSIOp(fitting, count))
    return emitter.emit(arith.MaxSIOp(steps, integer(emitter, 1)))


def _quotient_above(emitter: Emitter, count: SSAValue, steps: SSAValue) -> SSAValue:
    """The number of blocks: the quotient, rounded up."""
    more = emitter.emit(arith.SubiOp(steps, integer(emitter, 1)))
    total = emitter.emit(arith.AddiOp(count, more))
    blocks = emitter.emit(arith.FloorDivSIOp(total, steps))
    return emitter.emit(arith.MaxSIOp(blocks, integer(emitter, 0)))


def _shifted(op: phi.FoldOp, start: SSAValue, length: SSAValue, init: SSAValue) -> phi.FoldOp:
    """The fold of some of the steps of a fold, from a start on."""
    body = fold_body(op, op.init.type)
    position = arith.AddiOp(start, body.args[0])
    body.add_op(position)
    values: dict[SSAValue, SSAValue] = {
        op.counter: position.result,
        op.accumulator: body.args[1],
    }
    body.add_ops([inner.clone(values) for inner in op.body.block.ops])
    fold = phi.FoldOp(length, init, Region(body))
    fold.location = op.location
    return fold


def _sizes_in(op: phi.FoldOp) -> Iterator[SSAValue]:
    """The sizes and counts in the body of a fold, which vary with no index."""
    for inner in nested(op.body.block):
        for number, operand in enumerate(inner.operands):
            if isinstance(inner, phi.PhiOp) and inner.size_or_count(number) is not None:
                yield operand


def block_reductions(
    function: func.FuncOp, analyses: AnalysisManager, *, windows: bool = False
) -> None:
    """Split the folds of a function into blocks that are reductions, if possible."""
    raiser = BlockRaiser(function, analyses, windows=windows)
    for op in innermost_first(function, phi.FoldOp):
        raiser.fold(op)


@dataclass(frozen=True)
class BlockReductionsPass(FunctionPass):
    """Computes sums, minima, ... in blocks of steps if they stay loops because of their memory.

    A fold stays a loop if an array over its counter and the axes of a step would be larger than the
    arrays that are read (see ``raise-reductions``). If the arrays of a step have one axis, or none,
    apart from axes that are provably short, they may be so small that calls take longer than
    arithmetic. A block of steps is a reduction then.

    Before, where %i has %n positions::

        %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
          %x = phi.get %a[%i] : ...
          %y = phi.get %b[%k] : ...
          %d = arith.subf %x, %y : f64
          %e = math.exp %d : f64
          %next = arith.addf %acc, %e : f64
          phi.yield %next : f64
        }

    After, where %steps is ``max(min(max(16384 // n, 8), m), 1)``, and %blocks times that is %m or
    more::

        %s = phi.fold (%block < %blocks, %acc = %zero) -> f64 {
          %start = arith.muli %block, %steps : i64      // at least 0
          %rest = arith.subi %m, %start : i64
          %length = arith.minsi %steps, %rest : i64     // at least 0
          %0 = phi.array (%k < %length) -> !phi.vec<f64> {
            %x = phi.get %a[%i] : ...
            %1 = arith.addi %start, %k : i64
            %y = phi.get %b[%1] : ...
            %d = arith.subf %x, %y : f64
            %e = math.exp %d : f64
            phi.yield %e : f64
          }
          %2 = phi.reduce %0 identity %zero by { arith.addf } -> f64
          %next = arith.addf %acc, %2 : f64
          phi.yield %next : f64
        }

    Temporaries have 16384 elements, or those of 8 steps if that is more, but at most those of all
    steps. Sums of products become contractions of blocks (``raise-contractions``).
    """

    name = "block-reductions"
    looks_for = (phi.FoldOp,)

    windows: bool = False
    """Whether a sum of products of weights and a window, ``u[k] * x[i + k]``, is one reduction: for
    a library that correlates vectors."""

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        block_reductions(function, analyses, windows=self.windows)
