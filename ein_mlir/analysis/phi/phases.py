"""Indices with a remainder: every p-th one."""

from __future__ import annotations

from collections.abc import Callable, Collection

from xdsl.ir import BlockArgument, SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.index_ranges import ORDINARY
from ein_mlir.analysis.phi.selections import Test
from ein_mlir.analysis.predicates import relation_of
from ein_mlir.dialects import sigma
from ein_mlir.host.dataclass import dataclass


@dataclass(frozen=True)
class Phase:
    """``index mod step == residue - offset``: every ``step``-th index."""

    index: BlockArgument
    step: SSAValue
    offset: LinearForm
    residue: SSAValue


def phase_of(
    test: Test,
    indices: Collection[SSAValue],
    varies: Callable[[SSAValue], bool],
    forms: IndexForms,
) -> Phase | None:
    """``(i + c) mod p == r`` with ``p >= 1``, for one of some indices; p, c and r do not vary."""
    found = relation_of(test.condition, expected=test.expected)
    if found is None or found.predicate != "eq":
        return None
    for each in found.readings:
        modulo = each.lhs.owner
        if not isinstance(modulo, sigma.FloorModOp) or varies(modulo.rhs) or varies(each.rhs):
            continue
        form = forms.exact_form(modulo.lhs)
        own = [] if form is None else [atom for atom in form.coefficients if varies(atom)]
        if form is None or len(own) != 1 or own[0] not in indices or form.coefficients[own[0]] != 1:
            continue
        (index,) = own
        assert isinstance(index, BlockArgument)
        phase = Phase(index, modulo.rhs, form.without(own), each.rhs)
        if _is_ordinary(phase, forms):
            return phase
    return None


def _is_ordinary(phase: Phase, forms: IndexForms) -> bool:
    """Whether ``0 <= residue < step``, and no sum of the residue and a position wraps."""
    residue, step = forms.integer(phase.residue), forms.integer(phase.step)
    return (
        forms.is_nonnegative(residue)
        and forms.is_below(residue, step)
        and forms.range_of(residue - phase.offset).magnitude < ORDINARY.high
    )
