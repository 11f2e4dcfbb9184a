"""The transposes of the operations of phi, as contributions to the cotangents of their operands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from xdsl.dialects import arith
from xdsl.dialects.builtin import i64
from xdsl.ir import Block, Operation, Region, SSAValue

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.phi.records import origin
from ein_mlir.analysis.phi.selections import Test
from ein_mlir.analysis.scopes import reached
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.verification import is_regular
from ein_mlir.rewriting.phi.derivatives.contributions import added, is_step, leaf_type, place_of
from ein_mlir.rewriting.phi.derivatives.contributions_of_steps import (
    are_elementwise,
    saved_values,
    sums_of_step,
    values_of_step,
)
from ein_mlir.rewriting.phi.derivatives.folds import history, packed_argument
from ein_mlir.rewriting.phi.derivatives.guarded_products import contributed, is_chosen
from ein_mlir.rewriting.phi.derivatives.tangents import (
    Leaf,
    NoDerivativeError,
    at_end,
    zeros,
)
from ein_mlir.rewriting.phi.derivatives.transposition import Rule, Transposition
from ein_mlir.rewriting.phi.insertion import Builder, Inserter

_SCALARS = (
    arith.AddfOp,
    arith.DivfOp,
    arith.ExtFOp,
    arith.MulfOp,
    arith.NegfOp,
    arith.SubfOp,
    arith.TruncFOp,
)
"""Scalar operations that are linear: in all operands, in one factor, or in the dividend."""


def _scalar(t: Transposition, op: Operation, totals: Sequence[SSAValue | None]) -> None:
    """The table of derivatives: ``x * y`` has ``r' * y`` and ``r' * x``"""
    block, build = place_of(op)
    linear = [number for number in range(len(op.operands)) if t.factor(op, number) is None]
    is_quotient = isinstance(op, arith.DivfOp) and 1 in linear
    if is_quotient or (isinstance(op, arith.MulfOp) and len(linear) > 1):
        raise NoDerivativeError(op, "it is not linear")
    total = t.copies.now(_only(totals))
    for number in linear:
        t.add(block, op.operands[number], contributed(t, build, op, number, total))


def _select(t: Transposition, op: arith.SelectOp, totals: Sequence[SSAValue | None]) -> None:
    """``select c, x, y``: ``x += select c, r', 0; y += select c, 0, r'``"""
    block, build = place_of(op)
    cotangent = _only(totals)

    for number in (1, 2):
        if t.factor(op, number) is None:
            kept = partial(_kept, Test(op.cond, number == 1))
            t.add(block, op.operands[number], _each(t, build, (op.result, 0), cotangent, kept))


def _kept(test: Test, build: Inserter, value: SSAValue) -> SSAValue:
    """A number if a test holds, else 0."""
    return build.chosen([test], value, 0.0)


def _each(
    t: Transposition,
    build: Inserter,
    like: Leaf,
    value: SSAValue,
    element: Callable[[Inserter, SSAValue], SSAValue],
) -> SSAValue:
    """A function of each element of a value; of a scalar itself."""
    if not isinstance(value.type, phi.VecType):
        return element(build, value)
    return build.comprehension(
        t.copies.sizes_of(build, origin(*like)),
        lambda inner, indices: element(inner, inner.get(value, indices)),
    )


def _get(t: Transposition, op: phi.GetOp, totals: Sequence[SSAValue | None]) -> None:
    """``a[p]``: ``a[p] += r'``"""
    block, _ = place_of(op)
    t.add(block, op.array, _only(totals), op.positions)


def _array(t: Transposition, op: phi.ArrayOp, totals: Sequence[SSAValue | None]) -> None:
    """``array (i < n) { e }``: ``e += r'[i]``, for each i

    The size of ``r'`` is a size, which ``n`` may be an argument for.
    """
    block = op.body.block
    build = at_end(block)
    array = next(total for total in totals if total is not None)
    for axis, index in enumerate(op.indices):
        t.collector.sums.counts[index] = t.copies.sized(place_of(op)[1], phi.SizeOp(array, axis))
    elements = [None if total is None else build.get(total, block.args) for total in totals]
    t.transpose(block, elements)


