"""Sequential folds, loops that end by a condition, and loops over blocks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import DenseArrayBase, i1, i64
from xdsl.ir import Attribute, BlockArgument, Operation, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    operand_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import RecursiveMemoryEffect

from ein_mlir.dialects.creation import int_array, ints_of
from ein_mlir.dialects.operation import Canonical, op_definition
from ein_mlir.dialects.yarr.assembly import Blocks, Loop
from ein_mlir.dialects.yarr.base import BodyOp, Size, YieldOp
from ein_mlir.dialects.yarr.types import (
    DYNAMIC,
    SIZE,
    SIZE_TYPE,
    TENSOR,
    block_type,
    compatible,
    element_of,
    listed,
    rank_of,
    shape_of,
    tensor,
)

CONDITION_TYPE = tensor(i1, ())


class LoopOp(BodyOp):
    """A loop that carries arrays: a count, and the initial values of the accumulators."""

    BINDS_OPERANDS: ClassVar = True

    def __init__(
        self, count: SSAValue | Operation, inits: Sequence[SSAValue | Operation], body: Region
    ):
        types = [SSAValue.get(init).type for init in inits]
        super().__init__(operands=[count, inits], result_types=[types], regions=[body])

    @property
    def counter(self) -> BlockArgument:
        """The number of the step, from 0."""
        return self.regions[0].block.args[0]

    @property
    def accumulators(self) -> Sequence[BlockArgument]:
        """The carried values."""
        return self.regions[0].block.args[1:]

    def counters(self) -> Sequence[BlockArgument]:
        return (self.counter,)

    def variables(self) -> Sequence[BlockArgument]:
        return self.accumulators

    def verify_(self) -> None:
        block = self.regions[0].block
        types = [init.type for init in self.operands[1:]]
        if [arg.type for arg in block.args] != [SIZE_TYPE, *types]:
            raise self.fail(
                f"the body must take ({listed((SIZE_TYPE, *types))}), "
                f"not ({listed(a.type for a in block.args)})"
            )
        if not isinstance(block.last_op, YieldOp):
            raise self.fail("the body must end in yarr.yield")
        if list(block.last_op.values.types) != types:
            raise self.fail(
                f"the body must yield ({listed(types)}), not ({listed(block.last_op.values.types)})"
            )
        if [r.type for r in self.results] != types:
            raise self.fail(f"results must have the types of the initial values: {listed(types)}")


@op_definition
class FoldOp(LoopOp):
    """A loop over whole arrays: accumulators start as the initial values; a step yields the next.

    Example:
    ```mlir
    %s = yarr.fold (%k < %n, %acc = %init) -> tensor<?xf64> {
      %x = yarr.take %a, 0, %k : (tensor<?x?xf64>, tensor<i64>) -> tensor<?xf64>
      %0 = yarr.elementwise { arith.addf } %acc, %x : ...
      yarr.yield %0 : tensor<?xf64>
    }
    ```
    """

    name = "yarr.fold"

    count = operand_def(SIZE)
    inits = var_operand_def(TENSOR)
    res = var_result_def(TENSOR)
    body = region_def("single_block")

    traits = traits_def(RecursiveMemoryEffect(), Canonical())

    custom_directives = (Loop,)
    assembly_format = "custom<Loop>($count, $inits, type($inits), type($res), $body) attr-dict"


@op_definition
class WhileOp(LoopOp):
    """A loop over whole arrays that ends as soon as its first accumulator, a Bool, is false.

    A step runs if the Bool before it is true and the counter is below the limit. Types stay the
    same; a dynamic size may change.

    Example:
    ```mlir
    %on, %r = yarr.while (%k < %limit, %more = %true, %x = %init) -> tensor<i1>, tensor<f64> {
      %0 = yarr.elementwise { math.sqrt } %x : (tensor<f64>) -> tensor<f64>
      %1 = yarr.elementwise (%p = %0, %q = %two) : (tensor<f64>, tensor<f64>) -> tensor<i1> {
        %2 = arith.cmpf ogt, %p, %q : f64
        yarr.yield %2 : i1
      }
      yarr.yield %1, %0 : tensor<i1>, tensor<f64>
    }
    ```
    """

    name = "yarr.while"

    count = operand_def(SIZE)
    inits = var_operand_def(TENSOR)
    res = var_result_def(TENSOR)
    body = region_def("single_block")

    traits = traits_def(RecursiveMemoryEffect(), Canonical())

    custom_directives = (Loop,)
    assembly_format = "custom<Loop>($count, $inits, type($inits), type($res), $body) attr-dict"

    def verify_(self) -> None:
        types = [init.type for init in self.inits]
        if not types or types[0] != CONDITION_TYPE:
            raise self.fail(f"the first accumulator must be a {CONDITION_TYPE}")
        super().verify_()


@op_definition
class TileOp(BodyOp):
    """A loop over blocks of arrays along an axis; it concatenates the blocks of the results.

    The body computes blocks of the results from blocks of the arrays. Its first arguments are the
    start and the length of the block; it may read captured values as a whole. It works on each
    position of the axis independently: the results do not depend on the cuts of the axis, which are
    the backend's choice (one block, or blocks that fit in a cache). The body does not run if the
    axis is empty.

    Each array has the size ``extent`` along its axis. ``sizes`` are the dynamic sizes of the
    results along their other axes, result by result.

    Example:
    ```mlir
    %c = yarr.tile sizes (%m) (%start, %length of %n, %x = %a along 0, %y = %b along 0)
      : (tensor<?x?xf64>, tensor<?x?xf64>) -> (tensor<?x?xf64> along 0) {
      %0 = yarr.elementwise { arith.addf } %x, %y : ...
      %1 = yarr.elementwise { math.exp } %0 : ...
      yarr.yield %1 : tensor<?x?xf64>
    }
    ```
    """

    name = "yarr.tile"

    extent = operand_def(SIZE)
    arrays = var_operand_def(TENSOR)
    sizes = var_operand_def(SIZE)
    array_axes_attr = prop_def(DenseArrayBase.constr(i64), prop_name="array_axes")
    result_axes_attr = prop_def(DenseArrayBase.constr(i64), prop_name="result_axes")
    res = var_result_def(TENSOR)
    body = region_def("single_block")

    traits = traits_def(RecursiveMemoryEffect(), Canonical())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    custom_directives = (Blocks,)
    assembly_format = (
        "(`sizes` `(` $sizes^ `)`)? custom<Blocks>($extent, $arrays, type($arrays), $array_axes, "
        "type($res), $result_axes, $body) attr-dict"
    )

    def __init__(
        self,
        extent: SSAValue | Operation,
        arrays: Sequence[SSAValue | Operation],
        array_axes: Sequence[int],
        sizes: Sequence[SSAValue | Operation],
        result_types: Sequence[Attribute],
        result_axes: Sequence[int],
        body: Region,
    ):
        super().__init__(
            operands=[extent, arrays, sizes],
            result_types=[result_types],
            properties={
                "array_axes": int_array(array_axes),
                "result_axes": int_array(result_axes),
            },
            regions=[body],
        )

    @property
    def array_axes(self) -> tuple[int, ...]:
        """The axis that each array is cut along."""
        return ints_of(self.array_axes_attr)

    @property
    def result_axes(self) -> tuple[int, ...]:
        """The axis along which the blocks of each result are concatenated."""
        return ints_of(self.result_axes_attr)

    @property
    def start(self) -> BlockArgument:
        """The first position of the block."""
        return self.body.block.args[0]

    @property
    def length(self) -> BlockArgument:
        """The size of the block."""
        return self.body.block.args[1]

    @property
    def blocks(self) -> Sequence[BlockArgument]:
        """The blocks of the arrays."""
        return self.body.block.args[2:]

    @property
    def yielded(self) -> Sequence[SSAValue]:
        """The blocks of the results."""
        assert isinstance(self.body.block.last_op, YieldOp)
        return self.body.block.last_op.values

    def shape_of_result(self, number: int) -> list[int | SSAValue]:
        """The size of a result along each axis: a number or a size."""
        sizes, shape = iter(self.sizes), list[int | SSAValue]()
        for position, (result, tiled) in enumerate(zip(self.res, self.result_axes, strict=True)):
            shape = [
                self.extent if axis == tiled else next(sizes) if size == DYNAMIC else size
                for axis, size in enumerate(shape_of(result))
            ]
            if position == number:
                break
        return shape

    def size_of_result(self, axis: int) -> Size | None:
        if len(self.res) != 1:
            return None
        if self.arrays and axis == self.result_axes[0]:
            return self.arrays[0], self.array_axes[0]
        return self.shape_of_result(0)[axis]

    def verify_(self) -> None:
        for values, axes, what in (
            (self.arrays, self.array_axes, "array"),
            (self.res, self.result_axes, "result"),
        ):
            if len(values) != len(axes):
                raise self.fail(f"an axis for each {what} is needed: {len(axes)} for {len(values)}")
            for value, axis in zip(values, axes, strict=True):
                self.verify_axis(axis, rank_of(value), f"{what} axis")
        blocks = [block_type(t, d) for t, d in zip(self.arrays.types, self.array_axes, strict=True)]
        expected = (SIZE_TYPE, SIZE_TYPE, *blocks)
        if [argument.type for argument in self.body.block.args] != list(expected):
            given = listed(argument.type for argument in self.body.block.args)
            raise self.fail(f"the body must take ({listed(expected)}), not ({given})")
        if not isinstance(self.body.block.last_op, YieldOp):
            raise self.fail("the body must end in yarr.yield")
        if len(self.yielded) != len(self.res):
            raise self.fail(f"{len(self.yielded)} blocks do not make {len(self.res)} results")
        for block, result, axis in zip(self.yielded, self.res, self.result_axes, strict=True):
            type_ = block_type(result.type, axis)
            if element_of(block) != element_of(result) or not compatible(
                shape_of(block), shape_of(type_)
            ):
                raise self.fail(f"blocks of type '{block.type}' do not make a '{result.type}'")
        unknown = sum(
            size == DYNAMIC
            for result, tiled in zip(self.res, self.result_axes, strict=True)
            for axis, size in enumerate(shape_of(result))
            if axis != tiled
        )
        if len(self.sizes) != unknown:
            raise self.fail(f"{len(self.sizes)} sizes for {unknown} axes of results")
