"""``share-elements``: values that do not vary with all loops around them are computed once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from xdsl.dialects import func

from ein_mlir.analysis.manager import AnalysisManager, classes_of
from ein_mlir.analysis.notes import name_of
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.phi.share_elements.rewriting import share, small
from ein_mlir.passes.phi.share_elements.tables import share_looked_up
from ein_mlir.passes.phi.share_elements.values import Shared, Sharer
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.builders import reorder, split
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.versions import outermost, versions

Loop: TypeAlias = phi.ArrayOp | phi.AccumulateOp | phi.FoldOp


def share_elements(
    function: func.FuncOp, analyses: AnalysisManager, *, folds: bool = False, loops: bool = False
) -> None:
    """Share the values of a function."""
    sharer = Sharer(function, folds=folds, loops=loops)
    shared = sharer.shared()
    if not folds and sharer.orders:
        for place, axes in sharer.orders.items():
            assert isinstance(place, phi.ArrayOp)
            first = [axis.index for axis in axes]
            reorder(place, [*first, *(k for k in range(len(place.sizes)) if k not in first)])
        shared = Sharer(function, loops=loops).shared()
    if not folds and (splits := _splits(shared)):
        for op, counts in splits.items():
            for count in sorted(counts, reverse=True):
                op = split(op, count)
        shared = Sharer(function, loops=loops).shared()
    large = dict[Loop, list[Shared]]()
    for found in shared:
        if found.is_large and isinstance(found.place, Loop):
            large.setdefault(found.place, []).append(found)
        elif found.first == 0:
            analyses.note(found.place, f"{name_of(found.value)} is computed before the loop")
            share(found)
    for place, values in outermost(large).items():
        if values[0].first:
            continue
        names = ", ".join(name_of(found.value) for found in values)
        analyses.note(place, f"{names}: computed before the loop, if these are not too many")
        fits = small(place, values)
        versions(Builder.before(place), place, fits)
        for found in values:
            share(found, fits)


def _splits(shared: Iterable[Shared]) -> Mapping[phi.ArrayOp, set[int]]:
    """The comprehensions to split, and after how many indices."""
    found = dict[phi.ArrayOp, set[int]]()
    for each in shared:
        if each.first and isinstance(each.place, phi.ArrayOp):
            found.setdefault(each.place, set()).add(each.first)
    return found


@dataclass(frozen=True)
class ShareElementsPass(FunctionPass):
    """Computes values once that do not vary with all indices and counters around them.

    Before::

        %p = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
          %s = phi.fold (%k < %m, %acc = %zero) -> f64 { .. %a[%i, %k] .. }
          phi.yield %s * exp %b[%j] : f64
        }

    After::

        %e = phi.array (%j < %m) -> !phi.vec<f64> { exp %b[%j] }
        %p = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
          %s = phi.fold (%k < %m, %acc = %zero) -> f64 { .. %a[%i, %k] .. }
          phi.array (%j < %m) -> !phi.vec<f64> { %s * %e[%j] }
        }

    A value, a scalar or a vector, moves out of the outermost loop that it does not vary with. If it
    varies with inner loops, it becomes an array over their variables. Cheap values stay, by the
    cost rule of ``ein_mlir.analysis.phi.element_cost``, and so do values that depend on an
    accumulator of these loops or may raise an error that the loop itself does not. An array of
    several axes, those of a vector included, must be no larger than one that is read, or than the
    result of the loop, or have few elements, by sizes that are numbers. Where that is not known,
    sizes decide at run time if a function is computed: the loop has two versions, of which one is
    empty (``versions``). If loops compute a vector from some indices of a comprehension alone,
    these come first, and the result is a transposed array. A fold takes its steps with shared
    values or without, one after the other. Sums at positions are those of two accumulations, of
    which one is empty. With ``folds`` only
    values of functions move, and only out of folds that are neither reductions nor searches: on a
    library whose calls take whole arrays, other values are computed once in any case.

    A function of elements that are looked up is computed for each place of the table::

        %r = phi.array (%i < %n) -> !phi.vec<f64> { log %a[%k[%i]] }

    becomes a loop that reads ``%t[%k[%i]]``, with::

        %t = phi.array (%c < %m) -> !phi.vec<f64> { log %a[%c] }

    Several arrays may be read, at several positions, if they have equal sizes and one of them is
    read at all of the positions. Sizes decide at run time, by two versions of the loop: the table
    has places, and at most half as many as there are values. On a library, fewer gathers are worth
    a table, too: an expression of two elements becomes one, and a function of an Int from 0 to at
    most 255, such as ``x[i] & 63``, an element of a table of its values. Nor need all positions be
    looked up there: a function, or a fold, that depends on an index by one computed position alone
    is computed for each place of that axis, and each of its other indices. So
    ``f(a[p(i), j], a[p(i), j + 1])`` has a table over places and j, and ``sum h[s[e], k] * w[k]``
    one over the rows of h. So has ``sum q[i, k] * r[i - j, k]`` for i and j of equal sizes, if r
    has at most two rows for each j: its products of matrices take less time than a loop over k.
    With ``differentiable`` a table has no operation whose derivative is singular, for a place that
    no position reads would have one, and there are none of values; tables of products are for
    elements that are finite, which is tested at run time, or with ``static`` not made.

    With ``derivatives`` it is for functions that have some, before they are expanded: results of
    folds that are no reductions, of scans and sorts. The derivative of an element would run
    through the loop once for each, and many elements of a row belong to one loop.
    """

    name = "share-elements"
    looks_for = (phi.ArrayOp, phi.AccumulateOp, phi.FoldOp)

    folds: bool = False
    differentiable: bool = False
    static: bool = False
    derivatives: bool = False

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        if self.derivatives:
            share_elements(function, analyses, loops=True)
            return
        if not self.folds or phi.FoldOp in analyses.get(classes_of, function):
            share_elements(function, analyses, folds=self.folds)
        share_looked_up(
            function,
            analyses,
            folds=self.folds,
            differentiable=self.differentiable,
            static=self.static,
        )
