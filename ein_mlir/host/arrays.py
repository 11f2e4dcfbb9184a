"""The arguments of the host program, distinguished: arrays, NumPy scalars, Python integers.

The arrays are those of NumPy and of the libraries of other backends. The latter are recognised
without an import: a program that has an array of a library has imported it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from enum import Enum
from functools import cache
from math import prod
from typing import Any, ParamSpec, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import DTypeLike, NDArray
from typing_extensions import TypeIs

from ein_mlir.errors import EinTypeError
from ein_mlir.host.elements import numpy_dtype
from ein_mlir.host.locations import at

P = ParamSpec("P")
R = TypeVar("R")

_ARRAYS = {"torch": "Tensor", "jax": "Array"}
"""The class of arrays of each library except NumPy; backends have the names of libraries."""


def constant_in_traces(function: Callable[P, R]) -> Callable[P, R]:
    """A function that ``torch.compile`` calls when it traces a caller; its result is constant.

    Its arguments are constants too, such as numbers, strings, classes, and tuples of them. This is
    ``torch.compiler.assume_constant_result``, which cannot be imported: PyTorch may be missing.
    """
    function.__dict__["_dynamo_marked_constant"] = True
    return function


def is_masked(value: object) -> bool:
    """Whether a value is a masked array of NumPy, whose module is loaded when it is first used."""
    module = sys.modules.get("numpy.ma")
    return module is not None and isinstance(value, module.MaskedArray)


class HostArray(Protocol):
    """The interface of the arrays of all libraries."""

    @property
    def dtype(self) -> Any:
        """The element type, as a dtype of the library."""
        ...

    @property
    def ndim(self) -> int:
        """The number of axes."""
        ...


class ForeignArray(Protocol):
    """An array that shares its memory with other libraries: dmlc.github.io/dlpack."""

    def __dlpack__(self, **options: Any) -> Any:
        """A capsule with the memory and its description."""
        ...

    def __dlpack_device__(self) -> tuple[int, int]:
        """The kind of the device, and its number."""
        ...


def _is_size(value: object) -> bool:
    number = as_int(value)
    return number is not None and number >= 0


class AnyArray:
    """A placeholder for all arrays of a library, an element type and a rank."""

    def __init__(self, library: str, dtype: Any, ndim: int):
        self.library = library
        self.dtype = dtype
        self.ndim = ndim


class ShapedArray(AnyArray):
    """A placeholder for an array of a shape and a dtype, without elements.

    >>> ShapedArray((2, 3), "float32")
    ShapedArray((2, 3), float32)
    >>> ShapedArray((2, 3), "float32") == ShapedArray((2, 3), np.float32)
    True
    """

    def __init__(self, shape: tuple[int, ...], dtype: DTypeLike = "float64"):
        if not isinstance(shape, tuple) or not all(map(_is_size, shape)):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise EinTypeError(
                f"ShapedArray: a shape is a tuple of ints from 0 on, not {shape!r}{at()}"
            )
        try:
            element = np.dtype(dtype)
        except TypeError as error:
            raise EinTypeError(f"ShapedArray: NumPy has no dtype {dtype!r}{at()}") from error
        super().__init__("numpy", element, len(shape))
        self.shape = shape

    @property
    def nbytes(self) -> int:
        """The memory of the elements."""
        return prod(self.shape) * self.dtype.itemsize

    def __repr__(self) -> str:
        return f"ShapedArray({self.shape}, {self.dtype})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ShapedArray):
            return False
        return self.shape == other.shape and bool(self.dtype == other.dtype)

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype))


def joined(real: Any, imag: Any, dtype: DTypeLike) -> Any:
    """The complex numbers of two parts, arrays or NumPy scalars.

    >>> joined(np.arange(2.0), np.ones(2), "complex128")
    array([0.+1.j, 1.+1.j])
    """
    numbers = np.empty(np.shape(real), dtype)
    numbers.real, numbers.imag = real, imag
    return numbers[()]


def aligned(value: Any) -> Any:
    """A value whose arrays of NumPy have elements at addresses that are multiples of their sizes.

    >>> bytes_ = np.zeros(17, np.uint8)
    >>> odd = bytes_[1:].view(np.float64)
    >>> odd.flags.aligned, aligned(odd).flags.aligned
    (False, True)
    """
    if isinstance(value, tuple):
        return tuple(map(aligned, cast("tuple[Any, ...]", value)))
    is_array = isinstance(value, np.ndarray)
    return np.require(cast(NDArray[Any], value), requirements="A") if is_array else value


def library_of(value: object) -> str | None:
    """The library of an array, named as its backend; None for other values.

    >>> library_of(np.zeros(2)), library_of(2.0)
    ('numpy', None)
    """
    if (library := _library_of_class(type(value))) is not None:
        return library
    for library, array in _array_classes():
        if isinstance(value, array):
            return library
    return value.library if isinstance(value, AnyArray) else None


@constant_in_traces
def _library_of_class(cls: type) -> str | None:
    """The library of all instances of a class; None if that depends on the instance.

    Tests of instances of PyTorch and JAX take a part of the time of a short call.
    """
    return _known_library(cls)


@cache
def _known_library(cls: type) -> str | None:
    if issubclass(cls, np.ndarray):
        return "numpy"
    return next((library for library, array in _array_classes() if issubclass(cls, array)), None)


def _array_classes() -> list[tuple[str, Any]]:
    """The class of arrays of each library that is imported."""
    modules = [(library, sys.modules.get(library)) for library in _ARRAYS]
    return [(name, getattr(module, _ARRAYS[name], ())) for name, module in modules if module]


_CPU_DEVICES = 1, 3
"""DLPack's numbers of memory that the CPU reads: kDLCPU, kDLCUDAHost."""


