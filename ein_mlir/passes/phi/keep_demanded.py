"""``keep-demanded``: unneeded values are not computed, also those that folds and records hold."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from ein_mlir.analysis.phi.shape_demand import Need
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.phi.demanded import keep_demanded

_RESULTS = {"elements": Need.ELEMENTS, "sizes": Need.SIZES}


@dataclass(frozen=True)
class KeepDemandedPass(ModulePass):
    """Keeps the values that results need: arrays of which only sizes are needed become Ints.

    Run `struct-of-arrays` before. Before::

        func.func @f(%a: !phi.vec<f64>, %m: i64) -> i64 {
          %r = phi.fold (%k < %m, %x = %a) -> !phi.vec<f64> {
            %y = phi.concat %x, %a : !phi.vec<f64>
            phi.yield %y : !phi.vec<f64>
          }
          %n = phi.size %r, 0 : !phi.vec<f64>
          func.return %n : i64
        }

    After: the fold is the recurrence of the size::

        func.func @f(%a: !phi.vec<f64>, %m: i64) -> i64 {
          %0 = phi.size %a, 0 : !phi.vec<f64>
          %r = phi.fold (%k < %m, %x = %0) -> i64 {
            %1 = arith.addi %x, %0 : i64
            phi.yield %1 : i64
          }
          func.return %r : i64
        }

    With ``results=sizes`` each public function returns the sizes of its results, and takes only
    what these need: sizes of arrays, if not their elements. Run ``inline-calls`` before that. A
    call that is left needs the elements of all operands.
    """

    name = "keep-demanded"

    results: str = "elements"
    """The part of the results that is needed: ``elements`` or ``sizes``."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.results not in _RESULTS:
            raise PassFailedException(f"there is no part '{self.results}': {', '.join(_RESULTS)}")
        keep_demanded(op, _RESULTS[self.results])
