"""Comprehensions of a block over equal sizes become one of a record.

Their elements may share loads and values, and one may read another at its own indices. Loops of
several comprehensions over the same row are one after the other in the step of that row.
"""

from __future__ import annotations

from bisect import bisect
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, TupleType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.constants import known_float
from ein_mlir.analysis.phi.replaced_rows import is_filled
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence
from ein_mlir.analysis.phi.speculation import any_may_fail
from ein_mlir.analysis.phi.walks import Walk, walk_of
from ein_mlir.analysis.predicates import relation_of
from ein_mlir.analysis.scopes import block_of, operands_within, operations_in, operations_of
from ein_mlir.dialects import phi
from ein_mlir.dialects.creation import copy_of
from ein_mlir.dialects.phi.integers import is_nonnegative
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.common_subexpressions import eliminate_common_subexpressions
from ein_mlir.rewriting.phi.builders import split
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.sibling_folds import by_work, merge_folds, move_before_loops


@dataclass
class _Group:
    """Comprehensions of the same sizes that may all be computed in the place of the first."""

    space: Hashable
    members: list[phi.ArrayOp]
    rows: set[SSAValue]
    """The arrays of which members read the row of a step and no other."""
    has_loops: bool = False


class Merger:
    """Merges the comprehensions of one block.

    With ``rows``, also those that loop over the same, unless some go along rows, and some along
    columns. With ``failing``, those that raise errors are in groups, too, of which only
    ``merge_by_work`` knows which it may merge.
    """

    def __init__(
        self, block: Block, sizes: SizeEquivalence, *, rows: bool = False, failing: bool = False
    ):
        self._block = block
        self._sizes = sizes
        self._rows = rows
        if rows:
            move_before_loops(block)
        self._order = {op: number for number, op in enumerate(block.ops)}
        self._groups = list[_Group]()
        self._started = defaultdict[Hashable, list[_Group]](list)
        self._home = dict[SSAValue, _Group]()
        for op in list(block.ops):
            if not isinstance(op, phi.ArrayOp) or is_filled(op):
                continue
            if failing or not any_may_fail(op):
                self._group(op)

    def merge(self) -> None:
        """Merge the comprehensions of each group."""
        for group in self._groups:
            if len(group.members) > 1:
                merge(group.members)

    def merge_by_work(self, *, neighbours: bool) -> None:
        """Merge those of each group whose loops compute the same values, and these loops.

        With ``neighbours``, also those that compute the same of several elements of an array.
        """
        for group in self._groups:
            several = len(group.members) > 1
            alike = by_work(group.members, self._sizes, neighbours=neighbours) if several else ()
            for each in alike:
                if len(each) > 1:
                    body = merge(each).body
                    merge_folds(body.block, self._sizes)
                    eliminate_common_subexpressions(body)

    def _group(self, op: phi.ArrayOp) -> None:
        """Add a comprehension to a group, or start one with it.

        Each joins the first group that it may, whose members read the same older values, or the
        group of the comprehensions whose elements it reads at its own indices. One of a single
        number shares nothing with others, and a loop that starts from it may replace it.
        """
        columns = self._rows and walk_of(op) is Walk.COLUMNS
        space = space_of(op, self._sizes), _part_with_loops(op), columns
        last = max(operands_within(op), key=self._place)
        known, own = self._started[space], self._home.get(_source(last))
        first = bisect(known, self._place(last), key=lambda each: self._order[each.members[0]])
        if own is not None and self._has_rows(op, own):
            self._add(self._as_rows(op), own)
        elif first < len(known):
            self._add(op, known[first])
        elif own is not None and own.space == space and self._continues(op, own):
            self._add(op, own)
        else:
            known.append(group := _Group(space, [], set()))
            self._groups.append(group)
            self._add(op, group)

    def _add(self, op: phi.ArrayOp, group: _Group) -> None:
        group.members.append(op)
        group.has_loops |= not _is_plain(op)
        group.rows |= self._rows_read(op, len(op.indices))
        self._home[op.result] = group

    def _has_rows(self, op: phi.ArrayOp, group: _Group) -> bool:
        """Whether a comprehension can be one of rows, and these join the group that reads them."""
        rank = len(op.indices) - 1
        return (
            rank > 0
            and group.has_loops
            and _is_plain(op)
            and isinstance(op.result.type, phi.VecType)
            and group.space == (space_of(op, self._sizes, rank), None, False)
            and self._continues(op, group)
        )

    def _as_rows(self, op: phi.ArrayOp) -> phi.ArrayOp:
        nested = split(op, len(op.indices) - 1)
        self._order[nested] = self._order[op]
        return nested

    def _continues(self, op: phi.ArrayOp, group: _Group) -> bool:
        """Whether a comprehension reads those of a group at its own indices only.

        Its other operands are known before the group. Bodies with loops, which may be products of
        matrices, stay apart unless they read the same row: that is in the cache.
        """
        leader = group.members[0]
        rank, place = len(leader.indices), self._order[leader]
        return self._may_share_loop(op, group, rank) and all(
            self._place(value) < place
            or (self._home.get(_source(value)) is group and _is_own_element(read, op, rank))
            for read in operations_in(op)
            for value in read.operands
        )

    def _may_share_loop(self, op: phi.ArrayOp, group: _Group, rank: int) -> bool:
        """Whether a comprehension reads rows as a group does, or numbers between such: a division.

        Others are vectors of their own, also a function of each sum.
        """
        if rank < len(op.indices) or not _is_plain(op):
            return self._reads_rows_of(group, op, rank)
        users = (self._block.find_ancestor_op_in_block(use.operation) for use in op.result.uses)
        return not group.has_loops or any(
            isinstance(user, phi.ArrayOp) and self._reads_rows_of(group, user, rank)
            for user in users
        )

    def _reads_rows_of(self, group: _Group, op: phi.ArrayOp, rank: int) -> bool:
        rows = self._rows_read(op, rank)
        return any(row in group.rows or self._home.get(_source(row)) is group for row in rows)

    def _place(self, value: SSAValue) -> int:
        """The number of the operation of the block that defines a value; -1 if there is none.

        A field is known with its record.
        """
        value = _source(value)
        owner = value.owner
        if block_of(value) is not self._block or not isinstance(owner, Operation):
            return -1
        return self._order[owner]

    def _rows_read(self, op: phi.ArrayOp, rank: int) -> set[SSAValue]:
        """The arrays of which a comprehension reads the row at its first indices, and no other.

        Loops by a condition, and searches, read few elements of a row: there are none with these.
        """
        found, others = set[SSAValue](), set[SSAValue]()
        for inner in operations_in(op)[1:] if self._rows else ():
            if inner.regions and not isinstance(inner, phi.FoldOp | phi.ReduceOp | phi.ArrayOp):
                return set()
            if isinstance(inner, phi.GetOp) and len(inner.positions) > rank:
                first = tuple(map(phi.uncast, inner.positions[:rank]))
                (found if first == tuple(op.indices[:rank]) else others).add(inner.array)
        return found - others


