"""The indices that positions divide, and that become two with profit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects import arith, func
from xdsl.ir import Operation, SSAValue, Use

from ein_mlir.analysis.arithmetic import INTS, LinearForm
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.cases import decides, is_few, may_have_cases
from ein_mlir.analysis.phi.divided_indices import (
    Division,
    comparisons,
    decided,
    divisions,
    is_flat,
    quotient,
    starts_of,
)
from ein_mlir.analysis.phi.element_cost import FUNCTION, cost
from ein_mlir.analysis.phi.free_indices import fields_at, free_indices
from ein_mlir.analysis.phi.index_forms import index_forms
from ein_mlir.analysis.phi.known_sizes import (
    has_few_steps,
    is_invariant_size,
    is_power_of,
    varies_by_powers,
)
from ein_mlir.analysis.phi.searches import is_made_of_fields, leaf_values
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence, equal_sizes
from ein_mlir.analysis.scopes import dependents, is_within, needed_within, reached
from ein_mlir.dialects import phi, sigma


def has_loops(op: phi.ArrayOp) -> bool:
    """Whether an element takes a loop: then two versions of it, and a copy, cost little."""
    return any(each.regions and not isinstance(each, phi.ArrayOp) for each in op.body.walk())


def is_costly(op: phi.ArrayOp) -> bool:
    """Whether an element takes a loop or a function."""
    return has_loops(op) or any(cost(each) == FUNCTION for each in op.body.walk())


def is_divided(op: phi.ArrayOp) -> bool:
    """Whether positions divide an index."""
    return any(list(divisions(index)) for index in op.indices)


def division_of(op: phi.ArrayOp, sizes: SizeEquivalence) -> tuple[int, SSAValue] | None:
    """The first index that can be split with profit, and its divisor."""
    for number, index in enumerate(op.indices):
        found = [each for _, each in divisions(index)]
        if found and any(_is_read(user, sizes) for user, _ in divisions(index)):
            divisor = _divisor(found)
            if divisor is not None and _is_legal(op, op.sizes[number], divisor, sizes):
                return number, divisor
    return None


def cases_of(op: phi.ArrayOp) -> tuple[int, SSAValue] | None:
    """The first index whose remainder by a small constant decides an element, and the constant."""
    if not may_have_cases(op):
        return None
    for number, index in enumerate(op.indices):
        users = list(divisions(index))
        is_compared = any(each.is_remainder and decides(user) for user, each in users)
        if is_compared and not _has_ranges(index):
            divisor = _divisor([each for _, each in users])
            count = None if divisor is None else known_int(divisor)
            if divisor is not None and is_few(count) and count != known_int(op.sizes[number]):
                return number, divisor
    return None


def start_of(op: phi.ArrayOp) -> tuple[int, int] | None:
    """The first index p of which positions divide ``p - c`` alone, for a number c, and c.

    A condition selects the elements before c.
    """
    for number, index in enumerate(op.indices):
        starts = {start for _, start in starts_of(index)}
        if len(starts) == 1 and not any(divisions(index)):
            (start,) = starts
            for each in comparisons(index):
                is_first, is_later = decided(each, 0, start - 1), decided(each, start, INTS.high)
                if None not in (is_first, is_later) and is_first != is_later:
                    return number, start
    return None


def _has_ranges(index: SSAValue) -> bool:
    """Whether an index itself is compared: with its remainders, that is a range with a step.

    Such ranges are parts of the array (``split-index-ranges``).
    """

    def sums(value: SSAValue) -> Iterator[SSAValue]:
        for use in value.uses:
            if isinstance(use.operation, arith.IndexCastOp | arith.AddiOp | arith.SubiOp):
                yield from use.operation.results

    users = (use.operation for value in reached([index], sums) for use in value.uses)
    return any(isinstance(user, arith.CmpiOp) for user in users)


def _is_case(op: Operation) -> bool:
    """Whether a remainder of a quotient by a constant is a case, ``(p // m) mod 2 == 0``."""
    return isinstance(op, arith.FloorDivSIOp) and any(
        isinstance(rest := use.operation, sigma.FloorModOp)
        and known_int(rest.rhs) is not None
        and decides(rest)
        for use in op.result.uses
    )


def divisions_by_any(
    op: phi.ArrayOp | phi.AccumulateOp,
    function: func.FuncOp,
    analyses: AnalysisManager,
    *,
    static: bool,
) -> dict[int, LinearForm]:
    """The indices that any Int divides, each with the Int, which varies with no index.

    Numbers divide those of accumulations alone: `division_of` finds those of comprehensions.
    """
    found, sizes = dict[int, LinearForm](), analyses.get(equal_sizes, function)
    free, forms = analyses.get(free_indices, function), analyses.get(index_forms, function)
    for number, index in enumerate(op.indices):
        users = list(divisions(index))
        if not any(_is_read(user, sizes) or _is_case(user) for user, _ in users):
            continue
        if all(each.is_remainder for _, each in users) and _has_ranges(index):
            continue
        if isinstance(op, phi.AccumulateOp) and _is_read_at(op, index):
            continue
        form, *others = (forms.form(each.divisor) for _, each in users)
        is_outside = not any(is_within(atom, op) or free.of(atom) for atom in form.coefficients)
        if not is_outside or any(other != form for other in others):
            continue
        if not form.coefficients and isinstance(op, phi.ArrayOp):
            continue
        if forms.equal(form, forms.form(op.sizes[number])):
            continue
        if not static or all(
            is_invariant_size(each) or varies_by_powers(each) for each in form.coefficients
        ):
            found[number] = form
    return found


def has_stages(op: phi.FoldOp) -> bool:
    """Whether an index is divided by a power of the counter of a fold of many steps."""
    return not has_few_steps(op) and any(
        is_power_of(found.divisor, op.counter)
        for array in op.body.walk()
        if isinstance(array, phi.ArrayOp)
        for index in array.indices
        for _, found in divisions(index)
    )


def _divisor(found: Sequence[Division]) -> SSAValue | None:
    """The divisor of all divisions of an index, or the constant that is a multiple of all."""
    divisors = {each.divisor for each in found}
    if len(divisors) == 1:
        return divisors.pop()
    numbers = {known_int(divisor): divisor for divisor in divisors}
    known = [number for number in numbers if number is not None and number > 0]
    largest = max(known, default=0)
    if len(known) < len(numbers) or any(largest % number for number in known):
        return None
    return numbers[largest]


def _is_legal(op: phi.ArrayOp, size: SSAValue, divisor: SSAValue, sizes: SizeEquivalence) -> bool:
    """Whether ``q*m + r`` with ``r < m`` runs over the index: m is positive, or the index has no
    values. An index below m itself is not split.
    """
    number = known_int(divisor)
    if number is not None:
        return number > 0 and known_int(size) != number
    is_known = not is_within(divisor, op) and not sizes.same(size, divisor)
    return is_known and quotient(size, divisor, sizes) is not None


def _is_read(user: Operation, sizes: SizeEquivalence) -> bool:
    """Whether a division is a summand of a position that is not read as part of a flat array, or of
    one where values are accumulated.
    """
    for part in reached([user], _sums_with):
        for use in part.results[0].uses:
            op = use.operation
            if isinstance(op, phi.TupleOp) and _is_place(use):
                return True
            if isinstance(op, phi.GetOp) and op.array is not use.operation.operands[use.index]:
                number = use.index - 1
                firsts = (number, number - 1) if number else (number,)
                if not any(is_flat(op, first, sizes) for first in firsts):
                    return True
    return False


def _is_read_at(op: phi.AccumulateOp, index: SSAValue) -> bool:
    """Whether a position of an accumulation is read from an array at an index: over two indices
    it would be a position of any value, too.
    """
    record = op.yielded()
    if not is_made_of_fields(record):
        return True
    values = leaf_values(record)
    places = [fields_at(record.type, each.path)[:-1] for each in op.accumulators]
    positions = [values[place] for part in places for place in part]
    varying = dependents(op.body.block, index)
    return any(
        isinstance(part, phi.GetOp) and part.result in varying
        for part in needed_within(op, positions)
    )


def _is_place(use: Use) -> bool:
    """Whether a value is a position where an accumulation combines values."""
    place = use.index
    users = (each.operation for each in use.operation.results[0].uses)
    is_last = place == len(use.operation.operands) - 1
    return not is_last and any(isinstance(each.parent_op(), phi.AccumulateOp) for each in users)


def _sums_with(part: Operation) -> Iterator[Operation]:
    """The sums, differences, products, extremes and remainders of an operation."""
    for use in part.results[0].uses:
        op = use.operation
        if isinstance(op, _SUMS) or (isinstance(op, sigma.FloorModOp) and use.index == 0):
            yield op


_SUMS = (arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.MinSIOp, arith.MaxSIOp)
