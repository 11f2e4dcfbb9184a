"""PyTorch where calls take longer than arithmetic: programs make few calls and wait for none."""

import math
import re
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("torch")

import torch

from ein_mlir import Float, Int, Vec, array, fold, function, where
from ein_mlir.backends.torch import prelude as torch_prelude


class OnGPU(torch.Tensor):
    """A tensor of the CPU that names another device, and whose numbers no one may read."""

    @property
    def device(self) -> Any:
        return SimpleNamespace(type="cuda")

    def __bool__(self) -> bool:
        raise AssertionError("the program waits for a number")


@pytest.mark.parametrize(
    "numbers", [[1.0, math.nan, 3.0, 3.0], [math.nan] * 2, [math.nan, -math.inf], [2.0, 1.0]]
)
def test_searches_on_a_gpu_wait_for_no_number(numbers: list[float]) -> None:
    array = torch.tensor(numbers)
    for search in (torch_prelude.argmin, torch_prelude.argmax):
        found = search(array.as_subclass(OnGPU), 0)
        assert int(found.as_subclass(torch.Tensor)) == int(search(array, 0))


def bordered(base: Any, inside: Any) -> Any:
    """The base with other elements inside of its border."""
    rows = (base[:1],), (1, (base[1:-1, :1],), inside, (base[1:-1, -1:],)), (base[-1:],)
    return torch_prelude.joined((0, *rows), base)


@pytest.mark.parametrize("size", [2, 5, 200])
def test_parts_are_written_onto_a_copy_of_a_base(size: int) -> None:
    base, inside = torch.rand(size, size), torch.rand(size - 2, size - 2)
    expected = base.clone()
    expected[1:-1, 1:-1] = inside
    before = base.clone()
    assert torch.equal(bordered(base, inside), expected)
    assert torch.equal(base, before)


@pytest.mark.parametrize("dims", [(0, None), (None, 0), (0, 0)])
def test_parts_of_batches_are_written(dims: tuple[int | None, ...]) -> None:
    base, inside = torch.rand(2, 5, 5), torch.rand(2, 3, 3)
    chosen = [a if dim == 0 else a[0] for a, dim in zip((base, inside), dims, strict=True)]
    found = torch.func.vmap(bordered, dims)(*chosen)
    for k in range(2):
        one = [a[k] if dim == 0 else a for a, dim in zip(chosen, dims, strict=True)]
        assert torch.equal(found[k], bordered(*one))


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")
def test_gradients_flow_through_parts_and_their_base() -> None:
    base, inside = torch.rand(5, 5, requires_grad=True), torch.rand(3, 3, requires_grad=True)
    bordered(base, inside).sum().backward()
    expected = torch.ones(5, 5)
    expected[1:-1, 1:-1] = 0
    assert torch.equal(torch.as_tensor(base.grad), expected)
    assert torch.equal(torch.as_tensor(inside.grad), torch.ones(3, 3))
    direction = torch.rand(5, 5), torch.rand(3, 3)
    primals = base.detach(), inside.detach()
    tangents: tuple[Any, ...] = torch.func.jvp(bordered, primals, direction)
    assert torch.equal(tangents[1], bordered(*direction))
    both = torch.func.grad(lambda b, i: (bordered(b, i) ** 2).sum(), argnums=(0, 1))(*primals)
    assert torch.allclose(both[1], 2 * primals[1])


@function
def smoothed(a: Vec[Vec[Float]], steps: Int):
    """Steps that change all but the border of an array."""
    n, m = a.size(0), a.size(1)

    def step(k: Int, a: Vec[Vec[Float]]) -> Any:
        def at(i: Int, j: Int) -> Any:
            is_inside = (i > 0) & (i < n - 1) & (j > 0) & (j < m - 1)
            return where(is_inside, 0.5 * (a[i - 1, j] + a[i, j + 1]), a[i, j])

        return array(at, size=(n, m))

    return fold(a, step, count=steps)


@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (2, 3), (5, 7), (200, 201)])
def test_a_step_changes_parts_of_its_array(shape: tuple[int, int]) -> None:
    a = torch.rand(*shape, dtype=torch.float64)
    source = smoothed.source(a, 3, backend="torch")
    assert re.search(r"joined\(\(0, \((\w+)\[:\w+\],\), .*\), \1\)", source)
    expected = torch.tensor(smoothed.numpy(a.numpy(), 3))
    assert torch.allclose(smoothed.torch(a, 3), expected)
