"""The ranges of Ints in a loop of emitpy that computes with ints of Python, which do not wrap."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import IntegerType, Signedness, TensorType, i1, i64
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, SSAValue

from ein_mlir.analysis.arithmetic.ranges import (
    DRIFT,
    FEW,
    INTS,
    MOST,
    RANGES,
    SIZES,
    Range,
    floored_remainder,
    ints_of,
)
from ein_mlir.analysis.emitpy.shared_memory import array_before
from ein_mlir.analysis.emitpy.stored_elements import stores_to_made_arrays, unfilled
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.scopes import is_within, reached
from ein_mlir.dialects import emitpy

INT, _BOOL = (TensorType(element, []) for element in (i64, i1))

_DEEPEST = 4
"""The most operations before a loop that lead to a value whose range is looked for."""

_BEFORE_WIDENING = 2
"""The passes over the body of a loop before bounds that still change are widened."""

_HUGE = Range(-(2**200), 2**200)
"""The ints that stay as they are where only their low bits count: longer ones compute slowly."""

_BINARY: Mapping[str, Callable[[Range, Range], Range]] = {
    "+": RANGES[arith.AddiOp],
    "-": RANGES[arith.SubiOp],
    "*": RANGES[arith.MuliOp],
    "//": RANGES[arith.FloorDivSIOp],
    "%": floored_remainder,
    "&": RANGES[arith.AndIOp],
    "|": RANGES[arith.OrIOp],
    "^": RANGES[arith.XOrIOp],
    ">>": RANGES[arith.ShRSIOp],
    "<<": lambda x, y: x * Range(2 ** max(y.low, 0), 2 ** min(max(y.high, 0), 64)),
    "max": RANGES[arith.MaxSIOp],
    "min": RANGES[arith.MinSIOp],
}
"""The range of the result of an operator over the integers."""

_HOLDS: Mapping[str, Callable[[Range], Range]] = {
    "<": lambda y: Range(INTS.low, y.high - 1),
    "<=": lambda y: Range(INTS.low, y.high),
    ">": lambda y: Range(y.low + 1, INTS.high),
    ">=": lambda y: Range(y.low, INTS.high),
}
"""The range of a number of which a comparison with another one holds."""

_SWAPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}

RING = frozenset("+-*")
"""The operators whose results modulo 2^64 depend on their operands modulo 2^64 alone."""


class IntRanges:
    """The ranges of the Ints in a loop, and those that must be wrapped.

    A value that Python computes is wrapped to 64 bits where its range is larger, unless all of its
    users need its low bits only: sums and products, masks of numbers that are not negative, and
    remainders by powers of two.
    """

    def __init__(self, loop: emitpy.ForOp, is_computed: Callable[[SSAValue], bool]):
        self._loop, self._is_computed = loop, is_computed
        self._ranges = dict[SSAValue, Range]()
        self.wrapped = dict[SSAValue, Range]()
        """The values to wrap, and their ranges before."""
        self._stored = stores_to_made_arrays(loop)
        self._elements = {array: stored.first for array, stored in self._stored.items()}
        self._visit(loop)
        while self._widen_elements():
            self._visit(loop)

    def of(self, value: SSAValue, depth: int = _DEEPEST) -> Range:
        """The range of an Int. Numbers of Python from outside of the loop are Ints, too."""
        found = self._ranges.get(value)
        if found is None and depth and not is_within(value, self._loop):
            found = (self._result(value.owner, depth - 1) or INTS) & self._checked(value)
            self._ranges[value] = found
        return found or INTS

    def _checked(self, value: SSAValue) -> Range:
        """The range of a value after checks before the loop: ``if n < 0: raise ..``."""
        found = INTS
        for test in (use.operation for use in value.uses):
            if (
                isinstance(test, emitpy.BinaryOp)
                and isinstance(bound := test.rhs.owner, emitpy.LiteralOp)
                and isinstance(bound.data, int)
                and any(self._is_passed(use.operation) for use in test.result.uses)
            ):
                if test.operator.data == "<":
                    found &= Range(bound.data, INTS.high)
                elif test.operator.data == ">":
                    found &= Range(INTS.low, bound.data)
        return found

    def _is_passed(self, check: Operation) -> bool:
        """Whether the loop runs only after a check that raises no error."""
        if not isinstance(check, emitpy.RaiseIfOp) or check.parent is None:
            return False
        place = check.parent.find_ancestor_op_in_block(self._loop)
        return place is not None and check.is_before_in_block(place)

    def _visit(self, op: Operation) -> None:
        if isinstance(op, emitpy.ForOp):
            self._fixpoint(op)
        elif op.results and (found := self._result(op)) is not None:
            self._ranges[op.results[0]] = self._kept(op, found)

    def _widen_elements(self) -> bool:
        """Whether a step stores a number beyond the range of the elements of an array."""
        known = dict(self._elements)
        for array, stored in self._stored.items():
            every = DRIFT if self._drifts(stored.values) else INTS
            for step in (self.of(value) & every for value in stored.values):
                if step not in self._elements[array]:
                    self._elements[array] = _widened(self._elements[array], step) & every
        return known != self._elements

    def _fixpoint(self, loop: emitpy.ForOp) -> None:
        """The ranges of accumulators: those of their initial values and of all steps."""
        self._ranges[loop.counter] = SIZES
        ints = [k for k, value in enumerate(loop.accumulators) if value.type == INT]
        variables = [loop.accumulators[k] for k in ints]
        every = [DRIFT if self._drifts([variable]) else INTS for variable in variables]
        after = dict(zip(ints, every, strict=True))
        if loop.conditional is not None:
            every = [most & self._held(loop, k) for k, most in after.items()]
        for variable, k, most in zip(variables, ints, every, strict=True):
            self._ranges[variable] = self.of(loop.inits[k]) & most
        for number in range(_BEFORE_WIDENING + 2 * len(ints) + 1):
            for op in loop.body.block.ops:
                self._visit(op)
            steps = [self._stepped(loop, k) & most for k, most in zip(ints, every, strict=True)]
            if all(s in self._ranges[v] for v, s in zip(variables, steps, strict=True)):
                break
            for variable, step, most in zip(variables, steps, every, strict=True):
                known = self._ranges[variable]
                wider = known | step if number < _BEFORE_WIDENING else _widened(known, step)
                self._ranges[variable] = wider & most
        for k, most in after.items():
            self._ranges[loop.res[k]] = self.of(loop.inits[k]) | (self._stepped(loop, k) & most)

    def _held(self, loop: emitpy.ForOp, number: int) -> Range:
        """The range of an accumulator in the steps of a loop, whose condition holds there."""
        first, later = ((each[0], each[number]) for each in (loop.inits, loop.yielded))
        return self._where(*first, loop) | self._where(*later, loop)

    def _where(self, condition: SSAValue, value: SSAValue, loop: emitpy.ForOp) -> Range:
        """The range of a value where a condition holds, by comparisons with invariant Ints."""
        op = _bare(condition).owner
        if not isinstance(op, emitpy.BinaryOp):
            return INTS
        if op.operator.data == "and":
            return self._where(op.lhs, value, loop) & self._where(op.rhs, value, loop)
        for x, y, symbol in (
            (op.lhs, op.rhs, op.operator.data),
            (op.rhs, op.lhs, _SWAPPED.get(op.operator.data, "")),
        ):
            if symbol in _HOLDS and _bare(x) is _bare(value):
                other = emitpy.literal_data(y)
                if isinstance(other, int):
                    return _HOLDS[symbol](Range.of(other))
                return INTS if is_within(y, loop) else _HOLDS[symbol](self.of(y))
        return INTS

    def _drifts(self, variables: Iterable[SSAValue]) -> bool:
        """Whether each step of the loops that compute variables adds few to another such number.

        Then they stay far from the largest Int. Choices, extremes and means of such numbers are
        some, and so are those before the loop, and elements of arrays that they are stored in.
        """
        added = Range.of(0)
        for value in reached(variables, self._drifting):
            op = value.owner
            if isinstance(op, emitpy.BinaryOp) and (few := _few(op)) is not None:
                added += few | -few
            elif not any(True for _ in self._drifting(value)) and not self._starts(value):
                return False
        return added in FEW

    def _drifting(self, value: SSAValue) -> Iterable[SSAValue]:
        """The numbers of which a value is one, or a mean, except for a small sum."""
        stored = self._stored.get(self._array_of(value))
        if stored is None:
            return _drifting(value)
        return stored.values if stored.first in SIZES | FEW else ()

    def _array_of(self, value: SSAValue) -> SSAValue:
        """The array from before the loop that an Int is an element of; else the Int."""
        op = value.owner
        if not isinstance(op, emitpy.SubscriptOp) or value.type != INT:
            return value
        return unfilled(array_before(self._loop, op.object))

    def _starts(self, value: SSAValue) -> bool:
        """Whether a number is small, whatever the loop carries."""
        is_known = is_counter(value) or _small_number(value) is not None
        return is_known or (not is_within(value, self._loop) and self.of(value) in SIZES)

    def _stepped(self, loop: emitpy.ForOp, number: int) -> Range:
        """The range of an accumulator after steps: of one, or of all if each adds to it.

        A step may also set it to another value: later ones add to that.
        """
        added, starts = self._added(loop.yielded[number], loop.accumulators[number])
        if added is not None:
            most = Range(min(added.low, 0) * MOST, max(added.high, 0) * MOST)
            total = _hull([self.of(loop.inits[number]), *starts]) + most
            if total in INTS:
                return total
        return self.of(loop.yielded[number])

    def _added(
        self, value: SSAValue, variable: BlockArgument
    ) -> tuple[Range | None, Sequence[Range]]:
        """The range of ``value - variable``, if a value is a sum of a variable and another one.

        Other values may be in the place of the variable: their ranges.
        """
        starts = list[Range]()

        @cache
        def added_to(value: SSAValue) -> Range | None:
            if value is variable:
                return Range.of(0)
            match value.owner:
                case emitpy.BinaryOp(operator=operator, lhs=lhs, rhs=rhs) if operator.data in "+-":
                    added = added_to(lhs)
                    if added is None and operator.data == "+":
                        lhs, rhs, added = rhs, lhs, added_to(rhs)
                    return None if added is None else _BINARY[operator.data](added, self.of(rhs))
                case emitpy.ConditionalOp(if_true=x, if_false=y):
                    first, second = added_to(x), added_to(y)
                    if first is None and second is None:
                        return None
                    for side, added in ((x, first), (y, second)):
                        if added is None:
                            starts.append(self.of(side))
                    return _hull([each for each in (first, second) if each is not None])
                case _:
                    return None

        return added_to(value), starts

    def _kept(self, op: Operation, found: Range) -> Range:
        """The range of a result, which wraps where it is too large, unless low bits suffice."""
        result = op.results[0]
        self.wrapped.pop(result, None)
        if found in INTS or (found in _HUGE and self._is_low_enough(op)):
            return found
        if any(map(self._is_computed, (result, *op.operands))):
            self.wrapped[result] = found
        return INTS

    def _is_low_enough(self, op: Operation) -> bool:
        """Whether all users need the low bits of a result only."""
        is_ring = isinstance(op, emitpy.BinaryOp) and op.operator.data in RING
        return is_ring and all(
            isinstance(use.operation, emitpy.BinaryOp)
            and self._takes_low_bits(use.operation, use.operation.operands[1 - use.index])
            for use in op.results[0].uses
        )

    def _takes_low_bits(self, user: emitpy.BinaryOp, other: SSAValue) -> bool:
        if not self._is_computed(user.result) or user.result.type != INT:
            return False
        symbol, divisor = user.operator.data, emitpy.literal_data(other)
        if symbol == "%":
            is_power = isinstance(divisor, int) and divisor > 0 and not divisor & (divisor - 1)
            return is_power and user.rhs is other
        return symbol in RING or (symbol == "&" and self.of(other).low >= 0)

    def _result(self, op: Operation | Block, depth: int = _DEEPEST) -> Range | None:
        """The range of the result of an operation over the integers, if it is known."""
        match op:
            case emitpy.LiteralOp(data=int(number)):
                return Range.of(number)
            case emitpy.BinaryOp() if op.operator.data in _BINARY and _is_int(op.result):
                return self._combined(op.operator.data, op.operands, depth)
            case emitpy.UnaryOp() if op.operator.data in "-~" and _is_int(op.result):
                operand = self.of(op.operand, depth)
                return -operand if op.operator.data == "-" else -operand - Range.of(1)
            case emitpy.ConditionalOp() if _is_int(op.result):
                return self.of(op.if_true, depth) | self.of(op.if_false, depth)
            case emitpy.CallOp() if op.callee.data in ("np.int64", "int"):
                return self.of(op.operands[0], depth)
            case emitpy.CallOp() if op.callee.data == "np.abs" and op.results[0].type == INT:
                return RANGES[math.AbsIOp](self.of(op.operands[0], depth))
            case emitpy.CallOp() if op.callee.data in ("min", "max") and len(op.operands) == 2:
                return self._combined(op.callee.data, op.operands, depth)
            case emitpy.MethodOp() if op.method.data == "astype" and op.receiver.type == _BOOL:
                return Range(0, 1)
            case emitpy.MethodOp() if op.method.data == "astype" and _is_int(op.results[0]):
                return _range_of_type(op.receiver.type)
            case emitpy.SubscriptOp() if isinstance(op.object.owner, emitpy.AttrOp):
                return SIZES if op.object.owner.attribute.data == "shape" else None
            case emitpy.SubscriptOp():
                found = self._elements.get(self._array_of(op.result))
                return None if found is None else found | Range.of(0)  # of an empty array
            case _:
                return None

    def _combined(self, operator: str, operands: Iterable[SSAValue], depth: int) -> Range:
        return _BINARY[operator](*(self.of(operand, depth) for operand in operands))


def _range_of_type(type_: Attribute) -> Range | None:
    """The numbers of a type of integers; None for other types."""
    element = type_.element_type if isa(type_, TensorType) else None
    if not isa(element, IntegerType) or element.width.data > 32:
        return None
    if element.signedness.data == Signedness.UNSIGNED:
        return Range(0, 2**element.width.data - 1)
    return ints_of(element.width.data)


def _bare(value: SSAValue) -> SSAValue:
    """A number, or truth value, that is perhaps converted to one of Python."""
    op = value.owner
    if isinstance(op, emitpy.CallOp) and op.callee.data in ("int", "np.int64", "bool"):
        return op.operands[0]
    return value


def is_counter(value: SSAValue) -> bool:
    """Whether a value is the counter of a loop."""
    loop = value.block.parent_op() if isinstance(value, BlockArgument) else None
    return isinstance(loop, emitpy.ForOp) and value is loop.counter


def _drifting(value: SSAValue) -> Iterable[SSAValue]:
    """The numbers of which a value is one, or a mean, except for a small sum."""
    match value.owner:
        case Block() as block if isinstance(loop := block.parent_op(), emitpy.ForOp):
            k = value.index - 1 if isinstance(value, BlockArgument) else -1
            return () if k < 0 else (loop.inits[k], loop.yielded[k])
        case emitpy.ForOp() as loop if isinstance(value, OpResult):
            return loop.inits[value.index], loop.yielded[value.index]
        case emitpy.BinaryOp() as op if _few(op) is not None:
            return (op.lhs if _small_number(op.rhs) is not None else op.rhs,)
        case emitpy.BinaryOp(operator=operator, lhs=lhs, rhs=rhs) if operator.data == "//":
            return _added_for_mean(lhs, rhs)
        case emitpy.ConditionalOp(if_true=x, if_false=y):
            return x, y
        case emitpy.CallOp() as op if op.callee.data in ("max", "min", "int", "np.int64"):
            return op.operands
        case _:
            return ()


def _added_for_mean(total: SSAValue, divisor: SSAValue) -> Sequence[SSAValue]:
    """The ``x`` and ``y`` of ``(x + y) // 2``"""
    op, number = total.owner, _small_number(divisor)
    if not isinstance(op, emitpy.BinaryOp) or op.operator.data != "+":
        return ()
    return op.operands if number is not None and number.low >= 2 else ()


