"""``block-reductions``: folds with too many elements for one array are computed in blocks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial

from xdsl.dialects import func
from xdsl.dialects.builtin import i64
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import ConstantLike

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.free_indices import free_indices, is_alone
from ein_mlir.analysis.phi.index_forms import index_forms
from ein_mlir.analysis.phi.index_ranges import is_thin
from ein_mlir.analysis.phi.memory_cost import FREE_RANK, largest_axes, may_materialise, slice_of
from ein_mlir.analysis.phi.searches import Search, field_of, fold_search, leaf_values
from ein_mlir.analysis.phi.selections import factor_pairs, reduction, selected
from ein_mlir.analysis.phi.size_equivalence import unasserted
from ein_mlir.analysis.phi.window_products import (
    is_window_product,
    is_window_read,
    multiplies_windows,
    reduced_element,
)
from ein_mlir.analysis.scopes import (
    ancestors,
    dependents,
    innermost_first,
    is_within,
    nested,
    outermost_without,
    reached,
    sources,
)
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import identity, is_sum, neutral_of, takes_any_order, terms_of
from ein_mlir.dialects.creation import same_operation
from ein_mlir.dialects.phi.verification import is_regular
from ein_mlir.dialects.reductions import REDUCTIONS
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.phi.block_reductions.equal_blocks import (
    EqualBlockRaiser,
    has_contracted_rows,
    is_row,
    sizes_of,
)
from ein_mlir.passes.phi.block_reductions.lookups import (
    gathers_slices,
    is_same_in_each_step,
    looks_up_rows,
    multiplies_looked_up_rows,
    relates_rows,
    repeats_functions,
    shares_an_axis,
)
from ein_mlir.passes.phi.block_reductions.small_nests import SmallNests
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.guarded_counts import guard, unguarded
from ein_mlir.rewriting.phi.insertion import Emitter
from ein_mlir.rewriting.phi.reductions import Raiser, Reason
from ein_mlir.rewriting.phi.reductions.distribution import distributes
from ein_mlir.rewriting.phi.replacement import insert_before
from ein_mlir.rewriting.phi.step_blocks import (
    block_steps,
    blocks_of,
    number_of_blocks,
    steps_of_size,
)
from ein_mlir.rewriting.phi.step_values import array_of_steps

BLOCK_ELEMENTS = 2**15
"""The approximate number of elements of each array of a block. Calls then take less time than the
arithmetic, and several such arrays stay in the cache.
"""

FEWEST_STEPS = 8
"""The minimal number of steps of a block, for arrays of any size."""

PROFITABLE_STEPS = 4
"""The minimal number of steps of a block where a loop is the alternative: calls on arrays that are
so large take longer than Python.
"""

PROFITABLE_GATHERS = 64
"""The minimal number of steps of a block that gathers where a loop reads slices: an element that is
gathered takes several times as long as one of a slice.
"""

PRODUCT_STEPS = 32
"""The minimal number of steps of a block whose values are those of matrix products: products with
single rows take the time to read the matrix.
"""

PROFITABLE_SEARCH = 16
"""The minimal number of steps of a block that is searched: a search of fewer takes longer than a
comparison with each step in turn.
"""

LOOKED_UP = 32
"""The number of blocks that products with rows at computed positions may be as large as: a loop
looks up one element of each row in a step, and reads the memory around it each time.
"""

PROFITABLE_IN_ORDER = 64
"""The minimal number of steps of a block that is combined in order, as products of floats are: it
is copied after the accumulator.
"""


class BlockRaiser(Raiser):
    """Splits folds into blocks if memory forbids a single reduction, and raises the blocks."""

    def __init__(
        self, function: func.FuncOp, analyses: AnalysisManager, options: BlockReductionsPass
    ):
        super().__init__(analyses.get(free_indices, function))
        self._forms = analyses.get(index_forms, function)
        self._windows, self._views = options.windows, options.views
        self._elements, self._rows = options.elements, options.rows
        self._nests = SmallNests(self._free)
        folds = list(innermost_first(function, phi.FoldOp))
        self._reduced = {names for op in folds if (names := _reduced(op))}
        self._searched = {
            _names(op, found.candidates[found.best]) for op in folds if (found := fold_search(op))
        }
        self._too_large: phi.FoldOp | None = None
        self._block: phi.FoldOp | None = None
        self._record: phi.FoldOp | None = None
        self._steps = dict[SSAValue, SSAValue]()
        """The size of a block -> that of most blocks."""

    def fold(self, op: phi.FoldOp) -> None:
        super().fold(op)
        if (copy := self._nests.copies.get(op)) is not None:
            super().fold(copy)

    def _fits(self, op: phi.FoldOp, summand: SSAValue, combine: type[Operation] | None) -> bool:
        if op is self._block or super()._fits(op, summand, combine):
            return True
        if combine is not None and self._is_in_place(op, summand, combine):
            return True
        self._too_large = op
        return False

    def _is_in_place(self, op: phi.FoldOp, summand: SSAValue, combine: type[Operation]) -> bool:
        """Whether the library reduces windows, or their products with weights, without an array
        that is much larger than those that are read.
        """
        if is_sum(combine.name) and multiplies_windows(op, summand, self._free):
            return True
        if self._views:
            return is_window_read(op, summand, self._forms)
        if not self._windows or not is_sum(combine.name):
            return False
        return is_window_product(op, summand, self._forms)

    def _stays(self, op: phi.FoldOp) -> Reason | None:
        why = super()._stays(op)
        lengths = self._lengths(op) if why is not None and op is self._too_large else None
        if lengths is None:
            return why
        if has_contracted_rows(op, self._free, len(lengths)):
            self._block = self._cut(op, lengths, PRODUCT_STEPS)
            return super()._stays(self._block)
        search = fold_search(op)
        is_search = search is not None and not self._is_shared(op, search)
        is_large = _is_many(self._sizes_of_result(op))
        if is_large and (is_search or not self._is_often_short(op, lengths)):
            if gathers_slices(op, self._forms):
                return why
            if self._nests.fit(self._record or op, lengths, self._elements):
                self._block = op
                return super()._stays(op)
            if any(ancestors(op, phi.LoopOp)) or not self._is_apart(op):
                return why
        looks_up = looks_up_rows(op, self._forms)
        gathers, in_order = (
            gathers_slices(op, self._forms) and not looks_up,
            _is_in_order(op),
        )
        if not (is_search or gathers or in_order or _is_many(lengths)):
            self._block = self._cut(op, lengths, FEWEST_STEPS)
        elif _has_loops(op):  # copies of them, at each level, are exponential in all
            if is_search or in_order or not (is_alone(op) or repeats_functions(op)):
                return why
            if self._has_repeated_rows(op):
                lengths = self._sizes_of_result(op)
            self._block = self._cut(op, lengths, 1 if is_alone(op) else PRODUCT_STEPS)
        else:
            fewest = PROFITABLE_SEARCH if is_search else PROFITABLE_STEPS
            fewest = max(fewest, PROFITABLE_GATHERS) if gathers else fewest
            fewest = max(fewest, PROFITABLE_IN_ORDER) if in_order else fewest
            if self._multiplies_looked_up_rows(op):
                self._block = self._cut_if_small(op, lengths, op.count, LOOKED_UP * self._elements)
            else:
                self._block = self._cut_if_small(op, lengths, fewest, self._elements)
        return super()._stays(self._block)

    def _split(self, op: phi.FoldOp, why: Reason) -> bool:
        """Fields that all stay because of their memory are combined in the same blocks."""
        lengths = self._lengths_of_fields(op)
        if lengths is not None:
            fewest = 1 if self._has_blocks(lengths) else FEWEST_STEPS
            self._combine_fields(self._cut(op, lengths, fewest))
            return True
        self._record = op
        is_split = super()._split(op, why)
        self._record = None
        return is_split

    def _lengths_of_fields(self, op: phi.FoldOp) -> list[SSAValue] | None:
        """The sizes of the largest array of a step, if each of several fields needs blocks."""
        fields = _combined_fields(op)
        if len(fields) < 2 or op.irregular is not None or not is_regular(op):
            return None
        if unguarded(op) is None or not all(self._needs_blocks(op, *each) for each in fields):
            return None
        lengths = self._lengths(op)
        if lengths is None or gathers_slices(op, self._forms):
            return None
        return None if _is_many(lengths) and not self._has_blocks(lengths) else lengths

    def _has_blocks(self, lengths: Sequence[SSAValue]) -> bool:
        """Whether the steps of a loop inside are an axis, which may be short."""
        return not set(lengths).isdisjoint(self._steps.values())

    def _needs_blocks(self, op: phi.FoldOp, combine: Operation, element: SSAValue) -> bool:
        """Whether the elements of a field need too much memory, and are neither sums nor products
        that a reduction distributes over.
        """
        join, kind = element.owner, type(combine)
        if not isinstance(join, Operation) or identity(combine.name, element.type) is None:
            return False
        if join.name in terms_of(combine.name) or distributes(join, combine):
            return False
        return not (
            may_materialise(op, element, kind, self._free, alone=True)
            or self._is_in_place(op, element, kind)
        )

    def _combine_fields(self, op: phi.FoldOp) -> None:
        """``fold (k < n) { (acc.x + e, acc.y + f) }  -->  (acc.x + reduce x, acc.y + reduce y)``

        Here x and y are the fields of ``array (k < n) { (e, f) }``.
        """
        guard(op, unguarded(op) or ())
        fields, build, results = _combined_fields(op), Emitter(), list[SSAValue]()
        inits = build.leaves(op.init)
        arrays = build.leaves(build.emit(array_of_steps(op, [element for _, element in fields])))
        for (combine, element), init, array in zip(fields, inits, arrays, strict=True):
            neutral = identity(combine.name, element.type)
            assert neutral is not None
            by = partial(same_operation, combine)
            total = build.reduce(array, build.constant(neutral), by)
            results.append(build.emit(by(init, total)))
        build.record(op.result.type, iter(results))
        self._replace(op, build.ops)

    def _has_repeated_rows(self, op: phi.FoldOp) -> bool:
        """Whether inner loops multiply the values of a step by the same matrix in each step."""

        def varies(value: SSAValue) -> bool:
            return not is_same_in_each_step(value, op)

        return any(is_row(each, varies, self._free) for each in nested(op.body.block))

    def _is_shared(self, op: phi.FoldOp, search: Search) -> bool:
        """Whether another fold reduces the elements of a search: blocks have them once."""
        return _names(op, search.candidates[search.best]) in self._reduced

    def _is_apart(self, op: phi.FoldOp) -> bool:
        """Whether elements are no products, which libraries sum, and none that a search has too."""
        if (found := reduction(op)) is None:
            return False
        combine, element = found
        _, chosen = selected(reduced_element(element), neutral_of(combine))
        is_product = isinstance(chosen, SSAValue) and bool(factor_pairs(chosen))
        return not is_product and _names(op, element) not in self._searched

    def _lengths(self, op: phi.FoldOp) -> list[SSAValue] | None:
        """The sizes of the largest array of a step; None if there can be no blocks."""
        if ConstantLike.get_constant_value(op.count) is not None:
            return None
        if not is_regular(op):
            return None
        axes = largest_axes(op, self._free) - {op.counter}
        lengths = [self._steps.get(size, size) for size in sizes_of(axes)]
        return None if any(is_within(size, op) for size in lengths) else lengths

    def _sizes_of_result(self, op: phi.FoldOp) -> list[SSAValue]:
        """The sizes of the array of a fold's results."""
        return [unasserted(phi.size_of_index(axis)) for axis in self._free.of(op.result)]

    def _multiplies_looked_up_rows(self, op: phi.FoldOp) -> bool:
        return self._rows and multiplies_looked_up_rows(op, self._forms)

    def _is_often_short(self, op: phi.FoldOp, lengths: Sequence[SSAValue]) -> bool:
        """Whether an axis of several is often short, so that sizes decide."""
        if any(map(_is_given, lengths)):
            return True
        if not self._views and shares_an_axis(op, self._forms):
            return True
        if looks_up_rows(op, self._forms) or relates_rows(op, self._forms):
            return True
        if self._multiplies_looked_up_rows(op):
            return True
        return self._leads(self._record or op, lengths)

    def _leads(self, op: phi.FoldOp, lengths: Sequence[SSAValue]) -> bool:
        """Whether a step reads parts of arrays along later axes, such as all features of a sample.

        Such axes are often short. A step that reduces larger arrays has more to do than its own
        have elements. All fields of a record are loops if one is: they share what a step computes.
        """
        variable, has_parts = dependents(op.body.block, op.counter), False
        largest = Counter(lengths)
        for each in nested(op.body.block):
            if (
                isinstance(each, phi.ReduceOp)
                and each.result in variable
                and not self._reduced_sizes(op, each) <= largest
            ):
                return False
            if isinstance(each, phi.GetOp) and any(p in variable for p in each.positions):
                steps = [p in variable for p in each.positions]
                others = [bool(self._free.of(p)) for p in each.positions]
                if any(others) and steps.index(True) > others.index(True):
                    return False
                has_parts |= any(others)
        return has_parts

    def _reduced_sizes(self, op: phi.FoldOp, each: phi.ReduceOp) -> Counter[SSAValue]:
        """The sizes of the elements that a reduction in a step combines, as often as they occur."""
        elements = each.vec.owner
        if not isinstance(elements, phi.ArrayOp):
            return Counter((each.vec,))
        return Counter(map(phi.size_of_index, self._free.of(elements.yielded()) - {op.counter}))

    def _cut(self, op: phi.FoldOp, lengths: Sequence[SSAValue], fewest: int) -> phi.FoldOp:
        """``fold (k < n) { .. }  -->  fold (block) { fold (k < length) { .. start + k .. } }``

        Returns the inner fold, whose initial value is the accumulator of the outer one.
        """
        before, build = Emitter(), Emitter()
        fitting = before.max(steps_of_size(before, self._elements, lengths), fewest)
        steps = block_steps(before, op.count, fitting)
        insert_before(outermost_without(op, [op.count, *lengths]), before.ops, self._free)
        outer, inner = blocks_of(op, steps, number_of_blocks(build, op, steps))
        self._steps[inner.count] = steps
        self._replace(op, [*build.ops, outer])
        return inner

    def _cut_if_small(
        self, op: phi.FoldOp, lengths: Sequence[SSAValue], fewest: SSAValue | int, elements: int
    ) -> phi.FoldOp:
        """``fold (k < n) { .. }  -->  fold (large) { fold (k < n) .. }; fold (block) { .. }``

        One of both has no steps: if few steps fit into a block, the loop has all.
        """
        before, build = Emitter(), Emitter()
        fitting = steps_of_size(before, elements, lengths)
        is_small = before.compare(fitting, "sge", fewest)
        steps = block_steps(before, op.count, fitting)
        insert_before(outermost_without(op, [op.count, *lengths]), before.ops, self._free)
        zero, one = build.integer(0), build.integer(1)
        blocks = number_of_blocks(build, op, steps)
        blocks = build.select(is_small, blocks, zero)
        times = build.select(is_small, zero, one)
        outer, inner = blocks_of(op, steps, blocks)
        self._steps[inner.count] = steps
        insert_before(op, build.ops, self._free)
        body = Block(arg_types=(i64, op.init.type))
        loop = phi.FoldOp(times, op.init, Region(body))
        op.result.replace_all_uses_with(outer.result)
        Rewriter.insert_op((loop, outer), InsertPoint.after(op))
        outer.operands[1] = loop.result
        op.detach()
        op.operands[1] = body.args[1]
        body.add_ops((op, phi.YieldOp(op.result)))
        self._free.add(loop, outer)
        return inner


