"""Each scalar operation, emitted for NumPy, against Python's own arithmetic."""

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from xdsl.dialects import arith
from xdsl.dialects import math as math_dialect

from ein_mlir.dialects import sigma

DTYPES = {
    "i1": np.dtype(np.bool),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
}
INF, NAN = math.inf, math.nan
FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, -0.75, 2.5, -2.5, 3.5, 1e10, -1e10, INF, -INF, NAN]
INTS = [0, 1, -1, 2, -2, 3, 7, -7, 31, "min", "max"]


def bits(element: str) -> int:
    return int(element[1:])


def values(element: str) -> list[Any]:
    if element == "i1":
        return [False, True]
    if element[0] == "f":
        return FLOATS
    limits = {"min": -(2 ** (bits(element) - 1)), "max": 2 ** (bits(element) - 1) - 1}
    return [limits.get(value, value) for value in INTS]


def wrap(number: int, width: int) -> int:
    number &= 2**width - 1
    return number - 2**width if number >> (width - 1) else number


def ieee(function: Callable[..., float]) -> Callable[..., float]:
    """A function of module math, with the results of IEEE 754 instead of exceptions."""

    def total(*args: float) -> float:
        try:
            return function(*args)
        except (ValueError, OverflowError):
            return NAN

    return total


def divide(x: float, y: float) -> float:
    if y != 0:
        return x / y
    if x == 0 or x != x:
        return NAN
    return math.copysign(INF, x) * math.copysign(1.0, y)


def power(x: float, y: float) -> float:
    if x == 0 and y < 0:
        is_odd = not math.isinf(y) and y % 2 == 1
        return math.copysign(INF, x) if is_odd else INF
    try:
        return math.pow(x, y)
    except OverflowError:
        return -INF if x < 0 and y % 2 == 1 else INF
    except ValueError:
        return NAN


def int_power(x: int, n: int) -> int:
    if n >= 0:
        return pow(x, n, 2**64)
    return {1: 1, -1: -1 if n % 2 else 1}.get(x, 0)


def truncated(x: int, y: int) -> int:
    return math.trunc(Fraction(x, y)) if y else 0


def minimum(x: float, y: float) -> float:
    return NAN if x != x or y != y else min(x, y)


def maximum(x: float, y: float) -> float:
    return NAN if x != x or y != y else max(x, y)


def half_away(x: float) -> float:
    if not math.isfinite(x):
        return x
    return math.copysign(math.floor(Fraction(abs(x)) + Fraction(1, 2)), x)


def keep_infinite(function: Callable[[float], float]) -> Callable[[float], float]:
    return lambda x: float(function(x)) if math.isfinite(x) else x


def sign(x: float) -> float:
    return x if x != x else (x > 0) - (x < 0)


FLOAT_BINARY: dict[str, Callable[[float, float], float]] = {
    "arith.addf": lambda x, y: x + y,
    "arith.subf": lambda x, y: x - y,
    "arith.mulf": lambda x, y: x * y,
    "arith.divf": divide,
    "arith.minimumf": minimum,
    "arith.maximumf": maximum,
    "arith.minnumf": lambda x, y: y if x != x else x if y != y else min(x, y),
    "arith.maxnumf": lambda x, y: y if x != x else x if y != y else max(x, y),
    "math.atan2": math.atan2,
    "math.copysign": math.copysign,
    "math.powf": power,
    "sigma.floormod": lambda x, y: ieee(lambda: x % y)() if y else NAN,
}