def _few(op: emitpy.BinaryOp) -> Range | None:
    """The range of a small number that an operation adds or subtracts."""
    few = None
    if op.operator.data in "+-":
        few = _small_number(op.rhs)
        if few is None and op.operator.data == "+":
            few = _small_number(op.lhs)
    return few


def _small_number(value: SSAValue) -> Range | None:
    """The range of a literal, or of a truth value as a number, if it is small."""
    match value.owner:
        case emitpy.LiteralOp(data=int(number)) if abs(number) <= FEW.high:
            return Range.of(number)
        case emitpy.MethodOp() as op if op.method.data == "astype" and op.receiver.type == _BOOL:
            return Range(0, 1)
        case emitpy.ConditionalOp(if_true=x, if_false=y):
            sides = _small_number(x), _small_number(y)
            return None if sides[0] is None or sides[1] is None else sides[0] | sides[1]
        case _:
            return None


def _hull(ranges: Sequence[Range]) -> Range:
    """The smallest range with all of some."""
    first, *others = ranges
    for other in others:
        first |= other
    return first


def _is_int(value: SSAValue) -> bool:
    """Whether a value may be an Int, or an int of Python."""
    return value.type in (INT, emitpy.OBJECT)


def _widened(known: Range, step: Range) -> Range:
    """The bounds that a step exceeds are those of all Ints."""
    low = known.low if known.low <= step.low else INTS.low
    return Range(low, known.high if step.high <= known.high else INTS.high)
