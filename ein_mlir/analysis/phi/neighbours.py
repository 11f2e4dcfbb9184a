"""Values of a comprehension that are one function of its indices, at indices that differ.

``f(a[i]) - f(a[i + 1])`` has two values of one class, whose offsets are 0 and 1 along i. A value is
followed through operations of one block; a position is followed as a linear form, modulo 2^64.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence

from xdsl.dialects.builtin import i64
from xdsl.ir import BlockArgument, Operation, SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.speculation import may_fail
from ein_mlir.analysis.scopes import is_within
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass

Offsets = Mapping[BlockArgument, int]
"""The constants that are added to the indices that a value varies with."""


@dataclass(frozen=True)
class Member:
    """A value of a class: the function of the class at indices with offsets."""

    number: int
    """The number of the class."""
    offsets: Offsets

    def at(self) -> Hashable:
        """The same for members at the same indices."""
        return frozenset(self.offsets.items())


class Neighbours:
    """The classes of the values of a comprehension's block."""

    def __init__(self, op: phi.ArrayOp, forms: IndexForms):
        self._op = op
        self._forms = forms
        self._numbers = dict[Hashable, int]()
        self._members = dict[SSAValue, Member]()
        self.classes = dict[int, list[Operation]]()
        """The operations of each class, in order."""
        for each in op.body.block.ops:
            member = self._member_of(each)
            if member is not None:
                self._members[each.results[0]] = member
                self.classes.setdefault(member.number, []).append(each)

    def member(self, value: SSAValue) -> Member | None:
        """The class of a value and its offsets; None if it is no known function of the indices."""
        if not is_within(value, self._op):
            return Member(self._number(("fixed", value)), {})
        return self._members.get(value)

    def _number(self, key: Hashable) -> int:
        return self._numbers.setdefault(key, len(self._numbers))

    def _member_of(self, op: Operation) -> Member | None:
        if len(op.results) != 1 or op.regions or may_fail(op):
            return None
        if op.results[0].type == i64 and (form := self._linear(op.results[0])) is not None:
            return self._of_forms("form", [form])
        if isinstance(op, phi.GetOp) and not is_within(op.array, self._op):
            forms = [self._position(op, axis) for axis in range(len(op.positions))]
            known = [form for form in forms if form is not None]
            if len(known) == len(forms):
                return self._of_forms(op.array, known)
        operands = [self.member(operand) for operand in op.operands]
        known = [operand for operand in operands if operand is not None]
        if len(known) < len(operands):
            return None
        offsets = dict[BlockArgument, int]()
        for operand in known:
            offsets = {**operand.offsets, **offsets}
        relative = tuple(
            (each.number, *(offset - offsets[index] for index, offset in _sorted(each.offsets)))
            for each in known
        )
        properties = tuple(sorted(op.properties.items(), key=lambda item: item[0]))
        return Member(self._number((type(op), properties, op.results[0].type, relative)), offsets)

    def _position(self, op: phi.GetOp, axis: int) -> LinearForm | None:
        """A position of a read, which clips it in any case."""
        size = self._forms.size(op.array, axis)
        return self._linear(self._forms.unclipped(op.positions[axis], size))

    def _linear(self, value: SSAValue) -> LinearForm | None:
        """An Int as a linear form in the indices and fixed values."""
        form = self._forms.form(value)
        is_known = all(
            atom in self._op.indices or not is_within(atom, self._op) for atom in form.coefficients
        )
        return form if is_known else None

    def _of_forms(self, what: Hashable, forms: Sequence[LinearForm]) -> Member:
        """A function of linear forms: each gives the offset of one index that it has as a term."""
        offsets, rests = dict[BlockArgument, int](), list[Hashable]()
        left = list(forms)
        for index in self._op.body.block.args:
            factors = [form.coefficients.get(index, 0) for form in left]
            if any(form.coefficients.get(index) for form in forms):
                first = next((k for k, factor in enumerate(factors) if abs(factor) == 1), None)
                offsets[index] = 0 if first is None else left[first].constant * factors[first]
                left = [
                    form - LinearForm.number(factor * offsets[index])
                    for form, factor in zip(left, factors, strict=True)
                ]
        for form in left:
            rests.append((frozenset(form.coefficients.items()), form.constant))
        return Member(self._number((what, tuple(rests))), offsets)


def ends(members: Iterable[Offsets]) -> Mapping[BlockArgument, tuple[int, int]]:
    """The least and the largest offset of some members of a class along each index."""
    first, *others = members
    columns = {index: [first[index], *(each[index] for each in others)] for index in first}
    return {index: (min(column), max(column)) for index, column in columns.items()}


def _sorted(offsets: Offsets) -> list[tuple[BlockArgument, int]]:
    return sorted(offsets.items(), key=lambda item: item[0].index)
