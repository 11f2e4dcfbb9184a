"""Scalar operators: their operations, their results, their operand types."""

from __future__ import annotations

import builtins
import math
from typing import Any

import numpy as np
import pytest

import ein_mlir as ein
from ein_mlir import EinTypeError, wrap

X, Y = 0.7, 0.3
P, Q = 7, -3

FLOATS = {
    "arith.addf": lambda x, y: x + y,
    "arith.subf": lambda x, y: x - y,
    "arith.mulf": lambda x, y: x * y,
    "arith.divf": lambda x, y: x / y,
    "sigma.floormod": lambda x, y: x % y,
    "math.floor": lambda x, y: x // y,
    "math.powf": lambda x, y: x**y,
    "arith.negf": lambda x, y: -x,
    "math.absf": lambda x, y: abs(x),
    "arith.cmpf oeq": lambda x, y: x == y,
    "arith.cmpf une": lambda x, y: x != y,
    "arith.cmpf olt": lambda x, y: x < y,
    "arith.cmpf ole": lambda x, y: x <= y,
    "arith.cmpf ogt": lambda x, y: x > y,
    "arith.cmpf oge": lambda x, y: x >= y,
    "math.fpowi": lambda x, y: x**3,
}
INTS = {
    "arith.addi": lambda x, y: x + y,
    "arith.subi": lambda x, y: x - y,
    "arith.muli": lambda x, y: x * y,
    "arith.divf": lambda x, y: x / y,
    "arith.floordivsi": lambda x, y: x // y,
    "sigma.floormod": lambda x, y: x % y,
    "math.ipowi": lambda x, y: x**3,
    "arith.subi %": lambda x, y: -x,
    "math.absi": lambda x, y: abs(y),
    "arith.andi": lambda x, y: x & y,
    "arith.ori": lambda x, y: x | y,
    "arith.xori": lambda x, y: x ^ y,
    "arith.xori %": lambda x, y: ~x,
    "arith.shli": lambda x, y: x << 2,
    "arith.shrsi": lambda x, y: y >> 1,
    "arith.cmpi eq": lambda x, y: x == y,
    "arith.cmpi ne": lambda x, y: x != y,
    "arith.cmpi slt": lambda x, y: x < y,
    "arith.cmpi sle": lambda x, y: x <= y,
    "arith.cmpi sgt": lambda x, y: x > y,
    "arith.cmpi sge": lambda x, y: x >= y,
}
BOOLS = {
    "arith.andi": lambda x, y: x & y,
    "arith.ori": lambda x, y: x | y,
    "arith.xori": lambda x, y: x ^ y,
    "arith.cmpi eq": lambda x, y: x == y,
    "arith.cmpi ne": lambda x, y: x != y,
}
ELEMENTARY = {
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "asin": math.asin,
    "acos": math.acos,
    "atan": math.atan,
    "sinh": math.sinh,
    "cosh": math.cosh,
    "tanh": math.tanh,
    "exp": math.exp,
    "exp2": lambda x: 2**x,
    "expm1": math.expm1,
    "log": math.log,
    "log2": math.log2,
    "log10": math.log10,
    "log1p": math.log1p,
    "sqrt": math.sqrt,
    "rsqrt": lambda x: 1 / math.sqrt(x),
    "cbrt": lambda x: x ** (1 / 3),
    "erf": math.erf,
    "floor": math.floor,
    "ceil": math.ceil,
    "round": round,
}


def pair(x, y):
    values = wrap(np.array([x, y]), "a")
    return values[0], values[1]


@pytest.mark.parametrize("name", FLOATS)
def test_floats(name, phi):
    value = FLOATS[name](*pair(X, Y))
    assert name in phi(value)
    np.testing.assert_allclose(value.eval("naive"), FLOATS[name](X, Y))


@pytest.mark.parametrize("name", INTS)
def test_ints(name, phi):
    value = INTS[name](*pair(P, Q))
    assert name in phi(value)
    np.testing.assert_equal(value.eval("naive"), INTS[name](P, Q))


