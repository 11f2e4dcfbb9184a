"""``raise-segment-reductions``: sums over the segments of a key become one pass over the keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import TupleType
from xdsl.ir import Block, Operation, Region, SSAValue
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
from ein_mlir.analysis.scopes import captured, innermost_first, is_within
from ein_mlir.dialects import phi
from ein_mlir.dialects.reductions import RAISED_ACCUMULATIONS, kind_of
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.builders import linear_value
from ein_mlir.rewriting.phi.fields import raise_fields
from ein_mlir.rewriting.phi.replacement import replace_by_block
from ein_mlir.rewriting.phi.selected_searches import Candidates, first_of_segments
from ein_mlir.rewriting.phi.sentinels import replace_by_selected
from ein_mlir.rewriting.phi.step_arrays import (
    body_of_steps,
    finish_body,
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

        where ``segments = accumulate (k < n) into "add" (the size of c) { key[k], e }``.
        Whether the fold was raised.
        """
        step = step_of(op)
        if step is None or kind_of(step.combine.name) not in RAISED_ACCUMULATIONS:
            return False
        if (inner := _accumulated(op, step)) is not None:
            return self._merge(op, step, *inner)
        keys, others = keys_of(op, step, self._free, self._forms)
        if not keys or any(may_fail(inner) for inner in op.body.walk()):
            return False
        parts = [*(part for key in keys for part in key.parts), *step.parts(others)]
        if not self._may_hold(op, parts, keys):
            return False
        counter, names = name_of(op.counter), " and ".join(name_of(key.index) for key in keys)
        self._note(
            op, f"the fold over {counter} is an accumulation, with an element for each {names}"
        )
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
        self, op: phi.FoldOp, step: Step, own: phi.GetOp, segments: phi.AccumulateOp
    ) -> bool:
        """``fold (k < n, acc = x) { acc + (accumulate (i < m) into "add" (s) { p, e })[c] }
        -->  x + (accumulate (k < n, i < m) into "add" (s) { p, e })[c]``

        Whether the fold was merged with the accumulation in its steps.
        """
        others = (inner for inner in op.body.walk() if inner is not segments)
        if any(map(may_fail, others)) or any(is_within(size, op) for size in segments.sizes):
            return False
        if not may_materialise_parts(op, [segments.result], self._free):
            return False
        self._note(op, f"the fold over {name_of(op.counter)} continues an accumulation")
        positions, body = list(own.positions), body_of_steps(op, list(captured(segments)))
        replace_fold(op, step, _merged(op, segments, body, positions), self._free)
        return True


def _accumulated(op: phi.FoldOp, step: Step) -> tuple[phi.GetOp, phi.AccumulateOp] | None:
    """The element that every step of a fold adds, and the accumulation in the step."""
    value = step.value
    own = value.owner if isinstance(value, SSAValue) and not step.tests else None
    found = own.array.owner if isinstance(own, phi.GetOp) else None
    if not isinstance(found, phi.AccumulateOp) or found.parent is not op.body.block:
        return None
    assert isinstance(own, phi.GetOp)
    fixed = (*own.positions, *found.extents)
    if not own.array.has_one_use() or any(is_within(each, op) for each in fixed):
        return None
    same = [each.data for each in found.kinds] == [kind_of(step.combine.name)]
    return (own, found) if same and len(own.positions) == len(found.extents) else None


def _merged(
    op: phi.FoldOp, inner: phi.AccumulateOp, body: Block, positions: Sequence[SSAValue]
) -> list[Operation]:
    """The accumulation over the steps of a fold and the indices of one in its body."""
    for index in inner.indices:
        new = body.insert_arg(index.type, len(body.args))
        new.name_hint = index.name_hint
        index.replace_all_uses_with(new)
    source, yielded = inner.body.block, inner.yielded()
    for each in list(source.ops)[:-1]:
        each.detach()
        body.add_op(each)
    finish_body(op, body, yielded)
    merged = inner.again([op.count, *inner.sizes], Region(body))
    merged.result.name_hint = op.result.name_hint
    return [merged, phi.GetOp(merged, positions)]


def _segments(
    op: phi.FoldOp,
    step: Step,
    keys: Sequence[Key],
    columns: Sequence[SSAValue],
    value: SSAValue,
    body: Block,
) -> list[Operation]:
    """The accumulation of the values of all steps at their keys, and the element."""
    sizes = [phi.size_of_index(key.index) for key in keys]
    record = phi.TupleOp([*columns, value])
    body.add_op(record)
    finish_body(op, body, record.result)
    found = phi.AccumulateOp([op.count], [(kind_of(step.combine.name), sizes)], Region(body))
    found.result.name_hint = op.result.name_hint
    return [found, phi.GetOp(found, [key.index for key in keys])]


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
    """Turns folds that combine the values of a key at an index into accumulations.

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
          %s = phi.accumulate (%k < %n) into "add" (%m) -> !phi.vec<f64> {
            %k_1 = arith.index_cast %k : index to i64
            %key = phi.get %keys[%k_1] : !phi.vec<i64>[i64]
            %x = phi.get %a[%k_1] : !phi.vec<f64>[i64]
            %0 = phi.tuple (%key, %x) : tuple<i64, f64>
            phi.yield %0 : tuple<i64, f64>
          }
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
