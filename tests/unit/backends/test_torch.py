"""PyTorch: the tests of NumPy's scalars and arrays on tensors; then tests for tensors only."""

import itertools
import math
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from xdsl.context import Context
from xdsl.utils.exceptions import PassFailedException

from ein_mlir import array, exp, fold, fold_max, fold_sum, function, where, wrap
from ein_mlir.backends.numpy import prelude as numpy_prelude
from ein_mlir.backends.torch import prelude as torch_prelude
from ein_mlir.compiler import compile
from ein_mlir.errors import EinTypeError
from ein_mlir.passes.conversions.convert_yarr_to_torch import ConvertYarrToTorchPass
from ein_mlir.targets.python.printer import python_source
from tests.agreement.comparison import leaves
from tests.unit.backends.conftest import load, parse
from tests.unit.backends.test_numpy_arrays import (  # noqa: F401
    test_extern_calls_a_global,
    test_messages,
    test_operation,
    test_program,
    test_results_share_no_memory,
)
from tests.unit.backends.test_numpy_scalars import (  # noqa: F401
    test_bitcast,
    test_bool_binary,
    test_cast,
    test_cmpf,
    test_cmpi,
    test_float_binary,
    test_float_to_int_truncates,
    test_float_unary,
    test_fma,
    test_fpowi,
    test_int_binary,
    test_int_unary,
    test_literal_operands,
    test_products_of_many_sizes_wrap,
    test_select,
    test_shift,
    test_sizes_as_operands,
    test_unsigned_binary,
)


def emit(text: str) -> str:
    module = parse(text)
    ConvertYarrToTorchPass().apply(Context(), module)
    module.verify()
    return python_source(module)


def to_torch(value: Any) -> Any:
    """Tensors that share the memory of arrays."""
    if isinstance(value, tuple):
        return tuple(map(to_torch, value))
    return torch.from_numpy(np.asarray(value))


def to_numpy(value: Any) -> Any:
    """Arrays that share the memory of tensors."""
    return tuple(map(to_numpy, value)) if isinstance(value, tuple) else value.numpy()


