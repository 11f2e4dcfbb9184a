"""``convert-phi-to-yarr``: Axial compilation, from pointful to point-free (dissertation, 3.6)."""

from __future__ import annotations

from typing import Any, cast

from xdsl.dialects import arith, func, math
from xdsl.dialects.builtin import FunctionType, MemRefType, TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from ein_mlir.analysis.diagnostics import index_name, where_written
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.notes import name_of
from ein_mlir.dialects import phi, sigma, yarr
from ein_mlir.dialects.creation import discard
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.conversions.convert_phi_to_yarr import (
    accumulations,
    arrays,
    conditional_loops,
    indexing,
    loops,
    scalars,
    updates,
)
from ein_mlir.passes.conversions.convert_phi_to_yarr.conversion import (
    Conversion,
    Rule,
    convert_type,
)
from ein_mlir.rewriting.passes import FunctionPass

RULES: dict[type[Operation], Rule[Any]] = {
    **{
        op: scalars.scalar_operator
        for dialect in (arith.Arith, math.Math, sigma.Sigma)
        for op in dialect.operations
    },
    arith.ConstantOp: scalars.constant,
    arith.IndexCastOp: scalars.index_cast,
    arith.SelectOp: scalars.select,
    phi.ArrayOp: arrays.array,
    phi.AccumulateOp: accumulations.accumulate,
    phi.SizeOp: arrays.size,
    phi.ConcatOp: arrays.concat,
    phi.TupleOp: arrays.tuple_,
    phi.ProjOp: arrays.proj,
    phi.AssertEqOp: arrays.assert_eq,
    phi.ExternOp: arrays.extern,
    phi.GetOp: indexing.get,
    phi.UpdateOp: updates.update,
    phi.UpdateSliceOp: updates.update_slice,
    phi.FoldOp: loops.fold,
    phi.WhileOp: conditional_loops.while_,
    phi.ReduceOp: loops.reduce,
    phi.ArgreduceOp: loops.argreduce,
    phi.ArgsortOp: loops.argsort,
    phi.SearchsortedOp: loops.searchsorted,
    phi.SortOp: loops.sort,
    phi.ScanOp: loops.scan,
    phi.WeightedScanOp: loops.weighted_scan,
    phi.TopKOp: loops.top_k,
    phi.PropagateNanOp: loops.propagate_nan,
    func.CallOp: arrays.call,
}
"""The rule for each operation, found by the operation's class."""


def _check_equal_axes(conversion: Conversion, function: func.FuncOp, target: Block) -> None:
    """Assert that the axes of arguments have the sizes for which the program was compiled."""
    leaves = phi.leaves_of_arguments(function)

    def leaf(number: int) -> SSAValue:
        argument, path, _ = leaves[number]
        value: SSAValue = target.args[argument.index]
        for k in path:
            value = conversion.emit(yarr.ProjOp(value, k)).result
        return value

    for first, *others in phi.equal_axes(function):
        for other in others:
            lhs, rhs = ((leaf(number), axis) for number, axis in (first, other))
            axes = ", ".join(_described(leaves[number], axis) for number, axis in (first, other))
            own, expected = (_size(conversion, *each) for each in (lhs, rhs))
            message = f"this version takes equal sizes: {axes}"
            conversion.emit(yarr.AssertEqOp(own, expected, message))
    for (number, axis), size in phi.fixed_sizes(function).items():
        of = "" if axis is None else "the size of "
        message = f"this version takes {size} as {of}{_described(leaves[number], axis)}"
        own, known = _size(conversion, leaf(number), axis), conversion.integer(size)
        conversion.emit(yarr.AssertEqOp(own, known, message))


def _described(leaf: tuple[SSAValue, phi.Path, Attribute], axis: int | None) -> str:
    argument, path, _ = leaf
    name = name_of(argument) + "".join(f"[{k}]" for k in path)
    return name + ("" if axis is None else f" along axis {axis}")


