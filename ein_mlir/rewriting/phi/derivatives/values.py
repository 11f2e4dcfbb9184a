"""Values of programs that a derivative computes, too.

``v, backwards = vjp(f, x)`` traces ``f`` twice: for ``v``, and for the cotangents. The derivative
saves what it needs, so that its loops are others. Then ``v`` is its value.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from xdsl.dialects import arith
from xdsl.ir import Block, IRNode, Operation, SSAValue, Use

from ein_mlir.analysis.scopes import nested, operands_within
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi import Path
from ein_mlir.rewriting.common_subexpressions import eliminate_common_subexpressions
from ein_mlir.rewriting.phi.insertion import Builder


def linear_values(block: Block, tangents: Iterable[SSAValue]) -> set[SSAValue]:
    """Some values, and those that are linear in them in a block and the bodies in it."""
    linear = set(tangents)
    for op in nested(block):
        if not isinstance(op, phi.SizeOp) and not linear.isdisjoint(operands_within(op)):
            linear.update(op.results)
            if isinstance(op, phi.FoldOp):
                linear.add(op.accumulator)
    return linear


_OF_SIZES = (arith.ConstantOp, arith.AddiOp, arith.SubiOp, arith.MuliOp, phi.SizeOp)
"""Passes that run before derivatives are expanded compute the sizes of new arrays again."""

Known: TypeAlias = dict[IRNode | SSAValue, IRNode | SSAValue]
"""The values of a program that values of the derivative are equal to, and its bodies."""


def share_value(op: phi.VjpOp) -> None:
    """``v = f(x); vjp x by y { f(x) }``  -->  the later users of ``v`` use the first result."""
    if op.parent is None or op.parent.parent is None:
        return
    eliminate_common_subexpressions(op.parent.parent, _OF_SIZES)
    known = _equal_values(op, op.parent)
    build = Builder.after(op)
    order = {each: number for number, each in enumerate(op.parent.ops)}
    for path, value in _parts(op.yielded(), ()):
        same = known.get(value)
        uses = list(same.uses) if isinstance(same, SSAValue) else []
        uses = [use for use in uses if _is_behind(use, op, order)]
        if uses:
            result: SSAValue = op.result
            for number in (0, *path):
                result = build.proj(result, number)
            for use in uses:
                use.operation.operands[use.index] = result


def _is_behind(use: Use, op: phi.VjpOp, order: dict[Operation, int]) -> bool:
    """Whether a value is used by an operation that comes after the derivative in its block."""
    user: Operation | None = use.operation
    while user is not None and user not in order:
        user = user.parent_op()
    return user is not None and order[user] > order[op]


def _parts(value: SSAValue, path: Path) -> Iterator[tuple[Path, SSAValue]]:
    """A value, and the fields that it is made of."""
    yield path, value
    if isinstance(value.owner, phi.TupleOp):
        for number, field in enumerate(value.owner.fields):
            yield from _parts(field, (*path, number))


def _equal_values(op: phi.VjpOp, block: Block) -> Known:
    """The values of a block before the derivative that values of its body are equal to."""
    candidates = defaultdict[object, list[Operation]](list)
    for each in block.ops:
        if each is op:
            break
        candidates[_key(each, {})].append(each)
    known: Known = {op.parameter: op.point, op.body.block: block}
    for inner in op.body.block.ops:
        others = candidates.get(_key(inner, known), ())
        is_found = any(inner.is_structurally_equivalent(other, known) for other in others)
        record = known.get(inner.record) if isinstance(inner, phi.ProjOp) else None
        if not is_found and isinstance(record, SSAValue) and isinstance(record.owner, phi.TupleOp):
            assert isinstance(inner, phi.ProjOp)
            known[inner.result] = record.owner.fields[inner.field.value.data]
    return known


def _key(op: Operation, known: Known) -> object:
    operands = (known.get(operand, operand) for operand in op.operands)
    return type(op), tuple(result.type for result in op.results), *operands