FLOAT_UNARY: dict[str, Callable[[float], float]] = {
    "arith.negf": lambda x: -x,
    "math.absf": abs,
    "math.acos": ieee(math.acos),
    "math.acosh": ieee(math.acosh),
    "math.asin": ieee(math.asin),
    "math.asinh": math.asinh,
    "math.atan": math.atan,
    "math.atanh": lambda x: divide(x, 0.0) if abs(x) == 1 else ieee(math.atanh)(x),
    "math.cbrt": math.cbrt,
    "math.ceil": keep_infinite(math.ceil),
    "math.cos": ieee(math.cos),
    "math.cosh": lambda x: INF if abs(x) > 1e4 else math.cosh(x),
    "math.erf": math.erf,
    "math.exp": lambda x: INF if x > 1e4 else math.exp(x),
    "math.exp2": lambda x: INF if x > 1e4 else math.exp2(x),
    "math.expm1": lambda x: INF if x > 1e4 else math.expm1(x),
    "math.floor": keep_infinite(math.floor),
    "math.log": lambda x: -INF if x == 0 else ieee(math.log)(x),
    "math.log10": lambda x: -INF if x == 0 else ieee(math.log10)(x),
    "math.log1p": lambda x: -INF if x == -1 else ieee(math.log1p)(x),
    "math.log2": lambda x: -INF if x == 0 else ieee(math.log2)(x),
    "math.round": half_away,
    "math.roundeven": keep_infinite(round),
    "math.rsqrt": lambda x: divide(1.0, ieee(math.sqrt)(x)),
    "math.sin": ieee(math.sin),
    "math.sinh": lambda x: math.copysign(INF, x) if abs(x) > 1e4 else math.sinh(x),
    "math.sqrt": ieee(math.sqrt),
    "math.tan": ieee(math.tan),
    "math.tanh": math.tanh,
    "math.trunc": keep_infinite(math.trunc),
    "sigma.sign": sign,
}

INT_BINARY: dict[str, Callable[[int, int], int]] = {
    "arith.addi": lambda x, y: x + y,
    "arith.subi": lambda x, y: x - y,
    "arith.muli": lambda x, y: x * y,
    "arith.divsi": truncated,
    "arith.floordivsi": lambda x, y: x // y if y else 0,
    "arith.ceildivsi": lambda x, y: -(-x // y) if y else 0,
    "arith.remsi": lambda x, y: x - y * truncated(x, y) if y else 0,
    "arith.minsi": min,
    "arith.maxsi": max,
    "arith.andi": lambda x, y: x & y,
    "arith.ori": lambda x, y: x | y,
    "arith.xori": lambda x, y: x ^ y,
    "math.ipowi": int_power,
    "sigma.floormod": lambda x, y: x % y if y else 0,
}

UNSIGNED_BINARY: dict[str, Callable[[int, int], int]] = {
    "arith.divui": lambda x, y: x // y if y else 0,
    "arith.remui": lambda x, y: x % y if y else 0,
    "arith.minui": min,
    "arith.maxui": max,
}

INT_UNARY: dict[str, Callable[[int], int]] = {
    "math.absi": abs,
    "sigma.sign": lambda x: int(sign(x)),
}

INT_PREDICATES: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda x, y: x == y,
    "ne": lambda x, y: x != y,
    "lt": lambda x, y: x < y,
    "le": lambda x, y: x <= y,
    "gt": lambda x, y: x > y,
    "ge": lambda x, y: x >= y,
}


def is_unordered(x: float, y: float) -> bool:
    return x != x or y != y


def check(found: Any, expected: list[Any], element: str) -> None:
    """Equal values, NaN included, of exactly this dtype."""
    assert found.dtype == DTYPES[element]
    if element[0] == "f":
        tolerance = 1e-5 if element == "f32" else 1e-12
        np.testing.assert_allclose(found, np.array(expected, found.dtype), rtol=tolerance)
    else:
        np.testing.assert_array_equal(found, np.array(expected, found.dtype))


def elementwise(operation: str, operands: int, element: str, result: str, rank: int) -> str:
    """A function that applies an operation; its name is ``apply``."""
    tensor = "tensor<?x{}>" if rank else "tensor<{}>"
    letters = "xyz"[:operands]
    arguments = ", ".join(f"%{letter}: {tensor.format(element)}" for letter in letters)
    bound = ", ".join(f"%{letter}s = %{letter}" for letter in letters)
    types = ", ".join([tensor.format(element)] * operands)
    out = tensor.format(result)
    inner = operation.format(*(f"%{letter}s" for letter in letters))
    return f"""
      func.func @apply({arguments}) -> {out} {{
        %r = yarr.elementwise ({bound}) : ({types}) -> {out} {{
          %0 = {inner}
          yarr.yield %0 : {result}
        }}
        func.return %r : {out}
      }}"""


