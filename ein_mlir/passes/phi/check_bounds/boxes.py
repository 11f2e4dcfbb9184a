"""Boxes: the least and the largest position of an access in all steps of the loops around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.phi.demand import ALWAYS, Condition, Demand, counts_of
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.scopes import block_of, is_within
from ein_mlir.dialects import phi

MOST = 2**16
"""The largest coefficient of an index: positions wrap at most once between the ends of a box."""


@dataclass(frozen=True)
class Box:
    """A linear position ``p`` of an access around some loops: ``low <= p <= high`` in all steps.

    In steps that wrap modulo 2^64, one of both is out of bounds.
    """

    loop: Operation
    """The outermost of the loops; the access itself if there is none."""
    low: LinearForm
    high: LinearForm
    size: LinearForm | None
    array: SSAValue
    """The array has the size if there is no form of it."""
    counts: tuple[SSAValue, ...] = ()
    """The box has positions only if these are positive."""
    is_exact: bool = True
    """Whether both ends are positions that are used, if the loop is."""


def box_of(op: phi.GetOp, axis: int, forms: IndexForms, demand: Demand) -> Box | None:
    """The box of an access around as many loops as possible; None if it is around none."""
    form, size = forms.form(op.positions[axis]), forms.size(op.array, axis)
    if not _is_visible(form, op):
        return None
    if size is not None and not _is_visible(size, op):
        size = None
    box = Box(op, form, form, size, op.array)
    condition = demand.of(op)
    while (loop := box.loop.parent_op()) is not None:
        assert condition is not None
        wider = _around(box, loop, condition) if isinstance(loop, phi.BodyOp) else None
        if wider is None:
            break
        box, condition = wider, demand.of(loop)
    return None if box.loop is op else box


def _is_visible(form: LinearForm, op: Operation) -> bool:
    """Whether the values of a form are defined in the bodies around an operation.

    A size may be that of another loop, which is provably equal.
    """
    blocks = (block_of(atom) for atom in form.coefficients)
    return all(block is not None and block.is_ancestor(op) for block in blocks)


def _around(box: Box, loop: phi.BodyOp, condition: Condition) -> Box | None:
    """The box of a box in all steps of a loop; None if other values of the body determine it."""
    variables, counts = loop.counters(), counts_of(loop)
    if not counts or not _is_outside(box, loop, variables):
        return None
    low, high = box.low, box.high
    for variable, count in zip(variables, counts, strict=True):
        last = LinearForm.of(count) - 1
        low = _at_end(low, variable, last, upper=False)
        high = _at_end(high, variable, last, upper=True)
    visible = tuple(count for count in box.counts if not is_within(count, loop))
    return replace(
        box,
        loop=loop,
        low=low.reduced(),
        high=high.reduced(),
        counts=(*counts, *visible),
        is_exact=box.is_exact and condition is ALWAYS and len(visible) == len(box.counts),
    )


def _is_outside(box: Box, loop: phi.BodyOp, variables: Sequence[SSAValue]) -> bool:
    """Whether the body determines a box by the numbers of its steps only."""
    for form in (box.low, box.high):
        for atom, coefficient in form.coefficients.items():
            if is_within(atom, loop) and (atom not in variables or abs(coefficient) > MOST):
                return False
    sizes = [box.array] if box.size is None else box.size.coefficients
    return not any(is_within(atom, loop) for atom in sizes)


def _at_end(form: LinearForm, variable: SSAValue, last: LinearForm, *, upper: bool) -> LinearForm:
    """The largest or least value of a form for a variable from 0 to ``last``."""
    coefficient = form.coefficients.get(variable, 0)
    if not coefficient:
        return form
    rest = form.without([variable])
    return rest + last * coefficient if (coefficient > 0) == upper else rest
