"""array, fold, reduce, where, concat, wrap."""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    Bool,
    EinTypeError,
    Float,
    Int,
    Scalar,
    ScopeError,
    Vec,
    array,
    concat,
    fold,
    fold_all,
    fold_any,
    fold_argmax,
    fold_argmin,
    fold_max,
    fold_min,
    fold_prod,
    fold_sum,
    reduce_all,
    reduce_any,
    reduce_argmax,
    reduce_argmin,
    reduce_max,
    reduce_min,
    reduce_prod,
    reduce_sum,
    where,
    wrap,
)


def test_array_has_an_index_for_each_parameter(phi):
    cube = array(lambda i, j, k: 100 * i + 10 * j + k, size=(2, 3, 4))
    expected = np.fromfunction(lambda i, j, k: 100 * i + 10 * j + k, (2, 3, 4))
    np.testing.assert_array_equal(cube.eval("naive"), expected)
    assert phi(cube).count("phi.array") == 1
    assert isinstance(cube, Vec)
    assert isinstance(cube[0, 0, 0], Int)


def test_parameters_with_defaults_are_the_users(v):
    tables = [array(lambda i, k=k: v[i] * k) for k in range(3)]
    assert tables[2].eval("naive").tolist() == [3.0, -4.0, 8.0]


def test_functions_of_other_kinds(v):
    def scaled(factor, i):
        return v[i] * factor

    assert array(functools.partial(scaled, 2.0)).eval("naive").tolist() == [3.0, -4.0, 8.0]
    assert v.reduce(0.0, operator.add).eval("naive") == 3.5


def test_elements_may_be_numbers():
    assert array(lambda i: 1, size=2).eval("naive").dtype == np.int64
    assert array(lambda i: 0.5, size=2).eval("naive").dtype == np.float64
    assert array(lambda i: i > 1, size=3).eval("naive").tolist() == [False, False, True]
    assert array(lambda i: np.float32(1), size=2).eval("naive").dtype == np.float32


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_float_literals_as_elements_take_the_width_of_their_partners(dtype: str) -> None:
    a = wrap(np.array([1, 2, 3], dtype), "a")
    zeros = array(lambda i: 0.0, size=a.size())
    chosen = array(lambda i: a[i] * where(i > 0, 2.0, 0.5))
    total = fold(zeros, lambda k, v: array(lambda i: v[i] + a[k]), count=a.size())
    for value, expected in ((chosen, [0.5, 4, 6]), (total, [6, 6, 6])):
        np.testing.assert_array_equal(value.eval("naive"), np.array(expected, dtype), strict=True)


def test_float_literals_without_a_partner_are_of_64_bits() -> None:
    assert array(lambda i: 0.0, size=2).eval("naive").dtype == np.float64
    assert where(wrap(True), 1.0, 0).eval("naive").dtype == np.float64


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: array(3), "is a function, as in array(lambda i: ...), not int"),  # pyright: ignore[reportCallIssue, reportArgumentType]
        (lambda: array(lambda: 1), "has at least one parameter"),  # pyright: ignore[reportCallIssue, reportArgumentType]
        (lambda: array(lambda *indices: 1), "names each of its parameters"),
        (lambda: array(lambda *, i: 1), "takes its parameters by position"),  # pyright: ignore[reportCallIssue, reportArgumentType]
        (lambda: array(lambda i, j: 1, size=3), "the indices i, j need 2 sizes, not 1"),  # pyright: ignore[reportCallIssue, reportArgumentType]
        (lambda: array(lambda i: None, size=3), "not None: is a `return` missing?"),
        (lambda: array(lambda i: np.ones(3), size=3), "not an array: wrap() it"),
        (lambda: array(lambda i: "x", size=3), "not str"),
        (lambda: fold(0, lambda k: k), "the step of fold() has 2 parameters"),  # pyright: ignore[reportCallIssue, reportArgumentType]
        (lambda: fold_sum(lambda: 1), "the summand of fold_sum() has at least one parameter"),  # pyright: ignore[reportArgumentType]
        (lambda: fold_sum(lambda i, j: i, count=3), "the counters i, j need 2 counts, not 1"),
        (lambda: reduce_sum(lambda i: i, count=(2, 3)), "the counter i needs 1 count, not 2"),
        (lambda: fold_argmin(lambda i, j: i + j, count=2), "the key of fold_argmin() has 1"),  # pyright: ignore[reportCallIssue, reportArgumentType]
    ],
)
def test_mistakes(make, message):
    with pytest.raises(EinTypeError) as error:
        make()
    assert message in str(error.value)


