"""Properties of whole pipelines: the time of passes, and the programs that they accept."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.passes import ModulePass

import ein_mlir as ein
from ein_mlir import EinTypeError, EinValueError, array, fold, fold_sum, fold_while, function, where
from ein_mlir.passes.common.simplify import SimplifyPass
from ein_mlir.pipelines import PIPELINES, run_pipeline
from tests.detached import assert_whole


def chain(length: int) -> Callable[[Any], Any]:
    """A program with a long chain of operations on each element."""

    def program(a: Any) -> Any:
        def element(i: Any) -> Any:
            x = a[i]
            for k in range(length):
                x = (x + float(k)) * a[i]
            return x

        return array(element)

    return program


def loops(count: int) -> Callable[[Any], Any]:
    """A program with many loops in sequence, whose steps are arrays."""

    def program(a: Any) -> Any:
        for k in range(count):
            a = fold(
                a, lambda t, x, k=k: array(lambda i: x[x[i].int()] * (k + 2) + x[t]), count=a.size()
            )
        return a

    return program


def steps(length: int) -> Callable[[Any], Any]:
    """A program with a long chain of operations in the step of a loop."""
    return lambda a: fold(a, lambda k, x: chain(length)(x), count=2)


def fields(count: int) -> Callable[[Any], Any]:
    """A loop over a record of many scalars, each of which depends on the one before."""

    def step(x: Any, k: Any, record: Any) -> Any:
        return tuple(record[n - 1] + x[k] * float(n) for n in range(count))

    def program(a: Any) -> Any:
        start = tuple(a[0] + float(n) for n in range(count))
        return sum(fold(start, lambda k, record: step(a, k, record), count=a.size()))

    return program


def choices(length: int) -> Callable[[Any], Any]:
    """A chain of choices between two numbers, each of which reads both."""

    def program(a: Any) -> Any:
        def element(i: Any) -> Any:
            x, y = a[i], a[0]
            for k in range(length):
                x, y = where(x > y, x, y), where(y < float(k), y, x)
            return x + y

        return array(element)

    return program


def positions(length: int) -> Callable[[Any], Any]:
    """A chain of extremes of two positions in a sum for each row."""

    def program(a: Any) -> Any:
        def term(i: Any, k: Any) -> Any:
            x, y = i, k
            for _ in range(length):
                x, y = ein.min(x, ein.max(x, y)), ein.min(y, ein.max(y, x))
            return a[x] * a[y]

        n = a.size()
        return array(lambda i: fold_sum(lambda k: term(i, k), count=n), size=n)

    return program


def squares(length: int) -> Callable[[Any], Any]:
    """A sum for each row of numbers that are squared again and again."""

    def program(a: Any) -> Any:
        def term(i: Any, k: Any) -> Any:
            x = a[i] + a[k]
            for _ in range(length):
                x = x * x * 0.9
            return x

        n = a.size()
        return array(lambda i: fold_sum(lambda k: term(i, k), count=n), size=n)

    return program


def shifts(length: int) -> Callable[[Any], Any]:
    """A sum for each row, at positions that are sums of two others again and again."""

    def program(a: Any) -> Any:
        def term(i: Any, k: Any) -> Any:
            x, y = i, k
            for _ in range(length):
                x, y = x + y, x - 1
            return a[x] * a[y]

        n = a.size()
        return array(lambda i: fold_sum(lambda k: term(i, k), count=n), size=n)

    return program


def bounds(length: int) -> Callable[[Any], Any]:
    """A sum for each row, whose count is a chain of extremes of two numbers."""

    def program(a: Any) -> Any:
        def total(i: Any) -> Any:
            x, y = i, a.size()
            for k in range(length):
                x, y = ein.min(x + 1, y), ein.max(y - k, x)
            return fold_sum(lambda k: a[k], count=ein.max(x, 0))

        return array(total, size=a.size())

    return program


def halvings(length: int) -> Callable[[Any], Any]:
    """A search by halves with a chain of conditions."""

    def program(a: Any) -> Any:
        def step(ends: Any, value: Any) -> Any:
            low, high = ends
            middle = (low + high) // 2
            c, d = a[middle] < value, low < high
            for _ in range(length):
                c, d = c & d, d | c
            return where(c, middle + 1, low), where(c, high, middle)

        def position(value: Any) -> Any:
            return fold_while((0, a.size()), lambda s: s[0] < s[1], lambda s: step(s, value))[0]

        return array(lambda i: position(a[i]))

    return program


def additions(length: int) -> Callable[[Any], Any]:
    """A loop that adds to some elements of an array in each step, one after the other."""

    def program(a: Any) -> Any:
        def element(k: Any, i: Any, x: Any) -> Any:
            for t in range(length):
                x = where(i == (k * (t + 2)) % a.size(), x + a[k], x)
            return x

        return fold(a, lambda k, s: array(lambda i: element(k, i, s[i])), count=a.size())

    return program


def calls_of_passes(
    program: Callable[[Any], Any], pipeline: str, calls: Callable[[Callable[[], Any]], int]
) -> dict[str, int]:
    """The number of function calls of each pass."""
    module, context = function(program).phi(np.ones(3)), Context()
    found = dict[str, int]()
    for number, flag in enumerate(PIPELINES[pipeline]):
        step = [flag]
        found[f"{number} {flag}"] = calls(lambda step=step: run_pipeline(module, step, context))
    return found


@pytest.mark.one_turn
@pytest.mark.parametrize(
    ("program", "pipeline"),
    [
        *itertools.product([chain, loops, steps, fields], ["numpy", "torch", "jax"]),
        *itertools.product([chain, steps, fields], ["native"]),
    ],
)
def test_passes_are_linear(program: Any, pipeline: str, calls: Any) -> None:
    """A program of 8 times the length takes at most 10 times the calls.

    One of twice the fields takes at most 3.5 times: for each field, its record is hashed.
    """
    short, long, most = {loops: (4, 32, 10), fields: (40, 80, 3.5)}.get(program, (10, 80, 10))
    function(program(1)).ir("yarr", np.ones(3))
    before = calls_of_passes(program(short), pipeline, calls)
    after = calls_of_passes(program(long), pipeline, calls)
    slow = {flag: (n, before[flag]) for flag, n in after.items() if n > most * before[flag]}
    assert not slow


@pytest.mark.one_turn
@pytest.mark.parametrize("pipeline", ["numpy", "native"])
@pytest.mark.parametrize(
    "program", [choices, positions, squares, shifts, bounds, halvings, additions]
)
def test_passes_take_no_path_twice(program: Any, pipeline: str, calls: Any) -> None:
    """Paths double with each step: 3 times the steps take at most 9 times the calls."""
    function(program(1)).ir("yarr", np.ones(3))
    before = calls_of_passes(program(6), pipeline, calls)
    after = calls_of_passes(program(18), pipeline, calls)
    assert not {flag: (n, before[flag]) for flag, n in after.items() if n > 9 * before[flag]}


@pytest.mark.one_turn
@pytest.mark.parametrize("program", [shifts, bounds, halvings, additions])
def test_values_of_shared_paths(program: Any) -> None:
    compiled, a = function(program(7)), np.linspace(-1.0, 2.0, 5)
    for arguments in (a, a[:1], a[:0]):
        expected = compiled.eval(arguments, backend="naive")
        np.testing.assert_allclose(compiled.eval(arguments, backend="numpy"), expected)


@pytest.mark.one_turn
def test_long_programs_do_not_overflow_the_stack() -> None:
    compiled = function(steps(500))
    assert np.isfinite(compiled(np.full(2, 1e-3))).all()


def test_contractions_of_the_same_arrays_are_one() -> None:
    """The factors of a product of summands are visible only when it is contracted."""

    @function
    def program(a: Any, x: Any, y: Any) -> Any:
        return array(
            lambda j: fold_sum(lambda i: x[i] * (y[i] * a[i, j]) + x[i] * (y[i] * a[i, j]))
        )

    arguments = np.ones((3, 2)), np.ones(3), np.ones(3)
    assert program.ir("yarr", *arguments).count("yarr.einsum") == 1
    np.testing.assert_array_equal(program(*arguments), [6.0, 6.0])


@pytest.mark.parametrize(("between", "runs"), [((), 1), (("convert-phi-to-yarr",), 2)])
def test_a_fixpoint_is_sought_again_after_a_change(
    between: tuple[str, ...], runs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rewrite, ran = SimplifyPass.rewrite, list[bool]()

    def counted(self: SimplifyPass, ctx: Context, module: ModuleOp) -> bool:
        ran.append(rewrite(self, ctx, module))
        return ran[-1]

    monkeypatch.setattr(SimplifyPass, "rewrite", counted)
    module = function(lambda a: array(lambda i: a[i] + 1.0)).phi(np.ones(3))
    run_pipeline(module, ("simplify", *between, "simplify"))
    assert len(ran) == runs


def responses(th: Any, a: Any, b: Any, y: Any) -> Any:
    """The likelihood of answers: its gradient sums functions of all pairs along both axes."""

    def element(i: Any, j: Any) -> Any:
        z = a[j] * (th[i] - b[j])
        return y[i, j] * z - (ein.max(z, 0.0) + ein.log1p(ein.exp(-abs(z))))

    return fold_sum(element)


@pytest.mark.parametrize("pipeline", ["numpy", "torch", "jax", "native"])
def test_no_pass_leaves_a_user_outside_of_the_module(pipeline: str) -> None:
    matrix, vector = np.zeros((3, 2)), np.zeros(2)
    gradient = function(ein.value_and_grad(responses, argnums=(0, 1, 2)))
    module = gradient.phi(np.zeros(3), vector, vector, matrix)
    run_pipeline(module, pipeline, after_each=lambda _, now: assert_whole(now))


class MarkPass(ModulePass):
    """A pass of another compiler."""

    name = "mark"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        op.attributes["marked"] = UnitAttr()


def test_a_pipeline_has_passes_of_the_caller() -> None:
    flags = list[str]()
    module = run_pipeline(
        ModuleOp([]), ("simplify", MarkPass()), after_each=lambda flag, _: flags.append(flag)
    )
    assert "marked" in module.attributes
    assert flags == ["simplify", "mark"]


def test_a_text_names_passes_as_on_the_command_line() -> None:
    flags = list[str]()
    run_pipeline(
        ModuleOp([]),
        "outline,unroll-folds{convolved=groups}",
        after_each=lambda f, _: flags.append(f),
    )
    assert flags == ["outline", "unroll-folds"]


def test_pipelines_name_the_expected_values() -> None:
    module: Any = "builtin.module {}"
    with pytest.raises(EinTypeError, match="run_pipeline: expected a module, not str"):
        run_pipeline(module, "numpy")
    with pytest.raises(EinValueError, match="no pipeline or pass 'simplfy'; pipelines: check-b"):
        run_pipeline(ModuleOp([]), "outline,simplfy")
    passes: Any = ("simplify", 3)
    with pytest.raises(EinTypeError, match="a ModulePass, or its name and options, not 3"):
        run_pipeline(ModuleOp([]), passes)
    with pytest.raises(EinValueError, match="no pass 'simplfy'; did you mean 'simplify'"):
        run_pipeline(ModuleOp([]), ["outline", "simplfy"])
    with pytest.raises(EinValueError, match=r"raise-scans\{foo=1\}: .*not found in expected"):
        run_pipeline(ModuleOp([]), ["raise-scans{foo=1}"])