def on_arrays(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of tensors as one of arrays."""
    return lambda *args: to_numpy(function(*map(to_torch, args)))


@pytest.fixture
def build() -> Callable[..., Callable[..., Any]]:
    """Yarr text -> the function that its last ``func.func`` becomes, on arrays."""

    def loaded(text: str, **externs: Any) -> Callable[..., Any]:
        on_tensors = {
            name: lambda *args, f=function: to_torch(f(*map(to_numpy, args)))
            for name, function in externs.items()
        }
        return on_arrays(load(emit(text), **on_tensors))

    return loaded


def test_what_has_no_lowering_is_told():
    text = """
      func.func @f(%a: tensor<?xi64>) -> tensor<?xi64> {
        %0 = yarr.elementwise { math.cttz } %a : (tensor<?xi64>) -> tensor<?xi64>
        func.return %0 : tensor<?xi64>
      }"""
    with pytest.raises(PassFailedException, match="convert-yarr-to-torch has no lowering for"):
        emit(text)


# Programs -------------------------------------------------------------------------------------


def staged(f: Callable[..., Any], backend: str | None = None) -> Any:
    """`function`, whose result takes tensors as well as staged values."""
    return function(f, backend=backend)


@staged
def running_logistic(a, b):
    """Reductions, gathers with clipped positions, a fold, and a record."""
    scores = array(lambda i: fold_sum(lambda j: a[i, j] * b[j + 1]))
    state = fold(scores, lambda k, x: array(lambda i: x[i] / (1 + exp(-x[i])) + a[i, k]), count=2)
    return {"state": state, "top": fold_max(lambda i: state[i]), "product": scores[0] ** 3}


@staged
def double(a):
    return array(lambda i: 2 * a[i])


def floats(*shape: int, dtype: torch.dtype = torch.float64) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randn(*shape, dtype=dtype, generator=generator)


def summed(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    result = running_logistic(a, b)
    return result["state"].sum() + result["top"] + result["product"]


def test_the_backend_is_that_of_the_arguments():
    a, b = floats(3, 4), floats(4)
    result = running_logistic(a, b)
    expected = running_logistic(a.numpy(), b.numpy())
    assert type(expected["state"]) is np.ndarray
    for name, value in result.items():
        assert type(value) is torch.Tensor
        np.testing.assert_allclose(value.numpy(), expected[name], rtol=1e-12)
    assert "torch.nn.functional.silu" in running_logistic.source(a, b)
    assert "np.exp" in running_logistic.source(a.numpy(), b.numpy())


def test_a_backend_may_be_named():
    a = np.arange(3.0)
    for result in (double.torch(a), double.eval(a, backend="torch"), double.torch(wrap(a))):
        assert type(result) is torch.Tensor
        assert result.tolist() == [0.0, 2.0, 4.0]
    assert type(double.numpy(torch.arange(3.0))) is np.ndarray
    assert type(staged(double.__wrapped__, "torch")(a)) is torch.Tensor


def test_wrapped_tensors():
    a = wrap(floats(3), "a")
    total = fold_sum(lambda i: a[i])
    for result in (total.eval(), total.torch(), total.eval(backend="torch")):
        assert type(result) is torch.Tensor
        assert result.shape == ()
    assert type(total.numpy()) is np.float64
    scale = wrap(torch.tensor(2.0))
    assert type((scale * 3).eval()) is torch.Tensor
    with pytest.raises(EinTypeError, match="uint64 have no type in Ein"):
        wrap(torch.zeros(2, dtype=torch.uint64))


def test_captured_tensors_choose_the_backend_too():
    weights = wrap(floats(3).requires_grad_(), "weights")
    scaled = staged(lambda x: array(lambda i: weights[i] * x))
    assert scaled(2.0).requires_grad


def test_gradients_agree_with_differences():
    arguments = [floats(3, 4).requires_grad_(), floats(4).requires_grad_()]
    assert torch.autograd.gradcheck(summed, arguments, check_batched_grad=True)
    assert torch.autograd.gradgradcheck(summed, arguments)


@pytest.mark.one_turn
def test_transformations():
    a, b = floats(5, 3, 4), floats(4)
    batched = torch.func.vmap(summed, in_dims=(0, None))(a, b)
    torch.testing.assert_close(batched, torch.stack([summed(each, b) for each in a]))
    by_row = torch.func.vmap(torch.func.grad(summed), in_dims=(0, None))(a, b)
    each = a.clone().requires_grad_()
    torch.stack([summed(row, b) for row in each]).sum().backward()
    torch.testing.assert_close(by_row, each.grad)


def test_positions_and_scalars_may_be_batched():
    pick = staged(lambda a, k, c: where(c, a[k], a[k + 1] * 2))
    a, k, c = floats(4), torch.tensor([0, 3, 9]), torch.tensor([True, False, True])
    picked = torch.func.vmap(pick, in_dims=(None, 0, 0))(a, k, c)
    torch.testing.assert_close(picked, torch.stack([a[0], a[3] * 2, a[3]]))


def test_arguments_keep_no_trace_of_gradients():
    a = floats(3).requires_grad_()
    assert double(a).requires_grad
    with torch.no_grad():
        assert not double(a).requires_grad
    assert not double(a.detach()).requires_grad


def test_results_share_no_memory_with_arguments():
    a = torch.arange(3.0)
    for f in (lambda a: a, lambda a: array(lambda i: a[i]), lambda a: a[1], lambda a: (a[0], a[0])):
        result = staged(f)(a)
        for part in result if isinstance(result, tuple) else (result,):
            part.fill_(7.0)
    assert a.tolist() == [0.0, 1.0, 2.0]


@pytest.mark.parametrize(
    "device", ["cpu", "meta", *(["cuda"] if torch.cuda.is_available() else [])]
)
def test_everything_happens_on_the_device_of_the_arguments(device: str):
    f = function(
        lambda a, s: array(lambda i: (where(a[i] > s, 1.0, a[i]), i, 0.5), size=a.size() + 1)
    )
    a = floats(3).to(device)
    expected = f(floats(3), 0.25)
    for s in (0.25, torch.tensor(0.25, dtype=torch.float64, device=device)):
        for result, other in zip(f(a, s), expected, strict=True):
            assert result.device == a.device
            assert (result.shape, result.dtype) == (other.shape, other.dtype)


def test_the_default_device_is_that_of_programs_without_tensors():
    count = staged(lambda n: array(lambda i: i * 2, size=n))
    assert count.torch(3).tolist() == [0, 2, 4]
    with torch.device("meta"):
        assert staged(lambda x: x + 1).torch(2.0).device.type == "meta"


def test_other_libraries_share_memory_through_dlpack():
    class Foreign:
        def __init__(self, tensor: torch.Tensor):
            self.tensor = tensor

        def __dlpack__(self, **options: Any) -> Any:
            return self.tensor.__dlpack__(**options)

        def __dlpack_device__(self) -> Any:
            return self.tensor.__dlpack_device__()

    assert compiled_double()(Foreign(torch.ones(2, dtype=torch.float64))).tolist() == [2.0, 2.0]


def compiled_double() -> Callable[..., Any]:
    return compile(double.phi(np.zeros(1)), backend="torch")


def test_arrays_that_pytorch_cannot_share_are_copied():
    read_only = np.arange(3.0)
    read_only.flags.writeable = False
    for array_ in (read_only, np.arange(3.0)[::-1]):
        assert compiled_double()(array_).tolist() == (2 * array_).tolist()


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        (
            torch.zeros(2),
            "expected an array of float64 and rank 1, got a tensor of float32 and rank 1",
        ),
        (torch.zeros(2, 2, dtype=torch.float64), "got a tensor of float64 and rank 2"),
        (torch.zeros(2, dtype=torch.float64).to_sparse(), "got a sparse tensor"),
        (np.zeros(2, np.int32), "got an array of int32 and rank 1"),
        (2.0, "got float 2.0"),
    ],
)
def test_wrong_arguments(argument: Any, message: str):
    with pytest.raises(EinTypeError, match=message):
        compiled_double()(argument)


def test_a_sparse_tensor_has_the_key_of_a_dense_one_and_is_no_argument():
    dense = torch.ones(2, dtype=torch.float64)
    assert double.torch(dense).tolist() == [2.0, 2.0]
    with pytest.raises(EinTypeError, match="got a sparse tensor of float64 and rank 1"):
        double.torch(dense.to_sparse())


def test_wrong_scalars():
    program = staged(lambda x: x + 1).phi(1)
    compiled = compile(program, backend="torch")
    assert compiled(torch.tensor(2)) == 3
    assert compiled(2).dtype == torch.int64
    for wrong in (2.0, torch.tensor(2.0), torch.tensor([2]), True, 2**63):
        with pytest.raises(EinTypeError, match="expected an int64 scalar"):
            compiled(wrong)


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_a_tensor_that_records_gradients_has_no_elements_for_numpy(backend: str):
    doubled = staged(lambda a: array(lambda i: a[i] * 2.0))
    with pytest.raises(EinTypeError, match=r"got a tensor that records gradients: .*detach"):
        doubled.eval(torch.ones(3, requires_grad=True), backend=backend)
    assert doubled.eval(torch.ones(3), backend=backend).tolist() == [2.0, 2.0, 2.0]


def test_arrays_of_two_libraries_are_told_apart():
    jax = pytest.importorskip("jax.numpy")
    add = staged(lambda a, b: array(lambda i: a[i] + b[i]))
    with pytest.raises(EinTypeError, match="arrays of torch and of jax do not mix"):
        add(torch.zeros(2), jax.zeros(2))


@pytest.mark.one_turn
def test_what_is_missing_is_told():
    program = (
        "import sys; sys.modules['torch'] = None\n"
        "from ein_mlir import wrap, MissingBackendError\n"
        "try: wrap(1.0).torch()\n"
        "except MissingBackendError as error: print(error)\n"
    )
    command = [sys.executable, "-c", program]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert found == (
        "the torch backend needs PyTorch, which is not installed: pip install 'ein-mlir[torch]'\n"
    )


def test_importing_ein_mlir_loads_no_backend():
    program = "import sys, ein_mlir; print({'torch', 'jax'} & set(sys.modules))"
    command = [sys.executable, "-c", program]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "set()\n"


GUARDED: dict[str, tuple[Callable[[Any], Any], float, float]] = {
    "log": (lambda x: where(x > 0, x.log(), 0.0), 0.0, 0.0),
    "sqrt": (lambda x: where(x <= 0, 0.0, x.sqrt() * 2), -1.0, 0.0),
    "quotient": (lambda x: where(x == 0, 1.0, x.sin() / x), 0.0, 0.0),
    "power": (lambda x: where(x > 0, x**0.5, x), 0.0, 1.0),
    "overflow": (lambda x: where(x < 20, (1 + exp(x)).log(), x), 1000.0, 1.0),
    "nested": (lambda x: where(x > 0, where(x > 1, (x - 1).sqrt(), x.log()), x), 0.0, 1.0),
    "taken": (lambda x: where(x > 0, x.log(), 0.0), 2.0, 0.5),
}


@pytest.mark.parametrize("name", GUARDED)
def test_the_branch_not_taken_has_no_part_in_the_gradient(name: str):
    f, at, expected = GUARDED[name]
    for staged_f in (staged(f), staged(lambda x: array(lambda i: f(x) * i.float(), size=2)[1])):
        x = torch.tensor(at, dtype=torch.float64, requires_grad=True)
        staged_f(x).backward()
        assert x.grad is not None
        assert x.grad.item() == expected


@pytest.mark.one_turn
def test_emitted_code_is_one_graph_for_torch_compile():
    a, b = floats(3, 4), floats(4)
    program = running_logistic.phi(a, b)
    emitted = load(compile(program, backend="torch").source)
    traced = torch.compile(emitted, backend="eager", fullgraph=True)
    for found, expected in zip(traced(a, b), emitted(a, b), strict=True):
        torch.testing.assert_close(found, expected)


@pytest.mark.one_turn
def test_emitted_code_with_sizes_among_its_arguments_is_one_graph():
    f = staged(
        lambda a, n: fold(a, lambda k, x: array(lambda i: x[i] / n.float() + x[n - k]), count=n)
    )
    emitted = load(compile(f.phi(floats(3), 2), backend="torch").source)
    traced = torch.compile(emitted, backend="eager", fullgraph=True)
    for n in (2, 3, 4):
        torch.testing.assert_close(traced(floats(3), n), emitted(floats(3), n))


def numbers_near(n: Any, m: Any) -> Any:
    """Ints of 64 bits that a size depends on, and floats made of them."""
    ints = (n + m, n * m, n - m * 2, -n, n // m, n % m, (n * 3).min(m), n.max(1), n * n * n // 7)
    floats = (n.float() * 0.5 - 3.0, m.float() / n.max(2).float(), where(n > m, n, m).float())
    size = (n % 2) + (m % 2)
    return array(lambda i: tuple(x + i for x in ints), size=size), floats, size


@pytest.mark.parametrize("n", [0, 3, -3, 2**40 + 1, 2**53 + 1, 2**63 - 1, -(2**63)])
def test_numbers_of_python_are_those_of_64_bits(n: int):
    f = staged(numbers_near)
    for m in (0, 1, -1, 2**31 + 1, -(2**63) + 1):
        expected = f.numpy(n, m)
        arguments = [(n, m), (torch.tensor(n), m), (torch.tensor(n), torch.tensor(m))]
        for result in (f.torch(*each) for each in arguments):
            for found, value in zip(leaves(result), leaves(expected), strict=True):
                assert isinstance(found, torch.Tensor)
                np.testing.assert_array_equal(found.numpy(), value)


def framed(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch_prelude.joined((0, a, (1, b, (0, a[:1, :2], b[1:]), a[:, :1])))


def framed_by_copies(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    middle = torch.cat((a[:1, :2], b[1:]))
    return torch.cat((a, torch.cat((b, middle, a[:, :1]), 1)))


@pytest.mark.one_turn
@pytest.mark.filterwarnings("ignore:.*:DeprecationWarning")  # from PyTorch's own jvp
def test_joined_arrays_can_be_batched_differentiated_and_compiled():
    a, b = floats(2, 5), floats(2, 2)
    many = floats(3, 2, 5), floats(3, 2, 2)
    cases: list[Callable[[Any], Any]] = [
        lambda f: f(a, b),
        lambda f: torch.func.vmap(f, (0, None))(many[0], b),
        lambda f: torch.func.vmap(f, (None, 0))(a, many[1]),
        lambda f: torch.func.vmap(torch.func.grad(lambda b, a: (f(a, b) ** 3).sum()))(*many[::-1]),
        lambda f: torch.func.jvp(f, (a, b), (a.cos(), b.sin())),
        lambda f: torch.func.jvp(lambda b: f(a, b), (b,), (b.sin(),)),
        lambda f: torch.compile(f, backend="eager", fullgraph=True)(a, b),
    ]
    for case in cases:
        torch.testing.assert_close(case(framed), case(framed_by_copies))
    assert torch.autograd.gradcheck(framed, [a.requires_grad_(), b.requires_grad_()])


@pytest.mark.parametrize("length", [0, 1, 2, 5])
@pytest.mark.parametrize("step", [-2, -1, 1, 2])
def test_clipped_slices(length: int, step: int) -> None:
    array_ = floats(2, length)
    for start, size in itertools.product(range(-4, 8), (0, 1, 3)):
        expected = numpy_prelude.clipped_slice(array_.numpy(), 1, start, size, step)
        for known in (start, torch.tensor(start)):
            sliced = torch_prelude.clipped_slice(array_, 1, known, size, step)
            np.testing.assert_array_equal(sliced.numpy(), expected)


@pytest.mark.parametrize("length", [0, 1, 7, 24])
@pytest.mark.parametrize(
    ("sizes", "steps"),
    [
        ((4, 6), (6, 1)),
        ((3, 3), (5, 2)),
        ((2, 3), (9, -1)),
        ((3, 4), (-1, 1)),
        ((2, 3), (-4, -2)),
        ((3, 2, 2), (8, 4, 2)),
        ((4,), (0,)),
    ],
)
def test_strided(length: int, sizes: tuple[int, ...], steps: tuple[int, ...]) -> None:
    """Rows, windows, and positions out of bounds: as in NumPy, and as by their definition."""
    array_ = np.arange(2.0 * length).reshape(2, length)
    for start in (-3, 0, 1, 4, 2**63 - 1):
        positions = np.array(start)
        for size, step in zip(sizes, steps, strict=True):
            positions = positions[..., None] + step * np.arange(size)
        filled = array_ if length else np.zeros((2, 1))
        expected = np.take(filled, positions, axis=1, mode="clip")
        of_numpy = numpy_prelude.strided(array_, 1, start, sizes, steps)
        np.testing.assert_array_equal(of_numpy, expected)
        strided = torch_prelude.strided(torch.from_numpy(array_.copy()), 1, start, sizes, steps)
        np.testing.assert_array_equal(np.asarray(strided), expected)


def test_known_starts_are_slices() -> None:
    """An Int in a tensor is a number of Python where its value is known: not under ``vmap``."""
    array_ = torch.arange(6.0)
    sliced = torch_prelude.clipped_slice(array_, 0, torch.tensor(2), 3, 1)
    assert sliced.data_ptr() == array_[2:].data_ptr()
    starts = torch.tensor([-1, 2, 9])
    many = torch.func.vmap(lambda start: torch_prelude.clipped_slice(array_, 0, start, 3, 1))
    expected = torch.tensor([[0.0, 0, 1], [2, 3, 4], [5, 5, 5]])
    torch.testing.assert_close(many(starts), expected)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (1, 1), (2, 3), (2, 3, 4)])
def test_flatten(shape: tuple[int, ...]) -> None:
    array_ = np.arange(float(np.prod(shape))).reshape(shape)
    for axis in range(len(shape) - 1):
        joined = (*shape[:axis], shape[axis] * shape[axis + 1], *shape[axis + 2 :])
        for prelude, value in (
            (numpy_prelude, array_),
            (torch_prelude, torch.from_numpy(array_.copy())),
        ):
            flat = prelude.flatten(value, axis)
            np.testing.assert_array_equal(np.asarray(flat), array_.reshape(joined))


@pytest.mark.parametrize("dtype", [torch.int64, torch.float64])
@pytest.mark.parametrize("start", [0, -7, 2**53 - 1, -(2**53), 2**63 - 2, -(2**63), -(2**64) + 1])
def test_affine_ranges(start: int, dtype: torch.dtype) -> None:
    """Ints wrap around; values are rounded once."""
    for step, size in itertools.product((-3, -1, 1, 2), (0, 1, 2, 9)):
        numbers = [torch_prelude.wrapped(start + step * k) for k in range(size)]
        found = torch_prelude.affine_range(start, step, size, dtype, None)
        assert found.dtype == dtype
        np.testing.assert_array_equal(
            found.numpy(), torch.tensor(numbers, dtype=torch.int64).to(dtype)
        )


@pytest.mark.parametrize("shape", [(2, 3), (1, 1), (0, 3), (3, 0)])
@pytest.mark.parametrize(
    "widths", [((1, 2), (2, 0)), ((0, 0), (1, 1)), ((1, 1), (0, 0)), ((0, 0), (0, 0))]
)
def test_padded_edges(shape: tuple[int, ...], widths: tuple[tuple[int, int], ...]):
    a = floats(*shape)
    for array_ in (a, (a * 10).long(), a > 0, a.T.contiguous().T):
        expected = numpy_prelude.pad_edges(array_.numpy(), widths)
        np.testing.assert_array_equal(torch_prelude.pad_edges(array_, widths).numpy(), expected)
    pad = partial(torch_prelude.pad_edges, widths=widths)
    assert torch.autograd.gradcheck(pad, a.requires_grad_())
    batch = floats(2, *shape)
    torch.testing.assert_close(torch.func.vmap(pad)(batch), torch.stack([*map(pad, batch)]))


@pytest.mark.parametrize("axis", [0, 1])
def test_gradients_of_batches_of_updates(axis: int) -> None:
    """Of the array and of the value, also where ``vmap`` is inside of what is differentiated."""
    arrays, rows = floats(5, 3, 4), floats(5, 4 if axis == 0 else 3)

    def updated(array: torch.Tensor, row: torch.Tensor) -> torch.Tensor:
        return torch_prelude.update(array, (axis,), (1,), row).sin()

    inputs = [arrays.requires_grad_(), rows.requires_grad_()]
    assert torch.autograd.gradcheck(torch.func.vmap(updated), inputs)


class Scores(torch.nn.Module):
    """A layer in Ein next to one of PyTorch's."""

    def __init__(self):
        super().__init__()
        self.weights = torch.nn.Parameter(floats(4))

    def forward(self, a: torch.Tensor) -> torch.Tensor:
        return summed(a, self.weights)


def test_functions_are_layers_of_modules():
    layer, a = Scores(), floats(3, 4)
    optimiser = torch.optim.SGD(layer.parameters(), lr=1e-3)
    losses = list[float]()
    for _ in range(5):
        optimiser.zero_grad()
        loss = layer(a)
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < losses[0]


@pytest.mark.parametrize("length", [1 << 16, (1 << 16) + 5])
@pytest.mark.parametrize("places", [(), (70, 71, 5000), (0,), (-1,), (-2, -1), (65535, -1)])
def test_searches_of_long_vectors(length: int, places: tuple[int, ...]) -> None:
    numbers = np.random.default_rng(0).integers(100, size=length).astype(np.float64)
    numbers[1::3] = np.nan
    numbers[list(places)] = -1.0
    for name, sign in (("argmin", 1), ("argmax", -1)):
        expected = getattr(numpy_prelude, name)(sign * numbers, 0)
        found = getattr(torch_prelude, name)(torch.from_numpy(sign * numbers), 0)
        assert found == expected


@pytest.mark.parametrize("position", [-1, 0, 2, 3, 7])
@pytest.mark.parametrize("axis", [0, 1])
def test_update_at_a_tensor(axis: int, position: int) -> None:
    array_ = torch.arange(9.0).reshape(3, 3)
    row = torch.tensor([-1.0, -2.0, -3.0])
    expected = array_.clone()
    if 0 <= position < 3:
        expected.select(axis, position).copy_(row)

    def updated(position: torch.Tensor) -> torch.Tensor:
        return torch_prelude.update(array_, (axis,), (position,), row)

    assert torch.equal(updated(torch.tensor(position)), expected)
    assert torch.equal(torch.func.vmap(updated)(torch.tensor([position]))[0], expected)
    empty = array_.narrow(axis, 0, 0)
    assert torch_prelude.update(empty, (axis,), (torch.tensor(position),), row).shape == empty.shape


@pytest.mark.parametrize("shape", [(3, 4), (0, 4), (3, 0), (1, 1)])
def test_bools_as_bytes(shape: tuple[int, int]) -> None:
    """Reductions and joins of masks, also of views, and batched."""
    masks = floats(5, *shape) > 0.0
    for x in (masks[0], masks[0].T, masks[0, ::2], masks[1, :, 1:]):
        for axes in ((0,), (1,), (0, 1)):
            assert torch.equal(torch_prelude.any_of(x, axes), x.any(axes))
            assert torch.equal(torch_prelude.all_of(x, axes), x.all(axes))
        column = x[:, :1]
        assert torch.equal(torch_prelude.both(column, x), column & x)
        assert torch.equal(torch_prelude.either(x, column), x | column)
    batched = torch.func.vmap(lambda x: torch_prelude.any_of(x, (0,)))(masks)
    assert torch.equal(batched, masks.any(1))


@pytest.mark.parametrize("counts", [(2, 3), (0, 3), (40, 1), (1, 40), (40, 50)])
def test_grids_of_positions(counts: tuple[int, int]) -> None:
    """One axis at a time or all at once, as the sizes say; positions are clipped."""
    a = floats(6, 7, 2)
    p, q = (torch.arange(-2, n - 2) * 3 for n in counts)
    expected = a[p.clamp(0, 5)[:, None], q.clamp(0, 6)]
    assert torch.equal(torch_prelude.take_grid(a, p[:, None], q[None]), expected)


def test_searches_pass_over_nan() -> None:
    x = floats(4, 5)
    x[0, 1], x[1] = math.nan, math.nan
    x[2, 3], x[3, 0] = math.inf, -math.inf
    smallest, largest = x.clone(), x.clone()
    smallest[smallest.isnan()], largest[largest.isnan()] = math.inf, -math.inf
    for axis in (0, 1):
        assert torch.equal(torch_prelude.argmin(x, axis), smallest.argmin(axis))
        assert torch.equal(torch_prelude.argmax(x, axis), largest.argmax(axis))
        batched = torch.func.vmap(lambda x, d=axis: torch_prelude.argmin(x, d))(x[None])
        assert torch.equal(batched[0], smallest.argmin(axis))


@pytest.mark.parametrize("length", [0, 1, 5])
@pytest.mark.parametrize(
    ("start", "sizes", "steps"),
    [
        (2, (3, 3), (-1, 1)),
        (0, (3, 4), (-1, 1)),
        (-2, (3, 4), (1, 1)),
        (4, (3, 4), (1, 1)),
        (-9, (2, 3), (1, -1)),
        (20, (2, 3), (1, 1)),
        (1, (3, 2), (2, 1)),
        (0, (3, 2), (7, 1)),
        (-1, (3, 0), (1, 1)),
        (2**62, (3, 4), (1, 1)),
    ],
)
def test_strided_positions_are_clipped(
    length: int, start: int, sizes: tuple[int, ...], steps: tuple[int, ...]
) -> None:
    """In NumPy as well: in bounds, out of bounds on either side or both, of an empty axis."""
    values = np.arange(1.0, 2 * length + 1).reshape(2, length)
    positions = start + sum(
        step * places for step, places in zip(steps, np.indices(sizes), strict=True)
    )
    clipped = np.clip(positions, 0, max(length - 1, 0))
    expected = values[:, clipped] if length else np.zeros((2, *sizes))
    for found in (
        numpy_prelude.strided(values, 1, start, sizes, steps),
        torch_prelude.strided(torch.from_numpy(values), 1, start, sizes, steps).numpy(),
    ):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    "subscripts",
    [
        *("ijk,ijk->k", "ijk,kji->kj", "ijk,jik->", "ijk,ijk,kij->ki", "ijk,ijk->kji"),
        *("ijk,ji->ik", "ijk,jk->ij", "ijk,i,ki->ij", "ijk,ijk->i", "ijk,ijk->ij"),
        *("ijk,ik->jk", "ijk,ij->jk", "ijk,i->jk"),
    ],
)
@pytest.mark.parametrize("last", [4, 17])
def test_sums_of_products_of_elements(subscripts: str, last: int) -> None:
    """Also batched, and with gradients; of many and of few elements."""
    first, *others = subscripts.split("->")[0].split(",")
    sizes = dict(zip(first, (2, 3, last), strict=True))
    arrays = tuple(
        floats(5, *(sizes[letter] for letter in term)).requires_grad_() for term in (first, *others)
    )

    def found(*arrays: torch.Tensor) -> torch.Tensor:
        return torch_prelude.sum_of_products(subscripts, arrays)

    rows = torch.func.vmap(found)(*arrays)
    for k in range(5):
        each = [array[k] for array in arrays]
        expected = torch.einsum(subscripts, *each)
        torch.testing.assert_close(found(*each), expected)
        torch.testing.assert_close(rows[k], expected)
    one = tuple(array[0].detach().requires_grad_() for array in arrays)
    assert torch.autograd.gradcheck(found, one)


