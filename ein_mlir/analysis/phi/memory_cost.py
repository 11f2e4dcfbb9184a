"""The cost model of memory: whether a fold may become a whole-array operation.

A fold runs as a loop, with temporaries of the size of its accumulator, or as a reduction over one
more axis, with temporaries of the size of its summand. The rule is about orders of magnitude, known
without sizes: an expression may be materialised over the axes that it varies with if

- there are at most ``FREE_RANK`` of them, or
- an array that the expression reads has at least these axes itself, or others as long, so that a
  temporary is no larger than an existing array, or
- such an array is stored in any case: a factor of another sum over as many steps, as the weights
  of attention are one, or a result.

A product whose factors may each be materialised needs no temporary of its own, and neither does its
quotient, nor one whose sides each have an axis that the other lacks: it is contracted (``raise-
contractions``). Such a factor may be any value with no more axes than the result. A sum of terms
that may not be materialised is the sum of their sums. The distances ``abs(a[i, k] - a[j, k])`` vary
with i, j and k while ``a`` has two axes: their sum over k stays a loop, in memory for i and j. The
products ``a[i, k] * b[k, j]`` become a matrix product.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import takewhile
from math import prod
from typing import TypeGuard, cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from ein_mlir.analysis.arithmetic import INTS
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.free_indices import FreeIndices, leaf_types
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.index_ranges import is_thin
from ein_mlir.analysis.phi.selections import factor_pairs, is_zero, reduction
from ein_mlir.analysis.phi.short_variables import are_as_short
from ein_mlir.analysis.phi.strided_positions import (
    Varies,
    size_of_variable,
    strided_position,
    unclipped,
)
from ein_mlir.analysis.scopes import (
    around,
    dependents,
    dependents_among,
    nested,
    operands_within,
    reached,
    values_in,
)
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import is_product, is_quotient, is_sum
from ein_mlir.dialects.assembly import single_operation
from ein_mlir.dialects.phi.verification import is_regular

FREE_RANK = 1
"""The most axes that an expression may be materialised over if no array that it reads has them."""


def may_materialise(
    op: phi.FoldOp,
    summand: SSAValue,
    combine: type[Operation] | None,
    free: FreeIndices,
    *,
    alone: bool = False,
    blocks: bool = False,
    stored: Iterable[frozenset[SSAValue]] = (),
    views: bool = False,
    forms: IndexForms | None = None,
) -> bool:
    """Whether a fold of ``summand`` may become a reduction over one more axis, for its counter.

    ``combine`` is the scalar operation of the reduction, None for a search.

    Each value that depends on the counter, in bodies too, must be no larger than an array that is
    read, unless it is part of a product that a contraction computes. The combinations of two
    elements are as large as their reduction, which is checked itself. Values that depend on the
    accumulator are exempt. With ``alone``, only values that the summand depends on count: it is a
    term of the step. Thin counters split an axis into blocks of factors, or with ``blocks`` of all
    arrays. ``stored`` are the axes, besides the counter, of arrays that are
    stored in any case. With ``views``, windows of an array are a view that contractions read. By
    ``forms``, an axis is no longer than that of another index with as many values.
    """
    block = op.body.block
    dependent = dependents(block, op.counter)
    if summand not in dependent:
        return True
    terms = slice_of(block, [summand]) if alone else block.ops
    ops = [inner for each in terms for inner in each.walk()]
    split = list(ops) if blocks else []
    exempt, written = dependents(block, op.accumulator), [axes | {op.counter} for axes in stored]
    if combine is not None and is_sum(combine.name):
        contracted = list(_contracted(summand, free))
        exempt.update(contracted)
        written.extend(_factors(contracted, summand, dependent, op.counter, free))
        split.extend(factor for each in contracted for factor in _operands(each))
    for each in split:
        written.extend(_read(each, free, dependent, op.counter, splits=True))
    if views:
        products = [(summand, op.counter)] if combine is not None and is_sum(combine.name) else []
        sums = [elements for each in ops if (elements := _summed(each)) is not None]
        products.extend((each.yielded(), each.body.block.args[-1]) for each in sums)
        for product, counter in products:
            written.extend(_windows(product, counter, dependent, op.counter, free))
    return _is_bounded(ops, dependent, exempt, op.counter, free, *written, forms=forms)


def stored_factors(
    op: phi.FoldOp, summand: SSAValue, free: FreeIndices
) -> Iterator[frozenset[SSAValue]]:
    """The axes, besides the counter, of the arrays of factors that a sum of all steps stores."""
    dependent = dependents(op.body.block, op.counter)
    for axes in _factors(list(_contracted(summand, free)), summand, dependent, op.counter, free):
        yield axes - {op.counter}


def may_materialise_nest(
    ops: Sequence[Operation],
    counter: BlockArgument,
    summand: SSAValue,
    combine: type[Operation],
    free: FreeIndices,
) -> bool:
    """Whether the innermost of nested folds may become a reduction if it is over ``counter``.

    ``ops`` are the operations of all bodies that ``summand`` depends on, without the folds
    themselves and their combinations; the other counters are numbers.
    """
    dependent = dependents_among(ops, counter)
    exempt = set(_contracted(summand, free) if is_sum(combine.name) else ())
    return summand not in dependent or _is_bounded(ops, dependent, exempt, counter, free)


def may_materialise_parts(
    op: phi.FoldOp,
    parts: Sequence[SSAValue],
    free: FreeIndices,
    written: frozenset[SSAValue] = frozenset(),
    *,
    reduced: int = 0,
) -> bool:
    """Whether arrays of parts of a fold's step, over its counter, may replace the loop.

    Other values of the step are not checked, except for sizes and counts: one that varies with the
    counter makes the arrays irregular. ``written`` are the axes of the array that these arrays
    become part of, which exists in any case. Reductions of at most ``reduced`` elements do not
    count: those may be computed in blocks.
    """
    if not is_regular(op):
        return False
    dependent = dependents(op.body.block, op.counter)
    needed = [inner for each in slice_of(op.body.block, parts) for inner in each.walk()]
    if reduced:
        needed = [inner for inner in needed if not _is_reduced(inner, op, reduced)]
    return _is_bounded(needed, dependent, set(), op.counter, free, written)


def _is_reduced(inner: Operation, op: phi.FoldOp, most: int) -> bool:
    """Whether an operation makes elements of a reduction of at most so many, in a fold."""
    loops = takewhile(lambda each: each is not op, around(inner))
    return any(
        (isinstance(each, phi.FoldOp) and each is not inner and bool(reduction(each)))
        or (
            isinstance(each, phi.ArrayOp)
            and all(isinstance(use.operation, phi.ReduceOp) for use in each.result.uses)
        )
        for each in loops
        if most == INTS.high or _length(each) <= most
    )


def _length(op: Operation) -> int:
    """The number of steps of a loop, as far as it is known."""
    sizes = [op.count] if isinstance(op, phi.FoldOp) else []
    known = map(known_int, op.sizes if isinstance(op, phi.ArrayOp) else sizes)
    return prod(INTS.high if number is None else number for number in known)


def may_materialise_array(op: phi.ArrayOp, free: FreeIndices) -> bool:
    """Whether the values of a body may be materialised over the index of a comprehension."""
    block = op.body.block
    index = block.args[0]
    return _is_bounded(list(nested(block)), dependents(block, index), set(), index, free)


def slice_of(
    block: Block, values: Sequence[SSAValue], known: Collection[SSAValue] = ()
) -> list[Operation]:
    """The operations of a block that values depend on, in order, without those of known values."""
    needed, seen, pending = set[Operation](), set(known), list(values)
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        op = None if type(value.owner) is Block else cast(Operation, value.owner)
        while op is not None and op.parent is not block:
            op = op.parent_op()
        if op is not None and op not in needed:
            needed.add(op)
            pending.extend(operands_within(op))
    return [op for op in block.ops if op in needed]


def _is_bounded(
    ops: Sequence[Operation],
    dependent: set[SSAValue],
    exempt: set[SSAValue],
    counter: BlockArgument,
    free: FreeIndices,
    *written: frozenset[SSAValue],
    forms: IndexForms | None = None,
) -> bool:
    """Whether all dependent values, except exempt ones, are no larger than an array that is read.

    ``written`` are the axes of arrays that count as read.
    """
    exempt.update(value for inner in ops for value in never_stored(inner, free))
    is_bounded = _bound(ops, dependent, counter, free, *written, forms=forms)
    return all(
        is_bounded(result)
        for inner in ops
        for result in inner.results
        if result in dependent and result not in exempt
    )


def never_stored(op: Operation, free: FreeIndices) -> Iterator[SSAValue]:
    """The values that a reduction combines without an array of them."""
    if isinstance(op, phi.ReduceOp) and (single := single_operation(op.body)):
        yield from single.results
    elements = _summed(op)
    if elements is not None:
        yield elements.result
        yield from _contracted(elements.yielded(), free)


def largest_axes(op: phi.FoldOp, free: FreeIndices) -> frozenset[SSAValue]:
    """The axes of the value with the most axes among those that depend on the counter.

    It is the first such value, so that a program has the same code in each process.
    """
    return max(axes_of_steps(op, free), key=len)


def axes_of_steps(op: phi.FoldOp, free: FreeIndices) -> list[frozenset[SSAValue]]:
    """The axes of the values that depend on the counter, and not on the accumulator, in order."""
    dependent = dependents(op.body.block, op.counter) - dependents(op.body.block, op.accumulator)
    dependent.difference_update(
        value for inner in nested(op.body.block) for value in never_stored(inner, free)
    )
    return [_axes(value, free, op.counter) for value in values_in(op) if value in dependent]


def may_hold(op: phi.FoldOp, value: SSAValue, free: FreeIndices) -> bool:
    """Whether an array of a fold's value in all steps is no larger than an array that is read."""
    dependent = dependents(op.body.block, op.counter)
    ops = list(nested(op.body.block))
    return value not in dependent or _bound(ops, dependent, op.counter, free)(value)


