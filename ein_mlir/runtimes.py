"""The backends: their pipelines, and the modules that take arguments and give results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, Protocol, TypeAlias, cast

import numpy as np

from ein_mlir import pipelines
from ein_mlir.backends.emitted import EmittedFunction
from ein_mlir.errors import EinValueError, MissingBackendError
from ein_mlir.host.dataclass import dataclass
from ein_mlir.host.options import check_options

Function: TypeAlias = Callable[..., Any]


Jit: TypeAlias = bool | Mapping[str, Any] | None
"""Whether the library compiles a program; a mapping has options for its compiler, None is the
default of the library.
"""


class Stage(Protocol):
    """A wrapper of emitted functions, given the facts and the argument names of each."""

    def __call__(
        self,
        function: Function,
        emitted: EmittedFunction,
        names: Sequence[str],
        jit: Jit,
        version: Callable[[str], Function] | None,
    ) -> Function:
        """The function to call with checked arguments.

        ``version`` compiles the same program by another pipeline: ``numpy``, or one of the library
        itself. It is None for a program with extrinsics.
        """
        ...


class Runtime(Protocol):
    """Arguments and results of a backend: a module that is loaded when a program is compiled."""

    @property
    def stage(self) -> Stage | None:
        """The stage of an emitted function; None to call the function itself."""
        ...

    @property
    def extern(self) -> Callable[[Function], Function] | None:
        """The wrapper of a function of the embedding program; None to call the function itself."""
        ...

    def as_array(self, dtype: np.dtype[Any], rank: int, value: object) -> Any:
        """An argument that is an array; None if it has another dtype or rank."""
        ...

    def as_scalar(self, dtype: np.dtype[Any], value: object) -> Any:
        """An argument that is a scalar of the type; None for other values."""
        ...

    @property
    def conversion(self) -> Callable[[Function, np.dtype[Any], int, Any], Function] | None:
        """The conversion of arguments with a key for arrays of a type and a rank, from the one for
        any arguments; None if arrays of the library are taken as they are.
        """
        ...

    def describe(self, value: object) -> str:
        """The description of a given value in a message."""
        ...

    @property
    def finish_scalar(self) -> Callable[[np.dtype[Any], Any], Any] | None:
        """A scalar result, from a value that the emitted function returned; None if it is one."""
        ...


class DeviceRuntime(Runtime, Protocol):
    """The runtime of a library that computes on several devices.

    A GPU is any device but the CPU.
    """

    def has_gpu(self) -> bool:
        """Whether there is a GPU."""
        ...

    def is_on_gpu(self, values: Sequence[Any]) -> bool:
        """Whether a call with some arguments computes on a GPU."""
        ...


@dataclass(frozen=True)
class Backend:
    """The pipelines of a backend, and its runtime."""

    name: str
    pipeline: tuple[str, ...]
    library: str
    """The name of its library in messages."""
    on_gpu: tuple[str, ...] = ()
    """The pipeline for a GPU, if it is another one."""
    has_jit: bool = False
    """Whether the library has a compiler of its own."""
    package: str = ""
    """The package of the library, if it is not named as the backend."""
    stages: tuple[str, ...] = ("phi", "yarr", "emitpy")
    """The forms of a program, by their names in ``CompiledFunction.ir``."""

    def passes(self, values: Sequence[Any] = ()) -> tuple[str, ...]:
        """The pipeline for the device of some arguments, by default that of new arrays."""
        return self.on_gpu if self.has_gpu() and self.devices.is_on_gpu(values) else self.pipeline

    def has_gpu(self) -> bool:
        """Whether calls may need the pipeline for a GPU."""
        return bool(self.on_gpu) and self.devices.has_gpu()

    @property
    def devices(self) -> DeviceRuntime:
        """The runtime of a backend with a pipeline for a GPU."""
        return cast(DeviceRuntime, self.runtime())

    def runtime(self) -> Runtime:
        """The runtime, loaded; raises MissingBackendError if the library is not installed."""
        try:
            module = import_module(f"ein_mlir.backends.{self.name}.runtime")
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] != (self.package or self.name):
                raise
            raise MissingBackendError(
                f"the {self.name} backend needs {self.library}, which is not installed: "
                f"pip install 'ein-mlir[{self.name}]'"
            ) from error
        return cast(Runtime, module)


BACKENDS: dict[str, Backend] = {
    "numpy": Backend("numpy", pipelines.NUMPY, "NumPy"),
    "torch": Backend("torch", pipelines.TORCH, "PyTorch", pipelines.TORCH_ON_GPU, has_jit=True),
    "jax": Backend("jax", pipelines.JAX, "JAX", pipelines.JAX_ON_GPU, has_jit=True),
    "native": Backend(
        "native",
        pipelines.NATIVE,
        "llvmlite",
        package="llvmlite",
        stages=("phi", "loops", "llvm"),
    ),
}
"""The compiling backends by name; ``naive``, the reference interpreter, is not one of them."""


def check_backend(backend: str, jit: Jit, threads: int | None) -> None:
    """Raise EinValueError for a backend that does not exist, or has no compiler for ``jit``, or no
    threads.
    """
    if backend != "naive" and backend not in BACKENDS:
        names = ", ".join(("naive", *BACKENDS))
        raise EinValueError(f"there is no backend '{backend}'; there are {names}")
    check_options(jit, threads)
    if is_wanted(jit) and not has_jit(backend):
        names = " and ".join(filter(has_jit, BACKENDS))
        raise EinValueError(f"jit is for {names}: the {backend} backend has no compiler")
    if threads is not None and not has_threads(backend):
        raise EinValueError(f"threads is for native: the backend is {backend}")


def has_jit(backend: str) -> bool:
    """Whether the library of a backend has a compiler of its own."""
    return backend in BACKENDS and BACKENDS[backend].has_jit


def has_threads(backend: str) -> bool:
    """Whether programs of a backend run on threads of this package."""
    return backend == "native"


def is_wanted(jit: Jit) -> bool:
    """Whether a compiler is requested; an empty mapping requests one, too."""
    return jit not in (None, False)
