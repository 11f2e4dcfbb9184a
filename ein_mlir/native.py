"""Programs of loops as machine code."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp

from ein_mlir.analysis.hints import isa
from ein_mlir.backends.native import abi
from ein_mlir.backends.native.program import Function, Program, function_of
from ein_mlir.pipelines import run_pipeline


def native_program(loops: ModuleOp) -> Program:
    """The program of a module of loops, as text for LLVM; the module is not changed."""
    from ein_mlir.targets.llvm_ir.printer import llvm_ir

    functions = dict[str, Function]()
    for op in loops.ops:
        if isinstance(op, FuncOp):
            functions[op.sym_name.data] = function_of(op)
    defined = [op.sym_name.data for op in loops.ops if isinstance(op, FuncOp) and op.body.blocks]
    module = run_pipeline(loops.clone(), ("convert-loops-to-llvm",))
    return Program(
        llvm_ir(module),
        tuple(functions[name] for name in defined),
        tuple(functions[name] for name in _strings(module, abi.EXTERNS)),
        _strings(module, abi.MESSAGES),
    )


def _strings(module: ModuleOp, attribute: str) -> tuple[str, ...]:
    """The strings in an attribute of a module; none without the attribute."""
    value = module.attributes.get(attribute)
    if not isa(value, ArrayAttr[StringAttr]):
        return ()
    return tuple(string.data for string in value)


def native_function(
    loops: ModuleOp, name: str, externs: Mapping[str, Callable[..., Any]] | None = None
) -> Callable[..., Any]:
    """A function of a module of loops, compiled for the host."""
    from ein_mlir.backends.native.runtime import load

    return load(native_program(loops), name, externs or {})
