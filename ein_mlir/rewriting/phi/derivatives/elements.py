"""Elements of arrays that are computed from indices alone, such as unit vectors."""

from __future__ import annotations

from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence
from ein_mlir.analysis.scopes import operations_in
from ein_mlir.dialects import phi
from ein_mlir.rewriting.phi.builders import copied
from ein_mlir.rewriting.phi.insertion import Builder


def compute_elements(op: Operation, sizes: SizeEquivalence) -> None:
    """``fold (k < n) { (array (i < n) { e })[k] }  -->  fold (k < n) { e[i := k] }``

    where ``e`` is arithmetic only. Then passes see which elements are zero.
    """
    for get in operations_in(op):
        if isinstance(get, phi.GetOp) and (array := _arithmetic(get.array)) is not None:
            pairs = list(zip(get.positions, array.sizes, strict=False))
            if len(pairs) == len(array.sizes) and all(_is_index(*pair, sizes) for pair in pairs):
                _compute(get, array)


def _arithmetic(value: SSAValue) -> phi.ArrayOp | None:
    """The comprehension of an array whose elements are Floats that arithmetic computes."""
    op = value.owner
    if not isinstance(op, phi.ArrayOp) or isinstance(op.yielded().type, phi.VecType):
        return None
    body = [each for each in op.body.block.ops if not isinstance(each, phi.YieldOp)]
    return op if all(each.dialect_name() == "arith" for each in body) else None


def _is_index(position: SSAValue, size: SSAValue, sizes: SizeEquivalence) -> bool:
    """Whether a position is a variable of a loop of a size."""
    variable = phi.uncast(position)
    if not isinstance(variable, BlockArgument):
        return False
    loop = variable.owner.parent_op()
    if isinstance(loop, phi.ComprehensionOp):
        return sizes.same(loop.sizes[variable.index], size)
    return isinstance(loop, phi.FoldOp) and variable.index == 0 and sizes.same(loop.count, size)


def _compute(get: phi.GetOp, array: phi.ArrayOp) -> None:
    """Replace the read of an element by its computation."""
    known: dict[SSAValue, SSAValue] = dict(zip(array.indices, get.positions, strict=True))
    element = copied(Builder.before(get), array.body.block, [array.yielded()], known)
    Rewriter.replace_op(get, (), element)
