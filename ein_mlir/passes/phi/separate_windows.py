"""``separate-windows``: folds over the rows of windows that overlap are computed once for a row."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IndexType, i64
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.phi.free_indices import FreeIndices, free_indices
from ein_mlir.analysis.phi.index_forms import IndexForms, index_forms
from ein_mlir.analysis.phi.speculation import may_fail
from ein_mlir.analysis.scopes import blocks_around, captured, dependents, is_defined_in
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.nonnegative import is_nonnegative
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.builders import Emitter, comprehension, integer

WORK = (phi.FoldOp, phi.ReduceOp)
"""What is worth an array of its results."""


@dataclass(frozen=True)
class Row:
    """What a step of a fold computes from ``index + counter`` or ``index - counter`` alone."""

    op: Operation
    fold: phi.FoldOp
    index: BlockArgument
    is_reversed: bool
    """Whether the counter is subtracted."""
    needed: Sequence[Operation]
    """What it is computed by, in order, and last itself."""
    indices: Sequence[BlockArgument]
    """The indices that it varies with, outermost first."""


# Recognition ----------------------------------------------------------------------------------


class _Shifts:
    """Which values vary with the counter of a fold as they vary with an index."""

    def __init__(self, fold: phi.FoldOp, free: FreeIndices, forms: IndexForms):
        self._fold, self._free, self._forms = fold, free, forms
        self._stepwise = dependents(fold.body.block, fold.counter)

    def row(self, op: Operation) -> Row | None:
        """An operation of the body as a row of windows, if it is one."""
        (result,) = op.results
        if result not in self._stepwise or not phi.is_scalar_type(result.type):
            return None
        for index in _indices_around(op, self._free.of(result)):
            for is_reversed in (False, True):
                if self._varies_by_shift(result, index, -1 if is_reversed else 1):
                    return self._bounded_row(op, index, is_reversed)
        return None

    def _varies_by_shift(self, value: SSAValue, index: BlockArgument, sign: int) -> bool:
        """Whether index and counter vary a value only by ``index + sign*counter``."""
        pending, seen = [value], set[SSAValue]()
        while pending:
            current = pending.pop()
            if current is index or current is self._fold.counter:
                return False
            if current in seen or not self._varies(current, index):
                continue
            seen.add(current)
            op = current.owner
            if isinstance(op, Operation) and not self._is_shift(current, index, sign):
                pending.extend(op.operands)
                for region in op.regions:
                    if region.block.last_op is not None:
                        pending.extend(region.block.last_op.operands)
        return True

    def _varies(self, value: SSAValue, index: BlockArgument) -> bool:
        return value in self._stepwise or index in self._free.of(value)

    def _is_shift(self, value: SSAValue, index: BlockArgument, sign: int) -> bool:
        """Whether an Int is ``c * (index + sign*counter) + x``, and x varies with neither."""
        if value.type != i64:
            return False
        form = self._forms.linear(value)
        step = form.coefficients.get(index, 0)
        rest = form.without((index, self._fold.counter))
        return (
            step != 0
            and form.coefficients.get(self._fold.counter, 0) == sign * step
            and not any(self._varies(atom, index) for atom in rest.coefficients)
        )

    def _bounded_row(self, op: Operation, index: BlockArgument, is_reversed: bool) -> Row | None:
        """A row, if all that it needs may be computed in front of the fold."""
        needed, indices = {op}, set[BlockArgument]()
        pending = [op]
        while pending:
            current = pending.pop()
            if any(map(may_fail, current.walk())):
                return None
            for value in (*current.operands, *captured(current)):
                if isinstance(value.type, IndexType) and isinstance(value, BlockArgument):
                    indices.add(value)
                elif value is self._fold.counter or self._is_in_front(value):
                    continue
                elif isinstance(value, BlockArgument):
                    return None
                elif value.owner not in needed:
                    assert isinstance(value.owner, Operation)
                    needed.add(value.owner)
                    pending.append(value.owner)
        ordered = [each for block in blocks_around(op) for each in block.ops if each in needed]
        return Row(op, self._fold, index, is_reversed, ordered, _indices_around(op, indices))

    def _is_in_front(self, value: SSAValue) -> bool:
        """Whether a value is there before the fold, and the same for all indices."""
        return not is_defined_in(value, self._fold.body.block) and not self._free.of(value)


def _indices_around(op: Operation, which: Set[BlockArgument]) -> list[BlockArgument]:
    """Some indices of the comprehensions that an operation is in, outermost first."""
    return [arg for block in blocks_around(op) for arg in block.args if arg in which]


# Rewriting ------------------------------------------------------------------------------------


def _share(row: Row, free: FreeIndices) -> phi.ArrayOp:
    """Compute a row for all places in front of the fold, and read it at the place of a step."""
    new = _rows(row)
    position = _position(row)
    place: list[SSAValue] = [
        position[-1].results[0] if index is row.index else index for index in row.indices
    ]
    get = phi.GetOp(new[-1].results[0], place)
    for op in (*new, *position, get):
        op.location = row.op.location
    Rewriter.insert_op(new, InsertPoint.before(row.fold))
    free.add(*new)
    get.result.name_hint = row.op.results[0].name_hint
    Rewriter.replace_op(row.op, (*position, get), (get.result,))
    free.add(*position, get)
    free.replace(row.op.results[0], get.result)
    array = new[-1]
    assert isinstance(array, phi.ArrayOp)
    return array


def _rows(row: Row) -> list[Operation]:
    """The comprehension of a row, behind what it takes to know its size.

    With counter 0 (or the last, where it is subtracted) each of its elements is one that some step
    asks for: there are ``max(size + count - 1, 0)``.
    """
    emitter, count = Emitter(), row.fold.count
    one, zero = integer(emitter, 1), integer(emitter, 0)
    last = emitter.emit(arith.SubiOp(count, one))
    total = emitter.emit(arith.AddiOp(phi.size_of_index(row.index), last))
    size = emitter.emit(arith.MaxSIOp(total, zero))

    def element(build: Builder, own: Sequence[SSAValue]) -> SSAValue:
        values = dict[SSAValue, SSAValue](zip(row.indices, own, strict=True))
        values[row.fold.counter] = last if row.is_reversed else zero
        for op in row.needed:
            build.insert(op.clone(values))
        return values[row.op.results[0]]

    sizes = [size if i is row.index else phi.size_of_index(i) for i in row.indices]
    comprehension(emitter, sizes, element, row.indices)
    return emitter.ops


def _position(row: Row) -> list[Operation]:
    """The place of a step's row: ``index + counter``, or ``index + (count - 1 - counter)``."""
    emitter = Emitter()
    step: SSAValue = row.fold.counter
    if row.is_reversed:
        last = emitter.emit(arith.SubiOp(row.fold.count, integer(emitter, 1)))
        step = emitter.emit(arith.SubiOp(last, step))
    index = emitter.emit(arith.IndexCastOp(row.index, i64))
    emitter.emit(arith.AddiOp(index, step))
    return emitter.ops


