"""``permit-fastmath``: laws of real numbers that hold for the floats of a program only nearly."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from ein_mlir.dialects.fastmath import permit
from ein_mlir.errors import EinValueError
from ein_mlir.host.dataclass import dataclass
from ein_mlir.host.fastmath import laws_of


@dataclass(frozen=True)
class PermitFastmathPass(ModulePass):
    """Permits laws of real numbers in all functions, by name.

    Before::

        func.func @f(%x: f64) -> f64 { .. }

    After ``permit-fastmath{laws=reassoc,nsz}``::

        func.func @f(%x: f64) -> f64
          attributes {ein.fastmath = #arith.fastmath<reassoc,nsz>} { .. }

    Later passes may then use them: see ``docs/semantics.md``.
    """

    name = "permit-fastmath"

    laws: tuple[str, ...] = ("fast",)
    """The names of the laws, as in LLVM: ``reassoc``, ``nnan``, ``ninf``, ``nsz``, ``arcp``,
    ``contract``, ``afn``; all by default."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        try:
            permit(op, laws_of(self.laws))
        except EinValueError as error:
            raise PassFailedException(str(error)) from error
