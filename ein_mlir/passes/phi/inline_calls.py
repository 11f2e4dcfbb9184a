"""``inline-calls``: calls of functions of the module are replaced by their bodies."""

from __future__ import annotations

from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import PassFailedException

from ein_mlir.analysis.diagnostics import where_written


def calls_in(function: func.FuncOp) -> list[func.CallOp]:
    """The calls in a function's body, in order."""
    return [op for op in function.walk() if isinstance(op, func.CallOp)]


def callees_first(
    functions: Mapping[str, func.FuncOp], calls: Mapping[str, list[func.CallOp]]
) -> list[str]:
    """The names of functions, each after those that it calls.

    Raises PassFailedException if functions call each other in a cycle.
    """
    graph = {name: [call.callee.string_value() for call in calls[name]] for name in functions}
    try:
        return list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        # Each name in the cycle is called by the next one.
        cycle: list[str] = error.args[1][::-1]
        call = next(call for call in calls[cycle[0]] if call.callee.string_value() == cycle[1])
        raise PassFailedException(
            f"func.call: @{cycle[0]} is recursive: "
            + " calls ".join(f"@{name}" for name in cycle)
            + where_written(call)
        ) from None


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
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, func.FuncOp)}
    calls = {name: calls_in(function) for name, function in functions.items()}
    for call in (call for group in calls.values() for call in group):
        _check_callee(call, functions.get(call.callee.string_value()))
    for name in callees_first(functions, calls):
        for call in calls[name]:
            inline_call(call, functions[call.callee.string_value()])
    _remove_unused(module, functions)


def _check_callee(call: func.CallOp, callee: func.FuncOp | None) -> None:
    name = call.callee.string_value()
    if callee is None or callee.is_declaration:
        raise PassFailedException(
            f"func.call: no function @{name} is defined in the module" + where_written(call)
        )
    if len(callee.body.blocks) > 1:
        raise PassFailedException(
            f"func.call: @{name} has several blocks and cannot be inlined" + where_written(call)
        )


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
