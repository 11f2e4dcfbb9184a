"""Calls of emitted JAX programs: jitted, with static arguments, and in 64 bits.

JAX computes in 32 bits by default. A compiled program enables 64 bits for the time of a call, and
leaves the setting of the process alone: f64 programs compute in f64, and return f64 arrays. The
setting does not reach the transformations (``jax.grad``, ``jax.jit``) around a call. Inside them,
if 64 bits are disabled, programs that compute in f64 are rejected; and Ints that are not arguments,
such as positions, have 32 bits, like JAX's own positions.
"""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

from ein_mlir.backends import runtime
from ein_mlir.backends.emitted import EmittedFunction, Path
from ein_mlir.errors import EinTypeError, EinValueError
from ein_mlir.host.arrays import ShapedArray
from ein_mlir.host.garbage import rare_collections

ENABLE_X64 = (
    'turn 64 bits on, with jax.config.update("jax_enable_x64", True) when the program starts or '
    "`with jax.enable_x64(True):` around the transformation"
)
"""The remedy, in messages about 32 bits."""


def is_traced(value: object) -> bool:
    """Whether a value is a tracer of ``jax.jit``, ``jax.grad`` or another transformation."""
    return isinstance(value, Tracer)


def is_64_bit() -> bool:
    """Whether JAX computes in 64 bits, as set for the process or by a ``with`` around the call."""
    enabled: bool = jax.config.read("jax_enable_x64")
    return enabled


def has_gpu() -> bool:
    """Whether JAX computes on a GPU, or another device that is not the CPU, by default."""
    return jax.default_backend() != "cpu"


def is_on_gpu(values: Sequence[Any]) -> bool:
    """Whether a call computes on a GPU: unless its arrays are on the CPU, where there is one."""
    arrays = (leaf for leaf in jax.tree.leaves(values) if isinstance(leaf, jax.Array))
    known = [array for array in arrays if not is_traced(array)]
    return has_gpu() and not (known and all(map(_is_on_cpu, known)))


def _is_on_cpu(array: jax.Array) -> bool:
    return all(device.platform == "cpu" for device in array.devices())


class Static(tuple[Any, ...]):
    """The identities of static arguments, equal if the same code serves for them.

    JAX hashes and compares them in each call, as tuples without a call of Python.
    """

    __slots__ = ()

    @classmethod
    def of(cls, values: Iterable[Any]) -> Static:
        """The identities of some values."""
        return cls(map(_identity, values))

    def values(self) -> list[Any]:
        """The values of the arguments."""
        return [_with_identity(*each) for each in self]


def _identity(value: Any) -> tuple[Any, ...]:
    """What distinguishes a value from all others: JAX compares across functions, too."""
    if isinstance(value, np.integer):
        return (value.dtype.char, value.item())
    return (value.dtype.str, value.tobytes(), value.shape)


def _with_identity(dtype: str, value: int | bytes, shape: tuple[int, ...] = ()) -> Any:
    """The value with an identity."""
    if isinstance(value, int):
        return np.dtype(dtype).type(value)
    return np.frombuffer(value, dtype).reshape(shape)[()]


