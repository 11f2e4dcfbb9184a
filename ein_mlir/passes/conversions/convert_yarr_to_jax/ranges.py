"""Arithmetic on ranges, along the axis of the arrays that read it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects import arith, func
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.scopes import operations_in
from ein_mlir.dialects import yarr


def align_ranges(function: func.FuncOp) -> None:
    """``(x * i)[:, None]`` --> ``x * i[:, None]``, where nothing else reads the product.

    XLA makes the same arithmetic on two equal ranges one vector. A loop over a square that reads it
    along both axes then calls a function for each element, and is not vectorised: rotated positions
    take up to 5 times as long. What depends on sizes alone is computed before the program runs, or
    is what arithmetic with a number of the program reads.
    """
    operations = list(operations_in(function))
    known, derived = _known(operations), _derived(operations)
    aligned = set[SSAValue]()
    for op in reversed(operations):
        if isinstance(op, yarr.ElementwiseOp) and op.result in derived:
            axes = _added_axes(op.result)
            if axes and (op.result not in known or op.result in aligned):
                aligned.update(op.arguments)
                _align(op, axes)


def _known(operations: Iterable[Operation]) -> set[SSAValue]:
    """The values that depend on sizes alone."""
    known = set[SSAValue]()
    for op in operations:
        is_function = isinstance(op, yarr.ElementwiseOp | yarr.UnsqueezeOp)
        is_known = is_function and known.issuperset(op.operands)
        if is_known or isinstance(op, yarr.SizeOp | yarr.RangeOp | arith.ConstantOp):
            known.update(op.results)
    return known


def _derived(operations: Iterable[Operation]) -> set[SSAValue]:
    """The Floats that are arithmetic of ranges and numbers."""
    derived = set[SSAValue]()
    for op in operations:
        if isinstance(op, yarr.ElementwiseOp) and _is_arithmetic(op):
            vectors = [x for x in op.arguments if set(yarr.shape_of(x)) != {1}]
            if vectors and all(isinstance(x.owner, yarr.RangeOp) or x in derived for x in vectors):
                derived.add(op.result)
    return derived


def _is_arithmetic(op: yarr.ElementwiseOp) -> bool:
    kinds = (arith.AddfOp, arith.SubfOp, arith.MulfOp, arith.SIToFPOp, yarr.YieldOp)
    return all(isinstance(inner, kinds) for inner in op.body.block.ops)


def _added_axes(value: SSAValue) -> Sequence[int]:
    """The axes that all users add to a value; none if they add others, or read it as it is."""
    users = [use.operation for use in value.uses]
    added = {user.axes if isinstance(user, yarr.UnsqueezeOp) else () for user in users}
    return added.pop() if len(added) == 1 else ()


def _align(op: yarr.ElementwiseOp, axes: Sequence[int]) -> None:
    arguments = [yarr.UnsqueezeOp(argument, axes) for argument in op.arguments]
    aligned = yarr.ElementwiseOp(arguments, op.detach_region(op.body))
    Rewriter.insert_op([*arguments, aligned], InsertPoint.before(op))
    for user in [use.operation for use in op.result.uses]:
        Rewriter.replace_op(user, [], [aligned.result])
    Rewriter.erase_op(op)
