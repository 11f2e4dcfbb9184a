"""Sums of products."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import IntegerType, TensorType, i1
from xdsl.ir import Attribute, Block, SSAValue

from ein_mlir.analysis.yarr.masked_rows import MaskedSteps
from ein_mlir.dialects import emitpy, yarr
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.yarr_to_emitpy.lowering import PythonLowering, tensor_type


class ContractionRules(PythonLowering):
    """Rules for contractions: products of matrices if possible, else ``einsum``."""

    groups_axes: ClassVar[bool] = False
    """Whether the rules merge axes that occur together: einsum of the library does not."""

    def __init__(self, source: Block):
        super().__init__(source)
        self.rules |= {
            yarr.EinsumOp: self.einsum,
            yarr.CorrelateOp: self.correlate,
            yarr.InOrderOp: self.in_order,
        }

    def einsum(self, op: yarr.EinsumOp) -> None:
        """``a @ b`` for a product of matrices, ``np.einsum("ij,j->i", a, b)`` otherwise."""
        if yarr.element_of(op.result) == i1:
            raise self.no_lowering(op, " on 'i1'")
        arrays = [self.array(array) for array in op.arrays]
        inputs, output = yarr.split_subscripts(op.subscripts.data)
        products = self._products_of_matrices(op, arrays, inputs, output)
        self.bind(op.result, next(products, None) or self._einsum(op, arrays))

    def _products_of_matrices(
        self, op: yarr.EinsumOp, arrays: Sequence[SSAValue], inputs: Sequence[str], output: str
    ) -> Iterator[SSAValue]:
        """The ways to compute a sum as a product of matrices; the best one first."""
        for way in (matrix_product, broadcast_product):
            for order in (1, -1):
                if (transposed := way(inputs[::order], output)) is not None:
                    yield self._matrix_product(op, arrays[::order], transposed)
            if self.groups_axes and (grouped := grouped_product(inputs, output)) is not None:
                yield self._grouped_product(op, arrays, grouped)

    def at_kept_steps(self, masked: MaskedSteps) -> dict[SSAValue, SSAValue]:
        """The factors at the steps that a mask keeps, if they are few; all of them if not."""
        mask, expected = self.array(masked.mask), self.build.literal(masked.expected)
        largest = self.array(max(masked.axes, key=yarr.rank_of))
        kept = self.build.helper(
            self.name("kept_steps"), mask, expected, largest, type=emitpy.OBJECT
        )
        parts = dict[SSAValue, SSAValue]()
        for factor, axis in masked.axes.items():
            shape = list(yarr.shape_of(factor))
            shape[axis] = yarr.DYNAMIC
            type_ = yarr.tensor(yarr.element_of(factor), shape)
            arguments = self.array(factor), kept, self.build.literal(axis)
            parts[factor] = self.build.helper(
                self.name("at_steps"), *arguments, type=type_, view=True
            )
        return parts

    def _matrix_product(
        self, op: yarr.EinsumOp, arrays: Sequence[SSAValue], transposed: Sequence[bool]
    ) -> SSAValue:
        """``a @ b.T``"""
        lhs, rhs = (
            self.matrix_transpose(array) if is_transposed else array
            for array, is_transposed in zip(arrays, transposed, strict=True)
        )
        return self.matrix_multiply(*self.sides(op, lhs, rhs), tensor_type(op.result))

    def sides(self, op: yarr.EinsumOp, lhs: SSAValue, rhs: SSAValue) -> tuple[SSAValue, SSAValue]:
        """``v @ a.T  -->  a @ v``, and ``a.T @ v  -->  v @ a``: XLA copies ``a.T``"""
        if yarr.rank_of(lhs) == 1 and (matrix := _transposed(rhs)) is not None:
            return matrix, lhs
        if yarr.rank_of(rhs) == 1 and (matrix := _transposed(lhs)) is not None:
            return rhs, matrix
        return lhs, rhs

    def _grouped_product(
        self, op: yarr.EinsumOp, arrays: Sequence[SSAValue], product: GroupedProduct
    ) -> SSAValue:
        """A helper around a product of matrices, whose axes are groups of axes."""
        lhs, rhs = (arrays[side] for side in product.sides)
        if product.is_transposed:
            lhs = self.matrix_transpose(lhs)
        groups = map(self.build.literal, (product.rows, product.summed, product.columns))
        order, type_ = product.order, tensor_type(op.result)
        shape = [type_.get_shape()[order.index(axis)] for axis in range(len(order))]
        own = yarr.tensor(type_.element_type, shape)
        result = self.build.helper(self.name("grouped_matmul"), lhs, rhs, *groups, type=own)
        return result if list(order) == sorted(order) else self.transposed(result, order, type_)

    def _einsum(self, op: yarr.EinsumOp, arrays: Sequence[SSAValue]) -> SSAValue:
        inputs, output = yarr.split_subscripts(op.subscripts.data)
        return self.build.call(
            self.name("einsum"),
            self.build.literal(op.subscripts.data),
            *arrays,
            type=op.result.type,
            keywords=self.einsum_keywords(op),
            view=len(arrays) == 1 and set(inputs[0]) == set(output),
        )

    def einsum_keywords(self, op: yarr.EinsumOp) -> dict[str, SSAValue]:
        """The keywords of an ``einsum`` call of the library."""
        return {}

    def matrix_multiply(
        self, lhs: SSAValue, rhs: SSAValue, type: TensorType[Attribute]
    ) -> SSAValue:
        """``a @ b``; of Ints a helper, since libraries multiply matrices of floats much faster."""
        is_matrix = min(yarr.rank_of(lhs), yarr.rank_of(rhs)) > 1
        if isinstance(type.element_type, IntegerType) and is_matrix:
            return self.build.helper(self.name("int_matmul"), lhs, rhs, type=type)
        return self.build.binary(lhs, "@", rhs, type)

    def matrix_transpose(self, array: SSAValue) -> SSAValue:
        """The array with its last two axes exchanged; of a transposed matrix, the matrix."""
        if (matrix := _transposed(array)) is not None:
            return matrix
        *batch, rows, columns = yarr.shape_of(array)
        type_ = yarr.tensor(yarr.element_of(array), (*batch, columns, rows))
        if not batch:
            return self.build.attribute(array, "T", type_)
        axes = self.build.literal(-1), self.build.literal(-2)
        return self.build.method(array, "swapaxes", *axes, type=type_, view=True)

    def in_order(self, op: yarr.InOrderOp) -> None:
        """A helper, with the factors and their axes in nested tuples."""
        factors = iter([self.array(factor) for factor in op.factors])
        products = self._products(yarr.ordered_products(op.subscripts.data), factors)
        finite, normal = (
            self.build.tuple([self.array(array) for array in arrays])
            for arrays in (op.finite, op.normal)
        )
        arguments = self.array(op.array), finite, normal, products
        name, type_ = self.name("in_order"), op.result.type
        result = self.build.helper(name, *arguments, type=type_, view=True, first=True)
        self.bind(op.result, result)

    def _products(self, products: yarr.Products, factors: Iterator[SSAValue]) -> SSAValue:
        """``("i", ("ik", a), ("k", b))``"""
        letters, parts = products
        if parts is None:
            return self.build.tuple([self.build.literal(letters), next(factors)])
        inner = [self._products(part, factors) for part in parts]
        return self.build.tuple([self.build.literal(letters), *inner])

    def correlate(self, op: yarr.CorrelateOp) -> None:
        """A helper around the library's convolution, or around products of matrices."""
        arrays = self.array(op.array), self.array(op.filters)
        sizes = self.build.tuple([self.value(size) for size in op.sizes])
        numbers = [op.strides_of_places(), op.dilations_of_places()]
        while op.groups is None and numbers and set(numbers[-1]) == {1}:
            numbers.pop()
        options = [
            *map(self.build.literal, numbers),
            *([] if op.groups is None else [self.value(op.groups)]),
        ]
        name, type_ = self.name("correlate"), tensor_type(op.result)
        self.bind(op.result, self.build.helper(name, *arrays, sizes, *options, type=type_))


