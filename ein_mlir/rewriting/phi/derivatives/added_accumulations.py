"""Sums of accumulations at the same positions: ``accumulate { p, x } + accumulate { p, y }``."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.phi.equality import computes_same
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi import Term
from ein_mlir.rewriting.phi.insertion import Builder, Inserter

Sum = Callable[[Builder, int, Sequence[SSAValue]], SSAValue]
"""Adds values of the steps of an accumulation at some number of positions."""


def accumulated_together(
    build: Inserter, values: Sequence[SSAValue], sizes: SizeEquivalence, add: Sum
) -> list[SSAValue]:
    """Values with the same sum: ``accumulate { p, x + y }`` for accumulations at ``p``."""
    found = list[SSAValue]()
    for value in values:
        alike = (k for k, each in enumerate(found) if _are_at_same_places(each, value, sizes))
        if (number := next(alike, None)) is None:
            found.append(value)
        else:
            found[number] = both = _both(build, found[number], value, add)
            assert isinstance(both.owner, Operation)
            sizes.add(both.owner)
    return found


def _are_at_same_places(value: SSAValue, other: SSAValue, sizes: SizeEquivalence) -> bool:
    """Whether values are accumulations of as many steps, at the same positions."""
    one, another = value.owner, other.owner
    if not isinstance(one, phi.AccumulateOp) or not isinstance(another, phi.AccumulateOp):
        return False
    if len(one.sizes) != len(another.sizes) or len(one.extents) != len(another.extents):
        return False
    counts = zip(one.sizes, another.sizes, strict=True)
    renamed = dict[SSAValue, SSAValue](zip(one.indices, another.indices, strict=True))
    (*places, _), (*others, _) = map(_fields, (one, another))
    return all(sizes.same(Term(n), Term(m)) for n, m in counts) and all(
        computes_same(p, q, renamed) for p, q in zip(places, others, strict=True)
    )


def _both(build: Inserter, value: SSAValue, other: SSAValue, add: Sum) -> SSAValue:
    """Two accumulations at the same positions as one."""
    one, another = phi.AccumulateOp.of(value), phi.AccumulateOp.of(other)

    def contributions(
        inner: Builder, found: Sequence[SSAValue]
    ) -> list[tuple[list[SSAValue], SSAValue]]:
        (*places, first), (*_, second) = (
            inner.copied(
                each.body.block, _fields(each), dict(zip(each.indices, found, strict=True))
            )
            for each in (one, another)
        )
        return [(places, add(inner, len(places), (first, second)))]

    return build.accumulation(one.sizes, [("add", one.extents)], contributions, one.indices)


def _fields(op: phi.AccumulateOp) -> Sequence[SSAValue]:
    """The positions and the value that the steps of an accumulation yield."""
    record = phi.TupleOp.of(op.yielded())
    return record.fields
