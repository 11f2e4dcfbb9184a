"""Arrays of other libraries, which share their memory through DLPack."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ein_mlir import EinTypeError, array, function, wrap
from ein_mlir.compiler import compile
from ein_mlir.host.arrays import from_dlpack
from tests.libraries import BACKENDS


class Foreign:
    """An array with only the protocol."""

    def __init__(self, array: Any, device: tuple[int, int] | None = None):
        self._array = array
        self._device = device

    def __dlpack__(self, **options: Any) -> Any:
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._device or self._array.__dlpack_device__()


@function
def scaled(a, factor):
    return array(lambda i: a[i] * factor)


@function
def scaled_record(record):
    return array(lambda i: record["a"][i] * record["factor"])


ELEMENTS = [np.float64, np.float32, np.int64, np.int32]


@pytest.mark.parametrize("dtype", ELEMENTS)
def test_arguments(dtype: Any) -> None:
    a = np.arange(4, dtype=dtype)
    expected = a * dtype(2)
    for result in (
        scaled(Foreign(a), 2),
        scaled(a=Foreign(a), factor=Foreign(np.array(2, dtype))),
        scaled.eval(Foreign(a), 2, backend="naive"),
        scaled_record({"a": Foreign(a), "factor": 2}),
    ):
        assert isinstance(result, np.ndarray)
        assert result.dtype == dtype
        np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("backend", BACKENDS)
def test_compiled_programs(backend: str) -> None:
    a = np.arange(3.0)
    program = compile(scaled.phi(a, 2.0), backend=backend)
    result = program(Foreign(a), 2.0)
    np.testing.assert_array_equal(np.asarray(result), [0.0, 2.0, 4.0])
    np.testing.assert_array_equal(np.asarray(scaled.eval(Foreign(a), 2.0, backend=backend)), result)
    with pytest.raises(EinTypeError, match="expected an array of float64 and rank 1"):
        program(Foreign(a.astype(np.float32)), 2.0)


def test_tensors_for_jax_and_arrays_of_jax_for_torch() -> None:
    torch, jnp = pytest.importorskip("torch"), pytest.importorskip("jax.numpy")
    same = function(lambda a: a)
    tensor = torch.arange(3, dtype=torch.float64)
    result = same.jax(tensor)
    assert (type(result), result.dtype) == (type(jnp.zeros(1)), np.float64)
    tensor.fill_(7.0)
    np.testing.assert_array_equal(result, [0.0, 1.0, 2.0])
    assert same.torch(jnp.arange(3.0, dtype=np.float32)).tolist() == [0.0, 1.0, 2.0]


def test_results_share_no_memory() -> None:
    a = np.arange(3.0)
    result = function(lambda a: a)(Foreign(a))
    a[:] = 7.0
    np.testing.assert_array_equal(result, [0.0, 1.0, 2.0])


def test_wrapped() -> None:
    a = wrap(Foreign(np.arange(3.0)), "a")
    np.testing.assert_array_equal(array(lambda i: 2 * a[i]).eval(), [0.0, 2.0, 4.0])
    np.testing.assert_array_equal(scaled(a, Foreign(np.array(2.0))).eval(), [0.0, 2.0, 4.0])
    np.testing.assert_array_equal(scaled.eval(Foreign(np.ones(2)), wrap(2.0)), [2.0, 2.0])


@pytest.mark.parametrize("library", ["torch", "jax"])
def test_arrays_on_a_device_go_to_a_library_that_is_in_use(
    library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = object()
    module: Any = SimpleNamespace(
        from_dlpack=lambda value: taken, enable_x64=lambda on: nullcontext()
    )
    module.numpy = module
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    monkeypatch.setitem(sys.modules, library, module)
    assert from_dlpack(Foreign(np.zeros(2), device=(2, 0))) is taken


def test_arrays_on_a_device_without_a_library(monkeypatch: pytest.MonkeyPatch) -> None:
    for library in ("torch", "jax"):
        monkeypatch.delitem(sys.modules, library, raising=False)
    with pytest.raises(EinTypeError, match="a Foreign on a device that is not the CPU needs"):
        scaled(Foreign(np.zeros(2), device=(2, 0)), 2.0)
