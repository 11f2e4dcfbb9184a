"""The functions that compiled programs call: buffers and threads, loaded once in a process.

They are written in LLVM's language (``support.ll``, and ``products.ll`` for each type of floats),
since they run where Python must not: on threads without an interpreter, and between two
instructions of a program.
"""

from __future__ import annotations

import ctypes
import os
from functools import cache
from importlib import import_module
from importlib.resources import files

from ein_mlir.backends.native import abi, interrupts
from ein_mlir.backends.native.binary import compiled_plainly
from ein_mlir.backends.native.machine import Machine, host

_SYMBOLS = (
    abi.ALLOCATE,
    abi.RELEASE,
    abi.KEEP,
    abi.RELEASE_ALL,
    abi.FILL,
    abi.EXTERN,
    abi.MULTIPLY,
    abi.MULTIPLY_HERE,
    abi.PARALLEL,
    abi.PARALLEL_LATE,
    abi.ASK_LATE,
    abi.ASK,
    "ein_free",
    "ein_move",
    "ein_lock",
    "ein_unlock",
    "ein_kept",
    "ein_set_bound",
    "ein_set_products",
    "ein_set_signals",
    "ein_trim",
    "ein_after_fork",
)

_HINTS = {
    "x86_64": ("declare void @llvm.x86.sse2.pause()", "call void @llvm.x86.sse2.pause()"),
    "aarch64": ("declare void @llvm.aarch64.hint(i32)", "call void @llvm.aarch64.hint(i32 1)"),
}
"""The declaration and the call of the hint to a processor that a thread is waiting."""

_Address = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
"""Called without releasing the lock of the interpreter, which would take longer than the call."""
_Move = ctypes.PYFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
_Number = ctypes.CFUNCTYPE(None, ctypes.c_int64)
_Nothing = ctypes.CFUNCTYPE(None)
_Kept = ctypes.CFUNCTYPE(ctypes.c_int64)
_Allocate = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
_Addresses = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)

_LEAST_BOUND = 256 * 2**20


class Support:
    """Buffers and threads of this process."""

    def __init__(self) -> None:
        machine = host()
        library = machine.load(compiled_plainly(support_text(machine)), _SYMBOLS, {})
        self._library = library
        self.imports = library.addresses
        """The addresses of the functions, for programs that call them."""
        address = library.addresses.__getitem__
        self.allocate = _Allocate(address(abi.ALLOCATE))
        self.free = _Address(address("ein_free"))
        self.move = _Move(address("ein_move"))
        self.release_all = _Address(address(abi.RELEASE_ALL))
        self.kept = _Kept(address("ein_kept"))
        self.set_bound = _Number(address("ein_set_bound"))
        self.trim = _Number(address("ein_trim"))
        self.set_bound(default_bound())
        self.set_products = _Addresses(address("ein_set_products"))
        self.set_products(*products_of_numpy())
        _Addresses(address("ein_set_signals"))(*interrupts.addresses())
        if hasattr(os, "register_at_fork"):
            lock, unlock = _Nothing(address("ein_lock")), _Nothing(address("ein_unlock"))
            forget = _Nothing(address("ein_after_fork"))

            def in_child() -> None:
                unlock()
                forget()

            os.register_at_fork(before=lock, after_in_parent=unlock, after_in_child=in_child)


def support_text(machine: Machine) -> str:
    """The text of the functions, for a machine."""
    folder = files("ein_mlir.backends.native")
    text = (folder / "support.ll").read_text("utf-8")
    products = (folder / "products.ll").read_text("utf-8")
    texts = [text, *(products.replace("$T", type_) for type_ in ("double", "float"))]
    declaration, hint = _HINTS.get(machine.triple.partition("-")[0], ("", ""))
    texts.append(f"{declaration}\ndefine internal void @pause() {{\n{hint}\nret void\n}}\n")
    return "\n".join(texts)


def products_of_numpy() -> tuple[int | None, ...]:
    """The addresses of functions of the library that NumPy links: the products of matrices in f64
    and f32, and those that return and set its number of threads.

    Only names that say that integers have 64 bits: by another name, they may have 32.
    """
    none = (None, None, None, None)
    try:
        module = import_module("numpy._core._multiarray_umath")
        library = ctypes.CDLL(module.__file__)
    except (ImportError, OSError):
        return none
    for prefix in ("scipy_", ""):
        products = [f"{prefix}cblas_{letter}gemm64_" for letter in "ds"]
        threads = [f"{prefix}openblas_{verb}_num_threads64_" for verb in ("get", "set")]
        if all(hasattr(library, name) for name in products):
            has_threads = all(hasattr(library, name) for name in threads)
            names = [*products, *threads] if has_threads else products
            found = (ctypes.cast(library[name], ctypes.c_void_p).value for name in names)
            return (*found, *none)[:4]
    return none


def default_bound() -> int:
    """The bytes of released buffers that are kept: an eighth of the memory of the machine."""
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return _LEAST_BOUND
    return max(total // 8, _LEAST_BOUND)


@cache
def support() -> Support:
    """The functions of this process."""
    return Support()
