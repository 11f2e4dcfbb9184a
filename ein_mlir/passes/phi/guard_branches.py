"""``guard-branches``: operations of branches not taken have finite derivatives."""

from __future__ import annotations

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import i1
from xdsl.ir import Block, Operation

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.singularities import is_scalar_operator, is_singular
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.guards import guard_operand
from ein_mlir.rewriting.phi.insertion import Builder


def guard_branches(block: Block, *, products: bool = False) -> None:
    """Guard operations that only a branch of a scalar selection uses, also in inner blocks.

    Later selections are visited first: an operation in several branches is guarded by each of them.
    With ``products``, only selections that are factors are visited.
    """
    has_singular = any(map(is_singular, block.ops))
    for op in reversed(list(block.ops)):
        for region in op.regions:
            for inner in region.blocks:
                guard_branches(inner, products=products)
        if (
            has_singular
            and isinstance(op, arith.SelectOp)
            and op.cond.type == i1
            and (not products or _is_factor(op))
        ):
            _guard(op, 1)
            _guard(op, 2)


def _is_factor(select: arith.SelectOp) -> bool:
    """Whether a product takes a selection."""
    return any(isinstance(use.operation, arith.MulfOp) for use in select.result.uses)


def _guard(select: arith.SelectOp, branch: int) -> None:
    """Guard the singular operations of a branch, and move them after the condition."""
    found = _branch(select, branch)
    if select.parent is None or not any(map(is_singular, found)):
        return
    for op in [op for op in select.parent.ops if op in found]:
        Builder.before(select).move(op)
        if is_singular(op):
            guard_operand(op, select.cond, used_if_true=branch == 1)


def _branch(select: arith.SelectOp, branch: int) -> set[Operation]:
    """The scalar operations of the block that only a branch uses."""
    found = set[Operation]()
    work = [select.operands[branch]]
    while work:
        value = work.pop()
        op = value.owner
        if (
            isinstance(op, Operation)
            and op not in found
            and op.parent is select.parent
            and is_scalar_operator(op)
            and all(
                use.operation in found or (use.operation is select and use.index == branch)
                for use in value.uses
            )
        ):
            found.add(op)
            work.extend(op.operands)
    return found


@dataclass(frozen=True)
class GuardBranchesPass(FunctionPass):
    """Gives operations in a branch a harmless operand if the branch is not taken.

    The derivative of a selection multiplies the derivative of the branch not taken by zero; zero
    times an infinite derivative is NaN. Values do not change.

    Before, with NaN as derivative at 0::

        %y = math.log %x : f64
        %c = arith.cmpf ogt, %x, %zero : f64
        %z = arith.select %c, %y, %zero : f64

    After, with 0::

        %c = arith.cmpf ogt, %x, %zero : f64
        %0 = arith.constant 5.000000e-01 : f64
        %1 = arith.select %c, %x, %0 : f64
        %y = math.log %1 : f64
        %z = arith.select %c, %y, %zero : f64

    Operations with other users are unchanged. It is for libraries that differentiate programs;
    ``differentiate`` needs no guards. With the option ``products`` only branches of selections that
    are factors have guards: sums of products are fast if all elements of these are finite.
    """

    products: bool = False

    name = "guard-branches"
    looks_for = (arith.SelectOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        guard_branches(function.body.block, products=self.products)
