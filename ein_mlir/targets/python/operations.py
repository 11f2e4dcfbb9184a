"""The Python expression of each operation of emitpy."""

from __future__ import annotations

from xdsl.ir import Operation
from xdsl.utils.exceptions import DiagnosticException

from ein_mlir.analysis.diagnostics import where_written
from ein_mlir.dialects import emitpy
from ein_mlir.dialects.emitpy.names import CALLED_AS_METHODS
from ein_mlir.targets.python import expressions as py
from ein_mlir.targets.python.expressions import Expression, Operands
from ein_mlir.targets.python.program import Program


def render(op: Operation, values: Operands, program: Program) -> Expression:
    """The expression of an operation, given those of its operands.

    Raises DiagnosticException for an operation that is not an expression of emitpy.
    """
    match op:
        case emitpy.LiteralOp():
            return py.literal(op.data)
        case emitpy.SubscriptOp():
            return py.subscript(values[0], values[1:])
        case emitpy.AttrOp():
            return py.attribute(values[0], op.attribute.data)
        case emitpy.BinaryOp() | emitpy.AugmentOp():
            return py.binary(values[0], op.operator.data, values[1])
        case emitpy.CallOp() if op.callee.data in CALLED_AS_METHODS and op.positional:
            return py.method(values[0], _call(method_of(op), op, values[1:], 1))
        case emitpy.CallOp():
            return _call(program.library_name(op.callee.data), op, values)
        case emitpy.SliceOp():
            return py.slice_(values)
        case emitpy.TupleOp():
            return py.tuple_(values)
        case emitpy.MethodOp():
            return py.method(values[0], _call(op.method.data, op, values[1:]))
        case emitpy.HelperOp():
            return _call(program.function_name(op), op, values)
        case emitpy.NameOp():
            return Expression(program.library_name(op.target.data), trivial=True)
        case emitpy.UnaryOp():
            return py.unary(op.operator.data, values[0])
        case emitpy.ConditionalOp():
            return py.conditional(*values)
        case emitpy.ExternOp():
            return _call(program.externs[op.callee.string_value()], op, values)
        case _:
            raise unknown(op)


def method_of(op: emitpy.CallOp | emitpy.CallIntoOp) -> str:
    """``take`` of ``np.take``"""
    return op.callee.data.rpartition(".")[2]


def _call(function: str, op: emitpy.CallLikeOp, values: Operands, taken: int = 0) -> Expression:
    """A call with the operands by position behind those that are taken, and those by keyword."""
    count = len(op.positional) - taken
    keywords = zip(op.keyword_arguments, values[count:], strict=True)
    return py.call(function, values[:count], dict(keywords))


def unknown(op: Operation) -> DiagnosticException:
    """The error about an operation that is not in emitpy."""
    return DiagnosticException(
        f"'{op.name}' has no Python source: the target prints emitpy, run a pass such as "
        f"convert-yarr-to-numpy first{where_written(op)}"
    )
