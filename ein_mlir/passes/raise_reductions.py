"""``raise-reductions``: folds that are reductions become named reductions."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.free_indices import FreeIndices
from ein_mlir.analysis.memory_cost import may_materialise
from ein_mlir.analysis.notes import Note, name_of, names_of, no_note
from ein_mlir.analysis.speculation import may_fail
from ein_mlir.dialects import phi
from ein_mlir.dialects.reductions import REDUCTIONS, identity


def reduction(op: phi.FoldOp) -> tuple[type[Operation], SSAValue] | None:
    """``acc + e`` or ``e + acc``, where only the sum reads the accumulator, as (+, e).

    An accumulator that a step reads twice is no reduction.
    """
    combine = op.yielded().owner
    if not isinstance(combine, Operation) or combine.name not in REDUCTIONS:
        return None
    if not op.accumulator.has_one_use() or not combine.results[0].has_one_use():
        return None
    if op.accumulator not in combine.operands:
        return None
    lhs, rhs = combine.operands
    return type(combine), rhs if lhs is op.accumulator else lhs


def raise_fold(op: phi.FoldOp, free: FreeIndices, note: Note) -> None:
    """``fold (k < n, acc = x) { acc + e }  -->  x + reduce (array (k < n) { e }) by { + }``"""
    loop = f"the fold over {name_of(op.counter)} is a loop"
    found = reduction(op)
    if found is None:
        note(op, f"{loop}: a step needs the one before it, and is no sum, product, minimum, ...")
        return
    combine, summand = found
    neutral = identity(combine.name, op.result.type)
    if neutral is None:
        note(op, f"{loop}: libraries do not reduce '{op.result.type}' by {combine.name}")
    elif any(may_fail(inner) for inner in op.body.walk()):
        note(op, f"{loop}: a step may raise an error, which must not happen in a fold of no steps")
    elif not may_materialise(op, summand, combine, free):
        axes = names_of({op.counter, *free.of(summand)})
        note(op, f"{loop}: an array over {axes} would be larger than what is read")
    else:
        note(op, f"the fold over {name_of(op.counter)} is a reduction by {combine.name}")
        free.inherit(_replace(op, combine, summand, arith.ConstantOp(neutral)), op.result)
        op.detach()
        op.erase()


def _replace(
    op: phi.FoldOp, combine: type[Operation], summand: SSAValue, neutral: arith.ConstantOp
) -> SSAValue:
    old = op.yielded().owner
    terminator = op.body.block.last_op
    assert isinstance(old, Operation)
    assert terminator is not None
    Rewriter.erase_op(terminator)
    Rewriter.erase_op(old)
    body = Block(arg_types=(IndexType(),))
    body.args[0].name_hint = op.counter.name_hint
    cast = arith.IndexCastOp(body.args[0], op.counter.type)
    cast.result.name_hint = op.counter.name_hint
    body.add_op(cast)
    op.counter.replace_all_uses_with(cast.result)
    for inner in list(op.body.block.ops):
        inner.detach()
        body.add_op(inner)
    body.add_op(phi.YieldOp(summand))
    elements = phi.ArrayOp([op.count], Region(body))
    by = Block(arg_types=(summand.type, summand.type))
    by.add_op(
        combined := combine.create(
            operands=list(by.args), result_types=[summand.type], properties=dict(old.properties)
        )
    )
    by.add_op(phi.YieldOp(combined.results[0]))
    total = phi.ReduceOp(elements, neutral, Region(by))
    new: list[Operation] = [elements, neutral, total]
    init = op.init.owner
    if not (isinstance(init, arith.ConstantOp) and init.value == neutral.value):
        new.append(
            combine.create(
                operands=[op.init, total.result],
                result_types=[summand.type],
                properties=dict(old.properties),
            )
        )
    for created in new:
        created.location = op.location
    result = new[-1].results[0]
    result.name_hint = op.result.name_hint
    Rewriter.insert_op(new, InsertPoint.before(op))
    op.result.replace_all_uses_with(result)
    return result


def raise_reductions(module: Operation, note: Note = no_note) -> None:
    """Raise the folds of a module, innermost first; ``note`` is told what became of each."""
    free = FreeIndices(module)
    folds = [op for op in module.walk() if isinstance(op, phi.FoldOp)]
    for op in reversed(folds):
        raise_fold(op, free, note)


class RaiseReductionsPass(ModulePass):
    """Turns folds that add, multiply, take minima or maxima, or test, into reductions.

    Before::

        %s = phi.fold (%k < %n, %acc = %x) -> f64 {
          %v = phi.get %a[%k] : !phi.vec<f64>[i64]
          %next = arith.addf %acc, %v : f64
          phi.yield %next : f64
        }

    After::

        %0 = phi.array (%k < %n) -> !phi.vec<f64> {
          %k_1 = arith.index_cast %k : index to i64
          %v = phi.get %a[%k_1] : !phi.vec<f64>[i64]
          phi.yield %v : f64
        }
        %zero = arith.constant 0.0 : f64
        %1 = phi.reduce %0 identity %zero by { arith.addf } -> f64
        %s = arith.addf %x, %1 : f64

    A fold stays a loop where the array would need more memory than the loop does; the rule is in
    ``ein_mlir.analysis.memory_cost``.
    """

    name = "raise-reductions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        raise_reductions(op)
