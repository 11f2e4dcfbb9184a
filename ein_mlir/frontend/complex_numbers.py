"""Complex numbers: records of two Floats with operators, which arrays of complex dtypes hold.

All operators are arithmetic of their parts, so they have the derivatives and the loops of records.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from typing_extensions import TypeIs

from ein_mlir.errors import EinTypeError
from ein_mlir.frontend.types import (
    Limit,
    RecordType,
    Type,
    describe,
    require_kind,
    resolve,
    settled,
)
from ein_mlir.host.elements import COMPLEX, ComplexType, ScalarType
from ein_mlir.host.locations import at

NAMES = ("real", "imag")


@dataclass(frozen=True, eq=False)
class Complex:
    """A staged complex number: ``Complex(x, y)`` is ``x + y*i``.

    Operators act on complex numbers, and on Floats and Python numbers as real parts.

    >>> import numpy as np
    >>> from ein_mlir import function
    >>> f = function(lambda z: z * z.conj() + 1j)
    >>> f(np.complex128(3 + 4j))
    np.complex128(25+1j)
    """

    real: Any
    imag: Any

    __array_ufunc__ = None
    """NumPy's scalars leave operators to this class."""

    def __post_init__(self) -> None:
        for name in NAMES:
            object.__setattr__(self, name, _part(getattr(self, name)))

    def __add__(self, other: Any) -> Complex:
        return _with(lambda x, y: Complex(x.real + y.real, x.imag + y.imag), self, other)

    def __radd__(self, other: Any) -> Complex:
        return self + other

    def __sub__(self, other: Any) -> Complex:
        return _with(lambda x, y: Complex(x.real - y.real, x.imag - y.imag), self, other)

    def __rsub__(self, other: Any) -> Complex:
        return -self + other

    def __mul__(self, other: Any) -> Complex:
        if _is_real(other):
            return Complex(self.real * other, self.imag * other)
        return _with(_product, self, other)

    def __rmul__(self, other: Any) -> Complex:
        return self * other

    def __truediv__(self, other: Any) -> Complex:
        if _is_real(other):
            return Complex(self.real / other, self.imag / other)
        return _with(_quotient, self, other)

    def __rtruediv__(self, other: Any) -> Complex:
        return _with(lambda x, y: _quotient(y, x), self, other)

    def __pow__(self, exponent: Any) -> Complex:
        """``z ** n``: products for a Python int, else ``exp(n * log(z))``."""
        if isinstance(exponent, int) and not isinstance(exponent, bool):
            return _power(self, exponent)
        return (self.log() * exponent).exp()

    def __neg__(self) -> Complex:
        return Complex(-self.real, -self.imag)

    def __pos__(self) -> Complex:
        return self

    def __abs__(self) -> Any:
        return self.abs()

    def __eq__(self, other: object) -> Any:
        return _with(lambda x, y: (x.real == y.real) & (x.imag == y.imag), self, other)

    def __ne__(self, other: object) -> Any:
        return ~(self == other)

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return "<Complex>"

    def _unordered(self, other: object) -> NoReturn:
        raise _no_order()

    __lt__ = __le__ = __gt__ = __ge__ = _unordered

    def conj(self) -> Complex:
        """The complex conjugate."""
        return Complex(self.real, -self.imag)

    def abs(self) -> Any:
        """The absolute value, a Float: no square overflows."""
        from ein_mlir.frontend.combinators import where

        x, y = abs(self.real), abs(self.imag)
        largest, smallest = x.max(y), x.min(y)
        is_plain = (largest > 0.0) & (largest < float("inf"))
        ratio = smallest / where(is_plain, largest, 1.0)
        return where(is_plain, largest * (1.0 + ratio * ratio).sqrt(), largest)

    def angle(self) -> Any:
        """The angle to the positive real axis, a Float."""
        return self.imag.atan2(self.real)

    def exp(self) -> Complex:
        """The exponential function."""
        size = self.real.exp()
        return Complex(size * self.imag.cos(), size * self.imag.sin())

    def log(self) -> Complex:
        """The natural logarithm, with an angle from -pi to pi."""
        return Complex(self.abs().log(), self.angle())

    def sqrt(self) -> Complex:
        """The square root with a real part that is not negative."""
        from ein_mlir.frontend.combinators import where

        larger = ((self.abs() + self.real.abs()) / 2.0).sqrt()
        smaller = self.imag.abs() / where(larger == 0.0, 1.0, 2.0 * larger)
        is_right = self.real >= 0.0
        height = where(is_right, smaller, larger)
        imag = where(self.imag < 0.0, -height, height)
        return Complex(where(is_right, larger, smaller), imag)


