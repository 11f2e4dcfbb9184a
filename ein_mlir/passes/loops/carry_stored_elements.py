"""``carry-stored-elements``: a step of a loop hands the element that it stores to the next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.builder import Builder
from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import BFloat16Type, Float16Type
from xdsl.ir import Block, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.loops.effects import written_by
from ein_mlir.analysis.loops.index_bounds import IndexBounds, is_negative, is_size
from ein_mlir.analysis.loops.memory_roots import are_apart
from ein_mlir.analysis.loops.unrolled import has_few_steps
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.scopes import is_within, operations_of, slice_within
from ein_mlir.dialects.algebra import identity
from ein_mlir.dialects.creation import copy_of
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.passes import FunctionPass


@dataclass(frozen=True)
class Handed:
    """A load of the element that the step before stored."""

    load: memref.LoadOp
    stored: SSAValue


# Analysis ---------------------------------------------------------------------------------------


class _Positions:
    """Compares the positions of neighbouring steps of a loop, as linear forms in its counter."""

    def __init__(self, loop: scf.ForOp):
        self._loop = loop
        self._counter = loop.body.block.args[0]
        self._bounds = IndexBounds(loop, [self._counter])
        lower, upper = self._bounds.of(loop.lb), self._bounds.of(loop.ub)
        self._later = None
        """The least and the greatest counter of all steps but the first."""
        if lower is not None and upper is not None and lower.is_fixed and upper.is_fixed:
            self._later = lower.least + 1, upper.least - 1

    def is_next(self, read: SSAValue, written: SSAValue) -> bool:
        """Whether a step reads where the step before has written."""
        position, before = self._after_first(read), self._exact(written)
        if position is None or before is None:
            return False
        return position + position.coefficients.get(self._counter, 0) == before

    def _exact(self, value: SSAValue) -> LinearForm | None:
        found = self._bounds.of(value)
        return found.least if found is not None and found.is_fixed else None

    def _after_first(self, value: SSAValue) -> LinearForm | None:
        """A position in all steps but the first, in which clips at either end may do nothing."""
        op = value.owner
        if isinstance(op, arith.IndexCastOp):
            return self._after_first(op.input)
        if not isinstance(op, arith.MaxSIOp | arith.MinSIOp):
            return self._exact(value)
        position, limit = self._after_first(op.lhs), self._exact(op.rhs)
        if position is None or limit is None or self._later is None:
            return None
        excess = limit - position if isinstance(op, arith.MaxSIOp) else position - limit
        return position if self._is_never(excess) else None

    def _is_never(self, excess: LinearForm) -> bool:
        """Whether a form is at most 0 in all steps but the first."""
        assert self._later is not None
        is_last = excess.coefficients.get(self._counter, 0) > 0
        greatest = excess.substituted(self._counter, self._later[is_last])
        return is_negative(greatest) and all(map(self._is_size, greatest.coefficients))

    def _is_size(self, atom: SSAValue) -> bool:
        return is_size(atom, self._loop)


def handed_elements(loop: scf.ForOp) -> Iterator[Handed]:
    """The loads of a step that read what the step before stored, and nothing else has replaced.

    Each is before the store, both are in every step, and no other store is to the same array. None
    is of half precision, which machine code only stores.
    """
    if known_int(loop.step) != 1 or has_few_steps(loop):
        return
    stores = [op for op in loop.body.block.ops if type(op) is memref.StoreOp]
    stores = [op for op in stores if not isinstance(op.value.type, BFloat16Type | Float16Type)]
    written = written_by(loop) if stores else None
    if written is None:
        return
    positions = _Positions(loop)
    for store in stores:
        array = store.memref
        if is_within(array, loop) or not _is_only_store(array, written):
            continue
        for load in loop.body.block.ops:
            if load is store:
                break
            if type(load) is memref.LoadOp and load.memref is array:
                pairs = zip(load.indices, store.indices, strict=True)
                if all(positions.is_next(*pair) for pair in pairs):
                    yield Handed(load, store.value)


def _is_only_store(array: SSAValue, written: Sequence[SSAValue]) -> bool:
    """Whether one of the stores of a loop is to an array, and no other to its memory."""
    others = [each for each in written if each is not array]
    return len(others) == len(written) - 1 and are_apart(others, [array])


# Rewriting --------------------------------------------------------------------------------------


def _first(loop: scf.ForOp, loads: Sequence[memref.LoadOp]) -> Sequence[SSAValue]:
    """The elements that the first step loads; zeros if there is no step."""
    build = Builder(InsertPoint.before(loop))
    has_step = build.insert(arith.CmpiOp(loop.lb, loop.ub, "slt")).result
    then, otherwise = Block(), Block()
    first = Builder(InsertPoint.at_end(then))
    values = dict[SSAValue, SSAValue]({loop.body.block.args[0]: loop.lb})
    for op in slice_within(loop, [index for load in loads for index in load.indices]):
        first.insert(copy_of(op, values))
    first.insert(scf.YieldOp(*(first.insert(copy_of(load, values)).res for load in loads)))
    none = Builder(InsertPoint.at_end(otherwise))
    none.insert(scf.YieldOp(*(none.insert(_zero(load)).result for load in loads)))
    types = [load.res.type for load in loads]
    return build.insert(scf.IfOp(has_step, types, Region(then), Region(otherwise))).results


def _zero(load: memref.LoadOp) -> arith.ConstantOp:
    name = "arith.addf" if load.res.type.name.startswith("f") else "arith.ori"
    zero = identity(name, load.res.type)
    assert zero is not None
    return arith.ConstantOp(zero)


def carry(loop: scf.ForOp, found: Sequence[Handed]) -> scf.ForOp:
    """Carry the stored elements instead of loading them; return the new loop."""
    loads = [each.load for each in found]
    starts = _first(loop, loads)
    block = loop.body.block
    for load in loads:
        carried = block.insert_arg(load.res.type, len(block.args))
        carried.name_hint = load.res.name_hint
        Rewriter.replace_op(load, (), (carried,))
    last = block.last_op
    assert last is not None
    Rewriter.replace_op(last, scf.YieldOp(*last.operands, *(each.stored for each in found)))
    inits = [*loop.iter_args, *starts]
    new = scf.ForOp(loop.lb, loop.ub, loop.step, inits, loop.detach_region(loop.body))
    new.location = loop.location
    Rewriter.replace_op(loop, new, new.results[: len(loop.results)])
    return new


class CarryStoredElementsPass(FunctionPass):
    """Carries the element that a step of a loop stores, if the next step loads it.

    Before::

        scf.for %k = %c0 to %n step %c1 {
          %before = arith.subi %k, %c1 : index
          %p = arith.maxsi %before, %c0 : index
          %left = memref.load %row[%p] : memref<?xf64>
          ..
          memref.store %x, %row[%k] : memref<?xf64>
        }

    After::

        %some = arith.cmpi slt, %c0, %n : index
        %first = scf.if %some -> (f64) { .. memref.load %row[%p] .. } else { .. yield %zero }
        %last = scf.for %k = %c0 to %n step %c1 iter_args(%left = %first) -> (f64) {
          ..
          memref.store %x, %row[%k] : memref<?xf64>
          scf.yield %x : f64
        }

    A processor takes several cycles to load what it has just stored, in each step of a recurrence
    along a row. The positions are linear forms in the counter; clips count that do nothing from the
    second step on. The loop stays if the array is written elsewhere in it, or if the store, or the
    load, is in a branch, or the load is after the store.
    """

    name = "carry-stored-elements"
    looks_for = (scf.ForOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        for loop in operations_of(function, scf.ForOp):
            if found := list(handed_elements(loop)):
                new = carry(loop, found)
                analyses.note(new, "a step hands the element that it stores to the next")
