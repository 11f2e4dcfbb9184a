"""New tensors, on a device."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, SSAValue

from ein_mlir.dialects import emitpy, yarr
from ein_mlir.passes.conversions.convert_yarr_to_torch.scalars import TorchScalars
from ein_mlir.rewriting.yarr_to_emitpy.builder import is_object
from ein_mlir.rewriting.yarr_to_emitpy.lowering import filling
from ein_mlir.rewriting.yarr_to_emitpy.rules.sizes import SizeRules


class TorchArrays(SizeRules):
    """Constants and ranges, on the device of the arguments."""

    scalars: TorchScalars

    def full(self, shape: SSAValue, value: SSAValue, type: TensorType[Attribute]) -> SSAValue:
        """``torch.zeros((n, m), ...)``, ``torch.full((n, m), x, ...)``; a tensor is broadcast."""
        if isinstance(shape.owner, emitpy.LiteralOp):
            shape = self.build.literal(type.get_shape())
        if not is_object(value):
            return self.broadcast_to(value, shape, type)
        keywords = self.scalars.placed(type.element_type)
        function = filling(value)
        if function is None:
            return self.build.call("torch.full", shape, value, type=type, keywords=keywords)
        return self.build.call(self.name(function), shape, type=type, keywords=keywords)

    def shape(self, lengths: Sequence[SSAValue]) -> SSAValue:
        """A tuple, always."""
        return self.build.tuple(lengths)

    def constant_array(self, numbers: Sequence[SSAValue], type: TensorType[Attribute]) -> SSAValue:
        """``torch.tensor((1, 2, 3), dtype=torch.int64, device=device)``"""
        flat = yarr.tensor(type.element_type, [len(numbers)])
        keywords = self.scalars.placed(type.element_type)
        array = self.build.call(
            "torch.tensor", self.build.tuple(numbers), type=flat, keywords=keywords
        )
        if type.get_num_dims() == 1:
            return array
        shape = self.build.literal(type.get_shape())
        return self.build.method(array, "reshape", shape, type=type, view=True)

    def range(self, op: yarr.RangeOp) -> None:
        """``torch.arange(n, device=device)``"""
        device = self.scalars.device
        keywords = {} if device is None else {"device": device}
        size = self.value(op.size)
        numbers = self.build.call("torch.arange", size, type=op.result.type, keywords=keywords)
        self.bind(op.result, numbers)

    def copy(self, value: SSAValue) -> SSAValue:
        """``a.clone()``"""
        return self.build.method(value, "clone", type=value.type)
