"""Elements of tables at computed positions; steps that read those that later steps write."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, SSAValue

from ein_mlir.analysis.arithmetic import INTS, LinearForm
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.loops.writes import Write
from ein_mlir.analysis.scopes import captured
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.phi.skew_folds.lags import LEAST, lagging
from ein_mlir.rewriting.phi.insertion import Builder

_FAR = 2**62
"""Positions and distances that are less can be added."""


@dataclass(frozen=True)
class Ahead:
    """A fold whose step k writes element ``offset + stride * k``, for a stride of 1 or -1."""

    op: phi.FoldOp
    write: Write
    offset: LinearForm
    stride: int
    distances: Sequence[LinearForm]
    """How many steps behind its own one a step writes the elements that it reads."""


def ahead_of(op: phi.FoldOp, forms: IndexForms) -> Ahead | None:
    """The fold as one whose steps may read elements at the same distances ahead, if it is one."""
    found = lagging(op, forms)
    if found is None or abs(found.stride) != 1:
        return None
    distances = [lag * -found.stride for lag in found.reads.values()]
    if all(each.known() is not None for each in distances):
        return None
    return Ahead(op, found.write, found.offset, found.stride, list(dict.fromkeys(distances)))


def replace_at_once(found: Ahead) -> None:
    """``fold (k < n, v = a) { v[c - k] := e(v[c - k - d]) }``  -->
    ``fold (k < n', v = update a[c - n + 1 ..], array (i < n) { e(a[p - d]) }) { .. }``

    where d is not negative, and all positions are in bounds: then n' is 0. Otherwise the array has
    no new elements, and n' is n.
    """
    op, build = found.op, Builder.before(found.op)
    offset = build.linear_value(found.offset)
    size, count = build.size(op.init), op.count
    room = build.sub(size, offset) if found.stride > 0 else build.add(offset, 1)
    tests = [
        build.compare(offset, "sge", 0),
        build.compare(offset, "slt", size),
        build.compare(count, "sle", room),
        build.compare(count, "sge", LEAST),
    ]
    for distance in found.distances:
        number = distance.known()
        if number is None or number < 0:
            value = build.linear_value(distance)
            tests += [build.compare(value, "sge", 0), build.compare(value, "slt", _FAR)]
    is_ahead = build.all_of(tests)
    steps = build.select(is_ahead, count, 0)
    start = offset if found.stride > 0 else build.add(build.sub(offset, steps), 1)
    start = build.select(is_ahead, start, 0)
    write = found.write

    def element(body: Builder, own: Sequence[SSAValue]) -> SSAValue:
        place = body.add(start, body.as_int(own[0]))
        ends = (place, offset) if found.stride > 0 else (offset, place)
        known: dict[SSAValue, SSAValue] = {op.counter: body.sub(*ends), op.accumulator: op.init}
        tests = body.copied_tests(op.body.block, write.tests, known)
        (value,) = body.copied(op.body.block, [write.update.value], known)
        old = body.get(op.init, [place]) if tests else value
        return body.chosen(tests, value, old)

    new = build.comprehension([steps], element, [op.counter])
    op.operands[1] = build.emit(phi.UpdateSliceOp(op.init, start, build.integer(1), new))
    op.operands[0] = build.min(count, build.select(is_ahead, 0, INTS.high))


def element_at(
    build: Builder,
    array: SSAValue,
    place: Sequence[SSAValue],
    known: dict[SSAValue, SSAValue] | None = None,
) -> SSAValue:
    """An element at Ints; that of a comprehension of numbers is computed, not read.

    ``known`` are the values that some values of its block have there. The element of positions out
    of bounds is unused.
    """
    values, owner = dict(known or {}), array.owner
    if not isinstance(owner, phi.ArrayOp) or any(op.regions for op in owner.body.block.ops):
        block = array.owner if isinstance(array.owner, Block) else array.owner.parent
        if values and block is not None:
            (array,) = build.copied(block, [array], values)
        return build.get(array, place)
    if values and owner.parent is not None:
        build.copied(owner.parent, list(dict.fromkeys(captured(owner))), values)
    values.update(zip(owner.indices, place, strict=True))
    return build.copied(owner.body.block, [owner.yielded()], values)[0]
