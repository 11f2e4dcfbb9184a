"""The interpretation of a phi program in its original form, without any pass."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.interpreter import Interpreter
from xdsl.interpreters.func import FuncFunctions
from xdsl.utils.exceptions import InterpretationError

from ein_mlir.analysis.diagnostics import parameter_names
from ein_mlir.dialects import phi
from ein_mlir.errors import CompilationError, counted
from ein_mlir.interpreters.phi import PhiFunctions
from ein_mlir.interpreters.scalars import ScalarFunctions
from ein_mlir.interpreters.structured import StructuredInterpreter
from ein_mlir.interpreters.values import from_host, to_host


def run(
    module: ModuleOp,
    entry: str,
    args: Sequence[object],
    externs: Mapping[str, Callable[..., object]] | None = None,
) -> object:
    """Call the function ``entry`` of a module on NumPy arrays and Python numbers.

    Arrays of records are given and returned as records (tuples) of arrays. A function with several
    results returns a tuple of them. ``externs`` holds the functions that ``phi.extern`` may call.
    An error of the program is a ``ValueError``; unsuitable arguments are a ``TypeError``. An
    operation without a meaning, or recursion, is a ``CompilationError``.

    >>> from ein_mlir.dialects.phi import Phi
    >>> from xdsl.context import Context
    >>> from xdsl.dialects import arith, builtin, func
    >>> from xdsl.parser import Parser
    >>> context = Context()
    >>> for dialect in (arith.Arith, builtin.Builtin, func.Func, Phi):
    ...     context.load_dialect(dialect)
    >>> module = Parser(context, '''
    ...     func.func @squares(%n : i64) -> !phi.vec<i64> {
    ...       %squares = phi.array (%i < %n) -> !phi.vec<i64> {
    ...         %x = arith.index_cast %i : index to i64
    ...         %y = arith.muli %x, %x : i64
    ...         phi.yield %y : i64
    ...       }
    ...       func.return %squares : !phi.vec<i64>
    ...     }
    ... ''').parse_module()
    >>> run(module, "squares", [5])
    array([ 0,  1,  4,  9, 16])
    """
    function = _find(module, entry)
    _check_blocks(module)
    types, outputs = phi.host_types(function)
    own_types = [argument.type for argument in function.args]
    if len(args) != len(types):
        raise TypeError(f"@{entry} takes {counted(len(types), 'argument')}, got {len(args)}")
    names = [name or f"#{k}" for k, name in enumerate(parameter_names(function))]
    values = tuple(
        from_host(arg, type_, own, f"argument {name} of @{entry}")
        for arg, type_, own, name in zip(args, types, own_types, names, strict=True)
    )
    try:
        with np.errstate(all="ignore"):
            results = _interpreter(module, externs or {}).call_op(function, values)
    except InterpretationError as error:
        raise CompilationError(f"@{entry}: {error}") from None
    except RecursionError:
        raise CompilationError(f"@{entry}: calls are recursive, or nested too deeply") from None
    except Exception as error:
        # The first note shows the operation that failed, the others those around it.
        del getattr(error, "__notes__", [])[1:]
        raise
    converted = tuple(map(to_host, results, outputs))
    return converted[0] if len(converted) == 1 else converted


def _interpreter(module: ModuleOp, externs: Mapping[str, Callable[..., object]]) -> Interpreter:
    interpreter = StructuredInterpreter(module)
    for functions in (FuncFunctions(), PhiFunctions(externs), ScalarFunctions()):
        interpreter.register_implementations(functions)
    return interpreter


def _check_blocks(module: ModuleOp) -> None:
    """Raise CompilationError for branches between the blocks of a function."""
    for op in module.ops:
        if isinstance(op, func.FuncOp) and len(op.body.blocks) > 1:
            raise CompilationError(
                f"@{op.sym_name.data}: a function of phi has one block, and no branches to others"
            )


def _find(module: ModuleOp, entry: str) -> func.FuncOp:
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, func.FuncOp)}
    if entry not in functions:
        known = ", ".join(f"@{name}" for name in functions) or "none"
        raise ValueError(f"no function '@{entry}' in the module; there are: {known}")
    return functions[entry]
