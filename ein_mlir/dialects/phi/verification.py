"""Where comprehension indices flow, and the rule that none flows into a size or a count.

The calculus types sizes and counts in an empty index environment (Phi, section 3.1.2), so that
arrays stay rectangular. In SSA form the rule is one about data flow: from an index, through
operations, bodies and accumulators, no size of a ``phi.array`` and no count of a ``phi.fold`` is
reached. The rule is checked once for each comprehension, in time linear in what its indices reach.
It lives beside the dialect because the verifier needs it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.dialects import arith
from xdsl.ir import BlockArgument, Operation, SSAValue, Use

from ein_mlir.analysis.diagnostics import index_name
from ein_mlir.dialects.phi import operations as phi

Part: TypeAlias = tuple[SSAValue, tuple[int, ...]]
"""A value, or a field of a field of ... of a record: records are followed field by field."""

Sized: TypeAlias = phi.ArrayOp | phi.ConcatOp | phi.FoldOp | phi.SegmentReduceOp
"""What has sizes or a count among its operands."""


@dataclass(frozen=True)
class Irregularity:
    """A size or count that depends on an index: operand ``operand`` of ``op``."""

    op: Sized
    operand: int
    index: BlockArgument

    def __str__(self) -> str:
        if isinstance(self.op, phi.ArrayOp):
            what = f"the size of {index_name(self.op.indices[self.operand])}"
        elif isinstance(self.op, phi.SegmentReduceOp):
            what = f"size {self.operand - 1 - len(self.op.keys)}"
        elif isinstance(self.op, phi.ConcatOp):
            what = "the size"
        else:
            what = f"the count of {index_name(self.op.counter)}"
        return (
            f"{self.op.name}: {what} depends on the index {index_name(self.index)}; sizes and "
            f"counts must not depend on an index, so that arrays stay rectangular"
        )


def irregularities(array: phi.ArrayOp) -> Iterator[Irregularity]:
    """The sizes and counts that depend on an index of ``array``."""
    return _dependent_sizes(array.indices, array)


def is_regular(fold: phi.FoldOp) -> bool:
    """Whether no size and no count in a fold depends on its counter, which may be an index then."""
    return next(_dependent_sizes([fold.counter], fold), None) is None


def _dependent_sizes(
    variables: Iterable[BlockArgument], around: phi.ArrayOp | phi.FoldOp
) -> Iterator[Irregularity]:
    """The sizes and counts that depend on variables which an operation binds in its body."""
    origin: dict[Part, BlockArgument] = {(variable, ()): variable for variable in variables}
    pending = list(origin)
    while pending:
        value, path = part = pending.pop()
        for use in value.uses:
            sized = _sized_by(use)
            if sized is not None:
                yield Irregularity(sized, use.index, origin[part])
                continue
            for target in _flow(use, path, around):
                if target not in origin:
                    origin[target] = origin[part]
                    pending.append(target)


def _sized_by(use: Use) -> Sized | None:
    """The operation that uses a value as a size or a count; None for any other use."""
    match op := use.operation:
        case phi.ArrayOp():
            return op
        case phi.FoldOp() if use.index == 0:
            return op
        case phi.ConcatOp() if use.index == 2:
            return op
        case phi.SegmentReduceOp() if use.index > len(op.keys):
            return op
        case _:
            return None


def _flow(use: Use, path: tuple[int, ...], around: Operation) -> Iterable[Part]:
    """What depends on the part ``path`` of a value because of one use of the value.

    A size depends on no index where all sizes obey the rule (``size_k e[e'] = size_{k+1} e``), and
    what leaves ``around`` does not depend on its variables.
    """
    op = use.operation
    match op:
        case phi.SizeOp():
            return ()
        case phi.TupleOp():
            return ((op.result, (use.index, *path)),)
        case phi.ProjOp() if path:
            return ((op.result, path[1:]),) if path[0] == op.field.value.data else ()
        case phi.YieldOp():
            parent = op.parent_op()
            return _carry(parent, path) if parent is not None and parent is not around else ()
        case phi.FoldOp() | phi.ReduceOp() | phi.ConcatOp():
            return _carry(op, path)
        case phi.GetOp() if use.index == 0:
            return _carry(op, path)
        case arith.SelectOp() if use.index > 0:
            return _carry(op, path)
        case _:
            return _carry(op, ())


def _carry(op: Operation, path: tuple[int, ...]) -> list[Part]:
    """The results of an operation and the variables that its body carries from step to step."""
    variables: Sequence[SSAValue] = ()
    if isinstance(op, phi.FoldOp):
        variables = (op.accumulator,)
    elif isinstance(op, phi.ReduceOp):
        variables = op.body.block.args
    return [(value, path) for value in (*op.results, *variables)]