def _bound(
    ops: Sequence[Operation],
    dependent: set[SSAValue],
    counter: BlockArgument,
    free: FreeIndices,
    *written: frozenset[SSAValue],
    forms: IndexForms | None = None,
) -> Callable[[SSAValue], bool]:
    """A predicate: whether a dependent value is no larger than an array that operations read."""
    reads = [axes for inner in ops for axes in _read(inner, free, dependent, counter)]
    reads.extend(written)

    def is_bounded(value: SSAValue) -> bool:
        return all(
            len(axes) <= FREE_RANK
            or any(axes <= read for read in reads)
            or (forms is not None and any(are_as_short(axes, read, forms) for read in reads))
            for axes in _axes_of_fields(value, free, counter)
        )

    return is_bounded


def _summed(op: Operation) -> phi.ArrayOp | None:
    """The comprehension whose elements an operation sums, if it is a sum."""
    if not isinstance(op, phi.ReduceOp) or not isinstance(op.vec.owner, phi.ArrayOp):
        return None
    single = single_operation(op.body)
    return op.vec.owner if single is not None and is_sum(single.name) else None


def _contracted(value: SSAValue, free: FreeIndices) -> Iterator[SSAValue]:
    """The values that a contraction of a product never stores: the product and partial products.

    A sum of products may be a factor: contractions nest.
    """
    pending, seen = [value], set[SSAValue]()
    while pending:
        current = pending.pop()
        if current in seen:
            continue
        seen.add(current)
        op = current.owner
        masked = _masked(op)
        if masked is not None:
            *conditions, value = masked
            yield from (current, *conditions)
            pending.append(value)
        elif isinstance(op, arith.NegfOp):
            yield current
            pending.append(op.operand)
        elif _is_product(op):
            yield current
            pending.extend(op.operands)
        elif _is_quotient(op, free):
            yield current
            pending.append(op.operands[0])
        elif isinstance(op, Operation):
            elements = _summed(op)
            if elements is not None and _multiplies(elements.yielded().owner):
                yield current
                pending.append(elements.yielded())


