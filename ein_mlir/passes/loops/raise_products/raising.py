"""A product of matrices before the nest whose steps compute its elements."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from xdsl.builder import Builder
from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    AnyFloat,
    FloatAttr,
    MemRefType,
    StridedLayoutAttr,
)
from xdsl.dialects.linalg.attrs import IteratorType, IteratorTypeAttr
from xdsl.dialects.linalg.ops import GenericOp, YieldOp
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.loops.index_bounds import uncast
from ein_mlir.analysis.scopes import is_within, operations_of, values_behind
from ein_mlir.dialects.creation import copy_of
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.loops.raise_products.recognition import (
    INDEX,
    Factor,
    Number,
    Product,
    are_axes,
    are_equal,
    is_zero,
)
from ein_mlir.rewriting.loops.index_values import IndexValues

MOST_ELEMENTS = 2**18
"""The most elements of a factor that is larger than the arrays that the loop has: rows of the loop
are then computed in parts, each with arrays of about this size.
"""


@dataclass(frozen=True)
class Part:
    """The steps of an index or of a counter that a product is computed for at once."""

    start: SSAValue
    count: SSAValue


Parts: TypeAlias = Mapping[SSAValue, Part]


def in_parts(
    nest: scf.ParallelOp, index: BlockArgument, found: Sequence[Product]
) -> tuple[Parts, SSAValue | None]:
    """``parallel (i < n)  -->  for (start < n by step) { parallel (start <= i < end) }``

    All at once if a product is the sum of those of parts of its terms: also returns whether it is.
    """
    emit = Emitter(Builder(InsertPoint.before(nest)))
    number = index.index
    zero, size = nest.lowerBound[number], nest.upperBound[number]
    step = step_of_parts(emit, found, index)
    is_sum = _is_sum_of_parts(emit, found, index)
    if is_sum is not None:
        step = emit.value(arith.SelectOp(is_sum, emit.at_least_1(size), step))
    part, body = part_of(size, step)
    end = Emitter(Builder(InsertPoint.at_end(body))).value(arith.AddiOp(part.start, part.count))
    Rewriter.insert_op(scf.ForOp(zero, size, step, [], Region(body)), InsertPoint.before(nest))
    nest.detach()
    body.add_ops((nest, scf.YieldOp()))
    nest.operands[number] = part.start
    nest.operands[len(nest.lowerBound) + number] = end
    return {index: part}, is_sum


def part_of(size: SSAValue, step: SSAValue) -> tuple[Part, Block]:
    """The part of each step of a loop over parts, and the body of that loop."""
    body = Block(arg_types=[INDEX])
    inside = Emitter(Builder(InsertPoint.at_end(body)))
    rest = inside.value(arith.SubiOp(size, body.args[0]))
    return Part(body.args[0], inside.value(arith.MinSIOp(rest, step))), body


def step_of_parts(emit: Emitter, found: Sequence[Product], variable: SSAValue) -> SSAValue:
    """The steps of a variable for which arrays have about `MOST_ELEMENTS` elements."""
    elements = emit.integer(1)
    for product in found:
        for factor in product.large():
            sizes = [product.size(each) for each in factor.variables if each is not variable]
            elements = emit.value(arith.MaxSIOp(elements, emit.product(sizes)))
    return emit.at_least_1(emit.value(arith.DivSIOp(emit.integer(MOST_ELEMENTS), elements)))


def _is_sum_of_parts(emit: Emitter, found: Sequence[Product], index: SSAValue) -> SSAValue | None:
    """Whether a product is the sum of those of parts of its terms: it is smaller than the factor
    that each part of its rows would copy again.
    """
    others = [each for each in (found[0].left, found[0].right) if not each.is_large]
    if len(found) > 1 or len(others) != 1 or index in others[0].variables:
        return None
    if result_of(found[0]) is not None:
        return None  # rows of parts are computed where they are wanted
    sizes = (found[0].indices, others[0].variables)
    own, copied = (emit.product(map(found[0].size, each)) for each in sizes)
    return emit.value(arith.CmpiOp(own, copied, "slt"))


class Emitter(IndexValues):
    """Emits products and sums of numbers."""

    def at_least_1(self, number: SSAValue) -> SSAValue:
        return self.value(arith.MaxSIOp(number, self.integer(1)))

    def times(self, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        """A product; one with 1 needs no operation."""
        for one, other in ((lhs, rhs), (rhs, lhs)):
            if known_int(one) == 1:
                return other
        return self.value(arith.MuliOp(lhs, rhs))

    def product(self, numbers: Iterable[SSAValue]) -> SSAValue:
        """The product of some numbers."""
        total = self.integer(1)
        for number in numbers:
            total = self.times(total, number)
        return total

    def plus(self, lhs: SSAValue | None, rhs: SSAValue) -> SSAValue:
        """A sum; None is 0."""
        return rhs if lhs is None else self.value(arith.AddiOp(lhs, rhs))

    def of(self, number: Number) -> SSAValue:
        """The value of a number."""
        total: SSAValue | None = None
        for factor, values in number.terms:
            term = self.integer(factor) if factor != 1 or not values else None
            for value in values:
                own = self.index(value)
                term = own if term is None else self.value(arith.MuliOp(term, own))
            assert term is not None
            total = self.plus(total, term)
        assert total is not None
        return total


def hoist(product: Product) -> None:
    """Move the casts of counts before the nest."""
    for loop in product.sums:
        cast = loop.ub.owner
        if is_within(loop.ub, product.nest) and isinstance(cast, Operation):
            cast.detach()
            Rewriter.insert_op(cast, InsertPoint.before(product.nest))


def result_of(product: Product) -> SSAValue | None:
    """The array that a nest writes sums to, if these are all that it has, and start from zero."""
    nest, sum_ = product.nest, product.sums[0]
    stores = operations_of(nest, memref.StoreOp)
    if len(product.sums) > 1 or len(stores) != 1 or len(product.loops) > 1:
        return None
    (store,) = stores
    array = store.memref.owner
    is_sum = store.value is sum_.results[0] and is_zero(sum_.iter_args[0])
    is_whole = (
        isinstance(array, memref.AllocOp)
        and list(array.dynamic_sizes) == list(nest.upperBound)
        and list(store.indices) == list(nest.body.block.args) == list(product.indices)
        and all(known_int(low) == 0 for low in nest.lowerBound)
        and all(known_int(step) == 1 for step in nest.step)
    )
    return store.memref if is_sum and is_whole else None


class Raiser:
    """Computes the sums of a product before the nest, in an array that its steps then read.

    If the nest, which may be a part of one, only writes them to a result, they are computed there.
    """

    def __init__(
        self,
        product: Product,
        result: SSAValue | None,
        parts: Parts | None = None,
        is_sum: SSAValue | None = None,
    ):
        self._product = product
        self._parts = dict(parts or {})
        self._is_sum = is_sum
        self._written = result
        self._emit = Emitter(Builder(InsertPoint.before(product.nest)))
        element = product.sums[0].iter_args[0].type
        assert isinstance(element, AnyFloat)
        self._element = element

    def run(self) -> None:
        product = self._product
        sizes = [self._extent(axis) for axis in self._result]
        result = self._written
        sums = self._array(sizes) if result is None else self._rows(result, sizes)
        if self._is_sum is None:
            self._multiply(sums, sizes)
        else:
            self._add_parts(sums, sizes, self._is_sum)
        if result is None:
            self._read(sums)
            Rewriter.insert_op(memref.DeallocOp.get(sums), InsertPoint.after(product.nest))
        else:
            Rewriter.erase_op(product.nest)

    def _multiply(self, sums: SSAValue, sizes: Sequence[SSAValue]) -> None:
        factors = (self._product.left, self._product.right)
        left = self._operand(factors[0])
        is_square = are_equal(*factors)
        right = left if is_square else self._operand(factors[1])
        self._clear(sums, sizes)
        self._emit.build.insert(self._contraction(left, right, sums))
        arrays = (left,) if is_square else (left, right)
        for factor, array in zip(factors, arrays, strict=False):
            if factor.computed:
                self._emit.build.insert(memref.DeallocOp.get(array))

    def _add_parts(self, sums: SSAValue, sizes: Sequence[SSAValue], is_sum: SSAValue) -> None:
        """``s = 0; for (start < k by step) { p = a[:, start..] @ b[start.., :]; s += p }``

        or the product at once if it is no sum of parts.
        """
        emit, counter = self._emit, self._product.counters[0]

        def new() -> SSAValue:
            self._clear(sums, sizes)
            return self._array(sizes)

        def multiply() -> None:
            self._multiply(part, sizes)
            self._emit.build.insert(scf.IfOp(is_sum, [], self._written_in(Block(), add)))

        def add() -> None:
            block = Block(arg_types=[INDEX] * len(sizes))
            inside = Emitter(Builder(InsertPoint.at_end(block)))
            total, term = (inside.value(memref.LoadOp.get(x, block.args)) for x in (sums, part))
            total = inside.value(arith.AddfOp(total, term))
            block.add_ops((memref.StoreOp.get(total, sums, block.args), scf.ReduceOp()))
            self._loop(sizes, block)

        region = self._written_in(Block(), new)
        part = emit.value(scf.IfOp(is_sum, [sums.type], region, [scf.YieldOp(sums)]))
        size = self._product.size(counter)
        step = step_of_parts(emit, [self._product], counter)
        step = emit.value(arith.SelectOp(is_sum, step, emit.at_least_1(size)))
        self._parts[counter], body = part_of(size, step)
        region = self._written_in(body, multiply)
        emit.build.insert(scf.ForOp(emit.integer(0), size, step, [], region))
        free = [memref.DeallocOp.get(part), scf.YieldOp()]
        emit.build.insert(scf.IfOp(is_sum, [], free))

    def _written_in(self, block: Block, write: Callable[[], SSAValue | None]) -> Region:
        """The region of a block to which operations are written, which yields their value."""
        outside, self._emit = self._emit, Emitter(Builder(InsertPoint.at_end(block)))
        value = write()
        block.add_op(scf.YieldOp() if value is None else scf.YieldOp(value))
        self._emit = outside
        return Region(block)

    def _rows(self, result: SSAValue, sizes: Sequence[SSAValue]) -> SSAValue:
        """The part of a result that the nest writes."""
        rank = len(sizes)
        dynamic = [index in self._parts for index in self._product.indices]
        if not any(dynamic):
            return result
        starts = [self._parts[x].start for x in self._product.indices if x in self._parts]
        static = [DYNAMIC_INDEX if each else 0 for each in dynamic]
        extents, ones, type_ = [DYNAMIC_INDEX] * rank, [1] * rank, self._strided_type(rank)
        return self._emit.value(
            memref.SubviewOp(result, starts, sizes, [], static, extents, ones, type_)
        )

    def _read(self, sums: SSAValue) -> None:
        """Read an element of the sums in place of the loop that computes it."""
        product, op = self._product, self._product.sums[0]
        inside = Emitter(Builder(InsertPoint.before(op)))
        own = dict[SSAValue, SSAValue](
            (index, self._place(inside, index)) for index in product.indices
        )
        places = [self._position(inside, axis, own) for axis in self._result]
        value = inside.value(memref.LoadOp.get(sums, places))
        Rewriter.replace_op(op, (), (inside.value(arith.AddfOp(op.iter_args[0], value)),))

    def _size(self, variable: SSAValue) -> SSAValue:
        """The number of values of a variable in a part."""
        part = self._parts.get(variable)
        return self._product.size(variable) if part is None else part.count

    def _place(self, emit: Emitter, variable: SSAValue) -> SSAValue:
        """The position of a value of a variable in arrays of a part."""
        part = self._parts.get(variable)
        return variable if part is None else emit.value(arith.SubiOp(variable, part.start))

    def _array(self, sizes: Sequence[SSAValue]) -> SSAValue:
        shape = [DYNAMIC_INDEX] * len(sizes)
        return self._emit.value(memref.AllocOp.get(self._element, None, shape, sizes))

    def _clear(self, array: SSAValue, sizes: Sequence[SSAValue]) -> None:
        """Set all elements of an array to zero."""
        value = self._emit.value(arith.ConstantOp(FloatAttr(0.0, self._element)))
        block = Block(arg_types=[INDEX] * len(sizes))
        block.add_ops((memref.StoreOp.get(value, array, block.args), scf.ReduceOp()))
        self._loop(sizes, block)

    def _loop(self, sizes: Sequence[SSAValue], body: Block) -> None:
        """A parallel loop over all positions of an array."""
        zero, one = map(self._emit.integer, (0, 1))
        bounds = [zero] * len(sizes), list(sizes), [one] * len(sizes)
        self._emit.build.insert(scf.ParallelOp(*bounds, Region(body)))

    # Factors

    def _operand(self, factor: Factor) -> SSAValue:
        """The array of a factor: a view of it, or a new one."""
        if factor.computed:
            return self._stored(factor)
        if not self._parts.keys().isdisjoint(factor.variables) or not are_axes(factor.positions):
            return self._strided(factor)
        return self._view(factor)

    def _stored(self, factor: Factor) -> SSAValue:
        """A new array of a factor; the counters of several sums are one axis of it."""
        axes = self._axes(factor)
        sizes = [self._extent(axis) for axis in axes]
        array = self._array(sizes)
        variables = [variable for axis in axes for variable in axis]
        block = Block(arg_types=[INDEX] * len(variables))
        values, inside = dict[SSAValue, SSAValue](), Emitter(Builder(InsertPoint.at_end(block)))
        for old, new in zip(variables, block.args, strict=True):
            part = self._parts.get(old)
            values[old] = new if part is None else inside.plus(new, part.start)
        places = dict[SSAValue, SSAValue](zip(variables, block.args, strict=True))
        block.add_ops([copy_of(op, values) for op in factor.computed])
        at = [self._position(inside, axis, places) for axis in axes]
        block.add_ops((memref.StoreOp.get(values[factor.value], array, at), scf.ReduceOp()))
        extents = [self._size(variable) for variable in variables]
        self._loop([self._if_any(extents[0], factor), *extents[1:]], block)
        return array

    def _axes(self, factor: Factor) -> list[tuple[SSAValue, ...]]:
        """The variables of each axis of a new array."""
        counters = self._product.counters
        if len(counters) == 1:
            return [(variable,) for variable in factor.variables]
        *shared, own = (axis for axis in self._result if axis[0] in factor.variables)
        if self._is_read_along(factor, counters):
            return [*shared, own, counters]
        return [*shared, counters, own]

    def _is_read_along(self, factor: Factor, axis: Sequence[SSAValue]) -> bool:
        """Whether neighbours in memory that a factor is computed from are neighbours of an axis."""
        load = factor.value.owner
        if not isinstance(load, memref.LoadOp) or not load.indices:
            return False
        inside = set[SSAValue](value for op in factor.computed for value in op.results)
        behind = values_behind([load.indices[-1]], lambda each: each in inside or each in axis)
        return not set(axis).isdisjoint(behind)

    @property
    def _result(self) -> list[tuple[SSAValue, ...]]:
        """The variables of each axis of the array of sums: those of one factor are one axis if both
        factors are stored.
        """
        product = self._product
        if len(product.counters) == 1:
            return [(index,) for index in product.indices]
        rows, columns = (
            tuple(index for index in product.indices if index not in other.variables)
            for other in (product.right, product.left)
        )
        shared = [(v,) for v in product.indices if v not in (*rows, *columns)]
        return [*shared, rows, columns]

    def _position(
        self, emit: Emitter, axis: Sequence[SSAValue], places: Mapping[SSAValue, SSAValue]
    ) -> SSAValue:
        """The position along an axis of several variables: ``(i * m + j) * n + ..``"""
        place = places[axis[0]]
        for variable in axis[1:]:
            whole = emit.times(place, self._size(variable))
            place = emit.value(arith.AddiOp(whole, places[variable]))
        return place

    def _extent(self, axis: Sequence[SSAValue]) -> SSAValue:
        """The size of an axis of one variable or several."""
        size = self._size(axis[0])
        for variable in axis[1:]:
            size = self._emit.times(size, self._size(variable))
        return size

    def _if_any(self, size: SSAValue, factor: Factor) -> SSAValue:
        """A size, or 0 if the loops of the nest without the variables of a factor have no step.

        Positions are in bounds only in the steps of a nest.
        """
        others = [index for index in self._product.indices if index not in factor.variables]
        none = self._emit.integer(0)
        for other in others:
            has_steps = self._emit.value(arith.CmpiOp(self._size(other), none, "sgt"))
            size = self._emit.value(arith.SelectOp(has_steps, size, none))
        return size

    def _view(self, factor: Factor) -> SSAValue:
        """The array of a factor without the axes at fixed positions, as far as the loops go."""
        load = factor.value.owner
        assert isinstance(load, memref.LoadOp)
        array, positions = load.memref, factor.positions
        variables = [next((v for v in form if v is not None), None) for form in positions]
        if all(
            variable is not None and is_size_of(self._size(variable), array, axis)
            for axis, variable in enumerate(variables)
        ):
            return array
        offsets = [
            self._emit.of(form[None]) if form else self._emit.integer(0)
            for form, variable in zip(positions, variables, strict=True)
            if variable is None
        ]
        sizes = [self._size(variable) for variable in variables if variable is not None]
        static = [0 if variable is not None else DYNAMIC_INDEX for variable in variables]
        extents = [DYNAMIC_INDEX if variable is not None else 1 for variable in variables]
        type_ = self._strided_type(len(sizes))
        ones = [1] * len(variables)
        return self._emit.value(
            memref.SubviewOp(array, offsets, sizes, [], static, extents, ones, type_)
        )

    def _strided(self, factor: Factor) -> SSAValue:
        """A view of the array of a factor with an axis for each variable, of any strides."""
        load, emit = factor.value.owner, self._emit
        assert isinstance(load, memref.LoadOp)
        offset: SSAValue | None = None
        strides = dict[SSAValue, SSAValue]()
        stride = emit.integer(1)
        for axis, form in reversed(list(enumerate(factor.positions))):
            for variable, number in form.items():
                distance = emit.times(emit.of(number), stride)
                if variable is None:
                    offset = emit.plus(offset, distance)
                else:
                    strides[variable] = emit.plus(strides.get(variable), distance)
            if axis:
                size = emit.value(memref.DimOp(load.memref, emit.integer(axis)))
                stride = emit.times(stride, size)
        for variable in strides.keys() & self._parts.keys():
            start = self._parts[variable].start
            offset = emit.plus(offset, emit.times(start, strides[variable]))
        variables = factor.variables
        return emit.value(
            memref.ReinterpretCastOp.from_dynamic(
                load.memref,
                [offset if offset is not None else 0],
                [self._size(variable) for variable in variables],
                [strides[variable] for variable in variables],
                self._strided_type(len(variables)),
            )
        )

    def _strided_type(self, rank: int) -> MemRefType:
        layout = StridedLayoutAttr([None] * rank, None)
        return MemRefType(self._element, [DYNAMIC_INDEX] * rank, layout)

    # The product

    def _contraction(self, left: SSAValue, right: SSAValue, sums: SSAValue) -> GenericOp:
        """``c[.., i, j] += a[.., i, k] * b[.., k, j]``; the order of axes is that of the maps."""
        product = self._product
        result = [axis[0] for axis in self._result]
        axes = [self._order_of(factor) for factor in (product.left, product.right)]
        maps = [_map([*result, product.counters[0]], own) for own in (*axes, result)]
        kinds = [IteratorType.PARALLEL] * len(result) + [IteratorType.REDUCTION]
        block = Block(arg_types=[self._element] * 3)
        left_element, right_element, _ = block.args
        term = arith.MulfOp(left_element, right_element)
        total = arith.AddfOp(block.args[2], term)
        block.add_ops((term, total, YieldOp(total)))
        return GenericOp(
            [left, right], [sums], Region(block), maps, [IteratorTypeAttr(kind) for kind in kinds]
        )

    def _order_of(self, factor: Factor) -> list[SSAValue]:
        """The first variable of each axis of the array of a factor."""
        return [axis[0] for axis in self._axes(factor)] if factor.computed else [*factor.variables]


def is_size_of(size: SSAValue, array: SSAValue, axis: int) -> bool:
    """Whether a number of steps is known to be the size of an array along an axis."""
    size = uncast(size)
    if isinstance(size.owner, memref.DimOp):
        return size.owner.source is array and known_int(size.owner.index) == axis
    type_ = array.type
    assert isinstance(type_, MemRefType)
    shape = type_.get_shape()
    if shape[axis] != DYNAMIC_INDEX:
        return known_int(size) == shape[axis]
    if not isinstance(array.owner, memref.AllocOp):
        return False
    own = array.owner.dynamic_sizes[shape[:axis].count(DYNAMIC_INDEX)]
    return uncast(own) is size


def _map(order: Sequence[SSAValue], variables: Sequence[SSAValue]) -> AffineMapAttr:
    """``(i, j, k) -> (i, k)``"""
    chosen = tuple(AffineExpr.dimension(order.index(variable)) for variable in variables)
    return AffineMapAttr(AffineMap(len(order), 0, chosen))
