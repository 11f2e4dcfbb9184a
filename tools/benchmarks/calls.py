"""The overhead of a call over a direct call of the emitted source."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import ein_mlir
from ein_mlir import function
from tests.agreement.comparison import given
from tools.benchmarks.compile_time import pairwise_l1
from tools.benchmarks.report import Report
from tools.benchmarks.timing import Effort, interleaved
from tools.benchmarks.ways import EIN


def call_overhead(report: Report, quick: bool) -> None:
    """Calls with small arrays of each library, whose computation takes negligible time."""
    loops = 200 if quick else 2000
    effort = Effort(seconds=0, fewest=3 if quick else 7, most=7)
    rows: list[dict[str, Any]] = []
    with report.progress() as progress:
        for backend in progress.track(EIN, description="calls"):
            a = given(np.ones((3, 3)), backend)
            actions = {
                f"{backend}: {what}": lambda f=f, a=a: [f(a) for _ in range(loops)] and None
                for what, f in _callables(backend).items()
            }
            for action in actions.values():
                action()
            times = interleaved(actions, effort)
            least = {what: times[what].least / loops * 1e6 for what in times}
            by_hand = min(least.values())
            rows += [{"call": k, "us": t, "us more": t - by_hand} for k, t in least.items()]
    report.show("calls", "Calls on a 3 x 3 matrix", rows)


def _callables(backend: str) -> dict[str, Callable[..., Any]]:
    """The ways to call the same program.

    JAX jits the emitted source: a direct call would run operation by operation. The emitted source
    of native code is no Python.
    """
    decorated = function(pairwise_l1, backend=backend)
    compiled = ein_mlir.compile(decorated.phi(), backend=backend)
    ways: dict[str, Callable[..., Any]] = {"compile(...)": compiled, "@function": decorated}
    if backend == "native":
        return ways
    namespace: dict[str, Any] = {}
    exec(compiled.source, namespace)
    source = namespace[compiled.signature.name]
    if backend == "jax":
        import jax

        jitted = jax.jit(source)
        with jax.enable_x64(True):
            jitted(np.ones((3, 3)))

        def in_64_bits(a: Any) -> Any:
            with jax.enable_x64(True):
                return jitted(a)

        return {"emitted source, jitted": in_64_bits, **ways}
    return {"emitted source": source, **ways}
