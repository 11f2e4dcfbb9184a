"""``raise-products``: loops that compute a product of matrices become one operation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects import arith, math, memref, scf
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
from ein_mlir.analysis.scopes import around, is_within, operations_in


@dataclass(frozen=True)
class Factor:
    """An element ``a[.., i, .., k, ..]`` that a step reads, or a number that it computes."""

    value: SSAValue
    variables: tuple[SSAValue | None, ...]
    """For each axis the variable that runs over it; None where the position is fixed."""
    computed: tuple[Operation, ...] = ()
    """The operations that compute a number, which becomes an element of a new array."""

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
    values = _factors(op)
    if values is None:
        return None
    left, right = (_factor(value, nest, op) for value in values)
    if left is None or right is None or not _reads_only_old(nest, _loads((left, right))):
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


def _factors(op: scf.ForOp) -> tuple[SSAValue, SSAValue] | None:
    """The factors of ``acc + x * y``, if a step is nothing else."""
    block = op.body.block
    last = block.last_op
    total = last.operands[0].owner if last is not None else None
    if not isinstance(total, arith.AddfOp):
        return None
    terms = [term for term in total.operands if term is not block.args[1]]
    product = terms[0].owner if len(terms) == 1 else None
    if not isinstance(product, arith.MulfOp) or product.lhs is product.rhs:
        return None
    uses = (use.operation for value in (block.args[1], total.result) for use in value.uses)
    return (product.lhs, product.rhs) if set(uses) == {total, last} else None


def _factor(value: SSAValue, nest: scf.ParallelOp, op: scf.ForOp) -> Factor | None:
    """A number of a step: an element of an array, or one that is worth storing in an array."""
    if not isinstance(value.owner, memref.LoadOp):
        return _computed(value, nest, op)
    load = value.owner
    variables = _variables(load, nest, op)
    fixed = [i for i, v in zip(load.indices, variables, strict=True) if v is None]
    if is_within(load.memref, nest) or not all(_is_invariant(index, nest) for index in fixed):
        return _computed(value, nest, op)
    moving = [variable for variable in variables if variable is not None]
    if len(set(moving)) < len(moving) or op.body.block.args[0] not in moving:
        return _computed(value, nest, op)
    return Factor(value, variables)


def _variables(
    load: memref.LoadOp, nest: scf.ParallelOp, op: scf.ForOp
) -> tuple[SSAValue | None, ...]:
    """The variable that each position of a load is, if any."""
    known = {op.body.block.args[0], *nest.body.block.args}
    return tuple(index if index in known else None for index in load.indices)


def _computed(value: SSAValue, nest: scf.ParallelOp, op: scf.ForOp) -> Factor | None:
    """A number that is computed from elements, if an array that is read is as large."""
    known = [*nest.body.block.args, op.body.block.args[0]]
    needed, pending, found = set[Operation](), [value], set[SSAValue]()
    while pending:
        current = pending.pop()
        if current in known:
            found.add(current)
        elif is_within(current, nest):
            owner = current.owner
            if not isinstance(owner, Operation) or not _is_pure(owner, nest):
                return None
            needed.add(owner)
            pending.extend(operand for operand in owner.operands)
    ops = tuple(each for each in operations_in(nest) if each in needed)
    for each in ops:
        if isinstance(each, memref.LoadOp) and known[-1] in found:
            variables = tuple(v for v in _variables(each, nest, op) if v in found)
            if set(variables) == found and len(variables) == len(found):
                return Factor(value, variables, ops)
    return None


def are_equal(left: Factor, right: Factor) -> bool:
    """Whether two computed factors are one, except for the names of their variables."""
    if not left.computed or len(left.computed) != len(right.computed):
        return False
    same = dict[SSAValue | None, SSAValue | None](
        zip(left.variables, right.variables, strict=False)
    )
    for a, b in zip(left.computed, right.computed, strict=True):
        operands = [same.get(value, value) for value in a.operands]
        if (a.name, a.properties, operands) != (b.name, b.properties, list(b.operands)):
            return False
        same.update(zip(a.results, b.results, strict=True))
    return same.get(left.value) is right.value


def _is_pure(op: Operation, nest: scf.ParallelOp) -> bool:
    """Whether an operation is scalar arithmetic, or a load from an array from before a nest."""
    if isinstance(op, memref.LoadOp):
        return not is_within(op.memref, nest)
    return not op.regions and op.dialect_name() in (arith.Arith.name, math.Math.name)


def _loads(factors: Sequence[Factor]) -> list[memref.LoadOp]:
    """The loads that factors are computed from."""
    ops = [op for factor in factors for op in (factor.value.owner, *factor.computed)]
    return [op for op in ops if isinstance(op, memref.LoadOp)]


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
    factors = (product.left, product.right)
    left = _operand(build, product.left, product)
    is_square = are_equal(*factors)
    right = left if is_square else _operand(build, product.right, product)
    build.insert(_contraction(product, left, right, sums))
    inside = Builder(InsertPoint.before(op))
    value = inside.insert(memref.LoadOp.get(sums, product.indices)).res
    total = inside.insert(arith.AddfOp(op.iter_args[0], value))
    for factor, array in list(zip(factors, (left, right), strict=True))[is_square:]:
        if factor.computed:
            build.insert(memref.DeallocOp.get(array))
    Rewriter.insert_op(memref.DeallocOp.get(sums), InsertPoint.after(nest))
    Rewriter.replace_op(op, (), (total.result,))


def _clear(build: Builder, array: SSAValue, sizes: Sequence[SSAValue], element: AnyFloat) -> None:
    """Set all elements of an array to zero."""
    value = build.insert(arith.ConstantOp(FloatAttr(0.0, element))).result
    block = Block(arg_types=[IndexType()] * len(sizes))
    block.add_ops((memref.StoreOp.get(value, array, block.args), scf.ReduceOp()))
    _loop(build, sizes, block)


def _loop(build: Builder, sizes: Sequence[SSAValue], body: Block) -> None:
    """A parallel loop over all positions of an array."""
    zero, one = (
        build.insert(arith.ConstantOp(IntegerAttr.from_index_int_value(n))).result for n in (0, 1)
    )
    bounds = [zero] * len(sizes), list(sizes), [one] * len(sizes)
    build.insert(scf.ParallelOp(*bounds, Region(body)))


def _operand(build: Builder, factor: Factor, product: Product) -> SSAValue:
    """The array of a factor: a view of it, or a new one."""
    if not factor.computed:
        return _view(build, factor, product)
    variables = [v for v in factor.variables if v is not None]
    sizes = [_size(product, variable) for variable in variables]
    element = factor.value.type
    shape = [DYNAMIC_INDEX] * len(sizes)
    array = build.insert(memref.AllocOp.get(element, None, shape, sizes)).memref
    block = Block(arg_types=[IndexType()] * len(sizes))
    values = dict[SSAValue, SSAValue](zip(variables, block.args, strict=True))
    block.add_ops([op.clone(values) for op in factor.computed])
    block.add_ops((memref.StoreOp.get(values[factor.value], array, block.args), scf.ReduceOp()))
    _loop(build, [_if_any(build, sizes[0], factor, product), *sizes[1:]], block)
    return array


def _if_any(build: Builder, size: SSAValue, factor: Factor, product: Product) -> SSAValue:
    """A size, or 0 if the loops of the nest without the variables of a factor have no step.

    Positions are in bounds only in the steps of a nest.
    """
    others = [index for index in product.indices if index not in factor.variables]
    none = build.insert(arith.ConstantOp(IntegerAttr.from_index_int_value(0))).result
    for other in others:
        has_steps = build.insert(arith.CmpiOp(_size(product, other), none, "sgt")).result
        size = build.insert(arith.SelectOp(has_steps, size, none)).result
    return size


def _view(build: Builder, factor: Factor, product: Product) -> SSAValue:
    """The array of a factor without the axes at fixed positions."""
    load, variables = factor.value.owner, factor.variables
    assert isinstance(load, memref.LoadOp)
    array = load.memref
    if None not in variables:
        return array
    type_ = array.type
    assert isa(type_, MemRefType)
    positions = zip(load.indices, variables, strict=True)
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
    sum in a parallel loop of another one, or of more than a product, stays a loop. A factor that is
    computed, as ``a[i, k] - m[i]``, is stored in an array first, if it is no larger than one that
    is read.
    """

    name = "raise-products"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        raise_products(op)
