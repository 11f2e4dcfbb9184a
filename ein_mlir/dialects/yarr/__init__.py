"""Yarr: the point-free array calculus (dissertation, section 3.6.1).

Values are builtin tensors: a scalar is a ``tensor<f64>``, a matrix a ``tensor<?x?xf64>``, a size a
``tensor<i64>``. No index survives: programs are written with whole-array operations, as one writes
NumPy. Scalar operators appear in the region of ``yarr.elementwise``, as ``arith``, ``math`` and
``sigma`` operations. The distances between all pairs of rows of a matrix read::

    %d = yarr.fold (%k < %m, %acc = %zeros) -> tensor<?x?xf64> {
      %c = yarr.take %a, 1, %k : (tensor<?x?xf64>, tensor<i64>) -> tensor<?xf64>
      %x = yarr.unsqueeze %c, [1] : tensor<?xf64> -> tensor<?x1xf64>
      %y = yarr.unsqueeze %c, [0] : tensor<?xf64> -> tensor<1x?xf64>
      %0 = yarr.elementwise { arith.subf } %x, %y : (tensor<?x1xf64>, tensor<1x?xf64>) -> ...
      ...
    }
"""

from __future__ import annotations

from xdsl.ir import Dialect

from ein_mlir.dialects.yarr.elementwise import ElementwiseOp, YieldOp
from ein_mlir.dialects.yarr.indexing import GatherOp, SliceOp, TakeOp
from ein_mlir.dialects.yarr.loops import FoldOp
from ein_mlir.dialects.yarr.records import ExternOp, ProjOp, TupleOp
from ein_mlir.dialects.yarr.reductions import (
    ArgreduceOp,
    CorrelateOp,
    EinsumOp,
    PropagateNanOp,
    ReduceOp,
    ScanOp,
    SegmentReduceOp,
    TopKOp,
    TreeReduceOp,
    split_subscripts,
)
from ein_mlir.dialects.yarr.sizes import AssertEqOp, AssertSizeOp, RangeOp, SizeOp
from ein_mlir.dialects.yarr.tiles import TileOp, block_type
from ein_mlir.dialects.yarr.types import (
    DYNAMIC,
    SIZE_TYPE,
    broadcast_shapes,
    compatible,
    constant,
    element_of,
    rank_of,
    shape_of,
    show,
    tensor,
)
from ein_mlir.dialects.yarr.updates import UpdateOp
from ein_mlir.dialects.yarr.views import (
    ConcatOp,
    FillEmptyOp,
    PadOp,
    RepeatOp,
    SqueezeOp,
    TransposeOp,
    UnsqueezeOp,
)

__all__ = [
    "DYNAMIC",
    "SIZE_TYPE",
    "ArgreduceOp",
    "AssertEqOp",
    "AssertSizeOp",
    "ConcatOp",
    "CorrelateOp",
    "EinsumOp",
    "ElementwiseOp",
    "ExternOp",
    "FillEmptyOp",
    "FoldOp",
    "GatherOp",
    "PadOp",
    "ProjOp",
    "PropagateNanOp",
    "RangeOp",
    "ReduceOp",
    "RepeatOp",
    "ScanOp",
    "SegmentReduceOp",
    "SizeOp",
    "SliceOp",
    "SqueezeOp",
    "TakeOp",
    "TileOp",
    "TopKOp",
    "TransposeOp",
    "TreeReduceOp",
    "TupleOp",
    "UnsqueezeOp",
    "UpdateOp",
    "Yarr",
    "YieldOp",
    "block_type",
    "broadcast_shapes",
    "compatible",
    "constant",
    "element_of",
    "rank_of",
    "shape_of",
    "show",
    "split_subscripts",
    "tensor",
]

Yarr = Dialect(
    "yarr",
    [
        ArgreduceOp,
        AssertEqOp,
        AssertSizeOp,
        ConcatOp,
        CorrelateOp,
        EinsumOp,
        ElementwiseOp,
        ExternOp,
        FillEmptyOp,
        FoldOp,
        GatherOp,
        PadOp,
        ProjOp,
        PropagateNanOp,
        RangeOp,
        ReduceOp,
        RepeatOp,
        ScanOp,
        SegmentReduceOp,
        SizeOp,
        SliceOp,
        SqueezeOp,
        TakeOp,
        TileOp,
        TopKOp,
        TransposeOp,
        TreeReduceOp,
        TupleOp,
        UnsqueezeOp,
        UpdateOp,
        YieldOp,
    ],
    [],
)
