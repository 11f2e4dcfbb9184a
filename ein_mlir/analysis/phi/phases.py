"""Indices with a remainder: every p-th one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import product

from xdsl.ir import BlockArgument, SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.index_ranges import ORDINARY
from ein_mlir.analysis.phi.selections import Test
from ein_mlir.analysis.predicates import relation_of
from ein_mlir.dialects import sigma
from ein_mlir.host.dataclass import dataclass

MOST_PHASES = 4
"""The most slices of an array for one test."""


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
    """``(i + c) mod p == r`` with ``p >= 1``, for one of some indices; p, c and r do not vary.

    ``(i + c) mod 2 != r`` is ``(i + c + 1) mod 2 == r``.
    """
    for found in _remainders(test, indices, varies, forms):
        (index, times), *others = found.times.items()
        phase = Phase(index, found.step, found.offset, found.residue)
        if not others and times == 1 and _is_ordinary(phase, forms):
            return phase
    return None


def diagonals_of(
    test: Test,
    indices: Collection[SSAValue],
    varies: Callable[[SSAValue], bool],
    forms: IndexForms,
) -> Sequence[Sequence[Phase]]:
    """``(i + j + c) mod p == r`` as ``i mod p == q`` and ``(j + q + c) mod p == r`` for each q.

    For few phases: of the squares of a board, those in each row of one colour.
    """
    for found in _remainders(test, indices, varies, forms):
        step, free = known_int(found.step), len(found.times) - 1
        if not free or step is None or step**free > MOST_PHASES:
            continue
        diagonals = [_at(found, chosen, forms) for chosen in product(range(step), repeat=free)]
        if all(_is_ordinary(phase, forms) for phases in diagonals for phase in phases):
            return diagonals
    return ()


def _at(found: _Remainder, chosen: Sequence[int], forms: IndexForms) -> list[Phase]:
    """The phases of indices of which all but the last have some remainders."""
    *others, last = found.times.values()
    residue = forms.integer(found.residue)
    rest = sum((-n * q for n, q in zip(others, chosen, strict=True)), residue - found.offset)
    values = [*map(LinearForm.number, chosen), rest * last]
    return [
        Phase(index, found.step, residue - value, found.residue)
        for index, value in zip(found.times, values, strict=True)
    ]


@dataclass(frozen=True)
class _Remainder:
    """``(i - j + offset) mod step == residue``, of indices with the factors 1 or -1."""

    times: Mapping[BlockArgument, int]
    step: SSAValue
    offset: LinearForm
    residue: SSAValue


def _remainders(
    test: Test,
    indices: Collection[SSAValue],
    varies: Callable[[SSAValue], bool],
    forms: IndexForms,
) -> Iterator[_Remainder]:
    """A test as comparisons of remainders of indices, where nothing else varies."""
    found = relation_of(test.condition, expected=test.expected)
    if found is None or found.predicate not in ("eq", "ne"):
        return
    for each in found.readings:
        modulo = each.lhs.owner
        if not isinstance(modulo, sigma.FloorModOp) or varies(modulo.rhs) or varies(each.rhs):
            continue
        if found.predicate == "ne" and known_int(modulo.rhs) != 2:
            continue
        form = forms.exact_form(modulo.lhs)
        own = {} if form is None else {x: n for x, n in form.coefficients.items() if varies(x)}
        if form is None or not own or not all(x in indices and abs(n) == 1 for x, n in own.items()):
            continue
        offset = form.without([*own]) + (found.predicate == "ne")
        times = {x: n for x, n in own.items() if isinstance(x, BlockArgument)}
        yield _Remainder(times, modulo.rhs, offset, each.rhs)


def _is_ordinary(phase: Phase, forms: IndexForms) -> bool:
    """Whether ``0 <= residue < step``, and no sum of the residue and a position wraps."""
    residue, step = forms.integer(phase.residue), forms.integer(phase.step)
    return (
        forms.is_nonnegative(residue)
        and forms.is_below(residue, step)
        and forms.range_of(residue - phase.offset).magnitude < ORDINARY.high
    )
