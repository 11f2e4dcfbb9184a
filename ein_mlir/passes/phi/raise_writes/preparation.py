"""Folds over arrays before they are raised: each write has a fold of its own.

What may fail in their steps is decided before them.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.ir import Block, Operation, OpResult, Region, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.loops.summary import Part
from ein_mlir.analysis.phi.loops.writes import Write, last_write, writes_of
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence
from ein_mlir.analysis.scopes import is_defined_in, is_within
from ein_mlir.dialects import phi
from ein_mlir.rewriting.phi.builders import fold_body
from ein_mlir.rewriting.phi.compared_sizes import ComparedSizes
from ein_mlir.rewriting.phi.guarded_counts import guard, if_any_step, unguarded
from ein_mlir.rewriting.phi.insertion import Builder


class UsedSizes(SizeEquivalence):
    """The facts about sizes; only assertions with users count, since others are removed."""

    def __init__(self, module: Operation):
        super().__init__(module, assertions=False)
        self._assume_used(module)

    def add(self, *ops: Operation) -> None:
        """Record operations, and assertions among them."""
        super().add(*ops)
        self._assume_used(*ops)

    def _assume_used(self, *ops: Operation) -> None:
        for op in (inner for outer in ops for inner in outer.walk()):
            if isinstance(op, phi.AssertEqOp) and op.result.uses:
                self.assume(op)


class Preparation:
    """The preparation of the folds of a function."""

    def __init__(self, free: FreeIndices, sizes: SizeEquivalence):
        self._free = free
        self._sizes = sizes

    def prepare(self, op: phi.FoldOp) -> None:
        """Move comparisons of sizes, and other assertions, before a fold, if they may be."""
        while self._compare_sizes(op):
            pass
        self._hoist_assertions(op)
        self._guard_counts(op)

    def _compare_sizes(self, op: phi.FoldOp) -> bool:
        """Move the comparison of sizes of the updated array, if steps compare them, before a fold.

        ``fold (v = a) { update (array (i < assert m = |v|) { v[i] })[p], x }``, where a step
        asserts the size of v, is ``fold (v = array (i < s) { a[i] }) { update v[p], x }``, where s
        is the size of a, which is m if there are steps.
        """
        copy = self._copy(op)
        if copy is None:
            return False
        known = ComparedSizes(op, [copy], self._sizes)
        axes = known.of_result()
        if axes is None:
            return False
        known.values.update(zip(copy.sizes, axes, strict=True))
        build = Builder.before(op)
        for each in known.ops:
            build.insert(each)
        init = build.comprehension(axes, lambda inner, own: inner.get(op.init, own))
        known.ops.append(phi.ArrayOp.of(init))
        for old, new in known.values.items():
            if isinstance(old, OpResult) and is_defined_in(old, op.body.block):
                old.replace_all_uses_with(new)
        source = phi.GetOp.of(copy.yielded())
        copy.result.replace_all_uses_with(source.array)
        self._free.add(*known.ops)
        self._sizes.add(*known.ops)
        self._sizes.inherit(init, op.init)
        op.operands[1] = init
        self._sizes.add(op)
        return True

    def _hoist_assertions(self, op: phi.FoldOp) -> None:
        """Move loop-invariant assertions of the steps before a fold: they hold if it has a step."""
        if last_write(op.yielded(), op.body.block) is None:
            return
        for each in list(op.body.block.ops):
            if not isinstance(each, phi.AssertEqOp) or any(is_within(v, op) for v in each.operands):
                continue
            before = Builder.before(op, self._free.add, self._sizes.add)
            other = if_any_step(before, op, each.rhs, each.lhs)
            asserted = before.insert(phi.AssertEqOp(each.lhs, other, each.message.data))
            Rewriter.replace_op(each, (), (asserted.result,))
            self._sizes.add(asserted, op)

    def _guard_counts(self, op: phi.FoldOp) -> None:
        """Let counts in the steps be 0 if the fold has none, so that only a step may fail."""
        if last_write(op.yielded(), op.body.block) is None:
            return
        if failing := unguarded(op):
            guard(op, failing, Builder.before(op, self._free.add, self._sizes.add))

    def _copy(self, op: phi.FoldOp) -> phi.ArrayOp | None:
        """The copy of an array that a step updates, if the step asserts its sizes first."""
        value, block = op.yielded(), op.body.block
        while (write := last_write(value, block)) is not None:
            value = write.base
        copy = value.owner
        if not isinstance(copy, phi.ArrayOp) or copy.parent is not block:
            return None
        get = copy.yielded().owner
        is_copy = (
            isinstance(get, phi.GetOp)
            and (get.array is op.accumulator or last_write(get.array, block) is not None)
            and tuple(get.positions) == tuple(copy.indices)
            and len(copy.sizes) == phi.rank_of(op.result.type)
            and self._sizes.are_of(op.accumulator, copy.sizes, copy)
        )
        return copy if is_copy else None


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