# fold


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
@pytest.mark.parametrize("init", [0, 1])
def test_literals_take_the_type_that_the_step_needs(dtype, init):
    a = wrap(np.array([1, 2, 3], dtype), "a")
    for step in (
        lambda k, acc: acc + a[k],
        lambda k, acc: a[k] - acc,
        lambda k, acc: where(a[k] > acc, a[k], acc),
        lambda k, acc: (acc * 2 - acc).max(0) + a[k],
        lambda k, acc: acc + fold(acc, lambda j, inner: inner + a[j] * 0),
    ):
        result = fold(init, step, count=3)
        assert result.eval("naive").dtype == dtype


def test_literals_without_a_partner():
    assert fold(1, lambda k, acc: acc * 2, count=10).eval("naive") == 1024
    assert isinstance(fold(1, lambda k, acc: acc * 2, count=10), Int)
    assert isinstance(fold(0, lambda k, acc: acc / 2 + 1, count=3), Float)
    assert isinstance(fold(0, lambda k, acc: acc + 0.5, count=3), Float)
    assert isinstance(fold(False, lambda k, acc: ~acc, count=3), Bool)
    assert isinstance(fold(0, lambda k, acc: acc.sin(), count=3), Float)
    assert fold(0, lambda k, acc: acc | k, count=3).eval("naive") == 3


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_float_literals_in_a_fold_take_the_width_of_the_partners_of_its_result(dtype: str) -> None:
    a = wrap(np.array([1, -2, 3], dtype), "a")
    count = fold_sum(lambda k: where(a[k] > 0, 1.0, 0.0))
    powers, steps = fold((1.0, 0), lambda k, acc: (acc[0] * 2, acc[1] + 1), count=3)
    nested = fold(0.0, lambda k, s: s + fold(0.5, lambda j, t: t * 2, count=k), count=2)
    for value, expected in ((count * a[0], 2), (a[0] - powers, -7), (a[2] * nested, 4.5)):
        assert value.eval("naive") == expected
        assert value.eval("naive").dtype == dtype
    assert steps.eval("naive").dtype == np.int64


def test_a_fold_of_literals_has_one_width() -> None:
    half = fold(1.0, lambda k, acc: acc / 2, count=1)
    assert half.eval("naive").dtype == np.float64
    assert (wrap(np.float32(3)) * half).eval("naive") == 1.5
    with pytest.raises(EinTypeError, match=r"Float \(f64\) \* Float \(f32\)"):
        _ = wrap(np.float64(3)) * half


def test_an_accumulator_in_a_position_is_an_int(v):
    assert fold(0, lambda k, acc: where(v[acc] > 0, acc + 1, acc), count=5).eval("naive") == 1


def test_records_of_literals():
    a = wrap(np.array([1, 2, 3], "float32"), "a")
    total, count = fold((0, 0), lambda k, acc: (acc[0] + a[k], acc[1] + 1))
    assert (total.eval("naive").dtype, count.eval("naive").dtype) == (np.float32, np.int64)
    result = fold({"x": 0, "y": 1}, lambda k, acc: {"y": acc["x"], "x": acc["y"]}, count=3)
    assert (result["x"].eval("naive"), result["y"].eval("naive")) == (1, 0)


def _twice(k: Any, acc: Any) -> Any:
    return acc, acc


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda v, n: fold(n[0], lambda k, acc: v[k]),
            "the accumulator acc changes its type: Int before a step, Float after it",
        ),
        (
            lambda v, n: fold({"x": (0, n[0])}, lambda k, s: {"x": (s["x"][0], v[k])}),
            "the accumulator s['x'][1] changes its type: Int before a step, Float after it",
        ),
        (
            lambda v, n: fold(v, lambda k, acc: v[k]),
            "the accumulator acc changes its type: Vec[Float] before a step, Float after it",
        ),
        (lambda v, n: fold(0, lambda k, acc: v[k] > 0), "Int before a step, Bool after it"),
        (lambda v, n: fold(0, _twice, count=1), "tuple[Int, Int] after it"),
        (
            lambda v, n: fold(2**40, lambda k, acc: acc + wrap(np.int32(1)), count=1),
            "does not fit Int",
        ),
        (lambda v, n: fold(0.5, lambda k, acc: acc + n[k]), "Float + Int: operands must have"),
    ],
)
def test_accumulators_keep_their_type(v, n, make, message):
    with pytest.raises(EinTypeError) as error:
        make(v, n)
    assert message in str(error.value)


# reductions

DATA = np.array([3.0, -1.0, 4.0, -1.0])
REDUCTIONS = [
    (fold_sum, reduce_sum, np.sum),
    (fold_prod, reduce_prod, np.prod),
    (fold_min, reduce_min, np.min),
    (fold_max, reduce_max, np.max),
    (fold_argmin, reduce_argmin, np.argmin),
    (fold_argmax, reduce_argmax, np.argmax),
]


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
@pytest.mark.parametrize(("folded", "reduced", "reference"), REDUCTIONS)
def test_reductions(folded, reduced, reference, dtype):
    data = DATA.astype(dtype)
    a = wrap(data, "a")
    for reduction in (folded, reduced):
        result = reduction(lambda i: a[i]).eval("naive")
        assert result == reference(data)
        assert result.dtype == (np.int64 if "arg" in reduction.__name__ else dtype)