def _accumulate(t: Transposition, op: phi.AccumulateOp, totals: Sequence[SSAValue | None]) -> None:
    """``accumulate { p, x }``: ``x += r'[p]`` if ``p`` is in bounds, for each index"""
    block = op.body.block
    build = at_end(block)
    fields = build.leaves(op.yielded())
    cotangents: list[SSAValue | None] = []
    for each, total in zip(op.accumulators, totals, strict=True):
        positions = fields[len(cotangents) : len(cotangents) + each.rank]
        element = total
        if total is not None and positions:
            element = _read(t, build, total, positions, (op.yielded(), len(cotangents) + each.rank))
        cotangents += [*(None for _ in positions), element]
    t.transpose(block, cotangents)


def _read(
    t: Transposition, build: Inserter, array: SSAValue, positions: Sequence[SSAValue], like: Leaf
) -> SSAValue:
    """``a[p]`` if ``p`` is in bounds, else 0."""
    inside = Test(_in_bounds(t, build, array, positions), True)
    return _each(t, build, like, build.get(array, positions), partial(_kept, inside))


def _concat(t: Transposition, op: phi.ConcatOp, totals: Sequence[SSAValue | None]) -> None:
    """``concat a, b``: ``a[i] += r'[i]; b[i] += r'[i + size a]``"""
    block, build = place_of(op)
    first = build.size(_only(totals), 0)
    sizes = t.copies.sizes_of(build, origin(op.rhs)) if t.factor(op, 1) is None else None
    offset = first if sizes is None else build.sub(first, sizes[0])
    if t.factor(op, 0) is None:
        t.add(
            block,
            op.lhs,
            _slice(build, t.copies.sizes_of(build, origin(op.lhs)), _only(totals), None),
        )
    if sizes is not None:
        t.add(block, op.rhs, _slice(build, sizes, _only(totals), offset))


def _scan(t: Transposition, op: phi.ScanOp, totals: Sequence[SSAValue | None]) -> None:
    """``scan "add" a``: ``a[j] += s[j + 1]`` with ``s = scan "add" r' suffixes``, and vice versa"""
    block, build = place_of(op)
    is_suffix = op.suffixes is not None
    scan = build.scan("add", _only(totals), suffixes=not is_suffix)
    (sums,) = t.shared_histories([scan], block)
    sizes = t.copies.sizes_of(build, origin(op.vec))
    t.add(block, op.vec, _slice(build, sizes, sums, build.integer(1)))


def _slice(
    build: Inserter, sizes: Sequence[SSAValue], array: SSAValue, offset: SSAValue | None
) -> SSAValue:
    """``array (i < n, ..) { a[i + offset, ..] }``"""

    def element(inner: Inserter, indices: Sequence[SSAValue]) -> SSAValue:
        first, *rest = indices
        if offset is not None:
            first = inner.add(inner.as_int(first), offset)
        return inner.get(array, [first, *rest])

    return build.comprehension(sizes, element)


def _update(t: Transposition, op: phi.UpdateOp, totals: Sequence[SSAValue | None]) -> None:
    """``update a[p], x``: ``a += update r'[p], 0; x += r'[p]`` if ``p`` is in bounds

    ``update a[p], a[p] + x``: ``a += r'; x += r'[p]``
    ``update a[p], select(c, x, a[p])``: ``a += update r'[p], select(c, 0, r'[p]); ..``
    """
    block, build = place_of(op)
    cotangent, added = _only(totals), _added_at(op)
    if added is not None:
        t.add(block, op.array, cotangent)
    elif (choice := _kept_unless(op)) is not None:
        _update_some(t, op, choice, cotangent)
        return
    elif t.factor(op, 0) is None:
        zero = zeros(build, build.get(cotangent, op.positions))
        rest = phi.UpdateOp(cotangent, op.positions, zero)
        t.add(block, op.array, t.copies.sized(build, rest))
    if t.factor(op, len(op.operands) - 1) is None:
        value = op.value if added is None else added
        t.add(block, value, _read(t, build, cotangent, op.positions, origin(value)))


def _update_some(
    t: Transposition, op: phi.UpdateOp, choice: arith.SelectOp, cotangent: SSAValue
) -> None:
    """``update a[p], select(c, x, a[p])``: the element stays unless a condition holds."""
    block, build = place_of(op)
    first = _is_element(op, choice.rhs)
    replaces = Test(choice.cond, first)
    element = _read(t, build, cotangent, op.positions, origin(op.value))
    zero = zeros(build, element)
    if t.factor(op, 0) is None:
        kept = build.chosen([replaces], zero, build.get(cotangent, op.positions))
        rest = phi.UpdateOp(cotangent, op.positions, kept)
        t.add(block, op.array, t.copies.sized(build, rest))
    value = choice.lhs if first else choice.rhs
    if value in t.linear:
        t.add(block, value, build.chosen([replaces], element, zero))


