"""``interchange-folds``: elementwise sums of arrays become arrays of sums."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from xdsl.dialects import arith
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.phi.exceptional_terms import exceptional
from ein_mlir.analysis.phi.fold_components import separate_fields
from ein_mlir.analysis.phi.memory_cost import may_materialise_parts
from ein_mlir.analysis.phi.ragged_folds import ragged_fold
from ein_mlir.analysis.phi.segment_keys import keys_of
from ein_mlir.analysis.phi.selections import reduction, step_of
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence, Term
from ein_mlir.analysis.phi.window_products import is_window_product
from ein_mlir.analysis.predicates import predicate_of
from ein_mlir.analysis.scopes import operands_within, reached, sources
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import is_sum, takes_any_order
from ein_mlir.dialects.creation import copy_of
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.phi.builders import comprehension, fold_body
from ein_mlir.rewriting.phi.compared_sizes import ComparedSizes
from ein_mlir.rewriting.phi.fields import raise_fields
from ein_mlir.rewriting.phi.fold_passes import FoldPass, FoldRaiser
from ein_mlir.rewriting.phi.guarded_counts import guard, unguarded
from ein_mlir.rewriting.phi.insertion import Builder, Emitter
from ein_mlir.rewriting.phi.replacement import erase_all, insert_before, replace
from ein_mlir.rewriting.phi.step_values import combine_once

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
    if phi.rank_of(op.result.type) != len(step.sizes) or not all(
        sizes.same(size, Term(op.init, (), axis)) for axis, size in enumerate(step.sizes)
    ):
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


def element_read(op: Operation, comprehension: phi.ArrayOp) -> SSAValue | None:
    """The array that an operation in a comprehension reads at the comprehension's indices."""
    if isinstance(op, phi.GetOp) and tuple(op.positions) == tuple(comprehension.indices):
        return op.array
    return None


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
    comprehension(emitter, new_sizes, element, found.step.indices)
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
    terminator = copy.body.block.last_op
    assert isinstance(terminator, phi.YieldOp)
    Rewriter.inline_block(copy.body.block, InsertPoint.at_end(body), indices)
    element = terminator.value
    Rewriter.erase_op(terminator)
    copy.erase()
    return element


class Interchange(FoldRaiser["InterchangeFoldsPass"]):
    """Interchanges the folds of a function."""

    def fold(self, op: phi.FoldOp) -> None:
        """Interchange a fold, or fields of its accumulator that depend on no other."""
        if isinstance(op.result.type, phi.VecType):
            self._raise(op)
            return
        if groups := separate_fields(op, phi.ArrayOp):
            record = raise_fields(op, groups, self._raise, self._free, self._sizes)
            if record is not None:
                _forward_fields(record)

    def _raise(self, op: phi.FoldOp) -> bool:
        """Replace a fold by its interchange, if there is one."""
        new = self._try(op)
        if new is not None:
            self._replace(op, new)
        return new is not None

    def _try(self, op: phi.FoldOp) -> SSAValue | None:
        """Insert the interchange of a fold before it, if its folds are reductions; its result."""
        found = pointwise(op, self._sizes)
        if found is None:
            return None
        new = interchanged(op, found, self._sizes)
        if new is None:
            return None
        array = new[-1]
        assert isinstance(array, phi.ArrayOp)
        fold = array.yielded().owner
        assert isinstance(fold, phi.FoldOp)
        combine_once(fold)
        insert_before(op, new, self._free, self._sizes)
        failing = unguarded(fold, besides=self._ragged(fold))
        if failing is None or not self._is_reduction(fold):
            erase_all(new)
            return None
        guard(fold, failing, Builder.before(array, self._free.add, self._sizes.add))
        self._note(op, f"the fold over {name_of(op.counter)} combines each element independently")
        return array.result

    def _ragged(self, op: phi.FoldOp) -> phi.FoldOp | None:
        """The fold in a step whose count varies, if ``coalesce-folds`` makes both one."""
        if self._options.static:
            return None
        folds = (inner for inner in op.body.block.ops if isinstance(inner, phi.FoldOp))
        found = (ragged_fold(inner, self._forms) for inner in folds)
        return next((each.inner for each in found if each is not None and each.is_continued), None)

    def _is_reduction(self, op: phi.FoldOp) -> bool:
        """Whether a fold over elements is a reduction, of all values or of those of a key.

        Its steps may be folds that go on with the element, and are such reductions of as many
        values each: others are no accumulation together, but one for each step and element. A step
        may have other tests if the reduction correlates two vectors.
        """
        inner = op.yielded().owner
        if isinstance(inner, phi.FoldOp) and inner.init is op.accumulator:
            is_regular = op.counter not in reached([inner.count], sources)
            is_one = is_regular or self._ragged(op) is inner
            return is_one and op.accumulator.has_one_use() and self._is_reduction(inner)
        step = step_of(op)
        if step is None or not step.tests:
            return reduction(op) is not None and (
                not _compares_index(op) or exceptional(op, self._free, self._forms) is not None
            )
        if is_sum(step.combine.name) and any(
            is_window_product(op, value, self._forms, self._free) for value in step.parts(())
        ):
            return True
        keys, others = keys_of(op, step, self._free, self._forms)
        return (
            bool(keys)
            and takes_any_order(step.combine.name)
            and may_materialise_parts(
                op, [*(p for key in keys for p in key.parts), *step.parts(others)], self._free
            )
        )

    def _replace(self, op: phi.FoldOp, new: SSAValue) -> None:
        """Replace a fold by an array."""
        self._free.replace(op.result, new)
        replace(op, new, self._sizes)


