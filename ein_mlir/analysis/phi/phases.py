"""Indices with a remainder: every p-th one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
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
    for index, *others in _remainders(test, indices, varies, forms):
        if not others and index.times == 1:
            phase = Phase(index.index, index.step, index.offset, index.residue)
            if _is_ordinary(phase, forms):
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
    for terms in _remainders(test, indices, varies, forms):
        step = known_int(terms[0].step)
        if len(terms) < 2 or step is None or step ** (len(terms) - 1) > MOST_PHASES:
            continue
        found = [
            _at(terms, chosen, forms) for chosen in product(range(step), repeat=len(terms) - 1)
        ]
        if all(_is_ordinary(phase, forms) for phases in found for phase in phases):
            return found
    return ()


def _at(terms: Sequence[_Term], chosen: Sequence[int], forms: IndexForms) -> list[Phase]:
    """The phases of indices of which all but the last have some remainders."""
    last = terms[-1]
    residue = forms.integer(last.residue)
    rest = sum(
        (-each.times * q for each, q in zip(terms, chosen, strict=False)), residue - last.offset
    )
    values = [*map(LinearForm.number, chosen), rest * last.times]
    return [
        Phase(each.index, each.step, residue - value, each.residue)
        for each, value in zip(terms, values, strict=True)
    ]


@dataclass(frozen=True)
class _Term:
    """One of the indices of ``(i - j + offset) mod step == residue``."""

    index: BlockArgument
    times: int
    """1 or -1."""
    step: SSAValue
    offset: LinearForm
    residue: SSAValue


def _remainders(
    test: Test,
    indices: Collection[SSAValue],
    varies: Callable[[SSAValue], bool],
    forms: IndexForms,
) -> Iterator[Sequence[_Term]]:
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
        yield [
            _Term(index, times, modulo.rhs, offset, each.rhs)
            for index, times in own.items()
            if isinstance(index, BlockArgument)
        ]


def _is_ordinary(phase: Phase, forms: IndexForms) -> bool:
    """Whether ``0 <= residue < step``, and no sum of the residue and a position wraps."""
    residue, step = forms.integer(phase.residue), forms.integer(phase.step)
    return (
        forms.is_nonnegative(residue)
        and forms.is_below(residue, step)
        and forms.range_of(residue - phase.offset).magnitude < ORDINARY.high
    )
