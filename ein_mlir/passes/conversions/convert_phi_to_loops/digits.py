"""Indices that a body divides, as the counters of several loops.

``array (p < n) { x[p // m, p mod m] }`` is a loop over p, or over ``q < n / m`` and ``r < m`` if m
divides n: then positions are linear, and neighbours are loaded as vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from typing import TypeVar

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import i1, i64
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.loops.effects import READS, is_scalar
from ein_mlir.analysis.phi.divided_indices import is_same
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.predicates import SIGNED, predicate_of, relation_of
from ein_mlir.analysis.scopes import around, is_within
from ein_mlir.dialects import phi, sigma
from ein_mlir.passes.conversions.convert_phi_to_loops.conversion import Conversion
from ein_mlir.passes.conversions.convert_phi_to_loops.emission import INDEX

T = TypeVar("T")

LEAST_ROW = 4
"""Shorter rows stay parts of one long loop."""

MOST_PARTS = 4
"""The most values of a digit between others whose elements are computed together."""

_FEW = range(2, MOST_PARTS + 1)

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


def divided_indices(op: phi.ArrayOp, forms: IndexForms) -> dict[int, Digits]:
    """The indices of a comprehension that are several counters, by their numbers.

    The comprehension is not in another one, and its elements are scalars without loops: others are
    split by ``delinearize-indices``.
    """
    if any(each.regions for each in op.body.block.ops):
        return {}
    if any(isinstance(each, phi.ComprehensionOp) for each in around(op.parent_op())):
        return {}
    found = {number: _digits(op, [index], forms) for number, index in enumerate(op.indices)}
    return {number: each for number, each in found.items() if each.parts and _has_rows(each)}


def _has_rows(digits: Digits) -> bool:
    """Whether the last counter may have enough steps."""
    divisor = digits.last().divisor
    row = None if divisor is None else known_int(divisor)
    return row is None or row >= LEAST_ROW


def _digits(
    op: phi.ArrayOp,
    values: Sequence[SSAValue],
    forms: IndexForms,
    divided: Sequence[Operation] = (),
) -> Digits:
    """The number that some values of a body are, of which there may be other divisions."""
    values = [*values, *(cast.result for each in values for cast in _casts(each))]
    users = [*(user for each in values for user in _divisions(each)), *divided]
    divisors = [user.operands[1] for user in users]
    divisor = next((each for each in divisors if _is_multiple(each, divisors, forms)), None)
    number = None if divisor is None else known_int(divisor)
    if divisor is None or is_within(divisor, op) or (number is not None and number <= 0):
        return Digits(values)
    own = [user for user in users if is_same(user.operands[1], divisor)]
    others = [user for user in users if user not in own]
    if any(isinstance(user, arith.FloorDivSIOp) for user in others):
        return Digits(values)
    quotients = [op.results[0] for op in own if isinstance(op, arith.FloorDivSIOp)]
    remainders = [op.results[0] for op in own if isinstance(op, sigma.FloorModOp)]
    parts = _digits(op, quotients, forms), _digits(op, remainders, forms, others)
    return Digits(values, divisor, parts)


def _is_multiple(divisor: SSAValue, others: Sequence[SSAValue], forms: IndexForms) -> bool:
    """Whether a divisor is one of others, or a small multiple: ``p mod m = (p mod 2m) mod m``."""
    return all(
        is_same(each, divisor) or _ratio(divisor, each, forms) is not None for each in others
    )


def _ratio(size: SSAValue, divisor: SSAValue, forms: IndexForms) -> int | None:
    """The small number of times that a divisor is in a size, modulo 2^64."""
    whole, part = forms.form(size), forms.form(divisor)
    return next((n for n in _FEW if part.coefficients and whole == part * n), None)


def _casts(value: SSAValue) -> Iterator[arith.IndexCastOp]:
    for use in value.uses:
        if isinstance(use.operation, arith.IndexCastOp):
            yield use.operation


def _differences(
    numbers: Sequence[SSAValue], remainders: Sequence[SSAValue]
) -> Iterator[arith.SubiOp]:
    """The differences ``p - p mod m`` of a number and its remainder."""
    for use in [use for each in remainders for use in each.uses]:
        op = use.operation
        if isinstance(op, arith.SubiOp) and use.index == 1 and op.lhs in numbers:
            yield op


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
    divided = {} if op in conversion.ordered else divided_indices(op, conversion.bounds.forms)
    if not divided:
        conversion.comprehend(op, sizes, body)
        return
    split = _Split(conversion, op)
    counts = [
        count
        for number, size in enumerate(sizes)
        for count in (
            split.counts(divided[number], size, op.sizes[number]) if number in divided else [size]
        )
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

    def whole() -> None:
        _with_parts_together(conversion, counts, inner)

    conversion.choose(split.is_whole(), whole, otherwise)


def _with_parts_together(
    conversion: Conversion,
    counts: Sequence[SSAValue],
    body: Callable[[Sequence[SSAValue]], None],
) -> None:
    """A parallel loop in whose steps the few values of digits before the last are taken in turn::

        for q < n, t < 2, r < m { e(q, t, r) }  -->  for q < n, r < m { e(q, 0, r); e(q, 1, r) }

    The elements of a butterfly share what they read and compute.
    """
    numbers = enumerate(map(known_int, counts[:-1]))
    few = {k: range(n) for k, n in numbers if n is not None and n in _FEW}
    rest = [count for k, count in enumerate(counts) if k not in few]

    def together(counters: Sequence[SSAValue]) -> None:
        for numbers in product(*few.values()):
            own, others = (
                dict(zip(few, map(conversion.index, numbers), strict=True)),
                iter(counters),
            )
            body([own[k] if k in own else next(others) for k in range(len(counts))])
        if few:
            _simplify(conversion)

    conversion.parallel(rest, together)


def _simplify(conversion: Conversion) -> None:
    """Decide choices by known digits; let stores be after all loads, which read other elements."""
    build = conversion.frame.builder
    block = build.insertion_point.block
    for op in list(block.ops):
        match op:
            case arith.CmpiOp(lhs=lhs, rhs=rhs):
                test, x, y = SIGNED.get(predicate_of(op)), known_int(lhs), known_int(rhs)
                if test is not None and x is not None and y is not None:
                    Rewriter.replace_op(op, (), [conversion.number(test(x, y), i1)])
            case arith.SelectOp(cond=condition, lhs=lhs, rhs=rhs):
                if (truth := known_int(condition)) is not None:
                    Rewriter.replace_op(op, (), [lhs if truth else rhs])
            case _:
                pass
    ops = list(block.ops)
    if not all(is_scalar(op) or isinstance(op, (*READS, memref.StoreOp)) for op in ops):
        return
    for op in reversed(ops):
        if isinstance(op, memref.StoreOp):
            continue
        if all(result.first_use is None for result in op.results):
            Rewriter.erase_op(op)
    for op in [op for op in ops if isinstance(op, memref.StoreOp)]:
        op.detach()
        build.insert(op)


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
        number = None if own is None else _ratio(own, digits.divisor, c.bounds.forms)
        known = None if quotient.divisor is None else known_int(quotient.divisor)
        is_long = self._positive[-1]
        if is_last and not remainder.parts and number is None and known not in _FEW:
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
            if known is not None and known in _FEW:
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
