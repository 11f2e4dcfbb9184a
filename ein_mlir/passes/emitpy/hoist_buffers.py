"""``hoist-buffers``: temporaries of a loop are allocated before the loop."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from xdsl.builder import Builder
from xdsl.dialects import func
from xdsl.dialects.builtin import TensorType, f64
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.emitpy.shapes import PythonShapes, Size, is_outside
from ein_mlir.analysis.emitpy.shared_memory import Memory, Roots, base_of, memory_of
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.scopes import operations_in
from ein_mlir.backends.numpy.tables import DTYPES
from ein_mlir.dialects import emitpy
from ein_mlir.dialects.emitpy.base import is_array
from ein_mlir.rewriting.emitpy.calls import (
    call_into,
    is_clipped_take,
    is_elementwise,
    is_empty,
    replace_in_place,
    shapes_of,
)
from ein_mlir.rewriting.emitpy.reuse import drop_copies
from ein_mlir.rewriting.passes import FunctionPass

Kind = tuple[Attribute, tuple[Size, ...]]
"""The type and the sizes of a buffer."""


def hoist_buffers(function: func.FuncOp, analyses: AnalysisManager) -> None:
    """Allocate the temporaries of the loops of a function before the loops."""
    swaps = _Swaps(analyses.get(memory_of, function))
    for loop in _loops_in(function):
        swaps.find(loop, analyses.get(shapes_of, function))
    if swaps.apply():
        analyses.invalidate(function)
    memory, shapes = analyses.get(memory_of, function), analyses.get(shapes_of, function)
    plans = [_Plan(loop, memory, shapes) for loop in _loops_in(function)]
    chosen = [plan for plan in plans if plan.has_buffers]
    for plan in chosen:
        plan.apply()
    if chosen:
        analyses.invalidate(function)
    drop_copies(function, analyses)


def _loops_in(function: func.FuncOp) -> Sequence[emitpy.ForOp]:
    return [op for op in operations_in(function) if isinstance(op, emitpy.ForOp)]


# Accumulators ---------------------------------------------------------------------------------


class _Swaps:
    """Accumulators with alternating buffers: the next value overwrites a value without later uses.

    The step still reads the accumulator itself, so its next value needs another array: each new
    value has a spare buffer, and the value that dies in the step is the spare buffer of the next
    step.
    """

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._pairs: dict[emitpy.ForOp, list[tuple[Operation, BlockArgument, Kind]]] = {}
        self._shared: dict[emitpy.ForOp, list[int]] = {}

    def find(self, loop: emitpy.ForOp, shapes: PythonShapes) -> None:
        """Find the new values of a loop, and for each an accumulator that dies."""
        own = self._own(loop)
        handed_on = {root for value in loop.yielded for root in self._memory.roots(value)}
        dying = [accumulator for accumulator in own if accumulator not in handed_on]
        pairs = list[tuple[Operation, BlockArgument, Kind]]()
        for base in own.values():
            if isinstance(base, BlockArgument):
                continue
            kind = base.type, shapes.of(base)
            dead = next((d for d in dying if (d.type, shapes.of(d)) == kind), None)
            if dead is not None and all(is_outside(s, loop.body.block) for s in kind[1]):
                dying.remove(dead)
                pairs.append((_operation(base), dead, kind))
        if pairs:
            self._pairs[loop] = pairs
            self._shared[loop] = [
                accumulator.index - 1
                for accumulator in own
                if not _is_given_away(loop.inits[accumulator.index - 1], loop, self._memory)
            ]

    def _own(self, loop: emitpy.ForOp) -> dict[BlockArgument, SSAValue]:
        """The accumulators that are fresh arrays in each step, with their next values.

        A next value is an array that the step computes, or the previous value of another such
        accumulator, and no other carried value aliases it.
        """
        memory, values = self._memory, loop.yielded
        counts = Counter(root for value in values for root in memory.roots(value))
        own = {
            accumulator: base_of(value)
            for accumulator, value in zip(loop.accumulators, values, strict=True)
            if is_array(accumulator) and memory.roots(value) == Roots((base_of(value),))
        }
        before = dict[BlockArgument, SSAValue]()
        while len(own) != len(before):
            before = own
            own = {
                accumulator: base
                for accumulator, base in before.items()
                if counts[base] == 1 and (base in before or _is_made_by_step(base, loop.body.block))
            }
        return own

    def apply(self) -> bool:
        """Add the spare buffers to the loops; whether there are any."""
        replaced = dict[SSAValue, SSAValue]()
        for loop, pairs in self._pairs.items():
            for number in self._shared[loop]:
                init = loop.inits[number]
                copy = emitpy.MethodOp(init, "copy", (), init.type)
                copy.location = loop.location
                copy.result.name_hint = loop.accumulators[number].name_hint
                Rewriter.insert_op(copy, InsertPoint.before(loop))
                loop.operands[1 + number] = copy.result
            now = [(op, dead, _renamed(kind, replaced)) for op, dead, kind in pairs]
            before = loop.res
            replaced.update(zip(before, _add_spares(loop, now), strict=True))
        return bool(self._pairs)


def _renamed(kind: Kind, replaced: Mapping[SSAValue, SSAValue]) -> Kind:
    """A kind whose sizes are those of arrays that may have been replaced."""
    type_, sizes = kind
    return type_, tuple(
        size if isinstance(size, int) else (replaced.get(size[0], size[0]), size[1])
        for size in sizes
    )


def _add_spares(
    loop: emitpy.ForOp, pairs: Sequence[tuple[Operation, BlockArgument, Kind]]
) -> Sequence[SSAValue]:
    """Replace a loop by one that carries spare buffers, too; its results."""
    block, old = loop.body.block, loop.body.block.last_op
    assert isinstance(old, emitpy.YieldOp)
    spares = [_buffer(kind, loop, "spare") for _, _, kind in pairs]
    for op, _, kind in pairs:
        argument = block.insert_arg(kind[0], len(block.args))
        argument.name_hint = "spare"
        _replace(op, argument)
    values = [*loop.yielded, *(dead for _, dead, _ in pairs)]
    Rewriter.replace_op(old, emitpy.YieldOp(*values))
    inits, is_conditional = [*loop.inits, *spares], loop.conditional is not None
    new = emitpy.ForOp(
        loop.count, inits, loop.detach_region(0), loop.step, conditional=is_conditional
    )
    new.location = loop.location
    for result, name in zip(new.res, loop.res, strict=False):
        result.name_hint = name.name_hint
    results = new.res[: len(loop.res)]
    Rewriter.replace_op(loop, new, results)
    return results


def _is_made_by_step(value: SSAValue, block: Block) -> bool:
    op = value.owner
    return isinstance(op, Operation) and op.parent is block and (is_elementwise(op) or is_empty(op))


def _is_given_away(init: SSAValue, loop: emitpy.ForOp, memory: Memory) -> bool:
    """Whether an initial value is an array that only the loop uses, each time it runs."""
    while init.has_one_use():
        op = init.owner
        if isinstance(op, emitpy.AugmentOp | emitpy.CallIntoOp | emitpy.StoreOp):
            init = op.target
        else:
            return isinstance(op, Operation) and op.parent is loop.parent and memory.is_fresh(init)
    return False


def _operation(value: SSAValue) -> Operation:
    assert isinstance(value.owner, Operation)
    return value.owner


def _replace(op: Operation, target: SSAValue) -> None:
    """Replace an operation by one that writes into an array, or an allocation by the array."""
    if is_empty(op):
        Rewriter.replace_op(op, (), (target,))
    else:
        replace_in_place(op, call_into(op, target))


# Temporaries ----------------------------------------------------------------------------------


class _Plan:
    """The assignment of buffers to the temporaries of the body of a loop.

    A temporary is an array that an elementwise operation, ``np.take`` or ``np.empty`` returns, and
    that is dead when the step ends. Two of one kind share a buffer if the first is dead when the
    second is computed.
    """

    def __init__(self, loop: emitpy.ForOp, memory: Memory, shapes: PythonShapes):
        self._loop = loop
        self._block = loop.body.block
        self._memory = memory
        self._shapes = shapes
        self._buffers = list[tuple[Kind, emitpy.ForOp, str | None]]()
        self._choices: dict[Operation, int] = {}
        self._last_reads = self._find_last_reads()
        self._choose()

    def _find_last_reads(self) -> dict[SSAValue, int]:
        """The last operation of the body that reads each array; the end for carried values."""
        last = dict[SSAValue, int]()
        for position, op in enumerate(self._block.ops):
            for inner in operations_in(op):
                for operand in inner.operands:
                    for root in self._memory.roots(operand):
                        last[root] = position
        return last

    def _choose(self) -> None:
        """Choose a buffer for each temporary, in the order of execution."""
        end = len(self._block.ops) - 1
        free = dict[Kind, list[int]]()
        dying = dict[int, list[tuple[Kind, int]]]()
        for position, op in enumerate(self._block.ops):
            last = self._last_reads.get(op.results[0], -1) if op.results else -1
            if position < last < end and _can_write(op) and _is_temporary(op.results[0]):
                self._assign(op, last, free, dying)
            for kind, number in dying.pop(position, ()):
                free.setdefault(kind, []).append(number)

    def _assign(
        self,
        op: Operation,
        last: int,
        free: dict[Kind, list[int]],
        dying: dict[int, list[tuple[Kind, int]]],
    ) -> None:
        result = op.results[0]
        sizes = self._shapes.of(result)
        outermost = self._outermost(sizes)
        if outermost is None:
            return
        kind = result.type, sizes
        available = free.setdefault(kind, [])
        if not available:
            available.append(len(self._buffers))
            self._buffers.append((kind, outermost, result.name_hint))
        number = available.pop()
        self._choices[op] = number
        dying.setdefault(last, []).append((kind, number))

    def _outermost(self, sizes: Sequence[Size]) -> emitpy.ForOp | None:
        """The outermost loop before which all sizes are known."""
        found = None
        for loop in _loops_from(self._loop):
            if not all(is_outside(size, loop.body.block) for size in sizes):
                break
            found = loop
        return found

    @property
    def has_buffers(self) -> bool:
        """Whether any temporary gets a buffer."""
        return bool(self._buffers)

    def apply(self) -> None:
        """Allocate the buffers, and write the results of the operations there."""
        made = [_buffer(kind, loop, name) for kind, loop, name in self._buffers]
        for op, number in self._choices.items():
            _replace(op, made[number])


def _loops_from(loop: emitpy.ForOp) -> Iterator[emitpy.ForOp]:
    """A loop and those around it."""
    current: Operation | None = loop
    while isinstance(current, emitpy.ForOp):
        yield current
        current = current.parent_op()


def _can_write(op: Operation) -> bool:
    """Whether an operation could put its result into a buffer."""
    return is_elementwise(op) or is_clipped_take(op) or is_empty(op)


def _is_temporary(value: OpResult) -> bool:
    """Whether a value is an array that is not just stored in another one."""
    use = value.get_user_of_unique_use()
    return is_array(value) and not (isinstance(use, emitpy.StoreOp) and use.value is value)


def _buffer(kind: Kind, loop: emitpy.ForOp, name: str | None) -> SSAValue:
    """``np.empty((n, a.shape[1]), dtype=np.bool)``, before a loop."""
    type_, sizes = kind
    assert isa(type_, TensorType)
    build = Builder(InsertPoint.before(loop))
    lengths = [_length(size, build) for size in sizes]
    shape = lengths[0] if len(lengths) == 1 else build.insert(emitpy.TupleOp(lengths)).result
    keywords = dict[str, SSAValue]()
    if type_.element_type != f64:
        name_op = emitpy.NameOp(DTYPES[str(type_.element_type)])
        keywords["dtype"] = build.insert(name_op).result
    buffer = emitpy.CallOp("np.empty", [shape], type_, keywords)
    buffer.result.name_hint = name
    return build.insert(buffer).result


def _length(size: Size, build: Builder) -> SSAValue:
    """``a.shape[0]``, or a number"""
    if isinstance(size, int):
        return build.insert(emitpy.LiteralOp(size)).result
    array, axis = size
    shape = build.insert(emitpy.AttrOp(array, "shape", emitpy.OBJECT))
    number = build.insert(emitpy.LiteralOp(axis))
    return build.insert(emitpy.SubscriptOp(shape, [number], emitpy.OBJECT)).result


class HoistBuffersPass(FunctionPass):
    """Allocates the temporaries of a loop once, before the loop, if their sizes are known there.

    Before::

        for k in range(n):
            t = a[:, k, None] + b[k]
            np.minimum(acc, t, out=acc)

    After::

        t = np.empty((a.shape[0], b.shape[1]))
        for k in range(n):
            np.add(a[:, k, None], b[k], out=t)
            np.minimum(acc, t, out=acc)

    in IR, with ``emitpy.call_into`` in place of ``emitpy.binary``, where ``t`` is dead in the next
    step. A large array that is allocated in each step has new pages in each step, too. Runs after
    ``reuse-buffers``: a result that overwrites an operand needs no buffer.
    """

    name = "hoist-buffers"
    looks_for = (emitpy.ForOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        hoist_buffers(function, analyses)
