"""The table of laws against the interpreter: on special values, and each hazard is real."""

import itertools
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import numpy as np
import pytest
from xdsl.dialects import arith, test
from xdsl.dialects.builtin import f32, f64, i1, i8, i16, i32, i64
from xdsl.ir import Attribute

from ein_mlir.dialects.algebra import (
    ALGEBRAS,
    STRICT_IN_NAN,
    Algebra,
    Hazard,
    takes_any_order,
)
from ein_mlir.interpreters.scalars import RULES
from ein_mlir.interpreters.values import DTYPES, Scalar

Function: TypeAlias = Callable[..., Any]

OPERATIONS = {op.name: op for op in arith.Arith.operations}

_FLOATS = [0.0, -0.0, 1.0, -1.0, 0.1, -2.5, 3e-5, np.inf, -np.inf, np.nan]
VALUES: dict[Attribute, list[float]] = {
    f64: [*_FLOATS, 1e308, -1e308, 1e200, -1e-200, 1e-300, 5e-324],
    f32: [*_FLOATS, 3e38, -3e38, 1e30, -1e-30, 1e-35, 1e-45],
    i64: [0, 1, -1, 7, -3, 2**63 - 1, -(2**63), 2**62],
    i8: [0, 1, -1, 7, -3, 2**7 - 1, -(2**7), 2**6],
    i16: [0, 1, -1, 7, -3, 2**15 - 1, -(2**15), 2**14],
    i32: [0, 1, -1, 7, -3, 2**31 - 1, -(2**31), 2**30],
    i1: [False, True],
}

CASES = [
    pytest.param(algebra, type_, id=f"{algebra.name}-{type_}")
    for algebra in ALGEBRAS.values()
    for type_ in sorted(algebra.types, key=str)
]

OVERFLOWS = Hazard.OVERFLOW | Hazard.PARTIAL_OVERFLOW


def function(name: str, type_: Attribute) -> Function:
    """A scalar operation as the interpreter defines it."""
    operation = OPERATIONS[name]
    count = 1 if name == "arith.negf" else 2
    op = operation(*(test.TestOp(result_types=[type_]).results[0] for _ in range(count)))
    rule = RULES[operation](op)
    return lambda *args: rule(args)


def values(type_: Attribute) -> list[Any]:
    """Ordinary and special values of a type."""
    return [DTYPES[type_](value) for value in VALUES[type_]]


def observed(lhs: Scalar, rhs: Scalar, operands: Iterable[Scalar], *, is_sum: bool) -> Hazard:
    """The hazard that the difference between two values shows."""
    if not isinstance(lhs, np.floating):
        return Hazard.NONE if lhs == rhs else Hazard.ROUNDING | Hazard.INVALID
    if lhs == rhs or (lhs != lhs and rhs != rhs):
        same_sign = lhs != 0 or np.signbit(lhs) == np.signbit(rhs)
        return Hazard.NONE if same_sign else Hazard.ZERO_SIGN
    if not (np.isfinite(lhs) and np.isfinite(rhs)):
        if not all(map(np.isfinite, operands)):
            return Hazard.INVALID
        return Hazard.PARTIAL_OVERFLOW if is_sum else Hazard.OVERFLOW
    info = np.finfo(lhs.dtype)
    scale = max(abs(lhs), abs(rhs), *(abs(x) for x in operands if is_sum))
    rounds = abs(lhs - rhs) <= 8 * info.eps * scale + 8 * info.smallest_subnormal
    return Hazard.ROUNDING if rounds else Hazard.UNDERFLOW


def assert_law(
    sides: Callable[..., tuple[Scalar, Scalar]],
    type_: Attribute,
    count: int,
    law: Hazard,
    *,
    is_sum: bool = False,
) -> None:
    """A law holds up to its hazards, and each of them occurs, except for the sign of a zero."""
    seen = Hazard.NONE
    for operands in itertools.product(values(type_), repeat=count):
        found = observed(*sides(*operands), operands, is_sum=is_sum)
        if found == Hazard.INVALID and Hazard.INVALID not in law:
            assert law & (OVERFLOWS | Hazard.UNDERFLOW), operands  # of infinite operands
            continue
        assert found in law, (operands, sides(*operands))
        seen |= found
    assert seen | Hazard.ZERO_SIGN == law | Hazard.ZERO_SIGN


@pytest.fixture(autouse=True)
def quiet():
    with np.errstate(all="ignore"):
        yield


@pytest.mark.parametrize(("algebra", "type_"), CASES)
def test_association_and_order(algebra: Algebra, type_: Attribute):
    f, is_sum = function(algebra.name, type_), algebra.kind == "add"
    assert algebra.associative is not None
    assert algebra.commutative is not None
    sides = lambda x, y, z: (f(f(x, y), z), f(x, f(y, z)))  # noqa: E731
    assert_law(sides, type_, 3, algebra.associative, is_sum=is_sum)
    assert_law(lambda x, y: (f(x, y), f(y, x)), type_, 2, algebra.commutative)


@pytest.mark.parametrize(("algebra", "type_"), CASES)
def test_identity_and_repetition(algebra: Algebra, type_: Attribute):
    f, neutral = function(algebra.name, type_), algebra.identity(type_)
    assert neutral is not None
    start = DTYPES[type_](neutral.value.data)
    up_to = Hazard.ZERO_SIGN if algebra.name == "arith.addf" else Hazard.NONE
    assert_law(lambda x: (f(start, x), x), type_, 1, up_to)
    repeats = all(observed(f(x, x), x, (x,), is_sum=False) == Hazard.NONE for x in values(type_))
    assert repeats == algebra.idempotent
    if takes_any_order(algebra.name):
        assert algebra.identity(f64 if type_ not in (f32, f64) else i64) is None


@pytest.mark.parametrize(("algebra", "type_"), CASES)
def test_differences(algebra: Algebra, type_: Attribute):
    f = function(algebra.name, type_)
    if algebra.difference is None:
        assert not algebra.is_invertible
        return
    subtract = function(algebra.difference, type_)
    pairs = list(itertools.product(values(type_), repeat=2))
    inverts = all(subtract(f(x, y), y) == x for x, y in pairs)
    assert inverts == algebra.is_invertible
    if algebra.negation is not None:
        negate = function(algebra.negation, type_)
        assert_law(lambda x, y: (subtract(x, y), f(x, negate(y))), type_, 2, Hazard.NONE)
        assert_law(
            lambda x, y: (negate(f(x, y)), f(negate(x), negate(y))), type_, 2, Hazard.ZERO_SIGN
        )


@pytest.mark.parametrize(("algebra", "type_"), CASES)
def test_distribution(algebra: Algebra, type_: Attribute):
    outer = function(algebra.name, type_)
    for name, law in algebra.distributes_over.items():
        inner = function(name, type_)
        sides = lambda x, y, z, inner=inner: (  # noqa: E731
            outer(x, inner(y, z)),
            inner(outer(x, y), outer(x, z)),
        )
        assert_law(sides, type_, 3, law)


@pytest.mark.parametrize("name", sorted(STRICT_IN_NAN & OPERATIONS.keys()))
def test_nan_with_any_operand(name: str):
    if name in ("arith.extf", "arith.truncf"):
        return  # of one operand, whose type changes
    f, count = function(name, f64), 1 if name == "arith.negf" else 2
    for operands in itertools.product(values(f64), repeat=count):
        if any(x != x for x in operands):
            assert f(*operands) != f(*operands)
