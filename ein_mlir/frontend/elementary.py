"""Scalar functions by name: ``sin(x)`` is ``x.sin()``, and accepts Python numbers, too."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar, overload

from ein_mlir.errors import EinTypeError
from ein_mlir.frontend.complex_numbers import Complex
from ein_mlir.frontend.types import describe
from ein_mlir.frontend.values import Float, Scalar, Value, decode, encode
from ein_mlir.host.arrays import is_numpy_scalar
from ein_mlir.host.locations import at

S = TypeVar("S", bound=Scalar)
Number: TypeAlias = "int | float"


def _scalar(value: object, name: str) -> Any:
    if isinstance(value, Scalar):
        return value
    if isinstance(value, int | float) or is_numpy_scalar(value):
        return decode(encode(value))
    what = describe(value.expr.type) if isinstance(value, Value) else repr(value)
    arguments = "a[i], b[i]" if name in ("min", "max") else "a[i]"
    hint = f": write it for each element, as in array(lambda i: {name}({arguments}))"
    raise EinTypeError(
        f"{name} acts on scalars, not on {what}{hint if isinstance(value, Value) else ''}{at()}"
    )


def _function_of_floats(name: str) -> Callable[[Float | Number], Float]:
    method: Callable[[Scalar], Float] = getattr(Scalar, name)

    def function(x: Float | Number) -> Float:
        if isinstance(x, int) and not isinstance(x, bool):
            x = float(x)
        if isinstance(x, Complex):
            return _of_complex(x, name)
        return method(_scalar(x, name))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = method.__doc__
    return function


def _of_complex(x: Complex, name: str) -> Any:
    """A function of a complex number; raises EinTypeError if there is none."""
    if name not in _ON_COMPLEX:
        known = ", ".join(_ON_COMPLEX)
        raise EinTypeError(f"{name} is not for complex numbers; there are {known}{at()}")
    return getattr(x, name)()


_ON_COMPLEX = ("exp", "log", "sqrt")

sin = _function_of_floats("sin")
cos = _function_of_floats("cos")
tan = _function_of_floats("tan")
asin = _function_of_floats("asin")
acos = _function_of_floats("acos")
atan = _function_of_floats("atan")
sinh = _function_of_floats("sinh")
cosh = _function_of_floats("cosh")
tanh = _function_of_floats("tanh")
exp = _function_of_floats("exp")
exp2 = _function_of_floats("exp2")
expm1 = _function_of_floats("expm1")
log = _function_of_floats("log")
log2 = _function_of_floats("log2")
log10 = _function_of_floats("log10")
log1p = _function_of_floats("log1p")
sqrt = _function_of_floats("sqrt")
rsqrt = _function_of_floats("rsqrt")
cbrt = _function_of_floats("cbrt")
erf = _function_of_floats("erf")


def atan2(y: Float | Number, x: Float | Number) -> Float:
    """The angle of the point (x, y)."""
    if isinstance(y, Scalar):
        return y.atan2(x)
    return _scalar(float(y), "atan2").atan2(x)


def floor(x: S) -> S:
    """The largest whole number that is not larger; still a Float."""
    return _scalar(x, "floor").floor()


def ceil(x: S) -> S:
    """The smallest whole number that is not smaller; still a Float."""
    return _scalar(x, "ceil").ceil()


@overload
def round(x: S, ndigits: None = None) -> S: ...
@overload
def round(x: float, ndigits: int | None = None) -> Any: ...
def round(x: Any, ndigits: int | None = None) -> Any:
    """The nearest whole number, the even one of two; still a Float.

    A plain number is rounded as by Python, also to some digits.

    >>> from ein_mlir import wrap
    >>> round(wrap(2.6)).eval(backend="naive"), round(2.6), round(2.64, 1)
    (np.float64(3.0), 3, 2.6)
    """
    if not isinstance(x, Value):
        return builtins.round(x) if ndigits is None else builtins.round(x, ndigits)
    if ndigits is not None:
        raise EinTypeError(
            f"round: a staged number is rounded to whole numbers only: write "
            f"round(x * 100.0) / 100.0{at()}"
        )
    return _scalar(x, "round").round()


def sign(x: S) -> S:
    """-1, 0 or 1."""
    return _scalar(x, "sign").sign()


def _extreme(name: str, values: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """The extreme one of several values; Python numbers take the type of the first staged value.

    Without a staged value it is that of Python, with all its options.
    """
    if not values:
        raise EinTypeError(f"{name} takes the numbers to compare, as in {name}(x, y){at()}")
    given, python = values, getattr(builtins, name)
    if len(values) == 1 and not isinstance(values[0], Value):
        given = tuple(values[0])
    staged = [value for value in given if isinstance(value, Value)]
    if not staged:
        return python(given, **options) if len(values) == 1 else python(*values, **options)
    if options:
        raise EinTypeError(f"{name} of staged numbers has no {' and no '.join(options)}{at()}")
    if len(given) < 2 and given is values:
        raise EinTypeError(
            f"{name} takes several arguments; for the elements of an array write "
            f"reduce_{name}(lambda i: a[i]){at()}"
        )
    result = _scalar(staged[0], name)
    for value in given:
        if value is not staged[0]:
            other = _scalar(value, name) if isinstance(value, Value) else value
            result = getattr(result, name)(other)
    return result


@overload
def min(first: S | Number, second: S | Number, /, *others: S | Number) -> S: ...
@overload
def min(*values: Any, **options: Any) -> Any: ...
def min(*values: Any, **options: Any) -> Any:
    """The smallest of several scalars, also in a list; NaN if one is.

    Of plain values it is the ``min`` of Python.

    >>> from ein_mlir import wrap
    >>> min(wrap(2.0), 1.0).eval(backend="naive"), min([3, 2], default=0)
    (np.float64(1.0), 2)
    """
    return _extreme("min", values, options)


@overload
def max(first: S | Number, second: S | Number, /, *others: S | Number) -> S: ...
@overload
def max(*values: Any, **options: Any) -> Any: ...
def max(*values: Any, **options: Any) -> Any:
    """The largest of several scalars, also in a list; NaN if one is.

    Of plain values it is the ``max`` of Python.
    """
    return _extreme("max", values, options)
