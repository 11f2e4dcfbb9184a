"""Bounds of the Ints that loops carry: of numbers, and of the elements of arrays, by induction.

A queue holds indices: in ::

    phi.fold (%i < %n, %acc = (%queue, %zero)) {
      %q = phi.proj %acc, 0
      %tail = phi.proj %acc, 1
      %more = phi.update %q[%tail], %i
      %next = arith.addi %tail, %one : i64
      phi.yield (%more, %next)
    }

``%tail`` is at least 0 and at most ``%i``, and so are the elements of ``%q`` at least 0 and less
than the size that ``%i`` is less than. Such bounds are guessed: 0, the first value, that and the
number of steps, the sizes of arrays that are read, and what the condition of a loop compares. All
of them are assumed, and those dropped that do not follow for the first value or after a step, until
the others do. They hold in each step, and those of results after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import TypeAlias

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import i64
from xdsl.ir import Block, Operation, SSAValue

from ein_mlir.analysis.arithmetic import DRIFT, FEW, INTS, SIZES, LinearForm
from ein_mlir.analysis.phi.free_indices import Leaf, leaf_types
from ein_mlir.analysis.phi.index_forms import IndexForms, is_of_loop
from ein_mlir.analysis.phi.position_bounds import PositionBounds
from ein_mlir.analysis.phi.records import origin
from ein_mlir.analysis.phi.selections import Test, conjuncts
from ein_mlir.analysis.predicates import relation_of
from ein_mlir.analysis.scopes import ancestors, around, operations_in, reached, sources
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass

MOST_SIZES = 8
"""The most sizes of arrays that bounds are guessed of."""

Equal: TypeAlias = Mapping[SSAValue, SSAValue]


@dataclass(frozen=True)
class _Bound:
    """An Int, or each Int of an array, is at most a limit: with sign 1; or at least: with -1."""

    sign: int
    limit: LinearForm

    def at(self, values: Mapping[SSAValue, LinearForm]) -> _Bound:
        """The bound where some atoms have other values."""
        return _Bound(self.sign, self.limit.extremes({x: (y, y) for x, y in values.items()})[0])

    def is_less_than(self, limit: LinearForm) -> LinearForm:
        """The form that is non-negative where the bound implies one by another limit."""
        return (limit - self.limit) * self.sign


def with_carried_bounds(function: func.FuncOp, forms: IndexForms) -> IndexForms:
    """The same facts with the bounds of carried Ints, if positions depend on these."""
    places = list(_open_positions(function, forms))
    return _Induction(function, forms, places).forms if places else forms


def _open_positions(function: func.FuncOp, forms: IndexForms) -> Iterator[LinearForm]:
    """The sizes along which positions that depend on carried Ints are not provably in bounds."""
    for op in operations_in(function):
        if isinstance(op, phi.GetOp | phi.UpdateOp) and any(ancestors(op, phi.CountedOp)):
            for axis, position in enumerate(op.positions):
                if not any(map(_is_carried, reached([position], sources))):
                    continue
                size = forms.size(op.array, axis)
                if size is not None and not forms.is_in_step(position, size, op):
                    yield size


def _is_carried(value: SSAValue) -> bool:
    return _carrier(origin(value)[0]) is not None


def _carrier(value: SSAValue) -> phi.CountedOp | None:
    """The loop whose accumulator or result, or whose counter in a loop by a condition, it is."""
    owner = value.owner
    if isinstance(owner, phi.CountedOp):
        return owner
    loop = None if isinstance(owner, Operation) else owner.parent_op()
    if not isinstance(loop, phi.CountedOp):
        return None
    return loop if value is loop.accumulator or isinstance(loop, phi.WhileOp) else None


class _Induction:
    """The bounds that hold of those that are guessed."""

    def __init__(self, function: func.FuncOp, forms: IndexForms, sizes: Iterable[LinearForm]):
        self._plain = forms
        ops = operations_in(function)
        self._loops = [op for op in ops if isinstance(op, phi.CountedOp) and _is_regular(op)]
        own = (
            x for x in dict.fromkeys(sizes) if not any(is_of_loop(loop, x) for loop in self._loops)
        )
        self._sizes = list(islice(own, MOST_SIZES))
        self._gets = [op for op in ops if isinstance(op, phi.GetOp) and _is_of_loop(op)]
        self._values = list(filter(_is_carried, chain.from_iterable(map(_ints_of, ops))))
        self._atoms = {origin(value): value for value in reversed(self._values)}
        self._bounds = dict[Leaf, list[_Bound]]()
        for loop in self._loops:
            self._guess(loop)
        self._drifting = {leaf for leaf in self._bounds if self._drifts(leaf)}
        self.forms = self._assumed()
        while self._drop():
            self.forms = self._assumed()

    # Guesses

    def _guess(self, loop: phi.CountedOp) -> None:
        limits, compared = self._sizes, list(dict.fromkeys(self._compared(loop)))
        numbers = range(len(leaf_types(loop.start.type)))
        firsts = {k: first for k in numbers if (first := self._first(loop, k)) is not None}
        for number, type_ in enumerate(leaf_types(loop.start.type)):
            if phi.scalar_of(type_) != i64:
                continue
            found, results = [_Bound(-1, LinearForm())], list[_Bound]()
            if type_ == i64:
                found += [_Bound(1, limit) for limit in (*limits, *compared, *firsts.values())]
                found += [_Bound(1, limit - 1) for limit in compared]
                found.append(_Bound(-1, LinearForm.number(1)))
                if (first := firsts.get(number)) is not None:
                    found.append(_Bound(-1, first))
                    results.append(_Bound(1, first + self._plain.integer(loop.operands[0])))
                    found.append(_Bound(1, first + LinearForm.of(loop.counter)))
            found += [_Bound(1, limit - 1) for limit in limits]
            found += [
                _Bound(1, LinearForm.of(each.counter))
                for each in (loop, *ancestors(loop, phi.CountedOp))
            ]
            own = self._atoms.get((loop.accumulator, number))
            found = [bound for bound in dict.fromkeys(found) if own not in bound.limit.coefficients]
            self._bounds[loop.accumulator, number] = found
            kept = (bound for bound in found if not is_of_loop(loop, bound.limit))
            self._bounds[loop.results[0], number] = list(dict.fromkeys((*kept, *results)))
        if isinstance(loop, phi.WhileOp):
            found = [_Bound(1, limit - 1) for limit in (*limits, *compared)]
            self._bounds[loop.counter, 0] = found

    def _first(self, loop: phi.CountedOp, number: int) -> LinearForm | None:
        """The first value of a carried Int as an integer."""
        value = self._atoms.get(leaf := origin(loop.start, number), leaf[0])
        return self._plain.integer(value) if value.type == i64 else None

    def _compared(self, loop: phi.CountedOp) -> Iterator[LinearForm]:
        """What the condition of a loop compares: it carries that, or has it from outside."""
        carried = {
            origin(loop.yielded(), number)[0]: self._plain.form(atom)
            for (base, number), atom in self._atoms.items()
            if base is loop.accumulator
        }
        for test in self._tests(loop, loop.yielded(), expected=True):
            if (relation := relation_of(test.condition, expected=test.expected)) is not None:
                for side in (relation.lhs, relation.rhs):
                    form = self._plain.integer(side)
                    if side in carried or not is_of_loop(loop, form):
                        yield carried.get(side, form)

    def _tests(self, loop: phi.CountedOp, record: SSAValue, *, expected: bool) -> Sequence[Test]:
        """What is known of a record of a loop by a condition before a step, or after the last one.

        Steps of several elements at a time are run as long as one of them needs a step.
        """
        is_alone = not any(isinstance(op, phi.ArrayOp) for op in around(loop))
        if not isinstance(loop, phi.WhileOp) or not is_alone:
            return ()
        if not expected and not loop.is_unlimited():
            return ()
        return list(conjuncts(Test(origin(record)[0], expected)))

    # Drift

    def _drifts(self, leaf: Leaf) -> bool:
        """Whether each step of the loops that compute a number adds few to another such number.

        Then it stays far from the largest Int. Choices and extremes of such numbers are some, and
        so are those before the loop.
        """
        added = 0
        for value, number in reached([leaf], self._before):
            op = value.owner
            if isinstance(op, arith.AddiOp | arith.SubiOp) and (few := self._few(op)) is not None:
                added += few
            elif not self._before((value, number)) and not self._starts(value):
                return False
        return added <= FEW.high

    def _starts(self, value: SSAValue) -> bool:
        """Whether a number is small, whatever loops carry."""
        return value.type == i64 and self._plain.range(value) in SIZES | FEW

    def _before(self, leaf: Leaf) -> Sequence[Leaf]:
        """The numbers of which a number is one, except for a small sum."""
        value, number = leaf
        op = value.owner
        loop = _carrier(value)
        if loop is not None and value is not loop.counter:
            return [origin(record, number) for record in (loop.start, loop.yielded())]
        match op:
            case arith.AddiOp() | arith.SubiOp() if self._few(op) is not None:
                return [origin(op.lhs if self._is_few(op.rhs) else op.rhs)]
            case arith.SelectOp(lhs=lhs, rhs=rhs):
                return [origin(lhs, number), origin(rhs, number)]
            case arith.MaxSIOp() | arith.MinSIOp():
                return [origin(value) for value in op.operands]
            case _:
                return ()

    def _few(self, op: arith.AddiOp | arith.SubiOp) -> int | None:
        """The largest magnitude of a small number that an operation adds or subtracts."""
        sides = (op.rhs, op.lhs) if isinstance(op, arith.AddiOp) else (op.rhs,)
        found = [self._plain.range(side).magnitude for side in sides if self._is_few(side)]
        return min(found, default=None)

    def _is_few(self, value: SSAValue) -> bool:
        return self._plain.range(value).magnitude <= FEW.high

    # Proofs

    def _assumed(self) -> IndexForms:
        """The facts where all bounds hold that are not dropped yet."""
        forms = self.forms = self._plain.bounded()
        self._positions = PositionBounds(forms)
        for value in self._values:
            leaf = origin(value)
            every = DRIFT if leaf in self._drifting else INTS
            forms.bound(value, _tightest(self._bounds.get(leaf, ())), every)
        for get in self._gets:
            forms.bound(get.result, _tightest(self._of_elements(get)))
        return forms

    def _of_elements(self, get: phi.GetOp) -> Iterator[_Bound]:
        """The bounds of the elements of an array, and of 0 if it may be empty."""
        known = self._positions.in_steps(get)
        sizes = [self.forms.size(get.array, axis) for axis in range(len(get.positions))]
        is_full = all(size is not None and known.is_nonnegative(size - 1) for size in sizes)
        bounds = [_Bound(-1, LinearForm()), *(_Bound(1, size - 1) for size in self._sizes)]
        for bound in dict.fromkeys((*bounds, *self._bounds.get(origin(get.array), ()))):
            if self._holds((get.array, 0), bound, known, {}) and (
                is_full or known.is_nonnegative(bound.limit * bound.sign)
            ):
                yield bound

    def _drop(self) -> bool:
        """Drop the bounds that do not follow; whether there are any."""
        kept = {
            leaf: [bound for bound in bounds if self._follows(leaf, bound)]
            for leaf, bounds in self._bounds.items()
        }
        is_less = any(len(kept[leaf]) < len(self._bounds[leaf]) for leaf in kept)
        self._bounds = kept
        return is_less

    def _follows(self, leaf: Leaf, bound: _Bound) -> bool:
        """Whether a bound holds for the first value, and after a step."""
        value, number = leaf
        loop = _carrier(value)
        assert loop is not None
        is_result = value.owner is loop
        zero, one = LinearForm(), LinearForm.of(loop.counter) + 1
        for record, step in ((loop.start, zero), (loop.yielded(), one)):
            tests = self._tests(loop, record, expected=not is_result)
            at = loop if record is loop.start else loop.regions[0].block.last_op
            assert at is not None
            known = self._positions.in_steps(at).where(tests, ())
            values = {
                atom: self._integer(record, k)
                for (base, k), atom in self._atoms.items()
                if base is loop.accumulator and atom in bound.limit.coefficients
            }
            wanted = bound.at({**values, loop.counter: step})
            if value is loop.counter:
                if not known.is_nonnegative((wanted.limit - step) * wanted.sign):
                    return False
            elif not self._holds((record, number), wanted, known, dict(_equal(tests))):
                return False
        return True

    def _integer(self, record: SSAValue, number: int) -> LinearForm:
        """A leaf of a record as an integer."""
        return self.forms.integer(self._atoms.get(leaf := origin(record, number), leaf[0]))

    def _holds(self, leaf: Leaf, bound: _Bound, known: PositionBounds, equal: Equal) -> bool:
        """Whether an Int, or each element of an array, has a bound."""
        value, number = origin(*leaf)
        op = value.owner
        if any(
            each.sign == bound.sign and known.is_nonnegative(each.is_less_than(bound.limit))
            for each in self._bounds.get((value, number), ())
        ):
            return True
        own = self._atoms.get((value, number), value)
        if own.type == i64 and self._number_holds(own, bound, known, equal):
            return True
        if isinstance(op, arith.SelectOp):
            sides = (
                ((op.lhs, number), known.where(conjuncts(Test(op.cond, True)), ())),
                ((op.rhs, number), known.where(conjuncts(Test(op.cond, False)), ())),
            )
            return all(self._holds(side, bound, where, equal) for side, where in sides)
        parts: Sequence[SSAValue] = ()
        match op:
            case phi.UpdateOp() | phi.UpdateSliceOp():
                parts = op.array, op.value
            case phi.ConcatOp():
                parts = op.lhs, op.rhs
            case phi.ArrayOp():
                parts, known = (op.yielded(),), known.where((), op.sizes)
            case _:
                pass
        return bool(parts) and all(
            self._holds((part, number), bound, known, equal) for part in parts
        )

    def _number_holds(
        self, value: SSAValue, bound: _Bound, known: PositionBounds, equal: Equal
    ) -> bool:
        integer = known.forms.integer(value)
        if known.is_nonnegative((bound.limit - integer) * bound.sign):
            return True
        if value in equal:
            return self._number_holds(equal[value], bound, known, {})
        op = value.owner
        if isinstance(op, arith.MaxSIOp | arith.MinSIOp):
            is_either = isinstance(op, arith.MinSIOp) == (bound.sign == 1)
            sides = (self._holds((side, 0), bound, known, equal) for side in op.operands)
            return any(sides) if is_either else all(sides)
        return False


def _tightest(bounds: Iterable[_Bound]) -> list[tuple[int, LinearForm]]:
    """The signs and limits of some bounds, without those that differ from another in a number."""
    found = dict[tuple[int, LinearForm], int]()
    for bound in bounds:
        terms = bound.sign, bound.limit - bound.limit.constant
        constant = bound.limit.constant * bound.sign
        found[terms] = min(constant, found.get(terms, constant))
    return [(sign, terms + number * sign) for (sign, terms), number in found.items()]


def _equal(tests: Iterable[Test]) -> Iterator[tuple[SSAValue, SSAValue]]:
    """The values that tests find equal to others."""
    for test in tests:
        relation = relation_of(test.condition, expected=test.expected)
        if relation is not None and relation.predicate == "eq":
            yield relation.lhs, relation.rhs
            yield relation.rhs, relation.lhs


def _ints_of(op: Operation) -> list[SSAValue]:
    """The Ints that an operation computes, or that are variables of its body."""
    arguments = (arg for region in op.regions for block in region.blocks for arg in block.args)
    return [value for value in (*op.results, *arguments) if value.type == i64]


def _is_of_loop(get: phi.GetOp) -> bool:
    """Whether it reads an Int in a loop, of an array that is no argument of the function."""
    is_argument = isinstance(get.array.owner, Block) and isinstance(
        get.array.owner.parent_op(), func.FuncOp
    )
    return get.result.type == i64 and not is_argument and any(ancestors(get, phi.CountedOp))


def _is_regular(loop: phi.CountedOp) -> bool:
    """Whether all steps run that the count demands, for all elements around the loop."""
    return not isinstance(loop, phi.FoldOp) or loop.irregular is None