def run_everywhere(
    build: Callable[..., Any],
    operation: str,
    operands: int,
    element: str,
    result: str,
    oracle: Callable[..., Any],
) -> None:
    """On arrays, on scalars, and on empty arrays."""
    combinations = list(itertools.product(values(element), repeat=operands))
    dtype = DTYPES[element]
    columns = [np.array(column, dtype) for column in zip(*combinations, strict=True)]
    expected = [
        oracle(*map(dtype.type, c)) if dtype.kind == "f" else oracle(*c) for c in combinations
    ]
    on_arrays = build(elementwise(operation, operands, element, result, 1))
    check(on_arrays(*columns), expected, result)
    empty = on_arrays(*(column[:0] for column in columns))
    assert empty.shape == (0,)
    assert empty.dtype == DTYPES[result]
    on_scalars = build(elementwise(operation, operands, element, result, 0))
    for row, value in list(zip(combinations, expected, strict=True))[::3]:
        check(on_scalars(*map(dtype.type, row)), value, result)


def as_float(oracle: Callable[..., float]) -> Callable[..., float]:
    return lambda *args: oracle(*(float(arg) for arg in args))


@pytest.mark.parametrize("element", ["f32", "f64"])
@pytest.mark.parametrize("name", FLOAT_UNARY)
def test_float_unary(build: Any, name: str, element: str):
    run_everywhere(
        build, f"{name} {{}} : {element}", 1, element, element, as_float(FLOAT_UNARY[name])
    )


@pytest.mark.parametrize("element", ["f32", "f64"])
@pytest.mark.parametrize("name", FLOAT_BINARY)
def test_float_binary(build: Any, name: str, element: str):
    oracle = as_float(FLOAT_BINARY[name])
    run_everywhere(build, f"{name} {{}}, {{}} : {element}", 2, element, element, oracle)


@pytest.mark.parametrize("element", ["i32", "i64"])
@pytest.mark.parametrize("name", INT_BINARY)
def test_int_binary(build: Any, name: str, element: str):
    oracle = INT_BINARY[name]
    run_everywhere(
        build,
        f"{name} {{}}, {{}} : {element}",
        2,
        element,
        element,
        lambda x, y: wrap(oracle(x, y), bits(element)),
    )


@pytest.mark.parametrize("element", ["i32", "i64"])
@pytest.mark.parametrize("name", UNSIGNED_BINARY)
def test_unsigned_binary(build: Any, name: str, element: str):
    oracle, modulus = UNSIGNED_BINARY[name], 2 ** bits(element)
    run_everywhere(
        build,
        f"{name} {{}}, {{}} : {element}",
        2,
        element,
        element,
        lambda x, y: wrap(oracle(x % modulus, y % modulus), bits(element)),
    )


@pytest.mark.parametrize("element", ["i32", "i64"])
@pytest.mark.parametrize("name", INT_UNARY)
def test_int_unary(build: Any, name: str, element: str):
    oracle = INT_UNARY[name]
    run_everywhere(
        build,
        f"{name} {{}} : {element}",
        1,
        element,
        element,
        lambda x: wrap(oracle(x), bits(element)),
    )


@pytest.mark.parametrize("element", ["i32", "i64"])
@pytest.mark.parametrize(
    ("name", "oracle"),
    [
        ("shli", lambda x, y, _: x << y),
        ("shrsi", lambda x, y, _: x >> y),
        ("shrui", lambda x, y, width: (x % 2**width) >> y),
    ],
)
def test_shift(build: Any, name: str, oracle: Callable[..., int], element: str):
    width = bits(element)
    dtype = DTYPES[element]
    numbers = np.array(values(element), dtype)
    shift = build(elementwise(f"arith.{name} {{}}, {{}} : {element}", 2, element, element, 1))
    for amount in (0, 1, width - 1):
        expected = [wrap(oracle(int(x), amount, width), width) for x in numbers]
        check(shift(numbers, np.full_like(numbers, amount)), expected, element)


