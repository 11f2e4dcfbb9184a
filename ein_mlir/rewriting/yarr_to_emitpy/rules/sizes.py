"""Constants, ranges, sizes, and checks of sizes."""

from __future__ import annotations

from abc import abstractmethod

from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import Block

from ein_mlir.analysis.arithmetic import MOST, SUMS_OF_SIZES, LinearForm
from ein_mlir.dialects import emitpy, yarr
from ein_mlir.rewriting.yarr_to_emitpy.lowering import PythonLowering


class SizeRules(PythonLowering):
    """Rules for constants and sizes, which have linear forms."""

    def __init__(self, source: Block):
        super().__init__(source)
        self.rules |= {
            arith.ConstantOp: self.constant,
            yarr.RangeOp: self.range,
            yarr.SizeOp: self.size,
            yarr.AssertEqOp: self.assert_eq,
            yarr.AssertSizeOp: self.assert_size,
        }

    def constant(self, op: arith.ConstantOp) -> None:
        """A constant array; one number if all elements are equal."""
        value = op.value
        if not isinstance(value, DenseIntOrFPElementsAttr):
            raise self.no_lowering(op, f" of type '{op.result.type}'")
        shape, element = yarr.shape_of(op.result), yarr.element_of(op.result)
        numbers = self.scalars.dense(value)
        if not shape:
            self.bind(op.result, numbers[0])
        elif value.is_splat():
            lengths = self.build.axes(shape)
            self.bind(op.result, self.full(lengths, numbers[0], yarr.tensor(element, shape)))
        else:
            self.bind(op.result, self.constant_array(numbers, yarr.tensor(element, shape)))

    @abstractmethod
    def range(self, op: yarr.RangeOp) -> None:
        """The ints up to a size."""

    def size(self, op: yarr.SizeOp) -> None:
        """``a.shape[axis]``"""
        axis, array = op.axis.value.data, self.value(op.array)
        if self.is_scalar(array):
            self.bind(op.result, self.build.literal(1))
            self.sizes.define(op.result, LinearForm.number(1))
        else:
            self.bind(op.result, self.build.size(array, axis))
            self.sizes.define_size(op.result, op.array, axis)

    def assert_eq(self, op: yarr.AssertEqOp) -> None:
        """``if n != m: raise ValueError(f"...: {n} != {m}")``"""
        lhs, rhs = self.value(op.lhs), self.value(op.rhs)
        message = f"{_escape(op.message.data)}: {{}} != {{}}"
        self.build.insert(emitpy.RaiseIfOp(self.build.binary(lhs, "!=", rhs), message, (lhs, rhs)))
        self.values[op.result] = lhs
        self.sizes.equate(op.lhs, op.rhs)

    def assert_size(self, op: yarr.AssertSizeOp) -> None:
        """``if n < 0: raise ValueError(f"... is negative: {n}")``, and so for one too large"""
        size, range_ = self.value(op.size), self.sizes.range(op.size)
        for is_possible, symbol, bound, problem in (
            (range_.low < 0, "<", 0, "negative"),
            (range_.high > SUMS_OF_SIZES.high, ">", MOST, "too large"),
        ):
            if is_possible:
                is_wrong = self.build.binary(size, symbol, self.build.literal(bound))
                message = f"{_escape(op.message.data)} is {problem}: {{}}"
                self.build.insert(emitpy.RaiseIfOp(is_wrong, message, (size,)))
        self.values[op.result] = size


def _escape(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")
