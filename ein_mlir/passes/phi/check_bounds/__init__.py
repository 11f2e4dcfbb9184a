"""``check-bounds``: a program also computes whether a position that it uses is out of bounds.

The law: a body with the value ``e`` that reads ``a[p]`` becomes a body with the value ``e`` and the
*mark* ``p < 0 | p >= size a``, under the condition that the element is used. The mark of a
comprehension is the disjunction of those of its elements; a fold carries it along. That is an
ordinary program, which later passes optimise as such: the mark of a comprehension is a reduction of
its own, and the comprehension stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IndexType,
    IntegerAttr,
    StringAttr,
    TupleType,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.diagnostics import where_written
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.phi.demand import (
    ALWAYS,
    Both,
    Condition,
    Demand,
    Either,
    InSomeStep,
    counts_of,
    demand_of,
)
from ein_mlir.analysis.phi.index_forms import index_forms
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.position_bounds import PositionBounds
from ein_mlir.analysis.phi.selections import Test
from ein_mlir.analysis.phi.speculation import may_fail
from ein_mlir.analysis.scopes import operands_within, operations_in
from ein_mlir.dialects import phi
from ein_mlir.passes.phi.check_bounds.marks import Access, Flags, Mark, Marking, Offenders
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.builders import copied, integer

ACCESSES = "ein.accesses"
"""The attribute of a function with its accesses that may be out of bounds."""


@dataclass(frozen=True)
class Unproven:
    """An axis of an access whose position is not provably in bounds."""

    op: phi.GetOp
    axis: int
    loops: tuple[SSAValue, ...]
    """The indices and counters of the loops around it, outermost first."""

    def described(self) -> Attribute:
        """The access as an attribute."""
        array, axis = self.op.array, self.axis
        while isinstance(get := array.owner, phi.GetOp):
            array, axis = get.array, axis + len(get.positions)
        return DictionaryAttr(
            {
                "array": StringAttr(name_of(array)),
                "axis": IntegerAttr(axis, i64),
                "loops": ArrayAttr([StringAttr(name_of(loop)) for loop in self.loops]),
                "place": StringAttr(where_written(self.op)),
            }
        )


@dataclass
class _Facts:
    """The facts at a place: the loops around it, and the proofs that are possible there."""

    bounds: PositionBounds
    loops: tuple[SSAValue, ...] = ()

    def under(self, condition: Condition) -> PositionBounds:
        """The proofs under a condition."""
        return self.bounds.where(condition.tests, condition.counts)

    def inside(self, loop: phi.BodyOp, condition: Condition) -> _Facts:
        """The facts in the body of a loop that is used under a condition."""
        bounds = self.under(condition).where((), counts_of(loop))
        return _Facts(bounds, (*self.loops, *loop.counters()))


def unproven_accesses(demand: Demand, bounds: PositionBounds, block: Block) -> list[Unproven]:
    """The accesses of a block that are used and may be out of bounds, in order."""
    found = list[Unproven]()

    def visit(block: Block, facts: _Facts) -> None:
        for op in block.ops:
            condition = demand.of(op)
            if condition is None:
                continue
            if isinstance(op, phi.BodyOp):
                visit(op.regions[0].block, facts.inside(op, condition))
            elif isinstance(op, phi.GetOp):
                proofs = facts.under(condition)
                for axis, position in enumerate(op.positions):
                    if not proofs.is_in_bounds(position, op.array, axis, op):
                        found.append(Unproven(op, axis, facts.loops))

    visit(block, _Facts(bounds))
    return found


class Checker:
    """Adds marks to one function."""

    def __init__(self, demand: Demand, unproven: Sequence[Unproven], marking: Marking):
        self._demand = demand
        self._marking = marking
        self._unproven = dict[Operation, list[tuple[int, Unproven]]]()
        for number, each in enumerate(unproven, 1):
            self._unproven.setdefault(each.op, []).append((number, each))
        self._marked = {
            parent for each in unproven for parent in _parents(each.op) if parent is not each.op
        }
        self._replaced: dict[SSAValue, SSAValue] = {}
        self._loops: dict[Operation, phi.BodyOp] = {}
        self._conditions: dict[tuple[Condition, Block], SSAValue] = {}

    def block(self, block: Block, depth: int = 0) -> Mark:
        """The mark of a block, at its end."""
        found = list[tuple[Condition, Mark]]()
        for op in list(block.ops):
            condition = self._demand.of(op)
            if condition is not None and op in self._marked:
                assert isinstance(op, phi.BodyOp)
                inner = self.block(op.regions[0].block, depth + len(op.counters()))
                found.append((condition, self._around(op, inner, self._marking, depth)))
            elif condition is not None and op in self._unproven:
                found.extend((condition, self._of_access(*each)) for each in self._unproven[op])
        build, mark = _at_end(block), None
        for condition, each in found:
            if condition is not ALWAYS:
                each = self._marking.where(build, self._value(condition, block), each)
            mark = each if mark is None else self._marking.either(build, mark, each)
        assert mark is not None
        return mark

    def _of_access(self, number: int, unproven: Unproven) -> Mark:
        """``p < 0 | p >= size a``"""
        op, build = unproven.op, Builder(InsertPoint.after(unproven.op))
        position = op.positions[unproven.axis]
        if position.type != i64:
            cast = arith.IndexCastOp if isinstance(position.type, IndexType) else arith.ExtSIOp
            position = build.insert(cast(position, i64)).result
        size = build.insert(phi.SizeOp(op.array, unproven.axis)).result
        below = build.insert(arith.CmpiOp(position, integer(build, 0), "slt"))
        beyond = build.insert(arith.CmpiOp(position, size, "sge"))
        is_out = build.insert(arith.OrIOp(below, beyond)).result
        return self._marking.of(build, Access(number, position, size, is_out))

    # Conditions

    def _value(self, condition: Condition, block: Block) -> SSAValue:
        """A condition as a truth value at the end of a block."""
        pending = [condition]
        while (condition, block) not in self._conditions:
            current = pending[-1]
            missing = [p for p in _parts(current) if (p, block) not in self._conditions]
            pending.extend(missing)
            if not missing:
                self._conditions[current, block] = self._computed(current, block)
                pending.pop()
        return self._conditions[condition, block]

    def _computed(self, condition: Condition, block: Block) -> SSAValue:
        build = _at_end(block)
        parts = [self._conditions[part, block] for part in _parts(condition)]
        match condition:
            case Both(test=Test() as test):
                parts.append(self._test(build, test))
            case Either():
                value = parts[0]
                for part in parts[1:]:
                    value = build.insert(arith.OrIOp(value, part)).result
                return value
            case InSomeStep():
                parts.append(self._in_some_step(condition, build))
            case _:
                parts.append(_truth(build, True))
        value = parts[0]
        for part in parts[1:]:
            value = build.insert(arith.AndIOp(value, part)).result
        return value

    def _test(self, build: Builder, test: Test) -> SSAValue:
        value = self._current(test.condition)
        if test.expected:
            return value
        return build.insert(arith.XOrIOp(value, _truth(build, True))).result

    def _in_some_step(self, condition: InSomeStep, build: Builder) -> SSAValue:
        """Whether a condition holds in some step of a loop."""
        assert condition.loop is not None
        loop = self._loops.get(condition.loop, condition.loop)
        if condition.inner is ALWAYS:
            return _has_steps(build, loop)
        inner = self._value(condition.inner, loop.regions[0].block)
        return self._around(condition.loop, (inner,), Flags(), 0)[0]

    def _current(self, value: SSAValue) -> SSAValue:
        while value in self._replaced:
            value = self._replaced[value]
        return value

    # Loops

    def _around(self, op: phi.BodyOp, mark: Mark, marking: Marking, depth: int) -> Mark:
        """The mark of a loop, at the end of its block, from that of its body."""
        op = self._loops.get(op, op)
        assert op.parent is not None
        match op:
            case phi.ArrayOp():
                return _around_array(op, mark, marking, depth)
            case phi.FoldOp():
                return self._around_fold(op, mark, marking, depth)
            case _:
                assert isinstance(op, phi.ReduceOp)
                return self._around_reduction(op, mark, marking)

    def _around_fold(self, op: phi.FoldOp, mark: Mark, marking: Marking, depth: int) -> Mark:
        """A fold of its own, unless the mark depends on the accumulator.

        ``fold (k < n, m = none) { m | mark }``
        """
        needed = slice_of(op.body.block, mark)
        used = {*mark, *(value for each in needed for value in operands_within(each))}
        if marking.names_steps or op.accumulator in used:
            return self._carried(op, mark, marking, depth)
        build = _at_end(_block_of(op))
        is_safe = not any(may_fail(inner) for each in needed for inner in operations_in(each))
        if is_safe and op.counter not in used:
            found = copied(build, op.body.block, mark, {})
            return marking.where(build, _has_steps(build, op), found)
        (none,), (type_,) = marking.none(build), marking.types
        body = Block(arg_types=(i64, type_))
        body.args[0].name_hint = op.counter.name_hint
        inner = Builder(InsertPoint.at_end(body))
        found = copied(inner, op.body.block, mark, {op.counter: body.args[0]})
        inner.insert(phi.YieldOp(marking.either(inner, (body.args[1],), found)[0]))
        return (build.insert(op.again(none, Region(body))).results[0],)

    def _carried(self, op: phi.FoldOp, mark: Mark, marking: Marking, depth: int) -> Mark:
        """``fold (k < n, (x, m) = (a, none)) { (e, m | mark) }``"""
        before = Builder(InsertPoint.before(op))
        init = before.insert(phi.TupleOp([op.init, *marking.none(before)]))
        block = op.body.block
        (carried,) = self._widened(block, 1, init.result.type)
        build = _at_end(block)
        found = marking.at_step(mark, depth, op.counter)
        self._yield(block, marking.either(build, carried, found))
        new = op.again(init, op.detach_region(0))
        return self._replace(op, new, before)

    def _around_reduction(self, op: phi.ReduceOp, mark: Mark, marking: Marking) -> Mark:
        """``reduce (v, none ..) identity (z, none) by ((x, m), (y, n)) { (e, m | n | mark) }``"""
        before, block = Builder(InsertPoint.before(op)), op.body.block
        none = marking.none(before)
        identity = before.insert(phi.TupleOp([op.identity, *none]))
        size = _size_of(before, op.vec)
        marks = [_repeated(before, size, value) for value in none]
        vectors = before.insert(phi.TupleOp([op.vec, *marks]))
        carried = self._widened(block, 0, identity.result.type, identity.result.type)
        build = _at_end(block)
        for each in carried[::-1]:
            mark = marking.either(build, each, mark)
        self._yield(block, mark)
        return self._replace(op, phi.ReduceOp(vectors, identity, op.detach_region(0)), before)

    def _widened(self, block: Block, first: int, *types: Attribute) -> list[Mark]:
        """Give arguments of a block the types of records whose first field they were.

        Returns the other fields of each.
        """
        others = list[Mark]()
        start = InsertPoint.at_start(block)
        for number, type_ in enumerate(types, first):
            old = block.args[number]
            new = block.insert_arg(type_, number)
            new.name_hint = old.name_hint
            fields = _fields(new)
            Rewriter.insert_op(fields, start)
            self._replace_value(old, fields[0].result)
            block.erase_arg(old)
            others.append([each.result for each in fields[1:]])
        return others

    def _yield(self, block: Block, mark: Mark) -> None:
        """Yield a mark beside the value of a block."""
        last = block.last_op
        assert isinstance(last, phi.YieldOp)
        record = phi.TupleOp([last.value, *mark])
        Rewriter.insert_op(record, InsertPoint.before(last))
        last.operands[0] = record.result

    def _replace(self, op: phi.LoopOp, new: phi.LoopOp, build: Builder) -> Mark:
        """Replace a loop by one whose value has a mark beside that of the loop."""
        new.location = op.location
        new.results[0].name_hint = op.results[0].name_hint
        fields = [build.insert(each) for each in (new, *_fields(new.results[0]))][1:]
        value, *mark = (each.results[0] for each in fields)
        self._loops[op] = new
        for old, current in list(self._loops.items()):
            if current is op:
                self._loops[old] = new
        self._replace_value(op.results[0], value)
        Rewriter.erase_op(op)
        return mark

    def _replace_value(self, old: SSAValue, new: SSAValue) -> None:
        self._replaced[old] = new
        new.name_hint = new.name_hint or old.name_hint
        old.replace_all_uses_with(new)


def _around_array(op: phi.ArrayOp, mark: Mark, marking: Marking, depth: int) -> Mark:
    """``reduce (array (i < n) { mark }) by |``, over the indices that the mark depends on."""
    needed = slice_of(op.body.block, mark)
    used = {*mark, *(value for each in needed for value in operands_within(each))}
    loops = [
        (number, index)
        for number, index in enumerate(op.indices)
        if marking.names_steps or index in used
    ]
    build = _at_end(_block_of(op))

    def over(
        build: Builder, loops: Sequence[tuple[int, SSAValue]], values: dict[SSAValue, SSAValue]
    ):
        if not loops:
            return copied(build, op.body.block, mark, values)
        (number, index), *rest = loops
        body = Block(arg_types=[IndexType()])
        body.args[0].name_hint = index.name_hint
        inner = Builder(InsertPoint.at_end(body))
        found = over(inner, rest, {**values, index: body.args[0]})
        vectors = _vectors(build, op.sizes[number], body, found)
        step, first = marking.first(build, op.sizes[number], vectors)
        return first if step is None else marking.at_step(first, depth + number, step)

    found = over(build, loops, {})
    kept = {number for number, _ in loops}
    for number, size in enumerate(op.sizes):
        if number not in kept:
            found = marking.where(build, _is_positive(build, size), found)
    return found


def _vectors(build: Builder, size: SSAValue, body: Block, values: Mark) -> Mark:
    """The vectors of values of a body, which lacks its terminator."""
    if len(values) == 1:
        body.add_op(phi.YieldOp(values[0]))
        return (build.insert(phi.ArrayOp([size], Region(body))).result,)
    record = phi.TupleOp(values)
    type_ = phi.struct_of_arrays(phi.vec_of(record.result.type))
    body.add_ops((record, phi.YieldOp(record)))
    vectors = build.insert(phi.ArrayOp([size], Region(body), type_)).result
    return [build.insert(each).result for each in _fields(vectors)]


def _has_steps(build: Builder, loop: Operation) -> SSAValue:
    """Whether the body of a loop runs."""
    counts = list(counts_of(loop))
    if isinstance(loop, phi.ReduceOp):
        counts = [_size_of(build, loop.vec)]
    value, *others = (_is_positive(build, count) for count in counts)
    for other in others:
        value = build.insert(arith.AndIOp(value, other)).result
    return value


def _is_positive(build: Builder, number: SSAValue) -> SSAValue:
    return build.insert(arith.CmpiOp(number, integer(build, 0), "sgt")).result


def _truth(build: Builder, value: bool) -> SSAValue:
    return build.insert(arith.ConstantOp(IntegerAttr.from_bool(value))).result


def _size_of(build: Builder, vector: SSAValue) -> SSAValue:
    """The size of a vector, or of those in a record."""
    return build.insert(phi.SizeOp(vector, 0)).result


def _repeated(build: Builder, size: SSAValue, value: SSAValue) -> SSAValue:
    """``array (i < n) { value }``"""
    body = Block([phi.YieldOp(value)], arg_types=[IndexType()])
    return build.insert(phi.ArrayOp([size], Region(body))).result


def _fields(record: SSAValue) -> list[phi.ProjOp]:
    assert isa(record.type, TupleType)
    return [phi.ProjOp(record, number) for number in range(len(record.type.types))]


def _parts(condition: Condition) -> Sequence[Condition]:
    """The conditions of the same block that a condition consists of."""
    match condition:
        case Both(outer=outer) | InSomeStep(outer=outer):
            return () if outer is ALWAYS else (outer,)
        case Either(parts=parts):
            return parts
        case _:
            return ()


def _parents(op: Operation) -> Sequence[Operation]:
    parents = list[Operation]()
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, func.FuncOp):
        parents.append(parent)
        parent = parent.parent_op()
    return parents


def _block_of(op: Operation) -> Block:
    assert op.parent is not None
    return op.parent


def _at_end(block: Block) -> Builder:
    """A builder before the terminator of a block."""
    assert block.last_op is not None
    return Builder(InsertPoint.before(block.last_op))


def check_bounds(function: func.FuncOp, analyses: AnalysisManager, *, locate: bool) -> None:
    """Add marks to the results of a function, if a position may be out of bounds."""
    block, demand = function.body.block, analyses.get(demand_of, function)
    bounds = PositionBounds(analyses.get(index_forms, function))
    unproven = unproven_accesses(demand, bounds, block)
    if not unproven:
        return
    for each in unproven:
        position, array = name_of(each.op.positions[each.axis]), name_of(each.op.array)
        analyses.note(
            each.op, f"{array}: position {position} is checked, as it may be out of bounds"
        )
    depth = max(len(each.loops) for each in unproven)
    marking = Offenders(depth) if locate else Flags()
    mark = Checker(demand, unproven, marking).block(block)
    if locate:
        function.attributes[ACCESSES] = ArrayAttr([each.described() for each in unproven])
    last = block.last_op
    assert isinstance(last, func.ReturnOp)
    Rewriter.replace_op(last, func.ReturnOp(*last.arguments, *mark))
    types = function.function_type
    results = [*types.outputs, *(value.type for value in mark)]
    function.properties["function_type"] = FunctionType.from_lists(list(types.inputs), results)


@dataclass(frozen=True)
class CheckBoundsPass(FunctionPass):
    """Makes a function return whether a position that it uses is out of bounds.

    Before::

        func.func @f(%a: !phi.vec<f64>, %p: !phi.vec<i64>) -> !phi.vec<f64> {
          %n = phi.size %p, 0 : !phi.vec<i64>
          %b = phi.array (%i < %n) -> !phi.vec<f64> {
            %k = phi.get %p[%i] : !phi.vec<i64>[index]
            %x = phi.get %a[%k] : !phi.vec<f64>[i64]
            phi.yield %x : f64
          }
          func.return %b : !phi.vec<f64>
        }

    After, with the comprehension as before::

        %0 = phi.array (%i < %n) -> !phi.vec<i1> {
          %k = phi.get %p[%i] : !phi.vec<i64>[index]
          %1 = phi.size %a, 0 : !phi.vec<f64>
          %2 = arith.cmpi slt, %k, %zero : i64
          %3 = arith.cmpi sge, %k, %1 : i64
          %4 = arith.ori %2, %3 : i1
          phi.yield %4 : i1
        }
        %5 = phi.reduce %0 identity %false by { arith.ori } -> i1
        func.return %b, %5 : !phi.vec<f64>, i1

    A position that is provably in bounds, also under the conditions under which its element is
    used, is not checked; a function without others stays as it is. ``inline-calls`` and
    ``struct-of-arrays`` must run before.
    """

    name = "check-bounds"
    looks_for = (phi.GetOp,)

    locate: bool = False
    """Return Ints instead: the number of the first such access from 1 on (0 if there is none), the
    position, the size, and the numbers of the steps of the loops around it. The attribute
    ``ein.accesses`` of the function describes the accesses.
    """

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        check_bounds(function, analyses, locate=self.locate)
