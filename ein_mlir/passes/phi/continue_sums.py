"""``continue-sums``: inner sums of a sum start from the outer accumulator."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.selections import is_constant, is_neutral, reduction
from ein_mlir.analysis.scopes import operations_in
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import identity
from ein_mlir.dialects.fastmath import takes_any_order
from ein_mlir.rewriting.passes import FunctionPass


class Continuer:
    """Starts nested sums from the outer accumulator."""

    def __init__(self) -> None:
        self._continued = set[phi.FoldOp]()

    def fold(self, op: phi.FoldOp) -> None:
        """``fold (x = 0) { x + fold (y = 0) { y + e } }``  -->
        ``fold (x = 0) { fold (y = x) { y + e } }``

        The same for minima, products of Ints, and so on. No sum of floats that starts with 0.0 is
        -0.0, which 0.0 of an inner fold without steps would change.
        """
        outer = reduction(op)
        if outer is None:
            return
        combine, total = outer
        neutral = identity(combine.name, op.result.type)
        if neutral is None or not takes_any_order(combine) or not self._starts_right(op, neutral):
            return
        inner = _inner_sum(op, total, combine.name, neutral)
        if inner is not None:
            self._continued.add(inner)
            inner.operands[inner.operands.index(inner.init)] = op.accumulator
            Rewriter.replace_op(combine, (), (total,))

    def _starts_right(self, op: phi.FoldOp, neutral: FloatAttr | IntegerAttr) -> bool:
        """Whether adding an empty sum changes no accumulator."""
        is_exact = isinstance(neutral, IntegerAttr)
        return is_exact or op in self._continued or is_constant(op.init, neutral)


def _inner_sum(
    op: phi.FoldOp, total: SSAValue, combine: str, neutral: FloatAttr | IntegerAttr
) -> phi.FoldOp | None:
    """The fold in a step that computes a total, if its initial value is the identity."""
    inner = total.owner
    if not isinstance(inner, phi.FoldOp) or inner.parent is not op.body.block:
        return None
    found = reduction(inner)
    is_sum = found is not None and found[0].name == combine
    is_alone = total.has_one_use() and is_neutral(inner.init, neutral)
    return inner if is_sum and is_alone else None


def continue_sums(function: func.FuncOp) -> None:
    """Start the nested sums of a function from the outer accumulators, outermost first."""
    continuer = Continuer()
    for op in operations_in(function):
        if isinstance(op, phi.FoldOp):
            continuer.fold(op)


class ContinueSumsPass(FunctionPass):
    """Starts a sum in a step of a sum from the outer accumulator, for one sum of all terms.

    Before::

        %s = phi.fold (%p < %n, %x = %zero) -> f64 {
          %t = phi.fold (%q < %m, %y = %zero) -> f64 {
            %e = func.call @term(%p, %q) : (i64, i64) -> f64
            %y_next = arith.addf %y, %e : f64
            phi.yield %y_next : f64
          }
          %x_next = arith.addf %x, %t : f64
          phi.yield %x_next : f64
        }

    After::

        %s = phi.fold (%p < %n, %x = %zero) -> f64 {
          %t = phi.fold (%q < %m, %y = %x) -> f64 {
            %e = func.call @term(%p, %q) : (i64, i64) -> f64
            %y_next = arith.addf %y, %e : f64
            phi.yield %y_next : f64
          }
          phi.yield %t : f64
        }

    Accumulators are arrays once indices have become axes: this saves one array, and one pass over
    memory for each step. The same applies to minima, maxima, logical reductions and products of
    Ints; a product of floats would be regrouped. Both folds start from the identity of the
    operation; for Ints and Bools, the outer one may start from any value. Folds that may be
    reductions of arrays must have been raised before.
    """

    name = "continue-sums"
    looks_for = (phi.FoldOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        continue_sums(function)