def _product(x: Complex, y: Complex) -> Complex:
    return Complex(x.real * y.real - x.imag * y.imag, x.real * y.imag + x.imag * y.real)


def _quotient(x: Complex, y: Complex) -> Complex:
    """Divided by the larger part of the divisor first, so that no square overflows."""
    from ein_mlir.frontend.combinators import where

    is_wide = y.real.abs() >= y.imag.abs()
    large, small = where(is_wide, y.real, y.imag), where(is_wide, y.imag, y.real)
    ratio = small / large
    divisor = large + small * ratio
    wide = Complex(x.real + x.imag * ratio, x.imag - x.real * ratio)
    high = Complex(x.real * ratio + x.imag, x.imag * ratio - x.real)
    return where(is_wide, wide, high) / divisor


def _power(base: Complex, exponent: int) -> Complex:
    if exponent < 0:
        return 1.0 / _power(base, -exponent)
    if exponent == 0:
        return Complex(base.real**0, base.imag**0 - 1.0)
    half = _power(base, exponent // 2) if exponent > 1 else None
    square = base if half is None else half * half
    return square * base if half is not None and exponent % 2 else square


def _no_order() -> EinTypeError:
    return EinTypeError(f"complex numbers have no order: compare abs(z) or z.real{at()}")


def _part(value: Any) -> Any:
    """A part of a complex number: a Float."""
    from ein_mlir.frontend.values import Scalar, Value, decode, encode, weak

    if isinstance(value, int | float) and not isinstance(value, bool):
        return decode(encode(float(value), leaf=weak))
    if isinstance(value, np.floating):
        return decode(encode(value))
    if isinstance(value, Scalar) and require_kind(value.expr.type, "float"):
        return value
    if isinstance(value, Limit):
        raise _no_order()
    given = describe(value.expr.type) if isinstance(value, Value) else repr(value)
    raise EinTypeError(f"Complex: the parts are Floats, not {given}; write `x.float()`{at()}")


def is_complex_number(value: object) -> TypeIs[complex]:
    """Whether a value is a complex number of Python or NumPy."""
    return isinstance(value, complex | np.complexfloating)


def _is_real(value: Any) -> bool:
    """Whether a value is a real number, and no complex one."""
    return not isinstance(value, Complex) and not is_complex_number(value)


def _with(operation: Callable[[Complex, Complex], Any], lhs: Complex, rhs: Any) -> Any:
    """An operation with another number; a real number has an imaginary part of 0."""
    if is_complex_number(rhs):
        rhs = Complex(rhs.real, rhs.imag)
    return operation(lhs, rhs if isinstance(rhs, Complex) else Complex(rhs, 0.0))


# Types ----------------------------------------------------------------------------------------


def complex_type(type_: Type) -> ComplexType | None:
    """The complex dtype of a type of Ein; None for other types."""
    type_ = resolve(type_)
    if not isinstance(type_, RecordType) or type_.container is not Complex:
        return None
    real, imag = map(settled, type_.fields)
    return next((each for each in COMPLEX if each.part is real and each.part is imag), None)


def record_of(part: ScalarType) -> RecordType:
    """The type of complex numbers with parts of a type."""
    return RecordType(Complex, NAMES, (part, part))
