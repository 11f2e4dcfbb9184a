"""Indices that a program divides: ``p // m`` and ``p mod m`` for an index p and an Int m."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import arith
from xdsl.ir import BlockArgument, Operation, SSAValue, Use

from ein_mlir.analysis.arithmetic import Integers
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence, Term
from ein_mlir.analysis.predicates import SIGNED, predicate_of
from ein_mlir.dialects import phi, sigma
from ein_mlir.dialects.phi.integers import PhiLevel, range_of
from ein_mlir.host.dataclass import dataclass

DIVISIONS = (arith.FloorDivSIOp, sigma.FloorModOp)
"""The operations that divide an index."""


@dataclass(frozen=True)
class Division:
    """``index // divisor``, or with ``is_remainder`` ``index mod divisor``."""

    index: BlockArgument
    divisor: SSAValue
    is_remainder: bool


def division(value: SSAValue) -> Division | None:
    """The division of an index that a value is."""
    op = value.owner
    if not isinstance(op, DIVISIONS):
        return None
    index = op.lhs.owner.input if isinstance(op.lhs.owner, arith.IndexCastOp) else op.lhs
    if not isinstance(index, BlockArgument) or not phi.is_comprehension_index(index):
        return None
    return Division(index, op.rhs, isinstance(op, sigma.FloorModOp))


def divisions(index: SSAValue) -> Iterator[tuple[Operation, Division]]:
    """The operations that divide an index."""
    for use in uses_as_int(index):
        user = use.operation
        found = division(user.results[0]) if user.results else None
        if found is not None and found.index is index:
            yield user, found


def comparisons(index: SSAValue) -> Iterator[arith.CmpiOp]:
    """The comparisons of an index with other Ints."""
    for use in uses_as_int(index):
        if isinstance(use.operation, arith.CmpiOp) and phi.uncast(use.operation.lhs) is index:
            yield use.operation


def starts_of(index: SSAValue) -> Iterator[tuple[Operation, int]]:
    """The operations that divide ``p - c`` for an index p and a positive number c, and c."""
    for place in uses_as_int(index):
        moved = place.operation
        if isinstance(moved, arith.SubiOp | arith.AddiOp) and phi.uncast(moved.lhs) is index:
            number = known_int(moved.rhs) or 0
            start = number if isinstance(moved, arith.SubiOp) else -number
            for use in moved.result.uses:
                user = use.operation
                if start > 0 and use.index == 0 and isinstance(user, DIVISIONS):
                    yield user, start


def decided(op: arith.CmpiOp, low: int, high: int) -> bool | None:
    """Whether a value from ``low`` to ``high`` compares so with a number; None if some do."""
    predicate, bound = predicate_of(op), known_int(op.rhs)
    if bound is None or predicate not in SIGNED:
        return None
    first, last = (SIGNED[predicate](end, bound) for end in (low, high))
    is_inside = predicate in ("eq", "ne") and low < bound < high
    return first if first == last and not is_inside else None


def uses_as_int(index: SSAValue) -> Iterator[Use]:
    """The uses of an index as an Int."""
    for use in index.uses:
        if isinstance(use.operation, arith.IndexCastOp):
            yield from use.operation.result.uses


def wraps_around(op: sigma.FloorModOp) -> bool:
    """Whether a remainder is that of an index plus a constant, by the size of its loop.

    It is the sum itself but at a border, which one end of an axis has in common with the other.
    """
    value = op.lhs
    while isinstance(value.owner, arith.IndexCastOp | arith.AddiOp | arith.SubiOp):
        rest = [each for each in value.owner.operands if known_int(each) is None]
        if len(rest) != 1:
            return False
        (value,) = rest
    return is_index_of(value, op.rhs)


def is_index_of(value: SSAValue, size: SSAValue) -> bool:
    """Whether a value is an index, or a counter, of a loop of a size."""
    if isinstance(value.owner, arith.IndexCastOp):
        return is_index_of(value.owner.input, size)
    if not isinstance(value, BlockArgument):
        return False
    loop = value.block.parent_op()
    if isinstance(loop, phi.FoldOp):
        return value is loop.counter and loop.count is size
    return isinstance(loop, phi.ArrayOp) and loop.sizes[value.index] is size


def is_same(a: SSAValue, b: SSAValue) -> bool:
    """Whether two Ints are one value, or equal constants."""
    return a is b or (known_int(a) is not None and known_int(a) == known_int(b))


def quotient(size: SSAValue, divisor: SSAValue, sizes: SizeEquivalence) -> SSAValue | None:
    """``k`` for a size ``k*m`` and a non-negative divisor ``m``; for ``k < 0`` it has no values."""
    op = size.owner
    if isinstance(op, arith.MuliOp) and range_of(divisor).low >= 0:
        for own, other in (op.operands, reversed(op.operands)):
            if is_same(own, divisor) or sizes.same(own, divisor):
                return other
    return None


def is_product_of_sizes(value: SSAValue) -> bool:
    """Whether an Int is not negative, or a product of such that is the size of an array."""
    if isinstance(value.owner, arith.MuliOp):
        return all(map(is_product_of_sizes, value.owner.operands))
    return range_of(value).low >= 0


def is_whole(size: SSAValue, divisor: SSAValue, sizes: SizeEquivalence) -> bool:
    """Whether a size is provably a multiple of a divisor."""
    known, part = known_int(size), known_int(divisor)
    if known is not None and part is not None:
        return known % part == 0
    return quotient(size, divisor, sizes) is not None


def is_flat(op: phi.GetOp, number: int, sizes: SizeEquivalence) -> bool:
    """Whether ``a[.., p // m, p mod m, ..]`` reads two axes of an array as one, from ``number`` on.

    The second axis has the size m, and the first one has an element for each ``p // m``.
    """
    if number + 1 >= len(op.positions):
        return False
    row, column = (division(position) for position in op.positions[number : number + 2])
    if row is None or column is None or row.is_remainder or not column.is_remainder:
        return False
    return (
        row.index is column.index
        and is_same(row.divisor, column.divisor)
        and sizes.same(row.divisor, Term(op.array, (), number + 1), op)
        and _has_rows(op, number, phi.size_of_index(row.index), row.divisor, sizes)
    )


def _has_rows(
    op: phi.GetOp, axis: int, size: SSAValue, divisor: SSAValue, sizes: SizeEquivalence
) -> bool:
    """Whether an axis of an array has ``size / divisor`` elements, rounded up, or more."""
    rows = quotient(size, divisor, sizes)
    if rows is not None and sizes.same(rows, Term(op.array, (), axis), op):
        return True
    own = Term(op.array, (), axis).origin
    if own.axis is not None:
        return False
    most = own.value.owner
    bounds = most.operands if isinstance(most, arith.MaxSIOp) else (own.value,)
    return any(bound is rows or _is_ceiling(bound, size, divisor) for bound in bounds)


def _is_ceiling(value: SSAValue, size: SSAValue, divisor: SSAValue) -> bool:
    """``(n + (m - 1)) // m``, or a constant that is no less."""
    number, known, part = known_int(value), known_int(size), known_int(divisor)
    if number is not None and known is not None and part is not None:
        return number * part >= known
    op, ints = value.owner, Integers(PhiLevel())
    return (
        isinstance(op, arith.FloorDivSIOp)
        and is_same(op.rhs, divisor)
        and range_of(divisor).low > 0
        and ints.form(op.lhs) == ints.form(size) + ints.form(divisor) - 1
    )