@pytest.mark.parametrize("subscripts", ["ikj,ik->ij", "ikj,ji->ki", "ikj,kij->ij"])
@pytest.mark.parametrize(("rows", "matrices"), [(300, 2), (300, 5), (0, 2), (1, 1)])
def test_products_with_matrices_at_positions(subscripts: str, rows: int, matrices: int) -> None:
    """Also batched, and with gradients; of many and of few rows for each matrix."""
    sizes = {"i": rows, "k": 9, "j": 8}
    term = subscripts.split("->")[0].split(",")[1]
    table = floats(matrices, 9, 8).requires_grad_()
    factor = floats(*(sizes[letter] for letter in term)).requires_grad_()
    positions = torch.arange(rows) ** 2 % max(matrices - 1, 1)

    def found(table: torch.Tensor, positions: torch.Tensor, factor: torch.Tensor) -> torch.Tensor:
        return torch_prelude.products_at(subscripts, table, positions, factor)

    values = found(table, positions, factor)
    expected = torch.einsum(subscripts, table[positions], factor)
    torch.testing.assert_close(values, expected)
    gradients = [torch.autograd.grad((x * x).sum(), (table, factor)) for x in (values, expected)]
    torch.testing.assert_close(*gradients)
    batched = torch.func.vmap(found, (None, 0, None))(table, positions[None], factor)
    torch.testing.assert_close(batched[0], expected)


