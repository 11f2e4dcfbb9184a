"""Arguments and results of compiled PyTorch programs: tensors, on the device of the arguments.

Numbers and NumPy arrays are accepted as well, and put on the device of the tensors.
"""

# pyright: reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache, partial
from types import FunctionType
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch.autograd import forward_ad

from ein_mlir.backends import runtime
from ein_mlir.backends.emitted import EmittedFunction
from ein_mlir.host.arrays import constant_in_traces
from ein_mlir.host.elements import HOST_DTYPES, numpy_dtype
from ein_mlir.host.extents import Bounds, is_part, most_elements

DTYPES: dict[np.dtype[Any], torch.dtype] = {
    numpy_dtype(dtype): getattr(torch, dtype) for dtype in HOST_DTYPES.values()
}
"""The dtype of tensors for each NumPy dtype."""

_NUMPY_DTYPES = {tensors: arrays for arrays, tensors in DTYPES.items()}


def as_array(dtype: np.dtype[Any], rank: int, value: object) -> Any:
    """An argument that is a tensor or an array; None if it has another dtype or rank."""
    if isinstance(value, torch.Tensor):
        return value if _is(value, dtype, rank) else None
    if isinstance(value, np.ndarray | np.generic) or not hasattr(value, "__dlpack__"):
        return runtime.as_array(dtype, rank, cast(object, value))
    tensor = torch.from_dlpack(value)
    return tensor if _is(tensor, dtype, rank) else None


def as_scalar(dtype: np.dtype[Any], value: object) -> Any:
    """An argument that is a number or a tensor of rank 0 of the type; None for other values."""
    if isinstance(value, torch.Tensor):
        return value if _is(value, dtype, 0) else None
    if type(value) in (bool, int, float, complex):
        number = _as_number(DTYPES[dtype], cast(float, value))
        return None if number is None else Number(number, DTYPES[dtype])
    return runtime.as_scalar(dtype, value)


class Number:
    """A Python number that becomes a tensor, if needed, once its device is known."""

    def __init__(self, value: float, dtype: torch.dtype):
        self.value = value
        self.dtype = dtype

    def __int__(self) -> int:
        return int(self.value)


def _as_number(dtype: torch.dtype, value: float) -> float | None:
    """A Python number of the kind of a dtype; None if it is of another kind, or too large."""
    if dtype.is_complex:
        return value if type(value) is not bool else None
    if dtype.is_floating_point and type(value) is int:
        try:
            return float(value)
        except OverflowError:
            return None
    if dtype.is_floating_point or dtype is torch.bool:
        return value if type(value) is (float if dtype.is_floating_point else bool) else None
    limits = torch.iinfo(dtype)
    return value if type(value) is int and limits.min <= value <= limits.max else None


def _is(tensor: torch.Tensor, dtype: np.dtype[Any], rank: int) -> bool:
    is_dense = tensor.layout is torch.strided
    return is_dense and tensor.dtype is DTYPES[dtype] and tensor.ndim == rank


def conversion(check: Callable[[Any], Any], dtype: np.dtype[Any], rank: int, key: Any) -> Any:
    """The conversion of arguments with a key (see ``argument_keys``) for a program that takes
    arrays of a type: the key of a tensor says all but whether it is sparse.
    """
    if key != ("torch", DTYPES[dtype], rank):
        return check

    def dense(value: Any) -> Any:
        return value if value.layout is torch.strided else check(value)

    return dense


def describe(value: object) -> str:
    """The description of a given value in a message."""
    if isinstance(value, torch.Tensor):
        kind = "a tensor" if value.layout is torch.strided else "a sparse tensor"
        return f"{kind} of {str(value.dtype).removeprefix('torch.')} and rank {value.ndim}"
    return runtime.describe(value)


def has_gpu() -> bool:
    """Whether PyTorch has a device that is not the CPU."""
    return torch.accelerator.is_available()


def is_on_gpu(values: Sequence[Any]) -> bool:
    """Whether a call computes on another device than the CPU."""
    tensors = list(_tensors(values))
    if not tensors:
        return torch.get_default_device().type != "cpu"
    return any(tensor.device.type != "cpu" for tensor in tensors)


def finish_scalar(dtype: np.dtype[Any], value: Any) -> Any:
    """A scalar result: a tensor of rank 0, or a number that NumPy has computed."""
    return value if isinstance(value, torch.Tensor) else torch.tensor(value, dtype=DTYPES[dtype])


extern = None
"""Functions of the embedding program are called without a wrapper."""


