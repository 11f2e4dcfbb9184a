"""Residuals: values of a body that its derivative needs, and that are computed once for both.

A derivative computes cheap values again. A loop in a body is not cheap: its result becomes an
element of an array, which the body and its derivative read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from math import inf
from typing import TypeAlias

from xdsl.dialects import arith, func
from xdsl.ir import Block, Operation, SSAValue, Use
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.effects import is_dead
from ein_mlir.analysis.phi.demand import sizes_in
from ein_mlir.analysis.phi.element_cost import (
    CHEAP,
    DIVISION,
    FUNCTION,
    is_function,
    total_cost,
)
from ein_mlir.analysis.phi.free_indices import leaf_types
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.records import whole_record
from ein_mlir.analysis.phi.selections import Test, is_equation
from ein_mlir.analysis.phi.speculation import may_fail_first
from ein_mlir.analysis.phi.variables import Variables, variables_of
from ein_mlir.analysis.scopes import (
    block_of,
    dependents,
    home_of,
    is_within,
    needed_within,
    operands_within,
    operations_in,
    reached,
)
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.integers import range_of
from ein_mlir.dialects.phi.verification import is_regular
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.phi.derivatives.checkpoints import is_recomputed
from ein_mlir.rewriting.phi.derivatives.sizes import has_sizes
from ein_mlir.rewriting.phi.insertion import Builder, Inserter
from ein_mlir.rewriting.phi.replacement import replace_record

_Slice: TypeAlias = tuple[SSAValue | None, ...]
"""A part of an array: the position along each axis, None along those that it has."""

FEW = 4
"""The most slices of an array that are saved in its place, besides elements."""

_ROW = phi.ScanOp | phi.AccumulateOp
"""The operations whose arrays are computed before the loops that they do not vary with."""

_CHEAP = (
    phi.ArrayOp,
    phi.AssertEqOp,
    phi.ConcatOp,
    phi.GetOp,
    phi.ProjOp,
    phi.SizeOp,
    phi.TupleOp,
    phi.UpdateOp,
    phi.YieldOp,
)


def costly_values(
    block: Block, wanted: Sequence[SSAValue], linear: set[SSAValue]
) -> list[SSAValue]:
    """The results of costly operations of a body that its linear values depend on.

    ``linear`` has the tangents that other values are computed from, and grows with the body.
    """
    pending = list[SSAValue]()
    for op in slice_of(block, wanted):
        operands = [each for each in operands_within(op) if not is_within(each, op)]
        if any(each in linear for each in operands):
            linear.update(op.results)
            pending += [each for each in operands if each not in linear]
    found = _costly_behind(block, pending)
    functions = _functions_of(block, pending, found)
    return [op.results[0] for op in block.ops if op in (functions or found)]


def _functions_of(
    block: Block, wanted: Sequence[SSAValue], costly: Set[Operation]
) -> set[Operation]:
    """``tanh(r)``: functions of costly values that are all that wanted values need of some of them.

    These functions, and the other costly values, if they are no more, and if the body computes the
    functions for its own result; else nothing.
    """
    functions, end = set[Operation](), phi.YieldOp.of(block.last_op)
    rest = _costly_behind(block, wanted, functions)
    through = [_costly_behind(block, op.operands) for op in functions]
    replaced = set[Operation]().union(*through)
    is_all = not replaced & rest and replaced | rest == costly
    is_all = is_all and functions.issubset(slice_of(block, [end.value]))
    return functions | rest if is_all and len(functions) <= len(replaced) else set()


def _costly_behind(
    block: Block, values: Sequence[SSAValue], functions: set[Operation] | None = None
) -> set[Operation]:
    """The costly operations of a body that values depend on.

    With a set, not those behind scalar functions of costly values, which are put into it.
    """
    pending, found, seen = list(values), set[Operation](), set[Operation]()
    while pending:
        op = pending.pop().owner
        if not isinstance(op, Operation) or op.parent is not block or op in seen:
            continue
        seen.add(op)
        if is_costly(op):
            found.add(op)
        elif functions is not None and is_function(op) and _costly_behind(block, op.operands):
            functions.add(op)
        else:
            pending += [each for each in operands_within(op) if not is_within(each, op)]
    return found


def is_costly(op: Operation) -> bool:
    """Whether an operation has a loop, or computes an array of functions such as ``exp``.

    Values that a derivative computes again are not costly.
    """
    if is_recomputed(op):
        return False
    return any(
        (isinstance(each, phi.PhiOp) and not isinstance(each, _CHEAP))
        or (isinstance(op, phi.ArrayOp) and is_function(each))
        for each in op.walk()
    )


def is_result_of_costly(value: SSAValue) -> bool:
    """Whether a value is the result of a costly operation, or a field of it."""
    owner = whole_record(value).owner
    return isinstance(owner, Operation) and is_costly(owner)


def is_element(value: SSAValue, block: Block, whole: Set[SSAValue]) -> bool:
    """Whether a value is an element of a variable of a body, which is not among some of them."""
    op = value.owner
    return (
        isinstance(op, phi.GetOp)
        and op.parent is block
        and op.array in block.args
        and op.array not in whole
    )


def elements_read(
    block: Block, wanted: Sequence[SSAValue], arrays: Sequence[SSAValue]
) -> list[SSAValue]:
    """The elements of variables of a body, arrays of which its results depend on nothing else."""
    needed = {each for op in slice_of(block, wanted) for each in op.walk()}
    found = list[SSAValue]()
    for array in arrays:
        users = [use.operation for use in array.uses if use.operation in needed]
        if all(
            isinstance(user, phi.GetOp)
            and user.array is array
            and user.parent is block
            and phi.is_scalar_type(user.result.type)
            for user in users
        ):
            found += [user.results[0] for user in users]
    return found


def slices_read(
    block: Block, wanted: Sequence[SSAValue], arrays: Mapping[SSAValue, Sequence[SSAValue]]
) -> list[SSAValue]:
    """``.. a[k, j] .. a[i, k] ..  -->  r = array (j) { a[k, j] }; c = array (i) { a[i, k] }; ..``

    for variables of a body with their sizes, arrays of which its results depend on elements of a
    few rows and columns alone. Returns the new arrays, and elements at positions of the body.
    """
    needed = {each for op in slice_of(block, wanted) for each in op.walk()}
    found = list[SSAValue]()
    for array, sizes in arrays.items():
        users = [use.operation for use in array.uses if use.operation in needed]
        slices = defaultdict[_Slice, list[phi.GetOp]](list)
        for user in users:
            if isinstance(user, phi.GetOp) and user.array is array:
                slices[_slice_of(user, block)].append(user)
        is_whole = any(key.count(None) == len(sizes) for key in slices)
        few = sum(None in key for key in slices) <= FEW
        if not is_whole and sum(map(len, slices.values())) == len(users) and few:
            for key, reads in slices.items():
                found.append(_read_slice(block, key, reads, sizes))
    return found


def read_through(
    block: Block,
    wanted: Sequence[SSAValue],
    arrays: Mapping[SSAValue, Sequence[SSAValue]],
    is_below: Callable[[SSAValue, SSAValue], bool],
) -> None:
    """``s = update(a, p, r); .. s[k, j] ..  -->  .. where(k == p, r[j], a[k, j]) ..``

    for updates of variables of a body with their sizes, of which results depend on slices alone:
    for one, a step that swaps two rows. A position is in bounds if it is below a size.
    """
    needed = {each for op in slice_of(block, wanted) for each in op.walk()}
    for op in reversed(block.ops):
        sizes = arrays.get(_updated(op.result)) if isinstance(op, phi.UpdateOp) else None
        if op not in needed or sizes is None:
            continue
        assert isinstance(op, phi.UpdateOp)
        reads = [use.operation for use in op.result.uses if use.operation in needed]
        if all(
            isinstance(read, phi.GetOp)
            and any(_slice_of(read, block))
            and len(read.positions) >= len(op.positions)
            and all(map(is_below, read.positions[: len(op.positions)], sizes))
            for read in reads
        ):
            needed.remove(op)
            for read in reads:
                needed.add(_read_updated(read, op))


def _updated(array: SSAValue) -> SSAValue:
    """The array that updates are of."""
    while isinstance(array.owner, phi.UpdateOp):
        array = array.owner.array
    return array


def _read_updated(read: Operation, op: phi.UpdateOp) -> Operation:
    """Let an element be that of the array before an update elsewhere; returns its read there."""
    build, positions = Builder.before(read), read.operands[1:]
    own, rest = positions[: len(op.positions)], positions[len(op.positions) :]
    tests = [
        build.compare(build.as_int(position), "eq", build.as_int(place))
        for position, place in zip(own, op.positions, strict=True)
    ]
    before = build.get(op.array, positions)
    new = build.get(op.value, rest) if rest else op.value
    Rewriter.replace_op(read, (), (build.select(build.all_of(tests), new, before),))
    assert isinstance(before.owner, Operation)
    return before.owner


def _slice_of(read: phi.GetOp, block: Block) -> _Slice:
    """The position along each axis that is known in a body itself; None along others."""
    known = [phi.uncast(position) for position in read.positions]
    rest = phi.rank_of(read.array.type) - len(known)
    own = (x if block_of(x) is block or not is_within(x, block) else None for x in known)
    return (*own, *[None] * rest)


def _read_slice(
    block: Block, key: _Slice, reads: Sequence[phi.GetOp], sizes: Sequence[SSAValue]
) -> SSAValue:
    """Let reads be of a slice, which is an array of its own, or an element."""
    places = [block.find_ancestor_op_in_block(read) for read in reads]
    first = next(op for op in block.ops if op in places)
    build, array = Builder.before(first), reads[0].array
    free = [axis for axis, position in enumerate(key) if position is None]

    def element(inner: Inserter, indices: Sequence[SSAValue]) -> SSAValue:
        own = iter(indices)
        return inner.get(array, [next(own) if p is None else p for p in key])

    if not free:
        value = element(build, ())
    else:
        value = build.comprehension([sizes[axis] for axis in free], element)
    for read in reads:
        positions = [read.positions[axis] for axis in free if axis < len(read.positions)]
        new = Builder.before(read).get(value, positions) if positions else value
        new.name_hint = new.name_hint or read.result.name_hint
        Rewriter.replace_op(read, (), (new,))
    return value


def share_costly(
    op: phi.ComprehensionOp, wanted: Sequence[SSAValue], linear: set[SSAValue]
) -> None:
    """``array (i < n) { e(fold) }  -->  r = array (i < n) { fold }; array (i < n) { e(r[i]) }``

    for the loops that linear values of the body depend on, over the indices that they depend on.
    """
    block = op.body.block
    behind = [dependents(block, index) for index in op.indices]
    groups = defaultdict[tuple[int, ...], list[SSAValue]](list)
    for value in costly_values(block, wanted, linear):
        groups[tuple(k for k, each in enumerate(behind) if value in each)].append(value)
    for axes, values in groups.items():
        if axes:
            in_arrays(op, [op.sizes[k] for k in axes], [op.indices[k] for k in axes], values)


def share_invariants(op: phi.VjpOp, function: func.FuncOp) -> None:
    """``array (i, d) { fold (j) { e(r(i, j)) } }  -->  r = array (i, j) { r }; .. { e(r[i, j]) }``

    for loops, scans, accumulations and costly scalars ``r`` that depend on the parameter: their
    cotangents are summed over ``d`` before they go through ``r``.
    """
    active = dependents(op.body.block, op.parameter)
    variables = variables_of(function)
    for each in operations_in(op):
        if isinstance(each, phi.FoldOp | _ROW) and each.result in active:
            _share_invariant(each, op, variables)
    erase_unused(op.body.block)
    for each in reversed(operations_in(op)):
        if each.results and is_dead(each):
            Rewriter.erase_op(each)
        elif not each.regions and active.intersection(each.results):
            _share_invariant(each, op, variables)
    erase_unused(op.body.block)


def _share_invariant(
    op: Operation, root: Operation, variables: Mapping[SSAValue, Variables]
) -> None:
    """Compute a value before the outermost loop with a variable that it does not depend on."""
    value = op.results[0]
    is_row = isinstance(op, _ROW) and isinstance(value.type, phi.VecType)
    if value not in variables or not (
        is_row or isinstance(op, phi.FoldOp) or phi.is_scalar_type(value.type)
    ):
        return
    nest = _nest_to_leave(op, root, variables[value])
    if nest is None or (not is_row and _is_for_equal(value, variables)):
        return
    if _has_own_counts(value, *nest, variables):
        return
    if (
        is_row
        or op.regions
        or _is_worth_an_array(
            value, *nest, len(_indices(variables[value])), is_operand=_is_operand(value, variables)
        )
    ):
        loop, own = nest
        if not has_sizes(value, home_of(loop.results[0])):
            return
        in_arrays(loop, list(own.values()), list(own), [value])


def _has_own_counts(
    value: SSAValue,
    nest: phi.FoldOp | phi.ComprehensionOp,
    own: Mapping[SSAValue, SSAValue],
    variables: Mapping[SSAValue, Variables],
) -> bool:
    """Whether a loop that a value needs has a count that varies with counters, not indices yet."""
    needed = (x for each in needed_within(nest, [value]) for x in operations_in(each))
    return any(own.keys() & variables.get(size, frozenset()) for size in sizes_in(needed))


def _indices(behind: Variables) -> Variables:
    """The indices and counters among variables."""
    return frozenset(
        each
        for each in behind
        if phi.is_comprehension_index(each)
        or (each.index == 0 and isinstance(each.owner.parent_op(), phi.FoldOp))
    )


def _is_for_equal(value: SSAValue, variables: Mapping[SSAValue, Variables]) -> bool:
    """Whether steps need a value only where variables are equal, ``select e == i, x, 0``.

    An array of it over all of these variables would have elements that no step reads.
    """

    def is_selected(use: Use) -> bool:
        op = use.operation
        if not isinstance(op, arith.SelectOp) or use.index == 0:
            return False
        own = _indices(variables.get(op.cond, frozenset()))
        is_equal = is_equation(Test(op.cond, use.index == 1))
        return is_equal and len(own) > 1 and own <= variables[value]

    def users(value: SSAValue) -> Iterator[SSAValue]:
        return (x for use in value.uses if not is_selected(use) for x in use.operation.results)

    found = reached([value], users)
    return all(is_selected(use) or use.operation.results for each in found for use in each.uses)


def _is_operand(value: SSAValue, variables: Mapping[SSAValue, Variables]) -> bool:
    """Whether a value is a factor of a product of matrices.

    The factors have a variable in common, and each has one of its own.
    """
    own = _indices(variables[value])
    factors = [
        _indices(variables[factor])
        for use in value.uses
        if isinstance(use.operation, arith.MulfOp)
        for factor in use.operation.operands
        if factor in variables
    ]
    return any(own & other and own - other and other - own for other in factors)


def _is_worth_an_array(
    value: SSAValue,
    loop: Operation,
    variables: Collection[SSAValue],
    rank: int,
    *,
    is_operand: bool,
) -> bool:
    """Whether a scalar of a loop is costly, and an array of it no larger than one that it reads.

    So are those of a product of matrices, which are arrays in the program as well.

    One with a single variable stays if it reads one element, unless it has several functions: the
    sums of its cotangents along rows would take as long as the elements do. Several elements would
    each have such sums, also of pairs: so one that has divisions is an array over all pairs, as
    that of a loop is.
    """
    needed = needed_within(loop, [value])
    reads = [map(phi.uncast, each.positions) for each in needed if isinstance(each, phi.GetOp)]
    total, least = total_cost(needed), CHEAP if rank > 1 or len(reads) > 1 else 2 * FUNCTION
    if not least < total < inf:
        return False
    is_read = is_operand or any(set(variables) <= set(positions) for positions in reads)
    return is_read or (rank == 2 and len(reads) > 1 and total > 2 * DIVISION)


def _nest_to_leave(
    op: Operation, root: Operation, behind: Variables
) -> tuple[phi.FoldOp | phi.ComprehensionOp, Mapping[SSAValue, SSAValue]] | None:
    """The outermost loop with a variable that a value does not depend on, if it does on others.

    Those of this loop and of those in it, with their sizes, which are known before it. The value is
    computed wherever it was: where it may raise an error, the other variables take some step.
    """
    found, variables, has_steps = None, dict[SSAValue, SSAValue](), True
    loop = op.parent_op()
    while loop is not root and isinstance(loop, phi.FoldOp | phi.ComprehensionOp):
        if isinstance(loop, phi.FoldOp) and loop.accumulator in behind:
            break
        sizes = [loop.count] if isinstance(loop, phi.FoldOp) else loop.sizes
        own = dict[SSAValue, SSAValue](zip(loop.counters(), sizes, strict=True))
        variables = {x: size for x, size in own.items() if x in behind} | variables
        has_steps &= all(range_of(size).low > 0 for x, size in own.items() if x not in behind)
        is_known = not any(is_within(size, loop) for size in variables.values())
        is_left = is_known and bool(variables) and not own.keys() <= behind
        if is_left and (has_steps or not _fails_in(loop, op)):
            found = loop, variables
        loop = loop.parent_op()
    return found


def _fails_in(loop: Operation, op: Operation) -> bool:
    """Whether the computation of an operation in a loop may raise an error."""
    needed = needed_within(loop, op.results)
    return any(may_fail_first(x, loop) for each in needed for x in operations_in(each))


def are_shared(op: phi.FoldOp) -> Callable[[SSAValue], bool]:
    """Which values of a step may be elements of arrays that are computed before the fold."""
    varying = dependents(op.body.block, op.accumulator) if is_regular(op) else None
    return lambda value: varying is not None and value not in varying


def in_arrays(
    op: phi.FoldOp | phi.ComprehensionOp,
    sizes: Sequence[SSAValue],
    variables: Sequence[SSAValue],
    values: Sequence[SSAValue],
) -> list[SSAValue]:
    """``op (i < n) { e(v) }  -->  r = array (i < n) { v }; op (i < n) { e(r[i]) }``

    for some values of a body over variables. Returns the arrays, one for each leaf.
    """

    def is_inside(value: SSAValue) -> bool:
        return not isinstance(value.owner, Block) and is_within(value, op)

    def elements(inner: Inserter, indices: Sequence[SSAValue]) -> list[SSAValue]:
        known: dict[SSAValue, SSAValue] = {
            variable: index
            if variable.type == index.type
            else inner.emit(arith.IndexCastOp(index, variable.type))
            for variable, index in zip(variables, indices, strict=True)
        }
        copies = [inner.recomputed(value, known, is_inside) for value in values]
        return [leaf for copy in copies for leaf in inner.leaves(copy)]

    build = Builder.before(op)
    arrays = build.comprehensions(sizes, elements, variables)
    rest = iter(arrays)
    for value in values:
        assert isinstance(value.owner, Operation)
        after = Builder.after(value.owner)
        leaves = [after.get(next(rest), variables) for _ in leaf_types(value.type)]
        new = after.record(value.type, leaves)
        new.name_hint = new.name_hint or value.name_hint
        replace_record(value, new)
        merge_reads({use.operation: None for use in new.uses})
    return arrays


def merge_reads(ops: Iterable[Operation]) -> None:
    """``get(get(a, p), q)  -->  get(a, p ++ q)``, whose cotangent is no row with one element."""
    for get in ops:
        if isinstance(get, phi.GetOp) and isinstance(row := get.array.owner, phi.GetOp):
            merged = phi.GetOp(row.array, [*row.positions, *get.positions])
            Rewriter.replace_op(get, merged)
