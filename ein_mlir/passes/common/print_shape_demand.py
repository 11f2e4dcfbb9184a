"""``print-shape-demand``: the level of information that is needed of each value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from ein_mlir.analysis.calls import functions_in
from ein_mlir.analysis.phi.shape_demand import Need, ShapeDemand
from ein_mlir.analysis.rho.demand import Demand, level_text
from ein_mlir.analysis.scopes import values_in
from ein_mlir.dialects import rho
from ein_mlir.host.dataclass import dataclass

_RULES = ("sound", "thesis")


def demand_of_program(module: ModuleOp, by_thesis: bool) -> Iterator[str]:
    """Lines about each function of rho: its propagation vectors, then its demand environment."""
    demand = Demand(module, by_thesis)
    for scope in demand.scopes:
        vectors = ", ".join(map(level_text, demand.vectors(scope)))
        name = scope.sym_name.data if isinstance(scope, rho.FunctionOp) else "the program"
        yield f"{name}: [{vectors}]"
        for value in _named(scope):
            yield f"  {value.name_hint}: {level_text(demand.of(scope, value))}"


def demand_of_functions(module: ModuleOp) -> Iterator[str]:
    """Lines about each function of phi: the need of its named values."""
    for name, function in functions_in(module).items():
        if function.is_declaration:
            continue
        demand = ShapeDemand(function)
        yield f"demand in @{name}"
        for value in values_in(function):
            if value.name_hint is not None:
                yield f"  {value.name_hint}: {_levels(demand.levels(value))}"


def _levels(levels: Sequence[Need]) -> str:
    """``sizes``; for a record the need of each field: ``elements, nothing``."""
    return ", ".join(level.name.lower() for level in levels)


def _named(scope: rho.ScopeOp) -> Iterator[SSAValue]:
    """The named values of a function, without those of functions in it, in order."""
    yield from scope.parameters
    pending = list(scope.body.block.ops)[::-1]
    while pending:
        op = pending.pop()
        inner = [] if isinstance(op, rho.FunctionOp) else [r.block for r in op.regions]
        yield from (value for block in inner for value in block.args)
        yield from (result for result in op.results if result.name_hint is not None)
        pending.extend(each for block in inner[::-1] for each in list(block.ops)[::-1])


@dataclass(frozen=True)
class PrintShapeDemandPass(ModulePass):
    r"""Prints the demand of each named value, and leaves the module unchanged.

    A vector has the level that is needed for nothing, the dimensionality, the shape and all of the
    result of the function: 0 for nothing, 1 for the dimensionality, 2 for the shape, 3 for all.

    Before::

        \n.\v. let w = v * 2 in gen [n] (w.([0]))

    After, the module is unchanged, and this is printed::

        // the program: [[0,2,3,3], [0,0,0,3]]
        //   n: [0,2,3,3]
        //   v: [0,0,0,3]
        //   w: [0,0,0,3]

    Of a value of phi nothing, the sizes or the elements are needed, of a record field by field::

        // demand in @f
        //   a: sizes
    """

    name = "print-shape-demand"

    rules: str = "sound"
    """The rules of propagation: ``sound``, or those that the ``thesis`` states."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.rules not in _RULES:
            raise PassFailedException(f"there are no rules '{self.rules}': {', '.join(_RULES)}")
        lines = demand_of_program(op, self.rules == "thesis")
        for line in chain(lines, demand_of_functions(op)):
            print(f"// {line}")
