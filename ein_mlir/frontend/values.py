"""The values that programs are written with: `Int`, `Float` and `Bool` scalars, and `Vec`.

A value wraps an expression. Operators and methods build larger expressions and compute nothing;
`Value.eval` does. The classes are annotations too: ``Vec[Vec[Float]]`` is a matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Generic, NoReturn, Self, TypeAlias, TypeVar, cast, overload

import numpy.typing as npt
from typing_extensions import TypeIs

from ein_mlir.errors import EinTypeError, EinValueError
from ein_mlir.frontend import operators
from ein_mlir.frontend.expr import Expr, Field, Op, Record, field_of
from ein_mlir.frontend.host import as_int, is_array, is_numpy_scalar
from ein_mlir.frontend.indexing import Position, Slice, check_axis, subscript
from ein_mlir.frontend.locations import at
from ein_mlir.frontend.operators import Operand
from ein_mlir.frontend.records import parts_of, rebuild
from ein_mlir.frontend.size_inference import size_of
from ein_mlir.frontend.types import (
    I64,
    Limit,
    RecordType,
    ScalarType,
    Type,
    VectorType,
    WeakType,
    describe,
    kind_of,
    rank_of,
    require_kind,
    resolve,
    settle,
)

T = TypeVar("T")
U = TypeVar("U")

PyInt: TypeAlias = int
PyFloat: TypeAlias = float
"""Inside `Scalar`, ``int`` and ``float`` are the names of its conversions."""


class Value:
    """What scalars and vectors have in common: an expression, and its evaluation."""

    __slots__ = ("__weakref__", "expr")

    __array_ufunc__ = None  # NumPy leaves operators with a value on the right to the value.

    def __init__(self, expr: Expr):
        if not isinstance(expr, Expr):  # pyright: ignore[reportUnnecessaryIsInstance]
            name = type(self).__name__
            raise EinTypeError(f"{name} is a type of staged values; write wrap({expr!r}){at()}")
        self.expr = expr

    def eval(self, backend: str | None = None) -> Any:
        """Run the program that computes this value; wrapped arrays are read now.

        Without a ``backend`` it is that of the wrapped arrays.

        >>> from ein_mlir import wrap
        >>> wrap(2.0).sqrt().eval(backend="naive")
        np.float64(1.4142135623730951)
        """
        from ein_mlir.frontend.function import evaluate

        return evaluate(self, backend)

    def numpy(self) -> Any:
        """The value as a NumPy array or scalar."""
        return self.eval("numpy")

    def torch(self) -> Any:
        """The value as a PyTorch tensor, on the device of the wrapped tensors."""
        return self.eval("torch")

    def jax(self) -> Any:
        """The value as an array of JAX."""
        return self.eval("jax")

    def __repr__(self) -> str:
        from ein_mlir.frontend.display import program_of

        return program_of(self.expr)

    __hash__ = object.__hash__

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[PyInt, Any]) -> Self:
        return self

    # What Python asks of concrete values only.

    def __bool__(self) -> bool:
        self._refuse(
            "`if`, `and`, `or`, `not` and `assert` need a concrete value",
            "write where(condition, a, b) to choose, `&`, `|`, `~` to combine, "
            "or .eval() to compute it now",
        )

    def __float__(self) -> PyFloat:
        self._refuse("float() needs a concrete value", "write .float() to convert, or .eval()")

    def __int__(self) -> PyInt:
        self._refuse("int() needs a concrete value", "write .int() to convert, or .eval()")

    def __complex__(self) -> complex:
        self._refuse("complex() needs a concrete value", "write .eval()")

    def __index__(self) -> PyInt:
        self._refuse(
            "range() and the indexing of Python and NumPy sequences need a concrete value",
            "wrap() what you index, or write array(lambda i: ...) or fold(...) for the loop",
        )

    def __iter__(self) -> Iterator[Any]:
        self._refuse(
            "`for` and unpacking need a concrete value",
            "write array(lambda i: ... a[i] ...) for each element, or fold(...) for a loop",
        )

    def __contains__(self, item: object) -> bool:
        self._refuse("`in` needs a concrete value", "write fold_any(lambda i: a[i] == x)")

    def __len__(self) -> PyInt:
        self._refuse("len() needs a concrete value", "write .size(axis)")

    def __array__(self, *_: object, **__: object) -> npt.NDArray[Any]:
        self._refuse(
            "NumPy needs a concrete value",
            "to index an array with it wrap() the array, to hand it to NumPy write .numpy()",
        )

    def __setitem__(self, position: object, value: object) -> NoReturn:
        self._refuse(
            "values do not change",
            "write array(lambda i: where(i == position, value, a[i])) for one that differs",
        )

    def _refuse(self, what: str, instead: str) -> NoReturn:
        raise EinTypeError(
            f"{what}, and this {describe(self.expr.type)} is staged: {instead}{at()}"
        )


# Scalars --------------------------------------------------------------------------------------


def _operand(other: object) -> Operand | None:
    """The other operand of an operator; None if its class may know better what to do."""
    if isinstance(other, Value):
        return other.expr
    if is_numpy_scalar(other):
        return operators.numpy_constant(other)
    if isinstance(other, bool | int | float):
        return other
    if is_array(other):
        raise EinTypeError(
            f"operators act on scalars, not on arrays: wrap() the array and index it{at()}"
        )
    return None


def scalar(expr: Expr) -> Any:
    """The value of a scalar expression, in the class of its type."""
    type_ = resolve(expr.type)
    return _CLASSES[type_.kind](expr) if isinstance(type_, ScalarType) else Scalar(expr)


def _binary(op: Op, lhs: object, rhs: object) -> Any:
    left, right = _operand(lhs), _operand(rhs)
    if left is None or right is None:
        return NotImplemented
    return scalar(operators.binary(op, left, right))


def _with(build: Callable[[Operand, Operand], Expr], lhs: object, rhs: object) -> Any:
    left, right = _operand(lhs), _operand(rhs)
    return NotImplemented if left is None or right is None else scalar(build(left, right))


def _method(op: Op, operand: Scalar, other: object) -> Any:
    """An operator written as a method: there is no reflected one to try."""
    result = _binary(op, operand, other)
    if result is NotImplemented:
        raise EinTypeError(f"{op}: expected a scalar or a number, not {other!r}{at()}")
    return result


class Scalar(Value):
    """A staged number or truth value: `Int`, `Float` or `Bool`.

    Operators act on two operands of one type. A Python literal takes the type of its partner where
    that loses nothing; anything else is converted with `float` and `int`.
    """

    __slots__ = ()

    if not TYPE_CHECKING:

        def __getitem__(self, position: object) -> NoReturn:
            raise EinTypeError(f"a {describe(self.expr.type)} has no axes to index{at()}")

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

    def __pow__(self, other: Scalar | PyFloat) -> Self:
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
        return _binary(Op.EQ, self, other)

    def __ne__(self, other: object) -> Bool:  # pyright: ignore[reportIncompatibleMethodOverride]
        return _binary(Op.NE, self, other)

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
        """E to the power of this."""
        return self._apply(Op.EXP)

    def exp2(self) -> Float:
        """2 to the power of this."""
        return self._apply(Op.EXP2)

    def expm1(self) -> Float:
        """``exp(x) - 1``, exact for small x."""
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
        """``log(1 + x)``, exact for small x."""
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

    def clip(self, low: Self | PyFloat, high: Self | PyFloat) -> Self:
        """The nearest number between ``low`` and ``high``."""
        return self.max(low).min(high)

    def float(self, dtype: object = None) -> Float:
        """This as a Float: an f64, or what ``dtype`` says.

        That is ``"f32"``, ``np.float32``, or a Float: then it is one of the same width. An Int or
        Bool without ``dtype`` takes the width of the Floats that it meets.
        """
        if dtype is None and kind_of(self.expr.type) != "float":
            return scalar(operators.as_float(self.expr))
        return self._convert(PyFloat if dtype is None else dtype, "float")

    def int(self, dtype: object = PyInt) -> Int:
        """This as an Int, truncated towards zero: an i64, or what ``dtype`` says.

        That is ``"i32"``, ``np.int32``, or an Int: then it is one of the same width.
        """
        return self._convert(dtype, "int")

    def _convert(self, dtype: object, kind: str) -> Any:
        type_ = _type_of(dtype) if isinstance(dtype, Scalar) else operators.dtype_of(dtype)
        if type_.kind != kind:
            raise EinTypeError(f".{kind}() does not convert to {describe(type_)}{at()}")
        return scalar(operators.convert(self.expr, type_))


def _type_of(value: Scalar) -> ScalarType:
    """The type of a scalar, decided now if it was not."""
    type_ = resolve(value.expr.type)
    if isinstance(type_, WeakType):
        settle([type_])
        type_ = resolve(type_)
    assert isinstance(type_, ScalarType)
    return type_


class Int(Scalar):
    """A staged integer, of 64 bits unless it comes from an int32."""

    __slots__ = ()


class Float(Scalar):
    """A staged floating-point number, of double precision unless it comes from a float32."""

    __slots__ = ()


class Bool(Scalar):
    """A staged truth value. Combine them with ``&``, ``|``, ``^`` and ``~``."""

    __slots__ = ()


_CLASSES: dict[str, type[Scalar]] = {"int": Int, "float": Float, "bool": Bool}

_P: TypeAlias = "PyInt | Int"


class Vec(Value, Generic[T]):
    """A staged vector of elements of one type: scalars, vectors or records.

    ``a[i]`` is an element; ``a[i, j]`` is ``a[i][j]``. Computed positions clip into bounds, literal
    negative ones count from the end, and slices follow Python.
    """

    __slots__ = ()

    expr: Expr

    @overload
    def __getitem__(self, position: _P) -> T: ...
    @overload
    def __getitem__(self, position: slice) -> Self: ...
    @overload
    def __getitem__(self: Vec[Vec[U]], position: tuple[_P, _P]) -> U: ...
    @overload
    def __getitem__(self: Vec[Vec[Vec[U]]], position: tuple[_P, _P, _P]) -> U: ...
    @overload
    def __getitem__(self: Vec[Vec[Vec[Vec[U]]]], position: tuple[_P, _P, _P, _P]) -> U: ...
    @overload
    def __getitem__(self, position: tuple[_P | slice, ...]) -> Any: ...
    def __getitem__(self, position: Any) -> Any:
        items = cast(tuple[Any, ...], position) if isinstance(position, tuple) else (position,)
        return decode(subscript(self.expr, [_item(item) for item in items]))

    @property
    def rank(self) -> int:
        """The number of axes."""
        return rank_of(self.expr.type)

    def size(self, axis: int = 0) -> Int:
        """The size along an axis."""
        return Int(size_of(self.expr, check_axis(self.expr, axis)))

    @property
    def shape(self) -> tuple[Int, ...]:
        """The sizes along all axes."""
        return tuple(self.size(axis) for axis in range(self.rank))

    def reduce(self, identity: Any, f: Callable[[T, T], T]) -> T:
        """Combine all elements with an associative function; of nothing it is the identity.

        >>> from ein_mlir import wrap
        >>> wrap([1, 2, 3]).reduce(0, lambda x, y: x + y).eval(backend="naive")
        np.int64(6)
        """
        from ein_mlir.frontend.combinators import reduce

        return reduce(self, identity, f)


def is_vector(value: object) -> TypeIs[Vec[Any]]:
    """Whether a value is a staged vector."""
    return isinstance(value, Vec)


def _no_operator(symbol: str) -> Callable[..., NoReturn]:
    def operator(self: Vec[Any], *_: object) -> NoReturn:
        raise EinTypeError(
            f"`{symbol}` acts on scalars, not on {describe(self.expr.type)}: write it for each "
            f"element, as in array(lambda i: a[i] + b[i]){at()}"
        )

    return operator


_REFLECTED = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
    "and": "&",
    "or": "|",
    "xor": "^",
    "lshift": "<<",
    "rshift": ">>",
    "matmul": "@",
}
_OTHERS = {
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "neg": "-",
    "pos": "+",
    "abs": "abs",
    "invert": "~",
}
for _name, _symbol in (_REFLECTED | _OTHERS).items():
    setattr(Vec, f"__{_name}__", _no_operator(_symbol))
for _name, _symbol in _REFLECTED.items():
    setattr(Vec, f"__r{_name}__", _no_operator(_symbol))


def _item(item: object) -> Position | Slice:
    """One of the items between brackets."""
    if isinstance(item, slice):
        bounds = cast(Any, item)
        return _slice(bounds.start, bounds.stop, bounds.step)
    if isinstance(item, Scalar):
        return item.expr
    number = as_int(item)
    if number is None:
        shown = describe(item.expr.type) if isinstance(item, Value) else repr(item)
        raise EinTypeError(f"a position is an Int, an int or a slice, not {shown}{at()}")
    return number


def _slice(start: object, stop: object, step: object) -> Slice:
    stride = 1 if step is None else as_int(step)
    if stride is None:
        raise EinTypeError(f"the step of a slice is a Python int, not {step!r}{at()}")
    if stride == 0:
        raise EinValueError(f"the step of a slice cannot be zero{at()}")
    bounds = [None if bound is None else int_expr(bound, "a bound") for bound in (start, stop)]
    return Slice(bounds[0], bounds[1], stride)


# Values and expressions -----------------------------------------------------------------------


def decode(expr: Expr) -> Any:
    """What the user sees of an expression: a scalar, a vector, or a record of such."""
    type_ = resolve(expr.type)
    if isinstance(type_, RecordType):
        fields = [decode(field_of(expr, index)) for index in range(len(type_.fields))]
        return rebuild(type_.container, type_.names, fields)
    return Vec[Any](expr) if isinstance(type_, VectorType) else scalar(expr)


Leaf: TypeAlias = Callable[["bool | int | float | Limit", Type | None], Expr]
"""What makes an expression of a Python number, given the type expected in its place, if any."""


def strong(number: bool | int | float | Limit, like: Type | None) -> Expr:
    """A number of the expected type, or of its default type."""
    return operators.constant(number) if like is None else operators.literal(number, like)


def weak(number: bool | int | float | Limit, like: Type | None) -> Expr:
    """A number whose type its partners will decide."""
    return operators.weak_constant(number)


def weak_float(number: bool | int | float | Limit, like: Type | None) -> Expr:
    """A number of the expected type; a float without one has the width of its partners."""
    if like is None and isinstance(number, float):
        return operators.weak_constant(number)
    return strong(number, like)


def encode(value: object, like: Type | None = None, leaf: Leaf = strong) -> Expr:
    """The expression of what a user's function returned, numbers and records included.

    ``like`` is the type that is expected: its literals take types from there, and the keys of a
    dict come in its order.
    """
    if isinstance(value, Value):
        return value.expr
    if is_numpy_scalar(value):
        return operators.numpy_constant(value)
    if isinstance(value, bool | int | float | Limit):
        return leaf(value, like)
    parts = parts_of(value)
    if parts is None:
        raise EinTypeError(_not_a_value(value))
    expected = resolve(like) if like is not None else None
    names, values = parts.names, parts.values
    types: tuple[Type | None, ...] = (None,) * len(names)
    if (
        isinstance(expected, RecordType)
        and expected.container is parts.container
        and set(expected.names) == set(names)
    ):
        by_name = dict(zip(names, values, strict=True))
        names, types = expected.names, expected.fields
        values = tuple(by_name[name] for name in names)
    fields = tuple(encode(v, t, leaf) for v, t in zip(values, types, strict=True))
    return _record(fields, parts.container, names)


def _record(fields: tuple[Expr, ...], container: type, names: tuple[str, ...]) -> Expr:
    """The record of some fields; the original where they are all the fields of one."""
    first = fields[0]
    if isinstance(first, Field):
        original = first.operands[0]
        type_ = original.type
        if (
            isinstance(type_, RecordType)
            and (type_.container, type_.names) == (container, names)
            and all(
                isinstance(field, Field) and field.operands[0] is original and field.index == index
                for index, field in enumerate(fields)
            )
        ):
            return original
    return Record(fields, RecordType(container, names, tuple(field.type for field in fields)))


def _not_a_value(value: object) -> str:
    expected = "expected a staged value, a number, or a tuple, dict or dataclass of them"
    if value is None:
        return f"{expected}, not None: is a `return` missing?{at()}"
    if is_array(value):
        return f"{expected}, not an array: wrap() it{at()}"
    return f"{expected}, not {type(value).__name__}{at()}"


def int_expr(value: object, what: str) -> Expr | int:
    """A size or count as the user gave it: an int, or the expression of an Int."""
    if isinstance(value, Scalar):
        if not require_kind(value.expr.type, "int"):
            raise EinTypeError(f"{what}: expected an Int, not {describe(value.expr.type)}{at()}")
        return operators.convert(value.expr, I64)
    number = as_int(value)
    if number is None:
        raise EinTypeError(f"{what}: expected an int or an Int, not {value!r}{at()}")
    return number
