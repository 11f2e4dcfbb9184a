"""The values of linear recurrences: carried elements, and blocks of steps by their responses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial, reduce
from typing import TypeAlias

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.loops.combinations import Later
from ein_mlir.analysis.phi.loops.linear import Lagged, LinearRecurrence
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.searches import leaf_values
from ein_mlir.analysis.phi.selections import Test
from ein_mlir.analysis.scopes import operands_within
from ein_mlir.dialects import phi
from ein_mlir.dialects.creation import copy_of
from ein_mlir.rewriting.phi.fields import carried
from ein_mlir.rewriting.phi.float_tests import is_infinite, is_large_divisor, is_small_factor
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.linear_parts import LinearPart
from ein_mlir.rewriting.phi.step_values import StepValues

BLOCK = 32
"""The steps of a block."""

LEAST_STEPS = 256
"""The least number of steps for which blocks take less time than the loop."""

Entry: TypeAlias = tuple[int, int]
"""The row and the column of an element of a matrix: a field, and the one it depends on."""

_Factor: TypeAlias = Callable[[Builder, SSAValue, Sequence[SSAValue]], SSAValue]
"""The factor of the term of a step, given that, and the block and the other index of a sum."""


class LinearSteps:
    """The construction of the values of fields after each number of steps.

    With A the matrix of factors, ``u[k]`` the terms of a step, and ``s`` the fields before a block
    of B steps, the fields after j of these are::

        A^j s + (A^(j-1) u[0] + .. + u[j-1])

    The sums of all blocks are one product of matrices. The fields before each block are a loop over
    blocks. A loop over the steps computes the last ones, or all: if there are few, if a result is
    not finite, or if a product of factors may underflow.
    """

    def __init__(
        self,
        op: phi.FoldOp,
        found: LinearRecurrence,
        inits: Sequence[SSAValue],
        read: Sequence[int],
    ):
        """``read`` are the fields whose values after each number of steps are needed."""
        self._op, self._found, self._read = op, found, read
        self._inits = [inits[number] for number in found.numbers]
        self._size = len(self._inits)
        self._type = self._inits[0].type
        self._values = StepValues(op)
        self._offsets = dict[int, SSAValue]()

    def build(self, build: Builder) -> tuple[Sequence[SSAValue], Mapping[int, SSAValue]]:
        """The final values of all fields, and the arrays of those that are read."""
        count = self._op.count
        for row in range(self._size):
            if self._part(build, build.integer(0), None).of(self._found.steps[row]) is not None:
                self._offsets[row] = self._values.over_steps(build, partial(self._offset, row))
        size = build.add(count, 1)
        arrays = [_repeated(build, size, self._inits[row]) for row in self._read]
        some = build.compare(count, "sge", LEAST_STEPS)
        blocks = build.select(some, build.floordiv(count, BLOCK), 0)
        *state, done = build.leaves(
            build.fold_over(
                build.steps_if(Test(some, True)),
                build.tuple([*self._inits, *arrays, build.integer(0)]),
                lambda inner, _, before: inner.tuple(self._in_blocks(inner, before, blocks)),
            )
        )
        start = build.max(build.min(done, count), 0)
        state = self._stepped(build, state, build.sub(count, start), start)
        return state[: self._size], dict(zip(self._read, state[self._size :], strict=True))

    # Steps ----------------------------------------------------------------------------------

    def _stepped(
        self, build: Builder, state: Sequence[SSAValue], count: SSAValue, start: SSAValue
    ) -> list[SSAValue]:
        """Fields and arrays after steps from a start on, one after the other."""

        def step(inner: Builder, counter: SSAValue, before: SSAValue) -> SSAValue:
            fields, place = inner.leaves(before), inner.add(start, counter)
            known = {value: fields[row] for value, row in self._found.fields.items()}
            known[self._op.counter] = place
            new = inner.copied(self._op.body.block, self._found.steps, known)
            arrays = zip(fields[self._size :], self._read, strict=True)
            after = inner.add(place, 1)
            written = [inner.update(v, [after], new[row]) for v, row in arrays]
            return inner.tuple([*new, *written])

        names = [self._op.counter]
        return build.leaves(build.fold_over(count, build.tuple(state), step, names))

    def _offset(self, row: int, build: Builder, step: SSAValue) -> SSAValue:
        value = self._part(build, step, None).of(self._found.steps[row])
        assert value is not None
        return value

    def _part(
        self, build: Builder, step: SSAValue | None, state: Sequence[SSAValue] | None
    ) -> LinearPart:
        return LinearPart(build, self._found, self._values, step, state)

    # Blocks -----------------------------------------------------------------------------------

    def _in_blocks(self, build: Builder, before: SSAValue, blocks: SSAValue) -> list[SSAValue]:
        """Fields, arrays and the number of steps after blocks of steps; 0 if a test fails."""
        fields = build.leaves(before)
        powers, small = self._powers(build)
        terms = self._terms(build, blocks)
        sums = {row: self._sums(build, row, terms, blocks, powers) for row in self._read}
        ends = [self._ends(build, row, terms, blocks, powers, sums) for row in range(self._size)]
        new, starts = self._over_blocks(build, fields[: self._size], blocks, powers, ends)
        size, arrays, failures = build.mul(blocks, BLOCK), list[SSAValue](), list[SSAValue]()
        for row, array in zip(self._read, fields[self._size : -1], strict=True):
            values = self._block_values(build, row, blocks, powers, sums[row], starts)
            flat = build.comprehension([size], partial(_element_of_blocks, values))
            one = build.integer(1)
            arrays.append(build.emit(phi.UpdateSliceOp(array, one, one, flat)))
            failures.append(is_infinite(build, build.reduce(flat, 0.0, arith.AddfOp)))
        failures += [is_infinite(build, value) for value in new]
        fails = build.any_of([small, *self._are_small(build), *failures])
        chosen = (build.select(fails, *pair) for pair in zip(fields, new, strict=False))
        return [*chosen, *arrays, build.select(fails, 0, size)]

    def _powers(self, build: Builder) -> tuple[Mapping[Entry, SSAValue], SSAValue]:
        """The elements of ``A^j``, for j up to the size of a block, as vectors over j.

        With them, whether one is so small that its products with others may underflow.
        """
        entries = [(row, column) for column in range(self._size) for row in range(self._size)]
        one, zero = build.number(1.0, self._type), build.number(0.0, self._type)
        units = [one if row == column else zero for row, column in entries]
        size, count = build.integer(BLOCK + 1), len(entries)
        arrays = [_repeated(build, size, unit) for unit in units]

        def step(inner: Builder, counter: SSAValue, before: SSAValue) -> SSAValue:
            fields, place, new = inner.leaves(before), inner.add(counter, 1), list[SSAValue]()
            for start in range(0, count, self._size):
                state = fields[start : start + self._size]
                part = self._part(inner, None, state)
                new += [part.of(value) or zero for value in self._found.steps]
            written = zip(fields[count:-1], new, strict=True)
            arrays = [inner.update(v, [place], x) for v, x in written]
            small = inner.any_of([fields[-1], *(is_small_factor(inner, x, 2) for x in new)])
            return inner.tuple([*new, *arrays, small])

        start = build.tuple([*units, *arrays, build.truth(False)])
        *found, small = build.leaves(build.fold_over(build.integer(BLOCK), start, step))
        return dict(zip(entries, found[count:], strict=True)), small

    def _terms(self, build: Builder, blocks: SSAValue) -> Mapping[int, SSAValue]:
        """``u[k]``, by blocks and their steps."""

        def term(inner: Builder, own: Sequence[SSAValue], array: SSAValue) -> SSAValue:
            place = inner.add(inner.mul(inner.as_int(own[0]), BLOCK), inner.as_int(own[1]))
            return inner.get(array, [place])

        sizes = [blocks, build.integer(BLOCK)]
        return {
            column: build.comprehension(sizes, partial(term, array=array))
            for column, array in self._offsets.items()
        }

    def _sums(
        self,
        build: Builder,
        row: int,
        terms: Mapping[int, SSAValue],
        blocks: SSAValue,
        powers: Mapping[Entry, SSAValue],
    ) -> SSAValue | None:
        """``A^(j-1) u[0] + .. + u[j-1]``, for each block and for j from 1 on; None for zeros."""
        length = build.integer(BLOCK)
        zero = build.number(0.0, self._type)

        def response(column: int) -> SSAValue:
            def element(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
                distance = inner.sub(inner.as_int(own[1]), inner.as_int(own[0]))
                power = inner.get(powers[row, column], [distance])
                return inner.select(inner.compare(distance, "sge", 0), power, zero)

            return build.comprehension([length, length], element)

        def sums(column: int) -> SSAValue:
            matrix = response(column)

            def factor(inner: Builder, step: SSAValue, own: Sequence[SSAValue]) -> SSAValue:
                return inner.get(matrix, [step, own[1]])

            return self._products(build, terms[column], factor, [blocks, length])

        return _sum_of_arrays(build, [blocks, length], list(map(sums, self._offsets)))

    def _ends(
        self,
        build: Builder,
        row: int,
        terms: Mapping[int, SSAValue],
        blocks: SSAValue,
        powers: Mapping[Entry, SSAValue],
        sums: Mapping[int, SSAValue | None],
    ) -> SSAValue | None:
        """The last sum of each block."""
        if row in sums:
            array = sums[row]
            last = build.integer(BLOCK - 1)
            if array is None:
                return None
            return build.comprehension([blocks], lambda inner, own: inner.get(array, [*own, last]))

        def end(column: int) -> SSAValue:
            def factor(inner: Builder, step: SSAValue, _: Sequence[SSAValue]) -> SSAValue:
                distance = inner.sub(inner.integer(BLOCK - 1), inner.as_int(step))
                return inner.get(powers[row, column], [distance])

            return self._products(build, terms[column], factor, [blocks])

        return _sum_of_arrays(build, [blocks], list(map(end, self._offsets)))

    def _products(
        self, build: Builder, terms: SSAValue, factor: _Factor, sizes: Sequence[SSAValue]
    ) -> SSAValue:
        """Sums over the steps of a block of terms with a factor, for each block and other index."""

        def element(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
            def product(deep: Builder, step: Sequence[SSAValue]) -> SSAValue:
                term = deep.get(terms, [own[0], *step])
                return _times(deep, term, factor(deep, step[0], own))

            products = inner.comprehension([inner.integer(BLOCK)], product)
            zero = inner.number(0.0, self._type)
            return inner.reduce(products, zero, arith.AddfOp)

        return build.comprehension(sizes, element)

    def _over_blocks(
        self,
        build: Builder,
        fields: Sequence[SSAValue],
        blocks: SSAValue,
        powers: Mapping[Entry, SSAValue],
        ends: Sequence[SSAValue | None],
    ) -> tuple[Sequence[SSAValue], Sequence[SSAValue]]:
        """The fields after all blocks, and those before each block as arrays."""
        factors = {
            entry: build.get(power, [build.integer(BLOCK)]) for entry, power in powers.items()
        }
        zero = build.number(0.0, self._type)
        arrays = [_repeated(build, blocks, zero) for _ in fields]

        def step(inner: Builder, block: SSAValue, before: SSAValue) -> SSAValue:
            state = inner.leaves(before)
            arrays = [
                inner.update(array, [block], value)
                for value, array in zip(state[: self._size], state[self._size :], strict=True)
            ]
            new = list[SSAValue]()
            for row, end in enumerate(ends):
                parts = [
                    _times(inner, factors[row, column], state[column])
                    for column in range(self._size)
                ]
                if end is not None:
                    parts.append(inner.get(end, [block]))
                new.append(_total(inner, parts))
            return inner.tuple([*new, *arrays])

        found = build.leaves(build.fold_over(blocks, build.tuple([*fields, *arrays]), step))
        return found[: self._size], found[self._size :]

    def _block_values(
        self,
        build: Builder,
        row: int,
        blocks: SSAValue,
        powers: Mapping[Entry, SSAValue],
        sums: SSAValue | None,
        starts: Sequence[SSAValue],
    ) -> SSAValue:
        """The values of a field after each step of all blocks."""

        def element(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
            after = inner.add(inner.as_int(own[1]), 1)
            parts = [
                _times(inner, inner.get(start, [own[0]]), inner.get(powers[row, column], [after]))
                for column, start in enumerate(starts)
            ]
            if sums is not None:
                parts.append(inner.get(sums, own))
            return _total(inner, parts)

        return build.comprehension([blocks, build.integer(BLOCK)], element)

    def _are_small(self, build: Builder) -> Iterator[SSAValue]:
        """Whether the product of all factors of a step may be too small, by each of them."""
        for value, number in self._found.factors.items():
            op = value.owner
            assert isinstance(op, Operation)
            factor = self._values.value(build, op.operands[number], build.integer(0))
            test = is_large_divisor if isinstance(op, arith.DivfOp) else is_small_factor
            yield test(build, factor, 2 * len(self._found.factors))


def _element_of_blocks(values: SSAValue, build: Builder, own: Sequence[SSAValue]) -> SSAValue:
    step = build.as_int(own[0])
    return build.get(values, [build.floordiv(step, BLOCK), build.floormod(step, BLOCK)])


def _repeated(build: Builder, size: SSAValue, value: SSAValue) -> SSAValue:
    return build.comprehension([size], lambda _, __: value)


def _times(build: Builder, x: SSAValue, y: SSAValue) -> SSAValue:
    return build.mul(x, y)


def _total(build: Builder, terms: Sequence[SSAValue]) -> SSAValue:
    return reduce(lambda x, y: build.add(x, y), terms)


def _sum_of_arrays(
    build: Builder, sizes: Sequence[SSAValue], arrays: Sequence[SSAValue]
) -> SSAValue | None:
    """The sum of arrays; None for none."""
    if not arrays:
        return None

    def element(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
        parts = [inner.get(array, own) for array in arrays]
        return _total(inner, parts)

    return arrays[0] if len(arrays) == 1 else build.comprehension(sizes, element)


def rows_read(op: phi.FoldOp, found: LinearRecurrence) -> list[int]:
    """Which of the fields of a recurrence the other fields of a fold read."""
    steps = leaf_values(op.yielded())
    others = [step for number, step in enumerate(steps) if number not in found.numbers]
    needed = slice_of(op.body.block, others, found.steps)
    used = {*others, *(value for each in needed for value in operands_within(each))}
    rows = {row for value, row in found.fields.items() if value in used}
    rows |= {row for row, step in enumerate(found.steps) if step in used}
    return sorted(rows)


def after_first_steps(op: phi.FoldOp, later: Later, first: int, forms: IndexForms) -> None:
    """``fold (k < n) { e(k) }  -->  fold (k < min(n, c)) { e(k) }; fold (k < n - c) { e(k + c) }``

    Choices ``later`` than the first c steps are the side that they take. The second fold is op.
    """
    build = Builder.before(op, forms.add)
    head = copy_of(op)
    head.operands[0] = build.min(op.count, first)
    op.operands[1] = build.emit(head)
    build.skip_steps(op, first)
    for choice, (side, _) in reversed(later.items()):
        choice.replace_all_uses_with(side)
    forms.renew(op)


def carry_elements(op: phi.FoldOp, found: Lagged, forms: IndexForms) -> phi.FoldOp:
    """``fold (y = a) { y[k] := e(y[k - 1], y[k - 2]) }  -->``
    ``fold ((y, p, q) = (a, a[-1], a[-2])) { y[k] := x = e(p, q); (y, x, p) }``,
    after the first steps, which read positions below 0.
    """
    if found.first:
        after_first_steps(op, Later(), found.first, forms)
    build = Builder.before(op)
    array, start = build.leaves(op.init)[found.number], Builder.at_start(op.body.block)
    lags = range(1, found.most + 1)
    values = [start.number(0.0, found.element.type) for _ in lags]
    for read, lag in found.reads.items():
        read.replace_all_uses_with(values[lag - 1])
    starts = [build.get(array, [build.integer(found.first + found.place - lag)]) for lag in lags]
    new = phi.FoldOp.of(carried(op, values, starts, [found.element, *values[:-1]]))
    forms.add(new)
    return new
