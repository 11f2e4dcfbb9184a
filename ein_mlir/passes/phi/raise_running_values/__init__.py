"""``raise-running-values``: scalars that a fold carries become scans before it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.phi.derivatives import is_differentiated, may_save_steps
from ein_mlir.analysis.phi.index_ranges import is_thin
from ein_mlir.analysis.phi.loops.carried import Field, Fields, Row
from ein_mlir.analysis.phi.loops.combinations import (
    Combined,
    Later,
    Modular,
    Reset,
    Weighted,
    later_choices,
)
from ein_mlir.analysis.phi.loops.dependence import Dependences
from ein_mlir.analysis.phi.loops.first_taken import First
from ein_mlir.analysis.phi.loops.linear import Lagged, LinearRecurrence, lagged_elements
from ein_mlir.analysis.phi.loops.writes import last_write
from ein_mlir.analysis.phi.searches import leaf_values
from ein_mlir.analysis.scopes import dependents
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.phi.raise_running_values.running import Running
from ein_mlir.rewriting.phi.divided_counters import in_rows
from ein_mlir.rewriting.phi.fields import Parts, replace_fields
from ein_mlir.rewriting.phi.fold_passes import FoldPass, FoldRaiser
from ein_mlir.rewriting.phi.insertion import Builder, Inserter
from ein_mlir.rewriting.phi.interchange import interchanged, pointwise
from ein_mlir.rewriting.phi.linear_recurrences import (
    LinearSteps,
    after_first_steps,
    carry_elements,
    rows_read,
)
from ein_mlir.rewriting.phi.nests import Nest, flattened, nest_of
from ein_mlir.rewriting.phi.replacement import erase_all, erase_unused_among, insert_before, replace
from ein_mlir.rewriting.phi.selected_searches import compare_with_first, read_values
from ein_mlir.rewriting.phi.versions import Versions


class RunningValueRaiser(FoldRaiser["RaiseRunningValuesPass"]):
    """Takes the fields that are known before a fold out of it."""

    def fold(self, op: phi.FoldOp) -> None:
        """Take out one field after the other, of a nest if it is the inner fold of one."""
        if self._options.derivatives and not (is_differentiated(op) and may_save_steps(op)):
            return
        left: phi.FoldOp | None = op
        while left is not None:
            nest = nest_of(left) if self._options.scans else None
            found = None if nest is None else self._flat(nest)
            if nest is not None and found is not None:
                left = self._take_of_nest(nest, *found)
                continue
            field = self._known(left)
            if field is not None and self._may_be_known(left, field):
                left = self._take(left, field)
            elif self._options.windows and (linear := self._linear(left, Later())) is not None:
                left = self._take_linear(left, linear)
            elif self._options.windows and self._settles(left):
                continue
            elif self._options.columns and (found := self._few_columns(left)) is not None:
                left = self._take_columns(left, *found)
            else:
                return

    def _known(self, op: phi.FoldOp) -> Field | None:
        may_weigh = not self._free.of(op.result)
        weighted = self._options.windows and may_weigh
        found = Fields(op, self._forms, weighted=weighted).known(scans=self._options.scans)
        if found is None and self._options.rows and may_weigh:
            found = _with_one_cost(op, Fields(op, self._forms).known(scans=self._options.scans))
        return None if self._options.derivatives and not _has_rules(found) else found

    def _linear(self, op: phi.FoldOp, later: Later) -> LinearRecurrence | Lagged | None:
        """Fields, or elements of one, that are a linear recurrence.

        None if there may be no arrays of its terms, or if its steps are provably few.
        """
        if self._free.of(op.result) or known_int(op.count) is not None:
            return None
        found = Fields(op, self._forms, later=later).linear()
        if found is not None and self._may_run_at_once(op, [*found.terms]):
            return found
        candidates = lagged_elements(op, self._forms, later)
        return next((x for x in candidates if self._may_run_at_once(op, [*x.form.terms])), None)

    def _settles(self, op: phi.FoldOp) -> bool:
        """Whether a field is known from some first steps on, and the fold is one over the rest."""
        later, first = later_choices(op)
        if not later or self._free.of(op.result):
            return False
        field = Fields(op, self._forms, later=later).known(scans=self._options.scans)
        is_known = field is not None and self._may_be_known(op, field)
        if not is_known and self._linear(op, later) is None:
            return False
        after_first_steps(op, later, first, self._forms)
        return True

    def _take_linear(self, op: phi.FoldOp, found: LinearRecurrence | Lagged) -> phi.FoldOp | None:
        """``fold ((x, y) = ..) { (a * x + e, f(x, y)) }`` likewise, by blocks of steps."""
        self.has_new_folds = True
        if isinstance(found, Lagged):
            return carry_elements(op, found, self._forms)
        build = Builder.before(op)
        self._note(op, f"fields {found.numbers} of {name_of(op.accumulator)} are {found}")
        inits = build.leaves(op.init)
        read = rows_read(op, found)
        finals, arrays = LinearSteps(op, found, inits, read).build(build)
        inner = Builder.at_start(op.body.block)
        for row, values in arrays.items():
            before = inner.get(values, [op.counter])
            after = inner.get(values, [inner.add(op.counter, 1)])
            for value in (each for each, k in found.fields.items() if k == row):
                value.replace_all_uses_with(before)
            if found.steps[row] not in found.terms:
                found.steps[row].replace_all_uses_with(after)
        values = dict(zip(found.numbers, finals, strict=True))
        return replace_fields(op, inits, values, self._free)

    def _flat(self, nest: Nest) -> tuple[phi.FoldOp, Field] | None:
        """The fold of all steps of a nest, and a field of it that may be known."""
        flat = flattened(nest, Builder.before(nest.outer, self._free.add))
        self._forms.add(flat)
        field = self._known(flat)
        if field is not None and self._may_be_known(flat, field):
            return flat, field
        erase_all([flat])
        return None

    def _take_of_nest(self, nest: Nest, flat: phi.FoldOp, field: Field) -> phi.FoldOp | None:
        """Take a field out of the fold of all steps of a nest; the inner fold of the others."""
        rows, length, name = nest.outer.count, nest.inner.count, nest.outer.counter.name_hint
        replace(nest.outer, flat.result, self._free)
        left = self._take(flat, field)
        if left is None:
            return None
        outer = in_rows(left, rows, length)
        outer.counter.name_hint = name
        self._free.add(outer)
        self._forms.add(outer)
        return self._flat_scatter(phi.FoldOp.of(outer.yielded()))

    def _flat_scatter(self, op: phi.FoldOp) -> phi.FoldOp:
        """The fold of all steps of a nest that writes at positions from data, or the inner fold."""
        nest = nest_of(op)
        writes = [last_write(step, op.body.block) for step in leaf_values(op.yielded())]
        if nest is None or any(write is None for write in writes):
            return op
        self._forms.add(nest.outer)
        dependences = Dependences(op, self._forms)
        for write in writes:
            if write is not None and dependences.walk(write.positions, write.indices) is not None:
                return op
        flat = flattened(nest, Builder.before(nest.outer, self._free.add))
        replace(nest.outer, flat.result, self._free)
        return flat

    def _few_columns(self, op: phi.FoldOp) -> tuple[Row, phi.ArrayOp] | None:
        """An array that a fold carries, and its elements after each number of steps.

        The fold is one of two versions from then on, unless the array provably has few elements.
        """
        found = self._row(op)
        if found is None:
            return None
        row, ops, table = found
        most = self._options.columns
        known = [self._forms.range_of(self._forms.integer(size)) for size in table.sizes]
        if math.prod(each.high for each in known) <= most:
            return row, table
        erase_unused_among([*ops, table])
        if any(each.low > most for each in known):
            return None

        def are_few(build: Inserter) -> Sequence[SSAValue]:
            array = build.leaves(op.init)[row.number]
            sizes = [build.size(array, axis) for axis in range(len(known))]
            counts = sizes if len(sizes) == 1 else [*sizes, reduce(build.mul, sizes)]
            return [build.compare(count, "sle", build.integer(most)) for count in counts]

        versions = Versions(op)
        self._forms.add(*versions.ops, *versions.where(are_few))
        self._sizes.inherit(versions.result, op.result)
        self._free.replace(op.result, versions.result)
        again = self._row(op)
        return None if again is None else (again[0], again[2])

    def _row(self, op: phi.FoldOp) -> tuple[Row, Sequence[Operation], phi.ArrayOp] | None:
        """An array that a fold carries, and operations before the fold, of which the last one has
        its elements after each number of steps, by columns.
        """
        for row in Fields(op, self._forms).rows():
            parts = Parts(op, Builder.before(op, self._free.add).leaves(op.init))
            fold, ops = parts.inserted([row.number])
            self._forms.add(*ops)
            found = pointwise(fold, self._sizes)
            new = None if found is None else interchanged(fold, found, self._sizes)
            table = None
            if new is not None:
                insert_before(op, new)
                self._forms.add(*new)
                table = self._columns(new)
            erase_unused_among(ops)
            if new is not None and table is not None:
                return row, new[:-1], table
        return None

    def _columns(self, new: list[Operation]) -> phi.ArrayOp | None:
        """``array (c < m) { fold { e } }`` as the values of elements after each number of steps.

        None, and no operation is left, if they are no scan.
        """
        array = phi.ArrayOp.of(new[-1])
        fold = phi.FoldOp.of(array.yielded())
        carried = Fields(fold, self._forms, weighted=False).carried(0)
        if carried is None or isinstance(carried, First):
            erase_all(new)
            return None
        field = Field(0, fold.yielded(), [fold.accumulator], carried, is_read=True)
        if not self._may_be_known(fold, field):
            erase_all(new)
            return None
        build = Builder.before(fold, self._free.add)
        values = Running(fold, field, fold.init, build).values()
        size = build.add(fold.count, 1)
        steps = build.comprehension(
            [size], lambda inner, own: values(inner, inner.as_int(own[0])), [fold.counter]
        )
        build.yield_(steps)
        erase_all([*array.body.block.ops][-2:])
        table = phi.ArrayOp(array.sizes, array.detach_region(array.body))
        insert_before(array, [table])
        array.detach()
        array.erase()
        return table

    def _take_columns(self, op: phi.FoldOp, row: Row, table: phi.ArrayOp) -> phi.FoldOp | None:
        """``fold ((x, y) = ..) { (array (c < m) { e(x[c]) }, f(x, y)) }`` likewise, by its columns.

        The fold of the other fields.
        """
        self.has_new_folds = True
        self._note(op, f"each element of field {row.number} of {name_of(op.accumulator)} is a scan")
        inits = Builder.before(op).leaves(op.init)

        def at(build: Builder, step: SSAValue) -> SSAValue:
            def element(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
                return inner.get(table.result, [*own, step])

            return build.comprehension(table.sizes, element)

        inner = Builder.at_start(op.body.block)
        before, after = at(inner, op.counter), at(inner, inner.add(op.counter, 1))
        for value in row.previous:
            value.replace_all_uses_with(before)
        row.step.replace_all_uses_with(after)
        final = at(Builder.before(op), op.count)
        return replace_fields(op, inits, {row.number: final}, self._free)

    def _note_field(self, op: phi.FoldOp, field: Field) -> None:
        counter, name = name_of(op.counter), name_of(op.accumulator)
        self._note(op, f"field {field.number} of {name} in the fold over {counter} is a scan")

    def _may_be_known(self, op: phi.FoldOp, field: Field) -> bool:
        """Whether errors and memory allow arrays of the values in all steps."""
        if is_thin(op.count):
            return False
        found = field.carried
        if isinstance(found, Weighted) and _is_fallback(op):
            return False
        is_guarded = isinstance(found, Combined) and not isinstance(found, Reset)
        return self._may_run_at_once(op, list(found.parts), is_guarded=is_guarded)

    def _take(self, op: phi.FoldOp, field: Field) -> phi.FoldOp | None:
        """``fold ((x, y) = ..) { (x + e, f(x, y)) }  -->  fold (y = ..) { f(scan[k], y) }``

        The fold of the other fields, if there are any.
        """
        self.has_new_folds = True
        self._note_field(op, field)
        build = Builder.before(op)
        inits = build.leaves(op.init)
        running = Running(op, field, inits[field.number], build)
        if field.is_read:
            values = running.values()
            final = values(build, op.count)
            if running.first is not None:
                start = Builder.at_start(op.body.block)
                compare_with_first(start, op.counter, field, running.first)
            read_values(op, field, values)
        else:
            final = running.final()
        return replace_fields(op, inits, {field.number: final}, self._free)


def _is_fallback(op: phi.FoldOp) -> bool:
    """Whether a fold runs where a test fails, as beside a scan: ``count = select t, 0, n``."""
    count = op.count.owner
    return isinstance(count, arith.SelectOp) and known_int(count.lhs) == 0


def _with_one_cost(op: phi.FoldOp, field: Field | None) -> Field | None:
    """A field ``max(x + c, e)`` of Ints in the rows of a table, with the same cost in all steps.

    It is two scans then, in fewer steps than the diagonals of the table.
    """
    if field is None or not isinstance(field.carried, Weighted) or field.carried.is_of_floats:
        return None
    costs = [
        part for x in field.carried.links if x.kind == field.carried.weight for part in x.parts
    ]
    is_of_rows = isinstance(op.parent_op(), phi.FoldOp)
    varying = dependents(op.body.block, *op.body.block.args)
    return field if is_of_rows and varying.isdisjoint(costs) else None


def _has_rules(field: Field | None) -> bool:
    """Whether the derivative of the values of a field is that of a sum or a product of floats."""
    return (
        field is not None
        and isinstance(field.carried, Combined)
        and not isinstance(field.carried, Weighted | Modular | Reset)
        and isa(field.step.type, AnyFloat)
        and field.carried.kind in ("add", "mul")
    )


@dataclass(frozen=True)
class RaiseRunningValuesPass(FoldPass):
    """Turns scalars that a fold carries, and that other fields of it read, into scans.

    Before::

        %r = phi.fold (%k < %n, (%acc, %out) = %init) -> tuple<f64, !phi.vec<f64>> {
          %sum = %acc + %a[%k]
          phi.yield (%sum, phi.update %out[%k], %sum) : tuple<f64, !phi.vec<f64>>
        }

    After, with ``%sums`` the scan of ``%a``, and ``%x`` and ``%first`` the fields of ``%init``::

        %s = phi.fold (%k < %n, %out = %first) -> !phi.vec<f64> {
          phi.update %out[%k], %x + %sums[%k + 1]
        }
        %r = phi.tuple (%x + %sums[%n], %s) : tuple<f64, !phi.vec<f64>>

    Products of floats are scans of the initial value and all others: they are taken in order.

    The next value of such a field may be its previous one combined with a value of the step, the
    better one of both, or one of both by a condition of the step: then the last step that takes a
    value is a scan, or a reduction if no other field reads it. All may have conditions, and may
    depend on fields that are already known. A field that takes one value, in the first step in
    which a condition holds, follows from the number of that step, a reduction:
    ``where((x < 0) & c, k, x)`` from -1. With ``scans=false``, fields become reductions only.
    With ``columns``, the elements of an array that depend on their own previous ones alone are such
    scans, too: those of a loop over the rows of a table, for each column. Steps of arrays with more
    elements than that take less time: unless the sizes are known, the loop has two versions.

    Two loops, of which the outer one only runs the inner one, are one here: the scan is that of all
    their steps, ``i * m + j``. If the other fields write at positions from data, they become one.
    With the option ``rows``, before ``skew-folds``, Ints ``max(x + c, e)`` of a loop in another,
    with a cost ``c`` that is the same in all steps, are two scans: rows are fewer than diagonals.
    With the option ``windows``, after ``skew-folds``, values ``max(x + c, e)`` of a loop over
    scalars, and combinations since a reset, are a scan with weights (``phi.weighted_scan``), which
    takes log n steps, or two scans of Ints; a test at run time shows that sums are finite, or do
    not wrap. ``x * a + b`` of Ints and ``(x & a) | b`` are such scans without a test, and
    ``(x + e) % m`` is a remainder of sums. Floats ``a * x + e``, also of several fields, and
    elements that depend so on those just before them, are products of matrices in blocks of steps,
    if the factors are the same in all steps. Steps that the counter makes different, up to 32 at
    the start, run in a loop before. A field stays in the loop if another field reads it that would
    stay a loop anyway, if an array of the values of its steps would be larger than the arrays that
    are read, and if the steps are provably few.
    """

    name = "raise-running-values"
    raiser = RunningValueRaiser

    differentiable: bool = False
    """Whether a value whose derivative may be infinite is computed only in the steps that take it.
    """

    scans: bool = True
    """Whether fields become scans, not only those that take the value of one step."""

    columns: int = 0
    """The most elements of arrays whose elements are scans, too; more take longer than steps."""

    rows: bool = False
    """Whether Ints ``max(x + c, e)`` in the rows of a table, with one cost ``c``, are two scans."""

    windows: bool = False
    """Whether values ``max(x + c, e)``, and combinations since a reset, are scans with weights."""

    derivatives: bool = False
    """Whether it is for sums and products of floats in derivatives only, whose cotangents are then
    those of scans.
    """
