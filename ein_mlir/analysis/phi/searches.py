"""Folds and reductions that search for the smallest or the largest element.

A step of a search compares an element with the best one so far, and replaces that and all that is
remembered of it where the element is better::

    better = element < best
    best, at, ... = where(better, (element, k, ...), (best, at, ...))

Which of ties wins is the program's choice of ``<`` or ``<=``, and so is what becomes of NaN, which
no comparison holds of. A step of a reduction does the same with the right one of two elements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import TupleType
from xdsl.ir import SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.free_indices import leaf_types
from ein_mlir.analysis.scopes import dependents
from ein_mlir.dialects import phi

_INT_PREDICATES = {2: "<", 3: "<=", 4: ">", 5: ">="}
_FLOAT_PREDICATES = {4: "<", 5: "<=", 2: ">", 3: ">="}
"""The predicates of ``arith.cmpi`` (signed) and ``arith.cmpf`` (ordered) that search."""

_SWAPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}


@dataclass(frozen=True)
class Search:
    """A step of a search, with the fields of (nested) records counted over the flattened record."""

    predicate: str
    """How the element must compare with the best one so far: a key of ``SEARCHES``."""
    best: int
    """The field that holds the best element so far."""
    candidates: tuple[SSAValue, ...]
    """What each field becomes where the element is better; that of ``best`` is the element."""
    guards: tuple[SSAValue, ...]
    """What must hold beside the comparison."""


def fold_search(op: phi.FoldOp) -> Search | None:
    """The search that a fold is, if it is one."""
    varying = dependents(op.body.block, op.accumulator)
    found = _search(op.yielded(), lambda value: field_of(value, op.accumulator))
    if found is None or not varying.isdisjoint((*found.candidates, *found.guards)):
        return None
    return found


def reduction_search(op: phi.ReduceOp) -> Search | None:
    """The search that a reduction is, if it is one: of two elements, the left one is the best."""
    left, right = op.body.block.args
    found = _search(op.yielded(), lambda value: field_of(value, left))
    if found is None or found.guards:
        return None
    fields = [field_of(candidate, right) for candidate in found.candidates]
    return found if fields == list(range(len(fields))) else None


def leaf_values(value: SSAValue) -> list[SSAValue]:
    """The fields of a (nested) ``phi.tuple`` in order; a value that is none itself."""
    if not isinstance(value.owner, phi.TupleOp):
        return [value]
    return [leaf for field in value.owner.fields for leaf in leaf_values(field)]


def _search(step: SSAValue, field: Callable[[SSAValue], int | None]) -> Search | None:
    """The search that yields ``step``; ``field`` tells which field so far a value is, if any."""
    choices = [leaf.owner for leaf in leaf_values(step)]
    selects = [choice for choice in choices if isinstance(choice, arith.SelectOp)]
    if len(selects) != len(leaf_types(step.type)) or len({each.cond for each in selects}) != 1:
        return None
    negated = field(selects[0].lhs) == 0
    kept = [select.lhs if negated else select.rhs for select in selects]
    candidates = tuple(select.rhs if negated else select.lhs for select in selects)
    if [field(value) for value in kept] != list(range(len(kept))):
        return None
    conditions = _conjuncts(selects[0].cond)
    for condition in conditions:
        compared = _comparison(condition, field)
        if compared is not None:
            predicate, element, best = compared
            guards = tuple(other for other in conditions if other is not condition)
            if candidates[best] is not element or (negated and not _negates(condition, guards)):
                return None
            predicate = _NEGATED[predicate] if negated else predicate
            return Search(predicate, best, candidates, guards)
    return None


def _comparison(
    condition: SSAValue, field: Callable[[SSAValue], int | None]
) -> tuple[str, SSAValue, int] | None:
    """``element < best`` or ``best > element`` as (<, element, the field that is compared)."""
    op = condition.owner
    match op:
        case arith.CmpiOp():
            predicate = _INT_PREDICATES.get(op.predicate.value.data)
        case arith.CmpfOp():
            predicate = _FLOAT_PREDICATES.get(op.predicate.value.data)
        case _:
            return None
    if predicate is None:
        return None
    if (best := field(op.rhs)) is not None:
        return predicate, op.lhs, best
    if (best := field(op.lhs)) is not None:
        return _SWAPPED[predicate], op.rhs, best
    return None


def _negates(condition: SSAValue, guards: Sequence[SSAValue]) -> bool:
    """Whether what does not hold is another comparison: it is of Ints, alone; NaN has none."""
    return isinstance(condition.owner, arith.CmpiOp) and not guards


def _conjuncts(condition: SSAValue) -> list[SSAValue]:
    """What must hold for a condition to hold."""
    if isinstance(condition.owner, arith.AndIOp):
        return [part for side in condition.owner.operands for part in _conjuncts(side)]
    return [condition]


def field_of(value: SSAValue, record: SSAValue) -> int | None:
    """Which field of a flattened record a value is; 0 for the record itself if it is a scalar."""
    start = 0
    while value is not record:
        if not isinstance(value.owner, phi.ProjOp):
            return None
        projection, value = value.owner, value.owner.record
        assert isa(value.type, TupleType)
        before = value.type.types.data[: projection.field.value.data]
        start += sum(len(leaf_types(field)) for field in before)
    return start
