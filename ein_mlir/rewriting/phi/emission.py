"""How the operations that replace folds are put together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, TupleType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.scopes import dependents
from ein_mlir.dialects import phi


class Emitter:
    """Collects operations; each method gives the value of what it adds."""

    def __init__(self) -> None:
        self.ops: list[Operation] = []

    def emit(self, op: Operation) -> SSAValue:
        """Add an operation."""
        self.ops.append(op)
        return op.results[0]

    def leaves(self, value: SSAValue) -> list[SSAValue]:
        """The fields of a (nested) record; a value that is none itself."""
        if not isa(value.type, TupleType):
            return [value]
        if isinstance(value.owner, phi.TupleOp):
            fields = list(value.owner.fields)
        else:
            fields = [self.emit(phi.ProjOp(value, k)) for k in range(len(value.type.types))]
        return [leaf for field in fields for leaf in self.leaves(field)]

    def record(self, type_: Attribute, leaves: Iterator[SSAValue]) -> SSAValue:
        """The (nested) record of a type that has these fields."""
        if not isa(type_, TupleType):
            return next(leaves)
        fields = [self.record(field, leaves) for field in type_.types]
        return self.emit(phi.TupleOp(fields))


def same_operation(op: Operation, *operands: SSAValue) -> Operation:
    """The same scalar operation on other operands."""
    return op.create(
        operands=operands,
        result_types=[result.type for result in op.results],
        properties=dict(op.properties),
    )


def is_constant(value: SSAValue, expected: Attribute) -> bool:
    """Whether a value is known to be a constant."""
    return isinstance(value.owner, arith.ConstantOp) and value.owner.value == expected


def comprehension(op: phi.FoldOp, values: Sequence[SSAValue]) -> phi.ArrayOp:
    """``array (k < n) { (x, y) }`` of values in the body of a fold, which moves into it.

    What depends on the accumulator stays behind; the values do not.
    """
    body = Block(arg_types=(IndexType(),))
    body.args[0].name_hint = op.counter.name_hint
    cast = arith.IndexCastOp(body.args[0], op.counter.type)
    cast.result.name_hint = op.counter.name_hint
    body.add_op(cast)
    op.counter.replace_all_uses_with(cast.result)
    left = dependents(op.body.block, op.accumulator)
    for inner in list(op.body.block.ops):
        if left.isdisjoint(inner.results) and not isinstance(inner, phi.YieldOp):
            inner.detach()
            body.add_op(inner)
    values = [cast.result if value is op.counter else value for value in values]
    element = values[0]
    if len(values) > 1:
        body.add_op(record := phi.TupleOp(values))
        element = record.result
    body.add_op(phi.YieldOp(element))
    return phi.ArrayOp([op.count], Region(body), phi.struct_of_arrays(phi.vec_of(element.type)))
