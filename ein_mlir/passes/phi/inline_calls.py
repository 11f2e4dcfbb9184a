"""``inline-calls``: calls of functions of the module are replaced by their bodies."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.phi.calls import callees_first, calls_in, functions_in


def inline_call(call: func.CallOp, callee: func.FuncOp) -> None:
    """Replace a call by a copy of the callee's only block."""
    body = callee.body.clone().block
    terminator = body.last_op
    assert isinstance(terminator, func.ReturnOp)
    Rewriter.inline_block(body, InsertPoint.before(call), call.arguments)
    for result, value in zip(call.results, tuple(terminator.arguments), strict=True):
        result.replace_all_uses_with(value)
    Rewriter.erase_op(terminator)
    Rewriter.erase_op(call)


def inline_calls(module: ModuleOp) -> None:
    """Inline all calls of a module, and remove private functions without further references.

    Raises PassFailedException for a recursive function, and for a callee that is not defined in the
    module or has several blocks.
    """
    functions = functions_in(module)
    for name in callees_first(functions):
        for call in calls_in(functions[name]):
            inline_call(call, functions[call.callee.string_value()])
    _remove_unused(module, functions)


def _remove_unused(module: ModuleOp, functions: Mapping[str, func.FuncOp]) -> None:
    used = {
        attribute.root_reference.data
        for op in module.walk()
        for attribute in (*op.properties.values(), *op.attributes.values())
        if isinstance(attribute, SymbolRefAttr)
    }
    for name, function in functions.items():
        visibility = function.sym_visibility
        if name not in used and visibility is not None and visibility.data == "private":
            Rewriter.erase_op(function)


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
