"""``narrow-integers``: provably small integers are stored in 8 bits."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, func, math
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    IntegerType,
    i1,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue, Use
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.arithmetic import RANGES, Range, ints_of
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.scopes import operations_in
from ein_mlir.dialects import yarr
from ein_mlir.rewriting.passes import FunctionPass

NARROW = ints_of(8)

# Ranges ---------------------------------------------------------------------------------------

ARITHMETIC = (
    *(arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.MinSIOp, arith.MaxSIOp),
    math.AbsIOp,
)
"""The operations that are computed in 8 bits, if their operands and results fit."""

OF_BOOLS: dict[type[Operation], Range] = {arith.ExtUIOp: Range(0, 1), arith.ExtSIOp: Range(-1, 0)}
"""The ranges of extensions of an i1."""

MOVEMENTS = (
    yarr.SliceOp,
    yarr.TakeOp,
    yarr.GatherOp,
    yarr.TransposeOp,
    yarr.SqueezeOp,
    yarr.UnsqueezeOp,
    yarr.RepeatOp,
    yarr.FillEmptyOp,
    yarr.ConcatOp,
)
"""Operations whose results consist of elements of arrays, or zeros."""


def _arrays(op: Operation) -> Sequence[SSAValue]:
    """The operands of a movement whose elements it moves: not positions and sizes."""
    return op.operands if isinstance(op, yarr.ConcatOp) else op.operands[:1]


def _constant(value: SSAValue) -> int | None:
    """The value of a scalar constant, also with axes of size 1."""
    while isinstance(value.owner, yarr.UnsqueezeOp):
        value = value.owner.array
    op = value.owner
    if not isinstance(op, arith.ConstantOp) or yarr.rank_of(value):
        return None
    if not isa(op.value, DenseIntOrFPElementsAttr):
        return None
    (number,) = op.value.get_values()
    return number if isinstance(number, int) else None


def _is_integer(value: SSAValue) -> bool:
    element = yarr.element_of(value)
    return type(element) is IntegerType and element in (i32, i64)


class _Ranges:
    """The arrays of a function that can be computed in 8 bits, with the ranges of their elements.

    A result is included if all integer operands of its operation are.
    """

    def __init__(self, root: Operation):
        self.of = dict[SSAValue, Range]()
        for op in operations_in(root):
            if isinstance(op, (yarr.ElementwiseOp, *MOVEMENTS)):
                (result,) = op.results
                if yarr.rank_of(result) and _is_integer(result):
                    found = self._range_of(op)
                    if found is not None and found in NARROW:
                        self.of[result] = found

    def operand(self, value: SSAValue) -> Range | None:
        """The range of a value that can be computed in 8 bits; None for others."""
        number = _constant(value)
        if number is not None:
            return Range.of(number) if Range.of(number) in NARROW else None
        return self.of.get(value)

    def _range_of(self, op: Operation) -> Range | None:
        if isinstance(op, yarr.ElementwiseOp):
            return self._elementwise(op)
        parts = [self.operand(array) for array in _arrays(op)]
        found = Range.of(0)
        for part in parts:
            if part is None:
                return None
            found |= part
        return found

    def _elementwise(self, op: yarr.ElementwiseOp) -> Range | None:
        inner = scalar_operation(op)
        if inner is None:
            return None
        values = inner_operands(op, inner)
        if type(inner) in OF_BOOLS and yarr.element_of(values[0]) == i1:
            return OF_BOOLS[type(inner)]
        ranges = [self.operand(value) for value in values if _is_integer(value)]
        known = [each for each in ranges if each is not None]
        if len(known) < 1 or len(known) < len(ranges):
            return None
        if isinstance(inner, arith.SelectOp):
            return known[0] | known[-1]
        return RANGES[type(inner)](*known) if isinstance(inner, ARITHMETIC) else None


def scalar_operation(op: yarr.ElementwiseOp) -> Operation | None:
    """The only operation of a body, if its operands are arguments of the body."""
    block = op.body.block
    inner, last = block.first_op, block.last_op
    if inner is None or last is None or inner.next_op is not last:
        return None
    is_whole = tuple(last.operands) == tuple(inner.results)
    return inner if is_whole and inner.operands else None


def inner_operands(op: yarr.ElementwiseOp, inner: Operation) -> list[SSAValue]:
    """The arrays whose elements are the operands of the only operation of a body, in its order."""
    args = op.body.block.args
    return [op.arguments[args.index(operand)] for operand in inner.operands]


# Profitability --------------------------------------------------------------------------------


def _reads_narrow(use: Use, ranges: _Ranges) -> bool:
    """Whether a narrow array may be read in 8 bits; positions and sizes may not."""
    op = use.operation
    if op.results and op.results[0] in ranges.of:
        return isinstance(op, yarr.ElementwiseOp) or use.index < len(_arrays(op))
    return _consumes_narrow(op, ranges)


def _wide_uses(value: SSAValue, ranges: _Ranges) -> list[Use]:
    """The uses of a narrow array for which it is widened. Constants stay as they are for these."""
    if _constant(value) is not None:
        return []
    return [use for use in value.uses if not _reads_narrow(use, ranges)]


def _consumes_narrow(op: Operation, ranges: _Ranges) -> bool:
    """Whether the result of an operation is the same if all its integer operands have 8 bits."""
    if not isinstance(op, yarr.ElementwiseOp):
        return False
    inner = scalar_operation(op)
    if isinstance(inner, arith.CmpiOp):
        is_signed = inner.predicate.value.data < _UNSIGNED
        return is_signed and all(ranges.operand(value) is not None for value in op.arguments)
    return isinstance(inner, arith.SIToFPOp)


_UNSIGNED = arith.CMPI_COMPARISON_OPERATIONS.index("ult")
"""The number of the first unsigned predicate."""


class _Groups:
    """The narrow arrays, grouped by use-def chains."""

    def __init__(self, ranges: _Ranges):
        self._ranges = ranges
        self._parents = {value: value for value in ranges.of}
        for value in ranges.of:
            assert isinstance(value.owner, Operation)
            self._join(value, value.owner)
            for use in value.uses:
                if _consumes_narrow(use.operation, ranges):
                    self._join(value, use.operation)

    def _join(self, value: SSAValue, op: Operation) -> None:
        """Join the groups of an array and of the operands of an operation."""
        for operand in op.operands:
            if operand in self._parents:
                self._parents[self._root(operand)] = self._root(value)

    def _root(self, value: SSAValue) -> SSAValue:
        while self._parents[value] is not value:
            self._parents[value] = self._parents[self._parents[value]]
            value = self._parents[value]
        return value

    def worthwhile(self) -> set[SSAValue]:
        """The arrays of the groups that save more than the widening of their results costs."""
        gains = dict[SSAValue, int]()
        for value in self._ranges.of:
            root = self._root(value)
            computed = isinstance(value.owner, yarr.ElementwiseOp)
            cost = 2 if any(_wide_uses(value, self._ranges)) else 0
            gains[root] = gains.get(root, 0) + computed - cost
        return {value for value in self._ranges.of if gains[self._root(value)] > 0}


# Rewriting ------------------------------------------------------------------------------------


class _Narrower:
    """Replaces operations by operations on 8 bits."""

    def __init__(self, ranges: _Ranges, narrowed: set[SSAValue]):
        self._ranges, self._narrowed = ranges, narrowed
        self._narrow = dict[SSAValue, SSAValue]()

    def function(self, root: Operation) -> None:
        """Replace the operations of a function in order, then remove dead code."""
        replaced = list[Operation]()
        for op in operations_in(root):
            if op.results and op.results[0] in self._narrowed:
                self._replace(op)
                replaced.append(op)
            elif _consumes_narrow(op, self._ranges) and any(o in self._narrow for o in op.operands):
                assert isinstance(op, yarr.ElementwiseOp)
                new = self._elementwise(op, yarr.element_of(op.result))
                Rewriter.replace_op(op, new)
        for op in reversed(replaced):
            if not op.results[0].uses:
                Rewriter.erase_op(op)

    def _replace(self, op: Operation) -> None:
        """Compute a result in 8 bits, and widen it for the other users."""
        (result,) = op.results
        if isinstance(op, yarr.ElementwiseOp):
            new: Operation = self._elementwise(op, i8)
        else:
            new = self._moved(op)
        new.results[0].name_hint = result.name_hint
        Rewriter.insert_op(new, InsertPoint.before(op))
        self._narrow[result] = new.results[0]
        if wide := _wide_uses(result, self._ranges):
            widened = _widened(new.results[0], yarr.element_of(result))
            widened.location = op.location
            Rewriter.insert_op(widened, InsertPoint.before(op))
            for use in wide:
                use.operation.operands[use.index] = widened.result

    def _moved(self, op: Operation) -> Operation:
        (result,) = op.results
        arrays = _arrays(op)
        new = type(op).create(
            operands=[*(self._operand(a, op) for a in arrays), *op.operands[len(arrays) :]],
            result_types=[yarr.tensor(i8, yarr.shape_of(result))],
            properties=dict(op.properties),
            attributes=dict(op.attributes),
        )
        new.location = op.location
        return new

    def _elementwise(self, op: yarr.ElementwiseOp, element: Attribute) -> yarr.ElementwiseOp:
        """The same operation on operands in 8 bits."""
        inner = scalar_operation(op)
        assert inner is not None
        values = [
            self._operand(value, op) if _is_integer(value) else value
            for value in inner_operands(op, inner)
        ]
        block = Block(arg_types=[yarr.element_of(value) for value in values])
        block.add_op(
            scalar := type(inner).create(
                operands=list(block.args),
                result_types=[element],
                properties=dict(inner.properties),
                attributes=dict(inner.attributes),
            )
        )
        block.add_op(yarr.YieldOp(scalar))
        new = yarr.ElementwiseOp(values, Region(block))
        new.location = op.location
        new.result.name_hint = op.result.name_hint
        return new

    def _operand(self, value: SSAValue, user: Operation) -> SSAValue:
        """A value in 8 bits; a constant is created before its user."""
        if value in self._narrow:
            return self._narrow[value]
        number = _constant(value)
        assert number is not None
        constant = yarr.constant(IntegerAttr(number, i8))
        new: list[Operation] = [constant]
        if axes := range(yarr.rank_of(value)):
            new.append(yarr.UnsqueezeOp(constant.result, list(axes)))
        Rewriter.insert_op(new, InsertPoint.before(user))
        return new[-1].results[0]


def _widened(value: SSAValue, element: Attribute) -> yarr.ElementwiseOp:
    block = Block(arg_types=[i8])
    block.add_op(wide := arith.ExtSIOp(block.args[0], i32 if element == i32 else i64))
    block.add_op(yarr.YieldOp(wide))
    return yarr.ElementwiseOp([value], Region(block))


def narrow_integers(function: Operation) -> None:
    """Store integers of a function in 8 bits if they fit and that is profitable."""
    ranges = _Ranges(function)
    narrowed = _Groups(ranges).worthwhile()
    if narrowed:
        _Narrower(ranges, narrowed).function(function)


class NarrowIntegersPass(FunctionPass):
    """Computes provably small integers in 8 bits: counts of few Bools, sums of selected constants.

    Before, with ``%1``, ``%0`` and ``%two`` constants that have axes of size 1::

        %x = yarr.elementwise { arith.select } %a, %1, %0 : ... -> tensor<?xi64>
        %y = yarr.elementwise { arith.select } %b, %1, %0 : ... -> tensor<?xi64>
        %s = yarr.elementwise { arith.addi } %x, %y : ... -> tensor<?xi64>
        %c = yarr.elementwise (%p = %s, %q = %two) : ... -> tensor<?xi1> {
          %0 = arith.cmpi eq, %p, %q : i64
          yarr.yield %0 : i1
        }

    After, with the constants in 8 bits::

        %x = yarr.elementwise { arith.select } %a, %1, %0 : ... -> tensor<?xi8>
        %y = yarr.elementwise { arith.select } %b, %1, %0 : ... -> tensor<?xi8>
        %s = yarr.elementwise { arith.addi } %x, %y : ... -> tensor<?xi8>
        %c = yarr.elementwise (%p = %s, %q = %two) : ... -> tensor<?xi1> {
          %0 = arith.cmpi eq, %p, %q : i8
          yarr.yield %0 : i1
        }

    The range of each array follows from the ranges of its operands, starting with Bools and
    constants, through sums, differences, products, extrema, selections and movements of elements. A
    result is widened for its other users. Arrays on common use-def chains are narrowed together, if
    more than two operations become narrow for each widened result. Scalars and carried values keep
    their types.
    """

    name = "narrow-integers"
    looks_for = (yarr.ElementwiseOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        narrow_integers(function)
