"""Arrays that are equal up to the order of their axes: the later ones are transposes of the first.

A derivative sums the same functions along one axis, and along the other. Arrays of different ranks,
as of a Hessian with an axis of size 1 and of a gradient, are no twins.
"""

from __future__ import annotations

from collections import ChainMap, defaultdict
from collections.abc import Container, Hashable, Iterable, MutableMapping, Sequence
from dataclasses import field

from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.phi.element_cost import is_function
from ein_mlir.analysis.scopes import classes_among, operations_within
from ein_mlir.dialects import yarr
from ein_mlir.host.dataclass import dataclass


@dataclass(frozen=True)
class _Order:
    """An array as a transpose of a base, but for axes of size 1."""

    base: SSAValue
    axes: Sequence[int | None]
    """The axis of the base along each axis; None for those of size 1."""

    def places(self) -> list[int]:
        """The axes that those of the base are, in its order."""
        found = {axis: place for place, axis in enumerate(self.axes) if axis is not None}
        return [found[axis] for axis in sorted(found)]


Known = MutableMapping[Hashable, tuple[SSAValue, Sequence[int]]]
"""An array for each key, and its axes in the order in which its operands have them."""


@dataclass
class Twins:
    """Finds the twins of a block, and of the blocks in it."""

    candidates: Container[Operation]
    """The operations that may have a twin."""
    orders: dict[SSAValue, _Order] = field(default_factory=dict[SSAValue, _Order])
    functions: set[SSAValue] = field(default_factory=set[SSAValue])
    """The arrays whose elements take a function such as ``exp``."""

    def share(self, block: Block, known: Known) -> None:
        """Replace twins by transposes: ``exp(x[i] - y[k])`` over (k, i) by that over (i, k)."""
        for op in list(block.ops):
            match op:
                case yarr.TransposeOp():
                    before = self._order(op.array)
                    self._set(op, before.base, [before.axes[axis] for axis in op.axes])
                case yarr.UnsqueezeOp():
                    before, axes = self._order(op.array), op.axes
                    rest = iter(before.axes)
                    rank = yarr.rank_of(op.result)
                    found = [None if axis in axes else next(rest) for axis in range(rank)]
                    self._set(op, before.base, found)
                case yarr.ElementwiseOp() if yarr.rank_of(op.result) > 1:
                    self._elementwise(op, known)
                case _:
                    for region in op.regions:
                        self.share(region.block, ChainMap({}, known))

    def _order(self, value: SSAValue) -> _Order:
        shape = yarr.shape_of(value)
        axes = [None if size == 1 else axis for axis, size in enumerate(shape)]
        return self.orders.get(value) or _Order(value, axes)

    def _set(self, op: Operation, base: SSAValue, axes: Sequence[int | None]) -> None:
        self.orders[op.results[0]] = _Order(base, axes)

    def _elementwise(self, op: yarr.ElementwiseOp, known: Known) -> None:
        """Find the first twin of an operation, and replace one whose elements take a function."""
        operands = [self._order(argument) for argument in op.arguments]
        if op not in self.candidates:
            if self._takes_function(op, operands):
                self.functions.add(op.result)
            return
        places = [order.places() for order in operands]
        rank = range(yarr.rank_of(op.result))
        axes = list(dict.fromkeys((*(place for each in places for place in each), *rank)))
        at = [
            (order.base, *map(axes.index, own)) for order, own in zip(operands, places, strict=True)
        ]
        first, others = known.setdefault((_body_key(op), len(rank), *at), (op.result, axes))
        if self._takes_function(op, operands):
            self.functions.add(first)
        if first is op.result:
            return
        permutation = [others[axes.index(axis)] for axis in range(len(axes))]
        shape = yarr.shape_of(first)
        if yarr.shape_of(op.result) == tuple(shape[axis] for axis in permutation):
            self._set(op, first, permutation)
            if first in self.functions:
                twin = yarr.TransposeOp(first, permutation)
                self._set(twin, first, permutation)
                twin.result.name_hint = op.result.name_hint
                Rewriter.replace_op(op, twin)

    def _takes_function(self, op: yarr.ElementwiseOp, operands: Sequence[_Order]) -> bool:
        return any(order.base in self.functions for order in operands) or any(
            map(is_function, op.body.block.ops)
        )


def _body_key(op: yarr.ElementwiseOp) -> Hashable:
    """The same for bodies that compute the same."""
    numbers: dict[SSAValue, int] = {}
    block, found = op.body.block, list[Hashable]()
    for value in block.args:
        numbers[value] = len(numbers)
    for inner in block.ops:
        for value in inner.results:
            numbers[value] = len(numbers)
        operands = (numbers[each] for each in inner.operands)
        found.append((inner.name, tuple(inner.properties.items()), *operands))
    return tuple(found)


def share_twins(block: Block) -> None:
    """Replace the twins of a block, and of the blocks in it, if several arrays take functions.

    Without views along other axes, arrays have the order of axes of their operands.
    """
    ops = operations_within(block)
    has_views = bool(classes_among(ops, yarr.TransposeOp, yarr.UnsqueezeOp))
    if has_views and sum(map(is_function, ops)) > 1 and (found := _candidates(ops)):
        Twins(found).share(block, {})


def _candidates(ops: Iterable[Operation]) -> set[Operation]:
    """The operations that compute with as many axes, and in the same steps, as another one."""
    alike = defaultdict[Hashable, list[Operation]](list)
    for op in ops:
        if isinstance(op, yarr.ElementwiseOp) and (rank := yarr.rank_of(op.result)) > 1:
            alike[rank, *map(type, op.body.block.ops)].append(op)
    return {op for group in alike.values() if len(group) > 1 for op in group}
