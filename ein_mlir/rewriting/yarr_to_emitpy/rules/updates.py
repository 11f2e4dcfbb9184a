"""Arrays with some elements replaced."""

from __future__ import annotations

from xdsl.ir import Block

from ein_mlir.dialects import yarr
from ein_mlir.rewriting.yarr_to_emitpy.lowering import PythonLowering


class UpdateRules(PythonLowering):
    """The rule for libraries with immutable arrays."""

    def __init__(self, source: Block):
        super().__init__(source)
        self.rules |= {
            yarr.UpdateOp: self.update,
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
