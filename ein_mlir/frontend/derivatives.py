"""Derivatives of functions: `grad`, `value_and_grad`, `jvp`, `vjp`, `jacobian` and `hessian`.

The names mean the same as in JAX. A derivative is part of the program, as an operation that the
compiler expands before all others; so every backend has derivatives, and they nest.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias, cast

from ein_mlir.errors import EinTypeError, EinValueError, counted
from ein_mlir.frontend import operators
from ein_mlir.frontend.combinators import array_named, where
from ein_mlir.frontend.complex_numbers import Complex
from ein_mlir.frontend.expr import (
    Constant,
    Expr,
    Get,
    Jvp,
    Record,
    Role,
    Variable,
    Vjp,
    While,
    field_of,
    operands_first,
)
from ein_mlir.frontend.function import Function
from ein_mlir.frontend.records import parts_of, rebuild_staged
from ein_mlir.frontend.signatures import names_its_arguments
from ein_mlir.frontend.size_inference import size_of
from ein_mlir.frontend.structure import has_complex, leaves
from ein_mlir.frontend.types import (
    RecordType,
    Type,
    describe,
    element_of,
    kind_of,
    rank_of,
    resolve,
    unify,
)
from ein_mlir.frontend.values import Int, Value, decode, encode, written
from ein_mlir.host.arrays import as_int
from ein_mlir.host.locations import at

Argnums: TypeAlias = "int | Sequence[int]"
"""The position of the argument, or the positions of several, that a derivative is for."""


# The program ----------------------------------------------------------------------------------


class _Traced:
    """A function of the chosen arguments, traced at a point: the others are constants."""

    def __init__(self, name: str, f: Callable[..., Any], args: Sequence[Any], argnums: Argnums):
        self.name = name
        numbers = _numbers(name, argnums, len(args))
        is_single = isinstance(argnums, int)
        chosen = tuple(args[number] for number in numbers)
        for number, value in zip(numbers, chosen, strict=True):
            _check_differentiable(name, number, value)
        self.point = encode(chosen[0] if is_single else chosen)
        called = _parameter_name(f, numbers[0]) if is_single else "x"
        self.parameter = Variable(Role.PARAMETER, called, self.point.type)
        inner = decode(self.parameter)
        values = dict(zip(numbers, (inner,) if is_single else inner, strict=True))
        self.body = encode(f(*(values.get(k, value) for k, value in enumerate(args))))

    def forwards(self, tangent: Expr) -> Jvp:
        """The value, and the derivative in a direction."""
        return Jvp(self.point, tangent, self.parameter, self.body)

    def backwards(self, cotangent: Expr, checkpoint: int | None = None) -> tuple[Expr, Expr]:
        """The value, and the cotangent of the arguments.

        As in JAX, a linear function of complex numbers is transposed without a conjugation: that of
        ``z -> w * z`` is itself. The transpose of its parts has one.
        """
        direction = _conjugated(cotangent)
        both = Vjp(self.point, direction, self.parameter, self.body, checkpoint)
        return field_of(both, 0), _conjugated(field_of(both, 1))

    def value_and_gradient(self, checkpoint: int | None = None) -> tuple[Any, Any]:
        """The value, which is a Float, and the gradient."""
        if kind_of(self.body.type) != "float":
            raise EinTypeError(
                f"{self.name}: expected a function of which the result is a Float, not "
                f"{describe(self.body.type)}; jacobian() is for other results{at()}"
            )
        value, gradient = self.backwards(operators.literal(1.0, self.body.type), checkpoint)
        return decode(value), decode(gradient)


def _conjugated(value: Expr) -> Expr:
    """The conjugates of the complex numbers in a value."""
    type_ = resolve(value.type)
    depth = rank_of(type_)
    element = resolve(element_of(type_, depth))
    if not isinstance(element, RecordType):
        return value
    if depth:

        def conjugate(*indices: Int) -> Any:
            return decode(_conjugated(Get(value, tuple(index.expr for index in indices))))

        return encode(_filled(value, conjugate)) if has_complex(element) else value
    if element.container is Complex:
        return encode(decode(value).conj())
    fields = tuple(_conjugated(field_of(value, k)) for k in range(len(element.fields)))
    return Record(fields, element)


def _numbers(name: str, argnums: Argnums, count: int) -> list[int]:
    given: Sequence[object] = argnums if isinstance(argnums, list | tuple) else [argnums]
    numbers = [number for each in given if (number := as_int(each)) is not None]
    if not given or len(numbers) != len(given):
        raise EinTypeError(f"{name}: argnums is an int, or a tuple of ints, not {argnums!r}{at()}")
    for number in numbers:
        if not -count <= number < count:
            raise EinValueError(
                f"{name}: argnums is {argnums}, and the function has "
                f"{counted(count, 'argument')}, counted from 0{at()}"
            )
    chosen = [number % count for number in numbers]
    if len(set(chosen)) < len(chosen):
        raise EinValueError(f"{name}: argnums has an argument twice: {argnums}{at()}")
    return chosen


def _parameter_name(f: Callable[..., Any], number: int) -> str:
    """The name of a parameter by its position."""
    names = list(inspect.signature(f).parameters)
    return names[min(number, len(names) - 1)]


def _check_differentiable(name: str, number: int, value: Any) -> None:
    """Raise EinTypeError for an argument without Floats; jvp and vjp ignore it."""
    if value is None or isinstance(value, str):
        raise EinTypeError(
            f"{name}: argument {number} is {value!r}, and only Floats have derivatives; argnums "
            f"chooses other arguments{at()}"
        )
    type_ = encode(value).type
    if name not in ("jvp", "vjp") and not any(kind_of(leaf) == "float" for leaf in leaves(type_)):
        raise EinTypeError(
            f"{name}: argument {number} is {describe(type_)}, and only Floats have "
            f"derivatives: write 3.0 or a.astype(float) for Ints; argnums chooses other "
            f"arguments{at()}"
        )


def _check_function(name: str, f: object) -> None:
    if not callable(f):
        raise EinTypeError(f"{name}: expected a function, not {written(f)}{at()}")


def _check_checkpoint(name: str, checkpoint: int | None) -> None:
    if checkpoint is not None and ((size := as_int(checkpoint)) is None or size < 0):
        given = written(checkpoint)
        raise EinValueError(f"{name}: checkpoint is {given}, and not a number of bytes{at()}")


# Functions ------------------------------------------------------------------------------------


def _derived(
    made: partial[Function[..., Any]], of_staged: Callable[..., Any]
) -> Function[..., Any]:
    """A function with the parameters and options of another, which stages something else.

    ``made`` is the call that makes it: the operator, and that function as its first argument.
    """
    name, f = made.func.__name__, made.args[0]
    _check_function(name, f)
    inner = cast("Any", f).__wrapped__ if isinstance(f, Function) else f
    signature = inspect.signature(inner)
    if any(p.kind is p.KEYWORD_ONLY for p in signature.parameters.values()):
        raise EinTypeError(f"{name}: the function takes its arguments by position{at()}")

    def derivative(*args: Any) -> Any:
        return of_staged(inner, args)

    plain = signature.replace(return_annotation=inspect.Signature.empty)
    cast("Any", derivative).__signature__ = plain
    annotations = {k: v for k, v in getattr(inner, "__annotations__", {}).items() if k != "return"}
    derivative.__annotations__ = annotations
    derivative.__name__ = f"{name}_{getattr(inner, '__name__', 'f')}"
    derivative.__doc__ = f"{name} of {getattr(inner, '__name__', 'a function')}."
    derivative.__module__ = getattr(inner, "__module__", derivative.__module__)
    derived = f.again(derivative) if isinstance(f, Function) else Function(derivative)
    derived.made = made
    return derived


@names_its_arguments
def grad(
    f: Callable[..., Any], argnums: Argnums = 0, *, checkpoint: int | None = None
) -> Function[..., Any]:
    """The gradient of a function with a Float as result, as a function of the same arguments.

    ``argnums`` is the position of the argument, 0 by default, or a tuple of positions for a tuple
    of gradients. A gradient has the type of its argument: that of a record is a record, in which
    Ints and Bools are zero.

    A loop of n steps whose values take more bytes than ``checkpoint`` saves those of sqrt(n) steps,
    and computes the other ones again: memory for the time of one more loop.

    >>> import numpy as np
    >>> from ein_mlir import fold_sum, function
    >>> @function
    ... def energy(a):
    ...     return fold_sum(lambda i: a[i] ** 2.0)
    >>> grad(energy)(np.array([1.0, 2.0, 3.0]))
    array([2., 4., 6.])
    """
    _check_checkpoint("grad", checkpoint)

    def staged(inner: Callable[..., Any], args: Sequence[Any]) -> Any:
        return _Traced("grad", inner, args, argnums).value_and_gradient(checkpoint)[1]

    return _derived(partial(grad, f, argnums, checkpoint=checkpoint), staged)


@names_its_arguments
def value_and_grad(
    f: Callable[..., Any], argnums: Argnums = 0, *, checkpoint: int | None = None
) -> Function[..., Any]:
    """The value of a function, and its gradient as of `grad`.

    >>> from ein_mlir import function
    >>> value_and_grad(function(lambda x: x * x))(3.0)
    (np.float64(9.0), np.float64(6.0))
    """
    _check_checkpoint("value_and_grad", checkpoint)

    def staged(inner: Callable[..., Any], args: Sequence[Any]) -> Any:
        return _Traced("value_and_grad", inner, args, argnums).value_and_gradient(checkpoint)

    return _derived(partial(value_and_grad, f, argnums, checkpoint=checkpoint), staged)


@names_its_arguments
def jvp(f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    """The value of a function at some arguments, and its derivative in the direction of tangents.

    Each tangent has the type of its argument. Those of Ints and Bools are ignored, and those in the
    result are zero.

    >>> from ein_mlir import function, sin
    >>> jvp(function(lambda x: sin(x)), (0.0,), (2.0,))
    (np.float64(0.0), np.float64(2.0))
    """
    _check_function("jvp", f)
    for given in primals, tangents:
        if not isinstance(given, list | tuple):
            raise EinTypeError(
                f"jvp: arguments and tangents are tuples, as in jvp(f, (x,), (dx,)), not "
                f"{written(given)}{at()}"
            )
    if len(primals) != len(tangents):
        arguments, directions = counted(len(primals), "argument"), counted(len(tangents), "tangent")
        raise EinTypeError(f"jvp: {arguments}, but {directions}{at()}")

    def staged(inner: Callable[..., Any], args: Sequence[Any]) -> Any:
        points, directions = args
        traced = _Traced("jvp", inner, points, tuple(range(len(points))))
        both = traced.forwards(_direction("jvp", encode(directions), traced.point.type))
        return decode(field_of(both, 0)), decode(field_of(both, 1))

    return _applied("jvp", f, staged, tuple(primals), tuple(tangents))


@names_its_arguments
def vjp(
    f: Callable[..., Any], *primals: Any, checkpoint: int | None = None
) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """The value of a function at some arguments, and a function of cotangents.

    It takes the cotangent of the result, of the same type, and returns the tuple of those of the
    arguments. ``checkpoint`` is that of `grad`.

    >>> import numpy as np
    >>> from ein_mlir import array, function
    >>> y, pullback = vjp(function(lambda a: array(lambda i: a[i] * a[i])), np.array([1.0, 3.0]))
    >>> pullback(np.array([1.0, 10.0]))
    (array([ 2., 60.]),)
    """
    _check_function("vjp", f)
    _check_checkpoint("vjp", checkpoint)

    def staged(inner: Callable[..., Any], args: Sequence[Any]) -> Any:
        points, cotangent = args
        traced = _Traced("vjp", inner, points, tuple(range(len(points))))
        direction = _direction("vjp", encode(cotangent), traced.body.type)
        return decode(traced.backwards(direction, checkpoint)[1])

    def pullback(cotangent: Any) -> tuple[Any, ...]:
        name = "vjp" if checkpoint is None else f"vjp_{checkpoint}"
        return _applied(name, f, staged, primals, cotangent)

    if _is_staged(primals) or isinstance(f, Function):
        return cast("Any", f)(*primals), pullback
    return Function(f)(*primals), pullback


def _direction(name: str, given: Expr, expected: Type) -> Expr:
    """A tangent or cotangent, of the type of its value."""
    given_as, of = ("direction", "value") if name == "jvp" else ("cotangent", "result")
    found = _of_type(given, expected)
    if unify(found.type, expected) is not None:
        raise EinTypeError(
            f"{name}: the {given_as} has the type of the {of}, {describe(expected)}, and not "
            f"{describe(given.type)}{at()}"
        )
    return found


def _of_type(given: Expr, expected: Type) -> Expr:
    """The array of records of a record of arrays, if one is expected."""
    expected = resolve(expected)
    depth = rank_of(expected)
    element, type_ = resolve(element_of(expected, depth)), resolve(given.type)
    if (
        not isinstance(element, RecordType)
        or not isinstance(type_, RecordType)
        or len(element.fields) != len(type_.fields)
    ):
        return given
    if not depth:
        fields = tuple(_of_type(field_of(given, k), each) for k, each in enumerate(element.fields))
        types = tuple(field.type for field in fields)
        return Record(fields, RecordType(element.container, element.names, types))
    first = given
    while isinstance(resolve(first.type), RecordType):
        first = field_of(first, 0)
    if rank_of(first.type) < depth:
        return given

    def record(*indices: Int) -> Any:
        positions = tuple(index.expr for index in indices)
        return decode(_of_type(_element(given, positions), element))

    names = tuple(f"k{axis}" for axis in range(depth))
    return encode(array_named(record, names, tuple(_sizes(first)[:depth])))


def _element(record: Expr, positions: tuple[Expr, ...]) -> Expr:
    """The element of a record of arrays."""
    type_ = resolve(record.type)
    if not isinstance(type_, RecordType):
        return Get(record, positions)
    fields = tuple(_element(field_of(record, k), positions) for k in range(len(type_.fields)))
    types = tuple(field.type for field in fields)
    return Record(fields, RecordType(type_.container, type_.names, types))


def _is_staged(value: Any) -> bool:
    if isinstance(value, Value):
        return True
    is_record = isinstance(value, tuple | dict) and bool(cast("Any", value))
    parts = parts_of(cast("Any", value)) if is_record else None
    return parts is not None and any(map(_is_staged, parts.values))


def _applied(
    name: str, f: Callable[..., Any], staged: Callable[..., Any], points: Any, direction: Any
) -> Any:
    """Stage a derivative, or run it for arrays: traced once for each function."""
    inner = cast("Any", f).__wrapped__ if isinstance(f, Function) else f
    if _is_staged((points, direction)):
        return staged(inner, (points, direction))

    def derivative(points: Any, direction: Any) -> Any:
        return staged(inner, (points, direction))

    derivative.__name__ = f"{name}_{getattr(inner, '__name__', 'f')}"
    if not isinstance(f, Function):
        return Function(derivative)(points, direction)
    return f.derived(name, derivative)(points, direction)


# Matrices of derivatives ----------------------------------------------------------------------


@names_its_arguments
def jacobian(f: Callable[..., Any], argnums: int = 0) -> Function[..., Any]:
    """The derivative of each element of the result in each element of an argument.

    The axes of the result come first. For records there is one for each pair of fields: a record
    of the result, of records of the argument. It takes a derivative forwards for each element of
    the argument; or one backwards for each element of a result whose sizes are numbers, if these
    are fewer, or the size of the argument is no number.

    >>> import numpy as np
    >>> from ein_mlir import array, function
    >>> jacobian(function(lambda a: array(lambda i: a[i] * a[i])))(np.array([1.0, 3.0]))
    array([[2., 0.],
           [0., 6.]])
    """

    def staged(inner: Callable[..., Any], args: Sequence[Any]) -> Any:
        return _jacobian("jacobian", inner, args, argnums)

    return _derived(partial(jacobian, f, argnums), staged)


@names_its_arguments
def hessian(f: Callable[..., Any], argnums: int = 0) -> Function[..., Any]:
    """The second derivatives of a function with a Float as result: the Jacobian of its gradient.

    >>> import numpy as np
    >>> from ein_mlir import fold_sum, function
    >>> hessian(function(lambda a: fold_sum(lambda i: a[i] ** 3.0)))(np.array([1.0, 3.0]))
    array([[ 6.,  0.],
           [ 0., 18.]])
    """

    def staged(inner: Callable[..., Any], args: Sequence[Any]) -> Any:
        def gradient(*values: Any) -> Any:
            return _Traced("hessian", inner, values, argnums).value_and_gradient()[1]

        return _jacobian("hessian", gradient, args, argnums)

    return _derived(partial(hessian, f, argnums), staged)


def _jacobian(name: str, f: Callable[..., Any], args: Sequence[Any], argnums: int) -> Any:
    """A matrix for each field of the result and each of the argument, each of a derivative."""
    value, point = encode(f(*args)), _Traced(name, f, args, argnums).point

    def matrix(out: tuple[int, ...], into: tuple[int, ...]) -> Any:
        return _matrix(_Traced(name, f, args, argnums), value, out, into)

    def row(out: tuple[int, ...]) -> Any:
        return _over_fields(name, point.type, (), lambda into: matrix(out, into))

    return _over_fields(name, value.type, (), row)


def _over_fields(
    name: str, type_: Type, path: tuple[int, ...], leaf: Callable[[tuple[int, ...]], Any]
) -> Any:
    """A value for each leaf of a type, in records like it."""
    type_ = resolve(type_)
    if has_complex(type_):
        raise EinTypeError(f"{name}: complex numbers have none; jvp and vjp are for them{at()}")
    if isinstance(type_, RecordType):
        fields = [
            _over_fields(name, field, (*path, k), leaf) for k, field in enumerate(type_.fields)
        ]
        return rebuild_staged(type_.container, type_.names, fields)
    if kind_of(element_of(type_, rank_of(type_))) != "float":
        raise EinTypeError(f"{name}: {describe(type_)} has no derivative; only Floats have{at()}")
    return leaf(path)


def _field(record: Expr, path: Sequence[int]) -> Expr:
    for number in path:
        record = field_of(record, number)
    return record


def _matrix(traced: _Traced, value: Expr, out: tuple[int, ...], into: tuple[int, ...]) -> Any:
    """The derivatives of one field of the result, a value, in one field of the argument."""
    rows, columns = _sizes(_field(value, out)), _sizes(_field(traced.point, into))
    is_reverse = _has_fewer(rows, columns) and _is_reversible(traced.body)

    def element(*indices: Int) -> Any:
        row, column = indices[: len(rows)], indices[len(rows) :]
        if is_reverse:
            cotangent = traced.backwards(_unit(value, out, row))[1]
            found, positions = _field(cotangent, into), column
        else:
            tangent = traced.forwards(_unit(traced.point, into, column))
            found, positions = _field(tangent, (1, *out)), row
        return decode(Get(found, tuple(p.expr for p in positions)) if positions else found)

    if not rows and not columns:
        return element()
    names = [f"i{k}" for k in range(len(rows))] + [f"j{k}" for k in range(len(columns))]
    return array_named(element, tuple(names), (*rows, *columns))


def _has_fewer(rows: Sequence[Int], columns: Sequence[Int]) -> bool:
    """Whether an array of known sizes has fewer elements than another, as far as that is known."""
    count, other = map(_product, (rows, columns))
    return count is not None and (other is None or count < other)


def _product(sizes: Sequence[Int]) -> int | None:
    """The product of sizes; None if one is no number."""
    product = 1
    for size in sizes:
        number = as_int(size.expr.value) if isinstance(size.expr, Constant) else None
        if number is None:
            return None
        product *= number
    return product


def _is_reversible(body: Expr) -> bool:
    """Whether no loop has a condition: its derivative backwards first counts the steps."""
    return not any(isinstance(node, While) for node in operands_first(body))


def _sizes(array: Expr) -> list[Int]:
    return [Int(size_of(array, axis)) for axis in range(rank_of(array.type))]


def _unit(point: Expr, into: tuple[int, ...], at_indices: Sequence[Int]) -> Expr:
    """A tangent of a point: 1 at one element of one field, and 0 elsewhere."""
    type_ = resolve(point.type)
    if isinstance(type_, RecordType):
        fields = [
            _unit(field_of(point, k), into[1:], at_indices)
            if into and k == into[0]
            else _zero(field_of(point, k))
            for k in range(len(type_.fields))
        ]
        return Record(tuple(fields), type_)
    scalar = element_of(type_, rank_of(type_))
    one, zero = (decode(operators.literal(number, scalar)) for number in (1.0, 0.0))
    if not at_indices:
        return one.expr

    def element(*indices: Int) -> Any:
        value = one
        for index, wanted in zip(indices, at_indices, strict=True):
            value = where(index == wanted, value, zero)
        return value

    return encode(_filled(point, element))


def _zero(point: Expr) -> Expr:
    """Zeros like a value."""
    type_ = resolve(point.type)
    if isinstance(type_, RecordType):
        fields = [_zero(field_of(point, k)) for k in range(len(type_.fields))]
        return Record(tuple(fields), type_)
    scalar = resolve(element_of(type_, rank_of(type_)))
    zero: Any = False if kind_of(scalar) == "bool" else 0
    literal = decode(operators.literal(zero, scalar))
    return encode(_filled(point, lambda *_: literal)) if rank_of(type_) else literal.expr


def _filled(point: Expr, element: Callable[..., Any]) -> Any:
    sizes = _sizes(point)
    return array_named(element, tuple(f"k{axis}" for axis in range(len(sizes))), tuple(sizes))