def _kept_unless(op: phi.UpdateOp) -> arith.SelectOp | None:
    """The choice of a scalar and the element that it replaces, if a value is one."""
    choice = op.value.owner
    if not isinstance(choice, arith.SelectOp) or isinstance(op.value.type, phi.VecType):
        return None
    return choice if _is_element(op, choice.lhs) != _is_element(op, choice.rhs) else None


def _is_element(op: phi.UpdateOp, value: SSAValue) -> bool:
    """Whether a value is the element that an update replaces."""
    read = value.owner
    return isinstance(read, phi.GetOp) and _place(read) == _place(op)


def _place(op: phi.GetOp | phi.UpdateOp) -> tuple[SSAValue, list[SSAValue]]:
    """An array, and the positions of an element, also of its rows."""
    array, positions = op.array, [*map(phi.uncast, op.positions)]
    while isinstance(array.owner, phi.GetOp):
        positions = [*map(phi.uncast, array.owner.positions), *positions]
        array = array.owner.array
    return array, positions


def _added_at(op: phi.UpdateOp) -> SSAValue | None:
    """``x`` of ``update a[p], a[p] + x``; ``p`` may be a choice of that and a negative number."""
    total = op.value.owner
    if not isinstance(total, arith.AddfOp):
        return None
    for number, each in enumerate(total.operands):
        read = each.owner
        if isinstance(read, phi.GetOp) and read.array is op.array:
            pairs = zip(map(phi.uncast, op.positions), map(phi.uncast, read.positions), strict=True)
            if all(p is q or _is_among(p, q) for p, q in pairs):
                return total.operands[1 - number]
    return None


def _is_among(position: SSAValue, other: SSAValue) -> bool:
    """``select(c, q, -1)``, for a position ``q``"""
    op = position.owner
    if not isinstance(op, arith.SelectOp):
        return False
    lhs, rhs = map(phi.uncast, (op.lhs, op.rhs))
    literal = known_int(rhs)
    return lhs is other and literal is not None and literal < 0


def _in_bounds(
    t: Transposition, build: Inserter, array: SSAValue, positions: Sequence[SSAValue]
) -> SSAValue:
    """Whether all positions are those of elements, by the tests that are not proven."""
    tests: list[SSAValue] = []
    for axis, position in enumerate(positions):
        size = t.copies.sized(build, phi.SizeOp(array, axis))
        if not t.collector.is_inside(position, size):
            at = build.as_int(position)
            tests += is_step(build, at, size)
    return build.all_of(tests)


def _only(totals: Sequence[SSAValue | None]) -> SSAValue:
    (total,) = totals
    assert total is not None
    return total


def _transpose(t: Transposition, op: phi.TransposeOp, totals: Sequence[SSAValue | None]) -> None:
    """``transpose (ct = a) by dx { e }``: ``dx += e``, where ``ct`` is ``r'``"""
    block, build = place_of(op)
    values = dict[SSAValue, SSAValue]()
    for number, (argument, total) in enumerate(zip(op.body.block.args, totals, strict=True)):
        values[argument] = total or _zero_leaf(t, build, (op.result, number))
    for each in op.body.block.ops:
        if not isinstance(each, phi.YieldOp):
            build.copy(each, values)
    found = values.get(op.yielded(), op.yielded())
    for leaf, cotangent in enumerate(build.leaves(found)):
        t.add(block, op.cotangent, cotangent, leaf=leaf)


# Folds ----------------------------------------------------------------------------------------


