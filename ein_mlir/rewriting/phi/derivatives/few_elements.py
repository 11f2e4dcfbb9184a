"""Linear arrays of which few elements are read, as those that searches find.

A search over j of ``d[i, j]`` reads one element of each row. Its cotangent contributes to what that
element depends on: an array of all cotangents of ``d`` would be zero almost everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.phi.demand import counts_of
from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence
from ein_mlir.analysis.scopes import around, operations_in
from ein_mlir.dialects import phi
from ein_mlir.rewriting.phi.derivatives.preparation import compute, is_index
from ein_mlir.rewriting.phi.derivatives.values import linear_values
from ein_mlir.rewriting.phi.insertion import Builder

MOST_READS = 4
"""The most reads of an array in loops for which its body is copied."""


def compute_few_elements(op: phi.TransposeOp, sizes: SizeEquivalence) -> None:
    """``array (i < n, j < m) { e }[i, p]  -->  e with p for j``, in loops over i alone

    for linear ``e``, at the clipped position, or zero if the array is empty.
    """
    linear = linear_values(op.body.block, op.body.block.args)
    arrays = [each for each in operations_in(op) if isinstance(each, phi.ArrayOp)]
    for array in reversed(arrays):
        is_scalar = phi.is_scalar_type(array.yielded().type)
        if array.result in linear and is_scalar and not _is_contraction(array, linear):
            for read in _few_reads(array, sizes):
                _compute(read, array, sizes)


def _is_contraction(array: phi.ArrayOp, linear: Set[SSAValue]) -> bool:
    """Whether elements are sums of linear values with factors that vary with some indices only.

    Products of matrices take less time for all elements than other programs for few.
    """
    if not any(isinstance(op, phi.FoldOp) for op in operations_in(array)):
        return False
    products = [op for op in operations_in(array) if isinstance(op, arith.MulfOp)]
    factors = [x for op in products if op.result in linear for x in op.operands if x not in linear]
    free, indices = FreeIndices(array), {*array.indices}
    return not any(indices <= free.of(factor) for factor in factors)


def _few_reads(array: phi.ArrayOp, sizes: SizeEquivalence) -> Sequence[phi.GetOp]:
    """The reads of an array, if it has no other uses and they are of few of its elements."""
    reads = list[phi.GetOp]()
    for use in array.result.uses:
        read = use.operation
        if isinstance(read, phi.SizeOp):
            continue
        if not isinstance(read, phi.GetOp) or not _is_of_few(read, array, sizes):
            return ()
        reads.append(read)
    most = 1 if len(array.sizes) == 1 else MOST_READS
    return reads if len(reads) <= most else ()


def _is_of_few(read: phi.GetOp, array: phi.ArrayOp, sizes: SizeEquivalence) -> bool:
    """Whether loops read elements along some axes of an array, but not along all."""
    rest = list(array.sizes)
    if len(read.positions) != len(rest):
        return False
    for loop in _loops_around(read, array):
        if not isinstance(loop, phi.ComprehensionOp | phi.FoldOp):
            return False
        for count in counts_of(loop):
            same = next((size for size in rest if sizes.same(size, count)), None)
            if same is None:
                return False
            rest.remove(same)
    return bool(rest)


def _loops_around(read: Operation, array: Operation) -> list[Operation]:
    """The operations around a read that are not around what it reads."""
    outer = {*around(array)}
    return [op for op in around(read) if op is not read and op not in outer]


def _compute(read: phi.GetOp, array: phi.ArrayOp, sizes: SizeEquivalence) -> None:
    """Replace a read by the element at its positions, which are clipped unless they are indices."""
    build = Builder.before(read)
    places, is_empty = list[SSAValue](), list[SSAValue]()
    for position, size in zip(read.positions, array.sizes, strict=True):
        if not is_index(position, size, sizes):
            last = build.sub(size, 1)
            position = build.max(build.min(build.as_int(position), last), 0)
            is_empty.append(build.compare(size, "sle", 0))
        places.append(position)
    read.operands = [read.array, *places]
    compute(read, array, is_empty)
