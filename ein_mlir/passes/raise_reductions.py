"""``raise-reductions``: folds that are reductions or searches become named operations."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    TupleType,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.hints import isa

from ein_mlir.analysis.dependents import dependents
from ein_mlir.analysis.free_indices import FreeIndices, leaf_types
from ein_mlir.analysis.memory_cost import may_materialise
from ein_mlir.analysis.notes import Note, name_of, names_of, no_note
from ein_mlir.analysis.searches import Search, fold_search, leaf_values, reduction_search
from ein_mlir.analysis.speculation import may_fail
from ein_mlir.dialects import phi
from ein_mlir.dialects.reductions import REDUCTIONS, identity, worst


def reduction(op: phi.FoldOp) -> tuple[Operation, SSAValue] | None:
    """``acc + e`` or ``e + acc``, where only the sum reads the accumulator, as (+, e).

    An accumulator that a step reads twice is no reduction.
    """
    combine = op.yielded().owner
    if not isinstance(combine, Operation) or combine.name not in REDUCTIONS:
        return None
    if not op.accumulator.has_one_use() or not combine.results[0].has_one_use():
        return None
    if op.accumulator not in combine.operands:
        return None
    lhs, rhs = combine.operands
    return combine, rhs if lhs is op.accumulator else lhs


class Raiser:
    """Raises the folds of a program; ``note`` is told what became of each."""

    def __init__(self, module: Operation, note: Note = no_note):
        self._free = FreeIndices(module)
        self._note = note

    def fold(self, op: phi.FoldOp) -> None:
        """Raise a fold that is a reduction or a search, where memory allows it."""
        found = reduction(op)
        if found is not None:
            self._reduction(op, *found)
        elif (search := fold_search(op)) is not None:
            self._search(op, search)
        else:
            self._stays(op, "a step needs the one before it, and is no sum, product, minimum, ...")

    def _reduction(self, op: phi.FoldOp, combine: Operation, summand: SSAValue) -> None:
        """``fold (k < n, acc = x) { acc + e }  -->  x + reduce (array (k < n) { e }) by { + }``"""
        neutral = identity(combine.name, op.result.type)
        if neutral is None:
            self._stays(op, f"libraries do not reduce '{op.result.type}' by {combine.name}")
        elif self._may_leave_loop(op, summand, type(combine)):
            self._note(op, f"the fold over {name_of(op.counter)} is a reduction by {combine.name}")
            by = Block(arg_types=(summand.type, summand.type))
            combined = _same(combine, *by.args)
            by.add_ops((combined, phi.YieldOp(combined.results[0])))
            elements = _comprehension(op, [summand])
            start = arith.ConstantOp(neutral)
            new: list[Operation] = [elements, start, phi.ReduceOp(elements, start, Region(by))]
            if not is_constant(op.init, neutral):
                new.append(_same(combine, op.init, new[-1].results[0]))
            self._replace(op, new)

    def _search(self, op: phi.FoldOp, search: Search) -> None:
        """``fold (k < n, best = x) { where(e < best, e, best) }`` by the position of the best e."""
        element = search.candidates[search.best]
        start = worst(search.predicate, element.type)
        if start is None or (search.guards and _never(search.predicate, start) is None):
            self._stays(op, f"libraries do not search '{element.type}' in this way")
        elif self._may_leave_loop(op, element, None):
            self._note(op, f"the fold over {name_of(op.counter)} is a search by {search.predicate}")
            self._replace(op, _found_in_fold(op, search))

    def _may_leave_loop(
        self, op: phi.FoldOp, summand: SSAValue, combine: type[Operation] | None
    ) -> bool:
        """Whether a body may be run for all steps at once."""
        if any(may_fail(inner) for inner in op.body.walk()):
            self._stays(
                op, "a step may raise an error, which must not happen in a fold of no steps"
            )
            return False
        if not may_materialise(op, summand, combine, self._free):
            axes = names_of({op.counter, *self._free.of(summand)})
            self._stays(op, f"an array over {axes} would be larger than what is read")
            return False
        return True

    def _stays(self, op: phi.FoldOp, why: str) -> None:
        self._note(op, f"the fold over {name_of(op.counter)} is a loop: {why}")

    def reduce(self, op: phi.ReduceOp) -> None:
        """A reduction of records, or by a comparison, that is a search."""
        search = reduction_search(op)
        if search is not None and worst(search.predicate, leaf_types(op.result.type)[search.best]):
            new = _found_in_vector(op, search)
            if new is not None:
                self._replace(op, new)

    def _replace(self, op: phi.FoldOp | phi.ReduceOp, new: Sequence[Operation]) -> None:
        """Replace an operation by others, the last of which gives its result."""
        for created in new:
            created.location = op.location
        result = new[-1].results[0]
        result.name_hint = op.result.name_hint
        Rewriter.insert_op(new, InsertPoint.before(op))
        self._free.remove(op.yielded())
        self._free.add(*new)
        self._free.replace(op.result, result)
        op.result.replace_all_uses_with(result)
        op.detach()
        op.erase()


def _same(op: Operation, *operands: SSAValue) -> Operation:
    """The same scalar operation on other operands."""
    return op.create(
        operands=operands,
        result_types=[result.type for result in op.results],
        properties=dict(op.properties),
    )


def _block_of(value: SSAValue) -> Block | None:
    return value.owner if isinstance(value.owner, Block) else value.owner.parent


def is_constant(value: SSAValue, expected: Attribute) -> bool:
    """Whether a value is known to be a constant."""
    return isinstance(value.owner, arith.ConstantOp) and value.owner.value == expected


# Comprehensions from the bodies of folds --------------------------------------------------------


def _comprehension(op: phi.FoldOp, values: Sequence[SSAValue]) -> phi.ArrayOp:
    """``array (k < n) { (x, y) }`` of values in the body of a fold, which moves into it.

    What depends on the accumulator stays behind; the values do not.
    """
    body = Block(arg_types=(IndexType(),))
    body.args[0].name_hint = op.counter.name_hint
    cast = arith.IndexCastOp(body.args[0], op.counter.type)
    cast.result.name_hint = op.counter.name_hint
    body.add_op(cast)
    op.counter.replace_all_uses_with(cast.result)
    left = dependents(op.body.block, op.accumulator)
    for inner in list(op.body.block.ops):
        if left.isdisjoint(inner.results) and not isinstance(inner, phi.YieldOp):
            inner.detach()
            body.add_op(inner)
    values = [cast.result if value is op.counter else value for value in values]
    element = values[0]
    if len(values) > 1:
        body.add_op(record := phi.TupleOp(values))
        element = record.result
    body.add_op(phi.YieldOp(element))
    return phi.ArrayOp([op.count], Region(body), phi.struct_of_arrays(phi.vec_of(element.type)))


# Searches ---------------------------------------------------------------------------------------


class _Emitter:
    """Collects operations; each method gives the value of what it adds."""

    def __init__(self) -> None:
        self.ops: list[Operation] = []

    def emit(self, op: Operation) -> SSAValue:
        self.ops.append(op)
        return op.results[0]

    def leaves(self, value: SSAValue) -> list[SSAValue]:
        """The fields of a (nested) record; a value that is none itself."""
        if not isa(value.type, TupleType):
            return [value]
        if isinstance(value.owner, phi.TupleOp):
            fields = list(value.owner.fields)
        else:
            fields = [self.emit(phi.ProjOp(value, k)) for k in range(len(value.type.types))]
        return [leaf for field in fields for leaf in self.leaves(field)]

    def record(self, type_: Attribute, leaves: Iterator[SSAValue]) -> SSAValue:
        """The (nested) record of a type that has these fields."""
        if not isa(type_, TupleType):
            return next(leaves)
        fields = [self.record(field, leaves) for field in type_.types]
        return self.emit(phi.TupleOp(fields))

    def compare(self, predicate: str, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        if isa(lhs.type, IntegerType):
            return self.emit(arith.CmpiOp(lhs, rhs, _INT_PREDICATES[predicate]))
        return self.emit(arith.CmpfOp(lhs, rhs, _FLOAT_PREDICATES[predicate]))

    def found(
        self,
        search: Search,
        position: SSAValue,
        candidates: Sequence[SSAValue],
        count: SSAValue,
        init: SSAValue,
    ) -> SSAValue:
        """What is found at a position, or the initial value where that is no worse.

        A search that starts from the worst value at 0 needs no choice for its position: it is 0
        where nothing is better.
        """
        starts = self.leaves(init)
        start = worst(search.predicate, starts[search.best].type)
        from_worst = start is not None and is_constant(starts[search.best], start)
        zero = IntegerAttr(0, i64)
        plain = [
            candidate is position and from_worst and is_constant(initial, zero)
            for candidate, initial in zip(candidates, starts, strict=True)
        ]
        better = self.compare(search.predicate, candidates[search.best], starts[search.best])
        nothing = self.emit(arith.ConstantOp(zero))
        better = self.emit(arith.AndIOp(self.compare(">", count, nothing), better))
        leaves = [
            candidate if is_plain else self.emit(arith.SelectOp(better, candidate, initial))
            for candidate, initial, is_plain in zip(candidates, starts, plain, strict=True)
        ]
        return self.record(init.type, iter(leaves))


_INT_PREDICATES = {"<": "slt", "<=": "sle", ">": "sgt", ">=": "sge"}
_FLOAT_PREDICATES = {"<": "olt", "<=": "ole", ">": "ogt", ">=": "oge"}


def _never(predicate: str, start: FloatAttr | IntegerAttr) -> FloatAttr | IntegerAttr | None:
    """An element that is better than no other: NaN, or what a search for better Ints starts from.

    An Int may be as good as that.
    """
    if isa(start, FloatAttr):
        return FloatAttr(math.nan, start.type)
    return None if predicate.endswith("=") else start


def _found_in_fold(op: phi.FoldOp, search: Search) -> list[Operation]:
    """What replaces a fold that is a search.

    The elements, and what else varies with the counter, become arrays, which are read at the
    position that is found. An element whose guards do not hold is never better.
    """
    emitter, body = _Emitter(), op.body.block
    element = _guarded_element(op, search)
    others = [value for k, value in enumerate(search.candidates) if k != search.best]
    inside = [value for value in others if _block_of(value) is body and value is not op.counter]
    values = list(dict.fromkeys((element, *inside)))
    arrays = emitter.leaves(emitter.emit(_comprehension(op, values)))
    columns = dict(zip(values, arrays, strict=True))
    position = emitter.emit(phi.ArgreduceOp(columns[element], search.predicate))

    def candidate(value: SSAValue) -> SSAValue:
        if value is op.counter:
            return position
        if value in columns:
            return emitter.emit(phi.GetOp(columns[value], [position]))
        return value

    candidates = [
        candidate(element if k == search.best else value)
        for k, value in enumerate(search.candidates)
    ]
    emitter.found(search, position, candidates, op.count, op.init)
    return emitter.ops


def _guarded_element(op: phi.FoldOp, search: Search) -> SSAValue:
    """``where(guard, element, never)``, emitted at the end of the body of the fold."""
    element = search.candidates[search.best]
    start = worst(search.predicate, element.type)
    never = start and _never(search.predicate, start)
    if not search.guards or never is None:
        return element
    emitter = _Emitter()
    guard = search.guards[0]
    for other in search.guards[1:]:
        guard = emitter.emit(arith.AndIOp(guard, other))
    constant = emitter.emit(arith.ConstantOp(never))
    element = emitter.emit(arith.SelectOp(guard, element, constant))
    terminator = op.body.block.last_op
    assert terminator is not None
    op.body.block.insert_ops_before(emitter.ops, terminator)
    return element


def _found_in_vector(op: phi.ReduceOp, search: Search) -> list[Operation] | None:
    """What replaces a reduction that is a search, of a comprehension or of one array.

    Arrays that are put together to a record may differ in size, which is told elsewhere.
    """
    elements, emitter = op.vec.owner, _Emitter()
    if isinstance(elements, phi.ArrayOp):
        index, count = elements.indices[0], elements.sizes[0]
        fields = leaf_values(elements.yielded())
    elif isinstance(op.vec.type, phi.VecType) and phi.is_scalar_type(op.vec.type.element_type):
        index, count, fields = None, emitter.emit(phi.SizeOp(op.vec)), [op.vec]
    else:
        return None
    columns = emitter.leaves(op.vec)
    if len(columns) != len(fields):
        return None
    position = emitter.emit(phi.ArgreduceOp(columns[search.best], search.predicate))
    candidates = [
        position
        if isinstance(field.owner, arith.IndexCastOp) and field.owner.input is index
        else emitter.emit(phi.GetOp(column, [position]))
        for column, field in zip(columns, fields, strict=True)
    ]
    emitter.found(search, position, candidates, count, op.identity)
    return emitter.ops


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

    What else a search remembers, in fields of a record, is read at the position, too. Reductions of
    records by such a comparison are searches as well.

    A fold stays a loop where the array would need more memory than the loop does; the rule is in
    ``ein_mlir.analysis.memory_cost``.
    """

    name = "raise-reductions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        raise_reductions(op)