@pytest.mark.parametrize("length", range(9, 15))
@pytest.mark.parametrize(("stride", "distance"), [(1, 1), (2, 1), (3, 2)])
def test_correlations_of_parts_of_arrays(length: int, stride: int, distance: int) -> None:
    """Arrays may be longer than the windows at all places, by more than the way between two."""
    array, filters = floats(2, 3, length), floats(4, 3, 3)
    found = torch_prelude.correlate(array, filters, (2,), (stride,), (distance,))
    starts = [array[:, :, k * stride :][:, :, ::distance][:, :, :3] for k in range(2)]
    expected = torch.stack([torch.einsum("bck,ock->bo", each, filters) for each in starts], -1)
    torch.testing.assert_close(found, expected)


@pytest.mark.parametrize(
    "axes", [(0, 2), (1, 3), (0, 1, 3), (0, 2, 4), (1, 2, 4), (0,), (2, 3), (4,)]
)
@pytest.mark.parametrize(
    "shape", [(2, 3, 4, 5, 6), (9, 1, 3, 2, 3), (3, 2, 1, 2, 70), (0, 2, 3, 1, 2)]
)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int32"])
def test_reductions_of_any_axes(axes: tuple[int, ...], shape: tuple[int, ...], dtype: str) -> None:
    numbers = np.random.default_rng(0).integers(-9, 9, shape).astype(dtype)
    tensor = torch.from_numpy(numbers)
    found = torch_prelude.sum_along(tensor, axes)
    assert found.dtype == tensor.dtype
    np.testing.assert_array_equal(found, numbers.sum(axes, numbers.dtype))
    if all(shape[axis] for axis in axes):
        np.testing.assert_array_equal(torch_prelude.amin(tensor, axes), numbers.min(axes))
        np.testing.assert_array_equal(torch_prelude.amax(tensor, axes), numbers.max(axes))


