"""Elements at positions, which may be tensors."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, SSAValue

from ein_mlir.analysis.scopes import block_of
from ein_mlir.analysis.yarr.found_positions import size_of_positions
from ein_mlir.dialects import emitpy, yarr
from ein_mlir.rewriting.yarr_to_emitpy.builder import is_object
from ein_mlir.rewriting.yarr_to_emitpy.rules.indexing import IndexingRules


class TorchIndexing(IndexingRules):
    """Rules for positions: a tensor without axes gets one, or PyTorch would read its number."""

    def take(self, op: yarr.TakeOp) -> None:
        """``a[:, k]``, ``a.index_select(1, p.clamp(0, a.shape[1] - 1))``

        A tensor without axes would be read as a number: it gets one, ``a[p[None]][0]``.
        """
        array, axis, type_ = self.array(op.array), op.axis.value.data, op.result.type
        if (rotated := self.rotated_axis(op)) is not None:
            self.bind(op.result, rotated)
            return
        is_in_bounds = op.in_bounds is not None
        index = self._index(op, op.position, array, axis, is_in_bounds)
        if yarr.rank_of(op.position) == 1:
            self.bind(op.result, self._selected(array, axis, index, type_))
            return
        if yarr.rank_of(op.position) > 1:
            self.bind(op.result, self._elements(array, axis, [index], type_))
            return
        if is_object(index):
            self.bind(op.result, self.build.at(array, axis, index, type_))
            return
        row = self.build.at(array, axis, self._with_axis(index), array.type)
        self.bind(op.result, self.build.at(row, axis, self.build.literal(0), type_))

    def may_rotate(self, numbers: Sequence[SSAValue]) -> bool:
        """Sizes of Python only; the helper asks whether it knows the shifts."""
        return all(map(is_object, numbers[:2]))

    def _selected(self, array: SSAValue, axis: int, index: SSAValue, type: Attribute) -> SSAValue:
        """``a.index_select(0, p)``; ``selected(a, 1, p)`` along neighbours in memory, maybe."""
        dim = self.build.literal(axis)
        view, rank = array.owner, yarr.rank_of(array)
        is_turned = isinstance(view, emitpy.MethodOp | emitpy.AttrOp) and rank > 1
        if is_turned or axis == rank - 1 > 0:
            return self.build.helper(self.name("selected"), array, dim, index, type=type)
        return self.build.method(array, "index_select", dim, index, type=type)

    def _index(
        self,
        op: yarr.TakeOp | yarr.GatherOp,
        position: SSAValue,
        array: SSAValue,
        axis: int,
        is_in_bounds: bool,
    ) -> SSAValue:
        """A position as an index, in bounds."""
        index = self.array(position) if yarr.rank_of(position) else self.value(position)
        if is_in_bounds:
            return index
        if is_object(index):
            return self.clipped(position, array, axis)
        zero, last = self.build.literal(0), self._last_before(op, position, axis)
        last = self.last(array, axis) if last is None else last
        return self.build.method(index, "clamp", zero, last, type=index.type)

    def _last_before(
        self, op: yarr.TakeOp | yarr.GatherOp, position: SSAValue, axis: int
    ) -> SSAValue | None:
        """The last position in an array that a loop carries, by its size before the loop.

        Positions from there are then clipped there, too.
        """
        fill = op.array.owner
        array = fill.array if isinstance(fill, yarr.FillEmptyOp) else op.array
        if not isinstance(array.owner, Block) or array.owner is not op.parent:
            return None
        size = self.length(array, axis)
        if size is None or block_of(position) is op.parent or size.known() is not None:
            return None
        if any(block_of(atom) is op.parent for atom in size.coefficients):
            return None
        last = self.python_int(size - 1)
        return self.build.call("max", last, self.build.literal(0))

    def gather(self, op: yarr.GatherOp) -> None:
        """``a[p.clamp(0, m), q]``, ``take_grid(a, p, q)``, ``elements_along(a, 1, q)``"""
        if (found := self.grid(op)) is not None:
            self.bind(op.result, found)
            return
        array, type_ = self.array(op.array), op.result.type
        indices = [
            self._index(op, position, array, axis, axis in op.in_bounds)
            for axis, position in enumerate(op.positions)
        ]
        if len(indices) == 1 and yarr.rank_of(op.positions[0]) == 1:
            self.bind(op.result, self._selected(array, 0, indices[0], type_))
            return
        if 0 < (count := self._own_axes(op)) < len(indices):
            helper, own = self.name("elements_along"), self.build.literal(count)
            along = self.build.helper(helper, array, own, *indices[count:], type=type_)
            self.bind(op.result, along)
            return
        if any(yarr.rank_of(position) for position in op.positions):
            self.bind(op.result, self._elements(array, 0, indices, type_))
            return
        if all(map(is_object, indices)):
            self.bind(op.result, self.build.subscript(array, indices, type_))
            return
        row_type = yarr.tensor(yarr.element_of(array), (1, *yarr.shape_of(op.result)))
        rows = self.build.subscript(array, list(map(self._with_axis, indices)), row_type)
        self.bind(op.result, self.build.subscript(rows, [self.build.literal(0)], type_))

    def _own_axes(self, op: yarr.GatherOp) -> int:
        """The number of leading axes that are axes of the result, at each of their positions."""
        for axis, position in enumerate(op.positions):
            size = size_of_positions(position, axis, op.result)
            length = self.length(op.array, axis)
            if size is None or length is None or not self.sizes.equal(self.sizes.of(size), length):
                return axis
        return len(op.positions)

    def _elements(
        self, array: SSAValue, axis: int, indices: Sequence[SSAValue], type: Attribute
    ) -> SSAValue:
        """``elements_at(a, 0, p, q)``"""
        helper, first = self.name("elements_at"), self.build.literal(axis)
        return self.build.helper(helper, array, first, *indices, type=type)

    def _with_axis(self, index: SSAValue) -> SSAValue:
        """``p[None]`` for a tensor without axes."""
        if is_object(index) or yarr.rank_of(index):
            return index
        type_ = yarr.tensor(yarr.element_of(index), (1,))
        return self.build.subscript(index, [self.build.literal(None)], type_)

    def reversed(self, array: SSAValue, axis: int, type: TensorType[Attribute]) -> SSAValue:
        """``a.flip(1)``"""
        return self.build.method(array, "flip", self.build.literal(axis), type=type)
