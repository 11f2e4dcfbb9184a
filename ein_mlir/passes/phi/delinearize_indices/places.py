"""Accumulations at numbers of which indices are the digits, as such at the digits."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from ein_mlir.analysis.arithmetic.polynomials import Polynomial, polynomial_of
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.searches import leaf_values
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.replacement import replace


@dataclass(frozen=True)
class _Digit:
    """An index of an accumulation, or with ``is_reversed`` its distance from the last one."""

    number: int
    is_reversed: bool


def accumulate_at_digits(op: phi.AccumulateOp, forms: IndexForms, *, whole: bool) -> bool:
    """``accumulate (i < n, j < m) into (n*m) { i*m + j, e }  -->
    array (p < n*m) { t[p // m, p mod m] }``

    where ``t`` is ``accumulate (i < n, j < m) into (n, m) { i, j, e }``, or ``array (i < n, j < m)
    { e }`` if all indices are digits of one position. Also at ``n - 1 - i``. Whether a position is
    such a number, and all indices are digits if they must be ``whole``.
    """
    *positions, value = leaf_values(op.yielded())
    if len(op.accumulators) != 1 or len(positions) != len(op.extents):
        return False
    pairs = zip(positions, op.extents, strict=True)
    digits = [_digits(op, position, extent, forms) for position, extent in pairs]
    if not any(len(each) > 1 or any(d.is_reversed for d in each) for each in digits):
        return False
    numbers = [digit.number for each in digits for digit in each]
    is_whole = all(digits) and sorted(numbers) == list(range(len(op.sizes)))
    if whole and not is_whole:
        return False
    build = Builder.before(op)
    table = _table(build, op, positions, value, digits, is_whole=is_whole)
    axes = numbers if is_whole else range(len(numbers) + digits.count([]))
    replace(op, _flat(build, op, table, digits, axes))
    return True


def _digits(
    op: phi.AccumulateOp, position: SSAValue, extent: SSAValue, forms: IndexForms
) -> list[_Digit]:
    """The indices of which a position is a number, the first one last, and the extent all values.

    None for another position.
    """
    rest, factors = polynomial_of(position, forms), dict[int, Polynomial]()
    for number, index in enumerate(op.indices):
        factor, rest = rest.divided_by(index)
        if factor.terms:
            factors[number] = factor
    if any(atom in op.indices for factor in factors.values() for atom in factor.atoms):
        return []
    found, reach = list[_Digit](), Polynomial.number(1)
    while factors:
        number = next((k for k, factor in factors.items() if factor in (reach, -reach)), None)
        if number is None:
            return []
        size = polynomial_of(op.sizes[number], forms)
        is_reversed = factors.pop(number) != reach
        if is_reversed:
            rest += reach - reach * size
        found.insert(0, _Digit(number, is_reversed))
        reach *= size
    return found if not rest.terms and reach == polynomial_of(extent, forms) else []


def _table(
    build: Builder,
    op: phi.AccumulateOp,
    positions: Sequence[SSAValue],
    value: SSAValue,
    digits: Sequence[Sequence[_Digit]],
    *,
    is_whole: bool,
) -> SSAValue:
    """The array of the values, or their accumulation at digits in the place of numbers."""
    extents, places, inner = list[SSAValue](), list[SSAValue](), Builder.before_end(op.body.block)
    for position, extent, each in zip(positions, op.extents, digits, strict=True):
        extents += [op.sizes[digit.number] for digit in each] or [extent]
        places += [inner.as_int(op.indices[digit.number]) for digit in each] or [position]
    op.yield_instead(value if is_whole else inner.tuple([*places, value]))
    sizes, into = list(op.sizes), [(op.accumulators[0].kind, extents)]
    body = op.detach_region(op.body)
    new = phi.ArrayOp(sizes, body) if is_whole else phi.AccumulateOp(sizes, into, body)
    return build.emit(new)


def _flat(
    build: Builder,
    op: phi.AccumulateOp,
    table: SSAValue,
    digits: Sequence[Sequence[_Digit]],
    axes: Sequence[int],
) -> SSAValue:
    """``array (p < n*m, ..) { t[p // m, p mod m, ..] }``, by the axes of the table in order."""

    def element(inner: Builder, indices: Sequence[SSAValue]) -> SSAValue:
        places = list[SSAValue]()
        for index, each in zip(indices, digits, strict=True):
            rest, own = inner.as_int(index), list[SSAValue]()
            for digit in reversed(each[1:]):
                size = op.sizes[digit.number]
                own.insert(0, _place(inner, inner.floormod(rest, size), digit, size))
                rest = inner.floordiv(rest, size)
            if each:
                rest = _place(inner, rest, each[0], op.sizes[each[0].number])
            places += [rest, *own]
        return inner.get(table, [place for _, place in sorted(zip(axes, places, strict=True))])

    return build.comprehension(list(op.extents), element)


def _place(build: Builder, digit: SSAValue, own: _Digit, size: SSAValue) -> SSAValue:
    return build.sub(build.sub(size, 1), digit) if own.is_reversed else digit
