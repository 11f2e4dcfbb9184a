"""``delinearize-indices``: an index that positions divide becomes two indices.

- `accumulated`: an accumulation over two indices in the place of one
- `bits`: bits as quotients and remainders
- `multiples`: an accumulation at multiples of indices
- `places`: an accumulation at numbers of several indices
- `remainders`: remainders in a plain form
- `divided`: the indices that are divided
- `splitting`: a comprehension over two indices in the place of one
"""

from __future__ import annotations

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import TupleType
from xdsl.ir import Block, Operation
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.arithmetic import Integers
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.divided_indices import DIVISIONS
from ein_mlir.analysis.phi.index_forms import index_forms
from ein_mlir.analysis.phi.size_equivalence import equal_sizes
from ein_mlir.analysis.phi.speculation import may_fail
from ein_mlir.analysis.scopes import (
    of_kinds,
    operations_in,
    outermost_without,
    reached,
    slice_within,
    sources,
)
from ein_mlir.dialects import phi, sigma
from ein_mlir.dialects.creation import copy_of
from ein_mlir.dialects.phi.integers import PhiLevel
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.phi.delinearize_indices.accumulated import (
    adds_rows,
    fields_of,
    separated,
    split_accumulation,
    sum_rows,
)
from ein_mlir.passes.phi.delinearize_indices.bits import (
    BITS,
    divide_by_constant,
    divided_by_powers,
    is_of_bits,
)
from ein_mlir.passes.phi.delinearize_indices.divided import (
    cases_of,
    division_of,
    divisions_by_any,
    has_loops,
    has_stages,
    is_costly,
    is_divided,
    start_of,
)
from ein_mlir.passes.phi.delinearize_indices.multiples import accumulate_in_slices
from ein_mlir.passes.phi.delinearize_indices.places import accumulate_at_digits
from ein_mlir.passes.phi.delinearize_indices.remainders import divide_by_factors, exchange
from ein_mlir.passes.phi.delinearize_indices.splitting import (
    separate,
    skip_first,
    split,
    split_stages,
    whole_rows,
)
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.divided_counters import split_counter
from ein_mlir.rewriting.phi.ranges import check_size
from ein_mlir.rewriting.phi.remainders import reduce_remainder


