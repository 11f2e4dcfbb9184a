"""``hoist-invariants``: loop-invariant values are computed before the loop."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from functools import cached_property
from itertools import zip_longest

from xdsl.dialects import func
from xdsl.dialects.builtin import AnyFloat, TensorType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.disjoint_set import DisjointSet

from ein_mlir.analysis.emitpy.asserted_sizes import AssertedSizes, Pair, tested_by
from ein_mlir.analysis.emitpy.shapes import PythonShapes, Size
from ein_mlir.analysis.emitpy.shared_memory import Memory, memory_of
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.manager import AnalysisManager, classes_of
from ein_mlir.analysis.scopes import captured, is_defined_in, is_within, operations_in
from ein_mlir.backends.forms import Division, Helper
from ein_mlir.backends.numpy.tables import DTYPES, TABLES
from ein_mlir.backends.torch.tables import TABLES as TORCH_TABLES
from ein_mlir.dialects import emitpy
from ein_mlir.dialects.creation import copy_of
from ein_mlir.dialects.emitpy import literal_data
from ein_mlir.rewriting.emitpy.calls import WRITES, is_by_element, is_elementwise, shapes_of
from ein_mlir.rewriting.emitpy.reuse import reads_shape
from ein_mlir.rewriting.passes import FunctionPass

_ATOMS = (emitpy.LiteralOp, emitpy.NameOp, emitpy.SliceOp, emitpy.TupleOp)
"""Expressions that are repeated where they are used."""

_HELPERS = frozenset(
    (
        *("np.block_length", "np.fill_empty", "np.segment_numbers"),
        *("torch.fill_empty", "torch.segment_numbers", "torch.wrapped"),
    )
)
"""Helpers that raise no error."""

_HELPERS_BY_ELEMENT = frozenset(
    (form.helper if isinstance(form, Division) else form).function
    for tables in (TABLES, TORCH_TABLES)
    for forms in (tables.scalars, tables.comparisons)
    for form in forms.values()
    if isinstance(form, Division | Helper)
)
"""Helpers that compute each element of their result from those of arrays."""

_VIEWS = (".clipped_slice", ".strided")
"""Helpers whose results are views where positions are in bounds."""

_AXES_OF_FILLED = {"np.fill_empty": 1, "np.scan": 3, "torch.fill_empty": 1, "torch.scan": 3}
"""Helpers whose results have an element along an axis, and the place of that among operands."""

_METHODS = frozenset(
    ("all", "any", "astype", "clamp", "permute", "prod", "sum", "swapaxes", "to", "view")
)
"""Methods that raise no error."""

_INT_OPERATORS = frozenset(("+", "-", "*", "==", "!=", "<", "<=", ">", ">="))
"""Operators that raise no error for any numbers of Python."""


def hoist_invariants(function: func.FuncOp, memory: Memory, shapes: PythonShapes) -> None:
    """Move the invariant operations out of the loops of a function, inner loops first."""
    loops = [op for op in operations_in(function) if isinstance(op, emitpy.ForOp)]
    asserted, changing = AssertedSizes(function, shapes), _changing(function, memory)
    for loop in reversed(loops):
        if loop.is_condition:
            continue
        tested = asserted.not_negative(loop)
        safety = _Safety(loop, changing, _Shapes(shapes, asserted.before(loop)), tested)
        invariants = _invariants(loop, safety)
        _hoist(loop, invariants)
        checks = _first_checks(loop, safety)
        pairs = [pair for check in checks for pair in asserted.compared(check)]
        if checks:
            wider = _Shapes(shapes, [*asserted.before(loop), *pairs])
            tested = [*tested, *(size for check in checks for size in tested_by(check))]
            invariants = _invariants(loop, _Safety(loop, changing, wider, tested, checks))
            if any(isa(op.results[0].type, TensorType) for op in invariants):
                _guard(loop)
                for check in checks:
                    check.detach()
                    Rewriter.insert_op(check, InsertPoint.before(loop))
                _hoist(loop, invariants)


def _first_checks(loop: emitpy.ForOp, safety: _Safety) -> list[emitpy.RaiseIfOp]:
    """The invariant checks of a loop that runs often which are the first to raise an error."""
    checks = list[emitpy.RaiseIfOp]()
    if loop.step is not None or loop.conditional is not None:
        return checks
    for op in loop.body.block.ops:
        if isinstance(op, emitpy.RaiseIfOp):
            if any(is_defined_in(value, loop.body.block) for value in op.operands):
                break
            checks.append(op)
        elif not safety.can_move(op):
            break
    return checks


def _guard(loop: emitpy.ForOp) -> None:
    """Put a loop into one that runs once, if the loop runs at all."""
    one = emitpy.LiteralOp(1)
    once = emitpy.CallOp("min", (loop.count, one), emitpy.OBJECT)
    body = Block(arg_types=[emitpy.OBJECT, *(init.type for init in loop.inits)])
    guard = emitpy.ForOp(once, loop.inits, Region(body))
    Rewriter.insert_op([one, once, guard], InsertPoint.before(loop))
    guard.location = loop.location
    for old, new in zip(loop.res, guard.res, strict=True):
        old.replace_all_uses_with(new)
        new.name_hint = old.name_hint
    for index, accumulator in enumerate(body.args[1:]):
        accumulator.name_hint = loop.accumulators[index].name_hint
        loop.operands[1 + index] = accumulator
    loop.detach()
    body.add_ops([loop, emitpy.YieldOp(*loop.res)])


def _changing(function: func.FuncOp, memory: Memory) -> set[SSAValue]:
    """The values that are overwritten, or may be: initial values of loops."""
    changing = set[SSAValue]()
    for op in operations_in(function):
        if isinstance(op, WRITES):
            changing |= memory.roots(op.target)
        elif isinstance(op, emitpy.ForOp):
            for init in op.inits:
                changing |= memory.roots(init)
    return changing


def _invariants(loop: emitpy.ForOp, safety: _Safety) -> list[Operation]:
    """The operations of a body, and of the branches in it, that may leave the loop."""
    invariant, found = set[SSAValue](), list[Operation]()
    for op in _with_branches(loop.body.block):
        is_invariant = all(v in invariant or not is_within(v, loop) for v in op.operands)
        if is_invariant and safety.can_move(op):
            invariant.update(op.results)
            found.append(op)
    return found


def _with_branches(block: Block) -> Iterator[Operation]:
    """The operations of a block and of the loops in it that run once or not."""
    for op in block.ops:
        yield op
        if isinstance(op, emitpy.ForOp) and op.is_condition:
            yield from _with_branches(op.body.block)


def _hoist(loop: emitpy.ForOp, candidates: Sequence[Operation]) -> None:
    needed = set[Operation]()
    for op in reversed(candidates):
        if _is_worthwhile(op) or any(use.operation in needed for use in op.results[0].uses):
            needed.add(op)
    for op in candidates:
        if op in needed:
            _move(op, loop, needed)


def _move(op: Operation, loop: emitpy.ForOp, moving: set[Operation]) -> None:
    """Move an operation before a loop; an atom is repeated there."""
    if not isinstance(op, _ATOMS):
        op.detach()
        Rewriter.insert_op(op, InsertPoint.before(loop))
        return
    copy = copy_of(op)
    Rewriter.insert_op(copy, InsertPoint.before(loop))
    for use in list(op.results[0].uses):
        if use.operation in moving:
            use.operation.operands[use.index] = copy.results[0]
    if op.results[0].first_use is None:
        Rewriter.erase_op(op)


def _is_worthwhile(op: Operation) -> bool:
    """Whether hoisting is profitable: it is not for a signed literal, or for reading a size."""
    match op:
        case emitpy.UnaryOp():
            return not isinstance(op.operand.owner, _ATOMS)
        case emitpy.SubscriptOp():
            return not _is_size(op)
        case _:
            return not isinstance(op, (*_ATOMS, emitpy.AttrOp))


class _Shapes:
    """Shapes where a loop starts, with one representative for sizes that are equal there."""

    def __init__(self, shapes: PythonShapes, asserted: Sequence[Pair]):
        self._shapes = shapes
        self._compared = {size for pair in asserted for size in pair}
        self._classes = DisjointSet(tuple(self._compared))
        for size, other in asserted:
            self._classes.union_left(other, size)

    def of(self, array: SSAValue) -> tuple[Size, ...]:
        """The sizes of an array."""
        find, compared = self._classes.find, self._compared
        return tuple(find(size) if size in compared else size for size in self._shapes.of(array))


class _Safety:
    """The legality of moving operations out of a loop that may run zero times.

    They raise no error for any values. Their result is no larger than their operands, or than an
    array that the loop reads, so it is worth its memory. Nothing overwrites it, and it is no
    initial value of an inner loop, which had better own it. If its first checks leave the loop,
    which takes a step then, so do views of sizes that no other check before them tests.
    """

    def __init__(
        self,
        loop: emitpy.ForOp,
        changing: Set[SSAValue],
        shapes: _Shapes,
        tested: Sequence[SSAValue],
        checks: Sequence[emitpy.RaiseIfOp] = (),
    ):
        """``tested`` are sizes that are not negative where the operations move."""
        self._loop, self._shapes, self._changing = loop, shapes, changing
        self._tested, self._checks = tested, checks

    @cached_property
    def _read(self) -> set[tuple[Size, ...]]:
        """The shapes of the arrays that the loop reads."""
        arrays = (value for value in captured(self._loop) if isa(value.type, TensorType))
        return set(map(self._shapes.of, arrays))

    @cached_property
    def _checked_views(self) -> set[Operation]:
        """The views of a step before its first check that does not leave the loop."""
        views = set[Operation]()
        for op in self._loop.body.block.ops if self._checks else ():
            if isinstance(op, emitpy.RaiseIfOp) and op not in self._checks:
                break
            if isinstance(op, emitpy.HelperOp) and op.callee.data.endswith(_VIEWS):
                views.add(op)
        return views

    def can_move(self, op: Operation) -> bool:
        """Whether an operation may leave a loop in which its operands are invariant."""
        if len(op.results) != 1 or op.results[0] in self._changing:
            return False
        return self._is_total(op) or op in self._checked_views

    def _is_total(self, op: Operation) -> bool:
        """Whether an operation raises no error, and its result is no larger than its operands."""
        match op:
            case emitpy.LiteralOp() | emitpy.NameOp() | emitpy.AttrOp() | emitpy.TupleOp():
                return True
            case emitpy.SliceOp():
                return len(op.bounds) < 3
            case emitpy.SubscriptOp():
                is_safe = _is_view(op) or _is_size(op) or _is_row_of_filled(op)
                return is_safe or self._is_in_bounds(op)
            case emitpy.BinaryOp() if not any(isa(v.type, TensorType) for v in op.operands):
                return op.operator.data in _INT_OPERATORS
            case emitpy.BinaryOp() if op.operator.data == "**":
                return _has_floats(op.result) and self._fits(op)
            case emitpy.UnaryOp():
                return op.operator.data in ("-", "~")
            case emitpy.HelperOp() if op.callee.data in _HELPERS_BY_ELEMENT:
                return self._fits(op)
            case emitpy.HelperOp():
                is_safe = op.callee.data in _HELPERS or self._is_leading_slice(op)
                return is_safe or _selects_from_filled(op)
            case emitpy.MethodOp():
                return op.method.data in _METHODS or _selects_from_filled(op)
            case emitpy.CallOp():
                return self._is_total_call(op)
            case _:
                return is_elementwise(op) and self._fits(op)

    def _is_in_bounds(self, op: emitpy.SubscriptOp) -> bool:
        """``a[0, 2]`` of an array whose sizes have been compared with numbers."""
        if not isa(op.object.type, TensorType):
            return False
        indices = [literal_data(index) for index in op.indices]
        return all(
            isinstance(index, int) and isinstance(size, int) and 0 <= index < size
            for index, size in zip(indices, self._shapes.of(op.object), strict=False)
        )

    def _is_total_call(self, op: emitpy.CallOp) -> bool:
        function = op.callee.data
        if function == "np.take":
            return _takes_from_filled(op)
        if function == "torch.arange":
            return len(op.positional) == 1 and _is_nonnegative(op.positional[0])
        if function in ("torch.full", "torch.ones", "torch.zeros"):
            shape = op.positional[0].owner
            return isinstance(shape, emitpy.TupleOp) and all(map(_is_nonnegative, shape.fields))
        if is_by_element(op):
            return self._fits(op)
        if function.endswith(".einsum"):
            return self._is_diagonal(op)
        return function in ("float", "max", "min", "np.arange", "torch.tensor", *DTYPES.values())

    def _is_leading_slice(self, op: emitpy.HelperOp) -> bool:
        """``clipped_slice(a, 1, 0, n, 1)``: a view, unless the axis has fewer elements.

        PyTorch has none of a negative size.
        """
        if not op.callee.data.endswith(".clipped_slice"):
            return False
        _, _, start, size, step = op.positional
        if (literal_data(start), literal_data(step)) != (0, 1):
            return False
        is_view = op.callee.data == "np.clipped_slice" or size in self._tested
        return is_view or _is_nonnegative(size)

    def _is_diagonal(self, op: emitpy.CallOp) -> bool:
        """``np.einsum("aa->a", x)`` of axes that have equal sizes: a view."""
        subscripts, *arrays = op.positional
        if len(arrays) != 1:
            return False
        letters = str(literal_data(subscripts)).partition("->")[0]
        named = set(zip(letters, self._shapes.of(arrays[0]), strict=True))
        return len(named) == len(set(letters))

    def _fits(self, op: Operation) -> bool:
        """Whether the sizes of the arrays that an operation works on are known to agree, and one of
        the arrays, or of those that the loop reads, is as large as the result.
        """
        arrays = [v for v in op.operands if isa(v.type, TensorType) and v.type.get_num_dims()]
        if not arrays:
            return True
        sizes, shape = [self._shapes.of(array) for array in arrays], _shape(op.results[0])
        is_small = any(_shape(array) == shape for array in arrays)
        return (is_small or self._shapes.of(op.results[0]) in self._read) and all(
            len({size for size in along if size != 1}) <= 1
            for along in zip_longest(*map(reversed, sizes), fillvalue=1)
        )


def _shape(value: SSAValue) -> Sequence[int]:
    assert isa(value.type, TensorType)
    return value.type.get_shape()


def _is_view(op: Operation) -> bool:
    """``a[:, None]``"""
    return (
        isinstance(op, emitpy.SubscriptOp)
        and isa(op.object.type, TensorType)
        and all(
            isinstance(index.owner, emitpy.SliceOp)
            or (isinstance(index.owner, emitpy.LiteralOp) and index.owner.data is None)
            for index in op.indices
        )
    )


def _is_size(op: emitpy.SubscriptOp) -> bool:
    """``a.shape[0]``"""
    return reads_shape(op.object.owner)


def _is_row_of_filled(op: emitpy.SubscriptOp) -> bool:
    """``t[0]`` and ``t[min(3, t.shape[0] - 1)]``, where ``t = fill_empty(a, 0)``"""
    filled = op.object.owner
    if (
        not isinstance(filled, emitpy.HelperOp)
        or filled.callee.data != "np.fill_empty"
        or literal_data(filled.positional[1]) != 0
        or len(op.indices) != 1
    ):
        return False
    index = op.indices[0].owner
    if not isinstance(index, emitpy.CallOp) or index.callee.data != "min":
        return literal_data(op.indices[0]) == 0
    bounds = [literal_data(v) for v in index.positional if not _is_last(v, op.object, 0)]
    return len(bounds) == 1 and isinstance(bounds[0], int) and bounds[0] >= 0


def _is_last(position: SSAValue, array: SSAValue, axis: object) -> bool:
    """``a.shape[axis] - 1``"""
    op = position.owner
    if not isinstance(op, emitpy.BinaryOp) or op.operator.data != "-" or literal_data(op.rhs) != 1:
        return False
    size = op.lhs.owner
    if not isinstance(size, emitpy.SubscriptOp) or not _is_size(size):
        return False
    shape = size.object.owner
    assert isinstance(shape, emitpy.AttrOp)
    return shape.object is array and literal_data(size.indices[0]) == axis


def _takes_from_filled(op: emitpy.CallOp) -> bool:
    """``np.take(fill_empty(a, k), p, axis=k, mode="clip")``"""
    keywords, axis = op.keyword_arguments, _axis_of_filled(op.positional[0])
    if "mode" not in keywords or "axis" not in keywords:
        return False
    return literal_data(keywords["axis"]) == axis is not None


def _selects_from_filled(op: emitpy.MethodOp | emitpy.HelperOp) -> bool:
    """``t.index_select(k, p.clamp(0, t.shape[k] - 1))``, where ``t = fill_empty(a, k)``

    Likewise ``selected(t, k, ..)``.
    """
    match op:
        case emitpy.MethodOp() if op.method.data == "index_select":
            array, (axis, places) = op.receiver, op.positional
        case emitpy.HelperOp() if op.callee.data == "torch.selected":
            array, axis, places = op.positional
        case _:
            return False
    clamp = places.owner
    return (
        isinstance(clamp, emitpy.MethodOp)
        and clamp.method.data == "clamp"
        and [literal_data(value) for value in clamp.positional[:-1]] == [0]
        and _is_last(clamp.positional[-1], array, literal_data(axis))
        and literal_data(axis) == _axis_of_filled(array) is not None
    )


def _axis_of_filled(array: SSAValue) -> object:
    """The axis along which a helper's result is never empty; None for other arrays."""
    op = array.owner
    place = _AXES_OF_FILLED.get(op.callee.data) if isinstance(op, emitpy.HelperOp) else None
    if place is None:
        return None
    assert isinstance(op, emitpy.HelperOp)
    return literal_data(op.positional[place])


