"""The free indices of each value: the comprehension indices that it varies with.

``free(phi.array (i < n) { e }) = free(e) - {i}``. The free indices of an accumulator are those of
its initial value and of its step: a fixpoint. Records are followed field by field, so that a scalar
next to an array in an accumulator does not get the array's indices.

The fixpoint is computed for a whole function at once by propagating sets along data flow. Each set
only grows, so the cost is that of the data flow times the depth of comprehensions, at any depth of
folds.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, product
from typing import TypeAlias

from xdsl.dialects import arith, func, math
from xdsl.dialects.builtin import IndexType, TupleType
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.scopes import ancestors, operations_in
from ein_mlir.dialects import phi, sigma

Leaf: TypeAlias = tuple[SSAValue, int]
"""A field of a value, numbered over the flattened record; field 0 of other values."""


@lru_cache(1024)
def leaf_types(type_: Attribute) -> Sequence[Attribute]:
    """The types of the fields of a (nested) record in order; the type itself otherwise.

    An array of records has the fields of the record of arrays.
    """
    return tuple(leaf for _, leaf in phi.leaves_at(phi.struct_of_arrays(type_)))


def leaf_paths(type_: Attribute, path: phi.Path = ()) -> list[phi.Path]:
    """The path to each of the ``leaf_types`` of a type without arrays of records."""
    return [each for each, _ in phi.leaves_at(type_, path)]


_NONE = frozenset[BlockArgument]()


class FreeIndices:
    """The free indices of the values in an operation's regions (usually a ``func.func``)."""

    def __init__(self, root: Operation):
        self._free: dict[Leaf, frozenset[BlockArgument]] = {}
        self._targets: dict[Leaf, list[tuple[Leaf, frozenset[BlockArgument]]]] = defaultdict(list)
        self._pending: list[Leaf] = []
        self.add(root)

    def add(self, *ops: Operation) -> None:
        """Analyse operations that were added to the program, including their bodies."""
        for op in ops:
            for inner in operations_in(op):
                self._flow(inner)
                for region in inner.regions:
                    for block in region.blocks:
                        for arg in block.args:
                            if type(arg.type) is IndexType and (arg, 0) not in self._free:
                                self._grow((arg, 0), frozenset((arg,)))
        self._propagate()

    def _propagate(self) -> None:
        while self._pending:
            leaf = self._pending.pop()
            for target, removed in self._targets[leaf]:
                self._follow(leaf, target, removed)

    def _follow(self, source: Leaf, target: Leaf, removed: frozenset[BlockArgument]) -> None:
        added = self._free[source]
        self._grow(target, added - removed if removed else added)

    def _grow(self, target: Leaf, added: frozenset[BlockArgument]) -> None:
        """Add free indices to a leaf; those that depend on it follow if they are known already."""
        old = self._free.get(target, _NONE)
        if not added <= old:
            self._free[target] = old | added if old else added
            if target in self._targets:
                self._pending.append(target)

    def of(self, value: SSAValue, leaf: int = 0) -> frozenset[BlockArgument]:
        """The free indices of a value, or of one field of a record."""
        return self._free.get((value, leaf), _NONE)

    def inherit(self, new: SSAValue, old: SSAValue) -> None:
        """Give a replacement the free indices of its original."""
        for leaf in range(len(leaf_types(new.type))):
            self._free[new, leaf] = self.of(old, leaf)

    def replace(self, old: SSAValue, new: SSAValue) -> None:
        """Replace a value: the users of the old value depend on the new one."""
        for leaf in range(len(leaf_types(new.type))):
            for target, removed in self._targets.pop((old, leaf), ()):
                self._edge((new, leaf), target, removed)
        self._propagate()

    def remove(self, value: SSAValue) -> None:
        """Remove a value, which has no users any more."""
        for leaf in range(len(leaf_types(value.type))):
            self._targets.pop((value, leaf), None)

    def _flow(self, op: Operation) -> None:
        operands = op._operands  # pyright: ignore[reportPrivateUsage]
        cls = type(op)
        if cls in _OF_SCALARS or (cls is phi.GetOp and not _has_fields(operands[0].type)):
            target, free, targets = (op.results[0], 0), self._free, self._targets
            for operand in operands:
                source = operand, 0
                targets[source].append((target, _NONE))
                if source in free:
                    self._grow(target, free[source])
            return
        for number, operand in enumerate(operands):
            for flow in phi.flow(op, number):
                self._follow_flow(operand, flow)

    def _follow_flow(self, source: SSAValue, flow: phi.Flow) -> None:
        target = flow.target
        if not _has_fields(source.type) and not _has_fields(target.type):
            self._edge((source, 0), (target, 0), flow.without)
            return
        taken = fields_at(source.type, flow.taken)
        put = fields_at(target.type, () if flow.mixed else flow.put)
        pairs = product(taken, put) if flow.mixed else zip(taken, put, strict=True)
        for source_leaf, target_leaf in pairs:
            self._edge((source, source_leaf), (target, target_leaf), flow.without)

    def _edge(self, source: Leaf, target: Leaf, removed: frozenset[BlockArgument] = _NONE) -> None:
        self._targets[source].append((target, removed))
        if source in self._free:
            self._follow(source, target, removed)


_OF_SCALARS = frozenset(
    op
    for dialect in (arith.Arith, math.Math, sigma.Sigma)
    for op in dialect.operations
    if op is not arith.SelectOp
)
"""The operations whose operands and results have no fields."""


_MOST_KNOWN = 1024
_STARTS: dict[int, tuple[TupleType, Sequence[int]]] = {}
"""The ``_starts`` of some types, by identity: to hash one takes as long as to count its leaves."""


def _starts(record: TupleType) -> Sequence[int]:
    """The number of the first leaf of each field of a record, and of the first after them."""
    known = _STARTS.get(id(record))
    if known is None:
        known = record, (0, *accumulate(map(_count, record.types.data)))
        if len(_STARTS) >= _MOST_KNOWN:
            _STARTS.clear()
        _STARTS[id(record)] = known
    return known[1]


def _has_fields(type_: Attribute) -> bool:
    """Whether values of a type are records or arrays of records, of any number of fields."""
    while type(type_) is phi.VecType:
        type_ = type_.element_type
    return type(type_) is TupleType


def _count(type_: Attribute) -> int:
    """The number of ``leaf_types``."""
    element = phi.scalar_of(type_)
    return _starts(element)[-1] if type(element) is TupleType else 1


def fields_at(type_: Attribute, path: phi.Path) -> range:
    """The numbers of the leaves of one field of a record, which may be a record itself."""
    start = 0
    for field in path:
        assert isa(type_, TupleType)
        start += _starts(type_)[field]
        type_ = type_.types.data[field]
    return range(start, start + _count(type_))


def field_with(record: TupleType, leaf: int) -> tuple[int, int]:
    """The field of a record that has a leaf, and the number of the leaf in it."""
    starts = _starts(record)
    field = bisect_right(starts, leaf) - 1
    return field, leaf - starts[field]


def free_indices(function: func.FuncOp, analyses: AnalysisManager) -> FreeIndices:
    """An analysis: the free indices of the values of a function."""
    return FreeIndices(function)


def is_alone(op: Operation) -> bool:
    """Whether no comprehension is around an operation, whose elements would be lanes or threads."""
    return not any(ancestors(op, phi.ArrayOp))
