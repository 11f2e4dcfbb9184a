"""``raise-reductions``: folds that are reductions or searches become named operations."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.notes import Note, name_of, names_of, no_note
from ein_mlir.analysis.phi.fold_components import fold_components
from ein_mlir.analysis.phi.free_indices import FreeIndices, leaf_types
from ein_mlir.analysis.phi.memory_cost import may_materialise
from ein_mlir.analysis.phi.searches import Search, fold_search, reduction_search
from ein_mlir.analysis.phi.speculation import may_fail
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.verification import is_regular
from ein_mlir.dialects.reductions import identity, worst
from ein_mlir.passes.phi.raise_reductions.distribution import distribution
from ein_mlir.passes.phi.raise_reductions.searches import (
    found_in_fold,
    found_in_vector,
    never_better,
)
from ein_mlir.rewriting.phi.emission import (
    Emitter,
    comprehension,
    is_constant,
    same_operation,
)
from ein_mlir.rewriting.phi.parts import Parts
from ein_mlir.rewriting.phi.sums import combine_always, gather_summands, reduction


class Raiser:
    """Raises the folds of a program; ``note`` is told what became of each."""

    def __init__(self, module: Operation, note: Note = no_note):
        self._free = FreeIndices(module)
        self._note = note

    def fold(self, op: phi.FoldOp) -> None:
        """Raise a fold that is a reduction or a search, or fields of its accumulator that are."""
        why = self._stays(op)
        if why is not None and not self._split(op, why):
            self._note(op, f"the fold over {name_of(op.counter)} is a loop: {why}")

    def _stays(self, op: phi.FoldOp) -> str | None:
        """Raise a fold where memory allows it; otherwise say why it stays."""
        step = op.yielded()
        if combine_always(op) | gather_summands(op):
            self._free.remove(step)
            self._free.add(op)
        found = reduction(op)
        if found is not None:
            return self._reduction(op, *found)
        search = fold_search(op)
        if search is not None:
            return self._search(op, search)
        return "a step needs the one before it, and is no sum, product, minimum, ..."

    def _reduction(self, op: phi.FoldOp, combine: Operation, summand: SSAValue) -> str | None:
        """``fold (k < n, acc = x) { acc + e }  -->  x + reduce (array (k < n) { e }) by { + }``"""
        terms = distribution(op, combine, summand, self._free)
        if terms is not None:
            self._replace(op, terms.ops)
            for fold in terms.folds:
                self.fold(fold)
            return None
        neutral = identity(combine.name, op.result.type)
        if neutral is None:
            return f"libraries do not reduce '{op.result.type}' by {combine.name}"
        if (why := self._needs_loop(op, summand, type(combine))) is not None:
            return why
        self._note(op, f"the fold over {name_of(op.counter)} is a reduction by {combine.name}")
        by = Block(arg_types=(summand.type, summand.type))
        combined = same_operation(combine, *by.args)
        by.add_ops((combined, phi.YieldOp(combined.results[0])))
        elements = comprehension(op, [summand])
        start = arith.ConstantOp(neutral)
        new: list[Operation] = [elements, start, phi.ReduceOp(elements, start, Region(by))]
        if not is_constant(op.init, neutral):
            new.append(same_operation(combine, op.init, new[-1].results[0]))
        self._replace(op, new)
        return None

    def _search(self, op: phi.FoldOp, search: Search) -> str | None:
        """``fold (k < n, best = x) { where(e < best, e, best) }`` by the position of the best e."""
        element = search.candidates[search.best]
        start = worst(search.predicate, element.type)
        if start is None or (search.guards and never_better(search.predicate, start) is None):
            return f"libraries do not search '{element.type}' in this way"
        if (why := self._needs_loop(op, element, None)) is not None:
            return why
        self._note(op, f"the fold over {name_of(op.counter)} is a search by {search.predicate}")
        self._replace(op, found_in_fold(op, search))
        return None

    def _needs_loop(
        self, op: phi.FoldOp, summand: SSAValue, combine: type[Operation] | None
    ) -> str | None:
        """Why a body may not be run for all steps at once; None where it may."""
        if any(may_fail(inner) for inner in op.body.walk()):
            return "a step may raise an error, which must not happen in a fold of no steps"
        if not is_regular(op):
            return f"a size or a count in a step depends on {name_of(op.counter)}"
        if not self._fits(op, summand, combine):
            axes = names_of({op.counter, *self._free.of(summand)})
            return f"an array over {axes} would be larger than what is read"
        return None

    def _fits(self, op: phi.FoldOp, summand: SSAValue, combine: type[Operation] | None) -> bool:
        """Whether memory allows what is computed for all steps at once."""
        return may_materialise(op, summand, combine, self._free)

    def _split(self, op: phi.FoldOp, why: str) -> bool:
        """``fold (k < n, (x, y) = (a, b)) { (x + e, f(y)) }  -->  (reduce.., fold.. { f(y) })``

        Fields that depend on no other field leave the fold where they can be raised; the others
        stay together, so that their steps share what they compute. Whether there are any to leave.
        """
        components = fold_components(op)
        if len(components) == 1:
            return False
        emitter = Emitter()
        parts = Parts(op, emitter.leaves(op.init))
        self._insert(op, emitter.ops)
        raised, rest = list[tuple[list[int], Operation]](), list[int]()
        for fields in components:
            part = parts.fold_of(fields)
            self._insert(op, part.ops)
            if self._stays(_fold_in(part)) is None:
                raised.append((fields, part.ops[-1]))
            else:
                _erase(part.ops)
                rest.extend(fields)
        if not raised:
            return False
        if rest:
            part = parts.fold_of(sorted(rest))
            self._insert(op, part.ops)
            raised.append((sorted(rest), part.ops[-1]))
            counter = name_of(op.counter)
            self._note(op, f"what is left of the fold over {counter} is a loop: {why}")
        self._join(op, raised)
        return True

    def _join(self, op: phi.FoldOp, parts: Sequence[tuple[list[int], Operation]]) -> None:
        """Replace a fold by the record of its fields, which tuples of some of them hold."""
        found = {
            field: value
            for fields, record in parts
            for field, value in zip(fields, record.operands, strict=True)
        }
        emitter = Emitter()
        emitter.record(op.result.type, (found[field] for field in sorted(found)))
        self._replace(op, emitter.ops)
        _erase([record for _, record in parts])

    def _insert(self, before: Operation, ops: Sequence[Operation]) -> None:
        for new in ops:
            new.location = before.location
        Rewriter.insert_op(ops, InsertPoint.before(before))
        self._free.add(*ops)

    def reduce(self, op: phi.ReduceOp) -> None:
        """A reduction of records, or by a comparison, that is a search."""
        search = reduction_search(op)
        if search is not None and worst(search.predicate, leaf_types(op.result.type)[search.best]):
            new = found_in_vector(op, search)
            if new is not None:
                self._replace(op, new)

    def _replace(self, op: phi.FoldOp | phi.ReduceOp, new: Sequence[Operation]) -> None:
        """Replace an operation by others, the last of which gives its result."""
        self._free.remove(op.yielded())
        self._insert(op, new)
        result = new[-1].results[0]
        result.name_hint = op.result.name_hint
        self._free.replace(op.result, result)
        op.result.replace_all_uses_with(result)
        op.detach()
        op.erase()


def _fold_in(part: Emitter) -> phi.FoldOp:
    (fold,) = (op for op in part.ops if isinstance(op, phi.FoldOp))
    return fold


def _erase(ops: Sequence[Operation]) -> None:
    for op in reversed(ops):
        Rewriter.erase_op(op)


def raise_reductions(module: Operation, note: Note = no_note) -> None:
    """Raise the folds of a module, innermost first; ``note`` is told what became of each."""
    raiser = Raiser(module, note)
    for op in reversed(list(module.walk())):
        if isinstance(op, phi.FoldOp):
            raiser.fold(op)
        elif isinstance(op, phi.ReduceOp):
            raiser.reduce(op)


class RaiseReductionsPass(ModulePass):
    """Turns folds that add, multiply, take minima or maxima, test or search, into reductions.

    Before::

        %s = phi.fold (%k < %n, %acc = %x) -> f64 {
          %v = phi.get %a[%k] : !phi.vec<f64>[i64]
          %next = arith.addf %acc, %v : f64
          phi.yield %next : f64
        }
        %t = phi.fold (%k < %n, %best = %x) -> f64 {
          %v = phi.get %a[%k] : !phi.vec<f64>[i64]
          %better = arith.cmpf olt, %v, %best : f64
          %next = arith.select %better, %v, %best : f64
          phi.yield %next : f64
        }

    After (the second array is that of %s)::

        %0 = phi.array (%k < %n) -> !phi.vec<f64> {
          %k_1 = arith.index_cast %k : index to i64
          %v = phi.get %a[%k_1] : !phi.vec<f64>[i64]
          phi.yield %v : f64
        }
        %zero = arith.constant 0.0 : f64
        %1 = phi.reduce %0 identity %zero by { arith.addf } -> f64
        %s = arith.addf %x, %1 : f64
        %at = phi.argreduce %0 by "<" : !phi.vec<f64>
        %2 = phi.get %0[%at] : !phi.vec<f64>[i64]
        %better = arith.cmpf olt, %2, %x : f64
        %some = arith.cmpi sgt, %n, %none : i64
        %found = arith.andi %some, %better : i1
        %t = arith.select %found, %2, %x : f64

    Fields of an accumulator that do not depend on each other are told apart: those that are
    reductions or searches leave the fold, the others stay in it. Summands are gathered first:
    ``(acc + x) - y`` is ``acc + (x - y)``, and ``where(c, acc + x, acc)`` is
    ``acc + where(c, x, 0)``.

    A sum of terms, where their array would be larger than what is read, is the sum of their sums;
    minima, maxima and logical reductions let through what does not vary with the counter
    (``distribution``).

    What else a search remembers, in fields of a record, is read at the position, too. Reductions of
    records by such a comparison are searches as well.

    A fold stays a loop where the array would need more memory than the loop does; the rule is in
    ``ein_mlir.analysis.phi.memory_cost``.
    """

    name = "raise-reductions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        raise_reductions(op)
