"""Bits of Ints as quotients and remainders by powers of two."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeGuard

from xdsl.dialects import arith
from xdsl.dialects.builtin import i64
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.phi.cases import decides
from ein_mlir.analysis.phi.divided_indices import divisions, uses_as_int
from ein_mlir.analysis.predicates import predicate_of
from ein_mlir.analysis.scopes import around, is_within, reached
from ein_mlir.dialects import phi, sigma
from ein_mlir.dialects.creation import copy_of
from ein_mlir.dialects.phi.integers import range_of
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.phi.insertion import Builder

BITS = (arith.ShRSIOp, arith.AndIOp, arith.XOrIOp)
"""The operations on bits that are divisions."""

_LARGEST = 2**63 - 1
_LINEAR = (arith.AddiOp, arith.SubiOp, arith.MuliOp, sigma.FloorModOp, *BITS)


def is_of_bits(op: Operation) -> TypeGuard[arith.ShRSIOp | arith.AndIOp | arith.XOrIOp]:
    """Whether an operation is one on the bits of Ints, not of Bools."""
    return isinstance(op, BITS) and op.result.type == i64


def divide_by_constant(op: arith.ShRSIOp | arith.AndIOp | arith.XOrIOp) -> None:
    """``x >> 3  -->  x // 8``, ``x & 7  -->  x mod 8``"""
    number = known_int(op.rhs)
    if number is None:
        return
    build = Builder.before(op)
    if isinstance(op, arith.ShRSIOp) and 0 < number < 63:
        Rewriter.replace_op(op, [], [build.floordiv(op.lhs, 1 << number)])
    elif isinstance(op, arith.AndIOp) and 0 < number < _LARGEST and not number & (number + 1):
        Rewriter.replace_op(op, [], [build.floormod(op.lhs, number + 1)])


def divided_by_powers(op: phi.ArrayOp) -> phi.ArrayOp | None:
    """Quotients and remainders by a power ``h = 1 << n`` for the bits of an index p::

        p >> n       -->  p // h
        p & (h - 1)  -->  p - h * (p // h)
        p & h        -->  h * ((p // h) mod 2)
        p ^ h        -->  p + h * (1 - 2 * ((p // h) mod 2))

    Only if positions or conditions depend on them, and the program divides p by no other number.
    Not in the steps of a loop: of their arrays, which are often short, copies take less time than
    the calls for two versions. The divisor is ``h & (2**63 - 1)`` where n may be no distance of
    bits, or 63: by it, which is 0 then, the quotient is 0.

    Returns a copy of the comprehension as written, if there are such bits.
    """
    written: phi.ArrayOp | None = None
    if any(isinstance(each, phi.FoldOp | phi.WhileOp) for each in around(op)):
        return None
    for index in op.indices:
        found = list(_bits_of(index))
        exponents = {each.exponent for each in found}
        if len(exponents) != 1 or not any(_is_used(each.op) for each in found):
            continue
        (exponent,) = exponents
        distances, own = range_of(exponent), list(divisions(index))
        is_power = distances.low >= 0 and distances.high < 63
        is_other = any(not is_power or _exponent(each.divisor) is not exponent for _, each in own)
        if is_other or is_within(exponent, op):
            continue
        written = copy_of(op) if written is None else written
        build = Builder.before(op)
        power = build.power_of_two(exponent)
        for user, _ in own:
            user.operands[1] = power
        divisor = power if is_power else build.and_(power, _LARGEST)
        for each in found:
            _divide(each, power, divisor)
    return written


@dataclass(frozen=True)
class _Bits:
    """An operation on the bits of an index, and the bit that it reads: ``1 << exponent``."""

    op: Operation
    index: SSAValue
    exponent: SSAValue
    is_rest: bool = False
    """Whether the other operand is ``power - 1``."""


def _bits_of(index: SSAValue) -> Iterator[_Bits]:
    """The operations on one bit of an index."""
    found = (_bits(use.operation, use.index) for use in uses_as_int(index))
    return (each for each in found if each is not None)


def _bits(op: Operation, place: int) -> _Bits | None:
    """The bit of an operand that an operation reads."""
    if not isinstance(op, BITS) or (isinstance(op, arith.ShRSIOp) and place != 0):
        return None
    index, other = op.operands[place], op.operands[1 - place]
    if isinstance(op, arith.ShRSIOp):
        return _Bits(op, index, other)
    if (exponent := _exponent(other)) is not None:
        return _Bits(op, index, exponent)
    rest = other.owner
    if not isinstance(op, arith.AndIOp) or not isinstance(rest, arith.SubiOp):
        return None
    exponent = _exponent(rest.lhs) if known_int(rest.rhs) == 1 else None
    return None if exponent is None else _Bits(op, index, exponent, is_rest=True)


def _exponent(value: SSAValue) -> SSAValue | None:
    """``n`` for a value ``1 << n``"""
    op = value.owner
    return op.rhs if isinstance(op, arith.ShLIOp) and known_int(op.lhs) == 1 else None


def _is_used(op: Operation) -> bool:
    """Whether positions or conditions depend on bits of an index."""

    def functions(op: Operation) -> Iterator[Operation]:
        users = (use.operation for use in op.results[0].uses)
        return (user for user in users if isinstance(user, _LINEAR))

    return any(
        decides(each)
        or any(isinstance(use.operation, phi.GetOp) and use.index for use in each.results[0].uses)
        for each in reached([op], functions)
    )


def _divide(bits: _Bits, power: SSAValue, divisor: SSAValue) -> None:
    """Replace an operation on the bits of an index by divisions."""
    op, build = bits.op, Builder.before(bits.op)
    quotient = build.floordiv(bits.index, divisor)
    if isinstance(op, arith.ShRSIOp):
        Rewriter.replace_op(op, [], [quotient])
    elif bits.is_rest:
        Rewriter.replace_op(op, [], [build.sub(bits.index, build.mul(divisor, quotient))])
    elif isinstance(op, arith.XOrIOp):
        sign = build.sub(1, build.mul(build.floormod(quotient, 2), 2))
        Rewriter.replace_op(op, [], [build.add(bits.index, build.mul(power, sign))])
    else:
        bit = build.floormod(quotient, 2)
        for use in list(op.results[0].uses):
            test = use.operation
            if isinstance(test, arith.CmpiOp) and predicate_of(test) in ("eq", "ne"):
                test.operands[0] = bit if known_int(test.rhs) == 0 else test.lhs
        Rewriter.replace_op(op, [], [build.mul(power, bit)])
