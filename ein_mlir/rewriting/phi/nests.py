"""Loops that do nothing but run another one, and the same steps in one loop."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from xdsl.dialects import arith
from xdsl.ir import Operation, Region, SSAValue

from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.scopes import dependents, is_within
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.verification import is_regular
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.phi.builders import fold_body
from ein_mlir.rewriting.phi.fields import Parts
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.replacement import replace


@dataclass(frozen=True)
class Nest:
    """``fold (i < n, acc = x) { fold (j < m, acc) { .. } }``, for an m that is the same in each."""

    outer: phi.FoldOp
    inner: phi.FoldOp

    def step(self, build: Builder) -> SSAValue:
        """The number of the steps before one of the inner loop: ``i * m + j``."""
        rows = build.mul(self.outer.counter, self.inner.count)
        return build.add(rows, self.inner.counter)


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


@dataclass(frozen=True)
class Flat:
    """A fold with the steps of a nest."""

    fold: phi.FoldOp
    copies: Mapping[SSAValue, SSAValue]
    """The copies of the values of both bodies of the nest."""

    def sources(self, copies: Collection[SSAValue]) -> list[SSAValue]:
        """The values of the nest that have some copies."""
        return [value for value, copy in self.copies.items() if copy in copies]


def flattened(nest: Nest, build: Builder) -> Flat:
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
    return Flat(build.insert(phi.FoldOp(count, outer.init, Region(body))), values)


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


def without_fields(
    nest: Nest, inits: Sequence[SSAValue], known: Mapping[int, SSAValue], free: FreeIndices
) -> phi.FoldOp | None:
    """Replace a nest, given the final values of some fields; the inner fold of the others, if any.

    ``inits`` are the initial values of all fields, before the nest.
    """
    outer, build = nest.outer, Builder.before(nest.outer, free.add)
    values, inner = dict(known), None
    if rest := [field for field in range(len(inits)) if field not in known]:
        new, inner = _of_fields(nest, inits, rest, build)
        values.update(zip(rest, build.leaves(build.emit(new)), strict=True))
    record = build.record(outer.result.type, (values[field] for field in range(len(inits))))
    replace(outer, record, free)
    return inner


def _of_fields(
    nest: Nest, inits: Sequence[SSAValue], fields: Sequence[int], build: Builder
) -> tuple[phi.FoldOp, phi.FoldOp]:
    """Both folds of a nest, over some fields, which depend on no others."""
    init = build.packed([inits[field] for field in fields])
    body, inner_body = fold_body(nest.outer, init.type), fold_body(nest.inner, init.type)
    into = Builder.at_end(body)
    values: dict[SSAValue, SSAValue] = {nest.outer.counter: body.args[0]}
    into.copy_all(list(nest.outer.body.block.ops)[:-2], values)
    Parts(nest.inner, inits).fill(inner_body, fields, values)
    inner = into.insert(nest.inner.again(body.args[1], Region(inner_body)))
    into.yield_(inner.result)
    outer = nest.outer.again(init, Region(body))
    outer.result.name_hint = nest.outer.result.name_hint
    return outer, inner
