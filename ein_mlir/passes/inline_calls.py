"""``inline-calls``: calls of functions in the module become the functions' bodies."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import PassFailedException

from ein_mlir.dialects.phi import where_written


def callee(call: func.CallOp, functions: dict[str, func.FuncOp]) -> func.FuncOp:
    """The function that a call names; raises PassFailedException where it has no body."""
    name = call.callee.string_value()
    function = functions.get(name)
    if function is None or function.is_declaration:
        known = ", ".join(functions) or "none"
        raise PassFailedException(
            f"func.call: '{name}' is not defined in the module (functions: {known})"
            + where_written(call)
        )
    return function


def calls(function: func.FuncOp) -> list[func.CallOp]:
    """The calls in a function, in bodies too."""
    return [op for op in function.walk() if isinstance(op, func.CallOp)]


def callees_first(functions: dict[str, func.FuncOp]) -> Iterator[func.FuncOp]:
    """The functions, each after those that it calls; raises PassFailedException for recursion."""
    finished: set[str] = set()
    for root in functions:
        path: dict[str, Iterator[func.CallOp]] = {}
        if root not in finished:
            path[root] = iter(calls(functions[root]))
        while path:
            name, pending = next(reversed(path.items()))
            call = next(pending, None)
            if call is None:
                finished.add(name)
                del path[name]
                yield functions[name]
                continue
            target = callee(call, functions).sym_name.data
            if target in path:
                names = list(path)
                cycle = " -> ".join((*names[names.index(target) :], target))
                raise PassFailedException(
                    f"func.call: recursion cannot be inlined: {cycle}" + where_written(call)
                )
            if target not in finished:
                path[target] = iter(calls(functions[target]))


def inline_call(call: func.CallOp, function: func.FuncOp) -> None:
    """Put a copy of a function's body in the place of a call of it."""
    block = function.body.block
    mapper: dict[SSAValue, SSAValue] = dict(zip(block.args, call.arguments, strict=True))
    copies: list[Operation] = []
    for op in block.ops:
        if op is block.last_op:
            break
        copies.append(op.clone(mapper))
    assert block.last_op is not None
    results = [mapper.get(result, result) for result in block.last_op.operands]
    Rewriter.insert_op(copies, InsertPoint.before(call))
    for old, new in zip(call.res, results, strict=True):
        if new.name_hint is None:
            new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    call.detach()
    call.erase()


def inline_calls(module: ModuleOp) -> None:
    """Inline all calls of a module, then drop the private functions that nothing calls."""
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, func.FuncOp)}
    for function in callees_first(functions):
        for call in calls(function):
            inline_call(call, callee(call, functions))
    for function in functions.values():
        if function.sym_visibility is not None and function.sym_visibility.data == "private":
            function.detach()
            function.erase()


class InlineCallsPass(ModulePass):
    """Replaces each ``func.call`` by the body of the function that it calls, callees first.

    Before::

        func.func private @square(%x: f64) -> f64 {
          %y = arith.mulf %x, %x : f64
          func.return %y : f64
        }
        func.func @f(%x: f64) -> f64 {
          %z = func.call @square(%x) : (f64) -> f64
          func.return %z : f64
        }

    After::

        func.func @f(%x: f64) -> f64 {
          %y = arith.mulf %x, %x : f64
          func.return %y : f64
        }

    Private functions go, since nothing calls them any more. Recursion, and calls of functions that
    the module does not define, are errors.
    """

    name = "inline-calls"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        inline_calls(op)
