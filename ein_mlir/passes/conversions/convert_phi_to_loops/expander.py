"""The builder of rules for scalar operators, and facts about their operands."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    IndexType,
    IntegerType,
)
from xdsl.ir import Attribute, Operation, SSAValue

from ein_mlir.analysis.arithmetic import Range
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.hints import isa
from ein_mlir.dialects.phi.integers import range_of
from ein_mlir.passes.conversions.convert_phi_to_loops.conversion import Conversion


class Expander:
    """Builds arithmetic at the current place."""

    def __init__(self, conversion: Conversion, op: Operation):
        self.conversion = conversion
        self.type = op.results[0].type
        self.op = op

    def number(self, value: float, type_: Attribute | None = None) -> SSAValue:
        """A literal, by default of the type of the result."""
        return self.conversion.number(value, type_ or self.type)

    def do(self, operation: Callable[..., Operation], *operands: SSAValue | Attribute) -> SSAValue:
        """The result of an operation."""
        return self.conversion.value_of(operation(*operands))

    def is_(self, lhs: SSAValue, predicate: str, rhs: SSAValue) -> SSAValue:
        """A comparison of integers or floats."""
        if isinstance(lhs.type, IntegerType | IndexType):
            return self.conversion.compare(lhs, rhs, predicate)
        return self.conversion.value_of(arith.CmpfOp(lhs, rhs, predicate))

    def choose(self, condition: SSAValue, value: SSAValue, otherwise: SSAValue) -> SSAValue:
        """One of two values."""
        return self.conversion.value_of(arith.SelectOp(condition, value, otherwise))

    @property
    def width(self) -> int:
        """The number of bits of the type of the result."""
        assert isa(self.type, IntegerType)
        return self.type.width.data


def power_of_two(value: SSAValue) -> int | None:
    """``k`` for a literal ``2**k``."""
    number = known_int(value)
    if number is None or number <= 0 or number & (number - 1):
        return None
    return number.bit_length() - 1


def is_below(value: SSAValue, limit: int) -> bool:
    """Whether an Int is provably at least 0 and less than a limit."""
    return range_of(value) in Range(0, limit - 1)


def times(build: Expander, x: SSAValue, number: int) -> SSAValue:
    """A product with a literal."""
    return x if number == 1 else build.do(arith.MuliOp, x, build.number(number))
