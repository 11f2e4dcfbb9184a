"""Products of matrices: large ones by the library of the host, others in loops of the runtime.

A product is a call, as of ``ein_product(%call, %slots, 32768)``, whose slots describe its arrays.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import Float32Type, Float64Type, FloatAttr, i64
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.dialects.linalg.ops import GenericOp, YieldOp
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr

from ein_mlir.analysis.hints import isa
from ein_mlir.backends.native import abi
from ein_mlir.passes.conversions.convert_loops_to_llvm.conversion import (
    Conversion,
    Memref,
    Rule,
    unsupported,
)
from ein_mlir.passes.conversions.convert_loops_to_llvm.memory import strides_of


def product(c: Conversion, op: GenericOp) -> None:
    """``c[.., i, j] += a[.., i, k] * b[.., k, j]``, for sums that are zero before.

    A loop right before it that clears them is left to the runtime.
    """
    if not is_product(op):
        raise unsupported(op)
    if c.loop is not None:
        on_this_thread(c, op)
        return
    least = c.build.integer(abi.LEAST_PRODUCT)
    code = c.library(abi.MULTIPLY, (c.call, slots_of(c, op), least), i64)
    assert code is not None
    c.fail_unless(c.build.compare("eq", code, c.build.integer(0)), code)


def on_this_thread(c: Conversion, op: GenericOp) -> None:
    """A product in a step of a parallel loop, whose versions have found it large enough."""
    c.library(abi.MULTIPLY_HERE, (slots_of(c, op),))


def sizes_of(
    c: Conversion, op: GenericOp
) -> tuple[Sequence[Memref], Sequence[Sequence[int]], Sequence[SSAValue]]:
    """The arrays of a product, the dimension of each of their axes, and the sizes of dimensions."""
    axes = [dimensions(op, number) for number in range(3)]
    arrays = [c.memref(operand) for operand in op.operands]
    sizes = dict[int, SSAValue]()
    for array, dims in zip(arrays, axes, strict=True):
        sizes.update(zip(dims, array.sizes, strict=True))
    return arrays, axes, [sizes[dim] for dim in range(len(sizes))]


def clear_of(op: GenericOp) -> scf.ParallelOp | None:
    """The loop right before a product that sets all of its sums to zero."""
    loop = op.prev_op
    if not isinstance(loop, scf.ParallelOp) or len(loop.body.block.ops) != 2:
        return None
    store, indices = loop.body.block.first_op, loop.body.block.args
    sums = op.outputs[0]
    is_clear = (
        isinstance(store, memref.StoreOp)
        and store.memref is sums
        and list(store.indices) == list(indices)
        and isinstance(store.value.owner, arith.ConstantOp)
        and isa(zero := store.value.owner.value, FloatAttr)
        and zero.value.data == 0
    )
    return loop if is_clear else None


def clears_a_product(op: scf.ParallelOp) -> bool:
    """Whether a loop clears the sums of a product: the runtime does so."""
    product = op.next_op
    return isinstance(product, GenericOp) and clear_of(product) is op


def is_product(op: GenericOp) -> bool:
    """Whether an operation is a product of matrices, whose last dimension is summed over."""
    *parallel, last = (kind.data for kind in op.iterator_types)
    block, dims = op.body.block, range(len(parallel) + 1)
    term, total = block.first_op, block.last_op and block.last_op.prev_op
    if len(op.operands) != 3 or not isinstance(block.last_op, YieldOp):
        return False
    return (
        last is IteratorType.REDUCTION
        and all(kind is IteratorType.PARALLEL for kind in parallel)
        and isinstance(block.args[0].type, Float32Type | Float64Type)
        and isinstance(term, arith.MulfOp)
        and list(term.operands) == list(block.args[:2])
        and isinstance(total, arith.AddfOp)
        and term.next_op is total
        and set(total.operands) == {term.result, block.args[2]}
        and block.last_op.operands[0] is total.result
        and all(len(set(dimensions(op, k))) == len(dimensions(op, k)) for k in range(3))
        and set(dimensions(op, 2)) == set(dims[:-1])
        and {dims[-3], dims[-1]} <= set(dimensions(op, 0)) <= {*dims} - {dims[-2]}
        and {dims[-2], dims[-1]} <= set(dimensions(op, 1)) <= {*dims} - {dims[-3]}
    )


def dimensions(op: GenericOp, number: int) -> Sequence[int]:
    """The dimension that runs over each axis of an operand."""
    results = op.indexing_maps.data[number].data.results
    return [each.position for each in results if isinstance(each, AffineDimExpr)]


def slots_of(c: Conversion, op: GenericOp) -> SSAValue:
    """The description of a product for the runtime: see `abi.PRODUCT`."""
    build, (arrays, axes, extents) = c.build, sizes_of(c, op)
    words: list[SSAValue] = [build.integer(arrays[0].width), build.integer(len(extents)), *extents]
    for array, dims in zip(arrays, axes, strict=True):
        strides = dict(zip(dims, strides_of(c, array), strict=True))
        words.append(array.pointer)
        words += [strides.get(dim) or build.integer(0) for dim in range(len(extents))]
    slots = build.words(len(words))
    for number, word in enumerate(words):
        build.store(word, build.field(slots, number))
    return slots


RULES: dict[type[Operation], Rule] = {GenericOp: product}
