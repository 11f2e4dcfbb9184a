"""Loops whose rows take the first of the same steps: one loop keeps the state after each."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import BlockArgument, SSAValue

from ein_mlir.analysis.arithmetic import MOST, LinearForm
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.phi.counted_loops import CountedLoop
from ein_mlir.analysis.phi.free_indices import leaf_paths
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.speculation import any_may_fail
from ein_mlir.analysis.phi.unobserved_fields import used_fields
from ein_mlir.analysis.scopes import is_within, operands_within, slice_within
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.phi.raise_counted_loops.rectangles import (
    Rectangle,
    fewest_steps,
    from_first_steps,
)
from ein_mlir.passes.phi.raise_counted_loops.segments import CountedRows, length
from ein_mlir.passes.phi.raise_counted_loops.steps import replace, resume, step
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.phi.insertion import Builder

_MOST_STATES = 2**16
"""The most states that are kept where data determines their number."""


@dataclass(frozen=True)
class States:
    """A loop in a comprehension whose indices determine its number of steps, some of them alone."""

    loop: CountedLoop
    around: phi.ArrayOp
    others: Sequence[BlockArgument]
    """The indices of the comprehension that steps vary with."""

    inputs: Sequence[SSAValue]
    """The values from outside of the loop that steps depend on."""

    longest: Rectangle | CountedRows
    """The steps of the longest row, """

    may_fail: bool
    """and whether one may be an error."""

    fewest: LinearForm
    """The number of steps that all rows take, if positive."""

    @property
    def are_limited(self) -> bool:
        """Whether there is a largest number of states: their number depends on data."""
        return isinstance(self.longest, CountedRows)

    def count(self, forms: IndexForms) -> SSAValue:
        """The number of steps of the longest row."""
        build = Builder.before(self.around, forms.add)
        if isinstance(self.longest, CountedRows):
            place = self.longest.place(forms)
            count = place.min(self.longest.most(place), _MOST_STATES)
        else:
            count = self.longest.count(self.loop, forms)
            if forms.range(count).high > MOST:  # then the size of the comprehension fails
                count = build.select(build.compare(count, "sle", MOST), count, 0)
        if self.may_fail:
            has_rows = [build.compare(size, "sgt", 0) for size in self.around.sizes]
            count = build.select(build.all_of(has_rows), count, 0)
        return count

    def skipped(self, build: Builder) -> SSAValue | None:
        """The number of first states that no row has, if there are any."""
        known = self.fewest.known()
        if known is not None and known <= 0:
            return None
        return build.max(build.linear_value(self.fewest), 0)

    def taken(self, build: Builder) -> SSAValue:
        """The number of steps of a row, of those that have states."""
        start, end = self.loop.start, self.loop.end
        taken = build.max(end, 0) if known_int(start) == 0 else length(build, start, end)
        return build.min(taken, _MOST_STATES) if self.are_limited else taken


def states_of(loop: CountedLoop, forms: IndexForms, *, static: bool) -> States | None:
    """The loop and its indices, if steps are the same ones along an index.

    Arrays keep their sizes. A step that may fail is one that a row takes. With ``static``, the
    number of states does not depend on data. States of more than a few numbers are as few as rows.
    """
    around, body = loop.op.parent_op(), loop.op.body.block
    if not isinstance(around, phi.ArrayOp) or not (counting := forms.free.of(loop.end)):
        return None
    steps = slice_of(body, [loop.next(path) for path in loop.fields])
    used = {value for each in steps for value in operands_within(each)}
    inputs = [value for value in used if not is_within(value, loop.op)]
    needed = [loop.start, *map(loop.initial, loop.fields), *inputs]
    varying = frozenset[BlockArgument]().union(*map(forms.free.of, needed))
    own = slice_within(around, needed)
    if (
        not counting - varying
        or not counting - varying <= frozenset(around.indices)
        or loop.op.counter in used
        or any(op.regions for op in own)
        or any(map(any_may_fail, own))
        or not all(_keeps_sizes(loop, path, forms) for path in loop.fields)
    ):
        return None
    others = [each for each in around.indices if each in varying]
    are_numbers = all(phi.is_scalar_type(loop.initial(path).type) for path in loop.fields)
    is_small = not others and are_numbers
    longest: Rectangle | CountedRows | None = from_first_steps(loop, around.sizes, forms)
    if longest is None and is_small and not static and len(counting) == 1:
        longest = CountedRows(loop, around, next(iter(counting)))
    may_fail, fewest = any(map(any_may_fail, steps)), fewest_steps(loop, forms)
    if fewest is None and is_small:
        fewest = LinearForm()
    if longest is None or fewest is None:
        return None
    if may_fail and isinstance(longest, Rectangle) and len(longest.ends) > 1:
        return None
    return States(loop, around, others, inputs, longest, may_fail, fewest)


def _keeps_sizes(loop: CountedLoop, path: phi.Path, forms: IndexForms) -> bool:
    """Whether a field has one size along each axis; a number has none."""
    first, after = loop.initial(path), loop.next(path)
    sizes = [
        (forms.size(first, axis), forms.size(after, axis))
        for axis in range(phi.rank_of(first.type))
    ]
    return all(before is not None and before == later for before, later in sizes)


def keep(found: States, forms: IndexForms) -> None:
    """``array (i < m) { while (k < n_i, y = x) { e } }  -->
    array (i < m) { s[n_i] }``, where ``s = fold (k < max n, s = array (t <= max n) { x })``

    is the loop of the longest row, whose step k writes e as element k + 1. There is one for each
    other index that steps vary with. Rows of more steps than there are states go on from the last.
    """
    loop, around = found.loop, found.around
    build = Builder.before(around, forms.add)
    count = found.count(forms)
    kept = loop.fields if found.are_limited else _read_fields(loop)
    skipped = found.skipped(build)
    sizes = [around.sizes[index.index] for index in found.others]

    def arrays(inner: Builder, at: Sequence[SSAValue]) -> Sequence[SSAValue]:
        known: dict[SSAValue, SSAValue] = dict(zip(found.others, at, strict=True))
        return _arrays(inner, found, known, kept, count, skipped)

    states = build.comprehensions(sizes, arrays, found.others) if sizes else arrays(build, ())
    inner = Builder.before(loop.op, forms.add)
    taken = found.taken(inner)
    place = taken if skipped is None else inner.sub(taken, skipped)
    read = {
        path: inner.get(state, [*found.others, place])
        for path, state in zip(kept, states, strict=True)
    }
    fields = [read.get(path) or loop.initial(path) for path in loop.fields]
    if found.are_limited:
        resume(loop, inner, inner.add(loop.start, taken), fields, forms)
    else:
        replace(loop, inner, fields, forms)


def _read_fields(loop: CountedLoop) -> list[phi.Path]:
    """The fields of the result that are read."""
    paths = leaf_paths(loop.op.init.type)
    used = {paths[number] for number in used_fields(loop.op.result)}
    return [path for path in loop.fields if path in used]


def _arrays(
    build: Builder,
    found: States,
    known: dict[SSAValue, SSAValue],
    kept: Sequence[phi.Path],
    count: SSAValue,
    skipped: SSAValue | None,
) -> list[SSAValue]:
    """The states of some fields, after some steps and each later one, for the other indices."""
    loop = found.loop
    number = build.add(count, 1)
    if skipped is not None:
        number = build.max(build.sub(number, skipped), 0)

    def here(value: SSAValue) -> SSAValue:
        return build.recomputed(value, known, lambda each: is_within(each, found.around))

    first = [here(loop.initial(path)) for path in loop.fields]
    start = here(loop.start)
    own = dict(zip(loop.fields, first, strict=True))
    for value in found.inputs:
        here(value)

    def repeated(value: SSAValue) -> SSAValue:
        sizes = build.sizes_of(value)

        def element(inner: Builder, at: Sequence[SSAValue]) -> SSAValue:
            return inner.get(value, at[1:]) if sizes else value

        return build.comprehension([number, *sizes], element)

    def body(inner: Builder, counter: SSAValue, carried: SSAValue) -> SSAValue:
        fields = inner.unpacked(carried, len(loop.fields) + len(kept))
        before, arrays = fields[: len(loop.fields)], fields[len(loop.fields) :]
        values = step(inner, loop, inner.add(start, counter), before, known)
        after = {path: values.get(loop.next(path), loop.next(path)) for path in loop.fields}
        place = inner.add(counter, 1)
        place = place if skipped is None else inner.sub(place, skipped)
        written = [
            inner.update(array, [place], after[path])
            for path, array in zip(kept, arrays, strict=True)
        ]
        return inner.packed([*after.values(), *written])

    init = build.packed([*first, *(repeated(own[path]) for path in kept)])
    names = [loop.op.counter, loop.op.accumulator]
    result = build.fold_over(count, init, body, names)
    erase_unused(phi.FoldOp.of(result).body.block)  # the condition, which depends on the row
    return build.unpacked(result, len(loop.fields) + len(kept))[len(loop.fields) :]
