"""``raise-segment-reductions``: sums of what a key selects become one pass over the keys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerAttr, ModuleOp, i1, i64
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import ConstantLike
from xdsl.utils.hints import isa

from ein_mlir.analysis.free_indices import FreeIndices
from ein_mlir.analysis.memory_cost import may_materialise_parts, slice_of
from ein_mlir.analysis.notes import Note, name_of, no_note
from ein_mlir.analysis.speculation import may_fail
from ein_mlir.dialects import phi
from ein_mlir.dialects.reductions import REDUCTIONS, SEGMENT_KINDS, identity, kind_of
from ein_mlir.passes.guard_branches import is_singular

# Recognition ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Test:
    """A Bool, and which of its values selects."""

    condition: SSAValue
    expected: bool


@dataclass(frozen=True)
class Step:
    """``acc = combine(acc, value) if all tests hold else acc``: a step of a fold."""

    combine: Operation
    tests: Sequence[Test]
    value: SSAValue | IntegerAttr | FloatAttr
    """A value of the program, or a literal that it has no value for."""


@dataclass(frozen=True)
class Key:
    """``key == index``, where the key varies with the counter and not with the index."""

    index: BlockArgument
    key: SSAValue


def conjuncts(test: Test) -> Iterator[Test]:
    """What must hold for a test to hold: ``a & b`` needs both, and so does ``~(a | b)``."""
    op = test.condition.owner
    splits = arith.AndIOp if test.expected else arith.OrIOp
    if isinstance(op, splits):
        for side in op.operands:
            yield from conjuncts(Test(side, test.expected))
    elif isinstance(op, arith.XOrIOp) and (inverted := _inverted(op)) is not None:
        yield from conjuncts(Test(inverted, not test.expected))
    else:
        yield test


def _inverted(op: arith.XOrIOp) -> SSAValue | None:
    """``a`` of ``a ^ true``."""
    for value, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        if _literal(other) == IntegerAttr.from_bool(True):
            return value
    return None


def _literal(value: SSAValue) -> Attribute | None:
    return ConstantLike.get_constant_value(value)


def step_of(op: phi.FoldOp) -> Step | None:
    """``where(t, acc + where(u, x, 0), acc)``, in any order and nesting, as ``t & u`` and ``x``.

    Only sums, minima and so on that libraries know are found, and an accumulator that nothing else
    reads.
    """
    tests, current = list[Test](), op.yielded()
    reads = 1
    while isinstance(choice := current.owner, arith.SelectOp) and current.has_one_use():
        if choice.rhs is op.accumulator:
            tests.extend(conjuncts(Test(choice.cond, True)))
            current = choice.lhs
        elif choice.lhs is op.accumulator:
            tests.extend(conjuncts(Test(choice.cond, False)))
            current = choice.rhs
        else:
            return None
        reads += 1
    combine = current.owner
    if not isinstance(combine, Operation) or combine.name not in REDUCTIONS:
        return None
    if op.accumulator not in combine.operands or not current.has_one_use():
        return None
    if len(list(op.accumulator.uses)) != reads:
        return None
    lhs, rhs = combine.operands
    neutral = identity(combine.name, op.result.type)
    if neutral is None:
        return None
    chosen, value = _selected(rhs if lhs is op.accumulator else lhs, neutral)
    return Step(combine, [*tests, *chosen], value)


def _selected(
    value: SSAValue, neutral: IntegerAttr | FloatAttr
) -> tuple[list[Test], SSAValue | IntegerAttr | FloatAttr]:
    """``where(t, where(u, x, 0), 0)`` as ``t & u`` and ``x``, where 0 is neutral."""
    tests = list[Test]()
    while True:
        match value.owner:
            case arith.SelectOp() as op if _is_neutral(op.rhs, neutral):
                tests.extend(conjuncts(Test(op.cond, True)))
                value = op.lhs
            case arith.SelectOp() as op if _is_neutral(op.lhs, neutral):
                tests.extend(conjuncts(Test(op.cond, False)))
                value = op.rhs
            case arith.ExtUIOp() | arith.UIToFPOp() as op if op.input.type == i1:
                if not _is_zero(neutral):
                    return tests, value
                tests.extend(conjuncts(Test(op.input, True)))
                return tests, _one(neutral)
            case _ if neutral.type == i1:
                expected = not neutral.value.data
                tests.extend(conjuncts(Test(value, expected)))
                return tests, IntegerAttr.from_bool(expected)
            case _:
                return tests, value


def _is_neutral(value: SSAValue, neutral: IntegerAttr | FloatAttr) -> bool:
    """Whether a value is a literal identity; ``-0.0`` adds nothing either."""
    literal = _literal(value)
    if isa(literal, FloatAttr) and isa(neutral, FloatAttr):
        return literal.value.data == neutral.value.data
    return literal == neutral


def _is_zero(literal: IntegerAttr | FloatAttr) -> bool:
    return literal.value.data == 0


def _one(like: IntegerAttr | FloatAttr) -> IntegerAttr | FloatAttr:
    if isinstance(like, FloatAttr):
        return FloatAttr(1.0, like.type)
    return IntegerAttr(1, like.type)


def keys_of(op: phi.FoldOp, step: Step, free: FreeIndices) -> tuple[list[Key], list[Test]]:
    """The tests of a step that select by a key, and those that do not.

    The index of a key must be one that nothing else in the step varies with.
    """
    varying = Counter(index for test in step.tests for index in free.of(test.condition))
    if isinstance(step.value, SSAValue):
        varying.update(free.of(step.value))
    keys, others = list[Key](), list[Test]()
    for test in step.tests:
        found = [key for key in _equation(test, free) if varying[key.index] == 1]
        if found and _is_in(found[0].key, op.body.block):
            keys.append(found[0])
        else:
            others.append(test)
    return sorted(keys, key=lambda key: _nesting(key.index)), others


def _nesting(index: BlockArgument) -> tuple[int, int]:
    """Increases from outer indices to inner ones."""
    depth, op = 0, index.block.parent_op()
    while op is not None:
        depth, op = depth + 1, op.parent_op()
    return depth, index.index


def _is_in(value: SSAValue, block: Block) -> bool:
    """Whether a block defines a value."""
    owner = value.owner
    return owner is block or (isinstance(owner, Operation) and owner.parent is block)


def _equation(test: Test, free: FreeIndices) -> Iterator[Key]:
    """``key == index`` or ``index == key``, where the key does not vary with the index."""
    op = test.condition.owner
    if not isinstance(op, arith.CmpiOp) or op.lhs.type != i64:
        return
    predicate = arith.CMPI_COMPARISON_OPERATIONS[op.predicate.value.data]
    if predicate != ("eq" if test.expected else "ne"):
        return
    for key, side in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        cast = side.owner
        if isinstance(cast, arith.IndexCastOp) and isinstance(cast.input, BlockArgument):
            index = cast.input
            if phi.is_comprehension_index(index) and index not in free.of(key):
                yield Key(index, key)


# Rewriting ------------------------------------------------------------------------------------


def raise_fold(
    op: phi.FoldOp, free: FreeIndices, note: Note, *, differentiable: bool = False
) -> None:
    """``fold (k < n, acc = x) { where(key[k] == c, acc + e, acc) }  -->  x + segments[c]``

    where ``segments = segment_reduce "add" (array (k < n) { e }) by key into the size of c``.
    """
    step = step_of(op)
    if step is None or kind_of(step.combine.name) not in SEGMENT_KINDS:
        return
    keys, others = keys_of(op, step, free)
    if not keys or any(may_fail(inner) for inner in op.body.walk()):
        return
    raising = _Raising(op, step, keys, others, differentiable)
    if not may_materialise_parts(op, raising.parts, free):
        return
    names = " and ".join(name_of(key.index) for key in keys)
    note(
        op, f"the fold over {name_of(op.counter)} is a reduction of segments, one for each {names}"
    )
    free.inherit(raising.result(), op.result)
    op.detach()
    op.erase()


@dataclass(frozen=True)
class _Raising:
    """The replacement of one fold."""

    fold: phi.FoldOp
    step: Step
    keys: Sequence[Key]
    others: Sequence[Test]
    differentiable: bool

    @property
    def parts(self) -> list[SSAValue]:
        """The values of the fold's body that the replacement computes for all steps at once."""
        values = [*(key.key for key in self.keys), *(test.condition for test in self.others)]
        return [*values, self.step.value] if isinstance(self.step.value, SSAValue) else values

    @property
    def neutral(self) -> IntegerAttr | FloatAttr:
        """The identity of what the fold combines with."""
        neutral = identity(self.step.combine.name, self.fold.result.type)
        assert neutral is not None
        return neutral

    def result(self) -> SSAValue:
        """Put the reduction before the fold, and its result in place of the fold's."""
        elements = self._elements()
        *keys, values = (phi.ProjOp(elements, field) for field in range(len(self.keys) + 1))
        sizes = [_size_of(key.index) for key in self.keys]
        segments = phi.SegmentReduceOp(kind_of(self.step.combine.name), values, keys, sizes)
        own = phi.GetOp(segments, [key.index for key in self.keys])
        new: list[Operation] = [elements, *keys, values, segments, own]
        if not _is_neutral(self.fold.init, self.neutral):
            new.append(self._combined(own.result))
        for created in new:
            created.location = self.fold.location
        result = new[-1].results[0]
        segments.result.name_hint = result.name_hint = self.fold.result.name_hint
        Rewriter.insert_op(new, InsertPoint.before(self.fold))
        self.fold.result.replace_all_uses_with(result)
        return result

    def _elements(self) -> phi.ArrayOp:
        """The comprehension of the records of keys and value."""
        counter, body = self.fold.counter, Block(arg_types=(IndexType(),))
        cast = arith.IndexCastOp(body.args[0], counter.type)
        body.args[0].name_hint = cast.result.name_hint = counter.name_hint
        body.add_op(cast)
        for inner in slice_of(self.fold.body.block, self.parts):
            inner.detach()
            body.add_op(inner)
        counter.replace_all_uses_with(cast.result)
        record = phi.TupleOp([*(key.key for key in self.keys), self._value(body)])
        body.add_ops([record, phi.YieldOp(record)])
        columns = phi.tuple_of(phi.vec_of(field.type) for field in record.fields)
        return phi.ArrayOp([self.fold.count], Region(body), columns)

    def _value(self, body: Block) -> SSAValue:
        """The value, or the identity where a test fails that is about no key."""
        value, tests = self.step.value, list(self.others)
        if not isinstance(value, SSAValue):
            body.add_op(literal := arith.ConstantOp(value))
            value = literal.result
        if self.differentiable and any(map(is_singular, body.ops)):
            tests.extend(_in_bounds(key, body) for key in self.keys)
        if tests:
            body.add_op(neutral := arith.ConstantOp(self.neutral))
            for test in tests:
                branches = (value, neutral) if test.expected else (neutral, value)
                body.add_op(select := arith.SelectOp(test.condition, *branches))
                value = select.result
        return value

    def _combined(self, own: SSAValue) -> Operation:
        """The initial value, and what is selected."""
        combine = self.step.combine
        return type(combine).create(
            operands=[self.fold.init, own],
            result_types=[own.type],
            properties=dict(combine.properties),
        )