@pytest.mark.parametrize("name", ["andi", "ori", "xori"])
def test_bool_binary(build: Any, name: str):
    oracle = INT_BINARY[f"arith.{name}"]
    run_everywhere(build, f"arith.{name} {{}}, {{}} : i1", 2, "i1", "i1", oracle)


@pytest.mark.parametrize("element", ["i32", "i64"])
@pytest.mark.parametrize("predicate", arith.CMPI_COMPARISON_OPERATIONS)
def test_cmpi(build: Any, predicate: str, element: str):
    compare = INT_PREDICATES[predicate[-2:]]
    modulus = 2 ** bits(element) if predicate[0] == "u" else None
    run_everywhere(
        build,
        f"arith.cmpi {predicate}, {{}}, {{}} : {element}",
        2,
        element,
        "i1",
        lambda x, y: compare(x, y) if modulus is None else compare(x % modulus, y % modulus),
    )


@pytest.mark.parametrize("element", ["f32", "f64"])
@pytest.mark.parametrize("predicate", arith.CMPF_COMPARISON_OPERATIONS)
def test_cmpf(build: Any, predicate: str, element: str):
    def oracle(x: float, y: float) -> bool:
        if predicate in ("true", "false"):
            return predicate == "true"
        if predicate in ("ord", "uno"):
            return is_unordered(x, y) == (predicate == "uno")
        if is_unordered(x, y):
            return predicate[0] == "u"
        return INT_PREDICATES[predicate[1:]](x, y)  # pyright: ignore[reportArgumentType]

    run_everywhere(
        build, f"arith.cmpf {predicate}, {{}}, {{}} : {element}", 2, element, "i1", oracle
    )


CASTS: list[tuple[str, str, str, Callable[[Any], Any]]] = [
    ("arith.extf", "f32", "f64", float),
    ("arith.truncf", "f64", "f32", float),
    ("arith.extsi", "i32", "i64", int),
    ("arith.extsi", "i1", "i64", lambda x: -int(x)),
    ("arith.extui", "i1", "i64", int),
    ("arith.extui", "i1", "i32", int),
    ("arith.extui", "i32", "i64", lambda x: x % 2**32),
    ("arith.trunci", "i64", "i32", lambda x: wrap(x, 32)),
    ("arith.trunci", "i64", "i1", lambda x: x % 2 == 1),
    ("arith.sitofp", "i64", "f64", float),
    ("arith.sitofp", "i64", "f32", float),
    ("arith.sitofp", "i1", "f64", lambda x: -float(x)),
    ("arith.uitofp", "i1", "f64", float),
    ("arith.uitofp", "i32", "f64", lambda x: float(x % 2**32)),
]


@pytest.mark.parametrize(("name", "source", "target", "oracle"), CASTS)
def test_cast(build: Any, name: str, source: str, target: str, oracle: Callable[[Any], Any]):
    run_everywhere(build, f"{name} {{}} : {source} to {target}", 1, source, target, oracle)


@pytest.mark.parametrize("name", ["fptosi", "fptoui"])
@pytest.mark.parametrize("source", ["f32", "f64"])
@pytest.mark.parametrize("target", ["i32", "i64"])
def test_float_to_int_truncates(build: Any, name: str, source: str, target: str):
    cast = build(elementwise(f"arith.{name} {{}} : {source} to {target}", 1, source, target, 1))
    numbers = [0.0, 0.9, 1.5, 7.99, 100.0] + ([-0.9, -1.5] if name == "fptosi" else [])
    check(cast(np.array(numbers, DTYPES[source])), [int(x) for x in numbers], target)


@pytest.mark.parametrize(("source", "target"), [("f32", "i32"), ("i64", "f64")])
def test_bitcast(build: Any, source: str, target: str):
    cast = build(elementwise(f"arith.bitcast {{}} : {source} to {target}", 1, source, target, 1))
    numbers = np.array([1, 2, 3], DTYPES[source])
    found = cast(numbers)
    np.testing.assert_array_equal(found, numbers.view(DTYPES[target]))
    assert not np.shares_memory(found, numbers)


