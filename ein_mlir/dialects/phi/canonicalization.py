"""Canonicalisation of ``phi``: each rewrite documents the law that justifies it.

Every rewrite makes the program smaller, or the chain of indexings that leads to a value shorter, so
rewriting ends. None changes the value of a program that runs to completion. An error may be removed
with an unused value: an assertion, a negative size or a mismatch in dead code is not reported. No
rewrite replaces an error by a wrong value.
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, TupleType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint
from xdsl.traits import ConstantLike

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.scopes import is_defined_in, is_within
from ein_mlir.dialects.phi import operations as phi
from ein_mlir.dialects.phi.integers import is_size

# Records ----------------------------------------------------------------------------------------


class ProjOfTuple(RewritePattern):
    """``proj(tuple(x0, .., xn), k)  -->  xk``."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: phi.ProjOp, rewriter: PatternRewriter) -> None:
        record = op.record.owner
        if isinstance(record, phi.TupleOp):
            rewriter.replace(op, (), (record.fields[op.field.value.data],))


class TupleOfProj(RewritePattern):
    """``tuple(proj(t, 0), .., proj(t, n))  -->  t`` where ``t`` has these fields and no more."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: phi.TupleOp, rewriter: PatternRewriter) -> None:
        if not op.fields or not isinstance(first := op.fields[0].owner, phi.ProjOp):
            return
        record = first.record
        if record.type == op.result.type and all(
            isinstance(proj := field.owner, phi.ProjOp)
            and proj.record is record
            and proj.field.value.data == k
            for k, field in enumerate(op.fields)
        ):
            rewriter.replace(op, (), (record,))


# Arrays -----------------------------------------------------------------------------------------


class GetOfGet(RewritePattern):
    """``get(get(a, p), q)  -->  get(a, p ++ q)``."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: phi.GetOp, rewriter: PatternRewriter) -> None:
        if isinstance(outer := op.array.owner, phi.GetOp):
            rewriter.replace(op, phi.GetOp(outer.array, (*outer.positions, *op.positions)))


class ArrayOfArray(RewritePattern):
    """``array(i < n) { array(j < m) { e } }  -->  array(i < n, j < m) { e }``.

    ``m`` is defined outside of the body, whose other operations read elements or are cheap
    arithmetic, such as a test of ``i``: passes find them in one body, and loops do them once.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: phi.ArrayOp, rewriter: PatternRewriter) -> None:
        inner = op.yielded().owner
        block = op.body.block
        if not isinstance(inner, phi.ArrayOp) or inner.parent is not block:
            return
        others = [each for each in block.ops if each not in (inner, block.last_op)]
        if not all(map(_is_cheap, others)) or any(is_within(n, op) for n in inner.sizes):
            return
        sizes = (*op.sizes, *inner.sizes)
        indices = (*op.indices, *inner.indices)
        merged = Block(arg_types=[index.type for index in indices])
        for old, new in zip(indices, merged.args, strict=True):
            new.name_hint = old.name_hint
        outer_indices = merged.args[: len(op.indices)]
        for old, new in zip(op.indices, outer_indices, strict=True):
            rewriter.replace_all_uses_with(old, new)
        for each in others:
            each.detach()
            merged.add_op(each)
        rewriter.inline_block(
            inner.body.block, InsertPoint.at_end(merged), merged.args[len(op.indices) :]
        )
        rewriter.replace(op, phi.ArrayOp(sizes, Region(merged), op.result.type))


def _is_cheap(op: Operation) -> bool:
    """Whether an operation costs no more than to read its result."""
    return isinstance(op, phi.GetOp) or (op.dialect_name() == "arith" and not op.regions)


class ArrayOfGet(RewritePattern):
    """``array(i < size_0 a, j < size_1 a) { a[i, j] }  -->  a``, for any number of indices.

    The sizes may also be the operands of the comprehension ``a``, and a position may be a cast
    index.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: phi.ArrayOp, rewriter: PatternRewriter) -> None:
        get = op.yielded().owner
        if not isinstance(get, phi.GetOp) or is_defined_in(get.array, op.body.block):
            return
        if get.is_at(op.indices) and all(
            _is_size(size, get.array, axis) for axis, size in enumerate(op.sizes)
        ):
            rewriter.replace(op, (), (get.array,))


