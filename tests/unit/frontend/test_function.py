"""Functions that are traced and compiled, and the names that the package exports."""

from __future__ import annotations

import subprocess
import sys
import threading
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np
import pytest

import ein_mlir
from ein_mlir import (
    EinTypeError,
    Float,
    Int,
    ScopeError,
    Vec,
    array,
    fold_sum,
    function,
    grad,
    hessian,
    jvp,
    matrix_type,
    ndarray_type,
    scalar_type,
    tanh,
    vector_type,
    wrap,
)


@function(backend="naive")
def scale(a: Vec[Float], factor: Float, shift=1):
    """Scale and shift."""
    return array(lambda i: factor * a[i] + shift)


def test_arguments_of_every_kind():
    a = np.arange(3.0)
    call: Any = scale
    for result in (
        call(a, 2.0),
        call(a, factor=2),
        call(factor=np.float64(2), a=a, shift=1),
        call(a, 2.0, np.int64(1).astype(float)),
        call(a, np.array(2.0)),
    ):
        assert result.tolist() == [1.0, 3.0, 5.0]
    assert call(a.astype("float32"), 2.0).dtype == np.float32
    assert scale.__doc__ == "Scale and shift."
    assert repr(scale) == "<function scale(a: 'Vec[Float]', factor: 'Float', shift=1) for naive>"


def test_staged_arguments_inline_the_function(phi):
    a = wrap(np.arange(3.0), "a")
    text = phi(scale(a, 2))
    assert "func.call" not in text
    assert "arith.constant 2.0" in text
    assert scale(np.arange(2.0), wrap(2.0)).eval("naive").tolist() == [1.0, 3.0]
    assert scale.eval(a, 2, backend="naive").tolist() == [1.0, 3.0, 5.0]


def test_traced_once_for_each_combination_of_types():
    traced = []

    @function(backend="naive")
    def twice(a):
        traced.append(a)
        return array(lambda i: a[i] + a[i])

    for size in range(4):
        twice(np.ones(size))
    assert len(traced) == 1
    twice(np.ones(3, "float32"))
    twice(np.ones(3, int))
    assert len(traced) == 3
    twice.eval(np.ones(3), backend="naive")
    assert len(traced) == 3


def test_calls_from_several_threads_trace_once():
    traced = []

    @function(backend="naive")
    def slow(a):
        traced.append(threading.get_ident())
        return fold_sum(lambda i: a[i])

    results = []
    threads = [
        threading.Thread(target=lambda k=k: results.append(slow(np.full(k, 1.0))))
        for k in range(1, 9)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(traced) == 1
    assert sorted(results) == list(range(1, 9))


def test_wrapped_arrays_of_the_surroundings_are_inputs():
    table = np.arange(3.0)

    @function(backend="naive")
    def look_up(i):
        return wrap(table)[i]

    assert look_up(1) == 1.0
    table[1] = 7.0
    assert look_up(1) == 7.0


def test_stages_and_source():
    assert "phi.array" in scale.ir("phi", vector_type(), float)
    module = scale.phi(vector_type("f32"), "f32", shift="f32")
    module.verify()
    assert "(%a: !phi.vec<f32>, %factor: f32, %shift: f32) -> !phi.vec<f32>" in str(module)
    assert "func.func @scale(%a: !phi.vec<f64>, %factor: f64, %shift: f64)" in str(scale.phi())
    assert str(scale.phi(np.ones(3), 2)) == str(scale.phi())
    assert "np." not in scale.source(np.ones(3), 2, backend="torch")
    assert "scf.parallel" in scale.source(backend="native")

    @function
    def add(a: Vec[Float], b: Vec[Float]) -> Vec[Float]:
        return array(lambda i: a[i] + b[i])

    assert "def add(a, b" in add.source()


def test_keyword_only_and_fixed_parameters():
    @function(backend="naive")
    def power(x, *, exponent, label=None):
        return x**exponent if label is None else x

    assert power(3, exponent=2) == 9
    assert power(3, exponent=2, label="none") == 3


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: scale(*[]), "scale(a: 'Vec[Float]'"),
        (lambda: scale(np.ones(3), 2.0, q=1), "unexpected keyword argument 'q'"),  # pyright: ignore[reportCallIssue]
        (lambda: scale([1.0], 2.0), "[1.0] is not a valid argument"),
        (
            lambda: scale(np.ones((2, 2)), 2.0),
            "argument a is annotated Vec[Float], but is a Vec[Ve",
        ),
        (lambda: scale(np.ones(3, int), 2.0), "but is a Vec[Int]"),
        (lambda: scale(wrap(np.ones(3, int)), 2.0), "but is a Vec[Int]"),
        (lambda: scale(np.ones(3, "uint64"), 2.0), "arrays of uint64 have no type in Ein"),
        (lambda: function(lambda **xs: xs), "**xs has no fixed number"),
        (lambda: function(lambda x: x).phi(), "the type of the argument x is not known"),
        (lambda: scale.phi(object(), float), "is not the type of a value of Ein"),
    ],
)
def test_mistakes(call, message):
    with pytest.raises(EinTypeError) as error:
        call()
    assert message in str(error.value)


