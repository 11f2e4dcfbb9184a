"""Construction of operations of the ``llvm`` dialect at the end of a block."""

from __future__ import annotations

import operator
from collections.abc import Callable, Generator, Hashable, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseArrayBase,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    i1,
    i8,
    i32,
    i64,
)
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ein_mlir.backends.native import abi
from ein_mlir.dialects.creation import append, integer_attribute, made, made_jump
from ein_mlir.passes.conversions.convert_loops_to_llvm.interleaving import vectors_at_a_time

POINTER = llvm.LLVMPointerType()
NO_WRAP = IntegerAttr(llvm.OverflowAttr([llvm.OverflowFlag.NO_SIGNED_WRAP]).to_int(), 32)
"""The operands of index arithmetic are positions in memory: sums and products do not wrap."""

_ANY_WRAP = IntegerAttr(0, 32)
_INDEX = IndexType()
_INBOUNDS = _FLAG = UnitAttr()
_NO_FLAGS = IntegerAttr(0, 32)
_BY_VALUE = DenseArrayBase.from_list(i32, [llvm.GEP_USE_SSA_VAL])
_NO_BUNDLES = DenseArrayBase.from_list(i32, [])
_NOT_ATOMIC = IntegerAttr(0, i64)
_CALLING_CONVENTION = llvm.CallingConventionAttr("ccc")
KEEPS_REGISTERS = llvm.CallingConventionAttr("preserve_mostcc")
"""Of a function that leaves the registers of its caller as they are, apart from those of vectors.

``preserve_all`` does not keep whole vectors.
"""
_PREDICATES = {
    predicate.value: IntegerAttr(predicate.to_int(), i64) for predicate in llvm.ALL_ICMP_FLAGS
}


NO_PROMISES = llvm.FastMathAttr(None)
"""No promises about floats."""
ANY_ZERO = llvm.FastMathAttr([FastMathFlag.NO_SIGNED_ZEROS])
"""Of two zeros either may be the result."""
NUMBERS = llvm.FastMathAttr([FastMathFlag.NO_SIGNED_ZEROS, FastMathFlag.NO_NANS])
"""The same of operands that are numbers."""


@lru_cache(1024)
def _numbers(*values: int) -> DenseArrayBase:
    return DenseArrayBase.from_list(i32, values)


@lru_cache(1024)
def _of_intrinsic(
    name: str, operands: int, flags: llvm.FastMathAttr = NO_PROMISES
) -> Mapping[str, Attribute]:
    """The properties of a call of an intrinsic function."""
    return {
        "intrin": StringAttr(name),
        "fastmathFlags": flags,
        "op_bundle_sizes": _NO_BUNDLES,
        "operandSegmentSizes": _numbers(operands, 0),
    }


@lru_cache(1024)
def _of_call(
    name: str, operands: int, convention: llvm.CallingConventionAttr
) -> Mapping[str, Attribute]:
    """The properties of a call of a function."""
    return {
        "callee": SymbolRefAttr(name),
        "fastmathFlags": NO_PROMISES,
        "CConv": convention,
        "op_bundle_sizes": _NO_BUNDLES,
        "operandSegmentSizes": _numbers(operands, 0),
    }