def _fold(t: Transposition, op: phi.FoldOp, totals: Sequence[SSAValue | None]) -> None:
    """The steps backwards, with the cotangents of the accumulators.

    A step that passes on the cotangent of a leaf unchanged, as that of a sum does, needs no such
    loop: the cotangent is the same for all steps. Other cotangents are saved in arrays, so that the
    contributions of each step to values outside are those of a parallel loop.
    """
    block, build = op.body.block, place_of(op)[1]
    numbers = _reached(t, op, totals)
    start = dict[int, SSAValue]()
    for k in numbers:
        value = totals[k] or _zero_leaf(t, build, (op.result, k))
        start[k] = t.shared((op.result, k), value, place_of(op)[0])
    given: dict[int, SSAValue] = dict(start)
    if all(_is_sum(t, op, k) for k in numbers) and is_regular(op):
        t.sums.add(op)
    else:
        given = {k: block.insert_arg(start[k].type, len(block.args)) for k in numbers}
        for k in numbers:
            t.copies.inherit(given[k], start[k])
        chosen = {k for k in numbers if totals[k] is None or is_chosen(t, start[k])}
        t.chosen |= {given[k] for k in _chosen(t, op, numbers, chosen)}
    t.transpose(block, [given.get(k) for k in range(len(totals))])
    after = {k: t.total((op.accumulator, k)) for k in numbers}
    for k in numbers:
        if op not in t.sums:
            _read_sizes(t, build, given[k], start[k])
    varying = [k for k in numbers if after[k] is not given[k]]
    for k in numbers:
        if k not in varying and op not in t.sums:
            t.copies.substitute(given[k], start[k])
    is_parallel = not varying and (is_regular(op) or not t.escaped(op))
    if is_parallel:
        found = values_of_step(t, op) if is_regular(op) else ()
        values = [value for value in found if isinstance(value.owner, Operation)]
        for value, array in zip(values, t.over_steps(build, op, values), strict=True):
            _read_step(t, op, value, array)
    final = {} if is_parallel else _backwards(t, op, start, given, after, varying)
    for k in numbers:
        t.add(place_of(op)[0], op.init, final.get(k, start[k]), leaf=k)


def _chosen(t: Transposition, op: phi.FoldOp, numbers: Sequence[int], chosen: set[int]) -> set[int]:
    """The leaves whose cotangents a selection may make zero: of the first ones, or in a step."""
    block = op.body.block
    choices = [each for each in op.body.walk() if isinstance(each, arith.SelectOp)]
    parts = {block.find_ancestor_op_in_block(each) for each in choices if t.is_linear(each)}
    for part in parts:
        assert part is not None
        chosen = chosen.union(*(t.leaves_before(op, (value, 0)) for value in part.results))
    while True:
        behind = chosen.union(*(t.leaves_behind(op, k) for k in chosen)).intersection(numbers)
        if behind == chosen:
            return chosen
        chosen = behind


def _is_sum(t: Transposition, op: phi.FoldOp, leaf: int) -> bool:
    """``acc + e``: whether a step passes on the cotangent of a leaf.

    Nothing else reads the leaf before or after the step.
    """
    total = origin(op.yielded(), leaf)[0].owner
    if not isinstance(total, arith.AddfOp) or not total.result.has_one_use():
        return False
    before = [each for each in total.operands if origin(each) == (op.accumulator, leaf)]
    return len(before) == 1 and before[0].has_one_use()


def _read_sizes(t: Transposition, build: Inserter, value: SSAValue, like: SSAValue) -> None:
    """Let the sizes of a value be those of another one: they need no saved arrays."""
    for use in list(value.uses):
        op = use.operation
        if isinstance(op, phi.SizeOp) and op.result.first_use is not None:
            size = t.copies.sized(build, phi.SizeOp(like, op.axis.value.data))
            t.copies.substitute(op.result, size)


def _reached(t: Transposition, op: phi.FoldOp, totals: Sequence[SSAValue | None]) -> list[int]:
    """The leaves of the accumulator with a cotangent in some step."""
    given = (k for k, total in enumerate(totals) if total is not None)
    return sorted(reached(given, partial(t.leaves_behind, op)))


def _zero_leaf(
    t: Transposition, build: Inserter, leaf: Leaf, home: Block | None = None
) -> SSAValue:
    """Zero, or an array of zeros, with the sizes of a linear value."""
    sizes = t.copies.sizes_of(build, leaf, home)
    scalar = phi.scalar_of(leaf_type(leaf))
    return build.zeros(sizes, scalar) if sizes else build.number(0.0, scalar)


