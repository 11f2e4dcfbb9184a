"""``fuse-comprehensions``: elements are computed where they are read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import compress
from math import inf

from xdsl.dialects import arith, func
from xdsl.ir import Block, Operation, SSAValue, Use
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.phi.element_cost import CHEAP, is_profitable, total_cost
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.position_bounds import (
    PositionBounds,
    is_remainder,
    position_bounds,
)
from ein_mlir.analysis.phi.selections import tests_around
from ein_mlir.analysis.phi.speculation import may_fail
from ein_mlir.analysis.phi.strided_positions import is_variable
from ein_mlir.analysis.phi.variables import element_read, is_kept
from ein_mlir.analysis.phi.walks import Walk, differ, walk_of
from ein_mlir.analysis.scopes import (
    ancestors,
    around,
    dependents,
    home_of,
    is_within,
    operations_in,
)
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.integers import is_size
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.insertion import Builder, Emitter
from ein_mlir.rewriting.phi.reductions.searches import reduction_as_fold, search_as_fold

# Reads ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Producer:
    """A comprehension, or one of the fields of its elements."""

    op: phi.ArrayOp
    value: SSAValue
    """The array."""
    element: SSAValue
    """The value in the body that is its element."""

    @property
    def rank(self) -> int:
        return len(self.op.indices)

    def slice(self) -> list[Operation]:
        """The operations of the body that the element depends on."""
        return slice_of(self.op.body.block, [self.element])

    def cost(self, reads: Sequence[phi.GetOp] = ()) -> float:
        """The cost of an element; infinite if it has loops.

        Where loops read all elements in order, what does not vary with each of their counters is
        free: it will be computed before some of them.
        """
        ops, body = self.slice(), self.op.body.block
        if self.rank > 1 and reads and all(self._is_at_counters(read) for read in reads):
            varying = set[SSAValue].intersection(
                *(dependents(body, index) for index in self.op.indices)
            )
            ops = [op for op in ops if op.regions or not varying.isdisjoint(op.results)]
        return total_cost(ops)

    def has_loops(self) -> bool:
        """Whether an element takes a loop."""
        return any(op.regions for op in self.slice())

    def _is_at_counters(self, read: phi.GetOp) -> bool:
        """Whether each position of a read is a counter of its own."""
        positions = list(map(phi.uncast, read.positions[: self.rank]))
        return len({*positions}) == self.rank and all(map(is_variable, positions))

    def sharing(self) -> list[_Producer]:
        """The other fields that are read and need costly operations of the element, too."""
        others = [each for each in _producers(self.op) if each.value is not self.value]
        if not others:
            return []
        own = set(self.slice())
        return [
            each for each in others if each.is_read() and total_cost(own & {*each.slice()}) > CHEAP
        ]

    def is_read(self) -> bool:
        """Whether more than the sizes of the array are needed."""
        return any(not isinstance(use.operation, phi.SizeOp) for use in self.value.uses)


def _producers(op: phi.ArrayOp) -> Iterator[_Producer]:
    """The arrays that a comprehension computes: fields of records, if it yields such."""
    pending: list[tuple[SSAValue, SSAValue]] = [(op.result, op.yielded())]
    while pending:
        value, element = pending.pop()
        if isinstance(value.type, phi.VecType):
            yield _Producer(op, value, element)
        elif isinstance(element.owner, phi.TupleOp):
            for use in value.uses:
                if isinstance(use.operation, phi.ProjOp):
                    number = use.operation.field.value.data
                    pending.append((use.operation.result, element.owner.fields[number]))


def _reads(producer: _Producer) -> list[phi.GetOp] | None:
    """The reads of single elements, if the array has no other use than a search for its best."""
    found = list[phi.GetOp]()
    for use in producer.value.uses:
        op = use.operation
        if isinstance(op, phi.GetOp) and use.index == 0 and len(op.positions) >= producer.rank:
            found.append(op)
        elif not isinstance(op, phi.SizeOp | phi.TopKOp):
            return None
    return found


def _reading_blocks(producer: _Producer) -> set[Block | None]:
    """The blocks that read fields of a comprehension whose elements take loops."""
    fields = [each for each in _producers(producer.op) if each.has_loops()]
    return {read.parent for each in fields for read in _reads(each) or ()}


def _is_repeated(read: phi.GetOp, producer: _Producer) -> bool:
    """Whether a read may be of the same element in several steps of the loops around it.

    It is not if each of their variables is, up to a constant distance, a position of its own. A
    read at a place of an axis that no loop around it changes, such as the last one, is the same in
    all steps of the loop over that axis, and moves out of it.
    """
    positions = list(map(_variable, read.positions[: producer.rank]))
    outer, block = producer.op.parent, read.parent
    loop = next(op for op in around(read) if op.parent is outer)
    places = sum(not is_within(each, loop) for each in positions)
    while block is not outer:
        assert block is not None
        loop = block.parent_op()
        if not isinstance(loop, phi.ComprehensionOp | phi.FoldOp):
            return True
        for counter in loop.counters():
            if counter in positions:
                positions.remove(counter)
            elif places:
                places -= 1
            else:
                return True
        block = loop.parent
    return False


def _walk_around(read: phi.GetOp, producer: _Producer) -> Walk | None:
    """How the comprehension around a read, but not around what it reads, reads arrays."""
    outer = next((op for op in around(read) if isinstance(op, phi.ArrayOp)), None)
    return None if outer is None or outer.is_ancestor(producer.op) else walk_of(outer)


def _variable(position: SSAValue) -> SSAValue:
    """The index or counter in a position ``k``, ``k + c`` or ``c - k``, for a constant c."""
    while True:
        match position.owner:
            case arith.IndexCastOp() as op:
                position = op.input
            case arith.AddiOp() | arith.SubiOp() as op:
                rest = [
                    each for each in op.operands if not isinstance(each.owner, arith.ConstantOp)
                ]
                if len(rest) != 1:
                    return position
                (position,) = rest
            case _:
                return position


# Fusion -----------------------------------------------------------------------------------------


class Fuser:
    """Fuses the comprehensions of a function, each before those that read it."""

    def __init__(self, bounds: PositionBounds):
        self._bounds = bounds

    def fuse(self, producer: _Producer, *, only_once: bool) -> bool:
        """``array (i < n) { e }[p]  -->  e with p for i``, if profitable.

        With ``only_once``, only if each element is read once. Fields of a comprehension with costly
        operations in common stay together, and fields with loops stay if they are read apart: one
        nest computes them for blocks of results.
        """
        together = producer, *producer.sharing()
        if not all(self._is_better_fused(each, only_once) for each in together):
            return False
        if producer.has_loops() and len(_reading_blocks(producer)) > 1:
            return False
        self._fuse(producer, _reads(producer) or ())
        return True

    def fuse_factors(self, producer: _Producer) -> bool:
        """``array (i, j) { u[i] * v[j] }[p, q]  -->  u[p] * v[q]`` in sums of products,
        ``array (i, j) { e(i) }[p, q]  -->  array (i) { e(i) }[p]``, and ``array (i) { e }[p]``
        beside its only read  ``-->  e`` with p for i.
        """
        reads = _reads(producer)
        if not reads or not phi.is_scalar_type(producer.element.type):
            return False
        varied = [index.first_use is not None for index in producer.op.indices]
        is_narrow = all(varied) or not any(varied)
        is_single = len(reads) == 1 and reads[0].parent is producer.op.parent
        is_factor = all(_is_factor_of_sum(read, producer) for read in reads)
        if is_narrow and not is_single and not (is_factor and _is_outer_product(producer)):
            return False
        if not self._is_legal(producer, reads):
            return False
        if not is_narrow:
            producer = _narrowed(producer, varied, self._bounds)
        self._fuse(producer, reads)
        return True

    def _fuse(self, producer: _Producer, reads: Sequence[phi.GetOp]) -> None:
        for size in producer.op.sizes:
            _keep_assertion(size, producer, reads)
        for read in reads:
            self._inline(producer, read)
        _erase_unread(producer)

    def _is_better_fused(self, producer: _Producer, only_once: bool) -> bool:
        """Whether an array may be fused, and its elements are not computed much more often."""
        reads = _reads(producer)
        if not reads or (only_once and len(reads) > 1) or not self._is_legal(producer, reads):
            return False
        searches = sum(isinstance(use.operation, phi.TopKOp) for use in producer.value.uses)
        repeated = not searches and any(_is_repeated(read, producer) for read in reads)
        walk = walk_of(producer.op)
        if walk is not None and any(differ(walk, _walk_around(read, producer)) for read in reads):
            return False
        element = inf if only_once else producer.cost(reads)
        return is_profitable(element, len(reads) + searches, repeated)

    def _is_legal(self, producer: _Producer, reads: Sequence[phi.GetOp]) -> bool:
        """Whether no error is lost, and an element of an empty array is a scalar."""
        op = producer.op
        others = [size for size in op.sizes if not (is_size(size) or self._bounds.is_above(size))]
        if not all(_is_checked(size, op, reads) for size in others):
            return False
        if any(_is_lost(size, producer) and not _equal_size(size, reads) for size in op.sizes):
            return False
        if any(may_fail(inner) for each in producer.slice() for inner in operations_in(each)):
            return False
        is_scalar = phi.is_scalar_type(producer.element.type)
        return is_scalar or all(
            self._bounds.is_nonempty(producer.value, axis, read)
            for read in reads
            for axis in range(producer.rank)
        )

    def _inline(self, producer: _Producer, read: phi.GetOp) -> None:
        """Replace a read by a copy of the element at its positions."""
        emitter = Emitter()
        values = dict[SSAValue, SSAValue]()
        is_empty: SSAValue | None = None
        chosen = self._bounds.where(tests_around(read.result), ())
        for axis, index in enumerate(producer.op.indices):
            position = read.positions[axis]
            if _is_inside(chosen, producer, read, axis):
                values[index] = position
                if not is_remainder(position):
                    continue
            else:
                values[index] = self._clipped(emitter, producer, read, axis, position)
            if not self._bounds.is_nonempty(producer.value, axis, read):
                is_empty = self._is_empty(emitter, producer.op.sizes[axis], is_empty)
        for op in producer.slice():
            emitter.insert_copy(op, values)
        element = values.get(producer.element, producer.element)
        rest = read.positions[producer.rank :]
        if rest:
            element = emitter.get(element, rest)
        if is_empty is not None:
            zero = emitter.number(0, element.type)
            element = emitter.select(is_empty, zero, element)
        for op in emitter.ops:
            op.location = op.location if op.regions else read.location
        Rewriter.insert_op(emitter.ops, InsertPoint.before(read))
        if any(op.regions for op in emitter.ops):
            self._bounds.add(*emitter.ops)
        if element.name_hint is None:
            element.name_hint = read.result.name_hint
        Rewriter.replace_op(read, (), (element,))

    def _clipped(
        self, emitter: Emitter, producer: _Producer, read: phi.GetOp, axis: int, position: SSAValue
    ) -> SSAValue:
        """A position, clipped unless it is in bounds."""
        position = emitter.as_int(position)
        if not self._bounds.is_below(position, producer.value, axis, read):
            one = emitter.integer(1)
            last = emitter.sub(producer.op.sizes[axis], one)
            position = emitter.min(position, last)
        return emitter.max(position, 0)

    def read_through(self, op: phi.UpdateOp) -> bool:
        """``u = update a[i][p], x; array (j) { u[j] }  -->  array (j) { j == p ? x : a[i, j] }``

        For a row that comprehensions alone read, element by element: no row is copied.
        """
        row, reads = op.array.owner, [use.operation for use in op.result.uses]
        if not (
            isinstance(row, phi.GetOp)
            and len(op.positions) == phi.rank_of(row.result.type) == 1
            and all(_reads_in_comprehension(read, op) for read in reads)
            and all(self._is_read_inside(read, op) for read in reads)
        ):
            return False
        for read in reads:
            assert isinstance(read, phi.GetOp)
            emitter = Emitter()
            places = [emitter.as_int(place) for place in (read.positions[0], op.positions[0])]
            kept = emitter.get(row.array, [*row.positions, *read.positions])
            chosen = emitter.select(emitter.compare(places[0], "eq", places[1]), op.value, kept)
            Rewriter.insert_op(emitter.ops, InsertPoint.before(read))
            Rewriter.replace_op(read, (), (chosen,))
        Rewriter.erase_op(op)
        return True

    def _is_read_inside(self, read: Operation, op: phi.UpdateOp) -> bool:
        """Whether a read of a row is in bounds."""
        assert isinstance(read, phi.GetOp)
        (position,) = read.positions
        is_above = self._bounds.is_above(position)
        return is_above and self._bounds.is_below(position, op.array, 0, read)

    @staticmethod
    def _is_empty(emitter: Emitter, size: SSAValue, before: SSAValue | None) -> SSAValue:
        """Whether an axis, or one before it, is empty."""
        none = emitter.compare(size, "sle", 0)
        return none if before is None else emitter.or_(before, none)


def _reads_in_comprehension(read: Operation, op: phi.UpdateOp) -> bool:
    """Whether an operation reads an element of a row that is updated in a comprehension.

    It is in the same body, or reads it at the index of a comprehension there.
    """
    if not isinstance(read, phi.GetOp) or read.array is not op.result:
        return False
    loop = read.parent_op()
    if not isinstance(loop, phi.ArrayOp) or read.parent is op.parent:
        return isinstance(loop, phi.ArrayOp)
    return loop.parent is op.parent and phi.uncast(read.positions[0]) in loop.indices


def _is_inside(bounds: PositionBounds, producer: _Producer, read: phi.GetOp, axis: int) -> bool:
    """Whether a read is in bounds along an axis, by facts that hold where its element is chosen."""
    position = read.positions[axis]
    is_above = bounds.is_above(position)
    return is_above and bounds.is_below(position, producer.value, axis, read)


def _is_lost(size: SSAValue, producer: _Producer) -> bool:
    """Whether a size is the result of an assertion that only a comprehension uses, for an array."""
    op = producer.op
    return (
        isinstance(size.owner, phi.AssertEqOp)
        and all(use.operation is op for use in size.uses)
        and not any(each.is_read() for each in _producers(op) if each.value is not producer.value)
    )


def _equal_size(size: SSAValue, reads: Sequence[phi.GetOp]) -> Use | None:
    """The size of a loop around a read that is an operand of an assertion, which is before it."""
    equation, equal = phi.AssertEqOp.of(size), _equal_sizes(size)
    for loop in (each for read in reads for each in around(read)):
        if isinstance(loop, phi.ComprehensionOp | phi.FoldOp) and not loop.is_ancestor(equation):
            for number in _places_of_sizes(loop):
                if loop.operands[number] in equal:
                    return Use(loop, number)
    return None


def _equal_sizes(size: SSAValue) -> set[SSAValue]:
    """A size and those that are equal to it, by assertions or as sizes of comprehensions."""
    found, pending = set[SSAValue](), [size]
    while pending:
        value = pending.pop()
        found.add(value)
        match value.owner:
            case phi.AssertEqOp() as op:
                pending += op.operands
            case phi.SizeOp(array=array) if isinstance(array.owner, phi.ArrayOp):
                pending += array.owner.sizes[value.owner.axis.value.data :][:1]
            case _:
                pass
    return found


def _keep_assertion(size: SSAValue, producer: _Producer, reads: Sequence[phi.GetOp]) -> None:
    """Let a loop that reads a comprehension use the assertion that the comprehension alone uses."""
    if _is_lost(size, producer) and (equal := _equal_size(size, reads)) is not None:
        equal.operation.operands[equal.index] = size


def _is_checked(size: SSAValue, op: phi.ArrayOp, reads: Sequence[phi.GetOp]) -> bool:
    """Whether loops of this size, next to a comprehension, have all of its reads.

    They check the size.
    """
    block = home_of(op)
    loops = (block.find_ancestor_op_in_block(read) for read in reads)
    return all(
        isinstance(loop, phi.ComprehensionOp | phi.FoldOp)
        and any(size in _equal_sizes(loop.operands[k]) for k in _places_of_sizes(loop))
        for loop in loops
    )


def _places_of_sizes(loop: phi.ComprehensionOp | phi.FoldOp) -> list[int]:
    """The operands of a loop that are its sizes, or its count."""
    return [k for k in range(len(loop.operands)) if loop.size_or_count(k) is not None]


def _erase_unread(producer: _Producer) -> None:
    """Erase an array that only sizes are read of, so that it reads no array itself."""
    for use in list(producer.value.uses):
        op = use.operation
        if isinstance(op, phi.SizeOp) and op.axis.value.data < producer.rank:
            Rewriter.replace_op(op, (), (producer.op.sizes[op.axis.value.data],))
    op = producer.value.owner
    while isinstance(op, Operation) and all(result.first_use is None for result in op.results):
        source = op.record.owner if isinstance(op, phi.ProjOp) else None
        Rewriter.erase_op(op)
        op = source


def fuse(function: func.FuncOp, analyses: AnalysisManager) -> None:
    """Fuse the comprehensions of a function.

    Those whose elements are read once come first, the last one first: so each operation is copied
    once. Others come before those that read them, whose cost then includes theirs.
    """
    for op in operations_in(function, bodies_first=True):
        if isinstance(op, phi.ReduceOp):
            if isinstance(op.vec.owner, phi.ArrayOp) and isinstance(op.vec.type, phi.VecType):
                reduction_as_fold(op)  # The fold then takes in the element.
        elif isinstance(op, phi.ArgreduceOp):
            search_as_fold(op)
    fuser = Fuser(analyses.get(position_bounds, function))
    for op in [op for op in operations_in(function) if isinstance(op, phi.UpdateOp)]:
        if fuser.read_through(op):
            analyses.note(op, f"{name_of(op.result)} is no array: its elements are chosen")
    for only_once in (True, False):
        arrays = [op for op in operations_in(function) if isinstance(op, phi.ArrayOp)]
        for op in reversed(arrays) if only_once else arrays:
            if not function.is_ancestor(op):
                continue  # a part of an array that was fused and erased
            for producer in list(_producers(op)):
                if fuser.fuse(producer, only_once=only_once):
                    analyses.note(op, f"{name_of(producer.value)} is computed where it is read")


def fuse_terms(function: func.FuncOp, analyses: AnalysisManager) -> None:
    """Fuse what steps add to a part of the elements of an array that they carry with the sum, and
    compute an element alone if no other one is read.
    """
    fuser = Fuser(analyses.get(position_bounds, function))
    for op in reversed([op for op in operations_in(function) if isinstance(op, phi.ArrayOp)]):
        for producer in list(_producers(op)):
            reads = _reads(producer) or ()
            is_single = any(read.parent is op.parent for read in reads) and not _is_vectorized(op)
            is_part = any(_is_optional_term(read, producer) for read in reads)
            is_part = is_part and producer.cost(reads) < inf
            if (is_single or is_part) and fuser.fuse(producer, only_once=True):
                place = "read, at one position" if is_single else "added"
                analyses.note(op, f"{name_of(producer.value)} is computed where it is {place}")


def fuse_factors(function: func.FuncOp, analyses: AnalysisManager) -> None:
    """Fuse arrays of products with the sums that they are factors of, and drop axes."""
    fuser = Fuser(analyses.get(position_bounds, function))
    for op in [op for op in operations_in(function) if isinstance(op, phi.ArrayOp)]:
        for producer in list(_producers(op)):
            if fuser.fuse_factors(producer):
                analyses.note(op, f"{name_of(producer.value)} is computed where it is read")


def _is_outer_product(producer: _Producer) -> bool:
    """Whether each element is a product of elements of arrays with fewer axes."""
    if not isinstance(producer.element.owner, arith.MulfOp | arith.MuliOp):
        return False
    return all(
        isinstance(op, arith.MulfOp | arith.MuliOp | arith.IndexCastOp)
        or (isinstance(op, phi.GetOp) and phi.rank_of(op.array.type) < producer.rank)
        for op in producer.slice()
    )


def _is_factor_of_sum(read: phi.GetOp, producer: _Producer) -> bool:
    """Whether a step of a loop that has no producer in it multiplies by an element."""
    fold = next((op for op in around(read) if isinstance(op, phi.FoldOp)), None)
    is_in_sum = fold is not None and not fold.is_ancestor(producer.op)
    return is_in_sum and isinstance(_user_of(read.result), arith.MulfOp | arith.MuliOp)


def _narrowed(producer: _Producer, varied: Sequence[bool], bounds: PositionBounds) -> _Producer:
    """``array (i, j) { e(i) }  -->  t = array (i) { e(i) }; array (i, j) { t[i] }``"""
    op, build = producer.op, Builder.before(producer.op, bounds.add)

    def kept(values: Sequence[SSAValue]) -> list[SSAValue]:
        return list(compress(values, varied))

    def element(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
        known = dict[SSAValue, SSAValue](zip(kept(op.indices), own, strict=True))
        return inner.copied(op.body.block, [producer.element], known)[0]

    narrow = build.comprehension(kept(op.sizes), element, kept(op.indices))
    wide = build.comprehension(
        op.sizes, lambda inner, own: inner.get(narrow, kept(own)), op.indices
    )
    producer.value.replace_all_uses_with(wide)
    owner = wide.owner
    assert isinstance(owner, phi.ArrayOp)
    return _Producer(owner, wide, owner.yielded())


def _is_vectorized(op: Operation) -> bool:
    """Whether an operation is in a comprehension, which computes it for all of its indices."""
    return next(ancestors(op, phi.ComprehensionOp), None) is not None


def _is_optional_term(read: phi.GetOp, producer: _Producer) -> bool:
    """Whether a step adds an element, or what it selects of that, to an element that it carries."""
    array, term = read.parent_op(), read.result
    is_selected = isinstance(producer.element.owner, arith.SelectOp)
    while isinstance(user := _user_of(term), arith.SelectOp) and user.cond is not term:
        term, is_selected = user.result, True
    if not is_selected or not isinstance(array, phi.ArrayOp) or not isinstance(user, arith.AddfOp):
        return False
    base = element_read((user.rhs if term is user.lhs else user.lhs).owner, array)
    return base is not None and is_kept(base)


def _user_of(value: SSAValue) -> Operation | None:
    """The only operation that uses a value, once."""
    use = value.first_use
    return use.operation if use is not None and value.has_one_use() else None


@dataclass(frozen=True)
class FuseComprehensionsPass(FunctionPass):
    """Computes the elements of a comprehension where they are read.

    Before::

        %a = phi.array (%i < %n) -> !phi.vec<f64> { exp %u[%i] }
        %s = phi.reduce %a identity %zero by { arith.addf } -> f64

    After::

        %s = phi.fold (%i < %n, %acc = %zero) -> f64 { %acc + exp %u[%i] }

    ``array (i < n) { e }[p]`` is ``e`` at the clipped position, or zero if the array is empty; at
    the position itself, if a choice takes the element only where that is in bounds. An element of a
    row that a comprehension updates is a choice between the new one and that of the row. The array
    is not stored at all, so all its uses must be reads of elements. It is stored if its elements
    would otherwise be computed more often, unless they are cheap. If costly operations are for
    several fields of its elements, all or none are computed where they are read. The cost rule,
    with its constants, is in ``ein_mlir.analysis.phi.element_cost``. Reductions and searches of
    comprehensions become folds. ``phi.top_k`` computes the elements, too: those that are read
    besides, such as the ones that it finds, are computed once more.

    A comprehension stays if its size may be negative, unless the loops that read it have that size,
    or if an element may raise an error.

    With ``terms``, it is for arrays of which steps add a part to an array that they carry::

        %b = phi.array (%i < %n) -> !phi.vec<f64> { select (%i < %k), %x, %zero }
        %c = phi.array (%i < %n) -> !phi.vec<f64> { %acc[%i] + %b[%i] }

    so that ``raise-updates`` finds the part of the accumulator that is written, and for arrays of
    which one element is read, where they are computed.

    With ``factors``, it is for arrays of products with more axes than each factor, such as
    ``u[i] * v[j]``, that are factors of sums, for arrays beside their only read, and for those that
    do not vary with an index, which lose that axis. So ``multiply-in-pairs`` finds all factors and
    their axes.
    """

    name = "fuse-comprehensions"
    looks_for = (phi.ArrayOp,)

    terms: bool = False
    factors: bool = False

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        if self.terms:
            fuse_terms(function, analyses)
        elif self.factors:
            fuse_factors(function, analyses)
        else:
            fuse(function, analyses)