class Build:
    """Appends operations to the current block.

    Their types are known, and inferring them takes most of the time of a constructor. Positions and
    addresses are computed once in blocks that follow each other, and elements are loaded once
    between writes: LLVM would find out later, in more time.
    """

    def __init__(self, entry: Block):
        self.entry = entry
        self.block = entry
        self._known = dict[Hashable, SSAValue]()
        self._keys = list[Hashable]()
        """The keys of the known values, in order."""
        self._loaded = dict[SSAValue, SSAValue]()
        """The values in memory at some addresses, in the current block."""

    @contextmanager
    def scope(self) -> Generator[None]:
        """A context for blocks that may not run before those after it, which share no values."""
        outer = len(self._keys)
        self._loaded.clear()
        yield
        self._loaded.clear()
        for key in self._keys[outer:]:
            del self._known[key]
        del self._keys[outer:]

    def _shared(
        self,
        cls: type[Operation],
        operands: Sequence[SSAValue],
        type: Attribute,
        properties: Mapping[str, Attribute],
        *kind: Hashable,
    ) -> SSAValue:
        """The result of an operation without effects; ``kind`` tells its properties apart."""
        key = cls, *operands, *kind
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self.add(cls, operands, type, properties)
            self._keys.append(key)
        return known

    def add(
        self,
        cls: type[Operation],
        operands: Sequence[SSAValue],
        type: Attribute,
        properties: Mapping[str, Attribute] | None = None,
    ) -> SSAValue:
        """The result of a new operation."""
        op = made(cls, operands, (type,), properties)
        append(op, self.block)
        (result,) = op.results
        return result

    # Constants and arithmetic

    def constant(self, value: Attribute, type: Attribute) -> SSAValue:
        """A constant."""
        return self.add(llvm.ConstantOp, (), type, {"value": value})

    def integer(self, value: int, type: IntegerType = i64) -> SSAValue:
        """An integer constant."""
        key = value, type.width.data
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self.constant(integer_attribute(value, type), type)
            self._keys.append(key)
        return known

    def number(self, value: float, type: Attribute) -> SSAValue:
        """A constant of a floating-point type."""
        assert isinstance(type, AnyFloat)
        return self.constant(FloatAttr(value, type), type)

    def sum(self, x: SSAValue, y: SSAValue) -> SSAValue:
        """``x + y`` of positions; ``x + 0  -->  x``"""
        if (known := self._folded(operator.add, x, y)) is not None:
            return known
        if _is_known(y, 0) or _is_known(x, 0):
            return x if _is_known(y, 0) else y
        return self._shared(llvm.AddOp, (x, y), x.type, {"overflowFlags": NO_WRAP}, "nsw")

    def difference(self, x: SSAValue, y: SSAValue) -> SSAValue:
        """``x - y`` of positions; ``x - 0  -->  x``"""
        if (known := self._folded(operator.sub, x, y)) is not None:
            return known
        if _is_known(y, 0):
            return x
        return self._shared(llvm.SubOp, (x, y), x.type, {"overflowFlags": NO_WRAP}, "nsw")

    def product(self, x: SSAValue, y: SSAValue) -> SSAValue:
        """``x * y`` of positions; ``x * 1  -->  x``, ``x * 0  -->  0``"""
        if (known := self._folded(operator.mul, x, y)) is not None:
            return known
        if _is_known(y, 1) or _is_known(x, 0):
            return x
        if _is_known(x, 1) or _is_known(y, 0):
            return y
        return self._shared(llvm.MulOp, (x, y), x.type, {"overflowFlags": NO_WRAP}, "nsw")

    def _folded(
        self, combine: Callable[[int, int], int], x: SSAValue, y: SSAValue
    ) -> SSAValue | None:
        """A constant, if both operands are."""
        first, second = known_integer(x), known_integer(y)
        if first is None or second is None:
            return None
        number = combine(first, second)
        return self.integer(number) if -(2**63) <= number < 2**63 else None

    def nonnegative(self, x: SSAValue) -> SSAValue:
        """``max(x, 0)``"""
        if (known := known_integer(x)) is not None:
            return x if known >= 0 else self.integer(0)
        return self.intrinsic("llvm.smax.i64", (x, self.integer(0)), i64)

    def steps(self, distance: SSAValue, step: SSAValue) -> SSAValue:
        """The steps of a loop over a distance: ``max(0, ceil(distance / step))``"""
        if _is_known(step, 1):
            return self.nonnegative(distance)
        rounded = self.sum(distance, self.difference(step, self.integer(1)))
        return self.nonnegative(self.add(llvm.SDivOp, (rounded, step), i64))

    def wrapping(self, cls: type[Operation], x: SSAValue, y: SSAValue) -> SSAValue:
        """An operation on integers that may wrap."""
        return self._shared(cls, (x, y), x.type, {"overflowFlags": _ANY_WRAP})

    def compare(self, predicate: str, x: SSAValue, y: SSAValue) -> SSAValue:
        """``x < y`` of integers, for the predicate ``slt``."""
        return self.add(llvm.ICmpOp, (x, y), i1, {"predicate": _PREDICATES[predicate]})

    def compare_floats(self, predicate: str, x: SSAValue, y: SSAValue) -> SSAValue:
        """``x < y`` of floats, for the predicate ``olt``."""
        number = integer_attribute(llvm.FCmpPredicateFlag(predicate).to_int(), i64)
        return self.add(llvm.FCmpOp, (x, y), i1, {"predicate": number})

    def select(self, condition: SSAValue, x: SSAValue, y: SSAValue) -> SSAValue:
        """``condition ? x : y``"""
        return self.add(llvm.SelectOp, (condition, x, y), x.type)

    def intrinsic(
        self,
        name: str,
        operands: Sequence[SSAValue],
        type: Attribute,
        flags: llvm.FastMathAttr = NO_PROMISES,
    ) -> SSAValue:
        """A call of an intrinsic function of LLVM."""
        properties = _of_intrinsic(name, len(operands), flags)
        return Build.add(self, llvm.CallIntrinsicOp, operands, type, properties)

    def run(self, name: str, operands: Sequence[SSAValue]) -> None:
        """A call of an intrinsic function without result."""
        properties = _of_intrinsic(name, len(operands))
        self._loaded.clear()
        append(made(llvm.CallIntrinsicOp, operands, (), properties), self.block)

    def call(
        self,
        function: str,
        operands: Sequence[SSAValue],
        type: Attribute | None = None,
        convention: llvm.CallingConventionAttr = _CALLING_CONVENTION,
    ) -> SSAValue | None:
        """A call of a function of the module."""
        types = () if type is None else (type,)
        properties = _of_call(function, len(operands), convention)
        op = made(llvm.CallOp, operands, types, properties)
        self._loaded.clear()
        append(op, self.block)
        return op.results[0] if op.results else None

    def address_of(self, function: str) -> SSAValue:
        """The address of a function of the module."""
        return self.add(llvm.AddressOfOp, (), POINTER, {"global_name": SymbolRefAttr(function)})

    # Memory

    def element(self, pointer: SSAValue, position: SSAValue, type: Attribute) -> SSAValue:
        """The address of an element of an array."""
        return self._shared(
            llvm.GEPOp,
            (pointer, position),
            POINTER,
            {
                "elem_type": type,
                "noWrapFlags": _NO_FLAGS,
                "rawConstantIndices": _BY_VALUE,
                "inbounds": _INBOUNDS,
            },
            type,
        )

    def field(self, pointer: SSAValue, number: int) -> SSAValue:
        """The address of a word after a pointer."""
        return self.add(
            llvm.GEPOp,
            (pointer,),
            POINTER,
            {
                "elem_type": i64,
                "noWrapFlags": _NO_FLAGS,
                "rawConstantIndices": _numbers(number),
                "inbounds": _INBOUNDS,
            },
        )

    def load(self, pointer: SSAValue, type: Attribute) -> SSAValue:
        """A value in memory, which is loaded once between writes."""
        known = self._loaded.get(pointer)
        if known is None or known.type != type:
            known = self.add(llvm.LoadOp, (pointer,), type, {"ordering": _NOT_ATOMIC})
            self._loaded[pointer] = known
        return known

    def store(self, value: SSAValue, pointer: SSAValue) -> None:
        """Write a value to memory."""
        self._loaded.clear()
        append(made(llvm.StoreOp, (value, pointer), (), {"ordering": _NOT_ATOMIC}), self.block)

    def words(self, count: int, alignment: int = 16) -> SSAValue:
        """The address of some words on the stack, reserved once for a call of the function."""
        number = integer_attribute(max(count, 1), i64)
        size = made(llvm.ConstantOp, (), (i64,), {"value": number})
        properties = {"alignment": integer_attribute(alignment, i64), "elem_type": i64}
        memory = made(llvm.AllocaOp, (size.result,), (POINTER,), properties)
        first = self.entry.first_op
        if first is None:
            self.entry.add_ops([size, memory])
        else:
            self.entry.insert_ops_before([size, memory], first)
        return memory.res

    # Control flow

    def new_block(self, types: Sequence[Attribute] = ()) -> Block:
        """A block at the end of the function, with arguments."""
        block = Block(arg_types=types)
        region = self.entry.parent
        assert region is not None
        region.add_block(block)
        return block

    def branch(self, target: Block, arguments: Sequence[SSAValue] = ()) -> None:
        """Continue in another block."""
        append(made_jump(llvm.BrOp, arguments, (target,)), self.block)

    def repeat(
        self,
        head: Block,
        arguments: Sequence[SSAValue],
        *,
        unroll: bool,
        few_steps: bool = False,
        as_a_whole: bool = False,
        is_masked: bool = False,
    ) -> None:
        """Continue at the head of a loop, which LLVM may unroll or not, or unrolls as a whole.

        It neither unrolls nor vectorises one of few steps.
        """
        may_be_vectors = unroll and not few_steps
        count = vectors_at_a_time(head, self.block, arguments[1:]) if may_be_vectors else 0
        flags = {
            abi.NOT_UNROLLED: not unroll or few_steps,
            abi.FEW_STEPS: few_steps,
            abi.UNROLLED: as_a_whole,
            abi.NOT_INTERLEAVED: count == 1,
            abi.INTERLEAVED_TWICE: count == 2,
            abi.MASKED: is_masked,
        }
        op = made_jump(llvm.BrOp, arguments, (head,))
        op.attributes = {name: _FLAG for name, is_set in flags.items() if is_set}
        append(op, self.block)

    def branch_if(
        self,
        condition: SSAValue,
        then: Block,
        then_arguments: Sequence[SSAValue],
        other: Block,
        other_arguments: Sequence[SSAValue],
        *,
        is_likely: bool = False,
    ) -> None:
        """Continue in one of two blocks, most often in the first if that is likely."""
        counts = _numbers(1, len(then_arguments), len(other_arguments))
        operands = (condition, *then_arguments, *other_arguments)
        properties = {"operandSegmentSizes": counts}
        op = made_jump(llvm.CondBrOp, operands, (then, other), properties)
        if is_likely:
            op.attributes[abi.LIKELY] = _FLAG
        append(op, self.block)


def machine_type(type: Attribute) -> Attribute:
    """The type of a scalar in registers: an index has 64 bits."""
    return i64 if type == _INDEX else type


def storage_of(element: Attribute) -> Attribute:
    """The type of an element in memory: a truth value has a byte."""
    return i8 if element == i1 else machine_type(element)


def known_integer(value: SSAValue) -> int | None:
    """The number of a constant of 64 bits."""
    owner = value.owner
    if type(owner) is not llvm.ConstantOp or value.type != i64:
        return None
    number = owner.value
    return number.value.data if isinstance(number, IntegerAttr) else None


def _is_known(value: SSAValue, number: int) -> bool:
    return known_integer(value) == number
