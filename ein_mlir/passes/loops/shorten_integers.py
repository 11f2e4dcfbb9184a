"""``shorten-integers``: Ints that fit fewer bits are stored and computed in these."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field

from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import IntegerType, MemRefType, i1, i64
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.loops.narrow_ints import (
    COMPUTED,
    NarrowInts,
    numbers,
    width_of,
)
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.scopes import operations_in
from ein_mlir.dialects.creation import integer_attribute, made
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.passes import FunctionPass

# Arrays -----------------------------------------------------------------------------------------


def _narrow_array(op: memref.AllocOp, width: int, ints: NarrowInts) -> None:
    """Store the elements of an array in fewer bits; loads and stores convert them."""
    type_ = op.memref.type
    assert isa(type_, MemRefType)
    narrow = IntegerType(width)
    new_type = MemRefType(narrow, type_.shape, type_.layout, type_.memory_space)
    copy = made(memref.AllocOp, op.operands, [new_type], op.properties)
    array = copy.results[0]
    array.name_hint = op.memref.name_hint
    for use in list(op.memref.uses):
        match use.operation:
            case memref.LoadOp() as load:
                read = made(memref.LoadOp, [array, *load.indices], [narrow], load.properties)
                wide = made(arith.ExtSIOp, read.results, [i64])
                wide.results[0].name_hint = load.res.name_hint
                ints.replace(load.res, wide.results[0])
                Rewriter.replace_op(load, [read, wide])
            case memref.StoreOp() as store:
                value = made(arith.TruncIOp, [store.value], [narrow])
                operands = [value.results[0], array, *store.indices]
                new = made(memref.StoreOp, operands, (), store.properties)
                Rewriter.replace_op(store, [value, new])
            case other:
                other.operands[use.index] = array
    Rewriter.replace_op(op, copy)


# Operations -------------------------------------------------------------------------------------


@dataclass
class _Group:
    """Operations that use results of one another, and are computed in the same number of bits."""

    width: int = 0
    members: list[Operation] = field(default_factory=list[Operation])
    narrow: set[SSAValue] = field(default_factory=set[SSAValue])
    """The operands that are extended from fewer bits."""
    wide: int = 0
    """The number of results that are needed in 64 bits."""


class _Groups:
    """The groups of the operations on narrow Ints of a function."""

    def __init__(self, ints: NarrowInts, ops: Iterable[Operation]):
        self._ints = ints
        self._of = dict[Operation, _Group]()
        for op in ops:
            if self._is_member(op):
                self._add(op)
        for op, group in self._of.items():
            users = [use.operation for result in op.results for use in result.uses]
            group.wide += any(map(self._needs_all_bits, users))

    def profitable(self) -> Iterator[tuple[Operation, int]]:
        """The operations that need no more conversions than before, in order, and their bits."""
        for op, group in self._of.items():
            if group.wide <= len(group.narrow):
                yield op, group.width

    def _is_member(self, op: Operation) -> bool:
        """Whether all numbers of an operation are narrow, and they are no Ints of a narrow type."""
        is_computed = type(op) in COMPUTED
        if not is_computed and type(op) is not arith.CmpiOp:
            return False
        return all(
            value.type == i64 and self._ints.range(value) is not None
            for value in (*numbers(op), *(op.results if is_computed else ()))
        )

    def _add(self, op: Operation) -> None:
        group = _Group()
        self._of[op] = group
        group.members.append(op)
        values = [*numbers(op), *(op.results if type(op) in COMPUTED else ())]
        group.width = max(self._width(value) for value in values)
        for operand in numbers(op):
            other = self._of.get(operand.owner) if isinstance(operand.owner, Operation) else None
            if other is not None and other is not group:
                group = self._merged(group, other)
            elif _is_extension(operand.owner):
                group.narrow.add(operand)

    def _merged(self, group: _Group, other: _Group) -> _Group:
        """The union of two groups: the smaller one joins the other."""
        if len(group.members) > len(other.members):
            group, other = other, group
        other.width = max(group.width, other.width)
        other.members.extend(group.members)
        other.narrow |= group.narrow
        self._of.update(dict.fromkeys(group.members, other))
        return other

    def _width(self, value: SSAValue) -> int:
        found = self._ints.range(value)
        width = None if found is None else width_of(found)
        assert width is not None
        return width

    def _needs_all_bits(self, user: Operation) -> bool:
        return user not in self._of and not isinstance(user, arith.TruncIOp | arith.SIToFPOp)


def _is_extension(owner: object) -> bool:
    return type(owner) in (arith.ExtSIOp, arith.ExtUIOp)


def _rewrite(op: Operation, width: int, narrow: dict[SSAValue, SSAValue]) -> None:
    """Compute an operation in fewer bits, and extend its result where all bits are needed."""
    values = [
        _narrowed(each, width, narrow, op) if each.type == i64 else each for each in op.operands
    ]
    if isinstance(op, arith.CmpiOp):
        Rewriter.replace_op(op, made(arith.CmpiOp, values, [i1], op.properties))
        return
    new = made(type(op), values, [IntegerType(width)], op.properties)
    wide = made(arith.ExtSIOp, new.results, [i64])
    wide.results[0].name_hint = op.results[0].name_hint
    narrow[wide.results[0]] = new.results[0]
    Rewriter.replace_op(op, [new, wide])
    for use in list(wide.results[0].uses):
        if isinstance(use.operation, arith.TruncIOp):
            _shorten(use.operation, new.results[0])


def _narrowed(
    value: SSAValue, width: int, narrow: dict[SSAValue, SSAValue], op: Operation
) -> SSAValue:
    """An operand in fewer bits, before an operation."""
    if value in narrow:
        return narrow[value]
    number = known_int(value)
    if number is not None:
        new = made(
            arith.ConstantOp,
            types=[IntegerType(width)],
            properties={"value": integer_attribute(number, IntegerType(width))},
        )
    else:
        extension = value.owner
        assert isinstance(extension, arith.ExtSIOp | arith.ExtUIOp)
        if extension.input.type == IntegerType(width):
            return extension.input
        new = made(type(extension), [extension.input], [IntegerType(width)])
    Rewriter.insert_op(new, InsertPoint.before(op))
    return new.results[0]


def _shorten(op: arith.TruncIOp, value: SSAValue) -> None:
    """``trunc (ext x)  -->  x``, or a truncation or extension of it."""
    before, after = value.type, op.result.type
    if before == after:
        Rewriter.replace_op(op, (), [value])
        return
    assert isa(before, IntegerType)
    assert isa(after, IntegerType)
    is_narrower = after.width.data < before.width.data
    Rewriter.replace_op(
        op, made(arith.TruncIOp if is_narrower else arith.ExtSIOp, [value], [after])
    )


def _convert_narrow(op: arith.SIToFPOp) -> None:
    """``sitofp (extsi x)  -->  sitofp x``, ``sitofp (extui x)  -->  uitofp x``, and
    ``sitofp (extui a + extui b)  -->  uitofp a + uitofp b`` for Bools.

    Lanes of 32 bits become floats in one instruction on any machine, those of 64 bits on few. Masks
    of floats stay where they are.
    """
    match op.input.owner:
        case arith.ExtSIOp() as extension if extension.input.type != i1:
            op.operands[0] = extension.input
        case arith.ExtUIOp() as extension:
            new = made(arith.UIToFPOp, [extension.input], [op.result.type])
            new.results[0].name_hint = op.result.name_hint
            Rewriter.replace_op(op, new)
        case arith.AddiOp(result=count) as total if count.has_one_use():
            bools = [x for each in total.operands if (x := _truth_value(each)) is not None]
            if len(bools) == len(total.operands):
                parts = [made(arith.UIToFPOp, [each], [op.result.type]) for each in bools]
                new = made(arith.AddfOp, [part.results[0] for part in parts], [op.result.type])
                Rewriter.replace_op(op, [*parts, new])
                Rewriter.erase_op(total)
        case _:
            pass


def _truth_value(number: SSAValue) -> SSAValue | None:
    """The truth value that a number is 1 or 0 for, if any."""
    op = number.owner
    return op.input if isinstance(op, arith.ExtUIOp) and op.input.type == i1 else None


def shorten_integers(function: func.FuncOp, analyses: AnalysisManager) -> None:
    """Narrow the Ints of a function: first those in memory, then those that are computed."""
    ints = NarrowInts()
    for op in operations_in(function):
        if type(op) is not memref.AllocOp:
            continue
        found = ints.range(op.memref)
        width = None if found is None else width_of(found)
        if width is not None:
            analyses.note(op, f"{name_of(op.memref)} has elements of {width} bits")
            _narrow_array(op, width, ints)
    groups = _Groups(ints, operations_in(function))
    narrow = dict[SSAValue, SSAValue]()
    for op, width in groups.profitable():
        _rewrite(op, width, narrow)
    for op in operations_in(function):
        if isinstance(op, arith.SIToFPOp):
            _convert_narrow(op)
    for op in reversed(operations_in(function)):
        if _is_extension(op) and op.results[0].first_use is None:
            Rewriter.erase_op(op)


class ShortenIntegersPass(FunctionPass):
    """Stores and computes Ints that fit 8, 16 or 32 bits in these.

    Before::

        %counts = memref.alloc(%n) : memref<?xi64>
        scf.parallel (%i) = (%c0) to (%n) step (%c1) {
          %x = arith.select %a, %one, %zero : i64
          %y = arith.select %b, %one, %zero : i64
          %z = arith.addi %x, %y : i64
          memref.store %z, %counts[%i] : memref<?xi64>
        }

    After::

        %counts = memref.alloc(%n) : memref<?xi8>
        scf.parallel (%i) = (%c0) to (%n) step (%c1) {
          %x = arith.select %a, %one_8, %zero_8 : i8
          %y = arith.select %b, %one_8, %zero_8 : i8
          %z = arith.addi %x, %y : i8
          memref.store %z, %counts[%i] : memref<?xi8>
        }

    Such Ints come from constants, narrower integers and arrays of them. Operations that use results
    of one another take the same number of bits, so that lanes stay where they are. They stay as
    they are if more results than operands would have to be extended.
    """

    name = "shorten-integers"
    looks_for = (memref.AllocOp, arith.SelectOp, arith.ExtSIOp, arith.ExtUIOp)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        shorten_integers(function, analyses)
