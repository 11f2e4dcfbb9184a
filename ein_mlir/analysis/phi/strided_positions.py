"""Positions that are affine in several variables, with steps that vary with none: ``n*d + e``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from typing_extensions import TypeIs
from xdsl.dialects import arith
from xdsl.dialects.builtin import i64
from xdsl.ir import BlockArgument, SSAValue

from ein_mlir.analysis.arithmetic.forms import wrapped
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.scopes import reached
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.integers import range_of
from ein_mlir.host.dataclass import dataclass


@dataclass(frozen=True)
class Product:
    """A constant times Ints that vary with no variable."""

    factor: int
    values: tuple[SSAValue, ...] = ()

    def times(self, other: Product) -> Product:
        """The product times another one."""
        return Product(self.factor * other.factor, (*self.values, *other.values))

    @staticmethod
    def of(value: SSAValue) -> Product:
        """An Int, as a constant if it is known."""
        number = known_int(value)
        return Product(1, (value,)) if number is None else Product(number)

    def reaches(self, other: Product) -> bool:
        """Whether the product is at least another one: equal, or both constants."""
        if Counter(self.values) != Counter(other.values):
            return False
        return self.factor == other.factor or (not self.values and self.factor > other.factor)


Sum: TypeAlias = Sequence[Product]

Varies: TypeAlias = Callable[[SSAValue], object]
"""Whether a value varies with a variable."""


@dataclass(frozen=True)
class StridedPosition:
    """A position ``start + sum of step * variable``, modulo 2^64."""

    start: Sum
    steps: Mapping[BlockArgument, Sum]

    @property
    def is_nested(self) -> bool:
        """Whether different values of the variables are different positions, as in ``n*d + e``.

        Each step is the extent of the variables with smaller steps, or more, in either direction.
        """
        if len(self.steps) < 2:
            return all(map(len, self.steps.values()))
        if any(len(step) != 1 for step in self.steps.values()):
            return False
        steps = ((index, step[0]) for index, step in self.steps.items())
        left = {index: replace(step, factor=abs(step.factor)) for index, step in steps}
        inner = next((i for i, step in left.items() if not step.values), None)
        while inner is not None:
            extents = _extents(left.pop(inner), size_of_variable(inner))
            inner = next((i for i, step in left.items() if any(map(step.reaches, extents))), None)
        return not left


def _extents(step: Product, size: SSAValue) -> tuple[Product, ...]:
    """The extent of a variable with a step, and others that are no less.

    They are by the range of its size, and by that of the other side if a size may be chosen as 0.
    """
    sizes = [Product.of(size), Product(range_of(size).high)]
    if isinstance(choice := size.owner, arith.SelectOp) and known_int(choice.rhs) == 0:
        sizes.append(Product.of(choice.lhs))
    return tuple(map(step.times, sizes))


def size_of_variable(variable: BlockArgument) -> SSAValue:
    """The size of an index, or the count of the loop of a counter."""
    op = variable.block.parent_op()
    return op.count if isinstance(op, phi.FoldOp | phi.WhileOp) else phi.size_of_index(variable)


def is_variable(value: SSAValue) -> TypeIs[BlockArgument]:
    """Whether a value is an index of a comprehension or the counter of a fold."""
    if not isinstance(value, BlockArgument):
        return False
    op = value.block.parent_op()
    return isinstance(op, phi.ComprehensionOp) or (
        isinstance(op, phi.FoldOp) and value is op.counter
    )


def strided_position(position: SSAValue, varies: Varies) -> StridedPosition | None:
    """A position as a sum of multiples of the variables that vary; None if it is no such sum.

    A part of several Ints is taken apart once, after all of these.
    """
    start, steps = list[Product](), dict[BlockArgument, list[Product]]()
    taken = dict[SSAValue, Sequence[tuple[SSAValue, Product]]]()
    for value in reached([position], lambda x: [part for part, _ in taken[x]]):
        if (parts := _parts(value, varies)) is None:
            return None
        taken[value] = parts
    left = Counter(part for parts in taken.values() for part, _ in parts)
    multiples, pending = {position: [Product(1)]}, [position]
    while pending:
        value = pending.pop()
        multiple = _joined(multiples[value])
        if is_variable(value) and varies(value):
            steps[value] = multiple
        elif not taken[value]:
            start += _joined([each.times(Product.of(value)) for each in multiple])
        for part, factor in taken[value]:
            multiples.setdefault(part, []).extend(each.times(factor) for each in multiple)
            left[part] -= 1
            if not left[part]:
                pending.append(part)
    return StridedPosition(start, steps)


def _joined(products: Sequence[Product]) -> list[Product]:
    """Products whose sum is that of others modulo 2^64, with one for each product of Ints."""
    if len(products) == 1 and products[0].factor == 1:
        return list(products)
    factors = Counter[tuple[SSAValue, ...]]()
    for each in products:
        factors[each.values] += each.factor
    return [
        Product(wrapped(factor), values) for values, factor in factors.items() if wrapped(factor)
    ]


def unclipped(position: SSAValue, varies: Varies) -> SSAValue:
    """``p`` of ``max(min(p, n - 1), 0)``, where the bounds do not vary."""
    while isinstance(position.owner, arith.MaxSIOp | arith.MinSIOp):
        varying = [side for side in position.owner.operands if varies(side)]
        if len(varying) != 1:
            break
        position = varying[0]
    return position


def _parts(value: SSAValue, varies: Varies) -> Sequence[tuple[SSAValue, Product]] | None:
    """Ints whose multiples add up to an Int that varies; None for one that is no such sum."""
    if isinstance(value.owner, arith.IndexCastOp):
        return ((value.owner.input, Product(1)),)
    if not varies(value) or is_variable(value):
        return ()
    if value.type != i64:
        return None
    match value.owner:
        case arith.AddiOp() as op:
            return (op.lhs, Product(1)), (op.rhs, Product(1))
        case arith.SubiOp() as op:
            return (op.lhs, Product(1)), (op.rhs, Product(-1))
        case arith.MuliOp() as op:
            for varying, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
                if not varies(other):
                    return ((varying, Product.of(other)),)
            return None
        case _:
            return None
