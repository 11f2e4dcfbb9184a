"""Operations whose derivative is infinite or undefined somewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from xdsl.dialects import arith, func, math
from xdsl.dialects.builtin import AnyFloat, Float32Type, Float64Type, ModuleOp
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.traits import IsTerminator

from ein_mlir.analysis.constants import known_float
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.free_indices import leaf_types
from ein_mlir.analysis.scopes import around, operations_in, reached, sources
from ein_mlir.dialects import phi, sigma

SINGULAR: Mapping[type[Operation], int] = {
    **dict.fromkeys(
        (
            math.AcosOp,
            math.AcoshOp,
            math.AsinOp,
            math.AtanhOp,
            math.CbrtOp,
            math.CoshOp,
            math.ExpOp,
            math.Exp2Op,
            math.ExpM1Op,
            math.FPowIOp,
            math.LogOp,
            math.Log10Op,
            math.Log1pOp,
            math.Log2Op,
            math.PowFOp,
            math.RsqrtOp,
            math.SinhOp,
            math.SqrtOp,
        ),
        0,
    ),
    arith.DivfOp: 1,
    math.Atan2Op: 1,
    sigma.FloorModOp: 1,
}
"""The operand at which the derivative of an operation may be infinite or NaN."""

_FAR = 64
"""The number of operations after which a float is taken to depend on the first, so that the
question is cheap."""


def may_have_guards(module: ModuleOp) -> bool:
    """Whether a program has an operation that a branch, or a position, may keep from operands."""
    ops = operations_in(module)
    kinds = {type(op) for op in ops}
    if kinds.isdisjoint(SINGULAR):
        return False
    return arith.SelectOp in kinds or any(map(_looks_up, ops))


def _looks_up(op: Operation) -> bool:
    """Whether an operation reads an element at a position that is computed from elements."""
    behind = reached(op.positions, sources) if isinstance(op, phi.GetOp) else ()
    return any(isinstance(value.owner, phi.GetOp) for value in behind)


def is_singular(op: Operation) -> bool:
    """Whether an operation is singular in an operand that is no literal but zero.

    A function of Ints and literals alone has no derivative: ``log (sitofp n)`` is not singular. Nor
    is an operation on which no float depends, as in ``x / y < z`` or in a fold that counts steps.
    """
    if type(op) not in SINGULAR:
        return False
    operand = op.operands[SINGULAR[type(op)]]
    if not _is_float(operand) or known_float(operand):
        return False
    return has_derivative(op) and _is_followed(op)


def has_derivative(op: Operation) -> bool:
    """Whether the result depends on a float that scalar operators do not make of Ints."""
    seen = {op}
    work = [op]
    while work:
        for operand in filter(_is_float, work.pop().operands):
            if not isinstance(operand, OpResult) or not is_scalar_operator(operand.op):
                return True
            if operand.op not in seen:
                seen.add(operand.op)
                work.append(operand.op)
    return False


def _is_followed(op: Operation) -> bool:
    """Whether a float depends on a result, in its block, and another one on the block."""
    if not all(map(_gives_floats, around(op.parent_op()))):
        return False
    users = reached([op], lambda each: _followers(each) if is_scalar_operator(each) else ())
    return any(number >= _FAR or not is_scalar_operator(each) for number, each in enumerate(users))


def _followers(op: Operation) -> Iterator[Operation]:
    """The operations to which the derivative of a result goes."""
    users = (use.operation for result in op.results for use in result.uses)
    return (each for each in users if each.has_trait(IsTerminator) or _gives_floats(each))


def _gives_floats(op: Operation) -> bool:
    """Whether a result is a float, or has floats; a module has the results of its functions."""
    if isinstance(op, ModuleOp):
        return True
    types = op.function_type.outputs if isinstance(op, func.FuncOp) else op.result_types
    leaves = (leaf for type_ in types for leaf in leaf_types(type_))
    return any(isa(phi.scalar_of(leaf), AnyFloat) for leaf in leaves)


def is_scalar_operator(op: Operation) -> bool:
    """Whether an operation is arithmetic on scalars."""
    return op.name.startswith(("arith.", "math.", "sigma.")) and not op.regions


def _is_float(value: SSAValue) -> bool:
    return isinstance(value.type, Float32Type | Float64Type)
