"""Indices that a body divides, as the counters of several loops.

``array (p < n) { x[p // m, p mod m] }`` is a loop over p, or over ``q < n / m`` and ``r < m`` if m
divides n: then positions are linear, and neighbours are loaded as vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

from xdsl.dialects import arith
from xdsl.dialects.builtin import i64
from xdsl.ir import BlockArgument, Operation, SSAValue

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.phi.divided_indices import is_same
from ein_mlir.analysis.scopes import around, is_within
from ein_mlir.dialects import phi, sigma
from ein_mlir.passes.conversions.convert_phi_to_loops.conversion import Conversion
from ein_mlir.passes.conversions.convert_phi_to_loops.emission import INDEX

T = TypeVar("T")

LEAST_ROW = 4
"""Shorter rows stay parts of one long loop."""

MOST_FACTOR = 256
"""A larger multiple of a position might wrap."""


# Analysis -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Digits:
    """A number that a body divides by one Int, ``q*m + r``, or one that it does not divide."""

    values: Sequence[SSAValue]
    """The values of the body that are the number."""
    divisor: SSAValue | None = None
    parts: tuple[Digits, Digits] | None = None
    """The quotient and the remainder."""

    def counters(self) -> int:
        """The number of loops."""
        return 1 if self.parts is None else sum(part.counters() for part in self.parts)

    def last(self) -> Digits:
        """The number whose remainder is the last counter."""
        return self.parts[1].last() if self.parts is not None and self.parts[1].parts else self


def divided_indices(op: phi.ArrayOp) -> dict[int, Digits]:
    """The indices of a comprehension that are several counters, by their numbers.

    The comprehension is not in another one, and its elements are scalars without loops: others are
    split by ``delinearize-indices``.
    """
    if any(each.regions for each in op.body.block.ops):
        return {}
    if any(isinstance(each, phi.ComprehensionOp) for each in around(op.parent_op())):
        return {}
    found = {number: _digits(op, [index]) for number, index in enumerate(op.indices)}
    return {number: each for number, each in found.items() if each.parts and _has_rows(each)}


def _has_rows(digits: Digits) -> bool:
    """Whether the last counter may have enough steps."""
    divisor = digits.last().divisor
    row = None if divisor is None else known_int(divisor)
    return row is None or row >= LEAST_ROW


def _digits(op: phi.ArrayOp, values: Sequence[SSAValue]) -> Digits:
    """The number that some values of a body are."""
    values = [*values, *(cast.result for each in values for cast in _casts(each))]
    users = [user for each in values for user in _divisions(each)]
    if not users or is_within(users[0].operands[1], op):
        return Digits(values)
    divisor = users[0].operands[1]
    number = known_int(divisor)
    is_one = all(is_same(user.operands[1], divisor) for user in users)
    if not is_one or (number is not None and number <= 0):
        return Digits(values)
    quotients = [op.results[0] for op in users if isinstance(op, arith.FloorDivSIOp)]
    remainders = [op.results[0] for op in users if isinstance(op, sigma.FloorModOp)]
    return Digits(values, divisor, (_digits(op, quotients), _digits(op, remainders)))


def _casts(value: SSAValue) -> Iterator[arith.IndexCastOp]:
    for use in value.uses:
        if isinstance(use.operation, arith.IndexCastOp):
            yield use.operation


def _divisions(value: SSAValue) -> Iterator[Operation]:
    """The quotients and remainders of an Int by others."""
    for use in value.uses:
        op = use.operation
        is_division = isinstance(op, arith.FloorDivSIOp | sigma.FloorModOp) and value.type == i64
        if is_division and use.index == 0:
            yield op


# Rewriting ----------------------------------------------------------------------------------------


def comprehend(
    conversion: Conversion,
    op: phi.ArrayOp,
    sizes: Sequence[SSAValue],
    body: Callable[[Sequence[SSAValue]], None],
) -> None:
    """A loop over the indices of a comprehension, or over the counters that they are::

        if n mod m == 0 and m >= LEAST_ROW { for q < n / m, r < m { .. } } else { for p < n { .. } }

    A remainder that is divided again is small if all divisors are positive, and then divided as a
    float: such a loop has a third version.
    """
    divided = {} if op in conversion.ordered else divided_indices(op)
    if not divided:
        conversion.comprehend(op, sizes, body)
        return
    split = _Split(conversion, op)
    counts = [
        count
        for number, size in enumerate(sizes)
        for count in (split.counts(divided[number], size) if number in divided else [size])
    ]
    conversion.note(op, "divided indices are several counters, if their divisors divide the sizes")

    def inner(counters: Sequence[SSAValue]) -> None:
        rest, at = list(counters), list[SSAValue]()
        for number in range(len(sizes)):
            if number in divided:
                at.append(conversion.cast(split.number(divided[number], rest), INDEX))
            else:
                at.append(rest.pop(0))
        with _added(conversion.skipped, split.operations):
            body(at)

    def flat() -> None:
        conversion.parallel(sizes, body)

    def with_small_digits() -> None:
        with _added(conversion.small, split.divided_remainders):
            flat()

    def otherwise() -> None:
        if split.divided_remainders:
            conversion.choose(split.is_positive(), with_small_digits, flat)
        else:
            flat()

    conversion.choose(split.is_whole(), lambda: conversion.parallel(counts, inner), otherwise)


@contextmanager
def _added(known: set[T], values: Iterable[T]) -> Generator[None]:
    """A set with more elements, in one translation of a body."""
    new = set(values) - known
    known.update(new)
    try:
        yield
    finally:
        known.difference_update(new)


class _Split:
    """The counters of a comprehension, and the numbers that they are the digits of."""

    def __init__(self, conversion: Conversion, op: phi.ArrayOp):
        self._c = conversion
        self._op = op
        self._positive = list[SSAValue]()
        """Whether the divisors are positive."""
        self._tests = list[SSAValue]()
        self._lasts = dict[tuple[SSAValue, SSAValue], SSAValue]()
        """The greatest multiple of an Int by a quotient."""
        self._rows = dict[int, SSAValue]()
        """The number of quotients."""
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

    def counts(self, digits: Digits, size: SSAValue) -> list[SSAValue]:
        """The numbers of steps of the loops for a number below a size."""
        if digits.parts is None or digits.divisor is None:
            return [self._c.cast(size, INDEX)]
        c, size = self._c, self._c.cast(size, i64)
        divisor = c.scalar(digits.divisor)
        quotient, remainder = digits.parts
        self._positive.append(c.compare(divisor, self._int(1), "sge"))
        least = c.compare(divisor, self._int(LEAST_ROW), "sge")
        positive = c.value_of(arith.MaxSIOp(divisor, self._int(1)))
        rows = c.value_of(arith.DivUIOp(size, positive))
        total = c.value_of(arith.MuliOp(rows, positive))
        is_whole = c.compare(total, size, "eq")
        self._tests += [is_whole, self._positive[-1] if remainder.parts else least]
        if remainder.parts:
            self.divided_remainders += remainder.values
        self._rows[id(digits)] = rows
        factors = (c.scalar(factor) for _, factor in self._products(quotient))
        for factor in dict.fromkeys((divisor, *factors)):
            self._bound(rows, factor, divisor)
        return self.counts(quotient, rows) + self.counts(remainder, divisor)

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
            start = self._multiple(rows, row, c.scalar(digits.divisor))
            for product, factor in self._products(quotient):
                c.bind(product.results[0], [self._multiple(rows, row, c.scalar(factor))])
                self.operations.append(product)
            value = c.value_of(arith.AddiOp(start, column))
        for each in digits.values:
            c.bind(each, [c.cast(value, each.type)])
            if not isinstance(each, BlockArgument):
                assert isinstance(each.owner, Operation)
                self.operations.append(each.owner)
        return value

    def _multiple(self, rows: SSAValue, row: SSAValue, factor: SSAValue) -> SSAValue:
        """``min(q * m, last)``, which is ``q * m``: passes on loops know that its bound is."""
        product = self._c.value_of(arith.MuliOp(row, factor))
        last = self._lasts.get((rows, factor))
        return product if last is None else self._c.value_of(arith.MinUIOp(product, last))
