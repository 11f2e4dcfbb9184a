"""The class of a fold over an array, by its writes and reads: its form without the loop."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field

from xdsl.dialects import arith
from xdsl.dialects.builtin import TupleType
from xdsl.ir import Block, Operation, SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.loops.combinations import (
    Combined,
    Later,
    Link,
    Reset,
    combination_by,
    links_of,
    may_be_grouped,
    reset_of,
)
from ein_mlir.analysis.phi.loops.dependence import Dependences, Distances, Walk
from ein_mlir.analysis.phi.loops.writes import Write, readers_of, writes_of
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence, Term
from ein_mlir.analysis.scopes import dependents, dependents_among, operations_in
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass


@dataclass(frozen=True)
class Element:
    """All steps write the element, or row, at the same positions, and read no other."""

    write: Write

    def __str__(self) -> str:
        return "a fold of one element"


@dataclass(frozen=True)
class Comprehension:
    """Each element is written at most once, from values that no step has written before.

    Only some reads, all of one element or row, depend on whether its step has come.
    """

    write: Write
    walk: Walk
    meeting: Meeting | None = None

    def __str__(self) -> str:
        parts = ", in two parts" if self.meeting else ""
        return f"a comprehension, by steps of {self.walk.stride}{parts}"


@dataclass(frozen=True)
class Meeting:
    """The reads of an element, or row, that the same step writes for all of them."""

    reads: Sequence[phi.GetOp]
    step: LinearForm
    """That step, if there is such a step."""


@dataclass(frozen=True)
class Recurrence:
    """Each element is written at most once, from that of ``distance`` steps before."""

    write: Write
    walk: Walk
    distance: int
    step: Combined
    """The combination of that element with values of the step."""
    first: Later = field(default_factory=Later)
    """The choices ``where(k > 0, e, f)`` of values that depend on that element."""

    @property
    def parts(self) -> list[SSAValue]:
        """The values of a step that its element depends on."""
        return [*self.step.parts, *(first for _, first in self.first.values())]

    def __str__(self) -> str:
        kinds = ", ".join(link.kind for link in self.step.links)
        after = ", after the first" if self.first else ""
        after += ", with resets" if isinstance(self.step, Reset) else ""
        return f"a recurrence over {self.distance} steps of {self.walk.stride}: {kinds}{after}"


@dataclass(frozen=True)
class Accumulation:
    """Links combine values with the elements at positions that may meet."""

    write: Write
    links: Sequence[Link]

    def __str__(self) -> str:
        return f"an accumulation: {', '.join(link.kind for link in self.links)}"


@dataclass(frozen=True)
class Scatter:
    """Values that depend on no element are written at positions that may meet: the last stays."""

    write: Write

    def __str__(self) -> str:
        return "a scatter"


@dataclass(frozen=True)
class Overlay:
    """Several writes of values that depend on no element: the last one of all stays."""

    writes: Sequence[Write]

    def __str__(self) -> str:
        return f"an overlay of {len(self.writes)} scatters"


Summary = Element | Comprehension | Recurrence | Accumulation | Scatter | Overlay


@dataclass(frozen=True)
class Part:
    """A write of a step that a fold of its own may do."""

    write: Write
    reads_initial: bool
    """Whether its values depend on initial elements only."""


class Summaries:
    """Classifies folds, given the facts about the sizes and Ints of a function."""

    def __init__(self, forms: IndexForms, sizes: SizeEquivalence):
        self._forms = forms
        self._sizes = sizes

    def of(self, op: phi.FoldOp) -> Summary | None:
        """The class of a fold over an array; None if it is a loop."""
        writes = writes_of(op)
        if not writes or not all(self._keeps_sizes(op, write) for write in writes):
            return None
        if len(writes) > 1:
            return _overlay(op, writes)
        return _Classification(op, writes[0], self._forms).summary()

    def order(self, op: phi.FoldOp, *, exchanges: bool = True) -> list[Part] | None:
        """The writes of a fold in the order of folds for each that have the same result.

        With ``exchanges`` they may read initial elements that others of them write. None if there
        is one write only, or no such order.
        """
        writes = writes_of(op)
        if writes is None or len(writes) < 2:
            return None
        return _Distribution(op, writes, self._forms, exchanges=exchanges).order()

    def _keeps_sizes(self, op: phi.FoldOp, write: Write) -> bool:
        """Whether rows provably have the sizes of the rows that they replace."""
        own = () if write.around is None else tuple(write.around.sizes)
        value = write.update.value
        return (
            not isa(phi.scalar_of(value.type), TupleType)
            and self._sizes.are_of(op.init, own)
            and all(
                self._sizes.same(Term(value, (), axis), Term(op.init, (), write.depth + axis))
                for axis in range(phi.rank_of(value.type))
            )
        )


def _overlay(op: phi.FoldOp, writes: Sequence[Write]) -> Overlay | None:
    """The overlay of writes of scalars at equally many positions, if no step reads an element."""
    varying = dependents(op.body.block, op.accumulator)
    is_plain = all(
        write.around is None
        and write.depth == phi.rank_of(op.result.type)
        and varying.isdisjoint(write.parts)
        for write in writes
    )
    return Overlay(writes) if is_plain else None


class _Classification:
    """The classification of a fold with one write."""

    def __init__(self, op: phi.FoldOp, write: Write, forms: IndexForms):
        self._op = op
        self._write = write
        self._forms = forms
        self._dependences = Dependences(op, forms)

    def _reads(self) -> list[phi.GetOp] | None:
        """The reads of elements in a step; None if it depends on the array in another way."""
        op, write = self._op, self._write
        readers = list(readers_of(op, [write]))
        if not dependents(op.body.block, op.accumulator).isdisjoint(write.positions):
            return None
        reads = [reader for reader in readers if isinstance(reader, phi.GetOp)]
        is_deep = all(len(read.positions) >= write.depth for read in reads)
        return reads if is_deep and len(reads) == len(readers) else None

    def summary(self) -> Summary | None:
        write, reads = self._write, self._reads()
        if reads is None:
            return None
        if write.around is None and all(map(self._dependences.is_fixed, write.positions)):
            is_own = all(self._is_own(read) for read in reads)
            return Element(write) if is_own else None
        walk = self._dependences.walk(write.positions, write.indices)
        return self._scattered(reads) if walk is None else self._walked(walk, reads)

    def _is_own(self, read: phi.GetOp) -> bool:
        """Whether a read is of the element, or row, that the step writes."""
        depth = self._write.depth
        return self._dependences.same(read.positions[:depth], self._write.variables[:depth])

    def _scattered(self, reads: Sequence[phi.GetOp]) -> Summary | None:
        if not reads:
            return Scatter(self._write)
        links = links_from(self._dependences, self._write, reads, self._write.variables)
        if not links or len({link.kind for link in links}) != 1 or not may_be_grouped(links):
            return None
        return Accumulation(self._write, links)

    def _walked(self, walk: Walk, reads: Sequence[phi.GetOp]) -> Summary | None:
        before = self._write.positions[: walk.number]
        if not all(map(self._dependences.is_fixed, before)):
            return self._scattered(reads)
        lagging = list[phi.GetOp]()
        distances = set[int | None]()
        for read in reads:
            found = self._distances(read)
            if found.may_be_positive:
                lagging.append(read)
                distances.add(found.only)
        if not lagging:
            return Comprehension(self._write, walk)
        (distance,) = distances if len(distances) == 1 else (None,)
        if distance is None:
            meeting = self._meeting(lagging, walk)
            return meeting and Comprehension(self._write, walk, meeting)
        if self._write.tests or not all(self._is_along(read, walk) for read in lagging):
            return None
        first = self._after_first(lagging) if distance == 1 else Later()
        step = self._step(lagging, first, may_reset=not first and distance == 1)
        return step and Recurrence(self._write, walk, distance, step, first)

    def _meeting(self, reads: Sequence[phi.GetOp], walk: Walk) -> Meeting | None:
        """The step that writes the element, or row, that all of some reads are of, if it is one."""
        first, depth = len(self._write.indices), self._write.depth
        place = reads[0].positions[:depth]
        if (
            any(phi.rank_of(read.result.type) for read in reads)
            or not all(
                self._dependences.same(read.positions[first:depth], place[first:]) for read in reads
            )
            or not self._is_along(reads[0], walk)
        ):
            return None
        axis = first + walk.number
        size = self._forms.size(self._op.init, axis)
        step = self._dependences.step_at(walk, place[axis], size)
        return step and Meeting(reads, step)

    def _step(
        self, lagging: Sequence[phi.GetOp], first: Later, *, may_reset: bool
    ) -> Combined | None:
        """The combination of a lagging element with values of the step."""
        variables, element = _moved(lagging[0], self._write), self._write.element
        links = links_from(self._dependences, self._write, lagging, variables, first)
        if links:
            return combination_by(links)
        block = self._write.update.parent
        if element is None or block is None or self._write.row is not None or not may_reset:
            return None
        if not _are_of(self._dependences, lagging, variables, block):
            return None
        return reset_of(element, [read.result for read in lagging], block)

    def _after_first(self, lagging: Sequence[phi.GetOp]) -> Later:
        """The choices ``where(k > 0, e, f)``, where e depends on a lagging element, as e and f."""
        found = Later()
        block = lagging[0].parent
        varying = dependents_among(block.ops if block else (), *(read.result for read in lagging))
        for select in (value.owner for value in varying):
            if isinstance(select, arith.SelectOp):
                match self._dependences.truth_by_step(select.cond):
                    case (False, True) if select.rhs not in varying:
                        found[select.result] = select.lhs, select.rhs
                    case (True, False) if select.lhs not in varying:
                        found[select.result] = select.rhs, select.lhs
                    case _:
                        pass
        return found

    def _is_along(self, read: phi.GetOp, walk: Walk) -> bool:
        """Whether a read is of the same elements as the write, except for the walk."""
        first = len(self._write.indices)
        read_at = list(read.positions[first : self._write.depth])
        pairs = list(zip(read_at, self._write.positions, strict=True))
        del pairs[walk.number]
        return all(
            self._dependences.is_fixed(q) and self._dependences.same([p], [q]) for p, q in pairs
        )

    def _distances(self, read: phi.GetOp) -> Distances:
        """The steps from a write to a read of the same element."""
        depth = self._write.depth
        sizes = [self._forms.size(self._op.init, axis) for axis in range(depth)]
        return self._dependences.distances(
            self._write.variables[:depth], read.positions[:depth], sizes=sizes
        )


def links_from(
    dependences: Dependences,
    write: Write,
    reads: Sequence[phi.GetOp],
    variables: Sequence[SSAValue],
    first: Later | None = None,
) -> list[Link] | None:
    """The links to a written element from the reads of the element at given variables.

    None if a test of the write depends on that element: its steps depend on each other.
    """
    element = write.element
    block = write.update.parent if write.row is None else write.row.body.block
    if element is None or block is None:
        return None
    if not _are_of(dependences, reads, variables, block):
        return None
    before = [read.result for read in reads]
    if not dependents(block, *before).isdisjoint(test.condition for test in write.tests):
        return None
    return links_of(element, before, block, first)


def _are_of(
    dependences: Dependences,
    reads: Sequence[phi.GetOp],
    variables: Sequence[SSAValue],
    block: Block,
) -> bool:
    """Whether reads in a block are all of the element at given variables."""
    return all(
        len(read.positions) == len(variables)
        and read.parent is block
        and dependences.same(read.positions, variables)
        for read in reads
    )


def _moved(read: phi.GetOp, write: Write) -> list[SSAValue]:
    """The variables of the written element, at the positions that a read has instead."""
    first, own = len(write.indices), write.variables
    return [*own[:first], *read.positions[first : write.depth], *own[write.depth :]]


class _Distribution:
    """The order of folds for the writes of a step.

    A fold for each write is legal if all accesses of an element come in the order of the steps,
    without reads of initial elements.
    """

    def __init__(
        self, op: phi.FoldOp, writes: Sequence[Write], forms: IndexForms, *, exchanges: bool
    ):
        self._op = op
        self._writes = writes
        self._forms = forms
        self._dependences = Dependences(op, forms)
        self._levels = {write.base: level for level, write in enumerate(writes)}
        """The number of writes of the step that each array has."""
        self._levels[writes[-1].result] = len(writes)
        self._reads = [list(self._readers(write)) for write in writes]
        self._initial = [exchanges and self._reads_initial(k) for k in range(len(writes))]

    def order(self) -> list[Part] | None:
        """The writes in an order that keeps all dependences; None if there is none."""
        varying = dependents(self._op.body.block, self._op.accumulator)
        if any(not varying.isdisjoint(write.positions) for write in self._writes):
            return None
        readers = (reader for readers in self._reads for reader in readers)
        if not all(isinstance(reader, phi.GetOp | phi.SizeOp) for reader in readers):
            return None
        if self._are_accumulations():
            return [Part(write, reads_initial=False) for write in self._writes]
        left, found = list(range(len(self._writes))), list[Part]()
        while left:
            ready = (a for a in left if all(self._may_precede(a, b) for b in left if b != a))
            first = next(ready, None)
            if first is None:
                return None
            left.remove(first)
            found.append(Part(self._writes[first], self._initial[first]))
        return found

    def _readers(self, write: Write) -> Iterator[Operation]:
        """The operations of a write that read elements of the carried array."""
        block, seen, pending = self._op.body.block, set[Operation](), list(write.parts)
        while pending:
            value = pending.pop()
            owner = value.owner
            if value in self._levels or not isinstance(owner, Operation):
                continue
            while owner is not None and owner.parent is not block:
                owner = owner.parent_op()
            if owner is None or owner in seen:
                continue
            seen.add(owner)
            for inner in operations_in(owner):
                pending.extend(inner.operands)
                is_own = inner in (write.update, write.update.array.owner)
                if not is_own and not self._levels.keys().isdisjoint(inner.operands):
                    yield inner

    def _are_accumulations(self) -> bool:
        """Whether all writes combine values with their own elements, by operations of one kind."""
        kinds = set[str]()
        for write, readers in zip(self._writes, self._reads, strict=True):
            reads = [reader for reader in readers if isinstance(reader, phi.GetOp)]
            if not reads or any(read.array is not write.base for read in reads):
                return False
            links = links_from(self._dependences, write, reads, write.variables)
            if not links:
                return False
            kinds.update(link.kind for link in links)
        return len(kinds) == 1

    def _may_precede(self, a: int, b: int) -> bool:
        """Whether all steps of write ``a`` may come before those of write ``b``."""
        first, second = self._writes[a], self._writes[b]
        met = self._dependences.distances(self._place(first), self._place(second), sizes=None)
        if met.may_be_negative or (a > b and met.may_be_zero):
            return False
        for read in () if self._initial[b] else self._gets(b):
            met = self._met(first, second, read)
            if met.may_be_negative or (self._levels[read.array] <= a and met.may_be_zero):
                return False
        for read in () if self._initial[a] else self._gets(a):
            met = self._met(second, first, read)
            if met.may_be_positive or (self._levels[read.array] > b and met.may_be_zero):
                return False
        return True

    def _reads_initial(self, number: int) -> bool:
        """Whether no read of a write is of an element that was written before it."""
        own = self._writes[number]
        return not any(
            met.may_be_positive or (self._levels[read.array] > k and met.may_be_zero)
            for read in self._gets(number)
            for k, write in enumerate(self._writes)
            for met in [self._met(write, own, read, strictly=write is not own)]
        )

    def _gets(self, number: int) -> list[phi.GetOp]:
        return [reader for reader in self._reads[number] if isinstance(reader, phi.GetOp)]

    def _place(self, write: Write) -> list[SSAValue]:
        return write.variables[: write.depth]

    def _met(
        self, write: Write, reader: Write, read: phi.GetOp, *, strictly: bool = True
    ) -> Distances:
        """The distances from one write to a read that another write needs.

        With ``strictly`` also where the reader has an effect and the write has none.
        """
        place, positions = self._place(write), list(read.positions)
        own = self._place(reader)
        if len(positions) >= len(own) and self._dependences.same(positions[: len(own)], own):
            return self._dependences.distances(place, own, sizes=None)
        sizes = [self._forms.size(self._op.init, axis) for axis in range(len(positions))]
        return self._dependences.distances(place, positions, sizes=sizes, strictly=strictly)
