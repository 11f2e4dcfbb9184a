"""``remove-proven-assertions``: sizes that are provably equal are not compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from xdsl.dialects import func
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence, loops_around
from ein_mlir.analysis.scopes import operations_in
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.passes import FunctionPass


def remove_proven_assertions(function: func.FuncOp) -> None:
    """``assert_eq a, b  -->  a`` if the program, or an earlier assertion, proves them equal."""
    sizes = SizeEquivalence(function, assertions=False)
    kept = Counter[Operation | None]()
    for op in operations_in(function):
        if isinstance(op, phi.AssertEqOp):
            loop = next(loops_around(op), None)
            behind_all = len(set(_asserted_by(op.lhs, loop))) == kept[loop]
            if sizes.same(op.lhs, op.rhs, op if behind_all else None):
                Rewriter.replace_op(op, (), (_asserted_side(op),))
            else:
                sizes.assume(op)
                kept[loop] += 1


def _asserted_side(op: phi.AssertEqOp) -> SSAValue:
    """The left side of an assertion; the right one if that alone keeps another assertion alive."""
    is_right = isinstance(op.rhs.owner, phi.AssertEqOp)
    return op.rhs if is_right and not isinstance(op.lhs.owner, phi.AssertEqOp) else op.lhs


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
    users of its result. With ``derivatives`` it is for functions that have some, before they are
    expanded.
    """

    name = "remove-proven-assertions"
    looks_for = (phi.AssertEqOp,)

    derivatives: bool = False

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        remove_proven_assertions(function)
