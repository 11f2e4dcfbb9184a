"""Rules for the movement of elements."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, TensorType
from xdsl.ir import Attribute, SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.dialects import yarr
from ein_mlir.dialects.assembly import single_operation
from ein_mlir.rewriting.yarr_to_emitpy.builder import is_object
from ein_mlir.rewriting.yarr_to_emitpy.parts import (
    has_sizes,
    parts_of,
    size_source,
    sizes_of,
    sliced,
)
from ein_mlir.rewriting.yarr_to_emitpy.places import PlaceRules


class TorchViews(PlaceRules):
    """Calls a function of PyTorch if there is one, or a helper."""

    def transpose(self, op: yarr.TransposeOp) -> None:
        """``a.T``, ``a.permute(0, 2, 1)``"""
        array, type_ = self.value(op.array), op.result.type
        if self.is_scalar(array) or op.axes == tuple(range(len(op.axes))):
            self.bind(op.result, array)
        else:
            self.bind(op.result, self.transposed(array, op.axes, type_))

    def transposed(self, array: SSAValue, axes: Sequence[int], type: Attribute) -> SSAValue:
        """``a.T``, ``a.permute(0, 2, 1)``"""
        if tuple(axes) == (1, 0):
            return self.build.attribute(array, "T", type)
        order = [self.build.literal(axis) for axis in axes]
        return self.build.method(array, "permute", *order, type=type, view=True)

    def concatenate(self, arrays: SSAValue, axis: int, type: TensorType[Attribute]) -> SSAValue:
        """``torch.cat((a, b), dim=1)``"""
        keywords = {"dim": self.build.literal(axis)} if axis else {}
        return self.build.call("torch.cat", arrays, type=type, keywords=keywords)

    def concat(self, op: yarr.ConcatOp) -> None:
        """``torch.cat((a, b), dim=1)``; a helper if parts are joined along other axes first."""
        if self.is_part(op):
            return  # of the concatenation that uses it
        if (surrounded := self._surrounded(op)) is not None:
            self.bind(op.result, surrounded)
            return
        if any(
            isinstance(array.owner, yarr.ConcatOp) and self.is_part(array.owner)
            for array in op.arrays
        ):
            base, kept = self._base(op)
            arguments = [self._tree(op, kept), *([self.array(base)] if base else [])]
            joined = self.build.helper("torch.joined", *arguments, type=op.result.type)
            self.bind(op.result, joined)
            return
        super().concat(op)
        if op.size is not None and self._may_be_longer(op):
            every = [self.build.slice() for _ in range(op.axis.value.data)]
            part = self.build.slice(self.build.literal(None), self.value(op.size))
            self.bind(
                op.result,
                self.build.subscript(self.value(op.result), [*every, part], op.result.type),
            )

    def _surrounded(self, op: yarr.ConcatOp) -> SSAValue | None:
        """``surrounded(a, 0.0, (1, 1, 1), (0, 1, n))`` for a number around floats, along axes."""
        found, widths, numbers = op.result, list[SSAValue](), list[arith.ConstantOp]()
        if not isa(yarr.element_of(found), AnyFloat):
            return None
        while isinstance(concat := found.owner, yarr.ConcatOp) and (
            concat is op or self.is_part(concat)
        ):
            around = [repeated_number(array) for array in concat.arrays]
            numbers += [each for each in around if each is not None]
            if around.count(None) != 1 or len({each.value for each in numbers}) != 1:
                return None
            place = around.index(None)
            before = self._length_of(concat, concat.arrays[:place])
            behind = self._length_of(concat, concat.arrays[place + 1 :])
            if before is None or behind is None:
                return None
            axis = self.build.literal(concat.axis.value.data)
            widths.append(self.build.tuple([axis, before, behind]))
            found = concat.arrays[place]
        if len(widths) < 2:
            return None  # parts along one axis are copied once
        arguments = self.array(found), self.value(numbers[0].result), *widths
        return self.build.helper("torch.surrounded", *arguments, type=op.result.type)

    def _length_of(self, op: yarr.ConcatOp, parts: Iterable[SSAValue]) -> SSAValue | None:
        """The number of elements of some parts together, as a number of Python; None for others."""
        total: SSAValue | None = None
        for part in parts:
            size = size_source(part, op.axis.value.data, self.sizes)
            if isinstance(size, tuple):
                return None
            term = self.build.literal(size) if isinstance(size, int) else self.value(size)
            if not is_object(term):
                return None
            total = term if total is None else self.build.binary(total, "+", term)
        return self.build.literal(0) if total is None else total

    def _may_be_longer(self, op: yarr.ConcatOp) -> bool:
        """Whether rows may be longer than they state: there are none then.

        The rows of a loop without steps have a size that its steps alone would have checked.
        """
        sizes = sizes_of(op, self.sizes)
        return len(sizes) == len(op.arrays) and any(map(_is_chosen, sizes))

    def _base(self, op: yarr.ConcatOp) -> tuple[SSAValue | None, Container[SSAValue]]:
        """An array that a joined array is equal to in some parts, and these parts."""
        parts = list(parts_of(op, self.sizes)) if has_sizes(op, self.sizes) else []
        for base in dict.fromkeys(sliced(part)[0] for _, part in parts):
            if base.type == op.result.type and self.fits((path for path, _ in parts), base):
                others = {part for path, part in parts if not self.is_there(part, path, base)}
                kept = {part for _, part in parts} - others
                if kept:
                    return base, kept
        return None, ()

    def _tree(self, op: yarr.ConcatOp, kept: Container[SSAValue]) -> SSAValue:
        """``(0, a, (1, b, c))``, with ``(a,)`` for a part that is kept from another array."""
        parts = [
            self._tree(array.owner, kept)
            if isinstance(array.owner, yarr.ConcatOp) and self.is_part(array.owner)
            else self.build.tuple([self.array(array)])
            if array in kept
            else self.array(array)
            for array in op.arrays
        ]
        return self.build.tuple([self.build.literal(op.axis.value.data), *parts])

    def is_part(self, op: yarr.ConcatOp) -> bool:
        """Whether a concatenation is only a part of one along another axis."""
        use = op.result.first_use
        if use is None or not op.result.has_one_use():
            return False
        whole = use.operation
        return (
            isinstance(whole, yarr.ConcatOp) and whole.parent is op.parent and whole.axis != op.axis
        )

    def pad(self, op: yarr.PadOp) -> None:
        """A helper: PyTorch has no such function for all types and ranks."""
        self.pad_by_helper(op)


def repeated_number(array: SSAValue) -> arith.ConstantOp | None:
    """The constant that all elements of an array are."""
    op = array.owner
    if isinstance(op, yarr.RepeatOp | yarr.UnsqueezeOp):
        return repeated_number(op.operands[0])
    if isinstance(op, yarr.ConcatOp):
        numbers = [repeated_number(part) for part in op.arrays]
        known = {number.value for number in numbers if number is not None}
        return numbers[0] if len(known) == 1 and None not in numbers else None
    is_scalar = isinstance(op, arith.ConstantOp) and not yarr.rank_of(array)
    return op if is_scalar and isinstance(op, arith.ConstantOp) else None


def _is_chosen(size: int | SSAValue) -> bool:
    """Whether a size is ``where(n > 0, m, 0)``: 0 for a loop without steps."""
    owner = None if isinstance(size, int) else size.owner
    if isinstance(owner, yarr.AssertSizeOp):
        owner = owner.size.owner
    return isinstance(owner, yarr.ElementwiseOp) and isinstance(
        single_operation(owner.body), arith.SelectOp
    )
