"""Linearisation: the derivative of a program at a point, as a program that is linear in tangents.

A value has a tangent for each of its leaves, the fields of a (nested) record; that of an Int, a
Bool, or a value that does not depend on a parameter is None, which is zero. An operation gets a
linear operation next to it. Both share everything else: the bodies of linear loops compute again
the values of the original bodies that they need, and `erase_unused` removes the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects import arith, func
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.phi.element_cost import is_function
from ein_mlir.analysis.phi.free_indices import leaf_paths, leaf_types
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence
from ein_mlir.analysis.scopes import is_within
from ein_mlir.dialects import phi
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.phi.derivatives.accumulations import accumulate
from ein_mlir.rewriting.phi.derivatives.extrinsics import extern
from ein_mlir.rewriting.phi.derivatives.folds import fold
from ein_mlir.rewriting.phi.derivatives.scalars import DERIVATIVES, tangent_of
from ein_mlir.rewriting.phi.derivatives.searches import (
    deviation,
    is_deviation,
    is_running,
    is_stabilizer,
    running,
)
from ein_mlir.rewriting.phi.derivatives.tangents import (
    Linearization,
    NoDerivativeError,
    Rule,
    at_end,
    cloned,
    is_differentiable,
    linear_body,
    of_size,
    set_yielded,
    spread,
    yielded_value,
    zeros,
)
from ein_mlir.rewriting.phi.derivatives.unit_tangents import select_elements
from ein_mlir.rewriting.phi.insertion import Builder, Inserter


def _rule(op: Operation) -> Rule:
    rule = _nothing if is_stabilizer(op) else RULES.get(type(op))
    if is_deviation(op):
        return deviation
    if rule is None and op.name in DERIVATIVES:
        return running if is_running(op) else _scalar
    if rule is None and not any(
        is_differentiable(leaf) for result in op.results for leaf in leaf_types(result.type)
    ):
        return _nothing
    if rule is None:
        raise NoDerivativeError(op, "it has no derivative")
    return rule


def _nothing(_: Linearization, op: Operation, build: Inserter) -> None:
    """Ints and Bools have no tangents, and those of stabilizers have no effect."""


def _scalar(lin: Linearization, op: Operation, build: Inserter) -> None:
    """The table: ``sin x  -->  dx * cos x``"""
    tangents = [lin.of(operand)[0] for operand in op.operands]
    lin.define(op.results[0], (tangent_of(build, op, tangents),))


_LINEAR: Mapping[type[Operation], Sequence[int]] = {
    arith.SelectOp: (1, 2),
    phi.ConcatOp: (0, 1),
    phi.GetOp: (0,),
    phi.UpdateOp: (0, -1),
}
"""Operations that are linear in some operands, by the numbers of these."""


def _linear(lin: Linearization, op: Operation, build: Inserter) -> None:
    """The same operation on tangents: ``a[p]  -->  da[p]``, ``concat a, b  -->  concat da, db``

    Of records leaf by leaf: ``select c, x, y  -->  select c, dx, dy``
    """
    numbers, found = _LINEAR[type(op)], list[SSAValue | None]()
    given = zip(*(lin.of(op.operands[k]) for k in numbers), strict=True)
    leaves = zip(*(build.leaves(op.operands[k]) for k in numbers), strict=True)
    for tangents, likes, type_ in zip(given, leaves, leaf_types(op.results[0].type), strict=True):
        if not any(tangents):
            found.append(None)
            continue
        operands = list(op.operands)
        for k, tangent, like in zip(numbers, tangents, likes, strict=True):
            operands[k] = tangent or zeros(build, like)
        same = op.create(operands=operands, result_types=[type_], properties=op.properties)
        found.append(build.emit(same))
    lin.define(op.results[0], found)


def _sort(lin: Linearization, op: phi.SortOp, build: Inserter) -> None:
    """``sort a  -->  array (i < size a) { da[(argsort a)[i]] }``"""
    (tangent,) = lin.of(op.vec)
    if tangent is None:
        return
    order = build.emit(phi.ArgsortOp(op.vec))
    size = build.size(op.vec, 0)

    def element(inner: Inserter, indices: Sequence[SSAValue]) -> SSAValue:
        return inner.get(tangent, [inner.get(order, indices)])

    lin.define(op.result, (build.comprehension([size], element),))


def _scan(lin: Linearization, op: phi.ScanOp, build: Inserter) -> None:
    """``scan "add" a  -->  scan "add" da``"""
    (tangent,) = lin.of(op.vec)
    if tangent is None:
        return
    assert op.kind.data == "add"  # Others are folds: see `linearize`.
    is_suffix = op.suffixes is not None
    lin.define(op.result, (build.scan("add", tangent, suffixes=is_suffix),))


def _tuple(lin: Linearization, op: Operation, build: Inserter) -> None:
    lin.define(op.results[0], [each for operand in op.operands for each in lin.of(operand)])


def _proj(lin: Linearization, op: phi.ProjOp, build: Inserter) -> None:
    paths, number = leaf_paths(op.record.type), op.field.value.data
    tangents = zip(paths, lin.of(op.record), strict=True)
    lin.define(op.result, [tangent for path, tangent in tangents if path[0] == number])


def _array(lin: Linearization, op: phi.ArrayOp, build: Inserter) -> None:
    """``array (i < n) { e }  -->  array (i < n) { de }``"""
    tangents = linear_body(lin, op)
    if tangents is None:
        return
    values = at_end(op.body.block).leaves(op.yielded())
    kept = [(value, k) for k, value in enumerate(values) if _is_function_in(op, value)]
    given = [tangent for tangent in tangents if tangent is not None]
    body, copies = cloned(op.body, [*(value for value, _ in kept), *given])
    found = copies[len(kept) :]
    set_yielded(body.block, found)
    arrays = build.leaves(op.result)
    for copy, (_, k) in zip(copies, kept, strict=False):
        _read_element(copy, body.block, arrays[k])
    erase_unused(op.body.block)
    type_ = phi.struct_of_arrays(phi.vec_of(yielded_value(body.block).type, len(op.sizes)))
    result = build.emit(phi.ArrayOp(op.sizes, body, type_))
    spread(lin, op.result, tangents, build.unpacked(result, len(found)))


def _is_function_in(op: phi.ArrayOp, value: SSAValue) -> bool:
    """Whether an element is the value of a function that the body computes."""
    owner = value.owner
    return isinstance(owner, Operation) and is_within(value, op) and is_function(owner)


def _read_element(value: SSAValue, block: Block, array: SSAValue) -> None:
    """Let a value of a body be the element of an array that was computed before."""
    if value.first_use is not None:
        build = Builder.at_start(block)
        value.replace_all_uses_with(build.get(array, block.args))
        erase_unused(block)


RULES: dict[type[Operation], Rule] = {
    **dict.fromkeys(_LINEAR, _linear),
    phi.AccumulateOp: accumulate,
    phi.ArrayOp: _array,
    phi.ExternOp: extern,
    phi.FoldOp: fold,
    phi.ProjOp: _proj,
    phi.ScanOp: _scan,
    phi.SortOp: _sort,
    phi.TupleOp: _tuple,
    phi.WhileOp: fold,
}
"""The rules of operations that are not in the table of scalar operations."""


# Derivative operations ------------------------------------------------------------------------


def expand_jvp(op: phi.JvpOp, function: func.FuncOp) -> None:
    """Replace a ``phi.jvp`` by its body, and the linear operations after each of the body."""
    block, before = op.body.block, Builder.before(op)
    lin = Linearization(_rule, saves=False)
    pairs = zip(before.leaves(op.tangent), before.leaves(op.point), strict=True)
    given = [of_size(before, tangent, point, "tangent") for tangent, point in pairs]
    lin.define(op.parameter, [leaf if is_differentiable(leaf.type) else None for leaf in given])
    lin.block(block)
    value, tangents = op.yielded(), lin.of_yielded(block)
    end = at_end(block)
    leaves = end.leaves(value)
    found = [each or zeros(end, leaf) for each, leaf in zip(tangents, leaves, strict=True)]
    result = end.tuple([value, end.record(value.type, found)])
    sizes = SizeEquivalence(function)
    for tangent in given:
        select_elements(tangent, sizes)
    _replace(op, block, result)


def linearize_vjp(op: phi.VjpOp, checkpoint: int | None) -> None:
    """Replace a ``phi.vjp`` by its body, and a ``phi.transpose`` of its derivative."""
    block, end = op.body.block, at_end(op.body.block)
    likes = [leaf for leaf in end.leaves(op.point) if is_differentiable(leaf.type)]
    linear = Block(arg_types=[like.type for like in likes])
    for argument in linear.args:
        argument.name_hint = f"d{op.parameter.name_hint}" if op.parameter.name_hint else None
    lin, arguments = Linearization(_rule, saves=True, checkpoint=checkpoint), iter(linear.args)
    types = leaf_types(op.point.type)
    lin.define(op.parameter, [next(arguments) if is_differentiable(t) else None for t in types])
    lin.block(block, Builder.at_end(linear))
    value, end = op.yielded(), at_end(block)
    triples = zip(lin.of(value), end.leaves(op.cotangent), end.leaves(value), strict=True)
    found = [
        (tangent, of_size(end, leaf, result, "cotangent"))
        for tangent, leaf, result in triples
        if tangent is not None
    ]
    gradients = iter(_transposed(end, linear, likes, found))
    points = end.leaves(op.point)
    cotangents = [
        next(gradients) if is_differentiable(point.type) else zeros(end, point) for point in points
    ]
    result = end.insert(phi.TupleOp([value, end.record(op.point.type, cotangents)]))
    _replace(op, block, result.result)


def _transposed(
    build: Inserter,
    linear: Block,
    likes: Sequence[SSAValue],
    results: Sequence[tuple[SSAValue, SSAValue]],
) -> list[SSAValue]:
    """The cotangents of the arguments of a linear block, given those of its results."""
    if not results:
        return [zeros(build, like) for like in likes]
    tangents, cotangents = zip(*results, strict=True)
    inner = Builder.at_end(linear)
    inner.yield_(inner.packed(tangents))
    erase_unused(linear)
    op = build.insert(phi.TransposeOp(likes, build.packed(cotangents), Region(linear)))
    return [build.proj(op.result, k) for k in range(len(likes))]


def _replace(op: phi.JvpOp | phi.VjpOp, block: Block, result: SSAValue) -> None:
    """Replace a derivative by the operations of its body, with the point as its argument."""
    terminator = block.last_op
    assert terminator is not None
    Rewriter.erase_op(terminator)
    op.result.replace_all_uses_with(result)
    Rewriter.inline_block(block, InsertPoint.before(op), [op.point])
    Rewriter.erase_op(op)
