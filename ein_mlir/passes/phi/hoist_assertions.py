"""``hoist-assertions``: sizes are compared before the work that relies on them."""

from __future__ import annotations

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Block, Operation

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.scopes import home_of, operations_in
from ein_mlir.dialects import phi
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.insertion import Builder


def hoist_assertions(block: Block) -> None:
    """Move the assertions of a block, with the sizes that they need, before its other operations.

    One that needs other values, such as the size of a result of a loop, stays.
    """
    asserted = [op for op in block.ops if isinstance(op, phi.AssertEqOp)]
    early, late = set[Operation](), set[Operation]()
    for op in slice_of(block, [each.result for each in asserted]):
        is_early = _is_size(op) and not any(operand.owner in late for operand in op.operands)
        (early if is_early else late).add(op)
    needed = {*slice_of(block, [op.result for op in asserted if op in early])}
    first: Operation | None = None
    for op in list(block.ops):
        if op not in needed:
            first = first or op
        elif first is not None:
            Builder.before(first).move(op)


def _is_size(op: Operation) -> bool:
    """Whether an operation compares sizes, or computes an Int without a loop."""
    if isinstance(op, phi.PhiOp):
        return isinstance(op, phi.AssertEqOp | phi.SizeOp | phi.ProjOp)
    is_number = all(isinstance(result.type, IntegerType | IndexType) for result in op.results)
    return is_number and not op.regions and op.name.startswith(f"{arith.Arith.name}.")


class HoistAssertionsPass(FunctionPass):
    """Moves assertions before the operations of their body that do not compute sizes.

    Before::

        %m = phi.size %b, 0 : !phi.vec<f64>
        %c = phi.array (%i < %n) -> !phi.vec<f64> { .. }
        %l = phi.size %a, 0 : !phi.vec<f64>
        %k = phi.assert_eq %l, %m, "index i: size of a along axis 0 and size of b along axis 0"

    After::

        %m = phi.size %b, 0 : !phi.vec<f64>
        %l = phi.size %a, 0 : !phi.vec<f64>
        %k = phi.assert_eq %l, %m, "index i: size of a along axis 0 and size of b along axis 0"
        %c = phi.array (%i < %n) -> !phi.vec<f64> { .. }

    Passes take an assertion as true in all of its body (``analysis.phi.size_equivalence``), so it
    must fail before a position is used whose bounds it proves. A wrong size is then an error before
    any work. The assertions of a body keep their order.
    """

    name = "hoist-assertions"
    looks_for = (phi.AssertEqOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        blocks = {home_of(op) for op in operations_in(function) if isinstance(op, phi.AssertEqOp)}
        for block in blocks:
            hoist_assertions(block)
