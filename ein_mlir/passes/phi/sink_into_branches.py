"""``sink-into-branches``: loops whose results only a branch uses run only if it is taken."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import UnitAttr, i1, i64
from xdsl.ir import Block, Operation, Region, SSAValue, Use
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.element_cost import is_function
from ein_mlir.analysis.phi.selections import Test, conjuncts
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence, equal_sizes
from ein_mlir.analysis.phi.speculation import may_be_skipped, may_fail
from ein_mlir.analysis.phi.unchanged import branch_of
from ein_mlir.analysis.phi.variables import element_read
from ein_mlir.analysis.scopes import (
    around,
    captured,
    is_within,
    makers,
    of_kinds,
    operands_within,
    operations_in,
    reached,
    slice_within,
    sources,
)
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.replacement import replace

SCALARS = 6
"""The least operations on scalars that a branch of its own is worth."""


@dataclass(frozen=True)
class _Choice:
    """A value that is a new one if a test holds, and else an old one."""

    op: Operation
    test: Test
    old: SSAValue
    branch: int | None
    """The operand that is the new value; None for a fold of one step, or none."""

    def new(self) -> Iterable[SSAValue]:
        """The new value; those that the step of a fold uses."""
        return captured(self.op) if self.branch is None else [self.op.operands[self.branch]]

    def takes(self, use: Use) -> bool:
        """Whether a use is evaluated only if the test holds."""
        return use.operation is self.op and use.index == self.branch


def _choices(op: Operation) -> Iterator[_Choice]:
    """An operation as a choice, for each test that it could begin with."""
    match op:
        case arith.SelectOp() if op.cond.type == i1:
            for new, old in ((1, op.rhs), (2, op.lhs)):
                if _is_computed(op.operands[new], op.parent):
                    yield _Choice(op, Test(op.cond, new == 1), old, new)
        case arith.AndIOp() | arith.OrIOp() if op.result.type == i1 and _is_repeated(op):
            for new, first in ((1, op.lhs), (0, op.rhs)):
                if _is_computed(op.operands[new], op.parent):
                    yield _Choice(op, Test(first, isinstance(op, arith.AndIOp)), first, new)
        case phi.FoldOp():
            if (test := branch_of(op)) is not None:
                yield _Choice(op, test, op.init, None)
        case _:
            pass


def _is_repeated(op: Operation) -> bool:
    """Whether a loop repeats an operation: a guard before all loops is computed once."""
    loops = (each for each in around(op) if isinstance(each, phi.CountedOp))
    return not all(isinstance(each, phi.FoldOp) and branch_of(each) for each in loops)


def _normalized(test: Test) -> Test:
    """A test of a Bool that is no negation."""
    first, *others = conjuncts(test)
    return test if others else first


def _is_computed(value: SSAValue, block: Block | None) -> bool:
    """Whether an operation of a block computes a value."""
    return not isinstance(value.owner, Block | arith.ConstantOp) and value.owner.parent is block


def separate_choice(op: phi.ArrayOp, sizes: SizeEquivalence, *, static: bool) -> bool:
    """``array(i: where(c, x(i), y[i]))`` as ``array(i: x(i))`` if c, and else y; whether it is one.

    The condition does not depend on indices, and the elements x(i) take time. If others take time,
    too, each array is computed in a branch of its own; so is one whose elements use such a choice.
    With ``static``, the condition is one of sizes.
    """

    def decides(condition: SSAValue) -> bool:
        return not is_within(condition, op) and (not static or _is_of_sizes(condition))

    _choose_last(op, decides)
    choice = op.yielded().owner
    if not isinstance(choice, arith.SelectOp) or not decides(choice.cond):
        return False
    costly = [new for new in (1, 2) if _is_costly(op, choice.operands[new])]
    if len(costly) > 1 and not phi.is_scalar_type(choice.result.type):
        return False
    if costly:
        _separate(op, choice, costly, sizes)
    return bool(costly)


def _choose_last(op: phi.ArrayOp, decides: Callable[[SSAValue], bool]) -> None:
    """``array(i: f(where(c, x(i), y(i))))  -->  array(i: where(c, f(x(i)), f(y(i))))``

    where c ``decides`` for all elements, and both x(i) and y(i) take time.
    """
    block = op.body.block
    if not phi.is_scalar_type(op.yielded().type):
        return
    for choice in of_kinds(block.ops, arith.SelectOp):
        if choice.result is op.yielded() or not decides(choice.cond):
            continue
        if all(_is_costly(op, side) for side in choice.operands[1:]):
            build = Builder.before_end(block)
            values = [
                build.copied_value(block, op.yielded(), {choice.result: side})
                for side in choice.operands[1:]
            ]
            op.yield_instead(build.select(choice.cond, *values))
            erase_unused(block)
            return


def _array_of(op: phi.ArrayOp, value: SSAValue, sizes: SizeEquivalence) -> SSAValue | None:
    """The array of whose elements a comprehension has each at its place, if it has ``value``."""
    array = element_read(value.owner, op)
    return array if array is not None and sizes.may_stand_for(array, op) else None


def _is_costly(op: phi.ArrayOp, value: SSAValue) -> bool:
    """Whether a loop, a search, or a function computes an element, or what it alone reads."""
    own = slice_within(op, [value])
    inner, only = list(own), set[Operation]([op])
    pending = [x for each in own for x in makers(each.operands, op.parent)]
    while pending:
        each = pending.pop()
        users = (use.operation for result in each.results for use in result.uses)
        if each not in only and all(any(x in only for x in around(user)) for user in users):
            only.add(each)
            inner += operations_in(each)[isinstance(each, phi.ArrayOp) :]
            pending.extend(makers(operands_within(each), op.parent))
    return any(is_function(each) or _takes_time(each) for each in inner)


def _separate(
    op: phi.ArrayOp, choice: arith.SelectOp, costly: Sequence[int], sizes: SizeEquivalence
) -> None:
    """Let a comprehension compute the new elements, and a fold of one step, or none, take them.

    If there is no array of the old ones, another comprehension computes it: in a fold, too, if it
    takes time.
    """
    build = Builder.before(op, sizes.add)

    def branch(new: int, array: SSAValue) -> SSAValue:
        value = build.elements_of(op, choice.operands[new])
        count = build.steps_if(Test(choice.cond, new == 1))
        fold = build.fold_over(count, array, lambda _inner, _counter, _carried: value)
        if _is_of_elements(op.parent):
            phi.FoldOp.of(fold).irregular = UnitAttr()
        return fold

    old = choice.operands[3 - costly[0]]
    array = _array_of(op, old, sizes)
    if array is None or len(costly) > 1:
        element = build.number(0, old.type) if len(costly) > 1 else old
        array = build.elements_of(op, element)
    for new in reversed(costly):
        array = branch(new, array)
    replace(op, array, sizes)


def _is_of_sizes(value: SSAValue) -> bool:
    """Whether a value is computed from sizes of arrays alone."""

    def operands(value: SSAValue) -> Iterable[SSAValue]:
        return () if isinstance(value.owner, phi.SizeOp) else sources(value)

    return not any(
        isinstance(each.owner, Block | phi.GetOp) or each.owner.regions
        for each in reached([value], operands)
    )


def _split_choices(block: Block) -> None:
    """``where(c, x, y)  -->  where(c, x, where(c, 0, y))`` where each one takes time."""
    for op in list(block.ops):
        if not isinstance(op, arith.SelectOp):
            continue
        choices = list(_choices(op))
        if len(choices) > 1 and all(
            _Branch(block, [each], scalars=False).is_worth_while() for each in choices
        ):
            zero = Builder.before(op).number(0, op.result.type)
            other = arith.SelectOp(op.cond, zero, op.rhs)
            Rewriter.insert_op(other, InsertPoint.before(op))
            op.operands[2] = other.result


def _sink_into(block: Block, *, scalars: bool, static: bool = False) -> bool:
    """Sink the operations of a block; whether some have moved."""
    groups = dict[Test, list[_Choice]]()
    for op in block.ops:
        for choice in _choices(op):
            if not static or _is_of_sizes(choice.test.condition):
                groups.setdefault(_normalized(choice.test), []).append(choice)
    changed = is_stale = False
    for choices in groups.values():
        present = [each for each in choices if each.op.parent is block]
        current = [each for each in present if each in _choices(each.op)]
        is_stale |= len(current) < len(present)
        if current:
            changed |= _Branch(block, current, scalars=scalars).sink()
    return (is_stale and _sink_into(block, scalars=scalars, static=static)) or changed


def sink_into_branches(block: Block, *, scalars: bool, static: bool) -> bool:
    """Sink the operations of a block, and of the loops in it; whether some have moved."""
    if not static:
        _split_choices(block)
    changed = _sink_into(block, scalars=scalars, static=static)
    for op in list(block.ops):
        if isinstance(op, phi.CountedOp):
            body = op.regions[0].block
            changed |= sink_into_branches(body, scalars=scalars, static=static)
    return changed


def _is_of_elements(block: Block | None) -> bool:
    """Whether a block is computed for each element of an array: so are its conditions."""
    return block is not None and isinstance(block.parent_op(), phi.ArrayOp)


def _comprehensions_in(block: Block, *, elements: bool) -> Iterator[phi.ArrayOp]:
    """The comprehensions of a block and of the steps of loops in it; with elements, of theirs."""
    for op in block.ops:
        if isinstance(op, phi.CountedOp) or (elements and isinstance(op, phi.ArrayOp)):
            yield from _comprehensions_in(op.regions[0].block, elements=elements)
        if isinstance(op, phi.ArrayOp):
            yield op


class _Branch:
    """The operations of a block that are evaluated only if a test holds."""

    def __init__(self, block: Block, choices: Sequence[_Choice], *, scalars: bool):
        self.block = block
        self.scalars = scalars
        self.choices = choices
        self.ops = self._exclusive()

    def sink(self) -> bool:
        """Replace the choices by one fold of one step, or none, if that saves work."""
        self.choices = list(filter(self._is_needed, self.choices))
        if not self.is_worth_while():
            return False
        order = {op: number for number, op in enumerate(self.block.ops)}
        self.choices = self._independent(sorted(self.choices, key=lambda each: order[each.op]))
        self.ops = self._exclusive()
        if not self.is_worth_while():
            return False
        last = order[self.choices[-1].op]
        late = sorted((op for op in self._dependent if order[op] < last), key=order.__getitem__)
        if any(may_fail(inner) for op in late for inner in operations_in(op)):
            return False
        self.ops.sort(key=order.__getitem__)
        self._replace(late)
        return True

    # Analysis

    def _independent(self, choices: Sequence[_Choice]) -> list[_Choice]:
        """The choices that depend on no other one, and the values that depend on them."""
        found, dependent = list[_Choice](), set[Operation]()
        for choice in choices:
            if choice.op not in dependent:
                found.append(choice)
                dependent.update(reached([choice.op], self._users))
        self._dependent = dependent.difference(choice.op for choice in found)
        return found

    def _users(self, op: Operation) -> Iterator[Operation]:
        """The operations of the block that use a result of another one."""
        for result in op.results:
            for use in result.uses:
                user = self.block.find_ancestor_op_in_block(use.operation)
                if user is not None:
                    yield user

    def _exclusive(self) -> list[Operation]:
        """The operations that only the branch uses; no one that may raise an error."""
        found = dict[Operation, None]()
        by_op = {choice.op: choice for choice in self.choices}

        def is_in_branch(use: Use) -> bool:
            user = self.block.find_ancestor_op_in_block(use.operation)
            if user in found:
                return True
            choice = by_op.get(user) if user is not None else None
            if choice is None:
                return False
            return choice.takes(use) or (choice.branch is None and user is not use.operation)

        pending = [op for choice in self.choices for op in makers(choice.new(), self.block)]
        while pending:
            op = pending.pop()
            uses = (use for result in op.results for use in result.uses)
            is_new = op not in found and op not in by_op
            if is_new and all(map(is_in_branch, uses)) and _may_move(op):
                found[op] = None
                pending.extend(makers(operands_within(op), self.block))
        return list(found)

    def _is_needed(self, choice: _Choice) -> bool:
        """Whether a choice is a selection, or a conjunction whose other operand takes time."""
        if choice.branch is None or isinstance(choice.op, arith.SelectOp):
            return True
        own, ops = choice.op.operands[choice.branch].owner, set(self.ops)

        def before(op: Operation) -> Iterable[Operation]:
            return (x for x in makers(operands_within(op), self.block) if x in ops)

        return (
            isinstance(own, Operation)
            and own in ops
            and any(map(_takes_time, reached([own], before)))
        )

    def is_worth_while(self) -> bool:
        """Whether there are choices, and the branch takes time."""
        if not self.choices:
            return False
        if any(map(_takes_time, self.ops)):
            return True
        return self.scalars and len(self.ops) >= SCALARS * len(self.choices)

    # Rewriting

    def _replace(self, late: Sequence[Operation]) -> None:
        last = self.choices[-1].op
        build = Builder.before(last)
        count = build.steps_if(self.choices[0].test)
        start = build.packed([choice.old for choice in self.choices])
        body = Block(arg_types=[i64, start.type])
        is_irregular = _is_of_elements(self.block)
        fold = build.insert(phi.FoldOp(count, start, Region(body), irregular=is_irregular))
        self._fill(body)
        values = build.unpacked(fold.result, len(self.choices))
        build.move(*late)
        for choice, value in zip(self.choices, values, strict=True):
            (result,) = choice.op.results
            value.name_hint = result.name_hint
            Rewriter.replace_op(choice.op, [], [value])

    def _fill(self, body: Block) -> None:
        """Move the operations of the branch into the body of a fold."""
        accumulator = body.args[1]
        inner = Builder.at_end(body)
        carried = inner.unpacked(accumulator, len(self.choices))
        inner.move(*self.ops)
        new = [
            self._new(choice, body, old) for choice, old in zip(self.choices, carried, strict=True)
        ]
        for choice, old in zip(self.choices, carried, strict=True):
            old.name_hint = choice.old.name_hint
            if not phi.is_scalar_type(old.type):
                choice.old.replace_uses_with_if(old, lambda use: _is_inside(use, body))
        inner.yield_(inner.packed(new))

    def _new(self, choice: _Choice, body: Block, old: SSAValue) -> SSAValue:
        """The new value of a choice; that of a fold is computed by its step."""
        if choice.branch is not None:
            return choice.op.operands[choice.branch]
        assert isinstance(choice.op, phi.FoldOp)
        step = choice.op.body.block
        *ops, end = step.ops
        for variable, value in zip(step.args, (body.args[0], old), strict=True):
            variable.replace_all_uses_with(value)
        Builder.at_end(body).move(*ops)
        return end.operands[0]


def _is_inside(use: Use, body: Block) -> bool:
    return body.find_ancestor_op_in_block(use.operation) is not None


def _may_move(op: Operation) -> bool:
    """Whether it does not matter if an operation is evaluated."""
    return not isinstance(op, phi.YieldOp) and may_be_skipped(operations_in(op))


def _takes_time(op: Operation) -> bool:
    """Whether an operation computes an array, or is a loop."""
    return bool(op.regions) or (isinstance(op, phi.PhiOp) and not isinstance(op, _CHEAP))


_CHEAP = (phi.GetOp, phi.SizeOp, phi.ProjOp, phi.TupleOp, phi.YieldOp)


@dataclass(frozen=True)
class SinkIntoBranchesPass(FunctionPass):
    """Sinks operations that only a branch of a selection uses into a fold that runs if it is taken.

    Before::

        %y = phi.fold (%k < %n, %s = %zero) -> f64 { .. }
        %x = arith.select %c, %y, %x0 : f64

    After::

        %count = arith.select %c, %one, %none : i64
        %x = phi.fold (%k < %count, %new = %x0) -> f64 {
          %y = phi.fold (%k1 < %n, %s = %zero) -> f64 { .. }
          phi.yield %y : f64
        }

    A comprehension whose elements a condition of all of them selects, as ``where(c, x(i), y[i])``,
    is one of ``x(i)`` in a branch. If both values take time, each is computed in a branch, with 0
    in its place in the other one. The step of a fold that runs once or not is a branch, and in a
    loop, so is an operand of a conjunction or disjunction. All choices by one condition become one
    fold, whose accumulator is a record of their values. An operation that may raise an error stays,
    and so do those in comprehensions, whose elements are evaluated together.

    A branch is worth it if it has a loop or computes an array. With the option ``scalars``, also if
    it has `SCALARS` operations on scalars for each value. With ``elements``, for loops that compute
    one element after another, rows of a comprehension are computed in branches, too. With
    ``static``, only conditions of sizes have branches, for libraries that compile a program for
    fixed sizes: they compile the branch that is taken.
    """

    scalars: bool = False
    elements: bool = False
    static: bool = False

    name = "sink-into-branches"
    looks_for = (arith.SelectOp, arith.AndIOp, arith.OrIOp)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        sizes = analyses.get(equal_sizes, function)
        for op in list(_comprehensions_in(function.body.block, elements=self.elements)):
            block = op.parent
            if separate_choice(op, sizes, static=self.static) and block and _is_of_elements(block):
                _sink_into(block, scalars=False)
        if sink_into_branches(function.body.block, scalars=self.scalars, static=self.static):
            analyses.invalidate(function)
