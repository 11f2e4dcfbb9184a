"""``share-neighbours``: a function of indices that is computed at several offsets is an array."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.phi.element_cost import cost
from ein_mlir.analysis.phi.index_forms import IndexForms, index_forms
from ein_mlir.analysis.phi.neighbours import Neighbours, ends
from ein_mlir.analysis.scopes import innermost_first
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.integers import is_nonnegative
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.insertion import Builder

LEAST_COST = 2
"""The cost of a function from which on it is worth an array of its own."""


FARTHEST = 8
"""The most that offsets may always differ by: arrays have few more elements than indices have."""


# Choice -----------------------------------------------------------------------------------------


class _Choice:
    """The functions that become arrays: they are needed at more offsets than all that need them.

    Others are shared with these. A function of a fixed value, or of no real number, stays.
    """

    def __init__(self, found: Neighbours):
        self._found = found
        self._costs = dict[int, int]()

    def classes(self) -> Iterator[int]:
        """The numbers of the classes, operands before users."""
        for number, ops in self._found.classes.items():
            if self._cost(number) >= LEAST_COST and self._is_shared(ops):
                yield number

    def _is_shared(self, ops: Sequence[Operation]) -> bool:
        member = self._found.member(ops[0].results[0])
        if member is None or not member.offsets or not isa(ops[0].results[0].type, AnyFloat):
            return False
        members = [self._found.member(op.results[0]) for op in ops]
        limits = ends([each.offsets for each in members if each is not None])
        if any(
            last - first > _farthest(index, self._count(member.number))
            for index, (first, last) in limits.items()
        ):
            return False
        users = {self._number(use.operation) for op in ops for use in op.results[0].uses}
        most = max((self._count(number) for number in users), default=1)
        return self._count(member.number) > most

    def _number(self, user: Operation) -> int | None:
        members = [self._found.member(result) for result in user.results]
        return members[0].number if len(members) == 1 and members[0] is not None else None

    def _count(self, number: int | None) -> int:
        """The number of different offsets of a class; 1 of values that are in none."""
        ops = () if number is None else self._found.classes[number]
        members = (self._found.member(op.results[0]) for op in ops)
        return max(1, len({member.at() for member in members if member is not None}))

    def _cost(self, number: int) -> int:
        """The cost of the arithmetic of a class on real numbers."""
        if number not in self._costs:
            op = self._found.classes[number][0]
            own = (cost(op) or 0) if _is_arithmetic(op) else 0
            members = (self._found.member(operand) for operand in op.operands)
            numbers = {each.number for each in members if each is not None}
            known = numbers & self._found.classes.keys()
            self._costs[number] = own + sum(map(self._cost, known))
        return self._costs[number]


def _farthest(index: BlockArgument, count: int) -> int:
    """The most that offsets along an index may differ by, for a function that is needed at some.

    One array of adjacent parts, as those of the gates of a layer are, has no more elements than the
    arrays of all parts.
    """
    size = known_int(phi.size_of_index(index)) or 0
    return max(FARTHEST, (count - 1) * size)


def _is_arithmetic(op: Operation) -> bool:
    is_cheap = isinstance(op, arith.SelectOp | arith.ConstantOp | phi.GetOp)
    return isa(op.results[0].type, AnyFloat) and not is_cheap


def _repeats_arithmetic(op: phi.ArrayOp) -> bool:
    """Whether a body has two operations of one kind: otherwise it computes no function twice."""
    names = [each.name for each in op.body.block.ops if each.results and _is_arithmetic(each)]
    return len(set(names)) < len(names)


# Rewriting --------------------------------------------------------------------------------------


def share(op: phi.ArrayOp, ops: Sequence[Operation], found: Neighbours) -> phi.ArrayOp:
    """``array (i < n) { f(i - 1) + f(i + 1) }  -->  array (i < n) { v[i] + v[i + 2] }``

    with ``v = array (i < n + 2) { f(i - 1) }``.
    """
    members = [found.member(each.results[0]) for each in ops]
    offsets = [member.offsets for member in members if member is not None]
    indices = [index for index in op.body.block.args if index in offsets[0]]
    limits = ends(offsets)
    first = {index: least for index, (least, _) in limits.items()}
    base = min(range(len(ops)), key=lambda k: sum(offsets[k].values()))
    build = Builder.before(op)
    sizes = [_wider(build, index, limits[index][1] - first[index]) for index in indices]

    def element(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
        values: dict[SSAValue, SSAValue] = {
            index: _moved(inner, value, first[index] - offsets[base][index])
            for index, value in zip(indices, own, strict=True)
        }
        return inner.copied(op.body.block, ops[base].results, values)[0]

    shared = build.comprehension(sizes, element, indices)
    for each, own in zip(ops, offsets, strict=True):
        at = Builder.before(each)
        positions = [_moved(at, index, own[index] - first[index]) for index in indices]
        value = at.get(shared, positions)
        value.name_hint = each.results[0].name_hint
        each.results[0].replace_all_uses_with(value)
        Rewriter.erase_op(each)
    return phi.ArrayOp.of(shared)


def _wider(build: Builder, index: BlockArgument, more: int) -> SSAValue:
    """The size of an index and some more; a negative size is an error of the comprehension."""
    size = phi.size_of_index(index)
    if more and not is_nonnegative(size):
        size = build.max(size, 0)
    return build.add(size, more) if more else size


def _moved(build: Builder, index: SSAValue, offset: int) -> SSAValue:
    return build.add(build.as_int(index), offset) if offset else index


def share_all(op: phi.ArrayOp, forms: IndexForms, analyses: AnalysisManager) -> None:
    """Share the functions of a comprehension, and then those of the new arrays."""
    found = Neighbours(op, forms)
    for number in list(_Choice(found).classes()):
        ops = found.classes[number]
        names = name_of(ops[0].results[0])
        array = share(op, ops, found)
        analyses.note(op, f"{names} is computed once for {len(ops)} neighbours")
        forms.add(array)
    erase_unused(op.body.block)


@dataclass(frozen=True)
class ShareNeighboursPass(FunctionPass):
    """Computes a function of indices once that a comprehension needs at several offsets.

    Before::

        %r = phi.array (%i < %n) -> !phi.vec<f64> { exp %a[%i + 1] - exp %a[%i] }

    After, with ``%size = max(%n, 0) + 1``::

        %e = phi.array (%i < %size) -> !phi.vec<f64> { exp %a[%i] }
        %r = phi.array (%i < %n) -> !phi.vec<f64> { %e[%i + 1] - %e[%i] }

    So a stencil of a stencil, whose first stage is a function of the embedding language and not an
    array, is one of two stages. It is for libraries, which store the values of each operation in
    any case. Functions become arrays that are needed at more offsets, at most 8 apart, than those
    that need them: parts that are needed no more often are computed with the whole. Of an index
    with a literal size they may be further apart, if the array has no more elements than the values
    that it is for: ``g[i]`` and ``g[i + 16]`` for 16 indices. Operations that may fail stay.
    """

    name = "share-neighbours"
    looks_for = (phi.ArrayOp,)

    derivatives: bool = False

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        for op in innermost_first(function, phi.ArrayOp):
            if _repeats_arithmetic(op):
                share_all(op, analyses.get(index_forms, function), analyses)
