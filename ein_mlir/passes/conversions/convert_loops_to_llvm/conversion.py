"""The state of a conversion, and the values of the loops as values of the machine."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import count
from typing import Any, TypeAlias

from xdsl.dialects import func, llvm, scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    FixedBitwidthType,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from ein_mlir.analysis.diagnostics import where_written
from ein_mlir.analysis.hints import isa
from ein_mlir.backends.native import abi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.conversions.convert_loops_to_llvm.build import (
    POINTER,
    Build,
    machine_type,
    storage_of,
)

FLAG = "convert-loops-to-llvm"
LOOP_PREFIX = "loop."
"""Of the functions of parallel loops."""

Rule: TypeAlias = Callable[["Conversion", Any], None]


@dataclass(frozen=True)
class Memref:
    """An array: the address of its first element, and its sizes."""

    pointer: SSAValue
    sizes: tuple[SSAValue, ...]
    strides: tuple[SSAValue, ...] | None
    """The distance of neighbours along each axis, in elements; None if the array is row-major."""
    element: Attribute
    """The type of its elements in the program."""

    @property
    def storage(self) -> Attribute:
        """The type of its elements in memory."""
        return storage_of(self.element)

    @property
    def width(self) -> int:
        """The number of bytes of an element."""
        assert isinstance(self.storage, FixedBitwidthType)
        return self.storage.size


@dataclass
class Program:
    """Facts about the functions of a module, and the library functions that they call."""

    functions: dict[str, func.FuncOp]
    libraries: dict[str, llvm.LLVMFunctionType] = field(
        default_factory=dict[str, llvm.LLVMFunctionType]
    )
    """The functions of the runtime and of the C library that the module declares."""
    added: list[llvm.FuncOp] = field(default_factory=list[llvm.FuncOp])
    """The functions of parallel loops and products."""
    loops: dict[str, Iterator[int]] = field(default_factory=dict[str, Iterator[int]])
    """The numbers of further functions of parallel loops, by the function of the program."""
    shared: dict[Hashable, str] = field(default_factory=dict[Hashable, str])
    """The names of the functions of parallel loops and products, by their keys."""
    is_late: bool = False
    """Whether loops that only some sizes need are compiled late: see `late`."""
    parts: Iterator[int] = field(default_factory=count)
    """The numbers of further parts that are compiled late."""
    asked: dict[str, list[tuple[int, str]]] = field(
        default_factory=dict[str, list[tuple[int, str]]]
    )
    """The functions compiled late that those of parallel loops call, with the places of the
    selections that decide on it among the operations of the loop.
    """
    externs: dict[str, int] = field(default_factory=dict[str, int])
    """The functions of the host program, with their numbers."""
    messages: dict[str, int] = field(default_factory=dict[str, int])
    """The messages of the assertions, with their codes."""

    def extern(self, name: str) -> int:
        """The number of a function of the host program."""
        return self.externs.setdefault(name, len(self.externs))

    def code(self, message: str) -> int:
        """The code of an assertion that fails."""
        return self.messages.setdefault(message, len(self.messages) + 1)


class Conversion:
    """The conversion of one function: the places of operations, and the translations of values."""

    def __init__(
        self,
        program: Program,
        rules: Mapping[type[Operation], Rule],
        entry: Block,
        function: str,
        loop: str | None = None,
        size: int = 0,
    ):
        self.program = program
        self.rules = rules
        self.function = function
        """The name of the function of the program."""
        self.loop = loop
        """The name of the function of a parallel loop, which this is in."""
        self.size = size
        """The number of operations that this converts."""
        self.build = Build(entry)
        self.call = entry.args[0]
        """The address of the state of a call: its buffers, and the extrinsics."""
        self._owns_call = False
        self.part: int | None = None
        """The number of the part with the loops here, if they are compiled late."""
        self.steps_of: scf.ParallelOp | None = None
        """The outermost parallel loop whose steps these are; none in functions that they call."""
        self.rare: scf.IfOp | None = None
        """The selection of which this is a branch for sizes that few calls have."""
        self.left_out = set[Operation]()
        """Operations without a part here, such as an allocation that serves all steps of a loop."""
        self.tested = dict[Operation, Sequence[SSAValue]]()
        """Minima and maxima whose operands are tested at once, if there are any (`extremes`)."""
        self._values = dict[SSAValue, SSAValue | Memref]()
        self._failed: Block | None = None

    def next_loop(self) -> str:
        """A name for the function of a parallel loop."""
        number = next(self.program.loops.setdefault(self.function, count()))
        return f"{LOOP_PREFIX}{self.function}.{number}"

    @property
    def may_stop(self) -> bool:
        """Whether the function has a call that it may stop: one of scalars has none."""
        return abi.PURE not in self.program.functions[self.function].attributes

    def may_allocate(self, op: Operation) -> bool:
        """Whether an operation calls a function that may allocate memory."""
        if type(op) is not func.CallOp:
            return False
        callee = self.program.functions[op.callee.root_reference.data]
        return abi.PURE not in callee.attributes

    def own_call(self) -> None:
        """Give this function buffers of its own: other threads have theirs."""
        outer, self._owns_call = self.call, True
        self.call = self.build.words(abi.CALL_WORDS)
        for word in (0, 1):
            self.build.store(self.call, self.build.field(self.call, word))
        for word in range(2, abi.CALL_WORDS):
            value = self.build.load(self.build.field(outer, word), i64)
            self.build.store(value, self.build.field(self.call, word))

    # Values

    def scalar(self, value: SSAValue) -> SSAValue:
        """The scalar that a value has become."""
        converted = self._values[value]
        assert not isinstance(converted, Memref)
        return converted

    def memref(self, value: SSAValue) -> Memref:
        """The array that a value has become."""
        converted = self._values[value]
        assert isinstance(converted, Memref)
        return converted

    def is_bound(self, value: SSAValue) -> bool:
        """Whether a value is known here."""
        return value in self._values

    def bind(self, value: SSAValue, converted: SSAValue | Memref) -> None:
        """Set the translation of a value."""
        self._values[value] = converted

    def parts(self, value: SSAValue) -> Sequence[SSAValue]:
        """The scalars that represent a value in a block argument: see `types_of`."""
        converted = self._values[value]
        if isinstance(converted, SSAValue):
            return (converted,)
        type_ = value.type
        assert isa(type_, MemRefType)
        shape = type_.get_shape()
        sizes = [size for size, known in zip(converted.sizes, shape, strict=True) if known < 0]
        return (converted.pointer, *sizes, *(converted.strides or ()))

    def all_parts(self, values: Iterable[SSAValue]) -> Sequence[SSAValue]:
        """The scalars that represent some values."""
        return [part for value in values for part in self.parts(value)]

    def bind_parts(self, values: Sequence[SSAValue], parts: Sequence[SSAValue]) -> None:
        """Bind values to the scalars that represent them."""
        rest = iter(parts)
        for value in values:
            first = next(rest)
            if isa(value.type, MemRefType):
                self.bind(value, self.array(value.type, first, rest))
            else:
                self.bind(value, first)

    def array(self, type: MemRefType, pointer: SSAValue, parts: Iterable[SSAValue]) -> Memref:
        """An array of a type, with its unknown sizes, then its strides, from ``parts``."""
        rest = iter(parts)
        sizes = tuple(
            next(rest) if size == DYNAMIC_INDEX else self.build.integer(size)
            for size in type.get_shape()
        )
        strides = None if is_row_major(type) else tuple(next(rest) for _ in sizes)
        return Memref(pointer, sizes, strides, type.element_type)

    # Operations

    def run(self, block: Block) -> Operation:
        """Convert the operations of a block; return its terminator."""
        last = block.last_op
        assert last is not None
        for op in block.ops:
            if op is not last and op not in self.left_out:
                rule = self.rules.get(type(op))
                if rule is None:
                    raise unsupported(op)
                rule(self, op)
        return last

    def fail_unless(self, condition: SSAValue, code: SSAValue) -> None:
        """Return a code from the function unless a condition holds."""
        after = self.build.new_block()
        self.build.branch_if(condition, after, (), self._failure(), (code,))
        self.build.block = after

    def _failure(self) -> Block:
        """The block that returns a code: one for all failures of a function."""
        if self._failed is None:
            self._failed, here = self.build.new_block([i64]), self.build.block
            self.build.block = self._failed
            if self._owns_call:
                self.library(abi.RELEASE_ALL, (self.call,))
            self._failed.add_op(llvm.ReturnOp(self._failed.args[0]))
            self.build.block = here
        return self._failed

    def library(
        self, name: str, operands: Sequence[SSAValue], type: Attribute | None = None
    ) -> SSAValue | None:
        """A call of a function outside of the module."""
        if name not in self.program.libraries:
            inputs = [operand.type for operand in operands]
            self.program.libraries[name] = llvm.LLVMFunctionType(inputs, type)
        return self.build.call(name, operands, type)


def types_of(type: Attribute) -> Sequence[Attribute]:
    """The types of the scalars that represent a value.

    An array is represented by its address, its unknown sizes, and its strides where it is not
    row-major.
    """
    if not isa(type, MemRefType):
        return (machine_type(type),)
    shape = type.get_shape()
    strides = 0 if is_row_major(type) else len(shape)
    return (POINTER, *[i64] * (sum(size == DYNAMIC_INDEX for size in shape) + strides))


def is_row_major(type: MemRefType) -> bool:
    """Whether the elements of an array are contiguous, the last axis innermost."""
    return isinstance(type.layout, NoneAttr)


def check_layout(op: Operation, type: MemRefType) -> None:
    """Raise PassFailedException for an array whose layout is neither row-major nor strided."""
    if not isinstance(type.layout, NoneAttr | StridedLayoutAttr):
        raise PassFailedException(
            f"{FLAG}: {op.name}: expected a row-major or strided array, got '{type}'"
            f"{where_written(op)}"
        )


def unsupported(op: Operation) -> PassFailedException:
    """The error about an operation without a rule."""
    advice = "; run the pipeline loops first" if op.dialect_name() in ("phi", "yarr") else ""
    return PassFailedException(f"{FLAG}: no rule for '{op.name}'{where_written(op)}{advice}")