@pytest.mark.parametrize("name", BOOLS)
@pytest.mark.parametrize("x", [False, True])
@pytest.mark.parametrize("y", [False, True])
def test_bools(name, x, y, phi):
    value = BOOLS[name](*pair(x, y))
    assert name in phi(value)
    assert value.eval("naive") == BOOLS[name](x, y)
    assert (~pair(x, y)[0]).eval("naive") == (not x)


@pytest.mark.parametrize("name", ELEMENTARY)
def test_elementary(name, phi):
    x = wrap(np.array([X]), "a")[0]
    expected = ELEMENTARY[name](X)
    operation = "roundeven" if name == "round" else name
    assert f"math.{operation} " in phi(getattr(x, name)())
    np.testing.assert_allclose(getattr(x, name)().eval("naive"), expected)
    np.testing.assert_allclose(getattr(ein, name)(x).eval("naive"), expected)
    found = getattr(ein, name)(X)
    value = found.eval("naive") if isinstance(found, ein.Scalar) else found
    np.testing.assert_allclose(value, expected)


# ruff: noqa: SIM300 (the literal is on the left on purpose)
@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (lambda x: 2 + x, 9),
        (lambda x: 2 - x, -5),
        (lambda x: 2 * x, 14),
        (lambda x: 14 / x, 2.0),
        (lambda x: 15 // x, 2),
        (lambda x: 15 % x, 1),
        (lambda x: 2**x, 128),
        (lambda x: 2.0**x, 128.0),
        (lambda x: 6 & x, 6),
        (lambda x: 8 | x, 15),
        (lambda x: 1 ^ x, 6),
        (lambda x: 1 << x, 128),
        (lambda x: 256 >> x, 2),
        (lambda x: 7 == x, True),
        (lambda x: 8 < x, False),
        (lambda x: divmod(15, 7)[0] + x, 9),
    ],
)
def test_reflected(f, expected):
    assert f(wrap(np.array([7]))[0]).eval("naive") == expected


def test_several_arguments():
    x, y = pair(3.0, 5.0)
    assert ein.min(4, x, y).eval("naive") == 3.0
    assert ein.max(4, x, y, 6.5).eval("naive") == 6.5
    assert ein.min(1, 2) == 1
    assert x.clip(4, 9).eval("naive") == 4.0
    np.testing.assert_allclose(ein.atan2(x, y).eval("naive"), math.atan2(3, 5))
    np.testing.assert_allclose(ein.atan2(1, y).eval("naive"), math.atan2(1, 5))
    assert ein.sign(-x).eval("naive") == -1.0


def test_squares_are_products(phi, v):
    assert "arith.mulf" in phi(v[0] ** 2)
    assert "arith.mulf" in phi(v[0] ** 2.0)
    assert "math.powf" in phi(v[0] ** 0.5)


def test_literal_whole_powers_are_those_of_ints(phi, v):
    """Their products take less time than a power of Floats."""
    for exponent in (3.0, -1.0, 0.0, 16.0):
        assert "math.fpowi" in phi(v[0] ** exponent)
    for exponent in (17.0, 2.5, math.inf, math.nan, 1e300, v[1]):
        assert "math.powf" in phi(v[0] ** exponent)


@pytest.mark.parametrize(
    ("dtype", "convert", "operation", "result"),
    [
        ("float32", lambda x: x.float(), "arith.extf", "float64"),
        ("float64", lambda x: x.float("f32"), "arith.truncf", "float32"),
        ("float64", lambda x: x.int(), "arith.fptosi", "int64"),
        ("float64", lambda x: x.int(np.int32), "arith.fptosi", "int32"),
        ("int64", lambda x: x.float(), "arith.sitofp", "float64"),
        ("int32", lambda x: x.int(), "arith.extsi", "int64"),
        ("int64", lambda x: x.int("i32"), "arith.trunci", "int32"),
        ("bool", lambda x: x.int(), "arith.extui", "int64"),
        ("bool", lambda x: x.float(), "arith.uitofp", "float64"),
        ("int64", lambda x: x.float(x.float("f32")), "arith.sitofp", "float32"),
        ("float64", lambda x: x.int(x.int("i32")), "arith.fptosi", "int32"),
    ],
)
def test_conversions(dtype, convert, operation, result, phi):
    x = convert(wrap(np.array([1], dtype))[0])
    assert operation in phi(x)
    assert x.eval("naive").dtype == result
    assert x.eval("naive") == 1


