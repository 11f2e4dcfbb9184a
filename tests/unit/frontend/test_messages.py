"""Mistakes in Ein programs, and the messages that name what was written and what to write."""

from __future__ import annotations

import math
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import ein_mlir
from ein_mlir import (
    EinAttributeError,
    EinTypeError,
    EinValueError,
    Float,
    Function,
    Int,
    Vec,
    accumulate,
    array,
    concat,
    fold,
    fold_max,
    fold_while,
    function,
    grad,
    scan,
    sort,
    where,
    wrap,
)
from tests.libraries import BACKENDS

ARRAY: Any = array
IMAGINARY: Any = 1j
LARGEST: Any = fold_max
SCAN: Any = scan
SORT: Any = sort
FUNCTION: Any = function
"""The words without their types: a type checker finds some mistakes, too."""

STAGED: Any = wrap(np.ones(3), "a")
MATRIX: Any = wrap(np.ones((2, 2)), "m")


@function
def doubled(a: Vec[Float]):
    return array(lambda i: 2.0 * a[i])


@function
def untyped(a):
    return array(lambda i: 2.0 * a[i])


@dataclass
class Point:
    x: Any
    y: Any


@function
def sums(points: Vec[Point]):
    return array(lambda i: points[i].x + points[i].y)


def calls(value: Any) -> Callable[[], Any]:
    return lambda: doubled(value)


def unmarked_int() -> Any:
    return function(lambda a, n: array(lambda i: a[i] * (2.0 / n), size=n))(np.ones(3), 3)


@function
def endless(n: Int):
    return where(n > 0, endless(n - 1), 0)


RECORDS = np.array([(1.0, 2)], dtype=[("x", "f8"), ("y", "i8")])

