"""The operations of the dialect and their helpers, in one namespace: ``emitpy.ForOp``."""

from __future__ import annotations

from xdsl.ir import Dialect

from ein_mlir.dialects.emitpy.base import EmitPyOp
from ein_mlir.dialects.emitpy.calls import (
    CALL_FORMAT,
    CallIntoOp,
    CallLikeOp,
    CallOp,
    ExternOp,
    HelperOp,
    MethodOp,
)
from ein_mlir.dialects.emitpy.expressions import (
    AttrOp,
    BinaryOp,
    ConditionalOp,
    SliceOp,
    SubscriptOp,
    TupleOp,
    UnaryOp,
    UnpackOp,
)
from ein_mlir.dialects.emitpy.literals import LiteralOp, NameOp, literal_data
from ein_mlir.dialects.emitpy.loops import DefOp, ForOp, YieldOp
from ein_mlir.dialects.emitpy.statements import AugmentOp, DelOp, RaiseIfOp, StoreOp, message_pieces
from ein_mlir.dialects.emitpy.types import (
    DECORATORS,
    OBJECT,
    STAGES,
    STATIC_ARGUMENTS,
    STATIC_RESULTS,
    DecoratorAttr,
    ObjectType,
    float_literal,
)

__all__ = [
    "CALL_FORMAT",
    "DECORATORS",
    "OBJECT",
    "STAGES",
    "STATIC_ARGUMENTS",
    "STATIC_RESULTS",
    "AttrOp",
    "AugmentOp",
    "BinaryOp",
    "CallIntoOp",
    "CallLikeOp",
    "CallOp",
    "ConditionalOp",
    "DecoratorAttr",
    "DefOp",
    "DelOp",
    "EmitPy",
    "EmitPyOp",
    "ExternOp",
    "ForOp",
    "HelperOp",
    "LiteralOp",
    "MethodOp",
    "NameOp",
    "ObjectType",
    "RaiseIfOp",
    "SliceOp",
    "StoreOp",
    "SubscriptOp",
    "TupleOp",
    "UnaryOp",
    "UnpackOp",
    "YieldOp",
    "float_literal",
    "literal_data",
    "message_pieces",
]

EmitPy = Dialect(
    "emitpy",
    [
        AttrOp,
        AugmentOp,
        BinaryOp,
        CallIntoOp,
        CallOp,
        ConditionalOp,
        DefOp,
        DelOp,
        ExternOp,
        ForOp,
        HelperOp,
        LiteralOp,
        MethodOp,
        NameOp,
        RaiseIfOp,
        SliceOp,
        StoreOp,
        SubscriptOp,
        TupleOp,
        UnaryOp,
        UnpackOp,
        YieldOp,
    ],
    [DecoratorAttr, ObjectType],
)