def test_conversion_to_the_type_of_an_argument_that_is_a_number():
    half = ein.function(lambda x, n: n.float(x) / 2.0)
    assert half.eval(1.5, 3, backend="naive") == 1.5
    with pytest.raises(EinTypeError, match=r"\.float\(\) does not convert to Int"):
        half.eval(1, 3, backend="naive")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_an_int_becomes_a_float_of_the_width_of_its_partners(dtype: str):
    x = wrap(np.array([3], dtype))[0]
    i = wrap(np.array([2]))[0]
    for y in (x * i.float(), x + (i > 1).float(), x * (i / 4), x + wrap(3).float()):
        assert y.eval("naive").dtype == dtype


def test_conversion_to_the_same_type_is_nothing(v, phi):
    assert v[0].float() is not None
    assert "arith.ext" not in phi(v[0].float())


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
def test_literals_take_the_type_of_their_partner(dtype):
    x = wrap(np.array([3], dtype))[0]
    for y in (x + 1, 1 + x, 2 * x, x // 2, x % 2, x**2, x.max(0), ein.where(x > 2, x, 0)):
        assert y.eval("naive").dtype == dtype
    if dtype.startswith("float"):
        assert (x / 3 + 0.1).eval("naive").dtype == dtype


MISTAKES = {
    "Int + Float: operands must have one type; write `s.i.float()`": lambda s: s.i + s.f,
    "Float * Int: operands must have one type; write `(s.i * 2).float()`": lambda s: (
        s.f * (s.i * 2)
    ),
    "Float (f32) - Float (f64): operands must have one type; write `s.f32.float()`": (
        lambda s: s.f32 - s.f
    ),
    "Int (i64) < Int (i32): operands must have one type; write `s.i32.int()`": lambda s: (
        s.i < s.i32
    ),
    "min(Float, Int): operands must have one type; write `s.i.float()`": lambda s: s.f.min(s.i),
    "where(condition, Float, Int): operands must have one type; write `s.i.float()`": lambda s: (
        ein.where(s.b, s.f, s.i)
    ),
    "Float (f64) * Float (f32): operands must have one type; write `float(c)` for the NumPy": (
        lambda s: np.sqrt(2.0) * s.f32
    ),
    'Int + Float (f32): operands must have one type; write `s.i.float("f32")`': lambda s: (
        s.i + s.f32
    ),
    "Bool + Int: operands must have one type; write `s.b.int()`": lambda s: s.b + s.i,
    "Int + 1.5: the literal 1.5 does not go with Int: write `.float()`": lambda s: s.i + 1.5,
    "1.5 - Int: the literal 1.5": lambda s: 1.5 - s.i,
    "Bool & 1: the literal 1 does not go with Bool": lambda s: s.b & 1,
    "Int + True: the literal True does not go with Int": lambda s: s.i + True,
    "does not fit Int": lambda s: s.i + 2**63,
    "is not exact as Float (f32)": lambda s: s.f32 + (2**24 + 1),
    "does not fit Float (f32)": lambda s: s.f32 * 1e300,
    "sin(x): expected a Float, not Int; write `x.float()`": lambda s: s.i.sin(),
    "Float & Float: expected a Bool or an Int": lambda s: s.f & s.f,
    "Bool < Bool: expected a number": lambda s: s.b < s.b,
    "unary - Bool: expected a number": lambda s: -s.b,
    "where(condition, Float, Int): operands must": lambda s: ein.where(s.b, s.f, s.i),
    "where: the condition must be a Bool, not Int": lambda s: ein.where(s.i, 1, 2),
    "`+` acts on scalars, not on Vec[Float]": lambda s: s.f + s.v,
    "`-` acts on scalars, not on Vec[Float]": lambda s: s.v - s.v,
    "`==` acts on scalars, not on Vec[Float]": lambda s: s.v == s.v,
    "exp acts on scalars, not on Vec[Float]": lambda s: ein.exp(s.v),
    "operators act on scalars, not on arrays: wrap()": lambda s: s.f + np.ones(3),
    "a Float has no axes to index": lambda s: s.f[0],
    ".float() does not convert to Int": lambda s: s.f.float(int),
    "'f80' is not a scalar type of Ein": lambda s: s.f.float("f80"),
    "min: expected a scalar or a number": lambda s: s.f.min("x"),
    "min takes several arguments": lambda s: ein.min(s.f),
}


class Samples:
    def __init__(self) -> None:
        self.i = wrap(np.array([1]))[0]
        self.i32 = wrap(np.array([1], "int32"))[0]
        self.f = wrap(np.array([1.0]))[0]
        self.f32 = wrap(np.array([1.0], "float32"))[0]
        self.b = wrap(np.array([True]))[0]
        self.v = wrap(np.array([1.0]))


@pytest.mark.parametrize("message", MISTAKES)
def test_mistakes_name_types_place_and_remedy(message):
    with pytest.raises(EinTypeError) as error:
        MISTAKES[message](Samples())
    assert message in str(error.value)
    assert f"(at {__file__}:" in str(error.value)


def test_numpy_scalars_keep_their_type(v):
    assert (v[0] * np.float64(2)).eval("naive") == 3.0
    assert (np.float64(2) * v[0]).eval("naive") == 3.0
    with pytest.raises(EinTypeError, match=r"Float \(f64\) \* Float \(f32\)"):
        _ = v[0] * np.float32(2)


def test_unknown_operands_are_left_to_their_class(v):
    class Wrapper:
        def __radd__(self, other):
            return "mine"

    assert v[0] + Wrapper() == "mine"
    with pytest.raises(TypeError, match="unsupported operand"):
        _ = v[0] + "x"


def test_a_star_import_breaks_no_plain_python() -> None:
    """The names of builtins are these, and of plain values they are those of Python."""
    names = dict[str, Any]()
    exec("from ein_mlir import *", names)
    shadowed = {name for name in ein.__all__ if hasattr(builtins, name)}
    assert shadowed == {"filter", "max", "min", "round"}
    assert list(names["filter"](None, [1, 0, 2])) == [1, 2]
    for name in ("min", "max"):
        ours, python = names[name], getattr(builtins, name)
        assert ours([3, 1, 2]) == python([3, 1, 2])
        assert ours(3, 1.5) == python(3, 1.5)
        assert ours("b", "a") == python("b", "a")
        assert ours(["aa", "b"], key=len) == python(["aa", "b"], key=len)
        assert ours((), default=7) == 7
        assert ours(x for x in (5, 4)) == python(x for x in (5, 4))
        with pytest.raises(ValueError, match="empty"):
            ours([])
    assert names["round"](2.5) == 2
    assert type(names["round"](2.5)) is int
    assert names["round"](2.345, 1) == 2.3


def test_extremes_of_a_list_of_staged_numbers() -> None:
    x = ein.wrap(2.0)
    assert ein.max([1.0, x, 3.0]).eval(backend="naive") == 3.0
    assert ein.min(x, 1, x).eval(backend="naive") == 1.0
    with pytest.raises(EinTypeError, match="max of staged numbers has no key"):
        ein.max([x, x], key=lambda y: -y)
    with pytest.raises(EinTypeError, match="rounded to whole numbers only"):
        ein.round(x, 1)
