"""Regularity: no comprehension index flows into a size or a count.

The calculus types sizes and counts in an empty index environment (Phi, section 3.1.2), so that
arrays stay rectangular. In SSA form the rule is one about data flow: from an index, through
operations, bodies and accumulators, no size of a ``phi.array`` and no count of a ``phi.fold`` is
reached. The rule is checked once for each comprehension, in time linear in the number of values
that its indices reach.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from xdsl.ir import BlockArgument, SSAValue, Use

from ein_mlir.analysis.diagnostics import index_name
from ein_mlir.dialects.phi.base import BodyOp, YieldOp
from ein_mlir.dialects.phi.interface import Path, PhiOp, flow
from ein_mlir.host.dataclass import dataclass

Part: TypeAlias = tuple[SSAValue, Path]
"""A value, or a field of a field of ... of a record: records are followed field by field."""


@dataclass(frozen=True)
class Irregularity:
    """A size or count that depends on an index: operand ``operand`` of ``op``."""

    op: PhiOp
    operand: int
    index: BlockArgument

    def __str__(self) -> str:
        return (
            f"{self.op.name}: {self.op.size_or_count(self.operand)} depends on the index "
            f"{index_name(self.index)}; sizes and counts must not depend on an index, so that "
            "arrays stay rectangular"
        )


def irregularities(op: BodyOp) -> Iterator[Irregularity]:
    """The sizes and counts in a body that depend on its indices or its counter."""
    origin: dict[Part, BlockArgument] = {(counter, ()): counter for counter in op.counters()}
    pending = list(origin)
    while pending:
        value, path = part = pending.pop()
        for use in value.uses:
            user = use.operation
            if isinstance(user, PhiOp) and user.size_or_count(use.index) is not None:
                yield Irregularity(user, use.index, origin[part])
                continue
            for target in _flow(use, path, op):
                if target not in origin:
                    origin[target] = origin[part]
                    pending.append(target)


def is_regular(op: BodyOp) -> bool:
    """Whether no size or count in a fold depends on its counter, so that it may become an index."""
    return next(irregularities(op), None) is None


def _flow(use: Use, path: Path, around: BodyOp) -> Iterable[Part]:
    """The parts that depend on the part ``path`` of a value through one use of the value.

    The results of ``around`` do not depend on its indices or its counter.
    """
    op = use.operation
    if isinstance(op, YieldOp) and op.parent_op() is around:
        return
    for each in flow(op, use.index):
        field = each.follow(path)
        if field is not None:
            yield each.target, field
