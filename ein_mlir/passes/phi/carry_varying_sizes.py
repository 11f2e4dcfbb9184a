"""``carry-varying-sizes``: accumulators keep their sizes, and carry numbers of elements."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import TupleType
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.free_indices import leaf_paths, leaf_types
from ein_mlir.analysis.phi.settling_sizes import settles
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence, Term, equal_sizes
from ein_mlir.analysis.scopes import innermost_first
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.bounds import bound_value, resized
from ein_mlir.rewriting.phi.builders import folded
from ein_mlir.rewriting.phi.carried_sizes import Place, carrying_sizes, size_of, size_reads
from ein_mlir.rewriting.phi.fields import Parts, fields_behind
from ein_mlir.rewriting.phi.insertion import Builder


@dataclass(frozen=True)
class _Sizes:
    """Of all steps of a fold: a size that is never exceeded, and the size at the end."""

    bound: SSAValue
    last: SSAValue


class _Carrier:
    """Replaces a fold whose accumulator has arrays that change their sizes."""

    def __init__(self, op: phi.FoldOp, changing: Sequence[Place]):
        self._op = op
        self._changing = changing
        self._before, self._at_end = Builder.before(op), Builder.before_end(op.body.block)
        self._inits = self._before.leaves(op.init)
        self._steps = self._at_end.leaves(op.yielded())
        self._first = [size_of(self._before, self._inits[f], axis) for f, axis in changing]
        self._next = [size_of(self._at_end, self._steps[f], axis) for f, axis in changing]
        self._reads = size_reads(op, changing)

    # The sizes

    def sizes(self) -> list[_Sizes] | None:
        """The sizes from a loop that computes them alone; None if they depend on arrays."""
        build, fields, count = self._before, len(self._inits), len(self._changing)
        whole = carrying_sizes(self._op, self._changing, self._first)
        wanted, types = range(fields, fields + 2 * count), leaf_types(whole.result.type)
        needed = sorted(fields_behind(whole, wanted))
        is_known = bool(needed) and not any(phi.rank_of(types[field]) for field in needed)
        parts = Parts(whole, build.leaves(whole.init))
        found = parts.finals(needed, parts.inserted(needed)[1]) if is_known else {}
        Rewriter.erase_op(whole)
        if not is_known:
            return None
        largest, last = ([found[k] for k in part] for part in (wanted[:count], wanted[count:]))
        bounds = [bound_value(build, LinearForm.of(value)) for value in largest]
        return [_Sizes(*pair) for pair in zip(bounds, last, strict=True)]

    # The loop

    def carry(self, sizes: Sequence[_Sizes]) -> None:
        """``fold (k < n, v = x) { e }``, with ``v`` an array of a fixed size and a number."""
        bounds, count = [each.bound for each in sizes], len(self._inits)
        type_ = phi.struct_of_arrays(self._op.init.type)

        def step(inner: Builder, counter: SSAValue, carried: SSAValue) -> SSAValue:
            parts = inner.leaves(carried)
            own = [_kept(inner, *pair) for pair in zip(parts[count:], bounds, strict=True)]
            record = inner.record(type_, self._each(inner, parts[:count], own, None))
            values: dict[SSAValue, SSAValue] = {read: own[k] for read, k in self._reads.items()}
            values |= {self._op.counter: counter, self._op.accumulator: record}
            for old, new in values.items():
                new.name_hint = new.name_hint or old.name_hint
            after = inner.copied(self._op.body.block, [*self._steps, *self._next], values)
            return inner.tuple(
                [*self._each(inner, after[:count], bounds, after[count:]), *after[count:]]
            )

        build = self._before
        padded = self._each(build, self._inits, bounds, self._first)
        result = build.insert(folded(self._op, build.tuple([*padded, *self._first]), step)).result
        found = [build.proj(result, k) for k in range(count)]
        last = [_kept(build, each.last, each.bound) for each in sizes]
        leaves = self._each(build, found, last, None)
        Rewriter.replace_op(self._op, (), (build.record(type_, leaves),))

    def _each(
        self,
        build: Builder,
        leaves: Sequence[SSAValue],
        sizes: Sequence[SSAValue],
        inside: Sequence[SSAValue] | None,
    ) -> list[SSAValue]:
        """The fields, those that change with other sizes; zeros where they are not ``inside``."""
        result = list[SSAValue]()
        for field, leaf in enumerate(leaves):
            numbers = {a: k for k, (f, a) in enumerate(self._changing) if f == field}
            axes = {axis: sizes[k] for axis, k in numbers.items()}
            parts = {axis: inside[k] for axis, k in numbers.items()} if inside else {}
            result.append(resized(build, leaf, axes, parts) if axes else leaf)
        return result


def _kept(build: Builder, size: SSAValue, bound: SSAValue) -> SSAValue:
    """``max(min(n, N), 0)``: the size, which is now known to be one."""
    return build.max(build.min(size, bound), 0)


def _changing(op: phi.FoldOp, sizes: SizeEquivalence) -> list[Place]:
    """The fields of an accumulator that change their sizes, each with an axis."""
    if not isa(op.init.type, TupleType | phi.VecType):
        return []
    leaves = leaf_paths(op.init.type), leaf_types(op.init.type)
    return [
        (field, axis)
        for field, (path, type_) in enumerate(zip(*leaves, strict=True))
        for axis in range(phi.rank_of(type_))
        if not all(
            sizes.same(Term(op.init, path, axis), Term(value, path, axis))
            for value in (op.accumulator, op.yielded())
        )
    ]


class CarryVaryingSizesPass(FunctionPass):
    """Pads accumulators that change their sizes, and carries the number of their elements.

    Before::

        %r = phi.fold (%k < %n, %v = %x) -> !phi.vec<f64> {
          %m = phi.size %v, 0 : !phi.vec<f64>
          %more = arith.addi %m, %one : i64
          %next = phi.array (%i < %more) -> !phi.vec<f64> { .. }
          phi.yield %next : !phi.vec<f64>
        }

    After, with the largest and the last size from a loop that computes sizes alone::

        %w = phi.array (%i < %N) -> !phi.vec<f64> { %x[%i], or 0 from %first on }
        %s = phi.fold (%k < %n, %acc = (%w, %first)) {
          %m = ..                                              // %acc.1, between 0 and %N
          %v = phi.array (%i < %m) -> !phi.vec<f64> { %acc.0[%i] }
          %more = arith.addi %m, %one : i64
          %next = phi.array (%i < %more) -> !phi.vec<f64> { .. }
          %padded = phi.array (%i < %N) -> !phi.vec<f64> { %next[%i], or 0 from %more on }
          phi.yield (%padded, %more)
        }
        %r = phi.array (%i < %last) -> !phi.vec<f64> { %s.0[%i] }

    A size that depends on elements of an array of the accumulator stays. So does one that is the
    same after each step: the library compiles all steps but the first as a loop.
    """

    name = "carry-varying-sizes"
    looks_for = (phi.FoldOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        for op in innermost_first(function, phi.FoldOp):
            equal = analyses.get(equal_sizes, function)
            changing = _changing(op, equal)
            if not changing or settles(op, equal):
                continue
            carrier = _Carrier(op, changing)
            sizes = carrier.sizes()
            if sizes is not None:
                analyses.note(op, "an accumulator that changes its size is padded")
                carrier.carry(sizes)
                analyses.invalidate(function)
            erase_unused(function.body.block)