@pytest.mark.parametrize(
    ("reduction", "expected"),
    [
        *[(f, 0) for f in (fold_sum, reduce_sum, fold_argmin, reduce_argmin, fold_argmax)],
        *[(f, 1) for f in (fold_prod, reduce_prod)],
        *[(f, np.inf) for f in (fold_min, reduce_min)],
        *[(f, -np.inf) for f in (fold_max, reduce_max)],
    ],
)
def test_reductions_of_nothing(reduction, expected):
    a = wrap(np.zeros(0), "a")
    assert reduction(lambda i: a[i]).eval("naive") == expected


@pytest.mark.parametrize("dtype", ["float32", "int64"])
@pytest.mark.parametrize("shape", [(2, 3), (1, 1), (0, 3), (3, 0)])
@pytest.mark.parametrize(
    ("reduction", "reference"), [(f, ref) for *both, ref in REDUCTIONS[:2] for f in both]
)
def test_several_counters(reduction, reference, shape, dtype):
    data = np.arange(1, np.prod(shape) + 1).reshape(shape).astype(dtype)
    a = wrap(data, "a")
    result = reduction(lambda i, j: a[i, j]).eval("naive")
    assert result == reference(data)
    assert result.dtype == dtype
    assert reduction(lambda i, j: a[i, j], count=shape).eval("naive") == reference(data)
    assert reduction(lambda i, j: a[i, j], count=(None, shape[1])).eval("naive") == result


def test_counters_nest():
    a = wrap(DATA, "a")
    assert fold_sum(lambda i, j, k: i * j * k, count=(2, 3, 4)).eval("naive") == 18
    assert reduce_max(lambda i, j: a[i] * a[j]).eval("naive") == 16
    assert fold_any(lambda i, j: a[i] + a[j] == 7.0).eval("naive")
    assert not fold_all(lambda i, j: a[i] <= a[j]).eval("naive")


def test_extremes_of_no_ints():
    a = wrap(np.zeros(0, "int32"), "a")
    assert fold_min(lambda i: a[i]).eval("naive") == 2**31 - 1
    assert reduce_max(lambda i: a[i]).eval("naive") == -(2**31)


@pytest.mark.parametrize("data", [[], [True], [False, True], [False]])
def test_truth(data):
    a = wrap(np.array(data, bool), "a")
    for any_, all_ in ((fold_any, fold_all), (reduce_any, reduce_all)):
        assert any_(lambda i: a[i]).eval("naive") == any(data)
        assert all_(lambda i: a[i]).eval("naive") == all(data)


def test_reduce_of_records_and_vectors(a, phi):
    pairs = array(lambda i: {"value": a[i, 0], "at": i})
    best = pairs.reduce(
        {"value": float("inf"), "at": 0}, lambda x, y: where(x["value"] < y["value"], x, y)
    )
    assert best["at"].eval("naive") == 0
    zeros = array(lambda j: 0.0, size=4)
    sums = a.reduce(zeros, lambda x, y: array(lambda j: x[j] + y[j]))
    np.testing.assert_array_equal(sums.eval("naive"), np.arange(12.0).reshape(3, 4).sum(0))
    assert "by { arith.addf }" in phi(a[0].reduce(0, lambda x, y: x + y))


def test_reduce_mistakes(v):
    with pytest.raises(EinTypeError, match="the elements are Float, but the identity is Int"):
        v.reduce(wrap(0), lambda x, y: x)
    with pytest.raises(EinTypeError, match="but the result of the function is Bool"):
        v.reduce(0, lambda x, y: x > y)


# where, concat, wrap


def test_where_chooses_fields_and_elements(v, a):
    yes, no = v[0] > 0, v[0] < 0
    chosen = where(yes, {"x": v[0], "y": (1, v)}, {"y": (2, v), "x": 0})
    assert chosen["x"].eval("naive") == 1.5
    assert chosen["y"][0].eval("naive") == 1
    assert where(no, a, array(lambda i, j: a[i, j] + 1)).eval("naive")[0, 0] == 1.0
    assert where(yes, 1, 0.5).eval("naive") == 1.0
    assert where(True, v[0], 2).eval("naive") == 1.5
    with pytest.raises(ValueError, match="3 != 4"):
        where(yes, v, a[0]).eval("naive")


