"""``convert-rho-to-phi``: programs of rho whose ranks follow from those of their inputs.

Calls are inlined, and ranks are found on the way. A vector whose length is known, such as a shape
or an index vector, is a list of numbers here, and no array. Integers stay Ints as far as they are
literals, sizes and dimensionalities, and sums, differences and products of these.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, f64
from xdsl.ir import Block, Region
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import PassFailedException, VerifyException

from ein_mlir.analysis.diagnostics import name_parameters, where_written
from ein_mlir.dialects import phi, rho
from ein_mlir.errors import counted
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.conversions.convert_rho_to_phi.conversion import Conversion, Value
from ein_mlir.passes.conversions.convert_rho_to_phi.rules import RULES


def converted(program: rho.ProgramOp, ranks: Sequence[int]) -> func.FuncOp:
    """The function of phi of a program whose inputs have some ranks.

    Raises PassFailedException for a rank that is decided at run time, and for recursion.
    """
    parameters = program.parameters
    if len(ranks) != len(parameters):
        raise PassFailedException(
            f"rho.program: it has {counted(len(parameters), 'input')}, and ranks has {len(ranks)}"
            + where_written(program)
        )
    block = Block(arg_types=[phi.vec_of(f64, rank) for rank in ranks])
    conversion = Conversion(RULES)
    for old, rank, new in zip(parameters, ranks, block.args, strict=True):
        conversion.bind(old, Value(rank, new))
    value = conversion.body(program.body.block)
    result = conversion.array(value) if value.rank else conversion.number(value)
    conversion.emit(func.ReturnOp(result))
    block.add_ops(conversion.operations)
    function = func.FuncOp("main", ([arg.type for arg in block.args], [result.type]), Region(block))
    name_parameters(function, [parameter.name_hint for parameter in parameters])
    return function


def _check_regular(function: func.FuncOp) -> None:
    """Raise PassFailedException for arrays in a generator whose sizes depend on its index."""
    try:
        function.verify()
    except VerifyException as error:
        raise PassFailedException(f"convert-rho-to-phi: {error}") from error


@dataclass(frozen=True)
class ConvertRhoToPhiPass(ModulePass):
    r"""Translates programs of rho to phi, where ranks follow from those of the inputs.

    Calls are inlined. Run `rewrite-by-demand` before, so that only needed values are translated.
    Both branches of a choice are evaluated: sizes are 0 in the one that is not taken. Positions out
    of bounds clip, and division by zero is infinite, as elsewhere in phi.

    Before, with ``ranks=0,1``::

        \n.\v. gen [n] 0 with [1] <= iv < [n] in v.(iv - 1)

    After, in which ``%n`` and ``%v`` are floats::

        %m = arith.fptosi %n : f64 to i64
        %r = phi.array (%i < %m) -> !phi.vec<f64> {
          ...
          %x = phi.get %v[%p] : !phi.vec<f64>[i64]
          %y = arith.select %inside, %x, %zero : f64
          phi.yield %y : f64
        }
    """

    name = "convert-rho-to-phi"

    ranks: tuple[int, ...] = ()
    """The ranks of the inputs."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for program in op.ops:
            if isinstance(program, rho.ProgramOp):
                new = converted(program, self.ranks)
                _check_regular(new)
                Rewriter.replace_op(program, new, new_results=[])
