"""The arguments and results of a function, in words of memory."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from xdsl.dialects import func, llvm
from xdsl.dialects.builtin import i1, i8
from xdsl.ir import Attribute, SSAValue

from ein_mlir.passes.conversions.convert_loops_to_llvm.conversion import Conversion, types_of


class Slots:
    """Words of memory, read or written one after the other."""

    def __init__(self, conversion: Conversion, memory: SSAValue):
        self.conversion = conversion
        self.memory = memory
        self._numbers = count()

    @staticmethod
    def count(function: func.FuncOp) -> int:
        """The number of words that the arguments and results of a function take."""
        type_ = function.function_type
        return sum(len(types_of(value)) for value in (*type_.inputs, *type_.outputs))

    def next(self) -> SSAValue:
        """The address of the next word."""
        return self.conversion.build.field(self.memory, next(self._numbers))

    def read(self, values: Sequence[SSAValue]) -> None:
        """Bind values to the contents of the next words."""
        parts = [self._load(type_) for value in values for type_ in types_of(value.type)]
        self.conversion.bind_parts(values, parts)

    def write(self, parts: Sequence[SSAValue]) -> None:
        """Write scalars to the next words."""
        build = self.conversion.build
        for part in parts:
            stored = build.add(llvm.ZExtOp, (part,), i8) if part.type == i1 else part
            build.store(stored, self.next())

    def skip(self, words: int) -> None:
        """Leave out some words."""
        for _ in range(words):
            next(self._numbers)

    def _load(self, type: Attribute) -> SSAValue:
        build = self.conversion.build
        if type != i1:
            return build.load(self.next(), type)
        return build.compare("ne", build.load(self.next(), i8), build.integer(0, i8))


def write_arguments(slots: Slots, arguments: Sequence[SSAValue]) -> None:
    """Write the arguments of a call."""
    slots.write(slots.conversion.all_parts(arguments))


def read_results(slots: Slots, results: Sequence[SSAValue]) -> None:
    """Bind the results of a call."""
    slots.read(results)
