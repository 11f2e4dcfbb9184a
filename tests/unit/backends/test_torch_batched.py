"""PyTorch programs under ``torch.func.vmap``, which hides the values that tests would read."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from ein_mlir import array, exp, fold, fold_sum, function, max, scan, searchsorted, where  # noqa: E402
from tests.agreement.cases import CASES  # noqa: E402
from tests.agreement.cases.case import Case  # noqa: E402
from tests.agreement.comparison import leaves  # noqa: E402
from tests.agreement.second_set import SECOND_SET  # noqa: E402


def deconvolved(a: Any, w: Any) -> Any:
    """A transposed convolution: a mask of a product of which one factor has windows."""

    def term(i: Any, k: Any) -> Any:
        inside = (i - k >= 0) & ((i - k) % 2 == 0) & ((i - k) // 2 < a.size())
        return where(inside, a[(i - k) // 2] * w[k], 0.0)

    return array(lambda i: fold_sum(lambda k: term(i, k)), size=2 * a.size() + w.size())


def resampled(a: Any, w: Any) -> Any:
    """Searches in cumulative sums, which need not be in order."""
    sums = scan(array(lambda i: a[i] * a[i]), 0.0, lambda x, y: x + y)
    return array(lambda k: a[searchsorted(sums, w[k]) % a.size()])


def best_run(a: Any, w: Any) -> Any:
    """A recurrence that is a scan with weights if no sum may be infinite."""

    def step(i: Any, best: Any) -> Any:
        return array(lambda q: where(q == i + 1, max(best[i] + a[i], w[0]), best[q]))

    return fold(array(lambda q: 0.0, size=a.size() + 1), step, count=a.size())


def distances(a: Any, w: Any) -> Any:
    """Rows of such recurrences."""

    def row(i: Any, above: Any) -> Any:
        def cell(j: Any, here: Any) -> Any:
            new = (a[i] - w[j]).abs() + max(above[j], max(above[j + 1], here[j]))
            return array(lambda q: where(q == j + 1, new, here[q]))

        return fold(array(lambda j: 0.0, size=w.size() + 1), cell, count=w.size())

    return fold(array(lambda j: 0.0, size=w.size() + 1), row, count=a.size())


def binned(a: Any, w: Any) -> Any:
    """Sums over ranges of keys, which are runs of the keys in order."""

    def bin_of(b: Any) -> Any:
        low = b.float() - 1.0
        return fold_sum(lambda i: where((low <= a[i]) & (a[i] < low + 1.0), exp(w[i]), 0.0))

    return array(bin_of, size=3)


PROGRAMS = [deconvolved, resampled, best_run, distances, binned]
KINDS = [(0, "float64"), (1, "float32"), (2, "float64"), (7, "float32"), (7, "float64")]


def assert_close(found: Any, expected: Any) -> None:
    for x, y in zip(leaves(found), leaves(expected), strict=True):
        torch.testing.assert_close(x, y, equal_nan=True)


def batches(size: int, dtype: str) -> list[Any]:
    rng = np.random.default_rng(size)
    return [torch.tensor(rng.normal(size=(3, size)).astype(dtype)) for _ in range(2)]


@pytest.mark.parametrize(("size", "dtype"), KINDS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_batches_are_those_of_single_calls(
    program: Callable[[Any, Any], Any], size: int, dtype: str
) -> None:
    if size == 0 and program in (resampled, best_run):
        return  # they read an element of an empty vector
    f, (a, w) = function(program), batches(size, dtype)
    a[1, size // 2 :] = torch.inf
    for axes in ((0, 0), (0, None), (None, 0)):
        many = [x if axis == 0 else x[0] for x, axis in zip((a, w), axes, strict=True)]
        each = [
            f.torch(*(x[k] if axis == 0 else x for x, axis in zip(many, axes, strict=True)))
            for k in range(3)
        ]
        assert_close(torch.func.vmap(f.torch, axes)(*many), torch.stack(each))


@pytest.mark.one_turn
@pytest.mark.filterwarnings("ignore:There is a performance drop")  # from PyTorch: of views
@pytest.mark.parametrize("size", [1, 2, 7])
@pytest.mark.parametrize("program", PROGRAMS)
def test_gradients_of_batches(program: Callable[[Any, Any], Any], size: int) -> None:
    f, (a, w) = function(program), batches(size, "float64")
    gradient = torch.func.grad(lambda a, w: (f.torch(a, w) ** 2).sum(), argnums=(0, 1))
    each = [torch.stack(parts) for parts in zip(*map(gradient, a, w), strict=True)]
    assert_close(torch.func.vmap(gradient)(a, w), tuple(each))
    batched = torch.func.vmap(f.torch)
    whole = torch.func.grad(lambda a, w: (batched(a, w) ** 2).sum(), argnums=(0, 1))
    assert_close(whole(a, w), tuple(each))


@pytest.mark.one_turn
@pytest.mark.parametrize("case", {**CASES, **SECOND_SET}.values(), ids=lambda case: case.name)
def test_cases(case: Case) -> None:
    """Each array of floats with a batch of its own."""
    values = [
        torch.tensor(x) if isinstance(x, np.ndarray) else x
        for x in case.inputs(2, "float64", np.random.default_rng(0))
    ]
    axes = tuple(
        0 if isinstance(x, torch.Tensor) and x.is_floating_point() else None for x in values
    )
    if 0 not in axes:
        return
    many = [
        torch.stack((x, 0.9 * x)) if axis == 0 else x for x, axis in zip(values, axes, strict=True)
    ]

    def program(*values: Any) -> Any:
        return tuple(leaves(case.program.torch(*values)))

    found = torch.func.vmap(program, axes)(*many)
    for k in range(2):
        each = [x[k] if axis == 0 else x for x, axis in zip(many, axes, strict=True)]
        assert_close([part[k] for part in found], program(*each))
