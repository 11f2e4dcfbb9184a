"""PyTorch programs whose loops do little work in a step: they run as NumPy code where they can."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch.autograd import forward_ad  # noqa: E402
from torch.fx.experimental.proxy_tensor import make_fx  # noqa: E402
from torch.overrides import BaseTorchFunctionMode  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

from ein_mlir import Float, array, ext, fold, function, max, where  # noqa: E402
from ein_mlir.backends.torch import runtime  # noqa: E402
from ein_mlir.compiler import compile  # noqa: E402
from tests.agreement.comparison import assert_agree  # noqa: E402

TOLERANCE = {"float64": 1e-12, "float32": 1e-5}


def replaced(a: Any, i: Any, value: Any) -> Any:
    return array(lambda q: where(q == i, value, a[q]))


@function
def smoothed(a: Any, weight: Any) -> Any:
    """A recurrence of scalars, each written to its place."""
    first = array(lambda i: 0.0 * a[i])
    return fold(
        (first, 0.0 * weight),
        lambda i, s: (
            replaced(s[0], i, s[1] * weight + a[i] * (1.0 - weight)),
            s[1] * weight + a[i] * (1.0 - weight),
        ),
        count=a.size(),
    )[0]


@function
def logistic(rate: Any, x: Any) -> Any:
    """A recurrence of scalars without arrays."""
    return fold(x, lambda t, x: rate * x * (1.0 - x), count=50)


@function
def square_root(a: Any) -> Any:
    """Newton's iteration on the sum of an array, of a scalar."""
    total: Any = fold(1.0 + 0.0 * a[0], lambda i, s: s + a[i] * a[i], count=a.size())
    return fold(total, lambda t, x: (x + total / x) * 0.5, count=8)


@function
def common_subsequence(a: Any, b: Any) -> Any:
    """A table of Ints by elements, in nested loops."""

    def row(p: Any, table: Any) -> Any:
        def cell(q: Any, table: Any) -> Any:
            longer = where(a[p] == b[q], table[p, q] + 1, max(table[p, q + 1], table[p + 1, q]))
            return array(lambda i, j: where((i == p + 1) & (j == q + 1), longer, table[i, j]))

        return fold(table, cell, count=b.size())

    return fold(array(lambda i, j: 0, size=(a.size() + 1, b.size() + 1)), row, count=a.size())


@function
def walks(a: Any, steps: Any) -> Any:
    """An element at a computed position, which may be out of bounds; Bools and Ints beside it."""

    def step(t: Any, s: Any) -> Any:
        seen, place = s
        return replaced(seen, place, True), (place * 5 + a[t]) % (a.size() + 2)

    start = array(lambda i: a[i] != a[i]), a.size() * 0
    return fold(start, step, count=steps)


@function
def substitution(lower: Any, b: Any) -> Any:
    """An element of a step that is a reduction."""

    def step(i: Any, x: Any) -> Any:
        known = fold(
            0.0 * b[0], lambda j, s: s + where(j < i, lower[i, j] * x[j], 0.0), count=b.size()
        )
        return replaced(x, i, (b[i] - known) / (1.0 + lower[i, i] * lower[i, i]))

    return fold(array(lambda i: 0.0 * b[i]), step, count=b.size())


@function
def eliminated(a: Any) -> Any:
    """A region that shrinks from step to step."""

    def step(k: Any, a: Any) -> Any:
        def entry(i: Any, j: Any) -> Any:
            factor = a[i, k] / (3.0 + a[k, k] * a[k, k])
            return where((i > k) & (j > k), a[i, j] - factor * a[k, j], a[i, j])

        return array(entry)

    return fold(a, step, count=a.size())


@function
def columns(a: Any) -> Any:
    """Columns of one array in turn, each from the one before; the start is an argument."""

    def step(k: Any, a: Any) -> Any:
        return array(lambda i, j: where(j == k + 1, a[i, k] * 0.5 + a[i, j], a[i, j]))

    return fold(a, step, count=a.size(1))


@function
def views(a: Any) -> Any:
    """Views of an array that a loop has made."""
    sums = smoothed(a, 0.5 + 0.0 * a[0])
    last = a.size() - 1
    return array(lambda i: sums[last - i], size=a.size()), array(
        lambda i, j: sums[j], size=(3, a.size())
    )


