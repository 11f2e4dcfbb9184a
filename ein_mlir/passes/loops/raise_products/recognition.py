"""Sums in the steps of parallel loops that are products of matrices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import prod

from xdsl.dialects import arith, math, memref, scf
from xdsl.dialects.builtin import FloatAttr, IndexType, MemRefType, NoneAttr, i64
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.traits import ConstantLike

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.loops.memory_roots import are_apart
from ein_mlir.analysis.scopes import is_within, operations_in
from ein_mlir.host.dataclass import dataclass

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
    is_row: bool = False
    """Whether the array belongs to a step of the nest: its first axes are those of the nest."""


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

    def large(self) -> list[Factor]:
        """The factors of which the arrays are larger than those of the loop."""
        return [each for each in (self.left, self.right) if each.is_large]

    def part(self) -> BlockArgument | None:
        """The index whose values are taken in parts, if a factor is larger than the arrays of the
        loop.
        """
        for index in self.nest.body.block.args:
            if any(index in each.variables for each in self.large()):
                return index
        return None

    @property
    def reads_rows(self) -> bool:
        """Whether a factor is an array of a step of the nest."""
        return self.left.is_row or self.right.is_row


# Recognition ----------------------------------------------------------------------------------


def products(nest: scf.ParallelOp, *, rows: bool = False) -> Iterator[Product]:
    """The products in a step of a loop, whose rows or columns the loop counts.

    With ``rows`` factors may be arrays of a step: all rows of a matrix, if these are stored.
    """
    for product in _products((nest,), rows):
        if any(index in nest.body.block.args for index in product.indices[-2:]):
            yield product


def _products(loops: tuple[scf.ParallelOp, ...], rows: bool) -> Iterator[Product]:
    """The products in the steps of some parallel loops, each in the one before it."""
    nest, inner = loops[0], loops[-1]
    if inner.initVals or not all(map(_counts_from_zero, inner.lowerBound, inner.step)):
        return
    if any(is_within(size, nest) for size in inner.upperBound):
        return
    for op in inner.body.block.ops:
        if isinstance(op, scf.ForOp):
            found = _product(loops, op, rows)
            if found is not None and not _is_tiny(found):
                yield found
        elif isinstance(op, scf.ParallelOp):
            yield from _products((*loops, op), rows)


def _is_tiny(product: Product) -> bool:
    """Whether two of rows, columns and terms are known to be fewer than a tile of a library's
    kernels has.
    """
    counts = [known_int(product.size(index)) for index in product.indices[-2:]]
    terms = [known_int(each.ub) for each in product.sums]
    counts.append(prod(n for n in terms if n is not None) if None not in terms else None)
    known = sorted(count for count in counts if count is not None)
    return len(known) > 1 and known[0] * known[1] < TILE


def _product(loops: tuple[scf.ParallelOp, ...], op: scf.ForOp, rows: bool) -> Product | None:
    """The product that a loop of a step computes, if it does nothing else."""
    sums, nest = _sums(op), loops[0]
    if not all(_counts_from_zero(each.lb, each.step) for each in sums):
        return None
    if not all(is_before(each.ub, nest) for each in sums):
        return None
    values = _factors(sums[-1])
    if values is None:
        return None
    found = _Finder(loops, sums, rows=rows and len(loops) > 1)
    left, right = map(found.factor, values)
    if left is None or right is None or (left.is_row and right.is_row):
        return None
    if not _reads_only_old(loops, (left, right)):
        return None
    counters = [each.body.block.args[0] for each in sums]
    own_left, own_right = (
        [v for v in here.variables if v not in (*counters, *there.variables)]
        for here, there in ((left, right), (right, left))
    )
    if not own_left or not own_right:
        return None
    indices = [index for loop in loops for index in loop.body.block.args]
    own = [next(v for v in reversed(indices) if v in each) for each in (own_left, own_right)]
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

    def __init__(self, loops: Sequence[scf.ParallelOp], sums: Sequence[scf.ForOp], *, rows: bool):
        self._nest = loops[0]
        self._rows = rows
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
        is_row = is_within(load.memref, self._nest)
        if len(positions) < len(forms) or (is_row and not self._is_row(load.memref)):
            return None
        if is_row:
            own: list[Coefficients] = [{index: ONE} for index in self._nest.body.block.args]
            positions = (*own, *positions)
        moving = [v for form in positions for v in form if v is not None]
        variables = tuple(dict.fromkeys(moving))
        if self._counters[0] not in moving:
            return None
        if not are_axes(positions) and not _is_row_major(load.memref):
            return None
        return Factor(load.res, variables, positions, is_row=is_row)

    def _is_row(self, array: SSAValue) -> bool:
        """Whether an array of a step of the nest may have a row of a matrix."""
        is_own = array.owner.parent is self._nest.body.block
        return self._rows and isinstance(array.owner, memref.AllocOp) and is_own

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
            elif current.owner not in needed and is_within(current, self._nest):
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


def _arrays(factors: Iterable[Factor]) -> list[SSAValue]:
    """The arrays that factors are computed from."""
    ops = [op for factor in factors for op in (factor.value.owner, *factor.computed)]
    return [op.memref for op in ops if isinstance(op, memref.LoadOp)]


def _reads_only_old(loops: Sequence[scf.ParallelOp], factors: Sequence[Factor]) -> bool:
    """Whether no step writes to the arrays of the factors; to a row of its own, not any more."""
    rows = _arrays(factor for factor in factors if factor.is_row)
    others = _arrays(factor for factor in factors if not factor.is_row)
    later, following = list[SSAValue](), loops[-1] if len(loops) == 1 else loops[1]
    while rows and following is not None:
        later += _written(following)
        following = following.next_op
    return are_apart(others, _written(loops[0])) and are_apart(rows, later)


def _written(op: Operation) -> list[SSAValue]:
    """The arrays that an operation writes to."""
    written = list[SSAValue]()
    for inner in operations_in(op):
        match inner:
            case memref.StoreOp():
                written.append(inner.memref)
            case memref.CopyOp():
                written.append(inner.destination)
            case GenericOp():
                written.extend(inner.outputs)
            case _:
                pass
    return written