@pytest.mark.parametrize("shift", [0, 1, -1, 5, -7, 2**63 - 1])
@pytest.mark.parametrize(
    ("size", "modulus"), [(3, 3), (5, 3), (2, 3), (3, 2), (3, 0), (0, 0), (3, -2)]
)
@pytest.mark.parametrize("length", [0, 1, 3])
def test_rotations(shift: int, size: int, modulus: int, length: int) -> None:
    """The element at each position, which is clipped, modulo 2^64."""
    numbers = np.arange(2.0 * length).reshape(2, length)
    rotation = 1, size, modulus, shift
    found = torch_prelude.rotated(torch.from_numpy(numbers), rotation)
    wrapped = [(i + shift + 2**63) % 2**64 - 2**63 for i in range(size)]
    places = [min(max(p % modulus if modulus else 0, 0), length - 1) for p in wrapped]
    filled = numbers if length else np.zeros((2, 1))
    np.testing.assert_array_equal(found, filled[:, [max(p, 0) for p in places]])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(numpy_prelude.rotated(numbers, rotation), found)
        both = numpy_prelude.rotated(numbers, (0, 2, 2, 3, -(2**63), 2**63), rotation)
    np.testing.assert_array_equal(both, found.flip(0))
    turned = torch_prelude.rotated(torch.from_numpy(numbers), (0, 2, 2, 3), rotation)
    np.testing.assert_array_equal(both, turned)


