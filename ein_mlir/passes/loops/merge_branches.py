"""``merge-branches``: stores and choices that need one condition share a branch."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, cf, func, math, memref, scf
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.loops.effects import BRANCHING, only_reads, read_by, written_by
from ein_mlir.analysis.loops.memory_roots import are_apart
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.predicates import conjoined
from ein_mlir.analysis.scopes import makers, operands_within, operations_in, operations_of
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.loops.conditions import all_of
from ein_mlir.rewriting.passes import FunctionPass

_COSTLY = (
    *(memref.LoadOp, *BRANCHING),
    *(arith.DivSIOp, arith.DivUIOp, arith.RemSIOp, arith.RemUIOp, arith.DivfOp, math.SqrtOp),
)
"""Operations that are worth a branch that is there in any case."""

_UNSIGNED_LESS = arith.CMPI_COMPARISON_OPERATIONS.index("ult")


def _tests(op: Operation) -> list[SSAValue]:
    """The conditions that an operation needs all of: to store, or to take its first operand."""
    if isinstance(op, scf.IfOp):
        is_plain = not op.results and not op.false_region.blocks
        return conjoined(op.cond) if is_plain else []
    return conjoined(op.cond) if isinstance(op, arith.SelectOp) else []


def _is_bound(test: SSAValue) -> bool:
    """Whether a condition tests that a position is in bounds."""
    return isinstance(op := test.owner, arith.CmpiOp) and op.predicate.value.data == _UNSIGNED_LESS


@dataclass(frozen=True)
class _Branch:
    """Operations of a block that common conditions decide, and all that they alone need."""

    tests: Sequence[SSAValue]
    members: Sequence[Operation]
    inside: Sequence[Operation]
    """The members and what is computed for them, in order."""

    def is_useful(self) -> bool:
        """Whether the branch saves another one, or the work of steps without it.

        Positions are expected to be in bounds, so tests of these save no work.
        """
        stores = [op for op in self.members if isinstance(op, scf.IfOp)]
        needed = [op for op in self.inside if op not in self.members]
        is_costly = any(isinstance(op, _COSTLY) for op in needed)
        return len(stores) > 1 or (is_costly and not all(map(_is_bound, self.tests)))


def _found(tests: Sequence[SSAValue], members: Sequence[Operation]) -> _Branch | None:
    """The branch of some members in the place of the last, if they may wait until there.

    What stays is computed before: it must neither use their values nor share memory with them,
    unless both only read.
    """
    if any(result in tests for op in members for result in op.results):
        return None
    inside, stays = set(members), _Rest()
    found = list[Operation]()
    op: Operation | None = members[-1]
    needed = set(members)  # what is before the first member, and nothing of it needs, stays
    while op is not None and needed:
        needed.discard(op)
        is_member = op in members
        if is_member and (stays.uses(op) or not stays.may_precede(op)):
            return None
        if is_member or (_is_only_for(op, inside, members, tests) and stays.may_precede(op)):
            inside.add(op)
            found.append(op)
            made = makers(operands_within(op), op.parent)
            needed.update(each for each in made if _is_only_for(each, inside, members, tests))
        elif not stays.add(op):
            return _Branch(tests, members, found[::-1]) if members[0] in found else None
        op = op.prev_op
    return _Branch(tests, members, found[::-1])


class _Rest:
    """The operations that stay before a branch."""

    def __init__(self):
        self._ops = set[Operation]()
        self._read = set[SSAValue]()
        self._written = set[SSAValue]()

    def add(self, op: Operation) -> bool:
        """Add an operation; False if it is not known what it does.

        An assertion that fails reads what was stored before it: its message has numbers.
        """
        written = written_by(op)
        if written is None or any(operations_of(op, cf.AssertOp)):
            return False
        self._ops.add(op)
        self._written.update(written)
        self._read.update(read_by(op))
        return True

    def uses(self, op: Operation) -> bool:
        """Whether any of them depends on a value of an operation."""
        block = op.parent
        assert block is not None
        users = (use.operation for result in op.results for use in result.uses)
        return any(block.find_ancestor_op_in_block(user) in self._ops for user in users)

    def may_precede(self, op: Operation) -> bool:
        """Whether an operation before them may follow them."""
        written = written_by(op)
        return (
            written is not None
            and are_apart(written, self._read | self._written)
            and are_apart(read_by(op), self._written)
        )


def _is_only_for(
    op: Operation,
    inside: set[Operation],
    members: Sequence[Operation],
    tests: Sequence[SSAValue],
) -> bool:
    """Whether nothing but a branch needs an operation, which has no effects."""
    block = op.parent
    assert block is not None
    if not op.results or not set(op.results).isdisjoint(tests):
        return False
    is_needed_inside = all(
        (user := block.find_ancestor_op_in_block(use.operation)) in inside
        and not (isinstance(user, arith.SelectOp) and user in members and use.index == 2)
        for result in op.results
        for use in result.uses
    )
    return is_needed_inside and only_reads(op)


# Rewriting ----------------------------------------------------------------------------------------


def _build(branch: _Branch) -> scf.IfOp:
    """Move the operations of a branch into it."""
    place = InsertPoint.after(branch.members[-1])
    before = list[Operation]()
    condition = all_of(branch.tests, before)
    then, chosen = Block(), dict[arith.SelectOp, SSAValue]()
    for op in branch.inside:
        if op not in branch.members:
            op.detach()
            then.add_op(op)
            continue
        rest = [test for test in _tests(op) if test not in branch.tests]
        if isinstance(op, arith.SelectOp):
            chosen[op] = _choice(op, rest, then)
        else:
            assert isinstance(op, scf.IfOp)
            _add_stores(op, rest, then)
    results = [op for op in chosen if not _is_used_only_in(op.result, then)]
    types = [op.result.type for op in results]
    then.add_op(scf.YieldOp(*(chosen[op] for op in results)))
    otherwise = Region(Block([scf.YieldOp(*(op.rhs for op in results))])) if results else None
    new = scf.IfOp(condition, types, Region(then), otherwise)
    Rewriter.insert_op([*before, new], place)
    for op, value in chosen.items():
        op.result.replace_uses_with_if(value, lambda use: new.is_ancestor(use.operation))
    for number, op in enumerate(results):
        op.result.replace_all_uses_with(new.results[number])
    for op in branch.members:
        op.detach()
        op.erase()
    for op in reversed(list(then.ops)):
        if isinstance(op, arith.AndIOp) and op.result.first_use is None:
            Rewriter.erase_op(op)
    return new


def _choice(op: arith.SelectOp, rest: Sequence[SSAValue], then: Block) -> SSAValue:
    """What a choice is in the branch, whose conditions hold but for the rest."""
    if not rest:
        return op.lhs
    before = list[Operation]()
    chosen = arith.SelectOp(all_of(rest, before), op.lhs, op.rhs)
    then.add_ops([*before, chosen])
    return chosen.result


def _add_stores(op: scf.IfOp, rest: Sequence[SSAValue], then: Block) -> None:
    """Move the stores of a branch into one around it, under the conditions that are left."""
    if not rest:
        for each in list(op.true_region.block.ops)[:-1]:
            each.detach()
            then.add_op(each)
        return
    before = list[Operation]()
    condition = all_of(rest, before)
    then.add_ops([*before, scf.IfOp(condition, [], op.detach_region(op.true_region))])


def _is_used_only_in(value: SSAValue, block: Block) -> bool:
    return all(block.find_ancestor_op_in_block(use.operation) is not None for use in value.uses)


def merge_branches(block: Block) -> None:
    """Merge the branches of a block, and then those of the branches."""
    for op in list(block.ops):
        if op.parent is block and isinstance(op, scf.IfOp) and (branch := _branch_of(op)):
            merge_branches(_build(branch).true_region.block)


def _branch_of(op: scf.IfOp) -> _Branch | None:
    """The branch of stores and of all operations after them that it may have, if it is useful."""
    tests = _tests(op)
    branch = _found(tests, [op]) if tests else None
    later = op.next_op
    while branch is not None and later is not None:
        own = _tests(later) if _is_scalar_choice(later) or isinstance(later, scf.IfOp) else []
        if shared := [test for test in branch.tests if test in own]:
            branch = _found(shared, [*branch.members, later]) or branch
        later = later.next_op
    return branch if branch is not None and branch.is_useful() else None


def _is_scalar_choice(op: Operation) -> bool:
    return isinstance(op, arith.SelectOp) and not isinstance(op.result.type, MemRefType)


class MergeBranchesPass(FunctionPass):
    """Merges the branches of a step of a loop that store under a common condition.

    Before::

        %next = memref.load %counts[%p] : memref<?xi64>
        %is_new = arith.cmpi eq, %next, %zero : i64
        %both = arith.andi %less, %is_new : i1
        scf.if %less {
          memref.store %x, %least[%p] : memref<?xf64>
        }
        scf.if %both {
          memref.store %one, %counts[%p] : memref<?xi64>
        }
        %length = arith.select %both, %longer, %old : i64

    After::

        %length = scf.if %less -> (i64) {
          %next = memref.load %counts[%p] : memref<?xi64>
          %is_new = arith.cmpi eq, %next, %zero : i64
          memref.store %x, %least[%p] : memref<?xf64>
          scf.if %is_new {
            memref.store %one, %counts[%p] : memref<?xi64>
          }
          %0 = arith.select %is_new, %longer, %old : i64
          scf.yield %0 : i64
        } else {
          scf.yield %old : i64
        }

    A branch is there in any case, so what only it needs costs nothing in steps that do not take it.
    Choices by its condition are results of it. Operations stay before the branch if something else
    needs them, or if they may share memory with what the branch stores.

    Only loops whose steps come one after the other have their branches merged: those of others may
    be vectors.
    """

    name = "merge-branches"
    looks_for = (scf.IfOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        for op in operations_in(function):
            if isinstance(op, scf.ForOp):
                merge_branches(op.body.block)
            elif isinstance(op, scf.WhileOp):
                merge_branches(op.after_region.block)
