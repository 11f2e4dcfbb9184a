"""Reductions of records whose fields do not depend on each other."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from ein_mlir.analysis.phi.free_indices import leaf_types
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.searches import field_of, leaf_values
from ein_mlir.dialects import phi
from ein_mlir.rewriting.phi.insertion import Emitter


def reductions_of_fields(
    op: phi.ReduceOp, components: Sequence[Sequence[int]]
) -> tuple[list[Operation], list[phi.ReduceOp]]:
    """``reduce (x, y) by { (f(a), g(b)) }  -->  (reduce x by { f(a) }, reduce y by { g(b) })``

    The operations that replace a reduction of a comprehension, and the reductions among them.
    """
    emitter, reductions = Emitter(), list[phi.ReduceOp]()
    columns, identities = emitter.leaves(op.vec), emitter.leaves(op.identity)
    found = dict[int, SSAValue]()
    for fields in components:
        vec = emitter.packed([columns[k] for k in fields])
        identity = emitter.packed([identities[k] for k in fields])
        part = phi.ReduceOp(vec, identity, Region(_body(op, fields, identity.type)))
        part.result.name_hint = op.result.name_hint
        reductions.append(part)
        found.update(zip(fields, emitter.leaves(emitter.emit(part)), strict=True))
    emitter.record(op.result.type, (found[k] for k in range(len(found))))
    return emitter.ops, reductions


def _body(op: phi.ReduceOp, fields: Sequence[int], type_: Attribute) -> Block:
    """The operations of the body that some fields depend on, for records of these."""
    body, emitter = Block(arg_types=(type_, type_)), Emitter()
    known = dict[SSAValue, SSAValue]()
    scalars = dict[tuple[SSAValue, int], SSAValue]()
    for old, new in zip(op.body.block.args, body.args, strict=True):
        new.name_hint = old.name_hint
        for field, value in zip(fields, emitter.leaves(new), strict=True):
            scalars[old, field] = value
    steps = [leaf_values(op.yielded())[k] for k in fields]
    assert len(steps) == len(leaf_types(type_))
    for inner in slice_of(op.body.block, steps):
        result = inner.results[0]
        places = [(arg, field_of(result, arg)) for arg in op.body.block.args]
        place = next(((arg, field) for arg, field in places if field is not None), None)
        if place is None:
            emitter.copy(inner, known)
        elif place in scalars:
            known[result] = scalars[place]
    results = [known.get(step, step) for step in steps]
    result = emitter.packed(results)
    body.add_ops((*emitter.ops, phi.YieldOp(result)))
    return body
