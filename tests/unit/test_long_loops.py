"""Long loops of Python warn once for each function, with the text of the explanation."""

from __future__ import annotations

import itertools
import threading
import warnings
from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    EinPerformanceWarning,
    Float,
    Int,
    Vec,
    array,
    fold,
    fold_while,
    function,
    where,
)
from ein_mlir.compiler import CompiledFunction
from ein_mlir.loading import load_source
from ein_mlir.long_loops import MOST_STEPS
from tests.libraries import needs

CHAIN = """
func.func @chain(%a: !phi.vec<f64>) -> f64 {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
    %x = phi.get %a[%k] : !phi.vec<f64>[i64]
    %c = arith.cmpf ogt, %acc, %x : f64
    %y = arith.addf %acc, %x : f64
    %z = arith.select %c, %x, %y : f64
    phi.yield %z : f64
  }
  func.return %s : f64
}"""
REASON = "a step depends on the previous one, and is no sum, product, minimum, ..."


NUMBERS = itertools.count(3)


def new_chain() -> Any:
    """A function with a loop, which no other function has in its emitted code."""

    def chain(a: Vec[Float]) -> Float:
        return fold(0.0, lambda k, acc: where(acc > a[k], a[k] * number, acc + a[k]))

    number = float(next(NUMBERS))
    return function(chain)


def nested(a: Vec[Vec[Float]]) -> Float:
    def inner(k: Int, x: Float) -> Float:
        return fold(x * 1.5, lambda m, y: where(y > a[k, m], y * 0.5, y + a[k, m]))

    return fold(0.0, inner)