def _transposed(array: SSAValue) -> SSAValue | None:
    """The matrix ``a`` of ``a.T``"""
    op = array.owner
    return op.object if isinstance(op, emitpy.AttrOp) and op.attribute.data == "T" else None


def matrix_product(inputs: Sequence[str], output: str) -> tuple[bool, bool] | None:
    """Whether each side of a product of vectors and matrices is transposed; None for no product.

    Matrices may have leading axes that both sides and the result share.

    >>> matrix_product(["ij", "jk"], "ik"), matrix_product(["ij", "kj"], "ik")
    ((False, False), (False, True))
    >>> matrix_product(["i", "ij"], "j"), matrix_product(["ij", "ij"], "ij")
    ((False, False), None)
    >>> matrix_product(["bij", "bkj"], "bik"), matrix_product(["bi", "bi"], "b")
    ((False, True), None)
    """
    if len(inputs) != 2 or not all(0 < len(set(side)) == len(side) for side in inputs):
        return None
    lhs, rhs = inputs
    triples = enumerate(zip(lhs, rhs, output, strict=False))
    batch = next(
        (k for k, letters in triples if len(set(letters)) > 1), min(map(len, (lhs, rhs, output)))
    )
    lhs, rhs, output = lhs[batch:], rhs[batch:], output[batch:]
    if not all(len(side) == 2 or (len(side) == 1 and not batch) for side in (lhs, rhs)):
        return None
    summed = (set(lhs) & set(rhs)) - set(output)
    if len(summed) != 1 or set(lhs) & set(rhs) != summed:
        return None
    (letter,) = summed
    if lhs.replace(letter, "") + rhs.replace(letter, "") != output:
        return None
    return lhs[-1] != letter, rhs[0] != letter


