"""``print-size-equivalence``: the result of the analysis of sizes."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from ein_mlir.analysis.diagnostics import index_name
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence, Term, classes_of, terms_of
from ein_mlir.analysis.scopes import values_in


def describe(term: Term) -> str:
    """``%n`` for an Int, ``|%a|0`` for a size along an axis, ``%t.1.0`` for fields of records."""
    name = index_name(term.value) + "".join(f".{field}" for field in term.path)
    return name if term.axis is None else f"|{name}|{term.axis}"


def size_classes(function: func.FuncOp) -> list[str]:
    """A line for each class of at least two provably equal sizes and Ints of a function."""
    terms = [term for value in values_in(function) for term in terms_of(value)]
    classes = classes_of(SizeEquivalence(function), terms)
    return [" = ".join(map(describe, group)) for group in classes if len(group) > 1]


class PrintSizeEquivalencePass(ModulePass):
    """Prints the classes of provably equal sizes, and leaves the module unchanged.

    Before::

        func.func @zeros_like(%a: !phi.vec<f64>, %x: f64) -> !phi.vec<f64> {
          %n = phi.size %a, 0 : !phi.vec<f64>
          %b = phi.array (%i < %n) -> !phi.vec<f64> {
            phi.yield %x : f64
          }
          func.return %b : !phi.vec<f64>
        }

    After, the module is unchanged, and this is printed::

        // sizes in @zeros_like
        //   |%a|0 = %n = |%b|0
    """

    name = "print-size-equivalence"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.walk():
            if isinstance(function, func.FuncOp):
                lines = [f"sizes in @{function.sym_name.data}"]
                lines.extend(f"  {line}" for line in size_classes(function))
                print("\n".join(f"// {line}" for line in lines))
