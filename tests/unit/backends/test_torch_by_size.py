"""Which versions of a PyTorch program are compiled, and when."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import ein_mlir.compiler
from ein_mlir import array, clear_cache, compile, fold, fold_max, function
from tests.agreement.comparison import assert_agree

torch = pytest.importorskip("torch")

from ein_mlir.backends.torch import runtime  # noqa: E402

TOLERANCE = {"float64": 1e-12}


@pytest.fixture
def lowered(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The libraries that programs are lowered to from now on."""
    found, run = list[str](), ein_mlir.compiler._run

    def noted(module: Any, pipeline: Any, *note: Any) -> None:
        steps = (step.partition("{")[0] for step in pipeline)
        found.extend(step[16:] for step in steps if step.startswith("convert-yarr-to-"))
        run(module, pipeline, *note)

    clear_cache()
    monkeypatch.setattr(runtime, "FEW", 100)
    monkeypatch.setattr(ein_mlir.compiler, "_run", noted)
    return found


@function
def heated(a: Any) -> Any:
    heat = fold(a, lambda k, b: array(lambda i: b[i] + 0.5 * b[i - 1]), count=3)
    return heat, fold_max(lambda i: a[i])


def fresh() -> Any:
    """The program, compiled by nobody."""
    clear_cache()
    return function(heated.__wrapped__)


def agrees(actual: Any, a: Any) -> None:
    assert_agree(actual, heated.eval(a.detach().numpy(), backend="naive"), TOLERANCE)


def numbers(size: int) -> Any:
    return torch.linspace(0.5, 1.5, size, dtype=torch.float64)


@pytest.mark.parametrize("size", [1, 2, 7])
def test_calls_with_small_tensors_compile_numpy_code_alone(size: int, lowered: list[str]) -> None:
    f, a = fresh(), numbers(size)
    for _ in range(2):
        agrees(f(a), a)
    assert lowered == ["numpy"]


def test_calls_with_large_ones_compile_code_on_tensors_alone(lowered: list[str]) -> None:
    f, a = fresh(), numbers(1000)
    agrees(f(a), a)
    assert lowered == ["torch"]
    agrees(f(numbers(7)), numbers(7))
    assert lowered == ["torch", "numpy"]


def test_gradients_are_those_of_code_on_tensors(lowered: list[str]) -> None:
    f, a = fresh(), numbers(7)
    agrees(f(a), a)
    recorded = a.clone().requires_grad_()
    heat, largest = f(recorded)
    (heat.sum() + largest).backward()
    assert lowered == ["numpy", "torch"]
    assert recorded.grad[-1] == 2.0
    with torch.no_grad():
        agrees(f(recorded), a)
    assert len(lowered) == 2


def test_transformations_see_every_operation(lowered: list[str]) -> None:
    f, a = fresh(), numbers(6)
    agrees(f(a), a)
    rows, largest = torch.func.vmap(f)(a.reshape(2, 3))
    for k, row in enumerate(a.reshape(2, 3)):
        agrees((rows[k], largest[k]), row)
    assert lowered[:2] == ["numpy", "torch"]


def test_an_array_without_elements(lowered: list[str]) -> None:
    f = function(lambda a: fold(a, lambda k, b: array(lambda i: b[i] + b[i - 1]), count=3))
    assert f(numbers(0)).shape == (0,)
    assert lowered == ["numpy"]


def test_inside_of_torch_compile(lowered: list[str]) -> None:
    f, a = fresh(), numbers(7)
    compiled = torch.compile(lambda a: f(a), backend="eager", fullgraph=True)
    agrees(compiled(a), a)
    assert lowered == ["torch"]


def test_the_source_is_that_on_tensors(lowered: list[str]) -> None:
    f, a = fresh(), numbers(7)
    agrees(f(a), a)
    assert "torch" in f.source(a)
    assert lowered == ["numpy", "torch"]


def test_compiled_programs_and_threads(lowered: list[str]) -> None:
    clear_cache()
    compiled, a = compile(heated.phi(numbers(3)), backend="torch"), numbers(7)
    assert not lowered
    with ThreadPoolExecutor(4) as pool:
        for result in pool.map(compiled, [a] * 8):
            agrees(result, a)
    assert set(lowered) == {"numpy"}