def _operands(value: SSAValue) -> Iterator[Operation]:
    """The operations that compute the operands of a value's operation."""
    for operand in value.owner.operands if isinstance(value.owner, Operation) else ():
        if isinstance(operand.owner, Operation):
            yield operand.owner


def _multiplies(op: Operation | Block) -> bool:
    """Whether an operation is a product, or a sum of products."""
    while isinstance(op, Operation) and (elements := _summed(op)) is not None:
        op = elements.yielded().owner
    return _is_product(op)


def _factors(
    products: Sequence[SSAValue],
    summand: SSAValue,
    dependent: Collection[SSAValue],
    counter: BlockArgument,
    free: FreeIndices,
) -> Iterator[frozenset[SSAValue]]:
    """The axes of the factors that have no more axes than the sum of a summand.

    ``cos(w[j] * t[k])`` in the sums over k for i and j, or the looked-up row ``e[ids[i], k]``: the
    factors are arrays, and the products are a matrix product.
    """
    rank = len(_axes(summand, free, counter)) - 1
    for product in products:
        for factor in product.owner.operands if isinstance(product.owner, Operation) else ():
            if factor in dependent and factor not in products:
                axes = _axes(factor, free, counter)
                if len(axes) <= rank:
                    yield axes


def _windows(
    summand: SSAValue,
    summed: SSAValue,
    dependent: set[SSAValue],
    counter: BlockArgument,
    free: FreeIndices,
) -> Iterator[frozenset[SSAValue]]:
    """The axes of a factor that reads windows, of a product of Floats with one for each window.

    In the scores ``q[i, k] * x[i + j, k]``, summed over k for i and j, windows of x are a view. The
    other factor has no more axes than the sum, and one of i and j.
    """
    if not isa(summand.type, AnyFloat):
        return

    def axes(value: SSAValue) -> frozenset[SSAValue]:
        return free.of(value) | ({counter} if value in dependent else set[SSAValue]())

    rank = len(axes(summand)) - 1
    for factor, other in factor_pairs(summand):
        own, others = axes(factor), axes(other)
        window = _window(factor, dependent, counter, free)
        is_stack = bool(window & others - {summed, counter}) and len(others) <= rank
        if is_stack and summed in own & others:
            yield own


