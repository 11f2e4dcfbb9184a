"""Sums of products."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import i8, i16, i32, i64
from xdsl.ir import SSAValue

from ein_mlir.dialects import yarr
from ein_mlir.rewriting.yarr_to_emitpy.rules.contractions import ContractionRules


class TorchContractions(ContractionRules):
    """PyTorch contracts floats, a helper ints."""

    def einsum(self, op: yarr.EinsumOp) -> None:
        """``a @ b`` also for a stack of matrices times one matrix."""
        if yarr.element_of(op.result) in (i8, i16, i32, i64):
            self.bind(op.result, self._of_ints(op))
        elif is_stack_times_matrix(*yarr.split_subscripts(op.subscripts.data)):
            lhs, rhs = (self.array(array) for array in op.arrays)
            self.bind(op.result, self.matrix_multiply(lhs, rhs, op.result.type))
        else:
            super().einsum(op)

    def _of_ints(self, op: yarr.EinsumOp) -> SSAValue:
        """A helper: not all devices have products of matrices of ints."""
        arrays = self.build.tuple([self.array(array) for array in op.arrays])
        subscripts, type_ = self.build.literal(op.subscripts.data), op.result.type
        return self.build.helper("torch.int_einsum", subscripts, arrays, type=type_, view=True)


def is_stack_times_matrix(inputs: Sequence[str], output: str) -> bool:
    """Whether a contraction multiplies matrices with leading axes by one matrix.

    >>> is_stack_times_matrix(["bij", "jk"], "bik"), is_stack_times_matrix(["bij", "kj"], "bik")
    (True, False)
    """
    if (
        len(inputs) != 2
        or len(inputs[1]) != 2
        or len({*inputs[0], *inputs[1]}) != len(inputs[0]) + 1
    ):
        return False
    (summed, column), stack = inputs[1], inputs[0]
    return summed == stack[-1] and len({*stack}) == len(stack) > 2 and output == stack[:-1] + column
