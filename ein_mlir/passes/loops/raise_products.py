"""``raise-products``: loops that compute a product of matrices become one operation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
    NoneAttr,
    StridedLayoutAttr,
    i64,
)
from xdsl.dialects.linalg.attrs import IteratorType, IteratorTypeAttr
from xdsl.dialects.linalg.ops import GenericOp, YieldOp
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import ConstantLike

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.loops.memory_roots import share_no_memory
from ein_mlir.analysis.scopes import around, is_within, operations_in

MOST_ELEMENTS = 2**18
"""The most elements of an array of sums, or of a factor, that is larger than the arrays that the
loop has: rows of the loop are then computed in parts, each with arrays of about this size.
"""

INDEX = IndexType()
TILE = 64
"""The elements of a tile of the results: of fewer, calls and copies take longer than loops."""

Coefficients = dict[SSAValue | None, "Number"]
"""A linear form: the coefficient of each variable, and with None a number without one."""


@dataclass(frozen=True)
class Number:
    """A sum of products of values from before a nest and constants."""

    terms: tuple[tuple[int, tuple[SSAValue, ...]], ...]

    def __add__(self, other: Number) -> Number:
        return Number((*self.terms, *other.terms))

    def __mul__(self, other: Number) -> Number:
        return Number(tuple((m * n, (*x, *y)) for m, x in self.terms for n, y in other.terms))

    @property
    def is_one(self) -> bool:
        """Whether the number is 1."""
        return self.terms == ((1, ()),)


ONE, MINUS_ONE = (Number(((number, ()),)) for number in (1, -1))


@dataclass(frozen=True)
class Factor:
    """An element ``a[.., i, .., s*k + p, ..]`` that a step reads, or a number that it computes."""

    value: SSAValue
    variables: tuple[SSAValue, ...]
    """The variables of the loops that it varies with: those of an array with an axis for each."""
    positions: tuple[Coefficients, ...] = ()
    """The positions of an element that is read, as forms in the variables."""
    computed: tuple[Operation, ...] = ()
    """The operations that compute a number, which becomes an element of a new array."""
    is_large: bool = False
    """Whether no array that is read is as large as the new one."""


@dataclass(frozen=True)
class Product:
    """``sum over k, .. of a[.., i, k] * b[.., k, j]`` for the steps i, j, .. of parallel loops."""

    nest: scf.ParallelOp
    loops: tuple[scf.ParallelOp, ...]
    """The nest, and the parallel loops in it that are around the sum."""
    sums: tuple[scf.ForOp, ...]
    """The loop of the sum, and those in its steps that go on with it."""
    left: Factor
    right: Factor
    indices: tuple[BlockArgument, ...]
    """The variables of the loops: i, a variable of the left factor alone, and j, one of the right
    factor alone, are the last two.
    """

    @property
    def counters(self) -> tuple[BlockArgument, ...]:
        """The counters of the sums."""
        return tuple(each.body.block.args[0] for each in self.sums)

    def size(self, variable: SSAValue) -> SSAValue:
        """The number of values of a variable."""
        assert isinstance(variable, BlockArgument)
        loop = variable.block.parent_op()
        if isinstance(loop, scf.ForOp):
            return loop.ub
        assert isinstance(loop, scf.ParallelOp)
        return loop.upperBound[variable.index]

    def part(self) -> BlockArgument | None:
        """The index whose values are taken in parts, if an array is larger than those of the loop.

        The array of sums is, if the nest has arrays of its steps; so may factors be.
        """
        first = self.nest.body.block.args[0]
        if len(self.loops) > 1:
            return first
        large = [each for each in (self.left, self.right) if each.is_large]
        for index in self.nest.body.block.args:
            if any(index in each.variables for each in large):
                return index
        return None


# Recognition ----------------------------------------------------------------------------------


def products(nest: scf.ParallelOp) -> Iterator[Product]:
    """The products in a step of a loop that is in no other parallel loop."""
    yield from _products((nest,))


def _products(loops: tuple[scf.ParallelOp, ...]) -> Iterator[Product]:
    """The products in the steps of some parallel loops, each in the one before it."""
    nest, inner = loops[0], loops[-1]
    if inner.initVals or not all(map(_counts_from_zero, inner.lowerBound, inner.step)):
        return
    if any(is_within(size, nest) for size in inner.upperBound):
        return
    for op in inner.body.block.ops:
        if isinstance(op, scf.ForOp):
            found = _product(loops, op)
            if found is not None and not _is_tiny(found):
                yield found
        elif isinstance(op, scf.ParallelOp):
            yield from _products((*loops, op))


def _is_tiny(product: Product) -> bool:
    """Whether the matrix of results is known to be smaller than a tile of a library's kernels."""
    rows, columns = (known_int(product.size(index)) for index in product.indices[-2:])
    return rows is not None and columns is not None and rows * columns < TILE


