"""``drop-copies``: copies of arrays are the arrays."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.size_equivalence import (
    SizeEquivalence,
    Term,
    equal_sizes,
    is_asserted,
    loop_of,
    unasserted_equal_sizes,
)
from ein_mlir.analysis.phi.variables import element_read
from ein_mlir.analysis.scopes import is_within, operations_in
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.passes import FunctionPass


def drop_copies(function: func.FuncOp, analyses: AnalysisManager) -> None:
    """``array(i < n, j < m) { a[i, j] }  -->  a``

    ``update array(i < n, j < m) { a[i, j] }[p], row  -->  update a[p], row``

    ``array(i < n) { f(array(i < n, j < m) { a[i, j] }[i]) }  -->  array(i < n) { f(a[i]) }``
    """
    copies = {
        op: array
        for op in operations_in(function)
        if isinstance(op, phi.ArrayOp) and (array := _copied(op)) is not None
    }
    if not copies:
        return
    proven = analyses.get(unasserted_equal_sizes, function)
    asserted = analyses.get(equal_sizes, function)
    for op, array in copies.items():
        copy = _Copy(op, array, proven, asserted)
        if copy.is_array():
            op.result.replace_all_uses_with(copy.array)
            continue
        for use in list(op.result.uses):
            if use.index == 0 and (
                copy.is_updated_by_rows(use.operation) or copy.is_read_by_rows(use.operation)
            ):
                use.operation.operands[0] = copy.array
    erase_unused(function.body.block)
    analyses.invalidate(function)


def _copied(copy: phi.ArrayOp) -> SSAValue | None:
    """The array from outside whose elements a comprehension copies."""
    array = element_read(copy.yielded().owner, copy)
    return None if array is None or is_within(array, copy) else array


def _first_size(size: Term) -> Term | None:
    """The value that a size of an array is, or was before the loops that the array results from."""
    known: Term | None = size
    while known is not None and known.axis is not None:
        loop = loop_of(known.value)
        known = known.source if loop is None else Term(loop.start, known.path, known.axis)
    return known


@dataclass(frozen=True)
class _Copy:
    """A comprehension that copies the elements of an array, and the facts about sizes."""

    op: phi.ArrayOp
    array: SSAValue
    proven: SizeEquivalence
    asserted: SizeEquivalence

    def is_array(self) -> bool:
        """Whether the copy is the array, and no assertion is lost with its sizes."""
        rank = len(self.op.sizes)
        return self._has_sizes(self.op, range(rank)) and all(map(self._is_kept, range(rank)))

    def _is_kept(self, axis: int) -> bool:
        """Whether the array depends on the assertions that a size of the copy depends on."""
        size = self.op.sizes[axis]
        return not is_asserted(size) or _first_size(Term(self.array, (), axis)) == Term(size)

    def is_updated_by_rows(self, op: Operation) -> bool:
        """Whether an operation updates rows of the copy, so that it may update those of the array.

        Assertions may compare the sizes of the rows if the new row has these sizes, too: it keeps
        the assertions. An update compares other rows with those of its array.
        """
        if not isinstance(op, phi.UpdateOp) or not self._has_sizes(op, range(len(op.positions))):
            return False
        row, sizes = op.value.owner, self.op.sizes[len(op.positions) :]
        return not any(map(is_asserted, self.op.sizes)) or (
            isinstance(row, phi.ArrayOp) and row.sizes == sizes
        )

    def is_read_by_rows(self, op: Operation) -> bool:
        """Whether a comprehension reads the copy at its indices: it may read the array itself.

        Assertions may compare the sizes along these axes: the comprehension has the same.
        """
        reader = op.parent_op()
        if not isinstance(op, phi.GetOp) or not isinstance(reader, phi.ArrayOp):
            return False
        sizes, depth = self.op.sizes, len(op.positions)
        return (
            list(map(phi.uncast, op.positions)) == list(reader.indices[:depth])
            and reader.sizes[:depth] == sizes[:depth]
            and not any(map(is_asserted, sizes[depth:]))
            and self._has_sizes(op, range(depth, len(sizes)))
        )

    def _has_sizes(self, at: Operation, proven: range) -> bool:
        """Whether the sizes of the copy are those of the array; some of them without assertions."""
        return all(
            (self.proven if axis in proven else self.asserted).same(
                size, Term(self.array, (), axis), at
            )
            for axis, size in enumerate(self.op.sizes)
        )


class DropCopiesPass(FunctionPass):
    """Replaces copies of arrays by the arrays, if their sizes are provably equal.

    In an update of a row of a copy, assertions may compare the sizes of the rows. Before::

        %m = phi.assert_eq %size, %own, "rows"          // %own is the size of the rows of %s
        %copy = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> { %s[%i, %j] }
        %row = phi.array (%j < %m) -> !phi.vec<f64> { .. }
        %next = phi.update %copy[%k], %row

    After::

        %m = phi.assert_eq %size, %own, "rows"
        %row = phi.array (%j < %m) -> !phi.vec<f64> { .. }
        %next = phi.update %s[%k], %row

    The new row keeps the assertion. The number of rows is provably that of the array. Folds that
    write such rows are no comprehensions, so ``raise-writes`` precedes this pass.
    """

    name = "drop-copies"
    looks_for = (phi.ArrayOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        drop_copies(function, analyses)