def _candidates(root: Operation) -> list[phi.FoldOp]:
    """The folds in comprehensions whose steps fold, outermost first."""
    return [
        op
        for op in root.walk()
        if isinstance(op, phi.FoldOp)
        and any(isinstance(inner, WORK) for inner in op.body.block.ops)
        and any(isinstance(block.parent_op(), phi.ArrayOp) for block in blocks_around(op))
        and is_nonnegative(op.count)
    ]


def separate_windows(function: func.FuncOp, analyses: AnalysisManager) -> None:
    """Share the rows of windows in a function."""
    pending = _candidates(function)
    if not pending:
        return
    free, forms = analyses.get(free_indices, function), analyses.get(index_forms, function)
    seen = set[phi.FoldOp]()
    while pending:
        fold = pending.pop(0)
        if fold in seen or fold.parent is None:
            continue
        seen.add(fold)
        for op in list(fold.body.block.ops):
            if isinstance(op, WORK) and (row := _Shifts(fold, free, forms).row(op)) is not None:
                sign = "-" if row.is_reversed else "+"
                place = f"{name_of(row.index)} {sign} {name_of(fold.counter)}"
                analyses.note(fold, f"a step is computed once for each {place}")
                pending.extend(_candidates(_share(row, free)))


class SeparateWindowsPass(FunctionPass):
    """Computes what a step of a fold folds once, where the steps for other indices need it, too.

    Before::

        %r = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
          %s = phi.fold (%p < %three, %acc = %zero) -> f64 {
            %t = phi.fold (%q < %three, %acc_1 = %zero) -> f64 {
              %0 = arith.addi %i, %p : i64
              %1 = arith.addi %j, %q : i64
              %x = phi.get %a[%0, %1] : !phi.vec<!phi.vec<f64>>[i64, i64]
              %2 = arith.addf %acc_1, %x : f64
              phi.yield %2 : f64
            }
            %3 = arith.addf %acc, %t : f64
            phi.yield %3 : f64
          }
          phi.yield %s : f64
        }

    After, with ``%size = max(%n + %three - 1, 0)``::

        %r = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
          %rows = phi.array (%i_1 < %size, %j_1 < %m) -> !phi.vec<!phi.vec<f64>> {
            %t = phi.fold (%q < %three, %acc_1 = %zero) -> f64 {
              %0 = arith.addi %i_1, %first : i64
              %1 = arith.addi %j_1, %q : i64
              %x = phi.get %a[%0, %1] : !phi.vec<!phi.vec<f64>>[i64, i64]
              ...
            }
            phi.yield %t : f64
          }
          %s = phi.fold (%p < %three, %acc = %zero) -> f64 {
            %4 = arith.addi %i, %p : i64
            %t = phi.get %rows[%4, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
            %3 = arith.addf %acc, %t : f64
            phi.yield %3 : f64
          }
          phi.yield %s : f64
        }

    so that a window of ``h * w`` elements takes ``h + w`` steps. Each sum is that of the same terms
    in the same order as before; nothing is asked of what the folds compute. All that counts is that
    the inner one varies with the index and the counter only by ``i + p``, or ``i - p``: with
    constant 0 for the counter it is what it was for all of them. ``outline`` then moves the rows
    out of the comprehension.

    The rows have the axes of the indices that the inner fold varies with, and need no more
    memory than the result. What may raise an error stays where it is.
    """

    name = "separate-windows"
    looks_for = (phi.FoldOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        separate_windows(function, analyses)
