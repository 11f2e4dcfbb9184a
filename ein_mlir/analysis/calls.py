"""Calls of the functions of a module."""

from __future__ import annotations

from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import PassFailedException

from ein_mlir.analysis.diagnostics import where_written
from ein_mlir.analysis.scopes import operations_of


def functions_in(module: ModuleOp) -> dict[str, func.FuncOp]:
    """The functions of a module by their names."""
    return {op.sym_name.data: op for op in module.ops if isinstance(op, func.FuncOp)}


def calls_in(function: func.FuncOp) -> list[func.CallOp]:
    """The calls in a function's body, in order."""
    return operations_of(function, func.CallOp)


def callees_first(functions: Mapping[str, func.FuncOp]) -> list[str]:
    """The names of functions, each after those that it calls.

    Raises PassFailedException for functions that call each other in a cycle, and for a callee that
    is not defined in the module or has several blocks.
    """
    calls = {name: calls_in(function) for name, function in functions.items()}
    for call in (call for group in calls.values() for call in group):
        _check_callee(call, functions.get(call.callee.string_value()))
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
