"""``raise-segment-reductions``: sums over the segments of a key become one pass over the keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import TupleType
from xdsl.ir import Block, Operation, SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.notes import Note, name_of
from ein_mlir.analysis.phi.fold_components import separate_fields
from ein_mlir.analysis.phi.free_indices import FreeIndices, free_indices
from ein_mlir.analysis.phi.memory_cost import may_materialise_parts
from ein_mlir.analysis.phi.segment_keys import Key, keys_of
from ein_mlir.analysis.phi.selections import Step, Test, step_of
from ein_mlir.analysis.phi.singularities import is_singular
from ein_mlir.analysis.phi.speculation import may_fail
from ein_mlir.analysis.scopes import innermost_first
from ein_mlir.dialects import phi
from ein_mlir.dialects.reductions import SEGMENT_KINDS, kind_of
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.fields import raise_fields
from ein_mlir.rewriting.phi.step_arrays import (
    array_of_body,
    body_of_steps,
    replace_fold,
    selected_value,
)


def raise_fold(
    op: phi.FoldOp, free: FreeIndices, note: Note, *, differentiable: bool = False
) -> bool:
    """``fold (k < n, acc = x) { where(key[k] == c, acc + e, acc) }  -->  x + segments[c]``

    where ``segments = segment_reduce "add" (array (k < n) { e }) by key into the size of c``.
    Whether the fold was raised.
    """
    step = step_of(op)
    if step is None or kind_of(step.combine.name) not in SEGMENT_KINDS:
        return False
    keys, others = keys_of(op, step, free)
    if not keys or any(may_fail(inner) for inner in op.body.walk()):
        return False
    parts = [*(key.key for key in keys), *step.parts(others)]
    if not may_materialise_parts(op, parts, free):
        return False
    counter, names = name_of(op.counter), " and ".join(name_of(key.index) for key in keys)
    note(op, f"the fold over {counter} is a reduction of segments, one for each {names}")
    body = body_of_steps(op, parts)
    if differentiable and any(map(is_singular, body.ops)):
        others = [*others, *(_in_bounds(key, body) for key in keys)]
    value = selected_value(step, others, body)
    replace_fold(op, step, _segments(op, step, keys, value, body), free)
    return True


def _segments(
    op: phi.FoldOp, step: Step, keys: Sequence[Key], value: SSAValue, body: Block
) -> list[Operation]:
    """The comprehension of the records of keys and value, their reduction, and the segment."""
    record = phi.TupleOp([*(key.key for key in keys), value])
    body.add_op(record)
    elements = array_of_body(op, body, record.result)
    *key_columns, values = (phi.ProjOp(elements, field) for field in range(len(keys) + 1))
    sizes = [phi.size_of_index(key.index) for key in keys]
    segments = phi.SegmentReduceOp(kind_of(step.combine.name), values, key_columns, sizes)
    segments.result.name_hint = op.result.name_hint
    own = phi.GetOp(segments, [key.index for key in keys])
    return [elements, *key_columns, values, segments, own]


def _in_bounds(key: Key, body: Block) -> Test:
    """``0 <= key < size``, as one comparison of the bits."""
    body.add_op(compare := arith.CmpiOp(key.key, phi.size_of_index(key.index), "ult"))
    return Test(compare.result, True)


def raise_segment_reductions(
    function: func.FuncOp, analyses: AnalysisManager, *, differentiable: bool = False
) -> None:
    """Raise the folds of a function, innermost first."""
    free = analyses.get(free_indices, function)

    def raise_(op: phi.FoldOp) -> bool:
        return raise_fold(op, free, analyses.note, differentiable=differentiable)

    for op in innermost_first(function, phi.FoldOp):
        if not isa(op.result.type, TupleType):
            raise_(op)
        elif groups := separate_fields(op, Operation):
            raise_fields(op, groups, raise_, free)


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
    mask is no selection: zero times NaN is NaN. A fold stays a loop if keys or values would need
    more memory than the arrays that are read; the rule is in ``ein_mlir.analysis.phi.memory_cost``.
    """

    name = "raise-segment-reductions"
    looks_for = (phi.FoldOp,)

    differentiable: bool = False
    """Whether a value whose derivative may be infinite is computed only if a key selects it."""

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        raise_segment_reductions(function, analyses, differentiable=self.differentiable)
