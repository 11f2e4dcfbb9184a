"""Reductions of the elements of windows, or of their products with weights, along one axis."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Literal

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from ein_mlir.analysis.arithmetic import MOST
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.index_ranges import is_thin
from ein_mlir.analysis.phi.selections import factor_pairs, is_zero, summed
from ein_mlir.analysis.phi.strided_positions import is_variable, size_of_variable
from ein_mlir.analysis.scopes import is_within
from ein_mlir.dialects import phi


def is_window_product(op: phi.FoldOp, summand: SSAValue, forms: IndexForms) -> bool:
    """Whether a fold over k sums ``u[k] * x[i + k + c]``, or ``u[k] * x[i - k + c]``, for each i.

    The weights ``u[k]`` vary with no index. A library correlates the two vectors without an array
    of their products or of the windows.
    """
    return len(forms.free.of(op.result)) == 1 and any(
        not forms.free.of(weights) - {op.counter} and _is_window(op, window, forms)
        for weights, window in factor_pairs(summand)
    )


def _is_window(op: phi.FoldOp, value: SSAValue, forms: IndexForms) -> bool:
    """Whether a value is the element of a fixed vector at ``i + k + c`` or ``i - k + c``."""
    read = value.owner
    if not isinstance(read, phi.GetOp) or len(read.positions) != 1 or forms.free.of(read.array):
        return False
    (position,), (index,) = read.positions, forms.free.of(op.result)
    form = forms.form(position)
    others = [atom for atom in form.coefficients if atom not in (index, op.counter)]
    return (
        not is_within(read.array, op)
        and phi.rank_of(read.array.type) == 1
        and form.coefficients.get(index) == 1
        and abs(form.coefficients.get(op.counter, 0)) == 1
        and not any(is_within(atom, op) or forms.free.of(atom) for atom in others)
    )


def is_window_read(op: phi.FoldOp, value: SSAValue, forms: IndexForms) -> bool:
    """Whether a step over k reads a fixed array at ``i + k + c``, or ``i - k + c``, along one axis.

    Along others it reads at an index each, or at Ints that vary with no index. The elements of all
    steps are a view of the array, or of a part of it with repeated ends.
    """
    read = value.owner
    if not isinstance(read, phi.GetOp) or is_within(read.array, op) or forms.free.of(read.array):
        return False
    if len(read.positions) != phi.rank_of(read.array.type):
        return False
    places = [forms.form(position).coefficients for position in read.positions]
    windows = [place for place in places if op.counter in place]
    indices = [atom for place in places for atom in place if forms.free.of(atom)]
    return (
        len(windows) == 1
        and abs(windows[0][op.counter]) == 1
        and len(set(indices)) == len(indices)
        and all(abs(place[atom]) == 1 for place in places for atom in place if forms.free.of(atom))
        and all(forms.free.of(atom) <= {atom} for atom in indices)
        and sum(bool(forms.free.of(atom)) for atom in windows[0]) == 1
        and all(sum(bool(forms.free.of(atom)) for atom in place) <= 1 for place in places)
        and not any(
            is_within(atom, op) for place in places for atom in place if atom is not op.counter
        )
    )


def multiplies_windows(op: phi.FoldOp, summand: SSAValue, free: FreeIndices) -> bool:
    """Whether a step multiplies elements of windows of an array, ``q[i, k] * x[i + p, k]``.

    All windows have few times the elements of the array, since the indices in a window are thin.
    The other factor has no more axes than the result.
    """
    rank = len(free.of(op.result))
    return any(
        len(free.of(other) | {op.counter}) <= rank
        and _reads_windows(op, factor, free.of(factor) | {op.counter})
        for factor, other in factor_pairs(summand)
    )


def _reads_windows(op: phi.FoldOp, value: SSAValue, axes: Set[SSAValue]) -> bool:
    """Whether an array that exists before a loop has as many axes as there are long ones."""
    read = value.owner
    if not isinstance(read, phi.GetOp) or is_within(read.array, op):
        return False
    thin = {
        each
        for each in axes - {op.counter}
        if is_variable(each) and is_thin(size_of_variable(each))
    }
    return bool(thin) and len(axes - thin) <= len(read.positions)


def reduced_element(value: SSAValue) -> SSAValue:
    """The element that a reduction of a comprehension combines; a value itself if it is none."""
    if isinstance(op := value.owner, phi.ReduceOp) and isinstance(op.vec.owner, phi.ArrayOp):
        return op.vec.owner.yielded()
    return value


def _reduced_indices(value: SSAValue) -> Set[SSAValue]:
    """The indices of a comprehension whose elements a reduction combines."""
    elements = value.owner.vec.owner if isinstance(value.owner, phi.ReduceOp) else None
    return {*elements.indices} if isinstance(elements, phi.ArrayOp) else set()


def sums_filters(
    op: phi.FoldOp, forms: IndexForms, kind: Literal["channels", "outputs", "groups"]
) -> bool:
    """Whether a fold over k sums products of windows, at ``i + k``, with filters picked by k.

    A library convolves in one call. A mask does no harm. The filters of the kind ``channels`` are
    those of channels, which are summed in the step. With ``groups`` they may also differ for each
    group, an index of both factors. With ``outputs`` they have channels or outputs, but no groups,
    and the terms are products of floats.
    """
    if (total := summed(op)) is None:
        return False
    has_channels, term = isinstance(total.owner, phi.ReduceOp), reduced_element(total)
    channels = _reduced_indices(total)
    if isinstance(choice := term.owner, arith.SelectOp) and is_zero(choice.rhs):
        term = choice.lhs
    if kind == "outputs" and not isinstance(term.owner, arith.MulfOp):
        return False

    def shifts(value: SSAValue) -> list[Mapping[SSAValue, int]]:
        """The factors of indices in the positions of a read that the counter shifts."""
        positions = value.owner.positions if isinstance(value.owner, phi.GetOp) else ()
        return [x for x in (forms.form(p).coefficients for p in positions) if op.counter in x]

    def places(value: SSAValue) -> set[SSAValue] | None:
        """The indices along whose axes the counter shifts a read; None if it picks no element."""
        shifted = shifts(value)
        return {i for atoms in shifted for i in atoms if forms.free.of(i)} if shifted else None

    def overlap(window: SSAValue) -> bool:
        """Whether windows have elements in common: products of blocks are those of matrices."""
        return all(
            abs(by) < abs(x[op.counter]) * (known_int(op.count) or MOST)
            for x in shifts(window)
            for i, by in x.items()
            if i is not op.counter and forms.free.of(i)
        )

    def has_roles(images: Set[SSAValue], filters: Set[SSAValue]) -> bool:
        is_shared = not images.isdisjoint(filters - channels)
        if kind == "groups":
            return has_channels or is_shared
        return bool(has_channels if kind == "channels" else filters) and not is_shared

    return any(
        bool(shifted := places(window))
        and places(filters) == set()
        and shifted.isdisjoint(forms.free.of(filters))
        and has_roles(forms.free.of(window), forms.free.of(filters))
        and overlap(window)
        for window, filters in factor_pairs(term)
    )
