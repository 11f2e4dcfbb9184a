"""Vectors: `Vec`, the positions between its brackets, and its reduction."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any, Generic, NoReturn, Self, TypeAlias, TypeVar, cast, overload

from typing_extensions import TypeIs

from ein_mlir.errors import EinTypeError, EinValueError
from ein_mlir.frontend.element_sizes import checked_identity
from ein_mlir.frontend.expr import Expr, Reduce, Role, Variable, field_of
from ein_mlir.frontend.indexing import Position, Slice, check_axis, check_vector, subscript
from ein_mlir.frontend.integers import int_literal
from ein_mlir.frontend.records import rebuild_staged
from ein_mlir.frontend.signatures import parameter_names
from ein_mlir.frontend.size_inference import check_set, size_of
from ein_mlir.frontend.types import (
    BOOL,
    Mismatch,
    RecordType,
    VectorType,
    describe,
    describe_pair,
    element_of,
    rank_of,
    resolve,
    unify,
)
from ein_mlir.frontend.values.encoding import encode
from ein_mlir.frontend.values.library_calls import array_advice, scalar_method
from ein_mlir.frontend.values.scalars import Int, Scalar, int_expr, scalar
from ein_mlir.frontend.values.value import Value, written
from ein_mlir.host.arrays import as_int, is_array
from ein_mlir.host.locations import at

T = TypeVar("T")
U = TypeVar("U")

_P: TypeAlias = "int | Int"


class _Shape(tuple[Int, ...]):
    """The sizes of an array along all axes, of which the error for another axis names the array."""

    array: Expr

    def __getitem__(self, axis: Any) -> Any:
        if isinstance(axis, int):
            check_axis(self.array, axis)
        return super().__getitem__(axis)


class Vec(Value, Generic[T]):
    """A staged vector of elements of one type: scalars, vectors or records.

    ``a[i]`` is an element; ``a[i, j]`` is ``a[i][j]``. Computed positions are clipped, literal
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
        for axis, item in enumerate(items):
            if isinstance(item, Enum) and axis < rank_of(self.expr.type):
                check_set(type(item), str(item), self.expr, axis)
        return decode(subscript(self.expr, [_item(item) for item in items]))

    def _advice(self, name: str) -> str | None:
        record = element_of(self.expr.type, self.rank)
        if isinstance(record, RecordType) and name in record.names:
            indices = ", ".join("ijklmnpq"[: self.rank])
            field = f"[{name!r}]" if record.container is dict else f".{name}"
            return f"array(lambda {indices}: a[{indices}]{field})"
        return array_advice(name) or self._of_each(name)

    def _of_each(self, name: str) -> str | None:
        """The expression for a method of numbers, perhaps by its name in NumPy."""
        ours = scalar_method(name)
        if ours is None:
            return None
        indices = ", ".join("ijklmnpq"[: self.rank])
        return f"it for each element, as in array(lambda {indices}: a[{indices}].{ours}())"

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
        shape = _Shape(self.size(axis) for axis in range(self.rank))
        shape.array = self.expr
        return shape

    def reduce(self, identity: Any, f: Callable[[T, T], T]) -> T:
        """The elements combined by an associative function; the identity if there are none.

        >>> from ein_mlir import wrap
        >>> wrap([1, 2, 3]).reduce(0, lambda x, y: x + y).eval(backend="naive")
        np.int64(6)
        """
        return _reduced(self, identity, f)


def decode(expr: Expr) -> Any:
    """The staged value of an expression: a scalar, a vector, or a record of such."""
    type_ = resolve(expr.type)
    if isinstance(type_, RecordType):
        fields = [decode(field_of(expr, index)) for index in range(len(type_.fields))]
        return rebuild_staged(type_.container, type_.names, fields)
    return Vec[Any](expr) if isinstance(type_, VectorType) else scalar(expr)


def is_vector(value: object) -> TypeIs[Vec[Any]]:
    """Whether a value is a staged vector."""
    return isinstance(value, Vec)


def _no_operator(symbol: str, example: str) -> Callable[..., NoReturn]:
    def operator(self: Vec[Any], *_: object) -> NoReturn:
        raise EinTypeError(
            f"`{symbol}` acts on scalars, not on {describe(self.expr.type)}: write it for each "
            f"element, as in {example}{at()}"
        )

    return operator


_PRODUCT = "array(lambda i, j: fold_sum(lambda k: a[i, k] * b[k, j]))"