class ArrayOfReadFields(RewritePattern):
    """``proj(array { (x, y, z) }, 2)  -->  array { z }``, if only some fields are read."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: phi.ArrayOp, rewriter: PatternRewriter) -> None:
        record, type_ = op.yielded().owner, op.result.type
        if not isinstance(record, phi.TupleOp) or not isinstance(type_, TupleType):
            return
        users = [use.operation for use in op.result.uses]
        reads = [user for user in users if isinstance(user, phi.ProjOp)]
        read = sorted({each.field.value.data for each in reads})
        if not read or len(reads) < len(users) or len(read) == len(record.fields):
            return
        last = op.body.block.last_op
        assert last is not None
        value, types = record.fields[read[0]], [type_.types.data[field] for field in read]
        if len(read) > 1:
            fields = phi.TupleOp([record.fields[field] for field in read])
            value = rewriter.insert(fields, InsertPoint.before(last)).result
        rewriter.replace(last, phi.YieldOp(value))
        whole = types[0] if len(read) == 1 else TupleType(tuple(types))
        new = phi.ArrayOp(op.sizes, op.detach_region(op.body), whole)
        rewriter.insert(new, InsertPoint.before(op))
        for each in reads:
            if len(read) == 1:
                rewriter.replace(each, (), (new.result,))
            else:
                rewriter.replace(each, phi.ProjOp(new.result, read.index(each.field.value.data)))
        rewriter.erase(op)


class GetOfPositions(RewritePattern):
    """``array(i < n) { i }[j]  -->  j`` for an index ``j`` below ``n``."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: phi.GetOp, rewriter: PatternRewriter) -> None:
        array, own = op.array.owner, phi.uncast(op.positions[0])
        if not isinstance(array, phi.ArrayOp) or not isinstance(own.type, IndexType):
            return
        element, sizes = array.yielded(), list(array.sizes)
        is_position = phi.uncast(element) is array.indices[0] and sizes == [phi.size_of_index(own)]
        if is_position and element.type == op.result.type:
            rewriter.replace(op, arith.IndexCastOp(own, element.type))


def _is_size(value: SSAValue, array: SSAValue, axis: int) -> bool:
    """Whether a value is the size of an array, by the array or by the operation that defines it."""
    own = phi.Term(array, (), axis)
    return any(_is_term(value, term) for term in (own, _size_given(own)) if term is not None)


def _is_term(value: SSAValue, term: phi.Term) -> bool:
    if term.axis is None:
        return value is term.value
    size = value.owner
    return (
        isinstance(size, phi.SizeOp)
        and size.array is term.value
        and size.axis.value.data == term.axis
    )


class ElementsInOrder(RewritePattern):
    """``v[argsort(v)[p]]  -->  sort(v)[p]`` where the order has no other use.

    For the order of ``-v``, from the largest element on, that is ``-sort(-v)[p]``. A position out
    of bounds is that of the last element in both.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: phi.ArgsortOp, rewriter: PatternRewriter) -> None:
        positions = [use.operation for use in op.result.uses]
        if not all(isinstance(each, phi.GetOp) for each in positions):
            return
        elements = [use.operation for each in positions for use in each.results[0].uses]
        is_negated = not all(_is_element_at(op.vec, each) for each in elements)
        if not elements or (
            is_negated and not all(_is_negated_element_at(op.vec, each) for each in elements)
        ):
            return
        in_order = phi.SortOp(op.vec)
        rewriter.insert(in_order, InsertPoint.before(op))
        for each in elements:
            position = phi.uncast(each.operands[-1]).owner
            assert isinstance(position, phi.GetOp)
            element = phi.GetOp(in_order, position.positions)
            rewriter.replace(each, [element, *_negation(element.result)] if is_negated else element)


def _is_element_at(vec: SSAValue, op: Operation) -> bool:
    """Whether an operation reads an element of a vector, at a position read from another one."""
    if not isinstance(op, phi.GetOp) or not isinstance(op.positions[-1].owner, phi.GetOp):
        return False
    row = vec.owner
    if isinstance(row, phi.GetOp) and op.array is row.array:
        return list(op.positions[:-1]) == list(row.positions)
    return op.array is vec and len(op.positions) == 1


def _is_negated_element_at(vec: SSAValue, op: Operation) -> bool:
    """The same for a vector of all ``-a[.., i]``: whether the operation reads ``a[.., p]``."""
    if not isinstance(op, phi.GetOp) or not isinstance(op.positions[-1].owner, phi.GetOp):
        return False
    if not isinstance(array := vec.owner, phi.ArrayOp) or len(array.sizes) > 1:
        return False
    element = _negated(array.yielded())
    if element is None or not isinstance(own := element.owner, phi.GetOp):
        return False
    *row, last = own.positions
    return (
        own.array is op.array
        and row == list(op.positions[:-1])
        and phi.uncast(last) is array.indices[0]
        and _is_size(array.sizes[0], own.array, len(row))
    )


def _negated(value: SSAValue) -> SSAValue | None:
    """The number x of ``-x``."""
    match value.owner:
        case arith.NegfOp() as op:
            return op.operand
        case arith.SubiOp() as op if known_int(op.lhs) == 0:
            return op.rhs
        case _:
            return None


def _negation(value: SSAValue) -> list[Operation]:
    if not isa(value.type, IntegerType):
        return [arith.NegfOp(value)]
    zero = arith.ConstantOp(IntegerAttr(0, value.type))
    return [zero, arith.SubiOp(zero, value)]


class ConcatOfEmpty(RewritePattern):
    """``concat(a, array(i < 0) { e })  -->  a``, and so before ``a``, if ``e`` is a scalar.

    ``concat(..) of n`` has the size n, so ``a`` must have it by its own definition. Parts of arrays
    are empty where constants decide: the elements beyond the last block of ``2 ** k`` elements.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: phi.ConcatOp, rewriter: PatternRewriter) -> None:
        if op.may_fail():
            return
        for part, other in ((op.rhs, op.lhs), (op.lhs, op.rhs)):
            size = _size_given(phi.Term(part, (), 0))
            if size is None or size.axis is not None or known_int(size.value) != 0:
                continue
            if op.size is None or _size_given(phi.Term(other, (), 0)) == phi.Term(op.size):
                rewriter.replace(op, (), (other,))
                return


