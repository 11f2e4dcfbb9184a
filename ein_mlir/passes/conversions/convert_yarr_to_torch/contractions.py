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

        Where no two factors have an axis that others lack, sums of products: PyTorch makes a
        stack of products of vectors.
        """
        element = yarr.element_of(op.result)
        inputs, output = yarr.split_subscripts(op.subscripts.data)
        if element in (*_INTS, f32, f64) and (output or element in _INTS):
            terms, arrays = _untransposed(inputs, op.arrays)
            first = place_of_all_axes(terms, output)
            if first is not None:
                order = [first, *(k for k in range(len(terms)) if k != first)]
                subscripts = f"{','.join(terms[k] for k in order)}->{output}"
                arrays = [arrays[k] for k in order]
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


def place_of_all_axes(inputs: Sequence[str], output: str) -> int | None:
    """The first factor with all axes, if each other shares an axis with it that is not summed, or
    has all axes, too: no product of matrices, nor of a matrix and a vector.

    >>> place_of_all_axes(["ij", "ji"], ""), place_of_all_axes(["bi", "bij"], "bj")
    (0, 1)
    >>> place_of_all_axes(["ij", "j"], "i"), place_of_all_axes(["bij", "bjk"], "bik")
    (None, None)
    """
    if len(inputs) < 2 or any(len(set(term)) < len(term) for term in inputs):
        return None
    letters = {letter for term in inputs for letter in term}
    full = [k for k, term in enumerate(inputs) if letters == set(term)]
    has_stack = all(letters == set(term) or not {*output}.isdisjoint(term) for term in inputs)
    return full[0] if full and has_stack else None


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
