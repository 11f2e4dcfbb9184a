"""Loops that JAX compiles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Attribute, Block, Region, SSAValue

from ein_mlir.analysis.yarr.pointwise_steps import (
    STEPS_TOGETHER,
    fewest_elements_of_steps_together,
    has_arrays,
    most_small_steps_written_out,
    most_steps_written_out,
)
from ein_mlir.analysis.yarr.static_values import bounded_count
from ein_mlir.analysis.yarr.written_elements import Written, collected_rows
from ein_mlir.dialects import emitpy, yarr
from ein_mlir.dialects.emitpy import OBJECT
from ein_mlir.passes.conversions.convert_yarr_to_jax.indexing import JaxIndexing
from ein_mlir.passes.conversions.convert_yarr_to_jax.joins import JaxJoins
from ein_mlir.passes.conversions.convert_yarr_to_jax.next_states import read_next_states
from ein_mlir.passes.conversions.convert_yarr_to_jax.order import Loop, overwrites


class JaxLoops(JaxIndexing, JaxJoins):
    """Loops over traced values are functions of a step; those over static values are unrolled."""

    def __init__(self, source: Block):
        super().__init__(source)
        self._stored = set[SSAValue]()

    def fold(self, op: yarr.FoldOp) -> None:
        """``fold(n, step, init)``, with a local function.

        A loop over static values is unrolled, and so is one that is needed for its assertions only.
        """
        self.record_sizes(op)
        if self.static.is_unrolled(op) or not any(result.uses for result in op.res):
            super().fold(op)
        else:
            self._rolled(op)

    def while_(self, op: yarr.WhileOp) -> None:
        """``fold_while(n, step, init)``, with a local function.

        A loop is unrolled if its state decides sizes: then its condition is static, too.
        """
        self.record_sizes(op)
        if self.static.is_unrolled(op):
            super().while_(op)
        else:
            self._stored.update(read_next_states(op))
            self._rolled(op)

    def elementwise(self, op: yarr.ElementwiseOp) -> None:
        """``lax.optimization_barrier(jnp.where(mask, new, x))``, which a condition reads."""
        super().elementwise(op)
        if op.result in self._stored:
            state = self.array(op.result)
            stored = self.build.call("lax.optimization_barrier", state, type=op.result.type)
            self.bind(op.result, stored)

    def _rolled(self, op: Loop) -> None:
        inits = self._after_reads_of(op, [self.array(init) for init in op.inits])
        is_single = len(inits) == 1
        carry = inits[0] if is_single else self.build.tuple(inits)
        rows = self._rows(op)
        step = self._step(op, carry.type, rows)
        self.build.source = op
        name, arguments = self._call_of(op, step, carry, rows)
        result = self.build.helper(name, *arguments, type=carry.type, view=True)
        results = [result] if is_single else self.build.unpack(result, [r.type for r in op.res])
        for old, new in zip(op.res, results, strict=True):
            self.bind(old, new)
        self.read_by_loop(op)

    def _after_reads_of(self, op: Loop, inits: Sequence[SSAValue]) -> Sequence[SSAValue]:
        """The initial values of a loop that starts after the reads of an array it overwrites."""
        numbers = [k for k, init in enumerate(op.inits) if not yarr.rank_of(init)]
        found = list(inits)
        for array in op.inits if numbers else ():
            if overwrites(op, array):
                found[numbers[0]] = self.after_reads(array, found[numbers[0]])
        return found

    def _rows(self, op: Loop) -> Mapping[int, Written]:
        """The accumulators of a loop of a known count that only collect rows."""
        if isinstance(op, yarr.WhileOp) or op.count not in self.static or len(op.inits) == 1:
            return {}
        return collected_rows(op)

    def _call_of(
        self,
        op: Loop,
        step: SSAValue,
        carry: SSAValue,
        rows: Mapping[int, Written],
    ) -> tuple[str, Sequence[SSAValue]]:
        """The helper for a loop, and its arguments."""
        if isinstance(op, yarr.WhileOp):
            return "jnp.fold_while", (self.value(op.count), step, carry)
        bounded = bounded_count(op)
        if bounded is not None and op.count not in self.static:
            count, bound = self.value(bounded.count), self.value(bounded.bound)
            return "jnp.fold_below", (count, bound, step, carry)
        if rows:
            places = self.build.tuple([self._place(row) for row in rows.values()])
            return "jnp.fold_rows", (self.value(op.count), step, carry, places)
        numbers = map(self.build.literal, _numbers_of_steps(op))
        return "jnp.fold", [self.value(op.count), step, carry, *numbers]

    def _place(self, row: Written) -> SSAValue:
        """``(1, 0, n - 1, -1)``: an accumulator, an axis, the first position and the direction."""
        start = self.python_int(self.sizes.canonical(row.start))
        number, axis, stride = map(self.build.literal, (row.number, row.update.axes[0], row.stride))
        return self.build.tuple((number, axis, start, stride))

    def _step(self, op: Loop, carry_type: Attribute, rows: Mapping[int, Written]) -> SSAValue:
        """``def step(k, x): return ...``: the next values of accumulators, or their next rows."""
        is_single = carry_type != OBJECT
        body = Block(arg_types=[yarr.SIZE_TYPE, carry_type])
        counter, carry = body.args
        counter.name_hint = op.counter.name_hint or "k"
        carry.name_hint = op.accumulators[0].name_hint if is_single else "carry"
        self.values[op.counter] = counter
        with self.build.emitting_into(body):
            types = [accumulator.type for accumulator in op.accumulators]
            parts = [carry] if is_single else self.build.unpack(carry, types)
            for accumulator, part in zip(op.accumulators, parts, strict=True):
                part.name_hint = part.name_hint or accumulator.name_hint
                self.values[accumulator] = part
            self.block(op.body.block)
            terminator = op.body.block.last_op
            assert isinstance(terminator, yarr.YieldOp)
            values = [
                self.array(rows[k].update.value if k in rows else value)
                for k, value in enumerate(terminator.values)
            ]
            self.build.insert(emitpy.YieldOp(values[0] if is_single else self.build.tuple(values)))
        return self.build.define(Region(body), "step")


def _numbers_of_steps(op: yarr.FoldOp) -> Sequence[int]:
    """The arguments of ``fold`` about unrolled steps, without those that are its defaults."""
    most = most_steps_written_out(op)
    few = most_small_steps_written_out(op, most)
    many = most if has_arrays(op) else few
    if (large := fewest_elements_of_steps_together(op, most)) is not None:
        return few, many, STEPS_TOGETHER, large
    return (few, many) if few < many else (few,) if few else ()
