"""Contributions to cotangents: the loops around them, the sizes and positions of elements."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from functools import reduce
from typing import TypeAlias

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from ein_mlir.analysis.arithmetic import Integers, LinearForm
from ein_mlir.analysis.arithmetic.inverses import End, Inverse, Steps
from ein_mlir.analysis.phi.demand import counts_of
from ein_mlir.analysis.phi.free_indices import leaf_types
from ein_mlir.analysis.phi.selections import Test, is_zero
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence
from ein_mlir.analysis.scopes import home_of, is_within, values_behind
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi import Term
from ein_mlir.dialects.phi.integers import PhiLevel
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.phi.derivatives.sizes import is_visible
from ein_mlir.rewriting.phi.derivatives.tangents import Leaf, NoDerivativeError, at_end
from ein_mlir.rewriting.phi.insertion import Builder, Inserter


@dataclass(frozen=True)
class Loop:
    """A linear loop around a contribution: its variable, and the number of its steps."""

    variable: SSAValue
    size: SSAValue


@dataclass(frozen=True)
class Contribution:
    """``leaf[positions] += value``, in a body."""

    block: Block
    positions: tuple[SSAValue, ...]
    value: SSAValue


@dataclass(frozen=True)
class Site:
    """``a[positions] += value`` in loops, to be collected at the end of a block."""

    terms: Sequence[Term]
    """The sizes of ``a``."""
    loops: Sequence[Loop]
    positions: Sequence[SSAValue]
    axes: Sequence[Loop | None]
    """The loop over each axis whose position is its index, and takes all its values once."""
    value: SSAValue
    home: Block
    at: Operation | None
    """An operation in the loops, whose assertions hold."""

    @property
    def is_once(self) -> bool:
        """Whether the indices of some axes determine the positions along the others."""
        moving = [loop for loop in self.loops if moves(self.positions, loop)]
        return any(self.axes) and all(loop in self.axes for loop in moving)

    @property
    def rows(self) -> list[Loop]:
        """The loops over the last axes, of which no other position depends."""
        rows: list[Loop] = []
        for axis in reversed(range(len(self.axes))):
            loop = self.axes[axis]
            if loop is None or moves(self.positions[:axis], loop):
                break
            rows.insert(0, loop)
        return rows


@dataclass(frozen=True)
class Window:
    """Loops, with the steps that reach an element as functions of its position."""

    loops: Sequence[Loop]
    inverses: Sequence[Inverse]
    """By axes."""
    in_order: Sequence[Inverse]
    """In the order of their solution."""
    ends: Sequence[tuple[End, End]]
    """The numbers of positions below 0 and from the size on, for each axis."""
    implied: Sequence[Sequence[Test]]
    """The tests in the contribution that hold for all positions within the ends, for each axis."""
    whole: Set[int]
    """The axes whose positions are the variables themselves: all steps reach an element."""
    steps: Mapping[SSAValue, Steps]
    """The steps of each loop out of which the contribution is zero, beyond its ends as well."""
    value: SSAValue
    """The contribution of a step."""

    @property
    def is_shift(self) -> bool:
        """Whether one step reaches each element, and positions end beyond one axis at most."""
        is_solved = len(self.loops) == len(self.inverses)
        return is_solved and sum(beyond != (0, 0) for beyond in self.ends) <= 1


@dataclass(frozen=True)
class Placed:
    """A contribution once, to one element of some axes."""

    places: Mapping[int, SSAValue]
    """The positions in bounds, by axes."""
    value: SSAValue
    """The contribution: an array over the other axes."""

    @property
    def is_first(self) -> bool:
        """Whether the axes are the first ones."""
        return list(self.places) == list(range(len(self.places)))


@dataclass(frozen=True)
class Selected:
    """Contributions each to one element of a row, at a position that the other axes determine."""

    selection: Callable[[], SSAValue]
    """The array of them, as a selection in each element: it is added to others in their loop."""
    accumulation: Callable[[], SSAValue | Placed]
    """The same as an accumulation, which computes few elements."""


@dataclass(frozen=True)
class Scattered:
    """An accumulation that a total is the start of: it takes no time for the other elements."""

    accumulation: SSAValue


Part: TypeAlias = SSAValue | Window | Placed | Selected | Scattered
"""A part of a cotangent: an array, or where contributions belong in it."""


@dataclass(frozen=True)
class Solver:
    """Sets variables of loops from other ones, in the innermost body."""

    guarded: Set[SSAValue]
    """Variables that may have no such step."""
    solve: Callable[[Inserter, dict[SSAValue, SSAValue]], list[SSAValue]]
    """Adds the variables to known values; the tests that the loops have these steps."""
    bounds: Set[SSAValue] = frozenset()
    """Variables of loops over all steps that may be of no use to an element, by these tests."""


class SizeForms(Integers):
    """Linear forms with one atom for equal sizes."""

    def __init__(self, sizes: SizeEquivalence):
        super().__init__(PhiLevel())
        self._sizes = sizes
        self._atoms: dict[Term | int, LinearForm] = {}

    def form_of(self, value: SSAValue) -> LinearForm:
        """The form of an Int, without sizes that are computed from others."""
        return self._of_sources(self.form(value))

    def steps_of(self, size: SSAValue) -> LinearForm:
        """The number of steps of a loop that has some: ``n - 1`` of ``max(n - 1, 0)``."""
        return self._of_sources(self.extent(size))

    def size_of(self, size: SSAValue) -> LinearForm:
        """The size of an array that has elements: that of loops with some steps."""
        source = source_of_size(size)
        return self.steps_of(source.value if source.axis is None else size)

    def _of_sources(self, form: LinearForm) -> LinearForm:
        result = LinearForm.number(0)
        for atom, coefficient in form.coefficients.items():
            result += self._atom(atom) * coefficient
        return result + form.constant

    def _atom(self, atom: SSAValue) -> LinearForm:
        if isinstance(atom.owner, Block):
            return LinearForm.of(atom)
        source = source_of_size(atom)
        known = self._sizes.representative(source)
        if isinstance(known, int):
            return LinearForm.number(known)
        if known not in self._atoms:
            self._atoms[known] = LinearForm.of(atom)
            if source.axis is None and source.value is not atom:
                self._atoms[known] = self.form_of(source.value)
        return self._atoms[known]


class SizeProofs(SizeForms):
    """The same for comparisons: bounds of forms have one atom for equal sizes, too."""

    def canonical(self, form: LinearForm) -> LinearForm:
        return self._of_sources(form)


def source_of_size(size: SSAValue) -> Term:
    """The size or Int that an Int is, by the operations that make arrays."""
    op = size.owner
    if isinstance(op, phi.AssertEqOp):
        return source_of_size(op.lhs)
    if not isinstance(op, phi.SizeOp):
        return Term(size)
    term = Term(op.array, (), op.axis.value.data).origin
    return source_of_size(term.value) if term.axis is None else term


def no_size(value: SSAValue) -> PassFailedException:
    """The error of a size of a cotangent that is computed in a body."""
    op = value.owner
    if isinstance(op, Block):
        return PassFailedException("a size of a cotangent is computed in a body")
    return NoDerivativeError(op, "a size of a cotangent is computed in a body")


def leaf_type(leaf: Leaf) -> Attribute:
    """The type of a leaf of a value."""
    return leaf_types(leaf[0].type)[leaf[1]]


def loops_around(block: Block, home: Block) -> Iterator[Loop]:
    """The loops around a block within another one, outermost first."""
    if block is home:
        return
    op = block.parent_op()
    assert isinstance(op, phi.ComprehensionOp | phi.FoldOp)
    yield from loops_around(home_of(op), home)
    yield from map(Loop, op.counters(), counts_of(op))


def bound_variable(
    build: Inserter, variables: Sequence[SSAValue], indices: Sequence[SSAValue]
) -> dict[SSAValue, SSAValue]:
    """Indices for the variables of loops; a counter is an Int."""
    return {
        variable: index if isinstance(variable.type, IndexType) else build.as_int(index)
        for variable, index in zip(variables, indices, strict=False)
    }


def is_fixed(value: SSAValue, home: Block) -> bool:
    """Whether a value of a body depends on no variable of the loops within another block."""
    behind = values_behind([value], lambda each: not is_visible(each, home))
    return not any(isinstance(each.owner, Block) or each.owner.regions for each in behind)


def depends_on(value: SSAValue, variable: SSAValue) -> bool:
    """Whether a value of a body depends on a variable of a loop around it."""
    home = home_of(variable)
    return variable in values_behind([value], lambda each: is_within(each, home))


def moves(positions: Sequence[SSAValue], loop: Loop) -> bool:
    """Whether some of the positions depend on the steps of a loop."""
    return any(depends_on(position, loop.variable) for position in positions)


def plus(build: Inserter, value: SSAValue, number: int) -> SSAValue:
    """``x + c``"""
    if not number:
        return value
    combine = arith.AddiOp if number > 0 else arith.SubiOp
    return build.emit(combine(value, build.integer(abs(number))))


def is_step(
    build: Inserter, step: SSAValue, count: SSAValue, *, first: bool = False, last: bool = False
) -> list[SSAValue]:
    """The tests that a loop has a step. With ``first`` or ``last``, others leave that one out."""
    tests = list[SSAValue]()
    if not first:
        tests.append(build.compare(step, "sge", 0))
    if not last:
        tests.append(build.compare(step, "slt", count))
    return tests


def added(build: Inserter, values: Sequence[SSAValue]) -> SSAValue:
    """The sum of some Floats: ``(select c, x, 0) + (select c, y, 0)  -->  select c, x + y, 0``"""
    alike: dict[object, list[SSAValue]] = {}
    for value in values:
        choice = choice_of(value)
        key = value if choice is None else (choice.cond, is_zero(choice.lhs))
        alike.setdefault(key, []).append(value)
    total: SSAValue | None = None
    for group in alike.values():
        value = group[0] if len(group) == 1 else _added_choices(build, group)
        total = value if total is None else build.add(total, value)
    assert total is not None
    return total


def _added_choices(build: Inserter, values: Sequence[SSAValue]) -> SSAValue:
    """The sum of selections of zero by one condition, or of one value several times."""
    choices = [choice for each in values if (choice := choice_of(each)) is not None]
    if not choices:
        return reduce(build.add, values)
    number = 2 if is_zero(choices[0].lhs) else 1
    total = added(build, [each.operands[number] for each in choices])
    return let_through(build, choices[0], lambda _: total)


def choice_of(value: SSAValue) -> arith.SelectOp | None:
    """``select c, x, 0`` or ``select c, 0, x``"""
    op = value.owner
    if isinstance(op, arith.SelectOp) and is_zero(op.lhs) != is_zero(op.rhs):
        return op
    return None


def let_through(
    build: Inserter, choice: arith.SelectOp, multiple: Callable[[SSAValue], SSAValue]
) -> SSAValue:
    """``(select c, x, 0) * y  -->  select c, x * y, 0``, for a function of x that is a multiple."""
    sides = (0.0 if is_zero(each) else multiple(each) for each in (choice.lhs, choice.rhs))
    return build.select(choice.cond, *sides)


def selected(build: Inserter, part: Placed, indices: Sequence[SSAValue]) -> SSAValue:
    """The element of a contribution at some indices: zero, except at its place."""
    others = [index for axis, index in enumerate(indices) if axis not in part.places]
    found = build.get(part.value, others) if others else part.value
    tests = [
        build.compare(build.as_int(indices[axis]), "eq", place)
        for axis, place in part.places.items()
    ]
    return build.select(build.all_of(tests), found, 0.0)


def sum_from(
    build: Inserter,
    start: SSAValue | None,
    count: int | SSAValue,
    type_: Attribute,
    at: Callable[[Inserter, SSAValue], SSAValue],
) -> SSAValue:
    """The sum of some elements from a position on."""

    def step(inner: Inserter, counter: SSAValue, total: SSAValue) -> SSAValue:
        position = counter if start is None else inner.add(start, counter)
        return inner.add(total, at(inner, position))

    zero = build.number(0.0, type_)
    steps = build.integer(count) if isinstance(count, int) else count
    return build.fold_over(steps, zero, step)


def clipped_position(build: Inserter, position: SSAValue, size: SSAValue) -> SSAValue:
    """``max(0, min(p, n - 1))``, as ``phi.get`` reads; in no bounds if there is no element."""
    last = build.sub(size, 1)
    return build.max(build.min(build.as_int(position), last), 0)


def place_of(op: Operation) -> tuple[Block, Builder]:
    """The block of an operation, and a builder at its end."""
    return home_of(op), at_end(home_of(op))
