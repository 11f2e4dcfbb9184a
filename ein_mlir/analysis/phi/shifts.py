"""Shifts: values that vary with a counter only by its sum with an index, or their difference.

A value varies with its terms: the variables that occur together in a linear form, each with its
factor. ``a[i + k + 1] * b[2*j]`` has the terms ``i + k`` and ``2*j``. It varies with the counter
``k`` by the shift ``i + k``, since all terms with one of the two variables have both of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from xdsl.dialects import func
from xdsl.dialects.builtin import i1, i64
from xdsl.ir import BlockArgument, Operation, SSAValue

from ein_mlir.analysis.arithmetic import SUMS_OF_SIZES, LinearForm
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.variables import Variables, variables_of
from ein_mlir.analysis.predicates import relation_of
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass

Term: TypeAlias = tuple[tuple[BlockArgument, int], ...]
"""Variables that occur in one linear form, each with its factor."""

MOST_STEP = 2**16
"""The largest factor of an index or a counter in a compared Int: no sum of multiples wraps."""


@dataclass(frozen=True)
class Shift:
    """A counter and an index of which a value depends on the sum, or on the difference."""

    fold: phi.FoldOp
    index: BlockArgument
    is_reversed: bool
    """Whether the counter is subtracted."""

    @property
    def text(self) -> str:
        """``i + k``"""
        sign = "-" if self.is_reversed else "+"
        return f"{name_of(self.index)} {sign} {name_of(self.fold.counter)}"


class Shifts:
    """The shifts of the values of a function."""

    def __init__(self, function: func.FuncOp, forms: IndexForms):
        self._variables = variables_of(function)
        self._forms = forms
        self._terms = dict[SSAValue, Sequence[Term]]()

    def add(self, ops: Iterable[Operation]) -> None:
        """Note operations without bodies that were added to the function."""
        for op in ops:
            varying = frozenset[BlockArgument]().union(*map(self.variables, op.operands))
            self._variables.update(dict.fromkeys(op.results, varying))
        self._terms.clear()

    def variables(self, value: SSAValue) -> Variables:
        """The indices, counters and accumulators that a value varies with."""
        return self._variables.get(value, frozenset())

    def shift(
        self, value: SSAValue, fold: phi.FoldOp, indices: Iterable[BlockArgument]
    ) -> Shift | None:
        """The shift by the first of some indices with which a value varies with a counter."""
        factors = [dict(term) for term in self.terms(value)]
        for index in indices:
            pairs = [(each.get(fold.counter, 0), each.get(index, 0)) for each in factors]
            found = [pair for pair in pairs if pair != (0, 0)]
            for sign in (1, -1):
                if found and all(step == sign * factor for step, factor in found):
                    return Shift(fold, index, is_reversed=sign < 0)
        return None

    def terms(self, value: SSAValue) -> Sequence[Term]:
        """The terms that a value varies with, found once."""
        pending = [value]
        while pending:
            current = pending[-1]
            missing = () if current in self._terms else self._visit(current)
            if missing:
                pending.extend(missing)
            else:
                pending.pop()
        return self._terms[value]

    def _visit(self, value: SSAValue) -> Sequence[SSAValue]:
        """Set the terms of a value, unless those of some operands are missing: return these."""
        owner = value.owner
        own, sources = (), list[SSAValue]()
        if not self.variables(value):
            pass
        elif isinstance(value, BlockArgument):
            own = ((value, 1),)
        elif (form := self._form(value)) is not None:
            varying = {x: n for x, n in form.coefficients.items() if self.variables(x)}
            own = tuple((x, n) for x, n in varying.items() if isinstance(x, BlockArgument))
            sources = [x for x in varying if not isinstance(x, BlockArgument)]
        elif isinstance(owner, Operation):
            sources = list(_sources(owner))
        missing = [source for source in sources if source not in self._terms]
        if not missing:
            terms = [own] if own else []
            terms.extend(term for source in sources for term in self._terms[source])
            if isinstance(owner, Operation) and owner.regions:
                terms = _outside(owner, terms)
            self._terms[value] = tuple(dict.fromkeys(terms))
        return missing

    def _form(self, value: SSAValue) -> LinearForm | None:
        """The linear form that an Int is, or that a comparison compares with zero, if any."""
        if value.type == i1:
            return self._difference(value)
        if value.type != i64:
            return None
        form = self._forms.form(value)
        return None if value in form.coefficients else form

    def _difference(self, value: SSAValue) -> LinearForm | None:
        """The difference of compared Ints, if it is exact wherever the shift is in its range."""
        found = relation_of(value)
        if found is None or found.is_unsigned:
            return None
        sides = [self._forms.exact_form(side) for side in (found.lhs, found.rhs)]
        if any(side is None or not self._is_small(side) for side in sides):
            return None
        return self._forms.form(found.lhs) - self._forms.form(found.rhs)

    def _is_small(self, form: LinearForm) -> bool:
        """Whether a form is exact for indices and counters of twice their range, too."""
        return all(
            abs(factor) <= MOST_STEP and self._forms.range(atom) in SUMS_OF_SIZES
            for atom, factor in form.coefficients.items()
        )


def _sources(op: Operation) -> Iterator[SSAValue]:
    """The values that the results of an operation follow from, in reverse order."""
    for region in op.regions:
        if region.block.last_op is not None:
            yield from region.block.last_op.operands
    yield from reversed(op.operands)


def _outside(op: Operation, terms: Iterable[Term]) -> list[Term]:
    """Terms without the variables that an operation binds."""
    bound = [region.block for region in op.regions]
    rest = (tuple((x, n) for x, n in term if x.block not in bound) for term in terms)
    return [term for term in rest if term]