def texts(f: Any, *args: Any) -> list[str]:
    """The texts of the warnings of a call."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        f(*args)
    assert all(each.category is EinPerformanceWarning for each in found)
    return [str(each.message) for each in found]


def test_the_limit():
    chain = new_chain()
    assert texts(chain, np.ones(MOST_STEPS)) == []
    (text,) = texts(chain, np.ones(MOST_STEPS + 1))
    assert text.startswith(f"chain: the fold over k takes 10001 steps of Python: {REASON} (at ")
    assert text.endswith("; backend='native' runs it as machine code")


def test_a_function_warns_once():
    chain = new_chain()
    assert len(texts(chain, np.ones(20_000))) == 1
    assert texts(chain, np.ones(20_000)) == []


def test_calls_after_the_warning_count_no_steps():
    source = "def f(n):\n    while n > 0:\n        n = n - 1\n    return n\n"
    f = load_source(source, "f", {}, lambda number, steps: f"{steps} steps")
    assert texts(f, MOST_STEPS) == []
    assert f.__code__.co_varnames == ("n", "<steps 0>")
    assert texts(f, MOST_STEPS + 1) == ["10001 steps"]
    assert f.__code__.co_varnames == ("n",)
    assert f(MOST_STEPS + 1) == 0


def test_the_warning_names_the_line_of_the_call():
    with pytest.warns(EinPerformanceWarning) as found:
        new_chain()(np.ones(20_000))
    assert [each.filename for each in found] == [__file__]


def test_counts_of_nested_loops_are_multiplied():
    assert texts(function(nested), np.ones((100, 100))) == []
    (text,) = texts(function(nested), np.ones((150, 100)))
    assert text.startswith("nested: the fold over m takes 15000 steps of Python: ")


def triangular(a: Vec[Float]) -> Float:
    def inner(k: Int, x: Float) -> Float:
        return fold(x * 1.5, lambda m, y: where(y > a[m], y * 0.5, y + a[m]), count=k)

    return fold(0.0, inner, count=a.size())


def test_counts_that_change_are_compared_in_each_step():
    assert texts(function(triangular), np.ones(100)) == []
    (text,) = texts(function(triangular), np.ones(200))
    assert text.startswith("triangular: the fold over m takes 10200 steps of Python: ")


def test_three_loops_whose_innermost_count_changes():
    """The count of the innermost loop is that of the outermost counter: it is not moved too far."""

    def f(a: Vec[Vec[Float]]) -> Float:
        def inner(k: Int, x: Float) -> Float:
            def innermost(m: Int, y: Float) -> Float:
                return fold(y, lambda p, z: where(z > a[m, p], z * 0.5, z + a[m, p]), count=k)

            return fold(x, innermost, count=a.size(0))

        return fold(0.0, inner, count=a.size(0))

    assert texts(function(f), np.ones((10, 10))) == []
    (text,) = texts(function(f), np.ones((30, 30)))
    assert text.startswith("f: the fold over p takes 10800 steps of Python: ")


def halved(x: Float, limit: Int, n: Int) -> Float:
    """Steps with a condition, in steps without, after such steps."""
    first = fold_while(x, lambda y: y > 1.0, lambda y: y * 0.5, limit=limit)
    return fold(
        first,
        lambda _, z: fold_while(z + x, lambda y: y > 1.0, lambda y: y * 0.5),
        count=n,
    )


def test_a_limit_is_no_number_of_steps():
    f = function(halved)
    assert texts(f, 8.0, 10**6, 2) == []
    assert texts(f, 8.0, 10**6, 2000) == []
    (text,) = texts(f, 8.0, 10**6, 3000)
    assert text.startswith(
        "halved: the fold with a condition takes more than 10000 steps of Python"
    )


def test_the_steps_of_conditions_count():
    def after(y: Float, by: Float) -> Float:
        return where(y > 1.0, y - by, 0.0)  # a difference alone would be searched in blocks

    def f(x: Float, by: Float) -> Float:
        return fold_while(x, lambda y: y > 0.0, lambda y: after(y, by), limit=30_000)

    def without_limit(x: Float, by: Float) -> Float:
        return fold_while(x, lambda y: y > 0.0, lambda y: after(y, by))

    for each in f, without_limit:
        assert texts(function(each), 10_000.0, 1.0) == []
        (text,) = texts(function(each), 10_001.0, 1.0)
        assert ": the fold with a condition takes more than 10000 steps of Python (at " in text


def test_loops_with_a_condition_are_explained():
    f = function(halved)
    within, limited, _ = f.explain(8.0, 7, 5).splitlines()[-3:]
    assert within.startswith("  the fold with a condition takes any number of steps of Python")
    assert limited.startswith("  the fold with a condition takes at most 7 steps of Python")


def test_the_warning_is_an_error_if_the_filter_says_so():
    with pytest.raises(EinPerformanceWarning, match="20000 steps"):
        new_chain()(np.ones(20_000))


def test_the_category_is_easy_to_silence():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EinPerformanceWarning)
        new_chain()(np.ones(20_000))


def test_one_of_many_threads_warns():
    chain, a = new_chain(), np.ones(20_000)
    chain(np.ones(2))
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        threads = [threading.Thread(target=chain, args=(a,)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(found) == 1


def test_sources_have_no_comparison():
    chain = new_chain()
    assert "10000" not in chain.source()
    assert str(MOST_STEPS) not in chain.source(np.ones(20_000))


def test_results_are_the_same():
    a = np.random.default_rng(0).random(20_000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EinPerformanceWarning)
        chain = new_chain()
        np.testing.assert_array_equal(chain(a), chain.native(a))


def test_programs_in_text():
    compiled = compile_text()
    (text,) = texts(compiled, np.ones(20_000))
    assert "the fold over k takes 20000 steps of Python" in text
    assert "(at <string>:5:" in text


def compile_text() -> CompiledFunction:
    from ein_mlir import compile

    return compile(CHAIN)


@needs("torch")
def test_torch():
    import torch

    a = torch.ones(20_000, dtype=torch.float64)
    (text,) = texts(new_chain(), a)
    assert "takes 20000 steps of Python" in text


@needs("jax")
def test_compiled_loops_of_jax_do_not_warn():
    assert texts(new_chain().jax, np.ones(20_000)) == []


@needs("native")
def test_machine_code_does_not_warn():
    assert texts(new_chain().native, np.ones(20_000)) == []


# The explanation ----------------------------------------------------------------------------------


def slow_parts(text: str) -> list[str]:
    """The lines of an explanation about what takes most time."""
    _, _, parts = text.partition("by estimated time:\n")
    return [line.strip() for line in parts.splitlines()]


def gathered(a: Vec[Float], p: Vec[Int], b: Vec[Vec[Float]]):
    def step(k: Int, acc: Float) -> Float:
        return where(acc > a[p[k]], acc * 0.5, acc + a[k])

    return array(lambda i, j: fold(b[i, j], step, count=p.size()) + a[p[i]] + a[i * i])


def test_slow_parts_are_ordered_by_their_cost():
    loop, read, computed = slow_parts(function(gathered).explain())
    assert loop.startswith(f"the fold over k takes b.shape[0] steps of Python: {REASON} (at ")
    assert read.startswith("a[...] gathers b.shape[0] elements (at ")
    assert "views" not in read
    assert computed.endswith("positions that are sums and multiples of indices would be views")


def test_actual_sizes_are_those_of_arguments():
    a, b = np.ones(7), np.ones((100, 5))
    loop, *rest = slow_parts(function(gathered).explain(a, np.zeros(100, int), b))
    assert loop.startswith("the fold over k takes 100 steps of Python")
    assert all("gathers 100 elements" in part for part in rest)


def test_the_order_follows_the_sizes():
    def both(a: Vec[Float], p: Vec[Int], n: Int):
        last = fold(0.0, lambda k, acc: where(acc > 1.0, acc * 0.5, acc + 0.75), count=n)
        return array(lambda i: a[p[i]] + last)

    a, p = np.ones(3), np.zeros(100_000, int)
    first, _ = slow_parts(function(both).explain(a, p, 5))
    assert first.startswith("a[...] gathers 100000 elements")
    first, _ = slow_parts(function(both).explain(a, p, 5000))
    assert first.startswith("the fold over k takes 5000 steps of Python")


def test_nested_loops_multiply():
    inner, outer = slow_parts(function(nested).explain())
    assert inner.startswith("the fold over m takes a.shape[0] * a.shape[1] steps of Python")
    assert outer.startswith("the fold over k takes a.shape[0] steps of Python")


def test_programs_of_whole_arrays_have_no_slow_parts():
    def doubled(a: Vec[Float]):
        return array(lambda i: 2.0 * a[i])

    assert "by estimated time" not in function(doubled).explain()


@needs("jax")
def test_loops_of_jax_are_compiled():
    (loop,) = slow_parts(function(new_chain(), backend="jax").explain())
    assert "takes a.shape[0] steps of a compiled loop" in loop
