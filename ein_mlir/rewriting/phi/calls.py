"""The bodies of functions in place of references to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.calls import functions_in
from ein_mlir.analysis.scopes import operations_in
from ein_mlir.dialects import phi
from ein_mlir.rewriting.phi.insertion import Inserter


def inlined(
    build: Inserter, callee: func.FuncOp, arguments: Sequence[SSAValue]
) -> tuple[SSAValue, ...]:
    """The results of a function with a single block, computed by a copy of its operations."""
    body = callee.body.clone().block
    for parameter, argument in zip(body.args, arguments, strict=True):
        parameter.replace_all_uses_with(argument)
    for op in list(body.ops):
        op.detach()
        if isinstance(op, func.ReturnOp):
            results = tuple(op.arguments)
            op.erase()
            return results
        build.insert(op)
    return ()


def remove_unused(functions: Mapping[str, func.FuncOp], module: ModuleOp) -> None:
    """Remove the private functions of a module that no operation refers to."""
    used = {
        attribute.root_reference.data
        for op in operations_in(module)
        for attribute in (*op.properties.values(), *op.attributes.values())
        if isinstance(attribute, SymbolRefAttr)
    }
    for name, function in functions.items():
        visibility = function.sym_visibility
        if name not in used and visibility is not None and visibility.data == "private":
            Rewriter.erase_op(function)


def rules_of(module: ModuleOp) -> set[str]:
    """The names of the functions that are derivatives of extrinsics."""
    rules = (
        rule
        for op in operations_in(module)
        if isinstance(op, phi.ExternOp)
        for rule in (op.jvp, op.vjp)
    )
    return {rule.root_reference.data for rule in rules if rule is not None}


def forget_rules(module: ModuleOp, rules: set[str]) -> None:
    """Remove the derivatives of extrinsics, and the functions that they are."""
    for op in operations_in(module):
        if isinstance(op, phi.ExternOp):
            op.jvp = op.vjp = None
    if rules:
        functions = functions_in(module)
        remove_unused({name: functions[name] for name in rules & functions.keys()}, module)
