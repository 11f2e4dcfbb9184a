"""``remove-proven-assertions``: sizes that are provably equal are not compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from xdsl.dialects import arith, func
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence, loops_around
from ein_mlir.analysis.scopes import around, operations_in, reached, sources
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.passes import FunctionPass


def remove_proven_assertions(function: func.FuncOp) -> None:
    """``assert_eq a, b  -->  a`` if the program, or an earlier assertion, proves them equal."""
    sizes = before = SizeEquivalence(function, assertions=False)
    if any(isinstance(op, phi.VjpOp) for op in operations_in(function)):
        before = SizeEquivalence(function, assertions=False)
    kept, found = Counter[Operation | None](), list[phi.AssertEqOp]()
    for op in operations_in(function):
        if isinstance(op, phi.AssertEqOp):
            loop = next(loops_around(op), None)
            behind_all = len(set(_asserted_by(op.lhs, loop))) == kept[loop]
            side = _same_assertion(op, found, before) or _side_of_all(op)
            if side and sizes.same(op.lhs, op.rhs, op if behind_all else None):
                Rewriter.replace_op(op, (), (side,))
            else:
                sizes.assume(op)
                kept[loop] += 1
                found.append(op)


def _same_assertion(
    op: phi.AssertEqOp, found: Sequence[phi.AssertEqOp], sizes: SizeEquivalence
) -> SSAValue | None:
    """The size of an assertion before a derivative that compares what one in it compares.

    The program may compute the same value before: it is found if it has the same sizes.
    """
    if not any(isinstance(each, phi.VjpOp) for each in around(op)):
        return None
    for other in found:
        block = other.parent
        is_before = block is not None and block.find_ancestor_op_in_block(op) is not None
        keeps_alive = _kept_alive(op.lhs) | _kept_alive(op.rhs) <= _kept_alive(other.result)
        is_same = sizes.same(op.lhs, other.lhs) and sizes.same(op.rhs, other.rhs)
        if is_before and is_same and keeps_alive:
            return other.result
    return None


def _side_of_all(op: phi.AssertEqOp) -> SSAValue | None:
    """The side of an assertion that keeps alive all assertions that both keep alive, if one does.

    The right one may, as the result of another assertion.
    """
    left, right = _kept_alive(op.lhs), _kept_alive(op.rhs)
    if right <= left:
        return op.lhs
    return op.rhs if left <= right and isinstance(op.rhs.owner, phi.AssertEqOp) else None


def _kept_alive(value: SSAValue) -> set[Operation]:
    """The assertions that a size is computed from: a loop without steps leaves one of two."""
    kinds = phi.AssertEqOp | arith.SelectOp
    values = reached([value], lambda x: sources(x) if isinstance(x.owner, kinds) else ())
    return {x.owner for x in values if isinstance(x.owner, phi.AssertEqOp)}


def _asserted_by(value: SSAValue, loop: Operation | None) -> Iterator[phi.AssertEqOp]:
    """The assertions of a loop whose result a number is.

    The users of the number keep them alive.
    """
    while isinstance(op := value.owner, phi.AssertEqOp):
        if next(loops_around(op), None) is loop:
            yield op
        value = op.lhs


@dataclass(frozen=True)
class RemoveProvenAssertionsPass(FunctionPass):
    """Removes assertions that the sizes of arrays, or earlier assertions, prove.

    Before::

        %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
        %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
        %i = phi.assert_eq %n, %m, "index i: size of a along axis 0, size of a along axis 1"
        %j = phi.assert_eq %m, %n, "index j: size of a along axis 1, size of a along axis 0"

    After, with ``%j`` replaced by ``%m``::

        %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
        %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
        %i = phi.assert_eq %n, %m, "index i: size of a along axis 0, size of a along axis 1"

    The equivalence is that of ``analysis.phi.size_equivalence``. An assertion in a loop proves
    nothing after the loop, which may run zero times; within the loop it proves facts about the
    users of its result. An assertion stays if other assertions would have no users without it. With
    ``derivatives`` it is for functions that have some, before they are
    expanded.
    """

    name = "remove-proven-assertions"
    looks_for = (phi.AssertEqOp,)

    derivatives: bool = False

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        remove_proven_assertions(function)