def test_any_number_of_arguments():
    @function(backend="naive")
    def total(first: Vec[Float], *others: Vec[Float], factor=1.0):
        return array(lambda i: factor * (first[i] + sum(other[i] for other in others)))

    a = np.arange(3.0)
    assert total(a).tolist() == [0.0, 1.0, 2.0]
    assert total(a, a, a).tolist() == [0.0, 3.0, 6.0]
    assert total(a, a, factor=2.0).tolist() == [0.0, 4.0, 8.0]
    assert total(wrap(a), a).eval("naive").tolist() == [0.0, 2.0, 4.0]
    with pytest.raises(
        EinTypeError, match=r"the argument others is annotated tuple.Vec.Float.., but"
    ):
        total(a, np.arange(3))


def test_drawings():
    assert str(scale.draw()).startswith("digraph program {")


def test_results_are_checked_too():
    @function(backend="naive")
    def first(a: Vec[Float]) -> Int:
        return a[0]  # pyright: ignore[reportReturnType]

    with pytest.raises(EinTypeError, match="first: the result is annotated Int, but is a Float"):
        first(np.ones(2))


def test_annotations_that_name_nothing_leave_the_others():
    """A name that is imported for type checkers alone, for example."""

    @function(backend="naive")
    def first(a: Vec[Float], label: Label | None = None) -> Float:  # noqa: F821  # pyright: ignore
        del label
        return a[0]

    assert first(np.ones(2)) == 1.0
    assert "first" in first.source(backend="numpy")
    with pytest.raises(EinTypeError, match=r"argument a is annotated Vec\[Float\], but"):
        first(np.ones(2, int))


def test_arguments_do_not_leave_their_function():
    kept = []

    @function(backend="naive")
    def keep(x):
        kept.append(x)
        return x

    keep(1.0)
    with pytest.raises(ScopeError, match="the argument x is used outside of its function"):
        (kept[0] + 1.0).eval("naive")


def test_types_by_name():
    assert str(scalar_type()) == "f64"
    assert str(vector_type(np.int32)) == "!phi.vec<i32>"
    assert str(matrix_type(bool)) == "!phi.vec<!phi.vec<i1>>"
    assert str(ndarray_type(0, "f32")) == "f32"
    assert ndarray_type(3, float) == ndarray_type(3, "float64")


def test_all_public_names_exist():
    for name in ein_mlir.__all__:
        assert hasattr(ein_mlir, name)
    with pytest.raises(AttributeError):
        _ = ein_mlir.nothing


