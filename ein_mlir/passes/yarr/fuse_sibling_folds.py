"""``fuse-sibling-folds``: loops of equal count that read the same arrays become one."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import TypeAlias

from xdsl.dialects import func
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.scopes import captured, dependents, operands_within
from ein_mlir.analysis.yarr.pointwise_steps import WITH_OWN_PASSES
from ein_mlir.dialects import yarr
from ein_mlir.rewriting.common_subexpressions import eliminate_common_subexpressions
from ein_mlir.rewriting.passes import FunctionPass

Position: TypeAlias = tuple[float, int]
"""The position of an operation in its block; operations moved to one place stay in order."""


def fuse_sibling_folds(block: Block, *, chains: bool = True) -> None:
    """Fuse the folds of a block, then those of the bodies.

    Without ``chains``, two folds whose steps reduce values of the step before stay apart.

    A fold is fused with the last one before it that has the same count, or one that is asserted to
    be equal. The operations between two folds are visited once, for the second of them.
    """
    latest: dict[SSAValue, yarr.FoldOp] = {}
    position: dict[Operation, Position] = {op: (k, 0) for k, op in enumerate(block.ops)}
    moves, all_fused = count(1), dict[yarr.FoldOp, None]()
    for op in list(block.ops):
        if not isinstance(op, yarr.FoldOp):
            continue
        steps = _without_assertions(op.count)
        first = latest.get(steps)
        if first is not None and not (_share_array(first, op) and (chains or _fit(first, op))):
            first = None
        needed = None if first is None else _between(first, op, position)
        if first is None or needed is None:
            latest[steps] = op
            continue
        for moved in needed:
            moved.detach()
            Rewriter.insert_op(moved, InsertPoint.before(first))
            position[moved] = (position[first][0] - 0.5, next(moves))
        fused = _fuse(first, op)
        position[fused] = position.pop(first)
        latest[steps] = fused
        all_fused.pop(first, None)
        all_fused[fused] = None
    for fold in all_fused:
        _share_accumulators(fold)
    for op in block.ops:
        for region in op.regions:
            for inner in region.blocks:
                fuse_sibling_folds(inner, chains=chains)


def _without_assertions(count: SSAValue) -> SSAValue:
    """The size that a count is asserted to be."""
    while isinstance(op := count.owner, yarr.AssertEqOp):
        count = op.lhs
    return count


def _share_array(first: yarr.FoldOp, second: yarr.FoldOp) -> bool:
    """Whether both bodies read a common loop-invariant array with axes.

    Loops without a common array are better separate: each has the cache to itself.
    """
    return any(map(yarr.rank_of, set(captured(first)).intersection(captured(second))))


def _fit(first: yarr.FoldOp, second: yarr.FoldOp) -> bool:
    """Whether only one of two folds has steps with several passes, one after another."""
    return not (_reduces_accumulators(first) and _reduces_accumulators(second))


def _reduces_accumulators(op: yarr.FoldOp) -> bool:
    """Whether an operation of a step that is no elementwise one depends on an accumulator."""
    carried = dependents(op.body.block, *op.accumulators)
    return any(
        isinstance(inner, WITH_OWN_PASSES) and not carried.isdisjoint(inner.operands)
        for inner in op.body.block.ops
    )


def _between(
    first: yarr.FoldOp, second: yarr.FoldOp, position: dict[Operation, Position]
) -> list[Operation] | None:
    """The operations after the first fold that the second depends on, in order.

    None if it depends on the first.
    """
    pending = [*captured(second), *second.operands]
    needed = set[Operation]()
    while pending:
        owner = pending.pop().owner
        if owner is first:
            return None
        if isinstance(owner, Block) or owner in needed:
            continue
        if owner in position and position[owner] > position[first]:
            needed.add(owner)
            pending.extend(operands_within(owner))
    return sorted(needed, key=position.__getitem__)


def _fuse(first: yarr.FoldOp, second: yarr.FoldOp) -> yarr.FoldOp:
    """``fold (x = a) { e }, fold (y = b) { f }  -->  fold (x = a, y = b) { e, f }``"""
    inits = [*first.inits, *second.inits]
    arguments = [*first.body.block.args, *second.accumulators]
    block = Block(arg_types=[argument.type for argument in arguments])
    yielded: list[SSAValue] = []
    renamed: list[BlockArgument] = list(block.args)
    split = 1 + len(first.inits)
    for old, new in zip(arguments, renamed, strict=True):
        new.name_hint = old.name_hint
    for fold, new in ((first, renamed[:split]), (second, [renamed[0], *renamed[split:]])):
        terminator = fold.body.block.last_op
        assert isinstance(terminator, yarr.YieldOp)
        Rewriter.inline_block(fold.body.block, InsertPoint.at_end(block), new)
        yielded.extend(terminator.values)
        terminator.detach()
        terminator.erase()
    block.add_op(yarr.YieldOp(*yielded))
    fused = yarr.FoldOp(first.count, inits, Region(block))
    fused.location = first.location
    results = [*first.res, *second.res]
    for old, new in zip(results, fused.res, strict=True):
        new.name_hint = old.name_hint
    Rewriter.insert_op(fused, InsertPoint.before(first))
    for old, new in zip(results, fused.res, strict=True):
        old.replace_all_uses_with(new)
    for old in (second, first):
        old.detach()
        old.erase()
    return fused


def _share_accumulators(fold: yarr.FoldOp) -> None:
    """``fold (x = a, y = a) { e(x), e(y) }``: the users of ``y`` use ``x``

    Accumulators are equal if they start equal, and a step keeps that so.
    """
    leaders = _equal_accumulators(fold)
    for number, leader in enumerate(leaders):
        if number != leader:
            fold.accumulators[number].replace_all_uses_with(fold.accumulators[leader])
            fold.res[number].replace_all_uses_with(fold.res[leader])


def _equal_accumulators(fold: yarr.FoldOp) -> Sequence[int]:
    """The first accumulator that is equal to each: all are that start so, unless a step differs."""
    found = _first_equal([(init,) for init in fold.inits])
    while len(set(found)) < len(found):
        step = fold.body.clone()
        accumulators = step.block.args[1:]
        for number, leader in enumerate(found):
            if number != leader:
                accumulators[number].replace_all_uses_with(accumulators[leader])
        eliminate_common_subexpressions(step)
        terminator = step.block.last_op
        assert isinstance(terminator, yarr.YieldOp)
        finer = _first_equal(list(zip(found, terminator.values, strict=True)))
        if finer == found:
            break
        found = finer
    return found


def _first_equal(keys: Sequence[Hashable]) -> list[int]:
    """The number of the first key that is equal to each."""
    first = dict[Hashable, int]()
    return [first.setdefault(key, number) for number, key in enumerate(keys)]


@dataclass(frozen=True)
class FuseSiblingFoldsPass(FunctionPass):
    """Fuses two independent loops of equal count that read the same arrays.

    Common subexpressions of their steps are then computed once (``cse``), and accumulators that
    are equal in all steps are carried once.

    With ``chains=false``, two loops stay apart if both have steps that reduce values of the step
    before: XLA runs the independent parts of a step in several threads, which wait for each other.

    Before::

        %s = yarr.fold (%k < %n, %x = %zero) -> tensor<f64> {
          %v = yarr.take %a, 0, %k : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
          %0 = yarr.elementwise { arith.addf } %x, %v : ...
          yarr.yield %0 : tensor<f64>
        }
        %p = yarr.fold (%k < %n, %y = %one) -> tensor<f64> {
          %v = yarr.take %a, 0, %k : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
          %1 = yarr.elementwise { arith.mulf } %y, %v : ...
          yarr.yield %1 : tensor<f64>
        }

    After::

        %s, %p = yarr.fold (%k < %n, %x = %zero, %y = %one) -> tensor<f64>, tensor<f64> {
          %v = yarr.take %a, 0, %k : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
          %0 = yarr.elementwise { arith.addf } %x, %v : ...
          %w = yarr.take %a, 0, %k : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
          %1 = yarr.elementwise { arith.mulf } %y, %w : ...
          yarr.yield %0, %1 : tensor<f64>, tensor<f64>
        }
    """

    name = "fuse-sibling-folds"
    looks_for = (yarr.FoldOp,)

    chains: bool = True
    """Fuse loops whose steps are chains of several passes over memory."""

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        fuse_sibling_folds(function.body.block, chains=self.chains)
