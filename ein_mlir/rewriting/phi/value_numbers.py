"""Numbers of values: equal values in loops that may become one have the same."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence, Set
from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, TupleType
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.free_indices import leaf_types
from ein_mlir.analysis.phi.searches import field_of, is_made_of_fields, leaf_values
from ein_mlir.analysis.phi.selections import reduction
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence
from ein_mlir.analysis.phi.speculation import any_may_fail
from ein_mlir.analysis.scopes import dependents, depth_of, is_within, slice_within, values_behind
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import is_product
from ein_mlir.dialects.phi.integers import is_nonnegative


def needed_fields(op: phi.FoldOp) -> Sequence[int]:
    """The fields of a record that a fold computes others from, from which it computes no others.

    They are all if there are none, such as a single value, or if the record is no tuple of fields.
    """
    steps = leaf_values(op.yielded())
    every = range(len(leaf_types(op.init.type)))
    users = [use.operation for use in op.accumulator.uses]
    fields = [each.result for each in users if isinstance(each, phi.ProjOp)]
    is_flat = not any(isinstance(each.type, TupleType) for each in fields)
    if len(steps) < len(every) or len(fields) < len(users) or not is_flat:
        return every
    needed = set[int | None]()
    for number, step in enumerate(steps):
        behind = set(values_behind([step], lambda value: is_within(value, op)))
        read = {field_of(each, op.accumulator) for each in fields if each in behind}
        needed |= read - {number}
    return sorted(each for each in needed if each is not None) or every


def may_move(op: phi.FoldOp) -> bool:
    """Whether a fold is one of scalars that raises no error."""
    return not any(map(phi.rank_of, leaf_types(op.init.type))) and raises_nothing(op)


def raises_nothing(op: phi.FoldOp) -> bool:
    """Whether a fold, or a step of it, raises no error."""
    return op.irregular is None and is_nonnegative(op.count) and not any_may_fail(op)


class Numbers:
    """Numbers of values: equal ones have the same."""

    def __init__(self, sizes: SizeEquivalence):
        self._sizes = sizes
        self._table = dict[Hashable, int]()
        self._known = dict[SSAValue, Hashable]()

    def count(self, op: phi.FoldOp) -> Hashable:
        """The same for equal numbers of steps."""
        return self._sizes.representative(phi.Term(op.count))

    def of(self, op: Operation) -> int | None:
        """The number of the result of an operation; None if it has several, or a body."""
        if op.regions or len(op.results) != 1:
            return None
        operands = tuple(self._known.get(each, each) for each in read(op))
        key = (op.name, tuple(op.properties.items()), operands, op.results[0].type)
        number = self._known[op.results[0]] = self._table.setdefault(key, len(self._table))
        return number

    def of_elements(self, op: phi.ArrayOp, *, neighbours: bool) -> Iterator[int]:
        """The Floats that the folds of an element compute, and the ends of its recurrences.

        With ``neighbours``, also those that it computes from several elements of an array.
        """
        self._known.update((index, ("index", axis)) for axis, index in enumerate(op.indices))
        behind = dict[SSAValue, set[SSAValue]]()
        for inner in op.body.block.ops:
            if not inner.regions:
                number, elements = self.of(inner), self._elements(inner, behind)
                is_work = len(elements) > 1 and not is_product(inner.name)
                if neighbours and number is not None and is_work:
                    yield number
                continue
            if is_recurrence(inner) and (number := self.of_recurrence(inner)) is not None:
                yield number
            if isinstance(inner, phi.FoldOp) and may_move(inner):
                yield from self.computed(inner, set(), set())

    def _elements(self, op: Operation, behind: dict[SSAValue, set[SSAValue]]) -> Set[SSAValue]:
        """The reads of elements that a Float is computed from; none with those of other arrays."""
        found = set[SSAValue]()
        if isinstance(op, phi.GetOp):
            found.add(op.result)
        elif len(op.results) == 1 and isa(op.results[0].type, AnyFloat):
            found.update(*(behind.get(each, ()) for each in op.operands))
        owners = (each.owner for each in found)
        if len({each.array for each in owners if isinstance(each, phi.GetOp)}) > 1:
            found.clear()
        behind.update((each, found) for each in op.results)
        return found

    def of_recurrence(self, op: Operation) -> int | None:
        """The number of a loop that carries values, by those that others need (`needed_fields`)."""
        if not isinstance(op, phi.FoldOp):
            return self._of_loop(op)
        if not all(map(is_made_of_fields, (op.init, op.yielded()))):
            return self._of_loop(op)
        fields, inits, steps = needed_fields(op), leaf_values(op.init), leaf_values(op.yielded())
        started = tuple(self._known.get(inits[each], inits[each]) for each in fields)
        key: Hashable = (op.name, tuple(op.properties.items()), self.count(op), started)
        self._known[op.counter] = key
        users = [use.operation for use in op.accumulator.uses]
        read = [each.result for each in users if isinstance(each, phi.ProjOp)]
        for value in (op.accumulator, *read):
            if (field := field_of(value, op.accumulator)) in fields:
                self._known[value] = (key, fields.index(field))
        for inner in slice_within(op, [steps[each] for each in fields]):
            if inner.parent is not op.body.block or inner.results[0] in self._known:
                continue
            if (self._of_loop(inner) if inner.regions else self.of(inner)) is None:
                return None
        ends = [self._known.get(steps[each], steps[each]) for each in fields]
        return self._table.setdefault((key, *ends), len(self._table))

    def _of_loop(self, op: Operation) -> int | None:
        """The number of the result of an operation with bodies, the same for equal bodies.

        None if a body has operations without a number.
        """
        operands = tuple(self._known.get(each, each) for each in op.operands)
        key: Hashable = (op.name, tuple(op.properties.items()), operands)
        ends = list[Hashable]()
        for region in op.regions:
            block = region.block
            self._known.update((each, (key, len(ends), k)) for k, each in enumerate(block.args))
            for inner in block.ops:
                if isinstance(inner, phi.YieldOp):
                    ends.append(self._known.get(inner.value, inner.value))
                elif (self._of_loop(inner) if inner.regions else self.of(inner)) is None:
                    return None
        key = (key, *ends)
        number = self._known[op.results[0]] = self._table.setdefault(key, len(self._table))
        return number

    def read(self, op: phi.FoldOp) -> Iterator[int]:
        """The scalars that a step, whose values have numbers, reads at its counter."""
        varying = dependents(op.body.block, op.counter)
        for inner in op.body.block.ops:
            if isinstance(inner, phi.GetOp) and inner.result in varying:
                yield cast(int, self._known[inner.result])

    def computed(
        self,
        op: phi.FoldOp,
        varying: Set[SSAValue],
        carried: Set[SSAValue],
        *,
        sums: bool = False,
    ) -> Iterator[int]:
        """The Floats that a step, and the folds in it, compute from their counters.

        A product of factors that are read is none of them, nor is a factor that is padded. With
        ``sums``, the results of the folds in it are.
        """
        block = op.body.block
        self._known[op.counter] = self.count(op), depth_of(op)
        varying = varying | dependents(block, op.counter)
        carried = carried | dependents(block, op.accumulator)
        for inner in block.ops:
            if isinstance(inner, phi.FoldOp):
                yield from self.computed(inner, varying, carried, sums=sums)
                is_float = sums and isa(inner.result.type, AnyFloat)
                is_known = is_float and inner.result in varying and inner.result not in carried
                if is_known and (number := self._of_loop(inner)) is not None:
                    yield number
            elif carried.isdisjoint(inner.results) and (number := self.of(inner)) is not None:
                is_factor = is_product(inner.name) or _is_padded_factor(inner)
                is_work = isa(inner.results[0].type, AnyFloat) and not is_factor
                if is_work and inner.results[0] in varying and not isinstance(inner, phi.GetOp):
                    yield number


def _is_padded_factor(op: Operation) -> bool:
    """Whether an operation is an element that is read, or a number, and products alone need it."""
    return (
        isinstance(op, arith.SelectOp)
        and all(isinstance(arm.owner, phi.GetOp | arith.ConstantOp) for arm in op.operands[1:])
        and all(is_product(use.operation.name) for use in op.result.uses)
    )


def read(op: Operation) -> Iterable[SSAValue]:
    """The operands of an operation; the positions of an element as indices or counters."""
    return map(phi.uncast, op.operands) if isinstance(op, phi.GetOp) else op.operands


def is_recurrence(op: Operation) -> bool:
    """Whether an operation is a loop whose steps need those before, in no reduction."""
    is_loop = isinstance(op, phi.FoldOp) and reduction(op) is None
    return is_loop or isinstance(op, phi.WhileOp)
