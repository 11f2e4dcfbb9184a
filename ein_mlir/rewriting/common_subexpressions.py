"""Common subexpressions: equal operations without effects become the first of them.

A faster ``cse`` of xDSL: one walk finds an operation by a key that equal operations
share, and a region sees the keys around it without a copy of them.
"""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence

from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.effects import is_dead, is_pure
from ein_mlir.analysis.scopes import block_of


def eliminate_common_subexpressions(
    region: Region, among: tuple[type[Operation], ...] = ()
) -> None:
    """Let the users of equal operations of a region use the first: of some classes, or of all."""
    _Scope(among).visit(region)


class _Summary:
    """A summary that equal regions share: the classes of their operations, the captured values."""

    def __init__(self) -> None:
        self._classes = list[Hashable]()
        self._captured = dict[int, SSAValue]()

    def add(self, op: Operation, inner: Sequence[_Summary]) -> None:
        """Add an operation of the region, with the summaries of its own regions."""
        self._classes.append(type(op))
        self._capture(op._operands, op.parent)
        for each in inner:
            self._classes.append(each.structure)
            self._capture(each._captured.values(), op.parent)

    def _capture(self, values: Iterable[SSAValue], block: Block | None) -> None:
        for value in values:
            if block_of(value) is not block:
                self._captured[id(value)] = value

    @property
    def structure(self) -> int:
        return hash(tuple(self._classes))

    def key(self) -> Hashable:
        return self.structure, *self._captured


class _Scope:
    """The operations that dominate the present one, by key."""

    def __init__(self, among: tuple[type[Operation], ...]) -> None:
        self._known = defaultdict[Hashable, list[Operation]](list)
        self._among = among

    def visit(self, region: Region) -> _Summary:
        """Share the operations of a region of one block, and of those in it, with each other."""
        summary = _Summary()
        block = region.blocks.first
        if block is None or block is not region.blocks.last:
            return summary
        own = list[Hashable]()
        for op in block.ops:
            inner = [self.visit(region) for region in op.regions]
            if not self._is_erased(op, inner, own):
                summary.add(op, inner)
        for key in reversed(own):
            self._known[key].pop()
        return summary

    def _is_erased(self, op: Operation, inner: Sequence[_Summary], own: list[Hashable]) -> bool:
        """Erase an operation that is dead or known, else know it until the end of its block."""
        if is_dead(op):
            Rewriter.erase_op(op)
            return True
        if not op.results or not is_pure(op):
            return False
        if self._among and not isinstance(op, self._among):
            return False
        key = _key(op, inner)
        if self._replace(op, self._known[key]):
            return True
        self._known[key].append(op)
        own.append(key)
        return False

    def _replace(self, op: Operation, known: Iterable[Operation]) -> bool:
        """Replace an operation by one that is equal; False where there is none."""
        for first in known:
            if _are_equal(op, first):
                for result, same in zip(op.results, first.results, strict=True):
                    result.replace_all_uses_with(same)
                Rewriter.erase_op(op)
                return True
        return False


def _key(op: Operation, inner: Sequence[_Summary]) -> Hashable:
    """The same for equal operations, and seldom for others."""
    regions = (each.key() for each in inner)
    if op._operands:
        return type(op), *map(id, op._operands), *regions
    return type(op), frozenset(op.properties.items()), *regions


def _are_equal(op: Operation, other: Operation) -> bool:
    """Whether two operations with one key compute the same."""
    return (
        op.name == other.name
        and op.properties == other.properties
        and op.attributes == other.attributes
        and op.result_types == other.result_types
        and len(op.regions) == len(other.regions)
        and all(map(Region.is_structurally_equivalent, op.regions, other.regions))
    )
