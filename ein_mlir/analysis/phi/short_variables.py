"""Indices and counters with no more values than others have."""

from __future__ import annotations

from collections.abc import Set
from functools import partial

from xdsl.dialects import arith
from xdsl.ir import BlockArgument, SSAValue

from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.strided_positions import is_variable, size_of_variable
from ein_mlir.analysis.scopes import nesting


def are_as_short(axes: Set[SSAValue], others: Set[SSAValue], forms: IndexForms) -> bool:
    """Whether all variables are among others, or have one of these each with as many values.

    Counts of equal labels vary with i and j, as a matrix does with i and another index of its rows.
    """
    missing, spare = axes - others, list(filter(is_variable, others - axes))
    if len(missing) > len(spare) or not all(map(is_variable, missing)):
        return False
    spare.sort(key=nesting)
    for variable in sorted(filter(is_variable, missing), key=nesting):
        longer = next(filter(partial(_is_as_short, forms, variable), spare), None)
        if longer is None:
            return False
        spare.remove(longer)
    return True


def _is_as_short(forms: IndexForms, variable: BlockArgument, other: BlockArgument) -> bool:
    """Whether a variable has no more values than another one, whichever size a choice takes."""
    size, most = size_of_variable(variable), forms.integer(size_of_variable(other))
    choice = size.owner
    sizes = (choice.lhs, choice.rhs) if isinstance(choice, arith.SelectOp) else (size,)
    return all(forms.is_at_most(forms.integer(each), most) for each in sizes)
