"""Loops whose first steps run before: the others read earlier elements, and take one side."""

from __future__ import annotations

from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.loops.combinations import Later
from ein_mlir.analysis.phi.loops.linear import Lagged
from ein_mlir.dialects import phi
from ein_mlir.dialects.creation import copy_of
from ein_mlir.rewriting.phi.fields import carried
from ein_mlir.rewriting.phi.insertion import Builder


def after_first_steps(op: phi.FoldOp, later: Later, first: int, forms: IndexForms) -> None:
    """``fold (k < n) { e(k) }  -->  fold (k < min(n, c)) { e(k) }; fold (k < n - c) { e(k + c) }``

    Choices ``later`` than the first c steps are the side that they take. The second fold is op.
    """
    build = Builder.before(op, forms.add)
    head = copy_of(op)
    head.operands[0] = build.min(op.count, first)
    op.operands[1] = build.emit(head)
    build.skip_steps(op, first)
    for choice, (side, _) in reversed(later.items()):
        choice.replace_all_uses_with(side)
    forms.renew(op)


def carry_elements(op: phi.FoldOp, found: Lagged, forms: IndexForms) -> phi.FoldOp:
    """``fold (y = a) { y[k] := e(y[k - 1], y[k - 2]) }  -->``
    ``fold ((y, p, q) = (a, a[-1], a[-2])) { y[k] := x = e(p, q); (y, x, p) }``,
    after the first steps, which read positions below 0.
    """
    if found.first:
        after_first_steps(op, Later(), found.first, forms)
    build = Builder.before(op)
    array, start = build.leaves(op.init)[found.number], Builder.at_start(op.body.block)
    lags = range(1, found.most + 1)
    values = [start.number(0.0, found.element.type) for _ in lags]
    for read, lag in found.reads.items():
        read.replace_all_uses_with(values[lag - 1])
    starts = [build.get(array, [build.integer(found.first + found.place - lag)]) for lag in lags]
    new = phi.FoldOp.of(carried(op, values, starts, [found.element, *values[:-1]]))
    forms.add(new)
    return new
