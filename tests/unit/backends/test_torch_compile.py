"""`torch.compile`: of Ein's programs with ``jit``, and of code that calls them."""

import dataclasses
import shutil
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from ein_mlir import Function, array, exp, fold, fold_max, fold_sum, function, wrap  # noqa: E402
from ein_mlir.compiler import compile  # noqa: E402
from ein_mlir.errors import EinValueError  # noqa: E402

pytestmark = pytest.mark.one_turn

EAGER: dict[str, Any] = {"backend": "eager", "fullgraph": True}
"""Dynamo alone, which needs no C++ compiler; a graph break is an error."""


@pytest.fixture(autouse=True)
def _nothing_compiled_yet() -> None:
    torch._dynamo.reset()


def floats(*shape: int, seed: int = 0) -> Any:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def scores_of(a: Any, b: Any) -> Any:
    """A contraction, a loop, clipped positions, a reduction and records."""
    scores = array(lambda i: fold_sum(lambda j: a[i, j] * b[j + 1]))
    state = fold(scores, lambda k, x: array(lambda i: exp(-x[i]) + a[i, k]), count=2)
    return {"state": state, "top": fold_max(lambda i: state[i])}


def fresh(f: Callable[..., Any] = scores_of, **options: Any) -> Function[..., Any]:
    """A function that has not been called yet."""
    return function(f, **options)


def agree(compiled: Callable[..., Any], f: Callable[..., Any], calls: Iterable[Any]) -> None:
    for arguments in calls:
        torch.testing.assert_close(compiled(*arguments), f(*arguments))


# jit --------------------------------------------------------------------------------------------


@pytest.mark.one_turn
def test_a_program_is_compiled_once_for_its_shapes() -> None:
    a, b = floats(3, 4), floats(4)
    f = compile(fresh().phi(a, b), backend="torch", jit=EAGER)
    plain = compile(fresh().phi(a, b), backend="torch")
    assert f.compilations == 0
    agree(f, plain, [(a, b), (a + 1, b), (floats(3, 4, seed=1), b)])
    assert f.compilations == 1
    agree(f, plain, [(floats(n, m), floats(m)) for n, m in ((5, 6), (7, 8), (1, 1), (0, 3))])
    assert 2 <= f.compilations <= 5
    plain(a, b)
    assert plain.compilations == 0


def test_functions_with_jit() -> None:
    a, b = floats(3, 4), floats(4)
    eager = fresh()
    for f in (fresh(jit=EAGER), function(eager, jit=EAGER), function(jit=EAGER)(scores_of)):
        expected = eager(a, b)
        torch.testing.assert_close(f(a, b), expected)
        for name, value in f(a.numpy(), b.numpy()).items():
            assert isinstance(value, np.ndarray | np.float64)
            np.testing.assert_allclose(value, expected[name])


def test_gradients_go_through() -> None:
    a, b = floats(3, 4).requires_grad_(), floats(4)
    gradients = list[Any]()
    for f in (fresh(), fresh(jit={"backend": "aot_eager"})):
        result = f(a, b)
        gradients += torch.autograd.grad(result["state"].sum() + result["top"], a)
    torch.testing.assert_close(*gradients)


@pytest.mark.filterwarnings("ignore:.*:DeprecationWarning")
@pytest.mark.skipif(shutil.which("c++") is None, reason="inductor needs a C++ compiler")
def test_with_the_default_compiler() -> None:
    a, x = floats(5), 2.0
    scale = fresh(lambda a, x: array(lambda i: a[i] * x + 1), jit=True)
    torch.testing.assert_close(scale(a, x), a * x + 1)


def test_each_program_has_a_limit_of_its_own() -> None:
    """PyTorch gives up, with a warning, on code that it had to compile too often."""
    a = floats(3)
    limit = torch._dynamo.config.recompile_limit
    for factor in range(limit + 2):
        f = fresh(lambda a, factor=factor: array(lambda i: a[i] * factor), jit=EAGER)
        torch.testing.assert_close(f(a), a * factor)


@pytest.mark.parametrize("backend", ["numpy", "naive"])
def test_backends_without_a_compiler(backend: str) -> None:
    program = fresh().phi(np.ones((2, 2)), np.ones(2))
    for jit in (True, {}):
        with pytest.raises(EinValueError, match=f"jit is for torch and jax: the {backend} backend"):
            compile(program, backend=backend, jit=jit)
    compile(program, backend=backend, jit=False)


