"""``share-elements``: values that do not vary with all loops around them are computed once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IndexType, TupleType, i64
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.phi.element_cost import CHEAP, cost
from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence
from ein_mlir.analysis.phi.speculation import Sized, may_fail, negative_sizes
from ein_mlir.analysis.phi.variables import Variables, variables_of
from ein_mlir.analysis.scopes import around, is_within, operations_in, slice_within
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.integers import is_size
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.builders import Emitter, integer

MOST_AXES = 1
"""The most axes of an array of shared values, unless an array that they are computed from has as
many: so no array is much larger than those that the program has anyway.
"""


@dataclass(frozen=True)
class Shared:
    """A value that is computed too often, and a better place for it."""

    value: SSAValue
    place: Operation
    """The outermost loop around the value that it does not vary with."""
    first: int
    """The number of the first index of that loop that it does not vary with."""
    axes: tuple[BlockArgument, ...]
    """The variables of that and of inner loops that it varies with."""
    missing: Variables
    """The variables of these loops that it does not vary with."""


class Sharer:
    """Finds the values of a function to share."""

    def __init__(self, function: func.FuncOp):
        self._function = function
        self._variables = variables_of(function)
        self._moved = dict[Operation, list[Variables]]()
        """The operations that shared values depend on, and the variables that these leave."""

    def shared(self) -> list[Shared]:
        """The values to share, in order; users are visited before their operands."""
        found = list[Shared]()
        for op in reversed(operations_in(self._function)):
            if len(op.results) == 1 and not isinstance(op, phi.YieldOp | func.FuncOp):
                each = self._shared(op.results[0])
                if each is not None and self._is_root(op, each):
                    found.append(each)
        return found[::-1]

    def _shared(self, value: SSAValue) -> Shared | None:
        """The best place of a value, if that is further out than where it is."""
        variables = self._variables[value]
        if isinstance(value.type, TupleType) or not isinstance(value.owner, Operation):
            return None
        loops = [op for op in around(value.owner.parent_op()) if isinstance(op, phi.BodyOp)][::-1]
        for depth, loop in enumerate(loops):
            missing = next((c for c in _counters(loop) if c not in variables), None)
            if missing is None:
                continue
            inside = [c for each in loops[depth:] for c in _counters(each)]
            first = missing.index if isinstance(loop, phi.ArrayOp) else 0
            axes = tuple(c for c in inside[first:] if c in variables)
            if self._is_movable(loop, loops[depth:], variables, axes):
                return Shared(value, loop, first, axes, frozenset(inside) - variables)
        return None

    def _is_movable(
        self,
        place: Operation,
        loops: Sequence[phi.BodyOp],
        variables: Variables,
        axes: Sequence[BlockArgument],
    ) -> bool:
        """Whether a value depends on no accumulator of these loops, and its axes have sizes."""
        if not all(isinstance(loop, phi.ArrayOp | phi.FoldOp) for loop in loops):
            return False
        if any(v in variables for loop in loops for v in loop.variables()):
            return False
        return not any(is_within(size_of(axis), place) for axis in axes)

    def _is_root(self, op: Operation, found: Shared) -> bool:
        """Whether a value is not cheap, and has a user that is not shared itself."""
        if all(self._is_moved(use.operation, found) for use in op.results[0].uses):
            return False
        needed = slice_within(found.place, [found.value])
        inside = [inner for each in needed for inner in operations_in(each)]
        is_cheap = _is_cheap(needed) or (found.axes and _has_cheap_elements(op))
        fails = any(_fails(inner, found.place) for inner in inside)
        if fails or is_cheap or not self._fits(found, inside):
            return False
        for inner in inside:
            self._moved.setdefault(inner, []).append(found.missing)
        return True

    def _is_moved(self, user: Operation, found: Shared) -> bool:
        """Whether a user leaves all loops that a value does not vary with."""
        return any(found.missing <= each for each in self._moved.get(user, ()))

    def _fits(self, found: Shared, inside: Sequence[Operation]) -> bool:
        """Whether an array over the axes is no larger than one that is read, or computed here.

        A vector without further axes is as large as it was.
        """
        if not found.axes or len(found.axes) + phi.rank_of(found.value.type) <= MOST_AXES:
            return True
        reads = (op for op in inside if isinstance(op, phi.GetOp))
        arrays = ((op.array, [_variable(position) for position in op.positions]) for op in reads)
        place = found.place
        if isinstance(place, phi.ArrayOp) and isinstance(place.result.type, phi.VecType):
            arrays = (*arrays, (place.result, list(place.indices)))
        return any(self._has_room(array, positions, found) for array, positions in arrays)

    def _has_room(self, array: SSAValue, positions: Sequence[SSAValue], found: Shared) -> bool:
        """Whether an array has the axes of a value, by positions, and those of its elements."""
        if not set(found.axes) <= set(positions):
            return False
        rank = phi.rank_of(found.value.type)
        if rank == 0:
            return True
        free = [
            size
            for axis in range(phi.rank_of(array.type))
            if axis >= len(positions) or positions[axis] not in found.axes
            if (size := self._forms.size(array, axis)) is not None
        ]
        own = [self._forms.size(found.value, axis) for axis in range(rank)]
        return all(_take(free, size) for size in own)

    @cached_property
    def _forms(self) -> IndexForms:
        """The sizes of arrays, if any value needs them."""
        sizes = SizeEquivalence(self._function)
        return IndexForms(self._function, sizes, FreeIndices(self._function))


def _fails(op: Operation, place: Operation) -> bool:
    """Whether an operation may raise an error that a loop does not raise itself."""
    if isinstance(op, Sized) and isinstance(place, phi.ArrayOp):
        return not set(negative_sizes(op)) <= set(place.sizes)
    return may_fail(op)


def _is_cheap(needed: Sequence[Operation]) -> bool:
    """Whether a value costs little, by the cost rule; a row of an array costs nothing."""
    costs = [0 if _is_row(each) else cost(each) for each in needed]
    return None not in costs and sum(each or 0 for each in costs) <= CHEAP


def _has_cheap_elements(op: Operation) -> bool:
    """Whether the elements of a comprehension cost no more than loads of them would."""
    if not isinstance(op, phi.ArrayOp):
        return (
            isinstance(op, phi.ProjOp)
            and isinstance(op.record.owner, phi.ArrayOp)
            and (_has_cheap_elements(op.record.owner))
        )
    return _is_cheap(list(op.body.block.ops))


def _is_row(op: Operation) -> bool:
    return isinstance(op, phi.GetOp) and isinstance(op.result.type, phi.VecType)


def _take(free: list[LinearForm], size: LinearForm | None) -> bool:
    """Remove a size from a list that another one exceeds by one at most, as that of a scan."""
    for number, each in enumerate(free):
        excess = None if size is None else (size - each).known()
        if excess is not None and excess <= 1:
            del free[number]
            return True
    return False


def _counters(loop: phi.BodyOp) -> Sequence[BlockArgument]:
    """The variables of a loop; a reduction has its elements."""
    return loop.counters() or loop.variables()


def size_of(variable: BlockArgument) -> SSAValue:
    """The size of an index, or the count of a counter."""
    loop = variable.block.parent_op()
    if isinstance(loop, phi.ArrayOp):
        return loop.sizes[variable.index]
    assert isinstance(loop, phi.FoldOp)
    return loop.count


def _variable(position: SSAValue) -> SSAValue:
    return phi.uncast(position)


# Rewriting --------------------------------------------------------------------------------------


def split(op: phi.ArrayOp, count: int) -> phi.ArrayOp:
    """``array (i < n, j < m) { e }  -->  array (i < n) { array (j < m) { e } }``"""
    block = op.body.block
    outer = Block(arg_types=[IndexType()] * count)
    for new, old in zip(outer.args, list(block.args)[:count], strict=True):
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    for old in list(block.args)[:count]:
        block.erase_arg(old)
    row = phi.row_of(op.result.type, count)
    inner = phi.ArrayOp(list(op.sizes)[count:], Region(op.body.detach_block(block)), row)
    inner.location = op.location
    outer.add_ops([inner, phi.YieldOp(inner.result)])
    new_op = phi.ArrayOp(list(op.sizes)[:count], Region(outer), op.result.type)
    new_op.location = op.location
    new_op.result.name_hint = op.result.name_hint
    Rewriter.replace_op(op, new_op)
    return new_op


def share(found: Shared) -> None:
    """Compute a value before the loop that it does not vary with, over its axes."""
    values = dict[SSAValue, SSAValue]()
    needed = slice_within(found.place, [found.value])
    ops = list[Operation]()
    if not found.axes:
        for op in needed:
            ops.append(op.clone(values))
        result = values[found.value]
    else:
        build = Emitter()
        array = build.insert(_array_of(found, needed, build))
        ops.extend(build.ops)
        result = array.result
    for op in ops:
        op.location = found.place.location
    Rewriter.insert_op(ops, InsertPoint.before(found.place))
    owner = found.value.owner
    assert isinstance(owner, Operation)
    if found.axes:
        read = phi.GetOp(result, found.axes)
        read.location = owner.location
        Rewriter.insert_op(read, InsertPoint.after(owner))
        result = read.result
    result.name_hint = found.value.name_hint
    found.value.replace_all_uses_with(result)


def _array_of(found: Shared, needed: Sequence[Operation], build: Emitter) -> phi.ArrayOp:
    """The array of a value over its axes; a negative size is an error of the loop only."""
    body = Block(arg_types=[IndexType()] * len(found.axes))
    values = dict[SSAValue, SSAValue]()
    for new, old in zip(body.args, found.axes, strict=True):
        new.name_hint = old.name_hint
        values[old] = new
        if old.type == i64:
            body.add_op(number := arith.IndexCastOp(new, i64))
            values[old] = number.result
    body.add_ops([op.clone(values) for op in needed])
    body.add_op(phi.YieldOp(values[found.value]))
    sizes = [_nonnegative(size_of(axis), build) for axis in found.axes]
    return phi.ArrayOp(sizes, Region(body))


def _nonnegative(size: SSAValue, build: Emitter) -> SSAValue:
    """``max(n, 0)``"""
    if is_size(size):
        return size
    return build.emit(arith.MaxSIOp(size, integer(build, 0)))


def share_elements(function: func.FuncOp, analyses: AnalysisManager) -> None:
    """Share the values of a function."""
    for op, counts in _splits(Sharer(function).shared()).items():
        for count in sorted(counts, reverse=True):
            op = split(op, count)
    for found in Sharer(function).shared():
        if found.first == 0:
            analyses.note(found.place, f"{name_of(found.value)} is computed before the loop")
            share(found)


def _splits(shared: Iterable[Shared]) -> Mapping[phi.ArrayOp, set[int]]:
    """The comprehensions to split, and after how many indices."""
    found = dict[phi.ArrayOp, set[int]]()
    for each in shared:
        if each.first and isinstance(each.place, phi.ArrayOp):
            found.setdefault(each.place, set()).add(each.first)
    return found


class ShareElementsPass(FunctionPass):
    """Computes values once that do not vary with all indices and counters around them.

    Before::

        %p = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
          %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
            %x = phi.get %a[%i, %k] : ...
            ...
          }
          %y = phi.get %b[%j] : !phi.vec<f64>[index]
          %e = math.exp %y : f64
          %z = arith.mulf %s, %e : f64
          phi.yield %z : f64
        }

    After::

        %e = phi.array (%j < %m) -> !phi.vec<f64> {
          %y = phi.get %b[%j] : !phi.vec<f64>[index]
          %0 = math.exp %y : f64
          phi.yield %0 : f64
        }
        %p = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
          %s = phi.fold (%k < %m, %acc = %zero) -> f64 { .. }
          %row = phi.array (%j < %m) -> !phi.vec<f64> {
            %0 = phi.get %e[%j] : !phi.vec<f64>[index]
            %z = arith.mulf %s, %0 : f64
            phi.yield %z : f64
          }
          phi.yield %row : !phi.vec<f64>
        }

    A value, a scalar or a vector, moves out of the outermost loop that it does not vary with. If it
    varies with inner loops, it becomes an array over their variables. Cheap values stay, by the
    cost rule of ``ein_mlir.analysis.phi.element_cost``, and so do values that depend on an
    accumulator of these loops or may raise an error that the loop itself does not. An array of
    several axes, those of a vector included, must be no larger than one that is read, or than the
    result of the loop.
    """

    name = "share-elements"
    looks_for = (phi.ArrayOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        share_elements(function, analyses)
