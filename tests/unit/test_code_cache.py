"""Programs that are equal are compiled once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    accumulate,
    array,
    clear_cache,
    compile,
    fold_sum,
    function,
    grad,
    hessian,
    jvp,
    pipelines,
    value_and_grad,
)
from ein_mlir.code_cache import Code, CodeCache, program_key
from ein_mlir.entry import parse
from ein_mlir.frontend.function import Function
from ein_mlir.pipelines import JAX, NUMPY


def scaled(factor: float) -> Function[..., Any]:
    """A new function each time; its program depends on the factor alone."""
    return function(lambda a: array(lambda i: factor * a[i]))


def test_equal_programs_share_their_code() -> None:
    a = np.arange(3.0)
    clear_cache()
    first, second = (compile(scaled(2.0).phi(a)) for _ in range(2))
    assert first is not second
    assert first._code is second._code
    np.testing.assert_array_equal(first(a), second(a))


def test_other_programs_do_not() -> None:
    a = np.arange(3.0)
    twice, thrice = (compile(scaled(factor).phi(a)) for factor in (2.0, 3.0))
    assert twice._code is not thrice._code
    np.testing.assert_array_equal(thrice(a), 3.0 * a)
    np.testing.assert_array_equal(twice(a), 2.0 * a)


def test_clear_cache_forgets() -> None:
    a = np.arange(3.0)
    before = compile(scaled(5.0).phi(a))
    clear_cache()
    after = compile(scaled(5.0).phi(a))
    assert before._code is not after._code
    np.testing.assert_array_equal(before(a), after(a))


def test_backends_have_their_own() -> None:
    cache, module = CodeCache(), scaled(7.0).phi(np.arange(3.0))
    first = Code(module, "numpy", NUMPY, lambda: module)
    other = Code(module, "jax", JAX, lambda: module)
    assert cache.get(module, "numpy", lambda: first) is first
    assert cache.get(module, "jax", lambda: other) is other
    assert cache.get(module, "numpy", lambda: other) is first


def test_functions_of_the_embedding_program_are_not_shared() -> None:
    text = """
      func.func @f(%x: f64) -> f64 {
        %y = phi.extern @g(%x) : (f64) -> f64
        func.return %y : f64
      }
    """
    up = compile(text, externs={"g": lambda x: x + 1.0})
    down = compile(text, externs={"g": lambda x: x - 1.0})
    assert up._code is down._code
    assert (up(1.0), down(1.0)) == (2.0, 0.0)


PROGRAM = """
  func.func @f(%a: !phi.vec<f64>) -> f64 {{
    %n = phi.size %a, 0 : !phi.vec<f64>
    %zero = arith.constant {start} : f64
    %s = phi.fold (%k < %n, {name} = %zero) -> f64 {{
      %x = phi.get %a[%k] : !phi.vec<f64>[i64]
      %y = arith.{operator} {name}, %x : f64
      phi.yield {yielded} : f64
    }}
    func.return %s : f64
  }}
"""


def program(**changes: str) -> str:
    parts = {"start": "0.0", "name": "%acc", "operator": "addf", "yielded": "%y", **changes}
    return PROGRAM.format(**parts)


@pytest.mark.parametrize(
    "changes",
    [{"start": "1.0"}, {"name": "%sum"}, {"operator": "mulf"}, {"yielded": "%x"}],
    ids=lambda changes: next(iter(changes)),
)
def test_keys_differ_with_programs(changes: dict[str, str]) -> None:
    assert program_key(parse(program())) == program_key(parse(program()))
    assert program_key(parse(program())) != program_key(parse(program(**changes)))


def test_where_an_operation_stands_counts() -> None:
    """The same operations in the same order, once in the loop and once behind it."""
    inside = program().replace("phi.yield %y", "%z = math.absf %x : f64\nphi.yield %y")
    outside = program().replace("%s = phi", "%z = math.absf %zero : f64\n%s = phi")
    assert program_key(parse(inside)) != program_key(parse(outside))


def test_the_oldest_programs_go() -> None:
    cache, made = CodeCache(most=2), list[str]()

    def get(start: str) -> None:
        module = parse(program(start=start))

        def emit() -> Any:
            made.append(start)
            return module

        cache.get(module, "numpy", emit)

    for start in ("0.0", "1.0", "0.0", "2.0", "0.0", "1.0"):
        get(start)
    assert made == ["0.0", "1.0", "2.0", "1.0"]


def test_a_function_with_the_same_text_needs_no_compilation() -> None:
    def sum_of(a: Any) -> Any:
        return fold_sum(lambda k: a[k])

    def again(a: Any) -> Any:
        return fold_sum(lambda k: a[k])

    again.__name__ = "sum_of"
    a = np.arange(4.0)
    first, second = (compile(function(f).phi(a)) for f in (sum_of, again))
    assert first._code is second._code


def squares(a: Any) -> Any:
    return fold_sum(lambda k: a[k] * a[k])


def doubled(a: Any) -> Any:
    return accumulate(lambda i: (0, 2.0 * a[i]), size=1)


@pytest.mark.parametrize(
    "run",
    [
        lambda a: grad(function(squares))(a),
        lambda a: value_and_grad(function(squares))(a),
        lambda a: hessian(function(squares))(a),
        lambda a: jvp(function(squares), (a,), (a,)),
        lambda a: function(doubled)(a),
    ],
    ids=["grad", "value_and_grad", "hessian", "jvp", "accumulate"],
)
def test_derivatives_and_accumulations_of_equal_functions_run_no_passes(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    clear_cache()
    runs = list[Any]()
    passes = pipelines.run_pipeline

    def counted(*args: Any, **options: Any) -> Any:
        runs.append(args)
        return passes(*args, **options)

    monkeypatch.setattr(pipelines, "run_pipeline", counted)
    first = run(np.arange(4.0))
    assert runs
    runs.clear()
    second = run(np.arange(4.0))
    assert not runs
    assert str(second) == str(first)
