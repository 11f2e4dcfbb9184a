"""``struct-of-arrays``: arrays of records become records of arrays (dissertation, 3.4.2).

It rests on the isomorphism between a vector of pairs and a pair of vectors, and types drive it::

    S[vec<tuple<a, b>>]                = tuple<S[vec<a>], S[vec<b>]>
    S[array (i < n) { e }]             = array (i < n) { S[e] }, with the type of a record of arrays
    S[a[p]]                            = tuple(S[a].0[p], S[a].1[p])
    S[concat a, b]                     = tuple(concat S[a].0, S[b].0, concat S[a].1, S[b].1)
    S[size a, k]                       = assert size S[a].0, k = size S[a].1, k
    proj(tuple(x, y), 0)              --> x

and all other operations only change their types; ``PhiOp.ON_RECORDS`` defines the conversion of
each. A comprehension is not split: its body is evaluated once, for any number of fields.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TypeAlias

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType, ModuleOp, TupleType
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import PassFailedException

from ein_mlir.analysis.diagnostics import index_name, where_written
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.free_indices import leaf_types
from ein_mlir.analysis.phi.records import whole_record
from ein_mlir.analysis.scopes import classes_among, operations_in
from ein_mlir.dialects import phi
from ein_mlir.dialects.creation import made
from ein_mlir.dialects.phi import OnRecords
from ein_mlir.host.dataclass import dataclass


@lru_cache(1024)
def convert_type(type_: Attribute) -> Attribute:
    """The type without arrays of records: ``vec<tuple<a, b>>`` is ``tuple<vec<a>, vec<b>>``.

    Raises PassFailedException for an array of records without fields: no array would keep its size.
    """
    if isinstance(type_, FunctionType):
        return FunctionType.from_lists(
            [convert_type(t) for t in type_.inputs], [convert_type(t) for t in type_.outputs]
        )
    if phi.is_scalar_type(type_):
        return type_
    converted = phi.struct_of_arrays(type_)
    if converted != type_:
        _check_fields(type_)
    return converted


def _check_fields(type_: Attribute) -> None:
    if isa(type_, TupleType):
        for field in type_.types:
            _check_fields(field)
    elif isinstance(type_, phi.VecType):
        if not leaf_types(phi.struct_of_arrays(type_)):
            raise PassFailedException(
                f"'{type_}' is an array of records without fields, whose size no array would keep; "
                "give the records a field"
            )
        _check_fields(type_.element_type)


def _is_record(value: SSAValue) -> bool:
    return type(value.type) is TupleType


Size: TypeAlias = tuple[SSAValue, int]
"""An array and one of its axes."""


class StructOfArrays:
    """Rewrites one function; records of arrays are split once, where they are defined."""

    def __init__(self, function: func.FuncOp):
        self._function = function
        self._fields: dict[SSAValue, tuple[SSAValue, ...]] = {}
        self._given: dict[tuple[Size, ...], SSAValue] = {}

    def convert(self) -> None:
        """Convert the types of all values, and then rewrite the operations that need it."""
        operations = operations_in(self._function)
        for op in operations:
            _convert_types(op)
        self._function.properties["function_type"] = convert_type(self._function.function_type)
        for op in operations:
            if op.parent is not None:
                self._convert_operation(op)

    def _convert_operation(self, op: Operation) -> None:
        if isinstance(op, phi.ProjOp) and isinstance(record := op.record.owner, phi.TupleOp):
            Rewriter.replace_op(op, (), (record.fields[op.field.value.data],))
        elif isinstance(op, phi.PhiOp) and any(map(_is_record, op.operands)):
            if op.ON_RECORDS is OnRecords.EACH_FIELD:
                self._each_field(op)
            elif op.ON_RECORDS is OnRecords.ANY_FIELD:
                assert isinstance(op, phi.SizeOp)
                self._size(op)

    def _each_field(self, op: phi.PhiOp) -> None:
        """Replace ``op`` by the record of its results for each array of its records.

        If users only read fields of it, by the results for these fields.
        """
        result, new = op.results[0], list[Operation]()
        users = [use.operation for use in result.uses if isinstance(use.operation, phi.ProjOp)]
        if not isa(result.type, TupleType) or len(users) < sum(1 for _ in result.uses):
            record = self._of_fields(op, op.operands, result.type, new)
            Rewriter.replace_op(op, new, (record,))
            return
        read = {user.field.value.data for user in users}
        fields = {
            number: self._of_fields(op, *field, new)
            for number, field in enumerate(self._columns(op.operands, result.type))
            if number in read
        }
        Rewriter.insert_op(new, InsertPoint.before(op))
        for user in users:
            Rewriter.replace_op(user, (), (fields[user.field.value.data],))
        Rewriter.erase_op(op)

    def _of_fields(
        self, op: phi.PhiOp, operands: Sequence[SSAValue], type_: Attribute, new: list[Operation]
    ) -> SSAValue:
        """The result of an operation for each array of its records, by ``new`` operations."""
        if isa(type_, TupleType):
            columns = self._columns(operands, type_)
            part = phi.TupleOp([self._of_fields(op, *field, new) for field in columns])
        else:
            part = made(type(op), operands, [type_], op.properties)
        part.location, part.results[0].name_hint = op.location, op.results[0].name_hint
        new.append(part)
        return part.results[0]

    def _columns(
        self, operands: Sequence[SSAValue], type_: TupleType
    ) -> Iterator[tuple[Sequence[SSAValue], Attribute]]:
        """The operands for each field of a record, and its type; others are the same for each."""
        count = len(type_.types)
        columns = (self._fields_of(x) if _is_record(x) else [x] * count for x in operands)
        return zip(zip(*columns, strict=True), type_.types, strict=True)

    def _size(self, op: phi.SizeOp) -> None:
        """Take the size of the first array of a record of arrays, all of which have the same one.

        The sizes of given arrays are compared once, where they are defined, and are equal from
        there on.
        """
        leaves = self._leaves(op.array)
        sizes = tuple(_unindexed(leaf, op.axis.value.data) for leaf in leaves)
        source = whole_record(sizes[0][0])
        if not _is_given(source):
            op.operands[0] = leaves[0]
            return
        if sizes not in self._given:
            name = index_name(source).removeprefix("%")
            new = _compared([phi.SizeOp(*size) for size in sizes], name)
            for part in new:
                part.location = op.location
            Rewriter.insert_op(new, _behind(sizes[-1][0]))
            self._given[sizes] = new[-1].results[0]
        Rewriter.replace_op(op, (), (self._given[sizes],))

    def _leaves(self, value: SSAValue) -> list[SSAValue]:
        """The arrays of a record of arrays in order; an array itself otherwise."""
        if not isa(value.type, TupleType):
            return [value]
        return [leaf for field in self._fields_of(value) for leaf in self._leaves(field)]

    def _fields_of(self, record: SSAValue) -> tuple[SSAValue, ...]:
        """The fields of a record, projected where it is defined unless it is a ``phi.tuple``."""
        if isinstance(record.owner, phi.TupleOp):
            return tuple(record.owner.fields)
        if record not in self._fields:
            assert isa(record.type, TupleType)
            projections = [phi.ProjOp(record, k) for k in range(len(record.type.types))]
            for projection in projections:
                projection.result.name_hint = record.name_hint
            Rewriter.insert_op(projections, _behind(record))
            self._fields[record] = tuple(projection.result for projection in projections)
        return self._fields[record]


def _compared(sizes: Sequence[phi.SizeOp], name: str) -> list[phi.SizeOp | phi.AssertEqOp]:
    """Sizes, and assertions that they are equal; the last operation returns the size."""
    new: list[phi.SizeOp | phi.AssertEqOp] = [sizes[0]]
    for field, size in enumerate(sizes[1:], 1):
        message = f"{name}: size of array 0, size of array {field}"
        new += [size, phi.AssertEqOp(new[-1], size, message)]
    return new


def _unindexed(array: SSAValue, axis: int) -> Size:
    """``size_k a[p] = size_{k+1} a``: the indexed array, and its axis."""
    while isinstance(get := array.owner, phi.GetOp):
        array, axis = get.array, axis + len(get.positions)
    return array, axis


def _is_given(value: SSAValue) -> bool:
    """Whether a value is given: an argument, or the result of an extern."""
    return isinstance(value.owner, phi.ExternOp) or (
        isinstance(value, BlockArgument) and isinstance(value.block.parent_op(), func.FuncOp)
    )


def _behind(value: SSAValue) -> InsertPoint:
    """The first insertion point where a value is visible."""
    if isinstance(value, BlockArgument):
        return InsertPoint.at_start(value.block)
    assert isinstance(value.owner, Operation)
    return InsertPoint.after(value.owner)


def _convert_types(op: Operation) -> None:
    values = list[SSAValue](op.results)
    for region in op.regions:
        for block in region.blocks:
            values += block.args
    for value in values:
        try:
            type_ = convert_type(value.type)
        except PassFailedException as error:
            raise PassFailedException(f"{op.name}: {error}{where_written(op)}") from None
        if type_ is not value.type and type_ != value.type:
            Rewriter.replace_value_with_new_type(value, type_)


def struct_of_arrays(module: ModuleOp) -> None:
    """Convert all functions of a module, signatures and bodies."""
    for op in operations_in(module):
        if isinstance(op, func.FuncOp):
            StructOfArrays(op).convert()


@dataclass(frozen=True)
class StructOfArraysPass(ModulePass):
    """Turns arrays of records into records of arrays, so that no array of records remains.

    Before::

        func.func @f(%a: !phi.vec<tuple<f64, i64>>) -> !phi.vec<tuple<i64, f64>> {
          %n = phi.size %a, 0 : !phi.vec<tuple<f64, i64>>
          %b = phi.array (%i < %n) -> !phi.vec<tuple<i64, f64>> { (%a[%i].1, %a[%i].0) }
          func.return %b : !phi.vec<tuple<i64, f64>>
        }

    After (and canonicalisation)::

        func.func @f(%a: tuple<!phi.vec<f64>, !phi.vec<i64>>)
            -> tuple<!phi.vec<i64>, !phi.vec<f64>> {
          %x = phi.proj %a, 0 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<f64>
          %y = phi.proj %a, 1 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<i64>
          %n = phi.assert_eq %size_x, %size_y, "a: size of array 0, size of array 1"
          %b = phi.array (%i < %n) -> tuple<!phi.vec<i64>, !phi.vec<f64>> { (%y[%i], %x[%i]) }
          func.return %b : tuple<!phi.vec<i64>, !phi.vec<f64>>
        }

    With ``derivatives`` it is for modules that have some, before they are expanded.
    """

    name = "struct-of-arrays"

    derivatives: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if not self.derivatives or classes_among(operations_in(op), phi.DerivativeOp):
            struct_of_arrays(op)
