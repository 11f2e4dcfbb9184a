"""Reductions and scans."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import f32, f64, i8, i16, i32
from xdsl.ir import SSAValue

from ein_mlir.analysis.yarr.masked_rows import MaskedRows, masked_rows
from ein_mlir.analysis.yarr.shifted_keys import Overlap, Shift, overlap_of
from ein_mlir.backends.numpy_api import BITWISE
from ein_mlir.backends.torch import tables
from ein_mlir.dialects import yarr
from ein_mlir.dialects.fastmath import takes_any_order
from ein_mlir.dialects.reductions import combines_bits
from ein_mlir.rewriting.yarr_to_emitpy.builder import is_object
from ein_mlir.rewriting.yarr_to_emitpy.rules import Combination
from ein_mlir.rewriting.yarr_to_emitpy.shifted import ShiftedRules

_HELPERS = {
    "amin": "torch.amin",
    "amax": "torch.amax",
    "any": "torch.any_of",
    "all": "torch.all_of",
}


_NAMES = {"all": "amin", "any": "amax"}
"""The reductions of bytes that are those of Bools."""


class TorchReductions(ShiftedRules):
    """Rules that call methods of tensors, or helpers."""

    sorts_bits = True

    def reduce(self, op: yarr.ReduceOp) -> None:
        """``a.sum(dim=1)``; helpers for extrema, which may be of empty axes, and for Bools;
        others for sums along separate axes, and for the first position of a true element.
        """
        axes, type_ = op.axes, op.result.type
        if combines_bits(op.combine, yarr.element_of(op.array)):
            dims = self.build.literal(tuple(axes))
            arguments = *self.combining_function(op), self.array(op.array), dims
            self.bind(op.result, self.build.helper("torch.reduced_bits", *arguments, type=type_))
            return
        method = tables.REDUCTIONS[op.combine]
        if self.find_position(op):
            return
        rows = masked_rows(op)
        array = self.array(op.array) if rows is None else self._masked_rows(op, rows)
        if method in ("amin", "amax", "any", "all"):
            dims = self.build.literal(tuple(axes))
            self.bind(op.result, self.build.helper(_HELPERS[method], array, dims, type=type_))
        elif method == "prod" and not takes_any_order(op.body.block.first_op or op):
            dims = self.build.literal(tuple(axes))
            self.bind(op.result, self.build.helper("torch.product", array, dims, type=type_))
        elif method == "prod" and 1 < len(axes) < yarr.rank_of(op.array):
            for axis in sorted(axes, reverse=True):
                array = self._reduced(array, method, [axis])
            self.bind(op.result, array)
        elif method == "sum" and len(axes) <= axes[-1] - axes[0]:
            dims = self.build.literal(tuple(axes))
            self.bind(op.result, self.build.helper("torch.sum_along", array, dims, type=type_))
        else:
            self.bind(op.result, self._reduced(array, method, axes))

    def _masked_rows(self, op: yarr.ReduceOp, found: MaskedRows) -> SSAValue:
        """A helper: how many rows a mask selects is not always known."""
        (axis,), mask = op.axes, self.array(found.mask)
        if not found.expected:
            mask = self.build.unary("~", mask, mask.type)
        shape = list(yarr.shape_of(op.array))
        shape[axis] = yarr.DYNAMIC
        arguments = self.array(found.rows), self.build.literal(axis), mask, self.neutral(op)
        type_ = yarr.tensor(yarr.element_of(op.array), shape)
        return self.build.helper("torch.selected_rows", *arguments, type=type_)

    def _reduced(self, array: SSAValue, method: str, axes: Sequence[int]) -> SSAValue:
        """A call of a method of tensors; PyTorch would sum ints of 32 bits in 64."""
        element, shape = yarr.element_of(array), yarr.shape_of(array)
        keywords = dict[str, SSAValue]()
        if len(axes) < len(shape):
            keywords["dim"] = self.build.axes(axes)
        if element in (i8, i16, i32):
            keywords["dtype"] = self.scalars.dtype(element)
        rest = [size for axis, size in enumerate(shape) if axis not in axes]
        type_ = yarr.tensor(element, rest)
        return self.build.method(array, method, type=type_, keywords=keywords)

    def accumulate(self, op: yarr.ScanOp, array: SSAValue) -> SSAValue:
        """``a.cumsum(1)``; a helper if the method does not return a plain tensor."""
        axis = self.build.literal(op.axis.value.data)
        kind, _ = self.combining_function(op)
        element = yarr.element_of(array)
        if op.kind.data in ("add", "mul") and element not in (i8, i16, i32):
            method = "cumsum" if op.kind.data == "add" else "cumprod"
            return self.build.method(array, method, axis, type=op.result.type)
        return self.build.helper("torch.accumulate", kind, array, axis, type=op.result.type)

    def adds_shifted(self, op: yarr.AccumulateOp, shifts: Sequence[Shift]) -> bool:
        """Whether values are floats to add up, at starts that are known before the call."""
        starts = [self.value(number) for shift in shifts for _, number in shift.starts]
        if op.kind.data != "add" or not all(map(is_object, starts)):
            return False
        rank = 3 if self.overlap(op, shifts) else 2
        return yarr.element_of(op.array) in (f32, f64) and len(shifts) <= rank

    def overlap(self, op: yarr.AccumulateOp, shifts: Sequence[Shift]) -> Overlap | None:
        return overlap_of(op.array, shifts)

    def combination(self, op: yarr.AccumulateOp) -> Sequence[SSAValue]:
        return ()

    def combining_function(self, op: Combination | yarr.ReduceOp) -> Sequence[SSAValue]:
        """The name of a combination in PyTorch, and its identity."""
        if combines_bits(op.combine, yarr.element_of(op.array)):
            name = BITWISE[op.combine]
        else:
            name = _NAMES.get(method := tables.REDUCTIONS[op.combine], method)
        return self.build.literal(name), self.neutral(op)