def _product(loops: tuple[scf.ParallelOp, ...], op: scf.ForOp) -> Product | None:
    """The product that a loop of a step computes, if it does nothing else."""
    sums, nest = _sums(op), loops[0]
    if not all(_counts_from_zero(each.lb, each.step) for each in sums):
        return None
    if not all(is_before(each.ub, nest) for each in sums):
        return None
    values = _factors(sums[-1])
    if values is None:
        return None
    found = _Finder(loops, sums)
    left, right = map(found.factor, values)
    if left is None or right is None or not _reads_only_old(nest, _loads((left, right))):
        return None
    counters = [each.body.block.args[0] for each in sums]
    rows, columns = (
        [v for v in here.variables if v not in (*counters, *there.variables)]
        for here, there in ((left, right), (right, left))
    )
    if not rows or not columns:
        return None
    indices = [index for loop in loops for index in loop.body.block.args]
    own = [next(v for v in reversed(indices) if v in each) for each in (rows, columns)]
    shared = [v for v in indices if v not in own]
    if not {*left.variables, *right.variables}.issuperset(shared):
        return None
    return Product(nest, loops, sums, left, right, (*shared, *own))


def _sums(op: scf.ForOp) -> tuple[scf.ForOp, ...]:
    """A loop that sums, and those in its steps that do all of it: ``acc + sum``, or a sum that
    starts from ``acc``.
    """
    block = op.body.block
    last = block.last_op
    if len(op.iter_args) != 1 or last is None:
        return (op,)
    accumulator, step = block.args[1], last.operands[0]
    if isinstance(step.owner, arith.AddfOp):
        terms = [term for term in step.owner.operands if term is not accumulator]
        inner, start = terms[0].owner if len(terms) == 1 and step.has_one_use() else None, None
    else:
        inner, start = step.owner, accumulator
    if not isinstance(inner, scf.ForOp) or inner.parent is not block or len(inner.iter_args) != 1:
        return (op,)
    first = inner.iter_args[0]
    starts = first is start if start is not None else is_zero(first)
    is_alone = accumulator.has_one_use() and inner.res[0].has_one_use()
    return (op, *_sums(inner)) if starts and is_alone else (op,)


def is_zero(value: SSAValue) -> bool:
    """Whether a value is the constant 0.0."""
    number = ConstantLike.get_constant_value(value)
    return isa(number, FloatAttr) and number.value.data == 0.0


def _counts_from_zero(lower: SSAValue, step: SSAValue) -> bool:
    return known_int(lower) == 0 and known_int(step) == 1


def _factors(op: scf.ForOp) -> tuple[SSAValue, SSAValue] | None:
    """The factors of ``acc + x * y``, if a step is nothing else."""
    block = op.body.block
    if len(op.iter_args) != 1:
        return None
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


def is_before(size: SSAValue, nest: scf.ParallelOp) -> bool:
    """Whether a size is known before a nest, except for its type."""
    cast = size.owner
    return not is_within(size, nest) or (
        isinstance(cast, arith.IndexCastOp) and not is_within(cast.input, nest)
    )


