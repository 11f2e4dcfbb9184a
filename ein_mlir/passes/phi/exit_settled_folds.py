"""``exit-settled-folds``: a fold ends when no later step changes the accumulator."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IntegerType, TupleType, i1, i64
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.manager import AnalysisManager, classes_of
from ein_mlir.analysis.phi.index_forms import IndexForms, index_forms
from ein_mlir.analysis.phi.selections import Test, tests_around
from ein_mlir.analysis.phi.speculation import may_be_skipped
from ein_mlir.analysis.phi.unchanged import branch_of, tests_to_change
from ein_mlir.analysis.scopes import around, block_of, dependents, innermost_first, nested, reached
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.insertion import Builder

LEAST = 16
"""The least steps of a fold on scalars, if their number is known, that are worth a test in each."""


def exit_settled_fold(op: phi.FoldOp, forms: IndexForms, *, bools: bool = True) -> bool:
    """Let a fold end after a step in which a test of the accumulator fails; whether there is one.

    Such a step changes nothing, and no later one does: the test fails again.
    """
    if branch_of(op) is not None or _is_short(op) or (not bools and _is_scalar_bool(op)):
        return False
    body = op.body.block
    if not may_be_skipped(nested(body)):
        return False
    found = tests_to_change(op, forms, initial=False) if not _is_in_comprehension(op) else ()
    tests = _of_state(found, op) if found else []
    if tests:
        _exit(op, tests)
    elif _follows_positions(op):
        build = Builder.before_end(body)
        moved = build.compare(op.yielded(), "ne", op.accumulator)
        _exit(op, [Test(moved, True)])
    else:
        return False
    return True


def start_if_taken(op: phi.WhileOp) -> bool:
    """``where(c, while (x, ..) { e }, y)  -->  where(c, while (x & c, ..) { e }, y)``

    in a comprehension, for conditions that are computed before the loop; whether there are any.
    """
    record = op.init.owner
    if not isinstance(record, phi.TupleOp) or not _is_in_comprehension(op):
        return False
    fields = [tests_around(field) for field in reached([op.result], _fields) if not _fields(field)]
    tests = [test for test in fields[0] if all(test in each for each in fields)]
    tests = [test for test in tests if _is_before(test.condition, op)]
    if not tests or not may_be_skipped(nested(op.body.block)):
        return False
    build = Builder.before(op)
    starts, *leaves = record.operands
    op.operands[1] = build.tuple([build.and_(starts, build.hold(tests)), *leaves])
    return True


def _fields(record: SSAValue) -> Sequence[SSAValue]:
    """The fields of a record, if nothing else reads it."""
    users = [use.operation for use in record.uses]
    are_fields = all(isinstance(each, phi.ProjOp) for each in users)
    return [each.results[0] for each in users] if are_fields else ()


def _is_before(value: SSAValue, op: phi.WhileOp) -> bool:
    """Whether a value is computed for each element, before a loop."""
    owner = value.owner
    return (
        isinstance(owner, Operation) and owner.parent is op.parent and owner.is_before_in_block(op)
    )


def _is_short(op: phi.FoldOp) -> bool:
    """Whether a fold has a few steps, without loops and arrays in them."""
    count = known_int(op.count)
    return count is not None and count < LEAST and not any(x.regions for x in op.body.block.ops)


def _is_scalar_bool(op: phi.FoldOp) -> bool:
    """Whether a fold carries a Bool, in steps on scalars."""
    return op.accumulator.type == i1 and not any(each.regions for each in op.body.block.ops)


def _is_in_comprehension(op: Operation) -> bool:
    found = (each for each in around(op) if isinstance(each, phi.PhiOp))
    return not all(isinstance(each, phi.CountedOp) for each in found)


def _of_state(tests: Iterable[Test], op: phi.FoldOp) -> list[Test]:
    """The tests whose conditions in the step depend on the accumulator, not on the counter."""
    body = op.body.block
    of_state = dependents(body, op.accumulator) - dependents(body, op.counter)
    found = (test for test in tests if test.condition in of_state)
    return [test for test in found if block_of(test.condition) is body]


def _follows_positions(op: phi.FoldOp) -> bool:
    """Whether the accumulator is an Int, and the position of the next one: ``k = parent[k]``."""
    get = op.yielded().owner
    return (
        isa(op.accumulator.type, IntegerType)
        and isinstance(get, phi.GetOp)
        and get.parent is op.body.block
        and op.accumulator in get.positions
        and not op.counter.uses.get_length()
    )


def _exit(op: phi.FoldOp, tests: Sequence[Test]) -> None:
    """``while`` in place of ``fold``; field 0 of its accumulator is whether the tests hold."""
    last = Builder.before_end(op.body.block)
    after = last.tuple([last.hold(tests), *last.leaves(op.yielded())])
    build = Builder.before(op)
    start = build.tuple([build.truth(True), *build.leaves(op.init)])
    body = Block(arg_types=[i64, start.type])
    body.args[0].name_hint = op.counter.name_hint
    body.args[1].name_hint = op.accumulator.name_hint
    inner = Builder.at_end(body)
    op.counter.replace_all_uses_with(body.args[0])
    _replace_record(inner, op.accumulator, _leaves(inner, body.args[1]))
    *ops, _ = op.body.block.ops
    inner.move(*ops)
    inner.yield_(after)
    loop = build.emit(phi.WhileOp(op.count, start, Region(body), counted=True))
    loop.name_hint = op.result.name_hint
    _replace_record(build, op.result, _leaves(build, loop))
    Rewriter.erase_op(op)
    erase_unused(body)


def _leaves(build: Builder, record: SSAValue) -> list[SSAValue]:
    """The fields after the first one."""
    assert isa(record.type, TupleType)
    return [build.proj(record, k) for k in range(1, len(record.type.types))]


def _replace_record(build: Builder, value: SSAValue, leaves: Sequence[SSAValue]) -> None:
    """Replace a record, or its fields where these are read, by the values of its leaves."""
    if isa(value.type, TupleType) and len(value.type.types) == len(leaves):
        for use in list(value.uses):
            if isinstance(field := use.operation, phi.ProjOp):
                leaf = leaves[field.field.value.data]
                leaf.name_hint = field.result.name_hint
                Rewriter.replace_op(field, [], [leaf])
    if value.uses.get_length():
        value.replace_all_uses_with(build.record(value.type, leaves))


@dataclass(frozen=True)
class ExitSettledFoldsPass(FunctionPass):
    """Lets a fold end when a test of its accumulator fails without which no step changes it.

    Before::

        %r = phi.fold (%k < %n, %x = %x0) -> i64 { select (%x > %one), %x // %two, %x }

    After::

        %start = phi.tuple (%true, %x0) : tuple<i1, i64>
        %last = phi.while counted (%k < %n, (%goes_on, %x) = %start) -> tuple<i1, i64> {
          (%x > %one, select (%x > %one), %x // %two, %x)
        }
        %r = phi.proj %last, 1 : tuple<i1, i64> -> i64

    The test depends on the accumulator and not on the counter, so it fails in all later steps. A
    position that the next one is read at, as ``parent[k]``, is compared with it. Folds of fewer
    than `LEAST` steps on scalars stay, and so do those in whose steps an error is possible.

    In a comprehension, whole arrays or vectors of elements take the steps together, so only folds
    that follow positions end there. A loop by a condition does not begin there for an element that
    no choice takes the result for, ``where(c, while { e }, y)``.
    """

    name = "exit-settled-folds"
    looks_for = (phi.FoldOp, phi.WhileOp)

    bools: bool = True
    """Whether folds that carry a Bool in steps on scalars end: others do so as loops."""

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        forms = analyses.get(index_forms, function)
        folds, kinds = innermost_first(function, phi.FoldOp), analyses.get(classes_of, function)
        exited = [exit_settled_fold(op, forms, bools=self.bools) for op in folds]
        loops = innermost_first(function, phi.WhileOp)
        guarded = [start_if_taken(op) for op in loops if arith.SelectOp in kinds]
        if any((*exited, *guarded)):
            analyses.invalidate(function)
