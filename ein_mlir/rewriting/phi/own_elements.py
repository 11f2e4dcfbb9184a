"""Elements that a step reads where it replaces them, as those at the indices of the step."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.phi.equality import difference
from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.predicates import conjoined
from ein_mlir.analysis.scopes import reached, slice_within
from ein_mlir.dialects import phi
from ein_mlir.dialects.creation import copy_of
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.phi.insertion import Builder


def read_own_elements(op: phi.FoldOp, forms: IndexForms, free: FreeIndices) -> None:
    """``where(i == p, f(acc[p]), acc[i])  -->  where(i == p, f(acc[i]), acc[i])``

    in the comprehension of a step of a fold, if the step reads no other elements.
    """
    step = op.yielded().owner
    if not isinstance(step, phi.ArrayOp) or step.parent is not op.body.block:
        return
    choice = step.yielded().owner
    if not isinstance(choice, arith.SelectOp) or choice.parent is not step.body.block:
        return
    users = {use.operation for use in op.accumulator.uses}
    reads = [user for user in users if isinstance(user, phi.GetOp) and user.parent is step.parent]
    if not all(_is_own(read, step, choice, forms) for read in reads):
        return
    values = list(reached([read.result for read in reads], _results_of_users))
    if not reads or not all(_is_only_for(choice, value) for value in values):
        return
    build = Builder.before(choice, forms.add, free.add)
    own = build.get(op.accumulator, step.indices)
    known = dict[SSAValue, SSAValue]({read.result: own for read in reads})
    for each in slice_within(op, [choice.lhs]):
        if not known.keys() >= {*each.results} and not {*each.results}.isdisjoint(values):
            build.insert(copy_of(each, known))
    choice.operands[1] = known[choice.lhs]
    erase_unused(op.body.block)


def _is_own(read: phi.GetOp, step: phi.ArrayOp, choice: arith.SelectOp, forms: IndexForms) -> bool:
    """Whether a choice takes its first value only at the positions of a read element."""
    found = (forms.equation(each) for each in conjoined(choice.cond))
    equations = [form for each in found if each is not None for form in (each, -each)]
    distances = [
        (forms.form(index) - forms.form(position)).reduced()
        for index, position in zip(step.indices, read.positions, strict=False)
    ]
    return len(read.positions) == len(step.indices) and all(
        any(difference(form, distance).known() == 0 for form in equations) for distance in distances
    )


def _results_of_users(value: SSAValue) -> Sequence[SSAValue]:
    """The values of the same body that an operation computes from a value."""
    users = (use.operation for use in value.uses)
    return [result for user in users if _is_beside(user, value) for result in user.results]


def _is_beside(user: Operation, value: SSAValue) -> bool:
    return isinstance(value.owner, Operation) and user.parent is value.owner.parent


def _is_only_for(choice: arith.SelectOp, value: SSAValue) -> bool:
    """Whether a value is only used for the first value of a choice."""
    return all(
        (use.operation is choice and use.index == 1)
        or (_is_beside(use.operation, value) and not use.operation.regions)
        for use in value.uses
    )
