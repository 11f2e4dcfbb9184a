"""An estimate of the work in a step of a loop, in operations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from xdsl.dialects import arith, llvm, math, memref, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, i64
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.loops.index_bounds import counter_range
from ein_mlir.backends.native import abi
from ein_mlir.passes.conversions.convert_loops_to_llvm.build import Build, known_integer
from ein_mlir.passes.conversions.convert_loops_to_llvm.conversion import Conversion

_FREE = {arith.ConstantOp, arith.IndexCastOp, memref.DimOp, scf.YieldOp, scf.ReduceOp}
_LONG = 8
"""The operations that a division, or a function of ``math``, takes as long as."""
_DIVISIONS = {arith.DivfOp, arith.DivSIOp, arith.DivUIOp, arith.RemSIOp, arith.RemUIOp}


Polynomial: TypeAlias = Mapping[tuple[int, ...], int]
"""A sum of products of numbers of steps: the places of the numbers -> the factor before them."""


def work_of_a_step(c: Conversion, op: scf.ParallelOp) -> SSAValue:
    """The number of operations in a step, from the sizes that are known before the loop.

    Loops with the same number of steps share a term.
    """
    return _Work(c).value(op.body.block)


class _Work:
    """The work of blocks, and the numbers of steps that it consists of."""

    def __init__(self, c: Conversion):
        self._c = c
        self._counts = dict[tuple[SSAValue, SSAValue, int], SSAValue]()
        self._places = dict[SSAValue, int]()
        self._estimates = dict[SSAValue, SSAValue | None]()

    def value(self, block: Block) -> SSAValue:
        """The work of a block."""
        build = self._c.build
        work, total = self._of(block), build.integer(0)
        counts = list(self._places)
        for places, factor in work.items():
            term = build.integer(factor)
            for place in places:
                term = build.product(counts[place], term)
            total = build.sum(total, term)
        return total

    def _of(self, block: Block) -> Polynomial:
        """The operations of a block, and those of its loops times their steps."""
        work = Counter[tuple[int, ...]]({(): max(sum(map(_weight, block.ops)), 1)})
        for op in block.ops:
            for inner in (each for region in op.regions for each in region.blocks):
                places, factor = self._times(op)
                for others, number in self._of(inner).items():
                    work[tuple(sorted((*others, *places)))] += number * factor
        return work

    def _times(self, op: Operation) -> tuple[Sequence[int], int]:
        """How often the bodies of an operation run: the places of numbers, and a known factor."""
        match op:
            case scf.ForOp():
                bounds = [(op.lb, op.ub, op.step)]
            case scf.ParallelOp():
                bounds = list(zip(op.lowerBound, op.upperBound, op.step, strict=True))
            case GenericOp():
                return self._product(op)
            case scf.WhileOp():
                return (), abi.GUESSED_STEPS
            case _:
                return (), 1
        return self._all(self._steps(low, high, known_int(step) or 1) for low, high, step in bounds)

    def _product(self, op: GenericOp) -> tuple[Sequence[int], int]:
        """The steps of a product of matrices, by the sizes of its arrays."""
        counts = dict[AffineExpr, SSAValue | int]()
        for operand, map_ in zip(op.operands, op.indexing_maps.data, strict=True):
            for dimension, size in zip(map_.data.results, self._sizes(operand), strict=True):
                if size is not None:
                    counts.setdefault(dimension, size)
        guessed = abi.GUESSED_STEPS ** (len(op.iterator_types.data) - len(counts))
        places, factor = self._all(counts.values())
        return places, factor * guessed

    def _sizes(self, array: SSAValue) -> Sequence[SSAValue | int | None]:
        """The sizes of an array, where they are known before the loop."""
        c, owner, type_ = self._c, array.owner, array.type
        if c.is_bound(array):
            return [_number_or(size) for size in c.memref(array).sizes]
        assert isa(type_, MemRefType)
        if not isinstance(owner, memref.AllocOp):
            return [None] * type_.get_num_dims()
        rest = iter(owner.dynamic_sizes)
        sizes = [next(rest) if n == DYNAMIC_INDEX else n for n in type_.get_shape()]
        known = [size if isinstance(size, int) else self._estimate(size) for size in sizes]
        return [size if isinstance(size, int | None) else _number_or(size) for size in known]

    def _all(self, counts: Iterable[SSAValue | int]) -> tuple[Sequence[int], int]:
        """The places of the numbers of steps that are not known, and the product of the others."""
        places, factor = list[int](), 1
        for count in counts:
            if isinstance(count, int):
                factor *= count
            else:
                places.append(self._places.setdefault(count, len(self._places)))
        return places, factor

    def _steps(self, lower: SSAValue, upper: SSAValue, step: int) -> SSAValue | int:
        """The steps from one bound to another, guessed if they are not known before the loop."""
        c, first, last = self._c, self._estimate(lower), self._estimate(upper)
        if last is None:
            return abi.GUESSED_STEPS
        if first is None:
            return 1  # the rest of a loop that takes several steps at a time
        if (first, last, step) not in self._counts:
            distance = c.build.difference(last, first)
            self._counts[first, last, step] = c.build.steps(distance, c.build.integer(step))
        count = self._counts[first, last, step]
        return _number_or(count)

    def _estimate(self, value: SSAValue) -> SSAValue | None:
        """A number like a value that is known before the loop: counters are in their middle."""
        if self._c.is_bound(value):
            return self._c.scalar(value)
        if value not in self._estimates:
            self._estimates[value] = self._estimate_of(value, value.owner)
        return self._estimates[value]

    def _estimate_of(self, value: SSAValue, op: Operation | Block) -> SSAValue | None:
        build = self._c.build
        match op:
            case Block():
                bounds = [self._estimate(bound) for bound in counter_range(value) or ()]
                return _middle(build, bounds)
            case arith.IndexCastOp():
                return self._estimate(op.input)
            case arith.SubiOp() if isinstance(op.rhs.owner, arith.RemSIOp):
                return self._estimate(op.lhs)  # without a rest
            case arith.DivUIOp() if divisor := known_int(op.rhs):
                whole = self._estimate(op.lhs)
                rest = build.integer(divisor)
                return whole and build.add(llvm.UDivOp, (whole, rest), i64)
            case _:
                return self._combined(op)

    def _combined(self, op: Operation) -> SSAValue | None:
        """The estimate of a sum, a product, or an extreme, one side of which may be unknown."""
        combine, extreme = _ARITHMETIC.get(type(op)), _EXTREMES.get(type(op))
        if combine is None and extreme is None:
            return None
        sides = [self._estimate(operand) for operand in op.operands]
        known = [side for side in sides if side is not None]
        if combine is not None and len(known) == 2:
            return self._c.build.wrapping(combine, *known)
        if extreme is not None and len(known) == 2:
            return self._c.build.intrinsic(extreme, known, i64)
        return known[0] if known and extreme is not None else None


_ARITHMETIC: Mapping[type[Operation], type[Operation]] = {
    arith.AddiOp: llvm.AddOp,
    arith.SubiOp: llvm.SubOp,
    arith.MuliOp: llvm.MulOp,
}
_EXTREMES: Mapping[type[Operation], str] = {
    arith.MinSIOp: "llvm.smin.i64",
    arith.MaxSIOp: "llvm.smax.i64",
    arith.MinUIOp: "llvm.umin.i64",
}


def _middle(build: Build, bounds: Sequence[SSAValue | None]) -> SSAValue | None:
    """The number between two, if they are known."""
    known = [bound for bound in bounds if bound is not None]
    if len(known) != 2:
        return None
    distance = build.wrapping(llvm.SubOp, known[1], known[0])
    half = build.add(llvm.SDivOp, (distance, build.integer(2)), i64)
    return build.wrapping(llvm.AddOp, known[0], half)


def _number_or(count: SSAValue) -> SSAValue | int:
    """A value, or its number if it is a constant."""
    known = known_integer(count)
    return count if known is None else known


def _weight(op: Operation) -> int:
    cls = type(op)
    if cls in _FREE:
        return 0
    return _LONG if cls in _DIVISIONS or op.dialect_name() == math.Math.name else 1
