"""``avoid-branches``: floats are selected by arithmetic on bits where a mask is irregular."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.dialects import emitpy
from ein_mlir.rewriting.emitpy.choices import choices_by_data, is_whole
from ein_mlir.rewriting.passes import FunctionPass


def avoid_branches(op: emitpy.CallOp | emitpy.CallIntoOp, mask: SSAValue) -> None:
    """Replace a selection of floats by a function of the prelude."""
    if isinstance(op, emitpy.CallIntoOp):
        keywords = {"where": mask}
        new = emitpy.CallIntoOp(op.target, "np.choose_into", op.positional, keywords=keywords)
    else:
        library = op.callee.data.partition(".")[0]
        name = "choose" if is_whole(mask, op.result) else "choose_rows"
        new = emitpy.HelperOp(f"{library}.{name}", op.operands, op.result.type)
    new.location = op.location
    new.result.name_hint = op.result.name_hint
    Rewriter.replace_op(op, new)


class AvoidBranchesPass(FunctionPass):
    """Selects floats by functions that multiply bits by a mask, if that is irregular.

    Before::

        y = np.where(c, x, 0.0)
        np.copyto(z, x, where=c)

    After::

        y = choose(c, x, 0.0)
        choose_into(z, x, where=c)

    in IR, where the functions are ``emitpy.helper`` and ``emitpy.call_into``. NumPy and PyTorch
    branch for each element. Where the processor cannot predict the branch, as for conditions on
    data, it takes ten times as long as arithmetic. The functions look at a part of the mask. Those
    of positions alone stay, and those that are smaller than the result: all elements of a row take
    the same branch.

    PyTorch selects without vectors, so masks that are smaller than the result and leave zeros are
    arithmetic, too, by the function ``choose_rows``.
    """

    name = "avoid-branches"
    looks_for = (emitpy.CallOp, emitpy.CallIntoOp)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        for op, mask in list(choices_by_data(function)):
            avoid_branches(op, mask)