def test_importing_loads_no_compiler_and_no_backend():
    code = "import ein_mlir, sys; print([m for m in ('xdsl', 'torch', 'jax') if m in sys.modules])"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_what_the_key_of_an_argument_does_not_say_is_checked(backend):
    @function(backend=backend)
    def scaled(a: Vec[Float], factor: Float, shift: Int) -> Vec[Float]:
        return array(lambda i: factor * a[i] + shift.float())

    call: Any = scaled
    plain = np.arange(3.0)
    for a in (plain, plain.view(np.recarray), plain.astype(">f8").astype(float)):
        result = call(a, 2.0, 1)
        assert type(result) is np.ndarray
        assert result.tolist() == [1.0, 3.0, 5.0]
    assert call(plain, np.float64(2.0), np.int64(1)).tolist() == [1.0, 3.0, 5.0]
    with pytest.raises(EinTypeError, match="a masked array has no type in Ein"):
        call(np.ma.masked_array([1.0, 2.0]), 2.0, 1)
    with pytest.raises(EinTypeError, match="argument shift: expected an int64 scalar"):
        call(plain, 2.0, 2**63)


@pytest.mark.parametrize("backend", ["naive", "numpy", "native"])
def test_records_of_any_kind_are_arguments(backend):
    @dataclass
    class Line:
        slope: Any
        shift: Any

    class Pair(NamedTuple):
        first: Any
        second: Any

    @function(backend=backend)
    def total(r):
        line, pair = r["line"], r["pair"]
        return array(lambda i: line.slope * pair.first[i] + pair.second[0][i] + line.shift[i])

    v = np.arange(3.0)
    for slope in (2.0, np.float64(2.0), np.array(2.0)):
        for own in (v, v.view(np.recarray)):
            record = {"line": Line(slope, own), "pair": Pair(v, (v, 1))}
            assert cast(Any, total)(record).tolist() == [0.0, 4.0, 8.0]
    with pytest.raises(EinTypeError, match="a masked array has no type in Ein"):
        cast(Any, total)({"line": Line(2.0, np.ma.masked_array(v)), "pair": Pair(v, (v, 1))})
    with pytest.raises(EinTypeError, match="expected an int64 scalar"):
        cast(Any, total)({"line": Line(2.0, v), "pair": Pair(v, (v, 2**63))})


@pytest.mark.parametrize("backend", ["naive", "numpy", "native"])
def test_results_are_records_as_the_function_makes_them(backend):
    @function(backend=backend)
    def results(a):
        b = array(lambda i: a[i] + 1.0)
        return (b, (a[0], {"first": a[1], "pair": (b, a[2])})), array(lambda i: (a[i], b[i]))

    nested, pairs = cast(Any, results)(np.arange(3.0))
    b, (x, named) = nested
    assert type(nested) is type(pairs) is type(named["pair"]) is tuple
    assert (x, named["first"], named["pair"][1]) == (0.0, 1.0, 2.0)
    assert b.tolist() == named["pair"][0].tolist() == pairs[1].tolist() == [1.0, 2.0, 3.0]

    plain = function(lambda a: (a[0], (a[1], array(lambda i: (a[i], 2.0 * a[i])))), backend=backend)
    x, (y, (c, d)) = cast(Any, plain)(np.arange(3.0))
    assert (x, y, c.tolist(), d.tolist()) == (0.0, 1.0, [0.0, 1.0, 2.0], [0.0, 2.0, 4.0])


def test_functions_at_numbers_read_staged_values():
    """In a program, a function of numbers may read values of the program: then it is inlined."""

    def u(w, t):
        return fold_sum(lambda k: tanh(w[k] * t))

    @function
    def slopes(w):
        inner = function(lambda t: u(w, t))
        value, slope = jvp(inner, (0.5,), (2.0,))
        return inner(0.5) + value, slope + grad(inner)(0.5), hessian(lambda t: u(w, t))(0.5)

    w = np.array([0.3, -1.2])
    square = 1.0 - np.tanh(w / 2) ** 2
    expected = 2 * np.tanh(w / 2).sum(), 3 * (w * square).sum()
    *found, second = slopes(w)
    np.testing.assert_allclose(found, expected)
    np.testing.assert_allclose(second, -2 * (w**2 * np.tanh(w / 2) * square).sum())
    kept = []
    function(lambda x: kept.append(x) or x)(1.0)
    with pytest.raises(ScopeError, match="used outside of its function"):
        function(lambda t: kept[0] * t)(1.0)
