"""Modules of phi as text, and the function of a module that is compiled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import ParseError

from ein_mlir import pipelines
from ein_mlir.analysis.diagnostics import ONE_BLOCK, where_written
from ein_mlir.analysis.scopes import operations_in
from ein_mlir.dialects import phi
from ein_mlir.dialects.fastmath import wrong_laws
from ein_mlir.errors import CompilationError, EinTypeError, EinValueError
from ein_mlir.reading import Reader


def parse(text: str, name: str = "<string>") -> ModuleOp:
    """A parsed module; raises CompilationError with the location of the mistake."""
    ctx = Context()
    pipelines.register(ctx)
    try:
        return Reader(ctx, text, name).parse_module()
    except ParseError as error:
        raise CompilationError(str(error)) from error
    except RecursionError:
        raise CompilationError(
            f"{name}: regions are nested too deeply for Python: more fit after "
            "sys.setrecursionlimit(20_000)"
        ) from None


def find_entry(module: ModuleOp, entry: str | None) -> func.FuncOp:
    """The function to compile; raises EinValueError if it is missing or ambiguous."""
    functions = {f.sym_name.data: f for f in module.ops if isinstance(f, func.FuncOp)}
    if entry is not None:
        if entry not in functions:
            names = ", ".join(functions) or "none"
            raise EinValueError(f"there is no function '{entry}'; there are: {names}")
        function = functions[entry]
    else:
        public = [
            f
            for f in functions.values()
            if (f.sym_visibility is None or f.sym_visibility.data != "private")
            and not f.is_declaration
        ]
        if not public:
            raise EinValueError("the module defines no public function")
        if len(public) > 1:
            names = ", ".join(f.sym_name.data for f in public)
            raise EinValueError(f"name the entry function, one of: {names}")
        (function,) = public
    if function.is_declaration:
        raise EinValueError(f"'{function.sym_name.data}' is a declaration, it has no body")
    if len(function.body.blocks) > 1:
        raise EinValueError(f"'{function.sym_name.data}' {ONE_BLOCK}{where_written(function)}")
    for type_ in (*function.function_type.inputs, *function.function_type.outputs):
        if not phi.is_phi_type(type_):
            raise EinValueError(f"'{function.sym_name.data}': '{type_}' is not a type of phi")
    if (problem := phi.wrong_host_type(function) or wrong_laws(function)) is not None:
        raise EinValueError(f"'{function.sym_name.data}': {problem}")
    return function


def function_of(module: ModuleOp, name: str) -> func.FuncOp:
    """The function of a module that has a name."""
    return next(f for f in module.ops if isinstance(f, func.FuncOp) and f.sym_name.data == name)


def reject_python(module: ModuleOp) -> None:
    """Reject operations below phi: IR that is compiled and run must not bring its own Python."""
    for op in operations_in(module):
        for name in (op.name, *op.attributes):
            if name.startswith(("emitpy.", "yarr.")):
                raise CompilationError(
                    f"expected a program in phi, found '{name}'{where_written(op)}"
                )


def check_externs(module: ModuleOp, externs: Mapping[str, Any]) -> None:
    """Reject values that are no functions, and calls of functions that are not registered."""
    if not isinstance(externs, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise EinTypeError(f"externs: expected functions by name, {{'f': f}}, not {externs!r}")
    for name, function in externs.items():
        if not callable(function):
            raise EinTypeError(f"externs: '{name}' is {function!r}, and not a function")
    for op in operations_in(module):
        if isinstance(op, phi.ExternOp) and op.callee.root_reference.data not in externs:
            known = ", ".join(sorted(externs)) or "none"
            raise EinValueError(
                f"phi.extern: '{op.callee.root_reference.data}' is not registered "
                f"(registered: {known}){where_written(op)}"
            )