def test_rotations_by_tensors() -> None:
    array, shifts = torch.arange(5.0), torch.tensor([-7, 0, 2**62, 3])
    rotate = lambda s: torch_prelude.rotated(array, (0, 5, 5, s, -s, s))  # noqa: E731
    expected = torch.stack([array[(torch.arange(5) + s) % 5] for s in shifts])
    torch.testing.assert_close(torch.stack([*map(rotate, shifts)]), expected)
    torch.testing.assert_close(torch.func.vmap(rotate)(shifts), expected)


def test_selected_neighbours() -> None:
    """Along the last axis in memory, also of views and under transformations."""
    rng = np.random.default_rng(0)
    a = torch.from_numpy(rng.uniform(size=(4, 5, 6)))
    p = torch.from_numpy(rng.integers(0, 4, 7))
    for base in (a, a.permute(2, 0, 1), a.permute(1, 2, 0), a[..., 0], a[0, 0], a[:, :, ::2] > 0.5):
        for axis in range(base.ndim):
            positions = p % base.shape[axis]
            expected = base.index_select(axis, positions)
            assert torch.equal(torch_prelude.selected(base, axis, positions), expected)
            assert torch_prelude.selected(base, axis, p[:0]).shape[axis] == 0
    gradient = torch.func.grad(lambda a: (torch_prelude.selected(a, 2, p) ** 2).sum())(a)
    torch.testing.assert_close(
        gradient, torch.func.grad(lambda a: (a[:, :, p] ** 2).sum())(a), rtol=0, atol=0
    )
    both = torch.func.vmap(torch_prelude.selected, (0, None, 0))(a, 1, p.expand(4, 7))
    assert torch.equal(both, a[:, :, p])


