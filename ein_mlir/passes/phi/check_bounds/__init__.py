"""``check-bounds``: a program also computes whether a position that it uses is out of bounds.

The law: a body with the value ``e`` that reads ``a[p]`` becomes a body with the value ``e`` and the
*mark* ``p < 0 | p >= size a``, under the condition that the element is used. The mark of a
comprehension is the disjunction of those of its elements; a fold carries it along. That is an
ordinary program, which later passes optimise as such: the mark of a comprehension is a reduction of
its own, and the comprehension stays as it is.
"""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, FunctionType
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.phi.demand import demand_of
from ein_mlir.analysis.phi.index_forms import IndexForms, index_forms
from ein_mlir.analysis.phi.position_bounds import PositionBounds
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.indexing import ACCESSES
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.phi.check_bounds.accesses import Uses
from ein_mlir.passes.phi.check_bounds.boxes import box_of
from ein_mlir.passes.phi.check_bounds.checker import Checker, Place
from ein_mlir.passes.phi.check_bounds.marks import Flags, Offenders
from ein_mlir.rewriting.passes import FunctionPass


def places_of(
    uses: Uses, forms: IndexForms, *, boxes: bool = True, guards: bool = True
) -> list[Place]:
    """The places of the checks of a function; with ``guards``, boxes are exact."""
    places = list[Place]()
    for number, access in enumerate(uses.unproven, 1):
        box = box_of(access, forms, uses) if boxes else None
        place = Place(number, access, box if box and (box.is_exact or not guards) else None)
        if any(place.sides):
            places.append(place)
    return places


@dataclass(frozen=True)
class CheckBoundsPass(FunctionPass):
    """Makes a function return whether a position that it uses is out of bounds.

    Before::

        func.func @f(%a: !phi.vec<f64>, %p: !phi.vec<i64>) -> !phi.vec<f64> {
          %n = phi.size %p, 0 : !phi.vec<i64>
          %b = phi.array (%i < %n) -> !phi.vec<f64> { %a[%p[%i]] }
          func.return %b : !phi.vec<f64>
        }

    After, with the comprehension as before::

        %0 = phi.array (%i < %n) -> !phi.vec<i1> { %p[%i] < 0 | %p[%i] >= size of %a }
        %1 = phi.reduce %0 identity %false by { arith.ori } -> i1
        func.return %b, %1 : !phi.vec<f64>, i1

    A position that is provably in bounds, also under the conditions under which its element is
    used, is not checked; a function without others stays as it is. ``inline-calls`` and
    ``struct-of-arrays`` must run before.
    """

    name = "check-bounds"
    looks_for = (phi.GetOp,)

    locate: bool = False
    """Return Ints instead: the number of the first such access from 1 on (0 if there is none), the
    position, the size, and the numbers of the steps of the loops around it. The attribute
    ``ein.accesses`` of the function describes the accesses.
    """
    guards: bool = True
    """Without it, linear positions are checked for all steps of the loops around them, whatever the
    conditions: that costs next to nothing, and may find a position that is not used.
    """

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        block, forms = function.body.block, analyses.get(index_forms, function)
        uses = Uses(analyses.get(demand_of, function), PositionBounds(forms), block)
        places = places_of(uses, forms, boxes=not self.locate, guards=self.guards)
        if not places:
            return
        accesses = [place.access for place in places]
        for each in accesses:
            position, array = name_of(each.op.positions[each.axis]), name_of(each.op.array)
            analyses.note(
                each.op, f"{array}: position {position} is checked, as it may be out of bounds"
            )
        depth = max(len(each.loops) for each in accesses)
        marking = Offenders(depth) if self.locate else Flags()
        mark = Checker(function, analyses, uses, places, marking).function(block)
        if self.locate:
            function.attributes[ACCESSES] = ArrayAttr([each.described() for each in accesses])
        last = block.last_op
        assert isinstance(last, func.ReturnOp)
        Rewriter.replace_op(last, func.ReturnOp(*last.arguments, *mark))
        types = function.function_type
        results = [*types.outputs, *(value.type for value in mark)]
        function.properties["function_type"] = FunctionType.from_lists(list(types.inputs), results)
