"""The parts of a step of a linear recurrence: what it adds, and what it makes of its fields."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.phi.loops.linear import LinearRecurrence
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.step_values import StepValues


class LinearPart:
    """The values of a step with zero for the fields, or for the terms."""

    def __init__(
        self,
        build: Builder,
        found: LinearRecurrence,
        values: StepValues,
        step: SSAValue | None,
        state: Sequence[SSAValue] | None,
    ):
        """Without a ``step`` terms are zero, and without a ``state`` fields are."""
        self._build = build
        self._found = found
        self._values = values
        self._step = step
        self._state = state
        self._known = dict[SSAValue, SSAValue | None]()

    def of(self, value: SSAValue) -> SSAValue | None:
        """A value; None for zero."""
        if value not in self._known:
            self._known[value] = self._of(value)
        return self._known[value]

    def _of(self, value: SSAValue) -> SSAValue | None:
        if value in self._found.fields:
            return None if self._state is None else self._state[self._found.fields[value]]
        if value in self._found.terms:
            return None if self._step is None else self._value(value, self._step)
        op = value.owner
        assert isinstance(op, Operation)
        if isinstance(op, arith.MulfOp | arith.DivfOp):
            return self._multiple(op)
        parts = [self.of(each) for each in op.operands]
        left, *right = parts
        if None not in parts:
            return self._build.same(op, *filter(None, parts))
        if right and right[0] is not None and isinstance(op, arith.SubfOp):
            return self._build.negated(right[0])
        return left or (right[0] if right else None)

    def _multiple(self, op: Operation) -> SSAValue | None:
        """A multiple of a value, by a factor that all steps have."""
        number = self._found.factors[op.results[0]]
        part = self.of(op.operands[1 - number])
        if part is None:
            return None
        factor = self._value(op.operands[number], self._build.integer(0))
        operands = (part, factor) if number else (factor, part)
        return self._build.same(op, *operands)

    def _value(self, value: SSAValue, step: SSAValue) -> SSAValue:
        return self._values.value(self._build, value, step)
