"""``delinearize-indices``: an index that positions divide becomes two indices."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from functools import reduce

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IndexType, i64
from xdsl.ir import Block, BlockArgument, Operation, SSAValue, Use
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.arithmetic import Integers, LinearForm
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.cases import decides, is_few, may_have_cases
from ein_mlir.analysis.phi.divided_indices import (
    Division,
    division,
    divisions,
    is_flat,
    is_same,
    quotient,
)
from ein_mlir.analysis.phi.element_cost import FUNCTION, cost
from ein_mlir.analysis.phi.free_indices import free_indices
from ein_mlir.analysis.phi.index_forms import index_forms
from ein_mlir.analysis.phi.index_ranges import ORDINARY
from ein_mlir.analysis.phi.known_sizes import (
    MOST_STAGES,
    has_few_steps,
    is_invariant_size,
    is_power_of,
    varies_by_powers,
)
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence, Term, equal_sizes
from ein_mlir.analysis.scopes import is_within, operations_in, reached
from ein_mlir.dialects import phi, sigma
from ein_mlir.dialects.creation import copy_of
from ein_mlir.dialects.phi.integers import PhiLevel, range_of
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.builders import comprehension, joined_along, linear_value, skip_steps
from ein_mlir.rewriting.phi.divided_counters import split_counter
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.ranges import check_size
from ein_mlir.rewriting.phi.replacement import replace


def _exchange(op: sigma.FloorModOp) -> None:
    """``(p // d) mod e  -->  (p mod d*e) // d`` for positive constants."""
    inner = op.lhs.owner
    if not isinstance(inner, arith.FloorDivSIOp) or division(inner.result) is None:
        return
    part, count = known_int(inner.rhs), known_int(op.rhs)
    if part is None or count is None or min(part, count) <= 0:
        return
    build = Builder.before(op)
    rest = build.floormod(inner.lhs, part * count)
    Rewriter.replace_op(op, arith.FloorDivSIOp(rest, inner.rhs))


def _reduce(op: sigma.FloorModOp, forms: Integers) -> None:
    """``(i + n - 1) mod n  -->  (i - 1) mod n``, also of an i that is ``(k + 2) mod n`` itself.

    No sum may wrap around.
    """
    moved, modulus = forms.form(op.lhs), forms.form(op.rhs)
    terms = moved.coefficients.items()
    plain = sum((_around(atom, modulus, forms) * times for atom, times in terms), moved)
    atom, factor = next(iter(modulus.coefficients.items()), (op.rhs, 1))
    rest = plain - modulus * (plain.coefficients.get(atom, 0) // factor)
    exact = all(map(forms.is_exact, (moved, modulus, rest)))
    if rest != moved and op.result.type == i64 and exact:
        value = linear_value(Builder.before(op), rest)
        if _is_index(rest, modulus, forms):
            Rewriter.replace_op(op, [], [value])
        else:
            op.operands[0] = value


def _around(atom: SSAValue, modulus: LinearForm, forms: Integers) -> LinearForm:
    """``(i + 2) - (i + 2) mod n``, if the atom is the remainder, and i an index below n; or 0."""
    op = atom.owner
    if isinstance(op, sigma.FloorModOp) and forms.form(op.rhs) == modulus:
        moved = forms.form(op.lhs)
        if forms.is_exact(moved) and _is_index(moved - moved.constant, modulus, forms):
            return moved - LinearForm.of(atom)
    return LinearForm.number(0)


def _is_index(form: LinearForm, size: LinearForm, forms: Integers) -> bool:
    return forms.is_nonnegative(form) and forms.is_below(form, size)


# Recognition ----------------------------------------------------------------------------------


def _has_loops(op: phi.ArrayOp) -> bool:
    """Whether an element takes a loop: then two versions of it, and a copy, cost little."""
    return any(each.regions and not isinstance(each, phi.ArrayOp) for each in op.body.walk())


def _is_costly(op: phi.ArrayOp) -> bool:
    """Whether an element takes a loop or a function."""
    return _has_loops(op) or any(cost(each) == FUNCTION for each in op.body.walk())


def _found(op: phi.ArrayOp, sizes: SizeEquivalence) -> tuple[int, SSAValue] | None:
    """The first index that can be split with profit, and its divisor."""
    for number, index in enumerate(op.indices):
        found = [each for _, each in divisions(index)]
        if found and any(_is_read(user, sizes) for user, _ in divisions(index)):
            divisor = _divisor(found)
            if divisor is not None and _is_legal(op, op.sizes[number], divisor, sizes):
                return number, divisor
    return None


def _found_cases(op: phi.ArrayOp) -> tuple[int, SSAValue] | None:
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


def _found_any(
    op: phi.ArrayOp, function: func.FuncOp, analyses: AnalysisManager, *, static: bool
) -> dict[int, LinearForm]:
    """The indices that any Int divides, each with the Int, which varies with no index."""
    found, sizes = dict[int, LinearForm](), analyses.get(equal_sizes, function)
    free, forms = analyses.get(free_indices, function), analyses.get(index_forms, function)
    for number, index in enumerate(op.indices):
        users = list(divisions(index))
        if not any(_is_read(user, sizes) or _is_case(user) for user, _ in users):
            continue
        if all(each.is_remainder for _, each in users) and _has_ranges(index):
            continue
        form, *others = (forms.form(each.divisor) for _, each in users)
        is_outside = not any(is_within(atom, op) or free.of(atom) for atom in form.coefficients)
        if not is_outside or any(other != form for other in others) or not form.coefficients:
            continue
        if forms.equal(form, forms.form(op.sizes[number])):
            continue
        if not static or all(
            is_invariant_size(each) or varies_by_powers(each) for each in form.coefficients
        ):
            found[number] = form
    return found


def _has_stages(op: phi.FoldOp) -> bool:
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
    """Whether a division is a summand of a position that is not read as part of a flat array."""
    for part in reached([user], _sums_with):
        for use in part.results[0].uses:
            op = use.operation
            if isinstance(op, phi.GetOp) and op.array is not use.operation.operands[use.index]:
                number = use.index - 1
                firsts = (number, number - 1) if number else (number,)
                if not any(is_flat(op, first, sizes) for first in firsts):
                    return True
    return False


def _sums_with(part: Operation) -> Iterator[Operation]:
    """The sums, differences and products that an operation is a part of."""
    users = (use.operation for use in part.results[0].uses)
    return (op for op in users if isinstance(op, arith.AddiOp | arith.SubiOp | arith.MuliOp))


# Rewriting ------------------------------------------------------------------------------------


def _split_stages(op: phi.FoldOp) -> None:
    """``fold (k < n, x = y) { e(k) }  -->  fold (k < max(n - 62, 0), x = z) { e(k + 62) }``

    where ``z = fold (k < min(n, 62), x = y) { e(k) }``: these steps can be written out.
    """
    build = Builder.before(op)
    first = copy_of(op)
    first.operands[0] = build.min(op.count, build.integer(MOST_STAGES))
    build.insert(first)
    op.operands[1] = first.result
    skip_steps(build, op, MOST_STAGES)


def _split(
    op: phi.ArrayOp, number: int, divisor: SSAValue, known_sizes: SizeEquivalence
) -> phi.ArrayOp:
    """``array (p < n) { e(p // m, p mod m) }`` as ``t = array (q < n/m, r < m) { e(q, r) }`` and
    ``array (p < n) { t[p // m, p mod m] }``; return ``t``.
    """
    build = Builder.before(op)
    if (known := known_int(divisor)) is not None:
        divisor = build.integer(known)
    rows = _rows(build, op.sizes[number], divisor, known_sizes)
    names, sizes = [index.name_hint for index in op.indices], list(op.sizes)

    def element(inner: Builder, indices: Sequence[SSAValue]) -> SSAValue:
        position = inner.as_int(indices[number])
        row = inner.floordiv(position, divisor)
        column = inner.floormod(position, divisor)
        positions = [*indices[:number], row, column, *indices[number + 1 :]]
        return inner.get(table.result, positions)

    body = op.detach_region(op.body)
    split = [*sizes[:number], rows, divisor, *sizes[number + 1 :]]
    table = build.insert(phi.ArrayOp(split, body))
    _split_index(body.block, number, divisor)
    flat = comprehension(build, sizes, element)
    assert isinstance(flat.owner, phi.ArrayOp)
    for index, name in zip(flat.owner.indices, names, strict=True):
        index.name_hint = name
    flat = Rewriter.replace_value_with_new_type(flat, op.result.type)
    replace(op, flat)
    return table


def _whole_rows(
    op: phi.ArrayOp, divisors: dict[int, LinearForm], known_sizes: SizeEquivalence
) -> tuple[phi.ArrayOp, dict[int, SSAValue]]:
    """``array (p < n) { e(p // m, p mod m) }`` for any m, by comprehensions for m > 0 and others::

        w = max(min(m, n), 1)
        array (p < k) { e(p // w, p mod w) } ++ array (p < n - k) { e(p // m, p mod m) }

    where k is n if all divisors are positive and ordinary, else 0. For ``p < n`` the quotients and
    remainders by w are those by m, and positions ``p + w`` clip to where ``p + m`` does. Returns
    the first comprehension, and w for each number of an index.
    """
    build = Builder.before(op)
    one, zero = build.integer(1), build.integer(0)
    widths, tests = dict[int, SSAValue](), list[SSAValue]()
    for number, form in divisors.items():
        divisor = linear_value(build, form)
        widths[number] = build.max(build.min(divisor, op.sizes[number]), one)
        tests.append(build.compare(divisor, "sgt", zero))
        tests.append(build.compare(divisor, "sle", ORDINARY.high))
    are_widths = reduce(build.and_, tests)
    along = min(divisors)
    size = op.sizes[along]
    own = build.select(are_widths, size, zero)
    rest = build.select(are_widths, zero, size)
    others, first = copy_of(op), copy_of(op)
    others.operands[along], first.operands[along] = rest, own
    build.insert(first)
    build.insert(others)
    _run_if(others, are_widths)
    for number, width in widths.items():
        index, size = first.indices[number], Term(op.sizes[number])
        found = list(divisions(index))
        sums = _next_rows(index, size, {each.divisor for _, each in found}, known_sizes)
        for user, place in [*sums, *((user, 1) for user, _ in found)]:
            user.operands[place] = width
    joined = joined_along(build, op, along, first.result, others.result, op.sizes[along])
    replace(op, joined)
    return first, widths


def _next_rows(
    index: BlockArgument, size: Term, divisors: Container[SSAValue], sizes: SizeEquivalence
) -> Iterator[tuple[Operation, int]]:
    """The sums ``p + m`` and ``p - m`` that are positions in axes of the size of the index p.

    Each with the number of the operand m. If m is larger than the size, all are out of bounds.
    """
    casts = [use.operation for use in index.uses if isinstance(use.operation, arith.IndexCastOp)]
    for use in [use for cast in casts for use in cast.result.uses]:
        op, other = use.operation, 1 - use.index
        is_sum = isinstance(op, arith.AddiOp) or (isinstance(op, arith.SubiOp) and other == 1)
        is_next = is_sum and op.operands[other] in divisors
        if is_next and _are_positions(op.results[0], size, sizes):
            yield op, other


def _are_positions(value: SSAValue, size: Term, sizes: SizeEquivalence) -> bool:
    """Whether an Int is only a position in axes of a size, possibly after it is clipped."""

    def is_position(use: Use) -> bool:
        user = use.operation
        if isinstance(user, arith.MinSIOp | arith.MaxSIOp):
            return _are_positions(user.result, size, sizes)
        if not isinstance(user, phi.GetOp) or use.index == 0:
            return False
        return sizes.same(size, Term(user.array, (), use.index - 1), user)

    return all(map(is_position, value.uses))


def _run_if(op: phi.ArrayOp, is_empty: SSAValue) -> None:
    """Run no steps for a comprehension without elements."""
    build = Builder.before(op)
    for fold in list(op.body.walk()):
        if isinstance(fold, phi.FoldOp) and not is_within(fold.count, op):
            zero = build.integer(0)
            count = build.select(is_empty, zero, fold.count)
            fold.operands[0] = count


def _rows(build: Builder, size: SSAValue, divisor: SSAValue, sizes: SizeEquivalence) -> SSAValue:
    """``ceil(size / divisor)``, the number of rows that hold all elements, or 0."""
    rows, known, part = quotient(size, divisor, sizes), known_int(size), known_int(divisor)
    if rows is not None:
        return rows if range_of(rows).low >= 0 else build.max(rows, 0)
    if known is not None and part is not None:
        return build.integer(max(-(-known // part), 0))
    last = build.add(size, build.sub(divisor, 1) if part is None else part - 1)
    rows = build.floordiv(last, divisor)
    return rows if part is None or range_of(size).low >= 0 else build.max(rows, 0)


def _split_index(block: Block, number: int, divisor: SSAValue) -> None:
    """Replace an index p of a body by two: ``p`` by ``q*m + r``, ``p // m`` by ``q``."""
    index = block.args[number]
    build = Builder.at_start(block)
    row, column = (_new_index(build, block, number + k, index) for k in range(2))
    for op, found in list(divisions(index)):
        Rewriter.replace_op(op, (), (_part(op, row, column, found, divisor),))
    position = build.mul(row, divisor)
    position = build.add(position, column)
    for use in list(index.uses):
        if isinstance(use.operation, arith.IndexCastOp):
            Rewriter.replace_op(use.operation, (), (position,))
        else:
            use.operation.operands[use.index] = position
    block.erase_arg(index)


def _new_index(build: Builder, block: Block, number: int, old: SSAValue) -> SSAValue:
    """A new index of a body, as an Int."""
    index = block.insert_arg(IndexType(), number)
    index.name_hint = old.name_hint
    return build.as_int(index)


def _part(
    op: Operation, row: SSAValue, column: SSAValue, found: Division, divisor: SSAValue
) -> SSAValue:
    """A division of ``q*m + r`` by a divisor d of m: ``q*(m/d) + r // d``, or ``r mod d``."""
    if is_same(found.divisor, divisor):
        return column if found.is_remainder else row
    build = Builder.before(op)
    if found.is_remainder:
        return build.floormod(column, found.divisor)
    whole, part = known_int(divisor), known_int(found.divisor)
    assert whole is not None
    assert part is not None
    return build.add(build.mul(row, whole // part), build.floordiv(column, found.divisor))


@dataclass(frozen=True)
class DelinearizeIndicesPass(FunctionPass):
    """Splits an index p that positions divide by m into ``q = p // m`` and ``r = p mod m``.

    Before, where ``%n`` is ``%k * %m`` for sizes ``%k`` and ``%m``::

        %t = phi.array (%p < %n) -> !phi.vec<f64> {
          %0 = arith.index_cast %p : index to i64
          %q = arith.floordivsi %0, %m : i64
          %r = sigma.floormod %0, %m : i64
          %x = phi.get %a[%q] : !phi.vec<f64>[i64]
          %y = phi.get %b[%r] : !phi.vec<f64>[i64]
          %z = arith.mulf %x, %y : f64
          phi.yield %z : f64
        }

    After::

        %0 = phi.array (%q < %k, %r < %m) -> !phi.vec<!phi.vec<f64>> {
          %x = phi.get %a[%q] : !phi.vec<f64>[index]
          %y = phi.get %b[%r] : !phi.vec<f64>[index]
          %z = arith.mulf %x, %y : f64
          phi.yield %z : f64
        }
        %t = phi.array (%p < %n) -> !phi.vec<f64> {
          %q = arith.floordivsi %p, %m : i64
          %r = sigma.floormod %p, %m : i64
          %z = phi.get %0[%q, %r] : !phi.vec<!phi.vec<f64>>[i64, i64]
          phi.yield %z : f64
        }

    The reads of ``%0`` are those of two axes as one, without positions (`convert-phi-to-yarr`), and
    those of ``%a`` and ``%b`` are axes instead of gathers. The divisor is a positive constant, or a
    size, and the size of the index a multiple of it; the last row may be incomplete for a constant.
    Several constant divisors are split one after the other if one is a multiple of the others.

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
    of it, with the old divisors, has all.

    A multiple of the divisor does not change a remainder, ``(i + n - 1) mod n = (i - 1) mod n``,
    nor does an inner remainder, ``((i + 1) mod n + 1) mod n = (i + 2) mod n``: so one form is left
    for other passes.
    """

    name = "delinearize-indices"
    looks_for = (arith.FloorDivSIOp, sigma.FloorModOp)

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
    """

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        forms = Integers(PhiLevel())
        for op in operations_in(function):
            if isinstance(op, sigma.FloorModOp):
                _reduce(op, forms)
                _exchange(op)
            elif self.static and isinstance(op, phi.FoldOp) and _has_stages(op):
                _split_stages(op)
            elif isinstance(op, phi.FoldOp) and split_counter(
                op, analyses.get(equal_sizes, function), copies=self.costly
            ):
                analyses.invalidate(function)
        pending = [
            op
            for op in function.walk()
            if isinstance(op, phi.ArrayOp)
            and isinstance(op.result.type, phi.VecType)
            and (not self.costly or _is_costly(op))
        ]
        rows = set[phi.ArrayOp]()
        while pending:
            op = pending.pop()
            sizes = analyses.get(equal_sizes, function)
            found = _found_cases(op) if op in rows or not self.static else None
            found = found or _found(op, sizes)
            may_copy = not self.costly or _has_loops(op)
            if found is None and may_copy and any(list(divisions(index)) for index in op.indices):
                divisors = _found_any(op, function, analyses, static=self.static)
                if divisors:
                    for number in divisors:
                        check_size(op, number, sizes)
                    op, widths = _whole_rows(op, divisors, sizes)
                    for number in reversed(widths):
                        op = _split(op, number, widths[number], sizes)
                    pending.append(op)
                    rows.add(op)
                    analyses.invalidate(function)
            if found is not None:
                pending.append(_split(op, *found, sizes))
                analyses.invalidate(function)
