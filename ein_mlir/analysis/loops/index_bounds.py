"""Bounds of indices in a nest of loops, as linear forms in values from outside of it."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects import arith, cf, memref, scf
from xdsl.dialects.builtin import IndexType, i64
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from ein_mlir.analysis.arithmetic import MOST, LinearForm
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.predicates import predicate_of
from ein_mlir.analysis.scopes import is_within
from ein_mlir.host.dataclass import dataclass

LARGEST_COEFFICIENT = 2**8
"""Larger multiples of sizes might wrap."""


@dataclass(frozen=True)
class Bounds:
    """The least and the greatest value of an index, in all steps of a nest."""

    least: LinearForm
    greatest: LinearForm

    @property
    def is_fixed(self) -> bool:
        """Whether the index is the same in all steps."""
        return self.least == self.greatest

    def __add__(self, other: Bounds) -> Bounds:
        return Bounds(self.least + other.least, self.greatest + other.greatest)

    def __neg__(self) -> Bounds:
        return Bounds(-self.greatest, -self.least)

    def __mul__(self, factor: int) -> Bounds:
        ends = self.least * factor, self.greatest * factor
        return Bounds(*(ends if factor >= 0 else ends[::-1]))

    def forms(self) -> Iterable[LinearForm]:
        """Both bounds."""
        return self.least, self.greatest


class IndexBounds:
    """The bounds of indices in a nest, if it has a step; atoms are sizes, from 0 to ``MOST``.

    A user must check that an atom is one (`is_size`) if it is not known to be.
    """

    def __init__(self, nest: Operation, fixed: Iterable[SSAValue] = ()):
        self._nest = nest
        self.fixed = frozenset(fixed)
        """The values in the nest that count as ones from outside."""
        self._known = dict[SSAValue, Bounds | None]()

    def of(self, value: SSAValue) -> Bounds | None:
        """The bounds of an index; None if it is no linear form in counters."""
        if value not in self._known:
            found = self._of(value)
            is_small = found is not None and all(map(_is_small, found.forms()))
            self._known[value] = found if is_small else None
        return self._known[value]

    def _of(self, value: SSAValue) -> Bounds | None:
        if value.type != i64 and not isinstance(value.type, IndexType):
            return None  # sums of narrow integers wrap
        if value in self.fixed:
            return Bounds(LinearForm.of(value), LinearForm.of(value))
        number = known_int(value)
        if number is not None:
            return Bounds(LinearForm.number(number), LinearForm.number(number))
        op = value.owner
        if isinstance(op, arith.IndexCastOp):
            return self.of(op.input)
        if not is_within(value, self._nest) and not is_sum_of_sizes(op):
            return Bounds(LinearForm.of(value), LinearForm.of(value))
        return self._counter(value, op) if isinstance(op, Block) else self._sum(op)

    def _counter(self, value: SSAValue, block: Block) -> Bounds | None:
        """``lower <= counter < upper``; with a step, ``max(upper, 0)`` is upper."""
        found = counter_range(value)
        if found is None:
            return None
        first, end = found[0], uncast(found[1])
        if (
            isinstance(end.owner, arith.MaxSIOp)
            and known_int(end.owner.rhs) == known_int(first) == 0
        ):
            end = end.owner.lhs
        lower, upper = self.of(first), self.of(end)
        return Bounds(lower.least, upper.greatest - 1) if lower and upper else None

    def _sum(self, op: Operation) -> Bounds | None:
        if isinstance(op, arith.AndIOp) and (mask := known_int(op.rhs)) is not None and mask >= 0:
            return Bounds(LinearForm.number(0), LinearForm.number(mask))
        if isinstance(op, arith.RemUIOp) and (divisor := known_int(op.rhs) or 0) > 0:
            return Bounds(LinearForm.number(0), LinearForm.number(divisor - 1))
        if isinstance(op, arith.MinUIOp):
            last = self.of(op.rhs)
            is_known = last is not None and (last.greatest.known() or 0) >= 0
            return Bounds(LinearForm.number(0), last.greatest) if last and is_known else None
        if not isinstance(op, arith.AddiOp | arith.SubiOp | arith.MuliOp):
            return None
        lhs, rhs = map(self.of, op.operands)
        if lhs is None or rhs is None:
            return None
        if isinstance(op, arith.MuliOp):
            factor = known_int(op.rhs)
            return None if factor is None else lhs * factor
        return lhs + (rhs if isinstance(op, arith.AddiOp) else -rhs)


def is_sum_of_sizes(op: Operation | Block, depth: int = 4) -> bool:
    """Whether an operation adds up multiples of some sizes; `_is_small` that it does not wrap."""
    match op:
        case arith.AddiOp() | arith.SubiOp():
            terms = (op.lhs, op.rhs)
        case arith.MuliOp() if known_int(op.rhs) is not None:
            terms = (op.lhs,)
        case _:
            return False
    return all(
        is_size(each) or (depth > 0 and is_sum_of_sizes(uncast(each).owner, depth - 1))
        for each in terms
    )


def counter_range(value: SSAValue) -> tuple[SSAValue, SSAValue] | None:
    """The lower and the upper bound of the counter of a loop; None for other values."""
    if not isinstance(value, BlockArgument):
        return None
    match value.block.parent_op():
        case scf.ParallelOp() as loop:
            return loop.lowerBound[value.index], loop.upperBound[value.index]
        case scf.ForOp() as loop if value.index == 0:
            return loop.lb, loop.ub
        case _:
            return None


def is_size(value: SSAValue, at: Operation | None = None) -> bool:
    """Whether a value is known to be from 0 to ``MOST``: a size, or a counter of a loop.

    At an operation, also an Int that assertions before it hold to be one, or that is the size of a
    buffer from before it.
    """
    if isinstance(value.owner, memref.DimOp):
        return True
    if isinstance(value.owner, arith.IndexCastOp):
        return is_size(value.owner.input, at)
    if isinstance(value.owner, arith.ShRSIOp):
        return is_size(value.owner.lhs, at)
    if isinstance(value.owner, arith.MinUIOp):
        return is_size(value.owner.rhs, at)
    if isinstance(value.owner, arith.MaxSIOp) and known_int(value.owner.rhs) == 0:
        least = value.owner.lhs.owner
        return isinstance(least, arith.MinSIOp) and any(
            is_size(each, at) for each in least.operands
        )
    number = known_int(value)
    if number is not None:
        return 0 <= number <= MOST
    found = counter_range(value)
    if found is not None:
        return is_size(found[0], at) and _is_at_most_size(found[1], at)
    return at is not None and (_is_asserted(value, at) or _is_allocated(value, at))


def _is_at_most_size(value: SSAValue, at: Operation | None) -> bool:
    """Whether a value is a size, or a difference of sizes: one that may be negative."""
    op = uncast(value).owner
    if isinstance(op, arith.MaxSIOp) and known_int(op.rhs) == 0:
        return _is_at_most_size(op.lhs, at)
    if isinstance(op, arith.SubiOp):
        return _is_at_most_size(op.lhs, at) and is_size(op.rhs, at)
    return is_size(value, at)


def _is_asserted(value: SSAValue, at: Operation) -> bool:
    """Whether assertions before an operation hold that an Int is from 0 to ``MOST``."""
    holds = set[str]()
    for use in value.uses:
        op = use.operation
        if isinstance(op, arith.CmpiOp) and use.index == 0:
            bound = known_int(op.rhs)
            kind = predicate_of(op)
            is_bound = bound is not None and (
                (kind == "sge" and bound >= 0) or (kind == "sle" and bound <= MOST)
            )
            if is_bound and any(_asserts_before(each.operation, at) for each in op.result.uses):
                holds.add(kind)
    return len(holds) == 2


def _asserts_before(op: Operation, at: Operation) -> bool:
    return isinstance(op, cf.AssertOp) and _is_before(op, at)


def _is_allocated(value: SSAValue, at: Operation) -> bool:
    """Whether a vector of so many elements is allocated before an operation."""
    users = [use.operation for use in value.uses]
    return any(
        _is_allocated(op.result, at)
        if isinstance(op, arith.IndexCastOp)
        else isinstance(op, memref.AllocOp)
        and op.memref.type.get_num_dims() == 1
        and _is_before(op, at)
        for op in users
    )


def _is_before(op: Operation, at: Operation) -> bool:
    """Whether an operation runs before another one."""
    around = None if op.parent is None else op.parent.find_ancestor_op_in_block(at)
    return around is not None and op.is_before_in_block(around)


def _is_small(form: LinearForm) -> bool:
    """Whether a form of sizes is far from the ends of 64 bits."""
    is_near = len(form.coefficients) <= 16 and abs(form.constant) <= MOST
    return is_near and all(abs(c) <= LARGEST_COEFFICIENT for c in form.coefficients.values())


def is_negative(form: LinearForm) -> bool:
    """Whether a form of sizes is at most 0, as none of them is negative."""
    return form.constant <= 0 and all(c <= 0 for c in form.coefficients.values())


def is_possible(excess: LinearForm) -> bool:
    """Whether a form may well be at most 0.

    ``n + 1 - m`` is not, for two sizes that are likely to be equal, and ``n - n // 2`` is not: that
    is a border. Nor is a sum of numbers that are not negative, such as that of an offset.
    """
    number = excess.known()
    if number is not None:
        return number <= 0
    terms = _without_halves(excess).coefficients
    is_least = excess.constant >= 0
    if all(c > 0 and (is_least or is_size(atom)) for atom, c in terms.items()):
        return False
    return excess.constant <= 0 or sum(excess.coefficients.values()) != 0


def _without_halves(form: LinearForm) -> LinearForm:
    """A multiple of a form, about: with ``n`` for a multiple of ``n // 2``."""
    for atom in form.coefficients:
        op = uncast(atom).owner
        shift = known_int(op.rhs) if isinstance(op, arith.ShRSIOp) else None
        if isinstance(op, arith.ShRSIOp) and shift is not None and 0 < shift < 8:
            terms = {uncast(a): c << shift for a, c in form.coefficients.items() if a is not atom}
            whole = LinearForm.of(uncast(op.lhs)) * form.coefficients[atom]
            return _without_halves(LinearForm(terms, form.constant << shift) + whole)
    return form


def uncast(value: SSAValue) -> SSAValue:
    """The number of another type that a value is a cast of, or the value itself."""
    while isinstance(value.owner, arith.IndexCastOp):
        value = value.owner.input
    return value