def _window(
    value: SSAValue, dependent: set[SSAValue], counter: BlockArgument, free: FreeIndices
) -> frozenset[SSAValue]:
    """The variables i and j of a fixed array that a step reads at ``i + j``; none of other reads.

    Along its other axes the step reads at a variable each, or at Ints that vary with none.
    """
    read, none = value.owner, frozenset[SSAValue]()
    if not isinstance(read, phi.GetOp) or read.array in dependent or free.of(read.array):
        return none
    varies = _varying_in_a_step(free, dependent, counter)
    places = [strided_position(unclipped(p, varies), varies) for p in read.positions]
    if None in places or len(places) != phi.rank_of(read.array.type):
        return none
    steps = [[*place.steps.items()] for place in places if place is not None]
    variables = [variable for place in steps for variable, _ in place]
    *_, window = sorted(steps, key=len)
    is_window = (
        len(window) == 2
        and len(variables) == len({*variables}) == len(steps) + 1
        and all(len(step) == 1 and not step[0].values for place in steps for _, step in place)
    )
    return frozenset(variable for variable, _ in window) if is_window else none


def _masked(op: Operation | Block) -> list[SSAValue] | None:
    """The values that ``where(c & d, x, 0)``, a product of the factors c, d and x, never stores:
    ``c & d``; and x, which may be a product.
    """
    if isinstance(op, arith.SelectOp):
        for value, other, joined in ((op.lhs, op.rhs, arith.AndIOp), (op.rhs, op.lhs, arith.OrIOp)):
            if is_zero(other):
                return [*_joined(op.cond, joined), value]
    return None