# Inside of torch.compile --------------------------------------------------------------------------


def test_functions_are_traced_into_the_graph_of_their_caller() -> None:
    a, b = floats(3, 4), floats(4)
    f = fresh()

    def user(a: Any, b: Any) -> Any:
        result = f(torch.sin(a), b)
        return result["state"] * 2, result["top"] + a.sum()

    compiled = torch.compile(user, **EAGER)
    for _ in range(2):  # f is compiled while it is traced, then it is there already
        agree(compiled, user, [(a, b), (floats(5, 6), floats(6)), (floats(7, 8), floats(8))])
        torch._dynamo.reset()


def test_compiled_programs_too() -> None:
    a, b = floats(3, 4), floats(4)
    program = compile(fresh().phi(a, b), backend="torch")
    compiled = torch.compile(lambda a, b: program(a + 1, b)[0], **EAGER)
    agree(compiled, lambda a, b: program(a + 1, b)[0], [(a, b)])


@pytest.mark.parametrize("numbers", [(2.0, 3.0, 4.0), (2, 3, 4)])
def test_numbers(numbers: Any) -> None:
    f = fresh(lambda a, x: (array(lambda i: a[i] * x), x + 1))
    a = floats(3)
    agree(torch.compile(f, **EAGER), f, [(a, x) for x in numbers])
    agree(torch.compile(lambda a: f(a, numbers[0]), **EAGER), lambda a: f(a, numbers[0]), [(a,)])


@dataclasses.dataclass
class Point:
    x: Any
    y: Any


def test_records() -> None:
    f = fresh(lambda p, q: Point(array(lambda i: p.x[i] * q["scale"]), (p.y[0], q["scale"])))

    def user(a: Any, scale: Any) -> Any:
        point = f(Point(a, a + 1), {"scale": scale})
        return point.x, point.y

    agree(torch.compile(user, **EAGER), user, [(floats(3), torch.tensor(2.0).double())])


def test_captured_tensors_are_inputs() -> None:
    weights = floats(3).requires_grad_()
    f = fresh(lambda a: fold_sum(lambda i: a[i] * wrap(weights, "weights")[i]))
    compiled = torch.compile(lambda a: f(a) * 2, **EAGER)
    for factor in (1.0, 2.0):
        with torch.no_grad():
            weights *= factor
        (gradient,) = torch.autograd.grad(compiled(floats(3)), weights)
        torch.testing.assert_close(gradient, floats(3) * 2)
        torch.testing.assert_close(compiled(floats(3)), (floats(3) * weights).sum() * 2)


def test_a_function_is_not_confused_with_another_of_its_name() -> None:
    chosen = fresh(lambda a: a)
    compiled = torch.compile(lambda a: chosen(a), **EAGER)
    for factor in (2.0, 3.0, 4.0):
        chosen = fresh(lambda a, factor=factor: array(lambda i: a[i] * factor))
        torch.testing.assert_close(compiled(floats(3)), floats(3) * factor)


def test_calls_with_other_types_compile_nothing_anew() -> None:
    compilations = list[Any]()

    def note(graph: Any, inputs: Any) -> Any:
        compilations.append(graph)
        return graph.forward

    f = fresh(lambda a: array(lambda i: a[i] * 2))
    compiled = torch.compile(lambda a: f(a) + 1, backend=note, fullgraph=True)
    compiled(floats(3))
    f(floats(3, 2)[0].float())
    f(torch.arange(3))
    compiled(floats(3))
    assert len(compilations) == 1


class Layer(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weights = torch.nn.Parameter(floats(5))
        self.scores = fresh()

    def forward(self, a: Any) -> Any:
        return self.scores(a, self.weights)["state"].sum()


@pytest.mark.one_turn
def test_modules_are_compiled_whole() -> None:
    layer, a = Layer(), floats(3, 4)
    layer(a).backward()
    expected = layer.weights.grad
    layer.zero_grad()
    torch.compile(layer, backend="aot_eager", fullgraph=True)(a).backward()
    torch.testing.assert_close(layer.weights.grad, expected)
