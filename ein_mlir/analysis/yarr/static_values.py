"""Static values, which must be known before a program is traced: sizes, counts, their operands.

JAX compiles a program for fixed shapes. Sizes of arrays are static then, but a size that is
computed from a number is static only if the number is. Backwards from every size, count and
assertion::

    func.func @f(%n: tensor<i64>, %a: tensor<?xf64>) {
      %two = arith.constant dense<2> : tensor<i64>
      %m = yarr.elementwise { arith.muli } %n, %two : ...   // static, since it is a size
      %r = yarr.range %m : tensor<?xi64>                    // a size must be static
      ...

the analysis finds ``%m``, then ``%two`` and ``%n``: the argument ``n`` is static. A static size of
an array does not make its elements static. A loop whose counter or accumulators must be static is
unrolled. A count must be static, unless it has a static bound (`bounded_count`) and depends on
elements of arrays, or on a loop that is not unrolled: then it may differ from step to step of that
loop. The count of an unrolled loop is static in any case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeGuard

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import DenseArrayBase, TensorType, TupleType, i64
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.scopes import classes_among, operations_within, reached, sources_within
from ein_mlir.dialects import emitpy, yarr
from ein_mlir.host.dataclass import dataclass

Path = tuple[int, ...]
"""The number of an argument of a function, then fields of nested records."""


def _sources_but_of_sizes(value: SSAValue) -> Iterable[SSAValue]:
    """The operands that a value is computed from; a size needs no elements of its array."""
    return () if isinstance(value.owner, yarr.SizeOp) else sources_within(value)


class StaticValues:
    """The static values of a yarr function, given by its block."""

    def __init__(self, block: Block):
        self._values = set[SSAValue]()
        self._arguments = set[Path]()
        self._unrolled = set[yarr.LoopOp]()
        self._pending = list[SSAValue]()
        bounded = list[tuple[yarr.LoopOp, BoundedCount]]()
        ops = operations_within(block)
        sized = _SIZES.keys() | classes_among(ops, yarr.FoldOp, yarr.WhileOp)
        for op in [each for each in ops if type(each) in sized]:
            if isinstance(op, yarr.FoldOp) and (found := bounded_count(op)) is not None:
                bounded.append((op, found))
                self._demand((found.bound,))
            elif isinstance(op, yarr.WhileOp):
                bounded.append((op, BoundedCount(op.count, op.count)))
            else:
                self._demand(_sizes_of(op))
        self._follow_all()
        self._demand_counts(bounded)

    def __contains__(self, value: SSAValue) -> bool:
        return value in self._values

    def has_any(self, values: Iterable[SSAValue]) -> bool:
        """Whether some of the values are static."""
        return not self._values.isdisjoint(values)

    def include(self, values: Iterable[SSAValue]) -> None:
        """Make values static that follow from static ones and sizes."""
        self._values.update(values)

    @property
    def arguments(self) -> Sequence[Path]:
        """The arguments, and fields of arguments, that must be static."""
        return sorted(self._arguments)

    def is_unrolled(self, op: yarr.LoopOp) -> bool:
        """Whether the counter or an accumulator of a loop must be static."""
        return op in self._unrolled

    def _demand_counts(self, bounded: Sequence[tuple[yarr.LoopOp, BoundedCount]]) -> None:
        """Demand the bounded counts that vary neither with data nor with a loop that stays."""
        demanded = True
        while demanded:
            demanded = False
            for op, found in bounded:
                if op.operands[0] not in self and self._may_be_static(found.count):
                    self._demand((op.operands[0], found.count))
                    self._follow_all()
                    demanded = True

    def _may_be_static(self, count: SSAValue) -> bool:
        """Whether a count depends on no elements of arrays, and on no loops but unrolled ones."""
        return not any(map(self._is_dynamic, reached([count], _sources_but_of_sizes)))

    def _is_dynamic(self, value: SSAValue) -> bool:
        """Whether a value is an array, or a variable of a loop that is not unrolled."""
        if isa(value.type, TensorType) and yarr.rank_of(value):
            return True
        loop = value.owner.parent_op() if isinstance(value.owner, Block) else None
        return isinstance(loop, yarr.LoopOp) and loop not in self._unrolled

    def _follow_all(self) -> None:
        while self._pending:
            self._follow(self._pending.pop())

    def _demand(self, values: Iterable[SSAValue]) -> None:
        for value in values:
            if value not in self._values:
                self._values.add(value)
                self._pending.append(value)

    def _follow(self, value: SSAValue) -> None:
        """Demand the operands of a value."""
        if isinstance(value, BlockArgument):
            self._follow_argument(value)
            return
        assert isinstance(value, OpResult)
        op = value.op
        match op:
            case yarr.SizeOp():
                pass
            case yarr.FoldOp() | yarr.WhileOp():
                self._unroll(op)
                self._demand_accumulator(op, value.index)
            case yarr.ProjOp():
                self._follow_field(op)
            case _:
                self._demand(op.operands)

    def _follow_argument(self, value: BlockArgument) -> None:
        op = value.block.parent_op()
        match op:
            case func.FuncOp():
                self._demand_leaves((value.index,), value.type)
            case yarr.FoldOp() | yarr.WhileOp():
                self._unroll(op)
                if value.index:
                    self._demand_accumulator(op, value.index - 1)
            case yarr.TreeReduceOp():
                self._demand(op.operands)
            case _:
                pass

    def _follow_field(self, op: yarr.ProjOp) -> None:
        """Demand only the field if the record is an argument or is built in the program."""
        path, record = [op.field.value.data], op.record
        while isinstance(record.owner, yarr.ProjOp):
            path.insert(0, record.owner.field.value.data)
            record = record.owner.record
        if isinstance(record.owner, yarr.TupleOp):
            self._demand((record.owner.fields[path[0]],))
        elif isinstance(record, BlockArgument):
            self._demand_leaves((record.index, *path), op.result.type)
        else:
            self._demand((record,))

    def _demand_leaves(self, path: Path, type_: Attribute) -> None:
        if not isa(type_, TupleType):
            self._arguments.add(path)
            return
        for number, field in enumerate(type_.types):
            self._demand_leaves((*path, number), field)

    def _unroll(self, op: yarr.FoldOp | yarr.WhileOp) -> None:
        """Unroll a loop: its count is static, even with a bound, and so is its condition."""
        self._unrolled.add(op)
        self._demand((op.count,))
        if isinstance(op, yarr.WhileOp):
            self._demand_accumulator(op, 0)

    def _demand_accumulator(self, op: yarr.FoldOp | yarr.WhileOp, number: int) -> None:
        terminator = op.body.block.last_op
        assert isinstance(terminator, yarr.YieldOp)
        step = terminator.values[number]
        self._demand((op.inits[number], op.accumulators[number], step, op.res[number]))


@dataclass(frozen=True)
class BoundedCount:
    """The count of a fold, and a bound of it."""

    count: SSAValue
    bound: SSAValue


def bounded_count(op: yarr.FoldOp) -> BoundedCount | None:
    """``n`` and ``N`` of a count ``max(min(n, N), 0)``, as ``bound-varying-sizes`` writes it."""
    largest = op.count.owner
    if not _applies(largest, arith.MaxSIOp):
        return None
    least = largest.operands[0].owner
    return BoundedCount(*least.operands) if _applies(least, arith.MinSIOp) else None


def _applies(op: Operation | Block, operator: type[Operation]) -> TypeGuard[yarr.ElementwiseOp]:
    """Whether an operation applies one scalar operator to two values."""
    return isinstance(op, yarr.ElementwiseOp) and op.is_binary(operator)


def _sizes_of(op: Operation) -> Sequence[SSAValue]:
    """The operands that determine a shape or a count inside an operation, or an error of it."""
    sizes = _SIZES.get(type(op))
    return () if sizes is None else sizes(op)


def _own_size(op: Any) -> Sequence[SSAValue]:
    return (op.size,)


def _own_sizes(op: Any) -> Sequence[SSAValue]:
    return op.sizes


def _count(op: Any) -> Sequence[SSAValue]:
    return (op.count,)


def _all(op: Operation) -> Sequence[SSAValue]:
    return op.operands


_SIZES: Mapping[type[Operation], Callable[[Any], Sequence[SSAValue]]] = {
    **dict.fromkeys((yarr.RangeOp, yarr.RepeatOp, yarr.SliceOp), _own_size),
    **dict.fromkeys((yarr.AccumulateOp, yarr.CorrelateOp, yarr.StridedOp), _own_sizes),
    **dict.fromkeys((yarr.FoldOp, yarr.TopKOp, yarr.UpdateSliceOp), _count),
    **dict.fromkeys((yarr.AssertEqOp, yarr.AssertSizeOp), _all),
    yarr.ConcatOp: lambda op: () if op.size is None else (op.size,),
    yarr.PadOp: lambda op: (op.low, op.high),
    func.ReturnOp: lambda op: op.operands if has_static_results(op) else (),
}


def has_static_results(op: func.ReturnOp) -> bool:
    """Whether an operation returns the results of a function that must be static."""
    function = op.parent_op()
    return function is not None and emitpy.STATIC_RESULTS in function.attributes


def path_attribute(path: Path) -> DenseArrayBase:
    """A path as an attribute."""
    return DenseArrayBase.from_list(i64, path)
