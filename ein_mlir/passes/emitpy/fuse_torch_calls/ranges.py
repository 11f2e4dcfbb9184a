"""Affine ranges: arrays of equidistant numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from xdsl.dialects.builtin import TensorType, f64, i64
from xdsl.ir import Operation, SSAValue, Use
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from ein_mlir.analysis.arithmetic import LinearForm, value_of_form
from ein_mlir.analysis.hints import isa
from ein_mlir.dialects import emitpy
from ein_mlir.dialects.emitpy import OBJECT
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.emitpy.fuse_torch_calls.matching import rank

HELPER = "torch.affine_range"

MOST_STEPS = 4
"""The maximal depth of operations through which a range with several uses is followed."""


class AffineRange(RewritePattern):
    """``n - torch.arange(m)  -->  affine_range(n, -1, m, ..)``

    Also for sums and differences that read a range several times, if it has no other user.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: emitpy.BinaryOp, rewriter: PatternRewriter) -> None:
        found = _affine(op.result, MOST_STEPS)
        if found is None or found.source is None or not found.step or not _is_all(found, op):
            return
        arguments = (
            value_of_form(found.start, _PythonInts(rewriter), lambda term: term),
            rewriter.insert(emitpy.LiteralOp(found.step)).result,
            found.source.size,
            rewriter.insert(emitpy.NameOp("torch.int64")).result,
            found.source.device or rewriter.insert(emitpy.LiteralOp(None)).result,
        )
        rewriter.replace(op, emitpy.HelperOp(HELPER, arguments, op.result.type))


class FloatRange(RewritePattern):
    """``torch.arange(n).to(torch.float64)  -->  torch.arange(n, dtype=torch.float64)``

    The same for ``affine_range``. No array is long enough for its positions to be rounded.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: emitpy.MethodOp, rewriter: PatternRewriter) -> None:
        source = _source(op.receiver)
        if (
            op.method.data != "to"
            or source is None
            or not op.receiver.has_one_use()
            or not isa(op.result.type, TensorType)
            or op.result.type.element_type != f64
        ):
            return
        name = rewriter.insert(emitpy.NameOp("torch.float64")).result
        if isinstance(source.op, emitpy.HelperOp):
            arguments = [*source.op.positional]
            arguments[3] = name
            rewriter.replace(op, emitpy.HelperOp(HELPER, arguments, op.result.type))
            return
        keywords = {"dtype": name, **source.op.keyword_arguments}
        call = emitpy.CallOp("torch.arange", source.op.positional, op.result.type, keywords)
        rewriter.replace(op, call)


@dataclass(frozen=True)
class _Source:
    """A range: the operation that computes it, its size, and its device."""

    op: emitpy.CallOp | emitpy.HelperOp
    size: SSAValue
    device: SSAValue | None


@dataclass(frozen=True)
class _Affine:
    """Numbers ``start + step * k``. No range, no ``k``."""

    source: _Source | None
    start: LinearForm
    step: int
    operations: frozenset[Operation] = frozenset()

    def plus(self, factor: int, other: _Affine) -> _Affine | None:
        """The sum with a multiple of other numbers, unless their ranges differ."""
        sources = [s for s in (self.source, other.source) if s is not None]
        if len({source.op for source in sources}) > 1:
            return None
        start, step = self.start + other.start * factor, self.step + factor * other.step
        return _Affine(sources[0], start, step, self.operations | other.operations)


def _source(value: SSAValue) -> _Source | None:
    """The parts of ``torch.arange(n, device=device)`` and of ``affine_range``, in 64 bits."""
    op = value.owner
    if not isa(value.type, TensorType) or value.type.element_type != i64:
        return None
    if isinstance(op, emitpy.HelperOp) and op.callee.data == HELPER:
        return _Source(op, op.positional[2], op.positional[4])
    if (
        isinstance(op, emitpy.CallOp)
        and op.callee.data == "torch.arange"
        and len(op.positional) == 1
        and op.keyword_arguments.keys() <= {"device"}
    ):
        return _Source(op, op.positional[0], op.keyword_arguments.get("device"))
    return None


def _affine(value: SSAValue, steps: int) -> _Affine | None:
    """The affine form of a number or an array of Ints along one axis; None if there is none."""
    if value.type == OBJECT:
        return _Affine(None, LinearForm.of(value), 0)
    source, op = _source(value), value.owner
    if source is not None and isinstance(source.op, emitpy.HelperOp):
        start, step = source.op.positional[:2]
        assert isinstance(step.owner, emitpy.LiteralOp)
        assert isinstance(step.owner.data, int)
        return _Affine(source, LinearForm.of(start), step.owner.data, frozenset((source.op,)))
    if source is not None:
        return _Affine(source, LinearForm(), 1, frozenset((source.op,)))
    if (
        not steps
        or not isinstance(op, emitpy.BinaryOp)
        or op.operator.data not in ("+", "-")
        or rank(value) != 1
    ):
        return None
    lhs, rhs = (_affine(operand, steps - 1) for operand in op.operands)
    if lhs is None or rhs is None or lhs.source is rhs.source is None:
        return None
    sum_ = lhs.plus(1 if op.operator.data == "+" else -1, rhs)
    if sum_ is None:
        return None
    return replace(sum_, operations=sum_.operations | {op})


def _is_all(found: _Affine, op: Operation) -> bool:
    """Whether the operations that compute numbers are used only for the result of one operation."""
    return all(
        use.operation in found.operations
        for inner in found.operations
        if inner is not op
        for use in _uses(inner)
    )


def _uses(op: Operation) -> Iterator[Use]:
    for result in op.results:
        yield from result.uses


@dataclass(frozen=True)
class _PythonInts:
    """Builds arithmetic on numbers of Python."""

    rewriter: PatternRewriter

    def integer(self, number: int) -> SSAValue:
        return self.rewriter.insert(emitpy.LiteralOp(number)).result

    def combined(self, lhs: SSAValue, symbol: str, rhs: SSAValue) -> SSAValue:
        return self.rewriter.insert(emitpy.BinaryOp(lhs, symbol, rhs, OBJECT)).result

    def negated(self, operand: SSAValue) -> SSAValue:
        return self.rewriter.insert(emitpy.UnaryOp("-", operand, OBJECT)).result
