"""``raise-updates``: comprehensions that replace one element of an array become updates of it."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith, func

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.derivatives import has_derivatives
from ein_mlir.analysis.scopes import innermost_first
from ein_mlir.dialects import phi
from ein_mlir.passes.phi.raise_updates.choices import choice_of, updated_if
from ein_mlir.passes.phi.raise_updates.construction import Construction, comprehension_of, of_fields
from ein_mlir.passes.phi.raise_updates.recognition import Recogniser
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.replacement import replace


@dataclass(frozen=True)
class RaiseUpdatesPass(FunctionPass):
    """Turns comprehensions that replace one element of an array into updates of the array.

    Before::

        %b = phi.array (%i < %n) -> !phi.vec<f64> {
          %0 = arith.index_cast %i : index to i64
          %1 = arith.cmpi eq, %0, %p : i64
          %2 = phi.get %a[%i] : !phi.vec<f64>[index]
          %3 = arith.select %1, %x, %2 : f64
          phi.yield %3 : f64
        }

    After::

        %b = phi.update %a[%p], %x : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>

    where ``%n`` is provably the size of ``%a``; otherwise, or if other elements are computed, a
    comprehension of those is updated. If not all indices are compared, rows or columns are updated.
    The position may be any Int that varies with none of the indices, or depend on the indices
    before it if the value is costly: ``where(j - i == d, x[j], a[i, j])`` updates one element of
    each row.
    Further conditions may depend
    on the indices: if they vary along a row, they select between its new and old elements. Of
    nested selections the outermost is the last update. Optional terms are such selections:
    ``a[i] + where(i == p, x, 0) - where(i == q, y, 0)`` updates two elements.

    A choice between two arrays that are updates of one is one array with both updates: each has an
    effect if its branch is taken.

    With ``derivatives`` it is for updates of arrays that exist, in functions with derivatives,
    before these are expanded: they save no arrays that loops write once.
    """

    name = "raise-updates"
    looks_for = (arith.SelectOp, arith.AndIOp, arith.OrIOp)

    derivatives: bool = False

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        if self.derivatives and not has_derivatives(function, analyses):
            return
        recogniser = Recogniser(function, analyses)
        for op in innermost_first(function, phi.ArrayOp):
            record = op.yielded().owner
            for value in record.fields if isinstance(record, phi.TupleOp) else [op.yielded()]:
                recogniser.choose_terms(op, value)
            if isinstance(record, phi.TupleOp) and any(
                recogniser.updates(op, field) for field in record.fields
            ):
                replace(op, of_fields(op, record, recogniser.free), recogniser.free)
        for op in innermost_first(function, phi.ArrayOp):
            updates = recogniser.updates(op, op.yielded())
            if updates is None or (self.derivatives and updates.array is None):
                continue
            array = updates.array or comprehension_of(op, updates.element, recogniser.free)
            for number, update in enumerate(reversed(updates.steps)):
                array = Construction(op, update, is_first=number == 0).updated(array)
            replace(op, array, recogniser.free)
        for op in reversed(innermost_first(function, phi.ArrayOp)):
            choice = choice_of(op, recogniser)
            if choice is not None:
                replace(op, updated_if(op, choice), recogniser.free)
