"""``raise-recurrences``: recurrences along a vector become scans."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.builder import Builder
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IntegerAttr, IntegerType, i64
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from ein_mlir.analysis.arithmetic import INTS, MOST, LinearForm
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.phi.free_indices import free_indices
from ein_mlir.analysis.phi.index_forms import IndexForms, index_forms
from ein_mlir.analysis.phi.int_bounds import IntBounds
from ein_mlir.analysis.phi.memory_cost import may_materialise_parts, slice_of
from ein_mlir.analysis.phi.size_equivalence import equal_sizes
from ein_mlir.analysis.phi.speculation import may_fail
from ein_mlir.analysis.scopes import dependents, innermost_first, is_within
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.integers import is_size
from ein_mlir.dialects.reductions import combination, kind_of
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.builders import comprehension, copied, integer, same_operation
from ein_mlir.rewriting.phi.replacement import replace
from ein_mlir.rewriting.phi.step_arrays import array_of_body, body_of_steps

# Recognition ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Chain:
    """``v[start + d * (j + 1)] = step(v[start + d * j])`` for all j below the count of a fold."""

    update: phi.UpdateOp
    before: phi.GetOp
    """The read of the element that the previous step has written."""
    start: LinearForm
    """The position of the initial element, clipped."""
    direction: int
    """The distance d between two elements: 1 or -1."""


def chain_of(op: phi.FoldOp, forms: IndexForms) -> Chain | None:
    """The chain of elements that a fold reads and writes; None if there is no such chain.

    The other elements that it reads must be ones that no step has written yet.
    """
    update = op.yielded().owner
    if not isinstance(update, phi.UpdateOp) or update.array is not op.accumulator:
        return None
    if len(update.positions) != 1 or not update.result.has_one_use():
        return None
    written = forms.form(update.positions[0])
    direction, start = written.coefficients.get(op.counter, 0), written.without([op.counter])
    if abs(direction) != 1 or any(is_within(atom, op) for atom in start.coefficients):
        return None
    before = list[phi.GetOp]()
    for reader in _readers(op, update):
        if not isinstance(reader, phi.GetOp):
            return None
        ahead = ((forms.form(reader.positions[0]) - written) * direction).known()
        if ahead is None or ahead < -1:
            return None
        if ahead == -1:
            before.append(reader)
    if len(before) != 1:
        return None
    return Chain(update, before[0], start - direction, direction)


def _readers(op: phi.FoldOp, update: phi.UpdateOp) -> Iterator[Operation]:
    """The operations that read elements of the accumulator of a fold, not just its size."""
    for use in op.accumulator.uses:
        is_written = use.operation is update and use.index == 0
        if not is_written and not isinstance(use.operation, phi.SizeOp):
            yield use.operation


@dataclass(frozen=True)
class Link:
    """An operation between an element and the next one."""

    operation: Operation
    other: SSAValue
    """The operand that does not depend on the previous element."""

    @property
    def kind(self) -> str:
        """The kind of the operation: ``"add"``, also for differences, ``"mul"`` and so on."""
        return "add" if self.is_difference else kind_of(self.operation.name)

    @property
    def is_difference(self) -> bool:
        """Whether the other operand is subtracted."""
        return isinstance(self.operation, arith.SubiOp | arith.SubfOp)


_LINKS = (
    *(arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.MinSIOp, arith.MaxSIOp),
    *(arith.AddfOp, arith.SubfOp, arith.MinimumfOp, arith.MaximumfOp),
)
"""Products of floats are not among them: only sums may be rounded in another order."""


def links_of(chain: Chain) -> list[Link] | None:
    """The operations from the previous element to the one that is written."""
    links, value, block = list[Link](), chain.before.result, chain.update.parent
    while value is not chain.update.value:
        use = next(iter(value.uses), None)
        if use is None or not value.has_one_use():
            return None
        if use.operation.parent is not block or not isinstance(use.operation, _LINKS):
            return None
        link = Link(use.operation, use.operation.operands[1 - use.index])
        if link.is_difference and use.index == 1:
            return None
        links.append(link)
        value = link.operation.results[0]
    return links


def scanned_kind(op: phi.FoldOp, links: Sequence[Link], bounds: IntBounds) -> str | None:
    """The kind of the scan that may replace a fold.

    For elements ``min(x + cost, limit)``, the costs of all steps so far are subtracted before the
    scan, and added after it. For floats that would cause cancellation; Ints must not overflow.
    """
    kinds = {link.kind for link in links}
    kind = next(iter(kinds - {"add"}), "add")
    if combination(kind, phi.scalar_of(op.result.type)) is None or len(kinds - {"add"}) > 1:
        return None
    if len(kinds) > 1 and (kind == "mul" or not _is_bounded(op, links, bounds)):
        return None
    return kind if kinds else None


def _is_bounded(op: phi.FoldOp, links: Sequence[Link], bounds: IntBounds) -> bool:
    """Whether elements, and the costs of all steps together, provably are small Ints."""
    cost, limit = 0, 0
    for link in links:
        found = bounds.of(link.other)
        if found is None:
            return False
        if link.kind == "add":
            cost += found.magnitude
        else:
            limit = max(limit, found.magnitude)
    found = bounds.of(op.init)
    largest = INTS.high // 4  # sums of three such numbers are no-wrap
    return found is not None and max(found.magnitude, limit + cost, cost * MOST) <= largest


# Rewriting ------------------------------------------------------------------------------------


class RecurrenceRaiser:
    """Replaces the folds of a function by scans."""

    def __init__(self, function: func.FuncOp, analyses: AnalysisManager):
        self._note = analyses.note
        self._sizes = analyses.get(equal_sizes, function)
        self._free = analyses.get(free_indices, function)
        self._forms = analyses.get(index_forms, function)
        self._bounds = IntBounds(function)

    def raise_fold(self, op: phi.FoldOp) -> None:
        """``fold (j < n, v = a) { v[j + 1] := v[j] + e }  -->  scan (concat [a[0]], array { e })``

        The first of the combinations, that of no elements, is left out.
        """
        chain = chain_of(op, self._forms)
        links = None if chain is None else links_of(chain)
        if chain is None or links is None or any(map(may_fail, op.body.walk())):
            return
        kind, edges = scanned_kind(op, links, self._bounds), self._edges(op, chain)
        others = [link.other for link in links]
        if kind is None or edges is None or not may_materialise_parts(op, others, self._free):
            return
        counter, array = name_of(op.counter), name_of(op.accumulator)
        self._note(op, f"the fold over {counter} is a scan of the elements of {array}")
        result = _Rewriting(op, chain, links, kind, edges).result()
        replace(op, result, self._free, self._sizes)

    def _edges(self, op: phi.FoldOp, chain: Chain) -> Edges | None:
        """Whether a chain leaves elements out, if it provably stays in the accumulator.

        Before the first step its position may be out of bounds by one: the read clips.
        """
        size = self._forms.size(op.init, 0)
        if size is None:
            return None
        forms, last = self._forms, self._forms.extent(op.count)
        if chain.direction == 1:
            before, behind = chain.start, size - 1 - chain.start - last
        else:
            before, behind = size - 1 - chain.start, chain.start - last
        if not forms.is_nonnegative(before + 1) or not forms.is_nonnegative(behind):
            return None
        exact = forms.equal(forms.form(op.count) + 1, size)
        return Edges(not forms.is_nonnegative(-before), not forms.is_nonnegative(-behind), exact)


@dataclass(frozen=True)
class Edges:
    """Whether an accumulator may have elements before the first or after the last of a chain."""

    before: bool
    behind: bool
    is_exact: bool
    """Whether the number of elements is the number of steps plus one."""


Total: TypeAlias = Callable[[Builder, SSAValue], SSAValue]
"""Builds the total cost of all steps up to an element."""


class _Rewriting:
    """The construction of the scan of a fold, before it."""

    def __init__(
        self, op: phi.FoldOp, chain: Chain, links: Sequence[Link], kind: str, edges: Edges
    ):
        self._op = op
        self._chain = chain
        self._links = links
        self._kind = kind
        self._edges = edges
        self._build = Builder(InsertPoint.before(op))
        self._one = integer(self._build, 1)

    def result(self) -> SSAValue:
        """Build the replacement of the fold."""
        op, build = self._op, self._build
        for use in list(op.accumulator.uses):
            if use.operation not in (self._chain.update, self._chain.before):
                use.operation.operands[use.index] = op.init
        start = self._start()
        elements, total = self._elements()
        first, extent = self._first(start), build.insert(phi.SizeOp(op.init))
        head = _array(build, self._one, lambda inner, _: first)
        size = extent if self._edges.is_exact else build.insert(arith.AddiOp(op.count, self._one))
        chained = build.insert(phi.ConcatOp(head, elements, size))
        scanned = build.insert(phi.ScanOp(self._kind, chained)).result

        def element(inner: Builder, index: SSAValue) -> SSAValue:
            place = self._place(inner, index, start)
            behind = inner.insert(arith.AddiOp(place, integer(inner, 1)))
            value = inner.insert(phi.GetOp(scanned, [behind])).result
            if total is not None:
                value = inner.insert(arith.AddiOp(value, total(inner, place))).result
            return self._guarded(inner, value, place, index)

        return _array(build, extent.result, element)

    def _first(self, start: SSAValue) -> SSAValue:
        """The initial element; an empty accumulator has none, and the result is empty."""
        init = self._op.init.owner
        if isinstance(init, phi.ArrayOp) and not is_within(init.yielded(), init):
            return init.yielded()
        return self._build.insert(phi.GetOp(self._op.init, [start])).result

    def _start(self) -> SSAValue:
        """The position of the initial element, one before the first written one."""
        form, block = self._chain.start, self._op.body.block
        if not form.coefficients:
            return integer(self._build, form.constant)
        known: dict[SSAValue, SSAValue] = {self._op.counter: integer(self._build, 0)}
        (written,) = copied(self._build, block, self._chain.update.positions, known)
        moved = arith.SubiOp if self._chain.direction == 1 else arith.AddiOp
        return self._build.insert(moved(written, self._one)).result

    def _place(self, build: Builder, index: SSAValue, start: SSAValue) -> SSAValue:
        """The number of steps that compute an element of the chain."""
        lhs, rhs = (index, start) if self._chain.direction == 1 else (start, index)
        return build.insert(arith.SubiOp(lhs, rhs)).result

    def _guarded(
        self, build: Builder, value: SSAValue, place: SSAValue, index: SSAValue
    ) -> SSAValue:
        """The value for elements of the chain, and the initial elements elsewhere."""
        old = None
        for is_needed, predicate, end in (
            (self._edges.before, "sge", integer(build, 0)),
            (self._edges.behind, "sle", self._op.count),
        ):
            if is_needed:
                old = old or build.insert(phi.GetOp(self._op.init, [index])).result
                inside = build.insert(arith.CmpiOp(place, end, predicate))
                value = build.insert(arith.SelectOp(inside, value, old)).result
        return value

    # Elements

    def _elements(self) -> tuple[SSAValue, Total | None]:
        """The scanned elements after the first one, and the totals to be added after the scan."""
        costs = [link.other for link in self._links if link.kind == "add"]
        if not costs or self._kind == "add":
            return self._unweighted(), None
        block = self._op.body.block
        if dependents(block, self._op.counter).isdisjoint(costs):
            for inner in slice_of(block, costs):
                inner.detach()
                self._build.insert(inner)
            return self._weighted(self._multiples(self._cost(self._build)))
        return self._variably_weighted()

    def _body(self) -> tuple[Block, Builder]:
        """The body of a comprehension that replaces the fold, with the operands of the links."""
        block = body_of_steps(self._op, [link.other for link in self._links])
        return block, Builder(InsertPoint.at_end(block))

    def _comprehension(self, block: Block, element: SSAValue) -> SSAValue:
        return self._build.insert(array_of_body(self._op, block, element)).result

    def _unweighted(self) -> SSAValue:
        block, build = self._body()
        element = self._cost(build) if self._kind == "add" else self._limit(build)
        return self._comprehension(block, element)

    def _multiples(self, cost: SSAValue) -> SSAValue:
        """The totals of loop-invariant costs, before all loops that they may leave.

        If the count is non-negative, no error can be raised early.
        """
        count, before = self._op.count, Builder(InsertPoint.before(self._op))
        if is_size(count):
            before = Builder(InsertPoint.before(_outermost(self._op, (count, cost))))
        size = before.insert(arith.AddiOp(count, integer(before, 1))).result
        return _array(
            before, size, lambda build, place: build.insert(arith.MuliOp(place, cost)).result
        )

    def _weighted(self, totals: SSAValue) -> tuple[SSAValue, Total]:
        """The elements with costs subtracted, and their totals."""

        def total(build: Builder, place: SSAValue) -> SSAValue:
            return build.insert(phi.GetOp(totals, [place])).result

        block, build = self._body()
        limit = self._limit(build)
        place = build.insert(arith.AddiOp(self._op.counter, self._one)).result
        element = build.insert(arith.SubiOp(limit, total(build, place))).result
        return self._comprehension(block, element), total

    def _variably_weighted(self) -> tuple[SSAValue, Total]:
        """Costs that differ from step to step: their totals are a scan."""
        block, build = self._body()
        record = build.insert(phi.TupleOp([self._limit(build), self._cost(build)])).result
        both = self._comprehension(block, record)
        limits, costs = (self._build.insert(phi.ProjOp(both, k)).result for k in range(2))
        totals = self._build.insert(phi.ScanOp("add", costs)).result

        def total(build: Builder, place: SSAValue) -> SSAValue:
            return build.insert(phi.GetOp(totals, [place])).result

        def element(build: Builder, index: SSAValue) -> SSAValue:
            place = build.insert(arith.AddiOp(index, self._one)).result
            limit = build.insert(phi.GetOp(limits, [index]))
            return build.insert(arith.SubiOp(limit, total(build, place))).result

        return _array(self._build, self._op.count, element), total

    def _limit(self, build: Builder) -> SSAValue:
        """``min(a + c, b)`` for the steps ``min(x, a)``, ``x + c`` and ``min(x, b)``."""
        limit: SSAValue | None = None
        for link in self._links:
            if limit is not None:
                limit = build.insert(same_operation(link.operation, limit, link.other)).results[0]
            elif link.kind != "add":
                limit = link.other
        assert limit is not None
        return limit

    def _cost(self, build: Builder) -> SSAValue:
        """The sum of the values that are added to an element, or subtracted."""
        cost: SSAValue | None = None
        for link in self._links:
            if link.kind == "add":
                if cost is not None:
                    cost = build.insert(same_operation(link.operation, cost, link.other)).results[0]
                else:
                    cost = _negated(build, link.other) if link.is_difference else link.other
        assert cost is not None
        return cost


def _outermost(op: Operation, values: Sequence[SSAValue]) -> Operation:
    """The outermost operation that contains an operation, or that itself, after some values."""
    while isinstance(parent := op.parent_op(), phi.BodyOp):
        if any(is_within(value, parent) for value in values):
            break
        op = parent
    return op


def _negated(build: Builder, value: SSAValue) -> SSAValue:
    if isa(value.type, IntegerType):
        zero = build.insert(arith.ConstantOp(IntegerAttr(0, value.type)))
        return build.insert(arith.SubiOp(zero, value)).result
    return build.insert(arith.NegfOp(value)).result


def _array(
    build: Builder, size: SSAValue, element: Callable[[Builder, SSAValue], SSAValue]
) -> SSAValue:
    """A comprehension, given a function that builds the element at an index as an Int."""

    def at(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
        return element(inner, inner.insert(arith.IndexCastOp(own[0], i64)).result)

    return comprehension(build, [size], at)


def raise_recurrences(function: func.FuncOp, analyses: AnalysisManager) -> None:
    """Raise the folds of a function, innermost first."""
    folds = list(filter(_is_candidate, innermost_first(function, phi.FoldOp)))
    if folds:
        raiser = RecurrenceRaiser(function, analyses)
        for op in folds:
            raiser.raise_fold(op)


def _is_candidate(op: phi.FoldOp) -> bool:
    """Whether the steps of a fold update a vector of scalars."""
    return isinstance(op.yielded().owner, phi.UpdateOp) and phi.rank_of(op.result.type) == 1


@dataclass(frozen=True)
class RaiseRecurrencesPass(FunctionPass):
    """Turns folds that compute each element of a vector from the previous one into scans.

    Before::

        %r = phi.fold (%j < %n, %v = %a) -> !phi.vec<f64> {
          %0 = arith.addi %j, %one : i64
          %x = phi.get %v[%j] : !phi.vec<f64>[i64]
          %y = phi.get %b[%j] : !phi.vec<f64>[i64]
          %z = arith.addf %x, %y : f64
          %w = phi.update %v[%0], %z : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
          phi.yield %w : !phi.vec<f64>
        }

    After, where ``%a`` provably has n + 1 elements::

        %first = phi.get %a[%zero] : !phi.vec<f64>[i64]
        %0 = phi.array (%j < %n) -> !phi.vec<f64> {
          %y = phi.get %b[%j] : !phi.vec<f64>[index]
          phi.yield %y : f64
        }
        %1 = phi.array (%k < %one) -> !phi.vec<f64> {
          phi.yield %first : f64
        }
        %2 = phi.concat %1, %0 of %size : !phi.vec<f64>
        %3 = phi.scan "add" %2 : !phi.vec<f64>
        %r = phi.array (%i < %size) -> !phi.vec<f64> {
          %place = arith.addi %i, %one : i64
          %x = phi.get %3[%place] : !phi.vec<f64>[i64]
          phi.yield %x : f64
        }

    A step may add, take a minimum or a maximum, and multiply Ints. It may also combine a sum with
    an extremum, as rows of dynamic programs do: if ``v[j + 1] = min(e[j], v[j] + c[j])``, and ``C``
    are the sums of all prefixes of ``c``, elements are ``C[j] + min over k <= j of (e[k] - C[k])``.
    That holds for Ints for which ``ein_mlir.analysis.phi.int_bounds`` proves no-wrap. The chain may
    run upwards or downwards, and other elements may be unchanged.
    """

    name = "raise-recurrences"
    looks_for = (phi.FoldOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        raise_recurrences(function, analyses)
