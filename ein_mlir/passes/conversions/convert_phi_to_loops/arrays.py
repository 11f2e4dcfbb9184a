"""Rules for comprehensions, sizes, concatenation, records, assertions, choices and calls."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.utils.exceptions import PassFailedException

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.diagnostics import where_written
from ein_mlir.analysis.phi.free_indices import fields_at, leaf_types
from ein_mlir.analysis.phi.replaced_rows import is_replaced
from ein_mlir.analysis.phi.size_equivalence import Term
from ein_mlir.dialects import phi
from ein_mlir.passes.conversions.convert_phi_to_loops.conversion import Conversion
from ein_mlir.passes.conversions.convert_phi_to_loops.digits import comprehend
from ein_mlir.passes.conversions.convert_phi_to_loops.values import (
    Array,
    Leaf,
    loop_types,
)


def array(conversion: Conversion, op: phi.ArrayOp) -> None:
    """A loop over the indices that writes each element where it belongs, if any is read."""
    sizes = conversion.loop_sizes(op)
    conversion.check_before(op)
    if conversion.defer(op, sizes):
        return
    element, block = op.yielded(), op.body.block
    targets = [
        _target(conversion, op, leaf, type_, sizes)
        for leaf, type_ in enumerate(leaf_types(element.type))
    ]

    if is_replaced(op, conversion.sizes):
        for target in targets:
            target.buffer.is_undefined = target.is_whole
        conversion.bind(op.result, targets)
        return

    def body(at: Sequence[SSAValue]) -> None:
        for index, place in zip(op.indices, at, strict=True):
            conversion.bind(index, [place])
        parts = [target.at(at) for target in targets]
        conversion.direct(
            element, block, {n: lambda part=part: part for n, part in enumerate(parts)}
        )
        conversion.block(block)
        for leaf, part in zip(conversion.leaves(element), parts, strict=True):
            conversion.put(leaf, part)

    comprehend(conversion, op, sizes, body)
    conversion.bind(op.result, targets)


def _target(
    conversion: Conversion,
    op: phi.ArrayOp,
    leaf: int,
    type_: Attribute,
    sizes: Sequence[SSAValue],
) -> Array:
    """The memory of a field of a comprehension, or of the array that it overwrites."""
    element = op.yielded()
    if (old := _overwritten(conversion, op, leaf)) is not None:
        return old
    inner = [conversion.size_of(element, leaf, axis) for axis in range(phi.rank_of(type_))]
    return conversion.target(op.result, leaf, phi.scalar_of(type_), [*sizes, *inner])


def _overwritten(conversion: Conversion, op: phi.ArrayOp, leaf: int) -> Array | None:
    """The array that a leaf of a comprehension overwrites, if there is one."""
    source = conversion.source_of(op, leaf)
    if source is None:
        return None
    (array,) = conversion.leaves(source)
    assert isinstance(array, Array)
    return array if array.own else None


def size(conversion: Conversion, op: phi.SizeOp) -> None:
    """The size of the buffer along the axis, or of the index if the array is not stored."""
    found = conversion.sizes_of(op.array)[op.axis.value.data]
    conversion.bind(op.result, [conversion.cast(found, op.result.type)])


def concat(conversion: Conversion, op: phi.ConcatOp) -> None:
    """A copy of the first part, and a copy of the second at a distance."""
    results = list[Leaf]()
    for leaf, (first, second) in enumerate(
        zip(conversion.leaves(op.lhs), conversion.leaves(op.rhs), strict=True)
    ):
        assert isinstance(first, Array)
        assert isinstance(second, Array)
        check_rows(conversion, op, op.lhs, op.rhs, "concat", (first, second))
        total = conversion.value_of(arith.AddiOp(first.sizes[0], second.sizes[0]))
        target = conversion.target(op.result, leaf, first.element, [total, *first.sizes[1:]])
        conversion.copy(first, target)
        _copy_behind(conversion, second, target, first.sizes[0])
        results.append(target)
    conversion.bind(op.result, results)


def _copy_behind(conversion: Conversion, source: Array, target: Array, start: SSAValue) -> None:
    """Copy the elements of an array to the positions from a start on."""

    def element(at: Sequence[SSAValue]) -> None:
        place = conversion.value_of(arith.AddiOp(start, at[0]))
        conversion.store(conversion.load(source.at(at)), target.at([place, *at[1:]]))

    conversion.parallel(list(source.sizes), element)


def check_rows(
    conversion: Conversion,
    op: Operation,
    lhs: SSAValue,
    rhs: SSAValue,
    name: str,
    arrays: tuple[Array, Array],
) -> None:
    """Assert that the rows of two arrays have equal sizes."""
    for axis in range(1, len(arrays[0].sizes)):
        if not conversion.sizes.same(Term(lhs, (), axis), Term(rhs, (), axis), op):
            message = f"{name}: sizes along axis {axis} differ"
            conversion.check_equal(arrays[0].sizes[axis], arrays[1].sizes[axis], message)


def tuple_(conversion: Conversion, op: phi.TupleOp) -> None:
    """A record is the values of its fields."""
    conversion.bind(op.result, [leaf for each in op.fields for leaf in conversion.leaves(each)])


def proj(conversion: Conversion, op: phi.ProjOp) -> None:
    """A field of a record."""
    if conversion.is_deferred(op.record):
        return
    fields = fields_at(op.record.type, (op.field.value.data,))
    conversion.bind(op.result, conversion.leaves(op.record)[fields.start : fields.stop])


def assert_eq(conversion: Conversion, op: phi.AssertEqOp) -> None:
    """An assertion that two Ints are equal: to the constant, if one of them is."""
    lhs, rhs = conversion.scalar(op.lhs), conversion.scalar(op.rhs)
    conversion.check_equal(lhs, rhs, op.message.data)
    conversion.bind(op.result, [lhs if known_int(rhs) is None else rhs])


def select(conversion: Conversion, op: arith.SelectOp) -> None:
    """A scalar of two, or a copy of one of two arrays, for each field."""
    condition = conversion.scalar(op.cond)
    results = list[Leaf]()
    branches = zip(conversion.leaves(op.lhs), conversion.leaves(op.rhs), strict=True)
    for leaf, (lhs, rhs) in enumerate(branches):
        if isinstance(lhs, Array) and isinstance(rhs, Array):
            results.append(_selected(conversion, op, leaf, condition, (lhs, rhs)))
        else:
            assert isinstance(lhs, SSAValue)
            assert isinstance(rhs, SSAValue)
            chosen = arith.SelectOp(condition, lhs, rhs)
            results.append(conversion.emit(chosen, op if len(op.results) == 1 else None).result)
    conversion.bind(op.result, results)


def _selected(
    conversion: Conversion,
    op: arith.SelectOp,
    leaf: int,
    condition: SSAValue,
    branches: tuple[Array, Array],
) -> Array:
    """The array that a condition selects."""
    lhs, rhs = branches
    for axis, (m, n) in enumerate(zip(lhs.sizes, rhs.sizes, strict=True)):
        if not conversion.sizes.same(Term(op.lhs, (), axis), Term(op.rhs, (), axis), op):
            conversion.check_equal(m, n, f"select: sizes along axis {axis} differ")
    target = conversion.target(op.result, leaf, lhs.element, lhs.sizes)
    conversion.choose(
        condition, lambda: conversion.copy(lhs, target), lambda: conversion.copy(rhs, target)
    )
    return target


# Calls ------------------------------------------------------------------------------------------


def extern(conversion: Conversion, op: phi.ExternOp) -> None:
    """A call of an external function on whole arrays; it allocates its results."""
    arguments = [
        _whole(conversion, leaf) if isinstance(leaf, Array) else leaf
        for each in op.arguments
        for leaf in conversion.leaves(each)
    ]
    types = loop_types(op.result.type)
    inputs = [argument.type for argument in arguments]
    callee = _declare(conversion, op.callee.root_reference.data, inputs, types)
    call = conversion.emit(func.CallOp(callee, arguments, types), op)
    results = list[Leaf]()
    for result, type_ in zip(call.results, leaf_types(op.result.type), strict=True):
        is_array = isinstance(type_, phi.VecType)
        results.append(conversion.adopt(result) if is_array else result)
    conversion.bind(op.result, results)


def _whole(conversion: Conversion, array: Array) -> SSAValue:
    """An array as a buffer: a part is copied."""
    return (array if array.is_whole else conversion.copied(array)).buffer.memref


def _declare(
    conversion: Conversion, name: str, inputs: Sequence[Attribute], results: Sequence[Attribute]
) -> str:
    """Declare an external function, once for each signature; return its symbol."""
    module = conversion.function.parent_op()
    assert isinstance(module, ModuleOp)
    type_ = FunctionType.from_lists(inputs, results)
    known = {op.sym_name.data: op for op in module.ops if isinstance(op, func.FuncOp)}
    symbol, number = name, 1
    while symbol in known and known[symbol].function_type != type_:
        symbol, number = f"{name}.{number}", number + 1
    if symbol not in known:
        declaration = func.FuncOp(symbol, type_, Region(), visibility="private")
        module.body.block.add_op(declaration)
    return symbol


def call(conversion: Conversion, op: Operation) -> None:
    """Reject a call: calls are inlined before the translation."""
    raise PassFailedException(
        "func.call: run inline-calls before convert-phi-to-loops" + where_written(op)
    )