@dataclass(frozen=True)
class DelinearizeIndicesPass(FunctionPass):
    """Splits an index p that positions divide by m into ``q = p // m`` and ``r = p mod m``.

    Before, where ``%n`` is ``%k * %m`` for sizes ``%k`` and ``%m``::

        %t = phi.array (%p < %n) -> !phi.vec<f64> { %a[%p // %m] * %b[%p mod %m] }

    After::

        %0 = phi.array (%q < %k, %r < %m) -> !phi.vec<!phi.vec<f64>> { %a[%q] * %b[%r] }
        %t = phi.array (%p < %n) -> !phi.vec<f64> { %0[%p // %m, %p mod %m] }

    The reads of ``%0`` are those of two axes as one, without positions (`convert-phi-to-yarr`), and
    those of ``%a`` and ``%b`` are axes instead of gathers. The divisor is a positive constant, or a
    size, and the size of the index a multiple of it; the last row may be incomplete for a constant.
    Several results of one comprehension have one each before, unless ``costly``.
    Several constant divisors are split one after the other if one is a multiple of the others, and
    so are products of sizes: ``p // (b * c)`` is ``(p // c) // b`` beside ``p mod c``.

    So is the index of an accumulation if it divides positions, or those of reads in it: values at
    ``p // m`` are sums over rows. It has a copy as written for sizes that are no multiple of m.

    An accumulation at a number of several indices, ``i*m + j``, is one at the indices, and a
    comprehension reads its elements at ``p // m`` and ``p mod m``. If all indices are digits of a
    position, each element has one value: that is a comprehension, too. Positions ``n - 1 - i`` are
    read backwards.

    An accumulation of sums at multiples of its indices that are in bounds, ``2*i + 1``, is a slice
    of an array of zeros, and a sum of such accumulations is several slices of one array. Not with
    ``static`` or ``costly``: XLA writes slices slower than a scatter, and machine code stores the
    elements one after the other.

    A fold over ``p < k*m`` whose steps read ``p // m`` and ``p mod m`` is a fold over k rows of one
    over m steps, for sizes k and m.

    So is an index of which a condition compares the remainder by a small constant with another one,
    ``p mod 2 == 0``: each remainder is a case then (``split-cases``). Not if the index itself is
    compared, too: its ranges with a step are parts of the array (``split-index-ranges``).

    Any other divisor that varies with no index is replaced by ``max(min(m, n), 1)``, which has the
    same quotients and remainders of indices below n if m is positive. A position ``p + m`` in an
    axis of size n is then the same column of the next row. Several indices may have a divisor each.
    An index that is compared itself, and of which there are remainders only, is not split: its
    ranges are parts of the array, and the remainders gather from few axes. If a divisor is not
    positive, or so large that sums with it may wrap, the comprehension has no elements, and a copy
    of it, with the old divisors, has all. The ends of rows, ``p < k*m`` before other elements, are
    those of q.

    If positions divide ``p - c`` instead, for a number c, and a condition selects the elements
    before c, such as a token before the rows of an image, these are a comprehension of their own.

    Bits of an index are quotients and remainders: ``(p >> n) & 1`` is ``(p // h) mod 2`` for the
    power ``h = 1 << n``, and ``p ^ h`` is ``p + h * (1 - 2 * ((p // h) mod 2))``. Elements that
    differ from block to block are gathered if the blocks are short.

    A multiple of the divisor does not change a remainder, ``(i + n - 1) mod n = (i - 1) mod n``,
    nor does an inner remainder, ``((i + 1) mod n + 1) mod n = (i + 2) mod n``: so one form is left
    for other passes.
    """

    name = "delinearize-indices"
    looks_for = (arith.FloorDivSIOp, sigma.FloorModOp, phi.AccumulateOp, *BITS)

    static: bool = False
    """Split only by Ints that no step of a loop computes: arrays have the same sizes in each. Or by
    powers ``2 ** k`` of a counter: the first 62 steps have a loop of their own, which is unrolled.
    Cases are those of rows alone: XLA computes others together.
    """

    costly: bool = False
    """Split only where elements take a loop or a function: that is a product of matrices then, or
    computed once for a row. In machine code the divisions of other elements cost less than a copy.
    A fold over rows whose number or length may be a few less than a size, ``n - 2``, has a copy as
    written, which takes the steps if one of them is negative.
    Arrays that are accumulated at a quotient are sums over its remainders, element by element.
    """

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        forms = Integers(PhiLevel())
        self._accumulate_at_digits(function, analyses)
        ops = operations_in(function)
        if not any(isinstance(op, DIVISIONS) or is_of_bits(op) for op in ops):
            return
        for op in ops:
            if is_of_bits(op):
                divide_by_constant(op)
        for op in operations_in(function):
            if op.parent is None:
                continue
            if isinstance(op, DIVISIONS):
                _compute_first(op)
            if isinstance(op, sigma.FloorModOp):
                reduce_remainder(op, forms)
                exchange(op)
            elif isinstance(op, arith.FloorDivSIOp):
                divide_by_factors(op)
            elif self.static and isinstance(op, phi.FoldOp) and has_stages(op):
                split_stages(op)
                analyses.invalidate(function)
            elif isinstance(op, phi.FoldOp):
                self._split_counter(op, function, analyses)
        if self.costly:
            self._sum_rows(function, analyses)
        else:
            self._split_accumulations(function, analyses)
        if not self.costly:
            for op in of_kinds(operations_in(function), phi.ArrayOp):
                if isa(op.result.type, TupleType) and is_divided(op):
                    separate(op)
                    analyses.invalidate(function)
        pending = [
            op
            for op in function.walk()
            if isinstance(op, phi.ArrayOp)
            and isinstance(op.result.type, phi.VecType)
            and (not self.costly or is_costly(op))
        ]
        rows = set[phi.ArrayOp]()
        while pending:
            op = pending.pop()
            if not self.costly and (start := start_of(op)) is not None:
                check_size(op, start[0], analyses.get(equal_sizes, function))
                pending.append(skip_first(op, *start))
                analyses.invalidate(function)
                continue
            _divide_by_factors(op)
            sizes = analyses.get(equal_sizes, function)
            found = cases_of(op) if op in rows or not self.static else None
            found = found or division_of(op, sizes)
            if found is None and (not self.costly or has_loops(op)):
                rows_of_op = self._whole_rows(op, function, analyses)
                if rows_of_op is not None:
                    pending.append(rows_of_op)
                    rows.add(rows_of_op)
                    analyses.invalidate(function)
            if found is not None:
                pending.append(split(op, *found, sizes))
                analyses.invalidate(function)

    def _accumulate_at_digits(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        """Accumulate at indices in the place of their numbers, or multiples, which are read so."""
        ops = of_kinds(operations_in(function), phi.AccumulateOp)
        if ops and not self.costly and not self.static:
            accumulate_in_slices(ops, analyses.get(index_forms, function))
            analyses.invalidate(function)
        for op in of_kinds(operations_in(function), phi.AccumulateOp):
            forms = analyses.get(index_forms, function)
            if accumulate_at_digits(op, forms, whole=self.costly):
                analyses.invalidate(function)

    def _split_accumulations(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        """Split the indices of accumulations, and those over rows again."""
        ops = [op for op in function.walk() if isinstance(op, phi.AccumulateOp)]
        pending = [op for op in ops if all(op.ranks)]
        while pending:
            op = pending.pop()
            found = divisions_by_any(op, function, analyses, static=self.static)
            if found:
                number, divisor = min(found.items(), key=lambda each: each[0])
                sizes = analyses.get(equal_sizes, function)
                forms = analyses.get(index_forms, function)
                pending.append(split_accumulation(op, number, divisor, sizes, forms))
                analyses.invalidate(function)

    def _sum_rows(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        """Sums of arrays that are added at quotients: those may be products of matrices."""
        for op in of_kinds(operations_in(function), phi.AccumulateOp):
            if not divisions_by_any(op, function, analyses, static=self.static):
                continue
            if not all(isinstance(fields[-1].owner, phi.ArrayOp) for fields in fields_of(op)):
                continue
            singles = [op] if len(op.ranks) == 1 else separated(op)
            analyses.invalidate(function)
            for each in singles:
                forms = analyses.get(index_forms, function)
                found = divisions_by_any(each, function, analyses, static=self.static)
                if 0 in found and adds_rows(each, 0, forms):
                    sizes = analyses.get(equal_sizes, function)
                    first = split_accumulation(each, 0, found[0], sizes, forms)
                    analyses.invalidate(function)
                    sum_rows(first, analyses.get(equal_sizes, function))
                    analyses.invalidate(function)

    def _whole_rows(
        self, op: phi.ArrayOp, function: func.FuncOp, analyses: AnalysisManager
    ) -> phi.ArrayOp | None:
        """Rows of any length as a comprehension of their own, beside a copy for other divisors."""
        in_blocks = not (self.static or self.costly)
        others = divided_by_powers(op) if in_blocks else None
        if others is not None:
            analyses.invalidate(function)
        if not is_divided(op):
            return None
        divisors = divisions_by_any(op, function, analyses, static=self.static)
        if not divisors:
            if others is not None:
                others.erase()
            return None
        others = copy_of(op) if others is None else others
        sizes = analyses.get(equal_sizes, function)
        for number in divisors:
            check_size(op, number, sizes)
        first, widths = whole_rows(op, others, divisors, sizes, in_blocks=in_blocks)
        for number in reversed(widths):
            first = split(first, number, widths[number], sizes)
        return first

    def _split_counter(
        self, op: phi.FoldOp, function: func.FuncOp, analyses: AnalysisManager
    ) -> None:
        """Split the counter of a fold, and that of the fold over rows again."""
        _divide_by_factors(op)
        sizes = analyses.get(equal_sizes, function)
        rows = split_counter(op, sizes, copies=self.costly)
        if rows is not None:
            analyses.invalidate(function)
            self._split_counter(rows, function, analyses)


def _compute_first(op: Operation) -> None:
    """Compute a divisor before the comprehensions that it does not vary with."""
    found = list(reached([op.operands[1]], sources))
    leaves = [
        x for x in found if isinstance(x.owner, Block) or x.owner.regions or may_fail(x.owner)
    ]
    place = outermost_without(op, leaves)
    if place is op:
        return
    for part in slice_within(place, [op.operands[1]]):
        part.detach()
        Rewriter.insert_op(part, InsertPoint.before(place))


def _divide_by_factors(op: phi.ArrayOp | phi.FoldOp) -> None:
    for each in list(op.body.block.ops):
        if isinstance(each, arith.FloorDivSIOp):
            divide_by_factors(each)
