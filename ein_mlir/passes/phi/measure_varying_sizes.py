"""``measure-varying-sizes``: sizes that vary with loops are checked and bounded before them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from xdsl.dialects import arith, func
from xdsl.ir import Block, Operation, SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.free_indices import leaf_types
from ein_mlir.analysis.phi.searches import field_of
from ein_mlir.analysis.phi.varying_sizes import UnprovedSize, varying_sizes
from ein_mlir.analysis.scopes import around, is_within, operands_within
from ein_mlir.dialects import phi
from ein_mlir.dialects.creation import copy_of
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.bounds import bound_value, place_of
from ein_mlir.rewriting.phi.builders import comprehension, fold_over
from ein_mlir.rewriting.phi.insertion import Builder


class SizeLoop:
    """The parts of folds that determine a size or count in the innermost one, as one loop.

    ::

        phi.fold (%k < %n, %acc = %x) {               phi.fold (%k < %n, %most = %zero) {
          %m = arith.subi %p, %k                        %m = arith.subi %p, %k
          %v = phi.array (%i < %m) { .. }     -->       %v = phi.array (%i < %m) { %i }
          ..                                            %next = arith.maxsi %most, %m
        }                                             }

    The loop fails where the other loops would, and its result is the largest size.
    """

    def __init__(self, op: phi.ComprehensionOp | phi.CountedOp, size: SSAValue):
        """``op`` is an operation in folds that requires the size."""
        self._op, self._size = op, size
        self._place = place_of(op.results[0])
        self._folds = [each for each in around(op.parent_op()) if isinstance(each, phi.CountedOp)][
            ::-1
        ]
        self._inits = {fold: Builder.before(fold).leaves(fold.start) for fold in self._folds}
        self._steps = {
            fold: Builder.before_end(fold.regions[0].block).leaves(fold.yielded())
            for fold in self._folds
        }
        self._needed = set[Operation]()
        self._fields = {fold: dict[int, None]() for fold in self._folds}
        self._read = dict[SSAValue, tuple[phi.CountedOp, int]]()
        """The fields of accumulators that are read, by the values that read them."""
        self.is_computable = self._find_all()
        """Whether no step needs an index of a comprehension around it."""

    # The parts that the size depends on

    def _find_all(self) -> bool:
        pending = [self._size, *(fold.operands[0] for fold in self._folds)]
        for loop in self._folds:
            if isinstance(loop, phi.WhileOp):
                pending.extend(self._fields_from(loop, 0, 1))
        while pending:
            value = pending.pop()
            if is_within(value, self._place) and value not in self._read:
                found = self._find(value)
                if found is None:
                    return False
                pending.extend(found)
        return True

    def _find(self, value: SSAValue) -> Sequence[SSAValue] | None:
        """The operands of a value, which is recorded; None for an index."""
        for fold in self._folds:
            if value is fold.counter:
                return ()
            field = field_of(value, fold.accumulator)
            if field is not None:
                return self._find_fields(value, fold, field)
        owner = value.owner
        if not isinstance(owner, Operation):
            return None
        if owner in self._needed:
            return ()
        self._needed.add(owner)
        return [each for each in operands_within(owner) if not is_within(each, owner)]

    def _find_fields(self, value: SSAValue, fold: phi.CountedOp, first: int) -> Sequence[SSAValue]:
        self._read[value] = fold, first
        return self._fields_from(fold, first, len(leaf_types(value.type)))

    def _fields_from(self, fold: phi.CountedOp, first: int, number: int) -> Sequence[SSAValue]:
        """The initial values of fields, which are recorded, and their values after a step."""
        fields = range(first, first + number)
        self._fields[fold].update(dict.fromkeys(fields))
        leaves = [(self._inits[fold][k], self._steps[fold][k]) for k in fields]
        return [each for pair in leaves for each in pair]

    # The loop

    def largest(self, build: Builder) -> SSAValue:
        """The largest size."""
        (largest,) = self._copy_op(build, self._place, 0, {}, build.integer(0))
        return largest

    def _copy(
        self,
        build: Builder,
        block: Block,
        depth: int,
        values: dict[SSAValue, SSAValue],
        largest: SSAValue,
    ) -> SSAValue:
        """The needed operations of a block in order, and the loops in it."""
        for op in block.ops:
            for found in self._copy_op(build, op, depth, values, largest):
                largest = found
        return largest

    def _copy_op(
        self,
        build: Builder,
        op: Operation,
        depth: int,
        values: dict[SSAValue, SSAValue],
        largest: SSAValue,
    ) -> Iterator[SSAValue]:
        if op in self._needed:
            build.insert(copy_of(op, values))
        if depth < len(self._folds) and op is self._folds[depth]:
            yield self._loop(build, depth, values, largest)
        elif op.is_ancestor(self._op) or isinstance(op, phi.ArrayOp):
            for region in op.regions:
                yield self._copy(build, region.block, depth, values, largest)

    def _loop(
        self, build: Builder, depth: int, values: dict[SSAValue, SSAValue], largest: SSAValue
    ) -> SSAValue:
        loop = self._folds[depth]
        fields = sorted(self._fields[loop])
        inits = [*(values.get(v := self._inits[loop][k], v) for k in fields), largest]
        count = values.get(v := loop.operands[0], v)

        def step(inside: Builder, counter: SSAValue, accumulator: SSAValue) -> SSAValue:
            values[loop.counter] = counter
            parts = [inside.proj(accumulator, k) for k in range(len(inits))]
            self._bind_fields(inside, loop, dict(zip(fields, parts[:-1], strict=True)), values)
            found = self._copy(inside, loop.regions[0].block, depth + 1, values, parts[-1])
            if loop is self._folds[-1]:
                found = self._checked(inside, values, parts[-1])
            return inside.tuple(
                [*(values.get(v := self._steps[loop][k], v) for k in fields), found]
            )

        make = phi.WhileOp if isinstance(loop, phi.WhileOp) else phi.FoldOp
        result = fold_over(build, count, build.tuple(inits), step, [loop.counter], make)
        return build.proj(result, len(fields))

    def _bind_fields(
        self,
        build: Builder,
        fold: phi.CountedOp,
        parts: Mapping[int, SSAValue],
        values: dict[SSAValue, SSAValue],
    ) -> None:
        """The values that read fields of an accumulator, as fields of the new one."""
        for value, (owner, first) in self._read.items():
            if owner is fold:
                fields = range(first, first + len(leaf_types(value.type)))
                values[value] = build.record(value.type, (parts[k] for k in fields))

    def _checked(
        self, build: Builder, values: Mapping[SSAValue, SSAValue], largest: SSAValue
    ) -> SSAValue:
        """The larger one of a size and the largest before, from an operation that requires it.

        A pass may drop an error together with its value, so the value is used.
        """
        size = values.get(self._size, self._size)
        if isinstance(self._op, phi.CountedOp):
            names = [self._op.counter]
            largest = fold_over(build, size, largest, lambda _, counter, most: most, names)
            return build.max(largest, size)
        sizes = list(self._op.sizes)
        names = [self._op.indices[sizes.index(self._size)]] if self._size in sizes else []
        array = comprehension(build, [size], lambda _, own: size, names)
        return build.max(largest, build.get(array, [build.integer(0)]))


def measure(found: UnprovedSize) -> bool:
    """Replace a size by an equal one that is a size and bounded; False if that is impossible."""
    loop = SizeLoop(found.op, found.size)
    if not loop.is_computable:
        return False
    tests, size = _tests_of(found), _measured(found, loop)
    for number, operand in enumerate(found.op.operands):
        if operand is found.size and found.op.size_or_count(number) is not None:
            found.op.operands[number] = size
    for op in tests:
        op.operands[1] = size
    return True


def _tests_of(found: UnprovedSize) -> list[arith.CmpiOp]:
    """The comparisons ``.. < m`` after an operation, so that they are seen to test its size."""
    block = found.op.parent
    assert block is not None
    behind = set(list(block.ops)[block.get_operation_index(found.op) + 1 :])
    users = [use.operation for use in found.size.uses if use.index == 1]
    return [
        op
        for op in users
        if isinstance(op, arith.CmpiOp) and any(each in behind for each in around(op))
    ]


def _measured(found: UnprovedSize, loop: SizeLoop) -> SSAValue:
    """``m = max(min(m, N), 0)``, where a loop computes the largest ``N`` and rejects others."""
    build = Builder.before(place_of(found.op.results[0]))
    bound = bound_value(build, LinearForm.of(loop.largest(build)))
    build = Builder.before(found.op)
    return build.max(build.min(found.size, bound), 0)


class MeasureVaryingSizesPass(FunctionPass):
    """Checks sizes and counts that vary from step to step before the loop, and bounds them.

    Before::

        %r = phi.fold (%k < %n, %acc = %zero) -> f64 {
          %c = phi.get %counts[%k] : !phi.vec<i64>[i64]
          %next = phi.fold (%j < %c, %s = %acc) -> f64 { .. }
          phi.yield %next : f64
        }

    After::

        %largest = phi.fold (%k < %n, %most = %none) -> i64 {
          %c = phi.get %counts[%k] : !phi.vec<i64>[i64]
          %checked = phi.fold (%j < %c, %s = %most) -> i64 { phi.yield %s : i64 }
          %next = arith.maxsi %most, %c : i64
          phi.yield %next : i64
        }
        %N = ..                                          // %largest, as the size of an array
        %r = phi.fold (%k < %n, %acc = %zero) -> f64 {
          %c = phi.get %counts[%k] : !phi.vec<i64>[i64]
          %0 = arith.minsi %c, %N : i64
          %1 = arith.maxsi %0, %none : i64
          %next = phi.fold (%j < %1, %s = %acc) -> f64 { .. }
          phi.yield %next : f64
        }

    The first loop computes numbers only, and a library that compiles loops runs it before it
    compiles. That of a loop by a condition carries the condition, too. Proved sizes stay.
    """

    name = "measure-varying-sizes"
    looks_for = (phi.FoldOp, phi.WhileOp)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        # One after the other, since the bound of one may bound others.
        ops = [each.op for each in analyses.get(varying_sizes, function).unproved]
        for op in dict.fromkeys(ops):
            for _ in op.operands:
                varying = analyses.get(varying_sizes, function)
                found = next((each for each in varying.unproved if each.op is op), None)
                if found is None or not measure(found):
                    break
                analyses.note(op, "a size that varies is computed before the loop")
                analyses.invalidate(function)
        if ops:
            erase_unused(function.body.block)
            analyses.invalidate(function)