def floats(*shape: int, dtype: Any = torch.float64) -> Any:
    generator = torch.Generator().manual_seed(len(shape) + sum(shape))
    return torch.randn(*shape, generator=generator, dtype=torch.float64).to(dtype)


def ints(size: int) -> Any:
    return torch.randint(0, 4, (size,), generator=torch.Generator().manual_seed(size))


def scalar(value: float, dtype: Any) -> Any:
    return torch.tensor(value, dtype=dtype)


Inputs = Callable[[int, Any], tuple[Any, ...]]

PROGRAMS: dict[str, tuple[Any, Inputs]] = {
    "smoothed": (smoothed, lambda n, d: (floats(n, dtype=d), scalar(0.7, d))),
    "logistic": (logistic, lambda n, d: (scalar(3.1, d), scalar(0.3, d))),
    "square root": (square_root, lambda n, d: (floats(n, dtype=d),)),
    "common subsequence": (common_subsequence, lambda n, d: (ints(n), ints(n + 1))),
    "walks": (walks, lambda n, d: (ints(n), torch.tensor(n))),
    "substitution": (substitution, lambda n, d: (floats(n, n, dtype=d), floats(n, dtype=d))),
    "eliminated": (eliminated, lambda n, d: (floats(n, n, dtype=d),)),
    "columns": (columns, lambda n, d: (floats(n, n + 1, dtype=d),)),
    "views": (views, lambda n, d: (floats(n, dtype=d),)),
}
"""Programs, with arguments for a size and a dtype of Floats."""

DIFFERENTIABLE = ["smoothed", "logistic", "square root", "substitution", "eliminated", "columns"]

each = pytest.mark.parametrize("name", PROGRAMS)
each_differentiable = pytest.mark.parametrize("name", DIFFERENTIABLE)


