"""Folds that combine arrays element by element, as arrays of folds of the elements, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from xdsl.dialects import arith
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.phi.free_indices import FreeIndices, leaf_types
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence
from ein_mlir.analysis.phi.speculation import may_fail
from ein_mlir.analysis.phi.variables import element_read
from ein_mlir.analysis.scopes import captured, inputs_of, operands_within, slice_within
from ein_mlir.dialects import phi
from ein_mlir.dialects.creation import copy_of
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.phi.builders import fold_body
from ein_mlir.rewriting.phi.compared_sizes import ComparedSizes
from ein_mlir.rewriting.phi.insertion import Builder, Emitter

# Recognition ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pointwise:
    """The step of a fold over an array whose elements depend on those at the same index only."""

    step: phi.ArrayOp
    whole: frozenset[Operation]
    """The operations of the body whose whole results are needed."""
    elements: frozenset[Operation]
    """Comprehensions of the body of which only the element at the index is needed."""


def pointwise(op: phi.FoldOp, sizes: SizeEquivalence) -> Pointwise | None:
    """The operations that an element of a step depends on; None if it is not pointwise.

    A size of the accumulator is known without it.
    """
    step = op.yielded().owner
    if not isinstance(step, phi.ArrayOp) or step.parent is not op.body.block:
        return None
    if phi.rank_of(op.result.type) != len(step.sizes) or not sizes.are_of(op.init, step.sizes):
        return None
    body = op.body.block
    whole, elements = set[SSAValue](), {op.yielded()}
    for inner in reversed(list(body.ops)):
        if not elements.isdisjoint(inner.results):
            assert isinstance(inner, phi.ArrayOp)
            for nested in inner.body.walk():
                own = element_read(nested, inner)
                if own is not None and _has_elements(own, op, step, sizes):
                    elements.add(own)
                else:
                    whole.update(nested.operands)
        is_size = isinstance(inner, phi.SizeOp) and inner.array is op.accumulator
        if not whole.isdisjoint(inner.results) and not is_size:
            whole.update(operands_within(inner))
    if op.accumulator in whole:
        return None
    return Pointwise(step, _owners(whole, body), _owners(elements, body))


def _has_elements(
    array: SSAValue, op: phi.FoldOp, step: phi.ArrayOp, sizes: SizeEquivalence
) -> bool:
    """Whether an array is the accumulator, or a comprehension of its sizes in a step."""
    if array is op.accumulator:
        return True
    owner = array.owner
    return (
        isinstance(owner, phi.ArrayOp)
        and owner.parent is op.body.block
        and owner.result.type == array.type
        and len(owner.sizes) == len(step.sizes)
        and all(map(sizes.same, owner.sizes, step.sizes))
    )


def _owners(values: Iterable[SSAValue], block: Block) -> frozenset[Operation]:
    """The operations of a block that define some of these values."""
    owners = (value.owner for value in values)
    return frozenset(op for op in owners if isinstance(op, Operation) and op.parent is block)


# Rewriting ------------------------------------------------------------------------------------


def interchanged(
    op: phi.FoldOp, found: Pointwise, sizes: SizeEquivalence
) -> list[Operation] | None:
    """``fold (x = a) { array (i < m) { e } }  -->  array (i < m) { fold (y = a[i]) { e } }``

    where ``y`` replaces ``x[i]`` in e. None if a step compares sizes that it computes.
    """
    known = ComparedSizes(op, found.elements, sizes)
    new_sizes = known.of_result()
    if new_sizes is None:
        return None

    def element(build: Builder, indices: Sequence[SSAValue]) -> SSAValue:
        body = fold_body(op, found.step.yielded().type)
        body.add_op(phi.YieldOp(_element(op, found, known.values, indices, body)))
        start = build.emit(_constant_of(op.init) or phi.GetOp(op.init, indices))
        result = build.emit(op.again(start, Region(body)))
        result.name_hint = op.result.name_hint
        return result

    emitter = Emitter()
    emitter.comprehension(new_sizes, element, found.step.indices)
    return [*known.ops, *emitter.ops]


def _constant_of(array: SSAValue) -> arith.ConstantOp | None:
    """The constant that all elements of a comprehension are equal to."""
    if not isinstance(array.owner, phi.ArrayOp):
        return None
    element = array.owner.yielded().owner
    return copy_of(element) if isinstance(element, arith.ConstantOp) else None


def _element(
    op: phi.FoldOp,
    found: Pointwise,
    known: Mapping[SSAValue, SSAValue],
    indices: Sequence[SSAValue],
    body: Block,
) -> SSAValue:
    """Add the operations of an element of a step to the body of a fold over elements; that element.

    ``known`` are values of the step that are already in the body.
    """
    counter, accumulator = body.args
    values = {**known, op.counter: counter}
    elements: dict[SSAValue, SSAValue] = {op.accumulator: accumulator}
    for inner in op.body.block.ops:
        if isinstance(inner, phi.ArrayOp) and inner in found.elements:
            elements[inner.result] = _inlined(inner, values, elements, indices, body)
        if inner in found.whole and inner.results[0] not in values:
            body.add_op(copy_of(inner, values))
    return elements[op.yielded()]


def _inlined(
    op: phi.ArrayOp,
    values: dict[SSAValue, SSAValue],
    elements: Mapping[SSAValue, SSAValue],
    indices: Sequence[SSAValue],
    body: Block,
) -> SSAValue:
    """Add the body of a comprehension at some indices; the element that it yields."""
    copy = copy_of(op, dict(values))
    for nested in list(copy.body.walk()):
        array = element_read(nested, copy)
        if array is not None and array in elements:
            Rewriter.replace_op(nested, (), (elements[array],))
    terminator = phi.YieldOp.of(copy.body.block.last_op)
    Rewriter.inline_block(copy.body.block, InsertPoint.at_end(body), indices)
    element = terminator.value
    Rewriter.erase_op(terminator)
    copy.erase()
    return element


# Folds of each element ---------------------------------------------------------------------------


def may_iterate(fold: phi.FoldOp, array: phi.ArrayOp) -> bool:
    """Whether a fold is one of scalars, and what it needs of an element takes no loops."""
    needed = slice_within(array, [*fold.operands, *captured(fold)])
    is_scalar = all(map(phi.is_scalar_type, leaf_types(fold.init.type)))
    return is_scalar and fold.irregular is None and not any(op.regions for op in needed)


def iterate(fold: phi.FoldOp, array: phi.ArrayOp, free: FreeIndices) -> None:
    """``array (i < m) { fold (q < n, y = x) { e } }  -->
    array (i < m) { fold (q < n, ys = array (i < m) { x }) { array (i < m) { e } }[i] }``

    where ``ys[i]`` replaces ``y`` in e. The fold over arrays is before the comprehension. Values of
    a step that are the same for all elements are computed once.
    """
    block, count = array.body.block, len(leaf_types(fold.init.type))
    ops = [*slice_within(array, [fold.init, *captured(fold)]), *list(fold.body.block.ops)[:-1]]
    varying, of_elements = set[SSAValue]([fold.accumulator, *array.indices]), list[Operation]()
    for op in ops:
        if may_fail(op) or not varying.isdisjoint(inputs_of(op)):
            varying.update(op.results)
            of_elements.append(op)

    def elements(build: Builder, arrays: SSAValue, indices: Sequence[SSAValue]) -> SSAValue:
        found = [build.get(each, indices) for each in build.unpacked(arrays, count)]
        return build.record(fold.init.type, found)

    def first(inner: Builder, own: Sequence[SSAValue]) -> Sequence[SSAValue]:
        known = dict[SSAValue, SSAValue](zip(array.indices, own, strict=True))
        return inner.leaves(inner.copied(block, [fold.init], known)[0])

    def step(body: Builder, counter: SSAValue, carried: SSAValue) -> SSAValue:
        known = dict[SSAValue, SSAValue]({fold.counter: counter})
        for op in ops:
            if op not in of_elements:
                body.copy(op, known)

        def following(inner: Builder, own: Sequence[SSAValue]) -> Sequence[SSAValue]:
            values = {**known, fold.accumulator: elements(inner, carried, own)}
            values.update(zip(array.indices, own, strict=True))
            inner.copy_all(of_elements, values)
            return inner.leaves(values.get(fold.yielded(), fold.yielded()))

        return body.packed(body.comprehensions(array.sizes, following, array.indices))

    before, inside = (Builder.before(op, free.add) for op in (array, fold))
    (steps,) = before.copied(block, [fold.count], {})
    init = before.packed(before.comprehensions(array.sizes, first, array.indices))
    result = before.fold_over(steps, init, step, [fold.counter, fold.accumulator])
    result.name_hint = fold.result.name_hint
    Rewriter.replace_op(fold, (), (elements(inside, result, array.indices),))
