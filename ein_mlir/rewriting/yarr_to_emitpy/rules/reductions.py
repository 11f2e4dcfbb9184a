"""Reductions, scans, and NaN propagation."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar, TypeAlias

from xdsl.dialects import arith
from xdsl.dialects.builtin import i1, i64
from xdsl.ir import Block, Region, SSAValue

from ein_mlir.analysis.yarr.found_positions import found_position
from ein_mlir.dialects import emitpy, yarr
from ein_mlir.dialects.algebra import identity
from ein_mlir.dialects.emitpy import OBJECT
from ein_mlir.dialects.reductions import combines_bits
from ein_mlir.rewriting.yarr_to_emitpy.lowering import PythonLowering, tensor_type

Combination: TypeAlias = yarr.ScanOp | yarr.WeightedScanOp | yarr.AccumulateOp
"""An operation with a kind of combination."""


class ReductionRules(PythonLowering):
    """Rules that call functions of the library or helpers, or combine halves."""

    sorts_bits: ClassVar[bool] = False
    """Whether the library accumulates no bits at keys, which a helper sorts then."""

    def __init__(self, source: Block):
        super().__init__(source)
        self.rules |= {
            yarr.ReduceOp: self.reduce,
            yarr.TreeReduceOp: self.tree_reduce,
            yarr.ScanOp: self.scan,
            yarr.WeightedScanOp: self.weighted_scan,
            yarr.AccumulateOp: self.accumulate_at,
            yarr.PropagateNanOp: self.propagate_nan,
        }
        self._segments: dict[tuple[Block | SSAValue, ...], SSAValue] = {}

    @abstractmethod
    def reduce(self, op: yarr.ReduceOp) -> None:
        """A reduction that the library implements."""

    def tree_reduce(self, op: yarr.TreeReduceOp) -> None:
        """Combine neighbours in log2(n) steps; the last one of an odd number waits for the next."""
        arrays = [self.array(array) for array in op.arrays]
        types = [
            yarr.tensor(yarr.element_of(a), (yarr.DYNAMIC, *yarr.shape_of(a)[1:])) for a in arrays
        ]
        last = self.build.binary(self.build.size(arrays[0], 0), "-", self.build.literal(1))
        positive = self.build.call("max", last, self.build.literal(0))
        steps = self.build.method(positive, "bit_length")
        body = Block(arg_types=[OBJECT, *types])
        with self.build.emitting_into(body):
            self._combine_pairs(op, body.args[1:])
        self.build.source = op
        loop = self.build.insert(emitpy.ForOp(steps, arrays, Region(body)))
        first_or = self.name("first_or")
        for result, combined, neutral in zip(op.res, loop.res, op.identities, strict=True):
            default = self.array(neutral)
            combined.name_hint = result.name_hint
            first = self.build.helper(first_or, combined, default, type=result.type, view=True)
            self.bind(result, first)

    def _combine_pairs(self, op: yarr.TreeReduceOp, arrays: Sequence[SSAValue]) -> None:
        """Emit one step: elements at even positions, those after them, and the remaining one."""
        none, two = self.build.literal(None), self.build.literal(2)
        even = self.build.slice(none, self.build.literal(-1), two)
        odd = self.build.slice(self.build.literal(1), none, two)
        left = [self.build.subscript(array, [even], array.type) for array in arrays]
        right = [self.build.subscript(array, [odd], array.type) for array in arrays]
        block = op.body.block
        for argument, value in zip(block.args, (*left, *right), strict=True):
            self.bind(argument, value)
        self.block(block)
        terminator = block.last_op
        assert isinstance(terminator, yarr.YieldOp)
        self.build.source = op
        combined = list[SSAValue]()
        for array, value in zip(arrays, terminator.values, strict=True):
            size = self.build.size(array, 0)
            odd_one = self.build.binary(size, "%", two)
            rest = self.build.slice(self.build.binary(size, "-", odd_one), none)
            parts = (self.array(value), self.build.subscript(array, [rest], array.type))
            combined.append(self.concatenate(self.build.tuple(parts), 0, tensor_type(array)))
        self.build.insert(emitpy.YieldOp(*combined))

    def scan(self, op: yarr.ScanOp) -> None:
        """``np.add.accumulate(a, 1)``, or a helper around it for an exclusive scan."""
        if op.inclusive is not None:
            self.bind(op.result, self.inclusive_scan(op))
            return
        array, axis = self.array(op.array), self.build.literal(op.axis.value.data)
        function = self.combining_function(op)
        suffixes = self.build.literal(op.suffixes is not None)
        arguments = (*function, array, axis, suffixes)
        self.bind(op.result, self.build.helper(self.name("scan"), *arguments, type=op.result.type))

    def weighted_scan(self, op: yarr.WeightedScanOp) -> None:
        """A helper."""
        array, weights = self.array(op.array), self.array(op.weights)
        axis = self.build.literal(op.axis.value.data)
        arguments = (*self.combining_function(op), array, weights, axis)
        helper = self.name("weighted_scan")
        self.bind(op.result, self.build.helper(helper, *arguments, type=op.result.type))

    @abstractmethod
    def inclusive_scan(self, op: yarr.ScanOp) -> SSAValue:
        """The combinations of all prefixes, or suffixes, each with its last element."""

    def accumulate_at(self, op: yarr.AccumulateOp) -> None:
        """A helper, for counts another."""
        sizes = self.build.tuple([self.value(size) for size in op.sizes])
        segments = self.segments(op)
        if self.is_count(op):
            arguments = (segments, sizes, self.scalars.dtype(yarr.element_of(op.array)))
            helper = self.name("segment_count")
        else:
            arguments = (*self.combining_function(op), self.array(op.array), segments, sizes)
            helper = self.name(self.accumulation_helper(op))
        self.bind(op.result, self.build.helper(helper, *arguments, type=tensor_type(op.result)))

    def accumulation_helper(self, op: yarr.AccumulateOp) -> str:
        """The helper that combines the elements of each segment."""
        is_sorted = self.sorts_bits and combines_bits(op.combine, yarr.element_of(op.array))
        return "accumulate_bits_at" if is_sorted else "accumulate_at"

    def segments(self, op: yarr.AccumulateOp) -> SSAValue:
        """The numbers of the segments of keys; computed once for all reductions by them.

        A single key may be that number itself.
        """
        keys = [self.array(key) for key in op.keys]
        sizes = [self.value(size) for size in op.sizes]
        place = (self.build.block, *keys, *sizes)
        if place not in self._segments:
            shape = yarr.broadcast_shapes([yarr.shape_of(key) for key in op.keys])
            assert shape is not None
            type_ = yarr.tensor(i64, shape)
            arguments = self.build.tuple(keys), self.build.tuple(sizes)
            helper = self.name("segment_numbers")
            self._segments[place] = self.build.helper(helper, *arguments, type=type_, view=True)
        return self._segments[place]

    def is_count(self, op: yarr.AccumulateOp) -> bool:
        """Whether a reduction only counts, for which the library has a faster function."""
        return False

    @abstractmethod
    def combining_function(self, op: Combination) -> Sequence[SSAValue]:
        """The function that combines two elements, as an argument of helpers, and its identity."""

    def neutral(self, op: Combination | yarr.ReduceOp) -> SSAValue:
        """The identity of a kind of combination."""
        element = yarr.element_of(op.array)
        value = identity(op.combine, element)
        assert value is not None
        number = value.value.data
        if number in (math.inf, -math.inf):
            infinity = self.build.name(self.name("inf"))
            return infinity if number > 0 else self.build.unary("-", infinity)
        return self.build.literal(bool(number) if element == i1 else number)

    def propagate_nan(self, op: yarr.PropagateNanOp) -> None:
        """A helper, which returns the array itself if a test proves the others finite.

        That is a test of the array, if the array is a sum of products of the others: it is then
        small enough to be tested at no cost.
        """
        array, others = self.array(op.array), self.array(op.others)
        witness = array if sums_all(op.array, op.others) else others
        axis = self.build.literal(op.axis.value.data)
        helper, type_ = self.name("propagate_nan"), op.result.type
        arguments = array, others, axis, witness
        result = self.build.helper(helper, *arguments, type=type_, view=True, first=True)
        self.bind(op.result, result)


class AccumulatingRules(ReductionRules):
    """The rules for libraries that scan from the front."""

    def find_position(self, op: yarr.ReduceOp) -> bool:
        """``true_position(mask, 0, -1, True)``, if a reduction is the place of a true element."""
        found = found_position(op)
        if found is None:
            return False
        axis, is_last = self.build.literal(op.axes[0]), self.build.literal(found.is_last)
        arguments = self.array(found.condition), axis, self.value(found.otherwise), is_last
        helper = self.name("true_position")
        self.bind(op.result, self.build.helper(helper, *arguments, type=op.result.type))
        return True

    def inclusive_scan(self, op: yarr.ScanOp) -> SSAValue:
        """A scan from the front; for suffixes, of the elements in reverse."""
        array, axis, type_ = self.array(op.array), op.axis.value.data, tensor_type(op.result)
        if op.suffixes is None:
            return self.accumulate(op, array)
        backwards = self.accumulate(op, self.reversed(array, axis, type_))
        return self.reversed(backwards, axis, type_)

    @abstractmethod
    def accumulate(self, op: yarr.ScanOp, array: SSAValue) -> SSAValue:
        """The combinations of all prefixes, each with its last element."""


def sums_all(value: SSAValue, array: SSAValue) -> bool:
    """Whether a finite value proves that an array is finite: each element contributes to its sums.

    A sum of products is not finite if a factor of one of the products is not. Each element of the
    array is such a factor, unless an axis that the array lacks is summed, and may be empty.
    """
    root = _viewed(array)
    match value.owner:
        case yarr.EinsumOp() as op:
            inputs, output = yarr.split_subscripts(op.subscripts.data)
            return any(
                _viewed(operand) is root and set("".join(inputs)) <= {*letters, *output}
                for letters, operand in zip(inputs, op.arrays, strict=True)
            )
        case yarr.ReduceOp() as op if op.combine == arith.AddfOp.name:
            return _takes_over(op.array, root)
        case yarr.InOrderOp() as op:
            return sums_all(op.array, array)
        case yarr.ElementwiseOp() as op:
            return any(sums_all(each, array) for each in _taken_over(op))
        case _:
            return False


def _takes_over(value: SSAValue, root: SSAValue) -> bool:
    """Whether a finite value proves an array finite, of which each element is one of its terms."""
    op = (array := _viewed(value)).owner
    if array is root:
        return True
    return isinstance(op, yarr.ElementwiseOp) and any(
        _takes_over(each, root) for each in _taken_over(op)
    )


def _taken_over(op: yarr.ElementwiseOp) -> Iterator[SSAValue]:
    """The operands that are finite if all elements of a result are, which has as many."""
    shape = yarr.shape_of(op.result)
    for number, operand in enumerate(op.arguments):
        sizes = zip(yarr.shape_of(operand), shape, strict=True)
        if op.takes_over(number) and not any(size == 1 != whole for size, whole in sizes):
            yield operand


def _viewed(value: SSAValue) -> SSAValue:
    """The operand of reshaping views, with the same elements."""
    while isinstance(value.owner, yarr.TransposeOp | yarr.UnsqueezeOp | yarr.SqueezeOp):
        value = value.owner.array
    return value