@pytest.mark.parametrize(
    ("branches", "message"),
    [
        (lambda v, a: (v, a), "different ranks: Vec[Float] and Vec[Vec[Float]]"),
        (lambda v, a: (v, 1), "different types: Vec[Float] and Int"),
        (lambda v, a: ((1, 2), 1), "different types: tuple[Int, Int] and Int"),
        (lambda v, a: ((1, 2), {"x": 1}), "different records: tuple[Int, Int] and {x: Int}"),
    ],
)
def test_where_mistakes(v, a, branches, message):
    with pytest.raises(EinTypeError) as error:
        where(v[0] > 0, *branches(v, a))
    assert message in str(error.value)


def test_sizes_of_long_and_doubled_concatenations():
    v = wrap(np.ones(1))
    doubled = v
    for _ in range(40):
        doubled = concat(doubled, doubled)
    assert doubled.size().eval("naive") == 2**40
    assert concat(*[v] * 2000).size().eval("naive") == 2000


def test_concat(v, a, n):
    assert concat(v, v[:1], v).eval("naive").shape == (7,)
    assert concat(a, a).eval("naive").shape == (6, 4)
    with pytest.raises(EinTypeError, match=r"different types: Vec\[Float\], Vec\[Int\]"):
        concat(v, n)
    with pytest.raises(EinTypeError, match="concat: expected a vector, not Float"):
        concat(v, v[0])


def test_wrap():
    data = np.ones(2)
    a = wrap(data)
    doubled = array(lambda i: 2 * a[i])
    data[0] = 5.0
    assert doubled.eval("naive").tolist() == [10.0, 2.0], "wrapped arrays are read when evaluated"
    assert wrap(a) is a
    assert isinstance(wrap(True), Bool)
    assert isinstance(wrap(np.array(3)), Int)
    assert wrap([[1, 2]]).eval("naive").shape == (1, 2)
    record = wrap({"x": data, "y": (1, 2.0)})
    assert isinstance(record["x"], Vec)
    assert isinstance(record["y"][1], Float)
    with pytest.raises(EinTypeError, match=r"arrays of uint64 have no type.*astype"):
        wrap(np.ones(3, "uint64"))
    with pytest.raises(EinTypeError, match="not str"):
        wrap("x")
    with pytest.raises(EinTypeError, match=r"Float is a type of staged values; write wrap\(2.0\)"):
        Float(2.0)  # pyright: ignore[reportArgumentType]


# Staging


REFUSED = {
    "where(v[0] > 0, 1, 2)": lambda v: 1 if v[0] > 0 else 2,
    "write .float() to convert, or .eval()": lambda v: float(v[0]),
    "write .int() to convert, or .eval()": lambda v: int(v[0]),
    "write .size(axis)": lambda v: len(v),
    "fold_any(lambda i: a[i] == x)": lambda v: 1.0 in v,
    "array(lambda i: ... a[i] ...) for each element": lambda v: list(v),
    "count=v.size()) for a loop": lambda v: range(v.size()),
    "write wrap(v.shape)[v.size()]": lambda v: v.shape[v.size()],
    "complex() needs": lambda v: complex(v[0]),
    "wrap() the array": lambda v: np.ones(3)[v.size()],
    "write .numpy()": lambda v: np.asarray(v),
    "values do not change": lambda v: v.__setitem__(0, 1),
}


@pytest.mark.parametrize("instead", REFUSED)
def test_python_control_flow_is_refused_with_advice(v, instead):
    with pytest.raises(EinTypeError) as error:
        REFUSED[instead](v)
    assert instead in str(error.value)


def test_escaped_variables_are_named(v):
    escaped: list[Scalar] = []
    array(lambda i: escaped.append(i) or v[i])
    fold(0, lambda k, acc: escaped.append(acc) or acc + v[k])
    with pytest.raises(
        ScopeError, match=r"the index i of the array\(...\) at .*: *\d+ is used out"
    ):
        (escaped[0] + 1).eval("naive")
    with pytest.raises(ScopeError, match="the accumulator acc of the fold"):
        array(lambda j: v[j] + escaped[1]).eval("naive")
    assert repr(escaped[0]) == "<Int> i"


def test_repr_shows_type_rank_and_program(a, v):
    text = repr(array(lambda i: a[i]))
    assert text.startswith("<Vec[Vec[Float]], rank 2>\nfunc.func @program(%a: ")
    assert "phi.array (%i < " in text
    seen = []
    array(lambda i: seen.append(repr(v[i] + 1)) or v[i])
    assert "%i: i64" in seen[0] or "%i: index" in seen[0]


def test_repr_of_large_programs_is_short(v):
    total = v[0]
    for _ in range(200):
        total = total.sin()
    assert "more lines" in repr(total)
    for _ in range(200):
        total = total.sin()
    assert repr(total) == "<Float> with a program of more than 300 operations"
