"""``fuse-sibling-folds``: loops of equal count that read the same arrays become one."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import count, islice
from typing import TypeAlias

from xdsl.dialects import arith, func
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.scopes import captured, dependents, is_within, operands_within
from ein_mlir.analysis.yarr.pointwise_steps import WITH_OWN_PASSES
from ein_mlir.dialects import yarr
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.common_subexpressions import eliminate_common_subexpressions
from ein_mlir.rewriting.passes import FunctionPass

Position: TypeAlias = tuple[int, ...]
"""The position of an operation in its block, in lexical order.

Those of operations before and of folds behind the first fold of a group, which is at
``(.., 1, 0)``, are ``(.., 0, n)`` and ``(.., 1, n)``, followed by ``(1, 0)`` where it may be such a
fold itself.
"""

Group: TypeAlias = list[yarr.FoldOp]
"""Folds to be fused: those after the first follow it."""


def fuse_sibling_folds(block: Block, *, chains: bool = True) -> list[yarr.FoldOp]:
    """Fuse the folds of a block, then those of the bodies. Returns the new ones, outer ones first.

    Without ``chains``, two folds whose steps reduce values of the step before stay apart.
    """
    fused = [_fuse(group) for group in _groups(block, chains) if len(group) > 1]
    for op in block.ops:
        for region in op.regions:
            for inner in region.blocks:
                fused += fuse_sibling_folds(inner, chains=chains)
    return fused


def _start_equal(fold: yarr.FoldOp) -> bool:
    """Whether accumulators may be equal."""
    return len(set(fold.inits)) < len(fold.inits)


def _groups(block: Block, chains: bool) -> Sequence[Group]:
    """The folds of a block, those to be fused moved together.

    A fold joins the last group before it that has the same count, or one that is asserted to be
    equal. The operations between both are visited once, and those it depends on move up.
    """
    latest, groups = dict[SSAValue, Group](), dict[Operation, Group]()
    reads, chained = dict[yarr.FoldOp, set[SSAValue]](), set[yarr.FoldOp]()
    position: dict[Operation, Position] = {op: (k, 1, 0) for k, op in enumerate(block.ops)}
    moves = count(1)
    for op in list(block.ops):
        if not isinstance(op, yarr.FoldOp):
            continue
        arrays, is_chain = _arrays_read(op), not chains and _reduces_accumulators(op)
        group = latest.get(steps := _without_assertions(op.count))
        if group is not None and (
            reads[group[0]].isdisjoint(arrays) or (is_chain and group[0] in chained)
        ):
            group = None
        needed = None if group is None else _between(group, op, position, groups)
        if group is None or needed is None:
            group, reads[op] = [op], arrays
        else:
            *place, _, _ = position[group[0]]
            for moved in needed:
                moved.detach()
                Rewriter.insert_op(moved, InsertPoint.before(group[0]))
                position[moved] = (*place, 0, next(moves), 1, 0)
            op.detach()
            Rewriter.insert_op(op, InsertPoint.after(group[-1]))
            position[op] = (*place, 1, next(moves))
            reads[group[0]] |= arrays
            group.append(op)
        latest[steps] = groups[op] = group
        chained.update(group[:1] if is_chain else ())
    return [group for first, group in groups.items() if first is group[0]]


def _without_assertions(count: SSAValue) -> SSAValue:
    """The size that a count is asserted to be, or that is asserted to be a size."""
    while isinstance(op := count.owner, yarr.AssertEqOp | yarr.AssertSizeOp):
        count = op.operands[0]
    return count


def _arrays_read(fold: yarr.FoldOp) -> set[SSAValue]:
    """The loop-invariant arrays with axes that a body reads.

    Loops without a common one are better separate: each has the cache to itself.
    """
    return set(filter(yarr.rank_of, captured(fold)))


def _reduces_accumulators(op: yarr.FoldOp) -> bool:
    """Whether an operation of a step that is no elementwise one depends on an accumulator."""
    carried = dependents(op.body.block, *op.accumulators)
    return any(
        isinstance(inner, WITH_OWN_PASSES) and not carried.isdisjoint(inner.operands)
        for inner in op.body.block.ops
    )


def _between(
    group: Group,
    fold: yarr.FoldOp,
    position: Mapping[Operation, Position],
    groups: Mapping[Operation, Group],
) -> list[Operation] | None:
    """The operations after the first fold of a group that another fold depends on, in order.

    Those of other groups move together. None if it depends on the group itself.
    """
    pending = [*captured(fold), *fold.operands]
    needed = set[Operation]()
    while pending:
        owner = pending.pop().owner
        if isinstance(owner, Block) or owner in needed or owner not in position:
            continue
        if (together := groups.get(owner, (owner,))) is group:
            return None
        if position[owner] > position[group[0]]:
            needed.update(together)
            pending.extend(value for each in together for value in operands_within(each))
    return sorted(needed, key=position.__getitem__)


def _fuse(group: Group) -> yarr.FoldOp:
    """``fold (x = a) { e }, fold (y = b) { f }  -->  fold (x = a, y = b) { e, f }``"""
    first, counter = group[0], group[0].counter
    old = [counter, *(each for fold in group for each in fold.accumulators)]
    block = Block(arg_types=[argument.type for argument in old])
    for argument, new in zip(old, block.args, strict=True):
        new.name_hint = argument.name_hint
    yielded, accumulators = list[SSAValue](), iter(block.args[1:])
    for fold in group:
        terminator = fold.body.block.last_op
        assert isinstance(terminator, yarr.YieldOp)
        own = [block.args[0], *islice(accumulators, len(fold.inits))]
        Rewriter.inline_block(fold.body.block, InsertPoint.at_end(block), own)
        yielded.extend(terminator.values)
        terminator.detach()
        terminator.erase()
    block.add_op(yarr.YieldOp(*yielded))
    fused = yarr.FoldOp(first.count, [init for fold in group for init in fold.inits], Region(block))
    fused.location = first.location
    Rewriter.insert_op(fused, InsertPoint.before(first))
    results = [result for fold in group for result in fold.res]
    for result, new in zip(results, fused.res, strict=True):
        new.name_hint = result.name_hint
        result.replace_all_uses_with(new)
    for fold in reversed(group):
        fold.detach()
        fold.erase()
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
        _copy_constants(step)
        eliminate_common_subexpressions(step)
        terminator = step.block.last_op
        assert isinstance(terminator, yarr.YieldOp)
        finer = _first_equal(list(zip(found, terminator.values, strict=True)))
        step.drop_all_references()
        if finer == found:
            break
        found = finer
    return found


def _copy_constants(step: Region) -> None:
    """Copy the constants from outside that a step uses, so that they are equal to its own."""
    copies = dict[SSAValue, SSAValue]()
    for op in list(step.walk()):
        for number, value in enumerate(op.operands):
            constant = value.owner
            if not isinstance(constant, arith.ConstantOp) or is_within(value, step.block):
                continue
            if value not in copies:
                copies[value] = (copy := constant.clone()).result
                Rewriter.insert_op(copy, InsertPoint.at_start(step.block))
            op.operands[number] = copies[value]


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
        fused = fuse_sibling_folds(function.body.block, chains=self.chains)
        if pending := list(filter(_start_equal, fused)):
            eliminate_common_subexpressions(function.body)  # values that are before both loops now
        for fold in pending:
            _share_accumulators(fold)
