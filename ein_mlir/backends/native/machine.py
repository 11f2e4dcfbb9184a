"""LLVM: text to an object file for the host, and an object file to addresses of functions."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, cached_property, partial
from itertools import count
from typing import Any

from llvmlite import binding as llvm
from llvmlite.binding import ffi
from llvmlite.binding.newpassmanagers import NewPassManager

from ein_mlir.backends.native.threads import threads_of_calls
from ein_mlir.backends.native.unpredictable import has_choices, with_marks

SPEED_LEVEL = 1
"""The optimisation level of LLVM's passes: code runs as fast as that of higher ones."""
PLAIN_LEVEL = 0
"""That of code without loops that matter: it is written as it should run."""
CODE_LEVEL = 2
"""The optimisation level of the generator of machine code."""

_ASSEMBLY, _OBJECT = 0, 1
"""The forms of machine code."""


def _features(host: str, cpu: str) -> str:
    """The features of a processor, with whole vectors where they do not lower its clock.

    LLVM halves vectors of 512 bits on all processors of Intel, for the first that had them. Those
    with arithmetic on f16 run as fast with them: loops of functions take a quarter less. Those of
    AMD load the elements of a vector faster one by one than by an instruction that gathers them.

    >>> _features("+avx512f,+avx512fp16", "sapphirerapids")
    '+avx512f,+avx512fp16,-prefer-256-bit'
    >>> _features("+avx2", "znver3")
    '+avx2,+prefer-no-gather'
    """
    has_f16 = "+avx512fp16" in host.split(",")
    chosen = ["-prefer-256-bit"] * has_f16 + ["+prefer-no-gather"] * cpu.startswith("znver")
    return ",".join([host, *chosen])


def _free(manager: Any) -> None:
    """Free a pass manager.

    llvmlite would not: the empty method of its first base class hides that of the second.
    """
    NewPassManager._dispose(manager)  # pyright: ignore[reportPrivateUsage]
    manager.detach()


@cache
def _parallel(name: str) -> Callable[..., Any]:
    """A function of llvmlite's library, without the lock that llvmlite takes for each call.

    LLVM needs none for modules of different contexts.
    """
    guarded = getattr(ffi.lib, name)
    function = getattr(ctypes.CDLL(ffi.lib._name), name)  # pyright: ignore[reportPrivateUsage]
    function.argtypes, function.restype = guarded.argtypes, guarded.restype
    return function


class Machine:
    """The host, as a target of LLVM."""

    def __init__(self) -> None:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        self.triple: str = llvm.get_process_triple()
        self.cpu: str = llvm.get_host_cpu_name()
        self.features: str = _features(llvm.get_host_cpu_features().flatten(), self.cpu)
        self._lock = threading.Lock()
        self._serial = count()

    def _target_machine(self) -> Any:
        """A target machine; it belongs to whoever asks for it."""
        target = llvm.Target.from_triple(self.triple)
        return target.create_target_machine(
            cpu=self.cpu,
            features=self.features,
            opt=CODE_LEVEL,
            reloc="pic",
            codemodel="default",
        )

    @cached_property
    def _jit(self) -> Any:
        """The linker: JITLink keeps the sections of an object together.

        LLVM's older one asks for the memory of each, and aborts the process if two of them are
        further apart than code can address, as in a process with much memory in pieces.
        """
        return llvm.create_lljit_compiler(self._target_machine(), use_jit_link=True)

    def compile(self, texts: Sequence[str], speed: int = SPEED_LEVEL) -> Sequence[bytes]:
        """An object file for the host of each text in LLVM's language, made in parallel."""
        if len(texts) == 1:
            return [self._emitted(texts[0], speed=speed)]
        with ThreadPoolExecutor(min(len(texts), threads_of_calls())) as threads:
            return list(threads.map(partial(self._emitted, speed=speed), texts))

    def assembly(self, text: str) -> str:
        """The machine code as assembly."""
        return self._emitted(text, _ASSEMBLY).decode()

    def _emitted(self, text: str, form: int = _OBJECT, speed: int = SPEED_LEVEL) -> bytes:
        """The machine code of a text, after LLVM's passes.

        Each module has its own context and target, so that threads share nothing.
        """
        target = self._target_machine()
        module = self._parsed(text, target)
        options = llvm.create_pipeline_tuning_options(speed)
        options.loop_vectorization = True
        options.slp_vectorization = True
        options.loop_interleaving = True
        options.loop_unrolling = True
        builder = llvm.create_pass_builder(target, options)
        manager = builder.getModulePassManager()
        _parallel("LLVMPY_RunNewModulePassManager")(manager, module, builder)
        _free(manager)
        if has_choices(text):
            module = self._parsed(with_marks(str(module)), target)
        with ffi.OutputString() as error:
            code = _parallel("LLVMPY_TargetMachineEmitToMemory")(target, module, form, error)
            if not code:
                raise RuntimeError(str(error))
        try:
            size = ffi.lib.LLVMPY_GetBufferSize(code)
            return ctypes.string_at(ffi.lib.LLVMPY_GetBufferStart(code), size)
        finally:
            ffi.lib.LLVMPY_DisposeMemoryBuffer(code)

    def _parsed(self, text: str, target: Any) -> Any:
        """A module of the host, in a context of its own."""
        module = llvm.parse_assembly(text, llvm.create_context())
        module.triple = self.triple
        module.data_layout = str(target.target_data)
        module.verify()
        return module

    def load(
        self, objects: Sequence[bytes], symbols: Sequence[str], imports: Mapping[str, int]
    ) -> Library:
        """The functions of the object files of a program; ``imports`` are functions it calls."""
        with self._lock:
            builder = llvm.JITLibraryBuilder().add_current_process()
            for code in objects:
                builder.add_object_img(code)
            for name, address in imports.items():
                builder.import_symbol(name, address)
            for name in symbols:
                builder.export_symbol(name)
            tracker = builder.link(self._jit, f"ein{next(self._serial)}")
            return Library(tracker, {name: tracker[name] for name in symbols})


class Library:
    """Loaded code; its addresses are valid as long as this object exists."""

    def __init__(self, tracker: object, addresses: Mapping[str, int]):
        self._tracker = tracker
        self.addresses = addresses


@cache
def host() -> Machine:
    """The machine of this process."""
    return Machine()
