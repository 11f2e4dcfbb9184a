"""``split-cases``: each value of an index that conditions compare is a case, if it has few."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice, takewhile

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import i1
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.phi.cases import MOST_OPERATIONS, decides, is_few, may_have_cases
from ein_mlir.analysis.phi.selections import reduction
from ein_mlir.analysis.predicates import relation_of
from ein_mlir.analysis.scopes import around, innermost_first
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.replacement import read_instead, replace


def _found(op: phi.ArrayOp) -> int | None:
    """The first index with few values that conditions compare with constants.

    Of several indices: the elements of a short vector are computed at once.
    """
    if len(op.indices) < 2 or not may_have_cases(op):
        return None
    for axis, index in enumerate(op.indices):
        casts = (use.operation for use in index.uses)
        is_compared = any(isinstance(cast, arith.IndexCastOp) and decides(cast) for cast in casts)
        if is_compared and is_few(known_int(op.sizes[axis])):
            return axis
    return None


def _split(op: phi.ArrayOp, axis: int) -> list[phi.ArrayOp]:
    """``array (i < n, c < 2) { e(i, c) }  -->  array (i, c < 1) { e(i, 0) } ++ .. { e(i, 1) }``

    Returns the comprehensions of the cases.
    """
    build, cases = Builder.before(op), list[phi.ArrayOp]()
    one = build.integer(1)
    for case in range(known_int(op.sizes[axis]) or 0):
        part = build.copy(op)
        part.operands[axis] = one
        cases.append(part)
        value = Builder.at_start(part.body.block).integer(case)
        read_instead(list(part.indices[axis].uses), value)
    joined: SSAValue = cases[0].result
    for number, part in enumerate(cases[1:], 2):
        joined = build.joined_along(op, axis, joined, part.result, build.integer(number))
    replace(op, joined)
    return cases


def _tests_of_first(op: phi.FoldOp) -> dict[arith.CmpiOp, bool]:
    """The tests that single out the first step, with their truth in others, if loops read some.

    None of a reduction: its terms are an array, whose first row is no case of its own.
    """
    if reduction(op) is not None:
        return {}
    found = dict[arith.CmpiOp, bool]()
    for use in op.counter.uses:
        test = use.operation
        if not isinstance(test, arith.CmpiOp) or (relation := relation_of(test.result)) is None:
            continue
        if (truth := relation.after_first) is not None:
            found[test] = truth
    users = (use.operation for test in found for use in test.result.uses)
    if not any(_is_in_loop_of(user, op) for user in users) or _reads_own(op):
        return {}
    return found if sum(1 for _ in islice(op.walk(), MOST_OPERATIONS)) < MOST_OPERATIONS else {}


def _reads_own(op: phi.FoldOp) -> bool:
    """Whether loops in a step read elements of the row that the step writes: by diagonals."""
    return any(
        isinstance(read, phi.GetOp)
        and isinstance(read.array, BlockArgument)
        and isinstance(read.array.block.parent_op(), phi.FoldOp)
        for read in (use.operation for use in op.counter.uses)
    )


def _is_in_loop_of(op: Operation, fold: phi.FoldOp) -> bool:
    """Whether an operation is in a loop in a step of another loop."""
    inside = takewhile(lambda each: each is not fold, around(op))
    return any(isinstance(each, phi.FoldOp) for each in inside)


def _split_first(op: phi.FoldOp, tests: Mapping[arith.CmpiOp, bool]) -> None:
    """``fold (k < n, x = a) { e(k, x) }  -->  fold (k < n - 1, x = e(0, a)) { e(k + 1, x) }``

    where n may be zero: then neither has a step. The tests become constants.
    """
    build = Builder.before(op)
    count = build.min(op.count, build.integer(1))
    first = build.copy(op)
    first.operands[0] = count
    first.counter.replace_all_uses_with(Builder.at_start(first.body.block).integer(0))
    op.operands[1] = first.result
    for test, truth in tests.items():
        constant = arith.ConstantOp.from_int_and_width(int(truth), i1)
        Rewriter.replace_op(test, constant)
    build.skip_steps(op, 1)


@dataclass(frozen=True)
class SplitCasesPass(FunctionPass):
    """Turns each value of an index into a case, if there are few and conditions compare it.

    Before, where ``%three`` is 3, the channels of pixels::

        %r = phi.array (%i < %n, %c < %three) -> !phi.vec<!phi.vec<f64>> {
          select (%c == 0), %a[%i], exp %a[%i]
        }

    After::

        %0 = phi.array (%i < %n, %c < %one) -> !phi.vec<!phi.vec<f64>> { %a[%i] }        // 0 for %c
        %1 = phi.array (%i < %n, %c < %one) -> !phi.vec<!phi.vec<f64>> { exp %a[%i] }    // 1
        %2 = phi.array (%i < %n, %c < %one) -> !phi.vec<!phi.vec<f64>> { exp %a[%i] }    // 2
        %r = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> { %0[%i] ++ %1[%i] ++ %2[%i] }

    No case computes the elements of another. ``delinearize-indices`` makes such an index of a
    remainder, so that elements of even and of odd indices are cases.

    The first step of a fold is a case, too, if a loop in it tests for that, as loops over a table
    whose first row is given do: ``where(i == 0, x, t[i - 1, j])`` at ``(i, j)``. There is a fold of
    ``min(n, 1)`` steps with 0 for ``%i``, and one of ``n - 1`` steps with ``%i + 1``, without the
    test: its rows depend on the rows before, and are computed at once. A table whose steps read the
    row that they write stays whole: ``skew-folds`` has its border.
    """

    name = "split-cases"
    looks_for = (arith.CmpiOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        for fold in innermost_first(function, phi.FoldOp):
            if tests := _tests_of_first(fold):
                analyses.note(fold, f"the first step over {name_of(fold.counter)} is a case")
                _split_first(fold, tests)
        pending = list(innermost_first(function, phi.ArrayOp))
        while pending:
            op = pending.pop()
            axis = _found(op)
            if axis is not None:
                analyses.note(op, f"each value of {name_of(op.indices[axis])} is a case")
                pending.extend(_split(op, axis))
