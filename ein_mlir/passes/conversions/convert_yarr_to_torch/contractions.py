"""Sums of products."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import f32, f64, i8, i16, i32, i64
from xdsl.ir import SSAValue

from ein_mlir.dialects import yarr
from ein_mlir.rewriting.yarr_to_emitpy.rules.contractions import ContractionRules

_INTS = (i8, i16, i32, i64)


class TorchContractions(ContractionRules):
    """PyTorch contracts floats, a helper ints."""

    def einsum(self, op: yarr.EinsumOp) -> None:
        """``a @ b`` also for a stack of matrices times one matrix.

        Of arrays with the same axes, sums of products, unless rows of floats are multiplied.
        """
        element = yarr.element_of(op.result)
        inputs, output = yarr.split_subscripts(op.subscripts.data)
        if has_products_of_elements(inputs) and element in (*_INTS, f32, f64):
            terms, arrays = _untransposed(inputs, op.arrays)
            if element in _INTS or terms[0][-1:] in output:
                subscripts = f"{','.join(terms)}->{output}"
                return self._bind_helper(op, "torch.sum_of_products", subscripts, arrays)
        if element in _INTS:
            self._bind_helper(op, "torch.int_einsum", op.subscripts.data, op.arrays)
        elif is_stack_times_matrix(inputs, output):
            lhs, rhs = (self.array(array) for array in op.arrays)
            self.bind(op.result, self.matrix_multiply(lhs, rhs, op.result.type))
        else:
            super().einsum(op)

    def _bind_helper(
        self, op: yarr.EinsumOp, helper: str, subscripts: str, arrays: Sequence[SSAValue]
    ) -> None:
        """A helper: PyTorch contracts ints slowly, and not on all devices."""
        factors = self.build.tuple([self.array(array) for array in arrays])
        text, type_ = self.build.literal(subscripts), op.result.type
        is_view = len(arrays) == 1
        self.bind(op.result, self.build.helper(helper, text, factors, type=type_, view=is_view))


def _untransposed(
    terms: Sequence[str], arrays: Sequence[SSAValue]
) -> tuple[list[str], list[SSAValue]]:
    """The factors of a contraction without transposes, and the letters of their axes."""
    found: list[str] = []
    factors: list[SSAValue] = []
    for term, array in zip(terms, arrays, strict=True):
        while isinstance(transpose := array.owner, yarr.TransposeOp):
            places = zip(transpose.axes, term, strict=True)
            term, array = "".join(letter for _, letter in sorted(places)), transpose.array
        found.append(term)
        factors.append(array)
    return found, factors


def has_products_of_elements(inputs: Sequence[str]) -> bool:
    """Whether each product of a contraction is that of elements of arrays with the same axes.

    >>> has_products_of_elements(["ij", "ji"]), has_products_of_elements(["ij", "j"])
    (True, False)
    """
    letters = set(inputs[0])
    return len(inputs) > 1 and all(
        len(term) == len(letters) and letters == set(term) for term in inputs
    )


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