def _compares_index(op: phi.FoldOp) -> bool:
    """Whether a fold over elements compares the index of its element.

    Its comprehension may then update an array at one position in a step.
    """
    return any(
        isinstance(inner, arith.CmpiOp)
        and predicate_of(inner) in ("eq", "ne")
        and any(phi.uncast(side).owner is op.parent for side in inner.operands)
        for inner in op.body.block.ops
    )


def _forward_fields(record: SSAValue) -> None:
    """``proj(tuple(x, y), 0)  -->  x``, for all projections of a record."""
    if not isinstance(record.owner, phi.TupleOp):
        return
    for use in list(record.uses):
        if isinstance(use.operation, phi.ProjOp):
            field = record.owner.fields[use.operation.field.value.data]
            Rewriter.replace_op(use.operation, (), (field,))
            _forward_fields(field)


@dataclass(frozen=True)
class InterchangeFoldsPass(FoldPass):
    """Turns folds that combine arrays element by element into arrays of folds of the elements.

    Before::

        %s = phi.fold (%k < %n, %acc = %a) -> !phi.vec<f64> {
          %m = phi.size %acc, 0 : !phi.vec<f64>
          %next = phi.array (%i < %m) -> !phi.vec<f64> {
            %x = phi.get %acc[%i] : !phi.vec<f64>[index]
            %y = phi.get %b[%k, %i] : !phi.vec<!phi.vec<f64>>[i64, index]
            %z = arith.addf %x, %y : f64
            phi.yield %z : f64
          }
          phi.yield %next : !phi.vec<f64>
        }

    After::

        %m = phi.size %a, 0 : !phi.vec<f64>
        %s = phi.array (%i < %m) -> !phi.vec<f64> {
          %start = phi.get %a[%i] : !phi.vec<f64>[index]
          %s_1 = phi.fold (%k < %n, %acc = %start) -> f64 {
            %y = phi.get %b[%k, %i] : !phi.vec<!phi.vec<f64>>[i64, index]
            %z = arith.addf %acc, %y : f64
            phi.yield %z : f64
          }
          phi.yield %s_1 : f64
        }

    The folds of elements are then raised to sums along an axis, contractions or segment sums.
    Folds in a step that go on with the element are interchanged with it. Comprehensions in a step
    that are read at the same index are evaluated at it. All other values
    of a step do not vary with the index, and are computed once for all elements, as before. A fold
    is not interchanged

    - if a step reads an element of the accumulator at another index, or the array as a whole;
    - if its step is no reduction: an array that is updated at one position in a step is better
      updated in place (``raise-updates``), also by a loop in the step whose count varies, unless
      each step has a row of its own: ``coalesce-folds`` makes these one fold;
    - if a step has a range of elements alone, unless it adds a multiple of a vector from a position
      on that moves with the step: the sum of these is a convolution;
    - if a step may raise an error other than that of a negative count, which is 0 without steps;
    - if its size is not provably that of the accumulator.

    Fields of a record that depend on no other are treated separately.
    """

    name = "interchange-folds"
    raiser = Interchange

    static: bool = False
    """Whether sizes may not depend on data: then folds in a step take as many steps in each."""
