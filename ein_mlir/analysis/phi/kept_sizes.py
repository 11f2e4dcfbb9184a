"""Axes of arguments whose sizes are equal if loops keep the sizes of their arrays.

::

    func.func @sweep(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
      %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
      %r = phi.fold (%k < %n, %v = %a) -> !phi.vec<!phi.vec<f64>> {
        %w = phi.array (%i < %n, %j < %n) -> !phi.vec<!phi.vec<f64>> { .. }
        phi.yield %w : !phi.vec<!phi.vec<f64>>
      }

The program uses one size for both axes of a matrix that need not be square. For one that is, its
steps are in place and its positions in bounds. So they are if n is an Int argument that is equal to
both sizes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from xdsl.dialects import func

from ein_mlir.analysis.phi.bounding_sizes import axes_of_arguments
from ein_mlir.analysis.phi.free_indices import leaf_types
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence, classes_of, terms_of
from ein_mlir.analysis.scopes import operations_in
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi import Term


def axes_that_loops_equate(
    function: func.FuncOp,
) -> tuple[Sequence[Sequence[phi.Axis]], Mapping[phi.Axis, int]]:
    """The groups of axes whose sizes some loop may change, although assertions may forbid it.

    Ints that a loop gives arrays as sizes are in the groups, too. If it gives them a number, as in
    ``array(lambda i, c: .., size=(n, 3))`` for points, that is the size of these axes.
    """
    loops = [op for op in operations_in(function) if isinstance(op, phi.FoldOp | phi.WhileOp)]
    if not any(phi.rank_of(leaf) for op in loops for leaf in leaf_types(op.init.type)):
        return (), {}
    proven = SizeEquivalence(function, assertions=False)
    changing = [term for op in loops for term in changing_sizes(op, proven)]
    if not changing:
        return (), {}
    kept = SizeEquivalence(function)
    for op in loops:
        kept.keep(op)
    wanted = set(map(kept.representative, changing))
    axes = axes_of_arguments(function)
    groups = classes_of(kept, [term for term in axes if kept.representative(term) in wanted])
    fixed = {
        axes[term]: size
        for group in groups
        for term in group
        if isinstance(size := kept.representative(term), int) and term.axis is not None and size > 0
    }
    return [[axes[term] for term in group] for group in groups if len(group) > 1], fixed


def changing_sizes(op: phi.FoldOp | phi.WhileOp, sizes: SizeEquivalence) -> Iterator[Term]:
    """The sizes of a loop's first arrays that those after a step may not have."""
    for term in terms_of(op.init):
        after = Term(op.yielded(), term.path, term.axis)
        if term.axis is not None and not sizes.same(term, after):
            yield term
