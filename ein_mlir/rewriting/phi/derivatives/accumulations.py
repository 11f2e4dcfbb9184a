"""The linearisation of accumulations at positions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import SSAValue

from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.phi.derivatives.scalars import formula_of
from ein_mlir.rewriting.phi.derivatives.tangents import (
    Linearization,
    NoDerivativeError,
    at_end,
    cloned,
    linear_body,
    set_yielded,
    spread,
    yielded_value,
)
from ein_mlir.rewriting.phi.insertion import Inserter


@dataclass(frozen=True)
class _Rule:
    """The derivative of an accumulation of one kind, as formulas of scalars.

    ``x`` is an accumulated value, ``d`` its tangent, ``r`` the result at its position, and ``a``,
    ``b``, ``c`` are further accumulations there. The tangents are added.
    """

    tangent: str
    others: Sequence[tuple[str, str]] = ()
    """The kinds and the values of the further accumulations."""


# Equal extremes share the derivative; a position beyond the ends has none.
_EXTREME = _Rule("where(x == r, d / where(a > 1, a, 1), 0)", [("add", "where(x == r, 1, 0)")])
# The product of the other factors: a is the number of zeros, b the product of all but those, and c
# the sum of the zeros, the derivative of which second derivatives need.
_PRODUCT = _Rule(
    "d * where(x == 0, where(a == 1, b, where(a == 2, b * (c - x), 0)),"
    " b / where(x == 0, 1, x) * where(a == 0, 1, where(a == 1, c, 0)))",
    [
        ("add", "where(x == 0, 1, 0)"),
        ("mul", "where(x == 0, 1, x)"),
        ("add", "where(x == 0, x, 0)"),
    ],
)
_RULES: Mapping[str, _Rule] = {
    "add": _Rule("d"),
    "max": _EXTREME,
    "min": _EXTREME,
    "mul": _PRODUCT,
}


def accumulate(lin: Linearization, op: phi.AccumulateOp, build: Inserter) -> None:
    """``accumulate (i < n) into "add" { p, x }  -->  accumulate (i < n) into "add" { p, dx }``

    Of other kinds by the table, where ``dx`` is that of the result in each value.
    """
    tangents = linear_body(lin, op)
    if tangents is None:
        return
    sums = [field for field in _fields(op) if tangents[field.last] is not None]
    arrays = [_accumulated(build, op, field) for field in sums]
    body, copies = cloned(op.body, [each for each in tangents if each is not None])
    erase_unused(op.body.block)
    end = at_end(body.block)
    values, records = end.leaves(yielded_value(body.block)), list[SSAValue]()
    for field, known, tangent in zip(sums, arrays, copies, strict=True):
        positions, x = values[field.first : field.last], values[field.last]
        found = _by_formula(end, field.rule.tangent, positions, {"x": x, "d": tangent}, known)
        records.append(end.tuple([*positions, found]))
    set_yielded(body.block, records)
    kept = [("add", field.extents) for field in sums]
    total = build.emit(phi.AccumulateOp(op.sizes, kept, body))
    like = [tangents[field.last] for field in _fields(op)]
    spread(lin, op.result, like, build.unpacked(total, len(kept)))


@dataclass(frozen=True)
class _Field:
    """One of the accumulators: the positions and the value among the yielded values."""

    op: phi.AccumulateOp
    number: int
    first: int
    last: int

    @property
    def extents(self) -> Sequence[SSAValue]:
        return self.op.accumulators[self.number].extents

    @property
    def rule(self) -> _Rule:
        kind = self.op.accumulators[self.number].kind
        if kind not in _RULES:
            raise NoDerivativeError(self.op, f'"{kind}" has no derivative')
        return _RULES[kind]


def _fields(op: phi.AccumulateOp) -> list[_Field]:
    found, first = list[_Field](), 0
    for number, each in enumerate(op.accumulators):
        found.append(_Field(op, number, first, first + each.rank))
        first += each.rank + 1
    return found


def _accumulated(build: Inserter, op: phi.AccumulateOp, field: _Field) -> Mapping[str, SSAValue]:
    """The result of an accumulator, and the further accumulations of its rule, by their names."""
    known = {"r": build.leaves(op.result)[field.number]}
    if not (others := field.rule.others):
        return {}
    body, _ = cloned(op.body, ())
    end = at_end(body.block)
    values = end.leaves(yielded_value(body.block))
    positions, x = values[field.first : field.last], values[field.last]
    found = [_by_formula(end, text, positions, {"x": x}, known) for _, text in others]
    set_yielded(body.block, [end.tuple([*positions, each]) for each in found])
    kinds = [(kind, field.extents) for kind, _ in others]
    result = build.emit(phi.AccumulateOp(op.sizes, kinds, body))
    return {**known, **dict(zip("abc", build.unpacked(result, len(kinds)), strict=False))}


def _by_formula(
    build: Inserter,
    text: str,
    positions: Sequence[SSAValue],
    values: Mapping[str, SSAValue],
    arrays: Mapping[str, SSAValue],
) -> SSAValue:
    """A formula of values and of elements of arrays at their position; of rows for each element."""

    def element(inner: Inserter, row: Sequence[SSAValue]) -> SSAValue:
        names = {name: _read(inner, value, row) for name, value in values.items()}
        at = [*positions, *row]
        names.update({name: _read(inner, array, at) for name, array in arrays.items()})
        return formula_of(inner, text, names)

    sizes = build.sizes_of(values["x"])
    return build.comprehension(sizes, element) if sizes else element(build, ())


def _read(build: Inserter, value: SSAValue, positions: Sequence[SSAValue]) -> SSAValue:
    return build.get(value, positions) if positions else value
