"""Terms of a step, in comprehensions too, that no other step affects and that take calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerType, TupleType, i1
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.element_cost import is_function
from ein_mlir.analysis.phi.free_indices import FreeIndices, leaf_types
from ein_mlir.analysis.phi.memory_cost import FREE_RANK, may_materialise_parts, never_stored
from ein_mlir.analysis.phi.searches import fold_search
from ein_mlir.analysis.phi.selections import reduction
from ein_mlir.analysis.phi.size_equivalence import unasserted
from ein_mlir.analysis.phi.speculation import may_fail
from ein_mlir.analysis.scopes import (
    around,
    dependents,
    is_within,
    nested,
    nesting,
    operands_within,
    operations_in,
    slice_within,
)
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import is_sum
from ein_mlir.dialects.fastmath import takes_any_order
from ein_mlir.dialects.phi.integers import is_nonnegative
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.phi.insertion import Builder, Emitter
from ein_mlir.rewriting.phi.replacement import insert_before, replace
from ein_mlir.rewriting.phi.step_blocks import (
    block_steps,
    blocks_of,
    number_of_blocks,
    steps_of_size,
)
from ein_mlir.rewriting.phi.stored_terms import store

ELEMENTS = 2**17
"""The approximate number of elements of the largest array of a block."""

LEAST_CALLS = 3
"""The calls that the terms of a step take at least: fewer are not worth the loop over blocks."""

LOOP = 3
"""The calls that a reduction, or a function such as ``exp``, counts for."""

_LOOPS = (phi.ReduceOp, phi.ArgreduceOp, phi.FoldOp)


@dataclass(frozen=True)
class Term:
    """A value of a step."""

    value: SSAValue
    axes: Sequence[BlockArgument]
    """The indices of comprehensions in the step that it varies with, outermost first."""
    sizes: Sequence[SSAValue]
    """The sizes of these, from outside of the loop."""
    lengths: Sequence[SSAValue]
    """The sizes of the largest array that it is computed from."""
    calls: int


class StepTerms:
    """The terms of a fold."""

    def __init__(self, op: phi.FoldOp, free: FreeIndices):
        self._op = op
        self._free = free
        self._affected = dependents(op.body.block, op.accumulator)
        self._varying = dependents(op.body.block, op.counter)
        self._is_of_numbers = all(map(phi.is_scalar_type, leaf_types(op.init.type)))
        self._combined = {x for inner in nested(op.body.block) for x in never_stored(inner, free)}

    def found(self) -> list[Term]:
        """The terms that take calls; none if they take few together."""
        if reduction(self._op) is not None or fold_search(self._op) is not None:
            return []
        if not self._found():
            return []
        for op in list(self._steps(self._op.body.block)):
            self._regroup(op)
        return self._found()

    def _found(self) -> list[Term]:
        values = dict.fromkeys(self._frontier())
        terms = [term for value in values if (term := self._term(value)) is not None]
        if self._is_of_numbers:
            terms = [x for x in terms if x.value.type == i1 and x.calls >= LEAST_CALLS]
        return terms if sum(term.calls for term in terms) >= LEAST_CALLS else []

    def _steps(self, block: Block) -> Iterator[Operation]:
        """The operations that affected values of a block, or of comprehensions in it, take."""
        for op in block.ops:
            is_affected = any(result in self._affected for result in op.results)
            if isinstance(op, phi.ArrayOp) and is_affected:
                yield from self._steps(op.body.block)
            elif is_affected or op is block.last_op:
                yield op

    def _regroup(self, op: Operation) -> None:
        """``(a + x) + y  -->  a + (x + y)`` for an affected a, and x or y of the step."""
        whole = self._parts(op)
        part = None if whole is None else self._parts(whole[0].owner)
        if whole is None or part is None or not whole[0].has_one_use():
            return
        (inner, y), (a, x) = whole, part
        assert isinstance(inner.owner, Operation)
        if x not in self._varying and y not in self._varying:
            return
        total = Builder.before(op, self._free.add).same(op, x, y)
        self._varying.add(total)
        op.operands = (a, total)
        Rewriter.erase_op(inner.owner)

    def _parts(self, op: Operation | Block) -> tuple[SSAValue, SSAValue] | None:
        """The affected operand of a sum, and the other one, if only one is affected."""
        if isinstance(op, Block) or not is_sum(op.name) or not takes_any_order(op):
            return None
        own, others = list[SSAValue](), list[SSAValue]()
        for operand in op.operands:
            (own if operand in self._affected else others).append(operand)
        return (own[0], others[0]) if len(own) == len(others) == 1 else None

    def _frontier(self) -> Iterator[SSAValue]:
        """The unaffected values of the step that affected ones use.

        The factors of a product stand for it if no array of the product is computed.
        """
        for op in self._steps(self._op.body.block):
            pending = list(operands_within(op))
            while pending:
                value = pending.pop()
                if value in self._affected or value not in self._varying:
                    continue
                if value in self._combined and isinstance(value.owner, Operation):
                    pending.extend(value.owner.operands)
                else:
                    yield value

    def _term(self, value: SSAValue) -> Term | None:
        """A value as a term, if it takes calls and never fails, and all steps have its sizes.

        Calls on matrices take no longer than their arithmetic: these are no terms.
        """
        owner = value.owner
        if isinstance(owner, Block) or isinstance(value.type, TupleType | IndexType):
            return None
        if len(self._free.of(value)) + phi.rank_of(value.type) > FREE_RANK:
            return None
        if not all(isinstance(loop, phi.ArrayOp) for loop in self._loops_around(owner)):
            return None
        inside = [x for each in slice_within(self._op, [value]) for x in operations_in(each)]
        calls = self._calls(inside)
        if not calls or _is_place(value) or any(map(self._is_bound_to_steps, inside)):
            return None
        largest = max((self._free.of(x) for x in (value, *self._stored(inside))), key=len)
        axes = sorted(filter(self._is_own, self._free.of(value)), key=nesting)
        sizes, lengths = self._sizes(axes), self._sizes(sorted(largest, key=nesting))
        if sizes is None or lengths is None:
            return None
        return Term(value, axes, sizes, lengths, calls)

    def _loops_around(self, op: Operation) -> Iterator[Operation]:
        return takewhile(lambda each: each is not self._op, around(op.parent_op()))

    def _is_own(self, index: BlockArgument) -> bool:
        return is_within(index, self._op)

    def _stored(self, inside: Iterable[Operation]) -> Iterator[SSAValue]:
        """The values of operations that each step has for itself, and that take an array."""
        stored = self._varying - self._combined
        return (result for each in inside for result in each.results if result in stored)

    def _sizes(self, axes: Iterable[BlockArgument]) -> list[SSAValue] | None:
        """The sizes of indices, if these are known before the loop, and no errors."""
        sizes = [unasserted(phi.size_of_index(axis)) for axis in axes]
        return sizes if all(map(self._is_known, sizes)) else None

    def _is_known(self, size: SSAValue) -> bool:
        return not is_within(size, self._op) and is_nonnegative(size)

    def _calls(self, inside: Sequence[Operation]) -> int:
        """The calls on arrays that operations take, roughly; positions take none.

        Without reads there are none, either: values of counters and indices alone are cheap. In a
        loop of numbers, each operation takes as long as the read of a stored term.
        """
        if not any(isinstance(op, phi.GetOp) for op in inside):
            return 0
        calls, places = 0, set[SSAValue]()
        for op in reversed(inside):
            if isinstance(op, phi.GetOp):
                places.update(op.positions)
            elif isinstance(op, phi.PhiOp):
                calls += LOOP * isinstance(op, _LOOPS)
            elif places.issuperset(op.results):
                places.update(op.operands)
            elif not isinstance(op, arith.ConstantOp | arith.IndexCastOp):
                is_array = any(map(self._is_own, self._free.of(op.results[0])))
                calls += (is_array or self._is_of_numbers) * (LOOP if is_function(op) else 1)
        return calls

    def _is_bound_to_steps(self, op: Operation) -> bool:
        """Whether an operation may fail, or has a size of its own in each step.

        Nothing is known of the sizes of other arrays than comprehensions, and rows.
        """
        if isinstance(op, phi.ArrayOp | phi.FoldOp):
            is_known = all(map(self._is_known, op.sizes_and_counts()))
            return not is_known or (isinstance(op, phi.FoldOp) and _has_arrays(op))
        return may_fail(op) or (not isinstance(op, phi.GetOp) and _has_arrays(op))


def _is_place(value: SSAValue) -> bool:
    """Whether a position is computed from an Int: slices at other positions take no calls."""
    if not isa(value.type, IntegerType) or value.type == i1:
        return False
    return any(
        isinstance(use.operation, phi.GetOp)
        or (not isinstance(use.operation, phi.PhiOp) and any(map(_is_place, use.operation.results)))
        for use in value.uses
    )


def _has_arrays(op: Operation) -> bool:
    """Whether a result of an operation is an array, or a record with one."""
    leaves = (leaf for result in op.results for leaf in leaf_types(result.type))
    return not all(map(phi.is_scalar_type, leaves))


def compute_in_blocks(op: phi.FoldOp, terms: Sequence[Term], free: FreeIndices) -> None:
    """``fold (k < n) { f(acc, e(k)) }  -->  fold (block) { fold (k < length) { f(acc, t[k]) } }``

    Here t is the array of a term in the steps of a block. Terms whose arrays are no larger than
    those that are read take one array, before the loop.
    """
    values = [_outlined(op, term, free) for term in terms]
    few = [value for value in values if may_materialise_parts(op, [value], free)]
    store(op, few)
    pairs = zip(values, terms, strict=True)
    large = {value: term.lengths for value, term in pairs if value not in few}
    if not large:
        return
    build, copies = Emitter(), dict[SSAValue, SSAValue]()
    fitting = steps_of_size(build, ELEMENTS, max(large.values(), key=len))
    steps = block_steps(build, op.count, fitting)
    outer, inner = blocks_of(op, steps, number_of_blocks(build, op, steps), copies)
    insert_before(op, [*build.ops, outer])
    replace(op, outer.result)
    store(inner, [copies[value] for value in large])


def _outlined(op: phi.FoldOp, term: Term, free: FreeIndices) -> SSAValue:
    """``array (i < n) { f(acc, e(i)) }  -->  t = array (i < n) { e(i) }; array { f(acc, t[i]) }``

    Returns t, a value of the body of the fold itself.
    """
    value, owner = term.value, term.value.owner
    assert isinstance(owner, Operation)
    place = op.body.block.find_ancestor_op_in_block(owner)
    if place is None or place is owner:
        return value
    needed = slice_within(place, [value])

    def element(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
        values = dict[SSAValue, SSAValue](zip(term.axes, own, strict=True))
        for each in needed:
            inner.insert_copy(each, values)
        return values[value]

    build = Builder.before(place, free.add)
    array = build.comprehension(term.sizes, element, term.axes) if term.axes else element(build, ())
    read = Builder.before(owner, free.add).get(array, term.axes) if term.axes else array
    array.name_hint = value.name_hint
    value.replace_all_uses_with(read)
    return array
