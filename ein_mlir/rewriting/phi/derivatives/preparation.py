"""Programs before they are linearised: loops become folds, or are written out."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from xdsl.dialects import func
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.phi.demand import counts_of
from ein_mlir.analysis.phi.element_cost import short_count
from ein_mlir.analysis.phi.free_indices import FreeIndices, leaf_types
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.selections import reduction
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence
from ein_mlir.analysis.phi.speculation import body_may_fail
from ein_mlir.analysis.phi.variables import Variables, variables_of
from ein_mlir.analysis.scopes import (
    around,
    block_of,
    dependents,
    innermost_first,
    is_within,
    operations_in,
)
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.verification import is_regular
from ein_mlir.rewriting.phi.builders import unroll
from ein_mlir.rewriting.phi.derivatives.checkpoints import recompute
from ein_mlir.rewriting.phi.derivatives.residuals import in_arrays
from ein_mlir.rewriting.phi.derivatives.tangents import NoDerivativeError, is_differentiable
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.longest_folds import with_longest_count
from ein_mlir.rewriting.phi.ranges import keep_steps, largest
from ein_mlir.rewriting.phi.replacement import insert_before, replace


def whiles_as_folds(op: phi.VjpOp, function: func.FuncOp) -> None:
    """``while (k < n, x = a) { e }  -->  fold (k < steps, x = a) { e }``

    A loop of its own counts the steps. Where their number varies with indices or counters, all take
    the most steps: ``fold (k < max steps, x = a) { where(k < steps[i], e, x) }``. A fold whose
    number of steps varies with those of a loop around is computed again by the derivative: the
    values before its steps would take arrays of several sizes. Loops without a derivative, such as
    searches of positions, stay.
    """
    active = dependents(op.body.block, op.parameter)
    for loop in innermost_first(op, phi.WhileOp):
        if loop.result not in active or not any(map(is_differentiable, leaf_types(loop.init.type))):
            continue
        behind = variables_of(function)[loop.result]
        nest, variables = _nest_of_counts(loop, op, behind)
        if FreeIndices(function).of(loop.accumulator) - variables.keys():
            raise NoDerivativeError(
                loop,
                "its number of steps depends on an index, and cannot be counted before the loops "
                "around it: it has a derivative by jvp, and none by vjp or grad",
            )
        fold = _while_as_fold(loop, is_masked=nest is not None)
        if nest is not None:
            steps = in_arrays(nest, [*variables.values()], [*variables], [fold.count])
            fold.operands[0] = _most(Builder.before(nest), *steps)
        if any(op.is_ancestor(each.owner) for each in behind.difference(variables)):
            recompute(fold)


def _nest_of_counts(
    op: phi.WhileOp, root: Operation, behind: Variables
) -> tuple[phi.FoldOp | phi.ComprehensionOp | None, dict[SSAValue, SSAValue]]:
    """The outermost loop before which the steps of a loop can be counted, for all of them at once.

    With the indices and counters that their number varies with, and their sizes.
    """
    found: phi.FoldOp | phi.ComprehensionOp | None = None
    variables, loop = dict[SSAValue, SSAValue](), op.parent_op()
    while loop is not root and isinstance(loop, phi.FoldOp | phi.ComprehensionOp):
        pairs = zip(loop.counters(), counts_of(loop), strict=True)
        own = {variable: size for variable, size in pairs if variable in behind} | variables
        is_carried = isinstance(loop, phi.FoldOp) and loop.accumulator in behind
        if is_carried or any(is_within(size, loop) for size in own.values()):
            break
        if own != variables:
            found, variables = loop, own
        loop = loop.parent_op()
    return found, variables


def _most(build: Builder, counts: SSAValue) -> SSAValue:
    """The largest of the elements of an array of Ints."""
    if phi.rank_of(counts.type) > 1:
        counts = build.comprehension(
            [build.size(counts)],
            lambda inner, indices: _most(inner, inner.get(counts, indices)),
        )
    return largest(build, counts)


def read_rows(op: Operation) -> None:
    """``array (i < n) { fold { e(a[i, k]) } }  -->  array (i < n) { r = a[i]; fold { e(r[k]) } }``

    in loops that sum their contributions to values outside, since their sizes vary with the step:
    those to a row are no array as large as ``a``, for each index.
    """
    for loop in operations_in(op):
        if not isinstance(loop, phi.FoldOp) or is_regular(loop):
            continue
        reads = dict[SSAValue, list[phi.GetOp]]()
        for get in operations_in(loop):
            if isinstance(get, phi.GetOp) and not is_within(get.array, loop):
                reads.setdefault(get.array, []).append(get)
        for array, gets in reads.items():
            row = _common_row(array, [list(get.positions) for get in gets], loop)
            if row:
                value = Builder.before(loop).get(array, row)
                for get in gets:
                    own = phi.GetOp(value, get.positions[len(row) :])
                    Rewriter.replace_op(get, own)


def _common_row(
    array: SSAValue, positions: Sequence[Sequence[SSAValue]], loop: phi.FoldOp
) -> list[SSAValue]:
    """The first positions of all reads of an array in a loop, by an index or counter around it."""
    row = list[SSAValue]()
    for axis in range(min(phi.rank_of(array.type) - 1, *map(len, positions))):
        first, *others = {phi.uncast(each[axis]) for each in positions}
        block = block_of(first)
        owner = None if block is None else block.parent_op()
        is_around = isinstance(owner, phi.ComprehensionOp | phi.FoldOp)
        if others or not is_around or is_within(array, owner) or is_within(first, loop):
            break
        row.append(first)
    return row


def lengthen_reductions(op: phi.VjpOp, function: func.FuncOp) -> None:
    """``fold (k < i) { acc + e }  -->  fold (k < n) { acc + where(k < i, e, 0) }``

    for the counter i of a fold of n steps around it. So cotangents are arrays of one size in all
    steps of that fold, which need no loop.
    """
    active = dependents(op.body.block, op.parameter)
    found = [loop for loop in innermost_first(op, phi.FoldOp) if _is_of_varying_length(loop, op)]
    if not found:
        return
    sizes, free = SizeEquivalence(function), FreeIndices(function)
    forms = IndexForms(function, sizes, free)
    for loop in found:
        if loop.result in active and reduction(loop) is not None and not body_may_fail(loop):
            longer = with_longest_count(loop, forms)
            if longer is not None:
                insert_before(loop, [longer])
                replace(loop, longer.result, free)


def _is_of_varying_length(op: phi.FoldOp, root: Operation) -> bool:
    """Whether a loop around a fold defines its count."""
    loops = takewhile(lambda loop: loop is not root, around(op.parent_op()))
    return any(is_within(op.count, loop) for loop in loops)


def unroll_recurrences(op: Operation) -> None:
    """``fold (k < 3, x = a) { e(k, x) }  -->  e(2, e(1, e(0, a)))``, for scalars

    The derivative needs the values before each step, which are no array then.
    """
    for loop in innermost_first(op, phi.FoldOp):
        steps, is_scalar = short_count(loop), not any(map(phi.rank_of, leaf_types(loop.init.type)))
        is_sum = phi.is_scalar_type(loop.init.type) and loop.accumulator.has_one_use()
        is_plain = not any(each.regions for each in loop.body.block.ops)
        if steps is not None and is_scalar and is_plain and not is_sum:
            unroll(loop, steps)


def _while_as_fold(op: phi.WhileOp, *, is_masked: bool) -> phi.FoldOp:
    """The fold of all steps; with a mask it may take more, which have no effect."""
    build = Builder.before(op)
    count = _count_of_steps(build, op)
    fold = phi.FoldOp(count, op.init, op.body.clone())
    if is_masked:
        end = Builder.before_end(fold.body.block)
        keep_steps(end, fold, end.compare(fold.counter, "slt", count))
    fold.location = op.location
    Rewriter.replace_op(op, fold)
    return fold


def _count_of_steps(build: Builder, op: phi.WhileOp) -> SSAValue:
    """The number of steps of a loop, by another one."""

    def step(inner: Builder, counter: SSAValue, carried: SSAValue) -> SSAValue:
        before, steps = inner.proj(carried, 1), inner.proj(carried, 2)
        before.name_hint = op.accumulator.name_hint
        known: dict[SSAValue, SSAValue] = {op.counter: counter, op.accumulator: before}
        (after,) = inner.copied(op.body.block, [op.yielded()], known)
        more = inner.add(steps, 1)
        return inner.tuple([inner.proj(after, 0), after, more])

    start = build.tuple([build.proj(op.init, 0), op.init, build.integer(0)])
    found = build.fold_over(op.count, start, step, [op.counter], loop=phi.WhileOp)
    return build.proj(found, 2)


def compute_elements(op: Operation, sizes: SizeEquivalence) -> None:
    """``fold (k < n) { (array (i < n) { e })[k] }  -->  fold (k < n) { e[i := k] }``

    where ``e`` is arithmetic only. Then passes see which elements are zero.
    """
    for get in operations_in(op):
        if isinstance(get, phi.GetOp) and (array := arithmetic_array(get.array)) is not None:
            pairs = list(zip(get.positions, array.sizes, strict=False))
            if len(pairs) == len(array.sizes) and all(is_index(*pair, sizes) for pair in pairs):
                compute(get, array)


def arithmetic_array(value: SSAValue) -> phi.ArrayOp | None:
    """The comprehension of an array whose elements are Floats that arithmetic computes."""
    op = value.owner
    if not isinstance(op, phi.ArrayOp) or isinstance(op.yielded().type, phi.VecType):
        return None
    body = [each for each in op.body.block.ops if not isinstance(each, phi.YieldOp)]
    return op if all(each.dialect_name() == "arith" for each in body) else None


def is_index(position: SSAValue, size: SSAValue, sizes: SizeEquivalence) -> bool:
    """Whether a position is a variable of a loop of a size."""
    variable = phi.uncast(position)
    if not isinstance(variable, BlockArgument):
        return False
    loop = variable.owner.parent_op()
    if isinstance(loop, phi.ComprehensionOp):
        return sizes.same(loop.sizes[variable.index], size)
    return isinstance(loop, phi.FoldOp) and variable.index == 0 and sizes.same(loop.count, size)


def compute(get: phi.GetOp, array: phi.ArrayOp, is_empty: Sequence[SSAValue] = ()) -> SSAValue:
    """Replace the read of an element by its computation, or by 0 if a test holds; returns that."""
    build = Builder.before(get)
    known: dict[SSAValue, SSAValue] = dict(zip(array.indices, get.positions, strict=True))
    (element,) = build.copied(array.body.block, [array.yielded()], known)
    for test in is_empty:
        element = build.select(test, build.number(0, element.type), element)
    Rewriter.replace_op(get, (), (element,))
    return element
