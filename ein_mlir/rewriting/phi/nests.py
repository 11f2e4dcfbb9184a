"""Loops that do nothing but run another one, and the same steps in one loop."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.ir import Operation, Region, SSAValue

from ein_mlir.analysis.scopes import dependents, is_within
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.verification import is_regular
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.phi.builders import fold_body
from ein_mlir.rewriting.phi.insertion import Builder


@dataclass(frozen=True)
class Nest:
    """``fold (i < n, acc = x) { fold (j < m, acc) { .. } }``, for an m that is the same in each."""

    outer: phi.FoldOp
    inner: phi.FoldOp


def nest_of(inner: phi.FoldOp) -> Nest | None:
    """The nest of which a fold is the inner one."""
    outer = inner.parent_op()
    if not isinstance(outer, phi.FoldOp) or outer.yielded() is not inner.result:
        return None
    is_carried = inner.init is outer.accumulator and outer.accumulator.has_one_use()
    if not is_carried or is_within(inner.count, outer):
        return None
    others = list(outer.body.block.ops)[:-2]
    varying = dependents(outer.body.block, outer.accumulator)
    is_plain = all(not each.regions and varying.isdisjoint(each.results) for each in others)
    is_last = outer.body.block.last_op is not None and outer.body.block.last_op.prev_op is inner
    return Nest(outer, inner) if is_plain and is_last and is_regular(inner) else None


def flattened(nest: Nest, build: Builder) -> phi.FoldOp:
    """``fold (t < n * m, acc = x) { .. }`` with ``t // m`` and ``t % m`` for i and j."""
    outer, inner = nest.outer, nest.inner
    body = fold_body(inner, outer.init.type)
    into = Builder.at_end(body)
    values: dict[SSAValue, SSAValue] = {
        outer.counter: into.floordiv(body.args[0], inner.count),
        inner.counter: into.floormod(body.args[0], inner.count),
        inner.accumulator: body.args[1],
    }
    for each in (*list(outer.body.block.ops)[:-2], *list(inner.body.block.ops)[:-1]):
        if _is_number_of_step(each, nest):
            values[each.results[0]] = body.args[0]
        else:
            into.copy(each, values)
    into.yield_(values.get(inner.yielded(), inner.yielded()))
    count = build.mul(outer.count, inner.count)
    return build.insert(phi.FoldOp(count, outer.init, Region(body)))


def _is_number_of_step(op: Operation, nest: Nest) -> bool:
    """Whether an operation computes ``i * m + j``."""
    if not isinstance(op, arith.AddiOp):
        return False
    factors = {nest.outer.counter, nest.inner.count}
    return any(
        place is nest.inner.counter
        and isinstance(rows.owner, arith.MuliOp)
        and {*rows.owner.operands} == factors
        for rows, place in (op.operands, op.operands[::-1])
    )
