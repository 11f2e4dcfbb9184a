"""Minima and maxima of floats, which are NaN if an operand is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from math import isnan, nan
from typing import TypeAlias

from xdsl.dialects import arith, func, llvm, memref
from xdsl.dialects.builtin import AnyFloat, i1
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.constants import known_float
from ein_mlir.analysis.scopes import dependents
from ein_mlir.passes.conversions.convert_loops_to_llvm.build import ANY_ZERO, NUMBERS
from ein_mlir.passes.conversions.convert_loops_to_llvm.conversion import Conversion, Rule
from ein_mlir.passes.conversions.convert_loops_to_llvm.memory import replaced_element
from ein_mlir.passes.conversions.convert_loops_to_llvm.scalars import suffix

Extreme: TypeAlias = arith.MinimumfOp | arith.MaximumfOp

_INTRINSICS: Mapping[type[Operation], str] = {
    arith.MinimumfOp: "minimum",
    arith.MaximumfOp: "maximum",
}
"""Operators that may choose between zeros."""

_OF_NUMBERS = arith.FastMathFlagsAttr([FastMathFlag.NO_NANS])


def extreme(c: Conversion, op: Operation) -> None:
    """The smaller or the larger number; a constant, which needs no test for NaN, comes first.

    Operands of minima and maxima of others are tested at once ::

        max(min(a, b), min(c, d))  -->  where(a ord b & c ord d, max(min(a, b), min(c, d)), nan)
    """
    assert isinstance(op, Extreme)
    lhs, rhs = map(c.scalar, op.operands)
    if isinstance(rhs.owner, llvm.ConstantOp):
        lhs, rhs = rhs, lhs
    root = _root(op)
    if root not in c.tested:
        c.tested[root] = _tested(root)
    operands = c.tested[root]
    name = f"llvm.{_INTRINSICS[type(op)]}.{suffix(lhs.type)}"
    promises = NUMBERS if operands or op.fastmath == _OF_NUMBERS else ANY_ZERO
    value = c.build.intrinsic(name, (lhs, rhs), lhs.type, promises)
    c.bind(op.result, _or_nan(c, operands, value) if operands and root is op else value)


def _or_nan(c: Conversion, operands: Sequence[SSAValue], value: SSAValue) -> SSAValue:
    """A value, or NaN if any of some operands is; two are compared with each other."""
    build, floats = c.build, [*map(c.scalar, operands)]
    pairs = zip(floats[::2], [*floats[1::2], *floats[-1:]], strict=False)
    tests = [build.compare_floats("ord", a, b) for a, b in pairs]
    are_numbers = reduce(lambda a, b: build.add(llvm.AndOp, (a, b), i1), tests)
    return build.select(are_numbers, value, build.number(nan, value.type))


# Trees of minima and maxima -----------------------------------------------------------------------


def _root(op: Extreme) -> Extreme:
    """The last of the minima and maxima of each other that an operation belongs to."""
    while (parent := _parent(op)) is not None:
        op = parent
    return op


def _parent(op: Extreme) -> Extreme | None:
    """The only operation that reads a minimum or a maximum, if it is another one."""
    uses = list(op.result.uses)
    user = uses[0].operation if len(uses) == 1 else None
    if not isinstance(user, Extreme) or user.parent is not op.parent:
        return None
    return user if _is_joined(op) and _is_joined(user) else None


def _is_joined(op: Extreme) -> bool:
    """Whether operands may be tested elsewhere: not of a store that tests what it replaces."""
    stores = [use.operation for use in op.result.uses]
    replaces = any(isinstance(s, memref.StoreOp) and replaced_element(s) for s in stores)
    return not replaces and op.fastmath != _OF_NUMBERS


def _tested(root: Extreme) -> Sequence[SSAValue]:
    """The operands to test at once; none if that takes as long as a test in each operation.

    An operation on a constant is one instruction, and others are three. LLVM vectorizes loops that
    carry a minimum, and a test at the end would delay what the next step waits for.
    """
    ops = list(_operations(root))
    if sum(not any(map(_is_number, op.operands)) for op in ops) < 2 or _is_carried(ops):
        return ()
    results = {op.result for op in ops[1:]}
    operands = dict.fromkeys(operand for op in ops for operand in op.operands)
    return [v for v in operands if v not in results and not _is_number(v)]


def _is_carried(ops: Sequence[Extreme]) -> bool:
    """Whether operands depend on floats that a loop carries."""
    block = ops[0].parent
    assert block is not None
    carried = [arg for arg in block.args if isinstance(arg.type, AnyFloat)]
    if not carried or isinstance(block.parent_op(), func.FuncOp):
        return False
    varying = dependents(block, *carried)
    return any(operand in varying for op in ops for operand in op.operands)


def _operations(root: Extreme) -> Iterator[Extreme]:
    """The minima and maxima that belong to the last of them, which comes first."""
    yield root
    for operand in root.operands:
        if isinstance(operand.owner, Extreme) and _parent(operand.owner) is root:
            yield from _operations(operand.owner)


def _is_number(value: SSAValue) -> bool:
    known = known_float(value)
    return known is not None and not isnan(known)


RULES: dict[type[Operation], Rule] = dict.fromkeys(_INTRINSICS, extreme)