def _is_plain(op: phi.ArrayOp) -> bool:
    """Whether the body of a comprehension has no loops and no comprehensions."""
    return not any(inner.regions for inner in op.body.block.ops)


def _part_with_loops(op: phi.ArrayOp) -> Hashable:
    """The comparisons of indices that choose between a loop and a number, if all loops are in such.

    Later passes compute the loops for those indices alone, unless other elements are with them.
    """
    loops = [inner for inner in op.body.block.ops if inner.regions]
    chosen = {use.operation for loop in loops for use in loop.results[0].uses}
    found = set[tuple[str, SSAValue]]()
    for choice in chosen:
        numbers = [known_float(each) is not None for each in choice.operands[1:]]
        test = relation_of(choice.operands[0]) if isinstance(choice, arith.SelectOp) else None
        if test is None or not any(numbers) or phi.uncast(test.lhs) not in op.indices:
            return None
        found.add((test.predicate, test.rhs))
    return frozenset(found) or None


def _source(value: SSAValue) -> SSAValue:
    """The record of arrays that an array is a field of, or the array itself."""
    return value.owner.record if isinstance(value.owner, phi.ProjOp) else value


def _is_own_element(read: Operation, op: phi.ArrayOp, rank: int) -> bool:
    """Whether an operation reads an element, or the row, at the first indices of a comprehension.

    A row is one that the comprehension updates: it does so in the place of those before.
    """
    return (
        isinstance(read, phi.GetOp)
        and (phi.is_scalar_type(read.result.type) or _is_updated(read.result))
        and tuple(map(phi.uncast, read.positions[:rank])) == tuple(op.indices[:rank])
    )


def _is_updated(row: SSAValue) -> bool:
    """Whether a row is updated, and read by nothing else."""
    use = row.get_user_of_unique_use()
    return isinstance(use, phi.UpdateOp) and use.array is row


def space_of(op: phi.ComprehensionOp, sizes: SizeEquivalence, rank: int | None = None) -> Hashable:
    """The common key of operations over the same first indices: sizes that are provably equal.

    Sizes that may be negative, which is an error, must be the same.
    """
    axes = tuple(sizes.representative(phi.Term(size)) for size in op.sizes[:rank])
    return axes, frozenset(size for size in op.operands if not is_nonnegative(size))


def merge(group: Sequence[phi.ArrayOp]) -> phi.ArrayOp:
    """``array (i < n) { e }, array (j < n) { f }  -->  array (i < n) { (e, f[i/j]) }``

    What only others of the group read, an element or a field of it, is no field.
    """
    leader = group[0]
    _move_fields(group, leader)
    read = [part for op in group for part in _parts_read(op, group)] or [Part(leader)]
    merged = merged_comprehension(group, read, common_sizes(Builder.before(leader), group))
    Rewriter.insert_op(merged, InsertPoint.before(leader))
    for number, part in enumerate(read):
        result = merged.result
        if len(read) > 1:
            field = phi.ProjOp(result, number)
            field.location = part.op.location
            Rewriter.insert_op(field, InsertPoint.before(leader))
            result = field.result
        result.name_hint = part.op.result.name_hint
        part.replace_by(result)
    for old in reversed(group):
        for use in list(old.result.uses):
            Rewriter.erase_op(use.operation)
        Rewriter.erase_op(old)
    return merged


