"""Scalars: `Int`, `Float` and `Bool`, their operators and functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from types import MethodType
from typing import TYPE_CHECKING, Any, NoReturn, Self, TypeAlias

from ein_mlir.errors import EinTypeError, with_article
from ein_mlir.frontend import operators
from ein_mlir.frontend.complex_numbers import Complex, as_complex, is_complex_number
from ein_mlir.frontend.dtypes import dtype_of
from ein_mlir.frontend.expr import Apply, Argument, Expr, Op
from ein_mlir.frontend.operators import Operand
from ein_mlir.frontend.signatures import names_its_arguments
from ein_mlir.frontend.types import (
    I64,
    WeakType,
    describe,
    kind_of,
    misfit,
    require_kind,
    resolve,
    settle,
)
from ein_mlir.frontend.values.library_calls import method_advice, refuse_array
from ein_mlir.frontend.values.value import Value, written
from ein_mlir.host.arrays import as_int, is_array, is_numpy_scalar
from ein_mlir.host.elements import ScalarType
from ein_mlir.host.locations import at

PyInt: TypeAlias = int
PyFloat: TypeAlias = float
"""Inside `Scalar`, ``int`` and ``float`` are the names of its conversions."""


def _operand(other: object) -> Operand | None:
    """The other operand of an operator; None to try the reflected operator of its class."""
    if isinstance(other, Value):
        return other.expr
    if is_numpy_scalar(other):
        return operators.numpy_constant(other)
    if isinstance(other, bool | int | float):
        return other
    if isinstance(other, Enum):
        return as_int(other)
    if is_array(other):
        raise refuse_array()
    if isinstance(other, list):
        raise EinTypeError(
            f"operators act on scalars, not on lists: wrap() the list and index it, or for n equal "
            f"elements write array(lambda i: x, size=n){at()}"
        )
    return None


def scalar(expr: Expr) -> Any:
    """The value of a scalar expression, in the class of its type.

    A number without a width that may still become a Float is a `Scalar`.
    """
    type_ = resolve(expr.type)
    if isinstance(type_, ScalarType) or (isinstance(type_, WeakType) and type_.kind == "float"):
        return _CLASSES[type_.kind](expr)
    return Scalar(expr)


_ON_COMPLEX_NUMBERS: Mapping[object, Callable[[Any, Any], Any]] = {
    Op.ADD: lambda x, y: x + y,
    Op.SUB: lambda x, y: x - y,
    Op.MUL: lambda x, y: x * y,
    operators.divide: lambda x, y: x / y,
    operators.power: lambda x, y: x**y,
    **dict.fromkeys((Op.LT, Op.LE, Op.GT, Op.GE), lambda x, y: x < y),
}
"""The operators of a Float and a complex number of Python; an order is an error."""


def _are_complex(operator: object, lhs: object, rhs: object) -> bool:
    """Whether one of two operands is a complex number of Python or NumPy."""
    return operator in _ON_COMPLEX_NUMBERS and (is_complex_number(lhs) or is_complex_number(rhs))


def _binary(op: Op, lhs: object, rhs: object) -> Any:
    if _are_complex(op, lhs, rhs):
        return _ON_COMPLEX_NUMBERS[op](as_complex(lhs), as_complex(rhs))
    left, right = _operand(lhs), _operand(rhs)
    if left is None or right is None:
        return _no_numbers(lhs, rhs)
    return scalar(operators.binary(op, left, right))


def _with(build: Callable[[Operand, Operand], Expr], lhs: object, rhs: object) -> Any:
    if _are_complex(build, lhs, rhs):
        return _ON_COMPLEX_NUMBERS[build](as_complex(lhs), as_complex(rhs))
    left, right = _operand(lhs), _operand(rhs)
    if left is None or right is None:
        return _no_numbers(lhs, rhs)
    return scalar(build(left, right))


def _no_numbers(*operands: object) -> Any:
    """The answer to an operator with an operand that is no number."""
    for each in operands:
        if isinstance(each, MethodType):
            raise EinTypeError(f"expected a scalar or a number, not {written(each)}{at()}")
    return NotImplemented


def _method(op: Op, operand: Scalar, other: object) -> Any:
    """An operator written as a method, which has no reflected form."""
    result = _binary(op, operand, other)
    if result is NotImplemented:
        raise EinTypeError(f"{op}: expected a scalar or a number, not {written(other)}{at()}")
    return result


def _equality(op: Op, operand: Scalar, other: object) -> Any:
    """``==`` or ``!=``, which a `Complex` defines."""
    number: Any = as_complex(other)
    if isinstance(number, Complex):
        return number == operand if op is Op.EQ else number != operand
    return _method(op, operand, number)


class Scalar(Value):
    """A staged number or truth value: `Int`, `Float` or `Bool`.

    Operators act on two operands of one type. A Python literal takes the type of its partner if it
    fits; other operands are converted with `float` and `int`.
    """

    __slots__ = ()

    def _advice(self, name: str) -> str | None:
        return method_advice(name)

    if not TYPE_CHECKING:

        def __getitem__(self, position: object) -> NoReturn:
            type_ = with_article(describe(self.expr.type))
            raise EinTypeError(f"{type_} has no axes to index{at()}")

    def __add__(self, other: Self | PyFloat) -> Self:
        return _binary(Op.ADD, self, other)

    def __radd__(self, other: PyFloat) -> Self:
        return _binary(Op.ADD, other, self)

    def __sub__(self, other: Self | PyFloat) -> Self:
        return _binary(Op.SUB, self, other)

    def __rsub__(self, other: PyFloat) -> Self:
        return _binary(Op.SUB, other, self)

    def __mul__(self, other: Self | PyFloat) -> Self:
        return _binary(Op.MUL, self, other)

    def __rmul__(self, other: PyFloat) -> Self:
        return _binary(Op.MUL, other, self)

    def __truediv__(self, other: Self | PyFloat) -> Float:
        return _with(operators.divide, self, other)

    def __rtruediv__(self, other: PyFloat) -> Float:
        return _with(operators.divide, other, self)

    def __floordiv__(self, other: Self | PyFloat) -> Self:
        return _binary(Op.FLOORDIV, self, other)

    def __rfloordiv__(self, other: PyFloat) -> Self:
        return _binary(Op.FLOORDIV, other, self)

    def __mod__(self, other: Self | PyFloat) -> Self:
        return _binary(Op.MOD, self, other)

    def __rmod__(self, other: PyFloat) -> Self:
        return _binary(Op.MOD, other, self)

    def __divmod__(self, other: Self | PyFloat) -> tuple[Self, Self]:
        return self // other, self % other

    def __pow__(self, other: Scalar | PyFloat, modulus: object = None) -> Self:
        if modulus is not None:
            raise EinTypeError(f"pow() has no modulus here: write x ** n % m{at()}")
        return _with(operators.power, self, other)

    def __rpow__(self, other: PyFloat) -> Self:
        return _with(operators.power, other, self)

    def __and__(self, other: Self | PyInt) -> Self:
        return _binary(Op.AND, self, other)

    def __rand__(self, other: PyInt) -> Self:
        return _binary(Op.AND, other, self)

    def __or__(self, other: Self | PyInt) -> Self:
        return _binary(Op.OR, self, other)

    def __ror__(self, other: PyInt) -> Self:
        return _binary(Op.OR, other, self)

    def __xor__(self, other: Self | PyInt) -> Self:
        return _binary(Op.XOR, self, other)

    def __rxor__(self, other: PyInt) -> Self:
        return _binary(Op.XOR, other, self)

    def __lshift__(self, other: Self | PyInt) -> Self:
        return _binary(Op.SHL, self, other)

    def __rlshift__(self, other: PyInt) -> Self:
        return _binary(Op.SHL, other, self)

    def __rshift__(self, other: Self | PyInt) -> Self:
        return _binary(Op.SHR, self, other)

    def __rrshift__(self, other: PyInt) -> Self:
        return _binary(Op.SHR, other, self)

    def __eq__(self, other: object) -> Bool:  # pyright: ignore[reportIncompatibleMethodOverride]
        return _equality(Op.EQ, self, other)

    def __ne__(self, other: object) -> Bool:  # pyright: ignore[reportIncompatibleMethodOverride]
        return _equality(Op.NE, self, other)

    __hash__ = object.__hash__

    def __lt__(self, other: Self | PyFloat) -> Bool:
        return _binary(Op.LT, self, other)

    def __le__(self, other: Self | PyFloat) -> Bool:
        return _binary(Op.LE, self, other)

    def __gt__(self, other: Self | PyFloat) -> Bool:
        return _binary(Op.GT, self, other)

    def __ge__(self, other: Self | PyFloat) -> Bool:
        return _binary(Op.GE, self, other)

    def __neg__(self) -> Self:
        return self._apply(Op.NEG)

    def __pos__(self) -> Self:
        return self

    def __abs__(self) -> Self:
        return self._apply(Op.ABS)

    def __invert__(self) -> Self:
        return self._apply(Op.NOT)

    def _apply(self, op: Op) -> Any:
        return scalar(operators.unary(op, self.expr))

    def literal(self, number: PyFloat) -> Self:
        """A number of the same type."""
        return scalar(operators.literal(number, self.expr.type))

    def abs(self) -> Self:
        """The absolute value."""
        return self._apply(Op.ABS)

    def sign(self) -> Self:
        """-1, 0 or 1."""
        return self._apply(Op.SIGN)

    def floor(self) -> Self:
        """The largest whole number that is not larger; still a Float."""
        return self._apply(Op.FLOOR)

    def ceil(self) -> Self:
        """The smallest whole number that is not smaller; still a Float."""
        return self._apply(Op.CEIL)

    def round(self) -> Self:
        """The nearest whole number, the even one of two; still a Float."""
        return self._apply(Op.ROUND)

    def sin(self) -> Float:
        """The sine."""
        return self._apply(Op.SIN)

    def cos(self) -> Float:
        """The cosine."""
        return self._apply(Op.COS)

    def tan(self) -> Float:
        """The tangent."""
        return self._apply(Op.TAN)

    def asin(self) -> Float:
        """The arc sine."""
        return self._apply(Op.ASIN)

    def acos(self) -> Float:
        """The arc cosine."""
        return self._apply(Op.ACOS)

    def atan(self) -> Float:
        """The arc tangent."""
        return self._apply(Op.ATAN)

    def atan2(self, x: Self | PyFloat) -> Float:
        """The angle of the point (x, self)."""
        return _method(Op.ATAN2, self, x)

    def sinh(self) -> Float:
        """The hyperbolic sine."""
        return self._apply(Op.SINH)

    def cosh(self) -> Float:
        """The hyperbolic cosine."""
        return self._apply(Op.COSH)

    def tanh(self) -> Float:
        """The hyperbolic tangent."""
        return self._apply(Op.TANH)

    def exp(self) -> Float:
        """The exponential function."""
        return self._apply(Op.EXP)

    def exp2(self) -> Float:
        """``2 ** x``."""
        return self._apply(Op.EXP2)

    def expm1(self) -> Float:
        """``exp(x) - 1``, accurate for small x."""
        return self._apply(Op.EXPM1)

    def log(self) -> Float:
        """The natural logarithm."""
        return self._apply(Op.LOG)

    def log2(self) -> Float:
        """The logarithm to base 2."""
        return self._apply(Op.LOG2)

    def log10(self) -> Float:
        """The logarithm to base 10."""
        return self._apply(Op.LOG10)

    def log1p(self) -> Float:
        """``log(1 + x)``, accurate for small x."""
        return self._apply(Op.LOG1P)

    def sqrt(self) -> Float:
        """The square root."""
        return self._apply(Op.SQRT)

    def rsqrt(self) -> Float:
        """One over the square root."""
        return self._apply(Op.RSQRT)

    def cbrt(self) -> Float:
        """The cube root."""
        return self._apply(Op.CBRT)

    def erf(self) -> Float:
        """The error function."""
        return self._apply(Op.ERF)

    def min(self, other: Self | PyFloat) -> Self:
        """The smaller one; NaN if either is."""
        return _method(Op.MIN, self, other)

    def max(self, other: Self | PyFloat) -> Self:
        """The larger one; NaN if either is."""
        return _method(Op.MAX, self, other)

    @names_its_arguments
    def clip(self, low: Self | PyFloat | None = None, high: Self | PyFloat | None = None) -> Self:
        """The nearest number between ``low`` and ``high``; None for no end."""
        if low is None and high is None:
            raise EinTypeError(f"clip() needs a low or a high end, as in x.clip(0.0, 1.0){at()}")
        for end in (low, high):
            if end is not None and _operand(end) is None:
                raise EinTypeError(f"clip: expected a scalar or a number, not {written(end)}{at()}")
        least = self if low is None else self.max(low)
        return least if high is None else least.min(high)

    def float(self, dtype: object = None) -> Float:
        """The value as a Float: an f64, or one of the given ``dtype``.

        ``dtype`` is ``"f32"``, ``np.float32``, or a Float whose width it takes. An Int or Bool
        without ``dtype`` takes the width of the Floats that it meets.
        """
        if dtype is None and kind_of(self.expr.type) != "float":
            return scalar(operators.as_float(self.expr))
        return self._convert(PyFloat if dtype is None else dtype, "float")

    def int(self, dtype: object = PyInt) -> Int:
        """The value as an Int, truncated towards zero: an i64, or one of the given ``dtype``.

        ``dtype`` is ``"i32"``, ``"u8"``, ``np.int32``, or an Int whose type it takes. An Int keeps
        its low bits.
        """
        return self._convert(dtype, "int")

    def _convert(self, dtype: object, kind: str) -> Any:
        type_ = _type_of(dtype) if isinstance(dtype, Scalar) else dtype_of(dtype)
        if type_.kind != kind:
            raise EinTypeError(f".{kind}() does not convert to {describe(type_)}{at()}")
        return scalar(operators.convert(self.expr, type_))


def _type_of(value: Scalar) -> ScalarType:
    """The type of a scalar, decided now if it is weak."""
    type_ = resolve(value.expr.type)
    if isinstance(type_, WeakType):
        settle([type_])
        type_ = resolve(type_)
    assert isinstance(type_, ScalarType)
    return type_


class Int(Scalar):
    """A staged integer, of 64 bits unless it comes from a narrower one."""

    __slots__ = ()


class Float(Scalar):
    """A staged floating-point number, of double precision unless it comes from a float32."""

    __slots__ = ()


class Bool(Scalar):
    """A staged truth value. Combine them with ``&``, ``|``, ``^`` and ``~``."""

    __slots__ = ()

    def where(self, x: Any, y: Any) -> Any:
        """``x`` if it holds, else ``y``: two scalars."""
        left, right = _operand(x), _operand(y)
        if left is None or right is None:
            raise EinTypeError(f"where: expected scalars, not {written(x)} and {written(y)}{at()}")
        return scalar(operators.select(self.expr, left, right))


_CLASSES: dict[str, type[Scalar]] = {"int": Int, "float": Float, "bool": Bool}


def _no_int(value: Expr, what: str) -> str:
    """The message for a size or count that is no Int."""
    message = f"{what}: expected an Int, not {describe(value.type)}"
    if isinstance(value, Argument) and kind_of(value.type) == "float":
        name = value.name
        message += (
            f": an argument without an annotation becomes a Float where it meets one, as in 2.0 / "
            f"{name}; annotate it, {name}: Int, and write {name}.float() there"
        )
    elif isinstance(value, Apply) and value.op is Op.DIV:
        message += ": write `//` for the quotient of Ints"
    return f"{message}{at()}"


def int_expr(value: object, what: str) -> Expr | int:
    """A size or count given by the user: an int, or the expression of an Int."""
    if isinstance(value, Scalar):
        if not require_kind(value.expr.type, "int"):
            raise EinTypeError(_no_int(value.expr, what))
        return operators.convert(value.expr, I64)
    number = as_int(value)
    if number is None:
        raise EinTypeError(f"{what}: expected an int or an Int, not {written(value)}{at()}")
    if (reason := misfit(number, I64)) is not None:
        raise EinTypeError(f"{what}: the literal {reason}{at()}")
    return number
