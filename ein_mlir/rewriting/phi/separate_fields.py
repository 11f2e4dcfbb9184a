"""Fields of the accumulator of a fold that other operations take the place of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from xdsl.ir import Operation
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.phi.free_indices import FreeIndices, leaf_types
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence
from ein_mlir.dialects import phi
from ein_mlir.rewriting.phi.emission import Emitter
from ein_mlir.rewriting.phi.parts import Parts


def raise_fields(
    op: phi.FoldOp,
    fields: Iterable[int],
    raise_: Callable[[phi.FoldOp], bool],
    *known: FreeIndices | SizeEquivalence,
) -> None:
    """``fold (k < n, (x, y) = ..) { .. }  -->  (raised x, fold (k < n, y = ..) { .. })``

    ``fields`` are those to be tried, which depend on no other field; ``raise_`` puts something in
    the place of the fold of one of them, or returns False. ``known`` is told of what is built.
    """
    emitter = Emitter()
    parts = Parts(op, emitter.leaves(op.init))
    _insert(emitter.ops, op, known)
    found = dict[int, Operation]()
    for field in fields:
        *_, fold, record = ops = parts.fold_of([field]).ops
        assert isinstance(fold, phi.FoldOp)
        _insert(ops, op, known)
        if raise_(fold):
            found[field] = record
        else:
            _erase(ops)
    if found:
        _join(op, parts, found, known)
    else:
        _erase(emitter.ops)


def _join(
    op: phi.FoldOp,
    parts: Parts,
    records: Mapping[int, Operation],
    known: Sequence[FreeIndices | SizeEquivalence],
) -> None:
    """Replace a fold by its fields, some of which are those of records; the rest stays a fold."""
    values = {field: record.operands[0] for field, record in records.items()}
    _erase(list(records.values()))
    count = len(leaf_types(op.result.type))
    if rest := [field for field in range(count) if field not in values]:
        part = parts.fold_of(rest)
        _insert(part.ops, op, known)
        values.update(zip(rest, part.ops[-1].operands, strict=True))
    emitter = Emitter()
    result = emitter.record(op.result.type, (values[field] for field in range(count)))
    _insert(emitter.ops, op, known)
    for each in known:
        each.inherit(result, op.result)
    Rewriter.replace_op(op, (), (result,))


def _insert(
    ops: Sequence[Operation], before: Operation, known: Iterable[FreeIndices | SizeEquivalence]
) -> None:
    for new in ops:
        new.location = before.location
    Rewriter.insert_op(ops, InsertPoint.before(before))
    for each in known:
        each.add(*ops)


def _erase(ops: Sequence[Operation]) -> None:
    for op in reversed(ops):
        Rewriter.erase_op(op)
