"""``nest-comprehensions``: the loops of a row have one count, which is looked up once."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.dialects.builtin import TupleType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.scopes import dependents, is_defined_in, operations_in, reached, sources
from ein_mlir.dialects import phi
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.nesting import split

# Analysis ---------------------------------------------------------------------------------------


def has_rows(op: phi.ArrayOp) -> bool:
    """Whether the elements of a row, along the last index, are loops of one looked-up count that
    read rows.
    """
    if len(op.indices) < 2 or isinstance(op.yielded().type, TupleType):
        return False
    folds = [each for each in op.body.block.ops if isinstance(each, phi.FoldOp)]
    if not any(each.irregular is not None for each in folds):
        return False
    vary = _varying(op)
    return any(
        each.irregular is not None
        and each.count not in vary
        and _is_looked_up(each.count, op.body.block)
        and _reads_rows(each, op.indices[-1])
        for each in folds
    )


def _varying(op: phi.ArrayOp) -> set[SSAValue]:
    """The values of a body that vary with its last index."""
    return dependents(op.body.block, op.indices[-1])


def _is_looked_up(count: SSAValue, block: Block) -> bool:
    """Whether a count depends on an element of an array that is read in a block."""
    found = reached([count], lambda x: sources(x) if is_defined_in(x, block) else ())
    return any(isinstance(x.owner, phi.GetOp) and is_defined_in(x, block) for x in found)


def _reads_rows(fold: phi.FoldOp, index: SSAValue) -> bool:
    """Whether a loop reads elements that are neighbours for neighbouring indices."""
    return any(
        isinstance(each, phi.GetOp)
        and bool(each.positions)
        and phi.uncast(each.positions[-1]) is index
        for each in operations_in(fold)
    )


# Rewriting --------------------------------------------------------------------------------------


def nest(op: phi.ArrayOp) -> None:
    """``array (i < n, j < m) { e }  -->  array (i < n) { array (j < m) { e } }``

    The values that do not vary with the last index are computed for each row.
    """
    row = split(op, len(op.indices) - 1).yielded().owner
    assert isinstance(row, phi.ArrayOp)
    vary = _varying(row)
    for each in list(row.body.block.ops):
        if not isinstance(each, phi.YieldOp) and not _varies(each, vary):
            each.detach()
            Rewriter.insert_op(each, InsertPoint.before(row))


def _varies(op: Operation, vary: set[SSAValue]) -> bool:
    """Whether an operation, or its body, reads values that vary."""
    return any(not vary.isdisjoint(each.operands) for each in operations_in(op))


class NestComprehensionsPass(FunctionPass):
    """Makes a comprehension one of rows, if the loops of a row have one count that is looked up.

    Before (the product of a sparse matrix and a matrix)::

        %c = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
          %count = .. from %ends[%i]
          %s = phi.fold irregular (%k < %count, %acc = %zero) -> f64 {
            .. %b[%q, %j] ..
          }
          phi.yield %s : f64
        }

    After::

        %c = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
          %count = .. from %ends[%i]
          %row = phi.array (%j < %m) -> !phi.vec<f64> {
            %s = phi.fold irregular (%k < %count, %acc = %zero) -> f64 {
              .. %b[%q, %j] ..
            }
            phi.yield %s : f64
          }
          phi.yield %row : !phi.vec<f64>
        }

    The count is looked up and checked once for each row, and `interchange-loops` finds loops of
    equal counts, which read neighbours. A comprehension of records stays.
    """

    name = "nest-comprehensions"
    looks_for = (phi.FoldOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        for op in operations_in(function):
            if isinstance(op, phi.ArrayOp) and has_rows(op):
                analyses.note(op, "loops of a row have one count, which is looked up once")
                nest(op)