def _is_nonnegative(number: SSAValue) -> bool:
    """``a.shape[0]``, ``1``, ``max(n, 0)``, a sum or ``min`` of such, or one of two such"""
    op = number.owner
    if isinstance(op, emitpy.BinaryOp) and op.operator.data in ("+", "*"):
        return _is_nonnegative(op.lhs) and _is_nonnegative(op.rhs)
    if isinstance(op, emitpy.ConditionalOp):
        return _is_nonnegative(op.if_true) and _is_nonnegative(op.if_false)
    if isinstance(op, emitpy.LiteralOp):
        return isinstance(op.data, int) and op.data >= 0
    if isinstance(op, emitpy.CallOp) and op.callee.data in ("max", "min"):
        quantifier = any if op.callee.data == "max" else all
        return quantifier(map(_is_nonnegative, op.positional))
    return isinstance(op, emitpy.SubscriptOp) and _is_size(op)


def _has_floats(value: SSAValue) -> bool:
    return isa(value.type, TensorType) and isinstance(value.type.element_type, AnyFloat)


class HoistInvariantsPass(FunctionPass):
    """Moves the invariant operations of a loop out of it.

    Before::

        for k in range(n):
            y = y / np.maximum(links, 1).astype(np.float64)

    After::

        t = np.maximum(links, 1).astype(np.float64)
        for k in range(n):
            y = y / t

    in IR, also out of the branches of its steps. ``outline`` moves the invariants of the program;
    this pass moves operations that became invariant when elementwise operations were split, and
    operations that only the library calls need: filled empty axes, ranges of positions. A loop may
    run zero times, so only operations move that raise no error for any values: two array operands
    must have provably equal sizes. Results that are larger than their operands, or are overwritten,
    are not moved.
    """

    name = "hoist-invariants"
    looks_for = (emitpy.ForOp,)
    preserves = (memory_of, shapes_of, classes_of)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        memory, shapes = analyses.get(memory_of, function), analyses.get(shapes_of, function)
        hoist_invariants(function, memory, shapes)
