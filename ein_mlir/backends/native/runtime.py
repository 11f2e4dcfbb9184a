"""Calls of compiled programs: arrays of NumPy in and out."""

from __future__ import annotations

import ctypes
import struct
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ein_mlir.backends import runtime
from ein_mlir.backends.native import abi
from ein_mlir.backends.native.binary import compiled
from ein_mlir.backends.native.interrupts import WATCH_BYTES, exception_in, watch_words
from ein_mlir.backends.native.machine import Library, host
from ein_mlir.backends.native.program import (
    Assembled,
    Binary,
    Function,
    LatePart,
    Leaf,
    Program,
)
from ein_mlir.backends.native.support import support
from ein_mlir.backends.native.threads import MOST_THREADS, threads_of_calls
from ein_mlir.backends.runtime import conversion, describe

__all__ = [
    "NativeFunction",
    "as_array",
    "as_scalar",
    "conversion",
    "describe",
    "extern",
    "finish_scalar",
    "flat",
    "library_of",
    "stage",
]

_WORD = 8
_STATE = "QQQqQQ"
"""The format of the state of a call: see `abi.CALL_WORDS`."""
_SLOTS = abi.CALL_WORDS * _WORD
"""The place of the slots, after the state."""
_Entry = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)
_Caller = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p)


def as_array(dtype: np.dtype[Any], rank: int, value: object) -> Any:
    """An argument that is an array; of complex numbers both parts. None for other values."""
    return _in_parts(runtime.as_array(dtype, rank, value))


def as_scalar(dtype: np.dtype[Any], value: object) -> Any:
    """An argument that is a number, of a complex one both parts. None for other values."""
    return _in_parts(runtime.as_scalar(dtype, value))


def _in_parts(value: Any) -> Any:
    if value is None or value.dtype.kind != "c":
        return value
    return value.real, value.imag


stage = None
"""Compiled functions run without a wrapper."""

extern = None
"""Functions of the embedding program are called without a wrapper."""


finish_scalar = None
"""Scalar results have their NumPy types."""


MOST_COPIED = 2**14
"""The bytes of a result that becomes an array by a copy: with more, an owner takes less time."""

_DATA = object.__basicsize__
"""The place of the address of the elements in an array: the first field in NumPy's C interface."""


_PLAIN = 0x101
"""The flags of NumPy's C interface for elements in order, without gaps, and aligned."""

_word_at = ctypes.c_size_t.from_address


def _address_in_fields(array: NDArray[Any]) -> int:
    """The address of the elements of an array, as CPython lays out objects."""
    return _word_at(id(array) + _DATA).value


def _address_by_ctypes(array: NDArray[Any]) -> int:
    """The address of the elements of an array, in ten times as long."""
    return array.ctypes.data


def _fastest_address() -> Callable[[NDArray[Any]], int]:
    """The way to the address of an array that this interpreter permits."""
    known = np.zeros(2)[1:]
    if sys.implementation.name == "cpython" and _address_in_fields(known) == known.ctypes.data:
        return _address_in_fields
    return _address_by_ctypes


_address = _fastest_address()


class _Owner:
    """The memory of a result: released with the last array that uses it."""

    __slots__ = ("__array_interface__", "_address", "_free")

    def __init__(self, address: int, shape: tuple[int, ...], dtype: np.dtype[Any]):
        self._address = address
        self._free = support().free
        self.__array_interface__ = {
            "data": (address, False),
            "shape": shape,
            "typestr": dtype.str,
            "version": 3,
        }

    def __del__(self) -> None:
        # An interrupt may have come before the constructor had set the fields.
        free = getattr(self, "_free", None)
        if free is not None:
            free(self._address)