def _elementwise(symbol: str) -> str:
    """An example of an operator on elements."""
    return _PRODUCT if symbol == "@" else f"array(lambda i: a[i] {symbol} b[i])"


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
_COMPARISONS = {
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
}
for _name, _symbol in (_REFLECTED | _COMPARISONS).items():
    setattr(Vec, f"__{_name}__", _no_operator(_symbol, _elementwise(_symbol)))
for _name, _symbol in _REFLECTED.items():
    setattr(Vec, f"__r{_name}__", _no_operator(_symbol, _elementwise(_symbol)))
for _name, _symbol in {"neg": "-", "pos": "+", "invert": "~"}.items():
    setattr(Vec, f"__{_name}__", _no_operator(_symbol, f"array(lambda i: {_symbol}a[i])"))
Vec.__abs__ = _no_operator("abs", "array(lambda i: abs(a[i]))")  # pyright: ignore[reportAttributeAccessIssue]


# Positions ------------------------------------------------------------------------------------


def _item(item: object) -> Position | Slice:
    """One of the items between brackets."""
    if isinstance(item, slice):
        bounds = cast(Any, item)
        return _slice(bounds.start, bounds.stop, bounds.step)
    if isinstance(item, Scalar):
        return item.expr
    number = as_int(item)
    if number is None:
        shown = f"{written(item)}{_position_advice(item)}"
        raise EinTypeError(f"a position is an Int, an int or a slice, not {shown}{at()}")
    return number


def _position_advice(item: object) -> str:
    """The remedy for positions of several elements, and for new axes."""
    if item is None or item is ...:
        return ": name all axes, as in array(lambda i, j: a[j, i])"
    if isinstance(item, Vec) and item.expr.type == VectorType(BOOL):
        return ": for a mask write array(lambda i: where(mask[i], a[i], 0.0))"
    if isinstance(item, Vec | list) or is_array(item):
        return ": for several elements write array(lambda k: a[p[k]])"
    return ""


def _slice(start: object, stop: object, step: object) -> Slice:
    stride = 1 if step is None else as_int(step)
    if stride is None:
        raise EinTypeError(f"the step of a slice is a Python int, not {written(step)}{at()}")
    if stride == 0:
        raise EinValueError(f"the step of a slice cannot be zero{at()}")
    return Slice(_bound(start), _bound(stop), int_literal(stride))


def _bound(given: object) -> Expr | int | None:
    return None if given is None else int_expr(given, "a bound of a slice")


# Reductions -----------------------------------------------------------------------------------


def identity_of(vector: Vec[T], identity: Any, f: Callable[[T, T], T], caller: str) -> T:
    """The identity of an associative function on the elements of a vector; both are checked."""
    return decode(_combination(vector, identity, f, caller)[0])


def _reduced(vector: Vec[T], identity: Any, f: Callable[[T, T], T]) -> T:
    """All elements combined by an associative function with an identity."""
    return decode(Reduce(vector.expr, *_combination(vector, identity, f, "reduce")))


def _combination(
    vector: Vec[T], identity: Any, f: Callable[[T, T], T], caller: str
) -> tuple[Expr, tuple[Variable, Variable], Expr]:
    """The identity, and the parameters and result of the function."""
    names = parameter_names(f, f"the combination of {caller}()", _EXAMPLES[caller], 2)
    element = resolve(check_vector(vector.expr, caller).type)
    assert isinstance(element, VectorType)
    if isinstance(identity, int | float) and isinstance(element.element, VectorType):
        call = _OF_COLUMNS[caller].format(identity)
        raise EinTypeError(
            f"{caller}: the identity is {identity}, and the elements are "
            f"{describe(element.element)}: combine each column, as in array(lambda j: {call}){at()}"
        )
    start = encode(identity, like=element.element)
    mismatch = unify(element.element, start.type)
    if mismatch is not None:
        raise EinTypeError(_differs(caller, "the identity", mismatch))
    x, y = (Variable(Role.ELEMENT, name, element.element) for name in names)
    body = encode(f(decode(x), decode(y)), like=element.element)
    mismatch = unify(element.element, body.type)
    if mismatch is not None:
        raise EinTypeError(_differs(caller, "the result of the function", mismatch))
    return checked_identity(vector.expr, start, (x, y), body), (x, y), body


_EXAMPLES = {"reduce": "v.reduce(0, lambda x, y: ...)", "scan": "scan(v, 0, lambda x, y: ...)"}
_OF_COLUMNS = {"reduce": "a[:, j].reduce({}, f)", "scan": "scan(a[:, j], {}, f)"}


def _differs(caller: str, what: str, mismatch: Mismatch) -> str:
    elements, other = describe_pair(mismatch.lhs, mismatch.rhs)
    return f"{caller}: the elements{mismatch.path} are {elements}, but {what} is {other}{at()}"
