"""Sizes as linear forms, for bounds of slices in their simplest form."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager

from xdsl.dialects import arith
from xdsl.ir import Block, SSAValue

from ein_mlir.analysis.arithmetic import SUMS_OF_SIZES, Integers, LinearForm, value_of_form
from ein_mlir.analysis.scopes import reached
from ein_mlir.dialects.yarr.integers import YarrLevel
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.yarr_to_emitpy.builder import PythonBuilder

Key = tuple[SSAValue, int]
"""A size of an array: the array and an axis."""


class Sizes(Integers):
    """The linear forms of the sizes in a yarr function.

    Sizes that the function asserts to be equal are the same term from there on, in the body of the
    assertion. Sizes of arrays are recorded where they dominate every use.
    """

    def __init__(self, entry: Block) -> None:
        super().__init__(YarrLevel())
        self._entry = entry
        self._sizes: dict[Key, LinearForm] = {}
        self._equal: dict[SSAValue, LinearForm] = {}

    @contextmanager
    def in_body(self) -> Generator[None]:
        """Forget the records of a body after it: it may not be executed."""
        before = dict(self._forms), dict(self._equal)
        yield
        self._forms, self._equal = before

    def of(self, size: SSAValue | int) -> LinearForm:
        """The form of a size, as an integer."""
        if isinstance(size, int):
            return LinearForm.number(size)
        return self.integer(size, SUMS_OF_SIZES)

    def define(self, value: SSAValue, form: LinearForm) -> None:
        """Record the form of a size."""
        self._forms[value] = form

    def extents(self, size: SSAValue | int) -> list[LinearForm]:
        """Forms whose minimum is a size, or 0 if that is negative."""
        form = self.of(size)
        bounds = self._operands(form, arith.MaxSIOp)
        if any(bound.known() == 0 for bound in bounds):
            form = bounds[bounds[0].known() == 0]

        def parts(form: LinearForm) -> Sequence[LinearForm]:
            return self._operands(form, arith.MinSIOp)

        return [each for each in reached([form], parts) if not parts(each)]

    def _operands(
        self, form: LinearForm, operation: type[arith.MaxSIOp | arith.MinSIOp]
    ) -> Sequence[LinearForm]:
        """The forms whose extremum is a form: a sum with an extremum, and no other of its terms."""
        for atom, factor in form.coefficients.items():
            computed = self._level.computation(atom)
            if computed is not None and computed[0] is operation and factor == 1:
                rest = form.without([atom])
                return [self.integer(operand) + rest for operand in computed[1]]
        return ()

    def define_size(self, value: SSAValue, array: SSAValue, axis: int) -> None:
        """Record that a value is the size of an array."""
        key = array, axis
        if value.owner.parent in (self._entry, array.owner):
            self._sizes.setdefault(key, LinearForm.of(value))
        if key in self._sizes:
            self._forms[value] = self._sizes[key]

    def define_size_of(self, array: SSAValue, axis: int, form: LinearForm) -> None:
        """Record the size of an array, in terms that dominate the array."""
        self._sizes[array, axis] = form

    def size(self, array: SSAValue, axis: int) -> LinearForm | None:
        """The form of the size of an array, if the function has read that size."""
        form = self._sizes.get((array, axis))
        return form and self.canonical(form)

    def equate(self, lhs: SSAValue, rhs: SSAValue) -> None:
        """Record that two sizes are asserted to be equal."""
        for kept, dropped in ((lhs, rhs), (rhs, lhs)):
            form, atom = self.of(kept), _only_atom(self.of(dropped))
            if atom is not None and atom not in form.coefficients:
                self._equal[atom] = form
                return

    def canonical(self, form: LinearForm) -> LinearForm:
        """The form with its terms replaced by the terms that they are asserted to be equal to."""
        if not any(atom in self._equal for atom in form.coefficients):
            return form
        result = LinearForm.number(form.constant)
        for atom, factor in form.coefficients.items():
            if atom in self._equal:
                self._equal[atom] = self.canonical(self._equal[atom])
                result += self._equal[atom] * factor
            else:
                result += LinearForm({atom: factor})
        return result


def _only_atom(form: LinearForm) -> SSAValue | None:
    """The atom that a form is equal to, if it is one."""
    atoms = list(form.coefficients)
    return atoms[0] if len(atoms) == 1 and form == LinearForm.of(atoms[0]) else None


@dataclass(frozen=True)
class PythonInts:
    """Builds arithmetic of Python's own ints, which do not wrap."""

    build: PythonBuilder

    def integer(self, number: int) -> SSAValue:
        """A literal."""
        return self.build.literal(number)

    def combined(self, lhs: SSAValue, symbol: str, rhs: SSAValue) -> SSAValue:
        """``lhs + rhs``"""
        return self.build.binary(lhs, symbol, rhs)

    def negated(self, operand: SSAValue) -> SSAValue:
        """``-x``"""
        return self.build.unary("-", operand)

    def value(self, form: LinearForm, lowered: Callable[[SSAValue], SSAValue]) -> SSAValue:
        """The value of a form, given those of its terms."""
        return value_of_form(form, self, lowered)
