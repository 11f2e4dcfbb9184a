"""Functions for callers without this package: their scalars are converted from Python's numbers.

A number that only meets arrays needs no conversion: the library does it.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    IntegerType,
    TensorType,
)
from xdsl.ir import Block, Operation, SSAValue, Use
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.hints import isa
from ein_mlir.dialects import emitpy
from ein_mlir.dialects.emitpy.base import rank_of
from ein_mlir.host.elements import HOST_DTYPES

_CONVERSIONS = {"torch": "torch.as_tensor", "jax": "jnp.asarray"}
_MODULES = {"torch": "torch", "jax": "jnp"}


def take_python_numbers(function: func.FuncOp, library: str) -> None:
    """``x.astype(t)  -->  np.float64(x).astype(t)`` for scalars among the arguments."""
    fixed = _static(function) if library == "jax" else frozenset[int]()
    for argument in function.args:
        is_static = argument.index in fixed
        for value in list(_scalars(argument)):
            uses = list(value.uses)
            if is_static:
                _convert(value, [use for use in uses if _has_scalars(use)], "numpy")
            elif any(map(_needs_type, uses)):
                _convert(value, uses, library)


def _static(function: func.FuncOp) -> frozenset[int]:
    """The arguments that are Python numbers when a library compiles the function."""
    paths = function.attributes.get(emitpy.STATIC_ARGUMENTS)
    if not isa(paths, ArrayAttr[DenseArrayBase[IntegerType]]):
        return frozenset()
    return frozenset(path.get_values()[0] for path in paths)


def _scalars(value: SSAValue) -> Iterator[SSAValue]:
    """A scalar, and those that are read from a record."""
    if isa(value.type, TensorType):
        if not rank_of(value.type):
            yield value
        return
    for use in value.uses:
        if isinstance(use.operation, emitpy.SubscriptOp) and use.index == 0:
            yield from _scalars(use.operation.result)


def _needs_type(use: Use) -> bool:
    """Whether a use is none of Python's own operators together with an array, or on a number."""
    if isinstance(use.operation, emitpy.BinaryOp):
        return _has_scalars(use)
    return not isinstance(use.operation, emitpy.RaiseIfOp | emitpy.SubscriptOp)


def _has_scalars(use: Use) -> bool:
    """Whether a user computes a number of the library; a shape or a count may be one of Python."""
    types = [result.type for result in use.operation.results]
    return not any(map(rank_of, types)) and any(isa(t, TensorType) for t in types)


def _convert(value: SSAValue, uses: list[Use], library: str) -> None:
    """Replace some uses of a scalar by uses of it in the type of the library."""
    if not uses:
        return
    assert isa(value.type, TensorType)
    dtype = HOST_DTYPES[str(value.type.element_type)]
    if library == "numpy":
        name = "np.bool_" if dtype == "bool" else f"np.{dtype}"
        ops: list[Operation] = [emitpy.CallOp(name, [value], value.type)]
    else:
        type_ = emitpy.NameOp(f"{_MODULES[library]}.{dtype}")
        keywords = {"dtype": type_.result}
        ops = [type_, emitpy.CallOp(_CONVERSIONS[library], [value], value.type, keywords)]
    owner = value.owner
    at_start = isinstance(owner, Block)
    place = InsertPoint.at_start(owner) if at_start else InsertPoint.after(owner)
    Rewriter.insert_op(ops, place)
    for use in uses:
        use.operation.operands[use.index] = ops[-1].results[0]
