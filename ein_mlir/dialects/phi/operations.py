"""The operations of the dialect and their helpers, in one namespace: ``phi.FoldOp``."""

from __future__ import annotations

from xdsl.ir import Dialect

from ein_mlir.dialects.phi.accumulations import AccumulateOp, Accumulator
from ein_mlir.dialects.phi.arrays import ArrayOp, ComprehensionOp, ConcatOp
from ein_mlir.dialects.phi.base import BodyOp, LoopOp, YieldOp
from ein_mlir.dialects.phi.derivatives import (
    DerivativeAtPointOp,
    DerivativeOp,
    JvpOp,
    TransposeOp,
    VjpOp,
)
from ein_mlir.dialects.phi.indexing import (
    GetOp,
    UpdateOp,
    UpdateSliceOp,
    is_comprehension_index,
    size_of_index,
    uncast,
    verify_indices,
)
from ein_mlir.dialects.phi.interface import Flow, OnRecords, Path, PhiOp, Term, flow
from ein_mlir.dialects.phi.loops import FoldOp, WhileOp
from ein_mlir.dialects.phi.records import ExternOp, ProjOp, TupleOp
from ein_mlir.dialects.phi.reductions import (
    ArgreduceOp,
    ArgsortOp,
    PropagateNanOp,
    ReduceOp,
    ScanOp,
    SortOp,
    TopKOp,
)
from ein_mlir.dialects.phi.sizes import AssertEqOp, SizeOp
from ein_mlir.dialects.phi.types import (
    SCALAR_TYPES,
    PhiType,
    PhiTypeConstraint,
    VecType,
    element_of,
    is_phi_type,
    is_scalar_type,
    rank_of,
    row_of,
    scalar_of,
    struct_of_arrays,
    tuple_of,
    vec_of,
)

__all__ = [
    "SCALAR_TYPES",
    "AccumulateOp",
    "Accumulator",
    "ArgreduceOp",
    "ArgsortOp",
    "ArrayOp",
    "AssertEqOp",
    "BodyOp",
    "ComprehensionOp",
    "ConcatOp",
    "DerivativeAtPointOp",
    "DerivativeOp",
    "ExternOp",
    "Flow",
    "FoldOp",
    "GetOp",
    "JvpOp",
    "LoopOp",
    "OnRecords",
    "Path",
    "Phi",
    "PhiOp",
    "PhiType",
    "PhiTypeConstraint",
    "ProjOp",
    "PropagateNanOp",
    "ReduceOp",
    "ScanOp",
    "SizeOp",
    "SortOp",
    "Term",
    "TopKOp",
    "TransposeOp",
    "TupleOp",
    "UpdateOp",
    "UpdateSliceOp",
    "VecType",
    "VjpOp",
    "WhileOp",
    "YieldOp",
    "element_of",
    "flow",
    "is_comprehension_index",
    "is_phi_type",
    "is_scalar_type",
    "rank_of",
    "row_of",
    "scalar_of",
    "size_of_index",
    "struct_of_arrays",
    "tuple_of",
    "uncast",
    "vec_of",
    "verify_indices",
]

Phi = Dialect(
    "phi",
    [
        AccumulateOp,
        ArgreduceOp,
        ArgsortOp,
        ArrayOp,
        AssertEqOp,
        ConcatOp,
        ExternOp,
        FoldOp,
        WhileOp,
        GetOp,
        JvpOp,
        ProjOp,
        PropagateNanOp,
        ReduceOp,
        ScanOp,
        SizeOp,
        SortOp,
        TopKOp,
        TransposeOp,
        TupleOp,
        UpdateOp,
        UpdateSliceOp,
        VjpOp,
        YieldOp,
    ],
    [VecType],
)