def stage(
    function: Callable[..., Any],
    emitted: EmittedFunction,
    names: Sequence[str],
    jit: bool | Mapping[str, Any] | None,
    version: Callable[[str], Callable[..., Any]] | None,
) -> Callable[..., Any]:
    """The function on tensors, compiled if ``jit``; a mapping has options for `torch.compile`.

    Calls with `numpy_readable` arguments run another version of the program: on NumPy if steps of
    its loops do little work, else, if an argument is large, one that overwrites tensors. Calls
    under ``torch.func.vmap`` may run one without choices by values.
    """
    numbers = {number for path in emitted.static for number in path}
    if jit is not None and jit is not False:
        return StagedFunction(function, numbers, jit if isinstance(jit, Mapping) else {})
    if version is None:
        return partial(_call, function, numbers)
    function = partial(_call_batched, function, cache(partial(version, "torch-batched")))
    in_loops = emitted.extents and emitted.extents[0]
    if not (emitted.has_small_steps or emitted.has_temporaries or in_loops):
        return partial(_call, function, numbers)
    bounds = tuple(each for some in emitted.extents or () for each in some if not is_part(each))
    return partial(_call_version, function, emitted, bounds, numbers, cache(version))


def _call(function: Callable[..., Any], numbers: Collection[int], *values: Any) -> Any:
    return function(*prepare(values, numbers))


def _call_batched(
    function: Callable[..., Any], batched: Callable[[], Callable[..., Any]], *values: Any
) -> Any:
    """Run the version without choices by values where those of the first are hidden.

    In a trace, sizes are tensors, too, which Ints of Python above 64 bits are not added to.
    """
    try:
        return function(*values)
    except (RuntimeError, OverflowError):
        if not (_is_transformed() or _PRIVATE._is_tracing() or _is_on_meta(values)):
            raise
    return batched()(*values)


def _is_on_meta(values: Sequence[Any]) -> bool:
    """Whether tensors have no values: they, or those that a call makes, are on the device meta."""
    default = torch.get_default_device().type == "meta"
    return default or any(isinstance(each, torch.Tensor) and each.is_meta for each in values)


LARGE = 1 << 14
"""The number of elements from which on a new array costs more than a call."""


def _call_version(
    function: Callable[..., Any],
    emitted: EmittedFunction,
    bounds: Bounds,
    numbers: Collection[int],
    version: Callable[[str], Callable[..., Any]],
    *values: Any,
) -> Any:
    """Run the fastest version where that makes a difference to the time alone.

    ``bounds`` are those of the arrays that may be larger than the arguments.
    """
    if not torch.compiler.is_compiling() and numpy_readable(values):
        if _suits_numpy(emitted, values):
            return _to_tensors(version("numpy")(*map(_to_numpy, values)))
        if emitted.has_temporaries and (
            _is_large(values) or most_elements(bounds, values) >= LARGE
        ):
            function = version("torch-in-place")
    return function(*prepare(values, numbers))


def _is_large(values: Sequence[Any]) -> bool:
    for value in values:  # a loop: small calls take as long as a generator
        if isinstance(value, torch.Tensor):
            if value.numel() >= LARGE:
                return True
        elif isinstance(value, tuple) and _is_large(cast("tuple[Any, ...]", value)):
            return True
    return False


# Programs on NumPy ----------------------------------------------------------------------------


class BySize:
    """A program that runs NumPy code where all arrays are small, and else code on tensors.

    Each is compiled when a call first needs it. Safe to call from several threads: of versions
    that are compiled at once it keeps one.
    """

    def __init__(
        self,
        bounds: Bounds,
        on_numpy: Callable[[], Callable[..., Any]],
        on_tensors: Callable[[], Callable[..., Any]],
    ):
        """``bounds`` are those of the elements that a call computes."""
        self._bounds = bounds
        self._on_numpy, self._on_tensors = cache(on_numpy), on_tensors
        self._function: Callable[..., Any] | None = None

    def __call__(self, *values: Any) -> Any:
        """Run the version for some checked arguments."""
        if not torch.compiler.is_compiling() and self._is_small(values):
            return _to_tensors(self._on_numpy()(*map(_to_numpy, values)))
        self._compile()
        assert self._function is not None
        return self._function(*values)

    def _is_small(self, values: Sequence[Any]) -> bool:
        if not numpy_readable(values) or any(each.numel() >= FEW for each in _tensors(values)):
            return False
        return most_elements(self._bounds, values) < FEW

    @constant_in_traces
    def _compile(self) -> None:
        if self._function is None:
            self._function = self._on_tensors()


FEW = 1 << 15
"""The number of elements below which calls take longer than the arithmetic of a step."""


def _suits_numpy(emitted: EmittedFunction, values: Sequence[Any]) -> bool:
    """Whether steps of loops do little work: a call of NumPy takes a third of one of PyTorch."""
    in_loops, others = emitted.extents or ((), ())
    if emitted.has_scalar_steps or not in_loops:
        return emitted.has_small_steps
    is_small = most_elements(in_loops, values) < FEW
    return is_small and (emitted.has_small_steps or most_elements(others, values) < 4 * FEW)


def numpy_readable(values: Sequence[Any]) -> bool:
    """Whether checked arguments are on the CPU, and nothing but their elements matters.

    Nothing records, batches, traces or intercepts the operations of a call.
    """
    if _is_watched() or torch.is_autocast_enabled("cpu"):
        return False
    return _are_plain(values, torch.is_grad_enabled())


