"""Conversion of emitpy to readable Python source.

One pass over the operations, in their order. Every held expression is as short as a line, so the
time is linear in the size of the program.

- `program`: the shared part of functions: imports, helpers, global names
- `statements`: an operation to a statement, or to a held expression
- `operations`, `expressions`: an operation to an expression; its text and parentheses
- `body`: lines, held expressions, and variables for parts that are too long
- `variables`, `names`: the variable of a value, and its name
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import IO

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.utils.target import Target

from ein_mlir.analysis.diagnostics import parameter_names
from ein_mlir.analysis.hints import isa
from ein_mlir.dialects import emitpy
from ein_mlir.dialects.emitpy.names import LIBRARIES
from ein_mlir.host.dataclass import dataclass
from ein_mlir.targets.python import expressions as py
from ein_mlir.targets.python.body import WIDTH, Body
from ein_mlir.targets.python.names import Names
from ein_mlir.targets.python.operations import unknown
from ein_mlir.targets.python.program import Program
from ein_mlir.targets.python.statements import Statements


@dataclass(frozen=True)
class PythonTarget(Target):
    """``-t python``: the source of a module whose functions are in emitpy."""

    name = "python"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        """Write the source."""
        output.write(python_source(module))


def python_source(module: ModuleOp) -> str:
    """The Python source of a module whose functions are in emitpy.

    It imports the libraries that it calls, contains the helpers that it needs, and runs without
    this package. Functions that ``emitpy.extern`` names must be added to its globals, under their
    `extern_names`.

    Raises DiagnosticException for an operation that is not in emitpy.
    """
    for op in module.ops:
        if not isinstance(op, func.FuncOp):
            raise unknown(op)
    program = Program(module)
    functions = [_function_source(program, function) for function in program.functions]
    helpers = [helper for library in LIBRARIES for helper in program.prelude(library)]
    given = f"# Given by the embedding program: {', '.join(program.externs.values())}"
    parts = (program.import_lines(), given if program.externs else "", *helpers, *functions)
    return "\n\n\n".join(part for part in parts if part) + "\n"


def function_names(module: ModuleOp) -> dict[str, str]:
    """The Python name of each function of a module, by its symbol."""
    return Program(module).names


def extern_names(module: ModuleOp) -> dict[str, str]:
    """The Python name of each function that the source takes from its globals, by its symbol."""
    return Program(module).externs


def _function_source(program: Program, function: func.FuncOp) -> str:
    body = Body(Names(program.globals))
    block = function.body.block
    names = parameter_names(function)
    arguments = [
        body.declare(argument, f"a{argument.index}", name)
        for argument, name in zip(block.args, names, strict=True)
    ]
    body.lines.extend(_decorators(program, function))
    body.lines.extend(_header(program.names[function.sym_name.data], arguments))
    with body.indented():
        Statements(program, function, body).block(block)
    return "\n".join(body.lines)


def _decorators(program: Program, function: func.FuncOp) -> Iterator[str]:
    """The lines above ``def``."""
    decorators = function.attributes.get(emitpy.DECORATORS)
    if not isa(decorators, ArrayAttr[emitpy.DecoratorAttr]):
        return
    for decorator in decorators:
        keywords = {
            name: py.literal(value.data)
            for name, value in decorator.keywords.data.items()
            if isinstance(value, StringAttr)
        }
        name = program.library_name(decorator.callee.data)
        yield f"@{py.call(name, (), keywords).text}"


def _header(name: str, arguments: Sequence[str]) -> list[str]:
    """The line, or lines, of ``def``."""
    line = f"def {name}({', '.join(arguments)}):"
    if len(line) <= WIDTH:
        return [line]
    return [f"def {name}(", *(f"    {argument}," for argument in arguments), "):"]
