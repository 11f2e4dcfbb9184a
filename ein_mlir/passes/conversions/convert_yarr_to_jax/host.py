"""Static values, which NumPy computes when JAX traces a program."""

from __future__ import annotations

from xdsl.dialects.builtin import TupleType
from xdsl.ir import Block, SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.dialects import emitpy, yarr
from ein_mlir.rewriting.yarr_to_emitpy.lowering import PythonLowering
from ein_mlir.rewriting.yarr_to_emitpy.numpy_arrays import NumpyArraysLowering


class HostLowering(NumpyArraysLowering):
    """Computes static values with NumPy; the rules of JAX handle the other values."""

    pass_name = "convert-yarr-to-jax"

    def __init__(self, source: Block, rules: PythonLowering):
        super().__init__(source)
        self.build, self.sizes, self.values = rules.build, rules.sizes, rules.values
        self.counters = rules.counters
        self.scalars = self.scalar_rules(self.build, self.tables)

    def extern(self, op: yarr.ExternOp) -> None:
        """``np.array(f(x))``: the function may return an array of JAX."""
        super().extern(op)
        result = self.value(op.result)
        if not isa(result.type, TupleType):
            self.bind(op.result, self._of_numpy(result))

    def proj(self, op: yarr.ProjOp) -> None:
        """A field of the result of an extrinsic, converted like a result that is no record."""
        super().proj(op)
        if isinstance(self.value(op.record).owner, emitpy.ExternOp):
            self.bind(op.result, self._of_numpy(self.value(op.result)))

    def _of_numpy(self, value: SSAValue) -> SSAValue:
        return self.build.call("np.array", value, type=value.type)