def is_foreign(value: object) -> TypeIs[ForeignArray]:
    """Whether a value is an array of another library, which shares its memory through DLPack."""
    return hasattr(value, "__dlpack__") and hasattr(value, "__dlpack_device__")


def from_dlpack(value: ForeignArray) -> HostArray:
    """A foreign array as one of a backend, in the same memory: NumPy's, if the CPU can read it.

    Raises EinTypeError for an array on a device that no imported library supports.
    """
    device, _ = value.__dlpack_device__()
    if device in _CPU_DEVICES:
        return np.from_dlpack(value)
    if (torch := sys.modules.get("torch")) is not None:
        return torch.from_dlpack(value)
    if (jax := sys.modules.get("jax")) is not None:
        with jax.enable_x64(True):  # JAX would make 64 bits 32 otherwise
            return jax.numpy.from_dlpack(value)
    raise EinTypeError(
        f"a {type(value).__name__} on a device that is not the CPU needs PyTorch or JAX: import "
        f"one of them{at()}"
    )


def is_array(value: object) -> TypeIs[HostArray]:
    """Whether a value is an array of NumPy or of another library."""
    return library_of(value) is not None


def dtype_of_array(array: HostArray) -> np.dtype[Any] | None:
    """The NumPy dtype of the elements of an array; None if NumPy has none."""
    if is_dtype(array.dtype):
        return array.dtype
    name = str(array.dtype).removeprefix("torch.")
    try:
        return numpy_dtype(name)
    except TypeError:
        return None


def is_numpy_scalar(value: object) -> TypeIs[np.generic[Any]]:
    """Whether a value is a NumPy scalar: it has its own type, even if it is a float, too."""
    return isinstance(value, np.generic)


def is_dtype(value: object) -> TypeIs[np.dtype[Any]]:
    """Whether a value is a NumPy dtype."""
    return isinstance(value, np.dtype)


def as_int(value: object) -> int | None:
    """A Python or NumPy integer as an int, the number of an enumerator; None for anything else.

    >>> as_int(3), as_int(True), as_int(3.0)
    (3, None, None)
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, Enum):
        return list(type(value)).index(value)
    return value.item() if is_numpy_scalar(value) and value.dtype.kind in "iu" else None
