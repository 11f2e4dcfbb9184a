"""PyTorch programs on large tensors: they overwrite tensors where nothing records a call."""

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch.overrides import BaseTorchFunctionMode  # noqa: E402

from ein_mlir import array, concat, exp, fold, fold_sum, function, log, max, where  # noqa: E402
from ein_mlir.backends.torch import runtime  # noqa: E402
from tests.agreement.cases import CASES  # noqa: E402
from tests.agreement.comparison import assert_agree, given  # noqa: E402
from tests.agreement.second_set import SECOND_SET  # noqa: E402

TOLERANCE = {"float64": 1e-12, "float32": 1e-5}
INFINITY = float("inf")


@function
def chain(a: Any, b: Any) -> Any:
    """Operations whose operands die, numbers first and last, and a bound."""
    return array(lambda i: 2.0 - max(1.0 / (a[i] - 3.0 * exp(-(a[i] + b[i]))), 0.25) * a[i])


@function
def smoothed(a: Any, b: Any) -> Any:
    """An accumulator whose interior is replaced in each step, and its border kept."""
    n = a.size()

    def step(k: Any, x: Any) -> Any:
        inside = lambda i: b[i] * 0.5 + 0.25 * (x[i - 1] + x[i + 1])  # noqa: E731
        return array(lambda i: where((i > 0) & (i < n - 1), inside(i), x[i]))

    return fold(a, step, count=3)


@function
def waves(a: Any, b: Any) -> Any:
    """Two accumulators that change places, one of them read at three positions."""
    n = a.size()

    def step(k: Any, s: Any) -> Any:
        x, y = s
        inside = lambda i: 2.0 * x[i] - y[i] + x[i - 1] - 2.0 * x[i] + x[i + 1]  # noqa: E731
        return array(lambda i: where((i > 0) & (i < n - 1), inside(i), 0.0)), x

    return fold((a, b), step, count=4)


@function
def read_later(a: Any, b: Any) -> Any:
    """An element, and a part, of a tensor that is needed after the tensor."""
    n = a.size()
    c = array(lambda i: a[i] * b[i])
    d = array(lambda i: c[i] + c[0] * c[max(i - 1, 0)], size=n)
    return d, fold_sum(lambda i: c[i]), concat(c, d)


