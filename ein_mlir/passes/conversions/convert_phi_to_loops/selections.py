"""The rules for the first elements in order: one pass over the elements, with a heap.

A heap of ``count`` entries, elements with their positions, has the worst one first. An element that
is better replaces it. Long vectors are searched in `PARTS` ranges with a heap each, whose entries
then go through one heap. Entries are ordered by element and position, so the result does not depend
on the ranges. An entry that no element replaces has the size of the vector as its position.

The elements of ``phi.top_k`` are those that a search finds. Of a sorted vector only the first may
be read: then the entries are its keys, all of which are found, in the order of `sorting`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import Float32Type, Float64Type, i1, i64
from xdsl.ir import Block, Region, SSAValue

from ein_mlir.dialects import phi
from ein_mlir.dialects.reductions import worst
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.conversions.convert_phi_to_loops.conversion import Conversion
from ein_mlir.passes.conversions.convert_phi_to_loops.emission import INDEX
from ein_mlir.passes.conversions.convert_phi_to_loops.values import Array

PARTS = 16
"""The ranges of a long vector."""
LONG = 2**15
"""The elements of a long vector, which has as many in each range as in `PARTS` heaps."""
BLOCK = 128
"""The elements that are compared at once with the worst of the best."""

Entry = tuple[SSAValue, SSAValue]
"""An element and its position."""


def top_k(conversion: Conversion, op: phi.TopKOp) -> None:
    """The positions of the best elements, the best first."""
    (count,) = conversion.loop_sizes(op)
    target = conversion.target(op.result, 0, i64, [count])
    search = _Elements(conversion, op)
    some = conversion.compare(count, conversion.index(0), "sgt")
    conversion.when(some, lambda: search.write(search.first(count), target))
    conversion.bind(op.result, [target])


def first_keys(conversion: Conversion, keys: Array, count: SSAValue) -> Heap:
    """The first of some keys, read as unsigned, and their positions; equal ones in order of these.

    There are at least as many keys, and at least one of them is to be found.
    """
    return _Keys(conversion, keys).first(count)


@dataclass(frozen=True)
class Heap:
    """Entries in memory: that at ``k`` does not precede those at ``2 k + 1`` and ``2 k + 2``.

    The elements at ``values`` have their positions at ``places``.
    """

    values: Array
    places: Array
    size: SSAValue


class _Search(ABC):
    """Emits the search for the best of some elements."""

    def __init__(self, conversion: Conversion, size: SSAValue, worst: SSAValue):
        self.c = conversion
        self.size = size
        self.worst = worst

    @abstractmethod
    def element(self, k: SSAValue) -> SSAValue:
        """An element."""

    @abstractmethod
    def is_better(self, x: SSAValue, y: SSAValue) -> SSAValue:
        """Whether an element is better than another one."""

    def is_open(self, heap: Heap) -> SSAValue | None:
        """Whether elements that are not better are found, too: if the heap has room for them."""
        return None

    def first(self, count: SSAValue) -> Heap:
        """The best elements in order."""
        heap = self.best(count)
        self.sort(heap)
        return heap

    # Arithmetic

    def add(self, x: SSAValue, y: SSAValue) -> SSAValue:
        return self.c.value_of(arith.AddiOp(x, y))

    def subtract(self, x: SSAValue, y: SSAValue) -> SSAValue:
        return self.c.value_of(arith.SubiOp(x, y))

    def both(self, x: SSAValue, y: SSAValue) -> SSAValue:
        return self.c.value_of(arith.AndIOp(x, y))

    def either(self, x: SSAValue, y: SSAValue) -> SSAValue:
        return self.c.value_of(arith.OrIOp(x, y))

    def choose(self, condition: SSAValue, x: SSAValue, y: SSAValue) -> SSAValue:
        return self.c.value_of(arith.SelectOp(condition, x, y))

    def least(self, x: SSAValue, y: SSAValue) -> SSAValue:
        return self.c.value_of(arith.MinSIOp(x, y))

    # Order

    def precedes(self, x: Entry, y: Entry) -> SSAValue:
        """Whether an entry comes before another one; equal elements are in order of position."""
        is_equal = self.both(
            self.c.value_of(arith.XOrIOp(self.is_better(y[0], x[0]), self.true)),
            self.c.compare(x[1], y[1], "slt"),
        )
        return self.either(self.is_better(x[0], y[0]), is_equal)

    @property
    def true(self) -> SSAValue:
        return self.c.number(1, i1)

    # Heaps

    def entry(self, heap: Heap, k: SSAValue) -> Entry:
        places = self.c.load(heap.places.at([k]))
        return self.c.load(heap.values.at([k])), self.c.cast(places, INDEX)

    def put(self, heap: Heap, k: SSAValue, entry: Entry) -> None:
        self.c.store(entry[0], heap.values.at([k]))
        self.c.store(self.c.cast(entry[1], i64), heap.places.at([k]))

    def sink(self, heap: Heap, entry: Entry, size: SSAValue) -> None:
        """Replace the first entry of some: entries that it precedes move up."""
        c, zero, one = self.c, self.c.index(0), self.c.index(1)
        last = self.subtract(size, one)
        before, after = Block(arg_types=[INDEX]), Block(arg_types=[INDEX, INDEX])
        with c.emitting_into(before):
            at = before.args[0]
            left = self.add(self.add(at, at), one)
            has_child = c.compare(left, size, "slt")
            left = self.choose(has_child, left, zero)
            right = self.least(self.add(left, one), last)
            is_right = self.precedes(self.entry(heap, left), self.entry(heap, right))
            child = self.choose(is_right, right, left)
            goes_on = self.both(has_child, self.precedes(entry, self.entry(heap, child)))
            c.emit(scf.ConditionOp(goes_on, at, child))
        with c.emitting_into(after):
            self.put(heap, after.args[0], self.entry(heap, after.args[1]))
            c.emit(scf.YieldOp(after.args[1]))
        loop = c.emit(scf.WhileOp([zero], [INDEX, INDEX], Region(before), Region(after)))
        self.put(heap, loop.results[0], entry)

    def sort(self, heap: Heap) -> None:
        """Put the entries in order: the first one of those that are left becomes the last."""
        c, one = self.c, self.c.index(1)

        def step(k: SSAValue, _: Sequence[SSAValue]) -> tuple[()]:
            last = self.subtract(self.subtract(heap.size, one), k)
            entry, first = self.entry(heap, last), self.entry(heap, c.index(0))
            self.sink(heap, entry, last)
            self.put(heap, last, first)
            return ()

        c.sequential(self.subtract(heap.size, one), [], step)

    # The search

    def best(self, count: SSAValue) -> Heap:
        """The heap of the best elements."""
        c, one = self.c, self.c.index(1)
        is_long = self._is_long(count)
        parts = self.choose(is_long, c.index(PARTS), one)
        values = c.allocate(self.worst.type, [parts, count])
        places = c.allocate(i64, [parts, count])

        def heap(part: SSAValue) -> Heap:
            return Heap(values.at([part]), places.at([part]), count)

        c.parallel([parts], lambda at: self._range(heap(at[0]), at[0], parts))
        first = heap(c.index(0))

        def offer_all(k: SSAValue, _: Sequence[SSAValue]) -> tuple[()]:
            other = heap(self.add(k, one))
            c.sequential(count, [], lambda n, _: self._offer(first, self.entry(other, n)))
            return ()

        def merge() -> None:
            c.sequential(c.index(PARTS - 1), [], offer_all)

        c.when(is_long, merge)
        return first

    def _is_long(self, count: SSAValue) -> SSAValue:
        """Whether the vector is searched in several ranges."""
        c = self.c
        heaps = c.value_of(arith.MuliOp(count, c.index(PARTS * PARTS)))
        return self.both(
            c.compare(self.size, c.index(LONG), "sge"), c.compare(self.size, heaps, "sge")
        )

    def _offer(self, heap: Heap, entry: Entry) -> tuple[()]:
        """Let an entry replace the first one of a heap if it precedes it."""
        first = self.entry(heap, self.c.index(0))
        self.c.when(self.precedes(entry, first), lambda: self.sink(heap, entry, heap.size))
        return ()

    def _range(self, heap: Heap, part: SSAValue, parts: SSAValue) -> None:
        """Search a range: blocks without a better element are passed over."""
        c = self.c
        c.fill(heap.values, self.worst)
        c.fill(heap.places, c.cast(self.size, i64))
        low, high = self._start(part, parts), self._start(self.add(part, c.index(1)), parts)
        block = c.index(BLOCK)
        rounded = self.add(self.subtract(high, low), c.index(BLOCK - 1))
        blocks = c.value_of(arith.DivUIOp(rounded, block))

        def step(k: SSAValue, _: Sequence[SSAValue]) -> tuple[()]:
            start = self.add(low, c.value_of(arith.MuliOp(k, block)))
            self._block(heap, start, self.least(self.subtract(high, start), block))
            return ()

        c.sequential(blocks, [], step)

    def _start(self, part: SSAValue, parts: SSAValue) -> SSAValue:
        product = self.c.value_of(arith.MuliOp(part, self.size))
        return self.c.value_of(arith.DivUIOp(product, parts))

    def _block(self, heap: Heap, start: SSAValue, count: SSAValue) -> None:
        c = self.c
        limit = c.load(heap.values.at([c.index(0)]))

        def some(k: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
            is_better = self.is_better(self.element(self.add(start, k)), limit)
            return [self.either(carried[0], is_better)]

        def step(k: SSAValue, _: Sequence[SSAValue]) -> tuple[()]:
            place = self.add(start, k)
            value, first = self.element(place), c.load(heap.values.at([c.index(0)]))
            is_found, is_open = self.is_better(value, first), self.is_open(heap)
            if is_open is not None:
                is_found = self.either(is_found, is_open)
            c.when(is_found, lambda: self.sink(heap, (value, place), heap.size))
            return ()

        is_open = self.is_open(heap)
        (found,) = c.sequential(count, [c.number(0, i1) if is_open is None else is_open], some)

        def each() -> None:
            c.sequential(count, [], step)

        c.when(found, each)


class _Elements(_Search):
    """The search for elements of a vector, stored or computed as it is searched."""

    def __init__(self, conversion: Conversion, op: phi.TopKOp):
        start = worst(op.predicate.data, phi.scalar_of(op.vec.type))
        assert start is not None
        super().__init__(conversion, conversion.sizes_of(op.vec)[0], conversion.constant(start))
        self._vector = op.vec
        self._predicate = "lt" if op.predicate.data == "<" else "gt"

    def element(self, k: SSAValue) -> SSAValue:
        return self.c.elements([self._vector], [k])[self._vector]

    def is_better(self, x: SSAValue, y: SSAValue) -> SSAValue:
        """Whether an element is better than another one; false for NaN."""
        if isinstance(x.type, Float32Type | Float64Type):
            return self.c.value_of(arith.CmpfOp(x, y, f"o{self._predicate}"))
        return self.c.compare(x, y, f"s{self._predicate}")

    def write(self, heap: Heap, target: Array) -> None:
        """Write the positions; searches would find the first one for those that are left over."""
        c = self.c

        def element(at: Sequence[SSAValue]) -> None:
            place = c.cast(c.load(heap.places.at(at)), INDEX)
            is_left = c.compare(place, self.size, "eq")
            c.store(c.cast(self.choose(is_left, c.index(0), place), i64), target.at(at))

        c.parallel([heap.size], element)


class _Keys(_Search):
    """The search for keys: also for the largest one, with which the heap begins."""

    def __init__(self, conversion: Conversion, keys: Array):
        super().__init__(conversion, keys.sizes[0], conversion.number(-1, i64))
        self._keys = keys

    def element(self, k: SSAValue) -> SSAValue:
        return self.c.load(self._keys.at([k]))

    def is_better(self, x: SSAValue, y: SSAValue) -> SSAValue:
        return self.c.compare(x, y, "ult")

    def is_open(self, heap: Heap) -> SSAValue:
        """Whether an entry is left that no key has replaced: as the last of all it is the first."""
        place = self.c.cast(self.c.load(heap.places.at([self.c.index(0)])), INDEX)
        return self.c.compare(place, self.size, "eq")
