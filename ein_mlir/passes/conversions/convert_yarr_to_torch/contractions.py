"""Sums of products."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import i8, i32, i64

from ein_mlir.dialects import yarr
from ein_mlir.rewriting.yarr_to_emitpy.rules.contractions import ContractionRules


class TorchContractions(ContractionRules):
    """PyTorch multiplies floats; ints are left to a helper."""

    def einsum(self, op: yarr.EinsumOp) -> None:
        """As for NumPy, and ``a @ b`` for a stack of matrices times one matrix.

        A helper on ints, for which not all devices have products of matrices.
        """
        if yarr.element_of(op.result) not in (i8, i32, i64):
            if is_stack_times_matrix(*yarr.split_subscripts(op.subscripts.data)):
                lhs, rhs = (self.array(array) for array in op.arrays)
                self.bind(op.result, self.matrix_multiply(lhs, rhs, op.result.type))
                return None
            return super().einsum(op)
        arrays = self.build.tuple([self.array(array) for array in op.arrays])
        subscripts = self.build.literal(op.subscripts.data)
        product = self.build.helper(
            "torch.int_einsum", subscripts, arrays, type=op.result.type, view=True
        )
        self.bind(op.result, product)


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
