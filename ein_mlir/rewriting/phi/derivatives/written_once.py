"""Arrays that a loop writes once: an element before a step is that of the result, or the first one.

A loop that computes an array element by element, such as a recurrence, a table, or the columns of a
matrix, needs no copy of the array for each step in its derivative.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import combinations, product

from xdsl.dialects import func
from xdsl.ir import Block, Operation, SSAValue

from ein_mlir.analysis.arithmetic import Integers, LinearForm, Range
from ein_mlir.analysis.arithmetic.scalars import indices_below
from ein_mlir.analysis.phi.demand import counts_of
from ein_mlir.analysis.phi.loops.writes import Write, last_write
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.records import origin
from ein_mlir.analysis.phi.searches import leaf_values
from ein_mlir.analysis.phi.selections import tests_around
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence
from ein_mlir.analysis.predicates import relation_of
from ein_mlir.analysis.scopes import ancestors, around
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.integers import PhiLevel
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.phi.derivatives.contributions import SizeProofs
from ein_mlir.rewriting.phi.derivatives.tangents import Leaf, yielded_value
from ein_mlir.rewriting.phi.insertion import Builder, Emitter


@dataclass(frozen=True)
class _Line:
    """``sum of signs[axis] * p[axis]`` is ``k + offset`` at all positions ``p`` that step k writes.

    Along one axis the signs are 1; on the diagonals of a table, they are those of ``q - p``.
    """

    axes: Sequence[int]
    signs: Sequence[int]
    offset: int


def read_result(
    op: phi.FoldOp,
    block: Block,
    wanted: Sequence[SSAValue],
    leaves: Sequence[SSAValue],
    costly: Mapping[SSAValue, Leaf],
) -> dict[SSAValue, SSAValue]:
    """``get acc[q]``  -->  ``select(q < k + c, get result[q], get init[q])``

    for an array of which step ``k`` writes at ``k + c`` only, along some axis, or along a diagonal:
    where ``q - p = k + c``. ``block`` is a copy of the body of a fold, with variables for the
    leaves of its accumulator, and for ``costly`` values of it. If a loop in the step writes, its
    result is such a variable: an element of that is one with ``q <= k + c``. Returns the results
    with their variables.
    """
    replaced = dict[SSAValue, SSAValue]()
    needed = {each for outer in slice_of(block, wanted) for each in outer.walk()}
    for number, (leaf, after) in enumerate(
        zip(leaves, leaf_values(yielded_value(block)), strict=False)
    ):
        is_loop = after in costly
        found = {array: _reads(array, needed) for array in (leaf, *([after] if is_loop else []))}
        if not any(found.values()):
            continue
        counter, base = (
            (op.counter, (op.accumulator, number)) if is_loop else (block.args[0], (leaf, 0))
        )
        ints = Integers(PhiLevel())
        most = indices_below(ints.range(op.count))
        steps: dict[SSAValue, Range] = {counter: most, block.args[0]: most}
        writes = _writes_behind(costly.get(after, (after, 0)), base)
        line = _line_of(ints.assuming(steps), counter, writes or ())
        if line is None:
            continue
        for later, (array, reads) in enumerate(found.items()):
            gets = [x for x in reads if isinstance(x, phi.GetOp) and x.array is array]
            if (
                gets
                and len(gets) == len(reads)
                and all(len(x.positions) > max(line.axes) for x in gets)
            ):
                first = Builder.before(op).leaves(op.init)[number]
                last = Builder.after(op).leaves(op.result)[number]
                replaced[last] = array
                trial, end = Emitter(), line.offset + later
                sizes = [trial.size(first, axis) for axis in line.axes]
                proofs = SizeProofs(SizeEquivalence(next(ancestors(op, func.FuncOp))))
                proofs = proofs.assuming(steps)
                elements = _Elements(proofs, line, sizes, end, block.args[0], first, last)
                for get in gets:
                    elements.read(get)
                trial.discard()
    return replaced


def _reads(array: SSAValue, needed: Container[Operation]) -> list[Operation]:
    users = (use.operation for use in array.uses)
    return [user for user in users if user in needed and not isinstance(user, phi.SizeOp)]


def _line_of(ints: Integers, counter: SSAValue, writes: Sequence[Write]) -> _Line | None:
    """The line of the elements that a step writes, which those of no other step meet."""
    if not writes:
        return None
    first, *others = (set(_lines(ints, counter, write)) for write in writes)
    lines = (each for each in first if all(each in other for other in others))
    return min(lines, default=None, key=lambda x: (len(x.axes), x.axes, x.signs, x.offset))


def _writes_behind(after: Leaf, base: Leaf) -> list[Write] | None:
    """The writes that a leaf is made by from another one, also in loops; None for other values."""
    found = list[Write]()
    while (leaf := origin(*after)) != base:
        value, number = leaf
        op = value.owner
        if isinstance(op, phi.FoldOp):
            inside = _writes_behind((op.yielded(), number), (op.accumulator, number))
            if inside is None:
                return None
            found += inside
            after = op.init, number
        elif isinstance(op, Operation) and op.parent and (write := last_write(value, op.parent)):
            found.append(write)
            after = write.base, 0
        else:
            return None
    return found


def _lines(ints: Integers, counter: SSAValue, write: Write) -> Iterator[_Line]:
    """The lines that a write is on, along an axis or a diagonal."""
    places = [*write.indices, *write.positions]
    forms = [(axis, ints.form(place)) for axis, place in enumerate(places)]
    forms = [(axis, form) for axis, form in forms if ints.is_exact(form)]
    for axis, form in forms:
        distance = (form - LinearForm.of(counter)).known()
        if distance is not None:
            yield _Line((axis,), (1,), distance)
    for (axis, form), (other, second) in combinations(forms, 2):
        for signs in ((1, -1), (-1, 1), (1, 1)):
            distance = (form * signs[0] + second * signs[1] - LinearForm.of(counter)).known()
            if distance is not None:
                yield _Line((axis, other), signs, distance)


@dataclass(frozen=True)
class _Elements:
    """The elements before a step, as those of the result of a loop or of its start."""

    ints: SizeProofs
    line: _Line
    sizes: Sequence[SSAValue]
    """The sizes of the axes of the line."""
    offset: int
    """The line of the first element that is not written, if the counter is 0."""
    counter: SSAValue
    first: SSAValue
    last: SSAValue

    def read(self, get: phi.GetOp) -> None:
        """Replace the array that an element is read from."""
        if self._is_written(get):
            get.operands[0] = self.last
            return
        build = Builder.before(get)
        places = list[SSAValue]()
        for axis in self.line.axes:
            end = build.sub(build.size(self.first, axis), 1)
            places.append(build.max(build.min(build.as_int(get.positions[axis]), end), 0))
        place = self._sum(build, places)
        is_written = build.compare(place, "slt", build.add(self.counter, self.offset))
        elements = [build.get(array, get.positions) for array in (self.last, self.first)]
        get.result.replace_all_uses_with(build.select(is_written, *elements))

    def _sum(self, build: Builder, places: Sequence[SSAValue]) -> SSAValue:
        terms = sorted(zip(self.line.signs, places, strict=True), key=lambda term: -term[0])
        (_, result), *others = terms
        for sign, place in others:
            result = build.add(result, place) if sign > 0 else build.sub(result, place)
        return result

    def _is_written(self, get: phi.GetOp) -> bool:
        """Whether an element, at its clipped position, is provably one that is written before."""
        end, known = LinearForm.of(self.counter) + self.offset, self._known(get)
        bounds = (self._bounds(get, number, known) for number in range(len(self.sizes)))
        return all(
            any(
                self.ints.is_nonnegative(end - sum(terms, LinearForm.number(1)), *known)
                for terms in product(*choices)
            )
            for choices in product(*bounds)
        )

    def _bounds(
        self, get: phi.GetOp, number: int, known: Sequence[LinearForm]
    ) -> list[Sequence[LinearForm]]:
        """The upper bounds of a position, or of its negation, in each case of its clip."""
        axis, sign = self.line.axes[number], self.line.signs[number]
        place, zero = self.ints.integer(get.positions[axis]), LinearForm.number(0)
        last = LinearForm.of(self.sizes[number]) - 1
        inside, clipped = ([place, last], zero) if sign > 0 else ([-place, zero], -last)
        distance = place if sign > 0 else last - place
        return [inside] if self.ints.is_nonnegative(distance, *known) else [inside, [clipped]]

    def _known(self, get: phi.GetOp) -> list[LinearForm]:
        """Forms that are not negative where an element is read: loops have steps, tests hold."""
        found = list[LinearForm]()
        for outer in around(get):
            if self.counter.owner.is_ancestor(outer):
                found += [self.ints.extent(count) - 1 for count in counts_of(outer)]
        for test in tests_around(get.result):
            relation = relation_of(test.condition, expected=test.expected)
            if relation is not None:
                sides = self.ints.form(relation.lhs), self.ints.form(relation.rhs)
                limit = relation.nonpositive(*sides)
                if limit is not None and all(map(self.ints.is_exact, sides)):
                    found.append(-limit)
        return [*found, *(one + other for one, other in combinations(found, 2))]