@pytest.fixture
def on_numpy(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The arguments that calls convert for NumPy."""
    converted = list[Any]()
    convert = runtime._to_numpy

    def spy(value: Any) -> Any:
        converted.append(value)
        return convert(value)

    monkeypatch.setattr(runtime, "_to_numpy", spy)
    monkeypatch.setattr(runtime, "FEW", 1 << 15)
    return converted


def copies(values: Any) -> Any:
    return tuple(value.clone() for value in values)


def to_numpy(values: Any) -> Any:
    return tuple(np.asarray(value)[()] for value in values)


@pytest.mark.parametrize("mode", [torch.enable_grad, torch.no_grad, torch.inference_mode])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@each
def test_programs_run_on_numpy(name: str, dtype: Any, mode: Any, on_numpy: list[Any]) -> None:
    program, inputs = PROGRAMS[name]
    for size in (0, 1, 2, 7):
        arguments = inputs(size, dtype)
        given = copies(arguments)
        on_numpy.clear()
        with mode():
            actual = program(*given)
        assert on_numpy
        assert_agree(actual, program.eval(*to_numpy(arguments), backend="naive"), TOLERANCE)
        for argument, before in zip(given, arguments, strict=True):
            assert torch.equal(argument, before), "an input was changed"


@each
def test_tensors_give_the_same(name: str, on_numpy: list[Any]) -> None:
    program, inputs = PROGRAMS[name]
    for size in (0, 1, 2, 7):
        arguments = inputs(size, torch.float64)
        expected = program(*arguments)
        on_numpy.clear()
        with BaseTorchFunctionMode():
            actual = program(*arguments)
        assert not on_numpy
        assert_agree(actual, expected, TOLERANCE)


@each
def test_results_belong_to_the_caller(name: str) -> None:
    program, inputs = PROGRAMS[name]
    arguments = inputs(5, torch.float64)
    results = program(*arguments)
    before = copies(arguments)
    for result in results if isinstance(results, tuple) else (results,):
        assert type(result) is torch.Tensor
        result.zero_()
    assert all(map(torch.equal, arguments, before))


@pytest.mark.parametrize(
    "a",
    [
        floats(8)[::2],
        floats(4).flip(0),
        floats(1).expand(4),
        floats(4, 3)[:, 1],
        torch.nn.Parameter(floats(4), requires_grad=False),
        torch._neg_view(floats(4)),
    ],
    ids=["strided", "flipped", "expanded", "column", "parameter", "negated lazily"],
)
def test_tensors_of_every_layout(a: Any) -> None:
    expected = smoothed(a.clone().contiguous(), scalar(0.7, torch.float64))
    before = a.clone()
    torch.testing.assert_close(smoothed(a, 0.7), expected)
    assert torch.equal(a, before)


def test_matrices_of_every_layout() -> None:
    for a in (floats(4, 5).T, floats(1, 5).expand(4, 5), floats(4, 10)[:, ::2]):
        torch.testing.assert_close(columns(a), columns(a.contiguous()))
        torch.testing.assert_close(eliminated(a[:, :4]), eliminated(a[:, :4].contiguous()))


def test_arguments_of_other_libraries() -> None:
    a = np.arange(4.0)
    expected = smoothed(torch.from_numpy(a), 0.5)
    assert torch.equal(smoothed.torch(a, np.float64(0.5)), expected)
    assert torch.equal(smoothed.torch(a[::-1][::-1], 0.5), expected)
    read_only = np.broadcast_to(np.float64(1.0), 4)
    assert smoothed.torch(read_only, 0.5).shape == (4,)


def test_numbers_keep_their_types() -> None:
    assert logistic.torch(3.0, 0.25).dtype is torch.float64
    assert logistic(scalar(3.0, torch.float32), scalar(0.25, torch.float32)).dtype is torch.float32
    seen, place = walks(ints(3), 3)
    assert (seen.dtype, place.dtype, place.shape) == (torch.bool, torch.int64, ())


# Gradients and transformations


@each_differentiable
def test_gradients(name: str, on_numpy: list[Any]) -> None:
    program, inputs = PROGRAMS[name]
    arguments = [a.requires_grad_() for a in inputs(4, torch.float64)]
    on_numpy.clear()
    assert torch.autograd.gradcheck(program, arguments)
    assert all(result.requires_grad for result in [program(*arguments)])
    assert not on_numpy


def test_tensors_with_gradients_are_read_where_none_are_recorded(on_numpy: list[Any]) -> None:
    a = floats(4).requires_grad_()
    with torch.no_grad():
        result = smoothed(a, 0.5)
    assert on_numpy
    assert not result.requires_grad
    torch.testing.assert_close(result, smoothed(a, 0.5).detach())


@each_differentiable
def test_vmap(name: str) -> None:
    program, inputs = PROGRAMS[name]
    batch = [inputs(4, torch.float64), inputs(4, torch.float64)]
    batch[1] = tuple(value * 0.5 for value in batch[1])
    stacked = [torch.stack(values) for values in zip(*batch, strict=True)]
    expected = torch.stack([program(*each) for each in batch])
    torch.testing.assert_close(torch.func.vmap(program)(*stacked), expected)


@pytest.mark.filterwarnings("ignore:`torch.jit.*` is deprecated")  # by forward mode itself
@each_differentiable
def test_derivatives_of_functions(name: str) -> None:
    program, inputs = PROGRAMS[name]
    arguments = inputs(4, torch.float64)
    first = torch.func.jacrev(program)(*arguments)
    torch.testing.assert_close(torch.func.jacfwd(program)(*arguments), first)
    tangents = tuple(torch.ones_like(value) for value in arguments)
    value, change = torch.func.jvp(program, arguments, tangents)
    torch.testing.assert_close(value, program(*arguments))
    with forward_ad.dual_level():
        duals = [forward_ad.make_dual(*pair) for pair in zip(arguments, tangents, strict=True)]
        torch.testing.assert_close(forward_ad.unpack_dual(program(*duals)).tangent, change)
    gradient = torch.func.grad(lambda *values: program(*values).sum())(*arguments)
    by_result = first.reshape(-1, *arguments[0].shape)
    torch.testing.assert_close(gradient, by_result.sum(0))


@pytest.mark.one_turn
@pytest.mark.parametrize("name", ["smoothed", "logistic", "substitution", "eliminated", "columns"])
def test_callers_are_compiled_whole(name: str, on_numpy: list[Any]) -> None:
    torch._dynamo.reset()
    program, inputs = PROGRAMS[name]
    arguments = inputs(3, torch.float64)
    expected = program(*arguments)
    on_numpy.clear()
    compiled = torch.compile(lambda *values: program(*values), backend="eager", fullgraph=True)
    torch.testing.assert_close(compiled(*arguments), expected)
    assert not on_numpy


@pytest.mark.filterwarnings("ignore:`torch.jit.*` is deprecated")
@pytest.mark.filterwarnings("ignore::torch.jit.TracerWarning")  # sizes become constants
def test_tracers_see_every_operation() -> None:
    a, weight = floats(3), scalar(0.5, torch.float64)
    for traced in (make_fx(smoothed)(a, weight), torch.jit.trace(smoothed, (a, weight))):
        torch.testing.assert_close(traced(a + 1.0, weight), smoothed(a + 1.0, weight))


def test_modes_see_every_operation() -> None:
    class Names(TorchDispatchMode):
        def __init__(self) -> None:
            super().__init__()
            self.seen = set[str]()

        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            self.seen.add(str(func))
            return func(*args, **(kwargs or {}))

    with Names() as names:
        smoothed(floats(3), scalar(0.5, torch.float64))
    assert "aten.mul.Tensor" in names.seen


def test_other_devices_compute_for_themselves(on_numpy: list[Any]) -> None:
    assert smoothed(floats(3).to("meta"), 0.5).device.type == "meta"
    with torch.device("meta"):
        assert logistic.torch(3.0, 0.25).device.type == "meta"
    assert not on_numpy


def test_autocast_reaches_the_operations(on_numpy: list[Any]) -> None:
    with torch.autocast("cpu"):
        smoothed(floats(3), 0.5)
    assert not on_numpy


# Choice of programs


def test_errors_are_the_same() -> None:
    for arguments in ((floats(2, 3), floats(2)), (floats(2, 2), floats(3))):
        messages = set[str]()
        for mode in (torch.no_grad, BaseTorchFunctionMode):
            try:
                with mode():
                    substitution(*arguments)
            except ValueError as error:
                messages.add(str(error))
            else:
                messages.add("")
        assert len(messages) == 1


@function
def heat(a: Any, steps: Any) -> Any:
    """Steps that compute whole arrays."""

    def step(t: Any, a: Any) -> Any:
        inside = array(lambda i: (a[i] + a[i + 2]) * 0.5, size=a.size() - 2)
        last = a.size() - 1
        return array(lambda i: where((i > 0) & (i < last), inside[i - 1], a[i]))

    return fold(a, step, count=steps)


def test_a_program_of_whole_arrays_stays_with_tensors(
    on_numpy: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runtime, "FEW", 6)
    heat(floats(6), 3)
    assert not on_numpy
    assert "NumPy code" not in heat.explain(floats(6), 3)
    heat(floats(5), 3)
    assert on_numpy


def test_elements_before_a_loop_count(on_numpy: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    @function
    def f(a: Any, steps: Any) -> Any:
        total = array(lambda i, j: (a[i] * a[j]).exp(), size=(a.size(), a.size()))
        row = array(lambda i: total[i, 0])
        return fold(row, lambda t, x: array(lambda i: (x[i] + 1.0).sqrt()), count=steps), total

    monkeypatch.setattr(runtime, "FEW", 100)
    f(floats(7), 3)  # 8 * 49 of at most 400
    assert on_numpy
    on_numpy.clear()
    f(floats(8), 3)
    assert not on_numpy


def test_explain_says_so() -> None:
    program = compile(smoothed.phi(floats(3), 0.5), backend="torch")
    assert "run NumPy code" in program.explain()
    compiled = compile(program._module, backend="torch", jit={"backend": "eager"})
    assert "run NumPy code" not in compiled.explain()


def test_extrinsics_are_called_with_tensors(on_numpy: list[Any]) -> None:
    sine = ext(torch.sin, ([Float], Float))

    @function
    def f(a: Any) -> Any:
        return fold(0.0 * a[0], lambda i, s: sine(s + a[i]), count=a.size())

    assert f(floats(3)).shape == ()
    assert not on_numpy