def _combined_fields(op: phi.FoldOp) -> list[tuple[Operation, SSAValue]]:
    """``acc.x + e`` as (+, e) for each field of a record, if that is the form of all in any order.

    Otherwise there are none.
    """
    carried, found = dependents(op.body.block, op.accumulator), list[tuple[Operation, SSAValue]]()
    for field, step in enumerate(leaf_values(op.yielded())):
        combine = step.owner
        if not isinstance(combine, Operation) or combine.name not in REDUCTIONS:
            return []
        own = [each for each in combine.operands if field_of(each, op.accumulator) == field]
        others = [each for each in combine.operands if each not in carried]
        if not len(own) == len(others) == 1 or not takes_any_order(combine.name):
            return []
        found.append((combine, others[0]))
    return found


def _has_loops(op: phi.FoldOp) -> bool:
    return any(isinstance(inner, phi.FoldOp | phi.WhileOp) for inner in nested(op.body.block))


def _is_in_order(op: phi.FoldOp) -> bool:
    """Whether a fold is a reduction whose elements are combined from left to right."""
    found = reduction(op)
    return found is not None and not takes_any_order(found[0].name)


def _reduced(op: phi.FoldOp) -> tuple[str, ...]:
    """The operations of the elements that a fold reduces; none if it does not."""
    found = reduction(op)
    return () if found is None else _names(op, found[1])


