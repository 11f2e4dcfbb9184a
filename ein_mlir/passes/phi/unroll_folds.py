"""``unroll-folds``: loops of small static count that read their counter are unrolled."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal

from xdsl.dialects import func
from xdsl.ir import Block, Operation

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.element_cost import short_count
from ein_mlir.analysis.phi.index_forms import index_forms
from ein_mlir.analysis.phi.window_products import sums_filters
from ein_mlir.analysis.scopes import operations_of
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.common_subexpressions import eliminate_common_subexpressions
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.builders import unroll

MOST_OPERATIONS = 400
"""The maximal number of operations of one unrolled loop, with those of its inner loops."""

MOST_GROWTH = 4000
"""The maximal number of operations of all unrolled loops of a function."""


class Unroller:
    """Unrolls the loops of a function, innermost first, within the limit of its growth."""

    def __init__(
        self, *, reductions: bool = True, stays: Callable[[phi.FoldOp], bool] | None = None
    ) -> None:
        self.growth = 0
        """The number of operations of unrolled loops."""
        self._stays = stays
        self._kept = () if reductions else (phi.ReduceOp, phi.ArgreduceOp)

    def block(self, block: Block) -> int | None:
        """Unroll loops in a block; its new number of operations, None if a loop is left."""
        counts = [self._operation(op) for op in list(block.ops)]
        known = [count for count in counts if count is not None]
        return sum(known) if len(known) == len(counts) else None

    def _operation(self, op: Operation) -> int | None:
        blocks = [block for region in op.regions for block in region.blocks]
        counts = [self.block(block) for block in blocks]
        known = [count for count in counts if count is not None]
        if len(known) < len(counts) or isinstance(op, self._kept):
            return None
        if not isinstance(op, phi.FoldOp):
            return 1 + sum(known)
        (body,) = known
        steps = short_count(op) if op.counter.uses else None
        most = min(MOST_OPERATIONS, MOST_GROWTH - self.growth)
        if steps is None or steps * body > most or (self._stays and self._stays(op)):
            return None
        self.growth += steps * body
        unroll(op, steps)
        return steps * body


@dataclass(frozen=True)
class UnrollFoldsPass(FunctionPass):
    """Unrolls folds of small static count, so that values of the counter are constants.

    A position ``i + k`` is a slice then, and the shifts of a window become slices of one array.

    Before::

        %three = arith.constant 3 : i64
        %s = phi.fold (%k < %three, %acc = %x) -> f64 { max(%acc, %a[%i + %k]) }

    After::

        %0 = arith.maxnumf %x, %a[%i + 0] : f64
        %1 = arith.maxnumf %0, %a[%i + 1] : f64
        %s = arith.maxnumf %1, %a[%i + 2] : f64

    Steps of several loops that compute the same are shared. Inner folds are unrolled first. A fold
    stays a loop if its count is dynamic or above ``SHORT``, if no step reads the counter, if its
    body keeps a fold, or a reduction without ``reductions``, on backends for which that is a loop,
    and if the copies would have more than ``MOST_OPERATIONS`` operations, or those of all folds
    together more than ``MOST_GROWTH``. Reductions and contractions must have been raised before.
    """

    name = "unroll-folds"
    looks_for = (phi.FoldOp,)

    reductions: bool = True
    """Whether a fold with reductions in its steps is unrolled."""

    convolved: Literal["none", "channels", "outputs", "groups"] = "none"
    """The kind of sums of filters that stay loops, since a library computes them as a convolution
    (``ein_mlir.analysis.phi.window_products``)."""

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        if all(short_count(op) is None for op in operations_of(function, phi.FoldOp)):
            return
        stays = None
        if self.convolved != "none":
            forms = analyses.get(index_forms, function)
            stays = partial(sums_filters, forms=forms, kind=self.convolved)
        unroller = Unroller(reductions=self.reductions, stays=stays)
        unroller.block(function.body.block)
        if unroller.growth:
            eliminate_common_subexpressions(function.body)