@dataclass(frozen=True)
class Part:
    """A comprehension of a group, or a field of the record that it makes."""

    op: phi.ArrayOp
    field: int | None = None

    def type(self) -> Attribute:
        """The type of the array."""
        type_ = self.op.result.type
        if self.field is None:
            return type_
        assert isinstance(type_, TupleType)
        return type_.types.data[self.field]

    def element(self, build: Builder, whole: SSAValue) -> SSAValue:
        """The element of the array, given that of the comprehension."""
        if self.field is None:
            return whole
        if isinstance(record := whole.owner, phi.TupleOp):
            return record.fields[self.field]
        return build.proj(whole, self.field)

    def replace_by(self, result: SSAValue) -> None:
        """Let another array be in its place."""
        if self.field is None:
            self.op.result.replace_all_uses_with(result)
        for user in [use.operation for use in self.op.result.uses]:
            if isinstance(user, phi.ProjOp) and user.field.value.data == self.field:
                Rewriter.replace_op(user, (), (result,))


def _parts_read(op: phi.ArrayOp, group: Sequence[phi.ArrayOp]) -> Sequence[Part]:
    """The comprehension, or the fields of it, that others than a group read, if any do."""

    def outside(value: SSAValue) -> list[Operation]:
        users = [use.operation for use in value.uses]
        return [each for each in users if not any(one.is_ancestor(each) for one in group)]

    users, fields = outside(op.result), set[int]()
    for user in users:
        if not isinstance(user, phi.ProjOp):
            return [Part(op)]
        if outside(user.result):
            fields.add(user.field.value.data)
    type_ = op.result.type
    if isinstance(type_, TupleType) and len(fields) == len(type_.types):
        return [Part(op)]
    return [Part(op, field) for field in sorted(fields)]


def _move_fields(group: Sequence[phi.ArrayOp], leader: phi.ArrayOp) -> None:
    """Take the fields that comprehensions read before the first of them, except its own."""
    results = [op.result for op in group]
    for value in dict.fromkeys(value for op in group[1:] for value in operands_within(op)):
        field = value.owner
        if not isinstance(field, phi.ProjOp) or field.record in results:
            continue
        if field.parent is leader.parent and not field.is_before_in_block(leader):
            Builder.before(leader).move(field)


def common_sizes(build: Builder, group: Sequence[phi.ComprehensionOp]) -> list[SSAValue]:
    """The sizes of the operations of a group."""
    return [build.common_size(axis) for axis in zip(*(op.sizes for op in group), strict=True)]


def merged_comprehension(
    group: Sequence[phi.ArrayOp], read: Sequence[Part], sizes: Sequence[SSAValue]
) -> phi.ArrayOp:
    """The comprehension of the elements that are read: of a record if they are several."""
    body = Block(arg_types=[IndexType()] * len(sizes))
    results = dict[SSAValue, SSAValue]()
    for op in group:
        values = dict[SSAValue, SSAValue](zip(op.indices, body.args, strict=True))
        for new, old in zip(body.args, op.indices, strict=True):
            new.name_hint = new.name_hint or old.name_hint
        for inner in list(op.body.block.ops)[:-1]:
            body.add_op(copy := copy_of(inner, values))
            for get in operations_of(copy, phi.GetOp):
                if _source(get.array) in results:
                    value = _replace_element(get, results, len(sizes))
                    if get is copy:
                        values[inner.results[0]] = value
        results[op.result] = values.get(op.yielded(), op.yielded())
    build = Builder.at_end(body)
    elements = [part.element(build, results[part.op.result]) for part in read]
    element, type_ = elements[0], read[0].type()
    if len(read) > 1:
        element, type_ = build.tuple(elements), phi.tuple_of([part.type() for part in read])
    body.add_op(phi.YieldOp(element))
    merged = phi.ArrayOp(sizes, Region(body), type_)
    merged.location = group[0].location
    return merged


def _replace_element(get: phi.GetOp, elements: Mapping[SSAValue, SSAValue], rank: int) -> SSAValue:
    """Read the element of the same step, or of a row of it, in place of one of an array."""
    value, field = elements[_source(get.array)], get.array.owner
    if isinstance(field, phi.ProjOp):
        number, record = field.field.value.data, value.owner
        is_tuple = isinstance(record, phi.TupleOp)
        value = record.fields[number] if is_tuple else Builder.before(get).proj(value, number)
    if len(get.positions) > rank:
        row = phi.GetOp(value, get.positions[rank:])
        Rewriter.replace_op(get, row)
        return row.result
    Rewriter.replace_op(get, (), (value,))
    return value
