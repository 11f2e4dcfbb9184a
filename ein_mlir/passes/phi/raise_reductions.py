"""``raise-reductions``: folds that are reductions or searches become named operations."""

from __future__ import annotations

from dataclasses import astuple

from xdsl.dialects import func

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.reductions import Library, raise_reductions


@dataclass(frozen=True)
class RaiseReductionsPass(FunctionPass):
    """Turns folds that add, multiply, take minima or maxima, test or search, into reductions.

    Before::

        %s = phi.fold (%k < %n, %acc = %x) -> f64 { %acc + %a[%k] }
        %t = phi.fold (%k < %n, %best = %x) -> f64 { select (%a[%k] < %best), %a[%k], %best }

    After::

        %0 = phi.array (%k < %n) -> !phi.vec<f64> { %a[%k] }
        %1 = phi.reduce %0 identity %zero by { arith.addf } -> f64
        %s = arith.addf %x, %1 : f64
        %at = phi.argreduce %0 by "<" : !phi.vec<f64>
        %2 = phi.get %0[%at] : !phi.vec<f64>[i64]
        %t = .. select (%n > 0 & %2 < %x), %2, %x .. : f64

    Fields of an accumulator that do not depend on each other are distinguished: those that are
    reductions or searches leave the fold, the others stay in it. Summands are gathered first:
    ``(acc + x) - y`` is ``acc + (x - y)``, and ``where(c, acc + x, acc)`` is
    ``acc + where(c, x, 0)``.

    A sum of terms becomes the sum of their sums if their array would be larger than the arrays that
    are read; minima, maxima and logical reductions distribute over loop-invariant operands
    (``distribution``).

    The other values that a search keeps, in fields of a record, are read at the position, too;
    they are computed there after a search that stays a loop, if they take many operations. A
    search whose steps search rows is one in all elements, whose position is divided by the size of
    a row; with ``nested`` it stays one in the best elements of rows.
    Reductions of records by such a comparison are searches as well.

    A fold stays a loop if the array would need more memory than the loop does; the rule is in
    ``ein_mlir.analysis.phi.memory_cost``. With the option ``fused`` there is no such rule for
    reductions of scalars: the library's compiler computes them where it combines them, without an
    array. With ``functions`` this is so for elements that functions such as ``exp`` compute: others
    take less time in a loop, whose steps are vector instructions. Few elements of each block of an
    axis, ``a[2*i + k]`` for k below 2, are slices in the steps of a loop, and with ``blocks`` they
    have an axis of their own; so have factors and reductions of rows in any case, and with
    ``joins`` all reductions. With ``convolves``, sums of ``a[i + k] * w[c, k]`` stay loops, which
    ``raise-convolutions`` turns into one call. With ``views``, the windows of ``q[i, k] * x[i + j,
    k]`` need no array.
    """

    name = "raise-reductions"
    looks_for = (phi.FoldOp, phi.ReduceOp)
    runs_again_after = ("raise-updates", "raise-running-values", "raise-writes")

    fused: bool = False
    functions: bool = False
    blocks: bool = False
    joins: bool = False
    convolves: bool = False
    nested: bool = False
    views: bool = False

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        raise_reductions(function, analyses, Library(*astuple(self)))