def _size(conversion: Conversion, argument: SSAValue, axis: int | None) -> SSAValue:
    return argument if axis is None else conversion.emit(yarr.SizeOp(argument, axis)).result


def _check_types(function: func.FuncOp) -> None:
    for argument in function.body.block.args:
        if not phi.is_phi_type(argument.type):
            raise PassFailedException(
                f"convert-phi-to-yarr: the argument {index_name(argument)} of "
                f"'{function.sym_name.data}' is of '{argument.type}', which is not a type of phi"
                f"{_in_phi(argument.type)}{where_written(function)}"
            )


def _in_phi(type_: Attribute) -> str:
    """The type of phi that an array of another dialect has, as a remedy."""
    if not isinstance(type_, TensorType | MemRefType):
        return ""
    array = cast("TensorType[Attribute] | MemRefType[Attribute]", type_)
    return f": write {phi.vec_of(array.get_element_type(), array.get_num_dims())}"


def convert_function(conversion: Conversion) -> None:
    """Replace the body and the type of a function on phi types by yarr ones."""
    function = conversion.function
    source = function.body.block
    target = Block(arg_types=[convert_type(arg.type) for arg in source.args])
    with conversion.emitting_into(target):
        for old, new in zip(source.args, target.args, strict=True):
            new.name_hint = old.name_hint
            conversion.bind(old, arrays.unpack(conversion, new))
        _check_equal_axes(conversion, function, target)
        conversion.block(source)
        terminator = source.last_op
        assert terminator is not None
        results = [
            arrays.pack(conversion, conversion.value(operand)) for operand in terminator.operands
        ]
        conversion.emit(func.ReturnOp(*results), terminator)
    function.function_type = FunctionType.from_lists(
        [arg.type for arg in target.args], [result.type for result in results]
    )
    discard(function.body, source)
    function.body.add_block(target)


@dataclass(frozen=True)
class ConvertPhiToYarrPass(FunctionPass):
    """Translates phi to yarr: each value becomes an array over its free indices.

    Before::

        func.func @outer(%a: !phi.vec<f64>, %b: !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>> {
          %n = phi.size %a, 0 : !phi.vec<f64>
          %m = phi.size %b, 0 : !phi.vec<f64>
          %c = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
            %x = phi.get %a[%i] : !phi.vec<f64>[index]
            %y = phi.get %b[%j] : !phi.vec<f64>[index]
            %0 = arith.mulf %x, %y : f64
            phi.yield %0 : f64
          }
          func.return %c : !phi.vec<!phi.vec<f64>>
        }

    After (and canonicalisation)::

        func.func @outer(%a: tensor<?xf64>, %b: tensor<?xf64>) -> tensor<?x?xf64> {
          %x = yarr.unsqueeze %a, [1] : tensor<?xf64> -> tensor<?x1xf64>
          %y = yarr.unsqueeze %b, [0] : tensor<?xf64> -> tensor<1x?xf64>
          %c = yarr.elementwise { arith.mulf } %x, %y
            : (tensor<?x1xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
          func.return %c : tensor<?x?xf64>
        }

    Calls must be inlined and arrays of records split (``inline``, ``struct-of-arrays``) before.

    Elements that a loop by a condition varies with take its steps together. With the option
    ``compact``, a loop of which half of the elements are done, or more, goes on with the others
    alone, if they are many. With the option ``interchange``, the indices of an accumulation that
    have few values are outermost: a library of calls takes long for an array of many short rows.
    With ``static``, arrays have the same sizes in all steps of loops: slices of them, too.
    """

    compact: bool = False
    interchange: bool = False
    static: bool = False

    name = "convert-phi-to-yarr"

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        _check_types(function)
        convert_function(
            Conversion(
                function,
                RULES,
                analyses,
                compacts=self.compact,
                interchanges=self.interchange,
                is_static=self.static,
            )
        )
