"""Fused calls of PyTorch against the expressions that they replace, also for special values."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from ein_mlir import Float, Vec, array, exp, fold_max, fold_sum, function, rsqrt, where
from ein_mlir.pipelines import TORCH, run_pipeline
from ein_mlir.targets.python.printer import python_source

SPECIAL = (math.inf, -math.inf, math.nan, 0.0, -0.0, 800.0, -800.0, 1e-300)


@function
def softmax(x: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    def of_row(row: Vec[Float]) -> Vec[Float]:
        largest = fold_max(lambda j: row[j])
        total = fold_sum(lambda j: exp(row[j] - largest))
        return array(lambda j: exp(row[j] - largest) / total)

    return array(lambda i: of_row(x[i]))


@function
def softmax_of_columns(x: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    largest = array(lambda j: fold_max(lambda i: x[i, j]))
    weights = array(lambda i, j: exp(-(largest[j] - x[i, j])))
    total = array(lambda j: fold_sum(lambda i: weights[i, j]))
    return array(lambda i, j: weights[i, j] / total[j])


@function
def sigmoid(x: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    return array(lambda i, j: 1.0 / (exp(-x[i, j]) + 1.0))


@function
def gated(x: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    return array(lambda i, j: x[0, j] / (exp(-x[i, j]) + 1.0) + 3.0 / (1.0 + exp(x[i, 0])))


@function
def leaky_relu(x: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    return array(lambda i, j: where(x[i, j] > 0.0, x[i, j], x[i, j] * 0.125))


@function
def gelu(x: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    return array(lambda i, j: x[i, j] * (0.5 * ((x[i, j] * math.sqrt(0.5)).erf() + 1.0)))


@function
def approximate_gelu(x: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    def of_element(v: Float) -> Float:
        return 0.5 * v * (1.0 + ((v**3 * 0.044715 + v) * math.sqrt(2 / math.pi)).tanh())

    return array(lambda i, j: of_element(x[i, j]))


@function
def layer_norm(x: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    doubled = array(lambda i, j: x[i, j] + x[i, j])

    def of_row(row: Vec[Float]) -> Vec[Float]:
        mean = fold_sum(lambda j: row[j]) / row.size().float()
        variance = fold_sum(lambda j: (row[j] - mean) * (row[j] - mean)) / row.size().float()
        return array(lambda j: (row[j] - mean) * rsqrt(variance + 1e-5))

    return array(lambda i: of_row(doubled[i]))


@function
def layer_norm_by_root(x: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    n = x.size(1).float()
    mean = array(lambda i: fold_sum(lambda j: x[i, j]) / n)
    variance = array(lambda i: fold_sum(lambda j: (x[i, j] - mean[i]) ** 2) / n)
    return array(lambda i, j: (x[i, j] - mean[i]) / (1e-5 + variance[i]).sqrt() * x[0, j])


@function
def softmax_by_reciprocals(x: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    largest = array(lambda i: fold_max(lambda j: x[i, j]))
    weights = array(lambda i, j: exp(x[i, j] - largest[i]))
    scale = array(lambda i: 1.0 / fold_sum(lambda j: weights[i, j]))
    return array(lambda i, j: scale[i] * weights[i, j])


@function
def log_softmax(x: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    largest = array(lambda i: fold_max(lambda j: x[i, j]))
    total = array(lambda i: fold_sum(lambda j: exp(x[i, j] - largest[i])))
    return array(lambda i, j: x[i, j] - largest[i] - total[i].log())


@function
def log_softmax_of_columns(x: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    largest = array(lambda j: fold_max(lambda i: x[i, j]))
    total = array(lambda j: fold_sum(lambda i: exp(x[i, j] - largest[j])))
    return array(lambda i, j: x[i, j] - (total[j].log() + largest[j]))


@function
def log_sum_exp(x: Vec[Vec[Float]]) -> Vec[Float]:
    largest = array(lambda i: fold_max(lambda j: x[i, j]))
    total = array(lambda i: fold_sum(lambda j: exp(x[i, j] - largest[i])))
    return array(lambda i: largest[i] + total[i].log() - x[i, 0])


@function
def log_sum_exp_of_columns(x: Vec[Vec[Float]]) -> Vec[Float]:
    largest = array(lambda j: fold_max(lambda i: x[i, j]))
    total = array(lambda j: fold_sum(lambda i: exp(x[i, j] - largest[j])))
    return array(lambda j: total[j].log() + largest[j])


@function
def log_add_exp(x: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    def of_two(p: Float, q: Float) -> Float:
        largest = p.max(q)
        return p + largest + (exp(q - largest) + exp(p - largest)).log()

    return array(lambda i, j: of_two(x[i, j], x[i, x.size(1) - 1 - j]))


@function
def log_add_exp_of_three(x: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    def of_three(p: Float, q: Float, r: Float) -> Float:
        largest = p.max(q).max(r)
        return (exp(p - largest) + exp(q - largest) + exp(r - largest)).log() + largest

    return array(lambda i, j: of_three(x[i, j], x[0, j], x[i, x.size(1) - 1 - j]))


@function
def average(x: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    largest = array(lambda i: fold_max(lambda j: x[i, j]))
    weights = array(lambda i, j: exp(x[i, j] - largest[i]))
    total = array(lambda i: fold_sum(lambda j: weights[i, j]))
    return array(lambda i, k: fold_sum(lambda j: weights[i, j] * x[k, j]) / total[i])


@function
def average_of_columns(x: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    largest = array(lambda j: fold_max(lambda i: x[i, j]))
    weights = array(lambda i, j: exp(x[i, j] - largest[j]))
    total = array(lambda j: fold_sum(lambda i: weights[i, j]))
    return array(lambda j, k: fold_sum(lambda i: weights[i, j] * x[i, k]) / total[j])


@function
def average_of_heads(x: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    """Heads of two columns, merged in the result; of a single column, they are none."""
    n, heads = x.size(0), x.size(1) // 2
    scores = array(lambda h, i, j: x[i, 2 * h] * x[j, 2 * h + 1], size=(heads, n, n))
    largest = array(lambda h, i: fold_max(lambda j: scores[h, i, j]))
    weights = array(lambda h, i, j: exp(scores[h, i, j] - largest[h, i]))
    total = array(lambda h, i: fold_sum(lambda j: weights[h, i, j]))
    return array(
        lambda i, u: fold_sum(lambda j: weights[u // 2, i, j] * x[j, u]) / total[u // 2, i],
        size=(n, x.size(1)),
    )


@function
def silu(x: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    return array(lambda i, j: x[i, j] / (exp(-x[i, j]) + 1.0))


@function
def silu_by_the_logistic_function(x: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    return array(lambda i, j: 1.0 / (1.0 + exp(-x[i, j])) * x[i, j])


@function
def rms_norm(x: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    mean = array(lambda i: fold_sum(lambda j: x[i, j] ** 2) / x.size(1).float())
    return array(lambda i, j: x[0, j] * (x[i, j] / (mean[i] + 1e-6).sqrt()))


@function
def layer_norm_by_reciprocals(x: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    share = 1.0 / x.size(1).float()
    mean = array(lambda i: fold_sum(lambda j: x[i, j]) * share)
    variance = array(lambda i: share * fold_sum(lambda j: (x[i, j] - mean[i]) ** 2))
    return array(lambda i, j: (x[i, j] - mean[i]) * rsqrt(variance[i] + 1e-5))


FUNCTIONS: dict[str, tuple[Any, ...]] = {
    "torch.softmax(": (softmax, softmax_of_columns, softmax_by_reciprocals),
    " average(": (average, average_of_columns, average_of_heads),
    "torch.log_softmax(": (log_softmax, log_softmax_of_columns),
    "log_sum_exp(x, ": (log_sum_exp, log_sum_exp_of_columns),
    "torch.nn.functional.silu(": (silu, silu_by_the_logistic_function),
    "log_add_exp(": (log_add_exp, log_add_exp_of_three),
    "torch.rms_norm(": (rms_norm,),
    "torch.sigmoid(": (sigmoid, gated),
    "torch.nn.functional.leaky_relu(": (leaky_relu,),
    "torch.nn.functional.gelu(": (gelu, approximate_gelu),
    "torch.layer_norm(": (layer_norm, layer_norm_by_root, layer_norm_by_reciprocals),
}

CASES = [
    pytest.param(program, call, id=program.__name__)
    for call, programs in FUNCTIONS.items()
    for program in programs
]


def without_fusing(program: Any) -> Callable[..., torch.Tensor]:
    """The program before the fusion of its calls."""
    module = program.phi(np.zeros((1, 1))).clone()
    run_pipeline(module, [flag for flag in TORCH if flag != "fuse-torch-calls"])
    namespace: dict[str, Any] = {}
    exec(python_source(module), namespace)
    return namespace[program.__name__]


def rows() -> torch.Tensor:
    """Rows of ordinary numbers, and for each special number one that holds it."""
    x = torch.from_numpy(np.random.default_rng(0).normal(size=(len(SPECIAL) + 3, 37)))
    for row, number in enumerate(SPECIAL):
        x[row, row] = number
    x[-2], x[-1] = -math.inf, 3.0
    return x


@pytest.mark.parametrize(("program", "call"), CASES)
def test_values(program: Any, call: str) -> None:
    plain = without_fusing(program)
    ordinary = torch.from_numpy(np.random.default_rng(0).normal(size=(7, 5)))
    for x in (rows(), rows()[:, :1], rows()[:0], rows()[:, :0], rows().T, ordinary):
        torch.testing.assert_close(program(x), plain(x), equal_nan=True, rtol=1e-12, atol=1e-12)
    assert call in program.source(rows())


@pytest.mark.parametrize("program", [log_sum_exp, log_sum_exp_of_columns])
def test_large_sums_of_powers(program: Any) -> None:
    """The powers of some rows at a time, which are long enough for their largest log-softmax."""
    x = torch.from_numpy(np.random.default_rng(0).normal(size=(1100, 520)))
    x[: len(SPECIAL), :37] = rows()[: len(SPECIAL)]
    torch.testing.assert_close(program(x), without_fusing(program)(x), equal_nan=True)


@pytest.mark.parametrize(("program", "call"), CASES)
def test_gradients(program: Any, call: str) -> None:
    x = torch.from_numpy(np.random.default_rng(0).normal(size=(4, 5)))
    plain = without_fusing(program)

    def gradient(function: Callable[[torch.Tensor], torch.Tensor]) -> Any:
        return torch.func.jacrev(torch.func.grad(lambda x: function(x).sin().sum()))(x)

    torch.testing.assert_close(gradient(program), gradient(plain))


@function
def group_norm(x: Vec[Vec[Vec[Vec[Float]]]]) -> Vec[Vec[Vec[Vec[Float]]]]:
    """Along the last two of four axes, whose sizes are multiplied in any order."""
    n = (x.size(3) * x.size(2)).float()
    mean = array(lambda b, c: fold_sum(lambda i, j: x[b, c, i, j]) / n)
    variance = array(lambda b, c: fold_sum(lambda i, j: (x[b, c, i, j] - mean[b, c]) ** 2) / n)
    return array(
        lambda b, c, i, j: (
            (x[b, c, i, j] - mean[b, c]) / (variance[b, c] + 1e-5).sqrt() * x[0, c, 0, 0]
        )
    )


@function
def norm_of_images(x: Vec[Vec[Vec[Vec[Float]]]]) -> Vec[Vec[Vec[Vec[Float]]]]:
    """Along the last three of four axes."""
    n = (x.size(1) * x.size(2) * x.size(3)).float()
    mean = array(lambda b: fold_sum(lambda c, i, j: x[b, c, i, j]) / n)
    variance = array(lambda b: fold_sum(lambda c, i, j: (x[b, c, i, j] - mean[b]) ** 2) / n)
    return array(lambda b, c, i, j: (x[b, c, i, j] - mean[b]) * rsqrt(variance[b] + 1e-5))


@function
def norm_by_another_number(x: Vec[Vec[Vec[Vec[Float]]]]) -> Vec[Vec[Vec[Vec[Float]]]]:
    """The divisor is that of other axes."""
    n = (x.size(1) * x.size(2)).float()
    mean = array(lambda b, c: fold_sum(lambda i, j: x[b, c, i, j]) / n)
    variance = array(lambda b, c: fold_sum(lambda i, j: (x[b, c, i, j] - mean[b, c]) ** 2) / n)
    return array(lambda b, c, i, j: (x[b, c, i, j] - mean[b, c]) / (variance[b, c] + 1e-5).sqrt())


@pytest.mark.parametrize("program", [group_norm, norm_of_images, norm_by_another_number])
@pytest.mark.parametrize("shape", [(2, 3, 4, 5), (1, 1, 1, 1), (2, 2, 0, 3), (0, 1, 2, 2)])
def test_several_axes(program: Any, shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(0).normal(size=shape)
    expected = program.eval(x, backend="naive")
    actual = program(torch.from_numpy(x))
    np.testing.assert_allclose(actual, expected, rtol=1e-10, atol=1e-10)
    is_fused = "torch.layer_norm(" in program.source(torch.from_numpy(x))
    assert is_fused == (program is not norm_by_another_number)


def batch_norm(axis: int, rank: int) -> Any:
    """Deviations at each position of an axis, with a weight and another term."""

    @function
    def normalised(x: Any, weight: Vec[Float], bias: Vec[Float]) -> Any:
        def element(channel: Any, others: Any) -> Any:
            return x[(*others[:axis], channel, *others[axis:])]

        def of_channel(c: Any) -> Any:
            counted = [x.size(k) for k in range(rank) if k != axis]
            product: Any = math.prod(counted)
            count = product.float()
            indices = ", ".join(f"i{k}" for k in range(rank - 1))
            by_index = eval(f"lambda e: lambda {indices}: e(({indices},))")
            mean = fold_sum(by_index(lambda others: element(c, others)), count=tuple(counted))
            mean = mean / count
            squares = fold_sum(
                by_index(lambda others: (element(c, others) - mean) ** 2), count=tuple(counted)
            )
            return mean, rsqrt(squares / count + 1e-5)

        found = array(of_channel, size=x.size(axis))
        indices = ", ".join(f"i{k}" for k in range(rank))
        by_index = eval(f"lambda e: lambda {indices}: e(({indices},))")

        def of_element(i: Any) -> Any:
            mean, inverse = found[i[axis]]
            return (x[i] - mean) * inverse * weight[i[axis]] + bias[i[axis]]

        return array(by_index(of_element))

    return normalised


@pytest.mark.parametrize(("axis", "rank"), [(1, 2), (1, 3), (2, 3), (1, 4), (3, 4)])
@pytest.mark.parametrize("size", [0, 1, 2, 7])
@pytest.mark.parametrize("is_recorded", [False, True])
def test_deviations_at_each_position(axis: int, rank: int, size: int, is_recorded: bool) -> None:
    rng = np.random.default_rng(size)
    shape = [size if k != axis else 3 for k in range(rank)]
    tensors = [torch.from_numpy(rng.normal(size=s)) for s in (shape, 3, 3)]
    program = batch_norm(axis, rank)
    assert "batch_norm(x, " in program.source(*tensors)
    given = [tensor.requires_grad_(is_recorded) for tensor in tensors]
    found = program.torch(*given)
    arrays = [tensor.detach().numpy() for tensor in tensors]
    expected = program.eval(*arrays, backend="naive")
    np.testing.assert_allclose(found.detach().numpy(), expected, rtol=1e-9, atol=1e-9)
    if is_recorded and 1 < size < 7:
        assert torch.autograd.gradcheck(lambda *x: program.torch(*x).mT ** 2, given)


@pytest.mark.parametrize("added", [1e160, -1e300, 1e308, math.inf, math.nan])
@pytest.mark.parametrize("weight", [1.0, 1e-300, 1e200])
def test_deviations_of_large_numbers(added: float, weight: float) -> None:
    program = batch_norm(1, 2)
    x = np.random.default_rng(0).normal(size=(4, 3))
    x[:, 1] += added
    x[0, 2] = added
    given = x, np.full(3, weight), np.zeros(3)
    expected = program.eval(*given, backend="naive")
    found = program.torch(*map(torch.from_numpy, given))
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-9)


def norm_of_groups(channels: Callable[[Any], Any]) -> Any:
    """Deviations from the means of three groups of channels, with a weight and another term."""

    @function
    def normalised(x: Vec[Vec[Vec[Float]]], weight: Vec[Float], bias: Vec[Float]) -> Any:
        batch, size, length = x.shape
        each = channels(size)
        count = (each * length).float()

        def of_group(s: Any, k: Any) -> Any:
            counts = (each, length)
            total = fold_sum(lambda c, i: x[s, k * each + c, i], count=counts)
            mean = total / count
            deviation = fold_sum(lambda c, i: (x[s, k * each + c, i] - mean) ** 2, count=counts)
            return mean, deviation / count

        found = array(of_group, size=(batch, 3))

        def of_element(s: Any, c: Any, i: Any) -> Any:
            mean, variance = found[s, c // each]
            return (x[s, c, i] - mean) / (variance + 1e-5).sqrt() * weight[c] + bias[c]

        return array(of_element, size=(batch, size, length))

    return normalised


@pytest.mark.one_turn
@pytest.mark.parametrize("channels", [lambda size: 2, lambda size: size // 3], ids=["2", "thirds"])
@pytest.mark.parametrize("is_recorded", [False, True])
def test_groups_of_channels(channels: Any, is_recorded: bool) -> None:
    """The groups may be too many or too few for the channels: positions are clipped."""
    program = norm_of_groups(channels)
    for size, length in product((0, 1, 2, 5, 6, 7, 12), (0, 1, 4)):
        rng = np.random.default_rng(size + length)
        tensors = [torch.from_numpy(rng.normal(size=s)) for s in ((2, size, length), size, size)]
        given = [tensor.requires_grad_(is_recorded) for tensor in tensors]
        assert "norm_of_groups(" in program.source(*given)
        found = program.torch(*given)
        arrays = [tensor.detach().numpy() for tensor in tensors]
        expected = program.eval(*arrays, backend="naive")
        np.testing.assert_allclose(found.detach().numpy(), expected, rtol=1e-9, atol=1e-9)
        if is_recorded and size == 6 and length > 1:
            assert torch.autograd.gradcheck(lambda *x: program.torch(*x).mT ** 2, given)


@pytest.mark.parametrize("added", [1e160, -1e300, 1e308, math.inf, math.nan])
@pytest.mark.parametrize("weight", [1.0, 1e-300, 1e200])
def test_groups_of_large_numbers(added: float, weight: float) -> None:
    program = norm_of_groups(lambda size: 2)
    x = np.random.default_rng(0).normal(size=(2, 6, 3))
    x[0, :2] += added
    x[1, 3, 0] = added
    given = x, np.full(6, weight), np.zeros(6)
    expected = program.eval(*given, backend="naive")
    found = program.torch(*map(torch.from_numpy, given))
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-9)


@pytest.mark.parametrize("n", [0, 1, 2, 7])
def test_the_derivative_of_relu_is_that_of_its_operand_or_zero(n: int) -> None:
    rectified = function(lambda x: array(lambda i: x[i].max(0.0)))
    x = torch.linspace(-3.0, 3.5, n, dtype=torch.float64, requires_grad=True)
    found = rectified.torch(x)
    assert "torch.relu(" in rectified.source(x)
    assert found.tolist() == x.clamp(min=0.0).tolist()
    found.sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == (x > 0).double().tolist()


@function
def attend(x: Vec[Vec[Float]], v: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    largest = array(lambda i: fold_max(lambda j: x[i, j]))
    weights = array(lambda i, j: exp(x[i, j] - largest[i]))
    total = array(lambda i: fold_sum(lambda j: weights[i, j]))
    return array(lambda k, i: fold_sum(lambda j: v[k, j] * weights[i, j]) / total[i])


LEAST = -744.0
"""The power of this number is the least float, which no sum divides."""


@pytest.mark.parametrize("row", [(0.0, 0.0, LEAST), (0.0, -350.0, -math.inf), (0.0, -1e30, 800.0)])
@pytest.mark.parametrize("scale", [1.0, 1e-323, 1e-200, 1e300, math.inf, math.nan])
def test_averages_by_small_weights(row: tuple[float, ...], scale: float) -> None:
    """Where a weight or its product may be lost, the sums are divided; by ``torch.func.vmap``."""
    x = np.array([row, [0.0] * 3, [-math.inf] * 3])
    for v in (np.eye(3), np.ones((2, 3)), np.ones((1, 3)) - np.eye(3)[:1]):
        v[v == 1.0] = scale
        with np.errstate(all="ignore"):
            expected = attend.eval(x, v, backend="naive")
        arrays = torch.from_numpy(x), torch.from_numpy(v)
        np.testing.assert_allclose(attend(*arrays), expected, rtol=1e-14, atol=0)
        mapped = torch.func.vmap(attend)(*(each[None] for each in arrays))
        np.testing.assert_allclose(mapped[0], expected, rtol=1e-14, atol=0)


@pytest.mark.parametrize("shape", [(0, 2, 2), (2, 0, 2), (2, 2, 0), (1, 1, 1)])
def test_averages_of_few_numbers(shape: tuple[int, ...]) -> None:
    rows, count, columns = shape
    x, v = np.ones((rows, count)), np.ones((columns, count))
    with np.errstate(all="ignore"):
        expected = attend.eval(x, v, backend="naive")
    np.testing.assert_array_equal(attend(torch.from_numpy(x), torch.from_numpy(v)), expected)
