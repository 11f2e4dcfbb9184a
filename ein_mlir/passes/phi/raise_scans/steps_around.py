"""Folds of which each step of a loop around takes another number of steps, at all of its steps."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.speculation import may_fail_first
from ein_mlir.analysis.scopes import captured
from ein_mlir.dialects import phi
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.longest_folds import with_longest_count
from ein_mlir.rewriting.phi.replacement import Raising, erase_unused_among, replace


def raise_at_all_steps(op: phi.FoldOp, raising: Raising) -> bool:
    """``fold (i < n) { .. fold (k < c(i)) { e } .. }  -->  fold (i < n) { .. t[i] .. }``

    where ``t = array (i < n) { fold (k < m) { where(k < c(i), e, acc) } }``, if ``raising``
    replaces that fold. It varies with the counter of the loop around, and no accumulator there.
    """
    outer, forms = op.parent_op(), raising.forms
    if not isinstance(outer, phi.FoldOp) or not phi.is_scalar_type(op.result.type):
        return False
    needed = slice_of(outer.body.block, [op.result])[:-1]
    inputs = [*op.operands, *captured(op), *(each for part in needed for each in part.operands)]
    if outer.accumulator in inputs or any(may_fail_first(each, outer) for each in needed):
        return False
    if any(each.regions for each in needed):
        return False
    fold = with_longest_count(op, forms)
    if fold is None:
        return False
    copies, new = list[SSAValue](), list[Operation]()

    def element(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
        known: dict[SSAValue, SSAValue] = {outer.counter: inner.as_int(own[0])}
        for each in (*needed, fold):
            inner.insert_copy(each, known)
        copies.append(known[fold.result])
        return copies[0]

    build = Builder.before(outer, forms.add, new.append)
    array = build.comprehension([build.max(outer.count, 0)], element, [outer.counter])
    fold.erase()
    if not raising.rule(phi.FoldOp.of(copies[0])):
        erase_unused_among(new)
        return False
    replace(op, Builder.before(op).get(array, [outer.counter]), raising.free)
    return True