class _Finder:
    """Finds the factors of a sum in the steps of parallel loops."""

    def __init__(self, loops: Sequence[scf.ParallelOp], sums: Sequence[scf.ForOp]):
        self._nest = loops[0]
        self._counters = [each.body.block.args[0] for each in sums]
        self._indices = [index for loop in loops for index in loop.body.block.args]
        self._known: set[SSAValue] = {*self._counters, *self._indices}

    def factor(self, value: SSAValue) -> Factor | None:
        """A number of a step: an element of an array, or one that is worth storing in an array."""
        if len(self._counters) == 1 and isinstance(value.owner, memref.LoadOp):
            read = self._read(value.owner)
            if read is not None:
                return read
        return self._computed(value)

    def _read(self, load: memref.LoadOp) -> Factor | None:
        """An element of an array at positions that are linear in the variables."""
        forms = [self._form(index) for index in load.indices]
        positions = tuple(form for form in forms if form is not None)
        if is_within(load.memref, self._nest) or len(positions) < len(forms):
            return None
        moving = [v for form in positions for v in form if v is not None]
        variables = tuple(dict.fromkeys(moving))
        if self._counters[0] not in moving:
            return None
        if not are_axes(positions) and not _is_row_major(load.memref):
            return None
        return Factor(load.res, variables, positions)

    def _form(self, value: SSAValue) -> Coefficients | None:
        """A position as a form in the variables."""
        number = known_int(value)
        if value in self._known:
            return {value: ONE}
        if number is not None:
            return {None: Number(((number, ()),))} if number else {}
        if not is_within(value, self._nest):
            return {None: Number(((1, (value,)),))}
        match value.owner:
            case arith.IndexCastOp() as op if {op.input.type, op.result.type} <= {INDEX, i64}:
                return self._form(op.input)
            case arith.AddiOp() | arith.SubiOp() | arith.MuliOp() as op:
                lhs, rhs = (self._form(operand) for operand in op.operands)
                if lhs is None or rhs is None:
                    return None
                if isinstance(op, arith.MuliOp):
                    return _times(lhs, rhs)
                return _plus(lhs, rhs if isinstance(op, arith.AddiOp) else _negative(rhs))
            case _:
                return None

    def _computed(self, value: SSAValue) -> Factor | None:
        """A number that is computed from elements, one of which varies with the counters."""
        needed, pending, found = set[Operation](), [value], set[SSAValue]()
        while pending:
            current = pending.pop()
            if current in self._known:
                found.add(current)
            elif is_within(current, self._nest):
                owner = current.owner
                if not isinstance(owner, Operation) or not _is_pure(owner, self._nest):
                    return None
                needed.add(owner)
                pending.extend(operand for operand in owner.operands)
        ops = tuple(each for each in operations_in(self._nest) if each in needed)
        loads = [each for each in ops if isinstance(each, memref.LoadOp)]
        if not found.issuperset(self._counters) or not loads:
            return None
        for each in loads:
            variables = tuple(index for index in each.indices if index in found)
            if set(variables) == found and len(variables) == len(found):
                return Factor(value, variables, (), ops)
        every = tuple(v for v in (*self._indices, *self._counters) if v in found)
        return Factor(value, every, (), ops, is_large=True)


def _plus(lhs: Coefficients, rhs: Coefficients) -> Coefficients:
    total = dict(lhs)
    for key, number in rhs.items():
        total[key] = total[key] + number if key in total else number
    return total


def _negative(form: Coefficients) -> Coefficients:
    return {key: number * MINUS_ONE for key, number in form.items()}


def _times(lhs: Coefficients, rhs: Coefficients) -> Coefficients | None:
    """The product of forms, one of which has no variable."""
    for one, other in ((lhs, rhs), (rhs, lhs)):
        if not one:
            return {}
        if set(one) == {None}:
            return {key: number * one[None] for key, number in other.items()}
    return None


def are_axes(positions: Sequence[Coefficients]) -> bool:
    """Whether each position is a variable of its own, or fixed."""
    moving = [key for form in positions for key in form if key is not None]
    return len(moving) == len(set(moving)) and all(
        len(form) == 1 and form[key].is_one for form in positions for key in form if key is not None
    )


def _is_row_major(array: SSAValue) -> bool:
    return isa(array.type, MemRefType) and isinstance(array.type.layout, NoneAttr)


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
            found = list(products(nest))
            for product in found:
                _hoist(product)
            parts = {index for index in map(Product.part, found) if index is not None}
            if len(parts) > 1:
                continue  # the nest is taken in parts along one index
            part = _in_parts(nest, parts.pop(), found) if parts else None
            for product in found:
                _Raiser(product, part).run()


def _hoist(product: Product) -> None:
    """Move the casts of counts before the nest."""
    for loop in product.sums:
        cast = loop.ub.owner
        if is_within(loop.ub, product.nest) and isinstance(cast, Operation):
            cast.detach()
            Rewriter.insert_op(cast, InsertPoint.before(product.nest))


@dataclass(frozen=True)
class Part:
    """The steps of an index that a nest is run for at once."""

    index: SSAValue
    start: SSAValue
    count: SSAValue


