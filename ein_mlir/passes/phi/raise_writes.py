"""``raise-writes``: folds that write successive elements become comprehensions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IntegerAttr, TupleType, i64
from xdsl.ir import Block, BlockArgument, Operation, OpResult, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import ConstantLike

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.manager import AnalysisManager, classes_of
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.phi.fold_components import separate_fields
from ein_mlir.analysis.phi.free_indices import free_indices
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.index_ranges import THIN
from ein_mlir.analysis.phi.memory_cost import may_materialise_parts, slice_of
from ein_mlir.analysis.phi.selections import Test
from ein_mlir.analysis.phi.singularities import is_singular
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence, Term, loops_around
from ein_mlir.analysis.phi.speculation import may_fail
from ein_mlir.analysis.scopes import (
    dependents,
    innermost_first,
    is_defined_in,
    is_within,
    operands_within,
)
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.integers import is_size
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.builders import (
    chosen,
    comprehension,
    copied,
    fold_body,
    integer,
    linear_value,
)
from ein_mlir.rewriting.phi.compared_sizes import ComparedSizes
from ein_mlir.rewriting.phi.fields import raise_fields
from ein_mlir.rewriting.phi.reductions import raise_reductions
from ein_mlir.rewriting.phi.replacement import replace

# Recognition ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Write:
    """``acc[i, .., p, .., start + direction * k, .., q, ..] := value where tests hold``

    in step k of a fold, for all indices of a comprehension around the update, if there is one. All
    other positions are loop invariant, so no element is written twice.
    """

    update: phi.UpdateOp
    around: phi.ArrayOp | None
    positions: Sequence[SSAValue]
    """The positions of the write, without the tests."""
    walked: int
    """The number of the position that varies with the counter."""
    start: LinearForm
    direction: int
    """1 or -1."""
    tests: Sequence[Test]

    @property
    def indices(self) -> Sequence[BlockArgument]:
        """The indices of the rows that are updated."""
        return self.around.indices if self.around is not None else ()

    @property
    def axis(self) -> int:
        """The axis of the accumulator along which the counter moves."""
        return len(self.indices) + self.walked

    @property
    def parts(self) -> list[SSAValue]:
        """The values that a step computes."""
        return [self.update.value, *(test.condition for test in self.tests), *self.positions]


@dataclass(frozen=True)
class Element:
    """``acc[p, q] := value where tests hold`` in each step, at loop-invariant positions."""

    update: phi.UpdateOp
    places: Sequence[SSAValue]
    tests: Sequence[Test]

    @property
    def parts(self) -> list[SSAValue]:
        """The values that a step computes."""
        return [self.update.value, *(test.condition for test in self.tests)]


def updated(op: phi.FoldOp) -> tuple[phi.UpdateOp, phi.ArrayOp | None] | None:
    """The final update of a step, and the comprehension of rows around it, if there is one."""
    found = _last_update(op)
    if found is None:
        return None
    update, around = found
    if around is None:
        return (update, None) if update.array is op.accumulator else None
    row = update.array.owner
    if (
        isinstance(row, phi.GetOp)
        and row.array is op.accumulator
        and tuple(row.positions) == tuple(around.indices)
        and row.result.has_one_use()
    ):
        return update, around
    return None


def _last_update(op: phi.FoldOp) -> tuple[phi.UpdateOp, phi.ArrayOp | None] | None:
    """The final update of a step, of any array, and the comprehension around it."""
    last, block = op.yielded().owner, op.body.block
    around = last if isinstance(last, phi.ArrayOp) and last.parent is block else None
    update = last if around is None else around.yielded().owner
    return (update, around) if isinstance(update, phi.UpdateOp) else None


def unconditional(position: SSAValue) -> tuple[SSAValue, list[Test]]:
    """``select (c, p, -1)`` as p under the test c: an update at -1 has no effect."""
    tests = list[Test]()
    while isinstance(choice := position.owner, arith.SelectOp):
        if _is_before(choice.rhs):
            position, expected = choice.lhs, True
        elif _is_before(choice.lhs):
            position, expected = choice.rhs, False
        else:
            break
        tests.append(Test(choice.cond, expected))
    return position, tests


def _unconditional_places(update: phi.UpdateOp) -> tuple[list[SSAValue], list[Test]]:
    """The positions of a write, and the tests for it."""
    found = [unconditional(position) for position in update.positions]
    return [place for place, _ in found], [test for _, tests in found for test in tests]


def _is_before(position: SSAValue) -> bool:
    """Whether a position is provably negative."""
    constant = ConstantLike.get_constant_value(position)
    return isa(constant, IntegerAttr) and constant.value.data < 0


class _Recogniser:
    """Finds the writes of folds, given the facts about the sizes and Ints of a module."""

    def __init__(self, forms: IndexForms, sizes: SizeEquivalence):
        self._forms = forms
        self._sizes = sizes

    def write(self, op: phi.FoldOp) -> Write | None:
        """The write of each step of a fold, if no step reads elements written by earlier steps."""
        found = updated(op)
        if found is None:
            return None
        write = self._write(op, *found)
        if write is None or not self._keeps_sizes(op, write):
            return None
        needed = slice_of(op.body.block, [op.yielded()])
        readers = (inner for each in needed for inner in each.walk())
        return write if all(self._reads_old(inner, op, write) for inner in readers) else None

    def copy(self, op: phi.FoldOp) -> phi.ArrayOp | None:
        """The copy of the accumulator that a step updates, if the step asserts its sizes first."""
        found = _last_update(op)
        if found is None:
            return None
        row = found[0].array.owner
        array = row.array if found[1] is not None and isinstance(row, phi.GetOp) else found[0].array
        copy = array.owner
        if not isinstance(copy, phi.ArrayOp) or copy.parent is not op.body.block:
            return None
        get = copy.yielded().owner
        is_copy = (
            isinstance(get, phi.GetOp)
            and get.array is op.accumulator
            and tuple(get.positions) == tuple(copy.indices)
            and len(copy.sizes) == phi.rank_of(op.result.type)
            and all(
                self._sizes.same(size, Term(op.accumulator, (), axis), copy)
                for axis, size in enumerate(copy.sizes)
            )
        )
        return copy if is_copy else None

    def _write(
        self, op: phi.FoldOp, update: phi.UpdateOp, around: phi.ArrayOp | None
    ) -> Write | None:
        positions, tests = _unconditional_places(update)
        block = op.body.block
        stepwise, variable = dependents(block, op.counter), dependents(block, op.accumulator)
        walked = [k for k, position in enumerate(positions) if position in stepwise]
        if len(walked) != 1 or not variable.isdisjoint(positions):
            return None
        form = self._forms.form(positions[walked[0]])
        direction, start = form.coefficients.get(op.counter, 0), form.without([op.counter])
        indices = around.indices if around is not None else ()
        if abs(direction) != 1 or any(
            is_within(atom, op) and atom not in indices for atom in start.coefficients
        ):
            return None
        return Write(update, around, positions, walked[0], start, direction, tests)

    def _keeps_sizes(self, op: phi.FoldOp, write: Write) -> bool:
        """Whether rows provably have the sizes of the rows that they replace."""
        own = () if write.around is None else tuple(write.around.sizes)
        return all(
            self._sizes.same(size, Term(op.init, (), axis)) for axis, size in enumerate(own)
        ) and self._is_row(op, write.update, len(own) + len(write.positions))

    def _is_row(self, op: phi.FoldOp, update: phi.UpdateOp, depth: int) -> bool:
        """Whether a value provably has the sizes of the rows of an array at ``depth`` positions."""
        value = update.value
        return not isa(phi.scalar_of(value.type), TupleType) and all(
            self._sizes.same(Term(value, (), axis), Term(op.init, (), depth + axis))
            for axis in range(phi.rank_of(value.type))
        )

    def element(self, op: phi.FoldOp) -> Element | None:
        """The only element that a fold updates, if it reads no other."""
        found = updated(op)
        if found is None or found[1] is not None:
            return None
        update, block = found[0], op.body.block
        places, tests = _unconditional_places(update)
        fixed = dependents(block, op.counter) | dependents(block, op.accumulator)
        if not fixed.isdisjoint(places) or not self._is_row(op, update, len(places)):
            return None
        element = Element(update, places, tests)
        readers = (inner for each in slice_of(block, element.parts) for inner in each.walk())
        return element if all(self._reads_element(inner, op, places) for inner in readers) else None

    def _reads_element(self, inner: Operation, op: phi.FoldOp, places: Sequence[SSAValue]) -> bool:
        """Whether an operation reads only the element of the accumulator at some positions."""
        if op.accumulator not in inner.operands or isinstance(inner, phi.SizeOp):
            return True
        if not isinstance(inner, phi.GetOp) or len(inner.positions) < len(places):
            return False
        pairs = zip(inner.positions, places, strict=False)
        return all(self._forms.form(a) == self._forms.form(b) for a, b in pairs)

    def _reads_old(self, inner: Operation, op: phi.FoldOp, write: Write) -> bool:
        """Whether an operation reads only elements of the accumulator that no step has written.

        These are the elements that the step itself or later steps write: a write out of bounds has
        no effect.
        """
        if op.accumulator not in inner.operands or isinstance(inner, phi.SizeOp):
            return True
        if inner in (write.update, write.update.array.owner):
            return True
        if not isinstance(inner, phi.GetOp) or len(inner.positions) <= write.axis:
            return False
        read, written = inner.positions[write.axis], write.positions[write.walked]
        ahead = (self._forms.form(read) - self._forms.form(written)) * write.direction
        distance = ahead.known()
        return distance is not None and distance >= 0

    def edges(self, op: phi.FoldOp, write: Write) -> Edges:
        """Whether there may be elements that the counter does not reach."""
        count, start = self._forms.extent(op.count), write.start
        size = self._forms.size(op.init, write.axis)
        if size is None and self._sizes.same(op.count, Term(op.init, (), write.axis)):
            size = count
        if size is None:
            return Edges(True, True)
        if write.direction == 1:
            first, last = -start, size - 1 - start
        else:
            first, last = start - size + 1, start
        forms = self._forms.with_sizes([size, count])
        if not forms.is_exact(first) or not forms.is_exact(last):
            return Edges(True, True)
        return Edges(not forms.is_nonnegative(first), not forms.is_below(last, count))


@dataclass(frozen=True)
class Edges:
    """Whether elements may remain before the first written one or after the last."""

    before: bool
    behind: bool

    @property
    def are_none(self) -> bool:
        """Whether all elements are written."""
        return not self.before and not self.behind


# Profitability --------------------------------------------------------------------------------


def pays(op: phi.FoldOp, write: Write, edges: Edges) -> bool:
    """Whether computing the whole axis is profitable for the elements that are written.

    Few elements are better updated in place, and so are those of a vector that an outer loop
    carries. A row or column of a carried matrix is better computed: it has fewer elements than the
    matrix.
    """
    if edges.are_none:
        return True
    count = ConstantLike.get_constant_value(op.count)
    if isa(count, IntegerAttr) and count.value.data <= THIN:
        return False
    is_element = write.around is None and len(write.positions) == 1
    return not is_element or not _is_handed_on(op.init)


def _is_handed_on(value: SSAValue) -> bool:
    """Whether an array is an accumulator, perhaps with updated elements."""
    while True:
        match value.owner:
            case Block() as block:
                return isinstance(block.parent_op(), phi.FoldOp)
            case phi.FoldOp() as op:
                value = op.init
            case phi.UpdateOp() as op:
                value = op.array
            case phi.ProjOp() as op:
                value = op.record
            case _:
                return False


# Rewriting ------------------------------------------------------------------------------------


class _Rewriting:
    """The construction of the written and the unchanged elements of a fold as a comprehension."""

    def __init__(self, op: phi.FoldOp, write: Write, edges: Edges, *, in_place: bool):
        """With ``in_place`` values are computed at their use, so that an outer fold may be raised,
        too; otherwise once for each step, and read for the written element.
        """
        self._op = op
        self._write = write
        self._edges = edges
        self._in_place = in_place or edges.are_none

    def result(self, build: Builder) -> SSAValue:
        """Build the array after all steps."""
        indices = self._write.indices
        if not indices:
            return self._rows(build, [], {})
        sizes = [self._size(build, axis) for axis in range(len(indices))]
        return comprehension(
            build,
            sizes,
            lambda inner, own: self._rows(inner, own, dict(zip(indices, own, strict=True))),
            indices,
        )

    def _rows(
        self, build: Builder, indices: Sequence[SSAValue], values: Mapping[SSAValue, SSAValue]
    ) -> SSAValue:
        """The array, or its row at some indices, after all steps."""
        before = self._write.positions[: self._write.walked]
        if not before:
            return self._line(build, indices, values)
        places = self._computed(build, before, values)
        line = self._line(build, [*indices, *places], values)
        row = self._op.init
        if indices:
            row = build.insert(phi.GetOp(row, indices)).result
        return build.insert(phi.UpdateOp(row, places, line)).result

    def _line(
        self, build: Builder, before: Sequence[SSAValue], values: Mapping[SSAValue, SSAValue]
    ) -> SSAValue:
        """The elements, or rows, along the axis of the counter."""
        start = None
        if self._write.start != LinearForm() or self._write.direction == -1:
            start = linear_value(build, self._write.start, lambda atom: values.get(atom, atom))
        steps = None if self._in_place else self._steps(build, before, values, start)

        def element(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
            step = inner.insert(arith.IndexCastOp(own[0], i64)).result
            step.name_hint = self._op.counter.name_hint
            if start is not None:
                step = self._place(inner, step, start, back=True)
            at = [*before, own[0]]
            behind = self._behind(inner, values)
            if steps is None:
                new = self._value(inner, step, [*at, *behind], values)
            else:
                new = inner.insert(phi.GetOp(steps, [step])).result
            new = self._chosen(inner, list(self._inside(inner, step)), new, [*at, *behind])
            if behind:
                row = inner.insert(phi.GetOp(self._op.init, at))
                new = inner.insert(phi.UpdateOp(row, behind, new)).result
            return new

        return comprehension(build, [self._size(build, len(before))], element)

    def _steps(
        self,
        build: Builder,
        before: Sequence[SSAValue],
        values: Mapping[SSAValue, SSAValue],
        start: SSAValue | None,
    ) -> SSAValue:
        """The array of the values that the steps write."""

        def element(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
            step = place = inner.insert(arith.IndexCastOp(own[0], i64)).result
            step.name_hint = self._op.counter.name_hint
            if start is not None:
                place = self._place(inner, step, start, back=False)
            at = [*before, place, *self._behind(inner, values)]
            return self._value(inner, step, at, values)

        return comprehension(build, [self._op.count], element, [self._op.counter])

    def _place(self, build: Builder, value: SSAValue, start: SSAValue, *, back: bool) -> SSAValue:
        """The position that a step writes to; with ``back``, the step that writes to a position."""
        if self._write.direction == -1:
            return build.insert(arith.SubiOp(start, value)).result
        operator = arith.SubiOp if back else arith.AddiOp
        return build.insert(operator(value, start)).result

    def _inside(self, build: Builder, step: SSAValue) -> Iterator[Test]:
        """The tests that a step exists."""
        for is_needed, predicate, end in (
            (self._edges.before, "sge", None),
            (self._edges.behind, "slt", self._op.count),
        ):
            if is_needed:
                end = integer(build, 0) if end is None else end
                yield Test(build.insert(arith.CmpiOp(step, end, predicate)).result, True)

    def _behind(self, build: Builder, values: Mapping[SSAValue, SSAValue]) -> list[SSAValue]:
        """The positions after the one that varies with the counter."""
        return self._computed(build, self._write.positions[self._write.walked + 1 :], values)

    def _value(
        self,
        build: Builder,
        step: SSAValue,
        at: Sequence[SSAValue],
        values: Mapping[SSAValue, SSAValue],
    ) -> SSAValue:
        """The value at a position after the step that writes to it."""
        tests = self._write.tests
        wanted = [self._write.update.value, *(test.condition for test in tests)]
        new, *conditions = self._computed(build, wanted, {**values, self._op.counter: step})
        tests = _under(conditions, tests)
        return self._chosen(build, tests, new, at)

    def _chosen(
        self, build: Builder, tests: Sequence[Test], new: SSAValue, at: Sequence[SSAValue]
    ) -> SSAValue:
        """A value if tests hold, otherwise the initial value at a position."""
        rank = phi.rank_of(new.type)
        if not tests:
            return new
        if not rank:
            old = build.insert(phi.GetOp(self._op.init, at)).result
            return chosen(build, tests, new, old)
        sizes = [self._size(build, len(at) + axis) for axis in range(rank)]

        def element(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
            return self._chosen(inner, tests, inner.insert(phi.GetOp(new, own)).result, [*at, *own])

        return comprehension(build, sizes, element)

    def _size(self, build: Builder, axis: int) -> SSAValue:
        return build.insert(phi.SizeOp(self._op.init, axis)).result

    def _computed(
        self, build: Builder, wanted: Sequence[SSAValue], values: Mapping[SSAValue, SSAValue]
    ) -> list[SSAValue]:
        """Values of a step, given some, with reads of the initial value for the accumulator."""
        known, block = {**values, self._op.accumulator: self._op.init}, self._op.body.block
        inner = None if self._write.around is None else self._write.around.body.block
        rows = [] if inner is None else slice_of(inner, wanted)
        needed = [*wanted, *(value for each in rows for value in operands_within(each))]
        copied(build, block, [value for value in needed if is_defined_in(value, block)], known)
        if inner is not None:
            copied(build, inner, wanted, known)
        return [known.get(value, value) for value in wanted]


def _element_after(build: Builder, op: phi.FoldOp, element: Element) -> SSAValue:
    """``fold (v = a) { v[p] := e }  -->  a[p] := fold (x = a[p]) { e }``, with x for v[p] in e."""
    places = copied(build, op.body.block, element.places, {})
    start = build.insert(phi.GetOp(op.init, places)).result
    body = fold_body(op, start.type)
    inner = Builder(InsertPoint.at_end(body))
    known: dict[SSAValue, SSAValue] = {op.counter: body.args[0]}
    value, *conditions = copied(inner, op.body.block, element.parts, known)
    value = chosen(inner, _under(conditions, element.tests), value, body.args[1])
    inner.insert(phi.YieldOp(value))
    _read_element(body, op, body.args[1], len(places))
    fold = build.insert(phi.FoldOp(op.count, start, Region(body)))
    return build.insert(phi.UpdateOp(op.init, places, fold)).result


def _under(conditions: Sequence[SSAValue], tests: Sequence[Test]) -> list[Test]:
    """Tests of other Bools."""
    pairs = zip(conditions, tests, strict=True)
    return [Test(condition, test.expected) for condition, test in pairs]


def _read_element(body: Block, op: phi.FoldOp, element: SSAValue, depth: int) -> None:
    """Replace reads in a copy of a step by the element at ``depth`` positions, or initial sizes."""
    readers = [inner for inner in body.walk() if op.accumulator in inner.operands]
    for inner in readers:
        if isinstance(inner, phi.SizeOp):
            inner.operands[0] = op.init
        elif len(rest := inner.operands[1 + depth :]):
            Rewriter.replace_op(inner, phi.GetOp(element, rest))
        else:
            Rewriter.replace_op(inner, (), (element,))


class _Sizes(SizeEquivalence):
    """The facts about sizes; only assertions with users count, since others are removed."""

    def __init__(self, module: Operation):
        super().__init__(module, assertions=False)

    def add(self, *ops: Operation) -> None:
        """Record operations, and assertions among them."""
        super().add(*ops)
        for op in (inner for outer in ops for inner in outer.walk()):
            if isinstance(op, phi.AssertEqOp) and op.result.uses:
                self.assume(op)


class WriteRaiser:
    """Replaces the folds of a function by comprehensions."""

    def __init__(self, function: func.FuncOp, analyses: AnalysisManager, *, differentiable: bool):
        self._note = analyses.note
        self._differentiable = differentiable
        self._free = analyses.get(free_indices, function)
        self._sizes = _Sizes(function)
        self._forms = IndexForms(function, self._sizes, self._free)
        self._recogniser = _Recogniser(self._forms, self._sizes)
        self.has_new_folds = False
        """Whether there are new folds of elements, which may be reductions."""

    def fold(self, op: phi.FoldOp) -> None:
        """Raise a fold, or those fields of its accumulator that depend on no other."""
        if not isa(op.result.type, TupleType):
            self._raise(op)
            return
        if groups := separate_fields(op, phi.UpdateOp, phi.ArrayOp):
            raise_fields(op, groups, self._raise, self._free, self._sizes)

    def _raise(self, op: phi.FoldOp) -> bool:
        """``fold (k < n, v = a) { v[k] := e }  -->  array (k < m) { select (k < n, e, a[k]) }``"""
        self._compare_sizes(op)
        element = self._recogniser.element(op)
        if element is not None:
            self._fold_element(op, element)
            return True
        write = self._recogniser.write(op)
        if write is None:
            return False
        edges = self._recogniser.edges(op, write)
        if not pays(op, write, edges) or not self._may_be_whole(op, write):
            return False
        in_place = next(loops_around(op), None) is not None and self._may_be_anywhere(op)
        counter, array = name_of(op.counter), name_of(op.accumulator)
        self._note(op, f"the fold over {counter} writes each element of {array} once")
        scratch = Block()
        rewriting = _Rewriting(op, write, edges, in_place=in_place)
        result = rewriting.result(Builder(InsertPoint.at_end(scratch)))
        self._replace(op, list(scratch.ops), result)
        return True

    def _fold_element(self, op: phi.FoldOp, element: Element) -> None:
        """Replace a fold that updates only one element by the fold of that element."""
        counter, array = name_of(op.counter), name_of(op.accumulator)
        self._note(op, f"the fold over {counter} changes one element of {array}")
        scratch = Block()
        result = _element_after(Builder(InsertPoint.at_end(scratch)), op, element)
        self._replace(op, list(scratch.ops), result)
        self.has_new_folds = True

    def _compare_sizes(self, op: phi.FoldOp) -> None:
        """Move the comparison of sizes of the updated array, if steps compare them, before a fold.

        ``fold (v = a) { update (array (i < assert m = |v|) { v[i] })[p], x }``, where a step
        asserts the size of v, is ``fold (v = array (i < s) { a[i] }) { update v[p], x }``, where s
        is the size of a, which is m if there are steps.
        """
        copy = self._recogniser.copy(op)
        if copy is None:
            return
        known = ComparedSizes(op, [copy], self._sizes)
        axes = known.of_result()
        if axes is None:
            return
        known.values.update(zip(copy.sizes, axes, strict=True))
        build = Builder(InsertPoint.before(op))
        for each in known.ops:
            build.insert(each)
        init = comprehension(
            build, axes, lambda inner, own: inner.insert(phi.GetOp(op.init, own)).result
        )
        assert isinstance(init.owner, phi.ArrayOp)
        known.ops.append(init.owner)
        for each in (inner for new in known.ops for inner in new.walk()):
            each.location = op.location
        for old, new in known.values.items():
            if isinstance(old, OpResult) and is_defined_in(old, op.body.block):
                old.replace_all_uses_with(new)
        copy.result.replace_all_uses_with(op.accumulator)
        self._free.add(*known.ops)
        self._sizes.add(*known.ops)
        self._sizes.inherit(init, op.init)
        op.operands[1] = init
        self._sizes.add(op)

    def _may_be_whole(self, op: phi.FoldOp, write: Write) -> bool:
        """Whether errors and memory allow computing all steps at once."""
        parts = [op.yielded()]
        needed = [inner for each in slice_of(op.body.block, parts) for inner in each.walk()]
        written = {op.counter, *write.indices, *self._free.of(op.result)}
        row = write.update.value.owner
        while isinstance(row, phi.ArrayOp):
            written.update(row.indices)
            row = row.yielded().owner
        return not any(map(may_fail, needed)) and may_materialise_parts(
            op, parts, self._free, frozenset(written)
        )

    def _may_be_anywhere(self, op: phi.FoldOp) -> bool:
        """Whether speculation is legal: steps that the fold does not run may be computed."""
        is_singular_ = self._differentiable and any(map(is_singular, op.body.walk()))
        return is_size(op.count) and not is_singular_

    def _replace(self, op: phi.FoldOp, new: Sequence[Operation], result: SSAValue) -> None:
        for each in new:
            each.detach()
            for inner in each.walk():
                inner.location = op.location
        Rewriter.insert_op(new, InsertPoint.before(op))
        self._free.add(*new)
        self._sizes.add(*new)
        replace(op, result, self._free, self._sizes)


def raise_writes(
    function: func.FuncOp, analyses: AnalysisManager, *, differentiable: bool = False
) -> None:
    """Raise the folds of a function, innermost first."""
    raiser = WriteRaiser(function, analyses, differentiable=differentiable)
    for op in innermost_first(function, phi.FoldOp):
        raiser.fold(op)
    if raiser.has_new_folds:
        analyses.invalidate(function)
        raise_reductions(function, analyses)


@dataclass(frozen=True)
class RaiseWritesPass(FunctionPass):
    """Turns folds that write one element, or row, of an array in each step into comprehensions.

    Before::

        %r = phi.fold (%k < %n, %v = %a) -> !phi.vec<f64> {
          %x = phi.get %b[%k] : !phi.vec<f64>[i64]
          %w = phi.update %v[%k], %x : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
          phi.yield %w : !phi.vec<f64>
        }

    After, where ``%a`` provably has n elements::

        %m = phi.size %a, 0 : !phi.vec<f64>
        %r = phi.array (%i < %m) -> !phi.vec<f64> {
          %k = arith.index_cast %i : index to i64
          %x = phi.get %b[%k] : !phi.vec<f64>[i64]
          phi.yield %x : f64
        }

    Otherwise the values of all steps are one array, and a comprehension selects from its elements
    and those of ``%a``: ``split-index-ranges`` splits it into parts.

    The position is ``k + c`` or ``c - k``, along any axis; further positions are loop invariant, so
    two nested folds over the positions of a matrix become nested comprehensions. Rows may be
    updated in a comprehension of rows, and writes may be conditional. The value may depend on
    elements of the accumulator that no earlier step has written: the element itself, or one that a
    later step writes. Sizes that each step compares with those of the accumulator are compared
    before the fold, if it runs a step.

    A fold that updates one element in all steps, and reads no other, is a fold of that element. So
    updates of the elements of a matrix in three nested folds become sums, and those a contraction.

    A fold stays a loop

    - if a step depends on elements that others have written, or may raise an error;
    - if an array of the values of all steps would be larger than the arrays that are read and than
      the result;
    - if some elements may be unchanged, and its steps are provably few, or an outer loop carries
      the vector: then elements are better updated in place.
    """

    name = "raise-writes"
    looks_for = (phi.UpdateOp,)

    differentiable: bool = False
    """Whether a value whose derivative may be infinite is computed only in the steps that run."""

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        if phi.FoldOp in analyses.get(classes_of, function):
            raise_writes(function, analyses, differentiable=self.differentiable)