def _names(op: phi.FoldOp, element: SSAValue) -> tuple[str, ...]:
    return tuple(sorted(inner.name for inner in slice_of(op.body.block, [element])))


def _is_many(lengths: Sequence[SSAValue]) -> bool:
    """Whether arrays of some sizes have so many axes that they are large enough for calls."""
    return sum(not is_thin(size) for size in lengths) > FREE_RANK


def _is_given(size: SSAValue) -> bool:
    """Whether a size is a number that is no size of an array, such as that of lags or of bins.

    Such an axis is often short.
    """
    found = reached([size], sources)
    return known_int(size) is None and not any(isinstance(x.owner, phi.SizeOp) for x in found)


@dataclass(frozen=True)
class BlockReductionsPass(FunctionPass):
    """Computes sums, searches, ... in blocks of steps if they stay loops because of their memory.

    A fold stays a loop if an array over its counter and the axes of a step would be larger than the
    arrays that are read (see ``raise-reductions``). The arrays of a step may be so small that calls
    take longer than arithmetic. A block of steps is a reduction then.

    Sums with loops in their steps are computed in blocks, too, unless a comprehension takes the
    steps of such loops for all its elements: one of 1 step or more, as steps may be large. There,
    they are if the inner loops call functions for values that are those of each step: a block of 32
    steps or more computes them once.

    Before, where %i has %n positions::

        %s = phi.fold (%k < %m, %acc = %zero) -> f64 { %acc + exp (%a[%i] - %b[%k]) }

    After, where %steps is ``max(min(max(32768 // n, 8), m), 1)``, and %blocks times that is %m or
    more::

        %s = phi.fold (%block < %blocks, %acc = %zero) -> f64 {
          %start = arith.muli %block, %steps : i64      // at least 0
          %length = .. min(%steps, %m - %start) ..      // at least 0
          %0 = phi.array (%k < %length) -> !phi.vec<f64> { exp (%a[%i] - %b[%start + %k]) }
          %1 = phi.reduce %0 identity %zero by { arith.addf } -> f64
          phi.yield %acc + %1 : f64
        }

    Temporaries have 32768 elements, or those of 8 steps if that is more, but at most those of all
    steps. Sums of products become contractions of blocks (``raise-contractions``).

    Values with the axes of sums of products, of which one factor varies with the step alone and
    perhaps with some indices, are combined in blocks of 32 steps or more for any result: the sums
    of a block are a product of matrices, and those of a step one with a row.

    Sizes decide at run time about other results with several axes, ``min_k (a[i, k] + b[k, j])``:
    blocks of fewer than 4 steps (64 where only they gather) take none, and the loop, in a fold of
    one step or none before them, takes all. Products, and elements that a search has too, are large
    enough, apart from axes that are provably short, with four exceptions: the size of an axis is a
    number that the program is given, such as that of lags or of bins, a step reads parts of arrays
    along later axes, such as all features of a sample, it reads rows at positions that an array has
    for it, ``w[p[i, k], j]``, or a row beside that of an index, ``x[k, d] - x[i, d]``, such as
    points. Sizes also decide where a step reads slices and a block would gather, or reduces an
    array of its own, such as the coordinates of points.

    In the steps of a loop that is no reduction, such as one over time, results with several axes
    are small as often as large. The loop has two versions then (``SmallNests``), and its reductions
    are calls on whole arrays in the one that runs if these have no more elements than a block.
    Other reductions in such loops stay as they are.

    With the option ``rows``, products with rows at computed positions take a block if it has all
    steps, which then may have 32 times as many elements.

    With the option ``static``, only values of rows of matrix products are combined in blocks, which
    have equal sizes: of ``x[k, l] * w[l, j]`` for all l and j. A second fold, of one step or none,
    has the rest.

    Several fields that all need blocks are combined in the same ones, by an array of records.

    Sizes decide about a search with one result axis, too: its blocks have 16 steps or more, unless
    a reduction has the same elements, which the blocks of both share then.
    """

    name = "block-reductions"
    looks_for = (phi.FoldOp,)

    windows: bool = False
    """Whether a sum of products of weights and a window, ``u[k] * x[i + k]``, is one reduction: for
    a library that correlates vectors."""

    views: bool = False
    """Whether a reduction of windows, ``x[i + k]``, is one: for a library whose arrays may have any
    strides, and whose reductions take as long along each axis."""

    rows: bool = False
    """Whether products with rows at computed positions, ``u[i, k] * w[p[i], k, j]``, are one
    reduction if all steps fit into a block: for a library that differentiates programs, whose loops
    would add to the whole derivative of ``w`` in each step.
    """

    static: bool = False
    """Whether only values of rows of matrix products are combined in blocks, which then have equal
    sizes: for a library that compiles loops for known sizes.
    """

    elements: int = BLOCK_ELEMENTS
    """The approximate number of elements of each array of a block."""

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        raiser = (
            EqualBlockRaiser(analyses.get(free_indices, function), self.elements)
            if self.static
            else BlockRaiser(function, analyses, self)
        )
        for op in innermost_first(function, phi.FoldOp):
            raiser.fold(op)
