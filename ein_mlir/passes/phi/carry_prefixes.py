"""``carry-prefixes``: a fold over the steps so far is carried from step to step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from xdsl.dialects import func
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.phi.free_indices import leaf_types
from ein_mlir.analysis.phi.index_forms import IndexForms, index_forms
from ein_mlir.analysis.phi.loops.final_elements import FinalElements
from ein_mlir.analysis.phi.searches import field_of, leaf_values
from ein_mlir.analysis.phi.speculation import may_fail
from ein_mlir.analysis.scopes import captured, dependents, innermost_first, is_within, operations_in
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.fields import carried
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.reductions.searches import reduction_as_fold


@dataclass(frozen=True)
class _Loop:
    """A fold, or a reduction of the elements of a comprehension."""

    op: phi.FoldOp | phi.ReduceOp
    count: SSAValue
    counter: SSAValue
    init: SSAValue
    bodies: Sequence[Operation]
    """The operations with the regions of a step."""

    @property
    def inputs(self) -> set[SSAValue]:
        """The values that its steps depend on."""
        return {self.init, *(value for body in self.bodies for value in captured(body))}

    @property
    def operations(self) -> list[Operation]:
        """The operations of a step."""
        return [each for body in self.bodies for each in operations_in(body)[1:]]

    def as_fold(self) -> phi.FoldOp:
        """The loop as a fold."""
        if isinstance(self.op, phi.FoldOp):
            return self.op
        return reduction_as_fold(self.op, computes=True)


@dataclass(frozen=True)
class _Prefix:
    """``fold (s < t + c) { .. }`` in the steps t of another fold."""

    loop: _Loop
    first: LinearForm
    """The number of steps before the first one of the other fold, c."""
    arrays: Mapping[SSAValue, tuple[int, SSAValue]]
    """The arrays that the other fold carries and it reads: their fields and next values."""


def _loops(op: phi.FoldOp) -> list[_Loop]:
    """The folds, and the reductions of comprehensions, in the steps of a fold."""
    found = list[_Loop]()
    for inner in op.body.block.ops:
        if isinstance(inner, phi.FoldOp):
            found.append(_Loop(inner, inner.count, inner.counter, inner.init, [inner]))
        elif isinstance(inner, phi.ReduceOp):
            array = inner.vec.owner
            if isinstance(array, phi.ArrayOp) and array.parent is inner.parent:
                size, index = array.sizes[0], array.indices[0]
                found.append(_Loop(inner, size, index, inner.identity, [array, inner]))
    return found


def _prefixes(op: phi.FoldOp, forms: IndexForms) -> Iterator[_Prefix]:
    """The loops in the steps of a fold that take one more step each time."""
    block = op.body.block
    varying = dependents(block, op.counter, op.accumulator)
    for loop in _loops(op):
        count = forms.integer(loop.count)
        first = forms.canonical(count - LinearForm({op.counter: 1}))
        is_next = forms.is_exact(count) and forms.is_nonnegative(first)
        is_same = loop.init not in varying
        if is_next and is_same and not any(is_within(each, block) for each in first.coefficients):
            arrays = _final_arrays(op, loop, loop.inputs & varying, forms)
            if arrays is not None and not any(map(may_fail, loop.operations)):
                yield _Prefix(loop, first, arrays)


def _final_arrays(
    op: phi.FoldOp, loop: _Loop, values: Iterable[SSAValue], forms: IndexForms
) -> dict[SSAValue, tuple[int, SSAValue]] | None:
    """The fields and next values of arrays that a fold carries, where a loop reads only elements of
    them that no later step writes; None for other values.
    """
    found, after = dict[SSAValue, tuple[int, SSAValue]](), leaf_values(op.yielded())
    is_known, inside = len(after) == len(leaf_types(op.result.type)), set(loop.operations)
    for value in values:
        field = field_of(value, op.accumulator) if isinstance(value.type, phi.VecType) else None
        if field is None or not is_known:
            return None
        final = FinalElements(op, field, after[field], forms)
        reads = [use.operation for use in value.uses if use.operation in inside]
        if not all(isinstance(read, phi.GetOp) and final.has(read) for read in reads):
            return None
        found[value] = field, after[field]
    return found


def _carry(op: phi.FoldOp, prefixes: Iterable[_Prefix]) -> phi.FoldOp:
    """``fold (t < n, x = y) { .. fold (s < t, a = b) { f(s, a) } .. }  -->
    fold (t < n, (x, a) = (y, b)) { .. a .. f(t, a) }``, and f(t, a) is the value if s <= t.
    """
    states, starts, following = zip(*(_state(op, each) for each in prefixes), strict=True)
    new = phi.FoldOp.of(carried(op, states, starts, following))
    return new


def _state(op: phi.FoldOp, prefix: _Prefix) -> tuple[SSAValue, SSAValue, SSAValue]:
    """The value of a prefix as an argument of a step, which replaces it, its first and next value.

    Elements that f(t, a) reads of the arrays of the other fold are those after its step t.
    """
    block, fold = op.body.block, prefix.loop.as_fold()
    is_inclusive = prefix.first.known() == 1
    first = LinearForm() if is_inclusive else prefix.first

    before = Builder.before(op)
    inits = before.leaves(op.init)
    outside = {array: inits[field] for array, (field, _) in prefix.arrays.items()}
    if first.known() == 0:
        (start,) = before.copied(block, [fold.init], outside)
    else:
        needed = [value for value in (fold.init, *captured(fold)) if is_within(value, block)]
        before.copied(block, needed, outside)
        steps = before.linear_value(first)
        initial = before.insert(fold.clone(outside))
        initial.operands[0] = steps
        start = initial.result

    state = block.insert_arg(fold.init.type, 2)
    state.name_hint = fold.result.name_hint
    is_at_end = prefix.arrays and not is_inclusive
    place = Builder.before_end(block) if is_at_end else Builder.before(fold)
    known = {array: after for array, (_, after) in prefix.arrays.items()} if is_at_end else {}
    step = place.linear_value(first + LinearForm({op.counter: 1}))
    known |= {fold.counter: step, fold.accumulator: state}
    (following,) = place.copied(fold.body.block, [fold.yielded()], known)
    Rewriter.replace_op(fold, [], [following if is_inclusive else state])
    return state, start, following


class CarryPrefixesPass(FunctionPass):
    """Lets a fold carry the value of a fold over its steps so far.

    Before::

        %r = phi.fold (%t < %n, %acc = %zero) -> f64 {
          %p = phi.fold (%s < %t, %state = %one) -> f64 { %state * %a[%s] }
          phi.yield %acc + %p : f64
        }

    After::

        %init = phi.tuple (%zero, %one) : tuple<f64, f64>
        %s = phi.fold (%t < %n, (%acc, %p) = %init) -> tuple<f64, f64> { (%acc + %p, %p * %a[%t]) }
        %r = phi.proj %s, 0 : tuple<f64, f64> -> f64

    That takes n steps instead of n times n / 2. Steps of the inner fold vary with nothing else of
    the outer one, except for elements of arrays that it builds, ``fold (%s < %t) { .. %d[%s] .. }``
    where its step t writes ``%d[%t]``: these are final. Prefixes that are scans need no loop:
    ``raise-scans`` comes before.
    """

    name = "carry-prefixes"
    looks_for = (phi.FoldOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        changed = list[phi.FoldOp]()
        for op in innermost_first(function, phi.FoldOp):
            while _loops(op):  # others need no analysis
                if any(map(op.is_ancestor, changed)):  # the facts about others are those of before
                    analyses.invalidate(function)
                    changed.clear()
                found = [*_prefixes(op, analyses.get(index_forms, function))]
                if not found:
                    break
                counter = name_of(op.counter)
                analyses.note(op, f"the fold over {counter} carries that of the steps so far")
                alone = [each for each in found if not each.arrays]
                op = _carry(op, alone or found[:1])
                changed.append(op)
