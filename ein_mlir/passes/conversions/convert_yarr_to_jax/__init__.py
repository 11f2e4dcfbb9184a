"""``convert-yarr-to-jax``: whole-array operations become calls of ``jax.numpy``."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from ein_mlir.backends.jax import tables
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.conversions.convert_yarr_to_jax.contractions import JaxContractions
from ein_mlir.passes.conversions.convert_yarr_to_jax.loops import JaxLoops
from ein_mlir.passes.conversions.convert_yarr_to_jax.order import update_last
from ein_mlir.passes.conversions.convert_yarr_to_jax.ranges import align_ranges
from ein_mlir.passes.conversions.convert_yarr_to_jax.reductions import JaxReductions
from ein_mlir.passes.conversions.convert_yarr_to_jax.scalars import JaxScalars
from ein_mlir.rewriting.yarr_to_emitpy.functions import convert_module
from ein_mlir.rewriting.yarr_to_emitpy.tiling import inline_tiles


class JaxLowering(JaxContractions, JaxReductions, JaxLoops):
    """The differences from NumPy, of which ``jax.numpy`` has the functions and methods.

    Sizes, and the values that they depend on, are known when JAX traces the program (see
    ``static_values``): they stay Python and NumPy numbers. All other numbers are traced.
    """

    pass_name = "convert-yarr-to-jax"
    tables = tables.TABLES
    scalar_rules = JaxScalars
    owns_memory = False

    def copy(self, value: SSAValue) -> SSAValue:
        """The value itself."""
        return value


class JaxOnGpuLowering(JaxLowering):
    """The same where each write is a kernel, and a concatenation is one with its parts."""

    places_parts = False


@dataclass(frozen=True)
class ConvertYarrToJaxPass(ModulePass):
    """Translates yarr to emitpy that calls JAX.

    Before::

        func.func @total(%a: tensor<?xf64>) -> tensor<f64> {
          %n = yarr.size %a, 0 : tensor<?xf64>
          %init = arith.constant dense<0.0> : tensor<f64>
          %s = yarr.fold (%k < %n, %acc = %init) -> tensor<f64> {
            %x = yarr.take %a, 0, %k in_bounds : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
            %0 = yarr.elementwise { arith.addf } %acc, %x : ...
            yarr.yield %0 : tensor<f64>
          }
          func.return %s : tensor<f64>
        }

    After, as ``-t python`` prints it following its helpers::

        def total(a):

            def step(k, acc):
                return acc + at(a, 0, k)

            s = fold(a.shape[0], step, jnp.float64(0.0), 64)
            return s

    A short loop with elementwise steps is unrolled, so that XLA compiles it to one pass over
    memory: here one of up to 64 steps. A longer loop with independent, large accumulators is
    unrolled by 8 steps. ``fold(n, step, init, 33, 64, 8, 43691)`` unrolls all of up to 33 steps, of
    up to 64 if accumulators are not small, and 8 at a time if they have 43,691 elements.

    Arguments that sizes depend on must be static when the function is jitted: the attribute
    ``emitpy.static_arguments`` of a function lists them, each as the number of the argument and the
    numbers of fields in it.
    """

    name = "convert-yarr-to-jax"

    gpu: bool = False
    """Whether parts along several axes are joined by one kernel, not written one by one."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, func.FuncOp) and not function.is_declaration:
                inline_tiles(function)
                update_last(function)
                align_ranges(function)
        convert_module(op, JaxOnGpuLowering if self.gpu else JaxLowering)
