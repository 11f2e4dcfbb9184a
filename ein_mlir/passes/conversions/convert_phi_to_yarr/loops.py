"""Rules for folds and reductions: accumulators have every axis that a step introduces.

::

    A[fold k[n] init x = a by e] = <axes, fold k[N] init X = align(A) by align(E)>

where the axes are the free indices of ``a`` and ``e`` (a fixpoint over the data flow), which are
computed beforehand, so that the body is translated once.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import i64
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.utils.exceptions import PassFailedException

from ein_mlir.analysis.diagnostics import index_name, where_written
from ein_mlir.analysis.phi.free_indices import leaf_types
from ein_mlir.analysis.phi.neutral_elements import has_identity
from ein_mlir.dialects import phi, yarr
from ein_mlir.dialects.algebra import identity
from ein_mlir.dialects.assembly import single_operation
from ein_mlir.dialects.creation import copy_of
from ein_mlir.dialects.reductions import WEIGHTS, is_reduction
from ein_mlir.passes.conversions.convert_phi_to_yarr.arrays import checked_size
from ein_mlir.passes.conversions.convert_phi_to_yarr.axial import (
    Axial,
    Index,
    bundle,
    leaves,
    union,
)
from ein_mlir.passes.conversions.convert_phi_to_yarr.conversion import Conversion


def fold(conversion: Conversion, op: phi.FoldOp) -> None:
    """``A[fold k[n] init x = a by e] = <axes, fold k[N] init X = align(A) by align(E)>``"""
    if op.irregular is not None:
        raise PassFailedException(
            f"convert-phi-to-yarr: the count of {index_name(op.counter)} is irregular, but whole "
            f"arrays take each step together{where_written(op)}"
        )
    count = checked_size(conversion, op.count, op.counter, op)
    type_ = op.result.type
    axes = [conversion.axes_of(op.accumulator, leaf) for leaf in range(len(leaf_types(type_)))]
    inits = conversion.align_all_fully(conversion.value(op.init), axes)
    body = Block(arg_types=[yarr.SIZE_TYPE, *(init.type for init in inits)])
    body.args[0].name_hint = op.counter.name_hint
    for argument in body.args[1:]:
        argument.name_hint = op.accumulator.name_hint
    conversion.bind(op.counter, Axial((), body.args[0]))
    conversion.bind(op.accumulator, bundle(type_, axes, body.args[1:]))
    with conversion.emitting_into(body):
        conversion.block(op.body.block)
        step = conversion.align_all_fully(conversion.value(op.yielded()), axes)
        conversion.emit(yarr.YieldOp(*step), op)
    result = conversion.emit(yarr.FoldOp(count, inits, Region(body)), op)
    for value in result.res:
        value.name_hint = op.result.name_hint
    conversion.bind(op.result, bundle(type_, axes, result.res))


def reduce(conversion: Conversion, op: phi.ReduceOp) -> None:
    """Emit a reduction of the libraries, or a logarithmic number of whole-array steps."""
    single = single_operation(op.body)
    if single is not None and is_reduction(single.name, op.result.type):
        _known_reduction(conversion, op, single)
    else:
        _tree_reduction(conversion, op)


def scan(conversion: Conversion, op: phi.ScanOp) -> None:
    """All prefixes of V along its first own dimension, where ``A[v] = <axes, V>``."""
    vec = conversion.axial(op.vec)
    scanned = yarr.ScanOp(op.kind.data, vec.value, len(vec.axes), suffixes=op.suffixes is not None)
    conversion.bind(op.result, Axial(vec.axes, conversion.emit(scanned, op).result))


def weighted_scan(conversion: Conversion, op: phi.WeightedScanOp) -> None:
    """All prefixes of V along its first own dimension, aligned with the weights W.

    Of Ints, ``y[j] = max(y[j - 1] + w[j], x[j])`` is ``max_{k <= j} (x[k] - t[k]) + t[j]``, where
    ``t`` are the totals of the weights: they do not wrap.
    """
    is_vec = isinstance(op.weights.type, phi.VecType)
    vec = conversion.axial(op.vec)
    found = conversion.over_positions(op.vec, op.weights) if is_vec else None
    weights = found or conversion.axial(op.weights)
    axes, axis = union([vec.axes, weights.axes]), len(union([vec.axes, weights.axes]))
    array, aligned = conversion.align_fully(vec, axes), conversion.align(weights, axes)
    if not is_vec:
        aligned = conversion.emit(yarr.UnsqueezeOp(aligned, [axis])).result
    if yarr.element_of(aligned) != i64 or WEIGHTS[op.kind.data] != "add":
        new = yarr.WeightedScanOp(op.kind.data, array, aligned, axis)
        conversion.bind(op.result, Axial(axes, conversion.emit(new, op).result))
        return
    if is_vec:
        totals = conversion.emit(yarr.ScanOp("add", aligned, axis, inclusive=True)).result
    else:
        size = conversion.emit(yarr.SizeOp(array, axis)).result
        steps = conversion.emit(yarr.RangeOp(size)).result
        if axes:
            steps = conversion.emit(yarr.UnsqueezeOp(steps, list(range(axis)))).result
        totals = conversion.combined(steps, "*", aligned)
    rest = conversion.combined(array, "-", totals)
    scanned = conversion.emit(yarr.ScanOp(op.kind.data, rest, axis, inclusive=True), op).result
    conversion.bind(op.result, Axial(axes, conversion.combined(scanned, "+", totals)))


def propagate_nan(conversion: Conversion, op: phi.PropagateNanOp) -> None:
    """NaN from other elements along the first own dimension of V, aligned with W."""
    vec, others = conversion.axial(op.vec), conversion.over_positions(op.vec, op.others)
    axes = union([vec.axes, others.axes])
    array = conversion.align_fully(vec, axes)
    new = yarr.PropagateNanOp(array, conversion.align(others, axes), len(axes))
    conversion.bind(op.result, Axial(axes, conversion.emit(new, op).result))


def _known_reduction(conversion: Conversion, op: phi.ReduceOp, combine: Operation) -> None:
    """``A[reduce v id s] = <axes, s(ID, reduce_s(V, |axes|))>``

    The identity is combined once: a true identity has no effect, and the result for an empty vector
    is right.
    """
    vec, identity = conversion.axial(op.vec), conversion.axial(op.identity)
    reduced = Axial(
        vec.axes,
        conversion.emit(yarr.ReduceOp(vec.value, [len(vec.axes)], type(combine)), op).result,
    )
    if is_neutral(combine.name, op.identity):
        conversion.bind(op.result, reduced)
        return
    axes = union([identity.axes, reduced.axes])
    block = Block(arg_types=[arg.type for arg in combine.operands])
    block.add_op(body := copy_of(combine, dict(zip(combine.operands, block.args, strict=True))))
    block.add_op(yarr.YieldOp(*body.results))
    arguments = [conversion.align(side, axes) for side in (identity, reduced)]
    combined = conversion.emit(yarr.ElementwiseOp(arguments, Region(block)), op)
    conversion.bind(op.result, Axial(axes, combined.result))


def argreduce(conversion: Conversion, op: phi.ArgreduceOp) -> None:
    """``A[argreduce v by p] = <axes, argreduce_p(V, |axes|)>`` where ``A[v] = <axes, V>``"""
    vec = conversion.axial(op.vec)
    found = yarr.ArgreduceOp(vec.value, len(vec.axes), op.predicate.data)
    conversion.bind(op.result, Axial(vec.axes, conversion.emit(found, op).result))


def argsort(conversion: Conversion, op: phi.ArgsortOp) -> None:
    """``A[phi.argsort v] = <axes, yarr.argsort V, |axes|>`` where ``A[v] = <axes, V>``"""
    vec = conversion.axial(op.vec)
    order = conversion.emit(yarr.ArgsortOp(vec.value, len(vec.axes)), op)
    conversion.bind(op.result, Axial(vec.axes, order.result))


def sort(conversion: Conversion, op: phi.SortOp) -> None:
    """``A[phi.sort v] = <axes, yarr.sort V, |axes|>`` where ``A[v] = <axes, V>``"""
    vec = conversion.axial(op.vec)
    found = conversion.emit(yarr.SortOp(vec.value, len(vec.axes)), op)
    conversion.bind(op.result, Axial(vec.axes, found.result))


def searchsorted(conversion: Conversion, op: phi.SearchsortedOp) -> None:
    """The axes of V come first: ``A[phi.searchsorted v, x] = <axes, yarr.searchsorted V, X>``."""
    vec, value = conversion.axial(op.vec), conversion.axial(op.value)
    axes = [*vec.axes, *(axis for axis in value.axes if axis not in vec.axes)]
    values = conversion.align_fully(value, axes)
    found = yarr.SearchsortedOp(vec.value, values, right=op.right is not None)
    conversion.bind(op.result, Axial(tuple(axes), conversion.emit(found, op).result))


def top_k(conversion: Conversion, op: phi.TopKOp) -> None:
    """``A[top_k v, n by p] = <axes, top_k_p(V, |axes|, N)>`` where ``A[v] = <axes, V>``"""
    vec = conversion.axial(op.vec)
    count = checked_size(conversion, op.count, op.result, op)
    found = yarr.TopKOp(vec.value, len(vec.axes), count, op.predicate.data)
    conversion.bind(op.result, Axial(vec.axes, conversion.emit(found, op).result))


def _tree_reduction(conversion: Conversion, op: phi.ReduceOp) -> None:
    """Combine neighbours in pairs, all pairs at once: the pairs are an axis of the body.

    The identity is combined once, as the first element, unless it provably has no effect.
    """
    type_ = op.identity.type
    fields = range(len(leaf_types(type_)))
    axes = [conversion.axes_of(op.result, leaf) for leaf in fields]
    arrays = [
        _vector_first(conversion, vec, group)
        for vec, group in zip(leaves(conversion.value(op.vec)), axes, strict=True)
    ]
    identities = conversion.align_all_fully(conversion.value(op.identity), axes)
    if not has_identity(op):
        arrays = [_prepended(conversion, *pair) for pair in zip(identities, arrays, strict=True)]
    body = Block(arg_types=[array.type for array in (*arrays, *arrays)])
    with conversion.emitting_into(body):
        pairs = conversion.emit(yarr.SizeOp(body.args[0], 0)).result
        pair = conversion.new_index(pairs, None, outermost=True)
        groups = [(pair, *group) for group in axes]
        for variable, values in zip(
            op.body.block.args,
            (body.args[: len(fields)], body.args[len(fields) :]),
            strict=True,
        ):
            for value in values:
                value.name_hint = variable.name_hint
            conversion.bind(variable, bundle(type_, groups, values))
        conversion.pairs.append(pair)
        conversion.block(op.body.block)
        conversion.pairs.pop()
        step = conversion.align_all_fully(conversion.value(op.yielded()), groups)
        conversion.emit(yarr.YieldOp(*step), op)
    result = conversion.emit(yarr.TreeReduceOp(arrays, identities, Region(body)), op)
    conversion.bind(op.result, bundle(type_, axes, result.res))


def _prepended(conversion: Conversion, first: SSAValue, rest: SSAValue) -> SSAValue:
    """An array with another element before the others of its first axis."""
    row = conversion.emit(yarr.UnsqueezeOp(first, [0])).result
    return conversion.emit(yarr.ConcatOp([row, rest], 0)).result


def _vector_first(conversion: Conversion, vec: Axial, axes: Sequence[Index]) -> SSAValue:
    """The value of a vector: the reduced dimension, then the axes, then the other dimensions."""
    value, rank = conversion.align_fully(vec, axes), len(axes)
    rest = range(rank + 1, yarr.rank_of(value))
    return conversion.transpose(value, [rank, *range(rank), *rest])


def is_neutral(combine: str, value: SSAValue) -> bool:
    """Whether a value is provably the identity of an operation."""
    op = value.owner
    return isinstance(op, arith.ConstantOp) and op.value == identity(combine, value.type)