def _joined(condition: SSAValue, joined: type[Operation]) -> Iterator[SSAValue]:
    """The conjunctions of a condition, or its disjunctions."""
    parts = reached([condition], lambda x: x.owner.operands if isinstance(x.owner, joined) else ())
    return (value for value in parts if isinstance(value.owner, joined))


def _is_product(op: Operation | Block) -> TypeGuard[Operation]:
    """Whether an operation is a product; a product of sums is not multiplied out."""
    return isinstance(op, Operation) and is_product(op.name)


def _is_quotient(op: Operation | Block, free: FreeIndices) -> TypeGuard[Operation]:
    """Whether a contraction computes a quotient: it divides a factor of a product, or the sum.

    If each side has an axis that the other lacks, it multiplies by the reciprocal.
    """
    if not isinstance(op, Operation) or not is_quotient(op.name):
        return False
    lhs, rhs = (free.of(side) for side in op.operands)
    return _is_product(op.operands[0].owner) or not (lhs <= rhs or rhs <= lhs)


def _axes(value: SSAValue, free: FreeIndices, counter: BlockArgument) -> frozenset[SSAValue]:
    """The axes of a value that depends on the counter: its free indices and the counter."""
    return frozenset[SSAValue]().union(*_axes_of_fields(value, free, counter))


def _axes_of_fields(
    value: SSAValue, free: FreeIndices, counter: BlockArgument
) -> Iterator[frozenset[SSAValue]]:
    """The axes of each field of a value that depends on the counter."""
    for leaf in range(len(leaf_types(value.type))):
        yield free.of(value, leaf) | {counter}


def _read(
    op: Operation,
    free: FreeIndices,
    dependent: set[SSAValue],
    counter: BlockArgument,
    *,
    splits: bool = False,
) -> Iterator[frozenset[SSAValue]]:
    """The variables that index the axes of the array that an operation reads.

    With ``splits``, a thin counter is one of them, too.
    """
    if isinstance(op, phi.GetOp):
        varies = _varying_in_a_step(free, dependent, counter)
        direct = {
            variable
            for position in op.positions
            for variable in _variables(position, None if splits else counter, varies)
        }
        array = _axes(op.array, free, counter) if op.array in dependent else free.of(op.array)
        yield frozenset(direct | array)


def _varying_in_a_step(
    free: FreeIndices, dependent: set[SSAValue], counter: BlockArgument
) -> Varies:
    """Whether a value varies, in a step of the loops inside of the one whose dependents are given.

    Their counters are numbers in a step, as ``k`` in ``b[i + k]``: each step reads other elements
    for other indices.
    """
    known = dict[SSAValue, bool]()

    def varies(value: SSAValue) -> bool:
        if value not in known:
            known[value] = bool(free.of(value)) or (value in dependent and depends(value))
        return known[value]

    def depends(value: SSAValue) -> bool:
        owner = value.owner
        if isinstance(owner, Operation):
            return bool(owner.regions) or any(map(varies, owner.operands))
        loop = owner.parent_op()
        return value is counter or not (isinstance(loop, phi.FoldOp) and loop.counter is value)

    return varies


def _variables(
    position: SSAValue, counter: BlockArgument | None, varies: Varies
) -> Iterable[SSAValue]:
    """The variables that run over an axis in a position: ``i`` for ``i``, and for ``i + x``; ``n``
    and ``e`` for ``n*d + e`` with ``e`` below ``d``.

    No two values of the variables read the same element, unless they are clipped. A thin counter
    does not run over an axis with other variables.
    """
    strided = strided_position(unclipped(position, varies), varies)
    if strided is None or not strided.is_nested:
        return (position,)
    is_mixed = len(strided.steps) > 1 and counter in strided.steps
    is_short = counter is not None and is_mixed and is_thin(size_of_variable(counter))
    return (position,) if is_short else strided.steps
