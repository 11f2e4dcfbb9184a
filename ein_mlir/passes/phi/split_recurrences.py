"""``split-recurrences``: what no step of a loop reads is computed after it, from its states."""

from __future__ import annotations

from collections.abc import Sequence, Set

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.phi.element_cost import cost
from ein_mlir.analysis.phi.fold_components import fields_read
from ein_mlir.analysis.phi.free_indices import is_alone, leaf_types
from ein_mlir.analysis.phi.index_ranges import is_thin
from ein_mlir.analysis.phi.loops.writes import last_write
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.searches import leaf_values
from ein_mlir.analysis.scopes import dependents
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import is_sum
from ein_mlir.dialects.phi.integers import is_nonnegative
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.phi.fields import field_reads, with_histories
from ein_mlir.rewriting.phi.fold_passes import FoldPass, FoldRaiser
from ein_mlir.rewriting.phi.insertion import Builder


@dataclass(frozen=True)
class _Split:
    """The fields of a fold of which steps read the values before, and those that are results."""

    carried: Sequence[int]
    results: Sequence[int]
    states: Sequence[int]
    """The carried fields that the others read."""


class _Splitter(FoldRaiser["SplitRecurrencesPass"]):
    """Splits the folds of a function."""

    def fold(self, op: phi.FoldOp) -> None:
        found = self._split(op) if is_alone(op) and not is_thin(op.count) else None
        if found is not None:
            names = ", ".join(map(str, found.results))
            self._note(op, f"fields {names} of {name_of(op.accumulator)} are computed after it")
            _split(op, found)

    def _split(self, op: phi.FoldOp) -> _Split | None:
        """The split of a fold, if steps of the results take long, and states are numbers.

        None if the arrays of all steps would be larger than those that are read.
        """
        steps, types, read = leaf_values(op.yielded()), leaf_types(op.result.type), fields_read(op)
        if read is None or tuple(each.type for each in steps) != types or len(types) < 2:
            return None
        behind = {number: read.get(step, frozenset[int]()) for number, step in enumerate(steps)}
        needed = {each for number, others in behind.items() for each in others - {number}}
        results = [
            number
            for number, step in enumerate(steps)
            if number not in needed and _parts(op, number, step) is not None
        ]
        carried = [number for number in range(len(steps)) if number not in results]
        states = sorted({each for number in results for each in behind[number] - {number}})
        if not states or not all(phi.is_scalar_type(types[number]) for number in states):
            return None
        own = set(slice_of(op.body.block, [steps[number] for number in carried]))
        moved = slice_of(op.body.block, [steps[number] for number in results])
        only = [each for each in moved if each not in own]
        varying = dependents(op.body.block, *(x for x, k in field_reads(op) if k in states))
        taken = [each for each in only if cost(each) and not varying.isdisjoint(each.operands)]
        if len(taken) < self._options.least or any(each.regions for each in moved):
            return None
        parts = [part for k in results for part in _parts(op, k, steps[k]) or ()]
        may_run = _reads_by_steps(op) and self._may_run_at_once(op, parts)
        return _Split(carried, results, states) if may_run else None


def _reads_by_steps(op: phi.FoldOp) -> bool:
    """Whether steps read or write elements of their own: states are no larger than such arrays."""
    varying = dependents(op.body.block, op.counter)
    return any(
        isinstance(each, phi.GetOp | phi.UpdateOp) and not varying.isdisjoint(each.positions)
        for each in op.body.block.ops
    )


def _parts(op: phi.FoldOp, number: int, step: SSAValue) -> Sequence[SSAValue] | None:
    """What the next value of a field adds to its own one, or writes into it; None for others."""
    own = {value for value, field in field_reads(op) if field == number}
    varying, write = dependents(op.body.block, *own), last_write(step, op.body.block)
    if write is None:
        return _terms(step, own, varying)
    return write.parts if write.base in own and varying.isdisjoint(write.parts) else None


def _terms(total: SSAValue, own: Set[SSAValue], varying: Set[SSAValue]) -> list[SSAValue] | None:
    """``[x, y]`` of ``acc + x - y``; None of other values."""
    terms = list[SSAValue]()
    while total not in own:
        combine = total.owner
        if not isinstance(combine, Operation) or not (
            is_sum(combine.name) or isinstance(combine, arith.SubfOp | arith.SubiOp)
        ):
            return None
        lhs, rhs = combine.operands
        total, other = (rhs, lhs) if is_sum(combine.name) and rhs in varying else (lhs, rhs)
        if other in varying:
            return None
        terms.append(other)
    return terms


def _split(op: phi.FoldOp, found: _Split) -> None:
    """Replace a fold by one of the carried fields, and one of the results."""
    build, size = Builder.before(op), op.count
    inits = dict(enumerate(build.leaves(op.init)))
    if not is_nonnegative(size):
        size = build.max(size, build.integer(0))
    values = {number: value for value, number in field_reads(op)}
    rows = [(build.zeros([size], inits[k].type), values[k]) for k in found.states]
    first = with_histories(build, op, found.carried, inits, rows, count=op.count)
    states = dict(zip(found.states, first[len(found.carried) :], strict=True))
    others = with_histories(build, op, found.results, inits, (), count=op.count, read=states)
    finals = dict(zip(found.carried, first, strict=False))
    finals |= dict(zip(found.results, others, strict=True))
    result = build.record(op.result.type, (finals[number] for number in range(len(inits))))
    Rewriter.replace_op(op, (), (result,))


@dataclass(frozen=True)
class SplitRecurrencesPass(FoldPass):
    """Computes after a loop what its steps compute from numbers that it carries, and do not read.

    Before::

        %r = phi.fold (%k < %n, (%y, %sum) = %init) -> tuple<f64, f64> {
          (%a[%k] * %y + %b[%k], %sum + e(%y, %c[%k]))
        }

    After, with ``%z`` an array of n zeros, and ``%x`` and ``%first`` the fields of ``%init``::

        %s = phi.fold (%k < %n, (%y, %ys) = (%x, %z)) -> tuple<f64, !phi.vec<f64>> {
          (%a[%k] * %y + %b[%k], phi.update %ys[%k], %y)
        }
        %sum = phi.fold (%k < %n, %acc = %first) -> f64 { %acc + e(%s.1[%k], %c[%k]) }

    The second fold is a reduction, or a comprehension: its operations are those of whole arrays, or
    of vectors, and the loop has fewer. The results are sums and writes; the derivatives of
    recurrences have many, by the parameters of all steps. A loop stays as it is if the arrays would
    be larger than those that it reads, if the states are arrays, if the results take few
    operations, or in a comprehension, whose elements are vectors already. XLA compiles a loop of
    few operations to one kernel, which takes less time than two: ``least`` is higher for it.
    """

    name = "split-recurrences"
    raiser = _Splitter

    least: int = 4
    """The least number of operations on numbers that leave a step."""
