"""The translation of a loop to one whose small arrays are numbers, as an interpreter would run it.

A number is a value of the new loop, and a small array the list of its elements. Other arrays stay:
their elements are read and updated, but no step computes one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, NamedTuple, TypeAlias

from xdsl.dialects import arith
from xdsl.dialects.builtin import TupleType, i1, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.free_indices import leaf_types
from ein_mlir.analysis.phi.searches import field_of, leaf_values
from ein_mlir.analysis.phi.size_equivalence import Term, is_asserted
from ein_mlir.analysis.phi.small_arrays import NUMBERS, SmallSizes
from ein_mlir.analysis.predicates import SIGNED, predicate_of
from ein_mlir.dialects import phi, sigma
from ein_mlir.passes.phi.scalarize_small_arrays.elements import (
    Elements,
    NotSmallError,
    Value,
    is_like,
    leaves,
    like,
)
from ein_mlir.rewriting.phi.insertion import Builder, Emitter, Inserter

MOST_OPERATIONS = 1000
"""The most operations of a loop on numbers."""

Loop: TypeAlias = phi.FoldOp | phi.WhileOp

Rule: TypeAlias = "Callable[[Scalarizer, Any], Value]"
"""What the result of an operation becomes."""


class _Asserted(NamedTuple):
    """Two sizes that are equal where a step runs."""

    lhs: SSAValue
    rhs: SSAValue
    op: phi.AssertEqOp | None = None
    """The assertion of a step; None if one before the loop has that result."""


class Scalarizer(Inserter):
    """Translates operations; those of the rules are inserted into the present body."""

    def __init__(self, sizes: SmallSizes, outer: Emitter, rules: Mapping[type[Operation], Rule]):
        self.sizes, self.outer, self._rules = sizes, outer, rules
        self._build: Inserter = outer
        self._values = dict[SSAValue, Value]()
        self._bodies = dict[Block, None]()
        self._computed: dict[SSAValue, Value | None] = {}
        self._asserted = list[_Asserted]()
        self._count = 0

    def insert(self, op: Operation, /) -> Operation:
        """Add an operation to the present body, if its result is a number or an array of these."""
        self._count += 1
        is_known = isinstance(op, phi.YieldOp | Loop | phi.TupleOp | phi.ProjOp)
        if self._count > MOST_OPERATIONS or not (
            is_known or phi.scalar_of(op.results[0].type) in NUMBERS
        ):
            op.erase()
            raise NotSmallError
        return self._build.insert(op)

    def discard(self) -> None:
        """Erase all operations, those of the bodies that no loop has yet among them."""
        for body in reversed(self._bodies):
            if body.parent is None:
                for op in reversed(list(body.ops)):
                    Rewriter.erase_op(op)
        self.outer.discard()

    # Values

    def __getitem__(self, value: SSAValue) -> Value:
        """The value that one of the loop has become; one from outside of the loop is itself."""
        return self._values.get(value, value)

    def __setitem__(self, value: SSAValue, found: Value) -> None:
        self._values[value] = found

    def one(self, value: SSAValue) -> SSAValue:
        """A number, or an array that stays."""
        found = self[value]
        if not isinstance(found, SSAValue):
            raise NotSmallError
        return found

    def elements(self, array: SSAValue, at: Operation) -> Value:
        """The elements of a small array, or of a record of some, that an operation reads."""
        found = self[array]
        if isinstance(found, Elements) and found.is_assumed:
            raise NotSmallError
        if not isinstance(found, SSAValue):
            return found
        shape = self.sizes.shape(array, array.type, at)
        if shape is None:
            raise NotSmallError
        computed = self.computed(found, at) if self.is_outside(found) else None
        return self.read(self, found, shape) if computed is None else computed

    def read(self, build: Inserter, array: SSAValue, shape: Sequence[int]) -> Elements:
        """The elements of an array that stays."""
        positions = product(*map(range, shape))
        values = [build.get(array, [build.integer(p) for p in each]) for each in positions]
        return Elements(tuple(shape), tuple(values))

    def computed(self, array: SSAValue, at: Operation) -> Value | None:
        """The elements of a small array that is computed before the loop, from its body."""
        if array not in self._computed:
            self._computed[array] = self._computed_before(array, at)
        return self._computed[array]

    def _computed_before(self, array: SSAValue, at: Operation) -> Value | None:
        op = array.owner
        is_small = self.sizes.shape(array, array.type, at) is not None
        if not (is_small and isinstance(op, phi.ArrayOp)) or op.parent in self._bodies:
            return None
        around, self._build = self._build, self.outer
        try:
            return self.rule(op)
        except NotSmallError:
            return None
        finally:
            self._build = around

    def size_of(self, size: SSAValue, at: Operation) -> int:
        """A size that is a small number."""
        found = self[size]
        number = known_int(found) if isinstance(found, SSAValue) else None
        number = self.sizes.number(Term(size), at) if number is None else number
        if number is None:
            raise NotSmallError
        if isinstance(found, SSAValue) and self.is_outside(found) and is_asserted(found):
            self._asserted.append(_Asserted(found, self.outer.integer(number)))
        return number

    def is_outside(self, value: SSAValue) -> bool:
        """Whether a value is known before the loop."""
        place = value.owner if isinstance(value.owner, Block) else value.owner.parent
        return place not in self._bodies

    def size_before(self, array: SSAValue, axis: int) -> SSAValue:
        """The size of an array that stays, which is read before the loop if it is known there."""
        if self.is_outside(array):
            return self.outer.size(array, axis)
        match array.owner:
            case phi.GetOp() as op:
                return self.size_before(op.array, axis + len(op.positions))
            case phi.UpdateOp() as op:
                return self.size_before(op.array, axis)
            case _:
                return self.size(array, axis)

    # Operations on numbers

    def scalar(self, op: Operation) -> SSAValue:
        """A scalar operation on the numbers that its operands have become."""
        operands = [self.one(value) for value in op.operands]
        if any(phi.rank_of(value.type) for value in operands):
            raise NotSmallError
        known = known_result(op, operands)
        if isinstance(known, int):
            return self.number(known, op.results[0].type)
        if known is not None:
            return known
        return self.copy(op, dict(zip(op.operands, operands, strict=True))).results[0]

    def choose(self, condition: SSAValue, lhs: Value, rhs: Value) -> Value:
        """``lhs`` where a condition holds, else ``rhs``"""
        known = known_int(condition)
        if known is not None:
            return lhs if known else rhs
        if not (is_like(lhs, rhs) and is_like(rhs, lhs)):
            raise NotSmallError
        pairs = list(zip(leaves(lhs), leaves(rhs), strict=True))
        if any(phi.rank_of(x.type) for x, _ in pairs):
            raise NotSmallError
        return like(lhs, iter([x if x is y else self.select(condition, x, y) for x, y in pairs]))

    def equals(self, position: SSAValue, number: int) -> SSAValue:
        """``position == number``"""
        known = known_int(position)
        if known is not None:
            return self.truth(known == number)
        return self.compare(position, "eq", number)

    def both(self, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        """``lhs & rhs``"""
        for one, other in ((lhs, rhs), (rhs, lhs)):
            known = known_int(one)
            if known is not None:
                return other if known else one
        return self.and_(lhs, rhs)

    # Loops

    def block(self, block: Block) -> Value:
        """The value that a body yields."""
        for op in block.ops:
            if isinstance(op, phi.YieldOp):
                return self[op.value]
            self[op.results[0]] = self.rule(op)
        raise NotSmallError

    def rule(self, op: Operation) -> Value:
        """What the result of an operation becomes."""
        rule = self._rules.get(type(op))
        if rule is not None:
            return rule(self, op)
        if isinstance(op, phi.PhiOp) or op.regions:
            raise NotSmallError
        return self.scalar(op)

    def loop(self, op: Loop) -> Value:
        """The results of a loop, which is inserted."""
        asserted, self._asserted = self._asserted, list[_Asserted]()
        init = self._initial(op)
        if isinstance(op, phi.WhileOp) and _count(init) == 1:
            raise NotSmallError
        body = Block(arg_types=(i64, _type_of(list(leaves(init)))))
        for new, old in zip(body.args, op.body.block.args, strict=True):
            new.name_hint = old.name_hint
        self._bodies[body] = None
        around = self._build
        self._build = Builder.at_end(body)
        self[op.counter] = body.args[0]
        self[op.accumulator] = like(init, iter(self.unpacked(body.args[1], _count(init))))
        after = self.block(op.body.block)
        if not is_like(init, after):
            raise NotSmallError
        self.yield_(self.packed(list(leaves(after))))
        self._build, found, self._asserted = around, self._asserted, asserted
        new = op.again(self.packed(list(leaves(init))), Region(body))
        new.operands[0] = self.one(op.count)
        new.operands[0] = self._asserting(new, found)
        self.insert(new)
        is_outermost = around is self.outer
        if not (is_outermost or self._keeps_sizes(op, init)):
            raise NotSmallError
        return like(init, iter(self.unpacked(new.result, _count(init))))

    def _keeps_sizes(self, op: Loop, init: Value, path: phi.Path = ()) -> bool:
        """Whether arrays have the sizes of a step after an inner loop, also if it has no step."""
        if isinstance(init, tuple):
            return all(self._keeps_sizes(op, x, (*path, k)) for k, x in enumerate(init))
        if isinstance(init, SSAValue) or init.start is None:
            return True
        terms = [Term(op.result, path, axis) for axis in range(len(init.shape))]
        return [self.sizes.number(term, op) for term in terms] == list(init.shape)

    def _initial(self, op: Loop) -> Value:
        """The initial value of a loop, with elements in the place of arrays that steps compute."""
        updated, last = iter(_updated(op)), op.body.block.last_op
        assert last is not None

        def initial(value: Value, type_: Attribute, path: phi.Path) -> Value:
            if isa(type_, TupleType):
                fields = self.fields(value) if isinstance(value, SSAValue) else value
                assert isinstance(fields, Sequence)
                types = enumerate(type_.types)
                return tuple(initial(fields[k], field, (*path, k)) for k, field in types)
            stays = next(updated)
            if isinstance(value, Elements) or phi.is_scalar_type(type_):
                return value
            assert isinstance(value, SSAValue)
            shape = self.sizes.shape(op.accumulator, type_, last, path)
            later = shape
            if shape is None and isinstance(op, phi.FoldOp):
                later = self.sizes.shape(op.yielded(), type_, last, path)
            if later is None or stays:
                return value
            found = self.computed(value, op)
            if shape is not None and found is not None:
                return found
            elements = self.read(self, value, later)
            return replace(elements, is_assumed=shape is None, start=(value, 0))

        return initial(self[op.init], op.init.type, ())

    def assert_equal(self, op: phi.AssertEqOp) -> Value:
        """The size that a step asserts, which is known before the loop."""
        sizes = [self._before_loop(self.one(size)) for size in op.operands]
        lhs, rhs = sizes
        if known_int(lhs) is None or known_int(lhs) != known_int(rhs):
            self._asserted.append(_Asserted(lhs, rhs, op))
        return lhs if known_int(lhs) is not None else rhs

    def _before_loop(self, size: SSAValue) -> SSAValue:
        """A size as a value from before the loop."""
        number = known_int(size)
        if number is not None:
            return self.outer.integer(number)
        if not self.is_outside(size):
            raise NotSmallError
        return size

    def _asserting(self, loop: Loop, asserted: Sequence[_Asserted]) -> SSAValue:
        """The count of a loop, after the assertions of its steps, which fail if there is a step.

        The count depends on all that steps assert, or need: otherwise that would be removed.
        """
        counted = loop.count
        for size, other, op in asserted:
            if op is not None:
                size = self.select(_has_steps(self, loop), size, other)
                size = self.emit(phi.AssertEqOp(size, other, op.message.data))
            same = self.add(loop.count, self.sub(size, other))
            counted = self.emit(phi.AssertEqOp(counted, same, "sizes in a loop"))
        return counted


def _has_steps(build: Inserter, loop: Loop) -> SSAValue:
    """Whether a loop takes a step."""
    is_counted = build.compare(loop.count, "sgt", 0)
    if isinstance(loop, phi.FoldOp):
        return is_counted
    return build.and_(is_counted, build.proj(loop.init, 0))


def _updated(op: Loop) -> list[bool]:
    """Whether a step updates an array that it carries, or a row of it, where positions vary."""
    steps = leaf_values(op.yielded())
    if len(steps) != len(leaf_types(op.init.type)):
        return [False] * len(leaf_types(op.init.type))
    return [_is_updated(step, op.accumulator, number) for number, step in enumerate(steps)]


def _is_updated(step: SSAValue, accumulator: SSAValue, number: int) -> bool:
    varies = False
    while isinstance(step.owner, phi.UpdateOp):
        varies = varies or any(known_int(position) is None for position in step.owner.positions)
        step = step.owner.array
    return varies and field_of(step, accumulator) == number


def _type_of(values: Sequence[SSAValue]) -> Attribute:
    return values[0].type if len(values) == 1 else phi.tuple_of(value.type for value in values)


def _count(value: Value) -> int:
    return sum(1 for _ in leaves(value))


def known_result(op: Operation, operands: Sequence[SSAValue]) -> int | SSAValue | None:
    """The constant, or the operand, that an operation on Ints or Bools has as its result."""
    numbers = [known_int(value) for value in operands]
    if isinstance(op, arith.AndIOp | arith.OrIOp) and op.results[0].type == i1:
        for number, other in zip(numbers, reversed(operands), strict=True):
            if number is not None:
                is_neutral = bool(number) == isinstance(op, arith.AndIOp)
                return other if is_neutral else int(bool(number))
    if len(numbers) != 2 or operands[0].type != i64:
        return None
    lhs, rhs = numbers
    if lhs is None or rhs is None:
        return None
    if isinstance(op, arith.CmpiOp):
        test = SIGNED.get(predicate_of(op))
        return None if test is None else int(test(lhs, rhs))
    function = _FUNCTIONS.get(type(op))
    if function is None or (rhs == 0 and type(op) in _DIVISIONS):
        return None
    return (function(lhs, rhs) + 2**63) % 2**64 - 2**63


_DIVISIONS = (arith.FloorDivSIOp, sigma.FloorModOp)
_FUNCTIONS: Mapping[type[Operation], Callable[[int, int], int]] = {
    arith.AddiOp: int.__add__,
    arith.SubiOp: int.__sub__,
    arith.MuliOp: int.__mul__,
    arith.FloorDivSIOp: int.__floordiv__,
    sigma.FloorModOp: int.__mod__,
    arith.MaxSIOp: max,
    arith.MinSIOp: min,
}
