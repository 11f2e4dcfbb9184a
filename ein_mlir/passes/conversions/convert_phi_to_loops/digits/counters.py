"""The counters of the loops over indices that a body divides, and the numbers that they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import i1, i64
from xdsl.ir import BlockArgument, Operation, SSAValue

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.phi.divided_indices import is_same
from ein_mlir.analysis.predicates import relation_of
from ein_mlir.analysis.scopes import is_within
from ein_mlir.dialects import phi
from ein_mlir.passes.conversions.convert_phi_to_loops.conversion import Conversion
from ein_mlir.passes.conversions.convert_phi_to_loops.digits.recognition import (
    FEW_PARTS,
    LEAST_ROW,
    Digits,
    ratio,
)
from ein_mlir.passes.conversions.convert_phi_to_loops.emission import INDEX

MOST_FACTOR = 256
"""A larger multiple of a position might wrap."""


class Counters:
    """The counters of a comprehension, and the numbers that they are the digits of."""

    def __init__(self, conversion: Conversion, op: phi.ArrayOp | phi.AccumulateOp):
        self._c = conversion
        self._op = op
        self._positive = list[SSAValue]()
        """Whether the divisors are positive."""
        self._tests = list[SSAValue]()
        self._lasts = dict[tuple[SSAValue, SSAValue], SSAValue]()
        """The greatest multiple of an Int by a quotient."""
        self._rows = dict[int, SSAValue]()
        """The number of quotients."""
        self._of_parts = dict[SSAValue, SSAValue]()
        """An Int, and its multiple by the number of parts that are taken together."""
        self._parts = dict[int, tuple[SSAValue, SSAValue]]()
        """Quotients whose remainder is a known number, and both."""
        self.divided_remainders = list[SSAValue]()
        """Numbers that are divided, and below a divisor: they are small if that is positive."""
        self.operations = list[Operation]()
        """The operations whose values are digits, or multiples of them."""

    def _int(self, number: int) -> SSAValue:
        return self._c.number(number, i64)

    def is_positive(self) -> SSAValue:
        """Whether all divisors are positive."""
        return self._all(self._positive)

    def is_whole(self) -> SSAValue:
        """Whether all divisors are positive, divide the sizes, and give rows that are long."""
        return self._all(self._tests)

    def _all(self, conditions: Sequence[SSAValue]) -> SSAValue:
        first, *others = conditions
        for each in others:
            first = self._c.value_of(arith.AndIOp(first, each))
        return first

    # Before the loops

    def counts(
        self, digits: Digits, size: SSAValue, own: SSAValue | None = None, *, is_last: bool = True
    ) -> list[SSAValue]:
        """The numbers of steps of the loops for a number below a size, which is a value of phi.

        The remainders of the last number are those of neighbours.
        """
        if digits.parts is None or digits.divisor is None:
            return [self._c.cast(size, INDEX)]
        c, size = self._c, self._c.cast(size, i64)
        divisor = c.scalar(digits.divisor)
        quotient, remainder = digits.parts
        self._positive.append(c.compare(divisor, self._int(1), "sge"))
        number = None if own is None else ratio(own, digits.divisor, c.bounds.forms)
        known = None if quotient.divisor is None else known_int(quotient.divisor)
        is_long = self._positive[-1]
        if is_last and not remainder.parts and number is None and known not in FEW_PARTS:
            is_long = c.compare(divisor, self._int(LEAST_ROW), "sge")
        positive = c.value_of(arith.MaxSIOp(divisor, self._int(1)))
        rows = c.value_of(arith.DivUIOp(size, positive))
        total = c.value_of(arith.MuliOp(rows, positive))
        is_whole = c.compare(total, size, "eq")
        self._tests += [is_whole, is_long]
        if remainder.parts:
            self.divided_remainders += remainder.values
        if number is not None:
            self._tests.append(c.compare(rows, self._int(number), "eq"))
            rows = self._int(number)
        self._rows[id(digits)] = rows
        factors = [c.scalar(factor) for _, factor in self._products(quotient)]
        above = self.counts(quotient, rows, is_last=False)
        for factor in dict.fromkeys((divisor, *factors)):
            self._bound(rows, factor, divisor)
            if known is not None and known in FEW_PARTS:
                of_parts = c.value_of(arith.MuliOp(factor, self._int(known)))
                self._of_parts[factor] = of_parts
                self._bound(self._rows[id(quotient)], of_parts, divisor)
        return above + self.counts(remainder, divisor, digits.divisor)

    def _products(self, quotient: Digits) -> Iterator[tuple[Operation, SSAValue]]:
        """The products of a quotient and an Int from outside, with the Int."""
        for value in quotient.values:
            for use in value.uses:
                product = use.operation
                if isinstance(product, arith.MuliOp) and value.type == i64:
                    factor = product.operands[1 - use.index]
                    if not is_within(factor, self._op) and known_int(factor) is None:
                        yield product, factor

    def _bound(self, rows: SSAValue, factor: SSAValue, divisor: SSAValue) -> None:
        """The last multiple ``(rows - 1) * factor``, or ``2^64 - 1`` if that might be larger.

        That of a literal needs none: its product is linear.
        """
        c = self._c
        if known_int(factor) is not None:
            return
        before = c.value_of(arith.SubiOp(rows, self._int(1)))
        last = c.value_of(arith.MuliOp(before, factor))
        limit = c.value_of(arith.MuliOp(divisor, self._int(MOST_FACTOR)))
        is_small = c.compare(factor, limit, "ule")
        last = c.value_of(arith.SelectOp(is_small, last, self._int(-1)))
        self._lasts[rows, factor] = last

    # In the loops

    def number(self, digits: Digits, counters: list[SSAValue]) -> SSAValue:
        """A number by the counters that it begins with, which are taken."""
        c = self._c
        if digits.parts is None or digits.divisor is None:
            value = c.cast(counters.pop(0), i64)
        else:
            quotient, remainder = digits.parts
            row, column = self.number(quotient, counters), self.number(remainder, counters)
            rows = self._rows[id(digits)]
            if known_int(column) is not None:
                self._parts[id(digits)] = row, column
            start = self._multiple(rows, row, c.scalar(digits.divisor), quotient)
            for product, factor in self._products(quotient):
                multiple = self._multiple(rows, row, c.scalar(factor), quotient)
                c.bind(product.results[0], [multiple])
                self.operations.append(product)
            value = c.value_of(arith.AddiOp(start, column))
            for difference in _differences(digits.values, remainder.values):
                c.bind(difference.result, [start])
                self.operations.append(difference)
            self._decide(digits, row)
        for each in digits.values:
            c.bind(each, [c.cast(value, each.type)])
            if not isinstance(each, BlockArgument):
                assert isinstance(each.owner, Operation)
                self.operations.append(each.owner)
        return value

    def _decide(self, digits: Digits, row: SSAValue) -> None:
        """``q*m + r < m`` for a known q: it is 0."""
        number = known_int(row)
        for use in [use for each in digits.values for use in each.uses]:
            found = relation_of(use.operation.results[0]) if number is not None else None
            for reading in found.readings if found is not None else ():
                is_of_limit = digits.divisor is not None and is_same(reading.rhs, digits.divisor)
                is_below = reading.predicate in ("slt", "sge") and is_of_limit
                if reading.lhs in digits.values and is_below:
                    truth = (number == 0) == (reading.predicate == "slt")
                    self._c.bind(use.operation.results[0], [self._c.number(truth, i1)])
                    self.operations.append(use.operation)

    def _multiple(
        self, rows: SSAValue, row: SSAValue, factor: SSAValue, quotient: Digits
    ) -> SSAValue:
        """``min(q * m, last)``, which is ``q * m``: passes on loops know that its bound is.

        ``(c*p + t) * m`` for a known t is ``min(p * (c*m), last) + t * m``.
        """
        c = self._c
        if id(quotient) in self._parts and factor in self._of_parts:
            above, part = self._parts[id(quotient)]
            rows, own = self._rows[id(quotient)], c.value_of(arith.MuliOp(factor, part))
            start = self._multiple(rows, above, self._of_parts[factor], quotient)
            return c.value_of(arith.AddiOp(start, own))
        if known_int(row) is not None:
            return c.value_of(arith.MuliOp(factor, row))
        product, last = c.value_of(arith.MuliOp(row, factor)), self._lasts.get((rows, factor))
        return product if last is None else c.value_of(arith.MinUIOp(product, last))


def _differences(
    numbers: Sequence[SSAValue], remainders: Sequence[SSAValue]
) -> Iterator[arith.SubiOp]:
    """The differences ``p - p mod m`` of a number and its remainder."""
    for use in [use for each in remainders for use in each.uses]:
        op = use.operation
        if isinstance(op, arith.SubiOp) and use.index == 1 and op.lhs in numbers:
            yield op
