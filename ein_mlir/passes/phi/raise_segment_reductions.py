"""``raise-segment-reductions``: sums over the segments of a key become one pass over the keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import TupleType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.phi.fold_components import separate_fields
from ein_mlir.analysis.phi.free_indices import free_indices
from ein_mlir.analysis.phi.index_forms import index_forms
from ein_mlir.analysis.phi.memory_cost import may_materialise_parts
from ein_mlir.analysis.phi.searches import selected_search
from ein_mlir.analysis.phi.segment_keys import Key, keys_among, keys_of
from ein_mlir.analysis.phi.selections import Step, Test, step_of
from ein_mlir.analysis.phi.singularities import is_singular
from ein_mlir.analysis.phi.speculation import may_fail
from ein_mlir.analysis.scopes import innermost_first, is_within
from ein_mlir.dialects import phi
from ein_mlir.dialects.reductions import SEGMENT_KINDS, kind_of
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.builders import linear_value
from ein_mlir.rewriting.phi.fields import raise_fields
from ein_mlir.rewriting.phi.replacement import replace_by_block
from ein_mlir.rewriting.phi.selected_searches import Candidates, first_of_segments
from ein_mlir.rewriting.phi.sentinels import replace_by_selected
from ein_mlir.rewriting.phi.step_arrays import (
    array_of_body,
    body_of_steps,
    replace_fold,
    selected_value,
)


class SegmentRaiser:
    """Raises the folds of a function."""

    def __init__(self, function: func.FuncOp, analyses: AnalysisManager, *, differentiable: bool):
        self._free = analyses.get(free_indices, function)
        self._forms = analyses.get(index_forms, function)
        self._note = analyses.note
        self._differentiable = differentiable

    def fold(self, op: phi.FoldOp) -> None:
        """Replace a fold over the segments of a key, or the fields of a record that are such."""
        if not isa(op.result.type, TupleType):
            if not self._raise(op):
                replace_by_selected(op, self._raise, self._free)
        elif not self._search(op) and (groups := separate_fields(op, Operation)):
            raise_fields(op, groups, self._raise, self._free)

    def _search(self, op: phi.FoldOp) -> bool:
        """``fold (k < n) { where(key[k] == c, better of best and e, best) }  -->  found[c]``

        Whether the fold was a search in the segments of a key.
        """
        found = selected_search(op)
        if found is None or any(may_fail(inner) for inner in op.body.walk()):
            return False
        values = [found.element, *found.others]
        keys, others = keys_among(op, found.tests, values, self._free, self._forms)
        parts = [*(part for key in keys for part in key.parts), *values]
        if not keys or not self._may_hold(op, parts, keys):
            return False
        if self._differentiable and any(map(is_singular, op.body.walk())):
            return False
        self._note(op, f"the fold over {name_of(op.counter)} is a search in segments")
        scratch, candidates = Block(), Candidates(op, found, others)
        result = first_of_segments(
            Builder(InsertPoint.at_end(scratch)),
            candidates,
            [self._key(candidates, key) for key in keys],
            [key.index for key in keys],
            [phi.size_of_index(key.index) for key in keys],
        )
        replace_by_block(op, scratch, result, self._free)
        return True

    def _may_hold(self, op: phi.FoldOp, parts: Sequence[SSAValue], keys: Sequence[Key]) -> bool:
        """Whether memory allows arrays of parts in all steps.

        They may have the axes of the result with the counter in place of the keys: a loop would
        take a step of the size of the result for each row of them.
        """
        found = {key.index for key in keys}
        others = {index for part in parts for index in self._free.of(part)}
        result = {op.counter, *(others - found)} if len(others - found) < 2 else set[SSAValue]()
        return may_materialise_parts(op, parts, self._free, frozenset(result))

    def _key(self, candidates: Candidates, key: Key) -> Callable[[Builder, SSAValue], SSAValue]:
        """The construction of a key in a step."""
        return lambda build, step: linear_value(
            build, key.key, lambda part: candidates.value(build, part, step)
        )

    def _raise(self, op: phi.FoldOp) -> bool:
        """``fold (k < n, acc = x) { where(key[k] == c, acc + e, acc) }  -->  x + segments[c]``

        where ``segments = segment_reduce "add" (array (k < n) { e }) by key into the size of c``.
        Whether the fold was raised.
        """
        step = step_of(op)
        if step is None or kind_of(step.combine.name) not in SEGMENT_KINDS:
            return False
        if (inner := _reduced_segments(op, step)) is not None:
            return self._merge(op, step, *inner)
        keys, others = keys_of(op, step, self._free, self._forms)
        if not keys or any(may_fail(inner) for inner in op.body.walk()):
            return False
        parts = [*(part for key in keys for part in key.parts), *step.parts(others)]
        if not self._may_hold(op, parts, keys):
            return False
        counter, names = name_of(op.counter), " and ".join(name_of(key.index) for key in keys)
        self._note(op, f"the fold over {counter} is a reduction of segments, one for each {names}")
        body = body_of_steps(op, parts)
        build = Builder(InsertPoint.at_end(body))
        values = [linear_value(build, key.key, lambda part: part) for key in keys]
        if self._differentiable and any(map(is_singular, body.ops)):
            pairs = zip(keys, values, strict=True)
            others = [*others, *(_in_bounds(key, value, build) for key, value in pairs)]
        value = selected_value(step, others, body)
        replace_fold(op, step, _segments(op, step, keys, values, value, body), self._free)
        return True

    def _merge(
        self, op: phi.FoldOp, step: Step, own: phi.GetOp, segments: phi.SegmentReduceOp
    ) -> bool:
        """``fold (k < n, acc = x) { acc + (segment_reduce "add" v by key into m)[c] }
        -->  x + (segment_reduce "add" (array (k < n) { v }) by (array (k < n) { key }) into m)[c]``

        Whether the fold was merged with the reduction of segments in its steps.
        """
        others = (inner for inner in op.body.walk() if inner is not segments)
        if any(map(may_fail, others)):
            return False
        parts = [*segments.keys, segments.values]
        if not may_materialise_parts(op, parts, self._free):
            return False
        self._note(op, f"the fold over {name_of(op.counter)} continues a reduction of segments")
        sizes, positions = segments.sizes, list(own.positions)
        body = body_of_steps(op, parts)
        merged = _reduction(op, step, segments.keys, segments.values, sizes, body)
        replace_fold(op, step, [*merged, phi.GetOp(merged[-1].results[0], positions)], self._free)
        return True


def _reduced_segments(op: phi.FoldOp, step: Step) -> tuple[phi.GetOp, phi.SegmentReduceOp] | None:
    """The segment that every step of a fold adds, and its reduction in the step."""
    value = step.value
    own = value.owner if isinstance(value, SSAValue) and not step.tests else None
    segments = own.array.owner if isinstance(own, phi.GetOp) else None
    if not isinstance(segments, phi.SegmentReduceOp) or segments.parent is not op.body.block:
        return None
    assert isinstance(own, phi.GetOp)
    fixed = (*own.positions, *segments.sizes)
    if not own.array.has_one_use() or any(is_within(each, op) for each in fixed):
        return None
    same = segments.kind.data == kind_of(step.combine.name)
    return (own, segments) if same and len(own.positions) == len(segments.sizes) else None


def _segments(
    op: phi.FoldOp,
    step: Step,
    keys: Sequence[Key],
    columns: Sequence[SSAValue],
    value: SSAValue,
    body: Block,
) -> list[Operation]:
    """The reduction of the segments of all steps, and the segment."""
    sizes = [phi.size_of_index(key.index) for key in keys]
    reduction = _reduction(op, step, columns, value, sizes, body)
    return [*reduction, phi.GetOp(reduction[-1].results[0], [key.index for key in keys])]


def _reduction(
    op: phi.FoldOp,
    step: Step,
    columns: Sequence[SSAValue],
    value: SSAValue,
    sizes: Sequence[SSAValue],
    body: Block,
) -> list[Operation]:
    """The comprehension of the records of keys and value, and their reduction, which is last."""
    record = phi.TupleOp([*columns, value])
    body.add_op(record)
    elements = array_of_body(op, body, record.result)
    *key_columns, values = (phi.ProjOp(elements, field) for field in range(len(columns) + 1))
    segments = phi.SegmentReduceOp(kind_of(step.combine.name), values, key_columns, sizes)
    segments.result.name_hint = op.result.name_hint
    return [elements, *key_columns, values, segments]


def _in_bounds(key: Key, value: SSAValue, build: Builder) -> Test:
    """``0 <= key < size``, as one comparison of the bits."""
    compare = build.insert(arith.CmpiOp(value, phi.size_of_index(key.index), "ult"))
    return Test(compare.result, True)


def raise_segment_reductions(
    function: func.FuncOp, analyses: AnalysisManager, *, differentiable: bool = False
) -> None:
    """Raise the folds of a function, innermost first."""
    raiser = SegmentRaiser(function, analyses, differentiable=differentiable)
    for op in innermost_first(function, phi.FoldOp):
        raiser.fold(op)


@dataclass(frozen=True)
class RaiseSegmentReductionsPass(FunctionPass):
    """Turns folds that combine the segment of a key at an index into segment reductions.

    Before::

        %h = phi.array (%c < %m) -> !phi.vec<f64> {
          %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
            %key = phi.get %keys[%k] : !phi.vec<i64>[i64]
            %c_1 = arith.index_cast %c : index to i64
            %selected = arith.cmpi eq, %key, %c_1 : i64
            %x = phi.get %a[%k] : !phi.vec<f64>[i64]
            %y = arith.select %selected, %x, %zero : f64
            %next = arith.addf %acc, %y : f64
            phi.yield %next : f64
          }
          phi.yield %s : f64
        }

    After::

        %h = phi.array (%c < %m) -> !phi.vec<f64> {
          %0 = phi.array (%k < %n) -> tuple<!phi.vec<i64>, !phi.vec<f64>> {
            %k_1 = arith.index_cast %k : index to i64
            %key = phi.get %keys[%k_1] : !phi.vec<i64>[i64]
            %x = phi.get %a[%k_1] : !phi.vec<f64>[i64]
            %1 = phi.tuple (%key, %x) : tuple<i64, f64>
            phi.yield %1 : tuple<i64, f64>
          }
          %2 = phi.proj %0, 0 : tuple<!phi.vec<i64>, !phi.vec<f64>> -> !phi.vec<i64>
          %3 = phi.proj %0, 1 : tuple<!phi.vec<i64>, !phi.vec<f64>> -> !phi.vec<f64>
          %s = phi.segment_reduce "add" %3 by %2 into %m : ...
          %s_1 = phi.get %s[%c] : !phi.vec<f64>[index]
          phi.yield %s_1 : f64
        }

    That takes n + m steps instead of n times m. The selection may have any form of an equation of
    an index and a value that does not vary with it: ``c == key``, conjunctions,
    ``where(key != c, 0.0, x)``, ``where(key == c, acc + x, acc)``, sums of Bools. A product with a
    mask is no selection: zero times NaN is NaN. A fold that combines such a segment of each step is
    part of the reduction: its positions are then along two axes. A fold stays a loop if keys or
    values would need more memory than the arrays that are read; the rule is in
    ``ein_mlir.analysis.phi.memory_cost``.
    """

    name = "raise-segment-reductions"
    looks_for = (phi.FoldOp,)

    differentiable: bool = False
    """Whether a value whose derivative may be infinite is computed only if a key selects it."""

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        raise_segment_reductions(function, analyses, differentiable=self.differentiable)
