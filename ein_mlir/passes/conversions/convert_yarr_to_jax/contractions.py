"""Sums of products, in full precision."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, TensorType, f32
from xdsl.ir import Attribute, SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.dialects import yarr
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.yarr_to_emitpy.numpy_api import NumpyApiLowering


@dataclass(frozen=True)
class _Masked:
    """An array with zeros where a mask, of one axis apart from axes of size 1, is false."""

    mask: SSAValue
    array: SSAValue

    @staticmethod
    def of(value: SSAValue) -> _Masked | None:
        """``select mask, x, 0``, if nothing else reads it."""
        op = value.owner
        if not isinstance(op, yarr.ElementwiseOp) or not value.has_one_use():
            return None
        if not isinstance(op.scalar_operation(), arith.SelectOp) or len(op.arguments) != 3:
            return None
        mask, array, zero = op.arguments
        is_whole = yarr.shape_of(array) == yarr.shape_of(value)
        return _Masked(mask, array) if is_whole and _is_zero(zero) else None

    def axis(self) -> tuple[SSAValue, int] | None:
        """The mask without its axes of size 1, and the axis of the array that it belongs to."""
        mask, axes = self.mask, range(len(yarr.shape_of(self.mask)))
        if isinstance(op := mask.owner, yarr.UnsqueezeOp):
            mask, axes = op.array, [axis for axis in axes if axis not in op.axes]
        return (mask, axes[0]) if len(axes) == 1 else None


def _is_for_one(value: SSAValue) -> bool:
    """Whether an array is computed element by element, for one reader."""
    return isinstance(value.owner, yarr.ElementwiseOp) and value.has_one_use()


def _is_zero(value: SSAValue) -> bool:
    while isinstance(value.owner, yarr.UnsqueezeOp):
        value = value.owner.array
    if not isinstance(op := value.owner, arith.ConstantOp):
        return False
    return isa(op.value, DenseIntOrFPElementsAttr) and not any(op.value.get_values())


def _common_masks(op: yarr.EinsumOp) -> Sequence[_Masked] | None:
    """The operands as arrays with one mask along one letter; None if a mask differs.

    A mask of a matrix is worth it: the other operands are zero where it is.
    """
    inputs, _ = yarr.split_subscripts(op.subscripts.data)
    masked = [_Masked.of(array) for array in op.arrays]
    found = set[tuple[SSAValue, str]]()
    for each, letters in zip(masked, inputs, strict=True):
        place = None if each is None else each.axis()
        if place is None or len(set(letters)) != len(letters):
            return None
        found.add((place[0], letters[place[1]]))
    is_large = len(inputs) > 1 and any(len(letters) > 1 for letters in inputs)
    return [each for each in masked if each] if is_large and len(found) == 1 else None


def product_order(inputs: Sequence[str], output: str, last: int | None = None) -> str:
    """The axes of a product: those of both operands, those of one, and those of the other.

    The operand with a number, or with the last axis of the output, is the other.

    >>> product_order(["bik", "kbj"], "ibj"), product_order(["bik", "kbj"], "jbi")
    ('bij', 'bji')
    >>> product_order(["bik", "kbj"], "ibj", 0), product_order(["ik", "kj", "jl"], "li")
    ('bji', 'li')
    """
    if len(inputs) != 2 or not output:
        return output
    last = int(output[-1] in inputs[1]) if last is None else last
    one, other = inputs[1 - last], inputs[last]
    both = "".join(letter for letter in output if letter in one and letter in other)
    kept = (letter for letter in one + other if letter in output and letter not in both)
    return both + "".join(dict.fromkeys(kept))


def _computed_last(op: yarr.EinsumOp) -> int | None:
    """The operand that is computed, if the other is not, and has summed axes before others."""
    inputs, output = yarr.split_subscripts(op.subscripts.data)
    computed = [isinstance(array.owner, yarr.ElementwiseOp) for array in op.arrays]
    if len(inputs) != 2 or sum(computed) != 1:
        return None
    number = computed.index(True)
    summed = {letter for letter in inputs[number] if letter not in output}
    is_moved = not summed.issuperset(inputs[number][-1:])
    return number if summed and is_moved else None


def _is_summed_first(inputs: Sequence[str], output: str) -> bool:
    """Whether the first array is summed along its first axes, with one that has no axis of its own.

    >>> _is_summed_first(["kij", "k"], "ij"), _is_summed_first(["ijk", "k"], "ij")
    (True, False)
    """
    if len(inputs) != 2 or len(inputs[0]) < 3:
        return False
    array, vector = inputs
    own = [letter for letter in array if letter not in vector]
    is_last = own != [] and set(array[array.index(own[0]) :]) <= set(output)
    return is_last and array[0] not in output and set(vector) <= set(array)


class JaxContractions(NumpyApiLowering):
    """A rule for diagonals, and full precision of f32 on all devices."""

    def einsum(self, op: yarr.EinsumOp) -> None:
        """``jnp.diagonal(a)`` for a diagonal: ``jnp.einsum`` sums rows that are 0 except on it.

        That takes a pass over all of the array, and turns -0.0 into 0.0.
        """
        if (masks := _common_masks(op)) is not None:
            self._masked(op, masks)
            return
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
        self.bind(op.result, self.reordered(found, order, output))

    def _einsum(self, op: yarr.EinsumOp, arrays: Sequence[SSAValue]) -> SSAValue:
        """``jnp.transpose(jnp.einsum("bik,kbj->bij", a, b), (1, 0, 2))``

        JAX takes the second array first for an output in an order that no product has. XLA then
        moves the last axis of the product, element by element. It moves the summed axes of the
        first array to its end: for one that is computed, it computes the elements in that order.
        An array whose first axes are summed with a vector is the second one: XLA copies it else.
        """
        inputs, output = yarr.split_subscripts(op.subscripts.data)
        order = product_order(inputs, output, _computed_last(op))
        if _is_summed_first(inputs, output):
            inputs, arrays = inputs[::-1], arrays[::-1]
        shape = yarr.shape_of(op.result)
        sizes = [shape[output.index(letter)] for letter in order]
        product = self.build.call(
            "jnp.einsum",
            self.build.literal(f"{','.join(inputs)}->{order}"),
            *arrays,
            type=yarr.tensor(yarr.element_of(op.result), sizes),
            keywords=self.einsum_keywords(op),
        )
        return self.reordered(product, order, output)

    def sides(self, op: yarr.EinsumOp, lhs: SSAValue, rhs: SSAValue) -> tuple[SSAValue, SSAValue]:
        """``a @ v  -->  v @ a.T``, if nothing else reads ``a``: XLA stores no elements then"""
        lhs, rhs = super().sides(op, lhs, rhs)
        matrix = next((each for each in op.arrays if yarr.rank_of(each) == 2), None)
        is_vector = yarr.rank_of(lhs) == 2 and yarr.rank_of(rhs) == 1
        if is_vector and matrix is not None and _is_for_one(matrix):
            return rhs, self.matrix_transpose(lhs)
        return lhs, rhs

    def _masked(self, op: yarr.EinsumOp, masks: Sequence[_Masked]) -> None:
        """A helper that copies no operand of which a part is replaced by zeros."""
        tests = self.build.tuple([self.array(each.mask) for each in masks])
        arrays = self.build.tuple([self.array(each.array) for each in masks])
        subscripts = self.build.literal(op.subscripts.data)
        result = self.build.helper(
            "jnp.masked_einsum", subscripts, tests, arrays, type=op.result.type
        )
        self.bind(op.result, result)

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
