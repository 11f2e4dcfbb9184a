"""Comprehensions over an index as such over two."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, BlockArgument, Operation, SSAValue, Use
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.arithmetic import INTS, LinearForm
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.phi.divided_indices import (
    Division,
    comparisons,
    decided,
    divisions,
    is_product_of_sizes,
    is_same,
    quotient,
    starts_of,
    uses_as_int,
)
from ein_mlir.analysis.phi.index_ranges import ORDINARY
from ein_mlir.analysis.phi.known_sizes import MOST_STAGES
from ein_mlir.analysis.phi.searches import leaf_values
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence, Term
from ein_mlir.analysis.predicates import predicate_of
from ein_mlir.analysis.scopes import is_within
from ein_mlir.dialects import phi, sigma
from ein_mlir.dialects.creation import copy_of
from ein_mlir.dialects.phi.integers import range_of
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.replacement import read_instead, replace, replace_record

LEAST_BLOCK = 8
"""The least number of elements in a block, if every other block has other elements."""


def split_stages(op: phi.FoldOp) -> None:
    """``fold (k < n, x = y) { e(k) }  -->  fold (k < max(n - 62, 0), x = z) { e(k + 62) }``

    where ``z = fold (k < min(n, 62), x = y) { e(k) }``: these steps can be written out.
    """
    build = Builder.before(op)
    first = copy_of(op)
    first.operands[0] = build.min(op.count, build.integer(MOST_STAGES))
    build.insert(first)
    op.operands[1] = first.result
    build.skip_steps(op, MOST_STAGES)


def split(
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
    split_index(body.block, number, divisor)
    flat = build.comprehension(sizes, element)
    for index, name in zip(phi.ArrayOp.of(flat).indices, names, strict=True):
        index.name_hint = name
    flat = Rewriter.replace_value_with_new_type(flat, op.result.type)
    replace(op, flat)
    return table


def separate(op: phi.ArrayOp) -> None:
    """``array (p < n) { (x, y) }  -->  (array (p < n) { x }, array (p < n) { y })``"""
    build = Builder.before(op)
    arrays = [build.elements_of(op, leaf) for leaf in leaf_values(op.yielded())]
    replace_record(op.result, build.record(op.result.type, arrays))
    Rewriter.erase_op(op)


def skip_first(op: phi.ArrayOp, number: int, start: int) -> phi.ArrayOp:
    """``array (p < n) { e(p) }`` from a start c on, where positions divide ``p - c``::

        array (p < min(n, c)) { e(p) } ++ array (p < n - c) { e(p + c) }

    Returns the second comprehension, in which positions divide p.
    """
    build, size = Builder.before(op), op.sizes[number]
    first, rest = copy_of(op), copy_of(op)
    first.operands[number] = build.min(size, start)
    rest.operands[number] = build.max(build.sub(size, start), 0)
    build.insert(first)
    build.insert(rest)
    index = rest.indices[number]
    _decide(first.indices[number], 0, start - 1)
    _decide(index, start, INTS.high)
    users = [user for user, _ in starts_of(index)]
    position = _move(index, start)
    for user in users:
        user.operands[0] = position
    replace(op, build.joined_along(op, number, first.result, rest.result, size))
    return rest


def _decide(index: BlockArgument, low: int, high: int) -> None:
    """Replace the comparisons of an index from ``low`` to ``high`` that all its values decide."""
    for op in list(comparisons(index)):
        value = decided(op, low, high)
        if value is not None:
            Rewriter.replace_op(op, (), (Builder.before(op).truth(value),))


def _move(index: BlockArgument, start: int) -> SSAValue:
    """Replace an index p by ``p + c``; return p as an Int."""
    uses, build = list(index.uses), Builder.at_start(index.block)
    own = build.as_int(index)
    read_instead(uses, build.add(own, start))
    return own


def whole_rows(
    op: phi.ArrayOp,
    others: phi.ArrayOp,
    divisors: dict[int, LinearForm],
    known_sizes: SizeEquivalence,
    *,
    in_blocks: bool,
) -> tuple[phi.ArrayOp, dict[int, SSAValue]]:
    """``array (p < n) { e(p // m, p mod m) }`` for any m, by comprehensions for m > 0 and others::

        w = max(min(m, n), 1)
        array (p < k) { e(p // w, p mod w) } ++ array (p < n - k) { e(p // m, p mod m) }

    where k is n if all divisors are positive and ordinary, else 0. For ``p < n`` the quotients and
    remainders by w are those by m, and positions ``p + w`` clip to where ``p + m`` does. The ends
    of whole rows, ``p < h*m``, are ``p // w < h``, where no product wraps. Returns the first
    comprehension, and w for each number of an index.

    ``others`` is a copy, or an equal of the comprehension. With ``in_blocks``, it has the elements
    also where every other block has other elements, and blocks are shorter than `LEAST_BLOCK`:
    libraries gather these in less time.
    """
    build = Builder.before(op)
    one, zero = build.integer(1), build.integer(0)
    widths, tests = dict[int, SSAValue](), list[SSAValue]()
    for number, form in divisors.items():
        divisor = build.linear_value(form)
        widths[number] = build.max(build.min(divisor, op.sizes[number]), one)
        alternates = in_blocks and any(map(_alternates, divisions(op.indices[number])))
        tests.append(build.compare(divisor, "sge", LEAST_BLOCK if alternates else one))
        tests.append(build.compare(divisor, "sle", ORDINARY.high))
        for rows in dict.fromkeys(rows for _, rows in _ends_of_whole_rows(op, number)):
            end = build.mul(rows, divisor)
            tests.append(build.compare(build.floordiv(end, divisor), "eq", rows))
    are_widths = build.all_of(tests)
    along = min(divisors)
    size = op.sizes[along]
    own = build.select(are_widths, size, zero)
    rest = build.select(are_widths, zero, size)
    first = copy_of(op)
    others.operands = op.operands
    others.operands[along], first.operands[along] = rest, own
    build.insert(first)
    build.insert(others)
    _run_if(others, are_widths)
    for number, width in widths.items():
        for cmp, rows in list(_ends_of_whole_rows(first, number)):
            inner = Builder.before(cmp)
            row = inner.floordiv(cmp.lhs, width)
            Rewriter.replace_op(cmp, (), (inner.compare(row, predicate_of(cmp), rows),))
        index, size = first.indices[number], Term(op.sizes[number])
        found = list(divisions(index))
        sums = _next_rows(index, size, {each.divisor for _, each in found}, known_sizes)
        for user, place in [*sums, *((user, 1) for user, _ in found)]:
            user.operands[place] = width
    joined = build.joined_along(op, along, first.result, others.result, op.sizes[along])
    replace(op, joined)
    return first, widths


def _alternates(found: tuple[Operation, Division]) -> bool:
    """Whether an element depends on the number of its block modulo a constant."""
    quotient, division = found
    return not division.is_remainder and any(
        isinstance(rest := use.operation, sigma.FloorModOp) and known_int(rest.rhs) is not None
        for use in quotient.results[0].uses
    )


def _next_rows(
    index: BlockArgument, size: Term, divisors: Container[SSAValue], sizes: SizeEquivalence
) -> Iterator[tuple[Operation, int]]:
    """The sums ``p + m`` and ``p - m`` that are positions in axes of the size of the index p.

    Each with the number of the operand m. If m is larger than the size, all are out of bounds.
    """
    for use in list(uses_as_int(index)):
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


def rows_or_none(
    build: Builder, size: SSAValue, divisor: SSAValue, sizes: SizeEquivalence
) -> SSAValue | None:
    """The number of rows, if a size is a multiple of the size or number that divides it."""
    rows, known, part = quotient(size, divisor, sizes), known_int(size), known_int(divisor)
    if rows is not None:
        return rows if is_product_of_sizes(rows) else build.max(rows, 0)
    if known is None or part is None or part <= 0 or known % part:
        return None
    return build.integer(known // part)


def _rows(build: Builder, size: SSAValue, divisor: SSAValue, sizes: SizeEquivalence) -> SSAValue:
    """``ceil(size / divisor)``, the number of rows that hold all elements, or 0."""
    if (rows := rows_or_none(build, size, divisor, sizes)) is not None:
        return rows
    known, part = known_int(size), known_int(divisor)
    if known is not None and part is not None:
        return build.integer(max(-(-known // part), 0))
    last = build.add(size, build.sub(divisor, 1) if part is None else part - 1)
    rows = build.floordiv(last, divisor)
    return rows if part is None or range_of(size).low >= 0 else build.max(rows, 0)


def split_index(block: Block, number: int, divisor: SSAValue) -> None:
    """Replace an index p of a body by two: ``p`` by ``q*m + r``, ``p // m`` by ``q``."""
    index = block.args[number]
    build = Builder.at_start(block)
    row, column = (_new_index(build, block, number + k, index) for k in range(2))
    for op, found in list(divisions(index)):
        Rewriter.replace_op(op, (), (_part(op, row, column, found, divisor),))
    position = build.mul(row, divisor)
    position = build.add(position, column)
    for op, bound in list(_ends_of_rows(index, divisor)):
        predicate = "slt" if predicate_of(op) in ("slt", "sle") else "sge"
        Rewriter.replace_op(op, (), (Builder.before(op).compare(row, predicate, bound),))
    read_instead(list(index.uses), position)
    block.erase_arg(index)


def _ends_of_rows(index: SSAValue, divisor: SSAValue) -> Iterator[tuple[arith.CmpiOp, int]]:
    """The comparisons of an index with ends of rows, and the rows: ``p < 3*m`` is ``q < 3``."""
    length = known_int(divisor)
    for op in comparisons(index):
        past = {"slt": 0, "sge": 0, "sle": 1, "sgt": 1}.get(predicate_of(op))
        bound = known_int(op.rhs)
        if past == 0 and op.rhs is divisor:
            yield op, 1
        elif past is not None and bound is not None and length and (bound + past) % length == 0:
            yield op, (bound + past) // length


def _ends_of_whole_rows(array: phi.ArrayOp, number: int) -> Iterator[tuple[arith.CmpiOp, SSAValue]]:
    """The comparisons of an index with ends of rows of its divisor, ``p < h*m``, and the rows h."""
    index = array.indices[number]
    divisors = {found.divisor for _, found in divisions(index)}
    for op in comparisons(index):
        product = op.rhs.owner
        if isinstance(product, arith.MuliOp) and predicate_of(op) in ("slt", "sge"):
            for own, rows in (product.operands, reversed(product.operands)):
                if own in divisors and not is_within(rows, array):
                    yield op, rows
                    break


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
