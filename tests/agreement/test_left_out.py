"""Each pass can be left out: programs that it changes compute the same without it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from ein_mlir import (
    CompilationError,
    accumulate,
    array,
    cos,
    exp,
    fold,
    fold_sum,
    fold_while,
    function,
    grad,
    jvp,
    scan,
    searchsorted,
    sin,
    sort,
    where,
)
from ein_mlir.pipelines import run_pipeline
from ein_mlir.runtimes import BACKENDS
from tests.agreement.comparison import assert_agree, given, leaves
from tests.agreement.programs import PROGRAMS
from tests.detached import assert_whole
from tests.selection import one_in_turn

NOWHERE = {
    "inline-calls",
    "narrow-arrays",
    "narrow-folds{raised=true}",
    "remove-proven-assertions{derivatives=true}",
    "skip-empty-parts",
}
"""Passes that change none of the programs."""

NEEDED = (
    "differentiate{shifts=true}",
    "struct-of-arrays",
    "struct-of-arrays{derivatives=true}",
)
"""Passes that others rely on: without one, some program is an error that says so."""

MOST = 3
"""The most programs that a pass is left out of."""


def states(a: Any) -> Any:
    def step(k, s):
        path, x = s
        x = where(a[k] > 0.0, (x + a[k]).sqrt(), x * 0.5)
        return array(lambda q: where(q == k, x, path[q])), x

    path, last = fold((array(lambda q: 0.0, size=a.size()), 1.0), step, count=a.size())
    return fold_sum(lambda i: path[i] * a[i]) + last


def driven(a: Any) -> Any:
    def step(k: Any, s: Any) -> Any:
        return array(lambda i: where(s[i] < 1.0, s[i], 0.5) + sin(a[k] * a[i]))

    return fold(a, step, count=a.size())


def gradient(a: Any) -> Any:
    return grad(states)(a)


def gradient_of_records(a: Any) -> Any:
    def pairs(b):
        return fold_sum(lambda i: array(lambda j: (b[j], b[i]))[i][0] * a[i])

    return grad(pairs)(a)


def gradient_of_rows(a: Any) -> Any:
    def sums(b: Any) -> Any:
        lengths = array(lambda i: where(b[i] < 0.0, 1, 2))
        row = lambda i: fold_sum(lambda k: b[i] * b[i + k], count=lengths[i])  # noqa: E731
        return fold_sum(row, count=b.size())

    return grad(sums)(a)


def gradient_of_waves(a: Any) -> Any:
    def sums(b):
        x = array(lambda i: fold_sum(lambda k: a[k] * (a[k] * b[i]).cos()))
        y = array(lambda i: fold_sum(lambda k: a[k] * (a[k] * b[i]).sin()))
        return fold_sum(lambda i: x[i] * y[i])

    return grad(sums)(a)


def gradient_of_echoes(a: Any) -> Any:
    def sums(x: Any) -> Any:
        def echo(t: Any, k: Any) -> Any:
            p = t - (a[k] * 2.0).int() * 3
            return where((p >= 0) & (p < x.size()), x[p] * a[k], 0.0)

        y = array(lambda t: fold_sum(lambda k: echo(t, k), count=a.size()), size=a.size())
        return fold_sum(lambda t: y[t] ** 2.0)

    return grad(sums)(a)


def gradient_of_windows(a: Any) -> Any:
    def sums(x: Any) -> Any:
        squares = array(lambda i: fold_sum(lambda k: x[i + k] * x[i + k], count=3), size=x.size())
        return fold_sum(lambda i: squares[i] ** 2.0)

    return grad(sums)(a)


def gradient_of_a_ring(a: Any) -> Any:
    def sums(x: Any) -> Any:
        n = x.size()
        return fold_sum(lambda i: (x[i] * x[where(i + 1 < n, i + 1, 0)]) ** 2.0, count=n)

    return grad(sums)(a)


def gradient_of_a_ray(a: Any) -> Any:
    def colour(x: Any) -> Any:
        def step(k: Any, s: tuple[Any, Any]) -> tuple[Any, Any]:
            light, total = s
            passed = 1.0 / (1.0 + x[k] * x[k])
            return light * passed, total + light * (1.0 - passed) * x[k]

        return fold((1.0, 0.0), step)[1]

    return grad(colour)(a)


def gradient_of_two_sums(a: Any) -> Any:
    def sums(a: Any) -> Any:
        def angle(i: Any, k: Any) -> Any:
            return 2.0 * a[i] * a[k] + a[k]

        real = array(lambda i: fold_sum(lambda k: a[k] * cos(angle(i, k))))
        imaginary = array(lambda i: fold_sum(lambda k: a[k] * sin(angle(i, k))))
        return fold_sum(lambda i: real[i] * a[i] + imaginary[i])

    return grad(sums)(a)


def gradient_of_fluxes(a: Any) -> Any:
    def energy(b):
        def flux(i: Any) -> Any:
            return (b[i + 1] - b[i]) * b[i] * a[i]

        return fold_sum(lambda i: array(lambda i: flux(i) - flux(i - 1), size=b.size())[i] ** 2.0)

    return grad(energy)(a)


def gradient_of_prefixes(a: Any) -> Any:
    def sums(b):
        return fold_sum(lambda i: fold_sum(lambda j: where(j <= i, b[j] * b[j], 0.0)) * a[i])

    return grad(sums)(a)


def gradient_of_elements_of_loops(a: Any) -> Any:
    def loss(b: Any) -> Any:
        def row(i: Any) -> Any:
            return scan(array(lambda k: b[k] * a[i]), 0.0, lambda x, y: x + y)

        sums = array(lambda i, j: row(i)[j], size=(a.size(), a.size()))
        return fold_sum(lambda i, j: sums[i, j] ** 2.0)

    return grad(loss)(a)


def rows_of_steps(a: Any) -> Any:
    def row(i: Any) -> Any:
        return fold(a[i], lambda _, x: x.sin() + a[i], count=(a[i].abs() * 3.0).floor().int())

    return fold_sum(row, count=a.size())


def direction_of_counts(a: Any) -> Any:
    def sums(b):
        return array(lambda i: fold_sum(lambda j: b[j] * b[j], count=i + 1), size=a.size())

    return jvp(sums, (a,), (a,))[1]


def small_floats(a: Any) -> Any:
    halves = array(lambda i: a[i].float("f16"))
    return array(lambda i: (halves[i] * halves[i] + 1.0).float("f64"))


def counted_loop(a: Any) -> Any:
    return fold_while((0, 0.0), lambda s: s[0] < a.size(), lambda s: (s[0] + 1, s[1] + a[s[0]]))[1]


def own_indices(a: Any) -> Any:
    return accumulate(lambda i: (i, a[i]), size=a.size())


def running_maxima(a: Any) -> Any:
    def step(k, s):
        best, found = s
        best = best.max(a[k])
        return best, array(lambda i: where(i == k, best, found[i]))

    none = array(lambda i: 0.0, size=a.size())
    return fold((float("-inf"), none), step, count=a.size())[1]


def largest_run(a: Any) -> Any:
    def step(k, s):
        run, best = s
        run = (run + a[k]).max(0.0)
        return run, best.max(run)

    return fold((0.0, 0.0), step, count=a.size())


def by_halves(a: Any) -> Any:
    in_order = sort(a)
    return array(lambda i: searchsorted(in_order, a[i]))


def table(a: Any) -> Any:
    n = a.size()

    def row(i, above):
        def cell(j, here):
            best = (here[j] + a[j]).max(above[j + 1] + a[i]).max(above[j])
            return array(lambda q: where(q == j + 1, best, here[q]))

        return fold(array(lambda q: 0.0, size=n + 1), cell, count=n)

    return fold(array(lambda j: 0.0, size=n + 1), row, count=n)


def few_cases(a: Any) -> Any:
    def element(c, i):
        return where(c == 0, a[i], where(c == 1, -a[i], a[i] * 2.0))

    return array(element, size=(3, a.size()))


def basis(a: Any) -> Any:
    def step(_, v):
        return array(lambda i: fold_sum(lambda k: v[k] * (i * k).float().cos()), size=a.size())

    return fold(a, step, count=3)


def recurrence(a: Any) -> Any:
    def step(k, v):
        new = (v[k] * 0.5 + 1.0).max((a[k] * 2.0).sin())
        return array(lambda i: where(i == k + 1, new, v[i]))

    return fold(array(lambda i: 0.0, size=a.size() + 1), step, count=a.size())


def scored(a: Any) -> Any:
    def step(k, s):
        x, p, total = s
        error, gain = a[k] - x, p / (p + 1.0)
        score = (p + 1.0).log() + error * error / (p + 1.0)
        return x + gain * error, (1.0 - gain) * p + 0.1, total + score

    return fold((0.0, 1.0, 0.0), step, count=a.size())


def prefixes_in_steps(a: Any) -> Any:
    def step(t, v):
        total = fold_sum(lambda k: where(k < t, v[k] * a[k], 0.0))
        return array(lambda i: where(i == t, total + v[t], v[i]))

    return fold(a, step, count=a.size())


def around_the_end(a: Any) -> Any:
    n = a.size()
    return fold_sum(lambda i: a[i] * where(i + 1 < n, a[i + 1], a[0]))


def kernel_mean(a: Any) -> Any:
    def weight(i: Any, j: Any) -> Any:
        return (-((a[i] - a[j]) ** 2)).exp()

    weighted = array(lambda i: fold_sum(lambda j: weight(i, j) * a[j]))
    total = array(lambda i: fold_sum(lambda j: weight(i, j)))
    return array(lambda i: weighted[i] / total[i])


def sums_of_rows(a: Any) -> Any:
    lengths = array(lambda i: (a[i] * 3.0).abs().int())
    return fold(0.0, lambda i, s: fold(s, lambda k, t: t + a[lengths[i] + k], count=lengths[i]))


def echoes(a: Any) -> Any:
    delays = array(lambda q: (a[q] * 3.0).abs().int())
    return array(lambda i: a[i] + fold_sum(lambda q: where(i >= delays[q], a[i - delays[q]], 0.0)))


def some_steps(a: Any) -> Any:
    def step(k, s):
        return array(lambda i: s[i] + where(s[0] > a[k], a[k] * a[i], 0.0))

    return fold(a, step, count=a.size())


def best_position(a: Any) -> Any:
    return fold(0, lambda k, best: where(a[k] > a[best], k, best), count=a.size())


def smoothed(a: Any) -> Any:
    def mean(t: Any) -> Any:
        return fold(0.0, lambda s, x: (x * 0.5 + a[s]).cos(), count=t)

    return fold_sum(lambda t: (a[t] - mean(t)) ** 2, count=a.size())


def halved_until_small(a: Any) -> Any:
    def step(_, s):
        v, done = s
        return array(lambda i: where(done, v[i], v[i] * 0.5)), done | (v[0].abs() < 0.1)

    return fold((a, False), step, count=20)[0]


def turned(a: Any) -> Any:
    def step(k, v):
        return array(lambda i: v[1 - i] * a[k] + (v[i] + v[0] * 0.5).sin(), size=2)

    return fold(array(lambda i: 1.0, size=2), step, count=a.size())


def sums_of_multiples(a: Any) -> Any:
    n = a.size()
    return array(lambda i: fold_sum(lambda k: where(i % (k + 1) == 0, a[k], 0.0), count=n), size=n)


def decaying_peaks(a: Any) -> Any:
    def step(k, v):
        best = (v[k] - 0.125).max(a[k])
        return array(lambda i: where(i == k + 1, best, v[i]))

    return fold(array(lambda i: 0.0, size=a.size() + 1), step, count=a.size())


def read_after_loop(a: Any) -> Any:
    def step(k, s):
        v, total = s
        down = fold_while((v, k), lambda t: t[1] > 0, lambda t: (halved(t), t[1] // 2))[0]
        return down, fold(total, lambda j, x: (x + v[j]).sqrt(), count=k)

    def halved(t):
        return array(lambda i: where(i == t[1], t[0][t[1] // 2] * 0.5, t[0][i]))

    return fold((array(lambda i: a[i] * a[i]), 1.0), step, count=a.size())


def placed(v: Any) -> Any:
    return fold(v, lambda k, w: array(lambda i: where(i == 7 * k % 5, v[k], w[i])), count=v.size(0))


def votes(a: Any) -> Any:
    return accumulate(lambda i, t: (where(a[i] > 0.5, i + t, -1), a[i]), size=6, count=(None, 3))


def spread(a: Any) -> Any:
    def term(o: Any, i: Any) -> Any:
        return where((o - 2 * i >= 0) & (o - 2 * i < 3), a[i] * a[o - 2 * i], 0.0)

    return array(lambda o: fold_sum(lambda i: term(o, i), count=a.size()), size=2 * a.size() + 1)


def added_part(a: Any) -> Any:
    n = a.size()

    def step(k, m):
        block = array(lambda i, j: where(i >= k, a[i] * a[j], 0.0), size=(n, k))
        part = array(lambda i, j: where(j < k, block[i, j], 0.0), size=(n, n))
        return array(lambda i, j: m[i, j] + part[i, j])

    return fold(array(lambda i, j: 0.5, size=(n, n)), step, count=n)


def moved_apart(a):
    n = a.size()
    x = array(lambda i, d: a[i] + a[d] * d.float(), size=(n, n))
    w = array(lambda i, j: exp(-fold_sum(lambda d: (x[i, d] - x[j, d]) ** 2.0)))
    return array(lambda i, d: fold_sum(lambda j: w[i, j] * (x[j, d] - x[i, d])))


OWN: Sequence[Callable[..., Any]] = (
    placed,
    added_part,
    gradient,
    gradient_of_records,
    gradient_of_fluxes,
    gradient_of_prefixes,
    gradient_of_two_sums,
    gradient_of_rows,
    gradient_of_elements_of_loops,
    rows_of_steps,
    gradient_of_echoes,
    gradient_of_waves,
    gradient_of_windows,
    gradient_of_a_ray,
    gradient_of_a_ring,
    direction_of_counts,
    small_floats,
    counted_loop,
    own_indices,
    running_maxima,
    driven,
    largest_run,
    by_halves,
    table,
    few_cases,
    basis,
    recurrence,
    scored,
    prefixes_in_steps,
    around_the_end,
    kernel_mean,
    sums_of_rows,
    echoes,
    some_steps,
    best_position,
    smoothed,
    halved_until_small,
    turned,
    sums_of_multiples,
    decaying_peaks,
    read_after_loop,
    votes,
    spread,
    moved_apart,
)
"""Programs of a vector, for passes that change no other one."""

OTHERS = (
    "butterflies",
    "contractions_over_pairs",
    "derivatives_by_each",
    "diffusion",
    "histograms_of_matrices",
    "largest_integers",
    "padded_convolutions",
    "path_of_records",
    "rows_of_windows",
    "roots_of_trees",
    "small_integers",
    "sums_of_paths",
)

FUNCTIONS = {
    **{f.__name__: f for f in OWN},
    **{name: PROGRAMS[name].function.__wrapped__ for name in OTHERS},
}


def inputs(name: str, size: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(size)
    if name in OTHERS:
        return PROGRAMS[name].inputs(size, np.float64, rng)
    return (rng.normal(size=size),)


@cache
def expected(name: str, size: int) -> list[Any]:
    return leaves(function(FUNCTIONS[name]).eval(*inputs(name, size), backend="naive"))


@cache
def changed() -> Mapping[str, Sequence[str]]:
    """The programs that each pass of the pipeline changes."""
    found = defaultdict[str, list[str]](list)
    for name, program in FUNCTIONS.items():
        module = function(program).phi(*inputs(name, 4)).clone()
        flags, seen = iter(BACKENDS["numpy"].pipeline), [structure(module)]

        def after(_: str, module: ModuleOp, name=name, flags=flags, seen=seen) -> None:
            flag, now = next(flags), structure(module)
            if now != seen[0] and name not in found[flag]:
                found[flag].append(name)
            seen[0] = now
            assert_whole(module)

        run_pipeline(module, BACKENDS["numpy"].pipeline, after_each=after)
    return found


def structure(module: ModuleOp) -> Sequence[object]:
    """The operations of a module, with values as numbers: faster than its text."""
    numbers: dict[object, int] = {}
    found = list[object]()
    for op in module.walk():
        types = [value.type for value in op.results]
        for value in (op, *op.results):
            numbers[value] = len(numbers)
        for region in op.regions:
            for each in (each for block in region.blocks for each in block.args):
                numbers[each] = len(numbers)
                types.append(each.type)
        place = numbers.get(op.parent_op()), *(numbers.get(each) for each in op.operands)
        found.append((op.name, place, {**op.properties}, {**op.attributes}, types))
    return found


FLAGS = sorted(flag for flag in set(BACKENDS["numpy"].pipeline) if not flag.startswith("convert-"))


def test_each_pass_changes_a_program() -> None:
    assert {flag for flag in FLAGS if not changed()[flag]} <= NOWHERE


def leave_out(flag: str, monkeypatch: pytest.MonkeyPatch) -> None:
    numpy = BACKENDS["numpy"]
    pipeline = tuple(each for each in numpy.pipeline if each != flag)
    monkeypatch.setitem(BACKENDS, "numpy", replace(numpy, pipeline=pipeline))


@pytest.mark.every_turn
@pytest.mark.parametrize("left_out", NEEDED)
def test_a_pass_that_others_need(left_out: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name = changed()[left_out][-1]
    leave_out(left_out, monkeypatch)
    with pytest.raises(CompilationError, match=r"no rule for 'phi.(vjp|jvp)'|struct-of-arrays"):
        function(FUNCTIONS[name]).eval(*inputs(name, 4), backend="numpy")


@pytest.mark.one_turn
@pytest.mark.parametrize("left_out", [f for f in FLAGS if f not in (*NOWHERE, *NEEDED)])
def test_each_pass_can_be_left_out(left_out: str, monkeypatch: pytest.MonkeyPatch) -> None:
    names = one_in_turn(changed()[left_out][:MOST])
    leave_out(left_out, monkeypatch)
    for name in names:
        run = function(FUNCTIONS[name])
        for size in (0, 1, 4):
            arguments = [given(value, "numpy") for value in inputs(name, size)]
            actual = run.eval(*arguments, backend="numpy")
            assert_agree(leaves(actual), expected(name, size), {"float64": 1e-12}, f"{name} {size}")
