"""Digits: the counters that an index is a number of, where a body divides it by Ints.

``p < n`` that is divided by m, as ``p // m`` and ``p mod m``, is ``q*m + r`` with ``q < n / m`` and
``r < m`` if m divides n.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import i64
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.phi.divided_indices import is_same
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.scopes import ancestors, is_within
from ein_mlir.dialects import phi, sigma
from ein_mlir.host.dataclass import dataclass

LEAST_ROW = 4
"""Shorter rows stay parts of one long loop."""

FEW_PARTS = range(2, 5)
"""The numbers of values of a digit between others whose elements are computed together."""


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


def divided_indices(op: phi.ArrayOp | phi.AccumulateOp, forms: IndexForms) -> dict[int, Digits]:
    """The indices of a comprehension or an accumulation that are several counters, by their
    numbers.

    The operation is in no comprehension, and its elements are scalars without loops: others are
    split by ``delinearize-indices``.
    """
    if any(each.regions for each in op.body.block.ops):
        return {}
    if any(ancestors(op, phi.ComprehensionOp)):
        return {}
    found = {number: _digits(op, [index], forms) for number, index in enumerate(op.indices)}
    return {number: each for number, each in found.items() if each.parts and _has_rows(each)}


def _has_rows(digits: Digits) -> bool:
    """Whether the last counter may have enough steps."""
    divisor = digits.last().divisor
    row = None if divisor is None else known_int(divisor)
    return row is None or row >= LEAST_ROW


def _digits(
    op: phi.ArrayOp | phi.AccumulateOp,
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
    return all(is_same(each, divisor) or ratio(divisor, each, forms) is not None for each in others)


def ratio(size: SSAValue, divisor: SSAValue, forms: IndexForms) -> int | None:
    """The small number of times that a divisor is in a size, modulo 2^64."""
    whole, part = forms.form(size), forms.form(divisor)
    return next((n for n in FEW_PARTS if part.coefficients and whole == part * n), None)


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
