"""Folds of each element whose steps have loops: the steps of all elements are comprehensions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.phi.counted_loops import CountedLoop
from ein_mlir.analysis.phi.free_indices import leaf_types
from ein_mlir.analysis.scopes import around, captured, is_within, slice_within
from ein_mlir.dialects import phi
from ein_mlir.rewriting.phi.builders import comprehensions, fold_over, packed, recomputed, unpacked
from ein_mlir.rewriting.phi.insertion import Builder


def folds_around(loop: CountedLoop) -> Iterator[phi.FoldOp]:
    """The folds between a loop and the operation around it that is none, innermost first."""
    for each in around(loop.op.parent_op()):
        if not isinstance(each, phi.FoldOp):
            return
        yield each


def may_iterate(fold: phi.FoldOp, array: phi.ArrayOp) -> bool:
    """Whether a fold is one of scalars, and what it needs of an element takes no loops."""
    needed = slice_within(array, [*fold.operands, *captured(fold)])
    is_scalar = all(map(phi.is_scalar_type, leaf_types(fold.init.type)))
    return is_scalar and fold.irregular is None and not any(op.regions for op in needed)


def iterate(fold: phi.FoldOp, array: phi.ArrayOp) -> None:
    """``array (i < m) { fold (q < n, y = x) { e } }  -->
    array (i < m) { fold (q < n, ys = array (i < m) { x }) { array (i < m) { e } }[i] }``

    where ``ys[i]`` replaces ``y`` in e. The fold over arrays is before the comprehension.
    """
    count = len(leaf_types(fold.init.type))

    def elements(build: Builder, arrays: SSAValue, indices: Sequence[SSAValue]) -> SSAValue:
        found = [build.get(each, indices) for each in unpacked(build, arrays, count)]
        return build.record(fold.init.type, found)

    def arrays(
        build: Builder, element: SSAValue, known: dict[SSAValue, SSAValue], carried: SSAValue | None
    ) -> SSAValue:
        def leaves(inner: Builder, indices: Sequence[SSAValue]) -> Sequence[SSAValue]:
            own = {**known, **dict(zip(array.indices, indices, strict=True))}
            if carried is not None:
                own[fold.accumulator] = elements(inner, carried, indices)
            found = recomputed(inner, element, own, lambda each: is_within(each, array))
            return inner.leaves(found)

        return packed(build, comprehensions(build, array.sizes, leaves, array.indices))

    def step(body: Builder, counter: SSAValue, carried: SSAValue) -> SSAValue:
        return arrays(body, fold.yielded(), {fold.counter: counter}, carried)

    build = Builder.before(array)
    steps = recomputed(build, fold.count, {}, lambda each: is_within(each, array))
    names = [fold.counter, fold.accumulator]
    result = fold_over(build, steps, arrays(build, fold.init, {}, None), step, names)
    Rewriter.replace_op(fold, (), (elements(Builder.before(fold), result, array.indices),))
