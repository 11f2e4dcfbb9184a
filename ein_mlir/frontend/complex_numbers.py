"""Complex numbers: records of two Floats with operators, which arrays of complex dtypes hold.

All operators are arithmetic of their parts, so they have the derivatives and the loops of records.
"""

from __future__ import annotations

import cmath
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, cast

import numpy as np
from typing_extensions import TypeIs

from ein_mlir.errors import EinAttributeError, EinTypeError
from ein_mlir.frontend.evaluable import Evaluable
from ein_mlir.frontend.types import (
    Limit,
    RecordType,
    Type,
    describe,
    kind_of,
    require_kind,
    resolve,
    settled,
)
from ein_mlir.host.dataclass import dataclass
from ein_mlir.host.elements import COMPLEX, ComplexType, ScalarType
from ein_mlir.host.locations import at

NAMES = ("real", "imag")


@dataclass(frozen=True, eq=False)
class Complex(Evaluable):
    """A staged complex number: ``Complex(x, y)`` is ``x + y*i``.

    Operators act on complex numbers, and on Floats and Python numbers as real parts.

    >>> import numpy as np
    >>> from ein_mlir import function
    >>> f = function(lambda z: z * z.conj() + 1j)
    >>> f(np.complex128(3 + 4j))
    np.complex128(25+1j)
    """

    evaluate: ClassVar[Callable[[Any, str | None], Any]]
    """The evaluation of records, as that of values is imported from modules above this one."""

    real: Any
    imag: Any

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **_: Any) -> Any:
        """NumPy's scalars leave operators to this class."""
        from ein_mlir.frontend.values.library_calls import apply_ufunc

        return apply_ufunc(ufunc, method, inputs)

    def __post_init__(self) -> None:
        for name, part in zip(NAMES, _parts(self.real, self.imag), strict=True):
            object.__setattr__(self, name, part)

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
            other = _factor(other)
            return Complex(self.real * other, self.imag * other)
        return _with(_product, self, other)

    def __rmul__(self, other: Any) -> Complex:
        return self * other

    def __truediv__(self, other: Any) -> Complex:
        if _is_real(other):
            other = _factor(other)
            return Complex(self.real / other, self.imag / other)
        return _with(_quotient, self, other)

    def __rtruediv__(self, other: Any) -> Complex:
        return _with(lambda x, y: _quotient(y, x), self, other)

    def __pow__(self, exponent: Any) -> Complex:
        """``z ** n``: products for a Python int, else ``exp(n * log(z))``."""
        if isinstance(exponent, int) and not isinstance(exponent, bool):
            return _power(self, exponent)
        return _with(_any_power, self, exponent)

    def __rpow__(self, base: Any) -> Complex:
        return _with(lambda z, x: _any_power(x, z), self, base)

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

    def _undivided(self, other: object) -> NoReturn:
        raise EinTypeError(f"complex numbers have no remainders: `//` and `%` are for parts{at()}")

    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __divmod__ = __rdivmod__ = _undivided

    def __bool__(self) -> NoReturn:
        raise EinTypeError(
            f"`if`, `and`, `or`, `not` and `assert` need a concrete value, and this Complex is "
            f"staged: write where(z != 0, a, b){at()}"
        )

    if not TYPE_CHECKING:  # a type checker knows the attributes that there are

        def __getitem__(self, position: object) -> NoReturn:
            raise EinTypeError(f"a Complex has no axes to index{at()}")

        def __getattr__(self, name: str) -> NoReturn:
            """Name the parts, which have the methods of Floats."""
            if name.startswith("__"):
                raise AttributeError(name)
            parts = "its parts are .real and .imag"
            raise EinAttributeError(f"a Complex has no attribute '{name}'; {parts}{at()}")

    def eval(self, backend: str | None = None) -> Any:
        """Run the program that computes this number, by default on that of the wrapped arrays."""
        return type(self).evaluate(self, backend)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy dtype of the number."""
        return (np.complex64(0) * self.real.dtype.type(0)).dtype

    def conj(self) -> Complex:
        """The complex conjugate."""
        return Complex(self.real, -self.imag)

    conjugate = conj

    def abs(self) -> Any:
        """The absolute value, a Float: no square overflows."""
        if (plain := _plain(self)) is not None:
            return abs(plain)
        x, y = abs(self.real), abs(self.imag)
        largest, smallest = x.max(y), x.min(y)
        is_plain = (largest > 0.0) & (largest < float("inf"))
        ratio = smallest / is_plain.where(largest, 1.0)
        return is_plain.where(largest * (1.0 + ratio * ratio).sqrt(), largest)

    def angle(self) -> Any:
        """The angle to the positive real axis, a Float."""
        if (plain := _plain(self)) is not None:
            return cmath.phase(plain)
        return self.imag.atan2(self.real)

    def exp(self) -> Complex:
        """The exponential function."""
        if (plain := _plain(self)) is not None:
            return _of(cmath.exp(plain))
        size = self.real.exp()
        return Complex(size * self.imag.cos(), size * self.imag.sin())

    def log(self) -> Complex:
        """The natural logarithm, with an angle from -pi to pi."""
        if (plain := _plain(self)) is not None:
            return _of(cmath.log(plain) if plain else complex(float("-inf")))
        return Complex(self.abs().log(), self.angle())

    def sqrt(self) -> Complex:
        """The square root with a real part that is not negative."""
        if (plain := _plain(self)) is not None:
            return _of(cmath.sqrt(plain))
        larger = ((self.abs() + abs(self.real)) / 2.0).sqrt()
        smaller = abs(self.imag) / (larger == 0.0).where(1.0, 2.0 * larger)
        is_right = self.real >= 0.0
        height = is_right.where(smaller, larger)
        imag = (self.imag < 0.0).where(-height, height)
        return Complex(is_right.where(larger, smaller), imag)


def _product(x: Complex, y: Complex) -> Complex:
    return Complex(x.real * y.real - x.imag * y.imag, x.real * y.imag + x.imag * y.real)


def _quotient(x: Complex, y: Complex) -> Complex:
    """Divided by the larger part of the divisor first, so that no square overflows."""
    is_wide = abs(y.real) >= abs(y.imag)
    large, small = _choice(is_wide, y.real, y.imag), _choice(is_wide, y.imag, y.real)
    ratio = small / large
    divisor = large + small * ratio
    real = _choice(is_wide, x.real + x.imag * ratio, x.real * ratio + x.imag)
    imag = _choice(is_wide, x.imag - x.real * ratio, x.imag * ratio - x.real)
    return Complex(real / divisor, imag / divisor)


def _choice(condition: Any, x: Any, y: Any) -> Any:
    """``x`` if a condition holds, else ``y``; plain numbers have a plain condition."""
    if isinstance(condition, bool | np.bool_):
        return x if condition else y
    return condition.where(x, y)


def _power(base: Complex, exponent: int) -> Complex:
    if exponent < 0:
        return 1.0 / _power(base, -exponent)
    if exponent == 0:
        return Complex(base.real**0, base.imag**0 - 1.0)
    half = _power(base, exponent // 2) if exponent > 1 else None
    square = base if half is None else half * half
    return square * base if half is not None and exponent % 2 else square


def _any_power(base: Complex, exponent: Complex) -> Complex:
    """``exp(z * log(x))``; 0 has powers with a positive real part, which are 0, and the power 0."""
    power = (base.log() * exponent).exp()
    is_zero = (base.real == 0.0) & (base.imag == 0.0)
    of_zero = _choice(exponent.real > 0.0, 0.0, _choice(exponent == 0.0, 1.0, float("nan")))
    real = _choice(is_zero, of_zero, power.real)
    return Complex(real, _choice(is_zero, 0.0 * of_zero, power.imag))


def _no_order() -> EinTypeError:
    return EinTypeError(f"complex numbers have no order: compare abs(z) or z.real{at()}")


def _plain(value: Complex) -> complex | None:
    """A complex number of plain parts; None for a staged one."""
    return None if hasattr(value.real, "expr") else complex(value.real, value.imag)


def _of(number: complex) -> Complex:
    return Complex(number.real, number.imag)


def _parts(real: Any, imag: Any) -> tuple[Any, Any]:
    """The parts of a complex number: two staged Floats, or two plain numbers."""
    real, imag = _part(real), _part(imag)
    if hasattr(real, "expr") and not hasattr(imag, "expr"):
        return real, real.literal(imag)
    if hasattr(imag, "expr") and not hasattr(real, "expr"):
        return imag.literal(real), imag
    return real, imag


def _part(value: Any) -> Any:
    """A part of a complex number: a Float, or a plain number."""
    if isinstance(value, np.floating):
        return cast(Any, value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, Limit):
        raise _no_order()
    expr = getattr(value, "expr", None)
    if expr is not None and require_kind(expr.type, "float"):
        return value
    given = repr(value) if expr is None else describe(expr.type)
    raise EinTypeError(f"Complex: the parts are Floats, not {given}; write `x.float()`{at()}")


def _factor(value: Any) -> Any:
    """A real factor or divisor: a Float, or a plain number."""
    return _part(value) if hasattr(value, "expr") else value


def is_complex_number(value: object) -> TypeIs[complex]:
    """Whether a value is a complex number of Python or NumPy."""
    return isinstance(value, complex | np.complexfloating)


def _is_real(value: Any) -> bool:
    """Whether a value is a real number, and no complex one."""
    return not isinstance(value, Complex) and not is_complex_number(value)


def _with(operation: Callable[[Complex, Complex], Any], lhs: Complex, rhs: Any) -> Any:
    """An operation with another number; a real number has an imaginary part of 0."""
    rhs = as_complex(rhs)
    return operation(lhs, rhs if isinstance(rhs, Complex) else Complex(rhs, 0.0))


def as_complex_numbers(x: object, y: object) -> tuple[object, object]:
    """Two operands, both complex if one is and the other is a number or a Float."""
    x, y = as_complex(x), as_complex(y)
    if isinstance(x, Complex) and _is_number(y):
        return x, Complex(y, 0.0)
    if isinstance(y, Complex) and _is_number(x):
        return Complex(x, 0.0), y
    return x, y


def as_complex(value: object) -> object:
    """A value, of which a complex number of Python or NumPy is a `Complex`."""
    return Complex(value.real, value.imag) if is_complex_number(value) else value


def _is_number(value: Any) -> bool:
    """Whether a value is a real number, or a staged Float."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return True
    expr = getattr(value, "expr", None)
    return expr is not None and kind_of(expr.type) == "float"


# Types ----------------------------------------------------------------------------------------


def complex_type(type_: Type) -> ComplexType | None:
    """The complex dtype of a type of Ein; None for other types."""
    type_ = resolve(type_)
    if not isinstance(type_, RecordType) or type_.container is not Complex:
        return None
    real, imag = map(settled, type_.fields)
    return next((each for each in COMPLEX if each.part is real and each.part is imag), None)


def is_complex(type_: Type | None) -> bool:
    """Whether a type is that of complex numbers, perhaps of an undecided width."""
    type_ = type_ if type_ is None else resolve(type_)
    return isinstance(type_, RecordType) and type_.container is Complex


def record_of(part: ScalarType) -> RecordType:
    """The type of complex numbers with parts of a type."""
    return RecordType(Complex, NAMES, (part, part))
