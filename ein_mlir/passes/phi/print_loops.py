"""``print-loops``: the result of the analysis of loops."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from ein_mlir.analysis.diagnostics import index_name
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.free_indices import leaf_types
from ein_mlir.analysis.phi.index_forms import IndexForms, index_forms
from ein_mlir.analysis.phi.loops.carried import Fields
from ein_mlir.analysis.phi.loops.summary import Summaries
from ein_mlir.analysis.phi.size_equivalence import equal_sizes
from ein_mlir.dialects import phi


def fields_of_folds(function: func.FuncOp) -> Iterator[str]:
    """A line for each field of the accumulator of each fold."""
    analyses = AnalysisManager()
    forms, sizes = analyses.get(index_forms, function), analyses.get(equal_sizes, function)
    summaries = Summaries(forms, sizes)
    for op in function.walk():
        if isinstance(op, phi.FoldOp):
            count = len(leaf_types(op.result.type))
            for number in range(count):
                field = f".{number}" if count > 1 else ""
                found = described(op, number, summaries, forms) or "a loop"
                yield f"{index_name(op.accumulator)}{field} over {index_name(op.counter)}: {found}"


def described(op: phi.FoldOp, number: int, summaries: Summaries, forms: IndexForms) -> str | None:
    """The class of a field of the accumulator of a fold; None if it needs the loop."""
    if isinstance(op.result.type, phi.VecType):
        order = summaries.order(op)
        if order is not None:
            return f"{len(order)} folds, one for each write"
        summary = summaries.of(op)
        return None if summary is None else f"{summary}"
    carried = Fields(op, forms).carried(number)
    return None if carried is None else f"{carried}"


class PrintLoopsPass(ModulePass):
    """Prints the class of each field that a fold carries, and leaves the module unchanged.

    Before::

        func.func @running(%a: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
          %one = arith.constant 1 : i64
          %r = phi.fold (%k < %n, %v = %a) -> !phi.vec<f64> {
            %p = arith.addi %k, %one : i64
            %x = phi.get %v[%k] : !phi.vec<f64>[i64]
            %y = phi.get %v[%p] : !phi.vec<f64>[i64]
            %z = arith.addf %x, %y : f64
            %w = phi.update %v[%p], %z : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
            phi.yield %w : !phi.vec<f64>
          }
          func.return %r : !phi.vec<f64>
        }

    After, the module is unchanged, and this is printed::

        // loops in @running
        //   %v over %k: a recurrence over 1 steps of 1: add
    """

    name = "print-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.walk():
            if isinstance(function, func.FuncOp):
                lines = [f"loops in @{function.sym_name.data}"]
                lines.extend(f"  {line}" for line in fields_of_folds(function))
                print("\n".join(f"// {line}" for line in lines))
