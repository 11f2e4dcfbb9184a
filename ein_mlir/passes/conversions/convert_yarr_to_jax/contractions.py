"""Sums of products, in full precision."""

from __future__ import annotations

from xdsl.dialects.builtin import TensorType, f32
from xdsl.ir import Attribute, SSAValue

from ein_mlir.dialects import yarr
from ein_mlir.rewriting.yarr_to_emitpy.numpy_api import NumpyApiLowering


class JaxContractions(NumpyApiLowering):
    """A rule for diagonals, and full precision of f32 on all devices."""

    def einsum(self, op: yarr.EinsumOp) -> None:
        """``jnp.diagonal(a)`` for a diagonal: ``jnp.einsum`` sums rows that are 0 except on it.

        That takes a pass over all of the array, and turns -0.0 into 0.0.
        """
        (letters, *others), output = yarr.split_subscripts(op.subscripts.data)
        if others or set(letters) != set(output) or len(letters) != len(output) + 1:
            super().einsum(op)
            return
        (doubled,) = (letter for letter in output if letters.count(letter) == 2)
        axes = letters.index(doubled), letters.rindex(doubled)
        order = letters.replace(doubled, "") + doubled
        shape = yarr.shape_of(op.result)
        type_ = yarr.tensor(
            yarr.element_of(op.result), [shape[output.index(letter)] for letter in order]
        )
        where = () if axes == (0, 1) else map(self.build.literal, (0, *axes))
        found = self.build.call("jnp.diagonal", self.array(op.arrays[0]), *where, type=type_)
        self.bind(op.result, self._reordered(found, order, output))

    def matrix_multiply(
        self, lhs: SSAValue, rhs: SSAValue, type: TensorType[Attribute]
    ) -> SSAValue:
        """``a @ b``, in full precision: GPUs would round f32 to fewer bits."""
        if type.element_type != f32:
            return super().matrix_multiply(lhs, rhs, type)
        return self.build.call("jnp.matmul", lhs, rhs, type=type, keywords=self._precision())

    def einsum_keywords(self, op: yarr.EinsumOp) -> dict[str, SSAValue]:
        """Full precision for f32; JAX chooses the order of products."""
        return self._precision() if yarr.element_of(op.result) == f32 else {}

    def _precision(self) -> dict[str, SSAValue]:
        return {"precision": self.build.literal("highest")}
