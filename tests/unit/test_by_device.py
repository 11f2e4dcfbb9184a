"""Programs by the device of their arguments: on this machine, as if the CPU were a GPU."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import Float, Function, Vec, array, fold_sum, function
from ein_mlir.by_device import ByDevice
from ein_mlir.runtimes import BACKENDS


@pytest.fixture
def distances() -> Function:
    @function
    def distances(a: Vec[Float], b: Vec[Float]) -> Vec[Float]:
        return array(lambda i: fold_sum(lambda j: (a[i] - b[j]).abs().sqrt()))

    return distances


def runtime_on_gpu(monkeypatch: pytest.MonkeyPatch, backend: str) -> None:
    pytest.importorskip(backend)
    runtime: Any = BACKENDS[backend].runtime()
    monkeypatch.setattr(runtime, "has_gpu", lambda: True)
    monkeypatch.setattr(runtime, "is_on_gpu", lambda values: len(values) and values[0].size > 2)


def test_each_device_has_a_version() -> None:
    loaded = list[tuple[str, ...]]()

    def load(passes: tuple[str, ...]) -> Any:
        loaded.append(passes)
        return lambda *arguments: (passes, arguments)

    f = ByDevice(lambda values: ("gpu",) if values == (1,) else ("cpu",), load)
    assert loaded == [("cpu",)]
    assert [f(1), f(2), f(1)] == [(("gpu",), (1,)), (("cpu",), (2,)), (("gpu",), (1,))]
    assert loaded == [("cpu",), ("gpu",)]
    assert f.compilations == 0
    assert f.static_arguments == ()


def test_jax_has_no_loop_over_elements_on_a_gpu(
    monkeypatch: pytest.MonkeyPatch, distances: Function
) -> None:
    runtime_on_gpu(monkeypatch, "jax")
    import jax

    compiled = Function(distances.__wrapped__).jax
    a, b = np.arange(3.0), np.arange(4.0)
    expected = np.sqrt(np.abs(a[:, None] - b)).sum(axis=1)
    for size, is_loop in ((2, True), (3, False)):
        np.testing.assert_allclose(compiled(a[:size], np.tile(b, 20)), 20 * expected[:size])
        with jax.enable_x64(True):
            jaxpr = str(jax.make_jaxpr(compiled)(a[:size], np.tile(b, 20)))
        assert ("scan" in jaxpr) == is_loop


def test_the_source_is_for_the_device_of_new_arrays(
    monkeypatch: pytest.MonkeyPatch, distances: Function
) -> None:
    pytest.importorskip("torch")
    runtime: Any = BACKENDS["torch"].runtime()
    arguments = np.ones(2), np.ones(2)
    sources = list[str]()
    for is_on_gpu in (False, True):
        monkeypatch.setattr(runtime, "has_gpu", lambda: True)
        monkeypatch.setattr(runtime, "is_on_gpu", lambda _, found=is_on_gpu: found)
        sources.append(Function(distances.__wrapped__).source(*arguments, backend="torch"))
    assert "131072" in sources[0]
    assert "16777216" in sources[1]
