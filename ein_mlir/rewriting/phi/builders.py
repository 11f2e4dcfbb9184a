"""Builders for passes on phi: constants, comprehensions, folds, and copies of bodies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerAttr, IntegerType, TupleType, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import ConstantLike

from ein_mlir.analysis.arithmetic import MOST, LinearForm, value_of_form
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.selections import Test
from ein_mlir.analysis.scopes import captured, operations_in
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import OPERATIONS, SUM_OF, algebra_of, identity
from ein_mlir.dialects.creation import copy_of
from ein_mlir.dialects.reductions import is_reduction
from ein_mlir.rewriting.phi.insertion import Builder, Inserter

# Scalars --------------------------------------------------------------------------------------


def count_or_none(build: Inserter, count: SSAValue) -> SSAValue:
    """A count; 0 in place of one that is negative or too large, which is an error elsewhere."""
    none = build.integer(0)
    is_small = build.compare(count, "sle", MOST)
    return build.max(build.select(is_small, count, none), none)


def same_operation(op: Operation, *operands: SSAValue) -> Operation:
    """The same scalar operation on other operands."""
    return op.create(
        operands=operands,
        result_types=[result.type for result in op.results],
        properties=dict(op.properties),
    )


def sum_of(op: Operation) -> type[Operation]:
    """The class of the sum that a difference belongs to; that of the operation for others."""
    return OPERATIONS[SUM_OF[op.name]] if op.name in SUM_OF else type(op)


def difference(combine: Operation, lhs: SSAValue, rhs: SSAValue) -> Operation:
    """``lhs - rhs``, the difference that belongs to a sum, or is one."""
    algebra = algebra_of(SUM_OF.get(combine.name, combine.name))
    assert algebra is not None
    assert algebra.difference is not None
    return OPERATIONS[algebra.difference].create(
        operands=[lhs, rhs], result_types=[lhs.type], properties=dict(combine.properties)
    )


def chosen(
    build: Inserter, tests: Sequence[Test], value: SSAValue, otherwise: SSAValue
) -> SSAValue:
    """``value`` if all tests hold, and ``otherwise`` if not."""
    for test in tests:
        branches = (value, otherwise) if test.expected else (otherwise, value)
        value = build.emit(arith.SelectOp(test.condition, *branches))
    return value


def guarded_step(build: Inserter, test: SSAValue, new: SSAValue, old: SSAValue) -> SSAValue:
    """``where(test, new, old)``; ``where(test, old + x, old)`` as ``old + where(test, x, 0)``."""
    combine = new.owner
    if isinstance(combine, Operation) and is_reduction(combine.name, new.type):
        neutral = identity(combine.name, new.type)
        if neutral is not None and combine.operands.count(old) == 1:
            default = build.constant(neutral)
            terms = [
                each if each is old else build.select(test, each, default)
                for each in combine.operands
            ]
            return build.emit(same_operation(combine, *terms))
    return build.select(test, new, old)


def common_size(build: Inserter, sizes: Iterable[SSAValue]) -> SSAValue:
    """One of some sizes that are equal where all assertions hold.

    An assertion whose result is unused is dropped: it depends on all of those among them.
    """
    known = list(dict.fromkeys(sizes))
    common, *others = [x for x in known if isinstance(x.owner, phi.AssertEqOp)] or known[:1]
    for other in others:
        assert isinstance(other.owner, phi.AssertEqOp)
        message = other.owner.message.data
        common = build.emit(phi.AssertEqOp(common, other, message))
    return common


# Records --------------------------------------------------------------------------------------


def packed(build: Inserter, values: Sequence[SSAValue]) -> SSAValue:
    """A value itself, or the record of several."""
    return values[0] if len(values) == 1 else build.tuple(values)


def unpacked(build: Inserter, value: SSAValue, count: int) -> list[SSAValue]:
    """The values of `packed`."""
    if count == 1:
        return [value]
    return [build.proj(value, k) for k in range(count)]


def linear_value(
    build: Inserter, form: LinearForm, value_of: Callable[[SSAValue], SSAValue] = lambda atom: atom
) -> SSAValue:
    """The Int value of a linear form, given the Ints or indices of its atoms."""
    return value_of_form(form, build, lambda atom: build.as_int(value_of(atom)))


def number_as(build: Inserter, number: SSAValue, type_: Attribute) -> SSAValue:
    """A number of steps as a float, or as an integer of another type, modulo its range."""
    if number.type == type_:
        return number
    if isa(type_, IntegerType):
        return build.emit(arith.TruncIOp(number, type_))
    assert isa(type_, AnyFloat)
    return build.emit(arith.SIToFPOp(number, type_))


# Truth values -----------------------------------------------------------------------------------


def is_as_expected(build: Inserter, condition: SSAValue, expected: bool) -> SSAValue:
    """Whether a Bool has a value."""
    if expected:
        return condition
    return build.emit(arith.XOrIOp(condition, build.truth(True)))


def hold(build: Inserter, tests: Iterable[Test]) -> SSAValue:
    """Whether all tests hold."""
    return all_of(build, [is_as_expected(build, x.condition, x.expected) for x in tests])


def steps_if(build: Inserter, test: Test) -> SSAValue:
    """1 if a test holds, and else 0: the count of a fold that is a branch, as `branch_of` reads."""
    return build.select(test.condition, int(test.expected), int(not test.expected))


def all_of(build: Inserter, values: Sequence[SSAValue]) -> SSAValue:
    """The conjunction of truth values."""
    if not values:
        return build.truth(True)
    result, *others = values
    for other in others:
        result = build.and_(result, other)
    return result


def any_of(build: Inserter, values: Sequence[SSAValue]) -> SSAValue:
    """The disjunction of truth values, of which there is one."""
    result, *others = values
    for other in others:
        result = build.or_(result, other)
    return result


# Bodies ---------------------------------------------------------------------------------------

ElementBuilder: TypeAlias = Callable[[Builder, Sequence[SSAValue]], SSAValue]
"""Builds the element of a comprehension at some indices, in its body."""


def comprehension(
    build: Inserter,
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
    return build.emit(phi.ArrayOp(sizes, Region(block), type_))


def comprehensions(
    build: Inserter,
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
        return packed(inner, values)

    result = comprehension(build, sizes, record, names)
    return unpacked(build, result, count)


def concat(build: Inserter, lhs: SSAValue, rhs: SSAValue, size: SSAValue | None) -> SSAValue:
    """The concatenation of two arrays; those of a record of arrays field by field."""
    if not isa(lhs.type, TupleType):
        return build.emit(phi.ConcatOp(lhs, rhs, size))
    fields = range(len(lhs.type.types))
    return build.tuple(
        [concat(build, build.proj(lhs, k), build.proj(rhs, k), size) for k in fields]
    )


def joined_along(
    build: Inserter, op: phi.ArrayOp, number: int, first: SSAValue, second: SSAValue, size: SSAValue
) -> SSAValue:
    """The concatenation of two arrays along an axis of a comprehension, of a size together."""
    if not number:
        return build.emit(phi.ConcatOp(first, second, size))

    def rows(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
        lhs, rhs = (inner.get(part, own) for part in (first, second))
        return inner.emit(phi.ConcatOp(lhs, rhs, size))

    return comprehension(build, op.sizes[:number], rows, op.indices[:number])


def _body_over(sizes: Sequence[SSAValue], names: Sequence[SSAValue]) -> Block:
    """An empty body with an index for each size, which take their names from other values."""
    return _named([IndexType()] * len(sizes), names)


def _named(types: Sequence[Attribute], names: Sequence[SSAValue]) -> Block:
    """An empty body with arguments that take their names from other values."""
    block = Block(arg_types=types)
    for argument, named in zip(block.args, names, strict=False):
        argument.name_hint = named.name_hint
    return block


Contributions: TypeAlias = Sequence[tuple[Sequence[SSAValue], SSAValue]]
"""The positions and the value that a step of an accumulation yields, for each accumulator."""


def accumulation(
    build: Inserter,
    sizes: Sequence[SSAValue],
    into: Sequence[tuple[str, Sequence[SSAValue]]],
    contributions: Callable[[Builder, Sequence[SSAValue]], Contributions],
    names: Sequence[SSAValue] = (),
) -> SSAValue:
    """``accumulate (i < n, ..) into kind (extents), .. { positions, value, .. }``"""
    block = _body_over(sizes, names)
    inner = Builder.at_end(block)
    found = contributions(inner, block.args)
    inner.yield_(contributed(inner, found))
    return build.emit(phi.AccumulateOp(sizes, into, Region(block)))


def contributed(build: Inserter, found: Contributions) -> SSAValue:
    """The value that the body of an accumulation yields: ``(positions.., value)``, or several."""
    records = [build.tuple([*at, value]) for at, value in found]
    return packed(build, records)


def fold_body(like: phi.FoldOp | phi.WhileOp, type_: Attribute) -> Block:
    """An empty body for loops of a type; its variables take their names from another loop."""
    return _named((i64, type_), like.body.block.args)


StepOfFold: TypeAlias = Callable[[Builder, SSAValue, SSAValue], SSAValue]
"""Builds the next value of a fold in its body, from the counter and the accumulator."""


def reduction_by(
    array: SSAValue, start: SSAValue, combine: Callable[[SSAValue, SSAValue], Operation]
) -> phi.ReduceOp:
    """``reduce array identity start by { combine }``"""
    body = Block(arg_types=(start.type, start.type))
    combined = combine(*body.args)
    body.add_ops((combined, phi.YieldOp(combined.results[0])))
    return phi.ReduceOp(array, start, Region(body))


def fold_over(
    build: Inserter,
    count: SSAValue,
    init: SSAValue,
    step: StepOfFold,
    names: Sequence[SSAValue] = (),
    loop: type[phi.FoldOp | phi.WhileOp] = phi.FoldOp,
) -> SSAValue:
    """``fold (k < n, acc = init) { step }``; the variables take their names from ``names``."""
    body = _named((i64, init.type), names)
    inner = Builder.at_end(body)
    inner.yield_(step(inner, *body.args))
    return build.emit(loop(count, init, Region(body)))


def folded(like: phi.FoldOp, init: SSAValue | Operation, step: StepOfFold) -> phi.FoldOp:
    """``fold (k < n, acc = init) { step }``, over the steps of another fold."""
    body = fold_body(like, SSAValue.get(init).type)
    inner = Builder.at_end(body)
    inner.yield_(step(inner, *body.args))
    return like.again(init, Region(body))


def unroll(op: phi.FoldOp, steps: int) -> None:
    """Replace a fold by a copy of its body for each step."""
    before, value = InsertPoint.before(op), op.init
    *body, yield_ = op.body.block.ops
    assert isinstance(yield_, phi.YieldOp)
    for step in range(steps):
        counter = arith.ConstantOp.from_int_and_width(step, 64)
        counter.location = op.location
        values: dict[SSAValue, SSAValue] = {op.counter: counter.result, op.accumulator: value}
        for argument, known in values.items():
            known.name_hint = known.name_hint or argument.name_hint
        Rewriter.insert_op([counter, *(copy_of(inner, values) for inner in body)], before)
        value = values.get(yield_.value, yield_.value)
    Rewriter.replace_op(op, (), (value,))


def skip_steps(build: Inserter, fold: phi.FoldOp, number: int) -> None:
    """``fold (k < n) { e(k) }  -->  fold (k < max(n - c, 0)) { e(k + c) }``, for a number c"""
    fold.operands[0] = build.max(build.sub(fold.count, number), 0)
    later = Builder.at_start(fold.body.block).add(fold.counter, number)
    fold.counter.replace_uses_with_if(later, lambda use: use.operation is not later.owner)


def copied_tests(
    build: Inserter, block: Block, tests: Sequence[Test], values: dict[SSAValue, SSAValue]
) -> list[Test]:
    """The tests on copies of their conditions, as of `copied`."""
    conditions = copied(build, block, [test.condition for test in tests], values)
    return [replace(test, condition=c) for test, c in zip(tests, conditions, strict=True)]


def copied(
    build: Inserter, block: Block, wanted: Sequence[SSAValue], values: dict[SSAValue, SSAValue]
) -> list[SSAValue]:
    """Copies of values of a block, with ``values`` for some; the copies are added to ``values``.

    An index may become an Int, and a condition a constant.
    """
    for op in slice_of(block, wanted, values):
        taken = _taken(op, values) if isinstance(op, arith.SelectOp) else None
        if taken is None:
            insert_copy(build, op, values)
        else:
            values[op.results[0]] = values.get(taken, taken)
    return [values.get(value, value) for value in wanted]


def _taken(op: arith.SelectOp, values: Mapping[SSAValue, SSAValue]) -> SSAValue | None:
    """The branch that is taken, if the condition has become a constant."""
    known = values.get(op.cond)
    truth = None if known is None else ConstantLike.get_constant_value(known)
    if truth is None:
        return None
    return op.lhs if truth == IntegerAttr.from_bool(True) else op.rhs


def elements_of(build: Inserter, op: phi.ArrayOp, value: SSAValue) -> SSAValue:
    """``array (i < n) { value }``, for another value of the body of ``array (i < n) { e }``."""

    def element(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
        known = dict[SSAValue, SSAValue](zip(op.indices, own, strict=True))
        return copied(inner, op.body.block, [value], known)[0]

    return comprehension(build, op.sizes, element, op.indices)


def insert_copy(build: Inserter, op: Operation, values: dict[SSAValue, SSAValue]) -> None:
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
        values[op.result] = _resized(build, known, op.result.type)
        return
    copy = build.insert(copy_of(op, values))
    for inner in operations_in(copy) if copy.regions else ():
        if isinstance(inner, arith.IndexCastOp) and not isa(inner.input.type, IndexType):
            value = _resized(Builder.before(inner), inner.input, inner.result.type)
            Rewriter.replace_op(inner, (), (value,))


def _resized(build: Inserter, value: SSAValue, type_: Attribute) -> SSAValue:
    """An integer in another width."""
    if value.type == type_:
        return value
    assert isa(value.type, IntegerType)
    assert isa(type_, IntegerType)
    is_narrower = type_.width.data < value.type.width.data
    return build.emit((arith.TruncIOp if is_narrower else arith.ExtSIOp)(value, type_))


def inputs_of(op: Operation) -> Sequence[SSAValue]:
    """The values that an operation and its body depend on."""
    return [*op.operands, *(captured(op) if op.regions else ())]


def recomputed(
    build: Inserter,
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
            insert_copy(build, op, known)
    return known.get(value, value)
