"""Guarded elements at several offsets as reads of one array with a border."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, i1
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue
from xdsl.traits import ConstantLike

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.index_ranges import Comparison, IndexRanges
from ein_mlir.analysis.phi.neighbours import Member, Neighbours, Offsets, ends
from ein_mlir.analysis.phi.selections import Test, conjuncts
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence
from ein_mlir.analysis.scopes import is_within, reached, sources
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.phi.split_index_ranges.cuts import LOGICAL, MOST_OPERATIONS, Cuts, chosen_by
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.ranges import check_size

LEAST_PARTS = 3
"""The fewest parts of a comprehension for which guarded elements have an array of their own."""

MOST_ARRAYS = 2
"""The most arrays with a border: each is one more pass over memory."""

WIDEST = 32
"""The most that offsets along an index may differ by: the widest border."""


class Side(NamedTuple):
    """An end of the range of an index where a test holds: the first index, or that after it."""

    of: BlockArgument
    is_lower: bool


class Choice(NamedTuple):
    """``where(t & .., e, c)``."""

    element: SSAValue
    otherwise: SSAValue | bool
    tests: Sequence[Test]


@dataclass(frozen=True)
class Guarded:
    """``where(t & u, e, c)``, where t compares indices, and e reads arrays at near positions."""

    root: Operation
    choice: Choice
    bounds: Mapping[Side, LinearForm]
    others: Sequence[Test]
    member: Member
    """The class of the elements that differ from e by offsets alone."""

    @property
    def offsets(self) -> Offsets:
        """The offsets of the element."""
        return self.member.offsets

    def place(self, side: Side) -> LinearForm | None:
        """An end of the range of positions, if a test bounds them."""
        bound = self.bounds.get(side)
        return None if bound is None else bound + self.offsets[side.of]


def pad_guarded(
    array: phi.ArrayOp,
    forms: IndexForms,
    ranges: IndexRanges,
    sizes: SizeEquivalence,
) -> list[phi.ArrayOp]:
    """``array (i) { e(where(i > 0, x[i - 1], 0), where(i < n - 1, x[i + 1], 0)) }`` as
    ``y = array (q < n + 2) { where(1 <= q < n + 1, x[q - 1], 0) }`` and
    ``array (i) { e(y[i], y[i + 2]) }``.

    The new comprehensions, if e would be computed for three parts or more, or with masks since
    parts are too many, and all cuts are due to such choices: a border takes a call for each end of
    an axis, and a part one for each operation.
    """
    cuts = Cuts(array, ranges, static=False)
    if cuts.count() < LEAST_PARTS and not cuts.are_too_many:
        return []
    body = list(islice(array.body.walk(), MOST_OPERATIONS))
    groups = _Recogniser(array, forms, ranges).groups(body)
    roots = [each.root for group in groups for each in group]
    if not 0 < len(groups) <= MOST_ARRAYS or _is_cut(body, roots, ranges):
        return []
    for axis in range(len(array.sizes)):
        check_size(array, axis, sizes)
    return [_Padding(array, group, forms.free).array() for group in groups]


def _is_cut(body: Sequence[Operation], roots: Sequence[Operation], ranges: IndexRanges) -> bool:
    """Whether others of the choices of a body have conditions on an index."""
    values = reached((value for op in roots for value in op.operands), sources)
    guards = {*roots, *(value.owner for value in values)}
    found = (value for value in chosen_by(body) if _is_open(ranges.comparison(value), ranges))
    return any(use.operation not in guards for value in found for use in value.uses)


def _is_open(comparison: Comparison | None, ranges: IndexRanges) -> bool:
    """Whether a comparison of an index holds for a part of its range."""
    return comparison is not None and (
        ranges.holds(comparison, ranges.whole(comparison.index)) is None
    )


class _Recogniser:
    """Finds guarded elements in the body of a comprehension."""

    def __init__(self, array: phi.ArrayOp, forms: IndexForms, ranges: IndexRanges):
        self._array, self._ranges = array, ranges
        self._neighbours = Neighbours(array, forms)

    def groups(self, body: Sequence[Operation]) -> list[list[Guarded]]:
        """The guarded elements that can be read from the same arrays."""
        found = dict[Hashable, list[Guarded]]()
        seen = set[Operation]()
        for op in reversed(body):
            each = self._guarded(op) if op not in seen else None
            if each is not None:
                seen.update(_within_choice(op))
                key = each.member.number, _constant(each.choice.otherwise)
                group = found.setdefault(key, [])
                group.append(each)
        return [group for group in found.values() if self._agree(group)]

    def _guarded(self, op: Operation) -> Guarded | None:
        choice = self._choice(op)
        if choice is None or op.results[0] is self._array.yielded():
            return None
        bounds, others = dict[Side, LinearForm](), list[Test]()
        for test in choice.tests:
            comparison = self._ranges.comparison(test.condition)
            if comparison is None and not isinstance(test.condition.owner, LOGICAL):
                others.append(test)
            elif comparison is None:
                return None
            elif self._holds(comparison) is not test.expected:
                side = self._side(comparison, test.expected)
                if side is None or side[0] in bounds or not self._ranges.is_bounded(side[1]):
                    return None
                bounds[side[0]] = side[1]
        member = self._neighbours.member(choice.element) if bounds else None
        if member is None or any(side.of not in member.offsets for side in bounds):
            return None
        return Guarded(op, choice, bounds, others, member)

    def _choice(self, op: Operation | Block) -> Choice | None:
        """A choice with a fixed alternative, as that of nested choices."""
        if not isinstance(op, Operation) or op.parent is not self._array.body.block:
            return None
        if isinstance(op, arith.AndIOp | arith.OrIOp) and op.result.type == i1:
            return self._condition(op)
        if not isinstance(op, arith.SelectOp) or not phi.is_scalar_type(op.result.type):
            return None
        is_first = self._is_fixed(op.rhs)
        element, otherwise = (op.lhs, op.rhs) if is_first else (op.rhs, op.lhs)
        if not self._is_fixed(otherwise) or self._is_fixed(element):
            return None
        tests = list(conjuncts(Test(op.cond, is_first)))
        inner = self._choice(element.owner)
        if inner is not None and _constant(inner.otherwise) == _constant(otherwise):
            return Choice(inner.element, otherwise, [*tests, *inner.tests])
        return Choice(element, otherwise, tests)

    def _condition(self, op: arith.AndIOp | arith.OrIOp) -> Choice | None:
        """``t & e`` as ``where(t, e, false)``, and ``~t | e`` as ``where(t, e, true)``."""
        is_and = isinstance(op, arith.AndIOp)
        if any(type(use.operation) is type(op) for use in op.result.uses):
            return None
        tests = list(conjuncts(Test(op.result, is_and)))
        rest = [test for test in tests if self._ranges.comparison(test.condition) is None]
        if len(rest) != 1 or rest[0].expected is not is_and:
            return None
        return Choice(rest[0].condition, not is_and, [test for test in tests if test not in rest])

    def _is_fixed(self, value: SSAValue) -> bool:
        constant = ConstantLike.get_constant_value(value)
        return constant is not None or not is_within(value, self._array)

    def _holds(self, comparison: Comparison) -> bool | None:
        return self._ranges.holds(comparison, self._ranges.whole(comparison.index))

    def _side(self, found: Comparison, expected: bool) -> tuple[Side, LinearForm] | None:
        """The end of the range of an index that a test bounds."""
        at, whole = found.threshold, self._ranges.whole(found.index)
        if found.predicate in ("<", ">="):
            return Side(found.index, (found.predicate == ">=") is expected), at
        if (found.predicate == "!=") is not expected:
            return None
        if self._ranges.is_from(whole, at):
            return Side(found.index, is_lower=True), at + 1
        return (
            (Side(found.index, is_lower=False), at)
            if self._ranges.is_below(whole, at + 1)
            else None
        )

    def _agree(self, group: Sequence[Guarded]) -> bool:
        """Whether elements differ by offsets, and have their alternatives at the same positions."""
        differences = [last - first for first, last in _ends(group).values()]
        return 0 < max(differences) <= WIDEST and all(
            self._is_bounded(each, side, bound)
            for side, bound in _bounds(group).items()
            for each in group
        )

    def _is_bounded(self, found: Guarded, side: Side, bound: LinearForm) -> bool:
        own = found.place(side)
        if own is not None:
            return self._ranges.same(own, bound)
        whole, bound = self._ranges.whole(side.of), bound - found.offsets[side.of]
        is_in = self._ranges.is_from if side.is_lower else self._ranges.is_below
        return is_in(whole, bound)


def _constant(value: SSAValue | bool) -> SSAValue | Attribute:
    """What values have in common that are equal."""
    if isinstance(value, bool):
        return IntegerAttr.from_bool(value)
    constant = ConstantLike.get_constant_value(value)
    return value if constant is None else constant


def _within_choice(op: Operation) -> Iterator[Operation]:
    """The nested choices of a guarded element."""
    while isinstance(op, arith.SelectOp):
        yield op
        inner = [x.owner for x in (op.lhs, op.rhs) if isinstance(x.owner, arith.SelectOp)]
        if len(inner) != 1:
            return
        (op,) = inner


def _bounds(group: Iterable[Guarded]) -> dict[Side, LinearForm]:
    """The ends of the ranges of the positions that some guarded element reads."""
    return {side: bound for each in group for side in each.bounds if (bound := each.place(side))}


def _ends(group: Iterable[Guarded]) -> Mapping[BlockArgument, tuple[int, int]]:
    return ends(each.offsets for each in group)


class _Padding:
    """The array with a border for elements that differ by offsets."""

    def __init__(self, array: phi.ArrayOp, group: Sequence[Guarded], free: FreeIndices):
        self._array, self._group, self._free = array, group, free
        self._model = group[0]
        self._ends = _ends(group)
        self._indices = [index for index in array.indices if index in self._ends]
        self._least = {index: first for index, (first, _) in self._ends.items()}
        self._build = Builder.before(array, free.add)

    def array(self) -> phi.ArrayOp:
        """The comprehension of the elements and their border."""
        sizes = [self._size(index) for index in self._indices]
        padded = self._build.comprehension(sizes, self._element, self._indices)
        for each in self._group:
            self._replace(each, padded)
        erase_unused(self._array.body.block)
        return phi.ArrayOp.of(padded)

    def _size(self, index: BlockArgument) -> SSAValue:
        first, last = self._ends[index]
        return self._build.add(self._array.sizes[index.index], last - first)

    def _element(self, inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
        places = {i: inner.as_int(q) for i, q in zip(self._indices, own, strict=True)}
        tests = [
            self._test(inner, side, places[side.of], bound - self._least[side.of])
            for side, bound in _bounds(self._group).items()
        ]
        model = self._model
        values: dict[SSAValue, SSAValue] = {
            i: inner.add(q, self._least[i] - model.offsets[i]) for i, q in places.items()
        }
        element, otherwise = model.choice.element, model.choice.otherwise
        if isinstance(otherwise, bool):
            otherwise = inner.truth(otherwise)
        parts = inner.copied(self._array.body.block, [element, otherwise], values)
        return inner.chosen(tests, *parts)

    def _test(self, inner: Builder, side: Side, place: SSAValue, bound: LinearForm) -> Test:
        limit = self._build.linear_value(bound)
        return Test(inner.compare(place, "sge" if side.is_lower else "slt", limit), True)

    def _replace(self, found: Guarded, padded: SSAValue) -> None:
        """A read in the place of a guarded element."""
        build = Builder.before(found.root, self._free.add)
        offsets = {i: found.offsets[i] - self._least[i] for i in self._indices}
        positions = [build.add(build.as_int(i), by) if by else i for i, by in offsets.items()]
        value = build.get(padded, positions)
        if found.others:
            otherwise = found.choice.otherwise
            assert not isinstance(otherwise, bool)
            value = build.select(build.hold(found.others), value, otherwise)
        found.root.results[0].replace_all_uses_with(value)
