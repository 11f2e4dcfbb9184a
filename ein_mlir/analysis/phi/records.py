"""Leaves of records: the values that they are taken from."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import TupleType
from xdsl.ir import SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.free_indices import Leaf, field_with, fields_at
from ein_mlir.dialects import phi


def whole_record(value: SSAValue) -> SSAValue:
    """The record that a value is a (nested) field of; another value itself."""
    while isinstance(value.owner, phi.ProjOp):
        value = value.owner.record
    return value


def origin(value: SSAValue, leaf: int = 0) -> Leaf:
    """The leaf that a leaf of a value is, of a value that is no record or field of another."""
    *_, last = sources_of(value, leaf)
    return last


def sources_of(value: SSAValue, leaf: int) -> Iterator[Leaf]:
    """A leaf of a value, the leaf of the record or field that it is, and so on."""
    while True:
        yield value, leaf
        match value.owner:
            case phi.ProjOp() as op:
                fields = fields_at(op.record.type, (op.field.value.data,))
                value, leaf = op.record, fields[leaf]
            case phi.TupleOp() as op:
                assert isa(op.result.type, TupleType)
                number, leaf = field_with(op.result.type, leaf)
                value = op.fields[number]
            case _:
                return