def _in_parts(nest: scf.ParallelOp, index: BlockArgument, found: Sequence[Product]) -> Part:
    """``parallel (i < n)  -->  for (start < n by step) { parallel (start <= i < end) }``"""
    emit = _Emitter(Builder(InsertPoint.before(nest)))
    number = index.index
    zero, size = nest.lowerBound[number], nest.upperBound[number]
    elements = emit.number(1)
    for product in found:
        for variables in _large(product):
            own = emit.number(1)
            for variable in variables:
                if variable is not index:
                    own = emit.times(own, product.size(variable))
            elements = emit.value(arith.MaxSIOp(elements, own))
    step = emit.value(arith.DivSIOp(emit.number(MOST_ELEMENTS), elements))
    step = emit.value(arith.MaxSIOp(step, emit.number(1)))
    body = Block(arg_types=[INDEX])
    start = body.args[0]
    inside = _Emitter(Builder(InsertPoint.at_end(body)))
    count = inside.value(arith.MinSIOp(inside.value(arith.SubiOp(size, start)), step))
    end = inside.value(arith.AddiOp(start, count))
    Rewriter.insert_op(scf.ForOp(zero, size, step, [], Region(body)), InsertPoint.before(nest))
    nest.detach()
    body.add_ops((nest, scf.YieldOp()))
    nest.operands[number] = start
    nest.operands[len(nest.lowerBound) + number] = end
    return Part(index, start, count)


def _large(product: Product) -> Iterator[Sequence[SSAValue]]:
    """The variables of the arrays that are larger than those of the loop."""
    if len(product.loops) > 1:
        yield product.indices
    yield from (each.variables for each in (product.left, product.right) if each.is_large)