MISTAKES: dict[str, tuple[Callable[[], Any], str]] = {
    # Arguments
    "masked array": (calls(np.ma.masked_array([1.0], [True])), "a masked array has no type in Ein"),
    "masked array, untyped": (lambda: untyped(np.ma.masked_array([1.0])), "np.ma.getmaskarray(a)"),
    "recarray": (calls(RECORDS.view(np.recarray)), "give a record of its fields"),
    "structured array": (calls(RECORDS), "for name in ['x', 'y']"),
    "objects": (calls(np.array([1, "a"], dtype=object)), "arrays of object have no type in Ein"),
    "complex numbers": (calls(np.array([1j])), "is annotated Vec[Float], but is a Vec[Complex"),
    "str": (calls("abc"), "doubled: the argument a is annotated Vec[Float], but is 'abc'"),
    "None": (calls(None), "doubled: the argument a is annotated Vec[Float], but is None"),
    "list": (calls([1.0, 2.0]), "write np.array(...) for a list"),
    "set": (calls({1}), "{1} is not a valid argument"),
    "ragged lists": (lambda: wrap([[1, 2], [3]]), "lists in a list have different lengths"),
    "lists of strings": (lambda: wrap(["a"]), "arrays of <U1 have no type in Ein"),
    # Functions of NumPy and of math
    "np.sin of a scalar": (lambda: np.sin(STAGED[0]), "np.sin needs concrete values, and"),
    "np.sin names ours": (lambda: np.sin(STAGED[0]), "write sin of ein_mlir, or .numpy()"),
    "np.arctan2": (lambda: np.arctan2(STAGED[0], 1.0), "write atan2 of ein_mlir"),
    "np.sin of a vector": (lambda: np.sin(STAGED), "np.sin needs concrete values"),
    "np.sum": (
        lambda: np.sum(STAGED),
        "np.sum needs concrete values, and these are staged: write ",
    ),
    "np.sum names ours": (lambda: np.sum(STAGED), "write fold_sum(lambda i: a[i])"),
    "np.add.reduce": (lambda: np.add.reduce(STAGED), "write fold_sum(lambda i: a[i])"),
    "np.mean": (lambda: np.mean(MATRIX), "fold_sum(lambda i: a[i]) / a.size().float()"),
    "np.dot": (lambda: np.dot(STAGED, STAGED), "fold_sum(lambda k: a[k] * b[k])"),
    "np.where": (lambda: np.where(STAGED[0] > 0, 1.0, 2.0), "write where(condition, a, b)"),
    "np.maximum": (lambda: np.maximum(STAGED[0], 1.0), "write max of ein_mlir"),
    "np.add": (lambda: np.add(STAGED[0], 1.0), "write `x + y`"),
    "np.sort": (lambda: np.sort(STAGED), "np.sort needs concrete values"),
    "math.sin": (lambda: math.sin(STAGED[0]), "math.sin() needs a concrete value"),
    "math.floor": (lambda: math.floor(STAGED[0]), "write floor of ein_mlir"),
    # Operators
    "vector > number": (lambda: STAGED > 0, "as in array(lambda i: a[i] > b[i])"),
    "- vector": (lambda: -STAGED, "as in array(lambda i: -a[i])"),
    "abs of a vector": (lambda: abs(STAGED), "as in array(lambda i: abs(a[i]))"),
    "matrix @ matrix": (lambda: MATRIX @ MATRIX, "fold_sum(lambda k: a[i, k] * b[k, j])"),
    "array + vector": (lambda: np.ones(3) + STAGED, "as in array(lambda i: a[i] + b[i])"),
    "array + scalar": (lambda: np.ones(3) + STAGED[0], "operators act on scalars, not on arrays"),
    "scalar == None": (lambda: STAGED[0] == None, "==: expected a scalar or a number, not None"),  # noqa: E711
    "scalar != None": (lambda: STAGED[0] != None, "!=: expected a scalar or a number, not None"),  # noqa: E711
    "scalar == str": (lambda: STAGED[0] == "x", "==: expected a scalar or a number, not 'x'"),
    # Functions and methods of other libraries, in their order
    "vector.exp()": (
        lambda: STAGED.exp(),
        "write it for each element, as in array(lambda i: a[i].",
    ),
    "matrix.arcsin()": (lambda: MATRIX.arcsin(), "array(lambda i, j: a[i, j].asin())"),
    "vector.at": (
        lambda: STAGED.at[0].set(1.0),
        "write array(lambda i: where(i == position, value",
    ),
    "clip without ends": (lambda: STAGED[0].clip(), "a low or a high end, as in x.clip(0.0, 1.0)"),
    "scan of JAX": (
        lambda: SCAN(lambda x, y: x + y, 0.0, STAGED),
        "scan: the vector comes before the function, as in scan(a, ..)",
    ),
    "filter of Python": (lambda: ein_mlir.filter(bool, STAGED), "filter: the vector comes before"),
    "sort of Python": (lambda: SORT(STAGED, reverse=True), "as in sort(a, key=lambda x: -x)"),
    "sum along an axis": (lambda: LARGEST(MATRIX, axis=0), "array(lambda i: fold_max(.. a[i] ..))"),
    "& beside comparisons": (
        lambda: STAGED[0] > 2 & STAGED[1] < 5,
        "bind more tightly than comparisons: write (STAGED[0] > 2) & (STAGED[1] < 5)",
    ),
    "| before a comparison": (
        lambda: STAGED[0] | STAGED[1] < 5.0,
        "bind more tightly than comparisons: write STAGED[0] | (STAGED[1] < 5.0)",
    ),
    "values of a maximum": (lambda: LARGEST(STAGED), "as in fold_max(lambda i: a[i]), not Vec"),
    "gradient of an option": (
        lambda: grad(lambda by, x: x)("sum", 1.0),
        "argument 0 is 'sum', and only Floats have derivatives; argnums chooses other arguments",
    ),
    "a complex sum from a Float": (
        lambda: fold(STAGED[0], lambda k, z: z + IMAGINARY, count=2),
        "write `x + 0j` for its initial value x",
    ),
    # Sizes
    "two sizes, one index": (
        lambda: ARRAY(lambda i: 0.0, size=(3, 4)),
        "the index i needs 1 size, not 2: size=n_i; for 2 sizes name 2 indices",
    ),
    "one size, two indices": (lambda: ARRAY(lambda i, j: 0.0, size=3), "size=(n_i, n_j)"),
    "ragged size": (
        lambda: array(lambda i: array(lambda j: STAGED[j], size=i)),
        "take the largest one, and choose with where(j < n, ..., 0.0)",
    ),
    "a Float as a size": (unmarked_int, "as in 2.0 / n; annotate it, n: Int"),
    # Functions
    "function(np.sin)": (lambda: FUNCTION(np.sin), "function: np.sin is not a Python function"),
    "function(3)": (lambda: FUNCTION(3), "function: expected a Python function, not 3"),
    "function(int)": (lambda: FUNCTION(int), "function: expected a Python function, not int"),
    "endless recursion": (lambda: endless(3), "where() evaluates both branches"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_message(name: str):
    mistake, expected = MISTAKES[name]
    with pytest.raises((EinTypeError, EinValueError, EinAttributeError)) as error:
        mistake()
    assert expected in str(error.value)
    assert f"{__file__}:" in str(error.value)


@pytest.mark.parametrize("text", ["1 if x > 0 else 2", "0 < x < 1", "x > 0 and x < 1"])
def test_a_construct_without_source_has_advice_on_all(text: str):
    with pytest.raises(EinTypeError, match=r"chains of comparisons need.*where\(condition, a, b\)"):
        eval(text, {"x": wrap(1.0)})


def test_an_operand_without_source_is_that_of_a_side():
    with pytest.raises(EinTypeError, match=r"write `x.float\(\)` for the right operand x"):
        eval("x + n", {"x": STAGED[0], "n": STAGED.size()})


def test_numpy_scalars_on_the_left():
    """NumPy asks its own operators first; the result is that of ours."""
    x, y, n = wrap(3.0), np.float64(2.0), wrap(5)
    for value, expected in (
        (y + x, 5.0),
        (y - x, -1.0),
        (y * x, 6.0),
        (y / x, 2.0 / 3.0),
        (y**x, 8.0),
        (y % x, 2.0),
        (np.int64(17) // n, 3),
        (np.int64(6) & n, 4),
        (y < x, True),
        (y >= x, False),
        (y == x, False),
        (np.int64(5) == n, True),
    ):
        assert value.eval("naive") == pytest.approx(expected)


def test_a_record_of_arrays_is_an_example_of_an_array_of_records():
    points = Point(np.ones(2), np.ones(2))
    np.testing.assert_array_equal(sums(points), [2.0, 2.0])
    assert "return" in sums.source(points)
    assert "phi.array" in sums.ir("phi", points)
    assert sums.explain(points)


class Scaled:
    def __init__(self, factor: float):
        self.factor = factor

    @function
    def scale(self, a: Vec[Float]):
        return array(lambda i: self.factor * a[i])


def test_methods():
    scaled = Scaled(3.0)
    np.testing.assert_array_equal(scaled.scale(np.ones(2)), [3.0, 3.0])
    scaled.factor = 4.0
    np.testing.assert_array_equal(scaled.scale(np.ones(2)), [4.0, 4.0])
    assert isinstance(Scaled.scale, Function)


def test_an_error_of_the_program_has_its_lines_alone():
    def element(i):
        return a[i] + {}["missing"]

    a = wrap(np.ones(2), name="a")
    with pytest.raises(KeyError) as error:
        function(lambda: array(element)).numpy()
    names = [frame.name for frame in traceback.extract_tb(error.value.__traceback__)]
    assert names[-2:] == ["<lambda>", "element"]
    assert "array_named" not in names


def test_arithmetic_on_a_method_has_a_note():
    def rest(a: Any):
        return array(lambda i: a[i], size=a.size - 1)

    with pytest.raises(TypeError, match="'method' and 'int'") as error:
        function(rest)(np.ones(3))
    assert error.value.__notes__ == ["a method is called, as in a.size()"]


def test_a_value_in_an_f_string_is_its_type():
    a = wrap(np.ones(2), name="a")
    assert f"{array(lambda i: a[i] + 1)}, {a[0] + 1}" == "<Vec[Float], rank 1>, <Float>"


def add(a, b):
    return array(lambda i: a[i] + b[i])


def twice(a, b):
    first = array(lambda i: a[i] + b[i])
    second = array(lambda i: a[i] - b[i])
    return first, second


def few(a, b):
    return fold(b[0], lambda k, acc: acc * 0.5 + a[0], count=a.size() - b.size())


def line(f: Callable[..., Any], number: int) -> str:
    return f"{f.__code__.co_filename}:{f.__code__.co_firstlineno + number}"


def joined(a, b):
    return concat(array(lambda i, j: a[j], size=(2, a.size())), array(lambda i: b, size=3))


def accumulated(a, b):
    return accumulate(lambda i: (a[i].int(), a[i]), size=a.size() - b.size())


def limited(a, b):
    return fold_while(a[0], lambda x: x < 3.0, lambda x: x + 1.0, limit=a.size() - b.size())


def grown(a, _):
    return fold_while(a, lambda x: x[0] < 3.0, lambda x: concat(x, x))


SIZES = "index i: size of a along axis 0 and size of b along axis 0: 3 != 4"


@pytest.mark.parametrize("backend", ["naive", *BACKENDS])
@pytest.mark.parametrize(
    ("f", "message"),
    [
        (add, f"{SIZES} (at {line(add, 1)})"),
        (twice, f"{SIZES} (at {line(twice, 1)}) or (at {line(twice, 2)})"),
        (few, f"count of k is negative: -1 (at {line(few, 1)})"),
        (joined, f"concat: sizes along axis 1 differ: 3 != 4 (at {line(joined, 1)})"),
        (accumulated, f"size 0 of the accumulation is negative: -1 (at {line(accumulated, 1)})"),
        (limited, f"limit of steps is negative: -1 (at {line(limited, 1)})"),
        (grown, f"while: a step changes the size along axis 0: 3 != 6 (at {line(grown, 1)})"),
    ],
)
def test_sizes_that_a_call_finds_have_the_lines_of_the_program(
    backend: str, f: Callable[..., Any], message: str
):
    a, b = np.ones(3), np.ones(4)
    with pytest.raises(EinValueError) as error:
        function(f, backend=backend)(a, b)
    assert str(error.value) == message
    assert error.value.__suppress_context__
    with pytest.raises(EinValueError) as error:
        function(f).eval(a, b, backend=backend)
    assert str(error.value) == message
    if f is add:
        with pytest.raises(EinValueError) as error:
            f(wrap(a, name="a"), wrap(b, name="b")).eval(backend)
        assert str(error.value) == message
