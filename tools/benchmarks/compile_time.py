"""The time from a Python function to compiled code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ein_mlir import Float, Vec, array, clear_cache, fold, fold_sum, function
from ein_mlir.compiler import compile
from ein_mlir.entry import parse
from tests.agreement.comparison import given
from tools.benchmarks.report import Report
from tools.benchmarks.timing import Action, Effort, interleaved


def pairwise_l1(a: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    """The program of the quoted compile time."""
    return array(lambda i, j: fold_sum(lambda k: abs(a[i, k] - a[j, k])))


def chain(operations: int) -> Callable[[Any], Any]:
    """A program of a given number of scalar operations at each element."""

    def program(a: Any) -> Any:
        def element(i: Any) -> Any:
            x = a[i]
            for k in range(operations // 2):
                x = (x + float(k)) * a[i]
            return x

        return array(element)

    return program


def nest(depth: int) -> Callable[[Any], Any]:
    """A program of a given number of nested folds."""

    def program(a: Any) -> Any:
        def level(d: int, x: Any) -> Any:
            if d == 0:
                return x
            return fold(x, lambda k, acc: level(d - 1, acc * 0.5 + a[k]), count=2)

        return array(lambda i: level(depth, a[i]))

    return program


def functions(count: int) -> str:
    """A module of phi with a given number of small functions."""
    text = "func.func @f{}(%x: f64) -> f64 {{ %y = arith.addf %x, %x : f64 func.return %y : f64 }}"
    return "\n".join(text.format(k) for k in range(count))


def traced_anew(program: Callable[..., Any], *args: Any) -> Any:
    """The result of a function that nothing was compiled for before."""
    clear_cache()
    return function(program)(*args)


def compile_times(report: Report, quick: bool) -> None:
    """Trace to callable, for the quoted program and for programs that double in size."""
    matrix, vector = np.ones((3, 3)), np.ones(3)

    def trace_and_compile(program: Callable[..., Any], *args: Any) -> Action:
        return lambda: traced_anew(program, *args)

    sizes = (50, 100, 200) if quick else (125, 250, 500, 1000, 1600, 2000)
    depths = (1, 2, 3) if quick else (1, 3, 6, 12)
    actions = {
        "pairwise L1": trace_and_compile(pairwise_l1, matrix),
        **{f"{n} operations": trace_and_compile(chain(n), vector) for n in sizes},
        **{f"{d} nested folds": trace_and_compile(nest(d), vector) for d in depths},
    }
    effort = Effort(seconds=0, fewest=1 if quick else 4, most=4)
    rows: list[dict[str, Any]] = []
    with report.progress() as progress:
        for name, action in progress.track(actions.items(), description="compile time"):
            if not quick:
                action()
            times = interleaved({name: action}, effort)[name]
            rows.append({"program": name, "ms": times.least * 1e3})
    report.show("compile", "Compile time for NumPy, trace to callable (a call included)", rows)
    compile_times_by_backend(report, quick)
    compile_times_of_modules(report, quick)


def compile_times_by_backend(report: Report, quick: bool) -> None:
    """Trace to first result on each backend; that of JAX includes its own compilation."""
    programs: dict[str, tuple[Callable[..., Any], Any]] = {
        "pairwise L1": (pairwise_l1, np.ones((3, 3))),
        "125 operations": (chain(125), np.ones(3)),
        "3 nested folds": (nest(3), np.ones(3)),
    }
    effort = Effort(seconds=0, fewest=1 if quick else 4, most=4)
    rows: list[dict[str, Any]] = []
    with report.progress() as progress:
        for name, (program, a) in progress.track(programs.items(), description="backends"):
            arguments = {backend: given(a, backend) for backend in ("numpy", "torch", "jax")}
            actions: dict[str, Action] = {
                backend: lambda f=program, x=x: np.asarray(traced_anew(f, x))
                for backend, x in arguments.items()
            }
            for action in actions.values():
                action()
            times = interleaved(actions, effort)
            rows.append({"program": name, **{f"{b} ms": times[b].least * 1e3 for b in actions}})
    title = "Compile time on each backend, trace to first result"
    report.show("compile-backends", title, rows)


def compile_times_of_modules(report: Report, quick: bool) -> None:
    """One function of a module, which has more and more of them: the module is read before."""
    counts = (25, 50, 100) if quick else (500, 1000, 2000)
    effort = Effort(seconds=0, fewest=1 if quick else 4, most=4)
    rows: list[dict[str, Any]] = []
    with report.progress() as progress:
        for count in progress.track(counts, description="functions"):
            times = interleaved({"one": _compile_one_of(count)}, effort)["one"]
            each = times.least / count * 1e6
            rows.append({"functions": count, "ms": times.least * 1e3, "us per function": each})
    report.show("compile-functions", "Compile time of one function of a module", rows)


def _compile_one_of(count: int) -> Action:
    module = parse(functions(count))

    def action() -> object:
        clear_cache()
        return compile(module, "f0")

    action()
    return action