class _Emitter:
    """Emits arithmetic on indices."""

    def __init__(self, build: Builder):
        self.build = build

    def number(self, number: int) -> SSAValue:
        """A constant."""
        return self.value(arith.ConstantOp(IntegerAttr.from_index_int_value(number)))

    def value(self, op: Operation) -> SSAValue:
        """The result of a new operation."""
        return self.build.insert(op).results[0]

    def times(self, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        """A product; one with 1 needs no operation."""
        for one, other in ((lhs, rhs), (rhs, lhs)):
            if known_int(one) == 1:
                return other
        return self.value(arith.MuliOp(lhs, rhs))

    def plus(self, lhs: SSAValue | None, rhs: SSAValue) -> SSAValue:
        """A sum; None is 0."""
        return rhs if lhs is None else self.value(arith.AddiOp(lhs, rhs))

    def of(self, number: Number) -> SSAValue:
        """The value of a number."""
        total: SSAValue | None = None
        for factor, values in number.terms:
            term = self.number(factor) if factor != 1 or not values else None
            for value in values:
                own = value if value.type == INDEX else self.value(arith.IndexCastOp(value, INDEX))
                term = own if term is None else self.value(arith.MuliOp(term, own))
            assert term is not None
            total = self.plus(total, term)
        assert total is not None
        return total


def result_of(product: Product) -> SSAValue | None:
    """The array that a nest writes sums to, if these are all that it has, and start from zero."""
    nest, sum_ = product.nest, product.sums[0]
    stores = [op for op in operations_in(nest) if isinstance(op, memref.StoreOp)]
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


class _Raiser:
    """Computes the sums of a product before the nest, in an array that its steps then read."""

    def __init__(self, product: Product, part: Part | None):
        self._product = product
        self._part = part
        self._emit = _Emitter(Builder(InsertPoint.before(product.nest)))
        element = product.sums[0].iter_args[0].type
        assert isinstance(element, AnyFloat)
        self._element = element

    def run(self) -> None:
        product = self._product
        sizes = [self._extent(axis) for axis in self._result]
        result = None if self._part else result_of(product)
        sums = result or self._array(sizes)
        factors = (product.left, product.right)
        left = self._operand(product.left)
        is_square = are_equal(*factors)
        right = left if is_square else self._operand(product.right)
        self._clear(sums, sizes)
        self._emit.build.insert(self._contraction(left, right, sums))
        arrays = (left,) if is_square else (left, right)
        for factor, array in zip(factors, arrays, strict=False):
            if factor.computed:
                self._emit.build.insert(memref.DeallocOp.get(array))
        if result is None:
            self._read(sums)
            Rewriter.insert_op(memref.DeallocOp.get(sums), InsertPoint.after(product.nest))
        else:
            Rewriter.erase_op(product.nest)

    def _read(self, sums: SSAValue) -> None:
        """Read an element of the sums in place of the loop that computes it."""
        product, op = self._product, self._product.sums[0]
        inside = _Emitter(Builder(InsertPoint.before(op)))
        own = dict[SSAValue, SSAValue](
            (index, self._place(inside, index)) for index in product.indices
        )
        places = [self._position(inside, axis, own) for axis in self._result]
        value = inside.value(memref.LoadOp.get(sums, places))
        Rewriter.replace_op(op, (), (inside.value(arith.AddfOp(op.iter_args[0], value)),))

    def _size(self, variable: SSAValue) -> SSAValue:
        """The number of values of a variable in a part."""
        part = self._part
        is_part = part is not None and variable is part.index
        return part.count if part is not None and is_part else self._product.size(variable)

    def _place(self, emit: _Emitter, variable: SSAValue) -> SSAValue:
        """The position of a value of a variable in arrays of a part."""
        if self._part is None or variable is not self._part.index:
            return variable
        return emit.value(arith.SubiOp(variable, self._part.start))

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
        zero, one = map(self._emit.number, (0, 1))
        bounds = [zero] * len(sizes), list(sizes), [one] * len(sizes)
        self._emit.build.insert(scf.ParallelOp(*bounds, Region(body)))

    # Factors

    def _operand(self, factor: Factor) -> SSAValue:
        """The array of a factor: a view of it, or a new one."""
        if factor.computed:
            return self._stored(factor)
        is_part = self._part is not None and self._part.index in factor.variables
        if is_part or not are_axes(factor.positions):
            return self._strided(factor)
        return self._view(factor)

    def _stored(self, factor: Factor) -> SSAValue:
        """A new array of a factor; the counters of several sums are one axis of it."""
        axes = self._axes(factor)
        sizes = [self._extent(axis) for axis in axes]
        array = self._array(sizes)
        variables = [variable for axis in axes for variable in axis]
        block = Block(arg_types=[INDEX] * len(variables))
        values, inside = dict[SSAValue, SSAValue](), _Emitter(Builder(InsertPoint.at_end(block)))
        for old, new in zip(variables, block.args, strict=True):
            is_part = self._part is not None and old is self._part.index
            values[old] = inside.plus(new, self._part.start) if self._part and is_part else new
        places = dict[SSAValue, SSAValue](zip(variables, block.args, strict=True))
        block.add_ops([op.clone(values) for op in factor.computed])
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
        return [*shared, counters, own]

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
        self, emit: _Emitter, axis: Sequence[SSAValue], places: Mapping[SSAValue, SSAValue]
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
        none = self._emit.number(0)
        for other in others:
            has_steps = self._emit.value(arith.CmpiOp(self._size(other), none, "sgt"))
            size = self._emit.value(arith.SelectOp(has_steps, size, none))
        return size

    def _view(self, factor: Factor) -> SSAValue:
        """The array of a factor without the axes at fixed positions."""
        load = factor.value.owner
        assert isinstance(load, memref.LoadOp)
        array, positions = load.memref, factor.positions
        variables = [next((v for v in form if v is not None), None) for form in positions]
        if None not in variables:
            return array
        offsets = [
            self._emit.of(form[None]) if form else self._emit.number(0)
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
        stride = emit.number(1)
        for axis, form in reversed(list(enumerate(factor.positions))):
            for variable, number in form.items():
                distance = emit.times(emit.of(number), stride)
                if variable is None:
                    offset = emit.plus(offset, distance)
                else:
                    strides[variable] = emit.plus(strides.get(variable), distance)
            if axis:
                size = emit.value(memref.DimOp(load.memref, emit.number(axis)))
                stride = emit.times(stride, size)
        part = self._part
        if part is not None and part.index in strides:
            offset = emit.plus(offset, emit.times(part.start, strides[part.index]))
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
    than any loop here. Each factor has a variable of its own, and they may share others.

    Positions are linear in the variables: ``a[i, g*e + k]`` is an element of a view of the array
    (``memref.reinterpret_cast``). A factor at other positions, or one that is computed, as
    ``a[i, k] - m[i]`` or ``where(p < n, a[p], 0)``, is stored in an array first. So are both
    factors of nested sums: their counters are then one axis of these arrays, and so are the
    variables that only one factor has.

    Sums that are all that a nest writes, to an array of their own, are computed in that array.

    The array of sums is no larger than that of the loop, since a sum varies with all of its
    variables. An exception is a sum in an inner parallel loop, one row of ``i``, and a factor
    may be larger than the arrays that it is computed from. Then the nest is taken in parts, so
    that these arrays have about ``MOST_ELEMENTS`` elements::

        scf.for %start = %c0 to %n step %step {
          %count = min(%step, %n - %start)
          %sums = memref.alloc(%count, %m) : memref<?x?xf64>
          linalg.generic ..
          scf.parallel (%i) = (%start) to (%start + %count) step (%c1) { .. }
        }

    A sum of more than a product stays a loop, and so does one in a nest that writes to a factor.
    """

    name = "raise-products"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        raise_products(op)
