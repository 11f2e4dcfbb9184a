"""The variables of loops as functions of positions: the steps that reach an element.

A step of loops over ``i < n`` and ``k < m`` reaches the element ``i + k - 1``. The element ``q`` is
reached by the steps with ``i == q + 1 - k`` and ``0 <= i < n``, one for each ``k``. So a value
accumulated at such positions is a sum over ``k`` of guarded reads.

Each position is solved for a variable with the coefficient 1 or -1 that no later equation needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from xdsl.dialects.builtin import IndexType
from xdsl.ir import SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.host.dataclass import dataclass

MOST_SPREAD = 8
"""The largest coefficient of another variable: the positions are at most so many times more."""

MOST_BEYOND = 2**16
"""The largest number of positions beyond an end."""

End: TypeAlias = int | LinearForm
"""The number of positions beyond an end, or the form that it is unless that is negative."""


@dataclass(frozen=True)
class Inverse:
    """A position ``sign * variable + rest`` of an axis, as an equation for the variable."""

    axis: int
    variable: SSAValue
    sign: int
    rest: LinearForm
    """A form in other variables, and in values from outside of the loops."""
    is_turned: bool = False
    """Whether the position is the remainder of that by the number of steps of the variable."""

    def solution(self, position: LinearForm) -> LinearForm:
        """The variable where the position has a value."""
        return (position - self.rest) * self.sign


@dataclass(frozen=True)
class Steps:
    """The first and the last step of a loop that count."""

    first: LinearForm
    last: LinearForm

    def is_after(self, step: int) -> bool:
        """Whether all of them provably come after a step."""
        known = self.first.known()
        return known is not None and known > step

    def is_before(self, step: LinearForm) -> bool:
        """Whether all of them provably come before a step."""
        known = (step - self.last).known()
        return known is not None and known > 0


def restrict(steps: dict[SSAValue, Steps], below: LinearForm) -> None:
    """Leave out steps where a form is above 0."""
    (own, *others) = [atom for atom in below.coefficients if atom in steps] or [None]
    if own is None or others or abs(below.coefficients[own]) != 1:
        return
    rest, known = below.without([own]), steps[own]
    if below.coefficients[own] > 0:
        last = (known.last + rest).known()
        if last is not None and last > 0:
            steps[own] = Steps(known.first, -rest)
    elif (first := (rest - known.first).known()) is not None and first > 0:
        steps[own] = Steps(rest, known.last)


def inverses(
    positions: Sequence[LinearForm], sizes: Mapping[SSAValue, LinearForm]
) -> list[Inverse] | None:
    """Each position solved for a variable of its own; None if that is impossible.

    ``sizes`` are those of all variables. An equation follows those for variables in its ``rest``.
    """
    found, left = list[Inverse](), dict(enumerate(positions))
    while left:
        pivots = {each.variable for each in found}
        candidates = {axis: _candidates(form, sizes, pivots) for axis, form in left.items()}
        axis = min(candidates, key=lambda each: len(candidates[each]))
        if not candidates[axis]:
            return None
        form = left.pop(axis)
        variable = max(candidates[axis], key=lambda each: _rank(each, sizes))
        if any(variable in each.rest.coefficients for each in found):
            return None
        sign = form.coefficients[variable]
        found.append(Inverse(axis, variable, sign, form.without([variable])))
    return found


def _candidates(
    form: LinearForm, sizes: Mapping[SSAValue, LinearForm], pivots: set[SSAValue]
) -> list[SSAValue]:
    """The variables that a position can be solved for at little cost.

    A variable with a larger coefficient has more positions than one with the coefficient 1: each
    element would be a sum over all of its steps.
    """
    own = {atom: c for atom, c in form.coefficients.items() if atom in sizes and atom not in pivots}
    if any(abs(c) > MOST_SPREAD for c in form.coefficients.values()):
        return []
    best = max((_rank(atom, sizes) for atom in own), default=None)
    return [atom for atom, c in own.items() if abs(c) == 1 and _rank(atom, sizes) == best]


def _rank(variable: SSAValue, sizes: Mapping[SSAValue, LinearForm]) -> tuple[bool, bool]:
    """A larger one for the variables of larger loops: indices rather than counters of windows."""
    return sizes[variable].known() is None, isinstance(variable.type, IndexType)


def beyond_ends(
    position: LinearForm,
    extent: LinearForm,
    steps: Mapping[SSAValue, Steps],
    limits: Iterable[LinearForm],
    is_size: Callable[[LinearForm], bool],
) -> tuple[End, End] | None:
    """The numbers of positions below 0, and from the extent on; None if they may be any number.

    ``limits`` are forms that are at most 0 in all steps that count, such as ``-(i + k - 1)``.
    """
    low, high = position.extremes({atom: (each.first, each.last) for atom, each in steps.items()})
    first, last = -low, high - extent + 1
    for limit in limits:
        below, beyond = (position + limit).known(), (position - extent + 1 - limit).known()
        first = LinearForm.number(0) if below is not None and below >= 0 else first
        last = LinearForm.number(0) if beyond is not None and beyond <= 0 else last
    below, beyond = _end(first, is_size), _end(last, is_size)
    return None if below is None or beyond is None else (below, beyond)


def _end(form: LinearForm, is_size: Callable[[LinearForm], bool]) -> End | None:
    """The number of positions, at least 0; a form is negative if there are none."""
    known = form.known()
    if known is None:
        return form if is_size(form) else None
    return max(known, 0) if known <= MOST_BEYOND else None


def is_implied(limit: LinearForm, position: LinearForm, extent: LinearForm) -> bool:
    """Whether a form is at most 0 wherever a position is that of an element."""
    below, beyond = (position + limit).known(), (position - extent + 1 - limit).known()
    return (below is not None and below <= 0) or (beyond is not None and beyond >= 0)
