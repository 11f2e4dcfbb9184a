"""Positions and slices, which may be traced."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.scopes import is_within
from ein_mlir.analysis.yarr.added_values import added_value
from ein_mlir.dialects import yarr
from ein_mlir.passes.conversions.convert_yarr_to_jax.static import StaticRules
from ein_mlir.rewriting.yarr_to_emitpy.builder import is_object

FAR = 2**62
"""The positions whose sums with sizes may wrap are as large."""


class JaxIndexing(StaticRules):
    """Clips positions by functions of JAX; a slice at a traced position becomes a take."""

    def clipped(self, position: SSAValue, array: SSAValue, axis: int) -> SSAValue:
        """``jnp.clip(p, 0, a.shape[1] - 1)``"""
        index = self.value(position)
        if is_object(index):
            return super().clipped(position, array, axis)
        zero, last = self.build.literal(0), self.last(array, axis)
        return self.build.call("jnp.clip", index, zero, last, type=index.type)

    def element(
        self, array: SSAValue, axis: int, indices: Sequence[SSAValue], type: Attribute
    ) -> SSAValue:
        """``at(a, 1, k)``: JAX would count traced positions from the end if they are negative."""
        if all(map(is_object, indices)):
            return super().element(array, axis, indices, type)
        return self.build.helper("jnp.at", array, self.build.literal(axis), *indices, type=type)

    def taken(
        self,
        array: SSAValue,
        axis: int,
        positions: SSAValue,
        type: TensorType[Attribute],
        in_bounds: bool,
    ) -> SSAValue:
        """``jnp.take(a, p, axis=1, mode="clip")``: without a mode, it would check each position."""
        return super().taken(array, axis, positions, type, in_bounds=False)

    def update(self, op: yarr.UpdateOp) -> None:
        """A slice of one position is replaced; a scatter if the position may be out of bounds."""
        if op.in_bounds is None:
            self._scatter(op)
            return
        axes, positions = self.build.literal(op.axes), list(map(self.value, op.positions))
        arguments = self.array(op.array), axes, self.build.tuple(positions), self.array(op.value)
        written = self.build.helper("jnp.update_inside", *arguments, type=op.result.type)
        self.bind(op.result, written)

    def _scatter(self, op: yarr.UpdateOp) -> None:
        """``a.at[p].set(x)``; ``a.at[p].add(x)`` for ``a[p] + x``.

        The derivative of an addition reads an element. That of another update writes one in a copy.
        """
        added = added_value(op)
        if added is None:
            super().update(op)
            return
        axes, positions = self.build.literal(op.axes), list(map(self.value, op.positions))
        array, value = self.array(op.array), self.array(added.value)
        if added.is_subtracted:
            value = self.build.unary("-", value, value.type)
        kind = self.build.literal("add")
        arguments = array, axes, self.build.tuple(positions), value, kind
        updated = self.build.helper("jnp.update", *arguments, type=op.result.type)
        self.bind(op.result, updated)

    def slice(self, op: yarr.SliceOp) -> None:
        """A slice; if the start is traced, a dynamic slice, or a take that clips."""
        if all(map(self._is_known, self._form(op.start).coefficients)):
            super().slice(op)
            return
        axis, step = (self.build.literal(n.value.data) for n in (op.axis, op.step))
        if op.clip is None and op.step.value.data == 1:
            operands = self.array(op.array), self.value(op.start), self.value(op.size), axis
            self.bind(op.result, self.build.helper("jnp.part", *operands, type=op.result.type))
            return
        array, size = self.array(op.array), self.value(op.size)
        is_near = self.sizes.range(op.start).magnitude < FAR
        if is_near and op.step.value.data == yarr.rank_of(op.array) == 1:
            window = array, self.value(op.start), size, *self._times(op)
            taken = self.build.helper("jnp.clipped_window", *window, type=op.result.type)
            self.bind(op.result, taken)
            return
        taken = self.build.helper(
            "jnp.clipped_take", array, axis, self.value(op.start), size, step, type=op.result.type
        )
        self.bind(op.result, taken)

    def _times(self, op: yarr.SliceOp) -> list[SSAValue]:
        """The number of steps of the loop around a slice, if they read the same array."""
        loop = op.parent_op()
        if not isinstance(loop, yarr.FoldOp) or is_within(op.array, loop):
            return []
        return [self.value(loop.count)] if loop.count in self.static else []

    def integer(self, value: SSAValue) -> SSAValue:
        """A position or distance, computed with Python's ints: those of JAX are traced."""
        return self.python_int(self._form(value))

    def _form(self, value: SSAValue) -> LinearForm:
        return self.sizes.canonical(self.sizes.form(value))
