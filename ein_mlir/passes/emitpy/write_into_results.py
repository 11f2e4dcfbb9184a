"""``write-into-results``: the blocks of a result are computed where they are stored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects import func
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.emitpy.shared_memory import Memory, base_of, memory_of
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.scopes import operations_in
from ein_mlir.dialects import emitpy
from ein_mlir.rewriting.emitpy.calls import WRITES, call_into, is_elementwise, is_empty
from ein_mlir.rewriting.passes import FunctionPass


def write_into_results(function: func.FuncOp, memory: Memory) -> None:
    """Compute the blocks that the loops of a function store in new arrays in these arrays."""
    for loop in [op for op in operations_in(function) if isinstance(op, emitpy.ForOp)]:
        stores = list(_stores(loop))
        if stores:
            body = _Body(loop, memory)
            for store in stores:
                body.compute_in_place(store)


def _stores(loop: emitpy.ForOp) -> Iterator[emitpy.StoreOp | emitpy.CallIntoOp]:
    """The operations that write rows of an array that has no elements before the loop."""
    places = zip(loop.accumulators, loop.inits, loop.yielded, strict=True)
    for accumulator, init, value in places:
        op = value.owner
        if (
            isinstance(op, emitpy.StoreOp | emitpy.CallIntoOp)
            and (op.condition if isinstance(op, emitpy.StoreOp) else op.keywords) is None
            and op.parent is loop.body.block
            and op.target is accumulator
            and len(op.indices) == 1
            and isinstance(op.indices[0].owner, emitpy.SliceOp)
            and isinstance(init.owner, Operation)
            and is_empty(init.owner)
            and all(v.has_one_use() for v in (accumulator, init, value))
        ):
            yield op


class _Body:
    """The body of a loop: the order of its values, and of the last reads and writes of memory."""

    def __init__(self, loop: emitpy.ForOp, memory: Memory):
        self._block = loop.body.block
        self._memory = memory
        self._positions = {op: position for position, op in enumerate(self._block.ops)}
        self._last_write = dict[SSAValue, int]()
        self._last_use = dict[SSAValue, int]()
        for op, position in self._positions.items():
            for inner in operations_in(op):
                self._note(inner.operands, position, self._last_use)
                self._note(_written(inner), position, self._last_write)

    def _note(self, values: Sequence[SSAValue], position: int, last: dict[SSAValue, int]) -> None:
        for value in values:
            last.update(dict.fromkeys(self._memory.roots(value), position))

    def compute_in_place(self, store: emitpy.StoreOp | emitpy.CallIntoOp) -> None:
        """``t = f(x); ..; a[i:j] = t --> t = a[i:j]; f(x, out=t); ..``, if that is legal.

        Of two operands of the operation that stores, the one that is computed first is computed in
        the result: the computation of the other one then needs no further memory.
        """
        candidates = (store.value,) if isinstance(store, emitpy.StoreOp) else store.arguments
        candidates = [v for v in candidates if self._can_be_part(v, store)]
        if not candidates:
            return
        value = min(candidates, key=self._made_at)
        maker = base_of(value).owner
        assert isinstance(maker, Operation)
        part = emitpy.SubscriptOp(store.target, store.indices, store.target.type)
        made = call_into(maker, part.result)
        part.location = made.location = maker.location
        part.result.name_hint = made.result.name_hint = maker.results[0].name_hint
        Rewriter.insert_op(part, InsertPoint.before(maker))
        is_made_here = value.owner is maker
        Rewriter.replace_op(maker, made)
        if isinstance(store, emitpy.CallIntoOp):
            target = made.result if is_made_here else value
            into = emitpy.CallIntoOp(target, store.callee.data, store.arguments)
            into.location = store.location
            Rewriter.insert_op(into, InsertPoint.before(store))
        Rewriter.replace_op(store, (), (store.target,))

    def _made_at(self, value: SSAValue) -> int:
        """The position of the operation that computes the array of a value."""
        maker = base_of(value).owner
        assert isinstance(maker, Operation)
        return self._positions[maker]

    def _can_be_part(self, value: SSAValue, store: emitpy.StoreOp | emitpy.CallIntoOp) -> bool:
        """Whether a value may be computed as a part of the result.

        An elementwise operation of the body computes it, with the element type of the result, after
        the position of the part is known. Nothing overwrites it after the store; if the store
        itself overwrites it, it has no later use.
        """
        if value.type != store.target.type:
            return False
        base, position = base_of(value), self._positions[store]
        maker, part = base.owner, store.indices[0].owner
        assert isinstance(part, Operation)
        if (
            not isinstance(maker, Operation)
            or maker not in self._positions
            or not is_elementwise(maker)
            or self._positions.get(part, -1) > self._positions[maker]
        ):
            return False
        if isinstance(store, emitpy.StoreOp):
            return self._last_write.get(base, -1) < position and self._is_not_handed_on(base)
        shares = (base in self._memory.roots(v) for v in store.arguments if v is not value)
        return self._last_use[base] == position and not any(shares)

    def _is_not_handed_on(self, base: SSAValue) -> bool:
        return self._last_use[base] < len(self._positions) - 1


def _written(op: Operation) -> Sequence[SSAValue]:
    """The arrays that an operation writes to; a loop may write to its initial values."""
    if isinstance(op, emitpy.ForOp):
        return op.inits
    return (op.target,) if isinstance(op, WRITES) else ()


class WriteIntoResultsPass(FunctionPass):
    """Computes the blocks of a result of a loop in the result, not in fresh arrays.

    Before::

        out = np.empty((n, m))
        for start in range(0, n, step):
            stop = start + step
            t = np.exp(a[start:stop])
            t += b
            np.sqrt(t, out=out[start:stop])

    After::

        out = np.empty((n, m))
        for start in range(0, n, step):
            stop = start + step
            t = out[start:stop]
            np.exp(a[start:stop], out=t)
            t += b
            np.sqrt(t, out=t)

    in IR, with ``emitpy.call_into`` in place of ``emitpy.call``. A block that is read after the
    store, and not overwritten, needs no copy. That saves memory, and room in the cache. The rows of
    a block are contiguous in a result as in a new array; blocks of columns would not be, and are
    unchanged. Runs after ``reuse-buffers``, which decides which operations compute in place.
    """

    name = "write-into-results"
    looks_for = (emitpy.ForOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        write_into_results(function, analyses.get(memory_of, function))
