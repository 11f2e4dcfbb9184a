"""Rules for static values."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Block, Operation, SSAValue

from ein_mlir.analysis.yarr.known_rows import known_rows
from ein_mlir.analysis.yarr.static_values import (
    StaticValues,
    has_static_results,
    path_attribute,
)
from ein_mlir.dialects import emitpy, yarr
from ein_mlir.passes.conversions.convert_yarr_to_jax.host import HostLowering
from ein_mlir.rewriting.yarr_to_emitpy.builder import is_object
from ein_mlir.rewriting.yarr_to_emitpy.numpy_api import NumpyApiLowering


class StaticRules(NumpyApiLowering):
    """Leaves static values to the host; they become JAX arrays as operands of traced operations."""

    def __init__(self, source: Block):
        super().__init__(source)
        self._source = source
        self.static = StaticValues(source)
        self.static.include(known_rows(source, self.static))
        self.host = HostLowering(source, self)

    def prologue(self, arguments: Sequence[SSAValue]) -> None:
        """Note the arguments that must be static when the function is jitted."""
        super().prologue(arguments)
        function = self._source.parent_op()
        if function is not None and (paths := self.static.arguments):
            function.attributes[emitpy.STATIC_ARGUMENTS] = ArrayAttr(map(path_attribute, paths))

    def operation(self, op: Operation) -> None:
        """Leave operations with static results, and assertions, to the host."""
        match op:
            case yarr.AssertEqOp() | yarr.AssertSizeOp():
                is_static = True
            case func.ReturnOp():
                is_static = has_static_results(op)
                self.host.host_results = self.host_results
            case yarr.FoldOp() | yarr.WhileOp():
                is_static = False
            case _:
                is_static = self.static.has_any(op.results)
        if is_static:
            self.host.operation(op)
        else:
            super().operation(op)

    def operand(self, value: SSAValue) -> SSAValue:
        """The JAX array of a value: arithmetic on NumPy numbers would be NumPy's."""
        return self._traced(value, super().operand(value))

    def array(self, value: SSAValue) -> SSAValue:
        """An array of JAX, also for a value of the host."""
        return self._traced(value, super().array(value))

    def _traced(self, value: SSAValue, lowered: SSAValue) -> SSAValue:
        if value not in self.static or is_object(lowered):
            return lowered
        if isinstance(op := value.owner, yarr.RangeOp):  # it may be long
            return self.build.call("jnp.arange", self.value(op.size), type=lowered.type)
        return self.build.call("jnp.asarray", lowered, type=lowered.type)

    def proj(self, op: yarr.ProjOp) -> None:
        """Bind a field to the value that was put into the record."""
        if isinstance(op.record.owner, yarr.TupleOp):
            self.bind(op.result, self.value(op.record.owner.fields[op.field.value.data]))
        else:
            super().proj(op)

    def _is_known(self, value: SSAValue) -> bool:
        """Whether a number is known when the program is traced."""
        return value in self.static or is_object(self.value(value))

    def held(self, value: SSAValue, accumulator: SSAValue) -> SSAValue:
        """An unrolled loop has NumPy's numbers for static accumulators."""
        return self.host.array(value) if accumulator in self.static else self.array(value)
