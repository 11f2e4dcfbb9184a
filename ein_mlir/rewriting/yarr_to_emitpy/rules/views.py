"""Rules for movement of elements: axes, repeats, joined and padded arrays."""

from __future__ import annotations

from abc import abstractmethod

from xdsl.ir import Block, SSAValue

from ein_mlir.dialects import yarr
from ein_mlir.rewriting.yarr_to_emitpy.builder import literal_int
from ein_mlir.rewriting.yarr_to_emitpy.lowering import PythonLowering, tensor_type


class ViewRules(PythonLowering):
    """Rules for views, which most libraries implement without a copy."""

    def __init__(self, source: Block):
        super().__init__(source)
        self.rules |= {
            yarr.TransposeOp: self.transpose,
            yarr.SqueezeOp: self.squeeze,
            yarr.UnsqueezeOp: self.unsqueeze,
            yarr.RepeatOp: self.repeat,
            yarr.PadOp: self.pad,
            yarr.FillEmptyOp: self.fill_empty,
            yarr.FlattenOp: self.flatten,
            yarr.ConcatOp: self.concat,
        }

    @abstractmethod
    def transpose(self, op: yarr.TransposeOp) -> None:
        """Axes in another order."""

    def squeeze(self, op: yarr.SqueezeOp) -> None:
        """``a[:, 0]``"""
        array = self.value(op.array)
        if self.is_scalar(array) or not op.axes:
            return self.bind(op.result, array)
        indices = [
            self.build.literal(0) if axis in op.axes else self.build.slice()
            for axis in range(max(op.axes) + 1)
        ]
        return self.bind(op.result, self.build.subscript(array, indices, op.result.type))

    def unsqueeze(self, op: yarr.UnsqueezeOp) -> None:
        """``a[:, None]``; a scalar is unchanged."""
        array = self.value(op.array)
        if self.is_scalar(array) or not op.axes:
            return self.bind(op.result, array)
        indices = [
            self.build.literal(None) if axis in op.axes else self.build.slice()
            for axis in range(yarr.rank_of(op.result))
        ]
        array = self.array(op.array)
        return self.bind(op.result, self.build.subscript(array, indices, op.result.type))

    def repeat(self, op: yarr.RepeatOp) -> None:
        """``np.broadcast_to(a, (n, a.shape[1]))``, ``np.full((n, m), x)``: repeats along several
        axes are one call, and repeated once an array is a view of itself: ``a[:]``.
        """
        sizes = dict[int, SSAValue]()
        base = op.result
        while isinstance(base.owner, yarr.RepeatOp):
            sizes.setdefault(base.owner.axis.value.data, self.value(base.owner.size))
            base = base.owner.array
        value = self.value(base)
        if self.is_scalar(value):
            lengths = [
                sizes[axis] if axis in sizes else self.build.literal(1)
                for axis in range(yarr.rank_of(base))
            ]
            self.bind(op.result, self.full(self.shape(lengths), value, tensor_type(op.result)))
            return
        if all(literal_int(size) == 1 for size in sizes.values()):
            same = self.build.subscript(value, [self.build.slice()], op.result.type)
            self.bind(op.result, same)
            return
        lengths = [
            sizes[axis] if axis in sizes else self.size_of(value, axis)
            for axis in range(yarr.rank_of(base))
        ]
        shape = self.shape(lengths)
        self.bind(op.result, self.broadcast_to(value, shape, tensor_type(op.result)))

    def concat(self, op: yarr.ConcatOp) -> None:
        """``np.concatenate((a, b), axis=1)``"""
        arrays = self.build.tuple([self.array(array) for array in op.arrays])
        self.bind(op.result, self.concatenate(arrays, op.axis.value.data, tensor_type(op.result)))

    @abstractmethod
    def pad(self, op: yarr.PadOp) -> None:
        """Copies of the ends."""

    def pad_by_helper(self, op: yarr.PadOp) -> None:
        """``pad_edges(a, ((0, 0), (low, high)))``: pads along several axes are one call."""
        widths, base = dict[int, SSAValue](), op.result
        while isinstance(base.owner, yarr.PadOp) and base.owner.axis.value.data not in widths:
            width = [self.value(base.owner.low), self.value(base.owner.high)]
            widths[base.owner.axis.value.data] = self.build.tuple(width)
            base = base.owner.array
        while isinstance(base.owner, yarr.FillEmptyOp) and base.owner.axis.value.data in widths:
            base = base.owner.array
        axes = range(yarr.rank_of(op.array))
        every = self.build.tuple([widths.get(d) or self.build.literal((0, 0)) for d in axes])
        name, type_ = self.name("pad_edges"), op.result.type
        self.bind(op.result, self.build.helper(name, self.array(base), every, type=type_))

    def fill_empty(self, op: yarr.FillEmptyOp) -> None:
        """A helper: NumPy has no such function."""
        axis = self.build.literal(op.axis.value.data)
        array = self.array(op.array)
        filled = self.build.helper(
            self.name("fill_empty"), array, axis, type=op.result.type, view=True
        )
        self.bind(op.result, filled)

    def flatten(self, op: yarr.FlattenOp) -> None:
        """A helper: a view, or a fresh array if the axes are not adjacent in memory."""
        axis, array = self.build.literal(op.axis.value.data), self.array(op.array)
        is_view = not self.owns_memory or not _is_scattered(op.array)
        name = self.name("flatten" if is_view else "flat_copy")
        flat = self.build.helper(name, array, axis, type=op.result.type, view=is_view)
        self.bind(op.result, flat)


def _is_scattered(array: SSAValue) -> bool:
    """Whether an array is a view in another order than that of its memory."""
    while isinstance(op := array.owner, yarr.SqueezeOp | yarr.UnsqueezeOp | yarr.SliceOp):
        array = op.array
    return isinstance(op, yarr.RepeatOp | yarr.StridedOp | yarr.TransposeOp)
