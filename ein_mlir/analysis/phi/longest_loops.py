"""The most steps of a loop whose number of steps varies with indices and counters around it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.variables import variables_around
from ein_mlir.analysis.scopes import ancestors, captured
from ein_mlir.dialects import phi

Counts: TypeAlias = Mapping[SSAValue, SSAValue]
"""Counters of folds, and the numbers of their steps."""


def independent_counters(op: Operation, count: LinearForm) -> Counts:
    """The counters of folds around a loop whose accumulators it does not read.

    All steps of these folds may run the loop at once. There are none if its count varies with the
    counter of no fold.
    """
    folds = list(ancestors(op, phi.FoldOp))
    if all(fold.counter not in count.coefficients for fold in folds):
        return {}
    read = variables_around(op, [*op.operands, *captured(op)])
    return {fold.counter: fold.count for fold in folds if fold.accumulator not in read}


def largest(form: LinearForm, counters: Counts, forms: IndexForms) -> LinearForm | None:
    """The largest value of a form over all indices and counters; None if it is not linear in these.

    A sum of linear functions of single variables is largest at their first or last values.
    """
    found = LinearForm.number(form.constant)
    for atom, factor in form.coefficients.items():
        if atom in counters or phi.is_comprehension_index(atom):
            if factor < 0:
                continue
            size = counters[atom] if atom in counters else phi.size_of_index(atom)
            last = largest(forms.form(size) - 1, counters, forms)
            if last is None:
                return None
            found += last * factor
        elif forms.free.of(atom):
            return None
        else:
            found += LinearForm.of(atom) * factor
    return found