def _size_of(index: BlockArgument) -> SSAValue:
    comprehension = index.block.parent_op()
    assert isinstance(comprehension, phi.ArrayOp)
    return comprehension.sizes[index.index]


def _in_bounds(key: Key, body: Block) -> Test:
    """``0 <= key < size``, as one comparison of the bits."""
    body.add_op(compare := arith.CmpiOp(key.key, _size_of(key.index), "ult"))
    return Test(compare.result, True)


def raise_segment_reductions(
    module: Operation, note: Note = no_note, *, differentiable: bool = False
) -> None:
    """Raise the folds of a module, innermost first; ``note`` is told of each that is raised."""
    free = FreeIndices(module)
    folds = [op for op in module.walk() if isinstance(op, phi.FoldOp)]
    for op in reversed(folds):
        raise_fold(op, free, note, differentiable=differentiable)


@dataclass(frozen=True)
class RaiseSegmentReductionsPass(ModulePass):
    """Turns folds that combine what a key selects for an index into reductions of segments.

    Before::

        %h = phi.array (%c < %m) -> !phi.vec<f64> {
          %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
            %key = phi.get %keys[%k] : !phi.vec<i64>[i64]
            %c_1 = arith.index_cast %c : index to i64
            %selected = arith.cmpi eq, %key, %c_1 : i64
            %x = phi.get %a[%k] : !phi.vec<f64>[i64]
            %y = arith.select %selected, %x, %zero : f64
            %next = arith.addf %acc, %y : f64
            phi.yield %next : f64
          }
          phi.yield %s : f64
        }

    After::

        %h = phi.array (%c < %m) -> !phi.vec<f64> {
          %0 = phi.array (%k < %n) -> tuple<!phi.vec<i64>, !phi.vec<f64>> {
            %k_1 = arith.index_cast %k : index to i64
            %key = phi.get %keys[%k_1] : !phi.vec<i64>[i64]
            %x = phi.get %a[%k_1] : !phi.vec<f64>[i64]
            %1 = phi.tuple (%key, %x) : tuple<i64, f64>
            phi.yield %1 : tuple<i64, f64>
          }
          %2 = phi.proj %0, 0 : tuple<!phi.vec<i64>, !phi.vec<f64>> -> !phi.vec<i64>
          %3 = phi.proj %0, 1 : tuple<!phi.vec<i64>, !phi.vec<f64>> -> !phi.vec<f64>
          %s = phi.segment_reduce "add" %3 by %2 into %m : ...
          %s_1 = phi.get %s[%c] : !phi.vec<f64>[index]
          phi.yield %s_1 : f64
        }

    That takes n + m steps instead of n times m. The selection may be written in any way that is an
    equation of an index and something that does not vary with it: ``c == key``, conjunctions,
    ``where(key != c, 0.0, x)``, ``where(key == c, acc + x, acc)``, Bools that are added up. A
    product with a mask is no selection: zero times NaN is NaN. A fold stays a loop where keys or
    values would need more memory than what is read; the rule is in
    ``ein_mlir.analysis.memory_cost``.
    """

    name = "raise-segment-reductions"

    differentiable: bool = False
    """Whether a value whose derivative may be infinite is computed only where a key selects it."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        raise_segment_reductions(op, differentiable=self.differentiable)