@function
def given_back(a: Any, b: Any) -> Any:
    """Results that may be the arguments."""
    return fold(a, lambda k, x: array(lambda i: x[i] + b[i]), count=a.size() // 1000), b


@function
def eliminated(a: Any, b: Any) -> Any:
    """A row and an element that are read before they are replaced, and elements after it."""
    n = a.size()

    def step(k: Any, s: Any) -> Any:
        m, v = s
        pivot = m[k, k]

        def entry(i: Any, j: Any) -> Any:
            row = m[k, j] / pivot
            return where(i == k, row, m[i, j] - m[i, k] * row)

        def side(i: Any) -> Any:
            x = v[k] / pivot
            return where(i == k, x, v[i] - m[i, k] * x)

        return array(entry, size=(n, n)), array(side, size=n)

    start = array(lambda i, j: where(i == j, 4.0, 0.0) + a[i] * b[j], size=(n, n))
    return fold((start, b), step, count=n)


@function
def swapped(a: Any, b: Any) -> Any:
    """Rows of one array in turn, also at positions that are out of bounds."""
    n = a.size()

    def step(k: Any, m: Any) -> Any:
        return array(lambda i, j: where(i == k * 2 - 1, m[k, j], m[i, j]), size=(n, n))

    return fold(array(lambda i, j: a[i] - b[j]), step, count=n)


@function
def moved(a: Any, b: Any) -> Any:
    """A slice of an array takes the place of one that overlaps it."""
    n = a.size()

    def step(k: Any, x: Any) -> Any:
        return array(lambda i: where(i >= k + 1, x[i - 1], x[i]), size=n)

    return fold(a, step, count=n), b


@function
def schur(a: Any, b: Any) -> Any:
    """A block of an array, in steps of which it is a smaller one."""
    n = a.size()

    def step(k: Any, m: Any) -> Any:
        def entry(i: Any, j: Any) -> Any:
            return where((i > k) & (j > k), m[i, j] - m[i, k] * m[k, j] / m[k, k], m[i, j])

        return array(entry, size=(n, n))

    return fold(array(lambda i, j: where(i == j, 4.0, 0.0) + a[i] * b[j]), step, count=n)


@function
def butterflies(a: Any, b: Any) -> Any:
    """Parts of blocks, computed in their places: two of each block, or one that is repeated."""
    n = a.size()

    def pair(p: Any, m: Any, x: Any) -> Any:
        first = p // (2 * m) * m + p % m
        return where(p // m % 2 == 0, x[first] + b[first], x[first] * b[p // (2 * m)])

    def step(s: Any, x: Any) -> Any:
        return array(lambda p: pair(p, 2**s, x), size=n)

    return fold(a, step, count=3), array(lambda p: pair(p, 1, a), size=2 * n)


@function
def repeated(a: Any, b: Any) -> Any:
    """A column beside columns that are equal."""
    n = a.size()
    table = array(lambda i, j: where(j == 0, a[i] + b[i], exp(a[i]) * b[i]), size=(n, n))
    return table, array(lambda i, j: where(j == 0, a[i], b[i] - a[i]), size=(n, 2))


@function
def chosen(a: Any, b: Any) -> Any:
    """One of two arrays, by a condition on data; both are read later."""
    c = array(lambda i: a[i] * b[i])
    first = array(lambda i: where(a[0] > 1.0, c[i], b[i]))
    second = array(lambda i: where(b[0] > 1.0, exp(c[i]), c[i]))
    return first, array(lambda i: first[i] + 1.0), second, array(lambda i: 2.0 * c[i] - b[i])


@function
def without_nan(a: Any, b: Any) -> Any:
    """Numbers, also infinite ones, with another number for NaN."""
    x = array(lambda i: where(a[i] > 1.0, log(a[i] - b[i]), 1.0 / (a[i] - a[0])))
    return array(lambda i: where(x[i] == x[i], x[i], 7.0)), array(
        lambda i: where(x[i] != x[i], -INFINITY, x[i])
    )


PROGRAMS = {
    f.__name__: f
    for f in (
        chain,
        smoothed,
        waves,
        read_later,
        given_back,
        eliminated,
        swapped,
        moved,
        schur,
        butterflies,
        repeated,
        chosen,
        without_nan,
    )
}

each = pytest.mark.parametrize("name", PROGRAMS)


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The versions that calls use; all tensors count as large."""
    used = list[Any]()
    monkeypatch.setattr(runtime, "LARGE", 0)
    monkeypatch.setattr(runtime, "FEW", 0)
    readable = runtime.numpy_readable

    def spy(values: Any) -> bool:
        is_readable = readable(values)
        if is_readable:
            used.append(values)
        return is_readable

    monkeypatch.setattr(runtime, "numpy_readable", spy)
    return used


def inputs(size: int, dtype: Any) -> tuple[Any, Any]:
    numbers = np.random.default_rng(size).uniform(0.5, 1.5, (2, size))
    a, b = torch.tensor(numbers, dtype=dtype)
    return a, b


def expected(program: Any, values: Any) -> Any:
    return program.eval(*(np.asarray(value.detach()) for value in values), backend="naive")


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@each
def test_agrees(name: str, dtype: Any, compiled: list[Any]) -> None:
    for size in (0, 1, 2, 7):
        a, b = inputs(size, dtype)
        given = a.clone(), b.clone()
        assert_agree(PROGRAMS[name](*given), expected(PROGRAMS[name], (a, b)), TOLERANCE)
        assert compiled
        assert torch.equal(given[0], a), "an input was changed"
        assert torch.equal(given[1], b), "an input was changed"


@each
def test_strides(name: str, compiled: list[Any]) -> None:
    """Tensors with gaps, and with elements that share memory."""
    a, b = inputs(7, torch.float64)
    spread = torch.stack((a, b), 1)
    for values in ((spread[:, 0], spread[:, 1]), (a[:1].expand(7), b), (a, a), (a.flip(0), b)):
        before = expected(PROGRAMS[name], values)
        assert_agree(PROGRAMS[name](*values), before, TOLERANCE)
        assert_agree(PROGRAMS[name](*values), before, TOLERANCE)


@each
def test_results_belong_to_the_caller(name: str, compiled: list[Any]) -> None:
    a, b = inputs(2001 if name == "given_back" else 201, torch.float64)
    given = a.clone(), b.clone()
    results = PROGRAMS[name](*given)
    for result in results if isinstance(results, tuple) else (results,):
        result.mul_(2.0)
    assert torch.equal(given[0], a)
    assert torch.equal(given[1], b)


@each
def test_gradients_need_the_old_values(name: str, compiled: list[Any]) -> None:
    a, b = inputs(5, torch.float64)
    expected = PROGRAMS[name](a, b)
    compiled.clear()
    with BaseTorchFunctionMode():
        assert_agree(PROGRAMS[name](a, b), expected, TOLERANCE)
    recorded = a.clone().requires_grad_()
    results = PROGRAMS[name](recorded, b)
    first = results[0] if isinstance(results, tuple) else results
    first.sum().backward()
    slope = torch.func.grad(
        lambda x: (r[0] if isinstance(r := PROGRAMS[name](x, b), tuple) else r).sum()
    )(a)
    assert torch.allclose(recorded.grad, slope)
    stack = torch.func.vmap(PROGRAMS[name], in_dims=(0, None))(torch.stack((a, a)), b)
    assert_agree(torch.utils._pytree.tree_map(lambda x: x[0], stack), expected, TOLERANCE)
    assert not compiled
    with torch.no_grad():
        assert_agree(PROGRAMS[name](recorded, b), expected, TOLERANCE)
    assert compiled


@pytest.mark.one_turn
@pytest.mark.parametrize("name", [*CASES, *SECOND_SET])
def test_cases(name: str, compiled: list[Any]) -> None:
    case = (CASES | SECOND_SET)[name]
    values = case.inputs(case.small[-1], "float64", np.random.default_rng(0))
    tensors = [given(value, "torch") for value in values]
    copies = [value.clone() if isinstance(value, torch.Tensor) else value for value in tensors]
    actual = case.program.eval(*tensors, backend="torch")
    assert_agree(actual, case.program.eval(*values, backend="naive"), case.tolerance)
    for value, copy in zip(tensors, copies, strict=True):
        assert not isinstance(value, torch.Tensor) or torch.equal(value, copy)


def test_small_tensors_are_not_worth_it() -> None:
    """A version is compiled for large tensors only."""
    source = runtime.LARGE
    assert all(not runtime._is_large((torch.ones(size),)) for size in (0, source - 1))
    assert runtime._is_large((1.0, torch.ones(source)))
