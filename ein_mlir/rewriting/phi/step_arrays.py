"""The values of all steps of a fold as one array, and the replacement of the fold."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.builder import Builder
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.selections import Step, Test, is_neutral
from ein_mlir.dialects import phi
from ein_mlir.rewriting.phi.builders import chosen, same_operation
from ein_mlir.rewriting.phi.replacement import insert_before, replace


def array_of_steps(op: phi.FoldOp, values: Sequence[SSAValue]) -> phi.ArrayOp:
    """``array (k < n) { (x, y) }`` of values in the body of a fold, which move into it."""
    body = body_of_steps(op, values)
    element = values[0]
    if len(values) > 1:
        body.add_op(record := phi.TupleOp(values))
        element = record.result
    return array_of_body(op, body, element)


def body_of_steps(op: phi.FoldOp, parts: Sequence[SSAValue]) -> Block:
    """The operations that parts of a step depend on, moved into the body of a comprehension."""
    body = Block(arg_types=(IndexType(),))
    body.args[0].name_hint = op.counter.name_hint
    for inner in slice_of(op.body.block, parts):
        inner.detach()
        body.add_op(inner)
    return body


def array_of_body(op: phi.FoldOp, body: Block, element: SSAValue) -> phi.ArrayOp:
    """The comprehension of an element that a body computes, for each step of a fold.

    The index replaces the counter of the fold, which may be the element, too.
    """
    finish_body(op, body, element)
    type_ = phi.struct_of_arrays(phi.vec_of(element.type))
    return phi.ArrayOp([op.count], Region(body), type_)


def finish_body(op: phi.FoldOp, body: Block, value: SSAValue) -> None:
    """Let a body yield a value; its first index replaces the counter of the fold."""
    body.add_op(phi.YieldOp(value))
    index, counter = body.args[0], op.counter
    cast = arith.IndexCastOp(index, counter.type)
    cast.result.name_hint = counter.name_hint
    Rewriter.insert_op(cast, InsertPoint.at_start(body))
    counter.replace_all_uses_with(cast.result)


def selected_value(step: Step, tests: Sequence[Test], body: Block) -> SSAValue:
    """The value of a step, or the identity if one of some tests fails, at the end of a body."""
    build, value = Builder(InsertPoint.at_end(body)), step.value
    if not isinstance(value, SSAValue):
        value = build.insert(arith.ConstantOp(value)).result
    if not tests:
        return value
    neutral = build.insert(arith.ConstantOp(step.neutral)).result
    return chosen(build, tests, value, neutral)


def replace_fold(op: phi.FoldOp, step: Step, new: Sequence[Operation], free: FreeIndices) -> None:
    """Replace a fold by operations; the last one returns the combination of its steps.

    ``fold (k < n, acc = x) { acc + e }  -->  x + new``
    """
    operations = list(new)
    if not is_neutral(op.init, step.neutral):
        operations.append(same_operation(step.combine, op.init, new[-1].results[0]))
    insert_before(op, operations)
    replace(op, operations[-1].results[0], free)
