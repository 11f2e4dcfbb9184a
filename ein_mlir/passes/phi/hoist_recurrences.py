"""``hoist-recurrences``: fields of a fold that do not vary with the loops around it.

The fields of an accumulator that depend on no others, such as the covariance of a Kalman filter for
many tracks, are the same for all of them. So is what a step computes from these, such as the gain.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from xdsl.dialects import func
from xdsl.dialects.builtin import TupleType
from xdsl.ir import SSAValue

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.phi.element_cost import CHEAP, total_cost
from ein_mlir.analysis.phi.fold_components import fields_read
from ein_mlir.analysis.phi.free_indices import leaf_types
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.searches import leaf_values
from ein_mlir.analysis.phi.speculation import may_be_skipped
from ein_mlir.analysis.phi.variables import Variables, variables_of
from ein_mlir.analysis.scopes import (
    around,
    innermost_first,
    is_defined_in,
    is_within,
    operands_within,
    operations_in,
    slice_within,
)
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.integers import is_nonnegative
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.builders import split
from ein_mlir.rewriting.phi.fields import replace_fields, with_histories
from ein_mlir.rewriting.phi.insertion import Builder

Place: TypeAlias = phi.ArrayOp | phi.AccumulateOp | phi.FoldOp

_NONE = frozenset[int]()


@dataclass(frozen=True)
class Recurrence:
    """Fields of a fold that are the same in all steps of a loop around it."""

    fold: phi.FoldOp
    fields: frozenset[int]
    place: Place
    """The outermost such loop."""
    first: int
    """The number of the first index of that loop that they do not vary with."""
    used: tuple[SSAValue, ...]
    """The values of a step that are computed from them, and that other fields depend on."""

    @property
    def wanted(self) -> list[SSAValue]:
        """The values of a step that a fold of the fields computes."""
        steps = leaf_values(self.fold.yielded())
        return [*(steps[field] for field in sorted(self.fields)), *self.used]


def hoist_recurrences(function: func.FuncOp, analyses: AnalysisManager) -> None:
    """Compute the recurrences of a function before the loops that they do not vary with."""
    folds = innermost_first(function, phi.FoldOp)
    variables: Mapping[SSAValue, Variables] | None = None
    for op in filter(_may_have_parts, folds):
        variables = variables_of(function) if variables is None else variables
        found = _Finder(op, variables).found()
        if found is not None:
            name = name_of(op.accumulator)
            analyses.note(op, f"a recurrence of {name} is computed before the loops around it")
            _take_out(found)
            variables = None


def _may_have_parts(op: phi.FoldOp) -> bool:
    """Whether a fold in a loop has several fields."""
    return isinstance(op.init.type, TupleType) and isinstance(op.parent_op(), Place)


class _Finder:
    """Finds the recurrence of a fold to take out."""

    def __init__(self, op: phi.FoldOp, variables: Mapping[SSAValue, Variables]):
        self._op = op
        self._variables = variables

    def found(self) -> Recurrence | None:
        """The recurrence, if it takes longer than to load what it computes."""
        op, count = self._op, len(leaf_types(self._op.init.type))
        self._inits, self._steps = leaf_values(op.init), leaf_values(op.yielded())
        loop, read = op.parent_op(), fields_read(op)
        if read is None or not len(self._inits) == len(self._steps) == count:
            return None
        self._read = read
        found = self._innermost(loop) if isinstance(loop, Place) else None
        return found if found and self._is_costly(found) and _may_move(found) else None

    def _innermost(self, loop: Place) -> Recurrence | None:
        """The fields that do not vary with a loop, and with as many as possible around that."""
        indices = len(loop.counters()) if isinstance(loop, phi.ArrayOp) else 1
        for first in range(indices):
            changing = _changing(loop, first)
            fields = self._unvarying(changing)
            if len(fields) == len(self._steps):
                return None
            if fields:
                place, changing = (loop, changing) if first else self._outermost(loop, fields)
                used = tuple(dict.fromkeys(self._used(fields, changing)))
                return Recurrence(self._op, fields, place, first, used)
        return None

    def _outermost(self, loop: Place, fields: frozenset[int]) -> tuple[Place, Variables]:
        """The outermost loop around one that fields do not vary with, nor with those between.

        With the variables of all of these.
        """
        changing = _changing(loop)
        for outer in around(loop.parent_op()):
            if not isinstance(outer, Place):
                break
            more = changing | _changing(outer)
            if self._unvarying(more) != fields:
                break
            loop, changing = outer, more
        return loop, changing

    def _unvarying(self, changing: Variables) -> frozenset[int]:
        """The fields that do not depend on variables of loops around the fold."""
        if self._depends(self._op.count, changing):
            return _NONE
        fields = {
            field
            for field, values in enumerate(zip(self._inits, self._steps, strict=True))
            if not any(self._depends(value, changing) for value in values)
        }
        while others := {f for f in fields if not self._fields_of(self._steps[f]) <= fields}:
            fields -= others
        return frozenset(fields)

    def _depends(self, value: SSAValue, changing: Variables) -> bool:
        return not changing.isdisjoint(self._variables.get(value, ()))

    def _fields_of(self, value: SSAValue) -> frozenset[int]:
        return self._read.get(value, _NONE)

    def _used(self, fields: frozenset[int], changing: Variables) -> Iterator[SSAValue]:
        """The values that only the fields affect, of operations that others affect, too."""
        block = self._op.body.block

        def is_known(value: SSAValue) -> bool:
            read = self._fields_of(value)
            return bool(read) and read <= fields and not self._depends(value, changing)

        rest = [step for field, step in enumerate(self._steps) if field not in fields]
        yield from filter(is_known, rest)
        for op in slice_of(block, rest):
            if not all(map(is_known, op.results)):
                own = (x for x in operands_within(op) if is_defined_in(x, block))
                yield from filter(is_known, own)

    def _is_costly(self, found: Recurrence) -> bool:
        """Whether a step takes longer than to load the values of it that are used."""
        ops = slice_of(self._op.body.block, found.wanted)
        return total_cost(ops) > CHEAP * len(found.used)


def _changing(loop: Place, first: int = 0) -> Variables:
    """The variables of a loop, without some first indices."""
    return frozenset((*loop.counters()[first:], *loop.variables()))


def _may_move(found: Recurrence) -> bool:
    """Whether the recurrence raises no errors, and arrays of what it computes have known sizes."""
    needed = [*_captured(found), found.fold.count]
    ops = slice_of(found.fold.body.block, found.wanted)
    moved = [
        inner for op in (*ops, *slice_within(found.place, needed)) for inner in operations_in(op)
    ]
    return may_be_skipped(moved) and all(_sizes(found, each) is not None for each in found.used)


def _captured(found: Recurrence) -> list[SSAValue]:
    """The values from outside of the fold that the recurrence needs."""
    fold = found.fold
    inits = leaf_values(fold.init)
    ops = slice_of(fold.body.block, found.wanted)
    inside = (value for op in ops for value in operands_within(op) if not is_within(value, fold))
    return [*(inits[field] for field in sorted(found.fields)), *inside]


def _sizes(found: Recurrence, value: SSAValue) -> Sequence[SSAValue] | None:
    """The sizes of a value that a step computes, if they are the same in all steps."""
    rank, sizes = phi.rank_of(value.type), list[SSAValue]()
    while len(sizes) < rank and isinstance(op := value.owner, phi.ArrayOp):
        sizes.extend(op.sizes)
        value = op.yielded()
    is_known = len(sizes) == rank and not any(is_within(size, found.fold) for size in sizes)
    return sizes if is_known else None


def _take_out(found: Recurrence) -> None:
    """``array (i < n) { fold (k < m, (x, p) = ..) { (f(x, p), g(p)) } }``  -->

    ``q = fold (k < m, (p, q) = ..) { (g(p), update q[k], p) }`` before the loop, and
    ``array (i < n) { fold (k < m, x = ..) { f(x, q[k]) } }``.
    """
    fold, place = found.fold, found.place
    if found.first:
        assert isinstance(place, phi.ArrayOp)
        split(place, found.first)
        outer = fold.parent_op()
        assert isinstance(outer, phi.ArrayOp)
        place = outer
    values = dict[SSAValue, SSAValue]()
    build = Builder.before(place)
    sizes = [size for each in found.used for size in _sizes(found, each) or ()]
    build.copy_all(slice_within(place, [*_captured(found), fold.count, *sizes]), values)
    fields, inits = sorted(found.fields), leaf_values(fold.init)
    count = values.get(fold.count, fold.count)
    count = count if is_nonnegative(count) else build.max(count, 0)
    rows = list[tuple[SSAValue, SSAValue]]()
    for each in found.used:
        axes = [count, *(values.get(size, size) for size in _sizes(found, each) or ())]
        rows.append((build.zeros(axes, phi.scalar_of(each.type)), each))
    starts = {field: values.get(inits[field], inits[field]) for field in fields}
    leaves = with_histories(build, fold, fields, starts, rows, count=count, known=values)
    inside = Builder.at_start(fold.body.block)
    for value, array in zip(found.used, leaves[len(fields) :], strict=True):
        read = inside.get(array, [fold.counter])
        read.name_hint = value.name_hint
        value.replace_all_uses_with(read)
    finals = dict(zip(fields, leaves, strict=False))
    erase_unused(fold.body.block)
    replace_fields(fold, Builder.before(fold).leaves(fold.init), finals)


class HoistRecurrencesPass(FunctionPass):
    """Computes the fields of a fold before the loops around it that they do not vary with.

    Before::

        %r = phi.array (%i < %n) -> !phi.vec<f64> {
          %s = phi.fold (%t < %m, %acc = (%zero, %one)) -> tuple<f64, f64> {
            %gain = .. %acc.1 ..
            phi.yield (%acc.0 + %gain * %z[%i, %t], %acc.1 - %gain * %acc.1)
          }
          phi.yield %s.0
        }

    After::

        %0 = phi.fold (%t < %m, %acc = (%one, %zeros)) -> tuple<f64, !phi.vec<f64>> {
          %gain = .. %acc.0 ..
          phi.yield (%acc.0 - %gain * %acc.0, update %acc.1[%t], %gain)
        }
        %r = phi.array (%i < %n) -> !phi.vec<f64> {
          phi.fold (%t < %m, %x = %zero) -> f64 { %x + %0.1[%t] * %z[%i, %t] }
        }

    The fields depend on no others, and on no variables of the loops around the fold, as its count.
    What a step computes from them alone is stored for all steps if other fields need it. It costs
    more than loads of it would, may raise no error, and its sizes are known before the fold. A
    negative count is no error of the new fold, but stays one of the other fields. On a library, a
    step of all folds is one on whole arrays, which computes such fields once in any case.
    """

    name = "hoist-recurrences"
    looks_for = (phi.FoldOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        hoist_recurrences(function, analyses)
