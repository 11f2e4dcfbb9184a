"""The expression that each operation of emitpy is."""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch

from xdsl.ir import Operation
from xdsl.utils.exceptions import DiagnosticException

from ein_mlir.analysis.diagnostics import where_written
from ein_mlir.dialects import emitpy
from ein_mlir.targets.python import expressions as py
from ein_mlir.targets.python.expressions import Expression
from ein_mlir.targets.python.program import Program

Operands = Sequence[Expression]


@singledispatch
def render(op: Operation, values: Operands, program: Program) -> Expression:
    """The expression of an operation, given those of its operands.

    Raises DiagnosticException for an operation that is no expression of emitpy.
    """
    raise unknown(op)


def unknown(op: Operation) -> DiagnosticException:
    """What is said of an operation that is not in emitpy."""
    return DiagnosticException(
        f"'{op.name}' has no Python source: the target prints emitpy, run a pass such as "
        f"convert-yarr-to-numpy first{where_written(op)}"
    )


@render.register
def _(op: emitpy.LiteralOp, values: Operands, program: Program) -> Expression:
    return py.literal(op.data)


@render.register
def _(op: emitpy.NameOp, values: Operands, program: Program) -> Expression:
    return Expression(program.library_name(op.target.data), trivial=True)


@render.register
def _(op: emitpy.CallOp, values: Operands, program: Program) -> Expression:
    return _call(program.library_name(op.callee.data), op, values)


@render.register
def _(op: emitpy.HelperOp, values: Operands, program: Program) -> Expression:
    library, _, name = op.callee.data.partition(".")
    return _call(program.helper_name(library, name), op, values)


@render.register
def _(op: emitpy.ExternOp, values: Operands, program: Program) -> Expression:
    return _call(program.externs[op.callee.string_value()], op, values)


@render.register
def _(op: emitpy.MethodOp, values: Operands, program: Program) -> Expression:
    return py.method(values[0], _call(op.method.data, op, values[1:]))


@render.register
def _(op: emitpy.AttrOp, values: Operands, program: Program) -> Expression:
    return py.attribute(values[0], op.attribute.data)


@render.register
def _(op: emitpy.SliceOp, values: Operands, program: Program) -> Expression:
    return py.slice_(values)


@render.register
def _(op: emitpy.SubscriptOp, values: Operands, program: Program) -> Expression:
    return py.subscript(values[0], values[1:])


@render.register
def _(op: emitpy.TupleOp, values: Operands, program: Program) -> Expression:
    return py.tuple_(values)


@render.register(emitpy.BinaryOp)
@render.register(emitpy.AugmentOp)
def _(op: emitpy.BinaryOp | emitpy.AugmentOp, values: Operands, program: Program) -> Expression:
    return py.binary(values[0], op.operator.data, values[1])


@render.register
def _(op: emitpy.UnaryOp, values: Operands, program: Program) -> Expression:
    return py.unary(op.operator.data, values[0])


@render.register
def _(op: emitpy.ConditionalOp, values: Operands, program: Program) -> Expression:
    return py.conditional(*values)


def _call(function: str, op: emitpy.CallLikeOp, values: Operands) -> Expression:
    count = len(op.positional)
    keywords = zip(op.keyword_arguments, values[count:], strict=True)
    return py.call(function, values[:count], dict(keywords))
