"""``raise-counted-loops``: loops whose numbers of steps vary with an index become regular."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import i64
from xdsl.ir import Block, Region, SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.counted_loops import CountedLoop, counted, step_counts
from ein_mlir.analysis.phi.index_forms import IndexForms, index_forms
from ein_mlir.analysis.scopes import operations_in, outermost_without
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.phi.raise_counted_loops.rectangles import (
    Rectangle,
    by_another_array,
    is_linear,
    rectangle,
    wide_ints,
)
from ein_mlir.passes.phi.raise_counted_loops.searches import search_in_blocks, search_of
from ein_mlir.passes.phi.raise_counted_loops.segments import (
    flat,
    prefixes,
    rows_of,
    size_of_shared,
    terms_of,
)
from ein_mlir.passes.phi.raise_counted_loops.states import keep, states_of
from ein_mlir.passes.phi.raise_counted_loops.steps import (
    carry,
    folds_around,
    prefix,
    replace,
    resume,
    step,
)
from ein_mlir.rewriting.common_subexpressions import eliminate_common_subexpressions
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.interchange import iterate, may_iterate
from ein_mlir.rewriting.phi.ordinary import limit_to_ordinary

# Rectangles -------------------------------------------------------------------------------------


def rectangular(
    loop: CountedLoop, found: Rectangle, other: Rectangle | None, forms: IndexForms
) -> None:
    """``while (k < n) { e }  -->  fold (d < m) { where(d < n - p, e, acc) }``

    with ``p + d`` for k, where k starts at p and m is the most steps. A sum ``acc + x`` adds
    ``where(d < n - p, x, 0)``: that remains a reduction, whose terms have a mask. If more positions
    are the same in all rows then, rows end together, or read an element in the same step: in
    ``sum k < n - i of a[i + k]``, d is ``i + k``, and ``i <= d``.

    With another rectangle, there are two folds, of which sizes say that one has no steps: the other
    one has those of the shorter rectangle.
    """
    build, count = Builder.before(loop.op, forms.add), found.count(loop, forms)
    if other is None:
        fold = _fold_in(loop, found, build, count, forms)
    else:
        least = other.count(loop, forms)
        outside = Builder.before(outermost_without(loop.op, [count, least]), forms.add)
        is_shorter, none = outside.compare(least, "slt", count), outside.integer(0)
        counts = outside.select(is_shorter, none, count), outside.select(is_shorter, least, none)
        first = _fold_in(loop, found, build, counts[0], forms)
        fold = _fold_in(loop, other, build, counts[1], forms)
        fold.operands[1] = first.result
    replace(loop, build, build.unpacked(fold.result, len(loop.fields)), forms)


def _fold_in(
    loop: CountedLoop, found: Rectangle, build: Builder, count: SSAValue, forms: IndexForms
) -> phi.FoldOp:
    """The fold of the steps in a rectangle."""
    fold = _fold_of(loop, loop.fields, build, count, found, forms)
    forms.add(fold)
    _simplify_positions(fold, forms)
    return fold


def _simplify_positions(fold: phi.FoldOp, forms: IndexForms) -> None:
    """``a[i + (d - i)]  -->  a[d]`` in steps."""
    for get in operations_in(fold):
        for number, position in enumerate(get.positions if isinstance(get, phi.GetOp) else ()):
            form = forms.form(position)
            if position.type == i64 and is_linear(form, forms):
                get.operands[1 + number] = Builder.before(get).linear_value(form)


def irregular(loop: CountedLoop, forms: IndexForms) -> None:
    """``while (k < n) { e }  -->  fold irregular (d < max(n, p) - p) { e }``

    with ``p + d`` for k, where k starts at p. A count of 2^63 and more is an error.
    """
    build = Builder.before(loop.op, forms.add)
    count = build.sub(build.max(loop.end, loop.start), loop.start)
    fold = _fold_of(loop, loop.fields, build, count, None, forms)
    replace(loop, build, build.unpacked(fold.result, len(loop.fields)), forms)


def divide(loop: CountedLoop, size: SSAValue, forms: IndexForms) -> None:
    """The first m steps as a fold of each field: few rows have more.

    ``while (k < n, y = x) { e }  -->
    while (k < n, y = fold (k < m, y = x) { where(k < n, e, y) }) { e }``, with k from m on.
    """
    build, zero = Builder.before(loop.op, forms.add), LinearForm()
    first = Rectangle(zero, zero, [forms.form(size)], [], [forms.form(loop.end)])
    count = first.count(loop, forms)
    fields = list[SSAValue]()
    for path in loop.fields:
        fold = _fold_of(loop, [path], build, count, first, forms)
        forms.add(fold)
        fields.append(fold.result)
    resume(loop, build, size, fields, forms)


def _fold_of(
    loop: CountedLoop,
    fields: Sequence[phi.Path],
    build: Builder,
    count: SSAValue,
    around: Rectangle | None,
    forms: IndexForms,
) -> phi.FoldOp:
    """The fold of steps of a loop, for fields that do not depend on others.

    A row has those in the rectangle around it.
    """
    init = build.packed([loop.initial(path) for path in fields])
    block = Block(arg_types=(i64, init.type))
    block.args[0].name_hint, block.args[1].name_hint = loop.op.counter.name_hint, "acc"
    inner = Builder.at_end(block)
    before = inner.unpacked(block.args[1], len(fields))
    known = dict(zip(fields, before, strict=True))
    number = block.args[0]
    start = inner.add(loop.start, number)
    place = inner.linear_value(around.step(number, forms)) if around else start
    all_fields = [known.get(path) or loop.initial(path) for path in loop.fields]
    values = step(inner, loop, place, all_fields)
    after = [values.get(value, value) for value in map(loop.next, fields)]
    if around is not None:
        limits = around.limits(loop, build, forms)
        is_inside = inner.all_of([inner.compare(number, *limit) for limit in limits])
        pairs = zip(after, before, strict=True)
        after = [inner.guarded_step(is_inside, new, old) for new, old in pairs]
    inner.yield_(inner.packed(after))
    erase_unused(block)
    return build.insert(phi.FoldOp(count, init, Region(block), irregular=around is None))


def number_steps(op: phi.WhileOp) -> None:
    """``while (s < .., k = p) { e(k), k + 1 }  -->  while (s < .., k = p) { e(p + s), p + s + 1 }``

    The number of a step is the same in all rows that take it.
    """
    for start, reads in step_counts(op):
        build, place = Builder.at_start(op.body.block), op.counter
        if known_int(start) != 0:
            place = build.add(start, place)
        for read in reads:
            read.replace_all_uses_with(place)


# The pass ---------------------------------------------------------------------------------------


def _raise(loop: CountedLoop, forms: IndexForms, options: RaiseCountedLoopsPass) -> bool:
    """Make a loop regular, if its longest row is known, or all rows make one sequence."""
    around, only_terms = rectangle(loop, forms), options.irregular
    rows = None if options.static or around is not None else rows_of(loop, forms)
    if rows is not None and options.derivatives and not rows.are_regular:
        rows = None
    is_known = around is not None and not _may_fail(loop.op)
    if around is not None and is_known and (not only_terms or terms_of(loop) is not None):
        other = by_another_array(loop, around, forms) if options.static else None
        rectangular(loop, around, other, forms)
    elif rows is None and (size := size_of_shared(loop, forms)) is not None:
        divide(loop, size, forms)
    elif rows is None or loop.op.parent_op() is not rows.around:
        return False
    elif rows.are_shared:
        prefixes(rows, forms)
    elif not only_terms:
        flat(rows, forms)
    else:
        return False
    return True


def _may_fail(op: phi.WhileOp) -> bool:
    """Whether a step may be an error, which one that the loop does not take is not."""
    return any(isinstance(each, phi.PhiOp) and each.may_fail() for each in operations_in(op))


@dataclass(frozen=True)
class RaiseCountedLoopsPass(FunctionPass):
    """Makes loops by a condition that count regular: folds, scans, or accumulations of all steps.

    Before::

        %r = phi.array (%i < %n) -> !phi.vec<f64> {
          %init = phi.tuple (0 < %i, %zero, %one) : tuple<i1, i64, f64>
          %s = phi.while (%steps < %limit, (%some, %k, %acc) = %init) -> tuple<i1, i64, f64> {
            phi.yield (%k + 1 < %i, %k + 1, %acc * %a[%k]) : tuple<i1, i64, f64>
          }
          phi.proj %s, 2 : tuple<i1, i64, f64> -> f64
        }

    After (``%most`` is ``max(n - 1, 0)``)::

        %r = phi.array (%i < %n) -> !phi.vec<f64> {
          phi.fold (%k < %most, %acc = %one) -> f64 { %acc * select (%k < %i), %a[%k], 1 }
        }

    The number of steps is a linear function of indices here, so that the longest row is known:
    rectangles are little larger. So it is if bounds of the steps are minima and maxima of such
    functions: ``sum k < min(i + 1, w) of a[i - k]`` is one over ``k < min(n, w)`` with a mask.
    Where only sums with an argument that may wrap keep a loop from that, as ``i + r + 1`` does for
    a window of radius r, ``array (i < n) { e }`` becomes ``array (i < m) { e[r := clip(r)] }`` for
    ordinary Ints r, and a copy for the others, which is empty where m is n. If it is another
    function of one index of the comprehension around the loop, and steps only combine values, all
    steps of all rows make one sequence: the values accumulate in their rows. The work is that of
    the steps. Where rows read no part of an array of their own, the sequence may be long: a loop
    remains for results of more than 1024 elements, and for more than two million values. If all
    rows combine the first of the
    same values, each reads its element of a scan; there is one for each other index. With
    ``static``, or where counts vary with several indices, the first steps are a fold instead, as
    many as an array has that steps read from its start: ``raise-scans`` makes it a scan. A loop of
    the other steps remains, which most rows do not have.

    If all rows take the first of the same steps, which do more than combine values, one loop takes
    those of the longest row and keeps the state after each: in the trajectory
    ``array (t < n) { fold (k < t) { .. } }``, row t reads state t. Where data counts the steps, a
    row of more than 65,536 goes on alone from there; with ``static``, such loops remain.

    Folds between the loop and the comprehension are exchanged with it before:
    ``array (i < m) { fold (y = x) { e } }`` becomes a fold over arrays
    ``fold (ys = array (i < m) { x }) { array (i < m) { e[y := ys[i]] } }``. With the option
    ``static``, for backends whose sizes do not depend on data, other loops remain. With the option
    ``irregular``, for backends whose loops need no rectangles and sequences, any other loop than a
    reduction of known longest row is a fold whose count is that of its own row: such a reduction
    may be a scan, and ``narrow-folds{irregular=true}`` restores its count if it is none.

    With ``searches``, for libraries whose loops are those of Python, an outermost loop is a search
    if its condition tests counters of the steps, and sums or extremes of what these read: the first
    step after which it fails is found in blocks of up to 65,536 steps, and what else the steps
    compute is a fold over as many.

    With ``derivatives`` it is for functions that have some, before they are expanded: derivatives
    backwards need regular loops.

    A loop that remains carries the fields of loops over its steps so far. A field of it that each
    step increases by 1 is the first value plus the number of the step: that is the same for all
    rows, whose elements are then read side by side.
    """

    static: bool = False
    searches: bool = False
    irregular: bool = False
    derivatives: bool = False

    name = "raise-counted-loops"
    looks_for = (phi.WhileOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        eliminate_common_subexpressions(function.body)  # what bounds and positions have in common
        forms = analyses.get(index_forms, function)
        if _keep_states(function, forms, static=self.static):
            analyses.invalidate()
            forms = analyses.get(index_forms, function)
        if not self.static and _limit_bounds(function, forms):
            analyses.invalidate()
            forms = analyses.get(index_forms, function)
        while not self.irregular and _carry_prefix(function, forms):
            analyses.invalidate()
            forms = analyses.get(index_forms, function)
        while not self.static and not self.irregular and _iterate(function, forms):
            analyses.invalidate()
            forms = analyses.get(index_forms, function)
        while self._raise_all(function, forms):
            analyses.invalidate()  # counters of raised loops are the same in all rows
            forms = analyses.get(index_forms, function)
        for op in operations_in(function):
            found = search_of(op) if self.searches and isinstance(op, phi.WhileOp) else None
            if found is not None:
                search_in_blocks(found)
        for op in function.walk():
            if isinstance(op, phi.WhileOp):
                number_steps(op)

    def _raise_all(self, function: func.FuncOp, forms: IndexForms) -> bool:
        """Make the loops regular that are not; whether a loop is that has others in its steps."""
        has_inner = False
        for loop in _loops(function):
            is_outer = any(isinstance(each, phi.WhileOp) for each in operations_in(loop.op)[1:])
            is_raised = _raise(loop, forms, self)
            if self.irregular and not is_raised:
                irregular(loop, forms)
            has_inner |= is_raised and is_outer
        return has_inner


def _loops(function: func.FuncOp, *, arrays: bool = False) -> Iterator[CountedLoop]:
    """The counted loops, of scalars or also of arrays, a result before loops that read it."""
    for op in operations_in(function, bodies_first=True):
        loop = counted(op) if isinstance(op, phi.WhileOp) else None
        types = [loop.initial(path).type for path in loop.fields] if loop is not None else []
        if loop is not None and types and (arrays or all(map(phi.is_scalar_type, types))):
            yield loop


def _keep_states(function: func.FuncOp, forms: IndexForms, *, static: bool) -> bool:
    """Let one loop keep the states of all rows, where these take the same steps; whether any does.

    Rows that only combine the same values are elements of a scan.
    """
    is_changed = False
    for loop in _loops(function, arrays=True):
        found = None if terms_of(loop) else states_of(loop, forms, static=static)
        if found is not None:
            keep(found, forms)
            is_changed = True
    return is_changed


def _carry_prefix(function: func.FuncOp, forms: IndexForms) -> bool:
    """Let a loop that remains carry the fields of one over its steps so far; whether there is one.

    Others become folds, of which ``carry-prefixes`` asks that.
    """
    for loop in _loops(function):
        found = prefix(loop, forms)
        if found is not None and rectangle(found.outer, forms) is None:
            carry(found, forms)
            return True
    return False


def _iterate(function: func.FuncOp, forms: IndexForms) -> bool:
    """Exchange comprehensions and the outermost folds around loops of rows, if there are any."""
    folds = dict[phi.FoldOp, phi.ArrayOp]()
    for loop in _loops(function):
        found = list(folds_around(loop))
        rows = rows_of(loop, forms) if found and rectangle(loop, forms) is None else None
        if rows is not None and rows.are_regular:
            folds[found[-1]] = rows.around
    possible = [each for each in folds.items() if may_iterate(*each)]
    for fold, array in possible:
        iterate(fold, array, forms.free)
    return bool(possible)


def _limit_bounds(function: func.FuncOp, forms: IndexForms) -> bool:
    """Let arguments be ordinary Ints where only the others keep loops from being rectangles.

    Whether there are such loops: the comprehensions around them have copies.
    """
    wide = dict[phi.ArrayOp, dict[SSAValue, None]]()
    for loop in _loops(function):
        array = outermost_without(loop.op, ())
        found = wide_ints(loop, forms)
        if found and isinstance(array, phi.ArrayOp):
            wide.setdefault(array, {}).update(dict.fromkeys(found))
    for array, ints in wide.items():
        limit_to_ordinary(array, list(ints))
    return bool(wide)