@pytest.mark.parametrize("element", DTYPES)
def test_select(build: Any, element: str):
    text = f"""
      func.func @apply(%c: tensor<?xi1>, %x: tensor<?x{element}>, %y: tensor<?x{element}>)
          -> tensor<?x{element}> {{
        %r = yarr.elementwise {{ arith.select }} %c, %x, %y
          : (tensor<?xi1>, tensor<?x{element}>, tensor<?x{element}>) -> tensor<?x{element}>
        func.return %r : tensor<?x{element}>
      }}"""
    one, zero = np.ones(2, DTYPES[element]), np.zeros(2, DTYPES[element])
    check(build(text)(np.array([True, False]), one, zero), [1, 0], element)
    check(build(text.replace("?x", ""))(np.True_, one[0], zero[0]), 1, element)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("element", ["f32", "f64"])
def test_fma(build: Any, element: str):
    text = elementwise(f"math.fma {{}}, {{}}, {{}} : {element}", 3, element, element, 1)
    two, three, four = (np.full(1, n, DTYPES[element]) for n in (2, 3, 4))
    check(build(text)(two, three, four), [10], element)


@pytest.mark.parametrize("exponent", ["i32", "i64"])
@pytest.mark.parametrize("element", ["f32", "f64"])
@pytest.mark.parametrize("rank", [0, 1])
def test_fpowi(build: Any, element: str, exponent: str, rank: int):
    text = elementwise(f"math.fpowi {{}}, {{}} : {element}, {exponent}", 2, element, element, rank)
    axis = "?x" * rank
    text = text.replace(f"%y: tensor<{axis}{element}>", f"%y: tensor<{axis}{exponent}>")
    text = text.replace(
        f"(tensor<{axis}{element}>, tensor<{axis}{element}>)",
        f"(tensor<{axis}{element}>, tensor<{axis}{exponent}>)",
    )
    raise_ = build(text)
    for x, n in itertools.product(FLOATS, [0, 1, 2, -1, -3, 5]):
        base, power_ = DTYPES[element].type(x), DTYPES[exponent].type(n)
        if rank:
            base, power_ = np.array([base]), np.array([power_])
        expected = DTYPES[element].type(0)
        with np.errstate(all="ignore"):
            expected = DTYPES[element].type(power(float(np.ravel(base)[0]), n))
        check(raise_(base, power_), [expected] * rank or expected, element)


def literal(value: Any, element: str) -> str:
    """A constant in IR."""
    if element == "i1":
        return str(value).lower()
    if element[0] == "i":
        return f"{value} : {element}"
    width = bits(element)
    number = int(np.array(value, DTYPES[element]).view(f"i{width // 8}")) % 2**width
    return f"0x{number:0{width // 4}X} : {element}"


SYMBOLS = {
    **{(name, element): f for element in ("f32", "f64") for name, f in FLOAT_BINARY.items()},
    **{
        (name, element): f
        for element in ("i32", "i64")
        for name, f in {**INT_BINARY, **UNSIGNED_BINARY}.items()
    },
}


@pytest.mark.one_turn
@pytest.mark.parametrize(("name", "element"), SYMBOLS)
def test_literal_operands(build: Any, name: str, element: str):
    """A literal takes its partner's type; two literals get their own."""
    oracle = SYMBOLS[name, element]
    is_float = element[0] == "f"
    modulus = 2 ** bits(element) if name in UNSIGNED_BINARY else None
    some = [0.0, -2.5, NAN, INF] if is_float else [0, -2, 3]

    def expected(x: Any, y: Any) -> Any:
        if is_float:
            return oracle(float(x), float(y))
        return wrap(oracle(x % modulus, y % modulus) if modulus else oracle(x, y), bits(element))

    vector, lines, results = f"tensor<?x{element}>", list[str](), list[Any]()

    def add(lhs: str, rhs: str, x: Any, y: Any, values: list[Any]) -> None:
        lines.append(f"""
          %r{len(lines)} = yarr.elementwise (%v = %x) : ({vector}) -> {vector} {{
            %a = arith.constant {literal(x, element)}
            %b = arith.constant {literal(y, element)}
            %0 = {name} {lhs}, {rhs} : {element}
            yarr.yield %0 : {element}
          }}""")
        results.append(values)

    for x in some:
        add("%a", "%v", x, x, [expected(x, y) for y in some])
        add("%v", "%b", x, x, [expected(y, x) for y in some])
    for x, y in itertools.product(some, repeat=2):
        add("%a", "%b", x, y, [expected(x, y)] * len(some))
    types = ", ".join([vector] * len(lines))
    text = f"""
      func.func @apply(%x: {vector}) -> ({types}) {{
        {"".join(lines)}
        func.return {", ".join(f"%r{k}" for k in range(len(lines)))} : {types}
      }}"""
    found = build(text)(np.array(some, DTYPES[element]))
    for actual, values in zip(found, results, strict=True):
        check(actual, values, element)


