"""Functions and modules: bodies of yarr replaced by bodies of emitpy."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, FunctionType, ModuleOp, TensorType, TupleType
from xdsl.ir import Attribute, Block
from xdsl.utils.exceptions import PassFailedException

from ein_mlir.analysis.diagnostics import check_blocks, where_written
from ein_mlir.analysis.hints import isa
from ein_mlir.dialects import emitpy, phi, yarr
from ein_mlir.dialects.creation import discard
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.yarr_to_emitpy.lowering import PythonLowering


def convert_module(module: ModuleOp, lowering: type[PythonLowering]) -> None:
    """Replace the bodies of all functions of a module by emitpy."""
    for op in module.ops:
        if isinstance(op, func.FuncOp) and not op.is_declaration:
            convert_function(op, lowering)


def convert_function(function: func.FuncOp, lowering: type[PythonLowering]) -> None:
    """Replace the body of a function by emitpy; its type becomes the one that the host sees."""
    check_blocks(function, lowering.pass_name)
    source = function.body.block
    if any(not _is_yarr_type(argument.type) for argument in source.args):
        raise PassFailedException(
            f"{lowering.pass_name}: the arguments of '{function.sym_name.data}' must be tensors "
            f"and tuples of them{where_written(function)}; run convert-phi-to-yarr first"
        )
    seen = [
        [as_tensors(*pair) for pair in zip(types, own, strict=True)]
        for types, own in zip(phi.host_types(function), function_types(function), strict=True)
    ]
    target = Block(arg_types=seen[0])
    function.body.add_block(target)
    rules = lowering(source)
    rules.host_results = seen[1]
    with rules.build.emitting_into(target):
        for old, new in zip(source.args, target.args, strict=True):
            new.name_hint = old.name_hint
            rules.bind(old, rules.scalars.converted(new, old.type))
        rules.prologue(target.args)
        rules.block(source)
    if lowering.decorators and _computes(source):
        function.attributes[emitpy.DECORATORS] = ArrayAttr(lowering.decorators)
    discard(function.body, source)
    function.function_type = FunctionType.from_lists(*seen)
    erase_unused(target)


def function_types(function: func.FuncOp) -> tuple[Sequence[Attribute], Sequence[Attribute]]:
    """The types of the arguments and results of a function."""
    return function.function_type.inputs.data, function.function_type.outputs.data


def as_tensors(seen: Attribute, own: Attribute) -> Attribute:
    """A type that the host sees, with the tensors of the value that represents it."""
    rows = phi.struct_of_arrays(seen)
    if isa(own, TupleType) and phi.is_complex(rows):
        shape = yarr.shape_of(next(iter(own.types)))
        return yarr.tensor(phi.scalar_of(rows), shape)
    if isa(own, TupleType):
        assert isa(rows, TupleType)
        return phi.tuple_of(map(as_tensors, rows.types, own.types))
    element = yarr.element_of(seen) if isa(seen, TensorType) else phi.scalar_of(seen)
    return yarr.tensor(element, yarr.shape_of(own))


def _is_yarr_type(type_: Attribute) -> bool:
    return isa(type_, TensorType) or isa(type_, TupleType)


def _computes(block: Block) -> bool:
    """Whether a function does arithmetic, which could overflow or divide by zero."""
    arithmetic = (
        yarr.CorrelateOp,
        yarr.EinsumOp,
        yarr.ElementwiseOp,
        yarr.InOrderOp,
        yarr.PropagateNanOp,
        yarr.ReduceOp,
        yarr.ScanOp,
        yarr.WeightedScanOp,
        yarr.AccumulateOp,
    )
    return any(isinstance(op, arithmetic) for op in block.walk())
