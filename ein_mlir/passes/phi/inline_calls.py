"""``inline-calls``: calls of functions of the module are replaced by their bodies."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.calls import callees_first, calls_in, functions_in
from ein_mlir.rewriting.phi.calls import inlined, remove_unused
from ein_mlir.rewriting.phi.insertion import Builder


def inline_call(call: func.CallOp, callee: func.FuncOp) -> None:
    """Replace a call by a copy of the callee's only block."""
    results = inlined(Builder.before(call), callee, call.arguments)
    Rewriter.replace_op(call, (), results)


def inline_calls(module: ModuleOp) -> None:
    """Inline all calls of a module, and remove private functions without further references.

    Raises PassFailedException for a recursive function, and for a callee that is not defined in the
    module or has several blocks.
    """
    functions = functions_in(module)
    for name in callees_first(functions):
        for call in calls_in(functions[name]):
            inline_call(call, functions[call.callee.string_value()])
    remove_unused(functions, module)


class InlineCallsPass(ModulePass):
    """Inlines every call, transitively.

    Before::

        func.func private @square(%x: f64) -> f64 {
          %y = arith.mulf %x, %x : f64
          func.return %y : f64
        }
        func.func @main(%a: f64) -> f64 {
          %b = func.call @square(%a) : (f64) -> f64
          func.return %b : f64
        }

    After::

        func.func @main(%a: f64) -> f64 {
          %y = arith.mulf %a, %a : f64
          func.return %y : f64
        }
    """

    name = "inline-calls"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        inline_calls(op)
