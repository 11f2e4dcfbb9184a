"""Programs before they are linearised: loops become folds, or are written out."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.dialects.builtin import i1, i64
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.phi.element_cost import short_count
from ein_mlir.analysis.phi.free_indices import FreeIndices, leaf_types
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence
from ein_mlir.analysis.scopes import innermost_first, operations_in
from ein_mlir.dialects import phi
from ein_mlir.rewriting.phi.builders import copied, unroll
from ein_mlir.rewriting.phi.derivatives.tangents import NoDerivativeError
from ein_mlir.rewriting.phi.insertion import Builder


def whiles_as_folds(op: Operation, function: func.FuncOp) -> None:
    """``while (k < n, x = a) { e }  -->  fold (k < steps, x = a) { e }``

    A loop of its own counts the steps. They must be the same for all indices.
    """
    loops = innermost_first(op, phi.WhileOp)
    if not loops:
        return
    free = FreeIndices(function)
    for loop in loops:
        if free.of(loop.accumulator):
            raise NoDerivativeError(
                loop,
                "its number of steps depends on an index: it has a derivative by jvp, and none by "
                "vjp or grad",
            )
        _while_as_fold(loop)


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


def _while_as_fold(op: phi.WhileOp) -> None:
    build = Builder.before(op)
    counting = op.body.clone()
    block = counting.block
    record = block.insert_arg(phi.tuple_of((i1, op.init.type, i64)), 2)
    inner = Builder.at_start(block)
    before = inner.proj(record, 1)
    steps = inner.proj(record, 2)
    block.args[1].replace_all_uses_with(before)
    block.erase_arg(block.args[1])
    last = block.last_op
    assert isinstance(last, phi.YieldOp)
    end = Builder.before(last)
    more = end.add(steps, 1)
    condition = end.proj(last.value, 0)
    after = end.tuple([condition, last.value, more])
    Rewriter.replace_op(last, phi.YieldOp(after), ())
    first = build.proj(op.init, 0)
    start = build.tuple([first, op.init, build.integer(0)])
    found = build.insert(phi.WhileOp(op.count, start, counting))
    count = build.proj(found.result, 2)
    body = op.body.clone()
    fold = phi.FoldOp(count, op.init, body)
    fold.location = op.location
    Rewriter.replace_op(op, fold)


def compute_elements(op: Operation, sizes: SizeEquivalence) -> None:
    """``fold (k < n) { (array (i < n) { e })[k] }  -->  fold (k < n) { e[i := k] }``

    where ``e`` is arithmetic only. Then passes see which elements are zero.
    """
    for get in operations_in(op):
        if isinstance(get, phi.GetOp) and (array := _arithmetic(get.array)) is not None:
            pairs = list(zip(get.positions, array.sizes, strict=False))
            if len(pairs) == len(array.sizes) and all(_is_index(*pair, sizes) for pair in pairs):
                _compute(get, array)


def _arithmetic(value: SSAValue) -> phi.ArrayOp | None:
    """The comprehension of an array whose elements are Floats that arithmetic computes."""
    op = value.owner
    if not isinstance(op, phi.ArrayOp) or isinstance(op.yielded().type, phi.VecType):
        return None
    body = [each for each in op.body.block.ops if not isinstance(each, phi.YieldOp)]
    return op if all(each.dialect_name() == "arith" for each in body) else None


def _is_index(position: SSAValue, size: SSAValue, sizes: SizeEquivalence) -> bool:
    """Whether a position is a variable of a loop of a size."""
    variable = phi.uncast(position)
    if not isinstance(variable, BlockArgument):
        return False
    loop = variable.owner.parent_op()
    if isinstance(loop, phi.ComprehensionOp):
        return sizes.same(loop.sizes[variable.index], size)
    return isinstance(loop, phi.FoldOp) and variable.index == 0 and sizes.same(loop.count, size)


def _compute(get: phi.GetOp, array: phi.ArrayOp) -> None:
    """Replace the read of an element by its computation."""
    known: dict[SSAValue, SSAValue] = dict(zip(array.indices, get.positions, strict=True))
    element = copied(Builder.before(get), array.body.block, [array.yielded()], known)
    Rewriter.replace_op(get, (), element)
