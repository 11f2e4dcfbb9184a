"""Folds whose steps look up rows, gather where a loop reads slices, or repeat values."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IndexType
from xdsl.ir import BlockArgument, Operation, SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.phi.element_cost import is_function
from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.selections import factor_pairs, summed
from ein_mlir.analysis.phi.window_products import reduced_element
from ein_mlir.analysis.scopes import captured, dependents, is_within, nested, values_behind
from ein_mlir.dialects import phi


def looks_up_rows(op: phi.FoldOp, forms: IndexForms) -> bool:
    """Whether a step reads rows at positions that an array has for it, ``w[p[i, k], j]``.

    A loop looks them up, too, and such rows are often short.
    """
    variable = dependents(op.body.block, op.counter)

    def is_looked_up(position: SSAValue) -> bool:
        atoms = forms.form(position).coefficients
        return position in variable and any(isinstance(x.owner, phi.GetOp) for x in atoms)

    for get in nested(op.body.block):
        if isinstance(get, phi.GetOp):
            found = [forms.free.of(each) for each in get.positions if is_looked_up(each)]
            axes = {axis for some in found for axis in some} - {op.counter}
            if axes and not forms.free.of(get.result) <= {*axes, op.counter}:
                return True
    return False


def multiplies_looked_up_rows(op: phi.FoldOp, forms: IndexForms) -> bool:
    """Whether a step multiplies parts of rows at computed positions.

    ``x[i, k] * w[e[i], k, j]``: all steps at once look up whole rows, and contract them.
    """
    if not factor_pairs(summed(op)):
        return False
    variable = dependents(op.body.block, op.counter)

    def is_looked_up(position: SSAValue) -> bool:
        atoms = forms.form(position).coefficients.keys() - variable
        return any(isinstance(x.owner, Operation) and forms.free.of(x) for x in atoms)

    return any(
        isinstance(get, phi.GetOp)
        and len(forms.free.of(get.result)) > 1
        and not variable.isdisjoint(get.positions)
        and any(map(is_looked_up, get.positions))
        for get in nested(op.body.block)
    )


def gathers_slices(op: phi.FoldOp, forms: IndexForms) -> bool:
    """Whether a step reads slices where a block gathers: ``a[k, i + k]`` or ``a[i + p[k]]``.

    Elements along one axis at linear positions are windows, which are a view.
    """
    variable = dependents(op.body.block, op.counter)

    def is_mixed(position: SSAValue) -> bool:
        is_step = position in variable and not is_same_in_each_step(position, op)
        return is_step and bool(forms.free.of(position) - {op.counter})

    def is_linear(position: SSAValue) -> bool:
        atoms = forms.form(position).coefficients.keys()
        return variable.isdisjoint(atoms - {op.counter})

    return any(
        any(map(is_mixed, get.positions))
        and not (
            sum(position in variable for position in get.positions) == 1
            and all(map(is_linear, get.positions))
        )
        for get in nested(op.body.block)
        if isinstance(get, phi.GetOp)
    )


def relates_rows(op: phi.FoldOp, forms: IndexForms) -> bool:
    """Whether a step reads a row beside that of an index, ``x[i, d] - y[k, d]``, as of points."""
    owners = [*nested(op.body.block), *(value.owner for value in captured(op))]
    reads = [each.positions for each in owners if isinstance(each, phi.GetOp)]
    rows = [[*map(forms.form, each)] for each in reads if len(each) > 1]
    steps = [row for row in rows if any(place.is_atom(op.counter) for place in row)]
    return any(_is_other_row(own, other, op, forms.free) for own in steps for other in rows)


def _is_other_row(
    own: Sequence[LinearForm], other: Sequence[LinearForm], op: phi.FoldOp, free: FreeIndices
) -> bool:
    """Whether positions differ in the counter and an index of the result; later ones are others."""
    pairs = list(zip(own, other, strict=False))
    places = [place for place, (a, b) in enumerate(pairs) if a != b]
    if len(places) != 1:
        return False
    (step, index), axes = pairs[places[0]], free.of(op.result)
    shared = (atom for form, _ in pairs[places[0] + 1 :] for atom in form.coefficients)
    is_pair = step.is_atom(op.counter) and any(map(index.is_atom, axes))
    return is_pair and any(atom in axes for atom in shared)


def shares_an_axis(op: phi.FoldOp, forms: IndexForms) -> bool:
    """Whether a step multiplies windows, ``x[2 * i + p] * y[i]``: one of both axes is short.

    A library with views of windows convolves groups of axes, and needs no blocks.
    """
    term = summed(op)
    return term is not None and any(
        _is_shifted(op, window, forms) and _is_grouped(op, window, other, forms.free)
        for window, other in factor_pairs(reduced_element(term))
    )


def _is_shifted(op: phi.FoldOp, window: SSAValue, forms: IndexForms) -> bool:
    """Whether a read takes steps along an axis from a position that an index determines."""
    positions = window.owner.positions if isinstance(window.owner, phi.GetOp) else ()
    places = [forms.form(position).coefficients for position in positions]
    return any(
        op.counter in place and not forms.free.of(each) <= {op.counter}
        for place in places
        for each in place
    )


def _is_grouped(op: phi.FoldOp, window: SSAValue, other: SSAValue, free: FreeIndices) -> bool:
    """Whether a factor has axes of the window alone: no library convolves both."""
    own = free.of(other) - {op.counter}
    return own <= free.of(window) and not own.isdisjoint(free.of(op.result))


def repeats_functions(op: phi.FoldOp) -> bool:
    """Whether inner loops call functions for values that are the same in each step of a fold."""
    return any(
        is_function(each) and is_same_in_each_step(each.results[0], op)
        for each in nested(op.body.block)
    )


def is_same_in_each_step(value: SSAValue, op: phi.FoldOp) -> bool:
    """Whether a value in a fold depends on indices and counters of inner loops alone."""
    behind = values_behind([value], lambda each: is_within(each, op))
    variables = [each for each in behind if isinstance(each, BlockArgument)]
    return bool(variables) and not any(
        each.block is op.body.block or _is_carried(each) for each in variables
    )


def _is_carried(variable: BlockArgument) -> bool:
    loop = variable.block.parent_op()
    is_counter = isinstance(loop, phi.CountedOp) and variable is loop.counter
    return not is_counter and not isinstance(variable.type, IndexType)
