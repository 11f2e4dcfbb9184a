"""Independent fields of an accumulator.

``fold (k < n, (x, y) = init) { (x + a[k], y + b[k]) }`` is two folds in one. The fields of the
(nested) record are nodes of a graph, with an edge where the step of one reads the other; fields
that no path joins are independent of each other.
"""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import TupleType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.utils.disjoint_set import IntDisjointSet

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.free_indices import leaf_types
from ein_mlir.analysis.phi.searches import field_of, leaf_values
from ein_mlir.analysis.scopes import operands_within
from ein_mlir.dialects import phi


def fold_components(op: phi.FoldOp) -> list[list[int]]:
    """The fields of the accumulator, in groups that are independent of each other.

    There is one group if the step uses a record as a whole. Fields are numbered over the flattened
    record.
    """
    return _components(op.yielded(), fields_read(op))


def reduction_components(op: phi.ReduceOp) -> list[list[int]]:
    """The same for the fields that a reduction combines."""
    return _components(op.yielded(), _fields_read(op.body.block, op.body.block.args))


def _components(step: SSAValue, read: Mapping[SSAValue, frozenset[int]] | None) -> list[list[int]]:
    count, steps = len(leaf_types(step.type)), leaf_values(step)
    if read is None or len(steps) != count:
        return [list(range(count))]
    joined = IntDisjointSet(size=count)
    for field, value in enumerate(steps):
        for other in read.get(value, ()):
            joined.union(field, other)
    groups = defaultdict[int, list[int]](list)
    for field in range(count):
        groups[joined[field]].append(field)
    return list(groups.values())


def separate_fields(op: phi.FoldOp, *kinds: type[Operation]) -> list[list[int]]:
    """The independent single fields whose steps are operations of some kinds."""
    steps = leaf_values(op.yielded())
    return [
        group
        for group in fold_components(op)
        if len(group) == 1 and isinstance(steps[group[0]].owner, kinds)
    ]


def fields_read(op: phi.FoldOp | phi.WhileOp) -> dict[SSAValue, frozenset[int]] | None:
    """The fields that each value of the body depends on; None if a record is used as a whole."""
    return _fields_read(op.body.block, [op.accumulator])


_NONE = frozenset[int]()


def _fields_read(
    block: Block, variables: Sequence[SSAValue]
) -> dict[SSAValue, frozenset[int]] | None:
    """The fields of some variables that each value of a body depends on."""
    read = dict[SSAValue, frozenset[int]]()
    for variable in variables:
        if not isa(variable.type, TupleType):
            read[variable] = frozenset((0,))
    records: dict[SSAValue, SSAValue] = {each: each for each in variables}
    for inner in block.ops:
        operands = set(operands_within(inner)) if inner.regions else inner._operands
        if isinstance(inner, phi.ProjOp) and inner.record in records:
            variable = records[inner.record]
            if isa(inner.result.type, TupleType):
                records[inner.result] = variable
            else:
                field = field_of(inner.result, variable)
                assert field is not None
                read[inner.result] = frozenset((field,))
            continue
        whole = () if records.keys().isdisjoint(operands) else records.keys() & set(operands)
        if any(isa(each.type, TupleType) for each in whole):
            return None
        fields = _NONE.union(*[read[operand] for operand in operands if operand in read])
        read.update(dict.fromkeys(inner.results, fields))
    return read