def _backwards(
    t: Transposition,
    op: phi.FoldOp,
    start: Mapping[int, SSAValue],
    given: Mapping[int, SSAValue],
    after: Mapping[int, SSAValue | None],
    varying: Sequence[int],
) -> dict[int, SSAValue]:
    """The cotangents before all steps; ``given`` becomes those after a step, from arrays.

    If sizes in the body depend on the counter, steps cannot be a parallel loop: then the loop sums
    their contributions, too. So it does where these take no more time than to save the cotangents.
    """
    block, build = place_of(op)
    sums = sums_of_step(t, op)
    escaped = t.escaped(op)
    is_summed = not is_regular(op) or are_elementwise(t, op, escaped)
    totals = {leaf: _placeholder(t, op, leaf) for leaf in escaped} if is_summed else {}
    steps = t.totals_of_step(op, totals)
    carried = [start[k] for k in varying]
    read = saved_values(t, op) if escaped and not steps else []
    kept = [k for k in varying if given[k] in read]
    arrays = [value for value in read if isinstance(value.owner, Operation)]
    carried += [history(build, op.count, start[k]) for k in kept]
    for value in arrays:
        sizes = t.copies.sizes_of(build, (value, 0), block)
        carried.append(build.zeros([op.count, *sizes], phi.scalar_of(value.type)))
    carried += [_zero_leaf(t, build, leaf, block) for leaf in steps]
    carried += [build.number(0.0, value.type) for value in sums.values()]
    body = Block(arg_types=[i64, *(value.type for value in carried)])
    inner = Builder.at_end(body)
    step = inner.sub(inner.sub(op.count, 1), body.args[0])
    before = body.args[1:]
    values: dict[SSAValue, SSAValue] = {op.counter: step}
    values.update({given[k]: argument for k, argument in zip(varying, before, strict=False)})
    new: list[SSAValue] = []
    for k, argument in zip(varying, before, strict=False):
        value = after[k]
        new.append(zeros(inner, argument) if value is None else t.copy(inner, value, values, op))
    saved = [*(given[k] for k in kept), *arrays]
    for array, value in zip(before[len(new) : len(new) + len(saved)], saved, strict=True):
        copy = t.copy(inner, value, values, op)
        new.append(inner.update(array, [step], copy))
    values.update(zip(totals.values(), before[len(new) :], strict=False))
    new += [t.copy(inner, value, values, op) for value in steps.values()]
    for total, value in zip(before[len(new) :], sums.values(), strict=True):
        new.append(added(inner, [total, t.copy(inner, value, values, op)]))
    inner.yield_(inner.packed(new))
    packed_argument(body, before)
    for argument in reversed(before if len(before) > 1 else ()):
        body.erase_arg(argument)
    result = t.copies.sized(build, phi.FoldOp(op.count, build.packed(carried), Region(body)))
    found = t.fields(build, result, len(carried))
    histories = found[len(varying) : len(varying) + len(saved)]
    for value, array in zip(saved, t.shared_histories(histories, block), strict=True):
        _read_step(t, op, value, array)
    rest = found[len(varying) + len(saved) :]
    for (value, leaf), total in zip(steps, rest, strict=False):
        t.add(block, value, total, leaf=leaf)
    for ((value, leaf), positions), total in zip(sums, rest[len(steps) :], strict=True):
        at = [t.copy(build, position, {}, op) for position in positions]
        t.add(block, value, total, at, leaf)
    return dict(zip(varying, found, strict=False))


def _placeholder(t: Transposition, op: phi.FoldOp, leaf: Leaf) -> SSAValue:
    """A variable of the body of a fold for the cotangent of a value outside, before a step."""
    found = op.body.block.insert_arg(leaf_type(leaf), len(op.body.block.args))
    t.copies.inherit(found, leaf[0])
    return found


def _read_step(t: Transposition, op: phi.FoldOp, value: SSAValue, array: SSAValue) -> None:
    """Let a value of a step be an element of an array of all steps."""
    at_start = Builder.at_start(op.body.block)
    t.copies.substitute(value, at_start.get(array, [op.counter]))


RULES: dict[type[Operation], Rule] = {
    **dict.fromkeys(_SCALARS, _scalar),
    arith.SelectOp: _select,
    phi.AccumulateOp: _accumulate,
    phi.ArrayOp: _array,
    phi.ConcatOp: _concat,
    phi.FoldOp: _fold,
    phi.GetOp: _get,
    phi.ScanOp: _scan,
    phi.TransposeOp: _transpose,
    phi.UpdateOp: _update,
}
"""The transposes of linear operations."""
