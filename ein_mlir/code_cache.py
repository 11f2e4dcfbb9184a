"""Emitted programs, kept by content: programs that are equal are compiled once.

Two functions with equal traced programs share one emitted program, and the library's compilations
of it. The cache is bounded; `clear_cache` empties it. Other processes find emitted programs in the
cache on disk, which is not emptied.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from ein_mlir.analysis.scopes import operations_in
from ein_mlir.backends.emitted import Emitted
from ein_mlir.emission import kept_program

MOST_PROGRAMS = 512
"""The number of programs that are kept: those used last."""


class Code:
    """A program as emitted for a backend."""

    def __init__(
        self,
        module: ModuleOp,
        backend: str,
        passes: Sequence[str],
        emit: Callable[[], ModuleOp],
    ):
        self._module = module
        self._backend = backend
        self._passes = passes
        self._emit = emit
        self.loaded = dict[Hashable, Callable[..., Any]]()
        """The functions that the source defines, by how the library treats them."""

    @cached_property
    def emitted(self) -> ModuleOp:
        """The program in emitpy, or in loops."""
        return self._emit()

    @cached_property
    def program(self) -> Emitted:
        """The emitted source, with the facts that calls need: of this process or an earlier one."""
        return kept_program(self._module, self._backend, self._passes, lambda: self.emitted)

    @property
    def source(self) -> str:
        """The emitted program as text: Python, or loops."""
        return self.program.source


class CodeCache:
    """The programs that were emitted last, by content and target. Safe to use from threads."""

    def __init__(self, most: int = MOST_PROGRAMS) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._kept = OrderedDict[Hashable, Code]()

    def get(self, program: ModuleOp, target: Hashable, emit: Callable[[], Code]) -> Code:
        """The code of a program for a target, the backend and its passes; ``emit`` makes it where
        none is kept.
        """
        key = program_key(program), target
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        code = emit()
        with self._lock:
            code = self._kept.setdefault(key, code)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return code

    def clear(self) -> None:
        """Forget all programs."""
        with self._lock:
            self._kept.clear()


CODE = CodeCache()
"""The cache of the process."""


def clear_cache() -> None:
    """Forget all compiled programs, for example to measure how long compiling takes.

    Functions that were compiled before keep their code, and the files of the cache on disk stay: an
    empty ``EIN_CACHE_DIR`` turns that off.
    """
    CODE.clear()


def program_key(module: ModuleOp) -> Hashable:
    """Equal for programs that are equal, names of values included.

    Source locations do not count: no emitted code depends on them.
    """
    numbers = dict[SSAValue, int]()
    return tuple(_row(op, numbers) for op in operations_in(module))


def _row(op: Operation, numbers: dict[SSAValue, int]) -> Hashable:
    """An operation with numbers for the values that it reads, and the shape of its regions."""
    operands = tuple(numbers.get(operand, -1) for operand in op.operands)
    blocks = [block for region in op.regions for block in region.blocks]
    defined = (*op.results, *(argument for block in blocks for argument in block.args))
    for value in defined:
        numbers[value] = len(numbers)
    return (
        op.name,
        operands,
        _items(op.properties),
        _items(op.attributes),
        tuple((value.type, value.name_hint) for value in defined),
        tuple((len(block.args), _length(block)) for block in blocks),
    )


def _items(attributes: Mapping[str, Any]) -> Hashable:
    return tuple(sorted(attributes.items(), key=lambda item: item[0])) if attributes else ()


def _length(block: Block) -> int:
    return sum(1 for _ in block.ops)