class StagedFunction:
    """An emitted function, jitted by default.

    It is compiled for each combination of shapes and of values of the static arguments. If sizes
    depend on elements of arrays, another function computes these before each call, with NumPy.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        emitted: EmittedFunction,
        names: Sequence[str],
        jit: bool | Mapping[str, Any] | None = None,
    ):
        self._sizes = None
        if emitted.stages:
            sizes, emitted = emitted.stages
            self._sizes = _Sizes(function.__globals__[sizes.name], sizes.static, names)
            function = function.__globals__[emitted.name]
        self._function = function
        self._static = emitted.static
        self._names = [_leaf_name(names, path) for path in self._static]
        self._uses_f64 = emitted.uses_f64
        options = jit if isinstance(jit, Mapping) else dict[str, Any]()
        if self._static:
            options = {"static_argnums": 0, **options}
        self._run = (
            self._call
            if jit is False
            else cast(Callable[..., Any], jax.jit(self._trace, **options))
        )
        self._is_jitted = jit is not False
        self._lock = threading.Lock()
        self.compilations = 0
        """The number of times that the function was traced and compiled."""

    @property
    def static_arguments(self) -> tuple[str, ...]:
        """The arguments, and fields of arguments, that determine shapes."""
        named = dict(zip(self._static, self._names, strict=True))
        if self._sizes is not None:
            named |= dict(zip(self._sizes.paths, self._sizes.names, strict=True))
        return tuple(named[path] for path in sorted(named) if named[path])

    def __call__(self, *arguments: Any) -> Any:
        """Run the function; its arguments have been checked."""
        if self._sizes is not None or self._static:
            arguments = self._split(self._with_sizes(arguments))
        if self.compilations or not self._is_jitted:
            return self._in_its_precision(arguments)
        with rare_collections():
            return self._in_its_precision(arguments)

    def _in_its_precision(self, arguments: tuple[Any, ...]) -> Any:
        """Run the function in 64 bits, or in the precision of a transformation around the call."""
        if is_64_bit():
            return self._run(*arguments)
        if any(map(is_traced, jax.tree.leaves(arguments))):
            return self._in_32_bits(arguments)
        with jax.enable_x64(True):
            return self._run(*arguments)

    def temporary_bytes(self, arguments: Sequence[Any]) -> int:
        """The bytes that XLA plans without arguments, which may be placeholders, and results."""
        given = self._split(self._with_sizes(tuple(arguments)))
        with jax.enable_x64(True):
            lowered = cast(Any, self._run).lower(
                *jax.tree.map(_placeholder, given, is_leaf=lambda x: hasattr(x, "shape"))
            )
            return int(lowered.compile().memory_analysis().temp_size_in_bytes)

    def _with_sizes(self, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments, and the sizes that another function computes of them."""
        return arguments if self._sizes is None else (*arguments, *self._sizes(arguments))

    def _split(self, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """The values of the static arguments, if any, and the others with None in their places."""
        if not self._static:
            return arguments
        values, dynamic = list[Any](), list(arguments)
        for (first, *rest), name in zip(self._static, self._names, strict=True):
            values.append(_known(_leaf(arguments[first], rest), name))
            dynamic[first] = _replaced(dynamic[first], rest, None) if rest else None
        return (Static.of(values), *dynamic)

    def _in_32_bits(self, arguments: Sequence[Any]) -> Any:
        """Call the function inside a transformation of the caller, under the caller's setting."""
        if self._uses_f64:
            raise EinTypeError(f"this program computes in f64, and JAX in 32 bits: {ENABLE_X64}")
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Explicitly requested dtype int64", UserWarning)
            return self._run(*arguments)

    def _trace(self, *arguments: Any) -> Any:
        """The function that JAX traces, once for each compilation."""
        with self._lock:
            self.compilations += 1
        return self._call(*arguments)

    def _call(self, *arguments: Any) -> Any:
        if self._static:
            static, arguments = arguments[0], arguments[1:]
            for path, value in zip(self._static, static.values(), strict=True):
                arguments = _replaced(arguments, path, value)
        with np.errstate(all="ignore"):
            return self._function(*arguments)


class _Sizes:
    """The sizes that depend on elements of arguments, computed by NumPy."""

    def __init__(self, function: Callable[..., Any], paths: Sequence[Path], names: Sequence[str]):
        self._function, self.paths = function, paths
        self.names = [_leaf_name(names, path) for path in paths]

    def __call__(self, arguments: Sequence[Any]) -> tuple[Any, ...]:
        known = tuple(arguments)
        for path, name in zip(self.paths, self.names, strict=True):
            known = _replaced(known, path, _known(_leaf(arguments, path), name))
        with jax.enable_x64(True), np.errstate(all="ignore"):
            sizes = self._function(*known)
        return sizes if isinstance(sizes, tuple) else (sizes,)


def _placeholder(leaf: Any) -> Any:
    if isinstance(leaf, Static):
        return leaf
    dtype = leaf.dtype if hasattr(leaf, "dtype") else np.asarray(leaf).dtype
    return jax.ShapeDtypeStruct(np.shape(leaf), dtype)


def _leaf(value: Any, path: Sequence[int]) -> Any:
    for number in path:
        value = value[number]
    return value


def _known(value: Any, name: str) -> Any:
    """The value of a static argument as a NumPy value."""
    if isinstance(value, np.generic):
        return value
    if is_traced(value) and np.ndim(value):
        raise EinValueError(
            f"elements of {name} decide the size of an array or the count of a loop, and JAX "
            "compiles for known sizes: give the size as a number, as in filter(a, keep, size=n), "
            "or an array that is not traced"
        )
    if is_traced(value):
        raise EinValueError(
            f"argument {name} decides the size of an array or the count of a loop, and "
            "JAX compiles for known sizes: pass a number, and not a traced value (under "
            "jax.jit, name the argument that it comes from in static_argnames)"
        )
    if isinstance(value, ShapedArray):
        raise EinTypeError(f"sizes depend on {name}: give its value, not {value}")
    return np.asarray(value)[()]


def _replaced(value: tuple[Any, ...], path: Sequence[int], leaf: Any) -> tuple[Any, ...]:
    """A record with one field, or a field of a field, replaced."""
    first, *rest = path
    if rest:
        leaf = _replaced(value[first], rest, leaf)
    return (*value[:first], leaf, *value[first + 1 :])


def _leaf_name(names: Sequence[str], path: Path) -> str:
    """The name of an argument or of a field of one; none for a computed size."""
    if path[0] >= len(names):
        return ""
    return names[path[0]] + "".join(f"[{number}]" for number in path[1:])


# Arguments and results ------------------------------------------------------------------------


def as_array(dtype: np.dtype[Any], rank: int, value: object) -> Any:
    """An argument that is an array of JAX, or as for NumPy; None for anything else."""
    if isinstance(value, jax.Array):
        return value if value.dtype == dtype and value.ndim == rank else None
    if hasattr(value, "__dlpack__") and not isinstance(value, np.ndarray):
        return as_array(dtype, rank, _copied(cast(Any, value)))
    return runtime.as_array(dtype, rank, cast(object, value))


def _copied(value: Any) -> Any:
    """A foreign array as one of JAX on its device; a copy, since its owner may overwrite it."""
    with jax.enable_x64(True):
        return jnp.from_dlpack(value, copy=True)


def as_scalar(dtype: np.dtype[Any], value: object) -> Any:
    """An argument that is an array of JAX of rank 0, or as for NumPy; None for anything else."""
    if isinstance(value, jax.Array):
        return value if value.dtype == dtype and value.ndim == 0 else None
    return runtime.as_scalar(dtype, value)


conversion = None
"""What the key of an argument says of an array is not checked again."""


def describe(value: object) -> str:
    """The description of a given value in a message, with a remedy if JAX has narrowed it."""
    if not isinstance(value, jax.Array):
        return runtime.describe(value)
    text = f"an array of {value.dtype} and rank {value.ndim}"
    if value.dtype.itemsize == 4 and not is_64_bit():
        return f"{text}; for arrays of 64 bits, {ENABLE_X64}"
    return text


def finish_scalar(dtype: np.dtype[Any], value: Any) -> Any:
    """A result that is a scalar: an array of rank 0, as everywhere in JAX."""
    return value


def extern(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of the embedding program, called immediately if all arguments are known.

    While JAX traces, it would defer even operations on known values; but a size that the function
    computes must be known then.
    """

    def call(*arguments: Any) -> Any:
        if any(map(is_traced, jax.tree.leaves(arguments))):
            return function(*arguments)
        with jax.ensure_compile_time_eval():
            return function(*arguments)

    return call


def stage(
    function: Callable[..., Any],
    emitted: EmittedFunction,
    names: Sequence[str],
    jit: bool | Mapping[str, Any] | None,
    version: Callable[[str], Callable[..., Any]] | None,
) -> Callable[..., Any]:
    """The function in its precision, jitted unless ``jit`` is false; a mapping is for `jax.jit`."""
    return StagedFunction(function, emitted, names, jit)
