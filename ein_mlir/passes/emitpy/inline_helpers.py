"""``inline-helpers``: loops contain the usual cases of helpers, and call them for others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol

from xdsl.dialects import func
from xdsl.dialects.builtin import TensorType, f32, f64
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.scopes import of_kinds, operations_in
from ein_mlir.dialects import emitpy, yarr
from ein_mlir.dialects.emitpy import OBJECT, literal_data
from ein_mlir.dialects.emitpy.base import is_array
from ein_mlir.rewriting.emitpy.parts import is_whole
from ein_mlir.rewriting.passes import FunctionPass


class _Build:
    """Inserts operations before a call."""

    def __init__(self, call: Operation):
        self._place = InsertPoint.before(call)

    def __call__(self, op: Operation) -> SSAValue:
        Rewriter.insert_op(op, self._place)
        return op.results[0]

    def number(self, value: int | None) -> SSAValue:
        """A literal."""
        return self(emitpy.LiteralOp(value))

    def binary(self, lhs: SSAValue, operator: str, rhs: SSAValue) -> SSAValue:
        """An operator on numbers."""
        return self(emitpy.BinaryOp(lhs, operator, rhs, OBJECT))

    def size(self, array: SSAValue, axis: SSAValue) -> SSAValue:
        """``a.shape[0]``"""
        shape = self(emitpy.AttrOp(array, "shape", OBJECT))
        return self(emitpy.SubscriptOp(shape, [axis], OBJECT))


class _Case(Protocol):
    """The condition of the usual case of a helper, and its result then; None if it has none."""

    def __call__(self, op: emitpy.HelperOp, build: _Build, /) -> tuple[SSAValue, SSAValue] | None:
        """The condition and the result of a call."""
        ...


def _filled(op: emitpy.HelperOp, build: _Build) -> tuple[SSAValue, SSAValue] | None:
    """``a if a.shape[0] else fill_empty(a, 0)``"""
    array, axis = op.positional
    return (build.size(array, axis), array) if array.type == op.results[0].type else None


def _sliced(op: emitpy.HelperOp, build: _Build) -> tuple[SSAValue, SSAValue] | None:
    """``a[p : p + n] if 0 <= p <= a.shape[0] - n else clipped_slice(a, 0, p, n, 1)``

    Parts of the condition that hold for literals are left out.
    """
    array, axis, start, size, step = op.positional
    number, first, count = literal_data(axis), literal_data(start), literal_data(size)
    if literal_data(step) != 1 or not isinstance(number, int):
        return None
    if isinstance(first, int) and first < 0:
        return None
    length = build.size(array, axis)
    if first == 0:
        within, stop, start = build.binary(size, "<=", length), size, build.number(None)
    elif isinstance(first, int) and isinstance(count, int):
        stop = build.number(first + count)
        within = build.binary(stop, "<=", length)
    else:
        within = build.binary(start, "<=", build.binary(length, "-", size))
        if first is None:
            is_positive = build.binary(build.number(0), "<=", start)
            within = build.binary(is_positive, "and", within)
        stop = build.binary(start, "+", size)
    indices = [build(emitpy.SliceOp()) for _ in range(number)]
    indices.append(build(emitpy.SliceOp(start, stop)))
    return within, build(emitpy.SubscriptOp(array, indices, op.results[0].type))


_CASES: Mapping[str, _Case] = {"np.fill_empty": _filled, "np.clipped_slice": _sliced}


def inline_helpers(function: func.FuncOp) -> None:
    """Choose the usual cases of helpers, and of extremes, in the steps of loops."""
    for op in _in_steps(function):
        if isinstance(op, emitpy.CallOp) and op.callee.data == "min":
            _inline_clip(op)
    for op in _in_steps(function):
        if isinstance(op, emitpy.HelperOp) and op.callee.data in _CASES:
            _inline_case(op)
        elif isinstance(op, emitpy.CallOp) and op.callee.data in ("max", "min"):
            _inline_extreme(op)
        elif isinstance(op, emitpy.BinaryOp) and op.operator.data == "@":
            _multiply(op)
    for op in _in_steps(function):
        if isinstance(op, emitpy.SubscriptOp):
            _merge_subscripts(op)


def _in_steps(function: func.FuncOp) -> Iterator[Operation]:
    """The operations in loops that do not run over blocks, and these loops, in order.

    Those that are erased in between are left out.
    """
    found = dict[Operation, None]()
    for op in of_kinds(operations_in(function), emitpy.ForOp):
        if op.step is None:
            found.update(dict.fromkeys(operations_in(op)))
    return (op for op in found if op.parent is not None)


def _inline_case(op: emitpy.HelperOp) -> None:
    build = _Build(op)
    case = _CASES[op.callee.data](op, build)
    if case is not None:
        call = build(op.clone())
        call.name_hint = None  # it is part of an expression
        _replace(op, emitpy.ConditionalOp(*case, call, call.type))


def _inline_clip(op: emitpy.CallOp) -> None:
    """``(0 if k < 0 else k) if k <= n else n`` for ``min(max(k, 0), n)``, an index of elements.

    There are some, so that n is at least 0. A position in bounds takes two comparisons.
    """
    is_index = all(
        isinstance(use.operation, emitpy.SubscriptOp) and use.index for use in op.results[0].uses
    )
    for low, high in (op.operands, op.operands[::-1]) if is_index and len(op.operands) == 2 else ():
        least = low.owner
        if isinstance(least, emitpy.CallOp) and least.callee.data == "max" and _is_at_zero(least):
            build, place = _Build(op), least.operands[0]
            is_below = build.binary(place, "<", zero := least.operands[1])
            inside = build(emitpy.ConditionalOp(is_below, zero, place, OBJECT))
            is_inside = build.binary(place, "<=", high)
            _replace(op, emitpy.ConditionalOp(is_inside, inside, high, op.results[0].type))
            if least.results[0].first_use is None:
                Rewriter.erase_op(least)
            return


def _is_at_zero(op: emitpy.CallOp) -> bool:
    """``max(k, 0)``"""
    return len(op.operands) == 2 and literal_data(op.operands[1]) == 0


def _inline_extreme(op: emitpy.CallOp) -> None:
    """``n if k > n else k`` for ``min(k, n)``: a call takes eight times as long."""
    if len(op.operands) == 2:
        x, y = op.operands
        compare = _Build(op).binary(x, ">" if op.callee.data == "min" else "<", y)
        _replace(op, emitpy.ConditionalOp(compare, y, x, op.results[0].type))


_WINDOWS, _PART = "np.strided", "np.clipped_slice"
"""The helpers whose results are views of an array that leave elements out, or repeat them."""


def _multiply(op: emitpy.BinaryOp) -> None:
    """``x.dot(y)`` for ``x @ y``, of vectors and matrices: the operator takes 500 ns longer.

    The method takes the rows of a matrix one by one if they are parts of longer ones, and copies
    windows, which are much larger than their array.
    """
    is_small = all(yarr.rank_of(each) in (1, 2) for each in op.operands)
    is_float = yarr.element_of(op.result) in (f32, f64)
    if is_small and is_float and all(map(_is_in_one_piece, op.operands)):
        _replace(op, emitpy.MethodOp(op.lhs, "dot", [op.rhs], op.result.type))


def _is_in_one_piece(array: SSAValue) -> bool:
    """Whether an array is a vector, or has its rows or columns one behind the other."""
    op, is_vector = array.owner, yarr.rank_of(array) == 1
    while isinstance(op, emitpy.SubscriptOp | emitpy.AttrOp | emitpy.MethodOp):
        if isinstance(op, emitpy.SubscriptOp) and not is_vector and _cuts_rows(op):
            return False
        op = op.operands[0].owner
    if isinstance(op, emitpy.ConditionalOp):
        return all(_is_in_one_piece(each) for each in op.operands[1:])
    if not isinstance(op, emitpy.HelperOp):
        return True
    return op.callee.data != _WINDOWS and (is_vector or op.callee.data != _PART)


def _cuts_rows(op: emitpy.SubscriptOp) -> bool:
    """Whether a part of an array leaves out elements along an axis behind the first."""
    return not all(map(is_whole, op.indices[1:]))


def _merge_subscripts(op: emitpy.SubscriptOp) -> None:
    """``a[k:, j]`` for ``a[:, j][k:]``, if the column has no other user."""
    inner = op.object.owner
    if (
        not isinstance(inner, emitpy.SubscriptOp)
        or not isa(inner.object.type, TensorType)
        or not inner.result.has_one_use()
        or inner.parent is not op.parent
        or any(map(is_array, (*inner.indices, *op.indices)))
    ):
        return
    rest, merged = list(op.indices), list[SSAValue]()
    for index in inner.indices:
        if not isinstance(index.owner, emitpy.SliceOp):
            if literal_data(index) is None and isinstance(index.owner, emitpy.LiteralOp):
                return
            merged.append(index)
        elif index.owner.bounds:
            return
        else:
            while (
                rest
                and isinstance(rest[0].owner, emitpy.LiteralOp)
                and literal_data(rest[0]) is None
            ):
                merged.append(rest.pop(0))
            merged.append(rest.pop(0) if rest else index)
    _replace(op, emitpy.SubscriptOp(inner.object, [*merged, *rest], op.result.type))
    Rewriter.erase_op(inner)


def _replace(op: Operation, new: Operation) -> None:
    new.results[0].name_hint = op.results[0].name_hint
    Rewriter.replace_op(op, new)


class InlineHelpersPass(FunctionPass):
    """Writes out the usual cases of helpers in loops, and calls the helpers for others.

    Before::

        for j in range(n):
            x = clipped_slice(a, 1, 0, j, 1)
            y = fill_empty(b, 1)[:, min(j, m)][j:]
            z = x @ y

    After::

        for j in range(n):
            x = a[:, :j] if j <= a.shape[1] else clipped_slice(a, 1, 0, j, 1)
            y = (b if b.shape[1] else fill_empty(b, 1))[j:, m if j > m else j]
            z = x.dot(y)

    in IR. A call of a helper takes up to ten times as long as the slice that it returns. Helpers of
    loops over blocks, and outside of loops, stay: they run seldom.
    """

    name = "inline-helpers"
    looks_for = (emitpy.ForOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        inline_helpers(function)
