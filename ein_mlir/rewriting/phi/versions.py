"""Two versions of loops, of which one runs: the first if tests hold, as that Ints are small."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import TypeVar

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue

from ein_mlir.analysis.phi.int_bounds import Ordinary
from ein_mlir.analysis.scopes import around, home_of
from ein_mlir.dialects import phi
from ein_mlir.dialects.creation import copy_of
from ein_mlir.rewriting.phi.builders import fold_body
from ein_mlir.rewriting.phi.insertion import Builder, Emitter, Inserter
from ein_mlir.rewriting.phi.operators import OperationT
from ein_mlir.rewriting.phi.replacement import insert_before

LoopT = TypeVar("LoopT", bound=phi.ArrayOp | phi.AccumulateOp | phi.FoldOp)
ValueT = TypeVar("ValueT")


def outermost(found: Mapping[OperationT, ValueT]) -> Mapping[OperationT, ValueT]:
    """The loops that are in no other one, with their values: nested versions would be too many."""
    return {
        place: value
        for place, value in found.items()
        if not any(op in found for op in around(place.parent_op()))
    }


def versions(build: Builder, place: LoopT, fits: SSAValue) -> LoopT:
    """Two loops for one: ``place`` has no steps if a test fails, and the new one none if it holds.

    ``build`` is where the counts are chosen. An accumulation is one of sums::

        r = fold (k < n, x)  -->  first = fold (k < (fits ? n : 0), x)
                                  r = fold (k < (fits ? 0 : n), first)
    """
    size, zero = place.operands[0], build.integer(0)
    first = build.select(fits, size, zero)
    second = build.select(fits, zero, size)
    rest = copy_of(place)
    place.operands[0], rest.operands[0] = first, second
    after, users = Builder.after(place), {use.operation for use in place.result.uses}
    result = after.emit(rest)
    if isinstance(place, phi.ArrayOp):
        result = after.concat(place.result, rest.result, size)
    elif isinstance(place, phi.AccumulateOp):
        both = place.result, rest.result
        result = after.comprehension(
            place.extents, lambda inner, own: inner.add(*(inner.get(x, own) for x in both))
        )
    result.name_hint = place.result.name_hint
    place.result.replace_uses_with_if(result, lambda use: use.operation in users)
    if isinstance(rest, phi.FoldOp):
        rest.operands[1] = place.result
    return rest


class Versions:
    """``r = nest  -->  first = fold (_ < t, r) { nest }; r = fold (_ < 1 - t, first) { copy }``

    with 1 for t if premises about Ints from outside of loops hold, and other tests, and 0 if not.
    Then the first nest may be changed into one that has the same result, or is faster, where they
    hold.
    """

    def __init__(self, nest: phi.FoldOp):
        self._known = set[Ordinary]()
        emitter = Emitter()
        self._holds = emitter.constant(IntegerAttr.from_bool(True))
        one, none = emitter.integer(1), emitter.integer(0)
        self._choices = [
            emitter.insert(arith.SelectOp(self._holds, *branches))
            for branches in ((one, none), (none, one))
        ]
        copy = copy_of(nest)
        self.first, body = self._version(nest, self._choices[0], nest.init)
        rest, other = self._version(nest, self._choices[1], self.first.result)
        self.ops: Sequence[Operation] = [*emitter.ops, self.first, rest]
        """The operations in the place of the nest."""
        self.result = rest.result
        self.nest = copy
        """The nest of the second version."""
        rest.result.name_hint = nest.result.name_hint
        insert_before(nest, self.ops)
        nest.result.replace_all_uses_with(rest.result)
        nest.detach()
        copy.operands[1] = other.args[1]  # the initial value, where the first one has no step
        for block, op in ((body, nest), (other, copy)):
            block.add_ops([op, phi.YieldOp(op.result)])

    def _version(
        self, nest: phi.FoldOp, choice: arith.SelectOp, init: SSAValue
    ) -> tuple[phi.FoldOp, Block]:
        body = fold_body(nest, nest.result.type)
        return phi.FoldOp(choice.result, init, Region(body)), body

    def assume(self, premises: Iterable[Ordinary]) -> list[Operation]:
        """Make premises those of the first nest; the operations that test them."""
        new = sorted(set(premises) - self._known, key=lambda each: _order(each.value))
        self._known.update(new)
        return self.where(lambda build: [_test(build, each) for each in new])

    def where(self, tests: Callable[[Inserter], Sequence[SSAValue]]) -> list[Operation]:
        """Run the first nest only where tests hold; the operations that make them."""
        emitter = Emitter()
        self._holds = emitter.all_of([self._holds, *tests(emitter)])
        insert_before(self._choices[0], emitter.ops)
        for choice in self._choices:
            choice.operands[0] = self._holds
        return emitter.ops


def nest_around(op: phi.FoldOp, within: Container[phi.FoldOp] = ()) -> phi.FoldOp:
    """The outermost of the folds around a fold, without other loops between them, or itself.

    It is within the folds of some versions.
    """
    while isinstance(parent := op.parent_op(), phi.FoldOp) and parent not in within:
        op = parent
    return op


def _order(value: SSAValue) -> tuple[int, int]:
    """A sort key: the position of a value among the arguments and operations of a function."""
    if isinstance(value.owner, Block):
        return -1, value.owner.args.index(value) if isinstance(value, BlockArgument) else 0
    return home_of(value.owner).get_operation_index(value.owner), 0


def _test(build: Inserter, premise: Ordinary) -> SSAValue:
    """Whether a premise holds."""
    largest = build.integer(premise.largest)
    if premise.is_count:
        return build.compare(premise.value, "sle", largest)
    least = build.integer(-premise.largest)
    return _are_between(build, premise.value, least, largest)


def _are_between(build: Inserter, value: SSAValue, least: SSAValue, largest: SSAValue) -> SSAValue:
    """Whether an Int, or all Ints in an array, are between two others."""
    if not isinstance(value.type, phi.VecType):
        is_above = build.compare(value, "sge", least)
        return build.all_of([is_above, build.compare(value, "sle", largest)])

    def element(inner: Inserter, own: Sequence[SSAValue]) -> SSAValue:
        row = inner.get(value, own)
        return _are_between(inner, row, least, largest)

    values = build.comprehension([build.size(value)], element)
    return build.reduce(values, build.truth(True), arith.AndIOp)