@pytest.mark.parametrize("count", [3, 40])
def test_elements_at_positions(count: int) -> None:
    """Few elements are selected by axes, many by their places in memory, also of views."""
    rng = np.random.default_rng(0)
    a = torch.from_numpy(rng.uniform(size=(4, 5, 6, 3)))
    p, q, r = torch.from_numpy(rng.integers(0, 4, (3, count, count)))
    for base in (a, a.permute(3, 0, 1, 2).contiguous().permute(1, 2, 3, 0), a[:, :, ::2]):
        for axis in (0, 1):
            leading = (slice(None),) * axis
            for positions in ((p,), (p, q % 3), (p, 2, r % 3)):
                expected = base[(*leading, *positions)]
                actual = torch_prelude.elements_at(base, axis, *positions)
                torch.testing.assert_close(actual, expected, rtol=0, atol=0)
    gradient = torch.func.grad(lambda a: (torch_prelude.elements_at(a, 0, p, q) ** 2).sum())(a)
    expected = torch.func.grad(lambda a: (a[p, q] ** 2).sum())(a)
    torch.testing.assert_close(gradient, expected)
    stack = torch.func.vmap(lambda a: torch_prelude.elements_at(a, 0, p))(torch.stack((a, a)))
    assert torch.equal(stack[1], a[p])
    batched = torch.func.vmap(lambda p: torch_prelude.elements_at(a, 0, p, q))(p[None])
    assert torch.equal(batched[0], a[p, q])
    assert torch_prelude.elements_at(a[:, :0], 2, p).shape == (4, 0, count, count, 3)