def _copy(address: int, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
    """An array of the elements at an address."""
    array = np.empty(shape, dtype)
    ctypes.memmove(_address(array), address, array.nbytes)
    return array


class NativeLibrary:
    """The loaded functions of a program, and those that calls are the first to need."""

    def __init__(self, library: Library, late: Sequence[LatePart]):
        self.addresses = library.addresses
        self._parts = [part for part in late for _ in part.symbols]
        self._symbols = [symbol for part in late for symbol in part.symbols]
        self._lock = threading.Lock()
        self._libraries = [library]
        self._found = dict[str, int]()

    def find(self, number: int, slot: int) -> None:
        """Write the address of a function that is compiled late to a slot."""
        symbol = self._symbols[number]
        with self._lock:
            if symbol not in self._found:
                self._load(self._parts[number])
            _word_at(slot).value = self._found[symbol]

    def _load(self, part: LatePart) -> None:
        """Compile the functions of a part, or read them from the cache on disk."""
        assembled = Assembled(Program(()), part.texts)
        binary = compiled(lambda: "\n".join(part.texts), lambda: assembled)
        imports = {**support().imports, **self.addresses}
        library = host().load(binary.objects, part.symbols, imports)
        self._libraries.append(library)
        self._found.update(library.addresses)


class NativeFunction:
    """A function of a compiled program; its arguments have been checked.

    Safe to call from several threads: a call has its own state.
    """

    def __init__(
        self,
        program: Program,
        name: str,
        library: NativeLibrary,
        externs: Mapping[str, Callable[..., Any]],
        threads: int | None = None,
    ):
        self._threads = min(threads, MOST_THREADS) if threads is not None else None
        self._function = function = program.function(name)
        self._messages = program.messages
        self._library = library
        self._entry = _Entry(library.addresses[abi.PREFIX + name])
        inputs = "".join(leaf.format for leaf in function.arguments)
        outputs = "".join(leaf.format for leaf in function.results)
        self._inputs = struct.Struct(f"={_STATE}{inputs}Q")
        self._outputs = struct.Struct(f"={outputs}")
        self._end = self._inputs.size
        self._operands = self._end + self._outputs.size
        self._watch = self._operands + 2 * _WORD
        self._frame = ctypes.c_char * (self._watch + WATCH_BYTES)
        self._errors = dict[int, BaseException]()
        self._externs = [(extern, externs[extern.name]) for extern in program.externs]
        self._caller = _Caller(self._call_extern)
        self._caller_address = ctypes.cast(self._caller, ctypes.c_void_p).value or 0
        self.call = self._compiled()
        """The function of arrays and scalars; its results are one value or a flat tuple."""

    def _compiled(self) -> Callable[..., Any]:
        """The function that calls the machine code: compiled from text, for it takes two thirds
        of the time of one that looks at the kinds of its arguments and results.
        """
        threads = "_threads()" if self._threads is None else str(self._threads)
        text = _text_of_call(self._function, self._operands, threads)
        namespace: dict[str, Any] = {
            "_asarray": np.asarray,
            "_address": _address,
            "_address_of_frame": ctypes.addressof,
            "_caller": self._caller_address,
            "_empty": np.empty,
            "_end": self._end,
            "_entry": self._entry,
            "_error": self._error,
            "_Frame": self._frame,
            "_move": support().move,
            "_Owner": _Owner,
            "_pack": self._inputs.pack_into,
            "_threads": threads_of_calls,
            "_unpack": self._outputs.unpack_from,
            "_watch_at": self._watch,
            "_watch_words": watch_words,
            "_word_at": _word_at,
        }
        for k, leaf in enumerate(self._function.results):
            namespace[f"_dtype{k}"], namespace[f"_type{k}"] = leaf.numpy, leaf.numpy.type
        exec(compile(text, __file__, "exec"), namespace)  # a frame of the package, for locations
        return namespace["call"]

    def _error(self, code: int, address: int, frame: ctypes.Array[ctypes.c_char]) -> BaseException:
        """The error that a code stands for; memory that the call has left is released."""
        support().release_all(address)
        if code == abi.RAISED:
            raised = self._errors.pop(address, None)
            return exception_in(address + self._watch) or raised or KeyboardInterrupt()
        if code == abi.OUT_OF_MEMORY:
            return MemoryError(f"{self._function.name}: no memory for an array")
        numbers = struct.unpack_from("=qq", frame, self._operands)
        return ValueError(self._messages[code - 1].format(*numbers))

    def _call_extern(self, call: int, number: int, slots: int) -> int:
        """Call a function of the host program, for `abi.EXTERN`."""
        try:
            if number <= abi.LATE:
                self._library.find(abi.LATE - number, slots)
            elif number == abi.PRODUCT:
                _multiply(slots)
            else:
                extern, function = self._externs[number]
                self._run_extern(extern, function, call, slots)
        except BaseException as error:
            self._errors[call] = error
            return abi.RAISED
        return abi.DONE

    def _run_extern(
        self, extern: Function, function: Callable[..., Any], call: int, slots: int
    ) -> None:
        inputs = struct.Struct("=" + "".join(leaf.format for leaf in extern.arguments))
        outputs = struct.Struct("=" + "".join(leaf.format for leaf in extern.results))
        size = inputs.size + outputs.size
        memory = (ctypes.c_char * size).from_address(slots)
        arguments = _borrowed(extern.arguments, inputs.unpack_from(memory, 0))
        values = list(flat((function(*arguments),)))
        words = list[Any]()
        for leaf, value in zip(extern.results, values, strict=True):
            words.extend(_copied(leaf, value, call))
        outputs.pack_into(memory, inputs.size, *words)


def _text_of_call(function: Function, operands: int, threads: str) -> str:
    """The text of the function that calls machine code.

    It packs the words of arguments into a frame, and makes values of the words of results::

        def call(a0):
            frame = _Frame()
            address = _address_of_frame(frame)
            watch, thread = _watch_words(address + _watch_at)
            if a0.flags.num & 257 != 257:
                a0 = a0.copy(order="C")
            a0_0, = a0.shape
            _pack(frame, 0, .., _word_at(id(a0) + 16).value, a0_0, address + 120)
            code = _entry(address, address + 48)
            if code:
                raise _error(code, address, frame)
            r0, = _unpack(frame, _end)
            return _type0(r0)
    """
    names = [f"a{k}" for k in range(len(function.arguments))]
    words = ["address", "address", "_caller", threads, "watch", "thread"]
    lines = [
        f"def call({', '.join(names)}):",
        "frame = _Frame()",
        "address = _address_of_frame(frame)",
        "watch, thread = _watch_words(address + _watch_at)",
    ]
    for name, leaf in zip(names, function.arguments, strict=True):
        words.append(_address_text(name) if leaf.rank else name)
        if leaf.rank:  # loops over elements at a stride are slower than a copy
            lines.append(f"if {name}.flags.num & {_PLAIN} != {_PLAIN}:")
            lines.append(f"    {name} = {name}.copy(order='C')")
            sizes = _sizes(name, leaf)
            lines.append(f"{', '.join(sizes)}, = {name}.shape")
            words += sizes
    lines.append(f"_pack(frame, 0, {', '.join(words)}, address + {operands})")
    lines.append(f"code = _entry(address, address + {_SLOTS})")
    lines += ["if code:", "    raise _error(code, address, frame)"]
    results = [(f"r{k}", leaf) for k, leaf in enumerate(function.results)]
    found = [word for name, leaf in results for word in (name, *_sizes(name, leaf))]
    if found:
        lines.append(f"{', '.join(found)}, = _unpack(frame, _end)")
    for k, (name, leaf) in enumerate(results):
        lines += _lines_of_result(k, name, leaf)
    values = ", ".join(name for name, _ in results)
    lines.append(f"return {values}" if len(results) == 1 else f"return ({values})")
    return "\n    ".join(lines)


def _lines_of_result(k: int, name: str, leaf: Leaf) -> list[str]:
    """The lines that make a result: of its memory, or for a small array by a copy."""
    if not leaf.rank:
        return [f"{name} = _type{k}({name})"]
    sizes = _sizes(name, leaf)
    shape = f"({', '.join(sizes)},)"
    return [
        f"size = {' * '.join([*sizes, str(leaf.numpy.itemsize)])}",
        f"if size > {MOST_COPIED}:",
        f"    {name} = _asarray(_Owner({name}, {shape}, _dtype{k}))",
        "else:",
        f"    array = _empty({shape}, _dtype{k})",
        f"    _move({name}, {_address_text('array')}, size)",
        f"    {name} = array",
    ]


def _sizes(name: str, leaf: Leaf) -> list[str]:
    """The names of the sizes of an array."""
    return [f"{name}_{axis}" for axis in range(leaf.rank)]


def _address_text(name: str) -> str:
    """The address of an array: `_address`, written out where it can be."""
    fields = _address is _address_in_fields
    return f"_word_at(id({name}) + {_DATA}).value" if fields else f"_address({name})"


def _multiply(slots: int) -> None:
    """The product of matrices at the addresses in some slots: see `abi.PRODUCT`."""
    width, count = (ctypes.c_int64 * 2).from_address(slots)
    words = (ctypes.c_int64 * (count + 3 * (1 + count))).from_address(slots + 2 * _WORD)
    *shared, rows, columns, terms = range(count)
    sizes, operands = words[:count], [words[at : at + 1 + count] for at in _starts(count)]
    orders = (rows, terms), (terms, columns), (rows, columns)
    left, right, result = (
        np.asarray(
            cast(Any, _Strided(address, width, [(sizes[k], strides[k]) for k in (*shared, *order)]))
        )
        for (address, *strides), order in zip(operands, orders, strict=True)
    )
    np.matmul(left, right, out=result)


def _starts(count: int) -> range:
    """The first words of the operands of a product with some sizes."""
    return range(count, count + 3 * (1 + count), 1 + count)


class _Strided:
    """Floats at an address, with the size and the stride of each axis, for ``np.asarray``."""

    __slots__ = ("__array_interface__",)

    def __init__(self, address: int, width: int, axes: Sequence[tuple[int, int]]):
        self.__array_interface__ = {
            "data": (address, False),
            "shape": tuple(size for size, _ in axes),
            "strides": tuple(width * stride for _, stride in axes),
            "typestr": f"<f{width}",
            "version": 3,
        }


def flat(values: Sequence[Any]) -> Iterator[Any]:
    """The arrays and scalars in nested tuples."""
    for value in values:
        if isinstance(value, tuple):
            yield from flat(cast(tuple[Any, ...], value))
        else:
            yield value


def _borrowed(leaves: Sequence[Leaf], words: Sequence[Any]) -> list[Any]:
    """Arguments for a function of the host program: copies, which it may keep."""
    values, place = list[Any](), 0
    for leaf in leaves:
        if leaf.rank:
            shape = tuple(words[place + 1 : place + 1 + leaf.rank])
            values.append(_copy(words[place], shape, leaf.numpy))
        else:
            values.append(leaf.numpy.type(words[place]))
        place += 1 + leaf.rank
    return values


def _copied(leaf: Leaf, value: Any, call: int) -> Sequence[Any]:
    """The words of a result of a function of the host program: its elements belong to the call."""
    if not leaf.rank:
        return (value,)
    array: NDArray[Any] = np.ascontiguousarray(value, leaf.numpy)
    address = support().allocate(call, array.nbytes)
    if not address:
        raise MemoryError("no memory for the result of an extrinsic")
    ctypes.memmove(address, _address(array), array.nbytes)
    return (address, *array.shape)


def library_of(binary: Binary) -> NativeLibrary:
    """The functions of a program, loaded."""
    symbols = [abi.PREFIX + function.name for function in binary.program.functions]
    library = host().load(binary.objects, symbols, support().imports)
    return NativeLibrary(library, binary.late)
