"""What the passes share that replace a fold by one operation on the array of its values."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.selections import Step, Test, is_neutral
from ein_mlir.dialects import phi


def comprehension_body(op: phi.FoldOp, parts: Sequence[SSAValue]) -> Block:
    """The operations that parts of a fold's step need, moved into the body of a comprehension."""
    body = Block(arg_types=(IndexType(),))
    body.args[0].name_hint = op.counter.name_hint
    for inner in slice_of(op.body.block, parts):
        inner.detach()
        body.add_op(inner)
    return body


def comprehension(op: phi.FoldOp, body: Block, element: SSAValue) -> phi.ArrayOp:
    """The comprehension of an element that a body computes, for each step of a fold.

    The body reads the index where it reads the counter of the fold, which may be the element, too.
    """
    body.add_op(phi.YieldOp(element))
    index, counter = body.args[0], op.counter
    cast = arith.IndexCastOp(index, counter.type)
    cast.result.name_hint = counter.name_hint
    Rewriter.insert_op(cast, InsertPoint.at_start(body))
    counter.replace_all_uses_with(cast.result)
    type_ = phi.struct_of_arrays(phi.vec_of(element.type))
    return phi.ArrayOp([op.count], Region(body), type_)


def selected_value(step: Step, tests: Sequence[Test], body: Block) -> SSAValue:
    """The value of a step, or the identity where one of some tests fails, at the end of a body."""
    value = step.value
    if not isinstance(value, SSAValue):
        body.add_op(literal := arith.ConstantOp(value))
        value = literal.result
    if tests:
        body.add_op(neutral := arith.ConstantOp(step.neutral))
        for test in tests:
            branches = (value, neutral) if test.expected else (neutral, value)
            body.add_op(select := arith.SelectOp(test.condition, *branches))
            value = select.result
    return value


def replace_fold(op: phi.FoldOp, step: Step, new: Sequence[Operation]) -> SSAValue:
    """Put operations in the place of a fold; the last one gives what its steps combine.

    ``fold (k < n, acc = x) { acc + e }  -->  x + new``. Returns the value that takes the place of
    the result; the fold is left without uses.
    """
    combined, combine = new[-1].results[0], step.combine
    operations = list(new)
    if not is_neutral(op.init, step.neutral):
        operations.append(
            type(combine).create(
                operands=[op.init, combined],
                result_types=[combined.type],
                properties=dict(combine.properties),
            )
        )
    for created in operations:
        created.location = op.location
    result = operations[-1].results[0]
    result.name_hint = op.result.name_hint
    Rewriter.insert_op(operations, InsertPoint.before(op))
    op.result.replace_all_uses_with(result)
    return result
