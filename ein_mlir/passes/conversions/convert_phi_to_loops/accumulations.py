"""The rule for accumulations: loops in order that combine each value into the element at its place.

A long accumulation of few elements runs in parts, on threads, each into elements of its own, which
are combined in order: their number does not depend on the threads, so neither does the result. In
any other the body is computed for a block of indices at once, on threads, into memory that stays in
the cache, if that is more work than to store and load what it yields.

No two values meet at positions that are indices: loops over these are parallel, around the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Attribute, Operation, SSAValue

from ein_mlir.analysis.phi.element_cost import total_cost
from ein_mlir.analysis.phi.free_indices import fields_at, leaf_types
from ein_mlir.analysis.phi.searches import leaf_values
from ein_mlir.analysis.phi.selections import is_neutral
from ein_mlir.analysis.scopes import around
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import OPERATIONS, identity
from ein_mlir.dialects.reductions import combination
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.conversions.convert_phi_to_loops.accumulated_values import (
    Computed,
    Source,
    Stored,
)
from ein_mlir.passes.conversions.convert_phi_to_loops.continuation import continued
from ein_mlir.passes.conversions.convert_phi_to_loops.conversion import Conversion
from ein_mlir.passes.conversions.convert_phi_to_loops.digits import accumulated
from ein_mlir.passes.conversions.convert_phi_to_loops.emission import INDEX
from ein_mlir.passes.conversions.convert_phi_to_loops.loops import relax_loop
from ein_mlir.passes.conversions.convert_phi_to_loops.shared_accumulators import (
    Shared,
    shared_accumulators,
)
from ein_mlir.passes.conversions.convert_phi_to_loops.values import Array, Leaf

PARTS = 16
"""The ranges of the first index of a long accumulation, each with elements of its own."""
LONG = 2**16
"""The values of a long accumulation; its elements are fewer by `FEWER`."""
FEWER = 64
LIGHT = 12
"""The most that a body may cost for each value that it yields, if it is computed in order."""
BLOCK = 2**13
"""The indices whose positions and values are computed at once, and then combined in order."""


def accumulate(conversion: Conversion, op: phi.AccumulateOp) -> None:
    """Loops over the indices in order, or over parts of them on threads."""
    sizes = conversion.loop_sizes(op)
    conversion.check_before(op)
    own, extents = sizes[: len(op.sizes)], iter(sizes[len(op.sizes) :])
    targets = list[_Target]()
    for number, each in enumerate(op.accumulators):
        targets.append(_target(conversion, op, number, [next(extents) for _ in each.extents]))
    after, shared = continued(conversion, op, targets[0].combine), shared_accumulators(op)
    arrays = [after[1]] if after else _allocated(conversion, shared, targets)
    places = [] if targets[0].row else _own_positions(conversion, op)
    order = [*places, *(number for number in range(len(own)) if number not in places)]
    own = [own[number] for number in order]
    source = Computed(conversion, op, [op.indices[number] for number in order])
    loop = _Loop(conversion, op, own, targets, source, shared, continues=bool(after))
    if places:
        loop.run_at_indices(arrays[0], len(places))
    else:
        accumulated(
            conversion,
            op,
            own,
            lambda: loop.start(arrays),
            lambda at: loop.run_at(arrays, at),
            lambda: _run(loop, arrays),
        )
    results = [
        conversion.load(array.at([conversion.index(0)])) if target.is_scalar else array
        for target, array in zip(targets, arrays, strict=True)
    ]
    conversion.bind(after[0].result if after else op.result, results)


def _run(loop: _Loop, arrays: Sequence[Array]) -> None:
    """Combine all values: in order, or in parts on threads if there are many for few elements."""
    c = loop.c
    if _may_run_in_parts(c, loop.op):
        c.choose(
            _is_long(c, loop.own, [arrays[number] for number in loop.owners]),
            lambda: loop.run_in_parts(arrays),
            lambda: _run_in_order(loop, arrays),
        )
    else:
        loop.run(arrays, c.index(0), loop.own[0])


def _allocated(
    conversion: Conversion, shared: Shared, targets: Sequence[_Target]
) -> Sequence[Array]:
    """The memory of each accumulator; what is read of those that share it is the identity."""
    for number, (_, read) in shared.items():
        conversion.bind(read.result, [targets[number].start])
        conversion.omit(read)
    return _per_target(targets, shared, lambda target: target.allocate(conversion))


def _per_target(
    targets: Sequence[_Target], shared: Shared, allocate: Callable[[_Target], Array]
) -> Sequence[Array]:
    """An array for each accumulator, which some share."""
    arrays = list[Array]()
    for number, target in enumerate(targets):
        arrays.append(arrays[shared[number][0]] if number in shared else allocate(target))
    return arrays


def _may_run_in_parts(conversion: Conversion, op: phi.AccumulateOp) -> bool:
    """Whether a body has no effect, and no loop around it may be one of threads."""
    outer = [each for each in around(op) if each is not op]
    return op not in conversion.ordered and not any(
        isinstance(each, phi.ComprehensionOp) for each in outer
    )


def _own_positions(conversion: Conversion, op: phi.AccumulateOp) -> list[int]:
    """The numbers of the indices that are the positions of the only accumulator, each once and over
    its axis; none if another position is, or if the body has effects.
    """
    accumulator, *others = op.accumulators
    if others or op in conversion.ordered or conversion.is_speculative:
        return []
    indices, fields = list[SSAValue](op.indices), leaf_values(op.yielded())[: accumulator.rank]
    found = [indices.index(index) for index in map(phi.uncast, fields) if index in indices]
    axes = zip(found, accumulator.extents, strict=False)
    is_whole = all(conversion.sizes.same(extent, op.sizes[number]) for number, extent in axes)
    return found if is_whole and len(set(found)) == accumulator.rank else []


def _is_long(conversion: Conversion, own: Sequence[SSAValue], arrays: Sequence[Array]) -> SSAValue:
    """Whether there are many values, many for each element, and at least one for each part."""
    c = conversion
    elements = c.index(0)
    for array in arrays:
        elements = c.value_of(arith.AddiOp(elements, _product(c, array.sizes)))
    count = _product(c, own)
    wanted = c.value_of(arith.MuliOp(elements, c.index(FEWER)))
    is_long = c.compare(own[0], c.index(PARTS), "sge")
    for least in (c.index(LONG), wanted):
        is_long = c.value_of(arith.AndIOp(is_long, c.compare(count, least, "sge")))
    return is_long


def _product(conversion: Conversion, sizes: Sequence[SSAValue]) -> SSAValue:
    result, *others = sizes
    for size in others:
        result = conversion.value_of(arith.MuliOp(result, size))
    return result


def _run_in_order(loop: _Loop, arrays: Sequence[Array]) -> None:
    """Run a loop over all values in order; a body that is much work runs in blocks, on threads."""
    light = LIGHT * len(set(leaf_values(loop.op.yielded())))
    if total_cost(loop.op.body.block.ops) <= light:
        loop.run(arrays, loop.c.index(0), loop.own[0])
    else:
        _run_in_blocks(loop, arrays)


def _run_in_blocks(loop: _Loop, arrays: Sequence[Array]) -> None:
    """For each block of the first index, compute all positions and values, then combine them."""
    c, (size, *inner) = loop.c, loop.own
    one = c.index(1)
    steps = c.value_of(arith.MaxSIOp(_product(c, [*inner, one]), one))
    rows = c.value_of(arith.MinSIOp(c.value_of(arith.DivUIOp(c.index(BLOCK), steps)), size))
    rows = c.value_of(arith.MaxSIOp(rows, one))
    values = {each.value_leaf: each.target.row for each in loop.places}
    source = Stored(c, loop.op, [rows, *inner], values)
    loop.start(arrays)
    ordered = loop.copied(source, continues=True)

    def block(number: SSAValue, _: Sequence[SSAValue]) -> Sequence[SSAValue]:
        low = c.value_of(arith.MuliOp(number, rows))
        high = c.value_of(arith.MinSIOp(c.value_of(arith.AddiOp(low, rows)), size))
        source.compute(low, high)
        ordered.run(arrays, low, high)
        return ()

    last = c.value_of(arith.SubiOp(rows, one))
    count = c.value_of(arith.DivUIOp(c.value_of(arith.AddiOp(size, last)), rows))
    c.sequential(count, [], block)


@dataclass(frozen=True)
class _Target:
    """An accumulator: the elements that it combines values into."""

    combine: type[Operation]
    neutral: IntegerAttr | FloatAttr
    start: SSAValue
    """The identity, as a value."""
    type: Attribute
    extents: Sequence[SSAValue]
    row: Sequence[SSAValue]
    """The sizes of a value that is an array."""
    result: SSAValue
    leaf: int
    """The number of its field of the result."""
    sizes: Sequence[SSAValue]
    """The sizes of its buffer; that of one scalar has one element."""

    @property
    def is_scalar(self) -> bool:
        """Whether the result is a scalar."""
        return not self.extents and not self.row

    def allocate(self, conversion: Conversion) -> Array:
        """The memory of the result."""
        if self.is_scalar:
            return conversion.allocate(self.type, self.sizes)
        return conversion.target(self.result, self.leaf, self.type, self.sizes)


def _target(
    conversion: Conversion, op: phi.AccumulateOp, number: int, extents: Sequence[SSAValue]
) -> _Target:
    """An accumulator of an operation; the sizes of its values are computed before the loop."""
    accumulator = op.accumulators[number]
    yielded = op.yielded()
    leaf = fields_at(yielded.type, (*accumulator.path, accumulator.rank))[0]
    type_ = leaf_types(yielded.type)[leaf]
    row = [conversion.size_of(yielded, leaf, axis) for axis in range(phi.rank_of(type_))]
    scalar = phi.scalar_of(type_)
    name = combination(accumulator.kind, scalar)
    assert name is not None
    neutral = identity(name, scalar)
    assert neutral is not None
    start = conversion.constant(neutral)
    sizes = [*extents, *row] or [conversion.index(1)]
    return _Target(OPERATIONS[name], neutral, start, scalar, extents, row, op.result, number, sizes)


def _is_selected(value: SSAValue, target: _Target) -> bool:
    """Whether a value is ``where(t, x, identity)``."""
    select = value.owner
    return isinstance(select, arith.SelectOp) and is_neutral(select.rhs, target.neutral)


@dataclass(frozen=True)
class _Place:
    """The fields of the yielded value that belong to an accumulator."""

    target: _Target
    positions: Sequence[int]
    values: Sequence[SSAValue]
    """The positions in phi, to prove that they are in bounds; empty if they are not known."""
    extents: Sequence[SSAValue]
    """The sizes of their axes in phi."""
    value_leaf: int
    is_selected: bool
    """Whether a value is the identity unless a condition holds."""


class _Loop:
    """Emits the loops of an accumulation."""

    def __init__(
        self,
        conversion: Conversion,
        op: phi.AccumulateOp,
        own: Sequence[SSAValue],
        targets: Sequence[_Target],
        source: Source,
        shared: Shared,
        *,
        continues: bool,
    ):
        self.c, self.op, self.own, self.targets, self.source = conversion, op, own, targets, source
        self._shared = shared
        self.continues = continues
        """Whether arrays have elements already, which values are combined with."""
        self.owners = [number for number in range(len(targets)) if number not in shared]
        """The accumulators that share no memory with an earlier one."""
        values, self.places = leaf_values(op.yielded()), list[_Place]()
        if len(values) != len(leaf_types(op.yielded().type)):
            values = list[SSAValue]()
        for target, each in zip(targets, op.accumulators, strict=True):
            *positions, value = fields_at(op.yielded().type, each.path)
            found = [values[number] for number in positions] if values else []
            is_selected = bool(values) and _is_selected(values[value], target)
            self.places.append(_Place(target, positions, found, each.extents, value, is_selected))

    def copied(self, source: Source, *, continues: bool) -> _Loop:
        """The loop with other sources of values."""
        return _Loop(
            self.c, self.op, self.own, self.targets, source, self._shared, continues=continues
        )

    def start(self, arrays: Sequence[Array]) -> None:
        """Fill fresh elements with the identity."""
        if not self.continues:
            for number in self.owners:
                self.c.fill(arrays[number], self.targets[number].start)

    def run(self, arrays: Sequence[Array], low: SSAValue, high: SSAValue) -> None:
        """Combine the values in a range of the first index into elements, fresh by default."""
        self.start(arrays)
        if len(self.places) > 1:
            self._nest(0, len(self.own), (low, high), (), lambda at: self._add_all(arrays, at))
        elif self.targets[0].row:
            self._nest(0, len(self.own), (low, high), (), lambda at: self._add_row(arrays[0], at))
        else:
            self._run_one(arrays[0], low, high)

    def _nest(
        self,
        depth: int,
        last: int,
        range_: tuple[SSAValue, SSAValue],
        at: tuple[SSAValue, ...],
        body: Callable[[tuple[SSAValue, ...]], None],
    ) -> None:
        """Loops over the indices up to one of them, with all that depends on these.

        The values of the only accumulator are dropped as far out as its positions are known, or a
        condition without which all of them are the identity.
        """
        self.source.enter(depth, at)
        (place, *others) = self.places
        known = [k for k in place.positions if self.source.depth(k) == depth and not others]
        tests = [] if others or depth == len(self.own) else self._tests(place, depth)
        self._when_inside(
            place, known, at, lambda: self._deeper(depth, last, range_, at, body), tests
        )

    def _tests(self, place: _Place, depth: int) -> list[SSAValue]:
        """The conditions at some indices that all values inside of other loops need.

        Elements that a loop goes on with may be -0.0, which a sum with 0.0 is not.
        """
        leaves = [leaf for leaf in place.positions if self.source.is_optional(leaf)]
        if place.is_selected and not self.continues:
            leaves.append(place.value_leaf)
        conditions = (each for leaf in leaves for each in self.source.tests(leaf, depth))
        return [
            value for each in conditions if isinstance(value := self.c.leaves(each)[0], SSAValue)
        ]

    def _deeper(
        self,
        depth: int,
        last: int,
        range_: tuple[SSAValue, SSAValue],
        at: tuple[SSAValue, ...],
        body: Callable[[tuple[SSAValue, ...]], None],
    ) -> None:
        if depth == last:
            body(at)
            return

        def step(k: SSAValue, _: Sequence[SSAValue]) -> Sequence[SSAValue]:
            self._nest(depth + 1, last, range_, (*at, self._index(depth, k, range_)), body)
            return ()

        self.c.sequential(self._count(depth, range_), [], step)

    def _count(self, depth: int, range_: tuple[SSAValue, SSAValue]) -> SSAValue:
        if depth > 0 or range_[0] is self.c.index(0):
            return self.own[depth] if depth > 0 else range_[1]
        return self.c.value_of(arith.SubiOp(range_[1], range_[0]))

    def _index(self, depth: int, k: SSAValue, range_: tuple[SSAValue, SSAValue]) -> SSAValue:
        if depth > 0 or range_[0] is self.c.index(0):
            return k
        return self.c.value_of(arith.AddiOp(range_[0], k))

    def _run_one(self, array: Array, low: SSAValue, high: SSAValue) -> None:
        """Loops that carry an element over the indices that its positions do not vary with."""
        (place,) = self.places
        depth = max((self.source.depth(each) for each in place.positions), default=0)
        c, range_ = self.c, (low, high)

        def add(at: tuple[SSAValue, ...]) -> None:
            element = array.at(self._positions(place.positions, at) or [c.index(0)])
            c.store(self._total_of(at, c.load(element), range_), element)

        self._nest(0, depth, range_, (), add)

    def run_at(self, arrays: Sequence[Array], at: Sequence[SSAValue]) -> None:
        """Combine the values at some indices into elements, in loops of other counters."""
        for depth in range(len(self.own) + 1):
            self.source.enter(depth, at)
        self._add_all(arrays, tuple(at))

    def run_at_indices(self, array: Array, depth: int) -> None:
        """Parallel loops over the first indices, the positions of the only accumulator in order."""
        c, (target,) = self.c, self.targets
        self.source.enter(0, ())

        def element(at: Sequence[SSAValue]) -> None:
            for level in range(1, depth + 1):
                self.source.enter(level, at)
            old = c.load(array.at(at)) if self.continues else target.start
            c.store(self._total_of(tuple(at), old, (c.index(0), self.own[0])), array.at(at))

        c.parallel(self.own[:depth], element)

    def _total_of(
        self, at: tuple[SSAValue, ...], old: SSAValue, range_: tuple[SSAValue, SSAValue]
    ) -> SSAValue:
        """An element combined with the values at some indices, by loops over the inner ones."""
        level = len(at)
        if level == len(self.own):
            value = self.source.leaf(self.places[0].value_leaf, at)
            assert isinstance(value, SSAValue)
            return self._combined(self.targets[0], old, value)

        def step(k: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            deeper = (*at, self._index(level, k, range_))
            self.source.enter(level + 1, deeper)
            return [self._total_of(deeper, carried[0], range_)]

        (result,) = self.c.sequential(self._count(level, range_), [old], step)
        relax_loop(result)
        return result

    def _add_row(self, array: Array, at: tuple[SSAValue, ...]) -> None:
        """Combine the array at some indices into the row at its positions."""
        (place,) = self.places
        value = self.source.leaf(place.value_leaf, at)
        self._add(place.target, value, array.at(self._positions(place.positions, at)))

    def _add_all(self, arrays: Sequence[Array], at: tuple[SSAValue, ...]) -> None:
        """Combine the values at some indices into the elements at their positions."""
        for place, array in zip(self.places, arrays, strict=True):
            positions = self._positions(place.positions, at)
            element = array.at(positions or ([] if place.target.row else [self.c.index(0)]))
            value = self.source.leaf(place.value_leaf, at)
            self._when_inside(
                place,
                place.positions,
                at,
                lambda t=place.target, v=value, e=element: self._add(t, v, e),
            )

    def _add(self, target: _Target, value: Leaf, element: Array) -> None:
        """Combine a value, or each element of one that is an array, into elements."""
        if isinstance(value, SSAValue):
            self.c.store(self._combined(target, self.c.load(element), value), element)
            return
        self.c.nest(
            list(target.row),
            lambda at: self._add(target, self.c.load(value.at(at)), element.at(at)),
        )

    def _combined(self, target: _Target, old: SSAValue, value: SSAValue) -> SSAValue:
        return self.c.value_of(target.combine(old, value))  # pyright: ignore[reportCallIssue]

    def _positions(self, leaves: Sequence[int], at: tuple[SSAValue, ...]) -> list[SSAValue]:
        found = list[SSAValue]()
        for number in leaves:
            position = self.source.leaf(number, at)
            assert isinstance(position, SSAValue)
            found.append(self.c.cast(position, INDEX))
        return found

    def _when_inside(
        self,
        place: _Place,
        leaves: Sequence[int],
        at: tuple[SSAValue, ...],
        body: Callable[[], None],
        tests: Sequence[SSAValue] = (),
    ) -> None:
        """Emit operations that run if some positions are in bounds, and tests hold."""
        c, inside = self.c, list(tests)
        for leaf in leaves:
            number = place.positions.index(leaf)
            if not self._is_inside(place, number):
                (position,) = self._positions([leaf], at)
                inside.append(c.compare(position, place.target.extents[number], "ult"))
        if not inside:
            body()
            return
        condition, *others = inside
        for other in others:
            condition = c.value_of(arith.AndIOp(condition, other))
        c.when(condition, body)

    def _is_inside(self, place: _Place, number: int) -> bool:
        """Whether a position is provably in bounds."""
        if not place.values:
            return False
        position, c = place.values[number], self.c
        return c.is_above(position) and c.is_less(position, place.extents[number])

    def run_in_parts(self, arrays: Sequence[Array]) -> None:
        """Run ranges of the first index at once, then combine their elements in order."""
        c, size = self.c, self.own[0]
        parts = c.index(PARTS)

        def allocate(target: _Target) -> Array:
            return c.allocate(target.type, [parts, *target.sizes])

        results = _per_target(self.targets, self._shared, allocate)

        def start(part: SSAValue) -> SSAValue:
            return c.value_of(arith.DivUIOp(c.value_of(arith.MuliOp(part, size)), parts))

        fresh = self.copied(self.source, continues=False)

        def run(at: Sequence[SSAValue]) -> None:
            following = c.value_of(arith.AddiOp(at[0], c.index(1)))
            fresh.run([each.at(at) for each in results], start(at[0]), start(following))

        c.parallel([parts], run)
        for number in self.owners:
            self._total(self.targets[number], arrays[number], results[number], parts)

    def _total(self, target: _Target, array: Array, parts: Array, count: SSAValue) -> None:
        """Combine the elements of parts in order."""
        c = self.c

        def total(at: Sequence[SSAValue]) -> None:
            def step(part: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
                return [self._combined(target, carried[0], c.load(parts.at([part, *at])))]

            before = c.load(array.at(at)) if self.continues else target.start
            c.store(c.sequential(count, [before], step)[0], array.at(at))

        c.parallel(list(target.sizes), total)
