"""Folds of some fields of an accumulator."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, Region, SSAValue

from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.searches import field_of, leaf_values
from ein_mlir.dialects import phi
from ein_mlir.rewriting.phi.emission import Emitter


class Parts:
    """Makes folds of some fields of the accumulator of a fold."""

    def __init__(self, op: phi.FoldOp, inits: Sequence[SSAValue]):
        """``inits`` are the initial values of the fields of the (nested) record in order."""
        self._op = op
        self._inits = inits
        self._steps = leaf_values(op.yielded())

    def fold_of(self, fields: Sequence[int]) -> Emitter:
        """The fold of fields that depend on no others, and then a ``phi.tuple`` of its fields.

        Its body has the operations of the whole body that the fields need.
        """
        emitter = Emitter()
        init = self._inits[fields[0]]
        if len(fields) > 1:
            init = emitter.emit(phi.TupleOp([self._inits[k] for k in fields]))
        body = Block(arg_types=(self._op.counter.type, init.type))
        for new, old in zip(body.args, self._op.body.block.args, strict=True):
            new.name_hint = old.name_hint
        self._fill(body, fields)
        fold = phi.FoldOp(self._op.count, init, Region(body))
        fold.result.name_hint = self._op.result.name_hint
        emitter.emit(phi.TupleOp(emitter.leaves(emitter.emit(fold))))
        return emitter

    def _fill(self, body: Block, fields: Sequence[int]) -> None:
        emitter = Emitter()
        steps = [self._steps[k] for k in fields]
        fields_before = dict(zip(fields, emitter.leaves(body.args[1]), strict=True))
        values: dict[SSAValue, SSAValue] = {self._op.counter: body.args[0]}
        for inner in slice_of(self._op.body.block, steps):
            field = field_of(inner.results[0], self._op.accumulator)
            if field is None:
                emitter.emit(inner.clone(values))
            elif field in fields_before:
                values[inner.results[0]] = fields_before[field]
        results = [values.get(step, step) for step in steps]
        result = results[0] if len(fields) == 1 else emitter.emit(phi.TupleOp(results))
        body.add_ops((*emitter.ops, phi.YieldOp(result)))
