"""Positions and slices, which may be traced."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.scopes import block_of, captured
from ein_mlir.dialects import yarr
from ein_mlir.passes.conversions.convert_yarr_to_jax.order import (
    Loop,
    added_by,
    is_read_in_update,
    overwritten_by_step,
)
from ein_mlir.passes.conversions.convert_yarr_to_jax.static import StaticRules
from ein_mlir.rewriting.yarr_to_emitpy.builder import is_object

FAR = 2**62
"""The positions whose sums with sizes may wrap are as large."""


class JaxIndexing(StaticRules):
    """Clips positions by functions of JAX; a slice at a traced position becomes a take."""

    def __init__(self, source: Block):
        super().__init__(source)
        self._reads = dict[SSAValue, list[tuple[SSAValue, SSAValue]]]()
        """Carried arrays that are overwritten -> the elements read before, after their places."""

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

    def take(self, op: yarr.TakeOp) -> None:
        """``at(a, 1, k)``; read once if the step then overwrites the array."""
        super().take(op)
        self._read_once(op, op.position, op.axis.value.data, op.in_bounds is not None)

    def gather(self, op: yarr.GatherOp) -> None:
        """``at(a, 0, k, l)``; read once if the step then overwrites the array."""
        super().gather(op)
        self._read_once(op, op.positions[0], 0, 0 in op.in_bounds)

    def _read_once(
        self, op: yarr.TakeOp | yarr.GatherOp, position: SSAValue, axis: int, in_bounds: bool
    ) -> None:
        """``read_once(x, v, k)`` for an element ``v[k]`` of an array that an update overwrites."""
        carried = overwritten_by_step(op.array)
        if carried is None or block_of(carried) is not op.parent or yarr.rank_of(op.result):
            return
        if is_read_in_update(op, carried):
            return
        place = self.value(position)
        if not in_bounds:
            place = self.clipped(position, self.array(op.array), axis)
        if not is_object(place):
            parts = self.value(op.result), self.array(carried), place
            read = self.build.helper("jnp.read_once", *parts, type=op.result.type)
            self._reads.setdefault(carried, []).append((place, read))
            self.bind(op.result, read)

    def read_by_loop(self, op: Loop) -> None:
        """Record that a loop reads arrays that the step around it then overwrites."""
        results, step = [each for each in op.res if not yarr.rank_of(each)], op.parent_op()
        if not results or not isinstance(step, Loop) or is_object(self.value(step.counter)):
            return
        for array in dict.fromkeys(map(overwritten_by_step, captured(op))):
            if array is not None and block_of(array) is op.parent:
                place = self.clipped(step.counter, self.array(array), 0)
                self._reads.setdefault(array, []).append((place, self.value(results[0])))

    def after_reads(self, array: SSAValue, value: SSAValue) -> SSAValue:
        """``after_reads(y, v, k, x, ..)`` for what v is overwritten by, if x is read before."""
        if not (reads := self._reads.get(array)):
            return value
        parts = value, self.array(array), reads[0][0], *(read for _, read in reads)
        return self.build.helper("jnp.after_reads", *parts, type=value.type)

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
        """``update_inside(a, (0,), (p,), x)``, or a scatter if the position may be out of bounds.

        ``a[p] + x`` is added: the derivative of an addition reads an element. That of another
        update writes one in a copy.
        """
        added = added_by(op)
        value = self.array(op.value if added is None else added.value)
        if added is not None and added.is_subtracted:
            value = self.build.unary("-", value, value.type)
        arguments = [
            self.array(op.array),
            self.build.literal(op.axes),
            self.build.tuple(self.places_of(op)),
            self.after_reads(op.array, value),
        ]
        if added is not None:
            arguments.append(self.build.literal("add"))
        is_inside = op.in_bounds is not None and op.condition is None
        name = "jnp.update_inside" if is_inside else "jnp.update"
        self.bind(op.result, self.build.helper(name, *arguments, type=op.result.type))

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
        if (ends := self._ends(op)) is not None:
            window = array, axis, self.value(op.start), size, step, self.build.tuple(ends)
            taken = self.build.helper("jnp.window_within", *window, type=op.result.type)
            self.bind(op.result, taken)
            return
        is_near = self.sizes.range(op.start).magnitude < FAR
        if is_near and op.step.value.data == yarr.rank_of(op.array) == 1:
            window = array, self.value(op.start), size
            taken = self.build.helper("jnp.clipped_window", *window, type=op.result.type)
            self.bind(op.result, taken)
            return
        taken = self.build.helper(
            "jnp.clipped_take", array, axis, self.value(op.start), size, step, type=op.result.type
        )
        self.bind(op.result, taken)

    def _ends(self, op: yarr.SliceOp) -> list[SSAValue] | None:
        """The least and the largest start upwards of the steps of the loops that count it."""
        start = self._form(op.start)
        counts = {atom: self.sizes.last_index(atom) for atom in start.coefficients}
        steps = {k: (LinearForm(), last) for k, last in counts.items() if last is not None}
        ends = start.extremes(steps)
        are_known = all(self._is_known(atom) for end in ends for atom in end.coefficients)
        if op.step.value.data < 1 or not are_known or not self.sizes.is_exact(start):
            return None
        return list(map(self.python_int, ends))

    def integer(self, value: SSAValue) -> SSAValue:
        """A position or distance, computed with Python's ints: those of JAX are traced."""
        return self.python_int(self._form(value))

    def _form(self, value: SSAValue) -> LinearForm:
        return self.sizes.canonical(self.sizes.form(value))