@pytest.mark.parametrize("name", {**INT_BINARY, **UNSIGNED_BINARY})
@pytest.mark.parametrize("kind", ["sizes", "constants"])
def test_sizes_as_operands(build: Any, name: str, kind: str):
    """Arithmetic of Python ints is that of i64: no exception, no number beyond 64 bits."""
    oracle = {**INT_BINARY, **UNSIGNED_BINARY}[name]

    @cache
    def compiled(rhs: str) -> Any:
        return build(f"""
          func.func @apply(%a: tensor<?xi64>, %b: tensor<?xi64>) -> tensor<i64> {{
            %n = yarr.size %a, 0 : tensor<?xi64>
            {rhs}
            %r = yarr.elementwise {{ {name} }} %n, %m : (tensor<i64>, tensor<i64>) -> tensor<i64>
            func.return %r : tensor<i64>
          }}""")

    for n, m in itertools.product([0, 1, 2, 5], repeat=2):
        rhs = "%m = yarr.size %b, 0 : tensor<?xi64>"
        if kind == "constants":
            rhs = f"%m = arith.constant dense<{m}> : tensor<i64>"
        found = compiled(rhs)(np.zeros(n, np.int64), np.zeros(m, np.int64))
        check(found, wrap(oracle(n, m), 64), "i64")  # pyright: ignore[reportArgumentType]


def test_products_of_many_sizes_wrap(build: Any):
    text = """
      func.func @apply(%a: tensor<?xi1>) -> tensor<i64> {
        %n = yarr.size %a, 0 : tensor<?xi1>
        %r = yarr.elementwise (%x = %n) : (tensor<i64>) -> tensor<i64> {
          %0 = arith.muli %x, %x : i64
          %1 = arith.muli %0, %0 : i64
          %2 = arith.muli %1, %1 : i64
          yarr.yield %2 : i64
        }
        func.return %r : tensor<i64>
      }"""
    assert build(text)(np.zeros(1000, np.bool)) == wrap(1000**8, 64)


COVERED = {
    *FLOAT_BINARY,
    *FLOAT_UNARY,
    *INT_BINARY,
    *INT_UNARY,
    *UNSIGNED_BINARY,
    *(name for name, *_ in CASTS),
    "arith.bitcast",
    "arith.cmpf",
    "arith.cmpi",
    "arith.constant",
    "arith.fptosi",
    "arith.fptoui",
    "arith.select",
    "arith.shli",
    "arith.shrsi",
    "arith.shrui",
    "math.ctlz",  # tests/agreement/test_leading_zeros.py
    "math.fma",
    "math.fpowi",
}
WITHOUT_LOWERING = {
    "arith.addui_extended",
    "arith.ceildivui",
    "arith.index_cast",
    "arith.mulsi_extended",
    "arith.mului_extended",
    "math.ctpop",
    "math.cttz",
}
"""Operations that no program of the calculus has."""


def test_every_scalar_operation_is_covered():
    dialects = (arith.Arith, math_dialect.Math, sigma.Sigma)
    names = {op.name for dialect in dialects for op in dialect.operations}
    assert names - COVERED == WITHOUT_LOWERING
    assert names >= COVERED
