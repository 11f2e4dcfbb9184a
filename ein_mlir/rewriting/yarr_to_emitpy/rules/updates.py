"""Arrays with some elements replaced."""

from __future__ import annotations

from xdsl.ir import Block, SSAValue

from ein_mlir.dialects import yarr
from ein_mlir.rewriting.yarr_to_emitpy.lowering import PythonLowering


class UpdateRules(PythonLowering):
    """The rules for libraries with immutable arrays."""

    def __init__(self, source: Block):
        super().__init__(source)
        self.rules |= {
            yarr.UpdateOp: self.update,
            yarr.UpdateSliceOp: self.update_slice,
        }

    def update(self, op: yarr.UpdateOp) -> None:
        """A helper, which returns a new array."""
        axes = self.build.literal(op.axes)
        positions = self.build.tuple(list(map(self.value, op.positions)))
        array, value = self.array(op.array), self.array(op.value)
        updated = self.build.helper(
            self.name("update"), array, axes, positions, value, type=op.result.type
        )
        self.bind(op.result, updated)

    def update_slice(self, op: yarr.UpdateSliceOp) -> None:
        """A helper, which returns a new array."""
        axis = self.build.literal(op.axis.value.data)
        slice_ = map(self.value, (op.start, op.count, op.step))
        array, value = self.array(op.array), self.array(op.value)
        updated = self.build.helper(
            self.name("update_slice"), array, axis, *slice_, value, type=op.result.type
        )
        self.bind(op.result, updated)

    def stored(self, part: SSAValue) -> SSAValue:
        """The value to store: the operand of a repeat, since a store broadcasts."""
        while isinstance(part.owner, yarr.RepeatOp):
            part = part.owner.array
        base = part
        while isinstance(base.owner, yarr.RepeatOp | yarr.UnsqueezeOp):
            base = base.owner.array
        value = self.value(base)
        return value if self.is_scalar(value) else self.array(part)