@pytest.mark.parametrize("sizes", [(4, 5, 6), (1, 1, 1), (3, 1, 4), (2, 5, 0)])
def test_elements_along_axes(sizes: tuple[int, int, int]) -> None:
    """Positions beside whole axes: gathered, or elements at all positions if they are rows."""
    rng = np.random.default_rng(0)
    n, m, count = sizes
    a = torch.from_numpy(rng.uniform(size=(n, m, 7, 3)))
    p, q = (
        torch.from_numpy(rng.integers(0, m, (n, count))),
        torch.from_numpy(rng.integers(0, 7, (n, 1))),
    )
    i = torch.arange(n)[:, None]
    for base in (a, a.permute(0, 3, 1, 2).contiguous().permute(0, 2, 3, 1), a[:, :, ::2]):
        for part in (base, base[..., 0]):
            places = q.clamp(max=part.shape[2] - 1)
            actual = torch_prelude.elements_along(part, 1, p, places)
            torch.testing.assert_close(actual, part[i, p, places], rtol=0, atol=0)
            actual = torch_prelude.elements_along(part[:, :, 0], 1, p)
            torch.testing.assert_close(actual, part[:, :, 0][i, p], rtol=0, atol=0)
    flat = torch_prelude.elements_along(a[..., 0, 0], 1, q[:, 0] % m)
    torch.testing.assert_close(flat, a[torch.arange(n), q[:, 0] % m, 0, 0], rtol=0, atol=0)
    gradient = torch.func.grad(lambda b: (torch_prelude.elements_along(b, 1, p) ** 2).sum())(
        a[..., 0, 0]
    )
    expected = torch.func.grad(lambda b: (b[i, p] ** 2).sum())(a[..., 0, 0])
    torch.testing.assert_close(gradient, expected)
    batched = torch.func.vmap(lambda p: torch_prelude.elements_along(a[..., 0, 0], 1, p))(p[None])
    assert torch.equal(batched[0], a[..., 0, 0][i, p])


@pytest.mark.parametrize("keys", [[], [1, 3], [0, 4], [3, 1, 3], [-1, 2], [2, 5], [1, 1]])
def test_scattered(keys: list[int]) -> None:
    """Of equal keys the last one counts, and increasing ones are stored at once."""
    for shape in ((5,), (5, 2)):
        array, key = torch.zeros(shape), torch.tensor(keys, dtype=torch.int64)
        values = torch.arange(1.0, 1.0 + len(keys) * math.prod(shape[1:]))
        values = values.reshape(len(keys), *shape[1:])
        expected = array.clone()
        for place, value in zip(keys, values, strict=True):
            if 0 <= place < 5:
                expected[place] = value
        assert torch.equal(torch_prelude.scattered(array, (key,), values), expected)
        assert not array.any()


@pytest.mark.parametrize("count", [0, 1, 3, 5])
def test_first_positions_of_bools(count: int) -> None:
    array = torch.tensor([True, False, False, True, False, True])
    found = torch_prelude.first_positions(array, 0, count)[:count]
    assert torch.equal(found, torch.argsort(array, stable=True)[:count])


@pytest.mark.parametrize(
    ("sizes", "steps"), [((2, 5), (1, 2)), ((2, 2, 2), (2, 1, 4)), ((3, 1), (1, 3))]
)
@pytest.mark.parametrize("start", [0, 1, 4, -2])
def test_interleaved_parts(sizes: tuple[int, ...], steps: tuple[int, ...], start: int) -> None:
    """Parts in another order than in memory are views of the whole, in bounds and clipped."""
    array_ = np.arange(22.0).reshape(2, 11)
    expected = numpy_prelude.strided(array_, 1, start, sizes, steps)
    given = torch.tensor(array_, requires_grad=True)
    found = torch_prelude.strided(given, 1, start, sizes, steps)
    np.testing.assert_array_equal(found.detach().numpy(), expected)
    found.sum().backward()
    counts = np.zeros_like(array_)
    np.add.at(counts.reshape(-1), expected.astype(int).reshape(-1), 1.0)
    assert given.grad is not None
    np.testing.assert_array_equal(given.grad.numpy(), counts)


def test_interleaved_parts_are_views() -> None:
    array_ = torch.arange(12.0)
    assert torch_prelude.strided(array_, 0, 0, (2, 6), (1, 2))._base is array_
