"""Loops by a condition that count: ``while (k < n) { k + 1, .. }`` from a first number on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, TupleType, i64
from xdsl.ir import SSAValue

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.free_indices import leaf_paths
from ein_mlir.analysis.phi.selections import is_constant
from ein_mlir.analysis.predicates import relation_of
from ein_mlir.analysis.scopes import is_within
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass

_CONDITION: phi.Path = (0,)


@dataclass(frozen=True)
class CountedLoop:
    """A loop that runs while one field of its accumulator, which counts, is below an end."""

    op: phi.WhileOp
    counter: phi.Path
    start: SSAValue
    end: SSAValue

    @property
    def fields(self) -> list[phi.Path]:
        """The other fields, without the condition."""
        paths = leaf_paths(self.op.init.type)
        return [path for path in paths if path not in (_CONDITION, self.counter)]

    def initial(self, path: phi.Path) -> SSAValue:
        """The first value of a field."""
        return made(self.op.init, path)

    def next(self, path: phi.Path) -> SSAValue:
        """The value of a field after a step."""
        return made(self.op.yielded(), path)

    def path_of(self, value: SSAValue) -> phi.Path | None:
        """The field of the accumulator that a value of the body reads; () for all of it."""
        return path_of(value, self.op)


def step_counts(op: phi.WhileOp) -> Iterator[tuple[SSAValue, Sequence[SSAValue]]]:
    """The first value of each field ``k + 1`` that counts the steps of a loop, and its reads."""
    if not all(map(_is_known, _parts(op.init, op.yielded()))):
        return
    found = defaultdict[phi.Path | None, list[SSAValue]](list)
    for each in op.body.walk():
        if isinstance(each, phi.ProjOp):
            found[path_of(each.result, op)].append(each.result)
    for path in leaf_paths(op.init.type):
        if _increased(made(op.yielded(), path)) in found[path]:
            yield made(op.init, path), found[path]


def path_of(value: SSAValue, op: phi.WhileOp) -> phi.Path | None:
    """The field of the accumulator that a value of the body reads; () for all of it."""
    if value is op.accumulator:
        return ()
    if not isinstance(read := value.owner, phi.ProjOp):
        return None
    outer = path_of(read.record, op)
    return None if outer is None else (*outer, read.field.value.data)


def counted(op: phi.WhileOp) -> CountedLoop | None:
    """The loop, if its condition is that a counter is below an end, and its limit is no limit."""
    if not op.is_unlimited() or not all(map(_is_known, _parts(op.init, op.yielded()))):
        return None
    for path in leaf_paths(op.init.type):
        loop = _counted_by(op, path)
        if loop is not None:
            return loop
    return None


def _counted_by(op: phi.WhileOp, path: phi.Path) -> CountedLoop | None:
    """The loop with a field as its counter."""
    after = made(op.yielded(), path)
    current = _increased(after)
    if current is None or path_of(current, op) != path:
        return None
    start, end = made(op.init, path), end_of(made(op.yielded(), _CONDITION), after)
    if end is None or is_within(end, op) or end_of(made(op.init, _CONDITION), start) is not end:
        return None
    return CountedLoop(op, path, start, _without_least(end, start))


def _increased(value: SSAValue) -> SSAValue | None:
    """``k`` of an Int ``k + 1``."""
    if isinstance(step := value.owner, arith.AddiOp):
        for current, one in (step.operands, reversed(step.operands)):
            if is_constant(one, IntegerAttr(1, i64)):
                return current
    return None


def end_of(condition: SSAValue, counter: SSAValue) -> SSAValue | None:
    """``n`` in ``counter < n``."""
    found = relation_of(condition)
    readings = () if found is None else found.readings
    ends = (each.rhs for each in readings if each.lhs is counter and each.predicate == "slt")
    return next(ends, None)


def _without_least(end: SSAValue, start: SSAValue) -> SSAValue:
    """``n`` of an end ``max(n, 0)`` where the counter starts at 0: below it there are no steps."""
    first = known_int(start)
    while first is not None and isinstance(end.owner, arith.MaxSIOp):
        lhs, rhs = end.owner.operands
        lower, higher = (lhs, rhs) if known_int(lhs) is not None else (rhs, lhs)
        least = known_int(lower)
        if least is None or least > first:
            break
        end = higher
    return end


def _parts(*values: SSAValue) -> Iterator[SSAValue]:
    """The values, and those of records."""
    for value in values:
        yield value
        if isinstance(record := value.owner, phi.TupleOp):
            yield from _parts(*record.fields)


def _is_known(value: SSAValue) -> bool:
    """Whether a value is no record of unknown fields."""
    return not isa(value.type, TupleType) or isinstance(value.owner, phi.TupleOp)


def made(value: SSAValue, path: phi.Path) -> SSAValue:
    """A field of a record that is made of its fields."""
    for field in path:
        value = phi.TupleOp.of(value).fields[field]
    return value
