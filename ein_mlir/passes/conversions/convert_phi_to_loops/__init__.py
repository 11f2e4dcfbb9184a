"""``convert-phi-to-loops``: comprehensions and folds become loops over memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects import arith, func, math
from xdsl.dialects.builtin import FunctionType, MemRefType, i64
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.free_indices import leaf_types
from ein_mlir.dialects import phi, sigma
from ein_mlir.dialects.creation import discard
from ein_mlir.passes.conversions.convert_phi_to_loops import (
    accumulations,
    arrays,
    indexing,
    loops,
    reductions,
    scalars,
    selections,
    sorting,
)
from ein_mlir.passes.conversions.convert_phi_to_loops.conversion import Conversion, Rule
from ein_mlir.passes.conversions.convert_phi_to_loops.values import (
    Array,
    Buffer,
    Leaf,
    loop_types,
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
    arith.SelectOp: arrays.select,
    phi.AccumulateOp: accumulations.accumulate,
    phi.ArrayOp: arrays.array,
    phi.SizeOp: arrays.size,
    phi.ConcatOp: arrays.concat,
    phi.TupleOp: arrays.tuple_,
    phi.ProjOp: arrays.proj,
    phi.AssertEqOp: arrays.assert_eq,
    phi.ExternOp: arrays.extern,
    phi.GetOp: indexing.get,
    phi.UpdateOp: indexing.update,
    phi.UpdateSliceOp: indexing.update_slice,
    phi.FoldOp: loops.fold,
    phi.WhileOp: loops.while_,
    phi.ReduceOp: loops.reduce,
    phi.ArgreduceOp: reductions.argreduce,
    phi.TopKOp: selections.top_k,
    phi.ArgsortOp: sorting.argsort,
    phi.SortOp: sorting.sort,
    phi.SearchsortedOp: sorting.searchsorted,
    phi.ScanOp: reductions.scan,
    phi.WeightedScanOp: reductions.weighted_scan,
    phi.PropagateNanOp: reductions.propagate_nan,
    func.CallOp: arrays.call,
}
"""The rule for each operation, found by the operation's class."""

OPERANDS = MemRefType(i64, [2])
"""The numbers of a failing assertion."""


def convert_function(function: func.FuncOp, analyses: AnalysisManager) -> None:
    """Replace the body and the type of a function of phi by loops."""
    source = function.body.block
    conversion = Conversion(function, RULES, analyses)
    target = Block()
    with conversion.emitting_into(target):
        conversion.operands = _bind_arguments(conversion, source, target)
        _share_equal_sizes(conversion, function)
        conversion.assertions()
        conversion.block(source)
        terminator = source.last_op
        assert terminator is not None
        results = [
            _result(conversion, leaf)
            for operand in terminator.operands
            for leaf in conversion.leaves(operand)
        ]
        conversion.emit(func.ReturnOp(*results), terminator)
    function.function_type = FunctionType.from_lists(
        [arg.type for arg in target.args], [result.type for result in results]
    )
    discard(function.body, source)
    function.body.add_block(target)


def _bind_arguments(conversion: Conversion, source: Block, target: Block) -> SSAValue:
    """Add the arguments of a function, and last the memory for the numbers of an assertion."""
    arguments = list[tuple[SSAValue, list[SSAValue]]]()
    for old in source.args:
        new = [_argument(target, type_, old) for type_ in loop_types(old.type)]
        arguments.append((old, list(new)))
    operands = _argument(target, OPERANDS, None)
    operands.name_hint = "operands"
    for old, values in arguments:
        known = phi.known_sizes(old)
        leaves = [
            _array(conversion, value, known) if isinstance(type_, phi.VecType) else value
            for value, type_ in zip(values, leaf_types(old.type), strict=True)
        ]
        conversion.bind(old, leaves)
    return operands


def _share_equal_sizes(conversion: Conversion, function: func.FuncOp) -> None:
    """Let axes of arguments that have equal sizes have one value for them."""
    leaves = [leaf for each in function.body.block.args for leaf in conversion.leaves(each)]
    for group in phi.equal_axes(function):
        axes = [(leaves[k], axis) for k, axis in group if axis is not None]
        (first, axis), *others = [(x.buffer, k) for x, k in axes if isinstance(x, Array)]
        size = first.sizes[axis]
        for buffer, place in others:
            buffer.sizes = (*buffer.sizes[:place], size, *buffer.sizes[place + 1 :])


def _argument(target: Block, type_: Attribute, old: SSAValue | None) -> SSAValue:
    argument = target.insert_arg(type_, len(target.args))
    argument.name_hint = old.name_hint if old is not None else None
    return argument


def _array(conversion: Conversion, value: SSAValue, known: Sequence[int]) -> Leaf:
    """An array of the caller, perhaps with some known sizes."""
    sizes = conversion.dimensions(value)
    home = sizes[-1].owner
    for axis, size in enumerate(known):
        if size:
            sizes[axis] = conversion.index(size)
    return Array(Buffer(value, tuple(sizes), home))


def _result(conversion: Conversion, leaf: Leaf) -> SSAValue:
    """A result; an array in memory of its own."""
    return conversion.owned_copy(leaf) if isinstance(leaf, Array) else leaf


class ConvertPhiToLoopsPass(FunctionPass):
    """Translates phi to loops: each comprehension and fold becomes a loop over memory.

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

    After::

        func.func @outer(%a: memref<?xf64>, %b: memref<?xf64>, %operands: memref<2xi64>)
            -> memref<?x?xf64> {
          %zero = arith.constant 0 : index
          %one = arith.constant 1 : index
          %n = memref.dim %a, %zero : memref<?xf64>
          %m = memref.dim %b, %zero : memref<?xf64>
          %c = memref.alloc(%n, %m) : memref<?x?xf64>
          scf.parallel (%i, %j) = (%zero, %zero) to (%n, %m) step (%one, %one) {
            %x = memref.load %a[%i] : memref<?xf64>
            %y = memref.load %b[%j] : memref<?xf64>
            %0 = arith.mulf %x, %y : f64
            memref.store %0, %c[%i, %j] : memref<?x?xf64>
            scf.reduce
          }
          func.return %c : memref<?x?xf64>
        }

    The dialects are those of MLIR: func, scf, memref, arith, math and cf. Results are allocated and
    belong to the caller; other memory is released after its last use. A failing assertion writes
    its numbers to the last argument before ``cf.assert``.
    """

    name = "convert-phi-to-loops"

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        convert_function(function, analyses)
