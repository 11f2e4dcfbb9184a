"""Carried scalars: the fields of an accumulator whose next value follows from their own.

Such a field is known before the loop runs: its values before all steps are a scan.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypeAlias

from xdsl.dialects import arith
from xdsl.dialects.builtin import TupleType
from xdsl.ir import Block, SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.fold_components import fields_read
from ein_mlir.analysis.phi.free_indices import leaf_types
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.loops.combinations import (
    Combined,
    Later,
    Modular,
    Reset,
    Weighted,
    combination_by,
    links_of,
    modular_of,
    reset_of,
)
from ein_mlir.analysis.phi.loops.first_taken import First, first_taken
from ein_mlir.analysis.phi.loops.linear import LinearRecurrence, linear_recurrence
from ein_mlir.analysis.phi.loops.writes import last_write
from ein_mlir.analysis.phi.searches import (
    Search,
    field_of,
    leaf_values,
    search_of,
    search_of_fields,
)
from ein_mlir.analysis.phi.selections import Test
from ein_mlir.analysis.scopes import dependents, reached
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass

MOST_VALUES = 64
"""The most values that a step may choose from: nested selections may share their branches."""


@dataclass(frozen=True)
class Taken:
    """The value before, or a value of the step, as conditions of the step select."""

    values: Sequence[tuple[Sequence[Test], SSAValue]]
    """The values of the step, each with the tests under which the next value is that one."""

    @property
    def parts(self) -> list[SSAValue]:
        """The values of a step that the next value depends on."""
        conditions = [test.condition for tests, _ in self.values for test in tests]
        return [*conditions, *(value for _, value in self.values)]

    def __str__(self) -> str:
        return "taken from the last step that selects a value"


@dataclass(frozen=True)
class Improved:
    """The better one of the value before and a value of the step."""

    search: Search

    def __str__(self) -> str:
        return f"the best value of all steps: {self.search.predicate}"

    @property
    def parts(self) -> list[SSAValue]:
        """The values of a step that the next value depends on."""
        return [*self.search.candidates, *self.search.guards]


Carried: TypeAlias = Combined | Taken | Improved | First


# Fields ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Field:
    """A scalar field of an accumulator whose values follow from its own previous ones."""

    number: int
    step: SSAValue
    previous: Sequence[SSAValue]
    """The values of the body that are the previous one."""
    carried: Carried
    is_read: bool
    """Whether other fields read it."""


@dataclass(frozen=True)
class Row:
    """An array of an accumulator whose elements may each follow from their own previous ones."""

    number: int
    step: SSAValue
    previous: Sequence[SSAValue]
    """The values of the body that are the previous one."""


class Fields:
    """The fields of the accumulator of a fold, and the dependences between them."""

    def __init__(
        self,
        op: phi.FoldOp,
        forms: IndexForms,
        *,
        weighted: bool = True,
        later: Later | None = None,
    ):
        """Without ``weighted``, no field is one that only a scan with weights has.

        Of the choices ``later`` the value in later steps counts.
        """
        self._later = later or Later()
        self._op = op
        self._forms = forms
        self._inits = leaf_values(op.init)
        self._weighted = weighted
        self._steps = leaf_values(op.yielded())
        are_fields = len(self._steps) == len(leaf_types(op.result.type))
        self._read = fields_read(op) if are_fields else None
        self._previous = defaultdict[int, list[SSAValue]](list)
        for value in self._fields():
            number = field_of(value, op.accumulator)
            if number is not None:
                self._previous[number].append(value)

    def _fields(self) -> list[SSAValue]:
        """The values of the body that are fields of the accumulator, or that itself."""
        op = self._op
        if not isa(op.result.type, TupleType):
            return [op.accumulator]
        projections = [each for each in op.body.block.ops if isinstance(each, phi.ProjOp)]
        return [each.result for each in projections if not isa(each.result.type, TupleType)]

    def known(self, *, scans: bool = True) -> Field | None:
        """A field that other fields read, or the last of some values; None if there is none.

        Without ``scans``, it is one whose values follow from the step that takes one.
        """
        for number in range(len(self._steps)):
            found = self.carried(number)
            if found is None:
                continue
            readers = self._readers[number]
            others = [k for k in readers if k != number]
            if (
                not scans
                and not isinstance(found, First)
                and (others or not isinstance(found, Taken))
            ):
                continue
            is_needed = others or isinstance(found, Taken | Weighted | Modular | Reset | First)
            if is_needed and all(map(self._is_known, others)) and not self._is_search(readers):
                return self._field(number, found)
        return None

    def linear(self) -> LinearRecurrence | None:
        """Fields that depend on each other linearly, read by others that may be known."""
        for number in range(len(self._steps)):
            found = set(reached([number], self._read_by))
            readers = {k for each in found for k in self._readers[each]} - found
            if number in self._read_by(number) and all(
                self._is_known(k) or self._follows(k, found) for k in readers
            ):
                system = self._system(sorted(found))
                if system is not None:
                    return system
        return None

    def _follows(self, number: int, others: set[int]) -> bool:
        """Whether a field depends on itself linearly, and on none besides some others."""
        return self._read_by(number) - {number} <= others and self._system([number]) is not None

    def _system(self, numbers: Sequence[int]) -> LinearRecurrence | None:
        fields = {x: row for row, k in enumerate(numbers) for x in self._previous[k]}
        steps = [self._steps[k] for k in numbers]
        return linear_recurrence(self._op, numbers, steps, fields, self._later)

    def rows(self) -> Iterator[Row]:
        """The arrays that depend on no other field, and that fields read which may be known.

        A field that reads no other one may be a sum of arrays.
        """
        if phi.struct_of_arrays(self._op.result.type) != self._op.result.type:
            return
        for number, step in enumerate(self._steps):
            previous = self._previous[number]
            if not phi.rank_of(step.type) or step in previous or self._read_by(number) - {number}:
                continue
            others = [k for k in self._readers[number] if k != number]
            if others and all(self._is_known(k) or self._read_by(k) <= {k, number} for k in others):
                yield Row(number, step, previous)

    def first(self) -> Field | None:
        """A field that takes the value of the first step with conditions."""
        for number in range(len(self._steps)):
            if isinstance(found := self.carried(number), First):
                return self._field(number, found)
        return None

    def _field(self, number: int, found: Carried) -> Field:
        is_read = any(reader != number for reader in self._readers[number])
        return Field(number, self._steps[number], self._previous[number], found, is_read)

    def _is_search(self, numbers: Sequence[int]) -> bool:
        """Whether fields are a search: they keep values with the best one, for no other field."""

        def field(value: SSAValue) -> int | None:
            return next((k for k, n in enumerate(numbers) if value in self._previous[n]), None)

        found = search_of_fields([self._steps[number] for number in numbers], field)
        if found is None or len(numbers) == 1:
            return False
        parts = self._read_of((*found.candidates, *found.guards))
        others = [step for k, step in enumerate(self._steps) if k not in numbers]
        return parts.isdisjoint(numbers) and self._read_of(others).isdisjoint(numbers)

    def _read_of(self, values: Sequence[SSAValue]) -> frozenset[int]:
        return frozenset[int]().union(*((self._read or {}).get(value, ()) for value in values))

    def carried(self, number: int) -> Carried | None:
        """The dependence of a scalar field on itself, if it reads no other."""
        if self._read is None:
            return None
        return None if self._read_by(number) - {number} else self._carried(number)

    def _read_by(self, number: int) -> frozenset[int]:
        """The fields that the next value of a field depends on."""
        return (self._read or {}).get(self._steps[number], frozenset())

    @cached_property
    def _readers(self) -> Mapping[int, Sequence[int]]:
        """The fields whose next values depend on a field."""
        readers = defaultdict[int, list[int]](list)
        for number in range(len(self._steps)):
            for read in self._read_by(number):
                readers[read].append(number)
        return readers

    def _carried(self, number: int) -> Carried | None:
        step, previous = self._steps[number], self._previous[number]
        if not phi.is_scalar_type(step.type) or step in previous:
            return None
        init = self._inits[number] if len(self._inits) == len(self._steps) else None
        found = first_taken(self._op, init, step, previous, self._forms)
        found = found or carried(step, previous, self._op.body.block, self._later)
        match found:
            case Weighted() | Modular() | Reset(is_invertible=False):
                return found if self._weighted else None
            case _:
                return found

    def _is_known(self, number: int) -> bool:
        """Whether a field may need no loop once the fields that it reads are known."""
        step = self._steps[number]
        if phi.rank_of(step.type):
            return last_write(step, self._op.body.block) is not None
        return self._carried(number) is not None


# Dependences ----------------------------------------------------------------------------------


def carried(
    next_value: SSAValue, previous: Sequence[SSAValue], block: Block, later: Later | None = None
) -> Carried | None:
    """The dependence of the next value of a scalar field on its previous one; None if another.

    Of the choices ``later`` the value in later steps counts.
    """
    varying = dependents(block, *previous)
    links = links_of(next_value, previous, block, later)
    found = combination_by(links) if links else None
    if found is not None and not (isinstance(found, Weighted) and not found.is_testable):
        return found
    found = modular_of(next_value, previous, block) or reset_of(next_value, previous, block)
    if found is not None:
        return found
    taken = _taken(next_value, frozenset(previous), varying)
    if taken is not None:
        return taken
    search = search_of(next_value, lambda value: 0 if value in previous else None)
    if search is None or not varying.isdisjoint((*search.candidates, *search.guards)):
        return None
    return Improved(search)


def _taken(value: SSAValue, previous: frozenset[SSAValue], varying: set[SSAValue]) -> Taken | None:
    """Selections between values of the step and previous ones, by conditions of the step."""
    found = list[tuple[Sequence[Test], SSAValue]]()
    pending: list[tuple[Sequence[Test], SSAValue]] = [((), value)]
    while pending:
        tests, current = pending.pop()
        if current not in varying:
            found.append((tests, current))
        elif current not in previous:
            op = current.owner
            if not isinstance(op, arith.SelectOp) or op.cond in varying:
                return None
            for branch, expected in ((op.lhs, True), (op.rhs, False)):
                pending.append(((*tests, Test(op.cond, expected)), branch))
        if len(found) > MOST_VALUES:
            return None
    return Taken(found) if found else None