def broadcast_product(inputs: Sequence[str], output: str) -> tuple[bool, bool] | None:
    """The same, if one side has leading axes that the other one lacks: libraries broadcast it.

    A vector comes first if the matrices are not transposed, and else last.

    >>> broadcast_product(["k", "bkj"], "bj"), broadcast_product(["ik", "bkj"], "bij")
    ((False, False), (False, False))
    >>> broadcast_product(["k", "bjk"], "bj"), broadcast_product(["bjk", "k"], "bj")
    (None, (False, False))
    >>> broadcast_product(["bk", "bkj"], "bj"), broadcast_product(["bik", "ckj"], "bcij")
    (None, None)
    """
    if len(inputs) != 2 or not all(len(set(side)) == len(side) for side in inputs):
        return None
    fronts = [side[:-2] for side in inputs if len(side) > 2]
    lhs, rhs = (side[-2:] for side in inputs)
    if len(fronts) != 1 or not output.startswith(fronts[0]) or set(fronts[0]) & {*lhs, *rhs}:
        return None
    (front,) = fronts
    transposed = matrix_product([lhs, rhs], output.removeprefix(front))
    return None if transposed is None or (any(transposed) and len(lhs + rhs) < 4) else transposed


@dataclass(frozen=True)
class GroupedProduct:
    """A product of matrices of groups of axes: ``sides[0] @ sides[1]``, axes reordered."""

    sides: tuple[int, int]
    """The number of the left operand, and of the right one."""
    is_transposed: bool
    """Whether the left one, which is then a matrix, has its columns first."""
    rows: int
    summed: int
    columns: int
    order: tuple[int, ...]
    """The axes of the product in the order of the result."""


def grouped_product(inputs: Sequence[str], output: str) -> GroupedProduct | None:
    """The product of two arrays as matrices, without moving an axis of either.

    The product has the leading axes of both sides, or of the right one, then the rows, then the
    columns. A vector has no rows, or no columns; then there are no leading axes.

    >>> grouped_product(["bijk", "bjkl"], "bil")
    GroupedProduct(sides=(0, 1), is_transposed=False, rows=1, summed=2, columns=1, order=(0, 1, 2))
    >>> grouped_product(["jik", "k"], "ij")
    GroupedProduct(sides=(0, 1), is_transposed=False, rows=2, summed=1, columns=0, order=(1, 0))
    >>> product = grouped_product(["co", "bchw"], "bohw")
    >>> product.is_transposed, product.columns
    (True, 2)
    >>> grouped_product(["bik", "bk"], "bi"), grouped_product(["ij", "ij"], "ij")
    (None, None)
    """
    if len(inputs) != 2 or not all(len(set(side)) == len(side) for side in (*inputs, output)):
        return None
    for sides in ((0, 1), (1, 0)):
        lhs, rhs = (inputs[side] for side in sides)
        summed = "".join(letter for letter in rhs if letter in lhs and letter not in output)
        if not summed or summed not in rhs or not output:
            continue
        front, _, columns = rhs.partition(summed)
        own = lhs.removeprefix(front)
        rows = own.replace(summed, "", 1)
        product = front + rows + columns
        if sorted(product) != sorted(output) or (front and not (rows and columns)):
            continue
        is_transposed = len(rows) == len(summed) == 1 and lhs == summed + rows
        if is_transposed or own == rows + summed:
            order = tuple(map(product.index, output))
            sizes = len(rows), len(summed), len(columns)
            return GroupedProduct(sides, is_transposed, *sizes, order)
    return None
