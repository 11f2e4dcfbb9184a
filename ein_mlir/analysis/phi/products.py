"""Nested sums of products of scalars: the factors, the axes of each, and the order of the program.

    sum (j) { sum (l) { a[r // p, j] * b[r mod p, l] * x[j, l] } }

has the factors ``a``, ``b`` and ``x``, over the axes (q, j), (m, l) and (j, l): an index r that all
factors divide by one p is two axes, the quotient q and the remainder m.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from ein_mlir.analysis.contraction_plans import MOST_FACTORS, Order
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.divided_indices import division, is_same
from ein_mlir.analysis.phi.index_ranges import is_thin
from ein_mlir.analysis.phi.selections import is_neutral, reduction
from ein_mlir.analysis.phi.speculation import may_fail
from ein_mlir.analysis.phi.strided_positions import size_of_variable
from ein_mlir.analysis.scopes import is_within, operands_within, operations_in
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import SUM_OF, algebra_for, identity, is_quotient, is_sum
from ein_mlir.dialects.phi.integers import is_nonnegative
from ein_mlir.host.dataclass import dataclass


@dataclass(frozen=True)
class Axis:
    """An index or a counter, or its quotient or its remainder by a divisor."""

    variable: BlockArgument
    divisor: SSAValue | None = None
    is_remainder: bool = False

    @property
    def is_summed(self) -> bool:
        """Whether the axis is that of a sum."""
        return isinstance(self.variable.block.parent_op(), phi.FoldOp)

    @property
    def size(self) -> SSAValue:
        """The size of the comprehension, or the count of the sum."""
        return size_of_variable(self.variable)


@dataclass(frozen=True)
class Factor:
    """A scalar, and the operations in the loops around that compute it from positions, in order."""

    value: SSAValue
    positions: tuple[tuple[SSAValue, Axis], ...]
    ops: tuple[Operation, ...]

    @property
    def axes(self) -> tuple[Axis, ...]:
        """The axes that the scalar varies with, each once."""
        return tuple(dict.fromkeys(axis for _, axis in self.positions))


@dataclass(frozen=True)
class Product:
    """A sum of products, over the counters of nested folds."""

    fold: phi.FoldOp
    """The outermost sum."""
    combine: Operation
    """Its addition, or its subtraction."""
    place: Operation
    """The outermost comprehension around the sum that has only comprehensions in between; the sum
    itself if there is none.
    """
    factors: tuple[Factor, ...]
    order: Order
    """The order of the program, by the numbers of the factors and of the axes."""
    divisors: frozenset[int] = frozenset()
    """The numbers of the factors that divide the product."""
    is_negative: bool = False
    """Whether the sum is that of the negated product."""

    @cached_property
    def axes(self) -> tuple[Axis, ...]:
        """All axes, each once; an order refers to them by name."""
        return tuple(dict.fromkeys(axis for factor in self.factors for axis in factor.axes))

    @cached_property
    def names(self) -> dict[Axis, str]:
        """A name for each axis."""
        return {axis: name_of(axis.variable, k) for k, axis in enumerate(self.axes)}

    @property
    def kept(self) -> list[str]:
        """The names of the axes of the result."""
        return [name for axis, name in self.names.items() if not axis.is_summed]


def name_of(variable: BlockArgument, number: int) -> str:
    """The name of an axis: that of its variable is not unique."""
    return f"{number}{variable.name_hint or ''}"


class _Reader:
    """Reads the factors of a product, and their order."""

    def __init__(self, fold: phi.FoldOp):
        self._fold = fold
        self._type = fold.result.type
        self.values = list[SSAValue]()
        self.folds = list[phi.FoldOp]()
        self.divisors = set[int]()
        self.is_negative = False
        """Whether subtractions and negations are an odd number."""
        self._products = 0

    def sum(self, op: phi.FoldOp) -> tuple[Operation, Order] | None:
        """The addition, or the subtraction, of a sum, and the order of the product that it sums."""
        found = reduction(op) or _subtraction(op)
        if found is None or not is_sum(SUM_OF.get(found[0].name, found[0].name)):
            return None
        combine, term = found
        self.is_negative ^= combine.name in SUM_OF
        number = str(len(self.folds))
        self.folds.append(op)
        return combine, Order(self._parts(term), frozenset((number,)))

    def _parts(self, value: SSAValue) -> tuple[int | Order, ...]:
        """The parts of a product from left to right; ``x * (y * z)`` has an order in it."""
        op = value.owner
        inner = self._inner_sum(op, value)
        if inner is not None:
            return (inner,)
        if isinstance(op, arith.NegfOp) and self._is_last(op):
            self.is_negative = not self.is_negative
            return self._parts(op.operand)
        if not isinstance(op, Operation) or not self._multiplies(op):
            return (self._number(value),)
        self._products += 1
        left = self._parts(op.operands[0])
        if is_quotient(op.name):
            by = self._number(op.operands[1])
            self.divisors.add(by)
            return (*left, by)
        right = self._parts(op.operands[1])
        return (*left, *(right if len(right) == 1 else (Order(right),)))

    def _number(self, value: SSAValue) -> int:
        """The number of a factor."""
        self.values.append(value)
        return len(self.values) - 1

    def _multiplies(self, op: Operation) -> bool:
        """Whether an operation is a product in the nest, or a quotient; of a long product only a
        part is read.
        """
        product = algebra_for("mul", self._type)
        return (
            product is not None
            and op.name in (product.name, product.quotient)
            and self._is_last(op)
            and self._products < MOST_FACTORS
        )

    def _is_last(self, op: Operation) -> bool:
        """Whether an operation of the nest has one use."""
        return op.results[0].has_one_use() and self._fold.is_ancestor(op)

    def _inner_sum(self, op: Operation | Block, value: SSAValue) -> Order | None:
        if not isinstance(op, phi.FoldOp) or not value.has_one_use():
            return None
        neutral = identity("arith.addf" if isa(value.type, AnyFloat) else "arith.addi", value.type)
        starts_at_zero = neutral is not None and is_neutral(op.init, neutral)
        if not starts_at_zero or not is_within(value, self._fold):
            return None
        found = self.sum(op)
        return None if found is None else found[1]


def _subtraction(op: phi.FoldOp) -> tuple[Operation, SSAValue] | None:
    """``acc - e``, the only use of the accumulator, as (-, e)."""
    combine = op.yielded().owner
    if not isinstance(combine, Operation) or combine.name not in SUM_OF:
        return None
    is_last = op.accumulator.has_one_use() and combine.results[0].has_one_use()
    return (
        (combine, combine.operands[1])
        if is_last and combine.operands[0] is op.accumulator
        else None
    )


def product_of(fold: phi.FoldOp) -> Product | None:
    """The product that a fold sums; None if it does not, or if its axes depend on one another."""
    reader = _Reader(fold)
    found = reader.sum(fold)
    if found is None or not 3 <= len(reader.values) <= MOST_FACTORS:
        return None
    arrays = list(_comprehensions(fold))
    place = arrays[-1] if arrays else fold
    variables = [fold.counter for fold in reader.folds]
    indices = [index for array in reversed(arrays) for index in array.indices]
    ranges = _Ranges(place, [*indices, *variables])
    factors = ranges.factors(reader.values)
    if factors is None:
        return None
    combine, order = found
    divisors = frozenset(reader.divisors)
    product = Product(fold, combine, place, factors, order, divisors)
    by_variable = {axis.variable: name for axis, name in product.names.items()}
    multiplied = {
        axis.variable
        for number, factor in enumerate(factors)
        if number not in divisors
        for axis in factor.axes
    }
    if not multiplied.issuperset(variables):
        return None
    if any(is_within(axis.size, place) for axis in product.axes):
        return None
    numbered = _renamed(order, [by_variable[variable] for variable in variables])
    return Product(fold, combine, place, factors, numbered, divisors, reader.is_negative)


def _renamed(order: Order, names: Sequence[str]) -> Order:
    """The order, whose summed axes are numbers of folds, with their names."""
    parts = (part if isinstance(part, int) else _renamed(part, names) for part in order.parts)
    return Order(tuple(parts), frozenset(names[int(number)] for number in order.summed))


def _comprehensions(op: Operation) -> Iterator[phi.ArrayOp]:
    """The comprehensions around an operation, up to another loop or the function."""
    around = op.parent_op()
    while isinstance(around, phi.ArrayOp):
        yield around
        around = around.parent_op()


class _Ranges:
    """Finds the axes of values in a nest."""

    def __init__(self, place: Operation, variables: Sequence[BlockArgument]):
        self._place = place
        self._variables = frozenset(variables)
        self._whole = set[BlockArgument]()
        self._numbers = {op: number for number, op in enumerate(operations_in(place))}

    def factors(self, values: Sequence[SSAValue]) -> tuple[Factor, ...] | None:
        """The factors of a product; None if one is not a function of the axes alone."""
        while True:
            found = [self._factor(value) for value in values]
            factors = tuple(each for each in found if each is not None)
            if len(factors) < len(found):
                return None
            undivided = _undivided([axis for factor in factors for axis in factor.axes])
            if undivided <= self._whole:
                return factors
            self._whole |= undivided

    def _factor(self, value: SSAValue) -> Factor | None:
        found, needed, pending = dict[SSAValue, Axis](), set[Operation](), [value]
        while pending:
            each = pending.pop()
            axis = self.axis(each)
            owner = each.owner
            if axis is not None:
                found[each] = axis
            elif not is_within(each, self._place):
                continue
            elif isinstance(owner, Block):
                return None  # an accumulator
            elif owner not in needed:
                needed.add(owner)
                pending.extend(x for x in operands_within(owner) if not is_within(x, owner))
        loops = [op for op in needed if op.regions]
        if any(may_fail(inner) for op in needed for inner in op.walk()):
            return None
        if value.owner not in loops and loops:
            return None  # a loop that the program may run less often
        ops = sorted(needed, key=self._numbers.__getitem__)
        return Factor(value, tuple(found.items()), tuple(ops))

    def axis(self, value: SSAValue) -> Axis | None:
        """The axis that a value is the position on."""
        if isinstance(value, BlockArgument):
            return Axis(value) if value in self._variables else None
        found = division(value)
        if found is None or found.index not in self._variables or found.index in self._whole:
            return None
        if is_within(found.divisor, self._place) or not is_nonnegative(found.divisor):
            return None
        return Axis(found.index, found.divisor, found.is_remainder)


def _undivided(axes: Sequence[Axis]) -> set[BlockArgument]:
    """The variables that are axes as they are, too, or have several divisors."""
    divisors = dict[BlockArgument, SSAValue | None]()
    found = set[BlockArgument]()
    for axis in axes:
        first = divisors.setdefault(axis.variable, axis.divisor)
        if first is None or axis.divisor is None or not is_same(first, axis.divisor):
            found.add(axis.variable)
    return found


def has_few_values(axis: Axis) -> bool:
    """Whether an axis is known to have few values."""
    if axis.divisor is not None and not axis.is_remainder:
        return False
    return is_thin(axis.size if axis.divisor is None else axis.divisor)
