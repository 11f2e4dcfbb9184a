"""Linear recurrences: carried floats whose next values are sums of multiples of their own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import f32, f64
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.loops.combinations import Later
from ein_mlir.analysis.phi.loops.writes import last_write
from ein_mlir.analysis.phi.searches import field_of, leaf_values
from ein_mlir.analysis.scopes import dependents
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass

MOST_FIELDS = 3
"""The most fields of a recurrence: blocks of steps take a product of matrices for each pair."""


@dataclass(frozen=True)
class LinearRecurrence:
    """``x' = a * x + b * y + u[k]; y' = c * x + d * y + v[k]``, with factors of all steps."""

    numbers: Sequence[int]
    """The fields, x and y."""
    steps: Sequence[SSAValue]
    """Their next values."""
    fields: Mapping[SSAValue, int]
    """The values of a step that are previous ones, and which of the fields they are."""
    terms: Sequence[SSAValue]
    """The values of a step that do not depend on the fields, such as ``u[k]``."""
    factors: Mapping[SSAValue, int]
    """The products and quotients, and which of their operands is the factor or divisor."""

    def __str__(self) -> str:
        return "combined with others times factors that all steps have"


def linear_recurrence(
    op: phi.FoldOp,
    numbers: Sequence[int],
    steps: Sequence[SSAValue],
    fields: Mapping[SSAValue, int],
    later: Later,
) -> LinearRecurrence | None:
    """The recurrence of fields that depend on each other alone; None if it is not linear.

    Of the choices ``later`` the value in later steps counts.
    """
    types = {step.type for step in steps}
    if len(numbers) > MOST_FIELDS or types not in ({f64}, {f32}):
        return None
    search = _Search(op, fields, later)
    if not all(map(search.is_linear, steps)) or not search.factors:
        return None
    return LinearRecurrence(numbers, steps, fields, list(search.terms), search.factors)


@dataclass(frozen=True)
class Lagged:
    """``y[k] := a * y[k - 1] + b * y[k - 2] + u[k]``: a linear recurrence of elements."""

    number: int
    """The field that y is."""
    element: SSAValue
    reads: Mapping[SSAValue, int]
    """The elements that a step reads, and the number of steps since they were written."""
    place: int
    """The position of the written element in step 0."""
    form: LinearRecurrence

    @property
    def most(self) -> int:
        """The greatest number of steps since an element was written."""
        return max(self.reads.values())

    @property
    def first(self) -> int:
        """The number of steps before those that read no position below 0."""
        return max(self.most - self.place, 0)


def lagged_elements(op: phi.FoldOp, forms: IndexForms, later: Later) -> Iterator[Lagged]:
    """The fields of a fold that are vectors of elements that depend linearly on those before."""
    for number, step in enumerate(leaf_values(op.yielded())):
        if (found := _lagged(op, number, step, forms, later)) is not None:
            yield found


def _lagged(
    op: phi.FoldOp, number: int, step: SSAValue, forms: IndexForms, later: Later
) -> Lagged | None:
    write = last_write(step, op.body.block)
    if write is None or write.around or write.tests or phi.rank_of(write.base.type) != 1:
        return None
    before, reads, at = write.base, dict[SSAValue, int](), write.positions[0]
    place, size = forms.distance(at, op.counter), forms.size(before, 0)
    is_read = any(
        not isinstance(use.operation, phi.YieldOp | phi.TupleOp) for use in write.result.uses
    )
    if field_of(before, op.accumulator) != number or place is None or size is None or is_read:
        return None
    for reader in (use.operation for use in before.uses):
        if isinstance(reader, phi.GetOp) and reader.parent is op.body.block:
            reads[reader.result] = forms.distance(at, reader.positions[0]) or 0
        elif reader is not write.update and not isinstance(reader, phi.SizeOp):
            return None
    if not reads or not all(0 < lag <= MOST_FIELDS for lag in reads.values()):
        return None
    fields = {read: lag - 1 for read, lag in reads.items()}
    form = linear_recurrence(op, range(max(reads.values())), [write.update.value], fields, later)
    if form is None or not forms.is_in_step(at, size, write.update):
        return None
    is_own = dependents(op.body.block, op.accumulator).isdisjoint(form.terms)
    return Lagged(number, write.update.value, reads, place, form) if is_own else None


class _Search:
    """The walk from next values to previous ones."""

    def __init__(self, op: phi.FoldOp, fields: Iterable[SSAValue], later: Later):
        block = op.body.block
        self._later = later
        self._varying = dependents(block, *fields)
        self._changing = dependents(block, *block.args)
        self._fields = frozenset(fields)
        self.terms = dict[SSAValue, None]()
        self.factors = dict[SSAValue, int]()
        self._known = dict[SSAValue, bool]()

    def is_linear(self, value: SSAValue) -> bool:
        """Whether a value is a sum of terms and of multiples of fields."""
        if value not in self._known:
            self._known[value] = self._is_linear(value)
        return self._known[value]

    def _is_linear(self, value: SSAValue) -> bool:
        if value in self._fields:
            return True
        if value not in self._varying:
            self.terms[value] = None
            return True
        match value.owner:
            case arith.AddfOp() | arith.SubfOp() | arith.NegfOp() as op:
                return all(map(self.is_linear, op.operands))
            case arith.MulfOp() | arith.DivfOp() as op:
                return self._is_multiple(op)
            case arith.SelectOp() if value in self._later:
                return self.is_linear(self._later[value][0])
            case _:
                return False

    def _is_multiple(self, op: Operation) -> bool:
        """Whether an operation multiplies a value by a factor, or divides it by one."""
        is_first = isinstance(op, arith.MulfOp) and op.operands[0] not in self._varying
        self.factors[op.results[0]] = number = int(not is_first)
        return op.operands[number] not in self._changing and self.is_linear(op.operands[1 - number])
