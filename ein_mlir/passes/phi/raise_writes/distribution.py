"""A fold for each of the writes of a step."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.ir import Block, Operation, Region, SSAValue

from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.loops.summary import Part
from ein_mlir.analysis.phi.loops.writes import Write, last_write, writes_of
from ein_mlir.dialects import phi
from ein_mlir.rewriting.phi.builders import fold_body
from ein_mlir.rewriting.phi.insertion import Builder


def distributed(op: phi.FoldOp, order: Sequence[Part]) -> list[phi.FoldOp]:
    """``fold { v[p] := e; v[q] := f }  -->  fold { v[p] := e }; fold { v[q] := f }``

    The new folds are still outside of the program. Initial elements are read before them.
    """
    folds, init = list[phi.FoldOp](), op.init
    arrays = [op.accumulator, *(part.write.result for part in order)]
    for part in order:
        body, write = fold_body(op, op.result.type), part.write
        inner = Builder.at_end(body)
        read = op.init if part.reads_initial else body.args[1]
        known: dict[SSAValue, SSAValue] = dict.fromkeys(arrays, read)
        known[op.counter] = body.args[0]
        del known[write.result]
        (result,) = inner.copied(op.body.block, [write.result], known)
        copy = last_write(result, body)
        assert copy is not None
        copy.target.operands[0] = body.args[1]
        inner.yield_(result)
        folds.append(op.again(init, Region(body)))
        init = folds[-1].result
    return folds


def read_back(op: phi.FoldOp, forms: IndexForms) -> list[phi.GetOp]:
    """``w = update v[p], x; f(x)  -->  w = update v[p], x; f(w[p])``, for the writes of a fold.

    So a fold for f alone does not compute x from elements that the write has replaced. Returns the
    reads.
    """
    writes = [write for write in (writes_of(op) or ())[:-1] if _is_element(op, write, forms)]
    found = (_read_back(write, op.body.block) for write in writes)
    return [read for read in found if read is not None]


def undo(reads: Sequence[phi.GetOp]) -> None:
    """Let steps use the values that some reads find, instead of these."""
    for read in reads:
        update = phi.UpdateOp.of(read.array)
        read.result.replace_all_uses_with(update.value)
        read.detach()
        read.erase()


def _is_element(op: phi.FoldOp, write: Write, forms: IndexForms) -> bool:
    """Whether a write replaces one element, in bounds in each step, by a computed number."""
    sizes = [forms.size(op.init, axis) for axis in range(write.depth)]
    return (
        write.around is None
        and not write.tests
        and write.depth == phi.rank_of(op.result.type)
        and isinstance(write.update.value.owner, Operation)
        and not isinstance(write.update.value.owner, arith.ConstantOp)
        and all(
            size is not None and forms.is_in_step(position, size, write.update)
            for position, size in zip(write.positions, sizes, strict=True)
        )
    )


def _read_back(write: Write, block: Block) -> phi.GetOp | None:
    """The read of a written element, by all users of its value; None if there are no others."""
    update, value = write.update, write.update.value
    users = {block.find_ancestor_op_in_block(use.operation) for use in value.uses} - {update}
    if not users:
        return None
    made = [each for each in (x.owner for x in update.operands) if isinstance(each, Operation)]
    made = [each for each in made if each.parent is block]
    last = next(each for each in reversed(list(block.ops)) if each in made)
    update.detach()
    block.insert_op_after(update, last)
    if not all(user is not None and update.is_before_in_block(user) for user in users):
        return None
    read = Builder.after(update).insert(phi.GetOp(update.result, write.positions))
    value.replace_uses_with_if(read.result, lambda use: use.operation is not update)
    return read
