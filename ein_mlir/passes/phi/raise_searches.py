"""``raise-searches``: loops that search by halves become ``phi.searchsorted``."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.phi.free_indices import FreeIndices, free_indices
from ein_mlir.analysis.phi.halving import Halving, halving
from ein_mlir.analysis.phi.index_forms import IndexForms, index_forms
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.predicates import CHOICES
from ein_mlir.analysis.scopes import innermost_first, is_within
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.index_limits import IndexLimit, index_limit, number_below
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.range_reductions import bit_length

KEYS_PER_VALUE = 16
"""For each value, the order of so many keys is tested in the time of a search by halves."""

FEW_KEYS = 2**14
"""The order of so many keys is tested in the time of the calls of a loop by halves."""


class _Raiser:
    """Raises the loops of a function."""

    def __init__(self, function: func.FuncOp, analyses: AnalysisManager, *, only_indices: bool):
        self._only_indices = only_indices
        self._forms: IndexForms = analyses.get(index_forms, function)
        self._free: FreeIndices = analyses.get(free_indices, function)
        self._note = analyses.note

    def raise_(self, op: phi.FoldOp | phi.WhileOp) -> bool:
        """Replace a loop for many values by a search, if the same keys serve all."""
        found = halving(op, self._forms)
        if found is None or self._vary(found) or not self._free.of(found.value):
            return False
        limit = index_limit(found.value, self._forms)
        if limit is None and self._only_indices:
            return False
        self._note(op, f"the loop over {name_of(op.body.block.args[0])} is a search in order")
        build = Builder.before(op)
        keys = self._keys(build, found)
        is_cheap = self._is_cheap(build, found, keys)
        tests = _tests(build, found, keys, is_cheap)
        is_in_order = build.all_of(tests)
        ends = _ends(build, found, _place(build, found, keys, is_cheap, limit))
        old = list(op.result.uses)
        if tests:
            _run_unless(build, op, is_in_order)
            build = Builder.after(op)
            leaves = build.leaves(op.result)
            ends = [
                build.select(is_in_order, end, leaf) for end, leaf in zip(ends, leaves, strict=True)
            ]
        result = build.record(op.result.type, ends)
        for use in old:
            use.operation.operands[use.index] = result
        return True

    def _vary(self, found: Halving) -> bool:
        """Whether the keys vary with an index."""
        if self._free.of(found.size):
            return True
        body = found.op.body.block
        needed = slice_of(body, [found.key], [found.middle])
        inputs = (value for op in needed for value in op.operands)
        outer = [value for value in inputs if not is_within(value, body)]
        return any(self._free.of(value) for value in outer)

    def _keys(self, build: Builder, found: Halving) -> SSAValue:
        """The array of the keys: one that is read, or a new one."""
        get = found.key.owner
        if isinstance(get, phi.GetOp) and list(get.positions) == [found.middle]:
            size = self._forms.size(get.array, 0)
            if size == self._forms.form(found.size) and not is_within(get.array, found.op):
                return get.array

        def key(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
            known = {found.middle: inner.as_int(own[0])}
            return inner.copied(found.op.body.block, [found.key], known)[0]

        return build.comprehension([found.size], key)

    def _is_cheap(self, build: Builder, found: Halving, keys: SSAValue) -> SSAValue | None:
        """Whether the order of keys is to be tested, by sizes alone; None if they are in order."""
        if isinstance(keys.owner, phi.SortOp) and found.takes_nan:
            return None
        number = build.integer(KEYS_PER_VALUE)
        for index in self._free.of(found.value):
            number = build.mul(number, phi.size_of_index(index))
        most = build.add(number, FEW_KEYS)
        return build.compare(found.size, "sle", most)


def _tests(
    build: Builder, found: Halving, keys: SSAValue, is_cheap: SSAValue | None
) -> list[SSAValue]:
    """The conditions under which the loop finds the same places."""
    op, tests = found.op, list[SSAValue]()
    if isinstance(op, phi.FoldOp):
        tests.append(build.compare(op.count, "sge", bit_length(build, found.size)))
    if is_cheap is None:
        return tests
    return [*tests, is_cheap, *_order_tests(build, keys, found.size, is_cheap)]


def _place(
    build: Builder,
    found: Halving,
    keys: SSAValue,
    is_cheap: SSAValue | None,
    limit: IndexLimit | None,
) -> SSAValue:
    """The place of the value among keys, if these are in order.

    Only sizes decide how many keys are counted: no element decides the size of an array.
    """
    (value,) = build.copied(found.op.body.block, [found.value], {})
    if limit is not None:
        count = found.size if is_cheap is None else build.select(is_cheap, found.size, 0)
        return number_below(build, keys, count, limit, "<=" if found.is_right else "<")
    place = build.emit(phi.SearchsortedOp(keys, value, right=found.is_right))
    if isa(value.type, AnyFloat) and not found.is_nan_last:
        is_nan = build.compare(value, "une", value)
        return build.select(is_nan, 0, place)
    return place


def _ends(build: Builder, found: Halving, place: SSAValue) -> list[SSAValue]:
    """The fields of the loop at its end: its condition is false, and its interval empty."""
    first = min(found.ends)
    ends = [build.sub(place, found.ends[first + k]) for k in range(2)]
    return [build.truth(False), *ends] if first else ends


def _order_tests(
    build: Builder, keys: SSAValue, size: SSAValue, is_cheap: SSAValue
) -> list[SSAValue]:
    """Whether keys are in order, and no key is NaN: ``all (k < n - 1) { keys[k] <= keys[k + 1] }``

    None are compared if that is not cheap.
    """

    def test(inner: Builder, indices: Sequence[SSAValue]) -> SSAValue:
        place = inner.as_int(indices[0])
        key, following = (inner.get(keys, [k]) for k in (place, inner.add(place, 1)))
        return inner.compare(key, "<=", following)

    count = build.max(build.sub(build.select(is_cheap, size, 0), 1), 0)
    pairs = build.comprehension([count], test)
    tests = [build.reduce(pairs, build.truth(True), arith.AndIOp)]
    if isa(phi.scalar_of(keys.type), AnyFloat):
        first = build.get(keys, [build.integer(0)])
        tests.append(build.compare(first, "oeq", first))
    return tests


def _run_unless(build: Builder, op: phi.FoldOp | phi.WhileOp, condition: SSAValue) -> None:
    """Let a loop take no steps if a condition holds."""
    if isinstance(op, phi.FoldOp):
        op.operands[0] = build.select(condition, 0, op.count)
        return
    goes_on, *others = build.leaves(op.init)
    goes_on = build.select(condition, build.truth(False), goes_on)
    op.operands[1] = build.record(op.init.type, [goes_on, *others])


def count_steps(function: func.FuncOp, analyses: AnalysisManager) -> None:
    """Let the loops that search by halves take a number of steps that is known before them."""
    for op in innermost_first(function, phi.WhileOp):
        found = halving(op, analyses.get(index_forms, function))
        if found is not None and op.is_unlimited():
            analyses.note(op, f"the search over {name_of(op.body.block.args[0])} counts its steps")
            _count_steps(found)
            analyses.invalidate(function)


def _count_steps(found: Halving) -> None:
    """Let a loop that ends with an empty interval take the steps that empty each such interval.

    Steps at the end of an empty one change nothing. All searches take the same steps, so they run
    side by side, and no processor guesses where each ends.
    """
    op, build = found.op, Builder.before(found.op)
    (low, from_low), (high, from_high) = found.ends.items()
    first = build.tuple(build.leaves(op.init)[1:])

    def step(inner: Builder, _: SSAValue, fields: SSAValue) -> SSAValue:
        old = inner.leaves(fields)
        distance = from_high - from_low
        is_on = inner.compare(old[low - 1], "slt", inner.add(old[high - 1], distance))
        known: dict[SSAValue, SSAValue] = {
            op.accumulator: inner.record(op.init.type, [is_on, *old])
        }
        new = inner.leaves(inner.copied(op.body.block, [op.yielded()], known)[0])[1:]
        pairs = zip(new, old, strict=True)
        return inner.tuple([inner.select(is_on, after, before) for after, before in pairs])

    count = bit_length(build, found.size)
    ends = build.leaves(build.fold_over(count, first, step, op.body.block.args))
    result = build.record(op.result.type, [build.truth(False), *ends])
    Rewriter.replace_op(op, [], [result])


@dataclass(frozen=True)
class RaiseSearchesPass(FunctionPass):
    """Turns loops that search by halves into ``phi.searchsorted``.

    Before::

        %r = phi.array (%i < %m) -> !phi.vec<i64> {
          %found = phi.fold (%k < %steps, (%low, %high) = %ends) -> tuple<i64, i64> {
            .. where(low < high, where(t[middle] < q[i], (middle + 1, high), (low, middle)), s) ..
          }
          phi.proj %found, 0 : tuple<i64, i64> -> i64
        }

    After::

        %r = phi.array (%i < %m) -> !phi.vec<i64> {
          ..
          %place = phi.searchsorted %t, %x : !phi.vec<f64>, f64
          .. where(x is NaN, 0, place), if %t is in order and 2^steps > n; else of the loop ..
        }

    The loop stays for keys that are not in order, which is tested at run time unless they are the
    result of a sort, and for too few steps. It then takes no steps if it is not needed. The pass
    follows ``raise-reductions``: the values of a sum of searches are those of an array. The keys
    may be computed at each position; they must not vary with an index, and the value must. If it
    is an index, and a number more, the places are a running sum of the numbers of equal keys. The
    lower end may be the position before the interval, and the upper one the last of it.
    """

    name = "raise-searches"
    looks_for = (phi.FoldOp, phi.WhileOp)
    beside = CHOICES

    counted: bool = False
    """Instead, make loops that end with an empty interval count: all searches take as many steps.

    ::

        %bits = .. the number of bits of %n ..
        %found = phi.fold (%k < %bits, %s = %ends) -> tuple<i64, i64> {
          .. where(low < high, where(t[middle] < x, (middle + 1, high), (low, middle)), s) ..
        }
    """

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        if self.counted:
            count_steps(function, analyses)
        raiser = _Raiser(function, analyses, only_indices=self.counted)
        for kind in (phi.FoldOp, phi.WhileOp):
            for op in innermost_first(function, kind):
                if raiser.raise_(op):
                    analyses.invalidate(function)
                    raiser = _Raiser(function, analyses, only_indices=self.counted)
