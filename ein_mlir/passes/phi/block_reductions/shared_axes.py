"""Folds whose steps multiply windows with factors that have axes of their own."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.selections import reduction
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import is_product, is_sum


def shares_an_axis(op: phi.FoldOp, forms: IndexForms, free: FreeIndices) -> bool:
    """Whether a step multiplies windows, ``x[2 * i + p] * y[i]``: one of both axes is short.

    A library with views of windows convolves groups of axes, and needs no blocks.
    """
    found = reduction(op)
    term = found[1].owner if found is not None and is_sum(found[0].name) else None
    if isinstance(term, phi.ReduceOp) and isinstance(term.vec.owner, phi.ArrayOp):
        term = term.vec.owner.yielded().owner
    if not isinstance(term, Operation) or not is_product(term.name):
        return False
    return any(
        _is_shifted(op, window, forms, free) and _is_grouped(op, window, other, free)
        for window, other in (term.operands, term.operands[::-1])
    )


def _is_shifted(op: phi.FoldOp, window: SSAValue, forms: IndexForms, free: FreeIndices) -> bool:
    """Whether a read takes steps along an axis from a position that an index determines."""
    positions = window.owner.positions if isinstance(window.owner, phi.GetOp) else ()
    places = [forms.form(position).coefficients for position in positions]
    return any(
        op.counter in place and not free.of(each) <= {op.counter}
        for place in places
        for each in place
    )


def _is_grouped(op: phi.FoldOp, window: SSAValue, other: SSAValue, free: FreeIndices) -> bool:
    """Whether a factor has axes of the window alone: no library convolves both."""
    own = free.of(other) - {op.counter}
    return own <= free.of(window) and not own.isdisjoint(free.of(op.result))