# Sizes ------------------------------------------------------------------------------------------


class SizeOfResult(RewritePattern):
    """``size_k f(..)  -->  size_m x`` or ``n`` if ``f`` defines it (`PhiOp.size_of_result`).

    The array ``x`` is not defined in the body of ``f``, and the Int ``n`` is non-negative::

        size_k get(a, p0, .., pm)             -->  size_{k+m+1} a
        size_k array(i0 < n0, ..) { e }       -->  nk
        size_k proj(array(i0 < n0, ..) { e }, f)  -->  nk
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: phi.SizeOp, rewriter: PatternRewriter) -> None:
        size = _size_given(phi.Term(op.array, (), op.axis.value.data))
        if size is None:
            return
        if size.axis is not None:
            rewriter.replace(op, phi.SizeOp(size.value, size.axis))
        elif is_size(size.value):
            rewriter.replace(op, (), (size.value,))


def _size_given(size: phi.Term) -> phi.Term | None:
    """The equal of a size, as the operation that defines the array or its record gives it."""
    while (given := size.source) is not None:
        if is_within(given.value, phi.PhiOp.of(size.value)):
            return None
        if not given.path:
            return given
        size = given
    return None


class SizeOfConcat(RewritePattern):
    """``size_0 concat(a, b)  -->  size_0 a + size_0 b``; ``size_0 concat(a, b of n)  -->  n``.

    A concatenation of which only sizes are used becomes dead code. Unequal sizes of its elements
    are then not reported, as for any unused concatenation.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: phi.SizeOp, rewriter: PatternRewriter) -> None:
        if not isinstance(concat := op.array.owner, phi.ConcatOp) or op.axis.value.data > 0:
            return
        if concat.size is not None:
            rewriter.replace(op, (), (concat.size,))
            return
        lhs, rhs = phi.SizeOp(concat.lhs, 0), phi.SizeOp(concat.rhs, 0)
        rewriter.replace(op, (lhs, rhs, arith.AddiOp(lhs, rhs)))


class AssertEqOfSame(RewritePattern):
    """``assert x = x  -->  x``, also for equal constants."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: phi.AssertEqOp, rewriter: PatternRewriter) -> None:
        constant = ConstantLike.get_constant_value(op.lhs)
        if op.lhs is op.rhs or (
            constant is not None and constant == ConstantLike.get_constant_value(op.rhs)
        ):
            rewriter.replace(op, (), (op.lhs,))


# Folds ------------------------------------------------------------------------------------------


class FoldOfNothing(RewritePattern):
    """``fold(k < 0, x = a) { e }  -->  a``."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: phi.FoldOp, rewriter: PatternRewriter) -> None:
        if known_int(op.count) == 0:
            rewriter.replace(op, (), (op.init,))


class FoldOfAccumulator(RewritePattern):
    """``fold(k < n, x = a) { x }  -->  a`` where n is non-negative."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: phi.FoldOp, rewriter: PatternRewriter) -> None:
        if op.yielded() is op.accumulator and is_size(op.count):
            rewriter.replace(op, (), (op.init,))


PATTERNS: dict[type[Operation], tuple[RewritePattern, ...]] = {
    phi.ArrayOp: (ArrayOfArray(), ArrayOfGet(), ArrayOfReadFields()),
    phi.ArgsortOp: (ElementsInOrder(),),
    phi.AssertEqOp: (AssertEqOfSame(),),
    phi.ConcatOp: (ConcatOfEmpty(),),
    phi.FoldOp: (FoldOfNothing(), FoldOfAccumulator()),
    phi.GetOp: (GetOfGet(), GetOfPositions()),
    phi.ProjOp: (ProjOfTuple(),),
    phi.SizeOp: (SizeOfResult(), SizeOfConcat()),
    phi.TupleOp: (TupleOfProj(),),
}
"""The rewrites of each operation that has the canonicalisation trait."""
