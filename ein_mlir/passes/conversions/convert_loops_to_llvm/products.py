"""Products of matrices: large ones by the library of the host, others in loops.

A product outside of parallel loops is a call of a function, which serves all products of its kind::

    llvm.func internal @product.f.0(%call, %a, %n, %k, %b, %m, %c) -> i64 { .. }
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, llvm, memref, scf
from xdsl.dialects.builtin import Float32Type, Float64Type, FloatAttr, i64
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.dialects.linalg.ops import GenericOp, YieldOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr

from ein_mlir.analysis.hints import isa
from ein_mlir.backends.native import abi
from ein_mlir.passes.conversions.convert_loops_to_llvm.build import POINTER
from ein_mlir.passes.conversions.convert_loops_to_llvm.conversion import (
    Conversion,
    Memref,
    Rule,
    types_of,
    unsupported,
)
from ein_mlir.passes.conversions.convert_loops_to_llvm.memory import address, strides_of
from ein_mlir.passes.conversions.convert_loops_to_llvm.nests import loops
from ein_mlir.passes.conversions.convert_loops_to_llvm.ranges import internal_function, unshared
from ein_mlir.passes.conversions.convert_loops_to_llvm.sharing import key_of

PRODUCT_PREFIX = "product."
"""Of the functions of products."""


def product(c: Conversion, op: GenericOp) -> None:
    """``c[.., i, j] += a[.., i, k] * b[.., k, j]``, for sums that are zero before.

    A loop right before it that clears them is left to the library, or to the loops here.
    """
    if not is_product(op):
        raise unsupported(op)
    if c.loop is not None:
        on_this_thread(c, op)
        return
    flags = unshared(op, op.operands)
    if op.outputs[0] in op.inputs:
        flags = [False] * len(flags)
    key = key_of(op, op.operands), clear_of(op) is None, *flags
    if key not in c.program.shared:
        name = f"{PRODUCT_PREFIX}{c.function}.{len(c.program.shared)}"
        c.program.shared[key] = name
        c.program.added.append(product_function(c, op, name, flags))
    code = c.build.call(c.program.shared[key], (c.call, *c.all_parts(op.operands)), i64)
    assert code is not None
    c.fail_unless(c.build.compare("eq", code, c.build.integer(0)), code)


def on_this_thread(c: Conversion, op: GenericOp) -> None:
    """A product in a step of a parallel loop, whose versions have found it large enough."""
    c.library(abi.MULTIPLY_HERE, (slots_of(c, *sizes_of(c, op)),))


def product_function(c: Conversion, op: GenericOp, name: str, flags: Sequence[bool]) -> llvm.FuncOp:
    """The function of a kind of products."""
    types = [part for operand in op.operands for part in types_of(operand.type)]
    entry = Block(arg_types=[POINTER, *types])
    body = Region([entry])
    inner = Conversion(c.program, c.rules, entry, c.function, name)
    inner.bind_parts(op.operands, entry.args[1:])
    arrays, axes, extents = sizes_of(inner, op)
    build = inner.build
    by_library, alone, after = (build.new_block() for _ in range(3))
    build.branch_if(is_large(inner, extents), by_library, (), alone, ())
    build.block = alone
    with build.scope():
        in_loops(inner, op, arrays, axes, extents)
        build.branch(after)
    build.block = by_library
    with build.scope():
        call_library(inner, arrays, axes, extents)
        build.branch(after)
    build.block = after
    build.block.add_op(llvm.ReturnOp(build.integer(0)))
    return internal_function(name, body, [False, *flags])


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
    """Whether a loop clears the sums of a product: the library does so, and so do its loops."""
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


def is_worth_a_call(c: Conversion, extents: Sequence[SSAValue]) -> SSAValue:
    """Whether a product is large enough for a call."""
    build, work = c.build, extents[0]
    for extent in extents[1:]:
        work = build.product(work, extent)
    return build.compare("sge", work, build.integer(abi.LEAST_PRODUCT))


def is_large(c: Conversion, extents: Sequence[SSAValue]) -> SSAValue:
    """Whether a product is large enough for a call, and there is a library to call."""
    build, enough = c.build, is_worth_a_call(c, extents)
    caller = build.load(build.field(c.call, 2), i64)
    return build.add(
        llvm.AndOp, (enough, build.compare("ne", caller, build.integer(0))), enough.type
    )


def call_library(
    c: Conversion,
    arrays: Sequence[Memref],
    axes: Sequence[Sequence[int]],
    extents: Sequence[SSAValue],
) -> None:
    """Call the library of the host."""
    code = c.library(abi.MULTIPLY, (c.call, slots_of(c, arrays, axes, extents)), i64)
    assert code is not None
    c.fail_unless(c.build.compare("eq", code, c.build.integer(0)), code)


def slots_of(
    c: Conversion,
    arrays: Sequence[Memref],
    axes: Sequence[Sequence[int]],
    extents: Sequence[SSAValue],
) -> SSAValue:
    """The description of a product for the library: see `abi.PRODUCT`."""
    build = c.build
    words: list[SSAValue] = [build.integer(arrays[0].width), build.integer(len(extents)), *extents]
    for array, dims in zip(arrays, axes, strict=True):
        strides = dict(zip(dims, strides_of(c, array), strict=True))
        words.append(array.pointer)
        words += [strides.get(dim) or build.integer(0) for dim in range(len(extents))]
    slots = build.words(len(words))
    for number, word in enumerate(words):
        build.store(word, build.field(slots, number))
    return slots


def in_loops(
    c: Conversion,
    op: GenericOp,
    arrays: Sequence[Memref],
    axes: Sequence[Sequence[int]],
    extents: Sequence[SSAValue],
) -> None:
    """Loops over all dimensions, the columns innermost: their elements are next to each other."""
    build, count = c.build, len(extents)
    order = [*range(count - 2), count - 1, count - 2]
    zero, one = build.integer(0), build.integer(1)
    if clear_of(op) is not None:
        clear(c, arrays[2])

    def step(values: Sequence[SSAValue]) -> None:
        at = dict(zip(order, values, strict=True))
        places = [
            address(c, array, [at[dim] for dim in dims])
            for array, dims in zip(arrays, axes, strict=True)
        ]
        left, right, total = (build.load(place, arrays[0].storage) for place in places)
        term = build.add(llvm.FMulOp, (left, right), left.type)
        build.store(build.add(llvm.FAddOp, (total, term), left.type), places[2])

    loops(c, [(zero, extents[dim], one) for dim in order], step)


def clear(c: Conversion, array: Memref) -> None:
    """Set all elements of an array to zero."""
    build = c.build
    zero, one = build.integer(0), build.integer(1)
    assert isinstance(array.storage, Float32Type | Float64Type)
    value = build.constant(FloatAttr(0.0, array.storage), array.storage)

    def step(at: Sequence[SSAValue]) -> None:
        build.store(value, address(c, array, at))

    loops(c, [(zero, size, one) for size in array.sizes], step)


RULES: dict[type[Operation], Rule] = {GenericOp: product}