def _is_watched() -> bool:
    """Whether a transformation or mode of PyTorch is active: it has to see every operation.

    PyTorch has public names for entering these states, and none for asking.
    """
    forward: Any = forward_ad
    return bool(
        _is_transformed()
        or _PRIVATE._len_torch_dispatch_stack()  # make_fx, FakeTensorMode, ..
        or _PRIVATE._len_torch_function_stack()  # TorchFunctionMode, a default device
        or _PRIVATE._get_tracing_state() is not None  # torch.jit.trace
        or forward._current_level >= 0  # forward_ad.dual_level
    )


def _is_transformed() -> bool:
    """Whether a transformation of ``torch.func`` is active: vmap, grad, jvp, .."""
    return _PRIVATE._functorch.peek_interpreter_stack() is not None


_PRIVATE: Any = torch._C  # pyright: ignore[reportPrivateUsage]


def _are_plain(values: Sequence[Any], recorded: bool) -> bool:
    """Whether checked arguments are no tensors, or on the CPU without gradients or laziness."""
    for value in values:
        if isinstance(value, tuple):
            if not _are_plain(cast("tuple[Any, ...]", value), recorded):
                return False
        elif isinstance(value, torch.Tensor) and not _is_plain(value, recorded):
            return False
    return True


def _is_plain(tensor: torch.Tensor, recorded: bool) -> bool:
    return (
        type(tensor) in (torch.Tensor, torch.nn.Parameter)
        and tensor.is_cpu
        and not (recorded and tensor.requires_grad)
        and not tensor.is_neg()
    )


def _to_numpy(value: Any) -> Any:
    """A checked argument for NumPy, which shares the memory of tensors."""
    if isinstance(value, tuple):
        return tuple(map(_to_numpy, cast(tuple[Any, ...], value)))
    if isinstance(value, Number):
        return _NUMPY_DTYPES[value.dtype].type(value.value)
    if not isinstance(value, torch.Tensor):
        return value
    return value.detach().numpy()[()]  # of rank 0, a scalar


def _to_tensors(value: Any) -> Any:
    """Results of NumPy as tensors; scalars get their types later."""
    if isinstance(value, tuple):
        return tuple(map(_to_tensors, cast(tuple[Any, ...], value)))
    return _shared(cast("NDArray[Any]", value)) if isinstance(value, np.ndarray) else value


def _shared(array: NDArray[Any]) -> torch.Tensor:
    """An array as a tensor that shares its memory, or a copy where PyTorch cannot share it."""
    if array.flags.writeable and all(stride >= 0 for stride in array.strides):
        return torch.from_numpy(array)
    return torch.from_numpy(array.copy())


# torch.compile --------------------------------------------------------------------------------


class StagedFunction:
    """An emitted function that is compiled by PyTorch."""

    def __init__(
        self,
        function: Callable[..., Any],
        numbers: Collection[int],
        options: Mapping[str, Any],
    ):
        self._numbers = numbers
        self.compilations = 0
        """The number of times that the function was traced and compiled."""

        @torch.compiler.assume_constant_result
        def note() -> None:
            self.compilations += 1

        def traced(*values: Any) -> Any:
            note()
            return function(*values)

        self._function = cast(Any, torch.compile(_with_own_code(traced), **options))

    def __call__(self, *values: Any) -> Any:
        """Run the function; its arguments have been checked."""
        return self._function(*prepare(values, self._numbers))


def _with_own_code(function: FunctionType) -> FunctionType:
    """A copy of a closure with its own code: PyTorch limits the compilations of one code object."""
    code = function.__code__.replace()
    return FunctionType(code, function.__globals__, closure=function.__closure__)


def prepare(values: Sequence[Any], numbers: Collection[int] = ()) -> Sequence[Any]:
    """Checked arguments as tensors; other values go to the device of the first tensor with axes.

    Python numbers at the positions ``numbers`` are unchanged.
    """
    for value in values:  # a loop: small calls take as long as a generator
        if not isinstance(value, torch.Tensor):
            return _converted(values, numbers)
    return values


def _converted(values: Sequence[Any], numbers: Collection[int]) -> Sequence[Any]:
    tensors = sorted(_tensors(values), key=lambda tensor: tensor.ndim == 0)
    device = tensors[0].device if tensors else torch.get_default_device()
    return [
        value.value if place in numbers and isinstance(value, Number) else _on_device(value, device)
        for place, value in enumerate(values)
    ]


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, tuple | list):
        for field in cast(Sequence[Any], value):
            yield from _tensors(field)


def _on_device(value: Any, device: torch.device) -> Any:
    """A number or a NumPy array as a tensor on a device; tensors are not moved."""
    if isinstance(value, torch.Tensor):
        return value
    if isinstance(value, tuple):
        return tuple(_on_device(field, device) for field in cast(tuple[Any, ...], value))
    if isinstance(value, Number):
        return torch.scalar_tensor(value.value, dtype=value.dtype, device=device)
    if isinstance(value, np.generic):
        scalar = cast("np.generic[Any]", value)
        return torch.tensor(scalar.item(), dtype=DTYPES[scalar.dtype], device=device)
    return _shared(cast("NDArray[Any]", value)).to(device)
