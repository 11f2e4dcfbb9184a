"""The insertion of operations of phi, at a place or into a list: comprehensions, folds, copies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

import xdsl.builder
from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AnyFloat,
    IndexType,
    IntegerAttr,
    IntegerType,
    TupleType,
    UnknownLoc,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import ConstantLike

from ein_mlir.analysis.arithmetic import MOST, LinearForm, value_of_form
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.selections import Test
from ein_mlir.analysis.scopes import inputs_of, operations_in
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import identity
from ein_mlir.dialects.creation import copy_of
from ein_mlir.dialects.reductions import is_reduction
from ein_mlir.rewriting.phi.operators import Literal, Number, OperationT, Operators

ElementBuilder: TypeAlias = Callable[["Builder", Sequence[SSAValue]], SSAValue]
"""Builds the element of a comprehension at some indices, in its body."""

Contributions: TypeAlias = Sequence[tuple[Sequence[SSAValue], SSAValue]]
"""The positions and the value that a step of an accumulation yields, for each accumulator."""

StepOfFold: TypeAlias = Callable[["Builder", SSAValue, SSAValue], SSAValue]
"""Builds the next value of a fold in its body, from the counter and the accumulator."""


class Inserter(Operators):
    """A receiver of operations; common ones, and loops and copies of bodies, have methods."""

    # Scalars

    def count_or_none(self, count: SSAValue) -> SSAValue:
        """A count; 0 in place of one that is negative or too large, which is an error elsewhere."""
        none = self.integer(0)
        is_small = self.compare(count, "sle", MOST)
        return self.max(self.select(is_small, count, none), none)

    def chosen(self, tests: Sequence[Test], value: Number, otherwise: Number) -> SSAValue:
        """``value`` if all tests hold, and ``otherwise`` if not."""
        found = self.value(value)
        other = self.value(otherwise, found.type) if tests else found
        for test in tests:
            branches = (found, other) if test.expected else (other, found)
            found = self.select(test.condition, *branches)
        return found

    def guarded_step(self, test: SSAValue, new: SSAValue, old: SSAValue) -> SSAValue:
        """``where(test, new, old)``, or ``old + where(test, x, 0)`` for the sum ``old + x``."""
        combine = new.owner
        if isinstance(combine, Operation) and is_reduction(combine.name, new.type):
            neutral = identity(combine.name, new.type)
            if neutral is not None and combine.operands.count(old) == 1:
                default = self.constant(neutral)
                terms = [
                    each if each is old else self.select(test, each, default)
                    for each in combine.operands
                ]
                return self.same(combine, *terms)
        return self.select(test, new, old)

    def common_size(self, sizes: Iterable[SSAValue]) -> SSAValue:
        """One of some sizes that are equal where all assertions hold.

        An assertion whose result is unused is dropped: it depends on all of those among them.
        """
        known = list(dict.fromkeys(sizes))
        common, *others = [x for x in known if isinstance(x.owner, phi.AssertEqOp)] or known[:1]
        for other in others:
            message = phi.AssertEqOp.of(other).message.data
            common = self.emit(phi.AssertEqOp(common, other, message))
        return common

    def linear_value(
        self, form: LinearForm, value_of: Callable[[SSAValue], SSAValue] = lambda atom: atom
    ) -> SSAValue:
        """The Int value of a linear form, given the Ints or indices of its atoms."""
        return value_of_form(form, self, lambda atom: self.as_int(value_of(atom)))

    def number_as(self, number: SSAValue, type_: Attribute) -> SSAValue:
        """A number of steps as a float, or as an integer of another type, modulo its range."""
        if number.type == type_:
            return number
        if isa(type_, IntegerType):
            return self.emit(arith.TruncIOp(number, type_))
        assert isa(type_, AnyFloat)
        return self.emit(arith.SIToFPOp(number, type_))

    # Truth values

    def is_as_expected(self, condition: SSAValue, expected: bool) -> SSAValue:
        """Whether a Bool has a value."""
        if expected:
            return condition
        return self.emit(arith.XOrIOp(condition, self.truth(True)))

    def hold(self, tests: Iterable[Test]) -> SSAValue:
        """Whether all tests hold."""
        return self.all_of([self.is_as_expected(x.condition, x.expected) for x in tests])

    def steps_if(self, test: Test) -> SSAValue:
        """1 if a test holds, and else 0: the count of a fold that is a branch (`branch_of`)."""
        return self.select(test.condition, int(test.expected), int(not test.expected))

    def all_of(self, values: Sequence[SSAValue]) -> SSAValue:
        """The conjunction of truth values."""
        if not values:
            return self.truth(True)
        result, *others = values
        for other in others:
            result = self.and_(result, other)
        return result

    def any_of(self, values: Sequence[SSAValue]) -> SSAValue:
        """The disjunction of truth values, of which there is one."""
        result, *others = values
        for other in others:
            result = self.or_(result, other)
        return result

    # Records

    def packed(self, values: Sequence[SSAValue]) -> SSAValue:
        """A value itself, or the record of several."""
        return values[0] if len(values) == 1 else self.tuple(values)

    def unpacked(self, value: SSAValue, count: int) -> list[SSAValue]:
        """The values of `packed`."""
        if count == 1:
            return [value]
        return [self.proj(value, k) for k in range(count)]

    # Bodies

    def comprehension(
        self,
        sizes: Sequence[SSAValue],
        element: ElementBuilder,
        names: Sequence[SSAValue] = (),
    ) -> SSAValue:
        """``array (i < n, ..) { element }``; the indices take their names from ``names``.

        Of records, it is a record of arrays.
        """
        block = _body_over(sizes, names)
        inner = Builder.at_end(block)
        value = element(inner, block.args)
        inner.yield_(value)
        type_ = phi.struct_of_arrays(phi.vec_of(value.type, len(sizes)))
        return self.emit(phi.ArrayOp(sizes, Region(block), type_))

    def comprehensions(
        self,
        sizes: Sequence[SSAValue],
        elements: Callable[[Builder, Sequence[SSAValue]], Sequence[SSAValue]],
        names: Sequence[SSAValue] = (),
    ) -> list[SSAValue]:
        """Arrays whose elements one body computes."""
        count = 0

        def record(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
            nonlocal count
            values = elements(inner, own)
            count = len(values)
            return inner.packed(values)

        result = self.comprehension(sizes, record, names)
        return self.unpacked(result, count)

    def zeros(self, sizes: Sequence[SSAValue], scalar: Attribute) -> SSAValue:
        """An array of zeros."""
        return self.comprehension(sizes, lambda inner, _: inner.number(0, scalar))

    def elements_of(self, op: phi.ArrayOp, value: SSAValue) -> SSAValue:
        """``array (i < n) { value }``, for another value of the body of ``array (i < n) { e }``."""

        def element(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
            known = dict[SSAValue, SSAValue](zip(op.indices, own, strict=True))
            return inner.copied(op.body.block, [value], known)[0]

        return self.comprehension(op.sizes, element, op.indices)

    def concat(self, lhs: SSAValue, rhs: SSAValue, size: SSAValue | None) -> SSAValue:
        """The concatenation of two arrays; those of a record of arrays field by field."""
        if not isa(lhs.type, TupleType):
            return self.emit(phi.ConcatOp(lhs, rhs, size))
        fields = range(len(lhs.type.types))
        return self.tuple([self.concat(self.proj(lhs, k), self.proj(rhs, k), size) for k in fields])

    def joined_along(
        self, op: phi.ArrayOp, number: int, first: SSAValue, second: SSAValue, size: SSAValue
    ) -> SSAValue:
        """The concatenation of two arrays along an axis of a comprehension, of a size together."""
        if not number:
            return self.emit(phi.ConcatOp(first, second, size))

        def rows(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
            lhs, rhs = (inner.get(part, own) for part in (first, second))
            return inner.emit(phi.ConcatOp(lhs, rhs, size))

        return self.comprehension(op.sizes[:number], rows, op.indices[:number])

    def accumulation(
        self,
        sizes: Sequence[SSAValue],
        into: Sequence[tuple[str, Sequence[SSAValue]]],
        contributions: Callable[[Builder, Sequence[SSAValue]], Contributions],
        names: Sequence[SSAValue] = (),
    ) -> SSAValue:
        """``accumulate (i < n, ..) into kind (extents), .. { positions, value, .. }``"""
        block = _body_over(sizes, names)
        inner = Builder.at_end(block)
        found = contributions(inner, block.args)
        inner.yield_(inner.contributed(found))
        return self.emit(phi.AccumulateOp(sizes, into, Region(block)))

    def contributed(self, found: Contributions) -> SSAValue:
        """The yield of the body of an accumulation: ``(positions.., value)``, or several."""
        records = [self.tuple([*at, value]) for at, value in found]
        return self.packed(records)

    def fold_over(
        self,
        count: SSAValue,
        init: SSAValue,
        step: StepOfFold,
        names: Sequence[SSAValue] = (),
        loop: type[phi.FoldOp | phi.WhileOp] = phi.FoldOp,
    ) -> SSAValue:
        """``fold (k < n, acc = init) { step }``; the variables take their names from ``names``."""
        body = named_body((i64, init.type), names)
        inner = Builder.at_end(body)
        inner.yield_(step(inner, *body.args))
        return self.emit(loop(count, init, Region(body)))

    def all_hold(
        self,
        counts: Sequence[SSAValue],
        test: Callable[[Inserter, Sequence[SSAValue]], SSAValue],
        names: Sequence[SSAValue] = (),
        at: Sequence[SSAValue] = (),
    ) -> SSAValue:
        """Whether a test holds for all numbers below some counts: nested folds of its truth."""
        if len(at) == len(counts):
            return test(self, at)

        def step(inner: Builder, counter: SSAValue, holds: SSAValue) -> SSAValue:
            return inner.and_(holds, inner.all_hold(counts, test, names, [*at, counter]))

        return self.fold_over(counts[len(at)], self.truth(True), step, names[len(at) :][:1])

    def reduce(
        self,
        array: SSAValue,
        start: Number,
        combine: Callable[[SSAValue, SSAValue], Operation],
    ) -> SSAValue:
        """``reduce array identity start by { combine }``"""
        start = self.value(start, phi.scalar_of(array.type))
        body = Block(arg_types=(start.type, start.type))
        combined = combine(*body.args)
        body.add_ops((combined, phi.YieldOp(combined.results[0])))
        return self.emit(phi.ReduceOp(array, start, Region(body)))

    def skip_steps(self, fold: phi.FoldOp, number: int) -> None:
        """``fold (k < n) { e(k) }  -->  fold (k < max(n - c, 0)) { e(k + c) }``, for a number c"""
        fold.operands[0] = self.max(self.sub(fold.count, number), 0)
        later = Builder.at_start(fold.body.block).add(fold.counter, number)
        fold.counter.replace_uses_with_if(later, lambda use: use.operation is not later.owner)

    # Copies

    def copied_tests(
        self, block: Block, tests: Sequence[Test], values: dict[SSAValue, SSAValue]
    ) -> list[Test]:
        """The tests on copies of their conditions, as of `copied`."""
        conditions = self.copied(block, [test.condition for test in tests], values)
        return [replace(test, condition=c) for test, c in zip(tests, conditions, strict=True)]

    def copied(
        self, block: Block, wanted: Sequence[SSAValue], values: dict[SSAValue, SSAValue]
    ) -> list[SSAValue]:
        """Copies of values of a block, with ``values`` for some, to which the copies are added.

        An index may become an Int, and a condition a constant.
        """
        for op in slice_of(block, wanted, values):
            taken = _taken(op, values) if isinstance(op, arith.SelectOp) else None
            if taken is None:
                self.insert_copy(op, values)
            else:
                values[op.results[0]] = values.get(taken, taken)
        return [values.get(value, value) for value in wanted]

    def copy(self, op: OperationT, values: dict[SSAValue, SSAValue] | None = None) -> OperationT:
        """A copy of an operation on other operands, to which its results are added."""
        return self.insert(copy_of(op, values))

    def copy_all(self, ops: Iterable[Operation], values: dict[SSAValue, SSAValue]) -> None:
        """The same for some operations."""
        for op in ops:
            self.copy(op, values)

    def move(self, *ops: Operation) -> None:
        """Move operations from another place."""
        for op in ops:
            op.detach()
            self.insert(op)

    def copied_value(
        self, block: Block, value: SSAValue | Literal, values: dict[SSAValue, SSAValue]
    ) -> SSAValue:
        """The copy of one value of a block; a literal is a constant."""
        if not isinstance(value, SSAValue):
            return self.constant(value)
        return self.copied(block, [value], values)[0]

    def insert_copy(self, op: Operation, values: dict[SSAValue, SSAValue]) -> None:
        """A copy for other indices, which may be Ints: those need no cast, also in bodies.

        A field of a record that is made of its fields is the field.
        """
        if isinstance(op, phi.ProjOp):
            made = values.get(op.record, op.record).owner
            if isinstance(made, phi.TupleOp):
                values[op.result] = made.fields[op.field.value.data]
                return
        if isinstance(op, arith.IndexCastOp) and not isa(
            (known := values.get(op.input, op.input)).type, IndexType
        ):
            values[op.result] = self._resized(known, op.result.type)
            return
        copy = self.copy(op, values)
        for inner in operations_in(copy) if copy.regions else ():
            if isinstance(inner, arith.IndexCastOp) and not isa(inner.input.type, IndexType):
                value = Builder.before(inner)._resized(inner.input, inner.result.type)
                Rewriter.replace_op(inner, (), (value,))

    def _resized(self, value: SSAValue, type_: Attribute) -> SSAValue:
        """An integer in another width."""
        if value.type == type_:
            return value
        assert isa(value.type, IntegerType)
        assert isa(type_, IntegerType)
        is_narrower = type_.width.data < value.type.width.data
        return self.emit((arith.TruncIOp if is_narrower else arith.ExtSIOp)(value, type_))

    def recomputed(
        self,
        value: SSAValue,
        known: dict[SSAValue, SSAValue],
        is_another: Callable[[SSAValue], bool],
    ) -> SSAValue:
        """A value at another place, from copies of the values that are other ones there.

        Some are ``known``, to which the copies are added. An index may become an Int.
        """
        pending = [value]
        while pending:
            op = pending[-1].owner
            if pending[-1] in known or not is_another(pending[-1]):
                pending.pop()
                continue
            assert isinstance(op, Operation)
            missing = [each for each in inputs_of(op) if each not in known and is_another(each)]
            pending += missing
            if not missing:
                self.insert_copy(op, known)
        return known.get(value, value)


class Builder(xdsl.builder.Builder, Inserter):
    """Inserts operations at a place, as MLIR's ``OpBuilder``.

    Next to an operation, new operations have its location. Analyses are told of them.
    """

    @classmethod
    def before(cls, op: Operation, *added: Callable[[Operation], None]) -> Builder:
        """A builder before an operation; ``added`` are called with each new one."""
        return cls._at(InsertPoint.before(op), op, *added)

    @classmethod
    def after(cls, op: Operation, *added: Callable[[Operation], None]) -> Builder:
        """A builder after an operation."""
        return cls._at(InsertPoint.after(op), op, *added)

    @classmethod
    def before_end(cls, block: Block, *added: Callable[[Operation], None]) -> Builder:
        """A builder before the terminator of a block."""
        assert block.last_op is not None
        return cls(InsertPoint.before(block.last_op), operation_insertion_handler=list(added))

    @classmethod
    def _at(
        cls, place: InsertPoint, like: Operation, *added: Callable[[Operation], None]
    ) -> Builder:
        def locate(op: Operation) -> None:
            if isinstance(op.location, UnknownLoc):
                op.location = like.location

        return cls(place, operation_insertion_handler=[locate, *added])

    @classmethod
    def at_start(cls, block: Block) -> Builder:
        """A builder at the start of a block."""
        return cls(InsertPoint.at_start(block))

    @classmethod
    def at_end(cls, block: Block) -> Builder:
        """A builder at the end of a block."""
        return cls(InsertPoint.at_end(block))


class Emitter(Inserter):
    """Collects operations in a list, to be inserted later."""

    def __init__(self) -> None:
        self.ops: list[Operation] = []

    def insert(self, op: OperationT, /) -> OperationT:
        """Add an operation."""
        self.ops.append(op)
        return op

    def discard(self) -> None:
        """Erase the operations, if they are not to be inserted: they use values of the program."""
        for op in reversed(self.ops):
            op.erase()
        self.ops.clear()


def _body_over(sizes: Sequence[SSAValue], names: Sequence[SSAValue]) -> Block:
    """An empty body with an index for each size, which take their names from other values."""
    return named_body([IndexType()] * len(sizes), names)


def named_body(types: Sequence[Attribute], names: Sequence[SSAValue]) -> Block:
    """An empty body with arguments that take their names from other values."""
    block = Block(arg_types=types)
    for argument, named in zip(block.args, names, strict=False):
        argument.name_hint = named.name_hint
    return block


def _taken(op: arith.SelectOp, values: Mapping[SSAValue, SSAValue]) -> SSAValue | None:
    """The branch that is taken, if the condition has become a constant."""
    known = values.get(op.cond)
    truth = None if known is None else ConstantLike.get_constant_value(known)
    if truth is None:
        return None
    return op.lhs if truth == IntegerAttr.from_bool(True) else op.rhs
