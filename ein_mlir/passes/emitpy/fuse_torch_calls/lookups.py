"""Products with matrices that are looked up for each row."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from ein_mlir.dialects import emitpy
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.emitpy.fuse_torch_calls.matching import factors_of, rank


class ProductsAt(RewritePattern):
    """``sum_of_products("ikj,ik->ij", (w.index_select(0, p), x))``  -->
    ``products_at("ikj,ik->ij", w, p, x)``

    The helper multiplies all rows that have one matrix at once, if they are many.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: emitpy.HelperOp, rewriter: PatternRewriter) -> None:
        found = next(_lookups(op.result), None)
        if found is not None:
            text = rewriter.insert(emitpy.LiteralOp(found.subscripts)).result
            arguments = text, found.table, found.positions, found.factor
            rewriter.replace(op, emitpy.HelperOp("torch.products_at", arguments, op.result.type))


@dataclass(frozen=True)
class _Lookup:
    subscripts: str
    """``"ikj,ik->ij"``, with the axes of the matrices of rows first."""
    table: SSAValue
    positions: SSAValue
    factor: SSAValue


def _lookups(product: SSAValue) -> Iterator[_Lookup]:
    """The matrices that a contraction of two looks up for each row of the other factor."""
    for each in factors_of(product):
        term, (other, factor) = each.letters, each.other
        found, row = _looked_up(each.value), term[:1]
        is_row = row in other and row in each.output and len({*term}) == len(term)
        if found is not None and is_row and {*other} <= {*term}:
            yield _Lookup(f"{term},{other}->{each.output}", *found, factor)


def _looked_up(value: SSAValue) -> tuple[SSAValue, SSAValue] | None:
    """The ``(w, p)`` of ``w.index_select(0, p)`` for matrices, without other users."""
    op = value.owner
    if not isinstance(op, emitpy.MethodOp) or op.method.data != "index_select":
        return None
    axis, positions = op.positional
    is_first = emitpy.literal_data(axis) == 0 and value.has_one_use()
    return (op.receiver, positions) if is_first and rank(op.receiver) > 2 else None
