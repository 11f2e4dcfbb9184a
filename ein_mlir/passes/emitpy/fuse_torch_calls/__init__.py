"""``fuse-torch-calls``: one call of PyTorch for several."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import GreedyRewritePatternApplier, PatternRewriteWalker

from ein_mlir.analysis.diagnostics import check_blocks
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.emitpy.fuse_torch_calls.accumulation import AddProduct, SumAlongLast
from ein_mlir.passes.emitpy.fuse_torch_calls.activations import (
    Gelu,
    InverseFactors,
    LeakyRelu,
    Sigmoid,
    Silu,
)
from ein_mlir.passes.emitpy.fuse_torch_calls.averages import Average
from ein_mlir.passes.emitpy.fuse_torch_calls.bits import JoinMasks
from ein_mlir.passes.emitpy.fuse_torch_calls.channels import AffineChannels, BatchNorm
from ein_mlir.passes.emitpy.fuse_torch_calls.conditions import sink_into_conditions
from ein_mlir.passes.emitpy.fuse_torch_calls.groups import GroupNorm
from ein_mlir.passes.emitpy.fuse_torch_calls.lookups import ProductsAt
from ein_mlir.passes.emitpy.fuse_torch_calls.nan import WithoutNan
from ein_mlir.passes.emitpy.fuse_torch_calls.normalisation import (
    Affine,
    LogAddExp,
    LogSoftmax,
    LogSumExp,
    Softmax,
    Standardise,
)
from ein_mlir.passes.emitpy.fuse_torch_calls.ranges import AffineRange, FloatRange
from ein_mlir.passes.emitpy.fuse_torch_calls.views import JoinViews, SinkNewAxis
from ein_mlir.passes.emitpy.fuse_torch_calls.window_products import ProductsOfWindows
from ein_mlir.passes.emitpy.fuse_torch_calls.windows import ExtremeOfWindows
from ein_mlir.rewriting.dead_code import erase_unused


def fuse_torch_calls(function: func.FuncOp, recorded: bool = True) -> None:
    """Fuse the calls in a function, and remove the operations that only they used."""
    check_blocks(function, "fuse-torch-calls")
    calls = (
        Softmax(),
        ProductsOfWindows(),
        Average(),
        LogSoftmax(),
        LogSumExp(),
        LogAddExp(),
        Sigmoid(),
        Silu(),
        LeakyRelu(),
        Gelu(),
        InverseFactors(),
        Standardise(function),
        Affine(),
        BatchNorm(function),
        GroupNorm(function),
        AffineChannels(),
        AddProduct(),
        JoinMasks(),
        ProductsAt(),
        ExtremeOfWindows() if recorded else WithoutNan(),
    )
    for patterns in (
        calls,
        (AffineRange(), FloatRange(), SinkNewAxis(), JoinViews(), SumAlongLast()),
    ):
        PatternRewriteWalker(GreedyRewritePatternApplier([*patterns])).rewrite_region(function.body)
    erase_unused(function.body.block)
    sink_into_conditions(function.body.block)


@dataclass(frozen=True)
class FuseTorchCallsPass(ModulePass):
    """Turns expressions into functions of PyTorch that compute them in one pass over memory.

    These are softmax, its logarithm and averages with its weights, the logarithm of a sum of
    powers, layer, RMS, batch and group normalisation, the logistic function, SiLU, GELU, the
    leaky ReLU, masks that are repeated along their last axis, quotients by powers of two, products
    with matrices that are looked up for each row or are windows, and a step of a loop that sums
    products. One
    position of an axis that is kept, ``x[:, i][:, None]``, is ``x.narrow(1, i, 1)``, and Ints at
    equal distances are one range. Sums along the last of three axes or more, which may be one of
    coordinates, are calls of a helper. Arrays that only a condition needs are computed in it. Where
    derivatives may be recorded, extremes of slices of one array, whose starts are a grid, are one
    call. Where none are, a number in place of NaN is one.

    Before::

        def f(x):
            e = torch.exp(x - amax(x, (1,))[:, None])
            return e / e.sum(dim=1)[:, None]

    After::

        def f(x):
            return torch.softmax(x, 1)

    in IR, with an ``emitpy.call`` for each function. A function is called only if its results are
    those of the program, except for the rounding of sums: ``torch.exp(x)`` over its sum, which may
    overflow, is no softmax.
    """

    name = "fuse-torch-calls"

    recorded: bool = True
    """Whether derivatives of the calls may be recorded; else, calls may overwrite arrays."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, func.FuncOp) and not function.is_declaration:
                fuse_torch_calls(function, self.recorded)
