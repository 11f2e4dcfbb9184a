"""``raise-products``: loops that compute a product of matrices become one operation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    AnyFloat,
    FloatAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    StridedLayoutAttr,
)
from xdsl.dialects.linalg.attrs import IteratorType, IteratorTypeAttr
from xdsl.dialects.linalg.ops import GenericOp, YieldOp
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.loops.memory_roots import share_no_memory
from ein_mlir.analysis.scopes import around, is_within


@dataclass(frozen=True)
class Factor:
    """An element ``a[.., i, .., k, ..]`` that a step reads: the variable of each axis, if any."""

    load: memref.LoadOp
    variables: tuple[SSAValue | None, ...]
    """For each axis the variable that runs over it; None where the position is fixed."""

    def axis(self, variable: SSAValue) -> int | None:
        """The axis of a variable."""
        return self.variables.index(variable) if variable in self.variables else None


@dataclass(frozen=True)
class Product:
    """``sum over k of a[.., i, k] * b[.., k, j]`` for the steps i, j, .. of a parallel loop."""

    nest: scf.ParallelOp
    sum: scf.ForOp
    left: Factor
    right: Factor
    indices: tuple[BlockArgument, ...]
    """The variables of the nest: i, a variable of the left factor alone, and j, one of the right
    factor alone, are the last two.
    """

    @property
    def sizes(self) -> list[SSAValue]:
        """The sizes of the array of all sums."""
        return [self.nest.upperBound[index.index] for index in self.indices]


# Recognition ----------------------------------------------------------------------------------


def products(nest: scf.ParallelOp) -> Iterator[Product]:
    """The products in a step of a loop that is in no other parallel loop."""
    if nest.initVals or not all(map(_counts_from_zero, nest.lowerBound, nest.step)):
        return
    for op in nest.body.block.ops:
        found = _product(nest, op) if isinstance(op, scf.ForOp) else None
        if found is not None:
            yield found


def _product(nest: scf.ParallelOp, op: scf.ForOp) -> Product | None:
    """The product that a loop of a step computes, if it does nothing else."""
    if len(op.iter_args) != 1 or not _counts_from_zero(op.lb, op.step) or is_within(op.ub, nest):
        return None
    loads = _factors(op)
    if loads is None:
        return None
    factors = [_factor(load, nest, op) for load in loads]
    left, right = factors
    if left is None or right is None or not _reads_only_old(nest, loads):
        return None
    counter = op.body.block.args[0]
    rows, columns = (
        [v for v in here.variables if v not in (None, counter, *there.variables)]
        for here, there in ((left, right), (right, left))
    )
    if not rows or not columns:
        return None
    shared = [v for v in nest.body.block.args if v not in (rows[-1], columns[-1])]
    if not {*left.variables, *right.variables}.issuperset(shared):
        return None
    indices = (*shared, rows[-1], columns[-1])
    return Product(nest, op, left, right, tuple(v for v in indices if isinstance(v, BlockArgument)))


def _counts_from_zero(lower: SSAValue, step: SSAValue) -> bool:
    return known_int(lower) == 0 and known_int(step) == 1


def _factors(op: scf.ForOp) -> tuple[memref.LoadOp, memref.LoadOp] | None:
    """The factors of ``acc + x * y``, if a step is nothing else."""
    block = op.body.block
    last = block.last_op
    total = last.operands[0].owner if last is not None else None
    if not isinstance(total, arith.AddfOp):
        return None
    terms = [term for term in total.operands if term is not block.args[1]]
    product = terms[0].owner if len(terms) == 1 else None
    if not isinstance(product, arith.MulfOp):
        return None
    lhs, rhs = (operand.owner for operand in product.operands)
    if not isinstance(lhs, memref.LoadOp) or not isinstance(rhs, memref.LoadOp) or lhs is rhs:
        return None
    return (lhs, rhs) if set(block.ops) == {lhs, rhs, product, total, last} else None


def _factor(load: memref.LoadOp, nest: scf.ParallelOp, op: scf.ForOp) -> Factor | None:
    """An element at positions that are variables, each once, or fixed in the nest."""
    counter = op.body.block.args[0]
    known = {counter, *nest.body.block.args}
    variables = tuple(index if index in known else None for index in load.indices)
    moving = [variable for variable in variables if variable is not None]
    fixed = [i for i, v in zip(load.indices, variables, strict=True) if v is None]
    if len(set(moving)) < len(moving) or counter not in moving or is_within(load.memref, nest):
        return None
    if not all(_is_invariant(index, nest) for index in fixed):
        return None
    return Factor(load, variables)


def _is_invariant(value: SSAValue, nest: scf.ParallelOp) -> bool:
    """Whether a scalar is computed from values before a nest alone."""
    if not is_within(value, nest):
        return True
    op = value.owner
    if not isinstance(op, Operation) or op.dialect_name() != arith.Arith.name:
        return False
    return all(_is_invariant(operand, nest) for operand in op.operands)


def _hoisted(value: SSAValue, nest: scf.ParallelOp) -> SSAValue:
    """An invariant scalar, computed before the nest."""
    op = value.owner
    if is_within(value, nest) and isinstance(op, Operation):
        for operand in op.operands:
            _hoisted(operand, nest)
        op.detach()
        Rewriter.insert_op(op, InsertPoint.before(nest))
    return value


def _reads_only_old(nest: scf.ParallelOp, loads: Sequence[memref.LoadOp]) -> bool:
    """Whether no step of the nest writes to the arrays of the factors."""
    for inner in nest.walk():
        match inner:
            case memref.StoreOp():
                written = inner.memref
            case memref.CopyOp():
                written = inner.destination
            case _:
                continue
        if not all(share_no_memory(load.memref, written) for load in loads):
            return False
    return True


# Rewriting ------------------------------------------------------------------------------------


def raise_products(root: Operation) -> None:
    """Raise the products of all loops that are in no parallel loop."""
    for nest in list(root.walk()):
        if isinstance(nest, scf.ParallelOp) and not any(
            isinstance(outer, scf.ParallelOp) for outer in around(nest.parent_op())
        ):
            for product in list(products(nest)):
                _raise(product)


def _raise(product: Product) -> None:
    """Compute all sums before the nest, in an array that its steps then read."""
    nest, op = product.nest, product.sum
    build = Builder(InsertPoint.before(nest))
    element = op.iter_args[0].type
    assert isinstance(element, AnyFloat)
    shape = [DYNAMIC_INDEX] * len(product.indices)
    sums = build.insert(memref.AllocOp.get(element, None, shape, product.sizes)).memref
    _clear(build, sums, product.sizes, element)
    left, right = (_view(build, factor, product) for factor in (product.left, product.right))
    build.insert(_contraction(product, left, right, sums))
    inside = Builder(InsertPoint.before(op))
    value = inside.insert(memref.LoadOp.get(sums, product.indices)).res
    total = inside.insert(arith.AddfOp(op.iter_args[0], value))
    Rewriter.insert_op(memref.DeallocOp.get(sums), InsertPoint.after(nest))
    Rewriter.replace_op(op, (), (total.result,))


def _clear(build: Builder, array: SSAValue, sizes: Sequence[SSAValue], element: AnyFloat) -> None:
    """Set all elements of an array to zero."""
    zero, one = (
        build.insert(arith.ConstantOp(IntegerAttr.from_index_int_value(n))).result for n in (0, 1)
    )
    value = build.insert(arith.ConstantOp(FloatAttr(0.0, element))).result
    block = Block(arg_types=[IndexType()] * len(sizes))
    block.add_ops((memref.StoreOp.get(value, array, block.args), scf.ReduceOp()))
    bounds = [zero] * len(sizes), list(sizes), [one] * len(sizes)
    build.insert(scf.ParallelOp(*bounds, Region(block)))


def _view(build: Builder, factor: Factor, product: Product) -> SSAValue:
    """The array of a factor without the axes at fixed positions."""
    array, variables = factor.load.memref, factor.variables
    if None not in variables:
        return array
    type_ = array.type
    assert isa(type_, MemRefType)
    positions = zip(factor.load.indices, variables, strict=True)
    offsets = [
        _hoisted(position, product.nest) for position, variable in positions if variable is None
    ]
    sizes = [_size(product, variable) for variable in variables if variable is not None]
    rank = len(sizes)
    part = MemRefType(
        type_.element_type,
        [DYNAMIC_INDEX] * rank,
        StridedLayoutAttr([None] * rank, None),
    )
    static = [0 if variable is not None else DYNAMIC_INDEX for variable in variables]
    extents = [DYNAMIC_INDEX if variable is not None else 1 for variable in variables]
    view = memref.SubviewOp(array, offsets, sizes, [], static, extents, [1] * len(variables), part)
    return build.insert(view).result


def _size(product: Product, variable: SSAValue) -> SSAValue:
    """The number of values of a variable."""
    if variable is product.sum.body.block.args[0]:
        return product.sum.ub
    assert isinstance(variable, BlockArgument)
    return product.nest.upperBound[variable.index]


def _contraction(product: Product, left: SSAValue, right: SSAValue, sums: SSAValue) -> GenericOp:
    """``c[.., i, j] += a[.., i, k] * b[.., k, j]``; the order of axes is that of the maps."""
    counter = product.sum.body.block.args[0]
    order = [*product.indices, counter]
    maps = [
        _map(order, [v for v in variables if v is not None])
        for variables in (product.left.variables, product.right.variables, product.indices)
    ]
    kinds = [IteratorType.PARALLEL] * len(product.indices) + [IteratorType.REDUCTION]
    element = product.sum.iter_args[0].type
    block = Block(arg_types=[element] * 3)
    left_element, right_element, _ = block.args
    term = arith.MulfOp(left_element, right_element)
    total = arith.AddfOp(block.args[2], term)
    block.add_ops((term, total, YieldOp(total)))
    return GenericOp(
        [left, right], [sums], Region(block), maps, [IteratorTypeAttr(kind) for kind in kinds]
    )


def _map(order: Sequence[SSAValue], variables: Sequence[SSAValue]) -> AffineMapAttr:
    """``(i, j, k) -> (i, k)``"""
    chosen = tuple(AffineExpr.dimension(order.index(variable)) for variable in variables)
    return AffineMapAttr(AffineMap(len(order), 0, chosen))


class RaiseProductsPass(ModulePass):
    """Computes products of matrices in one operation, before the loop that reads their elements.

    Before::

        scf.parallel (%i, %j) = (%c0, %c0) to (%n, %m) step (%c1, %c1) {
          %s = scf.for %k = %c0 to %l step %c1 iter_args(%acc = %zero) -> (f64) {
            %x = memref.load %a[%i, %k] : memref<?x?xf64>
            %y = memref.load %b[%k, %j] : memref<?x?xf64>
            %z = arith.mulf %x, %y : f64
            %next = arith.addf %acc, %z : f64
            scf.yield %next : f64
          }
          %t = math.tanh %s : f64
          memref.store %t, %r[%i, %j] : memref<?x?xf64>
        }

    After::

        %sums = memref.alloc(%n, %m) : memref<?x?xf64>
        ...
        linalg.generic {indexing_maps = [(i, j, k) -> (i, k), (i, j, k) -> (k, j), ..]}
          ins(%a, %b) outs(%sums) { ... }
        scf.parallel (%i, %j) = (%c0, %c0) to (%n, %m) step (%c1, %c1) {
          %0 = memref.load %sums[%i, %j] : memref<?x?xf64>
          %s = arith.addf %zero, %0 : f64
          ...
        }

    ``convert-loops-to-llvm`` leaves a large product to the library of the host, which is faster
    than any loop here. The array of sums is no larger than that of the loop, since a sum varies
    with all of its variables. Each factor has a variable of its own, and they may share others. A
    sum in a parallel loop of another one, or of more than a product, stays a loop.
    """

    name = "raise-products"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        raise_products(op)
