"""Loops of which each step writes one row of an array."""

from __future__ import annotations

from xdsl.ir import Block, SSAValue

from ein_mlir.analysis.yarr.written_elements import Written, collected_rows
from ein_mlir.dialects import emitpy, yarr
from ein_mlir.rewriting.yarr_to_emitpy.builder import is_object
from ein_mlir.rewriting.yarr_to_emitpy.rules import LibraryLowering


class ListedRows(LibraryLowering):
    """Steps put the rows that they write into a list, and one call joins them.

    With an array in each step, the loop and its derivative would copy it in each step.
    """

    def __init__(self, source: Block):
        super().__init__(source)
        self._rows = dict[SSAValue, Written]()
        """The updates of accumulators that are lists: by the accumulator, and by the result."""

    def fold(self, op: yarr.FoldOp) -> None:
        """A loop, before it ``rows = [None] * n``, and ``with_rows(a, rows, 0, p, 1)`` after it."""
        rows = [row for row in collected_rows(op).values() if self._is_listed(row)]
        for row in rows:
            self._rows[op.accumulators[row.number]] = self._rows[row.update.result] = row
        super().fold(op)
        for row in rows:
            self.bind(op.res[row.number], self._joined(op, row))

    def _is_listed(self, row: Written) -> bool:
        """Whether a loop takes nothing but sizes of an array, and the first row is at a number of
        Python.
        """
        users = {use.operation for use in row.loop.accumulators[row.number].uses} - {row.update}
        starts = map(self.value, row.start.coefficients)
        return all(isinstance(user, yarr.SizeOp) for user in users) and all(map(is_object, starts))

    def _joined(self, op: yarr.FoldOp, row: Written) -> SSAValue:
        array, rows = self.array(op.inits[row.number]), self.value(op.res[row.number])
        start = self.python_int(self.sizes.canonical(row.start))
        axis, stride = map(self.build.literal, (row.update.axes[0], row.stride))
        name, type_ = self.name("with_rows"), op.res[row.number].type
        return self.build.helper(name, array, rows, axis, start, stride, type=type_)

    def held(self, value: SSAValue, accumulator: SSAValue) -> SSAValue:
        """A list of rows: before the loop, and with the row of a step."""
        row = self._rows.get(accumulator)
        if row is None:
            return super().held(value, accumulator)
        if value is not row.update.result:
            count = self.value(row.loop.count)
            return self.build.helper(self.name("no_rows"), count, type=value.type)
        step, new = self.value(row.loop.counter), self.array(row.update.value)
        return self.build.insert(emitpy.StoreOp(self.value(accumulator), [step], new)).result

    def size(self, op: yarr.SizeOp) -> None:
        """The size of a list of rows is that of the initial value."""
        row = self._rows.get(op.array)
        if row is None:
            super().size(op)
            return
        initial, axis = row.loop.inits[row.number], op.axis.value.data
        self.bind(op.result, self.build.size(self.array(initial), axis))
        self.sizes.define_size(op.result, initial, axis)

    def update(self, op: yarr.UpdateOp) -> None:
        """A row of a list is stored at the end of the step."""
        if op.result not in self._rows:
            super().update(op)
