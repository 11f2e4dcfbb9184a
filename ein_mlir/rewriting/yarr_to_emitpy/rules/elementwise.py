"""Scalar operations on whole arrays."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.ir import Block, Operation, SSAValue

from ein_mlir.dialects import yarr
from ein_mlir.rewriting.yarr_to_emitpy.lowering import PythonLowering


class ElementwiseRules(PythonLowering):
    """The bodies of elementwise operations, by the tables of a library (see ``scalars``)."""

    def __init__(self, source: Block):
        super().__init__(source)
        self.rules |= {
            yarr.ElementwiseOp: self.elementwise,
        }

    def elementwise(self, op: yarr.ElementwiseOp) -> None:
        """Translate the operations of the body, each on whole arrays."""
        block = op.body.block
        for argument, operand in zip(block.args, op.arguments, strict=True):
            self.values[argument] = self.operand(operand)
        for inner in block.ops:
            if not isinstance(inner, yarr.YieldOp):
                self.scalar(inner)
        self.build.source = op
        terminator = block.last_op
        assert isinstance(terminator, yarr.YieldOp)
        (result,) = terminator.values
        self.bind(op.result, self._spread(op, result))

    def operand(self, value: SSAValue) -> SSAValue:
        """The translation of an operand of an elementwise operation."""
        return self.value(value)

    def scalar(self, op: Operation) -> None:
        """Translate an operation of a body."""
        self.build.source = op
        result = op.results[0]
        if isinstance(op, arith.ConstantOp):
            value = self.scalars.constant(op.value)
        else:
            value = self.scalars.translate(op, [self.value(operand) for operand in op.operands])
            if value is None:
                raise self.no_lowering(op)
        self.bind(result, value)

    def _spread(self, op: yarr.ElementwiseOp, result: SSAValue) -> SSAValue:
        """The value of a body, broadcast to the shape of all arguments, also unused ones."""
        value = self.value(result)
        if not self.is_scalar(value) and 1 not in yarr.shape_of(value):
            return value
        arrays = [self.value(argument) for argument in op.body.block.args]
        arrays = [array for array in arrays if not self.is_scalar(array)]
        if not arrays:
            return value
        rank = yarr.rank_of(op.result)
        covered = (1,) * rank if self.is_scalar(value) else yarr.shape_of(value)
        missing = [
            array
            for array in arrays
            if any(s != 1 and c == 1 for s, c in zip(yarr.shape_of(array), covered, strict=True))
        ]
        if not missing:
            return value
        type_ = yarr.tensor(result.type, yarr.shape_of(op.result))
        if self.is_scalar(value):
            return self.full(self.broadcast_shape(missing), value, type_)
        return self.broadcast_to(value, self.broadcast_shape([value, *missing]), type_)
