"""``unify-sizes``: sizes that are provably equal become one value, read outside of loops."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TypeAlias

from xdsl.dialects import arith, func
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.arithmetic import Integers, LinearForm
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.index_forms import IndexForms, index_forms
from ein_mlir.analysis.phi.size_equivalence import (
    SizeEquivalence,
    Term,
    equal_sizes,
    followed,
    loop_of,
    loops_around,
    terms_of,
    unasserted,
    unasserted_equal_sizes,
)
from ein_mlir.analysis.phi.speculation import Sized
from ein_mlir.analysis.scopes import (
    block_of,
    blocks_around,
    home_of,
    is_within,
    of_kinds,
    operations_in,
    reached,
    sources,
)
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.integers import PhiLevel, is_size
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.ranges import checked_size

_Carrying: TypeAlias = phi.FoldOp | phi.WhileOp
"""Loops that carry a value from step to step."""


def unify_sizes(function: func.FuncOp, analyses: AnalysisManager, *, numbers: bool) -> None:
    """Replace each ``phi.size`` by an equal one before it; that of an accumulator leaves the loop.

    Operations are visited in order, so a size seen in an enclosing block dominates. That of a
    comprehension stays: its own size may be one that an assertion compares for it. With
    ``numbers``, sizes of arguments that are known become constants.
    """
    sizes = analyses.get(unasserted_equal_sizes, function)
    known = defaultdict[object, list[tuple[Block, SSAValue]]](list)
    for op in operations_in(function):
        if not isinstance(op, phi.SizeOp) or isinstance(op.array.owner, phi.ArrayOp):
            continue
        equal = sizes.representative(Term(op.result))
        if numbers and isinstance(equal, int):
            Rewriter.replace_op(op, (), (Builder.before(op).integer(equal),))
            continue
        values, around = known[equal], blocks_around(op)
        value = next((value for block, value in values if block in around), None)
        if value is None:
            loop, value = _outside(op, sizes)
            block = home_of(loop or op)
            values.append((block, value))
        if value is not op.result:
            Rewriter.replace_op(op, (), (value,))


def unify_counts(function: func.FuncOp) -> None:
    """Replace the sizes and counts that a function computes in its own block by equal ones before.

    ``2*r + 1`` and ``r + r + 1`` are equal modulo 2^64. Operations are visited in order, so what an
    earlier one has for its size dominates.
    """
    forms, known = Integers(PhiLevel()), dict[LinearForm, SSAValue]()
    for op in operations_in(function):
        if not isinstance(op, Sized):
            continue
        for number, value in enumerate(op.operands):
            if op.size_or_count(number) is not None and value.owner.parent is function.body.block:
                first = known.setdefault(forms.form(value), value)
                if first is not value:
                    op.operands[number] = first


def check_sizes(function: func.FuncOp, sizes: SizeEquivalence) -> None:
    """Check each argument that is the size of a comprehension in all runs, before all else.

    So is an Int such as ``n + 1``, where it is computed. From there on it is the size of an array
    of its indices: all its users know that it is a size.
    """
    block = function.body.block
    for array in [op for op in block.ops if isinstance(op, phi.ArrayOp)]:
        for axis, size in enumerate(array.sizes):
            if not _is_own(size, block) or is_size(size) or size.has_one_use():
                continue
            uses, owner = list(size.uses), size.owner
            build = (
                Builder.after(owner) if isinstance(owner, Operation) else Builder.at_start(block)
            )
            checked = checked_size(build, array.indices[axis], size)
            checked.name_hint = size.name_hint
            sizes.inherit(checked, size)
            for use in uses:
                use.operation.operands[use.index] = checked


def _is_own(size: SSAValue, block: Block) -> bool:
    """Whether an Int is an argument of a function, or one and a number more, in its own block."""
    owner = size.owner
    if isinstance(owner, arith.AddiOp | arith.SubiOp) and owner.parent is block:
        base, number = owner.operands
        return known_int(number) is not None and isinstance(base.owner, Block | phi.SizeOp)
    return owner is block


def use_numbers(function: func.FuncOp, analyses: AnalysisManager) -> None:
    """After an assertion before all loops that a size is a number, use its result for the size."""
    sizes, asserted = analyses.get(unasserted_equal_sizes, function), dict[Term | int, SSAValue]()
    for op in operations_in(function):
        if not isinstance(op, phi.AssertEqOp):
            for number, size in enumerate(op.operands if asserted else ()):
                if isinstance(size.owner, phi.SizeOp):
                    op.operands[number] = asserted.get(sizes.representative(Term(size)), size)
        elif op.parent is function.body.block and known_int(unasserted(op.result)) is not None:
            asserted.setdefault(sizes.representative(Term(op.lhs)), op.result)


def unify_asserted_sizes(function: func.FuncOp, analyses: AnalysisManager) -> None:
    """Use one of the sizes that assertions in the body of a loop compare: the first of a class.

    That of an array that loops carry comes first, if it is known before the loop: elements of the
    array are then written in place. An assertion holds in all of its body, and it keeps its own
    operands: these compare the sizes. A size that is read later, or in another body, is none of
    them.
    """
    unasserted = analyses.get(unasserted_equal_sizes, function)
    loops = [op for op in operations_in(function) if isinstance(op, phi.LoopOp)]
    compared = [(loop, asserted) for loop in loops if (asserted := _assertions_of(loop))]
    for loop, asserted in compared:
        known = _Asserted(loop, asserted, analyses.get(equal_sizes, function))
        known.prefer_carried(asserted, unasserted)
        for op in operations_in(loop)[1:]:
            if not isinstance(op, phi.AssertEqOp):
                for number, size in enumerate(op.operands):
                    if _may_be_another(size):
                        op.operands[number] = known.size(size, op)
            known.pass_by(op)


class _Asserted:
    """The sizes that are equal where the assertions of a loop hold."""

    def __init__(
        self, loop: phi.LoopOp, asserted: Iterable[phi.AssertEqOp], sizes: SizeEquivalence
    ):
        self._loop = loop
        self._loops = [loop, *loops_around(loop)]
        self._sizes = sizes
        self._passed = set[Operation]()
        self._first = dict[Term | int, SSAValue]()
        for op in asserted:
            value = _first_compared(op)
            self._first.setdefault(self._class(value), value)

    def prefer_carried(self, asserted: Iterable[phi.AssertEqOp], own: SizeEquivalence) -> None:
        """Let sizes of carried arrays be the first ones; ``own`` are equal without assertions.

        Where both that an assertion compares are such sizes, that is the first of them. A number
        comes before all.
        """
        folds = [loop for loop in self._loops if isinstance(loop, phi.FoldOp)]
        carried = {own.representative(term) for op in folds for term in terms_of(op.accumulator)}
        for op in asserted:
            is_carried = [own.representative(Term(size)) in carried for size in op.operands]
            if is_carried == [False, True] and not is_within(op.rhs, self._loop):
                self._first[self._class(op.rhs)] = op.rhs
        for op in asserted:
            for size in op.operands:
                if known_int(size) is not None and not is_within(size, self._loop):
                    self._first[self._class(size)] = size

    def pass_by(self, op: Operation) -> None:
        """Note that an operation precedes all later ones."""
        self._passed.add(op)

    def size(self, value: SSAValue, user: Operation) -> SSAValue:
        """The first that is equal to a size, if it is visible at a user."""
        first = self._first.get(self._class(value), value)
        return first if self._is_visible(first, user) else value

    def _is_visible(self, value: SSAValue, user: Operation) -> bool:
        if not is_within(value, self._loop):
            return True
        is_before = isinstance(value, BlockArgument) or value.owner in self._passed
        return is_before and block_of(value) in blocks_around(user)

    def _class(self, size: SSAValue) -> Term | int:
        return self._sizes.class_in(self._loops, self._sizes.representative(Term(size)))


def _assertions_of(loop: phi.LoopOp) -> list[phi.AssertEqOp]:
    """The assertions of a loop, and of comprehensions in it, but not of other loops."""
    return [
        op
        for op in operations_in(loop)
        if isinstance(op, phi.AssertEqOp) and next(loops_around(op), None) is loop
    ]


def _first_compared(op: phi.AssertEqOp) -> SSAValue:
    """The size that an assertion returns."""
    value = op.lhs
    while isinstance(value.owner, phi.AssertEqOp):
        value = value.owner.lhs
    return value


def _may_be_another(size: SSAValue) -> bool:
    """Whether a user in a loop may use another size.

    Others keep an assertion: users outside of all loops, and assertions that have users.
    """
    if isinstance(size.owner, phi.AssertEqOp):
        users = [use.operation for use in size.uses]
        return any(_is_kept(user) or next(loops_around(user), None) is None for user in users)
    return isinstance(size.owner, phi.SizeOp)


def _is_kept(op: Operation) -> bool:
    """Whether an operation is an assertion that has users, which need it or its result."""
    if not isinstance(op, phi.AssertEqOp):
        return False
    return any(
        each.result.first_use is not None and not _asserting_users(each)
        for each in reached([op], _asserting_users)
    )


def _asserting_users(op: phi.AssertEqOp) -> list[phi.AssertEqOp]:
    users = (use.operation for use in op.result.uses)
    return [user for user in users if isinstance(user, phi.AssertEqOp)]


def drop_extremes(function: func.FuncOp, forms: IndexForms) -> None:
    """``min(i, n)  -->  i`` for a variable i below n, unless an assertion would lose its user"""
    for op in of_kinds(operations_in(function), arith.MinSIOp):
        for kept, other in (op.operands, op.operands[::-1]):
            is_variable = isinstance(phi.uncast(kept), BlockArgument)
            if not is_variable or _is_asserted(other):
                continue
            if forms.is_at_most(forms.integer(kept), forms.integer(other)):
                Rewriter.replace_op(op, (), (kept,))
                break


def _is_asserted(value: SSAValue) -> bool:
    """Whether an Int is computed from what an assertion returns."""
    return any(isinstance(each.owner, phi.AssertEqOp) for each in reached([value], sources))


def _outside(op: phi.SizeOp, sizes: SizeEquivalence) -> tuple[_Carrying | None, SSAValue]:
    """The size of an accumulator or a result of a loop, read from the initial value.

    With it the loop before which it is then read; None if it is not moved.
    """
    size, axis = Term(op.result), op.axis.value.data
    outermost = None
    array, path = followed(op.array, ())
    while isinstance(loop := loop_of(array), _Carrying) and sizes.same(
        size, Term(loop.init, path, axis)
    ):
        outermost = loop
        array, path = followed(loop.init, path)
    if outermost is None:
        return None, op.result
    build = Builder.before(outermost)
    moved = build.size(build.field(array, path), axis)
    moved.name_hint = op.result.name_hint
    return outermost, moved


@dataclass(frozen=True)
class UnifySizesPass(FunctionPass):
    """Reads each size once, from the first array that has it: an argument, not a result of a loop.

    Before::

        %n = phi.size %u, 0 : !phi.vec<f64>
        %r = phi.fold (%t < %steps, %v = %u) -> !phi.vec<f64> {
          %m = phi.size %v, 0 : !phi.vec<f64>
          %w = phi.array (%i < %m) -> !phi.vec<f64> { ... }
          phi.yield %w : !phi.vec<f64>
        }

    After::

        %n = phi.size %u, 0 : !phi.vec<f64>
        %r = phi.fold (%t < %steps, %v = %u) -> !phi.vec<f64> {
          %w = phi.array (%i < %n) -> !phi.vec<f64> { ... }
          phi.yield %w : !phi.vec<f64>
        }

    Later passes then recognise a condition such as ``i == n - 1`` as an end of ``%w``, and the loop
    reads no sizes. ``ein_mlir.analysis.phi.size_equivalence`` proves the equality without
    assertions, which are kept in place. An assertion in a loop holds in its body, which uses one of
    the sizes that are equal then: ``i < m - 1`` for an index below n. Of equal Ints that are
    computed before all loops, such as ``2*r + 1``, sizes and counts are the first: what one of them
    requires is known of the others. An argument that is the size of a comprehension, or one and a
    number more, becomes the size of an array of indices if it has other uses: it is no less than 0
    for these. With
    ``numbers``, a size that ``ein.known_sizes`` gives is a constant: a library that unrolls sums of
    few elements would lose products of matrices by it.
    """

    name = "unify-sizes"
    looks_for = (phi.SizeOp, phi.FoldOp, phi.ArrayOp)

    numbers: bool = False

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        unify_counts(function)
        check_sizes(function, analyses.get(equal_sizes, function))
        unify_sizes(function, analyses, numbers=self.numbers)
        use_numbers(function, analyses)
        unify_asserted_sizes(function, analyses)
        drop_extremes(function, analyses.get(index_forms, function))
